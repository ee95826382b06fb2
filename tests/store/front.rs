//! The front door: what was answered before is not drawn again, and what is said of a pair is read
//! whole.

use crate::support::assets::demo;
use meshjudge::unstable::ask::{
    AskSettings, Case, Session, Side, Source, Studio, Template, drawings,
};
use meshjudge::unstable::front::asset_of;
use meshjudge::unstable::judge::{Judge, Specimen};
use meshjudge::unstable::load::Options;
use meshjudge::unstable::options::ViewOptions;
use meshjudge::unstable::rubric::Rubric;
use meshjudge::unstable::store::Store;
use std::sync::Arc;

#[test]
fn an_answered_pair_is_recognised_before_it_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let rubric = Arc::new(Rubric::open("pairwise").unwrap());
    let options = ViewOptions { tile_px: Some(64), ..ViewOptions::default() };
    let drawings = drawings(&rubric, &options).unwrap();
    let side = |name: &str, method: &str| {
        let loaded = meshjudge::load(demo(name)).unwrap();
        let asset = asset_of(&loaded, method.to_owned());
        Side { asset, source: Source::Held(Arc::new(Specimen::new(loaded.scene))) }
    };
    let pair = Case {
        template: Arc::new(Template::new(rubric, drawings, &Options::default())),
        category: None,
        prompt: Some("a vase".to_owned()),
        photo: None,
        sides: vec![side("vase_clean.glb", "clean"), side("vase_damaged.glb", "damaged")],
        what: String::new(),
    };
    let ask = |pair: &Case| {
        let store = Store::open(folder.path()).unwrap();
        let settings = AskSettings::default();
        let session = Session::open(store, &[Judge::Probe], &settings, None).unwrap();
        let mut studio = Studio::default();
        let work = session.planner().work(pair, &mut studio).unwrap();
        let is_drawn = |side: &&Side| studio.frames(&pair.template, &side.asset).is_some();
        let num_drawn = pair.sides.iter().filter(is_drawn).count();
        let answered = session.answer(work, |_| ()).unwrap();
        (answered.summary.answered_before, num_drawn, answered.records)
    };
    let (before, num_drawn, first) = ask(&pair);
    assert_eq!((before, num_drawn), (0, 2));
    let (before, num_drawn, again) = ask(&pair);
    assert_eq!((before, num_drawn), (2, 0));
    assert_eq!(first, again);
    let other = Case { prompt: Some("a jug".to_owned()), ..pair };
    let (before, num_drawn, _) = ask(&other);
    assert_eq!((before, num_drawn), (0, 2));
}
