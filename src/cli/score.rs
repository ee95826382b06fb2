//! `score`: one asset against a photo, or one picture or asset against its prompt → a score, kept and printed.

use super::ask_args::{AskArgs, Asked, ask_all, exit, say_run, say_sheets, warn_of_size};
use super::draw_args::{DrawArgs, drawings, warn_of_asset, warn_of_frames};
use super::{Exit, Failure, Global, Printer};
use crate::ask::{Photo, Planner, distinct, protocol_of};
use crate::front::{Input, ObjectQuestion, RunConfig, add_rubric, method_name};
use crate::judge::{Asset, Picture, Specimen};
use crate::render::Image;
use crate::rubric::{Form, Kind, Rubric, Verdict};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

/// Arguments of `score`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge score chair.glb --rubric reconstruction --image photo.jpg --mask mask.png
  meshjudge score chair.glb --rubric reconstruction --image photo.jpg --mask mask.png --examples worked --judge openai:gpt-5
  meshjudge score picture.png --rubric category --category counting --prompt \"three red apples\" --judge openai:gpt-5

The examples folder has one sub-folder per worked example, taken in the order of their names. Each holds the pictures of the
question (highlighted.png, zoom_highlighted.png, zoom.png, four_view.png; a number may stand ahead, as `sheet reference` writes
them, and they may be .jpg or .webp) and answer.txt with the model answer, whose last line is the score.")]
pub(super) struct ScoreArgs {
    /// An asset, or for the category rubric also a picture
    pub input: PathBuf,

    /// reconstruction, category, or a rubric file of one of these kinds
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub rubric: String,

    /// The photo that the object was rebuilt from
    #[arg(long, value_name = "PHOTO")]
    pub image: Option<PathBuf>,

    /// Where the object is in the photo: white or opaque
    #[arg(long, value_name = "MASK")]
    pub mask: Option<PathBuf>,

    /// Folder of worked examples (layout below)
    #[arg(long, value_name = "DIR")]
    pub examples: Option<PathBuf>,

    /// Kind of prompt, for the category rubric
    #[arg(long, value_name = "NAME")]
    pub category: Option<String>,

    /// The text that the input was made from
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,

    /// Who is asked, and how.
    #[command(flatten)]
    pub ask: AskArgs,

    /// How pictures of an asset are drawn.
    #[command(flatten)]
    pub draw: DrawArgs,
}

/// Runs the command.
///
/// # Errors
/// Unreadable input and configuration; nothing was asked then.
pub(super) fn run(args: &ScoreArgs, global: &Global, printer: &Printer) -> Result<Exit, Failure> {
    let rubric = args.ask.rubric(&args.rubric, Form::Sheet)?;
    // A category that the rubric lacks is found before anything is loaded.
    rubric.text(args.category.as_deref())?;
    let judges = args.ask.judges()?;
    let examples = match &args.examples {
        Some(folder) => rubric.examples(folder)?,
        None => Vec::new(),
    };
    if rubric.kind() == Kind::Pairwise {
        return Err(format!(
            "the rubric {:?} is for two objects; use `compare`",
            rubric.name()
        )
        .into());
    }
    let (input, hash) = read_input(args, &rubric, global, printer)?;
    let drawings = match input {
        Input::Asset(_) => drawings(&rubric, &args.draw, global, printer)?,
        Input::Picture { .. } => vec![None; rubric.pictures().len()],
    };
    warn_of_size(&rubric, &drawings, &judges, None, printer);
    let photo = match (&args.image, &args.mask, rubric.kind()) {
        (_, _, Kind::Category) => None,
        (Some(photo), Some(mask), _) => Some(Photo::open(photo, mask)?),
        _ => {
            return Err(
                "the reconstruction rubric needs the photo and its mask; give --image and --mask"
                    .into(),
            );
        }
    };
    if let Some(photo) = &photo {
        photo.check()?;
    }
    let object = ObjectQuestion {
        category: args.category.clone(),
        prompt: args.prompt.clone(),
        photo: photo.map(Arc::new),
        examples,
        asset: Asset {
            path: args.input.to_string_lossy().into_owned(),
            hash,
            method: method_name(&args.input, None),
        },
        input,
        protocol: protocol_of(&drawings, &global.load_options()),
        drawings,
        rubric,
    };
    let config = RunConfig {
        command: "score",
        about: about(args, &object),
        // What was shown, before it was known without drawing.
        older_keys: &["pictures"],
        samples: args.ask.samples,
        how: args.ask.how(),
    };
    let plan = |planner: &Planner<'_>| {
        let work = object.work(planner, |frames| {
            warn_of_frames(printer, &args.input, distinct(frames));
        });
        Ok(work?)
    };
    let asked = ask_all(plan, &judges, &args.ask, None, &config, global, printer)?;
    let Some(asked) = asked else {
        return Ok(Exit::Done);
    };
    print(&asked, args, printer)?;
    Ok(exit(&asked.summary))
}

