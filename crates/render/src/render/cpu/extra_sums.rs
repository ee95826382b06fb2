//! What fragments are made of → pixels of the channels that no light decides.

use super::extra::Extra;
use super::gathered::Fragment;
use crate::render::channel::Channel;
use crate::render::lanes::{F8, LANES, V8, rows};
use crate::render::samples::SAMPLES;
use crate::render::settings::Background;
use crate::render::shade::encoded_normals;
use crate::scene::color::{srgb8_each, srgb8_table, unorm8, unorm8_each};
use glam::Vec3;
use wide::f32x4;

/// Material and normals of a pixel, or of one of its samples while transparent surfaces are laid
/// over it; times coverage, by rows of four.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::render) struct Made {
    /// Red, green, blue, and the share that is covered, times alpha.
    base_color: f32x4,
    /// Red, green, blue, and the share that is covered.
    emissive: f32x4,
    /// (n + 1) / 2 of the geometry's normal in the camera, of the shading normal in the world and
    /// in the camera; each with a number of the material: roughness, metallic, 0.
    normals: [f32x4; 3],
}

impl Made {
    /// What eight fragments are made of, where they are covered.
    #[inline(always)]
    pub(super) fn of(extra: &Extra, (world, view): (&[Vec3; 3], &[Vec3; 3])) -> [Self; LANES] {
        let four = |V8 { x, y, z }: V8, last: F8| rows([x, y, z, last]);
        let base_color = four(extra.base_color, F8::ONE);
        let emissive = four(extra.emissive, F8::ONE);
        let normal = encoded_normals(view, &extra.normal);
        let [shading, seen_shading] =
            [world, view].map(|axes| encoded_normals(axes, &extra.shading_normal));
        let normal = four(normal, extra.roughness);
        let shading = four(shading, extra.metallic);
        let seen_shading = four(seen_shading, F8::ZERO);
        std::array::from_fn(|lane| Self {
            base_color: base_color[lane],
            emissive: emissive[lane],
            normals: [normal[lane], shading[lane], seen_shading[lane]],
        })
    }

    #[inline(always)]
    fn add(&mut self, other: &Self, weight: f32) {
        let weight = f32x4::splat(weight);
        self.base_color += other.base_color * weight;
        self.emissive += other.emissive * weight;
        for (normal, other) in self.normals.iter_mut().zip(&other.normals) {
            *normal += *other * weight;
        }
    }

    /// Porter & Duff's over, with `self` below.
    fn cover(&mut self, other: &Self, alpha: f32) {
        let below = *self;
        *self = Self::default();
        self.add(&below, 1.0 - alpha);
        self.add(other, alpha);
        let [r, g, b, _] = self.emissive.to_array();
        self.emissive = f32x4::from([r, g, b, 1.0]);
    }

    #[inline(always)]
    fn alpha(&self) -> f32 {
        self.base_color.as_array()[3]
    }

    #[inline(always)]
    fn covered(&self) -> f32 {
        self.emissive.as_array()[3]
    }

    /// 0, roughness, metallic.
    #[inline(always)]
    fn surface(&self) -> f32x4 {
        let [roughness, metallic] = [0, 1].map(|k| self.normals[k].as_array()[3]);
        f32x4::from([0.0, roughness, metallic, 0.0])
    }
}

/// The triangle of a pixel that is shown nearest to its centre.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::render) struct Place {
    /// Relative to the point that the rig puts at the origin, in the file's units.
    pub position: Vec3,
    pub uv: [f32; 2],
    /// 1 + index of the mesh, or 0 for nothing.
    pub part: u32,
}

/// Of some rows, pixel by pixel.
#[derive(Default)]
pub(super) struct ExtraSums {
    pub made: Vec<Made>,
    pub places: Vec<Place>,
    samples: Vec<[Made; SAMPLES]>,
}

impl ExtraSums {
    pub(super) fn clear(&mut self, pixels: usize, is_blending: bool) {
        self.made.clear();
        self.made.resize(pixels, Made::default());
        self.places.clear();
        self.places.resize(pixels, Place::default());
        self.samples.clear();
        let samples = if is_blending { pixels } else { 0 };
        self.samples.resize(samples, [Made::default(); SAMPLES]);
    }

