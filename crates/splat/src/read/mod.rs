//! Bytes → [`Splats`], with y up. Format by content first, then by extension. Knows no cameras.
//!
//! | format | recognised by | axes of the file → ours |
//! | --- | --- | --- |
//! | 3DGS `.ply`, compressed `.ply` | its header | x right, y down: half a turn about x |
//! | `.splat` | its extension | as PLY |
//! | SOG, folder (`meta.json`) or bundle | JSON keys; a ZIP archive with `meta.json` | as PLY |
//! | `.spz` versions 1 to 4 | `NGSP`, plain or inside gzip | x right, y up: none; others by SPZ_ADOBE_coordinate_system |
//! | `.gltf`, `.glb` with KHR_gaussian_splatting | `glTF` or JSON keys | x left, y up: none |
//!
//! PLY files turn as in the SPZ library, so one object as PLY and as SPZ gives one picture.

mod antimatter;
mod bytes;
mod error;
mod found;
mod gltf;
mod ply;
mod ply_packed;
mod ply_table;
mod sog;
mod spz;
mod zip;

pub use error::ReadError;
pub use found::{Format, NamedFiles, Order};
pub(crate) use gltf::EXTENSION as GLTF_EXTENSION;
pub(crate) use spz::{FLAG_ANTIALIASED as SPZ_FLAG_ANTIALIASED, MAGIC as SPZ_MAGIC};

use crate::splats::{Repairs, Splats};
use found::Found;
use glam::{DAffine3, DMat3};
use std::path::Path;

/// A file's splats, and what it says of them.
#[derive(Debug)]
pub struct Loaded {
    pub splats: Splats,
    pub format: Format,
    /// Whether the file claims training with antialiasing; `None` if its encoding cannot say.
    pub antialiased: Option<bool>,
    pub order: Order,
    pub repairs: Repairs,
    /// Primitives of a glTF file that have surfaces, points or lines, which are not read here.
    pub other_primitives: usize,
    /// Whether the file has harmonics of degree 4, which are not read.
    pub has_degree_4: bool,
    /// Names of properties (PLY) or members (SOG) that are not read.
    pub ignored: Vec<String>,
}

/// Which axes the result has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Axes {
    /// y up, by the table of [`read`](self).
    #[default]
    Usual,
    /// The file's own.
    AsInFile,
}

/// The list of a streamed SOG folder, of which each level of detail is a folder of its own.
pub const LOD_META: &str = "lod-meta.json";

/// Whether these bytes have splats in a form that [`read`] knows; `name` decides for encodings
/// without a header. Reads headers only, except for JSON.
pub fn has_splats(bytes: &[u8], name: &Path) -> bool {
    is_ply(bytes) && ply::has_splats(bytes)
        || bytes.starts_with(spz::MAGIC)
        || spz::is_packed(bytes)
        || bytes.starts_with(b"PK\x03\x04")
            && matches!(zip::file(bytes, "meta.json"), Ok(Some(meta)) if sog::is_meta(&meta))
        || gltf::has_splats(bytes)
        || is_json(bytes) && sog::is_meta(bytes)
        || has_extension(name, "splat")
        || name.ends_with(LOD_META)
}

/// Reads splats from memory. `files` gives the other files of a SOG folder or a glTF file.
///
/// # Errors
/// [`ReadError`]. No input makes this panic, and memory is limited by the size of the input.
pub fn read(
    bytes: &[u8],
    name: &Path,
    axes: Axes,
    files: &NamedFiles<'_>,
) -> Result<Loaded, ReadError> {
    let checked = |uri: &str| files(&inside(uri)?);
    let found = find(bytes, name, &checked)?;
    let (splats, mut repairs) = Splats::new(found.splats)?;
    repairs.dropped += found.repairs.dropped;
    repairs.rotations_normalized += found.repairs.rotations_normalized;
    repairs.opacities_clamped += found.repairs.opacities_clamped;
    let turn = found.turn;
    let splats = if axes == Axes::Usual && turn != DMat3::IDENTITY {
        splats.mapped(&DAffine3::from_mat3(turn)).expect("a turn keeps every splat")
    } else {
        splats
    };
    Ok(Loaded {
        splats,
        format: found.format,
        antialiased: found.antialiased,
        order: found.order,
        repairs,
        other_primitives: found.other_primitives,
        has_degree_4: found.has_degree_4,
        ignored: found.ignored,
    })
}

/// Reads a file and those next to it that it names.
///
/// # Errors
/// As [`read`]; a file that cannot be opened is [`ReadError::Missing`].
pub fn read_file(path: &Path) -> Result<Loaded, ReadError> {
    let open = |path: &Path| {
        std::fs::read(path).map_err(|_| ReadError::Missing { name: path.display().to_string() })
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    read(&open(path)?, path, Axes::Usual, &|name| open(&folder.join(name)))
}

fn find(bytes: &[u8], name: &Path, files: &NamedFiles<'_>) -> Result<Found, ReadError> {
    if is_ply(bytes) {
        return ply::read(bytes);
    }
    if bytes.starts_with(spz::MAGIC) || spz::is_packed(bytes) {
        return spz::read(bytes);
    }
    if bytes.starts_with(b"glTF") {
        return gltf::read(bytes, files);
    }
    if bytes.starts_with(b"PK\x03\x04") {
        let meta = zip::file(bytes, "meta.json")?
            .ok_or(ReadError::NotSplats { found: "a ZIP archive without meta.json" })?;
        let inside = |name: &str| {
            zip::file(bytes, name)?.ok_or_else(|| ReadError::Missing { name: name.to_owned() })
        };
        return sog::read(&meta, bytes.len(), &|name| inside(name));
    }
    if name.ends_with(LOD_META) {
        return Err(ReadError::unsupported(
            "a streamed SOG folder",
            "draw the folder of one level, or export it as one SOG file",
        ));
    }
    if is_json(bytes) {
        return if sog::is_meta(bytes) {
            sog::read(bytes, bytes.len(), files)
        } else {
            gltf::read(bytes, files)
        };
    }
    if has_extension(name, "splat") {
        return antimatter::read(bytes);
    }
    if has_extension(name, "ksplat") {
        let remedy = "convert it to .ply or .spz, as splat-transform does";
        return Err(ReadError::unsupported("a .ksplat file", remedy));
    }
    Err(ReadError::NotSplats { found: "neither PLY, SPZ, SOG, glTF nor .splat" })
}

fn is_ply(bytes: &[u8]) -> bool {
    bytes.starts_with(b"ply") && bytes.get(3).is_some_and(u8::is_ascii_whitespace)
}

fn is_json(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{")
}

fn has_extension(name: &Path, wanted: &str) -> bool {
    name.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// The name of a file in the folder or below, with percent signs decoded.
fn inside(uri: &str) -> Result<String, ReadError> {
    let outside = || ReadError::Outside { name: uri.chars().take(120).collect() };
    let mut name = Vec::new();
    let mut bytes = uri.bytes();
    while let Some(byte) = bytes.next() {
        name.push(match byte {
            b'%' => {
                let digits = [bytes.next(), bytes.next()]
                    .map(|digit| char::from(digit.unwrap_or(b'?')).to_digit(16));
                let [Some(high), Some(low)] = digits else {
                    return Err(outside());
                };
                (16 * high + low) as u8
            }
            _ => byte,
        });
    }
    let name = String::from_utf8(name).map_err(|_| outside())?;
    let leads_out = name.is_empty()
        || name.contains(['\\', ':', '\0'])
        || name.split('/').any(|part| part.is_empty() || part == "..");
    if leads_out { Err(outside()) } else { Ok(name) }
}
