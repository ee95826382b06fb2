//! A wooden chair: dished seat, turned legs with brass feet, stretchers, bent back with spindles.
//! Metres.

use glam::{Vec2, Vec3};
use meshjudge_asset::objects::kit::{Shape, Surface, oak, rod, rounded_box};

const SEAT_TOP: f32 = 0.46;
const SEAT_HALF: Vec3 = Vec3::new(0.225, 0.02, 0.215);

/// The clean chair.
pub(super) fn chair() -> Vec<Surface> {
    let mut wood = seat();
    let mut brass = Shape::default();
    for (i, (x, z)) in [(-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().enumerate()
    {
        let (top, foot) = (leg_at(x, z, 1.0), leg_at(x, z, 0.0));
        wood.add(leg(top, foot, i as f32));
        brass.add(rod(
            &[foot, foot.lerp(top, 0.03), foot.lerp(top, 0.07)],
            |_| Vec2::splat(0.0165),
            Vec3::Z,
            12,
            [0.0; 4],
        ));
    }
    let stretcher = |from: Vec3, to: Vec3, u: f32| {
        let path: Vec<Vec3> = (0..9).map(|i| from.lerp(to, i as f32 / 8.0)).collect();
        rod(
            &path,
            |t| Vec2::splat(0.0085 + 0.004 * (1.0 - (2.0 * t - 1.0) * (2.0 * t - 1.0))),
            Vec3::Y,
            8,
            [u, 0.0, 0.2, 2.0],
        )
    };
    for x in [-1.0, 1.0] {
        wood.add(stretcher(leg_at(x, 1.0, 0.34), leg_at(x, -1.0, 0.34), 0.3));
    }
    wood.add(stretcher(leg_at(-1.0, 0.0, 0.34), leg_at(1.0, 0.0, 0.34), 0.6));
    wood.add(back());
    vec![
        Surface {
            shape: wood,
            material: "oak",
            color: [1.0; 3],
            metallic: 0.0,
            roughness: 0.5,
            texture: Some(oak()),
        },
        Surface {
            shape: brass,
            material: "brass",
            color: [0.91, 0.72, 0.34],
            metallic: 1.0,
            roughness: 0.3,
            texture: None,
        },
    ]
}

/// A point on a leg's axis, 0 at the foot and 1 under the seat; the legs are splayed. z = 0 is
/// between front and back.
fn leg_at(x: f32, z: f32, t: f32) -> Vec3 {
    let top = Vec3::new(x * 0.165, SEAT_TOP - 0.03, z * 0.155);
    let foot = Vec3::new(x * 0.215, 0.0, z * 0.205);
    foot.lerp(top, t)
}

fn seat() -> Shape {
    rounded_box(SEAT_HALF, 0.019, [14, 4, 14], 1.6).moved(|p| {
        let (x, z) = (p.x / SEAT_HALF.x, p.z / SEAT_HALF.z);
        // Wider in front; the upper side is dished, deepest behind the middle.
        let wide = 1.0 + 0.10 * z;
        let dish = (1.0 - x * x).max(0.0) * (1.0 - (z + 0.1) * (z + 0.1)).max(0.0);
        let sunk = if p.y > 0.0 { 0.014 * dish } else { 0.0 };
        let round = 1.0 - 0.05 * (x * x).min(1.0) * (z * z).min(1.0);
        Vec3::new(p.x * wide * round, p.y + SEAT_TOP - SEAT_HALF.y - sunk, p.z * round)
    })
}

/// A turned leg: slim foot, a swelling with two beads, slim top.
fn leg(top: Vec3, foot: Vec3, which: f32) -> Shape {
    const STATIONS: [(f32, f32); 19] = [
        (0.0, 0.012),
        (0.07, 0.0135),
        (0.14, 0.0145),
        (0.20, 0.0155),
        (0.22, 0.0205),
        (0.245, 0.0215),
        (0.27, 0.0165),
        (0.34, 0.0205),
        (0.42, 0.0225),
        (0.52, 0.0225),
        (0.62, 0.0205),
        (0.70, 0.0165),
        (0.72, 0.0215),
        (0.745, 0.0225),
        (0.77, 0.0165),
        (0.82, 0.016),
        (0.88, 0.0175),
        (0.94, 0.018),
        (1.0, 0.018),
    ];
    let path: Vec<Vec3> = STATIONS.iter().map(|(t, _)| foot.lerp(top, *t)).collect();
    let radius = |t: f32| Vec2::splat(STATIONS[(t * 18.0 + 0.5) as usize].1);
    rod(&path, radius, Vec3::Z, 10, [0.27 * which, 0.13 * which, 0.35, 2.0])
}

/// Posts, spindles and a bent top rail, leaning back.
fn back() -> Shape {
    let lean = |x: f32, t: f32| {
        // 0 in the seat, 1 at the top; bent to the back, and bowed behind the sitter.
        let bow = 0.04 * (1.0 - (x / 0.2) * (x / 0.2));
        Vec3::new(
            x * (1.0 + 0.12 * t),
            SEAT_TOP - 0.02 + 0.42 * t,
            -0.175 - 0.06 * t - 0.05 * t * t - bow * t,
        )
    };
    let column = |x: f32, top: f32, points: usize| -> Vec<Vec3> {
        (0..points).map(|i| lean(x, top * i as f32 / (points - 1) as f32)).collect()
    };
    let mut shape = Shape::default();
    for (i, x) in [-0.185, 0.185].into_iter().enumerate() {
        shape.add(rod(
            &column(x, 1.0, 12),
            |t| Vec2::splat(0.0165 - 0.004 * t),
            Vec3::Z,
            10,
            [0.4 + 0.3 * i as f32, 0.0, 0.35, 2.0],
        ));
    }
    for (i, x) in [-0.12, -0.06, 0.0, 0.06, 0.12].into_iter().enumerate() {
        let swell = |t: f32| {
            Vec2::splat(0.006 + 0.005 * (1.0 - (2.0 * t - 0.7) * (2.0 * t - 0.7)).max(0.0))
        };
        shape.add(rod(
            &column(x, 0.97, 10),
            swell,
            Vec3::Z,
            8,
            [0.17 * i as f32, 0.3 * i as f32, 0.2, 2.0],
        ));
    }
    let rail: Vec<Vec3> = (0..15).map(|i| lean(-0.21 + 0.03 * i as f32, 0.97)).collect();
    let flat = |t: f32| {
        let end = 1.0 - (2.0 * t - 1.0) * (2.0 * t - 1.0);
        Vec2::new(0.011 + 0.003 * end, 0.026 + 0.022 * end)
    };
    shape.add(rod(&rail, flat, Vec3::Y, 14, [0.1, 0.45, 0.5, 2.0]));
    shape
}
