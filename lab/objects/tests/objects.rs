//! The files of the library load to the scenes that their models make, bit by bit, and are small.

use meshjudge_asset::load::{Options, load_bytes};
use meshjudge_asset::objects;
use meshjudge_asset::objects::kit;
use meshjudge_lab_objects::{all, difference, named, table};
use std::path::{Path, PathBuf};

/// All files of the library together.
const BYTES_MAX: usize = 4_000_000;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../crates/asset/assets/objects")
}

#[test]
fn every_object_loads_to_what_its_model_makes() {
    assert_eq!((all().len(), objects::all().len()), (32, 32));
    for (model, object) in all().iter().zip(objects::all()) {
        let found = difference(&model.scene(), &object.make());
        assert_eq!(found, None, "{}: run `cargo run -p meshjudge-lab-objects`", model.name);
    }
}

#[test]
fn a_file_written_now_loads_to_the_same_too() {
    for name in ["vase", "table", "toadstool"] {
        let model = named(name).unwrap();
        let loaded = load_bytes(&model.glb(), Path::new("a.glb"), &Options::default()).unwrap();
        assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
        assert_eq!(difference(&model.scene(), &loaded.scene), None, "{name}");
    }
}

#[test]
fn the_table_is_what_the_models_say() {
    let committed = std::fs::read_to_string(folder().join("objects.toml")).unwrap();
    assert!(committed == table(), "run `cargo run -p meshjudge-lab-objects`");
}

#[test]
fn the_folder_is_small_and_holds_nothing_else() {
    let mut bytes = 0;
    let mut names: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let entry = entry.unwrap();
        bytes += entry.metadata().unwrap().len() as usize;
        names.push(entry.file_name().into_string().unwrap());
    }
    assert!(bytes <= BYTES_MAX, "{bytes} bytes");
    let mut expected: Vec<String> = all().iter().map(|m| format!("{}.glb", m.name)).collect();
    expected.push("objects.toml".to_owned());
    names.sort();
    expected.sort();
    assert_eq!(names, expected);
}

#[test]
fn a_number_that_differs_in_its_last_bit_is_seen() {
    let surfaces = named("mug").unwrap().surfaces();
    let scene = kit::scene(&surfaces);
    assert_eq!(difference(&scene, &kit::scene(&surfaces)), None);
    let mut moved = surfaces.clone();
    let u = &mut moved[0].shape.uvs[0].x;
    *u = u.next_up();
    let what = difference(&scene, &kit::scene(&moved));
    assert_eq!(what.as_deref(), Some("texture coordinates of mesh 0"));
    let mut painted = surfaces;
    let picture = painted[0].texture.as_mut().unwrap();
    picture.indices[5] ^= 1;
    let what = difference(&scene, &kit::scene(&painted));
    assert_eq!(what.as_deref(), Some("texture 0"));
}
