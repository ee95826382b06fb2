//! The run folder: every question, every attempt, every reply and verdict, and the very pictures that were sent.
//!
//! `run.toml` is the resolved configuration of the last command (never a key), `run.sqlite` everything that was asked and answered,
//! `sheets/<hash>.png` the pictures. An attempt is one durable transaction (WAL, `synchronous = FULL`), a picture is on the disk before
//! its question is recorded, a request is recorded before it is sent: a killed process loses at most the replies in flight, and what
//! those may have cost still counts.
//! Knows nothing of what is asked next, nor of ratings.

mod attempt;
mod batch;
mod benchmark;
mod clock;
mod copy;
mod error;
mod folder;
mod money;
mod rater;
mod read_records;
mod record;
mod recorded;
mod request;
mod shown;
mod vote;

pub use attempt::Attempt;
pub use batch::{BatchItem, HeldInBatches, NewBatch, OpenBatch};
pub use benchmark::{FailedAt, Made, PairResult, PlannedPair};
pub use clock::rfc3339;
pub use error::StoreError;
pub use folder::{CONFIG_FILE, DATABASE_FILE, SHEETS_FOLDER, config_of, default_folder};
pub use money::Canary;
pub use rater::{PERSON_PREFIX, Rater, RaterKind};
pub use record::Record;
pub use recorded::Recorded;
pub use request::{Request, plan_key};
pub use shown::ShownPicture;
pub use vote::Vote;

use crate::judge::{Asset, Part, Picture};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, params};
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// `application_id`: "MJRN".
const APPLICATION_ID: i64 = 0x4d4a_524e;

/// `user_version`: the layout in `schema.sql`.
const LAYOUT: i64 = 4;

/// A reader may hold the file for a moment.
const BUSY: Duration = Duration::from_secs(10);

/// An open run folder, locked against other processes while questions are asked.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    folder: PathBuf,
    /// False for one that is only in memory; its folder is empty then.
    is_on_disk: bool,
    /// Held until the store is dropped; none for a reader.
    _lock: Option<File>,
}

