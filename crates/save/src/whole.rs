//! Bytes → a file, files → a folder, each whole under its name or absent. The only way in which the
//! program writes files that others read.
//!
//! [`NewFile`] writes to whatever a path names: a regular file is replaced by a rename, a link is
//! followed, a pipe or device is written into. [`NewFolder`] fills a folder under a temporary name.

use super::part::{Part, remove_leftovers};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// Links that lead to links.
const LINKS_MAX: usize = 40;

/// In a folder whose files are being put into place: their names, one a line.
const UNFINISHED: &str = ".meshjudge-unfinished";

/// Writes `bytes` to what `path` names; see [`NewFile`].
///
/// # Errors
/// The system's.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// A file that is being written. Dropping it unfinished leaves what was there before.
#[derive(Debug)]
pub struct NewFile {
    to: To,
}

#[derive(Debug)]
enum To {
    /// A regular file, or none yet.
    Whole {
        part: Part,
        file: File,
        place: PathBuf,
    },
    /// A pipe, a device, a descriptor, or a file whose folder takes no other.
    Straight(File),
    Stdout,
}

impl NewFile {
    /// Begins to write to the target of `path`: the file at the end of its links, under a temporary
    /// name next to it until [`NewFile::finish`]. A folder that does not exist is created. Devices
    /// and pipes, and files whose folder is not writable, are written directly.
    ///
    /// # Errors
    /// The system's.
    pub fn create(path: &Path) -> io::Result<Self> {
        let place = resolved(path)?;
        fs::create_dir_all(folder_of(&place))?;
        Self::create_in(folder_of(&place), &place)
    }

    /// As [`NewFile::create`] with the temporary file in `folder`, on the same disk; a link is
    /// replaced, not followed.
    ///
    /// # Errors
    /// The system's.
    pub fn create_in(folder: &Path, place: &Path) -> io::Result<Self> {
        let straight = |options: &mut fs::OpenOptions| options.open(place).map(To::Straight);
        let to = match descriptor(place) {
            Some(1) => To::Stdout,
            // What was written to it before stays.
            Some(_) => straight(File::options().append(true))?,
            None => match fs::symlink_metadata(place) {
                Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
                Ok(found) if !found.is_file() && !found.is_symlink() => {
                    straight(File::options().write(true))?
                }
                found => {
                    let found = found.ok().filter(fs::Metadata::is_file);
                    if found.is_some() {
                        // A protected file is not replaced.
                        File::options().append(true).open(place)?;
                    }
                    match Part::file(folder, place) {
                        Ok((part, file)) => {
                            if let Some(found) = &found {
                                keep_owner(&file, found);
                            }
                            let place = place.to_owned();
                            To::Whole { part, file, place }
                        }
                        Err(e) if found.is_none() => return Err(e),
                        Err(_) => straight(File::options().write(true).truncate(true))?,
                    }
                }
            },
        };
        Ok(Self { to })
    }

    /// Gives the file its name. Its bytes are then on disk, its name after the folder's next sync.
    ///
    /// # Errors
    /// The system's.
    pub fn finish(self) -> io::Result<()> {
        match self.to {
            To::Stdout => io::stdout().flush(),
            To::Straight(mut file) => file.flush(),
            To::Whole { part, file, place } => {
                file.sync_all()?;
                match fs::rename(&part.path, &place) {
                    // A single file that a container mounts cannot be replaced.
                    Err(e) if e.kind() == io::ErrorKind::ResourceBusy => {
                        let mut to = File::options().write(true).truncate(true).open(&place)?;
                        io::copy(&mut File::open(&part.path)?, &mut to)?;
                        to.sync_all()
                    }
                    done => done,
                }
            }
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            To::Whole { file, .. } | To::Straight(file) => file.write(bytes),
            To::Stdout => io::stdout().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Whole { file, .. } | To::Straight(file) => file.flush(),
            To::Stdout => io::stdout().flush(),
        }
    }
}

/// The end of a path's links, which need not exist.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&path) {
            Ok(to) if descriptor(&path).is_none() => path = folder_of(&path).join(to),
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("too many links lead to it"))
}

/// The number of a descriptor of this process, as `/dev/fd/63` and `/dev/stdout` name one: opening
/// it again would begin at the start of its file.
fn descriptor(path: &Path) -> Option<u32> {
    if cfg!(not(unix)) {
        return None;
    }
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let folder = folder_of(path).canonicalize().ok()?;
    let is_ours = |known: &str| Path::new(known).canonicalize().is_ok_and(|known| known == folder);
    (is_ours("/dev/fd") || is_ours("/proc/self/fd")).then_some(number)
}

/// The folder of a file; the current one where the path has none.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A rewritten file keeps its owner and its readability, where this process may set them.
fn keep_owner(file: &File, found: &fs::Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(file, Some(found.uid()), Some(found.gid()));
    }
    let _ = file.set_permissions(found.permissions());
}

