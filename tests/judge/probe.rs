//! The measuring judge on our demo objects: right, mirrored, the same on every run, and silent
//! where it must be.

use crate::support::assets::{demo, demo_scene};
use crate::support::scenes::with_threads;
use glam::{Mat3, Vec3, Vec4};
use meshjudge::ViewOptions;
use meshjudge::unstable::damage::{damage, kind};
use meshjudge::unstable::judge::{Asset, Evidence, Question, Reply, Specimen, probe};
use meshjudge::unstable::render::{Channel, Image, PixelFormat};
use meshjudge::unstable::rubric::{Order, Outcome, ReplyText, Rubric, Verdict, Winner};
use meshjudge::unstable::scene::{Material, Mesh, MeshParts, Scene, Texture};
use meshjudge::unstable::sheet;
use std::sync::Arc;

/// The criteria that the shape alone decides.
const OF_SHAPE: [&str; 3] = ["plausibility", "geometry_details", "overall"];

/// A copy with so much of that damage.
fn damaged(scene: &Scene, name: &str, level: f32) -> Arc<Scene> {
    let found = damage(scene, kind(name).unwrap(), level, 0).unwrap();
    assert!(found.amount > 0.0, "{name}");
    Arc::new(found.scene)
}

/// One mesh with only corners and triangles.
fn bare(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Arc<Scene> {
    let mesh = Mesh::new(MeshParts { positions, triangles, ..MeshParts::default() });
    Arc::new(Scene::new(vec![mesh.unwrap()], vec![Material::default()], Vec::new()).unwrap())
}

/// The same surface without materials, its meshes changed.
fn remade(scene: &Scene, change: impl Fn(&mut MeshParts)) -> Arc<Scene> {
    let meshes = scene.meshes().iter().map(|mesh| {
        let mut parts = MeshParts {
            positions: mesh.positions().to_vec(),
            triangles: mesh.triangles().to_vec(),
            normals: mesh.normals().map(<[_]>::to_vec),
            ..MeshParts::default()
        };
        change(&mut parts);
        Mesh::new(parts).unwrap()
    });
    Arc::new(Scene::new(meshes.collect(), vec![Material::default()], Vec::new()).unwrap())
}

fn specimen(scene: &Arc<Scene>) -> Arc<Specimen> {
    Arc::new(Specimen::new(Arc::clone(scene)))
}

fn question(rubric: &str, evidence: Evidence) -> Question {
    Question {
        rubric: Arc::new(Rubric::open(rubric).unwrap()),
        category: None,
        prompt: None,
        photo: None,
        parts: Vec::new(),
        evidence,
        a: Asset { path: "a.glb".to_owned(), hash: String::new(), method: "a".to_owned() },
        b: None,
        order: Order::AsListed,
        protocol: None,
        plan_key: None,
        view_px: None,
    }
}

fn read(question: &Question, reply: &Reply) -> Outcome {
    let said = ReplyText {
        text: &reply.text,
        finish: &reply.finish,
        reasoning: &reply.reasoning,
        undecided: &reply.undecided,
    };
    question.rubric.read(&said, question.category.as_deref(), Order::AsListed)
}

/// The reply, and the winner by criterion; none where it cannot be decided.
fn pair(left: &Arc<Scene>, right: &Arc<Scene>) -> (Reply, Vec<(String, Option<Winner>)>) {
    let question = question(
        "pairwise",
        Evidence { scenes: vec![specimen(left), specimen(right)], ..Evidence::default() },
    );
    let reply = probe::ask(&question);
    let Outcome::Verdict(Verdict::Pairwise { choices, undecided, .. }) = read(&question, &reply)
    else {
        panic!("{}", reply.text)
    };
    let said = |(key, winner): (String, Winner)| {
        let is_decided = !undecided.contains(&key);
        (key, is_decided.then_some(winner))
    };
    let choices: Vec<_> = choices.into_iter().map(said).collect();
    assert_eq!(winner(&choices, "text_asset_alignment"), None);
    (reply, choices)
}

fn winner(choices: &[(String, Option<Winner>)], key: &str) -> Option<Winner> {
    choices.iter().find(|(k, _)| k == key).unwrap().1
}

#[test]
fn clean_beats_damaged_and_swapping_mirrors_the_answer() {
    for name in ["chair", "vase"] {
        let [clean, damaged] =
            ["clean", "damaged"].map(|kind| demo_scene(&format!("{name}_{kind}.glb")));
        let (_, straight) = pair(&clean, &damaged);
        let (_, swapped) = pair(&damaged, &clean);
        for key in OF_SHAPE {
            assert_eq!(winner(&straight, key), Some(Winner::A), "{name}: {key}");
        }
        // Colours are compared on surfaces that are alike; these were made rough as well.
        let texture = winner(&straight, "texture_details");
        assert!(matches!(texture, None | Some(Winner::Tie)), "{name}");
        for ((key, a), (_, b)) in straight.iter().zip(&swapped) {
            let mirrored = a.map(|winner| match winner {
                Winner::A => Winner::B,
                Winner::B => Winner::A,
                Winner::Tie => Winner::Tie,
            });
            assert_eq!(*b, mirrored, "{name}: {key}");
        }
    }
}

#[test]
fn an_object_against_itself_is_a_tie_and_the_match_with_the_prompt_is_not_known() {
    for name in ["chair_clean.glb", "vase_damaged.glb"] {
        let (reply, choices) = pair(&demo_scene(name), &demo_scene(name));
        assert_eq!(choices.len(), 6);
        let ties = choices.iter().filter(|(_, w)| *w == Some(Winner::Tie));
        assert_eq!(ties.count(), 5, "{}", reply.text);
    }
}

#[test]
fn of_versions_that_differ_in_what_it_cannot_tell_nothing_is_called_equal() {
    let clean = demo_scene("vase_clean.glb");
    let (reply, choices) = pair(&clean, &damaged(&clean, "color-shift", 1.0));
    assert_eq!(winner(&choices, "texture_details"), None, "{}", reply.text);
    assert_eq!(winner(&choices, "overall"), None);
    assert_eq!(winner(&choices, "geometry_details"), Some(Winner::Tie));
}

/// The same shape with colours at its vertices in place of textures.
fn with_vertex_colors(scene: &Scene) -> Arc<Scene> {
    painted(scene, |p| {
        let wave = |value: f32| 0.5 + 0.4 * libm::sinf(9.0 * value);
        Vec4::new(wave(p.y), wave(p.x + 2.0), wave(p.z + p.y), 1.0)
    })
}

fn painted(scene: &Scene, color: impl Fn(&Vec3) -> Vec4) -> Arc<Scene> {
    remade(scene, |parts| parts.colors = Some(parts.positions.iter().map(&color).collect()))
}

#[test]
fn damaged_vertex_colors_are_never_called_equal() {
    let colored = with_vertex_colors(&demo_scene("vase_clean.glb"));
    let (_, choices) = pair(&colored, &colored);
    assert_eq!(winner(&choices, "texture_details"), Some(Winner::Tie));
    for name in ["blur", "low-resolution", "texture-noise"] {
        let (reply, choices) = pair(&colored, &damaged(&colored, name, 1.0));
        let texture = winner(&choices, "texture_details");
        assert!(!matches!(texture, Some(Winner::Tie | Winner::B)), "{name}: {}", reply.text);
        assert_eq!(winner(&choices, "overall"), texture, "{name}: {}", reply.text);
        assert!(reply.text.contains("Their colours differ by"), "{name}: {}", reply.text);
    }
    let (reply, choices) = pair(&colored, &remade(&colored, |_| {}));
    assert_eq!(winner(&choices, "texture_details"), Some(Winner::A), "{}", reply.text);
}

#[test]
fn what_was_not_looked_at_is_not_equal() {
    let clean = demo_scene("vase_clean.glb");
    let changed = |change: &dyn Fn(&mut Material)| {
        let mut materials = clean.materials().to_vec();
        materials.iter_mut().for_each(change);
        let parts = (clean.meshes().to_vec(), clean.textures().to_vec());
        Arc::new(Scene::new(parts.0, materials, parts.1).unwrap())
    };
    let rough = changed(&|m| m.roughness *= 0.5);
    let (reply, choices) = pair(&clean, &rough);
    assert_eq!(winner(&choices, "texture_details"), None, "{}", reply.text);
    assert_eq!(winner(&choices, "geometry_details"), Some(Winner::Tie));
    assert!(reply.text.contains("roughness"), "{}", reply.text);
    let tinted = changed(&|m| m.base_color *= Vec4::new(1.0, 0.7, 0.7, 1.0));
    let (reply, choices) = pair(&clean, &tinted);
    assert_eq!(winner(&choices, "texture_details"), None, "{}", reply.text);
}

/// A sphere of triangles, by subdivision of an octahedron.
fn sphere(times: usize) -> Arc<Scene> {
    let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z];
    let mut faces: Vec<[Vec3; 3]> = Vec::new();
    for [a, b] in [[x, y], [y, -x], [-x, -y], [-y, x]] {
        faces.extend([[a, b, z], [b, a, -z]]);
    }
    for _ in 0..times {
        let split = |[a, b, c]: [Vec3; 3]| {
            let [d, e, f] = [(a + b), (b + c), (c + a)].map(|p| p.normalize());
            [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
        };
        faces = faces.into_iter().flat_map(split).collect();
    }
    let stretched = |p: &Vec3| *p * Vec3::new(1.0, 1.6, 0.8);
    let triangles = (0..faces.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]);
    bare(faces.as_flattened().iter().map(stretched).collect(), triangles.collect())
}

