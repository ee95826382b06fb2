//! Whole assets side by side, some at a time: each takes its memory.
//!
//! Not by the threads of rayon: one that waits for a part of its asset would begin another one,
//! perhaps with a lock in hand.

use std::thread;

/// Assets at a time; rayon's own limit (`RAYON_NUM_THREADS`) holds here too.
pub fn threads_max() -> usize {
    rayon::current_num_threads().min(8)
}

/// What `each` makes of the items, in their order, with a thread for each.
pub fn in_threads<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    each: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    thread::scope(|scope| {
        let each = &each;
        let threads: Vec<_> =
            items.into_iter().map(|item| scope.spawn(move || each(item))).collect();
        let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
        joined.map(|it| it.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}
