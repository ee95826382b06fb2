//! `serve` as a program: who is answered, what voters see, and that votes enter the run.

use crate::raters::votes_of;
use crate::support::assets::{Folder, demo, tetrahedron, write_wedge};
use crate::support::judge_server::{ANSWER, Mocks, Row, reply, rows, schema_answer};
use crate::support::program::{command, json_rows, ok, rows_of};
use crate::support::runs::{Plan, fill};
use crate::support::served::{Served, free_port};
use meshjudge::unstable::store::{PERSON_PREFIX, Store, shard_folder};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn filled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    // Nobody has voted yet.
    fill(folder.path(), &Plan { people: Vec::new(), ..Plan::small() });
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn votes_enter_the_run_and_voters_are_told_nothing() {
    let folder = filled();
    let served = Served::start(folder.path());
    let turn = next(&served, "Zoë").await;
    let shown = &turn["shown"];
    let before = turn["total"].as_u64().unwrap();
    assert!(turn["done"] == 0 && before > 10);
    let text = turn.to_string();
    for secret in ["alpha", "beta", "gamma", "chair_clean", "vase", ".glb", "assets/"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let page = served.get("/vote", &[]).await.text().await.unwrap();
    assert!(!page.contains("alpha") && !page.contains(".glb"));
    // The same pair on the same sides until it is answered.
    assert_eq!(next(&served, "Zoë").await, turn);
    let mut cast = cast(&served, "Zoë", &turn, "left").await;
    assert_eq!(cast["choices"].as_object().unwrap().len(), 6);
    cast["seconds"] = json!(9.5);
    assert_eq!(served.post("/api/vote", &cast).await.0, 200);
    let votes = || votes_of(folder.path(), "Zoë");
    let kept = votes();
    assert_eq!(kept.len(), 1);
    let left = if kept[0].order == "ab" { "a" } else { "b" };
    assert_eq!(kept[0].verdict.as_ref().unwrap()["overall"], left);
    assert_eq!(kept[0].seconds, 9.5);
    // Corrected, it is still one vote.
    cast["choices"]["overall"] = json!("right");
    assert_eq!(served.post("/api/vote", &cast).await.0, 200);
    let kept = votes();
    assert_eq!((kept.len(), kept[0].verdict.as_ref().unwrap()["overall"] == left), (1, false));
    let next = next(&served, "Zoë").await;
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
    let sheet = served.get(&format!("/picture/{}", shown["sheet"].as_str().unwrap()), &[]).await;
    assert!(sheet.bytes().await.unwrap().starts_with(b"\x89PNG"));
    // The report counts the vote.
    let report = served.get("/", &[]).await;
    let policy = report.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    assert!(report.text().await.unwrap().contains("human:Zoë"));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_servers_of_one_run_know_each_others_votes_at_once() {
    let folder = filled();
    let servers = [Served::start(folder.path()), Served::start(folder.path())];
    // Both have read the run before the vote, and offer the same pair.
    let turn = next(&servers[0], "Ada").await;
    assert_eq!(next(&servers[1], "Ada").await, turn);
    let of_ben = next(&servers[1], "Ben").await;
    let ticket = &turn["shown"]["ticket"];
    let mut vote = cast(&servers[0], "Ada", &turn, "left").await;
    vote["ticket"] = ticket.clone();
    let (status, kept) = servers[0].post("/api/vote", &vote).await;
    assert_eq!(status, 200, "{kept}");
    let after = next(&servers[1], "Ada").await;
    assert_eq!(after["done"], 1);
    assert_ne!(after["shown"]["pair"], turn["shown"]["pair"]);
    assert_eq!(after, next(&servers[0], "Ada").await);
    // Through the other server: the same vote is kept, another one with the old ticket is stale.
    let (status, again) = servers[1].post("/api/vote", &vote).await;
    assert_eq!((status, &again["ticket"]), (200, &kept["ticket"]));
    let mut other = cast(&servers[1], "Ada", &turn, "right").await;
    other["ticket"] = ticket.clone();
    assert_eq!(servers[1].post("/api/vote", &other).await.0, 412);
    other["ticket"] = kept["ticket"].clone();
    assert_eq!(servers[1].post("/api/vote", &other).await.0, 200);
    assert_eq!(servers[0].post("/api/vote", &vote).await.0, 412, "it was corrected");
    // Of two that come together, one.
    let turn = next(&servers[0], "Ada").await;
    let mut both = [json!(null), json!(null)];
    for (choice, vote) in ["left", "right"].into_iter().zip(&mut both) {
        *vote = cast(&servers[0], "Ada", &turn, choice).await;
        vote["ticket"] = turn["shown"]["ticket"].clone();
    }
    let post = async |k: usize| servers[k].post("/api/vote", &both[k]).await.0;
    let (first, second) = tokio::join!(post(0), post(1));
    let mut given = [first, second];
    given.sort_unstable();
    assert_eq!(given, [200, 412]);
    // Pairs with fewer votes come first, whichever server took them.
    while next(&servers[0], "Ada").await["done"] != of_ben["total"] {
        let turn = next(&servers[0], "Ada").await;
        let vote = cast(&servers[0], "Ada", &turn, "tie").await;
        assert_eq!(servers[0].post("/api/vote", &vote).await.0, 200);
    }
    let vote = cast(&servers[1], "Ben", &of_ben, "tie").await;
    assert_eq!(servers[1].post("/api/vote", &vote).await.0, 200);
    let of_cleo = next(&servers[0], "Cleo").await;
    assert_ne!(of_cleo["shown"]["pair"], of_ben["shown"]["pair"]);
    // Another command asks about a new pair.
    let [a, b] = [demo("vase_clean.glb"), demo("vase_damaged.glb")];
    let [a, b] = [a, b].map(|path| path.display().to_string());
    ok(folder.path(), &["compare", &a, &b, "--prompt", "a new vase", "--run", "."]);
    for served in &servers {
        let total = next(served, "Cleo").await["total"].as_u64();
        assert_eq!(total, of_ben["total"].as_u64().map(|total| total + 1));
    }
}

/// A vote names the files that were on its rater's screen, and they are those of its pair.
#[tokio::test(flavor = "multi_thread")]
async fn a_vote_on_what_was_not_drawn_is_refused() {
    let folder = filled();
    let served = Served::start(folder.path());
    let turn = next(&served, "Ada").await;
    let skipped = json!({"rater": "Ada", "skipped": [turn["shown"]["pair"]]});
    let other = served.post("/api/next", &skipped).await.1;
    assert_ne!(turn["shown"]["pair"], other["shown"]["pair"]);
    let mut vote = cast(&served, "Ada", &turn, "left").await;
    let own = vote["drawn"].as_array().unwrap().clone();
    let others = served.drawn(&other["shown"]).await;
    for drawn in [
        json!(null),
        json!([]),
        json!([own[0]]),
        json!([own[0], own[0]]),
        json!([own[0], others[1]]),
        json!([own[0], own[1], others[1]]),
        json!(others),
    ] {
        vote["drawn"] = drawn;
        let status = served.post("/api/vote", &vote).await.0;
        assert!([400, 422].contains(&status), "{status}: {vote}");
    }
    assert!(rows(folder.path()).iter().all(|row| !row.judge.starts_with(PERSON_PREFIX)));
    // Without 3D, the sheet shows both.
    let sheet = format!("/picture/{}", turn["shown"]["sheet"].as_str().unwrap());
    let sheet = served.get(&sheet, &[]).await;
    vote["drawn"] = json!([sheet.headers()["meshjudge-receipt"].to_str().unwrap()]);
    assert_eq!(served.post("/api/vote", &vote).await.0, 200);
    vote["drawn"] = json!([own[1], own[0]]);
    assert_eq!(served.post("/api/vote", &vote).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_our_own_page_is_refused() {
    let folder = filled();
    let served = Served::start(folder.path());
    let own = served.origin();
    assert_eq!(served.get("/", &[("host", "evil.example")]).await.status(), 403);
    let local = format!("localhost:{}", served.port);
    assert_eq!(served.get("/", &[("host", &local)]).await.status(), 200);
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
    for bad in [json!({"rater": " "}), json!({"rater": "a\nb"}), json!({"rater": "x".repeat(65)})] {
        assert_eq!(served.post("/api/next", &bad).await.0, 400, "{bad}");
    }
    let cast = json!({"rater": "Zoë", "pair": "no such pair", "choices": {}, "seconds": 1});
    assert_eq!(served.post("/api/vote", &cast).await.0, 422);
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

/// The pair that a rater is shown next.
async fn next(served: &Served, rater: &str) -> Value {
    served.post("/api/next", &json!({"rater": rater})).await.1
}

/// What a rater answers to the pair that `turn` shows: the same on every criterion.
async fn cast(served: &Served, rater: &str, turn: &Value, choice: &str) -> Value {
    let criteria = turn["shown"]["criteria"].as_array().unwrap();
    let choices: serde_json::Map<String, Value> =
        criteria.iter().map(|c| (c["key"].as_str().unwrap().to_owned(), json!(choice))).collect();
    let drawn = served.drawn(&turn["shown"]).await;
    json!({"rater": rater, "pair": turn["shown"]["pair"], "drawn": drawn, "choices": choices, "seconds": 1})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_being_asked_takes_votes() {
    let folder = filled();
    let served = Served::start(folder.path());
    let turn = next(&served, "Zoë").await;
    let mut asking = Store::open(folder.path()).unwrap();
    assert_eq!(served.post("/api/vote", &cast(&served, "Zoë", &turn, "tie").await).await.0, 200);
    // Its journal goes on behind the vote's lines.
    asking.keep_config(&toml::Table::new()).unwrap();
    drop(asking);
    let kept = rows(folder.path());
    let recovered = Store::recover(folder.path()).unwrap();
    assert_eq!((recovered.questions, recovered.broken_lines), (kept.len(), 0));
    assert_eq!(rows(folder.path()), kept);
}

#[tokio::test(flavor = "multi_thread")]
async fn both_are_bad_is_kept_rated_as_a_tie_and_counted_separately() {
    let folder = filled();
    let served = Served::start(folder.path());
    let mut turn = next(&served, "Zoë").await;
    let (mut bad, mut ties) = (0, 0);
    while !turn["shown"].is_null() {
        let choice = if (bad + ties) % 3 == 0 { "bad" } else { "tie" };
        *(if choice == "bad" { &mut bad } else { &mut ties }) += 1;
        let kept = served.post("/api/vote", &cast(&served, "Zoë", &turn, choice).await).await;
        assert_eq!(kept.0, 200);
        turn = next(&served, "Zoë").await;
    }
    let mut found = (0, 0);
    for row in rows(folder.path()) {
        if row.judge == "human:Zoë" {
            let verdict = row.verdict.unwrap();
            assert_eq!(verdict["overall"], "tie");
            let criteria = verdict.as_object().unwrap().len() - 1;
            match verdict["both_bad"].as_array() {
                Some(keys) => {
                    assert_eq!(keys.len(), criteria);
                    found.0 += 1;
                }
                None => found.1 += 1,
            }
        }
    }
    assert_eq!(found, (bad, ties));
    let board = rows_of(&ok(folder.path(), &["rate", ".", "--json"]), "criterion");
    let overall = board.iter().find(|r| r["judge"] == "people" && r["criterion"] == "overall");
    assert_eq!(overall.unwrap()["both_bad"], bad);
    let text = ok(folder.path(), &["rate", "."]);
    assert!(text.contains("both are bad, counted as ties"), "{text}");
    ok(folder.path(), &["report", ".", "--out", "board.md"]);
    let markdown = std::fs::read_to_string(folder.path().join("board.md")).unwrap();
    assert!(!markdown.contains("People rank"), "{markdown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_shards_is_voted_on_as_one_run() {
    let whole = tempfile::tempdir().unwrap();
    let parts = [1, 2].map(|number| shard_folder(whole.path(), number, 2));
    for (part, of) in parts.iter().zip(["of the first", "of the second"]) {
        let plan = Plan {
            people: Vec::new(),
            prompts: (0..3).map(|i| format!("thing {i} {of}")).collect(),
            ..Plan::small()
        };
        fill(part, &plan);
    }
    let alone = Served::start(&parts[0]);
    let pairs_of_one = next(&alone, "Ada").await["total"].clone();
    let served = Served::start(whole.path());
    let mut turn = next(&served, "Ada").await;
    assert!(turn["total"].as_u64() > pairs_of_one.as_u64(), "{turn}");
    while !turn["shown"].is_null() {
        let vote = cast(&served, "Ada", &turn, "left").await;
        assert_eq!(served.post("/api/vote", &vote).await.0, 200);
        let sheet = format!("/picture/{}", turn["shown"]["sheet"].as_str().unwrap());
        assert_eq!(served.get(&sheet, &[]).await.status(), 200);
        turn = next(&served, "Ada").await;
    }
    let mut kept = 0;
    for (part, of) in parts.iter().zip(["of the first", "of the second"]) {
        let rows = rows(part).into_iter();
        let votes: Vec<_> = rows.filter(|row| row.judge == "human:Ada").collect();
        assert!(votes.len() > 3, "{of}: {}", votes.len());
        assert!(votes.iter().all(|vote| vote.prompt.as_deref().unwrap().ends_with(of)), "{of}");
        kept += votes.len() as u64;
    }
    assert_eq!(Some(kept), turn["total"].as_u64());
    // Invitations, and what raters did, are of the whole.
    let whole_name = whole.path().display().to_string();
    let invited = ok(Path::new("."), &["raters", &whole_name, "invite", "Ben"]);
    assert!(invited.contains("/vote#"), "{invited}");
    let listed = ok(Path::new("."), &["raters", &whole_name]);
    for words in [format!("Ada: {kept} votes").as_str(), "Ben: 0 votes"] {
        assert!(listed.contains(words), "{listed}");
    }
}

/// Two generators' objects for some prompts, and a benchmark file about them.
fn bench_place(prompts: usize) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let mut file = "name = \"votes\"\nprompts = [".to_owned();
    file.extend((0..prompts).map(|p| format!("\"thing {p}\", ")));
    file.push_str("]\n");
    for m in 0..2 {
        std::fs::create_dir(place.path().join(format!("m{m}"))).unwrap();
        for p in 0..prompts {
            let object = tetrahedron(1.0 + m as f32 * 0.5 + p as f32 * 0.05);
            std::fs::write(place.path().join(format!("m{m}/{p}.obj")), object).unwrap();
        }
        file += &format!("[[generators]]\nname = \"m{m}\"\npath = \"m{m}/{{prompt_id}}.obj\"\n");
    }
    file += "[pictures]\nsize_px = 32\nviews = 1\n";
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    place
}

#[tokio::test(flavor = "multi_thread")]
async fn people_answer_a_checklist_about_one_object() {
    let place = bench_place(2);
    let judge = Mocks::chat(|request: &wiremock::Request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let schema = &body["response_format"]["json_schema"]["schema"];
        reply(&schema_answer(schema).to_string(), "stop")
    })
    .await;
    let file = std::fs::read_to_string(place.path().join("bench.toml")).unwrap();
    let asked = format!(
        "rubrics = [\"defects\"]\njudges = [{{ spec = \"openai:stub\", base_url = \"{}/v1\" }}]\nprompts = ",
        judge.uri()
    );
    std::fs::write(place.path().join("bench.toml"), file.replacen("prompts = ", &asked, 1))
        .unwrap();
    let mut bench = command(place.path(), ["bench", "bench.toml", "--run", "r"]);
    assert!(bench.env("OPENAI_API_KEY", "key").output().unwrap().status.success());
    let served = Served::start_in(place.path(), "r");
    let mut turn = next(&served, "Zoë").await;
    assert_eq!(turn["total"], 4);
    let mut answers = ["yes", "no", "partly", "no"].into_iter();
    while !turn["shown"].is_null() {
        assert!(turn["shown"]["right"].is_null(), "{turn}");
        assert_eq!(turn["shown"]["criteria"].as_array().unwrap().len(), 9);
        // An answer to a pair is none to an item.
        let wrong = cast(&served, "Zoë", &turn, "left").await;
        assert_eq!(served.post("/api/vote", &wrong).await.0, 400);
        let answer = cast(&served, "Zoë", &turn, answers.next().unwrap()).await;
        assert_eq!(served.post("/api/vote", &answer).await.0, 200);
        turn = next(&served, "Zoë").await;
    }
    let rows = rows(&place.path().join("r"));
    let said = rows.iter().filter(|row| row.judge == "human:Zoë");
    let surface = |row: &Row| row.verdict.as_ref().unwrap()["aspects"]["surface"].as_f64();
    let mut said: Vec<f64> = said.map(|row| surface(row).unwrap()).collect();
    said.sort_by(f64::total_cmp);
    assert_eq!(said, [0.0, 0.0, 0.5, 1.0]);
    // The judge says yes to everything; people to a half, of which one is partly.
    let mut found = json_rows(&ok(place.path(), &["rate", "r", "--json"]));
    found.retain(|row| row["item"] == "surface");
    assert_eq!(found.len(), 1, "one person has no others");
    assert_eq!((&found[0]["both_yes"], &found[0]["only_judge"]), (&json!(2), &json!(2)));
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_raters_vote_beside_a_benchmark() {
    const RATERS: usize = 20;
    const PROMPTS: usize = 4;
    let place = bench_place(PROMPTS);
    ok(place.path(), &["bench", "bench.toml", "--run", "r"]);
    let judge = Mocks::chat(|_: &wiremock::Request| {
        reply(ANSWER, "stop").set_delay(Duration::from_millis(700))
    })
    .await;
    let served = Arc::new(Served::start_in(place.path(), "r"));
    let address = format!("{}/v1", judge.uri());
    let args = "bench bench.toml --run r --judge openai:slow --concurrency 1 --no-canary";
    let mut bench = command(place.path(), args.split(' '));
    let bench = bench.args(["--base-url", &address]).env("OPENAI_API_KEY", "sk-not-real");
    let mut bench = bench.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while judge.received_requests().await.unwrap().is_empty() {
        assert_eq!(bench.try_wait().unwrap(), None, "the benchmark ended");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut raters = tokio::task::JoinSet::new();
    for rater in 0..RATERS {
        let served = Arc::clone(&served);
        raters.spawn(async move {
            let rater = format!("rater {rater}");
            for done in 0..PROMPTS {
                let (status, turn) = served.post("/api/next", &json!({"rater": rater})).await;
                assert_eq!((status, &turn["done"]), (200, &json!(done)), "{turn}");
                let (status, said) =
                    served.post("/api/vote", &cast(&served, &rater, &turn, "left").await).await;
                assert_eq!(status, 200, "{said}");
            }
        });
    }
    raters.join_all().await;
    assert_eq!(bench.try_wait().unwrap(), None, "the votes were beside it");
    let ended = bench.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let kept = rows(&place.path().join("r"));
    let of = |judge: &str| {
        let mut kept = kept.iter().filter(|row| row.judge.starts_with(judge)).collect::<Vec<_>>();
        kept.dedup_by_key(|row| &row.id);
        assert!(kept.iter().all(|row| row.outcome == "verdict"), "{judge}");
        kept.len()
    };
    assert_eq!((of(PERSON_PREFIX), of("openai:slow")), (RATERS * PROMPTS, 2 * PROMPTS));
    // The journal that both wrote holds every row.
    let recovered = Store::recover(&place.path().join("r")).unwrap();
    assert_eq!(recovered.broken_lines, 0);
    assert_eq!(rows(&place.path().join("r")), kept);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_only_take_up_room_are_closed() {
    let folder = filled();
    let served = Served::start(folder.path());
    let host = format!("Host: 127.0.0.1:{}\r\n", served.port);
    let post = format!(
        "POST /api/next HTTP/1.1\r\n{host}Origin: {}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{{",
        served.origin()
    );
    let address = ("127.0.0.1", served.port);
    let closed = |said: String, answer: &'static str| async move {
        let mut connection = tokio::net::TcpStream::connect(address).await.unwrap();
        connection.write_all(said.as_bytes()).await.unwrap();
        let mut answered = Vec::new();
        let read = connection.read_to_end(&mut answered);
        // Twice the limits on a head and a body.
        let read = tokio::time::timeout(Duration::from_secs(20), read).await;
        assert!(read.is_ok(), "{said} is still open");
        let answered = String::from_utf8_lossy(&answered);
        assert!(answered.starts_with(answer), "{said}: {answered}");
    };
    tokio::join!(
        closed(String::new(), ""),
        closed(format!("GET / HTTP/1.1\r\n{host}X-Half: "), ""),
        closed(format!("GET /vote HTTP/1.1\r\n{host}\r\n"), "HTTP/1.1 200"),
        closed(post, "HTTP/1.1 408"),
    );
    // More than are answered at once: the others wait for the first to be closed.
    let mut silent = Vec::new();
    for _ in 0..300 {
        silent.push(tokio::net::TcpStream::connect(address).await.unwrap());
    }
    let answer = tokio::time::timeout(PATIENCE, served.get("/vote", &[])).await;
    assert_eq!(answer.expect("an answer").status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_folder_that_vanished_takes_no_votes_and_is_not_made_anew() {
    let folder = filled();
    let served = Served::start(folder.path());
    let turn = next(&served, "Zoë").await;
    let cast = cast(&served, "Zoë", &turn, "tie").await;
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
    let sheet =
        std::fs::read_dir(folder.path().join("sheets")).unwrap().next().unwrap().unwrap().path();
    let hash = sheet.file_stem().unwrap().to_string_lossy().into_owned();
    let served = Served::start(folder.path());
    assert_eq!(served.get(&format!("/sheet/{hash}"), &[]).await.status(), 200);
    let elsewhere = folder.path().join("elsewhere.png");
    std::fs::rename(&sheet, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &sheet).unwrap();
    assert_eq!(served.get(&format!("/sheet/{hash}"), &[]).await.status(), 404);
}

/// A folder with two chairs, and the run `r` that compared them.
pub(crate) fn two_chairs_compared() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, from) in [("a.glb", "chair_clean.glb"), ("b.glb", "chair_damaged.glb")] {
        std::fs::copy(demo(from), place.path().join(name)).unwrap();
    }
    let compare =
        ["compare", "a.glb", "b.glb", "--prompt", "a chair", "--size", "64", "--run", "r"];
    ok(place.path(), &compare);
    place
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asset_that_changed_is_not_shown() {
    let place = two_chairs_compared();
    std::fs::copy(demo("vase_clean.glb"), place.path().join("b.glb")).unwrap();
    let served = Served::start_in(place.path(), "r");
    let rows = rows(&place.path().join("r"));
    let (a, b) = (&rows[0].a.hash, &rows[0].b.as_ref().unwrap().hash);
    assert_eq!(served.get(&format!("/asset/{a}"), &[]).await.status(), 200);
    let changed = served.get(&format!("/asset/{b}"), &[]).await;
    assert_eq!(changed.status(), 410);
    let said = changed.text().await.unwrap();
    assert!(said.contains("has changed since it was judged") && !said.contains("b.glb"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn assets_are_shown_with_the_axes_that_their_pictures_had() {
    let place = tempfile::tempdir().unwrap();
    write_wedge(&place.path().join("a.obj"), true);
    write_wedge(&place.path().join("b.obj"), false);
    let generators = [("a", ""), ("b", "up = \"+y\"\nfront = \"+z\"")].map(|(name, axes)| {
        format!("[[generators]]\nname = \"{name}\"\npath = \"{name}.obj\"\n{axes}\n")
    });
    let text = format!(
        "name = \"t\"\nprompts = [\"a wedge\"]\n{}[pictures]\nrig = \"t3bench\"\nsize_px = 32\nviews = 1\n",
        generators.concat()
    );
    std::fs::write(place.path().join("bench.toml"), text).unwrap();
    ok(place.path(), &["bench", "bench.toml", "--run", "r"]);
    let made = Store::read(&place.path().join("r")).unwrap().made().unwrap();
    let heights = async |flags: &[&str]| {
        let served = Served::start_with(place.path(), "r", free_port(), flags);
        let mut heights = Vec::new();
        for made in &made {
            let path = format!("/asset/{}", made.hash.as_deref().unwrap());
            let glb = served.get(&path, &[]).await.bytes().await.unwrap();
            let loaded = Folder::new().load("a.glb", &glb).unwrap();
            heights.push(loaded.scene.bounds().size().y);
        }
        heights
    };
    assert_eq!(heights(&[]).await, [2.0, 2.0]);
    // A flag turns what the benchmark's file does not.
    assert_ne!(heights(&["--up", "+y", "--front", "+z"]).await, [2.0, 2.0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_grows_is_followed_and_the_pair_in_hand_survives_a_restart() {
    let place = tempfile::tempdir().unwrap();
    let compare = |name: &str| {
        let [clean, damaged] = ["clean", "damaged"].map(|kind| demo(&format!("{name}_{kind}.glb")));
        let [clean, damaged] = [clean, damaged].map(|path| path.display().to_string());
        ok(place.path(), &["compare", &clean, &damaged, "--prompt", name, "--run", "r"]);
    };
    compare("chair");
    let run = place.path().join("r");
    let served = Served::start(&run);
    let first = next(&served, "Ada").await;
    assert_eq!(first["total"], 1);
    compare("vase");
    let hash = rows(&run).into_iter().find(|row| row.prompt.as_deref() == Some("vase"));
    let hash = hash.unwrap().a.hash;
    assert_eq!(next(&served, "Ada").await["total"], 2);
    let asset = served.get(&format!("/asset/{hash}"), &[]).await;
    assert_eq!(asset.status(), 200);
    let length = asset.content_length();
    assert_eq!(asset.bytes().await.unwrap().len() as u64, length.unwrap());
    served.kill();
    let served = Served::start(&run);
    let mut vote = cast(&served, "Ada", &first, "left").await;
    vote["ticket"] = first["shown"]["ticket"].clone();
    assert_eq!(served.post("/api/vote", &vote).await.0, 200);
}
