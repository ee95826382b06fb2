//! Flags of the commands that draw, and the settings that they resolve to.

use super::Printer;
use super::global::RendererArgs;
use crate::ask::{Drawing, Photo, drawings as drawings_of};
use crate::error::Error;
use crate::front::{Fronts, PairFronts};
use crate::load::{Axis, Choices, Loaded, Options, Turn, Warning, load_asset};
use crate::options::{LoadOptions, ViewOptions, choice};
use crate::render::{Frame, FrameProblem};
use crate::rubric::{Content, PictureSpec, Rubric};
use crate::scene::{Asset, ViewScale, one_lies_on_its_side};
use clap::Args;
use std::path::Path;

/// How assets are loaded and drawn. Commands give their own defaults for rig and views.
#[derive(Debug, Clone, Args)]
pub(super) struct DrawArgs {
    #[command(flatten)]
    pub views: ViewOptions,

    #[command(flatten)]
    pub renderer: RendererArgs,

    #[command(flatten)]
    pub load: LoadOptions,
}

impl DrawArgs {
    /// Says that a light was given for nothing, if none of the assets has a surface.
    pub(super) fn note_light(&self, has_surface: bool, printer: &Printer) {
        if !has_surface && (self.views.light.is_some() || self.views.environment.is_some()) {
            printer.note("--light and --environment have no effect on Gaussian splats, whose colours include their light");
        }
    }

    /// # Errors
    /// A missing renderer.
    pub(super) fn options(&self, printer: &Printer) -> Result<ViewOptions, Error> {
        Ok(ViewOptions { renderer: self.renderer.open(printer)?, ..self.views.clone() })
    }

    /// Refuses cameras for a sheet that has its own.
    pub(super) fn check(&self, rubric: &Rubric) -> Result<(), Error> {
        let is_fixed = |spec: &PictureSpec| spec.content == Content::FourView;
        let ViewOptions { rig, cameras, views, elevation_degrees, .. } = &self.views;
        let chooses =
            rig.is_some() || cameras.is_some() || views.is_some() || elevation_degrees.is_some();
        if chooses && rubric.pictures().iter().any(is_fixed) {
            return Err(Error::usage(format!(
                "the cameras of the four-view sheet in rubric {:?} are fixed; leave out --rig, --views and --elevation",
                rubric.name()
            )));
        }
        Ok(())
    }
}

/// Prints the loader's warnings.
pub(super) fn warn_of_asset(printer: &Printer, path: &Path, warnings: &[Warning]) {
    let path = path.display().to_string();
    for (idx, warning) in warnings.iter().enumerate() {
        if warnings[..idx].iter().any(|earlier| earlier.is_like(warning)) {
            continue;
        }
        let later = &warnings[idx + 1..];
        let more = match later.iter().filter(|later| later.is_like(warning)).count() {
            0 => String::new(),
            count => format!(" (and {count} more like it)"),
        };
        printer.warn(&format!("{warning}{more}: {path:?}"));
    }
}

/// Up and front of each of two files.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Pictures")]
pub(super) struct SideArgs {
    /// Up axis of the first file, where it differs from --up
    #[arg(long, value_name = "AXIS", hide_short_help = true, allow_hyphen_values = true)]
    up_a: Option<Axis>,

    /// Up axis of the second file
    #[arg(long, value_name = "AXIS", hide_short_help = true, allow_hyphen_values = true)]
    up_b: Option<Axis>,

    /// Front axis of the first file, where it differs from --front
    #[arg(long, value_name = "AXIS", hide_short_help = true, allow_hyphen_values = true)]
    front_a: Option<Axis>,

    /// Front axis of the second file
    #[arg(long, value_name = "AXIS", hide_short_help = true, allow_hyphen_values = true)]
    front_b: Option<Axis>,

    /// Front of both: file (their own), common (the second is rotated to the side that looks like
    /// the front of the first, where that is clear), or photo (common, then both to the side in the
    /// photo of --image, where that is clear)
    #[arg(long, value_name = "FRONTS", default_value = "file", hide_short_help = true, value_parser = choice::<Fronts>())]
    fronts: Fronts,
}

fn turn_of(options: &Options) -> Turn {
    Turn { up: options.up, front: options.front, yaw_degrees: options.yaw_degrees }
}

