//! Methods in categories: intervals that cover in small categories, no effects where none exist.

use meshjudge_rate::*;

const METHODS: usize = 5;
const SIZES: [usize; 5] = [3, 5, 8, 15, 30];

struct World {
    games: Vec<Vec<Game>>,
    /// Strengths in each category about their mean, and less those in general, in Elo points.
    strengths: Vec<Vec<f64>>,
    effects: Vec<Vec<f64>>,
}

fn centred(mut values: Vec<f64>) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|x| *x -= mean);
    values
}

/// Strengths 120 points apart in spread, effects of categories `tau`, of single assets 100 points;
/// each pair once on each prompt.
fn world(seed: u64, tau: f64) -> World {
    let mut random = Random::new(seed, 6);
    let theta: Vec<f64> = (0..METHODS).map(|_| 120.0 * random.normal()).collect();
    let mut world = World { games: Vec::new(), strengths: Vec::new(), effects: Vec::new() };
    let mut prompt = 0;
    for size in SIZES {
        let effects: Vec<f64> = (0..METHODS).map(|_| tau * random.normal()).collect();
        let psi: Vec<f64> = theta.iter().zip(&effects).map(|(t, e)| t + e).collect();
        let mut games = Vec::new();
        for _ in 0..size {
            let assets: Vec<f64> = psi.iter().map(|p| p + 100.0 * random.normal()).collect();
            for b in 0..METHODS {
                for a in 0..b {
                    let p = 1.0 / (1.0 + libm::exp((assets[b] - assets[a]) / ELO_PER_NAT));
                    let winner = if random.unit() < p { Winner::A } else { Winner::B };
                    games.push(Game { a, b, prompt, winner, side: Side::Neither, weight: 1.0 });
                }
            }
            prompt += 1;
        }
        world.games.push(games);
        // Effects of assets draw the odds of a random prompt towards even: the logit of a mean over
        // a normal is smaller by √(1 + 0.346 σ²) (Zeger, Liang & Albert 1988), σ being that of a
        // difference of two assets.
        let sd = 100.0 / ELO_PER_NAT;
        let drawn = 1.0 / (1.0 + 0.346 * 2.0 * sd * sd).sqrt();
        let scaled = |values: Vec<f64>| centred(values.into_iter().map(|x| x * drawn).collect());
        world.strengths.push(scaled(psi));
        world.effects.push(scaled(effects));
    }
    world
}

/// Shares of ratings and of effects that their intervals hold, by category, and the mean of τ.
fn coverage(worlds: u64, tau: f64) -> (Vec<[f64; 2]>, f64) {
    let mut held = vec![[0.0; 2]; SIZES.len()];
    let (mut spread, mut phi) = (0.0, 0.0);
    for seed in 0..worlds {
        let world = world(seed, tau);
        let found = by_category(METHODS, &world.games, Draws::Half, None, None, 0).unwrap();
        assert_eq!(found.num_prompts, SIZES);
        spread += found.spread_elo / worlds as f64;
        phi += found.design_effect / worlds as f64;
        for (c, lines) in found.categories.iter().enumerate() {
            for line in lines {
                let truth =
                    [1000.0 + world.strengths[c][line.method], world.effects[c][line.method]];
                let found = [line.interval.unwrap(), line.effect_interval.unwrap()];
                for ((held, truth), interval) in held[c].iter_mut().zip(truth).zip(found) {
                    let is_held = interval.low <= truth && truth <= interval.high;
                    *held += f64::from(u8::from(is_held)) / (worlds as f64 * METHODS as f64);
                }
            }
        }
    }
    println!("tau {tau}: estimated {spread:.0}, phi {phi:.2}, coverage {held:.3?}");
    (held, spread)
}

#[test]
fn intervals_cover_in_small_categories() {
    for tau in [0.0, 40.0, 120.0] {
        let (held, spread) = coverage(20, tau);
        let mean = |which: usize| held.iter().map(|h| h[which]).sum::<f64>() / held.len() as f64;
        // 500 intervals, 5 × 5 a world, so they vary more than 2 %; 100 a category.
        assert!(mean(0) >= 0.91 && mean(1) >= 0.91, "tau {tau}: {held:?}");
        assert!(held.iter().flatten().all(|h| *h >= 0.84), "tau {tau}: {held:?}");
        assert!(spread < tau + 60.0 && spread > 0.5 * tau, "{tau}: {spread}");
    }
}

/// 2 methods, one wins three of four in the larger category and loses three of four in the smaller.
#[test]
fn a_small_category_is_drawn_towards_the_whole() {
    let game = |prompt: usize, winner| Game {
        a: 0,
        b: 1,
        prompt,
        winner,
        side: Side::Neither,
        weight: 1.0,
    };
    let mixed = |p: usize| {
        if p.is_multiple_of(4) { Winner::B } else { Winner::A }
    };
    let large: Vec<Game> = (0..40).map(|p| game(p, mixed(p))).collect();
    let turned = |p: usize| if p == 40 { Winner::A } else { Winner::B };
    let small: Vec<Game> = (40..44).map(|p| game(p, turned(p))).collect();
    let games = [large.clone(), small, Vec::new()];
    let found = by_category(2, &games, Draws::Half, None, None, 0).unwrap();
    let line = |c: usize| found.categories[c].iter().find(|l| l.method == 0).unwrap();
    assert!(line(0).rating > 1040.0 && line(0).ranks_all == Some((1, 1)), "{found:?}");
    // By itself its rating would be 905.
    assert!(line(1).effect < -5.0 && line(1).rating > 920.0, "{found:?}");
    assert_eq!(line(1).ranks_all, Some((1, 2)));
    assert_eq!((line(1).games, line(2).games), (4.0, 0.0));
    // Without a game its rating is the general one, less surely.
    let width = |c: usize| line(c).interval.map(|i| i.high - i.low).unwrap();
    assert!(line(2).rating > 1000.0 && width(2) > width(0), "{found:?}");
    assert!(by_category(2, &[large, Vec::new()], Draws::Half, None, None, 0).is_none());
}
