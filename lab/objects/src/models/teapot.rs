//! A round teapot with a green knot on its lid: cream glaze, a belt of flowers, spout to +x and
//! handle to −x.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Surface, atlas, ball, bar, cos_turn, curve, curved, hoop, lathe, noise,
    sin_turn, to_disc, to_line, tube, wave,
};

const BODY: Rect = [0.0, 0.0, 1.0, 0.5];
const LID: Rect = [0.0, 0.5, 0.6, 0.25];
const SPOUT: Rect = [0.6, 0.5, 0.4, 0.25];
const HANDLE: Rect = [0.0, 0.75, 0.6, 0.25];
const GREEN: Rect = [0.6, 0.75, 0.2, 0.25];
const DARK: Rect = [0.8, 0.75, 0.2, 0.25];

/// The clean teapot.
pub(super) fn teapot() -> Vec<Surface> {
    let belly = [
        (0.100, 0.012),
        (0.150, 0.035),
        (0.196, 0.110),
        (0.198, 0.175),
        (0.165, 0.240),
        (0.105, 0.278),
    ];
    let mut shape = lathe(&curved(&belly, 22), 0.004, 0.1, 48).turned(0.5).on(BODY);
    shape.add(hoop(0.100, 0.012, 40, 8).at(0.0, 0.012, 0.0).on(GREEN));
    shape.add(hoop(0.104, 0.011, 40, 8).at(0.0, 0.277, 0.0).on(GREEN));
    let lid = [(0.098, 0.272), (0.094, 0.288), (0.060, 0.312), (0.020, 0.322)];
    shape.add(lathe(&curved(&lid, 10), 0.003, 0.1, 36).on(LID));
    shape.add(ball(Vec3::new(0.026, 0.022, 0.026), 10, 18).at(0.0, 0.340, 0.0).on(GREEN));
    // The spout leaves the belly low, and its mouth is dark.
    let path: Vec<Vec3> = (0..=14)
        .map(|i| {
            let t = i as f32 / 14.0;
            let p = curve(&[(0.13, 0.075), (0.21, 0.105), (0.255, 0.185), (0.325, 0.265)], t);
            Vec3::new(p.x, p.y, 0.0)
        })
        .collect();
    shape.add(tube(&path, 20, |t, _| 0.052 - 0.050 * t + 0.020 * t * t).on(SPOUT));
    let mouth = Vec3::new(0.325, 0.265, 0.0);
    let ahead = (mouth - path[13]).normalize();
    shape.add(bar(mouth - ahead * 0.004, mouth + ahead * 0.002, 0.015, 2, 14).on(DARK));
    let grip: Vec<Vec3> = (0..=22)
        .map(|i| {
            let turn = 0.5 * i as f32 / 22.0;
            Vec3::new(-0.165 - 0.135 * sin_turn(turn), 0.155 + 0.085 * cos_turn(turn), 0.0)
        })
        .collect();
    shape.add(tube(&grip, 12, |t, _| 0.014 + 0.008 * t * (1.0 - t)).on(HANDLE));
    vec![Surface::painted("glazed teapot", 0.25, shape, texture())]
}

fn texture() -> Picture {
    const GLAZE: &[[f32; 3]] = &[
        [34.0, 96.0, 72.0],
        [72.0, 146.0, 108.0],
        [196.0, 52.0, 66.0],
        [244.0, 176.0, 168.0],
        [240.0, 206.0, 96.0],
        [226.0, 216.0, 190.0],
        [250.0, 244.0, 226.0],
    ];
    atlas(
        512,
        &[
            Panel {
                rect: BODY,
                colors: GLAZE,
                value: |u, v| {
                    let cream = 5.6 + 0.8 * (noise(u, v, [24, 12], 1) - 0.3);
                    let line =
                        [0.16, 0.20, 0.72, 0.76].iter().fold(1.0_f32, |d, y| d.min((v - y).abs()));
                    if line < 0.011 {
                        return 0.4;
                    }
                    // Nine flowers on a waving stalk.
                    let (x, y) = ((u * 9.0).fract() - 0.5, (v - 0.46 - 0.03 * wave(u * 4.5)) * 2.9);
                    let leaf = to_disc((x.abs() - 0.33) * 1.3, y * 1.8 - 0.20 * x.signum(), 0.14);
                    let reach = (x * x + y * y).sqrt();
                    let petal = reach
                        - 0.24
                        - 0.08 * wave(libm::atan2f(y, x) * (5.0 / std::f32::consts::TAU));
                    let stalk = (v - 0.46 - 0.05 * wave(u * 9.0 + 0.25)).abs() - 0.008;
                    match () {
                        () if reach < 0.09 => 4.0,
                        () if petal < 0.0 => 2.0 + (reach * 3.6).min(1.0),
                        () if leaf < 0.0 => 1.0,
                        () if stalk < 0.0 => 0.2,
                        () => cream.clamp(5.0, 6.0),
                    }
                },
            },
            Panel {
                rect: LID,
                colors: GLAZE,
                value: |u, v| {
                    if (v - 0.80).abs() < 0.06 || to_line(u * 12.0) < 0.14 && v > 0.3 && v < 0.7 {
                        0.6
                    } else {
                        5.8
                    }
                },
            },
            Panel {
                rect: SPOUT,
                colors: GLAZE,
                value: |u, v| {
                    if (v - 0.90).abs() < 0.04 {
                        0.4
                    } else if (0.2..0.75).contains(&v) && to_line(u * 6.0 + 2.0 * v) < 0.12 {
                        1.0
                    } else {
                        5.7
                    }
                },
            },
            Panel {
                rect: HANDLE,
                colors: &[[34.0, 96.0, 72.0], [240.0, 232.0, 206.0]],
                value: |u, v| if to_line(v * 9.0 + u) < 0.2 { 0.0 } else { 1.0 },
            },
            Panel {
                rect: GREEN,
                colors: &[[26.0, 78.0, 58.0], [70.0, 150.0, 110.0]],
                value: |u, v| 0.4 + 0.6 * noise(u, v, [12, 8], 4),
            },
            Panel {
                rect: DARK,
                colors: &[[30.0, 24.0, 20.0], [60.0, 50.0, 40.0]],
                value: |u, _| u,
            },
        ],
    )
}
