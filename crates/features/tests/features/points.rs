//! Centres and groups of point clouds.

use meshjudge_features::{Centers, farthest_points, groups};

fn cloud(num: usize) -> Vec<[f64; 3]> {
    let value = |k: usize| ((k * 7919) % 1009) as f64 / 1009.0 - 0.5;
    (0..num).map(|i| [value(3 * i), value(3 * i + 1), value(3 * i + 2)]).collect()
}

/// On a line: the first, then the far end, then the middle.
#[test]
fn centres_are_the_farthest_points_in_turn() {
    let line: Vec<[f64; 3]> = (0..9).map(|x| [f64::from(x), 0.0, 0.0]).collect();
    assert_eq!(farthest_points(&line, 5, Centers::All).unwrap(), [0, 8, 4, 2, 6]);
    let all = farthest_points(&line, 9, Centers::All).unwrap();
    assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), 9);
    assert!(
        farthest_points(&line, 10, Centers::All).is_err()
            && farthest_points(&line, 0, Centers::All).is_err()
    );
    // Point 0 (origin) is the start; a second point there is never chosen; then others repeat.
    let twice: Vec<[f64; 3]> =
        [[0.0; 3], [0.02, 0.0, 0.0], [0.0, 0.05, 0.0], [0.5, 0.0, 0.0]].into();
    assert_eq!(farthest_points(&twice, 3, Centers::SkipOrigin).unwrap(), [0, 3, 2]);
    assert_eq!(farthest_points(&twice, 4, Centers::SkipOrigin).unwrap(), [0, 3, 2, 2]);
    assert_eq!(farthest_points(&twice, 4, Centers::All).unwrap(), [0, 3, 2, 1]);
}

/// The order of points decides the centres, so a sampler's order is part of its definition.
#[test]
fn another_order_has_other_centres() {
    let points = cloud(400);
    let turned: Vec<[f64; 3]> = points.iter().rev().copied().collect();
    let of = |points: &[[f64; 3]]| {
        let mut found: Vec<[u64; 3]> = farthest_points(points, 60, Centers::All)
            .unwrap()
            .iter()
            .map(|&at| points[at].map(f64::to_bits))
            .collect();
        found.sort_unstable();
        found
    };
    let (one, other) = (of(&points), of(&turned));
    assert!(one.iter().filter(|point| other.contains(point)).count() < 60);
}

#[test]
fn groups_are_the_nearest_points_about_their_centre() {
    let points = cloud(120);
    let found = groups(&points, 8, 5, Centers::All).unwrap();
    let apart = |a: usize, b: usize| {
        (0..3).map(|k| (points[a][k] - points[b][k]) * (points[a][k] - points[b][k])).sum::<f64>()
    };
    for (&center, members) in found.centers.iter().zip(&found.members) {
        let mut all: Vec<usize> = (0..120).collect();
        all.sort_by(|a, b| apart(*a, center).total_cmp(&apart(*b, center)));
        assert_eq!(members[..], all[..5]);
        assert_eq!(members[0], center);
    }
    let colors = vec![[0.25_f32, 0.5, 0.75]; 120];
    let (arrays, centers) = found.arrays(&points, &colors);
    assert_eq!((arrays.len(), centers.len()), (8 * 5 * 6, 8 * 3));
    assert_eq!(arrays[..6], [0.0, 0.0, 0.0, 0.25, 0.5, 0.75]);
    assert_eq!(centers[..3], points[0].map(|value| value as f32));
    let everything = groups(&points, 1, 120, Centers::All).unwrap();
    assert_eq!(everything.members[0].len(), 120);
    assert!(groups(&points, 8, 121, Centers::All).is_err());
}
