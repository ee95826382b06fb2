//! Words as the GPU leaves them → pictures and sums. The words are laid out as
//! `shaders/resolve.wgsl` says.

use super::batch::Words;
use super::layout::wanted;
use crate::render::cpu::extra_sums::{Place, write_places};
use crate::render::cpu::resolve::Output;
use crate::render::refine::Picture;
use crate::render::shot::{Depths, Stats};
use crate::render::{Channel, Settings};
use crate::scene::color::{encode_index, srgb8_table, unorm8};
use glam::Vec3;
use std::ops::Range;

/// What full coverage is in plane 0: four quarters that have no remainder.
const COVERED: f32 = 65532.0;

/// Copies a part's pixels, from `first_pixel` of the words, into its rows of the picture.
pub(super) fn unpack(
    words: &Words,
    first_pixel: usize,
    settings: &Settings,
    output: &Output,
    rows: Range<u32>,
    picture: &mut Picture,
) {
    let width = settings.width_px as usize;
    let count = rows.len() * width;
    let plane = |idx: usize| &words.words[idx * words.num_pixels + first_pixel..][..count];
    let asks = |channel: Channel| settings.channels.contains(&channel);
    let any = |is_it: fn(Channel) -> bool| settings.channels.iter().any(|&c| is_it(c));
    let normal_plane = 1 + usize::from(asks(Channel::Rgb));
    let matte_plane = normal_plane + usize::from(asks(Channel::Normal));
    let depths_plane = matte_plane + usize::from(asks(Channel::Matte));
    let material_plane = depths_plane + usize::from(!picture.depths.is_empty());
    let z_plane =
        material_plane + if any(Channel::is_material) { wanted::MATERIAL_PLANES } else { 0 };
    let place_plane = z_plane + usize::from(any(Channel::is_z) || asks(Channel::Depth));
    let range = output.depth_range;
    // Clip space's z where something is.
    let depths = || {
        let there = plane(0).iter().zip(plane(z_plane));
        there.map(|(&word, &z)| (word as u16 != 0).then(|| f32::from_bits(z)))
    };
    for (channel, image) in &mut picture.images {
        let bytes = image.format.bytes();
        let out = &mut image.pixels[rows.start as usize * width * bytes..][..count * bytes];
        match channel {
            Channel::Rgb if bytes == 4 => copy::<4>(plane(1), out),
            Channel::Rgb => copy::<3>(plane(1), out),
            Channel::Normal => copy::<3>(plane(normal_plane), out),
            Channel::Matte => copy::<3>(plane(matte_plane), out),
            Channel::NdcDepth => {
                for (word, out) in plane(0).iter().zip(out.as_chunks_mut::<2>().0) {
                    *out = (*word as u16).to_be_bytes();
                }
            }
            Channel::Depth => {
                for (z, out) in depths().zip(out.as_chunks_mut::<2>().0) {
                    *out = z.map_or(0, |z| range.step(z)).to_be_bytes();
                }
            }
            Channel::Z | Channel::ExpectedZ => {
                for (z, out) in depths().zip(out.as_chunks_mut::<4>().0) {
                    *out = z.map_or(0.0, |z| range.depth(z) as f32).to_le_bytes();
                }
            }
            Channel::Mask => {
                for (word, out) in plane(0).iter().zip(out) {
                    *out = unorm8(coverage(*word));
                }
            }
            Channel::BaseColor if bytes == 4 => copy::<4>(plane(material_plane), out),
            Channel::BaseColor => copy::<3>(plane(material_plane), out),
            Channel::MetallicRoughness => {
                let surfaces = plane(material_plane + 1).iter();
                for (word, out) in surfaces.zip(out.as_chunks_mut::<3>().0) {
                    let [roughness, metallic, ..] = word.to_le_bytes();
                    *out = [0, roughness, metallic];
                }
            }
            Channel::Opacity => {
                for (word, out) in plane(material_plane + 1).iter().zip(out) {
                    *out = word.to_le_bytes()[2];
                }
            }
            Channel::Emissive => copy::<3>(plane(material_plane + 2), out),
            Channel::CameraNormal => copy::<3>(plane(material_plane + 3), out),
            Channel::ShadingNormal => copy::<3>(plane(material_plane + 4), out),
            Channel::CameraShadingNormal => copy::<3>(plane(material_plane + 5), out),
            Channel::Position | Channel::Uv | Channel::Part => {
                let number = |k: usize, idx: usize| f32::from_bits(plane(place_plane + k)[idx]);
                let place = |idx| Place {
                    position: Vec3::new(number(0, idx), number(1, idx), number(2, idx)),
                    uv: [number(3, idx), number(4, idx)],
                    part: plane(place_plane + 5)[idx],
                };
                let places: Vec<Place> = (0..out.len() / bytes).map(place).collect();
                write_places(*channel, output.scale, &places, out);
            }
            // Never asked of a card.
            Channel::Wire
            | Channel::Facing
            | Channel::Parts
            | Channel::PartsMaterial
            | Channel::PartsMesh
            | Channel::PartsChart => {}
        }
    }
    let first = rows.start as usize * width;
    // Only where it may be refined is there a plane of depths.
    if !picture.depths.is_empty() {
        for (word, out) in plane(depths_plane).iter().zip(&mut picture.depths[first..]) {
            let [nearest, farthest] = [*word as u16, (*word >> 16) as u16];
            *out = Depths { nearest, farthest };
        }
    }
    let rgb = asks(Channel::Rgb).then(|| plane(1));
    picture.stats.push(stats(plane(0), rgb, settings, rows));
}

fn copy<const N: usize>(words: &[u32], out: &mut [u8]) {
    for (word, out) in words.iter().zip(out.as_chunks_mut::<N>().0) {
        let bytes = word.to_le_bytes();
        *out = std::array::from_fn(|k| bytes[k]);
    }
}

fn coverage(word: u32) -> f32 {
    (word >> 16) as f32 / COVERED
}

fn stats(plane: &[u32], rgb: Option<&[u32]>, settings: &Settings, rows: Range<u32>) -> Stats {
    let width = settings.width_px as usize;
    let shown =
        settings.background.linear().map(|linear| linear.map(|c| srgb8_table()[encode_index(c)]));
    let mut stats = Stats::default();
    for (idx, &word) in plane.iter().enumerate().filter(|(_, word)| **word >> 16 != 0) {
        let (x, y) = (idx % width, rows.start + (idx / width) as u32);
        let is_border = x == 0 || x == width - 1 || y == 0 || y == settings.height_px - 1;
        stats.covered += f64::from(coverage(word));
        stats.border_covered += u32::from(is_border);
        if let (Some(rgb), Some(shown)) = (rgb, shown)
            && coverage(word) >= 0.5
        {
            let pixel = rgb[idx].to_le_bytes();
            stats.solid += 1;
            stats.contrast += f64::from((0..3).fold(0, |m, k| m.max(pixel[k].abs_diff(shown[k]))));
        }
    }
    stats
}
