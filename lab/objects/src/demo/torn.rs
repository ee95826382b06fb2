//! The chair and the vase of the first demo, damaged at places chosen by hand.

use super::damage::{crumbs, holes, noise};
use super::picture::coarse;
use glam::Vec3;
use meshjudge_asset::objects::kit::Surface;

/// The chair with holes, crumbs, noise and a blurred texture.
pub fn chair(clean: &[Surface]) -> Vec<Surface> {
    let mut out = clean.to_vec();
    let balls = [
        (Vec3::new(0.09, 0.46, 0.06), 0.075),
        (Vec3::new(-0.13, 0.46 - 0.02, -0.1), 0.05),
        (Vec3::new(-0.16, 0.16, 0.19), 0.05),
        (Vec3::new(0.16, 0.84, -0.27), 0.06),
        (Vec3::new(0.0, 0.7, -0.24), 0.05),
    ];
    let wood = &mut out[0];
    wood.shape = noise(&holes(&wood.shape, &balls), 0.007, 3);
    wood.shape.append(crumbs(&[
        (Vec3::new(0.30, 0.62, 0.12), 0.030),
        (Vec3::new(-0.33, 0.30, 0.05), 0.024),
        (Vec3::new(0.02, 0.66, 0.14), 0.020),
        (Vec3::new(-0.26, 0.86, -0.05), 0.026),
        (Vec3::new(0.0, 0.22, 0.30), 0.018),
    ]));
    wood.texture = wood.texture.as_ref().map(|picture| coarse(picture, 8));
    out
}

/// The vase with holes, crumbs, noise and a texture that is blurred and slipped off its relief.
pub fn vase(clean: &[Surface]) -> Vec<Surface> {
    let mut out = clean.to_vec();
    let surface = &mut out[0];
    let balls = [
        (Vec3::new(0.06, 0.20, 0.12), 0.045),
        (Vec3::new(-0.10, 0.12, 0.06), 0.030),
        (Vec3::new(0.04, 0.41, -0.06), 0.030),
        (Vec3::new(0.165, 0.30, 0.0), 0.032),
    ];
    let mut shape = noise(&holes(&surface.shape, &balls), 0.0028, 5);
    shape.uvs.iter_mut().for_each(|uv| uv.y += 0.045);
    shape.append(crumbs(&[
        (Vec3::new(0.19, 0.12, 0.08), 0.014),
        (Vec3::new(-0.20, 0.34, 0.02), 0.012),
        (Vec3::new(0.10, 0.42, 0.08), 0.010),
        (Vec3::new(-0.08, 0.05, 0.16), 0.011),
    ]));
    surface.shape = shape;
    surface.texture = surface.texture.as_ref().map(|picture| coarse(picture, 16));
    out
}
