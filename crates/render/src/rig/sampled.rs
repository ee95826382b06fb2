//! Directions by formula and seed, as published data sets sample them.

use super::lens::Projection;
use super::view::View;
use crate::scene::draws::Draws;
use serde::Deserialize;

/// How directions are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Formula {
    /// Hammersley points: `u = (i + δ₁) / N`, `v = (i in base 2, mirrored at the point) + δ₂`;
    /// elevation `acos(1 − 2u) − 90°`, from below upwards.
    Hammersley,
    /// The same with `u` drawn towards the top, `2u` below ¼ and else `⅔u + ⅓`: three quarters of
    /// the views are above the horizon (TRELLIS's data).
    HammersleyUpper,
    /// Random points of a cube around the origin, normalised: denser towards its corners (Zero123).
    Cube,
    /// The vertices of an icosahedron whose triangles are cut in four as often as it takes to have
    /// as many (12, 42, 162, 642), in trimesh's order.
    Icosphere,
}

/// From an angle in the horizontal plane to our azimuth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AngleFrom {
    /// It is our azimuth: 0 at the front, growing towards +x.
    #[default]
    Front,
    /// ψ in Blender's world, direction (cos ψ, sin ψ), a glTF asset's front at −y: azimuth ψ + 90°.
    Blender,
    /// θ of TRELLIS's renderers, direction (sin θ, cos θ) in the same world: azimuth 180° − θ.
    Trellis,
}

impl AngleFrom {
    pub(super) fn azimuth(self, degrees: f64) -> f64 {
        match self {
            Self::Front => degrees,
            Self::Blender => degrees + 90.0,
            Self::Trellis => 180.0 - degrees,
        }
    }
}

/// A rig's `[sampled]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sampled {
    pub formula: Formula,
    pub views: usize,
    /// Moves Hammersley points by one random step for all; without it they stay where the formula
    /// puts them. Of random points another set.
    pub seed: Option<u64>,
    #[serde(default)]
    pub angle_from: AngleFrom,
    /// Distances drawn evenly between these.
    pub distance: Option<[f64; 2]>,
    /// Vertical fields of view, drawn so that `1 / distance²` is even where the sphere of this
    /// radius touches the picture's edge.
    pub fov_y_degrees: Option<[f64; 2]>,
    #[serde(default)]
    pub touching_radius: f64,
    /// Each direction again with each of these lenses, all at the rig's distance.
    #[serde(default)]
    pub each_fov_y_degrees: Vec<f64>,
}

/// Largest subdivision: 10 · 4³ + 2 vertices.
const CUTS_MAX: u32 = 3;

impl Sampled {
    /// The views, in order; `projection` is the rig's. `None` if the formula has no such count.
    pub(super) fn views(&self, projection: Projection) -> Option<Vec<View>> {
        let mut dice = Dice { draws: Draws::new(self.seed.unwrap_or(0)), index: 0 };
        let mut directions = Vec::with_capacity(self.views);
        match self.formula {
            Formula::Hammersley | Formula::HammersleyUpper => {
                let moved = [(); 2].map(|()| if self.seed.is_some() { dice.next() } else { 0.0 });
                for i in 0..self.views {
                    let u = (i as f64 + moved[0]) / self.views as f64;
                    let v = (radical_inverse(i as u32) + moved[1]).fract();
                    let u = match self.formula {
                        Formula::HammersleyUpper if u < 0.25 => 2.0 * u,
                        Formula::HammersleyUpper => 2.0 / 3.0 * u + 1.0 / 3.0,
                        _ => u,
                    };
                    let elevation = libm::acos(1.0 - 2.0 * u).to_degrees() - 90.0;
                    directions.push((self.angle_from.azimuth(360.0 * v), elevation));
                }
            }
            Formula::Cube => {
                while directions.len() < self.views {
                    let [x, y, z] = [(); 3].map(|()| 2.0 * dice.next() - 1.0);
                    if x * x + y * y + z * z > 1e-6 {
                        directions.push(angles([x, y, z]));
                    }
                }
            }
            Formula::Icosphere => {
                let vertices = (0..=CUTS_MAX).map(icosphere);
                let vertices = { vertices }.find(|vertices| vertices.len() == self.views)?;
                directions.extend(vertices.into_iter().map(|[x, y, z]| {
                    // The file's z points up: (x, z, −y) is ours.
                    let (azimuth, elevation) = angles([x, z, -y]);
                    // At both poles the picture's top is the file's y.
                    let is_south = elevation < -90.0 + 1e-9;
                    (if is_south { 180.0 } else { azimuth }, elevation)
                }));
            }
        }
        let mut views = Vec::new();
        for (azimuth, elevation) in directions {
            let mut view = View::at(azimuth.rem_euclid(360.0), elevation);
            if let Some([low, high]) = self.fov_y_degrees {
                let inverse = |fov: f64| {
                    let sine = libm::sin(fov.to_radians() / 2.0) / self.touching_radius;
                    sine * sine
                };
                let (low, high) = (inverse(low), inverse(high));
                let distance = 1.0 / (low + (high - low) * dice.next()).sqrt();
                let fov = 2.0 * libm::asin(self.touching_radius / distance).to_degrees();
                view.projection = Some(Projection::Perspective { fov_y_degrees: fov, distance });
            }
            if let (Some([low, high]), Projection::Perspective { fov_y_degrees, .. }) =
                (self.distance, projection)
            {
                view.projection = Some(Projection::Perspective {
                    fov_y_degrees,
                    distance: low + (high - low) * dice.next(),
                });
            }
            if self.each_fov_y_degrees.is_empty() {
                views.push(view);
                continue;
            }
            let Projection::Perspective { distance, .. } = projection else {
                return None;
            };
            let direction_idx = views.len() / self.each_fov_y_degrees.len();
            let lenses = self.each_fov_y_degrees.iter().enumerate();
            views.extend(lenses.map(|(lens_idx, &fov_y_degrees)| View {
                name: format!("{direction_idx:03}_{lens_idx}"),
                projection: Some(Projection::Perspective { fov_y_degrees, distance }),
                ..view.clone()
            }));
        }
        Some(views)
    }
}

