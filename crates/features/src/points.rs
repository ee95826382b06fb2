//! Point clouds → inputs of point networks after grouping: group centres and neighbour groups.

use super::error::FeaturesError;

/// Squared distance from the origin up to which pointnet2_ops' kernel never chooses a point.
const SKIPPED: f64 = 1e-3;
/// Numbers that are compared together.
const LANES: usize = 8;

/// Which points farthest-point sampling can choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Centers {
    /// All.
    All,
    /// Those farther than √10⁻³ from the origin, as the CUDA kernel of pointnet2_ops; the first
    /// point is chosen anyway.
    SkipOrigin,
}

/// Farthest-point sampling (Eldar et al. 1997): point 0, then always the point whose nearest chosen
/// point is farthest; the lowest index where several are. Indices in the order of choice. The order
/// of the points is thus part of the result.
///
/// # Errors
/// More centres than points, or none.
pub fn farthest_points(
    points: &[[f64; 3]],
    num: usize,
    centers: Centers,
) -> Result<Vec<usize>, FeaturesError> {
    check_number("centres", num, points.len())?;
    let mut apart: Vec<f64> = points
        .iter()
        .map(|p| match centers {
            Centers::SkipOrigin if length_squared(*p) <= SKIPPED => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        })
        .collect();
    // An array per axis, a loop for distances, a loop for their maximum: both are vectorised.
    let [x, y, z] = [0, 1, 2].map(|k| points.iter().map(|point| point[k]).collect::<Vec<f64>>());
    let mut chosen = vec![0];
    while chosen.len() < num {
        let last = points[chosen[chosen.len() - 1]];
        for (((x, y), z), apart) in x.iter().zip(&y).zip(&z).zip(&mut apart) {
            let found = distance_squared([*x, *y, *z], last);
            *apart = if found < *apart { found } else { *apart };
        }
        let mut most = [f64::NEG_INFINITY; LANES];
        for block in apart.chunks(LANES) {
            for (most, value) in most.iter_mut().zip(block) {
                *most = if *value > *most { *value } else { *most };
            }
        }
        let most = most.into_iter().fold(f64::NEG_INFINITY, f64::max);
        chosen.push(apart.iter().position(|value| *value == most).unwrap_or(0));
    }
    Ok(chosen)
}

/// The inputs of a point network behind its grouping.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// Indices of the centres, in order of choice.
    pub centers: Vec<usize>,
    /// Of each centre: the indices of its nearest points, nearest first, itself included; the
    /// lowest index first where several are.
    pub members: Vec<Vec<usize>>,
}

impl Groups {
    /// The `groups` array, row-major [centres, members, 6]: xyz minus the centre's, then the
    /// colour; and `centers`, [centres, 3].
    pub fn arrays(&self, points: &[[f64; 3]], colors: &[[f32; 3]]) -> (Vec<f32>, Vec<f32>) {
        let mut groups = Vec::new();
        for (&center, members) in self.centers.iter().zip(&self.members) {
            for &member in members {
                groups.extend([0, 1, 2].map(|k| (points[member][k] - points[center][k]) as f32));
                groups.extend(colors[member]);
            }
        }
        let centers = self.centers.iter().flat_map(|&at| points[at].map(|value| value as f32));
        (groups, centers.collect())
    }
}

/// Farthest-point centres, each with its `num_members` nearest points: 512 × 32 for ULIP-2 and
/// OpenShape, 512 × 64 for Uni3D.
///
/// # Errors
/// More centres or members than points, or none.
pub fn groups(
    points: &[[f64; 3]],
    num_centers: usize,
    num_members: usize,
    centers: Centers,
) -> Result<Groups, FeaturesError> {
    check_number("members", num_members, points.len())?;
    let centers = farthest_points(points, num_centers, centers)?;
    let nearest = |&center: &usize| {
        let from = points[center];
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        // The nearest so far and at most as many others; a point no nearer than the farthest of the
        // nearest cannot be one of them.
        let mut near: Vec<(f64, usize)> = Vec::with_capacity(2 * num_members);
        let mut most = f64::INFINITY;
        for (at, point) in points.iter().enumerate() {
            let apart = distance_squared(*point, from);
            if near.len() < num_members || apart < most {
                near.push((apart, at));
                if near.len() == 2 * num_members {
                    most = near.select_nth_unstable_by(num_members - 1, order).1.0;
                    near.truncate(num_members);
                }
            }
        }
        near.sort_unstable_by(order);
        near.iter().take(num_members).map(|&(_, at)| at).collect()
    };
    let members = parallel::map(&centers, nearest);
    Ok(Groups { centers, members })
}

fn check_number(what: &str, num: usize, most: usize) -> Result<(), FeaturesError> {
    if (1..=most).contains(&num) {
        return Ok(());
    }
    Err(FeaturesError::Impossible(format!("{num} {what} of {most} points cannot be chosen")))
}

fn length_squared([x, y, z]: [f64; 3]) -> f64 {
    x * x + y * y + z * z
}

fn distance_squared(a: [f64; 3], b: [f64; 3]) -> f64 {
    length_squared([a[0] - b[0], a[1] - b[1], a[2] - b[2]])
}
