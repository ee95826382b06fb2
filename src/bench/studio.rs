//! Reads assets and draws them, and holds scenes and frames while they are needed.
//!
//! Up to [`MEMORY_BYTES_MAX`] are held, the ones used longest ago go first, so a list of any length is judged in flat memory. Knows
//! nothing of runs: a benchmark's own process has one, and so has every process that draws for it elsewhere.

use super::make::Maker;
use super::plan::Plan;
use super::slot::SlotIdx;
use crate::ask::{distinct, draw_all};
use crate::exchange::{PictureFolder, PictureFolderError, read_frames};
use crate::judge::Specimen;
use crate::render::{Frame, FrameProblem};
use crate::scene::{Asset, Texture, ViewScale};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// Scenes and pictures in memory: 2 GiB, about a hundred assets of a hundred thousand triangles with four views of 512 px.
const MEMORY_BYTES_MAX: usize = 2 << 30;

/// What reading an asset found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Its hash, or why it cannot be read.
    pub result: Result<String, String>,
    /// In all its files; none for ready pictures.
    pub bytes_read: Option<u64>,
    pub warnings: Vec<String>,
    /// Edges of its box.
    #[serde(default)]
    pub edges: Option<[f32; 3]>,
}

/// The part of an asset that is in memory.
#[derive(Debug, Default)]
struct Held {
    specimen: Option<Arc<Specimen>>,
    /// By rubric, then by picture.
    frames: BTreeMap<usize, Vec<Arc<Vec<Frame>>>>,
    bytes: usize,
    used: u64,
}

/// An asset's pictures for a rubric.
#[derive(Debug)]
pub(super) struct Views {
    /// For each picture of the rubric.
    pub frames: Vec<Arc<Vec<Frame>>>,
    /// If some were drawn now and show nothing.
    pub warning: Option<String>,
}

#[derive(Debug)]
pub(super) struct Studio {
    view_scale: Option<ViewScale>,
    held: HashMap<SlotIdx, Held>,
    bytes: usize,
    clock: u64,
}

impl Studio {
    /// `view_scale` is how large assets are shown, if nothing but pictures is asked of them.
    pub(super) fn new(view_scale: Option<ViewScale>) -> Self {
        Self { view_scale, held: HashMap::new(), bytes: 0, clock: 0 }
    }

    /// Reads the asset at `path`.
    pub(super) fn read(&mut self, plan: &Plan, slot: SlotIdx, path: &Path) -> Reading {
        if let Maker::Pictures(_) = plan.slot(slot).0.maker {
            let hash = PictureFolder::open(path).and_then(|folder| folder.hash(&plan.views()));
            return Reading {
                result: hash.map_err(|e| e.to_string()),
                bytes_read: None,
                warnings: Vec::new(),
                edges: None,
            };
        }
        let failed = |reason: String| Reading {
            result: Err(reason),
            bytes_read: None,
            warnings: Vec::new(),
            edges: None,
        };
        match plan.read_slot(slot, path, self.view_scale.as_ref()) {
            Err(_) if path.is_dir() => failed(
                "it is a folder; for ready pictures write `pictures` instead of `path`".to_owned(),
            ),
            Err(e) => failed(e.to_string()),
            Ok(loaded) => {
                let reading = Reading {
                    result: Ok(loaded.hash),
                    bytes_read: Some(loaded.bytes_read),
                    warnings: loaded.warnings.iter().map(ToString::to_string).collect(),
                    edges: Some(loaded.scene.size().to_array()),
                };
                self.hold(slot, loaded.scene);
                self.touch(slot);
                self.make_room(slot);
                reading
            }
        }
    }

    /// The asset's pictures for a rubric, drawn unless they are in memory. `hash` is that of the asset when it was read.
    ///
    /// # Errors
    /// Why there is nothing to see of it.
    pub(super) fn draw(
        &mut self,
        plan: &Plan,
        (slot, path, hash): (SlotIdx, &Path, &str),
        rubric: usize,
    ) -> Result<Views, String> {
        let mut warning = None;
        let has_frames = |held: &Held| held.frames.contains_key(&rubric);
        if !self.held.get(&slot).is_some_and(has_frames) {
            warning = self.draw_anew(plan, (slot, path, hash), rubric)?;
            self.make_room(slot);
        }
        self.touch(slot);
        let frames = self.held[&slot].frames[&rubric].clone();
        Ok(Views { frames, warning })
    }

