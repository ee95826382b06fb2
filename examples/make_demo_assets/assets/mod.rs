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

/// Paths under `assets/demo` and bytes, in a fixed order.
pub fn all() -> Vec<(String, Vec<u8>)> {
    let chair = chair::chair();
    let vase = vase::vase();
    let mut files = vec![
        ("chair_clean.glb".to_owned(), glb::write(&chair)),
        (
            "chair_damaged.glb".to_owned(),
            glb::write(&chair::damaged(&chair)),
        ),
        ("vase_clean.glb".to_owned(), glb::write(&vase)),
        (
            "vase_damaged.glb".to_owned(),
            glb::write(&vase::damaged(&vase)),
        ),
    ];
    files.extend(bench::files());
    files
}
