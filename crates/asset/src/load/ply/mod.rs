//! `.ply` → one mesh: ascii and binary of both byte orders; vertices with normals, colours and texture coordinates; polygons and triangle strips with colours
//! and texture coordinates of their own; one picture (`comment TextureFile`, as MeshLab writes it).
//!
//! A file of points only is drawn as dots; Gaussian splats are refused: they have no surface. Other elements and properties are passed over.
//! PLY files make no promise about winding: the material is double-sided. Where vertices and faces both have colours, those of the vertices count.

mod body;
mod header;

use super::dots::{self, Sketch};
use super::error::LoadError;
use super::faces::{Faces, Missing};
use super::files::Folder;
use super::limits::{EAR_STEPS_MAX, FILE_BYTES_MAX, PLY_CORNERS_MAX, TRIANGLES_MAX, VERTICES_MAX};
use super::normals_policy::{NormalsPolicy, NormalsSource};
use super::parts::Parts;
use super::polygon::triangulate;
use super::texture::{Asset, Bank, Recipe};
use super::vertex_color::linear_colors;
use super::warning::{Warning, Warnings};
use crate::scene::{AlphaMode, ColorSpace, Material, TextureRef, UvTransform, ViewScale, Wrap};
use body::{BodyProblem, Cursor, Plan, Row};
use glam::{DMat3, DVec3, Vec2, Vec4};
use header::{Element, Encoding, Header};
use std::path::Path;

/// What reading a PLY file needs besides its bytes.
pub(super) struct Reader<'a> {
    pub path: &'a Path,
    pub world_from_file: DMat3,
    pub view_scale: Option<&'a ViewScale>,
    pub policy: NormalsPolicy,
    pub folder: &'a mut Folder,
    pub warnings: &'a mut Warnings,
}

