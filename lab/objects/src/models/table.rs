//! A farm table: plank top, turned legs, an apron with two drawers to +z, a red runner and a bowl
//! of fruit on it.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, ball, block, curved, hash, inside, lathe, noise,
    on_panel, to_line, wood_value, zigzag,
};

const TOP: Rect = [0.0, 0.0, 0.7, 0.4];
const EDGE: Rect = [0.7, 0.0, 0.3, 0.4];
const APRON: Rect = [0.0, 0.4, 0.5, 0.15];
const DRAWER: Rect = [0.5, 0.4, 0.5, 0.15];
const LEG: Rect = [0.0, 0.55, 0.3, 0.45];
const CLOTH: Rect = [0.3, 0.55, 0.7, 0.2];
const BOWL: Rect = [0.3, 0.75, 0.4, 0.25];
const APPLE: Rect = [0.7, 0.75, 0.3, 0.25];

/// The clean table.
pub(super) fn table() -> Vec<Surface> {
    let mut shape =
        block(
            Vec3::new(0.70, 0.022, 0.40),
            0.012,
            [18, 3, 12],
            |axis, _| if axis == 1 { TOP } else { EDGE },
        )
        .at(0.0, 0.728, 0.0);
    shape.add(
        block(Vec3::new(0.60, 0.055, 0.30), 0.006, [12, 3, 8], |_, _| APRON).at(0.0, 0.655, 0.0),
    );
    for x in [-0.34, 0.34] {
        shape.add(
            block(Vec3::new(0.15, 0.040, 0.02), 0.006, [8, 3, 2], |_, _| DRAWER)
                .at(x, 0.652, 0.297),
        );
        shape.add(ball(Vec3::splat(0.018), 8, 12).at(x, 0.652, 0.330).on(EDGE));
    }
    for (x, z) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
        shape.add(leg().at(0.575 * x, 0.0, 0.275 * z));
    }
    // A runner across the middle that hangs over both long edges.
    let cells = [6, 1, 22];
    shape.add(
        block(Vec3::new(0.16, 0.005, 0.5), 0.004, cells, |_, _| CLOTH)
            .faced(cells, |_, _, p| on_panel(CLOTH, glam::Vec2::new(0.5 + p.z, 0.5 + p.x / 0.32)))
            .moved(|p| {
                let along = p.z * 2.0;
                let over = (along.abs() * 0.56 - 0.402).max(0.0);
                let z = along.signum() * (along.abs() * 0.56).min(0.402 + 0.1 * over);
                let out = if over > 0.0 { p.y * along.signum() } else { 0.0 };
                let up = if over > 0.0 { 0.0 } else { p.y };
                Vec3::new(p.x, 0.7525 + up - over, z + out)
            }),
    );
    let bowl = [
        (0.045, 0.752),
        (0.055, 0.765),
        (0.100, 0.790),
        (0.118, 0.825),
        (0.108, 0.826),
        (0.050, 0.785),
    ];
    shape.add(lathe(&curved(&bowl, 16), 0.002, 0.1, 32).on(BOWL));
    for (x, y, z) in
        [(0.045, 0.828, 0.02), (-0.035, 0.826, 0.04), (-0.02, 0.828, -0.045), (0.005, 0.862, 0.0)]
    {
        shape.add(apple().at(x, y, z));
    }
    vec![Surface::painted("farm table", 0.55, shape, texture())]
}

/// Square where the apron is, turned below.
fn leg() -> Shape {
    let turned = [
        (0.020, 0.0),
        (0.026, 0.03),
        (0.022, 0.07),
        (0.030, 0.20),
        (0.040, 0.38),
        (0.036, 0.50),
        (0.024, 0.535),
        (0.040, 0.555),
        (0.030, 0.585),
    ];
    let mut leg = lathe(&curved(&turned, 28), 0.002, 0.1, 16).on(LEG);
    leg.add(
        block(Vec3::new(0.038, 0.068, 0.038), 0.006, [2, 3, 2], |_, _| LEG).at(0.0, 0.645, 0.0),
    );
    leg
}

fn apple() -> Shape {
    ball(Vec3::splat(0.040), 10, 18)
        .moved(|p| {
            Vec3::new(
                p.x,
                p.y - 0.012 * (1.0 - (p.x * p.x + p.z * p.z) / 0.0016).max(0.0) * p.y.signum(),
                p.z,
            )
        })
        .on(APPLE)
}

fn texture() -> Picture {
    const OAK: &[[f32; 3]] = &[[84.0, 48.0, 24.0], [158.0, 104.0, 58.0], [216.0, 168.0, 112.0]];
    atlas(
        512,
        &[
            Panel {
                rect: TOP,
                colors: OAK,
                value: |u, v| {
                    let plank = (v * 5.0).floor();
                    if to_line(v * 5.0) < 0.04 {
                        0.0
                    } else {
                        0.4 * hash(plank as i32, 1, 2)
                            + 1.6 * wood_value(v * 1.3 + plank * 0.3, u * 0.8 + plank * 0.37)
                    }
                },
            },
            Panel { rect: EDGE, colors: OAK, value: |u, v| 1.5 * wood_value(v * 0.5, u) },
            Panel {
                rect: APRON,
                colors: OAK,
                value: |u, v| {
                    if v > 0.86 { 0.1 } else { 1.4 * wood_value(v * 0.4 + 0.2, u * 0.9) }
                },
            },
            Panel {
                rect: DRAWER,
                colors: OAK,
                value: |u, v| {
                    let edge = (u.min(1.0 - u) * 5.0).min(v.min(1.0 - v));
                    if (0.10..0.18).contains(&edge) {
                        0.0
                    } else {
                        0.3 + 1.5 * wood_value(v * 0.4 + 0.6, u * 0.9 + 0.3)
                    }
                },
            },
            Panel { rect: LEG, colors: OAK, value: |u, v| 0.1 + 1.4 * wood_value(u, v * 0.7) },
            Panel {
                rect: CLOTH,
                colors: &[[126.0, 20.0, 30.0], [190.0, 44.0, 48.0], [246.0, 234.0, 206.0]],
                value: |u, v| {
                    let weave = 0.6 + 0.4 * noise(u, v, [160, 60], 4);
                    let edge = v.min(1.0 - v);
                    let cross = ((u * 24.0).fract() - 0.5).abs() + ((v * 5.0).fract() - 0.5).abs();
                    if (0.06..0.11).contains(&edge)
                        || u.min(1.0 - u) < 0.02
                        || cross < 0.26 && (edge > 0.2)
                    {
                        2.0
                    } else {
                        weave
                    }
                },
            },
            Panel {
                rect: BOWL,
                colors: &[[36.0, 70.0, 130.0], [230.0, 234.0, 236.0]],
                value: |u, v| {
                    if (v - 0.35 - 0.05 * zigzag(u * 16.0)).abs() < 0.05 || v > 0.9 {
                        0.0
                    } else {
                        1.0
                    }
                },
            },
            Panel {
                rect: APPLE,
                colors: &[
                    [90.0, 120.0, 30.0],
                    [222.0, 190.0, 70.0],
                    [206.0, 50.0, 36.0],
                    [140.0, 18.0, 24.0],
                ],
                value: |u, v| {
                    1.6 + 1.2 * noise(u, v * 0.3, [14, 3], 2) - 1.6 * inside(v - 0.08, 0.1)
                },
            },
        ],
    )
}
