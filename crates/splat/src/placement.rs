//! Splats and an affine map → the mapped splats: centres, shapes and harmonics.

use crate::harmonics::rotations;
use crate::splats::{SplatParts, Splats};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use rayon::prelude::*;

/// How far a matrix may be from a turn with one scale for every axis to be taken for one.
const SIMILARITY_TOLERANCE: f64 = 1e-6;

impl Splats {
    /// The same splats elsewhere. A covariance C Cᵀ becomes M C Cᵀ Mᵀ; harmonics turn with the
    /// nearest orthogonal matrix. `None` where the map flattens space or leads beyond all limits.
    pub fn mapped(self, map: &DAffine3) -> Option<Self> {
        let matrix = map.matrix3;
        let volume = matrix.determinant();
        if !volume.is_finite() || volume.abs() < 1e-30 || !map.translation.is_finite() {
            return None;
        }
        let turn = nearest_orthogonal(matrix);
        let mut parts = self.into_parts();
        parts.origin = map.transform_point3(parts.origin);
        let scale = libm::cbrt(volume.abs());
        let rest = matrix - turn * scale;
        let is_similarity =
            rest.to_cols_array().iter().all(|&value| value.abs() <= SIMILARITY_TOLERANCE * scale);
        map_positions(&mut parts, matrix);
        if is_similarity {
            turn_shapes(&mut parts, turn, scale as f32);
        } else {
            deform_shapes(&mut parts, matrix);
        }
        turn_harmonics(&mut parts, turn);
        Self::new(parts).ok().map(|(splats, _)| splats)
    }
}

/// The orthogonal part of the polar decomposition, by Newton's iteration (Higham 1986, section 3);
/// mirrors stay mirrors.
fn nearest_orthogonal(matrix: DMat3) -> DMat3 {
    const STEPS_MAX: usize = 100;
    let mut q = matrix * (1.0 / libm::cbrt(matrix.determinant().abs()));
    for _ in 0..STEPS_MAX {
        let next = (q + q.inverse().transpose()) * 0.5;
        let is_settled = (next - q).to_cols_array().iter().all(|value| value.abs() < 1e-15);
        q = next;
        if is_settled {
            break;
        }
    }
    q
}

fn map_positions(parts: &mut SplatParts, matrix: DMat3) {
    let [x, y, z] = &mut parts.position;
    x.par_iter_mut().zip(y).zip(z).for_each(|((x, y), z)| {
        let to = matrix * DVec3::new((*x).into(), (*y).into(), (*z).into());
        (*x, *y, *z) = (to.x as f32, to.y as f32, to.z as f32);
    });
}

/// A Gaussian mirrors itself along its axes, so its opposite replaces a mirrored turn.
fn proper(turn: DMat3) -> DMat3 {
    if turn.determinant() < 0.0 { turn * -1.0 } else { turn }
}

fn turn_shapes(parts: &mut SplatParts, turn: DMat3, scale: f32) {
    for plane in &mut parts.scale {
        parallel::each_mut(plane, |_, value| *value *= scale);
    }
    let turn = DQuat::from_mat3(&proper(turn));
    let [w, x, y, z] = &mut parts.rotation;
    w.par_iter_mut().zip(x).zip(y).zip(z).for_each(|(((w, x), y), z)| {
        let to = turn * DQuat::from_xyzw((*x).into(), (*y).into(), (*z).into(), (*w).into());
        (*w, *x, *y, *z) = (to.w as f32, to.x as f32, to.y as f32, to.z as f32);
    });
}

fn deform_shapes(parts: &mut SplatParts, matrix: DMat3) {
    let [w, x, y, z] = &mut parts.rotation;
    let [s0, s1, s2] = &mut parts.scale;
    let rotations = w.par_iter_mut().zip(x).zip(y).zip(z);
    let scales = s0.par_iter_mut().zip(s1).zip(s2);
    rotations.zip(scales).for_each(|((((w, x), y), z), ((s0, s1), s2))| {
        let turn = DQuat::from_xyzw((*x).into(), (*y).into(), (*z).into(), (*w).into()).normalize();
        let scale = DVec3::new((*s0).into(), (*s1).into(), (*s2).into());
        let root = matrix * DMat3::from_quat(turn) * DMat3::from_diagonal(scale);
        let (axes, variances) = eigen(root * root.transpose());
        let to = DQuat::from_mat3(&proper(axes));
        (*w, *x, *y, *z) = (to.w as f32, to.x as f32, to.y as f32, to.z as f32);
        [*s0, *s1, *s2] = variances.to_array().map(|value| value.max(0.0).sqrt() as f32);
    });
}

/// Orthonormal columns and eigenvalues of a symmetric matrix, by Jacobi's rotations.
fn eigen(symmetric: DMat3) -> (DMat3, DVec3) {
    const SWEEPS: usize = 12; // each squares the rest off the diagonal
    let (mut a, mut axes) = (symmetric, DMat3::IDENTITY);
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = a.col(q)[p];
            if off.abs() <= 1e-300 {
                continue;
            }
            let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * off);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let mut rotation = DMat3::IDENTITY;
            rotation.col_mut(p)[p] = c;
            rotation.col_mut(q)[q] = c;
            rotation.col_mut(q)[p] = t * c;
            rotation.col_mut(p)[q] = -t * c;
            a = rotation.transpose() * a * rotation;
            axes *= rotation;
        }
    }
    (axes, DVec3::new(a.col(0).x, a.col(1).y, a.col(2).z))
}

fn turn_harmonics(parts: &mut SplatParts, turn: DMat3) {
    let matrices = rotations(turn);
    for channel in 0..3 {
        let mut first = 1;
        for (degree, matrix) in matrices.iter().enumerate().skip(1) {
            let size = 2 * degree + 1;
            if 3 * first >= parts.harmonics.len() {
                break;
            }
            let index = |k: usize| 3 * (first + k) + channel;
            let old: Vec<Vec<f32>> =
                (0..size).map(|k| std::mem::take(&mut parts.harmonics[index(k)])).collect();
            for (k, row) in matrix.chunks(size).enumerate() {
                parts.harmonics[index(k)] = parallel::of(old[0].len(), |i| {
                    let terms = row.iter().zip(&old).map(|(m, plane)| m * f64::from(plane[i]));
                    terms.sum::<f64>() as f32
                });
            }
            first += size;
        }
    }
}
