//! Writes the GLB files of `assets/demo`: our own small objects, clean and damaged. `cargo run --example make_demo_assets [FOLDER]`
//!
//! The same bytes on every machine; `tests/demo_assets.rs` compares them with what is committed. The photo is drawn by our renderer and changes with it.

mod assets;
mod photo;

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from("assets/demo"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    for (name, bytes) in assets::all() {
        println!("{name}: {} bytes", bytes.len());
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        std::fs::write(path, bytes)?;
    }
    let chair = meshjudge::load::load(&folder.join("chair_clean.glb"), &Default::default())?;
    let (photo, mask) = photo::photo(&chair.scene);
    std::fs::write(folder.join("photo.png"), photo.to_png()?)?;
    std::fs::write(folder.join("mask.png"), mask.to_png()?)?;
    Ok(())
}
