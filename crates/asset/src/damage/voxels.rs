//! The object rebuilt from cubes.

use super::error::DamageError;
use super::refine::refine;
use super::rng::CounterRng;
use super::soup::{Corner, Soup, Triangle, middle};
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
                    let quad = face(key, axis, is_far, min, edge, *like);
                    soup.parts[*part].triangles.extend(quad);
                }
            }
        }
    }
    Ok(f64::from(edge / diagonal))
}

fn face(
    key: [i32; 3],
    axis: usize,
    is_far: bool,
    min: Vec3,
    edge: f32,
    like: Corner,
) -> [Triangle; 2] {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut normal = Vec3::ZERO;
    normal[axis] = if is_far { 1.0 } else { -1.0 };
    let corner = |at_u: i32, at_v: i32| {
        let mut at = key;
        at[axis] += i32::from(is_far);
        at[u] += at_u;
        at[v] += at_v;
        like.moved_to(min + Vec3::from_array(at.map(|c| c as f32)) * edge, normal)
    };
    let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(at_u, at_v)| corner(at_u, at_v));
    if is_far { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] }
}
