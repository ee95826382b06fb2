//! `.ply` → one mesh: ascii and binary of both byte orders; vertices with normals, colours and
//! texture coordinates; polygons and triangle strips with colours and texture coordinates of their
//! own; one picture (`comment TextureFile`, as MeshLab writes it).
//!
//! A file of points only is drawn as dots; files of Gaussian splats are left to another reader.
//! Other elements and properties are skipped. PLY files promise no winding: the material is
//! double-sided. Where vertices and faces both have colours, those of the vertices count.

mod body;

use super::dots::{self, Sketch};
use super::error::LoadError;
use super::faces::{Faces, Missing};
use super::files::Folder;
use super::frame::FileFrame;
use super::ignored::{Place, note};
use super::limits::{EAR_STEPS_MAX, FILE_BYTES_MAX, PLY_CORNERS_MAX, TRIANGLES_MAX, VERTICES_MAX};
use super::normals_policy::NormalsSource;
use super::parts::Parts;
use super::polygon::triangulate;
use super::reading::Reading;
use super::sides::cut_sides_alike;
use super::texture::{Asset, Bank, Recipe};
use super::vertex_color::{Range, linear_colors};
use super::warning::Warning;
use crate::scene::{AlphaMode, ColorSpace, Material, Slot, TextureRef, Wrap};
use body::{BodyProblem, Cursor, Plan, Row};
use glam::{DVec3, Vec2, Vec4};
use meshjudge_splat::ply_header::{self, Element, Encoding, Header};
use std::borrow::Cow;

/// Reads the file and the picture that it names.
pub(super) fn load(
    bytes: &[u8],
    reading: &mut Reading<'_>,
    folder: &mut Folder,
) -> Result<Parts, LoadError> {
    Reader { reading, folder }.load(bytes)
}

struct Reader<'r, 'a> {
    reading: &'r mut Reading<'a>,
    folder: &'r mut Folder,
}

