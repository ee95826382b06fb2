//! Which of two versions of one asset is the damaged one, and by what: a multinomial logistic model
//! over the measured signs.
//!
//! The class "kind k was done to side s" has the odds exp(bias of k + weights of k · signs of s)
//! against "nothing was done", so swapping the sides swaps the answer. The table of weights is
//! data: crates/probe/src/weights.toml, which says how it was fitted.

use super::signs::Sign;
use super::words::Sentence;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Something that is wrong with one of two versions.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// 0 for the first, 1 for the second.
    pub side: usize,
    /// Keys of the criteria that it lowers, in addition to `overall`.
    pub lowers: Vec<&'static str>,
    /// Sentences without their subject.
    pub says: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "provenance")]
    _provenance: String,
    /// The logarithm of the odds from which on it answers, the same for every model.
    level: f64,
    /// A family of signs speaks for a side when it makes the odds of that side to the other larger
    /// by so much; logarithm.
    speaks: f64,
    model: Vec<Model>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Model {
    kind: Vec<Kind>,
}

/// What can be done to an asset.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    done: String,
    lowers: Vec<String>,
    /// The first that is true is said.
    says: Vec<Sentence>,
    bias: f64,
    /// By name of the sign.
    weights: BTreeMap<String, f64>,
}

const TEXT: &str = include_str!("weights.toml");

static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the table of weights can be read"));

/// Which table it is: a part of its hash.
pub fn weights_id() -> String {
    blake3::hash(TEXT.as_bytes()).to_hex()[..12].to_owned()
}

/// The first of the sentences that is true of a side.
pub(super) type Says<'a> = &'a dyn Fn(&[Sentence], usize) -> Option<String>;

/// The sentences of a kind.
pub(super) fn sentences(done: &str) -> &'static [Sentence] {
    let mut kinds = TABLE.model.iter().flat_map(|model| &model.kind);
    kinds.find(|kind| kind.done == done).map_or(&[], |kind| &kind.says)
}

/// The faults of each side, from the signs of both.
pub(super) fn faults(signs: &[Vec<Sign>; 2], says: Says<'_>) -> Vec<Fault> {
    let (level, speaks) = (TABLE.level, TABLE.speaks);
    TABLE.model.iter().filter_map(|m| m.fault(signs, says, level, speaks)).collect()
}

impl Kind {
    /// The logarithm of the odds that it was done to the side with these signs and not nothing.
    fn log_odds(&self, signs: &[Sign]) -> f64 {
        signs.iter().fold(self.bias, |sum, sign| sum + self.weight(sign) * sign.value)
    }

    fn weight(&self, sign: &Sign) -> f64 {
        self.weights.get(sign.name).copied().unwrap_or(0.0)
    }

    /// How many families of signs speak for one side against the other.
    fn num_speaking(&self, [own, other]: [&[Sign]; 2], least: f64) -> usize {
        let mut families: Vec<(&'static str, f64)> = Vec::new();
        for (a, b) in own.iter().zip(other) {
            let lead = self.weight(a) * (a.value - b.value);
            match families.iter_mut().find(|(name, _)| *name == a.family) {
                Some((_, sum)) => *sum += lead,
                None => families.push((a.family, lead)),
            }
        }
        families.iter().filter(|(_, lead)| *lead > least).count()
    }
}

/// The logarithm of a sum of exponentials; −∞ of none.
fn log_sum(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    let sum = values.iter().fold(0.0, |sum, v| sum + libm::exp(v - most));
    most + libm::log(sum)
}

impl Model {
    /// None where neither side passes the level, fewer than two families of signs speak for it, or
    /// no sentence is true of it.
    fn fault(
        &self,
        signs: &[Vec<Sign>; 2],
        says: Says<'_>,
        level: f64,
        speaks: f64,
    ) -> Option<Fault> {
        let log_odds = [0, 1].map(|side| {
            let each = self.kind.iter().map(|kind| kind.log_odds(&signs[side]));
            each.collect::<Vec<f64>>()
        });
        let all = [0, 1].map(|side| log_sum(log_odds[side].iter().copied()));
        let side = usize::from(all[1] > all[0]);
        let nothing = log_sum([0.0, all[1 - side]].into_iter());
        if all[side] - nothing <= level {
            return None;
        }
        let mut kinds: Vec<(&Kind, f64)> =
            self.kind.iter().zip(log_odds[side].iter().copied()).collect();
        kinds.sort_by(|a, b| b.1.total_cmp(&a.1));
        let both = [&signs[side][..], &signs[1 - side]];
        if kinds.first()?.0.num_speaking(both, speaks) < 2 {
            return None;
        }
        let mut sentences: Vec<String> = Vec::new();
        let mut rank = 0;
        kinds.retain(|(kind, odds)| {
            rank += 1;
            let is_likely = rank == 1 || *odds > level;
            let Some(words) = is_likely.then(|| says(&kind.says, side)).flatten() else {
                return false;
            };
            if !sentences.contains(&words) {
                sentences.push(words);
            }
            true
        });
        if sentences.is_empty() {
            return None;
        }
        let passes = |key: &&'static str| {
            let of_it = kinds.iter().filter(|(kind, _)| kind.lowers.iter().any(|k| k == key));
            log_sum(of_it.map(|(_, odds)| *odds)) > level
        };
        Some(Fault { side, lowers: CRITERIA.into_iter().filter(passes).collect(), says: sentences })
    }
}