/// A folder that is being filled. Dropping it unfinished leaves what was there before.
#[derive(Debug)]
pub struct NewFolder {
    part: Part,
    place: PathBuf,
}

impl NewFolder {
    /// A new folder for `place`: within it if it exists (perhaps a separate disk), else next to it.
    ///
    /// # Errors
    /// The system's.
    pub fn create(place: &Path) -> io::Result<Self> {
        let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        if !place.is_dir() {
            return Self::create_in(folder_of(&place), &place);
        }
        remove_leftovers(&place);
        Self::create_in(&place, &place)
    }

    /// A new folder for `place`, filled in `folder` on the same disk; makes either if missing.
    ///
    /// # Errors
    /// The system's.
    pub fn create_in(folder: &Path, place: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        fs::create_dir_all(folder_of(place))?;
        remove_leftovers(folder_of(place));
        let part = Part::folder(folder, place)?;
        let place = place.to_owned();
        Ok(Self { part, place })
    }

    /// Where its files are written.
    pub fn path(&self) -> &Path {
        &self.part.path
    }

    /// Writes a file by its name within the folder, with `/` between the parts.
    ///
    /// # Errors
    /// The system's.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.file(name)?.write_all(bytes)
    }

    /// A new file by its name within the folder.
    ///
    /// # Errors
    /// The system's.
    pub fn file(&self, name: &str) -> io::Result<File> {
        let path = self.part.path.join(name);
        fs::create_dir_all(folder_of(&path))?;
        File::create(path)
    }

    /// Gives the folder the name `place`; another one of this name is removed.
    ///
    /// # Errors
    /// The system's.
    pub fn replace(&self, place: &Path) -> io::Result<()> {
        if place.exists() {
            fs::remove_dir_all(place)?;
        }
        fs::rename(&self.part.path, place)
    }

    /// Puts the files into place: in one step where there is no such folder, else into the one that
    /// is there. Of that one `earlier` goes, files and folders of ours by their names within it,
    /// and nothing else. `last` is the file that says that the folder is whole: it is the first to
    /// go and the last to come, so a folder that lacks it was not finished, and the next call
    /// removes what this one brought.
    ///
    /// # Errors
    /// The system's.
    pub fn merge(&self, earlier: &[String], last: &str) -> io::Result<()> {
        if folder_of(&self.part.path) != self.place {
            match fs::rename(&self.part.path, &self.place) {
                // Another process has finished it in the meantime.
                Err(_) if self.place.join(last).is_file() => return Ok(()),
                Err(_) if self.place.is_dir() => {}
                done => return done,
            }
        }
        let mut names = BTreeSet::new();
        files_below(&self.part.path, "", &mut names)?;
        let unfinished = self.place.join(UNFINISHED);
        let brought = fs::read_to_string(&unfinished).unwrap_or_default();
        let gone: BTreeSet<&str> = earlier
            .iter()
            .map(String::as_str)
            .chain(brought.lines())
            .filter(|name| is_within(name))
            .collect();
        let listed: BTreeSet<&str> =
            names.iter().map(String::as_str).chain(gone.iter().copied()).collect();
        let list: Vec<&str> = listed.into_iter().collect();
        write_file(&unfinished, list.join("\n").as_bytes())?;
        for name in std::iter::once(last).chain(gone) {
            let path = self.place.join(name);
            let removed = match fs::symlink_metadata(&path) {
                Ok(found) if found.is_dir() => fs::remove_dir_all(&path),
                Ok(_) => fs::remove_file(&path),
                Err(_) => Ok(()),
            };
            removed?;
        }
        let is_last = |name: &&String| *name == last;
        let (end, first): (Vec<_>, Vec<_>) = names.iter().partition(is_last);
        for name in first.into_iter().chain(end) {
            let to = self.place.join(name);
            fs::create_dir_all(folder_of(&to))?;
            fs::rename(self.part.path.join(name), to)?;
        }
        fs::remove_file(unfinished)
    }
}

/// Whether the files of a folder were being put into place when that was interrupted.
pub fn is_unfinished(folder: &Path) -> bool {
    folder.join(UNFINISHED).is_file()
}

/// Files below a folder by their names within it, with `/` between the parts.
fn files_below(folder: &Path, before: &str, found: &mut BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            files_below(&entry.path(), &format!("{name}/"), found)?
        } else {
            _ = found.insert(name)
        }
    }
    Ok(())
}

