//! Agreement of two sources and of raters: hand-worked examples, 60 prompts rated by people.

use meshjudge_rate::*;
use serde_json::Value;

const SAMPLING: Sampling = Sampling { replicates: 1000, seed: 7 };

fn vote(prompt: usize, a: usize, b: usize, source: usize, winner: Winner) -> Vote {
    Vote { prompt, a, b, source, winner }
}

/// Method names, and the three raters' votes: the higher rating wins, equal ratings tie.
fn people() -> (Vec<String>, Vec<Vote>, Vec<Vote>) {
    let json: Value =
        serde_json::from_str(include_str!("../../../../tests/data/stanfordt23d.json")).unwrap();
    let entries = json.as_object().unwrap();
    let methods: Vec<String> =
        entries["0"]["models"].as_object().unwrap().keys().cloned().collect();
    let (mut each, mut mean) = (Vec::new(), Vec::new());
    for (prompt, entry) in entries.values().enumerate() {
        let ratings: Vec<Vec<i64>> = methods
            .iter()
            .map(|m| serde_json::from_value(entry["models"][m].clone()).unwrap())
            .collect();
        for b in 0..methods.len() {
            for a in 0..b {
                let more = |x: i64, y: i64| match x.cmp(&y) {
                    std::cmp::Ordering::Greater => Winner::A,
                    std::cmp::Ordering::Less => Winner::B,
                    std::cmp::Ordering::Equal => Winner::Tie,
                };
                for (rater, (x, y)) in ratings[a].iter().zip(&ratings[b]).enumerate() {
                    each.push(vote(prompt, a, b, rater, more(*x, *y)));
                }
                let sum = |m: usize| ratings[m].iter().sum();
                mean.push(vote(prompt, a, b, 9, more(sum(a), sum(b))));
            }
        }
    }
    (methods, each, mean)
}

fn holds(estimate: Option<Estimate>, value: f64, width: std::ops::Range<f64>) {
    let Estimate { value: found, interval } = estimate.unwrap();
    println!("{found:.4} {interval:?}");
    assert!((found - value).abs() < 5e-5, "{found} is not {value}");
    let Interval { low, high } = interval.unwrap();
    assert!(low < found && found < high, "{low} {found} {high}");
    assert!(width.contains(&(high - low)), "{low} to {high}");
}

/// Worked out apart from this code, in Python: of every two raters on every pair, 1,599 decided by
/// both and 1,449 of them alike.
#[test]
fn raters_agree_on_0_906_of_decided_pairs() {
    let (_, each, _) = people();
    let found = raters(&each, SAMPLING).unwrap();
    let counts = found.pairwise.counts;
    assert_eq!((counts.decided, counts.decided_same), (1599, 1449));
    assert_eq!((counts.all, counts.all_same), (2700, 1760));
    holds(found.pairwise.on_decided, 1449.0 / 1599.0, 0.02..0.10);
    holds(found.pairwise.with_ties, 1760.0 / 2700.0, 0.02..0.12);
    let rest: Vec<f64> =
        found.against_rest.iter().map(|(_, same)| same.on_decided.unwrap().value).collect();
    for (found, want) in rest.iter().zip([0.9088, 0.9110, 0.9141]) {
        assert!((found - want).abs() < 5e-5, "{rest:?}");
    }
    assert_eq!(found.rest.counts.decided, 592 + 607 + 559);
    assert!(found.alpha.unwrap().interval.is_some() && found.pairwise.kappa.is_some());
}

/// Two raters on each of 10,000 prompts. Tables per rater pair and prompt would be 10¹⁴ bytes.
#[test]
fn twenty_thousand_raters_who_rarely_meet_agree_where_they_meet() {
    let winners = [Winner::A, Winner::B];
    let of = |source: usize| vote(source / 2, 0, 1, source, winners[usize::from(source % 10 == 1)]);
    let votes: Vec<Vote> = (0..20_000).map(of).collect();
    let found = raters(&votes, Sampling { replicates: 20, seed: 7 }).unwrap();
    let counts = found.pairwise.counts;
    assert_eq!((counts.decided, counts.decided_same), (10_000, 8_000));
    assert_eq!((counts.all, found.against_rest.len()), (10_000, 20_000));
    assert_eq!(found.rest.counts.decided_same, 16_000);
}

#[test]
fn the_mean_of_the_raters_decides_811_pairs_and_gives_the_published_order() {
    let (methods, each, mean) = people();
    let ties = mean.iter().filter(|v| v.winner == Winner::Tie).count();
    assert_eq!((mean.len() - ties, ties), (811, 89));
    let found = agreement(&mean, &mean, SAMPLING).unwrap().unwrap();
    assert_eq!(found.same.on_decided.unwrap().value, 1.0);
    // Always 1: nothing is known of the spread.
    assert_eq!(found.same.on_decided.unwrap().interval, None);
    assert_eq!(found.kendall.unwrap().value, 1.0);
    assert_eq!((found.num_methods, found.num_prompts), (6, 60));

    let first: Vec<Vote> = each.iter().copied().filter(|v| v.source == 0).collect();
    let found = agreement(&first, &mean, SAMPLING).unwrap().unwrap();
    holds(found.same.on_decided, 0.9511, 0.01..0.08);
    holds(found.same.with_ties, 0.7611, 0.02..0.10);
    let kendall = found.kendall.unwrap();
    assert!(kendall.interval.unwrap().high <= 1.0 && kendall.value > 0.7);

    let game = |v: &Vote| Game {
        a: v.a,
        b: v.b,
        prompt: v.prompt,
        winner: v.winner,
        side: Side::Neither,
        weight: 1.0,
    };
    let games: Vec<Game> = mean.iter().map(game).collect();
    let table = Table::new(methods.len(), &games).unwrap();
    let found = fit(&table, &methods, &Model::default(), Anchor::Mean).unwrap();
    let mut order: Vec<usize> = (0..methods.len()).collect();
    order.sort_by(|x, y| found.ratings[*y].total_cmp(&found.ratings[*x]));
    assert_eq!(methods[order[0]], "latent-nerf");
    assert_eq!(methods[order[5]], "shap-e");
}

