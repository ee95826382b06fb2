//! One object in every encoding gives one picture, within what the encoding rounds.

use crate::encode::{self, Bytes, Source};
use crate::{read_alone, shared};
use glam::{DAffine3, DMat3, DVec3};
use meshjudge_splat::Splats;
use meshjudge_splat::camera::Camera;
use meshjudge_splat::read::{Axes, Format, Loaded, Order, ReadError, has_splats, read, read_file};
use meshjudge_splat::render::{Picture, Settings, render};
use std::path::Path;

pub(crate) fn draw(splats: &Splats) -> Picture {
    let camera = Camera::square(64, DVec3::new(0.6, 0.7, 2.2), DVec3::ZERO, DVec3::Y, 0.7);
    render(splats, &camera, &Settings::default()).expect("a good camera")
}

/// Largest and mean difference of colour and alpha, in steps of 1/255.
pub(crate) fn difference(a: &Picture, b: &Picture) -> (f32, f32) {
    let pairs = a.rgba.as_flattened().iter().zip(b.rgba.as_flattened());
    let steps: Vec<f32> = pairs.map(|(a, b)| (a - b).abs() * 255.0).collect();
    (steps.iter().copied().fold(0.0, f32::max), steps.iter().sum::<f32>() / steps.len() as f32)
}

fn read_sog_folder(files: &[(String, Vec<u8>)]) -> Result<Loaded, ReadError> {
    let find = |wanted: &str| {
        let found = files.iter().find(|(name, _)| name == wanted);
        found
            .map(|(_, bytes)| bytes.clone())
            .ok_or_else(|| ReadError::Missing { name: wanted.to_owned() })
    };
    read(&files[0].1, Path::new("meta.json"), Axes::AsInFile, &find)
}

fn all(scene: &[Source]) -> Vec<(&'static str, f32, Loaded)> {
    let spz = |version| read_alone(&encode::spz(scene, version), "a.spz").expect("SPZ");
    let sog = encode::sog(scene);
    let draft = |name| {
        read_alone(&encode::glb_compressed(&encode::spz(scene, 3), name), "a.glb")
            .expect("compressed GLB")
    };
    vec![
        // With the mean difference that rounding may cause, in 1/255.
        ("PLY, ascii", 1e-3, read_alone(&encode::ply(scene, Bytes::Ascii), "a.ply").expect("PLY")),
        (
            "PLY, big endian",
            1e-3,
            read_alone(&encode::ply(scene, Bytes::Big), "a.ply").expect("PLY"),
        ),
        (
            "compressed PLY",
            0.5,
            read_alone(&encode::packed_ply(scene), "a.ply").expect("compressed PLY"),
        ),
        ("SPZ 1", 0.6, spz(1)),
        ("SPZ 2", 0.6, spz(2)),
        ("SPZ 3", 0.5, spz(3)),
        ("SPZ 4", 0.5, spz(4)),
        ("SOG folder", 0.3, read_sog_folder(&sog).expect("SOG")),
        ("SOG bundle", 0.3, read_alone(&encode::zip(&sog), "a.sog").expect("SOG")),
        ("GLB", 1e-3, read_alone(&encode::glb(scene, ""), "a.glb").expect("GLB")),
        ("GLB, draft 2", 0.5, draft("KHR_gaussian_splatting_compression_spz_2")),
        ("GLB, draft 1", 0.5, draft("KHR_gaussian_splatting_compression_spz")),
        ("GLB, Cesium", 0.5, draft("KHR_spz_gaussian_splats_compression")),
    ]
}

#[test]
fn every_encoding_of_one_scene_gives_one_picture() {
    for coefficients in [1, 4, 9, 16] {
        let scene = encode::scene(300, coefficients);
        let plain = read_alone(&encode::ply(&scene, Bytes::Little), "a.ply").expect("PLY");
        let expected = draw(&plain.splats);
        assert!(expected.coverage() > 0.05);
        for (name, mean_max, loaded) in all(&scene) {
            assert_eq!(loaded.splats.len(), 300, "{name}");
            assert_eq!(loaded.splats.planes().harmonics.len(), 3 * coefficients, "{name}");
            let (max, mean) = difference(&draw(&loaded.splats), &expected);
            println!("{coefficients} {name}: largest {max:.2}, mean {mean:.4}");
            assert!(mean <= mean_max, "{name}: {mean}");
        }
    }
    let scene = encode::scene(300, 1);
    let splat = read_alone(&encode::splat(&scene), "a.splat").expect("splat");
    let (_, mean) = difference(
        &draw(&splat.splats),
        &draw(&read_alone(&encode::ply(&scene, Bytes::Little), "a.ply").expect("PLY").splats),
    );
    assert!(mean < 0.5, "{mean}");
}

