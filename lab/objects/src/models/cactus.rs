//! A cactus with two arms and a flower, in a painted clay pot; the spines are on the ribs.

use glam::{Vec2, Vec3};
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, cos_turn, curved, hoop, inside, lathe, noise,
    sin_turn, skin, to_disc, to_line, tube, zigzag,
};

const BODY: Rect = [0.0, 0.0, 0.6, 0.55];
const ARM: Rect = [0.6, 0.0, 0.4, 0.55];
const POT: Rect = [0.0, 0.55, 1.0, 0.33];
const SOIL: Rect = [0.0, 0.88, 0.4, 0.12];
const PETALS: Rect = [0.4, 0.88, 0.4, 0.12];
const POLLEN: Rect = [0.8, 0.88, 0.2, 0.12];
const RIBS: f32 = 12.0;
const ARM_RIBS: f32 = 8.0;

/// The clean cactus.
pub(super) fn cactus() -> Vec<Surface> {
    let pot = [
        (0.165, 0.0),
        (0.235, 0.235),
        (0.275, 0.24),
        (0.285, 0.335),
        (0.255, 0.335),
        (0.245, 0.27),
    ];
    let mut shape = lathe(&pot, 0.008, 0.06, 32).on(POT);
    shape.add(lathe(&[(0.22, 0.25), (0.256, 0.285), (0.14, 0.315)], 0.01, 0.06, 24).on(SOIL));
    let trunk: Vec<Vec3> =
        (0..24).map(|i| Vec3::new(0.0, 0.27 + 0.73 * round_end(i, 24), 0.0)).collect();
    shape.add(tube(&trunk, 48, |t, turn| 0.135 * stem(t, 24, 0.17) * ribbed(turn, RIBS)).on(BODY));
    shape.add(arm(1.0, 0.50, 0.80));
    shape.add(arm(-1.0, 0.60, 0.93));
    for shape_part in flower() {
        shape.add(shape_part.at(0.0, 0.985, 0.0));
    }
    shape.add(hoop(0.28, 0.012, 32, 6).at(0.0, 0.335, 0.0).on([0.0, 0.56, 1.0, 0.03]));
    vec![Surface {
        shape,
        material: "cactus",
        color: [1.0; 3],
        metallic: 0.0,
        roughness: 0.6,
        texture: Some(texture()),
    }]
}

/// Stations 0 to 1, denser towards the round end.
fn round_end(i: usize, count: usize) -> f32 {
    let t = i as f32 / (count - 1) as f32;
    sin_turn(0.25 * t) * 0.5 + 0.5 * t
}

/// Thickness at station `t`: slim below, a half ball of `cap` (a share of the length) at the end.
fn stem(t: f32, count: usize, cap: f32) -> f32 {
    let at = round_end((t * (count - 1) as f32 + 0.5) as usize, count);
    let body = 0.88 + 0.14 * sin_turn(0.5 * at.min(1.0));
    let end = ((at - 1.0 + cap) / cap).max(0.0);
    body * (1.0 - end * end).max(0.02).sqrt()
}

fn ribbed(turn: f32, ribs: f32) -> f32 {
    1.0 + 0.09 * cos_turn(turn * ribs)
}

/// Out of the trunk, round a bend, up to `top`.
fn arm(side: f32, bottom: f32, top: f32) -> Shape {
    let count = 16;
    let path: Vec<Vec3> = (0..count)
        .map(|i| {
            let at = round_end(i, count);
            let bend = (at / 0.5).min(1.0);
            let out = 0.06 + 0.20 * sin_turn(0.25 * bend);
            let rise = 0.10 * (1.0 - cos_turn(0.25 * bend))
                + (top - bottom - 0.10) * ((at - 0.5) / 0.5).max(0.0);
            Vec3::new(side * out, bottom + rise, 0.02 * side)
        })
        .collect();
    tube(&path, 32, |t, turn| 0.064 * stem(t, count, 0.16) * ribbed(turn, ARM_RIBS)).on(ARM)
}

