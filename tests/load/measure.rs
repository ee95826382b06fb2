//! Shapes whose facts are known in closed form.

use crate::support::assets::Folder;
use crate::support::scenes::{moved, scene_of, square, with_threads};
use glam::{Vec3, Vec4};
use meshjudge::unstable::measure::{MeshFacts, measure};
use meshjudge::unstable::scene::{
    ColorSpace, Material, Mesh, MeshParts, Scene, Slot, Texture, TextureRef, Wrap,
};
use std::f64::consts::PI;

fn scene(meshes: Vec<MeshParts>) -> Scene {
    scene_of(meshes, vec![Material::default()])
}

fn facts(parts: MeshParts) -> MeshFacts {
    measure(&scene(vec![parts]))
}

/// A box of 6 faces with 4 vertices of their own each, as exporters write it.
fn cuboid(center: Vec3, half: Vec3) -> MeshParts {
    let mut parts = MeshParts::default();
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
        let normal = Vec3::AXES[axis] * sign;
        let u = Vec3::AXES[(axis + 1) % 3];
        let v = normal.cross(u);
        let first = parts.positions.len() as u32;
        for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            parts.positions.push(center + (normal + u * a + v * b) * half);
        }
        parts.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    parts
}

/// Latitude-longitude sphere with shared vertices and single poles; `skip` names quads (ring,
/// column) that are left out.
fn sphere(center: Vec3, radius: f32, rings: u32, skip: impl Fn(u32, u32) -> bool) -> MeshParts {
    let columns = 2 * rings;
    let mut parts =
        MeshParts { positions: vec![center + Vec3::Y * radius], ..MeshParts::default() };
    for (ring, column) in (1..rings).flat_map(|r| (0..columns).map(move |c| (r, c))) {
        let (st, ct) = libm::sincos(PI * f64::from(ring) / f64::from(rings));
        let (sp, cp) = libm::sincos(2.0 * PI * f64::from(column) / f64::from(columns));
        let out = Vec3::new((st * sp) as f32, ct as f32, (st * cp) as f32);
        parts.positions.push(center + out * radius);
    }
    parts.positions.push(center - Vec3::Y * radius);
    let last = parts.positions.len() as u32 - 1;
    let at = |ring: u32, column: u32| match ring {
        0 => 0,
        r if r == rings => last,
        r => 1 + (r - 1) * columns + column % columns,
    };
    for (ring, column) in (0..rings).flat_map(|r| (0..columns).map(move |c| (r, c))) {
        if skip(ring, column) {
            continue;
        }
        let [a, b] = [at(ring, column), at(ring + 1, column)];
        let [c, d] = [at(ring + 1, column + 1), at(ring, column + 1)];
        if ring + 1 < rings {
            parts.triangles.push([a, b, c]);
        }
        if ring > 0 {
            parts.triangles.push([a, c, d]);
        }
    }
    parts
}

fn close(found: f64, expected: f64, relative: f64) {
    let is_close = (found - expected).abs() <= relative * expected.abs().max(1e-9);
    assert!(is_close, "{found} is not {expected}");
}

#[test]
fn a_cube_of_24_vertices_is_one_closed_body() {
    let facts = facts(cuboid(Vec3::new(5.0, -3.0, 1.0), Vec3::new(1.0, 2.0, 3.0)));
    let (counts, edges, parts) = (&facts.counts, &facts.edges, &facts.parts);
    assert_eq!((counts.triangles, counts.vertices, counts.welded_vertices), (12, 24, 8));
    assert_eq!((edges.total, edges.boundary), (18, 0));
    assert_eq!((edges.non_manifold, edges.inconsistent), (0, 0));
    assert!(facts.is_watertight);
    close(facts.shape.surface_area, 2.0 * (2.0 * 4.0 + 4.0 * 6.0 + 2.0 * 6.0), 1e-9);
    close(facts.shape.volume.unwrap(), 48.0, 1e-9);
    close(facts.shape.thickness, 2.0 / 6.0, 1e-6);
    close(facts.shape.width, 4.0 / 6.0, 1e-6);
    assert_eq!((parts.components, parts.groups, parts.floaters), (1, 1, 0));
    assert_eq!(facts.holes.count, 0);
    close(facts.extent.diagonal, f64::sqrt(4.0 + 16.0 + 36.0), 1e-6);
    assert_eq!(facts.shape.ground_slab, 0.0, "its floor is not a slab");
    assert_eq!(facts.counts.duplicate_triangles, 0);
}

#[test]
fn turning_every_triangle_makes_the_volume_negative() {
    let mut parts = cuboid(Vec3::ZERO, Vec3::ONE);
    parts.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let facts = facts(parts);
    assert!(facts.is_watertight);
    close(facts.shape.volume.unwrap(), -8.0, 1e-9);
}

