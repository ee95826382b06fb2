//! Every figure is the same whatever methods are called, whichever of two is listed first, and in
//! whatever order answers come. `MESHJUDGE_BOARDS` is the number of random boards.

use meshjudge_rate::*;

/// Elo points and shares: fits end nearer than this to their maximum.
const TOLERANCE: f64 = 2e-3;
const SAMPLING: Sampling = Sampling { replicates: 40, seed: 5 };
const NUM_RATERS: usize = 3;

/// What is said on a random board.
struct World {
    num_methods: usize,
    answers: Vec<Answer>,
    votes: Vec<Vote>,
    differences: Vec<[f64; 2]>,
}

impl World {
    /// Few methods, prompts and outcomes, so that equal ratings, unbeaten methods and prompts that
    /// all say the same are frequent.
    fn random(random: &mut Random) -> Self {
        let num_methods = 2 + random.below(4);
        let num_prompts = 5 + random.below(6);
        let (strength, left) = (random.unit() * 2.0, random.unit() - 0.4);
        let ties = [0.0, 0.2, 0.6][random.below(3)];
        let both_orders = [0.0, 0.8, 1.0][random.below(3)];
        let mut world =
            Self { num_methods, answers: Vec::new(), votes: Vec::new(), differences: Vec::new() };
        for prompt in 0..num_prompts {
            for b in 0..num_methods {
                for a in 0..b {
                    if random.unit() > 0.8 {
                        continue;
                    }
                    let say = |random: &mut Random, bias: f64| match random.unit() {
                        at if at < ties => Winner::Tie,
                        _ => {
                            let x = strength * (b as f64 - a as f64) + bias;
                            if random.unit() < 1.0 / (1.0 + libm::exp(-x)) {
                                Winner::A
                            } else {
                                Winner::B
                            }
                        }
                    };
                    let said = [say(random, left), say(random, -left)];
                    for source in 0..NUM_RATERS {
                        world.votes.push(Vote { prompt, a, b, source, winner: say(random, 0.0) });
                    }
                    let first = random.below(2);
                    let sides = [Side::ALeft, Side::BLeft];
                    for order in [first, 1 - first] {
                        let (side, winner) = (sides[order], said[order]);
                        world.answers.push(Answer { a, b, prompt, key: 0, side, winner });
                        world
                            .differences
                            .push([a as f64 - b as f64 + random.normal(), random.normal()]);
                        if random.unit() >= both_orders {
                            break;
                        }
                    }
                }
            }
        }
        world
    }

    /// The same with other names, in another order, with any two methods the other way round.
    fn renamed(&self, names: &[usize], random: &mut Random) -> Self {
        let mut world = Self {
            num_methods: self.num_methods,
            answers: Vec::new(),
            votes: Vec::new(),
            differences: Vec::new(),
        };
        let mut order: Vec<usize> = (0..self.answers.len()).collect();
        random.shuffle(&mut order);
        for at in order {
            let Answer { a, b, side, winner, .. } = self.answers[at];
            let named = Answer { a: names[a], b: names[b], ..self.answers[at] };
            let difference = self.differences[at];
            let is_turned = random.unit() < 0.5;
            world.answers.push(match is_turned {
                false => named,
                true => Answer {
                    a: named.b,
                    b: named.a,
                    side: side.swapped(),
                    winner: winner.swapped(),
                    ..named
                },
            });
            world.differences.push(if is_turned { difference.map(|d| -d) } else { difference });
        }
        let mut order: Vec<usize> = (0..self.votes.len()).collect();
        random.shuffle(&mut order);
        for at in order {
            let vote = self.votes[at];
            let named = Vote { a: names[vote.a], b: names[vote.b], ..vote };
            world.votes.push(match random.unit() < 0.5 {
                false => named,
                true => Vote { a: named.b, b: named.a, winner: vote.winner.swapped(), ..named },
            });
        }
        world
    }

