//! Triangles as PLY and STL files have them (attributes at vertices, at faces or at corners) → one [`MeshParts`] with the normals that were asked for.

use super::clean::clean;
use super::normals::{Smoothing, corner_normals};
use super::normals_policy::{NormalsPolicy, NormalsSource};
use super::warning::{Warning, Warnings};
use crate::scene::MeshParts;
use glam::{DVec3, Vec2, Vec3, Vec4};

/// What a file holds. Indices are in range; lists at vertices have one length, lists at triangles another.
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
        let (mut not_finite, mut without_area) = (0, 0);
        let keep: Vec<bool> = self
            .triangles
            .iter()
            .map(|corners| {
                let [a, b, c] = corners.map(|vertex| self.positions[vertex as usize].as_dvec3());
                let is_finite = a.is_finite() && b.is_finite() && c.is_finite();
                let has_area = (b - a).cross(c - a) != DVec3::ZERO;
                not_finite += u64::from(!is_finite);
                without_area += u64::from(is_finite && !has_area);
                is_finite && has_area
            })
            .collect();
        if not_finite + without_area > 0 {
            retain(&mut self.triangles, &keep);
            self.face_colors.iter_mut().for_each(|l| retain(l, &keep));
            self.corner_uvs.iter_mut().for_each(|l| retain(l, &keep));
        }
        warnings.count(not_finite, |triangles| Warning::NotFinite { triangles });
        warnings.count(without_area, |faces| Warning::Degenerate { faces });
    }

    /// Makes a vertex for each combination of position, normal, colour and texture coordinates that a corner has.
    fn split(&self, normals: &[Vec3], normal_of_corner: Option<&[[u32; 3]]>) -> MeshParts {
        let mut made: Vec<Made> = Vec::with_capacity(self.positions.len());
        let mut latest = vec![NONE; self.positions.len()];
        let triangles = self
            .triangles
            .iter()
            .enumerate()
            .map(|(triangle, corners)| {
                std::array::from_fn(|k| {
                    let wanted = Made {
                        vertex: corners[k],
                        normal: normal_of_corner.map_or(NONE, |n| n[triangle][k]),
                        color: self.face_colors.as_ref().map(|c| c[triangle]),
                        uv: self.corner_uvs.as_ref().map(|uvs| uvs[triangle][k]),
                        before: latest[corners[k] as usize],
                    };
                    let mut known = wanted.before;
                    for _ in 0..SEARCH_MAX {
                        match made.get(known as usize) {
                            Some(vertex) if vertex.is_same(&wanted) => return known,
                            Some(vertex) => known = vertex.before,
                            None => break,
                        }
                    }
                    latest[corners[k] as usize] = made.len() as u32;
                    made.push(wanted);
                    made.len() as u32 - 1
                })
            })
            .collect();
        fn at<T: Copy>(list: &[T], made: &[Made]) -> Vec<T> {
            made.iter().map(|v| list[v.vertex as usize]).collect()
        }
        let from_corners = |of: fn(&Made) -> Option<Vec2>| made.iter().map_while(of).collect();
        MeshParts {
            positions: at(&self.positions, &made),
            normals: match normal_of_corner {
                Some(_) => Some(made.iter().map(|v| normals[v.normal as usize]).collect()),
                None => self.normals.as_ref().map(|list| at(list, &made)),
            },
            colors: match &self.face_colors {
                Some(_) => Some(made.iter().map_while(|v| v.color).collect()),
                None => self.colors.as_ref().map(|list| at(list, &made)),
            },
            uv_sets: match (&self.corner_uvs, &self.uvs) {
                (Some(_), _) => vec![from_corners(|v| v.uv)],
                (None, Some(uvs)) => vec![at(uvs, &made)],
                (None, None) => Vec::new(),
            },
            triangles,
            ..MeshParts::default()
        }
    }
}

/// A vertex that was made, and the one made before it at the same vertex of the file.
#[derive(Clone, Copy)]
struct Made {
    vertex: u32,
    normal: u32,
    color: Option<Vec4>,
    uv: Option<Vec2>,
    before: u32,
}

impl Made {
    fn is_same(&self, other: &Self) -> bool {
        self.normal == other.normal && self.color == other.color && self.uv == other.uv
    }
}

const NONE: u32 = u32::MAX;

/// Vertices looked at before one more is made: a hostile fan of a million colours around one vertex must not take a million steps for each.
const SEARCH_MAX: usize = 64;

fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
    let mut kept = keep.iter().copied();
    list.retain(|_| kept.next().unwrap_or(false));
}
