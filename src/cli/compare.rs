//! `compare`: two assets and a text prompt → the pair sheet in both orders → verdicts, kept and printed.

use super::ask_args::{AskArgs, Asked, ask_all, exit, say_run, say_sheets, warn_of_size};
use super::choice::{FORMS, choice};
use super::draw_args::{DrawArgs, drawings, warn_of_asset, warn_of_frames};
use super::{Exit, Failure, Global, Printer};
use crate::ask::{Planner, distinct, protocol_of};
use crate::front::{
    Comparison, CriterionFinding, JudgeFindings, MajorityFinding, PairQuestion, RunConfig,
    SampleMajorities, add_rubric, asset_of, method_names,
};
use crate::judge::Specimen;
use crate::load::Loaded;
use crate::rubric::{Form, Kind, Order, Rubric};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Arguments of `compare`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge compare a.glb b.glb --prompt \"a wooden chair\"
  meshjudge compare a.glb b.glb --prompt \"a wooden chair\" --judge openai:gpt-5 --samples 3
  meshjudge compare a.glb b.glb --prompt \"a wooden chair\" --judge openai:qwen2.5-vl --base-url http://127.0.0.1:8080/v1

Both orders are asked. Without --run, the newest run of the same question is resumed, so nothing is asked twice.")]
pub(super) struct CompareArgs {
    /// The asset listed first
    pub a: PathBuf,

    /// The asset listed second
    pub b: PathBuf,

    /// The text that both were made from
    #[arg(long, value_name = "TEXT")]
    pub prompt: String,

    /// pairwise, or a rubric file of that kind
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "pairwise")]
    pub rubric: String,

    /// Scale the sheet so that its longer side has at most this many pixels
    #[arg(long, value_name = "PX")]
    pub fit: Option<u32>,

    /// How the pair is sent; `object` and `separate` leave each view more pixels
    #[arg(long, value_name = "FORM", default_value = "sheet", value_parser = choice::<Form>(FORMS))]
    pub pictures: Form,

    /// Who is asked, and how.
    #[command(flatten)]
    pub ask: AskArgs,

    /// How the sheet is drawn.
    #[command(flatten)]
    pub draw: DrawArgs,
}

/// Runs the command.
///
/// # Errors
/// Unreadable input and configuration; nothing was asked then.
pub(super) fn run(args: &CompareArgs, global: &Global, printer: &Printer) -> Result<Exit, Failure> {
    let rubric = args.ask.rubric(&args.rubric, args.pictures)?;
    if rubric.kind() != Kind::Pairwise {
        return Err(format!(
            "the rubric {:?} is not for two objects; use `score`, or a pairwise rubric",
            rubric.name()
        )
        .into());
    }
    let judges = args.ask.judges()?;
    let load = |path: &Path| -> Result<Loaded, Failure> {
        let loaded = global.load(path)?;
        warn_of_asset(printer, path, &loaded);
        Ok(loaded)
    };
    let [a, b] = [load(&args.a)?, load(&args.b)?];
    let drawings = drawings(&rubric, &args.draw, global, printer)?;
    warn_of_size(&rubric, &drawings, &judges, args.fit, printer);
    let [method_a, method_b] = method_names([&a.path, &b.path]);
    let pair = PairQuestion {
        prompt: args.prompt.clone(),
        assets: [asset_of(&a, method_a), asset_of(&b, method_b)],
        specimens: [a, b].map(|loaded| Arc::new(Specimen::new(loaded.scene))),
        protocol: protocol_of(&drawings, &global.load_options()),
        drawings,
        rubric,
    };
    let config = RunConfig {
        command: "compare",
        about: about(&pair, args.fit),
        older_keys: &[],
        samples: args.ask.samples,
        how: args.ask.how(),
    };
    let plan = |planner: &Planner<'_>| {
        let work = pair.work(planner, |side, frames| {
            let path = Path::new(&pair.assets[side].path);
            warn_of_frames(printer, path, distinct(frames));
        });
        Ok(work?)
    };
    let asked = ask_all(plan, &judges, &args.ask, args.fit, &config, global, printer)?;
    let Some(asked) = asked else {
        return Ok(Exit::Done);
    };
    print(&asked, &pair, printer)?;
    Ok(exit(&asked.summary))
}

