//! Raters elsewhere: links, a reverse proxy, a server that is killed, and everything that somebody
//! without a link may try.

use crate::serve::{filled, two_chairs_compared};
use crate::support::assets::splat_sphere;
use crate::support::judge_server::{Row, rows};
use crate::support::program::{json_rows, meshjudge, ok};
use crate::support::served::{Served, drawn, free_port};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use meshjudge::unstable::store::{PERSON_PREFIX, Store};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The tokens of new invitations, in their order.
pub(crate) fn invited(folder: &Path, names: &[&str], url: &str) -> Vec<String> {
    let args = [&["raters", ".", "invite", "--json", "--url", url], names].concat();
    let links = json_rows(&ok(folder, &args));
    links.iter().map(|row| token(row, &format!("{url}/vote#"))).collect()
}

fn token(row: &Value, before: &str) -> String {
    let link = row["link"].as_str().unwrap();
    link.strip_prefix(before).unwrap_or_else(|| panic!("{link}")).to_owned()
}

/// How a page of `origin` with a rater's token asks.
struct Page<'a> {
    client: &'a reqwest::Client,
    base: String,
    origin: &'a str,
    token: &'a str,
}

impl Page<'_> {
    async fn post(&self, path: &str, body: &Value) -> Result<(u16, Value), reqwest::Error> {
        let request = self.client.post(format!("{}{path}", self.base)).body(body.to_string());
        let request =
            request.header("content-type", "application/json").header("origin", self.origin);
        let answer =
            request.header("authorization", format!("Bearer {}", self.token)).send().await?;
        let status = answer.status().as_u16();
        let text = answer.text().await?;
        Ok((status, serde_json::from_str(&text).unwrap_or(Value::String(text))))
    }

    async fn answer(&self, path: &str) -> reqwest::Response {
        let request = self.client.get(format!("{}{path}", self.base));
        request.header("authorization", format!("Bearer {}", self.token)).send().await.unwrap()
    }

    async fn get(&self, path: &str) -> u16 {
        self.answer(path).await.status().as_u16()
    }

    /// The object of this id.
    async fn asset(&self, id: &Value) -> Bytes {
        self.answer(&format!("/asset/{}", id.as_str().unwrap())).await.bytes().await.unwrap()
    }
}

/// A vote of the same choice on every criterion of what `turn` shows.
async fn cast(page: &Page<'_>, turn: &Value, choice: &str) -> Value {
    let drawn = drawn(page.client, &page.base, page.token, &turn["shown"]).await;
    let criteria = turn["shown"]["criteria"].as_array().unwrap();
    let choices: serde_json::Map<String, Value> =
        criteria.iter().map(|c| (c["key"].as_str().unwrap().to_owned(), json!(choice))).collect();
    json!({"pair": turn["shown"]["pair"], "drawn": drawn, "choices": choices, "seconds": 2.5, "ticket": turn["shown"]["ticket"]})
}

pub(crate) fn votes_of(folder: &Path, name: &str) -> Vec<Row> {
    let all = rows(folder).into_iter();
    all.filter(|row| row.judge == format!("{PERSON_PREFIX}{name}")).collect()
}

