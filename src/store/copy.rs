//! Another run's questions, replies and verdicts, copied as they are.

use super::asked::KeptPicture;
use super::shown::read_picture;
use super::{DATABASE_FILE, SHEETS_FOLDER, Store, error};
use crate::error::Error;
use std::path::Path;

/// Tables whose rows mean the same in every run.
const DOCUMENTS: [&str; 7] =
    ["protocols", "pictures", "texts", "made", "pairs", "judges", "rubrics"];

/// The copy of questions and answers. Questions get new numbers.
const COPY: &str = "
CREATE TEMP TABLE taken AS
    SELECT q.id, n.number AS here FROM other.questions q LEFT JOIN main.questions n ON n.id = q.id
    WHERE q.id NOT IN (SELECT id FROM left_out) AND (n.number IS NULL OR (
        EXISTS (SELECT 1 FROM other.attempts t WHERE t.question = q.number AND t.outcome = 'verdict')
        AND NOT EXISTS (SELECT 1 FROM main.attempts t WHERE t.question = n.number AND t.outcome = 'verdict')
        AND NOT EXISTS (SELECT 1 FROM main.batch_items i WHERE i.question = n.number)));
INSERT INTO questions (id, request, planned, judge, base_url, settings, body, sum)
    SELECT id, request, planned, judge, base_url, settings, body, sum FROM other.questions
    WHERE id IN (SELECT id FROM taken WHERE here IS NULL) ORDER BY number;
INSERT INTO attempts (question, body, sum)
    SELECT n.number, t.body, t.sum
    FROM other.attempts t JOIN other.questions q ON q.number = t.question JOIN main.questions n ON n.id = q.id
    WHERE q.id IN (SELECT id FROM taken) AND NOT EXISTS (SELECT 1 FROM main.attempts k WHERE k.question = n.number AND k.sum = t.sum)
    ORDER BY t.id;
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
        for picture in other.documents::<KeptPicture>("pictures")? {
            // Only the name counts, so that no file of a foreign run leads out of its folder.
            let Some(name) = Path::new(&picture.file).file_name() else {
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
            for table in DOCUMENTS {
                t.execute_batch(&format!("INSERT OR IGNORE INTO {table} (key, body, sum) SELECT key, body, sum FROM other.{table} ORDER BY number"))?;
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
