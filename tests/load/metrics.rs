//! Geometry against a reference: every expected value of `tests/data/metrics_vectors.json`, what a
//! surface is against itself, and what alignment recovers.

use crate::support::scenes::with_threads;
use crate::vectors::{
    Lcg, Shape, assert_near, bowl, cube, moved, named, points_of, soup, sphere, surface, torus,
    turned_over, vectors,
};
use glam::{DMat3, DQuat, DVec3};
use meshjudge::unstable::metrics::parts::{
    Distances, Grid, PointTree, Sample, SurfaceTree, Winding, earthmover, f_score, inside, mean,
    mean_square, overlap, quantile, sample, sample_with, share_within, to_points,
};
use meshjudge::unstable::metrics::{
    Align, CompareSettings, Comparison, Definition, Metric, MetricError, Reference, Surface, Unit,
};
use serde_json::Value;

/// Distances of each point to the nearest of the others.
fn nearest(from: &[DVec3], to: &[DVec3]) -> Vec<f64> {
    let tree = PointTree::new(to);
    let far = |p: &DVec3| tree.nearest(*p, None).unwrap().distance_squared.sqrt();
    from.iter().map(far).collect()
}

/// A number by its name in the vectors.
fn of_points(name: &str, a: &[f64], b: &[f64]) -> Option<f64> {
    if let Some(rest) = name.split_once('@') {
        let is_strict = !rest.1.ends_with("<=");
        let threshold: f64 = rest.1.split(' ').next()?.parse().ok()?;
        let [p, r] = [a, b].map(|d| share_within(d, threshold, is_strict));
        return match rest.0 {
            "P" => Some(p),
            "R" => Some(r),
            "F" => Some(f_score(p, r)),
            _ => None,
        };
    }
    let larger = |share| quantile(a, share).max(quantile(b, share));
    Some(match name {
        "acc" => mean(a),
        "comp" => mean(b),
        "acc2" => mean_square(a),
        "comp2" => mean_square(b),
        "cd_l1_half" | "eval3r.l1_mean_bidirectional" => 0.5 * (mean(a) + mean(b)),
        "cd_l1_sum"
        | "pcu.chamfer_distance"
        | "eval3r.l1_sum_bidirectional"
        | "eval3r.l2_unsquared" => mean(a) + mean(b),
        "cd_l2_half" => 0.5 * (mean_square(a) + mean_square(b)),
        "cd_l2_sum" | "eval3r.l2_squared" => mean_square(a) + mean_square(b),
        "hausdorff" | "pcu.hausdorff_distance" => larger(1.0),
        "q50_max_of_both" => larger(0.5),
        "q90_max_of_both" => larger(0.9),
        "q95_max_of_both" => larger(0.95),
        "q99_max_of_both" => larger(0.99),
        _ => return None,
    })
}

fn listed(points: &Value) -> Vec<DVec3> {
    let each = points.as_array().unwrap().iter();
    each.map(|p| DVec3::from_array(std::array::from_fn(|k| p[k].as_f64().unwrap()))).collect()
}

/// `sample_lcg(NAME, n=…, seed=…)`.
fn sampled(text: &str) -> (Surface, Vec<Sample>) {
    let inner = text.strip_prefix("sample_lcg(").unwrap();
    let (name, rest) = inner.split_once(',').unwrap();
    let number = |key: &str| -> u64 {
        let at = rest.find(key).unwrap() + key.len();
        let digits = rest[at..].split(|c: char| !c.is_ascii_digit()).next();
        digits.unwrap().parse().unwrap()
    };
    let (count, seed) = (number("n=") as usize, number("seed="));
    let surface = surface(named(name));
    let mut lcg = Lcg::new(seed);
    let draws: Vec<[f64; 3]> = (0..count).map(|_| [lcg.unit(), lcg.unit(), lcg.unit()]).collect();
    let samples = sample_with(&surface, count, |k| draws[k]);
    (surface, samples)
}

