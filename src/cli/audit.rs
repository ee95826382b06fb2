//! `audit`: measures the reliability of a judge on pairs whose right answer is known.

use super::asking::{AskBar, QuestionArgs, exit, print_summary};
use super::draw_args::DrawArgs;
use super::global::MORE;
use super::judge_args::JudgeArgs;
use super::plan_text::print_plan;
use super::render::write_file;
use super::text_args::{TextArgs, TextSearch, lines, warn_of_text};
use super::words::row_of;
use super::{Exit, Printer};
use crate::ask::{drawings, load_options};
use crate::audit::{
    AuditPlan, JudgeFigures, SheetSpec, about, audit, estimates, painted_texts, read_figures,
    sheets,
};
use crate::error::Error;
use crate::front::RunConfig;
use crate::options::{AuditOptions, PairOptions};
use crate::report::{audit_text, plural, write_audit_page};
use crate::store::Store;
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

const FIGURES_FILE: &str = "audit.json";
const PAGE_FILE: &str = "audit.html";

/// More pairs that could not be made are counted, not named.
const LEFT_OUT_NAMED_MAX: usize = 20;

#[derive(Debug, Clone, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  meshjudge audit --judge openai:gpt-5 --sheets 4x512,9x341,4x512:rgb
  meshjudge audit --bases my_models --kinds holes,blur,text --levels 0.5,1
  meshjudge audit compare runs/audit-1 runs/audit-2

Each object is compared with itself and with damaged copies (see `meshjudge damage list`), in both orders. A judge is right \
if the undamaged object wins in both. With --rubric reconstruction, the undamaged object must score higher; with category, the true prompt."
)]
pub(super) struct AuditArgs {
    #[command(subcommand)]
    pub verb: Option<Verb>,

    #[command(flatten)]
    pub options: AuditOptions,

    /// Ask with several sheets, each as VIEWSxPX or VIEWSxPX:CHANNEL+CHANNEL
    #[arg(long, help_heading = MORE, value_name = "SHEETS", value_delimiter = ',', conflicts_with_all = ["views", "size"])]
    pub sheets: Vec<SheetSpec>,

    /// pairwise(-image), match-image, reconstruction, category, or a file
    #[arg(long, value_name = "RUBRIC", default_value = "pairwise")]
    pub rubric: String,

    #[command(flatten)]
    pub question: QuestionArgs,

    #[command(flatten)]
    pub ask: JudgeArgs,

    #[command(flatten)]
    pub pair: PairOptions,

    #[command(flatten)]
    pub draw: DrawArgs,

    #[command(flatten)]
    pub text: TextArgs,
}

#[derive(Debug, Clone, Subcommand)]
pub(super) enum Verb {
    /// Put finished audits on one page
    Compare {
        /// The audits' folders
        #[arg(required = true, value_name = "RUN")]
        folders: Vec<PathBuf>,

        /// The page to write, with its figures next to it as .json
        #[arg(long, value_name = "FILE.html", default_value = "audit_compare.html")]
        out: PathBuf,
    },
}

