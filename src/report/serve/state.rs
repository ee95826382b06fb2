//! The shared state of the handlers: the run's assets and pairs, and the latest page.

use super::super::about::{QUESTIONS_IN_ONE_FILE_MAX, RunReport};
use super::super::extent::GalleryPlace;
use super::super::gallery::{WORDS_PER_PART, cut_words};
use super::super::page::{Page, part_script, served_in_parts, words_parts, write_page};
use super::super::pictures::Scaled;
use super::super::thumbs::{Strip, TILE_PX, strips};
use super::access::{Denied, Public};
use super::address::Address;
use super::assets::{AssetError, Assets, Content};
use super::ballot::{Ballot, Choice, Shown as ShownPair, Standing};
use super::settings::ServeSettings;
use super::stored::Stored;
use crate::error::{Error, Kind};
use crate::judge::PhotoKey;
use crate::store::{DATABASE_FILE, ShownPicture, Store, run_folders};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// When and how large the database files were; another stamp means that something was written.
type Stamp = Vec<Option<(SystemTime, u64)>>;

/// The beginning of the page's script, which compares the mark of its page with the latest.
const UNMARKED: &str = "<script data-served>";

/// A page that is being made anew is waited for so long before the last one is shown.
const PAGE_PATIENCE: Duration = Duration::from_millis(150);
const PAGE_PAUSE: Duration = Duration::from_millis(5);
/// A growing run is read again for voters after this multiple of the reading time.
const REST: u32 = 4;

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
    /// As it was last read.
    run: Mutex<Option<Arc<Run>>>,
    made: Mutex<Option<Made>>,
    /// One vote is written at a time, and none while the run is taken in that was read again.
    writing: Mutex<()>,
    is_building: AtomicBool,
}

/// The ballots.
pub(super) struct Run {
    ballot: Mutex<Ballot>,
    /// The part with the questions about a prompt and its photos, where there are several.
    parts: BTreeMap<About, PathBuf>,
    /// The only part, or the first.
    first: PathBuf,
}

/// The report as it was last made.
#[derive(Clone)]
struct Made {
    stamp: Stamp,
    /// The folder, or those of its parts.
    runs: Arc<[PathBuf]>,
    /// When it was ready, and how long that took.
    at: Instant,
    took: Duration,
    /// See [`RunReport::firsts`].
    firsts: Arc<[u64]>,
    html: Arc<str>,
    /// The gallery of a large run.
    parts: Option<Arc<[String]>>,
    /// Thumbnails, by the prompts' numbers in the page.
    strips: Arc<[Strip]>,
}

/// What `/` answers.
pub(super) enum Shown {
    Page(Arc<str>),
    /// A large run that is being read.
    NotYet,
}

/// The next pair of a rater.
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
    /// Another process did not let go of the run.
    Locked,
    /// The run's folder or database is not there any more.
    Gone,
    /// Unknown pair, or answers missing.
    Unusable,
    /// The page did not draw this pair.
    Undrawn,
}

impl App {
    /// Reads the run, unless its size would delay the start: see [`App::read_later`].
    ///
    /// # Errors
    /// No run.
    pub(super) fn new(mut settings: ServeSettings, address: Address) -> Result<Self, Error> {
        let mut questions = 0;
        for run in parts_of(&settings.folder) {
            questions += Store::read(&run)?.num_questions()?;
        }
        let public = settings.public.take();
        let public = public.map(|public| Public::open(&settings.folder, public));
        let public = public.transpose()?;
        let app = Self {
            key: match &public {
                Some(public) => public.invited.key()?,
                None => local_key(&settings.folder),
            },
            public,
            assets: Assets::new(settings.load, &parts_of(&settings.folder)),
            settings,
            address,
            run: Mutex::default(),
            made: Mutex::default(),
            writing: Mutex::default(),
            is_building: AtomicBool::new(false),
        };
        if questions <= QUESTIONS_IN_ONE_FILE_MAX {
            app.build()?;
        }
        Ok(app)
    }

    /// Reads a large run in parallel with the threads that answer.
    pub(super) fn read_later(self: &Arc<Self>) {
        if self.run().is_some() || self.is_building.swap(true, Ordering::Relaxed) {
            return;
        }
        self.build_beside();
    }

