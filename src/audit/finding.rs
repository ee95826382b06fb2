//! A judge's figures on one kind of damage, and on a family of kinds.

use super::threshold::FOUND;
use crate::damage::Family;
use crate::rate::Estimate;
use serde::Serialize;

/// From this level, damage is plainly visible; a judge's family figures count these levels.
pub const PLAIN_LEVEL: f32 = 0.5;

/// All kinds of one family together, from [`PLAIN_LEVEL`] on, on the criteria that each must lower,
/// leaving out criteria that the judge never decides. Shares of all pairs and criteria; the
/// remaining pairs were ties, or differed between the orders.
#[derive(Debug, Clone, Serialize)]
pub struct FamilyFigures {
    pub family: Family,
    /// Whether the judge claims to see these kinds; none for a judge that claims nothing.
    pub is_claimed: Option<bool>,
    pub kinds: Vec<&'static str>,
    /// The share of pairs and criteria on which the undamaged one won in both orders.
    pub right: Option<Estimate>,
    /// The share on which the damaged one did.
    pub wrong: Option<Estimate>,
    /// The share that it called undecidable.
    pub undecided: Option<Estimate>,
}

/// The name of a family in settings and tables.
pub fn family_name(family: Family) -> &'static str {
    match family {
        Family::Geometry => "geometry",
        Family::Texture => "texture",
        Family::Harmless => "harmless",
        Family::Scene => "scene",
    }
}

impl FamilyFigures {
    /// In words: `geometry that it claims to see`.
    pub fn says(&self) -> String {
        let family = family_name(self.family);
        match self.is_claimed {
            None => format!("{family} damage"),
            Some(true) => format!("{family} damage that it claims to see"),
            Some(false) => format!("other {family} damage"),
        }
    }
}

/// On one kind of damage and one criterion that it should lower. A pair counts as right when the
/// clean object won in both orders.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    pub kind: &'static str,
    pub criterion: String,
    /// By level: of the pairs that the judge did not call undecidable, the share that was right.
    pub accuracy: Vec<(f32, Option<Estimate>)>,
    /// By level: the amount of damage, in the unit that the kind names, as a mean over the objects;
    /// empty where it was not recorded.
    pub amounts: Vec<(f32, f64)>,
    /// By level: how much lower the damaged scene's score is, mean over scenes; empty for pairs.
    pub drops: Vec<(f32, f64)>,
    /// The share of pairs that it called undecidable.
    pub undecided: Option<Estimate>,
    /// The share of pairs, of all levels, on which the damaged one won in both orders.
    pub wrong: Option<Estimate>,
    /// The level with three of four pairs right, undecided not right; none if no level sufficed.
    pub threshold: Option<Estimate>,
}

/// On one kind of damage and one criterion that should be unaffected.
#[derive(Debug, Clone, Serialize)]
pub struct Sparing {
    pub kind: &'static str,
    pub criterion: String,
    /// The share of pairs on which neither object won in both orders.
    pub left_alone: Option<Estimate>,
}

impl Finding {
    /// The level from which it is found, in words. If the lowest is found, nothing is known below.
    pub fn found_from(&self) -> String {
        let lowest = self.accuracy.first();
        let is_below = lowest.is_some_and(|(_, share)| share.is_some_and(|s| s.value >= FOUND))
            && self.undecided.is_none_or(|u| u.value == 0.0);
        match (self.threshold, lowest) {
            (Some(_), Some((level, _))) if is_below => format!("≤ {level}"),
            (Some(found), _) => {
                let interval = found
                    .interval
                    .map_or(String::new(), |i| format!(" ({:.2}–{:.2})", i.low, i.high));
                format!("{:.2}{interval}", found.value)
            }
            (None, _) => "–".to_owned(),
        }
    }
}
