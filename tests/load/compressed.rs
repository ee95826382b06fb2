//! Compressed geometry and pictures: what reference encoders wrote is read to the value, and
//! damaged streams do no harm. How the streams were made is described next to them, in
//! `tests/data/compressed/README.md`.

use crate::support::assets::{Builder, F32, Folder, I8, I16, U8, U16, png};
use glam::{Vec2, Vec3};
use meshjudge::unstable::load::{LoadError, Warning};
use meshjudge::unstable::scene::{Mesh, Scene};
use proptest::prelude::*;
use serde_json::json;

const DRACO: [&[u8]; 4] = [
    include_bytes!("../data/compressed/grid_edgebreaker_speed0.drc"),
    include_bytes!("../data/compressed/grid_edgebreaker_speed5.drc"),
    include_bytes!("../data/compressed/grid_sequential.drc"),
    include_bytes!("../data/compressed/grid_sequential_floats.drc"),
];

const POSITIONS: [&[u8]; 2] = [
    include_bytes!("../data/compressed/grid_positions_0.meshopt"),
    include_bytes!("../data/compressed/grid_positions_1.meshopt"),
];
const NORMALS: &[u8] = include_bytes!("../data/compressed/grid_normals_octahedral.meshopt");
const TRIANGLES: &[u8] = include_bytes!("../data/compressed/grid_triangles.meshopt");
const INDICES: &[u8] = include_bytes!("../data/compressed/grid_indices.meshopt");

const KTX2: [&[u8]; 3] = [
    include_bytes!("../data/compressed/quarters_etc1s.ktx2"),
    include_bytes!("../data/compressed/quarters_uastc.ktx2"),
    include_bytes!("../data/compressed/quarters_uastc_zstd.ktx2"),
];

/// A primitive whose accessors have no data but what the stream gives.
fn draco(stream: &[u8]) -> Builder {
    let mut builder = Builder::new();
    let view = builder.view(stream);
    for (component, kind, count) in [
        (F32, "VEC3", 25),
        (F32, "VEC3", 25),
        (F32, "VEC2", 25),
        (U8, "VEC4", 25),
        (U16, "SCALAR", 96),
    ] {
        let accessor = json!({"componentType": component, "type": kind, "count": count, "normalized": component == U8});
        builder.push("accessors", accessor);
    }
    builder.primitive(json!({
        "attributes": {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2, "COLOR_0": 3}, "indices": 4,
        "extensions": {"KHR_draco_mesh_compression": {"bufferView": view, "attributes": {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2, "COLOR_0": 3}}}
    }));
    builder.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    builder
}

/// Area of the mesh seen along z; every triangle must face +z.
fn area(mesh: &Mesh) -> f32 {
    let p = mesh.positions();
    let signed = mesh.triangles().iter().map(|t| {
        let [a, b, c] = t.map(|v| p[v as usize].truncate());
        (b - a).perp_dot(c - a) / 2.0
    });
    signed.inspect(|&area| assert!(area > 0.0)).sum()
}

#[test]
fn draco_gives_the_grid_back() {
    for (which, stream) in DRACO.iter().enumerate() {
        let scene = draco(stream).load().unwrap().scene;
        let mesh = &scene.meshes()[0];
        assert_eq!((mesh.triangles().len(), mesh.positions().len()), (32, 25), "{which}");
        assert!((area(mesh) - 1.0).abs() < 1e-3, "{which}");
        for (i, &p) in mesh.positions().iter().enumerate() {
            assert!((p.z - 0.25 * (p.x - 0.5) * (p.y - 0.5)).abs() < 2e-4, "{which}: {p}");
            assert!((mesh.normals().unwrap()[i] - Vec3::Z).length() < 0.01, "{which}");
            assert!((mesh.uvs(0).unwrap()[i] - Vec2::new(p.x, p.y)).length() < 1e-3, "{which}");
            let color = mesh.colors().unwrap()[i];
            assert!(
                (color.truncate() - Vec3::new(p.x, p.y, 0.5)).length() < 0.01,
                "{which}: {color} at {p}"
            );
        }
    }
}

#[test]
fn an_uncompressed_copy_is_read_instead_of_draco() {
    let mut builder = Builder::triangle();
    builder.json["meshes"][0]["primitives"][0]["extensions"] =
        json!({"KHR_draco_mesh_compression": {"bufferView": 99, "attributes": {"POSITION": 0}}});
    assert_eq!(builder.load().unwrap().scene.triangle_count(), 1);
}

#[test]
fn primitives_compressed_apart_may_name_one_accessor() {
    // As three.js's journey through a car has it: two streams, one set of accessors.
    let mut builder = draco(DRACO[0]);
    let other = builder.view(DRACO[2]);
    let mut primitive = builder.json["meshes"][0]["primitives"][0].clone();
    primitive["extensions"]["KHR_draco_mesh_compression"]["bufferView"] = json!(other);
    builder.primitive(primitive);
    let scene = builder.load().unwrap().scene;
    let apart = |stream| draco(stream).load().unwrap().scene;
    assert_eq!(scene.meshes().len(), 2);
    for (mesh, alone) in scene.meshes().iter().zip([apart(DRACO[0]), apart(DRACO[2])]) {
        assert_eq!(mesh.triangles(), alone.meshes()[0].triangles());
        assert_eq!(mesh.positions(), alone.meshes()[0].positions());
    }
}

