//! 3DGS `.ply` → planes. Found by property names, in any order; ascii, little and big endian. Axes:
//! x right, y down, z away from the viewer.
//!
//! Scales are natural logarithms, opacities logits, rotations w, x, y, z of any length, `f_rest_*`
//! all red, then all green, then all blue. Also read: `filter_3D` of Mip-Splatting, plain colours
//! in place of `f_dc_*`, and 2DGS files (two scales; the third is 0).

use super::bytes::{check_count, exp, plane, planes};
use super::found::Found;
use super::ply_table::{Column, Table, header_of, tables};
use super::{Format, ReadError, ply_packed};
use crate::harmonics::C0;
use crate::ply_header::Header;
use crate::splats::SplatParts;

/// Properties that are read, in whatever order; with a `*`, any ending.
const READ: [&str; 19] = [
    "x",
    "y",
    "z",
    "scale_0",
    "scale_1",
    "scale_2",
    "rot_0",
    "rot_1",
    "rot_2",
    "rot_3",
    "opacity",
    "f_dc_0",
    "f_dc_1",
    "f_dc_2",
    "red",
    "green",
    "blue",
    "filter_3d",
    "f_rest_*",
];

/// Whether a PLY file has splats, by its header.
pub(super) fn has_splats(bytes: &[u8]) -> bool {
    header_of(bytes).is_ok_and(|header| is_plain(&header) || is_packed(&header))
}

fn is_plain(header: &Header) -> bool {
    ["x", "opacity", "scale_0", "rot_0"].iter().all(|name| header.has("vertex", name))
}

fn is_packed(header: &Header) -> bool {
    header.has("chunk", "min_x") && header.has("vertex", "packed_position")
}

pub(super) fn read(bytes: &[u8]) -> Result<Found, ReadError> {
    let header = header_of(bytes)?;
    if is_packed(&header) {
        return ply_packed::read(bytes, &header);
    }
    if !is_plain(&header) {
        return Err(ReadError::NotSplats {
            found: "a PLY file of splats has opacity, scale_0 and rot_0; this one lacks at least one of them",
        });
    }
    let [vertices] = tables(&header, bytes, ["vertex"])?;
    let table = vertices.expect("the header has the element");
    let count = check_count(table.count as u64, bytes.len())?;
    let need = |name: &str| table.need(name);
    let position = [need("x")?, need("y")?, need("z")?];
    let scale = [Some(need("scale_0")?), Some(need("scale_1")?), table.column("scale_2")];
    let rotation = [need("rot_0")?, need("rot_1")?, need("rot_2")?, need("rot_3")?];
    let opacity = need("opacity")?;
    let mut parts = SplatParts {
        position: planes(count, |i, axis| position[axis].get(i) as f32),
        scale: planes(count, |i, axis| scale[axis].map_or(0.0, |column| exp(column.get(i)))),
        rotation: planes(count, |i, axis| rotation[axis].get(i) as f32),
        opacity: plane(count, |i| sigmoid(opacity.get(i))),
        harmonics: base_colors(&table, count)?,
        ..SplatParts::default()
    };
    parts.harmonics.extend(table.higher_harmonics(count, |value| value as f32)?);
    if let Some(filter) = table.column("filter_3d") {
        apply_filter(&mut parts, filter);
    }
    let mut found = Found::new(Format::Ply, parts);
    found.ignored = header.unread(&["vertex"], &READ);
    found.has_degree_4 = header.has("vertex", "f_rest_71");
    found.antialiased = table.column("filter_3d").map(|_| true);
    Ok(found)
}

fn base_colors(table: &Table<'_>, count: usize) -> Result<Vec<Vec<f32>>, ReadError> {
    if let Some(red) = table.column("red")
        && table.column("f_dc_0").is_none()
    {
        let columns = [red, table.need("green")?, table.need("blue")?];
        return Ok(planes::<3>(count, |i, c| (columns[c].get(i) as f32 / 255.0 - 0.5) / C0).into());
    }
    let columns = [table.need("f_dc_0")?, table.need("f_dc_1")?, table.need("f_dc_2")?];
    Ok(planes::<3>(count, |i, c| columns[c].get(i) as f32).into())
}

pub(super) fn sigmoid(x: f64) -> f32 {
    (1.0 / (1.0 + libm::exp(-x))) as f32
}

/// Mip-Splatting (Yu et al. 2024, eq. 9): a filter in space widens each splat, and its opacity
/// falls as its volume grows.
fn apply_filter(parts: &mut SplatParts, filter: Column<'_>) {
    let [x, y, z] = &mut parts.scale;
    for (i, opacity) in parts.opacity.iter_mut().enumerate() {
        let filter = filter.get(i);
        let mut ratio = 1.0;
        for scale in [&mut x[i], &mut y[i], &mut z[i]] {
            let before = f64::from(*scale) * f64::from(*scale);
            let after = before + filter * filter;
            ratio *= before / after.max(f64::MIN_POSITIVE);
            *scale = after.sqrt() as f32;
        }
        *opacity *= ratio.sqrt() as f32;
    }
}
