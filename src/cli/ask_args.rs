//! Flags of the commands that ask judges, and how asking is shown and told.

use super::judge_args::{JudgeArgs, dollars, progress_words, usd};
use super::{Exit, Failure, Global, Printer};
use crate::ask::{
    AskSettings, Drawing, Planner, Progress, Stop, Summary, Unit, VIEW_PX_LOW, Work, estimates_of,
    judges_by_limits,
};
use crate::front::{RunConfig, ask_once};
use crate::judge::{Judge, Spec};
use crate::rubric::{Form, Order, Rubric};
use crate::store::{Record, Store};
use clap::Args;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How judges are asked.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Judges")]
pub(super) struct AskArgs {
    /// Who is asked: probe, openai:MODEL, openai-responses:MODEL, anthropic:MODEL, gemini:MODEL; may be given more than once
    #[arg(long, value_name = "SPEC", default_value = "probe")]
    pub judge: Vec<Spec>,

    /// Server that speaks the judge's route, up to before /chat/completions, /responses, /messages or /models; a local one needs no key
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,

    /// How often each question is asked
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub samples: u32,

    /// Stop when the run has sent so many requests to servers, retries and earlier calls included
    #[arg(long, value_name = "N")]
    pub max_requests: Option<u64>,

    /// Stop before the run has cost this, earlier calls included: the maximum cost of each request is reserved before it is sent. Exceeded
    /// only if a server counts more than that; then what is under way may go beyond, and more is reserved from there on
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub max_cost: Option<f64>,

