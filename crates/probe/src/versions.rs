//! Two versions of one asset: what differs between them is what was done to one of them.

use super::anew::{self, is_anew};
use super::coat::bare;
use super::copies::is_copied;
use super::differ::{colors_differ, shapes_differ};
use super::differences::Differences;
use super::evidence::More;
use super::finish::{finish, finish_differs};
use super::look::Observed;
use super::model::{Fault, faults};
use super::overlay::{Overlay, Side};
use super::signs::{Case, Measured, signs};
use super::stairs;
use super::texels::Texels;
use super::words::says;
use crate::scene::Scene;

/// The criterion of colours.
const TEXTURE: &str = "texture_details";

/// Two versions of one asset.
#[derive(Debug, Clone)]
pub struct Versions {
    /// Of the left one (0) and of the right one (1).
    pub faults: Vec<Fault>,
    /// The bare one if the other is textured, in words; there are then no other faults of colours.
    pub bare: Option<(usize, String)>,
    /// How the shapes differ; none where all of both was seen and is equal.
    pub shape: Option<String>,
    /// The same for colours and what else a material has.
    pub paint: Option<String>,
}

/// An object and what was measured of it.
pub type Seen<'a> = (&'a Observed, &'a Scene);

/// `None` for two assets that are not versions of one.
pub fn compare(left: Seen<'_>, right: Seen<'_>) -> Option<Versions> {
    in_order([left, right], |case, scenes, is_swapped| {
        let signs = [0, 1].map(|side| signs(case, side));
        let mut faults = faults(&signs, &|sentences, side| says(sentences, case, side));
        let is_of_texture = |fault: &Fault| fault.lowers.contains(&TEXTURE);
        if is_anew(case) {
            faults.retain(is_of_texture);
            faults.extend(anew::faults(case));
        }
        if let Some((side, words)) = &case.stairs {
            // Other differences in shape are those of the stairs.
            faults.retain(is_of_texture);
            let lowers = vec!["plausibility", "geometry_details"];
            faults.push(Fault { side: *side, lowers, says: vec![words.clone()] });
        }
        // Whether a texture shows anything is compared, as all colours are, where the two coincide.
        let is_compared = case.differences.agreement.is_some();
        let mut bare = bare(case.observed.map(|seen| seen.coat)).filter(|(side, _)| {
            let texture = &case.observed[*side].facts.texture;
            is_compared || texture.textured_area_share == 0.0 && !texture.has_vertex_colors
        });
        if bare.is_some() {
            // Any print is unrelated to one colour, so nothing else that is measured of it counts.
            faults.retain(|fault| !is_of_texture(fault));
        }
        if is_swapped {
            bare.iter_mut().for_each(|(side, _)| *side = 1 - *side);
            faults.iter_mut().for_each(|fault| fault.side = 1 - fault.side);
        }
        let shape = shapes_differ(case);
        let is_closed = case.observed.iter().all(|seen| seen.facts.is_watertight);
        let paint = colors_differ(case).or_else(|| {
            // Textures are hashed only where no colour differs.
            let [a, b] = scenes.map(|scene| finish(scene, is_closed));
            (a != b).then(|| finish_differs(&a, &b))
        });
        Versions { faults, bare, shape, paint }
    })
}

/// Measurements of two versions, left and right; `None` for assets that are not versions of one.
pub fn measure(left: Seen<'_>, right: Seen<'_>) -> Option<Measured> {
    in_order([left, right], |case, _, is_swapped| {
        let mut signs = [0, 1].map(|side| signs(case, side));
        if is_swapped {
            signs.reverse();
        }
        Measured { signs }
    })
}

/// The two are compared in an order that depends on their content and not on their sides, so that
/// swapping mirrors the answer.
fn in_order<T>(
    both: [Seen<'_>; 2],
    then: impl FnOnce(&Case<'_>, [&Scene; 2], bool) -> T,
) -> Option<T> {
    let key = |(seen, _): &Seen<'_>| (seen.body.digest, seen.textures.clone());
    let is_swapped = key(&both[0]) > key(&both[1]);
    let [first, second] = if is_swapped { [both[1], both[0]] } else { both };
    let ((a, a_scene), (b, b_scene)) = (first, second);
    let overlay = Overlay::of(
        Side { body: &a.body, scene: a_scene },
        Side { body: &b.body, scene: b_scene },
    )?;
    let differences = Differences::of(&overlay);
    let is_same = differences.agreement.is_some_and(|agreement| agreement.is_same());
    let case = Case {
        observed: [a, b],
        placement: overlay.placement,
        is_copied: [0, 1].map(|side| differences.loose[side] > 0.0 && is_copied(&overlay, side)),
        more: More::of(&overlay),
        stairs: stairs::has_stairs(&overlay),
        texels: if is_same { None } else { Texels::of(&overlay) },
        differences,
    };
    Some(then(&case, [a_scene, b_scene], is_swapped))
}
