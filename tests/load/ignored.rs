//! Nothing that another viewer may show is dropped in silence: a made-up name at every place where
//! a format allows one is in a warning, and a file of such names loads as one without them.

use crate::support::assets::{Builder, Folder, splat_sphere};
use meshjudge::unstable::load::{Choices, Loaded, Options, Warning, load, load_asset};
use serde_json::{Value, json};

fn messages(warnings: &[Warning]) -> String {
    warnings.iter().map(|warning| format!("{warning}\n")).collect()
}

/// A triangle with every kind of object that the reader looks at.
fn furnished() -> Builder {
    let mut builder = Builder::triangle();
    let uvs = builder.floats("VEC2", &[0.0; 6]);
    let normals = builder.floats("VEC3", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let view = builder.view(&crate::support::assets::png(1, 1, &[[1, 2, 3, 255]]));
    builder.json["images"] = json!([{"bufferView": view}]);
    builder.json["samplers"] = json!([{"wrapS": 10497}]);
    builder.json["textures"] = json!([{"source": 0, "sampler": 0}]);
    builder.json["materials"] = json!([{
        "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
        "normalTexture": {"index": 0},
        "occlusionTexture": {"index": 0},
    }]);
    let primitive = &mut builder.json["meshes"][0]["primitives"][0];
    primitive["material"] = json!(0);
    primitive["attributes"]["TEXCOORD_0"] = json!(uvs);
    primitive["attributes"]["NORMAL"] = json!(normals);
    primitive["targets"] = json!([{"POSITION": 0}]);
    builder
}

/// Paths of all objects of a JSON in which names are the format's.
fn objects(value: &Value, path: String, out: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, inner) in members.iter().filter(|(key, _)| *key != "attributes") {
                objects(inner, format!("{path}/{key}"), out);
            }
            if !path.contains("targets") {
                out.push(path);
            }
        }
        Value::Array(list) => {
            for (index, inner) in list.iter().enumerate() {
                objects(inner, format!("{path}/{index}"), out);
            }
        }
        _ => {}
    }
}

#[test]
fn a_made_up_name_anywhere_in_gltf_is_in_a_warning() {
    let plain = furnished();
    assert_eq!(messages(&plain.load().unwrap().warnings), "");
    let mut places = Vec::new();
    objects(&plain.json, String::new(), &mut places);
    assert!(places.len() > 15, "{places:?}");
    let mut cases: Vec<(String, &str, Value)> = Vec::new();
    for place in places {
        cases.push((place.clone(), "madeUp", json!(1)));
        cases.push((format!("{place}/extensions"), "EXT_made_up", json!({"a": [1]})));
    }
    let primitive = "/meshes/0/primitives/0";
    cases.push((format!("{primitive}/attributes"), "MADE_UP", json!(0)));
    cases.push((format!("{primitive}/targets/0"), "MADE_UP", json!(0)));
    cases.push((format!("{primitive}/attributes"), "COLOR_1", json!(0)));
    for (place, name, value) in cases {
        let mut builder = furnished();
        if let Some(parent) = place.strip_suffix("/extensions") {
            builder.json.pointer_mut(parent).unwrap()["extensions"] = json!({});
        }
        builder.json.pointer_mut(&place).unwrap()[name] = value;
        let loaded = builder.load().unwrap();
        assert!(messages(&loaded.warnings).contains(name), "{place} {name}: {:?}", loaded.warnings);
        assert_eq!(loaded.scene.triangle_count(), 1, "{place}");
        // Data of an application, which no viewer shows.
        let mut builder = furnished();
        builder.json.pointer_mut(&place.replace("/extensions", "")).unwrap()["extras"] =
            json!({"extensions": {"EXT_made_up": 1}, "madeUp": 1});
        if !place.contains("attributes") && !place.contains("targets") {
            assert_eq!(messages(&builder.load().unwrap().warnings), "", "{place}");
        }
    }
}

#[test]
fn a_made_up_name_in_a_text_format_is_in_a_warning() {
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let ply = |element: &str, vertex: &str, face: &str, rows: [&str; 3]| {
        format!(
            "ply\nformat ascii 1.0\n{element}element vertex 3\nproperty float x\nproperty float y\nproperty float z\n{vertex}\
             element face 1\nproperty list uchar int vertex_indices\n{face}end_header\n{}0 0 0{1}\n1 0 0{1}\n0 1 0{1}\n3 0 1 2{2}\n",
            rows[0], rows[1], rows[2]
        )
    };
    let stl = |words: &str| {
        format!(
            "solid a\nfacet normal 0 0 1\n{words}outer loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"
        )
    };
    let cases = [
        ("a.obj", format!("{triangle}f 1 2 3\n"), format!("{triangle}made_up 1 2\nf 1 2 3\n")),
        (
            "a.obj",
            format!("{triangle}f 1 2 3\n"),
            format!("{triangle}surf 0 1 0 1 1 2 3\nf 1 2 3\n"),
        ),
        (
            "a.ply",
            ply("", "", "", ["", "", ""]),
            ply("element made_up 1\nproperty int a\n", "", "", ["7\n", "", ""]),
        ),
        (
            "a.ply",
            ply("", "", "", ["", "", ""]),
            ply("", "property float made_up\n", "", ["", " 5", ""]),
        ),
        (
            "a.ply",
            ply("", "", "", ["", "", ""]),
            ply("", "", "property float made_up\n", ["", "", " 5"]),
        ),
        ("a.stl", stl(""), stl("made_up 1 0 0\n")),
    ];
    for (name, plain, odd) in cases {
        let read = |text: &str| Folder::new().load(name, text).unwrap();
        assert_eq!(messages(&read(&plain).warnings), "", "{plain}");
        let warned = messages(&read(&odd).warnings);
        assert!(warned.contains("made_up") || warned.contains("surf"), "{odd}\n{warned}");
    }
}

