//! The real program with generators that are services: each program of `assets/services`, run by
//! python3, against a server that answers in its published shapes.

use crate::support::assets::{demo, tetrahedron};
use crate::support::judge_server::Mocks;
use crate::support::program::{Run, command, meshjudge, start};
use base64::Engine;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wiremock::matchers::any;
use wiremock::{Mock, Request, ResponseTemplate};

/// How the jobs of all services go.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Well,
    Failed,
    Refused,
}

/// Generators, with the program of each and its words.
const APIS: [(&str, &str); 11] = [
    ("comfyui", "comfyui.py workflow=flow.json"),
    ("endpoint", "endpoint.py path=/make size=[1,2]"),
    ("fal", "fal.py model=fal-ai/trellis photo=image_url"),
    ("hunyuan3d", "hunyuan3d.py input=image"),
    ("hunyuan3d-text", "hunyuan3d.py"),
    ("meshy", "meshy.py"),
    ("meshy-image", "meshy.py input=image"),
    ("replicate", "replicate.py version=v-9"),
    ("rodin", "rodin.py"),
    ("stability", "stability.py"),
    ("tripo", "tripo.py"),
];

/// Variables of keys.
const KEYS: [(&str, &str); 6] = [
    ("MESHY_API_KEY", "key-of-meshy"),
    ("TRIPO_API_KEY", "key-of-tripo"),
    ("RODIN_API_KEY", "key-of-rodin"),
    ("STABILITY_API_KEY", "key-of-stability"),
    ("FAL_KEY", "key-of-fal"),
    ("REPLICATE_API_TOKEN", "key-of-replicate"),
];

fn glb() -> Vec<u8> {
    std::fs::read(demo("vase_clean.glb")).unwrap()
}

/// Requests by method and path, in order.
type Seen = Arc<Mutex<Vec<String>>>;

fn times(seen: &Seen, begin: &str) -> usize {
    let seen = seen.lock().unwrap();
    seen.iter().filter(|line| line.starts_with(begin)).count()
}

/// Answers whatever `answer` says to the method and path, the body and how often that was asked
/// before.
async fn server(
    answer: impl Fn(&str, &Request, usize) -> ResponseTemplate + Send + Sync + 'static,
) -> (Mocks, Seen) {
    let server = Mocks::start().await;
    let seen = Seen::default();
    let lines = Arc::clone(&seen);
    let respond = move |request: &Request| {
        let line = format!("{} {}", request.method, request.url.path());
        let before = times(&lines, &line);
        lines.lock().unwrap().push(line.clone());
        answer(&line, request, before)
    };
    Mock::given(any()).respond_with(respond).mount(&server).await;
    (server, seen)
}

/// Where assets are kept: another origin, which must not be sent a key.
async fn store() -> Mocks {
    let (server, _) = server(|_, request, _| {
        if request.headers.contains_key("authorization") {
            return ResponseTemplate::new(400).set_body_string("a key came here");
        }
        match request.url.path() {
            "/moved.glb" => ResponseTemplate::new(302).insert_header("location", "/a.glb"),
            _ => ResponseTemplate::new(200).set_body_bytes(glb()),
        }
    })
    .await;
    server
}

