//! Flags of the commands that ask judges, and the way from ready questions to a kept run.
//!
//! Draws nothing: a command hands in units of questions and what its run is about.

use super::judge_args::{JudgeArgs, progress_words, usd};
use super::{Exit, Failure, Global, Printer};
use crate::bench::{
    AskSettings, Drawing, Stop, Summary, Unit, VIEW_PX_LOW, Work, ask, canaries, estimates_of,
    sights, stop_signal,
};
use crate::judge::{Judge, Spec};
use crate::load::Loaded;
use crate::rubric::{Form, Rubric};
use crate::store::{Asset, Store, default_folder};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where runs lie when the user names no folder.
pub const RUNS: &str = "runs";

/// Units on their way from whoever makes them to the runner; each holds its pictures.
const UNITS_WAITING_MAX: usize = 4;

/// How judges are asked.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Judges")]
pub struct AskArgs {
    /// Who is asked: probe, openai:MODEL, openai-responses:MODEL, anthropic:MODEL, gemini:MODEL; may be given more than once
    #[arg(long, value_name = "SPEC", default_value = "probe")]
    pub judge: Vec<Spec>,

    /// Server that speaks the judge's route, up to before /chat/completions, /responses, /messages or /models; a local one needs no key
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,

    /// How often each question is asked
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub samples: u32,

    /// Stop after so many requests to servers, retries included; the same command goes on
    #[arg(long, value_name = "N")]
    pub max_requests: Option<u64>,

    /// Stop before the run has cost this, earlier calls included; the dearest that a request can be is set aside before it is sent
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub max_cost: Option<f64>,

    /// Requests at a time, at most; each judge begins with four and grows
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub concurrency: u16,

    /// Decides whatever is drawn by chance, such as pauses between tries
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Longest time for one reply
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub timeout_secs: u32,

    /// The judge's text instead of the rubric's: plain text, or for the category rubric a JSON map from category to text
    #[arg(long, value_name = "FILE")]
    pub question: Option<PathBuf>,

    /// Say how many questions, pictures, tokens and dollars each judge would take, and ask nothing
    #[arg(long)]
    pub dry_run: bool,

    /// What judges are and may cost.
    #[command(flatten)]
    pub judging: JudgeArgs,
}

/// An amount on the command line.
pub fn dollars(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("give an amount in US dollars, such as 2.50".to_owned()),
    }
}

impl AskArgs {
    /// The rubric that `name` stands for, its pairs sent in `form`, with the user's text if there is one.
    ///
    /// # Errors
    /// What is wrong with its file or with the text.
    pub fn rubric(&self, name: &str, form: Form) -> Result<Arc<Rubric>, Failure> {
        let rubric = Rubric::open(name)?.with_form(form)?;
        let rubric = match &self.question {
            Some(path) => rubric.with_question(path)?,
            None => rubric,
        };
        Ok(Arc::new(rubric))
    }

    /// Everyone who is asked, each once.
    ///
    /// # Errors
    /// A missing key, an address that cannot be used, a cost limit that cannot be kept.
    pub fn judges(&self) -> Result<Vec<Judge>, Failure> {
        let timeout = Duration::from_secs(u64::from(self.timeout_secs));
        let settings = self.judging.open_settings(timeout)?;
        let mut specs = self.judge.clone();
        let mut seen = std::collections::BTreeSet::new();
        specs.retain(|spec| seen.insert(spec.clone()));
        let judges = specs
            .iter()
            .map(|spec| Judge::open(spec, self.base_url.as_deref(), &settings))
            .collect::<Result<Vec<_>, _>>()?;
        self.judging.check_prices(&judges, self.max_cost)?;
        Ok(judges)
    }

    /// What the runner is told; `total` is the number of questions to come.
    pub fn settings(&self, total: u64) -> AskSettings {
        self.judging.lay_over(AskSettings {
            samples: self.samples,
            seed: self.seed,
            concurrency: usize::from(self.concurrency),
            requests_max: self.max_requests,
            cost_usd_max: self.max_cost,
            total: Some(total),
            ..AskSettings::default()
        })
    }
}

/// What a run is about: everything that decides which questions are asked. Two commands with the same subject share a run.
pub struct RunSubject {
    /// The command's name.
    pub command: &'static str,
    /// Its questions' origin: assets, prompt, rubric, protocol.
    pub about: toml::Table,
}

/// An asked run.
pub struct Ran {
    /// Its store, still open.
    pub store: Store,
    /// How it ended.
    pub summary: Summary,
}

