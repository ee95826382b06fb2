//! `sheet`: assets, or a photo with its mask → the exact pictures that a rubric shows.

use super::draw_args::{DrawArgs, SideArgs, warn_of_asset, warn_of_frames};
use super::photo_args::PhotoArgs;
use super::render::{ChannelArgs, create_dir, write_file};
use super::{Exit, Printer};
use crate::ask::{Drawing, Photo, load_options};
use crate::error::Error;
use crate::load::{Choices, Loaded, load_asset};
use crate::render::{Channel, Frame, Image, draw};
use crate::scene::Asset;
use crate::sheet::{self, Transfer};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Args)]
pub(super) struct SheetArgs {
    #[command(subcommand)]
    sheet: Sheet,
}

#[derive(Debug, Clone, Subcommand)]
enum Sheet {
    /// Two objects side by side: colour above, normals below
    #[command(
        after_help = "Example:\n  meshjudge sheet pair a.glb b.glb --out pair.png --rig gpteval3d --views 4    GPTEval3D's exact layout and views"
    )]
    Pair(PairArgs),
    /// One object: colour above, normals below
    #[command(after_help = "Example:\n  meshjudge sheet grid chair.glb --out chair.png --views 9")]
    Grid(GridArgs),
    /// Front, side, top and isometric, orthographic, at one scale
    #[command(after_help = "Example:\n  meshjudge sheet four-view chair.glb --out chair.png")]
    FourView(FourViewArgs),
    /// A photo with the object highlighted, and two zooms
    #[command(
        after_help = "Example:\n  meshjudge sheet reference --image photo.jpg --mask mask.png --out reference\n\nWrites 1_highlighted.png, 2_zoom_highlighted.png and 3_zoom.png."
    )]
    Reference(ReferenceArgs),
}

/// A path whose ending promises no other format.
fn png_file(text: &str) -> Result<PathBuf, String> {
    const OTHERS: [&str; 9] = ["jpg", "jpeg", "webp", "tif", "tiff", "gif", "bmp", "exr", "npy"];
    let path = PathBuf::from(text);
    let ending = path.extension().map(|it| it.to_string_lossy().to_lowercase());
    match ending.filter(|ending| OTHERS.contains(&ending.as_str())) {
        Some(ending) => Err(format!("a sheet is a PNG file, not .{ending}; name it .png")),
        None => Ok(path),
    }
}

#[derive(Debug, Clone, Args)]
struct PairArgs {
    /// Left, object 1
    a: PathBuf,
    /// Right, object 2
    b: PathBuf,

    #[command(flatten)]
    photo: PhotoArgs,

    /// Put the photo in a row above both objects, as `compare --pictures strip` sends it
    #[arg(long, requires = "images")]
    strip: bool,

    #[command(flatten)]
    sides: SideArgs,

    #[command(flatten)]
    grid: GridOptions,
}

#[derive(Debug, Clone, Args)]
struct GridArgs {
    /// The asset
    asset: PathBuf,
    #[command(flatten)]
    grid: GridOptions,
}

#[derive(Debug, Clone, Args)]
struct GridOptions {
    /// The PNG file to write
    #[arg(long, short, value_name = "FILE.png", value_parser = png_file)]
    out: PathBuf,

    #[command(flatten)]
    channels: ChannelArgs,

    /// Scale the sheet so that its longer side has at most this many pixels
    #[arg(long, value_name = "PX")]
    fit: Option<u32>,

    #[command(flatten)]
    draw: DrawArgs,
}

#[derive(Debug, Clone, Args)]
struct FourViewArgs {
    /// The asset
    asset: PathBuf,

    /// The PNG file to write
    #[arg(long, short, value_name = "FILE.png", value_parser = png_file)]
    out: PathBuf,

    /// Scale the sheet so that its longer side has at most this many pixels
    #[arg(long, value_name = "PX")]
    fit: Option<u32>,

    #[command(flatten)]
    draw: DrawArgs,
}

#[derive(Debug, Clone, Args)]
struct ReferenceArgs {
    /// The photo: PNG, JPEG or WebP
    #[arg(long, value_name = "PHOTO")]
    image: PathBuf,

    /// Its mask, of the same size: white or opaque is the object. Default: from the photo's
    /// transparency or plain background
    #[arg(long, value_name = "MASK")]
    mask: Option<PathBuf>,

    /// Folder for the three pictures
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
}

/// Default number of views on a sheet.
const DEFAULT_VIEWS: usize = 4;

pub(super) fn run(args: &SheetArgs, printer: &Printer) -> Result<Exit, Error> {
    match &args.sheet {
        Sheet::Pair(args) => pair(args, printer),
        Sheet::Grid(args) => grid(args, printer),
        Sheet::FourView(args) => four_view(args, printer),
        Sheet::Reference(args) => reference(args, printer),
    }
}

