//! `compare`: two assets and a text prompt → the pair sheet in both orders → verdicts, kept and told.

use super::ask_args::{
    AskArgs, Ran, RunSubject, about_asset, about_rubric, exit, run_units, say_run, store_asset,
    warn_of_size,
};
use super::draw_args::{DrawArgs, drawings, frames, warn_of_asset};
use super::{Exit, Failure, Global, Printer};
use crate::bench::{Asking, Shown, Unit, majority, pair_unit, protocol, sights};
use crate::judge::{Judge, Specimen};
use crate::load::Loaded;
use crate::rubric::{Form, Kind, Order, Rubric, Verdict, Winner};
use crate::store::{Asset, Row, Subject};
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Arguments of `compare`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge compare a.glb b.glb --prompt \"a wooden chair\"
  meshjudge compare a.glb b.glb --prompt \"a wooden chair\" --judge openai:gpt-5 --samples 3
  meshjudge compare a.glb b.glb --prompt \"a wooden chair\" --judge openai:qwen2.5-vl --base-url http://127.0.0.1:8080/v1

Both orders are asked. Without --run, the newest run of the same question is gone on with, so nothing is asked twice.")]
pub struct CompareArgs {
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
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub pictures: Form,

    /// Who is asked, and how.
    #[command(flatten)]
    pub ask: AskArgs,

    /// How the sheet is drawn.
    #[command(flatten)]
    pub draw: DrawArgs,
}

/// Both sides of a pair, as loaded.
struct Pair {
    paths: [PathBuf; 2],
    specimens: [Arc<Specimen>; 2],
    assets: [Asset; 2],
}

/// Runs the command.
///
/// # Errors
/// Unreadable input and configuration; nothing was asked then.
pub fn run(args: &CompareArgs, global: &Global, printer: &Printer) -> Result<Exit, Failure> {
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
    let (a, b) = (load(&args.a)?, load(&args.b)?);
    let mut about = toml::Table::new();
    about.insert("a".to_owned(), about_asset(&args.a, &a));
    about.insert("b".to_owned(), about_asset(&args.b, &b));
    about.insert("prompt".to_owned(), args.prompt.clone().into());
    about_rubric(&rubric, &mut about);
    let pair = Pair {
        assets: [
            store_asset(&args.a, &a.hash, Some(&args.b)),
            store_asset(&args.b, &b.hash, Some(&args.a)),
        ],
        specimens: [a, b].map(|loaded| Arc::new(Specimen::new(loaded.scene))),
        paths: [args.a.clone(), args.b.clone()],
    };
    let units = units(args, &rubric, &pair, &judges, global, printer)?;
    // The pictures say how they were drawn and fitted, so they belong to what the run is about.
    let protocol = units[0].subjects[0]
        .protocol
        .as_ref()
        .map(|p| p.hash.clone());
    about.insert("protocol".to_owned(), protocol.unwrap_or_default().into());
    about.insert("fit_px".to_owned(), i64::from(args.fit.unwrap_or(0)).into());
    let subject = RunSubject {
        command: "compare",
        about,
    };
    let subjects: Vec<Subject> = units.iter().flat_map(|u| u.subjects.clone()).collect();
    let Some(ran) = run_units(units, &judges, &args.ask, subject, global, printer)? else {
        return Ok(Exit::Done);
    };
    tell(&ran, &rubric, &pair, &subjects, printer)?;
    Ok(exit(&ran.summary))
}

/// Both orders of the pair, for each size of pictures.
fn units(
    args: &CompareArgs,
    rubric: &Arc<Rubric>,
    pair: &Pair,
    judges: &[Judge],
    global: &Global,
    printer: &Printer,
) -> Result<Vec<Unit>, Failure> {
    let drawings = drawings(rubric, &args.draw, global, printer)?;
    warn_of_size(rubric, &drawings, judges, args.fit, printer);
    let side = |i: usize| -> Result<Shown, Failure> {
        Ok(Shown {
            asset: pair.assets[i].clone(),
            specimen: Some(Arc::clone(&pair.specimens[i])),
            frames: frames(
                pair.specimens[i].scene(),
                &drawings,
                &pair.paths[i],
                printer,
            )?,
        })
    };
    let shown = [side(0)?, side(1)?];
    let asking = |(sight, judges)| Asking {
        rubric,
        category: None,
        prompt: Some(&args.prompt),
        examples: &[],
        drawings: &drawings,
        sight,
        judges: Some(judges),
        protocol: protocol(&drawings, &global.load_options()),
        plan: None,
        what: format!(
            "{} against {}",
            pair.paths[0].display(),
            pair.paths[1].display()
        ),
    };
    let each = sights(judges, args.fit).into_iter();
    each.map(|group| Ok(pair_unit(&asking(group), &shown)?))
        .collect()
}

