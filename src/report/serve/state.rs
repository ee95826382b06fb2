//! The shared state of the handlers: what was read of the run, and the latest page.

use super::super::about::{QUESTIONS_IN_ONE_FILE_MAX, RunReport};
use super::super::extent::GalleryPlace;
use super::super::gallery::{WORDS_PER_PART, cut_words};
use super::super::page::{Page, part_script, served_in_parts, words_parts, write_page};
use super::super::pictures::Scaled;
use super::super::thumbs::{Sheets, Strip, strips};
use super::access::{Denied, Public};
use super::address::Address;
use super::assets::Assets;
use super::ballot::{Ballot, Choice, Shown, ticket};
use super::settings::ServeSettings;
use crate::error::Error;
use crate::store::{DATABASE_FILE, Record, ShownPicture, Store, run_folders};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// When and how large the database files were; another stamp means that something was written.
type Stamp = Vec<Option<(SystemTime, u64)>>;

/// The beginning of the page's script, which compares the mark of its page with the latest.
const UNMARKED: &str = "<script data-served>";

/// Everything behind the pages.
pub(super) struct App {
    settings: ServeSettings,
    pub address: Address,
    /// None on a server only for this machine.
    pub public: Option<Public>,
    /// For the 3D views.
    pub assets: Assets,
    /// Makes pair ids, the same after a restart: a voter goes on with the pair in hand.
    key: [u8; 32],
    ballot: Mutex<Ballot>,
    made: Mutex<Option<Made>>,
    /// One page is made at a time.
    making: Mutex<()>,
    /// One vote is written at a time.
    writing: Mutex<()>,
}

/// The report as it was last made.
#[derive(Clone)]
struct Made {
    stamp: Stamp,
    /// The folder, or those of its parts.
    runs: Arc<[PathBuf]>,
    /// See [`RunReport::firsts`].
    firsts: Arc<[u64]>,
    html: Arc<str>,
    /// The gallery of a large run.
    parts: Option<Arc<[String]>>,
    /// Thumbnails, by the prompts' numbers in the page.
    strips: Arc<[Strip]>,
}

/// The next pair of a rater.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Turn {
    /// Pairs that the rater has voted on.
    pub done: usize,
    /// Pairs that the rater is asked about.
    pub total: usize,
    /// None where all were answered, or a consent is missing.
    pub shown: Option<Shown>,
    /// To be accepted first.
    pub consent: Option<String>,
}

/// A vote as the page sends it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cast {
    /// On this machine, the user gives a name; elsewhere the token identifies the rater.
    #[serde(default)]
    pub rater: String,
    pub pair: String,
    /// Receipts of the files that were on the screen.
    #[serde(default)]
    pub drawn: Vec<String>,
    pub choices: BTreeMap<String, Choice>,
    pub seconds: f64,
    pub ticket: Option<String>,
}

/// Whether a vote was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Voted {
    /// It is on the disk. The ticket is for its correction.
    Kept { ticket: String },
    /// It is older than the run's vote, or lacks a required ticket.
    Stale,
    /// The run's folder or database is not there any more.
    Gone,
    /// Unknown pair, or answers missing.
    Unusable,
    /// The page did not draw this pair.
    Undrawn,
}

impl App {
    /// Makes the page of a small run, so that its faults are reported at the start.
    ///
    /// # Errors
    /// No run.
    pub(super) fn new(mut settings: ServeSettings, address: Address) -> Result<Self, Error> {
        let runs = parts_of(&settings.folder);
        let assets = Assets::new(settings.load, &runs);
        let mut questions = 0;
        for run in &runs {
            let store = Store::read(run)?;
            questions += store.num_questions()?;
            assets.read(&store)?;
        }
        let public = settings.public.take();
        let public = public.map(|public| Public::open(&settings.folder, public));
        let public = public.transpose()?;
        let key = match &public {
            Some(public) => public.invited.key()?,
            None => local_key(&settings.folder),
        };
        let has_checks = public.as_ref().is_some_and(|it| it.settings.check_every.is_some());
        let app = Self {
            ballot: Mutex::new(Ballot::new(settings.rubric.take(), key, has_checks)),
            key,
            public,
            assets,
            settings,
            address,
            made: Mutex::default(),
            making: Mutex::default(),
            writing: Mutex::default(),
        };
        if questions <= QUESTIONS_IN_ONE_FILE_MAX {
            app.page()?;
        }
        Ok(app)
    }