#[test]
fn the_published_point_distances_come_out() {
    let mut checked = 0;
    for vector in vectors("pp") {
        let id = vector["id"].as_str().unwrap();
        let text = |key: &str| vector["input"][key].as_str().unwrap_or("");
        let mut cosines = None;
        let (p, q) = if text("P").starts_with("sample_lcg") {
            let ((a, p), (b, q)) = (sampled(text("P")), sampled(text("Q")));
            let tree = |s: &[Sample]| PointTree::new(&places(s));
            cosines =
                Some([to_points(&p, &a, &q, &tree(&q), &b), to_points(&q, &b, &p, &tree(&p), &a)]);
            (places(&p), places(&q))
        } else if text("P").starts_with("points(") {
            (points_of(text("P")), points_of(text("Q")))
        } else if id == "pp-cube-corners" {
            let p = cube(1.0, DVec3::ZERO).0;
            let q = p.iter().map(|p| *p + DVec3::X * 0.25).collect();
            (p, q)
        } else {
            (listed(&vector["input"]["P"]), listed(&vector["input"]["Q"]))
        };
        let (a, b) = (nearest(&p, &q), nearest(&q, &p));
        for (name, expected) in vector["expect"].as_object().unwrap() {
            let what = format!("{id} {name}");
            if let Some(list) = expected.as_array() {
                // Open3D's, in single precision; its F-scores are in percent.
                let names = ["cd_l1_sum", "hausdorff", "F@0.05", "F@0.1"];
                for (k, (name, expected)) in names.iter().zip(list).enumerate() {
                    let found = of_points(name, &a, &b).unwrap() * if k > 1 { 100.0 } else { 1.0 };
                    let expected = expected.as_f64().unwrap();
                    assert!((found - expected).abs() < 1e-6 * expected.max(1.0), "{what}");
                }
                checked += 1;
                continue;
            }
            let mean_cos = |is_signed: bool| {
                let [a, b] = cosines.as_ref().unwrap();
                let mean = |d: &Distances| {
                    let of = |c: &f64| if is_signed { *c } else { c.abs() };
                    d.cosines.iter().map(of).sum::<f64>() / d.cosines.len() as f64
                };
                0.5 * (mean(a) + mean(b))
            };
            let found = match name.as_str() {
                "emd" | "emd_mean" => earthmover(&p, &q).unwrap(),
                "nc_abs_half" => mean_cos(false),
                "nc_signed_half" => mean_cos(true),
                _ => of_points(name, &a, &b).unwrap_or_else(|| panic!("{what}")),
            };
            assert_near(found, expected.as_f64().unwrap(), &what);
            checked += 1;
        }
    }
    assert!(checked > 120, "{checked}");
}

fn places(samples: &[Sample]) -> Vec<DVec3> {
    samples.iter().map(|s| s.point).collect()
}

