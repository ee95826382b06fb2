//! Batches of a run: their lines as files, and the questions in them, so that a batch outlives the
//! process that submitted it.
//!
//! A batch is sealed (its file closed, its row written), then submitted, then named by the
//! provider, then its replies are kept, then each of its questions becomes an attempt. If the
//! process ends between two of these steps, the next one resumes there.

use super::attempt::answers;
use super::folder::sync_folder;
use super::shown::read_picture;
use super::{Request, Store, error};
use crate::error::Error;
use crate::judge::{Asset, BATCH_ENDED, BatchReply, Evidence, Part, Picture, Question};
use crate::render::ProtocolRecord;
use crate::rubric::{Order, Rubric};
use crate::save::file_name;
use rusqlite::params;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The lines of batches that are open.
const BATCHES_FOLDER: &str = "batches";

/// The lines of a batch that is being filled.
#[derive(Debug)]
pub struct NewBatch {
    /// Submitted with the batch to recognise it at the provider; 32 hexadecimal digits.
    pub mark: String,
    pub bytes: u64,
    path: PathBuf,
    writer: BufWriter<File>,
}

/// A batch that has not ended.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenBatch {
    /// Its number in the run.
    pub id: i64,
    pub judge: String,
    pub base_url: Option<String>,
    /// See [`NewBatch::mark`].
    pub mark: String,
    /// The provider's name for it; none until it is known to have been accepted.
    pub name: Option<String>,
    /// When its file was closed.
    pub sealed_at: SystemTime,
    /// The ids of its questions that still wait for a reply, in the order of its lines.
    pub keys: Vec<String>,
}

/// The reservations for the questions of one judge in batches.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldInBatches {
    pub judge: String,
    pub base_url: Option<String>,
    pub requests: u64,
    pub cost_usd_max: f64,
}

/// A question's place in a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchItem {
    /// When its batch was sealed.
    pub sealed_at: SystemTime,
    /// US dollars reserved for it.
    pub cost_usd_max: Option<f64>,
    /// None until the batch has ended.
    pub reply: Option<BatchReply>,
    /// Whether its line asks for an answer by schema.
    pub by_schema: bool,
}

impl NewBatch {
    /// Adds a line.
    ///
    /// # Errors
    /// [`Error`].
    pub fn push(&mut self, line: &[u8]) -> Result<(), Error> {
        self.bytes += line.len() as u64;
        self.writer.write_all(line).map_err(|e| error::file("write", &self.path, e))
    }
}

impl Store {
    /// Begins a batch's file. A file never sealed is removed when the run is next opened.
    ///
    /// # Errors
    /// [`Error`].
    pub fn begin_batch(&self, mark: &str) -> Result<NewBatch, Error> {
        if !self.is_on_disk {
            let reason =
                std::io::Error::other("a run in memory takes no batches; name a run folder");
            return Err(error::file("create", Path::new(BATCHES_FOLDER), reason));
        }
        let folder = self.folder.join(BATCHES_FOLDER);
        std::fs::create_dir_all(&folder).map_err(|e| error::file("create", &folder, e))?;
        let path = batch_path(&self.folder, mark);
        let file = File::create(&path).map_err(|e| error::file("write", &path, e))?;
        Ok(NewBatch { mark: mark.to_owned(), bytes: 0, path, writer: BufWriter::new(file) })
    }