/// Version 1 has the ends of a line where version 2 has 256 values, and logits of opacity; a
/// codebook whose first entry is null goes on as its other entries do.
#[test]
fn sog_of_the_first_version_and_with_a_null_is_as_of_the_second() {
    for coefficients in [1, 4, 16] {
        let mut files = encode::sog(&encode::scene(300, coefficients));
        let second = read_sog_folder(&files).expect("SOG 2");
        let meta: serde_json::Value = serde_json::from_slice(&files[0].1).expect("JSON");
        let mut first = meta.clone();
        for key in ["version", "count"] {
            first.as_object_mut().expect("an object").remove(key);
        }
        first["means"]["shape"] = serde_json::json!([300, 3]);
        let mut ranged = |key: &str, mins: &[f32], maxs: &[f32]| {
            let files = &meta[key]["files"];
            first[key] = serde_json::json!({"shape": [300, 3], "dtype": "float32", "mins": mins, "maxs": maxs, "files": files});
        };
        ranged("scales", &[-6.0; 3], &[-1.0; 3]);
        ranged("sh0", &[-1.0, -1.0, -1.0, -4.0], &[1.0, 1.0, 1.0, 4.0]);
        if coefficients > 1 {
            let files = &meta["shN"]["files"];
            first["shN"] =
                serde_json::json!({"mins": -1.0, "maxs": 1.0, "quantization": 8, "files": files});
        }
        files[0].1 = serde_json::to_vec(&first).expect("JSON");
        let first = read_sog_folder(&files).expect("SOG 1");
        let (one, two) = (first.splats.planes(), second.splats.planes());
        assert_eq!((&one.position, &one.rotation), (&two.position, &two.rotation));
        let close = |a: &[Vec<f32>], b: &[Vec<f32>], error: f32| {
            assert_eq!(a.len(), b.len());
            let pairs = a.iter().flatten().zip(b.iter().flatten());
            pairs.for_each(|(a, b)| assert!((a - b).abs() <= error * b.abs().max(1.0), "{a} {b}"));
        };
        close(&one.scale, &two.scale, 1e-5);
        close(&one.harmonics, &two.harmonics, 1e-5);
        for (one, two) in one.opacity.iter().zip(&two.opacity) {
            let logit = -4.0 + 8.0 * two;
            assert!((one - 1.0 / (1.0 + libm::expf(-logit))).abs() < 1e-5, "{one} {two}");
        }
        let mut nulls = meta.clone();
        for key in ["scales", "sh0", "shN"].iter().filter(|key| meta.get(**key).is_some()) {
            nulls[*key]["codebook"][0] = serde_json::Value::Null;
        }
        files[0].1 = serde_json::to_vec(&nulls).expect("JSON");
        let patched = read_sog_folder(&files).expect("SOG with nulls");
        assert_eq!(patched.splats.len(), 300);
        let patched = patched.splats.planes();
        close(&patched.scale, &two.scale, 2e-2);
        close(&patched.harmonics, &two.harmonics, 2.0 / 255.0);
    }
}

#[test]
fn formats_claims_and_orders_are_recognised_by_content() {
    let scene = encode::scene(10, 1);
    let formats: Vec<_> = all(&scene)
        .into_iter()
        .map(|(_, _, loaded)| (loaded.format, loaded.antialiased, loaded.order))
        .collect();
    let plain = (Format::Ply, None, Order::Depth);
    let spz = |version| (Format::Spz(version), Some(true), Order::Depth);
    let sog = (Format::Sog, Some(false), Order::Depth);
    let draft = (Format::Gltf, Some(true), Order::Distance);
    let packed = (Format::PackedPly, None, Order::Depth);
    let gltf = (Format::Gltf, None, Order::Distance);
    assert_eq!(
        formats,
        [plain, plain, packed, spz(1), spz(2), spz(3), spz(4), sog, sog, gltf, draft, draft, draft]
    );
    let none = Path::new("asset");
    assert!(
        has_splats(&encode::ply(&scene, Bytes::Ascii), none)
            && has_splats(&encode::packed_ply(&scene), none)
    );
    assert!(has_splats(&encode::spz(&scene, 2), none) && has_splats(&encode::spz(&scene, 4), none));
    assert!(
        has_splats(&encode::glb(&scene, ""), none)
            && has_splats(&encode::zip(&encode::sog(&scene)), none)
    );
    assert!(
        has_splats(&encode::sog(&scene)[0].1, none)
            && has_splats(&encode::splat(&scene), Path::new("a.SPLAT"))
    );
    assert!(!has_splats(
        b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
        none
    ));
    assert!(
        !has_splats(b"{\"asset\":{\"version\":\"2.0\"}}", none) && !has_splats(b"solid x", none)
    );
}

