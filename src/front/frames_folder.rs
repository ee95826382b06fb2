//! An asset's views as a folder of files: pictures and `frames.json`, which says how they were
//! drawn. A folder with it is whole.

use super::picture_format::PictureFormat;
use super::turntable::TURNTABLE;
use crate::ask::Drawing;
use crate::error::{Error, Kind};
use crate::load::{Loaded, Options};
use crate::render::{
    Background, Channel, Frame, FrameProblem, Renderer, StepLimits, Timings, draw_each,
};
use crate::rig::{Projection, Rig, TransformsStyle};
use crate::save::{NewFolder, file_names};
use crate::scene::{Asset, AssetRef};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const RECORD: &str = "frames.json";

/// The cameras as other tools read them.
const TRANSFORMS: &str = "transforms.json";

/// The drawing of one asset.
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
        self.frames
            .iter()
            .filter(|frame| !frame.problems.is_empty())
            .map(|frame| (frame.view_idx.to_string(), frame.problems.as_slice()))
            .collect()
    }
}

/// Draws every view of `loaded` into `folder`: `rgb_0.png`, `normal_0.png`, … or as the rig names
/// them, `frames.json` and `transforms.json`; then the views of each of the protocol's `setups`,
/// which `frames.json` lists by name. `load_time` is what loading took.
///
/// # Errors
/// A drawing that is impossible, a file that cannot be written.
pub fn draw_to_folder(
    loaded: &Loaded<Asset>,
    load: &Options,
    load_time: Duration,
    (drawing, setups): (&Drawing, &[(String, Drawing)]),
    format: PictureFormat,
    folder: &Path,
) -> Result<DrawnFolder, Error> {
    let names = Names::new(drawing, format);
    let earlier = earlier_files(loaded, folder)?;
    let failed = |e: std::io::Error| Error::cannot_write(Kind::Picture, e, folder);
    let made = &NewFolder::create(folder).map_err(failed)?;
    let write = |name: &str, bytes: &[u8]| {
        let written = made.write(name, bytes);
        written.map_err(|e| Error::cannot_write(Kind::Picture, e, folder.join(name)))
    };
    let start = Instant::now();
    let timings = Timings::default();
    let stood_in = || match &drawing.settings.renderer {
        Renderer::Gpu(gpu) => gpu.num_stood_in(),
        Renderer::Cpu => 0,
    };
    let stood_in_before = stood_in();
    let frames = draw_and_write(loaded, drawing, &names, &timings, &write)?;
    let mut of_setups = Vec::new();
    for (name, drawing) in setups {
        let names = Names::new(drawing, format);
        let frames = draw_and_write(loaded, drawing, &names, &timings, &write)?;
        of_setups.push(setup_record(loaded, load, (name, drawing), &names, &frames));
    }
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
    let mut record = record(loaded, load, drawing, &names, &frames, num_stood_in, &times);
    if !of_setups.is_empty() {
        record["setups"] = of_setups.into();
    }
    write(RECORD, format!("{record:#}").as_bytes())?;
    let transforms = transforms(loaded, drawing, &names);
    write(TRANSFORMS, format!("{transforms:#}").as_bytes())?;
    made.merge(&earlier, RECORD).map_err(failed)?;
    Ok(DrawnFolder { frames, total, times })
}

fn draw_and_write(
    loaded: &Loaded<Asset>,
    drawing: &Drawing,
    names: &Names<'_>,
    timings: &Timings,
    write: &Write<'_>,
) -> Result<Vec<Frame>, Error> {
    let Drawing { rig, settings } = drawing;
    let radius = rig.placement(&loaded.scene).radius;
    let written = draw_each(&loaded.scene, rig, settings, timings, |frame| {
        let start = Instant::now();
        let written = write_pictures(frame, names, radius, write);
        timings.encode.add(start.elapsed());
        written
    })?;
    written.into_iter().collect()
}

/// The files that an earlier drawing of this asset left, so that none stays among the new ones.
fn earlier_files(loaded: &Loaded<Asset>, folder: &Path) -> Result<Vec<String>, Error> {
    let Ok(text) = std::fs::read_to_string(folder.join(RECORD)) else {
        return Ok(Vec::new());
    };
    let earlier: Value = serde_json::from_str(&text).unwrap_or_default();
    let (path, hash) = (&earlier["asset"]["path"], &earlier["asset"]["hash"]);
    let is_other =
        path.is_string() && *path != loaded.path.display().to_string() && *hash != loaded.hash;
    if is_other {
        return Err(Error::rubric(format!(
            "the folder has pictures of another asset, {path}, which would be overwritten; choose another folder or remove it: {folder:?}"
        )));
    }
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let setups = list(&earlier["setups"]);
    let views = std::iter::once(&earlier).chain(&setups);
    let views: Vec<Value> = views.flat_map(|of| list(&of["views"])).collect();
    let files = views.iter().filter_map(|view| view["files"].as_object());
    let names = files.flat_map(|files| files.values()).filter_map(Value::as_str);
    // The record may be anybody's.
    let pictures = names.filter(|name| PictureFormat::is_picture(name));
    Ok(pictures.chain([TURNTABLE]).map(str::to_owned).collect())
}

