//! Batches of a run: their lines as files, and the questions in them, so that a batch outlives the
//! process that submitted it.
//!
//! A batch is sealed (its file closed, its row written), then submitted, then named by the
//! provider, then its replies are kept, then each of its questions becomes an attempt. If the
//! process ends between two of these steps, the next one resumes there.

use super::asked::{ASKED, Asked, KeptPicture, PartKey};
use super::document::{keep, to_body};
use super::folder::sync_folder;
use super::shown::read_picture;
use super::{Request, Store, error};
use crate::error::Error;
use crate::judge::{BATCH_ENDED, BatchReply, Evidence, Part, Picture, Question};
use crate::render::ProtocolRecord;
use crate::rubric::Rubric;
use crate::save::file_name;
use rusqlite::params;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
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

/// A batch as it is kept, under its mark.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    judge: String,
    base_url: Option<String>,
    name: Option<String>,
    /// Since 1970.
    sealed_ms: i64,
    is_open: bool,
}

/// A question in a batch as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Item {
    cost_usd_max: Option<f64>,
    by_schema: bool,
    reply: Option<BatchReply>,
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
            let kept = Kept {
                judge: judge.to_owned(),
                base_url: base_url.map(str::to_owned),
                name: None,
                sealed_ms: millis(sealed_at),
                is_open: true,
            };
            keep(t, "batches", &mark, &kept)?;
            let id = t.last_insert_rowid();
            let mut insert = t.prepare_cached(
                "INSERT INTO batch_items (question, batch, place, body) SELECT number, ?2, ?3, ?4 FROM questions WHERE id = ?1",
            )?;
            for (place, (key, cost_usd_max, by_schema)) in items.iter().enumerate() {
                let (cost_usd_max, by_schema) = (*cost_usd_max, *by_schema);
                let item = Item { cost_usd_max, by_schema, reply: None };
                insert.execute(params![key, id, place as i64, to_body(&item)])?;
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
        let changed = self.changed(id, |batch| batch.name = name.map(str::to_owned))?;
        self.transaction(|t| {
            changed.iter().try_for_each(|(mark, kept)| keep(t, "batches", mark, kept))
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
        let changed = self.changed(batch.id, |batch| batch.is_open = !is_end)?;
        self.transaction(|t| {
            let mut update = t.prepare_cached(
                "UPDATE batch_items SET body = json_set(body, '$.reply', json(?3))
                 WHERE batch = ?2 AND question = (SELECT number FROM questions WHERE id = ?1)",
            )?;
            for (key, reply) in replies {
                update.execute(params![key, batch.id, to_body(reply)])?;
            }
            changed.iter().try_for_each(|(mark, kept)| keep(t, "batches", mark, kept))
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
        let mut open = Vec::new();
        for (id, mark, batch) in self.batches()? {
            if batch.is_open {
                let keys = "SELECT q.id FROM batch_items i JOIN questions q ON q.number = i.question WHERE i.batch = ? AND NOT i.is_answered ORDER BY i.place";
                open.push(OpenBatch {
                    id,
                    judge: batch.judge,
                    base_url: batch.base_url,
                    mark,
                    name: batch.name,
                    sealed_at: time(batch.sealed_ms),
                    keys: self.rows(keys, [id], |row| row.get(0))?,
                });
            }
        }
        Ok(open)
    }

    /// Number, mark and row of every batch, oldest first.
    fn batches(&self) -> Result<Vec<(i64, String, Kept)>, Error> {
        let mut all = Vec::new();
        self.each_document("batches", 0, |id, mark, it| all.push((id, mark.to_owned(), it)))?;
        Ok(all)
    }

    /// Mark and row of the batch with that number, changed.
    fn changed(
        &self,
        id: i64,
        change: impl FnOnce(&mut Kept),
    ) -> Result<Option<(String, Kept)>, Error> {
        let batch = self.batches()?.into_iter().find(|(known, ..)| *known == id);
        Ok(batch.map(|(_, mark, mut kept)| {
            change(&mut kept);
            (mark, kept)
        }))
    }

    /// A question's place in a batch, and when that was sealed.
    fn item(&self, key: &str) -> Result<Option<(Item, SystemTime)>, Error> {
        let item = "SELECT i.body, b.key FROM batch_items i JOIN batches b ON b.number = i.batch
             JOIN questions q ON q.number = i.question WHERE q.id = ?";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get(1)?));
        let Some((body, mark)) = self.maybe_row::<(String, String)>(item, [key], read)? else {
            return Ok(None);
        };
        let batch: Option<Kept> = self.document("batches", &mark)?;
        // What somebody edited counts as missing.
        let item = serde_json::from_str(&body).unwrap_or(Item {
            cost_usd_max: None,
            by_schema: true,
            reply: Some(BatchReply::Missing),
        });
        Ok(batch.map(|batch| (item, time(batch.sealed_ms))))
    }

    /// The names of all batches that were ever submitted for this run.
    ///
    /// # Errors
    /// [`Error`].
    pub fn batch_names(&self) -> Result<Vec<String>, Error> {
        Ok(self.batches()?.into_iter().filter_map(|(_, _, batch)| batch.name).collect())
    }

    /// The place of a question in a batch, open or ended, if it is in one.
    ///
    /// # Errors
    /// [`Error`].
    pub fn batch_item(&self, key: &str) -> Result<Option<BatchItem>, Error> {
        let item = self.item(key)?;
        Ok(item.map(|(Item { cost_usd_max, by_schema, reply }, sealed_at)| BatchItem {
            sealed_at,
            cost_usd_max,
            reply,
            by_schema,
        }))
    }

    /// How many batches ended without an answer to that question.
    ///
    /// # Errors
    /// [`Error`].
    pub fn num_batches_ended(&self, key: &str) -> Result<u32, Error> {
        let count = self.maybe_row(
            "SELECT count(*) FROM attempts a JOIN questions q ON q.number = a.question
             WHERE q.id = ? AND a.outcome = 'provider_error' AND substr(a.body ->> '$.reason', 1, ?) = ?",
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
        let held = "SELECT batch, count(*), total(body ->> '$.cost_usd_max') FROM batch_items GROUP BY batch";
        let held: HashMap<i64, (i64, f64)> =
            self.rows(held, [], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        let mut by_judge: Vec<HeldInBatches> = Vec::new();
        for (id, _, Kept { judge, base_url, .. }) in self.batches()? {
            let Some((requests, cost_usd_max)) = held.get(&id) else {
                continue;
            };
            let known = by_judge.iter().position(|it| it.judge == judge && it.base_url == base_url);
            let at = known.unwrap_or_else(|| {
                by_judge.push(HeldInBatches { judge, base_url, requests: 0, cost_usd_max: 0.0 });
                by_judge.len() - 1
            });
            by_judge[at].requests += requests.unsigned_abs();
            by_judge[at].cost_usd_max += cost_usd_max;
        }
        Ok(by_judge)
    }

    /// The message of a recorded question, as it was sent.
    ///
    /// # Errors
    /// [`Error`], also where a picture's file is missing or was changed.
    pub fn message(&self, key: &str) -> Result<Vec<Part>, Error> {
        let Some(asked) = self.asked(key)? else {
            return Ok(Vec::new());
        };
        let lost = || self.damaged("a part of a message");
        let text = |key: &str| self.document::<String>("texts", key)?.ok_or_else(lost);
        asked
            .parts
            .iter()
            .map(|part| {
                Ok(match part {
                    PartKey::Text(key) => Part::Text(text(key)?),
                    PartKey::ExampleAnswer(key) => Part::ExampleAnswer(text(key)?),
                    PartKey::Picture(hash) => {
                        let kept = self.document("pictures", hash)?.ok_or_else(lost)?;
                        Part::Picture(self.picture(hash, kept)?)
                    }
                })
            })
            .collect()
    }

    fn asked(&self, id: &str) -> Result<Option<Asked>, Error> {
        let query = format!("SELECT {ASKED} WHERE id = ?");
        let row = self.maybe_row(&query, [id], Asked::read)?;
        row.map(|asked| asked.ok_or_else(|| self.damaged("a question"))).transpose()
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
        let Some(asked) = self.asked(id)? else {
            return Err(self.failed(&rusqlite::Error::QueryReturnedNoRows));
        };
        let protocol = |hash: String| -> Result<_, Error> {
            let query = "SELECT body FROM protocols WHERE key = ?";
            let json = self.row(query, [&hash], |row| row.get(0))?;
            Ok(Arc::new(ProtocolRecord { hash, json }))
        };
        let question = Question {
            rubric: Arc::clone(rubric),
            category: asked.category,
            prompt: asked.prompt,
            parts,
            evidence: Evidence::default(),
            a: asked.a,
            b: asked.b,
            order: asked.order,
            photo: None,
            protocol: asked.protocol.map(protocol).transpose()?,
            plan_key: None,
            view_px: asked.view_px,
        };
        Ok(Request {
            id: asked.id,
            content_hash: asked.request,
            question: Arc::new(question),
            sample: asked.sample,
            judge: asked.judge,
            base_url: asked.base_url,
            settings: asked.settings,
            plan_key: asked.planned,
        })
    }

    fn picture(&self, hash: &str, kept: KeptPicture) -> Result<Picture, Error> {
        let is_jpeg = kept.media_type == "image/jpeg";
        let mut picture = Picture {
            bytes: Arc::from([]),
            media_type: if is_jpeg { "image/jpeg" } else { "image/png" },
            hash: hash.to_owned(),
            width_px: kept.width_px,
            height_px: kept.height_px,
        };
        picture.bytes = read_picture(&self.sheet(&picture))?.into();
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