#[test]
fn a_coarse_cage_does_not_beat_its_smooth_surface() {
    for (coarse, fine) in [(2, 4), (3, 5), (2, 6), (4, 5)] {
        let (reply, choices) = pair(&sphere(coarse), &sphere(fine));
        for key in OF_SHAPE {
            let found = winner(&choices, key);
            let is_fine = matches!(found, Some(Winner::B) | None);
            assert!(is_fine, "{coarse} {fine} {key}: {}", reply.text);
        }
    }
}

/// Neither colours nor patterns know each other: their waves have other directions and lengths.
#[test]
fn a_coarse_original_does_not_lose_to_its_lumpy_copy() {
    // The copy is finer, because lumps need corners.
    for (times, name, level) in
        [(2, "noise-coarse", 0.3), (3, "noise-coarse", 0.8), (3, "noise-fine", 0.5)]
    {
        let coarse = sphere(times);
        let lumpy = damaged(&coarse, name, level);
        assert!(lumpy.triangle_count() > 4 * coarse.triangle_count());
        let (reply, choices) = pair(&coarse, &lumpy);
        for key in OF_SHAPE {
            let found = winner(&choices, key);
            assert_ne!(found, Some(Winner::B), "{times} {name} {level} {key}: {}", reply.text);
        }
    }
}

