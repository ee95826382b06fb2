//! How well the texels or vertices of each of two versions follow from those of the other.
//!
//! Some damage is a function of what was there: each texel of a blurred texture follows from the
//! sharp one's texels around it, and each value of a posterised one from the sharp one's value.
//! Damage loses information, so the sharp one does not follow from it. Measured only where both
//! versions have the same layout: equal texture coordinates, or colours at the same vertices.

use super::differences::Both;
use super::overlay::{Overlay, Point, SAME};
use glam::{Vec2, Vec3};
use std::collections::BTreeMap;

/// Fewer places say nothing, and more say the same.
const PLACES_MIN: usize = 200;
const PLACES: usize = 1000;

/// Up to this squared distance, in texels, a filter has a weight for each pair of opposite texels.
const NEAR: i32 = 8;

/// Farther ones have one weight for each ring and direction: squared radii in texels, with the
/// stride of the texels that are looked at.
const RINGS: [(i32, i32); 4] = [(18, 1), (41, 1), (100, 2), (400, 4)];

/// Rings of vertices around a vertex, itself the first.
const VERTEX_RINGS: usize = 6;

/// Radii of discs around a vertex, in edges.
const DISCS: [f32; 5] = [1.3, 1.8, 2.5, 3.3, 4.2];

/// Blocks of JPEG, in texels.
const BLOCK: i32 = 8;

/// Rounding of colours to bytes, as a standard deviation; twice, as files are often written twice.
const ROUNDING: f64 = 0.4 / 255.0;

/// A jump between neighbours, in one channel, and equal neighbours.
const JUMP: f32 = 16.0 / 255.0;
const EQUAL: f32 = 0.5 / 255.0;

/// An element of both versions, sRGB from 0 to 1: means over the groups around it, by side, and
/// pairs of neighbours near it.
struct Patch {
    groups: [Vec<Vec3>; 2],
    pairs: Vec<Pair>,
}

struct Pair {
    /// By side: the two neighbours.
    colors: [[Vec3; 2]; 2],
    /// Whether the border of a block is between them.
    is_border: bool,
    /// Of a row, not of a column.
    is_across: bool,
}

/// By side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Texels {
    /// Share of a side's difference from the other, less gain and offset, that a filter of the
    /// other's surroundings does not explain; fitted at half of the places, measured at the rest.
    pub unfiltered: Both,
    /// Correlation of the size of the difference with a side's contrast; −1 to 1.
    pub traced: Both,
    /// Correlation of a side's colours with their difference from the other's; −1 to 1. Something
    /// unrelated that was added to the other makes it positive, and leaves the other's at 0.
    pub added: Both,
    /// Variance of a side's values given the other's value, over the mean squared difference.
    pub unmapped: Both,
    /// Share of the neighbours with equal colours.
    pub flat: Both,
    /// Share of a side's jumps between neighbours that the other lacks.
    pub jumps: Both,
    /// Differences of neighbours at borders of blocks over those inside: in rows, in columns.
    pub blocks: [Both; 2],
    /// Root mean square difference of neighbours, 0 to 1.
    pub contrast: Both,
}

impl Texels {
    /// None where the layouts differ.
    pub(super) fn of(overlay: &Overlay) -> Option<Self> {
        let same = overlay.points.iter().flatten().filter(|p| p.distance < SAME);
        let points: Vec<&Point> = same.clone().step_by((same.count() / PLACES).max(1)).collect();
        let offsets = offsets();
        let of_texture = parallel::map(&points, |point| texture_patch(overlay, point, &offsets));
        let mut patches: Vec<Patch> = of_texture.into_iter().flatten().collect();
        if patches.len() < PLACES_MIN {
            let net = Net::of(overlay)?;
            let of_net = parallel::map(&points, |point| net.patch(overlay, point));
            patches = of_net.into_iter().flatten().collect();
        }
        (patches.len() >= PLACES_MIN).then(|| Self::of_patches(&patches))
    }

    /// Whether a side can be the other, blurred: it has less contrast, and some of what it lacks
    /// can be had by sharpening it, unlike noise.
    pub(super) fn can_be_filtered(&self, side: usize) -> bool {
        self.contrast[side] < 0.97 * self.contrast[1 - side] && self.unfiltered[1 - side] < 0.98
    }

