//! Ratings against vectors with known answers, and what must hold of any maximum.

use meshjudge_rate::*;
use serde_json::Value;

const VECTORS: &str = include_str!("../../../../tests/data/elo_vectors.json");
const LEADERBOARD: &str = include_str!("../../../../tests/data/gpteval3d_leaderboard.json");

const EXACT: Model = Model { draws: Draws::Half, prior: None, fits_bias: false };

fn game(a: usize, b: usize, prompt: usize, winner: Winner) -> Game {
    Game { a, b, prompt, winner, side: Side::Neither, weight: 1.0 }
}

fn names(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("m{i}")).collect()
}

/// Methods and games of the vectors; ten games are one prompt.
fn vectors() -> (Value, Vec<String>, Vec<Game>) {
    let json: Value = serde_json::from_str(VECTORS).unwrap();
    let methods: Vec<String> = serde_json::from_value(json["methods"].clone()).unwrap();
    let at = |v: &Value| methods.iter().position(|m| v == m).unwrap();
    let games: Vec<Game> = json["comparisons"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(i, c)| {
            let winner = match c[2].as_i64().unwrap() {
                -1 => Winner::A,
                0 => Winner::Tie,
                _ => Winner::B,
            };
            game(at(&c[0]), at(&c[1]), i / 10, winner)
        })
        .collect();
    assert_eq!(games.len(), 4500);
    (json, methods, games)
}

#[test]
fn both_draw_rules_of_the_vectors_are_reproduced() {
    let (json, methods, games) = vectors();
    let table = Table::new(13, &games).unwrap();
    for (draws, key, limit) in [
        (Draws::BothWin, "elo_exact_tie_both_win", 1e-6),
        (Draws::Half, "elo_exact_tie_half", 1e-6),
        // Ten thousand steps of Adam end this near to the maximum.
        (Draws::BothWin, "elo_adam_lr0.1_10000_from_1000", 1e-3),
    ] {
        let model = Model { draws, ..EXACT };
        let found = fit(&table, &methods, &model, Anchor::Method(0)).unwrap();
        for (method, rating) in methods.iter().zip(&found.ratings) {
            let want = json[key][method].as_f64().unwrap();
            assert!((rating - want).abs() < limit, "{key} {method}: {rating}, {want}");
        }
        assert!(found.iterations < 15, "{} steps", found.iterations);
    }
}

#[test]
fn a_method_placed_among_the_others_gets_the_rating_of_the_whole_fit() {
    let (_, methods, games) = vectors();
    let table = Table::new(13, &games).unwrap();
    for draws in [Draws::Half, Draws::BothWin] {
        let model = Model { draws, ..EXACT };
        let all = fit(&table, &methods, &model, Anchor::Method(0)).unwrap();
        for (new, name) in methods.iter().enumerate() {
            let against: Vec<Placed> = table
                .cells
                .iter()
                .zip(&table.totals)
                .filter_map(|(cell, n)| {
                    let (other, wins, losses) = if cell.a == new {
                        (cell.b, n.a_wins, n.b_wins)
                    } else if cell.b == new {
                        (cell.a, n.b_wins, n.a_wins)
                    } else {
                        return None;
                    };
                    let (opponent, ties) = (all.ratings[other], n.ties);
                    Some(Placed { opponent, wins, losses, ties })
                })
                .collect();
            let placed = place(name, &against, draws).unwrap();
            assert!((placed - all.ratings[new]).abs() < 1e-6, "{placed}");
        }
    }
}

