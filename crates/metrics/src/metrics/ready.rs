//! Figures of use: what an engine, a shop or a printer asks of an asset.

use super::figure::{Facts, Kind, NO_COORDINATES, Place, Quantity, whole, yes};
use crate::load::ImageFacts;
use crate::measure::{Extent, ShellFacts, WallFacts};
use glam::DVec3;

const NO_TEXTURES: &str = "the asset has no textures";
const NO_REPORT: &str = "no report of the glTF Validator was given";
const NO_WALL: &str = "more than 10 % of the surface has no surface behind it";

/// Figures that are not on boards unless they are named.
pub(super) const READY_KINDS: [Kind; 40] = [
    kind(
        "open_edges",
        Quantity::Count,
        Some(true),
        Place::Meshes(|m| m.boundary as f64),
        "edges with one face",
        |f| Ok(f.mesh().edges.boundary as f64),
    ),
    kind(
        "non_manifold_edges",
        Quantity::Count,
        Some(true),
        Place::Meshes(|m| m.non_manifold as f64),
        "edges with three faces or more",
        |f| Ok(f.mesh().edges.non_manifold as f64),
    ),
    kind(
        "inconsistent_edges",
        Quantity::Count,
        Some(true),
        Place::Meshes(|m| m.inconsistent as f64),
        "edges with two faces that run the same way along it",
        |f| Ok(f.mesh().edges.inconsistent as f64),
    ),
    kind(
        "hard_edges",
        Quantity::Count,
        None,
        Place::Meshes(|m| m.hard as f64),
        "edges with two faces whose normals differ by 90 degrees or more",
        |f| Ok(f.ready().hard_edges as f64),
    ),
    kind(
        "holes",
        Quantity::Count,
        Some(true),
        Place::Asset,
        "openings: boundary edges that hang together",
        |f| Ok(f.mesh().holes.count as f64),
    ),
    kind(
        "genus",
        Quantity::Count,
        None,
        Place::Asset,
        "components - Euler characteristic / 2 of a closed manifold: handles",
        genus,
    ),
    kind("debris", Quantity::Share, Some(true), Place::Asset, "area of floaters / area", |f| {
        whole(f.mesh().parts.floater_area_share, f.mesh().parts.is_complete)
    }),
    kind(
        "wall",
        Quantity::Length,
        None,
        Place::Meshes(|m| m.thin),
        "1 % quantile by area of the distance straight inwards to the end of the solid",
        |f| wall(f)?.thinnest.ok_or(NO_WALL),
    ),
    kind(
        "thin",
        Quantity::Share,
        Some(true),
        Place::Meshes(|m| m.thin),
        "area with a wall under 1 % of the diagonal / area",
        |f| Ok(wall(f)?.thin_share),
    ),
    kind(
        "very_thin",
        Quantity::Share,
        Some(true),
        Place::Meshes(|m| m.thin),
        "area with a wall under 0.5 % of the diagonal / area",
        |f| Ok(wall(f)?.very_thin_share),
    ),
    kind(
        "hidden",
        Quantity::Share,
        Some(true),
        Place::Meshes(|m| m.hidden),
        "area from which none of 64 directions leads out / area",
        |f| shell(f, |s| s.hidden_share),
    ),
    kind(
        "inner_shells",
        Quantity::Count,
        Some(true),
        Place::Meshes(|m| m.hidden),
        "closed pieces that are hidden everywhere and face outwards",
        |f| shell(f, |s| s.inner_shells as f64),
    ),
    kind(
        "cavities",
        Quantity::Count,
        None,
        Place::Meshes(|m| m.hidden),
        "closed pieces that are hidden everywhere and face inwards",
        |f| shell(f, |s| s.cavities as f64),
    ),
    kind(
        "overhang",
        Quantity::Share,
        Some(true),
        Place::Meshes(|m| m.overhang),
        "area that faces down by more than 45 degrees and is not on the bed / area; y is up",
        |f| Ok(f.ready().overhang.area_share),
    ),
    kind(
        "bed_contact",
        Quantity::Share,
        None,
        Place::Asset,
        "area on the bed / footprint of the box; y is up",
        |f| Ok(f.ready().overhang.bed_share),
    ),
    kind(
        "support_volume",
        Quantity::Volume,
        Some(true),
        Place::Asset,
        "sum of overhanging area, projected down, times its height above the bed",
        |f| Ok(f.ready().overhang.support_volume),
    ),
    kind("width", Quantity::Length, None, Place::Asset, "side of the box along x", |f| {
        Ok(f.sides()[0])
    }),
    kind(
        "height",
        Quantity::Length,
        None,
        Place::Asset,
        "side of the box along y, which is up",
        |f| Ok(f.sides()[1]),
    ),
    kind("depth", Quantity::Length, None, Place::Asset, "side of the box along z", |f| {
        Ok(f.sides()[2])
    }),
    kind(
        "origin_to_base",
        Quantity::Ratio,
        None,
        Place::Asset,
        "distance of the zero of the file from the middle of the base of the box / diagonal",
        |f| Ok(origin_to_base(f)),
    ),
    kind(
        "plain_root",
        Quantity::YesNo,
        Some(false),
        Place::Roots,
        "1 where no root node has a translation, rotation or scale, else 0",
        |f| yes(f.loaded.file.moved_roots.is_empty()),
    ),
    kind("nodes", Quantity::Count, None, Place::Asset, "nodes in the file", |f| {
        Ok(f.loaded.file.nodes as f64)
    }),
    kind(
        "draw_calls",
        Quantity::Count,
        Some(true),
        Place::Asset,
        "primitives that are drawn; an instanced one counts once for each node",
        |f| Ok(f.loaded.file.draw_calls as f64),
    ),
    kind("materials", Quantity::Count, None, Place::Asset, "materials that surfaces use", |f| {
        Ok(f.mesh().counts.materials as f64)
    }),
    kind("skinned_meshes", Quantity::Count, None, Place::Asset, "drawn nodes with a skin", |f| {
        Ok(f.loaded.file.skinned_meshes as f64)
    }),
    kind("joints", Quantity::Count, None, Place::Asset, "nodes that are joints of a skin", |f| {
        Ok(f.loaded.file.joints as f64)
    }),
    kind("textures", Quantity::Count, None, Place::Asset, "pictures that materials use", |f| {
        Ok(f.images().len() as f64)
    }),
    kind(
        "texture_px",
        Quantity::Pixels,
        None,
        Place::Images(larger_side),
        "longest side of any texture; 0 without textures",
        |f| Ok(f.images().iter().map(larger_side).fold(0.0, f64::max)),
    ),
    kind(
        "texture_px_least",
        Quantity::Pixels,
        None,
        Place::Images(smaller_side),
        "shortest side of any texture",
        |f| f.images().iter().map(smaller_side).min_by(f64::total_cmp).ok_or(NO_TEXTURES),
    ),
    kind(
        "power_of_two",
        Quantity::YesNo,
        None,
        Place::Images(power_of_two),
        "1 where both sides of every texture are powers of two, else 0",
        |f| yes(f.images().iter().all(|image| power_of_two(image) == 1.0)),
    ),
    kind(
        "gpu_bytes",
        Quantity::Bytes,
        None,
        Place::Asset,
        "bytes of all textures with mip levels: four a texel, or one in KTX2",
        |f| Ok(f.images().iter().map(ImageFacts::gpu_bytes).sum::<u64>() as f64),
    ),
    kind(
        "asset_bytes",
        Quantity::Bytes,
        None,
        Place::Asset,
        "bytes of the main file and of the files that it names",
        |f| Ok(f.loaded.bytes_read as f64),
    ),
    kind(
        "uv_mapped",
        Quantity::Share,
        Some(false),
        Place::Asset,
        "area with an extent in the texture / area of meshes with texture coordinates",
        |f| Ok(f.uv()?.mapped_area_share),
    ),
    kind(
        "uv_outside",
        Quantity::Share,
        Some(true),
        Place::Asset,
        "textured area with a coordinate outside of 0 to 1 / textured area",
        uv_outside,
    ),
    kind(
        "uv_mirrored",
        Quantity::Share,
        None,
        Place::Asset,
        "area that is mirrored in the texture / mapped area",
        |f| Ok(f.uv()?.flipped_area_share),
    ),
    kind(
        "charts",
        Quantity::Count,
        None,
        Place::Asset,
        "pieces of the map of the texture that share a vertex",
        |f| Ok(f.ready().charts.as_ref().ok_or(NO_COORDINATES)?.count as f64),
    ),
    kind(
        "gutter",
        Quantity::Pixels,
        Some(false),
        Place::Asset,
        "least distance of two charts of one texture, in its texels, at most 1/64 of its side; 0 where charts overlap",
        |f| f.ready().charts.as_ref().and_then(|charts| charts.gap_texels).ok_or(NO_COORDINATES),
    ),
    kind(
        "texels_per_length",
        Quantity::PixelsPerLength,
        None,
        Place::Asset,
        "area-weighted median of texels along one unit of length",
        |f| f.uv()?.texels_per_unit.ok_or(NO_TEXTURES),
    ),
    kind(
        "validator_errors",
        Quantity::Count,
        Some(true),
        Place::Asset,
        "errors in the report of the glTF Validator",
        |f| f.issues.map(|[errors, _]| errors as f64).ok_or(NO_REPORT),
    ),
    kind(
        "validator_warnings",
        Quantity::Count,
        Some(true),
        Place::Asset,
        "warnings in the report of the glTF Validator",
        |f| f.issues.map(|[_, warnings]| warnings as f64).ok_or(NO_REPORT),
    ),
];

