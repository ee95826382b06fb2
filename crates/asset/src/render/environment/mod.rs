//! Light from all around: a panorama of Radiance's `.hdr` or OpenEXR's `.exr` → what shading looks up, computed once.
//!
//! A panorama's middle is seen along +x, its right quarter along +z, the front of an asset, its upper edge along +y: in Blender, whose z is
//! our y, the same picture lights an asset in the same way. It stays with the asset, whichever way a camera looks, and is not seen behind it.
//! Directions become squares by folding an octahedron (Meyer et al. 2010, "On Floating-Point Normal Vectors"): no function of angles is
//! needed to look one up, so that cards and processors agree.

mod exr;
mod panorama;
mod prefilter;

pub use panorama::EnvironmentError;

use super::lanes::{F8, LANES, V8};
use super::shade::{DIELECTRIC_F0, Surface, energy_compensation, environment_brdf, tone_map};
use glam::Vec3;
use std::path::Path;
use std::sync::Arc;

/// Edges of the squares: what a mirror sees, then what surfaces of roughness ⅛, 2⁄8 … 1 see on average.
pub(super) const SPECULAR_EDGES: [usize; 9] = [512, 128, 128, 64, 64, 32, 32, 32, 32];

/// Edge of the square of irradiance.
pub(super) const DIFFUSE_EDGE: usize = 32;

/// Where each square begins, in texels, with the irradiance as the last. Each has a border of one texel, so that look-ups need no case at its edges.
pub(super) const FIRST_TEXELS: [usize; 10] = {
    let mut first = [0; 10];
    let mut k = 0;
    while k < 9 {
        let padded = SPECULAR_EDGES[k] + 2;
        first[k + 1] = first[k] + padded * padded;
        k += 1;
    }
    first
};

/// Light from all around an asset.
#[derive(Debug, Clone)]
pub struct Environment(Arc<Light>);

#[derive(Debug)]
struct Light {
    hash: String,
    /// Linear red, green, blue and nothing; the squares one after another, row by row.
    texels: Vec<[f32; 4]>,
}

impl PartialEq for Environment {
    fn eq(&self, other: &Self) -> bool {
        self.0.hash == other.0.hash
    }
}

impl Eq for Environment {}

impl Environment {
    /// Reads a panorama and computes what shading looks up, on all cores.
    ///
    /// # Errors
    /// [`EnvironmentError`].
    pub fn open(path: &Path) -> Result<Self, EnvironmentError> {
        let bytes = panorama::read(path)?;
        Self::decode(&bytes).map_err(|reason| EnvironmentError::Content {
            reason,
            path: path.to_owned(),
        })
    }

    /// As [`Environment::open`], of the bytes of such a file.
    fn decode(bytes: &[u8]) -> Result<Self, String> {
        let panorama = panorama::decode(bytes)?;
        Ok(Self(Arc::new(Light {
            hash: blake3::hash(bytes).to_hex().to_string(),
            texels: prefilter::texels(&panorama),
        })))
    }

    /// BLAKE3 of the file, 64 hexadecimal digits.
    pub fn hash(&self) -> &str {
        &self.0.hash
    }

    pub(super) fn texels(&self) -> &[[f32; 4]] {
        &self.0.texels
    }

    /// Radiance along a unit vector as a surface of this roughness sees it.
    fn seen(&self, direction: Vec3, roughness: f32) -> Vec3 {
        let level = roughness.clamp(0.0, 1.0) * (SPECULAR_EDGES.len() - 1) as f32;
        let below = (level as usize).min(SPECULAR_EDGES.len() - 2);
        let [a, b] = [below, below + 1].map(|k| self.look_up(k, SPECULAR_EDGES[k], direction));
        a + (b - a) * (level - below as f32)
    }

    /// Irradiance over π on a surface that faces along a unit vector.
    fn irradiance(&self, normal: Vec3) -> Vec3 {
        self.look_up(SPECULAR_EDGES.len(), DIFFUSE_EDGE, normal)
    }

    fn look_up(&self, square: usize, edge: usize, direction: Vec3) -> Vec3 {
        let texels = &self.texels()[FIRST_TEXELS[square]..];
        bilinear(texels, edge, folded(direction))
    }
}

/// Where a direction lies in the square, from −1 to 1.
pub(super) fn folded(direction: Vec3) -> [f32; 2] {
    let sum = direction.x.abs() + direction.y.abs() + direction.z.abs();
    let p = direction / sum.max(1e-20);
    if p.y >= 0.0 {
        return [p.x, p.z];
    }
    let sign = |v: f32| if v >= 0.0 { 1.0 } else { -1.0 };
    [(1.0 - p.z.abs()) * sign(p.x), (1.0 - p.x.abs()) * sign(p.z)]
}

