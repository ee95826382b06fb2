//! `audit`: what a judge is worth, measured on pairs whose right answer is known.

use super::ask_args::{AskArgs, RunSubject, about_rubric, exit, open_run, say_run, tell_summary};
use super::audit_tell::tell;
use super::draw_args::{DrawArgs, drawings};
use super::judge_args::progress_words;
use super::{Exit, Failure, Global, Printer};
use crate::audit::{AuditPlan, Subject, ask_about, figures};
use crate::bases::{self, Split};
use crate::bench::protocol;
use crate::damage::{Family, Kind, kind, kinds};
use crate::report::{write_audit_page, write_whole};
use crate::rubric::{Form, Kind as RubricKind};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The figures' file in a run folder.
const FIGURES_FILE: &str = "audit.json";

/// The page's.
const PAGE_FILE: &str = "audit.html";

/// So many pairs that could not be made are named.
const LEFT_OUT_NAMED_MAX: usize = 20;

/// Arguments of `audit`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge audit
  meshjudge audit --kinds holes,blur,text --levels 0.5,1
  meshjudge audit --judge openai:gpt-5 --kinds geometry --dry-run
  meshjudge audit --judge probe --bases my_models --views 9

Each object is set against the same object damaged (`meshjudge damage --list` shows how), in both orders, and against itself. A pair is
right when the undamaged one wins in both orders. Without --bases, our own objects are used: the held half, which no threshold was
fitted on.")]
pub struct AuditArgs {
    /// A folder of clean assets, instead of our own objects
    #[arg(long, value_name = "DIR", conflicts_with = "split")]
    pub bases: Option<PathBuf>,

    /// Which half of our own objects
    #[arg(long, value_enum, default_value_t)]
    pub split: Half,

    /// How many objects at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub objects: Option<u32>,

    /// Kinds of damage, by name or family
    #[arg(long, value_name = "KIND|geometry|texture", value_delimiter = ',')]
    pub kinds: Vec<String>,

    /// How much damage, each above 0 to 1
    #[arg(long, value_name = "LEVEL", value_delimiter = ',', default_value = "0.25,0.5,1", value_parser = level)]
    pub levels: Vec<f32>,

    /// pairwise, or a rubric file of that kind
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "pairwise")]
    pub rubric: String,

    /// Scale the sheet so that its longer side has at most this many pixels
    #[arg(long, value_name = "PX")]
    pub fit: Option<u32>,

    /// How the pair is sent
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub pictures: Form,

    /// Who is asked, and how.
    #[command(flatten)]
    pub ask: AskArgs,

    /// How the sheet is drawn.
    #[command(flatten)]
    pub draw: DrawArgs,
}

/// Which of our own objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Half {
    /// For figures: no threshold was fitted on these
    #[default]
    Held,
    /// For fitting
    Fit,
    /// Both
    All,
}

