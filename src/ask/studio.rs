//! Reads or makes the assets of cases, draws them, and keeps scenes and frames while needed.
//!
//! A limit of memory is kept: the entries used longest ago go first, so a list of any length is
//! judged in flat memory. Knows nothing of runs and judges: every process that draws has one.

use super::case::{AssetFile, Case, Side, Source, Template};
use super::drawing::{distinct, draw_all};
use super::picture_folder::{PictureFolder, read_frames};
use super::pictures::ComposedPictures;
use crate::damage::{Damaged, damage, damage_case, damage_splats};
use crate::error::Error;
use crate::judge::{Asset, Specimen};
use crate::load::{Choices, load_asset};
use crate::render::Frame;
use crate::scene::{self, Texture};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Scenes and pictures in memory: 2 GiB, about a hundred assets of a hundred thousand triangles
/// with four views of 512 px.
const MEMORY_BYTES_MAX: usize = 2 << 30;

/// For each picture of a rubric, its frames; empty for one that is not drawn.
pub type Frames = Vec<Arc<Vec<Frame>>>;

/// An asset as a question shows it.
#[derive(Debug, Clone, Default)]
pub struct Views {
    /// For the probe; none for pictures that were drawn elsewhere.
    pub specimen: Option<Arc<Specimen>>,
    pub frames: Frames,
    /// Whether they were drawn by this call.
    pub is_new: bool,
}

/// The assets of a case, and its pictures if another machine composed them. Without, they are
/// composed of the frames.
#[derive(Debug, Default)]
pub struct Drawn {
    pub sides: Vec<Views>,
    pub composed: Option<ComposedPictures>,
}

/// The part of an asset that is in memory.
#[derive(Debug, Default)]
struct Held {
    specimen: Option<Arc<Specimen>>,
    frames: Vec<(Arc<Template>, Frames)>,
    bytes: usize,
    used: u64,
}

/// Path and hash.
type Key = (String, String);

#[derive(Debug)]
pub struct Studio {
    memory_bytes_max: usize,
    held: HashMap<Key, Held>,
    bytes: usize,
    clock: u64,
    amounts: Vec<(Asset, f64)>,
}

impl Default for Studio {
    fn default() -> Self {
        Self::new(MEMORY_BYTES_MAX)
    }
}

impl Studio {
    /// The two assets used last are held in any case.
    pub fn new(memory_bytes_max: usize) -> Self {
        let (held, amounts) = (HashMap::new(), Vec::new());
        Self { memory_bytes_max, held, bytes: 0, clock: 0, amounts }
    }

    /// Draws all assets of a case.
    ///
    /// # Errors
    /// The first asset that cannot be made or drawn.
    pub fn draw(&mut self, case: &Case) -> Result<Drawn, Error> {
        let views = |side| self.views(&case.template, side);
        let sides = case.sides.iter().map(views).collect::<Result<_, String>>();
        let sides = sides.map_err(Error::rubric)?;
        Ok(Drawn { sides, composed: None })
    }

    /// An asset with its frames, drawn unless they are in memory.
    ///
    /// # Errors
    /// Why it cannot be made or drawn.
    pub fn views(&mut self, template: &Arc<Template>, side: &Side) -> Result<Views, String> {
        if let Source::Picture(..) | Source::Prompt = side.source {
            return Ok(Views::default());
        }
        let key = key(&side.asset);
        let specimen = match &side.source {
            Source::Views(_) => None,
            _ => Some(self.specimen(side)?),
        };
        let known = self.frames(template, &side.asset).cloned();
        let is_new = known.is_none();
        let frames = match known {
            Some(frames) => frames,
            None => {
                let frames = drawn(template, side, specimen.as_deref())?;
                let bytes: usize = distinct(&frames).map(frame_bytes).sum();
                let held = self.held.entry(key.clone()).or_default();
                held.frames.push((Arc::clone(template), frames.clone()));
                held.bytes += bytes;
                self.bytes += bytes;
                self.make_room(&key);
                frames
            }
        };
        self.touch(&key);
        Ok(Views { specimen, frames, is_new })
    }

    /// The frames of an asset that are in memory.
    pub fn frames(&self, template: &Arc<Template>, asset: &Asset) -> Option<&Frames> {
        let held = self.held.get(&key(asset))?;
        let found = held.frames.iter().find(|(of, _)| Arc::ptr_eq(of, template));
        found.map(|(_, frames)| frames)
    }

    /// An asset that has a surface, read or made again where it had to go.
    ///
    /// # Errors
    /// A missing or changed file; damage that cannot be done; pictures, which have no surface.
    pub fn specimen(&mut self, side: &Side) -> Result<Arc<Specimen>, String> {
        if let Source::Held(specimen) = &side.source {
            return Ok(Arc::clone(specimen));
        }
        let held = self.held.get(&key(&side.asset)).and_then(|held| held.specimen.clone());
        if let Some(specimen) = held {
            return Ok(specimen);
        }
        let asset = self.made(side)?;
        Ok(self.hold(&side.asset, asset))
    }

