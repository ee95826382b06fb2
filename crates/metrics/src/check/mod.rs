//! The gate: an asset and a [`Profile`] → which limits it keeps, which it breaks and where.
//!
//! Vocabulary: a *profile* is a TOML file of limits; a *limit* is a figure of
//! [`QualityMetric`](crate::metrics::QualityMetric) with a bound, a severity and a sentence. A
//! figure that an asset does not have is *not measured*, which is never a pass. Validity is not
//! quality: a gate does not rate.

mod bound;
mod gate;
mod profile;
mod report;

pub use bound::{Bound, BoundError};
pub use gate::{CheckOptions, Checked, State, check, is_ready, not_measured};
pub use profile::{Limit, Profile, ProfileError, Severity, metres};
pub use report::{ReportError, ValidatorReport};
