//! What a judge is worth: pairs of a clean object and the same one damaged, whose right answer is known → how often a judge finds it.
//!
//! [`AuditPlan`] says which pairs, [`ask_about`] puts them to judges like any other question, [`figures`] counts what came back. The
//! figures are read from the run alone, so a run can be read again without asking. Prints nothing.

mod ask;
mod ask_cases;
mod figures;
mod in_short;
mod notes;
mod plan;
mod ratio;
mod sheets;
mod threshold;
mod trial;

pub use ask::{AuditError, ask_about};
pub use figures::{FamilyFigures, Finding, JudgeFigures, PLAIN_LEVEL, Sparing, figures};
pub use notes::{Amounts, Notes};
pub use plan::{AuditPlan, Subject};
pub use sheets::{SheetDifference, SheetWish};
pub use trial::{Trial, trials};
