//! `audit`: how reliable a judge is, measured on pairs whose right answer is known.

use super::ask_args::{AskArgs, AskBar, exit, say_run, tell_summary};
use super::audit_tell::tell;
use super::choice::{FORMS, choice};
use super::draw_args::{DrawArgs, drawings};
use super::{Exit, Failure, Global, Printer};
use crate::ask::{Session, protocol_of};
use crate::audit::{
    Amounts, AuditPlan, AuditSheet, CleanObject, JudgeFigures, Notes, SheetSpec, ask_about,
    estimates, figures,
};
use crate::damage::{DamageKind, Family, kind, kinds, scene_kinds};
use crate::front::{RunConfig, add_rubric};
use crate::objects::assembled::Assembled;
use crate::objects::scenes::cases;
use crate::objects::{self, Split};
use crate::report::{write_audit_page, write_whole};
use crate::rubric::{Form, Kind, Rubric};
use crate::store::{Record, Store};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The figures' file in a run folder.
const FIGURES_FILE: &str = "audit.json";

/// What the run's rows do not hold.
const NOTES_FILE: &str = "audit_notes.json";

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
  meshjudge audit --fresh 64 --seed 7
  meshjudge audit --judge probe --bases my_models --views 9
  meshjudge audit --judge openai:gpt-5 --sheets 4x512,9x341,4x512:rgb
  meshjudge audit --judge openai:gpt-5 --rubric category
  meshjudge audit --compare runs/audit-1 runs/audit-2

Each object is set against the same object damaged (`meshjudge damage --list` shows how), in both orders, and against itself. A pair is
right when the undamaged one wins in both orders. Without --bases, our own objects are used: the held half, which no threshold was
fitted on; --fresh N takes as many objects put together by chance as an interval needs. With --rubric category, scenes of our own are scored as their prompt says and with the prompt made untrue: right is a lower
score. --sheets asks the same pairs under several sheets; the question's text stays the same.")]
pub(super) struct AuditArgs {
    /// A folder of clean assets, instead of our own objects
    #[arg(long, value_name = "DIR", conflicts_with = "split")]
    pub bases: Option<PathBuf>,

    /// Which half of our own objects
    #[arg(long, value_enum, default_value_t)]
    pub split: Half,

    /// So many objects put together by chance from --seed, which nobody has looked at, instead of our 32
    #[arg(long, value_name = "N", conflicts_with_all = ["bases", "split"], value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub fresh: Option<u32>,

    /// How many objects at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub objects: Option<u32>,

    /// Kinds of damage, by name or family
    #[arg(
        long,
        value_name = "KIND|geometry|texture|harmless|scene",
        value_delimiter = ','
    )]
    pub kinds: Vec<String>,

    /// How much damage, each above 0 to 1
    #[arg(long, value_name = "LEVEL", value_delimiter = ',', default_value = "0.25,0.5,1", value_parser = level)]
    pub levels: Vec<f32>,

    /// Several sheets: views and their edge in pixels, and channels where they are not the rubric's
    #[arg(long, value_name = "VIEWSxPX[:CHANNEL+CHANNEL]", value_delimiter = ',', conflicts_with_all = ["views", "size"])]
    pub sheets: Vec<SheetSpec>,

    /// Set the figures of finished audits side by side on one page, and ask nothing
    #[arg(long, value_name = "RUN", num_args = 1.., conflicts_with_all = ["bases", "kinds", "sheets", "objects"])]
    pub compare: Vec<PathBuf>,

    /// The page that --compare writes; the figures lie beside it as .json
    #[arg(long, value_name = "FILE.html", default_value = "audit_compare.html")]
    pub out: PathBuf,

    /// pairwise, category, or a rubric file of one of these kinds
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "pairwise")]
    pub rubric: String,

    /// Scale the sheet so that its longer side has at most this many pixels
    #[arg(long, value_name = "PX")]
    pub fit: Option<u32>,

    /// How the pair is sent
    #[arg(long, value_name = "FORM", default_value = "sheet", value_parser = choice::<Form>(FORMS))]
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
pub(super) enum Half {
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

/// What the run's rows do not hold: how much damage each pair has, and the sheets by the hash of their protocol.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    amounts: Amounts,
    sheets: Vec<(String, String)>,
}