impl Store {
    /// Opens a run to ask its questions, and creates it where there is none. Only one process at a time can.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder.join(SHEETS_FOLDER))
            .map_err(|e| StoreError::file("create", folder, &e))?;
        let lock = folder::lock(folder)?;
        let path = folder.join(DATABASE_FILE);
        let failed = |e: rusqlite::Error| StoreError::database(&path, &e);
        let mut connection = Connection::open(&path).map_err(failed)?;
        connection.busy_timeout(BUSY).map_err(failed)?;
        if !is_ours(&connection, &path)? {
            create(&mut connection).map_err(failed)?;
        }
        connection
            .pragma_update(None, "journal_mode", "WAL")
            .map_err(failed)?;
        connection
            .pragma_update(None, "synchronous", "FULL")
            .map_err(failed)?;
        connection
            .pragma_update(None, "foreign_keys", true)
            .map_err(failed)?;
        let mut store = Self {
            connection,
            folder: folder.to_owned(),
            is_on_disk: true,
            _lock: Some(lock),
        };
        store.recover()?;
        store.tidy_batches()?;
        Ok(store)
    }

    /// A run in memory: keeps its records until it is dropped, stores no pictures, takes no batches.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn in_memory() -> Result<Self, StoreError> {
        let failed = |e: rusqlite::Error| StoreError::database(Path::new(":memory:"), &e);
        let mut connection = Connection::open_in_memory().map_err(failed)?;
        create(&mut connection).map_err(failed)?;
        Ok(Self {
            connection,
            folder: PathBuf::new(),
            is_on_disk: false,
            _lock: None,
        })
    }

    /// Opens a run to read it, also while another process asks its questions.
    ///
    /// # Errors
    /// [`StoreError`], among them [`StoreError::NoRun`].
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(DATABASE_FILE);
        if !path.is_file() {
            return Err(StoreError::NoRun {
                path: folder.to_owned(),
            });
        }
        let failed = |e: rusqlite::Error| StoreError::database(&path, &e);
        let connection =
            Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
        connection.busy_timeout(BUSY).map_err(failed)?;
        if !is_ours(&connection, &path)? {
            return Err(StoreError::NoRun {
                path: folder.to_owned(),
            });
        }
        Ok(Self {
            connection,
            folder: folder.to_owned(),
            is_on_disk: true,
            _lock: None,
        })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of a picture that the run keeps.
    pub fn sheet(&self, picture: &Picture) -> PathBuf {
        self.folder.join(sheet_file(picture))
    }

    /// Writes `run.toml` and keeps a dated copy in the database, so that the run lists all its commands.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn keep_config(&mut self, config: &toml::Table) -> Result<(), StoreError> {
        let text = config.to_string();
        folder::write_whole(&self.folder.join(CONFIG_FILE), text.as_bytes())?;
        self.transaction(|t| {
            let now = rfc3339(SystemTime::now());
            t.execute(
                "INSERT INTO commands (started_at, config) VALUES (?, ?)",
                params![now, text],
            )?;
            Ok(())
        })
    }

    /// Whether the question has its verdict. Nothing else counts as an answer.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn is_answered(&self, request: &Request) -> Result<bool, StoreError> {
        self.connection
            .prepare_cached("SELECT 1 FROM questions q JOIN attempts t ON t.question = q.number WHERE q.id = ? AND t.outcome = 'verdict'")
            .and_then(|mut statement| statement.exists([&request.id]))
            .map_err(|e| self.failed(&e))
    }

    /// Plan keys of the requests that have a verdict, with their ids; see [`plan_key`].
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn answered_as_planned(&self) -> Result<HashMap<String, String>, StoreError> {
        self.connection
            .prepare_cached("SELECT q.planned, q.id FROM questions q JOIN attempts t ON t.question = q.number WHERE q.planned IS NOT NULL AND t.outcome = 'verdict'")
            .and_then(|mut statement| statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
            .map_err(|e| self.failed(&e))
    }

    /// How many questions to each judge have their verdict.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn num_answered(&self) -> Result<HashMap<String, u64>, StoreError> {
        self.connection
            .prepare_cached("SELECT q.judge, count(*) FROM questions q JOIN attempts t ON t.question = q.number WHERE t.outcome = 'verdict' GROUP BY q.judge")
            .and_then(|mut statement| {
                let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()));
                statement.query_map([], read)?.collect()
            })
            .map_err(|e| self.failed(&e))
    }

    /// Records a question with its pictures, before it is asked; nothing happens if it is recorded already.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn keep_request(&mut self, request: &Request) -> Result<(), StoreError> {
        let known = self
            .connection
            .prepare_cached("SELECT 1 FROM questions WHERE id = ?")
            .and_then(|mut statement| statement.exists([&request.id]))
            .map_err(|e| self.failed(&e))?;
        if known {
            return Ok(());
        }
        for part in &request.question.parts {
            if let Part::Picture(picture) = part
                && self.is_on_disk
            {
                let path = self.sheet(picture);
                // A file under its final name is whole, and its name is its content.
                if !path.exists() {
                    folder::write_whole(&path, &picture.bytes)?;
                }
            }
        }
        self.transaction(|t| insert_request(t, request))
    }

    /// Records an attempt at a recorded question; it is on the disk when this returns.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn keep_attempt(&mut self, request: &Request, attempt: &Attempt) -> Result<(), StoreError> {
        let verdict = attempt
            .outcome
            .verdict()
            .map(|v| serde_json::to_string(v).expect("a verdict is plain data"));
        let reply = attempt.reply.as_ref();
        let finish = reply.map(|r| serde_json::to_string(&r.finish).expect("plain data"));
        self.transaction(|t| {
            t.prepare_cached(
                "INSERT INTO attempts (question, asked_at, seconds, outcome, reason, verdict, raw, finish, http_status, model_reported,
                    fingerprint, input_tokens, output_tokens, reasoning_tokens, cached_tokens, cost_usd, cost_usd_max, probabilities,
                    reused_from)
                 SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19
                 FROM questions WHERE id = ?1",
            )?
            .execute(params![
                request.id,
                rfc3339(attempt.asked_at),
                attempt.elapsed.as_secs_f64(),
                attempt.outcome.name(),
                attempt.outcome.reason(),
                verdict,
                reply.map(|r| &r.text),
                finish,
                attempt.http_status,
                reply.and_then(|r| r.model_reported.as_ref()),
                reply.and_then(|r| r.fingerprint.as_ref()),
                reply.and_then(|r| r.usage.input_tokens).map(to_i64),
                reply.and_then(|r| r.usage.output_tokens).map(to_i64),
                reply.and_then(|r| r.usage.reasoning_tokens).map(to_i64),
                reply.and_then(|r| r.usage.cached_tokens).map(to_i64),
                reply.and_then(|r| r.cost_usd),
                attempt.cost_usd_max,
                attempt.probabilities.as_ref().map(serde_json::Value::to_string),
                attempt.reused_from,
            ])
            .and_then(|count| if count == 1 { Ok(()) } else { Err(rusqlite::Error::QueryReturnedNoRows) })?;
            for under_way in ["sending", "batch_items"] {
                t.prepare_cached(&format!("DELETE FROM {under_way} WHERE question = (SELECT number FROM questions WHERE id = ?)"))?
                    .execute([&request.id])?;
            }
            Ok(())
        })
    }

    /// Calls `each` with every question that was asked, in the order of recording. A question that was recorded and whose first
    /// reply never arrived has no outcome yet and is left out; their number is returned.
    ///
    /// # Errors
    /// [`StoreError`], and whatever `each` fails with.
    pub fn records<E: From<StoreError>>(
        &self,
        each: impl FnMut(Record) -> Result<(), E>,
    ) -> Result<usize, E> {
        read_records::walk(&self.connection, |e| self.failed(e), None, each)
    }

    /// The record of one request, if it has an outcome.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn record(&self, id: &str) -> Result<Option<Record>, StoreError> {
        let mut found = None;
        read_records::walk(
            &self.connection,
            |e| self.failed(e),
            Some(id),
            |record| {
                found = Some(record);
                Ok::<(), StoreError>(())
            },
        )?;
        Ok(found)
    }

    fn transaction<T>(
        &mut self,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let path = self.folder.join(DATABASE_FILE);
        let failed = |e: rusqlite::Error| StoreError::database(&path, &e);
        let transaction = self
            .connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .map_err(failed)?;
        let written = write(&transaction).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(written)
    }

    fn failed(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::database(&self.folder.join(DATABASE_FILE), error)
    }
}

