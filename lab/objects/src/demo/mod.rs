//! The demo: objects of the library, clean and damaged → GLB bytes, and a photo of one with its
//! mask.

pub mod bench;
mod damage;
mod glb;
mod photo;
mod picture;
mod torn;

pub use photo::photo;

use glb::{Packing, write};
use meshjudge_asset::objects::kit::Surface;

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
    let model = crate::named(name).expect("the demo's objects are in the library");
    model.surfaces()
}
