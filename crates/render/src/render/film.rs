//! Thin-film colours (`KHR_materials_iridescence`): the two faces' reflections interfere.
//!
//! Belcour and Barla 2017, "A Practical Extension to Microfacet Theory for the Modeling of Varying
//! Iridescence", as the extension's specification has it, sections "Analytic Fresnel" and "Spectral
//! Integration". Plain numbers: few materials have a film.

use super::lanes::F8;
use glam::{Mat3, Vec3};

/// Thicker films have no colours: the Gaussians of [`sensitivity`] are below 2⁻¹²⁶ long before.
/// Keeps hostile files finite.
const THICKNESS_NM_MAX: f32 = 1e5;

/// Peaks of the eye's answer over the light's path difference, for x, y, z and the second lobe of
/// x: height, waves per nanometre and width, by which the exponent of ½ grows with the square of
/// nanometres. The specification's fits, with its constants multiplied out.
const PEAKS: [[f32; 3]; 4] = [
    [0.846_59, 1.6810e-3, 2.464_912e-7],
    [1.000_221_9, 1.7953e-3, 5.299_464e-7],
    [1.001_122_5, 2.2084e-3, 3.765_942_5e-7],
    [0.153_868_3, 2.2399e-3, 2.579_050_7e-7],
];

/// Linear RGB of BT.709 from XYZ; the specification's numbers.
const RGB_FROM_XYZ: Mat3 = Mat3::from_cols(
    Vec3::new(3.240_454_2, -0.969_266, 0.055_643_4),
    Vec3::new(-1.537_138_5, 1.876_010_8, -0.204_025_9),
    Vec3::new(-0.498_531_4, 0.041_556, 1.057_225_2),
);

/// Reflectance at normal incidence, 0 to 1, of the surface that by Schlick's term reflects as much
/// towards this eye as `base_f0` under the film does.
pub(super) fn film_f0(base_f0: Vec3, ior: f32, thickness_nm: f32, n_dot_v: f32) -> Vec3 {
    if thickness_nm <= 0.0 {
        // A series cut after two orders would show a film at grazing angles where there is none.
        return base_f0;
    }
    let reflected = film_reflectance(base_f0, ior, thickness_nm, n_dot_v);
    let grazing = fifth_power(1.0 - n_dot_v).clamp(0.0, 0.9999);
    ((reflected - grazing) / (1.0 - grazing)).clamp(Vec3::ZERO, Vec3::ONE)
}

/// Share of light that film and base reflect towards the eye; linear, at least 0.
fn film_reflectance(base_f0: Vec3, ior: f32, thickness_nm: f32, n_dot_v: f32) -> Vec3 {
    let thickness = thickness_nm.clamp(0.0, THICKNESS_NM_MAX);
    // A film of no thickness is air.
    let there = (thickness / 0.03).min(1.0);
    let ior = 1.0 + (ior - 1.0) * (there * there * (3.0 - 2.0 * there));
    let sine_squared = (1.0 - n_dot_v * n_dot_v) / (ior * ior);
    let cosine_squared = 1.0 - sine_squared;
    if cosine_squared < 0.0 {
        return Vec3::ONE;
    }
    let cosine = cosine_squared.sqrt();
    let outer = schlick(f0_of(ior, 1.0), n_dot_v);
    let through = (1.0 - outer) * (1.0 - outer);
    let mut amplitude = Vec3::ZERO;
    let mut roots = Vec3::ZERO;
    let mut sum = Vec3::ZERO;
    // Half waves lost at reflections, as KHR_materials_iridescence counts them: one inside the
    // outer face, and one more at a base less dense than the film.
    let mut halves = [0_u32; 3];
    for k in 0..3 {
        let root = base_f0[k].clamp(0.0, 0.9999).sqrt();
        let base_ior = (1.0 + root) / (1.0 - root);
        halves[k] = 1 + u32::from(base_ior < ior);
        let inner = schlick(f0_of(base_ior, ior), cosine);
        let both = (outer * inner).clamp(1e-5, 0.9999);
        roots[k] = both.sqrt();
        let series = through * inner / (1.0 - both);
        sum[k] = outer + series;
        amplitude[k] = series - (1.0 - outer);
    }
    let path_nm = 2.0 * ior * thickness * cosine;
    for order in 1..=2 {
        amplitude *= roots;
        let waves = sensitivity(order as f32 * path_nm, halves.map(|n| (n * order) % 2 == 1));
        sum += amplitude * (waves * 2.0);
    }
    sum.max(Vec3::ZERO)
}

