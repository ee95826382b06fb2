//! Fills a run folder as a benchmark would: methods × prompts, two judges with every kind of
//! outcome, people, missing assets.

use super::assets::{demo, demo_scene};
use meshjudge::unstable::judge::{
    Asset, Endpoint, Evidence, Judge, ModelSpec, OpenSettings, Picture, Question, Reply, Route,
    Usage,
};
use meshjudge::unstable::load::{Options, load};
use meshjudge::unstable::rate::Random;
use meshjudge::unstable::render::{Channel, Image, PixelFormat, ProtocolRecord, Settings, draw};
use meshjudge::unstable::rig::Rig;
use meshjudge::unstable::rubric::{Finish, Order, Outcome, ReplyText, Rubric, Winner};
use meshjudge::unstable::sheet::pair;
use meshjudge::unstable::store::{
    Attempt, FailedAt, Made, PairResult, PlannedPair, Rater, Request, Store, Vote,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The content of a run.
pub struct Plan {
    pub methods: Vec<String>,
    pub prompts: Vec<String>,
    /// Names of people who vote on some pairs.
    pub people: Vec<String>,
    /// Whether the sheets are of the real demo objects, or plain small pictures.
    pub draws: bool,
    /// Put before every reply of the model.
    pub words: String,
}

impl Plan {
    pub fn small() -> Self {
        Self {
            methods: ["alpha", "beta", "gamma"].map(str::to_owned).to_vec(),
            prompts: (0..6).map(|i| format!("thing number {i}")).collect(),
            people: vec!["Ada".to_owned(), "Ben".to_owned()],
            draws: false,
            words: "The left object is plain. The right one is not.".to_owned(),
        }
    }
}

const FILES: [&str; 4] =
    ["chair_clean.glb", "chair_damaged.glb", "vase_clean.glb", "vase_damaged.glb"];

/// The demo object that a method "made" of a prompt.
fn asset(plan: &Plan, hashes: &[String], method: usize, prompt: usize) -> (Asset, usize) {
    // The better half of the methods makes clean objects.
    let file = 2 * (prompt % 2) + usize::from(method >= plan.methods.len() / 2);
    let asset = Asset {
        path: demo(FILES[file]).display().to_string(),
        hash: hashes[file].clone(),
        method: plan.methods[method].clone(),
    };
    (asset, file)
}

fn model() -> Judge {
    let spec = ModelSpec { route: Route::Chat, model: "vision-large".to_owned() };
    let address = Some("http://127.0.0.1:9/v1");
    Judge::Model(Arc::new(Endpoint::new(&spec, address, None, &OpenSettings::default()).unwrap()))
}

fn sheet(plan: &Plan, left: usize, right: usize, tint: u8) -> Picture {
    if !plan.draws {
        let color = [90 + 40 * left as u8, 90 + 40 * right as u8, tint];
        let mut image = Image::filled(64, 32, PixelFormat::Rgb8, &color);
        image.pixels[0] = tint;
        return Picture::from_image(&image).unwrap();
    }
    let channels = [Channel::Rgb, Channel::Normal];
    let frames = |file: usize| {
        let scene = demo_scene(FILES[file]);
        let rig = Rig::builtin("ring").unwrap().with_views(&[0, 3, 6, 9]);
        let channels = channels.to_vec();
        let settings = Settings { width_px: 256, height_px: 256, channels, ..Settings::default() };
        draw(&scene, &rig, &settings).unwrap()
    };
    let image = pair(&frames(left), &frames(right), &channels, None).unwrap();
    Picture::from_image(&image).unwrap()
}

/// Fills `folder`; the same plan gives the same answers, at the same times.
pub fn fill(folder: &Path, plan: &Plan) {
    let mut store = Store::open(folder).unwrap();
    let mut config = toml::Table::new();
    config.insert("command".to_owned(), "bench".into());
    store.keep_config(&config).unwrap();
    let hashes: Vec<String> =
        FILES.iter().map(|f| load(&demo(f), &Options::default()).unwrap().hash).collect();
    let rubric = Arc::new(Rubric::open("pairwise").unwrap());
    let protocol = Arc::new(ProtocolRecord { hash: "p".repeat(64), json: "{}".to_owned() });
    let judges = [model(), Judge::Probe];
    let mut random = Random::new(7, 0);
    let mut at = 1_795_255_435_u64;
    let mut pictures: BTreeMap<(usize, usize, u8), Picture> = BTreeMap::new();
    for (p, prompt) in plan.prompts.iter().enumerate() {
        for (m, method) in plan.methods.iter().enumerate() {
            let fails = (m + 5 * p) % 17 == 16;
            let stage = [FailedAt::Generate, FailedAt::Load, FailedAt::Draw][m % 3];
            let (asset, _) = asset(plan, &hashes, m, p);
            store
                .keep_made(&[Made {
                    method: method.clone(),
                    prompt_id: format!("p{p}"),
                    seed: 0,
                    prompt: prompt.clone(),
                    path: Some(asset.path),
                    hash: Some(asset.hash),
                    file_bytes: None,
                    file_modified_ns: None,
                    seconds: Some(2.0 + m as f64),
                    failure: fails
                        .then(|| (stage, "the file ends in the middle of a triangle".to_owned())),
                    photo: None,
                }])
                .unwrap();
        }
        for i in 0..plan.methods.len() {
            for j in i + 1..plan.methods.len() {
                let missing = [i, j].map(|m| (m + 5 * p) % 17 == 16);
                let result = match missing {
                    [false, false] => PairResult::Asked,
                    [false, true] => PairResult::AByForfeit,
                    [true, false] => PairResult::BByForfeit,
                    [true, true] => PairResult::LeftOut,
                };
                store
                    .keep_pairs(&[PlannedPair {
                        rubric: "pairwise".to_owned(),
                        prompt_id: format!("p{p}"),
                        prompt: prompt.clone(),
                        seed: 0,
                        a: plan.methods[i].clone(),
                        b: plan.methods[j].clone(),
                        result,
                    }])
                    .unwrap();
                if result != PairResult::Asked {
                    continue;
                }
                let ((a, fa), (b, fb)) = (asset(plan, &hashes, i, p), asset(plan, &hashes, j, p));
                for order in Order::BOTH {
                    let (left, right) = if order == Order::AsListed { (fa, fb) } else { (fb, fa) };
                    let tint = if plan.draws { 0 } else { (p * 16 + i * 4 + j) as u8 };
                    let picture = pictures
                        .entry((left, right, tint))
                        .or_insert_with(|| sheet(plan, left, right, tint))
                        .clone();
                    let question = Question {
                        rubric: Arc::clone(&rubric),
                        category: None,
                        prompt: Some(prompt.clone()),
                        photo: None,
                        parts: rubric.message(None, Some(prompt), &[], &[picture], &[]).unwrap(),
                        evidence: Evidence::default(),
                        a: a.clone(),
                        b: Some(b.clone()),
                        order,
                        protocol: Some(Arc::clone(&protocol)),
                        plan_key: None,
                        view_px: None,
                    };
                    let question = Arc::new(question);
                    for judge in &judges {
                        let request = Request::new(&question, judge, 0);
                        store.keep_request(&request).unwrap();
                        at += 3;
                        let attempt = answer(plan, &request, &mut random, (i, j), at);
                        store.keep_attempt(&request, &attempt).unwrap();
                    }
                }
                for (n, person) in plan.people.iter().enumerate() {
                    if random.below(3) == 0 {
                        continue;
                    }
                    let mut winner = || match random.below(10) {
                        0..7 => Winner::A,
                        _ => Winner::B,
                    };
                    let criteria = rubric.criteria(None).iter();
                    let vote = Vote {
                        judge: Rater::person(person),
                        rubric: rubric.name().to_owned(),
                        rubric_hash: rubric.hash().to_owned(),
                        prompt: Some(prompt.clone()),
                        photo: None,
                        a: a.clone(),
                        b: Some(b.clone()),
                        order: Order::BOTH[n % 2],
                        sample: 0,
                        choices: criteria.map(|it| (it.key.clone(), winner())).collect(),
                        both_bad: Vec::new(),
                        seconds: 12.0,
                        origin: "page".to_owned(),
                        source: None,
                    };
                    store.keep_votes(&[vote]).unwrap();
                }
            }
        }
    }
}

fn answer(
    plan: &Plan,
    request: &Request,
    random: &mut Random,
    (i, j): (usize, usize),
    at: u64,
) -> Attempt {
    let is_model = request.judge.starts_with("openai");
    let kind = if is_model { random.below(40) } else { 39 };
    // Methods are listed best first; the nearer two are, the less sure it is who wins.
    let listed = 55 + 8 * (j - i).min(5);
    let mut digits = Vec::new();
    for criterion in 0..6 {
        let wins = random.below(100) < listed;
        let left_is_a = request.question.order == Order::AsListed;
        digits.push(match (wins == left_is_a, criterion) {
            _ if random.below(12) == 0 => "3",
            (true, _) => "1",
            (false, _) => "2",
        });
    }
    let digits = digits.join(" ");
    let text = match kind {
        0 => "I cannot help with that.".to_owned(),
        1 => "Both are fine, I would say.".to_owned(),
        _ => format!(
            "{}\n\nOn shape: four legs against three.\nOn surface: the wood grain is clean on one side and smeared on the other.\n\n{digits}",
            plan.words
        ),
    };
    let finish = match kind {
        0 => Finish::Refusal,
        2 => Finish::Length,
        _ => Finish::Stop,
    };
    let undecided = if is_model { vec![] } else { vec!["text_asset_alignment".to_owned()] };
    let said = ReplyText { text: &text, finish: &finish, reasoning: "", undecided: &undecided };
    let outcome = match kind {
        3 => Outcome::ProviderError { reason: "the server answered 503 three times".to_owned() },
        4 => Outcome::BudgetStopped { reason: "the limit of 5 USD is reached".to_owned() },
        _ => (request.question.rubric).read(&said, None, request.question.order),
    };
    let has_reply = !matches!(kind, 3 | 4);
    let elapsed_ms = if is_model { 2_000 + random.below(4_000) as u64 } else { 40 };
    let (input_tokens, output_tokens) =
        if is_model { (Some(2_300), Some(410)) } else { (None, None) };
    Attempt {
        asked_at: SystemTime::UNIX_EPOCH + Duration::from_secs(at),
        elapsed: Duration::from_millis(elapsed_ms),
        outcome,
        reply: has_reply.then(|| Reply {
            text,
            undecided,
            model_reported: is_model.then(|| "vision-large-2026-09".to_owned()),
            finish,
            usage: Usage { input_tokens, output_tokens, ..Usage::default() },
            cost_usd: Some(if is_model { 0.0113 } else { 0.0 }),
            ..Reply::default()
        }),
        http_status: has_reply.then_some(200),
        ..Attempt::without_sending(Outcome::Refusal)
    }
}
