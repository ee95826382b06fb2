//! The demo objects by name: code → GLB bytes.

mod chair;
mod damage;
mod glb;
pub mod paint;
mod shape;
mod vase;

/// File names and bytes, in a fixed order.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    let chair = chair::chair();
    let vase = vase::vase();
    vec![
        ("chair_clean.glb", glb::write(&chair)),
        ("chair_damaged.glb", glb::write(&chair::damaged(&chair))),
        ("vase_clean.glb", glb::write(&vase)),
        ("vase_damaged.glb", glb::write(&vase::damaged(&vase))),
    ]
}
