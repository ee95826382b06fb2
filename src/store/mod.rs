//! The run folder: every question, attempt, reply and verdict, and the very pictures sent.
//!
//! `run.toml` is the resolved configuration of the last command (never a key), `run.sqlite`
//! everything that was asked and answered, `sheets/<hash>.png` the pictures. An attempt is one
//! durable transaction (WAL, `synchronous = FULL`), a picture is on the disk before its question is
//! recorded, a request is recorded before it is sent: a killed process loses at most the replies in
//! flight, and what those may have cost still counts. Has no access to scheduling or ratings.

mod asked;
mod attempt;
mod batch;
mod benchmark;
mod bookings;
mod clock;
mod copy;
mod database;
mod disk;
mod document;
mod error;
mod folder;
mod fronts;
mod group;
mod journal;
mod metric_rows;
mod money;
mod opinions;
mod pseudonyms;
mod query;
mod rater;
mod read_records;
mod readers;
mod record;
mod recorded;
mod recover;
mod request;
mod shards;
mod shown;
mod slots;
mod state;
mod transaction;
mod vote;

pub use attempt::Attempt;
pub use batch::{BatchItem, HeldInBatches, NewBatch, OpenBatch};
pub use benchmark::{FailedAt, JudgeSetup, Made, PairResult, PlannedPair, Shown};
pub use bookings::{Booking, booked_usd, bookings_path};
pub use clock::{micros_of, rfc3339};
pub use folder::{
    AssetPaths, CONFIG_FILE, DATABASE_FILE, SHEETS_FOLDER, config_of, default_folder,
};
pub(crate) use folder::{read_json, write_json, write_whole};
pub use fronts::{FRONTS_FILE, FrontRow, ShownFronts, front_rows, write_front_rows};
pub use metric_rows::{Bias, ErrorMapRow, METRICS_FILE, MetricRow, MetricsKept, SetRow};
pub use money::{CANARY_BEGUN, Canary, Spent};
pub use opinions::{OPINIONS_FILE, Opinion, OpinionsKept};
pub use pseudonyms::Pseudonyms;
pub use rater::{PERSON_PREFIX, Rater, RaterKind};
pub use readers::each_record;
pub use record::Record;
pub use recorded::{Recorded, Unread};
pub use recover::Recovered;
pub use request::{PlanKeys, Request};
pub(crate) use shards::other_division;
pub use shards::{RunFolders, run_folders, shard_folder};
pub use shown::{ShownPicture, read_picture};
pub use slots::Slots;
pub use vote::{Vote, VoteSource};

use crate::error::Error;
use crate::judge::{Part, Picture};
use crate::save::remove_leftovers;
use asked::{insert_request, sheet_file};
use attempt::{Said, insert_attempt};
use database::{create, open_to_read, open_to_write};
use document::{keep, read};
use group::Group;
use journal::Journal;
use rusqlite::{Connection, OpenFlags};
use serde_json::json;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// An open run folder, locked against other processes that ask while questions are asked.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    folder: PathBuf,
    /// False for one that is only in memory; its folder is empty then.
    is_on_disk: bool,
    /// Present while writes are gathered into one transaction.
    group: Option<Group>,
    /// None for a reader and in memory.
    journal: Option<Journal>,
    /// Held until the store is dropped; none for a reader.
    _lock: Option<File>,
}

