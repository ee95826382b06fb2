//! Input that is broken or made to do harm: refused with a clear error, no panic, nothing read
//! outside, no memory taken on its word.

use crate::support::assets::{Builder, F32, Folder, U8, U16, bytes_u16, crc32, glb, png};
use meshjudge::unstable::load::{LoadError, Loaded, Options, Warning, load};
use proptest::prelude::*;
use serde_json::json;

fn refused(builder: &Builder) -> String {
    builder.load().unwrap_err().to_string()
}

#[test]
fn accessors_and_indices_past_the_buffer_are_refused() {
    for (pointer, value) in [
        ("/accessors/0/count", json!(4)),
        ("/accessors/0/count", json!(u64::MAX)),
        ("/accessors/0/count", json!(1_u64 << 40)),
        ("/accessors/0/byteOffset", json!(4)),
        ("/accessors/0/byteOffset", json!(u64::MAX)),
        ("/accessors/0/bufferView", json!(7)),
        ("/accessors/0/componentType", json!(1)),
        ("/accessors/0/type", json!("VEC9")),
        ("/bufferViews/0/byteLength", json!(1000)),
        ("/bufferViews/0/byteOffset", json!(u64::MAX)),
        ("/bufferViews/0/buffer", json!(3)),
        ("/bufferViews/0/byteStride", json!(1)),
        ("/bufferViews/0/byteStride", json!(u64::MAX)),
        ("/meshes/0/primitives/0/indices", json!(9)),
        ("/meshes/0/primitives/0/indices", json!(0)),
        ("/meshes/0/primitives/0/attributes/POSITION", json!(1)),
        ("/meshes/0/primitives/0/attributes/POSITION", json!(99)),
        ("/meshes/0/primitives/0/material", json!(0)),
        ("/meshes/0/primitives/0/mode", json!(77)),
        ("/nodes/0/mesh", json!(5)),
        ("/scenes/0/nodes", json!([5])),
        ("/scene", json!(3)),
    ] {
        let mut builder = Builder::triangle();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        builder.json.pointer_mut(parent).unwrap()[key] = value.clone();
        let message = refused(&builder);
        assert!(message.contains("a.glb"), "{pointer} = {value}: {message}");
    }
    let mut builder = Builder::triangle();
    let indices = builder.accessor(U8, "SCALAR", 3, &[0, 1, 3]);
    builder.json["meshes"][0]["primitives"][0]["indices"] = json!(indices);
    assert!(refused(&builder).contains("vertex index 3, but there are 3"));
}

#[test]
fn sparse_accessors_cannot_write_outside_or_ask_for_gigabytes() {
    let sparse = |count: u64, index: u8| {
        let mut builder = Builder::triangle();
        let indices = builder.view(&[index]);
        let values = builder.view(&[[0.0f32, 2.0, 0.0].map(f32::to_le_bytes)].concat().concat());
        builder.json["accessors"][0]["sparse"] = json!({"count": count,
            "indices": {"bufferView": indices, "componentType": U8}, "values": {"bufferView": values}});
        builder
    };
    assert!(sparse(1, 2).load().is_ok());
    assert!(refused(&sparse(1, 3)).contains("sparse index 3"));
    assert!(refused(&sparse(4, 0)).contains("more sparse elements"));
    assert!(refused(&sparse(2, 0)).contains("asks for 2 elements"));
    let mut builder = Builder::triangle();
    builder.json["accessors"][0] =
        json!({"componentType": F32, "type": "VEC3", "count": 200_000_000});
    assert!(matches!(builder.load(), Err(LoadError::TooLarge { .. })));
}

#[test]
fn instances_are_counted_before_they_are_made() {
    // 4 million vertices, all drawn by each of 100 nodes.
    let mut builder = Builder::new();
    builder.push("accessors", json!({"componentType": F32, "type": "VEC3", "count": 4_000_000}));
    builder.primitive(json!({"attributes": {"POSITION": 0}}));
    builder.json["nodes"] = json!(vec![json!({"mesh": 0}); 100]);
    builder.json["scenes"] = json!([{"nodes": (0..100).collect::<Vec<_>>()}]);
    assert!(matches!(builder.load(), Err(LoadError::TooLarge { .. })));
}

