//! Reads the asset and the files it names: only regular files, only inside the asset's folder, each
//! hashed as it is read.
//!
//! A name is checked twice: as text (no scheme, no root, no `..` out of the folder), and after
//! symbolic links are followed. A link may lead out of the folder to one place only: the folder in
//! which the asset itself really is, where the caller has named it by a link. So are the caches of
//! model hubs built, whose folders hold nothing but links to one folder of blobs; and an asset that
//! comes as a real file opens no other folder. Nothing is ever fetched from a network.

use super::error::{FOLDER, LoadError};
use super::limits::{ASSET_BYTES_MAX, FILE_BYTES_MAX, FILES_MAX};
use super::warning::{Warning, Warnings};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use unicode_normalization::UnicodeNormalization as _;

/// Why a named file was not read.
#[derive(Debug)]
pub(super) enum FileProblem {
    /// The name leads outside the asset's folder or to a network.
    Escape(&'static str),
    /// The same, and no file of that name is in the asset's folder either.
    Outside(&'static str),
    TooLarge {
        what: &'static str,
        found: u64,
        max: u64,
    },
    /// [`FOLDER`], or another kind.
    NotAFile(&'static str),
    Io(std::io::Error),
}

impl std::fmt::Display for FileProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Escape(why) => f.write_str(why),
            Self::Outside(why) => {
                write!(f, "it {why}, and no file of that name is in the asset's folder")
            }
            Self::TooLarge { what, found, max } => write!(f, "{what}: {found} of at most {max}"),
            Self::NotAFile(kind) => f.write_str(kind),
            Self::Io(e) if e.kind() == std::io::ErrorKind::NotFound => f.write_str("not found"),
            Self::Io(e) => write!(f, "{e}"),
        }
    }
}

impl FileProblem {
    /// As an end of the whole load; `what` names who needs the file, `uri` is what it wrote.
    pub(super) fn into_error(self, what: &str, uri: &str, path: &Path) -> LoadError {
        let path = path.to_path_buf();
        let shown = format!("{what} {uri:?}");
        match self {
            Self::Escape(why) | Self::Outside(why) => {
                LoadError::Escape { what: what.to_owned(), uri: shorten(uri), why, path }
            }
            Self::TooLarge { what, found, max } => {
                LoadError::TooLarge { what: what.to_owned(), found, max, path }
            }
            Self::NotAFile(kind) => LoadError::NotAFile { what: shown, kind, path },
            Self::Io(reason) => LoadError::Read { what: shown, reason, path },
        }
    }
}

/// At most 120 characters of text from a file, for a message.
pub(super) fn shorten(text: &str) -> String {
    const SHOWN_MAX: usize = 120;
    if text.chars().count() <= SHOWN_MAX {
        text.to_owned()
    } else {
        text.chars().take(SHOWN_MAX).chain("…".chars()).collect()
    }
}

fn limit(what: &'static str, found: u64, max: u64) -> Result<(), FileProblem> {
    if found <= max { Ok(()) } else { Err(FileProblem::TooLarge { what, found, max }) }
}

/// Reads a whole regular file of at most `max` bytes.
pub(super) fn read_regular(path: &Path, max: u64) -> Result<Vec<u8>, FileProblem> {
    // Looked at before it is opened: opening a named pipe would wait for a writer.
    let metadata = std::fs::metadata(path).map_err(FileProblem::Io)?;
    if !metadata.is_file() {
        let kind = if metadata.is_dir() { FOLDER } else { "no regular file" };
        return Err(FileProblem::NotAFile(kind));
    }
    limit("bytes in a file", metadata.len(), max)?;
    let file = std::fs::File::open(path).map_err(FileProblem::Io)?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    file.take(max + 1).read_to_end(&mut bytes).map_err(FileProblem::Io)?;
    limit("bytes in a file", bytes.len() as u64, max)?; // it may have grown while it was read
    Ok(bytes)
}

/// Names in a folder that are looked at for one that is spelt otherwise.
const ENTRIES_MAX: usize = 10_000;

