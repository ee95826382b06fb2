//! Files that are met in the wild and used to be drawn wrongly, refused without need, or refused
//! with the wrong remedy.

use crate::support::assets::{Builder, Folder, corners, png};
use glam::Vec3;
use meshjudge::unstable::load::{LoadError, Loaded, MtlTint, Options, Warning, load};
use serde_json::json;

const OBJ: &str = "mtllib sub/a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n";

fn textured(name_in_library: &str, file: &str) -> Loaded {
    let folder = Folder::new();
    folder.write("sub/a.mtl", format!("newmtl m\nmap_Kd {name_in_library}\n"));
    folder.write(file, png(1, 1, &[[10, 20, 30, 255]]));
    folder.load("a.obj", OBJ).unwrap()
}

#[test]
fn textures_are_found_beside_the_library_decoded_and_spelt_otherwise() {
    for (name, file) in [
        ("wood.png", "wood.png"),
        ("wood.png", "sub/wood.png"),
        ("maps/wood.png", "sub/maps/wood.png"),
        ("old%20wood.png", "old wood.png"),
        ("Wood.PNG", "wood.png"),
        ("old%20Wood.png", "sub/Old wood.png"),
        ("../maps/wood.png", "maps/wood.png"),
        ("..\\maps\\wood.png", "maps/wood.png"),
    ] {
        let loaded = textured(name, file);
        assert_eq!(loaded.scene.textures().len(), 1, "{name} {file}");
        assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    }
    // Two that could be meant: neither is guessed. Nothing outside is looked for.
    let folder = Folder::new();
    folder.write("a.mtl", "newmtl m\nmap_Kd WOOD.png\n");
    for file in ["wood.png", "Wood.png"] {
        folder.write(file, png(1, 1, &[[1, 2, 3, 255]]));
    }
    let loaded = folder.load("a.obj", OBJ.replace("sub/", "")).unwrap();
    assert!(loaded.scene.textures().is_empty());
    assert!(textured("%2e%2e/secret.png", "secret.png").scene.textures().len() <= 1);
}

/// Names in a library are relative to the library; next to the asset is only a guess.
#[test]
fn of_two_textures_the_one_next_to_the_library_is_meant() {
    let folder = Folder::new();
    folder.write("sub/a.mtl", "newmtl m\nmap_Kd wood.png\n");
    folder.write("wood.png", png(1, 1, &[[255, 0, 0, 255]]));
    folder.write("sub/wood.png", png(2, 1, &[[0, 0, 255, 255]; 2]));
    let loaded = folder.load("a.obj", OBJ).unwrap();
    assert_eq!(loaded.scene.textures()[0].width_px(), 2);
}

#[test]
fn a_grey_tint_beside_a_texture_is_said_and_can_be_ignored() {
    let folder = Folder::new();
    let library = |kd: &str| format!("newmtl m\nKd {kd}\nmap_Kd a.png\n");
    folder.write("a.png", png(1, 1, &[[200, 200, 200, 255]]));
    let path = folder.write("a.obj", OBJ.replace("sub/", ""));
    let with = |kd: &str, mtl_tint| {
        folder.write("a.mtl", library(kd));
        load(&path, &Options { mtl_tint, ..Options::default() }).unwrap()
    };
    let loaded = with("0.4 0.4 0.4", MtlTint::Apply);
    assert!(loaded.scene.materials()[0].base_color.x < 0.2, "0.4 is sRGB");
    let [Warning::Tint { count: 1, kd, .. }] = &loaded.warnings[..] else {
        panic!("{:?}", loaded.warnings);
    };
    assert_eq!(kd, "0.40");
    assert!(loaded.warnings[0].to_string().contains("tint ignored"));
    let loaded = with("0.4 0.4 0.4", MtlTint::Ignore);
    assert_eq!(loaded.scene.materials()[0].base_color.x, 1.0);
    for plain in ["1 1 1", "0 0 0", "1.0 0.2 0.2"] {
        assert!(with(plain, MtlTint::Apply).warnings.is_empty(), "{plain}");
    }
}

