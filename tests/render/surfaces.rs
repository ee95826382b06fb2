//! The renderer against closed forms: areas, silhouettes, normals, depths, order, edges. One body
//! for all: the CPU's, or the card's that `MESHJUDGE_GPU` declares.

use crate::support::scenes::{
    self, flat_color, front_rig, moved, one_view, scene, scene_of, sphere, square, textured, wires,
    with_threads,
};
use glam::{Vec3, Vec4};
use meshjudge::unstable::render::{
    Background, Channel, Frame, FrameProblem, Image, Light, NormalSpace, RenderError, Settings,
    draw,
};
use meshjudge::unstable::rig::{Rig, ring_views};
use meshjudge::unstable::scene::{
    AlphaMode, ColorSpace, Layers, Material, MeshParts, Scene, Slot, Texture, TextureRef, Wrap,
};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

const ALL: [Channel; 5] =
    [Channel::Rgb, Channel::Normal, Channel::Matte, Channel::Depth, Channel::Mask];

fn settings(size: u32) -> Settings {
    scenes::settings(size, &ALL)
}

fn draw_one(scene: &Scene, rig: &Rig, settings: &Settings) -> Frame {
    draw(scene, rig, settings).unwrap().remove(0)
}

/// The front of a scene; a square fills the picture at a fit of 1 / √2.
fn front(scene: &Scene, fit: f64, size: u32) -> Frame {
    draw_one(scene, &front_rig(fit), &settings(size))
}

fn covered(mask: &Image) -> f64 {
    mask.pixels.iter().map(|&v| f64::from(v) / 255.0).sum()
}

fn depth_at(image: &Image, x: u32, y: u32) -> u16 {
    u16::from_be_bytes(image.pixel(x, y).try_into().unwrap())
}

#[test]
fn a_square_covers_exactly_50_by_50_pixels() {
    // The square's circumscribed circle has radius √2 · half; the picture spans ±2 of it over
    // 100·√2·… pixels: half · pixels / (2 · fit · √2 · half) · 2 = 50 at fit = √2 and 100 px.
    let frame = front(&scene(square(1.0, 0.0, 0), Material::default()), SQRT_2, 100);
    let mask = &frame.images[&Channel::Mask];
    for y in 0..100 {
        for x in 0..100 {
            let inside = (25..75).contains(&x) && (25..75).contains(&y);
            assert_eq!(mask.pixel(x, y)[0], if inside { 255 } else { 0 }, "{x} {y}");
        }
    }
    assert!((frame.coverage - 0.25).abs() < 1e-6);
}

#[test]
fn shared_edges_cover_each_sample_once() {
    // A transparent fan: a sample drawn twice would be darker, one left out lighter.
    let mut fan = square(1.0, 0.0, 0);
    fan.positions.push(Vec3::new(0.123, -0.077, 0.0));
    fan.uv_sets.clear();
    fan.triangles = vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
    let material = Material { alpha_mode: AlphaMode::Blend, ..flat_color([0.0, 0.0, 0.0, 0.5]) };
    let frame = front(&scene(fan, material), SQRT_2, 100);
    let mask = &frame.images[&Channel::Mask];
    for y in 25..75 {
        for x in 25..75 {
            assert_eq!(mask.pixel(x, y)[0], 128, "{x} {y}");
        }
    }
}

#[test]
fn a_sphere_has_the_silhouette_and_the_normals_of_a_sphere() {
    let size = 200;
    let frame = front(&scene(sphere(128, 256), Material::default()), 1.25, size);
    let radius = f64::from(size) / 2.0 / 1.25;
    let area = std::f64::consts::PI * radius * radius;
    let found = covered(&frame.images[&Channel::Mask]);
    assert!((found / area - 1.0).abs() < 0.002, "{found} for {area}");
    let normals = &frame.images[&Channel::Normal];
    for (x, y) in [(100, 100), (60, 130), (140, 70), (100, 40)] {
        let px = (f64::from(x) + 0.5 - 100.0) / radius;
        let py = (100.0 - f64::from(y) - 0.5) / radius;
        let expected = [px, py, libm::sqrt(1.0 - px * px - py * py)];
        for (k, e) in expected.iter().enumerate() {
            let got = f64::from(normals.pixel(x, y)[k]) / 255.0 * 2.0 - 1.0;
            assert!((got - e).abs() < 0.015, "{x} {y} axis {k}: {got} for {e}");
        }
    }
    assert_eq!(normals.pixel(0, 0), [0, 0, 0], "black where nothing is");
}

