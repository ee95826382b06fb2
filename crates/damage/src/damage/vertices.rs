//! The same damage to vertex colours: blur, low resolution and noise, by place on the object.

use super::error::DamageError;
use super::rng::CounterRng;
use super::soup::Soup;
use crate::scene::color::{linear_from_srgb, srgb_from_linear};
use glam::{Vec3, Vec4};
use std::collections::HashMap;

/// Whether no base colour comes from a texture and some vertex has a colour of its own.
pub(super) fn is_colored(soup: &Soup) -> bool {
    let has_texture = |part: usize| {
        let material = &soup.materials[soup.parts[part].material];
        material.base_color_texture().is_some()
    };
    let corners = soup.parts.iter().flat_map(|part| part.triangles.iter().flatten());
    let mut colors = corners.map(|corner| corner.color);
    let first = colors.next();
    !(0..soup.parts.len()).any(has_texture) && colors.any(|color| Some(color) != first)
}

/// Changes each vertex's colour, as sRGB; returns a channel's root mean square change, 0 to 1.
fn recolor(soup: &mut Soup, paint: impl Fn(Vec3, Vec3) -> Vec3) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for part in &mut soup.parts {
        for corner in part.triangles.iter_mut().flatten() {
            let before = encoded(corner.color);
            let after = paint(corner.position, before).clamp(Vec3::ZERO, Vec3::ONE);
            sum += f64::from((after - before).length_squared());
            count += 3.0;
            let linear = |c: f32| linear_from_srgb(f64::from(c)) as f32;
            let [r, g, b] = after.to_array().map(linear);
            corner.color = Vec4::new(r, g, b, corner.color.w);
        }
    }
    (sum / f64::max(count, 1.0)).sqrt()
}

fn encoded(color: Vec4) -> Vec3 {
    let byte = |c: f32| srgb_from_linear(f64::from(c)) as f32;
    Vec3::from_array(color.truncate().to_array().map(byte))
}

/// Mean colours of cubes of an edge, from the soup's lowest corner.
struct Cells {
    edge: f32,
    low: Vec3,
    sums: HashMap<[i32; 3], (Vec3, f32)>,
}

fn cell(at: Vec3) -> [i32; 3] {
    at.floor().to_array().map(|c| c as i32)
}

impl Cells {
    fn of(soup: &Soup, edge: f32) -> Self {
        let low = soup.bounds().0;
        let mut sums: HashMap<[i32; 3], (Vec3, f32)> = HashMap::new();
        for corner in (soup.parts.iter()).flat_map(|part| part.triangles.iter().flatten()) {
            let (sum, count) = sums.entry(cell((corner.position - low) / edge)).or_default();
            *sum += encoded(corner.color);
            *count += 1.0;
        }
        Self { edge, low, sums }
    }

    fn mean(&self, cell: [i32; 3]) -> Option<Vec3> {
        self.sums.get(&cell).map(|(sum, count)| *sum / *count)
    }

    /// Between the cells around a place, by their distances.
    fn smooth(&self, place: Vec3) -> Option<Vec3> {
        let at = (place - self.low) / self.edge;
        let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
        for k in 0..27 {
            let step = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1];
            let middle = [0, 1, 2].map(|axis| cell(at)[axis] + step[axis]);
            let away = (at - Vec3::from_array(middle.map(|c| c as f32 + 0.5))).abs();
            let weight = (Vec3::splat(1.5) - away).max(Vec3::ZERO).element_product();
            if let Some(mean) = self.mean(middle) {
                sum += mean * weight;
                weights += weight;
            }
        }
        (weights > 0.0).then(|| sum / weights)
    }
}

/// Mixes the colours of a neighbourhood, as wide as the blur of a texture is of its side.
pub(super) fn blur(soup: &mut Soup, level: f32) -> f64 {
    let cells = Cells::of(soup, 0.07 * level * soup.diagonal());
    recolor(soup, |place, color| cells.smooth(place).unwrap_or(color))
}

/// Cubes become their mean colour. At level 1 eight are as long as the diagonal.
pub(super) fn low_resolution(soup: &mut Soup, level: f32) -> Result<f64, DamageError> {
    /// At level 0.
    const FINEST: f32 = 512.0;
    let edge = libm::powf(FINEST / 8.0, level) / FINEST;
    let cells = Cells::of(soup, edge * soup.diagonal());
    recolor(soup, |place, color| {
        let at = cell((place - cells.low) / cells.edge);
        cells.mean(at).unwrap_or(color)
    });
    Ok(f64::from(edge))
}

/// Grains, 192 to the diagonal, are moved by chance, each channel for itself.
pub(super) fn noise(soup: &mut Soup, level: f32, rng: CounterRng) -> f64 {
    let (low, edge) = (soup.bounds().0, soup.diagonal() / 192.0);
    recolor(soup, |place, color| {
        let at = cell((place - low) / edge);
        let grain = at.iter().fold(0, |sum, &at| sum * 256 + at as u64);
        let by = |c: u64| rng.signed(3 * grain + c) * 110.0 / 255.0 * level;
        color + Vec3::new(by(0), by(1), by(2))
    })
}
