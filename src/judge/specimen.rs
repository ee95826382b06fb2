//! An asset under the eyes of a judge that measures.

use super::probe::look::{Observed, observe};
use crate::scene::Scene;
use std::sync::{Arc, OnceLock};

/// An asset that a measuring judge looks at. What it finds is kept, because an asset stands in many questions.
#[derive(Debug)]
pub struct Specimen {
    scene: Arc<Scene>,
    observed: OnceLock<Observed>,
}

impl Specimen {
    /// Not looked at yet.
    pub fn new(scene: impl Into<Arc<Scene>>) -> Self {
        Self {
            scene: scene.into(),
            observed: OnceLock::new(),
        }
    }

    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What the probe sees in it, measured at the first call. Not to be called from inside a rayon task: a worker that waits could
    /// begin another question about the same asset, and wait for itself.
    pub fn observed(&self) -> &Observed {
        self.observed.get_or_init(|| observe(&self.scene))
    }
}
