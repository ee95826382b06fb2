//! Damage: what was done is measured, grows with the level, is the same every time, and leaves
//! alone what it should.

use crate::support::assets::{Folder, corners, demo_scene, splat_sphere, tetrahedron};
use crate::support::scenes::with_threads;
use glam::DVec3;
use meshjudge::unstable::damage::{
    DamageKind, Family, all_kinds, damage, damage_case, damage_splats, kind, kinds, scene_kinds,
    splat_kinds,
};
use meshjudge::unstable::load::{Choices, Options, Source, Warning, load_asset};
use meshjudge::unstable::objects::scenes::{case, cases};
use meshjudge::unstable::rubric::Rubric;
use meshjudge::unstable::save::{SaveOptions, glb};
use meshjudge::unstable::scene::{Asset, Scene, SplatScene};
use meshjudge::unstable::splat::splats::SplatParts;
use std::collections::BTreeSet;
use std::sync::Arc;

const LEVELS: [f32; 6] = [0.05, 0.2, 0.4, 0.6, 0.8, 1.0];

fn bases() -> Vec<(&'static str, Arc<Scene>)> {
    ["vase_clean.glb", "bench/atelier/rocket.glb"]
        .into_iter()
        .map(|name| (name, demo_scene(name)))
        .collect()
}

fn bytes(scene: &Scene) -> Vec<u8> {
    glb(scene, SaveOptions::default()).unwrap()
}

fn area(scene: &Scene) -> f64 {
    let of = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).length();
    let all = scene.meshes().iter().flat_map(corners);
    all.map(|triangle| of(triangle.map(|corner| corner.as_dvec3()))).sum()
}

#[test]
fn every_kind_grows_with_its_level_from_nothing() {
    for (name, scene) in bases() {
        let clean = bytes(&scene);
        for kind in kinds() {
            let none = damage(&scene, kind, 0.0, 7).unwrap();
            assert_eq!(none.amount, 0.0);
            assert!(bytes(&none.scene) == clean, "{}", kind.name);
            let amounts = LEVELS.map(|level| damage(&scene, kind, level, 7).unwrap().amount);
            assert!(amounts.is_sorted(), "{} on {name}: {amounts:?}", kind.name);
            let is_enough = amounts[5] > 1.5 * amounts[0] && amounts[5] > 0.002;
            assert!(is_enough, "{} on {name} does too little: {amounts:?}", kind.name);
        }
    }
}

/// Kinds that draw no random numbers.
const NOT_DRAWN: &str = "smooth decimate slab billboard janus internal-faces voxels blur \
    low-resolution wrong-side text subdivided";

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let scene = demo_scene("vase_clean.glb");
    for kind in kinds() {
        let made = |seed| bytes(&damage(&scene, kind, 0.6, seed).unwrap().scene);
        let third = made(3);
        assert!(third == made(3), "{}", kind.name);
        let is_drawn = NOT_DRAWN.split(' ').all(|name| name != kind.name);
        assert_eq!(third != made(4), is_drawn, "{}", kind.name);
    }
}

/// Number of threads plays no part: the same bytes in pools of one and of four.
#[test]
fn threads_do_not_matter() {
    let scene = demo_scene("vase_clean.glb");
    let each = |kind: &DamageKind| bytes(&damage(&scene, kind, 0.5, 1).unwrap().scene);
    let made = |count| with_threads(count, || kinds().iter().map(each).collect::<Vec<_>>());
    assert!(made(1) == made(4));
}

/// What a kind claims to leave alone, it leaves alone.
#[test]
fn geometry_kinds_keep_texels_and_texture_kinds_keep_the_shape() {
    let scene = demo_scene("vase_clean.glb");
    for kind in kinds() {
        let damaged = damage(&scene, kind, 0.8, 5).unwrap().scene;
        match kind.family {
            Family::Geometry => {
                for (before, after) in scene.textures().iter().zip(damaged.textures()) {
                    assert_eq!(before.texels(), after.texels(), "{}", kind.name);
                }
            }
            Family::Texture if kind.name == "text" => {}
            Family::Texture | Family::Harmless => {
                let change = area(&damaged) / area(&scene) - 1.0;
                assert!(change.abs() < 1e-5, "{}: {change}", kind.name);
                assert_eq!(damaged.bounds().min, scene.bounds().min, "{}", kind.name);
                assert_eq!(damaged.bounds().max, scene.bounds().max, "{}", kind.name);
            }
            Family::Scene => unreachable!("kinds() are for assets"),
        }
    }
}

