//! Another run's questions, replies and verdicts, copied as they are.

use super::shown::read_picture;
use super::{DATABASE_FILE, SHEETS_FOLDER, Store, error};
use crate::error::Error;
use std::path::Path;

/// The copy, in an order that keeps references whole. Assets and questions get new numbers.
const COPY: &str = "
INSERT OR IGNORE INTO assets (hash, path, method) SELECT hash, path, method FROM other.assets;
INSERT OR IGNORE INTO protocols SELECT * FROM other.protocols;
INSERT OR IGNORE INTO pictures SELECT * FROM other.pictures;
INSERT OR IGNORE INTO texts SELECT * FROM other.texts;
CREATE TEMP TABLE taken AS
    SELECT q.id, n.number AS here FROM other.questions q LEFT JOIN main.questions n ON n.id = q.id
    WHERE q.id NOT IN (SELECT id FROM left_out) AND (n.number IS NULL OR (
        EXISTS (SELECT 1 FROM other.attempts t WHERE t.question = q.number AND t.outcome = 'verdict')
        AND NOT EXISTS (SELECT 1 FROM main.attempts t WHERE t.question = n.number AND t.outcome = 'verdict')
        AND NOT EXISTS (SELECT 1 FROM main.batch_items i WHERE i.question = n.number)));
INSERT INTO questions (id, request, planned, rubric, rubric_hash, category, prompt, a, b, \"order\", sample, judge, base_url, settings,
        protocol, view_px, recorded_at, photo, sum)
    SELECT q.id, q.request, q.planned, q.rubric, q.rubric_hash, q.category, q.prompt, a.id, b.id, q.\"order\", q.sample, q.judge, q.base_url,
        q.settings, q.protocol, q.view_px, q.recorded_at, q.photo, q.sum
    FROM other.questions q
    JOIN other.assets x ON x.id = q.a
    JOIN main.assets a ON a.hash = x.hash AND a.path = x.path AND a.method = x.method
    LEFT JOIN other.assets y ON y.id = q.b
    LEFT JOIN main.assets b ON b.hash = y.hash AND b.path = y.path AND b.method = y.method
    WHERE q.id IN (SELECT id FROM taken WHERE here IS NULL)
    ORDER BY q.number;
INSERT INTO parts SELECT n.number, p.place, p.text, p.picture, p.example_answer
    FROM other.parts p JOIN other.questions q ON q.number = p.question JOIN main.questions n ON n.id = q.id
    WHERE q.id IN (SELECT id FROM taken WHERE here IS NULL);
INSERT INTO attempts (question, asked_at, seconds, outcome, reason, verdict, raw, finish, http_status, model_reported, fingerprint,
        input_tokens, output_tokens, reasoning_tokens, cached_tokens, cost_usd, cost_usd_max, probabilities, reused_from, sum, answers, restates)
    SELECT n.number, t.asked_at, t.seconds, t.outcome, t.reason, t.verdict, t.raw, t.finish, t.http_status, t.model_reported, t.fingerprint,
        t.input_tokens, t.output_tokens, t.reasoning_tokens, t.cached_tokens, t.cost_usd, t.cost_usd_max, t.probabilities, t.reused_from, t.sum, t.answers, t.restates
    FROM other.attempts t JOIN other.questions q ON q.number = t.question JOIN main.questions n ON n.id = q.id
    WHERE q.id IN (SELECT id FROM taken) AND NOT EXISTS (
        SELECT 1 FROM main.attempts k WHERE k.question = n.number AND k.asked_at = t.asked_at AND k.seconds = t.seconds AND k.outcome = t.outcome)
    ORDER BY t.id;
INSERT OR IGNORE INTO made (method, prompt_id, seed, prompt, path, hash, file_bytes, file_modified_ns, seconds, failed_at, reason, photo, sum)
    SELECT method, prompt_id, seed, prompt, path, hash, file_bytes, file_modified_ns, seconds, failed_at, reason, photo, sum
    FROM other.made;
INSERT OR IGNORE INTO pairs (rubric, prompt_id, prompt, seed, a, b, result, sum)
    SELECT rubric, prompt_id, prompt, seed, a, b, result, sum FROM other.pairs ORDER BY number;
";

impl Store {
    /// Copies every question of the run in `folder` that is not here, with its pictures, and the
    /// replies to those that are here without a verdict and in no batch; all or none. Questions
    /// whose ids are in `left_out` stay there. Returns how many questions that were.
    ///
    /// # Errors
    /// No run in the folder, or one that cannot be read.
    pub fn copy_from(&mut self, folder: &Path, left_out: &[String]) -> Result<usize, Error> {
        let other = Self::read(folder)?;
        let sheets = folder.join(SHEETS_FOLDER);
        // Pictures first: a question never exists without its pictures.
        let files: Vec<String> = other.rows("SELECT file FROM pictures", [], |row| row.get(0))?;
        for file in files {
            // Only the name counts, so that no file of a foreign run leads out of its folder.
            let Some(name) = Path::new(&file).file_name() else {
                continue;
            };
            let (from, to) = (sheets.join(name), self.folder.join(SHEETS_FOLDER).join(name));
            if !to.exists() && from.exists() {
                let bytes = read_picture(&from)?;
                super::folder::write_part(&self.folder, &to, &bytes)?;
            }
        }
        super::folder::sync_folder(&self.folder.join(SHEETS_FOLDER))?;
        drop(other);
        let path = folder.join(DATABASE_FILE);
        let path = std::path::absolute(&path).map_err(|e| error::file("read", folder, e))?;
        let failed = |e: rusqlite::Error| error::database(&path, &e);
        self.connection
            .execute("ATTACH DATABASE ? AS other", [path.to_string_lossy()])
            .map_err(failed)?;
        let copied = self.transaction(|t| {
            t.execute_batch("CREATE TEMP TABLE left_out (id TEXT PRIMARY KEY)")?;
            for id in left_out {
                t.execute("INSERT OR IGNORE INTO left_out VALUES (?)", [id])?;
            }
            t.execute_batch(COPY)?;
            let count = t.query_row("SELECT count(*) FROM taken", [], |row| row.get(0))?;
            t.execute_batch("DROP TABLE taken; DROP TABLE left_out")?;
            Ok(count)
        });
        let detached = self.connection.execute("DETACH DATABASE other", []);
        let count: i64 = copied?;
        detached.map_err(failed)?;
        Ok(usize::try_from(count).unwrap_or(0))
    }
}
