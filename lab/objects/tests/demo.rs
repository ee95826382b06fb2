//! The committed demo objects are what their generator makes, small, and sound where they should
//! be.

use meshjudge_asset::load::{self, Options};
use meshjudge_asset::measure::{MeshFacts, measure};
use meshjudge_asset::render::Image;
use meshjudge_lab_objects::demo;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

const FILE_BYTES_MAX: usize = 180 * 1024;
const FOLDER_BYTES_MAX: u64 = 1 << 20;
const BENCH_BYTES_MAX: usize = 3_000_000;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/demo")
}

fn facts(name: &str) -> MeshFacts {
    let loaded = load::load(&folder().join(name), &Options::default()).unwrap();
    assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
    measure(&loaded.scene)
}

#[test]
fn the_committed_files_are_what_the_generator_makes() {
    let made = demo::all();
    assert_eq!(made.len(), 4 + 3 * 8);
    for (name, bytes) in &made {
        assert!(bytes.len() <= FILE_BYTES_MAX, "{name} has {} bytes", bytes.len());
        let committed = std::fs::read(folder().join(name)).unwrap();
        assert!(committed == *bytes, "{name} is stale: run `cargo run -p meshjudge-lab-objects`");
    }
    let total: u64 = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap())
        .filter(std::fs::Metadata::is_file)
        .map(|metadata| metadata.len())
        .sum();
    assert!(total <= FOLDER_BYTES_MAX, "{total} bytes");
}

#[test]
fn the_benchmark_is_small_and_holds_nothing_else() {
    let made: BTreeMap<String, usize> =
        demo::bench::files().into_iter().map(|(name, bytes)| (name, bytes.len())).collect();
    let mut committed = BTreeSet::new();
    for generator in std::fs::read_dir(folder().join("bench")).unwrap() {
        let generator = generator.unwrap();
        let generator_name = generator.file_name().into_string().unwrap();
        for asset in std::fs::read_dir(generator.path()).unwrap() {
            let asset_name = asset.unwrap().file_name().into_string().unwrap();
            committed.insert(format!("bench/{generator_name}/{asset_name}"));
        }
    }
    assert!(made.keys().eq(&committed), "{committed:?}");
    let total: usize = made.values().sum();
    assert!(total <= BENCH_BYTES_MAX, "{total} bytes");
}

#[test]
fn clean_objects_are_watertight_and_damaged_ones_are_not() {
    for name in ["chair", "vase"] {
        let clean = facts(&format!("{name}_clean.glb"));
        assert!(clean.is_watertight, "{name}: {:?} {:?}", clean.edges, clean.holes);
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
        assert!(damaged.noise.mean_degrees > 3.0 * clean.noise.mean_degrees, "{name}");
    }
}

#[test]
fn generators_of_the_benchmark_are_as_good_as_they_say() {
    for prompt in demo::bench::PROMPTS {
        let of = |generator: &str| facts(&format!("bench/{generator}/{prompt}.glb"));
        let [atelier, workshop, sketch] = ["atelier", "workshop", "sketch"].map(of);
        assert!(atelier.is_watertight, "{prompt}: {:?}", atelier.edges);
        assert!(atelier.shape.volume.unwrap() > 0.0, "{prompt} is inside out");
        // The one prompt at which the best fails and the second does not.
        let flawless = if prompt == "cactus" { &workshop } else { &atelier };
        assert_eq!((flawless.parts.groups, flawless.parts.floaters), (1, 0), "{prompt}");
        assert!(flawless.texture.textured_area_share > 0.9, "{prompt}");
        assert!(
            sketch.holes.count >= 3 && sketch.parts.floaters >= 2,
            "{prompt}: {:?} {:?}",
            sketch.holes,
            sketch.parts
        );
    }
}

#[test]
fn photo_and_mask_belong_together() {
    let picture = |name: &str| Image::decode(&std::fs::read(folder().join(name)).unwrap()).unwrap();
    let (photo, mask) = (picture("photo.png"), picture("mask.png"));
    let style = meshjudge_asset::sheet::ReferenceStyle::default();
    let reference = meshjudge_asset::sheet::reference(&photo, &mask, &style).unwrap();
    assert_eq!(
        (reference.highlighted.width_px, reference.zoom.width_px),
        (photo.width_px, style.zoom_px)
    );
}
