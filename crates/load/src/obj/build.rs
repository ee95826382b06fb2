//! Faces with separate indices for positions, texture coordinates and normals → meshes with one
//! index, one mesh a material.

use super::super::clean::{retain, usable};
use super::super::frame::FileFrame;
use super::super::join::{Joined, Made, NONE};
use super::super::limits::EAR_STEPS_MAX;
use super::super::normals::{Smoothing, corner_normals};
use super::super::polygon::triangulate;
use super::super::sides;
use super::super::vertex_color::{Range, linear_colors};
use super::super::warning::{Warning, Warnings};
use super::scan::{NO_V, Scan};
use crate::normals_policy::NormalsSource;
use crate::scene::MeshParts;
use crate::scene::reading::NormalsPolicy;
use glam::{Vec2, Vec3, Vec4};

/// Triangles of the whole file, before vertices are joined.
struct Triangles {
    /// Corner numbers: places in `tobj`'s index lists.
    corners: Vec<[u32; 3]>,
    /// Index into [`Scan::runs`].
    runs: Vec<u32>,
}

/// Meshes in the order of their materials' first use; [`MeshParts::material`] is an index into the
/// list that comes with them (indices into [`Scan::materials`], `None` for faces without one).
pub(super) fn build(
    mesh: &tobj::Mesh,
    scan: &Scan,
    policy: NormalsPolicy,
    frame: &FileFrame,
    warnings: &mut Warnings,
) -> (Vec<MeshParts>, Vec<Option<usize>>, NormalsSource) {
    let positions: Vec<Vec3> = vectors(&mesh.positions)
        .map(|p| frame.direction(p.as_dvec3())) // `scan` has subtracted the origin
        .collect();
    frame.notice(positions.first().copied());
    let mut triangles = cut(mesh, scan, &positions, warnings);
    drop_broken(mesh, &positions, &mut triangles, warnings);
    let mut source = NormalsSource::default();
    let (normals, normal_of_corner) =
        normals(mesh, scan, policy, frame, &positions, &triangles, &mut source);
    let mut range = Range::default();
    range.see(mesh.vertex_color.chunks(3));
    range.warn(warnings);
    let uvs = mesh.texcoords.as_chunks::<2>().0;
    let is_undefined = |uv: &&[f32; 2]| !uv[0].is_finite() || uv[1].is_nan();
    let undefined = uvs.iter().filter(is_undefined).filter(|uv| uv[1] != NO_V).count();
    warnings.count(undefined as u64, |count| Warning::AttributeNotFinite {
        attribute: "texture coordinates",
        count,
    });
    let vertices = Vertices {
        positions: &positions,
        colors: linear_colors(mesh.vertex_color.as_chunks::<3>().0),
        uvs: mesh
            .texcoords
            .as_chunks::<2>()
            .0
            .iter()
            .take(if scan.has_texcoords { usize::MAX } else { 0 })
            // OBJ counts v from the bottom of the picture.
            .map(
                |&[u, v]| {
                    if u.is_nan() || v.is_nan() { Vec2::ZERO } else { Vec2::new(u, 1.0 - v) }
                },
            )
            .collect(),
        normals,
        mesh,
    };
    let (meshes, materials) = vertices.join(scan, &triangles, normal_of_corner.as_deref());
    (meshes, materials, source)
}

fn vectors(flat: &[f32]) -> impl Iterator<Item = Vec3> + '_ {
    flat.as_chunks::<3>().0.iter().map(|&v| Vec3::from_array(v))
}

