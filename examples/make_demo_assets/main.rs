//! Writes `assets/demo/*.glb`: our own small objects, each clean and damaged. `cargo run --example make_demo_assets [FOLDER]`
//!
//! The same bytes on every machine; `tests/demo_assets.rs` compares them with what is committed. Does not draw (see `make_demo_photo`).

mod assets;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from("assets/demo"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    for (name, bytes) in assets::all() {
        println!("{name}: {} bytes", bytes.len());
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}
