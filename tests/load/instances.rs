//! `EXT_mesh_gpu_instancing`: copies are where their transforms say, and hostile ones are
//! refused.

use crate::support::assets::{Builder, F32, I8};
use glam::Vec3;
use meshjudge::unstable::load::LoadError;
use serde_json::json;

fn instanced() -> Builder {
    let mut builder = Builder::triangle();
    let translations = builder.floats("VEC3", &[0.0, 0.0, 0.0, 10.0, 0.0, 0.0]);
    let scales = builder.floats("VEC3", &[1.0, 1.0, 1.0, 2.0, 2.0, -2.0]);
    // A half turn about z; 127 is 1 when normalised.
    let rotations = builder.accessor(I8, "VEC4", 2, &[0, 0, 0, 127, 0, 0, 127, 0]);
    builder.json["accessors"][rotations]["normalized"] = json!(true);
    builder.json["nodes"][0]["translation"] = json!([0, 5, 0]);
    builder.json["nodes"][0]["extensions"] = json!({"EXT_mesh_gpu_instancing": {
        "attributes": {"TRANSLATION": translations, "ROTATION": rotations, "SCALE": scales, "_ID": 0}}});
    builder.json["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
    builder
}

#[test]
fn every_copy_stands_where_its_transform_says() {
    let loaded = instanced().load().unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let meshes = loaded.scene.meshes();
    assert_eq!(meshes.len(), 2);
    let [first, second] = [0, 1].map(|i: usize| meshes[i].positions());
    assert_eq!(first, [[0.0, 5.0, 0.0], [1.0, 5.0, 0.0], [0.0, 6.0, 0.0]].map(Vec3::from_array));
    for (found, expected) in
        second.iter().zip([[10.0, 5.0, 0.0], [8.0, 5.0, 0.0], [10.0, 3.0, 0.0]])
    {
        assert!((*found - Vec3::from_array(expected)).length() < 1e-5, "{found}");
    }
    // The second is mirrored, so its winding is turned.
    assert_eq!((meshes[0].triangles()[0], meshes[1].triangles()[0]), ([0, 1, 2], [0, 2, 1]));
}

#[test]
fn copies_without_a_place_of_their_own_are_where_the_node_is() {
    let mut builder = instanced();
    builder.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] =
        json!({"_ID": 0});
    let meshes = builder.load().unwrap().scene.meshes().to_vec();
    // As many as accessor 0 has elements.
    assert_eq!(meshes.len(), 3);
    assert!(meshes.iter().all(|mesh| mesh.positions()[0] == Vec3::new(0.0, 5.0, 0.0)));
}

/// As three.js and Babylon.js draw them.
#[test]
fn copies_have_colours_of_their_own() {
    let mut builder = instanced();
    let colors = builder.floats("VEC3", &[1.0, 0.0, 0.0, 0.0, 0.5, 1.0]);
    builder.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["_COLOR_0"] =
        json!(colors);
    let loaded = builder.load().unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let colors = loaded.scene.meshes().iter().map(|mesh| mesh.colors().unwrap()[0].to_array());
    assert_eq!(colors.collect::<Vec<_>>(), [[1.0, 0.0, 0.0, 1.0], [0.0, 0.5, 1.0, 1.0]]);
}

#[test]
fn instances_that_lie_are_refused() {
    let extension = "/nodes/0/extensions/EXT_mesh_gpu_instancing";
    for (pointer, value) in [
        (extension.to_owned(), json!({})),
        (format!("{extension}/attributes"), json!({})),
        (format!("{extension}/attributes/SCALE"), json!("x")),
        (format!("{extension}/attributes/SCALE"), json!(99)),
        (format!("{extension}/attributes/SCALE"), json!(1)),
        (format!("{extension}/attributes/ROTATION"), json!(2)),
        ("/accessors/2/count".to_owned(), json!(1)),
    ] {
        let mut builder = instanced();
        *builder.json.pointer_mut(&pointer).unwrap() = value.clone();
        let error = builder.load().unwrap_err();
        assert!(matches!(error, LoadError::Broken { .. }), "{pointer} {value}: {error}");
    }
    let mut many = instanced();
    let zeros = json!({"componentType": F32, "type": "VEC3", "count": 10_000_000});
    let zeros = many.push("accessors", zeros);
    many.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] =
        json!({"TRANSLATION": zeros});
    assert!(matches!(many.load(), Err(LoadError::TooLarge { .. })));
}
