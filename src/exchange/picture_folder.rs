//! Pictures that were drawn elsewhere, in GPTEval3D's layout: `rgb_0.png …` and `normal_0.png …` in one folder → frames.

use crate::ask::Drawing;
use crate::render::{Channel, Frame, FrameProblem, Image};
use crate::sheet::select_views;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// More pictures of one asset are not looked for.
const VIEWS_MAX: usize = 4096;

/// A folder of pictures of one asset.
#[derive(Debug, Clone)]
pub struct PictureFolder {
    path: PathBuf,
    num_views: usize,
}

impl PictureFolder {
    /// Counts its views: `rgb_0.png` up to the first that is missing.
    ///
    /// # Errors
    /// In words: no views, or not the same number of normals.
    pub fn open(path: &Path) -> Result<Self, String> {
        let count = |channel: &str| {
            (0..VIEWS_MAX)
                .take_while(|i| path.join(format!("{channel}_{i}.png")).is_file())
                .count()
        };
        let (num_views, num_normals) = (count("rgb"), count("normal"));
        if num_views == 0 {
            return Err("the folder holds no rgb_0.png".to_owned());
        }
        if num_normals != 0 && num_normals != num_views {
            return Err(format!(
                "the folder holds {num_views} colour and {num_normals} normal pictures; it needs as many of both"
            ));
        }
        Ok(Self {
            path: path.to_owned(),
            num_views,
        })
    }

    fn file(&self, channel: Channel, view: usize) -> Result<PathBuf, String> {
        let name = match channel {
            Channel::Rgb => "rgb",
            Channel::Normal => "normal",
            other => {
                return Err(format!(
                    "ready pictures have rgb and normal only, and the rubric shows {other:?}"
                ));
            }
        };
        Ok(self.path.join(format!("{name}_{view}.png")))
    }

    /// BLAKE3 of the pictures that any question shows, in order; `counts` are the numbers of views of the rubrics' grids.
    ///
    /// # Errors
    /// In words.
    pub fn hash(&self, counts: &[usize]) -> Result<String, String> {
        let mut views: Vec<usize> = Vec::new();
        for &count in counts {
            views.extend(select_views(self.num_views, count).map_err(|e| e.to_string())?);
        }
        views.sort_unstable();
        views.dedup();
        let mut hasher = blake3::Hasher::new();
        for view in views {
            for channel in [Channel::Rgb, Channel::Normal] {
                let path = self.file(channel, view)?;
                if let Ok(bytes) = std::fs::read(&path) {
                    hasher.update(blake3::hash(&bytes).as_bytes());
                } else if channel == Channel::Rgb {
                    return Err(format!("cannot read {path:?}"));
                }
            }
        }
        Ok(hasher.finalize().to_hex().to_string())
    }
}

/// The frames that a drawing of that many views would have: GPTEval3D's choice of views.
///
/// # Errors
/// In words: too few views, a channel that is not there, a picture that cannot be read.
pub fn read_frames(folder: &PictureFolder, drawing: &Drawing) -> Result<Vec<Frame>, String> {
    let views =
        select_views(folder.num_views, drawing.rig.views.len()).map_err(|e| e.to_string())?;
    (views.into_par_iter())
        .map(|view_idx| {
            let mut frame = Frame {
                view_idx,
                images: Default::default(),
                coverage: 1.0,
                problems: Vec::new(),
            };
            for &channel in &drawing.settings.channels {
                let path = folder.file(channel, view_idx)?;
                let bytes =
                    std::fs::read(&path).map_err(|e| format!("cannot read {path:?} ({e})"))?;
                let image = Image::decode(&bytes).map_err(|e| format!("{e}: {path:?}"))?;
                if channel == Channel::Rgb && is_one_colour(&image) {
                    frame.coverage = 0.0;
                    frame.problems.push(FrameProblem::Blank);
                }
                frame.images.insert(channel, image);
            }
            Ok(frame)
        })
        .collect()
}

/// Nothing was drawn where every pixel is the background.
fn is_one_colour(image: &Image) -> bool {
    let size = image.format.bytes();
    let mut pixels = image.pixels.chunks_exact(size);
    let first = pixels.next();
    pixels.all(|pixel| Some(pixel) == first)
}