/// The folder of an asset, and what was read from it.
pub(super) struct Folder {
    root: Root,
    /// Where the asset really is, if it was named by a link.
    blobs: Option<PathBuf>,
    main_bytes: u64,
    /// Bytes of each file that was read, however often and under whatever name.
    known: BTreeMap<PathBuf, u64>,
    digests: Vec<blake3::Hash>,
    bytes_read: u64,
    read_time: Duration,
}

/// The source of an asset's other files.
pub(super) enum Root {
    /// Canonical, or the reason why there is none.
    Folder(Result<PathBuf, std::io::ErrorKind>),
    /// With the caller of an asset in memory.
    Caller(Box<NamedFiles>),
    /// Of an asset in memory: no file can be read.
    Nowhere,
}

/// Content of the file that an asset in memory names, as it names it; `None` if missing.
pub type NamedFiles = dyn Fn(&str) -> Option<Vec<u8>> + Send + Sync;

impl Folder {
    /// The folder of `asset`, as the caller wrote its path; it has `main_bytes`.
    pub(super) fn of(asset: &Path, main_bytes: u64) -> Self {
        let parent = match asset.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let root = parent.canonicalize().map_err(|e| e.kind());
        let real = asset.is_symlink().then(|| asset.canonicalize().ok()).flatten();
        Self {
            blobs: real.and_then(|real| Some(real.parent()?.to_owned())),
            ..Self::new(Root::Folder(root), main_bytes)
        }
    }

    pub(super) fn new(root: Root, main_bytes: u64) -> Self {
        Self {
            root,
            blobs: None,
            main_bytes,
            known: BTreeMap::new(),
            digests: Vec::new(),
            bytes_read: 0,
            read_time: Duration::ZERO,
        }
    }

    /// Forgets what was read, for a reader that begins again.
    pub(super) fn restart(&mut self) {
        self.known.clear();
        self.digests.clear();
        self.bytes_read = 0;
    }

    /// Reads the file that `relative` names, with `/` or `\` between its parts.
    pub(super) fn read(&mut self, relative: &str, max: u64) -> Result<Vec<u8>, FileProblem> {
        if let Some(why) = escapes(relative) {
            return Err(FileProblem::Escape(why));
        }
        limit("files named", self.digests.len() as u64 + 1, FILES_MAX as u64)?;
        let start = Instant::now();
        let (place, bytes) = match &self.root {
            Root::Folder(root) => {
                let root = root.as_ref().map_err(|&kind| FileProblem::Io(kind.into()))?;
                read_inside(root, self.blobs.as_deref(), relative, max)?
            }
            Root::Caller(files) => read_from_caller(files.as_ref(), relative, max)?,
            Root::Nowhere => {
                let reason = "an asset in memory has no other files";
                return Err(FileProblem::Io(std::io::Error::other(reason)));
            }
        };
        self.read_time += start.elapsed();
        let total = self.bytes_read + bytes.len() as u64;
        limit("bytes in all files together", total, ASSET_BYTES_MAX)?;
        self.bytes_read = total;
        self.digests.push(blake3::hash(&bytes));
        self.known.insert(place, bytes.len() as u64);
        Ok(bytes)
    }

    /// Reads the first of `names` that is there. Where none is: one that differs in capitals and
    /// small letters or in its Unicode form only, then, with a warning, one that the last parts of
    /// a name lead to, as when a folder was left behind. Nothing outside is followed.
    pub(super) fn find(
        &mut self,
        names: &[String],
        max: u64,
        warnings: &mut Warnings,
    ) -> Result<Vec<u8>, FileProblem> {
        let mut first = None;
        let ends = names.iter().flat_map(|name| last_parts(name));
        let (named, ends) = (names.to_vec(), ends.collect::<Vec<_>>());
        for (candidates, is_named) in [(named, true), (ends, false)] {
            let spelt: Vec<_> = candidates.iter().filter_map(|name| self.spelt(name)).collect();
            for name in candidates.iter().chain(&spelt) {
                match self.read(name, max) {
                    Ok(bytes) => {
                        if !is_named {
                            warnings.add(Warning::Relocated {
                                uri: shorten(&names[0]),
                                used: shorten(name),
                            });
                        }
                        return Ok(bytes);
                    }
                    Err(FileProblem::Escape(why)) if escapes(name).is_some() => {
                        first.get_or_insert(FileProblem::Outside(why));
                    }
                    Err(problem @ (FileProblem::Escape(_) | FileProblem::TooLarge { .. })) => {
                        return Err(problem);
                    }
                    Err(problem) => _ = first.get_or_insert(problem),
                }
            }
        }
        Err(first.unwrap_or(FileProblem::Io(std::io::ErrorKind::NotFound.into())))
    }

