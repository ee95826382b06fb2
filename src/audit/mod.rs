//! How reliable a judge is: pairs of a clean object and the same one damaged, whose right answer is
//! known → how often a judge finds it.
//!
//! [`AuditPlan`] lists the pairs, [`audit()`] puts them to judges like any other question,
//! [`figures`] counts the answers. The figures are computed only from the run, so a run can be read
//! again without asking. Prints nothing.

mod amounts;
mod ask;
mod choice;
mod estimate;
mod figures;
mod finding;
mod look;
mod photo;
mod plan;
mod run;
mod sheets;
mod summary;
mod text;
mod threshold;
mod trial;
mod warning;
mod wrong;

pub use amounts::Amounts;
pub use ask::AuditSheet;
pub use estimate::estimates;
pub use figures::{JudgeFigures, figures};
pub use finding::{FamilyFigures, Finding, PLAIN_LEVEL, Sparing, family_name};
pub use plan::{AuditPlan, CleanObject};
pub use run::{Audited, about, audit, read_figures, sheets};
pub use sheets::{SheetDifference, SheetSpec};
pub use text::painted_texts;
pub use trial::{Trial, trials};
pub use wrong::{WrongAnswer, wrong_answers};
