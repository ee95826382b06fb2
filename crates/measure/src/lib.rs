//! Measures an asset: [`Scene`] → [`MeshFacts`], plain numbers about its surface. What `inspect`
//! prints and what the `probe` judge reads.
//!
//! Vertices at exactly equal positions are one vertex here (welded), so a texture seam is no hole.
//! Lengths are given relative to the diagonal of the box, areas relative to the whole surface, so
//! that a file's unit does not matter. Draws nothing, repairs nothing, judges nothing. The same
//! numbers on every machine and with any number of threads: sums run in a fixed order.

mod body;
mod boxes;
mod charts;
mod closest;
mod crossings;
mod dihedral;
mod edges;
mod facts;
mod holes;
mod labels;
mod manifold;
mod noise;
mod parts;
mod placement;
mod printing;
mod rays;
mod rotations;
mod shape;
mod size;
mod sum;
mod texturing;
mod triangles;
mod uv;
mod weld;

pub use self::body::Body;
pub use self::closest::Hit;
pub use self::labels::{By, NO_LABEL, labels};
pub use self::placement::{Placement, place};
pub use self::size::LARGE_TRIANGLES;
pub use self::triangles::TriangleShape;
pub use self::uv::uv_stretch;

pub use self::boxes::Boxes;
pub use self::rotations::{jacobi_sweep, right_angles};
pub use self::sum::sum_fixed;

pub use self::facts::{
    ChartFacts, Counts, CrossingFacts, DihedralFacts, EdgeFacts, Extent, Hole, HoleFacts,
    ManifoldFacts, MeshFacts, MeshFaults, Noise, OverhangFacts, PartFacts, QualityFacts,
    ReadyFacts, ShapeFacts, ShellFacts, TextureFacts, TriangleFacts, UvFacts, WallFacts,
};

use meshjudge_scene as scene;

use self::edges::Edges;
use self::weld::Surface;
use crate::scene::Scene;
use glam::Vec3;

/// Cosine between normals that differ by 90° or more, with room for rounding.
const HARD_COS: f32 = 1e-5;

/// Measures everything. About a second for a million triangles on two cores; needs about 85 bytes a
/// triangle while it runs.
pub fn measure(scene: &Scene) -> MeshFacts {
    let surface = Surface::of(scene);
    let edges = Edges::of(&surface);
    facts(scene, &surface, &edges)
}

/// As [`measure`], with the part of the surface that is kept for overlaying another.
pub fn measure_body(scene: &Scene) -> (MeshFacts, Body) {
    let surface = Surface::of(scene);
    let edges = Edges::of(&surface);
    let (facts, mut body) = surface
        .both(|| facts(scene, &surface, &edges), || Body::without_tree(scene, &surface, &edges));
    drop(edges);
    let Surface { positions, triangles, areas, normals, .. } = surface;
    drop((areas, normals));
    body.tree = closest::Tree::new(positions, triangles);
    (facts, body)
}

/// What [`measure`] leaves out: crossings, fans, triangles' shapes, texture coordinates. About two
/// seconds more for a million triangles.
pub fn measure_quality(scene: &Scene) -> QualityFacts {
    let surface = Surface::of(scene);
    let edges = Edges::of(&surface);
    QualityFacts {
        manifold: manifold::measure(&surface, &edges),
        crossings: crossings::measure(&surface),
        triangles: triangles::measure(&surface),
        uv: uv::measure(scene, &surface),
    }
}

/// Walls, hidden surface, overhangs, charts: what a use of the asset needs. About two seconds for
/// 200,000 triangles on two cores at most, and 100 bytes a triangle.
pub fn measure_ready(scene: &Scene) -> ReadyFacts {
    let surface = Surface::of(scene);
    let edges = Edges::of(&surface);
    let (wall, shells, seen) = rays::measure(&surface, &edges);
    let (overhang, hanging) = printing::measure(&surface);
    let mut meshes: Vec<MeshFaults> = seen
        .into_iter()
        .zip(hanging)
        .map(|([thin, hidden], overhang)| MeshFaults {
            thin,
            hidden,
            overhang,
            ..MeshFaults::default()
        })
        .collect();
    for edge in edges.iter(&surface) {
        let faults = &mut meshes[surface.mesh_of(edge.halves[0] as usize / 3)];
        match edge.faces {
            1 => faults.boundary += 1,
            2 => {
                let [a, b] = edge.halves.map(|half| surface.normals[half as usize / 3]);
                let have_areas = a != Vec3::ZERO && b != Vec3::ZERO;
                faults.hard += usize::from(have_areas && a.dot(b) < HARD_COS);
                faults.inconsistent += usize::from(!edge.is_regular(&surface));
            }
            _ => faults.non_manifold += 1,
        }
    }
    ReadyFacts {
        hard_edges: meshes.iter().map(|mesh| mesh.hard).sum(),
        wall,
        shells,
        overhang,
        charts: charts::measure(scene),
        meshes,
    }
}

fn facts(scene: &Scene, surface: &Surface, edges: &Edges) -> MeshFacts {
    let ((edge_facts, noise, dihedral), (holes, parts)) = surface.both(
        || {
            let mut turns = dihedral::Turns::default();
            (
                edges::facts(surface, edges),
                noise::measure(scene, surface, edges, &mut turns),
                turns.facts(surface),
            )
        },
        || (holes::measure(scene, surface, edges), parts::measure(surface)),
    );
    let in_file = |corner: Vec3| (corner.as_dvec3() + scene.origin()).as_vec3().to_array();
    let is_watertight =
        edge_facts.boundary == 0 && edge_facts.non_manifold == 0 && edge_facts.inconsistent == 0;
    MeshFacts {
        counts: Counts {
            triangles: scene.triangle_count(),
            vertices: scene.vertex_count(),
            welded_vertices: surface.positions.len(),
            meshes: scene.meshes().len(),
            materials: scene.materials().len(),
            textures: scene.textures().len(),
            degenerate_triangles: scene.degenerate() as usize
                + surface.areas.iter().filter(|&&area| area == 0.0).count(),
            duplicate_triangles: weld::duplicates(surface),
        },
        extent: Extent {
            min: in_file(scene.bounds().min),
            max: in_file(scene.bounds().max),
            diagonal: surface.diagonal,
        },
        is_watertight,
        edges: edge_facts,
        holes,
        parts,
        shape: shape::measure(surface, is_watertight),
        dihedral,
        noise,
        texture: texturing::measure(scene, surface),
    }
}
