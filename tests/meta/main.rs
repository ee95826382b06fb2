//! The project about itself: its imports and its README.

#[path = "../support/mod.rs"]
mod support;

mod architecture;
mod readme;
mod shipping;
