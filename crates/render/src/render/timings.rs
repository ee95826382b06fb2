//! Where the time of a drawing went.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Time spent in one step, summed over threads.
#[derive(Debug, Default)]
pub struct Timer(AtomicU64);

impl Timer {
    pub fn add(&self, span: Duration) {
        let nanos = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
        self.0.fetch_add(nanos, Ordering::Relaxed);
    }

    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

/// Sums over all threads, so that together they may exceed the time on the clock.
#[derive(Debug, Default)]
pub struct Timings {
    /// Mip levels and what all views share (on the clock).
    pub prepare: Timer,
    /// Vertices to the screen.
    pub transform: Timer,
    /// Which triangle each sample sees.
    pub rasterise: Timer,
    /// Colour, normals and the other channels.
    pub shade: Timer,
    /// Both of these where a graphics card does them, with the way there and back (on the clock).
    pub gpu: Timer,
    /// PNG, added by the encoder.
    pub encode: Timer,
}
