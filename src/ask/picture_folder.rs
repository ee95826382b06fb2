//! Pictures drawn elsewhere in a GPTEval3D folder: `rgb_0.png …`, `normal_0.png …` → frames.

use super::drawing::Drawing;
use crate::error::{Error, Kind};
use crate::render::{Channel, Frame, FrameProblem, Image};
use crate::sheet::select_views;
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
    /// [`Error`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let count = |channel: &str| {
            (0..VIEWS_MAX).take_while(|i| path.join(format!("{channel}_{i}.png")).is_file()).count()
        };
        let (num_views, num_normals) = (count("rgb"), count("normal"));
        if num_views == 0 {
            return Err(Error::picture("the folder has no rgb_0.png"));
        }
        if num_normals != 0 && num_normals != num_views {
            return Err(Error::picture(format!(
                "the folder has {num_views} colour and {num_normals} normal pictures; it needs the same number of each"
            )));
        }
        Ok(Self { path: path.to_owned(), num_views })
    }

    fn file(&self, channel: Channel, view: usize) -> Result<PathBuf, Error> {
        let name = match channel {
            Channel::Rgb => "rgb",
            Channel::Normal => "normal",
            channel => {
                return Err(Error::picture(format!(
                    "ready pictures have only rgb and normal, but the rubric shows {channel:?}"
                )));
            }
        };
        Ok(self.path.join(format!("{name}_{view}.png")))
    }

    /// BLAKE3 of the pictures that any question shows, in order; `counts` are the numbers of views
    /// of the rubrics' grids.
    ///
    /// # Errors
    /// [`Error`].
    pub fn hash(&self, counts: &[usize]) -> Result<String, Error> {
        let mut views: Vec<usize> = Vec::new();
        for &count in counts {
            views.extend(select_views(self.num_views, count)?);
        }
        views.sort_unstable();
        views.dedup();
        let mut hasher = blake3::Hasher::new();
        for view in views {
            for channel in [Channel::Rgb, Channel::Normal] {
                let path = self.file(channel, view)?;
                match std::fs::read(&path) {
                    Ok(bytes) => _ = hasher.update(blake3::hash(&bytes).as_bytes()),
                    Err(source) if channel == Channel::Rgb => {
                        return Err(Error::cannot_read(Kind::Picture, "picture", source, &path));
                    }
                    // A folder may come without normals.
                    Err(_) => {}
                }
            }
        }
        Ok(hasher.finalize().to_hex().to_string())
    }
}

/// The frames that a drawing of that many views would have: GPTEval3D's choice of views.
///
/// # Errors
/// [`Error`].
pub(super) fn read_frames(folder: &PictureFolder, drawing: &Drawing) -> Result<Vec<Frame>, Error> {
    let views = select_views(folder.num_views, drawing.rig.views.len())?;
    let frames = parallel::map(&views, |&view_idx| {
        let mut frame =
            Frame { view_idx, images: Default::default(), coverage: 1.0, problems: Vec::new() };
        for &channel in &drawing.settings.channels {
            let path = folder.file(channel, view_idx)?;
            let bytes = std::fs::read(&path)
                .map_err(|e| Error::cannot_read(Kind::Picture, "picture", e, &path))?;
            let image = Image::decode(&bytes).map_err(|e| Error::from(e).at(&path))?;
            if channel == Channel::Rgb && is_one_colour(&image) {
                frame.coverage = 0.0;
                frame.problems.push(FrameProblem::Blank);
            }
            frame.images.insert(channel, image);
        }
        Ok(frame)
    });
    frames.into_iter().collect()
}

/// Nothing was drawn where every pixel is the background.
fn is_one_colour(image: &Image) -> bool {
    let size = image.format.bytes();
    let mut pixels = image.pixels.chunks_exact(size);
    let first = pixels.next();
    pixels.all(|pixel| Some(pixel) == first)
}
