//! What a report is about: the runs, their results, and where all of it comes from.

use crate::results::{
    Gathered, JudgeReliability, RateSettings, Results, ResultsError, counts, reliability_of,
    results,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Runs and their results, ready to be told.
#[derive(Debug)]
pub struct RunReport {
    /// Everything in the runs.
    pub gathered: Gathered,
    /// Boards, means, agreement, spending.
    pub results: Results,
    /// Where the runs lie; pictures are looked for in each.
    pub folders: Vec<PathBuf>,
    /// Why nothing is rated; none where something is.
    pub not_rated: Option<String>,
    /// What audits found of the judges, where the benchmark names any.
    pub reliability: Vec<JudgeReliability>,
}

/// Where the figures come from: enough to tell two reports apart and to make one again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// Names of the run folders, without the way to them.
    pub runs: Vec<String>,
    /// This program's version.
    pub version: &'static str,
    /// Hashes of the render protocols.
    pub protocols: Vec<String>,
    /// Rubric and its hash.
    pub rubrics: Vec<(String, String)>,
    /// First and last question, RFC 3339. The report itself has no time, so that one run gives one page.
    pub asked: Option<(String, String)>,
    /// Questions.
    pub questions: usize,
}

impl RunReport {
    /// Rates what was gathered. Runs without anything to rate are told all the same, and [`RunReport::not_rated`] says why.
    ///
    /// # Errors
    /// Mixed protocols, an unknown anchor, verdicts of another version.
    pub fn new(
        gathered: Gathered,
        folders: &[PathBuf],
        settings: &RateSettings,
    ) -> Result<Self, ResultsError> {
        let (results, not_rated) = match results(&gathered, settings) {
            Ok(results) => (results, None),
            Err(e @ (ResultsError::NoVerdict { .. } | ResultsError::NothingDecided)) => {
                (counts(&gathered), Some(e.to_string()))
            }
            Err(e) => return Err(e),
        };
        Ok(Self {
            gathered,
            results,
            folders: folders.to_vec(),
            not_rated,
            reliability: reliability_of(folders),
        })
    }

    /// Every method that was judged or made.
    pub fn methods(&self) -> BTreeSet<&str> {
        let records = self.gathered.records.iter();
        let judged = records.flat_map(|record| [Some(&record.a), record.b.as_ref()]);
        let judged = judged.flatten().map(|asset| asset.method.as_str());
        let made = self.gathered.made.iter().map(|made| made.method.as_str());
        judged.chain(made).collect()
    }

    /// Where it all comes from.
    pub fn provenance(&self) -> Provenance {
        let records = &self.gathered.records;
        let name = |path: &PathBuf| {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            whole
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        let asked: BTreeSet<&String> = records.iter().map(|record| &record.asked_at).collect();
        let protocols: BTreeSet<&String> =
            records.iter().filter_map(|r| r.protocol.as_ref()).collect();
        let rubrics: BTreeMap<_, ()> = (records.iter())
            .map(|record| ((record.rubric.clone(), record.rubric_hash.clone()), ()))
            .collect();
        Provenance {
            runs: self.folders.iter().map(name).collect(),
            version: env!("CARGO_PKG_VERSION"),
            protocols: protocols.into_iter().cloned().collect(),
            rubrics: rubrics.into_keys().collect(),
            asked: (asked.first().zip(asked.last())).map(|(a, b)| ((*a).clone(), (*b).clone())),
            questions: records.len(),
        }
    }

    /// The first run's folder.
    pub fn first_folder(&self) -> &Path {
        self.folders
            .first()
            .map_or(Path::new("."), PathBuf::as_path)
    }
}
