//! Cameras of other tools' files: outlines against a projection of the test's own, conventions
//! found, files written and read back.

use crate::support::assets::{Folder, demo};
use crate::support::scenes::{self, flat_color, scene};
use glam::{DMat3, DVec3};
use meshjudge::unstable::ask::Drawing;
use meshjudge::unstable::front::{PictureFormat, draw_to_folder};
use meshjudge::unstable::load::Options;
use meshjudge::unstable::options::ViewOptions;
use meshjudge::unstable::render::{Channel, Settings, draw};
use meshjudge::unstable::rig::{CamerasError, NamedConvention, Rig};
use meshjudge::unstable::scene::{MeshParts, Scene};
use std::path::Path;
use std::time::Duration;

const SIZE: [u32; 2] = [200, 150];

/// Focal lengths and principal point, off the middle.
const K: [f64; 4] = [210.0, 190.0, 108.0, 70.5];

const CORNERS: [f64; 3] = [0.5, 0.3, 0.2];

/// A box around a point off the origin.
fn center() -> DVec3 {
    DVec3::new(0.1, -0.05, 0.15)
}

fn corners() -> [DVec3; 8] {
    std::array::from_fn(|k| {
        let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        center() + DVec3::new(sign(0), sign(1), sign(2)) * DVec3::from(CORNERS)
    })
}

fn box_scene() -> Scene {
    let mut parts =
        MeshParts { positions: corners().map(|c| c.as_vec3()).to_vec(), ..MeshParts::default() };
    for [a, b, c, d] in
        [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    {
        parts.triangles.extend([[a, c, b], [a, d, c]]);
    }
    let mut material = flat_color([1.0, 0.5, 0.2, 1.0]);
    material.double_sided = true;
    scene(parts, material)
}

/// World to camera, OpenCV axes: looking from `eye` a little past the origin, rolled.
fn world_to_camera(eye: DVec3, past: DVec3, roll_degrees: f64) -> (DMat3, DVec3) {
    let forward = (past - eye).normalize();
    let right = forward.cross(DVec3::Y).normalize();
    let down = forward.cross(right);
    let (sin, cos) = libm::sincos(roll_degrees.to_radians());
    let (right, down) = (right * cos + down * sin, down * cos - right * sin);
    let turn = DMat3::from_cols(right, down, forward).transpose();
    (turn, -(turn * eye))
}

fn cameras() -> [(DMat3, DVec3); 3] {
    [
        world_to_camera(DVec3::new(0.4, 0.7, 1.9), DVec3::new(0.05, 0.0, 0.1), 12.0),
        world_to_camera(DVec3::new(-1.5, 0.2, -0.8), DVec3::new(0.0, -0.1, 0.0), -25.0),
        world_to_camera(DVec3::new(0.9, -1.1, 1.2), DVec3::ZERO, 5.0),
    ]
}

/// The outline that a camera sees, as a convex polygon in pixels, by `K [R | t]`.
fn outline((turn, moved): (DMat3, DVec3)) -> Vec<[f64; 2]> {
    let [fx, fy, cx, cy] = K;
    let mut points = corners().map(|corner| {
        let p = turn * corner + moved;
        assert!(p.z > 0.0);
        [fx * p.x / p.z + cx, fy * p.y / p.z + cy]
    });
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut hull: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = hull[..] {
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        }
        hull.pop();
        hull
    };
    let mut hull = half(&mut points.into_iter());
    hull.extend(half(&mut points.into_iter().rev()));
    hull
}