impl Store {
    /// Opens a run to ask its questions, or creates it. Only one process at a time can.
    ///
    /// # Errors
    /// [`Error`].
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let shards = other_division(folder, None);
        if let Some(found) = shards.filter(|_| !folder.join(DATABASE_FILE).exists()) {
            return Err(Error::run(format!("the folder has {found}, which a run in the same folder would hide; use another run folder, and name both folders to rate them together")).at(folder));
        }
        std::fs::create_dir_all(folder.join(SHEETS_FOLDER))
            .map_err(|e| error::file("create", folder, e))?;
        let lock = folder::lock(folder)?;
        remove_leftovers(folder);
        let connection = open_to_write(folder, OpenFlags::SQLITE_OPEN_CREATE)?;
        let mut store = Self { _lock: Some(lock), ..Self::with_journal(connection, folder)? };
        store.end_interrupted()?;
        store.tidy_batches()?;
        Ok(store)
    }

    /// A run in memory: keeps records until dropped, stores no pictures, takes no batches.
    ///
    /// # Errors
    /// [`Error`].
    pub fn in_memory() -> Result<Self, Error> {
        let failed = |e: rusqlite::Error| error::database(Path::new(":memory:"), &e);
        let mut connection = Connection::open_in_memory().map_err(failed)?;
        create(&mut connection).map_err(failed)?;
        Ok(Self { is_on_disk: false, ..Self::of(connection, Path::new("")) })
    }

    fn of(connection: Connection, folder: &Path) -> Self {
        Self {
            connection,
            folder: folder.to_owned(),
            is_on_disk: true,
            group: None,
            journal: None,
            _lock: None,
        }
    }

    /// One whose changes are written to the journal of its folder.
    fn with_journal(connection: Connection, folder: &Path) -> Result<Self, Error> {
        let journal = Some(Journal::open(folder, &connection)?);
        Ok(Self { journal, ..Self::of(connection, folder) })
    }

    /// Opens a run to read it, also while another process asks its questions, and also in a folder
    /// that cannot be written.
    ///
    /// # Errors
    /// No run in this folder, or one that cannot be read.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        Self::find(folder)?.ok_or_else(|| error::no_run(folder))
    }

    /// As [`Store::read`]; none if there is no run in this folder.
    ///
    /// # Errors
    /// A run that cannot be read.
    pub fn find(folder: &Path) -> Result<Option<Self>, Error> {
        let path = folder.join(DATABASE_FILE);
        if path.is_file()
            && let (connection, true) = open_to_read(&path)?
        {
            return Ok(Some(Self::of(connection, folder)));
        }
        if folder::was_asked(folder) { Err(error::database_gone(folder)) } else { Ok(None) }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The kind of network disk with the run; none for a local disk.
    pub fn network_disk(&self) -> Option<&'static str> {
        disk::network_disk(&self.folder)
    }

    /// The path of a picture that the run keeps.
    pub fn sheet(&self, picture: &Picture) -> PathBuf {
        self.folder.join(sheet_file(picture))
    }

    /// Writes `run.toml` and a dated copy in the database, so the run lists all its commands.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_config(&mut self, config: &toml::Table) -> Result<(), Error> {
        let mut config = config.clone();
        if let Ok(folder) = std::env::current_dir() {
            config.insert(folder::WORKING_FOLDER.to_owned(), folder.display().to_string().into());
        }
        let text = config.to_string();
        write_whole(&self.folder.join(CONFIG_FILE), text.as_bytes())?;
        self.transaction(|t| {
            let count: i64 = t.query_row("SELECT count(*) FROM commands", [], |row| row.get(0))?;
            let command = json!({"started_at": rfc3339(SystemTime::now()), "config": text});
            keep(t, "commands", &(count + 1).to_string(), &command)
        })
    }

    /// Whether the question has its verdict. Nothing else counts as an answer.
    ///
    /// # Errors
    /// [`Error`].
    pub fn is_answered(&self, request: &Request) -> Result<bool, Error> {
        let verdicts = "SELECT 1 FROM questions q JOIN attempts t ON t.question = q.number WHERE q.id = ? AND t.outcome = 'verdict'";
        self.exists(verdicts, [&request.id])
    }

    /// Plan keys of the requests that have a verdict, with their ids; see [`PlanKeys`].
    ///
    /// # Errors
    /// [`Error`].
    pub fn answered_as_planned(&self) -> Result<HashMap<String, String>, Error> {
        let verdicts = "SELECT q.planned, q.id FROM questions q JOIN attempts t ON t.question = q.number WHERE q.planned IS NOT NULL AND t.outcome = 'verdict'";
        self.rows(verdicts, [], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// How many questions to each judge have their verdict.
    ///
    /// # Errors
    /// [`Error`].
    pub fn num_answered(&self) -> Result<HashMap<String, u64>, Error> {
        let verdicts = "SELECT q.judge, count(*) FROM questions q JOIN attempts t ON t.question = q.number WHERE t.outcome = 'verdict' GROUP BY q.judge";
        self.rows(verdicts, [], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))
    }

    /// Records a question with its pictures before it is asked; does nothing if already recorded.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_request(&mut self, request: &Request) -> Result<(), Error> {
        if self.exists("SELECT 1 FROM questions WHERE id = ?", [&request.id])? {
            return Ok(());
        }
        for part in &request.question.parts {
            if let Part::Picture(picture) = part
                && self.is_on_disk
            {
                let path = self.sheet(picture);
                // A file under its final name is whole, and its name is its content.
                if path.exists() {
                    continue;
                }
                match &mut self.group {
                    Some(group) => {
                        group.pictures.insert(path, Arc::clone(&picture.bytes));
                    }
                    None => {
                        folder::write_part(&self.folder, &path, &picture.bytes)?;
                        folder::sync_folder(&self.folder.join(SHEETS_FOLDER))?;
                    }
                }
            }
        }
        self.transaction(|t| insert_request(t, request))
    }

    /// Records an attempt at a recorded question; it is on the disk when this returns.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_attempt(&mut self, request: &Request, attempt: &Attempt) -> Result<(), Error> {
        self.transaction(|t| {
            insert_attempt(t, &request.id, rfc3339(attempt.asked_at), attempt)?;
            if attempt.outcome.verdict().is_some() {
                let (base_url, settings) = (request.base_url.clone(), request.settings.clone());
                JudgeSetup { base_url, settings }.keep(t, &request.judge)?;
            }
            for under_way in ["sending", "batch_items"] {
                t.prepare_cached(&format!("DELETE FROM {under_way} WHERE question = (SELECT number FROM questions WHERE id = ?)"))?
                    .execute([&request.id])?;
            }
            Ok(())
        })
    }

    /// Calls `each` with the number, the raw reply and the reasoning of every question that has a
    /// reply, in the order of recording: that with the verdict, else the last one.
    ///
    /// # Errors
    /// [`Error`], and whatever `each` fails with.
    pub fn words(
        &self,
        mut each: impl FnMut(u64, &str, &str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let failed = |e: rusqlite::Error| self.failed(&e);
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT q.number, q.id, t.body, t.sum FROM questions q JOIN attempts t ON t.question = q.number ORDER BY q.number, t.id",
            )
            .map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        let mut last: Option<(i64, Said)> = None;
        let mut say = |(number, said): (i64, Said)| {
            each(number.unsigned_abs(), said.raw.as_deref().unwrap_or_default(), &said.reasoning)
        };
        while let Some(row) = rows.next().map_err(failed)? {
            let text = |column| row.get_ref(column).and_then(|text| Ok(text.as_str()?));
            let number: i64 = row.get(0).map_err(failed)?;
            let (id, body) = (text(1).map_err(failed)?, text(2).map_err(failed)?);
            let said: Option<Said> = read(id, body, row.get(3).map_err(failed)?);
            let said = said.ok_or_else(|| self.damaged("an attempt"))?;
            if last.as_ref().is_some_and(|(other, _)| *other != number) {
                last.take().map(&mut say).transpose()?;
            }
            if said.raw.is_some() && !last.as_ref().is_some_and(|(_, said)| said.is_verdict()) {
                last = Some((number, said));
            }
        }
        last.map(say).transpose().map(drop)
    }

    /// Questions that were recorded, answered or not.
    ///
    /// # Errors
    /// [`Error`].
    pub fn num_questions(&self) -> Result<u64, Error> {
        self.number("SELECT coalesce(max(number), 0) FROM questions").map(i64::unsigned_abs)
    }

    /// Calls `each` with the id of every question that was asked, and whether it has its verdict.
    ///
    /// # Errors
    /// [`Error`].
    pub fn outcomes(&self, mut each: impl FnMut(String, bool)) -> Result<(), Error> {
        self.connection
            .prepare_cached(
                "SELECT id, EXISTS (SELECT 1 FROM attempts WHERE question = number AND outcome = 'verdict')
                 FROM questions WHERE EXISTS (SELECT 1 FROM attempts WHERE question = number) ORDER BY number",
            )
            .and_then(|mut statement| {
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    each(row.get(0)?, row.get(1)?);
                }
                Ok(())
            })
            .map_err(|e| self.failed(&e))
    }

    fn failed(&self, error: &rusqlite::Error) -> Error {
        error::database(&self.folder.join(DATABASE_FILE), error)
    }

    fn damaged(&self, what: &str) -> Error {
        Error::run(format!("the run is damaged: {what} is not what was written; `meshjudge recover` rebuilds it from the journal, else restore the file from a copy")).at(self.folder.join(DATABASE_FILE))
    }
}
