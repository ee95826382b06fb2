//! `compare`: judges two assets of a prompt in both orders; stores and prints the verdicts.

use super::asking::{QuestionArgs, ask_case, exit, measured_words, print_paths, warn_of_size};
use super::draw_args::{DrawArgs, SideArgs, drawings};
use super::judge_args::JudgeArgs;
use super::photo_args::{PhotoArgs, warn_of_photo};
use super::words::columns;
use super::{Exit, Printer};
use crate::ask::{Answered, Case, load_options};
use crate::error::Error;
use crate::front::{Comparison, JudgeFindings, RunConfig, SampleMajorities, about_pair, pair_case};
use crate::options::PairOptions;
use crate::rubric::Order;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// Longer replies are cut when printed; the run and the report have the full text.
const REASON_CHARS_MAX: usize = 400;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge compare a.glb b.glb --prompt \"a wooden chair\"
  meshjudge compare a.glb b.glb --image chair.png --judge gemini:gemini-2.5-pro
  meshjudge compare a.glb b.glb --image front=chair.png --image back=chair_back.png
  meshjudge compare a.glb b.glb --prompt \"a wooden chair\" --judge openai:gpt-5 --samples 3
  meshjudge compare a.glb b.glb --prompt \"a vase\" --judge openai:qwen2.5-vl --base-url http://127.0.0.1:8080/v1

Both orders are asked. The same command again resumes the newest run of the same question and asks nothing twice.")]
pub(super) struct CompareArgs {
    /// The asset listed first
    pub a: PathBuf,

    /// The asset listed second
    pub b: PathBuf,

    /// The text that both were made from
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,

    #[command(flatten)]
    pub photo: PhotoArgs,

    /// pairwise, pairwise-image, match-image, or a rubric file of that kind. Default:
    /// pairwise-image with a photo, else pairwise
    #[arg(long, value_name = "RUBRIC")]
    pub rubric: Option<String>,

    #[command(flatten)]
    pub question: QuestionArgs,

    #[command(flatten)]
    pub ask: JudgeArgs,

    #[command(flatten)]
    pub pair: PairOptions,

    #[command(flatten)]
    pub sides: SideArgs,

    #[command(flatten)]
    pub draw: DrawArgs,
}

pub(super) fn run(args: &CompareArgs, printer: &Printer) -> Result<Exit, Error> {
    if args.prompt.is_none() && !args.photo.is_given() {
        return Err(Error::usage(
            "say what both were made from: --prompt TEXT, --image PHOTO, or both",
        ));
    }
    let fitting = if args.photo.is_given() { "pairwise-image" } else { "pairwise" };
    let name = args.rubric.as_deref().unwrap_or(fitting);
    let rubric = args.question.rubric(name, args.pair.form.unwrap_or_default(), printer)?;
    if !rubric.is_of_pairs() {
        return Err(Error::usage(format!(
            "the rubric {:?} is not about two objects; use `score`, or a pairwise rubric",
            rubric.name()
        )));
    }
    args.photo.check(&rubric)?;
    let judges = args.ask.judges(printer)?;
    let drawings = drawings(&rubric, &args.draw, printer)?;
    let options = load_options(drawings.iter().flatten(), &args.draw.load);
    let paths = [args.a.as_path(), &args.b];
    let photo = args.photo.open()?.map(Arc::new);
    warn_of_photo(photo.as_deref(), printer)?;
    let ([a, b], fronts) = args.sides.load(paths, &options, None, photo.as_deref(), printer)?;
    let has_surface = [&a, &b].iter().any(|one| one.scene.has_surface());
    args.draw.note_light(has_surface, printer);
    let fit = args.pair.fit_px;
    warn_of_size(&rubric, &drawings, &judges, fit, printer);
    let prompt = args.prompt.as_deref().unwrap_or_default();
    let case = pair_case(rubric, prompt, [&a, &b], photo, drawings, &options)?;
    let config =
        RunConfig { command: "compare", about: about_pair(&case, fit), options: &args.ask.options };
    let Some(mut answered) = ask_case(&case, &judges, &args.ask, fit, &config, printer)? else {
        return Ok(Exit::Done);
    };
    if let Some(fronts) = fronts {
        let [a, b] = [0, 1].map(|side| case.sides[side].asset.method.as_str());
        fronts.record([a, b], answered.store.folder(), &mut answered.records)?;
    }
    print(&answered, &case, printer)?;
    Ok(exit(&answered.summary))
}

