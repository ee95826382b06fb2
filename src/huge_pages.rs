//! Memory in large pages: pictures, textures and meshes are read in an order that no small page
//! table holds.
//!
//! The kernel gives memory page by page as it is first written, and clears each: with pages of 4
//! KiB that was a fifth of the time of a small drawing, and every look-up of a texel walked the
//! tables of a machine inside a machine. Linux hands out pages of 2 MiB to who asks (figures:
//! `docs/runs/speed/2026-11-22-e048fef-memory.md`).

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, which asks for large pages where there is room for one.
pub(crate) struct HugePages;

/// The size of a large page, and of the smallest allocation that gets some.
#[cfg(target_os = "linux")]
const PAGE_BYTES: usize = 2 << 20;

// SAFETY: every call goes to `System` with the caller's own layout, or with a layout that differs
// only in a stricter alignment, which `System` ignores when memory is given back on Linux. Advice
// changes nothing that the program could see.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for.
        advised(unsafe { System.alloc(aligned(layout)) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above. Not aligned: aligned memory would be cleared by hand, fresh is clear.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as above.
        advised(unsafe { System.realloc(ptr, layout, new_size) }, new_size)
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[cfg(not(target_os = "linux"))]
fn aligned(layout: Layout) -> Layout {
    layout
}

#[cfg(not(target_os = "linux"))]
fn advised(ptr: *mut u8, _: usize) -> *mut u8 {
    ptr
}

/// A layout whose memory starts with a large page, if it holds one.
#[cfg(target_os = "linux")]
fn aligned(layout: Layout) -> Layout {
    if layout.size() < PAGE_BYTES {
        return layout;
    }
    layout.align_to(PAGE_BYTES).unwrap_or(layout)
}

/// Asks for large pages for the pages wholly within an allocation. Kernels without them ignore it.
#[cfg(target_os = "linux")]
fn advised(ptr: *mut u8, size: usize) -> *mut u8 {
    if size >= PAGE_BYTES && !ptr.is_null() {
        let skipped = ptr.align_offset(4096);
        let len = (size - skipped) & !4095;
        // SAFETY: the range is whole pages of the allocation, whose content this advice keeps.
        let _ = unsafe {
            rustix::mm::madvise(ptr.add(skipped).cast(), len, rustix::mm::Advice::LinuxHugepage)
        };
    }
    ptr
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_written_stays_while_memory_grows_and_shrinks() {
        let mut list: Vec<u32> = Vec::new();
        for k in 0..3 << 20 {
            list.push(k);
        }
        list.truncate(1 << 20);
        list.shrink_to_fit();
        let mut copy = vec![0_u32; 3 << 20];
        assert!(copy.iter().all(|&v| v == 0));
        copy[..list.len()].copy_from_slice(&list);
        drop(list);
        assert!(copy[..1 << 20].iter().zip(0..).all(|(&v, k)| v == k));
    }
}