fn pair(args: &PairArgs, printer: &Printer) -> Result<Exit, Error> {
    let drawing = resolve_grid(&args.grid, printer)?;
    let options = load_options([&drawing], &args.grid.draw.load);
    let view_scale = drawing.view_scale();
    let paths = [args.a.as_path(), &args.b];
    let photo = args.photo.open()?;
    let (sides, scale) = (&args.sides, view_scale.as_ref());
    let ([a, b], _) = sides.load(paths, &options, scale, photo.as_ref(), printer)?;
    let has_surface = [&a, &b].iter().any(|one| one.scene.has_surface());
    args.grid.draw.note_light(has_surface, printer);
    let left = draw_loaded(&args.a, &a, &drawing, printer)?;
    let right = draw_loaded(&args.b, &b, &drawing, printer)?;
    let channels = &args.grid.channels.channels;
    let columns = drawing.rig.columns;
    let image = match args.grid.fit {
        Some(longest_px) => sheet::pair_fitted(&left, &right, channels, columns, longest_px)?,
        None => sheet::pair(&left, &right, channels, columns)?,
    };
    let image = match photo.filter(|_| args.strip) {
        Some(photo) => {
            let (across, _) = sheet::layout(left.len(), columns)?;
            sheet::below_strip(&photo.objects()?, &image, image.width_px / (2 * across))?
        }
        None => image,
    };
    write_sheet(&args.grid.out, &image, &drawing, &args.grid.draw, printer)
}

fn grid(args: &GridArgs, printer: &Printer) -> Result<Exit, Error> {
    let drawing = resolve_grid(&args.grid, printer)?;
    let channels = &args.grid.channels.channels;
    let columns = drawing.rig.columns;
    let mut frames = draw_asset(&args.asset, &drawing, &args.grid.draw, printer)?;
    if let Some(longest_px) = args.grid.fit {
        let (across, down) = sheet::layout(frames.len(), columns)?;
        let longest = across.max(down * channels.len() as u32);
        frames = sheet::fit_tiles(&frames, channels, longest_px / longest.max(1))?;
    }
    let image = sheet::grid(&frames, channels, columns)?;
    write_sheet(&args.grid.out, &image, &drawing, &args.grid.draw, printer)
}

fn resolve_grid(options: &GridOptions, printer: &Printer) -> Result<Drawing, Error> {
    let views = options.draw.options(printer)?;
    Drawing::new(&views, "ring", Some(DEFAULT_VIEWS), &options.channels.channels)
}

fn four_view(args: &FourViewArgs, printer: &Printer) -> Result<Exit, Error> {
    let views = args.draw.options(printer)?;
    let drawing = Drawing::new(&views, "four-view", None, &[Channel::Rgb])?;
    let frames = draw_asset(&args.asset, &drawing, &args.draw, printer)?;
    let mut image = sheet::four_view(&frames)?;
    if let Some(longest_px) = args.fit {
        image = sheet::fit(&image, longest_px, Transfer::Srgb)?;
    }
    write_sheet(&args.out, &image, &drawing, &args.draw, printer)
}

fn reference(args: &ReferenceArgs, printer: &Printer) -> Result<Exit, Error> {
    let photo = Photo::open(&args.image, args.mask.as_deref())?;
    let pictures = photo.reference()?;
    create_dir(&args.out)?;
    let named = [
        ("1_highlighted.png", &pictures.highlighted),
        ("2_zoom_highlighted.png", &pictures.zoom_highlighted),
        ("3_zoom.png", &pictures.zoom),
    ];
    for (name, image) in named {
        let path = args.out.join(name);
        write_file(&path, &image.to_png()?)?;
        print_written(&path, image, printer);
    }
    Ok(Exit::Done)
}

/// Loads and draws an asset, and prints its problems.
fn draw_asset(
    path: &Path,
    drawing: &Drawing,
    args: &DrawArgs,
    printer: &Printer,
) -> Result<Vec<Frame>, Error> {
    let view_scale = drawing.view_scale();
    let options = load_options([drawing], &args.load);
    let loaded = load_asset(path, &options, Choices::at(view_scale.as_ref()))?;
    warn_of_asset(printer, path, &loaded.warnings);
    args.note_light(loaded.scene.has_surface(), printer);
    draw_loaded(path, &loaded, drawing, printer)
}

fn draw_loaded(
    path: &Path,
    loaded: &Loaded<Asset>,
    drawing: &Drawing,
    printer: &Printer,
) -> Result<Vec<Frame>, Error> {
    let frames = draw(&loaded.scene, &drawing.rig, &drawing.settings)?;
    warn_of_frames(printer, path, frames.iter());
    Ok(frames)
}

fn write_sheet(
    path: &Path,
    image: &Image,
    drawing: &Drawing,
    args: &DrawArgs,
    printer: &Printer,
) -> Result<Exit, Error> {
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        create_dir(dir)?;
    }
    write_file(path, &image.to_png()?)?;
    print_written(path, image, printer);
    let protocol = drawing.protocol(&load_options([drawing], &args.load));
    printer.note(&format!("render protocol {}", &protocol.hash()[..12]));
    Ok(Exit::Done)
}

fn print_written(path: &Path, image: &Image, printer: &Printer) {
    let (width, height) = (image.width_px, image.height_px);
    let path = path.display().to_string();
    let text = format!("{path} ({width}×{height} px)");
    printer.show(text, [json!({ "path": path, "width_px": width, "height_px": height })]);
}