fn cut(mesh: &tobj::Mesh, scan: &Scan, positions: &[Vec3], warnings: &mut Warnings) -> Triangles {
    let mut out = Triangles {
        corners: Vec::with_capacity(mesh.indices.len() / 3),
        runs: Vec::with_capacity(mesh.indices.len() / 3),
    };
    let mut first = 0_usize;
    let mut run = 0_usize;
    let mut points = Vec::new();
    let mut cut = Vec::new();
    let mut uncut = 0;
    let mut steps_left = EAR_STEPS_MAX;
    let starts = starts_of(mesh, scan.num_faces);
    let is_twin =
        sides::twins(if mesh.face_arities.is_empty() { 0 } else { scan.num_faces }, |face, see| {
            let range = starts[face]..starts.get(face + 1).map_or(mesh.indices.len(), |end| *end);
            let indices = mesh.indices.get(range).unwrap_or_default();
            indices.iter().for_each(|&i| see(positions[i as usize]));
        });
    for face in 0..scan.num_faces {
        while scan.runs.get(run + 1).is_some_and(|next| next.first_face <= face) {
            run += 1;
        }
        // `tobj` gives no list when all faces are triangles.
        let arity = mesh.face_arities.get(face).map_or(3, |&arity| arity as usize);
        let last = first + arity;
        let Some(indices) = mesh.indices.get(first..last) else {
            break;
        };
        if arity == 3 {
            out.corners.push([0, 1, 2].map(|i| (first + i) as u32));
            out.runs.push(run as u32);
        } else {
            // Two sides of one polygon are cut alike, whatever corner they begin with.
            let place = |&i: &u32| positions[i as usize].to_array().map(f32::to_bits);
            let turn = match is_twin.get(face) {
                Some(true) => (0..arity).min_by_key(|&k| place(&indices[k])).unwrap_or(0),
                _ => 0,
            };
            points.clear();
            let turned = (0..arity).map(|k| indices[(k + turn) % arity]);
            points.extend(turned.map(|i| positions[i as usize].as_dvec3()));
            cut.clear();
            uncut += u64::from(!triangulate(&points, &mut steps_left, &mut cut));
            for triangle in &cut {
                out.corners.push(triangle.map(|i| (first + (i + turn) % arity) as u32));
                out.runs.push(run as u32);
            }
        }
        first = last;
    }
    warnings.count(uncut, |count| Warning::UncutPolygons { count });
    out
}

/// The first corner of each face.
fn starts_of(mesh: &tobj::Mesh, num_faces: usize) -> Vec<usize> {
    let mut next = 0;
    let arities = mesh.face_arities.iter().take(num_faces);
    let start = |&arity: &u32| {
        next += arity as usize;
        next - arity as usize
    };
    arities.map(start).collect()
}

/// Drops triangles with a broken vertex, and those without area.
fn drop_broken(
    mesh: &tobj::Mesh,
    positions: &[Vec3],
    triangles: &mut Triangles,
    warnings: &mut Warnings,
) {
    let place = |corner: u32| positions[mesh.indices[corner as usize] as usize];
    let corners = triangles.corners.iter().map(|corners| corners.map(place));
    if let Some(keep) = usable(corners, warnings) {
        retain(&mut triangles.corners, &keep);
        retain(&mut triangles.runs, &keep);
    }
}

/// The normals, and which of them each corner of each triangle has; no list means flat.
fn normals(
    mesh: &tobj::Mesh,
    scan: &Scan,
    policy: NormalsPolicy,
    frame: &FileFrame,
    positions: &[Vec3],
    triangles: &Triangles,
    source: &mut NormalsSource,
) -> (Vec<Vec3>, Option<Vec<[u32; 3]>>) {
    let count = triangles.corners.len() as u64;
    let groups: Vec<u32>;
    let smoothing = match policy {
        NormalsPolicy::Flat => {
            source.flat = count;
            return (Vec::new(), None);
        }
        NormalsPolicy::File if scan.has_normals && !mesh.normal_indices.is_empty() => {
            source.file = count;
            let of_corner = |corner: u32| mesh.normal_indices[corner as usize];
            // A corner without a normal in a file that has some: zero, which is drawn flat.
            let normals = vectors(&mesh.normals)
                .map(|n| if n.is_finite() { frame.direction(n.as_dvec3()) } else { Vec3::ZERO })
                .collect();
            let corners = triangles.corners.iter().map(|t| t.map(of_corner)).collect();
            return (normals, Some(corners));
        }
        NormalsPolicy::File if scan.has_groups => {
            groups = triangles.runs.iter().map(|&run| scan.runs[run as usize].group).collect();
            let flat = groups.iter().filter(|&&group| group == 0).count() as u64;
            source.flat = flat;
            source.smoothing_groups = count - flat;
            Smoothing::Groups(&groups)
        }
        NormalsPolicy::File => {
            source.creases = count;
            Smoothing::Creases
        }
        NormalsPolicy::Smooth => {
            source.smooth = count;
            Smoothing::All
        }
    };
    let indexed: Vec<[u32; 3]> =
        triangles.corners.iter().map(|t| t.map(|corner| mesh.indices[corner as usize])).collect();
    let computed = corner_normals(positions, &indexed, smoothing);
    (computed.normals, Some(computed.corners))
}

