//! `score`: one asset against a photo, or one picture or asset against its prompt → a score, kept and told.

use super::ask_args::{
    AskArgs, Ran, RunSubject, about_rubric, exit, run_units, say_run, store_asset, warn_of_size,
};
use super::draw_args::{DrawArgs, drawings, frames, warn_of_asset};
use super::sheet::read_picture;
use super::{Exit, Failure, Global, Printer};
use crate::bench::{
    Asking, Photo, Shown, Sight, Unit, category_unit, protocol, reconstruction_unit, sights,
};
use crate::judge::{Judge, Picture, Specimen};
use crate::render::Image;
use crate::rubric::{Example, Form, Kind, Rubric, Verdict};
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
pub struct ScoreArgs {
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

/// What is scored.
enum Input {
    Asset {
        specimen: Arc<Specimen>,
        hash: String,
    },
    Picture {
        picture: Picture,
        image: Arc<Image>,
    },
}

/// Runs the command.
///
/// # Errors
/// Unreadable input and configuration; nothing was asked then.
pub fn run(args: &ScoreArgs, global: &Global, printer: &Printer) -> Result<Exit, Failure> {
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
    let input = read_input(args, &rubric, global, printer)?;
    let units = units(args, &rubric, &input, &examples, &judges, global, printer)?;
    let about = about(args, &rubric, &input, &units[0]);
    let subject = RunSubject {
        command: "score",
        about,
    };
    let mut sheets: Vec<Picture> = Vec::new();
    for picture in units.iter().flat_map(pictures) {
        if !sheets.contains(picture) {
            sheets.push(picture.clone());
        }
    }
    let Some(ran) = run_units(units, &judges, &args.ask, subject, global, printer)? else {
        return Ok(Exit::Done);
    };
    tell(&ran, args, &sheets, printer)?;
    Ok(exit(&ran.summary))
}

fn read_input(
    args: &ScoreArgs,
    rubric: &Rubric,
    global: &Global,
    printer: &Printer,
) -> Result<Input, Failure> {
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
        return Ok(Input::Picture { picture, image });
    }
    let loaded = global.load(&args.input)?;
    warn_of_asset(printer, &args.input, &loaded);
    Ok(Input::Asset {
        specimen: Arc::new(Specimen::new(loaded.scene)),
        hash: loaded.hash,
    })
}

/// The question, for each size of pictures.
fn units(
    args: &ScoreArgs,
    rubric: &Arc<Rubric>,
    input: &Input,
    examples: &[Example],
    judges: &[Judge],
    global: &Global,
    printer: &Printer,
) -> Result<Vec<Unit>, Failure> {
    let drawings = match input {
        Input::Asset { .. } => drawings(rubric, &args.draw, global, printer)?,
        Input::Picture { .. } => vec![None; rubric.pictures().len()],
    };
    warn_of_size(rubric, &drawings, judges, None, printer);
    let shown = match input {
        Input::Asset { specimen, hash } => Shown {
            asset: store_asset(&args.input, hash, None),
            specimen: Some(Arc::clone(specimen)),
            frames: frames(specimen.scene(), &drawings, &args.input, printer)?,
        },
        Input::Picture { picture, .. } => Shown {
            asset: store_asset(&args.input, &picture.hash, None),
            specimen: None,
            frames: Vec::new(),
        },
    };
    let photo = match (&args.image, &args.mask, rubric.kind()) {
        (_, _, Kind::Category) => None,
        (Some(photo), Some(mask), _) => {
            Some(Photo::new(&read_picture(photo)?, &read_picture(mask)?)?)
        }
        _ => {
            return Err(
                "the reconstruction rubric needs the photo and its mask; give --image and --mask"
                    .into(),
            );
        }
    };
    let given = match input {
        Input::Picture { picture, image } => Some((picture, image)),
        Input::Asset { .. } => None,
    };
    let one = |(sight, judges): (Sight, Vec<usize>)| -> Result<Unit, Failure> {
        let examples = sight.fitted_examples(examples)?;
        let asking = Asking {
            rubric,
            category: args.category.as_deref(),
            prompt: args.prompt.as_deref(),
            examples: &examples,
            drawings: &drawings,
            sight,
            judges: Some(judges),
            protocol: protocol(&drawings, &global.load_options()),
            plan: None,
            what: args.input.display().to_string(),
        };
        Ok(match &photo {
            Some(photo) => reconstruction_unit(&asking, &shown, photo)?,
            None => category_unit(&asking, &shown, given)?,
        })
    };
    sights(judges, None).into_iter().map(one).collect()
}

/// What decides the question, for `run.toml`.
fn about(args: &ScoreArgs, rubric: &Rubric, input: &Input, unit: &Unit) -> toml::Table {
    let hash = match input {
        Input::Asset { hash, .. } => hash,
        Input::Picture { picture, .. } => &picture.hash,
    };
    let text = |text: String| toml::Value::String(text);
    let mut about = toml::Table::new();
    about.insert(
        "input".to_owned(),
        text(args.input.to_string_lossy().into_owned()),
    );
    about.insert("hash".to_owned(), text(hash.clone()));
    about_rubric(rubric, &mut about);
    let file = |path: &Option<PathBuf>| {
        path.as_ref()
            .map(|path| path.to_string_lossy().into_owned())
    };
    for (key, value) in [
        ("category", args.category.clone()),
        ("prompt", args.prompt.clone()),
        ("image", file(&args.image)),
        ("mask", file(&args.mask)),
        ("examples", file(&args.examples)),
    ] {
        if let Some(value) = value {
            about.insert(key.to_owned(), text(value));
        }
    }
    // What is shown decides too, whatever the files are called.
    let shown: Vec<toml::Value> = pictures(unit).map(|p| p.hash.clone().into()).collect();
    about.insert("pictures".to_owned(), shown.into());
    about
}

fn pictures(unit: &Unit) -> impl Iterator<Item = &Picture> {
    unit.subjects
        .iter()
        .flat_map(|subject| &subject.question.parts)
        .filter_map(|part| match part {
            crate::judge::Part::Picture(picture) => Some(picture),
            _ => None,
        })
}

fn tell(ran: &Ran, args: &ScoreArgs, sheets: &[Picture], printer: &Printer) -> Result<(), Failure> {
    printer.result(&format!("input   {}", args.input.display()));
    for id in &ran.summary.ids {
        let Some(row) = ran.store.row(id)? else {
            continue;
        };
        printer.row(&serde_json::to_value(&row)?);
        let verdict = row.verdict.as_ref().and_then(Verdict::from_json);
        printer.result(&format!("\n{}, sample {}", row.judge, row.sample + 1));
        for line in lines(verdict.as_ref(), &row.outcome) {
            printer.result(&format!("  {line}"));
        }
    }
    printer.result("");
    for picture in sheets {
        printer.result(&format!("sheet   {}", ran.store.sheet(picture).display()));
    }
    say_run(&ran.store, printer);
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
