//! A bottle of green glass with a lettered label in front, a crest behind, a red capsule and a
//! cork.

use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Surface, atlas, cos_turn, is_ink, lathe, noise, to_disc, to_line, wave,
};

const GLASS: Rect = [0.0, 0.0, 1.0, 0.3];
const LABEL: Rect = [0.0, 0.3, 1.0, 0.4];
const CAPSULE: Rect = [0.0, 0.7, 0.6, 0.3];
const CORK: Rect = [0.6, 0.7, 0.4, 0.3];

/// The clean bottle.
pub(super) fn bottle() -> Vec<Surface> {
    let glass = [
        (0.0290, 0.0),
        (0.0370, 0.004),
        (0.0375, 0.020),
        (0.0375, 0.180),
        (0.0330, 0.212),
        (0.0180, 0.238),
        (0.0148, 0.262),
        (0.0143, 0.300),
    ];
    let mut shape = lathe(&glass, 0.003, 0.009, 44).turned(0.5).on(GLASS);
    let label = [(0.0376, 0.038), (0.0384, 0.040), (0.0384, 0.148), (0.0376, 0.150)];
    shape.add(lathe(&label, 0.0004, 0.012, 44).turned(0.5).on(LABEL));
    let capsule = [
        (0.0150, 0.252),
        (0.0157, 0.254),
        (0.0152, 0.290),
        (0.0170, 0.291),
        (0.0170, 0.304),
        (0.0150, 0.306),
    ];
    shape.add(lathe(&capsule, 0.0006, 0.007, 32).turned(0.5).on(CAPSULE));
    let cork = [(0.0100, 0.298), (0.0104, 0.3175), (0.0096, 0.322)];
    shape.add(lathe(&cork, 0.001, 0.006, 24).on(CORK));
    vec![Surface::painted("bottle", 0.15, shape, texture())]
}

fn texture() -> Picture {
    const PRINT: &[[f32; 3]] = &[
        [40.0, 28.0, 22.0],
        [132.0, 30.0, 40.0],
        [196.0, 154.0, 66.0],
        [226.0, 212.0, 178.0],
        [250.0, 242.0, 218.0],
    ];
    atlas(
        512,
        &[
            Panel {
                rect: GLASS,
                colors: &[[10.0, 32.0, 20.0], [22.0, 66.0, 40.0], [58.0, 112.0, 66.0]],
                value: |u, v| {
                    0.9 + 0.7 * (noise(u, v, [14, 9], 1) - 0.5)
                        + 0.3 * wave(u * 2.0 + 0.1)
                        + 0.4 * noise(u, v, [60, 40], 2)
                        - 0.2
                },
            },
            Panel {
                rect: LABEL,
                colors: PRINT,
                value: |u, v| {
                    let paper = 3.6 + 0.6 * (noise(u, v, [50, 30], 3) - 0.5);
                    let border = v.min(1.0 - v);
                    let gold = (0.04..0.075).contains(&border);
                    // In front: the name, a line and a hill with vines.
                    let name = is_ink("MERLOT", (u - 0.33) / 0.34, (v - 0.18) / 0.20);
                    let year = is_ink("1742", (u - 0.44) / 0.12, (v - 0.46) / 0.10);
                    let hill = v - 0.74 + 0.10 * cos_turn((u - 0.5) * 2.6);
                    let is_front = (0.30..0.70).contains(&u);
                    let back = if u < 0.5 { u } else { u - 1.0 };
                    let crest = to_disc(back * 2.2, v - 0.5, 0.25);
                    match () {
                        () if border < 0.04 => 1.0,
                        () if gold => 2.0,
                        () if name => 1.0,
                        () if year => 0.0,
                        () if is_front && hill > 0.0 => {
                            if to_line(u * 42.0 + 6.0 * hill) < 0.2 {
                                0.0
                            } else {
                                2.3
                            }
                        }
                        () if crest.abs() < 0.03 => 2.0,
                        () if crest < -0.06 => {
                            if to_line(back * 18.0 + v * 6.0) < 0.22 {
                                4.0
                            } else {
                                1.0
                            }
                        }
                        () => paper.clamp(3.0, 4.0),
                    }
                },
            },
            Panel {
                rect: CAPSULE,
                colors: PRINT,
                value: |u, v| {
                    if (v - 0.72).abs() < 0.04 {
                        2.0
                    } else {
                        1.0 - 0.25 * noise(u, v, [40, 10], 6)
                    }
                },
            },
            Panel {
                rect: CORK,
                colors: &[[120.0, 80.0, 46.0], [206.0, 166.0, 116.0]],
                value: |u, v| {
                    if noise(u, v, [30, 20], 9) > 0.82 {
                        0.1
                    } else {
                        0.75 + 0.25 * noise(u, v, [9, 9], 4)
                    }
                },
            },
        ],
    )
}
