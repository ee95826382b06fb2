//! The loaders and the scene alone, from the program's own files, so that a target does not carry a graphics stack and a database.

extern crate self as meshjudge;

#[path = "../../src/load/mod.rs"]
pub mod load;
#[path = "../../src/scene/mod.rs"]
pub mod scene;

pub mod case;
