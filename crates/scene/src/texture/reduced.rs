//! Large pictures of which little is seen from near: their own texels only where they are needed,
//! and those of half their size everywhere.

use super::color_space::ColorSpace;
use super::halve::halve_rows;
use std::ops::Range;

/// Edge of a block of texels, as log2.
const BLOCK_BITS: u32 = 6;
const BLOCK: usize = 1 << BLOCK_BITS;

/// Which blocks of a picture are seen from so near that its own texels are looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearBlocks {
    columns: usize,
    rows: usize,
    is_near: Vec<bool>,
    /// How many of them are.
    near_count: usize,
}

impl NearBlocks {
    /// Edge of a block, texels.
    pub const EDGE: usize = BLOCK;

    /// No block of a picture of this size.
    pub fn none(width_px: u32, height_px: u32) -> Self {
        let [columns, rows] = Self::size_of(width_px, height_px);
        Self { columns, rows, is_near: vec![false; columns * rows], near_count: 0 }
    }

    fn size_of(width_px: u32, height_px: u32) -> [usize; 2] {
        [width_px, height_px].map(|side| (side as usize).div_ceil(BLOCK))
    }

    /// Number of blocks along each axis.
    pub fn size(&self) -> [usize; 2] {
        [self.columns, self.rows]
    }

    /// Adds the blocks where these columns and rows meet; those that are not there are no matter.
    pub fn add(&mut self, columns: Range<usize>, rows: Range<usize>) {
        let last = columns.end.min(self.columns);
        let first = columns.start.min(last);
        for row in
            self.is_near.chunks_exact_mut(self.columns.max(1)).take(rows.end).skip(rows.start)
        {
            for is_near in &mut row[first..last] {
                self.near_count += usize::from(!*is_near);
                *is_near = true;
            }
        }
    }

    pub fn add_all(&mut self) {
        self.is_near.fill(true);
        self.near_count = self.is_near.len();
    }

    /// Adds the blocks of another picture of the same size.
    pub fn add_those_of(&mut self, other: &Self) {
        for (is_near, other) in self.is_near.iter_mut().zip(&other.is_near) {
            self.near_count += usize::from(*other & !*is_near);
            *is_near |= other;
        }
    }

    /// Whether every block is near.
    pub fn is_full(&self) -> bool {
        self.near_count == self.is_near.len()
    }

    /// Share of all blocks, 0 to 1.
    pub fn share(&self) -> f64 {
        self.near_count as f64 / self.is_near.len().max(1) as f64
    }
}

/// An opaque picture whose texels are held in some blocks only.
#[derive(Debug, Clone)]
pub struct Reduced {
    width: usize,
    height: usize,
    /// By block, row by row: where its texels begin in `near`, [`ABSENT`] if they are not held.
    starts: Vec<u32>,
    /// Block after block, each row by row.
    near: Vec<[u8; 4]>,
    /// The whole picture at half its size.
    half: Vec<[u8; 4]>,
}

const ABSENT: u32 = u32::MAX;

impl Reduced {
    /// Keeps the named blocks of `texels` (row by row, `width_px` × `height_px`, alpha 255), and
    /// halves the picture, in linear light if it is sRGB. `None` where it cannot be halved exactly:
    /// an odd side, transparent texels, or more of them than can be counted.
    pub fn new(
        texels: &[[u8; 4]],
        width_px: u32,
        height_px: u32,
        space: ColorSpace,
        blocks: &NearBlocks,
    ) -> Option<Self> {
        let (width, height) = (width_px as usize, height_px as usize);
        let is_even = width.is_multiple_of(2) && height.is_multiple_of(2);
        let is_whole = texels.len() == width.checked_mul(height)? && texels.len() < ABSENT as usize;
        let fits = blocks.size() == NearBlocks::size_of(width_px, height_px);
        let is_opaque = texels.iter().fold(255, |lowest, texel| lowest & texel[3]) == 255;
        if texels.is_empty() || !(is_even && is_whole && fits && is_opaque) {
            return None;
        }
        let mut half = vec![[0; 4]; texels.len() / 4];
        let pairs = texels.chunks_exact(2 * width);
        for (row, pair) in half.chunks_exact_mut(width / 2).zip(pairs) {
            let (upper, lower) = pair.split_at(width);
            halve_rows(upper, lower, row, space);
        }
        let mut near = Vec::with_capacity(blocks.near_count * BLOCK * BLOCK);
        let mut starts = Vec::with_capacity(blocks.is_near.len());
        for (idx, is_near) in blocks.is_near.iter().enumerate() {
            if !is_near {
                starts.push(ABSENT);
                continue;
            }
            starts.push(near.len() as u32);
            let (x, y) = (idx % blocks.columns * BLOCK, idx / blocks.columns * BLOCK);
            let columns = x..(x + BLOCK).min(width);
            for row in (texels.chunks_exact(width)).skip(y).take(BLOCK) {
                near.extend_from_slice(&row[columns.clone()]);
                // Blocks at the right edge are as long as all others.
                near.extend(std::iter::repeat_n([0; 4], BLOCK - columns.len()));
            }
        }
        Some(Self { width, height, starts, near, half })
    }