    fn of_patches(patches: &[Patch]) -> Self {
        let pairs: Vec<&Pair> = patches.iter().flat_map(|patch| &patch.pairs).collect();
        let both = |of: &dyn Fn(usize) -> f64| [0, 1].map(of);
        let apart = |pair: &Pair, side: usize| {
            (pair.colors[side][1] - pair.colors[side][0]).abs().max_element()
        };
        let share = |is: &dyn Fn(&Pair) -> bool, among: &dyn Fn(&Pair) -> bool, none: f64| {
            let among: Vec<&&Pair> = pairs.iter().filter(|pair| among(pair)).collect();
            among.iter().filter(|pair| is(pair)).count() as f64 / (among.len() as f64 + none)
        };
        Self {
            unfiltered: both(&|side| unfiltered(patches, side)),
            traced: both(&|side| {
                correlation(patches.iter().map(|patch| {
                    let own = &patch.groups[side];
                    let contrast = own[1..5].iter().fold(0.0, |sum, v| sum + v.distance(own[0]));
                    let off = own[0].distance(patch.groups[1 - side][0]);
                    [Vec3::X * off, Vec3::X * contrast]
                }))
            }),
            added: both(&|side| {
                correlation(patches.iter().map(|patch| {
                    let [own, than] = [side, 1 - side].map(|side| patch.groups[side][0]);
                    [own, own - than]
                }))
            }),
            unmapped: both(&|side| unmapped(&pairs, side)),
            flat: both(&|side| share(&|pair| apart(pair, side) < EQUAL, &|_| true, 1.0)),
            jumps: both(&|side| {
                let is_new = |pair: &Pair| apart(pair, 1 - side) < 0.5 * apart(pair, side);
                share(&is_new, &|pair| apart(pair, side) > JUMP, 50.0)
            }),
            blocks: [true, false].map(|across| {
                let of = pairs.iter().copied().filter(|pair| pair.is_across == across);
                let (at, inside): (Vec<&Pair>, Vec<&Pair>) = of.partition(|pair| pair.is_border);
                let mean = |among: &[&Pair], side: usize| {
                    let sum = among.iter().fold(0.0, |sum, p| sum + f64::from(apart(p, side)));
                    ROUNDING + sum / among.len() as f64
                };
                let is_measured = !at.is_empty() && !inside.is_empty();
                both(&|side| if is_measured { mean(&at, side) / mean(&inside, side) } else { 1.0 })
            }),
            contrast: both(&|side| {
                let sum = pairs.iter().fold(0.0, |sum, pair| {
                    let [a, b] = pair.colors[side];
                    sum + f64::from(a.distance_squared(b))
                });
                (sum / pairs.len() as f64 + ROUNDING * ROUNDING).sqrt()
            }),
        }
    }
}

/// Columns and rows.
type Texel = [i32; 2];

/// Texels around one, with their groups, itself the first.
fn offsets() -> Vec<(Texel, usize)> {
    let reach = 20;
    let mut groups: BTreeMap<(i32, Texel), Vec<Texel>> = BTreeMap::new();
    for (y, x) in (-reach..=reach).flat_map(|y| (-reach..=reach).map(move |x| (y, x))) {
        let square = x * x + y * y;
        if square <= NEAR {
            let half = if (y, x) < (0, 0) { [-x, -y] } else { [x, y] };
            groups.entry((square, half)).or_default().push([x, y]);
        } else if let Some((radius, stride)) = RINGS.into_iter().find(|(r, _)| square <= *r)
            && x % stride == 0
            && y % stride == 0
        {
            let way = if 2 * y.abs() < x.abs() {
                [1, 0]
            } else if 2 * x.abs() < y.abs() {
                [0, 1]
            } else {
                [1, x.signum() * y.signum()]
            };
            groups.entry((radius, way)).or_default().push([x, y]);
        }
    }
    let numbered = groups.into_values().enumerate();
    numbered.flat_map(|(group, texels)| texels.into_iter().map(move |at| (at, group))).collect()
}

fn texture_patch(overlay: &Overlay, point: &Point, offsets: &[(Texel, usize)]) -> Option<Patch> {
    let [first, second] = [0, 1].map(|side| overlay.paints[side].lookup(&point.hits[side]?));
    let found = [first?, second?];
    let size_of = |side: usize| overlay.paints[side].size_px(&found[side].0);
    // On the grid of the larger texture.
    let size = if size_of(1).x > size_of(0).x { size_of(1) } else { size_of(0) };
    if ((found[0].1 - found[1].1) * size).abs().max_element() > 0.5 {
        return None;
    }
    let here = (found[0].1 * size).floor();
    // Filters seldom know that a texture repeats.
    let tile = (here / size).floor() * size;
    let color = |side: usize, by: Texel| {
        let by = Vec2::new(by[0] as f32, by[1] as f32);
        let at = (here + by).clamp(tile, tile + size - 1.0);
        overlay.paints[side].texel(&found[side].0, (at + 0.5) / size)
    };
    patch(offsets, [here.x as i32, here.y as i32], color)
}

