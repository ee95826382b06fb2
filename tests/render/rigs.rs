//! The rigs of published protocols against the formulas of their sources, worked here a second
//! time.

use crate::support::scenes::square;
use glam::{DMat3, DVec3};
use meshjudge::unstable::rig::{Camera, Normalise, Projection, Rig, SplatFilter};
use meshjudge::unstable::scene::{Mesh, Scene};

fn rig(name: &str) -> Rig {
    Rig::builtin(name).unwrap()
}

/// Blender's world (z up, front −y) in ours.
fn from_blender(v: DVec3) -> DVec3 {
    DVec3::new(v.x, v.z, -v.y)
}

fn direction(angle_degrees: f64, elevation_degrees: f64) -> DVec3 {
    let (a, e) = (angle_degrees.to_radians(), elevation_degrees.to_radians());
    DVec3::new(libm::cos(a) * libm::cos(e), libm::sin(a) * libm::cos(e), libm::sin(e))
}

fn degrees_between(a: DVec3, b: DVec3) -> f64 {
    let (a, b) = (a.normalize(), b.normalize());
    libm::atan2(a.cross(b).length(), a.dot(b)).to_degrees()
}

fn is_at(camera: &Camera, place: DVec3) -> bool {
    (camera.position() - place).length() < 1e-9
}

/// ψ and pitch of view `i` of TRELLIS's data.
fn trellis(i: usize, count: usize, is_drawn_upwards: bool) -> (f64, f64) {
    let digits: Vec<u32> = (0..32).map(|k| (i as u32 >> k) & 1).collect();
    let v: f64 = digits
        .iter()
        .enumerate()
        .map(|(k, &digit)| f64::from(digit) * 0.5 / f64::from(1_u32 << k))
        .sum();
    let mut u = i as f64 / count as f64;
    if is_drawn_upwards {
        u = if u < 0.25 { 2.0 * u } else { 2.0 * u / 3.0 + 1.0 / 3.0 };
    }
    (360.0 * v, libm::acos(1.0 - 2.0 * u).to_degrees() - 90.0)
}

#[test]
fn the_views_of_trellis_are_those_of_its_formula_and_of_its_published_files() {
    let published =
        [(0, 0.0, -90.0), (1, 180.0, -76.7385), (2, 90.0, -71.2031), (149, 237.6562, 82.3549)];
    let rig_150 = rig("trellis");
    assert_eq!(rig_150.views.len(), 150);
    for i in 0..150 {
        let (psi, pitch) = trellis(i, 150, true);
        let place = from_blender(direction(psi, pitch)) * 2.0;
        assert!(degrees_between(rig_150.camera(i).back, place) < 1e-5, "{i}");
        assert!(is_at(&rig_150.camera(i), place), "{i}");
        if let Some((_, a, e)) = published.iter().find(|(k, ..)| *k == i) {
            assert!((psi - a).abs() < 1e-4 && (pitch - e).abs() < 1e-4, "{i}");
        }
    }
    let above = rig_150.views.iter().filter(|view| view.elevation_degrees > 0.0);
    assert_eq!(above.count(), 112, "three quarters above the horizon");

    let drawn = rig("trellis-multiview");
    let published = [(0.0, -90.0), (180.0, -68.9605), (90.0, -60.0736)];
    for i in 0..30 {
        let (theta, pitch) = trellis(i, 30, false);
        let (t, e) = (theta.to_radians(), pitch.to_radians());
        let place =
            DVec3::new(libm::sin(t) * libm::cos(e), libm::cos(t) * libm::cos(e), libm::sin(e))
                * 2.0;
        assert!(is_at(&drawn.camera(i), from_blender(place)), "{i}");
        if let Some(&(a, e)) = published.get(i) {
            assert!((theta - a).abs() < 1e-4 && (pitch - e).abs() < 1e-4, "{i}");
        }
    }
    let snapshot = rig("trellis-snapshot");
    for k in 0..4 {
        let (t, e) = ((90.0 * k as f64 - 16.0).to_radians(), 20_f64.to_radians());
        let place =
            DVec3::new(libm::sin(t) * libm::cos(e), libm::cos(t) * libm::cos(e), libm::sin(e))
                * 10.0;
        assert!(is_at(&snapshot.camera(k), from_blender(place)), "{k}");
    }
}

