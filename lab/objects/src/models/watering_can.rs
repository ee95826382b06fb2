//! A green watering can: round body with a painted daisy to +z, long spout with a brass rose to +x,
//! two handles.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, bar, cos_turn, curved, lathe, noise, plate,
    sin_turn, to_disc, to_line, tube, wave,
};

const BODY: Rect = [0.0, 0.0, 1.0, 0.45];
const SPOUT: Rect = [0.0, 0.45, 0.4, 0.3];
const ROSE: Rect = [0.4, 0.45, 0.3, 0.3];
const BRASS: Rect = [0.7, 0.45, 0.3, 0.15];
const HANDLE: Rect = [0.7, 0.6, 0.3, 0.15];
const TOP: Rect = [0.0, 0.75, 0.5, 0.25];
const WATER: Rect = [0.5, 0.75, 0.5, 0.25];

/// The clean can.
pub(super) fn watering_can() -> Vec<Surface> {
    let body = [
        (0.140, 0.0),
        (0.150, 0.006),
        (0.150, 0.020),
        (0.143, 0.026),
        (0.132, 0.235),
        (0.138, 0.240),
        (0.138, 0.254),
        (0.130, 0.258),
    ];
    let mut shape = lathe(&body, 0.003, 0.03, 48).turned(0.5).on(BODY);
    // Half the top is closed by a sloping lid; in front of it is the water.
    shape.add(lathe(&[(0.128, 0.250), (0.122, 0.262)], 0.003, 0.03, 36).on(WATER));
    let lid = [(0.130, 0.250), (0.118, 0.280), (0.070, 0.305), (0.010, 0.312)];
    shape.add(
        lathe(&curved(&lid, 10), 0.003, 0.1, 32)
            .moved(|p| Vec3::new(0.52 * p.x + 0.060, p.y, p.z * 0.98))
            .on(TOP),
    );
    let spout: Vec<Vec3> = (0..=20)
        .map(|i| {
            let t = i as f32 / 20.0;
            Vec3::new(0.125 + 0.245 * t, 0.065 + 0.20 * t + 0.06 * t * t, 0.0)
        })
        .collect();
    shape.add(tube(&spout, 20, |t, _| 0.036 - 0.020 * t).on(SPOUT));
    shape.add(
        bar(Vec3::new(0.125, 0.225, 0.0), Vec3::new(0.245, 0.185, 0.0), 0.008, 4, 8).on(BRASS),
    );
    let rose = [(0.018, -0.030), (0.020, 0.000), (0.048, 0.040), (0.050, 0.048), (0.044, 0.054)];
    let tilted = |part: Shape| part.rolled(-0.135).at(0.365, 0.320, 0.0);
    shape.add(tilted(lathe(&rose, 0.002, 0.02, 28)).on(BRASS));
    let face: Vec<(f32, f32)> = (0..32)
        .map(|i| (0.045 * cos_turn(i as f32 / 32.0), 0.045 * sin_turn(i as f32 / 32.0)))
        .collect();
    shape.add(tilted(
        plate(&face, 0.003, 0.001, [ROSE, ROSE, BRASS]).tipped(-0.25).at(0.0, 0.054, 0.0),
    ));
    let arc = |from: Vec3, over: Vec3, to: Vec3, radius: f32| {
        let path: Vec<Vec3> = (0..=22)
            .map(|i| {
                let t = i as f32 / 22.0;
                from.lerp(over, t).lerp(over.lerp(to, t), t)
            })
            .collect();
        tube(&path, 12, move |_, _| radius).on(HANDLE)
    };
    shape.add(arc(
        Vec3::new(0.085, 0.275, 0.0),
        Vec3::new(-0.05, 0.52, 0.0),
        Vec3::new(-0.130, 0.245, 0.0),
        0.0125,
    ));
    shape.add(arc(
        Vec3::new(-0.128, 0.235, 0.0),
        Vec3::new(-0.30, 0.22, 0.0),
        Vec3::new(-0.136, 0.050, 0.0),
        0.0115,
    ));
    vec![Surface::painted("watering can", 0.4, shape, texture())]
}

fn texture() -> Picture {
    const ENAMEL: &[[f32; 3]] = &[
        [10.0, 60.0, 50.0],
        [30.0, 118.0, 92.0],
        [74.0, 164.0, 130.0],
        [250.0, 248.0, 238.0],
        [246.0, 196.0, 60.0],
    ];
    atlas(
        512,
        &[
            Panel {
                rect: BODY,
                colors: ENAMEL,
                value: |u, v| {
                    // A large daisy in front, a row of small ones around.
                    let daisy = |x: f32, y: f32, size: f32| {
                        let reach = (x * x + y * y).sqrt() / size;
                        let petal = reach
                            - 0.72
                            - 0.28 * cos_turn(libm::atan2f(x, y) * (9.0 / std::f32::consts::TAU));
                        if reach < 0.32 {
                            Some(4.0)
                        } else if petal < 0.0 {
                            Some(3.0)
                        } else {
                            None
                        }
                    };
                    let large = daisy((u - 0.5) * 3.4, v - 0.52, 0.27);
                    let small = daisy(((u * 14.0).fract() - 0.5) * 0.243, v - 0.18, 0.07);
                    let is_rim = !(0.07..=0.93).contains(&v);
                    let shade = 1.1 + 0.5 * (noise(u, v, [26, 12], 1) - 0.5)
                        - if is_rim { 0.9 } else { 0.0 };
                    large.or(small).unwrap_or(if (v - 0.84).abs() < 0.018 { 3.0 } else { shade })
                },
            },
            Panel {
                rect: SPOUT,
                colors: ENAMEL,
                value: |u, v| {
                    if to_line(v * 6.0) < 0.06 { 3.0 } else { 1.1 + 0.5 * noise(u, v, [8, 20], 2) }
                },
            },
            Panel {
                rect: ROSE,
                colors: &[[40.0, 26.0, 10.0], [200.0, 150.0, 60.0], [244.0, 208.0, 120.0]],
                value: |u, v| {
                    let (x, y) = (u * 9.0, v * 9.0 + 0.5 * (u * 9.0).floor().rem_euclid(2.0));
                    if to_disc(x.fract() - 0.5, y.fract() - 0.5, 0.2) < 0.0 { 0.0 } else { 1.4 }
                },
            },
            Panel {
                rect: BRASS,
                colors: &[[140.0, 96.0, 30.0], [232.0, 188.0, 90.0]],
                value: |u, v| 0.6 + 0.3 * wave(u * 3.0) + 0.2 * noise(u, v, [12, 6], 3),
            },
            Panel {
                rect: HANDLE,
                colors: &[[10.0, 60.0, 50.0], [60.0, 150.0, 118.0], [176.0, 124.0, 70.0]],
                value: |u, v| {
                    if (0.35..0.62).contains(&v) {
                        2.0 - 0.4 * wave(v * 40.0).max(0.0)
                    } else {
                        0.6 + 0.4 * noise(u, v, [8, 20], 4)
                    }
                },
            },
            Panel {
                rect: TOP,
                colors: ENAMEL,
                value: |u, v| {
                    if v > 0.9 { 3.0 } else { 1.0 + 0.6 * noise(u, v, [16, 8], 5) }
                },
            },
            Panel {
                rect: WATER,
                colors: &[[30.0, 90.0, 130.0], [90.0, 160.0, 190.0], [220.0, 240.0, 246.0]],
                value: |u, v| 0.8 + 0.7 * wave(u * 3.0 + v * 4.0) * noise(u, v, [10, 10], 6),
            },
        ],
    )
}
