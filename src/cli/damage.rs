//! `damage`: writes an asset made worse in one known way: as a GLB, of splats also as PLY or SPZ.

use super::convert::encode;
use super::render::{refuse_input, write_file};
use super::words::columns;
use super::{Exit, Printer};
use crate::damage::{
    DamageError, DamageKind, Damaged, all_kinds, damage, damage_case, damage_splats, kind,
};
use crate::error::Error;
use crate::load::{Choices, load_asset};
use crate::objects;
use crate::options::LoadOptions;
use crate::save::{SaveOptions, glb};
use crate::scene::{Asset, one_of};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:
  meshjudge damage list
  meshjudge damage chair.glb --kind holes --level 0.5 --out chair_holes.glb
  meshjudge damage chair.glb --kind text --out chair_words.glb --seed 3
  meshjudge damage chair.spz --kind splat-needles --out chair_needles.spz
  meshjudge damage scene:three-red-balls --kind wrong-count --level 1 --out balls.glb

The same asset, kind, level and seed give the same bytes on every machine. A higher level gives more of the same damage."
)]
pub(super) struct DamageArgs {
    #[command(subcommand)]
    pub verb: Option<Verb>,

    /// The asset, or a built-in one: base:chair, scene:three-red-balls (`list` names them)
    #[arg(required = true, value_name = "ASSET")]
    pub asset: Option<PathBuf>,

    /// Kind of damage
    #[arg(long, value_name = "KIND", required = true, value_parser = known)]
    pub kind: Option<&'static DamageKind>,

    /// Level of damage, from 0 (none) to 1
    #[arg(long, value_name = "LEVEL", default_value_t = 0.5)]
    pub level: f32,

    /// Random seed, which decides the places of the damage
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// The GLB to write; of splats also .ply or .spz
    #[arg(long, short, value_name = "FILE", required = true)]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub load: LoadOptions,
}

#[derive(Debug, Clone, Subcommand)]
pub(super) enum Verb {
    /// List all kinds, the criteria that each should lower and must not change, and the built-in
    /// assets
    List,
}

fn known(name: &str) -> Result<&'static DamageKind, String> {
    kind(name).ok_or_else(|| one_of(name, all_kinds().map(|kind| kind.name)))
}

/// The bytes of the damaged asset and the amount of its damage.
fn done(
    asset: &Path,
    kind: &DamageKind,
    out: &Path,
    args: &DamageArgs,
    printer: &Printer,
) -> Result<(Vec<u8>, f64), Error> {
    let (level, seed) = (args.level, args.seed);
    let failed = |e: DamageError| Error::from(e).at(asset);
    let as_glb = |done: Damaged| -> Result<_, Error> {
        if !out.extension().is_none_or(|it| it.eq_ignore_ascii_case("glb")) {
            return Err(Error::usage(format!(
                "damaged meshes are written as .glb; give a name with that extension: {out:?}"
            )));
        }
        Ok((glb(&done.scene, SaveOptions::default())?, done.amount))
    };
    let name = asset.to_string_lossy();
    if let Some(name) = name.strip_prefix("scene:") {
        let case = objects::scenes::case(name).ok_or_else(|| {
            let known = objects::scenes::cases().iter().map(|case| case.name);
            Error::usage(format!("{name:?} is not a built-in scene; {}", one_of(name, known)))
        })?;
        return as_glb(damage_case(case, kind, level, seed).map_err(failed)?);
    }
    let scene = match name.strip_prefix("base:") {
        Some(name) => objects::named(name)
            .ok_or_else(|| {
                let known = objects::all().iter().map(|object| object.name.as_str());
                Error::usage(format!("{name:?} is not a built-in object; {}", one_of(name, known)))
            })?
            .make()
            .into(),
        None if !asset.exists() && objects::named(&name).is_some() => {
            return Err(Error::usage(format!(
                "there is no file {name:?}; the built-in object is base:{name}"
            )));
        }
        None => load_asset(asset, &args.load.settings(), Choices::default())?.scene,
    };
    match &scene {
        Asset::Mesh(scene) => as_glb(damage(scene, kind, level, seed).map_err(failed)?),
        Asset::Splats(splats) => {
            let done = damage_splats(splats, kind, level, seed).map_err(failed)?;
            Ok((encode(done.scene.read(), out, printer)?.bytes, done.amount))
        }
    }
}

pub(super) fn run(args: &DamageArgs, printer: &Printer) -> Result<Exit, Error> {
    if let Some(Verb::List) = args.verb {
        list(printer);
        return Ok(Exit::Done);
    }
    let (Some(asset), Some(kind), Some(out)) = (&args.asset, args.kind, &args.out) else {
        return Err(Error::usage("give an asset, --kind and --out"));
    };
    refuse_input(asset, out)?;
    let (bytes, amount) = done(asset, kind, out, args, printer)?;
    write_file(out, &bytes)?;
    let row = json!({
        "kind": "damaged", "path": out, "damage": kind.name, "level": args.level, "seed": args.seed,
        "amount": amount, "measure": kind.measure, "lowers": kind.lowers, "spares": kind.spares,
        "hash": blake3::hash(&bytes).to_hex().to_string(),
    });
    let (path, says, measure) = (out.display(), kind.says, kind.measure);
    printer.show(format!("{path}: {says}; {measure} {amount:.4}"), [row]);
    Ok(Exit::Done)
}

fn list(printer: &Printer) {
    let heads = ["kind", "should lower", "must not change", "what it does"];
    let (mut table, mut rows) = (vec![heads.map(str::to_owned)], Vec::new());
    for kind in all_kinds() {
        rows.push(json!({
            "kind": "damage", "name": kind.name, "family": kind.family, "says": kind.says, "measure": kind.measure,
            "lowers": kind.lowers, "spares": kind.spares, "visible": kind.is_visible, "category": kind.category(), "splats": kind.is_for_splats(),
        }));
        let or_none = |list: &[&str]| {
            if list.is_empty() { "-".to_owned() } else { list.join(", ") }
        };
        table.push([
            kind.name.to_owned(),
            or_none(kind.lowers),
            or_none(kind.spares),
            kind.says.to_owned(),
        ]);
    }
    let mut text = columns(&table);
    let objects: Vec<String> =
        objects::all().iter().map(|object| format!("base:{}", object.name)).collect();
    text += &format!("\nbuilt-in objects: {}\n", objects.join(", "));
    text += "built-in scenes, each for the kinds of its category:\n";
    for objects::scenes::Case { category, name, prompt, .. } in objects::scenes::cases() {
        rows.push(json!({ "kind": "scene", "name": name, "category": category, "prompt": prompt }));
        text += &format!("  {category:<14} scene:{name}, {prompt:?}\n");
    }
    printer.show(text, rows);
}
