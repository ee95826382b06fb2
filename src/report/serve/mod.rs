//! The local page: the report with its pictures and 3D views, and blind voting.
//!
//! Listens on 127.0.0.1 only. No path from a URL touches the file system: pictures go by hashes that the run knows, assets by content
//! hash or by an id made up at start. A vote opens the run for the moment of its writing, so a benchmark can run beside it;
//! while the benchmark writes, voting waits and says so.

mod assets;
mod ballot;
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
use std::time::Duration;
use tokio::net::TcpListener;

/// Tried first where no port is asked for.
pub const PORT: u16 = 7878;
/// Ports after it that are tried.
const PORTS_TRIED: u16 = 100;
/// A download that is still going when the user stops the program gets this long.
const SHUTDOWN: Duration = Duration::from_secs(2);

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
    let (stop_to, stop) = tokio::sync::oneshot::channel::<()>();
    let served = axum::serve(listener, router).with_graceful_shutdown(async {
        // A dropped sender means the same: the end.
        let _ = stop.await;
    });
    let mut served = tokio::spawn(async move { served.await });
    tokio::select! {
        _ = &mut served => {}
        _ = tokio::signal::ctrl_c() => {
            let _ = stop_to.send(());
            // Whoever still downloads after this is cut off; every vote was written before it was acknowledged.
            let _ = tokio::time::timeout(SHUTDOWN, served).await;
        }
    }
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
