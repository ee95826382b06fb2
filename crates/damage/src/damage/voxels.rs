//! The object rebuilt from cubes.

use super::error::DamageError;
use super::refine::refine;
use super::rng::CounterRng;
use super::soup::{Corner, Soup, box_side, middle};
use glam::Vec3;
use std::collections::HashMap;

/// What a cube is coloured like: the corner nearest to its middle.
struct Cube {
    distance: f32,
    part: usize,
    like: Corner,
}

/// Returns the cubes' edge as a share of the diagonal.
pub(super) fn voxels(soup: &mut Soup, level: f32, _dice: CounterRng) -> Result<f64, DamageError> {
    let diagonal = soup.diagonal();
    let edge = (0.008 + 0.042 * level) * diagonal;
    refine(soup, 0.6 * edge)?;
    let (min, _) = soup.bounds();
    let mut cubes: HashMap<[i32; 3], Cube> = HashMap::new();
    for (number, part) in soup.parts.iter().enumerate() {
        for triangle in &part.triangles {
            let inside = Corner { position: middle(triangle), ..triangle[0] };
            for corner in triangle.iter().chain([&inside]) {
                let place = (corner.position - min) / edge;
                let key = place.to_array().map(|c| c.floor() as i32);
                let distance = (place - place.floor() - 0.5).length_squared();
                let cube = Cube { distance, part: number, like: *corner };
                let held = cubes.entry(key).or_insert(Cube { distance: f32::INFINITY, ..cube });
                if distance < held.distance {
                    *held = cube;
                }
            }
        }
    }
    let mut keys: Vec<[i32; 3]> = cubes.keys().copied().collect();
    keys.sort_unstable();
    for part in &mut soup.parts {
        part.triangles.clear();
        part.has_normals = true;
    }
    for key in keys {
        let Cube { part, like, .. } = &cubes[&key];
        for axis in 0..3 {
            for is_far in [false, true] {
                let mut next = key;
                next[axis] += if is_far { 1 } else { -1 };
                if !cubes.contains_key(&next) {
                    soup.parts[*part].triangles.extend(box_side(
                        axis,
                        is_far,
                        |is_high, normal| {
                            let at = [0, 1, 2].map(|k| (key[k] + i32::from(is_high[k])) as f32);
                            like.moved_to(min + Vec3::from_array(at) * edge, normal)
                        },
                    ));
                }
            }
        }
    }
    Ok(f64::from(edge / diagonal))
}
