//! Figures of use on shapes whose answers are closed forms, and the gate over them.

use crate::support::assets::{Builder, Folder, png};
use crate::support::scenes;
use crate::vectors::{Shape, cube, moved, parts_of, scene_of, soup, sphere, torus, turned_over};
use glam::{DVec3, Vec2};
use meshjudge::unstable::check::{
    CheckOptions, Checked, Profile, State, ValidatorReport, check, is_ready,
};
use meshjudge::unstable::load::{Loaded, Options, Source, load_asset};
use meshjudge::unstable::measure::{ReadyFacts, measure_ready};
use meshjudge::unstable::metrics::{Facts, QualityMetric};
use meshjudge::unstable::scene::{ColorSpace, Material, Scene, Slot, Texture, TextureRef, Wrap};
use serde_json::json;

fn ready(shape: Shape) -> ReadyFacts {
    measure_ready(&scene_of(shape, Vec::new()))
}

/// A surface as the loader gives it, from the text of an OBJ file.
fn loaded((positions, triangles): &Shape) -> Loaded {
    let corner = |p: &DVec3| format!("v {} {} {}\n", p.x, p.y, p.z);
    let face = |t: &[u32; 3]| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    let text: String = positions.iter().map(corner).chain(triangles.iter().map(face)).collect();
    let source = Source::bytes(text.as_bytes(), "a.obj");
    load_asset(source, &Options::default(), Default::default()).unwrap().into_mesh().unwrap()
}

fn figure(loaded: &Loaded, name: &str) -> Result<f64, &'static str> {
    let metric: QualityMetric = name.parse().unwrap();
    metric.value(&Facts::new(loaded, 0, None))
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

fn box_of(size: DVec3, center: DVec3) -> Shape {
    moved(cube(1.0, DVec3::ZERO), |p| p * size + center)
}

#[test]
fn a_cube_is_as_thick_as_it_is_wide_and_hides_nothing() {
    let facts = ready(cube(1.0, DVec3::ZERO));
    near(facts.wall.thinnest.unwrap(), 1.0, 1e-6);
    near(facts.wall.median.unwrap(), 1.0, 1e-6);
    assert_eq!((facts.wall.backed_share, facts.wall.thin_share), (1.0, 0.0));
    assert_eq!((facts.shells.hidden_share, facts.shells.inner_shells), (0.0, 0));
    assert_eq!(facts.hard_edges, 12);
    assert_eq!(facts.overhang.area_share, 0.0);
    near(facts.overhang.bed_share, 1.0, 1e-9);
    // Above something lower, its underside is not on the bed: one of six sides.
    let raised = soup(cube(1.0, DVec3::Y * 2.0), cube(0.1, DVec3::ZERO));
    let share = ready(raised).overhang.area_share;
    near(share, 1.0 / (6.0 + 0.06), 1e-9);
}

#[test]
fn a_hollow_cube_has_a_wall_and_a_second_cube_inside_is_a_shell() {
    let (outer, inner) = (cube(1.0, DVec3::ZERO), cube(0.9, DVec3::ZERO));
    let hollow = ready(soup(outer.clone(), turned_over(inner.clone())));
    near(hollow.wall.thinnest.unwrap(), 0.05, 1e-6);
    near(hollow.wall.median.unwrap(), 0.05, 1e-6);
    near(hollow.shells.hidden_share, 0.81 / 1.81, 2e-3);
    assert_eq!((hollow.shells.inner_shells, hollow.shells.cavities), (0, 1));
    let nested = ready(soup(outer.clone(), inner));
    near(nested.shells.hidden_share, 0.81 / 1.81, 2e-3);
    assert_eq!((nested.shells.inner_shells, nested.shells.cavities), (1, 0));
    // From outside, both together are one solid.
    near(nested.wall.median.unwrap(), 1.0, 1e-6);
    // Too small for a sample of its own.
    let grain = ready(soup(outer, cube(1e-3, DVec3::splat(0.1))));
    assert_eq!(grain.shells.inner_shells, 1);
}

#[test]
fn a_plate_is_thin_on_both_faces_and_a_sheet_has_no_wall() {
    const T: f64 = 0.004;
    let plate = box_of(DVec3::new(1.0, T, 1.0), DVec3::ZERO);
    let wall = ready(plate).wall;
    near(wall.very_thin_share, 1.0 / (1.0 + 2.0 * T), 1e-3);
    near(wall.thinnest.unwrap(), T, 1e-6);
    let (positions, triangles) = cube(1.0, DVec3::ZERO);
    let sheet = loaded(&(positions, triangles[..2].to_vec()));
    assert!(figure(&sheet, "wall").unwrap_err().contains("no surface behind it"));
}

