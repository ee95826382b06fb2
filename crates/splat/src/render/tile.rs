//! A tile's splats → its pixels, blended front to back. Vector instructions as in `project`.

#![expect(
    clippy::needless_range_loop,
    reason = "counted loops over arrays are the form that the compiler turns into vector instructions"
)]

use super::project::{ALPHA_MIN, Ellipse, TILE};

/// A splat never hides everything behind it.
pub const ALPHA_MAX: f32 = 0.99;

/// Blending stops before the splat after which less than this share of light would pass.
pub const LIGHT_MIN: f32 = 1e-4;

/// Pixels of a group, which are computed together.
const GROUP: usize = 8;
const GROUPS: usize = TILE / GROUP;
const PIXELS: usize = TILE * TILE;

/// Splats that are copied together before they are blended.
const BLOCK: usize = 32;

type Group = [f32; GROUP];
type Plane = [Group; PIXELS / GROUP];

/// The pixels of a tile, in rows of two groups.
pub(super) struct Tile {
    /// Share of light that still passes, above 0; its negative where blending has stopped.
    pub(super) light: Plane,
    pub(super) rgb: [Plane; 3],
    /// Sums of weight × depth, and of weight × normal.
    pub(super) depth: Plane,
    pub(super) normal: [Plane; 3],
    /// Depth of the splat at which half of the light is lost; 0 before it.
    pub(super) median: Plane,
    /// Depth of the nearest surface.
    pub(super) surface: Plane,
    /// A bit for each group with a pixel that is not finished.
    live: u32,
}

impl Tile {
    /// Empty; pixels outside the picture count as finished.
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        let zero = [[0.0; GROUP]; PIXELS / GROUP];
        let mut tile = Self {
            light: zero,
            rgb: [zero; 3],
            depth: zero,
            normal: [zero; 3],
            median: zero,
            surface: [[f32::INFINITY; GROUP]; PIXELS / GROUP],
            live: 0,
        };
        for i in 0..PIXELS {
            let is_inside = i % TILE < columns && i / TILE < rows;
            tile.light[i / GROUP][i % GROUP] = if is_inside { 1.0 } else { -1.0 };
        }
        tile
    }

    /// Blends splats, nearest first, onto the tile whose top left corner is at pixel (`left`,
    /// `top`). False if every pixel is finished.
    pub(super) fn blend<'a, const GEOMETRY: bool, const SURFACES: bool>(
        &mut self,
        splats: impl Iterator<Item = &'a Ellipse>,
        left: f32,
        top: f32,
    ) -> bool {
        self.live = 0;
        for (k, group) in self.light.iter().enumerate() {
            self.live |= u32::from(group.iter().any(|&light| light > 0.0)) << k;
        }
        #[cfg(target_arch = "x86_64")]
        if super::project::has_avx2() {
            // SAFETY: the processor has AVX2.
            unsafe { blend_avx2::<GEOMETRY, SURFACES>(self, splats, left, top) };
            return self.live != 0;
        }
        blend_all::<GEOMETRY, SURFACES>(self, splats, left, top);
        self.live != 0
    }
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn blend_avx2<'a, const GEOMETRY: bool, const SURFACES: bool>(
    tile: &mut Tile,
    splats: impl Iterator<Item = &'a Ellipse>,
    left: f32,
    top: f32,
) {
    blend_all::<GEOMETRY, SURFACES>(tile, splats, left, top);
}

#[inline(always)]
fn blend_all<'a, const GEOMETRY: bool, const SURFACES: bool>(
    tile: &mut Tile,
    splats: impl Iterator<Item = &'a Ellipse>,
    left: f32,
    top: f32,
) {
    let mut splats = splats;
    let mut block = [Ellipse::default(); BLOCK];
    loop {
        // Copied first: neighbours in depth are far apart in memory, and independent loads overlap.
        let mut len = 0;
        for (to, from) in block.iter_mut().zip(&mut splats) {
            *to = *from;
            len += 1;
        }
        for splat in &block[..len] {
            blend_one::<GEOMETRY, SURFACES>(tile, splat, left, top);
        }
        if len < BLOCK || tile.live == 0 {
            return;
        }
    }
}