#[test]
fn neither_stains_nor_another_colour_make_the_clean_version_lose() {
    let with = |pattern: fn(&Vec3) -> f32, gain: f32| {
        painted(&sphere(5), move |p| {
            let wave = |value: f32| gain * (0.4 + 0.1 * libm::sinf(9.0 * value));
            let color = Vec3::new(wave(p.y), wave(p.x + 2.0), wave(p.z + p.y));
            (color + pattern(p)).extend(1.0)
        })
    };
    let stains: fn(&Vec3) -> f32 = |p| {
        let wave = |value: f32| libm::sinf(6.5 * value);
        0.2 * wave(p.x + 0.3 * p.z + 0.4) * wave(p.z - 0.6 * p.y) + 0.1 * wave(p.y + 0.8 * p.x)
    };
    let clean = with(|_| 0.0, 1.0);
    for other in [with(stains, 1.0), with(|_| 0.0, 0.5)] {
        let (reply, choices) = pair(&clean, &other);
        assert_eq!(winner(&choices, "texture_details"), None, "{}", reply.text);
        assert_eq!(winner(&choices, "geometry_details"), Some(Winner::Tie));
    }
}

/// The same surface with each texture's texels replaced by one colour.
fn flattened(scene: &Scene) -> Arc<Scene> {
    let textures = scene.textures().iter().map(|texture| {
        let texels = vec![[150, 110, 80, 255]; texture.texels().len()];
        let (width, height) = (texture.width_px(), texture.height_px());
        let color = meshjudge::unstable::scene::ColorSpace::Srgb;
        Texture::new(String::new(), width, height, texels, color, texture.wrap()).unwrap()
    });
    let parts = (scene.meshes().to_vec(), scene.materials().to_vec(), textures.collect());
    Arc::new(Scene::new(parts.0, parts.1, parts.2).unwrap())
}

