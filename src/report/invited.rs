//! Who may vote from elsewhere: invitations, revocations, consents and attention checks, in
//! `raters.jsonl` of the run's folder.
//!
//! One event a line. Lines are only appended, each in one write, so that the command that revokes
//! and the server that runs need no lock; a truncated line is skipped. Only the hash of a token is
//! stored, so that a reader of the file cannot vote.

use crate::error::Error;
use crate::store::{DATABASE_FILE, rfc3339, run_folders};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

const FILE: &str = "raters.jsonl";
/// More is not read: some hundred thousand events.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// Bytes of a token and of the key that makes ids: enough to prevent guessing.
const SECRET_BYTES: usize = 32;
/// Longer names are refused.
const NAME_CHARS_MAX: usize = 64;

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event {
    /// Makes ids of pairs that hold as long as the run does.
    Key {
        key: String,
    },
    /// A new owner's token takes the place of the one before.
    Owner {
        token_hash: String,
        at: String,
    },
    /// A new token of the same rater takes the place of the one before.
    Invited {
        name: String,
        token_hash: String,
        at: String,
    },
    Revoked {
        name: String,
        at: String,
    },
    Consented {
        name: String,
        text_hash: String,
        at: String,
    },
    /// A pair whose right answer is known; the first answer counts.
    Checked {
        name: String,
        check: String,
        answer: CheckAnswer,
        at: String,
    },
}

/// A rater's answer to a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CheckAnswer {
    Right,
    Wrong,
    /// Undecided, or as often right as wrong.
    Tie,
}

/// A rater who was invited.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Invited {
    /// The hash of the valid token; none after it was revoked.
    token_hash: Option<String>,
    pub invited_at: String,
    pub revoked_at: Option<String>,
    /// Hashes of the texts consented to.
    consents: BTreeSet<String>,
    /// By check.
    pub checks: BTreeMap<String, CheckAnswer>,
}

/// Everybody who was ever invited to a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct InvitedRaters {
    pub raters: BTreeMap<String, Invited>,
    owner: Option<String>,
    key: Option<[u8; SECRET_BYTES]>,
    by_token: BTreeMap<String, String>,
}

/// A name as records hold it.
///
/// # Errors
/// [`Error`].
pub(super) fn valid_name(text: &str) -> Result<String, Error> {
    let name = text.trim();
    let is_good =
        (1..=NAME_CHARS_MAX).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if is_good {
        Ok(name.to_owned())
    } else {
        Err(Error::run(format!(
            "a rater's name must have 1 to {NAME_CHARS_MAX} characters and no line breaks: {text:?}"
        )))
    }
}

/// Invites a rater; the token that votes in that name. It is stored nowhere. An earlier one of the
/// same name is no longer valid.
///
/// # Errors
/// [`Error`].
pub fn invite(folder: &Path, name: &str) -> Result<String, Error> {
    let name = valid_name(name)?;
    let (token, token_hash) = new_token()?;
    append(folder, &Event::Invited { name, token_hash, at: now() })?;
    Ok(token)
}

/// Takes an invitation back, also from a server that is running. Votes that were given stay.
///
/// # Errors
/// [`Error`].
pub fn revoke(folder: &Path, name: &str) -> Result<(), Error> {
    let name = valid_name(name)?;
    if !InvitedRaters::read(folder)?.raters.contains_key(&name) {
        return Err(Error::run(format!(
            "no rater of that name was invited, so nothing was revoked: {name:?}"
        )));
    }
    append(folder, &Event::Revoked { name, at: now() })
}

/// A new token of the run's owner, the only reader of the report. Invalidates an earlier one.
///
/// # Errors
/// [`Error`].
pub fn invite_owner(folder: &Path) -> Result<String, Error> {
    let (token, token_hash) = new_token()?;
    append(folder, &Event::Owner { token_hash, at: now() })?;
    Ok(token)
}

