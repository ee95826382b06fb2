//! `render --format`, `--out` and set-ups of rigs: what is written reads back as what was drawn,
//! and no folder mixes two assets.

use crate::support::assets::tetrahedron;
use crate::support::program::{Run, meshjudge};
use std::path::Path;

const DRAWN: &str = "rgb,normal,depth,position,z,part";

fn render(folder: &Path, flags: &[&str]) -> Run {
    let args = ["render", "a.obj", "--views", "2", "--size", "48", "--channels", DRAWN];
    meshjudge(folder, &[&args, flags].concat())
}

/// The numbers of a `.npy` as bytes, with its type and shape as written.
fn npy(path: &Path) -> (String, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((10 + length) % 64, 0);
    let header = String::from_utf8(bytes[10..][..length].to_vec()).unwrap();
    (header, bytes[10 + length..].to_vec())
}

/// Rows of an uncompressed scan-line file of 32-bit floats: the channels in the order of their
/// names, each with its values.
fn exr(path: &Path, width: usize, height: usize) -> Vec<(String, Vec<f32>)> {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], [0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0]);
    let mut at = 8;
    let text = |at: &mut usize| {
        let end = bytes[*at..].iter().position(|&b| b == 0).unwrap();
        let text = String::from_utf8(bytes[*at..][..end].to_vec()).unwrap();
        *at += end + 1;
        text
    };
    let number = |at: usize| u32::from_le_bytes(bytes[at..][..4].try_into().unwrap());
    let mut names = Vec::new();
    loop {
        let name = text(&mut at);
        if name.is_empty() {
            break;
        }
        text(&mut at);
        let size = number(at) as usize;
        at += 4;
        match name.as_str() {
            "channels" => {
                let mut place = at;
                while place < at + size - 1 {
                    names.push(text(&mut place));
                    assert_eq!(number(place), 2, "float");
                    place += 16;
                }
            }
            "compression" => assert_eq!(bytes[at], 0),
            "dataWindow" => {
                assert_eq!([number(at + 8), number(at + 12)], [width as u32 - 1, height as u32 - 1])
            }
            _ => {}
        }
        at += size;
    }
    let mut out: Vec<(String, Vec<f32>)> =
        names.into_iter().map(|name| (name, Vec::new())).collect();
    for y in 0..height {
        let start = u64::from_le_bytes(bytes[at + 8 * y..][..8].try_into().unwrap()) as usize;
        assert_eq!(number(start), y as u32);
        let row = &bytes[start + 8..][..number(start + 4) as usize];
        for (k, (_, values)) in out.iter_mut().enumerate() {
            let mine = &row[k * width * 4..][..width * 4];
            values.extend(mine.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())));
        }
    }
    out
}

