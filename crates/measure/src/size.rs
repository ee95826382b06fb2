//! When a mesh counts as large.

/// Above so many triangles, memory comes before time: steps that need much of it run in turn.
pub const LARGE_TRIANGLES: usize = 1 << 20;
