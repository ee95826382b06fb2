//! An asset's views as files: PNG pictures and `frames.json`, which says how they were drawn.

use super::error::FrontError;
use crate::ask::Drawing;
use crate::load::{Loaded, Options};
use crate::render::{Channel, Frame, FrameProblem, Renderer, Timings, draw_each};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What was drawn of one asset.
#[derive(Debug)]
pub struct DrawnFolder {
    /// Without their pictures, which are on the disk.
    pub frames: Vec<Frame>,
    /// From the start of reading to the last written file.
    pub total: Duration,
    /// Seconds by step, as in `frames.json`; of drawing and encoding, sums over threads.
    pub times: Value,
}

impl DrawnFolder {
    /// View index → its problems, for views that have any.
    pub fn problems(&self) -> BTreeMap<String, &[FrameProblem]> {
        (self.frames.iter())
            .filter(|frame| !frame.problems.is_empty())
            .map(|frame| (frame.view_idx.to_string(), frame.problems.as_slice()))
            .collect()
    }
}

/// Draws every view of `loaded` into `folder`: `rgb_0.png`, `normal_0.png`, … and `frames.json`. `load_time` is what loading took.
///
/// # Errors
/// A drawing that is impossible, a file that cannot be written.
pub fn draw_to_folder(
    loaded: &Loaded,
    load: &Options,
    load_time: Duration,
    drawing: &Drawing,
    folder: &Path,
) -> Result<DrawnFolder, FrontError> {
    std::fs::create_dir_all(folder).map_err(|e| failed(folder, &e))?;
    let start = Instant::now();
    let timings = Timings::default();
    let Drawing { rig, settings } = drawing;
    let stood_in = || match &settings.renderer {
        Renderer::Gpu(gpu) => gpu.num_stood_in(),
        Renderer::Cpu => 0,
    };
    let stood_in_before = stood_in();
    let written = draw_each(&loaded.scene, rig, settings, &timings, |frame| {
        let start = Instant::now();
        let written = write_pictures(frame, folder);
        timings.encode.add(start.elapsed());
        written
    })?;
    let frames = written.into_iter().collect::<Result<Vec<_>, _>>()?;
    let total = start.elapsed() + load_time;
    let rounded = |span: Duration| (span.as_secs_f64() * 1e4).round() / 1e4;
    let times = json!({
        "read": rounded(loaded.read_time),
        "decode": rounded(load_time.saturating_sub(loaded.read_time)),
        "prepare": rounded(timings.prepare.total()),
        "transform": rounded(timings.transform.total()),
        "rasterise": rounded(timings.rasterise.total()),
        "shade": rounded(timings.shade.total()),
        "gpu": rounded(timings.gpu.total()),
        "encode": rounded(timings.encode.total()),
        "wall": rounded(total),
    });
    let num_stood_in = stood_in() - stood_in_before;
    let record = record(loaded, load, drawing, &frames, num_stood_in, &times);
    let path = folder.join("frames.json");
    std::fs::write(&path, format!("{record:#}")).map_err(|e| failed(&path, &e))?;
    Ok(DrawnFolder {
        frames,
        total,
        times,
    })
}

/// Writes a frame's pictures and gives the frame back without them.
fn write_pictures(mut frame: Frame, folder: &Path) -> Result<Frame, FrontError> {
    for (channel, image) in std::mem::take(&mut frame.images) {
        let path = folder.join(file_name(channel, frame.view_idx));
        std::fs::write(&path, image.to_png()?).map_err(|e| failed(&path, &e))?;
    }
    Ok(frame)
}

fn failed(path: &Path, error: &std::io::Error) -> FrontError {
    FrontError::Write {
        reason: error.to_string(),
        path: path.to_owned(),
    }
}

fn file_name(channel: Channel, view_idx: usize) -> String {
    format!("{}_{view_idx}.png", channel_name(channel))
}

fn channel_name(channel: Channel) -> &'static str {
    match channel {
        Channel::Rgb => "rgb",
        Channel::Normal => "normal",
        Channel::Matte => "matte",
        Channel::Depth => "depth",
        Channel::Mask => "mask",
    }
}

/// The content of `frames.json`.
fn record(
    loaded: &Loaded,
    load: &Options,
    drawing: &Drawing,
    frames: &[Frame],
    num_stood_in: usize,
    times: &Value,
) -> Value {
    let protocol = drawing.protocol(load);
    let bounds = loaded.scene.bounds();
    let Drawing { rig, settings } = drawing;
    let scale = rig.object_radius / bounds.radius;
    let distance = rig.camera(0).distance();
    let (near, far) = (distance - rig.object_radius, distance + rig.object_radius);
    let view = |frame: &Frame| {
        let camera = rig.camera(frame.view_idx);
        let rows = |m: glam::DMat4| (0..4).map(|r| m.row(r).to_array()).collect::<Vec<_>>();
        let files: BTreeMap<_, _> = (settings.channels.iter())
            .map(|&channel| (channel_name(channel), file_name(channel, frame.view_idx)))
            .collect();
        json!({
            "view": rig.views[frame.view_idx],
            "files": files,
            "view_from_world": rows(camera.view_from_world()),
            "clip_from_view": rows(camera.clip_from_view(1.0, near.max(distance * 1e-3), far)),
            "coverage": frame.coverage,
            "problems": frame.problems,
        })
    };
    json!({
        "asset": { "path": loaded.path.display().to_string(), "hash": loaded.hash },
        "protocol_hash": protocol.hash(),
        "protocol": protocol,
        "views_drawn_by_the_cpu_instead": num_stood_in,
        "normals": loaded.normals,
        "world_from_file": { "translate_first": (-bounds.center).to_array(), "then_scale": scale },
        "matrices": "row-major, column vectors; view space is x right, y up, looking along -z; clip z from 0 to w",
        "views": frames.iter().map(view).collect::<Vec<_>>(),
        "warnings": loaded.warnings,
        "timings_seconds": times,
    })
}

/// One folder name per asset: its stem, then `-2`, `-3` … where a stem comes again.
pub fn folder_names(assets: &[PathBuf]) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_that_come_again_get_numbers_and_never_collide() {
        let paths = ["a/chair.glb", "b/chair.obj", "c/chair-2.glb", "d/chair.glb"];
        let names = folder_names(&paths.map(PathBuf::from));
        assert_eq!(names, ["chair", "chair-2", "chair-2-2", "chair-3"]);
    }
}
