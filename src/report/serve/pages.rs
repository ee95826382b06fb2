//! The addresses and their answers.

use super::super::invited::valid_name;
use super::super::page::{IMPORT_MAP, SCRIPT, STYLE, csp_hash};
use super::super::static_files::static_files;
use super::access::{Caller, Denied, token};
use super::assets::{AssetError, Content};
use super::guard::guard;
use super::state::{App, Cast, Turn, Voted};
use super::stored::Sending;
use crate::error::Kind;
use crate::store::read_picture;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use std::sync::{Arc, LazyLock};

/// Names the content of an object's or picture's file in a ballot; a vote repeats it.
const RECEIPT: &str = "meshjudge-receipt";

/// Longer times on one pair count as breaks.
const SECONDS_MAX: f64 = 3600.0;

const VOTE_PAGE: &str = include_str!("../../../assets/report/vote.html");
/// The page non-owners see at the report's address; its script opens a session for the owner.
const OWNER_PAGE: &str = include_str!("../../../assets/report/owner.html");

/// Scripts and styles of ours, pictures and assets of the run, nothing from anywhere else. The
/// viewer of splats sorts them by WebAssembly in a worker of its own.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' '{}' '{}'; worker-src blob:; style-src 'self' '{}'; img-src 'self' data: blob:; connect-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        csp_hash(SCRIPT),
        csp_hash(IMPORT_MAP),
        csp_hash(STYLE),
    )
});

type Shared = State<Arc<App>>;

/// All routes behind the guard. A proxy may forward requests with or without its own path.
pub(super) fn router(app: Arc<App>) -> Router {
    let prefix = app.address.prefix.clone();
    let mut router = routes("").route("/", get(report));
    if !prefix.is_empty() {
        let slash = format!("{prefix}/");
        let to_slash = Redirect::permanent(&slash);
        router = router
            .merge(routes(&prefix))
            .route(&prefix, get(|| async { to_slash }))
            .route(&slash, get(report));
    }
    let guarded = Arc::clone(&app);
    router
        .layer(axum::middleware::from_fn(move |request, next| {
            let app = Arc::clone(&guarded);
            async move { guard(&app.address, request, next).await }
        }))
        .with_state(app)
}

fn routes(prefix: &str) -> Router<Arc<App>> {
    let at = |path: &str| format!("{prefix}{path}");
    let mut router = Router::new();
    for (name, media_type, text) in static_files() {
        let text = Bytes::from(text);
        let file = async move |State(app): Shared, caller: Caller| {
            stranger(&app, &caller).map(|()| bytes(media_type, text))
        };
        router = router.route(&at(&format!("/{name}")), get(file));
    }
    router
        .route(&at("/vote"), get(vote_page))
        .route(&at("/part/{name}"), get(part))
        .route(&at("/sheet/{hash}"), get(sheet))
        .route(&at("/strip/{number}"), get(strip))
        .route(&at("/api/mark"), get(mark))
        .route(&at("/picture/{id}"), get(voters_picture))
        .route(&at("/asset/{id}"), get(asset))
        .route(&at("/api/next"), post(next))
        .route(&at("/api/vote"), post(vote))
        .route(&at("/api/consent"), post(consent))
        .route(&at("/api/owner"), post(open_session))
}

/// Lets the run's owner through; on this machine's own server, everybody.
fn owner(app: &App, caller: &Caller) -> Result<(), Denied> {
    let public = app.public.as_ref();
    public.map_or(Ok(()), |public| public.owner(caller))
}

/// Who votes: as the token says, or on this machine as the page says.
fn rater(app: &App, caller: &Caller, named: &str) -> Result<String, Denied> {
    match &app.public {
        Some(public) => public.rater(caller),
        None => valid_name(named).map_err(|e| Denied::Name(e.to_string())),
    }
}

/// Counts a request for what everybody may have.
fn stranger(app: &App, caller: &Caller) -> Result<(), Denied> {
    let public = app.public.as_ref();
    public.map_or(Ok(()), |public| public.stranger(caller))
}

fn page(html: String) -> Response {
    let mut response = (StatusCode::OK, html).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    if let Ok(policy) = HeaderValue::from_str(&POLICY) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn bytes(media_type: &'static str, bytes: impl Into<Body>) -> Response {
    let headers =
        [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "private, max-age=3600")];
    (headers, bytes.into()).into_response()
}