impl InvitedRaters {
    /// As the run's folder says now; empty where nobody was invited.
    ///
    /// # Errors
    /// [`Error`].
    pub(super) fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(FILE);
        let failed = |e: std::io::Error| failed(&path, &e);
        let mut text = Vec::new();
        match std::fs::File::open(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(failed(e)),
            Ok(file) => {
                file.take(FILE_BYTES_MAX).read_to_end(&mut text).map_err(failed)?;
            }
        }
        let mut all = Self::default();
        let lines = text.split(|byte| *byte == b'\n');
        lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .for_each(|event| all.take(event));
        let tokens = all
            .raters
            .iter()
            .filter_map(|(name, rater)| Some((rater.token_hash.clone()?, name.clone())));
        all.by_token = tokens.collect();
        Ok(all)
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Key { key } => {
                if let (None, Ok(key)) = (self.key, blake3::Hash::from_hex(key)) {
                    self.key = Some(*key.as_bytes());
                }
            }
            Event::Owner { token_hash, .. } => self.owner = Some(token_hash),
            Event::Invited { name, token_hash, at } => {
                let rater = self.raters.entry(name).or_default();
                (rater.token_hash, rater.invited_at, rater.revoked_at) =
                    (Some(token_hash), at, None);
            }
            Event::Revoked { name, at } => {
                if let Some(rater) = self.raters.get_mut(&name) {
                    (rater.token_hash, rater.revoked_at) = (None, Some(at));
                }
            }
            Event::Consented { name, text_hash, .. } => {
                if let Some(rater) = self.raters.get_mut(&name) {
                    rater.consents.insert(text_hash);
                }
            }
            Event::Checked { name, check, answer, .. } => {
                if let Some(rater) = self.raters.get_mut(&name) {
                    rater.checks.entry(check).or_insert(answer);
                }
            }
        }
    }

    /// Whose token it is.
    pub(super) fn name_of(&self, token: &str) -> Option<&str> {
        self.by_token.get(&hash(token)).map(String::as_str)
    }

    /// The hash of the owner's token, if it is that.
    pub(super) fn owner_hash(&self, token: &str) -> Option<String> {
        Some(hash(token)).filter(|hash| self.is_owner_hash(hash))
    }

    pub(super) fn is_owner_hash(&self, hash: &str) -> bool {
        self.owner.as_deref() == Some(hash)
    }

    pub(super) fn has_consented(&self, name: &str, text: &str) -> bool {
        self.raters.get(name).is_some_and(|rater| rater.consents.contains(&hash(text)))
    }
}

/// The file as the server sees it: read again whenever it has grown.
#[derive(Debug)]
pub(super) struct InvitedFile {
    folder: PathBuf,
    read: Mutex<(u64, Arc<InvitedRaters>)>,
}

impl InvitedFile {
    /// # Errors
    /// [`Error`].
    pub(super) fn open(folder: &Path) -> Result<Self, Error> {
        let bytes = bytes_of(folder);
        let read = InvitedRaters::read(folder)?;
        Ok(Self { folder: folder.to_owned(), read: Mutex::new((bytes, Arc::new(read))) })
    }

    /// # Errors
    /// A list that cannot be read; then nobody is let in.
    pub(super) fn now(&self) -> Result<Arc<InvitedRaters>, Error> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        // It is only appended to, so another length is another content.
        let bytes = bytes_of(&self.folder);
        if read.0 != bytes {
            *read = (bytes, Arc::new(InvitedRaters::read(&self.folder)?));
        }
        Ok(Arc::clone(&read.1))
    }

    /// Makes the ids of pairs, the same after the server was started again.
    pub(super) fn key(&self) -> Result<[u8; SECRET_BYTES], Error> {
        if let Some(key) = self.now()?.key {
            return Ok(key);
        }
        let key = blake3::Hash::from(random()?).to_hex().to_string();
        append(&self.folder, &Event::Key { key })?;
        // Another process may have been quicker: the first one counts.
        self.now()?.key.ok_or_else(|| {
            Error::run("cannot read or write the list of raters (the written file is missing)")
                .at(self.folder.join(FILE))
        })
    }

    pub(super) fn consented(&self, name: &str, text: &str) -> Result<(), Error> {
        append(
            &self.folder,
            &Event::Consented { name: name.to_owned(), text_hash: hash(text), at: now() },
        )
    }

    pub(super) fn checked(
        &self,
        name: &str,
        check: &str,
        answer: CheckAnswer,
    ) -> Result<(), Error> {
        append(
            &self.folder,
            &Event::Checked { name: name.to_owned(), check: check.to_owned(), answer, at: now() },
        )
    }
}

