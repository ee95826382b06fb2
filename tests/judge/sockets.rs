//! What can go wrong below HTTP, from a scripted server: each connection does one thing. And every
//! way to say "later".

use crate::support::judge_server::{
    ANSWER, Row, limits, open, reply, reply_json, rows, run, settings,
};
use crate::support::trial::{Trial, listed, pairs, spent};
use meshjudge::unstable::ask::{AskSettings, Summary};
use meshjudge::unstable::judge::{Backoff, Judge, OpenSettings, Route};
use meshjudge::unstable::store::rfc3339;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};
use wiremock::ResponseTemplate;

/// What a connection does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Does {
    /// Answers.
    Answer,
    /// Answers under a wrong label.
    AnswerAsText,
    /// Closes while the request is still on its way, which resets the connection.
    Reset,
    /// Reads all and closes without a word.
    Silence,
    /// Sends a byte now and then.
    Drip,
    /// Sends without end.
    Flood,
    /// Sends something that is no HTTP.
    Babble,
    /// Promises more than it sends.
    Half,
    /// Sends us to itself.
    Circle,
}

struct Scripted {
    url: String,
    connections: Arc<AtomicUsize>,
}

impl Scripted {
    /// The nth connection (from 0) does what `script` says.
    fn start(script: impl Fn(usize) -> Does + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let (count, script, own) = (Arc::clone(&connections), Arc::new(script), url.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let n = count.fetch_add(1, Ordering::SeqCst);
                let (script, own) = (Arc::clone(&script), own.clone());
                std::thread::spawn(move || {
                    // A client that went away is what some of these are about.
                    let _ = act(stream.unwrap(), script(n), &own);
                });
            }
        });
        Self { url, connections }
    }
}

fn act(mut stream: TcpStream, does: Does, own: &str) -> std::io::Result<()> {
    if does == Does::Reset {
        stream.read_exact(&mut [0; 16])?;
        return Ok(());
    }
    read_request(&mut stream)?;
    let body = reply_json(ANSWER, "stop").to_string();
    let head = |kind: &str, len: usize| {
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len}\r\nconnection: close\r\n\r\n"
        )
    };
    match does {
        Does::Reset | Does::Silence => {}
        Does::Answer => write!(stream, "{}{body}", head("application/json", body.len()))?,
        Does::AnswerAsText => write!(stream, "{}{body}", head("text/plain", body.len()))?,
        Does::Half => {
            write!(stream, "{}{}", head("application/json", body.len()), &body[..body.len() / 2])?
        }
        Does::Babble => stream.write_all(b"\x16\x03\x01 what?\r\n\r\n")?,
        Does::Circle => write!(
            stream,
            "HTTP/1.1 302 Found\r\nlocation: {own}/chat/completions\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )?,
        Does::Drip => {
            write!(stream, "{}", head("application/json", body.len()))?;
            for byte in body.bytes() {
                stream.write_all(&[byte])?;
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Does::Flood => {
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"
            )?;
            loop {
                stream.write_all(&[b' '; 65_536])?;
            }
        }
    }
    Ok(())
}

fn read_request(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 65_536];
    loop {
        let n = stream.read(&mut chunk)?;
        if n == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&chunk[..n]);
        let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
        if bytes.len() >= end + 4 + length.unwrap_or(0_usize) {
            return Ok(());
        }
    }
}

const OUTPUT_USD_MAX: f64 = 0.04;

fn priced(url: &str) -> Judge {
    let facts = "names = [\"priced\"]\nroutes = [\"openai\"]\noutput_tokens_max = 4000\n\
        usd_per_million = { input = 0.0, output = 10.0 }";
    let (limits, catalogue) = (limits(Duration::from_millis(1500)), listed(facts));
    let settings = OpenSettings { limits, catalogue, ..OpenSettings::default() };
    open(Route::Chat, "priced", url, None, &settings)
}

