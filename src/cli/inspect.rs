//! `inspect`: measured facts of assets.

use super::draw_args::warn_of_asset;
use super::inspect_splats;
use super::text_args::{TextArgs, TextSearch, lines, warn_of_text};
use super::words::{percent, several, sizes};
use super::{Exit, Printer};
use crate::ask::drawings;
use crate::error::Error;
use crate::front::{PaintedText, painted_text};
use crate::load::{Choices, load_asset};
use crate::measure::{Counts, MeshFacts, QualityFacts, TextureFacts, measure, measure_quality};
use crate::options::LoadOptions;
use crate::options::ViewOptions;
use crate::report::plural;
use crate::rubric::Rubric;
use crate::scene::Asset;
use clap::Args;
use meshjudge_splat::facts::facts as splat_facts;
use serde_json::json;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "Examples:
  meshjudge inspect chair.glb lamp.obj --json
  meshjudge inspect chair.glb --ocr networks";

#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct InspectArgs {
    /// Assets: .glb, .gltf, .obj, .ply, .stl; splats as .ply, .spz, .sog, .splat, .glb, .gltf
    #[arg(required = true, value_name = "ASSET")]
    assets: Vec<PathBuf>,

    #[command(flatten)]
    text: TextArgs,

    #[command(flatten)]
    load: LoadOptions,
}

pub(super) fn run(args: &InspectArgs, printer: &Printer) -> Result<Exit, Error> {
    let drawings = drawings(&Rubric::open("pairwise")?, &ViewOptions::default())?;
    let text = args.text.open(drawings.iter().flatten())?;
    inspect(&args.assets, &args.load, text.as_ref(), printer)
}

/// Prints the facts of each asset, and the text on it.
pub(super) fn inspect(
    assets: &[PathBuf],
    load_args: &LoadOptions,
    text: Option<&TextSearch>,
    printer: &Printer,
) -> Result<Exit, Error> {
    let options = load_args.settings();
    let mut failed = 0;
    for path in assets {
        match load_asset(path, &options, Choices::default()) {
            Ok(loaded) => {
                warn_of_asset(printer, path, &loaded.warnings);
                let mut row = json!({ "path": path.display().to_string(), "hash": loaded.hash });
                let mut lines = match &loaded.scene {
                    Asset::Mesh(scene) => {
                        let (facts, quality) = (measure(scene), measure_quality(scene));
                        row["facts"] = json!(facts);
                        row["quality"] = json!(quality);
                        row["variants"] = json!(loaded.variants);
                        describe(path, &facts, &quality, &loaded.variants)
                    }
                    Asset::Splats(splats) => {
                        let facts = splat_facts(splats.read());
                        row["format"] = json!(splats.read().format);
                        row["order"] = json!(splats.read().order);
                        row["splats"] = json!(facts);
                        if let Some(scene) = splats.surfaces() {
                            row["triangles"] = json!(scene.triangle_count());
                        }
                        inspect_splats::describe(path, splats, &facts)
                    }
                };
                match text.map(|it| (it, painted_text(&loaded.scene, &it.drawing, &it.reader))) {
                    Some((text, Ok(found))) => {
                        lines += &text_lines(text, &found);
                        warn_of_text(printer, &path.display().to_string(), &found);
                        row["text"] = text.row(&found);
                    }
                    Some((_, Err(failure))) => {
                        failed += 1;
                        printer.error(&failure);
                        row["text"] = json!({ "error": failure.to_string() });
                    }
                    None => {}
                }
                row["warnings"] = json!(loaded.warnings);
                printer.show(lines, [row]);
            }
            Err(failure) => {
                failed += 1;
                printer.input_error(path, &failure.into());
            }
        }
    }
    Ok(Exit::of_inputs(failed, assets.len()))
}

fn text_lines(text: &TextSearch, found: &[PaintedText]) -> String {
    let none = found.is_empty().then(|| format!("none found in {}", text.views()));
    lines(found).chain(none).map(|line| format!("\n  text       {line}")).collect()
}

