//! Runs the pipeline: which questions are asked, which were asked already, and what is done when one fails.
//!
//! So far the runner that puts questions to judges and keeps the answers; it draws nothing and rates nothing.

mod ask;
mod drawing;
mod file;
mod make;
mod pictures;
mod plan;
mod progress;
mod question;
mod results;
mod stock;

pub use ask::{AskSettings, Unit, Work, ask};
pub use drawing::{DrawWishes, Drawing};
pub use file::{
    BenchFile, BenchFileError, DrawRule, JudgeTable, MissingAssets, PairWay, SCHEMA_FILE, TEMPLATE,
    schema,
};
pub use make::MADE_FOLDER;
pub use plan::{Method, Plan, PlanError, PlannedRubric, Prompt};
pub use progress::{Failed, Progress, Stop, Summary};
pub use question::{
    Asking, Photo, QuestionError, Shown, category_unit, pair_unit, protocol, reconstruction_unit,
};
pub use results::{
    CriterionBoard, CriterionMeans, Gathered, JudgeSpending, MethodMaking, RateSettings, Results,
    ResultsError, Unrated, Voice, VoiceAgreement, gather, results,
};
