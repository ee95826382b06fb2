//! Flags of the commands that draw, and what they resolve to.

use super::{Failure, Global, Printer};
use crate::load::Loaded;
use crate::render::{
    Background, Channel, Frame, FrameProblem, Light, NormalSpace, Protocol, Settings,
};
use crate::rig::{Rig, ring_views};
use crate::sheet::select_views;
use clap::Args;
use std::path::Path;

/// How pictures are made. Commands give their own defaults for rig and views.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Pictures")]
pub struct DrawArgs {
    /// Cameras: gpteval3d, ring, four-view, six, or a TOML file
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub rig: Option<String>,

    /// Number of views: all around for `ring`, evenly chosen from other rigs
    #[arg(long, value_name = "N")]
    pub views: Option<usize>,

    /// Height of the ring's cameras, in degrees
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = elevation)]
    pub elevation: Option<f64>,

    /// Edge of each picture, in pixels
    #[arg(long, value_name = "PX", value_parser = clap::value_parser!(u32).range(1..=i64::from(Rig::TILE_PX_MAX)))]
    pub size: Option<u32>,

    /// white, black, grey, transparent or #RRGGBB
    #[arg(long, default_value = "white")]
    pub background: Background,

    /// Axes of normal pictures: the world's or the camera's
    #[arg(long, value_enum, default_value_t)]
    pub normal_space: NormalSpace,

    /// Light of colour pictures: the fixed studio, or base colours as they are
    #[arg(long, value_enum, default_value_t)]
    pub light: Light,
}

fn elevation(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(degrees) if (-90.0..=90.0).contains(&degrees) => Ok(degrees),
        _ => Err("give degrees from -90 to 90".to_owned()),
    }
}

/// A drawing that is fully decided.
#[derive(Debug, Clone)]
pub struct Drawing {
    /// Cameras.
    pub rig: Rig,
    /// Everything else.
    pub settings: Settings,
}

impl DrawArgs {
    /// The rig and settings that the flags stand for.
    ///
    /// # Errors
    /// Unknown rigs, unreadable files, impossible numbers of views.
    pub fn resolve(
        &self,
        default_rig: &str,
        default_views: Option<usize>,
        channels: &[Channel],
    ) -> Result<Drawing, Failure> {
        let name = self.rig.as_deref().unwrap_or(default_rig);
        let mut rig = Rig::named_or_file(name)?;
        let views = self.views.or(default_views);
        if name == "ring" {
            let count = views.unwrap_or(rig.views.len());
            if !(1..=Rig::VIEWS_MAX).contains(&count) {
                return Err(format!(
                    "--views {count} is out of range; give 1 to {}",
                    Rig::VIEWS_MAX
                )
                .into());
            }
            let elevation = self.elevation.unwrap_or(rig.views[0].elevation_degrees);
            rig = rig.replacing_views(ring_views(count, elevation, false));
        } else {
            if self.elevation.is_some() {
                return Err(format!(
                    "--elevation belongs to the ring rig; the views of {name:?} are fixed"
                )
                .into());
            }
            if let Some(count) = views {
                let chosen = select_views(rig.views.len(), count)?;
                rig = rig.with_views(&chosen);
            }
        }
        let tile_px = self.size.unwrap_or(rig.tile_px);
        Ok(Drawing {
            rig,
            settings: Settings {
                width_px: tile_px,
                height_px: tile_px,
                channels: channels.to_vec(),
                background: self.background,
                normal_space: self.normal_space,
                light: self.light,
            },
        })
    }
}

impl Drawing {
    /// The record that goes with every picture and verdict.
    pub fn protocol(&self, global: &Global) -> Protocol {
        let normals = format!("{:?}", global.normals).to_lowercase();
        Protocol::new(
            &self.rig,
            &self.settings,
            normals,
            global.up.to_string(),
            global.front.to_string(),
        )
    }
}

/// Says what the loader noticed.
pub fn warn_of_asset(printer: &Printer, path: &Path, loaded: &Loaded) {
    for warning in &loaded.warnings {
        printer.warn(&format!("{warning}: {:?}", path.display().to_string()));
    }
}

/// Says what is wrong with pictures, one line for each kind of problem.
pub fn warn_of_frames(printer: &Printer, path: &Path, frames: &[Frame]) {
    let views_with = |is_it: fn(&FrameProblem) -> bool| {
        frames
            .iter()
            .filter(|frame| frame.problems.iter().any(is_it))
            .count()
    };
    let total = frames.len();
    let blank = views_with(|p| matches!(p, FrameProblem::Blank));
    let clipped = views_with(|p| matches!(p, FrameProblem::Clipped { .. }));
    let pale = views_with(|p| matches!(p, FrameProblem::LowContrast { .. }));
    let say = |count: usize, what: &str| {
        if count > 0 {
            let path = path.display().to_string();
            printer.warn(&format!("{count} of {total} views {what}: {path:?}"));
        }
    };
    say(
        blank,
        "show nothing; a judge would see an empty picture (is the object single-sided, or its front another axis? try --front)",
    );
    say(
        clipped,
        "are cut off at the edge; choose a rig with more room",
    );
    say(
        pale,
        "can hardly be told from the background; try --background grey",
    );
}
