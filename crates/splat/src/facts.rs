//! Splats → what `inspect` says of them. Limits without a source are this program's conventions.

use crate::extent::Extent;
use crate::read::Loaded;
use crate::splats::{ColorSpace, Repairs, Splats};
use glam::DVec3;
use rayon::prelude::*;

/// Share of the opacity by which an asset is framed and measured.
pub const EXTENT_SHARE: f64 = 0.99;

/// Training removes splats with less opacity (Kerbl et al. 2023; LGM).
pub const DUST_OPACITY: f32 = 0.005;

/// A needle's longest scale is more than this multiple of the next, …
pub const NEEDLE_RATIO: f32 = 10.0;

/// … and more than this share of the extent's longest side.
pub const NEEDLE_SHARE: f64 = 0.02;

/// As in training's pruning, a giant's longest scale exceeds this share of the longest extent.
pub const GIANT_SHARE: f64 = 0.1;

/// Floaters are groups with less than this share of the opacity of the largest group.
pub const FLOATER_SHARE: f64 = 0.01;

/// Facts about splats. Lengths are in units of the file.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct SplatFacts {
    pub splats: usize,
    /// Degree of the spherical harmonics, 0 to 3.
    pub degree: usize,
    pub color_space: ColorSpace,
    /// The file's own claim; `None` where its encoding cannot make one.
    pub antialiased: Option<bool>,
    pub repairs: Repairs,
    /// Middle, sides and radius of [`EXTENT_SHARE`] of the opacity.
    pub center: [f64; 3],
    pub size: [f64; 3],
    pub radius: f64,
    /// Sides of the box around every centre.
    pub size_of_all: [f64; 3],
    pub mean_opacity: f64,
    /// Long and thin: see [`NEEDLE_RATIO`].
    pub needles: usize,
    /// Larger than [`GIANT_SHARE`] of the extent.
    pub giants: usize,
    /// With less opacity than [`DUST_OPACITY`].
    pub dust: usize,
    /// In small groups apart from the rest: see [`FLOATER_SHARE`].
    pub floaters: usize,
}

/// Measures loaded splats.
pub fn facts(loaded: &Loaded) -> SplatFacts {
    let splats = &loaded.splats;
    let extent = splats.extent(EXTENT_SHARE);
    let longest = extent.size.max_element();
    let opacity = &splats.planes().opacity;
    let count = |is: &(dyn Fn(usize) -> bool + Sync)| {
        parallel::of(splats.len(), is).into_iter().filter(|is| *is).count()
    };
    let sorted_scale = |i: usize| {
        let mut scale = splats.scale(i);
        scale.sort_unstable_by(f32::total_cmp);
        scale
    };
    SplatFacts {
        splats: splats.len(),
        degree: splats.degree(),
        color_space: splats.color_space(),
        antialiased: loaded.antialiased,
        repairs: loaded.repairs,
        center: extent.center.to_array(),
        size: extent.size.to_array(),
        radius: extent.radius,
        size_of_all: splats.extent(1.0).size.to_array(),
        mean_opacity: opacity.iter().map(|&value| f64::from(value)).sum::<f64>()
            / splats.len() as f64,
        needles: count(&|i| {
            let [_, middle, long] = sorted_scale(i);
            long > NEEDLE_RATIO * middle && f64::from(long) > NEEDLE_SHARE * longest
        }),
        giants: count(&|i| f64::from(sorted_scale(i)[2]) > GIANT_SHARE * longest),
        dust: count(&|i| opacity[i] < DUST_OPACITY),
        floaters: floaters(splats, &extent),
    }
}

/// Splats in groups of touching voxels that have little of the opacity. Dust does not count.
fn floaters(splats: &Splats, extent: &Extent) -> usize {
    /// Most voxels along the longest side; so few that a surface has some sixteen splats in each.
    const SIDE_MAX: f64 = 64.0;
    /// Coordinates have 21 bits each, and none at the ends: neighbours never wrap around.
    const FARTHEST: f64 = 1_000_000.0;
    let side = (splats.len() as f64 / 16.0).sqrt().clamp(4.0, SIDE_MAX);
    let voxel = (extent.size.max_element() / side).max(f64::MIN_POSITIVE);
    let from = extent.center - splats.origin();
    let key = |cell: DVec3| {
        let part = |value: f64| (value + FARTHEST + 2.0) as u64;
        part(cell.x) << 42 | part(cell.y) << 21 | part(cell.z)
    };
    let opacity = &splats.planes().opacity;
    let cells = parallel::of(splats.len(), |i| {
        let cell = ((splats.position(i) - from) / voxel).floor();
        let key = || key(cell.clamp(DVec3::splat(-FARTHEST), DVec3::splat(FARTHEST)));
        (opacity[i] >= DUST_OPACITY).then(|| (key(), opacity[i]))
    });
    let mut cells: Vec<(u64, f32)> = cells.into_iter().flatten().collect();
    cells.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let voxels: Vec<(u64, usize, f64)> = cells
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| (same[0].0, same.len(), same.iter().map(|cell| f64::from(cell.1)).sum()))
        .collect();
    let groups = groups(&voxels);
    let mut sums = vec![(0, 0.0); voxels.len()];
    for (&group, &(_, count, opacity)) in groups.iter().zip(&voxels) {
        sums[group].0 += count;
        sums[group].1 += opacity;
    }
    let largest = sums.iter().map(|sum| sum.1).fold(0.0, f64::max);
    let small = sums.iter().filter(|sum| sum.1 < FLOATER_SHARE * largest);
    small.map(|sum| sum.0).sum()
}

/// For each voxel, the first voxel of those that it is connected to; corners connect.
fn groups(voxels: &[(u64, usize, f64)]) -> Vec<usize> {
    fn root(parents: &mut [usize], mut k: usize) -> usize {
        while parents[k] != k {
            parents[k] = parents[parents[k]];
            k = parents[k];
        }
        k
    }
    let mut parents: Vec<usize> = (0..voxels.len()).collect();
    for (k, &(key, ..)) in voxels.iter().enumerate() {
        // The 13 neighbours with smaller keys; the others find this one.
        for step in 0..13u64 {
            let (x, y, z) = (step / 9, step / 3 % 3, step % 3);
            let neighbor = (key + (x << 42) + (y << 21) + z) - ((1 << 42) + (1 << 21) + 1);
            if let Ok(other) = voxels.binary_search_by_key(&neighbor, |voxel| voxel.0) {
                let (a, b) = (root(&mut parents, k), root(&mut parents, other));
                parents[a.max(b)] = a.min(b);
            }
        }
    }
    (0..voxels.len()).map(|k| root(&mut parents, k)).collect()
}