    /// Lays a fragment, which is `made` so, over pixel `at`; `is_centered` says that its triangle
    /// is the one shown nearest to the pixel's centre.
    #[inline(always)]
    pub(super) fn lay(
        &mut self,
        at: usize,
        fragment: &Fragment,
        (extra, lane): (&Extra, usize),
        made: &Made,
        is_centered: bool,
    ) {
        if let Some(samples) = self.samples.get_mut(at) {
            for (s, sample) in samples.iter_mut().enumerate() {
                if fragment.covered >> s & 1 == 1 {
                    sample.cover(made, extra.alpha.0[lane]);
                }
            }
        } else {
            self.made[at].add(made, fragment.weight());
        }
        if is_centered {
            let position = &extra.position;
            self.places[at] = Place {
                position: Vec3::new(position.x.0[lane], position.y.0[lane], position.z.0[lane]),
                uv: extra.uv[lane].to_array(),
                part: extra.mesh[lane] + 1,
            };
        }
    }

    /// Sums the samples of blended fragments.
    pub(super) fn end(&mut self) {
        for (samples, made) in self.samples.iter().zip(&mut self.made) {
            for sample in samples {
                made.add(sample, 1.0 / SAMPLES as f32);
            }
        }
    }
}

/// Bytes of pixels of a channel that [`Made`] decides.
pub(super) fn write_made_rows(
    channel: Channel,
    background: Background,
    made: &[Made],
    out: &mut [u8],
) {
    let table = srgb8_table();
    let rgb = |[r, g, b, _]: [u8; 4]| [r, g, b];
    let encoded = |linear: f32x4| rgb(srgb8_each(table, linear));
    let normal = |made: &Made, k: usize| rgb(unorm8_each(made.normals[k]));
    match (channel, background.linear()) {
        (Channel::BaseColor, Some([r, g, b])) => {
            let behind = f32x4::from([r, g, b, 0.0]);
            write_each(made, out, |made| {
                encoded(made.base_color + behind * f32x4::splat(1.0 - made.alpha()))
            });
        }
        (Channel::BaseColor, None) => write_each(made, out, |made| {
            let straight = if made.alpha() > 0.0 {
                made.base_color / f32x4::splat(made.alpha())
            } else {
                f32x4::ZERO
            };
            let [r, g, b] = encoded(straight);
            [r, g, b, unorm8(made.alpha())]
        }),
        (Channel::Emissive, _) => write_each(made, out, |made| encoded(made.emissive)),
        (Channel::MetallicRoughness, _) => write_each(made, out, |made| {
            if made.alpha() > 0.0 {
                rgb(unorm8_each(made.surface() / f32x4::splat(made.alpha())))
            } else {
                [0; 3]
            }
        }),
        (Channel::Opacity, _) => write_each(made, out, |made| {
            if made.covered() > 0.0 { [unorm8(made.alpha() / made.covered())] } else { [0] }
        }),
        (Channel::CameraNormal, _) => write_each(made, out, |made| normal(made, 0)),
        (Channel::ShadingNormal, _) => write_each(made, out, |made| normal(made, 1)),
        _ => write_each(made, out, |made| normal(made, 2)),
    }
}

#[inline(always)]
fn write_each<const N: usize>(made: &[Made], out: &mut [u8], pixel: impl Fn(&Made) -> [u8; N]) {
    // Most pixels of most pictures show nothing.
    let nothing = pixel(&Made::default());
    for (made, out) in made.iter().zip(out.as_chunks_mut::<N>().0) {
        *out = if made.covered() == 0.0 { nothing } else { pixel(made) };
    }
}

/// Bytes of pixels of a channel that [`Place`] decides, where anything is: they were 0 before.
/// `scale` turns the file's units into the rig's.
pub(in crate::render) fn write_places(
    channel: Channel,
    scale: f32,
    places: &[Place],
    out: &mut [u8],
) {
    match channel {
        Channel::Position => write_each_place(places, out, |place| {
            let [x, y, z] = (place.position * scale).to_array();
            bytes_of([x, y, z, 1.0])
        }),
        Channel::Uv => write_each_place(places, out, |place| {
            let [u, v] = place.uv;
            bytes_of([u, v, 0.0, 1.0])
        }),
        _ => write_each_place(places, out, |place| {
            let part = place.part.min(u32::from(u16::MAX)) as u16;
            part.to_be_bytes()
        }),
    }
}

#[inline(always)]
fn write_each_place<const N: usize>(
    places: &[Place],
    out: &mut [u8],
    pixel: impl Fn(&Place) -> [u8; N],
) {
    for (place, out) in places.iter().zip(out.as_chunks_mut::<N>().0) {
        if place.part != 0 {
            *out = pixel(place);
        }
    }
}

/// Little-endian.
fn bytes_of(four: [f32; 4]) -> [u8; 16] {
    bytemuck::cast(four.map(f32::to_le_bytes))
}
