//! Pictures whose pixels are known on paper.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use meshjudge_splat::camera::{Camera, Lens};
use meshjudge_splat::facts::facts;
use meshjudge_splat::harmonics::C0;
use meshjudge_splat::render::{Alpha, Cut, Picture, Settings, render};
use meshjudge_splat::splats::{ColorSpace, SplatParts, Splats};

use crate::encode::{self, Bytes, noise};
use crate::read_alone;

/// A flat disk that faces +z.
struct Disk {
    position: [f32; 3],
    sigma: f32,
    opacity: f32,
    rgb: [f32; 3],
}

fn splats(disks: &[Disk]) -> Splats {
    let plane = |get: &dyn Fn(&Disk) -> f32| disks.iter().map(get).collect::<Vec<f32>>();
    let parts = SplatParts {
        position: [0, 1, 2].map(|k| plane(&|d| d.position[k])),
        scale: [plane(&|d| d.sigma), plane(&|d| d.sigma), plane(&|d| d.sigma / 100.0)],
        rotation: [1.0, 0.0, 0.0, 0.0].map(|v| plane(&|_| v)),
        opacity: plane(&|d| d.opacity),
        harmonics: (0..3).map(|c| plane(&|d| (d.rgb[c] - 0.5) / C0)).collect(),
        ..SplatParts::default()
    };
    Splats::new(parts).expect("good splats").0
}

/// 32 pixels per unit, from +z.
fn parallel() -> Camera {
    Camera {
        lens: Lens::Orthographic,
        focal_px: [32.0; 2],
        ..Camera::square(64, DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, DVec3::Y, 1.0)
    }
}

fn draw(splats: &Splats, camera: &Camera, settings: &Settings) -> Picture {
    render(splats, camera, settings).expect("a good camera")
}

#[test]
fn a_disk_has_the_opacity_of_its_formula_at_every_pixel() {
    let disk =
        Disk { position: [0.1, -0.2, 0.0], sigma: 0.15, opacity: 0.8, rgb: [1.0, 0.5, 0.25] };
    let picture = draw(&splats(&[disk]), &parallel(), &Settings::default());
    let variance = 32.0f64 * 0.15 * 32.0 * 0.15 + 0.3;
    let mut num_covered = 0;
    for row in 0..64 {
        for column in 0..64 {
            // The disk's centre is at column 32 + 3.2 and row 32 + 6.4.
            let (dx, dy) = (f64::from(column) + 0.5 - 35.2, f64::from(row) + 0.5 - 38.4);
            let alpha = 0.8 * libm::exp(-(dx * dx + dy * dy) / (2.0 * variance));
            let alpha = if alpha < 1.0 / 255.0 { 0.0 } else { alpha };
            let pixel = picture.rgba[(64 * row + column) as usize];
            let expected = [alpha, 0.5 * alpha, 0.25 * alpha, alpha];
            for (ours, expected) in pixel.iter().zip(expected) {
                assert!(
                    (f64::from(*ours) - expected).abs() < 2e-6,
                    "({row}, {column}): {ours} and {expected}"
                );
            }
            num_covered += usize::from(alpha > 0.0);
        }
    }
    assert!(num_covered > 500);
}

#[test]
fn compensation_keeps_the_total_light_of_a_small_splat() {
    // Far below a pixel, the low-pass filter alone gives the shape; the volume must stay 2π·o·σ².
    let disk = |sigma| [Disk { position: [0.0; 3], sigma, opacity: 0.9, rgb: [1.0; 3] }];
    for (sigma_px, low_pass_px2) in [(0.5, 0.3f64), (0.5, 0.1), (4.0, 0.3)] {
        let settings = Settings { low_pass_px2: low_pass_px2 as f32, ..Settings::mip() };
        let picture = draw(&splats(&disk(sigma_px / 32.0)), &parallel(), &settings);
        let variance = f64::from(sigma_px * sigma_px);
        let peak = 0.9 * variance / (variance + low_pass_px2);
        let center = f64::from(picture.rgba[32 * 64 + 32][3]);
        let expected = peak * libm::exp(-0.25 / (variance + low_pass_px2));
        assert!((center - expected).abs() < 1e-5, "{center} and {expected}");
    }
}