/// What the eye makes of a path difference, as linear RGB; `is_flipped` where half a wave is lost.
fn sensitivity(path_nm: f32, is_flipped: [bool; 3]) -> Vec3 {
    let peak = |[height, waves, width]: [f32; 3], is_flipped: bool| {
        let exponent = F8([(-width * path_nm * path_nm).max(-126.0)]);
        let value = height * cosine_of_turns(waves * path_nm) * exponent.exp2().0[0];
        if is_flipped { -value } else { value }
    };
    let [x, y, z, second] = PEAKS;
    let [flip_x, flip_y, flip_z] = is_flipped;
    RGB_FROM_XYZ
        * Vec3::new(peak(x, flip_x) + peak(second, flip_x), peak(y, flip_y), peak(z, flip_z))
}

/// cos(2π t), by the sine's series around its zero: off by at most 4e-6.
fn cosine_of_turns(t: f32) -> f32 {
    let part = t - (t + 0.5).floor();
    let s = 0.25 - part.abs();
    let u = s * s;
    let series = ((42.058_693 * u - 76.705_86) * u + 81.605_25) * u - 41.341_7;
    s * (series * u + std::f32::consts::TAU)
}

/// `((a − b) / (a + b))²` of two indices of refraction.
fn f0_of(a: f32, b: f32) -> f32 {
    let root = (a - b) / (a + b);
    root * root
}

fn schlick(f0: f32, cosine: f32) -> f32 {
    f0 + (1.0 - f0) * fifth_power(1.0 - cosine)
}

fn fifth_power(x: f32) -> f32 {
    x * x * x * x * x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_is_that_of_the_library() {
        for k in -4000..4000_i16 {
            let turns = f32::from(k) * 0.01;
            let expected = libm::cos(f64::from(turns) * std::f64::consts::TAU);
            let found = f64::from(cosine_of_turns(turns));
            assert!((found - expected).abs() < 1.5e-5, "{turns}: {found} {expected}");
        }
    }

    #[test]
    fn no_film_leaves_the_base_as_it_is() {
        for base in [0.04, 0.3, 0.9] {
            for n_dot_v in [0.2, 0.6, 1.0] {
                let found = film_f0(Vec3::splat(base), 1.33, 0.0, n_dot_v);
                assert!((found - base).abs().max_element() < 2e-3, "{base} {n_dot_v}: {found}");
            }
        }
    }

    /// Colours in f64 straight from Airy's sum over the visible spectrum would need the observer's
    /// tables; so the limits that are known instead.
    #[test]
    fn a_thick_film_has_no_colour_and_reflects_what_both_faces_do() {
        // Incoherent: R = r + (1 − r)² s / (1 − r s).
        let (outer, base): (f32, f32) = (0.020_059_6, 0.04);
        let ior = 1.5 / 1.33;
        let inner: f32 = ((ior - 1.0) / (ior + 1.0)) * ((ior - 1.0) / (ior + 1.0));
        let expected = outer + (1.0 - outer) * (1.0 - outer) * inner / (1.0 - outer * inner);
        let found = film_f0(Vec3::splat(base), 1.33, 50_000.0, 1.0);
        assert!((found - expected).abs().max_element() < 1e-4, "{found} {expected}");
    }

    /// The specification's formulas in double precision, with cosines and exponentials of a
    /// library, by a script of its own.
    #[test]
    fn films_reflect_what_the_specification_s_formulas_give() {
        let cases = [
            ([0.2; 3], 1.4, 98.214_29, 1.0, [0.010_365, 0.024_753, 0.055_152]),
            ([0.2; 3], 1.4, 196.428_57, 1.0, [0.193_996, 0.197_873, 0.125_169]),
            ([0.04; 3], 1.3, 400.0, 0.6, [0.010_306, 0.0, 0.033_418]),
            ([0.9, 0.6, 0.3], 1.8, 320.0, 0.3, [0.536_908, 0.587_651, 0.264_899]),
            ([0.04; 3], 1.33, 700.0, 0.8, [0.023_111, 0.032_657, 0.018_257]),
        ];
        for (base, ior, thickness, n_dot_v, expected) in cases {
            let found = film_f0(Vec3::from_array(base), ior, thickness, n_dot_v);
            let off = (found - Vec3::from_array(expected)).abs().max_element();
            assert!(off < 2e-5, "{found} {expected:?}");
        }
    }

    #[test]
    fn what_is_hostile_stays_between_nothing_and_all() {
        for thickness in [0.0, 0.01, 1e-30, 250.0, 1e9, f32::MAX] {
            for ior in [1.0, 1.3, 40.0, f32::MAX] {
                for n_dot_v in [1e-3, 0.5, 1.0] {
                    for base in [0.0, 0.04, 1.0] {
                        let found = film_f0(Vec3::splat(base), ior, thickness, n_dot_v);
                        assert!(found.min_element() >= 0.0 && found.max_element() <= 1.0);
                    }
                }
            }
        }
    }
}