    /// Closes the file and records the batch with its questions, each with the most that it may
    /// cost and whether it is asked by schema; all is on the disk when this returns.
    ///
    /// # Errors
    /// [`Error`].
    pub fn seal_batch(
        &mut self,
        batch: NewBatch,
        judge: &str,
        base_url: Option<&str>,
        items: &[(String, Option<f64>, bool)],
    ) -> Result<OpenBatch, Error> {
        let NewBatch { mark, path, writer, .. } = batch;
        let failed = |e: std::io::Error| error::file("write", &path, e);
        let file = writer.into_inner().map_err(|e| failed(e.into_error()))?;
        file.sync_all().map_err(failed)?;
        sync_folder(&self.folder.join(BATCHES_FOLDER))?;
        let sealed_at = SystemTime::now();
        let id = self.transaction(|t| {
            t.execute(
                "INSERT INTO batches (judge, base_url, mark, sealed_ms, is_open) VALUES (?, ?, ?, ?, 1)",
                params![judge, base_url, mark, millis(sealed_at)],
            )?;
            let id = t.last_insert_rowid();
            let mut insert = t.prepare_cached(
                "INSERT INTO batch_items (question, batch, place, cost_usd_max, answers) SELECT number, ?2, ?3, ?4, ?5 FROM questions WHERE id = ?1",
            )?;
            for (place, (key, cost_usd_max, by_schema)) in items.iter().enumerate() {
                insert.execute(params![key, id, place as i64, cost_usd_max, answers(*by_schema)])?;
            }
            Ok(id)
        })?;
        self.flush()?;
        Ok(OpenBatch {
            id,
            judge: judge.to_owned(),
            base_url: base_url.map(str::to_owned),
            mark,
            name: None,
            sealed_at,
            keys: items.iter().map(|(key, ..)| key.clone()).collect(),
        })
    }

    /// Records what the provider calls a batch, or that it knows none.
    ///
    /// # Errors
    /// [`Error`].
    pub fn name_batch(&mut self, id: i64, name: Option<&str>) -> Result<(), Error> {
        self.transaction(|t| {
            t.execute("UPDATE batches SET name = ?2 WHERE id = ?1", params![id, name])?;
            Ok(())
        })?;
        self.flush()
    }

    /// The lines of an open batch.
    ///
    /// # Errors
    /// [`Error`].
    pub fn batch_lines(&self, batch: &OpenBatch) -> Result<Vec<u8>, Error> {
        let path = batch_path(&self.folder, &batch.mark);
        std::fs::read(&path).map_err(|e| error::file("read", &path, e))
    }

