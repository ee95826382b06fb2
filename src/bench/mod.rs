//! Runs the pipeline: which questions are asked, which were asked already, and what is done when one fails.
//!
//! So far the runner that puts questions to judges and keeps the answers; it draws nothing and rates nothing.

mod ask;
mod drawing;
mod file;
mod make;
mod plan;
mod progress;
mod results;

pub use ask::{AskSettings, Unit, ask};
pub use drawing::{DrawWishes, Drawing};
pub use file::{
    BenchFile, BenchFileError, DrawRule, JudgeTable, MissingAssets, PairWay, SCHEMA_FILE, TEMPLATE,
    schema,
};
pub use make::MADE_FOLDER;
pub use plan::{Method, Plan, PlanError, PlannedRubric, Prompt};
pub use progress::{Failed, Progress, Stop, Summary};
pub use results::{
    CriterionBoard, CriterionMeans, Gathered, JudgeSpending, MethodMaking, RateSettings, Results,
    ResultsError, Unrated, Voice, VoiceAgreement, gather, results,
};
