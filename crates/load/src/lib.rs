//! Bytes of an asset → [`Scene`]: `.glb`, `.gltf`, `.obj` with its `.mtl`, `.ply` and `.stl`; or →
//! [`SplatScene`]: Gaussian splats in `.ply`, `.spz`, `.sog`, `.splat` and glTF. Knows nothing of
//! cameras.
//!
//! Reads every part of core glTF 2.0 that changes a still picture, with `KHR_texture_transform`,
//! `KHR_materials_unlit`, `KHR_materials_emissive_strength`, `KHR_mesh_quantization` and
//! `EXT_texture_webp`; OBJ with polygons, vertex colours, smoothing groups and MTL materials; PLY
//! with vertex and face colours; STL. Other files are refused by name, with a remedy. Reads no file
//! outside the asset's folder and fetches nothing. Every limit is in [`limits`]. Vocabulary: a
//! *warning* is something dropped, guessed or approximated; an *error* ends the load.

mod clean;
mod dots;
mod error;
mod faces;
mod file_facts;
mod files;
mod format;
mod frame;
mod gltf;
mod ignored;
mod join;
mod jpeg;
mod jpeg_scan;
mod ktx2;
pub mod limits;
mod near;
mod normals;
mod normals_policy;
mod numbers;
mod obj;
mod parts;
mod picture;
mod ply;
mod polygon;
mod reading;
mod sides;
mod size;
mod splats;
mod stl;
mod texture;
mod uv_turns;
mod vertex_color;
mod warning;

pub use crate::scene::reading::{
    Axis, AxisError, MtlTint, NormalsPolicy, Options, Points, VertexColors,
};
pub use error::LoadError;
pub use file_facts::{FileFacts, ImageFacts};
pub use files::{NamedFiles, percent_decode};
pub use format::{EXTENSIONS, refused_format};
pub use normals_policy::NormalsSource;
pub use warning::Warning;

use meshjudge_scene as scene;

use crate::scene::{Asset, Scene, SceneError, SplatScene, ViewScale};
use files::{Folder, Root};
use format::Format;
use frame::FileFrame;
use glam::Quat;
use meshjudge_splat::read::LOD_META;
use parts::{Parts, assemble};
use reading::Reading;
use sides::{split_two_sided, wind_by_normals};
use size::{scale_into_reach, warn_of_floater, warn_of_transparency};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use warning::Warnings;

/// An asset in memory, and what there is to say about it. `Loaded` has surfaces; `Loaded<Asset>`
/// may have splats instead.
#[derive(Debug, Clone)]
pub struct Loaded<S = Arc<Scene>> {
    pub path: PathBuf,
    /// What the file shows, with y up and the front towards +z.
    pub scene: S,
    /// BLAKE3, as 64 hexadecimal digits: of the main file, if it names no other; else of the hashes
    /// of the main file and of each file it names, in order of use.
    pub hash: String,
    /// What was dropped, guessed or approximated.
    pub warnings: Vec<Warning>,
    pub normals: NormalsSource,
    /// Names of the file's variants (`KHR_materials_variants`). The default one is read: each
    /// surface's own material.
    pub variants: Vec<String>,
    /// Structure of the file: nodes, draw calls, pictures.
    pub file: FileFacts,
    /// Bytes of the main file and of all files it names.
    pub bytes_read: u64,
    /// Time that reading these took; the rest of [`load`] is decoding.
    pub read_time: Duration,
}

impl Loaded {
    /// The same where splats are possible too.
    pub fn to_asset(&self) -> Loaded<Asset> {
        self.clone().showing(Asset::Mesh(Arc::clone(&self.scene)))
    }

    /// As [`load_asset`] reads it with that turn, up to rounding, if it was read with the same
    /// axes and no rotation.
    ///
    /// # Errors
    /// As [`Scene::rotated`].
    pub fn rotated(&self, turn: Turn) -> Result<Self, SceneError> {
        let by = Quat::from_rotation_y(-f32::from(turn.yaw_degrees).to_radians());
        let scene = Arc::new(self.scene.rotated(by)?);
        Ok(Self { scene, hash: hash_of_turned(&self.hash, turn), ..self.clone() })
    }
}