/// Between the four texels around a place; `texels` are a square with its border.
fn bilinear(texels: &[[f32; 4]], edge: usize, [u, v]: [f32; 2]) -> Vec3 {
    let at = |c: f32| ((c * 0.5 + 0.5) * edge as f32 + 0.5).clamp(0.0, edge as f32 + 0.999);
    let (x, y) = (at(u), at(v));
    let (column, row) = ((x as usize).min(edge), (y as usize).min(edge));
    let (fx, fy) = (x - column as f32, y - row as f32);
    let texel = |dx: usize, dy: usize| {
        let [r, g, b, _] = texels[(row + dy) * (edge + 2) + column + dx];
        Vec3::new(r, g, b)
    };
    let mix = |a: Vec3, b: Vec3, t: f32| a + (b - a) * t;
    let upper = mix(texel(0, 0), texel(1, 0), fx);
    mix(upper, mix(texel(0, 1), texel(1, 1), fx), fy)
}

/// Of eight directions.
pub(super) fn seen(environment: &Environment, directions: V8, roughness: F8) -> V8 {
    let mut out = V8::ZERO;
    for lane in 0..LANES {
        let direction = Vec3::new(
            directions.x.0[lane],
            directions.y.0[lane],
            directions.z.0[lane],
        );
        out.set(lane, environment.seen(direction, roughness.0[lane]));
    }
    out
}

/// Of eight normals.
pub(super) fn irradiance(environment: &Environment, normals: V8) -> V8 {
    let mut out = V8::ZERO;
    for lane in 0..LANES {
        let normal = Vec3::new(normals.x.0[lane], normals.y.0[lane], normals.z.0[lane]);
        out.set(lane, environment.irradiance(normal));
    }
    out
}

/// What a camera shows of plain surfaces in this light; a function of its own, so that the studio's stays one loop over lanes.
#[inline(never)]
pub(super) fn shade_lanes(surface: &Surface, environment: &Environment, is_mapped: bool) -> V8 {
    let metallic = surface.metallic;
    let f0 = V8 {
        x: F8::splat(DIELECTRIC_F0).mix(surface.base_color.x, metallic),
        y: F8::splat(DIELECTRIC_F0).mix(surface.base_color.y, metallic),
        z: F8::splat(DIELECTRIC_F0).mix(surface.base_color.z, metallic),
    };
    let share = (F8::ONE - metallic) * (F8::ONE - surface.transmission);
    let diffuse_color = surface.base_color.scale(share);
    let lit = reflect_and_scatter(surface, environment, diffuse_color, f0, F8::ONE);
    let lit = lit + surface.emissive;
    if is_mapped { tone_map(lit) } else { lit }
}

/// What surfaces without emission send to the eye: split sums (Karis 2013, "Real Shading in Unreal Engine 4") with what several bounces between
/// microfacets give back, over a Lambertian that gets what is not reflected: in a white furnace a white surface of any roughness is white.
pub(super) fn reflect_and_scatter(
    surface: &Surface,
    environment: &Environment,
    diffuse_color: V8,
    f0: V8,
    f90: F8,
) -> V8 {
    let Surface {
        normal,
        to_eye,
        roughness,
        occlusion,
        ..
    } = *surface;
    let n_dot_v = normal.dot(to_eye).max(F8::splat(1e-3));
    let (scale, bias) = environment_brdf(roughness, n_dot_v);
    let compensation = energy_compensation(scale + bias, f0);
    let bias = bias * f90;
    let reflected = normal.scale(F8::splat(2.0) * n_dot_v) - to_eye;
    let mirror = seen(environment, reflected, roughness);
    let ambient = irradiance(environment, normal);
    let of = |f0: F8, compensation: F8, diffuse: F8, mirror: F8, ambient: F8| {
        let albedo = (f0 * scale + bias) * compensation;
        let kept = F8::ONE - albedo.clamp01();
        (diffuse * kept * ambient + albedo * mirror) * occlusion
    };
    V8 {
        x: of(f0.x, compensation.x, diffuse_color.x, mirror.x, ambient.x),
        y: of(f0.y, compensation.y, diffuse_color.y, mirror.y, ambient.y),
        z: of(f0.z, compensation.z, diffuse_color.z, mirror.z, ambient.z),
    }
}

#[cfg(test)]
mod tests {
    use super::panorama::Panorama;
    use super::*;

    fn environment(radiance: impl Fn(Vec3) -> Vec3) -> Environment {
        let panorama = Panorama::of_directions(256, radiance);
        Environment(Arc::new(Light {
            hash: String::new(),
            texels: prefilter::texels(&panorama),
        }))
    }

