//! `measure`: assets or pictures against references, as numbers with their definitions; without a
//! reference the facts of `inspect`.

use super::draw_args::warn_of_asset;
use super::global::ThreadsArgs;
use super::measure_features::{FeatureArgs, measure_features};
use super::measure_text::{Line, by_channel, caveats, mean_of, one, table};
use super::render::write_file;
use super::{Exit, Printer};
use crate::error::{Error, Kind};
use crate::front::{Pair, files_of, folder_names, has_extension, pair_up};
use crate::load::{EXTENSIONS, LoadError, Loaded, NormalsPolicy, Options, load};
use crate::metrics::{
    CompareSettings, Definition, ErrorMap, Ground, Metric, Picture, PictureMetric, PictureValue,
    Reference, compare_pictures,
};
use crate::options::{CompareOptions, LoadOptions, choice};
use crate::render::{Channel, Image};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

const EXAMPLE: &str = "Examples:
  meshjudge measure chair.glb --reference scan.ply --align search
  meshjudge measure out/ours --reference scans --metrics cd_l1_half,f@0.02,iou --json
  meshjudge measure chair.glb --reference scan.ply --error-maps errors
  meshjudge measure pictures/ours --reference pictures/true --background black
  meshjudge measure a.glb b.glb --features clip.toml --image chair.png

Assets: acc, comp, acc2, comp2, cd_l1_half, cd_l1_sum, cd_l2_half, cd_l2_sum, cd_l2_total, hausdorff, hausdorff_q50 (q90, q95, q99), precision@T, recall@T, f@T, f_le@T, nc, nc_signed, asymmetry (each also between samples only: cd_l1_half_pp, f_pp@T); iou, volume_ratio, emd, cd_manhattan, edge_cd_l1_sum, edge_cd_l2_sum, edge_f@T.
Pictures: mse, psnr, psnr_union, psnr_inside, ssim, ssim_union, ssim_uniform7, ssim_reflect, ssim_zero, mask_iou. Masks are alpha, or mask_0.png next to rgb_0.png.
docs/METRICS.md gives each formula.";

/// Lower-case extensions of pictures.
const PICTURES: [&str; 4] = ["png", "jpg", "jpeg", "webp"];

/// One surface from one side on a picture of errors, which has four.
const MAP_TILE_PX: u32 = 512;

#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct MeasureArgs {
    /// Assets, or pictures, or folders of either
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,

    /// The reference: a file, or a folder with a file of the same name for each result. Without it:
    /// the facts of `inspect`
    #[arg(long, value_name = "PATH")]
    reference: Option<PathBuf>,

    /// Names of metrics, or all [default: the usual ones]
    #[arg(long, value_delimiter = ',', value_name = "LIST", requires = "reference")]
    metrics: Vec<String>,

    #[command(flatten)]
    compare: CompareOptions,

    /// Background of transparent pictures
    #[arg(long, value_name = "COLOR", default_value = "white", requires = "reference", value_parser = choice::<Ground>())]
    background: Ground,

    /// Write a picture of each asset's differences from its reference into this folder
    #[arg(long, value_name = "DIR", requires = "reference")]
    error_maps: Option<PathBuf>,

    #[command(flatten)]
    threads: ThreadsArgs,

    #[command(flatten)]
    load: LoadOptions,

    #[command(flatten)]
    models: FeatureArgs,
}

pub(super) fn run(args: &MeasureArgs, printer: &Printer) -> Result<Exit, Error> {
    let Some(reference) = &args.reference else {
        let assets = files_of(&args.results, &EXTENSIONS)?;
        if let Some(file) = &args.models.features {
            let load = args.load.settings();
            return measure_features(&args.models, file, &assets, &load, printer);
        }
        return super::inspect::inspect(&assets, &args.load, None, printer);
    };
    if is_of_pictures(&args.results[0]) {
        let pairs = pair_up(&args.results, reference, &PICTURES)?;
        return of_pictures(args, &pairs, printer);
    }
    let pairs = pair_up(&args.results, reference, &EXTENSIONS)?;
    of_assets(args, &pairs, printer)
}

/// Whether it is a picture, or a folder of pictures without assets.
fn is_of_pictures(path: &Path) -> bool {
    let paths = [path.to_path_buf()];
    if path.is_dir() {
        files_of(&paths, &EXTENSIONS).is_err() && files_of(&paths, &PICTURES).is_ok()
    } else {
        has_extension(path, &PICTURES)
    }
}

impl MeasureArgs {
    fn settings(&self) -> Result<CompareSettings, Error> {
        let names = match &self.metrics[..] {
            [] => return Ok(self.compare.settings(None)),
            [all] if all == "all" => &all_metrics(),
            names => names,
        };
        let metrics = names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
        Ok(self.compare.settings(Some(metrics)))
    }
}

