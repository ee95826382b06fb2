//! Facts of a mesh without a reference: every expected value of `tests/data/metrics_vectors.json`,
//! and shapes whose facts are plain.

use crate::support::scenes::with_threads;
use crate::vectors::{
    Shape, assert_near, bowl, cube, named, scene_of, soup, sphere, torus, turned_over, vectors,
};
use glam::{DVec2, DVec3, Vec2};
use meshjudge::unstable::measure::{
    QualityFacts, TriangleShape, measure, measure_quality, uv_stretch,
};
use meshjudge::unstable::scene::Scene;
use serde_json::Value;
use std::f64::consts::PI;

fn scene(shape: Shape) -> Scene {
    scene_of(shape, Vec::new())
}

fn without(shape: Shape, left_out: &[usize]) -> Shape {
    let kept = (0..shape.1.len()).filter(|t| !left_out.contains(t));
    let triangles = kept.map(|t| shape.1[t]).collect();
    (shape.0, triangles)
}

fn moebius() -> Shape {
    let mut positions = Vec::new();
    for i in 0..12 {
        let a = 2.0 * PI * f64::from(i) / 12.0;
        for s in [-0.3, 0.3] {
            let r = 1.0 + s * libm::cos(0.5 * a);
            positions.push(DVec3::new(r * libm::cos(a), s * libm::sin(0.5 * a), r * libm::sin(a)));
        }
    }
    let mut triangles = Vec::new();
    for i in 0..12_u32 {
        let [a, b] = [2 * i, 2 * i + 1];
        let [c, d] = if i < 11 { [2 * i + 3, 2 * i + 2] } else { [0, 1] };
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    (positions, triangles)
}

fn two_tetrahedra() -> Shape {
    let positions = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
    let triangles =
        [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3], [0, 4, 5], [0, 6, 4], [0, 5, 6], [4, 6, 5]];
    (positions.to_vec(), triangles.to_vec())
}

#[test]
fn the_published_counts_come_out() {
    let mut checked = 0;
    for vector in vectors("mesh") {
        let id = vector["id"].as_str().unwrap();
        let shape = match vector["input"]["mesh"].as_str().unwrap() {
            "cube(1) without its two y=+0.5 triangles" => without(cube(1.0, DVec3::ZERO), &[6, 7]),
            "cube(1) and cube(1) at (0.5,0.5,0.5)" => {
                soup(cube(1.0, DVec3::ZERO), cube(1.0, DVec3::splat(0.5)))
            }
            "cube(1) with its first triangle twice" => {
                let (positions, mut triangles) = cube(1.0, DVec3::ZERO);
                triangles.push(triangles[0]);
                (positions, triangles)
            }
            "torus without triangles 0, 1 and 500" => without(torus(), &[0, 1, 500]),
            "sphere with all triangles turned" => turned_over(sphere()),
            text if text.starts_with("Moebius") => moebius(),
            text if text.starts_with("tetrahedron") => two_tetrahedra(),
            name => named(name),
        };
        let scene = scene(shape);
        let (facts, quality) = (measure(&scene), measure_quality(&scene));
        let expect = &vector["expect"];
        let count = |key: &str| expect[key].as_i64().unwrap();
        for (key, found) in [
            ("triangles", facts.counts.triangles as i64),
            ("edges", facts.edges.total as i64),
            ("boundary_edges", facts.edges.boundary as i64),
            ("non_manifold_edges", facts.edges.non_manifold as i64),
            ("inconsistent_edges", facts.edges.inconsistent as i64),
            ("components", facts.parts.components as i64),
            ("euler", quality.manifold.euler),
        ] {
            assert_eq!(found, count(key), "{id} {key}");
            checked += 1;
        }
        // A Moebius strip has one edge.
        assert!(!id.contains("moebius") || facts.holes.count == 1, "{id}");
        let area = expect["area"].as_f64().unwrap();
        assert!((facts.shape.surface_area / area - 1.0).abs() < 1e-6, "{id}");
        let open3d = &expect["open3d"];
        assert_eq!(open3d["edge_manifold"], quality.manifold.is_edge_manifold, "{id}");
        // Open3D takes the two like faces of one edge for one fan; ours are three faces on an edge.
        if !id.contains("twice") {
            let found = quality.manifold.is_vertex_manifold;
            assert_eq!(open3d["vertex_manifold"], found, "{id}");
        }
        let crosses = quality.crossings.pairs > 0;
        assert_eq!(open3d["self_intersecting"], crosses, "{id}");
        assert!(quality.crossings.is_complete);
    }
    assert!(checked > 70, "{checked}");
}

