//! A tree of boxes over items that each have one: the order of the items and the nodes above them.

use glam::{DVec3, Vec3};

/// Smaller ranges are not worth a task of their own.
const PARALLEL_MIN: usize = 1 << 13;

/// In single precision, rounded outwards: half the memory, and points inside stay inside.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Node {
    pub min: Vec3,
    pub max: Vec3,
    /// A leaf: where its items begin in the order; otherwise the index of its right child. The left
    /// child follows its parent.
    pub start: u32,
    /// 0 for an inner node.
    pub count: u32,
}

impl Node {
    #[inline]
    pub fn items(&self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }

    /// To the nearest point of the box.
    fn distance_squared(&self, from: DVec3) -> f64 {
        (from.clamp(self.min.as_dvec3(), self.max.as_dvec3()) - from).length_squared()
    }
}

/// The items' order and the nodes, the root first, parents before children.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Boxes {
    pub order: Vec<u32>,
    pub nodes: Vec<Node>,
}

impl Boxes {
    /// Of a tree of 2³² items that is halved at each node.
    const DEPTH_MAX: usize = 33;

    /// Halves at the median along the longest axis of the boxes' middles until at most `leaf` items
    /// are left. Does not depend on threads.
    pub fn new(count: usize, leaf: usize, of: &(impl Fn(u32) -> [DVec3; 2] + Sync)) -> Self {
        let mut items: Vec<(u32, Vec3)> = parallel::of(count, |item| {
            let item = item as u32;
            let [min, max] = of(item);
            (item, (0.5 * (min + max)).as_vec3())
        });
        let leaf = leaf.max(1);
        let mut nodes = Vec::new();
        if count > 0 {
            nodes.resize(num_nodes(count, leaf), Node::default());
            fill(&mut nodes, 0, &mut items, 0, leaf, of);
        }
        Self { order: items.into_iter().map(|(item, _)| item).collect(), nodes }
    }

    /// Visits leaves near `from`, the nearest child first. `visit` gets a range of the order and
    /// the squared limit, and returns a limit that is not larger; nodes farther than the limit are
    /// left out, those as far are not.
    pub fn near(
        &self,
        from: DVec3,
        mut limit: f64,
        mut visit: impl FnMut(std::ops::Range<usize>, f64) -> f64,
    ) {
        let mut open = [(0_u32, 0.0_f64); Self::DEPTH_MAX + 1];
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
            let right = (node.start, self.nodes[node.start as usize].distance_squared(from));
            let [near, far] = if left.1 <= right.1 { [left, right] } else { [right, left] };
            open[count] = far;
            open[count + 1] = near;
            count += 2;
        }
    }

    /// Visits the leaves whose box touches this one; see `search`.
    pub fn touching(
        &self,
        min: Vec3,
        max: Vec3,
        work_left: &mut u64,
        visit: impl FnMut(std::ops::Range<usize>, &mut u64) -> bool,
    ) -> bool {
        let touches = |node: &Node| node.min.cmple(max).all() && node.max.cmpge(min).all();
        self.search(touches, work_left, visit)
    }

    /// Visits the leaves whose box a ray from `from` meets; see `search`.
    pub fn along(
        &self,
        from: DVec3,
        direction: DVec3,
        work_left: &mut u64,
        visit: impl FnMut(std::ops::Range<usize>, &mut u64) -> bool,
    ) -> bool {
        // Not zero, so that no product with infinity is undefined.
        let inverse = direction.to_array().map(|d| 1.0 / if d == 0.0 { 1e-300 } else { d });
        let meets = |node: &Node| {
            let (mut near, mut far) = (0.0_f64, f64::INFINITY);
            for axis in 0..3 {
                let at = |side: f32| (f64::from(side) - from[axis]) * inverse[axis];
                let (a, b) = (at(node.min[axis]), at(node.max[axis]));
                near = near.max(a.min(b));
                far = far.min(a.max(b));
            }
            // Rounding must not lose a box that the ray only touches.
            near <= far * (1.0 + 1e-12)
        };
        self.search(meets, work_left, visit)
    }

    /// Visits the leaves for which `is_wanted` is true of all nodes above, in no stated order,
    /// until one says false or no work is left. Each node costs 1 of `work_left`. Whether all were
    /// visited.
    fn search(
        &self,
        is_wanted: impl Fn(&Node) -> bool,
        work_left: &mut u64,
        mut visit: impl FnMut(std::ops::Range<usize>, &mut u64) -> bool,
    ) -> bool {
        let mut open = [0_u32; Self::DEPTH_MAX + 1];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            if *work_left == 0 {
                return false;
            }
            *work_left -= 1;
            count -= 1;
            let at = open[count];
            let node = &self.nodes[at as usize];
            if !is_wanted(node) {
                continue;
            }
            if node.count == 0 {
                (open[count], open[count + 1]) = (node.start, at + 1);
                count += 2;
            } else if !visit(node.items(), work_left) {
                return false;
            }
        }
        true
    }
}