#[test]
fn gpteval3d_normals_are_in_its_own_z_up_world() {
    // Seen from the front, its world's x (red) points at the camera; seen from our +x, its y
    // (green) does.
    let ball = scene(sphere(64, 128), Material::default());
    let rig = Rig::builtin("gpteval3d").unwrap();
    let level = |azimuth_degrees| {
        let mut views = ring_views(1, 0.0, false);
        views[0].azimuth_degrees = azimuth_degrees;
        rig.clone().replacing_views(views)
    };
    let center = |rig: &Rig| {
        let frame = draw_one(&ball, rig, &settings(65));
        let pixel = frame.images[&Channel::Normal].pixel(32, 32);
        [pixel[0], pixel[1], pixel[2]]
    };
    let close = |got: [u8; 3], want: [u8; 3]| got.iter().zip(want).all(|(g, w)| g.abs_diff(w) <= 3);
    assert!(close(center(&level(0.0)), [255, 128, 128]));
    assert!(close(center(&level(90.0)), [128, 255, 128]));
}

#[test]
fn view_space_normals_point_at_the_camera_from_everywhere() {
    let ball = scene(sphere(64, 128), Material::default());
    let settings = Settings { normal_space: NormalSpace::View, ..settings(65) };
    for frame in draw(&ball, &Rig::builtin("six").unwrap(), &settings).unwrap() {
        let pixel = frame.images[&Channel::Normal].pixel(32, 32).to_vec();
        assert!(pixel[2] > 252, "view {}: {pixel:?}", frame.view_idx);
    }
}

#[test]
fn depth_of_a_plane_is_linear_between_the_sphere_s_near_and_far() {
    // A plane through the origin is half way: 1 + 65534 / 2.
    let frame = front(&scene(square(1.0, 0.0, 0), Material::default()), 1.0, 64);
    let depth = depth_at(&frame.images[&Channel::Depth], 32, 32);
    assert!(depth.abs_diff(32768) <= 2, "{depth}");
    let corner = depth_at(&frame.images[&Channel::Depth], 0, 0);
    assert_eq!(corner, 0, "nothing is 0");
}

#[test]
fn the_nearer_surface_hides_the_farther_one_in_any_order() {
    let (red, green) = (flat_color([1.0, 0.0, 0.0, 1.0]), flat_color([0.0, 1.0, 0.0, 1.0]));
    for near_first in [true, false] {
        let (near, far) = (square(0.5, 0.5, 0), square(1.0, -0.5, 1));
        let parts = if near_first { vec![near, far] } else { vec![far, near] };
        let frame = front(&scene_of(parts, vec![red.clone(), green.clone()]), 1.0, 64);
        let rgb = &frame.images[&Channel::Rgb];
        assert_eq!(rgb.pixel(32, 32), [255, 0, 0]);
        assert_eq!(rgb.pixel(16, 32), [0, 255, 0]);
    }
}