/// Every name in both forms; those with a threshold at 0.01, 0.02 and 0.05.
fn all_metrics() -> Vec<String> {
    let forms = Metric::names().flat_map(|name| [name.to_owned(), format!("{name}_pp")]);
    let spelt = forms.flat_map(|form| {
        let with = ["", "@0.01", "@0.02", "@0.05"];
        with.map(|threshold| format!("{form}{threshold}"))
    });
    spelt.filter(|name| name.parse::<Metric>().is_ok()).collect()
}

/// The reference read last, so that one for all results is read once.
struct Kept {
    path: PathBuf,
    hash: String,
    reference: Reference,
}

impl Kept {
    fn read(
        path: &Path,
        options: &Options,
        settings: &CompareSettings,
        printer: &Printer,
    ) -> Result<Self, Error> {
        let read = load(path, options)?;
        warn_of_asset(printer, path, &read.warnings);
        Ok(Self {
            reference: Reference::new(&read.scene, settings)
                .map_err(|e| Error::usage(format!("{e}: {path:?}")))?,
            path: path.to_path_buf(),
            hash: read.hash,
        })
    }
}

fn of_assets(args: &MeasureArgs, pairs: &[Pair], printer: &Printer) -> Result<Exit, Error> {
    let settings = args.settings()?;
    let definitions = settings.metrics.iter().map(|metric| {
        let definition = Definition::of(metric, &settings);
        json!({ "definition": definition, "hash": definition.hash() })
    });
    printer.show("", definitions);
    let mut options = args.load.settings();
    if args.load.normals.is_none() {
        // No metric reads vertex normals, and computing missing ones took a quarter of the time.
        options.normals = NormalsPolicy::Flat;
    }
    let map_files: Vec<PathBuf> = match &args.error_maps {
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .map_err(|e| Error::cannot_write(Kind::Usage, e, folder))?;
            let paths: Vec<PathBuf> = pairs.iter().map(|(path, _)| path.clone()).collect();
            let names = folder_names(&paths).into_iter();
            names.map(|name| folder.join(name + ".png")).collect()
        }
        None => Vec::new(),
    };
    let printer = printer.with_progress(pairs.len() as u64, "measuring");
    let mut lines: Vec<Line> = Vec::new();
    let mut failed = 0;
    // The next result is read while this one is measured; at most two wait, to bound memory.
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(1);
        scope.spawn(move || {
            for (idx, (path, _)) in pairs.iter().enumerate() {
                if sender.send((idx, load(path, &options))).is_err() {
                    return;
                }
            }
        });
        // Parallel to the first result; errors here occur again below and are reported there.
        let mut kept = pairs
            .first()
            .and_then(|(_, reference)| reference.as_ref())
            .and_then(|path| Kept::read(path, &options, &settings, &printer).ok());
        let mut measure = |idx: usize, loaded: Result<Loaded, LoadError>| {
            let (path, reference) = &pairs[idx];
            let reference = with_reference(path, reference)?;
            if kept.as_ref().is_none_or(|kept| kept.path != *reference) {
                kept = Some(Kept::read(reference, &options, &settings, &printer)?);
            }
            let Some(kept) = &kept else { return Ok(()) };
            let loaded = loaded?;
            warn_of_asset(&printer, path, &loaded.warnings);
            let compared = kept
                .reference
                .compare(&loaded.scene)
                .map_err(|e| Error::usage(format!("{e}: {path:?}")))?;
            for caveat in caveats(&compared) {
                printer.warn(&format!("{caveat}: {:?}", path.display().to_string()));
            }
            let mut row = json!({
                "path": path.display().to_string(),
                "hash": loaded.hash,
                "reference": { "path": kept.path.display().to_string(), "hash": kept.hash },
                "comparison": compared,
            });
            let mut text = String::new();
            if let Some(file) = map_files.get(idx) {
                let map = kept.reference.error_map(&loaded.scene, MAP_TILE_PX)?;
                let scale = ErrorMap::common_scale([&map]);
                write_file(file, &map.picture(scale).to_png()?)?;
                let file = file.display().to_string();
                text += &format!("errors from 0 to {scale}  {file}\n");
                row["error_map"] = json!({ "path": file, "scale": scale });
            }
            if pairs.len() == 1 {
                text += &one(path, &kept.path, &compared, &settings);
            }
            printer.show(text, [row]);
            lines.push(Line {
                name: path.display().to_string(),
                values: compared.values.iter().map(|v| v.value).collect(),
                channel: None,
            });
            Ok::<(), Error>(())
        };
        for (idx, loaded) in receiver {
            if let Err(failure) = measure(idx, loaded) {
                failed += 1;
                printer.input_error(&pairs[idx].0, &failure);
            }
            printer.step();
        }
    });
    printer.finish();
    let names: Vec<String> = settings.metrics.iter().map(Metric::to_string).collect();
    Ok(finish(&names, &lines, failed, pairs.len(), &printer))
}