#[test]
fn the_published_distances_to_triangles_and_winding_numbers_come_out() {
    let mut checked = 0;
    for vector in vectors("pt").into_iter().chain(vectors("wn")) {
        let id = vector["id"].as_str().unwrap();
        let (input, expect) = (&vector["input"], &vector["expect"]);
        let mesh = input["mesh"].as_str().unwrap_or("");
        if id == "pt-one-triangle" || id == "pt-degenerate" {
            let lone = |corners: &Value| {
                // A second triangle far away: a surface has some area.
                let mut positions = listed(corners);
                positions.extend([1e6, 1e6 + 1.0].map(DVec3::splat));
                positions.push(DVec3::new(1e6, 2e6, 1e6));
                SurfaceTree::new(&surface((positions, vec![[0, 1, 2], [3, 4, 5]])))
            };
            let triangles = match input.get("triangles") {
                Some(several) => several.as_object().unwrap().clone(),
                None => [("squared".to_owned(), input["triangle"].clone())].into_iter().collect(),
            };
            for (name, corners) in triangles {
                let tree = lone(&corners);
                for (k, p) in listed(&input["points"]).into_iter().enumerate() {
                    let found = tree.closest(p, None).distance_squared;
                    let expected = expect[&name][k].as_f64().unwrap();
                    assert_near(found, expected, &format!("{id} {name} {k}"));
                    checked += 1;
                }
            }
            continue;
        }
        let shape = match mesh {
            "cube without its two y=+0.5 faces" => without_top(),
            "cube, first face turned" => {
                let (positions, mut triangles) = cube(1.0, DVec3::ZERO);
                triangles[0].swap(1, 2);
                (positions, triangles)
            }
            "cube(1) and cube(1) at (0.5,0,0), one soup" => {
                soup(cube(1.0, DVec3::ZERO), cube(1.0, DVec3::X * 0.5))
            }
            "cube(1) with all faces turned" => turned_over(cube(1.0, DVec3::ZERO)),
            name => named(name),
        };
        let tree = SurfaceTree::new(&surface(shape));
        let winding = Winding::new(&tree);
        let at = match input["points"].as_str() {
            Some(text) => points_of(text),
            None => listed(&input["points"]),
        };
        let fast_off = |p: &DVec3| (winding.fast(*p) - winding.exact(*p)).abs();
        assert!(at.iter().map(fast_off).fold(0.0, f64::max) < 0.0035, "{id}");
        if id == "wn-fast-bowl" {
            let inside = at.iter().filter(|p| winding.exact(**p) > 0.5).count();
            let fast = at.iter().filter(|p| winding.fast(**p) > 0.5).count();
            assert_eq!(expect["inside"], inside);
            assert_eq!(inside, fast, "no sign of w - 1/2 changes");
            let sum: f64 = at.iter().map(|p| winding.exact(*p)).sum();
            assert!((sum - expect["sum_winding"].as_f64().unwrap()).abs() < 1e-6);
            checked += 1;
            continue;
        }
        for (k, p) in at.into_iter().enumerate() {
            let what = format!("{id} {k}");
            let expected = expect["winding_number"][k].as_f64().unwrap();
            assert_near(winding.exact(p), expected, &what);
            if let Some(distance) = expect["distance"][k].as_f64() {
                assert_near(tree.closest(p, None).distance_squared.sqrt(), distance, &what);
            }
            checked += 1;
        }
    }
    assert!(checked > 150, "{checked}");
}

fn without_top() -> Shape {
    let (positions, triangles) = cube(1.0, DVec3::ZERO);
    let is_top = |t: &[u32; 3]| t.iter().all(|&v| positions[v as usize].y > 0.0);
    let rest = triangles.iter().filter(|t| !is_top(t)).copied().collect();
    (positions, rest)
}

#[test]
fn the_published_volumes_come_out() {
    for vector in vectors("iou") {
        let id = vector["id"].as_str().unwrap();
        let (a, b) = (&vector["input"]["A"], &vector["input"]["B"]);
        let a = named(a.as_str().unwrap());
        let b = match b.as_str().unwrap() {
            "cube(1) at (0.25,0,0)" => cube(1.0, DVec3::X * 0.25),
            "cube(0.5)" => cube(0.5, DVec3::ZERO),
            "cube(1) at (2,0,0)" => cube(1.0, DVec3::X * 2.0),
            "cube(1) at (0.5,0.5,0)" => cube(1.0, DVec3::new(0.5, 0.5, 0.0)),
            "sphere * 0.5" => moved(sphere(), |p| p * 0.5),
            "torus with (x,y,z) -> (y,-x,z)" => moved(torus(), |p| DVec3::new(p.y, -p.x, p.z)),
            "torus + (0,0.2,0.1)" => moved(torus(), |p| p + DVec3::new(0.0, 0.2, 0.1)),
            other => panic!("{other}"),
        };
        let [a, b] = [surface(a), surface(b)];
        let trees = [SurfaceTree::new(&a), SurfaceTree::new(&b)];
        for cells in [32, 64] {
            let grid = Grid::over(DVec3::splat(-1.7), DVec3::splat(1.7), cells).unwrap();
            let found = overlap(&inside(&a, &trees[0], &grid), &inside(&b, &trees[1], &grid));
            let expected = &vector["expect"][format!("grid{cells}")];
            let found = [found.intersection, found.union].map(|n| Some(n as u64));
            assert_eq!([0, 1].map(|k| expected[k].as_u64()), found, "{id} {cells}");
        }
    }
}