/// Tip down at the origin, with a lid.
fn cone(half_angle_degrees: f64) -> Shape {
    const ROUND: u32 = 64;
    let radius = libm::tan(half_angle_degrees.to_radians());
    let mut positions = vec![DVec3::ZERO, DVec3::Y];
    for k in 0..ROUND {
        let a = std::f64::consts::TAU * f64::from(k) / f64::from(ROUND);
        positions.push(DVec3::new(radius * libm::cos(a), 1.0, radius * libm::sin(a)));
    }
    let ring = |k: u32| 2 + k % ROUND;
    let sides = (0..ROUND).flat_map(|k| [[0, ring(k), ring(k + 1)], [1, ring(k + 1), ring(k)]]);
    (positions, sides.collect())
}

#[test]
fn a_cone_on_its_tip_hangs_over_only_if_it_is_flat() {
    let area = |(positions, triangles): &Shape, lid: bool| {
        let own = triangles.iter().filter(|t| !lid || t[0] == 0);
        own.map(|t| {
            let [a, b, c] = t.map(|v| positions[v as usize]);
            0.5 * (b - a).cross(c - a).length()
        })
        .sum::<f64>()
    };
    assert_eq!(ready(cone(30.0)).overhang.area_share, 0.0);
    let flat = cone(60.0);
    let mantle = area(&flat, true) / area(&flat, false);
    near(ready(flat).overhang.area_share, mantle, 1e-6);
}

/// A bar of 3 × 1 × 1 on a stem of 1 × 2 × 1, as one closed surface.
fn beam() -> Shape {
    let x = [-0.5, 0.5, 0.5, 1.5, 1.5, -1.5, -1.5, -0.5];
    let y = [0.0, 0.0, 2.0, 2.0, 3.0, 3.0, 2.0, 2.0];
    let at = |z: f64| std::array::from_fn::<_, 8, _>(|k| DVec3::new(x[k], y[k], z));
    let positions = [at(1.0), at(0.0)].concat();
    let front = [[0, 1, 2], [0, 2, 7], [5, 6, 7], [5, 7, 2], [5, 2, 3], [5, 3, 4]];
    let back = front.map(|[a, b, c]| [a + 8, c + 8, b + 8]);
    let sides = (0..8_u32).flat_map(|k| {
        let next = (k + 1) % 8;
        [[k, k + 8, next + 8], [k, next + 8, next]]
    });
    (positions, front.into_iter().chain(back).chain(sides).collect())
}

#[test]
fn a_beam_hangs_over_under_its_bar() {
    let overhang = ready(beam()).overhang;
    near(overhang.area_share, 2.0 / 22.0, 1e-9);
    near(overhang.support_volume, 4.0, 1e-9);
    near(overhang.bed_share, 1.0 / 3.0, 1e-9);
}

#[test]
fn a_torus_has_one_handle_and_an_open_surface_no_genus() {
    assert_eq!(figure(&loaded(&torus()), "genus"), Ok(1.0));
    assert_eq!(figure(&loaded(&sphere()), "genus"), Ok(0.0));
    assert_eq!(figure(&loaded(&soup(torus(), moved(torus(), |p| p + 9.0))), "genus"), Ok(2.0));
    let (positions, triangles) = sphere();
    assert!(figure(&loaded(&(positions, triangles[1..].to_vec())), "genus").is_err());
}

fn textured(uvs: [Vec2; 8], side_px: u32) -> Scene {
    let square = |x: f64| {
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[u, v]| DVec3::new(x + u, v, 0.0))
    };
    let positions = [square(0.0), square(2.0)].concat();
    let triangles = vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
    let parts = parts_of((positions, triangles), uvs.to_vec());
    let texels = vec![[255; 4]; (side_px * side_px) as usize];
    let texture =
        Texture::new(String::new(), side_px, side_px, texels, ColorSpace::Srgb, [Wrap::Repeat; 2]);
    let textures = [(Slot::BaseColor, Some(TextureRef::plain(0)))].into();
    let material = Material { textures, ..Material::default() };
    scenes::textured(parts, material, vec![texture.unwrap()])
}

/// Two charts of a quarter each, so far apart along u.
fn charts(gap: f32) -> [Vec2; 8] {
    let chart = |u: f32| {
        [[0.0, 0.25], [0.25, 0.25], [0.25, 0.0], [0.0, 0.0]]
            .map(|[x, y]| Vec2::new(u + x, 0.25 + y))
    };
    [chart(0.125), chart(0.375 + gap)].concat().try_into().unwrap()
}

