//! Each part of OBJ and MTL that changes a picture, on files of a few lines whose result is known
//! in closed form.

use crate::support::assets::{Folder, corners, png};
use glam::{Vec2, Vec3, Vec4};
use meshjudge::unstable::load::{Loaded, NormalsPolicy, Options, Points, Warning, load};
use meshjudge::unstable::scene::{AlphaMode, Mesh, Slot, Wrap};

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

fn read(text: impl AsRef<[u8]>) -> Loaded {
    Folder::new().load("a.obj", text).unwrap()
}

fn area_z(mesh: &Mesh) -> f32 {
    corners(mesh).iter().map(|[a, b, c]| (*b - *a).cross(*c - *a).z * 0.5).sum()
}

#[test]
fn positive_and_negative_indices_name_the_same_vertices() {
    for face in ["f 1 2 3", "f -3 -2 -1", "f 1 -2 3 # a comment", "f 1 2 \\\n 3", "  f\t1 2  3 \r"]
    {
        let loaded = read(format!("{TRIANGLE}{face}\n"));
        let scene = &loaded.scene;
        assert_eq!(corners(&scene.meshes()[0]), [[Vec3::ZERO, Vec3::X, Vec3::Y]], "{face:?}");
        let material = &scene.materials()[0];
        assert!(material.double_sided);
        assert_eq!((material.metallic, material.base_color), (0.0, Vec4::ONE));
        assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    }
}

#[test]
fn a_fourth_number_of_a_vertex_divides_the_others_and_is_no_colour() {
    let loaded = read("v 0 0 0 1\nv 2 0 0 2.0\nv 0 0.5 0 0.5\nf 1 2 3\n");
    let mesh = &loaded.scene.meshes()[0];
    assert_eq!(corners(mesh), [[Vec3::ZERO, Vec3::X, Vec3::Y]]);
    assert!(mesh.colors().is_none());
    // A weight of nothing would move the vertex out of the world; it counts as 1.
    let loaded = read("v 0 0 0 0\nv 1 0 0 0\nv 0 1 0 0\nf 1 2 3\n");
    assert_eq!(corners(&loaded.scene.meshes()[0]), [[Vec3::ZERO, Vec3::X, Vec3::Y]]);
}

#[test]
fn concave_polygons_keep_their_area() {
    // A chevron: a fan from its first corner would cover ground outside.
    let loaded = read("v -4 4 0\nv 0 0 0\nv 4 4 0\nv 0 1 0\nf 1 2 3 4\n");
    let mesh = &loaded.scene.meshes()[0];
    assert_eq!(area_z(mesh), 4.0);
    assert!(corners(mesh).iter().all(|[a, b, c]| (*b - *a).cross(*c - *a).z > 0.0));
}

#[test]
fn texture_coordinates_are_counted_from_the_top_and_split_vertices_at_seams() {
    let loaded =
        read(format!("{TRIANGLE}v 1 1 0\nvt 0 0\nvt 0.25 0.75\nf 1/1 2/1 3/1\nf 2/2 4/1 3/1\n"));
    let mesh = &loaded.scene.meshes()[0];
    assert_eq!(mesh.positions().len(), 5);
    let uvs = mesh.uvs(0).unwrap();
    let [seam, ..] = mesh.triangles()[1];
    assert_eq!(uvs[seam as usize], Vec2::new(0.25, 0.25));
    assert_eq!(uvs[mesh.triangles()[0][0] as usize], Vec2::new(0.0, 1.0));
}

