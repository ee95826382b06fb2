//! Program allocator: small pieces from `mimalloc`, large ones from the system, in large pages.
//!
//! A run of 200,000 questions is read as millions of small pieces, on several threads, and given
//! back on others. That takes a tenth to a quarter less processor time with `mimalloc` than with
//! the allocator of glibc, and pictures gain nothing from it (figures:
//! `docs/runs/scale/2026-11-24-memory.md`). The Python module keeps to the system's: an allocator
//! with memory of its own in each thread has no place in a library that is loaded late.

use std::alloc::{GlobalAlloc, Layout};

use mimalloc::MiMalloc;

use crate::huge_pages::HugePages;

/// `mimalloc` for small pieces, [`HugePages`] for the rest.
pub(crate) struct Memory;

/// Limit of small pieces: above it `mimalloc` takes more memory per drawing and no less time.
const SMALL_BYTES_MAX: usize = 64 << 10;

fn is_small(size: usize) -> bool {
    size <= SMALL_BYTES_MAX
}

// SAFETY: every call goes to one of two allocators, chosen only by the size in the layout. Memory
// is given back with the layout that it was asked for with, so it goes back to where it came from.
// What grows or shrinks across the border moves by `alloc`, copy and `dealloc`.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that both allocators ask for.
        if is_small(layout.size()) {
            unsafe { MiMalloc.alloc(layout) }
        } else {
            unsafe { HugePages.alloc(layout) }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        if is_small(layout.size()) {
            unsafe { MiMalloc.alloc_zeroed(layout) }
        } else {
            unsafe { HugePages.alloc_zeroed(layout) }
        }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        match (is_small(layout.size()), is_small(new_size)) {
            // SAFETY: as above.
            (true, true) => unsafe { MiMalloc.realloc(ptr, layout, new_size) },
            // SAFETY: as above.
            (false, false) => unsafe { HugePages.realloc(ptr, layout, new_size) },
            // SAFETY: the caller promises that the new size fits the alignment; the copied bytes
            // are in both pieces, which do not overlap.
            _ => unsafe {
                let moved = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
                if !moved.is_null() {
                    moved.copy_from_nonoverlapping(ptr, layout.size().min(new_size));
                    self.dealloc(ptr, layout);
                }
                moved
            },
        }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        if is_small(layout.size()) {
            unsafe { MiMalloc.dealloc(ptr, layout) }
        } else {
            unsafe { HugePages.dealloc(ptr, layout) }
        }
    }
}
