//! The demo objects by name: objects of the library, damaged → GLB bytes.

pub mod bench;
mod damage;
mod glb;
mod picture;
mod torn;

use glb::{Packing, write};
use meshjudge::bases::{self, kit::Surface};

/// Paths under `assets/demo` and bytes, in a fixed order.
pub fn all() -> Vec<(String, Vec<u8>)> {
    let [chair, vase] = ["chair", "vase"].map(clean);
    let plain =
        |name: &str, surfaces: &[Surface]| (name.to_owned(), write(surfaces, Packing::Floats));
    let mut files = vec![
        plain("chair_clean.glb", &chair),
        plain("chair_damaged.glb", &torn::chair(&chair)),
        plain("vase_clean.glb", &vase),
        plain("vase_damaged.glb", &torn::vase(&vase)),
    ];
    files.extend(bench::files());
    files
}

/// An object of the library.
fn clean(name: &str) -> Vec<Surface> {
    let base = bases::named(name).expect("the demo's objects are in the library");
    base.surfaces()
}