/// What the run is about. How the pictures were drawn and fitted belongs to it.
fn about(pair: &PairQuestion, fit_px: Option<u32>) -> toml::Table {
    let mut about = toml::Table::new();
    for (side, asset) in ["a", "b"].iter().zip(&pair.assets) {
        let mut table = toml::Table::new();
        table.insert("path".to_owned(), asset.path.clone().into());
        table.insert("hash".to_owned(), asset.hash.clone().into());
        about.insert((*side).to_owned(), table.into());
    }
    about.insert("prompt".to_owned(), pair.prompt.clone().into());
    add_rubric(&pair.rubric, &mut about);
    let protocol = pair.protocol.as_ref().map(|p| p.hash.clone());
    about.insert("protocol".to_owned(), protocol.unwrap_or_default().into());
    about.insert("fit_px".to_owned(), i64::from(fit_px.unwrap_or(0)).into());
    about
}

/// The table for people, the rows for programs.
fn print(asked: &Asked, pair: &PairQuestion, printer: &Printer) -> Result<(), Failure> {
    for record in &asked.records {
        printer.row(&serde_json::to_value(record)?);
    }
    for (side, asset) in ["a", "b"].iter().zip(&pair.assets) {
        printer.result(&format!("{side}       {}", asset.path));
    }
    let comparison = Comparison::new(&pair.rubric, asked.records.clone());
    for findings in &comparison.findings {
        let sample = findings.sample + 1;
        printer.result(&format!("\n{}, sample {sample}", findings.judge));
        for line in table(findings, &pair.rubric) {
            printer.result(&line);
        }
    }
    for majorities in comparison.majorities() {
        for line in majority_table(&majorities, &pair.rubric) {
            printer.result(&line);
        }
    }
    printer.result("");
    say_sheets(asked, printer, |order| match order {
        Order::AsListed => " (a left)",
        Order::Swapped => " (b left)",
    })?;
    say_run(&asked.store, printer);
    Ok(())
}

/// One line per criterion: who won with a on the left, with b on the left, and what holds in both.
fn table(findings: &JudgeFindings, rubric: &Rubric) -> Vec<String> {
    let width = key_width(rubric).max("criterion".len());
    let head = format!(
        "  {:width$}  {:<9}  {:<9}  verdict",
        "criterion", "a left", "b left"
    );
    let line = |found: &CriterionFinding| {
        let [listed, swapped] = found.orders.map(|finding| finding.as_str());
        let key = &found.criterion;
        format!(
            "  {key:width$}  {listed:<9}  {swapped:<9}  {}",
            found.as_str()
        )
    };
    std::iter::once(head)
        .chain(findings.criteria.iter().map(line))
        .collect()
}

/// One line per criterion: the majority of the samples in each order, and its margin.
fn majority_table(majorities: &SampleMajorities, rubric: &Rubric) -> Vec<String> {
    let width = key_width(rubric);
    let head = format!(
        "\n{}, majority of {} samples (margin)",
        majorities.judge, majorities.num_samples
    );
    let line = |found: &MajorityFinding| {
        let [listed, swapped] = found.orders.map(|most| match most {
            None => "none".to_owned(),
            Some((winner, margin)) => format!("{} ({margin:.2})", winner.as_str()),
        });
        format!("  {:width$}  {listed:<11}  {swapped}", found.criterion)
    };
    std::iter::once(head)
        .chain(majorities.criteria.iter().map(line))
        .collect()
}

fn key_width(rubric: &Rubric) -> usize {
    let widths = rubric.criteria(None).iter().map(|c| c.key.len());
    widths.max().unwrap_or(0)
}
