//! Points of a surface → the bytes of a PLY or NumPy file.

use crate::metrics::{PointCloud, PointSettings};
use crate::save::npy;

/// Binary PLY: double positions, float normals, 8-bit sRGB colours. A comment has the definition.
pub fn points_as_ply(cloud: &PointCloud, settings: &PointSettings) -> Vec<u8> {
    let mut out = format!(
        "ply\nformat binary_little_endian 1.0\ncomment {}\nelement vertex {}\n",
        settings.definition(),
        cloud.points.len()
    );
    let properties = [("double", "x y z"), ("float", "nx ny nz"), ("uchar", "red green blue")];
    for (kind, names) in properties {
        for name in names.split(' ') {
            out += &format!("property {kind} {name}\n");
        }
    }
    let mut out = (out + "end_header\n").into_bytes();
    for at in &cloud.points {
        out.extend(at.point.to_array().into_iter().flat_map(f64::to_le_bytes));
        out.extend(at.normal.as_vec3().to_array().into_iter().flat_map(f32::to_le_bytes));
        out.extend(at.color);
    }
    out
}

/// NumPy: float64 of shape (points, 9): x, y, z, normal; red, green, blue in sRGB from 0 to 1.
pub fn points_as_npy(cloud: &PointCloud) -> Vec<u8> {
    let values = cloud.points.iter().flat_map(|at| {
        let color = at.color.map(|byte| f64::from(byte) / 255.0);
        [at.point.to_array(), at.normal.to_array(), color].concat()
    });
    let data: Vec<u8> = values.flat_map(f64::to_le_bytes).collect();
    npy("<f8", &[cloud.points.len(), 9], &data)
}
