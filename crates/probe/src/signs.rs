//! What differs between two versions, as numbers that the model weighs: each is asked of a side, as
//! if that were the damaged one.

use super::differences::{Both, Colors, Differences};
use super::evidence::More;
use super::look::Observed;
use super::patch::Patch;
use crate::measure::{MeshFacts, Placement};

/// The data about the two.
pub(super) struct Case<'a> {
    pub observed: [&'a Observed; 2],
    pub placement: Placement,
    pub differences: Differences,
    pub more: More,
    /// The side with stairs, in words.
    pub stairs: Option<(usize, String)>,
    /// The sides whose colours have faults that rules find, in words.
    pub painted: Vec<(usize, String)>,
    /// Whether the pieces that only this side has were cut out of the common parts.
    pub is_copied: [bool; 2],
}

/// What was measured of two versions of one asset.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Of the left and of the right, in one order of names.
    pub signs: [Vec<Sign>; 2],
    /// Root mean square difference of the colours of both, 0 to 1.
    pub color_difference: f64,
}

/// A measured number of one side. Signs of one family are not independent of each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sign {
    pub family: &'static str,
    pub name: &'static str,
    /// About −1 to 1 in most pairs, −3 to 3 at most.
    pub value: f64,
}

/// A sign's name and value.
type Named = (&'static str, f64);

/// Minimum share of a surface on the other one: the differences are then in few places.
const UNCHANGED: f64 = 0.93;

/// Logarithm of a ratio; numbers far under `none` count as alike.
fn ratio(own: f64, other: f64, none: f64) -> f64 {
    libm::log((own + none) / (other + none))
}

/// Order of magnitude over `none`, 0 where there is nothing.
fn size(value: f64, none: f64) -> f64 {
    libm::log10(1.0 + value.max(0.0) / none)
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
    let least = d.same[0].min(d.same[1]);
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
    // Colours are compared where they differ and nothing else does.
    let paint =
        d.paint.filter(|c| c.textured > 0.5 && least > UNCHANGED && c.difference > Colors::VISIBLE);
    if let Some(colors) = paint {
        colored(&colors, case, side, &mut family);
    }
    found
}

fn colored(c: &Colors, case: &Case, side: usize, family: &mut dyn FnMut(&'static str, &[Named])) {
    let other = 1 - side;
    let lead = |both: Both| both[side] - both[other];
    let energy = |k: usize| ratio(c.energy[k][side], c.energy[k][other], 1e-5);
    let square = (c.difference * c.difference).max(1e-9);
    let gain = |k: usize| c.energy[k][side] - c.energy[k][other];
    family(
        "colours on the surface",
        &[
            ("colours fine", energy(0)),
            ("colours middle", energy(1)),
            ("colours coarse", energy(2)),
            ("busier fine", 2.0 * lead(c.more[0])),
            ("busier middle", 2.0 * lead(c.more[1])),
            ("busier coarse", 2.0 * lead(c.more[2])),
            ("own busier fine", 2.0 * c.more[0][side]),
            ("own busier middle", 2.0 * c.more[1][side]),
            ("other busier fine", 2.0 * c.more[0][other]),
            ("busy where plain", 2.0 * lead(c.other_plain)),
            ("added fine", (gain(0) / square).clamp(-1.5, 1.5)),
            ("added middle", (gain(1) / square).clamp(-1.5, 1.5)),
            ("added coarse", (gain(2) / square).clamp(-1.5, 1.5)),
        ],
    );
    family(
        "what differs in colour",
        &[
            ("own changed where other plain", c.on_plain[side]),
            ("other changed where own plain", c.on_plain[other]),
            ("drawn fine", c.drawn[0]),
            ("drawn middle", c.drawn[1]),
            ("drawn coarse", c.drawn[2]),
            ("coarse share", c.coarse / square),
            ("difference", 0.5 * size(c.difference, 0.012)),
        ],
    );
    let [own, than] = [side, other].map(|s| &case.more.patches[s]);
    let texels = |k: usize| ratio(own.energy(k), than.energy(k), 1e-6);
    let more = |a: &Patch, b: &Patch| {
        let near = a.energy(0) - b.energy(0);
        if near > 1e-6 { ((a.energy(2) - b.energy(2)) / near).clamp(-1.0, 4.0) } else { 4.0 }
    };
    family(
        "texels",
        &[
            ("texels 1", texels(0)),
            ("texels 2", texels(1)),
            ("texels 4", texels(2)),
            ("softer near", texels(2) - texels(0)),
            ("own energy", 0.5 * libm::log10(1e3 * own.energy(0) + 1e-3)),
            ("other energy", 0.5 * libm::log10(1e3 * than.energy(0) + 1e-3)),
            ("own slope", ratio(own.energy(2), own.energy(0), 1e-6)),
            ("other slope", ratio(than.energy(2), than.energy(0), 1e-6)),
            ("own white", 1.0 - 0.5 * more(own, than)),
            ("other white", 1.0 - 0.5 * more(than, own)),
        ],
    );
    family(
        "single texels",
        &[
            ("lone", ratio(own.lone(), than.lone(), 0.002)),
            ("equal", 2.0 * (own.equal() - than.equal())),
            ("equal times", ratio(own.equal(), than.equal(), 0.02)),
            ("own equal", own.equal()),
            ("other equal", than.equal()),
        ],
    );
    family(
        "blocks of texels",
        &[
            ("own blocks", libm::log(own.blockiness().max(0.1))),
            ("other blocks", libm::log(than.blockiness().max(0.1))),
        ],
    );
    family(
        "values",
        &[
            ("levels", ratio(own.levels(), than.levels(), 4.0)),
            ("few levels", f64::from(u8::from(own.levels() < than.levels() / 7.0))),
        ],
    );
    family("number of texels", &[("size", 0.5 * (own.log_size() - than.log_size()))]);
    let whole = case.observed.map(|o| o.texels.energy);
    family("whole textures", &[("whole textures", ratio(whole[side], whole[other], 1e-6))]);
    let repeated = case.observed.map(|o| o.texels.repeated_share);
    family(
        "lines of texels",
        &[("repeated", 2.0 * lead(repeated)), ("own repeated", repeated[side])],
    );
}