/// Pixels whose middle is on the other side of the outline than the mask, drawn twice as large,
/// says; for each pixel of the outline.
fn wrong_per_edge_pixel(mask: &[u8], outline: &[[f64; 2]], off: f64) -> f64 {
    let [width, height] = SIZE.map(|edge| edge as usize);
    let is_in = |x: usize, y: usize| {
        let p = [x as f64 + 0.5 - off, y as f64 + 0.5];
        (0..outline.len()).all(|k| {
            let (a, b) = (outline[k], outline[(k + 1) % outline.len()]);
            (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) >= 0.0
        })
    };
    let (mut wrong, mut edge) = (0, 0);
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let inside = is_in(x, y);
            // 16 samples: of four alone a quarter of the pixels would be undecided.
            let four = [(0, 0), (1, 0), (0, 1), (1, 1)]
                .map(|(i, j)| u32::from(mask[(2 * y + j) * 2 * width + 2 * x + i]));
            wrong += u32::from(inside != (four.iter().sum::<u32>() > 2 * 255));
            let around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)];
            edge += u32::from(inside && around.iter().any(|&(x, y)| !is_in(x, y)));
        }
    }
    assert!(edge > 100, "{edge}");
    f64::from(wrong) / f64::from(edge)
}

/// Draws the box through a file of cameras and compares every outline.
fn check_outlines(path: &Path, named: &str) {
    let named: NamedConvention = match named {
        "" => NamedConvention::default(),
        named => named.parse().unwrap(),
    };
    let lens = "name = 'lens'\nsize_px = [200, 150]\nnormalise = { by = 'matrix', scale = 1.0, offset = [0.0, 0.0, 0.0] }\n[camera]\nprojection = 'perspective'\nfocal_px = [210.0, 190.0]\ndistance = 2.0\n[[view]]\nazimuth_degrees = 0.0\nelevation_degrees = 0.0";
    let lens = Rig::parse(lens, "lens").unwrap();
    let has_lens = path.extension().is_none_or(|e| e != "npy");
    let (mut rig, _) = Rig::from_cameras(path, named, (!has_lens).then_some(&lens)).unwrap();
    if !has_lens {
        // A matrix alone knows no principal point.
        for view in &mut rig.views {
            let found = view.lens.as_mut().map(|lens| lens.focal_ratio);
            assert_eq!(found, None);
            view.lens = Some(meshjudge::unstable::rig::Lens {
                principal_point: [K[2] / 200.0, K[3] / 150.0],
                focal_ratio: K[0] / K[1],
            });
        }
    }
    let height_px = 2 * SIZE[1];
    let settings = Settings { height_px, ..scenes::settings(2 * SIZE[0], &[Channel::Mask]) };
    let frames = draw(&box_scene(), &rig, &settings).unwrap();
    assert_eq!(frames.len(), cameras().len());
    for (frame, camera) in frames.iter().zip(cameras()) {
        let (mask, outline) = (&frame.images[&Channel::Mask].pixels, outline(camera));
        let wrong = wrong_per_edge_pixel(mask, &outline, 0.0);
        assert!(wrong <= 0.15, "{path:?}: {wrong}");
        for slightly in [-0.25, 0.25] {
            assert!(wrong_per_edge_pixel(mask, &outline, slightly) > wrong, "{path:?}");
        }
        let off = wrong_per_edge_pixel(mask, &outline, 0.5);
        assert!(off > 0.15, "half a pixel off is seen: {off}");
    }
}

fn rows(columns: [DVec3; 4]) -> [[f64; 4]; 3] {
    std::array::from_fn(|r| columns.map(|column| column[r]))
}

/// Camera to world in OpenGL axes, as columns, in our world.
fn camera_to_world((turn, moved): (DMat3, DVec3)) -> [DVec3; 4] {
    let back = turn.transpose();
    [back.x_axis, -back.y_axis, -back.z_axis, -(back * moved)]
}

fn to_blender(v: DVec3) -> DVec3 {
    DVec3::new(v.x, -v.z, v.y)
}

