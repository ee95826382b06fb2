//! Batches at providers that hand out errors, expire, forget to answer, and outlive us: every
//! question is answered once and paid once.

use crate::support::assets::demo;
use crate::support::judge_server::{ANSWER, Mocks, limits, open, pair, rows, run, settings};
use crate::support::program::{Run, command, start};
use crate::support::trial::{LONG, listed, pairs, reply_of, spent, stop};
use meshjudge::unstable::ask::{AskSettings, BatchSettings, Stop, Summary, Unit};
use meshjudge::unstable::judge::{Judge, OpenSettings, Route};
use meshjudge::unstable::store::Store;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use wiremock::matchers::any;
use wiremock::{Mock, Request, ResponseTemplate};

const KEY: &str = "sk-secret-batch-key";

/// 1,000 tokens read at 2 and 200 written at 10 dollars a million, at half of it.
const REPLY_USD: f64 = 0.002;

/// A batch that was handed in.
#[derive(Debug, Clone)]
struct Held {
    mark: Option<String>,
    lines: Vec<(String, Value)>,
    looks: u32,
    was_turned_away: bool,
}

/// What the provider does with the nth question that it is handed, counted over all batches from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Deed {
    Answer,
    Expire,
    Cancel,
    Forget,
    Refuse,
    RefuseSchema,
}

