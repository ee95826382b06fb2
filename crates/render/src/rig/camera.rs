//! The position of a view's camera, and its matrices.

use super::lens::{Lens, Projection};
use super::view::View;
use glam::{DMat4, DVec3, DVec4};

/// An oriented camera. The three axes are orthonormal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// To the right of the picture, in the normalised world.
    pub right: DVec3,
    /// To the top of the picture.
    pub up: DVec3,
    /// From the origin towards the camera.
    pub back: DVec3,
    /// Horizontal direction to the camera, even from straight above: the studio turns with it.
    pub back_horizontal: DVec3,
    /// The world's origin as the camera sees it: right, up, towards the camera. `(0, 0, −distance)`
    /// if it looks at the origin.
    pub origin_in_view: DVec3,
    pub projection: Projection,
    pub lens: Lens,
}

impl Camera {
    /// `projection` and `lens` are the rig's.
    pub(super) fn new(view: &View, projection: Projection, lens: Option<Lens>) -> Self {
        let projection = view.projection.unwrap_or(projection);
        let lens = view.lens.or(lens).unwrap_or(Lens::CENTERED);
        match &view.pose {
            Some(pose) => Self::posed(pose, projection, lens),
            None => Self::looking_at_origin(view, projection, lens),
        }
    }

    /// Azimuth a and elevation e put the camera at `(sin a cos e, sin e, cos a cos e)`; its up is
    /// the derivative of that by e, which is never parallel to it.
    fn looking_at_origin(view: &View, projection: Projection, lens: Lens) -> Self {
        let (sin_a, cos_a) = sin_cos_degrees(view.azimuth_degrees);
        let (sin_e, cos_e) = sin_cos_degrees(view.elevation_degrees);
        let (sin_r, cos_r) = sin_cos_degrees(view.roll_degrees);
        let right = DVec3::new(cos_a, 0.0, -sin_a);
        let up = DVec3::new(-sin_a * sin_e, cos_e, -cos_a * sin_e);
        let distance = match projection {
            Projection::Perspective { distance, .. } => distance,
            // A sign that keeps the object in front.
            Projection::Orthographic { half_height } => 4.0 * half_height,
        };
        Self {
            // The picture turns counter-clockwise when the camera turns clockwise.
            right: right * cos_r - up * sin_r,
            up: up * cos_r + right * sin_r,
            back: DVec3::new(sin_a * cos_e, sin_e, cos_a * cos_e),
            back_horizontal: DVec3::new(sin_a, 0.0, cos_a),
            origin_in_view: DVec3::new(0.0, 0.0, -distance),
            projection,
            lens,
        }
    }

    /// `pose` is that of [`View::pose`].
    fn posed(pose: &[[f64; 4]; 3], projection: Projection, lens: Lens) -> Self {
        let column = |c: usize| DVec3::new(pose[0][c], pose[1][c], pose[2][c]);
        let [right, up, back, eye] = [0, 1, 2, 3].map(column);
        let horizontal = |v: DVec3| DVec3::new(v.x, 0.0, v.z);
        let back_horizontal = if horizontal(back).length() > 1e-6 {
            horizontal(back).normalize()
        } else {
            // From straight above, the top of the picture points away from the camera; from
            // straight below, towards it.
            (horizontal(up) * -back.y.signum()).normalize_or(DVec3::Z)
        };
        Self {
            right,
            up,
            back,
            back_horizontal,
            origin_in_view: -DVec3::new(right.dot(eye), up.dot(eye), back.dot(eye)),
            projection,
            lens,
        }
    }

    /// Depth of the origin: along the axis, in front of the camera.
    pub fn distance(&self) -> f64 {
        -self.origin_in_view.z
    }

    /// Where the camera is, in the normalised world.
    pub fn position(&self) -> DVec3 {
        let DVec3 { x, y, z } = self.origin_in_view;
        -(self.right * x + self.up * y + self.back * z)
    }

    /// View space: x right, y up, the camera at the origin looking along −z.
    pub fn view_from_world(&self) -> DMat4 {
        DMat4::from_cols(
            DVec4::new(self.right.x, self.up.x, self.back.x, 0.0),
            DVec4::new(self.right.y, self.up.y, self.back.y, 0.0),
            DVec4::new(self.right.z, self.up.z, self.back.z, 0.0),
            self.origin_in_view.extend(1.0),
        )
    }

