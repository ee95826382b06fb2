//! Layers on metallic-roughness: reflectance by index or colour, a sheen, a clear coat; eight
//! fragments at a time.
//!
//! From below: the base as in `shade.rs`, over it the sheen, over both the coat. Each layer dims
//! those below by its own reflection. A surface whose layers say nothing new gets the very bits of
//! [`super::shade::shade`].

use super::environment::{self, Environment};
use super::film::film_f0;
use super::lanes::{B8, F8, LANES, V8};
use super::shade::{
    DIELECTRIC_F0, Studio, Surface, ambient_light, energy_compensation, environment_brdf,
    light_alpha, mirror_light, mirrored, reflect_and_scatter, reflect_and_scatter_by, round_lobe,
};

/// Smallest perceptual roughness of a sheen; a smoother one would shine at angles below a pixel.
pub(super) const SHEEN_ROUGHNESS_MIN: f32 = 0.1;

/// The layers of eight surfaces. Linear colours; `coat_normal` is a unit vector in the world.
#[derive(Clone, Copy)]
pub(crate) struct SurfaceLayers {
    /// Reflectance of the non-metallic part at normal incidence, 0 to 1.
    pub f0: V8,
    /// Reflectance of the non-metallic part at grazing incidence, 0 to 1.
    pub f90: F8,
    /// The base colour is the diffuse colour of `KHR_materials_pbrSpecularGlossiness`.
    pub is_specular_glossiness: B8,
    pub sheen_color: V8,
    pub sheen_roughness: F8,
    pub coat: F8,
    pub coat_roughness: F8,
    pub coat_normal: V8,
    /// How often light that passes through is halved, by colour; at least 0.
    pub halvings: V8,
    /// Strength of a thin film's colours, 0 to 1.
    pub film: F8,
    pub film_ior: F8,
    pub film_thickness_nm: F8,
    /// How much longer highlights are along `grain`, 0 to 1.
    pub anisotropy: F8,
    /// Unit vector in the world along the geometry's surface; counts where `anisotropy` does.
    pub grain: V8,
}

impl SurfaceLayers {
    /// Layers that change nothing.
    pub(super) fn none(normal: V8) -> Self {
        Self {
            f0: V8::splat(glam::Vec3::splat(DIELECTRIC_F0)),
            f90: F8::ONE,
            is_specular_glossiness: B8([false; LANES]),
            sheen_color: V8::ZERO,
            sheen_roughness: F8::ONE,
            coat: F8::ZERO,
            coat_roughness: F8::ZERO,
            coat_normal: normal,
            halvings: V8::ZERO,
            film: F8::ZERO,
            film_ior: F8::ONE,
            film_thickness_nm: F8::ZERO,
            anisotropy: F8::ZERO,
            grain: V8::ZERO,
        }
    }
}

/// Radiance towards the eye of a surface with layers, linear and unbounded.
///
/// With an environment it is the only light; the scattered part is then the rest after the
/// reflection, whatever the workflow.
pub(crate) fn shade_layered(
    surface: &Surface,
    layers: &SurfaceLayers,
    studio: &Studio,
    environment: Option<&Environment>,
) -> V8 {
    let (layers, metal_f0) = &filmed(surface, layers);
    let grain = Grain::of(surface, layers);
    let coat = Surface { normal: layers.coat_normal, roughness: layers.coat_roughness, ..*surface };
    let coat_f0 = V8::splat(glam::Vec3::splat(DIELECTRIC_F0));
    let (base, sheen, reflected) = match environment {
        Some(light) => {
            // A coat scatters nothing.
            let coat = Surface { base_color: V8::ZERO, metallic: F8::ZERO, ..coat };
            let reflects = [layers.f0, *metal_f0];
            let (along, coat_along) = (grain.mirrored(surface), mirrored(&coat));
            let of_coat = [coat_f0, V8::ZERO];
            (
                environment::reflect_and_scatter(surface, light, reflects, layers.f90, along),
                sheen_in_environment(surface, layers, light),
                environment::reflect_and_scatter(&coat, light, of_coat, F8::ONE, coat_along),
            )
        }
        None => (
            base_in_studio(surface, layers, *metal_f0, &grain, studio),
            sheen_light(surface, layers, studio),
            reflect_and_scatter(&coat, studio, V8::ZERO, coat_f0, F8::ONE),
        ),
    };
    let below = base.scale(sheen_passes(surface, layers)) + sheen + surface.emissive;
    below.scale(coat_passes(surface, layers)) + reflected.scale(layers.coat)
}

