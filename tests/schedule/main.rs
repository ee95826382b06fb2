//! Which pairs to ask next.

mod active;
mod plans;