    /// Requests at a time to each judge, at most; each begins with four and grows
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

impl AskArgs {
    /// The rubric that `name` stands for, its pairs sent in `form`, with the user's text if there is one.
    ///
    /// # Errors
    /// What is wrong with its file or with the text.
    pub(super) fn rubric(&self, name: &str, form: Form) -> Result<Arc<Rubric>, Failure> {
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
    pub(super) fn judges(&self) -> Result<Vec<Judge>, Failure> {
        let timeout = Duration::from_secs(u64::from(self.timeout_secs));
        let settings = self.judging.open_settings(timeout, self.dry_run)?;
        let mut specs = self.judge.clone();
        let mut seen = BTreeSet::new();
        specs.retain(|spec| seen.insert(spec.clone()));
        let judges = specs
            .iter()
            .map(|spec| Judge::open(spec, self.base_url.as_deref(), &settings))
            .collect::<Result<Vec<_>, _>>()?;
        self.judging.check_prices(&judges, self.max_cost)?;
        Ok(judges)
    }

    /// The flags' part of `run.toml` that decides nothing of what is asked.
    pub(super) fn how(&self) -> toml::Table {
        let mut how = toml::Table::new();
        let mut add = |key: &str, value: toml::Value| how.insert(key.to_owned(), value);
        add("concurrency", i64::from(self.concurrency).into());
        add("seed", number(self.seed));
        add("timeout_secs", i64::from(self.timeout_secs).into());
        if let Some(max) = self.max_requests {
            add("max_requests", number(max));
        }
        if let Some(max) = self.max_cost {
            add("max_cost_usd", max.into());
        }
        how
    }

    /// How questions are asked.
    pub(super) fn settings(&self) -> AskSettings {
        self.judging.lay_over(AskSettings {
            samples: self.samples,
            seed: self.seed,
            concurrency: usize::from(self.concurrency),
            requests_max: self.max_requests,
            cost_usd_max: self.max_cost,
            handles_signals: true,
            ..AskSettings::default()
        })
    }
}

/// What the questions of one command come to, when they were asked.
pub(super) struct Asked {
    /// Its store, still open.
    pub store: Store,
    /// How it ended.
    pub summary: Summary,
    /// Of every question, those answered before included.
    pub records: Vec<Record>,
}

/// Asks all that `plan` makes of every judge, in the run of that content, and names each failure. In a dry run it only says what would
/// be asked.
///
/// # Errors
/// What `plan` fails with, a folder that cannot be used, before anything is asked; a disk that fails, while it is.
pub(super) fn ask_all(
    plan: impl Fn(&Planner<'_>) -> Result<Vec<Work>, Failure>,
    judges: &[Judge],
    args: &AskArgs,
    fit_px: Option<u32>,
    config: &RunConfig,
    global: &Global,
    printer: &Printer,
) -> Result<Option<Asked>, Failure> {
    if args.dry_run {
        let run = config.find(global.run.as_deref(), judges)?;
        let answered = match &run {
            Some(run) => run.answered_as_planned()?,
            None => HashMap::new(),
        };
        let work = plan(&Planner::new(judges, args.samples, fit_px, answered))?;
        super::plan_tell::tell(&estimates_of(&units(work), judges, args.samples), printer);
        return Ok(None);
    }
    let store = config.open(global.run.as_deref(), judges)?;
    let bar = AskBar::new(judges.len() as u64 * u64::from(args.samples), printer);
    let asked = ask_once(store, judges, &args.settings(), fit_px, plan, |progress| {
        bar.show(progress, "");
    });
    bar.finish();
    let (store, summary, records) = asked?;
    tell_summary(&summary, printer);
    Ok(Some(Asked {
        store,
        summary,
        records,
    }))
}

fn units(work: Vec<Work>) -> Vec<Unit> {
    let unit = |work| match work {
        Work::Ask(unit) => Some(unit),
        _ => None,
    };
    work.into_iter().filter_map(unit).collect()
}

/// A bar of questions, and beside it what is in flight, failed and spent.
pub(super) struct AskBar {
    printer: Printer,
    shown: AtomicU64,
    last: Mutex<String>,
}

impl AskBar {
    /// Empty until the first progress; not shown for a single question.
    pub(super) fn new(num_questions: u64, printer: &Printer) -> Self {
        Self {
            printer: printer.with_progress(num_questions, "questions"),
            shown: AtomicU64::new(0),
            last: Mutex::default(),
        }
    }

    /// Moves the bar; `more` stands after what every session says.
    pub(super) fn show(&self, progress: &Progress, more: &str) {
        self.printer.set_length(progress.total);
        let shown = self.shown.swap(progress.done, Ordering::Relaxed);
        for _ in shown..progress.done {
            self.printer.step();
        }
        let words = progress_words(progress) + more;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if *last != words {
            self.printer.set_message(&words);
            *last = words;
        }
    }

    /// Prints lines above the bar.
    pub(super) fn printer(&self) -> &Printer {
        &self.printer
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.printer.finish();
    }
}

/// Names each failure, and says why a run stopped early.
pub(super) fn tell_summary(summary: &Summary, printer: &Printer) {
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
            say("stopped by the budget; run the same command again to resume".to_owned())
        }
        Some(Stop::Interrupted) => {
            say("interrupted; run the same command again to resume".to_owned())
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
    let (unsettled, booked_usd) = summary.unsettled;
    if unsettled > 0 && booked_usd > 0.0 {
        printer.note(&format!(
            "{} of the run is for {unsettled} requests whose cost is not known, each booked at its maximum; --settle USD books what your bill says",
            usd(booked_usd)
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
pub(super) fn exit(summary: &Summary) -> Exit {
    match summary.exit_code() {
        0 => Exit::Done,
        3 => Exit::Budget,
        4 => Exit::InBatches,
        130 => Exit::Interrupted,
        _ => Exit::SomeFailed,
    }
}

/// TOML's integers are signed.
fn number(number: u64) -> toml::Value {
    toml::Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Warns of judges that see views too small for what is asked.
pub(super) fn warn_of_size(
    rubric: &Rubric,
    drawings: &[Option<Drawing>],
    judges: &[Judge],
    fit_px: Option<u32>,
    printer: &Printer,
) {
    for (limits, places) in judges_by_limits(judges, fit_px) {
        let Some(view_px) = limits.view_px(rubric, drawings) else {
            continue;
        };
        if limits.rule.is_some() && view_px < VIEW_PX_LOW {
            let names: Vec<String> = places.iter().map(|&i| judges[i].name()).collect();
            printer.warn(&format!(
                "{} sees views of {view_px} px only, below {VIEW_PX_LOW} px details are lost; fewer views (--views) or pictures of their own (--pictures object or separate) help",
                names.join(", ")
            ));
        }
    }
}

/// Says where the pictures are that judges were shown; `who` says what stands where in each order.
///
/// # Errors
/// A run that cannot be read.
pub(super) fn say_sheets(
    asked: &Asked,
    printer: &Printer,
    who: impl Fn(Order) -> &'static str,
) -> Result<(), Failure> {
    let mut named = BTreeSet::new();
    for record in &asked.records {
        for hash in &record.pictures {
            if named.insert((hash, who(record.order)))
                && let Some(picture) = asked.store.shown_picture(hash)?
            {
                let path = picture.path.display();
                printer.result(&format!("sheet   {path}{}", who(record.order)));
            }
        }
    }
    Ok(())
}

/// Says where everything is.
pub(super) fn say_run(store: &Store, printer: &Printer) {
    printer.result(&format!("run     {}", store.folder().display()));
}
