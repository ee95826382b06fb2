//! Set distances: closed forms, other programs' values, refusals, how often an interval is right.

use meshjudge_features::{
    Bootstrap, Diagonal, Extrapolation, FeatureSet, FeaturesError, Rank, Views, check_sizes, cmmd,
    frechet, infinity, kernel_distance, neighbours, noise_floor, r_precision,
};
use meshjudge_rate::Random;

const NO_INTERVAL: Bootstrap = Bootstrap { replicates: 0, seed: 0 };

/// FD, KD without and with the diagonal, and CMMD of [`pairs`].
const NUMPY: [[f64; 4]; 2] = [
    [
        0.558_847_241_249_031_3,
        0.806_037_634_186_929_5,
        0.863_127_061_574_004_1,
        3.641_047_580_324_130_5,
    ],
    [
        2.113_316_281_250_040_3,
        0.655_607_039_462_879_9,
        0.828_342_551_526_622_7,
        9.106_837_706_533_089,
    ],
];

/// Value k is (k · step mod modulus) / modulus: plain numbers for another program to repeat.
fn plain(rows: usize, dimension: usize, [step, modulus]: [usize; 2], shift: f64) -> FeatureSet {
    let value = |k: usize| ((k * step) % modulus) as f64 / modulus as f64 + shift;
    FeatureSet::one_row_each((0..rows * dimension).map(value).collect(), dimension).unwrap()
}

fn normal(random: &mut Random, assets: usize, dimension: usize, shift: f64) -> FeatureSet {
    let values = (0..assets * dimension).map(|_| random.normal() + shift).collect();
    FeatureSet::one_row_each(values, dimension).unwrap()
}

fn pairs() -> [[FeatureSet; 2]; 2] {
    [
        [plain(30, 5, [7919, 1009], 0.0), plain(25, 5, [104_729, 997], 0.3)],
        // Fewer rows than dimensions.
        [plain(9, 12, [7919, 1009], 0.0), plain(8, 12, [104_729, 997], 0.3)],
    ]
}

/// By numpy 2.4 and scipy 1.17: FD as |μ₁ − μ₂|² + tr Σ₁ + tr Σ₂ − 2 × the sum of
/// `numpy.linalg.svd` of the centred cross product; the others from `scipy.spatial.distance.cdist`
/// and the papers' formulas.
#[test]
fn values_of_numpy() {
    for ([x, y], [fd, kd, biased, cmmd_wanted]) in pairs().into_iter().zip(NUMPY) {
        let found = [
            frechet(&x, &y, Rank::DeficientAllowed, NO_INTERVAL),
            kernel_distance(&x, &y, Diagonal::Without, NO_INTERVAL),
            kernel_distance(&x, &y, Diagonal::With, NO_INTERVAL),
            cmmd(&x, &y, NO_INTERVAL),
        ];
        for (found, wanted) in found.into_iter().zip([fd, kd, biased, cmmd_wanted]) {
            let found = found.unwrap();
            assert!((found.value - wanted).abs() < 1e-10, "{} {wanted}", found.value);
            assert_eq!(found.interval, None);
        }
    }
}

/// On a line with k = 1: the reference's balls reach 1 to either side. −1 is on the surface of the
/// first, which is outside.
#[test]
fn balls_on_a_line_are_counted_by_hand() {
    let line = |at: &[f64]| FeatureSet::one_row_each(at.to_vec(), 1).unwrap();
    let [x, y] = [line(&[0.0, 1.0, 2.0, 3.0]), line(&[0.4, 1.5, 10.0, 10.125, -1.0])];
    let found = neighbours(&x, &y, 1, NO_INTERVAL).unwrap();
    let found = [found.precision, found.recall, found.density, found.coverage];
    assert_eq!(found.map(|estimate| estimate.value), [0.4, 0.75, 0.8, 0.75]);
}

/// A shift by s in d dimensions has FD d s², a set to itself 0; an asset's views are plain rows.
#[test]
fn a_shifted_set_is_at_the_square_of_its_shift() {
    let [x, _] = &pairs()[0];
    let shifted = plain(30, 5, [7919, 1009], 0.25);
    let fd = |x: &FeatureSet, y: &FeatureSet| frechet(x, y, Rank::Full, NO_INTERVAL).unwrap().value;
    assert!((fd(x, &shifted) - 5.0 * 0.0625).abs() < 1e-12);
    assert!(fd(x, x) < 1e-12);
    let values: Vec<f64> = x.rows().flatten().copied().collect();
    let views = FeatureSet::new(values, 5, &[3; 10]).unwrap();
    assert!((fd(&views, &shifted) - fd(x, &shifted)).abs() < 1e-12);
    let without = |y| kernel_distance(&views, y, Diagonal::Without, NO_INTERVAL).unwrap().value;
    assert!(without(&views) < 0.0);
}

#[test]
fn copies_in_a_sample_are_weights() {
    let [x, y] = &pairs()[0];
    let bootstrap = Bootstrap { replicates: 50, seed: 5 };
    let one = frechet(x, y, Rank::Full, bootstrap).unwrap();
    assert_eq!(one, frechet(x, y, Rank::Full, bootstrap).unwrap());
    let other = frechet(x, y, Rank::Full, Bootstrap { seed: 6, ..bootstrap }).unwrap();
    assert!(one.value == other.value && one.interval != other.interval);
}