/// A colour that no known program marks as one.
#[test]
fn attributes_of_a_binary_stl_that_are_not_read_are_in_a_warning() {
    let file = |word: u16| {
        let corners: [f32; 12] = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let face = corners.iter().flat_map(|x| x.to_le_bytes()).chain(word.to_le_bytes());
        [&[0; 80][..], &1_u32.to_le_bytes(), &face.collect::<Vec<_>>()].concat()
    };
    for (word, is_named) in [(0, false), (0x7c00, true)] {
        let warned = messages(&Folder::new().load("a.stl", file(word)).unwrap().warnings);
        assert_eq!(warned.contains("attribute byte count"), is_named, "{word}: {warned}");
    }
}

fn with_library(mtl: &str) -> Loaded {
    let folder = Folder::new();
    folder.write("a.mtl", format!("newmtl m\n{mtl}\n"));
    folder.load("a.obj", "mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap()
}

#[test]
fn a_key_of_a_material_that_is_not_drawn_is_in_a_warning() {
    for key in ["made_up 1", "Pc 0.5", "refl -type sphere a.png", "map_Ks a.png", "aniso 0.4"] {
        let name = key.split(' ').next().unwrap();
        let warned = messages(&with_library(key).warnings);
        assert!(warned.contains(name), "{key}: {warned}");
    }
    // What exporters write for all that there is.
    let usual = "Ka 1 1 1\nKs 0 0 0\nNi 1.45\nillum 2\nPc 0.0\nPs 0\naniso 0\nTf 1 1 1\nd 1";
    assert_eq!(messages(&with_library(usual).warnings), "");
    assert!(messages(&with_library("Kd 255 128 0").warnings).contains("outside its range"));
}

#[test]
fn tiles_of_a_texture_are_named() {
    for name in ["body.<UDIM>.png", "body.1001.png"] {
        assert!(messages(&with_library(&format!("map_Kd {name}")).warnings).contains("UDIM"));
    }
}

#[test]
fn a_made_up_property_of_splats_is_in_a_warning() {
    let plain = splat_sphere(1.0);
    let odd = plain
        .replace("end_header", "property float made_up\nend_header")
        .replace(" 2 0 0 0\n", " 2 0 0 0 5\n")
        .replace(" 1 0 0 0\n", " 1 0 0 0 5\n");
    for (text, is_odd) in [(plain, false), (odd, true)] {
        let folder = Folder::new();
        let path = folder.write("a.ply", text);
        let loaded = load_asset(&path, &Options::default(), Choices::default()).unwrap();
        let warned = messages(&loaded.warnings);
        assert_eq!(warned.contains("made_up"), is_odd, "{warned}");
    }
}

#[test]
fn a_library_of_the_files_own_name_is_used_and_named_and_a_missing_one_too() {
    let folder = Folder::new();
    let obj = "usemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let warned = messages(&folder.load("a.obj", obj).unwrap().warnings);
    assert!(warned.contains("no mtllib") && warned.contains("plain white"), "{warned}");
    folder.write("a.mtl", "newmtl m\nKd 1 0 0\n");
    let loaded = load(&folder.write("a.obj", obj), &Options::default()).unwrap();
    assert!(messages(&loaded.warnings).contains("a.mtl"), "{:?}", loaded.warnings);
    assert_eq!(loaded.scene.materials()[0].base_color.to_array(), [1.0, 0.0, 0.0, 1.0]);
}

/// ZBrush writes a mask and a colour for each vertex, up to 64 in a comment.
#[test]
fn polypaint_colours_the_vertices() {
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\n#MRGB ffff0000ff00ff00\n#MRGB 00ffffff\nf 1 2 3\n";
    let loaded = Folder::new().load("a.obj", obj).unwrap();
    let colors: Vec<[f32; 4]> =
        loaded.scene.meshes()[0].colors().unwrap().iter().map(|c| c.to_array()).collect();
    assert_eq!(colors, [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [1.0; 4]]);
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}
