//! `serve` as a program: who is answered, what is told to voters, and that votes enter the run.

use crate::support::assets::demo;
use crate::support::judge_server::rows;
use crate::support::program::ok;
use crate::support::runs::{Plan, fill};
use crate::support::served::Served;
use meshjudge::store::{PERSON_PREFIX, Store};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

fn filled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    // Nobody has voted yet.
    fill(
        folder.path(),
        &Plan {
            people: Vec::new(),
            ..Plan::small()
        },
    );
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn votes_enter_the_run_and_voters_are_told_nothing() {
    let folder = filled();
    let served = Served::start(folder.path());
    let turn = served.post("/api/next", &json!({"rater": "Zoë"})).await.1;
    let shown = &turn["shown"];
    let before = turn["total"].as_u64().unwrap();
    assert!(turn["done"] == 0 && before > 10);
    let text = turn.to_string();
    for secret in [
        "alpha",
        "beta",
        "gamma",
        "chair_clean",
        "vase",
        ".glb",
        "assets/",
    ] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let page = served.get("/vote", &[]).await.text().await.unwrap();
    assert!(!page.contains("alpha") && !page.contains(".glb"));
    // The same pair on the same sides until it is answered.
    assert_eq!(
        served.post("/api/next", &json!({"rater": "Zoë"})).await.1,
        turn
    );
    let keys: Vec<&str> = shown["criteria"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["key"].as_str().unwrap())
        .collect();
    assert_eq!(keys.len(), 6);
    let choices: serde_json::Map<String, Value> = keys
        .iter()
        .map(|k| ((*k).to_owned(), json!("left")))
        .collect();
    let mut cast =
        json!({"rater": "Zoë", "pair": shown["pair"], "choices": choices, "seconds": 9.5});
    assert_eq!(served.post("/api/vote", &cast).await.0, 200);
    let votes = |folder: &Path| {
        rows(folder)
            .into_iter()
            .filter(|r| r.judge == format!("{PERSON_PREFIX}Zoë"))
            .collect::<Vec<_>>()
    };
    let kept = votes(folder.path());
    assert_eq!(kept.len(), 1);
    let left = if kept[0].order == "ab" { "a" } else { "b" };
    assert_eq!(kept[0].verdict.as_ref().unwrap()["overall"], left);
    assert_eq!(kept[0].seconds, 9.5);
    // Corrected, it is still one vote.
    cast["choices"]["overall"] = json!("right");
    assert_eq!(served.post("/api/vote", &cast).await.0, 200);
    let kept = votes(folder.path());
    assert_eq!(
        (
            kept.len(),
            kept[0].verdict.as_ref().unwrap()["overall"] == left
        ),
        (1, false)
    );
    let next = served.post("/api/next", &json!({"rater": "Zoë"})).await.1;
    assert_eq!(next["done"], 1);
    assert_ne!(next["shown"]["pair"], shown["pair"]);
    // Both objects come as GLB, under ids that mean nothing, without the names inside.
    for side in ["left", "right"] {
        let id = shown[side].as_str().unwrap();
        let asset = served.get(&format!("/asset/{id}"), &[]).await;
        assert_eq!(asset.headers()["content-type"], "model/gltf-binary");
        assert_eq!(asset.headers()["x-content-type-options"], "nosniff");
        assert!(asset.bytes().await.unwrap().starts_with(b"glTF"));
    }
    let sheet = served
        .get(
            &format!("/picture/{}", shown["sheet"].as_str().unwrap()),
            &[],
        )
        .await;
    assert!(sheet.bytes().await.unwrap().starts_with(b"\x89PNG"));
    // The report counts the vote as soon as it is made anew.
    let report = served.get("/", &[]).await;
    assert!(
        report.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .starts_with("default-src 'none'")
    );
    let start = Instant::now();
    while !(served.get("/", &[]).await.text().await.unwrap()).contains("human:Zoë") {
        assert!(start.elapsed() < PATIENCE, "the vote is not in the report");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_our_own_page_is_refused() {
    let folder = filled();
    let served = Served::start(folder.path());
    let own = served.origin();
    assert_eq!(
        served.get("/", &[("host", "evil.example")]).await.status(),
        403
    );
    assert_eq!(
        served
            .get("/", &[("host", &format!("localhost:{}", served.port))])
            .await
            .status(),
        200
    );
    let body = json!({"rater": "Zoë"}).to_string();
    for (origin, kind, status) in [
        (Some(own.as_str()), "application/json", 200),
        (None, "application/json", 403),
        (Some("http://evil.example"), "application/json", 403),
        (Some("null"), "application/json", 403),
        (Some(own.as_str()), "text/plain", 415),
        (Some(own.as_str()), "application/x-www-form-urlencoded", 415),
    ] {
        let mut headers = vec![("content-type", kind)];
        headers.extend(origin.map(|o| ("origin", o)));
        let answer = served.raw_post("/api/next", body.clone(), &headers).await;
        assert_eq!(answer.status(), status, "{origin:?} {kind}");
    }
    let long = json!({"rater": "x".repeat(40_000)});
    assert_eq!(served.post("/api/next", &long).await.0, 413);
    for bad in [
        json!({"rater": " "}),
        json!({"rater": "a\nb"}),
        json!({"rater": "x".repeat(65)}),
    ] {
        assert_eq!(served.post("/api/next", &bad).await.0, 400, "{bad}");
    }
    let cast = json!({"rater": "Zoë", "pair": "no such pair", "choices": {}, "seconds": 1});
    assert_eq!(served.post("/api/vote", &cast).await.0, 400);
    for path in [
        "/sheet/..%2F..%2Frun.sqlite",
        "/sheet/run.sqlite",
        "/asset/..%2Frun.toml",
        "/asset/%2Fetc%2Fpasswd",
        "/static/..%2Frun.toml",
        "/viewer/build/..%2F..%2Frun.toml",
        "/picture/x",
        "/run.sqlite",
        "/sheets/x.png",
    ] {
        assert_eq!(served.get(path, &[]).await.status(), 404, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_being_asked_takes_no_votes_and_says_so() {
    let folder = filled();
    let served = Served::start(folder.path());
    let turn = served.post("/api/next", &json!({"rater": "Zoë"})).await.1;
    let asking = Store::open(folder.path()).unwrap();
    let locked = served.post("/api/next", &json!({"rater": "Zoë"})).await.1;
    assert_eq!(locked["is_locked"], true);
    let criteria = turn["shown"]["criteria"].as_array().unwrap();
    let choices: serde_json::Map<String, Value> = criteria
        .iter()
        .map(|c| (c["key"].as_str().unwrap().to_owned(), json!("tie")))
        .collect();
    let cast =
        json!({"rater": "Zoë", "pair": turn["shown"]["pair"], "choices": choices, "seconds": 1});
    assert_eq!(served.post("/api/vote", &cast).await.0, 409);
    assert_eq!(served.get("/", &[]).await.status(), 200, "reading goes on");
    drop(asking);
    assert_eq!(served.post("/api/vote", &cast).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_folder_that_vanished_takes_no_votes_and_is_not_made_anew() {
    let folder = filled();
    let served = Served::start(folder.path());
    let turn = served.post("/api/next", &json!({"rater": "Zoë"})).await.1;
    let criteria = turn["shown"]["criteria"].as_array().unwrap();
    let choices: serde_json::Map<String, Value> = criteria
        .iter()
        .map(|c| (c["key"].as_str().unwrap().to_owned(), json!("tie")))
        .collect();
    let cast =
        json!({"rater": "Zoë", "pair": turn["shown"]["pair"], "choices": choices, "seconds": 1});
    std::fs::rename(folder.path(), folder.path().with_extension("gone")).unwrap();
    assert_eq!(served.post("/api/vote", &cast).await.0, 410);
    assert!(!folder.path().exists());
    std::fs::rename(folder.path().with_extension("gone"), folder.path()).unwrap();
    assert_eq!(served.post("/api/vote", &cast).await.0, 200);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_link_among_the_pictures_is_not_followed() {
    let folder = filled();
    let sheet = std::fs::read_dir(folder.path().join("sheets"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let hash = sheet.file_stem().unwrap().to_string_lossy().into_owned();
    let served = Served::start(folder.path());
    assert_eq!(
        served.get(&format!("/sheet/{hash}"), &[]).await.status(),
        200
    );
    let elsewhere = folder.path().join("elsewhere.png");
    std::fs::rename(&sheet, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &sheet).unwrap();
    assert_eq!(
        served.get(&format!("/sheet/{hash}"), &[]).await.status(),
        404
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asset_that_changed_is_not_shown() {
    let place = tempfile::tempdir().unwrap();
    for (name, from) in [("a.glb", "chair_clean.glb"), ("b.glb", "chair_damaged.glb")] {
        std::fs::copy(demo(from), place.path().join(name)).unwrap();
    }
    let compare = [
        "compare", "a.glb", "b.glb", "--prompt", "a chair", "--size", "64", "--run", "r",
    ];
    ok(place.path(), &compare);
    std::fs::copy(demo("vase_clean.glb"), place.path().join("b.glb")).unwrap();
    let served = Served::start_in(place.path(), "r");
    let rows = rows(&place.path().join("r"));
    let (a, b) = (&rows[0].a.hash, &rows[0].b.as_ref().unwrap().hash);
    assert_eq!(served.get(&format!("/asset/{a}"), &[]).await.status(), 200);
    let changed = served.get(&format!("/asset/{b}"), &[]).await;
    assert_eq!(changed.status(), 410);
    let said = changed.text().await.unwrap();
    assert!(
        said.contains("has changed since it was judged") && !said.contains("b.glb"),
        "{said}"
    );
}
