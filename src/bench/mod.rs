//! Whole benchmarks: a benchmark file → what is made, drawn and asked.
//!
//! A file ([`BenchFile`]) is looked up and checked ([`Plan`]) and run ([`run()`]): generators make assets, the asset cache draws them,
//! [`schedule`] chooses pairs, and `tasks` hands their questions to a session. Prints nothing and writes no page.

mod asset_cache;
mod estimate;
mod extent;
mod file;
mod make;
mod observer;
mod plan;
mod prompt;
mod remaining;
mod run;
pub mod schedule;
mod slot;
mod tasks;

pub use estimate::estimates;
pub use extent::{Extent, extent};
pub use file::{
    BenchFile, BenchFileError, JudgeEntry, JudgeTable, MissingAssets, PairSchedule, SCHEMA_FILE,
    TEMPLATE, schema,
};
pub use make::{MADE_FOLDER, Method, redacted_url};
pub use observer::Observer;
pub use plan::{Plan, PlanError, PlannedRubric};
pub use prompt::Prompt;
pub use remaining::{Remaining, remaining};
pub use run::{RunError, run};
pub use slot::{PlaceIdx, SlotIdx};
