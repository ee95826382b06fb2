//! What differs in colour, as numbers that the model weighs.

use super::texels::Texels;
use super::tints::{Cover, Tints};

/// A sign's name and value.
pub(super) type Named = (&'static str, f64);

/// Logarithm of a ratio; numbers far under `none` count as alike.
pub(super) fn ratio(own: f64, other: f64, none: f64) -> f64 {
    libm::log((own + none) / (other + none))
}

/// Order of magnitude over `none`, 0 where there is nothing.
pub(super) fn size(value: f64, none: f64) -> f64 {
    libm::log10(1.0 + value.max(0.0) / none)
}

/// ΔE*ab from grey from which on a colour may be meant.
const GREY: f64 = 8.0;

/// How far a cover is one grey that hides many colours and spares others, 0 to 1.
fn covers(t: &Tints, cover: &Cover) -> f64 {
    let grey = if cover.chroma < GREY { 1.0 } else { 0.3 };
    let is_in_part = t.changed > 0.02 && (t.unchanged > 0.3 || cover.all > 0.98);
    let hides = cover.near * cover.leads * cover.hidden.min(1.0) * grey;
    if is_in_part { hides } else { 0.0 }
}

pub(super) fn tinted(t: &Tints, side: usize, family: &mut dyn FnMut(&'static str, &[Named])) {
    let other = 1 - side;
    let log = |k: usize| ratio(t.contrast[k][side], t.contrast[k][other], 0.0);
    let richer = [side, other].map(|s| t.richer(s).max(0.0));
    family(
        "contrasts",
        &[
            ("contrast fine", log(0)),
            ("contrast middle", log(1)),
            ("contrast coarse", log(2)),
            ("spread", 2.0 * ratio(t.spread[side], t.spread[other], 0.0)),
            ("own richer", 2.0 * richer[0]),
            ("other richer", 2.0 * richer[1]),
        ],
    );
    let square = t.size * t.size;
    let gain = |k: usize, s: usize| {
        let [own, than] = [s, 1 - s].map(|s| t.contrast[k][s]);
        (own * own - than * than) / square
    };
    // Noise is as strong at every step; what blur took away is weaker at small ones.
    let white = |s: usize| {
        let [fine, coarse] = [gain(0, s), gain(2, s)];
        if fine > 0.02 { (fine / coarse.max(fine / 4.0)).min(1.5) } else { 0.0 }
    };
    family(
        "added contrast",
        &[
            ("added fine", gain(0, side).clamp(-1.5, 1.5)),
            ("added middle", gain(1, side).clamp(-1.5, 1.5)),
            ("added coarse", gain(2, side).clamp(-1.5, 1.5)),
            ("own white", white(side)),
            ("other white", white(other)),
        ],
    );
    family(
        "peaks",
        &[
            ("own makes fine", 2.0 * t.makes[0][side]),
            ("own makes middle", 2.0 * t.makes[1][side]),
            ("own makes coarse", 2.0 * t.makes[2][side]),
            ("other makes fine", 2.0 * t.makes[0][other]),
            ("other makes middle", 2.0 * t.makes[1][other]),
            ("other makes coarse", 2.0 * t.makes[2][other]),
            ("own makes most", 2.0 * t.makes_most(side)),
            ("other makes most", 2.0 * t.makes_most(other)),
        ],
    );
    family(
        "traces",
        &[
            ("own follows fine", 2.0 * t.follows[0][side]),
            ("own follows coarse", 2.0 * t.follows[2][side]),
            ("other follows fine", 2.0 * t.follows[0][other]),
            ("other follows coarse", 2.0 * t.follows[2][other]),
            ("own trace", 2.0 * t.trace(side)),
            ("other trace", 2.0 * t.trace(other)),
        ],
    );
    let over = |s: usize| {
        (2.0 * t.explained[s]).min(1.0) * (1.0 - 4.0 * t.explained[1 - s]).clamp(0.0, 1.0)
    };
    let soft = (t.unlike_far.min(1.0) - 1.5 * t.unlike_near).max(0.0);
    // A soft pattern that one side's colours explain and the other's do not.
    let layered = |s: usize| over(s) * (2.0 * soft).min(1.0);
    family(
        "lost and added",
        &[
            ("softened", 2.0 * t.softened(side)),
            ("other softened", 2.0 * t.softened(other)),
            ("grained", 2.0 * t.grained(side)),
            ("other grained", 2.0 * t.grained(other)),
            ("layered", 2.0 * layered(side)),
            ("other layered", 2.0 * layered(other)),
        ],
    );
    family(
        "colours beneath",
        &[
            ("own explains", 2.0 * t.explained[side]),
            ("other explains", 2.0 * t.explained[other]),
            ("own laid over", over(side)),
            ("other laid over", over(other)),
        ],
    );
    family(
        "where it is plain",
        &[
            ("own plain", t.plain[side]),
            ("other plain", t.plain[other]),
            ("changed where own plain", t.on_plain[side].min(2.0)),
            ("changed where other plain", t.on_plain[other].min(2.0)),
        ],
    );
    family(
        "softness",
        &[
            ("unlike near", t.unlike_near.min(1.5)),
            ("unlike far", t.unlike_far.min(1.5)),
            ("soft", soft),
        ],
    );
    family("levels", &[("level", t.level), ("levels apart", t.level.min(t.level_spread))]);
    let cover = &t.cover[side];
    family(
        "cover",
        &[
            ("covers", 2.0 * covers(t, cover)),
            ("other covers", 2.0 * covers(t, &t.cover[other])),
            ("cover near", cover.near),
            ("cover leads", cover.leads),
            ("cover hides", cover.hidden.min(1.5)),
        ],
    );
    family(
        "extent",
        &[
            ("recoloured", t.changed),
            ("visible", t.visible),
            ("unchanged", t.unchanged),
            ("even", t.even),
            ("size", size(t.size, 3.0)),
        ],
    );
    family(
        "frequent colours",
        &[
            ("own frequent", t.frequent[side]),
            ("other frequent", t.frequent[other]),
            ("own flat", t.flat[side]),
            ("flat lead", t.flat[side] - t.flat[other]),
        ],
    );
    family(
        "seams",
        &[
            ("own seams", 2.0 * t.seams[side]),
            ("seams lead", 2.0 * (t.seams[side] - t.seams[other])),
        ],
    );
}

pub(super) fn of_texels(t: &Texels, side: usize, family: &mut dyn FnMut(&'static str, &[Named])) {
    let other = 1 - side;
    let follows = |left: f64| -libm::log10(left.clamp(1e-3, 1.0));
    family(
        "filtered",
        &[
            ("own filtered", follows(t.unfiltered[side])),
            ("other filtered", follows(t.unfiltered[other])),
            // Noise is filtered by nothing, the detail that blur took away in part.
            ("other in part filtered", size(1.0 - t.unfiltered[other], 0.02)),
        ],
    );
    family("texels traced", &[("other texels traced", 2.0 * t.traced[other])]);
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
