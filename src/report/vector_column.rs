//! The columns of exported vectors, for every format.

/// A column without missing values.
pub(super) enum VectorColumn<'a> {
    Text(Vec<&'a str>),
    Count(Vec<u32>),
    /// Rows of so many numbers each.
    Vectors(usize, &'a [f32]),
}