/// Writes a file by its name within the folder.
type Write<'a> = dyn Fn(&str, &[u8]) -> Result<(), Error> + Sync + 'a;

/// Writes a frame's pictures and gives the frame back without them.
fn write_pictures(
    mut frame: Frame,
    names: &Names<'_>,
    radius: f64,
    write: &Write<'_>,
) -> Result<Frame, Error> {
    for (channel, image) in std::mem::take(&mut frame.images) {
        let (near, far) = names.rig.camera(frame.view_idx).near_and_far(radius);
        // The values at the ends of a view's 16-bit pictures.
        let limits = StepLimits { z: [near, far], position: [-radius, radius] };
        let bytes = match names.format_of(channel) {
            PictureFormat::Png => limits.to_png(channel, &image)?,
            format => format.encode(channel, &image)?,
        };
        write(&names.of(channel, frame.view_idx), &bytes)?;
    }
    Ok(frame)
}

/// Which file holds a picture.
struct Names<'a> {
    rig: &'a Rig,
    format: PictureFormat,
    has_alpha: bool,
}

impl<'a> Names<'a> {
    fn new(drawing: &'a Drawing, format: PictureFormat) -> Self {
        Self {
            rig: &drawing.rig,
            format,
            has_alpha: drawing.settings.background == Background::Transparent,
        }
    }

    fn format_of(&self, channel: Channel) -> PictureFormat {
        self.format.of(channel, self.has_alpha)
    }

    fn of(&self, channel: Channel, view_idx: usize) -> String {
        let view_name = &self.rig.views[view_idx].name;
        let name = self.rig.conventions.file_name(channel.name(), view_idx, view_name);
        match (self.format_of(channel), name.strip_suffix(".png")) {
            (PictureFormat::Png, _) | (_, None) => name,
            (format, Some(stem)) => format!("{stem}.{}", format.extension()),
        }
    }
}

/// The content of `frames.json`.
fn record(
    loaded: &Loaded<Asset>,
    load: &Options,
    drawing: &Drawing,
    names: &Names<'_>,
    frames: &[Frame],
    num_stood_in: usize,
    times: &Value,
) -> Value {
    let protocol = drawing.protocol(load);
    let placement = drawing.rig.placement(&loaded.scene);
    json!({
        "asset": { "path": loaded.path.display().to_string(), "hash": loaded.hash },
        "protocol_hash": protocol.hash(),
        "protocol": protocol,
        "views_drawn_by_the_cpu_instead": num_stood_in,
        "normals": loaded.normals,
        "world_from_file": { "translate_first": (-(AssetRef::from(&loaded.scene).origin() + placement.center)).to_array(), "then_scale": placement.scale },
        "position_limits": [-placement.radius, placement.radius],
        "sixteen_bits": "z and expected-z: 0 is nothing, 1 to 65535 go from the first of z_limits to the second; position: 0 to 65535 go from the first of position_limits to the second, alpha is 0 where nothing is; uv: 0 to 65535 go from 0 to 1, whole turns left out",
        "matrices": "row-major, column vectors; view space is x right, y up, looking along -z; clip z from 0 to w",
        "views": view_records(loaded, drawing, names, frames),
        "warnings": loaded.warnings,
        "timings_seconds": times,
    })
}

/// The views of a drawing: cameras, files, and data about the pictures.
fn view_records(
    loaded: &Loaded<Asset>,
    Drawing { rig, settings }: &Drawing,
    names: &Names<'_>,
    frames: &[Frame],
) -> Vec<Value> {
    let placement = rig.placement(&loaded.scene);
    let aspect = f64::from(settings.width_px) / f64::from(settings.height_px);
    let view = |frame: &Frame| {
        let camera = rig.camera(frame.view_idx);
        let (near, far) = camera.near_and_far(placement.radius);
        let rows = |m: glam::DMat4| (0..4).map(|r| m.row(r).to_array()).collect::<Vec<_>>();
        let files: BTreeMap<_, _> = settings
            .channels
            .iter()
            .map(|&channel| (channel.name(), names.of(channel, frame.view_idx)))
            .collect();
        json!({
            "view": rig.views[frame.view_idx],
            "files": files,
            "view_from_world": rows(camera.view_from_world()),
            "clip_from_view": rows(camera.clip_from_view(aspect, near, far)),
            "z_limits": [near, far],
            "coverage": frame.coverage,
            "problems": frame.problems,
        })
    };
    frames.iter().map(view).collect()
}

