//! Two versions of one asset: what differs between them is what was done to one of them, so small differences say something.
//!
//! Versions have the same textures, byte for byte, or show the same surface in almost every tile. Each rule says of two versions that
//! the second is the worse one; it is asked both ways, so swapping left and right mirrors the answer. The first rule that fits decides.
//!
//! Every threshold was chosen on the fit half of our clean objects ([`crate::objects::Split::Fit`]) with damage at levels 0.5 and 1, seed 0,
//! and on the first 14 objects that seed 1 puts together ([`crate::objects::assembled`]), seed 1; beside it stands what was measured there.
//! Where nothing stands in the way, it lies half way between nothing and the least damage.

use super::look::Observed;
use super::tiles::{Common, common};

/// From this share of common tiles on, two objects have one surface. Damaged textures: 1.00, words in relief 0.94 and more; damage to
/// the shape that shows: at most 0.93.
const ONE_SURFACE: f64 = 0.93;

/// Below this share of tiles that look the same, a difference in shape can be seen. A second skin inside: 0.97 and more.
const VISIBLE: f64 = 0.95;

/// Two versions of one asset, left and right.
pub(super) struct Versions<'a> {
    left: &'a Observed,
    right: &'a Observed,
    common: Common,
    has_one_surface: bool,
}

/// Says whether the second of two versions is the worse one.
struct Rule {
    says: &'static str,
    is_worse: fn(&Observed, &Observed, &Common) -> bool,
}

const PLAUSIBILITY: [Rule; 1] = [OPEN];

/// For two that are equally plausible otherwise: a slab and lumps in the air change the proportions too.
const PROPORTIONS: [Rule; 1] = [FLAT];

/// Turned patches come before roughness, and coarse facets last: what is rough or melted has other numbers of triangles too.
const GEOMETRY: [Rule; 6] = [CUBES, GAPS, TURNED, ROUGH, MELTED, COARSE];

const TEXTURE: [Rule; 3] = [ENLARGED, GRAINY, BLURRED];

/// Clean: no open edge; holes 1.9 and more, cut off 0.68, a piece twice 0.52.
const OPEN: Rule = Rule {
    says: "has open edges",
    is_worse: |a, b, _| b.facts.holes.solid_perimeter - a.facts.holes.solid_perimeter > 0.3,
};

/// As wide and as high as the other, within 1 %, and less deep by a quarter: pressed flat from front to back.
const FLAT: Rule = Rule {
    says: "is flatter from front to back",
    is_worse: |a, b, _| {
        let [across, up, deep] = ratios(a, b);
        (up / across - 1.0).abs() < 0.01 && deep / across < 0.75
    },
};

/// Every face along an axis, every bend a corner, and many of them inwards. Cubes: 1.00, 0.00 and at least 0.12; the most box-like clean
/// object: 0.77, 0.1 and 0.37.
const CUBES: Rule = Rule {
    says: "is built from cubes",
    is_worse: |a, b, _| {
        let (a, b) = (&a.facts.dihedral, &b.facts.dihedral);
        b.on_axis_share > 0.98
            && a.on_axis_share < 0.9
            && b.inward_share > 0.1
            && b.round_share < 0.02
    },
};

/// Holes: 0.004 of what is seen are backs, and more.
const GAPS: Rule = Rule {
    says: "shows its inside through gaps",
    is_worse: |a, b, common| {
        (OPEN.is_worse)(a, b, common) && b.back_face_share - a.back_face_share > 0.002
    },
};

/// Turned patches: 0.053 and more. A second skin inside has up to 0.08, but looks the same.
const TURNED: Rule = Rule {
    says: "has normals that point inwards",
    is_worse: |a, b, common| {
        let opposed = |of: &Observed| of.facts.noise.opposed_normals_share;
        common.alike < VISIBLE && opposed(b) - opposed(a) > 0.025
    },
};

/// Fine noise: 1.27, 0.12, 0.62 and 1.5, and more; coarse noise: 0.40, 0.09, 0.13 and 0.08.
const ROUGH: Rule = Rule {
    says: "is rough: bends more, in and out, and its normals scatter",
    is_worse: |a, b, common| {
        common.alike < VISIBLE
            && growth(a, b, |o| o.facts.dihedral.total) > 0.35
            && b.facts.dihedral.inward_share - a.facts.dihedral.inward_share > 0.08
            && growth(a, b, |o| o.facts.dihedral.crease_length) > 0.1
            && growth(a, b, |o| o.normal_noise) > 0.05
    },
};

/// Melted at level 0.5: −0.67 and less; at 1 all but three −0.61 and less. It has no fewer triangles and as many pieces: what gained creases
/// was divided, or stands on a slab. Its ridges sink, so that it bends inwards more (0.08 and more), and its proportions stay (0.17 and less);
/// what was drawn out or pressed flat has other creases too, and 0.53 and more.
const MELTED: Rule = Rule {
    says: "has lost its creases",
    is_worse: |a, b, common| {
        common.alike < VISIBLE
            && growth(a, b, |o| o.facts.dihedral.crease_length) < -0.35
            && growth(a, b, |o| o.facts.counts.triangles as f64) > -0.1
            && a.facts.parts.components == b.facts.parts.components
            && inward(a, b) > 0.04
            && is_in_proportion(a, b)
    },
};

