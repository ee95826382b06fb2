//! The pages in a real browser.

use crate::driven::Browser;
use crate::raters::{invited, proxy, votes_of};
use crate::support::assets::splat_sphere;
use crate::support::program::ok;
use crate::support::runs::{Plan, fill};
use crate::support::served::{Served, free_port};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Whether the ballot takes an answer.
const READY: &str = "return document.getElementById('ballot').getAttribute('aria-busy') === 'false' && !document.getElementById('ballot').hidden";

fn report(folder: &Path) -> PathBuf {
    ok(folder, &["report", "."]);
    folder.join("report.html")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_report_works_at_two_widths_and_asks_for_nothing() {
    let Some(browser) = Browser::start().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut plan = Plan::small();
    let hostile = "</script><img src=x onerror=\"document.title='broken'\">";
    plan.prompts[3] = format!("{hostile}{}", "w".repeat(10_000));
    plan.methods[2] = format!("{hostile}{}", "m".repeat(300));
    plan.words = hostile.repeat(20);
    fill(folder.path(), &plan);
    let page = report(folder.path());
    let url = format!("file://{}", page.display());
    for width in [390, 1280] {
        browser.size(width).await;
        browser.open(&url).await;
        browser.until("return document.querySelectorAll('article.item').length > 0").await;
        browser.assert_fits(&format!("the report at {width}")).await;
        let boards = "return document.querySelectorAll('#boards > .board:not([hidden])').length";
        assert_eq!(browser.run(boards).await, 1);
        browser.run("for (const d of document.querySelectorAll('details')) d.open = true").await;
        browser.until("return document.querySelectorAll('.words pre').length > 0").await;
        browser.assert_fits(&format!("the opened report at {width}")).await;
        let hostile = "return document.querySelectorAll('img[src=\"x\"]').length";
        assert_eq!(browser.run(hostile).await, 0);
        assert_ne!(browser.run("return document.title").await, "broken");
        assert_eq!(browser.run("return [...document.images].filter(i => i.loading !== 'lazy' && !i.naturalWidth).length").await, 0);
    }
    // Another criterion by its button, another voice as well.
    let choose = "const i = [...document.querySelectorAll('#board-pickers input')].find(i => i.value === 'pairwise plausibility'); i.click(); return document.querySelector('.board:not([hidden])').dataset.title";
    assert_eq!(browser.run(choose).await, "Plausibility");
    let set = |name: &str, value: &str| {
        format!(
            "const f = document.getElementById('filters').elements; f.{name}.value = {value}; f.{name}.dispatchEvent(new Event('input', {{bubbles: true}}));"
        )
    };
    let shown = "return document.getElementById('count').textContent";
    let all = browser.run(shown).await;
    browser.run(&set("text", "'number 1'")).await;
    browser.until("return document.querySelectorAll('article.item').length === 3 || document.querySelectorAll('article.item').length === 2").await;
    assert_eq!(browser.run("return [...document.querySelectorAll('.prompt')].every(p => p.textContent.includes('number 1'))").await, true);
    browser.run(&set("text", "'no such prompt'")).await;
    browser.until("return document.querySelectorAll('article.item').length === 0").await;
    browser.run("document.querySelector('#filters button[type=reset]').click()").await;
    browser.until(&format!("return document.getElementById('count').textContent === {all}")).await;
    browser.run(&set("difference", "'2'")).await;
    browser.until("return [...document.querySelectorAll('article.item')].every(i => i.textContent.includes('judge against people'))").await;
    let found = browser.run("return document.querySelectorAll('article.item').length").await;
    assert!((1..17).contains(&found.as_u64().unwrap()), "{found}");
    let requests = browser.requests().await;
    assert!(!requests.is_empty(), "the harness sees requests");
    let foreign: Vec<_> =
        requests.iter().filter(|r| !r.starts_with("data:") && **r != url).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    browser.assert_quiet().await;
}

/// At the width of A4 between its margins: the columns of a screen, none of them cut off, all
/// boards, and no buttons.
#[tokio::test(flavor = "multi_thread")]
async fn on_paper_nothing_is_cut_off() {
    let Some(browser) = Browser::start().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut plan = Plan::small();
    plan.methods[2] = "a method with a long name ".repeat(4);
    fill(folder.path(), &plan);
    let page = report(folder.path());
    let print = json!({"media": "print"});
    browser.cdp("Emulation.setEmulatedMedia", print).await;
    browser.size(703).await;
    browser.open(&format!("file://{}", page.display())).await;
    browser.until("return document.querySelectorAll('article.item').length > 0").await;
    let wide = browser
        .run("return [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 120)).slice(0, 3)")
        .await;
    assert_eq!(wide, json!([]));
    browser.assert_fits("the printed report").await;
    let tables = browser
        .run("return [...document.querySelectorAll('table')].filter(t => t.offsetParent).map(t => [t.offsetWidth, t.parentElement.clientWidth, getComputedStyle(t.tHead).display])")
        .await;
    let tables = tables.as_array().unwrap();
    assert!(tables.len() > 3, "{tables:?}");
    for table in tables {
        assert!(table[0].as_f64() <= table[1].as_f64(), "{tables:?}");
        assert_eq!(table[2], "table-header-group", "{tables:?}");
    }
    let boards = "return [...document.querySelectorAll('.board')].every(b => b.offsetParent) && document.querySelectorAll('.board').length > 1";
    assert_eq!(browser.run(boards).await, true);
    let buttons = "return [...document.querySelectorAll('button')].some(b => b.offsetParent)";
    assert_eq!(browser.run(buttons).await, false);
}

#[tokio::test(flavor = "multi_thread")]
async fn splats_are_shown_in_3d_to_voters() {
    let Some(browser) = Browser::start().await else { return };
    let folder = tempfile::tempdir().unwrap();
    for (name, radius) in [("a.ply", 1.0), ("b.ply", 2.0)] {
        std::fs::write(folder.path().join(name), splat_sphere(radius)).unwrap();
    }
    let args = ["compare", "a.ply", "b.ply", "--prompt", "a ball", "--size", "64", "--run", "run"];
    ok(folder.path(), &args);
    let served = Served::start_in(folder.path(), "run");
    browser.open(&format!("{}/vote", served.origin())).await;
    browser.enter("Zoë").await;
    if !browser.has_webgl().await {
        return;
    }
    // The middle of each view: blue above, red below; with the bare shape, blue towards the viewer.
    let seen = |side: &str, y: f64| {
        format!(
            "const c = document.getElementById('{side}'); if (c.dataset.drawn !== '1') return null; const t = document.createElement('canvas'); \
             t.width = t.height = 64; const x = t.getContext('2d'); x.drawImage(c, 0, 0, 64, 64); return [...x.getImageData(32, {}, 1, 1).data]",
            (64.0 * y) as u32
        )
    };
    let until = async |side: &str, y: f64, words: &str| {
        let shown = seen(side, y);
        browser
            .until(&format!("{{ const p = (() => {{ {shown} }})(); return p && {words}; }}"))
            .await;
    };
    for side in ["left", "right"] {
        until(side, 0.75, "p[0] > 150 && p[2] < 90").await;
        until(side, 0.3, "p[2] > 150 && p[0] < 90").await;
        assert_eq!(browser.run(&seen(side, 0.02)).await[1], 255, "white around it");
    }
    browser.run("document.querySelector('[data-tool=bare]').click()").await;
    until("left", 0.5, "p[2] > 150 && p[0] > 70").await;
    browser.assert_quiet().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_votes_by_keyboard_and_sees_no_method() {
    let Some(browser) = Browser::start().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let methods = ["alphamethod", "betamethod", "gammamethod"].map(str::to_owned).to_vec();
    fill(folder.path(), &Plan { methods: methods.clone(), people: Vec::new(), ..Plan::small() });
    let served = Served::start(folder.path());
    browser.size(1280).await;
    browser.open(&format!("{}/vote", served.origin())).await;
    browser.enter("Zoë").await;
    if browser.has_webgl().await {
        browser.until("return [...document.querySelectorAll('canvas')].every(c => c.dataset.drawn === '1')").await;
        let colors = "const c = document.getElementById('left'); const t = document.createElement('canvas'); t.width = t.height = 64; \
            const x = t.getContext('2d'); x.drawImage(c, 0, 0, 64, 64); return new Set(new Uint32Array(x.getImageData(0, 0, 64, 64).data.buffer)).size";
        let num_colors = browser.run(colors).await.as_u64().unwrap();
        assert!(num_colors > 50, "the view is empty: {num_colors} colours");
    } else {
        browser.until("return !document.getElementById('sheet').hidden").await;
    }
    let step = |n: usize| {
        format!("return document.querySelectorAll('#steps li')[{n}].className === 'now'")
    };
    browser.until(READY).await;
    // Left, undo, right, then undecided to the end.
    let (left, right, down, backspace) = ('\u{e012}', '\u{e014}', '\u{e015}', '\u{e003}');
    browser.key(left).await;
    browser.until(&step(1)).await;
    browser.key(backspace).await;
    browser.until(&step(0)).await;
    browser.key(right).await;
    for n in 1..6 {
        browser.until(&step(n)).await;
        browser.key(down).await;
    }
    let done = "return document.getElementById('progress').textContent.startsWith('1 of ')";
    browser.until(done).await;
    let votes = votes_of(folder.path(), "Zoë");
    assert_eq!(votes.len(), 1);
    let verdict = votes[0].verdict.as_ref().unwrap();
    let right_one = if votes[0].order == "ab" { "b" } else { "a" };
    assert_eq!(verdict["text_asset_alignment"], right_one);
    assert_eq!(verdict["overall"], "tie");
    assert!(votes[0].seconds > 0.0);
    let page = browser.run("return document.documentElement.outerHTML + JSON.stringify(performance.getEntriesByType('resource').map(e => e.name)) + location.href").await;
    let page = page.as_str().unwrap();
    for secret in methods.iter().map(String::as_str).chain(["chair_clean", "vase_", ".glb"]) {
        assert!(!page.contains(secret), "{secret}");
    }
    browser.size(390).await;
    browser.assert_fits("the ballot at 390").await;
    // Every button of the bar can be touched at its middle, wherever the page is scrolled to.
    for place in ["0", "document.body.scrollHeight"] {
        let covered = format!(
            "scrollTo(0, {place}); return [...document.querySelectorAll('#answers button:not([hidden]), #back')].filter(b => {{ \
            const r = b.getBoundingClientRect(); return !b.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)); }}).map(b => b.textContent)"
        );
        assert_eq!(browser.run(&covered).await, json!([]), "at {place}");
    }
    // The report of the same server, with a pair in 3D.
    browser.open(&format!("{}/", served.origin())).await;
    browser.until("return !!document.querySelector('.item .open')").await;
    browser.assert_fits("the served report at 390").await;
    browser.assert_quiet().await;
    let (requests, own) = (browser.requests().await, served.origin());
    let is_own = |r: &&String| [own.as_str(), "data:", "blob:"].iter().any(|o| r.starts_with(o));
    let foreign: Vec<_> = requests.iter().filter(|r| !is_own(r)).collect();
    assert!(!requests.is_empty() && foreign.is_empty(), "{foreign:?}");
}

/// Files of objects are held back, as on a slow line.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_answered_before_it_is_drawn_and_arrow_keys_on_an_object_turn_it() {
    let Some(browser) = Browser::start().await else { return };
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &Plan { people: Vec::new(), ..Plan::small() });
    let served = Served::start(folder.path());
    let hold = "window.hold = () => { window.held = new Promise((go) => { window.letGo = go; }); }; window.hold(); \
        const real = window.fetch; window.fetch = async (url, options) => { if (`${url}`.startsWith('asset/')) await window.held; return real(url, options); };";
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({"source": hold})).await;
    browser.size(1280).await;
    browser.open(&format!("{}/vote", served.origin())).await;
    browser.enter("Zoë").await;
    if !browser.has_webgl().await {
        return;
    }
    let (left, right) = ('\u{e012}', '\u{e014}');
    let step = "return [...document.querySelectorAll('#steps li')].findIndex(li => li.className === 'now')";
    // Each canvas has one colour, or none: nothing of an earlier pair.
    let empty = "return [...document.querySelectorAll('canvas')].every(c => { const t = document.createElement('canvas'); t.width = t.height = 32; \
        const x = t.getContext('2d'); x.drawImage(c, 0, 0, 32, 32); return new Set(new Uint32Array(x.getImageData(0, 0, 32, 32).data.buffer)).size === 1; })";
    let closed = "return !document.getElementById('loading').hidden && document.getElementById('loading').textContent.startsWith('Loading') \
        && [...document.querySelectorAll('#answers button')].every(b => b.disabled)";
    let votes = || votes_of(folder.path(), "Zoë");
    for done in 0..2 {
        assert_eq!(browser.run(empty).await, true);
        assert_eq!(browser.run(closed).await, true);
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(1500) {
            browser.key(left).await;
        }
        browser.run("document.querySelector('[data-choice=left]').click()").await;
        assert_eq!((browser.run(step).await, votes().len()), (0.into(), done));
        let released = Instant::now();
        browser.run("window.letGo(); window.hold()").await;
        browser.until(READY).await;
        assert_eq!(browser.run(empty).await, false);
        if done == 0 {
            let pictures =
                "return [...document.querySelectorAll('canvas')].map(c => c.toDataURL())";
            let before = browser.run(pictures).await;
            browser.run("document.getElementById('left').focus()").await;
            browser.key(right).await;
            let after = browser.run(pictures).await;
            // Both turn, and nothing is answered.
            assert!(before[0] != after[0] && before[1] != after[1]);
            assert_eq!(browser.run(step).await, 0);
            browser.run("document.activeElement.blur()").await;
        }
        browser.vote(left, done + 1).await;
        // The time counts from when both were drawn: the wait is not in it.
        let (seconds, most) = (votes()[done].seconds, released.elapsed().as_secs_f64());
        assert!(seconds > 0.0 && seconds < most, "{seconds} of {most}");
    }
    browser.assert_quiet().await;
}

