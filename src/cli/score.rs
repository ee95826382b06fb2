//! `score`: asks how well an asset matches a photo, or a picture or asset its prompt; stores and
//! prints the score.

use super::asking::{QuestionArgs, ask_case, exit, measured_words, print_paths, warn_of_size};
use super::draw_args::{DrawArgs, drawings, warn_of_asset};
use super::judge_args::JudgeArgs;
use super::photo_args::{PhotoArgs, warn_of_photo};
use super::{Exit, Printer};
use crate::ask::{Answered, load_options};
use crate::error::Error;
use crate::front::{ObjectFiles, RunConfig, method_name};
use crate::rubric::{Form, Rubric, Verdict};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge score chair.glb --image photo.jpg --mask mask.png --examples worked
  meshjudge score picture.png --category counting --prompt \"three red apples\"

The examples folder has one sub-folder per worked example, in the order of their names. Each contains the question's pictures \
(highlighted.png, zoom_highlighted.png, zoom.png, four_view.png; with or without a leading number as `sheet reference` writes it; \
.jpg and .webp are read too) and answer.txt with the model answer, whose last line is the score.")]
pub(super) struct ScoreArgs {
    /// An asset, or for the category rubric also a picture
    pub input: PathBuf,

    /// reconstruction, category, or a rubric file of one of these kinds. Default: reconstruction
    /// with a photo, else category
    #[arg(long, value_name = "RUBRIC")]
    pub rubric: Option<String>,

    #[command(flatten)]
    pub photo: PhotoArgs,

    /// Folder of worked examples (layout below)
    #[arg(long, value_name = "DIR")]
    pub examples: Option<PathBuf>,

    /// The category of the prompt, for the category rubric
    #[arg(long, value_name = "NAME")]
    pub category: Option<String>,

    /// The text that the input was made from
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,

    #[command(flatten)]
    pub question: QuestionArgs,

    #[command(flatten)]
    pub ask: JudgeArgs,

    #[command(flatten)]
    pub draw: DrawArgs,
}

pub(super) fn run(args: &ScoreArgs, printer: &Printer) -> Result<Exit, Error> {
    let fitting = if args.photo.is_given() { "reconstruction" } else { "category" };
    let name = args.rubric.as_deref().unwrap_or(fitting);
    let rubric = args.question.rubric(name, Form::Sheet, printer)?;
    check_flags(args, &rubric)?;
    args.photo.check(&rubric)?;
    let files = ObjectFiles {
        input: args.input.clone(),
        photos: args.photo.sides()?,
        examples: args.examples.clone(),
        category: args.category.clone(),
        prompt: args.prompt.clone(),
    };
    let judges = args.ask.judges(printer)?;
    let drawings = if files.is_picture() {
        vec![None; rubric.pictures().len()]
    } else {
        drawings(&rubric, &args.draw, printer)?
    };
    let options = load_options(drawings.iter().flatten(), &args.draw.load);
    let case = files.open(rubric, &options, drawings, |loaded| {
        warn_of_asset(printer, &args.input, &loaded.warnings);
        args.draw.note_light(loaded.scene.has_surface(), printer);
    })?;
    warn_of_photo(case.photo.as_deref(), printer)?;
    warn_of_size(&case.template.rubric, &case.template.drawings, &judges, None, printer);
    let config = RunConfig {
        command: "score",
        about: files.about(&case),
        // The pictures shown, for runs that do not record them before drawing.
        options: &args.ask.options,
    };
    let Some(answered) = ask_case(&case, &judges, &args.ask, None, &config, printer)? else {
        return Ok(Exit::Done);
    };
    print(&answered, args, printer)?;
    Ok(exit(&answered.summary))
}

/// Names every missing flag of the rubric's question, before anything is loaded.
fn check_flags(args: &ScoreArgs, rubric: &Rubric) -> Result<(), Error> {
    if !rubric.has_categories() {
        return Ok(());
    }
    let missing: Vec<&str> = [
        ("--category NAME", args.category.is_none()),
        ("--prompt TEXT", rubric.quotes_prompt() && args.prompt.is_none()),
    ]
    .into_iter()
    .filter_map(|(flag, is_missing)| is_missing.then_some(flag))
    .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let known: Vec<&str> = rubric.categories().collect();
    Err(Error::usage(format!(
        "the rubric {:?} needs {}; its categories are {}",
        rubric.name(),
        missing.join(" and "),
        known.join(", ")
    )))
}

fn print(answered: &Answered, args: &ScoreArgs, printer: &Printer) -> Result<(), Error> {
    let mut text = format!("input   {}\n", args.input.display());
    for record in &answered.records {
        text += &format!("\n{}, sample {}\n", record.judge, record.sample + 1);
        let measured = measured_words(record).into_iter().flatten();
        let lines = lines(record.verdict(), record.outcome.name()).into_iter().chain(measured);
        text.extend(lines.map(|line| format!("  {line}\n")));
    }
    printer.show(text + "\n", answered.records.iter().map(|record| json!(record)));
    let name = method_name(&args.input, None);
    print_paths(answered, printer, |_| name.clone())
}

fn lines(verdict: Option<&Verdict>, outcome: &str) -> Vec<String> {
    match verdict {
        Some(Verdict::Reconstruction { score: Some(score) }) => vec![format!("score  {score}")],
        Some(Verdict::Reconstruction { score: None }) => vec!["score  undecided".to_owned()],
        Some(Verdict::Category { aspects, overall, undecided }) => {
            let width = aspects
                .keys()
                .chain(undecided)
                .map(String::len)
                .max()
                .unwrap_or(0)
                .max("overall (mean)".len());
            let mut lines: Vec<String> =
                aspects.iter().map(|(key, n)| format!("{key:width$}  {n}")).collect();
            lines.extend(undecided.iter().map(|key| format!("{key:width$}  undecided")));
            match overall {
                Some(overall) => {
                    lines.push(format!("{:width$}  {}", "overall", overall.stated));
                    lines.push(format!("{:width$}  {:.2}", "overall (mean)", overall.mean));
                }
                None if undecided.is_empty() => {}
                None => lines.push(format!("{:width$}  undecided", "overall")),
            }
            lines
        }
        Some(Verdict::Pairwise { .. }) | None => vec![format!("no verdict: {outcome}")],
    }
}
