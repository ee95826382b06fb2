//! The project about itself: its imports, its README, its demo objects.

#[path = "../support/mod.rs"]
mod support;

mod architecture;
mod demo_assets;
mod readme;