fn says(body: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

/// All services behind one address; each is pending at the first poll.
fn service(
    way: Way,
    own: String,
    files: String,
) -> impl Fn(&str, &Request, usize) -> ResponseTemplate {
    move |line, request, before| {
        let api = request.url.path().split('/').nth(1).unwrap_or("").to_owned();
        let key = match api.as_str() {
            "comfyui" | "endpoint" | "hunyuan3d" | "hunyuan3d-text" => String::new(),
            "fal" => "Key key-of-fal".to_owned(),
            api => format!("Bearer key-of-{}", api.trim_end_matches("-image")),
        };
        let sent = request.headers.get("authorization");
        if sent.map_or("", |key| key.to_str().unwrap()) != key {
            return ResponseTemplate::new(401).set_body_string("no such key");
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let text = String::from_utf8_lossy(&request.body);
        let is_text = body.to_string().contains("a vase");
        let rest = line.replacen(&format!("/{api}"), "", 1);
        let is_pending = before == 0;
        let state = |pending: &'static str, done: &'static str, failed: &'static str| match way {
            _ if is_pending => pending,
            Way::Well => done,
            _ => failed,
        };
        let words = match way {
            Way::Refused => "blocked by content moderation",
            _ => "the mesh is broken",
        };
        let base64 = base64::engine::general_purpose::STANDARD.encode(glb());
        match (api.as_str(), rest.as_str()) {
            ("meshy", "POST /openapi/v2/text-to-3d") if body["mode"] == "preview" && is_text => {
                says(json!({"result": "first"}))
            }
            ("meshy", "POST /openapi/v2/text-to-3d") if body["preview_task_id"] == "first" => {
                says(json!({"result": "second"}))
            }
            ("meshy-image", "POST /openapi/v1/image-to-3d")
                if body["image_url"].as_str().unwrap().starts_with("data:image/png;base64,") =>
            {
                says(json!({"result": "first"}))
            }
            ("meshy" | "meshy-image", get) if get.starts_with("GET /openapi/v") => says(json!({
                "status": state("IN_PROGRESS", "SUCCEEDED", "FAILED"), "task_error": {"message": words},
                "model_urls": {"fbx": format!("{files}/a.fbx"), "glb": format!("{files}/a.glb")},
            })),
            ("tripo", "POST /v2/openapi/task") if is_text && body["model_seed"] == 0 => {
                says(json!({"code": 0, "data": {"task_id": "t-1"}}))
            }
            ("tripo", "GET /v2/openapi/task/t-1") => {
                let ended = if way == Way::Refused { "banned" } else { "failed" };
                says(json!({"code": 0, "data": {
                    "status": state("running", "success", ended),
                    "output": {"pbr_model": format!("{files}/moved.glb"), "rendered_image": "https://x/i.webp"},
                }}))
            }
            ("rodin", "POST /api/v2/rodin") if text.contains("a vase") && text.contains("name=\"tier\"") => {
                match way {
                    Way::Refused => says(json!({"error": "PROMPT_FLAGGED"})),
                    _ => ResponseTemplate::new(201)
                        .set_body_json(json!({"uuid": "u-1", "jobs": {"uuids": ["a", "b"], "subscription_key": "s-1"}})),
                }
            }
            ("rodin", "POST /api/v2/status") if body["subscription_key"] == "s-1" => says(json!({
                "jobs": [{"uuid": "a", "status": "Done"}, {"uuid": "b", "status": state("Generating", "Done", "Failed")}],
            })),
            ("rodin", "POST /api/v2/download") if body["task_uuid"] == "u-1" => says(json!({"list": [
                {"name": "preview.webp", "url": format!("{files}/1")}, {"name": "base.glb", "url": format!("{files}/2?sig=x")},
            ]})),
            ("stability", "POST /v2beta/3d/stable-fast-3d") if text.contains("filename=\"photo.png\"") => match way {
                Way::Well => ResponseTemplate::new(200).set_body_bytes(glb()),
                Way::Failed => ResponseTemplate::new(422).set_body_json(json!({"errors": [words], "name": "bad_request"})),
                Way::Refused => ResponseTemplate::new(403).set_body_json(json!({"name": "content_moderation", "errors": ["no"]})),
            },
            ("fal", "POST /fal-ai/trellis")
                if is_text && body["image_url"].as_str().unwrap().starts_with("data:image/png;base64,") =>
            {
                says(json!({
                "request_id": "r", "status": "IN_QUEUE",
                "status_url": format!("{own}/fal/status"), "response_url": format!("{own}/fal/response"),
                }))
            }
            ("fal", "GET /status") if is_pending => {
                ResponseTemplate::new(202).set_body_json(json!({"status": "IN_QUEUE"}))
            }
            ("fal", "GET /status") => says(json!({"status": "COMPLETED"})),
            ("fal", "GET /response") => match way {
                Way::Well => says(json!({"model_mesh": {"url": format!("{files}/m.glb"), "content_type": "model/gltf-binary"}, "timings": {}})),
                Way::Failed => ResponseTemplate::new(422).set_body_json(json!({"detail": words})),
                Way::Refused => ResponseTemplate::new(422).set_body_json(json!({"detail": [{"type": "content_policy_violation"}]})),
            },
            ("replicate", "POST /v1/predictions") if body["version"] == "v-9" && is_text => {
                ResponseTemplate::new(201).set_body_json(json!({"id": "p", "status": "starting", "urls": {"get": format!("{own}/replicate/v1/predictions/p")}}))
            }
            ("replicate", "GET /v1/predictions/p") => says(json!({
                "status": state("processing", "succeeded", "failed"), "error": words,
                "output": {"color_video": "https://x/v.mp4", "model_file": format!("{files}/m.glb")},
            })),
            ("hunyuan3d", "POST /send") if body["image"].as_str().unwrap().len() > 100 => says(json!({"uid": "h"})),
            ("hunyuan3d-text", "POST /send") if body["text"] == "a vase" => says(json!({"uid": "h"})),
            ("hunyuan3d" | "hunyuan3d-text", "GET /status/h") => match (way, before) {
                (Way::Well, 1..) if before == 1 => {
                    // Read while it is being written.
                    let half = base64::engine::general_purpose::STANDARD.encode(&glb()[..100]);
                    says(json!({"status": "completed", "model_base64": half}))
                }
                (Way::Well, 2..) => says(json!({"status": "completed", "model_base64": base64})),
                (Way::Failed | Way::Refused, 1..) => says(json!({"status": "error", "message": words})),
                _ => says(json!({"status": "processing"})),
            },
            ("comfyui", "POST /prompt")
                if body["prompt"]["6"]["inputs"] == json!({"text": "a vase", "seed": 0, "size": "{x}"}) =>
            {
                says(json!({"prompt_id": "c/1", "number": 3, "node_errors": {}}))
            }
            ("comfyui", "GET /history/c/1") if is_pending => says(json!({})),
            ("comfyui", "GET /history/c/1") => says(json!({"c/1": {
                "status": {"status_str": state("", "success", "error"), "messages": [["execution_error", {"exception_message": words}]]},
                "outputs": {"9": {"images": [{"filename": "p.png", "subfolder": "", "type": "temp"}]},
                    "8": {"3d": [{"filename": "m 1.glb", "subfolder": "mesh", "type": "output"}]}},
            }})),
            ("comfyui", "GET /view") if request.url.query() == Some("filename=m%201.glb&subfolder=mesh&type=output") => {
                ResponseTemplate::new(200).set_body_bytes(glb())
            }
            ("endpoint", "POST /make") if body == json!({"prompt": "a vase", "prompt_id": "0", "seed": 0, "size": [1, 2]}) => match way {
                Way::Well => ResponseTemplate::new(200).set_body_bytes(glb()),
                _ => ResponseTemplate::new(422).set_body_string(words),
            },
            _ => ResponseTemplate::new(404).set_body_string(format!("nothing at {rest}")),
        }
    }
}

/// A benchmark of a ready asset against these services.
fn place(generators: &str, prompts: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("ready.obj"), tetrahedron(1.0)).unwrap();
    let workflow = r#"{"6": {"class_type": "X", "inputs": {"text": "{prompt}", "seed": "{seed}", "size": "{x}"}}}"#;
    std::fs::write(place.path().join("flow.json"), workflow).unwrap();
    let file = format!(
        "name = \"t\"\nprompts = [{prompts}]\n[[generators]]\nname = \"ready\"\npath = \"ready.obj\"\n{generators}\
        [pictures]\nsize_px = 32\nviews = 1\n[pairs]\nschedule = \"round-robin\"\ncount = 12\n"
    );
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    place
}