/// Few facets: −0.77 and less. They bend inwards where the surface bent outwards (0.11 and more) or have lost what was round (−0.09 and less):
/// what has fewer triangles because the other was divided bends as much as before, and less inwards than one that is lumpy (−0.22) or
/// melted (−0.08).
const COARSE: Rule = Rule {
    says: "has far fewer facets",
    is_worse: |a, b, common| {
        common.alike < VISIBLE
            && growth(a, b, |o| o.facts.counts.triangles as f64) < -0.45
            && inward(a, b) > -0.07
            && (inward(a, b) > 0.05
                || b.facts.dihedral.round_share - a.facts.dihedral.round_share < -0.08)
    },
};

/// Blocks at level 0.5: four of five lines and more. Clean textures with plain borders may repeat half of theirs.
const ENLARGED: Rule = Rule {
    says: "has a texture that was enlarged",
    is_worse: |a, b, _| {
        b.texels.repeated_share > 0.75 && b.texels.repeated_share - a.texels.repeated_share > 0.15
    },
};

/// Grain: 0.53 and more, and at most 0.15, or a tenth of it. A sharper texture has more drawn structure too: 0.27 and more, and a seventh of it
/// and more.
const GRAINY: Rule = Rule {
    says: "has grain in its colours",
    is_worse: |a, b, _| {
        let noise = growth(a, b, |o| o.texture_noise);
        noise > 0.4 && growth(a, b, |o| o.texture_drawn) < (0.12 * noise).max(0.2)
    },
};

/// Structure is lost nearly everywhere and gained nowhere. Blurred: a median of −0.82 and an upper quartile of −0.34, and less; other
/// damage to colours −0.35 and 0.0 or more. Structure without a direction goes first: −1.13 and less; turned hues leave it (−0.25 to 0.25).
const BLURRED: Rule = Rule {
    says: "has lost structure in its colours",
    is_worse: |a, b, common| {
        growth(a, b, |o| o.texture_noise) < -0.6
            && (common.energy).is_some_and(|[_, middle, high]| middle < -0.4 && high < -0.17)
    },
};

/// How much larger the second is along x, y and z.
fn ratios(a: &Observed, b: &Observed) -> [f64; 3] {
    let size = |of: &Observed, axis: usize| {
        f64::from(of.facts.extent.max[axis]) - f64::from(of.facts.extent.min[axis])
    };
    [0, 1, 2].map(|axis| size(b, axis) / size(a, axis).max(f64::MIN_POSITIVE))
}

/// Whether the axes grew alike, within a third.
fn is_in_proportion(a: &Observed, b: &Observed) -> bool {
    let ratios = ratios(a, b);
    let (least, most) = (ratios.iter()).fold((f64::MAX, 0.0_f64), |(least, most), ratio| {
        (least.min(*ratio), most.max(*ratio))
    });
    libm::log(most / least.max(f64::MIN_POSITIVE)) < 0.3
}

/// How much more of the second's bending is inwards.
fn inward(a: &Observed, b: &Observed) -> f64 {
    b.facts.dihedral.inward_share - a.facts.dihedral.inward_share
}

/// ln of how many times as much the second has; two that have next to nothing are even.
fn growth(a: &Observed, b: &Observed, of: fn(&Observed) -> f64) -> f64 {
    const NOTHING: f64 = 1e-4;
    libm::log((of(b) + NOTHING) / (of(a) + NOTHING))
}

impl<'a> Versions<'a> {
    /// None for two assets that are not versions of one.
    pub(super) fn of(left: &'a Observed, right: &'a Observed) -> Option<Self> {
        let common = common(&left.tiles, &right.tiles);
        let has_one_surface = common.aligned >= ONE_SURFACE;
        let has_same_textures =
            !left.texels.hashes.is_empty() && left.texels.hashes == right.texels.hashes;
        (has_one_surface || has_same_textures).then_some(Self {
            left,
            right,
            common,
            has_one_surface,
        })
    }

    /// −1 (right) to 1 (left) and why; `None` where no rule fits.
    pub(super) fn plausibility(&self) -> Option<(f64, String)> {
        self.first(&PLAUSIBILITY)
    }

    /// As [`Self::plausibility`], where nothing else tells the two apart.
    pub(super) fn proportions(&self) -> Option<(f64, String)> {
        self.first(&PROPORTIONS)
    }

    /// As [`Self::plausibility`].
    pub(super) fn geometry_details(&self) -> Option<(f64, String)> {
        self.first(&GEOMETRY)
    }

    /// As [`Self::plausibility`]; colours are compared on one surface only.
    pub(super) fn texture_details(&self) -> Option<(f64, String)> {
        if self.has_one_surface {
            self.first(&TEXTURE)
        } else {
            None
        }
    }

    fn first(&self, rules: &[Rule]) -> Option<(f64, String)> {
        let mirrored = self.common.mirrored();
        rules.iter().find_map(|rule| {
            let is_right_worse = (rule.is_worse)(self.left, self.right, &self.common);
            let is_left_worse = (rule.is_worse)(self.right, self.left, &mirrored);
            let (vote, side) = match (is_left_worse, is_right_worse) {
                (false, true) => (1.0, "right"),
                (true, false) => (-1.0, "left"),
                _ => return None,
            };
            let words = format!("of two versions of one asset, the {side} one {}", rule.says);
            Some((vote, words))
        })
    }
}
