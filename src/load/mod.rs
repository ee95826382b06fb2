//! Bytes of an asset → [`Scene`]: `.glb`, `.gltf`, `.obj` with its `.mtl`, `.ply` and `.stl`. Knows nothing of cameras.
//!
//! What is read: every part of core glTF 2.0 that changes a still picture, with `KHR_texture_transform`, `KHR_materials_unlit`,
//! `KHR_materials_emissive_strength`, `KHR_mesh_quantization` and `EXT_texture_webp`; OBJ with polygons, vertex colours, smoothing groups and MTL materials;
//! PLY with colours of vertices and faces; STL.
//! What is refused is refused by name, with what helps. No file outside the asset's folder is read and nothing is fetched.
//! Every limit stands in [`limits`]. Vocabulary: a *warning* is something that was dropped, guessed or approximated; an *error* ends the load.

mod axes;
mod clean;
mod error;
mod faces;
mod files;
mod gltf;
mod ktx2;
pub mod limits;
mod near;
mod normals;
mod obj;
mod picture;
mod ply;
mod polygon;
mod stl;
mod texture;
mod vertex_color;
mod warning;

pub use axes::{Axis, AxisError};
pub use error::LoadError;
pub use warning::Warning;

use crate::scene::{Closeness, Material, Mesh, MeshParts, Scene, SceneError, Texture};
use files::Folder;
use normals::{Smoothing, corner_normals, weld};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use warning::Warnings;

/// Which normals a scene gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NormalsPolicy {
    /// The file's. Where it has none: flat in glTF, as its specification demands; in STL flat, since its normals are those of the
    /// faces; in OBJ by smoothing group, else, and in PLY, angle-weighted with creases kept where faces meet at more than 60°.
    #[default]
    File,
    /// Flat everywhere; the file's normals are not used.
    Flat,
    /// Angle-weighted over all faces at a point, without creases; the file's normals are not used.
    Smooth,
}

/// How a file is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Which normals.
    pub normals: NormalsPolicy,
    /// The file's axis that points up.
    pub up: Axis,
    /// The file's axis that the front of the asset faces.
    pub front: Axis,
}

impl Default for Options {
    /// The file's normals, y up, front towards +z.
    fn default() -> Self {
        Self {
            normals: NormalsPolicy::File,
            up: Axis::PosY,
            front: Axis::PosZ,
        }
    }
}

/// How many triangles got their normals in which way. Part of the render protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NormalsSource {
    /// As the file has them.
    pub file: u64,
    /// Each triangle's own.
    pub flat: u64,
    /// By the smoothing groups of an OBJ file.
    pub smoothing_groups: u64,
    /// Angle-weighted, with creases.
    pub creases: u64,
    /// Angle-weighted, without creases.
    pub smooth: u64,
}

/// An asset in memory, and what there is to say about it.
#[derive(Debug)]
pub struct Loaded {
    /// The main file.
    pub path: PathBuf,
    /// What the file shows, with y up and the front towards +z.
    pub scene: Arc<Scene>,
    /// BLAKE3, as 64 hexadecimal digits: of the main file, if it names no other; else of the hashes of the main file and of each file it
    /// names, in order of use.
    pub hash: String,
    /// What was dropped, guessed or approximated.
    pub warnings: Vec<Warning>,
    /// Where the normals come from.
    pub normals: NormalsSource,
    /// Names of the file's variants (`KHR_materials_variants`). The default one is read: each surface's own material.
    pub variants: Vec<String>,
    /// Bytes of the main file and of all files it names.
    pub bytes_read: u64,
    /// Time that reading these took; the rest of [`load`] is decoding.
    pub read_time: Duration,
}

/// What a format's reader hands back before the scene is checked.
type Parts = (Vec<MeshParts>, Vec<Material>, Vec<Texture>);

/// Reads an asset.
///
/// The format is found by content first (`glTF` magic, a JSON object), then by extension. Runs on the caller's rayon pool.
///
/// # Errors
/// Any [`LoadError`]. No input makes this panic, and nothing outside the folder of `path` is read.
pub fn load(path: &Path, options: &Options) -> Result<Loaded, LoadError> {
    load_for(path, options, None)
}

