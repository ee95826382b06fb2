//! Closed object parts, each on its own texture panel: turned profiles, tubes, hoops, blocks.

use super::atlas::{MARGIN, Rect};
use super::paint::noise;
use super::shape::{Shape, cos_turn, fluted_rod, rounded_box, sin_turn, skin};
use glam::{Vec2, Vec3};

impl Shape {
    /// Lays coordinates from 0 to 1 on a panel.
    pub fn on(mut self, panel: Rect) -> Self {
        self.uvs.iter_mut().for_each(|uv| *uv = on_panel(panel, *uv));
        self
    }

    /// Moved to a place.
    pub fn at(self, x: f32, y: f32, z: f32) -> Self {
        self.moved(|p| p + Vec3::new(x, y, z))
    }

    /// Turned around y; a quarter turn takes +z to +x.
    pub fn turned(self, turn: f32) -> Self {
        let (s, c) = (sin_turn(turn), cos_turn(turn));
        self.moved(|p| Vec3::new(p.x * c + p.z * s, p.y, p.z * c - p.x * s))
    }

    /// Turned around x; a quarter turn takes +y to +z.
    pub fn tipped(self, turn: f32) -> Self {
        let (s, c) = (sin_turn(turn), cos_turn(turn));
        self.moved(|p| Vec3::new(p.x, p.y * c - p.z * s, p.y * s + p.z * c))
    }

    /// Turned around z; a quarter turn takes +x to +y.
    pub fn rolled(self, turn: f32) -> Self {
        let (s, c) = (sin_turn(turn), cos_turn(turn));
        self.moved(|p| Vec3::new(p.x * c - p.y * s, p.x * s + p.y * c, p.z))
    }

    /// Gives each face of a `rounded_box` of `cells` its own coordinates:
    /// `uv(axis, sign, position)`.
    pub fn faced(mut self, cells: [usize; 3], uv: impl Fn(usize, f32, Vec3) -> Vec2) -> Self {
        let mut first = 0;
        for (axis, sign) in (0..3).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]) {
            let count = (cells[(axis + 1) % 3] + 1) * (cells[(axis + 2) % 3] + 1);
            for v in first..first + count {
                self.uvs[v] = uv(axis, sign, self.positions[v]);
            }
            first += count;
        }
        self
    }
}

/// A point of a panel, from (0, 0) at its top left to (1, 1), in the texture.
pub fn on_panel([u, v, width, height]: Rect, at: Vec2) -> Vec2 {
    let size = Vec2::new(width, height) - 2.0 * MARGIN;
    Vec2::new(u, v) + MARGIN + at * size
}

/// Catmull–Rom through a profile of (radius, height); `t` from 0 to 1.
pub fn curve(profile: &[(f32, f32)], t: f32) -> Vec2 {
    let last = profile.len() - 1;
    let at = t * last as f32;
    let i = (at as usize).min(last - 1);
    let f = at - i as f32;
    let p = |k: isize| {
        let (r, y) = profile[(i as isize + k).clamp(0, last as isize) as usize];
        Vec2::new(r, y)
    };
    let (a, b, c, d) = (p(-1), p(0), p(1), p(2));
    0.5 * (2.0 * b
        + (c - a) * f
        + (2.0 * a - 5.0 * b + 4.0 * c - d) * f * f
        + (3.0 * b - a - 3.0 * c + d) * f * f * f)
}

/// `count` points of the curve through a profile.
pub fn curved(profile: &[(f32, f32)], count: usize) -> Vec<(f32, f32)> {
    (0..count).map(|i| curve(profile, i as f32 / (count - 1) as f32).into()).collect()
}

/// Turns a profile of (radius, height), from below, around y; both ends are closed. Corners are cut
/// by `bevel`, so that smooth normals keep them; sides are at most `step` long. Coordinates: (turn,
/// 0 at the greatest height to 1 at the least).
pub fn lathe(profile: &[(f32, f32)], bevel: f32, step: f32, sides: usize) -> Shape {
    let points = divided(&cut(profile, bevel), step);
    let (low, high) =
        points.iter().fold((f32::MAX, f32::MIN), |(low, high), p| (low.min(p.y), high.max(p.y)));
    skin(
        points.len(),
        sides,
        |ring, turn| {
            let p = points[ring];
            Vec3::new(p.x * sin_turn(turn), p.y, p.x * cos_turn(turn))
        },
        |ring, turn| Vec2::new(turn, (high - points[ring].y) / (high - low)),
    )
}