#[test]
fn the_mean_rating_of_each_method_puts_them_in_the_known_order() {
    let json: Value =
        serde_json::from_str(include_str!("../../../../tests/data/stanfordt23d.json")).unwrap();
    let entries = json.as_object().unwrap();
    let scores = |method: &str| -> Vec<Score> {
        entries
            .values()
            .enumerate()
            .flat_map(|(prompt, entry)| {
                let ratings = entry["models"][method].as_array().unwrap();
                ratings.iter().map(move |value| Score { prompt, value: value.as_f64().unwrap() })
            })
            .collect()
    };
    let found: Vec<f64> =
        ["latent-nerf", "instant3d", "mvdream", "magic3d", "dreamfusion", "shap-e"]
            .iter()
            .map(|method| mean(&scores(method)).unwrap().mean)
            .collect();
    assert!(found.is_sorted_by(|x, y| x > y), "{found:?}");
    assert!((found[0] - 677.0 / 180.0).abs() < 1e-12, "{found:?}");
}

#[test]
fn two_sources_by_hand() {
    use Winner::{A, B, Tie};
    // Six prompts, one question each; on the last the second source was not asked.
    let x = [A, A, B, Tie, A, B];
    let y = [A, B, B, Tie, Tie];
    let of = |winners: &[Winner], source| -> Vec<Vote> {
        winners
            .iter()
            .enumerate()
            .map(|(prompt, winner)| vote(prompt, 4, 9, source, *winner))
            .collect()
    };
    let found = agreement(&of(&x, 0), &of(&y, 1), SAMPLING).unwrap().unwrap();
    let pairs: Vec<(Winner, Winner)> = x.iter().copied().zip(y).collect();
    assert_eq!(found.same.counts, accuracy(&pairs));
    let counts = found.same.counts;
    assert_eq!((counts.decided_same, counts.decided), (2, 3));
    let kappa = found.same.kappa.unwrap().value;
    assert!((kappa - cohen_kappa(&pairs).unwrap()).abs() < 1e-12);
    // x rates method 4 above 9, y holds them level with one win more for 9.
    assert_eq!(found.kendall.unwrap().value, -1.0);
    // A vote listed the other way round is the same vote.
    let turned: Vec<Vote> = of(&x, 0)
        .iter()
        .map(|v| Vote { a: v.b, b: v.a, winner: [B, A, Tie][v.winner as usize], ..*v })
        .collect();
    assert_eq!(agreement(&turned, &of(&y, 1), SAMPLING).unwrap().unwrap(), found);
    assert_eq!(agreement(&of(&x, 0), &[], SAMPLING).unwrap(), None);
    assert!(raters(&of(&x, 0), SAMPLING).is_none());
}

#[test]
fn alpha_by_hand() {
    use Winner::{A, B};
    // Two raters: A A, A A, B B, A B. Coincidences in both orientations: AA 6, BB 6, AB 2, BA 2;
    // n = 16, margins 8, 8.
    let said = [(A, A), (A, A), (B, B), (A, B)];
    let votes: Vec<Vote> = said
        .iter()
        .enumerate()
        .flat_map(|(p, (x, y))| [vote(p, 0, 1, 0, *x), vote(p, 0, 1, 1, *y)])
        .collect();
    let found = raters(&votes, SAMPLING).unwrap();
    let alpha = found.alpha.unwrap();
    assert!((alpha.value - (1.0 - 15.0 * 4.0 / 128.0)).abs() < 1e-12);
    // Four prompts are too few for any interval.
    assert_eq!(alpha.interval, None);
    // Two voters of a source that differ are a tie.
    let tied = majority(&votes);
    assert_eq!(tied[3].winner, Winner::Tie);
    assert_eq!((tied.len(), tied[0].winner), (4, A));
}

/// A judge that is right on 80 % of prompts, all pairs of a prompt alike: the interval must reflect
/// 40 prompts and not 240 pairs.
#[test]
fn pairs_of_one_prompt_are_not_independent() {
    let mut random = Random::new(2, 2);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for prompt in 0..40 {
        let is_right = prompt % 5 != 0;
        for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let truth = if random.unit() < 0.7 { Winner::A } else { Winner::B };
            let other = if truth == Winner::A { Winner::B } else { Winner::A };
            y.push(vote(prompt, a, b, 0, truth));
            x.push(vote(prompt, a, b, 1, if is_right { truth } else { other }));
        }
    }
    let found = agreement(&x, &y, SAMPLING).unwrap().unwrap();
    // 2 · 1.96 · √(0.8 · 0.2 / 40) = 0.248; by pairs it would be 0.101.
    holds(found.same.on_decided, 0.8, 0.20..0.30);
    let again = agreement(&x, &y, SAMPLING).unwrap().unwrap();
    assert_eq!(again, found);
}