/// The table for people, the rows for programs.
fn tell(
    ran: &Ran,
    rubric: &Rubric,
    pair: &Pair,
    subjects: &[Subject],
    printer: &Printer,
) -> Result<(), Failure> {
    let mut rows: BTreeMap<(String, u32), Vec<Row>> = BTreeMap::new();
    for id in &ran.summary.ids {
        if let Some(row) = ran.store.row(id)? {
            printer.row(&serde_json::to_value(&row)?);
            rows.entry((row.judge.clone(), row.sample))
                .or_default()
                .push(row);
        }
    }
    for (side, asset) in ["a", "b"].iter().zip(&pair.assets) {
        printer.result(&format!("{side}       {}", asset.path));
    }
    for ((judge, sample), rows) in &rows {
        printer.result(&format!("\n{judge}, sample {}", sample + 1));
        table(rows, rubric)
            .iter()
            .for_each(|line| printer.result(line));
    }
    for line in majorities(&rows, rubric) {
        printer.result(&line);
    }
    printer.result("");
    let mut named = BTreeSet::new();
    for subject in subjects {
        let who = match subject.order {
            Order::AsListed => "a left",
            Order::Swapped => "b left",
        };
        for part in &subject.question.parts {
            if let crate::judge::Part::Picture(picture) = part
                && named.insert((picture.hash.clone(), who))
            {
                printer.result(&format!(
                    "sheet   {} ({who})",
                    ran.store.sheet(picture).display()
                ));
            }
        }
    }
    say_run(&ran.store, printer);
    Ok(())
}

/// One line per criterion: who won with a on the left, with b on the left, and what holds in both.
fn table(rows: &[Row], rubric: &Rubric) -> Vec<String> {
    let verdict = |order: Order| {
        let row = rows.iter().find(|row| row.order == order.as_str())?;
        row.verdict.as_ref().and_then(Verdict::from_json)
    };
    let verdicts = Order::BOTH.map(verdict);
    let width = rubric
        .criteria(None)
        .iter()
        .map(|c| c.key.len())
        .max()
        .unwrap_or(0)
        .max("criterion".len());
    let mut lines = vec![format!(
        "  {:width$}  {:<9}  {:<9}  verdict",
        "criterion", "a left", "b left"
    )];
    for criterion in rubric.criteria(None) {
        let [listed, swapped] = [0, 1].map(|i| finding(verdicts[i].as_ref(), &criterion.key));
        let both = if listed == swapped {
            listed
        } else if [listed, swapped].contains(&NO_VERDICT) {
            "incomplete"
        } else {
            "inconsistent"
        };
        lines.push(format!(
            "  {:width$}  {listed:<9}  {swapped:<9}  {both}",
            criterion.key
        ));
    }
    lines
}

/// One line per judge and criterion, where a question was asked more than once: the majority in each order, and its margin.
fn majorities(rows: &BTreeMap<(String, u32), Vec<Row>>, rubric: &Rubric) -> Vec<String> {
    let mut by_judge: BTreeMap<&String, Vec<&Row>> = BTreeMap::new();
    for ((judge, _), rows) in rows {
        by_judge.entry(judge).or_default().extend(rows);
    }
    let keys = rubric.criteria(None).iter().map(|c| c.key.as_str());
    let width = keys.clone().map(str::len).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (judge, rows) in by_judge {
        let samples: BTreeSet<u32> = rows.iter().map(|row| row.sample).collect();
        if samples.len() < 2 {
            continue;
        }
        lines.push(format!(
            "\n{judge}, majority of {} samples (margin)",
            samples.len()
        ));
        for key in keys.clone() {
            let said = Order::BOTH.map(|order| majority_in(&rows, order, key));
            lines.push(format!("  {key:width$}  {:<11}  {}", said[0], said[1]));
        }
    }
    lines
}

fn majority_in(rows: &[&Row], order: Order, key: &str) -> String {
    let mut counts = [0; 3];
    for row in rows.iter().filter(|row| row.order == order.as_str()) {
        let verdict = row.verdict.as_ref().and_then(Verdict::from_json);
        match finding(verdict.as_ref(), key) {
            "a" => counts[0] += 1,
            "b" => counts[1] += 1,
            "tie" => counts[2] += 1,
            _ => {}
        }
    }
    if counts == [0; 3] {
        return NO_VERDICT.to_owned();
    }
    let (winner, margin) = majority(counts);
    let winner = match winner {
        crate::rate::Winner::A => "a",
        crate::rate::Winner::B => "b",
        crate::rate::Winner::Tie => "tie",
    };
    format!("{winner} ({margin:.2})")
}

/// Stands where an order has no verdict.
const NO_VERDICT: &str = "none";

fn finding(verdict: Option<&Verdict>, key: &str) -> &'static str {
    let Some(Verdict::Pairwise { choices, undecided }) = verdict else {
        return NO_VERDICT;
    };
    if undecided.iter().any(|u| u == key) {
        return "undecided";
    }
    choices
        .iter()
        .find(|(k, _)| k == key)
        .map_or(NO_VERDICT, |(_, winner)| Winner::as_str(*winner))
}
