//! Answers on one criterion → its leaderboard: ratings, intervals, ranks, answers' worth.

use super::bootstrap::{CLUSTERS_MIN, Interval};
use super::bradley_terry::fit;
use super::certainty::{bias_interval, certainty_of};
use super::confusion::Estimate;
use super::connect::{reach, separates_sides, strong_components, with_sides};
use super::elo::{ELO_PER_NAT, level};
use super::error::RateError;
use super::game::{Answer, Consistency, Side, Unit, each_order_games, units};
use super::likelihood::shares;
use super::model::{Anchor, Model};
use super::ranks::ranks;
use super::spread::Spread;
use super::table::Table;
use crate::winner::Winner;

/// On which side a rating is open: the games do not bound it there, and how far it is from the
/// others depends on the weak prior.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// It never lost or drew against the rest.
    AtLeast,
    /// It never won or drew against the rest.
    AtMost,
    /// It won all games against those below and lost all to those above: they bound it on no side.
    Neither,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoardSettings {
    /// How games become ratings. Its bias switch is not read: the bias is part of the ratings' fit
    /// where games of one order have it in them, and the reported bias has its own fit.
    pub model: Model,
    /// The method with rating 1000.
    pub anchor: Anchor,
    /// Random signs of prompts for ranks; 0 for no ranks and intervals.
    pub replicates: usize,
    pub seed: u64,
}

impl Default for BoardSettings {
    /// A tie is half a win for each, the weak prior, the mean of all at 1000, 1,000 signs.
    fn default() -> Self {
        Self { model: Model::default(), anchor: Anchor::default(), replicates: 1000, seed: 0 }
    }
}

/// One method's row of the board.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Line {
    pub method: usize,
    pub rating: f64,
    /// None where games bound it on both sides.
    pub bound: Option<Bound>,
    /// None with too few prompts of the board or of the method, where only the prior bounds the
    /// rating, and where every prompt said the same: the spread is then unknown, not 0.
    pub interval: Option<Interval>,
    /// Best and worst rank such that those of all methods are right together, in 95 of 100 boards.
    pub ranks_all: Option<(usize, usize)>,
    /// Units it took part in.
    pub games: usize,
    /// Of these, ties that the orders agree on, or that one order or a person says.
    pub ties: usize,
    /// Of these, inconsistent ones, which are rated as ties.
    pub inconsistent: usize,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Board {
    /// Best first; equal ratings by index.
    pub lines: Vec<Line>,
    /// Orders that are established, the better method first, sorted; right together on 95 of 100
    /// boards.
    pub orders: Option<Vec<(usize, usize)>>,
    /// `win_rates[i][j]`: the expected share of games that method `i` wins against `j`, a tie being
    /// half a win.
    pub win_rates: Vec<Vec<Estimate>>,
    pub num_units: usize,
    /// Units whose orders were both answered.
    pub num_both_orders: usize,
    /// Units of which one order only was answered; people's votes are whole without another.
    pub num_one_order: usize,
    /// Whether the left/right bias of these was fitted with the ratings; else it is in them.
    pub fits_bias: bool,
    /// Of those with both orders, the ones whose orders differ.
    pub num_inconsistent: usize,
    /// Clusters of the bootstrap.
    pub num_prompts: usize,
    /// Log-odds (natural) that standing left adds, fitted on each order as half a game. None where
    /// these do not separate it from the strengths.
    pub left_bias: Option<(f64, Option<Interval>)>,
    /// Methods the rest never beat or tied: their rating rests on the prior and is a lower bound.
    pub only_won: Vec<usize>,
    pub tie: Option<f64>,
}

/// Makes the board of one criterion.
///
/// # Errors
/// Nothing to rate, methods without a link, an infinite rating without a prior.
pub fn board(
    methods: &[String],
    answers: &[Answer],
    settings: &BoardSettings,
) -> Result<Board, RateError> {
    people_board(methods, answers, &[], settings)
}