fn bytes_of(folder: &Path) -> u64 {
    std::fs::metadata(folder.join(FILE)).map_or(0, |found| found.len())
}

fn append(folder: &Path, event: &Event) -> Result<(), Error> {
    let runs = run_folders(&[folder.to_owned()]).folders;
    if !runs.iter().any(|run| run.join(DATABASE_FILE).is_file()) {
        return Err(
            Error::run("there is no run here (no run.sqlite); give the folder of a run").at(folder)
        );
    }
    let path = folder.join(FILE);
    let mut options = OpenOptions::new();
    options.append(true).read(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let write = || -> std::io::Result<()> {
        let mut file = options.open(&path)?;
        let mut line = serde_json::to_string(event)?;
        line.push('\n');
        // Behind a line that was cut off, a new one begins.
        let mut last = [b'\n'];
        if file.seek(SeekFrom::End(0))? > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        if last != [b'\n'] {
            line.insert(0, '\n');
        }
        file.write_all(line.as_bytes())?;
        file.sync_data()
    };
    write().map_err(|e| failed(&path, &e))
}

fn failed(path: &Path, reason: &std::io::Error) -> Error {
    Error::run(format!("cannot read or write the list of raters ({reason})")).at(path)
}

fn now() -> String {
    rfc3339(SystemTime::now())
}

/// A token has 256 random bits, so its plain hash cannot be turned back.
pub(super) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// A token and its hash.
pub(super) fn new_token() -> Result<(String, String), Error> {
    let token = URL_SAFE_NO_PAD.encode(random()?);
    let hash = hash(&token);
    Ok((token, hash))
}

fn random() -> Result<[u8; SECRET_BYTES], Error> {
    let mut bytes = [0; SECRET_BYTES];
    let source = rustls::crypto::ring::default_provider().secure_random;
    source.fill(&mut bytes).map_err(|_| {
        Error::run("this system provides no random numbers, so no safe link can be made")
    })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(DATABASE_FILE), "").unwrap();
        folder
    }

    #[test]
    fn a_token_is_valid_until_it_is_replaced_or_revoked_and_is_written_nowhere() {
        let run = run();
        let folder = run.path();
        let (first, other) = (invite(folder, "Ada").unwrap(), invite(folder, "Ben").unwrap());
        let who =
            |token: &str| InvitedRaters::read(folder).unwrap().name_of(token).map(str::to_owned);
        assert_eq!((who(&first), who(&other)), (Some("Ada".to_owned()), Some("Ben".to_owned())));
        let second = invite(folder, "Ada").unwrap();
        assert_eq!((who(&first), who(&second)), (None, Some("Ada".to_owned())));
        revoke(folder, "Ada").unwrap();
        assert_eq!((who(&second), who(&other)), (None, Some("Ben".to_owned())));
        assert!(revoke(folder, "Eve").unwrap_err().to_string().contains("no rater of that name"));
        assert!(invite(folder, "a\nb").unwrap_err().to_string().contains("no line breaks"));
        let text = std::fs::read_to_string(folder.join(FILE)).unwrap();
        assert!(
            [&first, &second, &other].iter().all(|token| !text.contains(token.as_str())),
            "{text}"
        );
    }

    #[test]
    fn a_line_that_was_cut_off_spoils_no_other() {
        let run = run();
        let folder = run.path();
        let file = InvitedFile::open(folder).unwrap();
        let key = file.key().unwrap();
        let ada = invite(folder, "Ada").unwrap();
        let path = folder.join(FILE);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"event\":\"invited\",\"na");
        std::fs::write(&path, text).unwrap();
        file.checked("Ada", "c", CheckAnswer::Wrong).unwrap();
        file.checked("Ada", "c", CheckAnswer::Right).unwrap();
        let all = file.now().unwrap();
        assert_eq!(all.name_of(&ada), Some("Ada"));
        assert_eq!(all.raters["Ada"].checks["c"], CheckAnswer::Wrong);
        assert_eq!(InvitedFile::open(folder).unwrap().key().unwrap(), key);
    }
}