    fn made(&mut self, side: &Side) -> Result<scene::Asset, String> {
        Ok(match &side.source {
            Source::Held(specimen) => specimen.asset().clone(),
            Source::Picture(..) | Source::Views(_) | Source::Prompt => {
                return Err("pictures and prompts have no surface".into());
            }
            Source::File(file) => loaded(file, &side.asset.hash)?,
            Source::Asset(asset) => asset.clone(),
            Source::Library(object) => object.make().into(),
            Source::Assembled(object) => object.make().into(),
            Source::Scene(case) => case.layout().make().into(),
            Source::Damaged { of, kind, level, seed } => {
                let failed = |e| format!("{}: {e}", side.asset.method);
                let of_surfaces = |done: Damaged| (scene::Asset::from(done.scene), done.amount);
                let (damaged, amount) = match &of.source {
                    Source::Scene(case) => {
                        of_surfaces(damage_case(case, kind, *level, *seed).map_err(failed)?)
                    }
                    _ => match self.specimen(of)?.asset() {
                        scene::Asset::Mesh(scene) => {
                            of_surfaces(damage(scene, kind, *level, *seed).map_err(failed)?)
                        }
                        scene::Asset::Splats(splats) => {
                            let done = damage_splats(splats, kind, *level, *seed);
                            let done = done.map_err(failed)?;
                            (scene::Asset::Splats(Arc::new(done.scene)), done.amount)
                        }
                    },
                };
                self.amounts.push((side.asset.clone(), amount));
                damaged
            }
        })
    }

    /// Damaged assets made since the last call, and each one's damage, in the unit of its kind.
    pub fn take_amounts(&mut self) -> Vec<(Asset, f64)> {
        std::mem::take(&mut self.amounts)
    }

    /// Keeps an asset that was read for its hash.
    pub fn hold(&mut self, asset: &Asset, surface: scene::Asset) -> Arc<Specimen> {
        let key = key(asset);
        let bytes = asset_bytes(&surface);
        let specimen = Arc::new(Specimen::new(surface));
        let held = self.held.entry(key.clone()).or_default();
        held.specimen = Some(Arc::clone(&specimen));
        held.bytes += bytes;
        self.bytes += bytes;
        self.touch(&key);
        self.make_room(&key);
        specimen
    }

    /// Lets go of an asset that no question is left for.
    pub fn forget(&mut self, asset: &Asset) {
        if let Some(held) = self.held.remove(&key(asset)) {
            self.bytes -= held.bytes;
        }
    }

    fn touch(&mut self, key: &Key) {
        self.clock += 1;
        if let Some(held) = self.held.get_mut(key) {
            held.used = self.clock;
        }
    }

    /// Drops the least recently used entry; never `keep` or the one before it, in the same pair.
    fn make_room(&mut self, keep: &Key) {
        if self.bytes <= self.memory_bytes_max {
            return;
        }
        let others = self.held.iter().filter(|(key, _)| *key != keep);
        let mut others: Vec<(u64, Key)> =
            others.map(|(key, held)| (held.used, key.clone())).collect();
        others.sort_unstable();
        others.pop();
        for (_, oldest) in others {
            if self.bytes <= self.memory_bytes_max {
                return;
            }
            if let Some(held) = self.held.remove(&oldest) {
                self.bytes -= held.bytes;
            }
        }
    }
}

fn drawn(template: &Template, side: &Side, specimen: Option<&Specimen>) -> Result<Frames, String> {
    match (&side.source, specimen) {
        (Source::Views(path), _) => {
            let folder = PictureFolder::open(path).map_err(|e| e.to_string())?;
            let read = |drawing: &Option<_>| match drawing {
                Some(drawing) => read_frames(&folder, drawing).map(Arc::new),
                None => Ok(Arc::default()),
            };
            let read: Result<_, Error> = template.drawings.iter().map(read).collect();
            read.map_err(|e| e.to_string())
        }
        (_, Some(specimen)) => {
            draw_all(specimen.asset(), &template.drawings).map_err(|e| e.to_string())
        }
        (_, None) => Ok(Frames::new()),
    }
}

fn loaded(file: &AssetFile, hash: &str) -> Result<scene::Asset, String> {
    let AssetFile { path, options, turn, view_scale } = file;
    let loaded =
        load_asset(path, options, Choices { turn: *turn, ..Choices::at(view_scale.as_ref()) });
    let loaded = loaded.map_err(|e| e.to_string())?;
    if loaded.hash == hash { Ok(loaded.scene) } else { Err(changed(path)) }
}

/// Why questions about a changed asset are not possible.
pub fn changed(path: &Path) -> String {
    format!("the file was changed during the run; repeat the command: {path:?}")
}

fn key(asset: &Asset) -> Key {
    (asset.path.clone(), asset.hash.clone())
}

fn frame_bytes(frame: &Frame) -> usize {
    let images = frame.images.values();
    images.map(|image| image.pixels.len()).sum()
}

/// Approximate memory of an asset: its vertices with all attributes, its triangles, its texels.
fn asset_bytes(asset: &scene::Asset) -> usize {
    const VERTEX: usize = 64;
    let (scene, splats) = match asset {
        scene::Asset::Mesh(scene) => (scene, 0),
        scene::Asset::Splats(splats) => match splats.surfaces() {
            Some(scene) => (scene, splats.bytes()),
            None => return splats.bytes(),
        },
    };
    let texels: usize = scene.textures().iter().map(Texture::bytes).sum();
    scene.vertex_count() * VERTEX + scene.triangle_count() * 12 + texels + splats
}