#[test]
fn outlines_through_files_of_other_tools_lie_within_half_a_pixel() {
    let folder = Folder::new();
    let [fx, fy, cx, cy] = K;
    let intrinsics = serde_json::json!({ "fl_x": fx, "fl_y": fy, "cx": cx, "cy": cy, "w": SIZE[0], "h": SIZE[1] });
    let with_frames = |extra: serde_json::Value, columns: &dyn Fn([DVec3; 4]) -> [DVec3; 4]| {
        let frame = |camera| serde_json::json!({ "file_path": "./images/a.png", "transform_matrix": rows(columns(camera_to_world(camera))) });
        let mut file = intrinsics.clone();
        file["frames"] = cameras().map(frame).to_vec().into();
        for (key, value) in extra.as_object().unwrap() {
            file[key] = value.clone();
        }
        file.to_string()
    };
    let nerf = with_frames(serde_json::json!({}), &|c| c.map(to_blender));
    check_outlines(&folder.write("transforms.json", nerf), "");

    // nerfstudio: the source turned as (x, z, −y), moved, and then scaled.
    let applied = serde_json::json!({ "applied_transform": [[1, 0, 0, 0.5], [0, 0, 1, -0.25], [0, -1, 0, 2]], "applied_scale": 0.4 });
    let turn = |v: DVec3| DVec3::new(v.x, v.z, -v.y);
    let moved = |[a, b, c, eye]: [DVec3; 4]| {
        let eye = (turn(eye) + DVec3::new(0.5, -0.25, 2.0)) * 0.4;
        [turn(a), turn(b), turn(c), eye]
    };
    check_outlines(&folder.write("studio.json", with_frames(applied, &moved)), "");

    let mut images = "# images\n".to_owned();
    for (k, (turn, t)) in cameras().into_iter().enumerate() {
        let q = glam::DQuat::from_mat3(&turn);
        // The line of points is empty in one and full in another.
        let points = ["", "1.0 2.0 -1 3.5 4.5 7", ""][k];
        images += &format!(
            "{k} {} {} {} {} {} {} {} 7 a view {k}.png\n{points}\n",
            q.w, q.x, q.y, q.z, t.x, t.y, t.z
        );
    }
    folder.write("cameras.txt", format!("# cameras\n7 PINHOLE 200 150 {fx} {fy} {cx} {cy}\n"));
    let path = folder.write("images.txt", images);
    check_outlines(&path, "");
    let (rig, _) =
        Rig::from_cameras(path.parent().unwrap(), NamedConvention::default(), None).unwrap();
    assert_eq!(rig.views[2].name, "a view 2");

    // Matrices alone, in each meaning; the first is found, the others are found or named.
    let npy = |matrix: &dyn Fn((DMat3, DVec3)) -> [[f64; 4]; 3]| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        let header =
            format!("{:<117}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3, 4), }");
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.into_bytes());
        bytes.extend(
            cameras()
                .into_iter()
                .flat_map(|c| matrix(c).into_iter().flatten().flat_map(f64::to_le_bytes)),
        );
        bytes
    };
    let opencv = |(turn, t): (DMat3, DVec3)| rows([turn.x_axis, turn.y_axis, turn.z_axis, t]);
    check_outlines(&folder.write("cv.npy", npy(&opencv)), "");
    check_outlines(&folder.write("cv.npy", npy(&opencv)), "w2c,opencv,y-up");
    let opengl = |camera: (DMat3, DVec3)| {
        let [right, up, back, eye] = camera_to_world(camera).map(to_blender);
        let turn = DMat3::from_cols(right, up, back).transpose();
        let t = -(turn * eye);
        rows([turn.x_axis, turn.y_axis, turn.z_axis, t])
    };
    check_outlines(&folder.write("gl.npy", npy(&opengl)), "");
    let c2w = |camera: (DMat3, DVec3)| rows(camera_to_world(camera));
    check_outlines(&folder.write("c2w.npy", npy(&c2w)), "");
    // A wrong name is believed, and seen.
    let wrong = Rig::from_cameras(
        &folder.write("gl.npy", npy(&opengl)),
        "w2c,opencv,z-up".parse().unwrap(),
        None,
    );
    assert!(wrong.is_err() || wrong.unwrap().0.camera(0).distance() < 0.0);
}

