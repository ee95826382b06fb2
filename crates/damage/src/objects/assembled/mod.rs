//! Randomly assembled objects: seed and number → forms, proportions, patterns, colours → surfaces.
//!
//! The 32 objects of [`super::all`] are few, and who has looked at one has spent it. Of these there
//! are as many as a measurement needs, and with another seed as many again that nobody has seen.
//! They keep the promises of the others: closed parts wound outwards, textured, upright, front (a
//! lettered sign) towards +z.

mod build;
mod chance;
mod pattern;

use super::kit::{self, Surface};
use crate::scene::Scene;
use chance::Chance;

/// One object put together by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assembled {
    pub seed: u64,
    /// Which of the lot.
    pub number: u32,
}

impl Assembled {
    pub fn name(self) -> String {
        format!("assembled-{}-{:03}", self.seed, self.number)
    }

    /// What a generator would have been asked for.
    pub fn prompt(self) -> &'static str {
        build::plan(self.number).prompt
    }

    /// Models and paints the object; some milliseconds.
    pub fn surfaces(self) -> Vec<Surface> {
        let mut chance = Chance::new(self.seed, self.number);
        let plan = build::plan(self.number);
        let shape = (plan.build)(&mut chance);
        let texture = pattern::texture(&mut chance);
        let roughness = chance.between(0.35, 0.9);
        vec![Surface::painted("assembled", roughness, shape, texture)]
    }

    /// The same as a scene.
    pub fn make(self) -> Scene {
        kit::scene(&self.surfaces())
    }
}
