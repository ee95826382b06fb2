//! `report`: one file that asks for nothing from outside, in which hostile text stays text, and the
//! same run gives the same bytes.

use crate::support::program::meshjudge;
use crate::support::runs::{Plan, fill};
use meshjudge::unstable::options::RatingOptions;
use meshjudge::unstable::report::{
    Detail, GalleryPlace, Page, PictureCount, RunReport, boards_csv, boards_json, boards_markdown,
    result_rows, results_text, write_page,
};
use meshjudge::unstable::results::{RateSettings, Voice};
use meshjudge::unstable::store::{PairResult, Store};
use serde_json::Value;
use std::path::Path;

const HOSTILE: &str = "</script><img src=x onerror=alert(1)><!--\u{0}\u{1b}[2J\u{202e}| ` & \" ' {{ 7*7 }} {% raw %} \u{2028}";

fn report(folder: &Path) -> RunReport {
    let folders = [folder.to_path_buf()];
    RunReport::read(&folders, &RateSettings::default(), GalleryPlace::BySize).unwrap()
}

fn html(folder: &Path) -> String {
    write_page(&report(folder), Page::File(PictureCount::default())).unwrap()
}

fn filled(plan: &Plan) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), plan);
    folder
}

/// The text between `<script type="application/json" id=…>` and its end.
fn json_in(page: &str, id: &str) -> Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let from = page.find(&start).unwrap() + start.len();
    let text = &page[from..from + page[from..].find("</script>").unwrap()];
    serde_json::from_str(text).unwrap()
}