/// Lists of earlier files may be anybody's.
fn is_within(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// An empty folder of this test's own.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("meshjudge-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names = BTreeSet::new();
        files_below(folder, "", &mut names).unwrap();
        names.into_iter().collect()
    }

    #[test]
    fn links_are_followed_and_what_is_no_file_is_written_into() {
        let folder = folder("links");
        let at = |name: &str| folder.join(name);
        fs::create_dir(at("inner")).unwrap();
        fs::write(at("inner/real"), "old").unwrap();
        fs::set_permissions(at("inner/real"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("inner/real", at("link")).unwrap();
        symlink("inner/new", at("dangling")).unwrap();
        symlink("loop", at("loop")).unwrap();
        write_file(&at("link"), b"new").unwrap();
        write_file(&at("dangling"), b"made").unwrap();
        assert!(write_file(&at("loop"), b"x").is_err());
        assert_eq!(fs::read_link(at("link")).unwrap(), Path::new("inner/real"));
        assert_eq!(fs::read(at("inner/real")).unwrap(), b"new");
        assert_eq!(fs::metadata(at("inner/real")).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read(at("inner/new")).unwrap(), b"made");
        // What was written to a descriptor before stays.
        let mut open = File::create(at("open")).unwrap();
        open.write_all(b"head ").unwrap();
        write_file(Path::new(&format!("/dev/fd/{}", open.as_raw_fd())), b"tail").unwrap();
        assert_eq!(fs::read(at("open")).unwrap(), b"head tail");
        write_file(Path::new("/dev/null"), b"x").unwrap();
        assert!(fs::symlink_metadata("/dev/null").is_ok_and(|found| !found.is_file()));
        assert!(write_file(&at("inner"), b"x").is_err());
        assert_eq!(names(&folder), ["dangling", "inner/new", "inner/real", "link", "loop", "open"]);
    }

    #[test]
    fn what_was_there_stays_until_the_new_file_is_whole() {
        let folder = folder("half");
        let at = |name: &str| folder.join(name);
        // Of somebody who did not think of us, and one that a killed process left.
        fs::write(at("a.part"), "theirs").unwrap();
        fs::write(at(".a.meshjudge-part-0"), "half").unwrap();
        fs::write(at(".b.meshjudge-part-7"), "half").unwrap();
        fs::write(at("a"), "old").unwrap();
        let mut one = NewFile::create(&at("a")).unwrap();
        one.write_all(b"one").unwrap();
        let other = NewFile::create(&at("a")).unwrap();
        drop(other);
        remove_leftovers(&folder);
        assert_eq!(fs::read(at("a")).unwrap(), b"old");
        one.finish().unwrap();
        assert_eq!(fs::read(at("a")).unwrap(), b"one");
        assert_eq!(names(&folder), ["a", "a.part"]);
    }

    #[test]
    fn folders_that_earlier_versions_left_are_removed_once_their_process_is_dead() {
        let folder = folder("earlier");
        // More than the system has.
        let dead = ["0.part-4194305", "7.part-4194305"];
        let alive = format!("1.part-{}", std::process::id());
        let theirs = ["chair.part-4194305", "2.part-one", "part-4194305"];
        for name in dead.into_iter().chain(theirs).chain([alive.as_str()]) {
            fs::create_dir(folder.join(name)).unwrap();
            fs::write(folder.join(name).join("half"), "").unwrap();
        }
        let made = NewFolder::create_in(&folder, &folder.join("0")).unwrap();
        made.replace(&folder.join("0")).unwrap();
        for name in dead {
            assert_eq!(folder.join(name).exists(), !cfg!(target_os = "linux"), "{name}");
        }
        for name in theirs.into_iter().chain([alive.as_str()]) {
            assert!(folder.join(name).exists(), "{name}");
        }
    }

    #[test]
    fn a_folder_is_merged_without_what_was_ours_and_with_all_that_was_not() {
        let folder = folder("merge");
        let place = folder.join("views");
        let draw = |files: &[&str], earlier: &[&str]| {
            let made = NewFolder::create(&place).unwrap();
            for file in files {
                made.write(file, file.as_bytes()).unwrap();
            }
            let earlier: Vec<String> = earlier.iter().map(|name| (*name).to_owned()).collect();
            made.merge(&earlier, "last").unwrap();
        };
        draw(&["in/1", "in/2", "last"], &[]);
        assert_eq!(names(&folder), ["views/in/1", "views/in/2", "views/last"]);
        fs::write(place.join("in/theirs"), "").unwrap();
        fs::write(folder.join("outside"), "").unwrap();
        draw(&["in/1", "last"], &["in/1", "in/2", "../outside", "/etc/hostname"]);
        assert_eq!(names(&place), ["in/1", "in/theirs", "last"]);
        // Killed while its files were put into place.
        fs::write(place.join(UNFINISHED), "in/1\nin/3\n../outside").unwrap();
        fs::write(place.join("in/3"), "").unwrap();
        fs::remove_file(place.join("last")).unwrap();
        assert!(is_unfinished(&place));
        draw(&["in/9", "last"], &[]);
        assert_eq!(names(&place), ["in/9", "in/theirs", "last"]);
        assert_eq!(names(&folder).len(), 4, "files outside stay");
    }
}
