//! The demo objects by name: code → GLB bytes.

mod atlas;
pub mod bench;
mod boat;
mod cactus;
mod chair;
mod damage;
mod glb;
mod house;
mod lighthouse;
mod mushroom;
pub mod paint;
mod rocket;
mod shape;
mod solid;
mod vase;

use glb::{Packing, Surface, write};

/// Paths under `assets/demo` and bytes, in a fixed order.
pub fn all() -> Vec<(String, Vec<u8>)> {
    let chair = chair::chair();
    let vase = vase::vase();
    let plain =
        |name: &str, surfaces: &[Surface]| (name.to_owned(), write(surfaces, Packing::Floats));
    let mut files = vec![
        plain("chair_clean.glb", &chair),
        plain("chair_damaged.glb", &chair::damaged(&chair)),
        plain("vase_clean.glb", &vase),
        plain("vase_damaged.glb", &vase::damaged(&vase)),
    ];
    files.extend(bench::files());
    files
}
