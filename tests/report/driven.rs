//! A real browser, driven over the WebDriver protocol. There is one only where
//! `MESHJUDGE_CHROMEDRIVER` names the driver; where it does, a driver or browser that is missing
//! fails the test.

use crate::support::served::free_port;
use serde_json::{Value, json};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with its driver, both ended with this.
pub(crate) struct Browser {
    driver: Child,
    client: reqwest::Client,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// None where nobody declared a driver.
    pub(crate) async fn start() -> Option<Self> {
        let Some(path) = std::env::var_os("MESHJUDGE_CHROMEDRIVER") else {
            eprintln!("left out: MESHJUDGE_CHROMEDRIVER is not set");
            return None;
        };
        let port = free_port();
        let driver = Command::new(&path)
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|e| panic!("MESHJUDGE_CHROMEDRIVER does not start ({e}): {path:?}"));
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
        let base = format!("http://127.0.0.1:{port}");
        let start = Instant::now();
        while client.get(format!("{base}/status")).send().await.is_err() {
            assert!(start.elapsed() < PATIENCE, "the driver does not answer");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Self { driver, client, session: base, _profile: profile };
        let profile = format!("--user-data-dir={}", browser._profile.path().display());
        let flags = "--headless --hide-scrollbars --no-sandbox --disable-quic --no-first-run \
            --disable-background-networking --disable-component-update --disable-sync \
            --no-proxy-server --use-angle=swiftshader --enable-unsafe-swiftshader";
        let args: Vec<&str> = flags.split(' ').chain([profile.as_str()]).collect();
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            // 3D views are drawn in software, and other tests run at the same time.
            "timeouts": {"script": 180_000},
            "goog:chromeOptions": {"args": args},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let session = browser.post("/session", &capabilities).await;
        let id = session["sessionId"].as_str().expect("a session").to_owned();
        browser.session = format!("{}/session/{id}", browser.session);
        // What the browser's own first page loads is none of ours.
        browser.open("about:blank").await;
        browser.requests().await;
        Some(browser)
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        let request = self.client.post(format!("{}{path}", self.session)).body(body.to_string());
        let text = request.send().await.unwrap().text().await.unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert!(answer["value"]["error"].is_null(), "{path}: {}", answer["value"]);
        answer["value"].clone()
    }

    pub(crate) async fn cdp(&self, command: &str, parameters: Value) {
        self.post("/goog/cdp/execute", &json!({"cmd": command, "params": parameters})).await;
    }

    pub(crate) async fn size(&self, width_px: u32) {
        let size = json!({"width": width_px, "height": 900, "deviceScaleFactor": 1, "mobile": width_px < 600});
        self.cdp("Emulation.setDeviceMetricsOverride", size).await;
    }

    pub(crate) async fn open(&self, url: &str) {
        self.post("/url", &json!({"url": url})).await;
    }

    pub(crate) async fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []})).await
    }

    /// Waits until a script's value is true.
    pub(crate) async fn until(&self, script: &str) {
        let start = Instant::now();
        while self.run(script).await != true {
            assert!(start.elapsed() < PATIENCE, "never: {script}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Enters the open ballot under a name.
    pub(crate) async fn enter(&self, name: &str) {
        self.run(&format!("document.getElementById('rater').value = '{name}'; document.getElementById('enter').requestSubmit()")).await;
        self.until("return document.getElementById('title').textContent !== ''").await;
    }

    pub(crate) async fn has_webgl(&self) -> bool {
        let script = "return !!document.createElement('canvas').getContext('webgl2')";
        let has_webgl = self.run(script).await == true;
        if !has_webgl {
            eprintln!("left out: this browser has no WebGL");
        }
        has_webgl
    }

    pub(crate) async fn assert_quiet(&self) {
        let complaints = self.complaints().await;
        assert!(complaints.is_empty(), "{complaints:?}");
    }

    /// Presses and lets go of a key. Arrow keys have codes of their own in the protocol.
    pub(crate) async fn key(&self, key: char) {
        let actions = json!([{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]);
        let keys = json!({"type": "key", "id": "keys", "actions": actions});
        self.post("/actions", &json!({"actions": [keys]})).await;
    }

    /// What the console said that was no mere note.
    pub(crate) async fn complaints(&self) -> Vec<Value> {
        let log = self.post("/se/log", &json!({"type": "browser"})).await;
        let all = log.as_array().unwrap().clone();
        // Software drawing is announced by the browser itself.
        let is_own = |entry: &Value| {
            !entry["message"]
                .as_str()
                .is_some_and(|m| m.contains("GL Driver Message") || m.contains("software"))
        };
        all.into_iter().filter(is_own).collect()
    }

    /// Addresses that were asked for.
    pub(crate) async fn requests(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({"type": "performance"})).await;
        let of = |entry: &Value| -> Option<String> {
            let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let message = &message["message"];
            (message["method"] == "Network.requestWillBeSent")
                .then(|| message["params"]["request"]["url"].as_str().map(str::to_owned))?
        };
        log.as_array().unwrap().iter().filter_map(of).collect()
    }

    /// The window as a PNG, in base64.
    pub(crate) async fn screenshot(&self) -> String {
        let request = self.client.get(format!("{}/screenshot", self.session));
        let text = request.send().await.unwrap().text().await.unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap();
        answer["value"].as_str().expect("a picture").to_owned()
    }

    pub(crate) async fn assert_fits(&self, what: &str) {
        let sizes =
            self.run("return [document.documentElement.scrollWidth, window.innerWidth]").await;
        assert!(sizes[0].as_f64() <= sizes[1].as_f64(), "{what} is wider than its window: {sizes}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver closes its browser when its session ends; asked from a thread of its own, for
        // this one may run async code.
        let session = self.session.clone();
        let ended = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let client =
                    reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(5)).build();
                if let Ok(client) = client {
                    // A browser that is gone already needs no ending.
                    let _ = client.delete(&session).send().await;
                }
            });
            Ok::<(), std::io::Error>(())
        });
        let _ = ended.join();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