/// The mean over the surface in closed form: every face of the cube is cut where the distance has a
/// kink, into triangles over which it is linear, and the rule of the three edges' middles is exact
/// for squares.
#[test]
fn the_mean_distance_of_a_shifted_cube_is_the_closed_form() {
    let other = surface(cube(1.0, DVec3::X * 0.25));
    let tree = SurfaceTree::new(&other);
    let (mut sum, mut squares, mut area) = (0.0, 0.0, 0.0);
    let quarter = |k: i32| f64::from(k) * 0.25 - 0.5;
    for (axis, side) in (0..3).flat_map(|axis| [(axis, -0.5), (axis, 0.5)]) {
        let at = |u: f64, v: f64| {
            let mut p = DVec3::ZERO;
            p[axis] = side;
            p[(axis + 1) % 3] = u;
            p[(axis + 2) % 3] = v;
            p
        };
        for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
            let (u, v) = (quarter(i), quarter(j));
            let middle = at(u + 0.125, v + 0.125);
            let corners = [at(u, v), at(u + 0.25, v), at(u + 0.25, v + 0.25), at(u, v + 0.25)];
            for k in 0..4 {
                let [a, b, c] = [middle, corners[k], corners[(k + 1) % 4]];
                let own = 0.5 * (b - a).cross(c - a).length();
                for p in [a + b, b + c, c + a].map(|p| p * 0.5) {
                    let squared = tree.closest(p, None).distance_squared;
                    sum += squared.sqrt() * own / 3.0;
                    squares += squared * own / 3.0;
                }
                area += own;
            }
        }
    }
    let expect = vectors("surf")[0]["expect"].clone();
    assert_near(sum / area, expect["mean_d"].as_f64().unwrap(), "mean d");
    assert_near(squares / area, expect["mean_d2"].as_f64().unwrap(), "mean d²");
    // Drawn points come as near as so many can.
    let compared = compare(
        surface(cube(1.0, DVec3::ZERO)),
        other,
        &["cd_l1_half", "cd_l2_half", "hausdorff", "f@0.1", "f@0.02"],
        Align::None,
    );
    for (name, key, near) in [
        ("cd_l1_half", "mean_d", 0.001),
        ("cd_l2_half", "mean_d2", 0.0004),
        ("hausdorff", "hausdorff", 1e-9),
        ("f@0.1", "F@0.1", 0.005),
        ("f@0.02", "F@0.02", 0.005),
    ] {
        let found = compared.value(name).unwrap();
        let expected = expect[key].as_f64().unwrap();
        assert!((found - expected).abs() < near, "{name}: {found}, {expected}");
    }
}

#[test]
fn points_of_one_surface_stand_as_far_apart_as_published() {
    for vector in vectors("floor") {
        let id = vector["id"].as_str().unwrap();
        let surface = surface(named(vector["input"]["mesh"].as_str().unwrap()));
        let count = vector["input"]["points"].as_u64().unwrap() as usize;
        let rounds = vector["input"]["repetitions"].as_u64().unwrap().min(6);
        let mut sums = [0.0; 5];
        for seed in 0..rounds {
            let [p, q] = [seed, 10_000 + seed].map(|seed| sample(&surface, count, seed));
            let trees = [&p, &q].map(|s| PointTree::new(&places(s)));
            let a = to_points(&p, &surface, &q, &trees[1], &surface);
            let b = to_points(&q, &surface, &p, &trees[0], &surface);
            let near = |d: &Distances| share_within(&d.lengths, 0.01, true);
            let cosine =
                |d: &Distances| mean(&d.cosines.iter().map(|c| c.abs()).collect::<Vec<_>>());
            for (sum, value) in sums.iter_mut().zip([
                mean(&a.lengths) + mean(&b.lengths),
                mean_square(&a.lengths) + mean_square(&b.lengths),
                quantile(&a.lengths, 1.0).max(quantile(&b.lengths, 1.0)),
                f_score(near(&a), near(&b)),
                0.5 * (cosine(&a) + cosine(&b)),
            ]) {
                *sum += value / rounds as f64;
            }
        }
        let names = ["cd_l1_sum", "cd_l2_sum", "hausdorff", "F@0.01", "nc_abs_half"];
        for (name, found) in names.iter().zip(sums) {
            let [expected, sd] = [0, 1].map(|k| vector["expect"][name][k].as_f64().unwrap());
            let runs = vector["input"]["repetitions"].as_f64().unwrap();
            let off = 4.0 * sd * (1.0 / rounds as f64 + 1.0 / runs).sqrt();
            assert!((found - expected).abs() < off, "{id} {name}: {found}, {expected} ± {off}");
        }
    }
}