#[test]
fn cyclic_shared_and_deep_nodes_are_refused() {
    for (nodes, what) in [
        (json!([{"mesh": 0, "children": [0]}]), "cycle"),
        (json!([{"mesh": 0, "children": [1]}, {"children": [0]}]), "cycle"),
        (json!([{"mesh": 0, "children": [2]}, {"children": [2]}, {}]), "two parents"),
        (json!([{"mesh": 0, "children": [9]}]), "child 9"),
    ] {
        let mut builder = Builder::triangle();
        builder.json["nodes"] = nodes;
        let message = refused(&builder);
        assert!(message.contains(what), "{message}");
    }
    let mut builder = Builder::triangle();
    let chain: Vec<_> = (1..=2000).map(|child| json!({"children": [child]})).collect();
    builder.json["nodes"] = json!(chain);
    builder.push("nodes", json!({"mesh": 0}));
    assert!(refused(&builder).contains("node depth"));
}

#[test]
fn transforms_that_are_not_finite_are_refused() {
    let mut builder = Builder::triangle();
    builder.json["nodes"][0]["scale"] = json!([1e39, 1.0, 1.0]);
    assert!(refused(&builder).contains("not finite"));
}

#[test]
fn accessors_without_data_cannot_ask_for_gigabytes_or_minutes_by_being_used_often() {
    let zeros = |builder: &mut Builder, kind: &str, count: u64| {
        let accessor = json!({"componentType": F32, "type": kind, "count": count});
        builder.push("accessors", accessor)
    };
    let mut binds = Builder::triangle();
    let matrices = zeros(&mut binds, "MAT4", 1 << 22);
    binds.json["skins"] = json!([{"joints": [0], "inverseBindMatrices": matrices}]);
    binds.json["nodes"][0]["skin"] = json!(0);
    let mut targets = Builder::new();
    let place = zeros(&mut targets, "VEC3", 1 << 20);
    let all = json!({"POSITION": place, "NORMAL": place, "TANGENT": place});
    targets.primitive(json!({"attributes": {"POSITION": place}, "targets": vec![all; 400]}));
    targets.json["meshes"][0]["weights"] = json!(vec![1.0; 400]);
    let mut instances = Builder::triangle();
    let place = zeros(&mut instances, "VEC3", 1 << 18);
    let turn = zeros(&mut instances, "VEC4", 1 << 18);
    let attributes = json!({"TRANSLATION": place, "SCALE": place, "ROTATION": turn});
    let node =
        json!({"mesh": 1, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}}});
    instances.json["nodes"] = json!(vec![node; 1000]);
    instances.json["scenes"] = json!([{"nodes": (0..1000).collect::<Vec<_>>()}]);
    instances.push("meshes", json!({"primitives": []}));
    for builder in [binds, targets, instances] {
        let error = builder.load().unwrap_err();
        let is_said = matches!(&error, LoadError::TooLarge { what, .. } if what.contains("uses of accessors"));
        assert!(is_said, "{error}");
    }
}