pub(super) fn run(args: &AuditArgs, printer: &Printer) -> Result<Exit, Error> {
    if let Some(Verb::Compare { folders, out }) = &args.verb {
        let figures = read_figures(folders)?;
        let data = out.with_extension("json");
        show(&figures, folders, [out, &data], printer)?;
        return Ok(Exit::Done);
    }
    let settings = args.ask.settings(&args.ask.options);
    let rubric = args.question.rubric(&args.rubric, args.pair.form.unwrap_or_default(), printer)?;
    let views = args.draw.options(printer)?;
    let load = match &args.options.bases {
        Some(_) => load_options(drawings(&rubric, &views)?.iter().flatten(), &args.draw.load),
        // Built-in objects are not files, and they are upright.
        None => args.draw.load.settings(),
    };
    let plan = AuditPlan::new(&args.options, &load, settings.seed, &rubric)?;
    let judges = args.ask.judges(printer)?;
    args.draw.check(&rubric)?;
    let sheets = sheets(&args.sheets, &rubric, &views, &load)?;
    let times = judges.len() as u64 * u64::from(settings.samples);
    let total = (plan.num_questions() * sheets.len()) as u64 * times;
    let paid = judges.iter().filter(|judge| !judge.is_free()).count() as u64;
    let row = serde_json::json!({
        "kind": "plan", "objects": plan.objects.len() + plan.cases.len(), "kinds": plan.kinds.iter().map(|k| k.name).collect::<Vec<_>>(),
        "levels": plan.levels, "pairs": plan.num_pairs(), "sheets": sheets.iter().map(|sheet| &sheet.label).collect::<Vec<_>>(),
        "questions": total, "requests": total / judges.len() as u64 * paid,
    });
    printer.show("", [row]);
    printer.note(&plan_text(&plan, sheets.len(), total));
    if let Some(text) = args.text.open(sheets.iter().flat_map(|it| it.drawings.iter().flatten()))? {
        print_texts(&plan, &text, printer)?;
    }
    let config = RunConfig {
        command: "audit",
        about: about(&plan, &rubric, &sheets),
        options: &args.ask.options,
    };
    if args.ask.dry_run {
        let run = config.find(args.ask.run.place(), &judges)?;
        let answered = run.as_ref().map(Store::num_answered).transpose()?.unwrap_or_default();
        let (samples, fit) = (settings.samples, args.pair.fit_px);
        let all = estimates(&plan, &rubric, &sheets, &judges, samples, fit, &answered);
        print_plan(&all, printer);
        return Ok(Exit::Done);
    }
    let store = config.open(args.ask.run.place(), &judges)?;
    let bar = AskBar::new(printer.with_progress(total, "questions"));
    let run = (store, judges.as_slice());
    let audited = audit(&plan, &rubric, &sheets, run, &settings, args.pair.fit_px, |progress| {
        bar.show(progress, "");
    })?;
    bar.finish();
    print_summary(&audited.summary, printer);
    for reason in audited.left_out.iter().take(LEFT_OUT_NAMED_MAX) {
        printer.note(&format!("left out: {reason}"));
    }
    if audited.left_out.len() > LEFT_OUT_NAMED_MAX {
        let more = audited.left_out.len() - LEFT_OUT_NAMED_MAX;
        printer.note(&format!("left out: {}", plural(more, "more pair")));
    }
    let folder = audited.store.folder();
    let (page, data) = (folder.join(PAGE_FILE), folder.join(FIGURES_FILE));
    show(&audited.figures, &[folder.to_owned()], [&page, &data], printer)?;
    printer.show(format!("run     {}", folder.display()), []);
    Ok(exit(&audited.summary))
}

/// The text on each object that has some, and the number of those that have none.
fn print_texts(plan: &AuditPlan, text: &TextSearch, printer: &Printer) -> Result<(), Error> {
    if plan.objects.is_empty() {
        return Err(Error::usage("--ocr reads objects, and this audit has only built-in scenes"));
    }
    let mut without_text = 0;
    for (object, found) in painted_texts(plan, &text.drawing, &text.reader) {
        let found = found.map_err(Error::audit)?;
        let mut row = row_of("text", text.row(&found));
        row["object"] = object.as_str().into();
        warn_of_text(printer, &object, &found);
        let lines = lines(&found).map(|line| format!("text on {object}, {line}\n"));
        printer.show(lines.collect::<String>(), [row]);
        without_text += usize::from(found.is_empty());
    }
    let [total, views] = [plural(plan.objects.len(), "object"), text.views()];
    printer.show(format!("no text on {without_text} of {total}, in {views}"), []);
    Ok(())
}

/// Prints the figures and writes them to a file and a page.
fn show(
    figures: &[JudgeFigures],
    runs: &[PathBuf],
    [page, data]: [&Path; 2],
    printer: &Printer,
) -> Result<(), Error> {
    printer.show(audit_text(figures), figures.iter().map(|judge| row_of("audit", judge)));
    let text = format!("{:#}\n", serde_json::to_value(figures)?);
    write_file(data, text.as_bytes())?;
    write_file(page, write_audit_page(figures, runs)?.as_bytes())?;
    printer.show(format!("figures {}\npage    {}", data.display(), page.display()), []);
    Ok(())
}

fn plan_text(plan: &AuditPlan, num_sheets: usize, total: u64) -> String {
    let sheets = if num_sheets > 1 { format!(", {num_sheets} sheets") } else { String::new() };
    let kinds = plural(plan.kinds.len(), "kind");
    let levels = plural(plan.levels.len(), "level");
    let total = plural(total as usize, "question");
    if plan.is_scored {
        format!(
            "{}, each with a photo of it, as it is and with {kinds} of damage at {levels}{sheets}: {total}",
            plural(plan.objects.len(), "object"),
        )
    } else if plan.cases.is_empty() {
        format!(
            "{} × {kinds} × {levels}, and each object against itself: {} in both orders{sheets}, {total}",
            plural(plan.objects.len(), "object"),
            plural(plan.num_pairs(), "pair"),
        )
    } else {
        format!(
            "{}, each with its true prompt and with {kinds} of false prompts at {levels}{sheets}: {total}",
            plural(plan.cases.len(), "scene"),
        )
    }
}
