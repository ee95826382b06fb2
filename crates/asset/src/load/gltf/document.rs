//! A parsed glTF file with its buffers: the border where indices of the JSON become checked references.

use super::super::error::LoadError;
use super::super::files::{Folder, data_uri, percent_decode};
use super::super::limits::{
    ACCESSOR_BYTES_BASE, DECODED_BYTES_MAX, FILE_BYTES_MAX, JSON_ITEMS_MAX, JSON_OBJECTS_MAX,
    expanded,
};
use super::meshopt::{self, Compressed};
use gltf::json::{Index, Root};
use rayon::prelude::*;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// The JSON, its buffers, and the path for messages.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub path: &'a Path,
    pub root: Root,
    /// `None` for a buffer that has no data anywhere (a fallback buffer of a compression extension).
    pub buffers: Vec<Option<Cow<'a, [u8]>>>,
    /// Decoded bytes of compressed buffer views, by index.
    pub views: BTreeMap<usize, Vec<u8>>,
    /// Bytes of accessors that an extension supplies, by index; tightly packed.
    pub supplied: BTreeMap<usize, Vec<u8>>,
    /// Bytes that accessors have come to so far, every use counted.
    accessor_bytes: AtomicU64,
    accessor_bytes_max: u64,
}

impl<'a> Document<'a> {
    /// Parses `json` and reads the buffers.
    pub(super) fn read(
        json: &[u8],
        bin: Option<&'a [u8]>,
        path: &'a Path,
        folder: &mut Folder,
    ) -> Result<Self, LoadError> {
        let mut root = parse(json, path)?;
        let buffers = std::mem::take(&mut root.buffers)
            .into_iter()
            .enumerate()
            .map(|(index, buffer)| {
                let what = format!("buffer {index}");
                let data = read_buffer(&what, index, buffer.uri, bin, path, folder)?;
                let Some(data) = data else { return Ok(None) };
                let stated = buffer.byte_length.0;
                if (data.len() as u64) < stated {
                    return Err(broken(
                        path,
                        what,
                        format!("should have {stated} bytes and has {}", data.len()),
                    ));
                }
                Ok(Some(match data {
                    Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..stated as usize]),
                    Cow::Owned(mut bytes) => {
                        bytes.truncate(stated as usize);
                        Cow::Owned(bytes)
                    }
                }))
            })
            .collect::<Result<Vec<Option<Cow<'a, [u8]>>>, LoadError>>()?;
        Ok(Self {
            path,
            root,
            accessor_bytes: AtomicU64::new(0),
            accessor_bytes_max: expanded(ACCESSOR_BYTES_BASE, folder.asset_bytes()),
            buffers,
            views: BTreeMap::new(),
            supplied: BTreeMap::new(),
        })
    }

    /// Counts `bytes` that an accessor is about to come to, against the limit for an asset of this size.
    pub(super) fn count_bytes(&self, bytes: u64) -> Result<(), LoadError> {
        let before = self.accessor_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.check_limit(
            "bytes of all uses of accessors",
            before.saturating_add(bytes),
            self.accessor_bytes_max,
        )
    }

    /// Bytes that may still be counted.
    pub(super) fn bytes_left(&self) -> u64 {
        let counted = self.accessor_bytes.load(Ordering::Relaxed);
        self.accessor_bytes_max.saturating_sub(counted)
    }

    /// Decodes the compressed buffer views, side by side.
    pub(super) fn decode_views(&mut self) -> Result<(), LoadError> {
        let mut compressed = Vec::new();
        let mut total = 0_u64;
        for (index, view) in self.root.buffer_views.iter().enumerate() {
            let others = view
                .extensions
                .as_ref()
                .map(|extensions| &extensions.others);
            let Some(value) =
                others.and_then(|all| meshopt::NAMES.iter().find_map(|&n| all.get(n)))
            else {
                continue;
            };
            let name = format!("buffer view {index}");
            let known = Compressed::of(value).map_err(|problem| self.broken(&*name, problem))?;
            if known.decoded_bytes() != view.byte_length.0 {
                return Err(self.broken(
                    name,
                    format!(
                        "has {} bytes and decodes to {}",
                        view.byte_length.0,
                        known.decoded_bytes()
                    ),
                ));
            }
            total = total.saturating_add(known.decoded_bytes());
            let max = DECODED_BYTES_MAX.min(self.accessor_bytes_max);
            self.check_limit("bytes of compressed buffer views", total, max)?;
            compressed.push((index, name, known));
        }
        self.views = (compressed.into_par_iter())
            .map(|(index, name, known)| {
                let bytes = self.span(&name, known.buffer, known.byte_offset, known.byte_length)?;
                let decoded = known.decode(bytes);
                Ok((
                    index,
                    decoded.map_err(|problem| self.broken(name, problem))?,
                ))
            })
            .collect::<Result<_, LoadError>>()?;
        Ok(())
    }

    /// `list[index]`, or an error that names it.
    pub(super) fn get<'l, T>(
        &self,
        list: &'l [T],
        index: Index<T>,
        name: &str,
    ) -> Result<&'l T, LoadError> {
        list.get(index.value()).ok_or_else(|| {
            self.broken(
                format!("{name} {}", index.value()),
                format!("does not exist; there are {}", list.len()),
            )
        })
    }

    /// [`LoadError::Broken`] for this file.
    pub(super) fn broken(&self, what: impl Into<String>, problem: impl Into<String>) -> LoadError {
        broken(self.path, what.into(), problem.into())
    }

    /// [`LoadError::TooLarge`] for this file when `found` passes `max`.
    pub(super) fn check_limit(&self, what: &str, found: u64, max: u64) -> Result<(), LoadError> {
        if found <= max {
            return Ok(());
        }
        Err(LoadError::TooLarge {
            what: what.to_owned(),
            found,
            max,
            path: self.path.to_path_buf(),
        })
    }
}

