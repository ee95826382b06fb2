//! Flags of the commands that draw, and the settings that they resolve to.

use super::Printer;
use super::choice::{FRONTS, LIGHTS, NORMAL_SPACES, choice};
use super::global::{LoadArgs, RendererArgs, axis};
use crate::ask::{Drawing, Photo, ViewOptions, drawings as drawings_of, load_options};
use crate::error::Error;
use crate::front::{Fronts, PairFronts};
use crate::load::{Axis, Choices, Loaded, Options, Turn, Warning, load_asset};
use crate::render::{
    Background, Channel, Environment, Frame, FrameProblem, Light, NormalSpace, Renderer,
};
use crate::rig::{NamedConvention, Rig};
use crate::rubric::{Content, PictureSpec, Rubric};
use crate::scene::{Asset, ViewScale, one_lies_on_its_side};
use clap::Args;
use std::path::{Path, PathBuf};

/// How assets are loaded and drawn. Commands give their own defaults for rig and views.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Pictures")]
pub(super) struct DrawArgs {
    /// Cameras: ring, four-view, six, gpteval3d, a protocol, or a TOML file
    #[arg(long, value_name = "RIG")]
    pub rig: Option<String>,

    /// Cameras from a file: transforms.json, COLMAP's images.txt, .npy matrices, or a folder of
    /// these; --rig then places the asset
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub cameras: Option<PathBuf>,

    /// Override --cameras detection, comma-separated: c2w or w2c, opengl or opencv, z-up or y-up
    #[arg(long, value_name = "LIST", requires = "cameras", hide_short_help = true)]
    pub camera_convention: Option<NamedConvention>,

    /// Number of views: evenly around for ring, evenly chosen from other rigs
    #[arg(long, value_name = "N")]
    pub views: Option<usize>,

    /// Views next to each other on a sheet [default: the rig's, or a square]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = clap::value_parser!(u32).range(1..=i64::from(u16::MAX)))]
    pub columns: Option<u32>,

    /// Elevation of the ring's cameras
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = elevation)]
    pub elevation: Option<f64>,

    /// Width and height of each view
    #[arg(long, value_name = "PX", value_parser = clap::value_parser!(u32).range(1..=i64::from(Rig::TILE_PX_MAX)))]
    pub size: Option<u32>,

    /// white, black, grey, transparent or #RRGGBB [default: the rig's]
    #[arg(long, value_name = "COLOR")]
    pub background: Option<Background>,

    /// Axes of normal pictures: of the normalised world, or of the camera
    #[arg(long, value_name = "SPACE", hide_short_help = true, default_value = "world", value_parser = choice::<NormalSpace>(NORMAL_SPACES))]
    pub normal_space: NormalSpace,

    /// studio, or unlit (base colours unchanged) [default: the rig's]
    #[arg(long, value_name = "LIGHT", hide_possible_values = true, value_parser = choice::<Light>(LIGHTS))]
    pub light: Option<Light>,

    /// Environment light instead of the studio: a panorama, .hdr or .exr
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub environment: Option<PathBuf>,

    #[command(flatten)]
    pub renderer: RendererArgs,

    #[command(flatten)]
    pub load: LoadArgs,
}

fn elevation(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(degrees) if (-90.0..=90.0).contains(&degrees) => Ok(degrees),
        _ => Err("give degrees from -90 to 90".to_owned()),
    }
}

impl DrawArgs {
    /// The rig and settings that the flags select.
    ///
    /// # Errors
    /// Unknown rigs, unreadable files, impossible numbers of views, a missing renderer.
    pub(super) fn resolve(
        &self,
        default_rig: &str,
        default_views: Option<usize>,
        channels: &[Channel],
        printer: &Printer,
    ) -> Result<Drawing, Error> {
        let options = self.options(self.renderer.open(printer)?)?;
        Drawing::new(&options, default_rig, default_views, channels)
    }

    /// How files are read: with the given axes, else with those that the rig's protocol expects.
    pub(super) fn load_options<'a>(
        &self,
        drawings: impl IntoIterator<Item = &'a Drawing>,
    ) -> Options {
        let names_axes = self.load.up.is_some() || self.load.front.is_some();
        load_options(drawings, self.load.options(), names_axes)
    }

    /// Says that a light was given for nothing, if none of the assets has a surface.
    pub(super) fn note_light(&self, has_surface: bool, printer: &Printer) {
        if !has_surface && (self.light.is_some() || self.environment.is_some()) {
            printer.note("--light and --environment have no effect on Gaussian splats, whose colours include their light");
        }
    }

    /// # Errors
    /// An environment that cannot be used.
    pub(super) fn options(&self, renderer: Renderer) -> Result<ViewOptions, Error> {
        let environment = self.environment.as_deref().map(Environment::open);
        Ok(ViewOptions {
            rig: self.rig.clone(),
            cameras: self
                .cameras
                .clone()
                .map(|path| (path, self.camera_convention.unwrap_or_default())),
            views: self.views,
            columns: self.columns,
            elevation_degrees: self.elevation,
            tile_px: self.size,
            background: self.background,
            normal_space: self.normal_space,
            light: self.light,
            environment: environment.transpose()?,
            renderer,
        })
    }

    /// Refuses cameras for a sheet that has its own.
    pub(super) fn check(&self, rubric: &Rubric) -> Result<(), Error> {
        let is_fixed = |spec: &PictureSpec| spec.content == Content::FourView;
        let chooses = self.rig.is_some()
            || self.cameras.is_some()
            || self.views.is_some()
            || self.elevation.is_some();
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
    #[arg(long, value_name = "AXIS", hide_short_help = true, allow_hyphen_values = true, value_parser = axis)]
    up_a: Option<Axis>,

    /// Up axis of the second file
    #[arg(long, value_name = "AXIS", hide_short_help = true, allow_hyphen_values = true, value_parser = axis)]
    up_b: Option<Axis>,

    /// Front axis of the first file, where it differs from --front
    #[arg(long, value_name = "AXIS", hide_short_help = true, allow_hyphen_values = true, value_parser = axis)]
    front_a: Option<Axis>,

    /// Front axis of the second file
    #[arg(long, value_name = "AXIS", hide_short_help = true, allow_hyphen_values = true, value_parser = axis)]
    front_b: Option<Axis>,

    /// Front of both: file (their own), common (the second is rotated to the side that looks like
    /// the front of the first, where that is clear), or photo (common, then both to the side in the
    /// photo of --image, where that is clear)
    #[arg(long, value_name = "FRONTS", default_value = "file", hide_short_help = true, value_parser = choice::<Fronts>(FRONTS))]
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
        let load = |path: &Path, turn: Option<Turn>| -> Result<Loaded<Asset>, Error> {
            let loaded = load_asset(path, options, Choices { turn, ..Choices::at(view_scale) })?;
            warn_of_asset(printer, path, &loaded.warnings);
            Ok(loaded)
        };
        let mut loaded = [load(paths[0], turns[0])?, load(paths[1], turns[1])?];
        let scenes = loaded.each_ref().map(|it| &it.scene);
        let fronts = PairFronts::find(self.fronts, scenes, photo)?;
        if let Some(fronts) = &fronts {
            for (side, yaw_degrees) in fronts.rotations().into_iter().enumerate() {
                if yaw_degrees != 0 {
                    let turn = Turn { yaw_degrees, ..turns[side].unwrap_or(turn_of(options)) };
                    loaded[side] = load_asset(
                        paths[side],
                        options,
                        Choices { turn: Some(turn), ..Choices::at(view_scale) },
                    )?;
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
    drawings_of(rubric, &args.options(args.renderer.open(printer)?)?)
}