#[test]
fn unused_vertices_move_neither_box_nor_centre() {
    let vector = &vectors("norm")[0]["expect"];
    let (mut positions, triangles) =
        moved(torus(), |p| p * DVec3::new(1.0, 0.5, 2.0) + DVec3::new(3.0, -1.0, 2.0));
    positions.push(DVec3::new(6.5, -1.0, 2.0));
    let surface = surface((positions, triangles));
    for k in 0..3 {
        let expected = |which: usize| vector["bbox_used_vertices"][which][k].as_f64().unwrap();
        assert_near(surface.min()[k], expected(0), "min");
        assert_near(surface.max()[k], expected(1), "max");
        let centroid = vector["area_centroid"][k].as_f64().unwrap();
        assert_near(surface.centroid()[k], centroid, "centroid");
    }
    let expected = |name: &str| vector[name].as_f64().unwrap();
    assert_near(surface.longest_side(), expected("longest_side_used"), "side");
    assert_near(surface.diagonal(), expected("diagonal_used"), "diagonal");
}

fn settings(metrics: &[impl AsRef<str>], align: Align) -> CompareSettings {
    CompareSettings {
        metrics: metrics.iter().map(|m| m.as_ref().parse().unwrap()).collect(),
        samples: 20_000,
        align,
        unit: Unit::Longest,
        cells: 32,
        matched: 200,
        ..CompareSettings::default()
    }
}

fn compare(
    result: Surface,
    reference: Surface,
    metrics: &[impl AsRef<str>],
    align: Align,
) -> Comparison {
    let reference = Reference::of(reference, &settings(metrics, align)).unwrap();
    reference.compare_surface(result).unwrap()
}

/// Every metric there is, the thresholded ones at 0.01.
fn all_metrics() -> Vec<String> {
    let forms = |name: &str| ["", "_pp", "@0.01", "_pp@0.01"].map(|form| format!("{name}{form}"));
    let is_metric = |text: &String| text.parse::<Metric>().is_ok();
    let names: Vec<String> = Metric::names().flat_map(forms).filter(is_metric).collect();
    assert!(names.len() > 40, "{names:?}");
    names
}

/// Shapes that are hard on rounding: thin triangles, layers on each other, faces both ways round,
/// far from the origin.
fn awkward() -> Shape {
    let far = DVec3::new(1000.3, -77.7, 31.1);
    let skewed = |p: DVec3| p * DVec3::new(1.0, 1e-3, 0.7) + far;
    let both = soup(moved(torus(), skewed), turned_over(moved(torus(), skewed)));
    soup(both, moved(sphere(), |p| p * 0.4 + far))
}

#[test]
fn a_surface_against_itself_is_exactly_perfect() {
    let names = all_metrics();
    for (shape, align) in [
        (torus(), Align::None),
        (awkward(), Align::None),
        (awkward(), Align::Box),
        (torus(), Align::Search),
        (bowl(), Align::None),
    ] {
        // The same triangles in another order, with another first vertex where that keeps the
        // points drawn.
        let compared = compare(surface(shape.clone()), surface(shape), &names, align);
        for value in &compared.values {
            let perfect = if value.metric.is_lower_better() { 0.0 } else { 1.0 };
            if value.why.as_deref() == Some("no sample of the reference is on a sharp edge") {
                continue;
            }
            assert_eq!(value.value, Some(perfect), "{} {align:?}", value.metric);
        }
        assert_eq!(compared.alignment.residual_after, compared.alignment.residual_before);
    }
}