#[test]
fn placing_among_published_scores_finds_the_score_behind_the_games() {
    let json: Value = serde_json::from_str(LEADERBOARD).unwrap();
    let mut examined = 0;
    for scores in json["scores"].as_array().unwrap() {
        for truth in [650.0, 1234.5] {
            let against: Vec<Placed> = scores
                .as_object()
                .unwrap()
                .values()
                .map(|score| {
                    let opponent = score.as_f64().unwrap();
                    let share = 1.0 / (1.0 + libm::pow(10.0, (opponent - truth) / 400.0));
                    let (wins, losses) = (30.0 * share, 30.0 * (1.0 - share));
                    Placed { opponent, wins, losses, ties: 0.0 }
                })
                .collect();
            let placed = place("new", &against, Draws::BothWin).unwrap();
            assert!((placed - truth).abs() < 1e-6, "{placed}");
            examined += 1;
        }
    }
    assert_eq!(examined, 12);
    for (wins, losses, said) in [(3.0, 0.0, "new lost none"), (0.0, 3.0, "new won none")] {
        let games = [Placed { opponent: 1000.0, wins, losses, ties: 0.0 }];
        let failure = place("new", &games, Draws::Half).unwrap_err();
        assert!(failure.to_string().contains(said), "{failure}");
    }
}

#[test]
fn three_wins_to_one_are_the_odds_of_three() {
    let games: Vec<Game> =
        [Winner::A, Winner::A, Winner::B, Winner::A].iter().map(|w| game(0, 1, 0, *w)).collect();
    let table = Table::new(2, &games).unwrap();
    let found = fit(&table, &names(2), &EXACT, Anchor::Method(1)).unwrap();
    assert!((found.ratings[0] - 1000.0 - 400.0 * libm::log10(3.0)).abs() < 1e-8);
    assert_eq!(found.ratings[1], 1000.0);
}

#[test]
fn davidson_and_the_bias_of_a_closed_form_are_found() {
    // Odds a : draw : b, a left: e^{x/2} : ν : e^{−x/2}, x = θ ± β; θ = ln 4, β = ln 2, ν = 0.7.
    let (theta, beta, nu) = (libm::log(4.0), libm::log(2.0), 0.7);
    let mut games = Vec::new();
    for (side, sign) in [(Side::ALeft, 1.0), (Side::BLeft, -1.0)] {
        let half = libm::exp(0.5 * (theta + sign * beta));
        for (winner, weight) in [(Winner::A, half), (Winner::Tie, nu), (Winner::B, 1.0 / half)] {
            games.push(Game { side, weight, ..game(0, 1, 0, winner) });
        }
    }
    // The same listed the other way round changes nothing.
    let turned: Vec<Game> = games
        .iter()
        .map(|g| Game {
            a: 1,
            b: 0,
            winner: [Winner::B, Winner::A, Winner::Tie][g.winner as usize],
            side: [Side::BLeft, Side::ALeft, Side::Neither][g.side as usize],
            ..*g
        })
        .collect();
    let model = Model { draws: Draws::Davidson, fits_bias: true, ..EXACT };
    for games in [games, turned] {
        let table = Table::new(2, &games).unwrap();
        let found = fit(&table, &names(2), &model, Anchor::Mean).unwrap();
        let gap = (found.ratings[0] - found.ratings[1]) / ELO_PER_NAT;
        assert!((gap - theta).abs() < 1e-9, "{found:?}");
        assert!((found.left_bias.unwrap() - beta).abs() < 1e-9, "{found:?}");
        assert!((found.tie.unwrap() - nu).abs() < 1e-9, "{found:?}");
    }
}

#[test]
fn groups_that_never_met_are_named() {
    let games = [game(0, 2, 0, Winner::A), game(1, 3, 0, Winner::Tie)];
    let table = Table::new(4, &games).unwrap();
    let failure = fit(&table, &names(4), &Model::default(), Anchor::Mean).unwrap_err();
    assert!(failure.to_string().contains("{m0, m2} and {m1, m3}"), "{failure}");
}

#[test]
fn a_method_that_only_wins_is_finite_with_the_prior_and_named_without() {
    let mut games = vec![game(1, 2, 0, Winner::A), game(1, 2, 1, Winner::B)];
    games.extend((0..50).map(|i| game(0, 1 + i % 2, i, Winner::A)));
    let table = Table::new(3, &games).unwrap();
    for draws in [Draws::Half, Draws::BothWin, Draws::Davidson] {
        let model = Model { draws, ..Model::default() };
        let found = fit(&table, &names(3), &model, Anchor::Method(1)).unwrap();
        assert!((1500.0..3500.0).contains(&found.ratings[0]), "{found:?}");
        let exact = Model { prior: None, ..model };
        let failure = fit(&table, &names(3), &exact, Anchor::Method(1)).unwrap_err();
        assert_eq!(failure, RateError::Unbounded { methods: vec!["m0".to_owned()] });
    }
}