/// Runs the command.
///
/// # Errors
/// Unknown kinds, assets that cannot be read, configuration; nothing was asked then.
pub(super) fn run(args: &AuditArgs, global: &Global, printer: &Printer) -> Result<Exit, Failure> {
    if !args.compare.is_empty() {
        return compare(args, printer);
    }
    let rubric = args.ask.rubric(&args.rubric, args.pictures)?;
    let plan = plan(args, rubric.kind(), global)?;
    let judges = args.ask.judges()?;
    let sheets = sheets(args, &rubric, global, printer)?;
    let times = judges.len() as u64 * u64::from(args.ask.samples);
    let total = (plan.num_questions() * sheets.len()) as u64 * times;
    let paid = judges.iter().filter(|judge| !judge.is_free()).count() as u64;
    printer.row(&serde_json::json!({
        "kind": "plan", "objects": plan.objects.len() + plan.cases.len(), "kinds": plan.kinds.iter().map(|k| k.name).collect::<Vec<_>>(),
        "levels": plan.levels, "pairs": plan.num_pairs(), "sheets": sheets.iter().map(|sheet| &sheet.label).collect::<Vec<_>>(),
        "questions": total, "requests": total / judges.len() as u64 * paid,
    }));
    printer.note(&in_words(&plan, sheets.len(), total));
    let mut about = about(&plan);
    add_rubric(&rubric, &mut about);
    let hashes: Vec<String> = sheets.iter().map(AuditSheet::protocol_hash).collect();
    about.insert("protocol".to_owned(), hashes.join(" ").into());
    let config = RunConfig {
        command: "audit",
        about,
        older_keys: &[],
        samples: args.ask.samples,
        how: args.ask.how(),
    };
    if args.ask.dry_run {
        let run = config.find(global.run.as_deref(), &judges)?;
        let answered = match &run {
            Some(run) => run.num_answered()?,
            None => HashMap::new(),
        };
        let (samples, fit) = (args.ask.samples, args.fit);
        let all = estimates(&plan, &rubric, &sheets, &judges, samples, fit, &answered);
        super::plan_tell::tell(&all, printer);
        return Ok(Exit::Done);
    }
    let store = config.open(global.run.as_deref(), &judges)?;
    let mut kept = kept(store.folder())?;
    let mut session = Session::open(store, &judges, &args.ask.settings(), args.fit)?;
    let bar = AskBar::new(total, printer);
    let mut left_out = Vec::new();
    for sheet in &sheets {
        let named = (sheet.protocol_hash(), sheet.label.clone());
        if !kept.sheets.contains(&named) {
            kept.sheets.push(named);
        }
        let notes = Notes::default();
        ask_about(&mut session, &plan, &rubric, sheet, &notes, |progress| {
            bar.show(progress, "");
        })?;
        let (amounts, not_made) = notes.into_parts();
        kept.amounts.extend(amounts);
        left_out.extend(not_made);
        if session.summary().stop.is_some() {
            break;
        }
    }
    let (store, summary) = session.close();
    bar.finish();
    tell_summary(&summary, printer);
    left_out.dedup();
    for reason in left_out.iter().take(LEFT_OUT_NAMED_MAX) {
        printer.note(&format!("left out: {reason}"));
    }
    if left_out.len() > LEFT_OUT_NAMED_MAX {
        let more = left_out.len() - LEFT_OUT_NAMED_MAX;
        printer.note(&format!("left out: {more} more pairs"));
    }
    let text = format!("{:#}\n", serde_json::to_value(&kept)?);
    write_whole(&store.folder().join(NOTES_FILE), text.as_bytes())?;
    let figures = figures(&records(&store)?, &kept.amounts, &kept.sheets);
    tell(&figures, printer);
    let name = name_of(store.folder());
    let page = store.folder().join(PAGE_FILE);
    let path = store.folder().join(FIGURES_FILE);
    write(&figures, &name, &page, &path, printer)?;
    say_run(&store, printer);
    Ok(exit(&summary))
}