#[test]
fn another_order_of_the_triangles_is_the_same_surface() {
    let (positions, triangles) = awkward();
    let turned: Vec<[u32; 3]> = triangles.iter().rev().map(|&[a, b, c]| [b, c, a]).collect();
    let names = ["cd_l1_half", "cd_l2_sum", "hausdorff", "f@0.0001", "nc", "nc_signed"];
    let turned = surface((positions.clone(), turned));
    let compared = compare(turned, surface((positions, triangles)), &names, Align::None);
    let values: Vec<f64> = compared.values.iter().map(|v| v.value.unwrap()).collect();
    assert_eq!(values, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let names = all_metrics();
    let with = |count| {
        let result = moved(torus(), |p| DMat3::from_rotation_x(0.4) * p * 1.1);
        let run = || compare(surface(result), surface(bowl()), &names, Align::Search);
        serde_json::to_string(&with_threads(count, run)).unwrap()
    };
    assert_eq!(with(1), with(3));
}

/// Not the same after any turn.
fn lopsided() -> Shape {
    let arm = moved(sphere(), |p| p * DVec3::new(0.2, 0.7, 0.15) + DVec3::new(0.9, 0.6, 0.1));
    let foot = cube(0.5, DVec3::new(-0.7, -0.8, 0.45));
    soup(soup(torus(), arm), foot)
}

/// A turn, a scale and a shift drawn from a seed.
fn any_similarity(seed: u64) -> impl Fn(DVec3) -> DVec3 {
    let mut lcg = Lcg::new(seed);
    let mut signed = || 2.0 * lcg.unit() - 1.0;
    let q = DQuat::from_xyzw(signed(), signed(), signed(), signed()).normalize();
    let scale = libm::exp(1.5 * signed());
    let shift = DVec3::new(signed(), signed(), signed()) * 5.0;
    move |p| q * p * scale + shift
}

#[test]
fn the_search_undoes_any_turn_scale_and_shift() {
    let shapes = [("lopsided", lopsided()), ("torus", torus()), ("bowl", bowl())];
    for (name, shape) in shapes {
        for seed in 0..2 {
            let map = any_similarity(900 + seed);
            let result = surface(moved(shape.clone(), &map));
            let compared = compare(result, surface(shape.clone()), &["cd_l1_half"], Align::Search);
            let found = &compared.alignment;
            assert!(found.residual_after < 1e-5, "{name} {seed}: {found:?}");
            assert!((found.reference_from_result.rotation.determinant() - 1.0).abs() < 1e-9);
            assert!(!found.is_mirror_better(), "{name} {seed}: {found:?}");
            assert!(compared.value("cd_l1_half").unwrap() < 1e-4);
        }
    }
}

#[test]
fn a_mirrored_a_smaller_and_a_partial_result_are_told_as_they_are() {
    let mirrored = turned_over(moved(lopsided(), |p| DVec3::new(-p.x, p.y, p.z)));
    let compared = compare(surface(mirrored), surface(lopsided()), &["cd_l1_half"], Align::Search);
    assert!(compared.alignment.is_mirror_better(), "{:?}", compared.alignment);
    assert!(compared.value("cd_l1_half").unwrap() > 0.005);

    let smaller = || surface(moved(lopsided(), |p| p * 0.5));
    let unaligned = compare(smaller(), surface(lopsided()), &["cd_l1_half"], Align::None);
    assert!((unaligned.size_ratio - 0.5).abs() < 1e-9);
    assert!(unaligned.value("cd_l1_half").unwrap() > 0.05);
    let boxed = compare(smaller(), surface(lopsided()), &["cd_l1_half"], Align::Box);
    assert!((boxed.alignment.scale - 2.0).abs() < 1e-9);
    assert!(boxed.value("cd_l1_half").unwrap() < 1e-9);

    let names = ["acc", "comp", "asymmetry", "recall@0.01", "iou", "volume_ratio"];
    let partial = compare(surface(torus()), surface(lopsided()), &names, Align::None);
    assert!(partial.value("acc").unwrap() < 1e-3);
    assert!(partial.value("comp").unwrap() > 0.01);
    assert!(partial.value("asymmetry").unwrap() > 0.01);
    assert!(partial.value("recall@0.01").unwrap() < 0.95);
    assert!(partial.value("volume_ratio").unwrap() < 0.95);
}

/// Which way faces point changes nothing of what they enclose: all of them, of one part, as the
/// result or the reference, closed or open.
#[test]
fn inside_out_surfaces_enclose_the_same() {
    let names = ["iou", "volume_ratio"];
    let numbers = |x: Shape, y: Shape| {
        let found = compare(surface(x), surface(y), &names, Align::None);
        (names.map(|name| found.value(name).unwrap()), found.result.faces_inwards)
    };
    let apart = |shape: Shape| soup(shape, moved(sphere(), |p| p * 0.3 + DVec3::X * 2.0));
    for shape in [cube(1.0, DVec3::splat(0.2)), bowl(), torus()] {
        let other = moved(shape.clone(), |p| p * 1.1);
        let (expected, faces_inwards) = numbers(shape.clone(), other.clone());
        assert!(!faces_inwards && expected[0] > 0.0, "{faces_inwards} {expected:?}");
        assert_eq!(numbers(turned_over(shape.clone()), other.clone()), (expected, true));
        assert_eq!(numbers(shape.clone(), turned_over(other)), (expected, false));
    }
    let (expected, _) = numbers(apart(torus()), apart(sphere()));
    assert_eq!(numbers(apart(turned_over(torus())), apart(sphere())).0, expected);
}

#[test]
fn open_surfaces_have_a_volume_and_flat_ones_say_that_they_have_none() {
    let compared = compare(surface(bowl()), surface(sphere()), &["iou"], Align::None);
    let iou = compared.value("iou").unwrap();
    assert!((0.4..0.6).contains(&iou), "{iou}");
    assert!(!compared.result.is_closed && compared.reference.is_closed);
    let flat = || surface((vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]));
    let compared = compare(flat(), flat(), &["iou", "cd_l1_half"], Align::None);
    assert_eq!(compared.values[0].value, None);
    assert_eq!(compared.values[0].why.as_deref(), Some("the reference encloses no volume"));
    assert_eq!(compared.value("cd_l1_half"), Some(0.0));
}

