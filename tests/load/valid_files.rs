//! Files that are valid, or odd in ways that no pixel depends on, and used to be refused or drawn
//! wrongly without a word.

use crate::support::assets::{Builder, Folder, U8, corners, glb, png};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use glam::{DVec3, Vec3};
use meshjudge::unstable::load::{LoadError, Loaded, Options, VertexColors, Warning, load};
use meshjudge::unstable::measure::measure;
use serde_json::json;

/// A glTF text of one triangle with its buffer in a data URI.
fn text() -> String {
    let builder = Builder::triangle();
    let mut json = builder.json.clone();
    let data = STANDARD.encode(&builder.bin);
    json["nodes"][0]["name"] = "NAME".into();
    json["buffers"] =
        json!([{"byteLength": builder.bin.len(), "uri": format!("data:;base64,{data}")}]);
    json.to_string()
}

fn triangles(name: &str, bytes: impl AsRef<[u8]>) -> Loaded {
    let loaded = Folder::new().load(name, bytes.as_ref());
    loaded.unwrap_or_else(|error| panic!("{error}\n{:?}", String::from_utf8_lossy(bytes.as_ref())))
}

fn with(from: &str, to: &str) -> Vec<u8> {
    let text = text();
    assert!(text.contains(from), "{from} in {text}");
    text.replacen(from, to, 1).into_bytes()
}

#[test]
fn what_no_pixel_needs_is_read_past() {
    for place in ["version", "nodes", "mesh", "attributes", "count", "byteLength"] {
        for extra in ["true", "null", "[1]", "\"a\"", "2"] {
            let bytes = with(&format!("\"{place}\":"), &format!("\"extras\":{extra},\"{place}\":"));
            assert_eq!(triangles("a.gltf", bytes).scene.triangle_count(), 1);
        }
    }
    for (from, to) in [
        ("\"count\":3", "\"count\":3.0,\"min\":[NaN,-Infinity,nan(ind)],\"max\":[1.#QNAN]"),
        (
            "\"scene\":0",
            "\"scene\":0.0,\"cameras\":[{\"type\":\"perspective\",\"perspective\":{}}]",
        ),
        (
            "\"scene\":0",
            "\"scene\":0,\"animations\":[{\"channels\":[{\"target\":{\"path\":\"pointer\"}}]}]",
        ),
        ("\"version\":\"2.0\"", "\"version\":\"2.1\""),
        ("\"version\":\"2.0\"", "\"version\":2,\"generator\":null"),
        ("\"NAME\"", "5"),
        ("NAME", "\\ud83e"),
        ("NAME", "\\udd14\\ud83ex"),
        ("NAME", "C:\\models\tx"),
        ("\"nodes\":[0]", "\"nodes\":[0,]"),
        ("\"buffers\":[", "\"images\":[{\"uri\":\"no.png\"}],\"buffers\":["),
        ("data:;base64,", "DATA:;Charset=x;BASE64, \\n"),
    ] {
        assert_eq!(triangles("a.gltf", with(from, to)).scene.triangle_count(), 1, "{to}");
    }
    // A buffer that nothing uses may be missing, and a data URI may have escapes.
    let unused = text()
        .replacen("\"buffers\":[", "\"x\":0,\"buffers\":[", 1)
        .replace("\"}]", "\"},{\"uri\":\"data:\",\"byteLength\":9}]");
    triangles("a.gltf", unused);
    triangles("a.gltf", text().replace('=', "%3D").replace("AAAA", "AA%41A"));
    // Names in Latin-1, and in GBK with a second byte that looks like a back slash.
    for name in [&b"\xfc"[..], b"\xd5\\", b"\x83\\"] {
        let text = text();
        let (before, after) = text.split_once("NAME").unwrap();
        let loaded = triangles("a.gltf", [before.as_bytes(), name, after.as_bytes()].concat());
        assert_eq!(loaded.warnings, [Warning::NotUtf8 { count: 1 }]);
    }
}

