//! Surfaces built from rings: tubes along a path, lathed profiles, rounded boxes. Smooth normals
//! over welded positions.

use glam::{Vec2, Vec3};
use std::collections::BTreeMap;
use std::f32::consts::TAU;

/// Vertices and triangles of one material.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    /// Metres, y up, front towards +z.
    pub positions: Vec<Vec3>,
    /// (0, 0) is the texture's top left; the texture repeats.
    pub uvs: Vec<Vec2>,
    pub triangles: Vec<[u32; 3]>,
}

impl Shape {
    /// Adds a closed part.
    pub fn add(&mut self, part: Self) {
        debug_assert!(part.volume() > 0.0, "a part is inside out or empty");
        self.append(part);
    }

    /// Enclosed volume if closed; negative when inside out.
    fn volume(&self) -> f32 {
        let middle = self.positions.iter().sum::<Vec3>() / self.positions.len() as f32;
        let of = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| self.positions[v as usize] - middle);
            a.dot(b.cross(c)) / 6.0
        };
        self.triangles.iter().map(of).sum()
    }

    /// Adds another shape, closed or not.
    pub fn append(&mut self, other: Self) {
        let first = self.positions.len() as u32;
        self.positions.extend(other.positions);
        self.uvs.extend(other.uvs);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
    }

    /// The same shape with every position moved.
    pub fn moved(mut self, by: impl Fn(Vec3) -> Vec3) -> Self {
        self.positions.iter_mut().for_each(|p| *p = by(*p));
        self
    }

    /// For each vertex a number that all vertices at its position share.
    pub fn welded(&self) -> Vec<usize> {
        let mut known = BTreeMap::new();
        let key = |p: &Vec3| (*p + Vec3::ZERO).to_array().map(f32::to_bits);
        self.positions
            .iter()
            .map(|p| {
                let next = known.len();
                *known.entry(key(p)).or_insert(next)
            })
            .collect()
    }

    /// Unit normals: triangles around a position, weighted by area.
    pub fn normals(&self) -> Vec<Vec3> {
        let welded = self.welded();
        let mut sums = vec![Vec3::ZERO; self.positions.len()];
        for t in &self.triangles {
            let [a, b, c] = t.map(|v| self.positions[v as usize]);
            t.iter().for_each(|&v| sums[welded[v as usize]] += (b - a).cross(c - a));
        }
        welded.iter().map(|&w| sums[w].try_normalize().unwrap_or(Vec3::Y)).collect()
    }

    /// Drops vertices that no triangle uses.
    pub fn compacted(&self) -> Self {
        let mut out = Self::default();
        let mut place = vec![u32::MAX; self.positions.len()];
        for t in &self.triangles {
            let corners = t.map(|v| {
                let slot = &mut place[v as usize];
                if *slot == u32::MAX {
                    *slot = out.positions.len() as u32;
                    out.positions.push(self.positions[v as usize]);
                    out.uvs.push(self.uvs[v as usize]);
                }
                *slot
            });
            out.triangles.push(corners);
        }
        out
    }
}

/// Sine of a part of a full turn.
pub fn sin_turn(turn: f32) -> f32 {
    libm::sinf(turn * TAU)
}

/// Cosine of a part of a full turn.
pub fn cos_turn(turn: f32) -> f32 {
    libm::cosf(turn * TAU)
}

/// Rings of `sides` points joined to a skin; the first and the last ring are closed by collapsing,
/// so give them radius 0. `point(ring, turn)` is a position, `uv(ring, turn)` its coordinate; turn
/// 1 repeats turn 0's position bit by bit.
pub fn skin(
    rings: usize,
    sides: usize,
    point: impl Fn(usize, f32) -> Vec3,
    uv: impl Fn(usize, f32) -> Vec2,
) -> Shape {
    let mut shape = Shape::default();
    for ring in 0..rings {
        for side in 0..=sides {
            shape.positions.push(point(ring, (side % sides) as f32 / sides as f32));
            shape.uvs.push(uv(ring, side as f32 / sides as f32));
        }
    }
    let row = sides as u32 + 1;
    for (ring, side) in (0..rings as u32 - 1).flat_map(|r| (0..sides as u32).map(move |s| (r, s))) {
        let [a, b, c, d] = [
            ring * row + side,
            ring * row + side + 1,
            (ring + 1) * row + side + 1,
            (ring + 1) * row + side,
        ];
        for t in [[a, b, c], [a, c, d]] {
            let [p, q, r] = t.map(|v| shape.positions[v as usize]);
            if p != q && q != r && r != p {
                shape.triangles.push(t);
            }
        }
    }
    shape
}

