//! PLY and STL: every encoding gives the same mesh; what has no surface is refused by name; hostile
//! files do no harm.

use crate::support::assets::{Folder, png};
use glam::{Vec2, Vec3, Vec4};
use meshjudge::unstable::load::{LoadError, NormalsPolicy, Options, Warning, load};
use meshjudge::unstable::scene::Scene;
use proptest::prelude::*;

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
const COLORS: [[u8; 3]; 4] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]];

#[derive(Clone, Copy)]
enum Encoding {
    Ascii,
    Little,
    Big,
}

const ENCODINGS: [Encoding; 3] = [Encoding::Ascii, Encoding::Little, Encoding::Big];

/// A quad with vertex colours, and an element that must be passed over.
fn quad(encoding: Encoding) -> Vec<u8> {
    let name = match encoding {
        Encoding::Ascii => "ascii",
        Encoding::Little => "binary_little_endian",
        Encoding::Big => "binary_big_endian",
    };
    let mut out = format!(
        "ply\nformat {name} 1.0\ncomment made here\nelement note 2\nproperty list uchar short words\nproperty double weight\n\
         element vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
         property uchar red\nproperty uchar green\nproperty uchar blue\n\
         element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    )
    .into_bytes();
    if let Encoding::Ascii = encoding {
        out.extend(b"2 7 -8 0.5\n0 1.5\n");
        for (p, c) in CORNERS.iter().zip(COLORS) {
            out.extend(format!("{} {} {} {} {} {}\n", p[0], p[1], p[2], c[0], c[1], c[2]).bytes());
        }
        out.extend(b"4 0 1 2 3\n");
        return out;
    }
    let is_big = matches!(encoding, Encoding::Big);
    let mut put = |mut bytes: Vec<u8>| {
        if is_big {
            bytes.reverse();
        }
        out.extend(bytes);
    };
    put(vec![2]);
    put(7_i16.to_le_bytes().to_vec());
    put((-8_i16).to_le_bytes().to_vec());
    put(0.5_f64.to_le_bytes().to_vec());
    put(vec![0]);
    put(1.5_f64.to_le_bytes().to_vec());
    for (p, c) in CORNERS.iter().zip(COLORS) {
        p.iter().for_each(|v| put(v.to_le_bytes().to_vec()));
        c.iter().for_each(|&v| put(vec![v]));
    }
    put(vec![4]);
    (0..4_i32).for_each(|v| put(v.to_le_bytes().to_vec()));
    out
}

fn scene(name: &str, bytes: impl AsRef<[u8]>) -> std::sync::Arc<Scene> {
    Folder::new().load(name, bytes).unwrap().scene
}

#[test]
fn every_encoding_of_ply_gives_the_same_mesh() {
    for encoding in ENCODINGS {
        let scene = scene("a.ply", quad(encoding));
        let mesh = &scene.meshes()[0];
        assert_eq!(mesh.triangles().len(), 2);
        assert_eq!(mesh.positions(), CORNERS.map(Vec3::from_array));
        let linear = COLORS.map(|c| Vec3::from_array(c.map(|v| f32::from(v) / 255.0)).extend(1.0));
        assert_eq!(mesh.colors().unwrap(), linear); // 0 and 1 are the same in sRGB
        assert_eq!(mesh.normals().unwrap(), [Vec3::Z; 4]);
        assert!(scene.materials()[0].double_sided);
    }
}

#[test]
fn a_name_without_ending_is_told_by_content() {
    let bytes = String::from_utf8(quad(Encoding::Ascii)).unwrap().replace('\n', "\r\n");
    assert_eq!(scene("a", bytes).triangle_count(), 2);
}