/// Of texels, by the colour of a side at so many texels from here.
fn patch(
    offsets: &[(Texel, usize)],
    here: Texel,
    color: impl Fn(usize, Texel) -> Option<Vec3>,
) -> Option<Patch> {
    let count = offsets.last()?.1 + 1;
    let mut groups = [0, 1].map(|_| vec![Vec3::ZERO; count]);
    let mut counts = vec![0.0_f32; count];
    for &(by, group) in offsets {
        counts[group] += 1.0;
        for (side, groups) in groups.iter_mut().enumerate() {
            groups[group] += color(side, by)?;
        }
    }
    for groups in &mut groups {
        groups.iter_mut().zip(&counts).for_each(|(sum, count)| *sum /= *count);
    }
    let mut pairs = Vec::new();
    for axis in [0, 1] {
        let at = |k: i32| if axis == 0 { [k, 0] } else { [0, k] };
        let steps = -BLOCK / 2..=BLOCK / 2;
        let row: Vec<[Vec3; 2]> =
            steps.filter_map(|k| Some([color(0, at(k))?, color(1, at(k))?])).collect();
        pairs.extend(row.windows(2).zip(here[axis] - BLOCK / 2..).map(|(two, at)| Pair {
            colors: [0, 1].map(|side| [two[0][side], two[1][side]]),
            is_border: (at + 1).rem_euclid(BLOCK) == 0,
            is_across: axis == 0,
        }));
    }
    Some(Patch { groups, pairs })
}

/// Vertices of both versions, welded by place, with their colours and neighbours.
#[derive(Default)]
struct Net {
    /// By mesh, the node of each vertex.
    nodes: Vec<Vec<u32>>,
    colors: Vec<[Vec3; 2]>,
    at: Vec<Vec3>,
    next: Vec<Vec<u32>>,
}

impl Net {
    /// None where the two have not the same triangles with colours at their corners.
    fn of(overlay: &Overlay) -> Option<Self> {
        let [a, b] = [0, 1].map(|side| overlay.sides[side].scene.meshes());
        let is_alike = a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| {
                a.triangles() == b.triangles() && a.colors().is_some() && b.colors().is_some()
            });
        if !is_alike {
            return None;
        }
        let mut known: BTreeMap<[u32; 3], u32> = BTreeMap::new();
        let mut net = Self::default();
        for (index, mesh) in a.iter().enumerate() {
            let colors = [0, 1].map(|side| overlay.paints[side].corners(index));
            let nodes: Vec<u32> = mesh
                .positions()
                .iter()
                .enumerate()
                .map(|(vertex, at)| {
                    *known.entry(at.to_array().map(f32::to_bits)).or_insert_with(|| {
                        net.colors.push([colors[0][vertex], colors[1][vertex]]);
                        net.at.push(*at);
                        net.next.push(Vec::new());
                        net.next.len() as u32 - 1
                    })
                })
                .collect();
            for corners in mesh.triangles() {
                let [a, b, c] = corners.map(|corner| nodes[corner as usize]);
                for (from, to) in [(a, b), (b, c), (c, a), (b, a), (c, b), (a, c)] {
                    if from != to && !net.next[from as usize].contains(&to) {
                        net.next[from as usize].push(to);
                    }
                }
            }
            net.nodes.push(nodes);
        }
        Some(net)
    }

    fn patch(&self, overlay: &Overlay, point: &Point) -> Option<Patch> {
        let (mesh, corner) = overlay.paints[0].nearest_corner(&point.hits[0]?)?;
        let center = self.nodes[mesh][corner as usize];
        let mut seen = vec![center];
        let mut groups = [Vec::new(), Vec::new()];
        let mut add = |nodes: &[u32]| {
            for (side, groups) in groups.iter_mut().enumerate() {
                let colors = nodes.iter().map(|n| self.colors[*n as usize][side]);
                groups.push(colors.sum::<Vec3>() / nodes.len() as f32);
            }
        };
        let mut ring = 0..1;
        for _ in 0..VERTEX_RINGS {
            add(&seen[ring.clone()]);
            for index in ring.clone() {
                for next in &self.next[seen[index] as usize] {
                    if !seen.contains(next) {
                        seen.push(*next);
                    }
                }
            }
            ring = ring.end..seen.len();
            if ring.is_empty() {
                return None;
            }
        }
        // Neighbours may be counted, by edges, or taken within a radius.
        let far = |n: &u32| self.at[*n as usize].distance(self.at[center as usize]);
        let next = &self.next[center as usize];
        let edge = next.iter().map(far).sum::<f32>() / next.len() as f32;
        for radius in DISCS {
            let near: Vec<u32> = seen.iter().copied().filter(|n| far(n) <= radius * edge).collect();
            add(&near);
        }
        let here = self.colors[center as usize];
        let pairs = self.next[center as usize].iter().map(|next| {
            let there = self.colors[*next as usize];
            let colors = [0, 1].map(|side| [here[side], there[side]]);
            Pair { colors, is_border: false, is_across: false }
        });
        Some(Patch { pairs: pairs.collect(), groups })
    }
}