/// The base, below sheen and coat.
#[inline(always)]
fn base_in_studio(
    surface: &Surface,
    layers: &SurfaceLayers,
    metal_f0: V8,
    grain: &Grain,
    studio: &Studio,
) -> V8 {
    let Surface { base_color, metallic, .. } = *surface;
    let f0 = V8 {
        x: layers.f0.x.mix(metal_f0.x, metallic),
        y: layers.f0.y.mix(metal_f0.y, metallic),
        z: layers.f0.z.mix(metal_f0.z, metallic),
    };
    let f90 = layers.f90.mix(F8::ONE, metallic);
    let diffuse_color = base_color
        .scale((F8::ONE - metallic) * (F8::ONE - surface.transmission))
        .scale(scattered_share(surface, layers));
    let colors = [diffuse_color, f0];
    let along = grain.mirrored(surface);
    reflect_and_scatter_by(surface, studio, colors, f90, along, |to_light, half, n_dot_l| {
        grain.lobe(surface, to_light, half, n_dot_l)
    })
}

/// The layers with a thin film's reflectance, and that of metal. `KHR_materials_iridescence`.
/// Differs: every light gets the film's colours at the angle towards the eye.
fn filmed(surface: &Surface, layers: &SurfaceLayers) -> (SurfaceLayers, V8) {
    let (mut layers, mut metal_f0) = (*layers, surface.base_color);
    if layers.film == F8::ZERO {
        return (layers, metal_f0);
    }
    let n_dot_v = surface.normal.dot(surface.to_eye).max(F8::splat(1e-3));
    for lane in 0..LANES {
        let (film, ior) = (layers.film.0[lane], layers.film_ior.0[lane]);
        if film > 0.0 {
            let thickness = layers.film_thickness_nm.0[lane];
            let mixed = |f0: glam::Vec3| {
                let seen = film_f0(f0, ior, thickness, n_dot_v.0[lane].min(1.0));
                f0 + (seen - f0) * film
            };
            let of = |v: &V8| glam::Vec3::new(v.x.0[lane], v.y.0[lane], v.z.0[lane]);
            let (base, metal) = (mixed(of(&layers.f0)), mixed(of(&metal_f0)));
            layers.f0.set(lane, base);
            metal_f0.set(lane, metal);
        }
    }
    (layers, metal_f0)
}

/// The grain of eight brushed surfaces (`KHR_materials_anisotropy`): unit vectors along and across
/// it, perpendicular to the shading normal.
struct Grain {
    is_there: B8,
    along: V8,
    across: V8,
    /// 0 to 1; 0 in lanes without.
    strength: F8,
}

impl Grain {
    #[inline(always)]
    fn of(surface: &Surface, layers: &SurfaceLayers) -> Self {
        let normal = surface.normal;
        let level = layers.grain - normal.scale(normal.dot(layers.grain));
        let is_long = F8::splat(1e-6).less(level.dot(level));
        let strength = is_long.select(layers.anisotropy, F8::ZERO);
        let along = level.normalized();
        Self { is_there: F8::ZERO.less(strength), along, across: normal.cross(along), strength }
    }

    /// Direction from which most light is mirrored to the eye: the normal leans towards the eye
    /// across the grain (the extension's section "Image Based Lighting").
    #[inline(always)]
    fn mirrored(&self, surface: &Surface) -> V8 {
        let Surface { normal, to_eye, .. } = *surface;
        let leaning = to_eye - self.across.scale(self.across.dot(to_eye));
        let bend = F8::ONE - self.strength * (F8::ONE - surface.roughness);
        let squared = bend * bend;
        let bent = leaning.mix(normal, squared * squared).normalized();
        let seen = bent.scale(F8::splat(2.0) * bent.dot(to_eye)) - to_eye;
        V8::select(self.is_there, seen, mirrored(surface))
    }

