//! The content of a report: the runs, their results, and their provenance.

use super::current::ReportSource;
use super::extent::GalleryPlace;
use super::gallery::{Gallery, cut_words};
use super::table_view::Failures;
use crate::error::Error;
use crate::results::{
    Facts, JudgeReliability, NotRated, RateSettings, Results, counts, gather_with, reliability_of,
    results,
};
use crate::store::{Pseudonyms, Record, Slots, Store};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// With more questions, the gallery is in parts next to the page, which load on demand.
pub(super) const QUESTIONS_IN_ONE_FILE_MAX: u64 = 10_000;

/// Runs and their results, ready to be report.
#[derive(Debug)]
pub struct RunReport {
    pub facts: Facts,
    /// Questions that are in more than one run.
    pub repeated: usize,
    /// Questions without any reply yet.
    pub without_reply: usize,
    pub(super) gallery: Gallery,
    /// Questions without a verdict.
    pub(super) failed: Failures,
    /// The judges' texts by their place; none if the gallery is next to the page.
    pub(super) words: Option<BTreeMap<u64, String>>,
    /// Boards, means, agreement, spending.
    pub results: Results,
    /// How they were rated.
    pub(super) settings: RateSettings,
    /// The folders of the runs; pictures are searched in each.
    pub folders: Vec<PathBuf>,
    /// Questions of the runs before each run, and of all: a record's place is that and its number.
    pub(super) firsts: Vec<u64>,
    pub(super) source: Option<ReportSource>,
    /// Why nothing is rated; none where something is.
    pub not_rated: Option<NotRated>,
    /// What audits found about the judges, where the benchmark names any.
    pub reliability: Vec<JudgeReliability>,
}

/// Where the figures come from: enough to identify a report and to reproduce it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// Names of the run folders, without their paths.
    pub runs: Vec<String>,
    pub version: &'static str,
    /// Hashes of the protocols: how pictures were drawn and answers read.
    pub protocols: Vec<String>,
    /// Rubric and its hash.
    pub rubrics: Vec<(String, String)>,
    /// First and last question, RFC 3339. The report has no time, so that one run gives one page.
    pub asked: Option<(String, String)>,
    pub questions: usize,
}

impl RunReport {
    /// Reads and rates runs. Runs without anything to rate are also reported, with the reason in
    /// [`RunReport::not_rated`].
    ///
    /// # Errors
    /// A folder that is no run, mixed protocols, an unknown anchor, verdicts of another version.
    pub fn read(
        folders: &[PathBuf],
        settings: &RateSettings,
        gallery: GalleryPlace,
    ) -> Result<Self, Error> {
        Self::read_with(folders, settings, gallery, None, |_| ())
    }

    /// The same, with people under the names that `hidden` gives them; `each` sees every record
    /// that counts.
    pub(super) fn read_with(
        folders: &[PathBuf],
        settings: &RateSettings,
        gallery: GalleryPlace,
        hidden: Option<&mut Pseudonyms>,
        mut each: impl FnMut(&Record),
    ) -> Result<Self, Error> {
        // Before anything is read, so that later changes make the report outdated.
        let source = ReportSource::of(folders, settings, gallery)?;
        let has_gallery = gallery != GalleryPlace::Nowhere;
        let mut firsts = vec![0];
        let mut slots = Vec::new();
        for folder in folders {
            let store = Store::read(folder)?;
            firsts.push(firsts[firsts.len() - 1] + store.num_questions()?);
            slots.push(Slots::read(&store)?);
        }
        let is_beside = match gallery {
            GalleryPlace::BySize => firsts[folders.len()] > QUESTIONS_IN_ONE_FILE_MAX,
            GalleryPlace::Inside => false,
            GalleryPlace::Beside | GalleryPlace::Nowhere => true,
        };
        let mut gallery = Gallery::default();
        let mut failed = Failures::default();
        let mut words = (!is_beside).then(BTreeMap::new);
        let mut gathered = gather_with(folders, hidden, |folder_idx, record| {
            let place = firsts[folder_idx] + record.number.unsigned_abs();
            if has_gallery {
                let slots = &slots[folder_idx];
                gallery.add(record, slots.photo_of(record), &slots.fronts_of(record), place);
            }
            failed.add(record);
            if let (Some(words), Some(raw)) = (&mut words, &record.raw) {
                let reasoning = record.reasoning.as_deref().unwrap_or_default();
                words.insert(place, cut_words(raw, reasoning));
            }
            each(record);
        })?;
        gallery.finish(&gathered.categories);
        // The sensitivity of the order is computed if it takes no time; for larger runs on request.
        let is_small = firsts[folders.len()] <= QUESTIONS_IN_ONE_FILE_MAX;
        let with_diagnoses =
            RateSettings { diagnoses: settings.diagnoses || is_small, ..settings.clone() };
        let not_rated = gathered.nothing_to_rate();
        let results = match not_rated.is_some() && !gathered.has_metrics() {
            true => counts(&gathered),
            false => results(&mut gathered, &with_diagnoses)?,
        };
        Ok(Self {
            facts: gathered.facts,
            repeated: gathered.repeated,
            without_reply: gathered.without_reply,
            gallery,
            failed,
            words,
            results,
            settings: settings.clone(),
            folders: folders.to_vec(),
            firsts,
            source,
            not_rated,
            reliability: reliability_of(folders),
        })
    }

    /// Hands on the words of each record of large runs, in the order of their places.
    pub(super) fn each_words(
        &self,
        mut each: impl FnMut(u64, &str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (folder, first) in self.folders.iter().zip(&self.firsts) {
            Store::read(folder)?
                .words(|number, raw, reasoning| each(first + number, &cut_words(raw, reasoning)))?;
        }
        Ok(())
    }

    /// Every method that was judged or made.
    pub fn methods(&self) -> BTreeSet<&str> {
        let judged = self.facts.methods.iter().map(String::as_str);
        let made = self.results.making.iter().map(|making| making.method.as_str());
        judged.chain(made).collect()
    }

    pub fn provenance(&self) -> Provenance {
        let facts = &self.facts;
        let name = |path: &PathBuf| {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            whole.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        Provenance {
            runs: self.folders.iter().map(name).collect(),
            version: env!("CARGO_PKG_VERSION"),
            protocols: facts.protocols.iter().cloned().collect(),
            rubrics: facts.rubrics.iter().cloned().collect(),
            asked: facts.asked.clone(),
            questions: facts.questions,
        }
    }

    /// The first run's folder.
    pub fn first_folder(&self) -> &Path {
        self.folders.first().map_or(Path::new("."), PathBuf::as_path)
    }
}
