//! What bad generators do to an object: holes, floating crumbs, noise. Deterministic.

use super::picture::coarse;
use glam::{Vec2, Vec3};
use meshjudge_asset::objects::kit::{Shape, Surface, cos_turn, hash, sin_turn, skin};

/// Drops the triangles whose middle is inside a ball (centre, radius) with a ragged edge.
pub fn holes(shape: &Shape, balls: &[(Vec3, f32)]) -> Shape {
    let mut out = shape.clone();
    let welded = shape.welded();
    out.triangles.retain(|t| {
        let middle = t.iter().fold(Vec3::ZERO, |sum, &v| sum + shape.positions[v as usize]) / 3.0;
        let ragged = 0.85 + 0.3 * hash(welded[t[0] as usize] as i32, 0, 11);
        balls.iter().all(|(centre, radius)| (middle - *centre).length() > radius * ragged)
    });
    out
}

/// Moves every position along its normal by up to ± `amplitude` metres; vertices at one position
/// move together.
pub fn noise(shape: &Shape, amplitude: f32, seed: u32) -> Shape {
    let (welded, normals) = (shape.welded(), shape.normals());
    let mut out = shape.clone();
    for ((position, normal), &w) in out.positions.iter_mut().zip(normals).zip(&welded) {
        *position += normal * (amplitude * (2.0 * hash(w as i32, 1, seed) - 1.0));
    }
    out
}

/// Lumps of about `radius` metres that hang in the air, inside out.
pub fn crumbs(places: &[(Vec3, f32)]) -> Shape {
    let mut out = Shape::default();
    for (i, &(centre, radius)) in places.iter().enumerate() {
        let (rings, sides) = (6, 7);
        out.append(skin(
            rings,
            sides,
            |ring, turn| {
                let t = ring as f32 / (rings - 1) as f32 * 0.5;
                // Exactly on the axis at both ends, so that the lump is closed.
                let across = if ring == 0 || ring == rings - 1 { 0.0 } else { sin_turn(t) };
                let lump = 0.7
                    + 0.6
                        * if across == 0.0 {
                            0.5
                        } else {
                            hash(ring as i32, (turn * 64.0) as i32, i as u32)
                        };
                centre
                    + Vec3::new(across * cos_turn(turn), cos_turn(t), -across * sin_turn(turn))
                        * radius
                        * lump
            },
            |ring, turn| Vec2::new(turn, ring as f32) * 0.1,
        ));
    }
    out
}

/// How far a generator falls short of the clean object. Lengths are shares of the object's
/// diagonal.
#[derive(Clone, Copy)]
pub struct Damage {
    /// How many, and the radius of each.
    pub holes: (u32, f32),
    /// How many, and the radius of each.
    pub crumbs: (u32, f32),
    /// Largest displacement of a vertex.
    pub noise: f32,
    /// Edge of the texture in texels, if it is made coarser.
    pub texture_px: Option<usize>,
    /// How far the texture has slipped, in its own unit.
    pub slip: f32,
}

/// Nothing.
pub const NONE: Damage =
    Damage { holes: (0, 0.0), crumbs: (0, 0.0), noise: 0.0, texture_px: None, slip: 0.0 };

/// The object with this damage at places drawn with `seed`. The first surface takes it; all
/// textures are made coarser.
pub fn spoiled(clean: &[Surface], damage: &Damage, seed: u32) -> Vec<Surface> {
    let mut out = clean.to_vec();
    let shape = &clean[0].shape;
    let (min, max) = shape
        .positions
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(a, b), p| (a.min(*p), b.max(*p)));
    let (middle, diagonal) = (0.5 * (min + max), (max - min).length());
    let mut spoiled = shape.clone();
    if damage.holes.0 > 0 {
        let balls: Vec<(Vec3, f32)> = places(shape, middle, damage.holes.0, seed)
            .into_iter()
            .map(|(at, _)| (at, damage.holes.1 * diagonal))
            .collect();
        spoiled = holes(&spoiled, &balls);
    }
    if damage.noise > 0.0 {
        spoiled = noise(&spoiled, damage.noise * diagonal, seed);
    }
    spoiled.uvs.iter_mut().for_each(|uv| uv.y += damage.slip);
    let lumps: Vec<(Vec3, f32)> = places(shape, middle, damage.crumbs.0, seed + 1)
        .into_iter()
        .enumerate()
        .map(|(i, (at, normal))| {
            let radius = damage.crumbs.1 * diagonal * (0.7 + 0.6 * hash(i as i32, 2, seed));
            (at + normal * (0.06 * diagonal + radius), radius)
        })
        .collect();
    spoiled.append(crumbs(&lumps));
    out[0].shape = spoiled;
    if let Some(side) = damage.texture_px {
        for surface in &mut out {
            surface.texture = surface.texture.as_ref().map(|picture| coarse(picture, side));
        }
    }
    out
}

/// Points of the surface with their normals, drawn by area; only on what faces away from `middle`
/// and not down, where damage is seen.
fn places(shape: &Shape, middle: Vec3, count: u32, seed: u32) -> Vec<(Vec3, Vec3)> {
    let corners = |t: &[u32; 3]| t.map(|v| shape.positions[v as usize]);
    let area = |t: &[u32; 3]| {
        let [a, b, c] = corners(t);
        (b - a).cross(c - a).length()
    };
    let total: f32 = shape.triangles.iter().map(area).sum();
    let draw = |i: i32| {
        let mut left = total * hash(i, 3, seed);
        let hit = shape.triangles.iter().find(|t| {
            left -= area(t);
            left <= 0.0
        });
        let [a, b, c] = corners(hit.unwrap_or(&shape.triangles[0]));
        ((a + b + c) / 3.0, (b - a).cross(c - a).normalize_or_zero())
    };
    (0..)
        .map(draw)
        .filter(|(at, normal)| normal.y > -0.3 && normal.dot(at - middle) > 0.0)
        .take(count as usize)
        .collect()
}
