//! The project itself: its imports, its README, its packages and its English.

#[path = "../support/mod.rs"]
mod support;

mod architecture;
mod documents;
mod english;
mod readme;
mod recipes;
mod shipping;