/// The profile from axis to axis, sharp corners replaced by two points.
fn cut(profile: &[(f32, f32)], bevel: f32) -> Vec<Vec2> {
    let (first, last) = (profile[0], profile[profile.len() - 1]);
    let mut corners = vec![Vec2::new(0.0, first.1)];
    corners.extend(profile.iter().map(|&(r, y)| Vec2::new(r, y)));
    corners.push(Vec2::new(0.0, last.1));
    corners.dedup();
    let mut points = vec![corners[0]];
    for w in corners.windows(3) {
        let (back, ahead) = (w[0] - w[1], w[2] - w[1]);
        // Under about 25° a corner is a curve.
        if -back.dot(ahead) > 0.9 * back.length() * ahead.length() {
            points.push(w[1]);
        } else {
            points.extend(
                [back, ahead]
                    .map(|to| w[1] + to.normalize_or_zero() * bevel.min(0.4 * to.length())),
            );
        }
    }
    points.push(corners[corners.len() - 1]);
    points
}

fn divided(points: &[Vec2], step: f32) -> Vec<Vec2> {
    let mut out = vec![points[0]];
    for w in points.windows(2) {
        let count = ((w[1] - w[0]).length() / step).ceil().max(1.0) as usize;
        out.extend((1..count).map(|i| w[0].lerp(w[1], i as f32 / count as f32)));
        out.push(w[1]);
    }
    out
}

/// A tube along a path with closed ends. Coordinates: (turn, 0 to 1 along it).
pub fn tube(path: &[Vec3], sides: usize, radius: impl Fn(f32, f32) -> f32) -> Shape {
    let length: f32 = path.windows(2).map(|w| (w[1] - w[0]).length()).sum();
    let along = path[path.len() - 1] - path[0];
    let flat = if along.x.abs() + along.y.abs() < along.z.abs() { Vec3::Y } else { Vec3::Z };
    let radii = |t: f32, turn: f32| Vec2::splat(radius(t, turn));
    fluted_rod(path, radii, flat, sides, [0.0, 0.0, 1.0, 1.0 / length])
}

/// A straight bar of one thickness, divided into `cells`.
pub fn bar(from: Vec3, to: Vec3, radius: f32, cells: usize, sides: usize) -> Shape {
    let path: Vec<Vec3> = (0..=cells).map(|i| from.lerp(to, i as f32 / cells as f32)).collect();
    tube(&path, sides, |_, _| radius)
}

/// A hoop around y at height 0.
pub fn hoop(radius: f32, thickness: f32, segments: usize, sides: usize) -> Shape {
    skin(
        segments + 1,
        sides,
        |ring, turn| {
            let around = (ring % segments) as f32 / segments as f32;
            let out = radius + thickness * cos_turn(turn);
            Vec3::new(out * sin_turn(around), -thickness * sin_turn(turn), out * cos_turn(around))
        },
        |ring, turn| Vec2::new(ring as f32 / segments as f32, turn),
    )
}

/// A box with round edges. Each face has its own `panel(axis, sign)`, upright.
pub fn block(
    half: Vec3,
    radius: f32,
    cells: [usize; 3],
    panel: impl Fn(usize, f32) -> Rect,
) -> Shape {
    rounded_box(half, radius, cells, 1.0).faced(cells, |axis, sign, p| {
        let p = 0.5 * p / half;
        let at = match axis {
            0 => Vec2::new(0.5 - sign * p.z, 0.5 - p.y),
            1 => Vec2::new(0.5 + p.x, 0.5 + sign * p.z),
            _ => Vec2::new(0.5 + sign * p.x, 0.5 - p.y),
        };
        on_panel(panel(axis, sign), at)
    })
}

/// An ellipsoid around the origin. Coordinates: (turn, 0 at the top to 1 at the bottom).
pub fn ball(radii: Vec3, rings: usize, sides: usize) -> Shape {
    skin(
        rings + 1,
        sides,
        |ring, turn| {
            let up = 0.5 * ring as f32 / rings as f32;
            let out = if ring == 0 || ring == rings { 0.0 } else { sin_turn(up) };
            radii * Vec3::new(out * sin_turn(turn), -cos_turn(up), out * cos_turn(turn))
        },
        |ring, turn| Vec2::new(turn, 1.0 - ring as f32 / rings as f32),
    )
}

/// A cross-section of a [`hull`].
#[derive(Debug, Clone, Copy)]
pub struct Station {
    pub z: f32,
    /// Height of its middle.
    pub y: f32,
    /// Half the width and half the height.
    pub half: [f32; 2],
}

/// Shorthand for a [`Station`].
pub const fn station(z: f32, y: f32, half_width: f32, half_height: f32) -> Station {
    Station { z, y, half: [half_width, half_height] }
}

