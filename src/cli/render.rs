//! `render`: assets → PNG files and `frames.json`.

use super::draw_args::{DrawArgs, warn_of_asset, warn_of_frames};
use super::words::several;
use super::{Exit, Printer};
use crate::ask::{Drawing, load_options};
use crate::error::{Error, Kind};
use crate::front::{
    DrawnFolder, PictureFormat, draw_to_folder, folder_names, turntable_channel, write_turntable,
};
use crate::load::{Choices, LoadError, Loaded, Warning, load_asset};
use crate::options::choice;
use crate::render::Channel;
use crate::save::remove_leftovers;
use crate::scene::Asset;
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[derive(Debug, Clone, Args)]
#[command(after_help = "Example:
  meshjudge render chair.glb lamp.obj --out pictures --rig ring --views 8 --channels rgb,normal,mask

Writes pictures/chair/rgb_0.png … pictures/chair/frames.json (protocol, cameras as matrices, timings) \
and pictures/chair/transforms.json (the cameras as NeRF and splat tools read them). --turntable adds pictures/chair/turntable.gif.
--cameras FILE [--camera-convention w2c,opencv,z-up] draws from the cameras of a file; --mtl-tint ignore shows textures without Kd; --vertex-colors srgb reads glTF vertex colours as trimesh writes them.")]
pub(super) struct RenderArgs {
    /// Assets: .glb, .gltf, .obj, .ply, .stl; splats as .ply, .spz, .sog, .splat, .glb, .gltf
    #[arg(required = true, value_name = "ASSET")]
    assets: Vec<PathBuf>,

    /// Folder for the pictures; each asset gets a folder of its own in it
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,

    #[command(flatten)]
    channels: ChannelArgs,

    /// png; or jpeg, webp (lossless), exr or npy for channels that support it; others stay png
    #[arg(long, value_name = "FORMAT", default_value = "png", hide_possible_values = true, value_parser = choice::<PictureFormat>())]
    format: PictureFormat,

    /// Also write turntable.gif of rgb, or of the first channel: one turn in 4 seconds; the ring
    /// then has 36 views by default
    #[arg(long)]
    turntable: bool,

    /// Print the time of each step
    #[arg(long)]
    timings: bool,

    #[command(flatten)]
    draw: DrawArgs,
}

/// The channels of each view.
#[derive(Debug, Clone, Args)]
pub(super) struct ChannelArgs {
    /// Any of rgb, normal, matte (grey clay), depth (16 bits), mask (share of the pixel that is
    /// covered), base-color, metallic-roughness, emissive, opacity, camera-normal, shading-normal
    /// (with the normal map), camera-shading-normal, position, z (depth in the cameras' units),
    /// expected-z (of splats, the mean), uv, part, ndc-depth, wire (edges over clay), facing (front
    /// blue, back red), and parts, parts-material, parts-mesh and parts-chart (a colour for each)
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "rgb,normal",
        value_name = "LIST",
        hide_possible_values = true,
        value_parser = choice::<Channel>()
    )]
    pub channels: Vec<Channel>,
}

/// Views of a turntable.
const TURN_VIEWS: usize = 36;

/// Assets drawn at once, so that no core waits between one's last view and the next one's first.
const SIDE_BY_SIDE: usize = 2;