    /// π · D · V: GGX with α mixed towards 1 along the grain by squared strength (the extension's
    /// "Implementation"; Burley 2012; Heitz 2014). Differs: visibility not capped at 1.
    #[inline(always)]
    fn lobe(&self, surface: &Surface, to_light: V8, half: V8, n_dot_l: F8) -> F8 {
        let Surface { normal, to_eye, .. } = *surface;
        let n_dot_v = normal.dot(to_eye).max(F8::splat(1e-3));
        let a = light_alpha(surface.roughness);
        let round = round_lobe(normal, half, [n_dot_v, n_dot_l], a);
        let long = a.mix(F8::ONE, self.strength * self.strength);
        let both = long * a;
        let f = [
            a * self.along.dot(half),
            long * self.across.dot(half),
            both * normal.dot(half).clamp01(),
        ];
        let sum = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
        let w = both / sum.max(F8::splat(1e-12));
        let length = |d: V8, n_dot: F8| {
            let (x, y) = (long * self.along.dot(d), a * self.across.dot(d));
            (x * x + y * y + n_dot * n_dot).sqrt()
        };
        let masked = n_dot_l * length(to_eye, n_dot_v) + n_dot_v * length(to_light, n_dot_l);
        let visibility = F8::splat(0.5) / masked.max(F8::splat(1e-5));
        self.is_there.select(both * w * w * visibility, round)
    }
}

/// As [`super::shade::transmitted`], through the layers, and tinted by the way inside
/// (`KHR_materials_volume`). Differs: nothing is refracted, and where front and back of a body are
/// both drawn, each tints by the whole way.
pub(crate) fn transmitted_layered(surface: &Surface, layers: &SurfaceLayers) -> V8 {
    let (layers, _) = &filmed(surface, layers);
    let reflected = dielectric_albedo(surface, layers.f0, layers.f90);
    let share = surface.transmission * (F8::ONE - surface.metallic);
    let share = share * sheen_passes(surface, layers) * coat_passes(surface, layers);
    let white = V8::splat(glam::Vec3::ONE);
    let left = |halvings: F8| (-halvings).max(F8::splat(-126.0)).exp2();
    let inside =
        V8 { x: left(layers.halvings.x), y: left(layers.halvings.y), z: left(layers.halvings.z) };
    let passed = surface.base_color.times(white - reflected).scale(share);
    if layers.halvings == V8::ZERO { passed } else { passed.times(inside) }
}

/// Share of uniform light that the non-metallic part reflects, by colour, 0 to 1.
#[inline(always)]
fn dielectric_albedo(surface: &Surface, f0: V8, f90: F8) -> V8 {
    let n_dot_v = surface.normal.dot(surface.to_eye).max(F8::splat(1e-3));
    let (scale, bias) = environment_brdf(surface.roughness, n_dot_v);
    let compensation = energy_compensation(scale + bias, f0);
    let bias = bias * f90;
    V8 {
        x: ((f0.x * scale + bias) * compensation.x).clamp01(),
        y: ((f0.y * scale + bias) * compensation.y).clamp01(),
        z: ((f0.z * scale + bias) * compensation.z).clamp01(),
    }
}

#[inline(always)]
fn largest(v: V8) -> F8 {
    v.x.max(v.y).max(v.z)
}

/// The scattered share of the base colour next to the reflection.
/// `KHR_materials_pbrSpecularGlossiness`: 1 − the largest of the specular colour. Else what the
/// reflection leaves (`KHR_materials_specular`, section "Implementation"), in relation to what the
/// default one leaves, which `shade` neglects. Differs: never above 1, so that a weaker reflection
/// does not brighten the surface.
#[inline(always)]
fn scattered_share(surface: &Surface, layers: &SurfaceLayers) -> F8 {
    let default_f0 = V8::splat(glam::Vec3::splat(DIELECTRIC_F0));
    let left =
        |f0, f90| (F8::ONE - largest(dielectric_albedo(surface, f0, f90))).max(F8::splat(1e-3));
    let relative = left(layers.f0, layers.f90) / left(default_f0, F8::ONE);
    let of_glossy = F8::ONE - largest(layers.f0);
    layers.is_specular_glossiness.select(of_glossy, relative.min(F8::ONE))
}