#[test]
fn transparent_surfaces_blend_back_to_front_whatever_their_order_in_the_file() {
    let glass = |color: [f32; 3]| Material {
        alpha_mode: AlphaMode::Blend,
        ..flat_color([color[0], color[1], color[2], 0.5])
    };
    let materials = vec![glass([1.0, 0.0, 0.0]), glass([0.0, 0.0, 1.0])];
    let draw_order = |parts| {
        let settings = Settings { background: Background::Black, ..settings(32) };
        let frame = draw_one(&scene_of(parts, materials.clone()), &front_rig(1.0), &settings);
        frame.images[&Channel::Rgb].pixel(16, 16).to_vec()
    };
    let red_near = square(1.0, 0.5, 0);
    let blue_far = square(1.0, -0.5, 1);
    let one = draw_order(vec![red_near.clone(), blue_far.clone()]);
    let other = draw_order(vec![blue_far, red_near]);
    assert_eq!(one, other);
    // Red ½ over blue ½ over black, in linear light: 0.5 and 0.25.
    assert_eq!(one, [188, 0, 137]);
}

#[test]
fn alpha_of_vertices_covers_as_far_in_every_channel() {
    let glass =
        |alpha| Material { alpha_mode: AlphaMode::Blend, ..flat_color([1.0, 0.0, 0.0, alpha]) };
    let draw = |alpha, of_vertices, channels: &[Channel]| {
        let colors = Some(vec![Vec4::new(1.0, 1.0, 1.0, of_vertices); 4]);
        let part = MeshParts { colors, ..square(1.0, 0.0, 0) };
        let settings = Settings { channels: channels.to_vec(), ..settings(32) };
        let scene = scene_of(vec![part], vec![glass(alpha)]);
        draw_one(&scene, &front_rig(1.0), &settings).images
    };
    for channel in [Channel::Mask, Channel::Normal, Channel::Matte, Channel::Depth] {
        let of_material = draw(0.5, 1.0, &[channel]);
        assert!(draw(1.0, 0.5, &[channel]) == of_material, "{channel:?}");
        assert!(draw(1.0, 0.5, &[channel, Channel::Rgb])[&channel] == of_material[&channel]);
    }
}

#[test]
fn a_pane_of_glass_shows_what_lies_behind_it_in_its_tint_and_covers_all_the_same() {
    let pane = Material {
        base_color: Vec4::new(1.0, 0.1, 0.1, 1.0),
        roughness: 0.0,
        transmission: 1.0,
        ..Material::default()
    };
    let draw_over = |far: Option<[f32; 3]>| {
        let mut parts = vec![square(1.0, 0.5, 0)];
        let mut materials = vec![pane.clone()];
        if let Some([r, g, b]) = far {
            parts.push(square(1.0, -0.5, 1));
            materials.push(flat_color([r, g, b, 1.0]));
        }
        front(&scene_of(parts, materials), 1.0, 32)
    };
    let rgb = |frame: &Frame| frame.images[&Channel::Rgb].pixel(16, 16).to_vec();
    let over_white = draw_over(None);
    let [r, g, b] = rgb(&over_white)[..] else { panic!("three channels") };
    assert!(r > 220 && g < 130 && b < 130, "{r} {g} {b}");
    assert_eq!(over_white.images[&Channel::Mask].pixel(16, 16), [255]);
    assert_eq!(over_white.images[&Channel::Normal].pixel(16, 16), [128, 128, 255]);
    // Red glass takes nearly all of green, and passes red.
    let over_green = rgb(&draw_over(Some([0.0, 1.0, 0.0])));
    assert!(over_green[0] < 90 && over_green[1] < 130, "{over_green:?}");
    let over_red = rgb(&draw_over(Some([1.0, 0.0, 0.0])));
    assert!(over_red[0] > 220 && over_red[1] < 90, "{over_red:?}");
}

