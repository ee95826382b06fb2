//! The real program with generators that are services: each program of `assets/services`, run by
//! python3, against a server that answers in its published shapes.

use crate::support::assets::{Folder, demo, repository, tetrahedra};
use crate::support::judge_server::Mocks;
use crate::support::program::{Run, Text as _, generator, json_rows, kill_when, start};
use base64::Engine;
use serde_json::{Value, json};
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
fn place(generators: &str, prompts: &str) -> Folder {
    let place = tetrahedra(&[("ready.obj", 1.0)]);
    let workflow = r#"{"6": {"class_type": "X", "inputs": {"text": "{prompt}", "seed": "{seed}", "size": "{x}"}}}"#;
    place.write("flow.json", workflow);
    let generators = generator("ready", "ready.obj") + generators;
    place.bench(prompts, &generators, "[pairs]\nschedule = \"round-robin\"\ncount = 12\n");
    place
}

fn photo_prompt() -> String {
    format!("{{ text = \"a vase\", image = {:?} }}", demo("photo.png"))
}

/// A generator that is asked by a program of `assets/services`; `address` has the name of the API.
fn entry(name: &str, line: &str, address: &str, more: &str) -> String {
    let program = line.split(' ').next().unwrap();
    let variable = program.trim_end_matches(".py").to_uppercase();
    let path = repository("assets/services").join(program);
    let line = line.replacen(program, &format!("'{}'", path.display()), 1);
    format!(
        "[[generators]]\nname = \"{name}\"\nserve = \"python3 {line}\"\nin_flight = 2\nenv = {{ {variable}_BASE_URL = \"{address}\" }}\n{more}"
    )
}

fn all_apis(address: &str, more: &str) -> String {
    APIS.map(|(api, line)| entry(api, line, &format!("{address}/{api}/"), more)).concat()
}

