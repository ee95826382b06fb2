//! A million comparisons of 100 methods on 100 prompts: gathering, fitting, and 1,000 bootstrap
//! samples.

use criterion::{Criterion, criterion_group, criterion_main};
use meshjudge::unstable::rate::{
    Anchor, Draws, Game, Model, Random, Side, Table, Winner, certainty, fit,
};
use std::hint::black_box;

const NUM_METHODS: usize = 100;
const NUM_PROMPTS: usize = 100;
const NUM_GAMES: usize = 1_000_000;

/// Strengths over 990 Elo points, a tenth ties.
fn games() -> Vec<Game> {
    let mut random = Random::new(1, 1);
    (0..NUM_GAMES)
        .map(|_| {
            let a = random.below(NUM_METHODS);
            let b = (a + 1 + random.below(NUM_METHODS - 1)) % NUM_METHODS;
            let share = 1.0 / (1.0 + libm::pow(10.0, (b as f64 - a as f64) / 40.0));
            let winner = if random.unit() < 0.1 {
                Winner::Tie
            } else if random.unit() < share {
                Winner::A
            } else {
                Winner::B
            };
            Game {
                a,
                b,
                prompt: random.below(NUM_PROMPTS),
                winner,
                side: Side::Neither,
                weight: 1.0,
            }
        })
        .collect()
}

fn rate(c: &mut Criterion) {
    let games = games();
    let names: Vec<String> = (0..NUM_METHODS).map(|i| format!("m{i}")).collect();
    let table = Table::new(NUM_METHODS, &games).expect("valid games");
    let mut group = c.benchmark_group("rate");
    group.sample_size(10);
    group.bench_function("table of 1,000,000 games", |b| {
        b.iter(|| Table::new(NUM_METHODS, black_box(&games)));
    });
    for draws in [Draws::Half, Draws::Davidson] {
        let model = Model { draws, ..Model::default() };
        let found = fit(&table, &names, &model, Anchor::Mean).expect("a fit");
        group.bench_function(format!("fit, {draws:?}"), |b| {
            b.iter(|| fit(black_box(&table), &names, &model, Anchor::Mean));
        });
        group.bench_function(format!("intervals and orders, {draws:?}"), |b| {
            b.iter(|| certainty(black_box(&table), &model, Anchor::Mean, &found, 1000, 0));
        });
        group.bench_function(format!("all of it, {draws:?}"), |b| {
            b.iter(|| {
                let table = Table::new(NUM_METHODS, black_box(&games)).expect("valid games");
                let found = fit(&table, &names, &model, Anchor::Mean).expect("a fit");
                certainty(&table, &model, Anchor::Mean, &found, 1000, 0)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, rate);
criterion_main!(benches);