/// A provider's memory, and its moods.
#[derive(Default)]
struct Provider {
    files: Vec<Vec<(String, Value)>>,
    batches: Vec<Held>,
    deeds: BTreeMap<usize, Deed>,
    /// Looks that find a batch still at work.
    slow_looks: u32,
    /// So many hand-ins are taken and answered with a failure.
    lost_answers: u32,
    /// So long the answer to a hand-in takes.
    hand_in_takes: Duration,
    /// A batch waits its turn while another one is open.
    one_at_a_time: bool,
    direct_requests: usize,
    /// So many batches of others are newer than ours, 100 on a page.
    others: usize,
    /// The status that its list of batches is refused with.
    list_refused: Option<u16>,
    /// So many readings of results break off in the middle of a line.
    torn_results: usize,
    /// So many readings of results end before the last line.
    short_results: usize,
    results_read: usize,
    /// What a reply says that it has cost.
    stated_usd: Option<f64>,
    /// What becomes of every question, and the end of every batch in OpenAI's words.
    always: Option<(Deed, &'static str)>,
}

type Shared = Arc<Mutex<Provider>>;

async fn provider(change: impl FnOnce(&mut Provider)) -> (Mocks, Shared) {
    let server = Mocks::start().await;
    let mut state = Provider { slow_looks: 1, ..Provider::default() };
    change(&mut state);
    let state = Arc::new(Mutex::new(state));
    let shared = Arc::clone(&state);
    let url = server.uri();
    Mock::given(any())
        .respond_with(move |request: &Request| respond(request, &shared, &url))
        .mount(&server)
        .await;
    (server, state)
}

fn respond(request: &Request, state: &Shared, url: &str) -> ResponseTemplate {
    let mut state = state.lock().unwrap();
    let path = request.url.path().to_owned();
    let body = || serde_json::from_slice::<Value>(&request.body).unwrap();
    let ok = |json: Value| ResponseTemplate::new(200).set_body_json(json);
    let is_post = request.method.as_str() == "POST";
    let id_in = |path: &str| -> usize { path.rsplit('-').next().unwrap().parse().unwrap() };
    let has_key =
        request.headers.values().any(|value| value.to_str().is_ok_and(|v| v.contains(KEY)));
    assert!(has_key, "{path} without a key");
    match path.as_str() {
        "/v1/files" => {
            state.files.push(form_lines(&request.body));
            ok(json!({"id": format!("file-{}", state.files.len() - 1), "object": "file"}))
        }
        "/v1/batches" if is_post => {
            let body = body();
            assert_eq!(body["completion_window"], "24h");
            let file = id_in(body["input_file_id"].as_str().unwrap());
            let lines = state.files[file].clone();
            for (_, line) in &lines {
                assert_eq!(line["url"], body["endpoint"]);
            }
            let mark = body["metadata"]["meshjudge"].as_str().unwrap().to_owned();
            keep_for_foreign_clients("openai", &body, &lines);
            state.take(Some(mark), lines, |id| json!({"id": format!("batch-{id}"), "status": "validating"}))
        }
        "/v1/batches" | "/v1/messages/batches" if !is_post && state.list_refused.is_some() => {
            ResponseTemplate::new(state.list_refused.unwrap()).set_body_json(json!({"error": {"message": "Missing scopes: api.batch.read"}}))
        }
        // OpenAI's list and Gemini's, each with its own fields; those of others come first.
        "/v1/batches" => {
            let after = request.url.query_pairs().find(|(name, _)| name == "after" || name == "pageToken");
            let first = after.map_or(0, |(_, after)| id_in(&after) + 1);
            let page = (first..state.others).take(100);
            let next = page.clone().next_back().filter(|last| last + 1 < state.others || !state.batches.is_empty());
            let ours = (0..state.batches.len()).rev().filter(|_| page.clone().next().is_none());
            let listed = page.clone().map(|id| (format!("other-{id}"), None))
                .chain(ours.map(|id| (format!("b-{id}"), state.batches[id].mark.clone())));
            let (data, operations): (Vec<Value>, Vec<Value>) = listed
                .map(|(id, mark)| {
                    let data = json!({"id": id.replace("b-", "batch-"), "metadata": {"meshjudge": mark}});
                    (data, json!({"name": format!("batches/{id}"), "metadata": {"displayName": mark}}))
                })
                .unzip();
            let token = next.map(|last| format!("other-{last}"));
            ok(json!({"has_more": next.is_some(), "data": data, "operations": operations, "nextPageToken": token}))
        }
        "/v1/messages/batches/msgbatch-foreign/results" => {
            lines_of((0..6).map(|n| json!({"custom_id": format!("other{n}"), "result": {"type": "succeeded", "message": good(Route::Anthropic)}})))
        }
        "/v1/messages/batches" if is_post => {
            let body = body();
            let lines = keyed(body["requests"].as_array().unwrap(), "/custom_id");
            keep_for_foreign_clients("anthropic", &body, &lines);
            state.take(None, lines, |id| json!({"id": format!("msgbatch-{id}"), "processing_status": "in_progress"}))
        }
        "/v1/messages/batches" => {
            let foreign = json!({"id": "msgbatch-foreign", "processing_status": "ended", "request_counts": {"succeeded": 6}});
            ok(json!({"has_more": false, "last_id": null, "data": (0..state.batches.len()).rev().map(|id| json!({
            "id": format!("msgbatch-{id}"), "created_at": meshjudge::unstable::store::rfc3339(std::time::SystemTime::now()),
            "processing_status": if state.is_at_work(id) { "in_progress" } else { "ended" },
            "request_counts": {"processing": state.batches[id].lines.len(), "succeeded": 0},
            })).chain([foreign]).collect::<Vec<_>>()}))
        }
        "/v1/models/judge:batchGenerateContent" => {
            let body = body();
            let batch = &body["batch"];
            let requests = &batch["inputConfig"]["requests"]["requests"];
            let lines = keyed(requests.as_array().unwrap(), "/metadata/key");
            let mark = batch["displayName"].as_str().unwrap().to_owned();
            keep_for_foreign_clients("gemini", &body, &lines);
            state.take(Some(mark), lines, |id| json!({"name": format!("batches/b-{id}"), "metadata": {"state": "BATCH_STATE_PENDING"}}))
        }
        path if path.starts_with("/v1/batches/b-") => {
            let id = id_in(path);
            if state.is_at_work(id) {
                return ok(json!({"name": &path[4..], "metadata": {"state": "BATCH_STATE_RUNNING", "batchStats": {"successfulRequestCount": "1"}}}));
            }
            let replies: Vec<Value> = state.ends(id).into_iter().filter_map(|(key, deed, _)| match deed {
                Deed::Answer => Some(json!({"metadata": {"key": key}, "response": good(Route::Gemini)})),
                Deed::Expire => Some(json!({"metadata": {"key": key}, "error": {"code": 4, "message": "deadline expired"}})),
                Deed::Cancel => Some(json!({"metadata": {"key": key}, "error": {"code": 1, "message": "cancelled"}})),
                Deed::Refuse => Some(json!({"metadata": {"key": key}, "error": {"code": 3, "message": "no"}})),
                Deed::RefuseSchema => Some(json!({"metadata": {"key": key}, "error": {"code": 3, "message": "responseJsonSchema is not supported"}})),
                Deed::Forget => None,
            }).collect();
            let state = state.always.map_or("SUCCEEDED".to_owned(), |(_, end)| end.to_uppercase());
            let mut end = json!({"name": &path[4..], "done": true, "metadata": {"state": format!("BATCH_STATE_{state}")}});
            if !replies.is_empty() {
                end["response"] = json!({"inlinedResponses": {"inlinedResponses": replies}});
            }
            ok(end)
        }
        path if path.starts_with("/v1/messages/batches/") && path.ends_with("/results") => {
            let id = id_in(path.trim_end_matches("/results"));
            lines_of(state.ends(id).into_iter().filter_map(|(key, deed, _)| {
                let result = match deed {
                    Deed::Answer => json!({"type": "succeeded", "message": good(Route::Anthropic)}),
                    Deed::Expire => json!({"type": "expired"}),
                    Deed::Cancel => json!({"type": "canceled"}),
                    Deed::Forget => return None,
                    Deed::Refuse => json!({"type": "errored", "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}}),
                    Deed::RefuseSchema => json!({"type": "errored", "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "output_config is not supported"}}}),
                };
                Some(json!({"custom_id": key, "result": result}))
            }))
        }
        path if path.starts_with("/v1/messages/batches/") => {
            let id = id_in(path);
            let status = if state.is_at_work(id) { "in_progress" } else { "ended" };
            // The key must not follow this address.
            let elsewhere = "http://198.51.100.1/stolen";
            ok(json!({"id": format!("msgbatch-{id}"), "processing_status": status, "results_url": elsewhere, "request_counts": {"processing": 1}}))
        }
        path if path.starts_with("/v1/batches/batch-") => {
            let id = id_in(path);
            if state.must_wait(id) {
                return ok(json!({"id": &path[12..], "status": "failed", "errors": {"data": [{"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}]}}));
            }
            if state.is_at_work(id) {
                return ok(json!({"id": &path[12..], "status": "in_progress", "request_counts": {"total": 6, "completed": 1, "failed": 0}}));
            }
            let completed = state.ends(id).iter().filter(|(_, deed, _)| *deed == Deed::Answer).count();
            let status = state.always.map_or("completed", |(_, end)| end);
            ok(json!({"id": &path[12..], "status": status, "request_counts": {"completed": completed}, "output_file_id": format!("out-{id}"), "error_file_id": format!("err-{id}")}))
        }
        path if path.starts_with("/v1/files/out-") => {
            let id = id_in(path.trim_end_matches("/content"));
            state.results_read += 1;
            let stated_usd = state.stated_usd;
            let lines = state.ends(id).into_iter().filter(|(_, deed, _)| *deed == Deed::Answer).map(|(key, _, line)| {
                let mut body = good(if line["url"] == "/v1/responses" { Route::Responses } else { Route::Chat });
                if let Some(usd) = stated_usd {
                    body["usage"]["cost"] = usd.into();
                }
                json!({"id": "x", "custom_id": key, "response": {"status_code": 200, "request_id": "r", "body": body}, "error": null})
            });
            if state.results_read <= state.short_results {
                let lines: Vec<Value> = lines.collect();
                return lines_of(lines[..lines.len() - 1].iter().cloned());
            }
            if state.results_read > state.torn_results {
                return lines_of(lines);
            }
            let mut text: String = lines.map(|line| format!("{line}\n")).collect();
            text.truncate(text.len() - 20);
            ResponseTemplate::new(200).set_body_raw(text, "application/octet-stream")
        }
        path if path.starts_with("/v1/files/err-") => {
            let id = id_in(path.trim_end_matches("/content"));
            lines_of(state.ends(id).into_iter().filter_map(|(key, deed, _)| {
                let refused = |message: &str| json!({"custom_id": key, "response": {"status_code": 400, "body": {"error": {"message": message}}}, "error": null});
                match deed {
                    Deed::Expire => Some(json!({"custom_id": key, "response": null, "error": {"code": "batch_expired", "message": "This request could not be executed before the completion window expired."}})),
                    Deed::Cancel => Some(json!({"custom_id": key, "response": null, "error": {"code": "batch_cancelled", "message": "This batch was cancelled."}})),
                    Deed::Refuse => Some(refused("no")),
                    Deed::RefuseSchema => Some(refused("response_format is not supported")),
                    Deed::Answer | Deed::Forget => None,
                }
            }))
        }
        other => {
            state.direct_requests += 1;
            panic!("nobody asks for {other} at {url}")
        }
    }
}

impl Provider {
    fn take(
        &mut self,
        mark: Option<String>,
        lines: Vec<(String, Value)>,
        say: impl Fn(usize) -> Value,
    ) -> ResponseTemplate {
        self.batches.push(Held { mark, lines, looks: 0, was_turned_away: false });
        if self.lost_answers > 0 {
            self.lost_answers -= 1;
            return ResponseTemplate::new(502).set_body_string("<html>Bad Gateway</html>");
        }
        ResponseTemplate::new(200)
            .set_body_json(say(self.batches.len() - 1))
            .set_delay(self.hand_in_takes)
    }

    fn is_at_work(&mut self, id: usize) -> bool {
        if self.one_at_a_time && self.batches.len() == 1 {
            return true; // until there is one to turn away, however long that takes
        }
        self.batches[id].looks += 1;
        self.batches[id].looks <= self.slow_looks
    }

    fn must_wait(&mut self, id: usize) -> bool {
        let is_open = |held: &Held| !held.was_turned_away && held.looks <= self.slow_looks;
        let must_wait = self.one_at_a_time && self.batches[..id].iter().any(is_open);
        self.batches[id].was_turned_away |= must_wait;
        must_wait
    }

    /// Each question of a batch, what is done with it, and its line.
    fn ends(&self, id: usize) -> Vec<(String, Deed, Value)> {
        let before: usize = self.batches[..id].iter().map(|held| held.lines.len()).sum();
        let end = |(place, (key, line)): (usize, &(String, Value))| {
            let deed = self.deeds.get(&(before + place));
            let usual = self.always.map_or(Deed::Answer, |(deed, _)| deed);
            (key.clone(), deed.copied().unwrap_or(usual), line.clone())
        };
        self.batches[id].lines.iter().enumerate().map(end).collect()
    }

    /// How often each question was handed in.
    fn times(&self) -> BTreeMap<String, usize> {
        let mut times = BTreeMap::new();
        for (key, _) in self.batches.iter().flat_map(|held| &held.lines) {
            // After the mark of its batch, which is another one each time.
            *times.entry(key[32..].to_owned()).or_default() += 1;
        }
        times
    }
}

/// Leaves what creates a batch, and its lines, for `tests/foreign/validate_requests.py`, where the
/// environment names a folder.
fn keep_for_foreign_clients(route: &str, create: &Value, lines: &[(String, Value)]) {
    if let Some(folder) = std::env::var_os("MESHJUDGE_REQUESTS") {
        let lines: Vec<&Value> = lines.iter().map(|(_, line)| line).collect();
        let both = json!({"create": create, "lines": lines}).to_string();
        let hash = blake3::hash(both.as_bytes()).to_hex();
        let folder = PathBuf::from(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let name = format!("batches.{route}.{}.json", &hash[..16]);
        std::fs::write(folder.join(name), both).unwrap();
    }
}

fn keyed(lines: &[Value], key: &str) -> Vec<(String, Value)> {
    let key = |line: &Value| line.pointer(key).unwrap().as_str().unwrap().to_owned();
    lines.iter().map(|line| (key(line), line.clone())).collect()
}

/// The lines of the file in a form.
fn form_lines(body: &[u8]) -> Vec<(String, Value)> {
    let text = std::str::from_utf8(body).unwrap();
    assert!(text.contains("name=\"purpose\"\r\n\r\nbatch\r\n"), "the purpose is missing");
    let lines: Vec<Value> = text
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.iter().all(|line| line["method"] == "POST"));
    keyed(&lines, "/custom_id")
}

/// A reply of the route, which costs [`REPLY_USD`].
fn good(route: Route) -> Value {
    reply_of(route, ANSWER, stop(route))
}

fn lines_of(lines: impl Iterator<Item = Value>) -> ResponseTemplate {
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    ResponseTemplate::new(200).set_body_raw(text, "application/octet-stream")
}

/// A provider, a judge of a known price that is asked in its batches, and the run.
struct Batched {
    _server: Mocks,
    state: Shared,
    judge: Judge,
    folder: tempfile::TempDir,
}

impl Batched {
    async fn start(route: Route, change: impl FnOnce(&mut Provider)) -> Self {
        Self::with_schema(route, false, change).await
    }

    async fn with_schema(
        route: Route,
        allows_schema: bool,
        change: impl FnOnce(&mut Provider),
    ) -> Self {
        let (server, state) = provider(change).await;
        let catalogue = listed(&facts(route));
        let limits = limits(LONG);
        let settings = OpenSettings {
            limits,
            catalogue,
            in_batches: true,
            allows_schema,
            ..OpenSettings::default()
        };
        let judge = open(route, "judge", &format!("{}/v1", server.uri()), Some(KEY), &settings);
        Self { _server: server, state, judge, folder: tempfile::tempdir().unwrap() }
    }

    /// Asks so many pairs and waits for all batches.
    async fn run(&self, num_pairs: usize) -> Summary {
        self.ask(num_pairs, &in_batches(None, true)).await
    }

    /// Hands in so many pairs, or looks at their batches once.
    async fn leave(&self, num_pairs: usize) -> Summary {
        self.ask(num_pairs, &in_batches(None, false)).await
    }

    async fn ask(&self, num_pairs: usize, settings: &AskSettings) -> Summary {
        run(&self.place(), pairs(num_pairs), &self.judge, settings).await
    }

    fn place(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    fn state(&self) -> MutexGuard<'_, Provider> {
        self.state.lock().unwrap()
    }

    fn num_batches(&self) -> usize {
        self.state().batches.len()
    }

    /// Whether the run's cost is that of so many replies.
    fn has_cost(&self, num_replies: f64) -> bool {
        (spent(&self.place()) - num_replies * REPLY_USD).abs() < 1e-9
    }

    fn times_handed_in(&self) -> Vec<usize> {
        let mut times: Vec<usize> = self.state().times().into_values().collect();
        times.sort_unstable();
        times
    }
}

fn facts(route: Route) -> String {
    format!(
        "names = [\"judge\"]\nroutes = [\"{}\"]\noutput_tokens_max = 4000\nbatch_share = 0.5\n\
        usd_per_million = {{ input = 2.0, output = 10.0 }}",
        route.name()
    )
}

fn in_batches(requests_max: Option<usize>, waits: bool) -> AskSettings {
    let batch = BatchSettings { requests_max, poll: Duration::from_millis(20), waits };
    AskSettings { batch, ..settings() }
}

fn outcomes(place: &Path) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for row in rows(place) {
        *counts.entry(row.outcome).or_default() += 1;
    }
    counts
}

fn verdicts(count: usize) -> BTreeMap<String, usize> {
    BTreeMap::from([("verdict".to_owned(), count)])
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_answers_in_batches_at_half_the_price() {
    for route in Route::ALL {
        let asked = Batched::start(route, |_| {}).await;
        let summary = asked.ask(5, &in_batches(Some(4), true)).await;
        assert_eq!((summary.verdicts, summary.exit_code()), (10, 0), "{route:?}: {summary:?}");
        let mut sizes: Vec<usize> =
            asked.state().batches.iter().map(|held| held.lines.len()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [2, 4, 4], "{route:?}");
        assert!(asked.has_cost(10.0), "{route:?}");
        // Nothing is asked again, and nothing of the batches is left behind.
        let again = asked.ask(5, &in_batches(Some(4), true)).await;
        assert_eq!((again.answered_before, again.requests), (10, 0), "{route:?}");
        let left = std::fs::read_dir(asked.place().join("batches")).unwrap().count();
        assert_eq!(left, 0, "{route:?}");
        let entries = std::fs::read_dir(asked.place()).unwrap().map(|entry| entry.unwrap().path());
        for path in entries.filter(|path| path.is_file()) {
            let bytes = std::fs::read(&path).unwrap();
            let has_key = bytes.windows(KEY.len()).any(|w| w == KEY.as_bytes());
            assert!(!has_key, "{path:?} holds the key");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_expired_or_was_forgotten_is_asked_again_and_what_was_refused_is_not() {
    for route in Route::ALL {
        let asked = Batched::start(route, |state| {
            state.deeds = BTreeMap::from([(1, Deed::Expire), (2, Deed::Refuse), (3, Deed::Forget)]);
        })
        .await;
        let summary = asked.run(3).await;
        assert_eq!(summary.verdicts, 5, "{route:?}: {summary:?}");
        assert_eq!(summary.failed, BTreeMap::from([("provider_error", 1)]), "{route:?}");
        assert_eq!(asked.times_handed_in(), [1, 1, 1, 1, 2, 2], "{route:?}");
        // The forgotten one may have been charged, so it counts as the most that it can have
        // been.
        let most = spent(&asked.place()) - 5.0 * REPLY_USD;
        assert!(most > 0.02 && most < 0.03, "{route:?}: {most}");
    }
}

/// How often the questions are submitted in one command after another, waiting or not, where no
/// batch ever answers; and their booked cost.
async fn submitted(route: Route, always: (Deed, &'static str), waits: bool) -> (Vec<usize>, f64) {
    let asked = Batched::start(route, |state| {
        state.always = Some(always);
        state.slow_looks = 0;
    })
    .await;
    let mut submitted = Vec::new();
    for _ in 0..6 {
        let summary = asked.ask(1, &in_batches(None, waits)).await;
        assert_eq!(summary.verdicts, 0);
        submitted.push(asked.num_batches());
    }
    (submitted, spent(&asked.place()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_never_answers_is_not_submitted_without_end() {
    for route in Route::ALL {
        // A cancelled one is submitted again only by another command, an expired one once more.
        for (always, waiting) in
            [((Deed::Cancel, "cancelled"), [1, 2, 2, 2, 2, 2]), ((Deed::Expire, "expired"), [2; 6])]
        {
            let (times, usd) = submitted(route, always, true).await;
            assert_eq!((times.as_slice(), usd), (&waiting[..], 0.0), "{route:?} {always:?}");
            let (times, usd) = submitted(route, always, false).await;
            assert_eq!((times.last(), usd), (Some(&2), 0.0), "{route:?} {always:?} {times:?}");
        }
    }
    // Where nothing is said of the questions, the end of the whole batch counts.
    for route in [Route::Chat, Route::Responses, Route::Gemini] {
        for end in ["cancelled", "expired"] {
            let (times, usd) = submitted(route, (Deed::Forget, end), true).await;
            assert_eq!((times.last(), usd), (Some(&2), 0.0), "{route:?} {end}: {times:?}");
        }
        let (times, usd) = submitted(route, (Deed::Forget, "completed"), true).await;
        assert!(times.last() == Some(&2) && usd > 0.0, "{route:?}: {times:?}, {usd}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_that_is_refused_is_left_out_the_next_time() {
    for route in Route::ALL {
        let asked = Batched::with_schema(route, true, |state| {
            state.deeds = (0..4).map(|n| (n, Deed::RefuseSchema)).collect();
        })
        .await;
        let summary = asked.run(2).await;
        assert_eq!(summary.verdicts, 4, "{route:?}: {summary:?}");
        let state = asked.state();
        let has_schema = |held: &Held| held.lines[0].1.to_string().contains("additionalProperties");
        let had: Vec<bool> = state.batches.iter().map(has_schema).collect();
        assert_eq!(had, [true, false], "{route:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_that_are_left_are_collected_by_the_next_call() {
    for route in Route::ALL {
        let asked = Batched::start(route, |state| state.slow_looks = 2).await;
        let left = asked.leave(3).await;
        assert_eq!((left.stop, left.exit_code()), (Some(Stop::InBatches), 4), "{route:?}");
        assert_eq!((left.in_batches, left.verdicts), (6, 0), "{route:?}");
        // They are looked at once and left again; then awaited, with two more.
        let second = asked.leave(3).await;
        assert_eq!(second.exit_code(), 4, "{route:?}");
        let third = asked.run(4).await;
        assert_eq!((third.verdicts, third.exit_code()), (8, 0), "{route:?}: {third:?}");
        assert_eq!(asked.times_handed_in(), [1; 8], "{route:?}");
        assert_eq!(outcomes(&asked.place()), verdicts(8), "{route:?}");
        assert!(asked.has_cost(8.0), "{route:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_in_a_batch_is_paid_once_for_all_who_ask_it() {
    // Two methods made the same files, so the same is asked of both.
    let mut other = pair("prompt 0");
    for question in &mut other.questions {
        let subject = Arc::make_mut(question);
        subject.a.method = "other".to_owned();
    }
    let units = [pair("prompt 0"), other];
    let asked = Batched::start(Route::Chat, |_| {}).await;
    let ask = async |units: Vec<Unit>, waits: bool| {
        run(&asked.place(), units, &asked.judge, &in_batches(None, waits)).await
    };
    let left = ask(units.to_vec(), false).await;
    assert_eq!((left.in_batches, left.exit_code()), (4, 4), "{left:?}");
    // Whichever comes first in the next call.
    let [first, second] = units;
    let summary = ask(vec![second, first], true).await;
    assert_eq!((summary.verdicts, summary.exit_code()), (4, 0), "{summary:?}");
    assert_eq!(asked.state().times().len(), 2);
    assert!(asked.has_cost(2.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_handed_in_is_found_again_and_not_paid_twice() {
    type Case = (&'static str, &'static [Route], fn(&mut Provider), usize);
    let cases: [Case; 4] = [
        ("a batch whose name never arrived", &Route::ALL, |it| it.lost_answers = 1, 1),
        // A list is read to its end.
        (
            "the same behind 1,500 of others",
            &[Route::Chat, Route::Gemini],
            |it| (it.lost_answers, it.others) = (1, 1500),
            1,
        ),
        // A file can end early at the end of a line, so the provider's count decides.
        ("results that end early", &[Route::Chat], |it| it.short_results = 2, 1),
        (
            "a result that stays away and is asked again",
            &[Route::Chat],
            |it| it.short_results = 3,
            2,
        ),
    ];
    for (what, routes, change, num_batches) in cases {
        for &route in routes {
            let asked = Batched::start(route, change).await;
            let summary = asked.run(3).await;
            let found = (summary.verdicts, summary.failed_count(), asked.num_batches());
            assert_eq!(found, (6, 0, num_batches), "{what}, {route:?}: {summary:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_ends_while_it_hands_in_finds_its_batch_again() {
    for route in Route::ALL {
        let asked =
            Batched::start(route, |state| state.hand_in_takes = Duration::from_secs(30)).await;
        // The run is dropped as soon as the provider has the batch, and long before its answer.
        let has_arrived = async {
            while asked.state().batches.is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            _ = asked.run(3) => panic!("{route:?}: the answer should not have come yet"),
            () = has_arrived => {}
        }
        assert_eq!(asked.num_batches(), 1, "{route:?}");
        asked.state().hand_in_takes = Duration::ZERO;
        let summary = asked.run(3).await;
        assert_eq!((summary.verdicts, summary.requests), (6, 0), "{route:?}: {summary:?}");
        assert_eq!(asked.num_batches(), 1, "{route:?}: handed in twice");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_comes_too_early_waits_for_the_others() {
    let asked = Batched::start(Route::Chat, |state| state.one_at_a_time = true).await;
    let summary = asked.ask(3, &in_batches(Some(3), true)).await;
    assert_eq!((summary.verdicts, summary.failed_count()), (6, 0), "{summary:?}");
    assert!(asked.num_batches() > 2, "none was turned away");
    assert_eq!(outcomes(&asked.place()), verdicts(6));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_in_dollars_holds_over_batches_and_calls() {
    let asked = Batched::start(Route::Chat, |_| {}).await;
    // Four questions at their maximum cost: 4,000 tokens written at half price are 0.02 dollars,
    // the text is less than 0.01, and a restatement is less than 0.045.
    let settings = |waits| AskSettings { cost_usd_max: Some(0.3), ..in_batches(None, waits) };
    let first = asked.ask(6, &settings(false)).await;
    assert_eq!(first.stop, Some(Stop::InBatches), "{first:?}");
    let handed_in = asked.state().times().len();
    assert!((2..=4).contains(&handed_in) && handed_in.is_multiple_of(2), "{handed_in}");
    assert_eq!(first.failed, BTreeMap::from([("budget_stopped", 12 - handed_in as u64)]));
    // The questions of the batch are still set aside, so nothing more fits before it is collected;
    // then most of it is free again.
    let second = asked.ask(6, &settings(true)).await;
    assert_eq!((second.verdicts, second.exit_code()), (12, 0), "{second:?}");
    assert!(asked.has_cost(12.0));
    assert_eq!(asked.times_handed_in(), [1; 12]);
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_leaves_the_batches_and_loses_none() {
    let asked = Batched::start(Route::Anthropic, |state| state.slow_looks = 1_000_000).await;
    let settings = in_batches(None, true);
    let (stop, waited) = (settings.stop.clone(), Arc::clone(&asked.state));
    tokio::spawn(async move {
        while waited.lock().unwrap().batches.first().is_none_or(|held| held.looks < 3) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.press();
    });
    let summary = asked.ask(3, &settings).await;
    assert_eq!((summary.exit_code(), summary.in_batches), (130, 6));
    asked.state().slow_looks = 0;
    let summary = asked.run(3).await;
    assert_eq!((summary.verdicts, summary.requests), (6, 0));
    assert_eq!(asked.num_batches(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_benchmark_is_handed_in_and_collected_by_the_program_itself() {
    let (server, state) = provider(|state| state.slow_looks = 0).await;
    let place = tempfile::tempdir().unwrap();
    let file = format!(
        "name = \"batches\"\nmodels = \"models.toml\"\n\
        prompts = [{{ id = \"chair\", text = \"a chair\" }}, {{ id = \"vase\", text = \"a vase\" }}]\n\
        judges = [\"probe\", {{ spec = \"anthropic:judge\", base_url = \"{}/v1\", batch = true }}]\n[pictures]\nsize_px = 32\n\
        [[generators]]\nname = \"clean\"\npath = \"{1}/{{prompt_id}}_clean.glb\"\n\
        [[generators]]\nname = \"damaged\"\npath = \"{1}/{{prompt_id}}_damaged.glb\"\n",
        server.uri(),
        demo("").display()
    );
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    let models = format!("dated = \"a test\"\n[[models]]\n{}\n", facts(Route::Anthropic));
    std::fs::write(place.path().join("models.toml"), models).unwrap();
    let bench = |more: &[&str]| {
        let args = ["bench", "bench.toml", "--run", "run", "--batch-poll", "1"];
        let mut command = command(place.path(), args);
        Run::of(command.args(more).env("ANTHROPIC_API_KEY", KEY))
    };
    // The file says that this judge is asked in batches.
    let out = bench(&["--no-wait"]);
    let said = &out.stderr;
    assert_eq!(out.code, Some(4), "{}{said}", out.stdout);
    assert!(said.contains("4 questions are in batches"), "{said}");
    assert!(!said.contains("error"), "{said}");
    let elsewhere = ["bench", "bench.toml", "--run", "new", "--reuse", "run", "--dry-run"];
    let out = Run::of(command(place.path(), elsewhere).env("ANTHROPIC_API_KEY", KEY)).ok();
    assert!(out.stderr.contains("4 questions are in open batches of another"), "{}", out.stderr);
    let out = bench(&[]).ok();
    let shown = &out.stdout;
    assert!(shown.contains("questions: 8 verdict"), "{shown}{}", out.stderr);
    assert_eq!(state.lock().unwrap().batches.len(), 1);
    assert_eq!(outcomes(&place.path().join("run")), verdicts(8));
    // The limit covers one of two pairs, whose batch does not end: the second call leaves it before
    // it has drawn the other.
    state.lock().unwrap().slow_looks = u32::MAX;
    for _ in 0..2 {
        let args = ["bench", "bench.toml", "--run", "few", "--no-wait", "--max-cost", "0.2"];
        let mut command = command(place.path(), args);
        command.env("ANTHROPIC_API_KEY", KEY);
        let mut child = start(&mut command);
        let ended = (0..600).find_map(|_| {
            std::thread::sleep(Duration::from_millis(100));
            child.try_wait().unwrap()
        });
        child.kill().unwrap();
        assert_eq!(ended.map(|status| status.code()), Some(Some(4)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_listing_leaves_the_batch_pending_and_nothing_is_paid_twice() {
    for route in Route::ALL {
        let asked = Batched::start(route, |state| {
            (state.lost_answers, state.list_refused) = (1, Some(403));
        })
        .await;
        for _ in 0..2 {
            let summary = asked.run(3).await;
            assert_eq!(summary.verdicts, 0, "{route:?}: {summary:?}");
            let reason = &summary.failures[0].reason;
            assert!(reason.contains("may have been accepted"), "{reason}");
            assert_eq!(asked.num_batches(), 1, "{route:?}");
            assert!(outcomes(&asked.place()).is_empty(), "{route:?}");
        }
        asked.state().list_refused = None;
        let summary = asked.run(3).await;
        assert_eq!(summary.verdicts, 6, "{route:?}: {summary:?}");
        assert_eq!(asked.num_batches(), 1, "{route:?}");
        assert!(asked.has_cost(6.0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn results_that_stay_torn_are_read_three_times_and_what_was_read_is_kept() {
    let asked = Batched::start(Route::Chat, |state| state.torn_results = 3).await;
    let summary = asked.run(3).await;
    assert_eq!((summary.verdicts, summary.failed_count()), (5, 1), "{summary:?}");
    assert_eq!(summary.exit_code(), 4);
    let reason = &summary.failures[0].reason;
    assert!(reason.contains("batch-0") && reason.contains("results"), "{reason}");
    assert_eq!(asked.state().results_read, 3);
    // The rest is read by the next command, and is not asked anew.
    let summary = asked.run(3).await;
    assert_eq!((summary.verdicts, summary.requests), (1, 0), "{summary:?}");
    assert_eq!(asked.num_batches(), 1);
    assert!(asked.has_cost(6.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cost_that_the_provider_states_is_not_halved() {
    let asked = Batched::start(Route::Chat, |state| state.stated_usd = Some(0.003)).await;
    let summary = asked.run(2).await;
    assert_eq!(summary.verdicts, 4, "{summary:?}");
    assert!((spent(&asked.place()) - 0.012).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_batch_outlives_the_database_of_its_run() {
    for route in Route::ALL {
        let asked = Batched::start(route, |_| {}).await;
        asked.leave(3).await;
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(asked.place().join(format!("run.sqlite{end}")));
        }
        Store::recover(&asked.place()).unwrap();
        let summary = asked.run(3).await;
        assert_eq!(summary.verdicts, 6, "{route:?}: {summary:?}");
        assert_eq!(asked.num_batches(), 1, "{route:?}");
        assert!(asked.has_cost(6.0));
    }
}
