//! How assets are drawn for a picture of a rubric: wishes → cameras and settings.

use super::file::PicturesEntry;
use crate::load::Options;
use crate::render::{Background, Channel, Light, NormalSpace, Protocol, Renderer, Settings};
use crate::rig::{Rig, ring_views};
use crate::rubric::{Content, PictureSpec};
use crate::scene::ViewScale;
use crate::sheet::select_views;
use std::path::Path;

/// What the user asks for; what is left open, the picture decides.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DrawWishes {
    /// Name or file of a rig.
    pub rig: Option<String>,
    /// Views of a grid.
    pub views: Option<usize>,
    /// Height of the ring's cameras, in degrees.
    pub elevation_degrees: Option<f64>,
    /// Edge of a tile.
    pub tile_px: Option<u32>,
    /// Behind the object.
    pub background: Background,
    /// Of normal pictures.
    pub normal_space: NormalSpace,
    /// Of colour pictures.
    pub light: Light,
    /// What draws.
    pub renderer: Renderer,
}

/// A drawing that is fully decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// Cameras.
    pub rig: Rig,
    /// Everything else.
    pub settings: Settings,
}

impl DrawWishes {
    /// As a benchmark file says; a rig's file is looked for beside it first.
    pub fn of(entry: &PicturesEntry, folder: &Path) -> Self {
        let beside = |name: &String| {
            let path = folder.join(name);
            if name.ends_with(".toml") && path.is_file() {
                path.to_string_lossy().into_owned()
            } else {
                name.clone()
            }
        };
        Self {
            rig: entry.rig.as_ref().map(beside),
            views: entry.views,
            elevation_degrees: None,
            tile_px: entry.size_px,
            background: entry.background,
            normal_space: entry.normal_space,
            light: entry.light,
            renderer: Renderer::Cpu,
        }
    }
}

impl Drawing {
    /// The drawing for a picture of a rubric; none for one that is not drawn from an asset.
    ///
    /// # Errors
    /// As [`Drawing::new`].
    pub fn for_picture(wishes: &DrawWishes, spec: &PictureSpec) -> Result<Option<Self>, String> {
        let views = spec.views.map(|n| n as usize);
        match spec.content {
            Content::PairSheet | Content::Left | Content::Right | Content::Picture => {
                Self::new(wishes, "ring", views, &spec.channels).map(Some)
            }
            // Its four cameras are what the picture is.
            Content::FourView => {
                let wishes = DrawWishes {
                    rig: None,
                    views: None,
                    elevation_degrees: None,
                    ..wishes.clone()
                };
                Self::new(&wishes, "four-view", None, &[Channel::Rgb]).map(Some)
            }
            Content::Highlighted | Content::ZoomHighlighted | Content::Zoom => Ok(None),
        }
    }

    /// The rig and settings that the wishes stand for.
    ///
    /// # Errors
    /// In words: unknown rigs, unreadable files, impossible numbers of views.
    pub fn new(
        wishes: &DrawWishes,
        default_rig: &str,
        default_views: Option<usize>,
        channels: &[Channel],
    ) -> Result<Self, String> {
        let name = wishes.rig.as_deref().unwrap_or(default_rig);
        let mut rig = Rig::named_or_file(name).map_err(|e| e.to_string())?;
        let views = wishes.views.or(default_views);
        if name == "ring" {
            let count = views.unwrap_or(rig.views.len());
            if !(1..=Rig::VIEWS_MAX).contains(&count) {
                return Err(format!(
                    "--views {count} is out of range; give 1 to {}",
                    Rig::VIEWS_MAX
                ));
            }
            let elevation = wishes
                .elevation_degrees
                .unwrap_or(rig.views[0].elevation_degrees);
            rig = rig.replacing_views(ring_views(count, elevation, false));
        } else {
            if wishes.elevation_degrees.is_some() {
                return Err(format!(
                    "--elevation belongs to the ring rig; the views of {name:?} are fixed"
                ));
            }
            if let Some(count) = views {
                let chosen = select_views(rig.views.len(), count).map_err(|e| e.to_string())?;
                rig = rig.with_views(&chosen);
            }
        }
        let tile_px = wishes.tile_px.unwrap_or(rig.tile_px);
        Ok(Self {
            rig,
            settings: Settings {
                width_px: tile_px,
                height_px: tile_px,
                channels: channels.to_vec(),
                background: wishes.background,
                normal_space: wishes.normal_space,
                light: wishes.light,
                renderer: wishes.renderer.clone(),
            },
        })
    }

    /// How large its pictures show an asset: what of large textures need not be held. `None` where that cannot be said.
    pub fn view_scale(&self) -> Option<ViewScale> {
        self.rig.view_scale(self.settings.height_px)
    }

    /// The record that goes with every picture and verdict.
    pub fn protocol(&self, load: &Options) -> Protocol {
        let normals = format!("{:?}", load.normals).to_lowercase();
        Protocol::new(
            &self.rig,
            &self.settings,
            normals,
            load.up.to_string(),
            load.front.to_string(),
        )
    }
}