impl Loaded<Asset> {
    /// Its surfaces, where only those can be used.
    ///
    /// # Errors
    /// [`LoadError::NoSurface`].
    pub fn into_mesh(self) -> Result<Loaded, LoadError> {
        match self.scene.mesh().map(Arc::clone) {
            Some(scene) => Ok(self.showing(scene)),
            None => Err(LoadError::NoSurface {
                what: "a file of Gaussian splats".to_owned(),
                path: self.path,
            }),
        }
    }
}

impl<S> Loaded<S> {
    /// The same about another form of the scene.
    fn showing<T>(self, scene: T) -> Loaded<T> {
        let Self { path, scene: _, hash, warnings, normals, variants, file, bytes_read, read_time } =
            self;
        Loaded { path, scene, hash, warnings, normals, variants, file, bytes_read, read_time }
    }
}

/// Reads an asset that has surfaces; [`load_asset`] also reads splats, bytes, and with choices for
/// one call.
///
/// The format is found by content first (`glTF` magic, a JSON object), then by extension. Runs on
/// the caller's rayon pool.
///
/// # Errors
/// Any [`LoadError`]. No input makes this panic, and nothing outside the folder of `path` is read.
pub fn load(path: &Path, options: &Options) -> Result<Loaded, LoadError> {
    load_asset(path, options, Choices::default())?.into_mesh()
}

/// Where the bytes of an asset are.
pub enum Source<'a> {
    File(&'a Path),
    Bytes {
        bytes: &'a [u8],
        /// Its name in messages; the extension distinguishes formats without a magic number.
        name: &'a Path,
        /// What the asset names, such as `textures/wood.png`. Without it the asset has to be whole:
        /// the files that it names are not read, as if they were not there.
        files: Option<Box<NamedFiles>>,
    },
}

impl<'a> Source<'a> {
    /// A whole asset in memory.
    pub fn bytes(bytes: &'a [u8], name: &'a (impl AsRef<Path> + ?Sized)) -> Self {
        Self::Bytes { bytes, name: name.as_ref(), files: None }
    }
}

impl<'a, P: AsRef<Path> + ?Sized> From<&'a P> for Source<'a> {
    fn from(path: &'a P) -> Self {
        Self::File(path.as_ref())
    }
}

/// What differs from one call to the next.
#[derive(Debug, Clone, Copy, Default)]
pub struct Choices<'a> {
    /// The file's axes, instead of those of the options; the asset's hash then covers both.
    pub turn: Option<Turn>,
    /// The pictures show the asset so large and no larger: of large textures only those texels are
    /// kept that such pictures can show, and the pictures are the same. `None` keeps everything.
    pub view_scale: Option<&'a ViewScale>,
    /// The asset is known by this hash, and is read as it was then, whichever way that turned it.
    /// Where the file is another one by now, the hash of the result differs.
    pub hash: Option<&'a str>,
}

impl<'a> Choices<'a> {
    /// For pictures of that scale.
    pub fn at(view_scale: Option<&'a ViewScale>) -> Self {
        Self { view_scale, ..Self::default() }
    }
}

/// Reads surfaces or splats, from a file or from memory.
///
/// ```
/// use meshjudge_load::{Choices, Options, Source, load_asset};
/// use std::path::Path;
///
/// let bytes = b"mtllib red.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
/// let files = |name: &str| (name == "red.mtl").then(|| b"newmtl red\nKd 1 0 0\n".to_vec());
/// let square = Source::Bytes { bytes, name: Path::new("square.obj"), files: Some(Box::new(files)) };
/// let loaded = load_asset(square, &Options::default(), Choices::default())?.into_mesh()?;
/// assert_eq!(loaded.scene.materials()[0].base_color.x, 1.0);
/// # Ok::<(), meshjudge_load::LoadError>(())
/// ```
///
/// # Errors
/// As [`load`].
pub fn load_asset<'a>(
    source: impl Into<Source<'a>>,
    options: &Options,
    choices: Choices<'_>,
) -> Result<Loaded<Asset>, LoadError> {
    let Choices { turn, view_scale, hash } = choices;
    let mut source = source.into();
    let mut read = |turn: Option<Turn>| {
        let options = turn.map_or(*options, |turn| with_turn(options, turn));
        let mut loaded = match &mut source {
            Source::File(path) => load_file(path, &options, view_scale)?,
            Source::Bytes { bytes, name, files } => {
                let found = bytes.len() as u64;
                let files = files.take();
                let folder = Folder::new(files.map_or(Root::Nowhere, Root::Caller), found);
                LoadError::limit("bytes in a file", found, limits::FILE_BYTES_MAX, name)?;
                load_from(bytes, name, &options, view_scale, folder)?
            }
        };
        if let Some(turn) = turn {
            loaded.hash = hash_of_turned(&loaded.hash, turn);
        }
        Ok(loaded)
    };
    let loaded = read(turn)?;
    match hash.filter(|hash| loaded.hash != **hash).and_then(|hash| known_turn(&loaded.hash, hash))
    {
        None => Ok(loaded),
        Some(turn) => {
            drop(loaded);
            read(Some(turn))
        }
    }
}