#[test]
fn colours_of_faces_part_the_vertices_between_them() {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 2\n\
                property list uchar int vertex_index\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\nend_header\n\
                0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 255 0 0 255\n3 0 2 3 0 0 255 0\n";
    let scene = scene("a.ply", text);
    let mesh = &scene.meshes()[0];
    assert_eq!(mesh.positions().len(), 6);
    let colors = mesh.colors().unwrap();
    let expected = [Vec4::new(1.0, 0.0, 0.0, 1.0), Vec4::new(0.0, 0.0, 1.0, 0.0)];
    for (triangle, color) in mesh.triangles().iter().zip(expected) {
        triangle.iter().for_each(|&v| assert_eq!(colors[v as usize], color));
    }
    assert_eq!(scene.materials()[0].alpha_mode, meshjudge::unstable::scene::AlphaMode::Blend);
}

#[test]
fn colours_in_wider_integers_may_still_be_bytes() {
    let colored = |kind: &str, full: u32| {
        let text = format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
             property {kind} red\nproperty {kind} green\nproperty {kind} blue\nproperty {kind} alpha\nelement face 1\n\
             property list uchar int vertex_index\nend_header\n\
             0 0 0 {full} 0 0 {full}\n1 0 0 0 {full} 0 {full}\n0 1 0 0 0 {full} {full}\n3 0 1 2\n"
        );
        scene("a.ply", text).meshes()[0].colors().unwrap().to_vec()
    };
    let bytes = colored("uchar", 255);
    assert_eq!(bytes[0], Vec4::new(1.0, 0.0, 0.0, 1.0));
    for (kind, full) in [("ushort", 65535), ("ushort", 255), ("int", 255), ("uint", 255)] {
        assert_eq!(colored(kind, full), bytes, "{kind} {full}");
    }
    // Dark, and of 16 bits.
    assert!(colored("ushort", 300)[0].x < 0.01);
}

#[test]
fn an_stl_in_text_is_one_under_any_name() {
    let stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    for name in ["a.stl", "a.ply", "a.obj", "a.glb"] {
        assert_eq!(scene(name, stl).triangle_count(), 1, "{name}");
    }
}

#[test]
fn a_picture_lies_on_corners_or_vertices() {
    let folder = Folder::new();
    folder.write("a b.png", png(1, 1, &[[9, 9, 9, 255]]));
    let text = "ply\nformat ascii 1.0\ncomment texturefile a b.png\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                element face 1\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n\
                0 0 0\n1 0 0\n0 1 0\n3 0 1 2 6 0 0 1 0 0 0.75\n";
    let scene = folder.load("a.ply", text).unwrap().scene;
    let uvs = scene.meshes()[0].uvs(0).unwrap();
    assert_eq!(uvs, [Vec2::new(0.0, 1.0), Vec2::new(1.0, 1.0), Vec2::new(0.0, 0.25)]);
    assert_eq!(scene.textures().len(), 1);
}

#[test]
fn strips_of_stanford_scans_are_cut() {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 0 1 2\n";
    let scene = scene("a.ply", text);
    assert_eq!(scene.triangle_count(), 3);
    assert!(scene.meshes()[0].normals().unwrap().iter().all(|&n| n == Vec3::Z));
}

/// A header up to its columns, of vertices alone.
fn points_header(count: usize) -> String {
    format!(
        "ply\nformat ascii 1.0\nelement vertex {count}\nproperty float x\nproperty float y\nproperty float z\n"
    )
}

#[test]
fn splats_without_all_their_columns_are_refused_by_name() {
    let splats = points_header(1)
        + "property float f_dc_0\nproperty float opacity\nproperty float scale_0\nproperty float rot_0\nend_header\n0 0 0 0 0 0 0\n";
    let error = Folder::new().load("a.ply", splats).unwrap_err();
    assert!(matches!(error, LoadError::Splats { .. }), "{error}");
    assert!(error.to_string().contains("no property \"scale_1\""), "{error}");
}