fn said(status: StatusCode, words: impl std::fmt::Display) -> Response {
    (status, words.to_string()).into_response()
}

/// Runs work that reads files or computes on a thread of its own, away from those that answer.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Response> {
    tokio::task::spawn_blocking(work).await.map_err(|_| {
        said(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the request failed; see the terminal for the reason",
        )
    })
}

async fn report(State(app): Shared, caller: Caller) -> Result<Response, Response> {
    if let Some(Err(denied)) = app.public.as_ref().map(|public| public.owner(&caller)) {
        let Denied::Token = denied else {
            return Err(denied.into_response());
        };
        let mut response = page(OWNER_PAGE.to_owned());
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        return Err(response);
    }
    let made = blocking(move || app.page()).await?;
    let html = made.map_err(|e| said(StatusCode::INTERNAL_SERVER_ERROR, e))?;
    Ok(page(html.to_string()))
}

/// Exchanges the owner's token for a session.
async fn open_session(State(app): Shared, caller: Caller) -> Result<Response, Response> {
    let missing = || said(StatusCode::NOT_FOUND, "this server has no owner link");
    let public = app.public.as_ref().ok_or_else(missing)?;
    let path = format!("{}/", app.address.prefix);
    let cookie = public.open_session(&caller, &path, app.address.is_encrypted());
    let cookie = cookie?;
    Ok(([(header::SET_COOKIE, cookie)], Json(serde_json::json!({"open": true}))).into_response())
}

async fn vote_page(State(app): Shared, caller: Caller) -> Result<Response, Response> {
    stranger(&app, &caller)?;
    let mode = if app.public.is_some() { "public" } else { "local" };
    let html = VOTE_PAGE.replace("{{ import_map }}", IMPORT_MAP);
    Ok(page(html.replace("{{ mode }}", mode)))
}

async fn sheet(
    State(app): Shared,
    caller: Caller,
    Path(hash): Path<String>,
) -> Result<Response, Response> {
    owner(&app, &caller)?;
    picture(app, hash).await
}

async fn strip(
    State(app): Shared,
    caller: Caller,
    Path(number): Path<usize>,
) -> Result<Response, Response> {
    owner(&app, &caller)?;
    let missing = || said(StatusCode::NOT_FOUND, "there is no such strip");
    let strip = blocking(move || app.strip(number)).await?.ok_or_else(missing)?;
    Ok(bytes("image/jpeg", strip.bytes))
}

/// What a page that follows a growing run compares.
async fn mark(State(app): Shared, caller: Caller) -> Result<Response, Response> {
    owner(&app, &caller)?;
    let mark = blocking(move || app.page_mark()).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], mark).into_response())
}

async fn picture(app: Arc<App>, hash: String) -> Result<Response, Response> {
    let missing = || said(StatusCode::NOT_FOUND, "the run has no such picture");
    let read = move || {
        let shown = app.picture(&hash).ok()??;
        let content = read_picture(&shown.path).ok()?;
        Some((shown.media_type, content))
    };
    let (media_type, content) = blocking(read).await?.ok_or_else(missing)?;
    let media_type = if media_type == "image/jpeg" { "image/jpeg" } else { "image/png" };
    Ok(bytes(media_type, content))
}

