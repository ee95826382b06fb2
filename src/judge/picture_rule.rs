//! How a provider turns a picture into tokens, and how large a picture it takes unshrunk.

use serde::{Deserialize, Serialize};

/// A provider's rule. Fitting only ever shrinks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum PictureRule {
    /// Square patches, each so many tokens.
    Patches {
        patch_px: u32,
        /// Patches of one picture.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        patches_max: Option<u32>,
        /// Limit on the longer side.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        side_px_max: Option<u32>,
        tokens_per_patch: f64,
    },
    /// Square tiles on top of a base.
    Tiles {
        tile_px: u32,
        /// Limit on the longer side.
        side_px_max: u32,
        /// Then the shorter side.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        short_px_max: Option<u32>,
        /// Tokens of any picture.
        base_tokens: u32,
        tile_tokens: u32,
    },
    Fixed {
        tokens: u32,
        /// Limit on the longer side.
        side_px_max: u32,
    },
}

impl PictureRule {
    /// The size at which a picture reaches the model: its own, or the largest of its proportions
    /// that is not shrunk on the way.
    pub fn fit(&self, width_px: u32, height_px: u32) -> (u32, u32) {
        let longest = width_px.max(height_px).max(1);
        let scaled = |side: u32| {
            // Rounded up, so that the shorter side never slips under a limit that it breaks.
            let of =
                |px: u32| (u64::from(px) * u64::from(side)).div_ceil(u64::from(longest)) as u32;
            (of(width_px), of(height_px))
        };
        // A size is looked for from above, so that the first that is taken is the largest.
        (1..=longest)
            .rev()
            .map(scaled)
            .find(|&(width, height)| self.takes(width, height))
            .unwrap_or((1, 1))
    }

    fn takes(&self, width_px: u32, height_px: u32) -> bool {
        let longest = width_px.max(height_px);
        match *self {
            Self::Patches { patch_px, patches_max, side_px_max, .. } => {
                side_px_max.is_none_or(|max| longest <= max)
                    && patches_max
                        .is_none_or(|max| cells(width_px, height_px, patch_px) <= u64::from(max))
            }
            Self::Tiles { side_px_max, short_px_max, .. } => {
                longest <= side_px_max
                    && short_px_max.is_none_or(|max| width_px.min(height_px) <= max)
            }
            Self::Fixed { side_px_max, .. } => longest <= side_px_max,
        }
    }

    /// Tokens of a picture, after whatever shrinking the provider does.
    pub fn tokens(&self, width_px: u32, height_px: u32) -> u64 {
        let (width_px, height_px) = self.fit(width_px, height_px);
        match *self {
            Self::Patches { patch_px, tokens_per_patch, .. } => {
                (cells(width_px, height_px, patch_px) as f64 * tokens_per_patch).ceil() as u64
            }
            Self::Tiles { tile_px, base_tokens, tile_tokens, .. } => {
                u64::from(base_tokens)
                    + cells(width_px, height_px, tile_px) * u64::from(tile_tokens)
            }
            Self::Fixed { tokens, .. } => u64::from(tokens),
        }
    }
}

fn cells(width_px: u32, height_px: u32, cell_px: u32) -> u64 {
    let cell_px = cell_px.max(1);
    u64::from(width_px.div_ceil(cell_px)) * u64::from(height_px.div_ceil(cell_px))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patches(patch_px: u32, patches_max: u32, side_px_max: u32) -> PictureRule {
        PictureRule::Patches {
            patch_px,
            patches_max: Some(patches_max),
            side_px_max: Some(side_px_max),
            tokens_per_patch: 1.0,
        }
    }

    const TILES: PictureRule = PictureRule::Tiles {
        tile_px: 512,
        side_px_max: 2048,
        short_px_max: Some(768),
        base_tokens: 85,
        tile_tokens: 170,
    };

    #[test]
    fn the_largest_square_is_the_published_one() {
        let cases = [
            (patches(28, 1568, 1568), 1092),
            (patches(28, 4784, 2576), 1932),
            (patches(32, 2500, 2048), 1600),
            (patches(32, 1536, 2048), 1248),
            (TILES, 768),
        ];
        for (rule, square_px) in cases {
            assert_eq!(rule.fit(4096, 4096), (square_px, square_px), "{rule:?}");
            assert_eq!(rule.fit(500, 500), (500, 500), "a small picture stays");
        }
    }

    #[test]
    fn what_fits_is_the_largest_that_does() {
        for (width, height) in [(3000, 1500), (700, 5000), (2048, 2048), (2049, 31)] {
            for rule in [patches(28, 1568, 1568), patches(32, 1536, 2048), TILES] {
                let (w, h) = rule.fit(width, height);
                assert!(rule.takes(w, h));
                let side = w.max(h) + 1;
                let of = |px: u32| (px * side).div_ceil(width.max(height));
                assert!(side > width.max(height) || !rule.takes(of(width), of(height)));
            }
        }
    }

    #[test]
    fn tokens_are_the_published_ones() {
        // 1024 × 1024 shrinks to 768 × 768: four tiles. OpenAI's own example: 765.
        assert_eq!(TILES.tokens(1024, 1024), 765);
        // 2048 × 4096 shrinks to 768 × 1536: six tiles. OpenAI's own example: 1105.
        assert_eq!(TILES.tokens(2048, 4096), 1105);
        assert_eq!(patches(28, 1568, 1568).tokens(1092, 1092), 39 * 39);
        assert_eq!(patches(32, 1536, 2048).tokens(1024, 1024), 1024);
        let fixed = PictureRule::Fixed { tokens: 1120, side_px_max: 3072 };
        assert_eq!(fixed.tokens(64, 64), 1120);
    }
}