    fn directions() -> impl Iterator<Item = Vec3> {
        (0..200).map(|k| {
            let height = 1.0 - (k as f32 + 0.5) / 100.0;
            let turn = k as f32 * 2.399_963;
            let across = (1.0 - height * height).sqrt();
            Vec3::new(across * libm::cosf(turn), height, across * libm::sinf(turn))
        })
    }

    #[test]
    fn a_white_furnace_stays_white() {
        let furnace = environment(|_| Vec3::ONE);
        for normal in directions() {
            for roughness in [0.0, 0.1, 0.3, 0.5, 0.75, 1.0] {
                for metallic in [0.0, 0.5, 1.0] {
                    for across in [0.0, 0.7, 0.99] {
                        let side = normal.any_orthonormal_vector();
                        let to_eye = side * across + normal * (1.0_f32 - across * across).sqrt();
                        let surface = Surface {
                            normal: V8::splat(normal),
                            to_eye: V8::splat(to_eye),
                            base_color: V8::splat(Vec3::ONE),
                            metallic: F8::splat(metallic),
                            roughness: F8::splat(roughness),
                            occlusion: F8::ONE,
                            emissive: V8::ZERO,
                            transmission: F8::ZERO,
                        };
                        let lit = shade_lanes(&surface, &furnace, false).x.0[0];
                        assert!(
                            (lit - 1.0).abs() < 2e-3,
                            "{lit} {roughness} {metallic} {across}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_mirror_sees_what_lies_where_it_looks() {
        let sky = environment(|d| (d + Vec3::ONE) * 0.5);
        for direction in directions() {
            let seen = sky.seen(direction, 0.0);
            let expected = (direction + Vec3::ONE) * 0.5;
            assert!(
                (seen - expected).abs().max_element() < 0.01,
                "{direction} {seen}"
            );
        }
    }

    #[test]
    fn half_a_sky_gives_the_irradiance_that_is_known() {
        let sky = environment(|d| Vec3::splat(f32::from(d.y > 0.0)));
        for normal in directions() {
            // Of a hemisphere of radiance 1 a wall sees the share (1 + n · up) / 2.
            let found = sky.irradiance(normal).x;
            let expected = (1.0 + normal.y) / 2.0;
            assert!((found - expected).abs() < 0.012, "{normal} {found}");
        }
    }

    #[test]
    fn rougher_surfaces_see_a_lamp_ever_wider_and_no_more_of_it() {
        let lamp = environment(|d| Vec3::splat(if d.x > 0.995 { 100.0 } else { 0.0 }));
        let mut peak = f32::INFINITY;
        for k in 0..=8 {
            let roughness = k as f32 / 8.0;
            let seen = lamp.seen(Vec3::X, roughness).x;
            assert!(seen <= peak + 0.5, "{roughness}: {seen} after {peak}");
            peak = seen;
        }
        assert!(peak < 2.0 && lamp.seen(Vec3::NEG_X, 0.25).x < 0.01);
    }

    /// GGX around a reflection, summed over the whole sphere in f64.
    fn expected(radiance: impl Fn(Vec3) -> f32, normal: Vec3, roughness: f64) -> f64 {
        let alpha = roughness * roughness;
        let (mut sum, mut weights) = (0.0, 0.0);
        let side = normal.any_orthonormal_vector();
        let other = normal.cross(side);
        for i in 0..400 {
            let n_dot_l = (f64::from(i) + 0.5) / 400.0;
            let across = (1.0 - n_dot_l * n_dot_l).sqrt() as f32;
            let n_dot_h_squared = (1.0 + n_dot_l) / 2.0;
            let d = n_dot_h_squared * (alpha * alpha - 1.0) + 1.0;
            let weight = alpha * alpha / (d * d) * n_dot_l;
            for j in 0..64 {
                let turn = (j as f32 + 0.5) / 64.0 * std::f32::consts::TAU;
                let direction = normal * n_dot_l as f32
                    + (side * libm::cosf(turn) + other * libm::sinf(turn)) * across;
                sum += weight * f64::from(radiance(direction));
                weights += weight;
            }
        }
        sum / weights
    }

    #[test]
    fn what_rough_surfaces_see_is_the_mean_over_their_lobe() {
        let radiance = |d: Vec3| 1.0 + d.x * d.y + 0.5 * d.z;
        let sky = environment(|d| Vec3::splat(radiance(d)));
        for roughness in [0.25, 0.5, 0.75, 1.0] {
            for direction in directions().step_by(17) {
                let found = f64::from(sky.seen(direction, roughness).x);
                let expected = expected(radiance, direction, f64::from(roughness));
                assert!(
                    (found - expected).abs() < 0.02,
                    "{roughness} {direction}: {found} {expected}"
                );
            }
        }
    }
}