#[test]
fn every_format_reads_back_as_what_was_drawn() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::write(folder.join("a.obj"), tetrahedron(1.0)).unwrap();
    for format in ["png", "jpeg", "webp", "exr", "npy"] {
        render(folder, &["--out", format, "--format", format]).ok();
    }
    let path = |format: &str, file: &str| folder.join(format).join("a").join(file);
    let open = |format: &str, file: &str| image::open(path(format, file)).unwrap();
    for view in 0..2 {
        let name = |channel: &str, end: &str| format!("{channel}_{view}.{end}");
        let rgb = open("png", &name("rgb", "png")).into_rgb8();
        let normal = open("png", &name("normal", "png")).into_rgb8();
        // WebP loses nothing; JPEG little, and only where loss does no harm.
        assert!(open("webp", &name("rgb", "webp")).into_rgb8() == rgb);
        assert!(open("webp", &name("normal", "webp")).into_rgb8() == normal);
        let jpeg = open("jpeg", &name("rgb", "jpg")).into_rgb8();
        let off = rgb.iter().zip(jpeg.iter()).map(|(a, b)| f64::from(a.abs_diff(*b)));
        assert!(off.sum::<f64>() / f64::from(3 * 48 * 48) < 3.0);
        assert!(open("jpeg", &name("normal", "png")).into_rgb8() == normal);
        // NPY has the renderer's own numbers.
        let (header, bytes) = npy(&path("npy", &name("rgb", "npy")));
        assert!(header.contains("'|u1'") && header.contains("(48, 48, 3)"), "{header}");
        assert!(bytes == *rgb.as_raw());
        let (header, positions) = npy(&path("npy", &name("position", "npy")));
        assert!(header.contains("'<f4'") && header.contains("(48, 48, 4)"), "{header}");
        let (header, depths) = npy(&path("npy", &name("depth", "npy")));
        assert!(header.contains("'<u2'"), "{header}");
        let depth = open("png", &name("depth", "png")).into_luma16();
        assert!(depths == depth.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>());
        // EXR has the same floats, channel by channel, and colours in linear light.
        let found = exr(&path("exr", &name("position", "exr")), 48, 48);
        for (name, values) in &found {
            let component = ["R", "G", "B", "A"].iter().position(|n| n == name).unwrap();
            let of_npy = positions
                .chunks(16)
                .map(|pixel| f32::from_le_bytes(pixel[4 * component..][..4].try_into().unwrap()));
            assert!(values.iter().copied().eq(of_npy), "{name}");
        }
        assert_eq!(found.len(), 4);
        let linear = exr(&path("exr", &name("rgb", "exr")), 48, 48);
        let (name, red) = &linear[2];
        assert_eq!(name, "R");
        for (value, pixel) in red.iter().zip(rgb.pixels()) {
            let encoded = match *value {
                v if v <= 0.003_130_8 => 12.92 * v,
                v => 1.055 * libm::powf(v, 1.0 / 2.4) - 0.055,
            };
            assert!((encoded * 255.0 - f32::from(pixel[0])).abs() < 0.01);
        }
    }
}

#[test]
fn two_assets_of_one_stem_never_share_a_folder() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    for (name, height) in [("x", 1.0), ("y", 2.0)] {
        std::fs::create_dir(folder.join(name)).unwrap();
        std::fs::write(folder.join(name).join("a.obj"), tetrahedron(height)).unwrap();
    }
    let render = |assets: &[&str], more: &[&str]| {
        let flags = ["--out", "o", "--size", "32", "--channels", "rgb"];
        meshjudge(folder, &[&["render"], assets, &flags, more].concat())
    };
    // In one call each has its own.
    render(&["x/a.obj", "y/a.obj"], &["--views", "3"]).ok();
    let asset = |dir: &str| {
        let text = std::fs::read(folder.join("o").join(dir).join("frames.json")).unwrap();
        let record: serde_json::Value = serde_json::from_slice(&text).unwrap();
        record["asset"]["path"].as_str().unwrap().to_owned()
    };
    assert_eq!([asset("a"), asset("a-2")], ["x/a.obj", "y/a.obj"]);
    // In two calls the second is refused, and what is there stays.
    let refused = render(&["y/a.obj"], &["--views", "3"]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("another asset"), "{}", refused.stderr);
    assert_eq!(asset("a"), "x/a.obj");
    // The same asset again: none of its earlier views stays next to fewer new ones.
    render(&["x/a.obj"], &["--views", "1"]).ok();
    let mut left: Vec<String> = std::fs::read_dir(folder.join("o/a"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["frames.json", "rgb_0.png", "transforms.json"]);
}