/// What a least-squares filter of the other side's groups leaves of a side's colours, over what
/// gain and offset leave. Measured at every other place with the filter that fits the rest: weights
/// also fit chance.
fn unfiltered(patches: &[Patch], side: usize) -> f64 {
    let count = patches[0].groups[0].len();
    let middle = |side: usize, group: usize| {
        patches.iter().map(|patch| patch.groups[side][group]).sum::<Vec3>() / patches.len() as f32
    };
    let own = middle(side, 0);
    let others: Vec<Vec3> = (0..count).map(|group| middle(1 - side, group)).collect();
    // By channel: the regressors, then the target.
    let rows = |odd: usize| -> Vec<Vec<f64>> {
        let half = patches.iter().skip(odd).step_by(2);
        half.flat_map(|patch| {
            let off = patch.groups[1 - side].iter().zip(&others).map(|(v, mean)| *v - *mean);
            let off: Vec<Vec3> = off.chain([patch.groups[side][0] - own]).collect();
            [0, 1, 2].map(|channel| off.iter().map(|v| f64::from(v[channel])).collect())
        })
        .collect()
    };
    let halves = [rows(0), rows(1)];
    let left = |used: usize| {
        [0, 1].map(|half| {
            let weights = fitted(&halves[half], used);
            halves[1 - half].iter().fold(0.0, |sum, x| {
                let off = x[count] - weights.iter().zip(x).fold(0.0, |sum, (w, x)| sum + w * x);
                sum + off * off + ROUNDING * ROUNDING
            })
        })
    };
    let [filtered, gained] = [left(count), left(1)].map(|[a, b]| a + b);
    filtered / gained
}

/// Weights of the first regressors of rows whose last number they make.
fn fitted(rows: &[Vec<f64>], used: usize) -> Vec<f64> {
    let mut normal = vec![vec![0.0; used + 1]; used];
    for x in rows {
        for (i, row) in normal.iter_mut().enumerate() {
            for (sum, other) in row.iter_mut().zip(x[..used].iter().chain(x.last())) {
                *sum += x[i] * other;
            }
        }
    }
    // Rounded regressors are uncertain, so weights that cancel each other are no fit.
    for (i, row) in normal.iter_mut().enumerate() {
        row[i] += rows.len() as f64 * ROUNDING * ROUNDING;
    }
    solved(normal)
}

/// Pearson's, over all channels; 0 where one is constant.
fn correlation(pairs: impl Iterator<Item = [Vec3; 2]> + Clone) -> f64 {
    let count = pairs.clone().count() as f32;
    let [first, second] = [0, 1].map(|k| pairs.clone().map(|both| both[k]).sum::<Vec3>() / count);
    let [own, with, other] = pairs.fold([0.0; 3], |[own, with, other], [x, y]| {
        let (x, y) = (x - first, y - second);
        let add = |sum: f64, product: f32| sum + f64::from(product);
        [add(own, x.length_squared()), add(with, x.dot(y)), add(other, y.length_squared())]
    });
    let product = (own * other).sqrt();
    if product > 0.0 { with / product } else { 0.0 }
}

/// Solves positive definite equations, whose right side is the last column.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let count = rows.len();
    for k in 0..count {
        let pivot = rows[k].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let times = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(value, other)| *value -= times * other);
        }
    }
    (0..count).map(|k| rows[k][count] / rows[k][k]).collect()
}