/// A rod along `path` (at least two points): `radii(t, turn)` (across, along `flat`) at each ring,
/// ends closed. `uv_rect` is (u, v, repeats around, repeats per metre).
pub fn fluted_rod(
    path: &[Vec3],
    radii: impl Fn(f32, f32) -> Vec2,
    flat: Vec3,
    sides: usize,
    uv_rect: [f32; 4],
) -> Shape {
    let n = path.len();
    let tangent = |i: usize| (path[(i + 1).min(n - 1)] - path[i.saturating_sub(1)]).normalize();
    let mut lengths = vec![0.0_f32];
    path.windows(2).for_each(|w| lengths.push(lengths[lengths.len() - 1] + (w[1] - w[0]).length()));
    // A ring of radius 0 before the first and after the last.
    let ring_at = |ring: usize| ring.clamp(1, n) - 1;
    let [u, v, around, per_metre] = uv_rect;
    skin(
        n + 2,
        sides,
        |ring, turn| {
            let i = ring_at(ring);
            let across = flat.cross(tangent(i)).normalize();
            let along = tangent(i).cross(across);
            let radius = if ring == 0 || ring == n + 1 {
                Vec2::ZERO
            } else {
                radii(i as f32 / (n - 1) as f32, turn)
            };
            path[i] + across * (radius.x * cos_turn(turn)) + along * (radius.y * sin_turn(turn))
        },
        |ring, turn| {
            let i = ring_at(ring);
            Vec2::new(u + around * turn, v + per_metre * lengths[i])
        },
    )
}

/// A box with round edges: `cells` per axis, a texture plane per face (`repeats` per metre).
pub fn rounded_box(half: Vec3, radius: f32, cells: [usize; 3], repeats: f32) -> Shape {
    let mut shape = Shape::default();
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0_f32)] {
        let (ua, va) = ((axis + 1) % 3, (axis + 2) % 3);
        let (columns, rows) = (cells[ua], cells[va]);
        let mut face = Shape::default();
        for (row, column) in (0..=rows).flat_map(|r| (0..=columns).map(move |c| (r, c))) {
            let mut p = Vec3::ZERO;
            p[axis] = sign * half[axis];
            p[ua] = even(column, columns) * half[ua];
            p[va] = even(row, rows) * half[va];
            let inner = p.clamp(radius - half, half - radius);
            face.positions.push(
                inner + (p - inner).normalize_or_zero() * radius.min((p - inner).length() * 2.0),
            );
            // The grain (v) runs along z on flat faces and along the long side on the rim.
            let (gu, gv) = if ua == 2 { (p[va], p[ua]) } else { (p[ua], p[va]) };
            face.uvs.push(Vec2::new(gu, gv) * repeats);
        }
        let width = columns as u32 + 1;
        for (r, c) in (0..rows as u32).flat_map(|r| (0..columns as u32).map(move |c| (r, c))) {
            let [a, b, d, e] =
                [r * width + c, r * width + c + 1, (r + 1) * width + c + 1, (r + 1) * width + c];
            let quads = if sign > 0.0 { [[a, b, d], [a, d, e]] } else { [[a, d, b], [a, e, d]] };
            face.triangles.extend(quads);
        }
        shape.append(face);
    }
    shape
}

/// −1 to 1, denser towards the ends so that round edges get enough vertices; bitwise symmetric.
fn even(index: usize, count: usize) -> f32 {
    let t = (2 * index) as f32 / count as f32 - 1.0;
    let s = t.abs();
    t.signum() * (1.0 - (1.0 - s) * (1.0 - 0.35 * s))
}