    /// Number of texels of the whole picture.
    pub fn count(&self) -> usize {
        self.width * self.height
    }

    /// Bytes that are held.
    pub fn bytes(&self) -> usize {
        (self.near.len() + self.half.len() + self.starts.len()) * 4
    }

    /// The picture at half its size, row by row.
    pub fn half(&self) -> &[[u8; 4]] {
        &self.half
    }

    /// A texel by row-major index; where the picture's own are not held, that of half size.
    #[inline]
    pub fn texel(&self, idx: usize) -> [u8; 4] {
        let (x, y) = (idx % self.width, idx / self.width);
        let columns = self.width.div_ceil(BLOCK);
        let block = (y >> BLOCK_BITS) * columns + (x >> BLOCK_BITS);
        match self.starts[block] {
            ABSENT => self.half[(y / 2) * (self.width / 2) + x / 2],
            start => self.near[start as usize + (y % BLOCK) * BLOCK + x % BLOCK],
        }
    }

    /// The whole picture, as far as it is known.
    pub fn whole(&self) -> Vec<[u8; 4]> {
        (0..self.count()).map(|idx| self.texel(idx)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texels(count: u32) -> Vec<[u8; 4]> {
        let texel = |k: u32| {
            let [r, g, b, _] = k.wrapping_mul(2_654_435_761).to_be_bytes();
            [r, g, b, 255]
        };
        (0..count).map(texel).collect()
    }

    #[test]
    fn near_blocks_are_held_and_half_the_size_stands_in_for_the_others() {
        // Neither side is a multiple of a block.
        let (width, height) = (150_u32, 70_u32);
        let all = texels(width * height);
        let mut blocks = NearBlocks::none(width, height);
        assert_eq!(blocks.size(), [3, 2]);
        for (column, row) in [(0, 0), (2, 0), (1, 1), (2, 1), (3, 0), (0, 9)] {
            blocks.add(column..column + 1, row..row + 1);
        }
        assert_eq!(blocks.share(), 4.0 / 6.0);
        let reduced = Reduced::new(&all, width, height, ColorSpace::Linear, &blocks).unwrap();
        let (width, whole) = (width as usize, reduced.whole());
        for (idx, texel) in all.iter().enumerate() {
            let (x, y) = (idx % width, idx / width);
            let mean = |c: usize| {
                let corner = y / 2 * 2 * width + x / 2 * 2;
                let four = [0, 1, width, width + 1].map(|k| u32::from(all[corner + k][c]));
                ((four.iter().sum::<u32>() + 2) / 4) as u8
            };
            let is_near = [(0, 0), (2, 0), (1, 1), (2, 1)].contains(&(x / 64, y / 64));
            let expected = if is_near { *texel } else { [0, 1, 2, 3].map(mean) };
            assert_eq!(whole[idx], expected, "at {x}, {y}");
        }
    }

    #[test]
    fn what_cannot_be_halved_exactly_is_not_reduced() {
        let blocks = NearBlocks::none(64, 64);
        let mut all = texels(64 * 64);
        let of = |texels: &[[u8; 4]], width, height| {
            Reduced::new(texels, width, height, ColorSpace::Srgb, &blocks).is_some()
        };
        assert!(of(&all, 64, 64));
        assert!(!of(&all[..63 * 64], 63, 64), "an odd side");
        assert!(!of(&all[..62 * 64], 64, 64), "too few texels");
        assert!(!of(&[], 0, 64) && !of(&texels(128 * 64), 128, 64), "blocks of another size");
        all[77][3] = 254;
        assert!(!of(&all, 64, 64), "alpha");
    }
}
