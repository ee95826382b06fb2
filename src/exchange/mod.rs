//! Imports and exports: people's votes and ratings, GPTEval3D's results and tournaments,
//! published scores. Another run is copied by the store itself. Asks nothing and prints nothing.

mod answer;
mod control_table;
mod earlier;
mod gpteval3d;
mod placing;
mod ratings;
mod table_lines;
mod tournament;
mod vote_table;
mod votes;

pub use answer::{ImportedAnswer, file_hash};
pub use control_table::read_control_table;
pub use earlier::{Conflict, EarlierVotes, UnknownMethod};
pub use gpteval3d::read_gpteval3d;
pub use placing::{Placement, Published, place_among, read_published};
pub use ratings::{RatingsBy, ratings_as_votes, read_ratings};
pub(crate) use table_lines::table_lines;
pub use tournament::{Exported, export_tournament};
pub use vote_table::{ANYBODY, read_votes};
pub use votes::votes;
