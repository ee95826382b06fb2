//! `render --format`, `--out` and set-ups of rigs: what is written reads back as what was drawn,
//! and no folder mixes two assets.

use crate::support::assets::{tetrahedra, two_assets};
use crate::support::program::Text as _;
use std::path::Path;

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
    let folder = tetrahedra(&[("a.obj", 1.0)]);
    for format in ["png", "jpeg", "webp", "exr", "npy"] {
        let channels = "--channels rgb,normal,depth,position,z,part";
        let flags = format!("--out {format} --format {format}");
        folder.ok(&format!("render a.obj --views 2 --size 48 {channels} {flags}"));
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
        header.must_have(["'|u1'", "(48, 48, 3)"]);
        assert!(bytes == *rgb.as_raw());
        let (header, positions) = npy(&path("npy", &name("position", "npy")));
        header.must_have(["'<f4'", "(48, 48, 4)"]);
        let (header, depths) = npy(&path("npy", &name("depth", "npy")));
        header.must_have("'<u2'");
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
    let folder = tetrahedra(&[("x/a.obj", 1.0), ("y/a.obj", 2.0)]);
    let render =
        |args: &str| folder.run(&format!("render {args} --out o --size 32 --channels rgb"));
    // In one call each has its own.
    render("x/a.obj y/a.obj --views 3").ok();
    let asset = |dir: &str| folder.json(format!("o/{dir}/frames.json"))["asset"]["path"].clone();
    assert_eq!([asset("a"), asset("a-2")], ["x/a.obj", "y/a.obj"]);
    // In two calls the second is refused, and what is there stays.
    render("y/a.obj --views 3").fails("another asset");
    assert_eq!(asset("a"), "x/a.obj");
    // The same asset again: none of its earlier views stays next to fewer new ones.
    render("x/a.obj --views 1").ok();
    assert_eq!(folder.names("o/a"), ["frames.json", "rgb_0.png", "transforms.json"]);
}

#[test]
fn the_set_ups_of_a_rig_are_drawn_beside_its_own_pictures() {
    let folder = tetrahedra(&[("a.obj", 0.4)]);
    folder.ok("render a.obj --out o --rig 404-gen --size 64 --channels rgb,mask");
    let first = folder.json("o/a/frames.json");
    let gray = &first["setups"][0];
    assert_eq!([&gray["name"], &gray["background"]], ["gray", "#808080"]);
    let num_views = [&first, gray].map(|record| record["views"].as_array().unwrap().len());
    assert_eq!(num_views, [8, 4]);
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
        folder.write("r.toml", text);
        folder.run("render a.obj --out o --rig r.toml --size 32 --channels rgb")
    };
    // What an earlier rig drew goes, also of its set-ups; a rig of one's own has lights and names
    // of its own.
    rig("[[protocol.setups]]\nname = \"plain\"\nlight = \"unlit\"").ok();
    assert!(!folder.join("o/a/gray/front_left.png").exists());
    assert_eq!(folder.json("o/a/frames.json")["setups"][0]["light"], "unlit");
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
        rig(&format!("[[protocol.setups]]\n{wrong}")).fails(why);
    }
}

#[test]
fn an_asset_named_by_dots_is_drawn_into_a_folder_of_its_own() {
    let folder = two_assets();
    for name in ["...obj", "..obj", "con.obj"] {
        folder.copy(folder.join("a.obj"), format!("in/{name}"));
    }
    folder.ok("render in/...obj in/..obj in/con.obj --out out/here --views 1 --size 32");
    assert_eq!(folder.names("out"), ["here"]);
    let made = folder.names("out/here");
    assert_eq!(made.len(), 3);
    for name in made {
        assert!(folder.join(format!("out/here/{name}/frames.json")).is_file(), "{name}");
    }
}
