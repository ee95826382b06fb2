//! Triangles as PLY and STL files have them (attributes at vertices, at faces or at corners) → one
//! [`MeshParts`] with the normals that were asked for.

use super::clean::{clean, retain, usable};
use super::join::{Joined, Made, NONE};
use super::normals::{Smoothing, corner_normals};
use super::normals_policy::NormalsSource;
use super::warning::Warnings;
use crate::scene::MeshParts;
use crate::scene::reading::NormalsPolicy;
use glam::{Vec2, Vec3, Vec4};

/// A file's content. Indices are in range; vertex lists have one length, triangle lists another.
#[derive(Debug, Default)]
pub(super) struct Faces {
    pub positions: Vec<Vec3>,
    /// One for each vertex.
    pub normals: Option<Vec<Vec3>>,
    /// One for each vertex, linear RGBA.
    pub colors: Option<Vec<Vec4>>,
    /// At vertices; v from the top of the picture.
    pub uvs: Option<Vec<Vec2>>,
    pub triangles: Vec<[u32; 3]>,
    /// At triangles; linear. Not used where there are colours at vertices.
    pub face_colors: Option<Vec<Vec4>>,
    /// At corners of triangles; they win over those at vertices.
    pub corner_uvs: Option<Vec<[Vec2; 3]>>,
}

/// What a triangle without normals in its file is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// Its own (STL: a normal for each face is what the format says).
    Flat,
    Creases,
}

impl Faces {
    /// One mesh with material 0.
    pub(super) fn into_mesh(
        mut self,
        policy: NormalsPolicy,
        missing: Missing,
        warnings: &mut Warnings,
    ) -> (MeshParts, NormalsSource) {
        self.drop_broken(warnings);
        let count = self.triangles.len() as u64;
        let mut source = NormalsSource::default();
        let smoothing = match policy {
            NormalsPolicy::File if self.normals.is_some() => {
                source.file = count;
                None
            }
            NormalsPolicy::File if missing == Missing::Creases => {
                source.creases = count;
                Some(Smoothing::Creases)
            }
            NormalsPolicy::File | NormalsPolicy::Flat => {
                self.normals = None;
                source.flat = count;
                None
            }
            NormalsPolicy::Smooth => {
                source.smooth = count;
                Some(Smoothing::All)
            }
        };
        if self.colors.is_some() {
            self.face_colors = None;
        }
        let computed =
            smoothing.map(|smoothing| corner_normals(&self.positions, &self.triangles, smoothing));
        let is_split =
            computed.is_some() || self.face_colors.is_some() || self.corner_uvs.is_some();
        let mut parts = if is_split {
            let (normals, corners) =
                computed.map_or((Vec::new(), None), |c| (c.normals, Some(c.corners)));
            self.split(&normals, corners.as_deref())
        } else {
            MeshParts {
                positions: self.positions,
                triangles: self.triangles,
                normals: self.normals,
                uv_sets: self.uvs.into_iter().collect(),
                colors: self.colors,
                ..MeshParts::default()
            }
        };
        clean(&mut parts, warnings);
        (parts, source)
    }

    /// Drops triangles with a vertex that is no finite number, and those without area.
    fn drop_broken(&mut self, warnings: &mut Warnings) {
        let corners = |triangle: &[u32; 3]| triangle.map(|vertex| self.positions[vertex as usize]);
        if let Some(keep) = usable(self.triangles.iter().map(corners), warnings) {
            retain(&mut self.triangles, &keep);
            self.face_colors.iter_mut().for_each(|l| retain(l, &keep));
            self.corner_uvs.iter_mut().for_each(|l| retain(l, &keep));
        }
    }

    /// One vertex per combination of position, normal, colour and texture coordinates at corners.
    fn split(&self, normals: &[Vec3], normal_of_corner: Option<&[[u32; 3]]>) -> MeshParts {
        let mut joined = Joined::new(self.positions.len());
        let triangles = self
            .triangles
            .iter()
            .enumerate()
            .map(|(triangle, corners)| {
                std::array::from_fn(|k| {
                    let own = Own {
                        normal: normal_of_corner.map_or(NONE, |n| n[triangle][k]),
                        color: self.face_colors.as_ref().map(|c| c[triangle]),
                        uv: self.corner_uvs.as_ref().map(|uvs| uvs[triangle][k]),
                    };
                    joined.vertex(corners[k], own)
                })
            })
            .collect();
        let made = joined.take();
        fn at<T: Copy>(list: &[T], made: &[Made<Own>]) -> Vec<T> {
            made.iter().map(|v| list[v.place as usize]).collect()
        }
        let from_corners = || made.iter().map_while(|v| v.kind.uv).collect();
        MeshParts {
            positions: at(&self.positions, &made),
            normals: match normal_of_corner {
                Some(_) => Some(made.iter().map(|v| normals[v.kind.normal as usize]).collect()),
                None => self.normals.as_ref().map(|list| at(list, &made)),
            },
            colors: match &self.face_colors {
                Some(_) => Some(made.iter().map_while(|v| v.kind.color).collect()),
                None => self.colors.as_ref().map(|list| at(list, &made)),
            },
            uv_sets: match (&self.corner_uvs, &self.uvs) {
                (Some(_), _) => vec![from_corners()],
                (None, Some(uvs)) => vec![at(uvs, &made)],
                (None, None) => Vec::new(),
            },
            triangles,
            ..MeshParts::default()
        }
    }
}

/// What a corner does not have from its vertex.
#[derive(PartialEq)]
struct Own {
    /// Index into the normals.
    normal: u32,
    color: Option<Vec4>,
    uv: Option<Vec2>,
}
