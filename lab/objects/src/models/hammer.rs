//! A claw hammer with its handle: steel head with its face to +x, ash handle with a red grip and a
//! brand.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Surface, atlas, block, cos_turn, is_ink, lathe, noise, plate, sin_turn,
    to_box, to_line, tube, wave, wood_value,
};

const HANDLE: Rect = [0.0, 0.0, 0.5, 1.0];
const STEEL: Rect = [0.5, 0.0, 0.5, 0.4];
const FACE: Rect = [0.5, 0.4, 0.25, 0.25];
const CLAW: Rect = [0.5, 0.65, 0.5, 0.35];

/// The clean hammer.
pub(super) fn hammer() -> Vec<Surface> {
    let path: Vec<Vec3> =
        (0..=40).map(|i| Vec3::new(0.0, 0.004 + 0.326 * i as f32 / 40.0, 0.0)).collect();
    // Fuller in the grip, slim below the head, oval across.
    let radii = |t: f32, turn: f32| {
        let grip = if t < 0.42 { 0.0155 - 0.0025 * cos_turn(2.4 * t) } else { 0.0128 };
        let ridge = if (0.04..0.40).contains(&t) && to_line(t * 24.0) < 0.2 { 0.0012 } else { 0.0 };
        grip + ridge + 0.0022 * cos_turn(2.0 * turn)
    };
    let mut shape = tube(&path, 28, radii).on(HANDLE);
    // The eye, the neck and the face along x.
    shape.add(
        block(Vec3::new(0.021, 0.021, 0.019), 0.005, [4, 4, 4], |_, _| STEEL).at(0.0, 0.3175, 0.0),
    );
    let head = [
        (0.0150, 0.010),
        (0.0125, 0.030),
        (0.0125, 0.044),
        (0.0185, 0.050),
        (0.0195, 0.066),
        (0.0180, 0.070),
    ];
    shape.add(lathe(&head, 0.0012, 0.008, 32).rolled(-0.25).at(0.0, 0.3175, 0.0).on(STEEL));
    let face: Vec<(f32, f32)> = (0..32)
        .map(|i| (0.0172 * cos_turn(i as f32 / 32.0), 0.0172 * sin_turn(i as f32 / 32.0)))
        .collect();
    shape.add(plate(&face, 0.002, 0.001, [FACE, FACE, STEEL]).turned(0.25).at(0.0700, 0.3175, 0.0));
    for z in [-1.0, 1.0] {
        let claw = Vec3::new(0.042, 0.010, 0.0072);
        shape.add(block(claw, 0.003, [14, 3, 3], |_, _| CLAW).moved(|p| {
            let out = (claw.x - p.x) / (2.0 * claw.x);
            let thin = 1.0 - 0.72 * out;
            Vec3::new(
                p.x - 0.052,
                p.y * thin + 0.320 - 0.034 * out * out,
                p.z * (1.0 - 0.35 * out) + z * (0.0090 + 0.0055 * out),
            )
        }));
    }
    shape.add(
        lathe(&[(0.0165, 0.000), (0.0175, 0.004), (0.0165, 0.009)], 0.001, 0.01, 24)
            .on([0.05, 0.92, 0.4, 0.06]),
    );
    vec![Surface::painted("hammer", 0.4, shape, texture())]
}

fn texture() -> Picture {
    const ASH: &[[f32; 3]] = &[
        [24.0, 20.0, 22.0],
        [190.0, 30.0, 34.0],
        [230.0, 70.0, 60.0],
        [150.0, 104.0, 58.0],
        [206.0, 162.0, 106.0],
        [238.0, 206.0, 156.0],
    ];
    const STEELS: &[[f32; 3]] = &[[44.0, 48.0, 54.0], [116.0, 122.0, 130.0], [196.0, 202.0, 208.0]];
    atlas(
        512,
        &[
            Panel {
                rect: HANDLE,
                colors: ASH,
                value: |u, v| {
                    // The tube runs from the foot (v = 0) to the head.
                    let brand = is_ink("MJ", (u - 0.64) / 0.22, (0.74 - v) / 0.08)
                        || to_box(u - 0.75, v - 0.70, 0.17, 0.06).abs() < 0.007;
                    match () {
                        () if v < 0.03 => 0.0,
                        () if v < 0.42 => {
                            if to_line(v * 24.0) < 0.2 {
                                0.2
                            } else {
                                1.2 + 0.5 * noise(u, v, [30, 30], 2)
                            }
                        }
                        () if v < 0.44 => 0.0,
                        () if brand => 0.0,
                        () => 3.1 + 1.8 * wood_value(u * 0.6, v),
                    }
                },
            },
            Panel {
                rect: STEEL,
                colors: STEELS,
                value: |u, v| {
                    0.9 + 0.7 * wave(u * 2.0) * 0.5 + 0.6 * (noise(u, v, [60, 12], 4) - 0.5)
                },
            },
            Panel {
                rect: FACE,
                colors: STEELS,
                value: |u, v| {
                    if to_line(u * 9.0) < 0.12 || to_line(v * 9.0) < 0.12 { 0.3 } else { 1.8 }
                },
            },
            Panel {
                rect: CLAW,
                colors: STEELS,
                value: |u, v| {
                    if u < 0.12 { 2.0 } else { 0.6 + 0.9 * noise(u, v, [30, 10], 6) }
                },
            },
        ],
    )
}
