//! `render`: assets → PNG files and `frames.json`.

use super::choice::{CHANNELS, choice};
use super::draw_args::{DrawArgs, warn_of_asset, warn_of_frames};
use super::{Exit, Failure, Global, Printer};
use crate::ask::Drawing;
use crate::load::{LoadError, Loaded, load_for};
use crate::render::{Channel, Frame, Renderer, Timings, draw_each};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

const EXAMPLE: &str = "Example:
  meshjudge render chair.glb lamp.obj --out pictures --rig ring --views 8 --channels rgb,normal,mask

Writes pictures/chair/rgb_0.png … and pictures/chair/frames.json (protocol, cameras as matrices, timings).";

/// Arguments of `render`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct RenderArgs {
    /// Assets: .glb, .gltf, .obj, .ply, .stl
    #[arg(required = true, value_name = "ASSET")]
    assets: Vec<PathBuf>,

    /// Folder for the pictures; each asset gets a folder of its own in it
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,

    /// What to draw
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "rgb,normal",
        value_name = "LIST",
        value_parser = choice::<Channel>(CHANNELS)
    )]
    channels: Vec<Channel>,

    /// Say where the time went
    #[arg(long)]
    timings: bool,

    #[command(flatten)]
    draw: DrawArgs,
}

/// Runs the command.
///
/// # Errors
/// When nothing could be done; a single bad asset is named and the rest goes on.
pub(super) fn run(args: &RenderArgs, global: &Global, printer: &Printer) -> Result<Exit, Failure> {
    let mut channels = args.channels.clone();
    channels.sort_unstable();
    channels.dedup();
    let drawing = args
        .draw
        .resolve("ring", None, &channels, global, printer)?;
    create_dir(&args.out)?;
    let folders = folders(&args.assets);
    let printer = printer.with_progress(args.assets.len() as u64, "drawing");

    let options = global.load_options();
    let view_scale = drawing.view_scale();
    let mut failed = 0;
    // The next asset is read while this one is drawn; at most two wait, so memory does not grow with the list.
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<(usize, Duration, Result<Loaded, LoadError>)>(1);
        let assets = &args.assets;
        scope.spawn(move || {
            for (idx, path) in assets.iter().enumerate() {
                let start = Instant::now();
                let loaded = load_for(path, &options, view_scale.as_ref());
                if sender.send((idx, start.elapsed(), loaded)).is_err() {
                    return;
                }
            }
        });
        for (idx, load_time, loaded) in receiver {
            let path = &args.assets[idx];
            let result = loaded.map_err(Failure::from).and_then(|loaded| {
                warn_of_asset(&printer, path, &loaded);
                let job = Job {
                    path,
                    dir: args.out.join(&folders[idx]),
                    drawing: &drawing,
                    global,
                    loaded,
                    load_time,
                };
                job.draw(&printer, args.timings)
            });
            if let Err(failure) = result {
                failed += 1;
                printer.error(failure.as_ref());
                let path = path.display().to_string();
                printer.row(&json!({ "path": path, "error": failure.to_string() }));
            }
            printer.step();
        }
    });
    printer.finish();
    Ok(match failed {
        0 => Exit::Done,
        n if n == args.assets.len() => Exit::Nothing,
        _ => Exit::SomeFailed,
    })
}

/// One folder name per asset: its stem, then `-2`, `-3` … where a stem comes again.
fn folders(assets: &[PathBuf]) -> Vec<String> {
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = Vec::with_capacity(assets.len());
    for asset in assets {
        let stem = asset.file_stem().map_or_else(
            || "asset".to_owned(),
            |stem| stem.to_string_lossy().into_owned(),
        );
        let mut name = stem.clone();
        while taken.contains_key(&name) {
            let next = taken.entry(stem.clone()).or_insert(1);
            *next += 1;
            name = format!("{stem}-{next}");
        }
        taken.insert(name.clone(), 1);
        names.push(name);
    }
    names
}

/// Makes a folder, with an error that names it.
pub(super) fn create_dir(dir: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(dir)
        .map_err(|e| format!("cannot make the folder ({e}); choose another --out: {dir:?}").into())
}

/// Writes a file, with an error that names it.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes)
        .map_err(|e| format!("cannot write ({e}); check space and permissions: {path:?}").into())
}

/// The name of a channel in file names and rows.
fn channel_name(channel: Channel) -> &'static str {
    match channel {
        Channel::Rgb => "rgb",
        Channel::Normal => "normal",
        Channel::Matte => "matte",
        Channel::Depth => "depth",
        Channel::Mask => "mask",
    }
}

/// One asset to draw.
struct Job<'a> {
    path: &'a Path,
    dir: PathBuf,
    drawing: &'a Drawing,
    global: &'a Global,
    loaded: Loaded,
    load_time: Duration,
}

