//! The only loop that asks: questions + judges + a run → records.
//!
//! A [`Case`] is one question as data. A [`Planner`] works through a list of cases in phases: it
//! finds the questions that have no answer yet, a [`Studio`] draws their assets as a [`Drawing`]
//! says, and the planner composes their pictures at the size that each judge sees
//! ([`PictureLimits`]). A [`Session`] puts this [`Work`] to judges and keeps every attempt: rate
//! limits, circuit breaker, budget, batches, canary, resume, signals. Nothing in here calls back
//! into the stage that a case comes from.

mod canary;
mod case;
mod compose;
mod drawing;
mod estimate;
mod photo;
mod photo_cut;
mod picture_folder;
mod picture_limits;
mod pictures;
mod planner;
mod progress;
mod runner;
mod session;
mod settings;
mod sides;
mod stop_signal;
mod studio;
mod work;

pub use canary::canaries;
pub use case::{AssetFile, Case, Side, Source, Template};
pub use drawing::{
    Drawing, distinct, draw_all, drawings, load_options, protocol_of, recorded_options,
    with_answers,
};
pub use estimate::{
    Estimate, OUTPUT_TOKENS, Unmade, Weight, add_estimate, add_unmade, empty_estimates,
    estimates_of,
};
pub use photo::Photo;
pub use picture_folder::PictureFolder;
pub use picture_limits::{PictureLimits, SeenSize, VIEW_PX_LOW, judges_by_limits};
pub use pictures::{ComposedPictures, compose_pictures};
pub use planner::{Found, Planner};
pub use progress::{Failed, Progress, Stop, Summary};
pub use runner::ask;
pub use session::{Answered, Session};
pub use settings::{AskSettings, BatchSettings, CanaryRule};
pub use sides::{SIDE_NAMES, Sides, ordered_sides};
pub(crate) use stop_signal::Hold;
pub use stop_signal::StopSwitch;
pub use studio::{Drawn, Frames, Studio, Views, changed};
pub use work::{Unit, Work};
