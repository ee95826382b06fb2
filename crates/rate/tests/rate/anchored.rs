//! Votes of people anchored in judges: known figures on real votes, and what bad judges may cost.

use meshjudge_rate::*;
use std::io::Read;

/// Prompt, two methods and what people, GPT-4, Claude 3 and GPT-3.5 say of them.
pub(crate) struct Row {
    pub prompt: usize,
    a: usize,
    b: usize,
    pub said: [Winner; 4],
}

/// The 20 methods and 18,828 pairs of tests/data/arena_pairs.csv.gz.
pub(crate) fn arena() -> (Vec<String>, Vec<Row>) {
    let packed = include_bytes!("../../../../tests/data/arena_pairs.csv.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
    let lines: Vec<Vec<&str>> =
        text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let mut names: Vec<&str> = lines.iter().flat_map(|line| [line[2], line[3]]).collect();
    names.sort_unstable();
    names.dedup();
    let place = |name: &str| names.binary_search(&name).unwrap();
    let winner = |text: &str| match text {
        "a" => Winner::A,
        "b" => Winner::B,
        _ => Winner::Tie,
    };
    let row = |line: &Vec<&str>| Row {
        prompt: line[1].parse().unwrap(),
        a: place(line[2]),
        b: place(line[3]),
        said: [4, 5, 6, 7].map(|i| winner(line[i])),
    };
    let rows: Vec<Row> = lines.iter().map(row).collect();
    assert_eq!(rows.len(), 18_828);
    (names.into_iter().map(str::to_owned).collect(), rows)
}

fn board_of(rows: &[Row], mut says: impl FnMut(&Row) -> Winner) -> JudgeBoard {
    let answers: Vec<Answer> = rows
        .iter()
        .zip(0..)
        .map(|(row, key)| Answer {
            a: row.a,
            b: row.b,
            prompt: row.prompt,
            key,
            side: Side::ALeft,
            winner: says(row),
        })
        .collect();
    judge_board(20, &answers, Draws::Half).unwrap()
}

/// Every 62nd row, 300 in all.
fn votes(rows: &[Row]) -> Vec<Vote> {
    (0..300)
        .map(|i| Vote {
            prompt: rows[62 * i].prompt,
            a: rows[62 * i].a,
            b: rows[62 * i].b,
            source: i,
            winner: rows[62 * i].said[0],
        })
        .collect()
}

fn rmse(found: &AnchoredBoard, truth: &[f64]) -> f64 {
    let square = |line: &AnchoredLine| {
        let off = line.rating - truth[line.method];
        off * off
    };
    (found.lines.iter().map(square).sum::<f64>() / truth.len() as f64).sqrt()
}

/// The figures that another implementation of the same model found; v there is a sandwich's and
/// here a bootstrap's, which moves ratings by less than a tenth of a point.
#[test]
fn three_hundred_votes_with_known_figures_and_bad_judges_beside_them() {
    let (names, rows) = arena();
    let votes = votes(&rows);
    let good: Vec<JudgeBoard> = (1..4).map(|j| board_of(&rows, |row| row.said[j])).collect();
    assert!((good[0].left_bias_elo.unwrap() - 31.3).abs() < 0.05);

    let one = anchored(20, &votes, &good[..1], Draws::Half, 0).unwrap();
    let all = anchored(20, &votes, &good, Draws::Half, 0).unwrap();
    let line = |board: &AnchoredBoard, name: &str| {
        let method = names.iter().position(|n| n == name).unwrap();
        let line = board.lines.iter().find(|line| line.method == method);
        (line.unwrap().rating, board.covariance[method * 20 + method].sqrt())
    };
    for (name, rating, error) in [
        ("gpt-4", 1277.6, 41.1),
        ("claude-v1", 1241.7, 38.9),
        ("vicuna-13b", 1067.8, 26.7),
        ("mpt-7b-chat", 1022.7, 42.1),
        ("llama-13b", 779.6, 46.4),
    ] {
        let found = line(&one, name);
        assert!(
            (found.0 - rating).abs() < 0.5 && (found.1 - error).abs() < 0.5,
            "{name}: {found:?}"
        );
    }
    assert!((one.design_effect - 0.618).abs() < 0.002, "{}", one.design_effect);
    assert!((one.off_elo - 39.8).abs() < 0.3, "{}", one.off_elo);
    assert!((one.judges[0].slope - 0.96).abs() < 0.01);
    for (name, rating) in [("gpt-4", 1271.3), ("llama-13b", 765.6)] {
        assert!((line(&all, name).0 - rating).abs() < 0.5, "{name}");
    }
    for (slope, want) in all.slopes.iter().zip([0.72, 0.15, 0.34]) {
        assert!((slope - want).abs() < 0.01, "{:?}", all.slopes);
    }
    assert!(one.judges[0].votes > 300.0, "{:?}", one.judges);
    let (low, high) = one.judges[0].votes_range;
    assert!(low < one.judges[0].votes && one.judges[0].votes < high, "{:?}", one.judges);

    // What no judge should be trusted with costs nothing compared with people's votes only, and is
    // reported.
    let everyone: Vec<Answer> = rows
        .iter()
        .zip(0..)
        .map(|(row, key)| Answer {
            a: row.a,
            b: row.b,
            prompt: row.prompt,
            key,
            side: Side::Neither,
            winner: row.said[0],
        })
        .collect();
    let own: Vec<Answer> = votes
        .iter()
        .zip(0..)
        .map(|(vote, key)| Answer {
            a: vote.a,
            b: vote.b,
            prompt: vote.prompt,
            key,
            side: Side::Neither,
            winner: vote.winner,
        })
        .collect();
    let ratings = |answers: &[Answer]| {
        let settings = BoardSettings { replicates: 0, ..BoardSettings::default() };
        let board = board(&names, answers, &settings).unwrap();
        let mut lines: Vec<_> = board.lines.iter().map(|l| (l.method, l.rating)).collect();
        lines.sort_by_key(|(method, _)| *method);
        lines.into_iter().map(|(_, rating)| rating).collect::<Vec<f64>>()
    };
    let truth = ratings(&everyone);
    let off = ratings(&own).iter().zip(&truth).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
    let alone = (off / 20.0).sqrt();
    let mut random = Random::new(3, 0);
    let any = [Winner::A, Winner::B, Winner::Tie];
    let backwards = board_of(&rows, |row| row.said[1].swapped());
    let loves_guanaco =
        board_of(&rows, |row| match (names[row.a].as_str(), names[row.b].as_str()) {
            ("guanaco-33b", _) => Winner::A,
            (_, "guanaco-33b") => Winner::B,
            _ => row.said[1],
        });
    let bad = [
        ("random", board_of(&rows, |_| any[random.below(3)])),
        ("left", board_of(&rows, |_| Winner::A)),
        ("backwards", backwards),
        ("in love", loves_guanaco),
    ];
    for (name, judge) in &bad {
        let found = anchored(20, &votes, std::slice::from_ref(judge), Draws::Half, 0).unwrap();
        let off = rmse(&found, &truth);
        assert!(off < 1.02 * alone, "{name}: {off} beside {alone}");
        assert_eq!(found.judges[0].is_backwards, *name == "backwards", "{name}");
        let apart: Vec<&str> = found
            .lines
            .iter()
            .filter(|line| line.apart_elo.is_some())
            .map(|line| names[line.method].as_str())
            .collect();
        let want: &[&str] = if *name == "in love" { &["guanaco-33b"] } else { &[] };
        assert_eq!(apart, want, "{name}");
    }
    assert!(rmse(&one, &truth) < 0.5 * alone);
}

#[test]
fn edges_of_anchored_ratings() {
    // Two groups of two that no vote links, and a method nobody voted on, which has no interval and
    // no place.
    let vote = |prompt: usize, a: usize, b: usize, winner| Vote { prompt, a, b, source: 0, winner };
    let mut all = Vec::new();
    for prompt in 0..8 {
        all.push(vote(prompt, 0, 1, Winner::A));
        all.push(vote(prompt, 3, 2, Winner::B));
    }
    let alone = anchored(5, &all, &[], Draws::Half, 0).unwrap();
    let of = |board: &AnchoredBoard, method| {
        board.lines.iter().find(|l| l.method == method).cloned().unwrap()
    };
    assert!(of(&alone, 0).rating > of(&alone, 1).rating + 50.0);
    assert_eq!(of(&alone, 4).votes, 0);
    assert!(of(&alone, 4).interval.is_none() && of(&alone, 0).interval.is_some());
    assert_eq!((of(&alone, 4).ranks_all, alone.votes_to_first), (Some((1, 5)), None));
    assert_eq!(alone.win_rates[4][0].interval, None);
    // A judge that says nothing changes nothing.
    let mut answers = Vec::new();
    for prompt in 0..8 {
        for b in 0..5 {
            answers.extend((0..b).map(|a| Answer {
                a,
                b,
                prompt,
                key: 0,
                side: Side::Neither,
                winner: Winner::Tie,
            }));
        }
    }
    let silent = judge_board(5, &answers, Draws::Half).unwrap();
    // One that says much of the method without votes moves no other.
    let mut favoured = answers.clone();
    favoured.iter_mut().filter(|it| it.b == 4).for_each(|it| it.winner = Winner::B);
    favoured.push(Answer { winner: Winner::A, a: 0, b: 4, ..favoured[0] });
    let found = judge_board(5, &favoured, Draws::Half).unwrap();
    let found = anchored(5, &all, &[found], Draws::Half, 0).unwrap();
    let voted: f64 = (0..4).map(|method| of(&found, method).rating).sum();
    assert!(of(&found, 4).rating > 1020.0 && (voted - 4000.0).abs() < 1e-6, "{found:?}");
    let both = [silent.clone(), silent];
    let found = anchored(5, &all, &both, Draws::Half, 0).unwrap();
    assert!(found.judges.iter().all(|judge| judge.votes == 0.0));
    // Davidson's ties and a draw that is two wins are fitted too.
    all.extend((0..8).map(|prompt| vote(prompt, 1, 2, Winner::Tie)));
    for draws in [Draws::Davidson, Draws::BothWin] {
        let found = anchored(5, &all, &both, draws, 0).unwrap();
        assert!(found.lines.iter().all(|line| line.rating.is_finite()));
        assert!(of(&found, 0).rating > of(&found, 1).rating);
    }
    // Few prompts: ratings, no intervals. No votes, or a vote on nobody: an error.
    let few: Vec<Vote> = all.iter().filter(|vote| vote.prompt < 4).copied().collect();
    let few = anchored(5, &few, &[], Draws::Half, 0).unwrap();
    assert!(few.lines.iter().all(|line| line.interval.is_none() && line.ranks_all.is_none()));
    assert_eq!(anchored(5, &[], &both, Draws::Half, 0), Err(RateError::NoGames));
    let bad = [vote(0, 0, 5, Winner::A)];
    assert_eq!(anchored(5, &bad, &[], Draws::Half, 0), Err(RateError::BadGame { game: 0 }));
    // A judge whose board falls apart, or that saw four prompts, is refused.
    let apart: Vec<Answer> = answers.iter().filter(|x| (x.a < 2) == (x.b < 2)).copied().collect();
    assert!(matches!(judge_board(5, &apart, Draws::Half), Err(RateError::Disconnected { .. })));
    let few: Vec<Answer> = answers.iter().filter(|x| x.prompt < 4).copied().collect();
    assert!(matches!(judge_board(5, &few, Draws::Half), Err(RateError::FewPrompts { .. })));
}

/// 60 boards of 8 methods, of which four are equal.
#[test]
fn ranks_that_hold_all_at_once() {
    let strength = [0.9, 0.5, 0.0, 0.0, 0.0, 0.0, -0.4, -0.9];
    let names: Vec<String> = (0..8).map(|i| i.to_string()).collect();
    let settings = BoardSettings { replicates: 200, ..BoardSettings::default() };
    let mut wrong = 0;
    for run in 0..60 {
        let mut random = Random::new(17, run);
        let mut answers = Vec::new();
        for prompt in 0..15 {
            for b in 0..8 {
                for a in 0..b {
                    let p = 1.0 / (1.0 + libm::exp(strength[b] - strength[a]));
                    let winner = if random.unit() < p { Winner::A } else { Winner::B };
                    answers.push(Answer { a, b, prompt, key: 0, side: Side::Neither, winner });
                }
            }
        }
        let board = board(&names, &answers, &settings).unwrap();
        // Any rank among equals is right.
        let is_right = |line: &Line| {
            let own = strength[line.method];
            let above = strength.iter().filter(|s| **s > own).count();
            let equal = strength.iter().filter(|s| **s == own).count();
            let (best, worst) = line.ranks_all.unwrap();
            best <= above + equal && worst > above
        };
        wrong += usize::from(!board.lines.iter().all(is_right));
    }
    assert!(wrong <= 3, "{wrong} of 60");
}