impl Job<'_> {
    fn draw(&self, printer: &Printer, says_timings: bool) -> Result<(), Failure> {
        create_dir(&self.dir)?;
        let start = Instant::now();
        let timings = Timings::default();
        let Drawing { rig, settings } = self.drawing;
        let stood_in = || match &settings.renderer {
            Renderer::Gpu(gpu) => gpu.num_stood_in(),
            Renderer::Cpu => 0,
        };
        let stood_in_before = stood_in();
        let written = draw_each(&self.loaded.scene, rig, settings, &timings, |frame| {
            let start = Instant::now();
            let written = self.write(frame);
            timings.encode.add(start.elapsed());
            written
        })?;
        let frames = written.into_iter().collect::<Result<Vec<_>, _>>()?;
        let total = start.elapsed() + self.load_time;
        warn_of_frames(printer, self.path, frames.iter());
        let times = self.times(&timings, total);
        let num_stood_in = stood_in() - stood_in_before;
        let record = self.record(&frames, num_stood_in, &times);
        let text = serde_json::to_string_pretty(&record)?;
        write_file(&self.dir.join("frames.json"), text.as_bytes())?;
        let seconds = total.as_secs_f64();
        printer.result(&format!(
            "{}: {} views of {} triangles in {seconds:.2} s → {}",
            self.path.display(),
            frames.len(),
            self.loaded.scene.triangle_count(),
            self.dir.display(),
        ));
        if says_timings {
            printer.note(&format!("  seconds, summed over threads: {times}"));
        }
        printer.row(&json!({
            "path": self.path.display().to_string(),
            "hash": self.loaded.hash,
            "dir": self.dir.display().to_string(),
            "views": frames.len(),
            "problems": problems(&frames),
            "warnings": self.loaded.warnings,
            "seconds": seconds,
        }));
        Ok(())
    }

    /// Writes a frame's pictures and gives the frame back without them.
    fn write(&self, mut frame: Frame) -> Result<Frame, Failure> {
        for (channel, image) in std::mem::take(&mut frame.images) {
            let name = format!("{}_{}.png", channel_name(channel), frame.view_idx);
            write_file(&self.dir.join(name), &image.to_png()?)?;
        }
        Ok(frame)
    }

    fn times(&self, timings: &Timings, total: Duration) -> Value {
        let rounded = |span: Duration| (span.as_secs_f64() * 1e4).round() / 1e4;
        json!({
            "read": rounded(self.loaded.read_time),
            "decode": rounded(self.load_time.saturating_sub(self.loaded.read_time)),
            "prepare": rounded(timings.prepare.total()),
            "transform": rounded(timings.transform.total()),
            "rasterise": rounded(timings.rasterise.total()),
            "shade": rounded(timings.shade.total()),
            "gpu": rounded(timings.gpu.total()),
            "encode": rounded(timings.encode.total()),
            "wall": rounded(total),
        })
    }

    fn record(&self, frames: &[Frame], num_stood_in: usize, times: &Value) -> Value {
        let protocol = self.drawing.protocol(&self.global.load_options());
        let bounds = self.loaded.scene.bounds();
        let rig = &self.drawing.rig;
        let scale = rig.object_radius / bounds.radius;
        let distance = rig.camera(0).distance();
        let (near, far) = (distance - rig.object_radius, distance + rig.object_radius);
        let views: Vec<Value> = frames
            .iter()
            .map(|frame| {
                let camera = rig.camera(frame.view_idx);
                let rows = |m: glam::DMat4| (0..4).map(|r| m.row(r).to_array()).collect::<Vec<_>>();
                let files: BTreeMap<_, _> = self
                    .drawing
                    .settings
                    .channels
                    .iter()
                    .map(|&channel| {
                        let name = channel_name(channel);
                        (name, format!("{name}_{}.png", frame.view_idx))
                    })
                    .collect();
                json!({
                    "view": rig.views[frame.view_idx],
                    "files": files,
                    "view_from_world": rows(camera.view_from_world()),
                    "clip_from_view": rows(camera.clip_from_view(1.0, near.max(distance * 1e-3), far)),
                    "coverage": frame.coverage,
                    "problems": frame.problems,
                })
            })
            .collect();
        json!({
            "asset": { "path": self.path.display().to_string(), "hash": self.loaded.hash },
            "protocol_hash": protocol.hash(),
            "protocol": protocol,
            "views_drawn_by_the_cpu_instead": num_stood_in,
            "normals": self.loaded.normals,
            "world_from_file": { "translate_first": (-bounds.center).to_array(), "then_scale": scale },
            "matrices": "row-major, column vectors; view space is x right, y up, looking along -z; clip z from 0 to w",
            "views": views,
            "warnings": self.loaded.warnings,
            "timings_seconds": times,
        })
    }
}

/// View index → its problems, for views that have any.
fn problems(frames: &[Frame]) -> Value {
    let of: BTreeMap<String, &Vec<_>> = frames
        .iter()
        .filter(|frame| !frame.problems.is_empty())
        .map(|frame| (frame.view_idx.to_string(), &frame.problems))
        .collect();
    json!(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_that_come_again_get_numbers_and_never_collide() {
        let paths = ["a/chair.glb", "b/chair.obj", "c/chair-2.glb", "d/chair.glb"];
        let names = folders(&paths.map(PathBuf::from));
        assert_eq!(names, ["chair", "chair-2", "chair-2-2", "chair-3"]);
    }
}