    /// Each figure by name; those of methods in the order of `names`.
    fn figures(&self, names: &[usize]) -> Figures {
        let mut found = Figures::default();
        let n = self.num_methods;
        let called: Vec<String> = (0..n).map(|i| format!("method {i}")).collect();
        for draws in [Draws::Half, Draws::Davidson] {
            let model = Model { draws, ..Model::default() };
            let settings =
                BoardSettings { model, replicates: 40, seed: 5, ..BoardSettings::default() };
            let board = board(&called, &self.answers, &settings);
            found.add("why not", [f64::from(board.is_err())]);
            let Ok(board) = board else { continue };
            for &method in names {
                let line = board.lines.iter().find(|line| line.method == method).unwrap();
                found.add("rating", [line.rating]);
                found.add("bound", [line.bound.map_or(0.0, |bound| 1.0 + f64::from(bound as u8))]);
                found.interval("interval", line.interval);
                found.ranks("ranks of all", line.ranks_all);
                found.add("games", [line.games, line.ties, line.inconsistent].map(|c| c as f64));
                found.add("only won", [f64::from(board.only_won.contains(&method))]);
                for other in names {
                    found.estimate("win rate", Some(board.win_rates[method][*other]));
                }
            }
            let Board {
                num_units,
                num_both_orders,
                num_one_order,
                num_inconsistent,
                num_prompts,
                ..
            } = board;
            let counts = [num_units, num_both_orders, num_one_order, num_inconsistent, num_prompts];
            found.add("counts", counts.map(|count| count as f64));
            found.add("bias", board.left_bias.map(|(bias, _)| bias));
            found.interval(
                "interval of the bias",
                board.left_bias.and_then(|(_, interval)| interval),
            );
            found.add("ν", board.tie);
        }
        self.agreements(&mut found);
        self.sensitivity(names, &called, &mut found);
        self.pooled(names, &called, &mut found);
        found
    }

    fn agreements(&self, found: &mut Figures) {
        let of = |source| -> Vec<Vote> {
            self.votes.iter().filter(|v| v.source == source).copied().collect()
        };
        let mut rates = |name: &str, same: &AgreementRates| {
            let Accuracy { decided, decided_same, all, all_same } = same.counts;
            found.add(name, [decided, decided_same, all, all_same].map(|count| count as f64));
            for estimate in [same.on_decided, same.with_ties, same.kappa] {
                found.estimate(name, estimate);
            }
        };
        let two = agreement(&of(0), &of(1), SAMPLING).unwrap();
        two.iter().for_each(|two| rates("two sources", &two.same));
        let all = raters(&self.votes, SAMPLING);
        if let Some(all) = &all {
            rates("every two raters", &all.pairwise);
            rates("all against the rest", &all.rest);
            all.against_rest.iter().for_each(|(_, same)| rates("against the rest", same));
        }
        found.estimate("α", all.and_then(|all| all.alpha));
        found.estimate("τ", two.and_then(|two| two.kendall));
        found.estimate("ρ", two.and_then(|two| two.spearman));
    }

    fn sensitivity(&self, names: &[usize], called: &[String], found: &mut Figures) {
        let Ok(of) = diagnose(called, &self.answers, &[], &Model::default(), 5, &[]) else {
            return;
        };
        for variant in &of.variants {
            found.add("variant", names.iter().map(|method| variant.ratings[*method]));
            found.add("variant as a whole", [variant.moved_elo, variant.turned as f64]);
        }
        if let Some(LeftOut { first_changes, order_changes, moved_elo, .. }) = of.left_out {
            found.add("left out", [first_changes as f64, order_changes as f64, moved_elo]);
        }
        for method in names {
            found.ranks("single ranks", of.ranks.as_ref().map(|ranks| ranks[*method]));
        }
        if let Some(of) = of.intransitivity {
            found.add("circular", [of.x2, of.expected, of.p, of.beyond_elo]);
        }
    }