fn with_keys(folder: &Folder, more: &str) -> Command {
    let mut command = folder.command(&format!("bench --run r {more}"));
    command.envs(KEYS).env("SERVICE_EVERY_SECS", "0.02").env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

fn run(folder: &Folder, more: &str) -> Run {
    Run::of(&mut with_keys(folder, more))
}

fn asset(folder: &Folder, generator: &str) -> bool {
    let path = folder.join(format!("r/made/{generator}/0/0/asset.glb"));
    path.is_file() && !path.ancestors().nth(2).unwrap().join("0.job.json").exists()
}

/// Fails unless this sum is booked, in US dollars.
#[track_caller]
fn is_booked(folder: &Folder, usd: f64) {
    let text = folder.read("r/spending.jsonl");
    let rows = text.lines().filter(|line| !line.is_empty()).flat_map(json_rows);
    let booked: f64 = rows.map(|row| row["usd"].as_f64().unwrap()).sum();
    assert!((booked - usd).abs() < 1e-9, "{booked}");
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
    let out = run(&place, "").ok();
    for (api, _) in APIS {
        assert!(asset(&place, api), "{api}: {}", out.stderr);
    }
    for path in place.files("r") {
        let bytes = std::fs::read(&path).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("key-of-"), "{path:?}");
    }
    assert!(!out.stderr.contains("key-of-") && !out.stdout.contains("key-of-"));
    // Nothing is made twice.
    let before = seen.lock().unwrap().len();
    run(&place, "").ok();
    assert_eq!(seen.lock().unwrap().len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_fails_is_tried_again_with_a_new_one_and_then_an_outcome() {
    let files = store().await;
    let (server, seen) = services(Way::Failed, &files).await;
    let place = place(&all_apis(&server.uri(), "retries = 0\n"), &photo_prompt());
    let out = run(&place, "").ends(1);
    for (api, _) in APIS {
        let line = out.stderr.lines().find(|line| line.contains(&format!("{api} has no asset")));
        line.unwrap_or_else(|| panic!("{api}: {}", out.stderr)).must_have(match api {
            "rodin" => "Done, Failed",
            "tripo" => "failed",
            _ => "the mesh is broken",
        });
    }
    assert_eq!(times(&seen, "POST /tripo/"), 1);
    place.edit("bench.toml", "retries = 0", "retries = 1");
    run(&place, "");
    assert_eq!(times(&seen, "POST /tripo/"), 3, "two jobs more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_a_loss_that_is_not_tried_again() {
    let files = store().await;
    let (server, seen) = services(Way::Refused, &files).await;
    let place = place(&all_apis(&server.uri(), "retries = 3\n"), &photo_prompt());
    let refused = || {
        let out = run(&place, "").ends(1);
        let lines = out.stderr.lines().filter(|line| line.contains("the service refused it"));
        assert_eq!(lines.count(), APIS.len(), "{}", out.stderr);
        seen.lock().unwrap().len()
    };
    assert_eq!(refused(), refused(), "nothing is sent again");
    let rows = place.answers("r");
    let forfeits = rows.iter().filter(|row| row["outcome"] == "forfeit").count();
    assert!(forfeits > 0, "refusals are losses");
}

/// One Tripo job, whose server goes a way of its own.
fn tripo(address: &str, more: &str) -> String {
    entry("tripo", "tripo.py", address, &format!("cost_usd = 0.4\n{more}"))
}

const SUBMIT: &str = "POST /v2/openapi/task";
const POLL: &str = "GET /v2/openapi/task/t";

/// Answers the requests of a Tripo job that ends well.
fn tripo_job(line: &str, request: &Request) -> ResponseTemplate {
    match line {
        SUBMIT => says(json!({"data": {"task_id": "t"}})),
        POLL => {
            let link = format!("http://{}/a.glb", request.headers["host"].to_str().unwrap());
            says(json!({"data": {"status": "success", "output": {"model": link}}}))
        }
        _ => ResponseTemplate::new(200).set_body_bytes(glb()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rate_limits_outages_and_old_links_cost_no_second_job() {
    let (server, seen) = server(|line, request, before| {
        let host = request.headers["host"].to_str().unwrap();
        let link = format!("http://{host}/files/{before}.glb");
        let wait = || ResponseTemplate::new(429).insert_header("retry-after", "0");
        match (line, before) {
            (SUBMIT, 0) => wait(),
            (POLL, 0) => ResponseTemplate::new(503),
            (POLL, 1) => wait(),
            (POLL, 2) => says(json!({"data": {"status": "a word of tomorrow"}})),
            (POLL, _) => says(json!({"data": {"status": "success", "output": {"model": link}}})),
            ("GET /files/3.glb", _) => {
                ResponseTemplate::new(403).set_body_string("Request has expired")
            }
            ("GET /files/4.glb", 0) => ResponseTemplate::new(200).set_body_bytes(&glb()[..50]),
            _ => tripo_job(line, request),
        }
    })
    .await;
    let place = place(&tripo(&server.uri(), ""), "\"a vase\"");
    let out = run(&place, "--max-cost 0.4").ok();
    assert!(asset(&place, "tripo"));
    assert_eq!(times(&seen, "POST"), 2);
    assert!(times(&seen, "GET /files/5.glb") == 1, "{seen:?}");
    is_booked(&place, 0.4);
    out.says("generators cost 0.40 USD");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_resumes_the_same_job() {
    let is_ready = Arc::new(Mutex::new(false));
    let ready = Arc::clone(&is_ready);
    let (server, seen) = server(move |line, request, _| match line {
        POLL if !*ready.lock().unwrap() => says(json!({"data": {"status": "queued"}})),
        _ => tripo_job(line, request),
    })
    .await;
    let place = place(&tripo(&server.uri(), ""), "\"a vase\"");
    kill_when(start(&mut with_keys(&place, "")), || times(&seen, "GET /v2") >= 2).await;
    assert!(place.join("r/made/tripo/0/0.job.json").is_file());
    *is_ready.lock().unwrap() = true;
    run(&place, "").ok();
    assert_eq!(times(&seen, "POST"), 1, "one job was paid");
    assert!(asset(&place, "tripo"));
    is_booked(&place, 0.4);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_waits_for_the_id_of_a_job_that_is_being_submitted() {
    let (server, seen) = server(|line, request, _| {
        let delay = Duration::from_secs(if line == SUBMIT { 3 } else { 0 });
        tripo_job(line, request).set_delay(delay)
    })
    .await;
    let place = place(&tripo(&server.uri(), ""), "\"a vase\"");
    // So that nothing is polled before the end.
    let mut child = start(with_keys(&place, "").env("SERVICE_EVERY_SECS", "60"));
    while times(&seen, "POST") < 1 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let record = place.read("r/made/tripo/0/0.job.json");
    assert!(record.contains("\"job\":\"t\"") && !record.contains("key"), "{record}");
    run(&place, "").ok();
    assert_eq!(times(&seen, "POST"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_takes_too_long_stays_a_job_and_is_not_paid_again() {
    let (server, seen) = server(|line, request, _| match line {
        POLL => says(json!({"data": {"status": "queued"}})),
        _ => tripo_job(line, request),
    })
    .await;
    let place = place(&tripo(&server.uri(), "timeout_secs = 3\nretries = 5\n"), "\"a vase\"");
    for _ in 0..2 {
        run(&place, "").says("took longer than 3 s");
    }
    assert_eq!(times(&seen, "POST"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_out_of_reach_is_kept_and_one_that_may_have_started_stays_booked() {
    let (server, seen) = server(|line, request, before| match (line, before) {
        // Nobody knows whether it has taken the job.
        (SUBMIT, 0) => ResponseTemplate::new(500),
        (POLL, 0) => ResponseTemplate::new(401).set_body_string("revoked"),
        _ => tripo_job(line, request),
    })
    .await;
    let place = place(&tripo(&server.uri(), "retries = 5\n"), "\"a vase\"");
    run(&place, "").says(["revoked", "the same command resumes its job"]);
    run(&place, "").ok();
    assert_eq!(times(&seen, "POST"), 2);
    is_booked(&place, 0.8);
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
    run(&place, "").says("307");
    assert!(lured.lock().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn assets_count_against_the_budget_and_what_it_leaves_is_no_loss() {
    let (server, seen) = server(|line, request, _| tripo_job(line, request)).await;
    let place = place(&tripo(&server.uri(), ""), "\"one\", \"two\", \"three\"");
    run(&place, "--dry-run --max-cost 1")
        .ok()
        .shows("3 assets to make at $0.40 each, $1.20 in total");
    run(&place, "--max-cost 1").ends(3);
    assert_eq!(times(&seen, "POST"), 2);
    assert_eq!(place.answers("r").len(), 4, "both orders of two pairs, and no forfeit");
    run(&place, "--max-cost 2").ok();
    assert_eq!((times(&seen, "POST"), place.answers("r").len()), (3, 6));
    let mut paid = place.rated("r", "generator");
    paid.retain(|row| row["cost_usd"].is_number());
    assert!((paid[0]["cost_usd"].as_f64().unwrap() - 1.2).abs() < 1e-9);
    is_booked(&place, 1.2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_before_the_id_of_a_job_is_known_pays_nothing_twice() {
    let (server, seen) = server(|line, request, before| match (line, before) {
        (SUBMIT, 0) => ResponseTemplate::new(200).set_delay(Duration::from_secs(60)),
        _ => tripo_job(line, request),
    })
    .await;
    let place = place(&tripo(&server.uri(), "retries = 5\n"), "\"a vase\"");
    kill_when(start(&mut with_keys(&place, "")), || times(&seen, "POST") >= 1).await;
    for _ in 0..2 {
        run(&place, "").says("may have been accepted and paid");
        assert_eq!(times(&seen, "POST"), 1);
    }
    // The user found the job at the service.
    let mut record = place.json("r/made/tripo/0/0.job.json");
    record.as_object_mut().unwrap().remove("key").unwrap();
    record["job"] = "t".into();
    place.write("r/made/tripo/0/0.job.json", record.to_string());
    run(&place, "").ok();
    assert_eq!(times(&seen, "POST"), 1);
    assert!(asset(&place, "tripo"));
    is_booked(&place, 0.4);
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
    place.ok("bench init --service endpoint").shows("serve = \"python3 endpoint.py\"");
    place.edit("endpoint.py", "key=VARIABLE)", "key=VARIABLE, is_keyed=True)");
    let line = "[[generators]]\nname = \"ours\"\nserve = \"python3 endpoint.py path=/make variable=FAL_KEY\"\ncost_usd = 0.4\n";
    place.edit("bench.toml", "[pictures]", &format!("{line}[pictures]"));
    let with_address = || {
        let mut command = with_keys(&place, "");
        command.env("ENDPOINT_BASE_URL", server.uri());
        command
    };
    kill_when(start(&mut with_address()), || !keys.lock().unwrap().is_empty()).await;
    Run::of(&mut with_address()).ok();
    let keys = keys.lock().unwrap().clone();
    assert!(keys.len() == 2 && keys[0] == keys[1], "{keys:?}");
    assert!(asset(&place, "ours"));
    is_booked(&place, 0.4);
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
        run(&place, "--max-cost 1").ends(code).says(what);
    }
}
