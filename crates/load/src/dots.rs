//! Points and lines → round dots and thin rods of triangles, if alone in a file or on request.

use super::warning::{Warning, Warnings};
use crate::scene::MeshParts;
use glam::{Vec3, Vec4};
use std::collections::HashMap;

/// Of more points, evenly chosen ones are drawn.
const POINTS_MAX: usize = 1_000_000;

/// Up to so many points a dot has 128 triangles, up to ten times as many 32, else 8.
const FINE_MAX: usize = 20_000;

/// A dot's diameter: the box's longest edge ÷ √(points), limited to these shares of that edge.
const DIAMETER_SHARES: [f64; 2] = [1.0 / 500.0, 1.0 / 50.0];

const SIDES: usize = 6;

/// Points and lines in world space.
#[derive(Debug, Default)]
pub(super) struct Sketch {
    pub points: Vec<Vec3>,
    /// One for each point, linear RGBA.
    pub colors: Option<Vec<Vec4>>,
    /// Two points each, in range.
    pub lines: Vec<[u32; 2]>,
    pub material: usize,
}

/// Meshes for each sketch with a finite point, with a warning that names them. `surfaces` are the
/// other meshes of the asset.
pub(super) fn draw(
    sketches: Vec<Sketch>,
    surfaces: &[MeshParts],
    warnings: &mut Warnings,
) -> Vec<MeshParts> {
    let finite = |p: &&Vec3| p.is_finite();
    let all = || sketches.iter().flat_map(|s| s.points.iter().filter(finite));
    let num_points = all().count();
    if num_points == 0 {
        return Vec::new();
    }
    let beside = surfaces.iter().flat_map(|mesh| &mesh.positions);
    let (low, high) = all()
        .chain(beside.filter(finite))
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
    let longest = (high.as_dvec3() - low.as_dvec3()).max_element();
    let share = 1.0 / (num_points as f64).sqrt();
    let [least, most] = DIAMETER_SHARES;
    let diameter = match longest {
        0.0 => 1.0,
        longest => longest * share.clamp(least, most),
    };
    let step = num_points.div_ceil(POINTS_MAX);
    let dot = Dot::for_count(num_points, (diameter / 2.0) as f32);
    let lines: usize = sketches.iter().map(|sketch| sketch.lines.len()).sum();
    warnings.add(Warning::Dots {
        points: num_points as u64,
        lines: lines as u64,
        diameter: format!("{diameter:.3e}"),
        drawn: num_points.div_ceil(step) as u64,
    });
    let meshes = sketches.into_iter().map(|sketch| mesh(&sketch, &dot, step));
    meshes.filter(|mesh| !mesh.triangles.is_empty()).collect()
}

/// A ball of few triangles; normals are its positions ÷ radius.
struct Dot {
    normals: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    radius: f32,
}

impl Dot {
    fn for_count(count: usize, radius: f32) -> Self {
        let normals = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
        let eighths = [
            [0, 1, 2],
            [1, 0, 5],
            [0, 2, 4],
            [2, 1, 3],
            [0, 4, 5],
            [1, 5, 3],
            [2, 3, 4],
            [3, 5, 4],
        ];
        let dot = Self { normals: normals.to_vec(), triangles: eighths.to_vec(), radius };
        match count {
            0..=FINE_MAX => dot.rounder().rounder(),
            _ if count <= 10 * FINE_MAX => dot.rounder(),
            _ => dot,
        }
    }

    /// Every triangle cut into four.
    fn rounder(mut self) -> Self {
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        let mut triangles = Vec::with_capacity(self.triangles.len() * 4);
        for corners in self.triangles {
            let middle = [[0, 1], [1, 2], [2, 0]].map(|[i, k]| {
                let (a, b) = (corners[i], corners[k]);
                *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    let between = self.normals[a as usize] + self.normals[b as usize];
                    self.normals.push(between.normalize());
                    self.normals.len() as u32 - 1
                })
            });
            let ([a, b, c], [ab, bc, ca]) = (corners, middle);
            triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        Self { triangles, ..self }
    }
}

fn mesh(sketch: &Sketch, dot: &Dot, step: usize) -> MeshParts {
    let mut out = MeshParts {
        normals: Some(Vec::new()),
        colors: sketch.colors.as_ref().map(|_| Vec::new()),
        material: sketch.material,
        ..MeshParts::default()
    };
    let color_of = |point: usize| {
        let color = sketch.colors.as_ref().map(|colors| colors[point]);
        color.map(|color| if color.is_finite() { color } else { Vec4::ONE })
    };
    let push = |out: &mut MeshParts, position: Vec3, normal: Vec3, color: Option<Vec4>| {
        out.positions.push(position);
        out.normals.iter_mut().for_each(|list| list.push(normal));
        if let (Some(list), Some(color)) = (&mut out.colors, color) {
            list.push(color);
        }
    };
    let points = sketch.points.iter().enumerate().step_by(step);
    for (idx, &center) in points.filter(|(_, point)| point.is_finite()) {
        let first = out.positions.len() as u32;
        for &normal in &dot.normals {
            push(&mut out, center + normal * dot.radius, normal, color_of(idx));
        }
        let moved = dot.triangles.iter().map(|corners| corners.map(|c| c + first));
        out.triangles.extend(moved);
    }
    for &line in sketch.lines.iter().take(POINTS_MAX) {
        let ends = line.map(|end| sketch.points[end as usize]);
        let Some(along) = (ends[1] - ends[0]).try_normalize() else {
            continue;
        };
        let first = out.positions.len() as u32;
        let (side, other) = along.any_orthonormal_pair();
        for k in 0..SIDES {
            let turn = k as f32 / SIDES as f32 * std::f32::consts::TAU;
            let normal = side * libm::cosf(turn) + other * libm::sinf(turn);
            for (end, idx) in ends.iter().zip(line) {
                push(&mut out, *end + normal * dot.radius, normal, color_of(idx as usize));
            }
        }
        for k in 0..SIDES as u32 {
            let [a, b] = [k, (k + 1) % SIDES as u32].map(|side| first + 2 * side);
            out.triangles.extend([[a, b, a + 1], [b, b + 1, a + 1]]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_round_and_face_outwards() {
        for count in [10, 100_000, 1_000_000] {
            let dot = Dot::for_count(count, 1.0);
            for &[a, b, c] in &dot.triangles {
                let [a, b, c] = [a, b, c].map(|k| dot.normals[k as usize]);
                assert!((b - a).cross(c - a).dot(a + b + c) > 0.0);
                assert!((a.length() - 1.0).abs() < 1e-6);
            }
        }
        let counts = [10, 100_000, 1_000_000].map(|n| Dot::for_count(n, 1.0).triangles.len());
        assert_eq!(counts, [128, 32, 8]);
    }

    #[test]
    fn rods_face_outwards() {
        let sketch = Sketch {
            points: vec![Vec3::ZERO, Vec3::new(1.0, 2.0, -1.0), Vec3::NAN],
            lines: vec![[0, 1], [0, 0], [0, 2]],
            ..Sketch::default()
        };
        let dot = Dot::for_count(3, 0.1);
        let mesh = mesh(&sketch, &dot, 1);
        let rods = &mesh.triangles[2 * dot.triangles.len()..];
        assert_eq!(rods.len(), 2 * SIDES);
        for corners in rods {
            let [a, b, c] = corners.map(|k| mesh.positions[k as usize]);
            let outward = mesh.normals.as_ref().unwrap()[corners[0] as usize];
            assert!((b - a).cross(c - a).dot(outward) > 0.0);
        }
        assert!(mesh.positions.iter().all(|p| p.is_finite()));
    }
}