impl Reader<'_, '_> {
    fn load(mut self, bytes: &[u8]) -> Result<Parts, LoadError> {
        let path = self.reading.path;
        let header = ply_header::read(bytes).map_err(|(line, problem)| LoadError::Line {
            line,
            problem,
            path: path.to_path_buf(),
        })?;
        self.refuse_splats(&header)?;
        self.note_ignored(&header);
        let body_problem = |problem: BodyProblem| match header.encoding {
            Encoding::Ascii if !problem.is_cut_off => LoadError::Line {
                line: 1 + bytes[..problem.at].iter().filter(|&&b| b == b'\n').count(),
                problem: problem.text,
                path: path.to_path_buf(),
            },
            _ => {
                let reason = format!("{}, at byte {}", problem.text, problem.at);
                if problem.is_cut_off {
                    LoadError::incomplete("PLY", reason, path)
                } else {
                    LoadError::malformed("PLY", reason, path)
                }
            }
        };
        let mut body =
            Body { frame: &self.reading.frame, steps_left: EAR_STEPS_MAX, read: Read::default() };
        let start = || Cursor::new(bytes, header.body_start, header.encoding);
        let skip = |cursor: &mut Cursor<'_>, element: &Element| {
            let nothing = Plan::new(element, &[], &[]);
            cursor.read(element, &nothing, &mut Row::default(), |_| Ok(()))
        };
        // The header sets the order. Faces need vertices: these come first, wherever they are.
        let vertex_at = header.elements.iter().position(|e| e.name == "vertex").unwrap_or(0);
        let are_late = vertex_at > 0;
        if are_late {
            let mut cursor = start();
            for element in &header.elements[..vertex_at] {
                skip(&mut cursor, element).map_err(body_problem)?;
            }
            self.check_rows(&header.elements[vertex_at])?;
            body.vertices(&header.elements[vertex_at], &mut cursor).map_err(body_problem)?;
        }
        let mut cursor = start();
        for element in &header.elements {
            self.check_rows(element)?;
            match element.name.as_str() {
                "vertex" if !are_late => body.vertices(element, &mut cursor),
                "face" => body.faces(element, &mut cursor),
                "tristrips" => body.strips(element, &mut cursor),
                _ => skip(&mut cursor, element),
            }
            .map_err(body_problem)?;
        }
        // Strips have no attributes of their own.
        let count = body.read.faces.triangles.len();
        body.read.faces.face_colors.take_if(|list| list.len() != count);
        body.read.faces.corner_uvs.take_if(|list| list.len() != count);
        let Body { read, .. } = body;
        self.finish(read, &header)
    }

    fn check_rows(&self, element: &Element) -> Result<(), LoadError> {
        let max = match element.name.as_str() {
            "vertex" => VERTICES_MAX,
            "face" => TRIANGLES_MAX,
            _ => u64::MAX,
        };
        let what = format_args!("rows of {:?}", element.name);
        LoadError::limit(what, element.count, max, self.reading.path)
    }

    /// Warns of elements and properties that are not read.
    fn note_ignored(&mut self, header: &Header) {
        let normals_and_uvs = NORMAL_NAMES.iter().chain(&UV_NAMES).copied().flatten();
        let colors: Vec<&str> = COLOR_NAMES.iter().copied().flatten().copied().collect();
        let vertex: Vec<&str> = ["x", "y", "z"].iter().chain(normals_and_uvs).copied().collect();
        let warnings = &mut self.reading.warnings;
        for element in &header.elements {
            let read = match element.name.as_str() {
                "vertex" => [vertex.as_slice(), &colors],
                "face" => [&INDEX_NAMES[..], &colors],
                "tristrips" => [&INDEX_NAMES[..], &[]],
                name => {
                    note(Place::Element, name, warnings);
                    continue;
                }
            };
            let names = element.properties.iter().map(|property| property.name.as_str());
            let is_only_list = |name: &str| {
                element.only_list().is_some_and(|i| element.properties[i].name == name)
            };
            let others = names.filter(|name| !read.concat().contains(name) && !is_only_list(name));
            others.for_each(|name| note(Place::Property, name, warnings));
        }
    }

    /// Splats are for another reader.
    fn refuse_splats(&self, header: &Header) -> Result<(), LoadError> {
        let Some(vertex) = header.elements.iter().find(|e| e.name == "vertex") else {
            return Ok(()); // an empty scene, which says so itself
        };
        let has = |names: &[&str]| names.iter().all(|name| vertex.scalar(&[name]).is_some());
        let is_splat = has(&["rot_0", "scale_0"])
            || has(&["f_dc_0", "opacity"])
            || has(&["packed_position"])
            || header
                .elements
                .iter()
                .any(|e| e.name == "chunk" && e.scalar(&["min_scale_x"]).is_some());
        if is_splat {
            return Err(LoadError::NoSurface {
                what: "a PLY file of Gaussian splats".to_owned(),
                path: self.reading.path.to_path_buf(),
            });
        }
        if !has(&["x", "y", "z"]) {
            let reason = "its vertices have no x, y and z";
            return Err(LoadError::malformed("PLY", reason, self.reading.path));
        }
        Ok(())
    }

    fn finish(self, body: Read, header: &Header) -> Result<Parts, LoadError> {
        let Reading { options, view_scale, frame, warnings, normals, .. } = self.reading;
        body.color_range.warn(warnings);
        warnings.count(body.uncut_polygons, |count| Warning::UncutPolygons { count });
        let has_uvs = body.faces.uvs.is_some() || body.faces.corner_uvs.is_some();
        let lowest_alpha = body
            .faces
            .colors
            .iter()
            .chain(&body.faces.face_colors)
            .flatten()
            .fold(1.0_f32, |low, color| low.min(color.w));
        let (mesh, source) = if header.has_faces() {
            (body.faces).into_mesh(options.normals, Missing::Creases, warnings)
        } else {
            let sketch = Sketch {
                points: body.faces.positions,
                colors: body.faces.colors,
                ..Sketch::default()
            };
            let mesh = dots::draw(vec![sketch], &[], warnings).pop();
            (mesh.unwrap_or_default(), NormalsSource::default())
        };
        *normals = source;
        let meshes = vec![mesh];
        if !frame.settles(&meshes) {
            return Ok(Parts::default());
        }
        let mut material = Material {
            double_sided: true,
            alpha_mode: if lowest_alpha < 1.0 { AlphaMode::Blend } else { AlphaMode::Opaque },
            ..Material::default()
        };
        let mut bank = Bank::default();
        if let Some(name) = header.texture_files.first() {
            if header.texture_files.len() > 1 || body.texture_numbers {
                warnings.add(Warning::MaterialFeature {
                    feature: "more than one picture in a PLY file",
                    count: 1,
                });
            }
            let bytes = if has_uvs {
                self.folder
                    .find(std::slice::from_ref(name), FILE_BYTES_MAX, warnings)
                    .map(Cow::Owned)
                    .map_err(|problem| problem.to_string())
            } else {
                Err("the file has no texture coordinates".to_owned())
            };
            let recipe = Recipe::plain(bank.image(name.clone(), bytes, warnings));
            let texture = bank.texture(recipe, ColorSpace::Srgb, [Wrap::Repeat; 2]);
            material.textures[Slot::BaseColor] = Some(TextureRef::plain(texture));
        }
        let mut materials = vec![material];
        let asset = Asset::new(self.folder, &meshes, *view_scale);
        let (textures, images) = bank.finish(&mut materials, &asset, warnings);
        self.reading.file.images = images;
        Ok((meshes, materials, textures))
    }
}

