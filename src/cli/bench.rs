//! `bench`: a benchmark file → generate, render, judge, rate, report; run again, it resumes.

use super::ask_args::{AskBar, dollars, exit, tell_summary};
use super::choice::{FORMS, choice};
use super::judge_args::JudgeArgs;
use super::report::PAGE_FILE;
use super::{Exit, Failure, Global, Printer};
use crate::ask::{AskSettings, Progress};
use crate::bench::{
    BenchFile, Extent, JudgeEntry, JudgeTable, MissingAssets, Observer, PairSchedule, Plan,
    SCHEMA_FILE, TEMPLATE, estimates, extent, run as run_plan, schema,
};
use crate::front::RUNS_FOLDER;
use crate::judge::{Judge, OpenSettings, Spec};
use crate::report::{GalleryPlace, PictureCount, RunReport, write_report};
use crate::results::{RELIABILITY_KEY, RateSettings, read_reliability};
use crate::rubric::Form;
use crate::store::{Store, default_folder};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What `--init` writes unless told otherwise.
const INIT_FILE: &str = "bench.toml";

/// So many warnings about assets are said; the rest is counted.
const WARNINGS_SHOWN_MAX: usize = 20;

/// So many missing assets are named.
const MISSING_SHOWN_MAX: usize = 20;

/// Longest time for one reply unless told otherwise.
const REPLY_SECS: u64 = 300;

/// Arguments of `bench`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge bench --init                        write a commented bench.toml and its JSON Schema
  meshjudge bench bench.toml --dry-run          what would be made and asked, of whom
  meshjudge bench bench.toml                    generate, render, judge, rate, report
  meshjudge bench bench.toml --shard 1/4        one of four machines; then `meshjudge rate` all four run folders

Run it again after a stop, a failure or a change of the file: it goes on in the same folder and asks nothing twice.")]
pub(super) struct BenchArgs {
    /// The benchmark file
    #[arg(value_name = "FILE.toml", required_unless_present_any = ["init", "schema"])]
    pub file: Option<PathBuf>,

    /// Write a commented benchmark file, and its schema beside it
    #[arg(long, conflicts_with_all = ["dry_run", "shard"])]
    pub init: bool,

    /// Print the JSON Schema of benchmark files
    #[arg(long, conflicts_with_all = ["file", "init"])]
    pub schema: bool,

    /// Say what would be made and asked, and do nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Only one part of the prompts, for one of several machines: 1/4, 2/4, …
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<(usize, usize)>,

    /// How a pair is sent, instead of the file's `pictures.form`: sheet, object or separate
    #[arg(long, value_name = "FORM", hide_possible_values = true, value_parser = choice::<Form>(FORMS))]
    pub pictures: Option<Form>,

    /// Who is asked, instead of the file's judges
    #[arg(long, value_name = "SPEC", help_heading = "Judges")]
    pub judge: Vec<Spec>,

    /// Server of the judges given with --judge
    #[arg(long, value_name = "URL", help_heading = "Judges", requires = "judge")]
    pub base_url: Option<String>,

    /// How often each question is asked, instead of the file's samples
    #[arg(long, value_name = "N", help_heading = "Judges", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub samples: Option<u32>,

    /// Stop after so many requests to servers, retries included
    #[arg(long, value_name = "N", help_heading = "Judges")]
    pub max_requests: Option<u64>,

    /// Stop before the run has cost this, earlier calls included
    #[arg(long, value_name = "USD", help_heading = "Judges", value_parser = dollars)]
    pub max_cost: Option<f64>,

    /// Requests at a time
    #[arg(long, value_name = "N", help_heading = "Judges", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub concurrency: Option<u16>,

    /// Decides what is drawn by chance, instead of the file's `pairs.seed`
    #[arg(long, value_name = "N", help_heading = "Judges")]
    pub seed: Option<u64>,