    /// The range of depths of an object of this radius around the origin, a little more; never
    /// closer to a pinhole than 1/1000 of its distance.
    pub fn near_and_far(&self, object_radius: f64) -> (f64, f64) {
        let depth = self.distance();
        let (near, far) = (depth - object_radius * 1.001, depth + object_radius * 1.001);
        match self.projection {
            Projection::Orthographic { .. } => (near, far),
            Projection::Perspective { .. } => {
                let near = near.max(self.origin_in_view.length().max(object_radius * 0.1) * 1e-3);
                (near, far.max(near * 1.001))
            }
        }
    }

    /// Clip space: visible x, y in ±w; z from 0 (`near`) to w (`far`). `aspect`: width ÷ height.
    pub fn clip_from_view(&self, aspect: f64, near: f64, far: f64) -> DMat4 {
        let Lens { principal_point: [x, y], focal_ratio } = self.lens;
        // Of the picture's middle in clip space, where y grows upwards.
        let (shift_x, shift_y) = (2.0 * x - 1.0, 1.0 - 2.0 * y);
        match self.projection {
            Projection::Perspective { fov_y_degrees, .. } => {
                let focal = 1.0 / libm::tan(fov_y_degrees.to_radians() / 2.0);
                DMat4::from_cols(
                    DVec4::new(focal / aspect * focal_ratio, 0.0, 0.0, 0.0),
                    DVec4::new(0.0, focal, 0.0, 0.0),
                    DVec4::new(-shift_x, -shift_y, far / (near - far), -1.0),
                    DVec4::new(0.0, 0.0, near * far / (near - far), 0.0),
                )
            }
            Projection::Orthographic { half_height } => DMat4::from_cols(
                DVec4::new(focal_ratio / (half_height * aspect), 0.0, 0.0, 0.0),
                DVec4::new(0.0, 1.0 / half_height, 0.0, 0.0),
                DVec4::new(0.0, 0.0, 1.0 / (near - far), 0.0),
                DVec4::new(shift_x, shift_y, near / (near - far), 1.0),
            ),
        }
    }
}

/// Sine and cosine, exact at multiples of 90°, so that axis views are exact.
fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
    let turned = degrees.rem_euclid(360.0);
    if turned == 0.0 {
        (0.0, 1.0)
    } else if turned == 90.0 {
        (1.0, 0.0)
    } else if turned == 180.0 {
        (0.0, -1.0)
    } else if turned == 270.0 {
        (-1.0, 0.0)
    } else {
        let radians = turned.to_radians();
        (libm::sin(radians), libm::cos(radians))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Rig;
    use super::*;

    #[test]
    fn azimuth_0_sees_the_front_and_90_stands_at_plus_x() {
        let rig = Rig::builtin("six").unwrap();
        assert_eq!(rig.camera(0).back, DVec3::Z);
        assert_eq!(rig.camera(0).right, DVec3::X);
        assert_eq!(rig.camera(1).back, DVec3::X);
        assert_eq!(rig.camera(1).right, -DVec3::Z);
    }

    #[test]
    fn the_top_view_has_the_front_at_the_bottom() {
        let top = Rig::builtin("four-view").unwrap().camera(2);
        assert_eq!(top.back, DVec3::Y);
        assert_eq!(top.up, -DVec3::Z);
        assert_eq!(top.right, DVec3::X);
    }

    #[test]
    fn every_camera_is_orthonormal_and_right_handed() {
        for name in Rig::BUILTIN {
            let rig = Rig::builtin(name).unwrap();
            for idx in 0..rig.views.len() {
                let camera = rig.camera(idx);
                assert!((camera.right.cross(camera.up) - camera.back).length() < 1e-12);
            }
        }
    }

    #[test]
    fn the_fitted_sphere_touches_the_picture_edge() {
        // At distance r / sin(fov / 2) the cone of the lens is tangent to the sphere.
        let text = "name='x'\n[camera]\nprojection='perspective'\nfov_y_degrees=40.0\nfit=1.0\n[ring]\nviews=1\nelevation_degrees=0.0";
        let camera = Rig::parse(text, "x").unwrap().camera(0);
        let half_angle = 20.0_f64.to_radians();
        let tangent_point = DVec3::new(0.0, libm::cos(half_angle), libm::sin(half_angle));
        let clip = camera.clip_from_view(1.0, 0.1, 10.0)
            * camera.view_from_world()
            * tangent_point.extend(1.0);
        assert!((clip.y / clip.w - 1.0).abs() < 1e-9);
    }
}
