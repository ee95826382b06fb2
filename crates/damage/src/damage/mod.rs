//! [`Scene`] or splats + kind + level + seed → the asset, worse in one known way, and how much.
//!
//! A judge's reliability is measured on pairs whose right answer is known: an asset against itself
//! with damage. Each [`DamageKind`] says which criteria it must lower and which it must leave
//! alone, and gives the measured quantity that grows with the level. The same asset, level and seed
//! give the same scene on every machine; places are drawn once for a seed, so a higher level is the
//! same damage, further gone. Knows nothing of judges and pictures.

mod cut;
mod error;
mod font;
mod geometry;
mod harmless;
mod kinds;
mod paint;
mod refine;
mod rng;
mod scenes;
mod soup;
mod splats;
mod surface;
mod texture;
mod vertices;
mod voxels;
mod weld;

pub use error::DamageError;
pub use kinds::{DamageKind, Family, all_kinds, kind, kinds, scene_kinds, splat_kinds};

use crate::objects::scenes::Case;
use crate::scene::{Scene, SplatScene};
use kinds::Apply;
use rng::CounterRng;
use soup::Soup;
use splats::Cloud;

#[derive(Debug, Clone)]
pub struct Damaged<S = Scene> {
    pub scene: S,
    /// How much was done, in the unit that [`DamageKind::measure`] names; 0 at level 0.
    pub amount: f64,
}

/// Does the damage. `level` is 0 (nothing) to 1.
///
/// # Errors
/// [`DamageError`]: a level out of range, or an asset that this kind cannot be done to.
pub fn damage(
    scene: &Scene,
    kind: &DamageKind,
    level: f32,
    seed: u64,
) -> Result<Damaged, DamageError> {
    check(level)?;
    let Apply::Asset(apply) = kind.apply else {
        return Err(DamageError::Needs { needs: kind.apply.needs() });
    };
    if level == 0.0 {
        return Ok(Damaged { scene: scene.clone(), amount: 0.0 });
    }
    let mut soup = Soup::of(scene);
    let amount = apply(&mut soup, level, CounterRng::new(seed))?;
    Ok(Damaged { scene: soup.into_scene()?, amount })
}

/// Does the damage to splats. `level` is 0 (nothing) to 1.
///
/// # Errors
/// As [`damage`].
pub fn damage_splats(
    scene: &SplatScene,
    kind: &DamageKind,
    level: f32,
    seed: u64,
) -> Result<Damaged<SplatScene>, DamageError> {
    check(level)?;
    let Apply::Splats(apply) = kind.apply else {
        return Err(DamageError::Needs { needs: kind.apply.needs() });
    };
    if scene.surfaces().is_some() {
        return Err(DamageError::Needs { needs: "splats without surfaces among them" });
    }
    let mut cloud = Cloud::of(scene);
    let amount = match level {
        0.0 => 0.0,
        _ => apply(&mut cloud, level, CounterRng::new(seed))?,
    };
    Ok(Damaged { scene: cloud.into_scene(scene)?, amount })
}

/// Makes a scene's prompt untrue. `level` is 0 (still true) to 1.
///
/// # Errors
/// [`DamageError`]: a level out of range, or a kind that is not for scenes of this category.
pub fn damage_case(
    case: &Case,
    kind: &DamageKind,
    level: f32,
    seed: u64,
) -> Result<Damaged, DamageError> {
    check(level)?;
    let apply = match kind.apply {
        Apply::Layout(category, apply) if category == case.category => apply,
        _ => {
            return Err(DamageError::Category { category: case.category });
        }
    };
    let mut layout = case.layout();
    let amount = if level == 0.0 { 0.0 } else { apply(&mut layout, level, CounterRng::new(seed)) };
    Ok(Damaged { scene: layout.make(), amount })
}

fn check(level: f32) -> Result<(), DamageError> {
    if (0.0..=1.0).contains(&level) { Ok(()) } else { Err(DamageError::Level { found: level }) }
}
