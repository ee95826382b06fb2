//! What the handlers share: the run's assets and pairs, and the page as it was last made.

use super::super::about::{QUESTIONS_IN_ONE_FILE_MAX, RunReport};
use super::super::error::ReportError;
use super::super::extent::GalleryPlace;
use super::super::gallery::{WORDS_PER_PART, cut_words};
use super::super::page::{Page, part_script, served_in_parts, words_parts, write_page};
use super::access::{Denied, Public};
use super::address::Address;
use super::assets::Assets;
use super::ballot::{Ballot, Choice, Shown as ShownPair, Standing};
use super::settings::ServeSettings;
use crate::store::{DATABASE_FILE, ShownPicture, Store, StoreError, run_folders};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// When and how large the database files were; another stamp means that something was written.
type Stamp = Vec<Option<(SystemTime, u64)>>;

/// A page that is being made anew is waited for so long before the last one is shown.
const PAGE_PATIENCE: Duration = Duration::from_millis(150);
const PAGE_PAUSE: Duration = Duration::from_millis(5);

/// Everything behind the pages.
pub(super) struct App {
    settings: ServeSettings,
    /// The folder, or those of its parts.
    runs: Vec<PathBuf>,
    pub address: Address,
    /// None on a server for this machine alone.
    pub public: Option<Public>,
    /// Set when the run was read first.
    run: OnceLock<Run>,
    made: Mutex<Option<Made>>,
    is_building: AtomicBool,
}

pub(super) struct Run {
    /// For the 3D views.
    pub assets: Assets,
    ballot: Mutex<Ballot>,
    /// Number of the part with the questions about a prompt, where there are several.
    parts: BTreeMap<Option<String>, usize>,
    /// One vote is written at a time.
    writing: Mutex<()>,
}

/// The report as it was last made.
#[derive(Clone)]
struct Made {
    stamp: Stamp,
    /// See [`RunReport::firsts`].
    firsts: Arc<[u64]>,
    html: Arc<str>,
    /// The gallery of a large run.
    parts: Option<Arc<[String]>>,
}

/// What `/` answers.
pub(super) enum Shown {
    Page(Arc<str>),
    /// A large run that is being read.
    NotYet,
}

/// What a rater is asked next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Turn {
    /// Pairs that the rater has voted on.
    pub done: usize,
    /// Pairs that the rater is asked about.
    pub total: usize,
    /// None where all were answered, or a consent is missing.
    pub shown: Option<ShownPair>,
    /// To be accepted first.
    pub consent: Option<String>,
}

/// A vote as the page sends it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cast {
    /// On this machine, whoever sits there says a name; elsewhere the token says it.
    #[serde(default)]
    pub rater: String,
    pub pair: String,
    pub choices: BTreeMap<String, Choice>,
    pub seconds: f64,
    pub ticket: Option<String>,
}

/// Whether a vote was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Voted {
    /// It is on the disk. The ticket is for its correction.
    Kept { ticket: String },
    /// It is older than the one that the run holds, or was made without a ticket where one is needed.
    Stale,
    /// Another process did not let go of the run.
    Locked,
    /// The run's folder or database is not there any more.
    Gone,
    /// Unknown pair, or answers missing.
    Unusable,
}

impl App {
    /// Reads the run, unless it is so large that whoever starts the program would have to wait: see [`App::read_later`].
    ///
    /// # Errors
    /// No run.
    pub(super) fn new(mut settings: ServeSettings, address: Address) -> Result<Self, ReportError> {
        let runs = run_folders(std::slice::from_ref(&settings.folder)).folders;
        let mut questions = 0;
        for run in &runs {
            questions += Store::read(run)?.num_questions()?;
        }
        let public = settings.public.take();
        let public = public.map(|public| Public::open(&settings.folder, public));
        let app = Self {
            public: public.transpose()?,
            settings,
            runs,
            address,
            run: OnceLock::new(),
            made: Mutex::new(None),
            is_building: AtomicBool::new(false),
        };
        if questions <= QUESTIONS_IN_ONE_FILE_MAX {
            app.build()?;
        }
        Ok(app)
    }

    /// Reads a large run beside the threads that answer.
    pub(super) fn read_later(self: &Arc<Self>) {
        if self.run.get().is_some() || self.is_building.swap(true, Ordering::Relaxed) {
            return;
        }
        self.build_beside();
    }

