//! A tortoise that walks to +z: domed shell of raised plates, spotted legs and head, a stub of a
//! tail.

use glam::{Vec2, Vec3};
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, ball, cos_turn, hash, hoop, inside, noise,
    on_panel, sin_turn, skin, to_disc, to_line, tube, wave,
};

const SHELL: Rect = [0.0, 0.0, 1.0, 0.55];
const RIM: Rect = [0.0, 0.55, 1.0, 0.12];
const SKIN: Rect = [0.0, 0.67, 0.6, 0.33];
const EYE: Rect = [0.6, 0.67, 0.2, 0.2];
const BELLY: Rect = [0.8, 0.67, 0.2, 0.33];

const SHELL_HALF: Vec3 = Vec3::new(0.36, 0.34, 0.46);

/// Plates around the shell in the two rows below the crown.
const PLATES: f32 = 8.0;

/// The clean tortoise.
pub(super) fn turtle() -> Vec<Surface> {
    let mut shape = shell();
    shape.add(
        hoop(0.36, 0.040, 48, 10)
            .moved(|p| Vec3::new(p.x * 1.02, 0.6 * p.y + 0.195, p.z * 1.29))
            .on(RIM),
    );
    shape.add(ball(Vec3::new(0.34, 0.075, 0.44), 10, 32).at(0.0, 0.175, 0.0).on(BELLY));
    for (x, z, ahead) in
        [(1.0, 0.28, 0.06), (-1.0, 0.28, -0.02), (1.0, -0.28, -0.03), (-1.0, -0.28, 0.05)]
    {
        let leg: Vec<Vec3> =
            [(0.18, 0.20, 0.0), (0.265, 0.15, 0.5), (0.295, 0.07, 0.8), (0.30, 0.0, 1.0)]
                .into_iter()
                .map(|(out, y, t)| Vec3::new(out * x, y, z + ahead * t))
                .collect();
        shape.add(tube(&leg, 16, |t, _| 0.075 + 0.012 * t).on(SKIN));
        for toe in [-0.045, 0.0, 0.045] {
            shape.add(
                ball(Vec3::new(0.020, 0.022, 0.030), 6, 10)
                    .at(0.30 * x + toe, 0.020, z + ahead + 0.078)
                    .on([0.82, 0.69, 0.1, 0.1]),
            );
        }
    }
    let neck: Vec<Vec3> = (0..=10)
        .map(|i| {
            let t = i as f32 / 10.0;
            Vec3::new(0.0, 0.20 + 0.17 * t * t, 0.34 + 0.25 * t)
        })
        .collect();
    shape.add(tube(&neck, 18, |t, _| 0.088 - 0.012 * t).on(SKIN));
    shape.add(
        ball(Vec3::new(0.098, 0.090, 0.125), 14, 24)
            .moved(|p| Vec3::new(p.x, p.y - 0.10 * p.z * p.z / 0.125, p.z))
            .at(0.0, 0.405, 0.645)
            .on(SKIN),
    );
    for x in [-1.0, 1.0] {
        shape.add(
            ball(Vec3::new(0.026, 0.018, 0.028), 8, 14)
                .rolled(-0.22 * x)
                .at(0.080 * x, 0.440, 0.695)
                .on(EYE),
        );
    }
    let tail: Vec<Vec3> = (0..=6)
        .map(|i| {
            let t = i as f32 / 6.0;
            Vec3::new(0.02 * t, 0.19 - 0.07 * t, -0.40 - 0.16 * t)
        })
        .collect();
    shape.add(tube(&tail, 12, |t, _| 0.050 * (1.06 - t)).on(SKIN));
    vec![Surface::painted("tortoise", 0.6, shape, texture())]
}

/// Distance to the nearest joint of the plates, in plates; `up` from 0 at the rim to 1 at the top.
fn joint(turn: f32, up: f32) -> f32 {
    let (row, height, shift) = match up {
        u if u < 0.33 => (u, 0.33, 0.0),
        u if u < 0.72 => (u - 0.33, 0.39, 0.5),
        _ => return (up - 0.72) * 2.6,
    };
    let across = to_line(turn * PLATES + shift);
    across.min(2.2 * row.min(height - row).max(0.0))
}

/// The half ball above the rim, each plate raised.
fn shell() -> Shape {
    const RINGS: usize = 30;
    skin(
        RINGS + 2,
        64,
        |ring, turn| {
            if ring == 0 {
                return Vec3::new(0.0, 0.18, 0.0);
            }
            let up = (ring - 1) as f32 / RINGS as f32;
            let across = if ring == RINGS + 1 { 0.0 } else { cos_turn(0.25 * up) };
            let raised = 1.0 + 0.055 * inside(0.13 - joint(turn, up), 0.24);
            let out =
                Vec3::new(across * sin_turn(turn), sin_turn(0.25 * up), across * cos_turn(turn));
            out * SHELL_HALF * raised + Vec3::Y * 0.18
        },
        |ring, turn| {
            on_panel(SHELL, Vec2::new(turn, 1.0 - ring.saturating_sub(1) as f32 / RINGS as f32))
        },
    )
}

fn texture() -> Picture {
    const HORN: &[[f32; 3]] =
        &[[40.0, 26.0, 14.0], [96.0, 66.0, 26.0], [166.0, 124.0, 48.0], [214.0, 182.0, 96.0]];
    atlas(
        512,
        &[
            Panel {
                rect: SHELL,
                colors: HORN,
                value: |u, v| {
                    let inner = joint(u, 1.0 - v);
                    if inner < 0.05 {
                        return 0.0;
                    }
                    let growth = 0.35 * wave(inner * 9.0);
                    (0.7 + 3.6 * inner + growth + 0.4 * (noise(u, v, [40, 20], 1) - 0.5))
                        .clamp(0.3, 3.0)
                },
            },
            Panel {
                rect: RIM,
                colors: HORN,
                value: |u, v| {
                    if to_line(u * 22.0) < 0.08 { 0.0 } else { 1.2 + 1.3 * noise(u, v, [44, 3], 2) }
                },
            },
            Panel {
                rect: SKIN,
                colors: &[
                    [58.0, 76.0, 34.0],
                    [110.0, 132.0, 62.0],
                    [160.0, 174.0, 96.0],
                    [226.0, 206.0, 110.0],
                ],
                value: |u, v| {
                    let (x, y) = (u * 12.0, v * 9.0 + 0.5 * (u * 12.0).floor().rem_euclid(2.0));
                    let spot = to_disc(
                        x.fract() - 0.5,
                        y.fract() - 0.5,
                        0.16 + 0.16 * hash(x.floor() as i32, y.floor() as i32, 5),
                    );
                    if spot < 0.0 { 2.7 } else { 0.5 + 1.1 * noise(u, v, [18, 14], 3) }
                },
            },
            Panel {
                rect: EYE,
                colors: &[[10.0, 10.0, 12.0], [236.0, 190.0, 60.0]],
                value: |_, v| if v < 0.36 { 0.0 } else { 1.0 },
            },
            Panel {
                rect: BELLY,
                colors: &[[150.0, 124.0, 70.0], [222.0, 200.0, 138.0]],
                value: |u, v| {
                    if to_line(u * 6.0) < 0.1 || to_line(v * 4.0) < 0.1 { 0.0 } else { 0.9 }
                },
            },
        ],
    )
}