#[test]
fn an_index_of_a_texture_coordinate_or_normal_that_is_not_there_is_one_warning() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0.5 0.5\nf 1/1/7 2/1 3/9\nf 2//-3 4/1 3/1\n";
    let loaded = Folder::new().load("a.obj", text).unwrap();
    assert_eq!(loaded.scene.triangle_count(), 2);
    assert_eq!(loaded.warnings[0], Warning::Dangling { corners: 3, line: 6 });
    // A vertex that is not there is an error still.
    let error = Folder::new().load("a.obj", text.replace("v 1 1 0\n", "")).unwrap_err();
    assert!(matches!(error, LoadError::Line { .. }), "{error}");
}

#[test]
fn other_line_ends_are_read() {
    let loaded = Folder::new().load("a.obj", "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r").unwrap();
    assert_eq!(loaded.scene.triangle_count(), 1);
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

#[test]
fn remedies_name_what_the_file_is() {
    let refused = |name: &str, bytes: &[u8]| Folder::new().load(name, bytes).unwrap_err();
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    for name in ["a.glb", "a.obj", "a.ply", "a.stl"] {
        assert!(matches!(refused(name, pointer), LoadError::Mistaken { .. }), "{name}");
    }
    let old = br#"{"asset": {"version": "1.0"}, "meshes": {"a": {}}, "buffers": {}}"#;
    assert!(matches!(refused("a.gltf", old), LoadError::OldGltf { .. }));
    assert!(matches!(refused("a.glb", b"glTF\x01\0\0\0\x20\0\0\0"), LoadError::OldGltf { .. }));
    for name in ["a.spz", "a.sog"] {
        assert!(matches!(refused(name, b"\x1f\x8b"), LoadError::Mistaken { .. }), "{name}");
    }
    assert!(matches!(refused("a.ksplat", b"\0\x01"), LoadError::OldSplats { .. }));
    let folder = Folder::new();
    folder.write("sub/a.mtl", "newmtl m\nmap_Kd a.png\n");
    folder.write("a.png", pointer);
    let loaded = folder.load("a.obj", OBJ).unwrap();
    assert!(loaded.warnings[0].to_string().contains("git lfs pull"), "{:?}", loaded.warnings);
}

#[test]
fn sizes_beyond_single_precision_are_scaled_and_that_is_said() {
    for size in [3e19_f32, 2e30, 1e-20] {
        let text = format!("v 0 0 0\nv {size:e} 0 0\nv 0 {size:e} 0\nf 1 2 3\n");
        let loaded = Folder::new().load("a.obj", text).unwrap();
        let radius = loaded.scene.bounds().radius;
        assert!((0.4..2.5).contains(&radius), "{size}: {radius}");
        assert_warns!(loaded, [Warning::Scaled { .. }]);
    }
}

#[test]
fn something_far_away_that_makes_the_rest_a_dot_is_said() {
    let mut text = String::new();
    for k in 0..300 {
        let (x, y) = (f64::from(k % 20) / 20.0, f64::from(k / 20) / 20.0);
        text += &format!("v {x} {y} 0\nv {} {y} 0\nv {x} {} 0\nf -3 -2 -1\n", x + 0.04, y + 0.04);
    }
    assert!(Folder::new().load("a.obj", &text).unwrap().warnings.is_empty());
    // Copies of one triangle are all in one place, and nothing is elsewhere.
    let copies = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n".repeat(300);
    assert!(Folder::new().load("a.obj", copies).unwrap().warnings.is_empty());
    text += "v 500 0 0\nv 500.1 0 0\nv 500 0.1 0\nf -3 -2 -1\n";
    let loaded = Folder::new().load("a.obj", text).unwrap();
    assert_warns!(loaded, [Warning::FarFloater { .. }]);
}

#[test]
fn a_scene_without_nodes_shows_what_the_file_has() {
    let mut none = Builder::triangle();
    none.json.as_object_mut().unwrap().remove("nodes");
    none.json["scenes"] = json!([{}]);
    let loaded = none.load().unwrap();
    assert!(loaded.scene.triangle_count() == 1 && loaded.warnings == [Warning::NoNodes]);
    let mut empty = Builder::triangle();
    empty.json["scenes"] = json!([{"name": "nothing"}]);
    assert_eq!(empty.load().unwrap().scene.triangle_count(), 1);
}

#[test]
fn hidden_nodes_and_their_children_are_not_drawn() {
    let mut file = Builder::triangle();
    let hide = |is_visible: bool| json!({"KHR_node_visibility": {"visible": is_visible}});
    file.json["nodes"] = json!([{"mesh": 0}, {"children": [2], "extensions": hide(false)}, {"mesh": 0, "translation": [5, 0, 0]}, {"mesh": 0, "extensions": hide(true)}]);
    file.json["scenes"] = json!([{"nodes": [0, 1, 3]}]);
    file.json["extensionsRequired"] = json!(["KHR_node_visibility"]);
    let loaded = file.load().unwrap();
    assert_eq!(loaded.scene.meshes().len(), 2);
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    assert_eq!(corners(&loaded.scene.meshes()[1]), [[Vec3::ZERO, Vec3::X, Vec3::Y]]);
}

/// A node is also hidden by a scale of 0.
#[test]
fn triangles_without_area_count_for_nothing() {
    for scale in [[0, 0, 0], [1, 0, 0]] {
        let mut file = Builder::triangle();
        file.json["nodes"] =
            json!([{"mesh": 0}, {"mesh": 0, "translation": [4, 0, 0], "scale": scale}]);
        file.json["scenes"] = json!([{"nodes": [0, 1]}]);
        let loaded = file.load().unwrap();
        assert_eq!(loaded.scene.triangle_count(), 1);
        assert_eq!(loaded.scene.bounds().size(), Vec3::new(1.0, 1.0, 0.0));
        assert_eq!(loaded.warnings, [Warning::Degenerate { faces: 1 }]);
        let said = loaded.warnings[0].to_string();
        assert_eq!(said, "1 triangle has no area (repeated or collinear corners) and is dropped");
    }
    // A scale of 0 along one axis flattens the triangle, which is still drawn.
    let mut file = Builder::triangle();
    file.json["nodes"] = json!([{"mesh": 0, "scale": [1, 1, 0]}]);
    assert!(file.load().unwrap().warnings.is_empty());
}

#[test]
fn required_extensions_that_change_no_pixel_do_not_refuse() {
    for name in [
        "EXT_mesh_features",
        "EXT_structural_metadata",
        "VRM",
        "VRMC_vrm",
        "KHR_physics_rigid_bodies",
        "GODOT_single_root",
        "AGI_articulations",
    ] {
        let mut file = Builder::triangle();
        file.json["extensionsRequired"] = json!([name]);
        assert!(file.load().unwrap().warnings.is_empty(), "{name}");
    }
    let mut file = Builder::triangle();
    file.json["extensionsRequired"] = json!(["EXT_something_else"]);
    assert!(matches!(file.load(), Err(LoadError::RequiredExtension { .. })));
}

#[test]
fn pictures_of_other_formats_are_textures_too() {
    use image::ImageFormat::{Bmp, Gif, Tga, Tiff};
    let picture =
        image::RgbImage::from_fn(4, 4, |x, y| image::Rgb([(x * 80) as u8, (y * 80) as u8, 40]));
    for (format, name) in [(Bmp, "a.bmp"), (Tga, "a.tga"), (Tiff, "a.tiff"), (Gif, "a.gif")] {
        let mut bytes = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        let folder = Folder::new();
        folder.write("sub/a.mtl", format!("newmtl m\nmap_Kd {name}\n"));
        folder.write(name, bytes.into_inner());
        let loaded = folder.load("a.obj", OBJ).unwrap();
        assert_eq!(loaded.scene.textures().len(), 1, "{name}: {:?}", loaded.warnings);
    }
}

#[test]
fn a_broken_bundle_of_splats_is_no_archive_to_unpack() {
    let refused =
        |name: &str, bytes: &[u8]| Folder::new().load(name, bytes).unwrap_err().to_string();
    let cut = refused("a.sog", b"PK\x03\x04 and no more");
    assert!(cut.contains("its list of files is missing") && !cut.contains("unpack"), "{cut}");
    let mut empty = b"PK\x03\x04".to_vec();
    empty.extend(b"PK\x05\x06");
    empty.extend([0; 18]);
    let empty = refused("a.sog", &empty);
    assert!(empty.contains("without meta.json"), "{empty}");
    let names = [
        "x", "y", "z", "opacity", "scale_0", "scale_1", "rot_0", "rot_1", "rot_2", "rot_3",
        "f_dc_0", "f_dc_1", "f_dc_2",
    ];
    let list: String = names.iter().map(|name| format!("property float {name}\n")).collect();
    let none =
        format!("ply\nformat binary_little_endian 1.0\nelement vertex 0\n{list}end_header\n");
    let none = refused("a.ply", none.as_bytes());
    assert!(none.contains("no splats"), "{none}");
}