#[test]
fn the_page_says_who_is_first_and_shows_every_part() {
    let folder = filled(&Plan::small());
    let page = html(folder.path());
    for part in [
        "3 generators on 6 prompts",
        "No clear winner: the rank ranges of all 3 generators overlap; ",
        "has the highest rating overall (",
        "Win matrix",
        "right bias",
        "asked in both orders",
        "vision-large-2026-09",
        "human:Ada",
        "judged by <bdi>people</bdi>",
        "<bdi>one person</bdi></th><td><bdi>another</bdi>",
        "the file ends in the middle of a triangle",
        "id=\"words-0\"",
        "data:image/",
        "class=\"whisker\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let data = json_in(&page, "data");
    // 3 pairs on each prompt, less those with a missing asset.
    let pairs = Store::read(folder.path()).unwrap().pairs().unwrap();
    let asked = pairs.iter().filter(|p| p.result == PairResult::Asked).count();
    assert_eq!(data["numItems"], asked);
    assert_eq!(json_in(&page, "items-0").as_array().unwrap().len(), asked);
    assert!(!json_in(&page, "pictures").as_object().unwrap().is_empty());
    // Six criteria of the model and of people, and five of the probe, which cannot read the prompt.
    assert_eq!(report(folder.path()).results.boards.len(), 17);
}

#[test]
fn hostile_text_stays_text() {
    let mut plan = Plan::small();
    plan.methods[1] = HOSTILE.to_owned();
    plan.prompts[2] = format!("{HOSTILE}{}", "é".repeat(10_000));
    plan.people[0] = HOSTILE.to_owned();
    plan.words = HOSTILE.repeat(50);
    let folder = filled(&plan);
    let page = html(folder.path());
    assert!(!page.contains("<img src=x"), "an element of the run's own");
    assert!(!page.contains("<!--"), "a comment would hide what follows");
    assert!(!page.contains('\u{0}') && !page.contains('\u{1b}'), "control characters");
    assert!(page.contains("&lt;&#x2f;script&gt;&lt;img src=x"), "escaped and still readable");
    assert!(page.contains("{{ 7*7 }}"), "no template in the data");
    // As many scripts as we wrote: the data, the pictures, the items, the words, and the one that
    // runs.
    let opened = page.matches("<script").count();
    let chunks = page.matches("id=\"words-").count() + page.matches("id=\"items-").count();
    assert_eq!((opened, page.matches("</script>").count()), (3 + chunks, 3 + chunks));
    for id in ["data", "pictures", "items-0", "words-0"] {
        json_in(&page, id);
    }
    let markdown = boards_markdown(&report(folder.path()));
    assert!(!markdown.contains("<img") && !markdown.contains('\u{1b}'));
    let width = |line: &str| line.replace("\\|", "").matches('|').count();
    let table: Vec<&str> = markdown.lines().filter(|l| l.starts_with('|')).collect();
    assert!(table.len() > 10 && table.iter().all(|line| line.ends_with('|')));
    let is_head = |l: &&str| ["criterion", "judge", "generator"].iter().any(|it| l.contains(it));
    assert!(table.windows(2).all(|w| width(w[0]) == width(w[1]) || w.iter().any(is_head)));
}

#[test]
fn nothing_is_asked_from_outside() {
    let folder = filled(&Plan::small());
    let page = html(folder.path());
    let policy = "Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-";
    assert!(page.contains(policy));
    let links =
        ["http://", "https://", "//cdn", "@import", "url(", "<link rel=\"stylesheet", "<iframe"];
    for link in links {
        assert!(!page.contains(link), "{link}");
    }
    assert!(!page.contains(&*folder.path().to_string_lossy()), "no path of this machine");
    // Style attributes and handlers would not pass the policy.
    assert!(!page.contains(" style=") && !page.contains(" onclick="));
}

#[test]
fn the_same_run_gives_the_same_bytes_whole_and_in_its_folder() {
    let folder = filled(&Plan::small());
    meshjudge(folder.path(), &["report", "."]).ok();
    let first = std::fs::read(folder.path().join("report.html")).unwrap();
    assert_eq!(meshjudge(folder.path(), &["report", "."]).code, Some(0));
    assert!(first == std::fs::read(folder.path().join("report.html")).unwrap());
    assert!(!folder.path().join("report.html.part").exists());
    meshjudge(folder.path(), &["report", ".", "--out", "none.html", "--pictures", "none"]).ok();
    let none = std::fs::read_to_string(folder.path().join("none.html")).unwrap();
    assert!(!none.contains("data:image/") && none.len() < first.len());
    for (args, part) in [
        (
            &["report", ".", "--out", "a.docx"][..],
            "use .html, .md, .json, .csv, .tex, .bib or .svg",
        ),
        (&["report", "nowhere"], "there is no run here"),
        (&["report", ".", "--anchor", "nobody"], "not among"),
        (&["report", ".", "--out", "none.html/folder.html"], "cannot write the report"),
    ] {
        let out = meshjudge(folder.path(), args);
        let said = out.stderr;
        assert_eq!(out.code, Some(2), "{said}");
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn the_boards_are_the_same_in_every_form() {
    let folder = filled(&Plan::small());
    let report = report(folder.path());
    let json = boards_json(&report);
    let csv = boards_csv(&report);
    let markdown = boards_markdown(&report);
    let boards = json["results"]["boards"].as_array().unwrap();
    let lines: usize = boards.iter().map(|b| b["board"]["lines"].as_array().unwrap().len()).sum();
    assert_eq!(csv.lines().count(), 1 + lines);
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == columns));
    let headings = markdown.lines().filter(|l| l.starts_with("## ") && l.contains("judged by"));
    assert_eq!(headings.count(), boards.len());
    assert!(json["answer"].as_str().unwrap().starts_with("No clear winner: "));
    assert_eq!(json["provenance"]["rubrics"][0][0], "pairwise");
}

#[test]
fn what_people_prefer_stands_beside_the_boards_where_it_is_asked_for() {
    let folder = filled(&Plan::small());
    let folders = [folder.path().to_path_buf()];
    let (anchor, bootstraps) = (Some("people".to_owned()), Some(100));
    let asked = RatingOptions { anchor, bootstraps, ..RatingOptions::default() };
    let settings = RateSettings::of(&asked, &folders).unwrap();
    assert!(settings.anchored && settings.anchor.is_none() && settings.replicates == 100);
    let report = RunReport::read(&folders, &settings, GalleryPlace::BySize).unwrap();
    let (anchored, boards) = (&report.results.anchored, &report.results.boards);
    let of_people = boards.iter().filter(|b| b.key.voice == Voice::People).count();
    assert_eq!(anchored.len(), of_people);
    // The probe is no judge of what people prefer, next to a model.
    assert!(anchored.iter().all(|on| on.judges.len() == 1 && on.board.num_prompts == 6));
    let page = write_page(&report, Page::File(PictureCount::default())).unwrap();
    let shown = results_text(&report.results, Detail::Full);
    let markdown = boards_markdown(&report);
    for text in [&page, &shown, &markdown] {
        for part in ["adds as much as about", "50 more votes on random pairs", "anchored in"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    let rows = result_rows(&report.results);
    let row = rows.iter().find(|row| row["kind"] == "anchored").unwrap();
    assert!(row["low"].as_f64() < row["rating"].as_f64() && row["rank_all_high"].is_u64(), "{row}");
    assert!(!html(folder.path()).contains("Anchored ratings"));

    // Too few votes: said, and both boards are separate.
    let folder = filled(&Plan { people: Vec::new(), ..Plan::small() });
    let report =
        RunReport::read(&[folder.path().to_path_buf()], &settings, GalleryPlace::BySize).unwrap();
    assert!(report.results.anchored.is_empty() && !report.results.boards.is_empty());
    let shown = results_text(&report.results, Detail::Full);
    assert!(shown.contains("no anchored ratings: nobody voted"), "{shown}");
}

#[test]
fn a_run_without_a_verdict_has_a_page_that_says_so() {
    let folder = filled(&Plan { methods: vec!["only".to_owned()], ..Plan::small() });
    let page = html(folder.path());
    assert!(page.contains("Nothing is rated"));
    assert!(page.contains("0 pairs"));
}

/// For looking at the page:
/// `MESHJUDGE_LOOK_AT=/tmp/run cargo test --test report page:: -- --ignored`.
#[test]
#[ignore = "fills a folder for a person to look at"]
fn fill_a_run_to_look_at() {
    let folder = std::path::PathBuf::from(std::env::var_os("MESHJUDGE_LOOK_AT").expect("a folder"));
    let plan = Plan {
        methods: ["meshforge-2", "text2shape", "lumen3d", "voxelcraft", "نموذج-٣"].map(str::to_owned).to_vec(),
        prompts: [
            "a wooden chair with a woven seat", "a tall blue vase with a narrow neck", "a red armchair, carved legs",
            "a glazed jug with a handle and a chip on its rim", "a bar stool", "an urn", "a rocking chair on a striped rug, late afternoon",
            "كرسي خشبي صغير", "a stool with three legs", HOSTILE, "a folding chair", "a porcelain vase painted with cranes",
        ].map(str::to_owned).to_vec(),
        people: vec!["Ada".to_owned(), "Ben".to_owned()],
        draws: true,
        words: "For the match with the prompt I looked at each named part. The left object has all of them, the right one lacks a leg.".to_owned(),
    };
    fill(&folder, &plan);
}

#[test]
fn a_gallery_beside_the_page_holds_the_same_items_and_words_as_one_inside() {
    let folder = filled(&Plan::small());
    let report = |gallery: &str, out: &str| {
        let args = ["report", ".", "--gallery", gallery, "--out", out];
        assert_eq!(meshjudge(folder.path(), &args).code, Some(0));
        std::fs::read_to_string(folder.path().join(out)).unwrap()
    };
    let inside = report("inside", "inside.html");
    let beside = report("beside", "beside.html");
    assert!(beside.len() < inside.len(), "{} bytes", beside.len());
    assert!(!beside.contains("id=\"items-0\"") && !beside.contains("data:image/"));
    assert!(beside.contains("script-src 'sha256-") && beside.contains("'self' file:;"));
    assert!(!inside.contains("file:"));
    let part = |name: &str| -> Value {
        let path = folder.path().join("beside.files").join(format!("{name}.js"));
        let script = std::fs::read_to_string(path).unwrap();
        let start = format!("meshjudgePart(\"{name}\", ");
        let json = script.strip_prefix(&start).unwrap().strip_suffix(");\n").unwrap();
        serde_json::from_str(json).unwrap()
    };
    for name in ["items-0", "words-0"] {
        assert_eq!(part(name), json_in(&inside, name), "{name}");
    }
    let pictures = json_in(&beside, "pictures");
    let pictures = pictures.as_object().unwrap();
    assert!(!pictures.is_empty());
    for picture in pictures.values() {
        assert!(folder.path().join(picture["src"].as_str().unwrap()).is_file());
    }
}

/// All files below a folder, by their path in it.
fn files(folder: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(place) = open.pop() {
        for entry in std::fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_bundle_is_a_site_of_relative_links_in_which_raters_are_numbers() {
    let run = filled(&Plan::small());
    let place = tempfile::tempdir().unwrap();
    let run = run.path().to_str().unwrap();
    let args = ["report", run, "--bundle", "site", "--pictures", "4", "--json"];
    let said = meshjudge(place.path(), &args).ok().rows_of("bundle");
    let site = place.path().join("site");
    let found = files(&site);
    let bytes: usize = found.values().map(Vec::len).sum();
    let stated = ["files", "bytes", "lacking"].map(|key| said[0][key].as_u64());
    assert_eq!(stated, [found.len(), bytes, 0].map(|count| Some(count as u64)));
    let text = |name: &str| String::from_utf8_lossy(&found[name]).into_owned();
    let page = text("index.html");
    for part in [
        "human:rater-1",
        "src=\"static/report3d.js\"",
        "./viewer/build/three.module.min.js",
        "connect-src 'self' data: blob:",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for (name, bytes) in &found {
        let text = String::from_utf8_lossy(bytes);
        let is_ours = !name.starts_with("viewer/");
        for hidden in ["human:Ada", "human:Ben", run] {
            assert!(!text.contains(hidden), "{name} has {hidden}");
        }
        for outside in
            ["src=\"http", "href=\"http", "src=\"/", "href=\"/", "fetch(\"http", "import(\"http"]
        {
            assert!(!is_ours || !text.contains(outside), "{name} has {outside}");
        }
    }
    // What the gallery names is there to be turned.
    let part = text("part/items-0.js");
    let assets: Vec<&String> = found.keys().filter(|name| name.starts_with("asset/")).collect();
    assert!(assets.len() >= 2 && said[0]["assets"] == assets.len());
    for name in assets {
        assert!(found[name].starts_with(b"glTF"), "{name}");
        assert!(part.contains(name.strip_prefix("asset/").unwrap()), "{name}");
    }
    assert!(found.keys().any(|name| name.starts_with("part/") && !name.ends_with(".js")));
    // Written again, it is the same; a folder with something else in it stays as it is.
    meshjudge(place.path(), &args).ok();
    assert!(files(&site) == found, "the same bytes");
    std::fs::create_dir(place.path().join("mine")).unwrap();
    std::fs::write(place.path().join("mine/thesis.tex"), "x").unwrap();
    let refused = meshjudge(place.path(), &["report", run, "--bundle", "mine"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("not part of a report bundle"), "{}", refused.stderr);
    assert_eq!(files(&place.path().join("mine")).len(), 1);
}

#[test]
fn a_paper_says_that_judges_were_asked_in_both_orders_and_people_once() {
    let run = filled(&Plan::small());
    let place = tempfile::tempdir().unwrap();
    let run = run.path().to_str().unwrap();
    meshjudge(place.path(), &["report", run, "--out", "board.tex"]).ok();
    let text = std::fs::read_to_string(place.path().join("board.tex")).unwrap();
    let before = text.split("Every pair was asked in both orders").next().unwrap();
    assert!(!before.contains("human:"), "{text}");
    assert!(text.contains("2 people gave"), "{text}");
    assert!(text.contains("a person sees a pair once, with the sides drawn at random"), "{text}");
    assert!(!text.contains("human:Ada"), "{text}");
}
