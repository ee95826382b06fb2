//! `serve`: the report with 3D views, and blind voting, on this machine or for invited raters.

use super::global::LoadArgs;
use super::rating_args::RatingArgs;
use super::runs::runs;
use super::{Exit, Failure, Printer, signals};
use crate::report::plural;
use crate::report::serve::{
    PORT, PublicSettings, PublicUrl, RaterLine, ServeSettings, invite, invite_owner, rater_lines,
    revoke, serve,
};
use crate::rubric::Rubric;
use crate::store::Store;
use clap::Args;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Maximum size of the text that raters accept.
const CONSENT_BYTES_MAX: u64 = 64 << 10;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge serve runs/bench-2026-11-21T10-03-55
  meshjudge serve my-run --port 8000 --rubric my-rubric.toml
  meshjudge serve my-run --invite Ada --invite Ben --url https://votes.example.org/study
  meshjudge serve my-run --public --url https://votes.example.org/study --consent consent.txt --check-every 8
  meshjudge serve my-run --raters

By default, only this machine can open the page. At /vote people compare assets without knowing their generators; each vote is stored in the run at \
once, as an answer of the judge human:NAME. Ctrl-C stops the server.

With --public only invited raters can vote, each with a personal link, and only the owner's link opens the report. A tunnel or a \
proxy with TLS listens at --url and forwards requests; this server listens only on this machine unless you set --bind.")]
pub(super) struct ServeArgs {
    /// The run's folder, or the folder of shards
    pub folder: PathBuf,

    /// Port [default: 7878, or the next free one]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,

    /// Rubric file with titles and descriptions for voters; not needed for built-in rubrics
    #[arg(long, value_name = "FILE.toml")]
    pub rubric: Option<String>,

    #[command(flatten)]
    pub public: PublicArgs,

    #[command(flatten)]
    pub rating: RatingArgs,

    #[command(flatten)]
    pub load: LoadArgs,
}

/// Raters elsewhere.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Raters elsewhere")]
pub(super) struct PublicArgs {
    /// Admit only invited raters and the owner, each with a personal link
    #[arg(long)]
    pub public: bool,

    /// Address to listen on; if other machines can reach it, put TLS in front, or links and votes
    /// can be read in transit
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), requires = "public")]
    pub bind: IpAddr,

    /// The address at which raters reach the server, through a proxy or a tunnel: scheme, host and
    /// path
    #[arg(long, value_name = "URL")]
    pub url: Option<PublicUrl>,

    /// Trust X-Forwarded-For from this proxy address, so limits apply per client. May be repeated
    #[arg(long, value_name = "IP", requires = "public")]
    pub proxy: Vec<IpAddr>,

    /// Text that each rater accepts before the first pair
    #[arg(long, value_name = "FILE.txt", requires = "public")]
    pub consent: Option<PathBuf>,

    /// Insert a check after every N pairs: an object of the run against a damaged copy
    #[arg(long, value_name = "N", requires = "public")]
    pub check_every: Option<NonZeroUsize>,

    /// Maximum number of pairs for each rater [default: all]
    #[arg(long, value_name = "N", requires = "public")]
    pub votes: Option<NonZeroUsize>,

    /// Invite a rater, print the link, and exit; a new invitation replaces it. May be repeated
    #[arg(long, value_name = "NAME", conflicts_with_all = ["revoke", "raters"])]
    pub invite: Vec<String>,

    /// Print a new link to the report for the owner, and exit; it replaces the earlier link
    #[arg(long, conflicts_with_all = ["revoke", "raters"])]
    pub owner_link: bool,

    /// Revoke a rater's invitation, even while serving, and exit; votes stay. May be repeated
    #[arg(long, value_name = "NAME", conflicts_with_all = ["public", "raters"])]
    pub revoke: Vec<String>,

    /// Print each rater's votes, checks and agreement, and exit
    #[arg(long, conflicts_with = "public")]
    pub raters: bool,
}