    fn build_beside(self: &Arc<Self>) {
        let app = Arc::clone(self);
        std::thread::spawn(move || {
            // The next request for the page tries again and gets the error.
            let _ = app.build();
            app.is_building.store(false, Ordering::Relaxed);
        });
    }

    /// None until the run was read.
    pub(super) fn run(&self) -> Option<Arc<Run>> {
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        run.clone()
    }

    /// The report. If the run has grown, it is remade in the background; a slow update shows next
    /// time, and until then the last page. Reads, rates and renders: not for an async thread.
    ///
    /// # Errors
    /// [`Error`].
    pub(super) fn page(self: &Arc<Self>) -> Result<Shown, Error> {
        let Some(made) = self.made() else {
            return if self.is_building.load(Ordering::Relaxed) {
                Ok(Shown::NotYet)
            } else {
                Ok(Shown::Page(self.build()?.html))
            };
        };
        self.follow(&made);
        Ok(Shown::Page(self.made().unwrap_or(made).html))
    }

    /// Rereads the run in the background if it grew since `made`, and waits a moment for that.
    fn follow(self: &Arc<Self>, made: &Made) {
        if made.stamp == stamp(&parts_of(&self.settings.folder)) {
            return;
        }
        if !self.is_building.swap(true, Ordering::Relaxed) {
            self.build_beside();
        }
        let start = Instant::now();
        while self.is_building.load(Ordering::Relaxed) && start.elapsed() < PAGE_PATIENCE {
            std::thread::sleep(PAGE_PAUSE);
        }
    }

    /// A 3D view. An unknown hash can be newer than the run as read.
    ///
    /// # Errors
    /// [`AssetError`].
    pub(super) fn asset(self: &Arc<Self>, wanted: &Content) -> Result<Arc<Stored>, AssetError> {
        let found = self.assets.stored(wanted);
        match (&found, self.made()) {
            (Err(AssetError::Unknown), Some(made)) => {
                self.follow(&made);
                self.assets.stored(wanted)
            }
            _ => found,
        }
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
        made.strips.get(number)?.drawn(&made.runs, TILE_PX)
    }

    /// Changes with the page. If the run has grown, the page is remade in the background.
    pub(super) fn page_mark(self: &Arc<Self>) -> Option<String> {
        let made = self.made()?;
        if made.at.elapsed() > REST * made.took {
            self.follow(&made);
        }
        Some(mark_of(&self.made().unwrap_or(made).stamp))
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
        let start = Instant::now();
        let runs = parts_of(&self.settings.folder);
        let stamp = stamp(&runs);
        let mut parts = BTreeMap::new();
        let report = RunReport::read_with(
            &runs,
            &self.settings.rating,
            GalleryPlace::BySize,
            None,
            |run, record| {
                self.assets.add_record(record);
                if runs.len() > 1 {
                    let about = about(&record.prompt, &record.photo);
                    parts.insert(about, runs[run].clone());
                }
            },
        )?;
        for run in &runs {
            self.assets.add_made(&Store::read(run)?.made()?);
        }
        let rubric = self.settings.rubric.as_ref();
        let public = self.public.as_ref();
        let has_checks = public.is_some_and(|public| public.settings.check_every.is_some());
        let ballot = Ballot::new(&report.gallery, rubric, &self.assets, self.key, has_checks);
        self.take_in(ballot, parts, report.first_folder().to_owned());
        let has_votes = self.run().is_some_and(|run| run.ballot().progress("").1 > 0);
        let page = Page::Served { has_votes };
        let (html, parts) = if report.words.is_some() {
            (write_page(&report, page)?, None)
        } else {
            let (html, parts) = served_in_parts(&report, page)?;
            (html, Some(parts.into()))
        };
        let marked = UNMARKED.replace('>', &format!("=\"{}\">", mark_of(&stamp)));
        let made = Made {
            stamp,
            runs: runs.into(),
            at: Instant::now(),
            took: start.elapsed(),
            firsts: report.firsts.into(),
            html: html.replacen(UNMARKED, &marked, 1).into(),
            parts,
            strips: strips(&report.gallery).into_iter().map(|(_, strip)| strip).collect(),
        };
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
        Ok(made)
    }