#[test]
fn a_damaged_asset_is_written_and_read_again() {
    let scene = demo_scene("bench/atelier/rocket.glb");
    for kind in kinds() {
        let damaged = damage(&scene, kind, 1.0, 2).unwrap().scene;
        let loaded = Folder::new().load("a.glb", bytes(&damaged)).unwrap();
        assert_eq!(loaded.scene.triangle_count(), damaged.triangle_count());
        // Parts that were thinned out may fold onto themselves.
        let said = loaded.warnings.iter().filter(|w| !matches!(w, Warning::TwoSided { .. }));
        assert_eq!(said.count(), 0, "{}: {:?}", kind.name, loaded.warnings);
    }
}

/// Each kind says what it lowers in the pairwise rubric's own keys, and never spares what it
/// lowers.
#[test]
fn kinds_speak_of_the_rubrics_criteria() {
    let rubric = Rubric::open("pairwise").unwrap();
    let known: BTreeSet<&str> = rubric.criteria(None).iter().map(|c| c.key.as_str()).collect();
    let mut names = BTreeSet::new();
    for each in kinds().iter().chain(splat_kinds()) {
        let DamageKind { lowers, spares, .. } = each;
        assert!(names.insert(each.name), "{} stands twice", each.name);
        assert_eq!(kind(each.name), Some(each));
        assert!(lowers.iter().chain(*spares).all(|key| known.contains(key)));
        assert!(lowers.iter().all(|key| !spares.contains(key)));
        assert_eq!(each.is_visible, !lowers.is_empty(), "{}", each.name);
    }
    assert!(kind("rust").is_none());
}

#[test]
fn what_cannot_be_done_is_said() {
    let scene = demo_scene("vase_clean.glb");
    let holes = kind("holes").unwrap();
    for level in [-0.1, 1.1, f32::NAN] {
        let error = damage(&scene, holes, level, 0).unwrap_err().to_string();
        assert!(error.contains("0 (no damage) to 1"), "{error}");
    }
    // Without a texture there is nothing to blur.
    let grey = Folder::new().load("grey.obj", tetrahedron(1.0)).unwrap().scene;
    for name in ["blur", "seams", "misaligned", "wrong-side", "color-shift"] {
        let error = damage(&grey, kind(name).unwrap(), 0.5, 0).unwrap_err();
        assert!(error.to_string().contains("needs"), "{name}: {error}");
    }
    assert!(damage(&grey, holes, 0.5, 0).is_ok());
}

/// The kinds that are for a scene's category.
fn for_category(category: &str) -> impl Iterator<Item = &'static DamageKind> {
    scene_kinds().iter().filter(move |kind| kind.category() == Some(category))
}

#[test]
fn every_category_has_scenes_and_a_way_to_make_its_prompts_untrue() {
    let rubric = Rubric::open("category").unwrap();
    let names = ["single_object", "two_object", "counting", "colors", "position", "color_attr"];
    for category in names {
        let criteria = rubric.criteria(Some(category)).iter();
        let known: BTreeSet<&str> = criteria.map(|criterion| criterion.key.as_str()).collect();
        assert!(cases().iter().filter(|c| c.category == category).count() >= 2);
        assert!(for_category(category).count() >= 1, "{category}");
        for kind in for_category(category) {
            assert!(!kind.lowers.is_empty(), "{}", kind.name);
            for key in kind.lowers.iter().chain(kind.spares) {
                assert!(known.contains(key), "{}: {key}", kind.name);
            }
            assert!(kind.lowers.iter().all(|key| !kind.spares.contains(key)));
        }
    }
    assert!(cases().iter().all(|case| names.contains(&case.category)));
}

#[test]
fn a_scene_grows_untrue_with_its_level_from_nothing() {
    for case in cases() {
        let clean = bytes(&case.layout().make());
        for kind in for_category(case.category) {
            for seed in [0, 1] {
                let made = |level| damage_case(case, kind, level, seed).unwrap();
                assert!(bytes(&made(0.0).scene) == clean);
                let amounts = LEVELS.map(|level| made(level).amount);
                let what = format!("{} on {}: {amounts:?}", kind.name, case.name);
                assert!(amounts.is_sorted() && amounts[5] > amounts[0], "{what}");
                assert!(bytes(&made(0.6).scene) == bytes(&made(0.6).scene), "{what}");
                assert!(bytes(&made(1.0).scene) != clean, "{what}");
            }
        }
    }
}