/// Each of three faces of one cube is cut by two of the other's, in a segment that one triangle of
/// each shares; what only touches in a point is not counted (Open3D counts some of those, and says
/// 12).
#[test]
fn two_cubes_cross_in_six_segments() {
    let both = soup(cube(1.0, DVec3::ZERO), cube(1.0, DVec3::splat(0.5)));
    let crossings = measure_quality(&scene(both)).crossings;
    assert_eq!(crossings.pairs, 6);
    assert!((0.2..0.6).contains(&crossings.area_share), "{crossings:?}");
    let apart = soup(cube(1.0, DVec3::ZERO), cube(0.9, DVec3::new(3.0, 0.0, 0.0)));
    assert_eq!(measure_quality(&scene(apart)).crossings.pairs, 0);
    let layered = soup(torus(), torus());
    assert_eq!(measure_quality(&scene(layered)).crossings.pairs, 0, "coplanar");
    let through = soup(bowl(), cube(0.6, DVec3::new(0.0, -0.95, 0.0)));
    assert!(measure_quality(&scene(through)).crossings.pairs > 20);
}

fn points<const N: usize>(value: &Value, k: usize) -> [f64; N] {
    std::array::from_fn(|axis| value[k][axis].as_f64().unwrap())
}

#[test]
fn the_published_shapes_of_triangles_come_out() {
    for vector in vectors("quality") {
        let id = vector["id"].as_str().unwrap();
        let triangle = &vector["input"]["triangle"];
        let corners = [0, 1, 2].map(|k| DVec3::from_array(points(triangle, k)));
        let shape = TriangleShape::of(corners).unwrap();
        for (key, found) in [
            ("longest_over_shortest", shape.longest_over_shortest),
            ("longest_over_least_height", shape.longest_over_least_height),
            ("circum_over_twice_inradius", shape.radius_ratio),
            ("mean_ratio", shape.mean_ratio),
            ("min_angle", shape.min_angle_degrees),
            ("max_angle", shape.max_angle_degrees),
        ] {
            assert_near(found, vector["expect"][key].as_f64().unwrap(), &format!("{id} {key}"));
        }
    }
    assert_eq!(TriangleShape::of([DVec3::ZERO, DVec3::X, DVec3::X * 2.0]), None);
}

#[test]
fn the_published_stretches_come_out() {
    for vector in vectors("uv") {
        let id = vector["id"].as_str().unwrap();
        let corners = [0, 1, 2].map(|k| DVec3::from_array(points(&vector["input"]["triangle"], k)));
        let uvs = [0, 1, 2].map(|k| DVec2::from_array(points(&vector["input"]["uv"], k)));
        let ([larger, smaller], signed) = uv_stretch(corners, uvs).unwrap();
        let squares = larger * larger + smaller * smaller;
        let inverse = 1.0 / (larger * larger) + 1.0 / (smaller * smaller);
        for (key, found) in [
            ("sigma_max", larger),
            ("sigma_min", smaller),
            ("L2", (0.5 * squares).sqrt()),
            ("Linf", larger),
            ("conformal", larger / smaller),
            ("area_ratio_3d_over_uv", larger * smaller),
            ("symmetric_dirichlet_half", 0.5 * (squares + inverse) * 0.5),
            ("uv_signed_area", signed),
        ] {
            let expected = vector["expect"][key].as_f64().unwrap();
            assert_near(found, expected, &format!("{id} {key}"));
        }
    }
}