/// A reverse proxy at `/study` that names the inner host, as nginx does by default.
pub(crate) async fn proxy(client: reqwest::Client, inner_port: u16) -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let hand_on = move |State(client): State<reqwest::Client>,
                        method: Method,
                        uri: Uri,
                        headers: HeaderMap,
                        body: Bytes| async move {
        let Some(path) = uri.path().strip_prefix("/study") else {
            return (StatusCode::NOT_FOUND, HeaderMap::new(), Bytes::new());
        };
        let mut request =
            client.request(method, format!("http://127.0.0.1:{inner_port}{path}")).body(body);
        for name in ["authorization", "content-type", "origin", "cookie"] {
            if let Some(value) = headers.get(name) {
                request = request.header(name, value);
            }
        }
        request = request.header("x-forwarded-host", "evil.example");
        match request.send().await {
            Ok(answer) => {
                let (status, mut headers) = (answer.status(), answer.headers().clone());
                for of_the_hop in ["connection", "content-length", "transfer-encoding"] {
                    headers.remove(of_the_hop);
                }
                let body = answer.bytes().await.unwrap_or_default();
                (status, headers, body)
            }
            Err(_) => (StatusCode::BAD_GATEWAY, HeaderMap::new(), Bytes::new()),
        }
    };
    let router = axum::Router::new().fallback(hand_on).with_state(client);
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn two_raters_vote_through_a_proxy_while_the_server_is_killed_and_a_third_is_revoked() {
    let folder = filled();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let inner = free_port();
    let outer = proxy(client.clone(), inner).await;
    let origin = format!("http://127.0.0.1:{outer}");
    let url = format!("{origin}/study");
    let tokens = invited(folder.path(), &["Ada", "Ben", "Cleo"], &url);
    let flags = ["--public", "--url", &url];
    let served = Served::start_with(folder.path(), ".", inner, &flags);
    let cleo = Page { client: &client, base: url.clone(), origin: &origin, token: &tokens[2] };
    let turn = cleo.post("/api/next", &json!({})).await.unwrap().1;
    let again = cast(&cleo, &turn, "right").await;
    assert_eq!(cleo.post("/api/vote", &cast(&cleo, &turn, "left").await).await.unwrap().0, 200);

    let cast_so_far = Arc::new(AtomicUsize::new(0));
    let mut raters = tokio::task::JoinSet::new();
    for (token, choice) in tokens[..2].iter().cloned().zip(["left", "tie"]) {
        let (client, base, origin, count) =
            (client.clone(), url.clone(), origin.clone(), Arc::clone(&cast_so_far));
        raters.spawn(async move {
            let page = Page { client: &client, base, origin: &origin, token: &token };
            // As the page does: what was not answered is sent again, word by word.
            let insist = async |path: &str, body: &Value| {
                for _ in 0..1_000 {
                    match page.post(path, body).await.unwrap() {
                        (200, answer) => return answer,
                        (409 | 429 | 502 | 503, _) => {
                            tokio::time::sleep(Duration::from_millis(60)).await
                        }
                        other => panic!("{path}: {other:?}"),
                    }
                }
                panic!("{path} was never answered")
            };
            loop {
                let turn = insist("/api/next", &json!({})).await;
                if turn["shown"].is_null() {
                    return turn["total"].as_u64().unwrap();
                }
                insist("/api/vote", &cast(&page, &turn, choice).await).await;
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    while cast_so_far.load(Ordering::Relaxed) < 6 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    served.kill();
    ok(folder.path(), &["raters", ".", "revoke", "Cleo"]);
    let _served = Served::start_with(folder.path(), ".", inner, &flags);
    let totals = raters.join_all().await;
    assert!(totals[0] > 10 && totals[0] == totals[1], "{totals:?}");
    for (name, choice) in [("Ada", "left"), ("Ben", "tie")] {
        let votes = votes_of(folder.path(), name);
        let pairs: BTreeSet<_> = votes
            .iter()
            .map(|v| (v.prompt.clone(), v.a.method.clone(), v.b.as_ref().unwrap().method.clone()))
            .collect();
        assert_eq!((votes.len() as u64, pairs.len()), (totals[0], votes.len()), "{name}");
        for vote in &votes {
            let left = if vote.order == "ab" { "a" } else { "b" };
            let said = if choice == "left" { left } else { "tie" };
            assert_eq!(vote.verdict.as_ref().unwrap()["overall"], said);
        }
    }
    // What she said before stays, and nothing more is heard of her.
    let (status, said) = cleo.post("/api/next", &json!({})).await.unwrap();
    assert_eq!((status, cleo.post("/api/vote", &again).await.unwrap().0), (401, 401));
    assert!(!said.to_string().contains(&tokens[2]), "{said}");
    assert_eq!(votes_of(folder.path(), "Cleo").len(), 1);
    let recovered = Store::recover(folder.path()).unwrap();
    assert_eq!(recovered.broken_lines, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_but_ballots_is_open_without_the_owners_link() {
    let folder = filled();
    let url = "https://votes.example.org/study";
    let tokens = invited(folder.path(), &["Ada"], url);
    let owner = || {
        let link = ok(folder.path(), &["raters", ".", "owner-link", "--json", "--url", url]);
        token(&json_rows(&link)[0], &format!("{url}/#"))
    };
    let first_owner = owner();
    let served = Served::start_with(folder.path(), ".", free_port(), &["--public", "--url", url]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let origin = "https://votes.example.org";
    let base = served.origin();
    let ada = Page { client: &client, base: base.clone(), origin, token: &tokens[0] };
    let nobody = Page { client: &client, base: base.clone(), origin, token: "AAAA" };
    let owned = Page { client: &client, base: base.clone(), origin, token: &first_owner };
    // Ballots, with the path of the proxy or without.
    let turn = ada.post("/study/api/next", &json!({})).await.unwrap().1;
    assert_eq!(ada.post("/api/next", &json!({})).await.unwrap(), (200, turn.clone()));
    let shown = &turn["shown"];
    let (left, sheet) = (shown["left"].as_str().unwrap(), shown["sheet"].as_str().unwrap());
    let row = rows(folder.path()).into_iter().find(|row| !row.pictures.is_empty()).unwrap();
    for (path, is_ballot) in [
        (format!("/asset/{left}"), true),
        (format!("/picture/{sheet}"), true),
        (format!("/asset/{}", row.a.hash), false),
        (format!("/sheet/{}", row.pictures[0]), false),
        ("/".to_owned(), false),
        ("/study/".to_owned(), false),
        ("/part/items-0.js".to_owned(), false),
    ] {
        let of_ada = match is_ballot {
            true => 200,
            false if path.starts_with("/asset") => 404,
            false => 401,
        };
        assert_eq!([ada.get(&path).await, nobody.get(&path).await], [of_ada, 401], "{path}");
    }
    assert_eq!(nobody.post("/api/next", &json!({})).await.unwrap().0, 401);
    assert_eq!(owned.post("/api/next", &json!({})).await.unwrap().0, 401);
    // No page shows anything before a link is shown.
    let page = served.get("/study/vote", &[]).await.text().await.unwrap();
    assert!(page.contains("data-mode=\"public\"") && !page.contains("thing number"));
    // Hosts and origins.
    let own = "votes.example.org";
    for (host, status) in
        [(own, 200), ("evil.example", 403), ("votes.example.org.evil.example", 403)]
    {
        let answer = served.get("/vote", &[("host", host), ("x-forwarded-host", own)]).await;
        assert_eq!(answer.status(), status, "{host}");
    }
    let vote = cast(&ada, &turn, "left").await;
    for bad in ["https://evil.example", "null", "http://votes.example.org", base.as_str()] {
        let crossing = Page { client: &client, base: base.clone(), origin: bad, token: &tokens[0] };
        assert_eq!(crossing.post("/api/vote", &vote).await.unwrap().0, 403, "{bad}");
    }
    assert_eq!(votes_of(folder.path(), "Ada").len(), 0);
    // The owner's link opens a session that only pages of ours use, until the link is replaced.
    assert_eq!(ada.post("/api/owner", &json!({})).await.unwrap().0, 401);
    let bearer = format!("Bearer {first_owner}");
    let kind = ("content-type", "application/json");
    let headers = [kind, ("origin", origin), ("authorization", bearer.as_str())];
    let opened = served.raw_post("/study/api/owner", "{}".to_owned(), &headers).await;
    let cookie = opened.headers()["set-cookie"].to_str().unwrap().to_owned();
    for part in ["Path=/study/;", "HttpOnly", "SameSite=Strict", "Secure"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains(&first_owner));
    let session = cookie.split(';').next().unwrap();
    let get = async |path: &str| served.get(path, &[("cookie", session)]).await;
    let report = get("/study/").await;
    assert_eq!(report.status(), 200);
    assert!(report.text().await.unwrap().contains("thing number"));
    for path in [format!("/sheet/{}", row.pictures[0]), format!("/asset/{}", row.a.hash)] {
        assert_eq!(get(&path).await.status(), 200, "{path}");
    }
    owner();
    assert_eq!(get("/study/").await.status(), 401);
}

/// With checks there are no sheets, so a pair has its objects alone.
#[tokio::test(flavor = "multi_thread")]
async fn pairs_without_any_picture_are_not_offered() {
    let place = two_chairs_compared();
    let run = place.path().join("r");
    for (has_file, total) in [(true, 1), (false, 0)] {
        if !has_file {
            std::fs::remove_file(place.path().join("b.glb")).unwrap();
        }
        let port = free_port();
        let url = format!("http://127.0.0.1:{port}");
        let tokens = invited(&run, &["Ada"], &url);
        // From another folder than the one where the paths begin.
        let _served = Served::start_with(&run, ".", port, &["--public", "--check-every", "1"]);
        // Starting the server installs the cryptography that a client needs.
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let ada = Page { client: &client, base: url.clone(), origin: &url, token: &tokens[0] };
        let turn = ada.post("/api/next", &json!({})).await.unwrap().1;
        assert_eq!((&turn["total"], turn["shown"].is_null()), (&json!(total), !has_file), "{turn}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn replays_and_floods_change_nothing_and_consent_comes_first() {
    let folder = filled();
    let consent = "Your answers are published without your name.";
    std::fs::write(folder.path().join("consent.txt"), consent).unwrap();
    let served_port = free_port();
    let url = format!("http://127.0.0.1:{served_port}");
    let tokens = invited(folder.path(), &["Ada", "Ben"], &url);
    let flags = ["--public", "--consent", "consent.txt", "--check-every", "1", "--votes", "2"];
    let _served = Served::start_with(folder.path(), ".", served_port, &flags);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let page = |token| Page { client: &client, base: url.clone(), origin: &url, token };
    let (ada, ben) = (page(&tokens[0]), page(&tokens[1]));
    let next = async |page: &Page<'_>| page.post("/api/next", &json!({})).await.unwrap().1;
    let vote = async |page: &Page<'_>, vote: &Value| page.post("/api/vote", vote).await.unwrap();
    let asked = next(&ada).await;
    assert!(asked["shown"].is_null());
    assert_eq!(vote(&ada, &json!({"pair": "x", "choices": {}, "seconds": 1})).await.0, 403);
    assert_eq!(ada.post("/api/consent", &json!({"text": "another"})).await.unwrap().0, 412);
    for page in [&ada, &ben] {
        let consent = json!({"text": asked["consent"]});
        assert_eq!(page.post("/api/consent", &consent).await.unwrap().0, 200);
    }
    // A vote that is sent twice counts once; its correction counts against a third one.
    let turn = next(&ada).await;
    assert_eq!((&turn["total"], &turn["shown"]["sheet"]), (&json!(2), &Value::Null));
    let first = cast(&ada, &turn, "left").await;
    let (status, kept) = vote(&ada, &first).await;
    assert_eq!((status, vote(&ada, &first).await.0), (200, 200));
    assert_eq!(votes_of(folder.path(), "Ada").len(), 1);
    let mut corrected = cast(&ada, &turn, "right").await;
    assert_eq!(vote(&ada, &corrected).await.0, 412);
    corrected["ticket"] = kept["ticket"].clone();
    assert_eq!(vote(&ada, &corrected).await.0, 200);
    let standing = votes_of(folder.path(), "Ada");
    assert_eq!((vote(&ada, &first).await.0, votes_of(folder.path(), "Ada")), (412, standing));
    // Another rater's ticket is none, and neither is no ticket.
    assert_eq!(vote(&ben, &first).await.0, 412);
    corrected["ticket"] = Value::Null;
    assert_eq!(vote(&ada, &corrected).await.0, 412);
    // The pair with a known answer is no vote of the run; the page cannot tell it apart.
    let check = next(&ada).await;
    assert_eq!(check["shown"].as_object().unwrap().len(), turn["shown"].as_object().unwrap().len());
    let mut sizes = Vec::new();
    for side in ["left", "right"] {
        sizes.push(ada.asset(&check["shown"][side]).await.len());
    }
    assert_ne!(sizes[0], sizes[1], "one of the two is damaged");
    let clean = if sizes[0] < sizes[1] { "left" } else { "right" };
    assert_eq!(vote(&ada, &cast(&ada, &check, clean).await).await.0, 200);
    assert_eq!(votes_of(folder.path(), "Ada").len(), 1);
    // The second vote is the last; then the second check comes, and the end.
    assert_eq!(vote(&ada, &cast(&ada, &next(&ada).await, "tie").await).await.0, 200);
    assert_eq!(vote(&ada, &cast(&ada, &next(&ada).await, "tie").await).await.0, 200);
    assert!(next(&ada).await["shown"].is_null());
    assert_eq!(votes_of(folder.path(), "Ada").len(), 2);
    // A flood is stopped, and another rater does not notice.
    let mut slowed = 0;
    for _ in 0..90 {
        slowed += usize::from(ada.post("/api/next", &json!({})).await.unwrap().0 == 429);
    }
    assert!(slowed > 5, "{slowed}");
    assert_eq!(vote(&ben, &cast(&ben, &next(&ben).await, "left").await).await.0, 200);
    // What the owner reads of them, and what others get.
    let lines = json_rows(&ok(folder.path(), &["raters", ".", "--json"]));
    let line = lines.iter().find(|line| line["name"] == "Ada").unwrap();
    assert_eq!((&line["votes"], &line["checks"]), (&json!(2), &json!([1, 0, 1])));
    let shown = ok(folder.path(), &["raters", "."]);
    assert!(shown.contains("Ada: 2 votes, 2 s each; checks: 1 of 2 right"), "{shown}");
    for format in ["jsonl", "csv"] {
        let named = ok(folder.path(), &["export", ".", "--format", format]);
        let hidden = ok(folder.path(), &["export", ".", "--format", format, "--without-names"]);
        assert!(named.contains("human:Ada") && !hidden.contains("Ada"), "{format}");
        assert_eq!(hidden.matches("human:rater-1").count(), 2);
        let ids = |text: &str| text.matches(standing_id(folder.path()).as_str()).count();
        assert_eq!((ids(&named), ids(&hidden)), (1, 0), "an id is made of the name");
    }
    let everywhere = meshjudge(folder.path(), &["serve", ".", "--public", "--bind", "0.0.0.0"]);
    assert!(everywhere.code == Some(2) && everywhere.stderr.contains("--url"), "{everywhere:?}");
}

/// Splats have damage of their own.
#[tokio::test(flavor = "multi_thread")]
async fn a_check_of_splats_shows_them_damaged() {
    let folder = tempfile::tempdir().unwrap();
    for (name, radius) in [("a.ply", 1.0), ("b.ply", 2.0)] {
        std::fs::write(folder.path().join(name), splat_sphere(radius)).unwrap();
    }
    let args = ["compare", "a.ply", "b.ply", "--prompt", "a ball", "--size", "64", "--run", "run"];
    ok(folder.path(), &args);
    let (run, port) = (folder.path().join("run"), free_port());
    let url = format!("http://127.0.0.1:{port}");
    let tokens = invited(&run, &["Ada"], &url);
    let _served =
        Served::start_with(folder.path(), "run", port, &["--public", "--check-every", "1"]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let ada = Page { client: &client, base: url.clone(), origin: &url, token: &tokens[0] };
    let next = async || ada.post("/api/next", &json!({})).await.unwrap().1;
    let mut shown = Vec::new();
    for _ in 0..2 {
        let turn = next().await;
        for side in ["left", "right"] {
            shown.push(ada.asset(&turn["shown"][side]).await);
        }
        assert_eq!(ada.post("/api/vote", &cast(&ada, &turn, "left").await).await.unwrap().0, 200);
    }
    assert!(shown.iter().all(|bytes| bytes.starts_with(b"\x1f\x8b")), "all are SPZ");
    // Both balls are scaled to one size; the check shows one of them next to its damaged copy.
    let sizes: Vec<usize> = shown.iter().map(|bytes| bytes.len()).collect();
    assert!(sizes[0].abs_diff(sizes[1]) < 500 && sizes[2].abs_diff(sizes[3]) > 500, "{sizes:?}");
}

/// A voter without a link is limited by address, as the named proxy says it; what others say of
/// their address is not believed.
#[tokio::test(flavor = "multi_thread")]
async fn a_flood_from_one_address_stops_nobody_at_another() {
    let folder = filled();
    let url = "https://votes.example.org";
    let tokens = invited(folder.path(), &["Ada"], url);
    let flags = ["--public", "--url", url, "--proxy", "127.0.0.1"];
    let served = Served::start_with(folder.path(), ".", free_port(), &flags);
    let open = async |path: &str, said: &str| {
        let answer = served.get(path, &[("x-forwarded-for", said)]).await;
        (answer.status().as_u16(), answer.headers().get("retry-after").is_some())
    };
    let mut slowed = 0;
    for n in 0..600 {
        // It makes up another address each time; the proxy adds the one that it sees.
        let said = format!("198.51.{}.{}, 203.0.113.9", n / 200, n % 200);
        slowed += usize::from(open("/vote", &said).await == (429, true));
    }
    assert!(slowed > 20, "{slowed}");
    assert_eq!(open("/vote", "198.51.100.7").await, (200, false));
    // A wrong link is a stranger's, too; a right one is its rater's, wherever it is opened.
    let ask = async |token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("content-type", "application/json"),
            ("origin", url),
            ("x-forwarded-for", "203.0.113.9"),
            ("authorization", bearer.as_str()),
        ];
        let answer = served.raw_post("/api/next", "{}".to_owned(), &headers);
        answer.await.status().as_u16()
    };
    assert_eq!((ask("guessed").await, ask(&tokens[0]).await), (429, 200));
}

fn standing_id(folder: &Path) -> String {
    votes_of(folder, "Ada")[0].id.clone()
}
