//! `sample`: points on an asset's surface as a PLY or NumPy file.

use super::draw_args::warn_of_asset;
use super::render::{refuse_input, write_file};
use super::words::percent;
use super::{Exit, Printer};
use crate::error::Error;
use crate::front::{points_as_npy, points_as_ply};
use crate::metrics::{NoColor, PointFrame, colored_points};
use crate::options::{LoadOptions, PointOptions};
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

    /// The file to write, .ply or .npy
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    #[command(flatten)]
    points: PointOptions,

    #[command(flatten)]
    load: LoadOptions,
}

pub(super) fn run(args: &SampleArgs, printer: &Printer) -> Result<Exit, Error> {
    let SampleArgs { asset, out, points, load } = args;
    let extension = out.extension().unwrap_or_default().to_ascii_lowercase();
    if extension != "ply" && extension != "npy" {
        return Err(Error::usage("--out must end in .ply or .npy").at(out));
    }
    refuse_input(asset, out)?;
    let settings = points.settings(PointFrame::File);
    let loaded = crate::load::load(asset, &load.settings())?;
    warn_of_asset(printer, asset, &loaded.warnings);
    let cloud = colored_points(&loaded.scene, &settings)?;
    if cloud.num_without_color > 0 {
        let share = percent(cloud.num_without_color as f64 / settings.count as f64);
        let color = match settings.no_color {
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
    let (definition, count) = (settings.hash(), settings.count);
    let text = format!("{}: {count} points, definition {}", out.display(), &definition[..12]);
    let row = serde_json::json!({
        "kind": "points", "path": out, "asset": loaded.hash, "points": count,
        "without_color": cloud.num_without_color, "settings": settings, "definition": definition,
    });
    printer.show(text, [row]);
    Ok(Exit::Done)
}
