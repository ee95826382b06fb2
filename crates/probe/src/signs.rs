//! What differs between two versions, as numbers that the model weighs: each is asked of a side, as
//! if that were the damaged one.

use super::differences::{Both, Differences};
use super::evidence::More;
use super::look::Observed;
use super::texels::Texels;
use crate::measure::{MeshFacts, Placement};

/// The data about the two.
pub(super) struct Case<'a> {
    pub observed: [&'a Observed; 2],
    pub placement: Placement,
    pub differences: Differences,
    pub more: More,
    /// The side with stairs, in words.
    pub stairs: Option<(usize, String)>,
    /// How texels or vertices follow from each other; none where the colours are the same or the
    /// layouts differ.
    pub texels: Option<Texels>,
    /// Whether the pieces that only this side has were cut out of the common parts.
    pub is_copied: [bool; 2],
}

/// What was measured of two versions of one asset.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Of the left and of the right, in one order of names.
    pub signs: [Vec<Sign>; 2],
}

/// A measured number of one side. Signs of one family are not independent of each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sign {
    pub family: &'static str,
    pub name: &'static str,
    /// About −1 to 1 in most pairs, −3 to 3 at most.
    pub value: f64,
}

/// Everything that is measured of a side against the other.
pub(super) fn signs(case: &Case, side: usize) -> Vec<Sign> {
    let mut found = Vec::new();
    let mut family = |family: &'static str, signs: &[Named]| {
        found.extend(signs.iter().map(|&(name, value)| Sign {
            family,
            name,
            value: if value.is_finite() { value.clamp(-3.0, 3.0) } else { 0.0 },
        }));
    };
    let d = &case.differences;
    let other = 1 - side;
    let facts = case.observed.map(|o| &o.facts);
    let of = |both: Both| (both[side], both[other]);
    let lead = |both: Both| both[side] - both[other];
    let bend = |k: usize| ratio(d.shape.bend[k][side], d.shape.bend[k][other], 1e-3);
    let fact = |of: &dyn Fn(&MeshFacts) -> f64| facts.map(of);
    let log = |none: f64, of: &dyn Fn(&MeshFacts) -> f64| {
        let both = fact(of);
        ratio(both[side], both[other], none)
    };
    family(
        "bends",
        &[
            ("bends fine", bend(0)),
            ("bends middle", bend(1)),
            ("bends coarse", bend(2)),
            ("bent more fine", 2.0 * lead(d.shape.more[0])),
            ("bent more middle", 2.0 * lead(d.shape.more[1])),
            ("bent more coarse", 2.0 * lead(d.shape.more[2])),
            ("own bent fine", 2.0 * d.shape.more[0][side]),
            ("own bent middle", 2.0 * d.shape.more[1][side]),
            ("own bent coarse", 2.0 * d.shape.more[2][side]),
            ("bent where flat", 4.0 * lead(d.shape.other_flat)),
            ("bent inwards", 4.0 * lead(d.shape.inward)),
            ("inwards times", ratio(d.shape.inward[side], d.shape.inward[other], 0.01)),
        ],
    );
    let most =
        |k: usize, q: usize| 0.5 * ratio(d.shape.most[k][q][side], d.shape.most[k][q][other], 1e-3);
    let steep = |s: usize| 0.5 * ratio(d.shape.bend[0][s], d.shape.bend[2][s], 1e-3);
    family(
        "how bends are spread",
        &[
            ("half bent fine", most(0, 0)),
            ("half bent middle", most(1, 0)),
            ("half bent coarse", most(2, 0)),
            ("tenth bent fine", most(0, 1)),
            ("tenth bent middle", most(1, 1)),
            ("tenth bent coarse", most(2, 1)),
            ("fiftieth bent fine", most(0, 2)),
            ("fiftieth bent middle", most(1, 2)),
            ("fiftieth bent coarse", most(2, 2)),
            ("own steep", steep(side)),
            ("other steep", steep(other)),
        ],
    );
    family(
        "where it moved",
        &[
            ("own moved where other flat", d.shape.on_flat[side]),
            ("other moved where own flat", d.shape.on_flat[other]),
        ],
    );
    let (own_out, other_out) = of(d.outside);
    let peaked = |k: usize| of(d.heights.peaked[k]);
    family(
        "heights",
        &[
            ("outside", 0.5 * (own_out - other_out)),
            ("apart", (0.5 * (own_out - other_out)).abs()),
            ("own peaks fine", peaked(0).0),
            ("own peaks middle", peaked(1).0),
            ("own peaks coarse", peaked(2).0),
            ("other peaks fine", peaked(0).1),
            ("other peaks middle", peaked(1).1),
            ("other peaks coarse", peaked(2).1),
            ("heights drawn fine", d.heights.drawn[0]),
            ("heights drawn middle", d.heights.drawn[1]),
            ("heights drawn coarse", d.heights.drawn[2]),
        ],
    );
    family(
        "corners",
        &[("own corners off", d.corners_off[side]), ("other corners off", d.corners_off[other])],
    );
    family(
        "triangles",
        &[
            ("triangles", log(1.0, &|f| f.counts.triangles as f64)),
            (
                "same triangles",
                f64::from(u8::from(log(1.0, &|f| f.counts.triangles as f64).abs() < 0.02)),
            ),
            ("off other edges", ratio(d.moved[1][side], d.edge[other], 1e-3)),
            ("off own edges", ratio(d.moved[1][side], d.edge[side], 1e-3)),
        ],
    );
    let on_axis = fact(&|f| f.dihedral.on_axis_share);
    family(
        "faces",
        &[
            ("on axis", lead(on_axis)),
            ("all on axis", f64::from(u8::from(on_axis[side] > 0.98))),
            ("other on axis", f64::from(u8::from(on_axis[other] > 0.98))),
            ("round", log(0.02, &|f| f.dihedral.round_share)),
            ("creases", log(0.2, &|f| f.dihedral.crease_length)),
            ("total bend", log(0.2, &|f| f.dihedral.total)),
            ("inward edges", 2.0 * lead(fact(&|f| f.dihedral.inward_share))),
            ("roughness", log(1.0, &|f| f.noise.mean_degrees)),
            ("rough area", lead(fact(&|f| f.noise.fine_area_share))),
        ],
    );
    family(
        "places",
        &[
            ("own same", size(1.0 - d.same[side], 0.01)),
            ("other same", size(1.0 - d.same[other], 0.01)),
            ("changed", f64::from(u8::from(d.same[0].max(d.same[1]) < 0.8))),
            ("moved", size(d.moved[0][0].max(d.moved[0][1]), 1e-4)),
            ("moved far", size(d.moved[1][0].max(d.moved[1][1]), 1e-4)),
            ("moved lead", ratio(d.moved[1][side], d.moved[1][other], 1e-4)),
        ],
    );
    let values = case.observed.map(|o| o.values);
    let fewer = |axis: usize| 0.5 * ratio(values[side][axis], values[other][axis], 0.01);
    let steps = case.observed.map(|o| o.steps);
    family(
        "values of places",
        &[
            ("values least", fewer(0)),
            ("values middle", fewer(1)),
            ("values most", fewer(2)),
            ("own values", values[side][1]),
            ("other values", values[other][1]),
            ("own least values", values[side][0]),
            ("other least values", values[other][0]),
            ("own steps", steps[side][1]),
            ("other steps", steps[other][1]),
            ("own most steps", steps[side][2]),
            ("other most steps", steps[other][2]),
        ],
    );
    family(
        "surface that one has alone",
        &[("own alone", size(d.alone[side], 0.003)), ("other alone", size(d.alone[other], 0.003))],
    );
    family(
        "open edges",
        &[
            ("own torn", size(d.torn[side], 0.1)),
            ("other torn", size(d.torn[other], 0.1)),
            ("own loose", size(d.loose[side], 0.1)),
            ("other loose", size(d.loose[other], 0.1)),
            ("openings", log(1.0, &|f| f.holes.count as f64)),
        ],
    );
    let edges =
        |of: &dyn Fn(&MeshFacts) -> usize| fact(&|f| of(f) as f64 / f.edges.total.max(1) as f64);
    let non_manifold = edges(&|f| f.edges.non_manifold);
    let inconsistent = edges(&|f| f.edges.inconsistent);
    family(
        "edges",
        &[
            ("non-manifold", ratio(non_manifold[side], non_manifold[other], 1e-3)),
            ("disagreeing", ratio(inconsistent[side], inconsistent[other], 1e-3)),
            ("other disagreeing", size(inconsistent[other], 1e-3)),
        ],
    );
    family(
        "directions",
        &[
            ("opposed", size(d.opposed, 0.01)),
            ("all opposed", f64::from(u8::from(d.opposed > 0.8))),
        ],
    );
    family("room in front", &[("inside", -case.more.outward[side])]);
    family("the middle", &[("to the middle", -case.more.centrifugal[side])]);
    family(
        "normals",
        &[("turned", size(d.turned[side], 0.01)), ("other turned", size(d.turned[other], 0.01))],
    );
    let floaters = fact(&|f| f.parts.floaters as f64);
    let slab = fact(&|f| f.shape.ground_slab);
    family(
        "pieces",
        &[
            ("pieces", log(1.0, &|f| f.parts.components as f64)),
            ("floaters", ratio(floaters[side], floaters[other], 1.0)),
            ("floating area", 10.0 * lead(fact(&|f| f.parts.floater_area_share))),
            ("copied", f64::from(u8::from(case.is_copied[side]))),
        ],
    );
    let wider = [0, 2].iter().all(|&axis| {
        let (own, than) = (&facts[side].extent, &facts[other].extent);
        let margin = 1e-3 * than.diagonal as f32;
        own.min[axis] < than.min[axis] - margin && own.max[axis] > than.max[axis] + margin
    });
    family(
        "ground",
        &[
            ("slab", lead(slab)),
            ("is slab", f64::from(u8::from(slab[side] > 0.9 && slab[other] < 0.9))),
            ("wider", f64::from(u8::from(wider))),
        ],
    );
    let [x, y, z] = case.placement.scale.to_array();
    // The scale takes the second to the first.
    let depth = if side == 0 { z / x } else { x / z };
    let is_as_wide = (x / y - 1.0).abs() < 0.01;
    family(
        "proportions",
        &[("less deep", if is_as_wide { -2.0 * libm::log(f64::from(depth)) } else { 0.0 })],
    );
    family("width and height", &[("as wide", f64::from(u8::from(is_as_wide && depth < 0.75)))]);
    family("thickness", &[("thinner", -log(0.02, &|f| f.shape.thickness))]);
    if let Some(texels) = &case.texels {
        of_texels(texels, side, &mut family);
    }
    found
}