#[test]
fn a_cloud_of_points_is_drawn_as_round_dots_of_stated_size() {
    // As Point-E writes them: colours, no faces.
    let columns = "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n";
    let text =
        points_header(4) + columns + "0 0 0 255 0 0\n1 0 0 0 255 0\n0 2 0 0 0 255\nnan 0 0 9 9 9\n";
    let loaded = Folder::new().load("a.ply", text).unwrap();
    let mesh = &loaded.scene.meshes()[0];
    assert_eq!(mesh.triangles().len(), 3 * 128);
    // A fiftieth of the longest edge across.
    let bounds = loaded.scene.bounds();
    assert!((bounds.min - Vec3::splat(-0.02)).length() < 1e-6, "{bounds:?}");
    assert!((bounds.max - Vec3::new(1.02, 2.02, 0.02)).length() < 1e-6, "{bounds:?}");
    let first = mesh.colors().unwrap()[0];
    assert_eq!((first.x, first.y), (1.0, 0.0));
    let said = loaded.warnings[0].to_string();
    assert!(said.contains("3 of 3 points") && said.contains("4.000e-2"), "{said}");
}

#[test]
fn ply_that_lies_is_refused_before_memory_is_taken() {
    let header =
        |elements: &str| format!("ply\nformat binary_little_endian 1.0\n{elements}\nend_header\n");
    let xyz = "property float x\nproperty float y\nproperty float z\n";
    let vertices = |count: &str| format!("element vertex {count}\n{xyz}");
    let face = |kind: &str| format!("element face 1\nproperty list {kind} int vertex_indices");
    let x = "element vertex 1\nproperty float x\n";
    let ones = "\u{7f}\u{7f}\u{7f}\u{7f}";
    for (text, what) in [
        (header(&(vertices("60000000") + &face("uchar"))), "bytes are left"),
        (header(&(vertices("18446744073709551615") + &face("uchar"))), "at most"),
        (header(&(vertices("0") + &face("uint"))) + ones, "a list has"),
        (header(&(vertices("0") + &vertices("0"))), "announced before"),
        (header(&(x.to_owned() + &face("uchar"))), "no x, y and z"),
        (header("property float x"), "before any element"),
        (header("element vertex 1\nproperty quad x"), "is not a number type"),
        ("ply\nformat ascii 1.0\nelement vertex 0\n".to_owned(), "does not end"),
        ("ply\nend_header\n".to_owned(), "no format"),
    ] {
        let message = Folder::new().load("a.ply", text).unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    }
    let text = String::from_utf8(quad(Encoding::Ascii)).unwrap();
    for face in
        ["4 0 1 2 4", "4 0 1 2 -1", "4 0 1 2 0.5", "4 0 1 2 x", "4 0 1 2 nan", "-1", "4 0 1"]
    {
        let error = Folder::new().load("a.ply", text.replace("4 0 1 2 3", face)).unwrap_err();
        assert!(matches!(error, LoadError::Line { line: 23 | 24, .. }), "{face}: {error}");
    }
    for encoding in ENCODINGS {
        let whole = quad(encoding);
        for length in 1..whole.len() - 1 {
            assert!(Folder::new().load("a.ply", &whole[..length]).is_err(), "{length}");
        }
    }
}

/// A tetrahedron, wound outwards.
fn tetrahedron() -> [[Vec3; 3]; 4] {
    let [o, x, y, z] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    [[o, y, x], [o, x, z], [o, z, y], [x, y, z]]
}

fn binary_stl(header: &[u8], word: u16) -> Vec<u8> {
    let mut out = header.to_vec();
    out.resize(80, b' ');
    out.extend(4_u32.to_le_bytes());
    for face in tetrahedron() {
        out.extend([0; 12]);
        out.extend(face.iter().flat_map(|v| v.to_array()).flat_map(f32::to_le_bytes));
        out.extend(word.to_le_bytes());
    }
    out
}

fn ascii_stl() -> String {
    let mut out = "solid a b\n".to_owned();
    for face in tetrahedron() {
        out += "facet normal 0 0 0\n outer loop\n";
        for v in face {
            out += &format!("  vertex {:e} {} {}\n", v.x, v.y, v.z);
        }
        out += " endloop\nendfacet\n";
    }
    out + "endsolid a b\n"
}