/// Finished audits side by side; each is read from its rows again.
fn compare(args: &AuditArgs, printer: &Printer) -> Result<Exit, Failure> {
    let mut all: Vec<JudgeFigures> = Vec::new();
    for folder in &args.compare {
        let store = Store::read(folder)?;
        let kept = kept(folder)?;
        let mut found = figures(&records(&store)?, &kept.amounts, &kept.sheets);
        if found.is_empty() {
            return Err(format!("holds no audit: {folder:?}").into());
        }
        for judge in &mut found {
            judge.run = Some(name_of(folder));
        }
        all.extend(found);
    }
    tell(&all, printer);
    let names: Vec<String> = args.compare.iter().map(|folder| name_of(folder)).collect();
    let data = args.out.with_extension("json");
    write(&all, &names.join(", "), &args.out, &data, printer)?;
    Ok(Exit::Done)
}

fn write(
    figures: &[JudgeFigures],
    name: &str,
    page: &Path,
    data: &Path,
    printer: &Printer,
) -> Result<(), Failure> {
    let text = format!("{:#}\n", serde_json::to_value(figures)?);
    write_whole(data, text.as_bytes())?;
    printer.result(&format!("figures {}", data.display()));
    write_whole(page, write_audit_page(figures, name)?.as_bytes())?;
    printer.result(&format!("page    {}", page.display()));
    Ok(())
}

fn records(store: &Store) -> Result<Vec<Record>, Failure> {
    let mut records = Vec::new();
    store.records(|record| -> Result<(), Failure> {
        records.push(record);
        Ok(())
    })?;
    Ok(records)
}

fn kept(folder: &Path) -> Result<Kept, Failure> {
    let path = folder.join(NOTES_FILE);
    match std::fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map_err(|e| format!("cannot be read ({e}): {path:?}").into()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Kept::default()),
        Err(e) => Err(format!("cannot be read ({e}): {path:?}").into()),
    }
}

