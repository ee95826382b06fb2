//! Views → their results, a thread for each view at a time.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The results in the order of the views.
///
/// Each thread takes view after view: a job for each view could be begun by a thread that waits for
/// parts of its own, one inside the other without end.
pub(super) fn view_by_view<T: Send>(
    views: Range<usize>,
    draw: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next_view = AtomicUsize::new(views.start);
    let take_view = || {
        let view_idx = next_view.fetch_add(1, Ordering::Relaxed);
        (view_idx < views.end).then(|| (view_idx, draw(view_idx)))
    };
    let workers = rayon::current_num_threads().min(views.len());
    let taken = parallel::of(workers, |_| std::iter::from_fn(take_view).collect::<Vec<_>>());
    let mut drawn: Vec<(usize, T)> = taken.into_iter().flatten().collect();
    drawn.sort_unstable_by_key(|(view_idx, _)| *view_idx);
    drawn.into_iter().map(|(_, result)| result).collect()
}