/// Opens the run folder, asks every unit of every judge, and names each failure. Nothing of it in a dry run, which says what would be
/// asked.
///
/// # Errors
/// A folder that cannot be used, before anything is asked; a disk that fails, while it is.
pub fn run_units(
    units: Vec<Unit>,
    judges: &[Judge],
    args: &AskArgs,
    subject: RunSubject,
    global: &Global,
    printer: &Printer,
) -> Result<Option<Ran>, Failure> {
    if args.dry_run {
        super::plan_tell::tell(&estimates_of(&units, judges, args.samples), printer);
        return Ok(None);
    }
    let mut store = open_run(args, judges, &subject, global)?;
    let of =
        |unit: &Unit| unit.subjects.len() * unit.judges.as_ref().map_or(judges.len(), Vec::len);
    let questions: usize = units.iter().map(of).sum();
    let total = questions as u64 * u64::from(args.samples);
    let mut settings = args.settings(total);
    let bar = printer.with_progress(total, "questions");
    let mut shown = 0;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let looking = canaries(judges, settings.canary, &settings, &mut store);
    settings.refused = runtime.block_on(looking)?.into_iter().collect();
    let summary = runtime.block_on(async {
        let (unit_to, unit_from) = tokio::sync::mpsc::channel(UNITS_WAITING_MAX);
        let (stop_to, stop_from) = tokio::sync::mpsc::channel(2);
        tokio::spawn(async move {
            while stop_signal().await.is_ok() && stop_to.send(()).await.is_ok() {}
        });
        tokio::spawn(async move {
            for unit in units {
                // The runner has stopped; the rest stays for the next run.
                if unit_to.send(Work::Ask(unit)).await.is_err() {
                    break;
                }
            }
        });
        let progress = |progress: &crate::bench::Progress| {
            for _ in shown..progress.done {
                bar.step();
            }
            shown = progress.done;
            bar.set_message(&progress_words(progress));
        };
        ask(
            unit_from, judges, &settings, &mut store, stop_from, progress,
        )
        .await
    });
    bar.finish();
    // A measurement that cannot be stopped must not hold up an interrupted program.
    runtime.shutdown_background();
    let summary = summary?;
    tell_summary(&summary, printer);
    Ok(Some(Ran { store, summary }))
}

/// The run of that subject: the folder that the user names, else the newest that asked the same.
///
/// # Errors
/// A folder that cannot be used.
pub fn open_run(
    args: &AskArgs,
    judges: &[Judge],
    subject: &RunSubject,
    global: &Global,
) -> Result<Store, Failure> {
    let config = resolved(args, judges, subject);
    let identity = config["identity"].as_str().unwrap_or_default().to_owned();
    let folder = match &global.run {
        Some(folder) => folder.clone(),
        None => default_folder(Path::new(RUNS), subject.command, &identity),
    };
    let mut store = Store::open(&folder)?;
    store.keep_config(&config)?;
    Ok(store)
}

/// Names each failure, and says why a run stopped early.
pub fn tell_summary(summary: &Summary, printer: &Printer) {
    let say = |line: String| {
        let failure: Failure = line.into();
        printer.error(failure.as_ref());
    };
    for failed in &summary.failures {
        say(format!(
            "no verdict from {} ({}: {}): {}",
            failed.judge, failed.outcome, failed.reason, failed.what
        ));
    }
    let unnamed = summary.failed_count() - summary.failures.len() as u64;
    if unnamed > 0 {
        say(format!("{unnamed} more questions have no verdict"));
    }
    match summary.stop {
        Some(Stop::Budget) => {
            say("stopped by the budget; the same command goes on where this one stopped".to_owned())
        }
        Some(Stop::Interrupted) => {
            say("interrupted; the same command goes on where this one stopped".to_owned())
        }
        Some(Stop::InBatches) => printer.note("handed in; the same command collects the answers"),
        None => {}
    }
    if summary.in_batches > 0 {
        printer.note(&format!(
            "{} questions are in batches at their providers",
            summary.in_batches
        ));
    }
    for note in &summary.notes {
        printer.warn(note);
    }
    if summary.spent_usd > 0.0 {
        printer.note(&format!(
            "{} requests, {}",
            summary.requests,
            usd(summary.spent_usd)
        ));
    }
    if summary.reused > 0 {
        printer.note(&format!(
            "{} questions were answered from recorded replies",
            summary.reused
        ));
    }
    if summary.answered_before > 0 {
        let total = summary.questions;
        printer.note(&format!(
            "{} of {total} questions were answered before and not asked again",
            summary.answered_before
        ));
    }
}