#[test]
fn a_container_may_be_padded_and_mislabelled() {
    triangles("a.glb", text());
    triangles("a.gltf", [text().as_bytes(), b"\0\0\n"].concat());
    let builder = Builder::triangle();
    for trailing in [&b"\0\0\0\0"[..], b"trailing bytes"] {
        triangles("a.glb", [&builder.glb()[..], trailing].concat());
    }
    triangles("a.glb", &glb(text().as_bytes(), &[])[..]);
    let whole = builder.glb();
    let cut = Folder::new().load("a.glb", &whole[..whole.len() - 8]);
    assert!(matches!(cut, Err(LoadError::Incomplete { .. })), "{cut:?}");
}

#[test]
fn other_kinds_of_files_are_called_what_they_are() {
    for (name, bytes, said) in [
        ("a.glb", &b"\n<!DOCTYPE html><html>"[..], "web page"),
        ("a.obj", b"PK\x03\x04 and so on", "ZIP"),
        ("a.glb", b"\x1f\x8b\x08", "gzip"),
        ("a.glb", b"Z2xURgIAAAA", "base64"),
        ("a.glb", b"{\"error\":\"not found\"}", "error"),
        ("a.glb", b"Entry not found", "Entry not found"),
        ("a.gltf", b"../../blobs/1111", "symbolic link"),
        ("a.splat", &[0; 31], "splat"),
        ("a.spz", b"\x1f\x8b\x08", "gzip"),
        ("a.gltf", b"{\"asset\":{\"version\":1},\"meshes\":{}}", "glTF 1.0"),
        ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 1\nproperty uint packed_position\nend_header\n0\n", "splats recognised"),
    ] {
        let error = Folder::new().load(name, bytes).unwrap_err().to_string();
        assert!(error.contains(said) && !error.contains("download it again"), "{error}");
    }
    let mut splats = Builder::triangle();
    splats.json["extensionsUsed"] = json!(["KHR_gaussian_splatting"]);
    assert!(splats.load().is_ok(), "no primitive has splats");
    let folder = Folder::new();
    folder.write("a.bin", "version https://git-lfs.github.com/spec/v1\n");
    let mut json = Builder::triangle().json;
    json["buffers"] = json!([{"byteLength": 48, "uri": "a.bin"}]);
    let error = folder.load("a.gltf", json.to_string()).unwrap_err().to_string();
    assert!(error.contains("LFS"), "{error}");
}

/// A tetrahedron with its corners at `offset`.
fn tetrahedron(offset: DVec3) -> [DVec3; 4] {
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        .map(|p| DVec3::from(p) + offset)
}

#[test]
fn far_from_zero_an_asset_has_the_shape_it_has_at_zero() {
    let offset = DVec3::new(4_510_731.0, -500_123.0, 4_649_776.0);
    let at = tetrahedron(offset);
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let lines = |word: &str| at.map(|p| format!("{word}{} {} {}\n", p.x, p.y, p.z)).concat();
    let obj = format!("{}f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", lines("v "));
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n{}3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n",
        lines("")
    );
    let facet = |corners: [usize; 3]| {
        let vertex = |k: usize| format!("vertex {} {} {}\n", at[k].x, at[k].y, at[k].z);
        format!("facet\n{}endfacet\n", corners.map(vertex).concat())
    };
    let stl = format!("solid\n{}endsolid\n", faces.map(facet).concat());
    let mut placed = Builder::new();
    let local: Vec<f32> =
        tetrahedron(DVec3::ZERO).iter().flat_map(|p| p.as_vec3().to_array()).collect();
    let positions = placed.floats("VEC3", &local);
    let indices: Vec<u8> = faces.as_flattened().iter().map(|&i| i as u8).collect();
    let indices = placed.accessor(U8, "SCALAR", 12, &indices);
    placed.primitive(json!({"attributes": {"POSITION": positions}, "indices": indices}));
    placed.json["nodes"][0]["translation"] = json!(offset.to_array());
    let text = [("a.obj", obj), ("a.ply", ply), ("a.stl", stl)];
    let text = text.map(|(name, text)| (name, text.into_bytes()));
    for (name, bytes) in text.into_iter().chain([("a.glb", placed.glb())]) {
        let loaded = triangles(name, bytes);
        assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
        let found = measure(&loaded.scene);
        assert_eq!(found.counts.degenerate_triangles, 0, "{name}");
        let volume = found.shape.volume.unwrap();
        assert!((volume - 1.0 / 6.0).abs() < 1e-6, "{name}: {volume}");
        let origin = loaded.scene.origin();
        let corner = corners(&loaded.scene.meshes()[0])[0][0].as_dvec3() + origin;
        let nearest = at.iter().map(|p| (*p - corner).length()).fold(f64::MAX, f64::min);
        assert!(nearest < 1e-5, "{name}: {nearest}");
        assert!((Vec3::from(found.extent.min).as_dvec3() - offset).length() < 1.0);
    }
    // What is near zero stays where it is.
    let near = triangles("a.obj", "v 3 0 0\nv 4 0 0\nv 3 1 0\nf 1 2 3\n");
    assert_eq!(near.scene.origin(), DVec3::ZERO);
}