/// What was read so far, and what reading takes.
struct Body<'f> {
    frame: &'f FileFrame,
    steps_left: u64,
    read: Read,
}

#[derive(Default)]
struct Read {
    faces: Faces,
    uncut_polygons: u64,
    /// A face names a picture other than the first.
    texture_numbers: bool,
    /// Colours in floating point are 0 to 255.
    color_range: Range,
}

/// Names of colour properties: the usual, then those of older scanners.
const COLOR_NAMES: [&[&str]; 4] = [
    &["red", "r", "diffuse_red"],
    &["green", "g", "diffuse_green"],
    &["blue", "b", "diffuse_blue"],
    &["alpha", "a"],
];

const NORMAL_NAMES: [&[&str]; 3] = [&["nx", "normal_x"], &["ny", "normal_y"], &["nz", "normal_z"]];
const UV_NAMES: [&[&str]; 2] = [&["s", "u", "texture_u"], &["t", "v", "texture_v"]];

/// Lists of faces and strips.
const INDEX_NAMES: [&str; 3] = ["vertex_indices", "vertex_index", "texcoord"];

/// Columns of red, green, blue and alpha, if the first three exist, and the value of 1 in each.
fn color_columns(element: &Element) -> Option<([Option<usize>; 4], [f64; 4])> {
    let columns = COLOR_NAMES.map(|names| element.scalar(names));
    let full = columns.map(|column| column.map_or(1.0, |c| element.properties[c].kind.full()));
    columns[..3].iter().all(Option::is_some).then_some((columns, full))
}

/// sRGB and alpha, 0 to 1 → linear colours. Alpha 0 everywhere is a column never filled in.
fn colors(raw: Vec<[f32; 4]>) -> Vec<Vec4> {
    let srgb: Vec<[f32; 3]> = raw.iter().map(|&[r, g, b, _]| [r, g, b]).collect();
    let highest = raw.iter().fold(0.0_f32, |high, color| high.max(color[3]));
    let scale = match highest {
        h if h <= 0.0 => None,
        h if h > 1.0 => Some(1.0 / 255.0),
        _ => Some(1.0),
    };
    linear_colors(&srgb)
        .into_iter()
        .zip(raw)
        .map(|(color, [.., alpha])| match scale {
            Some(scale) if alpha.is_finite() => {
                color.truncate().extend((alpha * scale).clamp(0.0, 1.0))
            }
            _ => color,
        })
        .collect()
}

/// Colours of 0 to 255 in wider integers, whose type says another value for 1. None is so dark.
fn widened(mut raw: Vec<[f32; 4]>, full: [f64; 4]) -> Vec<[f32; 4]> {
    const BYTE: f64 = 255.0;
    let largest = |i: usize| raw.iter().fold(0.0_f32, |high, color| high.max(color[i]));
    let [red, green, blue, alpha] = [0, 1, 2, 3].map(largest);
    let rgb = red.max(green).max(blue);
    for (i, (full, high)) in full.into_iter().zip([rgb, rgb, rgb, alpha]).enumerate() {
        if full > BYTE && f64::from(high) * full <= BYTE + 0.5 {
            raw.iter_mut().for_each(|color| color[i] *= (full / BYTE) as f32);
        }
    }
    raw
}

fn color_of(values: &[f64], full: [f64; 4]) -> [f32; 4] {
    std::array::from_fn(|i| (values[i] / full[i]) as f32)
}

