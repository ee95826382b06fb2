//! `serve`: the report with 3D views, and blind voting, on this machine or for invited raters.

use super::global::load_settings_of;
use super::rating_args::RatingArgs;
use super::runs::runs;
use super::{Exit, Printer, signals};
use crate::error::Error;
use crate::options::LoadOptions;
use crate::report::plural;
use crate::report::serve::{PublicSettings, PublicUrl, ServeSettings, serve};
use crate::rubric::{Rubric, read_text};
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
  meshjudge serve my-run --public --url https://votes.example.org/study --consent consent.txt --check-every 8

By default, only this machine can open the page. At /vote people compare assets without knowing their generators; each vote is stored in the run at \
once, as an answer of the judge human:NAME. Ctrl-C stops the server.

With --public only invited raters can vote, each with a personal link (`meshjudge raters my-run invite NAME`), and only the owner's link opens the report. A tunnel or a \
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
    pub load: LoadOptions,
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
}

pub(super) fn run(args: &ServeArgs, printer: &Printer) -> Result<Exit, Error> {
    let of_raters = &args.public;
    let folders = runs(std::slice::from_ref(&args.folder), printer);
    let rating = args.rating.settings(&folders)?;
    let rubric = args.rubric.as_deref().map(Rubric::open).transpose()?;
    if let Some(rubric) = rubric.as_ref().filter(|r| !r.is_of_pairs()) {
        return Err(Error::usage(format!(
            "people vote on pairs, and the rubric {:?} is not for two objects; give a pairwise rubric",
            rubric.name()
        )));
    }
    let public = of_raters.public.then(|| public_settings(of_raters)).transpose()?;
    let is_readable = public.as_ref().is_some_and(|public| !public.bind.is_loopback());
    let has_unnamed_proxy = of_raters.url.is_some() && of_raters.proxy.is_empty();
    let settings = ServeSettings {
        folder: args.folder.clone(),
        port: args.port.filter(|&port| port != 0),
        rubric,
        load: load_settings_of(&Store::read(&folders[0])?, &args.load)?,
        rating,
        public,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|e| Error::run(format!("cannot start network threads ({e})")))?;
    runtime.block_on(serve(settings, &signals::switch(), |url, (lacking, all)| {
        let text = format!("report  {url}\nvote    {url}vote");
        printer.show(text, [serde_json::json!({"kind": "serve", "url": url})]);
        if lacking > 0 {
            printer.warn(&format!(
                "{lacking} of {} cannot be shown in 3D, because the file is not where the run was made; pairs without any picture are not offered",
                plural(all, "asset")
            ));
        }
        if of_raters.public {
            printer.note(
                "raters open the links of `meshjudge raters RUN invite NAME`; you open that of `raters RUN owner-link`",
            );
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

fn public_settings(args: &PublicArgs) -> Result<PublicSettings, Error> {
    let consent = args.consent.as_ref().map(|path| -> Result<String, Error> {
        let failed = |reason: &dyn std::fmt::Display| {
            Error::usage(format!("cannot use the text that raters accept ({reason})")).at(path)
        };
        match read_text(path, CONSENT_BYTES_MAX).map_err(|e| failed(&e))?.trim() {
            "" => Err(failed(&"it is empty")),
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