#[test]
fn lenses_of_many_angles_touch_the_sphere_around_the_cube() {
    for name in ["trellis-cond", "hunyuan3d-cond"] {
        let rig = rig(name);
        let mut angles = Vec::new();
        for view in &rig.views {
            let Some(Projection::Perspective { fov_y_degrees, distance }) = view.projection else {
                panic!("{name} has a lens for each view");
            };
            let touching = 0.75_f64.sqrt() / libm::sin(fov_y_degrees.to_radians() / 2.0);
            assert!((touching - distance).abs() < 1e-9);
            assert!((1.5099..9.9365 + 1e-3).contains(&distance), "{distance}");
            angles.push(fov_y_degrees);
        }
        angles.sort_by(f64::total_cmp);
        assert_eq!(angles.len(), 24);
        // Even in 1 / r²: the middle one is far wider than the mean of 10 and 70.
        assert!(angles[0] < 30.0 && angles[12] > 42.0, "{angles:?}");
        angles.dedup();
        assert_eq!(angles.len(), 24);
    }
}

#[test]
fn rings_and_lists_stand_where_their_scripts_put_them() {
    let ring = |name: &str, count: usize, psi: &dyn Fn(usize) -> (f64, f64), r: f64| {
        let rig = rig(name);
        assert_eq!(rig.views.len(), count, "{name}");
        for i in 0..count {
            let (angle, elevation) = psi(i);
            let place = from_blender(direction(angle, elevation)) * r;
            assert!((rig.camera(i).position() - place).length() < 1e-9, "{name} {i}");
        }
    };
    ring("syncdreamer", 16, &|i| (22.5 * i as f64, 30.0), 1.5);
    ring("objaverse", 12, &|i| (30.0 * i as f64, 30.0), 1.5);
    // a = ψ + 90 for a front at −y.
    ring("instantmesh", 6, &|i| (30.0 + 60.0 * i as f64 - 90.0, [20.0, -10.0][i % 2]), 4.0);
    let poles = [89.0, -89.0];
    ring(
        "defectbench",
        6,
        &|i| match i {
            // Azimuth 0 is +x and grows towards +z, which is -y of Blender.
            4 | 5 => (0.0, poles[i - 4]),
            _ => (-45.0 - 90.0 * i as f64, 20.0),
        },
        3.0,
    );
    let list = [
        (30.0, 0.0),
        (330.0, 0.0),
        (0.0, -15.0),
        (0.0, 30.0),
        (90.0, 0.0),
        (180.0, 0.0),
        (270.0, 0.0),
        (0.0, 90.0),
    ];
    ring("lgm", 4, &|i| (90.0 * i as f64 - 90.0, 0.0), 1.5);
    ring("diffsplat", 4, &|i| (90.0 * i as f64 - 90.0, 0.0), 1.4);
    ring("404-gen-splats", 16, &|i| (360.0 * i as f64 / 15.0 - 90.0, 15.0), 2.5);
    ring("404-gen", 8, &|i| (list[i].0 - 90.0, list[i].1), 2.0);
    let poles = [(0.0, 0.0), (90.0, 0.0), (180.0, 0.0), (270.0, 0.0), (0.0, 90.0), (0.0, -90.0)];
    ring("mate3d", 6, &|i| (poles[i].0 - 90.0, poles[i].1), 2.0);
    let sides = [-90.0, 0.0, 90.0, 180.0];
    for (i, side) in sides.into_iter().enumerate() {
        let back = from_blender(direction(side, 0.0));
        assert!((rig("hunyuan3d-tex").camera(i).back - back).length() < 1e-12, "{i}");
    }
    for (name, height) in
        [("hunyuan3d-tex", 1.2), ("hunyuan3d-paint", 1.2), ("wonder3d", 1.35), ("era3d", 1.0)]
    {
        let half_height = height / 2.0;
        assert_eq!(rig(name).projection, Projection::Orthographic { half_height }, "{name}");
    }
    let paint = rig("hunyuan3d-paint");
    assert_eq!((paint.camera(4).up, paint.camera(5).up), (DVec3::NEG_Z, DVec3::NEG_Z));
    for view in &rig("zero123").views {
        let Some(Projection::Perspective { distance, .. }) = view.projection else { panic!() };
        assert!((1.5..2.2).contains(&distance));
    }
}

