//! One primitive on one node → [`MeshParts`] in world space.

use super::super::clean::clean;
use super::super::dots::Sketch;
use super::super::error::LoadError;
use super::super::limits::{TRIANGLES_MAX, VERTICES_MAX};
use super::super::vertex_color::{BYTES_MIN, is_outside, srgb_to_linear};
use super::super::warning::{Warning, Warnings};
use super::deform::{Skin, morph};
use super::document::Document;
use super::vertices::{Used, colors_of, transform, vertices};
use crate::scene::reading::VertexColors;
use crate::scene::{Mesh, MeshParts};
use glam::{DAffine3, Vec2, Vec3, Vec4};
use gltf::json::mesh::{Mode, Primitive, Semantic};
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Index};
use std::collections::BTreeMap;

/// Counts over the whole asset, against the limits.
#[derive(Debug, Default)]
pub(super) struct Totals {
    triangles: u64,
    vertices: u64,
    /// See [`Used::of`].
    scratch: Vec<u32>,
    /// The largest component of accessors of colours that are used in part, by index.
    largest_colors: BTreeMap<usize, f32>,
}

/// A primitive on a node, or bent by a skin, which ignores the node (glTF 2.0, section 3.7.3.3).
pub(super) enum Place<'s> {
    Node(DAffine3),
    Skin(&'s Skin),
}

/// What a primitive holds.
pub(super) enum Read {
    Surface(MeshParts),
    /// Points or lines, with a material still to be set.
    Sketch(Sketch),
    /// No vertices.
    Nothing,
}

pub(super) fn read(
    document: &Document<'_>,
    primitive: &Primitive,
    (later_targets, weights): (&[BTreeMap<String, u32>], &[f32]),
    place: &Place<'_>,
    color_space: VertexColors,
    totals: &mut Totals,
    warnings: &mut Warnings,
) -> Result<Read, LoadError> {
    let Checked::Valid(mode) = primitive.mode else {
        return Err(document.broken("a primitive", "has a mode that glTF 2.0 does not know"));
    };
    let accessor = |semantic| primitive.attributes.get(&Checked::Valid(semantic)).copied();
    let Some(position) = accessor(Semantic::Positions) else {
        return Ok(Read::Nothing); // allowed: an extension may supply them (section 3.7.2.1)
    };
    let reader = document.reader(position)?;
    let count = reader.count;
    let is_sketch = matches!(mode, Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip);
    let (mut ends, mut triangles) = if is_sketch {
        (indices(document, primitive, count)?, Vec::new())
    } else {
        (Vec::new(), triangles(document, primitive, mode, count, totals, warnings)?)
    };
    let corners = if is_sketch { &mut ends[..] } else { triangles.as_flattened_mut() };
    let used = &Used::of(corners, count, &mut totals.scratch);
    totals.vertices += used.len() as u64;
    document.check_limit("vertices", totals.vertices, VERTICES_MAX)?;
    let mut positions: Vec<Vec3> = reader.floats_of(document, used.some(), Vec3::from_array)?;
    if is_sketch {
        let color = accessor(Semantic::Colors(0));
        let colors = color
            .map(|index| vertex_colors(document, index, used, color_space, (totals, warnings)));
        let vertices = (positions, colors.transpose()?);
        return Ok(Read::Sketch(sketch(vertices, ends, mode, place)));
    }
    let normals = accessor(Semantic::Normals)
        .map(|index| vertices(document, index, used, Vec3::from_array))
        .transpose()?;
    let tangents = accessor(Semantic::Tangents)
        .filter(|_| normals.is_some()) // without normals they must be ignored (section 3.7.2.1)
        .map(|index| vertices(document, index, used, Vec4::from_array))
        .transpose()?;
    let mut parts = MeshParts {
        triangles,
        uv_sets: uv_sets(document, primitive, used, warnings)?,
        colors: accessor(Semantic::Colors(0))
            .map(|index| vertex_colors(document, index, used, color_space, (totals, warnings)))
            .transpose()?,
        normals,
        tangents,
        ..MeshParts::default()
    };
    morph(document, primitive, later_targets, (weights, used), &mut positions, &mut parts)?;
    let (mut normals, mut tangents) = (parts.normals.take(), parts.tangents.take());
    let is_mirrored = match place {
        Place::Node(world_from_node) => {
            let is_mirrored =
                transform(*world_from_node, &mut positions, &mut normals, &mut tangents);
            vec![is_mirrored; positions.len()]
        }
        Place::Skin(skin) => {
            let turned = (&mut normals, &mut tangents);
            skin.bend(document, (primitive, used), &mut positions, turned, warnings)?
        }
    };
    for corners in &mut parts.triangles {
        // Section 3.7.4: a transform of negative determinant reverses the winding. A skin may
        // mirror one arm alone, so most corners decide.
        let num_mirrored = corners
            .iter()
            .filter(|&&corner| is_mirrored.get(corner as usize) == Some(&true))
            .count();
        if num_mirrored >= 2 {
            corners.swap(1, 2);
        }
    }
    parts.positions = positions;
    parts.normals = normals;
    parts.tangents = tangents;
    clean(&mut parts, warnings);
    Ok(Read::Surface(parts))
}