impl Browser {
    /// Answers every point of the ballot with a key, and waits until so many pairs are done.
    async fn vote(&self, key: char, done: usize) {
        self.until(READY).await;
        let points = self.run("return document.querySelectorAll('#steps li').length").await;
        for n in 0..points.as_u64().unwrap() {
            let step = "return document.querySelectorAll('#steps li')";
            self.until(&format!("{step}[{n}].className === 'now'")).await;
            self.key(key).await;
        }
        let progress = "return document.getElementById('progress').textContent";
        self.until(&format!("{progress}.startsWith('{done} of ')")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_browsers_vote_through_a_proxy_one_is_revoked_and_the_server_is_killed() {
    let (Some(ada), Some(ben)) = tokio::join!(Browser::start(), Browser::start()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan { people: Vec::new(), ..Plan::small() };
    fill(folder.path(), &plan);
    std::fs::write(folder.path().join("consent.txt"), "We keep your votes.").unwrap();
    let inner = free_port();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let outer = proxy(client, inner).await;
    let url = format!("http://127.0.0.1:{outer}/study");
    let tokens = invited(folder.path(), &["Ada", "Ben"], &url);
    let flags = ["--public", "--url", &url, "--consent", "consent.txt"];
    let served = Served::start_with(folder.path(), ".", inner, &flags);
    let left = '\u{e012}';
    let begin = "document.getElementById('enter').requestSubmit()";
    for (browser, token) in [(&ada, &tokens[0]), (&ben, &tokens[1])] {
        browser.size(1280).await;
        browser.open(&format!("{url}/vote#{token}")).await;
        browser
            .until("return document.getElementById('consent-words').textContent === 'We keep your votes.'")
            .await;
        // The link is not left in the address bar.
        assert_eq!(browser.run("return location.hash").await, "");
        browser.run(begin).await;
        browser.until("return !document.getElementById('error').hidden").await;
        browser.run(&format!("document.getElementById('accepts').checked = true; {begin}")).await;
        browser.until("return !document.getElementById('ballot').hidden").await;
    }
    let pressed = "return document.querySelector('[data-tool=bare]')?.getAttribute('aria-pressed')";
    ada.until(READY).await;
    if ada.run(pressed).await == "false" {
        ada.key('n').await;
        assert_eq!(ada.run(pressed).await, "true");
    }
    tokio::join!(ada.vote(left, 1), ben.vote(left, 1));

    // The page goes on asking while the server is away, and the vote counts once.
    served.kill();
    let restart = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        ok(folder.path(), &["raters", ".", "revoke", "Ben"]);
        Served::start_with(folder.path(), ".", inner, &flags)
    };
    let (_served, ()) = tokio::join!(restart, ada.vote(left, 2));
    ben.until(READY).await;
    let points = ben.run("return document.querySelectorAll('#steps li').length").await;
    for _ in 0..points.as_u64().unwrap() {
        ben.key(left).await;
    }
    ben.until("return !document.getElementById('error').hidden").await;
    let pairs = |name: &str| -> Vec<_> {
        let votes = votes_of(folder.path(), name).into_iter();
        votes.map(|v| (v.prompt, v.a.method, v.b.unwrap().method)).collect()
    };
    let (by_ada, by_ben) = (pairs("Ada"), pairs("Ben"));
    assert_eq!((by_ada.len(), by_ben.len()), (2, 1));
    assert_ne!(by_ada[0], by_ada[1]);
    ada.size(390).await;
    ada.assert_fits("the ballot at 390").await;
}