pub(super) fn run(args: &ServeArgs, printer: &Printer) -> Result<Exit, Failure> {
    let of_raters = &args.public;
    if !of_raters.invite.is_empty() || of_raters.owner_link {
        return links(args, printer);
    }
    if !of_raters.revoke.is_empty() {
        for name in &of_raters.revoke {
            revoke(&args.folder, name)?;
            printer.result(&format!("revoked {name}"));
            printer.row(&serde_json::json!({"kind": "revoked", "name": name}));
        }
        return Ok(Exit::Done);
    }
    let folders = runs(std::slice::from_ref(&args.folder), printer);
    let rating = args.rating.settings(&folders)?;
    if of_raters.raters {
        for line in rater_lines(&args.folder, &rating)? {
            printer.result(&rater_text(&line));
            let mut row = serde_json::json!(line);
            row["kind"] = "rater".into();
            printer.row(&row);
        }
        return Ok(Exit::Done);
    }
    let rubric = args.rubric.as_deref().map(Rubric::open).transpose()?;
    if let Some(rubric) = rubric.as_ref().filter(|r| !r.is_of_pairs()) {
        return Err(format!(
            "people vote on pairs, and the rubric {:?} is not for two objects; give a pairwise rubric",
            rubric.name()
        )
        .into());
    }
    let public = of_raters.public.then(|| public_settings(of_raters)).transpose()?;
    let is_readable = public.as_ref().is_some_and(|public| !public.bind.is_loopback());
    let has_unnamed_proxy = of_raters.url.is_some() && of_raters.proxy.is_empty();
    let settings = ServeSettings {
        folder: args.folder.clone(),
        port: args.port.filter(|&port| port != 0),
        rubric,
        load: args.load.options_of_run(&Store::read(&folders[0])?)?,
        rating,
        public,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(settings, &signals::switch(), |url, (lacking, all)| {
        printer.result(&format!("report  {url}\nvote    {url}vote"));
        printer.row(&serde_json::json!({"kind": "serve", "url": url}));
        if lacking > 0 {
            printer.warn(&format!(
                "{lacking} of {} cannot be shown in 3D, because the file is not where the run was made; pairs without any picture are not offered",
                plural(all, "asset")
            ));
        }
        if of_raters.public {
            printer.note("raters open the links of --invite; you open the link of --owner-link");
            if has_unnamed_proxy {
                printer.note("behind a proxy, all clients share one limit; with --proxy IP, each client has its own");
            }
        }
        if is_readable {
            printer.warn("this address has no TLS, so links and votes can be read in transit; put a proxy with TLS in front");
        }
        printer.note("Ctrl-C stops the server");
    }))?;
    Ok(Exit::Done)
}

fn public_settings(args: &PublicArgs) -> Result<PublicSettings, Failure> {
    let consent = args.consent.as_ref().map(|path| -> Result<String, Failure> {
        let failed =
            |reason: &str| format!("cannot use the text that raters accept ({reason}): {path:?}");
        let bytes = std::fs::metadata(path).map_err(|e| failed(&e.to_string()))?.len();
        if bytes > CONSENT_BYTES_MAX {
            return Err(failed("it is longer than 64 KiB").into());
        }
        let text = std::fs::read_to_string(path).map_err(|e| failed(&e.to_string()))?;
        match text.trim() {
            "" => Err(failed("it is empty").into()),
            text => Ok(text.to_owned()),
        }
    });
    Ok(PublicSettings {
        bind: args.bind,
        url: args.url.clone(),
        proxies: args.proxy.iter().map(IpAddr::to_canonical).collect(),
        consent: consent.transpose()?,
        check_every: args.check_every.map(NonZeroUsize::get),
        votes_max: args.votes.map(NonZeroUsize::get),
    })
}

/// Prints new links. The token follows the `#` of a link, so browsers send it to no server.
fn links(args: &ServeArgs, printer: &Printer) -> Result<Exit, Failure> {
    if args.public.public {
        return Err(
            "links need a separate call, before the server starts or while it runs: make the same call without --public; \
             then start the server with --public, without --invite and --owner-link"
                .to_owned()
                .into(),
        );
    }
    let port = args.port.filter(|&port| port != 0).unwrap_or(PORT);
    let base = match &args.public.url {
        Some(url) => url.to_string(),
        None => format!("http://127.0.0.1:{port}"),
    };
    for name in &args.public.invite {
        let link = format!("{base}/vote#{}", invite(&args.folder, name)?);
        printer.result(&format!("{name}  {link}"));
        printer.row(&serde_json::json!({"kind": "invited", "name": name, "link": link}));
    }
    if args.public.owner_link {
        let link = format!("{base}/#{}", invite_owner(&args.folder)?);
        printer.result(&format!("report  {link}"));
        printer.row(&serde_json::json!({"kind": "owner", "link": link}));
    }
    printer.note("these links are shown once and are not stored; anyone with a link can use it");
    Ok(Exit::Done)
}

/// `Ada: 24 votes, 8 s each; checks: 3 of 3 right; agreement with others: 81 % of 16`.
fn rater_text(line: &RaterLine) -> String {
    let mut text = format!("{}: {}", line.name, plural(line.votes, "vote"));
    if let Some(seconds) = line.median_seconds.filter(|seconds| *seconds > 0.0) {
        text += &format!(", {seconds:.0} s each");
    }
    let [right, wrong, tie] = line.checks;
    if right + wrong + tie > 0 {
        text += &format!("; checks: {right} of {} right", right + wrong + tie);
    }
    if let Some((share, decided)) =
        line.with_others.and_then(|rates| Some((rates.on_decided?.value, rates.counts.decided)))
    {
        text += &format!("; agreement with others: {:.0} % of {decided}", share * 100.0);
    }
    match (&line.invited_at, &line.revoked_at) {
        (_, Some(at)) => text + &format!("; revoked {at}"),
        (None, _) => text + "; not invited",
        _ => text,
    }
}
