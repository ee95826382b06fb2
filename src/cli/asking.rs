//! The output of commands that ask judges: progress, a summary, and the paths of the pictures.

use super::draw_args::warn_of_frames;
use super::global::MORE;
use super::judge_args::JudgeArgs;
use super::plan_text::{print_plan, usd};
use super::report::PAGE_FILE;
use super::{Exit, Printer};
use crate::ask::{
    Answered, Case, Drawing, Planner, Progress, Session, Side, Stop, Studio, Summary, VIEW_PX_LOW,
    distinct, estimates_of, judges_by_limits,
};
use crate::error::Error;
use crate::front::RunConfig;
use crate::judge::Judge;
use crate::report::{plural, plural_with};
use crate::rubric::{Form, Order, Rubric};
use crate::store::{RaterKind, Record, Store};
use clap::Args;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, Clone, Args)]
pub(super) struct QuestionArgs {
    /// The judge's text instead of the rubric's; for category a JSON map of texts
    #[arg(long, value_name = "FILE", help_heading = MORE)]
    pub question: Option<PathBuf>,
}

impl QuestionArgs {
    /// The rubric called `name`, its pairs sent in `form`, with the user's text if there is one.
    ///
    /// # Errors
    /// An invalid rubric file or text.
    pub(super) fn rubric(
        &self,
        name: &str,
        form: Form,
        printer: &Printer,
    ) -> Result<Arc<Rubric>, Error> {
        let rubric = Rubric::open(name)?.with_form(form)?;
        let rubric = match &self.question {
            Some(path) => rubric.with_question(path)?,
            None => rubric,
        };
        let unexplained = rubric.unexplained_marks();
        if !unexplained.is_empty() {
            printer.warn(&format!(
                "judges answer this question with {}, which its text never mentions; explain each number there (`{{options}}` in a rubric's own text)",
                unexplained.join(", ")
            ));
        }
        Ok(Arc::new(rubric))
    }
}

/// What `probe` measured, by line and without the answer itself; `None` for other judges. Its
/// numbers mean nothing without their limits.
pub(super) fn measured_words(record: &Record) -> Option<Vec<String>> {
    let raw = record.raw.as_deref().filter(|_| record.judge.kind() == RaterKind::Probe)?;
    if let Ok(aspects) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(raw) {
        let explained = |(key, aspect): (&String, &serde_json::Value)| {
            Some(format!("{key}: {}", aspect.get("explanation")?.as_str()?))
        };
        return Some(aspects.iter().filter_map(explained).collect());
    }
    let lines = raw.lines().filter(|line| line.contains(char::is_alphabetic));
    Some(lines.map(str::to_owned).collect())
}

/// Asks a case, in the run that `config` names, and prints each failure. With `--dry-run` it only
/// prints the questions that would be asked.
///
/// # Errors
/// Before the first question: an undrawable asset, a bad folder. While asking: a failing disk.
pub(super) fn ask_case(
    case: &Case,
    judges: &[Judge],
    args: &JudgeArgs,
    fit_px: Option<u32>,
    config: &RunConfig<'_>,
    printer: &Printer,
) -> Result<Option<Answered>, Error> {
    let settings = &args.settings(&args.options);
    let mut studio = Studio::default();
    if args.dry_run {
        let run = config.find(args.run.place(), judges)?;
        let answered = run.as_ref().map(Store::answered_as_planned).transpose()?;
        let answered = answered.unwrap_or_default();
        let planner = Planner::new(judges, settings.samples, fit_px, answered);
        let work = planner.work(case, &mut studio)?;
        warn_of_drawn(case, &studio, printer);
        print_plan(&estimates_of(&work, judges, settings.samples), printer);
        return Ok(None);
    }
    let store = config.open(args.run.place(), judges)?;
    let session = Session::open(store, judges, settings, fit_px)?;
    let work = session.planner().work(case, &mut studio)?;
    warn_of_drawn(case, &studio, printer);
    let total = judges.len() as u64 * u64::from(settings.samples);
    let bar = AskBar::new(printer.with_progress(total, "questions"));
    let answered = session.answer(work, |progress| bar.show(progress, ""));
    bar.finish();
    let answered = answered?;
    print_summary(&answered.summary, printer);
    Ok(Some(answered))
}

/// Warns of views in which a judge would see too little, of the assets that were drawn.
fn warn_of_drawn(case: &Case, studio: &Studio, printer: &Printer) {
    for Side { asset, .. } in &case.sides {
        if let Some(frames) = studio.frames(&case.template, asset) {
            warn_of_frames(printer, Path::new(&asset.path), distinct(frames));
        }
    }
}

/// A progress bar of questions, with the numbers in flight and failed, and the cost.
pub(super) struct AskBar {
    printer: Printer,
    /// When the last line was printed where no bar is shown.
    said: Mutex<Instant>,
}

/// Between two lines about progress, where standard error is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(60);

impl AskBar {
    /// By the bar of this printer.
    pub(super) fn new(printer: Printer) -> Self {
        Self { printer, said: Mutex::new(Instant::now()) }
    }

    /// Moves the bar; `more` is appended to its message.
    pub(super) fn show(&self, progress: &Progress, more: &str) {
        let words = progress_text(progress) + more;
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.elapsed() >= LINE_EVERY && !std::io::stderr().is_terminal() {
            *said = Instant::now();
            let total = progress.total.map_or(String::new(), |total| format!(" of {total}"));
            self.printer.note(&format!("{}{total} questions done, {words}", progress.done));
        }
        self.printer.move_to(progress.done, progress.total, &words);
    }

