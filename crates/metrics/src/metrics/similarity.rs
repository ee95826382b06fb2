//! Turns, scales and shifts. Never a mirror.

use crate::measure::jacobi_sweep;
use glam::{DMat3, DMat4, DVec3};
use serde::Serialize;
use serde::ser::Serializer;

/// `p ↦ scale · rotation · p + translation`; rotation proper (determinant 1), scale above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity {
    pub scale: f64,
    pub rotation: DMat3,
    pub translation: DVec3,
}

impl Similarity {
    pub const IDENTITY: Self =
        Self { scale: 1.0, rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// The identity leaves a point as it is, to the last bit.
    pub fn apply(&self, p: DVec3) -> DVec3 {
        if *self == Self::IDENTITY {
            return p;
        }
        self.rotation * p * self.scale + self.translation
    }

    pub fn undo(&self, p: DVec3) -> DVec3 {
        if *self == Self::IDENTITY {
            return p;
        }
        self.rotation.transpose() * (p - self.translation) / self.scale
    }

    /// First `self`, then `next`.
    pub fn then(&self, next: &Self) -> Self {
        Self {
            scale: self.scale * next.scale,
            rotation: next.rotation * self.rotation,
            translation: next.rotation * self.translation * next.scale + next.translation,
        }
    }

    /// Angle of the rotation, 0 to 180.
    pub fn degrees(&self) -> f64 {
        let m = &self.rotation;
        let cos = 0.5 * (m.x_axis.x + m.y_axis.y + m.z_axis.z - 1.0);
        libm::acos(cos.clamp(-1.0, 1.0)).to_degrees()
    }

    /// Row-major 4 × 4, for column vectors.
    pub fn rows(&self) -> [[f64; 4]; 4] {
        let m = DMat4::from_cols(
            (self.rotation.x_axis * self.scale).extend(0.0),
            (self.rotation.y_axis * self.scale).extend(0.0),
            (self.rotation.z_axis * self.scale).extend(0.0),
            self.translation.extend(1.0),
        );
        m.transpose().to_cols_array_2d()
    }
}

impl Serialize for Similarity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rows().serialize(serializer)
    }
}

/// Unordered eigenvalues and unit eigenvectors of a symmetric matrix, exact up to rounding.
pub(super) fn eigen(mut a: [[f64; 3]; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
    const SWEEPS_MAX: usize = 50;
    let mut vectors = DMat3::IDENTITY.to_cols_array_2d();
    let size = a.iter().flatten().fold(0.0_f64, |sum, x| sum + x * x);
    for _ in 0..SWEEPS_MAX {
        let off: f64 = [(1, 0), (2, 0), (2, 1)].map(|(i, j)| a[i][j] * a[i][j]).iter().sum();
        if off <= 1e-32 * size {
            break;
        }
        jacobi_sweep(&mut a, &mut vectors);
    }
    ([0, 1, 2].map(|k| a[k][k]), vectors)
}
