//! `bench`: runs a benchmark file: generate, render, judge, rate, report; or resumes its run.

use super::asking::{exit, print_summary};
use super::bench_init::{INIT_FILE, InitArgs, init};
use super::facts_table::print_facts;
use super::global::{MORE, RendererArgs};
use super::judge_args::JudgeArgs;
use super::plan_text::{print_plan, usd};
use super::rate::{print_reliability, print_results};
use super::report::PAGE_FILE;
use super::watch::Watch;
use super::words::some_of;
use super::{Exit, Printer};
use crate::ask::AskSettings;
use crate::bench::{
    BenchFile, Cluster, CommonFronts, Engine, Extent, JudgeEntry, JudgeTable, MissingAssets,
    NodeSetup, OpenCluster, PairSchedule, Plan, Remaining, SCHEMA, Shard, ShardChoice,
    check_photos, estimates, extent, open_judges, open_run, remaining, run_folder,
};
use crate::error::Error;
use crate::judge::{Judge, Spec};
use crate::options::{AskOptions, LoadOptions, OpenOptions, PairOptions, RendererChoice, or};
use crate::render::Renderer;
use crate::report::{
    Detail, GalleryPlace, PictureCount, ReportSource, RunReport, grouped, plural, plural_with,
    write_report,
};
use crate::results::{JudgeReliability, NotRated, read_reliability};
use crate::store::Store;
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

/// More missing assets are counted, not named.
const MISSING_SHOWN_MAX: usize = 20;

#[derive(Debug, Clone, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  meshjudge bench init                          write a commented bench.toml and its JSON Schema
  meshjudge bench init out                      write one for the results in out/GENERATOR/PROMPT.glb
  meshjudge bench init --service meshy          write the program that asks Meshy for assets
  meshjudge bench bench.toml --dry-run          print the planned assets, questions and judges
  meshjudge bench bench.toml                    generate, render, judge, rate, report
  meshjudge bench bench.toml --run all --shard 1/4     one of four machines; then `meshjudge rate all`
  meshjudge bench bench.toml --run all --shard auto    the shard from Slurm, torchrun, MPI, Kubernetes, …

Without FILE.toml, the command reads ./bench.toml.

Flags override the file, except for the settings of its judges. After a stop, a failure or a change of the file, the same command resumes the run in the same folder and asks \
nothing twice."
)]
pub(super) struct BenchArgs {
    #[command(subcommand)]
    pub verb: Option<Verb>,

    /// The benchmark file
    #[arg(value_name = "FILE.toml")]
    pub file: Option<PathBuf>,

    /// Only one shard of prompts and budget: 1/4, 2/4, …; auto asks the cluster's scheduler
    #[arg(long, value_name = "I/N")]
    pub shard: Option<ShardChoice>,

    /// Exit with 0, not 1, if some assets or questions failed, for schedulers that retry failures
    #[arg(long, help_heading = MORE)]
    pub ok_if_some_failed: bool,

    #[command(flatten)]
    pub ask: JudgeArgs,

    #[command(flatten)]
    pub pair: PairOptions,

    #[command(flatten)]
    pub renderer: RendererArgs,

    #[command(flatten)]
    pub load: LoadOptions,
}

#[derive(Debug, Clone, Subcommand)]
pub(super) enum Verb {
    /// Write a commented benchmark file and its JSON Schema
    Init(InitArgs),
    /// Print the JSON Schema of benchmark files
    Schema,
}

pub(super) fn run(
    args: &BenchArgs,
    open_cluster: Option<&OpenCluster<'_>>,
    printer: &Printer,
) -> Result<Exit, Error> {
    match &args.verb {
        Some(Verb::Init(args)) => return init(args, printer),
        Some(Verb::Schema) => {
            printer.data(SCHEMA.trim_end());
            return Ok(Exit::Done);
        }
        None => {}
    }
    let path = args.file.as_deref().unwrap_or(Path::new(INIT_FILE));
    let Some(bench) = Bench::prepare(args, path, printer)? else {
        return Ok(Exit::Done);
    };
    if args.ask.dry_run {
        let left = remaining(&bench.plan, &bench.judges, bench.file.samples, &bench.folder)?;
        bench.print_extent(Some(&left), printer);
        return Ok(Exit::Done);
    }
    let ended = bench.run(args, open_cluster, printer)?;
    match bench.finish(ended, printer)? {
        Exit::SomeFailed if args.ok_if_some_failed => Ok(Exit::Done),
        ended => Ok(ended),
    }
}

