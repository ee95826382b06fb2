//! `raters`: who can vote on a run, and what they did: invitations, links, and a line for each.

use super::runs::runs;
use super::words::row_of;
use super::{Exit, Printer};
use crate::error::Error;
use crate::options::RatingOptions;
use crate::report::plural;
use crate::report::serve::{PORT, PublicUrl, RaterLine, invite, invite_owner, rater_lines, revoke};
use crate::results::RateSettings;
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge raters my-run
  meshjudge raters my-run invite Ada Ben --url https://votes.example.org/study
  meshjudge raters my-run owner-link --url https://votes.example.org/study
  meshjudge raters my-run revoke Ben

Without a verb, the command prints each rater's votes, checks and agreement. `meshjudge serve my-run --public` admits those who are invited.")]
pub(super) struct RatersArgs {
    /// The run's folder, or the folder of shards
    #[arg(value_name = "RUN")]
    pub folder: PathBuf,

    #[command(subcommand)]
    pub verb: Option<Verb>,
}

#[derive(Debug, Clone, Subcommand)]
pub(super) enum Verb {
    /// Print a personal link for each rater; it replaces an earlier one
    Invite {
        /// The raters' names
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
        #[command(flatten)]
        at: LinkArgs,
    },
    /// Print a link to the report, for you; it replaces the earlier one
    OwnerLink(LinkArgs),
    /// Revoke invitations, even while serving; votes stay
    Revoke {
        /// The raters' names
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
}

/// Where a link leads.
#[derive(Debug, Clone, Args)]
pub(super) struct LinkArgs {
    /// The address at which raters reach the server: scheme, host and path [default: this machine]
    #[arg(long, value_name = "URL")]
    pub url: Option<PublicUrl>,

    /// The server's port on this machine [default: 7878]
    #[arg(long, value_name = "N", conflicts_with = "url")]
    pub port: Option<u16>,
}

impl LinkArgs {
    fn base(&self) -> String {
        match &self.url {
            Some(url) => url.to_string(),
            None => format!("http://127.0.0.1:{}", self.port.unwrap_or(PORT)),
        }
    }
}

pub(super) fn run(args: &RatersArgs, printer: &Printer) -> Result<Exit, Error> {
    match &args.verb {
        None => {
            let rating = RateSettings::of(
                &RatingOptions::default(),
                &runs(std::slice::from_ref(&args.folder), printer),
            )?;
            for line in rater_lines(&args.folder, &rating)? {
                printer.show(rater_text(&line), [row_of("rater", &line)]);
            }
        }
        // The token follows the `#` of a link, so browsers send it to no server.
        Some(Verb::Invite { names, at }) => {
            for name in names {
                let link = format!("{}/vote#{}", at.base(), invite(&args.folder, name)?);
                let row = json!({"kind": "invited", "name": name, "link": link});
                printer.show(format!("{name}  {link}"), [row]);
            }
            note_links(printer);
        }
        Some(Verb::OwnerLink(at)) => {
            let link = format!("{}/#{}", at.base(), invite_owner(&args.folder)?);
            printer.show(format!("report  {link}"), [json!({"kind": "owner", "link": link})]);
            note_links(printer);
        }
        Some(Verb::Revoke { names }) => {
            for name in names {
                revoke(&args.folder, name)?;
                printer.show(format!("revoked {name}"), [json!({"kind": "revoked", "name": name})]);
            }
        }
    }
    Ok(Exit::Done)
}

fn note_links(printer: &Printer) {
    printer.note("these links are shown once and are not stored; anyone with a link can use it");
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