#[test]
fn thick_glass_is_tinted_by_the_way_inside() {
    let pane = |base_color: Vec4, layers: Layers| Material {
        base_color,
        roughness: 0.0,
        transmission: 1.0,
        layers: Some(Box::new(layers)),
        ..Material::default()
    };
    let shown = |material: Material| {
        let scene = scene(square(1.0, 0.5, 0), material);
        let frame = front(&scene, 1.0, 32);
        frame.images[&Channel::Rgb].pixel(16, 16).to_vec()
    };
    // Half as long as the way on which a quarter of the red is left.
    let thick = Layers {
        thickness: 0.5,
        attenuation_color: Vec3::new(0.25, 1.0, 1.0),
        attenuation_distance: 1.0,
        ..Layers::default()
    };
    let clear = Layers { attenuation_color: Vec3::ONE, ..thick.clone() };
    let tinted = shown(pane(Vec4::ONE, thick));
    let painted = shown(pane(Vec4::new(0.5, 1.0, 1.0, 1.0), clear.clone()));
    let is_same = tinted.iter().zip(&painted).all(|(a, b)| a.abs_diff(*b) <= 1);
    assert!(is_same, "{tinted:?} {painted:?}");
    assert!(tinted[0] < shown(pane(Vec4::ONE, clear))[0] - 30);
}

#[test]
fn a_single_sided_back_face_is_not_there_and_a_double_sided_one_faces_the_camera() {
    let mut turned = square(1.0, 0.0, 0);
    turned.triangles = vec![[0, 2, 1], [0, 3, 2]];
    let one_sided = front(&scene(turned.clone(), Material::default()), 1.0, 32);
    assert_eq!(one_sided.problems, [FrameProblem::Blank]);
    let both = Material { double_sided: true, ..Material::default() };
    let two_sided = front(&scene(turned, both), 1.0, 32);
    assert_eq!(two_sided.images[&Channel::Normal].pixel(16, 16), [128, 128, 255]);
}

/// Four texels: red, green / blue, white.
fn four_texels() -> Texture {
    let texels = vec![[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 0], [255; 4]];
    texture((2, 2), texels, ColorSpace::Srgb, Wrap::ClampToEdge)
}

fn texture(
    (width, height): (u32, u32),
    texels: Vec<[u8; 4]>,
    space: ColorSpace,
    wrap: Wrap,
) -> Texture {
    Texture::new("t".into(), width, height, texels, space, [wrap; 2]).unwrap()
}

/// A material whose texture 0 is at this place.
fn with_texture(slot: Slot, material: Material) -> Material {
    Material { textures: [(slot, Some(TextureRef::plain(0)))].into(), ..material }
}

fn textured_square(material: Material) -> Scene {
    let material = with_texture(Slot::BaseColor, material);
    textured(square(1.0, 0.0, 0), material, vec![four_texels()])
}

#[test]
fn a_texture_stands_upright_and_is_not_mirrored() {
    let frame = front(&textured_square(flat_color([1.0; 4])), FRAC_1_SQRT_2, 64);
    let rgb = &frame.images[&Channel::Rgb];
    assert_eq!(rgb.pixel(4, 4), [255, 0, 0], "top left");
    assert_eq!(rgb.pixel(60, 4), [0, 255, 0], "top right");
    assert_eq!(rgb.pixel(4, 60), [0, 0, 255], "bottom left");
    assert_eq!(rgb.pixel(60, 60), [255, 255, 255], "bottom right");
}

#[test]
fn texels_are_squares_where_the_file_asks_for_the_nearest() {
    for (is_nearest, colors) in [(true, 4), (false, 100)] {
        for wrap in [Wrap::ClampToEdge, Wrap::Repeat, Wrap::MirroredRepeat] {
            let texels = four_texels().texels().into_owned();
            let texture = texture((2, 2), texels, ColorSpace::Srgb, wrap).nearest(is_nearest);
            let material = with_texture(Slot::BaseColor, flat_color([1.0; 4]));
            let scene = textured(square(1.0, 0.0, 0), material, vec![texture]);
            let frame = front(&scene, FRAC_1_SQRT_2, 64);
            let rgb = &frame.images[&Channel::Rgb];
            assert!(!is_nearest || rgb.pixel(31, 31) == [255, 0, 0], "{wrap:?}");
            let found: std::collections::BTreeSet<&[u8]> = rgb.pixels.chunks(3).collect();
            let is_as_many = if is_nearest { found.len() == colors } else { found.len() > colors };
            assert!(is_as_many, "{wrap:?}: {}", found.len());
        }
    }
}

