//! `check`: assets against the limits of a profile; exit code 1 unless all are ready.

use super::draw_args::warn_of_asset;
use super::global::ThreadsArgs;
use super::words::several;
use super::{Exit, Printer};
use crate::check::{
    CheckOptions, Checked, Profile, State, ValidatorReport, check, is_ready, metres, not_measured,
};
use crate::error::Error;
use crate::load::{LoadError, Options, Warning, load};
use crate::options::LoadOptions;
use crate::report::text_table;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "Examples:
  meshjudge check chair.glb --profile game
  meshjudge check out/*.stl --profile print --unit mm
  meshjudge check out/*.glb --profile limits.toml --json

The exit code is 0 if every asset is ready, else 1. A limit whose figure an asset lacks is not measured, which is not a pass. These checks find files that cannot be used; they say little about quality. docs/METRICS.md lists the figures and shows a profile.";

#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct CheckArgs {
    /// Assets: .glb, .gltf, .obj, .ply, .stl
    #[arg(required = true, value_name = "ASSET")]
    assets: Vec<PathBuf>,

    /// game, web, print, vrchat, 3d-commerce, or a .toml file
    #[arg(long, value_name = "PROFILE")]
    profile: String,

    /// Unit of the files: mm, cm, m or in [default: that of the format, else that of the profile]
    #[arg(long, value_name = "UNIT", value_parser = metres)]
    unit: Option<f64>,

    /// The Khronos glTF Validator's JSON report of the asset, or a folder of reports
    #[arg(long, value_name = "PATH")]
    report: Option<PathBuf>,

    #[command(flatten)]
    load: LoadOptions,

    #[command(flatten)]
    threads: ThreadsArgs,
}

/// One asset, checked.
struct Outcome {
    hash: String,
    limits: Vec<Checked>,
    warnings: Vec<Warning>,
}

pub(super) fn run(args: &CheckArgs, printer: &Printer) -> Result<Exit, Error> {
    let profile = Profile::open(&args.profile)?;
    let options = args.load.settings();
    let at_once = rayon::current_num_threads().max(1);
    let printer = printer.with_progress(args.assets.len() as u64, "checking");
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut num_ready = 0;
    for paths in args.assets.chunks(at_once) {
        let checked: Vec<_> = parallel::map(paths, |path| one(path, &profile, &options, args));
        for (path, outcome) in paths.iter().zip(checked) {
            match outcome {
                Ok(outcome) => {
                    num_ready += usize::from(is_ready(&outcome.limits));
                    lines.push(line(path, &outcome.limits));
                    show(path, &outcome, &profile, args.assets.len() > 1, &printer);
                }
                Err(failure) => {
                    lines.push(vec![path.display().to_string(), "unreadable".to_owned()]);
                    printer.input_error(path, &failure);
                }
            }
            printer.step();
        }
    }
    printer.finish();
    let total = args.assets.len();
    if total > 1 {
        let heads =
            ["asset", "verdict", "failed", "warnings", "not measured", "limits that failed"];
        let mut rows = vec![heads.map(str::to_owned).to_vec()];
        lines.iter_mut().for_each(|line| line.resize(heads.len(), String::new()));
        rows.append(&mut lines);
        let (table, name) = (text_table(&rows), &profile.name);
        printer.show(format!("{table}\nready for {name}: {num_ready} of {total}"), []);
    }
    Ok(if num_ready == total { Exit::Done } else { Exit::SomeFailed })
}

fn one(
    path: &Path,
    profile: &Profile,
    options: &Options,
    args: &CheckArgs,
) -> Result<Outcome, Error> {
    let report = args.report.as_deref().map(|report| ValidatorReport::open(report, path));
    let report = report.transpose()?;
    let loaded = match load(path, options) {
        Err(LoadError::NoSurface { what, .. }) => {
            let limits = not_measured(profile, &format!("it is {what}"));
            return Ok(Outcome { hash: String::new(), limits, warnings: Vec::new() });
        }
        loaded => loaded?,
    };
    let file_bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    let check_options = CheckOptions { metres_per_unit: args.unit, report: report.as_ref() };
    let limits = check(&loaded, file_bytes, profile, &check_options);
    Ok(Outcome { hash: loaded.hash, limits, warnings: loaded.warnings })
}

/// The row and the broken limits; passed limits are only counted.
fn show(path: &Path, outcome: &Outcome, profile: &Profile, is_short: bool, printer: &Printer) {
    let Outcome { hash, limits, warnings } = outcome;
    warn_of_asset(printer, path, warnings);
    let (path, ready) = (path.display().to_string(), is_ready(limits));
    let Profile { name, hash: profile_hash, .. } = profile;
    let row = json!({
        "path": path, "hash": hash, "profile": name, "profile_hash": profile_hash, "ready": ready, "limits": limits,
    });
    // Of many assets, the table has the rest.
    if is_short && ready {
        return printer.show("", [row]);
    }
    let verdict = if ready { "ready" } else { "not ready" };
    let passed = limits.iter().filter(|limit| limit.state == State::Passed).count();
    let kept = several(passed, "limit", "limits");
    let mut text = format!("{path}: {verdict} for {name}, {kept} kept\n");
    for limit in limits.iter().filter(|limit| limit.state != State::Passed) {
        let Checked { figure, found, limit: bound, why, places, .. } = limit;
        let (mark, what) = match limit.state {
            State::Failed => ("failed ", format!("{found}, but must be {bound}: {why}")),
            State::Warned => ("warning", format!("{found}, but should be {bound}: {why}")),
            _ => ("unknown", format!("not measured, since {found}; must be {bound}: {why}")),
        };
        if is_short && !limit.is_blocking {
            continue;
        }
        text += &format!("  {mark}  {figure}  {what}\n");
        if !places.is_empty() {
            text += &format!("           in {}\n", places.join("; "));
        }
    }
    printer.show(text, [row]);
}

/// Of the table.
fn line(path: &Path, limits: &[Checked]) -> Vec<String> {
    let count = |state| limits.iter().filter(|limit| limit.state == state).count().to_string();
    let blocking = limits.iter().filter(|limit| limit.is_blocking);
    let mut blocking: Vec<&str> = blocking.map(|limit| limit.figure).collect();
    blocking.dedup();
    vec![
        path.display().to_string(),
        if is_ready(limits) { "ready" } else { "not ready" }.to_owned(),
        count(State::Failed),
        count(State::Warned),
        count(State::NotMeasured),
        blocking.join(", "),
    ]
}