/// A benchmark, looked up and checked; nothing is made or asked yet.
struct Bench<'a> {
    /// With the flags laid over it.
    file: BenchFile,
    /// The flags over the file's options.
    options: AskOptions,
    path: &'a Path,
    plan: Plan,
    shard: Option<Shard>,
    judges: Vec<Judge>,
    reliability: Vec<JudgeReliability>,
    /// The run's folder.
    folder: PathBuf,
    fronts: CommonFronts,
    counted: Extent,
}

impl<'a> Bench<'a> {
    /// `None` for a shard without prompts.
    fn prepare(args: &BenchArgs, path: &'a Path, printer: &Printer) -> Result<Option<Self>, Error> {
        if args.file.is_none() && !path.is_file() {
            return Err(Error::usage(format!(
                "no benchmark file was given, and {INIT_FILE} does not exist; `meshjudge bench init` writes one"
            )));
        }
        let mut file = BenchFile::open(path)?;
        let options = override_file(&mut file, args)?;
        let renderer = renderer(&file, args, printer)?;
        let mut plan = Plan::new(&file, path)?.drawn_by(&renderer);
        let shard = args.shard.map(|choice| shard(choice, printer)).transpose()?;
        if let Some(shard) = shard {
            plan = plan.shard(shard);
            if plan.prompts.is_empty() {
                printer.note(&format!(
                    "shard {} of {} has no prompts: nothing to do",
                    shard.number, shard.count
                ));
                return Ok(None);
            }
        }
        let folder = run_folder(path, shard, args.ask.run.place());
        let watched = printer.with_progress(plan.prompts.len() as u64, "photos");
        let notes = check_photos(&plan, &folder, &|| watched.step())?;
        watched.finish();
        notes.iter().for_each(|note| printer.note(note));
        let own_folder = path.parent().unwrap_or(Path::new(""));
        let models = file.models.as_ref().map(|models| own_folder.join(models));
        let own = &args.ask.models.options;
        let opening = OpenOptions { models: own.models.clone().or(models), ..own.clone() };
        let judges = open_judges(&file, &args.ask.open_settings(&opening)?)?;
        args.ask.check_judges(&judges, file.budget.max_cost_usd, printer)?;
        let names: Vec<String> = judges.iter().map(Judge::name).collect();
        let reliability = read_reliability(&file.audits, own_folder, &names)?;
        let watched = printer.with_progress(plan.num_places() as u64, "common fronts");
        let fronts = CommonFronts::find(&mut file, &mut plan, &folder, &|| watched.step())?;
        watched.finish();
        let counted = extent(&plan, judges.len(), file.samples, &folder);
        Ok(Some(Self {
            file,
            options,
            path,
            plan,
            shard,
            judges,
            reliability,
            folder,
            fronts,
            counted,
        }))
    }

