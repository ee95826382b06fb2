//! An asset under the eyes of a judge that measures.

use super::probe::look::{Observed, observe};
use crate::measure::LARGE_TRIANGLES;
use crate::scene::Scene;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// An asset for a measuring judge. Its findings are kept, because an asset occurs in many questions.
#[derive(Debug)]
pub struct Specimen {
    scene: Arc<Scene>,
    observed: OnceLock<Observed>,
}

impl Specimen {
    /// Not looked at yet.
    pub fn new(scene: impl Into<Arc<Scene>>) -> Self {
        Self { scene: scene.into(), observed: OnceLock::new() }
    }

    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What the probe sees in it, measured at the first call. Not to be called from inside a rayon task: a worker that waits could
    /// begin another question about the same asset, and wait for itself.
    pub fn observed(&self) -> &Observed {
        static ONE_LARGE: Mutex<()> = Mutex::new(());
        self.observed.get_or_init(|| {
            // The two orders of a pair are asked at once and begin with different assets.
            let is_large = self.scene.triangle_count() > LARGE_TRIANGLES;
            let _turn = is_large.then(|| ONE_LARGE.lock().unwrap_or_else(PoisonError::into_inner));
            observe(&self.scene)
        })
    }
}
