//! Panoramas (Radiance `.hdr`, OpenEXR `.exr`) → the light that shading looks up, computed once.
//!
//! A panorama's middle is seen along +x, its right quarter along +z, the front of an asset, its
//! upper edge along +y: in Blender, whose z is our y, the same picture lights an asset in the same
//! way. It stays with the asset, whichever way a camera looks, and is not seen behind it.
//! Directions are looked up without functions of angles, so that cards and processors agree.

mod exr;
mod panorama;
mod prefilter;
mod squares;

pub use panorama::EnvironmentError;
pub(super) use squares::{DIFFUSE_EDGE, FIRST_TEXELS, SPECULAR_EDGES};

use super::lanes::{F8, LANES, V8};
use super::shade::{
    DIELECTRIC_F0, Surface, energy_compensation, environment_brdf, mirrored, tone_map,
};
use glam::Vec3;
use squares::{bilinear, folded};
use std::path::Path;
use std::sync::Arc;

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
        Self::decode(&bytes)
            .map_err(|reason| EnvironmentError::Content { reason, path: path.to_owned() })
    }

    /// As [`Environment::open`], of the bytes of such a file.
    ///
    /// # Errors
    /// The reason.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
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

/// Of eight directions.
pub(super) fn seen(environment: &Environment, directions: V8, roughness: F8) -> V8 {
    let mut out = V8::ZERO;
    for lane in 0..LANES {
        let direction = Vec3::new(directions.x.0[lane], directions.y.0[lane], directions.z.0[lane]);
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

/// What a camera shows of plain surfaces in this light; a function of its own, so that the studio's
/// stays one loop over lanes.
#[inline(never)]
pub(super) fn shade_lanes(surface: &Surface, environment: &Environment, is_mapped: bool) -> V8 {
    let f0 = V8::splat(Vec3::splat(DIELECTRIC_F0));
    let reflects = [f0, surface.base_color];
    let lit = reflect_and_scatter(surface, environment, reflects, F8::ONE, mirrored(surface));
    let lit = lit + surface.emissive;
    if is_mapped { tone_map(lit) } else { lit }
}

/// What surfaces without emission send to the eye. The non-metallic and the metallic part reflect
/// `reflects` at normal incidence, the first `f90` at grazing incidence, and the reflection comes
/// from `reflected`: split sums (Karis 2013, "Real Shading in Unreal Engine 4") with compensation
/// for several bounces between microfacets, over a Lambertian that gets the light that is not
/// reflected. Metal and the rest are mixed as glTF 2.0 has it, appendix B.2; so in a white furnace
/// a white surface is white, whatever it is made of.
pub(super) fn reflect_and_scatter(
    surface: &Surface,
    environment: &Environment,
    reflects: [V8; 2],
    f90: F8,
    reflected: V8,
) -> V8 {
    let Surface {
        normal, to_eye, base_color, metallic, roughness, occlusion, transmission, ..
    } = *surface;
    let n_dot_v = normal.dot(to_eye).max(F8::splat(1e-3));
    let (scale, bias) = environment_brdf(roughness, n_dot_v);
    let kept = scale + bias;
    let [by_paint, by_metal] = reflects.map(|f0| energy_compensation(kept, f0));
    let [f0, metal_f0] = reflects;
    let mirror = seen(environment, reflected, roughness);
    let ambient = irradiance(environment, normal);
    let scattered = (F8::ONE - metallic) * (F8::ONE - transmission);
    let of = |[f0, metal_f0, color, by_paint, by_metal, mirror, ambient]: [F8; 7]| {
        let paint = ((f0 * scale + bias * f90) * by_paint).clamp01();
        let metal = (metal_f0 * scale + bias) * by_metal;
        let diffuse = color * scattered * (F8::ONE - paint);
        (diffuse * ambient + paint.mix(metal, metallic) * mirror) * occlusion
    };
    V8 {
        x: of([f0.x, metal_f0.x, base_color.x, by_paint.x, by_metal.x, mirror.x, ambient.x]),
        y: of([f0.y, metal_f0.y, base_color.y, by_paint.y, by_metal.y, mirror.y, ambient.y]),
        z: of([f0.z, metal_f0.z, base_color.z, by_paint.z, by_metal.z, mirror.z, ambient.z]),
    }
}

#[cfg(test)]
mod tests {
    use super::panorama::Panorama;
    use super::*;

    fn environment(radiance: impl Fn(Vec3) -> Vec3) -> Environment {
        let panorama = Panorama::of_directions(256, radiance);
        Environment(Arc::new(Light { hash: String::new(), texels: prefilter::texels(&panorama) }))
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
                        assert!((lit - 1.0).abs() < 2e-3, "{lit} {roughness} {metallic} {across}");
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
            assert!((seen - expected).abs().max_element() < 0.01, "{direction} {seen}");
        }
    }

    #[test]
    fn half_a_sky_gives_the_irradiance_that_is_known() {
        let sky = environment(|d| Vec3::splat(f32::from(d.y > 0.0)));
        for normal in directions() {
            // Of a hemisphere of radiance 1 a wall sees the share (1 + n · up) / 2.
            let found = sky.irradiance(normal).x;
            let expected = (1.0 + normal.y) / 2.0;
            assert!((found - expected).abs() < 0.02, "{normal} {found}");
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
                    (found - expected).abs() < 0.025,
                    "{roughness} {direction}: {found} {expected}"
                );
            }
        }
    }
}
