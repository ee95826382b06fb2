//! Walls, hidden surface and inner shells: what rays from points of the surface meet.

use super::body::samples;
use super::closest::{Hit, Tree};
use super::edges::Edges;
use super::facts::{ShellFacts, WallFacts};
use super::parts::Groups;
use super::sum::{share, weighted_quantile};
use super::weld::Surface;
use glam::DVec3;

/// Points on the surface, each for the same area.
const SAMPLES: usize = 1 << 14;

/// Directions in which a point looks for a way out.
const DIRECTIONS: usize = 64;

/// Rays start after this share of the diagonal: nearer surfaces are no wall.
const START: f64 = 1e-5;

/// Hits nearer to each other than this share of the diagonal are one: the ray met an edge.
const SAME: f64 = 1e-7;

/// Boxes that all rays together may look at, about two seconds on two cores. Counted, not timed, so
/// that the result does not depend on the machine.
const WORK_MAX: u64 = 1 << 29;

/// Pieces without a sample, of which the largest triangle is tried.
const SMALL_PIECES_MAX: usize = 1 << 12;

/// What one point sees.
struct Seen {
    triangle: usize,
    /// Along the inward normal to the end of the solid, in units of the file.
    wall: Option<f64>,
    is_hidden: bool,
    /// The work that was allowed was enough.
    is_whole: bool,
}

/// Per mesh: the areas that are thin (under 1 % of the diagonal) and hidden.
pub(super) type ByMesh = Vec<[f64; 2]>;

pub(super) fn measure(surface: &Surface, edges: &Edges) -> (WallFacts, ShellFacts, ByMesh) {
    let tree = Tree::new(surface.positions.clone(), surface.triangles.clone());
    let directions = fibonacci();
    let points = samples(surface, SAMPLES);
    let each = WORK_MAX / SAMPLES as u64;
    let see = |hit: &Hit| look(surface, &tree, &directions, hit, each);
    let seen: Vec<Seen> = parallel::map(&points, see);
    let whole = || seen.iter().filter(|seen| seen.is_whole);
    let part = |count: usize| share(count as f64, whole().count() as f64);
    let is_complete = whole().count() as f64 >= 0.99 * seen.len() as f64;
    let mut walls: Vec<f64> = whole().filter_map(|seen| seen.wall).collect();
    walls.sort_by(f64::total_cmp);
    let weighted: Vec<(f64, f64)> = walls.iter().map(|&wall| (wall, 1.0)).collect();
    let thin = |of_diagonal: f64| {
        part(walls.iter().filter(|&&wall| wall < of_diagonal * surface.diagonal).count())
    };
    let wall = WallFacts {
        backed_share: part(walls.len()),
        thinnest: weighted_quantile(&weighted, 0.01),
        median: weighted_quantile(&weighted, 0.5),
        thin_share: thin(0.01),
        very_thin_share: thin(0.005),
        is_complete,
    };
    let one = surface.area / SAMPLES as f64;
    let mut by_mesh = vec![[0.0; 2]; surface.mesh_triangles.len()];
    for seen in whole() {
        let mesh = surface.mesh_of(seen.triangle);
        let is_thin = seen.wall.is_some_and(|wall| wall < 0.01 * surface.diagonal);
        by_mesh[mesh][0] += if is_thin { one } else { 0.0 };
        by_mesh[mesh][1] += if seen.is_hidden { one } else { 0.0 };
    }
    let hidden_share = part(whole().filter(|seen| seen.is_hidden).count());
    let (inner_shells, cavities, all_tried) = shells(surface, edges, &seen, see);
    let is_complete = is_complete && all_tried;
    (wall, ShellFacts { hidden_share, inner_shells, cavities, is_complete }, by_mesh)
}

/// Evenly spread over the sphere (Fibonacci lattice, González 2010).
fn fibonacci() -> Vec<DVec3> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..DIRECTIONS)
        .map(|k| {
            let z = 1.0 - (2 * k + 1) as f64 / DIRECTIONS as f64;
            let (r, angle) = ((1.0 - z * z).sqrt(), golden * k as f64);
            DVec3::new(r * libm::cos(angle), r * libm::sin(angle), z)
        })
        .collect()
}

