//! Writes the GLB files of `assets/demo`: our own small objects, clean and damaged. `cargo run --example make_demo_assets [FOLDER]`
//! With `--bases FOLDER` it writes every clean object of the library instead, to be looked at.
//!
//! The same bytes on every machine; `tests/meta/demo_assets.rs` compares them with what is committed. The photo is drawn by our renderer and changes with it.

mod assets;
mod photo;

use meshjudge::{bases, save};
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    if first.as_deref() == Some("--bases".as_ref()) {
        let folder = arguments.next().ok_or("--bases needs a folder")?;
        return write_bases(Path::new(&folder));
    }
    let folder = first.map_or_else(|| PathBuf::from("assets/demo"), PathBuf::from);
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

fn write_bases(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all(folder)?;
    for base in bases::all() {
        let scene = base.make();
        println!("{}: {} triangles", base.name, scene.triangle_count());
        let bytes = save::glb(&scene, save::SaveOptions::default())?;
        std::fs::write(folder.join(format!("{}.glb", base.name)), bytes)?;
    }
    Ok(())
}