/// The input and its content's hash.
fn read_input(
    args: &ScoreArgs,
    rubric: &Rubric,
    global: &Global,
    printer: &Printer,
) -> Result<(Input, String), Failure> {
    let is_picture = args.input.extension().is_some_and(|extension| {
        ["png", "jpg", "jpeg", "webp"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    });
    if is_picture {
        if rubric.kind() != Kind::Category {
            return Err(format!(
                "a picture has no geometry to score; give an asset, or --rubric category: {:?}",
                args.input
            )
            .into());
        }
        let picture = Picture::open(&args.input)?;
        let image = Arc::new(Image::decode(&picture.bytes)?);
        let hash = picture.hash.clone();
        return Ok((Input::Picture { picture, image }, hash));
    }
    let loaded = global.load(&args.input)?;
    warn_of_asset(printer, &args.input, &loaded);
    let specimen = Arc::new(Specimen::new(loaded.scene));
    Ok((Input::Asset(specimen), loaded.hash))
}

/// What decides the question, for `run.toml`.
fn about(args: &ScoreArgs, object: &ObjectQuestion) -> toml::Table {
    let file = |path: &Option<PathBuf>| {
        path.as_ref()
            .map(|path| path.to_string_lossy().into_owned())
    };
    let mut about = toml::Table::new();
    about.insert("input".to_owned(), object.asset.path.clone().into());
    about.insert("hash".to_owned(), object.asset.hash.clone().into());
    add_rubric(&object.rubric, &mut about);
    for (key, value) in [
        ("category", args.category.clone()),
        ("prompt", args.prompt.clone()),
        ("image", file(&args.image)),
        ("mask", file(&args.mask)),
        ("examples", file(&args.examples)),
        ("protocol", object.protocol.as_ref().map(|p| p.hash.clone())),
    ] {
        if let Some(value) = value {
            about.insert(key.to_owned(), value.into());
        }
    }
    // What is shown decides too, whatever the files are called.
    let photo = object.photo.iter().flat_map(|photo| photo.hashes());
    let examples = object.examples.iter().flat_map(|example| &example.pictures);
    let hashes: Vec<String> = photo.chain(examples.map(|p| p.hash.clone())).collect();
    if !hashes.is_empty() {
        about.insert("file_hashes".to_owned(), hashes.into());
    }
    about
}

fn print(asked: &Asked, args: &ScoreArgs, printer: &Printer) -> Result<(), Failure> {
    printer.result(&format!("input   {}", args.input.display()));
    for record in &asked.records {
        printer.row(&serde_json::to_value(record)?);
        printer.result(&format!("\n{}, sample {}", record.judge, record.sample + 1));
        for line in lines(record.verdict(), record.outcome.name()) {
            printer.result(&format!("  {line}"));
        }
    }
    printer.result("");
    say_sheets(asked, printer, |_| "")?;
    say_run(&asked.store, printer);
    Ok(())
}

fn lines(verdict: Option<&Verdict>, outcome: &str) -> Vec<String> {
    match verdict {
        Some(Verdict::Reconstruction { score }) => vec![format!("score  {score}")],
        Some(Verdict::Category {
            aspects,
            overall,
            overall_recomputed,
            undecided,
        }) => {
            let width = aspects
                .keys()
                .chain(undecided)
                .map(String::len)
                .max()
                .unwrap_or(0)
                .max("overall (mean)".len());
            let mut lines: Vec<String> = aspects
                .iter()
                .map(|(key, n)| format!("{key:width$}  {n}"))
                .collect();
            lines.extend(
                undecided
                    .iter()
                    .map(|key| format!("{key:width$}  undecided")),
            );
            lines.push(format!("{:width$}  {overall}", "overall"));
            lines.push(format!(
                "{:width$}  {overall_recomputed:.2}",
                "overall (mean)"
            ));
            lines
        }
        Some(Verdict::Pairwise { .. }) | None => vec![format!("no verdict: {outcome}")],
    }
}