/// A square whose normal texture tilts its front by 30° along u (right) and v (down), drawn from
/// the front and from behind.
fn tilted_square(u: f32, v: f32, tangents: Option<Vec<Vec4>>) -> [Vec<u8>; 2] {
    let byte = |n: f32| ((n + 1.0) * 127.5).round() as u8;
    // glTF's green points up, against v.
    let texel = [byte(u), byte(-v), byte(0.75_f32.sqrt()), 255];
    let texture = texture((1, 1), vec![texel], ColorSpace::Linear, Wrap::Repeat);
    let parts = MeshParts { tangents, normals: Some(vec![Vec3::Z; 4]), ..square(1.0, 0.0, 0) };
    let both = Material { double_sided: true, ..Material::default() };
    let scene = textured(parts, with_texture(Slot::Normal, both), vec![texture]);
    [0.0, 180.0].map(|azimuth| {
        let rig = one_view("projection = 'orthographic'\nfit = 1.5", azimuth, 0.0);
        let frame = draw_one(&scene, &rig, &settings(16));
        frame.images[&Channel::Rgb].pixel(8, 8).to_vec()
    })
}

#[test]
fn a_bump_seen_from_behind_is_a_dent() {
    // The studio turns with the camera. From behind, right is left and near is far: a tilt to the
    // right stays one, a tilt upwards becomes one downwards.
    for tangents in [None, Some(vec![Vec4::new(1.0, 0.0, 0.0, 1.0); 4])] {
        let [right, right_behind] = tilted_square(0.5, 0.0, tangents.clone());
        let [left, left_behind] = tilted_square(-0.5, 0.0, tangents.clone());
        let [up, up_behind] = tilted_square(0.0, -0.5, tangents.clone());
        let [down, down_behind] = tilted_square(0.0, 0.5, tangents);
        assert!(
            left[0] > right[0] + 5 && up[0] > down[0] + 5,
            "key from the upper left: {left:?} {right:?} {up:?} {down:?}"
        );
        // A byte has no exact middle (128 is +0.004), so the axis that is not tilted leans by that
        // much, which turning round mirrors: one step.
        let is_same = |a: &[u8], b: &[u8]| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 1);
        assert!(is_same(&right_behind, &right), "{right_behind:?} {right:?}");
        assert!(is_same(&left_behind, &left), "{left_behind:?} {left:?}");
        assert!(is_same(&up_behind, &down), "{up_behind:?} {down:?}");
        assert!(is_same(&down_behind, &up), "{down_behind:?} {up:?}");
    }
}

#[test]
fn a_mask_cuts_where_alpha_is_below_the_cutoff() {
    let cut = Material { alpha_mode: AlphaMode::Mask { cutoff: 0.5 }, ..flat_color([1.0; 4]) };
    let frame = front(&textured_square(cut), FRAC_1_SQRT_2, 64);
    let mask = &frame.images[&Channel::Mask];
    assert_eq!(mask.pixel(4, 60), [0], "bottom left is cut out");
    assert_eq!(mask.pixel(60, 60), [255]);
    assert_eq!(mask.pixel(4, 4), [255]);
}

/// A card that fills the picture, of 256×256 texels cut out at `cutoff`; `alpha` by column.
fn cut_card(cutoff: f32, alpha: impl Fn(usize) -> u8) -> Scene {
    let texels = (0..256 * 256).map(|i| [200, 200, 200, alpha(i % 256)]).collect();
    let texture = texture((256, 256), texels, ColorSpace::Srgb, Wrap::ClampToEdge);
    let cut = Material { alpha_mode: AlphaMode::Mask { cutoff }, ..flat_color([1.0; 4]) };
    textured(square(1.0, 0.0, 0), with_texture(Slot::BaseColor, cut), vec![texture])
}