/// The table for people, the rows for programs.
fn print(answered: &Answered, case: &Case, printer: &Printer) -> Result<(), Error> {
    let mut text = String::new();
    for (name, side) in ["a", "b"].iter().zip(&case.sides) {
        text += &format!("{name}       {}\n", side.asset.path);
    }
    let comparison = Comparison::new(&case.template.rubric, answered.records.clone());
    for findings in &comparison.findings {
        let sample = findings.sample + 1;
        text += &format!(
            "\n{}, sample {sample}: which is better, a or b, with each of them once on the left\n",
            findings.judge
        );
        text += &table(findings);
        let asked = answered
            .records
            .iter()
            .filter(|record| record.judge == findings.judge && record.sample == findings.sample);
        for record in asked {
            if let Some(lines) = measured_words(record) {
                // The other order mirrors it.
                let lines = lines.iter().filter(|_| record.order == Order::AsListed);
                text.extend(lines.map(|line| format!("  {line}\n")));
            } else if let Some(words) = record.raw.as_deref().and_then(shortened) {
                text += &format!("  {}: {words}\n", left(record.order));
            }
        }
    }
    text.extend(comparison.majorities().iter().map(majority_table));
    printer.show(text + "\n", answered.records.iter().map(|record| json!(record)));
    let [a, b] = [0, 1].map(|side| &case.sides[side].asset.method);
    print_paths(answered, printer, |order| match order {
        Order::AsListed => format!("{a}-vs-{b}"),
        Order::Swapped => format!("{b}-vs-{a}"),
    })
}

fn left(order: Order) -> &'static str {
    match order {
        Order::AsListed => "a on the left",
        Order::Swapped => "b on the left",
    }
}

/// A judge's explanation in one line, if it gave one.
fn shortened(raw: &str) -> Option<String> {
    let line = raw.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= REASON_CHARS_MAX {
        return (!line.is_empty()).then_some(line);
    }
    let start: String = line.chars().take(REASON_CHARS_MAX).collect();
    Some(format!("{start} …"))
}

/// One line per criterion: the winner with a on the left, with b on the left, and in both orders.
fn table(findings: &JudgeFindings) -> String {
    let [first, second] = [Order::AsListed, Order::Swapped].map(left);
    let mut table = vec![["  criterion", first, second, "both together"].map(str::to_owned)];
    table.extend(findings.criteria.iter().map(|found| {
        let [listed, swapped] = found.orders.map(|finding| finding.as_str().to_owned());
        [format!("  {}", found.criterion), listed, swapped, found.as_str().to_owned()]
    }));
    columns(&table)
}

/// One line per criterion: the majority of the samples in each order, and its margin.
fn majority_table(majorities: &SampleMajorities) -> String {
    let [first, second] = [Order::AsListed, Order::Swapped].map(left);
    let mut table = vec![["  criterion", first, second].map(str::to_owned)];
    table.extend(majorities.criteria.iter().map(|found| {
        let [listed, swapped] = found.orders.map(|most| match most {
            None => "none".to_owned(),
            Some((winner, margin)) => format!("{} ({margin:.2})", winner.as_str()),
        });
        [format!("  {}", found.criterion), listed, swapped]
    }));
    let SampleMajorities { judge, num_samples, .. } = majorities;
    format!("\n{judge}, majority of {num_samples} samples (margin)\n{}", columns(&table))
}
