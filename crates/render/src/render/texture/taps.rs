//! Where eight look-ups find their texels: coordinates → levels, indices and shares.

#![expect(
    clippy::needless_range_loop,
    reason = "lanes are counted: several arrays are indexed by one, and counted loops are what the compiler turns into vector instructions"
)]

use super::Pyramid;
use super::layout::{Shape, TILE_BITS};
use crate::render::lanes::{F8, LANES, columns};
use crate::scene::Wrap;

/// The whole of which texels have shares: 14 bits, so that a share fits a signed 16-bit number.
pub(super) const SHARE: i32 = 1 << SHARE_BITS;
const SHARE_BITS: u32 = 14;

/// Texture coordinates of eight points, and their changes per pixel step right and down.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub uv: [F8; 2],
    pub dx: [F8; 2],
    pub dy: [F8; 2],
}

/// Texels and shares of eight look-ups: the same for all textures of one size, wrap mode,
/// coordinate set and transform.
#[derive(Clone, Copy)]
pub(crate) struct Taps {
    pub(super) fine: Cells,
    pub(super) coarse: Cells,
    /// Whether any lane has a share of the coarse level; if none has, `coarse` means nothing.
    has_coarse: bool,
    /// Share of the coarse level.
    pub(super) fraction: F8,
    /// Texels per pixel along the longer edge of a pixel's footprint, as log2: 0 and less where the
    /// texture is not made smaller.
    pub lod: F8,
}

/// Four texels of one level, eight times.
#[derive(Clone, Copy)]
pub(super) struct Cells {
    level: [i32; LANES],
    /// Upper left, upper right, lower left, lower right.
    texels: [[i32; LANES]; 4],
    /// Shares of the upper and of the lower texels: left in the low half of each number, right in
    /// the high one. Their sum is [`SHARE`].
    shares: [[i32; LANES]; 2],
}

/// One lane of [`Cells`].
pub(crate) struct Cell {
    pub(super) level: usize,
    pub(super) texels: [usize; 4],
    pub(super) shares: [i32; 2],
}

impl Cells {
    const EMPTY: Self =
        Self { level: [0; LANES], texels: [[0; LANES]; 4], shares: [[0; LANES]; 2] };

    #[inline(always)]
    pub(super) fn cell(&self, lane: usize) -> Cell {
        let [a, b, c, d] = &self.texels;
        Cell {
            level: self.level[lane] as usize,
            texels: [a[lane] as usize, b[lane] as usize, c[lane] as usize, d[lane] as usize],
            shares: [self.shares[0][lane], self.shares[1][lane]],
        }
    }
}

impl Taps {
    pub(crate) const EMPTY: Self = Self {
        fine: Cells::EMPTY,
        coarse: Cells::EMPTY,
        has_coarse: false,
        fraction: F8::ZERO,
        lod: F8::ZERO,
    };