#[test]
fn each_number_names_what_decides_it() {
    let of = |metric: &str, change: &dyn Fn(&mut CompareSettings)| {
        let mut settings = CompareSettings::default();
        change(&mut settings);
        Definition::of(&metric.parse().unwrap(), &settings).hash()
    };
    let plain = |metric: &str| of(metric, &|_| {});
    for metric in ["cd_l1_half", "f@0.01", "nc", "iou", "emd"] {
        assert_ne!(plain(metric), of(metric, &|s| s.align = Align::Search), "{metric}");
    }
    assert_ne!(plain("cd_l1_half"), plain("cd_l1_half_pp"));
    assert_ne!(plain("f@0.01"), plain("f@0.02"));
    assert_ne!(plain("cd_l1_half"), of("cd_l1_half", &|s| s.seed = 1));
    assert_ne!(plain("cd_l1_half"), of("cd_l1_half", &|s| s.samples = 7));
    assert_ne!(plain("cd_l1_half"), of("cd_l1_half", &|s| s.unit = Unit::File));
    // What has no part in a number does not change its hash.
    assert_eq!(plain("nc"), of("nc", &|s| s.unit = Unit::File));
    assert_eq!(plain("iou"), of("iou", &|s| s.samples = 7));
    assert_eq!(plain("cd_l1_half"), of("cd_l1_half", &|s| s.cells = 7));
    // A change here is a change of `DEFINITIONS_VERSION`.
    assert_eq!(
        Definition::of(&"f_pp@0.01".parse().unwrap(), &CompareSettings::default()).to_json(),
        "{\"metric\":\"f_pp@0.01\",\"formula\":\"2 P R / (P + R), 0 where P + R = 0; P = share of a < threshold, R = share of b < \
         threshold\",\"version\":1,\"distance\":\"point-point\",\"threshold\":0.01,\"samples\":100000,\"sampler\":\"area-uniform, \
         SplitMix64 by index, one seed for both\",\"seed\":0,\"unit\":\"longest\",\"align\":\"none\",\"missing\":\"no value; what is \
         made of that is decided where values are collected\"}"
    );
}