#[test]
fn the_gutter_is_the_gap_between_charts_in_texels() {
    for (texels, count) in [(2.0, 2), (0.5, 2), (0.0, 1)] {
        let facts = measure_ready(&textured(charts(texels / 128.0), 128)).charts.unwrap();
        near(facts.gap_texels.unwrap(), if count == 1 { 2.0 } else { texels.into() }, 1e-4);
        assert_eq!(facts.count, count);
    }
    // One on top of the other.
    let facts = measure_ready(&textured(charts(-0.125), 128)).charts.unwrap();
    assert_eq!(facts.gap_texels, Some(0.0));
}

/// A cube of one named node, with a texture of 300 × 256 px, moved at the root.
fn chest() -> Builder {
    let mut builder = Builder::new();
    let (positions, triangles) = cube(1.0, DVec3::ZERO);
    let flat: Vec<f32> = positions.iter().flat_map(|p| p.as_vec3().to_array()).collect();
    let position = builder.floats("VEC3", &flat);
    let uv = builder.floats("VEC2", &flat[..16]);
    let indices: Vec<u16> = triangles[..10].iter().flatten().map(|&v| v as u16).collect();
    let bytes: Vec<u8> = indices.iter().flat_map(|v| v.to_le_bytes()).collect();
    let indices = builder.accessor(5123, "SCALAR", indices.len(), &bytes);
    let view = builder.view(&png(300, 256, &[[9, 9, 9, 255]; 300 * 256]));
    builder.push("images", json!({"bufferView": view, "mimeType": "image/png", "name": "wood"}));
    builder.push("textures", json!({"source": 0}));
    let pbr = json!({"baseColorTexture": {"index": 0}});
    builder.push("materials", json!({"name": "oak", "pbrMetallicRoughness": pbr}));
    let attributes = json!({"POSITION": position, "TEXCOORD_0": uv});
    builder.primitive(json!({"attributes": attributes, "indices": indices, "material": 0}));
    builder.json["nodes"][0]["name"] = json!("chest");
    builder.json["nodes"][0]["scale"] = json!([0.01, 0.01, 0.01]);
    builder
}

fn limits(text: &str) -> Profile {
    let entries: Vec<String> = text
        .split(", ")
        .map(|limit| {
            let (figure, bound) = limit.split_once(' ').unwrap();
            format!("[[limits]]\nfigure = '{figure}'\nwhy = 'x'\n{bound}\n")
        })
        .collect();
    Profile::parse(&format!("name = 'test'\n{}", entries.join("")), "test").unwrap()
}

fn states(rows: &[Checked]) -> Vec<(&str, State, &str)> {
    rows.iter().map(|row| (row.figure, row.state, row.found.as_str())).collect()
}

#[test]
fn the_structure_of_a_file_is_checked_and_faults_have_places() {
    let loaded = chest().load().unwrap();
    let profile = limits(
        "texture_px at_most = '256 px', power_of_two is = true, plain_root is = true, \
         height at_least = '10 mm', watertight is = true, open_edges at_most = 0, \
         draw_calls at_most = 1, gpu_bytes at_most = '1 MiB', inner_shells at_most = 0, \
         joints at_most = 0, validator_errors at_most = 0",
    );
    let rows = check(&loaded, 1, &profile, &CheckOptions::default());
    assert_eq!(
        states(&rows)[..6],
        [
            ("texture_px", State::Failed, "300 px"),
            ("power_of_two", State::Failed, "no"),
            ("plain_root", State::Failed, "no"),
            ("height", State::Passed, "10 mm"),
            ("watertight", State::Failed, "no"),
            ("open_edges", State::Failed, "4"),
        ]
    );
    assert_eq!(rows[0].places, ["texture \"wood\" (300 × 256 px)"]);
    assert_eq!(rows[2].places, ["node \"chest\""]);
    assert_eq!(rows[5].places, ["mesh \"chest\", material \"oak\""]);
    let rest: Vec<State> = rows[6..].iter().map(|row| row.state).collect();
    assert_eq!(rest[..4], [State::Passed; 4]);
    // Not measured is never a pass.
    assert_eq!((rest[4], rows[10].is_blocking), (State::NotMeasured, true));
    let mips: u32 =
        [300 * 256, 150 * 128, 75 * 64, 37 * 32, 18 * 16, 9 * 8, 4 * 4, 2 * 2, 1].iter().sum();
    assert_eq!(rows[7].value.unwrap() * 1_048_576.0, f64::from(4 * mips));
    assert!(!is_ready(&rows));
}

