//! Flags of the commands that draw, and what they resolve to.

use super::choice::{LIGHTS, NORMAL_SPACES, choice};
use super::{Failure, Global, Printer};
use crate::ask::{Drawing, ViewOptions, drawings as drawings_of};
use crate::load::Loaded;
use crate::render::{Background, Channel, Frame, FrameProblem, Light, NormalSpace, Renderer};
use crate::rig::Rig;
use crate::rubric::{Content, PictureSpec, Rubric};
use clap::Args;
use std::path::Path;

/// How pictures are made. Commands give their own defaults for rig and views.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Pictures")]
pub(super) struct DrawArgs {
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
    #[arg(long, default_value = "world", value_parser = choice::<NormalSpace>(NORMAL_SPACES))]
    pub normal_space: NormalSpace,

    /// Light of colour pictures: the fixed studio, or base colours as they are
    #[arg(long, default_value = "studio", value_parser = choice::<Light>(LIGHTS))]
    pub light: Light,
}

fn elevation(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(degrees) if (-90.0..=90.0).contains(&degrees) => Ok(degrees),
        _ => Err("give degrees from -90 to 90".to_owned()),
    }
}

impl DrawArgs {
    /// The rig and settings that the flags stand for.
    ///
    /// # Errors
    /// Unknown rigs, unreadable files, impossible numbers of views, a renderer that is not there.
    pub(super) fn resolve(
        &self,
        default_rig: &str,
        default_views: Option<usize>,
        channels: &[Channel],
        global: &Global,
        printer: &Printer,
    ) -> Result<Drawing, Failure> {
        let options = self.options(global.renderer(printer)?);
        Drawing::new(&options, default_rig, default_views, channels).map_err(Into::into)
    }

    /// What the flags ask for.
    pub(super) fn options(&self, renderer: Renderer) -> ViewOptions {
        ViewOptions {
            rig: self.rig.clone(),
            views: self.views,
            elevation_degrees: self.elevation,
            tile_px: self.size,
            background: self.background,
            normal_space: self.normal_space,
            light: self.light,
            renderer,
        }
    }
}

/// Says what the loader noticed.
pub(super) fn warn_of_asset(printer: &Printer, path: &Path, loaded: &Loaded) {
    for warning in &loaded.warnings {
        printer.warn(&format!("{warning}: {:?}", path.display().to_string()));
    }
}

/// Says what is wrong with pictures, one line for each kind of problem.
pub(super) fn warn_of_frames<'a>(
    printer: &Printer,
    path: &Path,
    frames: impl Iterator<Item = &'a Frame>,
) {
    let frames: Vec<&Frame> = frames.collect();
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

/// How each picture of a rubric is drawn; none for one that is not drawn.
///
/// # Errors
/// Unknown rigs, unreadable files, impossible numbers of views, cameras for a sheet that has its own.
pub(super) fn drawings(
    rubric: &Rubric,
    args: &DrawArgs,
    global: &Global,
    printer: &Printer,
) -> Result<Vec<Option<Drawing>>, Failure> {
    let is_fixed = |spec: &PictureSpec| spec.content == Content::FourView;
    let chooses = args.rig.is_some() || args.views.is_some() || args.elevation.is_some();
    if chooses && rubric.pictures().iter().any(is_fixed) {
        return Err(format!("the rubric {:?} shows a four-view sheet, whose cameras are fixed; leave --rig, --views and --elevation out", rubric.name()).into());
    }
    Ok(drawings_of(
        rubric,
        &args.options(global.renderer(printer)?),
    )?)
}