#[test]
fn a_texture_of_one_colour_loses_to_one_that_shows_something() {
    for name in ["vase_clean.glb", "chair_clean.glb"] {
        let (print, bare) = (demo_scene(name), flattened(&demo_scene(name)));
        let (reply, choices) = pair(&print, &bare);
        assert_eq!(winner(&choices, "texture_details"), Some(Winner::A), "{}", reply.text);
        assert!(reply.text.contains("The right one is bare: "), "{}", reply.text);
        assert!(!reply.text.contains("The left one"), "{}", reply.text);
        assert_eq!(winner(&pair(&bare, &print).1, "texture_details"), Some(Winner::B));
        // Not even noise makes the print worse than no print.
        let (reply, choices) = pair(&bare, &damaged(&print, "texture-noise", 0.5));
        assert_eq!(winner(&choices, "texture_details"), Some(Winner::B), "{}", reply.text);
    }
}

#[test]
fn a_sharp_version_never_loses_to_its_blurred_copy() {
    let colored = with_vertex_colors(&demo_scene("vase_clean.glb"));
    let mut num_lost = 0;
    for sharp in [demo_scene("vase_clean.glb"), demo_scene("chair_clean.glb"), colored] {
        for level in [0.3, 0.6, 1.0] {
            let (reply, choices) = pair(&sharp, &damaged(&sharp, "blur", level));
            let found = winner(&choices, "texture_details");
            assert_ne!(found, Some(Winner::B), "{level}: {}", reply.text);
            num_lost += usize::from(found == Some(Winner::A));
        }
    }
    assert!(num_lost > 1, "{num_lost} of 9");
}

#[test]
fn more_triangles_for_a_second_head_are_no_finer_shape() {
    for name in ["vase_clean.glb", "chair_clean.glb"] {
        let clean = demo_scene(name);
        let (reply, choices) = pair(&clean, &damaged(&clean, "extra-part", 1.0));
        for key in OF_SHAPE {
            assert_ne!(winner(&choices, key), Some(Winner::B), "{key}: {}", reply.text);
        }
    }
}

/// The surface with its corners moved, without materials; its normals turned, or left out.
fn moved(scene: &Scene, to: impl Fn(Vec3) -> Vec3, turn: Option<Mat3>) -> Arc<Scene> {
    remade(scene, |parts| {
        parts.positions.iter_mut().for_each(|p| *p = to(*p));
        let normals = turn.zip(parts.normals.take());
        parts.normals = normals.map(|(turn, n)| n.into_iter().map(|n| turn * n).collect());
    })
}