/// How a command ends.
pub fn exit(summary: &Summary) -> Exit {
    match summary.exit_code() {
        0 => Exit::Done,
        3 => Exit::Budget,
        4 => Exit::InBatches,
        130 => Exit::Interrupted,
        _ => Exit::SomeFailed,
    }
}

/// The content of `run.toml`: what is asked decides the identity, how it is asked does not.
fn resolved(args: &AskArgs, judges: &[Judge], subject: &RunSubject) -> toml::Table {
    let text = |text: &str| toml::Value::String(text.to_owned());
    let number = |number: u64| toml::Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
    let mut asked = subject.about.clone();
    asked.insert("command".to_owned(), text(subject.command));
    asked.insert(
        "judges".to_owned(),
        judges
            .iter()
            .map(|judge| text(&judge.name()))
            .collect::<Vec<_>>()
            .into(),
    );
    asked.insert("samples".to_owned(), number(u64::from(args.samples)));
    if let Some(url) = judges.iter().find_map(Judge::base_url) {
        asked.insert("base_url".to_owned(), text(url));
    }
    let identity = blake3::hash(asked.to_string().as_bytes())
        .to_hex()
        .to_string();
    let mut how = toml::Table::new();
    how.insert(
        "concurrency".to_owned(),
        number(u64::from(args.concurrency)),
    );
    how.insert("seed".to_owned(), number(args.seed));
    how.insert(
        "timeout_secs".to_owned(),
        number(u64::from(args.timeout_secs)),
    );
    if let Some(max) = args.max_requests {
        how.insert("max_requests".to_owned(), number(max));
    }
    if let Some(max) = args.max_cost {
        how.insert("max_cost_usd".to_owned(), toml::Value::Float(max));
    }
    let mut config = toml::Table::new();
    config.insert(
        "program".to_owned(),
        text(concat!("meshjudge ", env!("CARGO_PKG_VERSION"))),
    );
    config.insert("identity".to_owned(), text(&identity));
    config.insert("asked".to_owned(), asked.into());
    config.insert("how".to_owned(), how.into());
    config
}

/// An asset for the store. Its method is the name of its file, with the folder's where two names are the same.
pub fn store_asset(path: &Path, hash: &str, other: Option<&Path>) -> Asset {
    let stem = |path: &Path| {
        path.file_stem()
            .map(|s| s.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let mut method = stem(path);
    if let Some(other) = other.filter(|other| stem(other) == method && *other != path) {
        let folder = |path: &Path| {
            path.parent()
                .and_then(Path::file_name)
                .map(|s| s.to_string_lossy().into_owned())
        };
        method = match folder(path) {
            Some(name) if folder(other).as_ref() != Some(&name) => format!("{name}/{method}"),
            _ => path.to_string_lossy().into_owned(),
        };
    }
    Asset {
        path: path.to_string_lossy().into_owned(),
        hash: hash.to_owned(),
        method,
    }
}

/// A loaded asset's lines in `run.toml`.
pub fn about_asset(path: &Path, loaded: &Loaded) -> toml::Value {
    let mut table = toml::Table::new();
    table.insert(
        "path".to_owned(),
        toml::Value::String(path.to_string_lossy().into_owned()),
    );
    table.insert("hash".to_owned(), toml::Value::String(loaded.hash.clone()));
    table.into()
}

/// A rubric's lines in `run.toml`.
pub fn about_rubric(rubric: &Rubric, about: &mut toml::Table) {
    about.insert(
        "rubric".to_owned(),
        toml::Value::String(rubric.name().to_owned()),
    );
    about.insert(
        "rubric_hash".to_owned(),
        toml::Value::String(rubric.hash().to_owned()),
    );
}

/// Warns of judges that see views too small for what is asked.
pub fn warn_of_size(
    rubric: &Rubric,
    drawings: &[Option<Drawing>],
    judges: &[Judge],
    fit_px: Option<u32>,
    printer: &Printer,
) {
    for (sight, places) in sights(judges, fit_px) {
        let Some(view_px) = sight.view_px(rubric, drawings) else {
            continue;
        };
        if sight.rule.is_some() && view_px < VIEW_PX_LOW {
            let names: Vec<String> = places.iter().map(|&i| judges[i].name()).collect();
            printer.warn(&format!(
                "{} sees views of {view_px} px only, below {VIEW_PX_LOW} px details are lost; fewer views (--views) or pictures of their own (--pictures object or separate) help",
                names.join(", ")
            ));
        }
    }
}

/// Says where everything is.
pub fn say_run(store: &Store, printer: &Printer) {
    printer.result(&format!("run     {}", store.folder().display()));
}