#[test]
fn a_node_moves_turns_and_scales_its_splats_and_their_colours() {
    let scene = encode::scene(100, 16);
    let node = r#","translation":[1,2,3],"rotation":[0,0.6,0,0.8],"scale":[2,2,2]"#;
    let placed = read_alone(&encode::glb(&scene, node), "a.glb").expect("GLB").splats;
    let map = DAffine3::from_scale_rotation_translation(
        DVec3::splat(2.0),
        glam::DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8),
        DVec3::new(1.0, 2.0, 3.0),
    );
    let expected = read_alone(&encode::glb(&scene, ""), "a.glb")
        .expect("GLB")
        .splats
        .mapped(&map)
        .expect("a good map");
    assert_eq!(placed.planes().harmonics, expected.planes().harmonics);
    let world = |splats: &Splats| splats.origin() + splats.position(7);
    let by_hand = map.transform_point3(DVec3::from_array(scene[7].position.map(f64::from)));
    assert!(world(&placed).distance(by_hand) < 1e-5 && world(&expected).distance(by_hand) < 1e-5);
}

/// The places of the copies are the positions of the splats themselves, which spares an accessor.
#[test]
fn copies_of_a_node_are_copies_of_its_splats() {
    let scene = encode::scene(20, 4);
    let copies = r#"{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":0,"ROTATION":1}}}"#;
    let node = format!(r#","translation":[5,0,0],"extensions":{copies}"#);
    let splats = read_alone(&encode::glb(&scene, &node), "a.glb").expect("GLB").splats;
    assert_eq!(splats.len(), 400);
    let [from, copy] = [7, 13];
    let [x, y, z, w] = [1, 2, 3, 0].map(|k| f64::from(scene[copy].rotation[k]));
    let turn = glam::DQuat::from_xyzw(x, y, z, w).normalize();
    let [position, moved] = [from, copy].map(|k| DVec3::from(scene[k].position.map(f64::from)));
    let by_hand = turn * position + moved + DVec3::new(5.0, 0.0, 0.0);
    assert!((splats.origin() + splats.position(copy * 20 + from)).distance(by_hand) < 1e-5);
    let broken = node.replace("\"ROTATION\":1", "\"ROTATION\":0");
    let refused = read_alone(&encode::glb(&scene, &broken), "a.glb");
    assert!(refused.is_err_and(|error| error.to_string().contains("VEC3")));
}

#[test]
fn what_is_not_read_is_named_in_every_encoding() {
    let scene = encode::scene(20, 4);
    let ignored = |loaded: Result<Loaded, ReadError>| {
        let mut names = loaded.expect("it is read").ignored;
        names.retain(|name| !["nx", "ny", "nz"].contains(&name.as_str()));
        names
    };
    // An element between header and numbers, without numbers.
    let extended = |bytes: &[u8]| {
        let end = bytes.windows(10).position(|it| it == b"end_header").expect("a header");
        let more = b"element made_up 0\nproperty int a\n";
        [&bytes[..end], more, &bytes[end..]].concat()
    };
    for ply in [encode::ply(&scene, Bytes::Big), encode::packed_ply(&scene)] {
        assert_eq!(ignored(read_alone(&ply, "a.ply")), [""; 0]);
        assert_eq!(ignored(read_alone(&extended(&ply), "a.ply")), ["made_up"]);
    }
    let record = [0x1234_0001, 4, 6].map(u32::to_le_bytes).concat();
    for version in [3, 4] {
        let spz = |records: &[u8]| encode::spz_with(&scene, version, records);
        assert_eq!(ignored(read_alone(&spz(&[]), "a.spz")), [""; 0]);
        assert_eq!(ignored(read_alone(&spz(&record), "a.spz")), ["extension 0x12340001"]);
    }
    let mut files = encode::sog(&scene);
    assert_eq!(ignored(read_sog_folder(&files)), [""; 0]);
    let meta: serde_json::Value = serde_json::from_slice(&files[0].1).expect("JSON");
    for place in ["", "/means", "/scales", "/quats", "/sh0", "/shN"] {
        let mut odd = meta.clone();
        odd.pointer_mut(place).expect("a member")["madeUp"] = serde_json::json!({"a": 1});
        files[0].1 = serde_json::to_vec(&odd).expect("JSON");
        assert_eq!(ignored(read_sog_folder(&files)), ["madeUp"], "{place}");
    }
}

#[test]
fn an_spz_file_says_in_which_axes_it_is() {
    let scene = encode::scene(20, 4);
    // A record that nobody knows, then SPZ_ADOBE_coordinate_system with right, down, front.
    let words = |all: [u32; 3]| all.map(u32::to_le_bytes).concat();
    let records = [words([0x1234_0001, 4, 6]), words([0xadbe_0003, 4, 6])].concat();
    for version in [3, 4] {
        let none = |name: &str| Err(ReadError::Missing { name: name.to_owned() });
        let load =
            |bytes: &[u8]| read(bytes, Path::new("a.spz"), Axes::Usual, &none).expect("SPZ").splats;
        let usual = load(&encode::spz(&scene, version));
        let other = load(&encode::spz_with(&scene, version, &records));
        let turn = DAffine3::from_mat3(DMat3::from_diagonal(DVec3::new(1.0, -1.0, -1.0)));
        let turned = usual.mapped(&turn).expect("a good map");
        assert_eq!(other.planes().position, turned.planes().position);
        assert_eq!(other.planes().harmonics, turned.planes().harmonics);
    }
    let mut header = encode::spz_header(20, 4, 0, 0, 6);
    header[13] = 25;
    let refused = read_alone(&header, "a.spz");
    assert!(refused.is_err_and(|error| error.to_string().contains("25 fractional bits")));
}

#[test]
fn unnormalised_and_broken_numbers_are_repaired_and_counted() {
    let mut scene = encode::scene(100, 4);
    for splat in &mut scene[..10] {
        splat.rotation = splat.rotation.map(|v| 3.0 * v);
    }
    scene[20].position[1] = f32::NAN;
    scene[21].log_scale[0] = 500.0;
    scene[22].rotation = [0.0; 4];
    scene[23].harmonics[2][1] = f32::INFINITY;
    let loaded = read_alone(&encode::ply(&scene, Bytes::Little), "a.ply").expect("PLY");
    assert_eq!(
        (loaded.splats.len(), loaded.repairs.dropped, loaded.repairs.rotations_normalized),
        (96, 4, 10)
    );
    let whole =
        read_alone(&encode::ply(&encode::scene(100, 4), Bytes::Little), "a.ply").expect("PLY");
    for k in 0..4 {
        let difference =
            loaded.splats.planes().rotation[k][5] - whole.splats.planes().rotation[k][5];
        assert!(difference.abs() < 1e-6);
    }
}

#[test]
fn files_in_the_folder_of_licensed_splats_agree() {
    let Some(folder) = shared::folder() else {
        return;
    };
    // The converter's GLB faces the other way, and its SPZ clips strong colours. Largest mean
    // difference, in 1/255.
    let half_turn = DAffine3::from_mat3(DMat3::from_diagonal(DVec3::new(-1.0, 1.0, -1.0)));
    for (name, limits) in [("penguin", [0.05; 6]), ("hundred", [0.5, 1.7, 1.7, 5.2, 5.2, 1e-2])] {
        let folder = folder.join("encodings").join(name);
        let load =
            |file: &str| read_file(&folder.join(file)).expect("a licensed file is readable").splats;
        let expected = draw(&load(&format!("{name}.ply")));
        let files = [".compressed.ply", "_v3.spz", "_v4.spz", ".sog", "sog/meta.json", "_khr.glb"];
        for (file, limit) in files.into_iter().zip(limits) {
            let file = if file.contains('/') { file.to_owned() } else { format!("{name}{file}") };
            let splats = load(&file);
            let splats = if file.ends_with(".glb") {
                splats.mapped(&half_turn).expect("a good map")
            } else {
                splats
            };
            let (max, mean) = difference(&draw(&splats), &expected);
            println!("{file}: largest {max:.2}, mean {mean:.4}");
            assert!(mean < limit, "{file}: {mean}");
        }
    }
}