/// As [`load`], for pictures that show the asset so large and no larger: of large textures only those texels are kept that such pictures can show,
/// and the pictures are the same. `None` keeps everything.
///
/// # Errors
/// As [`load`].
pub fn load_for(
    path: &Path,
    options: &Options,
    closeness: Option<&Closeness>,
) -> Result<Loaded, LoadError> {
    let world_from_file = axes::rotation(options.up, options.front, path)?;
    let start = Instant::now();
    let bytes = files::read_regular(path, limits::FILE_BYTES_MAX)
        .map_err(|problem| main_file_error(problem, path))?;
    let main_read_time = start.elapsed();
    if bytes.is_empty() {
        return Err(LoadError::Empty {
            path: path.to_path_buf(),
        });
    }
    let bytes_in_main = bytes.len() as u64;
    let format = Format::of(&bytes, path)?;
    let mut folder = Folder::of(path, bytes_in_main);
    let mut warnings = Warnings::default();
    let mut normals = NormalsSource::default();
    let mut variants = Vec::new();
    // Hashing 28 MB takes as long as turning them into vertices: the two run side by side.
    let (main_hash, parts) = rayon::join(
        || blake3::hash(&bytes),
        || match format {
            Format::Gltf => gltf::load(
                &bytes,
                path,
                world_from_file,
                closeness,
                &mut folder,
                &mut warnings,
            )
            .map(|(mut parts, names)| {
                variants = names;
                apply_policy(&mut parts.0, options.normals, &mut normals);
                parts
            }),
            Format::Obj => {
                let reader = obj::Reader {
                    path,
                    world_from_file,
                    closeness,
                    policy: options.normals,
                    folder: &mut folder,
                    warnings: &mut warnings,
                };
                reader.load(&bytes).map(|(parts, source)| {
                    normals = source;
                    parts
                })
            }
            Format::Ply => {
                let reader = ply::Reader {
                    path,
                    world_from_file,
                    closeness,
                    policy: options.normals,
                    folder: &mut folder,
                    warnings: &mut warnings,
                };
                reader.load(&bytes).map(|(parts, source)| {
                    normals = source;
                    parts
                })
            }
            Format::Stl => stl::load(
                &bytes,
                path,
                world_from_file,
                options.normals,
                &mut warnings,
            )
            .map(|(parts, source)| {
                normals = source;
                parts
            }),
        },
    );
    drop(bytes);
    let scene = assemble(parts?, &warnings, path)?;
    Ok(Loaded {
        path: path.to_owned(),
        scene: Arc::new(scene),
        hash: folder.hash_with(main_hash),
        warnings: warnings.into_vec(),
        normals,
        variants,
        bytes_read: bytes_in_main + folder.bytes_read(),
        read_time: main_read_time + folder.read_time(),
    })
}

fn main_file_error(problem: files::FileProblem, path: &Path) -> LoadError {
    let path = path.to_path_buf();
    match problem {
        files::FileProblem::Io(reason) => LoadError::Read {
            what: "the file".to_owned(),
            reason,
            path,
        },
        files::FileProblem::TooLarge { what, found, max } => LoadError::TooLarge {
            what: what.to_owned(),
            found,
            max,
            path,
        },
        files::FileProblem::NotAFile | files::FileProblem::Escape(_) => LoadError::NotAFile {
            what: "this".to_owned(),
            path,
        },
    }
}

/// Checks everything once, in the constructors of the scene.
fn assemble(parts: Parts, warnings: &Warnings, path: &Path) -> Result<Scene, LoadError> {
    let scene_error = |reason: SceneError| LoadError::Scene {
        reason,
        dropped: match warnings.dropped() {
            0 => String::new(),
            count => format!(", after {count} broken faces were dropped"),
        },
        path: path.to_path_buf(),
    };
    let (meshes, materials, textures) = parts;
    let meshes = meshes
        .into_iter()
        .filter(|parts| !parts.triangles.is_empty())
        .map(Mesh::new)
        .collect::<Result<_, _>>()
        .map_err(scene_error)?;
    Scene::new(meshes, materials, textures).map_err(scene_error)
}