/// A square of two triangles, its coordinates moved by `map`.
fn square(map: impl Fn(Vec2) -> Vec2) -> QualityFacts {
    let corners = [(0.0_f32, 0.0_f32), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
    let positions =
        corners.map(|(x, y)| DVec3::new(f64::from(x), 1.0 - f64::from(y), 0.0) * 2.0).to_vec();
    let uvs = corners.map(|(x, y)| map(Vec2::new(x, y))).to_vec();
    let shape = (positions, vec![[0, 3, 2], [0, 2, 1]]);
    measure_quality(&scene_of(shape, uvs))
}

#[test]
fn a_square_has_no_stretch_and_a_pressed_one_has() {
    let plain = square(|uv| uv).uv.unwrap();
    assert!((plain.stretch_l2 - 1.0).abs() < 1e-9, "{plain:?}");
    assert!((plain.anisotropy_mean - 1.0).abs() < 1e-9);
    assert_eq!((plain.flipped_area_share, plain.overlap_share), (0.0, 0.0));
    let half = square(|uv| uv * Vec2::new(0.25, 1.0)).uv.unwrap();
    assert!((half.anisotropy_mean - 4.0).abs() < 1e-6, "{half:?}");
    assert!(half.stretch_l2 > 1.4);
    let mirrored = square(|uv| Vec2::new(1.0 - uv.x, uv.y)).uv.unwrap();
    assert_eq!(mirrored.flipped_area_share, 1.0);
    // The second triangle is on the first.
    let folded = square(|uv| if uv.x > uv.y { Vec2::new(uv.y, uv.x) } else { uv });
    assert!(folded.uv.unwrap().overlap_share > 0.99);
    assert_eq!(measure_quality(&scene(torus())).uv, None);
}

/// Triangles of some size, one over the other and each turned a little, so that all cross all
/// others where they are large. Each covers the left half of the texture's first two repeats.
fn sheets(count: usize, size: f64) -> Scene {
    let mut shape: Shape = (Vec::new(), Vec::new());
    let mut uvs = Vec::new();
    for i in 0..count {
        let tilt = ((i as f64 * 0.618).fract() - 0.5) * size;
        let at = DVec3::new((i % 400) as f64, (i / 400) as f64, 0.0) * (0.01 - 0.01 * size);
        let corners = [[0.0, 0.0, tilt], [size, 0.0, -tilt], [0.0, size, tilt * tilt]];
        shape = soup(shape, (corners.map(|c| at + DVec3::from(c)).to_vec(), vec![[0, 1, 2]]));
        uvs.extend([Vec2::ZERO, Vec2::new(0.5, 0.0), Vec2::new(0.0, 2.0)]);
    }
    scene_of(shape, uvs)
}

#[test]
fn what_lies_on_itself_is_measured_in_part_and_said_to_be() {
    let few = sheets(300, 1.0);
    let quality = measure_quality(&few);
    assert!(measure(&few).parts.is_complete && quality.crossings.is_complete);
    assert!(quality.crossings.pairs > 10_000, "{:?}", quality.crossings);
    assert!(!measure(&sheets(60_000, 1.0)).parts.is_complete);
    // So many that the limit is reached, and no more: most of the work is then tests, which are
    // quick for what they count.
    let many = sheets(10_000, 1.0);
    let quality = measure_quality(&many);
    let crossings = quality.crossings;
    assert!(!crossings.is_complete && crossings.pairs > 100_000, "{crossings:?}");
    assert!(quality.uv.unwrap().overlap_is_complete);
    // Steps are counted, not seconds: threads play no part.
    let alone = with_threads(1, || measure_quality(&many));
    assert_eq!(alone.crossings, crossings);
}

#[test]
fn overlap_in_the_texture_is_counted_in_part_and_said_to_be() {
    let quality = measure_quality(&sheets(140_000, 0.001));
    assert!(quality.crossings.is_complete);
    let uv = quality.uv.unwrap();
    assert!(!uv.overlap_is_complete);
    assert!((0.9..=1.0).contains(&uv.overlap_share), "{uv:?}");
}

/// One large triangle among many small ones may need more than an equal share of the budget.
#[test]
fn a_ground_under_many_things_is_searched_whole() {
    let mut shape: Shape = (Vec::new(), Vec::new());
    for i in 0..20_000 {
        let (x, z) = (f64::from(i % 141), f64::from(i / 141));
        let [a, b, c] = [(0.0, -0.2), (0.3, 0.5), (0.0, 0.5)];
        let at = |(dx, y): (f64, f64)| DVec3::new(x + dx, y, z);
        shape = soup(shape, (vec![at(a), at(b), at(c)], vec![[0, 1, 2]]));
    }
    let ground = [[-500.0, -500.0], [1500.0, -500.0], [-500.0, 1500.0]];
    let ground = ground.map(|[x, z]| DVec3::new(x, 0.0, z)).to_vec();
    let crossings = measure_quality(&scene(soup(shape, (ground, vec![[0, 1, 2]])))).crossings;
    assert!(crossings.is_complete);
    assert_eq!((crossings.pairs, crossings.triangles), (20_000, 20_001));
}
