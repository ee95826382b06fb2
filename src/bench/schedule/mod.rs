//! Which pairs to ask, and in which order. Plans only: asks nothing, keeps nothing, and gives the
//! same pairs for the same games.
//!
//! Vocabulary: a [`Pair`] is one unit of work, two methods on one prompt, asked in both orders. A
//! [`Field`] says how many methods and prompts there are. Ways through it: [`all_pairs`],
//! [`round_robin`] up to a budget, [`Active`], which works in rounds and asks what narrows the
//! intervals most, and [`Settling`], which goes through prompts until an order is settled.

mod active;
mod field;
mod ledger;
mod round_robin;
mod settling;

pub use active::{Active, ActiveSettings, Aim, Done, Next};
pub use field::{Field, Pair, all_pairs};
pub use round_robin::round_robin;
pub use settling::{Settling, draw};
