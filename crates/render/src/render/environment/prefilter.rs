//! A panorama → squares of directions: as is, averaged over rough lobes, and over hemispheres.

use super::panorama::Panorama;
use super::squares::{DIFFUSE_EDGE, SPECULAR_EDGES, bilinear, folded};
use glam::Vec3;

/// Places of a texel, along each edge, whose mean the sharpest square holds.
const PLACES: usize = 3;

/// Directions that the lobe of a rough surface is sampled by.
const SAMPLES: u32 = 192;

/// Edge of the square that irradiance is summed over.
const SUMMED_EDGE: usize = 64;

/// A square of directions without border, and each texel's share of the sphere, up to a factor.
struct Square {
    edge: usize,
    texels: Vec<Vec3>,
    shares: Vec<f32>,
}

/// All squares, one after another, each with its border.
pub(super) fn texels(panorama: &Panorama) -> Vec<[f32; 4]> {
    let sharpest = sharpest(panorama, SPECULAR_EDGES[0]);
    let mut pyramid = vec![sharpest];
    while pyramid[pyramid.len() - 1].edge > 4 {
        pyramid.push(pyramid[pyramid.len() - 1].halved());
    }
    let bordered: Vec<Vec<[f32; 4]>> = pyramid.iter().map(Square::bordered).collect();
    let mut out = bordered[0].clone();
    for (k, &edge) in SPECULAR_EDGES.iter().enumerate().skip(1) {
        let roughness = k as f32 / (SPECULAR_EDGES.len() - 1) as f32;
        let lobe = lobe(roughness);
        out.extend(averaged(edge, |normal| over_lobe(&bordered, &lobe, normal)));
    }
    let summed = pyramid.iter().find(|square| square.edge == SUMMED_EDGE).expect("halved to 4");
    let all: Vec<(Vec3, Vec3, f32)> = (0..SUMMED_EDGE * SUMMED_EDGE)
        .map(|k| {
            let direction = direction(SUMMED_EDGE, k % SUMMED_EDGE, k / SUMMED_EDGE);
            (direction, summed.texels[k], summed.shares[k])
        })
        .collect();
    out.extend(averaged(DIFFUSE_EDGE, |normal| {
        let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
        for &(direction, radiance, share) in &all {
            let weight = normal.dot(direction).max(0.0) * share;
            sum += radiance * weight;
            weights += weight;
        }
        sum / weights
    }));
    out
}

/// The unit vector of a place in the square, coordinates −1 to 1; the inverse of [`folded`].
fn unfolded(u: f32, v: f32) -> Vec3 {
    let y = 1.0 - u.abs() - v.abs();
    let below = (-y).max(0.0);
    let toward = |c: f32| if c >= 0.0 { c - below } else { c + below };
    Vec3::new(toward(u), y, toward(v)).normalize()
}

fn direction(edge: usize, column: usize, row: usize) -> Vec3 {
    let at = |k: usize| (k as f32 + 0.5) / edge as f32 * 2.0 - 1.0;
    unfolded(at(column), at(row))
}

/// Beyond an edge, the square continues with its other half, turned round: the place on the square.
fn wrapped(edge: usize, column: i64, row: i64) -> (usize, usize) {
    let last = edge as i64 - 1;
    let (mut x, mut y) = (column, row);
    if x < 0 || x > last {
        x = if x < 0 { -1 - x } else { 2 * last + 1 - x };
        y = last - y;
    }
    if y < 0 || y > last {
        y = if y < 0 { -1 - y } else { 2 * last + 1 - y };
        x = last - x;
    }
    (x.clamp(0, last) as usize, y.clamp(0, last) as usize)
}

fn sharpest(panorama: &Panorama, edge: usize) -> Square {
    let place = |column: usize, row: usize, k: usize| {
        let at = |texel: usize, k: usize| {
            let within = (k as f32 + 0.5) / PLACES as f32;
            (texel as f32 + within) / edge as f32 * 2.0 - 1.0
        };
        panorama.along(unfolded(at(column, k % PLACES), at(row, k / PLACES)))
    };
    let count = PLACES * PLACES;
    let texel = |k: usize| {
        let sum: Vec3 = (0..count).map(|p| place(k % edge, k / edge, p)).sum();
        sum / count as f32
    };
    let share = |k: usize| {
        let d = direction(edge, k % edge, k / edge);
        // An area of the octahedron, whose faces are at 1 / (|x| + |y| + |z|) along a unit vector,
        // seen from the middle.
        let sum = d.x.abs() + d.y.abs() + d.z.abs();
        sum * sum * sum
    };
    Square {
        edge,
        texels: parallel::of(edge * edge, texel),
        shares: (0..edge * edge).map(share).collect(),
    }
}

