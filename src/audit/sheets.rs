//! The same pairs under several sheets: how many views, how large, which channels. How much a judge
//! gains or loses with another sheet.

use super::finding::PLAIN_LEVEL;
use super::plan::method;
use super::trial::{Together, Trial, by_base};
use crate::damage::Family;
use crate::error::Error;
use crate::rate::{Estimate, share_difference};
use crate::render::Channel;
use serde::Serialize;
use std::collections::BTreeMap;

/// How a pair is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetSpec {
    /// Views of each object.
    pub views: usize,
    /// Edge of each view.
    pub size_px: u32,
    /// Channels of each view, top to bottom; none for the rubric's.
    pub channels: Option<Vec<Channel>>,
}

impl SheetSpec {
    /// For tables: `4 views of 512 px, rgb + normal`.
    pub fn label(&self, channels: &[Channel]) -> String {
        let names: Vec<String> =
            channels.iter().map(|channel| format!("{channel:?}").to_lowercase()).collect();
        let Self { views: count, size_px, .. } = self;
        let views = if *count == 1 { "view" } else { "views" };
        format!("{count} {views} of {size_px} px, {}", names.join(" + "))
    }
}

impl std::str::FromStr for SheetSpec {
    type Err = Error;

    /// `4x512` or `4x512:rgb+normal`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::usage(format!(
                "{text:?} is not a sheet; give VIEWSxPIXELS and, if they differ from the rubric's, channels: 4x512 or 1x512:rgb"
            ))
        };
        let (size, channels) = match text.split_once(':') {
            Some((size, channels)) => (size, Some(channels)),
            None => (text, None),
        };
        let (views, size_px) = size.split_once('x').ok_or_else(wrong)?;
        let channels = channels.map(|names| {
            let channel = |name: &str| match name {
                "rgb" => Ok(Channel::Rgb),
                "normal" => Ok(Channel::Normal),
                "matte" => Ok(Channel::Matte),
                _ => Err(Error::usage(format!(
                    "{name:?} is not a channel; choose from rgb, normal and matte"
                ))),
            };
            names.split('+').map(channel).collect::<Result<_, _>>()
        });
        Ok(Self {
            views: views.parse().map_err(|_| wrong())?,
            size_px: size_px.parse().map_err(|_| wrong())?,
            channels: channels.transpose()?,
        })
    }
}

/// How much more often a judge is right on one sheet than on the first.
#[derive(Debug, Clone, Serialize)]
pub struct SheetDifference {
    /// All kinds of this family, from [`PLAIN_LEVEL`] on.
    pub family: Family,
    /// The share of pairs and criteria that are right, less that on the first sheet; over pairs
    /// that were decided on both.
    pub difference: Estimate,
}

/// The same judge's trials on the first sheet and on another.
pub(super) fn differences(first: &[Trial], other: &[Trial]) -> Vec<SheetDifference> {
    let before: BTreeMap<(&str, String), &Trial> =
        first.iter().map(|trial| ((trial.base.as_str(), key(trial)), trial)).collect();
    let of_family = |family: Family| {
        let mine: Vec<&Trial> = other
            .iter()
            .filter(|t| {
                t.damage.is_some_and(|(kind, level)| kind.family == family && level >= PLAIN_LEVEL)
            })
            .collect();
        let difference = share_difference(&by_base(&mine, |trial| {
            let Some(before) = before.get(&(trial.base.as_str(), key(trial))) else {
                return (0.0, 0.0);
            };
            let lowers = trial.damage.map_or(&[][..], |(kind, _)| kind.lowers);
            lowers.iter().fold((0.0, 0.0), |(sum, all), criterion| {
                match (before.together(criterion), trial.together(criterion)) {
                    (Some(a), Some(b)) if a != Together::Undecided && b != Together::Undecided => {
                        let is_right = |t: Together| f64::from(u8::from(t == Together::Clean));
                        (sum + is_right(b) - is_right(a), all + 1.0)
                    }
                    _ => (sum, all),
                }
            })
        }))?;
        Some(SheetDifference { family, difference })
    };
    let families = [Family::Geometry, Family::Texture, Family::Scene];
    families.into_iter().filter_map(of_family).collect()
}

fn key(trial: &Trial) -> String {
    let named = trial.damage.map(|(kind, level)| method(kind, level));
    named.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_is_read_and_named() {
        let wish: SheetSpec = "4x512:rgb+normal".parse().unwrap();
        let channels = wish.channels.clone().unwrap();
        assert_eq!(wish.label(&channels), "4 views of 512 px, rgb + normal");
        let wish: SheetSpec = "1x256".parse().unwrap();
        assert_eq!((wish.views, wish.size_px, &wish.channels), (1, 256, &None));
        for wrong in ["512", "x512", "4x", "4x512:", "4x512:rgb+glow"] {
            assert!(wrong.parse::<SheetSpec>().is_err(), "{wrong}");
        }
    }
}