impl Body<'_> {
    fn vertices(&mut self, element: &Element, cursor: &mut Cursor<'_>) -> Result<(), BodyProblem> {
        let all = |names: &[&[&str]]| -> Vec<Option<usize>> {
            names.iter().map(|names| element.scalar(names)).collect()
        };
        let normals = all(&NORMAL_NAMES);
        let has_normals = normals.iter().all(Option::is_some);
        let uvs = all(&UV_NAMES);
        let has_uvs = uvs.iter().all(Option::is_some);
        let color = color_columns(element);
        let mut columns = all(&[&["x"], &["y"], &["z"]]);
        columns.extend(normals);
        columns.extend(uvs);
        columns.extend(color.map_or([None; 4], |(columns, _)| columns));
        let mut row = Row { values: vec![0.0; columns.len()], lists: Vec::new() };
        row.values[11] = color.map_or(1.0, |(_, full)| full[3]);
        let mut positions = Vec::new();
        let (mut out_normals, mut out_uvs, mut out_colors) = (Vec::new(), Vec::new(), Vec::new());
        let frame = self.frame;
        cursor.read(element, &Plan::new(element, &columns, &[]), &mut row, |row| {
            positions.push(frame.point(DVec3::from_slice(&row.values[..3])));
            if has_normals {
                out_normals.push(frame.direction(DVec3::from_slice(&row.values[3..6])));
            }
            if has_uvs {
                out_uvs.push(uv(row.values[6], row.values[7]));
            }
            if let Some((_, full)) = color {
                out_colors.push(color_of(&row.values[8..], full));
            }
            Ok(())
        })?;
        self.read.faces.positions = positions;
        self.read.faces.normals = has_normals.then_some(out_normals);
        self.read.faces.uvs = has_uvs.then_some(out_uvs);
        self.read.color_range.see(out_colors.iter().map(|color| &color[..3]));
        self.read.faces.colors = color.map(|(_, full)| colors(widened(out_colors, full)));
        Ok(())
    }

    fn faces(&mut self, element: &Element, cursor: &mut Cursor<'_>) -> Result<(), BodyProblem> {
        let color = color_columns(element);
        let mut columns = color.map_or([None; 4], |(columns, _)| columns).to_vec();
        columns.push(element.scalar(&["texnumber"]));
        let lists = [
            element.list(&["vertex_indices", "vertex_index"]).or_else(|| element.only_list()),
            element.list(&["texcoord"]),
        ];
        let has_uvs = lists[1].is_some();
        let mut row = Row { values: vec![0.0; 5], lists: vec![Vec::new(); 2] };
        row.values[3] = color.map_or(1.0, |(_, full)| full[3]);
        let mut out_colors = Vec::new();
        let mut corners: Vec<u32> = Vec::new();
        let mut points = Vec::new();
        let mut cut = Vec::new();
        let faces = &mut self.read.faces;
        let mut corner_uvs = Vec::new();
        let mut polygons = Vec::new();
        cursor.read(element, &Plan::new(element, &columns, &lists), &mut row, |row| {
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
                points.extend(corners.iter().map(|&v| faces.positions[v as usize].as_dvec3()));
                let is_good = triangulate(&points, &mut self.steps_left, &mut cut);
                self.read.uncut_polygons += u64::from(!is_good);
            }
            if (faces.triangles.len() + cut.len()) as u64 > TRIANGLES_MAX {
                return Err(format!("there are more than {TRIANGLES_MAX} triangles"));
            }
            if cut.len() > 1 {
                polygons.push(faces.triangles.len()..faces.triangles.len() + cut.len());
            }
            faces.triangles.extend(cut.iter().map(|t| t.map(|i| corners[i])));
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
            self.read.texture_numbers |= row.values[4] > 0.0;
            Ok(())
        })?;
        cut_sides_alike(&faces.positions, &polygons, &mut faces.triangles, &mut corner_uvs);
        self.read.color_range.see(out_colors.iter().map(|color| &color[..3]));
        self.read.faces.face_colors = color.map(|(_, full)| colors(widened(out_colors, full)));
        self.read.faces.corner_uvs = has_uvs.then_some(corner_uvs);
        Ok(())
    }

    /// Strips of the Stanford scans: −1 ends one.
    fn strips(&mut self, element: &Element, cursor: &mut Cursor<'_>) -> Result<(), BodyProblem> {
        let lists = [element.list(&["vertex_indices", "vertex_index"])];
        let mut row = Row { values: Vec::new(), lists: vec![Vec::new()] };
        let faces = &mut self.read.faces;
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
        Err(format!("a face refers to vertex {index}, but there are {count}"))
    }
}
