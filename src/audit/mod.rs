//! What a judge is worth: pairs of a clean object and the same one damaged, whose right answer is known → how often a judge finds it.
//!
//! [`AuditPlan`] says which pairs, [`ask_about`] puts them to judges like any other question, [`figures`] counts what came back. The
//! figures are read from the run alone, so a run can be read again without asking. Prints nothing.

mod ask;
mod figures;
mod plan;
mod ratio;
mod threshold;
mod trial;

pub use ask::{AuditError, ask_about};
pub use figures::{Finding, JudgeFigures, Sparing, figures};
pub use plan::{AuditPlan, Subject};
pub use trial::{Trial, trials};