/// Programs for CAD write thousands of small primitives that index one vertex buffer.
#[test]
fn primitives_of_one_vertex_buffer_count_what_they_use() {
    const PRIMITIVES: usize = 2000;
    const VERTICES: usize = 30_000;
    let mut builder = Builder::new();
    let place = |i: usize| [(i % 173) as f32, (i / 173) as f32, 0.0];
    let positions: Vec<f32> = (0..VERTICES).flat_map(place).collect();
    let positions = builder.floats("VEC3", &positions);
    // Bytes in all, of which some primitives use only dark ones.
    let red = |i: usize| if i < VERTICES / 2 { 4.0 } else { 200.0 };
    let bytes: Vec<f32> = (0..VERTICES).flat_map(|i| [red(i), 4.0, 4.0]).collect();
    let colors = builder.floats("VEC3", &bytes);
    for primitive in 0..PRIMITIVES {
        let first = (primitive * 13 % (VERTICES - 200)) as u16;
        let indices = bytes_u16(&[first, first + 1, first + 173]);
        let indices = builder.accessor(U16, "SCALAR", 3, &indices);
        let attributes = json!({"POSITION": positions, "COLOR_0": colors});
        builder.primitive(json!({"attributes": attributes, "indices": indices}));
    }
    let loaded = builder.load().unwrap();
    let meshes = loaded.scene.meshes();
    assert_eq!(meshes.len(), PRIMITIVES);
    for (primitive, mesh) in meshes.iter().enumerate() {
        let first = primitive * 13 % (VERTICES - 200);
        let corners = [first, first + 1, first + 173];
        let expected = corners.map(|i| glam::Vec3::from_array(place(i)));
        assert_eq!(crate::support::assets::corners(mesh), [expected], "{primitive}");
        let color = mesh.colors().unwrap()[0] * 255.0;
        assert!((color.x - red(first)).abs() < 1e-3, "{primitive}: {color}");
        assert!((color.y - 4.0).abs() < 1e-3, "{primitive}: {color}");
    }
}

/// A PNG header that claims a size, with next to nothing behind it.
fn bomb(width_px: u32, height_px: u32) -> Vec<u8> {
    let mut bytes = png(1, 1, &[[1, 2, 3, 4]]);
    bytes[16..20].copy_from_slice(&width_px.to_be_bytes());
    bytes[20..24].copy_from_slice(&height_px.to_be_bytes());
    let crc = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    bytes
}

fn with_image(image: serde_json::Value) -> Builder {
    let mut builder = Builder::triangle();
    let uvs = builder.floats("VEC2", &[0.0; 6]);
    builder.json["images"] = json!([image]);
    builder.json["textures"] = json!([{"source": 0}]);
    builder.json["materials"] =
        json!([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]);
    builder.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    builder.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(uvs);
    builder
}

#[test]
fn image_bombs_are_left_out_before_they_are_decoded() {
    for (width_px, height_px, said) in [
        (60_000, 60_000, "too many"),
        (8_000, 8_000, "too short"), // a size that is allowed, but that so few bytes cannot hold
    ] {
        let mut builder = with_image(json!({"bufferView": 0}));
        let view = builder.view(&bomb(width_px, height_px));
        builder.json["images"][0]["bufferView"] = json!(view);
        // Only the texture is left out.
        let loaded = builder.load().unwrap();
        assert_warns!(loaded, [Warning::Texture { reason, .. }] if reason.contains(said));
    }
}

const OUTSIDE: [&str; 7] = [
    "/etc/hostname",
    "../secret.bin",
    "sub/../../secret.bin",
    "..%2Fsecret.bin",
    "http://127.0.0.1:9/secret.bin",
    "file:///etc/hostname",
    "C:\\secret.bin",
];

#[test]
fn no_buffer_or_texture_is_read_outside_the_folder() {
    let folder = Folder::new();
    folder.write("secret.bin", png(1, 1, &[[1, 2, 3, 4]]));
    for uri in OUTSIDE {
        let mut builder = Builder::triangle();
        builder.json["buffers"] = json!([{"byteLength": 42, "uri": uri}]);
        let error = folder.load("in/a.gltf", builder.json.to_string()).unwrap_err();
        assert!(matches!(&error, LoadError::Escape { uri: named, .. } if named == uri), "{error}");
        let builder = with_image(json!({"uri": uri}));
        let loaded = folder.load("in/a.glb", builder.glb()).unwrap();
        assert!(loaded.scene.textures().is_empty(), "{uri}");
        assert_warns!(loaded, [Warning::Texture { .. }]);
    }
}