#[test]
fn the_set_ups_of_a_rig_are_drawn_beside_its_own_pictures() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::write(folder.join("a.obj"), tetrahedron(0.4)).unwrap();
    let args = ["render", "a.obj", "--out", "o", "--rig", "404-gen", "--size", "64"];
    meshjudge(folder, &[&args[..], &["--channels", "rgb,mask"]].concat()).ok();
    let record = || -> serde_json::Value {
        let text = std::fs::read(folder.join("o/a/frames.json")).unwrap();
        serde_json::from_slice(&text).unwrap()
    };
    let first = record();
    let gray = &first["setups"][0];
    assert_eq!((&gray["name"], &gray["background"]), (&"gray".into(), &"#808080".into()));
    assert_eq!(
        [&first["views"], &gray["views"]].map(|views| views.as_array().unwrap().len()),
        [8, 4]
    );
    assert_ne!(first["protocol_hash"], gray["protocol_hash"]);
    // The project's own names; and the same object before another background.
    for view in ["front_left", "front_right", "front_below", "front_above"] {
        let [white, gray] = ["white", "gray"].map(|setup| {
            let path = folder.join(format!("o/a/{setup}/{view}.png"));
            image::open(path).unwrap().into_rgb8()
        });
        assert_eq!((white[(0, 0)].0, gray[(0, 0)].0), ([255; 3], [128; 3]));
        let same = white.pixels().zip(gray.pixels()).filter(|(a, b)| a == b).count();
        assert!(same > 50, "{view}: {same}");
    }
    assert!(
        folder.join("o/a/gray/mask_3.png").exists() && !folder.join("o/a/gray/back.png").exists()
    );

    let rig = |setups: &str| {
        let text = format!(
            "name = \"r\"\n[camera]\nprojection = \"perspective\"\nfov_y_degrees = 40\n{setups}\n[[view]]\nname = \"front\"\nazimuth_degrees = 0\nelevation_degrees = 0\n"
        );
        std::fs::write(folder.join("r.toml"), text).unwrap();
        let args = ["render", "a.obj", "--out", "o", "--rig", "r.toml", "--size", "32"];
        meshjudge(folder, &[&args[..], &["--channels", "rgb"]].concat())
    };
    // What an earlier rig drew goes, also of its set-ups; a rig of one's own has lights and names
    // of its own.
    rig("[[protocol.setups]]\nname = \"plain\"\nlight = \"unlit\"").ok();
    assert!(!folder.join("o/a/gray/front_left.png").exists());
    assert_eq!(record()["setups"][0]["light"], "unlit");
    let [lit, plain] = ["rgb_0.png", "plain/rgb_0.png"]
        .map(|name| image::open(folder.join("o/a").join(name)).unwrap().into_rgb8());
    assert!(lit != plain);
    for (wrong, why) in [
        ("name = \"../x\"", "letters, digits"),
        ("name = \"x\"\nviews = [\"back\"]", "[[view]]"),
        ("name = \"x\"\nlight = \"moon\"", "studio or unlit"),
        ("name = \"x\"\n[[protocol.setups]]\nname = \"x\"", "differ"),
        ("name = \"x\"\nfiles = { rgb = \"../{view}.png\" }", "within the folder"),
    ] {
        let refused = rig(&format!("[[protocol.setups]]\n{wrong}"));
        assert_ne!(refused.code, Some(0));
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
}

#[test]
fn an_asset_named_by_dots_is_drawn_into_a_folder_of_its_own() {
    let folder = crate::support::assets::two_assets();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("in")).unwrap();
    for name in ["...obj", "..obj", "con.obj"] {
        std::fs::copy(at("a.obj"), at("in").join(name)).unwrap();
    }
    let args = [
        "render",
        "in/...obj",
        "in/..obj",
        "in/con.obj",
        "--out",
        "out/here",
        "--views",
        "1",
        "--size",
        "32",
    ];
    let run = meshjudge(folder.path(), &args);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let entries = |name: &str| std::fs::read_dir(at(name)).unwrap().flatten().collect::<Vec<_>>();
    assert_eq!(entries("out").len(), 1);
    let made = entries("out/here");
    assert_eq!(made.len(), 3);
    for entry in made {
        assert!(entry.path().join("frames.json").is_file(), "{entry:?}");
    }
}
