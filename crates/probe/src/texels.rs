//! Facts from an asset's texels without its shape: which pictures they are, and if enlarged.

use crate::scene::{Scene, Texture};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// A line of texels that differs from the one before it by under this share of the mean difference
/// is the same line again.
const REPEATED: f64 = 0.01;

/// Base colour textures, as numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Texels {
    /// Hashes of the texels, ascending, each once.
    pub hashes: BTreeSet<[u8; 32]>,
    /// Of rows and of columns, the share that repeats the one before it; the lesser of the two, of
    /// the texture with the most. A texture enlarged n times without smoothing has (n − 1) / n.
    pub repeated_share: f64,
    /// Mean squared difference of neighbouring texels over whole textures, of 1.
    pub energy: f64,
}

/// Looks at every base colour texture.
pub(super) fn texels(scene: &Scene) -> Texels {
    let used: BTreeSet<usize> = scene
        .materials()
        .iter()
        .filter_map(|material| Some(material.base_color_texture()?.texture))
        .collect();
    let each: Vec<([u8; 32], [f64; 2])> = used
        .into_par_iter()
        .map(|index| {
            let texture = &scene.textures()[index];
            let hash = blake3::hash(texture.texels().as_flattened());
            (*hash.as_bytes(), lines(texture))
        })
        .collect();
    Texels {
        repeated_share: each.iter().fold(0.0, |most, (_, [share, _])| share.max(most)),
        energy: each.iter().fold(0.0, |sum, (_, [_, energy])| sum + energy)
            / each.len().max(1) as f64,
        hashes: each.into_iter().map(|(hash, _)| hash).collect(),
    }
}

/// The share of lines that repeat, and the mean squared difference of neighbours.
fn lines(texture: &Texture) -> [f64; 2] {
    let (width, height) = (texture.width_px() as usize, texture.height_px() as usize);
    let texels = texture.texels();
    let difference = |a: usize, b: usize| {
        let by_channel = (0..3).map(|c| u64::from(texels[a][c].abs_diff(texels[b][c])));
        by_channel.fold(0, |sum, d| sum + d * d)
    };
    let mut columns = vec![0_u64; width.saturating_sub(1)];
    let mut rows = vec![0_u64; height.saturating_sub(1)];
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let at = y * width + x;
        if x > 0 {
            columns[x - 1] += difference(at, at - 1);
        }
        if y > 0 {
            rows[y - 1] += difference(at, at - width);
        }
    }
    let share = |lines: &[u64]| {
        let mean = lines.iter().sum::<u64>() as f64 / lines.len().max(1) as f64;
        let is_repeated = |line: &&u64| (**line as f64) < REPEATED * mean;
        lines.iter().filter(is_repeated).count() as f64 / lines.len().max(1) as f64
    };
    let pairs = 3.0 * (columns.len() * height + rows.len() * width).max(1) as f64;
    let sum = columns.iter().chain(&rows).sum::<u64>() as f64;
    [share(&columns).min(share(&rows)), sum / pairs / (255.0 * 255.0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{ColorSpace, Wrap};

    /// Random texels in blocks of `edge`.
    fn blocks(edge: usize) -> Texture {
        let texels = (0..64 * 64)
            .map(|i| {
                let block = (i % 64 / edge + i / 64 / edge * 64) as u32;
                [(block.wrapping_mul(2_654_435_761) >> 24) as u8; 4]
            })
            .collect();
        let color = ColorSpace::Srgb;
        Texture::new(String::new(), 64, 64, texels, color, [Wrap::Repeat; 2]).unwrap()
    }

    #[test]
    fn an_enlarged_texture_repeats_its_lines() {
        let repeated_share = |texture: &Texture| lines(texture)[0];
        assert_eq!(repeated_share(&blocks(1)), 0.0);
        // 15 of 63 borders are between blocks of four.
        assert_eq!(repeated_share(&blocks(4)), 48.0 / 63.0);
        assert_eq!(repeated_share(&blocks(64)), 0.0, "a plain one has no lines");
        let [one, four] = [1, 4].map(|edge| lines(&blocks(edge))[1]);
        assert!((3.5..4.8).contains(&(one / four)), "{one} {four}");
    }
}