fn look(surface: &Surface, tree: &Tree, directions: &[DVec3], hit: &Hit, work: u64) -> Seen {
    let triangle = hit.triangle as usize;
    let [a, b, c] = surface.corners(triangle);
    let [v, w] = hit.weights.map(f64::from);
    let from = a + (b - a) * v + (c - a) * w;
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let start = START * surface.diagonal;
    let mut left = work;
    let mut met: Vec<(f64, bool)> = Vec::new();
    let mut is_whole = tree.hits(from, -normal, start, &mut left, |far, facing| {
        met.push((far, facing > 0.0));
        true
    });
    let mut is_hidden = true;
    // The way out is most likely straight ahead.
    for direction in std::iter::once(&normal).chain(directions) {
        let mut is_met = false;
        let is_clear = tree.hits(from, *direction, start, &mut left, |_, _| {
            is_met = true;
            false
        });
        is_whole &= is_clear || is_met;
        if !is_met {
            is_hidden = false;
            break;
        }
    }
    let wall = end_of_solid(&mut met, SAME * surface.diagonal);
    Seen { triangle, wall, is_hidden, is_whole }
}

/// Where a ray that begins inside leaves: other solids that it enters first must be left too.
fn end_of_solid(met: &mut [(f64, bool)], same: f64) -> Option<f64> {
    met.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut depth = 1;
    let mut last = [f64::NEG_INFINITY; 2];
    for &(far, leaves) in met.iter() {
        if far - std::mem::replace(&mut last[usize::from(leaves)], far) <= same {
            continue;
        }
        depth += if leaves { -1 } else { 1 };
        if depth == 0 {
            return Some(far);
        }
    }
    None
}

/// Closed pieces that are hidden everywhere: how many face outwards, how many inwards, and whether
/// all were tried.
fn shells(
    surface: &Surface,
    edges: &Edges,
    seen: &[Seen],
    see: impl Fn(&Hit) -> Seen + Sync,
) -> (usize, usize, bool) {
    #[derive(Clone, Default)]
    struct Piece {
        num_seen: usize,
        num_hidden: usize,
        is_open: bool,
        volume: f64,
        largest: Option<usize>,
    }
    let mut groups = Groups::new(surface.positions.len());
    for &[a, b, c] in &surface.triangles {
        groups.join(a, b);
        groups.join(a, c);
    }
    let mut pieces = vec![Piece::default(); surface.positions.len()];
    for (t, corners) in surface.triangles.iter().enumerate() {
        let root = groups.root(corners[0]);
        let piece = &mut pieces[root as usize];
        // About a vertex of the piece, so that the sum of a small one keeps its digits.
        let [a, b, c] = surface.corners(t).map(|p| p - surface.at(root));
        piece.volume += a.dot(b.cross(c)) / 6.0;
        if piece.largest.is_none_or(|largest| surface.areas[t] > surface.areas[largest]) {
            piece.largest = Some(t);
        }
    }
    for edge in edges.iter(surface).filter(|edge| edge.faces == 1) {
        pieces[groups.root(edge.low) as usize].is_open = true;
    }
    for seen in seen {
        let piece = &mut pieces[groups.root(surface.triangles[seen.triangle][0]) as usize];
        piece.num_seen += 1;
        piece.num_hidden += usize::from(seen.is_hidden && seen.is_whole);
    }
    pieces.retain(|piece| piece.largest.is_some() && !piece.is_open);
    let is_untried = |piece: &&Piece| piece.num_seen == 0;
    let all_tried = pieces.iter().filter(is_untried).count() <= SMALL_PIECES_MAX;
    let middle = |triangle: usize| Hit {
        triangle: triangle as u32,
        weights: [1.0 / 3.0; 2],
        point: glam::Vec3::ZERO,
        distance: 0.0,
    };
    let untried: Vec<(f64, usize)> = pieces
        .iter()
        .filter(is_untried)
        .take(SMALL_PIECES_MAX)
        .filter_map(|piece| Some((piece.volume, piece.largest?)))
        .collect();
    let small = parallel::map(&untried, |&(volume, largest)| {
        see(&middle(largest)).is_hidden.then_some(volume)
    });
    let mut hidden: Vec<f64> = small.into_iter().flatten().collect();
    let is_hidden = |piece: &&Piece| piece.num_seen > 0 && piece.num_hidden == piece.num_seen;
    hidden.extend(pieces.iter().filter(is_hidden).map(|piece| piece.volume));
    let cavities = hidden.iter().filter(|&&volume| volume < 0.0).count();
    (hidden.len() - cavities, cavities, all_tried)
}
