//! Every page under axe-core, whose file `MESHJUDGE_AXE` names: no violation that is serious or
//! critical, in light and in dark.

use crate::driven::Browser;
use crate::support::judge_server::{ChatServer, reply};
use crate::support::program::{meshjudge, ok};
use crate::support::runs::{Plan, fill};
use crate::support::served::Served;
use serde_json::{Value, json};

/// The serious violations of the open page: rule and first element of each.
async fn violations(browser: &Browser, axe: &str, what: &str) -> Vec<Value> {
    browser.run(axe).await;
    browser
        .run("window.found = null; axe.run(document, { resultTypes: ['violations'] }).then((r) => { window.found = r; });")
        .await;
    browser.until("return window.found !== null").await;
    let passed = browser.run("return window.found.passes.length").await;
    assert!(passed.as_u64().unwrap() > 8, "{what}: only {passed} rules applied");
    let serious = "return window.found.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)])";
    browser.run(serious).await.as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_has_a_serious_violation_in_light_or_dark() {
    let Some(axe) = std::env::var_os("MESHJUDGE_AXE") else {
        eprintln!("left out: MESHJUDGE_AXE is not set");
        return;
    };
    let Some(browser) = Browser::start().await else { return };
    let axe = std::fs::read_to_string(&axe).unwrap_or_else(|e| panic!("{e}: {axe:?}"));
    let place = tempfile::tempdir().unwrap();
    for run in ["before", "after"] {
        fill(&place.path().join(run), &Plan::small());
    }
    ok(place.path(), &["report", "after"]);
    ok(place.path(), &["diff", "before", "after", "--out", "diff.html"]);
    // One that mistakes the damaged object for the better one, so that the page has wrong answers.
    let server = ChatServer::start(|n| {
        reply(if n % 2 == 0 { "2 2 2 2 2 2" } else { "1 1 1 1 1 1" }, "stop")
    })
    .await;
    let url = server.base_url();
    let mut audit = vec!["audit", "--objects", "1", "--kinds", "holes,blur", "--levels", "1"];
    audit.extend(["--size", "64", "--views", "1", "--run", "audit", "--concurrency", "1"]);
    audit.extend(["--judge", "openai:m", "--base-url", &url]);
    meshjudge(place.path(), &audit);
    let served = Served::start(&place.path().join("after"));
    let file = |name: &str| format!("file://{}", place.path().join(name).display());
    let pages = [
        ("report", file("after/report.html")),
        ("diff", file("diff.html")),
        ("audit", file("audit/audit.html")),
        ("ballot", format!("{}/vote", served.origin())),
    ];
    for (what, address) in &pages {
        for scheme in ["light", "dark"] {
            let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
            browser.cdp("Emulation.setEmulatedMedia", json!({ "features": features })).await;
            browser.size(1280).await;
            browser.open(address).await;
            if *what == "report" {
                browser.until("return document.querySelectorAll('article.item').length > 0").await;
            }
            let found = violations(&browser, &axe, what).await;
            assert!(found.is_empty(), "{what}, {scheme}: {found:?}");
            if *what == "ballot" {
                browser.enter("Ada").await;
                let found = violations(&browser, &axe, what).await;
                assert!(found.is_empty(), "{what} with a pair, {scheme}: {found:?}");
            }
        }
    }
    // Red where there is something to find.
    browser.open(&pages[0].1).await;
    browser
        .run("const main = document.querySelector('main'), p = document.createElement('p'); p.textContent = 'grey on grey'; p.style.color = '#777'; p.style.background = '#888'; main.prepend(p, new Image());")
        .await;
    let planted = violations(&browser, &axe, "a planted fault").await;
    for rule in ["color-contrast", "image-alt"] {
        assert!(planted.iter().any(|found| found[0] == rule), "{rule}: {planted:?}");
    }
}