/// Asserts the mean coverage of a wire's columns, and that no column lacks most of it.
fn assert_whole(columns: &[f64], expected: f64, off_px: f64, what: &str) {
    let mean = columns.iter().sum::<f64>() / columns.len() as f64;
    let least = columns.iter().copied().fold(f64::INFINITY, f64::min);
    let is_near = (mean - expected).abs() < 0.1 * expected + off_px;
    assert!(is_near && least > 0.3 * expected, "{what}: {mean}, {least} for {expected}");
}

/// Wires thinner than what one sample of four stands for: none is broken into dashes, and each
/// covers what it should.
#[test]
fn a_wire_far_thinner_than_a_pixel_is_whole() {
    const SIZE_PX: u32 = 128;
    const FIT: f64 = 1.25;
    // What 16 rows of samples a pixel can tell apart.
    const STEP_PX: f64 = 1.0 / 16.0;
    let px_per_unit = f64::from(SIZE_PX) / (2.0 * FIT);
    for (width_px, degrees) in [(0.12, 3.0), (0.12, 20.0), (0.2, 0.0), (0.2, 41.0), (0.5, 30.0)] {
        let wire = wires((width_px / px_per_unit) as f32, &[degrees], 0);
        let frame = front(&scene(wire, flat_color([0.0, 0.0, 0.0, 1.0])), FIT, SIZE_PX);
        let mask = &frame.images[&Channel::Mask];
        let cos = libm::cos(f64::from(degrees).to_radians());
        let expected = width_px / cos;
        let half_length = (px_per_unit * cos) as u32;
        let columns = SIZE_PX / 2 - half_length + 2..SIZE_PX / 2 + half_length - 2;
        let of_column =
            |x: u32| -> f64 { (0..SIZE_PX).map(|y| f64::from(mask.pixel(x, y)[0]) / 255.0).sum() };
        let found: Vec<f64> = columns.map(of_column).collect();
        assert_whole(&found, expected, 0.6 * STEP_PX, &format!("{width_px} px at {degrees}°"));
        let rgb = &frame.images[&Channel::Rgb];
        let is_drawn = |x: u32| (0..SIZE_PX).any(|y| rgb.pixel(x, y)[0] < 255);
        assert!((SIZE_PX / 2 - half_length + 2..SIZE_PX / 2).all(is_drawn));
    }
}