    fn draw_anew(
        &mut self,
        plan: &Plan,
        (slot, path, hash): (SlotIdx, &Path, &str),
        rubric: usize,
    ) -> Result<Option<String>, String> {
        let drawings = &plan.rubrics[rubric].drawings;
        let frames = if let Maker::Pictures(_) = plan.slot(slot).0.maker {
            let folder = PictureFolder::open(path).map_err(|e| e.to_string())?;
            let read = |drawing: &Option<_>| match drawing {
                Some(drawing) => read_frames(&folder, drawing).map(Arc::new),
                None => Ok(Arc::default()),
            };
            let read: Result<_, PictureFolderError> = drawings.iter().map(read).collect();
            read.map_err(|e| e.to_string())?
        } else {
            let specimen = self.specimen(plan, (slot, path, hash))?;
            draw_all(specimen.asset(), drawings).map_err(|e| e.to_string())?
        };
        let is_blank = |frame: &Frame| frame.problems.contains(&FrameProblem::Blank);
        let (mut total, mut blank) = (0, 0);
        for frame in distinct(&frames) {
            total += 1;
            blank += usize::from(is_blank(frame));
        }
        if total > 0 && blank == total {
            return Err("every view is blank".to_owned());
        }
        let bytes: usize = distinct(&frames).map(frame_bytes).sum();
        let held = self.held.entry(slot).or_default();
        held.frames.insert(rubric, frames);
        held.bytes += bytes;
        self.bytes += bytes;
        Ok((blank > 0).then(|| format!("{blank} of {total} views are blank")))
    }

    /// The scene, read again where it had to go.
    ///
    /// # Errors
    /// The file is missing or has changed.
    pub(super) fn specimen(
        &mut self,
        plan: &Plan,
        (slot, path, hash): (SlotIdx, &Path, &str),
    ) -> Result<Arc<Specimen>, String> {
        if let Some(specimen) = self.held_specimen(slot) {
            return Ok(specimen);
        }
        let loaded = plan.read_slot(slot, path, self.view_scale.as_ref());
        let loaded = loaded.map_err(|e| e.to_string())?;
        if hash != loaded.hash {
            return Err(changed(path));
        }
        Ok(self.hold(slot, loaded.scene))
    }

    /// The scene, if it is in memory.
    pub(super) fn held_specimen(&self, slot: SlotIdx) -> Option<Arc<Specimen>> {
        self.held.get(&slot).and_then(|held| held.specimen.clone())
    }

    /// Lets go of the scene and the pictures of an asset that no question is left for.
    pub(super) fn forget(&mut self, slot: SlotIdx) {
        if let Some(held) = self.held.remove(&slot) {
            self.bytes -= held.bytes;
        }
    }

    fn hold(&mut self, slot: SlotIdx, asset: Asset) -> Arc<Specimen> {
        let bytes = asset_bytes(&asset);
        let specimen = Arc::new(Specimen::new(asset));
        let held = self.held.entry(slot).or_default();
        held.specimen = Some(Arc::clone(&specimen));
        held.bytes += bytes;
        self.bytes += bytes;
        specimen
    }

    fn touch(&mut self, slot: SlotIdx) {
        self.clock += 1;
        if let Some(held) = self.held.get_mut(&slot) {
            held.used = self.clock;
        }
    }

    /// Drops the least recently used entry; never `keep`, and never the one before it, which is in the same pair.
    fn make_room(&mut self, keep: SlotIdx) {
        let newest = self.held.values().map(|held| held.used).max().unwrap_or(0);
        while self.bytes > MEMORY_BYTES_MAX {
            let oldest = self
                .held
                .iter()
                .filter(|(slot, held)| **slot != keep && held.used < newest)
                .min_by_key(|(slot, held)| (held.used, **slot))
                .map(|(slot, _)| *slot);
            let Some(held) = oldest.and_then(|slot| self.held.remove(&slot)) else {
                return;
            };
            self.bytes -= held.bytes;
        }
    }
}

/// Why questions about a changed asset are not possible.
pub(super) fn changed(path: &Path) -> String {
    format!("the file was changed during the run; repeat the command: {path:?}")
}

fn frame_bytes(frame: &Frame) -> usize {
    let images = frame.images.values();
    images.map(|image| image.pixels.len()).sum()
}

/// Approximate memory of an asset: its vertices with all attributes, its triangles, its texels.
fn asset_bytes(asset: &Asset) -> usize {
    const VERTEX: usize = 64;
    let scene = match asset {
        Asset::Mesh(scene) => scene,
        Asset::Splats(splats) => return splats.bytes(),
    };
    let texels: usize = scene.textures().iter().map(Texture::bytes).sum();
    scene.vertex_count() * VERTEX + scene.triangle_count() * 12 + texels
}
