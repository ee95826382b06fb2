//! Real spherical harmonics of degree 0 to 3: the basis as trained by 3D Gaussian Splatting (Kerbl
//! et al. 2023), and its rotation.

use glam::{DMat3, DVec3};
use std::ops::{Add, Mul, Sub};

/// The factor of the constant term: a colour is ½ + C0 · coefficient.
pub const C0: f32 = 0.282_094_8;

/// Number of coefficients of a channel, by degree.
pub(crate) const COEFFICIENTS: [usize; 4] = [1, 4, 9, 16];

/// Number of coefficients of a channel up to a degree of 0 to 3.
pub fn coefficients(degree: usize) -> usize {
    COEFFICIENTS[degree]
}

/// The sixteen functions at a direction of length 1.
#[inline(always)]
pub(crate) fn basis<T>(x: T, y: T, z: T) -> [T; 16]
where
    T: Copy + From<f32> + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    let c = |value: f32| T::from(value);
    let (xx, yy, zz) = (x * x, y * y, z * z);
    [
        c(C0),
        c(-0.488_602_5) * y,
        c(0.488_602_5) * z,
        c(-0.488_602_5) * x,
        c(1.092_548_4) * x * y,
        c(-1.092_548_4) * y * z,
        c(0.315_391_57) * (zz + zz - xx - yy),
        c(-1.092_548_4) * x * z,
        c(0.546_274_2) * (xx - yy),
        c(-0.590_043_6) * y * (c(3.0) * xx - yy),
        c(2.890_611_4) * x * y * z,
        c(-0.457_045_8) * y * (c(4.0) * zz - xx - yy),
        c(0.373_176_34) * z * (zz + zz - c(3.0) * (xx + yy)),
        c(-0.457_045_8) * x * (c(4.0) * zz - xx - yy),
        c(1.445_305_7) * z * (xx - yy),
        c(-0.590_043_6) * x * (xx - c(3.0) * yy),
    ]
}

/// For each degree, the matrix that turns its coefficients as `turn` turns directions; row-major,
/// `2 · degree + 1` wide. `turn` is orthogonal; mirrors are allowed.
///
/// A function of one degree is known by its values in as many directions as it has coefficients.
/// With `B` the basis in fixed directions and `B'` in the directions turned back, the new
/// coefficients are B⁻¹ B' times the old ones.
pub(crate) fn rotations(turn: DMat3) -> [Vec<f64>; 4] {
    [0, 1, 2, 3].map(|degree| {
        let (first, size) = (degree * degree, 2 * degree + 1);
        let row = |d: DVec3| {
            let all = basis(d.x, d.y, d.z);
            all[first..first + size].to_vec()
        };
        let directions = || DIRECTIONS[..size].iter().map(|&d| DVec3::from(d).normalize());
        let known = directions().map(row).collect();
        let turned = directions().map(|d| row(turn.transpose() * d)).collect();
        solve(known, turned).concat()
    })
}

/// General position for every degree: [`rotations`] solves with condition numbers below 10.
const DIRECTIONS: [[f64; 3]; 7] = [
    [0.0, 0.0, 1.0],
    [0.94, 0.0, 0.33],
    [-0.47, 0.82, 0.33],
    [-0.47, -0.82, 0.30],
    [0.55, 0.80, -0.25],
    [-0.97, 0.05, -0.25],
    [0.40, -0.75, -0.50],
];

/// X with A X = B, by elimination with pivots.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = a.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs()))
            .expect("at least one row is left");
        a.swap(column, pivot);
        b.swap(column, pivot);
        let (pivot_a, pivot_b) = (a[column].clone(), b[column].clone());
        for row in (0..size).filter(|&row| row != column) {
            let factor = a[row][column] / pivot_a[column];
            for k in 0..size {
                a[row][k] -= factor * pivot_a[k];
                b[row][k] -= factor * pivot_b[k];
            }
        }
    }
    for row in 0..size {
        b[row].iter_mut().for_each(|value| *value /= a[row][row]);
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn value(coefficients: &[f64], d: DVec3) -> f64 {
        let basis = basis(d.x, d.y, d.z);
        basis.iter().zip(coefficients).map(|(b, c)| b * c).sum()
    }

    #[test]
    fn a_turned_function_has_the_old_value_in_the_direction_turned_back() {
        let coefficients: Vec<f64> = (0..16).map(|k| libm::sin(1.0 + 7.0 * k as f64)).collect();
        let mirror = DMat3::from_diagonal(DVec3::new(1.0, -1.0, 1.0));
        let turn = DMat3::from_quat(DQuat::from_xyzw(0.3, -0.5, 0.4, 0.7).normalize());
        for turn in [DMat3::IDENTITY, turn, mirror * turn] {
            let mut turned = Vec::new();
            for (degree, matrix) in rotations(turn).iter().enumerate() {
                let band = &coefficients[degree * degree..(degree + 1) * (degree + 1)];
                turned.extend(
                    matrix
                        .chunks(band.len())
                        .map(|row| -> f64 { row.iter().zip(band).map(|(m, c)| m * c).sum() }),
                );
            }
            for k in 0..50 {
                let k = f64::from(k);
                let d = DVec3::new(libm::sin(k), libm::cos(3.0 * k), libm::sin(2.0 * k + 1.0));
                let d = d.normalize();
                let difference = value(&turned, turn * d) - value(&coefficients, d);
                assert!(difference.abs() < 1e-6, "{difference}");
            }
        }
    }
}
