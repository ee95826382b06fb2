//! Games to ratings: fits, intervals, agreement.

mod agreement;
mod anchored;
mod bootstrap;
mod categories;
mod controlled;
mod diagnose;
mod fit;
mod jury;
mod names;
mod orders;