impl Reader<'_> {
    /// Reads the file and the picture that it names.
    pub(super) fn load(self, bytes: &[u8]) -> Result<(Parts, NormalsSource), LoadError> {
        let header = header::read(bytes).map_err(|(line, problem)| LoadError::Line {
            line,
            problem,
            path: self.path.to_path_buf(),
        })?;
        self.refuse_splats(&header)?;
        let body_problem = |problem: BodyProblem| match header.encoding {
            Encoding::Ascii => LoadError::Line {
                line: 1 + bytes[..problem.at].iter().filter(|&&b| b == b'\n').count(),
                problem: problem.text,
                path: self.path.to_path_buf(),
            },
            _ => LoadError::Malformed {
                format: "PLY",
                reason: format!("{}, at byte {}", problem.text, problem.at),
                path: self.path.to_path_buf(),
            },
        };
        let mut body = Body {
            world_from_file: self.world_from_file,
            faces: Faces::default(),
            steps_left: EAR_STEPS_MAX,
            large_polygons: 0,
            texture_numbers: false,
        };
        let mut cursor = Cursor::new(bytes, header.body_start, header.encoding);
        for element in &header.elements {
            let max = match element.name.as_str() {
                "vertex" => Some(VERTICES_MAX),
                "face" => Some(TRIANGLES_MAX),
                _ => None,
            };
            if let Some(max) = max.filter(|&max| element.count > max) {
                return Err(LoadError::TooLarge {
                    what: format!("rows of {:?}", element.name),
                    found: element.count,
                    max,
                    path: self.path.to_path_buf(),
                });
            }
            match element.name.as_str() {
                "vertex" => body.vertices(element, &mut cursor),
                "face" => body.faces(element, &mut cursor),
                "tristrips" => body.strips(element, &mut cursor),
                _ => cursor.read(
                    element,
                    &Plan::new(element, &[], &[]),
                    &mut Row::default(),
                    |_| Ok(()),
                ),
            }
            .map_err(body_problem)?;
        }
        // Strips have no attributes of their own.
        let count = body.faces.triangles.len();
        body.faces.face_colors.take_if(|list| list.len() != count);
        body.faces.corner_uvs.take_if(|list| list.len() != count);
        self.finish(body, &header)
    }

    /// Splats have no surface that could be drawn or measured.
    fn refuse_splats(&self, header: &Header) -> Result<(), LoadError> {
        let Some(vertex) = (header.elements.iter()).find(|e| e.name == "vertex") else {
            return Ok(()); // an empty scene, which says so itself
        };
        if (["x", "y", "z"].iter()).any(|name| vertex.scalar(&[name]).is_none()) {
            return Err(LoadError::Malformed {
                format: "PLY",
                reason: "its vertices have no x, y and z".to_owned(),
                path: self.path.to_path_buf(),
            });
        }
        let is_splat = ["f_dc_0", "opacity", "rot_0", "scale_0"]
            .iter()
            .all(|name| vertex.scalar(&[name]).is_some())
            || (header.elements.iter())
                .any(|e| e.name == "chunk" && e.scalar(&["min_scale_x"]).is_some());
        if is_splat {
            return Err(LoadError::NoSurface {
                what: "a PLY file of Gaussian splats",
                path: self.path.to_path_buf(),
            });
        }
        Ok(())
    }

    fn finish(self, body: Body, header: &Header) -> Result<(Parts, NormalsSource), LoadError> {
        self.warnings
            .count(body.large_polygons, |count| Warning::LargePolygons {
                count,
            });
        let has_uvs = body.faces.uvs.is_some() || body.faces.corner_uvs.is_some();
        let lowest_alpha = (body.faces.colors.iter().chain(&body.faces.face_colors))
            .flatten()
            .fold(1.0_f32, |low, color| low.min(color.w));
        let (mesh, source) = match header.has_faces() {
            true => (body.faces).into_mesh(self.policy, Missing::Creases, self.warnings),
            false => {
                let sketch = Sketch {
                    points: body.faces.positions,
                    colors: body.faces.colors,
                    ..Sketch::default()
                };
                let mesh = dots::draw(vec![sketch], &[], self.warnings).pop();
                (mesh.unwrap_or_default(), NormalsSource::default())
            }
        };
        let mut material = Material {
            double_sided: true,
            alpha_mode: if lowest_alpha < 1.0 {
                AlphaMode::Blend
            } else {
                AlphaMode::Opaque
            },
            ..Material::default()
        };
        let mut bank = Bank::default();
        if let Some(name) = header.texture_files.first() {
            if header.texture_files.len() > 1 || body.texture_numbers {
                self.warnings.add(Warning::MaterialFeature {
                    feature: "more than one picture in a PLY file",
                    count: 1,
                });
            }
            let bytes = if has_uvs {
                self.folder
                    .read(name, FILE_BYTES_MAX)
                    .map_err(|e| e.to_string())
            } else {
                Err("the file has no texture coordinates".to_owned())
            };
            match bytes {
                Ok(bytes) => {
                    let image = bank.image(name.clone(), Some(bytes.into()));
                    let recipe = Recipe::plain(image);
                    material.base_color_texture = Some(TextureRef {
                        texture: bank.texture(recipe, ColorSpace::Srgb, [Wrap::Repeat; 2]),
                        uv_set: 0,
                        transform: UvTransform::IDENTITY,
                    });
                }
                Err(reason) => self.warnings.add(Warning::Texture {
                    name: super::files::shorten(name),
                    reason,
                }),
            }
        }
        let mut materials = vec![material];
        let meshes = vec![mesh];
        let asset = Asset::new(self.path, self.folder, &meshes, self.view_scale);
        let textures = bank.finish(&mut materials, &asset, self.warnings)?;
        Ok(((meshes, materials, textures), source))
    }
}

/// What was read so far.
struct Body {
    world_from_file: DMat3,
    faces: Faces,
    steps_left: u64,
    large_polygons: u64,
    /// A face names a picture other than the first.
    texture_numbers: bool,
}

/// Names of colour properties: the usual, then those of older scanners.
const COLOR_NAMES: [&[&str]; 4] = [
    &["red", "r", "diffuse_red"],
    &["green", "g", "diffuse_green"],
    &["blue", "b", "diffuse_blue"],
    &["alpha", "a"],
];

