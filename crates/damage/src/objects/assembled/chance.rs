//! Numbers by chance that are the same on every machine.

use crate::objects::kit::hash;

/// A row of numbers that a seed and an object's number fix.
#[derive(Debug, Clone)]
pub(super) struct Chance {
    seed: u32,
    number: i32,
    drawn: i32,
}

impl Chance {
    pub(super) fn new(seed: u64, number: u32) -> Self {
        // Both halves of the seed count.
        let folded = (seed ^ (seed >> 32).wrapping_mul(0x9E37_79B9)) as u32;
        Self { seed: folded.wrapping_mul(2).wrapping_add(1), number: number as i32, drawn: 0 }
    }

    /// From 0 to below 1.
    fn unit(&mut self) -> f32 {
        self.drawn += 1;
        hash(self.drawn, self.number, self.seed).min(1.0 - f32::EPSILON)
    }

    /// Even from `low` to `high`.
    pub(super) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Even over `low..=high`.
    pub(super) fn count(&mut self, low: usize, high: usize) -> usize {
        low + (self.unit() * (high - low + 1) as f32) as usize
    }

    /// True in that share of the cases.
    pub(super) fn does(&mut self, share: f32) -> bool {
        self.unit() < share
    }

    /// One of the list, which must not be empty.
    pub(super) fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.count(0, list.len() - 1)]
    }

    /// A seed for a pattern.
    pub(super) fn seed(&mut self) -> u32 {
        (self.unit() * 65_536.0) as u32
    }
}
