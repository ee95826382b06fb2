//! The real program: `audit` of judges whose reliability is known, because they are scripted.

use crate::support::assets::{Folder, demo};
use crate::support::judge_server::{Mocks, pictures_of, reply};
use crate::support::program::{Run, Text as _};
use image::GenericImageView;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use wiremock::Request;

/// How the scripted judge goes wrong.
#[derive(Clone, Copy)]
struct Script {
    /// So often, of 100, it names the left object without looking.
    left_percent: f64,
    /// Whether it sees colours; if not, objects of one shape are a tie.
    sees_texture: bool,
    /// On sheets that are narrower it sees nothing: all is a tie.
    needs_px: u32,
}

impl Script {
    /// Right about everything.
    const PERFECT: Self = Self { left_percent: 0.0, sees_texture: true, needs_px: 0 };
}

fn audit(folder: &Folder, args: &str) -> Run {
    let small = match args {
        _ if args.contains("--sheets") || args.starts_with("compare") => "",
        // Its cameras are fixed.
        _ if args.contains("reconstruction") => "--size 64",
        _ => "--size 64 --views 1",
    };
    folder.run(&format!("audit {small} {args}"))
}

/// Hashes of the four quarters of a pair's sheet: colour left and right, normals left and right.
fn quarters(request: &Request) -> (String, u32, [u64; 4]) {
    let body: Value = request.body_json().unwrap();
    let parts = body["messages"][0]["content"].as_array().unwrap();
    let words = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    let sheet = pictures_of(&body).pop().expect("a question has its sheet");
    let (w, h) = (sheet.width() / 2, sheet.height() / 2);
    let quarters = [[0, 0], [w, 0], [0, h], [w, h]].map(|at| hash(&sheet, at, [w, h]));
    (words, sheet.width(), quarters)
}

/// The hash of a part of a picture.
fn hash(picture: &image::DynamicImage, [x, y]: [u32; 2], [width, height]: [u32; 2]) -> u64 {
    let part = picture.view(x, y, width, height).to_image();
    let hash = blake3::hash(part.as_raw());
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap())
}

/// Colour and normals of the undamaged object, by prompt and width of the sheet.
type CleanQuarters = BTreeMap<(String, u32), [u64; 2]>;

/// Knows the undamaged object of each prompt from the first question about it, which sets the
/// object against itself.
async fn judge(script: Script) -> Mocks {
    let clean: Arc<Mutex<CleanQuarters>> = Arc::default();
    let asked = AtomicUsize::new(0);
    let respond = move |request: &Request| {
        let (words, width_px, [left, right, left_shape, right_shape]) = quarters(request);
        let mut known = clean.lock().unwrap();
        let clean = *known.entry((words, width_px)).or_insert([left, left_shape]);
        // Evenly spread over the questions, so that 32 objects get what a long run would give.
        let nth = asked.fetch_add(1, Ordering::SeqCst) as f64;
        let drawn = (nth * 0.618_033_988_749_895).fract() * 100.0;
        let is_same = if script.sees_texture {
            (left, left_shape) == (right, right_shape)
        } else {
            left_shape == right_shape
        };
        let digit = if drawn < script.left_percent {
            1
        } else if is_same || width_px < script.needs_px {
            3
        } else if [left, left_shape] == clean {
            1
        } else {
            2
        };
        let digits = [digit; 6].map(|d| d.to_string()).join(" ");
        reply(&format!("Seen.\n\n{digits}"), "stop")
    };
    Mocks::chat(respond).await
}

/// `audit` of the judge behind that server, kept in `r`. One question at a time, so that the object
/// against itself comes first; the answer is read as text.
fn audit_of(server: &Mocks, folder: &Folder, more: &str) -> Run {
    let judged = format!("--judge openai:scripted --base-url {}", server.base_url());
    audit(folder, &format!("{more} {judged} --concurrency 1 --answers text --run r")).ok()
}