/// Share of the light below that the coat lets through: `1 − coat · F(n · v)` with Schlick's term
/// of an index of 1.5 (`KHR_materials_clearcoat`, section "Layering").
#[inline(always)]
fn coat_passes(surface: &Surface, layers: &SurfaceLayers) -> F8 {
    let n_dot_v = layers.coat_normal.dot(surface.to_eye).clamp01();
    let away = F8::ONE - n_dot_v;
    let squared = away * away;
    let fresnel = F8::splat(DIELECTRIC_F0).mix(F8::ONE, squared * squared * away);
    F8::ONE - layers.coat * fresnel
}

/// Share of the base that the sheen leaves: `1 − max(colour) · E(n · v)` (`KHR_materials_sheen`,
/// section "Albedo scaling technique"). Differs: also for the lights, for which the extension would
/// have the smaller of the shares towards eye and light.
#[inline(always)]
fn sheen_passes(surface: &Surface, layers: &SurfaceLayers) -> F8 {
    let n_dot_v = surface.normal.dot(surface.to_eye).max(F8::splat(1e-3));
    let roughness = layers.sheen_roughness.max(F8::splat(SHEEN_ROUGHNESS_MIN));
    F8::ONE - largest(layers.sheen_color) * sheen_albedo(roughness, n_dot_v)
}

/// What the sheen itself sends to the eye.
#[inline(always)]
fn sheen_light(surface: &Surface, layers: &SurfaceLayers, studio: &Studio) -> V8 {
    let Surface { normal, to_eye, occlusion, .. } = *surface;
    let roughness = layers.sheen_roughness.max(F8::splat(SHEEN_ROUGHNESS_MIN));
    let n_dot_v = normal.dot(to_eye).max(F8::splat(1e-3));
    let mut direct = F8::ZERO;
    for (to_light, strength) in studio.lights() {
        let to_light = V8::splat(to_light);
        let n_dot_l = normal.dot(to_light).clamp01();
        let half = (to_eye + to_light).normalized();
        let n_dot_h = normal.dot(half).clamp01();
        let lobe = sheen_lobe(n_dot_h, n_dot_v, n_dot_l, roughness);
        direct = direct + lobe * (n_dot_l * F8::splat(strength));
    }
    let around = mirror_light(mirrored(surface).y).mix(ambient_light(normal.y), roughness);
    let environment = sheen_albedo(roughness, n_dot_v) * around * occlusion;
    layers.sheen_color.scale(direct + environment)
}

/// The same in an environment: the light along the reflection and from all around, by roughness.
fn sheen_in_environment(
    surface: &Surface,
    layers: &SurfaceLayers,
    environment: &Environment,
) -> V8 {
    let Surface { normal, to_eye, .. } = *surface;
    let roughness = layers.sheen_roughness.max(F8::splat(SHEEN_ROUGHNESS_MIN));
    let n_dot_v = normal.dot(to_eye).max(F8::splat(1e-3));
    let seen = environment::seen(environment, mirrored(surface), roughness);
    let around = seen.mix(environment::irradiance(environment, normal), roughness);
    let share = sheen_albedo(roughness, n_dot_v) * surface.occlusion;
    layers.sheen_color.times(around).scale(share)
}