/// A cup of six petals and its middle.
fn flower() -> [Shape; 2] {
    const CUP: [(f32, f32); 9] = [
        (0.0, -0.01),
        (0.020, 0.0),
        (0.045, 0.028),
        (0.085, 0.058),
        (0.092, 0.066),
        (0.080, 0.066),
        (0.040, 0.042),
        (0.015, 0.028),
        (0.0, 0.028),
    ];
    let petals = skin(
        CUP.len(),
        36,
        |ring, turn| {
            let (r, y) = CUP[ring];
            let petal = 1.0 + 5.0 * r * (cos_turn(turn * 6.0) - 0.4);
            Vec3::new(
                r * petal * sin_turn(turn),
                y + 0.10 * r * cos_turn(turn * 6.0),
                r * petal * cos_turn(turn),
            )
        },
        |ring, turn| Vec2::new(turn, 1.0 - ring.min(8 - ring) as f32 / 4.0),
    );
    let ball = curved(&[(0.004, 0.024), (0.024, 0.036), (0.026, 0.050), (0.004, 0.062)], 8);
    [petals.on(PETALS), lathe(&ball, 0.001, 0.1, 12).on(POLLEN)]
}

/// Tufts of spines in rows on the ribs, every second row shifted.
fn skin_value(u: f32, v: f32, ribs: f32, rows: f32) -> f32 {
    let crest = to_line(u * ribs);
    let rib = (u * ribs + 0.5).floor();
    let shift = if rib.rem_euclid(2.0) < 0.5 { 0.0 } else { 0.5 };
    let along = (v * rows + shift) - (v * rows + shift).floor() - 0.5;
    let green = 1.75 - 1.9 * crest + 0.45 * (noise(u, v, [40, 30], 1) - 0.5) - 0.25 * v;
    let tuft = inside(to_disc(crest * 2.2, along, 0.20), 0.1);
    let spines = inside(to_disc(crest * 0.9, along * 2.6, 0.22), 0.06)
        * inside((along * 9.0 + crest * 30.0 * along.signum()).abs() % 2.0 - 1.1, 0.5);
    if tuft.max(spines) > 0.5 { 3.0 } else { green.clamp(0.0, 2.0) }
}

fn texture() -> Picture {
    const GREENS: &[[f32; 3]] =
        &[[22.0, 66.0, 38.0], [52.0, 122.0, 58.0], [118.0, 178.0, 84.0], [252.0, 244.0, 204.0]];
    atlas(
        256,
        &[
            Panel { rect: BODY, colors: GREENS, value: |u, v| skin_value(u, v, RIBS, 11.0) },
            Panel { rect: ARM, colors: GREENS, value: |u, v| skin_value(u, v, ARM_RIBS, 10.0) },
            Panel {
                rect: POT,
                colors: &[
                    [122.0, 56.0, 32.0],
                    [198.0, 104.0, 62.0],
                    [222.0, 134.0, 88.0],
                    [250.0, 236.0, 206.0],
                    [28.0, 92.0, 110.0],
                ],
                value: |u, v| {
                    let clay =
                        1.1 + 0.9 * noise(u, v, [20, 10], 5) - 0.5 * noise(u, v, [70, 30], 6);
                    let (low, high) = (0.52, 0.84);
                    let line = (v - low).abs().min((v - high).abs()) - 0.012;
                    let zig = (v - 0.68 - 0.085 * zigzag(u * 14.0)).abs() - 0.030;
                    let dot = to_disc((to_line(u * 14.0 + 0.5)) * 0.42, v - 0.60, 0.035)
                        .min(to_disc(to_line(u * 14.0) * 0.42, v - 0.765, 0.035));
                    let rim = (v - 0.14).abs() - 0.018;
                    if zig < 0.0 || rim < 0.0 || dot < 0.0 {
                        3.0
                    } else if line < 0.0 || (low..high).contains(&v) {
                        4.0
                    } else {
                        clay.clamp(0.0, 2.0)
                    }
                },
            },
            Panel {
                rect: SOIL,
                colors: &[[40.0, 26.0, 18.0], [112.0, 82.0, 58.0]],
                value: |u, v| 0.1 + 0.9 * noise(u, v, [50, 12], 9),
            },
            Panel {
                rect: PETALS,
                colors: &[[170.0, 20.0, 90.0], [240.0, 80.0, 150.0], [255.0, 206.0, 226.0]],
                value: |u, v| 0.3 + 1.5 * v + 0.3 * cos_turn(u * 6.0),
            },
            Panel {
                rect: POLLEN,
                colors: &[[220.0, 150.0, 20.0], [255.0, 226.0, 90.0]],
                value: |u, v| noise(u, v, [10, 10], 3),
            },
        ],
    )
}