fn of_texels(t: &Texels, side: usize, family: &mut dyn FnMut(&'static str, &[Named])) {
    let other = 1 - side;
    let follows = |left: f64| -libm::log10(left.clamp(1e-3, 1.0));
    family(
        "filtered",
        &[
            ("own filtered", follows(t.unfiltered[side])),
            ("other filtered", follows(t.unfiltered[other])),
            // Noise is filtered by nothing, the detail that blur took away in part.
            ("own in part filtered", size(1.0 - t.unfiltered[side], 0.02)),
            ("other in part filtered", size(1.0 - t.unfiltered[other], 0.02)),
        ],
    );
    family(
        "texels traced",
        &[
            ("own texels traced", 2.0 * t.traced[side]),
            ("other texels traced", 2.0 * t.traced[other]),
        ],
    );
    family("texels added", &[("own added", t.added[side]), ("other added", t.added[other])]);
    family(
        "texel contrast",
        &[("neighbours apart", ratio(t.contrast[side], t.contrast[other], 0.0))],
    );
    family(
        "mapped",
        &[("own mapped", follows(t.unmapped[side])), ("other mapped", follows(t.unmapped[other]))],
    );
    family(
        "steps",
        &[
            ("own texel steps", 4.0 * t.jumps[side] * t.flat[side]),
            ("equal lead", 4.0 * (t.flat[side] - t.flat[other]).min(0.25)),
            ("own jumps", 2.0 * t.jumps[side]),
            ("other jumps", 2.0 * t.jumps[other]),
        ],
    );
    let [across, along] = t.blocks.map(|both| both.map(|times| libm::log(times).min(1.2)));
    family(
        "blocks across",
        &[("own blocks across", across[side]), ("other blocks across", across[other])],
    );
    family(
        "blocks along",
        &[("own blocks along", along[side]), ("other blocks along", along[other])],
    );
}

/// A sign's name and value.
type Named = (&'static str, f64);

/// Logarithm of a ratio; numbers far under `none` count as alike.
fn ratio(own: f64, other: f64, none: f64) -> f64 {
    libm::log((own + none) / (other + none))
}

/// Order of magnitude over `none`, 0 where there is nothing.
fn size(value: f64, none: f64) -> f64 {
    libm::log10(1.0 + value.max(0.0) / none)
}
