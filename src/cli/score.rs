//! `score`: one asset against a photo, or one picture or asset against its prompt → a score, kept and told.

use super::ask_args::{
    AskArgs, Ran, RunSubject, about_rubric, exit, run_units, say_run, store_asset, store_protocol,
};
use super::draw_args::{DrawArgs, warn_of_asset, warn_of_frames};
use super::sheet::read_picture;
use super::{Exit, Failure, Global, Printer};
use crate::bench::Unit;
use crate::judge::{Evidence, Picture, Question};
use crate::render::{Channel, Frame, Image, PixelFormat, draw};
use crate::rubric::{Content, Example, Kind, Order, PictureSpec, Rubric, Verdict};
use crate::scene::Scene;
use crate::sheet::{self, Reference, ReferenceStyle};
use crate::store::{Protocol, Subject};
use clap::Args;
use std::path::{Path, PathBuf};
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
    Asset { scene: Arc<Scene>, hash: String },
    Picture { picture: Picture, image: Arc<Image> },
}

/// The pictures of the question while they are made.
struct Shown {
    pictures: Vec<Picture>,
    evidence: Evidence,
    protocol: Option<Arc<Protocol>>,
}

/// Runs the command.
///
/// # Errors
/// Unreadable input and configuration; nothing was asked then.
pub fn run(args: &ScoreArgs, global: &Global, printer: &Printer) -> Result<Exit, Failure> {
    global.check_renderer()?;
    let rubric = args.ask.rubric(&args.rubric)?;
    // A category that the rubric lacks is found before anything is loaded.
    rubric.text(args.category.as_deref())?;
    let judges = args.ask.judges()?;
    let examples = match &args.examples {
        Some(folder) => rubric.examples(folder)?,
        None => Vec::new(),
    };
    let input = read_input(args, &rubric, global, printer)?;
    let shown = match rubric.kind() {
        Kind::Pairwise => {
            return Err(format!(
                "the rubric {:?} is for two objects; use `compare`",
                rubric.name()
            )
            .into());
        }
        Kind::Reconstruction => show_reconstruction(args, &rubric, &input, global, printer)?,
        Kind::Category => show_category(args, &rubric, &input, global, printer)?,
    };
    let (about, unit) = unit(args, &rubric, &input, &examples, shown)?;
    let subject = RunSubject {
        command: "score",
        about,
    };
    let sheets: Vec<Picture> = pictures(&unit).cloned().collect();
    let ran = run_units(vec![unit], &judges, &args.ask, subject, global, printer)?;
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
        scene: Arc::new(loaded.scene),
        hash: loaded.hash,
    })
}

fn show_reconstruction(
    args: &ScoreArgs,
    rubric: &Rubric,
    input: &Input,
    global: &Global,
    printer: &Printer,
) -> Result<Shown, Failure> {
    let Input::Asset { scene, .. } = input else {
        return Err("only an asset can be scored against a photo".into());
    };
    let (Some(photo), Some(mask)) = (&args.image, &args.mask) else {
        return Err(
            "the reconstruction rubric needs the photo and its mask; give --image and --mask"
                .into(),
        );
    };
    let (photo, mask) = (read_picture(photo)?, read_picture(mask)?);
    let reference = sheet::reference(&photo, &mask, &ReferenceStyle::default())?;
    let mut protocol = None;
    let pictures = (rubric.pictures().iter())
        .map(|spec| match reference_picture(spec.content, &reference) {
            Some(image) => Ok(Picture::from_image(image)?),
            None if spec.content == Content::FourView => {
                let drawing = args.draw.resolve("four-view", None, &[Channel::Rgb])?;
                protocol = Some(store_protocol(&drawing.protocol(global)));
                let frames = frames_of(scene, &drawing, &args.input, printer)?;
                Ok(Picture::from_image(&sheet::four_view(&frames)?)?)
            }
            None => Err(unfit(spec, rubric)),
        })
        .collect::<Result<_, Failure>>()?;
    let photo = (photo.to_rgb8().into_owned(), sheet::read_mask(&mask)?);
    debug_assert_eq!(photo.1.format, PixelFormat::Grey8);
    Ok(Shown {
        pictures,
        evidence: Evidence {
            scenes: vec![Arc::clone(scene)],
            photo: Some(Arc::new(photo)),
            picture: None,
        },
        protocol,
    })
}