#[test]
fn obj_files_read_nothing_outside_and_look_beside_themselves_instead() {
    let folder = Folder::new();
    let obj =
        |library: &str| format!("mtllib {library}\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("secret.bin", "newmtl m\nKd 0 0 1\n");
    for uri in OUTSIDE {
        let loaded = folder.load("in/a.obj", obj(uri)).unwrap();
        assert_warns!(loaded, [Warning::MaterialLibrary { .. }]);
        assert_eq!(loaded.scene.materials()[0].base_color, glam::Vec4::ONE);
    }
    folder.write("in/secret.bin", "newmtl m\nKd 0 1 0\nmap_Kd /nowhere/../a.png\n");
    folder.write("in/a.png", png(1, 1, &[[1, 2, 3, 4]]));
    let loaded = folder.load("in/a.obj", obj("../secret.bin")).unwrap();
    assert_eq!(loaded.scene.materials()[0].base_color, glam::Vec4::new(0.0, 1.0, 0.0, 1.0));
    assert_eq!(loaded.scene.textures().len(), 1);
    assert_eq!(loaded.warnings.len(), 2, "{:?}", loaded.warnings);
}

const SQUARE_WITH_UVS: &str = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty float s\nproperty float t\n\
    element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n3 0 1 2\n";

/// A PLY file and an OBJ file (with its library) that show the picture `name`.
fn textured(folder: &Folder, name: &str) -> [Result<Loaded, LoadError>; 2] {
    let ply = format!("ply\nformat ascii 1.0\ncomment TextureFile {name}\n{SQUARE_WITH_UVS}");
    folder.write("in/a.mtl", format!("newmtl m\nmap_Kd {name}\n"));
    let obj = "mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n";
    [folder.load("in/a.ply", ply), folder.load("in/b.obj", obj)]
}

#[test]
fn ply_and_mtl_files_show_no_picture_from_outside() {
    let folder = Folder::new();
    folder.write("secret.bin", png(1, 1, &[[1, 2, 3, 4]]));
    folder.write("in/inside.png", png(1, 1, &[[1, 2, 3, 4]]));
    for loaded in textured(&folder, "inside.png") {
        assert_eq!(loaded.unwrap().scene.textures().len(), 1);
    }
    for name in OUTSIDE {
        for loaded in textured(&folder, name) {
            let loaded = loaded.unwrap();
            assert!(loaded.scene.textures().is_empty(), "{name}");
            assert_warns!(loaded, [Warning::Texture { .. }]);
        }
    }
}

#[test]
fn nothing_is_fetched() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let address = server.local_addr().unwrap();
    let folder = Folder::new();
    for url in [
        format!("http://{address}/a.png"),
        format!("HTTP://{address}/a.png"),
        format!("//{address}/a.png"),
        format!("\\\\{address}\\a.png"),
    ] {
        let mut buffer = Builder::triangle();
        buffer.json["buffers"] = json!([{"byteLength": 42, "uri": url}]);
        let error = folder.load("in/a.gltf", buffer.json.to_string());
        assert!(matches!(error, Err(LoadError::Escape { .. })), "{url}");
        let image = with_image(json!({"uri": url}));
        let loaded = folder.load("in/a.glb", image.glb()).unwrap();
        assert!(loaded.scene.textures().is_empty(), "{url}");
        for loaded in textured(&folder, &url) {
            assert!(loaded.unwrap().scene.textures().is_empty(), "{url}");
        }
        let library = format!("mtllib {url}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        assert_eq!(folder.load("in/a.obj", library).unwrap().warnings.len(), 1);
    }
    let nobody = server.accept().unwrap_err();
    assert_eq!(nobody.kind(), std::io::ErrorKind::WouldBlock);
    // The trap works.
    let _guest = std::net::TcpStream::connect(address).unwrap();
    server.set_nonblocking(false).unwrap();
    assert!(server.accept().is_ok());
}

#[cfg(unix)]
#[test]
fn symbolic_links_that_leave_the_folder_are_refused() {
    let folder = Folder::new();
    let secret = folder.write("secret.bin", [0; 64]);
    folder.write("in/x", "");
    std::os::unix::fs::symlink(&secret, folder.dir.path().join("in/link.bin")).unwrap();
    std::os::unix::fs::symlink(folder.dir.path(), folder.dir.path().join("in/up")).unwrap();
    for uri in ["link.bin", "up/secret.bin"] {
        let mut builder = Builder::triangle();
        builder.json["buffers"] = json!([{"byteLength": 42, "uri": uri}]);
        let error = folder.load("in/a.gltf", builder.json.to_string()).unwrap_err();
        assert!(matches!(&error, LoadError::Escape { .. }), "{error}");
        let obj = format!("mtllib {uri}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        let error = folder.load("in/a.obj", obj).unwrap_err();
        assert!(matches!(&error, LoadError::Escape { .. }), "{error}");
    }
    // Pictures, which the target of the links now is.
    std::fs::write(&secret, png(1, 1, &[[1, 2, 3, 4]])).unwrap();
    for uri in ["link.bin", "up/secret.bin"] {
        let error = folder.load("in/a.glb", with_image(json!({"uri": uri})).glb());
        assert!(matches!(&error, Err(LoadError::Escape { .. })), "{error:?}");
        for loaded in textured(&folder, uri) {
            match loaded {
                Ok(loaded) => assert!(loaded.scene.textures().is_empty(), "{uri}"),
                Err(error) => assert!(matches!(&error, LoadError::Escape { .. }), "{error}"),
            }
        }
    }
}

#[test]
fn folders_empty_and_unknown_files_are_refused() {
    let folder = Folder::new();
    let at = |path: &std::path::Path| load(path, &Options::default());
    assert!(matches!(at(folder.dir.path()), Err(LoadError::NotAFile { .. })));
    assert!(matches!(at(&folder.dir.path().join("no.glb")), Err(LoadError::Read { .. })));
    for name in ["a.glb", "a.gltf", "a.obj", "a.ply", "a.stl", "a.xyz"] {
        assert!(matches!(folder.load(name, b""), Err(LoadError::Empty { .. })), "{name}");
    }
    assert!(matches!(folder.load("a.xyz", b"what"), Err(LoadError::UnknownFormat { .. })));
    assert!(matches!(folder.load("a.glb", b"what"), Err(LoadError::Malformed { .. })));
    for (name, format) in [
        ("a.fbx", "FBX"),
        ("a.usdz", "USD"),
        ("a.blend", "Blender"),
        ("a.DAE", "COLLADA"),
        ("a.3ds", "3DS"),
    ] {
        let message = folder.load(name, b"what").unwrap_err().to_string();
        assert!(message.starts_with(format) && message.contains("export as"), "{message}");
    }
    // Content wins over the name.
    assert_eq!(folder.load("a.obj", Builder::triangle().glb()).unwrap().scene.triangle_count(), 1);
}

#[test]
fn half_written_files_are_refused_wherever_they_end() {
    let whole = Builder::triangle().glb();
    let folder = Folder::new();
    for length in 1..whole.len() {
        // The last bytes may be padding of the binary chunk, but the chunk states its length.
        assert!(folder.load("a.glb", &whole[..length]).is_err(), "{length} of {}", whole.len());
    }
    // A header with a wrong length.
    for stated in [0_u32, 5, 11, u32::MAX] {
        let mut bytes = whole.clone();
        bytes[8..12].copy_from_slice(&stated.to_le_bytes());
        // Each chunk states its own length, and those are right.
        assert!(folder.load("a.glb", &bytes).is_ok(), "{stated}");
    }
    let mut short = Builder::triangle();
    short.bin.truncate(20);
    let mut json = short.json.clone();
    json["buffers"] = json!([{"byteLength": 42}]);
    assert!(folder.load("a.glb", glb(json.to_string().as_bytes(), &short.bin)).is_err());
}

#[test]
fn json_that_is_deep_or_crowded_is_refused() {
    let folder = Folder::new();
    let [open, close] = ["[", "]"].map(|bracket| bracket.repeat(100_000));
    let deep = format!(r#"{{"asset":{{"version":"2.0"}},"extensions":{{"a":{open}{close}}}}}"#);
    assert!(matches!(folder.load("a.gltf", deep), Err(LoadError::Malformed { .. })));
    let crowded =
        format!(r#"{{"asset":{{"version":"2.0"}},"materials":[{}{{}}]}}"#, "{},".repeat(2_000_000));
    assert!(matches!(folder.load("a.gltf", crowded), Err(LoadError::TooLarge { .. })));
    let old = r#"{"asset":{"version":"1.0"}}"#;
    assert!(folder.load("a.gltf", old).unwrap_err().to_string().contains("glTF 1.0"));
}

#[test]
fn meshes_without_anything_to_draw_are_refused() {
    let mut none = Builder::triangle();
    none.json["accessors"][0]["count"] = json!(0);
    none.json["meshes"][0]["primitives"][0].as_object_mut().unwrap().remove("indices");
    assert!(matches!(none.load(), Err(LoadError::Scene { .. })));
    let mut infinite = Builder::triangle();
    infinite.bin[0..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let message = refused(&infinite);
    for words in ["no triangle", "a broken face was dropped"] {
        assert!(message.contains(words), "{message}");
    }
    let mut point = Builder::triangle();
    point.bin[..36].fill(0);
    assert!(refused(&point).contains("no triangles"));
    let only = Folder::new().load("a.obj", "v 0 0 0\n");
    assert!(matches!(only, Err(LoadError::OnlyPoints { points: 1, .. })));
}

#[test]
fn obj_indices_out_of_range_name_the_line() {
    let folder = Folder::new();
    for (face, what) in [
        ("f 1 2 4", "vertex 4"),
        ("f 1 2 -4", "vertex -4"),
        ("f 1 2 0", "vertex 0"),
        ("f 1 2 9223372036854775807", "vertex 9223372036854775807"),
        ("f 1 2 -9223372036854775808", "vertex -9223372036854775808"),
        ("f 1 2 99999999999999999999", "not a face corner"),
        ("f 1/2/3/4 2 3", "not a face corner"),
        ("f a b c", "not a face corner"),
    ] {
        let error =
            folder.load("a.obj", format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{face}\n")).unwrap_err();
        assert!(matches!(&error, LoadError::Line { line: 4, .. }), "{face}: {error}");
        assert!(error.to_string().contains(what), "{face}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn files_with_random_bytes_never_panic(which in 0..3_usize, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
        const OBJ: &[u8] = b"mtllib a.mtl\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0.5 0.2 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\ns 1\nusemtl m\nf 1/1/1 2/1/1 3/1/1\nf -5 -4 -3 -2 -1\ns off\nf 1//1 3//1 5//1\nl 1 2\np 1\n";
        const LETTERS: &[u8] = b"0123456789-+./ \n\\#vtnfslpe\xff\x00";
        const MTL: &[u8] = b"newmtl m\nKd 1 0.5 0\nKs 1 1 1\nNs 10\nd 0.5\nTr 0.5\nillum 2\nmap_Kd -s 1 1 1 a.png\nmap_d a.png\nPr 0.5\nmap_Pr b.png\nnorm -bm 1 c.png\n";
        let mut builder = with_image(json!({"bufferView": 0}));
        let view = builder.view(&png(2, 2, &[[9, 9, 9, 9]; 4]));
        builder.json["images"][0]["bufferView"] = json!(view);
        let (name, mut bytes) = [("a.glb", builder.glb()), ("a.obj", OBJ.to_vec()), ("a.mtl", MTL.to_vec())][which].clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = if name == "a.obj" { LETTERS[usize::from(byte) % LETTERS.len()] } else { byte };
        }
        let folder = Folder::new();
        folder.write("a.png", png(1, 1, &[[1, 2, 3, 4]]));
        if name == "a.mtl" {
            folder.write(name, bytes);
            let _ = folder.load("a.obj", "mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        } else {
            let _ = folder.load(name, bytes);
        }
    }
}