fn sheet_file(picture: &Picture) -> String {
    format!("{SHEETS_FOLDER}/{}.{}", picture.hash, picture.extension())
}

/// SQLite's integers are signed; no count comes near.
fn to_i64(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Whether the file is a run of this layout; `false` for one that is still empty.
fn is_ours(connection: &Connection, path: &Path) -> Result<bool, StoreError> {
    let failed = |e: rusqlite::Error| StoreError::database(path, &e);
    let pragma = |name: &str| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(failed)
    };
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))
        .map_err(failed)?;
    let (application, layout) = (pragma("application_id")?, pragma("user_version")?);
    if tables == 0 && application == 0 && layout == 0 {
        return Ok(false);
    }
    if application != APPLICATION_ID {
        return Err(StoreError::NotOurs {
            reason: "it is the database of another program".to_owned(),
            path: path.to_owned(),
        });
    }
    if layout != LAYOUT {
        return Err(StoreError::Version {
            found: layout,
            expected: LAYOUT,
            path: path.to_owned(),
        });
    }
    Ok(true)
}

/// Lays out an empty file, as a whole or not at all.
fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    transaction.execute_batch(include_str!("schema.sql"))?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", LAYOUT)?;
    transaction.commit()
}

fn insert_request(t: &Transaction<'_>, request: &Request) -> rusqlite::Result<()> {
    let question = &request.question;
    let a = insert_asset(t, &question.a)?;
    let b = question
        .b
        .as_ref()
        .map(|b| insert_asset(t, b))
        .transpose()?;
    if let Some(protocol) = &question.protocol {
        t.prepare_cached("INSERT OR IGNORE INTO protocols (hash, record) VALUES (?, ?)")?
            .execute(params![protocol.hash, protocol.json])?;
    }
    t.prepare_cached(
        "INSERT INTO questions (id, request, rubric, rubric_hash, category, prompt, a, b, \"order\", sample, judge, base_url, settings,
            protocol, recorded_at, planned, view_px) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        request.id,
        request.content_hash,
        question.rubric.name(),
        question.rubric.hash(),
        question.category,
        question.prompt,
        a,
        b,
        question.order.as_str(),
        request.sample,
        request.judge,
        request.base_url,
        request.settings,
        question.protocol.as_ref().map(|p| &p.hash),
        rfc3339(SystemTime::now()),
        request.plan_key,
        question.view_px,
    ])?;
    let number = t.last_insert_rowid();
    for (place, part) in question.parts.iter().enumerate() {
        let (mut text, mut picture, mut answer) = (None, None, None);
        match part {
            Part::Text(words) => text = Some(insert_text(t, words)?),
            Part::Picture(shown) => picture = Some(insert_picture(t, shown)?),
            Part::ExampleAnswer(words) => answer = Some(insert_text(t, words)?),
        }
        t.prepare_cached("INSERT INTO parts (question, place, text, picture, example_answer) VALUES (?, ?, ?, ?, ?)")?
            .execute(params![number, place as i64, text, picture, answer])?;
    }
    Ok(())
}

fn insert_asset(t: &Transaction<'_>, asset: &Asset) -> rusqlite::Result<i64> {
    let values = params![asset.hash, asset.path, asset.method];
    let known = t
        .prepare_cached("SELECT id FROM assets WHERE hash = ? AND path = ? AND method = ?")?
        .query_row(values, |row| row.get(0))
        .optional()?;
    match known {
        Some(id) => Ok(id),
        None => {
            t.prepare_cached("INSERT INTO assets (hash, path, method) VALUES (?, ?, ?)")?
                .execute(values)?;
            Ok(t.last_insert_rowid())
        }
    }
}

fn insert_text(t: &Transaction<'_>, text: &str) -> rusqlite::Result<String> {
    let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
    t.prepare_cached("INSERT OR IGNORE INTO texts (hash, text) VALUES (?, ?)")?
        .execute(params![hash, text])?;
    Ok(hash)
}

fn insert_picture<'a>(t: &Transaction<'_>, picture: &'a Picture) -> rusqlite::Result<&'a str> {
    t.prepare_cached("INSERT OR IGNORE INTO pictures (hash, file, media_type, width_px, height_px, bytes) VALUES (?, ?, ?, ?, ?, ?)")?
        .execute(params![
            picture.hash,
            sheet_file(picture),
            picture.media_type,
            picture.width_px,
            picture.height_px,
            picture.bytes.len() as i64,
        ])?;
    Ok(&picture.hash)
}