    /// Replaces the earlier reading by a new one, with the votes since then.
    fn take_in(&self, mut ballot: Ballot, parts: BTreeMap<About, PathBuf>, first: PathBuf) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = self.run() {
            ballot.go_on_from(&before.ballot());
        }
        let ballot = Mutex::new(ballot);
        let run = Some(Arc::new(Run { ballot, parts, first }));
        *self.run.lock().unwrap_or_else(PoisonError::into_inner) = run;
    }

    /// A picture that the run knows.
    ///
    /// # Errors
    /// The store's.
    pub(super) fn picture(&self, hash: &str) -> Result<Option<ShownPicture>, Error> {
        for run in parts_of(&self.settings.folder) {
            if let Some(found) = Store::read(&run)?.shown_picture(hash)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// What this rater is asked next. Looks through all pairs: not for an async thread.
    ///
    /// # Errors
    /// The list of raters cannot be read.
    pub(super) fn turn(
        self: &Arc<Self>,
        rater: &str,
        skipped: &[String],
    ) -> Result<Option<Turn>, Denied> {
        if let Some(made) = self.made()
            && made.at.elapsed() > REST * made.took
        {
            self.follow(&made);
        }
        let Some(run) = self.run() else {
            return Ok(None);
        };
        let ballot = run.ballot();
        let (done, total) = ballot.progress(rater);
        let Some(public) = &self.public else {
            let shown = ballot.next(rater, skipped);
            return Ok(Some(Turn { done, total, shown, consent: None }));
        };
        let total = public.settings.votes_max.map_or(total, |most| total.min(most));
        let consent = public.consent_missing(rater)?;
        let shown = match &consent {
            Some(_) => None,
            None => {
                let invited = public.invited.now()?;
                let answered = invited.raters.get(rater).map(|rater| &rater.checks);
                let num_answered = answered.map_or(0, |checks| checks.len());
                let is_due =
                    public.settings.check_every.is_some_and(|every| num_answered < done / every);
                let seen = |key: &str| answered.is_some_and(|checks| checks.contains_key(key));
                let check = is_due.then(|| ballot.next_check(rater, skipped, seen)).flatten();
                check.or_else(|| ballot.next(rater, skipped).filter(|_| done < total))
            }
        };
        Ok(Some(Turn { done, total, shown, consent }))
    }

    /// Writes a vote; the run is open for this moment only. Not for an async thread.
    ///
    /// # Errors
    /// The store's, but for the lock; those of the list of raters.
    pub(super) fn keep_vote(&self, rater: &str, cast: &Cast) -> Result<Voted, Error> {
        let Some(run) = self.run() else {
            return Ok(Voted::Unusable);
        };
        let Cast { pair, drawn, choices, seconds, ticket, .. } = cast;
        if !run.ballot().is_drawn(rater, pair, drawn) {
            return Ok(Voted::Undrawn);
        }
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
        let vote = run.ballot().vote(rater, pair, choices, *seconds, &self.assets);
        let Some(vote) = vote else {
            return Ok(Voted::Unusable);
        };
        // They wait here rather than for the run, where the waiting is limited; nobody who only
        // looks waits with them.
        let writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have been read again since.
        let run = self.run().unwrap_or(run);
        let standing = run.ballot().standing(rater, pair, ticket.as_deref(), &vote);
        let kept = match standing {
            Standing::Stale => return Ok(Voted::Stale),
            Standing::Same => Ok(true),
            Standing::New => {
                let part = run.parts.get(&about(&vote.prompt, &vote.photo));
                Store::cast(part.unwrap_or(&run.first), &vote)
            }
        };
        match kept {
            Err(e) if e.kind() == Kind::Locked => Ok(Voted::Locked),
            Err(e) => Err(e),
            Ok(false) => Ok(Voted::Gone),
            Ok(true) => {
                let mut ballot = run.ballot();
                if standing == Standing::New {
                    ballot.voted(rater, pair, &vote);
                }
                drop(writing);
                Ok(Voted::Kept { ticket: ballot.ticket(rater, pair) })
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

/// Text and photos of a prompt.
type About = (Option<String>, Option<String>);

fn about(prompt: &Option<String>, photo: &Option<PhotoKey>) -> About {
    (prompt.clone(), photo.as_ref().map(PhotoKey::to_text))
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
        Some((found.modified().ok()?, found.len()))
    };
    let files = runs.iter().flat_map(|run| {
        let log = format!("{DATABASE_FILE}-wal");
        [run.join(DATABASE_FILE), run.join(log)]
    });
    files.map(of).collect()
}
