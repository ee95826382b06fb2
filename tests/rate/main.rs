//! Games to ratings: fits, intervals, agreement, and which pairs to ask next.

mod agreement;
mod anchored;
mod bootstrap;
mod categories;
mod controlled;
mod diagnose;
mod fit;
mod orders;
mod schedule_active;
mod schedule_plans;
