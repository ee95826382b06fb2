//! How large an asset is shown.

/// How large pictures show an asset, whichever side they show: what decides how much of its textures can be seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closeness {
    /// Pixels that the radius of the bounding sphere takes where it lies at the sphere's centre, square to the view.
    pub pixels_per_radius: f64,
    /// From the camera to the centre, in radii of the sphere; infinite for parallel rays.
    pub distance: f64,
}

impl Closeness {
    /// Nearer cameras than this many radii are not bounded by [`Closeness::pixels_at`].
    pub const DISTANCE_MIN: f64 = 2.0;

    /// The most pixels that a radius takes anywhere within `radii` of the centre (0 to 1), however it lies.
    ///
    /// A pinhole shows a length at depth z and angle θ from the axis at most `1 / (z cos θ)` times as large as at depth 1. That is largest on the axis,
    /// at depth `distance − radii`, as long as the point is nearer to the centre than to half the way to the camera.
    pub fn pixels_at(&self, radii: f64) -> f64 {
        self.pixels_per_radius / (1.0 - radii / self.distance)
    }

    /// One that bounds what is bounded by either.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self {
            pixels_per_radius: self.pixels_per_radius.max(other.pixels_per_radius),
            distance: self.distance.min(other.distance),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths of any direction at any place in the ball, projected: none is larger than said.
    #[test]
    fn no_length_in_the_ball_is_shown_larger() {
        for distance in [2.0_f64, 2.5, 4.0, 20.0] {
            let closeness = Closeness {
                pixels_per_radius: 100.0,
                distance,
            };
            let most = (0..=1000)
                .map(|k| {
                    let along = -1.0 + f64::from(k) / 500.0;
                    let (z, aside) = (distance - along, 1.0 - along * along);
                    // The largest singular value of the projection's derivative, f √(z² + r²) / z².
                    100.0 * distance * (z * z + aside).sqrt() / (z * z)
                })
                .fold(0.0, f64::max);
            let said = closeness.pixels_at(1.0);
            assert!(
                most <= said * (1.0 + 1e-12),
                "{most} of {said} at {distance}"
            );
            assert!(most > said * 0.999, "no tighter than this");
        }
        let parallel = Closeness {
            pixels_per_radius: 7.0,
            distance: f64::INFINITY,
        };
        assert_eq!(parallel.pixels_at(1.0), 7.0);
    }
}
