//! What was done to one of two versions, as a sentence with the number that was measured.
//!
//! Sentences are templates of the table of weights. Each names a number and the bound that the
//! number must bear out, so each is true of the pair or is not said: a kind of damage that the
//! model finds likely, but whose number does not bear it out, is no answer. Sentences follow "the
//! left one"; "the other" is the other version. Lengths are shares of the object's diagonal, its
//! size.

use super::overlay::STEPS;
use super::percent::percent;
use super::signs::Case;
use crate::measure::MeshFacts;
use serde::Deserialize;

/// A template with `{own}`, `{other}` and `{at}`, for the number of that name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sentence {
    number: Measure,
    /// The side's number is more than so many times the other's, or the other's than the side's.
    more: Option<f64>,
    less: Option<f64>,
    /// The side's number is at least, and at most, so much.
    least: Option<f64>,
    most: Option<f64>,
    text: String,
}

/// What a sentence states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Measure {
    Rougher,
    Smoother,
    Coordinates,
    Triangles,
    OpenEdges,
    LostSurface,
    Inwards,
    TurnedNormals,
    CopiedSurface,
    Slab,
    AddedSurface,
    FloatingPieces,
    Depth,
    Grain,
    Filtered,
    Steps,
    EqualNeighbours,
    Blocks,
}

/// A measured number of both sides.
struct Number {
    own: f64,
    other: f64,
    unit: Unit,
    /// The place or the size that belongs to it.
    at: String,
}

#[derive(Clone, Copy)]
enum Unit {
    Share,
    Degrees,
    Count,
    Times,
    Pieces,
}

impl Unit {
    fn write(self, value: f64) -> String {
        match self {
            Self::Share => percent(value),
            Self::Degrees => format!("{value:.1}°"),
            Self::Count => format!("{value:.0}"),
            Self::Times => format!("{value:.1}"),
            Self::Pieces if value == 0.0 => "none".to_owned(),
            Self::Pieces if value == 1.0 => "1 floating piece".to_owned(),
            Self::Pieces => format!("{value:.0} floating pieces"),
        }
    }
}

/// The first of the sentences that is true of a side, without its subject.
pub(super) fn says(sentences: &[Sentence], case: &Case, side: usize) -> Option<String> {
    sentences.iter().find_map(|sentence| {
        let Number { own, other, unit, at } = number(sentence.number, case, side)?;
        let is_so = own.max(other) > 0.0
            && sentence.more.is_none_or(|times| own > times * other)
            && sentence.less.is_none_or(|times| other > times * own)
            && sentence.least.is_none_or(|least| own >= least)
            && sentence.most.is_none_or(|most| own <= most);
        is_so.then(|| {
            let text = sentence.text.replace("{own}", &unit.write(own));
            text.replace("{other}", &unit.write(other)).replace("{at}", &at)
        })
    })
}

/// None where it was not measured, or says nothing of this pair.
fn number(measure: Measure, case: &Case, side: usize) -> Option<Number> {
    let d = &case.differences;
    let other = 1 - side;
    let facts = [side, other].map(|s| &case.observed[s].facts);
    let of = |unit: Unit, both: [f64; 2]| {
        Some(Number { own: both[side], other: both[other], unit, at: String::new() })
    };
    let one = |unit: Unit, own: f64| Some(Number { own, other: 0.0, unit, at: String::new() });
    // Of two with the same triangles, neither has any that the other lacks.
    let [a, b] = case.observed.map(|seen| &seen.body.tree);
    let alone = || (!a.has_triangles_of(b)).then(|| one(Unit::Share, d.alone[side]))?;
    match measure {
        // Noise moves nothing far: of two with the same triangles, the other was then smoothed.
        Measure::Rougher if a.has_triangles_of(b) && d.alone[0].max(d.alone[1]) > FAR_MAX => None,
        Measure::Rougher => turns(case, side, true),
        // The curvature of a finer version is no wear.
        Measure::Smoother
            if facts[0].counts.triangles as f64 >= FINER * facts[1].counts.triangles as f64 =>
        {
            None
        }
        Measure::Smoother => turns(case, side, false),
        Measure::Coordinates => coordinates(case, side),
        Measure::Triangles => triangles(case, side),
        Measure::OpenEdges => of(Unit::Times, d.torn),
        Measure::LostSurface if a.has_triangles_of(b) => None,
        Measure::LostSurface => of(Unit::Share, [d.alone[1], d.alone[0]]),
        Measure::Inwards => (case.more.outward[side].min(case.more.centrifugal[side]) < 0.0)
            .then(|| one(Unit::Share, d.opposed))?,
        Measure::TurnedNormals => of(Unit::Share, d.turned),
        Measure::CopiedSurface => case.is_copied[side].then(alone)?,
        Measure::Slab => (facts[0].shape.ground_slab > facts[1].shape.ground_slab).then(alone)?,
        Measure::AddedSurface => alone(),
        Measure::FloatingPieces => {
            let [own, than] = facts.map(|f| f.parts.floaters as f64);
            let at = percent(facts[0].parts.floater_area_share);
            Some(Number { own, other: than, unit: Unit::Pieces, at })
        }
        Measure::Depth => depth(case, side).and_then(|depth| one(Unit::Share, depth)),
        Measure::Grain => of(Unit::Share, case.texels?.contrast),
        // Of a noisy version nothing follows from the clean one.
        Measure::Filtered if !case.texels?.can_be_filtered(side) => None,
        Measure::Filtered => of(Unit::Share, case.texels?.unfiltered.map(|left| 1.0 - left)),
        // Few values follow from many, and not the other way round.
        Measure::Steps if case.texels?.unmapped[side] >= case.texels?.unmapped[other] => None,
        Measure::Steps => of(Unit::Share, case.texels?.jumps),
        Measure::EqualNeighbours => of(Unit::Share, case.texels?.flat),
        Measure::Blocks => {
            let [across, along] = case.texels?.blocks;
            of(Unit::Times, [0, 1].map(|side| across[side].min(along[side])))
        }
    }
}