/// Variance of a side's bytes where the other has the same byte, over the mean squared difference.
fn unmapped(pairs: &[&Pair], side: usize) -> f64 {
    let byte = |value: f32| (value * 255.0 + 0.5) as usize;
    let (mut within, mut square, mut count) = (0.0, 0.0, 0.0);
    for channel in 0..3 {
        let mut sums = [[0.0_f64; 3]; 256];
        for pair in pairs {
            let [own, than] = [side, 1 - side].map(|s| pair.colors[s][0][channel]);
            let (value, off) = (f64::from(own), f64::from(own - than));
            let at = &mut sums[byte(than).min(255)];
            *at = [at[0] + 1.0, at[1] + value, at[2] + value * value];
            square += off * off;
        }
        for [n, sum, squares] in sums.into_iter().filter(|sums| sums[0] > 3.0) {
            within += (squares - sum * sum / n).max(0.0) * n / (n - 1.0);
        }
        count += pairs.len() as f64;
    }
    let floor = count * ROUNDING * ROUNDING;
    (within + floor) / (square + floor)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 to 1 by chance, for a texel and a channel.
    fn chance(at: Texel, channel: u32) -> f32 {
        let [x, y] = at.map(|v| v as u32);
        let mixed = x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77);
        let mixed = mixed.wrapping_add(channel);
        let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x2C1B_3C6D);
        ((mixed ^ (mixed >> 12)).wrapping_mul(0x297A_2D39) >> 8) as f32 / 16_777_216.0
    }

    /// A print of soft waves with speckles, in the bytes that a file has.
    fn print([x, y]: Texel) -> Vec3 {
        let wave = libm::sinf(0.21 * x as f32 + 0.13 * y as f32);
        let speckles = 0.2 * chance([x / 3, y / 3], 0);
        stored(Vec3::new(0.4, 0.45, 0.35) + 0.25 * wave + speckles)
    }

    fn stored(color: Vec3) -> Vec3 {
        (color * 255.0).round().clamp(Vec3::ZERO, Vec3::splat(255.0)) / 255.0
    }

    fn texels(of: impl Fn(Texel) -> Vec3) -> Texels {
        let offsets = offsets();
        let here = |k: i32| [k * 37 % 501, k * 91 % 487];
        let patches: Vec<Patch> = (0..400)
            .filter_map(|k| {
                patch(&offsets, here(k), |side, by| {
                    let at = [here(k)[0] + by[0], here(k)[1] + by[1]];
                    Some(if side == 0 { print(at) } else { of(at) })
                })
            })
            .collect();
        Texels::of_patches(&patches)
    }

    #[test]
    fn a_blurred_texture_follows_from_the_sharp_one_and_not_the_other_way_round() {
        let t = texels(|[x, y]| {
            let around = (0..25).map(|k| print([x + k % 5 - 2, y + k / 5 - 2]));
            stored(around.fold(Vec3::ZERO, |sum, color| sum + color) / 25.0)
        });
        assert!(t.unfiltered[1] < 0.05 && t.unfiltered[0] > 0.4, "{t:?}");
        assert!(t.contrast[1] < 0.7 * t.contrast[0], "{t:?}");
    }

    #[test]
    fn noise_does_not_follow_and_has_nothing_to_do_with_edges() {
        let t = texels(|at| stored(print(at) + 0.2 * (chance(at, 7) - 0.5)));
        assert!(t.unfiltered[1] > 0.95 && t.traced[0].abs() < 0.1, "{t:?}");
        assert!(t.added[1] > 0.2 && t.added[0].abs() < 0.1, "{t:?}");
    }

    #[test]
    fn lines_across_a_print_are_no_detail_that_the_print_lost() {
        let t = texels(|[x, y]| {
            let line = if y.rem_euclid(4) < 2 { 1.0 } else { 0.8 };
            stored(print([x, y]) * line)
        });
        assert!(t.contrast[0] < 0.97 * t.contrast[1] && t.unfiltered[0] < 0.5, "{t:?}");
        assert!(!t.can_be_filtered(0), "{t:?}");
    }

    #[test]
    fn few_values_follow_from_many() {
        let t = texels(|at| stored((print(at) * 4.0).round() / 4.0));
        assert!(t.unmapped[1] < 0.05 && t.unmapped[0] > 0.3, "{t:?}");
        assert!(t.flat[1] > t.flat[0] + 0.2 && t.jumps[1] > 0.5, "{t:?}");
    }

    #[test]
    fn blocks_have_borders() {
        let block = |at: Texel| at.map(|v| v.div_euclid(BLOCK));
        let t = texels(|at| stored(print(at) + 0.2 * (chance(block(at), 3) - 0.5)));
        assert!(
            t.blocks.iter().all(|[clean, own]| *own > 1.2 && (clean - 1.0).abs() < 0.1),
            "{t:?}"
        );
    }
}