impl Square {
    /// Half the edge; every texel by its share of the sphere.
    fn halved(&self) -> Self {
        let edge = self.edge / 2;
        let four = |k: usize| {
            let (x, y) = (k % edge * 2, k / edge * 2);
            [0, 1, self.edge, self.edge + 1].map(|step| y * self.edge + x + step)
        };
        let share = |k: usize| four(k).iter().map(|&at| self.shares[at]).sum::<f32>();
        let texel = |k: usize| {
            let sum: Vec3 = four(k).iter().map(|&at| self.texels[at] * self.shares[at]).sum();
            sum / share(k)
        };
        Self {
            edge,
            texels: (0..edge * edge).map(texel).collect(),
            shares: (0..edge * edge).map(share).collect(),
        }
    }

    fn bordered(&self) -> Vec<[f32; 4]> {
        bordered(self.edge, &self.texels)
    }
}

fn bordered(edge: usize, texels: &[Vec3]) -> Vec<[f32; 4]> {
    let padded = edge + 2;
    let texel = |k: usize| {
        let (column, row) = ((k % padded) as i64 - 1, (k / padded) as i64 - 1);
        let (column, row) = wrapped(edge, column, row);
        texels[row * edge + column].extend(0.0).to_array()
    };
    (0..padded * padded).map(texel).collect()
}

/// A square of which every texel is computed from its direction.
fn averaged(edge: usize, of: impl Fn(Vec3) -> Vec3 + Sync) -> Vec<[f32; 4]> {
    let texel = |k: usize| of(direction(edge, k % edge, k / edge));
    let texels: Vec<Vec3> = parallel::of(edge * edge, texel);
    bordered(edge, &texels)
}

/// A sample of the light that a surface reflects to an eye right above it: its direction, z along
/// the normal, its weight, and the edge of the square in which a texel is about as large as the
/// sample's share of the sphere.
struct Sample {
    toward: Vec3,
    weight: f32,
    edge: f32,
}

/// GGX half vectors by Hammersley's points (Karis 2013), each averaged over its share of the sphere
/// (Křivánek and Colbert 2008, "Real-time Shading with Filtered Importance Sampling", eq. 13).
fn lobe(roughness: f32) -> Vec<Sample> {
    let alpha_squared = roughness * roughness * roughness * roughness;
    let sample = |k: u32| {
        let along = (k as f32 + 0.5) / SAMPLES as f32;
        let turn = k.reverse_bits() as f32 * (1.0 / 4_294_967_296.0) * std::f32::consts::TAU;
        let height_squared = (1.0 - along) / (1.0 + (alpha_squared - 1.0) * along);
        let height = height_squared.sqrt();
        let across = (1.0 - height_squared).max(0.0).sqrt();
        let half = Vec3::new(across * libm::cosf(turn), across * libm::sinf(turn), height);
        let toward = half * (2.0 * height) - Vec3::Z;
        let d = height_squared * (alpha_squared - 1.0) + 1.0;
        // Density of the light's direction: D · n·h / (4 v·h), where v is n.
        let density = alpha_squared / (std::f32::consts::PI * d * d) / 4.0;
        let steradians = 1.0 / (SAMPLES as f32 * density);
        let texels = 4.0 * std::f32::consts::PI / steradians;
        Sample { toward, weight: toward.z, edge: texels.sqrt() }
    };
    (0..SAMPLES).map(sample).filter(|sample| sample.weight > 0.0).collect()
}

fn over_lobe(pyramid: &[Vec<[f32; 4]>], lobe: &[Sample], normal: Vec3) -> Vec3 {
    let (side, other) = normal.any_orthonormal_pair();
    let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
    for sample in lobe {
        let toward = side * sample.toward.x + other * sample.toward.y + normal * sample.toward.z;
        let mut level = 0;
        let mut edge = SPECULAR_EDGES[0];
        while edge as f32 > sample.edge * std::f32::consts::SQRT_2 && level + 1 < pyramid.len() {
            (level, edge) = (level + 1, edge / 2);
        }
        sum += bilinear(&pyramid[level], edge, folded(toward)) * sample.weight;
        weights += sample.weight;
    }
    sum / weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_and_unfolding_are_each_others_reverse() {
        for k in 0..64 * 64 {
            let (u, v) = ((k % 64) as f32, (k / 64) as f32);
            let [u, v] = [u, v].map(|c| (c + 0.5) / 32.0 - 1.0);
            let [fu, fv] = folded(unfolded(u, v));
            assert!((fu - u).abs() < 1e-5 && (fv - v).abs() < 1e-5, "{u} {v}");
        }
    }

    #[test]
    fn the_border_goes_on_where_the_square_ends() {
        let edge = 64;
        for k in 0..edge as i64 {
            for (column, row) in [(-1, k), (edge as i64, k), (k, -1), (k, edge as i64)] {
                let (x, y) = wrapped(edge, column, row);
                // The nearest texel inside is a neighbour of the border's content.
                let inside =
                    direction(edge, column.clamp(0, 63) as usize, row.clamp(0, 63) as usize);
                assert!(direction(edge, x, y).dot(inside) > 0.99, "{column} {row}");
            }
        }
    }
}