#[test]
fn a_copy_that_was_turned_a_little_is_a_version() {
    for name in ["vase_clean.glb", "chair_clean.glb"] {
        let plain = moved(&demo_scene(name), |p| p, None);
        let turn = Mat3::from_rotation_y(0.17) * Mat3::from_rotation_x(0.1);
        let turned = moved(&demo_scene(name), |p| turn * p * 2.5 + Vec3::new(3.0, -1.0, 2.0), None);
        let (reply, choices) = pair(&plain, &turned);
        assert!(reply.text.contains("versions of one asset"), "{}", reply.text);
        for key in ["plausibility", "geometry_details"] {
            let found = winner(&choices, key);
            assert!(matches!(found, Some(Winner::Tie) | None), "{key}: {}", reply.text);
        }
    }
}

#[test]
fn a_version_made_anew_from_cubes_never_wins() {
    let mut num_lost = 0;
    for scene in [sphere(4), demo_scene("vase_clean.glb"), demo_scene("chair_clean.glb")] {
        for level in [0.3, 0.6] {
            let (reply, choices) = pair(&scene, &damaged(&scene, "voxels", level));
            for key in OF_SHAPE {
                let found = winner(&choices, key);
                assert!(matches!(found, Some(Winner::A) | None), "{key}: {}", reply.text);
                num_lost += usize::from(found.is_some());
            }
        }
    }
    assert!(num_lost > 0, "every pair was undecided");
}

#[test]
fn other_proportions_are_not_called_equal() {
    let ball = sphere(4);
    let wide = moved(&ball, |p| p * Vec3::new(1.3, 1.0, 1.0), None);
    let (reply, choices) = pair(&ball, &wide);
    for key in OF_SHAPE {
        assert_eq!(winner(&choices, key), None, "{key}: {}", reply.text);
    }
}

#[test]
fn a_difference_is_a_sentence_with_its_number() {
    let clean = demo_scene("vase_clean.glb");
    let worse = damaged(&clean, "floaters", 1.0);
    let parts = specimen(&worse).observed().unwrap().0.facts.parts.clone();
    let (reply, _) = pair(&clean, &worse);
    let number = format!("The right one has {} floating pieces, ", parts.floaters);
    assert!(reply.text.contains(&number), "{number}: {}", reply.text);
    assert!(!reply.text.contains("(by its"), "{}", reply.text);
}

#[test]
fn of_two_unlike_objects_nothing_is_decided_even_if_one_is_damaged() {
    for left in ["chair_clean.glb", "chair_damaged.glb"] {
        let (reply, choices) = pair(&demo_scene(left), &demo_scene("vase_clean.glb"));
        assert!(choices.iter().all(|(_, w)| w.is_none()), "{}", reply.text);
    }
}

/// The same object in centimetres, with z up, somewhere else.
fn exported_otherwise(scene: &Scene) -> Arc<Scene> {
    let turn = Mat3::from_cols(Vec3::X, Vec3::Z, -Vec3::Y);
    let to = |p| turn * p * 100.0 + Vec3::new(30.0, -70.0, 5.0);
    moved(scene, to, Some(turn))
}

#[test]
fn versions_are_known_by_their_shape_in_another_frame_and_without_textures() {
    for name in ["chair", "vase"] {
        let clean = demo_scene(&format!("{name}_clean.glb"));
        let (reply, choices) = pair(&clean, &exported_otherwise(&clean));
        assert!(reply.text.contains("versions of one asset"), "{}", reply.text);
        for key in ["geometry_details", "plausibility"] {
            let found = winner(&choices, key);
            assert_eq!(found, Some(Winner::Tie), "{key}: {}", reply.text);
        }
        // Losing the texture is a defect beyond dispute.
        let found = winner(&choices, "texture_details");
        assert_eq!(found, Some(Winner::A), "{}", reply.text);
        assert_eq!(winner(&choices, "overall"), None);
    }
}

