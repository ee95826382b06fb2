//! Which side of assets is the front: that of their file, a common one, or that in their photo.

use crate::ask::Photo;
use crate::error::{Error, Kind};
use crate::metrics::{AllSides, Yaw};
use crate::render::Image;
use crate::scene::Asset;
use crate::store::{FrontRow, Record, ShownFronts, write_front_rows};
use meshjudge_probe::azimuth_scores;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// Which side of an asset is its front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Fronts {
    /// That of its file.
    #[default]
    File,
    /// One for all assets of a prompt: that of the first.
    Common,
    /// The side that the photo shows, for assets that have a common front.
    Photo,
}

impl Fronts {
    pub(crate) fn is_file(&self) -> bool {
        *self == Self::File
    }
}

/// From this margin on, a group faces its photo (docs/runs/fidelity/2026-11-26-photo-fronts.md).
const PHOTO_MARGIN_MIN: f64 = 0.1;

/// Whether the azimuth of a group that looks like its photo can be believed.
pub(crate) fn is_clear_in_photo(yaw: Yaw) -> bool {
    yaw.margin >= PHOTO_MARGIN_MIN
}

/// The azimuth of a group that looks like its photo, by the mean over its members. Each comes with
/// its azimuth that is the common front. `None` if one of them cannot be read or drawn.
pub(crate) fn side_in_photo(
    members: impl IntoIterator<Item = (Option<Asset>, u16)>,
    photo: &(Image, Image),
) -> Option<Yaw> {
    let mut sums = [0.0; Yaw::STEPS];
    let mut count = 0.0;
    for (asset, yaw_degrees) in members {
        let scores = azimuth_scores(&asset?, photo).ok()??;
        let first = usize::from(yaw_degrees) * Yaw::STEPS / 360;
        for (step, sum) in sums.iter_mut().enumerate() {
            *sum += scores[(first + step) % Yaw::STEPS];
        }
        count += 1.0;
    }
    Some(Yaw::of_scores(&sums.map(|sum| sum / count)))
}

/// How two assets are rotated to one front.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairFronts {
    /// The azimuth of the second that looks like the front of the first.
    common: Yaw,
    /// The azimuth of both that looks like the photo.
    photo: Option<Yaw>,
}

impl PairFronts {
    /// Looks at both from all sides; `None` where each keeps the front of its file.
    ///
    /// # Errors
    /// `fronts = "photo"` without a photo; assets or photos that cannot be drawn.
    pub fn find(
        fronts: Fronts,
        [a, b]: [&Asset; 2],
        photo: Option<&Photo>,
    ) -> Result<Option<Self>, Error> {
        let photo = match (fronts, photo) {
            (Fronts::File, _) => return Ok(None),
            (Fronts::Common, _) => None,
            (Fronts::Photo, Some(photo)) => photo.front_evidence()?,
            (Fronts::Photo, None) => {
                let reason =
                    "no photo says which side is the front; give the photo, or use `common`";
                return Err(Error::rubric(reason));
            }
        };
        let common = AllSides::new(a)?.yaw_of(&AllSides::new(b)?);
        let photo = photo.filter(|_| common.is_clear()).and_then(|photo| {
            let members = [(a, 0), (b, common.degrees)];
            side_in_photo(members.map(|(asset, yaw)| (Some(asset.clone()), yaw)), &photo)
        });
        Ok(Some(Self { common, photo }))
    }

    /// By how many degrees each is rotated about the vertical axis.
    pub fn rotations(&self) -> [u16; 2] {
        if !self.common.is_clear() {
            return [0, 0];
        }
        let by = self.photo.filter(|&it| is_clear_in_photo(it)).map_or(0, |it| it.degrees);
        [by, (self.common.degrees + by) % 360]
    }

    /// Writes them into the run's folder, if there is one, and into the records of the pair, whose
    /// methods are `a` and `b`.
    ///
    /// # Errors
    /// The run's folder cannot be written to.
    pub fn record(
        &self,
        [a, b]: [&str; 2],
        folder: &Path,
        records: &mut [Record],
    ) -> Result<(), Error> {
        let [by, degrees] = self.rotations();
        let first = self.photo.filter(|&it| is_clear_in_photo(it));
        let first = first.map(|it| FrontRow::new(None, a, Yaw { degrees: by, ..it }));
        let second = FrontRow::new(None, b, Yaw { degrees, ..self.common });
        let shown = ShownFronts::of([first.as_ref(), Some(&second)]);
        records.iter_mut().for_each(|record| record.fronts = shown);
        if folder.as_os_str().is_empty() {
            return Ok(());
        }
        let rows: Vec<FrontRow> = first.into_iter().chain([second]).collect();
        write_front_rows(folder, &rows).map_err(|e| Error::cannot_write(Kind::Picture, e, folder))
    }
}

impl fmt::Display for PairFronts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Yaw { degrees, margin } = self.common;
        if !self.common.is_clear() {
            return write!(
                f,
                "no rotation of the second asset is clearly the best (margin {margin:.3}); both are shown as their files have them"
            );
        }
        match degrees {
            0 => write!(f, "the second asset needs no rotation")?,
            _ => write!(f, "the second asset is rotated by {degrees}° to the front of the first")?,
        }
        write!(f, " (margin {margin:.3})")?;
        match self.photo {
            Some(yaw @ Yaw { degrees, margin }) if is_clear_in_photo(yaw) => {
                write!(f, ", and both by {degrees}° to the side in the photo (margin {margin:.3})")
            }
            Some(Yaw { margin, .. }) => {
                write!(f, "; no side of them is clearly the one in the photo (margin {margin:.3})")
            }
            None => Ok(()),
        }
    }
}
