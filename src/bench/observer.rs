//! Who watches a benchmark.

use crate::ask::Progress;

/// Hears how far a benchmark is; called from several threads.
pub trait Observer: Sync {
    /// Something changed; `made` and `to_make` are assets.
    fn progress(&self, progress: &Progress, made: usize, to_make: usize);
    /// After the questions: how many of the assets have this feature or metric.
    fn computed(&self, _name: &str, _done: usize, _total: usize) {}
    /// Something that a user should know of an asset.
    fn warn(&self, warning: &str);
    /// A model or a server failed, so that something is lacking.
    fn fail(&self, failure: &str) {
        self.warn(failure);
    }
    /// How far an active schedule is, or what generators cost.
    fn note(&self, note: &str);
}
