//! What bad generators do to an object: holes, floating crumbs, noise. Deterministic.

use super::paint::hash;
use super::shape::{Shape, cos_turn, sin_turn, skin};
use glam::{Vec2, Vec3};

/// Drops the triangles whose middle lies inside a ball (centre, radius) with a ragged edge.
pub fn holes(shape: &Shape, balls: &[(Vec3, f32)]) -> Shape {
    let mut out = shape.clone();
    let welded = shape.welded();
    out.triangles.retain(|t| {
        let middle = t
            .iter()
            .fold(Vec3::ZERO, |sum, &v| sum + shape.positions[v as usize])
            / 3.0;
        let ragged = 0.85 + 0.3 * hash(welded[t[0] as usize] as i32, 0, 11);
        balls
            .iter()
            .all(|(centre, radius)| (middle - *centre).length() > radius * ragged)
    });
    out
}

/// Moves every position along its normal by up to ± `amplitude` metres; vertices at one position move together.
pub fn noise(shape: &Shape, amplitude: f32, seed: u32) -> Shape {
    let (welded, normals) = (shape.welded(), shape.normals());
    let mut out = shape.clone();
    for ((position, normal), &w) in out.positions.iter_mut().zip(normals).zip(&welded) {
        *position += normal * (amplitude * (2.0 * hash(w as i32, 1, seed) - 1.0));
    }
    out
}

/// Lumps of about `radius` metres that hang in the air.
pub fn crumbs(places: &[(Vec3, f32)]) -> Shape {
    let mut out = Shape::default();
    for (i, &(centre, radius)) in places.iter().enumerate() {
        let (rings, sides) = (6, 7);
        out.add(skin(
            rings,
            sides,
            |ring, turn| {
                let t = ring as f32 / (rings - 1) as f32 * 0.5;
                // Exactly on the axis at both ends, so that the lump is closed.
                let across = if ring == 0 || ring == rings - 1 {
                    0.0
                } else {
                    sin_turn(t)
                };
                let lump = 0.7
                    + 0.6
                        * if across == 0.0 {
                            0.5
                        } else {
                            hash(ring as i32, (turn * 64.0) as i32, i as u32)
                        };
                centre
                    + Vec3::new(
                        across * cos_turn(turn),
                        cos_turn(t),
                        -across * sin_turn(turn),
                    ) * radius
                        * lump
            },
            |ring, turn| Vec2::new(turn, ring as f32) * 0.1,
        ));
    }
    out
}