    fn runs(&self) -> Vec<PathBuf> {
        parts_of(&self.settings.folder)
    }

    /// The pairs and votes that the run has now. Reads: not for an async thread.
    ///
    /// # Errors
    /// [`Error`].
    pub(super) fn ballot(&self) -> Result<MutexGuard<'_, Ballot>, Error> {
        let mut ballot = self.ballot.lock().unwrap_or_else(PoisonError::into_inner);
        ballot.read(&self.runs(), &self.assets)?;
        Ok(ballot)
    }

    /// The report, made anew if the run has changed. Who asks while it is made waits for it. Reads,
    /// rates and renders: not for an async thread.
    ///
    /// # Errors
    /// [`Error`].
    pub(super) fn page(&self) -> Result<Arc<str>, Error> {
        let before = self.made().map(|made| made.stamp);
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = self.made()
            && (Some(&made.stamp) != before.as_ref() || made.stamp == stamp(&self.runs()))
        {
            return Ok(made.html);
        }
        let made = self.build()?;
        let html = Arc::clone(&made.html);
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
        Ok(html)
    }

    /// A part of a large run's gallery, by its file's name.
    pub(super) fn part(&self, name: &str) -> Option<String> {
        let name = name.strip_suffix(".js")?;
        if let Some(number) = name.strip_prefix("items-") {
            let parts = self.made()?.parts?;
            return parts.get(number.parse::<usize>().ok()?).cloned();
        }
        let number: u32 = name.strip_prefix("words-")?.parse().ok()?;
        let words = self.words(u64::from(number)).ok()?;
        let parts = words_parts(words.iter().map(|(place, words)| (place, words)));
        Some(part_script(name, parts.get(&u64::from(number))?))
    }

    /// The thumbnails of a prompt. Reads pictures: not for an async thread.
    pub(super) fn strip(&self, number: usize) -> Option<Scaled> {
        let made = self.made()?;
        Sheets::of(&made.runs).drawn(made.strips.get(number)?)
    }

    /// Changes with the run.
    pub(super) fn page_mark(&self) -> String {
        mark_of(&stamp(&self.runs()))
    }

    /// Judges' words with their places, of one part of a large run's.
    fn words(&self, part: u64) -> Result<Vec<(u64, String)>, Error> {
        let wanted = part * WORDS_PER_PART..(part + 1) * WORDS_PER_PART;
        let mut words = Vec::new();
        let Some(Made { runs, firsts, .. }) = self.made() else {
            return Ok(words);
        };
        for (run, ends) in runs.iter().zip(firsts.windows(2)) {
            // Places of a run begin after its first; numbers count from 1.
            let from = wanted.start.max(ends[0] + 1);
            let to = (wanted.end - 1).min(ends[1]);
            if from > to {
                continue;
            }
            let [from, to] = [from, to].map(|place| (place - ends[0]) as i64);
            Store::read(run)?.records_between(from, to, |record| {
                if let Some(raw) = &record.raw {
                    let reasoning = record.reasoning.as_deref().unwrap_or_default();
                    let place = ends[0] + record.number.unsigned_abs();
                    words.push((place, cut_words(raw, reasoning)));
                }
                Ok::<(), Error>(())
            })?;
        }
        Ok(words)
    }

    fn made(&self) -> Option<Made> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.clone()
    }

    fn build(&self) -> Result<Made, Error> {
        let runs = self.runs();
        let stamp = stamp(&runs);
        let report = RunReport::read(&runs, &self.settings.rating, GalleryPlace::BySize)?;
        let has_votes = self.ballot()?.has_pairs();
        let page = Page::Served { has_votes };
        let (html, parts) = if report.words.is_some() {
            (write_page(&report, page)?, None)
        } else {
            let (html, parts) = served_in_parts(&report, page)?;
            (html, Some(parts.into()))
        };
        let marked = UNMARKED.replace('>', &format!("=\"{}\">", mark_of(&stamp)));
        Ok(Made {
            stamp,
            runs: runs.into(),
            firsts: report.firsts.into(),
            html: html.replacen(UNMARKED, &marked, 1).into(),
            parts,
            strips: strips(&report.gallery).into_iter().map(|(_, strip)| strip).collect(),
        })
    }

    /// A picture that the run knows.
    ///
    /// # Errors
    /// The store's.
    pub(super) fn picture(&self, hash: &str) -> Result<Option<ShownPicture>, Error> {
        for run in self.runs() {
            if let Some(found) = Store::read(&run)?.shown_picture(hash)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// What this rater is asked next. Looks through all pairs: not for an async thread.
    ///
    /// # Errors
    /// The run or the list of raters cannot be read.
    pub(super) fn turn(&self, rater: &str, skipped: &[String]) -> Result<Turn, Denied> {
        let ballot = self.ballot()?;
        let (done, total, next) = ballot.next(rater, skipped);
        let shown = |id: Option<&str>| id.and_then(|id| ballot.shown(rater, id));
        let Some(public) = &self.public else {
            return Ok(Turn { done, total, shown: shown(next), consent: None });
        };
        let total = public.settings.votes_max.map_or(total, |most| total.min(most));
        let consent = public.consent_missing(rater)?;
        if consent.is_some() {
            return Ok(Turn { done, total, shown: None, consent });
        }
        let invited = public.invited.now()?;
        let answered = invited.raters.get(rater).map(|rater| &rater.checks);
        let num_answered = answered.map_or(0, |checks| checks.len());
        let is_due = public.settings.check_every.is_some_and(|every| num_answered < done / every);
        let seen = |key: &str| answered.is_some_and(|checks| checks.contains_key(key));
        let check = is_due.then(|| ballot.next_check(rater, skipped, seen)).flatten();
        let next = check.or(next.filter(|_| done < total));
        Ok(Turn { done, total, shown: shown(next), consent: None })
    }

    /// Writes a vote, decided against the run's vote in the same lock; the run is open for this
    /// moment only. Not for an async thread.
    ///
    /// # Errors
    /// The store's; those of the list of raters.
    pub(super) fn keep_vote(&self, rater: &str, cast: &Cast) -> Result<Voted, Error> {
        let Cast { pair, drawn, choices, seconds, ticket: given, .. } = cast;
        let ballot = self.ballot()?;
        if !ballot.is_drawn(rater, pair, drawn) {
            return Ok(Voted::Undrawn);
        }
        let ticket = |kept: Option<&Record>| ticket(&self.key, rater, pair, kept);
        if let Some(public) = &self.public {
            if let Some((key, answer)) = ballot.check(rater, pair, choices) {
                let key = key.to_owned();
                drop(ballot);
                public.invited.checked(rater, &key, answer)?;
                return Ok(Voted::Kept { ticket: ticket(None) });
            }
            if given.is_none() {
                return Ok(Voted::Stale);
            }
        }
        let Some((vote, run)) = ballot.vote(rater, pair, choices, *seconds, &self.assets) else {
            return Ok(Voted::Unusable);
        };
        drop(ballot);
        // They wait here rather than for the run, where the waiting is limited; nobody who only
        // looks waits with them.
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut store) = Store::open_to_vote(&run)? else {
            return Ok(Voted::Gone);
        };
        let id = vote.id();
        let kept = store.record(&id)?;
        let now = ticket(kept.as_ref());
        if given.as_ref().is_some_and(|given| *given != now) {
            let is_same = kept.is_some_and(|kept| kept.verdict() == Some(&vote.verdict()));
            return Ok(if is_same { Voted::Kept { ticket: now } } else { Voted::Stale });
        }
        store.keep_votes(&[vote])?;
        Ok(Voted::Kept { ticket: ticket(store.record(&id)?.as_ref()) })
    }
}

/// Hides methods from voters on this machine and guards nothing else.
fn local_key(folder: &Path) -> [u8; 32] {
    let whole = folder.canonicalize();
    let whole = whole.as_deref().unwrap_or(folder).as_os_str();
    blake3::derive_key("meshjudge 1 local ballot", whole.as_encoded_bytes())
}

/// The folder, or those of its parts, whose number may grow.
fn parts_of(folder: &Path) -> Vec<PathBuf> {
    run_folders(std::slice::from_ref(&folder.to_owned())).folders
}

fn mark_of(stamp: &Stamp) -> String {
    blake3::hash(format!("{stamp:?}").as_bytes()).to_hex().to_string()
}

fn stamp(runs: &[PathBuf]) -> Stamp {
    let of = |file: PathBuf| -> Option<(SystemTime, u64)> {
        let found = std::fs::metadata(file).ok()?;
        // A reader can leave an empty log.
        (found.len() > 0).then_some((found.modified().ok()?, found.len()))
    };
    let files = runs.iter().flat_map(|run| {
        let log = format!("{DATABASE_FILE}-wal");
        [run.join(DATABASE_FILE), run.join(log)]
    });
    files.map(of).collect()
}
