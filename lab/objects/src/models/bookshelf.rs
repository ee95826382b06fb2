//! A bookshelf of pine with three shelves of books of many colours, a globe and a clock on them;
//! the books face +z.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, ball, block, cos_turn, hash, hoop, lathe, noise,
    plate, sin_turn, to_box, to_line, wood_value,
};

const WOOD: Rect = [0.0, 0.0, 0.5, 0.5];
const BACK: Rect = [0.5, 0.0, 0.5, 0.5];
const SPINES: Rect = [0.0, 0.5, 1.0, 0.3];
const PAGES: Rect = [0.0, 0.8, 0.2, 0.2];
const GLOBE: Rect = [0.2, 0.8, 0.4, 0.2];
const BRASS: Rect = [0.6, 0.8, 0.15, 0.2];
const CLOCK: Rect = [0.75, 0.8, 0.25, 0.2];

/// Kinds of spines in the texture.
const KINDS: usize = 12;
const SHELVES: [f32; 4] = [0.06, 0.40, 0.74, 1.08];

/// The clean bookshelf.
pub(super) fn bookshelf() -> Vec<Surface> {
    let board = |half: Vec3, cells: [usize; 3]| block(half, 0.006, cells, |_, _| WOOD);
    let mut shape =
        block(Vec3::new(0.39, 0.545, 0.008), 0.003, [8, 10, 1], |_, _| BACK).at(0.0, 0.565, -0.136);
    for x in [-0.40, 0.40] {
        shape.add(board(Vec3::new(0.018, 0.56, 0.148), [2, 12, 4]).at(x, 0.56, 0.0));
    }
    for y in SHELVES {
        shape.add(board(Vec3::new(0.392, 0.014, 0.138), [10, 2, 4]).at(0.0, y, 0.0));
    }
    shape.add(board(Vec3::new(0.45, 0.020, 0.165), [10, 2, 5]).at(0.0, 1.135, 0.0));
    shape.add(board(Vec3::new(0.385, 0.030, 0.012), [10, 2, 2]).at(0.0, 0.030, 0.120));
    shape.add(board(Vec3::new(0.385, 0.032, 0.012), [10, 2, 2]).at(0.0, 1.095, 0.128));
    let mut count = 0;
    for (shelf, (from, to)) in
        [(-0.365, 0.365), (-0.365, 0.12), (-0.10, 0.365)].into_iter().enumerate()
    {
        let mut x: f32 = from;
        while x < to {
            let of = |what: i32| hash(count, what, 5);
            let half =
                Vec3::new(0.014 + 0.012 * of(1), 0.095 + 0.045 * of(2), 0.085 + 0.015 * of(3));
            let kind = (of(4) * KINDS as f32) as usize % KINDS;
            shape.add(book(half, kind).at(
                x + half.x,
                SHELVES[shelf] + 0.013 + half.y,
                -0.02 + 0.01 * of(5),
            ));
            x += 2.0 * half.x + 0.0015;
            count += 1;
        }
    }
    globe(&mut shape);
    let face = [(0.085, -0.02), (0.090, 0.0), (0.082, 0.022)];
    shape.add(lathe(&face, 0.004, 0.02, 32).tipped(0.25).at(-0.24, 0.845, 0.02).on(BRASS));
    shape.add(plate(&ring(0.076), 0.004, 0.001, [CLOCK, BRASS, BRASS]).at(-0.24, 0.845, 0.041));
    vec![Surface::painted("bookshelf", 0.6, shape, texture())]
}

fn ring(radius: f32) -> Vec<(f32, f32)> {
    (0..32)
        .map(|i| (radius * cos_turn(i as f32 / 32.0), radius * sin_turn(i as f32 / 32.0)))
        .collect()
}

/// Its spine to +z and its cover have a column of their own; pages above, below and behind.
fn book(half: Vec3, kind: usize) -> Shape {
    let [u, v, width, height] = SPINES;
    let column = [u + width * kind as f32 / KINDS as f32, v, width / KINDS as f32, height];
    block(
        half,
        0.003,
        [3, 4, 3],
        |axis, sign| {
            if axis == 1 || axis == 2 && sign < 0.0 { PAGES } else { column }
        },
    )
}