/// Columns of red, green, blue and alpha, if the first three are there, and what stands for 1 in each.
fn color_columns(element: &Element) -> Option<([Option<usize>; 4], [f64; 4])> {
    let columns = COLOR_NAMES.map(|names| element.scalar(names));
    let full = columns.map(|column| column.map_or(1.0, |c| element.properties[c].kind.full()));
    columns[..3]
        .iter()
        .all(Option::is_some)
        .then_some((columns, full))
}

/// sRGB and alpha of 0 to 1 → linear colours. An alpha of 0 everywhere is a column that was never filled in.
fn colors(raw: Vec<[f32; 4]>) -> Vec<Vec4> {
    let srgb: Vec<[f32; 3]> = raw.iter().map(|&[r, g, b, _]| [r, g, b]).collect();
    let highest = raw.iter().fold(0.0_f32, |high, color| high.max(color[3]));
    let scale = match highest {
        h if h <= 0.0 => None,
        h if h > 1.0 => Some(1.0 / 255.0),
        _ => Some(1.0),
    };
    (linear_colors(&srgb).into_iter().zip(raw))
        .map(|(color, [.., alpha])| match scale {
            Some(scale) if alpha.is_finite() => {
                color.truncate().extend((alpha * scale).clamp(0.0, 1.0))
            }
            _ => color,
        })
        .collect()
}

fn color_of(values: &[f64], full: [f64; 4]) -> [f32; 4] {
    std::array::from_fn(|i| (values[i] / full[i]) as f32)
}

impl Body {
    fn vertices(&mut self, element: &Element, cursor: &mut Cursor<'_>) -> Result<(), BodyProblem> {
        let all = |names: &[&[&str]]| -> Vec<Option<usize>> {
            names.iter().map(|names| element.scalar(names)).collect()
        };
        let normals = all(&[
            &["nx", "normal_x"],
            &["ny", "normal_y"],
            &["nz", "normal_z"],
        ]);
        let has_normals = normals.iter().all(Option::is_some);
        let uvs = all(&[&["s", "u", "texture_u"], &["t", "v", "texture_v"]]);
        let has_uvs = uvs.iter().all(Option::is_some);
        let color = color_columns(element);
        let mut columns = all(&[&["x"], &["y"], &["z"]]);
        columns.extend(normals);
        columns.extend(uvs);
        columns.extend(color.map_or([None; 4], |(columns, _)| columns));
        let mut row = Row {
            values: vec![0.0; columns.len()],
            lists: Vec::new(),
        };
        row.values[11] = color.map_or(1.0, |(_, full)| full[3]);
        let mut positions = Vec::new();
        let (mut out_normals, mut out_uvs, mut out_colors) = (Vec::new(), Vec::new(), Vec::new());
        let turn = self.world_from_file;
        let vector = |v: &[f64]| {
            if turn == DMat3::IDENTITY {
                DVec3::from_slice(v).as_vec3()
            } else {
                (turn * DVec3::from_slice(v)).as_vec3()
            }
        };
        cursor.read(
            element,
            &Plan::new(element, &columns, &[]),
            &mut row,
            |row| {
                positions.push(vector(&row.values[..3]));
                if has_normals {
                    out_normals.push(vector(&row.values[3..6]));
                }
                if has_uvs {
                    out_uvs.push(uv(row.values[6], row.values[7]));
                }
                if let Some((_, full)) = color {
                    out_colors.push(color_of(&row.values[8..], full));
                }
                Ok(())
            },
        )?;
        self.faces.positions = positions;
        self.faces.normals = has_normals.then_some(out_normals);
        self.faces.uvs = has_uvs.then_some(out_uvs);
        self.faces.colors = color.map(|_| colors(out_colors));
        Ok(())
    }

