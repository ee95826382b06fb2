//! The JSON report of the Khronos glTF Validator, for one file.

use crate::load::percent_decode;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Issues of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidatorReport {
    pub num_errors: u64,
    pub num_warnings: u64,
    /// Code, place and message of the listed ones.
    pub errors: Vec<String>,
    pub warnings: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("cannot read the validator's report ({source}): {path:?}")]
    Read { source: std::io::Error, path: PathBuf },
    #[error("not a report of the glTF Validator ({reason}); give its JSON: {path:?}")]
    Parse { reason: String, path: PathBuf },
    #[error(
        "the validator's report is about {found:?}, not about {wanted:?}; validate that file: {path:?}"
    )]
    OtherFile { found: String, wanted: String, path: PathBuf },
    #[error(
        "the validator's report is about a file with {found} bytes of binary data, but {asset:?} has {wanted}; validate it again: {path:?}"
    )]
    OtherBytes { found: u64, wanted: u64, asset: PathBuf, path: PathBuf },
}

#[derive(Deserialize)]
struct File {
    uri: Option<String>,
    issues: Issues,
    #[serde(default)]
    info: Info,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Issues {
    num_errors: u64,
    num_warnings: u64,
    #[serde(default)]
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    code: String,
    message: String,
    severity: u8,
    #[serde(default)]
    pointer: String,
}

#[derive(Deserialize, Default)]
struct Info {
    #[serde(default)]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    storage: Option<String>,
    byte_length: Option<u64>,
}

impl ValidatorReport {
    /// Largest file read: 64 MiB.
    const FILE_BYTES_MAX: u64 = 64 << 20;

    /// `path` is a report, or a folder of reports named as the validator names them:
    /// `chair.report.json` or `chair.glb.report.json`.
    ///
    /// # Errors
    /// [`ReportError`], also where the report is about another file than `asset`.
    pub fn open(path: &Path, asset: &Path) -> Result<Self, ReportError> {
        let named = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
        let wanted = named(asset).unwrap_or_default();
        let path = if path.is_dir() {
            let whole = path.join(format!("{wanted}.report.json"));
            let stem = asset.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if whole.exists() { whole } else { path.join(format!("{stem}.report.json")) }
        } else {
            path.to_owned()
        };
        let read = || -> std::io::Result<Vec<u8>> {
            if std::fs::metadata(&path)?.len() > Self::FILE_BYTES_MAX {
                return Err(std::io::Error::other("it has more than 64 MiB"));
            }
            std::fs::read(&path)
        };
        let bytes = read().map_err(|source| ReportError::Read { source, path: path.clone() })?;
        let file: File = serde_json::from_slice(&bytes)
            .map_err(|e| ReportError::Parse { reason: e.to_string(), path: path.clone() })?;
        let no_name = "a file without a name".to_owned();
        let found = file.uri.as_deref().map(uri_name).unwrap_or(no_name);
        if found != wanted {
            return Err(ReportError::OtherFile { found, wanted, path });
        }
        let in_glb = |r: &&Resource| r.storage.as_deref() == Some("glb");
        let found = file.info.resources.iter().find(in_glb).and_then(|r| r.byte_length);
        if let (Some(found), Some(wanted)) = (found, binary_bytes(asset))
            // Chunks are padded to four bytes.
            && !(found..found + 4).contains(&wanted)
        {
            return Err(ReportError::OtherBytes { found, wanted, asset: asset.to_owned(), path });
        }
        let of = |severity: u8| {
            let messages = file.issues.messages.iter().filter(|m| m.severity == severity);
            messages.map(|m| format!("{} {}: {}", m.code, m.pointer, m.message)).collect()
        };
        let Issues { num_errors, num_warnings, .. } = file.issues;
        Ok(Self { num_errors, num_warnings, errors: of(0), warnings: of(1) })
    }
}

/// The last part of a path or URI, decoded.
fn uri_name(uri: &str) -> String {
    let last = uri.rsplit(['/', '\\']).next().unwrap_or(uri);
    percent_decode(last)
}

/// Length of the binary chunk of a GLB as its header says.
fn binary_bytes(path: &Path) -> Option<u64> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let mut file = std::fs::File::open(path).ok()?;
    let mut head = [0; 20];
    file.read_exact(&mut head).ok()?;
    let number = |at: &[u8]| u64::from(u32::from_le_bytes([at[0], at[1], at[2], at[3]]));
    if !head.starts_with(b"glTF") {
        return None;
    }
    file.seek(SeekFrom::Start(20 + number(&head[12..16]))).ok()?;
    let mut chunk = [0; 8];
    file.read_exact(&mut chunk).ok()?;
    (&chunk[4..] == b"BIN\0").then(|| number(&chunk))
}
