//! Loops on all threads of the current rayon pool, with results in order.
//!
//! rayon's iterators are compiled anew for every call, with some twenty functions each; those of
//! the asset package were a fifth of its code. Here only the loop body is: rayon sees one function
//! behind a pointer, called once for each block of a loop. Nothing depends on the number of threads
//! but the time.

use rayon::prelude::*;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Blocks for each thread: few enough to cost nothing, enough that uneven work is shared.
const BLOCKS_PER_THREAD: usize = 32;

/// Calls `body` once with each number below `count`, in no stated order.
pub fn each(count: usize, body: impl Fn(usize) + Sync) {
    run(count, &body);
}

/// What `of` makes of each number below `count`.
pub fn of<T: Send>(count: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut out = Vec::with_capacity(count);
    extend(&mut out, count, of);
    out
}

/// Adds what `of` makes of each number below `count`.
pub fn extend<T: Send>(out: &mut Vec<T>, count: usize, of: impl Fn(usize) -> T + Sync) {
    out.reserve(count);
    let slots = Slots(out.spare_capacity_mut().as_mut_ptr());
    let block = count.div_ceil(rayon::current_num_threads() * BLOCKS_PER_THREAD).max(1);
    run(count.div_ceil(block), &|at| {
        for i in range(at, block, count) {
            let made = MaybeUninit::new(of(i));
            // SAFETY: `i` is within the spare capacity, and in this block alone.
            unsafe { slots.at(i).write(made) };
        }
    });
    // SAFETY: each of the blocks has written all its slots. After a panic this is not reached, and
    // what was made until then is leaked.
    unsafe { out.set_len(out.len() + count) };
}

/// What `of` makes of each item.
pub fn map<'a, S: Sync, T: Send>(items: &'a [S], of: impl Fn(&'a S) -> T + Sync) -> Vec<T> {
    self::of(items.len(), |i| of(&items[i]))
}

/// What `of` makes of each run of `size` items, the last of which can be shorter, and its number.
pub fn map_chunks<'a, S: Sync, T: Send>(
    items: &'a [S],
    size: usize,
    of: impl Fn(usize, &'a [S]) -> T + Sync,
) -> Vec<T> {
    self::of(items.len().div_ceil(size), |at| of(at, &items[range(at, size, items.len())]))
}

/// Hands `body` each run of `size` items, the last of which can be shorter, and its number.
pub fn each_chunk<S: Send>(items: &mut [S], size: usize, body: impl Fn(usize, &mut [S]) + Sync) {
    let (count, slots) = (items.len(), Slots(items.as_mut_ptr()));
    run(count.div_ceil(size), &|at| {
        let range = range(at, size, count);
        // SAFETY: the range is within the items, and no other chunk's overlaps it.
        body(at, unsafe { std::slice::from_raw_parts_mut(slots.at(range.start), range.len()) });
    });
}

/// Hands `body` each item, and its number.
pub fn each_mut<S: Send>(items: &mut [S], body: impl Fn(usize, &mut S) + Sync) {
    let size = items.len().div_ceil(rayon::current_num_threads() * BLOCKS_PER_THREAD).max(1);
    each_chunk(items, size, |at, items| {
        (at * size..).zip(items).for_each(|(i, item)| body(i, item));
    });
}

fn range(at: usize, size: usize, count: usize) -> Range<usize> {
    at * size..((at + 1) * size).min(count)
}

/// Not generic, so that rayon's part is compiled here and nowhere else.
fn run(count: usize, body: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(body);
}

/// Places of one allocation, each used by one thread.
struct Slots<T>(*mut T);

// SAFETY: only the address is shared; who writes through it owns its place.
unsafe impl<T: Send> Sync for Slots<T> {}

impl<T> Slots<T> {
    /// # Safety
    /// `index` is within the allocation.
    unsafe fn at(&self, index: usize) -> *mut T {
        // SAFETY: the caller's.
        unsafe { self.0.add(index) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_whatever_the_count() {
        for count in [0, 1, 2, 63, 64, 65, 1000, 100_003] {
            assert!(
                of(count, |i| i.to_string()).iter().enumerate().all(|(i, x)| *x == i.to_string())
            );
            let mut items = vec![0_usize; count];
            each_mut(&mut items, |i, item| *item += i);
            assert_eq!(items, (0..count).collect::<Vec<_>>());
            let sums = map_chunks(&items, 7, |at, items| (at, items.iter().sum::<usize>()));
            let expected = items.chunks(7).map(|items| items.iter().sum()).enumerate();
            assert_eq!(sums, expected.collect::<Vec<_>>());
            each_chunk(&mut items, 7, |at, items| items.fill(at));
            assert!(items.iter().enumerate().all(|(i, at)| *at == i / 7));
        }
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let tried = std::panic::catch_unwind(|| of(100, |i| assert_ne!(i, 50)));
        assert!(tried.is_err());
    }
}
