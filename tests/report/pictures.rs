//! The pictures of pages in the documents show the pages as they are: the words in each are those
//! of the page of today, which its text next to it has. With `MESHJUDGE_GOLDENS=write` they are
//! taken anew, and the test fails so that they are looked at.

use crate::driven::Browser;
use crate::support::assets::{demo, repository};
use crate::support::program::ok;
use crate::support::served::Served;
use base64::Engine as _;
use serde_json::json;
use std::path::Path;

/// Visible words in the window, a line for each piece of text. Clocks and dates are no words.
const WORDS: &str = r"
const lines = [];
const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (all.nextNode()) {
  const node = all.currentNode, range = document.createRange();
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect(), text = node.textContent.replace(/\s+/g, ' ').trim();
  const isHidden = ['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION'].includes(node.parentElement.tagName) || !node.parentElement.checkVisibility();
  if (text && !isHidden && box.width && box.top < innerHeight && box.bottom > 0) lines.push(text.replace(/\d{4}-\d\d-\d\d/g, 'DATE'));
}
return lines.join('\n') + '\n';";

/// Numbers at the parts of a board.
const NUMBERED: &str = r"
const board = document.querySelector('.board:not([hidden])');
document.body.replaceChildren(board);
document.body.style.padding = '16px 24px';
const mark = (element, number) => {
  const badge = document.createElement('span');
  badge.textContent = number;
  badge.style.cssText = 'display:inline-block;min-width:18px;margin:0 4px;border-radius:9px;background:#b3261e;color:#fff;font:bold 12px/18px sans-serif;text-align:center';
  element.prepend(badge);
};
const parts = [...board.querySelectorAll('.plot th, .plot td')];
for (const [words, number] of [[/^rating/i, 1], [/^95/, 2], [/^ranks/i, 3], [/^next/i, 4], [/^[≤≥]/, 5]]) {
  const part = parts.find((part) => words.test(part.textContent.trim()));
  if (part) mark(part, number);
}
";

struct Shown<'a> {
    name: &'a str,
    size: [u32; 2],
    address: String,
    /// True when the page is complete.
    ready: &'a str,
    /// Before the picture is taken.
    then: &'a str,
}

async fn check(browser: &Browser, shown: &Shown<'_>, changed: &mut Vec<String>) {
    let [width, height] = shown.size;
    let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
    browser.cdp("Emulation.setDeviceMetricsOverride", size).await;
    browser.open(&shown.address).await;
    browser.until(shown.ready).await;
    browser.run(shown.then).await;
    let words = browser.run(WORDS).await;
    let words = words.as_str().unwrap();
    assert!(words.lines().count() > 10, "{}: {words}", shown.name);
    let path = repository(&format!("docs/pictures/{}.txt", shown.name));
    if std::env::var("MESHJUDGE_GOLDENS").is_ok_and(|value| value == "write") {
        let png = base64::engine::general_purpose::STANDARD.decode(browser.screenshot().await);
        std::fs::write(path.with_extension("png"), png.unwrap()).unwrap();
        std::fs::write(&path, words).unwrap();
        changed.push(format!("{} was written", shown.name));
    } else if std::fs::read_to_string(&path).unwrap_or_default() != words {
        changed.push(format!("{} shows other words than the page, which has\n{words}", shown.name));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pictures_of_pages_have_the_words_of_the_pages() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    let bench = demo("bench.toml");
    ok(place.path(), &["bench", bench.to_str().unwrap(), "--run", "demo"]);
    let page = format!("file://{}", place.path().join("demo/report.html").display());
    let served = Served::start(&place.path().join("demo"));
    let drawn = "return document.querySelectorAll('article.item').length > 0 && [...document.images].every((i) => i.loading === 'lazy' || i.complete)";
    let mut changed = Vec::new();
    for shown in [
        Shown { name: "report", size: [1100, 1000], address: page.clone(), ready: drawn, then: "" },
        Shown { name: "board", size: [1100, 290], address: page, ready: drawn, then: NUMBERED },
    ] {
        check(&browser, &shown, &mut changed).await;
    }
    let enter = "if (!window.entered) { window.entered = true; document.getElementById('rater').value = 'Ada'; document.getElementById('enter').requestSubmit(); } \
        const b = document.getElementById('ballot'); return b.getAttribute('aria-busy') === 'false' && !b.hidden";
    let ballot = Shown {
        name: "ballot",
        size: [960, 760],
        address: format!("{}/vote", served.origin()),
        ready: enter,
        then: "",
    };
    check(&browser, &ballot, &mut changed).await;
    assert!(changed.is_empty(), "look at them:\n{}", changed.join("\n"));
}

/// What the README's own commands make is byte for byte what it shows.
#[test]
fn the_sheets_of_the_readme_are_what_its_commands_make() {
    let place = tempfile::tempdir().unwrap();
    let [clean, damaged, vase, photo, mask] =
        ["chair_clean.glb", "chair_damaged.glb", "vase_clean.glb", "photo.png", "mask.png"]
            .map(|name| demo(name).display().to_string());
    let pair = "--out pair.png --rig gpteval3d --views 4 --fit 1024";
    let mut args = vec!["sheet", "pair", &clean, &damaged];
    args.extend(pair.split(' '));
    ok(place.path(), &args);
    ok(place.path(), &["sheet", "four-view", &vase, "--out", "four-view.png", "--fit", "640"]);
    ok(place.path(), &["sheet", "reference", "--image", &photo, "--mask", &mask, "--out", "."]);
    let made = |name: &str| image::open(place.path().join(name)).unwrap().into_rgba8();
    let mut differ = Vec::new();
    for (shown, from) in [
        ("pair.png", "pair.png"),
        ("four-view.png", "four-view.png"),
        ("highlighted.png", "1_highlighted.png"),
    ] {
        let path = repository(&format!("docs/pictures/{shown}"));
        if made(from) == image::open(&path).unwrap().into_rgba8() {
            continue;
        }
        if std::env::var("MESHJUDGE_GOLDENS").is_ok_and(|value| value == "write") {
            std::fs::copy(place.path().join(from), Path::new(&path)).unwrap();
        }
        differ.push(shown);
    }
    assert!(differ.is_empty(), "look at {differ:?}");
}
