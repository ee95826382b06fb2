//! Accepts connections and closes those that only take up room: too many, slow with their head,
//! idle, or not reading.

use super::access::Peer;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// More wait until one of these ends. A browser opens six.
const CONNECTIONS_MAX: usize = 256;
/// Connections per address, except this machine and named proxies; more are closed at once.
const CONNECTIONS_OF_ONE_MAX: usize = 64;
/// A request's head arrives within this time of the connection or of the answer before, or the
/// connection is closed.
const HEAD_MAX: Duration = Duration::from_secs(5);
/// Time limit of a connection; browsers open new ones silently. A response in progress can take as
/// long again, so a client that does not read keeps its place for twice this time at most.
const CONNECTION_LIFE: Duration = Duration::from_secs(60);
/// Before accepting is tried again, for example where no file can be opened.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// A download that is still going when the user stops the program gets this long.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// Answers until `stop`; downloads that are still running a moment later are cut off. Every vote
/// was written before it was acknowledged.
pub(super) async fn answer(
    listener: TcpListener,
    router: Router,
    proxies: &[IpAddr],
    stop: impl Future,
) {
    let (ending, ended) = watch::channel(());
    let mut connections = JoinSet::new();
    let places = Places::default();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            _ = &mut stop => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if connections.len() < CONNECTIONS_MAX => match accepted {
                Ok((stream, peer)) => {
                    let peer = peer.ip().to_canonical();
                    let most = if peer.is_loopback() || proxies.contains(&peer) { CONNECTIONS_MAX } else { CONNECTIONS_OF_ONE_MAX };
                    if let Some(place) = places.take(peer, most) {
                        let router = router.clone().layer(Extension(Peer(peer)));
                        let ended = ended.clone();
                        connections.spawn(async move {
                            connection(stream, router, ended, CONNECTION_LIFE).await;
                            drop(place);
                        });
                    }
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
        }
    }
    drop((listener, ending));
    // Those that did not end by then are dropped.
    let _ =
        tokio::time::timeout(SHUTDOWN, async { while connections.join_next().await.is_some() {} })
            .await;
}

/// How many connections each address has.
#[derive(Clone, Default)]
struct Places(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// One connection's place; given back with this.
struct Place {
    places: Places,
    address: IpAddr,
}

impl Places {
    /// None where the address has `most` of them.
    fn take(&self, address: IpAddr, most: usize) -> Option<Place> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_default();
        (*count < most).then(|| {
            *count += 1;
            Place { places: self.clone(), address }
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.places.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

async fn connection(
    stream: TcpStream,
    router: Router,
    mut ended: watch::Receiver<()>,
    life: Duration,
) {
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_MAX)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
    );
    // How a connection ends, the one at its other end knows.
    tokio::select! {
        _ = &mut connection => return,
        _ = ended.changed() => {}
        () = tokio::time::sleep(life) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = tokio::time::timeout(life, connection).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use tokio::io::AsyncWriteExt;

    #[test]
    fn an_address_has_so_many_connections_and_no_other_notices() {
        let places = Places::default();
        let [one, other] = [1, 2].map(|n| IpAddr::from([203, 0, 113, n]));
        let mut held: Vec<Place> = (0..3).filter_map(|_| places.take(one, 3)).collect();
        assert_eq!((held.len(), places.take(one, 3).is_none()), (3, true));
        assert!(places.take(other, 3).is_some());
        held.pop();
        assert!(places.take(one, 3).is_some());
        held.clear();
        assert!(places.0.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_client_that_never_reads_is_let_go() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        // More than the buffers of both ends hold.
        let router = Router::new().route("/", get(|| async { vec![0u8; 64 << 20] }));
        let (_ending, ended) = watch::channel(());
        let life = Duration::from_millis(50);
        let serving = tokio::spawn(connection(stream, router, ended, life));
        client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        tokio::time::timeout(Duration::from_secs(60), serving)
            .await
            .expect("the connection is closed although nobody reads")
            .unwrap();
    }
}
