//! The local page: the report with its pictures and 3D views, and blind voting.
//!
//! Listens on 127.0.0.1 only. No path from a URL touches the file system: pictures go by hashes that the run knows, assets by content
//! hash or by an id made up at start. A vote opens the run for the moment of its writing, also while a benchmark works on it.

mod assets;
mod ballot;
mod connections;
mod guard;
mod pages;
mod settings;
mod state;

pub use ballot::{Choice, ballot_order};
pub use guard::{Refusal, allow};
pub use settings::ServeSettings;

use super::error::ReportError;
use state::App;
use std::net::Ipv4Addr;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Tried first where no port is asked for.
pub const PORT: u16 = 7878;
/// Ports after it that are tried.
const PORTS_TRIED: u16 = 100;

/// Serves until the user stops the program; `tell` is called with the address once it can be opened.
///
/// # Errors
/// No run, mixed protocols, no free port.
pub async fn serve(settings: ServeSettings, tell: impl FnOnce(&str)) -> Result<(), ReportError> {
    let listener = listen(settings.port).await?;
    let port = listener.local_addr().map_or(0, |address| address.port());
    let app = Arc::new(App::new(settings, port)?);
    let router = pages::router(Arc::clone(&app));
    app.read_later();
    tell(&format!("http://127.0.0.1:{port}/"));
    connections::answer(listener, router, tokio::signal::ctrl_c()).await;
    Ok(())
}

async fn listen(port: Option<u16>) -> Result<TcpListener, ReportError> {
    let ports = match port {
        Some(port) => port..=port,
        None => PORT..=PORT + PORTS_TRIED,
    };
    let mut last = None;
    for port in ports {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Ok(listener) => return Ok(listener),
            Err(e) => last = Some((port, e)),
        }
    }
    let (port, reason) = last.map_or((PORT, String::new()), |(port, e)| (port, e.to_string()));
    Err(ReportError::Listen { port, reason })
}
