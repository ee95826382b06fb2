//! Why an asset did not load. Each message says what, why and what helps; the path comes last.

use crate::scene::SceneError;
use crate::scene::reading::Axis;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// In the place of a file.
pub(super) const FOLDER: &str = "a folder";

/// Why an asset could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file, or a file it needs for its geometry, could not be read.
    #[error("cannot read {what} ({reason}); check that it exists and is readable: {path:?}")]
    Read {
        /// `the file`, or which file it names.
        what: String,
        reason: std::io::Error,
        path: PathBuf,
    },
    /// A folder, a pipe or a device.
    #[error("{what} is {kind}; name a file{}: {path:?}", if *kind == FOLDER { ", or all of it as FOLDER/*.glb" } else { "" })]
    NotAFile {
        /// `this`, or which file it names.
        what: String,
        /// `a folder`, or `no regular file`.
        kind: &'static str,
        path: PathBuf,
    },
    #[error(
        "the file is empty, perhaps after a failed download or export; download or export it again: {path:?}"
    )]
    Empty { path: PathBuf },
    /// A limit of [`super::limits`] is passed.
    #[error(
        "{what}: {found}, but at most {max} are accepted; simplify or split the asset: {path:?}"
    )]
    TooLarge { what: String, found: u64, max: u64, path: PathBuf },
    /// A format that is known but not read.
    #[error("{format} files are not supported; export as .glb or .obj: {path:?}")]
    UnsupportedFormat { format: &'static str, path: PathBuf },
    /// Another kind of file under the name of an asset, or of a file that it needs.
    #[error(
        "{subject} is {what}, not the asset's data; name a .glb, .gltf, .obj, .ply, .stl or splat file, or download or export this one again: {path:?}"
    )]
    Mistaken {
        /// `this`, or which file the asset names.
        subject: String,
        /// `a web page (HTML)` and the like.
        what: String,
        path: PathBuf,
    },
    /// The version before the one that is read.
    #[error(
        "glTF 1.0, which was replaced in 2017 and is not read; convert it to 2.0 (gltf-pipeline does): {path:?}"
    )]
    OldGltf { path: PathBuf },
    #[error(
        "{what} has no surface, which this command needs; draw or inspect the splats, or reconstruct a mesh: {path:?}"
    )]
    NoSurface {
        /// `a PLY file of Gaussian splats` and the like.
        what: String,
        path: PathBuf,
    },
    #[error("{reason}: {path:?}")]
    Splats { reason: meshjudge_splat::read::ReadError, path: PathBuf },
    #[error(
        ".ksplat files are not supported; convert the file to .ply or .spz, as splat-transform does: {path:?}"
    )]
    OldSplats { path: PathBuf },
    /// Surfaces scale the scene so much that its splats leave all limits.
    #[error(
        "the scene's splats are too far from its surfaces to be drawn with them; export them as two files: {path:?}"
    )]
    SplatsTooFar { path: PathBuf },
    /// Vertices and nothing that they make up.
    #[error(
        "the file has {} and no faces, lines or points to draw; set points to \"always\" to draw bare vertices: {path:?}",
        if *points == 1 { "1 vertex".to_owned() } else { format!("{points} vertices") }
    )]
    OnlyPoints { points: u64, path: PathBuf },
    #[error(
        "neither content nor extension is a known format; use .glb, .gltf, .obj, .ply or .stl, or splats as .ply, .spz, .sog or .splat: {path:?}"
    )]
    UnknownFormat { path: PathBuf },
    /// A required glTF extension that is not implemented.
    #[error(
        "needs glTF extension {extension}, which this loader lacks; re-export without it: {path:?}"
    )]
    RequiredExtension { extension: String, path: PathBuf },
    /// The file names a file outside its own folder, or on the network.
    #[error(
        "{what} names {uri:?}, which {why}; only files inside the asset's folder are read; move it there: {path:?}"
    )]
    Escape {
        what: String,
        /// As written in the file.
        uri: String,
        /// `is an absolute path` and so on.
        why: &'static str,
        path: PathBuf,
    },
    /// The container or the JSON is not what the format says.
    #[error("this {format} file cannot be read ({reason}); re-export it: {path:?}")]
    Malformed {
        /// `GLB`, `glTF`, `OBJ`, `PLY` or `STL`.
        format: &'static str,
        reason: String,
        path: PathBuf,
    },
    /// Bytes are missing, as in half-written files.
    #[error("this {format} file is not complete ({reason}); export or download it again: {path:?}")]
    Incomplete {
        /// As in [`LoadError::Malformed`].
        format: &'static str,
        reason: String,
        path: PathBuf,
    },
    /// A part points at something missing, or is of a type that the format does not allow.
    #[error("{what} {problem}; the file is inconsistent; re-export it: {path:?}")]
    Broken {
        /// Which part: `accessor 3`.
        what: String,
        problem: String,
        path: PathBuf,
    },
    /// A line of a text file that cannot be used.
    #[error("line {line}: {problem}; repair the line or re-export: {path:?}")]
    Line {
        /// Counted from 1.
        line: usize,
        problem: String,
        path: PathBuf,
    },
    /// The remaining part is not a scene: no triangle, or no extent.
    #[error("{reason}{dropped}; nothing can be rendered; check the export: {path:?}")]
    Scene {
        /// What the scene says.
        reason: SceneError,
        /// What was dropped on the way, or nothing.
        dropped: String,
        path: PathBuf,
    },
    /// Up and front are on one line.
    #[error("up {up} and front {front} are on the same axis; choose two different axes: {path:?}")]
    Axes { up: Axis, front: Axis, path: PathBuf },
}

impl LoadError {
    /// [`LoadError::TooLarge`] where `found` passes `max`.
    pub(super) fn limit(what: impl Display, found: u64, max: u64, path: &Path) -> Result<(), Self> {
        if found <= max {
            return Ok(());
        }
        Err(Self::TooLarge { what: what.to_string(), found, max, path: path.to_owned() })
    }

    pub(super) fn malformed(format: &'static str, reason: impl Into<String>, path: &Path) -> Self {
        Self::Malformed { format, reason: reason.into(), path: path.to_owned() }
    }

    pub(super) fn incomplete(format: &'static str, reason: impl Into<String>, path: &Path) -> Self {
        Self::Incomplete { format, reason: reason.into(), path: path.to_owned() }
    }
}
