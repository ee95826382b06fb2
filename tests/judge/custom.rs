//! A judge of the caller's is asked like every other, and a switch stops the asking.

use crate::support::assets::demo;
use meshjudge::unstable::ask::{AskSettings, Stop, StopSwitch, Summary, drawings};
use meshjudge::unstable::front::{Comparison, ask_once, pair_case};
use meshjudge::unstable::judge::{CustomJudge, Finish, Judge, Question, Reply};
use meshjudge::unstable::load::Options;
use meshjudge::unstable::options::ViewOptions;
use meshjudge::unstable::rubric::{Order, Rubric};
use meshjudge::unstable::store::Store;
use std::sync::{Arc, Mutex};

type Said = Result<&'static str, &'static str>;

/// Always gives one answer, and remembers the orders in which it was asked.
struct Scripted {
    answer: Said,
    asked: Mutex<Vec<Order>>,
    switch: StopSwitch,
}

impl std::fmt::Debug for Scripted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scripted")
    }
}

impl CustomJudge for Scripted {
    fn name(&self) -> String {
        "rust:scripted".to_owned()
    }

    fn settings(&self) -> String {
        String::new()
    }

    fn ask(&self, question: &Question) -> Result<Reply, String> {
        self.asked.lock().unwrap().push(question.order);
        self.switch.press();
        let text = self.answer.map_err(str::to_owned)?;
        Ok(Reply {
            text: text.to_owned(),
            finish: Finish::Stop,
            cost_usd: Some(0.0),
            ..Reply::default()
        })
    }
}

fn scripted(answer: Said) -> Arc<Scripted> {
    Arc::new(Scripted { answer, asked: Mutex::default(), switch: StopSwitch::default() })
}

fn compared(judge: &Arc<Scripted>, settings: &AskSettings, store: Store) -> (Comparison, Summary) {
    let [clean, damaged] =
        ["vase_clean.glb", "vase_damaged.glb"].map(|name| meshjudge::load(demo(name)).unwrap());
    let rubric = Arc::new(Rubric::open("pairwise").unwrap());
    let views = ViewOptions { tile_px: Some(16), ..ViewOptions::default() };
    let drawings = drawings(&rubric, &views).unwrap();
    let both = [&clean, &damaged];
    let case = pair_case(rubric, "a vase", both, None, drawings, &Options::default()).unwrap();
    let judges = [Judge::Custom(judge.clone())];
    let answered = ask_once(store, &judges, settings, None, &case).unwrap();
    (Comparison::new(&case.template.rubric, answered.records), answered.summary)
}

#[test]
fn it_is_asked_in_both_orders() {
    let judge = scripted(Ok("1 1 1 1 1 1"));
    let store = Store::in_memory().unwrap();
    let (comparison, summary) = compared(&judge, &AskSettings::default(), store);
    let [found] = &comparison.findings[..] else { panic!("one judge") };
    assert!(found.criteria.iter().all(|c| c.as_str() == "inconsistent"));
    let mut asked = judge.asked.lock().unwrap().clone();
    asked.sort_unstable();
    assert_eq!(asked, Order::BOTH);
    assert_eq!((summary.verdicts, summary.requests, summary.spent_usd), (2, 0, 0.0));
}

#[test]
fn it_is_asked_once_whether_it_fails_or_answers_in_another_form() {
    for (answer, outcome, words) in [
        (Ok("The left one is better."), "invalid", "in the form that the question asks for"),
        (Err("out of memory"), "provider_error", "out of memory"),
    ] {
        let (judge, store) = (scripted(answer), Store::in_memory().unwrap());
        let (comparison, summary) = compared(&judge, &AskSettings::default(), store);
        assert_eq!((judge.asked.lock().unwrap().len(), summary.failed[outcome]), (2, 2));
        let reason = comparison.records[0].outcome.reason().unwrap();
        assert!(reason.contains(words), "{reason}");
    }
}

#[test]
fn its_replies_are_reused_by_other_runs() {
    let folder = tempfile::tempdir().unwrap();
    let judge = scripted(Ok("1 1 1 1 1 1"));
    compared(&judge, &AskSettings::default(), Store::open(folder.path()).unwrap());
    let settings = AskSettings {
        reuse: vec![folder.path().to_owned()],
        is_replay: true,
        ..AskSettings::default()
    };
    let (_, summary) = compared(&judge, &settings, Store::in_memory().unwrap());
    assert_eq!((summary.reused, judge.asked.lock().unwrap().len()), (2, 2));
}

#[test]
fn a_pressed_switch_stops_before_the_next_question() {
    let judge = scripted(Ok("1 1 1 1 1 1"));
    let settings = AskSettings {
        samples: 50,
        concurrency: 1,
        stop: judge.switch.clone(),
        ..AskSettings::default()
    };
    let store = Store::in_memory().unwrap();
    let (_, summary) = compared(&judge, &settings, store);
    assert_eq!(summary.stop, Some(Stop::Interrupted));
    let asked = judge.asked.lock().unwrap().len();
    assert!((1..100).contains(&asked), "{asked}");
}
