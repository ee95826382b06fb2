//! Transparent surfaces: every fragment in front of the opaque ones, in the order in which they
//! must be laid over each other.
//!
//! Order is decided per pixel by the depth at the covered samples, so that it is right for
//! interleaved and nested surfaces, which no order of meshes is.

use super::gathered::{Context, Fragment};
use super::prepare::Pass;
use super::raster::{PixelSamples, Sink, draw_mesh};
use crate::render::samples::SAMPLES;
use crate::scene::AlphaMode;
use std::ops::Range;

/// A fragment with what orders it.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlendFragment {
    pub fragment: Fragment,
    /// Mean over its samples; 0 near to 1 far.
    pub depth: f32,
    /// Whether its material factor alone makes it over half opaque; such surfaces have a depth.
    pub is_half_opaque: bool,
}

/// Collects fragments in front of the opaque samples.
struct CollectSink<'a> {
    opaque: &'a [PixelSamples],
    rows: Range<i32>,
    width: i32,
    is_half_opaque: bool,
    out: Vec<BlendFragment>,
}

impl Sink for CollectSink<'_> {
    #[inline(always)]
    fn pixel(&mut self, x: i32, y: i32, covered: u8, depth: [f32; SAMPLES], triangle: u32) {
        let row = (y - self.rows.start) as usize;
        let behind = &self.opaque[row * self.width as usize + x as usize].depth;
        let mut kept = 0_u8;
        let mut sum = 0.0;
        for s in 0..SAMPLES {
            if covered >> s & 1 == 1 && depth[s] <= behind[s] {
                kept |= 1 << s;
                sum += depth[s];
            }
        }
        if kept != 0 {
            self.out.push(BlendFragment {
                fragment: Fragment { x, y, covered: kept, triangle },
                depth: sum / kept.count_ones() as f32,
                is_half_opaque: self.is_half_opaque,
            });
        }
    }
}

/// All transparent fragments of some rows, sorted by row, then pixel, then farthest first; at one
/// depth the earlier triangle is below.
pub(super) fn collect(
    context: &Context<'_>,
    opaque: &[PixelSamples],
    width: i32,
    rows: Range<i32>,
) -> Vec<BlendFragment> {
    let mut sink =
        CollectSink { opaque, rows: rows.clone(), width, is_half_opaque: true, out: Vec::new() };
    for mesh in context.meshes {
        if mesh.pass != Pass::Blend {
            continue;
        }
        sink.is_half_opaque =
            mesh.material.base_color.w >= 0.5 || mesh.material.alpha_mode == AlphaMode::Opaque;
        let vertices = &context.vertices[mesh.first_vertex..][..mesh.mesh.positions().len()];
        draw_mesh(mesh, vertices, context.transform, width, &rows, &mut sink);
    }
    sort(&sink.out, width, rows)
}

/// By pixel with one count of them all, then each pixel's few.
fn sort(fragments: &[BlendFragment], width: i32, rows: Range<i32>) -> Vec<BlendFragment> {
    let Some(&first) = fragments.first() else {
        return Vec::new();
    };
    let pixel_of = |f: &BlendFragment| {
        ((f.fragment.y - rows.start) as usize) * width as usize + f.fragment.x as usize
    };
    // Where each pixel's fragments end, once all that are before them are counted.
    let mut ends = vec![0_usize; rows.len() * width as usize];
    for fragment in fragments {
        ends[pixel_of(fragment)] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum - *end;
    }
    let mut sorted = vec![first; fragments.len()];
    for fragment in fragments {
        let end = &mut ends[pixel_of(fragment)];
        sorted[*end] = *fragment;
        *end += 1;
    }
    let mut start = 0;
    for end in ends {
        // As whole numbers: depths are never below zero.
        sorted[start..end].sort_unstable_by_key(|f| {
            let farthest_first = !f.depth.max(0.0).to_bits();
            u64::from(farthest_first) << 32 | u64::from(f.fragment.triangle)
        });
        start = end;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_sorted_by_pixel_then_farthest_first_then_by_triangle() {
        let (width, rows) = (7, 3..8);
        let fragment = |k: u32| BlendFragment {
            fragment: Fragment {
                x: (k.wrapping_mul(2_654_435_761) >> 8) as i32 % width,
                y: rows.start + (k.wrapping_mul(40_503) >> 4) as i32 % rows.len() as i32,
                covered: 0b1111,
                // In the order in which they are drawn.
                triangle: k / 2,
            },
            depth: (k % 5) as f32 * 0.25 - 0.25,
            is_half_opaque: k.is_multiple_of(3),
        };
        let fragments: Vec<_> = (0..500).map(fragment).collect();
        let key = |f: &BlendFragment| {
            let Fragment { x, y, triangle, .. } = f.fragment;
            (y, x, !f.depth.max(0.0).to_bits(), triangle)
        };
        let mut expected: Vec<_> = fragments.iter().map(key).collect();
        expected.sort_unstable();
        let sorted = sort(&fragments, width, rows.clone());
        assert_eq!(sorted.iter().map(key).collect::<Vec<_>>(), expected);
        assert!(sort(&[], width, rows).is_empty());
    }
}