#[test]
fn the_nearer_of_two_disks_covers_the_other_whatever_their_order_in_the_file() {
    let near =
        || Disk { position: [0.0, 0.0, 1.0], sigma: 3.0, opacity: 0.6, rgb: [1.0, 0.0, 0.0] };
    let far =
        || Disk { position: [0.0, 0.0, -1.0], sigma: 3.0, opacity: 0.5, rgb: [0.0, 0.0, 1.0] };
    let settings = Settings { geometry: true, ..Settings::default() };
    for disks in [[near(), far()], [far(), near()]] {
        let picture = draw(&splats(&disks), &parallel(), &settings);
        let at = 32 * 64 + 32;
        let falloff = libm::exp(-0.25 / (96.0 * 96.0 + 0.3));
        let (a, b) = (0.6 * falloff, 0.5 * falloff);
        let expected = [a, 0.0, (1.0 - a) * b, 1.0 - (1.0 - a) * (1.0 - b)];
        for (ours, expected) in picture.rgba[at].iter().zip(expected) {
            assert!((f64::from(*ours) - expected).abs() < 1e-5, "{ours} and {expected}");
        }
        let geometry = picture.geometry[at];
        let mean = (a * 4.0 + (1.0 - a) * b * 6.0) / expected[3];
        assert!((f64::from(geometry.depth_expected) - mean).abs() < 1e-4);
        assert_eq!(geometry.depth_median, 4.0); // 0.6 of the light is lost at the nearer one
        assert!((geometry.normal[2] - 1.0).abs() < 1e-6);
    }
}

/// Round splats have no shortest axis, and a mean over axes of no meaning would be black.
#[test]
fn a_ball_faces_the_eye() {
    let disk = Disk { position: [0.0; 3], sigma: 1.0, opacity: 0.9, rgb: [0.5; 3] };
    let mut parts = splats(&[disk]).into_parts();
    parts.scale = [1.0; 3].map(|sigma| vec![sigma]);
    let ball = Splats::new(parts).expect("a good splat").0;
    let settings = Settings { geometry: true, ..Settings::default() };
    let picture = draw(&ball, &parallel(), &settings);
    assert_eq!(picture.geometry[32 * 64 + 32].normal, [0.0, 0.0, 1.0]);
}

#[test]
fn a_splat_of_any_size_covers_the_whole_picture() {
    for sigma in [1e2, 1e4, 1e6, 1e8] {
        let disk = Disk { position: [0.3 * sigma, 0.1, 0.0], sigma, opacity: 1.0, rgb: [0.5; 3] };
        let picture = draw(&splats(&[disk]), &parallel(), &Settings::default());
        let expected = libm::exp(-0.045);
        let worst = picture.rgba.iter().map(|pixel| (f64::from(pixel[3]) - expected).abs());
        assert!(worst.fold(0.0, f64::max) < 5e-3, "{sigma}");
    }
}

#[test]
fn equal_depths_keep_the_order_of_the_file() {
    let disk = |rgb| Disk { position: [0.0; 3], sigma: 1.0, opacity: 0.99, rgb };
    let picture = draw(
        &splats(&[disk([1.0, 0.0, 0.0]), disk([0.0, 1.0, 0.0])]),
        &parallel(),
        &Settings::default(),
    );
    let [red, green, ..] = picture.rgba[32 * 64 + 32];
    assert!(red > 0.9 && green < 0.1);
}

#[test]
fn linear_colours_are_blended_before_they_are_encoded() {
    let disk = |z, rgb| Disk { position: [0.0, 0.0, z], sigma: 50.0, opacity: 0.5, rgb };
    let mut parts = splats(&[disk(1.0, [1.0; 3]), disk(0.0, [0.0; 3])]).into_parts();
    parts.color_space = ColorSpace::Linear;
    let picture =
        draw(&Splats::new(parts).expect("good splats").0, &parallel(), &Settings::default());
    // Linear ½ is 188 in sRGB; with alpha ¾ the straight colour is linear ⅔: 212.
    assert_eq!(picture.over([0.0; 3])[32 * 64 + 32], [188, 188, 188, 255]);
    assert_eq!(picture.rgba8(Alpha::Straight)[32 * 64 + 32], [213, 213, 213, 191]);
    assert!(picture.mask().iter().all(|&is_covered| is_covered));
    assert!((picture.coverage() - 0.75).abs() < 1e-3);
}

/// A scene with harmonics and its camera, turned and moved together.
fn turned(scene: Splats, map: &DAffine3) -> Picture {
    let axis = |v: DVec3| map.transform_vector3(v).normalize();
    let camera = Camera::square(
        96,
        map.transform_point3(DVec3::new(0.4, 0.7, 2.5)),
        map.transform_point3(DVec3::ZERO),
        axis(DVec3::Y),
        0.8,
    );
    let settings = Settings { near: 1e-3, geometry: true, ..Settings::default() };
    draw(&scene.mapped(map).expect("a good map"), &camera, &settings)
}

#[test]
fn a_scene_looks_the_same_when_it_and_the_camera_are_turned_moved_and_scaled() {
    let scene = || {
        read_alone(&encode::ply(&encode::scene(300, 16), Bytes::Little), "a.ply")
            .expect("splats")
            .splats
    };
    let turn = DQuat::from_xyzw(0.3, -0.5, 0.4, 0.7).normalize();
    let still = turned(scene(), &DAffine3::IDENTITY);
    let maps = [
        DAffine3::from_scale_rotation_translation(DVec3::ONE, turn, DVec3::ZERO),
        DAffine3::from_scale_rotation_translation(
            DVec3::splat(7.0),
            turn,
            DVec3::new(3.0, -2.0, 5.0),
        ),
        DAffine3::from_scale_rotation_translation(DVec3::ONE, turn, DVec3::splat(1e7)),
    ];
    for map in maps {
        let picture = turned(scene(), &map);
        let differences = picture
            .rgba
            .as_flattened()
            .iter()
            .zip(still.rgba.as_flattened())
            .map(|(a, b)| (a - b).abs());
        let num_over = differences.filter(|&difference| difference > 2e-3).count();
        assert!(num_over * 1000 < still.rgba.len(), "{num_over}"); // splats at equal depth change places
    }
}

