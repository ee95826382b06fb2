//! Accepts connections and closes those that only take up room: too many, slow with their head, or idle.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::pin::pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// More wait until one of these ends. A browser opens six.
const CONNECTIONS_MAX: usize = 256;
/// A request's head arrives within this time of the connection or of the answer before, or the connection is closed.
const HEAD_MAX: Duration = Duration::from_secs(5);
/// Before accepting is tried again, for example where no file can be opened.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// A download that is still going when the user stops the program gets this long.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// Answers until `stop`; whoever still downloads a moment after it is cut off. Every vote was written before it was acknowledged.
pub(super) async fn answer(listener: TcpListener, router: Router, stop: impl Future) {
    let (ending, ended) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            _ = &mut stop => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if connections.len() < CONNECTIONS_MAX => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, router.clone(), ended.clone()));
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
        }
    }
    drop((listener, ending));
    // Those that did not end by then are dropped.
    let _ = tokio::time::timeout(SHUTDOWN, async {
        while connections.join_next().await.is_some() {}
    })
    .await;
}

async fn connection(stream: TcpStream, router: Router, mut ended: watch::Receiver<()>) {
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_MAX)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
    );
    // How a connection ends, the one at its other end knows.
    tokio::select! {
        _ = &mut connection => {}
        _ = ended.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