/// Points and lines where their node puts them; a skin's stay as they are bound. Vertices without
/// an index are none of them.
fn sketch(
    (mut positions, colors): (Vec<Vec3>, Option<Vec<Vec4>>),
    mut indices: Vec<u32>,
    mode: Mode,
    place: &Place<'_>,
) -> Sketch {
    let (mut named, mut new_of) = (Vec::new(), vec![None; positions.len()]);
    for index in &mut indices {
        let old = *index as usize;
        *index = *new_of[old].get_or_insert_with(|| {
            named.push(old);
            named.len() as u32 - 1
        });
    }
    positions = named.iter().map(|&old| positions[old]).collect();
    let colors = colors.map(|colors| named.iter().map(|&old| colors[old]).collect());
    if let Place::Node(world_from_node) = place {
        transform(*world_from_node, &mut positions, &mut None, &mut None);
    }
    let ends = |pair: &[u32]| [pair[0], pair[1]];
    let mut lines: Vec<[u32; 2]> = match mode {
        Mode::Lines => indices.chunks_exact(2).map(ends).collect(),
        Mode::LineLoop | Mode::LineStrip => indices.windows(2).map(ends).collect(),
        _ => Vec::new(),
    };
    if let (Mode::LineLoop, [first, .., last]) = (mode, indices.as_slice()) {
        lines.push([*last, *first]);
    }
    Sketch { points: positions, colors, lines, material: 0 }
}

/// All sets up to the last one present; a missing number has the coordinates of the next.
fn uv_sets(
    document: &Document<'_>,
    primitive: &Primitive,
    used: &Used,
    warnings: &mut Warnings,
) -> Result<Vec<Vec<Vec2>>, LoadError> {
    let accessor = |set| primitive.attributes.get(&Checked::Valid(Semantic::TexCoords(set)));
    let mut sets: Vec<Vec<Vec2>> = Vec::new();
    for set in (0..Mesh::UV_SETS_MAX as u32).rev() {
        match (accessor(set), sets.last()) {
            (Some(&index), _) => sets.push(vertices(document, index, used, Vec2::from_array)?),
            (None, Some(next)) => sets.push(next.clone()),
            (None, None) => {}
        }
    }
    sets.reverse();
    if accessor(Mesh::UV_SETS_MAX as u32).is_some() {
        warnings.add(Warning::UvSets { count: 1 });
    }
    Ok(sets)
}

