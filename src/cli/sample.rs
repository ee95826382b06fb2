//! `sample`: points on an asset's surface as a PLY or NumPy file.

use super::choice::{NO_COLORS, POINT_FRAMES, UP_AXES, choice};
use super::draw_args::warn_of_asset;
use super::global::LoadArgs;
use super::render::{refuse_input, write_file};
use super::words::percent;
use super::{Exit, Printer};
use crate::error::Error;
use crate::front::{points_as_npy, points_as_ply};
use crate::load::load;
use crate::metrics::{NoColor, PointFrame, PointSettings, UpAxis, colored_points};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge sample chair.glb --points 10000 --out chair.npy --frame mean-radius
  meshjudge sample chair.glb --points 100000 --seed 1 --out chair.ply

The same asset and flags give the same points in the same order on every machine. .npy has float64 rows of x, y, z, the normal, and red, green, blue from 0 to 1.")]
pub(super) struct SampleArgs {
    /// The asset
    #[arg(value_name = "ASSET")]
    asset: PathBuf,

    /// Number of points
    #[arg(id = "count", long = "points", value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=PointSettings::COUNT_MAX as u64))]
    count: u64,

    /// Random seed of the points
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// The file to write, .ply or .npy
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// Coordinates as in the file, or with the mean at the origin and the farthest point at radius
    /// 1
    #[arg(long, value_name = "FRAME", default_value = "file", value_parser = choice::<PointFrame>(POINT_FRAMES))]
    frame: PointFrame,

    /// y up, or y and z exchanged without a sign (a mirror, used to train OpenShape's bigG models)
    #[arg(long, value_name = "AXIS", default_value = "y", value_parser = choice::<UpAxis>(UP_AXES))]
    network_up: UpAxis,

    /// Colour of surfaces that have none: 102 of 255, or white; flashvdm: 100 of 255 for all points
    #[arg(long, value_name = "COLOR", default_value = "grey", value_parser = choice::<NoColor>(NO_COLORS))]
    no_color: NoColor,

    #[command(flatten)]
    load: LoadArgs,
}

pub(super) fn run(args: &SampleArgs, printer: &Printer) -> Result<Exit, Error> {
    let SampleArgs { asset, count, seed, out, frame, network_up, no_color, load: _ } = args;
    let extension = out.extension().unwrap_or_default().to_ascii_lowercase();
    if extension != "ply" && extension != "npy" {
        return Err(Error::usage("--out must end in .ply or .npy").at(out));
    }
    refuse_input(asset, out)?;
    let settings = PointSettings {
        count: *count as usize,
        seed: *seed,
        frame: *frame,
        up: *network_up,
        no_color: *no_color,
    };
    let loaded = load(asset, &args.load.options())?;
    warn_of_asset(printer, asset, &loaded.warnings);
    let cloud = colored_points(&loaded.scene, &settings)?;
    if cloud.num_without_color > 0 {
        let share = percent(cloud.num_without_color as f64 / settings.count as f64);
        let color = match no_color {
            NoColor::Grey => "grey, 102 of 255",
            NoColor::White => "white",
            NoColor::Flashvdm => "grey, 100 of 255, like all others",
        };
        printer.note(&format!(
            "{share} of the points are on surfaces without a colour and got {color} (--no-color)"
        ));
    }
    let bytes = match extension == "ply" {
        true => points_as_ply(&cloud, &settings),
        false => points_as_npy(&cloud),
    };
    write_file(out, &bytes)?;
    printer.row(&serde_json::json!({
        "kind": "points", "path": out, "asset": loaded.hash, "points": settings.count,
        "without_color": cloud.num_without_color, "settings": settings, "definition": settings.hash(),
    }));
    let definition = &settings.hash()[..12];
    printer.result(&format!("{}: {count} points, definition {definition}", out.display()));
    Ok(Exit::Done)
}