/// Anything not thin is drawn as before: a square with a wire next to it has the pixels of the
/// square alone.
#[test]
fn a_solid_beside_a_wire_keeps_its_pixels() {
    let wire = wires(0.004, &[90.0], 0);
    let block = moved(square(0.5, 0.0, 0), |p| p - Vec3::X * 0.4);
    let both = scene_of(vec![block, moved(wire, |p| p + Vec3::X * 0.9)], vec![Material::default()]);
    let mask = &front(&both, 1.25, 100).images[&Channel::Mask];
    let grey = |columns: std::ops::Range<u32>| {
        let pixels = columns.flat_map(|x| (0..100).map(move |y| (x, y)));
        let mut values: Vec<u8> = pixels.map(|(x, y)| mask.pixel(x, y)[0]).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    // The square's edges are quarters; the wire's are sixty-fourths.
    let is_quarter = |v: &u8| [0, 64, 128, 191, 255].contains(v);
    let [of_square, of_wire] = [grey(0..60), grey(60..100)];
    assert!(of_square.iter().all(is_quarter), "{of_square:?}");
    assert!(!of_wire.iter().all(is_quarter), "{of_wire:?}");
}

/// A black wire before a white wall: as much of each column is dark as the wire is wide.
#[test]
fn a_wire_before_a_wall_is_whole() {
    const SIZE_PX: u32 = 128;
    const FIT: f64 = 1.1;
    for (width_px, degrees) in [(0.12, 3.0), (0.2, 0.0), (0.2, 41.0), (0.5, 30.0)] {
        let build = |width: f32| {
            let near = moved(wires(width, &[degrees], 0), |p| p + Vec3::Z * 0.4);
            let colors = [flat_color([0.0, 0.0, 0.0, 1.0]), flat_color([1.0; 4])];
            scene_of(vec![square(0.7, -0.5, 1), near], colors.to_vec())
        };
        let px_per_unit = f64::from(SIZE_PX) / (2.0 * FIT * build(0.01).bounds().radius);
        let scene = build((width_px / px_per_unit) as f32);
        let frame = front(&scene, FIT, SIZE_PX);
        let rgb = &frame.images[&Channel::Rgb];
        let light = |x: u32, y: u32| {
            let encoded = f64::from(rgb.pixel(x, y)[0]) / 255.0;
            libm::pow((encoded + 0.055) / 1.055, 2.4)
        };
        let cos = libm::cos(f64::from(degrees).to_radians());
        let expected = width_px / cos;
        let half = (0.6 * cos * px_per_unit) as u32;
        let columns = SIZE_PX / 2 - half..SIZE_PX / 2 + half;
        let found: Vec<f64> =
            columns.map(|x| (0..SIZE_PX).map(|y| 1.0 - light(x, y)).sum()).collect();
        assert_whole(&found, expected, 0.04, &format!("{width_px} px at {degrees}°"));
    }
}

/// Blades far thinner than a pixel: as much of the card is shown as is leaf, at any place between
/// pixels.
#[test]
fn cut_out_leaves_finer_than_a_pixel_keep_their_area() {
    let scene = cut_card(0.5, |x| if x % 3 == 0 { 255 } else { 0 });
    for size_px in [17, 32, 45, 64] {
        let frame = front(&scene, FRAC_1_SQRT_2, size_px);
        let shown = covered(&frame.images[&Channel::Mask]) / f64::from(size_px * size_px);
        assert!((shown - 1.0 / 3.0).abs() < 0.1, "{size_px} px: {shown}");
    }
}

/// Alpha that grows slowly is cut in one line, also where eight texels make a pixel: nothing half
/// there on either side.
#[test]
fn a_gradient_is_cut_at_the_cutoff_at_any_size() {
    let scene = cut_card(0.75, |x| x as u8);
    for size_px in [32, 64, 128, 512] {
        let frame = front(&scene, FRAC_1_SQRT_2, size_px);
        let mask = &frame.images[&Channel::Mask];
        let middle = size_px / 2;
        for x in 1..size_px - 1 {
            let share = f64::from(x) / f64::from(size_px);
            let expected = match share {
                ..0.71 => 0,
                0.79.. => 255,
                _ => continue,
            };
            assert_eq!(mask.pixel(x, middle), [expected], "{x} of {size_px}");
        }
    }
}

#[test]
fn perspective_is_correct_on_a_tilted_texture() {
    // A square in the x–z plane seen at an angle: the texture's middle line must appear where the
    // geometry's middle line does.
    let floor = moved(square(1.0, 0.0, 0), |p| Vec3::new(p.x, 0.0, -p.y));
    let material = with_texture(Slot::BaseColor, flat_color([1.0; 4]));
    let scene = textured(floor, material, vec![four_texels()]);
    let rig = one_view("projection = 'perspective'\nfov_y_degrees = 60.0\nfit = 1.0", 0.0, 30.0);
    let frame = draw_one(&scene, &rig, &settings(256));
    let rgb = &frame.images[&Channel::Rgb];
    // The centre of the square is the centre of the picture; just above it is the far half (red |
    // green), below the near half (blue | white).
    let column = 100;
    let far = rgb.pixel(column, 108);
    let near = rgb.pixel(column, 160);
    assert!(far[0] > far[2], "far half is red: {far:?}");
    assert!(near[2] > near[0], "near half is blue: {near:?}");
    // Affine interpolation would put the boundary several pixels higher: red and blue are equal at
    // the centre row.
    let crossing = (100..160).find(|&y| rgb.pixel(column, y)[2] > rgb.pixel(column, y)[0]).unwrap();
    assert!(crossing.abs_diff(128) <= 1, "{crossing}");
}

#[test]
fn triangles_through_the_camera_are_clipped_not_lost() {
    // A long floor that runs under and behind a camera inside the scene.
    let floor = moved(square(10.0, 0.0, 0), |p| Vec3::new(p.x, -0.5, -p.y));
    let camera = "projection = 'perspective'\nfov_y_degrees = 60.0\ndistance = 0.1";
    let mut marker = square(0.1, -9.0, 0);
    marker.uv_sets.clear();
    let both = Material { double_sided: true, ..Material::default() };
    let scene = scene_of(vec![floor, marker], vec![both]);
    let frame = draw_one(&scene, &one_view(camera, 0.0, 10.0), &settings(64));
    let mask = &frame.images[&Channel::Mask];
    assert_eq!(mask.pixel(32, 63), [255], "the floor reaches the bottom edge");
    assert_eq!(mask.pixel(32, 0), [0], "the sky is empty");
}

#[test]
fn the_same_bytes_with_any_number_of_threads() {
    let parts = vec![sphere(40, 80), square(1.2, 0.3, 1)];
    let glass = Material {
        alpha_mode: AlphaMode::Blend,
        base_color: Vec4::new(0.2, 0.5, 0.9, 0.4),
        double_sided: true,
        ..Material::default()
    };
    let scene = scene_of(parts, vec![Material::default(), glass]);
    let mut rig = Rig::builtin("ring").unwrap();
    rig.views.truncate(5);
    let with = |n| with_threads(n, || draw(&scene, &rig, &settings(96)).unwrap());
    let one = with(1);
    assert_eq!(one.len(), 5);
    for n in [2, 3, 7] {
        for (a, b) in one.iter().zip(with(n)) {
            assert_eq!(a.images, b.images, "{n} threads, view {}", a.view_idx);
        }
    }
}

#[test]
fn clipped_blank_and_low_contrast_are_said() {
    let ball = scene(sphere(32, 64), Material::default());
    let clipped = front(&ball, 0.5, 64);
    assert!(matches!(clipped.problems[..], [FrameProblem::Clipped { .. }]));
    let white = scene(sphere(32, 64), flat_color([1.0; 4]));
    let lost = front(&white, 1.2, 64);
    assert!(matches!(lost.problems[..], [FrameProblem::LowContrast { .. }]));
    let fine = front(&ball, 1.2, 64);
    assert_eq!(fine.problems, []);
}

#[test]
fn unlit_light_shows_the_base_colour() {
    let material = Material { base_color: Vec4::new(0.5, 0.25, 0.0, 1.0), ..Material::default() };
    let settings = Settings { light: Light::Unlit, ..settings(32) };
    let frame = draw_one(&scene(square(1.0, 0.0, 0), material), &front_rig(1.0), &settings);
    assert_eq!(frame.images[&Channel::Rgb].pixel(16, 16), [188, 137, 0]);
}

#[test]
fn a_transparent_background_keeps_straight_colour_at_the_edges() {
    let settings = Settings { background: Background::Transparent, ..settings(64) };
    let frame = draw_one(
        &scene(sphere(32, 64), flat_color([1.0, 0.0, 0.0, 1.0])),
        &front_rig(1.2),
        &settings,
    );
    let rgb = &frame.images[&Channel::Rgb];
    let mut partly = 0;
    for pixel in rgb.pixels.as_chunks::<4>().0 {
        if pixel[3] > 0 {
            assert_eq!(pixel[..3], [255, 0, 0]);
            partly += u32::from(pixel[3] < 255);
        }
    }
    assert!(partly > 20, "the silhouette is smooth");
}

#[test]
fn impossible_sizes_are_refused() {
    let ball = scene(sphere(8, 8), Material::default());
    for size in [0, 8193] {
        let found = draw(&ball, &front_rig(1.0), &settings(size));
        assert!(matches!(found, Err(RenderError::Size { .. })));
    }
    let none = Settings { channels: vec![], ..settings(8) };
    assert_eq!(draw(&ball, &front_rig(1.0), &none).unwrap_err(), RenderError::NoChannel);
}
