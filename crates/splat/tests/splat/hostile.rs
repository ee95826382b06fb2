//! Cut or mutated files and false sizes end in a message, without panics or much memory.

use crate::encode::{self, Bytes};
use crate::read_alone;
use glam::DVec3;
use meshjudge_splat::camera::Camera;
use meshjudge_splat::facts::facts;
use meshjudge_splat::read::{Axes, ReadError, read};
use meshjudge_splat::render::{Settings, render};
use meshjudge_splat::write::{Target, write};
use std::path::Path;

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let scene = encode::scene(40, 9);
    let ply = |bytes| encode::ply(&scene, bytes);
    vec![
        ("a.ply", ply(Bytes::Ascii)),
        ("a.ply", ply(Bytes::Little)),
        ("a.ply", encode::packed_ply(&scene)),
        ("a.splat", encode::splat(&scene)),
        ("a.spz", encode::spz(&scene, 2)),
        ("a.spz", encode::spz(&scene, 3)),
        ("a.spz", encode::spz(&scene, 4)),
        ("a.sog", encode::zip(&encode::sog(&scene))),
        ("a.glb", encode::glb(&scene, "")),
        (
            "a.glb",
            encode::glb_compressed(
                &encode::spz(&scene, 3),
                "KHR_gaussian_splatting_compression_spz_2",
            ),
        ),
    ]
}

#[test]
fn files_cut_anywhere_are_refused_in_words() {
    for (name, bytes) in samples() {
        read_alone(&bytes, name).expect("the whole file is good");
        let mut num_refused = 0;
        for len in (0..bytes.len()).step_by(1 + bytes.len() / 200) {
            if let Err(reason) = read_alone(&bytes[..len], name) {
                assert!(!reason.to_string().is_empty());
                num_refused += 1;
            }
        }
        // Cuts stay unseen only between .splat records, in end padding and a text's last number.
        assert!(num_refused >= 150, "{name}: {num_refused}");
    }
}

#[test]
fn mutated_files_never_panic_when_read_measured_drawn_or_written() {
    let camera = Camera::square(24, DVec3::new(0.2, 0.3, 1.5), DVec3::ZERO, DVec3::Y, 0.8);
    for (name, bytes) in samples() {
        for round in 0..400u64 {
            let mut bytes = bytes.clone();
            for k in 0..1 + round % 4 {
                let random = |salt: u64| {
                    (round * 31 + k * 7 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
                };
                // Half of the changes in the first 200 bytes, where the counts are.
                let within = if random(1) % 2 == 0 { bytes.len().min(200) } else { bytes.len() };
                let at = (random(2) % within as u64) as usize;
                bytes[at] = [0, 255, 128, b'9', random(3) as u8][(random(4) % 5) as usize];
            }
            if let Ok(loaded) = read_alone(&bytes, name) {
                let settings = Settings { geometry: true, order: loaded.order, ..Settings::mip() };
                let picture =
                    render(&loaded.splats, &camera, &settings).expect("the camera is good");
                assert!(picture.rgba.as_flattened().iter().all(|value| value.is_finite()));
                assert!(facts(&loaded).radius.is_finite());
                for (name, encoding) in
                    [("a.ply", Target::Ply), ("a.spz", Target::Spz), ("a.glb", Target::Glb)]
                {
                    let Ok(written) = write(&loaded, encoding) else { continue };
                    let again = read_alone(&written.bytes, name).expect("what we write, we read");
                    assert_eq!(again.splats.len(), loaded.splats.len(), "{name}");
                }
            }
        }
    }
}

fn refused(bytes: &[u8], name: &str) -> String {
    read_alone(bytes, name).expect_err("it must be refused").to_string()
}

#[test]
fn counts_are_checked_before_memory_is_taken() {
    let huge = u32::MAX - 1;
    let spz = encode::gzip(&encode::spz_header(huge, 3, 3, 0, 0));
    assert!(refused(&spz, "a.spz").contains("at most"));
    assert!(refused(&encode::spz_header(huge, 4, 3, 0, 6), "a.spz").contains("at most"));
    let ply = "ply\nformat binary_little_endian 1.0\nelement vertex 99999999999\nproperty float x\nproperty float opacity\nproperty float scale_0\nproperty float rot_0\nend_header\n";
    assert!(refused(ply.as_bytes(), "a.ply").contains("ends early"));
    let ascii = ply.replace("binary_little_endian", "ascii");
    assert!(refused(ascii.as_bytes(), "a.ply").contains("ends early"));
    let meta = String::from_utf8(encode::sog(&encode::scene(40, 1))[0].1.clone()).expect("JSON");
    let files = encode::sog(&encode::scene(40, 1));
    let mut many = files.clone();
    many[0].1 = meta.replace("\"count\":40", "\"count\":4000000000").into_bytes();
    assert!(refused(&encode::zip(&many), "a.sog").contains("at most"));
    // More splats than pixels, within the limit.
    many[0].1 = meta.replace("\"count\":40", "\"count\":2000").into_bytes();
    assert!(refused(&encode::zip(&many), "a.sog").contains("pixels"));
}

#[test]
fn a_gzip_stream_that_unpacks_to_more_than_its_header_says_is_refused() {
    let mut plain = encode::spz_header(1, 2, 0, 0, 0);
    plain.resize(100 << 20, 0);
    assert!(refused(&encode::gzip(&plain), "a.spz").contains("more than"));
}

#[test]
fn names_in_a_file_lead_nowhere_else() {
    for name in
        ["../secret", "/etc/passwd", "a/../../b", "file:///x", "C:\\x", "%2e%2e/x", "a\\..\\b", ""]
    {
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["KHR_gaussian_splatting"],"buffers":[{{"uri":"{}","byteLength":4}}]}}"#,
            name.replace('\\', "\\\\")
        );
        let files = |name: &str| panic!("{name:?} was asked for");
        let refused = read(json.as_bytes(), Path::new("a.gltf"), Axes::Usual, &files);
        assert!(matches!(refused, Err(ReadError::Outside { .. })), "{name}");
    }
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let scene = encode::scene(4, 1);
    let mut spz = encode::spz_header(4, 9, 0, 0, 0);
    spz.resize(200, 0);
    assert!(refused(&spz, "a.spz").contains("SPZ version 9"));
    assert!(refused(b"\0\x01", "a.ksplat").contains(".ksplat"));
    assert!(refused(b"{}", "lod-meta.json").contains("streamed"));
    assert!(refused(br#"{"means":{},"quats":{}}"#, "meta.json").contains("meta.json"));
    assert!(refused(br#"{"means":{"mins":[0,0,0],"maxs":[0,0,0],"files":["a","b"]},"quats":{"files":["c"]}}"#, "meta.json").contains("no scales"));
    assert!(
        refused(
            b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
            "a.ply"
        )
        .contains("no Gaussian splats")
    );
    let glb = String::from_utf8_lossy(&encode::glb(&scene, "")).into_owned();
    assert!(glb.contains("ellipse"));
    let text = |from: &str, to: &str| {
        let bytes = encode::glb(&scene, "");
        let start = bytes
            .windows(from.len())
            .position(|window| window == from.as_bytes())
            .expect("the text is there");
        let mut changed = bytes.clone();
        changed[start..start + from.len()].copy_from_slice(to.as_bytes());
        refused(&changed, "a.glb")
    };
    assert!(text("ellipse", "squares").contains("kernel"));
    assert!(text("srgb_rec709_display", "srgb_rec2020_displa").contains("colour space"));
    // A scene that contains one node twice is no tree.
    assert!(refused(&encode::glb(&scene, r#","children":[0]"#), "a.glb").contains("tree"));
}
