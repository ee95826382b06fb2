//! Rotations of a run's assets to a common front: a file of its folder, one JSON object a line.

use super::Store;
use crate::metrics::Yaw;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// In a run's folder.
pub const FRONTS_FILE: &str = "fronts.jsonl";

/// An asset that was compared with another one, whose front it is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrontRow {
    /// None where no benchmark asked, and likewise `seed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    pub method: String,
    /// The azimuth that looks like the front of the other asset.
    pub yaw_degrees: u16,
    pub margin: f64,
    /// Whether it is shown so; not where the margin is too small.
    pub is_rotated: bool,
}

impl FrontRow {
    pub fn new(slot: Option<(&str, u32)>, method: &str, yaw: Yaw) -> Self {
        Self {
            prompt_id: slot.map(|(prompt_id, _)| prompt_id.to_owned()),
            seed: slot.map(|(_, seed)| seed),
            method: method.to_owned(),
            yaw_degrees: yaw.degrees,
            margin: yaw.margin,
            is_rotated: yaw.is_clear() && yaw.degrees != 0,
        }
    }

    /// Whether there is a common front.
    pub fn is_clear(&self) -> bool {
        self.margin >= Yaw::MARGIN_MIN
    }
}

/// How the assets of a record are shown. Its fields are columns of rows, absent for an asset that
/// keeps the front of its file unasked.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ShownFronts {
    /// By how much it was rotated; absent where no rotation was clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a_yaw_degrees: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a_yaw_margin: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b_yaw_degrees: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b_yaw_margin: Option<f64>,
}

impl ShownFronts {
    pub(crate) fn of([a, b]: [Option<&FrontRow>; 2]) -> Self {
        let degrees = |row: Option<&FrontRow>| Some(row.filter(|it| it.is_clear())?.yaw_degrees);
        Self {
            a_yaw_degrees: degrees(a),
            a_yaw_margin: a.map(|row| row.margin),
            b_yaw_degrees: degrees(b),
            b_yaw_margin: b.map(|row| row.margin),
        }
    }
}

/// The rows of a run; none where it has no such file. `T` is a [`FrontRow`], or has one and more.
pub fn front_rows<T: for<'a> Deserialize<'a>>(run: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(run.join(FRONTS_FILE)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Writes the rows of a run.
///
/// # Errors
/// The folder cannot be written to.
pub fn write_front_rows(run: &Path, rows: &[impl Serialize]) -> std::io::Result<()> {
    let line = |row| serde_json::to_string(row).expect("a row is JSON") + "\n";
    crate::save::write_file(
        &run.join(FRONTS_FILE),
        rows.iter().map(line).collect::<String>().as_bytes(),
    )
}

impl Store {
    /// A run in memory has no folder, and no rows.
    pub(super) fn fronts(&self) -> Vec<FrontRow> {
        if self.folder().as_os_str().is_empty() { Vec::new() } else { front_rows(self.folder()) }
    }
}