#[test]
fn splats_are_filtered_as_by_the_renderers_of_their_generators() {
    let mip = Some(SplatFilter { kernel: Some(0.1), antialiased: Some(true) });
    let none = Some(SplatFilter { kernel: Some(0.0), antialiased: None });
    for (name, filter) in [
        ("trellis-multiview", mip),
        ("trellis-snapshot", mip),
        ("diffsplat", none),
        ("lgm", None),
        ("404-gen-splats", None),
    ] {
        assert_eq!(rig(name).splats, filter, "{name}");
    }
}

#[test]
fn the_icosphere_of_t3bench_has_the_vertices_of_trimesh_in_its_order() {
    // trimesh.creation.icosphere(subdivisions=2).vertices of trimesh 5.2.0.
    let known = [
        (0, [-0.525731, 0.850651, 0.0]),
        (11, [-0.850651, 0.0, 0.525731]),
        (12, [0.0, 1.0, 0.0]),
        (20, [0.309017, -0.809017, -0.5]),
        (41, [-1.0, 0.0, 0.0]),
        (77, [0.0, 0.2732665, -0.9619384]),
        (100, [0.8626685, -0.2598919, 0.4338886]),
        (161, [-0.9510565, -0.2628656, 0.1624598]),
    ];
    let (quality, captions) = (rig("t3bench"), rig("t3bench-captions"));
    assert_eq!((quality.views.len(), captions.views.len()), (810, 12));
    for (vertex, place) in known {
        let place = from_blender(DVec3::from(place));
        for lens in 0..5 {
            let idx = vertex * 5 + lens;
            let camera = quality.camera(idx);
            assert!((camera.position() - place * 2.2).length() < 1e-5, "{vertex}");
            let fov_y_degrees = [60.0, 45.0, 36.0, 30.0, 24.0][lens];
            assert!(
                matches!(camera.projection, Projection::Perspective { fov_y_degrees: f, .. } if f == fov_y_degrees)
            );
            assert_eq!(quality.views[idx].name, format!("{vertex:03}_{lens}"));
        }
        if vertex < 12 {
            assert!((captions.camera(vertex).position() - place * 4.84).length() < 1e-5);
        }
    }
    // z of the file is up, and its y where z is along the axis.
    for (vertex, up) in [(18, DVec3::Y), (23, DVec3::Y), (0, DVec3::Z)] {
        let camera = quality.camera(vertex * 5);
        let up = from_blender(up);
        assert!(camera.up.dot(up) > 0.5 && camera.right.dot(up).abs() < 1e-9, "{vertex}");
    }
}

