//! The addresses and what each answers.

use super::super::page::{IMPORT_MAP, csp_hash};
use super::ballot::{Choice, Shown as ShownPair};
use super::guard::guard;
use super::state::{App, Shown, Voted};
use crate::store::read_picture;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Longer names are refused.
const RATER_CHARS_MAX: usize = 64;
/// Longer times on one pair count as breaks.
const SECONDS_MAX: f64 = 3600.0;

const REPORT_SCRIPT: &str = include_str!("../../../assets/report/report.js");
const REPORT_STYLE: &str = include_str!("../../../assets/report/report.css");
/// While a large run is read.
const NOT_YET_PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"1\"><title>meshjudge</title><p>The run is being read; this page opens when it is.</p></html>";
const VOTE_PAGE: &str = include_str!("../../../assets/report/vote.html");

/// Name, media type and text of every file that does not come from the run.
const FILES: [(&str, &str, &str); 9] = [
    (
        "static/report3d.js",
        "text/javascript",
        include_str!("../../../assets/report/report3d.js"),
    ),
    (
        "static/view3d.js",
        "text/javascript",
        include_str!("../../../assets/report/view3d.js"),
    ),
    (
        "static/vote.js",
        "text/javascript",
        include_str!("../../../assets/report/vote.js"),
    ),
    (
        "static/vote.css",
        "text/css",
        include_str!("../../../assets/report/vote.css"),
    ),
    (
        "viewer/build/three.module.min.js",
        "text/javascript",
        include_str!("../../../assets/viewer/three.module.min.js"),
    ),
    (
        "viewer/build/three.core.min.js",
        "text/javascript",
        include_str!("../../../assets/viewer/three.core.min.js"),
    ),
    (
        "viewer/loaders/GLTFLoader.js",
        "text/javascript",
        include_str!("../../../assets/viewer/GLTFLoader.js"),
    ),
    (
        "viewer/controls/OrbitControls.js",
        "text/javascript",
        include_str!("../../../assets/viewer/OrbitControls.js"),
    ),
    (
        "viewer/utils/BufferGeometryUtils.js",
        "text/javascript",
        include_str!("../../../assets/viewer/BufferGeometryUtils.js"),
    ),
];

/// Scripts and styles of ours, pictures and assets of the run, nothing from anywhere else.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; script-src 'self' '{}' '{}'; style-src 'self' '{}'; img-src 'self' data: blob:; connect-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        csp_hash(REPORT_SCRIPT),
        csp_hash(IMPORT_MAP),
        csp_hash(REPORT_STYLE),
    )
});

type Shared = State<Arc<App>>;

/// All routes behind the guard.
pub(super) fn router(app: Arc<App>) -> Router {
    let port = app.port;
    Router::new()
        .route("/", get(report))
        .route("/vote", get(vote_page))
        .route("/static/{name}", get(file))
        .route("/viewer/{folder}/{name}", get(viewer_file))
        .route("/part/{name}", get(part))
        .route("/sheet/{hash}", get(sheet))
        .route("/picture/{id}", get(voters_picture))
        .route("/asset/{id}", get(asset))
        .route("/api/next", post(next))
        .route("/api/vote", post(vote))
        .layer(axum::middleware::from_fn(move |request, next| {
            guard(port, request, next)
        }))
        .with_state(app)
}

fn page(html: String) -> Response {
    let mut response = (StatusCode::OK, html).into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    if let Ok(policy) = HeaderValue::from_str(&POLICY) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn bytes(media_type: &'static str, bytes: impl Into<axum::body::Body>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, media_type),
        (header::CACHE_CONTROL, "private, max-age=3600"),
    ];
    (headers, bytes.into()).into_response()
}

fn said(status: StatusCode, words: impl std::fmt::Display) -> Response {
    (status, words.to_string()).into_response()
}

/// Runs work that reads files or computes on a thread of its own, away from those that answer.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Response> {
    (tokio::task::spawn_blocking(work).await).map_err(|_| {
        said(
            StatusCode::INTERNAL_SERVER_ERROR,
            "this failed; see the terminal",
        )
    })
}

async fn report(State(app): Shared) -> Result<Response, Response> {
    let made = blocking(move || app.page()).await?;
    match made.map_err(|e| said(StatusCode::INTERNAL_SERVER_ERROR, e))? {
        Shown::Page(html) => Ok(page(html.to_string())),
        Shown::NotYet => Ok(page(NOT_YET_PAGE.to_owned())),
    }
}

async fn vote_page() -> Response {
    page(VOTE_PAGE.replace("{{ import_map }}", IMPORT_MAP))
}

async fn file(Path(name): Path<String>) -> Response {
    own_file(&format!("static/{name}"))
}

async fn viewer_file(Path((folder, name)): Path<(String, String)>) -> Response {
    own_file(&format!("viewer/{folder}/{name}"))
}