#[test]
fn binary_and_ascii_stl_give_the_same_mesh() {
    let all = [
        binary_stl(b"made here", 0),
        binary_stl(b"solid, and yet binary", 0),
        ascii_stl().into_bytes(),
        ascii_stl().to_uppercase().replace('\n', "\r\n").into_bytes(),
    ];
    for bytes in all {
        let folder = Folder::new();
        let loaded = folder.load("a.stl", bytes).unwrap();
        let mesh = &loaded.scene.meshes()[0];
        assert_eq!((mesh.triangles().len(), mesh.positions().len()), (4, 4));
        assert!(mesh.normals().is_none() && mesh.colors().is_none());
        assert_eq!(loaded.normals.flat, 4);
        let smooth = Options { normals: NormalsPolicy::Smooth, ..Options::default() };
        let smooth = load(&folder.dir.path().join("a.stl"), &smooth).unwrap();
        let normals = smooth.scene.meshes()[0].normals().unwrap().to_vec();
        assert!(normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-6));
    }
}

#[test]
fn colours_of_stl_follow_their_two_conventions() {
    let red = Vec4::new(1.0, 0.0, 0.0, 1.0);
    for (header, word, color) in [
        (&b""[..], 0x8000 | 31 << 10, Some(red)), // VisCAM: red is highest
        (b"COLOR=\0\0\0\xFF", 31, Some(red)),     // Magics: red is lowest
        (b"COLOR=\xFF\0\0\xFF", 0x8000, Some(red)), // Magics: the object's
        (b"", 31, None),
    ] {
        let scene = scene("a.stl", binary_stl(header, word));
        assert_eq!(scene.meshes()[0].colors().map(|c| c[0]), color);
    }
}

#[test]
fn stl_that_is_cut_off_or_lies_is_refused() {
    let binary = binary_stl(b"", 0);
    let mut lying = binary.clone();
    lying[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    // The size of the file decides.
    let loaded = Folder::new().load("a.stl", lying).unwrap();
    assert_eq!(loaded.scene.triangle_count(), 4);
    assert_warns!(loaded, [Warning::Container { .. }]);
    for length in 1..binary.len() {
        let is_whole = length > 84 && (length - 84) % 50 == 0;
        match Folder::new().load("a.stl", &binary[..length]) {
            Ok(loaded) if is_whole => {
                assert_warns!(loaded, [Warning::Container { .. }]);
            }
            loaded => assert!(loaded.is_err() && !is_whole, "{length}"),
        }
    }
    let ascii = ascii_stl();
    let mut num_drawn = 0;
    for length in 1..ascii.len() - "endsolid a b\n".len() {
        // Whole faces are drawn, and a face that is cut is an error.
        if let Ok(loaded) = Folder::new().load("a.stl", &ascii[..length]) {
            let num_whole = ascii[..length].matches("\n end").count();
            assert_eq!(loaded.scene.triangle_count(), num_whole, "{length}");
            assert_warns!(loaded, [Warning::Container { .. }]);
            num_drawn += 1;
        }
    }
    assert!((1..ascii.len() / 2).contains(&num_drawn), "{num_drawn}");
    for (from, to) in [("vertex", "vertex x"), ("  vertex 0e0 0 0\n", "")] {
        let error = Folder::new().load("a.stl", ascii.replacen(from, to, 1)).unwrap_err();
        assert!(matches!(error, LoadError::Line { .. }), "{to}: {error}");
    }
    // A face of more corners is a fan, and a loop without any is nothing.
    for (from, to) in
        [(" endloop", "vertex 0 0 0\n endloop"), ("outer loop\n", "outer loop\nendloop\n")]
    {
        let loaded = Folder::new().load("a.stl", ascii.replacen(from, to, 1));
        assert_eq!(loaded.unwrap().scene.triangle_count(), 4, "{to}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(which in 0..5_usize, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let (name, mut bytes) = match which {
            0..3 => ("a.ply", quad(ENCODINGS[which])),
            3 => ("a.stl", binary_stl(b"COLOR=abc", 7)),
            _ => ("a.stl", ascii_stl().into_bytes()),
        };
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = Folder::new().load(name, bytes);
    }
}