fn name_of(folder: &Path) -> String {
    let name = folder.file_name();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn plan(args: &AuditArgs, kind: Kind, global: &Global) -> Result<AuditPlan, Failure> {
    let mut levels = args.levels.clone();
    levels.sort_by(f32::total_cmp);
    levels.dedup();
    let most = args.objects.map_or(usize::MAX, |n| n as usize);
    let (mut objects, mut scenes) = (Vec::new(), Vec::new());
    match kind {
        Kind::Pairwise => {
            objects = match &args.bases {
                Some(folder) => from_folder(folder, global)?,
                None => match args.fresh {
                    Some(count) => fresh(count, args.ask.seed),
                    None => own(args.split),
                },
            };
            objects.truncate(most);
        }
        Kind::Category if args.bases.is_some() || args.fresh.is_some() => {
            return Err(
                "the category rubric is tried with scenes of our own; leave --bases and --fresh out"
                    .into(),
            );
        }
        Kind::Category => scenes.extend(cases().iter().take(most)),
        Kind::Reconstruction => {
            return Err(
                "an audit asks about pairs or scenes, and this rubric wants a photo of each object"
                    .into(),
            );
        }
    }
    Ok(AuditPlan {
        objects,
        cases: scenes,
        kinds: chosen(&args.kinds, kind)?,
        levels,
        seed: args.ask.seed,
    })
}

/// Each form in which the questions are shown; one where nothing else is asked for.
fn sheets(
    args: &AuditArgs,
    rubric: &Rubric,
    global: &Global,
    printer: &Printer,
) -> Result<Vec<AuditSheet>, Failure> {
    let specs: Vec<Option<&SheetSpec>> = match args.sheets.is_empty() {
        true => vec![None],
        false => args.sheets.iter().map(Some).collect(),
    };
    let each = specs.into_iter().map(|spec| {
        let draw = DrawArgs {
            views: spec.map_or(args.draw.views, |spec| Some(spec.views)),
            size: spec.map_or(args.draw.size, |spec| Some(spec.size_px)),
            ..args.draw.clone()
        };
        let mut drawings = drawings(rubric, &draw, global, printer)?;
        let mut label = String::new();
        for drawing in drawings.iter_mut().flatten() {
            if let Some(channels) = spec.and_then(|spec| spec.channels.as_ref()) {
                drawing.settings.channels.clone_from(channels);
            }
            let seen = SheetSpec {
                views: drawing.rig.views.len(),
                size_px: drawing.settings.width_px,
                channels: None,
            };
            label = seen.label(&drawing.settings.channels);
        }
        Ok(AuditSheet {
            label,
            // Of the very options that the assets were loaded with: records of two sheets are told apart by it.
            protocol: protocol_of(&drawings, &global.load_options()),
            drawings,
        })
    });
    each.collect()
}

fn in_words(plan: &AuditPlan, num_sheets: usize, total: u64) -> String {
    let sheets = if num_sheets > 1 {
        format!(", {num_sheets} sheets")
    } else {
        String::new()
    };
    let levels = plan.levels.len();
    if plan.cases.is_empty() {
        format!(
            "{} objects × {} kinds × {levels} levels, and each object against itself: {} pairs in both orders{sheets}, {total} questions",
            plan.objects.len(),
            plan.kinds.len(),
            plan.num_pairs(),
        )
    } else {
        format!(
            "{} scenes as their prompts say, and with {} kinds of untruth at {levels} levels{sheets}: {total} questions",
            plan.cases.len(),
            plan.kinds.len(),
        )
    }
}

/// The run's identity.
fn about(plan: &AuditPlan) -> toml::Table {
    let mut about = toml::Table::new();
    let scenes = plan.cases.iter().map(|case| case.name.to_owned());
    let objects: Vec<String> = plan
        .objects
        .iter()
        .map(CleanObject::name)
        .chain(scenes)
        .collect();
    about.insert("objects".to_owned(), objects.into());
    let kinds: Vec<String> = plan.kinds.iter().map(|k| k.name.to_owned()).collect();
    about.insert("kinds".to_owned(), kinds.into());
    let levels: Vec<String> = plan.levels.iter().map(f32::to_string).collect();
    about.insert("levels".to_owned(), levels.into());
    about
}

fn fresh(count: u32, seed: u64) -> Vec<CleanObject> {
    (0..count)
        .map(|number| CleanObject::Assembled(Assembled { seed, number }))
        .collect()
}

fn own(half: Half) -> Vec<CleanObject> {
    let is_wanted = |split: Split| match half {
        Half::Held => split == Split::Held,
        Half::Fit => split == Split::Fit,
        Half::All => true,
    };
    let all = objects::all().iter();
    all.filter(|object| is_wanted(object.split))
        .map(CleanObject::Own)
        .collect()
}

/// Every asset of the folder, by name; what cannot be read is an error, so that an audit is of what one thinks it is.
fn from_folder(folder: &Path, global: &Global) -> Result<Vec<CleanObject>, Failure> {
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
            Ok(CleanObject::File {
                prompt: stem.replace(['_', '-'], " "),
                scene: loaded.scene,
                hash: loaded.hash,
                path,
            })
        })
        .collect()
}

/// The kinds of that name or family, out of those that the rubric's questions can be about.
fn chosen(names: &[String], rubric: Kind) -> Result<Vec<&'static DamageKind>, Failure> {
    let possible = match rubric {
        Kind::Category => scene_kinds(),
        _ => kinds(),
    };
    if names.is_empty() {
        return Ok(possible.iter().collect());
    }
    let of_family = |family: Family| -> Vec<&'static DamageKind> {
        possible.iter().filter(|k| k.family == family).collect()
    };
    let mut chosen: Vec<&'static DamageKind> = Vec::new();
    for name in names {
        let found: Vec<&'static DamageKind> = match name.as_str() {
            "geometry" => of_family(Family::Geometry),
            "texture" => of_family(Family::Texture),
            "harmless" => of_family(Family::Harmless),
            "scene" => of_family(Family::Scene),
            name => (kind(name).into_iter())
                .filter(|kind| possible.contains(kind))
                .collect(),
        };
        if found.is_empty() {
            let known: Vec<&str> = possible.iter().map(|kind| kind.name).collect();
            return Err(format!(
                "{name:?} is no kind of damage that this rubric is tried with; there are families (geometry, texture and harmless, or scene for the category rubric), or one by one {}",
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