#[test]
fn a_camera_matrix_in_pixels_projects_as_it_says() {
    let text = "name = 'k'\nsize_px = [640, 360]\n[camera]\nprojection = 'perspective'\nfocal_px = [500.0, 430.0]\nprincipal_px = [300.5, 200.25]\ndistance = 3.0\n[[view]]\nazimuth_degrees = 25.0\nelevation_degrees = 40.0\nroll_degrees = 10.0";
    for (rig, k, size) in [
        (rig("syncdreamer"), [280.0, 280.0, 128.0, 128.0], [256.0, 256.0]),
        (Rig::parse(text, "k").unwrap(), [500.0, 430.0, 300.5, 200.25], [640.0, 360.0]),
    ] {
        let [fx, fy, cx, cy] = k;
        let [width, height] = size;
        let camera = rig.camera(0);
        let clip_from_view = camera.clip_from_view(width / height, 0.1, 10.0);
        let turn = DMat3::from_cols(camera.right, -camera.up, -camera.back).transpose();
        for point in [DVec3::new(0.2, 0.1, -0.3), DVec3::new(-0.4, 0.5, 0.1), DVec3::ZERO] {
            let p = turn * (point - camera.position());
            let expected = [fx * p.x / p.z + cx, fy * p.y / p.z + cy];
            let clip = clip_from_view * camera.view_from_world() * point.extend(1.0);
            let found =
                [(clip.x / clip.w + 1.0) / 2.0 * width, (1.0 - clip.y / clip.w) / 2.0 * height];
            assert!((found[0] - expected[0]).abs() < 1e-9, "{found:?} {expected:?}");
            assert!((found[1] - expected[1]).abs() < 1e-9, "{found:?} {expected:?}");
        }
    }
}

#[test]
fn an_asset_is_placed_by_the_measure_that_its_protocol_names() {
    // Two squares of edge 2 and 4 at z = 0 and z = 1: the box is 4 × 4 × 1, the mean of the
    // vertices is in the middle.
    let meshes = [square(1.0, 0.0, 0), square(2.0, 1.0, 0)];
    let meshes = meshes.map(|parts| Mesh::new(parts).unwrap());
    let scene = Scene::new(meshes.into(), vec![Default::default()], Vec::new()).unwrap();
    let place = |normalise: Option<Normalise>| {
        let rig = Rig { normalise, ..rig("ring") };
        rig.placement(&scene)
    };
    let middle = DVec3::new(0.0, 0.0, 0.5);
    let radius = (8.0_f64 + 0.25).sqrt();
    let expected = [
        (None, 1.0 / radius),
        (Some(Normalise::Cube { size: 1.0 }), 0.25),
        (Some(Normalise::Diagonal { size: 1.0 }), 1.0 / 33_f64.sqrt()),
        (Some(Normalise::Sphere { size: 0.575 }), 0.575 / radius),
        (Some(Normalise::MeanCoordinate { size: 1.0 }), 0.5),
        (Some(Normalise::MeanDistance { size: 1.0 }), 1.0 / radius),
    ];
    for (normalise, scale) in expected {
        let placement = place(normalise);
        assert!((placement.scale - scale).abs() < 1e-9, "{normalise:?}");
        assert!((placement.center - middle).length() < 1e-9, "{normalise:?}");
        assert!(placement.radius >= radius * scale * (1.0 - 1e-9), "{normalise:?}");
    }
    let moved = place(Some(Normalise::Matrix { scale: 2.0, offset: [1.0, 0.0, -4.0] }));
    assert_eq!((moved.scale, moved.center), (2.0, DVec3::new(-0.5, 0.0, 2.0)));
}

#[test]
fn names_of_files_stay_in_the_folder() {
    let text = |name: &str| {
        format!(
            "name = 'x'\n[camera]\nprojection = 'orthographic'\n[protocol.files]\nrgb = '{name}'\n[ring]\nviews = 2\nelevation_degrees = 0.0"
        )
    };
    assert!(Rig::parse(&text("white/{view:03}.png"), "x").is_ok());
    for name in ["../{view}.png", "/tmp/{view}.png", "c:{view}.png", ""] {
        assert!(Rig::parse(&text(name), "x").is_err(), "{name}");
    }
    let same = text("one.png");
    assert!(Rig::parse(&same, "x").is_err(), "every view into one file");
}
