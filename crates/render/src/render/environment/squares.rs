//! Squares of directions: their sizes, places and look-ups.
//!
//! Directions on a folded octahedron (Meyer et al. 2010, "On Floating-Point Normal Vectors").

use glam::Vec3;

/// Edges of the squares: what a mirror sees, then the average at roughness ⅛, 2⁄8 … 1.
pub(in crate::render) const SPECULAR_EDGES: [usize; 9] = [512, 128, 128, 64, 64, 32, 32, 32, 32];

/// Edge of the square of irradiance.
pub(in crate::render) const DIFFUSE_EDGE: usize = 32;

/// Where each square begins, in texels, with the irradiance as the last. Each has a border of one
/// texel, so that look-ups need no case at its edges.
pub(in crate::render) const FIRST_TEXELS: [usize; 10] = {
    let mut first = [0; 10];
    let mut k = 0;
    while k < 9 {
        let padded = SPECULAR_EDGES[k] + 2;
        first[k + 1] = first[k] + padded * padded;
        k += 1;
    }
    first
};

/// The place of a direction in the square, from −1 to 1.
pub(super) fn folded(direction: Vec3) -> [f32; 2] {
    let sum = direction.x.abs() + direction.y.abs() + direction.z.abs();
    let p = direction / sum.max(1e-20);
    if p.y >= 0.0 {
        return [p.x, p.z];
    }
    let sign = |v: f32| if v >= 0.0 { 1.0 } else { -1.0 };
    [(1.0 - p.z.abs()) * sign(p.x), (1.0 - p.x.abs()) * sign(p.z)]
}

/// Between the four texels around a place; `texels` are a square with its border.
pub(super) fn bilinear(texels: &[[f32; 4]], edge: usize, [u, v]: [f32; 2]) -> Vec3 {
    let at = |c: f32| ((c * 0.5 + 0.5) * edge as f32 + 0.5).clamp(0.0, edge as f32 + 0.999);
    let (x, y) = (at(u), at(v));
    let (column, row) = ((x as usize).min(edge), (y as usize).min(edge));
    let (fx, fy) = (x - column as f32, y - row as f32);
    let texel = |dx: usize, dy: usize| {
        let [r, g, b, _] = texels[(row + dy) * (edge + 2) + column + dx];
        Vec3::new(r, g, b)
    };
    let mix = |a: Vec3, b: Vec3, t: f32| a + (b - a) * t;
    let upper = mix(texel(0, 0), texel(1, 0), fx);
    mix(upper, mix(texel(0, 1), texel(1, 1), fx), fy)
}