#[test]
fn a_missing_patch_of_a_sphere_is_one_hole_of_its_size() {
    // Four rings of eight columns at the equator of a sphere with 32 rings.
    let parts = sphere(Vec3::ZERO, 1.0, 32, |ring, column| (14..18).contains(&ring) && column < 8);
    let facts = facts(parts);
    assert!(!facts.is_watertight);
    assert_eq!(facts.shape.volume, None);
    assert_eq!((facts.holes.count, facts.edges.boundary), (1, 24));
    // The patch spans ±π/16 in latitude and π/4 in longitude; its flat lid is the chord rectangle,
    // seen along its vector area.
    let (sin, angle) = (libm::sin(PI / 16.0), PI / 4.0);
    // ∫∫ n · n̄ cosθ dθ dφ with n̄ the middle direction: (θ + sin θ cos θ) · 2 sin(φ/2).
    let exact = (PI / 16.0 + sin * libm::cos(PI / 16.0)) * 2.0 * libm::sin(angle / 2.0);
    close(facts.holes.area_share, exact / (4.0 * PI - angle * 2.0 * sin), 0.01);
    let perimeter = 2.0 * angle * libm::cos(PI / 16.0) + 4.0 * PI / 16.0;
    close(facts.holes.perimeter, perimeter / facts.extent.diagonal, 0.01);
    assert_eq!(facts.holes.largest[0].edges, 24);
}

#[test]
fn an_open_cylinder_has_two_holes_the_size_of_its_ends() {
    let (columns, mut parts) = (64_u32, MeshParts::default());
    for column in 0..columns {
        let phi = 2.0 * PI * f64::from(column) / f64::from(columns);
        let (x, z) = (libm::sin(phi) as f32, libm::cos(phi) as f32);
        parts.positions.extend([Vec3::new(x, 0.0, z), Vec3::new(x, 4.0, z)]);
        let (a, b) = (2 * column, 2 * ((column + 1) % columns));
        parts.triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
    }
    let facts = facts(parts);
    assert_eq!((facts.holes.count, facts.edges.boundary), (2, 128));
    close(facts.holes.area_share, 2.0 * PI / (8.0 * PI), 0.01);
    close(facts.holes.perimeter * facts.extent.diagonal, 4.0 * PI, 0.01);
    assert!(facts.noise.median_degrees < 0.01);
}

#[test]
fn a_small_sphere_beside_a_large_one_floats_and_one_inside_its_skin_does_not() {
    let large = || sphere(Vec3::ZERO, 1.0, 24, |_, _| false);
    let with =
        |center, radius| measure(&scene(vec![large(), sphere(center, radius, 12, |_, _| false)]));
    let apart = with(Vec3::new(1.5, 0.0, 0.0), 0.2).parts;
    assert_eq!((apart.components, apart.groups, apart.floaters), (2, 2, 1));
    close(apart.floater_area_share, 0.04 / 1.04, 0.03);
    close(apart.component_area_shares[0], 1.0 / 1.04, 0.01);
    let touching = with(Vec3::new(1.1, 0.0, 0.0), 0.2).parts;
    assert_eq!((touching.components, touching.groups, touching.floaters), (2, 1, 0));
    let pair = with(Vec3::new(3.0, 0.0, 0.0), 0.9).parts;
    assert_eq!((pair.groups, pair.floaters), (2, 0), "two objects are no floaters");
}

#[test]
fn a_turned_triangle_is_inconsistent_and_a_fin_is_not_manifold() {
    let mut turned = cuboid(Vec3::ZERO, Vec3::ONE);
    turned.triangles[0].swap(1, 2);
    let facts_turned = facts(turned);
    assert_eq!((facts_turned.edges.inconsistent, facts_turned.edges.boundary), (3, 0));
    assert!(!facts_turned.is_watertight);

    let mut fin = cuboid(Vec3::ZERO, Vec3::ONE);
    fin.positions.push(Vec3::new(3.0, 3.0, 0.0));
    fin.triangles.push([0, 1, 24]);
    let facts_fin = facts(fin);
    assert_eq!((facts_fin.edges.non_manifold, facts_fin.edges.boundary), (1, 2));
}

#[test]
fn a_billboard_has_no_thickness_even_when_it_is_turned() {
    let turn = glam::Quat::from_xyzw(0.3, 0.5, -0.2, 0.7).normalize();
    let facts = facts(moved(square(1.0, 0.0, 0), |p| turn * (p * Vec3::new(2.0, 1.0, 1.0))));
    assert!(facts.shape.thickness < 1e-6);
    close(facts.shape.width, 0.5, 1e-5);
    assert_eq!((facts.holes.count, facts.edges.boundary), (1, 4));
    close(facts.holes.area_share, 1.0, 1e-6);
}

/// They are left out of the scene, and counted all the same.
#[test]
fn faces_of_a_file_without_area_are_counted() {
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.5 0 0\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\nf 1 2 5\n";
    let loaded = Folder::new().load("a.obj", obj).unwrap();
    let counts = measure(&loaded.scene).counts;
    assert_eq!((counts.triangles, counts.degenerate_triangles), (4, 1));
}