#[test]
fn what_a_render_writes_is_read_back_as_the_same_pictures() {
    let loaded = meshjudge::load_asset(demo("chair_clean.glb")).unwrap();
    let folder = Folder::new();
    for rig in ["ring", "six", "trellis-cond", "syncdreamer"] {
        let options = ViewOptions {
            rig: Some(rig.into()),
            views: Some(4),
            tile_px: Some(64),
            background: Some(meshjudge::unstable::render::Background::White),
            renderer: scenes::renderer(),
            ..ViewOptions::default()
        };
        let channels = [Channel::Rgb, Channel::Mask];
        let drawing = Drawing::new(&options, "ring", None, &channels).unwrap();
        let out = folder.dir.path().join(rig);
        let (plain, png, pictures) = (Options::default(), PictureFormat::Png, (&drawing, &[][..]));
        draw_to_folder(&loaded, &plain, Duration::ZERO, pictures, png, &out).unwrap();
        let cameras = Some(out.join("transforms.json"));
        let read = ViewOptions { rig: None, views: None, cameras, ..options };
        let again = Drawing::new(&read, "ring", None, &channels).unwrap();
        assert_eq!((again.settings.width_px, again.rig.views.len()), (64, drawing.rig.views.len()));
        let draw =
            |drawing: &Drawing| draw(&loaded.scene, &drawing.rig, &drawing.settings).unwrap();
        for (a, b) in draw(&drawing).iter().zip(draw(&again)) {
            let pairs =
                a.images[&Channel::Mask].pixels.iter().zip(&b.images[&Channel::Mask].pixels);
            let differ = pairs.filter(|(a, b)| a.abs_diff(**b) > 64).count();
            assert!(differ <= 2, "{rig}: {differ} pixels");
            assert!(a.coverage > 0.02);
        }
    }
}

#[test]
fn cameras_that_cannot_be_used_are_refused_with_the_reason() {
    let folder = Folder::new();
    let refused = |name: &str, bytes: &[u8]| {
        let path = folder.write(name, bytes);
        let error = Rig::from_cameras(&path, NamedConvention::default(), None).unwrap_err();
        (error.to_string(), matches!(error, CamerasError::Ambiguous { .. }))
    };
    let frame = r#"{"transform_matrix": [[1,0,0,0],[0,0,-1,-2],[0,1,0,0],[0,0,0,1]]}"#;
    let file = |head: &str| format!(r#"{{{head} "frames": [{frame}]}}"#);
    for (head, reason) in [
        ("", "no focal length"),
        (r#""camera_angle_x": 0.8, "k1": 0.01,"#, "distorted"),
        (r#""camera_angle_x": 0.8, "proj_type": 1,"#, "parallel rays"),
        (r#""camera_angle_x": 0.8, "w": 100000, "h": 2,"#, "pictures of"),
    ] {
        let (text, _) = refused("a.json", file(head).as_bytes());
        assert!(text.contains(reason), "{head}: {text}");
    }
    for (name, bytes) in [
        ("a.json", &b"{\"frames\": []}"[..]),
        ("a.json", b"{\"camera_angle_x\": 1, \"frames\": [{\"transform_matrix\": [[1,0,0,0],[0,2,0,0],[0,0,1,0]]}]}"),
        ("a.npy", b"\x93NUMPY\x01\x00\xff\xff"),
        ("a.npy", b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (99999999, 3, 4), } \n"),
        ("a.npy", b"\x93NUMPY\x01\x00\x46\x00{'descr': '|O', 'fortran_order': False, 'shape': (1, 3, 4), }        \n"),
        ("a.pkl", b"\x80\x03"),
        ("a.txt", b"?"),
    ] {
        refused(name, bytes);
    }
    folder.write("cameras.txt", "1 OPENCV 10 10 5 5 5 5 0.1 0 0 0\n");
    let (text, _) = refused("images.txt", b"1 1 0 0 0 0 0 0 1 a.png\n\n");
    assert!(text.contains("undistort"), "{text}");
    // One camera at the origin looks at it from nowhere.
    let mut bytes = b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3, 4), }       \n".to_vec();
    bytes.truncate(10 + 70);
    bytes.extend(
        [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0_f64]
            .into_iter()
            .flat_map(f64::to_le_bytes),
    );
    assert!(refused("b.npy", &bytes).1);
}
