//! A felling axe with its haft: red head with a bright edge to +x, curved hickory haft, a label on
//! the blade's +z side.

use glam::{Vec2, Vec3};
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, block, cos_turn, fluted_rod, inside, is_ink,
    noise, on_panel, sin_turn, to_box, wood_value,
};

const HAFT: Rect = [0.0, 0.0, 0.4, 1.0];
const FRONT: Rect = [0.4, 0.0, 0.6, 0.45];
const BACK: Rect = [0.4, 0.45, 0.6, 0.45];
const RIM: Rect = [0.4, 0.9, 0.6, 0.1];

/// The clean axe.
pub(super) fn axe() -> Vec<Surface> {
    // An S: the knob swings to the edge's side.
    let path: Vec<Vec3> = (0..=44)
        .map(|i| {
            let t = i as f32 / 44.0;
            Vec3::new(
                0.030 * cos_turn(0.62 * t) * (1.0 - t) - 0.012 * sin_turn(0.5 * t),
                0.012 + 0.80 * t,
                0.0,
            )
        })
        .collect();
    let radii = |t: f32, _: f32| {
        let knob = 0.014 * inside(t - 0.035, 0.07);
        Vec2::new(0.0165, 0.024 + knob + 0.006 * inside(0.86 - t, 0.1))
    };
    let mut shape = fluted_rod(&path, radii, Vec3::X, 24, [0.0, 0.0, 1.0, 1.0 / 0.85]);
    shape.uvs.iter_mut().for_each(|uv| *uv = on_panel(HAFT, Vec2::new(uv.x, uv.y.min(1.0))));
    shape.add(head().at(0.0, 0.745, 0.0));
    shape.add(
        block(Vec3::new(0.020, 0.010, 0.006), 0.003, [4, 2, 2], |_, _| RIM).at(-0.005, 0.814, 0.0),
    );
    vec![Surface::painted("axe", 0.45, shape, texture())]
}

/// From the poll (−x) over the eye to the edge; a block bent into a wedge that fans out.
fn head() -> Shape {
    let half = Vec3::new(0.125, 0.055, 0.028);
    block(half, 0.010, [26, 14, 5], |axis, sign| match axis {
        2 if sign > 0.0 => FRONT,
        2 => BACK,
        _ => RIM,
    })
    .moved(|p| {
        let out = ((p.x + half.x) / (2.0 * half.x)).clamp(0.0, 1.0);
        let fan = 0.85 + 1.05 * out * out * out - 0.30 * sin_turn(0.5 * out);
        let up = p.y / half.y;
        // Thick around the eye, sharp at the edge.
        let eye = inside((p.x + 0.070).abs() - 0.040, 0.05);
        let thin = (0.62 + 0.38 * eye) * (1.0 - 0.90 * out * out);
        let bow = 0.022 * (1.0 - up * up) * out * out * out;
        Vec3::new(p.x + 0.075 + bow, p.y * fan - 0.018 * out * out, p.z * thin)
    })
}

fn texture() -> Picture {
    const HEAD: &[[f32; 3]] = &[
        [90.0, 14.0, 18.0],
        [186.0, 32.0, 34.0],
        [96.0, 102.0, 110.0],
        [206.0, 212.0, 218.0],
        [248.0, 244.0, 230.0],
    ];
    atlas(
        512,
        &[
            Panel {
                rect: HAFT,
                colors: &[
                    [96.0, 58.0, 28.0],
                    [176.0, 124.0, 70.0],
                    [220.0, 176.0, 116.0],
                    [26.0, 70.0, 120.0],
                ],
                value: |u, v| {
                    if v < 0.10 {
                        2.9
                    } else if v < 0.115 {
                        0.0
                    } else {
                        0.2 + 1.7 * wood_value(u * 0.8, v)
                    }
                },
            },
            Panel {
                rect: FRONT,
                colors: HEAD,
                value: |u, v| {
                    let ground = u - 0.80 - 0.05 * (1.0 - (2.0 * v - 1.0) * (2.0 * v - 1.0));
                    let label = to_box(u - 0.52, v - 0.5, 0.17, 0.24);
                    match () {
                        () if ground > 0.0 => 3.0,
                        () if ground > -0.06 => 2.0 + 0.8 * noise(u, v, [60, 60], 1),
                        () if is_ink("OAK", (u - 0.39) / 0.26, (v - 0.36) / 0.28) => 0.0,
                        () if label < 0.0 => 4.0,
                        () => 0.7 + 0.3 * noise(u, v, [30, 30], 2),
                    }
                },
            },
            Panel {
                rect: BACK,
                colors: HEAD,
                value: |u, v| {
                    let ground =
                        (1.0 - u) - 0.80 - 0.05 * (1.0 - (2.0 * v - 1.0) * (2.0 * v - 1.0));
                    let tree = (u - 0.48).abs() * 2.2 - (v - 0.28).max(0.0) % 0.16 - 0.02;
                    match () {
                        () if ground > 0.0 => 3.0,
                        () if ground > -0.06 => 2.0 + 0.8 * noise(u, v, [60, 60], 1),
                        () if tree < 0.0 && (0.28..0.74).contains(&v) => 4.0,
                        () => 0.7 + 0.3 * noise(u, v, [30, 30], 3),
                    }
                },
            },
            Panel { rect: RIM, colors: HEAD, value: |u, v| 0.5 + 0.4 * noise(u, v, [30, 6], 4) },
        ],
    )
}