    /// Makes, draws and asks.
    fn run(
        &self,
        args: &BenchArgs,
        open_cluster: Option<&OpenCluster<'_>>,
        printer: &Printer,
    ) -> Result<Exit, Error> {
        let Self { file, path, plan, shard, judges, reliability, folder, fronts, counted, .. } =
            self;
        let mut cluster = self.cluster(open_cluster)?;
        self.print_extent(None, printer);
        let store = open_run(folder, file, plan, path, *shard, reliability)?;
        plan.keep_photos();
        fronts.write(folder)?;
        if let Some(sentence) = fronts.sentence(plan) {
            printer.note(&sentence);
        }
        let settings = self.settings(args, printer);
        let watch = Watch::new(printer.with_progress(counted.questions, "questions"));
        let machines = cluster.as_mut().map(|cluster| &mut **cluster as &mut dyn Cluster);
        let (store, summary) = crate::bench::run(plan, judges, &settings, store, &watch, machines)?;
        drop(cluster);
        let has_failed = watch.finish();
        print_summary(&summary, printer);
        let is_lacking = has_failed | print_missing(&store, printer)?;
        Ok(match exit(&summary) {
            Exit::Done if is_lacking || !plan.long_prompts.is_empty() => Exit::SomeFailed,
            other => other,
        })
    }

    /// The machines that make and draw, if the file names an engine.
    fn cluster(
        &self,
        open_cluster: Option<&OpenCluster<'_>>,
    ) -> Result<Option<Box<dyn Cluster>>, Error> {
        match self.file.engine {
            None => Ok(None),
            Some(_) if self.shard.is_some() => Err(Error::usage(
                "a cluster engine divides the work itself; leave out --shard, or `engine` in the benchmark file",
            )),
            Some(Engine::Ray) => {
                let open = open_cluster.ok_or_else(|| Error::usage(format!("`engine = \"ray\"` needs the Python package: pip install '.[ray]' in a checkout, then python -m meshjudge bench {}; or leave `engine` out, and it runs on this machine", self.path.display())))?;
                let Self { file, path, plan, folder, judges, .. } = self;
                let setup =
                    NodeSetup::new(file, path, plan, folder, judges).map_err(Error::bench)?;
                Ok(Some(open(&setup).map_err(Error::bench)?))
            }
        }
    }

    /// Prints this shard's share of the limits: all shares together keep the benchmark's limits.
    fn settings(&self, args: &BenchArgs, printer: &Printer) -> AskSettings {
        let mut settings = args.ask.settings(&self.options);
        let Some(shard) = self.shard else { return settings };
        settings.requests_max = settings.requests_max.map(|whole| shard.share(whole));
        settings.cost_usd_max = settings.cost_usd_max.map(|whole| whole / shard.count as f64);
        let cost = settings.cost_usd_max.map(usd);
        let requests = settings.requests_max.map(|n| plural(n as usize, "request"));
        let limits: Vec<String> = cost.into_iter().chain(requests).collect();
        if !limits.is_empty() {
            printer.note(&format!(
                "limit of this shard: {} (the benchmark's limit divided by {})",
                limits.join(" and "),
                shard.count
            ));
        }
        settings
    }