/// A few lines about geometry, defects and colours.
fn describe(path: &Path, facts: &MeshFacts, quality: &QualityFacts, variants: &[String]) -> String {
    let MeshFacts { counts, extent, edges, holes, parts, shape, .. } = facts;
    let size = [0, 1, 2].map(|k| f64::from(extent.max[k] - extent.min[k]));
    let volume =
        shape.volume.map_or_else(|| "none (not watertight)".to_owned(), |v| format!("{v:.4}"));
    let at_least = at_least(parts.is_complete);
    let mut lines = vec![
        path.display().to_string(),
        format!(
            "  geometry   {}, {} ({} distinct), {}; {} without area, {} duplicate",
            several(counts.triangles, "triangle", "triangles"),
            several(counts.vertices, "vertex", "vertices"),
            counts.welded_vertices,
            several(counts.meshes, "mesh", "meshes"),
            counts.degenerate_triangles,
            counts.duplicate_triangles
        ),
        format!("  size       {} (file units), volume {volume}", sizes(size)),
        format!(
            "  surface    {}; {} ({} of the surface), {} non-manifold and {} inconsistent edges",
            if facts.is_watertight { "watertight" } else { "open" },
            several(holes.count, "hole", "holes"),
            percent(holes.area_share),
            edges.non_manifold,
            edges.inconsistent
        ),
        format!(
            "  parts      {} in {at_least}{}, {at_least}{} ({} of the surface)",
            several(parts.components, "component", "components"),
            several(parts.groups, "group", "groups"),
            several(parts.floaters, "floater", "floaters"),
            percent(parts.floater_area_share)
        ),
        format!(
            "  shape      thickness {:.2}, width {:.2} (1: as thick as long), ground slab {:.2}, noise {:.1}°, creases {:.1} diagonals long",
            shape.thickness,
            shape.width,
            shape.ground_slab,
            facts.noise.mean_degrees,
            facts.dihedral.crease_length
        ),
        format!("  colour     {}", describe_texture(counts, &facts.texture)),
    ];
    lines.extend(describe_quality(quality));
    if !variants.is_empty() {
        let names = variants.join(", ");
        lines.push(format!("  variants   {names}; the default one is measured and drawn"));
    }
    lines.join("\n")
}

/// Before a number whose measure was cut short.
fn at_least(is_complete: bool) -> &'static str {
    if is_complete { "" } else { "at least " }
}

fn describe_quality(quality: &QualityFacts) -> Vec<String> {
    let QualityFacts { manifold, crossings, triangles, uv } = quality;
    let mut lines = vec![format!(
        "  mesh       {} and {}, Euler characteristic {}; {}{} of triangles cross ({} of the surface); triangles' mean ratio {:.2}, {} needles",
        if manifold.is_edge_manifold { "edge-manifold" } else { "not edge-manifold" },
        if manifold.is_vertex_manifold { "vertex-manifold" } else { "not vertex-manifold" },
        manifold.euler,
        at_least(crossings.is_complete),
        plural(crossings.pairs, "pair"),
        percent(crossings.area_share),
        triangles.mean_ratio_median,
        percent(triangles.needle_share),
    )];
    if let Some(uv) = uv {
        let density = uv.texels_per_unit.map_or(String::new(), |texels| {
            let spread =
                uv.texel_spread.map_or(String::new(), |s| format!(" (90 % over 10 %: {s:.2})"));
            format!(", {texels:.1} texels per unit{spread}")
        });
        lines.push(format!(
            "  texture    stretch {:.2} (1: none), angles {:.2} (1: preserved), {}{} overlaps, {} mirrored{density}",
            uv.stretch_l2,
            uv.anisotropy_mean,
            at_least(uv.overlap_is_complete),
            percent(uv.overlap_share),
            percent(uv.flipped_area_share),
        ));
    }
    lines
}

fn describe_texture(counts: &Counts, texture: &TextureFacts) -> String {
    let mut parts = Vec::new();
    if texture.textured_area_share > 0.0 {
        parts.push(format!(
            "{:.0} % textured, about {:.0} texels along the diagonal",
            texture.textured_area_share * 100.0,
            texture.texels_per_diagonal
        ));
    }
    if texture.has_vertex_colors {
        parts.push("vertex colours".to_owned());
    }
    if parts.is_empty() {
        parts.push("plain".to_owned());
    }
    format!(
        "{}; {}, {}",
        parts.join(", "),
        plural(counts.materials, "material"),
        plural(counts.textures, "texture")
    )
}