pub(super) fn run(args: &RenderArgs, printer: &Printer) -> Result<Exit, Error> {
    let mut channels = args.channels.channels.clone();
    channels.sort_unstable();
    channels.dedup();
    let views = args.draw.options(printer)?;
    let is_color = !matches!(args.format, PictureFormat::Exr | PictureFormat::Npy);
    if args.turntable && !(is_color && turntable_channel(&channels).is_some()) {
        return Err(Error::usage(
            "--turntable needs a channel of colours or normals, as in --channels rgb; leave out --format exr and npy",
        ));
    }
    let is_ring = views.cameras.is_none() && views.rig.as_deref().is_none_or(|it| it == "ring");
    let turn = (args.turntable && is_ring).then_some(TURN_VIEWS);
    let drawing = Drawing::new(&views, "ring", turn, &channels)?;
    let setups = drawing.setups(&views)?;
    create_dir(&args.out)?;
    remove_leftovers(&args.out);
    let folders = folder_names(&args.assets);
    let printer = printer.with_progress(args.assets.len() as u64, "drawing");
    let options = load_options([&drawing], &args.draw.load);
    let view_scale = drawing.view_scale();
    let draw = |idx: usize, loaded: Result<Loaded<Asset>, LoadError>, load_time: Duration| {
        let loaded = loaded?;
        let folder = args.out.join(&folders[idx]);
        let all = (&drawing, setups.as_slice());
        let drawn = draw_to_folder(&loaded, &options, load_time, all, args.format, &folder);
        let drawn = drawn.and_then(|drawn| {
            if args.turntable {
                write_turntable(&folder, &drawing, args.format)?;
            }
            Ok(drawn)
        });
        Ok(Drawn::new(loaded, folder, drawn))
    };
    let (mut failed, mut has_surface) = (0, false);
    let mut tell = |idx: usize, drawn: Result<Drawn, LoadError>| {
        let path = &args.assets[idx];
        let told = match drawn {
            Ok(drawn) => {
                has_surface |= drawn.has_surface;
                drawn.tell(path, args.timings, &printer)
            }
            Err(error) => Err(Error::from(error)),
        };
        if let Err(failure) = told {
            failed += 1;
            printer.input_error(path, &failure);
        }
        printer.step();
    };
    // The next assets are read while others are drawn; at most two wait, to bound memory.
    std::thread::scope(|scope| {
        let (to_draw, read) = sync_channel(1);
        let (to_tell, drawn) = channel();
        scope.spawn(move || {
            for (idx, path) in args.assets.iter().enumerate() {
                let start = Instant::now();
                let loaded = load_asset(path, &options, Choices::at(view_scale.as_ref()));
                if to_draw.send((idx, loaded, start.elapsed())).is_err() {
                    return;
                }
            }
        });
        let read = Arc::new(Mutex::new(read));
        for _ in 0..SIDE_BY_SIDE {
            let (read, to_tell, draw) = (Arc::clone(&read), to_tell.clone(), &draw);
            scope.spawn(move || {
                let next = || read.lock().ok()?.recv().ok();
                while let Some((idx, loaded, load_time)) = next() {
                    if to_tell.send((idx, draw(idx, loaded, load_time))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(to_tell);
        in_order(drawn, &mut tell);
    });
    printer.finish();
    if failed < args.assets.len() {
        args.draw.note_light(has_surface, &printer);
    }
    Ok(Exit::of_inputs(failed, args.assets.len()))
}

/// Yields results in index order, from 0.
fn in_order<T>(numbered: impl IntoIterator<Item = (usize, T)>, mut each: impl FnMut(usize, T)) {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for (idx, thing) in numbered {
        waiting.insert(idx, thing);
        while let Some(thing) = waiting.remove(&next) {
            each(next, thing);
            next += 1;
        }
    }
}

/// The messages about an asset that was read.
struct Drawn {
    warnings: Vec<Warning>,
    hash: String,
    /// `12 triangles`.
    drawn_of: String,
    has_surface: bool,
    folder: PathBuf,
    drawn: Result<DrawnFolder, Error>,
}

impl Drawn {
    fn new(loaded: Loaded<Asset>, folder: PathBuf, drawn: Result<DrawnFolder, Error>) -> Self {
        Self {
            drawn_of: match &loaded.scene {
                Asset::Mesh(scene) => several(scene.triangle_count(), "triangle", "triangles"),
                Asset::Splats(splats) => several(splats.read().splats.len(), "splat", "splats"),
            },
            has_surface: loaded.scene.has_surface(),
            warnings: loaded.warnings,
            hash: loaded.hash,
            folder,
            drawn,
        }
    }

    fn tell(self, path: &Path, has_timings: bool, printer: &Printer) -> Result<(), Error> {
        warn_of_asset(printer, path, &self.warnings);
        let drawn = self.drawn?;
        warn_of_frames(printer, path, drawn.frames.iter());
        let seconds = drawn.total.as_secs_f64();
        let (of, num_views) = (self.drawn_of, drawn.frames.len());
        let [path, dir] = [path, &self.folder].map(|path| path.display().to_string());
        let text =
            format!("{path}: {num_views} of {num_views} views of {of} in {seconds:.2} s → {dir}");
        let row = json!({
            "path": path, "hash": self.hash, "dir": dir, "views": num_views,
            "problems": drawn.problems(), "warnings": self.warnings, "seconds": seconds,
        });
        printer.show(text, [row]);
        if has_timings {
            printer.note(&format!("  seconds, summed over threads: {}", drawn.times));
        }
        Ok(())
    }
}

/// Makes a folder, with an error that names it.
pub(super) fn create_dir(dir: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(dir).map_err(|e| {
        Error::usage(format!("cannot make the folder ({e}); choose another --out: {dir:?}"))
    })
}

/// Refuses to write over the input, which would be lost.
pub(super) fn refuse_input(input: &Path, out: &Path) -> Result<(), Error> {
    let [input_file, out_file] = [input, out].map(std::fs::canonicalize);
    match (input_file, out_file) {
        (Ok(a), Ok(b)) if a == b => Err(Error::usage(
            "the file to write is the input, which would be lost; give another name",
        )
        .at(out)),
        _ => Ok(()),
    }
}

/// Writes to a file, the target of a link, or a pipe; see [`crate::save::NewFile`].
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    crate::save::write_file(path, bytes).map_err(|e| Error::cannot_write(Kind::Usage, e, path))
}
