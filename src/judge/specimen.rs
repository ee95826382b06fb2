//! An asset under the eyes of a judge that measures.

use crate::measure::LARGE_TRIANGLES;
use crate::render::Image;
use crate::scene::{Asset, Scene};
use meshjudge_probe::{Fit, Observed, best_fit, observe};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A photo and its mask.
type Photo = Arc<(Image, Image)>;

/// How an object fits; why that could not be drawn, in words.
type Fitted = Result<Option<Fit>, String>;

/// An asset for a measuring judge. Findings are kept: an asset occurs in many questions.
#[derive(Debug)]
pub struct Specimen {
    asset: Asset,
    observed: OnceLock<Observed>,
    /// The last photo that it was compared with.
    fitted: Mutex<Option<(Photo, Fitted)>>,
}

impl Specimen {
    /// Not looked at yet.
    pub fn new(asset: impl Into<Asset>) -> Self {
        Self { asset: asset.into(), observed: OnceLock::new(), fitted: Mutex::default() }
    }

    pub fn asset(&self) -> &Asset {
        &self.asset
    }

    /// What the probe sees in its surfaces, measured at the first call; `None` of splats, which
    /// have none. Not to be called from inside a rayon task: a worker that waits could begin
    /// another question about the same asset, and wait for itself.
    pub fn observed(&self) -> Option<(&Observed, &Scene)> {
        static ONE_LARGE: Mutex<()> = Mutex::new(());
        let scene = self.asset.mesh()?;
        let observed = self.observed.get_or_init(|| {
            // The two orders of a pair are asked at once and begin with different assets.
            let is_large = scene.triangle_count() > LARGE_TRIANGLES;
            let _turn = is_large.then(|| ONE_LARGE.lock().unwrap_or_else(PoisonError::into_inner));
            observe(scene)
        });
        Some((observed, scene))
    }

    /// How its surfaces fit a photo, measured at the first call of each photo; `None` of splats,
    /// and where nothing is ever visible or masked.
    ///
    /// # Errors
    /// What the renderer says, in words.
    pub(super) fn fit(&self, photo: &Photo) -> Fitted {
        let Some(scene) = self.asset.mesh() else {
            return Ok(None);
        };
        // The two orders of a pair are asked at once: the second one waits for the first.
        let mut fitted = self.fitted.lock().unwrap_or_else(PoisonError::into_inner);
        match &*fitted {
            Some((known, fit)) if Arc::ptr_eq(known, photo) => fit.clone(),
            _ => fitted.insert((Arc::clone(photo), best_fit(scene, photo))).1.clone(),
        }
    }
}