#[test]
fn what_is_done_to_a_scene_is_what_is_said() {
    let balls = case("three-red-balls").unwrap();
    let count = |level| {
        let made = damage_case(balls, kind("wrong-count").unwrap(), level, 0).unwrap();
        (made.scene.meshes().len().abs_diff(3), made.amount)
    };
    assert_eq!([count(0.3), count(0.6)], [(1, 1.0 / 3.0), (2, 2.0 / 3.0)]);
    assert_eq!(count(1.0), (3, 1.0));
    // Half a turn on, each thing is where the other was: left and right have changed.
    let place = |level| {
        let case = case("ball-left-of-cube").unwrap();
        let made = damage_case(case, kind("wrong-place").unwrap(), level, 0).unwrap();
        let ball = made.scene.meshes()[0].positions();
        ball.iter().map(|p| p.x).sum::<f32>() / ball.len() as f32
    };
    assert!((place(0.0) + 1.0).abs() < 0.01 && (place(1.0) - 1.0).abs() < 0.01);
    let swapped = case("red-cube-blue-ball").unwrap();
    let made = damage_case(swapped, kind("swapped-colors").unwrap(), 1.0, 0).unwrap();
    let [first, second] = [0, 1].map(|i| made.scene.materials()[i].base_color);
    let clean = swapped.layout();
    assert_eq!(first.truncate(), clean.things[1].color);
    assert_eq!(second.truncate(), clean.things[0].color);
}

#[test]
fn kinds_for_scenes_and_kinds_for_assets_are_not_mixed_up() {
    let vase = demo_scene("vase_clean.glb");
    assert!(damage(&vase, kind("wrong-count").unwrap(), 0.5, 0).is_err());
    let balls = case("three-red-balls").unwrap();
    for wrong in ["holes", "wrong-place"] {
        assert!(damage_case(balls, kind(wrong).unwrap(), 0.5, 0).is_err(), "{wrong}");
    }
}

fn splats() -> Arc<SplatScene> {
    let text = splat_sphere(1.0);
    let source = Source::bytes(text.as_bytes(), "a.ply");
    let loaded = load_asset(source, &Options::default(), Choices::default()).unwrap();
    let Asset::Splats(splats) = loaded.scene else { panic!("splats") };
    splats
}

fn numbers(scene: &SplatScene) -> Vec<u32> {
    let mut parts = scene.read().splats.planes().clone();
    parts.planes_mut().into_iter().flat_map(|plane| plane.iter().map(|v| v.to_bits())).collect()
}

#[test]
fn every_kind_for_splats_grows_from_nothing_and_is_the_same_every_time() {
    let clean = splats();
    for kind in splat_kinds() {
        let none = damage_splats(&clean, kind, 0.0, 7).unwrap();
        assert!(none.amount == 0.0 && numbers(&none.scene) == numbers(&clean), "{}", kind.name);
        let amounts = LEVELS.map(|level| damage_splats(&clean, kind, level, 7).unwrap().amount);
        assert!(amounts.is_sorted(), "{}: {amounts:?}", kind.name);
        assert!(amounts[5] > 1.5 * amounts[0] && amounts[5] > 0.002, "{}: {amounts:?}", kind.name);
        let made = |seed| numbers(&damage_splats(&clean, kind, 0.6, seed).unwrap().scene);
        assert!(made(3) == made(3), "{}", kind.name);
        let seeds = [4, 5, 6, 8].map(made);
        assert_eq!(seeds.iter().any(|other| *other != made(3)), kind.name != "splat-blur");
    }
}

#[test]
fn splats_keep_what_a_kind_leaves_alone() {
    let clean = splats();
    let made = |name: &str| damage_splats(&clean, kind(name).unwrap(), 0.5, 3).unwrap().scene;
    let before = clean.read().splats.planes();
    for name in ["splat-color-shift", "splat-blur"] {
        let after = made(name).read().splats.planes().clone();
        assert_eq!((&after.position, &after.opacity), (&before.position, &before.opacity));
        let mean =
            |parts: &SplatParts, i: usize| parts.harmonics[..3].iter().map(|p| p[i]).sum::<f32>();
        let lightness = |i| (mean(&after, i) - mean(before, i)).abs() < 1e-5;
        assert!((0..before.opacity.len()).all(lightness), "{name}");
    }
    let holed = made("splat-holes").read().splats.planes().clone();
    let place = |parts: &SplatParts, i: usize| [0, 1, 2].map(|k| parts.position[k][i].to_bits());
    let had: BTreeSet<_> = (0..before.opacity.len()).map(|i| place(before, i)).collect();
    assert!((1..before.opacity.len()).contains(&holed.opacity.len()));
    assert!((0..holed.opacity.len()).all(|i| had.contains(&place(&holed, i))));
}

#[test]
fn kinds_for_splats_and_kinds_for_surfaces_are_not_mixed_up() {
    let (clean, vase) = (splats(), demo_scene("vase_clean.glb"));
    for each in all_kinds() {
        assert!(!(each.is_for(&*vase) && each.is_for(&*clean)), "{}", each.name);
        let reason = damage_splats(&clean, each, 0.5, 0).err().map(|e| e.to_string());
        assert_eq!(reason.is_none(), each.is_for(&*clean), "{}: {reason:?}", each.name);
    }
    let error = damage(&vase, kind("splat-dust").unwrap(), 0.5, 0).unwrap_err().to_string();
    assert!(error.contains("needs Gaussian splats"), "{error}");
}