/// 200 worlds of 40 + 40 assets from two known normal laws: FD's mean over 2,000 other worlds, and
/// KD's, are the numbers to cover.
#[test]
fn intervals_cover_the_expected_value_in_nine_of_ten_worlds() {
    let mut random = Random::new(11, 0);
    let mut world = |_| [0.0, 0.4].map(|shift| normal(&mut random, 40, 3, shift));
    let fd = |[x, y]: &[FeatureSet; 2], bootstrap| frechet(x, y, Rank::Full, bootstrap).unwrap();
    let kd = |[x, y]: &[FeatureSet; 2], bootstrap| {
        kernel_distance(x, y, Diagonal::Without, bootstrap).unwrap()
    };
    let many: Vec<[FeatureSet; 2]> = (0..2000).map(&mut world).collect();
    let mean = |of: &dyn Fn(&[FeatureSet; 2]) -> f64| many.iter().map(of).sum::<f64>() / 2000.0;
    let wanted =
        [mean(&|world| fd(world, NO_INTERVAL).value), mean(&|world| kd(world, NO_INTERVAL).value)];
    let mut hits = [0; 2];
    for seed in 0..200 {
        let world = world(seed);
        let bootstrap = Bootstrap { replicates: 200, seed: seed as u64 };
        for (k, found) in [fd(&world, bootstrap), kd(&world, bootstrap)].into_iter().enumerate() {
            let interval = found.interval.unwrap();
            hits[k] += usize::from(interval.low <= wanted[k] && wanted[k] <= interval.high);
        }
    }
    assert!(hits.iter().all(|hits| *hits >= 170), "{hits:?} of 200");
}

/// Two samples of one law: FD falls with 1/N, and its limit is 0.
#[test]
fn the_limit_of_fd_has_no_bias() {
    let mut random = Random::new(12, 0);
    let [x, y] = [0, 1].map(|_| normal(&mut random, 200, 6, 0.0));
    let found = infinity(&x, &y, Rank::Full, Extrapolation::default()).unwrap();
    assert_eq!(found.points.len(), 7 * 5 + 1);
    assert_eq!((found.points[0].0, found.points[35].0), (50, 200));
    let finite = frechet(&x, &y, Rank::Full, NO_INTERVAL).unwrap().value;
    assert!((found.points[35].1 - finite).abs() < 1e-12);
    assert!(found.line.intercept.abs() < finite / 3.0, "{:?} of {finite}", found.line);
    let interval = found.interval.unwrap();
    assert!(interval.low < 0.0 && 0.0 < interval.high, "{interval:?}");
    let floor =
        noise_floor(&x, 6, 0, |a, b| Ok(frechet(a, b, Rank::Full, NO_INTERVAL)?.value)).unwrap();
    assert_eq!((floor.values.len(), floor.num_assets), (6, 100));
    // Halves have twice the bias.
    assert!(floor.mean() > 1.3 * finite && floor.mean() < 3.0 * finite, "{floor:?} {finite}");
}

#[test]
fn what_has_no_meaning_is_refused() {
    let [[x, y], [few, fewer]] = pairs();
    let refusal = |found: Result<_, FeaturesError>| {
        found.map(|_: meshjudge_features::Estimate| ()).unwrap_err()
    };
    let one = x.chosen(&[0]);
    let error = refusal(frechet(&one, &y, Rank::DeficientAllowed, NO_INTERVAL));
    assert_eq!(error, FeaturesError::FewAssets { metric: "FD", needed: 2, found: 1 });
    let error = refusal(frechet(&few, &fewer, Rank::Full, NO_INTERVAL));
    assert_eq!(error, FeaturesError::RankDeficient { rows: 8, dimension: 12 });
    let error = refusal(cmmd(&x, &few, NO_INTERVAL));
    assert_eq!(error, FeaturesError::Length { what: "a vector", wanted: 5, found: 12 });
    assert!(
        neighbours(&x, &y, 25, NO_INTERVAL).is_err() && neighbours(&x, &y, 0, NO_INTERVAL).is_err()
    );
    let quarter = infinity(&few, &fewer, Rank::Full, Extrapolation::default()).unwrap_err();
    assert_eq!(quarter, FeaturesError::RankDeficient { rows: 2, dimension: 12 });
    assert!(check_sizes("FD", &[("ours", 30), ("theirs", 30)]).is_ok());
    let unequal = check_sizes("FD", &[("ours", 30), ("theirs", 30), ("other", 28)]).unwrap_err();
    assert!(unequal.to_string().contains("\"theirs\" has 30 assets and \"other\" has 28"));
    let bad = FeatureSet::one_row_each(vec![1.0, f64::NAN, 1.0, 2.0], 2).unwrap_err();
    assert_eq!(bad, FeaturesError::NotFinite { row: 0 });
    let zero = FeatureSet::one_row_each(vec![1.0, 0.0, 0.0, 0.0], 2).unwrap();
    assert_eq!(zero.unit().unwrap_err(), FeaturesError::Zero { row: 1 });
    assert!(FeatureSet::new(vec![0.0; 6], 2, &[2, 0, 1]).is_err());
    assert!(FeatureSet::new(vec![0.0; 6], 2, &[2, 2]).is_err());
}

/// A model that answers the same to everything finds no text.
#[test]
fn equal_similarities_are_no_hits() {
    let texts = plain(6, 5, [7919, 1009], -0.5);
    let hit = |assets: &FeatureSet, first| {
        let found =
            r_precision(assets, &texts, Views::Mean, first, Bootstrap { replicates: 100, seed: 0 });
        found.unwrap()
    };
    assert_eq!(hit(&texts, 1).value, 1.0);
    let same = texts.chosen(&[2; 6]);
    assert_eq!(hit(&same, 1).value, 1.0 / 6.0);
    assert!(hit(&same, 1).interval.unwrap().high > 0.2);
    assert!(r_precision(&texts, &texts, Views::Max, 0, NO_INTERVAL).is_err());
}