#[test]
fn what_cannot_be_measured_is_refused_with_the_reason() {
    let refused = |text: &str| text.parse::<Metric>().unwrap_err().to_string();
    assert!(refused("chamfer").contains("use one of acc, comp"));
    assert!(refused("f").contains("f@0.01"));
    assert!(refused("f@nan").contains("above 0"));
    assert!(refused("iou_pp").contains("unknown metric"));
    assert!(refused("nc@0.1").contains("unknown metric"));
    let flat = (vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0], vec![[0, 1, 2]]);
    let no_area = Surface::new(flat.0.clone(), flat.1, "result").unwrap_err();
    assert_eq!(no_area, MetricError::NoArea { which: "result" });
    assert!(matches!(
        Surface::new(flat.0, vec![[0, 1, 9]], "result").unwrap_err(),
        MetricError::VertexIndex { vertex: 9, .. }
    ));
    let far = vec![DVec3::ZERO, DVec3::X * 1e200, DVec3::Y];
    let not_finite = Surface::new(far, vec![[0, 1, 2]], "result").unwrap_err();
    assert_eq!(not_finite, MetricError::NotFinite { which: "result" });
    let wrong = CompareSettings { samples: 0, ..CompareSettings::default() };
    assert!(Reference::of(surface(torus()), &wrong).is_err());
    assert!(earthmover(&[DVec3::ZERO], &[]).is_err());
}

/// Cubes, one next to the other: the edges that the samples show are as far apart as the cubes, and
/// a ball has none.
#[test]
fn sharp_edges_and_sums_of_coordinates_are_what_they_are_by_hand() {
    let measured = |x: Shape, y: Shape, name: &str| {
        let found = compare(surface(x), surface(y), &[name], Align::None);
        found.values[0].clone()
    };
    let value = |x: Shape, y: Shape, name: &str| measured(x, y, name).value.unwrap();
    let far = DVec3::new(40.0, 0.0, 0.0);
    let (here, there) = (cube(1.0, DVec3::ZERO), cube(1.0, far));
    // Equal samples, shifted: the nearest one is the opposite face's or its like, about one side
    // nearer.
    let found = value(there.clone(), here.clone(), "edge_cd_l1_sum");
    assert!((found / 2.0 - 39.5).abs() < 0.6, "{found}");
    assert_eq!(value(here.clone(), here.clone(), "edge_cd_l2_sum"), 0.0);
    assert_eq!(value(here.clone(), here.clone(), "edge_f@0.005"), 1.0);
    let none = measured(here.clone(), moved(sphere(), |p| p), "edge_f@0.005");
    assert_eq!(none.value, None);
    assert_eq!(none.why.unwrap(), "no sample of the reference is on a sharp edge");
    // Along an axis both distances are the same; along the diagonal of space one is √3 times the
    // other, far away.
    let ratio = |shift: DVec3| {
        // From so far away every sample is about as near as every other: none can be skipped.
        let names = ["cd_manhattan", "cd_l1_sum_pp"];
        let few = CompareSettings { samples: 2_000, ..settings(&names, Align::None) };
        let reference = Reference::of(surface(here.clone()), &few).unwrap();
        let found = reference.compare_surface(surface(cube(1.0, shift))).unwrap();
        found.value(names[0]).unwrap() / found.value(names[1]).unwrap()
    };
    assert!(ratio(DVec3::new(4000.0, 0.0, 0.0)) < 1.01);
    let diagonal = ratio(DVec3::splat(4000.0));
    assert!((diagonal / 3.0_f64.sqrt() - 1.0).abs() < 1e-3, "{diagonal}");
}
