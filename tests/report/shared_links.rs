//! In a real browser: the address keeps every choice, and one viewer turns objects in the report, a
//! bundle and the ballot.

use crate::driven::Browser;
use crate::support::judge_server::Mocks;
use crate::support::program::ok;
use crate::support::runs::{Plan, fill};
use crate::support::served::Served;
use serde_json::{Value, json};
use std::path::PathBuf;
use wiremock::matchers::any;
use wiremock::{Mock, Request, ResponseTemplate};

const LOADED: &str = "return document.querySelectorAll('article.item').length > 0";

/// Opens the first card large; cards are written again when all are read.
const OPENED: &str = "const large = document.getElementById('large'); if (!large.open) (document.querySelector('.item .halves') || document.querySelector('.item .open'))?.click(); return large.open";

/// What was chosen, as a person sees it.
const CHOSEN: &str = r"
const board = document.querySelector('.board:not([hidden])'), filters = document.getElementById('filters').elements, large = document.getElementById('large');
return [board.dataset.criterion, board.dataset.voice, ...['text', 'method', 'criterion', 'judge', 'difference'].map((name) => filters[name].value),
  document.getElementById('count').textContent, document.querySelector('#prompts-tools select').value, document.querySelector('.row-tools select')?.value,
  large.open, large.querySelector('h2')?.textContent, large.querySelector('.who')?.textContent];";

#[tokio::test(flavor = "multi_thread")]
async fn a_link_keeps_the_board_the_filters_and_the_open_pair() {
    let (Some(ada), Some(ben)) = tokio::join!(Browser::start(), Browser::start()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &Plan::small());
    ok(folder.path(), &["report", "."]);
    let page = format!("file://{}", folder.path().join("report.html").display());
    ada.size(1280).await;
    ada.open(&page).await;
    ada.until(LOADED).await;
    let untouched = ada.run(CHOSEN).await;
    for picker in
        ["i.value === 'pairwise plausibility'", "i.name === 'voice' && !i.checked && !i.disabled"]
    {
        let inputs = "[...document.querySelectorAll('#board-pickers input')]";
        ada.run(&format!("{inputs}.find(i => {picker})?.click()")).await;
    }
    ada.run("const s = document.querySelector('#prompts-tools select'); s.value = 'surprise'; s.dispatchEvent(new Event('change'))").await;
    ada.run("document.querySelector('[data-row=next]')?.click()").await;
    for (field, value) in [("text", "number"), ("method", "beta"), ("criterion", "plausibility")] {
        ada.run(&format!("const f = document.getElementById('filters').elements.{field}; f.value = '{value}'; f.dispatchEvent(new Event('input', {{bubbles: true}}))")).await;
    }
    ada.until("return location.hash.includes('key=plausibility')").await;
    ada.until(LOADED).await;
    ada.until(OPENED).await;
    let chosen = ada.run(CHOSEN).await;
    // All but the judge, the disagreement, and what this run may not have: another voice, pictures.
    for n in [0, 2, 3, 4, 7, 8, 10, 11, 12] {
        assert_ne!(untouched[n], chosen[n], "{untouched} {chosen}");
    }
    let address = ada.run("return location.href").await;
    let address = address.as_str().unwrap();
    ada.post("/refresh", &json!({})).await;
    ben.size(1280).await;
    ben.open(address).await;
    for browser in [&ada, &ben] {
        browser.until("return document.getElementById('large').open").await;
        browser.until(LOADED).await;
        assert_eq!(browser.run(CHOSEN).await, chosen, "{address}");
    }
    // Opened again before the browser has said that it was closed.
    let again =
        ["document.querySelector('#large .large-tools button:last-child').click(); ", OPENED];
    assert_eq!(ada.run(&again.concat()).await, true);
    // A step back closes the pair and keeps the rest.
    ada.run("history.back()").await;
    ada.until("return !document.getElementById('large').open").await;
    let method = "return document.getElementById('filters').elements.method.value";
    assert_eq!(ada.run(method).await, "beta");
    // Sections above the gallery are reached by their links, however long the gallery is.
    for section in ["paper", "about"] {
        ada.run(&format!("document.querySelector('nav a[href=\"#{section}\"]').click()")).await;
        // It is scrolled smoothly.
        let top = format!("document.getElementById('{section}').getBoundingClientRect().top");
        ada.until(&format!("return {top} >= -2 && {top} < 700")).await;
    }
}

