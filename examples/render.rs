//! Draws four views of an asset and writes them as PNG files:
//! `cargo run --example render -- chair.glb pictures`.

use meshjudge::{Channel, ViewOptions};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let asset = args.next().unwrap_or("assets/demo/chair_clean.glb".to_owned());
    let folder = PathBuf::from(args.next().unwrap_or("pictures".to_owned()));

    let loaded = meshjudge::load(asset)?;
    let options = ViewOptions { views: Some(4), tile_px: Some(256), ..ViewOptions::default() };
    let frames = meshjudge::render(&loaded.scene, &options, &[Channel::Rgb, Channel::Normal])?;

    std::fs::create_dir_all(&folder)?;
    for frame in &frames {
        for (channel, image) in &frame.images {
            let name = format!("{channel:?}_{}.png", frame.view_idx).to_lowercase();
            std::fs::write(folder.join(name), image.to_png()?)?;
        }
    }
    println!("{} views in {}", frames.len(), folder.display());
    Ok(())
}