#[test]
fn duplicates_and_degenerates_are_counted() {
    let mut parts = cuboid(Vec3::ZERO, Vec3::ONE);
    parts.triangles.extend([[2, 1, 0], [4, 4, 5], [0, 1, 2]]);
    let facts = facts(parts);
    assert_eq!((facts.counts.duplicate_triangles, facts.counts.degenerate_triangles), (2, 1));
}

#[test]
fn a_slab_under_a_sphere_is_seen_and_a_foot_is_not() {
    let ball = || sphere(Vec3::new(0.0, 1.1, 0.0), 1.0, 24, |_, _| false);
    let slab = |half: f32| cuboid(Vec3::new(0.0, 0.05, 0.0), Vec3::new(half, 0.05, half));
    let under = |half| measure(&scene(vec![ball(), slab(half)])).shape.ground_slab;
    // The footprint of the ball is 2 × 2.
    close(under(1.5), 9.0 / 4.0, 0.02);
    assert!(under(0.4) < 0.2);
    assert_eq!(measure(&scene(vec![ball()])).shape.ground_slab, 0.0);
}

#[test]
fn noise_is_seen_and_curvature_is_not() {
    let smooth = facts(sphere(Vec3::ZERO, 1.0, 64, |_, _| false));
    assert!(smooth.noise.fine_area_share > 0.95);
    assert!(smooth.noise.median_degrees < 0.1, "{:?}", smooth.noise);
    let mut rough = sphere(Vec3::ZERO, 1.0, 64, |_, _| false);
    for (i, position) in rough.positions.iter_mut().enumerate() {
        let random = (i as u32).wrapping_mul(2_654_435_761) >> 8;
        *position *= 1.0 + 0.01 * (random as f32 / 8_388_608.0 - 1.0);
    }
    let rough = facts(rough);
    assert!(rough.noise.median_degrees > 5.0, "{:?}", rough.noise);
    assert!(rough.noise.bend_degrees > smooth.noise.bend_degrees);
    // A box of large triangles cannot carry noise.
    assert_eq!(facts(cuboid(Vec3::ZERO, Vec3::ONE)).noise.fine_area_share, 0.0);
}

#[test]
fn texture_coverage_counts_area() {
    let quad = |x: f32, uv_max: f32| {
        let parts = moved(square(0.5, 0.0, 0), |p| p + Vec3::new(x, 0.0, 0.0));
        let uvs = parts.uv_sets[0].iter().map(|uv| *uv * uv_max).collect();
        MeshParts { uv_sets: vec![uvs], normals: Some(vec![-Vec3::Z; 4]), ..parts }
    };
    let texture =
        Texture::new("t".into(), 64, 16, vec![[1; 4]; 1024], ColorSpace::Srgb, [Wrap::Repeat; 2])
            .unwrap();
    let textured = Material {
        textures: [(Slot::BaseColor, Some(TextureRef::plain(0)))].into(),
        ..Material::default()
    };
    let bare = MeshParts {
        uv_sets: Vec::new(),
        normals: None,
        colors: Some(vec![Vec4::new(1.0, 0.0, 0.0, 1.0); 4]),
        ..quad(4.0, 1.0)
    };
    let meshes = [quad(0.0, 1.0), quad(2.0, 0.0), bare].map(|parts| Mesh::new(parts).unwrap());
    let facts = measure(&Scene::new(meshes.to_vec(), vec![textured], vec![texture]).unwrap());
    close(facts.texture.textured_area_share, 2.0 / 3.0, 1e-9);
    close(facts.texture.uv_collapsed_share, 0.5, 1e-9);
    close(facts.texture.texels_per_diagonal, f64::sqrt(512.0) * facts.extent.diagonal, 1e-6);
    assert_eq!(facts.texture.uv_outside_share, 0.0);
    assert!(facts.texture.has_vertex_colors);
    close(facts.noise.opposed_normals_share, 2.0 / 3.0, 1e-9);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let scene =
        scene(vec![sphere(Vec3::new(0.3, 7.0, 0.0), 1.3, 90, |r, c| r == 40 && c % 7 == 0)]);
    let with = |count| with_threads(count, || measure(&scene));
    let one = with(1);
    assert!(one.holes.count > 10);
    assert_eq!(one, with(2));
    assert_eq!(serde_json::to_string(&one).unwrap(), serde_json::to_string(&with(5)).unwrap());
}

/// Run by hand with `--ignored --nocapture`; the figure is in the documentation of `measure`.
#[test]
#[ignore = "a timing"]
fn a_million_triangles_in_about_a_second() {
    let scene = scene(vec![sphere(Vec3::ZERO, 1.0, 508, |_, _| false)]);
    let started = std::time::Instant::now();
    let facts = measure(&scene);
    println!("{} triangles in {:.3} s", facts.counts.triangles, started.elapsed().as_secs_f64());
    assert!(facts.is_watertight);
}
