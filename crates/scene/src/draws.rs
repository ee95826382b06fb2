//! The mixer of all random numbers here: SplitMix64 (Steele, Lea & Flood 2014), the same on every
//! machine.

/// What the generator adds at each draw.
pub const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The generator's finaliser: a change of one bit changes each bit of the result with chance 1/2.
#[inline]
pub fn mixed(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The generator as a function of the index: what one seeded with `seed` returns at its draw
/// `index`, from 0. The same numbers with any number of threads, and in any language that has
/// 64-bit integers.
#[derive(Debug, Clone, Copy)]
pub struct Draws {
    seed: u64,
}

impl Draws {
    #[inline]
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    #[inline]
    pub fn bits(self, index: u64) -> u64 {
        mixed(self.seed.wrapping_add(index.wrapping_add(1).wrapping_mul(STEP)))
    }

    /// From 0 to below 1, in steps of 2⁻⁵³.
    #[inline]
    pub fn unit(self, index: u64) -> f64 {
        (self.bits(index) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the published implementation with seed 1234567.
    #[test]
    fn the_published_sequence() {
        let first = [0, 1, 2].map(|index| Draws::new(1_234_567).bits(index));
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }
}