    /// By category, anchored, and with style control.
    fn pooled(&self, names: &[usize], called: &[String], found: &mut Figures) {
        let n = self.num_methods;
        let all = games(&units(&self.answers));
        let halves =
            [0, 1].map(|half| all.iter().filter(|g| g.prompt % 2 == half).copied().collect());
        if let Some(of) = by_category(n, &halves, Draws::Half, None, None, 5) {
            found.add("categories", [of.spread_elo, of.design_effect]);
            for (lines, method) in
                of.categories.iter().flat_map(|lines| names.iter().map(move |m| (lines, *m)))
            {
                let line = lines.iter().find(|line| line.method == method).unwrap();
                found.add("in a category", [line.rating, line.effect, line.games]);
                found.interval("in a category", line.interval);
                found.interval("effect", line.effect_interval);
                found.ranks("ranks in a category", line.ranks_all);
            }
        }
        let judges: Vec<JudgeBoard> =
            judge_board(n, &self.answers, Draws::Half).into_iter().collect();
        if let Ok(of) = anchored(n, &self.votes, &judges, Draws::Half, 5) {
            found.add("anchored", [of.design_effect, of.off_elo, of.worth, of.next_50_narrow]);
            found.add("slopes", of.slopes.iter().copied());
            for &method in names {
                let line = of.lines.iter().find(|line| line.method == method).unwrap();
                found.add("anchored rating", [line.rating, line.votes as f64]);
                found.interval("anchored interval", line.interval);
                found.ranks("anchored ranks of all", line.ranks_all);
                for other in names {
                    found.estimate("anchored win rate", Some(of.win_rates[method][*other]));
                }
            }
        }
        let meeting = |(answer, differences): (&Answer, &[f64; 2])| {
            let Answer { a, b, prompt, winner, .. } = *answer;
            let mut counts = Counts::default();
            match winner {
                Winner::A => counts.a_wins = 1.0,
                Winner::B => counts.b_wins = 1.0,
                Winner::Tie => counts.ties = 1.0,
            }
            Meeting {
                a,
                b,
                prompt,
                side: Side::Neither,
                counts,
                differences: differences.map(Some).to_vec(),
            }
        };
        let meetings: Vec<Meeting> =
            self.answers.iter().zip(&self.differences).map(meeting).collect();
        if let Ok((Some(of), _)) =
            controlled(called, &meetings, &Model::default(), Anchor::Mean, 40, 5)
        {
            for effect in &of.effects {
                found.add("style", [effect.sd, effect.elo]);
                found.interval("style", effect.interval);
            }
            for &method in names {
                let line = of.lines.iter().find(|line| line.method == method).unwrap();
                found.add("with style", [line.rating, line.plain, line.moved]);
                found.interval("with style", line.interval);
                found.ranks("ranks with style", line.ranks_all);
            }
        }
    }
}

/// Numbers by name, in the order in which they were found.
#[derive(Default)]
struct Figures(Vec<(String, f64)>);

impl Figures {
    fn add(&mut self, name: &str, values: impl IntoIterator<Item = f64>) {
        self.0.extend(values.into_iter().map(|value| (name.to_owned(), value)));
    }

    fn interval(&mut self, name: &str, interval: Option<Interval>) {
        let ends = interval.map_or([-1.0, -1.0], |it| [it.low, it.high]);
        self.add(name, ends);
    }

    fn estimate(&mut self, name: &str, estimate: Option<Estimate>) {
        self.add(name, estimate.map(|estimate| estimate.value));
        self.interval(name, estimate.and_then(|estimate| estimate.interval));
    }

    fn ranks(&mut self, name: &str, ranks: Option<(usize, usize)>) {
        let ends = ranks.map_or([0.0, 0.0], |(best, worst)| [best as f64, worst as f64]);
        self.add(name, ends);
    }
}

#[test]
fn no_figure_depends_on_names_or_on_the_order_of_answers() {
    let boards = std::env::var("MESHJUDGE_BOARDS").map_or(30, |count| count.parse().unwrap());
    let mut num_figures = 0;
    let mut wrong = Vec::new();
    for board in 0..boards {
        let mut random = Random::new(11, board);
        let world = World::random(&mut random);
        let before: Vec<usize> = (0..world.num_methods).collect();
        let mut after = before.clone();
        random.shuffle(&mut after);
        let found = world.figures(&before).0;
        let renamed = world.renamed(&after, &mut random).figures(&after).0;
        let named = |figures: &[(String, f64)]| {
            figures.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(named(&found), named(&renamed), "board {board}");
        num_figures += found.len();
        let pairs = found.iter().zip(&renamed);
        let off =
            pairs.filter(|((_, x), (_, y))| (x - y).abs() > TOLERANCE * (1.0 + 1e-3 * x.abs()));
        wrong.extend(off.map(|((name, x), (_, y))| format!("board {board}, {name}: {x} and {y}")));
    }
    println!("{num_figures} figures of {boards} boards, {} differ", wrong.len());
    assert!(num_figures as u64 > 50 * boards);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
