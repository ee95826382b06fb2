//! A blue enamel mug with a lettered label, half full of coffee; the handle is at +x.

use glam::{Vec2, Vec3};
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, cos_turn, curve, hoop, is_ink, lathe, noise,
    on_panel, sin_turn, skin, to_box, tube,
};

const OUTSIDE: Rect = [0.0, 0.0, 1.0, 0.5];
const INSIDE: Rect = [0.0, 0.5, 0.6, 0.25];
const COFFEE: Rect = [0.6, 0.5, 0.4, 0.25];
const HANDLE: Rect = [0.0, 0.75, 0.7, 0.25];
const RIM: Rect = [0.7, 0.75, 0.3, 0.25];

/// Outside from the foot to the lip: (radius, height).
const WALL: [(f32, f32); 5] =
    [(0.034, 0.0), (0.041, 0.005), (0.042, 0.030), (0.042, 0.075), (0.0435, 0.098)];
const THICKNESS: f32 = 0.003;

/// The clean mug.
pub(super) fn mug() -> Vec<Surface> {
    let mut shape = cup();
    shape.add(hoop(0.0420, 0.0024, 48, 8).at(0.0, 0.098, 0.0).on(RIM));
    shape.add(lathe(&[(0.0405, 0.068), (0.0405, 0.081)], 0.0005, 0.006, 40).on(COFFEE));
    let grip: Vec<Vec3> = (0..=24)
        .map(|i| {
            let turn = 0.5 * i as f32 / 24.0;
            Vec3::new(0.039 + 0.032 * sin_turn(turn), 0.050 + 0.029 * cos_turn(turn), 0.0)
        })
        .collect();
    shape.add(tube(&grip, 12, |_, turn| 0.0056 * (1.0 - 0.2 * cos_turn(2.0 * turn))).on(HANDLE));
    vec![Surface::painted("enamel", 0.3, shape, texture())]
}

/// From the middle of the foot over the lip to the middle of the floor; the lip is there twice,
/// once for each panel.
fn cup() -> Shape {
    const RINGS: usize = 20;
    let up = |ring: usize| (ring.clamp(1, RINGS) - 1) as f32 / (RINGS - 1) as f32;
    let down = |ring: usize| 1.0 - (ring - RINGS - 1).min(RINGS - 1) as f32 / (RINGS - 1) as f32;
    skin(
        2 * RINGS + 2,
        56,
        |ring, turn| {
            let p = match ring {
                0 => Vec2::new(0.0, 0.0),
                r if r <= RINGS => curve(&WALL, up(r)),
                r if r == RINGS + 1 => curve(&WALL, 1.0),
                r if r <= 2 * RINGS => {
                    let p = curve(&WALL, down(r));
                    Vec2::new(p.x - THICKNESS, p.y.max(THICKNESS))
                }
                _ => Vec2::new(0.0, THICKNESS),
            };
            // The seam and the start of the turn are at the back.
            Vec3::new(-p.x * sin_turn(turn), p.y, -p.x * cos_turn(turn))
        },
        |ring, turn| match ring {
            r if r <= RINGS => on_panel(OUTSIDE, Vec2::new(turn, 1.0 - up(r))),
            r => on_panel(INSIDE, Vec2::new(turn, 1.0 - down(r))),
        },
    )
}

fn texture() -> Picture {
    const ENAMEL: &[[f32; 3]] = &[
        [20.0, 44.0, 98.0],
        [44.0, 88.0, 164.0],
        [92.0, 140.0, 204.0],
        [250.0, 246.0, 234.0],
        [196.0, 44.0, 40.0],
    ];
    atlas(
        512,
        &[
            Panel {
                rect: OUTSIDE,
                colors: ENAMEL,
                value: |u, v| {
                    // Speckles; the label in front, a star behind.
                    let label = to_box(u - 0.5, (v - 0.48) * 0.55, 0.15, 0.16);
                    let text = is_ink("COFFEE", (u - 0.375) / 0.25, (v - 0.36) / 0.16);
                    let cup = is_ink("TIME", (u - 0.435) / 0.13, (v - 0.58) / 0.10);
                    let back = if u < 0.5 { u } else { u - 1.0 };
                    let (x, y) = (back * 2.4, v - 0.5);
                    let star = (x * x + y * y).sqrt()
                        - 0.17
                        - 0.06 * cos_turn(libm::atan2f(x, -y) * (5.0 / std::f32::consts::TAU));
                    match () {
                        () if text => 4.0,
                        () if cup => 0.0,
                        () if label < 0.0 => {
                            if label > -0.010 {
                                4.0
                            } else {
                                3.0
                            }
                        }
                        () if star < 0.0 => 3.0,
                        () if noise(u, v, [110, 50], 7) > 0.90 => 3.0,
                        () => {
                            1.0 + 0.8 * (noise(u, v, [20, 10], 2) - 0.5)
                                - if v > 0.92 { 0.8 } else { 0.0 }
                        }
                    }
                },
            },
            Panel {
                rect: INSIDE,
                colors: &[[206.0, 200.0, 186.0], [250.0, 246.0, 236.0]],
                value: |u, v| 1.0 - 0.5 * v + 0.2 * noise(u, v, [12, 6], 3),
            },
            Panel {
                rect: COFFEE,
                colors: &[[44.0, 24.0, 12.0], [92.0, 54.0, 28.0], [176.0, 124.0, 76.0]],
                value: |u, v| {
                    if v < 0.12 { 0.6 + 1.2 * noise(u, v, [22, 40], 4) } else { 0.4 }
                },
            },
            Panel {
                rect: HANDLE,
                colors: ENAMEL,
                value: |u, v| {
                    if noise(u, v, [20, 40], 8) > 0.88 { 3.0 } else { 0.7 }
                },
            },
            Panel {
                rect: RIM,
                colors: &[[20.0, 24.0, 34.0], [70.0, 78.0, 92.0]],
                value: |u, v| noise(u, v, [30, 4], 5),
            },
        ],
    )
}
