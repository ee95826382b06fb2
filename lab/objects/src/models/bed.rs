//! A bed with a panelled headboard at −z, white sheet, two pillows and a patchwork quilt that hangs
//! over its sides.

use glam::{Vec2, Vec3};
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, ball, block, curved, lathe, noise, on_panel,
    sin_turn, to_box, to_line, wave, wood_value,
};

const WOOD: Rect = [0.0, 0.0, 0.5, 0.35];
const BOARD: Rect = [0.5, 0.0, 0.5, 0.35];
const SHEET: Rect = [0.0, 0.35, 0.4, 0.25];
const PILLOW: Rect = [0.0, 0.6, 0.4, 0.4];
const QUILT: Rect = [0.4, 0.35, 0.6, 0.65];

/// The clean bed.
pub(super) fn bed() -> Vec<Surface> {
    let wood = |half: Vec3, cells: [usize; 3]| block(half, 0.012, cells, |_, _| WOOD);
    let mut shape = block(Vec3::new(0.50, 0.30, 0.030), 0.018, [14, 10, 2], |axis, _| {
        if axis == 2 { BOARD } else { WOOD }
    })
    .moved(|p| {
        Vec3::new(
            p.x,
            p.y + 0.62 + 0.10 * ((p.y + 0.3) / 0.6).max(0.0) * (1.0 - 4.0 * p.x * p.x),
            p.z - 1.0,
        )
    });
    shape.add(
        block(Vec3::new(0.50, 0.11, 0.028), 0.016, [12, 4, 2], |axis, _| {
            if axis == 2 { BOARD } else { WOOD }
        })
        .at(0.0, 0.36, 0.99),
    );
    for (x, z) in [(-0.49, -1.0), (0.49, -1.0), (-0.49, 0.99), (0.49, 0.99)] {
        let top = if z < 0.0 { 0.90 } else { 0.50 };
        let post =
            [(0.028, 0.0), (0.036, 0.05), (0.034, 0.15), (0.038, top - 0.08), (0.028, top - 0.04)];
        shape.add(lathe(&curved(&post, 12), 0.003, 0.12, 14).at(x, 0.0, z).on(WOOD));
        shape.add(ball(Vec3::splat(0.042), 10, 14).at(x, top, z).on(WOOD));
    }
    for x in [-0.47, 0.47] {
        shape.add(wood(Vec3::new(0.018, 0.07, 0.99), [2, 3, 16]).at(x, 0.30, 0.0));
    }
    shape.add(
        block(Vec3::new(0.455, 0.11, 0.965), 0.05, [10, 4, 18], |_, _| SHEET).at(0.0, 0.42, 0.0),
    );
    for x in [-0.215, 0.215] {
        shape.add(pillow().tipped(-0.045).at(x, 0.575, -0.74));
    }
    shape.add(quilt());
    vec![Surface::painted("bed", 0.75, shape, texture())]
}

/// Thick in the middle, with drawn corners.
fn pillow() -> Shape {
    block(Vec3::new(0.19, 0.075, 0.14), 0.05, [12, 4, 10], |_, _| PILLOW).moved(|p| {
        let (x, z) = (p.x / 0.19, p.z / 0.14);
        let thick = 0.30 + 0.70 * (1.0 - x * x * x * x).max(0.0) * (1.0 - z * z * z * z).max(0.0);
        Vec3::new(
            p.x * (1.0 - 0.05 * (1.0 - z * z)),
            p.y * thick,
            p.z * (1.0 - 0.06 * (1.0 - x * x)),
        )
    })
}

/// A sheet of real thickness over the mattress: across from −1 to 1 it is, then hangs.
fn quilt() -> Shape {
    let cells = [30, 1, 26];
    block(Vec3::new(0.5, 0.012, 0.5), 0.010, cells, |_, _| QUILT)
        .faced(cells, |_, _, p| on_panel(QUILT, Vec2::new(0.5 + p.x, 0.5 + p.z)))
        .moved(|p| {
            const FLAT: f32 = 0.455;
            let across = p.x * 1.40;
            let over = (across.abs() - FLAT).max(0.0);
            let bend = (over / 0.05).min(1.0);
            let side = across.signum();
            // Round the corner within 5 cm, then down with soft folds.
            let drop = if over < 0.05 { 0.5 * over * bend } else { over - 0.025 };
            let out = (over - drop).max(0.0) + 0.012 * wave(p.z * 5.0) * bend * (over / 0.25);
            let (up, aside) = (p.y * (1.0 - bend), p.y * bend * side);
            let puff = 0.010
                * (sin_turn(p.z * 4.0 + 0.25) * sin_turn(p.x * 5.0 + 0.25)).abs()
                * (1.0 - bend);
            Vec3::new(
                side * (across.abs().min(FLAT) + out) + aside,
                0.543 + up + puff - drop,
                0.26 + p.z * 1.38,
            )
        })
}

fn texture() -> Picture {
    const WALNUT: &[[f32; 3]] = &[[58.0, 32.0, 18.0], [112.0, 68.0, 40.0], [160.0, 106.0, 66.0]];
    atlas(
        512,
        &[
            Panel { rect: WOOD, colors: WALNUT, value: |u, v| 0.1 + 1.7 * wood_value(u, v * 0.7) },
            Panel {
                rect: BOARD,
                colors: WALNUT,
                value: |u, v| {
                    let x = (u * 3.0).fract() - 0.5;
                    let edge = to_box(x, v - 0.5, 0.40, 0.36);
                    if edge.abs() < 0.025 {
                        0.0
                    } else {
                        (if edge < 0.0 { 0.5 } else { 0.1 }) + 1.4 * wood_value(u * 1.2, v * 0.7)
                    }
                },
            },
            Panel {
                rect: SHEET,
                colors: &[[196.0, 200.0, 210.0], [246.0, 246.0, 244.0]],
                value: |u, v| 0.6 + 0.4 * noise(u, v, [20, 20], 3),
            },
            Panel {
                rect: PILLOW,
                colors: &[[70.0, 110.0, 160.0], [226.0, 232.0, 240.0], [252.0, 250.0, 244.0]],
                value: |u, v| {
                    if to_line(u * 9.0) < 0.10 || v.min(1.0 - v) < 0.05 {
                        0.0
                    } else {
                        1.4 + 0.6 * noise(u, v, [12, 12], 5)
                    }
                },
            },
            Panel {
                rect: QUILT,
                colors: &[
                    [178.0, 50.0, 56.0],
                    [238.0, 196.0, 110.0],
                    [56.0, 104.0, 120.0],
                    [244.0, 236.0, 214.0],
                    [120.0, 150.0, 96.0],
                    [250.0, 246.0, 232.0],
                ],
                value: |u, v| {
                    let (x, y) = (u * 7.0, v * 7.0);
                    let (column, row) = (x.floor(), y.floor());
                    let (fx, fy) = (x - column - 0.5, y - row - 0.5);
                    if to_line(x).min(to_line(y)) < 0.05 {
                        return 5.0;
                    }
                    let color = (column * 2.0 + row * 3.0).rem_euclid(5.0);
                    // A diamond of the next colour in each patch, stitched.
                    let diamond = fx.abs() + fy.abs() - 0.34;
                    if diamond.abs() < 0.02 {
                        5.0
                    } else if diamond < 0.0 {
                        (color + 2.0).rem_euclid(5.0)
                    } else {
                        color
                    }
                },
            },
        ],
    )
}