    /// What judges are and may cost.
    #[command(flatten)]
    pub judging: JudgeArgs,
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let parsed = text
        .split_once('/')
        .and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parsed {
        Some((index, count)) if (1..=count).contains(&index) => Ok((index, count)),
        _ => Err("give which part of how many, such as 2/4".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
/// A file that cannot be used; nothing was made or asked then.
pub(super) fn run(args: &BenchArgs, global: &Global, printer: &Printer) -> Result<Exit, Failure> {
    if args.schema {
        printer.data(schema().trim_end());
        return Ok(Exit::Done);
    }
    if args.init {
        return init(
            args.file.as_deref().unwrap_or(Path::new(INIT_FILE)),
            printer,
        );
    }
    let path = args.file.as_deref().unwrap_or(Path::new(INIT_FILE));
    let mut file = BenchFile::open(path)?;
    override_file(&mut file, args);
    file.pictures.form = args.pictures.unwrap_or(file.pictures.form);
    let mut plan = Plan::new(&file, path)?.drawn_by(&global.renderer(printer)?);
    if let Some((index, count)) = args.shard {
        plan = plan.shard(index - 1, count);
        if plan.prompts.is_empty() {
            return Err(format!("part {index} of {count} holds no prompt; use fewer parts").into());
        }
    }
    let judging = JudgeArgs {
        models: (args.judging.models.clone()).or_else(|| {
            file.models
                .as_ref()
                .map(|models| path.parent().unwrap_or(Path::new("")).join(models))
        }),
        ..args.judging.clone()
    };
    let judges = judges(&file, &judging)?;
    let names: Vec<String> = judges.iter().map(Judge::name).collect();
    let folder = path.parent().unwrap_or(Path::new(""));
    let reliability = read_reliability(&file.audits, folder, &names)?;
    let identity = identity(path, args.shard);
    let folder = match (&global.run, args.shard) {
        (Some(folder), None) => folder.clone(),
        (Some(folder), Some((index, count))) => folder.join(format!("shard-{index}-of-{count}")),
        (None, _) => default_folder(Path::new(RUNS_FOLDER), "bench", |config| {
            config.get("identity").and_then(toml::Value::as_str) == Some(&identity)
        }),
    };
    let counted = extent(&plan, judges.len(), file.samples, &folder);
    tell_plan(&plan, &file, &judges, &counted, printer);
    if args.dry_run {
        return Ok(Exit::Done);
    }
    let mut store = Store::open(&folder)?;
    let mut config = config(&file, &plan, path, &identity);
    config.insert(
        RELIABILITY_KEY.to_owned(),
        toml::Value::try_from(&reliability)?,
    );
    store.keep_config(&config)?;
    let settings = args.judging.lay_over(AskSettings {
        samples: file.samples,
        seed: file.pairs.seed,
        concurrency: usize::from(file.concurrency),
        requests_max: file.budget.max_requests,
        cost_usd_max: file.budget.max_cost_usd,
        handles_signals: true,
        ..AskSettings::default()
    });
    let watch = Watch {
        bar: AskBar::new(counted.questions, printer),
        warned: AtomicUsize::new(0),
    };
    let (store, summary) = run_plan(&plan, &judges, &settings, store, &watch)?;
    watch.finish();
    tell_summary(&summary, printer);
    let has_missing = tell_missing(&store, printer)?;
    let ended = match exit(&summary) {
        Exit::Done if has_missing => Exit::SomeFailed,
        other => other,
    };
    drop(store);
    tell_results(&file, &folder, ended, printer)
}

fn init(path: &Path, printer: &Printer) -> Result<Exit, Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    for (path, text) in [
        (path.to_owned(), TEMPLATE.to_owned()),
        (folder.join(SCHEMA_FILE), schema()),
    ] {
        let mut file = std::fs::File::create_new(&path).map_err(|e| {
            format!(
                "cannot write the file ({e}); remove what is there, or give another name: {path:?}"
            )
        })?;
        std::io::Write::write_all(&mut file, text.as_bytes())?;
        printer.result(&format!("wrote   {}", path.display()));
    }
    printer.result(&format!(
        "next    name your prompts and generators in it, then: meshjudge bench {} --dry-run",
        path.display()
    ));
    Ok(Exit::Done)
}

/// Flags go before the file.
fn override_file(file: &mut BenchFile, args: &BenchArgs) {
    if !args.judge.is_empty() {
        file.judges = (args.judge.iter())
            .map(|spec| {
                JudgeEntry::Table(JudgeTable {
                    spec: spec.to_string(),
                    base_url: args.base_url.clone(),
                    timeout_secs: None,
                    batch: None,
                })
            })
            .collect();
    }
    file.samples = args.samples.unwrap_or(file.samples);
    file.concurrency = args.concurrency.unwrap_or(file.concurrency);
    file.pairs.seed = args.seed.unwrap_or(file.pairs.seed);
    file.budget.max_requests = args.max_requests.or(file.budget.max_requests);
    file.budget.max_cost_usd = args.max_cost.or(file.budget.max_cost_usd);
}

/// Everyone who is asked, each once.
fn judges(file: &BenchFile, judging: &JudgeArgs) -> Result<Vec<Judge>, Failure> {
    let mut judges: Vec<Judge> = Vec::new();
    for entry in &file.judges {
        let JudgeTable {
            spec,
            base_url,
            timeout_secs,
            batch,
        } = entry.table();
        let spec: Spec = spec.parse()?;
        let timeout = Duration::from_secs(timeout_secs.unwrap_or(REPLY_SECS));
        let settings = judging.open_settings(timeout)?;
        let settings = OpenSettings {
            in_batches: batch.unwrap_or(settings.in_batches),
            ..settings
        };
        let judge = Judge::open(&spec, base_url.as_deref(), &settings)?;
        if judges.iter().any(|known| known.name() == judge.name()) {
            return Err(format!(
                "the judge {} is asked twice; rows could not tell the two apart, so give each once",
                judge.name()
            )
            .into());
        }
        judges.push(judge);
    }
    judging.check_prices(&judges, file.budget.max_cost_usd)?;
    if judges.is_empty() {
        return Err("`judges` is empty; name at least one, such as \"probe\"".into());
    }
    if !(1..=1000).contains(&file.samples) || !(1..=1024).contains(&file.concurrency) {
        return Err("`samples` must be 1 to 1000 and `concurrency` 1 to 1024".into());
    }
    Ok(judges)
}

/// The same file goes on in the same folder, also after it was changed.
fn identity(path: &Path, shard: Option<(usize, usize)>) -> String {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let text = format!("bench\n{}\n{shard:?}", path.display());
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The content of `run.toml`: the file as it was understood. Values of environment variables may be keys and are left out.
fn config(file: &BenchFile, plan: &Plan, path: &Path, identity: &str) -> toml::Table {
    let mut file = file.clone();
    for generator in &mut file.generators {
        generator
            .env
            .values_mut()
            .for_each(|value| *value = "(not kept)".to_owned());
    }
    let text = |text: &str| toml::Value::String(text.to_owned());
    let prompts: Vec<toml::Value> = plan.prompts.iter().map(|p| text(&p.id)).collect();
    let rubrics: Vec<toml::Value> = (plan.rubrics.iter())
        .map(|r| text(&format!("{} {}", r.rubric.name(), r.rubric.hash())))
        .collect();
    let mut config = toml::Table::new();
    config.insert(
        "program".to_owned(),
        text(concat!("meshjudge ", env!("CARGO_PKG_VERSION"))),
    );
    config.insert("identity".to_owned(), text(identity));
    config.insert("file".to_owned(), text(&path.to_string_lossy()));
    config.insert("prompt_ids".to_owned(), prompts.into());
    config.insert("rubric_hashes".to_owned(), rubrics.into());
    if let Ok(table) = toml::Table::try_from(&file) {
        config.insert("bench".to_owned(), table.into());
    }
    config
}

fn tell_plan(plan: &Plan, file: &BenchFile, judges: &[Judge], counted: &Extent, printer: &Printer) {
    let names: Vec<&str> = plan.methods.iter().map(|m| m.name.as_str()).collect();
    let rubrics: Vec<&str> = plan.rubrics.iter().map(|r| r.rubric.name()).collect();
    let judged: Vec<String> = judges.iter().map(Judge::name).collect();
    let paid = judges.iter().filter(|judge| !judge.is_free()).count() as u64;
    let requests = counted.questions / judges.len() as u64 * paid;
    let way = match plan.pairs.schedule {
        PairSchedule::All => "all",
        PairSchedule::RoundRobin => "round-robin",
        PairSchedule::Active => "active, at most",
    };
    printer.row(&serde_json::json!({
        "kind": "plan", "name": plan.name, "generators": names, "prompts": plan.prompts.len(), "seeds": plan.seeds, "rubrics": rubrics,
        "judges": judged, "assets": counted.assets, "there": counted.there, "to_make": counted.to_make, "pairs": counted.pairs,
        "questions": counted.questions, "requests": requests,
    }));
    printer.result(&plan.name);
    printer.result(&format!(
        "  {} generators × {} prompts × {} seeds: {} assets, {} there, {} to be made, {} missing",
        names.len(),
        plan.prompts.len(),
        plan.seeds.len(),
        counted.assets,
        counted.there,
        counted.to_make,
        counted.assets - counted.there - counted.to_make,
    ));
    let pairs = if counted.pairs > 0 {
        format!("{} pairs ({way}) in both orders, ", counted.pairs)
    } else {
        String::new()
    };
    printer.result(&format!(
        "  {pairs}{} questions on {} to {}; {requests} requests to servers, retries not counted",
        counted.questions,
        rubrics.join(", "),
        judged.join(", "),
    ));
    let rule = match file.missing_assets {
        MissingAssets::Loss => "a loss",
        MissingAssets::LeaveOut => "left out",
    };
    printer.result(&format!("  a missing or blank asset is {rule}"));
    super::plan_tell::tell(&estimates(plan, judges, file.samples), printer);
    printer.result("");
}

/// Names assets that could not be judged; whether there are any.
fn tell_missing(store: &Store, printer: &Printer) -> Result<bool, Failure> {
    let made = store.made()?;
    let failed: Vec<_> = made.iter().filter(|made| made.failure.is_some()).collect();
    for made in failed.iter().take(MISSING_SHOWN_MAX) {
        if let Some((stage, reason)) = &made.failure {
            let line = format!(
                "{} has no asset for prompt {:?}, seed {} ({}): {reason}",
                made.method,
                made.prompt_id,
                made.seed,
                stage.as_str()
            );
            printer.error(Failure::from(line).as_ref());
        }
    }
    if failed.len() > MISSING_SHOWN_MAX {
        let more = format!(
            "{} more assets could not be judged",
            failed.len() - MISSING_SHOWN_MAX
        );
        printer.error(Failure::from(more).as_ref());
    }
    Ok(!failed.is_empty())
}

/// The leaderboard, whatever the run's end.
fn tell_results(
    file: &BenchFile,
    folder: &Path,
    ended: Exit,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let settings = RateSettings::from(&file.rating);
    let folders = [folder.to_owned()];
    let report = RunReport::read(&folders, &settings, GalleryPlace::BySize)?;
    let rated = match &report.not_rated {
        None => {
            let rated = super::rate::tell_short(&report.results, printer)?;
            super::rate::tell_reliability(&report.reliability, printer);
            rated
        }
        // What was handed in has no answers yet: nothing is wrong.
        Some(_) if ended == Exit::InBatches => ended,
        // A stopped run may have nothing yet, and says why it stopped.
        Some(reason) => {
            printer.error(Failure::from(reason.clone()).as_ref());
            Exit::SomeFailed
        }
    };
    let page = folder.join(PAGE_FILE);
    write_report(&report, &page, PictureCount::default())?;
    printer.result(&format!("run     {}", folder.display()));
    printer.result(&format!("report  {}", page.display()));
    printer.row(&serde_json::json!({"kind": "report", "path": page}));
    Ok(if ended == Exit::Done { rated } else { ended })
}

/// Shows progress and warnings.
struct Watch {
    bar: AskBar,
    warned: AtomicUsize,
}

impl Watch {
    fn finish(&self) {
        self.bar.finish();
        let warned = self.warned.load(Ordering::Relaxed);
        if warned > WARNINGS_SHOWN_MAX {
            let more = warned - WARNINGS_SHOWN_MAX;
            self.bar.printer().note(&format!(
                "{more} more warnings about assets; `meshjudge inspect` shows those of one asset"
            ));
        }
    }
}

impl Observer for Watch {
    fn progress(&self, progress: &Progress, made: usize, to_make: usize) {
        let assets = match to_make {
            0 => String::new(),
            _ => format!(", {made} of {to_make} assets made"),
        };
        self.bar.show(progress, &assets);
    }

    fn warn(&self, warning: &str) {
        if self.warned.fetch_add(1, Ordering::Relaxed) < WARNINGS_SHOWN_MAX {
            self.bar.printer().warn(warning);
        }
    }

    fn note(&self, note: &str) {
        self.bar.printer().note(note);
    }
}
