//! A file or folder under a temporary name of ours, locked while its maker lives, so that what a
//! killed process left is known and removed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// In the name of everything that is not whole yet.
const MARK: &str = ".meshjudge-part-";

/// Parts of one name at the same time.
const PARTS_MAX: usize = 10_000;

/// Bytes of the final name that the temporary one shows.
const SHOWN_BYTES_MAX: usize = 150;

/// An unfinished file or folder. Dropping it removes the rest.
#[derive(Debug)]
pub(super) struct Part {
    pub path: PathBuf,
    /// Locked. Only Unix opens folders.
    file: Option<File>,
}

impl Part {
    /// An empty file in `folder`, which is on the disk of the place that the file is for.
    pub(super) fn file(folder: &Path, place: &Path) -> io::Result<(Self, File)> {
        let part = Self::new(folder, place, |path| {
            let mut options = File::options();
            options.read(true).write(true).create_new(true).open(path).map(Some)
        })?;
        let file = part.file.as_ref().map(File::try_clone);
        Ok((part, file.expect("it was opened above")?))
    }

    /// An empty folder.
    pub(super) fn folder(folder: &Path, place: &Path) -> io::Result<Self> {
        Self::new(folder, place, |path| {
            std::fs::create_dir(path)?;
            Ok(File::open(path).ok())
        })
    }

    fn new(
        folder: &Path,
        place: &Path,
        make: impl Fn(&Path) -> io::Result<Option<File>>,
    ) -> io::Result<Self> {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let name = &name[..name.floor_char_boundary(SHOWN_BYTES_MAX)];
        for number in 0..PARTS_MAX {
            let path = folder.join(format!(".{name}{MARK}{number}"));
            remove_if_dead(&path);
            match make(&path) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
                Ok(file) => {
                    // Where nothing can be locked, nothing is taken for dead either.
                    let _ = file.as_ref().map(File::lock);
                    // Another process may have found it before it was locked.
                    if is_at(file.as_ref(), &path) {
                        return Ok(Self { path, file });
                    }
                }
            }
        }
        let reason = "too many processes write it at the same time";
        Err(io::Error::new(io::ErrorKind::AlreadyExists, reason))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if is_at(self.file.as_ref(), &self.path) {
            remove(&self.path);
        }
    }
}

/// Removes what killed processes, earlier versions' too, left in `folder`; ongoing writes stay.
pub fn remove_leftovers(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let number = name.strip_prefix('.').and_then(|name| name.rsplit_once(MARK));
        if number.is_some_and(|(_, number)| number.parse::<usize>().is_ok()) {
            remove_if_dead(&entry.path());
        } else if is_dead_seed(&name) && entry.file_type().is_ok_and(|found| found.is_dir()) {
            remove(&entry.path());
        }
    }
}

/// Whether a name is `SEED.part-PROCESS`, under which version 0.1.0 filled folders, and no such
/// process is left. Where processes are not listed, nothing is taken for dead.
fn is_dead_seed(name: &str) -> bool {
    let Some((Ok(_), Ok(process))) = name
        .split_once(".part-")
        .map(|(seed, process)| (seed.parse::<u32>(), process.parse::<u32>()))
    else {
        return false;
    };
    let processes = Path::new("/proc");
    processes.join("self").exists() && !processes.join(process.to_string()).exists()
}

/// A lock that can be taken has no maker any more.
fn remove_if_dead(path: &Path) {
    let is_ours = |found: &std::fs::Metadata| found.is_file() || found.is_dir();
    if !std::fs::symlink_metadata(path).is_ok_and(|found| is_ours(&found)) {
        return;
    }
    // NFS locks only files that are open for writing.
    let opened = File::options().write(true).open(path).or_else(|_| File::open(path));
    if let Ok(file) = opened
        && file.try_lock().is_ok()
        && is_at(Some(&file), path)
    {
        remove(path);
    }
}

/// What cannot be removed does no harm.
fn remove(path: &Path) {
    let _ = match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
        _ => std::fs::remove_file(path),
    };
}

/// Whether the open file still has this name.
fn is_at(file: Option<&File>, path: &Path) -> bool {
    let Ok(found) = std::fs::symlink_metadata(path) else {
        return false;
    };
    #[cfg(unix)]
    if let Some(open) = file.and_then(|file| file.metadata().ok()) {
        use std::os::unix::fs::MetadataExt;
        return (open.dev(), open.ino()) == (found.dev(), found.ino());
    }
    let _ = (file, found);
    true
}