#[test]
fn no_games_bad_games_and_an_unknown_anchor_are_errors() {
    assert_eq!(Table::new(2, &[]), Err(RateError::NoGames));
    for bad in [game(0, 0, 0, Winner::A), game(0, 2, 0, Winner::A)] {
        assert_eq!(Table::new(2, &[bad]), Err(RateError::BadGame { game: 0 }));
    }
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let bad = Game { weight, ..game(0, 1, 0, Winner::A) };
        assert!(matches!(Table::new(2, &[bad]), Err(RateError::BadWeight { .. })));
    }
    let table = Table::new(2, &[game(0, 1, 0, Winner::Tie)]).unwrap();
    let failure = fit(&table, &names(2), &EXACT, Anchor::Method(2)).unwrap_err();
    assert!(matches!(failure, RateError::UnknownAnchor { .. }));
}

#[test]
fn only_draws_and_no_draws_are_rated_under_every_rule() {
    for (winners, is_even) in
        [([Winner::Tie; 2], true), ([Winner::A, Winner::B], true), ([Winner::A; 2], false)]
    {
        let games = [game(0, 1, 0, winners[0]), game(0, 1, 1, winners[1])];
        let table = Table::new(2, &games).unwrap();
        for draws in [Draws::Half, Draws::BothWin, Draws::Davidson] {
            let model = Model { draws, ..Model::default() };
            let found = fit(&table, &names(2), &model, Anchor::Mean).unwrap();
            let gap = found.ratings[0] - found.ratings[1];
            assert_eq!(gap.abs() < 1e-6, is_even, "{found:?}");
            assert_eq!(found.tie, None);
        }
    }
}

fn answer(a: usize, b: usize, side: Side, winner: Winner) -> Answer {
    let key = 0;
    Answer { a, b, prompt: 0, key, side, winner }
}

#[test]
fn what_two_orders_say_together() {
    use Consistency::{Agreed, Inconsistent, OneOrder};
    let pair = |second| vec![answer(0, 1, Side::ALeft, Winner::A), second];
    let one = |answers: &[Answer]| {
        let found = units(answers);
        assert_eq!(found.len(), 1);
        found[0].consistency
    };
    assert_eq!(one(&pair(answer(0, 1, Side::BLeft, Winner::A))), Agreed(Winner::A));
    assert_eq!(one(&pair(answer(0, 1, Side::BLeft, Winner::B))), Inconsistent);
    assert_eq!(one(&pair(answer(0, 1, Side::BLeft, Winner::Tie))), Inconsistent);
    // Listed the other way round: b is method 0, was right before and is left now, and wins.
    assert_eq!(one(&pair(answer(1, 0, Side::ALeft, Winner::B))), Agreed(Winner::A));
    assert_eq!(one(&pair(answer(0, 1, Side::BLeft, Winner::A))[..1]), OneOrder(Winner::A));
    // Left-only answers: all inconsistent, so no rating moves, and the bias takes it all.
    let left: Vec<Answer> = (0..8)
        .flat_map(|prompt| {
            [(Side::ALeft, Winner::A), (Side::BLeft, Winner::B)]
                .map(|(s, w)| Answer { prompt, ..answer(0, 1, s, w) })
        })
        .collect();
    let settings =
        BoardSettings { model: Model::default(), anchor: Anchor::Mean, replicates: 50, seed: 1 };
    let found = board(&names(2), &left, &settings).unwrap();
    assert_eq!((found.num_units, found.num_inconsistent), (8, 8));
    assert!(found.lines.iter().all(|l| (l.rating - 1000.0).abs() < 1e-6));
    assert!(found.left_bias.unwrap().0 > 2.0);
}

