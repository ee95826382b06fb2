//! A parsed glTF file with its buffers: here JSON indices become checked references.

use super::super::error::LoadError;
use super::super::files::{Folder, data_uri, percent_decode, shorten};
use super::super::format::mistaken;
use super::super::limits::{
    ACCESSOR_BYTES_BASE, DECODED_BYTES_MAX, FILE_BYTES_MAX, JSON_ITEMS_MAX, JSON_OBJECTS_MAX,
    expanded,
};
use super::super::warning::{Warning, Warnings};
use super::lenient;
use super::meshopt::{self, Compressed};
use glam::DVec3;
use gltf::json::{Index, Root};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The JSON, its buffers, and the path for messages.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub path: &'a Path,
    pub root: Root,
    pub buffers: Vec<Buffer<'a>>,
    /// Decoded bytes of compressed buffer views, by index.
    pub views: BTreeMap<usize, Vec<u8>>,
    /// Bytes of accessors that an extension supplies, by index; tightly packed.
    pub supplied: BTreeMap<usize, Vec<u8>>,
    /// Accessors of the morph targets' colours and texture coordinates, by mesh and primitive:
    /// `gltf-json` drops these.
    pub later_targets: Targets,
    /// Exact node places of an asset far from zero, else none: `gltf-json` keeps single precision.
    pub places: Vec<NodePlace>,
    /// Bytes that accessors have come to so far, every use counted.
    accessor_bytes: AtomicU64,
    accessor_bytes_max: u64,
}

/// The bytes of a buffer. An error in a buffer matters only when something uses it.
#[derive(Debug)]
pub(super) enum Buffer<'a> {
    /// `stated` is the length that the JSON gives; fewer bytes are there where the file is cut off.
    Read { data: Cow<'a, [u8]>, stated: u64 },
    /// A fallback buffer of a compression extension.
    Nowhere,
    /// The first use takes the error and ends the load.
    Failed(Mutex<Option<LoadError>>),
}

/// Of each mesh, of each primitive, of each target: the accessor of each attribute.
pub(super) type Targets = Vec<Vec<Vec<BTreeMap<String, u32>>>>;

impl<'a> Document<'a> {
    /// Parses `json` and reads the buffers.
    pub(super) fn read(
        json: &[u8],
        bin: Option<&'a [u8]>,
        path: &'a Path,
        folder: &mut Folder,
        warnings: &mut Warnings,
    ) -> Result<Self, LoadError> {
        let (mut root, later_targets) = parse(json, path, warnings)?;
        let buffers = std::mem::take(&mut root.buffers)
            .into_iter()
            .enumerate()
            .map(|(index, buffer)| {
                let what = format!("buffer {index}");
                let stated = buffer.byte_length.0;
                let files = (&mut *folder, &mut *warnings);
                match read_buffer(&what, index, buffer.uri, stated, bin, path, files) {
                    Ok(None) => Buffer::Nowhere,
                    Ok(Some(data)) => Buffer::Read { data, stated },
                    Err(error) => Buffer::Failed(Mutex::new(Some(error))),
                }
            })
            .collect();
        Ok(Self {
            path,
            root,
            accessor_bytes: AtomicU64::new(0),
            accessor_bytes_max: expanded(ACCESSOR_BYTES_BASE, folder.asset_bytes()),
            buffers,
            views: BTreeMap::new(),
            supplied: BTreeMap::new(),
            later_targets,
            places: Vec::new(),
        })
    }

    /// Counts `bytes` that an accessor will take against the limit for an asset of this size.
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

    /// Whether its program writes sRGB bytes as vertex colours, against the specification.
    pub(super) fn writes_srgb_colors(&self) -> bool {
        let generator = self.root.asset.generator.as_deref().unwrap_or_default();
        generator.to_ascii_lowercase().contains("trimesh")
    }