fn with_reference<'a>(path: &Path, reference: &'a Option<PathBuf>) -> Result<&'a PathBuf, Error> {
    reference
        .as_ref()
        .ok_or_else(|| Error::usage("the folder of references has no file with this name").at(path))
}

/// The table and the means, if there are several, and how it went.
fn finish(
    names: &[String],
    lines: &[Line],
    failed: usize,
    total: usize,
    printer: &Printer,
) -> Exit {
    if total > 1 && !lines.is_empty() {
        let mut means = Vec::new();
        for (channel, lines) in by_channel(lines) {
            means.extend(names.iter().enumerate().map(|(k, name)| {
                let (mean, count) = mean_of(&lines, k);
                json!({ "channel": channel, "metric": name, "mean": mean, "of": count, "without_value": lines.len() - count })
            }));
        }
        printer.show(table(names, lines), [json!({ "means": means, "failed": failed })]);
    }
    Exit::of_inputs(failed, total)
}

fn of_pictures(args: &MeasureArgs, pairs: &[Pair], printer: &Printer) -> Result<Exit, Error> {
    let metrics: Vec<PictureMetric> = match &args.metrics[..] {
        names if names.is_empty() || names == ["all"] => PictureMetric::all().collect(),
        names => (names.iter()).map(|name| name.parse()).collect::<Result<_, _>>()?,
    };
    let definitions = metrics.iter().map(|metric| {
        let definition = metric.definition(args.background);
        json!({ "definition": definition, "hash": definition.hash() })
    });
    printer.show("", definitions);
    let is_mask = |path: &Path| picture_of_mask(path).is_some_and(|picture| picture.exists());
    let pairs: Vec<&Pair> = pairs.iter().filter(|(path, _)| !is_mask(path)).collect();
    let printer = printer.with_progress(pairs.len() as u64, "measuring");
    let names: Vec<String> = metrics.iter().map(PictureMetric::to_string).collect();
    let (mut lines, mut failed) = (Vec::new(), 0);
    for (path, reference) in &pairs {
        let measured = || -> Result<(PathBuf, Vec<PictureValue>), Error> {
            let reference = with_reference(path, reference)?;
            let [a, b] = [read_picture(path)?, read_picture(reference)?];
            let values = compare_pictures(&a, &b, &metrics, args.background)
                .map_err(|e| Error::usage(format!("{e}: {path:?}")))?;
            Ok((reference.clone(), values))
        };
        match measured() {
            Ok((reference, values)) => {
                let [name, reference] = [path, &reference].map(|it| it.display().to_string());
                let row = json!({
                    "path": name, "reference": { "path": reference }, "values": values,
                });
                let values = values.iter().map(|v| v.value).collect();
                lines.push(Line { name, values, channel: channel_of(path) });
                let text = if pairs.len() == 1 { table(&names, &lines) } else { String::new() };
                printer.show(text, [row]);
            }
            Err(failure) => {
                failed += 1;
                printer.input_error(path, &failure);
            }
        }
        printer.step();
    }
    printer.finish();
    Ok(finish(&names, &lines, failed, pairs.len(), &printer))
}

/// What a picture that `render` has written shows: `normal` of `normal_0.png`.
fn channel_of(path: &Path) -> Option<&'static str> {
    let (name, _) = path.file_stem()?.to_str()?.rsplit_once('_')?;
    Channel::ALL.iter().map(|channel| channel.name()).find(|known| *known == name)
}

/// `rgb_0.png` of `mask_0.png`, as `render` names them.
fn picture_of_mask(path: &Path) -> Option<PathBuf> {
    let number = path.file_name()?.to_str()?.strip_prefix("mask_")?;
    Some(path.with_file_name(format!("rgb_{number}")))
}

fn read_picture(path: &Path) -> Result<Picture, Error> {
    let open = |path: &Path| -> Result<Image, Error> {
        let bytes =
            std::fs::read(path).map_err(|e| Error::cannot_read(Kind::Usage, "picture", e, path))?;
        Image::decode(&bytes).map_err(|e| Error::from(e).at(path))
    };
    let name = path.file_name().and_then(|name| name.to_str());
    let mask = name
        .and_then(|name| Some(name.split_once('_')?.1))
        .map(|rest| path.with_file_name(format!("mask_{rest}")))
        .filter(|mask| mask != path && mask.exists());
    let mask = mask.map(|mask| open(&mask)).transpose()?;
    Picture::composited(&open(path)?, mask.as_ref()).map_err(|e| Error::usage(e).at(path))
}