    fn build_beside(self: &Arc<Self>) {
        let app = Arc::clone(self);
        std::thread::spawn(move || {
            // Whoever asks for the page next tries again, and is report.
            let _ = app.build();
            app.is_building.store(false, Ordering::Relaxed);
        });
    }

    /// None until the run was read.
    pub(super) fn run(&self) -> Option<&Run> {
        self.run.get()
    }

    /// The report. It is made anew beside when the run has grown; what takes long is shown the next time, and until then the last one is.
    /// Reads, rates and renders: not for an async thread.
    ///
    /// # Errors
    /// [`ReportError`].
    pub(super) fn page(self: &Arc<Self>) -> Result<Shown, ReportError> {
        let Some(made) = self.made() else {
            return match self.is_building.load(Ordering::Relaxed) {
                true => Ok(Shown::NotYet),
                false => Ok(Shown::Page(self.build()?.html)),
            };
        };
        let stamp = self.stamp();
        if made.stamp == stamp {
            return Ok(Shown::Page(made.html));
        }
        if !self.is_building.swap(true, Ordering::Relaxed) {
            self.build_beside();
        }
        let start = Instant::now();
        while self.is_building.load(Ordering::Relaxed) && start.elapsed() < PAGE_PATIENCE {
            std::thread::sleep(PAGE_PAUSE);
        }
        Ok(Shown::Page(self.made().unwrap_or(made).html))
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

    /// Judges' words with their places, of one part of a large run's.
    fn words(&self, part: u64) -> Result<Vec<(u64, String)>, StoreError> {
        let wanted = part * WORDS_PER_PART..(part + 1) * WORDS_PER_PART;
        let mut words = Vec::new();
        let firsts = self.made().map(|made| made.firsts).unwrap_or_default();
        for (run, ends) in self.runs.iter().zip(firsts.windows(2)) {
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
                Ok::<(), StoreError>(())
            })?;
        }
        Ok(words)
    }

    fn made(&self) -> Option<Made> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.clone()
    }

    fn build(&self) -> Result<Made, ReportError> {
        let stamp = self.stamp();
        let mut parts_of_prompts = BTreeMap::new();
        let mut assets = (self.run.get().is_none()).then(|| Assets::new(self.settings.load));
        let report = RunReport::read_with(
            &self.runs,
            &self.settings.rating,
            GalleryPlace::BySize,
            None,
            |run, record| {
                if let Some(assets) = &mut assets {
                    assets.add_record(record);
                    if self.runs.len() > 1 {
                        parts_of_prompts.insert(record.prompt.clone(), run);
                    }
                }
            },
        )?;
        if let Some(mut assets) = assets {
            for run in &self.runs {
                assets.add_made(&Store::read(run)?.made()?);
            }
            let rubric = self.settings.rubric.as_ref();
            // Who votes elsewhere goes on with the same ids when the server was started again.
            let (key, has_checks) = match &self.public {
                Some(public) => (public.invited.key()?, public.settings.check_every.is_some()),
                None => (fresh_key(), false),
            };
            let ballot = Ballot::new(&report.gallery, rubric, &assets, key, has_checks);
            // Where two read at the same time, the first counts: its ids may be in use.
            let _ = self.run.set(Run {
                assets,
                ballot: Mutex::new(ballot),
                parts: parts_of_prompts,
                writing: Mutex::new(()),
            });
        }
        let has_votes = self
            .run()
            .is_some_and(|run| run.ballot().progress("").1 > 0);
        let page = Page::Served { has_votes };
        let (html, parts) = if report.words.is_some() {
            (write_page(&report, page)?, None)
        } else {
            let (html, parts) = served_in_parts(&report, page)?;
            (html, Some(parts.into()))
        };
        let made = Made {
            stamp,
            firsts: report.firsts.into(),
            html: html.into(),
            parts,
        };
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
        Ok(made)
    }

    fn stamp(&self) -> Stamp {
        let of = |file: PathBuf| -> Option<(SystemTime, u64)> {
            let found = std::fs::metadata(file).ok()?;
            Some((found.modified().ok()?, found.len()))
        };
        let files = self.runs.iter().flat_map(|run| {
            let log = format!("{DATABASE_FILE}-wal");
            [run.join(DATABASE_FILE), run.join(log)]
        });
        files.map(of).collect()
    }

    /// A picture that the run knows.
    ///
    /// # Errors
    /// The store's.
    pub(super) fn picture(&self, hash: &str) -> Result<Option<ShownPicture>, StoreError> {
        for run in &self.runs {
            if let Some(found) = Store::read(run)?.shown_picture(hash)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// What this rater is asked next. Looks through all pairs: not for an async thread.
    ///
    /// # Errors
    /// The list of raters cannot be read.
    pub(super) fn turn(&self, rater: &str) -> Result<Option<Turn>, Denied> {
        let Some(run) = self.run() else {
            return Ok(None);
        };
        let ballot = run.ballot();
        let (done, total) = ballot.progress(rater);
        let Some(public) = &self.public else {
            let shown = ballot.next(rater);
            return Ok(Some(Turn {
                done,
                total,
                shown,
                consent: None,
            }));
        };
        let total = public
            .settings
            .votes_max
            .map_or(total, |most| total.min(most));
        let consent = public.consent_missing(rater)?;
        let shown = match &consent {
            Some(_) => None,
            None => {
                let invited = public.invited.now()?;
                let answered = invited.raters.get(rater).map(|rater| &rater.checks);
                let num_answered = answered.map_or(0, |checks| checks.len());
                let is_due =
                    (public.settings.check_every).is_some_and(|every| num_answered < done / every);
                let seen = |key: &str| answered.is_some_and(|checks| checks.contains_key(key));
                let check = is_due.then(|| ballot.next_check(rater, seen)).flatten();
                check.or_else(|| ballot.next(rater).filter(|_| done < total))
            }
        };
        Ok(Some(Turn {
            done,
            total,
            shown,
            consent,
        }))
    }

    /// Writes a vote; the run is open for this moment only. Not for an async thread.
    ///
    /// # Errors
    /// The store's, but for the lock; those of the list of raters.
    pub(super) fn keep_vote(&self, rater: &str, cast: &Cast) -> Result<Voted, ReportError> {
        let Some(run) = self.run() else {
            return Ok(Voted::Unusable);
        };
        let Cast {
            pair,
            choices,
            seconds,
            ticket,
            ..
        } = cast;
        if let Some(public) = &self.public {
            let ballot = run.ballot();
            if let Some((key, answer)) = ballot.check(rater, pair, choices) {
                let (key, ticket) = (key.to_owned(), ballot.ticket(rater, pair));
                drop(ballot);
                public.invited.checked(rater, &key, answer)?;
                return Ok(Voted::Kept { ticket });
            }
            if ticket.is_none() {
                return Ok(Voted::Stale);
            }
        }
        let vote = (run.ballot()).vote(rater, pair, choices, *seconds, &run.assets);
        let Some(vote) = vote else {
            return Ok(Voted::Unusable);
        };
        // They wait here rather than for the run, where the waiting is limited; nobody who only looks waits with them.
        let writing = run.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let standing = run.ballot().standing(rater, pair, ticket.as_deref(), &vote);
        let kept = match standing {
            Standing::Stale => return Ok(Voted::Stale),
            Standing::Same => Ok(()),
            Standing::New => {
                let part = run.parts.get(&vote.prompt).copied().unwrap_or_default();
                Store::cast(&self.runs[part], &vote)
            }
        };
        match kept {
            Err(StoreError::Locked { .. }) => Ok(Voted::Locked),
            Err(StoreError::NoRun { .. } | StoreError::DatabaseGone { .. }) => Ok(Voted::Gone),
            Err(e) => Err(e.into()),
            Ok(()) => {
                let mut ballot = run.ballot();
                if standing == Standing::New {
                    ballot.voted(rater, pair, &vote);
                }
                drop(writing);
                Ok(Voted::Kept {
                    ticket: ballot.ticket(rater, pair),
                })
            }
        }
    }
}

impl Run {
    /// The pairs; held for no longer than a look.
    pub(super) fn ballot(&self) -> MutexGuard<'_, Ballot> {
        self.ballot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Different in every process; it hides methods from voters on this machine and guards nothing else.
fn fresh_key() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for _ in 0..4 {
        hasher.update(
            &std::hash::RandomState::new()
                .build_hasher()
                .finish()
                .to_le_bytes(),
        );
    }
    *hasher.finalize().as_bytes()
}