/// The entry of a set-up in `frames.json`.
fn setup_record(
    loaded: &Loaded<Asset>,
    load: &Options,
    (name, drawing): (&str, &Drawing),
    names: &Names<'_>,
    frames: &[Frame],
) -> Value {
    let protocol = drawing.protocol(load);
    json!({
        "name": name,
        "background": protocol.background,
        "light": protocol.light,
        "environment": protocol.environment,
        "protocol_hash": protocol.hash(),
        "views": view_records(loaded, drawing, names, frames),
    })
}

/// The content of `transforms.json`: camera to world in OpenGL axes, in a world whose z points up
/// and whose front is −y, as Blender's and NeRF's. Positions are those of the placed asset.
fn transforms(
    loaded: &Loaded<Asset>,
    Drawing { rig, settings }: &Drawing,
    names: &Names<'_>,
) -> Value {
    let placement = rig.placement(&loaded.scene);
    let (width, height) = (f64::from(settings.width_px), f64::from(settings.height_px));
    let frame = |idx: usize| {
        let camera = rig.camera(idx);
        let z_up = |v: glam::DVec3| [v.x, -v.z, v.y];
        let columns = [camera.right, camera.up, camera.back, camera.position()].map(z_up);
        let row = |r: usize| columns.map(|column| column[r]);
        let [x, y] = camera.lens.principal_point;
        let mut frame = json!({
            "file_path": settings.channels.first().map(|&channel| names.of(channel, idx)),
            "transform_matrix": [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]],
            "cx": x * width,
            "cy": y * height,
        });
        match camera.projection {
            Projection::Perspective { fov_y_degrees, .. } => {
                let focal_y = height / 2.0 / libm::tan(fov_y_degrees.to_radians() / 2.0);
                let focal_x = focal_y * camera.lens.focal_ratio;
                let angle = |edge: f64, focal: f64| 2.0 * libm::atan(edge / 2.0 / focal);
                frame["fl_x"] = focal_x.into();
                frame["fl_y"] = focal_y.into();
                frame["camera_angle_x"] = angle(width, focal_x).into();
                frame["camera_angle_y"] = angle(height, focal_y).into();
            }
            Projection::Orthographic { half_height } => {
                frame["proj_type"] = 1.into();
                frame["ortho_scale"] =
                    (2.0 * half_height * width / height / camera.lens.focal_ratio).into();
            }
        }
        frame
    };
    let mut frames: Vec<Value> = (0..rig.views.len()).map(frame).collect();
    let offset = -placement.center * placement.scale;
    let mut file = json!({ "w": settings.width_px, "h": settings.height_px });
    // Data common to all views is written once, at the place where every reader looks for it.
    for key in
        ["camera_angle_x", "camera_angle_y", "fl_x", "fl_y", "cx", "cy", "proj_type", "ortho_scale"]
    {
        let first = frames[0][key].clone();
        if !first.is_null() && frames.iter().all(|frame| frame[key] == first) {
            file[key] = first;
            for frame in &mut frames {
                frame.as_object_mut().map(|frame| frame.shift_remove(key));
            }
        }
    }
    if rig.conventions.transforms == TransformsStyle::Trellis {
        file["aabb"] = json!([[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]]);
        file["scale"] = placement.scale.into();
        file["offset"] = json!([offset.x, -offset.z, offset.y]);
        // Each frame has its angle of its own in that project's files.
        let angle = file["camera_angle_x"].clone();
        for frame in frames.iter_mut().filter(|_| !angle.is_null()) {
            frame["camera_angle_x"] = angle.clone();
        }
    } else {
        file["asset"] = json!({ "scale": placement.scale, "offset": offset.to_array() });
    }
    file["frames"] = frames.into();
    file
}

/// One folder name per asset, after its stem.
pub fn folder_names(assets: &[PathBuf]) -> Vec<String> {
    let stems: Vec<_> = assets
        .iter()
        .map(|asset| asset.file_stem().unwrap_or_default().to_string_lossy())
        .collect();
    file_names(stems.iter().map(AsRef::as_ref))
}