/// Share of a surface that noise leaves far from the other.
const FAR_MAX: f64 = 0.01;

/// An object of so many times the other's triangles is a finer version of it.
const FINER: f64 = 1.5;

/// The angle between normals a step apart, at the step where the two differ most.
fn turns(case: &Case, side: usize, is_rougher: bool) -> Option<Number> {
    let bend = &case.differences.shape.bend;
    let lead = |k: &usize| {
        let [own, than] = [bend[*k][side], bend[*k][1 - side]].map(|b| b + 1e-4);
        if is_rougher { own / than } else { than / own }
    };
    let step = (0..3).max_by(|a, b| lead(a).total_cmp(&lead(b)))?;
    let degrees = |s: usize| libm::acos(1.0 - bend[step][s].min(2.0)).to_degrees();
    let at = format!("{} %", 100.0 * STEPS[step]);
    Some(Number { own: degrees(side), other: degrees(1 - side), unit: Unit::Degrees, at })
}

/// Distinct coordinates along the axis where the two differ most.
fn coordinates(case: &Case, side: usize) -> Option<Number> {
    let values = [side, 1 - side].map(|s| case.observed[s].values);
    let lead = |axis: &usize| values[1][*axis] / (values[0][*axis] + 0.01);
    let axis = (0..3).max_by(|a, b| lead(a).total_cmp(&lead(b)))?;
    let [own, other] = values.map(|v| v[axis]);
    let facts = [side, 1 - side].map(|s| &case.observed[s].facts);
    keeps_triangles(facts).then(|| Number { own, other, unit: Unit::Share, at: String::new() })
}

fn triangles(case: &Case, side: usize) -> Option<Number> {
    /// Percent of the size: half a pixel of a picture of 1000 pixels.
    const SHAPE_KEPT: f64 = 0.05;
    /// Share of a surface.
    const ALONE_MAX: f64 = 0.02;
    let far = case.differences.moved[1];
    let far = 100.0 * far[0].max(far[1]);
    let [own, other] = [side, 1 - side].map(|s| case.observed[s].facts.counts.triangles as f64);
    // More triangles for more surface are no finer shape.
    let is_all_there = case.differences.alone[1 - side] < ALONE_MAX;
    (is_all_there && far > SHAPE_KEPT && !case.differences.is_same_shape()).then(|| Number {
        own,
        other,
        unit: Unit::Count,
        at: format!("{far:.2} %"),
    })
}

/// As a share of the other's, at the same width and height.
fn depth(case: &Case, side: usize) -> Option<f64> {
    let [x, y, z] = case.placement.scale.to_array();
    // The scale takes the second to the first.
    let depth = if side == 0 { z / x } else { x / z };
    ((x / y - 1.0).abs() < 0.01).then_some(f64::from(depth))
}

/// Whether one can be the other with moved corners, as is or with each triangle cut into 4, 16, …
pub(super) fn keeps_triangles(facts: [&MeshFacts; 2]) -> bool {
    let [a, b] = facts.map(|f| f.counts.triangles as f64);
    let ratio = a.max(b) / a.min(b).max(1.0);
    (0..6).any(|times| (ratio / f64::from(1 << (2 * times)) - 1.0).abs() < 0.02)
}
