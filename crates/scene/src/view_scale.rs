//! How large an asset is shown.

/// How large pictures show an asset, whichever side they show: what decides how much of its
/// textures can be seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewScale {
    /// Pixels that the bounding sphere's radius takes at its centre, square to the view.
    pub pixels_per_radius: f64,
    /// From the camera to the centre, in radii of the sphere; infinite for parallel rays.
    pub distance: f64,
}

impl ViewScale {
    /// A camera within this many radii magnifies the part before it too much for a useful bound.
    pub const DISTANCE_MIN: f64 = 1.1;

    /// Most pixels of a radius anywhere within `radii` of the centre (0 to 1), in any direction.
    ///
    /// A pinhole shows a length at depth z and distance ℓ at most `ℓ / z²` times as large as one at
    /// depth 1 on its axis (the largest singular value of the projection's derivative). On a sphere
    /// of radius r around a centre at distance d that is largest where the axis meets it,
    /// `1 / (d − r)`; of a camera nearer than 2 r it is largest aside of that, at depth
    /// `2 (d² − r²) / 3 d`, where it is `9 d² / (4 √3 (d² − r²)^1.5)`.
    pub fn pixels_at(&self, radii: f64) -> f64 {
        let part = radii / self.distance;
        if part <= 0.5 {
            return self.pixels_per_radius / (1.0 - part);
        }
        let rest = 1.0 - part * part;
        self.pixels_per_radius * 9.0 / (4.0 * 3.0_f64.sqrt() * rest * rest.sqrt())
    }

    /// A scale that bounds both.
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
        for distance in [1.1_f64, 1.5, 1.9, 2.0, 2.5, 4.0, 20.0] {
            let view_scale = ViewScale { pixels_per_radius: 100.0, distance };
            let most = (0..=10_000)
                .map(|k| {
                    let along = -1.0 + f64::from(k) / 5000.0;
                    let (z, aside) = (distance - along, 1.0 - along * along);
                    // The largest singular value of the projection's derivative, f √(z² + r²) / z².
                    100.0 * distance * (z * z + aside).sqrt() / (z * z)
                })
                .fold(0.0, f64::max);
            let said = view_scale.pixels_at(1.0);
            assert!(most <= said * (1.0 + 1e-12), "{most} of {said} at {distance}");
            assert!(most > said * 0.999, "no tighter than this");
        }
        let parallel = ViewScale { pixels_per_radius: 7.0, distance: f64::INFINITY };
        assert_eq!(parallel.pixels_at(1.0), 7.0);
    }
}