#[test]
fn a_surface_turned_inside_out_loses_in_geometry() {
    let octahedron = |is_turned: bool| {
        let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z];
        let triangles = (0..8_u32).map(|octant| {
            let [a, b, c] = [0, 1, 2].map(|axis| 2 * axis + (octant >> axis & 1));
            let is_mirrored = octant.count_ones() % 2 == 1;
            if is_mirrored == is_turned { [a, b, c] } else { [a, c, b] }
        });
        bare(vec![x, -x, y, -y, z, -z], triangles.collect())
    };
    let (reply, choices) = pair(&octahedron(true), &octahedron(false));
    let found = winner(&choices, "geometry_details");
    assert_eq!(found, Some(Winner::B), "{}", reply.text);
    assert!(reply.text.contains("faces inwards on 100 % of the surface"), "{}", reply.text);
}

#[test]
fn the_reply_is_the_same_with_any_number_of_threads() {
    let [clean, damaged] = ["chair_clean.glb", "chair_damaged.glb"].map(demo_scene);
    let with = |count| with_threads(count, || pair(&clean, &damaged).0);
    assert_eq!(with(1), with(3));
}

#[test]
fn a_billboard_loses_in_plausibility() {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let corners = corners.map(|(x, y)| Vec3::new(x, y, 0.0)).to_vec();
    let billboard = bare(corners, vec![[0, 1, 2], [0, 2, 3]]);
    let (reply, choices) = pair(&billboard, &demo_scene("vase_clean.glb"));
    assert_eq!(winner(&choices, "plausibility"), Some(Winner::B), "{}", reply.text);
    assert!(reply.text.contains("The left one is a flat card"), "{}", reply.text);
}

fn score(name: &str) -> (Option<u8>, String) {
    let picture = |name: &str| Image::decode(&std::fs::read(demo(name)).unwrap()).unwrap();
    let photo = Arc::new((picture("photo.png"), sheet::read_mask(&picture("mask.png")).unwrap()));
    let question = question(
        "reconstruction",
        Evidence { scenes: vec![specimen(&demo_scene(name))], photo: Some(photo), picture: None },
    );
    let reply = probe::ask(&question);
    let Outcome::Verdict(Verdict::Reconstruction { score }) = read(&question, &reply) else {
        panic!("{}", reply.text)
    };
    println!("{name}\n{}", reply.text);
    (score, reply.text)
}

#[test]
fn of_the_chair_in_the_photo_neither_its_damage_nor_another_object_is_as_good() {
    let scores =
        ["chair_clean.glb", "chair_damaged.glb", "vase_clean.glb", "vase_damaged.glb"].map(score);
    // A chair of one colour is not confirmed by the photo's colours. The photo's is too thin to
    // score a vase by its outline.
    let found = scores.each_ref().map(|(score, _)| *score);
    assert_eq!(found, [Some(2), Some(1), None, None], "{scores:#?}");
}

#[test]
fn the_object_in_the_photo_fits_it_better_than_another_one() {
    let options = ViewOptions { views: Some(8), tile_px: Some(256), ..ViewOptions::default() };
    let vase = demo_scene("vase_clean.glb");
    let frames = meshjudge::render(&*vase, &options, &[Channel::Rgb, Channel::Mask]).unwrap();
    let images = &frames[1].images;
    let photo = Arc::new((images[&Channel::Rgb].clone(), images[&Channel::Mask].clone()));
    let [vase, chair] = [vase, demo_scene("chair_clean.glb")].map(|it| specimen(&it));
    let by_photo = |left: &Arc<Specimen>, right: &Arc<Specimen>| {
        let evidence = Evidence {
            scenes: vec![Arc::clone(left), Arc::clone(right)],
            photo: Some(Arc::clone(&photo)),
            picture: None,
        };
        let question = question("pairwise-image", evidence);
        let reply = probe::ask(&question);
        (read(&question, &reply), reply.text, reply.undecided)
    };
    for (left, right, winner) in [(&vase, &chair, Winner::A), (&chair, &vase, Winner::B)] {
        let (outcome, text, _) = by_photo(left, right);
        let Outcome::Verdict(Verdict::Pairwise { choices, undecided, .. }) = outcome else {
            panic!("{text}")
        };
        for key in ["geometry_fidelity", "texture_fidelity", "overall"] {
            assert!(choices.contains(&(key.to_owned(), winner)), "{key}: {text}");
        }
        assert!(undecided.contains(&"hidden_side_plausibility".to_owned()), "{text}");
        assert!(text.contains("one fits the photo less: from the best side its outline"), "{text}");
    }
    let (_, text, undecided) = by_photo(&vase, &vase);
    for key in ["geometry_fidelity", "texture_fidelity"] {
        assert!(undecided.contains(&key.to_owned()), "{text}");
    }
    assert!(text.contains("differ too little"), "{text}");
}

