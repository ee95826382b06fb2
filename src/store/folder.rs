//! The files of a run folder: its configuration, its lock, its sheets; and which folder a command
//! uses that was given none.

use super::{clock, error};
use crate::error::Error;
use crate::save::NewFile;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The resolved configuration of the last command; never holds a key.
pub const CONFIG_FILE: &str = "run.toml";
pub const DATABASE_FILE: &str = "run.sqlite";

/// Next to the database.
pub(super) const JOURNAL_FILE: &str = "run.journal";
/// Pictures by content hash.
pub const SHEETS_FOLDER: &str = "sheets";
/// Held while a process asks the run's questions; the system frees it however that ends.
const LOCK_FILE: &str = "run.lock";
/// A process that was killed may hold its lock for a moment more.
const LOCK_PATIENCE: Duration = Duration::from_millis(200);
const LOCK_PAUSE: Duration = Duration::from_millis(1);

/// The folder of a command that was given none: the newest `<base>/<command>-<time>` whose
/// `run.toml` has the same `identity`, so that repeating a command resumes its run; else a new
/// name, which is not created yet.
pub fn default_folder(
    base: &Path,
    command: &str,
    is_same: impl Fn(&toml::Table) -> bool,
) -> PathBuf {
    let prefix = format!("{command}-");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(base)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix))
        })
        .collect();
    // The name contains the time, so the order of names is the order of time.
    folders.sort();
    if let Some(folder) =
        folders.iter().rev().find(|folder| config_of(folder).is_some_and(|config| is_same(&config)))
    {
        return folder.clone();
    }
    let time = clock::rfc3339(SystemTime::now());
    let time = time[..19].replace(':', "-");
    // Two different commands within one second get a number.
    let mut folder = base.join(format!("{prefix}{time}"));
    let mut number = 2;
    while folder.exists() {
        folder = base.join(format!("{prefix}{time}-{number}"));
        number += 1;
    }
    folder
}

/// What a run's `run.toml` says; none where there is none that can be read.
pub fn config_of(folder: &Path) -> Option<toml::Table> {
    let text = std::fs::read_to_string(folder.join(CONFIG_FILE)).ok()?;
    text.parse().ok()
}

/// In `run.toml`: where the last command was started.
pub(super) const WORKING_FOLDER: &str = "working_folder";

/// Finds the assets of runs from every folder: relative paths begin where the program was started
/// when it made the run.
#[derive(Debug, Clone)]
pub struct AssetPaths(Vec<PathBuf>);

impl AssetPaths {
    pub fn of(runs: &[PathBuf]) -> Self {
        let folder = |run: &PathBuf| Some(config_of(run)?.get(WORKING_FOLDER)?.as_str()?.into());
        Self(runs.iter().filter_map(folder).collect())
    }

    /// Where an asset may be, the likeliest first. A file there can be another one.
    pub fn places(&self, path: &Path) -> impl Iterator<Item = PathBuf> {
        let then = self.0.iter().map(move |folder| folder.join(path));
        std::iter::once(path.to_owned()).chain(then)
    }
}

/// Takes the lock of a folder for as long as the returned file is open.
pub(super) fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join(LOCK_FILE);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|e| error::file("write", &path, e))?;
    lock_file(&file, LOCK_PATIENCE).map_err(|e| {
        // Windows lets nobody read a locked file: the holder stays unknown there.
        let said = std::fs::read_to_string(&path).unwrap_or_default();
        let holder = if said.is_empty() { said } else { format!(" ({said})") };
        error::lock(&holder, &path, e)
    })?;
    // Only for that message: a lock whose holder could not be written is a lock.
    let _ = file.set_len(0).and_then(|()| (&file).write_all(this_process().as_bytes()));
    Ok(file)
}

/// Number and machine of this process.
fn this_process() -> String {
    let number = std::process::id();
    #[cfg(unix)]
    if let Ok(machine) = rustix::system::uname().nodename().to_str() {
        return format!("{number} on {machine}");
    }
    number.to_string()
}

/// Locks an open file; waits for the present owner.
pub(super) fn lock_file(file: &File, patience: Duration) -> Result<(), TryLockError> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if start.elapsed() < patience => {
                std::thread::sleep(LOCK_PAUSE);
            }
            ended => return ended,
        }
    }
}

/// What a JSON file of ours holds; the default where there is no such file.
pub(crate) fn read_json<T: Default + serde::de::DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(T::default()),
        Err(e) => return Err(error::file("read", path, e)),
    };
    serde_json::from_str(&text).map_err(|e| error::file("read", path, e))
}

pub(crate) fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), Error> {
    let text = serde_json::to_vec(value).map_err(|e| error::file("write", path, e))?;
    write_whole(path, &text)
}

/// Writes a whole file or nothing, its name included.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    write_part(folder, path, bytes)?;
    sync_folder(folder)
}

/// Writes a whole file or nothing, by way of a temporary file in `folder`. Its name is on the disk
/// after [`sync_folder`].
pub(super) fn write_part(folder: &Path, path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let written = NewFile::create_in(folder, path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.finish()
    });
    written.map_err(|e| error::file("write", path, e))
}

/// Puts the names in a folder on the disk. Only Unix lets a folder be opened and synced.
pub(super) fn sync_folder(folder: &Path) -> Result<(), Error> {
    if cfg!(unix) {
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|e| error::file("write", folder, e))?;
    }
    Ok(())
}

/// Whether pictures or a journal show that questions were asked here.
pub(super) fn was_asked(folder: &Path) -> bool {
    let has_pictures = std::fs::read_dir(folder.join(SHEETS_FOLDER))
        .is_ok_and(|mut entries| entries.next().is_some());
    let has_journal = std::fs::metadata(folder.join(JOURNAL_FILE)).is_ok_and(|file| file.len() > 0);
    has_pictures || has_journal
}
