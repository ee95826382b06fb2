//! Runs the pipeline: which questions are asked, which were asked already, and what is done when one fails.
//!
//! So far the runner that puts questions to judges and keeps the answers; it draws nothing and rates nothing.

mod ask;
mod progress;
mod results;

pub use ask::{AskSettings, Unit, ask};
pub use progress::{Failed, Progress, Stop, Summary};
pub use results::{
    CriterionBoard, CriterionMeans, Gathered, JudgeSpending, MethodMaking, RateSettings, Results,
    ResultsError, Unrated, Voice, VoiceAgreement, counts, gather, results,
};
