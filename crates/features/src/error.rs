//! Why there is no number.

/// A refusal, with the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FeaturesError {
    /// Rows of different lengths, or lists of different lengths.
    #[error("{what} must have {wanted} values, not {found}")]
    Length {
        /// The name of the list.
        what: &'static str,
        /// The length that it must have.
        wanted: usize,
        /// Its length.
        found: usize,
    },
    /// NaN or infinity.
    #[error("row {row} of the features has a value that is not finite")]
    NotFinite {
        /// Index of the first such row.
        row: usize,
    },
    /// A vector without direction.
    #[error("row {row} of the features is zero and has no direction; check the input of the model")]
    Zero {
        /// Index of the first such row.
        row: usize,
    },
    /// Too few assets for this metric. Views of one asset are not independent and do not count.
    #[error("{metric} needs at least {needed} assets in each set; one of them has {found}")]
    FewAssets {
        /// The metric's name.
        metric: &'static str,
        /// The least number of assets.
        needed: usize,
        /// The number of assets of the smaller set.
        found: usize,
    },
    /// A covariance of rank below the dimension.
    #[error(
        "{rows} rows cannot give a covariance of {dimension} dimensions its full rank; use KD or CMMD, more assets, or allow a deficient rank"
    )]
    RankDeficient {
        /// Rows of the smaller set.
        rows: usize,
        /// The dimension of the features.
        dimension: usize,
    },
    /// Sets of different sizes, whose biases differ.
    #[error(
        "{a:?} has {num_a} assets and {b:?} has {num_b}: the bias of {metric} depends on the size; compare sets of equal size, or use KD"
    )]
    UnequalSizes {
        /// The metric's name.
        metric: &'static str,
        /// A method.
        a: String,
        /// Its number of assets.
        num_a: usize,
        /// A method with another number of assets.
        b: String,
        /// Its number of assets.
        num_b: usize,
    },
    /// A picture, a crop or a number of groups that is impossible.
    #[error("{0}")]
    Impossible(String),
    /// A preprocessing description with an unknown or missing field.
    #[error("the preprocessing description cannot be followed: {0}")]
    Description(String),
}