fn broken(path: &Path, what: String, problem: String) -> LoadError {
    LoadError::Broken {
        what,
        problem,
        path: path.to_path_buf(),
    }
}

fn parse(json: &[u8], path: &Path) -> Result<Root, LoadError> {
    let malformed = |reason: String| LoadError::Malformed {
        format: "glTF",
        reason,
        path: path.to_path_buf(),
    };
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let count = |byte: u8| json.iter().filter(|&&b| b == byte).count();
    for (what, found, max) in [
        ("objects in the JSON", count(b'{'), JSON_OBJECTS_MAX),
        (
            "items in the JSON",
            count(b',') + count(b'['),
            JSON_ITEMS_MAX,
        ),
    ] {
        if found > max {
            return Err(LoadError::TooLarge {
                what: what.to_owned(),
                found: found as u64,
                max: max as u64,
                path: path.to_path_buf(),
            });
        }
    }
    // serde_json stops at a depth of 128 on its own.
    let parsed = serde_json::from_slice::<Root>(json);
    let root = match parsed {
        Ok(root) => root,
        Err(e) => {
            // The first version has names where the second has numbers, so that it does not even parse.
            let stated =
                serde_json::from_slice::<Version>(json).map(|version| version.asset.version);
            if stated.is_ok_and(|version| version.is_some_and(|v| v.starts_with("1."))) {
                return Err(LoadError::OldGltf {
                    path: path.to_path_buf(),
                });
            }
            with_scenes_of_nothing(json).ok_or_else(|| malformed(e.to_string()))?
        }
    };
    let version = &root.asset.version;
    let needed = root.asset.min_version.as_ref().unwrap_or(version);
    if version.starts_with("1.") {
        return Err(LoadError::OldGltf {
            path: path.to_path_buf(),
        });
    }
    if !(version.starts_with("2.") || version == "2") || !matches!(needed.as_str(), "2.0" | "2") {
        return Err(malformed(format!(
            "it is version {needed}, but only 2.0 is supported"
        )));
    }
    Ok(root)
}

/// A scene may leave out its list of nodes (glTF 2.0, section 5.27), which `gltf-json` does not know; `None` if it is not that.
fn with_scenes_of_nothing(json: &[u8]) -> Option<Root> {
    let mut file: Value = serde_json::from_slice(json).ok()?;
    for scene in file.get_mut("scenes")?.as_array_mut()? {
        let scene = scene.as_object_mut()?;
        scene
            .entry("nodes")
            .or_insert_with(|| Vec::<u32>::new().into());
    }
    serde_json::from_value(file).ok()
}

/// What every version of the format says of itself.
#[derive(serde::Deserialize)]
struct Version {
    asset: VersionOf,
}

#[derive(serde::Deserialize)]
struct VersionOf {
    version: Option<String>,
}

fn read_buffer<'a>(
    what: &str,
    index: usize,
    uri: Option<String>,
    bin: Option<&'a [u8]>,
    path: &Path,
    folder: &mut Folder,
) -> Result<Option<Cow<'a, [u8]>>, LoadError> {
    let Some(uri) = uri else {
        return Ok(if index == 0 {
            bin.map(Cow::Borrowed)
        } else {
            None
        });
    };
    if let Some(data) = data_uri(&uri) {
        return data.map(|bytes| Some(Cow::Owned(bytes))).map_err(|reason| {
            broken(
                path,
                what.to_owned(),
                format!("has a data URI that cannot be decoded ({reason})"),
            )
        });
    }
    folder
        .read(&percent_decode(&uri), FILE_BYTES_MAX)
        .map(|bytes| Some(Cow::Owned(bytes)))
        .map_err(|problem| problem.into_error(what, &uri, path))
}

/// A member of an extension object, as a finite `f32`.
pub(super) fn number(value: &Value, key: &str) -> Option<f32> {
    let number = value.get(key)?.as_f64()? as f32;
    number.is_finite().then_some(number)
}

/// A member of an extension object, as `N` finite `f32`.
pub(super) fn numbers<const N: usize>(value: &Value, key: &str) -> Option<[f32; N]> {
    let list = value.get(key)?.as_array()?;
    if list.len() != N {
        return None;
    }
    let mut out = [0.0; N];
    for (out, value) in out.iter_mut().zip(list) {
        *out = value.as_f64()? as f32;
        if !out.is_finite() {
            return None;
        }
    }
    Some(out)
}