/// The same of people's votes: `voters` has the voter of each answer, and what the board claims
/// holds for other voters too. Of one voter, or of none, it holds for this one.
///
/// # Errors
/// As [`board`].
pub fn people_board(
    methods: &[String],
    answers: &[Answer],
    voters: &[usize],
    settings: &BoardSettings,
) -> Result<Board, RateError> {
    let units = units(answers);
    let table = Table::gathered(methods.len(), units.iter().map(Unit::game))?;
    let model = with_sides(&settings.model, &table)?;
    let (anchor, seed) = (settings.anchor, settings.seed);
    let found = fit(&table, methods, &model, anchor)?;
    let voted = by_voter(methods.len(), answers, voters)?;
    let spread = Spread::of_board(&table, voted.as_ref(), &model, &found);
    let certainty =
        spread.and_then(|spread| certainty_of(&spread, anchor, &found, settings.replicates, seed));
    let ranks = certainty.as_ref().map(|it| ranks(methods.len(), &it.orders));
    let groups = strong_components(&table);
    let bounds = bounds(&table, &groups);
    // Units, ties and inconsistent units of each method.
    let mut tallies = vec![[0; 3]; methods.len()];
    for unit in &units {
        let winner = unit.consistency.winner();
        for method in [unit.a, unit.b] {
            let more = [true, winner == Some(Winner::Tie), winner.is_none()].map(usize::from);
            tallies[method].iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }
    let line = |method: usize| {
        let [games, ties, inconsistent] = tallies[method];
        Line {
            method,
            rating: found.ratings[method],
            bound: bounds[method],
            interval: certainty
                .as_ref()
                .and_then(|it| it.ratings[method])
                .filter(|_| bounds[method].is_none()),
            ranks_all: ranks.as_ref().map(|ranks| ranks[method]),
            games,
            ties,
            inconsistent,
        }
    };
    let mut lines: Vec<Line> = (0..methods.len()).map(line).collect();
    lines.sort_by(|x, y| level(y.rating).total_cmp(&level(x.rating)).then(x.method.cmp(&y.method)));
    let of =
        |keep: &dyn Fn(Consistency) -> bool| units.iter().filter(|u| keep(u.consistency)).count();
    let nat = |elo: f64| elo / ELO_PER_NAT;
    let gap = |i: usize, j: usize| {
        let is_bounded = bounds[i].is_none() && bounds[j].is_none();
        let gap = certainty.as_ref().filter(|_| is_bounded).and_then(|it| it.gaps[i][j]);
        let gap = gap.map(|gap| Interval { low: nat(gap.low), high: nat(gap.high) });
        (nat(found.ratings[i] - found.ratings[j]), gap)
    };
    let without_bias = Board {
        lines,
        num_units: units.len(),
        num_both_orders: of(&|c| matches!(c, Consistency::Agreed(_) | Consistency::Inconsistent)),
        num_one_order: of(&|c| matches!(c, Consistency::OneOrder(_))),
        fits_bias: model.fits_bias,
        num_inconsistent: of(&|c| c.winner().is_none()),
        num_prompts: table.num_clusters,
        left_bias: None,
        only_won: only_won(&table, &groups),
        tie: found.tie,
        win_rates: win_rates(methods.len(), found.tie.unwrap_or(0.0), gap),
        orders: certainty.map(|it| it.orders),
    };
    // The bias has a table of its own, twice as large: not both at a time.
    drop((units, table));
    Ok(Board { left_bias: left_bias(methods, answers, settings)?, ..without_bias })
}

impl Board {
    /// Whether the order of these methods is established.
    pub fn is_above(&self, better: usize, worse: usize) -> bool {
        self.orders.as_ref().is_some_and(|orders| orders.binary_search(&(better, worse)).is_ok())
    }
}

/// The group of each method; by group, the groups that it won against and those it lost to.
fn wins_between(table: &Table, groups: &[Vec<usize>]) -> (Vec<usize>, [Vec<Vec<usize>>; 2]) {
    let mut group_of = vec![0; table.num_methods];
    for (group, methods) in groups.iter().enumerate() {
        methods.iter().for_each(|method| group_of[*method] = group);
    }
    let mut links = [vec![Vec::new(); groups.len()], vec![Vec::new(); groups.len()]];
    for (cell, counts) in table.cells.iter().zip(&table.totals) {
        let (a, b) = (group_of[cell.a], group_of[cell.b]);
        if a != b {
            let (winner, loser) = if counts.a_wins > 0.0 { (a, b) } else { (b, a) };
            links[0][winner].push(loser);
            links[1][loser].push(winner);
        }
    }
    (group_of, links)
}

/// Methods of groups of [`strong_components`] that won against others and never lost to them.
fn only_won(table: &Table, groups: &[Vec<usize>]) -> Vec<usize> {
    let (group_of, [beat, lost_to]) = wins_between(table, groups);
    let is_best = |group: usize| !beat[group].is_empty() && lost_to[group].is_empty();
    (0..table.num_methods).filter(|method| is_best(group_of[*method])).collect()
}

/// On which side each method is open. Games bound the methods of one group of [`strong_components`]
/// relative to each other; only the prior says how far apart groups are. Ratings are measured from
/// the largest group, if one is larger than all others: a group that won against it, perhaps
/// through others, is open above, a group that lost, below. Else they are measured from none, and a
/// method is open above if it never lost to another group, below if it never won against one.
pub(super) fn bounds(table: &Table, groups: &[Vec<usize>]) -> Vec<Option<Bound>> {
    let (group_of, links) = wins_between(table, groups);
    let most = groups.iter().map(Vec::len).max().unwrap_or(0);
    let mut largest = (0..groups.len()).filter(|i| groups[*i].len() == most);
    let among = largest.next().filter(|_| largest.next().is_none());
    let [below, above] = links.map(|links| match among {
        Some(among) => reach(&links, among),
        None => (0..groups.len()).filter(|group| links[*group].is_empty()).collect(),
    });
    let bound = |group: usize| match (above.contains(&group), below.contains(&group)) {
        _ if among == Some(group) => None,
        (true, _) => Some(Bound::AtLeast),
        (false, true) => Some(Bound::AtMost),
        (false, false) => Some(Bound::Neither),
    };
    group_of.into_iter().map(bound).collect()
}

/// The bias by its own fit, on raw answers: the units of the ratings no longer have the left side.
/// None where the answers do not separate it from the strengths.
fn left_bias(
    methods: &[String],
    answers: &[Answer],
    settings: &BoardSettings,
) -> Result<Option<(f64, Option<Interval>)>, RateError> {
    let table = Table::gathered(methods.len(), each_order_games(answers))?;
    if !separates_sides(&table) {
        return Ok(None);
    }
    let model = Model {
        fits_bias: true,
        prior: Some(settings.model.prior.unwrap_or_default()),
        ..settings.model
    };
    let found = fit(&table, methods, &model, Anchor::Mean)?;
    let has_interval = table.num_clusters >= CLUSTERS_MIN && settings.replicates > 0;
    let spread = Spread::of_fit(&table, &model, &found).filter(|_| has_interval);
    let interval = spread.and_then(|spread| bias_interval(&spread, &found));
    Ok(found.left_bias.map(|bias| (bias, interval)))
}

/// The games with voters as clusters; none with fewer than two voters.
pub(super) fn by_voter(
    num_methods: usize,
    answers: &[Answer],
    voters: &[usize],
) -> Result<Option<Table>, RateError> {
    if voters.iter().all(|voter| *voter == voters[0]) {
        return Ok(None);
    }
    let game = |(answer, voter): (&Answer, &usize)| {
        let weight = if answer.side == Side::Neither { 1.0 } else { 0.5 };
        Answer { prompt: *voter, ..*answer }.game(weight)
    };
    Table::gathered(num_methods, answers.iter().zip(voters).map(game)).map(Some)
}

/// Expected shares of wins in natural log-odds by how far one is above the other, and the interval
/// of that.
pub(super) fn win_rates(
    k: usize,
    nu: f64,
    gap: impl Fn(usize, usize) -> (f64, Option<Interval>),
) -> Vec<Vec<Estimate>> {
    let at = |x: f64| {
        let [win, tie, _] = shares(x, nu);
        win + 0.5 * tie
    };
    let of = |i: usize, j: usize| {
        let (x, interval) = gap(i, j);
        let interval = interval.map(|it| Interval { low: at(it.low), high: at(it.high) });
        Estimate { value: at(x), interval }
    };
    (0..k).map(|i| (0..k).map(|j| of(i, j)).collect()).collect()
}