#[test]
fn draco_that_contradicts_its_file_is_refused() {
    let extension = "/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression";
    for (pointer, value, what) in [
        (format!("{extension}/bufferView"), json!(7), "buffer view 7 does not exist"),
        (format!("{extension}/bufferView"), json!(null), "names no buffer view"),
        (format!("{extension}/attributes"), json!(null), "has no attributes"),
        (format!("{extension}/attributes/POSITION"), json!(9), "without attribute 9"),
        ("/meshes/0/primitives/0/indices".to_owned(), json!(null), "without indices"),
        ("/bufferViews/0/byteLength".to_owned(), json!(60), "cannot be decoded"),
    ] {
        let mut builder = draco(DRACO[0]);
        *builder.json.pointer_mut(&pointer).unwrap() = value;
        let error = builder.load().unwrap_err();
        assert!(matches!(error, LoadError::Broken { .. }), "{error}");
        assert!(error.to_string().contains(what), "{what}: {error}");
    }
}

/// The grid in meshopt streams: positions, normals, indices.
fn meshopt(name: &str, streams: [&[u8]; 3], mode: &str) -> Builder {
    let mut builder = Builder::new();
    let own =
        [("ATTRIBUTES", "NONE", 8, 25), ("ATTRIBUTES", "OCTAHEDRAL", 4, 25), (mode, "NONE", 2, 96)];
    for (stream, (mode, filter, stride, count)) in streams.into_iter().zip(own) {
        let source = builder.view(stream);
        let source = builder.json["bufferViews"][source].clone();
        let mut view = json!({"buffer": 1, "byteOffset": 0, "byteLength": stride * count,
            "extensions": {name: {"buffer": 0, "byteOffset": source["byteOffset"], "byteLength": source["byteLength"],
                "byteStride": stride, "count": count, "mode": mode, "filter": filter}}});
        if mode == "ATTRIBUTES" {
            view["byteStride"] = json!(stride);
        }
        builder.push("bufferViews", view);
    }
    for (view, component, kind, count) in
        [(1, I16, "VEC3", 25), (3, I8, "VEC3", 25), (5, U16, "SCALAR", 96)]
    {
        builder.push(
            "accessors",
            json!({"bufferView": view, "componentType": component, "type": kind, "count": count, "normalized": component == I8}),
        );
    }
    builder.primitive(json!({"attributes": {"POSITION": 0, "NORMAL": 1}, "indices": 2}));
    builder.json["extensionsRequired"] = json!([name, "KHR_mesh_quantization"]);
    builder
}

#[test]
fn meshopt_gives_the_grid_back() {
    for name in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        for positions in POSITIONS {
            for (indices, mode) in [(TRIANGLES, "TRIANGLES"), (INDICES, "INDICES")] {
                let scene =
                    meshopt(name, [positions, NORMALS, indices], mode).load().unwrap().scene;
                let mesh = &scene.meshes()[0];
                let expected: Vec<Vec3> = (0..25_u8)
                    .map(|i| [i % 5, i / 5].map(f32::from))
                    .map(|[x, y]| Vec3::new(1000.0 * x, 1000.0 * y, 10.0 * x * y))
                    .collect();
                assert_eq!(mesh.positions(), expected);
                assert_eq!(mesh.normals().unwrap(), [Vec3::Z; 25]);
                assert_eq!((mesh.triangles().len(), area(mesh)), (32, 16e6));
            }
        }
    }
}

#[test]
fn meshopt_that_lies_is_refused_before_memory_is_taken() {
    let whole =
        || meshopt("EXT_meshopt_compression", [POSITIONS[0], NORMALS, TRIANGLES], "TRIANGLES");
    for (key, value) in [
        ("count", json!(24)),
        ("count", json!(1_u64 << 60)),
        ("count", json!(u64::MAX)),
        ("byteStride", json!(0)),
        ("byteStride", json!(6)),
        ("byteStride", json!(512)),
        ("byteLength", json!(20)),
        ("byteLength", json!(u64::MAX)),
        ("byteOffset", json!(u64::MAX)),
        ("buffer", json!(1)),
        ("buffer", json!(9)),
        ("mode", json!("TRIANGLES")),
        ("mode", json!("WHAT")),
        ("filter", json!("QUATERNION")),
        ("filter", json!("WHAT")),
    ] {
        let mut builder = whole();
        builder.json["bufferViews"][1]["extensions"]["EXT_meshopt_compression"][key] =
            value.clone();
        if key == "filter" && value == "QUATERNION" {
            continue; // allowed for this stride, and a question of taste
        }
        let error = builder.load().unwrap_err();
        assert!(error.to_string().contains("buffer view 1"), "{key} {value}: {error}");
    }
    // A gigabyte and more, stated alike in both places.
    let mut builder = whole();
    builder.json["bufferViews"][1]["byteLength"] = json!(8_u64 << 28);
    builder.json["bufferViews"][1]["extensions"]["EXT_meshopt_compression"]["count"] =
        json!(1_u64 << 28);
    assert!(matches!(builder.load(), Err(LoadError::TooLarge { .. })));
    // Less than that, but more than so few bytes can hold.
    builder.json["bufferViews"][1]["byteLength"] = json!(8_u64 << 24);
    builder.json["bufferViews"][1]["extensions"]["EXT_meshopt_compression"]["count"] =
        json!(1_u64 << 24);
    assert!(builder.load().unwrap_err().to_string().contains("cut off or damaged"));
}

