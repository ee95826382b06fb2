//! The real program: `audit` of judges whose worth is known, because they are scripted.

use image::GenericImageView;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

/// How the scripted judge goes wrong.
#[derive(Clone, Copy)]
struct Script {
    /// So often, of 100, it names the left object without looking.
    left_percent: f64,
    /// Whether it sees colours; if not, objects of one shape are a tie.
    sees_texture: bool,
}

async fn audit(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshjudge"));
    command
        .args(["audit", "--size", "64", "--views", "1"])
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Hashes of the four quarters of a pair's sheet: colour left and right, normals left and right.
fn quarters(request: &Request) -> (String, [u64; 4]) {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let parts = body["messages"][0]["content"].as_array().unwrap();
    let mut words = String::new();
    let mut sheet = None;
    for part in parts {
        if let Some(text) = part["text"].as_str() {
            words += text;
        }
        if let Some(url) = part["image_url"]["url"].as_str() {
            use base64::Engine;
            let data = url.split(',').nth(1).unwrap();
            let bytes = base64::engine::general_purpose::STANDARD
                .decode(data)
                .unwrap();
            sheet = Some(image::load_from_memory(&bytes).unwrap());
        }
    }
    let sheet = sheet.expect("a question has its sheet");
    let (w, h) = (sheet.width() / 2, sheet.height() / 2);
    let hash = |x: u32, y: u32| {
        let quarter = sheet.view(x, y, w, h).to_image();
        let hash = blake3::hash(quarter.as_raw());
        u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap())
    };
    (words, [hash(0, 0), hash(w, 0), hash(0, h), hash(w, h)])
}

/// Knows the undamaged object of each prompt from the first question about it, which sets the object against itself.
async fn judge(script: Script) -> MockServer {
    let clean: Arc<Mutex<BTreeMap<String, [u64; 2]>>> = Arc::default();
    let asked = AtomicUsize::new(0);
    let respond = move |request: &Request| {
        let (words, [left, right, left_shape, right_shape]) = quarters(request);
        let mut known = clean.lock().unwrap();
        let clean = *known.entry(words).or_insert([left, left_shape]);
        // Evenly spread over the questions, so that 32 objects get what a long run would give.
        let nth = asked.fetch_add(1, Ordering::SeqCst) as f64;
        let drawn = (nth * 0.618_033_988_749_895).fract() * 100.0;
        let is_same = if script.sees_texture {
            (left, left_shape) == (right, right_shape)
        } else {
            left_shape == right_shape
        };
        let digit = if drawn < script.left_percent {
            1
        } else if is_same {
            3
        } else if [left, left_shape] == clean {
            1
        } else {
            2
        };
        let digits = [digit; 6].map(|d| d.to_string()).join(" ");
        ResponseTemplate::new(200).set_body_json(serde_json::json!({
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": format!("Seen.\n\n{digits}")}}],
            "model": "scripted", "usage": {"prompt_tokens": 900, "completion_tokens": 10, "total_tokens": 910},
        }))
    };
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .respond_with(respond)
        .mount(&server)
        .await;
    server
}

/// The figures of the only judge, as the run keeps them, and what was printed.
async fn audited(script: Script, args: &[&str]) -> (Value, String) {
    let server = judge(script).await;
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}/v1", server.uri());
    let judged = ["--judge", "openai:scripted", "--base-url", &url];
    // One at a time, so that the object against itself comes first; the answer is read as text.
    let how = ["--concurrency", "1", "--answers", "text", "--run", "r"];
    let output = audit(folder.path(), &[&judged[..], &how, args].concat()).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let kept = std::fs::read_to_string(folder.path().join("r/audit.json")).unwrap();
    let page = std::fs::read_to_string(folder.path().join("r/audit.html")).unwrap();
    assert!(page.contains("<bdi class=\"name\">openai:scripted</bdi>"));
    assert!(
        !page.contains("http:") && !page.contains("https:"),
        "nothing from outside"
    );
    let figures: Value = serde_json::from_str(&kept).unwrap();
    (figures[0].clone(), text(&output.stdout))
}

fn holds(estimate: &Value, truth: f64) -> bool {
    let [low, high] = ["low", "high"].map(|end| estimate["interval"][end].as_f64().unwrap());
    low <= truth && truth <= high
}