const fn kind(
    name: &'static str,
    quantity: Quantity,
    is_lower_better: Option<bool>,
    place: Place,
    formula: &'static str,
    read: fn(&Facts<'_>) -> Result<f64, &'static str>,
) -> Kind {
    Kind { name, quantity, formula, is_lower_better, place, read }
}

fn smaller_side(image: &ImageFacts) -> f64 {
    f64::from(image.width_px.min(image.height_px))
}

fn larger_side(image: &ImageFacts) -> f64 {
    f64::from(image.width_px.max(image.height_px))
}

fn power_of_two(image: &ImageFacts) -> f64 {
    let is = image.width_px.is_power_of_two() && image.height_px.is_power_of_two();
    f64::from(u8::from(is))
}

fn origin_to_base(facts: &Facts<'_>) -> f64 {
    let Extent { min, max, diagonal } = facts.mesh().extent;
    let middle = |k: usize| 0.5 * (f64::from(min[k]) + f64::from(max[k]));
    DVec3::new(middle(0), f64::from(min[1]), middle(2)).length() / diagonal
}

fn genus(facts: &Facts<'_>) -> Result<f64, &'static str> {
    let manifold = &facts.quality().manifold;
    if !facts.mesh().is_watertight || !manifold.is_vertex_manifold {
        return Err("the surface is not closed and manifold");
    }
    Ok(facts.mesh().parts.components as f64 - 0.5 * manifold.euler as f64)
}

/// A sheet has no walls.
fn wall<'a>(facts: &'a Facts<'_>) -> Result<&'a WallFacts, &'static str> {
    let wall = &facts.ready().wall;
    whole(0.0, wall.is_complete)?;
    if wall.backed_share < 0.9 { Err(NO_WALL) } else { Ok(wall) }
}

fn shell(facts: &Facts<'_>, of: fn(&ShellFacts) -> f64) -> Result<f64, &'static str> {
    let shells = &facts.ready().shells;
    whole(of(shells), shells.is_complete)
}

fn uv_outside(facts: &Facts<'_>) -> Result<f64, &'static str> {
    let texture = &facts.mesh().texture;
    let is_textured = texture.textured_area_share > 0.0;
    is_textured.then_some(texture.uv_outside_share).ok_or(NO_COORDINATES)
}
