//! A new method among published ratings that stay as they are, as GPTEval3D places one.

use super::elo::{ELO_PER_NAT, ELO_SCALE};
use super::error::RateError;
use super::linear::halved;
use super::model::Draws;

/// Games of the new method against one with a known rating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// The known rating, in Elo points.
    pub opponent: f64,
    pub wins: f64,
    pub losses: f64,
    pub ties: f64,
}

/// The rating that minimises `Σ A[i][j] ln(1 + 10^((e_j − e_i) / 400))` over pairs with the new
/// method (GPTEval3D, published code). With [`Draws::BothWin`] exactly its rule. The slope falls
/// steadily with the rating, so bisection finds its zero to 1e-9 points. [`Draws::Davidson`] is
/// taken as half: one method's games do not say how often others draw.
///
/// # Errors
/// No games; only wins or only losses, whose rating is infinite.
pub fn place(name: &str, games: &[Placed], draws: Draws) -> Result<f64, RateError> {
    let draw_wins = if draws == Draws::BothWin { 1.0 } else { 0.5 };
    let wins: f64 = games.iter().map(|g| g.wins + draw_wins * g.ties).sum();
    let losses: f64 = games.iter().map(|g| g.losses + draw_wins * g.ties).sum();
    if wins + losses == 0.0 {
        return Err(RateError::NoGames);
    }
    if wins == 0.0 || losses == 0.0 {
        return Err(RateError::OneResult { method: name.to_owned(), has_won: wins > 0.0 });
    }
    // Wins won minus wins expected at this rating.
    let slope = |rating: f64| {
        let of = |g: &Placed| {
            let all = g.wins + g.losses + 2.0 * draw_wins * g.ties;
            all / (1.0 + libm::exp((g.opponent - rating) / ELO_PER_NAT))
        };
        wins - games.iter().map(of).sum::<f64>()
    };
    let known = || games.iter().map(|g| g.opponent);
    // Beyond the best opponent by the log-odds of the whole score, more is expected than was won.
    let reach = ELO_SCALE * libm::log10((wins + losses) * 2.0 / wins.min(losses));
    let low = known().fold(f64::INFINITY, f64::min) - reach;
    let high = known().fold(f64::NEG_INFINITY, f64::max) + reach;
    Ok(halved((low, high), |rating| slope(rating) > 0.0))
}