#[test]
fn a_sheared_or_mirrored_splat_has_the_mapped_covariance() {
    let matrix = DMat3::from_cols(
        DVec3::new(1.0, 0.4, 0.0),
        DVec3::new(0.0, 0.5, 0.3),
        DVec3::new(-0.2, 0.0, -2.0),
    );
    let covariance = |splats: &Splats| {
        let planes = splats.planes();
        let [w, x, y, z] = planes.rotation.each_ref().map(|plane| f64::from(plane[0]));
        let scale = splats.scale(0).map(f64::from);
        let root =
            DMat3::from_quat(DQuat::from_xyzw(x, y, z, w)) * DMat3::from_diagonal(scale.into());
        root * root.transpose()
    };
    let one = || {
        read_alone(&encode::ply(&encode::scene(1, 4), Bytes::Little), "a.ply")
            .expect("a splat")
            .splats
    };
    let expected = matrix * covariance(&one()) * matrix.transpose();
    let mapped = one().mapped(&DAffine3::from_mat3(matrix)).expect("a good map");
    let difference = covariance(&mapped) - expected;
    assert!(difference.to_cols_array().iter().all(|value| value.abs() < 1e-6), "{difference}");
    assert!(
        one()
            .mapped(&DAffine3::from_mat3(DMat3::from_diagonal(DVec3::new(1.0, 0.0, 1.0))))
            .is_none()
    );
}

#[test]
fn bytes_do_not_depend_on_the_number_of_threads() {
    let scene = read_alone(&encode::ply(&encode::scene(20_000, 4), Bytes::Little), "a.ply")
        .expect("splats")
        .splats;
    let camera = Camera::square(200, DVec3::new(0.0, 0.5, 2.0), DVec3::ZERO, DVec3::Y, 0.8);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| draw(&scene, &camera, &Settings { geometry: true, ..Settings::default() }))
    };
    let one = with(1);
    for threads in [2, 3, 8] {
        let many = with(threads);
        assert!(many.rgba == one.rgba && many.geometry == one.geometry);
    }
}

#[test]
fn the_tile_cut_only_takes_away() {
    let scene = read_alone(&encode::ply(&encode::scene(200, 1), Bytes::Little), "a.ply")
        .expect("splats")
        .splats;
    let camera = Camera::square(100, DVec3::new(0.0, 0.5, 2.0), DVec3::ZERO, DVec3::Y, 0.8);
    let [whole, cut] = [Cut::Alpha, Cut::Tile16]
        .map(|cut| draw(&scene, &camera, &Settings { cut, ..Settings::default() }));
    let pairs = || whole.rgba.iter().zip(&cut.rgba);
    assert!(pairs().all(|(whole, cut)| cut[3] <= whole[3] + 1e-6));
    assert!(pairs().any(|(whole, cut)| cut[3] < whole[3]));
}

#[test]
fn floaters_needles_and_dust_are_counted_and_do_not_enlarge_the_extent() {
    let mut scene = encode::scene(4000, 1);
    for (i, splat) in scene.iter_mut().enumerate() {
        // On a sphere of radius ½, small and opaque.
        let n = DVec3::new(noise(3 * i).into(), noise(3 * i + 1).into(), noise(3 * i + 2).into());
        splat.position = (n.normalize() * 0.5).to_array().map(|v| v as f32);
        splat.log_scale = [-4.5, -4.5, -6.0];
        splat.opacity = 0.9;
    }
    let clean = facts(&read_alone(&encode::ply(&scene, Bytes::Little), "a.ply").expect("splats"));
    assert_eq!(
        (clean.splats, clean.floaters, clean.needles, clean.dust, clean.giants),
        (4000, 0, 0, 0, 0)
    );
    for splat in &mut scene[..5] {
        splat.position = [30.0, 1.0, 2.0];
    }
    for splat in &mut scene[10..17] {
        splat.log_scale = [-1.0, -4.5, -6.0];
    }
    for splat in &mut scene[20..31] {
        splat.opacity = 0.004;
    }
    let broken = facts(&read_alone(&encode::ply(&scene, Bytes::Little), "a.ply").expect("splats"));
    assert_eq!((broken.floaters, broken.needles, broken.dust, broken.giants), (5, 7, 11, 7));
    assert!((broken.radius - clean.radius).abs() < 0.02 && broken.size_of_all[0] > 29.0);
}