    /// The one file whose name differs from `relative` only in letter case or Unicode form.
    fn spelt(&self, relative: &str) -> Option<String> {
        let Root::Folder(Ok(root)) = &self.root else {
            return None;
        };
        if escapes(relative).is_some() {
            return None;
        }
        let mut dir = root.clone();
        let mut found = Vec::new();
        for part in parts_of(relative) {
            let name = match dir.join(part).symlink_metadata() {
                Ok(_) => part.to_owned(),
                Err(_) => {
                    let entries = std::fs::read_dir(&dir).ok()?.take(ENTRIES_MAX);
                    let names = entries.filter_map(|e| e.ok()?.file_name().into_string().ok());
                    let mut same = names.filter(|name| folded(name) == folded(part));
                    same.next().filter(|_| same.next().is_none())?
                }
            };
            dir.push(&name);
            found.push(name);
        }
        let name = found.join("/");
        (name != relative).then_some(name)
    }

    /// Bytes of the main file and of all files read so far, each counted once: what
    /// [`super::limits::expanded`] goes by.
    pub(super) fn asset_bytes(&self) -> u64 {
        self.main_bytes + self.known.values().sum::<u64>()
    }

    pub(super) fn read_time(&self) -> Duration {
        self.read_time
    }

    /// Bytes of the files read through this folder.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// The hash of the asset: that of the main file if it names no others, else the hash of all
    /// files' hashes in order of use, so that bytes cannot move from one file to the next unseen.
    pub(super) fn hash_with(&self, main: blake3::Hash) -> String {
        if self.digests.is_empty() {
            return main.to_hex().to_string();
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(main.as_bytes());
        for digest in &self.digests {
            hasher.update(digest.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// A name without what file systems disagree about.
fn folded(name: &str) -> String {
    name.to_lowercase().nfc().collect()
}

/// The last parts of a name, from three down to one, each a name inside the folder; also without a
/// query and blanks around it.
fn last_parts(name: &str) -> Vec<String> {
    const PARTS_MAX: usize = 3;
    let bare = name.split(['?', '#']).next().unwrap_or(name).trim();
    let ends = [name, bare].into_iter().flat_map(|name| {
        let parts: Vec<&str> = parts_of(name).filter(|part| *part != "..").collect();
        let starts = parts.len().saturating_sub(PARTS_MAX)..parts.len();
        starts.map(move |start| parts[start..].join("/"))
    });
    ends.filter(|end| end != name && escapes(end).is_none()).collect()
}

/// The file's place and content. `blobs` is the folder that links may lead to besides `root`.
fn read_inside(
    root: &Path,
    blobs: Option<&Path>,
    relative: &str,
    max: u64,
) -> Result<(PathBuf, Vec<u8>), FileProblem> {
    let mut path = root.to_owned();
    path.extend(parts_of(relative));
    let real = path.canonicalize().map_err(FileProblem::Io)?;
    if !real.starts_with(root) && (blobs.is_none() || real.parent() != blobs) {
        return Err(FileProblem::Escape("is a symbolic link out of the asset's folder"));
    }
    let bytes = read_regular(&real, max.min(FILE_BYTES_MAX))?;
    Ok((real, bytes))
}

fn read_from_caller(
    files: &NamedFiles,
    relative: &str,
    max: u64,
) -> Result<(PathBuf, Vec<u8>), FileProblem> {
    let name = parts_of(relative).collect::<Vec<_>>().join("/");
    let bytes = files(&name).ok_or(FileProblem::Io(std::io::ErrorKind::NotFound.into()))?;
    limit("bytes in a file", bytes.len() as u64, max.min(FILE_BYTES_MAX))?;
    Ok((name.into(), bytes))
}

/// The parts of a name with `/` or `\` between them.
fn parts_of(relative: &str) -> impl Iterator<Item = &str> {
    relative.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".")
}

/// Why a name may not be followed, by its text alone.
pub(super) fn escapes(name: &str) -> Option<&'static str> {
    if name.contains('\0') {
        return Some("holds a zero byte");
    }
    if name.starts_with(['/', '\\']) {
        return Some("is an absolute path");
    }
    if let Some((scheme, _)) = name.split_once(':')
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    {
        // One letter is a Windows drive.
        return Some(if scheme.len() == 1 {
            "is an absolute path"
        } else {
            "is a URI with a scheme"
        });
    }
    let mut depth = 0_u32;
    for part in parts_of(name) {
        depth = match part {
            ".." if depth == 0 => return Some("leads out of the asset's folder"),
            ".." => depth - 1,
            _ => depth + 1,
        };
    }
    None
}

/// Decodes `%20` and the like to bytes; keeps text that is no escape, or not UTF-8 afterwards.
pub fn percent_decode(uri: &str) -> String {
    if !uri.contains('%') {
        return uri.to_owned();
    }
    String::from_utf8(percent_decode_bytes(uri)).unwrap_or_else(|_| uri.to_owned())
}

/// As [`percent_decode`], for data.
pub(super) fn percent_decode_bytes(uri: &str) -> Vec<u8> {
    let hex = |byte: Option<&u8>| byte.and_then(|&b| char::from(b).to_digit(16));
    let bytes = uri.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'%'
            && let (Some(high), Some(low)) = (hex(bytes.get(at + 1)), hex(bytes.get(at + 2)))
        {
            out.push((high * 16 + low) as u8);
            at += 3;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    out
}

/// The data of a `data:` URI, or `None` if it is another kind of URI.
///
/// # Errors
/// A reason, when the data cannot be decoded.
pub(super) fn data_uri(uri: &str) -> Option<Result<Vec<u8>, String>> {
    use base64::Engine as _;
    use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let uri = uri.trim_start();
    let scheme = uri.get(..5)?;
    if !scheme.eq_ignore_ascii_case("data:") {
        return None;
    }
    let Some((head, body)) = uri[5..].split_once(',') else {
        return Some(Err("a data URI without a comma".to_owned()));
    };
    let bytes = percent_decode_bytes(body);
    let mut parameters = head.split(';').map(str::trim);
    if !parameters.any(|parameter| parameter.eq_ignore_ascii_case("base64")) {
        return Some(Ok(bytes));
    }
    // Line ends are allowed, and some encoders use the alphabet for file names.
    let letters: Vec<u8> = bytes
        .into_iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .collect();
    Some(LENIENT.decode(letters).map_err(|e| e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_outside_are_told_apart() {
        for (name, inside) in [
            ("a.png", true),
            ("maps/a b.png", true),
            ("./a.png", true),
            ("maps\\a.png", true),
            ("a..b/c.png", true),
            ("maps/../a.png", true),
            ("maps/./../../a.png", false),
            ("/etc/passwd", false),
            ("\\\\host\\share", false),
            ("../a.png", false),
            ("maps/../../a.png", false),
            ("maps\\..\\..\\a.png", false),
            ("C:\\a.png", false),
            ("http://host/a.png", false),
            ("file:///a.png", false),
            ("a\0.png", false),
        ] {
            assert_eq!(escapes(name).is_none(), inside, "{name:?}");
        }
    }

    #[test]
    fn percent_and_data_uris_are_decoded() {
        assert_eq!(percent_decode("a%20b%2Fc%zz"), "a b/c%zz");
        assert_eq!(data_uri("data:;base64,AQI=").unwrap().unwrap(), [1, 2]);
        assert_eq!(data_uri("data:;base64,AQI").unwrap().unwrap(), [1, 2]);
        assert_eq!(data_uri("data:text/plain,a%20b").unwrap().unwrap(), b"a b");
        assert!(data_uri("data:;base64,*").unwrap().is_err());
        assert!(data_uri("data:").unwrap().is_err());
        assert!(data_uri("a.bin").is_none());
    }
}