#[inline(always)]
fn blend_one<const GEOMETRY: bool, const SURFACES: bool>(
    tile: &mut Tile,
    splat: &Ellipse,
    left: f32,
    top: f32,
) {
    // The splat's centre from the middle of the first pixel.
    let (x, y) = (splat.x - left - 0.5, splat.y - top - 0.5);
    let [half_x, half_y] = splat.half;
    let first_row = (y - half_y).max(0.0) as usize; // rounds down: at most a row too many
    let last_row = (y + half_y).clamp(-1.0, TILE as f32 - 1.0) as i32 + 1;
    let first_group = (x - half_x).max(0.0) as usize / GROUP;
    let last_group = ((x + half_x).clamp(-1.0, TILE as f32 - 1.0) / GROUP as f32) as usize + 1;
    for row in first_row..last_row as usize {
        let dy = row as f32 - y;
        let shift = splat.b * dy;
        let e_row = splat.c * dy * dy;
        for group in first_group..last_group {
            let k = row * GROUPS + group;
            if tile.live >> k & 1 != 0 {
                let dx = (group * GROUP) as f32 - x;
                blend_group::<GEOMETRY, SURFACES>(tile, k, splat, dx, shift, e_row);
            }
        }
    }
}

#[inline(always)]
fn blend_group<const GEOMETRY: bool, const SURFACES: bool>(
    tile: &mut Tile,
    k: usize,
    splat: &Ellipse,
    dx: f32,
    shift: f32,
    e_row: f32,
) {
    let mut e = [0.0; GROUP];
    let mut is_near = false;
    for i in 0..GROUP {
        let u = splat.a * (dx + i as f32) + shift;
        e[i] = u * u + e_row;
        is_near |= e[i] <= splat.e_max;
    }
    if !is_near {
        return;
    }
    let before = tile.light[k];
    let mut after = before;
    let mut weight = [0.0; GROUP];
    let mut has_stopped = false;
    for i in 0..GROUP {
        let alpha = splat.opacity * exp2_of_minus(e[i]);
        let alpha = if alpha < ALPHA_MAX { alpha } else { ALPHA_MAX };
        let passed = before[i] * (1.0 - alpha);
        let mut is_drawn = (alpha >= ALPHA_MIN) & (before[i] > 0.0);
        if SURFACES {
            is_drawn &= splat.depth < tile.surface[k][i];
        }
        let stops = is_drawn & (passed < LIGHT_MIN);
        has_stopped |= stops;
        weight[i] = if is_drawn & !stops { alpha * before[i] } else { 0.0 };
        let changed = if stops { -before[i] } else { passed };
        after[i] = if is_drawn { changed } else { before[i] };
    }
    tile.light[k] = after;
    for channel in 0..3 {
        let plane = &mut tile.rgb[channel][k];
        for i in 0..GROUP {
            plane[i] += weight[i] * splat.rgb[channel];
        }
    }
    if GEOMETRY {
        let mut median = tile.median[k];
        for i in 0..GROUP {
            let is_half = (weight[i] > 0.0) & (before[i] > 0.5) & (after[i] <= 0.5);
            median[i] = if is_half { splat.depth } else { median[i] };
            tile.depth[k][i] += weight[i] * splat.depth;
        }
        tile.median[k] = median;
        for axis in 0..3 {
            let plane = &mut tile.normal[axis][k];
            for i in 0..GROUP {
                plane[i] += weight[i] * splat.normal[axis];
            }
        }
    }
    if has_stopped && after.iter().all(|&light| light < 0.0) {
        tile.live &= !(1 << k);
    }
}

/// 2^−e for e of 0 or more, off by less than 2e-7 of the value up to 24, and 2⁻²⁴ beyond. A
/// polynomial that meets 2^f at the six Chebyshev nodes of −½ to ½; adding 1.5 · 2²³ rounds to a
/// whole number, whose bits move into the exponent.
#[inline(always)]
pub(super) fn exp2_of_minus(e: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let x = if e < 24.0 { -e } else { -24.0 };
    let whole = x + ROUND;
    let f = x - (whole - ROUND);
    let series = (0.001_339_086_3 * f + 0.009_676_032) * f + 0.055_503_57;
    let series = ((series * f + 0.240_221_07) * f + std::f32::consts::LN_2) * f + 1.0;
    f32::from_bits(series.to_bits().wrapping_add(whole.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::exp2_of_minus;

    #[test]
    fn the_polynomial_is_two_to_the_power() {
        for k in 0..24_000 {
            let e = k as f32 / 1000.0;
            let exact = libm::exp2(-f64::from(e));
            let error = f64::from(exp2_of_minus(e)) / exact - 1.0;
            assert!(error.abs() < 3e-7, "{e}: {error}");
        }
        assert!(exp2_of_minus(1e30) < 1e-7);
    }
}