/// π · D · V of a sheen: Estevez and Kulla's distribution `(2 + 1/α) sin^(1/α) / 2π` (2017,
/// "Production Friendly Microfacet Sheen BRDF", eq. 2) with Neubelt and Pettineo's visibility
/// `1 / 4 (l + v − l v)` (2013), which the extension allows.
#[inline(always)]
fn sheen_lobe(n_dot_h: F8, n_dot_v: F8, n_dot_l: F8, roughness: F8) -> F8 {
    let power = F8::ONE / (roughness * roughness);
    let sine_squared = (F8::ONE - n_dot_h * n_dot_h).max(F8::splat(1e-7));
    let exponent = sine_squared.log2() * power * F8::splat(0.5);
    let distribution_times_pi =
        (F8::ONE + F8::splat(0.5) * power) * exponent.max(F8::splat(-126.0)).exp2();
    let both = n_dot_l + n_dot_v - n_dot_l * n_dot_v;
    distribution_times_pi * F8::splat(0.25) / both.max(F8::splat(1e-4))
}

/// Share of uniform light that a white sheen sends to the eye, 0 to 1. A rational fit to the
/// integral of [`sheen_lobe`] · n·l, capped at 1 (visibility gives more than it gets at grazing
/// angles), for roughness 0.1 to 1 and n·v from 0.01: off by at most 0.022, by 0.005 on average.
#[inline(always)]
fn sheen_albedo(roughness: F8, n_dot_v: F8) -> F8 {
    let (r, x) = (roughness, n_dot_v);
    let c = F8::splat;
    let above = c(-3.2315)
        + (c(6.3616) - c(51.917) * x) * x
        + (c(43.427) + c(96.653) * x + c(1.204) * r) * r;
    let below = F8::ONE
        + (c(-47.96) + (c(235.45) + c(285.81) * x) * x) * x
        + (c(-7.3568) + (c(351.38) - c(352.63) * x) * x) * r
        + (c(114.78) + c(104.76) * x - c(43.205) * r) * (r * r);
    (above / below.max(c(0.1))).clamp01()
}

#[cfg(test)]
mod tests {
    use super::super::shade::shade;
    use super::*;
    use glam::Vec3;

    fn grey(v: f32) -> V8 {
        V8::splat(Vec3::splat(v))
    }

    fn studio() -> Studio {
        Studio::seen_from(&crate::rig::Rig::builtin("six").unwrap().camera(0))
    }

