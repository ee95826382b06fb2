//! The records of runs → [`Results`]: a board for each criterion and voice, means, agreement
//! between voices, spending, failures, and what audits found about the judges.
//!
//! Everything that `rate`, the report and the exports show is computed here, once. Reads runs,
//! writes nothing, prints nothing.

mod anchored;
mod boards;
mod checklists;
mod collect;
mod compared;
mod controlled;
mod diagnoses;
mod followed;
mod jury;
mod key;
mod majority;
mod making;
mod metrics;
mod mos;
mod places;
mod read;
mod refusals;
mod reliability;
mod settings;
mod spending;
mod summary;
mod voice;
mod voices;

pub use anchored::{AnchoredIn, CriterionAnchored, Unanchored, UnanchoredReason, anchored_in};
pub use boards::{CriterionBoard, CriterionMeans, Unrated, UnratedReason};
pub use checklists::ChecklistBoard;
pub(crate) use collect::{Names, short_hash};
pub use compared::{Change, Difference, differences};
pub use controlled::{Control, CriterionControlled, Uncontrolled};
pub use diagnoses::{CriterionCategories, CriterionDiagnosis};
pub use followed::{Followed, FollowedQuestion};
pub use jury::CriterionJury;
pub use key::{Key, On};
pub(crate) use majority::merged;
pub use majority::{SampleMargins, majority};
pub use making::{MethodMaking, making};
pub(crate) use metrics::extremes;
pub use metrics::{MetricAgreement, MetricBoard, MetricCase};
pub use mos::{MosAgainst, MosBoard};
pub(crate) use places::Current;
pub use places::{Counting, Outdated};
pub use read::{CATEGORIES_KEY, Facts, Gathered, NotRated, Played, gather, gather_with};
pub use reliability::{JudgeReliability, RELIABILITY_KEY, read_reliability, reliability_of};
pub use settings::{ControlTable, RateSettings};
pub use spending::JudgeSpending;
pub use summary::{Results, counts, results};
pub use voice::Voice;
pub use voices::{PeopleAgreement, VoiceAgreement};