#[test]
fn missing_evidence_decides_nothing() {
    let asked = question(
        "reconstruction",
        Evidence { scenes: vec![specimen(&demo_scene("vase_clean.glb"))], ..Evidence::default() },
    );
    let reply = probe::ask(&asked);
    assert_eq!(reply.undecided, ["score"]);
    let undecided = Outcome::Verdict(Verdict::Reconstruction { score: None });
    assert_eq!(read(&asked, &reply), undecided);
    let asked = question("pairwise", Evidence::default());
    assert_eq!(probe::ask(&asked).undecided.len(), 6);
}

/// Discs (x, y, radius, colour) on a plain ground of 200 × 200 px.
fn discs(ground: [u8; 3], discs: &[(i32, i32, i32, [u8; 3])]) -> Image {
    let color = |i: i32| {
        let (x, y) = (i % 200, i / 200);
        let hit =
            discs.iter().find(|(cx, cy, r, _)| (x - cx) * (x - cx) + (y - cy) * (y - cy) < r * r);
        hit.map_or(ground, |disc| disc.3)
    };
    Image {
        width_px: 200,
        height_px: 200,
        format: PixelFormat::Rgb8,
        pixels: (0..40_000).flat_map(color).collect(),
    }
}

fn category(name: &str, prompt: &str, picture: Image) -> (Outcome, Vec<String>) {
    let mut question =
        question("category", Evidence { picture: Some(Arc::new(picture)), ..Evidence::default() });
    question.category = Some(name.to_owned());
    question.prompt = Some(prompt.to_owned());
    let reply = probe::ask(&question);
    (read(&question, &reply), reply.undecided)
}

fn aspect(outcome: &Outcome, key: &str) -> f64 {
    let Outcome::Verdict(Verdict::Category { aspects, .. }) = outcome else {
        panic!("{outcome:?}")
    };
    aspects[key]
}

const RED: [u8; 3] = [210, 25, 30];
const BLUE: [u8; 3] = [30, 60, 210];

#[test]
fn discs_are_counted_and_the_rest_is_left_out() {
    let three = || discs([255; 3], &[(50, 50, 20, RED), (140, 60, 20, RED), (90, 150, 20, RED)]);
    let (outcome, undecided) = category("counting", "three red balls", three());
    assert_eq!(aspect(&outcome, "count_accuracy"), 10.0);
    assert!(aspect(&outcome, "object_uniformity") > 9.5);
    assert_eq!(undecided, ["spatial_legibility"]);
    let (outcome, _) = category("counting", "a photo of 4 balls", three());
    assert_eq!(aspect(&outcome, "count_accuracy"), 0.0);
    let (_, undecided) = category("counting", "some balls", three());
    assert!(undecided.contains(&"count_accuracy".to_owned()));
    let mixed = discs([255; 3], &[(50, 50, 10, RED), (140, 60, 40, BLUE)]);
    let (outcome, _) = category("counting", "two balls", mixed);
    assert!(aspect(&outcome, "object_uniformity") < 3.0);
}

/// No score of any aspect, and none of all of them.
fn is_undecided(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Verdict(Verdict::Category { aspects, overall: None, .. }) if aspects.is_empty())
}