impl SideArgs {
    /// For each file, its axes if it has its own.
    fn turns(&self, options: &Options) -> [Option<Turn>; 2] {
        [(self.up_a, self.front_a), (self.up_b, self.front_b)].map(|(up, front)| {
            let own = turn_of(options);
            let turn = Turn { up: up.unwrap_or(own.up), front: front.unwrap_or(own.front), ..own };
            (up.is_some() || front.is_some()).then_some(turn)
        })
    }

    /// Reads two assets and prints their warnings, including one if their up axes seem to differ;
    /// and how they were rotated to one front, if they were to have one.
    pub(super) fn load(
        &self,
        paths: [&Path; 2],
        options: &Options,
        view_scale: Option<&ViewScale>,
        photo: Option<&Photo>,
        printer: &Printer,
    ) -> Result<([Loaded<Asset>; 2], Option<PairFronts>), Error> {
        let turns = self.turns(options);
        let read = |side: usize, turn: Option<Turn>| {
            load_asset(paths[side], options, Choices { turn, ..Choices::at(view_scale) })
        };
        let load = |side: usize| -> Result<Loaded<Asset>, Error> {
            let loaded = read(side, turns[side])?;
            warn_of_asset(printer, paths[side], &loaded.warnings);
            Ok(loaded)
        };
        let mut loaded = [load(0)?, load(1)?];
        let scenes = loaded.each_ref().map(|it| &it.scene);
        let fronts = PairFronts::find(self.fronts, scenes, photo)?;
        if let Some(fronts) = &fronts {
            for (side, yaw_degrees) in fronts.rotations().into_iter().enumerate() {
                if yaw_degrees != 0 {
                    let turn = Turn { yaw_degrees, ..turns[side].unwrap_or(turn_of(options)) };
                    loaded[side] = read(side, Some(turn))?;
                }
            }
            printer.note(&format!("fronts: {fronts}"));
        }
        if one_lies_on_its_side(loaded.each_ref().map(|one| one.scene.size())) {
            let [a, b] = paths.map(|path| path.display().to_string());
            printer.warn(&format!("one asset seems rotated by 90° relative to the other; is it z-up? Both are shown unchanged; turn one with --up-a or --up-b and --front-a or --front-b: {a:?}, {b:?}"));
        }
        Ok((loaded, fronts))
    }
}

/// Prints one line for each kind of problem in pictures.
pub(super) fn warn_of_frames<'a>(
    printer: &Printer,
    path: &Path,
    frames: impl Iterator<Item = &'a Frame>,
) {
    let frames: Vec<&Frame> = frames.collect();
    let views_with = |is_it: fn(&FrameProblem) -> bool| {
        frames.iter().filter(|frame| frame.problems.iter().any(is_it)).count()
    };
    let total = frames.len();
    let blank = views_with(|p| matches!(p, FrameProblem::Blank));
    let clipped = views_with(|p| matches!(p, FrameProblem::Clipped { .. }));
    let pale = views_with(|p| matches!(p, FrameProblem::LowContrast { .. }));
    let say = |count: usize, [one, many]: [&str; 2], what: &str| {
        if count > 0 {
            let path = path.display().to_string();
            let verb = if count == 1 { one } else { many };
            printer.warn(&format!("{count} of {total} views {verb} {what}: {path:?}"));
        }
    };
    const IS: [&str; 2] = ["is", "are"];
    say(
        blank,
        IS,
        "empty, so a judge would see nothing (is the object single-sided, tiny or transparent, or does its front face another axis? try --front)",
    );
    say(clipped, IS, "cut off at the edge; choose a rig with more room");
    say(pale, ["has", "have"], "too little contrast with the background; try --background grey");
}

/// How each picture of a rubric is drawn; none for pictures that are not drawn.
///
/// # Errors
/// Unknown rigs, unreadable files, impossible view counts, cameras for a sheet with its own.
pub(super) fn drawings(
    rubric: &Rubric,
    args: &DrawArgs,
    printer: &Printer,
) -> Result<Vec<Option<Drawing>>, Error> {
    args.check(rubric)?;
    drawings_of(rubric, &args.options(printer)?)
}