fn photo_prompt() -> String {
    format!("{{ text = \"a vase\", image = {:?} }}", demo("photo.png"))
}

/// A generator that is asked by a program of `assets/services`; `address` has the name of the API.
fn entry(name: &str, line: &str, address: &str, more: &str) -> String {
    let program = line.split(' ').next().unwrap();
    let variable = program.trim_end_matches(".py").to_uppercase();
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/services");
    let line = line.replacen(program, &format!("'{}'", programs.join(program).display()), 1);
    format!(
        "[[generators]]\nname = \"{name}\"\nserve = \"python3 {line}\"\nin_flight = 2\nenv = {{ {variable}_BASE_URL = \"{address}\" }}\n{more}"
    )
}

fn all_apis(address: &str, more: &str) -> String {
    let entries =
        APIS.iter().map(|(api, line)| entry(api, line, &format!("{address}/{api}/"), more));
    entries.collect()
}

fn with_keys(folder: &Path) -> Command {
    let mut command = command(folder, ["bench", "--run", "r"]);
    command.envs(KEYS).env("SERVICE_EVERY_SECS", "0.02").env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

async fn run(folder: &Path, args: &[&str]) -> Run {
    let mut command = with_keys(folder);
    command.args(args);
    tokio::task::spawn_blocking(move || Run::of(&mut command)).await.unwrap()
}

fn asset(folder: &Path, generator: &str) -> bool {
    let path = folder.join(format!("r/made/{generator}/0/0/asset.glb"));
    path.is_file() && !path.ancestors().nth(2).unwrap().join("0.job.json").exists()
}

/// Everything that the run keeps, as text.
fn kept(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.join("r")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                found.insert(path.display().to_string(), text);
            }
        }
    }
    found
}

