//! The only loop that asks: questions + judges + a run → records.
//!
//! A [`QuestionTemplate`] describes a question; a [`Planner`] makes [`Work`] of it for assets that are not answered yet, at the size that
//! each judge sees ([`PictureLimits`]), drawn as a [`Drawing`] says. A [`Session`] puts the work to judges and keeps every attempt:
//! rate limits, circuit breaker, budget, batches, canary, resume, signals. It does not know where questions come from.

mod canary;
mod drawing;
mod error;
mod estimate;
mod photo;
mod picture_limits;
mod pictures;
mod planner;
mod progress;
mod question;
mod runner;
mod session;
mod settings;
mod stop_signal;
mod work;

pub use canary::canaries;
pub use drawing::{
    Drawing, ViewOptions, distinct, draw_all, drawings, load_options, protocol_of, recorded_options,
};
pub use error::{DrawingError, QuestionError};
pub use estimate::{
    Estimate, OUTPUT_TOKENS, Unmade, Weight, add_estimate, add_unmade, empty_estimates,
    estimates_of,
};
pub use photo::Photo;
pub use picture_limits::{PictureLimits, SeenSize, VIEW_PX_LOW, judges_by_limits};
pub use pictures::{ComposedPictures, compose_pair, compose_single};
pub use planner::{FittedExamples, Planner, Subject};
pub use progress::{Failed, Progress, Stop, Summary};
pub use question::{Drawn, QuestionTemplate, Shown};
pub use runner::ask;
pub use session::{AskError, Session};
pub use settings::{AskSettings, BatchSettings, CanaryRule};
pub use stop_signal::StopSwitch;
pub use work::{Unit, Work};
