//! How each method does in each category of prompts: partial pooling, so that a category of five
//! prompts does not crown anybody by luck.
//!
//! In category c the strengths are `ψ_c = θ + γ_c` with `γ_ic ~ N(0, τ²)`: θ is how a method does
//! in general, γ what it does better or worse there; fitted by [`super::hierarchy`]. The prior of
//! ln τ is `τ / (1 + (τ/100)²)` (half-Cauchy: Gelman 2006, 4.3). The design effect φ is estimated
//! over all categories together: that is what a small category borrows.

use super::bootstrap::Interval;
use super::elo::{ELO_PER_NAT, level};
use super::game::Game;
use super::hierarchy::{Fitted, Hierarchy, TAUS_ELO, about, claims};
use super::model::{Draws, Prior};
use super::parts::Part;

/// The median of the prior of τ.
const TAU_ELO: f64 = 100.0;

/// One method in one category.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct CategoryLine {
    pub method: usize,
    /// In Elo points about a mean of 1000 of all methods in this category.
    pub rating: f64,
    /// None with games on fewer than five prompts in all categories together.
    pub interval: Option<Interval>,
    /// Best and worst rank in this category, right for all its methods together.
    pub ranks_all: Option<(usize, usize)>,
    /// How much better or worse than in general, in Elo points.
    pub effect: f64,
    pub effect_interval: Option<Interval>,
    /// Weight of its games there; with 0, its rating is the overall one.
    pub games: f64,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ByCategory {
    /// For each category, all methods, best first.
    pub categories: Vec<Vec<CategoryLine>>,
    /// Prompts of each.
    pub num_prompts: Vec<usize>,
    /// Mean of τ: how far a method's strength in a category is typically from its strength in
    /// general, in Elo points.
    pub spread_elo: f64,
    /// φ.
    pub design_effect: f64,
}

/// Rates `num_methods` methods in each category; a prompt is in one. `nu` is Davidson's and
/// `left_bias` the bias of answers in one order, as fitted on all games. None with fewer than two
/// categories that have games.
pub fn by_category(
    num_methods: usize,
    games: &[Vec<Game>],
    draws: Draws,
    nu: Option<f64>,
    left_bias: Option<f64>,
    seed: u64,
) -> Option<ByCategory> {
    if games.iter().filter(|of| !of.is_empty()).count() < 2 || num_methods < 2 {
        return None;
    }
    let left_bias = left_bias.unwrap_or(0.0);
    let part = |of: &Vec<Game>| Part::new(num_methods, of, &[], draws, left_bias).ok();
    let parts = games.iter().map(part).collect::<Option<Vec<Part>>>()?;
    let k = num_methods;
    let found = Hierarchy {
        parts: &parts,
        num_methods,
        loadings: (0..k * k).map(|at| if at / k == at % k { 1.0 } else { 0.0 }).collect(),
        shared: (0.0, Prior::default().precision()),
        variances: vec![0.0; k],
        has_outliers: false,
        step_tolerance: 1e-7,
        taus_elo: &TAUS_ELO[1..],
        tau_prior: (TAU_ELO, 1),
        nu: Some(nu.unwrap_or(0.0)),
    }
    .posterior();
    let num_prompts: Vec<usize> = parts.iter().map(Part::num_prompts).collect();
    let all = num_prompts.iter().sum::<usize>();
    let category = |(c, of): (usize, &Fitted)| {
        let claims = claims(&of.strengths, |_| true, all, seed ^ c as u64);
        let line = |i: usize| {
            let effect = of.effects.mean[i] * ELO_PER_NAT;
            let mine = games[c].iter().filter(|g| g.a == i || g.b == i);
            CategoryLine {
                method: i,
                rating: claims.ratings[i],
                interval: claims.intervals[i],
                ranks_all: claims.ranks.as_ref().map(|ranks| ranks[i]),
                effect,
                effect_interval: about(effect, of.effects.variance(i), all),
                // The sum of nothing is −0.
                games: 0.0 + mine.map(|g| g.weight).sum::<f64>(),
            }
        };
        let mut lines: Vec<CategoryLine> = (0..k).map(line).collect();
        lines.sort_by(|x, y| {
            level(y.rating).total_cmp(&level(x.rating)).then(x.method.cmp(&y.method))
        });
        lines
    };
    Some(ByCategory {
        categories: found.parts.iter().enumerate().map(category).collect(),
        num_prompts,
        spread_elo: found.tau * ELO_PER_NAT,
        design_effect: found.phi,
    })
}