struct Vertices<'m> {
    positions: &'m [Vec3],
    colors: Vec<Vec4>,
    uvs: Vec<Vec2>,
    normals: Vec<Vec3>,
    mesh: &'m tobj::Mesh,
}

impl Vertices<'_> {
    fn join(
        &self,
        scan: &Scan,
        triangles: &Triangles,
        normal_of_corner: Option<&[[u32; 3]]>,
    ) -> (Vec<MeshParts>, Vec<Option<usize>>) {
        let material_of = |triangle: usize| scan.runs[triangles.runs[triangle] as usize].material;
        let mut materials: Vec<Option<usize>> = Vec::new();
        let mut slot_of_material = vec![NONE; scan.materials.len() + 1];
        let mut by_material: Vec<Vec<u32>> = Vec::new();
        for triangle in 0..triangles.corners.len() {
            let material = material_of(triangle);
            let slot = &mut slot_of_material[material.map_or(0, |m| m + 1)];
            if *slot == NONE {
                *slot = materials.len() as u32;
                materials.push(material);
                by_material.push(Vec::new());
            }
            by_material[*slot as usize].push(triangle as u32);
        }
        let mut joined = Joined::new(self.positions.len());
        let meshes = by_material
            .iter()
            .enumerate()
            .map(|(material, own)| {
                self.mesh_of(own, material, triangles, normal_of_corner, &mut joined)
            })
            .collect();
        (meshes, materials)
    }

    fn uv_of(&self, corner: usize) -> u32 {
        if self.uvs.is_empty() {
            return NONE;
        }
        self.mesh.texcoord_indices.get(corner).copied().unwrap_or(NONE)
    }

    fn mesh_of(
        &self,
        own: &[u32],
        material: usize,
        triangles: &Triangles,
        normal_of_corner: Option<&[[u32; 3]]>,
        joined: &mut Joined<[u32; 2]>,
    ) -> MeshParts {
        let mut parts = MeshParts {
            material,
            triangles: Vec::with_capacity(own.len()),
            ..MeshParts::default()
        };
        for &triangle in own {
            let corners = triangles.corners[triangle as usize];
            parts.triangles.push(std::array::from_fn(|k| {
                let corner = corners[k] as usize;
                let normal = normal_of_corner.map_or(NONE, |n| n[triangle as usize][k]);
                joined.vertex(self.mesh.indices[corner], [self.uv_of(corner), normal])
            }));
        }
        let made = joined.take();
        parts.positions = made.iter().map(|v| self.positions[v.place as usize]).collect();
        if !self.colors.is_empty() {
            let color = |vertex: &Made<_>| self.colors.get(vertex.place as usize).copied();
            parts.colors = Some(made.iter().map(|v| color(v).unwrap_or(Vec4::ONE)).collect());
        }
        if !self.uvs.is_empty() {
            let uv = |vertex: &Made<[u32; 2]>| self.uvs.get(vertex.kind[0] as usize).copied();
            parts.uv_sets = vec![made.iter().map(|v| uv(v).unwrap_or(Vec2::ZERO)).collect()];
        }
        if normal_of_corner.is_some() {
            let normal =
                |vertex: &Made<[u32; 2]>| self.normals.get(vertex.kind[1] as usize).copied();
            parts.normals = Some(made.iter().map(|v| normal(v).unwrap_or(Vec3::ZERO)).collect());
        }
        parts
    }
}
