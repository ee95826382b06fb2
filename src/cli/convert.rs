//! `convert`: Gaussian splats in another encoding, and what it loses.

use super::draw_args::warn_of_asset;
use super::render::{refuse_input, write_file};
use super::words::several;
use super::{Exit, Printer};
use crate::error::Error;
use crate::load::{Choices, load_asset};
use crate::options::LoadOptions;
use crate::scene::Asset;
use clap::Args;
use meshjudge_splat::read::Loaded;
use meshjudge_splat::write::{Target, Written, write};
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge convert chair.ply chair.spz
  meshjudge convert chair.sog chair.glb
  meshjudge convert chair.ply upright.ply --up -z --front -y

Everything that the new encoding cannot keep is printed. Splats rotated by --up and --front are written rotated.")]
pub(super) struct ConvertArgs {
    /// Splats as .ply, .spz, .sog, .splat, .glb or .gltf
    #[arg(value_name = "SPLATS")]
    splats: PathBuf,

    /// The file to write: .ply (3DGS), .spz (version 3) or .glb (KHR_gaussian_splatting)
    #[arg(value_name = "OUT")]
    out: PathBuf,

    #[command(flatten)]
    load: LoadOptions,
}

pub(super) fn run(args: &ConvertArgs, printer: &Printer) -> Result<Exit, Error> {
    let ConvertArgs { splats: path, out, load } = args;
    refuse_input(path, out)?;
    let loaded = load_asset(path, &load.settings(), Choices::default())?;
    warn_of_asset(printer, path, &loaded.warnings);
    let splats = match &loaded.scene {
        Asset::Splats(splats) if splats.surfaces().is_none() => splats,
        _ => {
            return Err(Error::usage(format!(
                "convert is for Gaussian splats, and this asset has surfaces; convert it in the program that made it: {path:?}"
            )));
        }
    };
    let written = encode(splats.read(), out, printer)?;
    write_file(out, &written.bytes)?;
    let count = splats.read().splats.len();
    let (splats, format) = (several(count, "splat", "splats"), written.target.name());
    let bytes = written.bytes.len();
    let row = json!({
        "kind": "converted", "path": out, "format": written.target, "splats": count, "bytes": bytes,
        "hash": blake3::hash(&written.bytes).to_hex().to_string(), "losses": written.losses,
        "warnings": loaded.warnings,
    });
    printer.show(format!("{}: {splats} as {format}, {bytes} bytes", out.display()), [row]);
    Ok(Exit::Done)
}

/// Splats in the encoding that the file's extension names. Prints what that loses.
pub(super) fn encode(splats: &Loaded, out: &Path, printer: &Printer) -> Result<Written, Error> {
    let target = Target::of(out).ok_or_else(|| {
        Error::usage("a file of splats to write must end in .ply, .spz or .glb").at(out)
    })?;
    let written = write(splats, target).map_err(Error::usage)?;
    for loss in &written.losses {
        printer.note(&format!("lost: {loss}"));
    }
    Ok(written)
}