fn level(text: &str) -> Result<f32, String> {
    match text.trim().parse::<f32>() {
        Ok(level) if level > 0.0 && level <= 1.0 => Ok(level),
        _ => Err("give levels above 0 up to 1, such as 0.25,0.5,1".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
/// Unknown kinds, assets that cannot be read, configuration; nothing was asked then.
pub fn run(args: &AuditArgs, global: &Global, printer: &Printer) -> Result<Exit, Failure> {
    let rubric = args.ask.rubric(&args.rubric, args.pictures)?;
    if rubric.kind() != RubricKind::Pairwise {
        return Err(format!(
            "an audit asks about pairs, and the rubric {:?} is not for two objects",
            rubric.name()
        )
        .into());
    }
    let mut levels = args.levels.clone();
    levels.sort_by(f32::total_cmp);
    levels.dedup();
    let mut subjects = match &args.bases {
        Some(folder) => from_folder(folder, global)?,
        None => own(args.split),
    };
    subjects.truncate(args.objects.map_or(usize::MAX, |n| n as usize));
    let plan = AuditPlan {
        subjects,
        kinds: chosen(&args.kinds)?,
        levels,
        seed: args.ask.seed,
    };
    let judges = args.ask.judges()?;
    let drawings = drawings(&rubric, &args.draw, global, printer)?;
    let times = judges.len() as u64 * u64::from(args.ask.samples);
    let total = 2 * plan.num_pairs() as u64 * times;
    let paid = judges.iter().filter(|judge| !judge.is_free()).count() as u64;
    printer.row(&serde_json::json!({
        "kind": "plan", "objects": plan.subjects.len(), "kinds": plan.kinds.iter().map(|k| k.name).collect::<Vec<_>>(),
        "levels": plan.levels, "pairs": plan.num_pairs(), "questions": total, "requests": total / judges.len() as u64 * paid,
    }));
    printer.note(&format!(
        "{} objects × {} kinds × {} levels, and each object against itself: {} pairs in both orders, {total} questions",
        plan.subjects.len(),
        plan.kinds.len(),
        plan.levels.len(),
        plan.num_pairs(),
    ));
    if args.ask.dry_run {
        return Ok(Exit::Done);
    }
    let mut about = toml::Table::new();
    let names = |names: Vec<String>| toml::Value::from(names);
    let objects = plan.subjects.iter().map(Subject::name).collect();
    about.insert("objects".to_owned(), names(objects));
    let kinds = plan.kinds.iter().map(|k| k.name.to_owned()).collect();
    about.insert("kinds".to_owned(), names(kinds));
    let levels = plan.levels.iter().map(f32::to_string).collect();
    about.insert("levels".to_owned(), names(levels));
    about_rubric(&rubric, &mut about);
    let protocol = protocol(&drawings, &global.load_options());
    let protocol = protocol.map(|p| p.hash.clone()).unwrap_or_default();
    about.insert("protocol".to_owned(), protocol.into());
    let subject = RunSubject {
        command: "audit",
        about,
    };
    let mut store = open_run(&args.ask, &judges, &subject, global)?;
    let bar = printer.with_progress(total, "questions");
    let mut shown = 0;
    let left_out: Mutex<Vec<String>> = Mutex::default();
    let summary = ask_about(
        &plan,
        &rubric,
        &drawings,
        &judges,
        args.fit,
        &args.ask.settings(total),
        &mut store,
        |progress| {
            for _ in shown..progress.done {
                bar.step();
            }
            shown = progress.done;
            bar.set_length(progress.total);
            bar.set_message(&progress_words(progress));
        },
        &|reason| {
            let mut list = left_out.lock().unwrap_or_else(|e| e.into_inner());
            list.push(reason.to_owned());
        },
    )?;
    bar.finish();
    tell_summary(&summary, printer);
    let left_out = left_out.into_inner().unwrap_or_else(|e| e.into_inner());
    for reason in left_out.iter().take(LEFT_OUT_NAMED_MAX) {
        printer.note(&format!("left out: {reason}"));
    }
    if left_out.len() > LEFT_OUT_NAMED_MAX {
        let more = left_out.len() - LEFT_OUT_NAMED_MAX;
        printer.note(&format!("left out: {more} more pairs"));
    }
    let mut rows = Vec::new();
    store.rows(|row| -> Result<(), Failure> {
        rows.push(row);
        Ok(())
    })?;
    let figures = figures(&rows);
    tell(&figures, printer);
    let path = store.folder().join(FIGURES_FILE);
    let text = format!("{:#}\n", serde_json::to_value(&figures)?);
    write_whole(&path, text.as_bytes())?;
    printer.result(&format!("figures {}", path.display()));
    let folder = store.folder().file_name();
    let name = folder.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let page = store.folder().join(PAGE_FILE);
    write_whole(&page, write_audit_page(&figures, &name)?.as_bytes())?;
    printer.result(&format!("page    {}", page.display()));
    say_run(&store, printer);
    Ok(exit(&summary))
}

fn own(half: Half) -> Vec<Subject> {
    let is_wanted = |split: Split| match half {
        Half::Held => split == Split::Held,
        Half::Fit => split == Split::Fit,
        Half::All => true,
    };
    let all = bases::all().iter();
    all.filter(|base| is_wanted(base.split))
        .map(Subject::Own)
        .collect()
}

/// Every asset of the folder, by name; what cannot be read is an error, so that an audit is of what one thinks it is.
fn from_folder(folder: &Path, global: &Global) -> Result<Vec<Subject>, Failure> {
    let listed = std::fs::read_dir(folder)
        .map_err(|e| format!("cannot list the folder of clean assets ({e}): {folder:?}"))?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in listed {
        let path = entry?.path();
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        if matches!(extension.as_deref(), Some("glb" | "gltf" | "obj")) {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(format!("no .glb, .gltf or .obj lies in {folder:?}").into());
    }
    paths.sort();
    (paths.into_iter())
        .map(|path| {
            let loaded = global.load(&path)?;
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            Ok(Subject::File {
                prompt: stem.replace(['_', '-'], " "),
                scene: Box::new(loaded.scene),
                hash: loaded.hash,
                path,
            })
        })
        .collect()
}

fn chosen(names: &[String]) -> Result<Vec<&'static Kind>, Failure> {
    if names.is_empty() {
        return Ok(kinds().iter().collect());
    }
    let mut chosen: Vec<&'static Kind> = Vec::new();
    for name in names {
        let found: Vec<&'static Kind> = match name.as_str() {
            "geometry" => of_family(Family::Geometry),
            "texture" => of_family(Family::Texture),
            name => kind(name).into_iter().collect(),
        };
        if found.is_empty() {
            let known: Vec<&str> = kinds().iter().map(|kind| kind.name).collect();
            return Err(format!(
                "{name:?} is no kind of damage; there are geometry and texture, or one by one {}",
                known.join(", ")
            )
            .into());
        }
        chosen.extend(found);
    }
    let mut seen = std::collections::BTreeSet::new();
    chosen.retain(|kind| seen.insert(kind.name));
    Ok(chosen)
}

fn of_family(family: Family) -> Vec<&'static Kind> {
    kinds().iter().filter(|k| k.family == family).collect()
}