fn textured(picture: &[u8]) -> Builder {
    let mut builder = Builder::triangle();
    let uvs = builder.floats("VEC2", &[0.0; 6]);
    let view = builder.view(picture);
    let fallback = builder.view(&png(1, 1, &[[1, 2, 3, 255]]));
    builder.json["images"] =
        json!([{"bufferView": fallback}, {"bufferView": view, "mimeType": "image/ktx2"}]);
    builder.json["textures"] =
        json!([{"source": 0, "extensions": {"KHR_texture_basisu": {"source": 1}}}]);
    builder.json["materials"] =
        json!([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]);
    builder.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    builder.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(uvs);
    builder.json["extensionsRequired"] = json!(["KHR_texture_basisu"]);
    builder
}

fn texel(scene: &Scene, x: usize, y: usize) -> [u8; 4] {
    scene.textures()[0].texels()[y * 16 + x]
}

#[test]
fn basis_universal_pictures_show_their_quarters() {
    for (which, picture) in KTX2.into_iter().enumerate() {
        let loaded = textured(picture).load().unwrap();
        assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
        assert_eq!(loaded.scene.textures()[0].width_px(), 16);
        for (x, y, expected) in [
            (3, 3, [230, 20, 20, 255]),
            (12, 3, [20, 200, 20, 255]),
            (3, 12, [20, 20, 220, 255]),
            (12, 12, [240, 240, 240, 0]),
        ] {
            let found = texel(&loaded.scene, x, y);
            let far = found.iter().zip(expected).any(|(f, e): (_, u8)| f.abs_diff(e) > 12);
            assert!(!far, "{which} at {x}, {y}: {found:?}");
        }
    }
}

#[test]
fn ktx2_that_is_cut_off_or_lies_is_left_out_with_a_reason() {
    for picture in KTX2 {
        for length in (13..picture.len()).step_by(7) {
            let loaded = textured(&picture[..length]).load().unwrap();
            assert_warns!(loaded, [Warning::Texture { .. } | Warning::FallbackTexture { .. }]);
        }
    }
    // Width, height, depth, layers, faces, levels, scheme; and the bytes that a level unpacks to.
    for (at, value) in [
        (20, 0),
        (20, 8000),
        (24, 8000),
        (28, 1),
        (32, 6),
        (36, 6),
        (40, u32::MAX),
        (44, 3),
        (80 + 16, u32::MAX),
    ] {
        let mut picture = KTX2[2].to_vec();
        picture[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let loaded = textured(&picture).load().unwrap();
        assert_warns!(loaded, [Warning::FallbackTexture { .. }]);
    }
    for (width, height) in [(60_000_u32, 60_000_u32), (5_000_000, 1), (1, 5_000_000)] {
        let mut bomb = KTX2[0].to_vec();
        bomb[20..24].copy_from_slice(&width.to_le_bytes());
        bomb[24..28].copy_from_slice(&height.to_le_bytes());
        let loaded = textured(&bomb).load().unwrap();
        assert_warns!(loaded, [Warning::Texture { reason, .. }] if reason.contains("too many"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_streams_never_panic(which in 0..9_usize, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), length in any::<prop::sample::Index>(), is_cut in prop::bool::weighted(0.2)) {
        let damage = |stream: &[u8]| {
            let mut bytes = stream.to_vec();
            for &(at, byte) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if is_cut {
                bytes.truncate(length.index(bytes.len()) + 1);
            }
            bytes
        };
        let name = "KHR_meshopt_compression";
        let builder = match which {
            0..4 => draco(&damage(DRACO[which])),
            4 => meshopt(name, [&damage(POSITIONS[1]), NORMALS, TRIANGLES], "TRIANGLES"),
            5 => meshopt(name, [POSITIONS[0], NORMALS, &damage(TRIANGLES)], "TRIANGLES"),
            _ => {
                // A header that claims 16384 px may be true; the test has no time for it.
                let picture = damage(KTX2[which - 6]);
                let is_large = picture.len() > 28 && (picture[21..24].iter().any(|&b| b > 4) || picture[25..28].iter().any(|&b| b > 4));
                prop_assume!(!is_large);
                textured(&picture)
            }
        };
        let _ = Folder::new().load("a.glb", builder.glb());
    }
}