#[test]
fn a_corner_without_a_coordinate_or_normal_does_not_take_its_neighbours() {
    let loaded =
        read(format!("{TRIANGLE}v 1 1 0\nvt 0.5 0.5\nvn 1 0 0\nf 1/1/1 2/1/1 3/1/1\nf 2 4 3\n"));
    let mesh = &loaded.scene.meshes()[0];
    for vertex in mesh.triangles()[1] {
        assert_eq!(mesh.uvs(0).unwrap()[vertex as usize], Vec2::ZERO);
        assert_eq!(mesh.normals().unwrap()[vertex as usize], Vec3::ZERO);
    }
    for vertex in mesh.triangles()[0] {
        assert_eq!(mesh.uvs(0).unwrap()[vertex as usize], Vec2::splat(0.5));
        assert_eq!(mesh.normals().unwrap()[vertex as usize], Vec3::X);
    }
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

#[test]
fn coordinates_and_normals_that_no_face_uses_are_none() {
    let loaded = read(format!("{TRIANGLE}vt 0.5 0.5\nvn 1 0 0\nf 1 2 3\n"));
    assert_eq!(loaded.scene.meshes()[0].uv_set_count(), 0);
    assert_eq!(loaded.normals.creases, 1);
}

#[test]
fn vertex_colours_are_made_linear() {
    for text in [
        "v 0 0 0 1 0 0.5\nv 1 0 0 1 0 0.5\nv 0 1 0 1 0 0.5\n",
        "v 0 0 0 255 0 127.5\nv 1 0 0 255 0 127.5\nv 0 1 0 255 0 127.5\n",
    ] {
        let loaded = read(format!("{text}f 1 2 3\n"));
        let color = loaded.scene.meshes()[0].colors().unwrap()[0];
        assert!((color - Vec4::new(1.0, 0.0, 0.214_041_14, 1.0)).length() < 1e-5, "{color}");
    }
    // Some vertices with and some without: white where there is none.
    let loaded = read("v 0 0 0 0 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let colors = loaded.scene.meshes()[0].colors().unwrap();
    assert_eq!(colors, [Vec4::new(0.0, 1.0, 0.0, 1.0), Vec4::ONE, Vec4::ONE]);
}

/// Two unit squares that meet along the y axis, the second bent up by `z` over its width.
fn bent(z: f32, before: [&str; 2]) -> String {
    format!(
        "v -1 0 0\nv 0 0 0\nv 0 1 0\nv -1 1 0\nv 1 0 {z}\nv 1 1 {z}\n{}\nf 1 2 3 4\n{}\nf 2 5 6 3\n",
        before[0], before[1]
    )
}

fn shared_edge_is_smooth(loaded: &Loaded) -> bool {
    let mesh = &loaded.scene.meshes()[0];
    let normals = mesh.normals().unwrap();
    let is_there = |v: &usize| mesh.positions()[*v] == Vec3::ZERO;
    let at_origin: Vec<Vec3> = (0..normals.len()).filter(is_there).map(|v| normals[v]).collect();
    assert!(!at_origin.is_empty());
    at_origin.iter().all(|n| *n == at_origin[0] && *n != Vec3::ZERO)
}

#[test]
fn missing_normals_are_smoothed_up_to_the_crease_angle() {
    // atan(1.7) = 59.5°, atan(1.8) = 60.9°.
    let below = read(bent(1.7, ["", ""]));
    assert!(shared_edge_is_smooth(&below));
    assert_eq!(below.normals.creases, 4);
    let above = read(bent(1.8, ["", ""]));
    assert!(!shared_edge_is_smooth(&above));
    // Below the angle the normal is the mean of both faces, each with a right angle there.
    let flat = read(bent(1.0, ["", ""]));
    let mesh = &flat.scene.meshes()[0];
    let origin = mesh.positions().iter().position(|p| *p == Vec3::ZERO).unwrap();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let mean = (Vec3::Z + Vec3::new(-half, 0.0, half)).normalize();
    assert!((mesh.normals().unwrap()[origin] - mean).length() < 1e-6);
}

#[test]
fn smoothing_groups_decide_where_the_file_has_them() {
    let one = read(bent(5.0, ["s 1", ""]));
    assert!(shared_edge_is_smooth(&one));
    assert_eq!(one.normals.smoothing_groups, 4);
    let two = read(bent(0.1, ["s 1", "s 2"]));
    assert!(!shared_edge_is_smooth(&two));
    let half = read(bent(0.1, ["s 1", "s off"]));
    assert_eq!((half.normals.smoothing_groups, half.normals.flat), (2, 2));
    let normals = half.scene.meshes()[0].normals().unwrap();
    assert!(normals.contains(&Vec3::ZERO) && normals.contains(&Vec3::Z));
}

#[test]
fn the_normals_policy_overrides_the_file() {
    let folder = Folder::new();
    let path = folder.write("a.obj", format!("{}vn 0 1 0\n", bent(5.0, ["s 0", ""])));
    let with = |normals| load(&path, &Options { normals, ..Options::default() }).unwrap();
    assert!(with(NormalsPolicy::Flat).scene.meshes()[0].normals().is_none());
    let smooth = with(NormalsPolicy::Smooth);
    assert!(shared_edge_is_smooth(&smooth) && smooth.normals.smooth == 4);
}

#[test]
fn broken_vertices_and_faces_without_area_are_dropped_and_counted() {
    let loaded = read(format!(
        "{TRIANGLE}v nan 0 0\nv -1.#IND 0 0\nv 2 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\nf 1 2 6\nf 1 2 2\nf 1 1 1\nf 1 2\nl 1 2 3\np 1\n"
    ));
    assert_eq!(loaded.scene.triangle_count(), 1);
    for warning in [
        Warning::NotFinite { triangles: 3 },
        Warning::Degenerate { faces: 2 },
        Warning::NoSurface { points: 1, lines: 2 },
    ] {
        assert!(loaded.warnings.contains(&warning), "{warning:?}: {:?}", loaded.warnings);
    }
}

#[test]
fn points_and_lines_are_drawn_where_there_is_nothing_else_or_on_request() {
    let vertices = "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nv 9 9 9 1 1 1\n";
    let with = |elements: &str, points| {
        let folder = Folder::new();
        let path = folder.write("a.obj", format!("{vertices}{elements}"));
        let options = Options { points, ..Options::default() };
        load(&path, &options)
    };
    let triangles = |elements: &str, points| with(elements, points).unwrap().scene.triangle_count();
    // A vertex that no element names is not drawn; an index that does not exist names nothing.
    assert_eq!(triangles("p 1 2\np -2 77\n", Points::Alone), 3 * 128);
    assert_eq!(triangles("l 1/1 2/1 3\nf 1 3\n", Points::Alone), 3 * 128 + 3 * 12);
    assert_eq!(triangles("f 1 2 3\nl 1 2\n", Points::Alone), 1);
    assert_eq!(triangles("f 1 2 3\nl 1 2\n", Points::Always), 1 + 2 * 128 + 12);
    // Vertices alone may be half of a file.
    assert!(with("", Points::Alone).is_err());
    assert_eq!(triangles("", Points::Always), 4 * 128);
    let loaded = with("p 2\np 3\n", Points::Alone).unwrap();
    let colors = loaded.scene.meshes()[0].colors().unwrap();
    assert_eq!((colors[0].truncate(), colors.last().unwrap().truncate()), (Vec3::Y, Vec3::Z));
}

fn with_material(mtl: impl AsRef<[u8]>) -> Loaded {
    let folder = Folder::new();
    folder.write("my mat.mtl", mtl);
    folder.write("tex/a b.png", png(1, 2, &[[1, 2, 3, 4], [5, 6, 7, 8]]));
    folder.write("r.png", png(1, 1, &[[100, 100, 100, 255]]));
    folder.write("m.png", png(1, 1, &[[200, 200, 200, 255]]));
    let obj = format!("mtllib my mat.mtl\n{TRIANGLE}vt 0 0\nusemtl my mat # wood\nf 1/1 2/1 3/1\n");
    folder.load("a.obj", obj).unwrap()
}

#[test]
fn material_factors_are_read_and_made_linear() {
    let loaded = with_material(
        "newmtl other\nKd 1 1 1\nnewmtl my mat\nkd 1 0 0.5\nKs 1 1 1\nNs 30\nillum 2\nd 0.25\nKe 0 1 0\nPm 0.75\n",
    );
    let material = &loaded.scene.materials()[0];
    assert!((material.base_color - Vec4::new(1.0, 0.0, 0.214_041_14, 0.25)).length() < 1e-6);
    assert_eq!((material.alpha_mode, material.metallic), (AlphaMode::Blend, 0.75));
    assert_eq!(material.roughness, 0.5); // (2 / 32)^(1/4)
    assert_eq!(material.emissive, Vec3::Y);
    assert!(material.double_sided && loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

#[test]
fn transparency_that_would_hide_all_is_read_as_opacity() {
    for (line, alpha) in [("Tr 1", 1.0), ("Tr 0.25", 0.75), ("d 0.5\nTr 0.25", 0.5)] {
        let loaded = with_material(format!("newmtl my mat\n{line}\n"));
        assert_eq!(loaded.scene.materials()[0].base_color.w, alpha, "{line}");
    }
}

#[test]
fn texture_paths_may_be_quoted_back_slashed_and_have_options_and_spaces() {
    for path in [
        "tex/a b.png",
        "\"tex/a b.png\"",
        "tex\\a b.png",
        ".\\tex\\a b.png",
        "-clamp on -s 2 2 2 tex/a b.png",
    ] {
        let loaded = with_material(format!("newmtl my mat\nKd 0 0 0\nmap_Kd {path}\n"));
        let scene = &loaded.scene;
        assert!(loaded.warnings.is_empty(), "{path}: {:?}", loaded.warnings);
        let texture = scene.materials()[0].base_color_texture().unwrap();
        assert_eq!(scene.textures()[texture.texture].texels()[1], [5, 6, 7, 8], "{path}");
        // Black next to a texture means only the texture.
        assert_eq!(scene.materials()[0].base_color, Vec4::ONE, "{path}");
        if path.starts_with('-') {
            assert_eq!(scene.textures()[0].wrap(), [Wrap::ClampToEdge; 2]);
            assert_eq!(texture.transform.apply(Vec2::new(0.5, 1.0)), Vec2::new(1.0, 1.0));
        }
    }
}

#[test]
fn separate_maps_are_put_into_the_channels_of_gltf() {
    let loaded = with_material(
        "newmtl my mat\nmap_Pr r.png\nmap_Pm m.png\nmap_Kd tex/a b.png\nmap_d r.png\nnorm -bm 0.5 m.png\n",
    );
    let scene = &loaded.scene;
    let material = &scene.materials()[0];
    let texel = |slot: Slot| scene.textures()[material.textures[slot].unwrap().texture].texels()[0];
    let [_, green, blue, _] = texel(Slot::MetallicRoughness);
    assert_eq!((green, blue), (100, 200));
    assert_eq!((material.metallic, material.roughness), (1.0, 1.0));
    assert_eq!(texel(Slot::BaseColor), [1, 2, 3, 100]);
    assert_eq!(material.alpha_mode, AlphaMode::Blend);
    assert_eq!((texel(Slot::Normal), material.normal_scale), ([200, 200, 200, 255], 0.5));
}

#[test]
fn what_libraries_lack_is_a_warning() {
    let loaded = read(format!("mtllib no.mtl\nusemtl x\n{TRIANGLE}f 1 2 3\n"));
    assert_warns!(loaded, [Warning::MaterialLibrary { .. }]);
    let loaded = with_material("newmtl else\n");
    assert_warns!(loaded, [Warning::UndefinedMaterials { count: 1, .. }]);
    let loaded = with_material("newmtl my mat\nmap_Kd no.png\nNs x\nKd 1 2\nbump b.png\n");
    use Warning::{Lines, MaterialFeature, Texture};
    let is_one =
        |w: &Warning| matches!(w, Lines { count: 2, .. } | Texture { .. } | MaterialFeature { .. });
    let all = &loaded.warnings;
    assert!(all.len() == 3 && all.iter().all(is_one), "{all:?}");
    assert_eq!(loaded.scene.materials()[0].base_color, Vec4::ONE);
}

#[test]
fn options_of_a_map_that_is_drawn_with_another_are_a_warning() {
    let features = |mtl: &str| {
        let loaded = with_material(format!("newmtl my mat\n{mtl}\n"));
        let is_feature = |w: &&Warning| matches!(w, Warning::MaterialFeature { .. });
        loaded.warnings.iter().filter(is_feature).count()
    };
    for same in ["map_Kd r.png\nmap_d m.png", "map_Kd -o 1 0 r.png\nmap_d -o 1 0 m.png"] {
        assert_eq!(features(same), 0, "{same}");
    }
    for other in [
        "map_Kd -o .5 0 0 r.png\nmap_d m.png",
        "map_Pr r.png\nmap_Pm -s 2 2 2 m.png",
        "map_d -imfchan r r.png",
        "map_Kd -mm 0 .5 r.png",
    ] {
        assert_eq!(features(other), 1, "{other}");
    }
}

#[test]
fn a_comment_that_ends_in_a_backslash_ends_with_its_line() {
    let loaded = read(format!("# C:\\models\\\n{TRIANGLE}v 5 5 5\n# \\\nf 1 2 \\\n3\n"));
    assert_eq!(loaded.scene.meshes()[0].triangles().len(), 1);
    let far = loaded.scene.meshes()[0].positions().iter().any(|at| at.x > 4.0);
    assert!(!far && loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

#[test]
fn bytes_that_are_not_utf8_are_read_as_latin_1() {
    let folder = Folder::new();
    folder.write("m.mtl", b"newmtl gr\xFCn\nKd 0 1 0\n");
    let mut obj = format!("mtllib m.mtl\n{TRIANGLE}").into_bytes();
    obj.extend(b"# \xA9\no K\xF6rper\nusemtl gr\xFCn\nf 1 2 3\n");
    let loaded = folder.load("a.obj", obj).unwrap();
    assert_eq!(loaded.scene.materials()[0].base_color, Vec4::new(0.0, 1.0, 0.0, 1.0));
    assert_eq!(loaded.warnings, [Warning::NotUtf8 { count: 2 }]);
}

#[test]
fn each_material_becomes_one_mesh_in_order_of_use() {
    let loaded = read(format!(
        "{TRIANGLE}v 1 1 0\nusemtl b\nf 1 2 3\nusemtl a\nf 2 4 3\nusemtl b\nf 1 2 4\n"
    ));
    let counts: Vec<usize> = loaded.scene.meshes().iter().map(|m| m.triangles().len()).collect();
    let names: Vec<&str> = loaded.scene.materials().iter().map(|m| m.name.as_str()).collect();
    assert_eq!((counts, names), (vec![2, 1], vec!["b", "a"]));
}