const CRITERIA: [&str; 3] = ["plausibility", "geometry_details", "texture_details"];

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(family: &'static str, name: &'static str, value: f64) -> Sign {
        Sign { family, name, value }
    }

    const SAYS: Says<'_> = &|_, _| Some("is rough".to_owned());

    fn found(signs: &[Vec<Sign>; 2], says: Says<'_>) -> Option<Fault> {
        let weights = BTreeMap::from([("bends".to_owned(), 3.0), ("apart".to_owned(), 2.0)]);
        let kind = Kind {
            done: "rough".to_owned(),
            lowers: vec!["geometry_details".to_owned()],
            says: Vec::new(),
            bias: -2.0,
            weights,
        };
        Model { kind: vec![kind] }.fault(signs, says, 1.0, 0.5)
    }

    #[test]
    fn a_side_is_named_by_two_families_of_signs_and_not_by_one() {
        let of = |bends: f64, apart: f64| {
            vec![sign("normals", "bends", bends), sign("heights", "apart", apart)]
        };
        let fault = found(&[of(0.0, 0.0), of(1.0, 1.0)], SAYS).unwrap();
        assert_eq!((fault.side, fault.lowers), (1, vec!["geometry_details"]));
        assert_eq!(fault.says, ["is rough"]);
        let untrue = found(&[of(0.0, 0.0), of(1.0, 1.0)], &|_, _| None);
        assert_eq!(untrue, None, "no sentence is true of the pair");
        assert_eq!(found(&[of(0.0, 0.0), of(3.0, 0.0)], SAYS), None, "one family");
        assert_eq!(found(&[of(1.0, 1.0), of(1.2, 1.2)], SAYS), None, "both sides show it");
        assert_eq!(found(&[of(0.0, 0.0), of(0.5, 0.3)], SAYS), None, "too little");
    }

    #[test]
    fn swapping_the_sides_mirrors_every_fault() {
        let names = TABLE.model.iter().flat_map(|m| &m.kind);
        let names: Vec<&'static str> =
            names.flat_map(|kind| kind.weights.keys().map(|name| &*name.clone().leak())).collect();
        let side = |seed: u32| -> Vec<Sign> {
            let value = |i: usize| {
                let hash = (i as u32 + seed).wrapping_mul(2_654_435_761) >> 16;
                f64::from(hash) / 32_768.0 - 1.0
            };
            let at = |(i, &name)| sign(["a", "b", "c"][i % 3], name, value(i));
            names.iter().enumerate().map(at).collect()
        };
        let mut num_found = 0;
        for seed in 0..200 {
            let (a, b) = (side(seed), side(seed + 7919));
            let mut swapped = faults(&[b.clone(), a.clone()], SAYS);
            swapped.iter_mut().for_each(|f| f.side = 1 - f.side);
            let found = faults(&[a, b], SAYS);
            num_found += found.len();
            assert_eq!(found, swapped);
        }
        assert!(num_found > 20, "{num_found}");
    }
}
