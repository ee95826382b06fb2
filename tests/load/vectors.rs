//! The inputs that `tests/data/metrics_vectors.json` describes, rebuilt, and its expected values.

use glam::{DVec3, Vec2};
use meshjudge::unstable::metrics::Surface;
use meshjudge::unstable::scene::{Material, Mesh, MeshParts, Scene};
use serde_json::Value;
use std::f64::consts::PI;

/// The entries of one group. At least one.
pub(crate) fn vectors(group: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../data/metrics_vectors.json")).unwrap();
    let of_group = |v: &&Value| v["group"] == group;
    let found: Vec<Value> =
        all["vectors"].as_array().unwrap().iter().filter(of_group).cloned().collect();
    assert!(!found.is_empty(), "{group}");
    found
}

/// Within 1e-9, relative to what is expected where that is above 1.
#[track_caller]
pub(crate) fn assert_near(found: f64, expected: f64, what: &str) {
    let off = (found - expected).abs() / expected.abs().max(1.0);
    assert!(off <= 1e-9, "{what}: {found} instead of {expected}");
}

/// Positions and triangles.
pub(crate) type Shape = (Vec<DVec3>, Vec<[u32; 3]>);

pub(crate) struct Lcg(u64);

impl Lcg {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn unit(&mut self) -> f64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

pub(crate) fn points(seed: u64, count: usize, low: f64, high: f64) -> Vec<DVec3> {
    let mut lcg = Lcg::new(seed);
    let mut next = || low + (high - low) * lcg.unit();
    (0..count).map(|_| DVec3::from([0; 3].map(|_| next()))).collect()
}

/// As `points(seed=…, n=…, lo=…, hi=…)` is written.
pub(crate) fn points_of(text: &str) -> Vec<DVec3> {
    let number = |key: &str| -> f64 {
        let rest = &text[text.find(&format!("{key}=")).unwrap() + key.len() + 1..];
        let end = rest.find([',', ')', ' ']).unwrap();
        rest[..end].parse().unwrap()
    };
    let (seed, count) = (number("seed") as u64, number("n") as usize);
    points(seed, count, number("lo"), number("hi"))
}

pub(crate) fn cube(size: f64, center: DVec3) -> Shape {
    let positions = (0..8_u32)
        .map(|k| {
            let sign = |bit: u32| if k >> bit & 1 == 1 { 0.5 } else { -0.5 };
            center + DVec3::new(sign(2), sign(1), sign(0)) * size
        })
        .collect();
    let faces =
        [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let triangles = faces.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
    (positions, triangles.collect())
}

pub(crate) fn sphere() -> Shape {
    const RINGS: u32 = 16;
    const ROUND: u32 = 32;
    let mut positions = vec![DVec3::Y];
    for (i, j) in (1..RINGS).flat_map(|i| (0..ROUND).map(move |j| (i, j))) {
        let t = PI * f64::from(i) / f64::from(RINGS);
        let p = 2.0 * PI * f64::from(j) / f64::from(ROUND);
        let (st, ct) = (libm::sin(t), libm::cos(t));
        positions.push(DVec3::new(st * libm::cos(p), ct, st * libm::sin(p)));
    }
    positions.push(-DVec3::Y);
    let last = positions.len() as u32 - 1;
    let mut triangles = Vec::new();
    for j in 0..ROUND {
        triangles.push([0, 1 + (j + 1) % ROUND, 1 + j]);
    }
    for i in 0..RINGS - 2 {
        for j in 0..ROUND {
            let (a, b) = (1 + i * ROUND + j, 1 + i * ROUND + (j + 1) % ROUND);
            let (c, d) = (a + ROUND, b + ROUND);
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    for j in 0..ROUND {
        triangles.push([last, last - ROUND + j, last - ROUND + (j + 1) % ROUND]);
    }
    (positions, triangles)
}

pub(crate) fn torus() -> Shape {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..32_u32 {
        for j in 0..16_u32 {
            let t = 2.0 * PI * f64::from(i) / 32.0;
            let p = 2.0 * PI * f64::from(j) / 16.0;
            let r = 1.0 + 0.4 * libm::cos(p);
            positions.push(DVec3::new(r * libm::cos(t), 0.4 * libm::sin(p), r * libm::sin(t)));
            let at = |i: u32, j: u32| (i % 32) * 16 + j % 16;
            let (a, b) = (at(i, j), at(i + 1, j));
            let (c, d) = (at(i + 1, j + 1), at(i, j + 1));
            triangles.extend([[a, d, c], [a, c, b]]);
        }
    }
    (positions, triangles)
}

pub(crate) fn bowl() -> Shape {
    let (positions, triangles) = sphere();
    let below = |t: &[u32; 3]| t.iter().all(|&v| v > 7 * 32);
    (positions, triangles.into_iter().filter(below).collect())
}

pub(crate) fn soup(a: Shape, b: Shape) -> Shape {
    let (mut positions, mut triangles) = a;
    let first = positions.len() as u32;
    positions.extend(b.0);
    triangles.extend(b.1.iter().map(|t| t.map(|v| v + first)));
    (positions, triangles)
}

pub(crate) fn moved(shape: Shape, map: impl Fn(DVec3) -> DVec3) -> Shape {
    (shape.0.into_iter().map(map).collect(), shape.1)
}

pub(crate) fn turned_over(shape: Shape) -> Shape {
    let turned = shape.1.into_iter().map(|[a, b, c]| [a, c, b]).collect();
    (shape.0, turned)
}

/// By the names that the entries use.
pub(crate) fn named(name: &str) -> Shape {
    match name {
        "cube" | "cube(1)" => cube(1.0, DVec3::ZERO),
        "sphere" => sphere(),
        "torus" => torus(),
        "bowl" => bowl(),
        _ => panic!("{name}"),
    }
}

/// The shape as one mesh, with texture coordinates if there are any.
pub(crate) fn parts_of((positions, triangles): Shape, uvs: Vec<Vec2>) -> MeshParts {
    let uv_sets = if uvs.is_empty() { Vec::new() } else { vec![uvs] };
    let positions = positions.iter().map(|p| p.as_vec3()).collect();
    MeshParts { positions, triangles, uv_sets, ..MeshParts::default() }
}

pub(crate) fn scene_of(shape: Shape, uvs: Vec<Vec2>) -> Scene {
    let mesh = Mesh::new(parts_of(shape, uvs)).unwrap();
    Scene::new(vec![mesh], vec![Material::default()], Vec::new()).unwrap()
}

pub(crate) fn surface(shape: Shape) -> Surface {
    Surface::new(shape.0, shape.1, "test").unwrap()
}