/// The nearest numbers of single precision that are not above `min` and not below `max`.
fn rounded_outwards(min: DVec3, max: DVec3) -> [Vec3; 2] {
    let below = |x: f64| match x as f32 {
        y if f64::from(y) > x => y.next_down(),
        y => y,
    };
    let part = |v: DVec3| Vec3::from_array(v.to_array().map(below));
    [part(min), -part(-max)]
}

/// Nodes of a tree over `count` items. Halving leaves two sizes per depth: `size` and one more.
fn num_nodes(count: usize, leaf: usize) -> usize {
    let (mut size, mut small, mut large) = (count, 1, 0);
    let mut total = 0;
    while small + large > 0 {
        total += small + large;
        // Only ranges of more than `leaf` items have halves.
        small = if size > leaf { small } else { 0 };
        large = if size + 1 > leaf { large } else { 0 };
        (small, large) = match size % 2 {
            0 => (2 * small + large, large),
            _ => (small, small + 2 * large),
        };
        size /= 2;
    }
    total
}

/// Fills `out`, which fits these items' nodes exactly; its first is node `at` of the tree.
fn fill(
    out: &mut [Node],
    at: usize,
    items: &mut [(u32, Vec3)],
    start: usize,
    leaf: usize,
    of: &(impl Fn(u32) -> [DVec3; 2] + Sync),
) {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    if items.len() <= leaf {
        for (item, _) in items.iter() {
            let [min, max] = of(*item);
            let [min, max] = rounded_outwards(min, max);
            (low, high) = (low.min(min), high.max(max));
        }
        out[0] = Node { min: low, max: high, start: start as u32, count: items.len() as u32 };
        return;
    }
    for (_, middle) in items.iter() {
        (low, high) = (low.min(*middle), high.max(*middle));
    }
    let size = (high - low).to_array();
    let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
    let middle = items.len() / 2;
    items
        .select_nth_unstable_by(middle, |a, b| a.1[axis].total_cmp(&b.1[axis]).then(a.0.cmp(&b.0)));
    let (left, right) = items.split_at_mut(middle);
    let left_nodes = num_nodes(left.len(), leaf);
    let right_at = at + 1 + left_nodes;
    let (root, below) = out.split_at_mut(1);
    let (left_out, right_out) = below.split_at_mut(left_nodes);
    let is_worth_tasks = left.len() > PARALLEL_MIN;
    let mut fill_left = || fill(left_out, at + 1, left, start, leaf, of);
    let mut fill_right = || fill(right_out, right_at, right, start + middle, leaf, of);
    if is_worth_tasks {
        rayon::join(fill_left, fill_right);
    } else {
        fill_left();
        fill_right();
    }
    root[0] = Node {
        min: left_out[0].min.min(right_out[0].min),
        max: left_out[0].max.max(right_out[0].max),
        start: right_at as u32,
        count: 0,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_fills_its_nodes() {
        for leaf in [1, 4, 8] {
            for count in (1..70).chain([1000, 8192, 8193, 20_000]) {
                let place = |i: u32| [DVec3::splat(f64::from(i * 7919 % 1009)); 2];
                let boxes = Boxes::new(count, leaf, &place);
                assert_eq!(boxes.nodes.len(), num_nodes(count, leaf));
                let leaves = boxes.nodes.iter().filter(|node| node.count > 0);
                let in_leaves: usize = leaves.map(|node| node.count as usize).sum();
                assert_eq!(in_leaves, count, "{leaf}");
                let mut found = 0;
                boxes.near(DVec3::ZERO, f64::INFINITY, |range, limit| {
                    found += range.len();
                    limit
                });
                assert_eq!(found, count, "{leaf}");
            }
        }
    }

    #[test]
    fn a_box_in_single_precision_holds_what_it_is_of() {
        for x in [0.1, -0.1, 1e15 + 1.0, 1e-50, -1e-50, 0.5] {
            let [min, max] = rounded_outwards(DVec3::splat(x), DVec3::splat(x));
            assert!(f64::from(min.x) <= x && x <= f64::from(max.x), "{x}");
            assert!(f64::from(max.x) - f64::from(min.x) <= 2e-7 * x.abs() + 1e-44, "{x}");
        }
    }
}
