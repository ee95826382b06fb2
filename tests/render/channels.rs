//! Channels that no light decides, against closed forms. One body for all: the CPU's, or the card's
//! that `MESHJUDGE_GPU` declares.

use crate::support::scenes::{
    self, front_rig, moved, one_view, scene, scene_of, sphere, square, textured,
};
use glam::{Vec3, Vec4};
use meshjudge::unstable::render::{Background, Channel, Frame, Image, Settings, draw};
use meshjudge::unstable::rig::Rig;
use meshjudge::unstable::scene::{
    AlphaMode, ColorSpace, Material, Scene, Slot, Texture, TextureRef, Wrap,
};

fn settings(size: u32) -> Settings {
    Settings { background: Background::Black, ..scenes::settings(size, &Channel::ALL) }
}

fn perspective() -> Rig {
    one_view("projection = 'perspective'\nfov_y_degrees = 50.0\nfit = 1.1", 30.0, 20.0)
}

fn draw_one(scene: &Scene, rig: &Rig, size: u32) -> Frame {
    draw(scene, rig, &settings(size)).unwrap().remove(0)
}

fn floats(image: &Image, x: u32, y: u32) -> Vec<f32> {
    let (floats, _) = image.pixel(x, y).as_chunks::<4>();
    floats.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

fn steps(image: &Image, x: u32, y: u32) -> u16 {
    u16::from_be_bytes(image.pixel(x, y).try_into().unwrap())
}

/// sRGB of linear light (IEC 61966-2-1).
fn srgb(linear: f64) -> u8 {
    let encoded = if linear <= 0.003_130_8 {
        12.92 * linear
    } else {
        1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055
    };
    (encoded * 255.0).round() as u8
}

fn near(found: &[u8], expected: &[u8]) {
    let is_near = found.iter().zip(expected).all(|(a, b)| a.abs_diff(*b) <= 1);
    assert!(found.len() == expected.len() && is_near, "{found:?} for {expected:?}");
}

#[test]
fn material_channels_are_factors_times_textures() {
    let material = Material {
        base_color: Vec4::new(0.5, 0.2, 0.8, 1.0),
        metallic: 0.25,
        roughness: 0.6,
        emissive: Vec3::new(0.1, 0.0, 2.0),
        ..Material::default()
    };
    let frame = draw_one(&scene(square(1.0, 0.0, 0), material), &front_rig(1.0), 64);
    let at = |channel: Channel| frame.images[&channel].pixel(32, 32);
    near(at(Channel::BaseColor), &[srgb(0.5), srgb(0.2), srgb(0.8)]);
    near(at(Channel::MetallicRoughness), &[0, 153, 64]);
    near(at(Channel::Emissive), &[srgb(0.1), 0, 255]);
    assert_eq!(at(Channel::Opacity), [255]);
    for channel in Channel::ALL.into_iter().filter(|c| *c != Channel::Rgb && *c != Channel::Matte) {
        let corner = frame.images[&channel].pixel(0, 0);
        assert!(corner.iter().all(|&byte| byte == 0), "{channel:?} where nothing is: {corner:?}");
    }
}

#[test]
fn a_glass_of_half_alpha_is_half_opaque_wherever_it_is() {
    let pane = |alpha: f32| Material {
        base_color: Vec4::new(1.0, 0.0, 0.0, alpha),
        alpha_mode: AlphaMode::Blend,
        ..Material::default()
    };
    let frame = draw_one(&scene(square(1.0, 0.0, 0), pane(0.25)), &front_rig(1.0), 33);
    let (opacity, mask) = (&frame.images[&Channel::Opacity], &frame.images[&Channel::Mask]);
    let mut partly = 0;
    for y in 0..33 {
        for x in 0..33 {
            let (o, m) = (opacity.pixel(x, y)[0], mask.pixel(x, y)[0]);
            assert_eq!(o, if m > 0 { 64 } else { 0 }, "{x} {y}");
            partly += u32::from(m > 0 && m < 60);
        }
    }
    assert!(partly > 40, "edges that are partly covered were looked at");
    // Two panes over each other: 1 − 0.75². The nearer one is no surface with a depth.
    let two = scene_of(vec![square(1.0, 0.0, 0), square(1.0, 0.3, 0)], vec![pane(0.25)]);
    let frame = draw_one(&two, &front_rig(1.0), 32);
    near(frame.images[&Channel::Opacity].pixel(16, 16), &[112]);
    assert_eq!(floats(&frame.images[&Channel::Z], 16, 16), [0.0]);
    let most =
        scene_of(vec![square(1.0, 0.0, 0), square(1.0, 0.3, 1)], vec![pane(0.25), pane(0.75)]);
    let frame = draw_one(&most, &front_rig(1.0), 32);
    assert_eq!(steps(&frame.images[&Channel::Part], 16, 16), 2);
}

#[test]
fn places_are_the_points_that_their_pixels_see() {
    let (rig, size) = (perspective(), 96);
    let parts = moved(sphere(64, 128), |p| p * 3.0 + Vec3::new(5.0, -2.0, 1.0));
    let scene = scene(parts, Material::default());
    let frame = draw_one(&scene, &rig, size);
    let camera = rig.camera(0);
    let (near_z, far_z) = camera.near_and_far(1.0);
    assert_eq!(frame.images[&Channel::ExpectedZ], frame.images[&Channel::Z]);
    let mut seen = 0;
    for y in 0..size {
        for x in 0..size {
            let place = floats(&frame.images[&Channel::Position], x, y);
            let z = f64::from(floats(&frame.images[&Channel::Z], x, y)[0]);
            assert_eq!(place[3] == 1.0, z != 0.0, "{x} {y}");
            if z == 0.0 {
                assert_eq!(steps(&frame.images[&Channel::Depth], x, y), 0);
                continue;
            }
            seen += 1;
            let point = glam::DVec3::new(place[0].into(), place[1].into(), place[2].into());
            assert!((point.length() - 1.0).abs() < 3e-3, "on the sphere of radius 1");
            let view = camera.view_from_world() * point.extend(1.0);
            let clip = camera.clip_from_view(1.0, near_z, far_z) * view;
            let pixel = |share: f64| (share / clip.w + 1.0) / 2.0 * f64::from(size);
            let off = [pixel(clip.x) - f64::from(x) - 0.5, pixel(-clip.y) - f64::from(y) - 0.5];
            assert!(off.iter().all(|o| o.abs() < 0.51), "{off:?}");
            assert!((z + view.z).abs() < 2e-5, "{z} for {}", -view.z);
            let share = (z - near_z) / (far_z - near_z);
            let step = f64::from(steps(&frame.images[&Channel::Depth], x, y));
            assert!((step - (1.0 + (1.0 - share) * 65534.0)).abs() < 1.0);
            assert_eq!(steps(&frame.images[&Channel::Part], x, y), 1);
        }
    }
    assert!(seen > 3000, "{seen}");
}

/// Opaque, through glass, of wires that are drawn again larger, and of triangles as small as a
/// pixel: every depth is that of the position, and on the mean neither nearer nor farther than the
/// sphere is at the pixels' centres.
#[test]
fn depths_are_those_of_the_position_and_not_biased_towards_the_camera() {
    let rig = perspective();
    let camera = rig.camera(0);
    let (near_z, far_z) = camera.near_and_far(1.0);
    let glass = Material {
        base_color: Vec4::new(0.2, 0.4, 0.9, 0.6),
        alpha_mode: AlphaMode::Blend,
        double_sided: true,
        ..Material::default()
    };
    let wires = scenes::wires(0.006, &[4.0, 50.0, 87.0], 0);
    let plain = Material::default;
    for (parts, material, is_sphere) in [
        (sphere(64, 128), plain(), true),
        (sphere(400, 800), plain(), true),
        (sphere(64, 128), glass, true),
        (wires, plain(), false),
    ] {
        let size = 96;
        let frame = draw_one(&scene(parts, material), &rig, size);
        let (mut seen, mut bias, mut inner) = (0, 0.0, 0);
        for (x, y) in (0..size).flat_map(|y| (0..size).map(move |x| (x, y))) {
            let place = floats(&frame.images[&Channel::Position], x, y);
            if place[3] == 0.0 {
                continue;
            }
            seen += 1;
            let point = glam::DVec3::new(place[0].into(), place[1].into(), place[2].into());
            let depth = -(camera.view_from_world() * point.extend(1.0)).z;
            let z = f64::from(floats(&frame.images[&Channel::Z], x, y)[0]);
            assert!((z - depth).abs() < 2e-5, "{x} {y}: {z} and {depth}");
            let share = (depth - near_z) / (far_z - near_z);
            let ndc = far_z / depth * (depth - near_z) / (far_z - near_z);
            for (channel, share) in [(Channel::Depth, share), (Channel::NdcDepth, ndc)] {
                let step = f64::from(steps(&frame.images[&channel], x, y));
                let off = (step - (1.0 + (1.0 - share) * 65534.0)).abs();
                assert!(off < 3.0, "{channel:?} {x} {y}");
            }
            // The ray through the pixel's centre meets the unit sphere where t² − 2bt + c = 0.
            let side = |at: u32| (f64::from(at) + 0.5) / f64::from(size) * 2.0 - 1.0;
            let tangent = libm::tan(25_f64.to_radians());
            let ray =
                camera.right * (side(x) * tangent) - camera.up * (side(y) * tangent) - camera.back;
            let eye = camera.position();
            let (a, b, c) = (ray.length_squared(), -ray.dot(eye), eye.length_squared() - 1.0);
            let root = b * b - a * c;
            if is_sphere && root > 0.1 * b * b * 0.1 {
                bias += z - (b - root.sqrt()) / a;
                inner += 1;
            }
        }
        assert!(seen > if is_sphere { 3000 } else { 150 }, "{seen}");
        let bias = bias / f64::from(inner.max(1));
        println!("{seen} pixels, mean bias {bias:.6} of {inner}");
        // The nearest of four samples was 0.0014 (512 px) to 0.0097 (64 px) too near. The coarser
        // sphere's flat triangles are
        // inside the sphere, by 6e-4 across.
        assert!(bias.abs() < 1.2e-3, "{bias}");
    }
}

#[test]
fn depth_is_linear_and_the_old_one_has_a_name() {
    // Three squares side by side at depths a, b, c: linear depth has their proportions, clip
    // space's not.
    let strip = |x: f32, z: f32| moved(square(0.2, z, 0), |p| p + Vec3::X * x);
    let strips = vec![strip(-0.5, 0.5), strip(0.0, 0.0), strip(0.5, -0.5)];
    let scene = scene_of(strips, vec![Material::default()]);
    let rig = Rig::parse("name = 'x'\nnormalise = { by = 'matrix', scale = 1.0, offset = [0.0, 0.0, 0.0] }\n[camera]\nprojection = 'perspective'\nfov_y_degrees = 60.0\ndistance = 2.0\n[[view]]\nazimuth_degrees = 0.0\nelevation_degrees = 0.0", "x").unwrap();
    let frame = draw_one(&scene, &rig, 200);
    let px =
        |x: f64, z: f64| ((x / (2.0 - z) / libm::tan(30_f64.to_radians()) + 1.0) * 100.0) as u32;
    let at = |channel: Channel| {
        [(-0.5, 0.5), (0.0, 0.0), (0.5, -0.5)]
            .map(|(x, z)| frame.images[&channel].pixel(px(x, z), 100).to_vec())
    };
    let z = at(Channel::Z).map(|b| f32::from_le_bytes(b.try_into().unwrap()));
    for (found, expected) in z.iter().zip([1.5, 2.0, 2.5]) {
        assert!((found - expected).abs() < 1e-5, "{found}");
    }
    let ratio = |channel| {
        let depth = |bytes: Vec<u8>| f64::from(u16::from_be_bytes(bytes.try_into().unwrap()));
        let [a, b, c] = at(channel).map(depth);
        (a - b) / (b - c)
    };
    assert!((ratio(Channel::Depth) - 1.0).abs() < 1e-3, "{}", ratio(Channel::Depth));
    assert!(ratio(Channel::NdcDepth) > 1.5, "{}", ratio(Channel::NdcDepth));
    assert_eq!(steps(&frame.images[&Channel::Part], px(0.5, -0.5), 100), 3);
}

#[test]
fn texture_coordinates_run_as_the_file_has_them() {
    let scene = scene(square(1.0, 0.0, 0), Material::default());
    let frame = draw_one(&scene, &front_rig(std::f64::consts::FRAC_1_SQRT_2), 64);
    for (x, y) in [(0, 0), (13, 40), (60, 20)] {
        let uv = floats(&frame.images[&Channel::Uv], x, y);
        let expected = [(x as f32 + 0.5) / 64.0, (y as f32 + 0.5) / 64.0];
        assert!((uv[0] - expected[0]).abs() < 1e-5 && (uv[1] - expected[1]).abs() < 1e-5, "{uv:?}");
        assert_eq!(uv[2..], [0.0, 1.0]);
    }
}

#[test]
fn shading_normals_are_turned_by_the_normal_map_and_geometric_ones_are_not() {
    // A map that leans 0.6 to the right everywhere.
    let texel = [204, 128, 230, 255];
    let texture =
        Texture::new("lean".into(), 2, 2, vec![texel; 4], ColorSpace::Linear, [Wrap::Repeat; 2])
            .unwrap();
    let material = Material {
        textures: [(Slot::Normal, Some(TextureRef::plain(0)))].into(),
        ..Material::default()
    };
    let scene = textured(square(1.0, 0.0, 0), material, vec![texture]);
    let frame = draw_one(&scene, &one_view("projection = 'orthographic'", 30.0, 0.0), 64);
    let at = |channel: Channel| frame.images[&channel].pixel(32, 32);
    let encoded = |n: [f64; 3]| n.map(|c| ((c + 1.0) / 2.0 * 255.0).round() as u8);
    near(at(Channel::Normal), &encoded([0.0, 0.0, 1.0]));
    near(at(Channel::ShadingNormal), &encoded([0.6, 0.0, 0.8]));
    let (sin, cos) = libm::sincos(30_f64.to_radians());
    near(at(Channel::CameraNormal), &encoded([-sin, 0.0, cos]));
    near(
        at(Channel::CameraShadingNormal),
        &encoded([0.6 * cos - 0.8 * sin, 0.0, 0.6 * sin + 0.8 * cos]),
    );
}

#[test]
fn other_channels_keep_their_bytes_whatever_is_drawn_beside_them() {
    let scene = crate::support::assets::demo_scene("vase_clean.glb");
    let rig = Rig::builtin("four-view").unwrap();
    let all = draw(&scene, &rig, &settings(96)).unwrap();
    for channel in Channel::ALL {
        let alone = Settings { channels: vec![channel], ..settings(96) };
        for (one, all) in draw(&scene, &rig, &alone).unwrap().iter().zip(&all) {
            assert!(one.images[&channel] == all.images[&channel], "{channel:?}");
        }
    }
}
