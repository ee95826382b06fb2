//! A tree of boxes over items that each have one: the order of the items and the nodes above them.

use glam::DVec3;

/// Smaller ranges are not worth a task of their own.
const PARALLEL_MIN: usize = 1 << 13;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Node {
    pub min: DVec3,
    pub max: DVec3,
    /// A leaf: where its items begin in the order; otherwise the index of its right child. The left child follows its parent.
    pub start: u32,
    /// 0 for an inner node.
    pub count: u32,
}

impl Node {
    pub(super) fn items(&self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }

    /// To the nearest point of the box.
    pub(super) fn distance_squared(&self, from: DVec3) -> f64 {
        (from.clamp(self.min, self.max) - from).length_squared()
    }
}

/// The items' order and the nodes, the root first, parents before children.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Boxes {
    pub order: Vec<u32>,
    pub nodes: Vec<Node>,
}

impl Boxes {
    /// Deeper than any tree of 2³² items that is halved at each node.
    pub(super) const DEPTH_MAX: usize = 64;

    /// Halves at the median along the longest axis of the boxes' middles until at most `leaf` items are left. Does not depend on threads.
    pub(super) fn new(count: usize, leaf: usize, of: &(impl Fn(u32) -> [DVec3; 2] + Sync)) -> Self {
        let mut items: Vec<(u32, DVec3)> = (0..count as u32)
            .map(|item| {
                let [min, max] = of(item);
                (item, 0.5 * (min + max))
            })
            .collect();
        let nodes = match count {
            0 => Vec::new(),
            _ => nodes(&mut items, 0, leaf.max(1), of),
        };
        Self {
            order: items.into_iter().map(|(item, _)| item).collect(),
            nodes,
        }
    }

    /// Visits leaves near `from`, the nearest child first. `visit` gets a range of the order and the squared limit, and returns a limit that
    /// is not larger; nodes farther than the limit are left out, those as far are not.
    pub(super) fn near(
        &self,
        from: DVec3,
        mut limit: f64,
        mut visit: impl FnMut(std::ops::Range<usize>, f64) -> f64,
    ) {
        let mut open = [(0_u32, 0.0_f64); Self::DEPTH_MAX];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let (at, near) = open[count];
            if near > limit {
                continue;
            }
            let node = &self.nodes[at as usize];
            if node.count > 0 {
                limit = visit(node.items(), limit);
                continue;
            }
            let left = (at + 1, self.nodes[at as usize + 1].distance_squared(from));
            let right = (
                node.start,
                self.nodes[node.start as usize].distance_squared(from),
            );
            let [near, far] = if left.1 <= right.1 {
                [left, right]
            } else {
                [right, left]
            };
            open[count] = far;
            open[count + 1] = near;
            count += 2;
        }
    }
}

fn nodes(
    items: &mut [(u32, DVec3)],
    start: usize,
    leaf: usize,
    of: &(impl Fn(u32) -> [DVec3; 2] + Sync),
) -> Vec<Node> {
    if items.len() <= leaf {
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for (item, _) in items.iter() {
            let [low, high] = of(*item);
            (min, max) = (min.min(low), max.max(high));
        }
        return vec![Node {
            min,
            max,
            start: start as u32,
            count: items.len() as u32,
        }];
    }
    let (low, high) = items
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), i| {
            (low.min(i.1), high.max(i.1))
        });
    let size = (high - low).to_array();
    let axis = (0..3)
        .max_by(|&a, &b| size[a].total_cmp(&size[b]))
        .unwrap_or(0);
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |a, b| {
        a.1[axis].total_cmp(&b.1[axis]).then(a.0.cmp(&b.0))
    });
    let (left, right) = items.split_at_mut(middle);
    let (left, right) = if left.len() > PARALLEL_MIN {
        rayon::join(
            || nodes(left, start, leaf, of),
            || nodes(right, start + middle, leaf, of),
        )
    } else {
        (
            nodes(left, start, leaf, of),
            nodes(right, start + middle, leaf, of),
        )
    };
    let right_at = 1 + left.len() as u32;
    let mut all = Vec::with_capacity(1 + left.len() + right.len());
    all.push(Node {
        min: left[0].min.min(right[0].min),
        max: left[0].max.max(right[0].max),
        start: right_at,
        count: 0,
    });
    let moved = |node: &Node, by: u32| Node {
        start: node.start + if node.count == 0 { by } else { 0 },
        ..*node
    };
    all.extend(left.iter().map(|node| moved(node, 1)));
    all.extend(right.iter().map(|node| moved(node, right_at)));
    all
}