fn load_file(
    path: &Path,
    options: &Options,
    view_scale: Option<&ViewScale>,
) -> Result<Loaded<Asset>, LoadError> {
    let start = Instant::now();
    // A SOG folder, named without its file.
    let inner = ["meta.json", LOD_META].map(|name| path.join(name));
    let path = inner.iter().find(|inner| inner.is_file()).map_or(path, PathBuf::as_path);
    let bytes = files::read_regular(path, limits::FILE_BYTES_MAX)
        .map_err(|problem| main_file_error(problem, path))?;
    let read_time = start.elapsed();
    let folder = Folder::of(path, bytes.len() as u64);
    let mut loaded = load_from(bytes, path, options, view_scale, folder)?;
    loaded.read_time += read_time;
    Ok(loaded)
}

/// How one file is turned, where it differs from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    pub up: Axis,
    pub front: Axis,
    /// See [`Options::yaw_degrees`].
    pub yaw_degrees: u16,
}

/// One file that is read in two ways is two assets: answers about one are none about the other.
fn hash_of_turned(file_hash: &str, Turn { up, front, yaw_degrees }: Turn) -> String {
    let text = match yaw_degrees {
        0 => format!("turned 1\n{file_hash}\n{up}\n{front}"),
        yaw => format!("turned 2\n{file_hash}\n{up}\n{front}\n{yaw}"),
    };
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn with_turn(options: &Options, Turn { up, front, yaw_degrees }: Turn) -> Options {
    Options { up, front, yaw_degrees, ..*options }
}

/// The turn that gives a file of that hash this one: of the 24 pairs of axes that a file can have,
/// first as they are, which nearly all are, then rotated.
fn known_turn(file_hash: &str, hash: &str) -> Option<Turn> {
    let axes = Axis::ALL.map(|(axis, _)| axis);
    let pairs = axes.iter().flat_map(|&up| axes.map(|front| (up, front)).into_iter());
    let pairs: Vec<_> = pairs.filter(|&(up, front)| up.is_across(front)).collect();
    let mut turns = (0..360).flat_map(|yaw_degrees| {
        pairs.iter().map(move |&(up, front)| Turn { up, front, yaw_degrees })
    });
    turns.find(|&turn| hash_of_turned(file_hash, turn) == hash)
}

/// Of the main file's bytes, which are dropped before the scene is checked, if they are owned.
fn load_from(
    bytes: impl AsRef<[u8]>,
    path: &Path,
    options: &Options,
    view_scale: Option<&ViewScale>,
    mut folder: Folder,
) -> Result<Loaded<Asset>, LoadError> {
    let turn =
        scene::reading::rotation(options.up, options.front, options.yaw_degrees).ok_or_else(
            || LoadError::Axes { up: options.up, front: options.front, path: path.to_path_buf() },
        )?;
    let main = bytes.as_ref();
    let bytes_in_main = main.len() as u64;
    if main.is_empty() {
        return Err(LoadError::Empty { path: path.to_path_buf() });
    }
    let text = format::from_utf16(main);
    let content = text.as_deref().unwrap_or(main);
    let format = Format::of(content, path)?;
    let mut reading = Reading::new(path, options, FileFrame::new(turn), view_scale);
    // Hashing 28 MB takes as long as turning them into vertices: the two run side by side.
    let (main_hash, content) =
        rayon::join(|| blake3::hash(main), || read(&mut reading, format, content, &mut folder));
    drop((bytes, text));
    let content = content?;
    let Reading { mut warnings, normals, variants, mut file, frame, .. } = reading;
    let scene = match content {
        Content::Surfaces(parts) => {
            if !matches!(format, Format::Gltf) {
                file.draw_calls = parts.0.len();
            }
            scene_of(parts, format, options, (&frame, &mut warnings), path)?.0.into()
        }
        Content::Splats(splats, surfaces) => {
            splats::warn(&splats, &mut warnings);
            let scene = surfaces
                .map(|parts| scene_of(parts, Format::Gltf, options, (&frame, &mut warnings), path));
            let splats = SplatScene::new(*splats);
            match scene {
                // None, or only hidden ones, or without area.
                None | Some(Err(LoadError::Scene { reason: SceneError::Empty, .. })) => {
                    splats.into()
                }
                Some(Err(e)) => return Err(e),
                Some(Ok((scene, scale))) => {
                    let both = splats.among(scene, scale);
                    both.ok_or_else(|| LoadError::SplatsTooFar { path: path.to_owned() })?.into()
                }
            }
        }
    };
    Ok(Loaded {
        path: path.to_owned(),
        scene,
        hash: folder.hash_with(main_hash),
        warnings: warnings.into_vec(),
        normals,
        variants,
        file,
        bytes_read: bytes_in_main + folder.bytes_read(),
        read_time: folder.read_time(),
    })
}

/// What a file turned out to have.
enum Content {
    Surfaces(Parts),
    Splats(Box<splats::Loaded>, Option<Parts>),
}

/// The scene, and how many of its units are one of the file's.
fn scene_of(
    mut parts: Parts,
    format: Format,
    options: &Options,
    (frame, warnings): (&FileFrame, &mut Warnings),
    path: &Path,
) -> Result<(Scene, f64), LoadError> {
    if matches!(format, Format::Obj | Format::Ply) && options.normals == NormalsPolicy::File {
        wind_by_normals(&mut parts.0, warnings);
    }
    split_two_sided(&mut parts, warnings);
    uv_turns::bring_near(&mut parts);
    let scale = scale_into_reach(&mut parts.0, warnings);
    warn_of_floater(&parts.0, warnings);
    warn_of_transparency(&parts, warnings);
    Ok((assemble(parts, warnings, path)?.at(frame.origin * scale), scale))
}

/// Reads until the frame is settled, or until a format that may have either turns out to have
/// splats. Of glTF files with both, reads both.
fn read(
    reading: &mut Reading<'_>,
    format: Format,
    main: &[u8],
    folder: &mut Folder,
) -> Result<Content, LoadError> {
    loop {
        let parts = match format {
            Format::Gltf => gltf::load(main, reading, folder),
            Format::Obj => obj::load(main, reading, folder),
            Format::Ply => ply::load(main, reading, folder),
            Format::Stl => stl::load(main, reading),
            Format::Splats => return read_splats(reading, main, folder),
        };
        let has_splats = !reading.has_splats && matches!(parts, Err(LoadError::NoSurface { .. }));
        if !has_splats && (parts.is_err() || reading.frame.is_settled()) {
            return parts.map(Content::Surfaces);
        }
        folder.restart();
        reading.restart();
        if has_splats {
            return read_splats(reading, main, folder);
        }
    }
}

fn read_splats(
    reading: &mut Reading<'_>,
    main: &[u8],
    folder: &mut Folder,
) -> Result<Content, LoadError> {
    let splats = Box::new(splats::load(main, reading, folder)?);
    if splats.other_primitives == 0 {
        return Ok(Content::Splats(splats, None));
    }
    reading.has_splats = true;
    Ok(match read(reading, Format::Gltf, main, folder)? {
        Content::Surfaces(parts) => Content::Splats(splats, Some(parts)),
        splats @ Content::Splats(..) => splats,
    })
}

fn main_file_error(problem: files::FileProblem, path: &Path) -> LoadError {
    let path = path.to_path_buf();
    match problem {
        files::FileProblem::Io(reason) => {
            LoadError::Read { what: "the file".to_owned(), reason, path }
        }
        files::FileProblem::TooLarge { what, found, max } => {
            LoadError::TooLarge { what: what.to_owned(), found, max, path }
        }
        files::FileProblem::NotAFile(kind) => {
            LoadError::NotAFile { what: "this".to_owned(), kind, path }
        }
        files::FileProblem::Escape(kind) | files::FileProblem::Outside(kind) => {
            LoadError::NotAFile { what: "this".to_owned(), kind, path }
        }
    }
}