/// A folder as a site.
async fn site(folder: PathBuf) -> Mocks {
    let server = Mocks::start().await;
    let respond = move |request: &Request| {
        let path = request.url.path().trim_start_matches('/');
        let kind = match path.rsplit_once('.') {
            Some((_, "html")) => "text/html",
            Some((_, "js")) => "text/javascript",
            _ => "application/octet-stream",
        };
        match std::fs::read(folder.join(path)) {
            Ok(bytes) => ResponseTemplate::new(200).set_body_raw(bytes, kind),
            Err(_) => ResponseTemplate::new(404),
        }
    };
    Mock::given(any()).respond_with(respond).mount(&server).await;
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn one_viewer_turns_objects_in_the_report_a_bundle_and_the_ballot() {
    let Some(browser) = Browser::start().await else { return };
    browser.open("about:blank").await;
    if !browser.has_webgl().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fill(&folder.path().join("run"), &Plan { people: Vec::new(), ..Plan::small() });
    ok(folder.path(), &["report", "run", "--bundle", "site"]);
    let served = Served::start_in(folder.path(), "run");
    let bundle = site(folder.path().join("site")).await;
    browser.size(1280).await;
    let drawn = "const c = [...document.querySelectorAll('canvas')]; return c.length === 2 && c.every((c) => c.dataset.drawn === '1')";
    let mut tools = Vec::new();
    for (what, address) in [
        ("report", format!("{}/", served.origin())),
        ("bundle", format!("{}/index.html", bundle.uri())),
        ("ballot", format!("{}/vote", served.origin())),
    ] {
        browser.open(&address).await;
        if what == "ballot" {
            browser.enter("Ada").await;
        } else {
            browser.until(LOADED).await;
            browser.until(OPENED).await;
        }
        browser.until(drawn).await;
        tools.push(
            browser.run("return [...document.querySelectorAll('.view-tools button')].map((b) => [b.textContent, b.dataset.tool])").await,
        );
        let wide = browser.run("const c = [...document.querySelectorAll('canvas')].map((c) => c.getBoundingClientRect()); return c[1].right - c[0].left").await;
        assert!(wide.as_f64() > Some(800.0), "{what} is {wide} wide");
        if what != "ballot" {
            let counts = "return [...document.querySelectorAll('.stage figcaption')].every((c) => /[1-9][\\d,]* triangles/.test(c.textContent))";
            browser.until(counts).await;
        }
        let pictures = || async {
            let of = "return [...document.querySelectorAll('canvas')].map((c) => c.toDataURL())";
            browser.run(of).await.as_array().unwrap().clone()
        };
        let both_differ = |a: &[Value], b: &[Value]| a[0] != b[0] && a[1] != b[1];
        let front = pictures().await;
        browser.run("document.querySelector('canvas').focus()").await;
        browser.key('\u{e014}').await;
        let turned = pictures().await;
        assert!(both_differ(&front, &turned), "{what}: the cameras are not linked");
        browser.key('r').await;
        assert_eq!(pictures().await, front, "{what}: not reset");
        for (key, name) in [('w', "wire"), ('n', "bare")] {
            browser.key(key).await;
            assert!(both_differ(&front, &pictures().await), "{what}: {name} shows nothing");
            let pressed = format!(
                "return document.querySelector('[data-tool={name}]').getAttribute('aria-pressed')"
            );
            assert_eq!(browser.run(&pressed).await, "true", "{what}");
            browser.key(key).await;
            assert_eq!(pictures().await, front, "{what}: {name} stays");
        }
        browser.key('t').await;
        browser
            .until(&format!("return document.querySelector('canvas').toDataURL() !== {}", front[0]))
            .await;
        browser.key('t').await;
        let stopped = pictures().await;
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        assert_eq!(pictures().await, stopped, "{what}: the turntable does not stop");
    }
    assert!(tools[0].as_array().unwrap().len() >= 4, "{tools:?}");
    assert!(tools.iter().all(|other| *other == tools[0]), "{tools:?}");
    browser.assert_quiet().await;
}
