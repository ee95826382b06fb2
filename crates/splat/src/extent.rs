//! Splats → where most of them are. A few splats far away do not enlarge it.

use crate::splats::Splats;
use glam::DVec3;

/// The place of a share of all opacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Middle of the box, in world space.
    pub center: DVec3,
    /// Sides of the box in which the share is, axis by axis.
    pub size: DVec3,
    /// Distance from the middle within which the share is.
    pub radius: f64,
}

impl Splats {
    /// The extent of a share of 0 to 1 of the opacity, by the centres of the splats; 1 gives the
    /// extent of all centres.
    pub fn extent(&self, share: f64) -> Extent {
        let planes = self.planes();
        let sides: Vec<[f64; 2]> = parallel::map(&planes.position, |plane| {
            let mut pairs: Vec<(f32, f32)> =
                plane.iter().copied().zip(planes.opacity.iter().copied()).collect();
            pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let outside = 0.5 * (1.0 - share);
            [quantile(pairs.iter(), outside), quantile(pairs.iter().rev(), outside)]
        });
        let middle = DVec3::from_array([0, 1, 2].map(|k| 0.5 * (sides[k][0] + sides[k][1])));
        let mut distances: Vec<(f32, f32)> = parallel::of(self.len(), |i| {
            (self.position(i).distance(middle) as f32, planes.opacity[i])
        });
        distances.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        Extent {
            center: self.origin() + middle,
            size: DVec3::from_array([0, 1, 2].map(|k| sides[k][1] - sides[k][0])),
            radius: quantile(distances.iter().rev(), 1.0 - share),
        }
    }
}

/// The first value before which, together with it, there is more than a share of all weight.
fn quantile<'a>(pairs: impl Iterator<Item = &'a (f32, f32)> + Clone, share: f64) -> f64 {
    let total: f64 = pairs.clone().map(|pair| f64::from(pair.1)).sum();
    let mut sum = 0.0;
    let mut value = 0.0;
    for &(at, weight) in pairs {
        value = f64::from(at);
        sum += f64::from(weight);
        if sum > share * total {
            break;
        }
    }
    value
}