#[test]
fn a_length_needs_a_unit_that_the_file_or_the_user_gives() {
    let cube = loaded(&cube(20.0, DVec3::ZERO));
    let profile = limits("size at_least = '2 cm'");
    let unknown = check(&cube, 1, &profile, &CheckOptions::default());
    assert_eq!(unknown[0].state, State::NotMeasured);
    assert!(unknown[0].found.contains("has no unit"), "{}", unknown[0].found);
    let options = CheckOptions { metres_per_unit: Some(1e-3), ..CheckOptions::default() };
    let known = check(&cube, 1, &profile, &options);
    assert_eq!((known[0].state, known[0].found.as_str()), (State::Passed, "2 cm"));
}

#[test]
fn wrong_profiles_say_what_is_wrong() {
    let error = |limit: &str| {
        let text = format!("name = 'x'\n[[limits]]\nwhy = 'x'\n{limit}");
        Profile::parse(&text, "x.toml").unwrap_err().to_string()
    };
    let cases = [
        ("figure = 'triangel'\nat_most = 5", "the nearest is \"triangles\""),
        ("figure = 'wall'\nat_least = 0.8", "needs a number with a unit in quotes, as in \"5 mm\""),
        ("figure = 'wall'\nat_least = '1 px'", "known units: mm, cm, m, in"),
        ("figure = 'triangles'\nat_most = '5 px'", "counted in plain numbers"),
        ("figure = 'watertight'\nat_least = 1", "write `is = true`"),
        ("figure = 'triangles'", "needs at_most, at_least or is"),
        ("figure = 'triangles'\nat_most = 1\nat_least = 2", "which nothing is"),
        ("figure = 'wall'\nat_least = '1 mm'\nat_most = '1 cm'", "two units"),
        ("figure = 'triangles'\nmost = 5", "unknown field `most`"),
    ];
    for (limit, wanted) in cases {
        let found = error(limit);
        assert!(found.contains(wanted) && found.contains("x.toml"), "{limit}: {found}");
    }
    for name in ["game", "web", "print", "vrchat", "3d-commerce"] {
        assert_eq!(Profile::open(name).unwrap().name, name);
    }
    assert!(Profile::open("gamee").unwrap_err().to_string().contains("game, web, print"));
}

#[test]
fn a_report_of_another_file_is_refused() {
    let folder = Folder::new();
    let builder = chest();
    let asset = folder.write("my chair.glb", builder.glb());
    let report = |uri: &str, bytes: usize| {
        let message =
            json!({"code": "NODE_EMPTY", "message": "empty", "severity": 0, "pointer": "/nodes/0"});
        json!({
            "uri": uri,
            "issues": {"numErrors": 1, "numWarnings": 2, "numInfos": 0, "numHints": 0, "messages": [message], "truncated": false},
            "info": {"resources": [{"pointer": "/buffers/0", "storage": "glb", "byteLength": bytes}]},
        })
        .to_string()
    };
    let length = builder.json["bufferViews"].as_array().unwrap().last().unwrap();
    let length = length["byteOffset"].as_u64().unwrap() + length["byteLength"].as_u64().unwrap();
    folder.write("reports/my chair.report.json", report("x/my%20chair.glb", length as usize));
    let found = ValidatorReport::open(&folder.dir.path().join("reports"), &asset).unwrap();
    assert_eq!((found.num_errors, found.num_warnings), (1, 2));
    let options = CheckOptions { report: Some(&found), ..CheckOptions::default() };
    let rows =
        check(&builder.load().unwrap(), 1, &limits("validator_errors at_most = 0"), &options);
    assert_eq!(rows[0].places, ["NODE_EMPTY /nodes/0: empty"]);
    for (text, wanted) in [
        (report("other.glb", length as usize), "is about \"other.glb\""),
        (report("my chair.glb", 12), "12 bytes of binary data"),
        ("{}".to_owned(), "not a report of the glTF Validator"),
    ] {
        let path = folder.write("one.json", text);
        let error = ValidatorReport::open(&path, &asset).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn the_document_defines_every_figure() {
    let document = include_str!("../../docs/METRICS.md");
    let names: Vec<&str> = QualityMetric::all().map(QualityMetric::name).collect();
    assert!(names.len() > 50, "{}", names.len());
    for name in names {
        assert!(document.contains(&format!("`{name}`")), "{name}");
    }
}
