//! The committed demo objects are what their generator makes, small, and sound where they should be.

#[path = "../examples/make_demo_assets/assets/mod.rs"]
mod assets;

use meshjudge::load::{self, Options};
use meshjudge::measure::{MeshFacts, measure};
use meshjudge::render::Image;
use std::path::PathBuf;

const FILE_BYTES_MAX: usize = 150 * 1024;
const FOLDER_BYTES_MAX: u64 = 1 << 20;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/demo")
}

fn facts(name: &str) -> MeshFacts {
    let loaded = load::load(&folder().join(name), &Options::default()).unwrap();
    assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
    measure(&loaded.scene)
}

#[test]
fn the_committed_files_are_what_the_generator_makes() {
    let made = assets::all();
    assert_eq!(made.len(), 4);
    for (name, bytes) in made {
        assert!(
            bytes.len() <= FILE_BYTES_MAX,
            "{name} has {} bytes",
            bytes.len()
        );
        let committed = std::fs::read(folder().join(&name)).unwrap();
        assert!(
            committed == bytes,
            "{name} is stale: run `cargo run --example make_demo_assets`"
        );
    }
    let total: u64 = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert!(total <= FOLDER_BYTES_MAX, "{total} bytes");
}

#[test]
fn clean_objects_are_watertight_and_damaged_ones_are_not() {
    for name in ["chair", "vase"] {
        let clean = facts(&format!("{name}_clean.glb"));
        assert!(
            clean.is_watertight,
            "{name}: {:?} {:?}",
            clean.edges, clean.holes
        );
        assert!(clean.shape.volume.unwrap() > 0.0, "{name} is inside out");
        assert_eq!((clean.parts.groups, clean.parts.floaters), (1, 0), "{name}");
        assert!(clean.texture.textured_area_share > 0.9, "{name}");
        let damaged = facts(&format!("{name}_damaged.glb"));
        assert!(
            damaged.holes.count >= 4 && damaged.parts.floaters >= 4,
            "{name}: {:?} {:?}",
            damaged.holes,
            damaged.parts
        );
        assert!(
            damaged.noise.mean_degrees > 3.0 * clean.noise.mean_degrees,
            "{name}"
        );
    }
}

#[test]
fn photo_and_mask_belong_together() {
    let picture = |name: &str| Image::decode(&std::fs::read(folder().join(name)).unwrap()).unwrap();
    let (photo, mask) = (picture("photo.png"), picture("mask.png"));
    let style = meshjudge::sheet::ReferenceStyle::default();
    let reference = meshjudge::sheet::reference(&photo, &mask, &style).unwrap();
    assert_eq!(
        (reference.highlighted.width_px, reference.zoom.width_px),
        (photo.width_px, style.zoom_px)
    );
}
