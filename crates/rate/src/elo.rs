//! The scale of ratings: Elo points.

/// Elo points for a factor of ten in the odds (Elo 1978; Chatbot Arena and GPTEval3D use the same).
pub(super) const ELO_SCALE: f64 = 400.0;

/// Rating of the anchor, or of the mean of all methods.
pub const ELO_ORIGIN: f64 = 1000.0;

/// Elo points per natural unit of log-odds: `400 / ln 10`.
pub const ELO_PER_NAT: f64 = ELO_SCALE / std::f64::consts::LN_10;

/// Ratings nearer than this are equal, in Elo points: the tolerance of a fit is finer.
pub(super) const LEVEL_ELO: f64 = 0.01;

/// A rating in steps of that size, for sorting.
pub(super) fn level(rating: f64) -> f64 {
    (rating / LEVEL_ELO).round()
}
