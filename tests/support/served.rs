//! The program's `serve`, running, and requests to it.

use super::program::command;
use reqwest::{RequestBuilder, Response};
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

/// A running `serve`, ended with this.
pub struct Served {
    child: Child,
    pub port: u16,
    first_line: String,
    client: reqwest::Client,
    /// A program whose output nobody reads ends, so this stays open.
    _output: Lines<BufReader<ChildStdout>>,
}

impl Served {
    /// On a port that was free a moment ago.
    pub fn start(folder: &Path) -> Self {
        Self::start_in(Path::new("."), &folder.display().to_string())
    }

    pub fn start_in(place: &Path, folder: &str) -> Self {
        let port = free_port();
        let served = Self::start_with(place, folder, port, &[]);
        let first = &served.first_line;
        assert!(first.ends_with(&format!("http://127.0.0.1:{port}/")), "{first}");
        served
    }

    /// On that port, with these flags.
    pub fn start_with(place: &Path, folder: &str, port: u16, flags: &[&str]) -> Self {
        let port_text = port.to_string();
        let args = ["serve", folder, "--port", &port_text];
        let mut child =
            command(place, args.iter().chain(flags)).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first_line = lines.next().expect("an address").unwrap();
        // A second installation in the same process is refused, and changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { child, port, client, first_line, _output: lines }
    }

    /// Ends it as a power cut would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        sent(self.client.get(format!("{}{path}", self.origin())), headers).await
    }

    pub async fn raw_post(&self, path: &str, body: String, headers: &[(&str, &str)]) -> Response {
        let url = format!("{}{path}", self.origin());
        sent(self.client.post(url).body(body), headers).await
    }

    /// See [`drawn`].
    pub async fn drawn(&self, shown: &serde_json::Value) -> Vec<String> {
        drawn(&self.client, &self.origin(), "", shown).await
    }

    /// As our own page asks; the status and what came back.
    pub async fn post(&self, path: &str, body: &serde_json::Value) -> (u16, serde_json::Value) {
        let origin = self.origin();
        let headers = [("content-type", "application/json"), ("origin", origin.as_str())];
        let answer = self.raw_post(path, body.to_string(), &headers).await;
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text)))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn sent(request: RequestBuilder, headers: &[(&str, &str)]) -> Response {
    let add = |request: RequestBuilder, (name, value): &(&str, &str)| request.header(*name, *value);
    headers.iter().fold(request, add).send().await.unwrap()
}

/// Loads both objects of what a ballot shows, and its photos, as the voting page does. Returns the
/// receipts that a vote repeats. `token` is the rater's.
pub async fn drawn(
    client: &reqwest::Client,
    base: &str,
    token: &str,
    shown: &serde_json::Value,
) -> Vec<String> {
    let photos = shown["photos"].as_array().unwrap().iter().map(|photo| ("picture", &photo["id"]));
    let objects = [("asset", &shown["left"]), ("asset", &shown["right"])];
    let mut receipts = Vec::new();
    // A checklist is about one object.
    let objects = objects.into_iter().filter(|(_, id)| !id.is_null());
    for (kind, id) in objects.chain(photos) {
        let url = format!("{base}/{kind}/{}", id.as_str().unwrap());
        let mut tries = 0..1_000;
        let receipt = loop {
            let request = client.get(&url);
            let request = match token {
                "" => request,
                token => request.header("authorization", format!("Bearer {token}")),
            };
            let answer = request.send().await.unwrap();
            match answer.headers().get("meshjudge-receipt") {
                Some(receipt) => break receipt.to_str().unwrap().to_owned(),
                None => assert!(tries.next().is_some(), "{url}: {}", answer.status()),
            }
            tokio::time::sleep(std::time::Duration::from_millis(60)).await;
        };
        receipts.push(receipt);
    }
    receipts
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