/// Gives glTF meshes the normals that were asked for.
fn apply_policy(meshes: &mut [MeshParts], policy: NormalsPolicy, source: &mut NormalsSource) {
    for parts in meshes {
        let triangles = parts.triangles.len() as u64;
        match policy {
            NormalsPolicy::File if parts.normals.is_some() => source.file += triangles,
            NormalsPolicy::File | NormalsPolicy::Flat => {
                parts.normals = None;
                source.flat += triangles;
            }
            NormalsPolicy::Smooth => {
                parts.normals = Some(smooth(parts));
                source.smooth += triangles;
            }
        }
        if policy != NormalsPolicy::File || parts.normals.is_none() {
            parts.tangents = None; // they belong to the file's normals
        }
    }
}

/// One normal for each place, over all faces there.
fn smooth(parts: &MeshParts) -> Vec<glam::Vec3> {
    let first = weld(&parts.positions);
    let computed = corner_normals(
        &parts.positions,
        &parts.triangles,
        |vertex| first[vertex as usize],
        parts.positions.len(),
        Smoothing::All,
    );
    let mut normals = vec![glam::Vec3::ZERO; parts.positions.len()];
    for (triangle, corners) in parts.triangles.iter().zip(&computed.corners) {
        for (&vertex, &normal) in triangle.iter().zip(corners) {
            normals[vertex as usize] = computed.normals[normal as usize];
        }
    }
    normals
}

#[derive(Debug, Clone, Copy)]
enum Format {
    Gltf,
    Obj,
    Ply,
    Stl,
}

/// Formats that people try, and that are refused by name. The first entry of each is a lower-case extension.
const REFUSED: [(&str, &str); 15] = [
    ("fbx", "FBX"),
    ("usd", "USD"),
    ("usda", "USD"),
    ("usdc", "USD"),
    ("usdz", "USD"),
    ("blend", "Blender"),
    ("dae", "COLLADA"),
    ("3ds", "3DS"),
    ("3mf", "3MF"),
    ("off", "OFF"),
    ("x3d", "X3D"),
    ("vrml", "VRML"),
    ("wrl", "VRML"),
    ("splat", "Gaussian splat"),
    ("abc", "Alembic"),
];

/// First bytes that name a format that is refused.
const REFUSED_MAGIC: [(&[u8], &str); 4] = [
    (b"Kaydara FBX Binary", "FBX"),
    (b"PXR-USDC", "USD"),
    (b"BLENDER", "Blender"),
    (b"#usda", "USD"),
];

impl Format {
    /// By content where there is a magic, else by extension.
    fn of(bytes: &[u8], path: &Path) -> Result<Self, LoadError> {
        let path_buf = || path.to_path_buf();
        if bytes.starts_with(b"glTF") {
            return Ok(Self::Gltf);
        }
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            return Ok(Self::Ply);
        }
        let by_magic = REFUSED_MAGIC
            .iter()
            .find(|(magic, _)| bytes.starts_with(magic));
        if let Some(&(_, format)) = by_magic {
            return Err(LoadError::UnsupportedFormat {
                format,
                path: path_buf(),
            });
        }
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
            .unwrap_or_default();
        match extension.as_str() {
            "gltf" => return Ok(Self::Gltf),
            "obj" => return Ok(Self::Obj),
            "stl" => return Ok(Self::Stl),
            "ply" => {
                return Err(LoadError::Malformed {
                    format: "PLY",
                    reason: "it does not begin with ply".to_owned(),
                    path: path_buf(),
                });
            }
            "glb" => {
                return Err(LoadError::Malformed {
                    format: "GLB",
                    reason: "it does not begin with glTF".to_owned(),
                    path: path_buf(),
                });
            }
            _ => {}
        }
        if let Some(&(_, format)) = REFUSED.iter().find(|&&(known, _)| known == extension) {
            return Err(LoadError::UnsupportedFormat {
                format,
                path: path_buf(),
            });
        }
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if text.trim_ascii_start().starts_with(b"{") {
            return Ok(Self::Gltf);
        }
        Err(LoadError::UnknownFormat { path: path_buf() })
    }
}