    #[cfg(test)]
    pub(super) fn new(pyramids: &[&Pyramid<'_>; LANES], place: &Place) -> Self {
        let mut taps = Self::EMPTY;
        taps.find(pyramids, place);
        taps
    }

    /// The level is chosen by the derivatives: log2 of the longer footprint edge in texels (OpenGL
    /// 4.6 core, section 8.14.1). In place: a returned value is moved, and this is large.
    #[inline(always)]
    pub(crate) fn find(&mut self, pyramids: &[&Pyramid<'_>; LANES], place: &Place) {
        let mut shapes = [[0.0; 4]; LANES];
        let mut last = [0_i32; LANES];
        let mut is_plain = true;
        for lane in 0..LANES {
            let pyramid = pyramids[lane];
            shapes[lane] = bytemuck::cast(pyramid.levels[0].shape);
            last[lane] = pyramid.levels.len() as i32 - 1;
            is_plain &= pyramid.wrap == [Wrap::Repeat; 2] && !pyramid.is_nearest;
        }
        let [width, height, ..] = columns(shapes);
        let (mut fine, mut coarse) = ([0_i32; LANES], [0_i32; LANES]);
        let (mut fraction, mut lod) = (F8::ZERO, F8::ZERO);
        let mut reduced = place.uv;
        let mut repeats = [[-1; LANES]; 2];
        for lane in 0..LANES {
            let size = [int(width.0[lane]) as f32, int(height.0[lane]) as f32];
            let length_squared = |d: &[F8; 2]| {
                let (x, y) = (d[0].0[lane] * size[0], d[1].0[lane] * size[1]);
                x * x + y * y
            };
            let (along_x, along_y) = (length_squared(&place.dx), length_squared(&place.dy));
            let footprint_squared = if along_x > along_y { along_x } else { along_y };
            let found = 0.5 * rough_log2(footprint_squared);
            let above_zero = if found > 0.0 { found } else { 0.0 };
            let level = whole(above_zero.floor()).min(last[lane]);
            let is_between = level < last[lane];
            lod.0[lane] = found;
            fine[lane] = level;
            coarse[lane] = level + i32::from(is_between);
            fraction.0[lane] = if is_between { above_zero - level as f32 } else { 0.0 };
            for axis in 0..2 {
                let coordinate = place.uv[axis].0[lane];
                reduced[axis].0[lane] = coordinate - coordinate.floor();
            }
        }
        if !is_plain {
            (reduced, repeats) = reduce(pyramids, place.uv, &lod);
        }
        address(pyramids, fine, &reduced, &repeats, &mut self.fine);
        // A level without a share is not looked up. Common: textures shown larger than they are.
        self.has_coarse = fraction.0.iter().any(|&share| share != 0.0);
        if self.has_coarse {
            address(pyramids, coarse, &reduced, &repeats, &mut self.coarse);
        }
        (self.fraction, self.lod) = (fraction, lod);
    }
}

/// The number whose bits a float's are.
#[inline(always)]
fn int(bits: f32) -> i32 {
    bits.to_bits() as i32
}

/// A float from −2²² to 2²² without a fraction as a number: others give some number. The compiler
/// takes a cast apart, lane by lane, since it looks for what does not fit; added to 1.5 · 2²³, the
/// number is in the lowest bits.
#[inline(always)]
fn whole(x: f32) -> i32 {
    const ADDED: f32 = 12_582_912.0;
    (x + ADDED).to_bits().wrapping_sub(ADDED.to_bits()) as i32
}

/// Base-2 logarithm by exponent and a quadratic in the mantissa: off by less than 0.01 of a mip
/// level, −127 for 0. Not for negative numbers.
#[inline(always)]
fn rough_log2(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = ((bits >> 23) as i32 - 127) as f32;
    let mantissa = f32::from_bits((bits & 0x007f_ffff) | 0x3f80_0000);
    exponent + (-1.0 / 3.0 * mantissa + 2.0) * mantissa - 5.0 / 3.0
}

/// Coordinates brought into 0..1 before they are scaled, so that those far from 0 keep their
/// precision as long as f32 has any, and into the middle of texels that are shown as squares; and
/// all bits set where an axis repeats.
#[inline(never)]
fn reduce(pyramids: &[&Pyramid<'_>; LANES], uv: [F8; 2], lod: &F8) -> ([F8; 2], [[i32; LANES]; 2]) {
    let (mut reduced, mut repeats) = (uv, [[0; LANES]; 2]);
    for axis in 0..2 {
        for lane in 0..LANES {
            let coordinate = uv[axis].0[lane];
            reduced[axis].0[lane] = match pyramids[lane].wrap[axis] {
                Wrap::Repeat => {
                    repeats[axis][lane] = -1;
                    coordinate - coordinate.floor()
                }
                Wrap::MirroredRepeat => {
                    let period = coordinate * 0.5;
                    let t = (period - period.floor()) * 2.0;
                    if t > 1.0 { 2.0 - t } else { t }
                }
                Wrap::ClampToEdge => coordinate.clamp(0.0, 1.0),
            };
            if pyramids[lane].is_nearest && lod.0[lane] <= 0.0 {
                // The middle of the texel, which has all of the share there.
                let Shape { width, height, .. } = pyramids[lane].levels[0].shape;
                let size = [width, height][axis] as f32;
                let texel = (reduced[axis].0[lane] * size).floor().min(size - 1.0);
                reduced[axis].0[lane] = (texel + 0.5) / size;
            }
        }
    }
    (reduced, repeats)
}

#[inline(always)]
fn address(
    pyramids: &[&Pyramid<'_>; LANES],
    level: [i32; LANES],
    uv: &[F8; 2],
    repeats: &[[i32; LANES]; 2],
    out: &mut Cells,
) {
    let shape_of = |lane: usize| -> [f32; 4] {
        bytemuck::cast(pyramids[lane].levels[level[lane] as usize].shape)
    };
    let is_one = (1..LANES).fold(true, |is_one, lane| {
        is_one & (level[lane] == level[0]) & std::ptr::eq(pyramids[lane], pyramids[0])
    });
    let [width, height, stride, is_tiled] = if is_one {
        let [width, height, stride, is_tiled] = shape_of(0);
        [F8::splat(width), F8::splat(height), F8::splat(stride), F8::splat(is_tiled)]
    } else {
        let mut shapes = [[0.0; 4]; LANES];
        for lane in 0..LANES {
            shapes[lane] = shape_of(lane);
        }
        columns(shapes)
    };
    out.level = level;
    for lane in 0..LANES {
        let along = |k: usize, size: &F8| axis(uv[k].0[lane], int(size.0[lane]), repeats[k][lane]);
        let ([left, right], x_share) = along(0, &width);
        let ([upper, lower], y_share) = along(1, &height);
        let (stride, is_tiled) = (int(stride.0[lane]), int(is_tiled.0[lane]) == 1);
        let column = |x: i32| {
            let tiled = (x >> TILE_BITS << (2 * TILE_BITS)) + (x & 3);
            if is_tiled { tiled } else { x }
        };
        let row = |y: i32| {
            let tiled = (y >> TILE_BITS).wrapping_mul(stride) + ((y & 3) << TILE_BITS);
            if is_tiled { tiled } else { y.wrapping_mul(stride) }
        };
        let (left, right, upper, lower) = (column(left), column(right), row(upper), row(lower));
        out.texels[0][lane] = upper + left;
        out.texels[1][lane] = upper + right;
        out.texels[2][lane] = lower + left;
        out.texels[3][lane] = lower + right;
        // The four shares are whole, not below 0, and sum to SHARE whatever is rounded.
        let both = (x_share * y_share) >> SHARE_BITS;
        let (upper_right, lower_left) = (x_share - both, y_share - both);
        let upper_left = SHARE - x_share - lower_left;
        out.shares[0][lane] = upper_left + (upper_right << 16);
        out.shares[1][lane] = lower_left + (both << 16);
    }
}

/// The two texels on either side of a coordinate along one axis, and the share of the second.
#[inline(always)]
fn axis(coordinate: f32, size: i32, repeats: i32) -> ([i32; 2], i32) {
    let position = coordinate * size as f32 - 0.5;
    let last = size - 1;
    // Coordinates are within 0..1 but for those that no float can hold any more.
    let low = whole(position.floor()).max(-1).min(last);
    let high = low + 1;
    // Past an edge: the opposite texel where the picture repeats, else the edge's own.
    let below = if low < 0 { last & repeats } else { low };
    let above = if high > last { last & !repeats } else { high };
    let share = position - low as f32;
    let share = if share > 0.0 { share } else { 0.0 };
    let share = if share < 1.0 { share } else { 1.0 };
    ([below, above], whole((share * SHARE as f32 + 0.5).floor()))
}

impl Taps {
    /// Each lane with what it looks up, in one level and the other. Neighbouring lanes look up much
    /// the same: asking twice takes less time than finding out whether it was asked for.
    #[inline(always)]
    pub(crate) fn cells(&self) -> impl Iterator<Item = (usize, Cell)> {
        let levels = [&self.fine, &self.coarse].into_iter();
        let levels = levels.take(1 + usize::from(self.has_coarse));
        levels.flat_map(|cells| (0..LANES).map(|lane| (lane, cells.cell(lane))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_whole_and_sum_to_one() {
        for k in 0..=1000 {
            let ([a, b], share) = axis(k as f32 / 1000.0, 8, -1);
            assert!((0..=SHARE).contains(&share));
            assert!((0..8).contains(&a) && (0..8).contains(&b));
        }
        for (x, y) in [(0, 0), (SHARE, SHARE), (1, SHARE - 1), (5461, 9999), (SHARE - 1, SHARE - 1)]
        {
            let both = (x * y) >> SHARE_BITS;
            let shares = [SHARE - x - y + both, x - both, y - both, both];
            assert!(shares.iter().all(|&s| s >= 0) && shares.iter().sum::<i32>() == SHARE);
        }
    }

    #[test]
    fn whole_floats_are_their_numbers() {
        for number in [0, 1, -1, 2, 255, -4096, 70_001, 1 << 22, -(1 << 22)] {
            assert_eq!(whole(number as f32), number);
        }
    }

    #[test]
    fn no_coordinate_is_too_wild() {
        for v in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1e30, -1e30, 4e9] {
            let ([a, b], _) = axis(v, 4, 0);
            assert!((0..4).contains(&a) && (0..4).contains(&b), "{v}");
        }
    }

    #[test]
    fn the_level_follows_the_footprint() {
        assert!((rough_log2(8.0) - 3.0).abs() < 1e-6);
        for k in 1..100 {
            let x = k as f32 * 0.37;
            assert!((rough_log2(x) - libm::log2f(x)).abs() < 0.011);
        }
    }
}