    /// `left` counts the questions still to ask, if they were looked up.
    fn print_extent(&self, left: Option<&Remaining>, printer: &Printer) {
        let Self { file, plan, judges, counted, .. } = self;
        let names: Vec<&str> = plan.methods.iter().map(|m| m.name.as_str()).collect();
        let rubrics: Vec<&str> = plan.rubrics.iter().map(|r| r.rubric.name()).collect();
        let judged: Vec<String> = judges.iter().map(Judge::name).collect();
        let paid = judges.iter().filter(|judge| !judge.is_free()).count() as u64;
        let requests = match left {
            Some(left) => (judges.iter().zip(&left.left))
                .filter(|(judge, _)| !judge.is_free())
                .map(|(_, left)| left.iter().sum::<u64>())
                .sum(),
            None => counted.questions / judges.len() as u64 * paid,
        };
        let schedule = match plan.pairs.schedule {
            PairSchedule::All if plan.pairs.stop.is_some() => "until settled, at most",
            PairSchedule::All => "all",
            PairSchedule::RoundRobin => "round-robin",
            PairSchedule::Active => "active, at most",
        };
        let mut row = serde_json::json!({
            "kind": "plan", "name": plan.name, "generators": names, "prompts": plan.prompts.len(), "seeds": plan.seeds, "rubrics": rubrics,
            "judges": judged, "long_prompts": plan.long_prompts.iter().map(|prompt| &prompt.id).collect::<Vec<_>>(), "assets": counted.assets, "there": counted.there, "to_make": counted.to_make, "paid_assets": counted.paid, "pairs": counted.pairs,
            "questions": counted.questions, "requests": requests,
        });
        if let Some(left) = left {
            row["answered"] = left.answered.into();
            row["missing"] = left.missing.into();
        }
        let mut text = format!(
            "{}\n  {} × {} × {}: {}, {} available, {} to make, {} missing\n",
            plan.name,
            plural(names.len(), "generator"),
            plural(plan.prompts.len(), "prompt"),
            plural(plan.seeds.len(), "seed"),
            plural(counted.assets, "asset"),
            grouped(counted.there as u64),
            grouped(counted.to_make as u64),
            grouped((counted.assets - counted.there - counted.to_make) as u64),
        );
        for paid in &counted.paid {
            text += &format!(
                "  {}: {} to make at {} each, {} in total, not counting retries; jobs in progress are already paid\n",
                paid.generator,
                plural(paid.assets, "asset"),
                usd(paid.cost_usd),
                usd(paid.cost_usd * paid.assets as f64)
            );
        }
        let pairs = if counted.pairs > 0 {
            format!("{} ({schedule}) in both orders, ", plural(counted.pairs, "pair"))
        } else {
            String::new()
        };
        text += &format!(
            "  {pairs}{} on {} to {}; {} to servers, not counting retries\n",
            plural(counted.questions as usize, "question"),
            rubrics.join(", "),
            judged.join(", "),
            plural(requests as usize, "request"),
        );
        let rule = match file.missing_assets {
            _ if counted.pairs == 0 => "not scored",
            MissingAssets::Loss => "a loss",
            MissingAssets::LeaveOut => "left out",
        };
        text += &format!("  a missing or blank asset is {rule}\n");
        if let Some(left) = left {
            let answered = plural_with(left.answered as usize, "question", ["is", "are"]);
            text += &format!("  {answered} answered\n");
            if left.missing > 0 {
                let paths = left
                    .missing_assets
                    .iter()
                    .map(|path| path.strip_prefix(".").unwrap_or(path).display().to_string());
                let (questions, paths) =
                    (plural(left.missing as usize, "question"), some_of(paths));
                text += &format!("  {questions} cannot be asked (assets missing: {paths})\n");
            }
            text += "  left to ask:\n";
        }
        printer.show(text, [row]);
        plan.long_prompts.iter().for_each(|prompt| printer.fail(&prompt.to_string()));
        print_plan(&estimates(plan, judges, file.samples, left), printer);
        printer.show("\n", []);
    }

    /// The leaderboard and the page, however the run ended.
    fn finish(&self, ended: Exit, printer: &Printer) -> Result<Exit, Error> {
        let Self { file, judges, folder, .. } = self;
        let settings = file.rating.clone();
        let folders = [folder.to_owned()];
        let page = folder.join(PAGE_FILE);
        let (gallery, count) = (GalleryPlace::BySize, PictureCount::default());
        let is_current = ReportSource::of(&folders, &settings, gallery)?
            .is_some_and(|source| source.is_of(&page, count));
        let gallery = if is_current { GalleryPlace::Nowhere } else { gallery };
        let report = RunReport::read(&folders, &settings, gallery)?;
        let rated = match &report.not_rated {
            None => {
                report.results.notes().iter().for_each(|note| printer.note(note));
                let rated = print_results(&report.results, Detail::Short, printer)?;
                print_reliability(&report.reliability, printer);
                let mut unrated =
                    report.results.unrated.iter().filter(|u| u.key.voice.is_measured());
                let is_main = |criterion: &str| criterion == "overall";
                let boards = &report.results.boards;
                let is_left_open = unrated.any(|u| is_main(u.key.criterion()) || boards.is_empty());
                if is_left_open && !boards.iter().any(|board| is_main(board.key.criterion())) {
                    print_facts(&Store::read(folder)?, printer)?;
                }
                rated
            }
            // Questions in batches have no answers yet, which is not an error.
            Some(_) if ended == Exit::InBatches => ended,
            // A judge that only measures has done what it can.
            Some(reason @ NotRated::NothingDecided)
                if judges.iter().all(|judge| matches!(judge, Judge::Probe)) =>
            {
                print_results(&report.results, Detail::Short, printer)?;
                printer.note(&reason.to_string());
                print_facts(&Store::read(folder)?, printer)?;
                Exit::Done
            }
            // A stopped run may have nothing yet, and says why it stopped.
            Some(reason) => {
                if !report.results.metrics.is_empty() {
                    print_results(&report.results, Detail::Short, printer)?;
                }
                printer.fail(&reason.to_string());
                Exit::SomeFailed
            }
        };
        if !is_current {
            write_report(&report, &page, count)?;
        }
        let text = format!("run     {}\nreport  {}", folder.display(), page.display());
        printer.show(text, [serde_json::json!({"kind": "report", "path": page})]);
        Ok(if ended == Exit::Done { rated } else { ended })
    }
}