/// The figures of every judge, as the run keeps them.
fn kept(folder: &Folder) -> Value {
    folder.json("r/audit.json")
}

/// The figures of the only judge, and what was printed.
async fn audited(script: Script, args: &str) -> (Value, String) {
    let server = judge(script).await;
    let folder = Folder::new();
    let output = audit_of(&server, &folder, args);
    let page = folder.read("r/audit.html");
    page.must_have("<bdi class=\"name\">openai:scripted</bdi>");
    assert!(!page.contains("http:") && !page.contains("https:"), "nothing from outside");
    (kept(&folder)[0].clone(), output.stdout)
}

fn holds(estimate: &Value, truth: f64) -> bool {
    let [low, high] = ["low", "high"].map(|end| estimate["interval"][end].as_f64().unwrap());
    low <= truth && truth <= high
}

fn finding<'a>(figures: &'a Value, kind: &str, criterion: &str) -> &'a Value {
    let all = figures["findings"].as_array().unwrap();
    let found = all.iter().find(|f| f["kind"] == kind && f["criterion"] == criterion);
    found.unwrap_or_else(|| panic!("{kind} {criterion}: {figures:#}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_known_bias_and_a_known_blindness_are_recovered() {
    let script = Script { left_percent: 30.0, sees_texture: false, ..Script::PERFECT };
    let args = "--kinds slab,stretch,texture-noise --levels 0.5,1 --split all";
    let (figures, said) = audited(script, args).await;
    assert!(figures["warning"].is_null(), "{said}");
    // Right in both orders unless the clean object stands right and is not looked at: 0.7.
    for kind in ["slab", "stretch"] {
        for (_, level) in [(0.5, 0), (1.0, 1)] {
            let accuracy = &finding(&figures, kind, "overall")["accuracy"][level][1];
            assert!(holds(accuracy, 0.7), "{kind}: {accuracy}");
        }
    }
    // Blind: never right where only colours differ, and no level is enough.
    let noise = finding(&figures, "texture-noise", "texture_details");
    let seen = noise["accuracy"][1][1]["value"].as_f64().unwrap();
    assert!(seen < 0.2, "by chance both orders rarely agree: {noise}");
    assert!(noise["threshold"].is_null(), "{noise}");
    // Of answers that name a side: on seen damage left is named in 1 of 1 and 0.3 of 1, on unseen
    // in 0.3 and 0.3, all left. Four seen pairs, two unseen and one with itself make (4 · 1.3 + 3 ·
    // 0.6) / (4 · 2 + 3 · 0.6).
    let left = (4.0 * 1.3 + 3.0 * 0.6) / (4.0 * 2.0 + 3.0 * 0.6);
    assert!(holds(&figures["left"], left), "{left}: {}", figures["left"]);
    said.must_have("left object, among answers that name one");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_always_says_left_is_exposed_in_the_first_line() {
    let script = Script { left_percent: 100.0, ..Script::PERFECT };
    let args = "--kinds slab --levels 1 --objects 4";
    let (figures, said) = audited(script, args).await;
    let first = said.lines().next().unwrap();
    assert!(first.starts_with("openai:scripted: it names the left object in 100 %"), "{said}");
    assert_eq!(figures["consistent"]["value"], 0.0);
    assert_eq!(figures["false_alarms"]["value"], 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_perfect_judge_is_told_so_and_nothing_is_asked_twice() {
    let server = judge(Script::PERFECT).await;
    let folder = Folder::new();
    let args = "--kinds stretch,color-shift --levels 0.5,1 --objects 4 --json";
    let first = audit_of(&server, &folder, args);
    let rows = first.rows();
    let figures = rows.iter().find(|row| row["kind"] == "audit").unwrap();
    for kind in ["stretch", "color-shift"] {
        let found = finding(figures, kind, "overall");
        assert_eq!(found["accuracy"][1][1]["value"], 1.0, "{found}");
        assert!(found["threshold"]["value"].as_f64().unwrap() <= 0.5);
    }
    assert_eq!(figures["false_alarms"]["value"], 0.0);
    let asked = server.received_requests().await.unwrap().len();
    let again = audit_of(&server, &folder, args);
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(server.received_requests().await.unwrap().len(), asked);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said_before_anything_is_asked() {
    let folder = Folder::new();
    for (args, said) in [
        ("--kinds rust", "is not a kind of damage"),
        ("--levels 2", "above 0 up to 1"),
        ("--bases nowhere", "nowhere"),
        ("--rubric category --kinds holes", "is not a kind of damage"),
        ("--kinds wrong-count", "is not a kind of damage"),
        ("--sheets big", "is not a sheet"),
        ("compare nowhere", "nowhere"),
    ] {
        audit(&folder, args).refuses(said);
    }
    let rows = audit(&folder, "--dry-run --json --objects 2").ok().rows();
    // 27 kinds at 3 levels and the object itself, on 2 objects, both orders.
    assert_eq!([&rows[0]["pairs"], &rows[0]["questions"], &rows[1]["questions"]], [164, 328, 328]);
    let rows = audit(&folder, "--dry-run --json --objects 2 --judge openai:gpt-4o").ok().rows();
    let (about, most) = (&rows[1]["cost_usd"], &rows[1]["cost_usd_max"]);
    assert!(rows[1]["input_tokens"].as_u64() > Some(328 * 500), "{}", rows[1]);
    assert!(about.as_f64() > Some(1.0) && about.as_f64() < most.as_f64(), "{}", rows[1]);
    assert!(!folder.join("runs").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_smaller_sheet_costs_is_told_with_its_interval() {
    let script = Script { needs_px: 100, ..Script::PERFECT };
    let server = judge(script).await;
    let folder = Folder::new();
    let args = "--kinds slab,stretch --levels 1 --objects 4 --sheets 1x64,1x32";
    let output = audit_of(&server, &folder, args);
    let figures = kept(&folder);
    let [large, small] = [&figures[0], &figures[1]];
    assert_eq!(large["sheet"], "1 view of 64 px, rgb + normal");
    assert_eq!(small["sheet"], "1 view of 32 px, rgb + normal");
    assert_eq!(large["families"][0]["right"]["value"], 1.0);
    assert_eq!(small["families"][0]["right"]["value"], 0.0);
    assert!(large["against_first_sheet"].as_array().unwrap().is_empty());
    let lost = &small["against_first_sheet"][0];
    assert_eq!(lost["family"], "geometry");
    assert_eq!(lost["difference"]["value"], -1.0);
    output.shows("geometry against the first sheet: -100 points (-100 to ");
}

/// The user's own assets are loaded with the user's axes, which belong to the protocol by which the
/// records of two sheets are distinguished.
#[tokio::test(flavor = "multi_thread")]
async fn sheets_of_assets_with_axes_of_their_own_are_told_apart() {
    let server = judge(Script::PERFECT).await;
    let folder = Folder::new();
    folder.copy(demo("vase_clean.glb"), "bases/vase.glb");
    let protocols = |axes: &str| -> BTreeSet<String> {
        let args = format!("--bases bases --kinds slab --levels 1 --sheets 1x64,1x32 {axes}");
        audit_of(&server, &folder, &args);
        let rows = folder.answers("r");
        rows.iter().map(|row| row["protocol"].to_string()).collect()
    };
    let plain = protocols("");
    std::fs::remove_dir_all(folder.join("r")).unwrap();
    let turned = protocols("--up=+z --front=+y");
    assert_eq!((plain.len(), turned.len()), (2, 2));
    assert!(plain.is_disjoint(&turned), "the axes are part of a row's protocol");
    let figures = kept(&folder);
    let sheets = [&figures[0]["sheet"], &figures[1]["sheet"]];
    assert_eq!(sheets, ["1 view of 64 px, rgb + normal", "1 view of 32 px, rgb + normal"]);
}

/// Scores scenes: the first picture of a prompt is the true one and gets 9, every other one 9 less
/// `drop`.
async fn scorer(drop: f64) -> Mocks {
    let known: Mutex<BTreeMap<String, String>> = Mutex::default();
    let respond = move |request: &Request| {
        let body: Value = request.body_json().unwrap();
        let parts = body["messages"][0]["content"].as_array().unwrap();
        let said = |pointer: &str| -> String {
            parts.iter().filter_map(|part| part.pointer(pointer)?.as_str()).collect()
        };
        let (words, picture) = (said("/text"), said("/image_url/url"));
        let mut known = known.lock().unwrap();
        let is_true = *known.entry(words.clone()).or_insert(picture.clone()) == picture;
        let score = if is_true { 9.0 } else { 9.0 - drop };
        let mut answer = json!({"overall_score": score});
        for key in ASPECTS.iter().filter(|key| words.contains(**key)) {
            answer[*key] = json!({"score": score, "explanation": "seen"});
        }
        reply(&answer.to_string(), "stop")
    };
    Mocks::chat(respond).await
}

/// All aspects of the category rubric.
const ASPECTS: [&str; 17] = [
    "object_completeness",
    "detectability",
    "occlusion_handling",
    "separation_clarity",
    "individual_completeness",
    "relationship_accuracy",
    "count_accuracy",
    "object_uniformity",
    "spatial_legibility",
    "color_fidelity",
    "contrast_effectiveness",
    "multi_object_consistency",
    "position_accuracy",
    "occlusion_management",
    "perspective_consistency",
    "attribute_binding",
    "material_consistency",
];

#[tokio::test(flavor = "multi_thread")]
async fn scenes_are_scored_as_they_are_and_with_their_prompt_made_untrue() {
    // A quarter of a point is a tie.
    for (drop, right) in [(4.0, 1.0), (0.25, 0.0), (0.0, 0.0)] {
        let server = scorer(drop).await;
        let folder = Folder::new();
        audit_of(&server, &folder, "--rubric category --levels 0.5,1");
        let figures = kept(&folder);
        let figures = &figures[0];
        assert_eq!(figures["num_bases"], 36);
        for (kind, criterion) in [
            ("covered", "occlusion_handling"),
            ("merged", "separation_clarity"),
            ("wrong-size", "relationship_accuracy"),
            ("wrong-count", "count_accuracy"),
            ("wrong-color", "color_fidelity"),
            ("wrong-place", "position_accuracy"),
            ("swapped-colors", "attribute_binding"),
        ] {
            let found = finding(figures, kind, criterion);
            assert_eq!(found["accuracy"][1][1]["value"], right, "{found}");
            assert_eq!(found["drops"][1][1], drop, "{found}");
            assert!(found["amounts"][1][1].as_f64().unwrap() > 0.0);
        }
        // A judge that lowers everything also lowers what must stay.
        let spared = figures["sparings"].as_array().unwrap();
        assert_eq!(spared.len(), 7);
        assert!(spared.iter().all(|s| s["left_alone"]["value"] == 1.0 - right));
        assert!(figures["left"].is_null(), "scores have no sides");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_probe_finds_what_is_plain_in_scenes_and_answers_every_question() {
    let folder = Folder::new();
    let args =
        "--rubric category --levels 1 --kinds merged,wrong-place,wrong-count,wrong-color --run r";
    audit(&folder, args).ok();
    let figures = kept(&folder);
    for (kind, criterion) in [
        ("wrong-place", "position_accuracy"),
        ("wrong-count", "count_accuracy"),
        ("wrong-color", "color_fidelity"),
    ] {
        let found = finding(&figures[0], kind, criterion);
        assert_eq!(found["accuracy"][0][1]["value"], 1.0, "{found}");
    }
    // One piece can be two objects that touch, or one that is missing.
    let merged = finding(&figures[0], "merged", "separation_clarity");
    assert_eq!(merged["undecided"]["value"], 1.0, "{merged}");
    let page = folder.read("r/audit.html");
    page.must_have([
        "of scene damage, and wrong on ",
        "scenes, each scored with a true prompt and with a false one.",
    ]);
    assert!(!page.contains("decided no question"));
}

#[tokio::test(flavor = "multi_thread")]
async fn harmless_changes_of_fresh_objects_raise_no_alarm() {
    let folder = Folder::new();
    audit(&folder, "--fresh 3 --seed 9 --kinds harmless --levels 1 --run r").ok();
    let figures = kept(&folder);
    assert_eq!(figures[0]["num_bases"], 3);
    assert_eq!(figures[0]["false_alarms"]["value"], 0.0);
    // What must not move is shown.
    folder.read("r/audit.html").must_have(["raises a false alarm on 0", "reordered"]);
    audit(&folder, "--fresh 3 --split fit").ends(2);
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_stand_side_by_side_and_a_benchmark_cites_them() {
    let folder = Folder::new();
    for (run, kinds) in [("one", "holes,slab"), ("two", "blur")] {
        let args = format!("--kinds {kinds} --levels 1 --objects 2 --split fit --run {run}");
        audit(&folder, &args).ok();
    }
    audit(&folder, "compare one two --out both.html").ok();
    folder.read("both.html").must_have(["probe (one)", "probe (two)"]);
    let figures = folder.json("both.json");
    let runs = [&figures[0]["run"], &figures[1]["run"]];
    assert_eq!(runs, ["one", "two"]);

    let generators = ["clean", "damaged"].map(|name| {
        let path = demo(&format!("vase_{name}.glb"));
        format!("[[generators]]\nname = {name:?}\npath = {path:?}\n")
    });
    let generators = generators.concat();
    let bench = |audits: &str| {
        let text = format!(
            "name = \"two\"\nprompts = [\"a vase\"]\naudits = [{audits:?}]\n[pictures]\nsize_px = 64\nviews = 1\n{generators}"
        );
        folder.write("bench.toml", text);
    };
    bench("bench.toml");
    folder.run("bench bench.toml --run b").refuses("is not an audit");
    bench("one/audit.json");
    let output = folder.ok("bench bench.toml --run b");
    let cited = "geometry damage that it claims to see from level 0.5: right 100 %";
    let rated = folder.run("rate b");
    for said in [output.stdout, rated.stdout] {
        said.must_have(["reliability of probe, from its audit", cited, "holes of 0."]);
    }
    folder.read("b/report.html").must_have(cited);
}

/// Hashes of the photo, and of the left and right half of the sheet.
fn photo_and_halves(request: &Request) -> [u64; 3] {
    let pictures = pictures_of(&request.body_json().unwrap());
    let [photo, sheet] = pictures.as_slice() else { panic!("{} pictures", pictures.len()) };
    let half = [sheet.width() / 2, sheet.height()];
    let photo = hash(photo, [0, 0], [photo.width(), photo.height()]);
    [photo, hash(sheet, [0, 0], half), hash(sheet, [half[0], 0], half)]
}

/// Answers with the digit that `digit` makes of a photo and two halves.
async fn judge_with_photos(digit: impl Fn([u64; 3]) -> u8 + Send + Sync + 'static) -> Mocks {
    Mocks::chat(move |request: &Request| {
        let digits = [digit(photo_and_halves(request)); 7].map(|d| d.to_string());
        reply(&format!("Seen.\n\n{}", digits.join(" ")), "stop")
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_does_not_look_at_the_photo_is_exposed_in_the_first_line() {
    let args = "--rubric pairwise-image --kinds slab --levels 1 --objects 2";
    // Prefers the same object whatever the photo shows, and notes which photo goes with which
    // object.
    let objects: Arc<Mutex<BTreeMap<u64, u64>>> = Arc::default();
    let noted = Arc::clone(&objects);
    let blind = judge_with_photos(move |[photo, left, right]| {
        if left == right {
            noted.lock().unwrap().insert(photo, left);
        }
        match left.cmp(&right) {
            std::cmp::Ordering::Less => 1,
            std::cmp::Ordering::Equal => 3,
            std::cmp::Ordering::Greater => 2,
        }
    })
    .await;
    let folder = Folder::new();
    let said = audit_of(&blind, &folder, args).stdout;
    said.lines().next().unwrap().must_have("it is not looking at the photo");
    assert_eq!(kept(&folder)[0]["photo_seen"]["value"], 0.0);
    let objects = objects.lock().unwrap().clone();
    assert_eq!(objects.len(), 2, "a photo of each object");
    let seeing = judge_with_photos(move |[photo, left, right]| {
        let shown = objects[&photo];
        match (left == shown, right == shown) {
            (true, false) => 1,
            (false, true) => 2,
            _ => 3,
        }
    })
    .await;
    let folder = Folder::new();
    let said = audit_of(&seeing, &folder, args).stdout;
    let figures = kept(&folder)[0].clone();
    assert_eq!(figures["photo_seen"]["value"], 1.0, "{said}");
    assert!(figures["warning"].is_null(), "{said}");
    let fidelity = finding(&figures, "slab", "geometry_fidelity");
    assert_eq!(fidelity["accuracy"][0][1]["value"], 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_scores_without_the_photo_is_exposed_too() {
    // The second judge knows that an object comes with the photo of another first, then with its
    // own.
    let seen: Mutex<Vec<u64>> = Mutex::default();
    let server = Mocks::chat(move |request: &Request| {
        let body: Value = request.body_json().unwrap();
        let pictures = pictures_of(&body);
        assert_eq!(pictures.len(), 4);
        let object = hash(&pictures[3], [0, 0], [pictures[3].width(), pictures[3].height()]);
        let score = if body["model"] == "seeing" {
            let mut seen = seen.lock().unwrap();
            let is_known = seen.contains(&object);
            seen.push(object);
            if is_known { 3 } else { 1 }
        } else {
            1 + object % 3
        };
        reply(&format!("Seen.\n\n{score}"), "stop")
    })
    .await;
    let folder = Folder::new();
    let args = "--rubric reconstruction --kinds slab --levels 1 --objects 2";
    let seeing = "--judge openai:seeing";
    let said = audit_of(&server, &folder, &format!("{args} {seeing}")).stdout;
    said.lines().next().unwrap().must_have("it is not looking at the photo");
    let figures = kept(&folder);
    assert_eq!(figures[0]["photo_seen"]["value"], 0.0);
    assert_eq!(figures[1]["photo_seen"]["value"], 1.0, "{said}");
    assert_eq!(finding(&figures[1], "slab", "score")["accuracy"][0][1]["value"], 1.0, "{said}");
}

/// The offline judge looks at the photo, and gives damaged objects a lower score.
#[test]
fn the_offline_judge_scores_objects_by_their_photos() {
    let folder = Folder::new();
    let args = "--rubric reconstruction --kinds slab --levels 1 --objects 2";
    let said = audit(&folder, &format!("{args} --run r")).ok().stdout;
    let figures = kept(&folder)[0].clone();
    assert_eq!(figures["photo_seen"]["value"], 1.0, "{said}");
    assert_eq!(finding(&figures, "slab", "score")["wrong"]["value"], 0.0, "{said}");
    said.must_have("scores higher with its photo");
}

/// All that is broken at once, and nothing is asked.
#[test]
fn clean_assets_that_cannot_be_read_are_all_named() {
    let place = Folder::new();
    place.copy(demo("vase_clean.glb"), "bases/vase.glb");
    place.write("bases/a.glb", "");
    place.write("bases/z.obj", "");
    let named = ["2 of 3 clean assets cannot be read", "a.glb", "z.obj"];
    place.run("audit --bases bases --run r").says(named);
}
