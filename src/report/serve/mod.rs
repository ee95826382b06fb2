//! The served pages: the report with its pictures and 3D views, and blind voting, on this machine
//! or for invited raters elsewhere.
//!
//! By default it listens on 127.0.0.1. No path from a URL touches the file system: pictures are
//! addressed by hashes in the run, assets by content hash or by an id made with a secret. A vote
//! opens the run for the moment of its writing, also while a benchmark works on it. On a public
//! server, a rater's token opens only ballots, and the owner's token opens the report.

mod access;
mod address;
pub(super) mod assets;
mod ballot;
mod checks;
mod connections;
mod guard;
mod limits;
mod pages;
mod quality;
mod settings;
mod state;
mod stored;

pub use super::invited::{invite, invite_owner, revoke};
pub use address::{Address, PublicUrl};
pub use ballot::{Choice, ballot_order};
pub use guard::{Refusal, allow};
pub use quality::{RaterLine, rater_lines};
pub use settings::{PublicSettings, ServeSettings};

use crate::ask::StopSwitch;
use crate::error::Error;
use state::App;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;

/// Tried first where no port is asked for.
pub const PORT: u16 = 7878;
/// Ports after it that are tried.
const PORTS_TRIED: u16 = 100;

/// Serves until the switch is pressed; calls `tell` with the address once it can be opened.
///
/// # Errors
/// No run, mixed protocols, no free port.
pub async fn serve(
    settings: ServeSettings,
    stop: &StopSwitch,
    tell: impl FnOnce(&str, (usize, usize)),
) -> Result<(), Error> {
    let public = settings.public.as_ref();
    let bind = public.map_or(Ipv4Addr::LOCALHOST.into(), |public| public.bind);
    let url = public.and_then(|public| public.url.as_ref());
    if bind.is_unspecified() && url.is_none() {
        return Err(Error::run(
            "a server that listens on all addresses needs the address that raters use",
        )
        .option("url"));
    }
    let listener = listen(bind, settings.port).await?;
    let port = listener.local_addr().map_or(0, |address| address.port());
    let address = Address::bound(bind, port, url);
    let proxies = public.map_or_else(Vec::new, |public| public.proxies.clone());
    let shown = format!("{}/", address.shown);
    let app = Arc::new(App::new(settings, address)?);
    let router = pages::router(Arc::clone(&app));
    tell(&shown, app.assets.lacking());
    connections::answer(listener, router, &proxies, stop.pressed(1)).await;
    Ok(())
}

async fn listen(bind: IpAddr, port: Option<u16>) -> Result<TcpListener, Error> {
    let ports = match port {
        Some(port) => port..=port,
        None => PORT..=PORT + PORTS_TRIED,
    };
    let mut last = None;
    for port in ports {
        match TcpListener::bind((bind, port)).await {
            Ok(listener) => return Ok(listener),
            Err(e) => last = Some((port, e)),
        }
    }
    let (port, reason) = last.map_or((PORT, String::new()), |(port, e)| (port, e.to_string()));
    let place = SocketAddr::new(bind, port);
    Err(Error::run(format!("cannot listen on {place} ({reason}); choose another port"))
        .option("port"))
}