    /// Records replies of a batch, which ends where these are all that were missing. They are on
    /// the disk when this returns, and only then is the file of an ended batch removed.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_replies(
        &mut self,
        batch: &OpenBatch,
        replies: &[(String, BatchReply)],
        is_end: bool,
    ) -> Result<(), Error> {
        self.transaction(|t| {
            let mut update = t.prepare_cached(
                "UPDATE batch_items SET reply = ?3 WHERE batch = ?2 AND question = (SELECT number FROM questions WHERE id = ?1)",
            )?;
            for (key, reply) in replies {
                let reply = serde_json::to_string(reply).expect("plain data");
                update.execute(params![key, batch.id, reply])?;
            }
            t.execute(
                "UPDATE batches SET is_open = ?2 WHERE id = ?1",
                params![batch.id, !is_end],
            )?;
            Ok(())
        })?;
        self.flush()?;
        if is_end {
            // A file that stays is removed when the run is next opened.
            let _ = std::fs::remove_file(batch_path(&self.folder, &batch.mark));
        }
        Ok(())
    }

    /// Every batch that has not ended, oldest first.
    ///
    /// # Errors
    /// [`Error`].
    pub fn open_batches(&self) -> Result<Vec<OpenBatch>, Error> {
        let read = || -> rusqlite::Result<Vec<OpenBatch>> {
            let mut batches = self.connection.prepare_cached(
                "SELECT id, judge, base_url, mark, name, sealed_ms FROM batches WHERE is_open ORDER BY id",
            )?;
            let mut keys = self.connection.prepare_cached(
                "SELECT q.id FROM batch_items i JOIN questions q ON q.number = i.question WHERE i.batch = ? AND i.reply IS NULL ORDER BY i.place",
            )?;
            let found = batches.query_map([], |row| {
                let id: i64 = row.get(0)?;
                Ok(OpenBatch {
                    id,
                    judge: row.get(1)?,
                    base_url: row.get(2)?,
                    mark: row.get(3)?,
                    name: row.get(4)?,
                    sealed_at: time(row.get(5)?),
                    keys: keys.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?,
                })
            })?;
            found.collect()
        };
        read().map_err(|e| self.failed(&e))
    }

    /// The names of all batches that were ever submitted for this run.
    ///
    /// # Errors
    /// [`Error`].
    pub fn batch_names(&self) -> Result<Vec<String>, Error> {
        self.rows("SELECT name FROM batches WHERE name IS NOT NULL", [], |row| row.get(0))
    }

    /// The place of a question in a batch, open or ended, if it is in one.
    ///
    /// # Errors
    /// [`Error`].
    pub fn batch_item(&self, key: &str) -> Result<Option<BatchItem>, Error> {
        let read = |row: &rusqlite::Row<'_>| {
            let reply: Option<String> = row.get(2)?;
            Ok(BatchItem {
                sealed_at: time(row.get(0)?),
                cost_usd_max: row.get(1)?,
                // An unparsable reply (somebody edited the file) counts as missing.
                reply: reply.map(|text| serde_json::from_str(&text).unwrap_or(BatchReply::Missing)),
                by_schema: row.get::<_, Option<String>>(3)?.is_none_or(|it| it == "schema"),
            })
        };
        self.maybe_row(
            "SELECT b.sealed_ms, i.cost_usd_max, i.reply, i.answers FROM batch_items i JOIN batches b ON b.id = i.batch
             JOIN questions q ON q.number = i.question WHERE q.id = ?",
            [key],
            read,
        )
    }

    /// How many batches ended without an answer to that question.
    ///
    /// # Errors
    /// [`Error`].
    pub fn num_batches_ended(&self, key: &str) -> Result<u32, Error> {
        let count = self.maybe_row(
            "SELECT count(*) FROM attempts a JOIN questions q ON q.number = a.question
             WHERE q.id = ? AND a.outcome = 'provider_error' AND substr(a.reason, 1, ?) = ?",
            params![key, BATCH_ENDED.len() as i64, BATCH_ENDED],
            |row| row.get(0),
        )?;
        Ok(count.unwrap_or(0))
    }

    /// Whether a question with that request is in a batch.
    ///
    /// # Errors
    /// [`Error`].
    pub fn is_in_batch(&self, request: &str) -> Result<bool, Error> {
        let items = "SELECT 1 FROM questions q JOIN batch_items i ON i.question = q.number WHERE q.request = ?";
        self.exists(items, [request])
    }

    /// The reservations for questions in batches, by judge.
    ///
    /// # Errors
    /// [`Error`].
    pub fn held_in_batches(&self) -> Result<Vec<HeldInBatches>, Error> {
        let read = |row: &rusqlite::Row<'_>| {
            Ok(HeldInBatches {
                judge: row.get(0)?,
                base_url: row.get(1)?,
                requests: row.get::<_, i64>(2)?.unsigned_abs(),
                cost_usd_max: row.get(3)?,
            })
        };
        self.rows(
            "SELECT b.judge, b.base_url, count(*), total(i.cost_usd_max) FROM batch_items i JOIN batches b ON b.id = i.batch
             GROUP BY b.judge, b.base_url",
            [],
            read,
        )
    }

    /// The message of a recorded question, as it was sent.
    ///
    /// # Errors
    /// [`Error`], also where a picture's file is missing or was changed.
    pub fn message(&self, key: &str) -> Result<Vec<Part>, Error> {
        type Row = (Option<String>, Option<String>, Option<(String, String, u32, u32)>);
        let rows: Vec<Row> = self.rows(
            "SELECT t.text, e.text, s.hash, s.media_type, s.width_px, s.height_px
             FROM parts p JOIN questions q ON q.number = p.question
             LEFT JOIN texts t ON t.hash = p.text LEFT JOIN texts e ON e.hash = p.example_answer
             LEFT JOIN pictures s ON s.hash = p.picture
             WHERE q.id = ? ORDER BY p.place",
            [key],
            |row| {
                let hash: Option<String> = row.get(2)?;
                let picture = hash.map(|hash| -> rusqlite::Result<_> {
                    Ok((hash, row.get(3)?, row.get(4)?, row.get(5)?))
                });
                Ok((row.get(0)?, row.get(1)?, picture.transpose()?))
            },
        )?;
        rows.into_iter()
            .filter_map(|row| match row {
                (Some(text), _, _) => Some(Ok(Part::Text(text))),
                (_, Some(answer), _) => Some(Ok(Part::ExampleAnswer(answer))),
                (_, _, Some(picture)) => Some(self.picture(picture).map(Part::Picture)),
                (None, None, None) => None,
            })
            .collect()
    }

    /// Whether messages can be read again: a run in memory keeps no pictures.
    pub fn keeps_messages(&self) -> bool {
        self.is_on_disk
    }

    /// A recorded request with its message, its rubric being `rubric`. What a measuring judge looks
    /// at is not kept, nor is the key of the question alone.
    ///
    /// # Errors
    /// [`Error`], also where a picture is gone.
    pub fn request(&self, id: &str, rubric: &Arc<Rubric>) -> Result<Request, Error> {
        let parts = self.message(id)?;
        let read = |row: &rusqlite::Row<'_>| {
            let asset = |first: usize| -> rusqlite::Result<Asset> {
                Ok(Asset {
                    hash: row.get(first)?,
                    path: row.get(first + 1)?,
                    method: row.get(first + 2)?,
                })
            };
            let protocol: Option<String> = row.get(10)?;
            let order: String = row.get(12)?;
            let question = Question {
                rubric: Arc::clone(rubric),
                category: row.get(2)?,
                prompt: row.get(3)?,
                parts,
                evidence: Evidence::default(),
                a: asset(4)?,
                b: (row.get::<_, Option<String>>(7)?.map(|_| asset(7))).transpose()?,
                order: Order::named(&order).unwrap_or(Order::AsListed),
                photo: None,
                protocol: match protocol {
                    Some(hash) => Some(Arc::new(ProtocolRecord { hash, json: row.get(11)? })),
                    None => None,
                },
                plan_key: None,
                view_px: row.get(13)?,
            };
            Ok(Request {
                id: id.to_owned(),
                content_hash: row.get(0)?,
                question: Arc::new(question),
                sample: row.get(14)?,
                judge: row.get(15)?,
                base_url: row.get(16)?,
                settings: row.get(17)?,
                plan_key: row.get(1)?,
            })
        };
        self.row(
                "SELECT q.request, q.planned, q.category, q.prompt, a.hash, a.path, a.method, b.hash, b.path, b.method, p.hash, p.record,
                        q.\"order\", q.view_px, q.sample, q.judge, q.base_url, q.settings
                 FROM questions q JOIN assets a ON a.id = q.a LEFT JOIN assets b ON b.id = q.b LEFT JOIN protocols p ON p.hash = q.protocol
                 WHERE q.id = ?",
            [id],
            read,
        )
    }

    fn picture(
        &self,
        (hash, media_type, width_px, height_px): (String, String, u32, u32),
    ) -> Result<Picture, Error> {
        let mut picture = Picture {
            bytes: Arc::from([]),
            media_type: if media_type == "image/jpeg" { "image/jpeg" } else { "image/png" },
            hash,
            width_px,
            height_px,
        };
        let path = self.sheet(&picture);
        let bytes = read_picture(&path)?;
        picture.bytes = bytes.into();
        Ok(picture)
    }

    /// Removes the files of batches that were never sealed or have ended.
    pub(super) fn tidy_batches(&self) -> Result<(), Error> {
        let open: Vec<PathBuf> = self
            .open_batches()?
            .iter()
            .map(|batch| batch_path(&self.folder, &batch.mark))
            .collect();
        let folder = self.folder.join(BATCHES_FOLDER);
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if is_lines(&path) && !open.contains(&path) {
                // A leftover that cannot be removed does no harm.
                let _ = std::fs::remove_file(path);
            }
        }
        Ok(())
    }
}

pub(super) fn batch_path(folder: &Path, mark: &str) -> PathBuf {
    folder.join(BATCHES_FOLDER).join(file_name(mark) + ".jsonl")
}

fn is_lines(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "jsonl")
}

fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn time(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(millis.unsigned_abs())
}