/// People's 1–5 ratings, three raters: the sum decides, equal sums are ties.
#[test]
fn people_on_60_prompts_give_811_decided_and_89_tied_pairs() {
    let json: Value =
        serde_json::from_str(include_str!("../../../../tests/data/stanfordt23d.json")).unwrap();
    let methods: Vec<String> = json["0"]["models"].as_object().unwrap().keys().cloned().collect();
    let mut games = Vec::new();
    for (prompt, entry) in json.as_object().unwrap().values().enumerate() {
        let sums: Vec<i64> = methods
            .iter()
            .map(|m| {
                entry["models"][m].as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).sum()
            })
            .collect();
        for b in 0..methods.len() {
            for a in 0..b {
                let winner = match sums[a].cmp(&sums[b]) {
                    std::cmp::Ordering::Greater => Winner::A,
                    std::cmp::Ordering::Less => Winner::B,
                    std::cmp::Ordering::Equal => Winner::Tie,
                };
                games.push(game(a, b, prompt, winner));
            }
        }
    }
    let ties = games.iter().filter(|g| g.winner == Winner::Tie).count();
    assert_eq!((games.len() - ties, ties), (811, 89));
    let table = Table::new(methods.len(), &games).unwrap();
    for draws in [Draws::Half, Draws::BothWin, Draws::Davidson] {
        let found = fit(&table, &methods, &Model { draws, ..EXACT }, Anchor::Mean).unwrap();
        let mut order: Vec<usize> = (0..methods.len()).collect();
        order.sort_by(|x, y| found.ratings[*y].total_cmp(&found.ratings[*x]));
        let order: Vec<&str> = order.iter().map(|i| methods[*i].as_str()).collect();
        println!("{draws:?} {order:?} {found:?}");
        assert_eq!(order.last(), Some(&"shap-e"));
    }
}

/// Six equal methods; on each of 200 prompts each pair once, with the odds of the left side 2 to 1
/// (120 points), and method 0 always on the left, where it would seem 100 points better.
#[test]
fn one_order_only_has_its_bias_fitted_or_is_refused_in_words() {
    let mut random = Random::new(21, 1);
    let mut answers = Vec::new();
    for prompt in 0..200 {
        for (a, b) in (0..6).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let (a, b) = if a > 0 && random.unit() < 0.5 { (b, a) } else { (a, b) };
            let winner = if random.unit() < 2.0 / 3.0 { Winner::A } else { Winner::B };
            answers.push(Answer { a, b, prompt, key: 0, side: Side::ALeft, winner });
        }
    }
    let settings = BoardSettings { replicates: 200, ..BoardSettings::default() };
    let found = board(&names(6), &answers, &settings).unwrap();
    assert!(found.fits_bias && found.num_one_order == found.num_units);
    for line in &found.lines {
        let interval = line.interval.unwrap();
        assert!(interval.low < 1000.0 && 1000.0 < interval.high, "{line:?}");
    }
    let (bias, interval) = found.left_bias.unwrap();
    let (bias, interval) = (bias * ELO_PER_NAT, interval.unwrap());
    assert!((bias - 120.4).abs() < 20.0, "{bias}");
    assert!(interval.low * ELO_PER_NAT < 120.4 && 120.4 < interval.high * ELO_PER_NAT);
    // One method against all others, always on the left: strength or side, nobody knows.
    let star: Vec<Answer> = answers.iter().filter(|answer| answer.a == 0).copied().collect();
    assert_eq!(board(&names(6), &star, &settings), Err(RateError::OneSided));
    // As soon as any pair of it was asked in both orders, there is a board.
    let again = star.iter().filter(|answer| answer.b == 1);
    let again = again.map(|answer| Answer { side: Side::BLeft, ..*answer });
    let both: Vec<Answer> = star.iter().copied().chain(again).collect();
    let found = board(&names(6), &both, &settings).unwrap();
    assert!(!found.fits_bias && found.num_both_orders == 200);
}