    const NORMALS: [Vec3; 4] =
        [Vec3::Z, Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.0, -0.8, 0.6), Vec3::new(0.96, 0.28, 0.0)];

    fn surface(base_color: f32, roughness: f32, normal: Vec3) -> Surface {
        Surface {
            normal: V8::splat(normal),
            to_eye: V8::splat(Vec3::Z),
            base_color: grey(base_color),
            metallic: F8::ZERO,
            roughness: F8::splat(roughness),
            occlusion: F8::ONE,
            emissive: V8::ZERO,
            transmission: F8::ZERO,
        }
    }

    #[test]
    fn layers_that_say_nothing_change_no_bit() {
        for normal in NORMALS {
            for (metallic, roughness) in [(0.0, 0.0), (0.5, 0.3), (1.0, 1.0)] {
                let mut plain = surface(0.7, roughness, normal);
                plain.metallic = F8::splat(metallic);
                plain.emissive = grey(0.1);
                let none = SurfaceLayers::none(plain.normal);
                let (one, other) =
                    (shade(&plain, &studio()), shade_layered(&plain, &none, &studio(), None));
                assert_eq!(one, other, "{normal} {metallic} {roughness}");
            }
        }
    }

    #[test]
    fn a_surface_that_reflects_everything_is_a_white_mirror() {
        for normal in NORMALS {
            let paint = surface(0.5, 0.4, normal);
            let mut layers = SurfaceLayers::none(paint.normal);
            layers.f0 = grey(1.0);
            let mut metal = surface(1.0, 0.4, normal);
            metal.metallic = F8::ONE;
            let found = shade_layered(&paint, &layers, &studio(), None).x.0[0];
            let expected = shade(&metal, &studio()).x.0[0];
            assert!((found - expected).abs() < 2e-3, "{found} {expected}");
        }
    }

    #[test]
    fn a_coat_takes_from_the_glow_below_what_it_reflects() {
        for (normal, fresnel) in [
            (Vec3::Z, 0.04),
            // n · v = 0.6: 0.04 + 0.96 · 0.4⁵.
            (Vec3::new(0.8, 0.0, 0.6), 0.049_830_4),
        ] {
            let black = surface(0.0, 0.5, normal);
            let mut lamp = black;
            lamp.emissive = grey(2.0);
            let mut layers = SurfaceLayers::none(black.normal);
            layers.coat = F8::splat(0.5);
            let [dark, bright] =
                [black, lamp].map(|s| shade_layered(&s, &layers, &studio(), None).x.0[0]);
            let expected = 2.0 * (1.0 - 0.5 * fresnel);
            assert!((bright - dark - expected).abs() < 1e-5, "{normal}");
        }
    }

    #[test]
    fn a_coat_over_nothing_is_a_smooth_dielectric() {
        for normal in NORMALS {
            let mut layers = SurfaceLayers::none(V8::splat(normal));
            (layers.f0, layers.f90) = (V8::ZERO, F8::ZERO);
            (layers.coat, layers.coat_roughness) = (F8::ONE, F8::splat(0.2));
            let coated = shade_layered(&surface(0.0, 0.9, normal), &layers, &studio(), None);
            let expected = shade(&surface(0.0, 0.2, normal), &studio());
            assert_eq!(coated, expected, "{normal}");
        }
    }

    /// The integral of the sheen's lobe over the hemisphere of lights, in f64, by a fine sum over
    /// the light's height and turn.
    fn integrated(roughness: f64, n_dot_v: f64) -> f64 {
        let (steps, turns) = (400, 200);
        let sine_v = (1.0 - n_dot_v * n_dot_v).sqrt();
        let mut sum = 0.0;
        for i in 0..steps {
            // The square root of n · l is stepped evenly: most of the lobe is at grazing angles.
            let root = (f64::from(i) + 0.5) / f64::from(steps);
            let n_dot_l = root * root;
            for j in 0..turns {
                let turn = (f64::from(j) + 0.5) / f64::from(turns) * std::f64::consts::PI;
                let v_dot_l =
                    (1.0 - n_dot_l * n_dot_l).sqrt() * sine_v * libm::cos(turn) + n_dot_l * n_dot_v;
                let n_dot_h = (n_dot_l + n_dot_v) / (2.0 + 2.0 * v_dot_l).sqrt();
                let [h, v, l, r] = [n_dot_h, n_dot_v, n_dot_l, roughness].map(|x| x as f32);
                let lobe = sheen_lobe(F8::splat(h), F8::splat(v), F8::splat(l), F8::splat(r));
                sum += f64::from(lobe.0[0]) * n_dot_l * 2.0 * root;
            }
        }
        // π · D · V was summed over half a turn.
        2.0 * sum / f64::from(steps * turns)
    }

    #[test]
    fn the_albedo_of_the_sheen_is_the_integral_of_its_lobe() {
        for roughness in [0.1, 0.15, 0.3, 0.5, 0.75, 1.0] {
            for n_dot_v in [0.02, 0.1, 0.25, 0.5, 0.8, 1.0] {
                let expected = integrated(roughness, n_dot_v).min(1.0);
                let [r, v] = [roughness, n_dot_v].map(|x| F8::splat(x as f32));
                let found = f64::from(sheen_albedo(r, v).0[0]);
                assert!(
                    (found - expected).abs() < 0.024,
                    "{roughness} {n_dot_v}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn a_white_sheen_over_white_gives_back_no_more_than_it_gets() {
        for normal in NORMALS {
            for roughness in [0.2, 0.5, 1.0] {
                let white = surface(1.0, 1.0, normal);
                let mut layers = SurfaceLayers::none(white.normal);
                (layers.sheen_color, layers.sheen_roughness) = (grey(1.0), F8::splat(roughness));
                let kept = sheen_passes(&white, &layers).0[0];
                let n_dot_v = white.normal.dot(white.to_eye).max(F8::splat(1e-3));
                let added = sheen_albedo(F8::splat(roughness), n_dot_v).0[0];
                assert!((kept + added - 1.0).abs() < 1e-6 && kept >= 0.0);
            }
        }
    }
}