/// A body along z through stations from the back to the front, smooth (Catmull–Rom) over `rings`
/// rings; `square` goes from 0 (round cross-sections) to 1 (rectangles). The ends are closed flat.
/// Coordinates: (turn from the lowest line over the left side, +x, to the top and back on the
/// right, 0 at the front to 1 at the back).
pub fn hull(stations: &[Station], rings: usize, sides: usize, square: f32) -> Shape {
    let of = |pick: fn(&Station) -> f32| -> Vec<(f32, f32)> {
        stations.iter().map(|s| (pick(s), s.z)).collect()
    };
    let (heights, widths, sizes) = (of(|s| s.y), of(|s| s.half[0]), of(|s| s.half[1]));
    let along = |ring: usize| (ring.clamp(1, rings) - 1) as f32 / (rings - 1) as f32;
    skin(
        rings + 2,
        sides,
        |ring, turn| {
            let t = along(ring);
            let (y, z) = curve(&heights, t).into();
            let half = Vec2::new(curve(&widths, t).x, curve(&sizes, t).x).max(Vec2::ZERO);
            let (x_out, y_out) = (sin_turn(turn), -cos_turn(turn));
            let stretch = 1.0 + square * (1.0 / x_out.abs().max(y_out.abs()) - 1.0);
            if ring == 0 || ring == rings + 1 {
                return Vec3::new(0.0, y, z);
            }
            Vec3::new(half.x * x_out * stretch, y + half.y * y_out * stretch, z)
        },
        |ring, turn| Vec2::new(turn, 1.0 - along(ring)),
    )
}

/// A plate in the xy plane around a closed outline, counter-clockwise seen from +z, every point of
/// which is seen from the origin. `panels` are those of the front (+z), of the back and of the rim;
/// both faces show the outline's box, upright from their own side.
pub fn plate(outline: &[(f32, f32)], half_thickness: f32, bevel: f32, panels: [Rect; 3]) -> Shape {
    const SHARES: [f32; 4] = [0.0, 0.4, 0.8, 1.0];
    let points: Vec<Vec2> = outline.iter().map(|&p| p.into()).collect();
    let (low, high) =
        points.iter().fold((Vec2::MAX, Vec2::MIN), |(low, high), p| (low.min(*p), high.max(*p)));
    let sides = points.len();
    let place = |turn: f32| (turn * sides as f32 + 0.5) as usize % sides;
    // Back, rim and front; an edge is there twice, once for each panel.
    let faces = SHARES.len();
    let at = |ring: usize, turn: f32| {
        let point = points[place(turn)];
        let (share, z) = match ring {
            r if r < faces => (SHARES[r], -half_thickness),
            r if r == faces => (1.0, -half_thickness),
            r if r == faces + 1 => (1.0, bevel - half_thickness),
            r if r == faces + 2 => (1.0, half_thickness - bevel),
            r if r == faces + 3 => (1.0, half_thickness),
            r => (SHARES[2 * faces + 3 - r], half_thickness),
        };
        let is_rim = ring == faces + 1 || ring == faces + 2;
        let inset = if is_rim { 0.0 } else { bevel };
        let short = (1.0 - inset / point.length()).max(0.0);
        (point * (share * short)).extend(z)
    };
    skin(2 * faces + 4, sides, at, |ring, turn| {
        let flat = (at(ring, turn).truncate() - low) / (high - low);
        match ring {
            r if r < faces => on_panel(panels[1], Vec2::new(1.0 - flat.x, 1.0 - flat.y)),
            r if r < faces + 4 => on_panel(panels[2], Vec2::new(turn, (r - faces) as f32 / 3.0)),
            _ => on_panel(panels[0], Vec2::new(flat.x, 1.0 - flat.y)),
        }
    })
}

/// A wheel around x at the origin, with hub caps on both sides. The hub's panel: (turn, 0 at one
/// side's middle, 0.5 at the rim, 1 at the other side's).
pub fn wheel(radius: f32, half_width: f32, tyre: Rect, hub: Rect) -> Shape {
    let mirrored = |half: &[(f32, f32)]| -> Vec<(f32, f32)> {
        let scaled = |&(r, y): &(f32, f32)| (r * radius, y * half_width);
        let below = half.iter().rev().map(|&(r, y)| (r, -y));
        let all: Vec<(f32, f32)> = below.chain(half.iter().copied()).collect();
        all.iter().map(scaled).collect()
    };
    let tread = mirrored(&[(1.0, 0.55), (0.93, 1.0)]);
    let caps = mirrored(&[(0.62, 0.9), (0.56, 1.08), (0.22, 1.25)]);
    let step = 0.5 * radius;
    let mut shape = lathe(&tread, 0.04 * radius, step, 20).on(tyre);
    shape.add(lathe(&caps, 0.01 * radius, step, 14).on(hub));
    shape.rolled(0.25)
}

/// Moves each position up to `amplitude` away from the origin, in smooth lumps about `size` wide.
pub fn lumpy(shape: Shape, size: f32, amplitude: f32, seed: u32) -> Shape {
    const CELLS: i32 = 64;
    shape.moved(|p| {
        // Two slices of plane noise that lean against each other approximate noise in space.
        let at = |c: f32| c / (size * CELLS as f32) + 0.5;
        let lump = noise(at(p.x + 0.6 * p.y), at(p.z - 0.7 * p.y), [CELLS; 2], seed)
            + noise(at(p.y + 0.3 * p.x), at(p.x - 0.5 * p.z), [CELLS; 2], seed + 1);
        p + p.normalize_or_zero() * (amplitude * (lump - 1.0))
    })
}