fn finding<'a>(figures: &'a Value, kind: &str, criterion: &str) -> &'a Value {
    let all = figures["findings"].as_array().unwrap();
    let found = all
        .iter()
        .find(|f| f["kind"] == kind && f["criterion"] == criterion);
    found.unwrap_or_else(|| panic!("{kind} {criterion}: {figures:#}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_known_bias_and_a_known_blindness_are_recovered() {
    let script = Script {
        left_percent: 30.0,
        sees_texture: false,
    };
    let args = [
        "--kinds",
        "slab,stretch,blur",
        "--levels",
        "0.5,1",
        "--split",
        "all",
    ];
    let (figures, said) = audited(script, &args).await;
    assert!(figures["warning"].is_null(), "{said}");
    // Right in both orders unless the clean object stands right and is not looked at: 0.7.
    for kind in ["slab", "stretch"] {
        for (_, level) in [(0.5, 0), (1.0, 1)] {
            let accuracy = &finding(&figures, kind, "overall")["accuracy"][level][1];
            assert!(holds(accuracy, 0.7), "{kind}: {accuracy}");
        }
    }
    // Blind: never right where only colours differ, and no level is enough.
    let blur = finding(&figures, "blur", "texture_details");
    let seen = blur["accuracy"][1][1]["value"].as_f64().unwrap();
    assert!(seen < 0.2, "by chance both orders rarely agree: {blur}");
    assert!(blur["threshold"].is_null(), "{blur}");
    // Of answers that name a side: on seen damage left is named in 1 of 1 and 0.3 of 1, on unseen in 0.3 and 0.3, all left.
    // Four seen pairs, two unseen and one with itself make (4 · 1.3 + 3 · 0.6) / (4 · 2 + 3 · 0.6).
    let left = (4.0 * 1.3 + 3.0 * 0.6) / (4.0 * 2.0 + 3.0 * 0.6);
    assert!(holds(&figures["left"], left), "{left}: {}", figures["left"]);
    assert!(said.contains("the left object, of answers that name one"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_always_says_left_is_exposed_in_the_first_line() {
    let script = Script {
        left_percent: 100.0,
        sees_texture: true,
    };
    let args = ["--kinds", "slab", "--levels", "1", "--objects", "4"];
    let (figures, said) = audited(script, &args).await;
    let first = said.lines().next().unwrap();
    assert!(
        first.starts_with("openai:scripted: it names the left object in 100 %"),
        "{said}"
    );
    assert_eq!(figures["consistent"]["value"], 0.0);
    assert_eq!(figures["false_alarms"]["value"], 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_perfect_judge_is_told_so_and_nothing_is_asked_twice() {
    let server = judge(Script {
        left_percent: 0.0,
        sees_texture: true,
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}/v1", server.uri());
    let args = [
        "--judge",
        "openai:scripted",
        "--base-url",
        &url,
        "--concurrency",
        "1",
        "--answers",
        "text",
        "--run",
        "r",
        "--kinds",
        "stretch,color-shift",
        "--levels",
        "0.5,1",
        "--objects",
        "4",
        "--json",
    ];
    let first = audit(folder.path(), &args).await;
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let rows: Vec<Value> = (text(&first.stdout).lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let figures = rows.iter().find(|row| row["kind"] == "audit").unwrap();
    for kind in ["stretch", "color-shift"] {
        let found = finding(figures, kind, "overall");
        assert_eq!(found["accuracy"][1][1]["value"], 1.0, "{found}");
        assert!(found["threshold"]["value"].as_f64().unwrap() <= 0.5);
    }
    assert_eq!(figures["false_alarms"]["value"], 0.0);
    let asked = server.received_requests().await.unwrap().len();
    let again = audit(folder.path(), &args).await;
    assert_eq!(text(&again.stdout), text(&first.stdout));
    assert_eq!(server.received_requests().await.unwrap().len(), asked);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said_before_anything_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    for (args, said) in [
        (&["--kinds", "rust"][..], "is no kind of damage"),
        (&["--levels", "2"], "above 0 up to 1"),
        (&["--bases", "nowhere"], "nowhere"),
        (&["--rubric", "category"], "not for two objects"),
    ] {
        let output = audit(folder.path(), args).await;
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            text(&output.stderr).contains(said),
            "{args:?}: {}",
            text(&output.stderr)
        );
    }
    let plan = audit(folder.path(), &["--dry-run", "--json", "--objects", "2"]).await;
    let plan: Value = serde_json::from_slice(&plan.stdout).unwrap();
    // 24 kinds at 3 levels and the object itself, on 2 objects, both orders.
    assert_eq!(
        (&plan["pairs"], &plan["questions"]),
        (&146.into(), &292.into())
    );
    assert!(!folder.path().join("runs").exists());
}