async fn part(
    State(app): Shared,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<Response, Response> {
    owner(&app, &caller)?;
    let missing = || said(StatusCode::NOT_FOUND, "there is no such part");
    let part = blocking(move || app.part(&name)).await?;
    let mut response = bytes("text/javascript", part.ok_or_else(missing)?);
    // It changes with the page.
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

async fn voters_picture(
    State(app): Shared,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Response> {
    if app.public.is_some() {
        rater(&app, &caller, "")?;
    }
    let known = Arc::clone(&app);
    let look = move || {
        let ballot = known.ballot()?;
        Ok::<_, Denied>((ballot.picture(&id).map(str::to_owned), ballot.receipt(&id)))
    };
    let (hash, receipt) = blocking(look).await??;
    let hash = hash.ok_or_else(|| said(StatusCode::NOT_FOUND, "there is no such picture"))?;
    Ok(with_receipt(picture(app, hash).await?, receipt))
}

fn with_receipt(mut response: Response, receipt: Option<String>) -> Response {
    if let Some(value) = receipt.and_then(|receipt| HeaderValue::from_str(&receipt).ok()) {
        response.headers_mut().insert(RECEIPT, value);
    }
    response
}

/// By content hash from the report, by a made-up id from the voting page.
async fn asset(
    State(app): Shared,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Response> {
    let is_rater = app.public.is_some() && token(&caller.headers).is_some();
    if is_rater {
        drop(rater(&app, &caller, "")?)
    } else {
        owner(&app, &caller)?
    }
    let read = move || {
        let ballot = app.ballot()?;
        let (shown, receipt) = (ballot.object(&id).cloned(), ballot.receipt(&id));
        drop(ballot);
        let by_hash = || (!is_rater).then(|| Content { hash: id.into(), check: None });
        let stored = shown.or_else(by_hash).map(|shown| app.assets.stored(&shown));
        Ok::<_, Denied>((stored.unwrap_or(Err(AssetError::Unknown)), receipt))
    };
    let (stored, receipt) = blocking(read).await??;
    match stored {
        Ok(stored) => {
            let response = bytes(stored.media_type, Body::new(Sending::from(stored)));
            Ok(with_receipt(response, receipt))
        }
        Err(e @ AssetError::Unknown) => Err(said(StatusCode::NOT_FOUND, e)),
        Err(e @ AssetError::NoRoom) => Err(said(StatusCode::INSUFFICIENT_STORAGE, e)),
        Err(e) => Err(said(StatusCode::GONE, e)),
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Who {
    #[serde(default)]
    rater: String,
    /// Pairs that the browser could not show.
    #[serde(default)]
    skipped: Vec<String>,
}

async fn next(
    State(app): Shared,
    caller: Caller,
    Json(who): Json<Who>,
) -> Result<Json<Turn>, Response> {
    let rater = rater(&app, &caller, &who.rater)?;
    Ok(Json(blocking(move || app.turn(&rater, &who.skipped)).await??))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Accepted {
    /// The text that was shown.
    text: String,
}

/// Notes that a rater accepted the text of the beginning.
async fn consent(
    State(app): Shared,
    caller: Caller,
    Json(accepted): Json<Accepted>,
) -> Result<Response, Response> {
    let rater = rater(&app, &caller, "")?;
    let note = move || match app.public.as_ref() {
        Some(public) if public.settings.consent.as_ref() == Some(&accepted.text) => {
            Ok(Some(public.invited.consented(&rater, &accepted.text)?))
        }
        _ => Ok::<_, Denied>(None),
    };
    match blocking(note).await?? {
        Some(()) => Ok(Json(serde_json::json!({"accepted": true})).into_response()),
        None => {
            Err(said(StatusCode::PRECONDITION_FAILED, "the text has changed; load the page again"))
        }
    }
}

async fn vote(
    State(app): Shared,
    caller: Caller,
    Json(mut cast): Json<Cast>,
) -> Result<Response, Response> {
    let rater = rater(&app, &caller, &cast.rater)?;
    if let Some(public) = &app.public
        && public.consent_missing(&rater)?.is_some()
    {
        return Err(Denied::Consent.into_response());
    }
    cast.seconds =
        if cast.seconds.is_finite() { cast.seconds.clamp(0.0, SECONDS_MAX) } else { 0.0 };
    let refused = match blocking(move || app.keep_vote(&rater, &cast)).await? {
        Ok(Voted::Kept { ticket }) => {
            return Ok(Json(serde_json::json!({"kept": true, "ticket": ticket})).into_response());
        }
        Ok(Voted::Stale) => (
            StatusCode::PRECONDITION_FAILED,
            "this pair already has an answer, perhaps from another window; that answer is kept",
        ),
        Ok(Voted::Undrawn) => (
            StatusCode::UNPROCESSABLE_ENTITY,
            "the page did not draw both objects of this pair, so the answer was not stored; load the page again",
        ),
        Err(e) if e.kind() == Kind::Locked => (
            StatusCode::CONFLICT,
            "another process is writing to this run, so your vote was not stored; try again in a moment",
        ),
        Ok(Voted::Gone) => {
            (StatusCode::GONE, "the run's folder no longer exists; your vote was not stored")
        }
        Ok(Voted::Unusable) => {
            (StatusCode::BAD_REQUEST, "the pair is unknown, or an answer is missing")
        }
        Err(_) => (
            StatusCode::INTERNAL_SERVER_ERROR,
            "the vote could not be stored; check the disk of the run's folder",
        ),
    };
    Err(said(refused.0, refused.1))
}
