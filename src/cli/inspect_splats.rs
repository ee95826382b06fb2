//! The facts of Gaussian splats in words.

use super::words::{percent, several, sizes};
use crate::scene::SplatScene;
use meshjudge_splat::facts::{DUST_OPACITY, FLOATER_SHARE, GIANT_SHARE, NEEDLE_RATIO, SplatFacts};
use meshjudge_splat::read::{Format, Order};
use meshjudge_splat::splats::ColorSpace;
use std::path::Path;

/// A few lines about counts, extents, defects and the file's claims.
pub(super) fn describe(path: &Path, splats: &SplatScene, facts: &SplatFacts) -> String {
    let read = splats.read();
    let count = facts.splats;
    let share = |part: usize| format!("{part} ({})", percent(part as f64 / count as f64));
    let claim = match facts.antialiased {
        Some(true) => "the file says that they were trained antialiased, and so they are drawn",
        Some(false) => "the file does not mark them as trained antialiased",
        None => "the file does not say whether they were trained antialiased",
    };
    let order = match read.order {
        Order::Depth => "depth",
        Order::Distance => "distance to the eye",
    };
    let space = match facts.color_space {
        ColorSpace::Display => "sRGB",
        ColorSpace::Linear => "linear light",
    };
    let repairs = facts.repairs;
    let surfaces = splats.surfaces().map(|scene| {
        let triangles = several(scene.triangle_count(), "triangle", "triangles");
        format!("  surfaces   {triangles} among the splats; they are drawn, but the numbers here are of the splats")
    });
    let lines = [
        path.display().to_string(),
        format!(
            "  splats     {}, {}, harmonics of degree {}, mean opacity {:.2}",
            several(count, "splat", "splats"),
            encoding(read.format),
            facts.degree,
            facts.mean_opacity
        ),
        format!(
            "  size       {} (file units) around 99 % of the opacity, {} around all",
            sizes(facts.size),
            sizes(facts.size_of_all)
        ),
        format!(
            "  defects    {} needles (over {NEEDLE_RATIO} times as long as wide), {} giants (over {:.0} % of the size), {} floaters (in groups under {:.0} % of the largest), {} dust (opacity below {DUST_OPACITY})",
            share(facts.needles),
            share(facts.giants),
            100.0 * GIANT_SHARE,
            share(facts.floaters),
            100.0 * FLOATER_SHARE,
            share(facts.dust)
        ),
        format!(
            "  repaired   {} left out, {} rotations normalised, {} opacities clamped",
            repairs.dropped, repairs.rotations_normalized, repairs.opacities_clamped
        ),
        format!("  drawing    blended in {space} by {order}; {claim}"),
    ];
    lines.into_iter().chain(surfaces).collect::<Vec<_>>().join("\n")
}

fn encoding(format: Format) -> String {
    match format {
        Format::Ply => "3DGS PLY".to_owned(),
        Format::PackedPly => "compressed PLY".to_owned(),
        Format::Splat => ".splat".to_owned(),
        Format::Spz(version) => format!("SPZ version {version}"),
        Format::Sog => "SOG".to_owned(),
        Format::Gltf => "glTF".to_owned(),
    }
}