/// Our azimuth and elevation of a direction in our world.
pub(super) fn angles([x, y, z]: [f64; 3]) -> (f64, f64) {
    let flat = libm::hypot(x, z);
    let azimuth = if flat < 1e-12 { 0.0 } else { libm::atan2(x, z).to_degrees() };
    (azimuth, libm::atan2(y, flat).to_degrees())
}

/// The digits of `i` in base 2, mirrored at the point.
fn radical_inverse(i: u32) -> f64 {
    f64::from(i.reverse_bits()) / 4_294_967_296.0
}

/// Numbers from 0 up to 1, one after another.
struct Dice {
    draws: Draws,
    index: u64,
}

impl Dice {
    fn next(&mut self) -> f64 {
        self.index += 1;
        self.draws.unit(self.index - 1)
    }
}

/// Unit vectors; new ones are behind old ones, sorted by the later, then the earlier of the two
/// between which they are.
fn icosphere(cuts: u32) -> Vec<[f64; 3]> {
    let long = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut vertices: Vec<[f64; 3]> = Vec::new();
    for turn in 0..3 {
        for (a, b) in [(-1.0, long), (1.0, long), (-1.0, -long), (1.0, -long)] {
            let mut vertex = [0.0; 3];
            vertex[turn] = a;
            vertex[(turn + 1) % 3] = b;
            vertices.push(vertex);
        }
    }
    // Neighbours are 2 apart. Each triple of neighbours is a triangle.
    let near = |a: &[f64; 3], b: &[f64; 3]| {
        (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>() < 4.1
    };
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let [p, q, r] = [a, b, c].map(|k| vertices[k]);
                if near(&p, &q) && near(&q, &r) && near(&p, &r) {
                    triangles.push([a, b, c]);
                }
            }
        }
    }
    let unit = |v: [f64; 3]| {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.map(|x| x / length)
    };
    vertices = vertices.into_iter().map(unit).collect();
    for _ in 0..cuts {
        let edge = |a: usize, b: usize| (a.max(b), a.min(b));
        let mut edges: Vec<_> =
            triangles.iter().flat_map(|&[a, b, c]| [edge(a, b), edge(b, c), edge(a, c)]).collect();
        edges.sort_unstable();
        edges.dedup();
        let first = vertices.len();
        let middle = |a, b| first + edges.partition_point(|&known| known < edge(a, b));
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ac) = (middle(a, b), middle(b, c), middle(a, c));
                [[a, ab, ac], [ab, b, bc], [ac, bc, c], [ab, bc, ac]]
            })
            .collect();
        let halfway = |&(a, b): &(usize, usize)| {
            let (a, b) = (vertices[a], vertices[b]);
            unit([a[0] + b[0], a[1] + b[1], a[2] + b[2]])
        };
        let new: Vec<_> = edges.iter().map(halfway).collect();
        vertices.extend(new);
    }
    vertices
}