/// A cluster draws on CPUs, so that all its machines draw the same.
fn renderer(file: &BenchFile, args: &BenchArgs, printer: &Printer) -> Result<Renderer, Error> {
    match (file.engine, &args.renderer.renderer) {
        (Some(_), RendererChoice::Auto) => Ok(Renderer::Cpu),
        (Some(_), RendererChoice::Gpu(_)) => Err(Error::usage(
            "machines of a cluster draw on the CPU; leave out --renderer, or `engine` in the benchmark file",
        )),
        _ => Ok(args.renderer.open(printer)?),
    }
}

/// The shard of this machine; prints the one from the scheduler.
fn shard(choice: ShardChoice, printer: &Printer) -> Result<Shard, Error> {
    let ids = match choice {
        ShardChoice::Given(shard) => return Ok(shard),
        ShardChoice::Auto => None,
        ShardChoice::AutoOf { first, last } => Some((first, last)),
    };
    let (shard, variable) = Shard::of_scheduler(ids, |name| std::env::var(name).ok())?;
    printer.note(&format!("shard {} of {}, from {variable}", shard.number, shard.count));
    Ok(shard)
}

/// Flags override the file, so that `run.toml` has the effective settings.
fn override_file(file: &mut BenchFile, args: &BenchArgs) -> Result<AskOptions, Error> {
    let ask = &args.ask;
    if ask.judge.is_empty() && ask.base_url.is_some() {
        return Err(Error::usage(
            "--base-url applies only to judges given with --judge; judges in the file have their own base_url",
        ));
    }
    if !ask.judge.is_empty() {
        let entry = |spec: &Spec| {
            JudgeEntry::Table(JudgeTable {
                spec: spec.to_string(),
                base_url: ask.base_url.clone(),
                tuning: ask.models.tuning(),
                ..JudgeTable::default()
            })
        };
        file.judges = ask.judge.iter().map(entry).collect();
    }
    file.pictures = or(&args.load, &or(&args.pair, &file.pictures)?)?;
    Ok(file.lay_over(&ask.options))
}

/// Names assets that could not be judged; whether there are any.
fn print_missing(store: &Store, printer: &Printer) -> Result<bool, Error> {
    let made = store.made()?;
    let failed = made.iter().filter_map(|made| Some((made, made.failure.as_ref()?)));
    let failed: Vec<_> = failed.collect();
    for (made, (stage, reason)) in failed.iter().take(MISSING_SHOWN_MAX) {
        printer.fail(&format!(
            "{} has no asset for prompt {:?}, seed {} ({}): {reason}",
            made.method,
            made.prompt_id,
            made.seed,
            stage.as_str()
        ));
    }
    if failed.len() > MISSING_SHOWN_MAX {
        printer.fail(&format!(
            "{} could not be judged",
            plural(failed.len() - MISSING_SHOWN_MAX, "more asset")
        ));
    }
    Ok(!failed.is_empty())
}
