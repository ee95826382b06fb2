//! File coordinates → the scene's: y up, front +z, moved so that single precision suffices.
//!
//! A scan in a national grid is 500 km from the file's origin, where single precision has steps of
//! centimetres, and an earth-centred one has steps of half a metre. Such assets are read again with
//! an origin near their middle, which is subtracted in double precision.

use crate::scene::{Bounds, MeshParts};
use glam::{DMat3, DVec3, Vec3};
use std::sync::OnceLock;

/// An asset whose middle is farther away than this many radii is moved. At this distance rounding
/// costs a millionth of the radius.
const FAR_RADII: f64 = 16.0;

/// Readings of one file at most. A far one is read twice, three times where the first reading
/// leaves nothing but one place.
const READINGS_MAX: usize = 4;

/// How positions become those of the scene.
#[derive(Debug)]
pub(super) struct FileFrame {
    turn: DMat3,
    /// Where the scene's zero is, in the turned file.
    pub origin: DVec3,
    /// The first finite position, turned.
    first: OnceLock<DVec3>,
    readings: usize,
    is_settled: bool,
}

impl FileFrame {
    pub(super) fn new(turn: DMat3) -> Self {
        Self { turn, origin: DVec3::ZERO, first: OnceLock::new(), readings: 0, is_settled: true }
    }

    /// The rotation alone.
    pub(super) fn turn(&self) -> DMat3 {
        self.turn
    }

    /// A position of the file in the scene.
    pub(super) fn point(&self, point: DVec3) -> Vec3 {
        // Without a turn −0 and NaN stay as they are.
        let turned = if self.turn == DMat3::IDENTITY { point } else { self.turn * point };
        if turned.is_finite() {
            self.first.get_or_init(|| turned);
        }
        (turned - self.origin).as_vec3()
    }

    /// Takes note of a position of the scene, where nothing else may be left.
    pub(super) fn notice(&self, position: Option<Vec3>) {
        if let Some(position) = position.filter(|position| position.is_finite()) {
            self.first.get_or_init(|| position.as_dvec3() + self.origin);
        }
    }

    /// A direction of the file in the scene.
    pub(super) fn direction(&self, direction: DVec3) -> Vec3 {
        if self.turn == DMat3::IDENTITY {
            direction.as_vec3()
        } else {
            (self.turn * direction).as_vec3()
        }
    }

    /// Whether the meshes are near enough to the origin. If not, reading stops and starts again.
    pub(super) fn settles(&mut self, meshes: &[MeshParts]) -> bool {
        self.readings += 1;
        let bounds = Bounds::of_parts(meshes);
        let (center, radius) = match bounds.center.is_finite() && bounds.radius.is_finite() {
            true => (bounds.center, bounds.radius),
            // Nothing is left: rounding may have made all corners of each triangle one.
            false => (self.first.get().map_or(DVec3::ZERO, |first| *first - self.origin), 0.0),
        };
        let away = center.abs().max_element();
        self.is_settled =
            away <= FAR_RADII * radius || away == 0.0 || self.readings >= READINGS_MAX;
        if !self.is_settled {
            // A multiple of a power of two ≤ the radius: single-precision values stay exact.
            let step = libm::exp2(libm::floor(libm::log2(radius.max(away * 1e-7))));
            self.origin += (center / step).round() * step;
        }
        self.is_settled
    }

    pub(super) fn is_settled(&self) -> bool {
        self.is_settled
    }
}