    /// Prints lines above the bar.
    pub(super) fn printer(&self) -> &Printer {
        &self.printer
    }

    pub(super) fn finish(&self) {
        self.printer.finish();
    }
}

fn progress_text(progress: &Progress) -> String {
    let mut said = format!("{} in flight", progress.in_flight);
    if progress.in_batches > 0 {
        said.push_str(&format!(", {} in batches", progress.in_batches));
    }
    if progress.failed > 0 {
        said.push_str(&format!(", {} failed", progress.failed));
    }
    for wait in &progress.waiting {
        said.push_str(&format!(", {wait}"));
    }
    if progress.verdicts_per_minute >= 1.0 {
        said.push_str(&format!(", {:.0} verdicts/min", progress.verdicts_per_minute));
    }
    if progress.spent_usd > 0.0 {
        said.push_str(&format!(", {}", usd(progress.spent_usd)));
        if let Some(projected) = progress.projected_usd {
            said.push_str(&format!(" of about {}", usd(projected)));
        }
    }
    said
}

/// More questions without a verdict are counted, not named.
const FAILURES_SHOWN_MAX: usize = 20;

/// Names the first failures, and says why a run stopped early.
pub(super) fn print_summary(summary: &Summary, printer: &Printer) {
    let shown = summary.failures.iter().take(FAILURES_SHOWN_MAX);
    for failed in shown.clone() {
        printer.fail(&format!(
            "no verdict from {} ({}: {}): {}",
            failed.judge, failed.outcome, failed.reason, failed.what
        ));
    }
    let unnamed = summary.failed_count() - shown.len() as u64;
    if unnamed > 0 {
        printer.fail(&format!(
            "{} no verdict; `meshjudge report` and `meshjudge export` list them",
            plural_with(unnamed as usize, "more question", ["has", "have"])
        ));
    }
    if shown.clone().any(|failed| failed.reason.contains("max_output_tokens")) {
        printer.note("hint: --max-output-tokens N");
    }
    match summary.stop {
        Some(Stop::Budget) => {
            printer.fail("stopped by the budget; to go on, run the same command again with a higher limit, or with --settle for requests of unknown cost");
        }
        Some(Stop::Interrupted) => {
            printer.fail("interrupted; run the same command again to resume");
        }
        Some(Stop::InBatches) => {
            printer.note("batches submitted; the same command collects the answers");
        }
        None => {}
    }
    let some = |count: u64, noun: &str, verbs: [&str; 2]| {
        (count > 0).then(|| plural_with(count as usize, noun, verbs))
    };
    if let Some(questions) = some(summary.in_batches, "question", ["is", "are"]) {
        printer.note(&format!("{questions} in batches at their providers"));
    }
    summary.notes.iter().for_each(|note| printer.warn(note));
    if summary.spent_usd > 0.0 {
        printer.note(&match summary.requests {
            0 => format!("{} for earlier requests", usd(summary.spent_usd)),
            requests => {
                format!("{}, {}", plural(requests as usize, "request"), usd(summary.spent_usd))
            }
        });
    }
    let (unsettled, booked_usd) = summary.unsettled;
    if unsettled > 0 && booked_usd > 0.0 {
        printer.note(&format!(
            "{} of the run's cost is booked for {} of unknown cost, each at its maximum; use --settle USD to book the amount on your bill",
            usd(booked_usd),
            plural(unsettled as usize, "request")
        ));
    }
    if let Some(questions) = some(summary.reused, "question", ["was", "were"]) {
        printer.note(&format!("{questions} answered from recorded replies"));
    }
    if let Some(verdicts) = some(summary.restated, "verdict", ["was", "were"]) {
        printer.note(&format!("{verdicts} restated by the judge, whose reply was in another form"));
    }
    if summary.answered_before > 0 {
        let all = plural_with(summary.questions as usize, "question", ["was", "were"]);
        let before = summary.answered_before;
        printer.note(&format!("{before} of {all} answered before and not asked again"));
    }
}

/// How a command ends.
pub(super) fn exit(summary: &Summary) -> Exit {
    let known = [Exit::Done, Exit::Nothing, Exit::Budget, Exit::InBatches, Exit::Interrupted];
    let found = known.into_iter().find(|exit| exit.code() == summary.exit_code());
    found.unwrap_or(Exit::SomeFailed)
}

/// Warns of judges that see views too small for the question.
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
                "{} sees views of only {view_px} px, and details are lost below {VIEW_PX_LOW} px; show fewer views (--views) or send more pictures (--pictures object or separate)",
                names.join(", ")
            ));
        }
    }
}

/// Names the pictures that judges saw by `name` of their order, prints their paths and the run's.
///
/// # Errors
/// A run that cannot be read.
pub(super) fn print_paths(
    answered: &Answered,
    printer: &Printer,
    name: impl Fn(Order) -> String,
) -> Result<(), Error> {
    let (mut named, mut text) = (BTreeSet::new(), String::new());
    for record in &answered.records {
        for hash in &record.pictures {
            if named.insert((hash, record.order))
                && let Some(picture) = answered.store.shown_picture(hash)?
            {
                let path = answered.store.name_picture(&picture, &name(record.order))?;
                text += &format!("sheet   {}\n", path.display());
            }
        }
    }
    let folder = answered.store.folder();
    let page = folder.join(PAGE_FILE);
    let report = match page.is_file() {
        true => page.display().to_string(),
        false => format!("none yet; `meshjudge report {}` writes it", folder.display()),
    };
    text += &format!("run     {}\nreport  {report}\n", folder.display());
    printer.show(text, []);
    Ok(())
}