/// Booked US dollars.
fn booked(folder: &Path) -> f64 {
    let text = std::fs::read_to_string(folder.join("r/spending.jsonl")).unwrap_or_default();
    let rows = text.lines().filter(|line| !line.is_empty());
    rows.map(|line| serde_json::from_str::<Value>(line).unwrap()["usd"].as_f64().unwrap()).sum()
}

/// A server that goes one way with all services, which knows its own address.
async fn services(way: Way, files: &Mocks) -> (Mocks, Seen) {
    let address = Arc::new(Mutex::new(String::new()));
    let (own, files) = (Arc::clone(&address), files.uri());
    let (server, seen) = server(move |line, request, before| {
        let own = own.lock().unwrap().clone();
        service(way, own, files.clone())(line, request, before)
    })
    .await;
    *address.lock().unwrap() = server.uri();
    (server, seen)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_service_makes_an_asset_and_its_key_goes_nowhere_else() {
    let files = store().await;
    let (server, seen) = services(Way::Well, &files).await;
    let place = place(&all_apis(&server.uri(), ""), &photo_prompt());
    let out = run(place.path(), &[]).await;
    assert_eq!(out.code, Some(0), "{}{:?}", out.stderr, seen);
    for (api, _) in APIS {
        assert!(asset(place.path(), api), "{api}: {}", out.stderr);
    }
    for (path, text) in kept(place.path()) {
        assert!(!text.contains("key-of-"), "{path}");
    }
    assert!(!out.stderr.contains("key-of-") && !out.stdout.contains("key-of-"));
    // Nothing is made twice.
    let before = seen.lock().unwrap().len();
    run(place.path(), &[]).await.ok();
    assert_eq!(seen.lock().unwrap().len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_fails_is_tried_again_with_a_new_one_and_then_an_outcome() {
    let files = store().await;
    let (server, seen) = services(Way::Failed, &files).await;
    let place = place(&all_apis(&server.uri(), "retries = 0\n"), &photo_prompt());
    let out = run(place.path(), &[]).await;
    assert_eq!(out.code, Some(1), "{}", out.stderr);
    for (api, _) in APIS {
        let line = out.stderr.lines().find(|line| line.contains(&format!("{api} has no asset")));
        let line = line.unwrap_or_else(|| panic!("{api}: {}", out.stderr));
        let says = match api {
            "rodin" => "Done, Failed",
            "tripo" => "failed",
            _ => "the mesh is broken",
        };
        assert!(line.contains(says), "{line}");
    }
    assert_eq!(times(&seen, "POST /tripo/"), 1);
    let text = std::fs::read_to_string(place.path().join("bench.toml")).unwrap();
    let text = text.replace("retries = 0", "retries = 1");
    std::fs::write(place.path().join("bench.toml"), text).unwrap();
    run(place.path(), &[]).await;
    assert_eq!(times(&seen, "POST /tripo/"), 3, "two jobs more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_a_loss_that_is_not_tried_again() {
    let files = store().await;
    let (server, seen) = services(Way::Refused, &files).await;
    let place = place(&all_apis(&server.uri(), "retries = 3\n"), &photo_prompt());
    let out = run(place.path(), &[]).await;
    assert_eq!(out.code, Some(1), "{}", out.stderr);
    let refusals = |run: &Run| {
        let lines = run.stderr.lines();
        lines.filter(|line| line.contains("the service refused it")).count()
    };
    assert_eq!(refusals(&out), APIS.len(), "{}", out.stderr);
    let before = seen.lock().unwrap().len();
    let again = run(place.path(), &[]).await;
    assert_eq!(refusals(&again), APIS.len(), "{}", again.stderr);
    assert_eq!(seen.lock().unwrap().len(), before, "nothing is sent again");
    let rows = meshjudge(place.path(), &["export", "r", "--format", "jsonl"]).ok().rows();
    let forfeits = rows.iter().filter(|row| row["outcome"] == "forfeit").count();
    assert!(forfeits > 0, "refusals are losses");
}

/// One Tripo job, whose server goes a way of its own.
fn tripo(address: &str, more: &str) -> String {
    entry("tripo", "tripo.py", address, &format!("cost_usd = 0.4\n{more}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn rate_limits_outages_and_old_links_cost_no_second_job() {
    let (server, seen) = server(|line, request, before| {
        let link =
            format!("http://{}/files/{before}.glb", request.headers["host"].to_str().unwrap());
        match (line, before) {
            ("POST /v2/openapi/task", 0) => {
                ResponseTemplate::new(429).insert_header("retry-after", "0")
            }
            ("POST /v2/openapi/task", _) => says(json!({"data": {"task_id": "t"}})),
            ("GET /v2/openapi/task/t", 0) => ResponseTemplate::new(503),
            ("GET /v2/openapi/task/t", 1) => {
                ResponseTemplate::new(429).insert_header("retry-after", "0")
            }
            ("GET /v2/openapi/task/t", 2) => {
                says(json!({"data": {"status": "a word of tomorrow"}}))
            }
            ("GET /v2/openapi/task/t", _) => {
                says(json!({"data": {"status": "success", "output": {"model": link}}}))
            }
            ("GET /files/3.glb", _) => {
                ResponseTemplate::new(403).set_body_string("Request has expired")
            }
            ("GET /files/4.glb", 0) => ResponseTemplate::new(200).set_body_bytes(&glb()[..50]),
            _ => ResponseTemplate::new(200).set_body_bytes(glb()),
        }
    })
    .await;
    let place = place(&tripo(&server.uri(), ""), "\"a vase\"");
    let out = run(place.path(), &["--max-cost", "0.4"]).await;
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    assert!(asset(place.path(), "tripo"));
    assert_eq!(times(&seen, "POST"), 2);
    assert!(times(&seen, "GET /files/5.glb") == 1, "{seen:?}");
    assert!((booked(place.path()) - 0.4).abs() < 1e-9);
    assert!(out.stderr.contains("generators cost 0.40 USD"), "{}", out.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_resumes_the_same_job() {
    let is_ready = Arc::new(Mutex::new(false));
    let ready = Arc::clone(&is_ready);
    let (server, seen) = server(move |line, request, _| {
        let link = format!("http://{}/a.glb", request.headers["host"].to_str().unwrap());
        match line {
            "POST /v2/openapi/task" => says(json!({"data": {"task_id": "t"}})),
            "GET /v2/openapi/task/t" if *ready.lock().unwrap() => {
                says(json!({"data": {"status": "success", "output": {"model": link}}}))
            }
            "GET /v2/openapi/task/t" => says(json!({"data": {"status": "queued"}})),
            _ => ResponseTemplate::new(200).set_body_bytes(glb()),
        }
    })
    .await;
    let place = place(&tripo(&server.uri(), ""), "\"a vase\"");
    let mut child = start(&mut with_keys(place.path()));
    while times(&seen, "GET /v2") < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(place.path().join("r/made/tripo/0/0.job.json").is_file());
    *is_ready.lock().unwrap() = true;
    run(place.path(), &[]).await.ok();
    assert_eq!(times(&seen, "POST"), 1, "one job was paid");
    assert!(asset(place.path(), "tripo"));
    assert!((booked(place.path()) - 0.4).abs() < 1e-9);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_waits_for_the_id_of_a_job_that_is_being_submitted() {
    let (server, seen) = server(|line, request, _| match line {
        "POST /v2/openapi/task" => {
            says(json!({"data": {"task_id": "t"}})).set_delay(Duration::from_secs(3))
        }
        "GET /v2/openapi/task/t" => {
            let link = format!("http://{}/a.glb", request.headers["host"].to_str().unwrap());
            says(json!({"data": {"status": "success", "output": {"model": link}}}))
        }
        _ => ResponseTemplate::new(200).set_body_bytes(glb()),
    })
    .await;
    let place = place(&tripo(&server.uri(), ""), "\"a vase\"");
    // So that nothing is polled before the end.
    let mut child = start(with_keys(place.path()).env("SERVICE_EVERY_SECS", "60"));
    while times(&seen, "POST") < 1 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let record = std::fs::read_to_string(place.path().join("r/made/tripo/0/0.job.json")).unwrap();
    assert!(record.contains("\"job\":\"t\"") && !record.contains("key"), "{record}");
    run(place.path(), &[]).await.ok();
    assert_eq!(times(&seen, "POST"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_too_long_stays_a_job_and_is_not_paid_again() {
    let (server, seen) = server(|line, _, before| match line {
        "POST /v2/openapi/task" => says(json!({"data": {"task_id": "t"}})),
        "GET /v2/openapi/task/t" if before < 1000 => says(json!({"data": {"status": "queued"}})),
        _ => ResponseTemplate::new(404),
    })
    .await;
    let place = place(&tripo(&server.uri(), "timeout_secs = 3\nretries = 5\n"), "\"a vase\"");
    for _ in 0..2 {
        let out = run(place.path(), &[]).await;
        assert!(out.stderr.contains("took longer than 3 s"), "{}", out.stderr);
    }
    assert_eq!(times(&seen, "POST"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_out_of_reach_is_kept_and_one_that_may_have_started_stays_booked() {
    let (server, seen) = server(|line, request, before| match (line, before) {
        // Nobody knows whether it has taken the job.
        ("POST /v2/openapi/task", 0) => ResponseTemplate::new(500),
        ("POST /v2/openapi/task", _) => says(json!({"data": {"task_id": "t"}})),
        ("GET /v2/openapi/task/t", 0) => ResponseTemplate::new(401).set_body_string("revoked"),
        ("GET /v2/openapi/task/t", _) => {
            let link = format!("http://{}/a.glb", request.headers["host"].to_str().unwrap());
            says(json!({"data": {"status": "success", "output": {"model": link}}}))
        }
        _ => ResponseTemplate::new(200).set_body_bytes(glb()),
    })
    .await;
    let place = place(&tripo(&server.uri(), "retries = 5\n"), "\"a vase\"");
    let out = run(place.path(), &[]).await;
    assert!(
        out.stderr.contains("revoked") && out.stderr.contains("the same command resumes its job"),
        "{}",
        out.stderr
    );
    run(place.path(), &[]).await.ok();
    assert_eq!(times(&seen, "POST"), 2);
    assert!((booked(place.path()) - 0.8).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_with_a_key_is_never_redirected() {
    let (other, lured) = server(|_, _, _| says(json!({"data": {"task_id": "t"}}))).await;
    let to = other.uri();
    let (server, _) = server(move |_, _, _| {
        ResponseTemplate::new(307).insert_header("location", format!("{to}/v2/openapi/task"))
    })
    .await;
    let place = place(&tripo(&server.uri(), "retries = 0\n"), "\"a vase\"");
    let out = run(place.path(), &[]).await;
    assert!(out.stderr.contains("307"), "{}", out.stderr);
    assert!(lured.lock().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn assets_count_against_the_budget_and_what_it_leaves_is_no_loss() {
    let (server, seen) = server(|line, request, _| match line {
        "POST /v2/openapi/task" => says(json!({"data": {"task_id": "t"}})),
        "GET /v2/openapi/task/t" => {
            let link = format!("http://{}/a.glb", request.headers["host"].to_str().unwrap());
            says(json!({"data": {"status": "success", "output": {"model": link}}}))
        }
        _ => ResponseTemplate::new(200).set_body_bytes(glb()),
    })
    .await;
    let place = place(&tripo(&server.uri(), ""), "\"one\", \"two\", \"three\"");
    let dry = run(place.path(), &["--dry-run", "--max-cost", "1"]).await.ok();
    assert!(
        dry.stdout.contains("3 assets to make at $0.40 each, $1.20 in total"),
        "{}",
        dry.stdout
    );
    let out = run(place.path(), &["--max-cost", "1"]).await;
    assert_eq!(out.code, Some(3), "{}", out.stderr);
    assert_eq!(times(&seen, "POST"), 2);
    let rows = || meshjudge(place.path(), &["export", "r", "--format", "jsonl"]).ok().rows();
    assert_eq!(rows().len(), 4, "both orders of two pairs, and no forfeit");
    let out = run(place.path(), &["--max-cost", "2"]).await;
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    assert_eq!((times(&seen, "POST"), rows().len()), (3, 6));
    let rated = meshjudge(place.path(), &["rate", "r", "--json"]).ok().rows();
    let paid = rated.iter().find(|row| row["kind"] == "generator" && row["cost_usd"].is_number());
    assert!((paid.unwrap()["cost_usd"].as_f64().unwrap() - 1.2).abs() < 1e-9);
    assert!((booked(place.path()) - 1.2).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_before_the_id_of_a_job_is_known_pays_nothing_twice() {
    let (server, seen) = server(|line, request, before| match (line, before) {
        ("POST /v2/openapi/task", 0) => {
            ResponseTemplate::new(200).set_delay(Duration::from_secs(60))
        }
        ("POST /v2/openapi/task", _) => says(json!({"data": {"task_id": "t"}})),
        ("GET /v2/openapi/task/t", _) => {
            let link = format!("http://{}/a.glb", request.headers["host"].to_str().unwrap());
            says(json!({"data": {"status": "success", "output": {"model": link}}}))
        }
        _ => ResponseTemplate::new(200).set_body_bytes(glb()),
    })
    .await;
    let place = place(&tripo(&server.uri(), "retries = 5\n"), "\"a vase\"");
    let mut child = start(&mut with_keys(place.path()));
    while times(&seen, "POST") < 1 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let file = place.path().join("r/made/tripo/0/0.job.json");
    for _ in 0..2 {
        let out = run(place.path(), &[]).await;
        assert!(out.stderr.contains("may have been accepted and paid"), "{}", out.stderr);
        assert_eq!(times(&seen, "POST"), 1);
    }
    // The user found the job at the service.
    let mut record: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    record.as_object_mut().unwrap().remove("key").unwrap();
    record["job"] = "t".into();
    std::fs::write(&file, record.to_string()).unwrap();
    run(place.path(), &[]).await.ok();
    assert_eq!(times(&seen, "POST"), 1);
    assert!(asset(place.path(), "tripo"));
    assert!((booked(place.path()) - 0.4).abs() < 1e-9);
}

/// A user's own copy, for a service that knows a job again by its key.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_honours_keys_is_asked_again_with_the_same_key() {
    let keys: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&keys);
    let (server, _) = server(move |line, request, before| match (line, before) {
        ("POST /make", _) => {
            let key = request.headers["idempotency-key"].to_str().unwrap().to_owned();
            kept.lock().unwrap().push(key);
            let slow = Duration::from_secs(if before == 0 { 60 } else { 0 });
            ResponseTemplate::new(200).set_body_bytes(glb()).set_delay(slow)
        }
        _ => ResponseTemplate::new(404),
    })
    .await;
    let place = place("", "\"a vase\"");
    let init = ["bench", "init", "--service", "endpoint"];
    let said = meshjudge(place.path(), &init).ok().stdout;
    assert!(said.contains("serve = \"python3 endpoint.py\""), "{said}");
    let own = place.path().join("endpoint.py");
    let text = std::fs::read_to_string(&own).unwrap();
    let keyed = text.replace("key=VARIABLE)", "key=VARIABLE, is_keyed=True)");
    assert_ne!(text, keyed);
    std::fs::write(&own, keyed).unwrap();
    let line = "[[generators]]\nname = \"ours\"\nserve = \"python3 endpoint.py path=/make variable=FAL_KEY\"\ncost_usd = 0.4\n";
    let bench = std::fs::read_to_string(place.path().join("bench.toml")).unwrap();
    std::fs::write(
        place.path().join("bench.toml"),
        bench.replace("[pictures]", &format!("{line}[pictures]")),
    )
    .unwrap();
    let with_address = || {
        let mut command = with_keys(place.path());
        command.env("ENDPOINT_BASE_URL", server.uri());
        command
    };
    let mut child = start(&mut with_address());
    while keys.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut again = with_address();
    tokio::task::spawn_blocking(move || Run::of(&mut again)).await.unwrap().ok();
    let keys = keys.lock().unwrap().clone();
    assert!(keys.len() == 2 && keys[0] == keys[1], "{keys:?}");
    assert!(asset(place.path(), "ours"));
    assert!((booked(place.path()) - 0.4).abs() < 1e-9);
}

#[test]
fn what_is_wrong_with_a_service_is_said() {
    let serve = |line: &str, more: &str| entry("x", line, "http://127.0.0.1:9", more);
    for (entry, code, what) in [
        (
            "[[generators]]\nname = \"x\"\napi = \"tripo\"\n".to_owned(),
            2,
            "serve = \"python3 meshy.py\"`",
        ),
        (serve("tripo.py", "cost_usd = -1\n"), 2, "`cost_usd` must be 0 or more"),
        (
            "[[generators]]\nname = \"x\"\ncommand = \"false {out}\"\ncost_usd = 1\n".to_owned(),
            2,
            "need `serve`",
        ),
        (serve("fal.py", "cost_usd = 1\n"), 1, "the command line needs model=…"),
        (serve("endpoint.py variable=NO_SUCH_KEY", "cost_usd = 1\n"), 1, "NO_SUCH_KEY is not set"),
        (serve("tripo.py", ""), 1, "give `cost_usd`"),
    ] {
        let place = place(&entry, "\"a vase\"");
        let out = Run::of(with_keys(place.path()).args(["--max-cost", "1"]));
        assert_eq!(out.code, Some(code), "{entry}: {}", out.stderr);
        assert!(out.stderr.contains(what), "{entry}: {}", out.stderr);
    }
}
