//! One asset or pair, judged in one call, for the command line, the Python package and examples.
//!
//! [`render`], [`compare`], [`score`] and [`rate`] take defaults that suit a newcomer;
//! [`pair_case`], [`ObjectFiles`] and [`ask_once`] are the same steps with every choice open.

mod ask_once;
mod compare;
mod comparison;
mod frames_folder;
mod fronts;
mod game_rows;
mod load;
mod object_files;
mod painted_text;
mod pairs;
mod picture_format;
mod point_file;
mod rate;
mod render;
mod run_config;
mod score;
mod turntable;

pub use ask_once::ask_once;
pub use compare::{about_pair, compare, pair_case};
pub use comparison::{
    Comparison, CriterionFinding, Finding, JudgeFindings, MajorityFinding, SampleMajorities,
};
pub use frames_folder::{DrawnFolder, draw_to_folder, folder_names};
pub use fronts::{Fronts, PairFronts};
pub(crate) use fronts::{is_clear_in_photo, side_in_photo};
pub use game_rows::GameRows;
pub use load::{load, load_asset};
pub use object_files::ObjectFiles;
pub use painted_text::{PaintedText, painted_text};
pub use pairs::{Pair, files_of, has_extension, pair_up};
pub use picture_format::PictureFormat;
pub use point_file::{points_as_npy, points_as_ply};
pub use rate::{
    JudgedGame, NamedGame, anchor_named, rate, rate_answers, rate_controlled, rate_people,
};
pub use render::render;
pub use run_config::{RunConfig, RunPlace, add_rubric, asset_of, method_name, method_names};
pub use score::{ScoreQuestion, Scored, score};
pub use turntable::{turntable_channel, write_turntable};