/// The colours of a primitive in linear light. The specification calls them linear and normalised;
/// what cannot be that is read as bytes of 0 to 255, with a warning.
fn vertex_colors(
    document: &Document<'_>,
    index: Index<Accessor>,
    used: &Used,
    color_space: VertexColors,
    (totals, warnings): (&mut Totals, &mut Warnings),
) -> Result<Vec<Vec4>, LoadError> {
    let mut colors = colors_of(document, index, used, 1.0)?;
    // Primitives that share an accessor share its range, whichever part of it they use.
    let largest = match used.some() {
        None => largest(&colors),
        Some(_) => match totals.largest_colors.get(&index.value()) {
            Some(&known) => known,
            None => {
                let all = largest(&colors_of(document, index, &Used::all(used.count), 1.0)?);
                *totals.largest_colors.entry(index.value()).or_insert(all)
            }
        },
    };
    let range = match largest {
        l if l > BYTES_MIN && l <= 255.0 => 255.0,
        l if l > 255.0 && l <= 65535.0 => 65535.0,
        _ => 1.0,
    };
    if range > 1.0 {
        let is_rgb = document.reader(index)?.kind.multiplicity() == 3;
        for color in &mut colors {
            let alpha = if is_rgb { 1.0 } else { color.w / range };
            *color = (color.truncate() / range).extend(alpha);
        }
        warnings.add(Warning::ColorRange { count: 1, range: range as u32 });
    }
    let outside = colors.iter().filter(|color| is_outside(&color.to_array())).count();
    warnings.count(outside as u64, |count| Warning::ColorClamped { count });
    for color in colors.iter_mut().filter(|color| color.is_finite()) {
        *color = color.clamp(Vec4::ZERO, Vec4::ONE);
    }
    if color_space == VertexColors::Srgb {
        for color in &mut colors {
            let linear = color.truncate().to_array().map(srgb_to_linear);
            *color = Vec3::from_array(linear).extend(color.w);
        }
    } else if document.writes_srgb_colors() {
        warnings.add(Warning::SrgbColors { count: 1 });
    }
    Ok(colors)
}

/// The largest finite component.
fn largest(colors: &[Vec4]) -> f32 {
    let finite = colors.iter().filter(|color| color.is_finite());
    finite.fold(0.0, |largest: f32, color| largest.max(color.max_element()))
}

/// The indices of a primitive, or one for each vertex; all in range.
fn indices(
    document: &Document<'_>,
    primitive: &Primitive,
    vertex_count: usize,
) -> Result<Vec<u32>, LoadError> {
    let indices = match primitive.indices {
        Some(index) => document.reader(index)?.indices(document)?,
        None => {
            document.check_limit("vertices", vertex_count as u64, VERTICES_MAX)?;
            document.count_bytes(vertex_count as u64 * 4)?;
            (0..vertex_count as u32).collect()
        }
    };
    if let Some(&index) = indices.iter().max()
        && index as usize >= vertex_count
    {
        return Err(document.broken(
            primitive.indices.map_or_else(String::new, |i| format!("accessor {}", i.value())),
            format!("holds vertex index {index}, but there are {vertex_count} vertices"),
        ));
    }
    Ok(indices)
}

/// Triangle lists, strips and fans as lists, without stitches (triangles with a repeated index).
fn triangles(
    document: &Document<'_>,
    primitive: &Primitive,
    mode: Mode,
    vertex_count: usize,
    totals: &mut Totals,
    warnings: &mut Warnings,
) -> Result<Vec<[u32; 3]>, LoadError> {
    let count = match primitive.indices {
        Some(index) => document.reader(index)?.count,
        None => vertex_count,
    };
    let expected = match mode {
        Mode::Triangles => count / 3,
        _ => count.saturating_sub(2),
    };
    totals.triangles += expected as u64;
    document.check_limit("triangles", totals.triangles, TRIANGLES_MAX)?;
    document.count_bytes((expected * size_of::<[u32; 3]>()) as u64)?;
    let indices = indices(document, primitive, vertex_count)?;
    let distinct = |&[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
    Ok(match mode {
        Mode::TriangleStrip => indices
            .windows(3)
            .enumerate()
            // Section 3.7.2.1: every second triangle is turned.
            .map(|(i, w)| if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[0], w[2], w[1]] })
            .filter(distinct)
            .collect(),
        Mode::TriangleFan => match indices.split_first() {
            None => Vec::new(),
            Some((&hub, rim)) => rim
                .windows(2)
                // Section 3.7.2.1: the hub comes last.
                .map(|pair| [pair[0], pair[1], hub])
                .filter(distinct)
                .collect(),
        },
        _ => {
            let (triangles, rest) = indices.as_chunks::<3>();
            if !rest.is_empty() {
                warnings.add(Warning::Degenerate { faces: 1 });
            }
            triangles.to_vec()
        }
    })
}