fn globe(shape: &mut Shape) {
    let at = |part: Shape| part.at(0.24, 0.0, 0.02);
    let foot = [(0.055, 0.412), (0.058, 0.420), (0.016, 0.436), (0.010, 0.470)];
    shape.add(at(lathe(&foot, 0.002, 0.02, 24)).on(BRASS));
    shape.add(at(ball(Vec3::splat(0.085), 16, 28).at(0.0, 0.555, 0.0)).on(GLOBE));
    shape.add(at(hoop(0.096, 0.006, 36, 6).tipped(0.25).at(0.0, 0.555, 0.0)).on(BRASS));
}

fn texture() -> Picture {
    const COVERS: &[[f32; 3]] = &[
        [150.0, 34.0, 36.0],
        [34.0, 62.0, 118.0],
        [34.0, 96.0, 62.0],
        [222.0, 186.0, 84.0],
        [92.0, 46.0, 98.0],
        [206.0, 110.0, 44.0],
        [28.0, 30.0, 36.0],
        [238.0, 230.0, 208.0],
    ];
    atlas(
        512,
        &[
            Panel {
                rect: WOOD,
                colors: &[[150.0, 96.0, 50.0], [206.0, 156.0, 96.0], [236.0, 198.0, 140.0]],
                value: |u, v| 0.2 + 1.6 * wood_value(u * 0.7, v * 0.8),
            },
            Panel {
                rect: BACK,
                colors: &[[92.0, 60.0, 34.0], [160.0, 116.0, 70.0]],
                value: |u, v| {
                    if to_line(u * 6.0) < 0.05 {
                        0.0
                    } else {
                        0.2 + 0.8 * wood_value(u * 2.0, v * 0.5)
                    }
                },
            },
            Panel {
                rect: SPINES,
                colors: COVERS,
                value: |u, v| {
                    let kind = (u * KINDS as f32).floor();
                    let x = u * KINDS as f32 - kind;
                    let color = (kind * 5.0).rem_euclid(7.0);
                    let band = [0.12, 0.17, 0.83].iter().fold(1.0_f32, |d, y| d.min((v - y).abs()));
                    let title = (0.30..0.62).contains(&v)
                        && (x - 0.5).abs() < 0.2
                        && to_line(v * 22.0 + kind * 0.3) > 0.22;
                    let light = if color == 3.0 { 6.0 } else { 7.0 };
                    if band < 0.014 {
                        if color == 3.0 { 0.0 } else { 3.0 }
                    } else if title && kind.rem_euclid(3.0) > 0.5 {
                        light
                    } else {
                        color
                    }
                },
            },
            Panel {
                rect: PAGES,
                colors: &[[196.0, 184.0, 150.0], [246.0, 240.0, 220.0]],
                value: |u, _| if to_line(u * 18.0) < 0.16 { 0.0 } else { 1.0 },
            },
            Panel {
                rect: GLOBE,
                colors: &[
                    [22.0, 72.0, 132.0],
                    [60.0, 130.0, 190.0],
                    [96.0, 140.0, 64.0],
                    [214.0, 190.0, 120.0],
                ],
                value: |u, v| {
                    let land = noise(u, v, [6, 4], 12) + 0.35 * (noise(u, v, [22, 12], 13) - 0.5);
                    if land > 0.56 {
                        2.0 + (land - 0.56) * 4.0
                    } else if to_line(u * 12.0) < 0.03 || to_line(v * 6.0) < 0.03 {
                        0.0
                    } else {
                        1.0
                    }
                },
            },
            Panel {
                rect: BRASS,
                colors: &[[120.0, 84.0, 30.0], [224.0, 180.0, 84.0]],
                value: |u, v| 0.5 + 0.5 * noise(u, v, [8, 8], 3),
            },
            Panel {
                rect: CLOCK,
                colors: &[[24.0, 24.0, 30.0], [200.0, 40.0, 36.0], [250.0, 248.0, 240.0]],
                value: |u, v| {
                    let (x, y) = (u - 0.5, v - 0.5);
                    let turn = libm::atan2f(x, -y) / std::f32::consts::TAU;
                    let reach = (x * x + y * y).sqrt();
                    let tick = (0.36..0.44).contains(&reach) && to_line(turn * 12.0) < 0.09;
                    let hour = to_box(x - 0.09, y + 0.05, 0.10, 0.022).min(to_box(
                        x,
                        y + 0.14,
                        0.02,
                        0.16,
                    ));
                    if tick || hour < 0.0 || reach < 0.045 {
                        0.0
                    } else if reach > 0.47 {
                        1.0
                    } else {
                        2.0
                    }
                },
            },
        ],
    )
}