#[test]
fn vertex_colours_in_bytes_and_in_srgb_are_said() {
    let colored = |bytes: &[u8], generator: &str| {
        let mut builder = Builder::triangle();
        let colors = builder.accessor(U8, "VEC3", 3, bytes);
        builder.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = colors.into();
        builder.json["asset"]["generator"] = generator.into();
        builder
    };
    let wide = colored(&[255, 51, 0, 255, 51, 0, 255, 51, 0], "x").load().unwrap();
    assert_eq!(wide.warnings, [Warning::ColorRange { count: 1, range: 255 }]);
    let color = wide.scene.meshes()[0].colors().unwrap()[0];
    assert!((color - glam::Vec4::new(1.0, 0.2, 0.0, 1.0)).length() < 1e-6);
    let ours = colored(&[1, 0, 0, 1, 0, 0, 1, 0, 0], "https://github.com/mikedh/trimesh");
    assert_eq!(ours.load().unwrap().warnings, [Warning::SrgbColors { count: 1 }]);
    let options = Options { vertex_colors: VertexColors::Srgb, ..Options::default() };
    assert!(ours.load_with(&options).unwrap().warnings.is_empty());
}

#[test]
fn morph_targets_move_colours_and_skins_without_weight_are_said() {
    let mut builder = Builder::triangle();
    let black = builder.floats("VEC3", &[0.0; 9]);
    let red = builder.floats("VEC3", &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let primitive = &mut builder.json["meshes"][0]["primitives"][0];
    primitive["attributes"]["COLOR_0"] = black.into();
    primitive["targets"] = json!([{"COLOR_0": red}]);
    builder.json["meshes"][0]["weights"] = json!([0.5]);
    let loaded = builder.load().unwrap();
    assert_eq!(loaded.scene.meshes()[0].colors().unwrap()[0].to_array(), [0.5, 0.0, 0.0, 1.0]);
    let mut skinned = Builder::triangle();
    let joints = skinned.accessor(U8, "VEC4", 3, &[0; 12]);
    let weights = skinned.floats("VEC4", &[0.0; 12]);
    let attributes = &mut skinned.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_0"] = joints.into();
    attributes["WEIGHTS_0"] = weights.into();
    skinned.json["skins"] = json!([{"joints": [0]}]);
    skinned.json["nodes"][0]["skin"] = json!(0);
    assert_eq!(skinned.load().unwrap().warnings, [Warning::NoSkinWeight { count: 3 }]);
}

#[test]
fn a_default_scene_without_a_mesh_gives_way_to_one_with_a_mesh() {
    let mut builder = Builder::triangle();
    builder.push("nodes", json!({}));
    builder.json["scenes"] = json!([{"nodes": [1]}, {"nodes": [0]}]);
    assert_eq!(builder.load().unwrap().warnings, [Warning::OtherScene { index: 1 }]);
}

#[test]
fn odd_spellings_of_ply_and_stl_are_read() {
    let header = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n";
    let (vertices, faces) = ("0 0 0\n1 0 0\n1 1 0\n0 1 0\n", "3 0 1 2\n3 0 2 3\n");
    let whole = format!("{header}{vertices}{faces}");
    let vertex = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n";
    let late = header.replace(vertex, "").replace("end_header", &format!("{vertex}end_header"));
    for text in [
        whole.replace("ply\n", "ply \n"),
        format!("\u{feff}{whole}"),
        whole
            .replace("float x", "float X")
            .replace("float y", "float Y")
            .replace("float z", "double Z"),
        whole.replace("uchar int", "int64 uint64"),
        whole.replace("vertex_indices", "corners").replace("vertex 4", "vertex 4.0"),
        format!("{late}{faces}{vertices}"),
    ] {
        assert_eq!(triangles("a.ply", &text).scene.triangle_count(), 2, "{text}");
    }
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n";
    let text = format!("solid a\n{facet}{}endsolid a\n", facet.replace("1 0 0", "0 1 0"));
    for (text, warns) in [
        (text.replace("endsolid a", "end solid"), false),
        (text.replace("endloop", "end loop").replace("endfacet", "end facet"), false),
        (text.replace("end", "end ").to_uppercase().replace("E0", "e0"), false),
        (text.replace('\n', " "), false),
        (format!("\u{feff}{text}\0\0"), false),
        (text.replace("solid a", "solid vertex 1 2"), false),
        (text.replace("endsolid a", ""), true),
    ] {
        let loaded = triangles("a.stl", &text);
        assert_eq!(loaded.scene.triangle_count(), 2, "{text}");
        assert_eq!(loaded.warnings.len(), usize::from(warns), "{text} {:?}", loaded.warnings);
    }
    let cut = Folder::new().load("a.stl", &text[..text.len() - 60]);
    assert!(matches!(cut, Err(LoadError::Incomplete { .. })), "{cut:?}");
    let face = |third: [f32; 3]| {
        let numbers = [[0.0, 0.0, 1.0], [0.0; 3], [1.0, 0.0, 0.0], third].concat();
        numbers.iter().flat_map(|n: &f32| n.to_le_bytes()).chain([0; 2]).collect::<Vec<u8>>()
    };
    let faces = [face([1.0, 1.0, 0.0]), face([0.0, 1.0, 0.0])].concat();
    for (count, tail, warns) in [(0_u32, 0, true), (3, 0, true), (2, 2, false), (2, 0, false)] {
        let mut header = b"solid facet".to_vec();
        header.resize(80, b' ');
        let bytes = [&header[..], &count.to_le_bytes(), &faces, &vec![b'x'; tail]].concat();
        let loaded = triangles("a.stl", bytes);
        assert_eq!(loaded.scene.triangle_count(), 2, "{count}");
        assert_eq!(loaded.warnings.len(), usize::from(warns), "{count}");
    }
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\n";

#[test]
fn the_only_material_and_names_with_escaped_blanks_are_used() {
    let folder = Folder::new();
    folder.write("my chair.mtl", "newmtl m\nmap_Kd my\\ wood.png\n");
    folder.write("my wood.png", png(1, 1, &[[10, 20, 30, 255]]));
    let square = format!("mtllib my\\ chair.mtl\n{SQUARE}f 1/1 2/1 3/1 4/1\n");
    let loaded = folder.load("a.obj", square).unwrap();
    assert_eq!(loaded.scene.textures().len(), 1);
    assert_eq!(loaded.warnings, [Warning::OnlyMaterial { name: "m".to_owned() }]);
}

fn all_are_single(loaded: &Loaded) -> bool {
    let materials = loaded.scene.materials();
    loaded.scene.meshes().iter().all(|mesh| !materials[mesh.material()].double_sided)
}

#[test]
fn two_sides_of_one_face_show_one_each() {
    let two = format!("{SQUARE}f 1 2 3 4\nf 4 3 2 1\nf 3 4 1 2\n");
    let loaded = triangles("a.obj", &two);
    assert_eq!(loaded.warnings, [Warning::TwoSided { count: 6 }]);
    assert!(all_are_single(&loaded));
    let plain = triangles("a.obj", format!("{SQUARE}f 1 2 3 4\n"));
    assert!(plain.scene.materials()[0].double_sided && plain.warnings.is_empty());
}

#[test]
fn two_sides_show_one_each_in_every_format() {
    let [square, back] = [[[0, 1, 2], [0, 2, 3]], [[2, 1, 0], [3, 2, 0]]];
    let mut builder = Builder::new();
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let positions: Vec<f32> = corners.iter().flat_map(|[x, y]| [*x, *y, 0.0]).collect();
    let positions = builder.floats("VEC3", &positions);
    let side = |builder: &mut Builder, triangles: [[u8; 3]; 2], material| {
        let indices = builder.accessor(U8, "SCALAR", 6, triangles.as_flattened());
        json!({"attributes": {"POSITION": positions}, "indices": indices, "material": material})
    };
    let sides = [side(&mut builder, square, 0), side(&mut builder, back, 1)];
    builder.json["meshes"] = json!([{"primitives": sides}]);
    builder.json["nodes"] = json!([{"mesh": 0}]);
    builder.json["scenes"] = json!([{"nodes": [0]}]);
    builder.json["materials"] = json!([{"doubleSided": true}, {"doubleSided": true}]);
    let ply = "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nelement face 2\n\
               property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n4 7 6 5 4\n";
    for loaded in [builder.load().unwrap(), triangles("a.ply", ply)] {
        assert_eq!(loaded.warnings, [Warning::TwoSided { count: 4 }]);
        assert!(all_are_single(&loaded));
    }
}

#[test]
fn colours_a_little_beyond_1_are_clamped_and_bytes_are_divided() {
    let square = |high: &str| {
        let corner = |x: u8, y: u8| format!("v {x} {y} 0 {high} 0.5 -0.5\n");
        let corners = [corner(0, 0), corner(1, 0), corner(1, 1)].concat();
        triangles("a.obj", corners + "f 1 2 3\n")
    };
    for (high, warnings) in [
        ("1.000001", vec![Warning::ColorClamped { count: 3 }]),
        ("1.2", vec![Warning::ColorClamped { count: 3 }]),
        ("200", vec![Warning::ColorRange { count: 1, range: 255 }]),
    ] {
        let loaded = square(high);
        assert_eq!(loaded.warnings, warnings, "{high}");
        let color = loaded.scene.meshes()[0].colors().unwrap()[0];
        assert_eq!(color.x == 1.0, high != "200", "{high}: {color}");
        assert_eq!(color.z, 0.0);
    }
    let mut builder = Builder::triangle();
    let colors = builder.floats("VEC3", &[2.0, 1.0, -1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5]);
    builder.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(colors);
    let loaded = builder.load().unwrap();
    assert_eq!(loaded.warnings, [Warning::ColorClamped { count: 1 }]);
    assert_eq!(loaded.scene.meshes()[0].colors().unwrap()[0].to_array(), [1.0, 1.0, 0.0, 1.0]);
}

#[test]
fn a_buffer_is_looked_for_as_a_texture_is() {
    for named in ["a.bin", "A.BIN", "../elsewhere/a.bin", "C:\\\\parts\\\\a.bin"] {
        let folder = Folder::new();
        let builder = Builder::triangle();
        folder.write("a.bin", &builder.bin);
        let mut json = builder.json.clone();
        json["buffers"] = json!([{"byteLength": builder.bin.len(), "uri": "NAME"}]);
        let text = json.to_string().replace("NAME", named);
        let loaded = folder.load("a.gltf", text).unwrap_or_else(|e| panic!("{named}: {e}"));
        assert_eq!(loaded.scene.triangle_count(), 1);
        let is_plain = named.eq_ignore_ascii_case("a.bin");
        assert_eq!(loaded.warnings.is_empty(), is_plain, "{named}: {:?}", loaded.warnings);
    }
}

/// A square that shows a picture.
fn textured(picture: &[u8]) -> Loaded {
    let folder = Folder::new();
    folder.write("a.mtl", "newmtl m\nmap_Kd t\n");
    folder.write("t", picture);
    let square = format!("mtllib a.mtl\nusemtl m\n{SQUARE}f 1/1 2/1 3/1 4/1\n");
    folder.load("a.obj", square).unwrap()
}

#[test]
fn a_png_without_its_end_is_shown_as_far_as_it_goes() {
    let texels: Vec<[u8; 4]> = (0..64 * 64).map(|i| [(i * 37 % 251) as u8, 90, 30, 255]).collect();
    let whole = png(64, 64, &texels);
    let without_end = textured(&whole[..whole.len() - 12]);
    assert!(without_end.warnings.is_empty(), "{:?}", without_end.warnings);
    assert_eq!(without_end.scene.textures()[0].texels(), texels);
    let half = textured(&whole[..whole.len() * 2 / 3]);
    assert_warns!(half, [Warning::DamagedTexture { .. }]);
    let shown = half.scene.textures()[0].texels();
    assert!(shown[..64] == texels[..64] && shown[64 * 63] == [128, 128, 128, 255]);
}

#[test]
fn text_is_no_binary_stl() {
    let text = "no mesh ".repeat(200);
    let reason = Folder::new().load("a.stl", &text[..84 + 50 * 20]).unwrap_err().to_string();
    assert!(reason.contains("it is text without facets"), "{reason}");
}

#[test]
fn a_vertex_of_every_triangle_is_no_far_part() {
    let corner = |k: u32| {
        let x = f64::from(k + 1) * 0.001;
        format!("v {x} {} 0\n", x * x)
    };
    let rim: String = (0..6283).map(corner).collect();
    let fan: String = (2..6284).map(|k| format!("f 1 {k} {}\n", k + 1)).collect();
    let loaded = triangles("a.obj", format!("v 0 0 0\n{rim}{fan}"));
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

#[test]
fn winding_follows_the_normals_where_the_format_defines_none() {
    let loaded = triangles("a.obj", format!("{SQUARE}vn 0 0 1\nf 4//1 3//1 2//1 1//1\n"));
    assert_eq!(loaded.warnings, [Warning::OpposedNormals { count: 2 }]);
    for [a, b, c] in corners(&loaded.scene.meshes()[0]) {
        assert!((b - a).cross(c - a).z > 0.0);
    }
}

/// As some programs of Windows save text.
#[test]
fn utf_16_is_read_in_every_format_of_text() {
    let stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n\
               property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    for (name, content) in [("a.stl", stl), ("a.ply", ply), ("a.obj", obj), ("a.gltf", &text())] {
        let units = || [0xfeff].into_iter().chain(content.encode_utf16());
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        for bytes in [little, big] {
            let loaded = triangles(name, bytes);
            assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
            let plain = triangles(name, content);
            assert_eq!(loaded.scene.triangle_count(), plain.scene.triangle_count());
        }
    }
}

#[test]
fn a_material_library_in_utf_16_is_read() {
    let folder = Folder::new();
    let library = "newmtl red\r\nKd 1 0 0\r\n";
    let units = [0xfeff].into_iter().chain(library.encode_utf16());
    folder.write("a.mtl", units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    let obj = "mtllib a.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let loaded = folder.load("a.obj", obj).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    assert_eq!(loaded.scene.materials()[0].base_color.y, 0.0);
}

#[test]
fn textures_are_found_under_other_spellings_and_left_behind_folders() {
    let with_image = |folder: &Folder, uri: &str| {
        let mut builder = Builder::triangle();
        let uvs = builder.floats("VEC2", &[0.0; 6]);
        let primitive = &mut builder.json["meshes"][0]["primitives"][0];
        primitive["attributes"]["TEXCOORD_1"] = uvs.into();
        primitive["material"] = json!(0);
        builder.json["images"] = json!([{"uri": uri}]);
        builder.json["textures"] = json!([{"source": 0}]);
        let texture = json!({"index": 0, "texCoord": 1});
        builder.json["materials"] =
            json!([{"pbrMetallicRoughness": {"baseColorTexture": texture}}]);
        folder.load("a.glb", builder.glb()).unwrap()
    };
    for (uri, file, warns) in [
        ("Wood.PNG", "wood.png", false),
        ("Maps/wood.png", "maps/Wood.png", false),
        ("caf%C3%A9.png", "cafe\u{301}.png", false),
        ("../textures/wood.png", "wood.png", true),
        ("C:\\x\\maps\\wood.png", "maps/wood.png", true),
        ("maps/wood.png", "wood.png", true),
        ("wood.png?v=2", "wood.png", true),
        (" wood.png", "wood.png", true),
    ] {
        let folder = Folder::new();
        folder.write(file, png(1, 1, &[[10, 20, 30, 255]]));
        let loaded = with_image(&folder, uri);
        assert_eq!(loaded.scene.textures().len(), 1, "{uri}: {:?}", loaded.warnings);
        let relocated = loaded.warnings.iter().any(|w| matches!(w, Warning::Relocated { .. }));
        assert_eq!(relocated, warns, "{uri}: {:?}", loaded.warnings);
    }
}

#[cfg(unix)]
#[test]
fn links_lead_to_the_folder_in_which_the_named_asset_really_is_and_nowhere_else() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    folder.write("blobs/1", format!("mtllib a.mtl\nusemtl m\n{SQUARE}f 1 2 3 4\n"));
    folder.write("blobs/2", "newmtl m\nKd 1 0 0\n");
    folder.write("elsewhere/3", "newmtl m\nKd 0 1 0\n");
    let snapshot = folder.write("snapshots/x/readme", "").parent().unwrap().to_owned();
    symlink("../../blobs/1", snapshot.join("a.obj")).unwrap();
    symlink("../../blobs/2", snapshot.join("a.mtl")).unwrap();
    let read = |name: &str| load(&snapshot.join(name), &Options::default());
    assert_eq!(read("a.obj").unwrap().scene.materials()[0].base_color.x, 1.0);
    std::fs::remove_file(snapshot.join("a.mtl")).unwrap();
    symlink("../../elsewhere/3", snapshot.join("a.mtl")).unwrap();
    assert!(matches!(read("a.obj"), Err(LoadError::Escape { .. })));
    // An asset that is a real file opens no other folder.
    std::fs::copy(folder.dir.path().join("blobs/1"), snapshot.join("b.obj")).unwrap();
    assert!(matches!(read("b.obj"), Err(LoadError::Escape { .. })));
}

#[test]
fn a_damaged_jpeg_is_shown_as_far_as_it_goes_and_large_pictures_are_reduced() {
    let pixels: Vec<u8> =
        (0..64_u32 * 64 * 3).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut jpeg = Vec::new();
    let encoder = image::codecs::jpeg::JpegEncoder::new(&mut jpeg);
    image::ImageEncoder::write_image(encoder, &pixels, 64, 64, image::ExtendedColorType::Rgb8)
        .unwrap();
    assert!(textured(&jpeg).warnings.is_empty());
    let cut = textured(&jpeg[..jpeg.len() * 2 / 3]);
    assert_eq!(cut.scene.textures().len(), 1);
    assert_warns!(cut, [Warning::DamagedTexture { .. }]);
    // Zeros are valid codes; after them the data are too long or too short.
    for at in [jpeg.len() / 2, jpeg.len() - 100] {
        let mut damaged = jpeg.clone();
        damaged[at..at + 40].fill(0);
        let warnings = textured(&damaged).warnings;
        assert!(matches!(&warnings[..], [Warning::DamagedTexture { .. }]), "{at}: {warnings:?}");
    }
    let (data, end) = jpeg.split_at(jpeg.len() - 2);
    let padded = [data, &[0; 20], end, b"thumbnail"].concat();
    assert!(textured(&padded).warnings.is_empty());
    // Red, green and blue as they are, as Adobe's marker says: every component is what it is.
    // JFIF's says YCbCr, and wins, as in libjpeg.
    const JFIF: usize = 18;
    assert_eq!(&jpeg[6..10], b"JFIF");
    for (rest, is_raw) in [(&jpeg[2 + JFIF..], true), (&jpeg[2..], false)] {
        let adobe = [&jpeg[..2], b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0", rest].concat();
        let shown = textured(&adobe);
        assert!(shown.warnings.is_empty());
        let [shown, plain] =
            [shown, textured(&jpeg)].map(|l| l.scene.textures()[0].texels().to_vec());
        assert_eq!(shown != plain, is_raw);
    }
    let large = textured(&png_of_zeros(10_000));
    assert_warns!(large, [Warning::ReducedTextures { count: 1, .. }]);
    assert_eq!(large.scene.textures()[0].width_px(), 5000);
}

/// A square picture of black texels in one bit each.
fn png_of_zeros(edge: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, edge, edge);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&vec![0; (edge * edge.div_ceil(8)) as usize]).unwrap();
    writer.finish().unwrap();
    out
}

#[test]
fn a_material_without_any_opacity_is_said() {
    let folder = Folder::new();
    folder.write("a.mtl", "newmtl m\nd 0\n");
    let loaded =
        folder.load("a.obj", format!("mtllib a.mtl\nusemtl m\n{SQUARE}f 1 2 3 4\n")).unwrap();
    assert_eq!(loaded.warnings, [Warning::Transparent]);
}