fn reference_picture(content: Content, reference: &Reference) -> Option<&Image> {
    match content {
        Content::Highlighted => Some(&reference.highlighted),
        Content::ZoomHighlighted => Some(&reference.zoom_highlighted),
        Content::Zoom => Some(&reference.zoom),
        Content::FourView | Content::PairSheet | Content::Picture => None,
    }
}

fn show_category(
    args: &ScoreArgs,
    rubric: &Rubric,
    input: &Input,
    global: &Global,
    printer: &Printer,
) -> Result<Shown, Failure> {
    let mut shown = Shown {
        pictures: Vec::new(),
        evidence: Evidence::default(),
        protocol: None,
    };
    for spec in rubric.pictures() {
        if spec.content != Content::Picture {
            return Err(unfit(spec, rubric));
        }
        let image = match input {
            Input::Picture { picture, image } => {
                shown.pictures.push(picture.clone());
                Arc::clone(image)
            }
            Input::Asset { scene, .. } => {
                let drawing =
                    args.draw
                        .resolve("ring", spec.views.map(|n| n as usize), &spec.channels)?;
                let frames = frames_of(scene, &drawing, &args.input, printer)?;
                let image = sheet::grid(&frames, &drawing.settings.channels)?;
                shown.protocol = Some(store_protocol(&drawing.protocol(global)));
                shown.evidence.scenes = vec![Arc::clone(scene)];
                shown.pictures.push(Picture::from_image(&image)?);
                Arc::new(image)
            }
        };
        shown.evidence.picture.get_or_insert(image);
    }
    Ok(shown)
}

fn frames_of(
    scene: &Scene,
    drawing: &super::draw_args::Drawing,
    path: &Path,
    printer: &Printer,
) -> Result<Vec<Frame>, Failure> {
    let frames = draw(scene, &drawing.rig, &drawing.settings)?;
    warn_of_frames(printer, path, &frames);
    Ok(frames)
}

fn unfit(spec: &PictureSpec, rubric: &Rubric) -> Failure {
    format!("the picture {:?} of the rubric {:?} cannot be made here; its content does not suit the rubric's kind", spec.id, rubric.name()).into()
}

fn unit(
    args: &ScoreArgs,
    rubric: &Arc<Rubric>,
    input: &Input,
    examples: &[Example],
    shown: Shown,
) -> Result<(toml::Table, Unit), Failure> {
    let Shown {
        pictures,
        evidence,
        protocol,
    } = shown;
    let (category, prompt) = (args.category.clone(), args.prompt.clone());
    let parts = rubric.message(category.as_deref(), prompt.as_deref(), examples, &pictures)?;
    let hash = match input {
        Input::Asset { hash, .. } => hash,
        Input::Picture { picture, .. } => &picture.hash,
    };
    let asset = store_asset(&args.input, hash, None);
    let mut about = toml::Table::new();
    about.insert("input".to_owned(), toml::Value::String(asset.path.clone()));
    about.insert("hash".to_owned(), toml::Value::String(hash.clone()));
    about_rubric(rubric, &mut about);
    let given = [("category", &category), ("prompt", &prompt)];
    for (key, value) in given {
        if let Some(value) = value {
            about.insert(key.to_owned(), toml::Value::String(value.clone()));
        }
    }
    let file = |path: &Option<PathBuf>| {
        path.as_ref()
            .map(|path| path.to_string_lossy().into_owned())
    };
    for (key, path) in [
        ("image", &args.image),
        ("mask", &args.mask),
        ("examples", &args.examples),
    ] {
        if let Some(path) = file(path) {
            about.insert(key.to_owned(), toml::Value::String(path));
        }
    }
    let question = Question {
        rubric: Arc::clone(rubric),
        category,
        prompt,
        parts,
        evidence,
    };
    // What is shown decides too, whatever the files are called.
    let shown: Vec<toml::Value> = pictures.iter().map(|p| p.hash.clone().into()).collect();
    about.insert("pictures".to_owned(), shown.into());
    let subject = Subject {
        question: Arc::new(question),
        a: asset,
        b: None,
        order: Order::AsListed,
        protocol,
        plan: None,
    };
    Ok((
        about,
        Unit {
            subjects: vec![subject],
            what: args.input.display().to_string(),
        },
    ))
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
