//! Why there is no rating.

/// What keeps games from becoming ratings.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RateError {
    #[error("there are no games to rate")]
    NoGames,
    /// A method or prompt index outside the lists, or a method against itself.
    #[error(
        "game {game} names a generator or prompt that is not listed, or compares a generator with itself"
    )]
    BadGame { game: usize },
    /// Weights are positive and finite.
    #[error("game {game} has the weight {weight}; weights are positive and finite")]
    BadWeight { game: usize, weight: f64 },
    /// No game links these groups, so their ratings have no common scale.
    #[error("the generators fall into groups that were never compared: {}; ask pairs across them, or rate each alone", groups(.components))]
    Disconnected { components: Vec<Vec<String>> },
    /// No finite maximum without a prior: a group never lost or drew against the rest.
    #[error("these generators never lost or drew against the rest, so their rating is infinite: {}; use the weak prior, or ask more pairs", .methods.join(", "))]
    Unbounded { methods: Vec<String> },
    /// One method's games have one result, so the others' ratings do not bound its own.
    #[error("{method} {} of its games, so its rating has no limit; ask more pairs", if *.has_won { "lost none" } else { "won none" })]
    OneResult { method: String, has_won: bool },
    /// The anchor is not among the methods.
    #[error("the anchor {anchor:?} is not among the rated generators: {}", .methods.join(", "))]
    UnknownAnchor { anchor: String, methods: Vec<String> },
    /// The side explains the games as well as the strengths do.
    #[error(
        "every pair was asked in one order only, in such a way that a preference of the judge for the left side cannot be separated from the ratings; ask some pairs in both orders"
    )]
    OneSided,
    /// Too few clusters to say how sure anything is.
    #[error(
        "it was asked on {prompts} prompts, and {needed} are needed to say how sure its ratings are"
    )]
    FewPrompts { prompts: usize, needed: usize },
    /// The search for the maximum did not end.
    #[error(
        "the fit did not converge in {iterations} steps; use the weak prior, or report the games as a bug"
    )]
    NotSettled { iterations: usize },
}

fn groups(components: &[Vec<String>]) -> String {
    let group = |names: &Vec<String>| format!("{{{}}}", names.join(", "));
    components.iter().map(group).collect::<Vec<_>>().join(" and ")
}