    fn faces(&mut self, element: &Element, cursor: &mut Cursor<'_>) -> Result<(), BodyProblem> {
        let color = color_columns(element);
        let mut columns = color.map_or([None; 4], |(columns, _)| columns).to_vec();
        columns.push(element.scalar(&["texnumber"]));
        let lists = [
            element.list(&["vertex_indices", "vertex_index"]),
            element.list(&["texcoord"]),
        ];
        let has_uvs = lists[1].is_some();
        let mut row = Row {
            values: vec![0.0; 5],
            lists: vec![Vec::new(); 2],
        };
        row.values[3] = color.map_or(1.0, |(_, full)| full[3]);
        let mut out_colors = Vec::new();
        let mut corners: Vec<u32> = Vec::new();
        let mut points = Vec::new();
        let mut cut = Vec::new();
        let faces = &mut self.faces;
        let mut corner_uvs = Vec::new();
        cursor.read(
            element,
            &Plan::new(element, &columns, &lists),
            &mut row,
            |row| {
                corners.clear();
                for &index in &row.lists[0] {
                    corners.push(vertex(index, faces.positions.len())?);
                }
                if corners.len() < 3 {
                    return Ok(()); // a point or a line
                }
                if corners.len() > PLY_CORNERS_MAX {
                    return Err(format!(
                        "a face has {} corners, but at most {PLY_CORNERS_MAX} are accepted",
                        corners.len()
                    ));
                }
                cut.clear();
                if corners.len() == 3 {
                    cut.push([0, 1, 2]);
                } else {
                    points.clear();
                    points.extend(
                        corners
                            .iter()
                            .map(|&v| faces.positions[v as usize].as_dvec3()),
                    );
                    let is_good = triangulate(&points, &mut self.steps_left, &mut cut);
                    self.large_polygons += u64::from(!is_good);
                }
                if (faces.triangles.len() + cut.len()) as u64 > TRIANGLES_MAX {
                    return Err(format!("there are more than {TRIANGLES_MAX} triangles"));
                }
                faces
                    .triangles
                    .extend(cut.iter().map(|t| t.map(|i| corners[i])));
                if let Some((_, full)) = color {
                    let own = color_of(&row.values, full);
                    out_colors.extend(cut.iter().map(|_| own));
                }
                if has_uvs {
                    let at = |i: usize| match row.lists[1].get(2 * i..2 * i + 2) {
                        Some(&[u, v]) => uv(u, v),
                        _ => Vec2::ZERO,
                    };
                    corner_uvs.extend(cut.iter().map(|t| t.map(at)));
                }
                self.texture_numbers |= row.values[4] > 0.0;
                Ok(())
            },
        )?;
        self.faces.face_colors = color.map(|_| colors(out_colors));
        self.faces.corner_uvs = has_uvs.then_some(corner_uvs);
        Ok(())
    }

    /// Strips of the Stanford scans: −1 ends one.
    fn strips(&mut self, element: &Element, cursor: &mut Cursor<'_>) -> Result<(), BodyProblem> {
        let lists = [element.list(&["vertex_indices", "vertex_index"])];
        let mut row = Row {
            values: Vec::new(),
            lists: vec![Vec::new()],
        };
        let faces = &mut self.faces;
        cursor.read(element, &Plan::new(element, &[], &lists), &mut row, |row| {
            for strip in row.lists[0].split(|&index| index < 0.0) {
                for (i, window) in strip.windows(3).enumerate() {
                    let mut corners = [0; 3];
                    for (corner, &index) in corners.iter_mut().zip(window) {
                        *corner = vertex(index, faces.positions.len())?;
                    }
                    if i % 2 == 1 {
                        corners.swap(1, 2);
                    }
                    let [a, b, c] = corners;
                    if a != b && b != c && c != a {
                        faces.triangles.push(corners);
                    }
                }
            }
            if faces.triangles.len() as u64 > TRIANGLES_MAX {
                return Err(format!("there are more than {TRIANGLES_MAX} triangles"));
            }
            Ok(())
        })
    }
}

/// PLY counts v from the bottom of the picture, as MeshLab and Blender write it.
fn uv(u: f64, v: f64) -> Vec2 {
    Vec2::new(u as f32, (1.0 - v) as f32)
}

fn vertex(index: f64, count: usize) -> Result<u32, String> {
    if index >= 0.0 && index < count as f64 && index == index.trunc() {
        Ok(index as u32)
    } else {
        Err(format!(
            "a face refers to vertex {index}, but only {count} come before it"
        ))
    }
}