#[test]
fn pieces_are_no_objects_where_nothing_shows_it() {
    let two = |left, right| discs([255; 3], &[(60, 100, 30, left), (140, 100, 30, right)]);
    let (outcome, undecided) = category("two_object", "two humans", two(RED, RED));
    assert!(is_undecided(&outcome), "{outcome:?}");
    assert!(undecided.contains(&"separation_clarity".to_owned()));
    let (outcome, undecided) = category("two_object", "a red ball and a blue ball", two(RED, BLUE));
    assert!(aspect(&outcome, "separation_clarity") > 5.0);
    assert_eq!(undecided.len(), 2);
    let (outcome, _) = category("two_object", "a red ball and a green ball", two(RED, BLUE));
    assert!(is_undecided(&outcome), "{outcome:?}");
    let broken = discs([255; 3], &[(60, 100, 50, RED), (160, 100, 15, BLUE)]);
    let (_, undecided) = category("counting", "one human", broken);
    assert!(undecided.contains(&"count_accuracy".to_owned()));
}

#[test]
fn a_named_colour_and_contrast_are_measured() {
    let ball = |ground, color| discs(ground, &[(100, 100, 50, color)]);
    let (outcome, undecided) = category("colors", "a red ball", ball([255; 3], RED));
    assert!(aspect(&outcome, "color_fidelity") > 9.5);
    assert!(aspect(&outcome, "contrast_effectiveness") > 9.5);
    assert_eq!(undecided, ["multi_object_consistency"]);
    let (outcome, _) = category("colors", "a red ball", ball([255; 3], BLUE));
    assert!(aspect(&outcome, "color_fidelity") < 0.5);
    let (outcome, _) = category("colors", "a white ball", ball([200; 3], [240; 3]));
    assert!(aspect(&outcome, "contrast_effectiveness") < 5.0);
}

#[test]
fn a_busy_background_and_an_aspect_of_meaning_are_not_guessed() {
    let mut busy = discs([255; 3], &[(100, 100, 50, RED)]);
    for (i, byte) in busy.pixels.iter_mut().enumerate() {
        *byte = byte.wrapping_add(((i as u32).wrapping_mul(2_654_435_761) >> 24) as u8);
    }
    let (outcome, undecided) = category("colors", "a red ball", busy);
    assert!(is_undecided(&outcome), "{outcome:?}");
    assert_eq!(undecided.len(), 3);
    let (outcome, undecided) =
        category("position", "a ball left of a cube", discs([255; 3], &[(100, 100, 50, RED)]));
    assert!(is_undecided(&outcome), "{outcome:?}");
    assert_eq!(undecided.len(), 3);
}

/// The table of weights speaks of signs by name: one that is measured no more would be silent.
#[test]
fn every_weight_is_of_a_sign_that_is_measured() {
    #[derive(serde::Deserialize)]
    struct Table {
        provenance: String,
        model: Vec<Model>,
    }
    #[derive(serde::Deserialize)]
    struct Model {
        kind: Vec<Kind>,
    }
    #[derive(serde::Deserialize)]
    struct Kind {
        lowers: Vec<String>,
        weights: std::collections::BTreeMap<String, f64>,
        #[serde(default)]
        plain_weights: std::collections::BTreeMap<String, f64>,
    }
    let table: Table = toml::from_str(include_str!("../../crates/probe/src/weights.toml")).unwrap();
    assert!(table.provenance.contains("docs/runs/audit"));
    let clean = specimen(&demo_scene("vase_clean.glb"));
    let grainy = specimen(&damaged(clean.asset().mesh().unwrap(), "texture-noise", 1.0));
    let measured = probe::signs(&clean, &grainy).unwrap();
    let names: std::collections::BTreeSet<&str> =
        measured.signs[0].iter().map(|sign| sign.name).collect();
    assert_eq!(names.len(), measured.signs[0].len(), "a name stands for one sign");
    for kind in table.model.iter().flat_map(|model| &model.kind) {
        assert!(!kind.lowers.is_empty() && kind.weights.len() >= 2);
        for name in kind.weights.keys().chain(kind.plain_weights.keys()) {
            assert!(names.contains(&**name), "{name:?} is not measured");
        }
    }
}
