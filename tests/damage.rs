//! Damage: what was done is measured, grows with the level, is the same every time, and leaves alone what it should.

use meshjudge::damage::{Family, Kind, damage, kind, kinds};
use meshjudge::load::{Options, load};
use meshjudge::save::{SaveOptions, glb};
use meshjudge::scene::Scene;
use std::collections::BTreeSet;
use std::path::Path;

const LEVELS: [f32; 6] = [0.05, 0.2, 0.4, 0.6, 0.8, 1.0];

fn demo(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("assets/demo")
        .join(name);
    load(&path, &Options::default()).unwrap().scene
}

fn bases() -> Vec<(&'static str, Scene)> {
    ["vase_clean.glb", "bench/atelier/rocket.glb"]
        .into_iter()
        .map(|name| (name, demo(name)))
        .collect()
}

fn bytes(scene: &Scene) -> Vec<u8> {
    glb(scene, SaveOptions::default()).unwrap()
}

fn area(scene: &Scene) -> f64 {
    (scene.meshes().iter())
        .flat_map(|mesh| mesh.triangles().iter().map(move |t| (mesh, t)))
        .map(|(mesh, t)| {
            let [a, b, c] = t.map(|v| mesh.positions()[v as usize].as_dvec3());
            0.5 * (b - a).cross(c - a).length()
        })
        .sum()
}

#[test]
fn every_kind_grows_with_its_level_from_nothing() {
    for (name, scene) in bases() {
        for kind in kinds() {
            let none = damage(&scene, kind, 0.0, 7).unwrap();
            assert_eq!(none.amount, 0.0);
            assert_eq!(bytes(&none.scene), bytes(&scene), "{}", kind.name);
            let amounts: Vec<f64> = (LEVELS.iter())
                .map(|&level| damage(&scene, kind, level, 7).unwrap().amount)
                .collect();
            let is_monotone = amounts.windows(2).all(|pair| pair[0] <= pair[1]);
            assert!(is_monotone, "{} on {name}: {amounts:?}", kind.name);
            let (first, last) = (amounts[0], amounts[LEVELS.len() - 1]);
            assert!(
                last > 1.5 * first && last > 0.002,
                "{} on {name} does too little: {amounts:?}",
                kind.name
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let scene = demo("vase_clean.glb");
    for kind in kinds() {
        let made = |seed| bytes(&damage(&scene, kind, 0.6, seed).unwrap().scene);
        assert_eq!(made(3), made(3), "{}", kind.name);
        let is_drawn = ![
            "smooth",
            "decimate",
            "slab",
            "billboard",
            "janus",
            "internal-faces",
            "voxels",
            "blur",
            "low-resolution",
            "wrong-side",
            "text",
        ]
        .contains(&kind.name);
        assert_eq!(made(3) != made(4), is_drawn, "{}", kind.name);
    }
}

/// Number of threads plays no part: the same bytes in pools of one and of four.
#[test]
fn threads_do_not_matter() {
    let scene = demo("vase_clean.glb");
    let made = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            (kinds().iter())
                .map(|kind| bytes(&damage(&scene, kind, 0.5, 1).unwrap().scene))
                .collect::<Vec<_>>()
        })
    };
    assert!(made(1) == made(4));
}

/// What a kind claims to leave alone, it leaves alone.
#[test]
fn geometry_kinds_keep_texels_and_texture_kinds_keep_the_shape() {
    let scene = demo("vase_clean.glb");
    for kind in kinds() {
        let damaged = damage(&scene, kind, 0.8, 5).unwrap().scene;
        match kind.family {
            Family::Geometry => {
                for (before, after) in scene.textures().iter().zip(damaged.textures()) {
                    assert_eq!(before.texels(), after.texels(), "{}", kind.name);
                }
            }
            Family::Texture if kind.name != "text" => {
                let change = area(&damaged) / area(&scene) - 1.0;
                assert!(change.abs() < 1e-5, "{}: {change}", kind.name);
                assert_eq!(damaged.bounds().min, scene.bounds().min, "{}", kind.name);
                assert_eq!(damaged.bounds().max, scene.bounds().max, "{}", kind.name);
            }
            Family::Texture => {}
        }
    }
}

#[test]
fn a_damaged_asset_is_written_and_read_again() {
    let scene = demo("bench/atelier/rocket.glb");
    let folder = tempfile::tempdir().unwrap();
    for kind in kinds() {
        let damaged = damage(&scene, kind, 1.0, 2).unwrap().scene;
        let path = folder.path().join(format!("{}.glb", kind.name));
        std::fs::write(&path, bytes(&damaged)).unwrap();
        let loaded = load(&path, &Options::default()).unwrap();
        assert_eq!(loaded.scene.triangle_count(), damaged.triangle_count());
        assert!(
            loaded.warnings.is_empty(),
            "{}: {:?}",
            kind.name,
            loaded.warnings
        );
    }
}

/// Each kind says what it lowers in the pairwise rubric's own keys, and never spares what it lowers.
#[test]
fn kinds_speak_of_the_rubrics_criteria() {
    let rubric = meshjudge::rubric::Rubric::open("pairwise").unwrap();
    let known: BTreeSet<&str> = (rubric.criteria(None).iter())
        .map(|c| c.key.as_str())
        .collect();
    let mut names = BTreeSet::new();
    for each in kinds() {
        let Kind { lowers, spares, .. } = each;
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
    let scene = demo("vase_clean.glb");
    let holes = kind("holes").unwrap();
    for level in [-0.1, 1.1, f32::NAN] {
        let error = damage(&scene, holes, level, 0).unwrap_err().to_string();
        assert!(error.contains("0 (nothing) to 1"), "{error}");
    }
    // Without a texture there is nothing to blur.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grey.obj");
    std::fs::write(
        &path,
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    )
    .unwrap();
    let grey = load(&path, &Options::default()).unwrap().scene;
    for name in ["blur", "seams", "misaligned", "wrong-side", "color-shift"] {
        let error = damage(&grey, kind(name).unwrap(), 0.5, 0).unwrap_err();
        assert!(error.to_string().contains("needs"), "{name}: {error}");
    }
    assert!(damage(&grey, holes, 0.5, 0).is_ok());
}
