//! The front door: what was answered before is not drawn again, and what is said of a pair is read whole.

use crate::support::assets::demo;
use meshjudge::unstable::ask::{AskSettings, ViewOptions, drawings, protocol_of};
use meshjudge::unstable::front::{FrontError, PairQuestion, ask_once, asset_of};
use meshjudge::unstable::judge::{Judge, Specimen};
use meshjudge::unstable::load::Options;
use meshjudge::unstable::rubric::Rubric;
use meshjudge::unstable::store::Store;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn an_answered_pair_is_recognised_before_it_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let rubric = Arc::new(Rubric::open("pairwise").unwrap());
    let options = ViewOptions { tile_px: Some(64), ..ViewOptions::default() };
    let drawings = drawings(&rubric, &options).unwrap();
    let loaded =
        ["vase_clean.glb", "vase_damaged.glb"].map(|name| meshjudge::load(demo(name)).unwrap());
    let pair = PairQuestion {
        prompt: "a vase".to_owned(),
        photo: None,
        assets: [
            asset_of(&loaded[0], "clean".to_owned()),
            asset_of(&loaded[1], "damaged".to_owned()),
        ],
        specimens: loaded.map(|asset| Arc::new(Specimen::new(asset.scene))),
        protocol: protocol_of(&drawings, &Options::default()),
        drawings,
        rubric,
    };
    let num_drawn = AtomicUsize::new(0);
    let ask = |pair: &PairQuestion| {
        let store = Store::open(folder.path()).unwrap();
        let (_, summary, records) = ask_once::<FrontError>(
            store,
            &[Judge::Probe],
            &AskSettings::default(),
            None,
            |planner| {
                Ok(pair.work(planner, |_, _| {
                    num_drawn.fetch_add(1, Ordering::Relaxed);
                })?)
            },
            |_| (),
        )
        .unwrap();
        (summary.answered_before, records)
    };
    let (before, first) = ask(&pair);
    assert_eq!((before, num_drawn.load(Ordering::Relaxed)), (0, 2));
    let (before, again) = ask(&pair);
    assert_eq!((before, num_drawn.load(Ordering::Relaxed)), (2, 2));
    assert_eq!(first, again);
    let other = PairQuestion { prompt: "a jug".to_owned(), ..pair };
    let (before, _) = ask(&other);
    assert_eq!((before, num_drawn.load(Ordering::Relaxed)), (0, 4));
}
