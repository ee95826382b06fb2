//! Runs the pipeline: which assets are made, which questions are asked, which were asked already, and what is done when one fails.
//!
//! A benchmark file ([`BenchFile`]) is looked up and checked ([`Plan`]) and run ([`run`]): generators make assets, `stock` draws them,
//! `schedule` chooses pairs, `question` composes units, the runner ([`ask()`]) puts them to judges and keeps every attempt. [`results`]
//! reads runs back and rates them. Prints nothing and writes no page.

mod ask;
mod canary;
mod drawing;
mod estimate;
mod file;
mod import;
mod make;
mod pictures;
mod placing;
mod plan;
mod progress;
mod question;
mod results;
mod run;
pub mod schedule;
mod sight;
mod stock;
mod stop_signal;
mod tasks;
mod tournament;
mod worth;

pub use ask::{AskSettings, BatchSettings, Unit, Work, ask};
pub use canary::{CanaryRule, canaries};
pub use drawing::{DrawWishes, Drawing};
pub use estimate::{Estimate, OUTPUT_TOKENS, estimates, estimates_of};
pub use file::{
    BenchFile, BenchFileError, DrawRule, JudgeEntry, JudgeTable, MissingAssets, PairWay,
    SCHEMA_FILE, TEMPLATE, schema,
};
pub use import::{
    ImportError, RatingsBy, Said as SaidByOthers, read_gpteval3d, read_ratings, read_votes, votes,
};
pub use make::MADE_FOLDER;
pub use placing::{Placement, PlacingError, Published, place_among, read_published};
pub use plan::{Method, Plan, PlanError, PlannedRubric, Prompt};
pub use progress::{Failed, Progress, Stop, Summary};
pub use question::{
    Asking, Photo, QuestionError, Shown, category_unit, pair_unit, protocol, reconstruction_unit,
};
pub use results::{
    CriterionBoard, CriterionMeans, Gathered, JudgeSpending, MethodMaking, PeopleAgreement,
    RateSettings, RatingsDiffer, Results, ResultsError, SampleMargins, Unrated, Voice,
    VoiceAgreement, counts, gather, majority, rating_of, results,
};
pub use run::{Extent, Observer, RunError, extent, run};
pub use sight::{SeenSize, Sight, VIEW_PX_LOW, sights};
pub use stop_signal::stop_signal;
pub use tournament::{Exported, TournamentError, export_tournament};
pub use worth::{WORTH_KEY, Worth, worth, worth_of};
