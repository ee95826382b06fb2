//! What fragments are made of → pixels of the channels that no light decides.

use super::extra::Extra;
use super::gathered::Fragment;
use crate::render::channel::Channel;
use crate::render::lanes::V8;
use crate::render::samples::SAMPLES;
use crate::render::settings::Background;
use crate::scene::color::{each_byte, encode_index, srgb8_table, unorm8};
use glam::Vec3;

/// Material and normals of a pixel, or of one of its samples while transparent surfaces are laid over it; times coverage.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::render) struct Made {
    pub base_color: Vec3,
    pub emissive: Vec3,
    /// 0, roughness, metallic.
    pub surface: Vec3,
    /// Share that is covered, times alpha.
    pub alpha: f32,
    /// Share that is covered.
    pub covered: f32,
    /// (n + 1) / 2 of the geometry's normal in the camera, of the shading normal in the world and in the camera.
    pub normals: [Vec3; 3],
}

impl Made {
    fn of(extra: &Extra, lane: usize, world: &[Vec3; 3], view: &[Vec3; 3]) -> Self {
        let of = |v: &V8| Vec3::new(v.x.0[lane], v.y.0[lane], v.z.0[lane]);
        let along = |[r, g, b]: &[Vec3; 3], normal: Vec3| {
            (Vec3::new(r.dot(normal), g.dot(normal), b.dot(normal)) + Vec3::ONE) * 0.5
        };
        let (normal, shading) = (of(&extra.normal), of(&extra.shading_normal));
        Self {
            base_color: of(&extra.base_color),
            emissive: of(&extra.emissive),
            surface: Vec3::new(0.0, extra.roughness.0[lane], extra.metallic.0[lane]),
            alpha: 1.0,
            covered: 1.0,
            normals: [
                along(view, normal),
                along(world, shading),
                along(view, shading),
            ],
        }
    }

    fn add(&mut self, other: &Self, weight: f32) {
        self.base_color += other.base_color * weight;
        self.emissive += other.emissive * weight;
        self.surface += other.surface * weight;
        self.alpha += other.alpha * weight;
        self.covered += other.covered * weight;
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
        self.covered = 1.0;
    }
}

/// The nearest triangle of a pixel.
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

    /// Lays a fragment over pixel `at`; `is_nearest` says that the pixel's nearest sample is of its triangle.
    pub(super) fn lay(
        &mut self,
        at: usize,
        fragment: &Fragment,
        (extra, lane): (&Extra, usize),
        (world, view): (&[Vec3; 3], &[Vec3; 3]),
        is_nearest: bool,
    ) {
        let made = Made::of(extra, lane, world, view);
        if let Some(samples) = self.samples.get_mut(at) {
            for (s, sample) in samples.iter_mut().enumerate() {
                if fragment.covered >> s & 1 == 1 {
                    sample.cover(&made, extra.alpha.0[lane]);
                }
            }
        } else {
            let weight = fragment.covered.count_ones() as f32 * (1.0 / SAMPLES as f32);
            self.made[at].add(&made, weight);
        }
        if is_nearest {
            let position = &extra.position;
            self.places[at] = Place {
                position: Vec3::new(position.x.0[lane], position.y.0[lane], position.z.0[lane]),
                uv: extra.uv[lane].to_array(),
                part: extra.mesh[lane] + 1,
            };
        }
    }

    /// Sums the samples of what is blended.
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
    let encode = srgb8_table();
    let encoded = |linear: f32| encode[encode_index(linear)];
    match (channel, background.linear()) {
        (Channel::BaseColor, Some(behind)) => {
            let behind = Vec3::from(behind);
            write_each(made, out, |made| {
                each_byte(made.base_color + behind * (1.0 - made.alpha), encoded)
            });
        }
        (Channel::BaseColor, None) => write_each(made, out, |made| {
            let straight = match made.alpha > 0.0 {
                true => made.base_color / made.alpha,
                false => Vec3::ZERO,
            };
            let [r, g, b] = each_byte(straight, encoded);
            [r, g, b, unorm8(made.alpha)]
        }),
        (Channel::Emissive, _) => write_each(made, out, |made| each_byte(made.emissive, encoded)),
        (Channel::MetallicRoughness, _) => write_each(made, out, |made| match made.alpha > 0.0 {
            true => each_byte(made.surface / made.alpha, unorm8),
            false => [0; 3],
        }),
        (Channel::Opacity, _) => write_each(made, out, |made| match made.covered > 0.0 {
            true => [unorm8(made.alpha / made.covered)],
            false => [0],
        }),
        (Channel::CameraNormal, _) => {
            write_each(made, out, |made| each_byte(made.normals[0], unorm8))
        }
        (Channel::ShadingNormal, _) => {
            write_each(made, out, |made| each_byte(made.normals[1], unorm8))
        }
        _ => write_each(made, out, |made| each_byte(made.normals[2], unorm8)),
    }
}

#[inline(always)]
fn write_each<const N: usize>(made: &[Made], out: &mut [u8], pixel: impl Fn(&Made) -> [u8; N]) {
    // Most pixels of most pictures show nothing.
    let nothing = pixel(&Made::default());
    for (made, out) in made.iter().zip(out.as_chunks_mut::<N>().0) {
        *out = match made.covered == 0.0 {
            true => nothing,
            false => pixel(made),
        };
    }
}

/// Bytes of pixels of a channel that [`Place`] decides, which were 0 before.
pub(super) fn write_place_rows(channel: Channel, scale: f32, places: &[Place], out: &mut [u8]) {
    let pixel_bytes = out.len() / places.len().max(1);
    for (place, out) in places.iter().zip(out.chunks_exact_mut(pixel_bytes.max(1))) {
        if place.part != 0 {
            write_place(channel, scale, place, out);
        }
    }
}

/// Bytes of one pixel of a channel that [`Place`] decides; `scale` turns the file's units into the rig's.
pub(in crate::render) fn write_place(channel: Channel, scale: f32, place: &Place, out: &mut [u8]) {
    let four = match channel {
        _ if place.part == 0 => [0.0; 4],
        Channel::Position => (place.position * scale).extend(1.0).to_array(),
        Channel::Uv => [place.uv[0], place.uv[1], 0.0, 1.0],
        _ => {
            let part = place.part.min(u32::from(u16::MAX)) as u16;
            out.copy_from_slice(&part.to_be_bytes());
            return;
        }
    };
    match out.as_chunks_mut::<4>() {
        (floats, []) => {
            for (out, value) in floats.iter_mut().zip(four) {
                *out = value.to_le_bytes();
            }
        }
        (_, rest) => rest.fill(0),
    }
}