/// One of a fixed list; the name is compared, never opened.
fn own_file(name: &str) -> Response {
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some(&(_, media_type, text)) => bytes(media_type, text),
        None => said(StatusCode::NOT_FOUND, "there is no such file"),
    }
}

async fn sheet(State(app): Shared, Path(hash): Path<String>) -> Result<Response, Response> {
    let missing = || said(StatusCode::NOT_FOUND, "the run knows no such picture");
    let read = move || {
        let shown = app.picture(&hash).ok()??;
        let content = read_picture(&shown.path).ok()?;
        Some((shown.media_type, content))
    };
    let (media_type, content) = blocking(read).await?.ok_or_else(missing)?;
    let media_type = if media_type == "image/jpeg" {
        "image/jpeg"
    } else {
        "image/png"
    };
    Ok(bytes(media_type, content))
}

async fn part(State(app): Shared, Path(name): Path<String>) -> Result<Response, Response> {
    let missing = || said(StatusCode::NOT_FOUND, "there is no such part");
    let part = blocking(move || app.part(&name)).await?;
    let mut response = bytes("text/javascript", part.ok_or_else(missing)?);
    // It changes with the page.
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

fn being_read() -> Response {
    said(
        StatusCode::SERVICE_UNAVAILABLE,
        "the run is being read; try again in a moment",
    )
}

async fn voters_picture(app: Shared, Path(id): Path<String>) -> Result<Response, Response> {
    let hash = app
        .run()
        .ok_or_else(being_read)?
        .ballot()
        .picture(&id)
        .map(str::to_owned);
    let hash = hash.ok_or_else(|| said(StatusCode::NOT_FOUND, "there is no such picture"))?;
    sheet(app, Path(hash)).await
}

/// By content hash from the report, by a made-up id from the voting page.
async fn asset(State(app): Shared, Path(id): Path<String>) -> Result<Response, Response> {
    use super::assets::AssetError;
    let hash = (app.run().ok_or_else(being_read)?.ballot().object(&id)).map_or(id, str::to_owned);
    let read = move || match app.run() {
        Some(run) => run.assets.glb(&hash),
        None => Err(AssetError::Unknown),
    };
    match blocking(read).await? {
        Ok(content) => Ok(bytes("model/gltf-binary", content.to_vec())),
        Err(e @ AssetError::Unknown) => Err(said(StatusCode::NOT_FOUND, e)),
        Err(e) => Err(said(StatusCode::GONE, e)),
    }
}

#[derive(Debug, Deserialize)]
struct Who {
    rater: String,
}

#[derive(Debug, Serialize)]
struct Turn {
    done: usize,
    total: usize,
    shown: Option<ShownPair>,
}

async fn next(State(app): Shared, Json(who): Json<Who>) -> Result<Json<Turn>, Response> {
    let rater = name(&who.rater).map_err(|no| *no)?;
    app.run().ok_or_else(being_read)?;
    let turn = move || {
        let run = app.run()?;
        let ballot = run.ballot();
        let (done, total) = ballot.progress(&rater);
        Some(Turn {
            done,
            total,
            shown: ballot.next(&rater),
        })
    };
    let missing = || said(StatusCode::NOT_FOUND, "there is nothing to vote on");
    blocking(turn).await?.map(Json).ok_or_else(missing)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cast {
    rater: String,
    pair: String,
    choices: BTreeMap<String, Choice>,
    seconds: f64,
}

async fn vote(State(app): Shared, Json(cast): Json<Cast>) -> Result<Response, Response> {
    let rater = name(&cast.rater).map_err(|no| *no)?;
    let seconds = if cast.seconds.is_finite() {
        cast.seconds.clamp(0.0, SECONDS_MAX)
    } else {
        0.0
    };
    let kept = blocking(move || app.keep_vote(&rater, &cast.pair, &cast.choices, seconds)).await?;
    match kept {
        Ok(Voted::Kept) => Ok(Json(serde_json::json!({"kept": true})).into_response()),
        Ok(Voted::Locked) => Err(said(
            StatusCode::CONFLICT,
            "another process holds this run and did not let go of it; your vote was not kept. Try again in a moment",
        )),
        Ok(Voted::Gone) => Err(said(
            StatusCode::GONE,
            "the run's folder is not there any more; your vote was not kept",
        )),
        Ok(Voted::Unusable) => Err(said(
            StatusCode::BAD_REQUEST,
            "the pair is not known, or an answer is missing",
        )),
        Err(_) => Err(said(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the vote could not be written; see the disk of the run's folder",
        )),
    }
}

/// A name that is valid in a record.
fn name(text: &str) -> Result<String, Box<Response>> {
    let name = text.trim();
    let is_good = (1..=RATER_CHARS_MAX).contains(&name.chars().count())
        && !name.chars().any(char::is_control);
    if is_good {
        Ok(name.to_owned())
    } else {
        Err(Box::new(said(
            StatusCode::BAD_REQUEST,
            "a name has 1 to 64 characters, without line breaks",
        )))
    }
}