    /// Decodes the compressed buffer views, side by side.
    pub(super) fn decode_views(&mut self) -> Result<(), LoadError> {
        let mut compressed = Vec::new();
        let mut total = 0_u64;
        for (index, view) in self.root.buffer_views.iter().enumerate() {
            let others = view.extensions.as_ref().map(|extensions| &extensions.others);
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
        let views: Vec<Result<_, LoadError>> =
            parallel::map(&compressed, |(index, name, known)| {
                let bytes = self.span(name, known.buffer, known.byte_offset, known.byte_length)?;
                let decoded = known.decode(bytes);
                Ok((*index, decoded.map_err(|problem| self.broken(name.clone(), problem))?))
            });
        self.views = views.into_iter().collect::<Result<_, LoadError>>()?;
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
        LoadError::limit(what, found, max, self.path)
    }
}

fn broken(path: &Path, what: String, problem: String) -> LoadError {
    LoadError::Broken { what, problem, path: path.to_path_buf() }
}

fn parse(json: &[u8], path: &Path, warnings: &mut Warnings) -> Result<(Root, Targets), LoadError> {
    let malformed = |reason: String| LoadError::malformed("glTF", reason, path);
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let count = |byte: u8| json.iter().filter(|&&b| b == byte).count();
    for (what, found, max) in [
        ("objects in the JSON", count(b'{'), JSON_OBJECTS_MAX),
        ("items in the JSON", count(b',') + count(b'['), JSON_ITEMS_MAX),
    ] {
        LoadError::limit(what, found as u64, max as u64, path)?;
    }
    // serde_json stops at a depth of 128 on its own.
    let root = match serde_json::from_slice::<Root>(json) {
        Ok(root) => root,
        Err(_) => {
            let (value, is_foreign) = lenient::value(json).map_err(|e| {
                if e.is_eof() {
                    LoadError::incomplete("glTF", e.to_string(), path)
                } else {
                    malformed(e.to_string())
                }
            })?;
            // The first version has names where the second has numbers.
            let has_names = |key| value.get(key).is_some_and(Value::is_object);
            let version = value.get("asset").and_then(|asset| asset.get("version")?.as_str());
            if version.is_some_and(|v| v.starts_with("1.")) || has_names("meshes") {
                return Err(LoadError::OldGltf { path: path.to_path_buf() });
            }
            if value.get("asset").is_none() {
                let keys = value.as_object().into_iter().flat_map(|members| members.keys());
                let keys: Vec<_> = keys.take(4).map(String::as_str).collect();
                return Err(LoadError::Mistaken {
                    subject: "this".to_owned(),
                    what: format!("JSON but not glTF (it has {:?})", shorten(&keys.join(", "))),
                    path: path.to_path_buf(),
                });
            }
            warnings.count(u64::from(is_foreign), |count| Warning::NotUtf8 { count });
            let root = serde_path_to_error::deserialize(value);
            root.map_err(|e| malformed(format!("{}: {}", e.path(), e.inner())))?
        }
    };
    let (version, least) = (&root.asset.version, &root.asset.min_version);
    if version.starts_with("1.") {
        return Err(LoadError::OldGltf { path: path.to_path_buf() });
    }
    // The major version decides, unless the file says that it needs more (glTF 2.0, section 3.2).
    let is_second = version.starts_with("2.") || version == "2";
    if !is_second || least.as_ref().is_some_and(|least| !matches!(least.as_str(), "2.0" | "2")) {
        return Err(malformed(format!(
            "it needs version {}, but only 2.0 is read",
            least.as_ref().unwrap_or(version)
        )));
    }
    let has_targets = json.windows(9).any(|text| text == b"\"targets\"");
    let targets = if has_targets { once_more::<WithTargets>(json) } else { WithTargets::default() };
    let of_mesh = |mesh: MeshTargets| mesh.primitives.into_iter().map(|p| p.targets).collect();
    Ok((root, targets.meshes.into_iter().map(of_mesh).collect()))
}

/// What `gltf-json` leaves out of a text that it has parsed.
fn once_more<T: DeserializeOwned + Default>(json: &[u8]) -> T {
    let lenient = || serde_json::from_value(lenient::value(json).ok()?.0).ok();
    serde_json::from_slice(json).ok().or_else(lenient).unwrap_or_default()
}

/// Translations of the nodes in double precision.
pub(super) fn places(json: &[u8]) -> Vec<NodePlace> {
    once_more::<WithPlaces>(json).nodes
}

#[derive(Default, Deserialize)]
struct WithPlaces {
    #[serde(default)]
    nodes: Vec<NodePlace>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct NodePlace {
    matrix: Option<[f64; 16]>,
    translation: Option<[f64; 3]>,
}

impl NodePlace {
    pub(super) fn translation(&self) -> Option<DVec3> {
        let of_matrix = self.matrix.map(|m| DVec3::new(m[12], m[13], m[14]));
        of_matrix.or(self.translation.map(DVec3::from_array))
    }
}

#[derive(Default, Deserialize)]
struct WithTargets {
    #[serde(default)]
    meshes: Vec<MeshTargets>,
}

#[derive(Deserialize)]
struct MeshTargets {
    primitives: Vec<PrimitiveTargets>,
}

#[derive(Deserialize)]
struct PrimitiveTargets {
    #[serde(default)]
    targets: Vec<BTreeMap<String, u32>>,
}

fn read_buffer<'a>(
    what: &str,
    index: usize,
    uri: Option<String>,
    stated: u64,
    bin: Option<&'a [u8]>,
    path: &Path,
    (folder, warnings): (&mut Folder, &mut Warnings),
) -> Result<Option<Cow<'a, [u8]>>, LoadError> {
    let Some(uri) = uri.filter(|uri| !uri.is_empty()) else {
        return Ok(if index == 0 { bin.map(Cow::Borrowed) } else { None });
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
    let bytes = folder
        .find(&[percent_decode(&uri), uri.clone()], FILE_BYTES_MAX, warnings)
        .map_err(|problem| problem.into_error(what, &uri, path))?;
    // Two bytes that begin an archive may begin numbers as well; text does not.
    let is_short = (bytes.len() as u64) < stated;
    if let Some(found) = mistaken(&bytes).filter(|_| is_short || bytes.is_ascii()) {
        return Err(LoadError::Mistaken {
            subject: format!("{what} {:?}", shorten(&uri)),
            what: found,
            path: path.to_path_buf(),
        });
    }
    Ok(Some(Cow::Owned(bytes)))
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