async fn asked(does: Does) -> (Vec<Row>, usize, f64, Summary) {
    let server = Scripted::start(move |_| does);
    let folder = tempfile::tempdir().unwrap();
    let summary = run(folder.path(), pairs(1), &priced(&server.url), &settings()).await;
    let cost = spent(folder.path());
    (rows(folder.path()), server.connections.load(Ordering::SeqCst), cost, summary)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_end_of_a_connection_is_named_recorded_and_paid_as_it_may_have_been() {
    let cases = [
        (Does::Silence, "broke off"),
        (Does::Reset, "broke off"),
        (Does::Half, "broke off"),
        (Does::Babble, "broke off"),
        (Does::Drip, "within 1.5 s"),
        (Does::Flood, "larger than 1048576 bytes"),
    ];
    for (does, words) in cases {
        let start = Instant::now();
        let (rows, requests, cost, summary) = asked(does).await;
        assert_eq!(rows.len(), 2);
        for row in &rows {
            assert_eq!(row.outcome, "provider_error", "{does:?}");
            let reason = row.reason.as_deref().unwrap();
            assert!(reason.contains(words), "{does:?}: {reason}");
            assert_eq!(row.attempts, 3, "{does:?}");
        }
        assert_eq!((requests, summary.requests), (6, 6), "{does:?}");
        assert!((cost - 6.0 * OUTPUT_USD_MAX).abs() < 1e-9, "{does:?}: {cost}");
        assert!(start.elapsed() < Duration::from_secs(12), "{does:?}");
    }
    // A redirect is not followed, so a circle is one request; two of them do not end a judge.
    let (rows, requests, cost, summary) = asked(Does::Circle).await;
    assert!(rows[0].reason.as_deref().unwrap().contains("redirects (302)"));
    assert_eq!((summary.requests, cost), (2, 0.0));
    assert!(summary.ended.is_empty(), "{:?}", summary.ended);
    // A client may open a connection more than it needs.
    assert!(requests <= 4, "{requests} connections");
    let (rows, _, cost, _) = asked(Does::AnswerAsText).await;
    // A wrong label is no reason to lose a verdict.
    assert!(rows.iter().all(|row| row.outcome == "verdict"));
    assert!((cost - 2.0 * 200.0 * 10.0 / 1e6).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_in_trouble_loses_no_verdict() {
    let troubles =
        [Does::Reset, Does::Half, Does::Silence, Does::Babble, Does::Answer, Does::Answer];
    let server = Scripted::start(move |n| troubles[n % troubles.len()]);
    let folder = tempfile::tempdir().unwrap();
    let backoff = Backoff { attempts_max: 40, ..settings().backoff };
    let patient = AskSettings { backoff, ..settings() };
    let summary = run(folder.path(), pairs(10), &priced(&server.url), &patient).await;
    assert_eq!((summary.verdicts, summary.exit_code()), (20, 0));
    let attempts: u32 = rows(folder.path()).iter().map(|row| row.attempts).sum();
    assert_eq!(attempts as usize, server.connections.load(Ordering::SeqCst));
    assert!(attempts > 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn later_is_understood_in_every_spelling() {
    fn after(millis: u64) -> SystemTime {
        SystemTime::now() + Duration::from_millis(millis)
    }
    const RETRY_INFO: &str = r#"{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "later",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.8s"}]}}"#;
    // A header, its value at the time of the reply, and the least wait in milliseconds.
    type Case = (&'static str, fn() -> String, u64);
    let cases: [Case; 8] = [
        ("retry-after", || "1".to_owned(), 1000),
        ("retry-after", || "0.6".to_owned(), 600),
        ("retry-after", || "0m0.7s".to_owned(), 700),
        ("retry-after", || httpdate::fmt_http_date(after(2000)), 900),
        ("retry-after-ms", || "700".to_owned(), 700),
        ("anthropic-ratelimit-requests-reset", || rfc3339(after(800)), 600),
        ("x-ratelimit-reset-tokens", || "650ms".to_owned(), 650),
        ("in the body", || RETRY_INFO.to_owned(), 800),
    ];
    for (header, value, millis) in cases {
        let late = move || match header {
            "in the body" => ResponseTemplate::new(429).set_body_raw(value(), "application/json"),
            _ => ResponseTemplate::new(429)
                .insert_header(header.replace("reset", "remaining"), "0")
                .insert_header(header, value()),
        };
        let trial = Trial::start(move |n| if n < 2 { late() } else { reply(ANSWER, "stop") }).await;
        let start = Instant::now();
        let summary = trial.run(1, &settings()).await;
        let (took, what) = (start.elapsed(), format!("{header}: {}", value()));
        assert_eq!((summary.verdicts, trial.requests()), (2, 4), "{what}");
        assert!(took >= Duration::from_millis(millis), "{what}: {took:?}");
        assert!(took < Duration::from_millis(millis + 4000), "{what}: {took:?}");
        assert!(trial.rows().iter().all(|row| row.attempts == 2), "{what}");
    }
}
