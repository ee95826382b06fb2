//! Counter-based generator: random numbers that depend only on a seed, a stream and an index.

use crate::scene::draws::{STEP, mixed};
use glam::Vec3;

/// Counter-based (as Salmon et al. 2011, with the finaliser of SplitMix64): each number is a
/// function of seed, stream and index, so no draw changes another.
#[derive(Debug, Clone, Copy)]
pub(super) struct CounterRng(u64);

impl CounterRng {
    pub(super) fn new(seed: u64) -> Self {
        Self(mix(seed ^ 0x6d65_7368_6a75_6467))
    }

    /// Another source, for another purpose.
    pub(super) fn stream(self, number: u64) -> Self {
        Self(mix(self.0 ^ mix(number)))
    }

    /// From 0 to below 1, in steps of 2⁻²⁴.
    pub(super) fn unit(self, index: u64) -> f32 {
        (mix(self.0.wrapping_add(index.wrapping_mul(STEP))) >> 40) as f32 / (1 << 24) as f32
    }

    /// From −1 to below 1.
    pub(super) fn signed(self, index: u64) -> f32 {
        2.0 * self.unit(index) - 1.0
    }

    /// Smooth value noise with a quintic fade (Perlin 2002): about −1 to 1, bumps one unit apart.
    pub(super) fn noise(self, at: Vec3) -> f32 {
        let cell = at.floor();
        let t = at - cell;
        let fade = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
        let corner = |x: i32, y: i32, z: i32| {
            let [i, j, k] = [cell.x as i32 + x, cell.y as i32 + y, cell.z as i32 + z];
            let key = (i as u32 as u64) ^ ((j as u32 as u64) << 21) ^ ((k as u32 as u64) << 42);
            self.signed(mix(key))
        };
        let lerp = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let along = |y: i32, z: i32| lerp(corner(0, y, z), corner(1, y, z), fade.x);
        let across = |z: i32| lerp(along(0, z), along(1, z), fade.y);
        lerp(across(0), across(1), fade.z)
    }
}

fn mix(x: u64) -> u64 {
    mixed(x.wrapping_add(STEP))
}
