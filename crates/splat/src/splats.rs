//! Planes of numbers from a file → [`Splats`], checked once. Knows nothing of files and cameras.
//!
//! A *plane* has one number of every splat; the renderer reads eight neighbours of a plane at once.

use crate::harmonics::{COEFFICIENTS, coefficients};
use glam::DVec3;
use rayon::prelude::*;

/// Most splats of one asset. With harmonics of degree 3 they take 4 GiB.
pub const SPLATS_MAX: usize = 1 << 24;

/// Largest position and scale in file units; products of four stay finite in single precision.
pub const REACH_MAX: f32 = 1e9;

/// In which space colours are blended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColorSpace {
    /// sRGB values, as trained by nearly every program.
    #[default]
    Display,
    /// Linear Rec. 709; converted to sRGB after blending.
    Linear,
}

/// The numbers of a file, not yet checked. All planes have the same length.
#[derive(Debug, Clone, Default)]
pub struct SplatParts {
    /// Added to every position.
    pub origin: DVec3,
    /// Centres: x, y, z.
    pub position: [Vec<f32>; 3],
    /// Standard deviations along the splat's own axes, 0 or more.
    pub scale: [Vec<f32>; 3],
    /// Quaternions w, x, y, z of any length above 0.
    pub rotation: [Vec<f32>; 4],
    /// 0 to 1.
    pub opacity: Vec<f32>,
    /// Red, green and blue of coefficient 0, then of coefficient 1, …: 3, 12, 27 or 48 planes.
    pub harmonics: Vec<Vec<f32>>,
    pub color_space: ColorSpace,
}

impl SplatParts {
    pub fn planes_mut(&mut self) -> Vec<&mut Vec<f32>> {
        self.position
            .iter_mut()
            .chain(&mut self.scale)
            .chain(&mut self.rotation)
            .chain(std::iter::once(&mut self.opacity))
            .chain(&mut self.harmonics)
            .collect()
    }

    /// Keeps the splats that are marked; `keep` is as long as the planes.
    pub fn retain(&mut self, keep: &[bool]) {
        parallel::each_mut(&mut self.planes_mut(), |_, plane| {
            let mut keep = keep.iter();
            plane.retain(|_| *keep.next().expect("planes have one length"));
        });
    }
}

/// What the constructor corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Repairs {
    /// Splats left out: a number is infinite, undefined or beyond [`REACH_MAX`], a scale is
    /// negative, or the rotation is zero.
    pub dropped: usize,
    /// Quaternions whose length differed from 1 by more than 1 %.
    pub rotations_normalized: usize,
    /// Opacities outside 0 to 1.
    pub opacities_clamped: usize,
}

/// Why numbers are no splats.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SplatsError {
    #[error("there are no splats")]
    Empty,
    #[error(
        "no usable splat: {dropped} of {dropped} have an undefined, infinite or far too large number"
    )]
    Unusable { dropped: usize },
    #[error("planes of splats differ in length: {expected} positions and {found} of {what}")]
    Length { what: &'static str, expected: usize, found: usize },
    #[error("{found} planes of spherical harmonics; 3, 12, 27 or 48 are possible")]
    Harmonics { found: usize },
    #[error("{found} splats, and at most {SPLATS_MAX} are supported")]
    TooMany { found: usize },
}

/// At least one splat. Every number is finite, rotations have length 1, opacities are 0 to 1,
/// scales 0 or more. Positions are in single precision relative to [`Splats::origin`], near them.
#[derive(Debug, Clone)]
pub struct Splats {
    parts: SplatParts,
    degree: usize,
}

impl Splats {
    /// Checks and normalises every splat.
    ///
    /// # Errors
    /// [`SplatsError`].
    pub fn new(mut parts: SplatParts) -> Result<(Self, Repairs), SplatsError> {
        let degree = check_shape(&parts)?;
        let mut repairs = Repairs::default();
        let keep: Vec<bool> = parallel::of(parts.opacity.len(), |i| is_usable(&parts, i));
        repairs.dropped = keep.iter().filter(|&&keep| !keep).count();
        if keep.is_empty() {
            return Err(SplatsError::Empty);
        }
        if repairs.dropped == keep.len() {
            return Err(SplatsError::Unusable { dropped: repairs.dropped });
        }
        if repairs.dropped > 0 {
            parts.retain(&keep);
        }
        repairs.rotations_normalized = normalize_rotations(&mut parts.rotation);
        for opacity in &mut parts.opacity {
            repairs.opacities_clamped += usize::from(!(0.0..=1.0).contains(opacity));
            *opacity = opacity.clamp(0.0, 1.0);
        }
        move_origin_near(&mut parts);
        Ok((Self { parts, degree }, repairs))
    }

    /// Number of splats.
    #[expect(clippy::len_without_is_empty, reason = "there is always at least one")]
    pub fn len(&self) -> usize {
        self.parts.opacity.len()
    }

    /// Highest degree of the spherical harmonics, 0 to 3.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// In which space colours are blended.
    pub fn color_space(&self) -> ColorSpace {
        self.parts.color_space
    }

    /// Added to every position.
    pub fn origin(&self) -> DVec3 {
        self.parts.origin
    }

    /// The planes; all invariants of [`Splats`] apply.
    pub fn planes(&self) -> &SplatParts {
        &self.parts
    }

    /// The planes, to be changed and checked again.
    pub fn into_parts(self) -> SplatParts {
        self.parts
    }

    /// Centre of a splat, relative to [`Splats::origin`].
    pub fn position(&self, i: usize) -> DVec3 {
        let [x, y, z] = &self.parts.position;
        DVec3::new(x[i].into(), y[i].into(), z[i].into())
    }

    /// Standard deviations of a splat along its own axes.
    pub fn scale(&self, i: usize) -> [f32; 3] {
        self.parts.scale.each_ref().map(|plane| plane[i])
    }

    /// All splats of both, with the higher degree and the first one's origin and colour space.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        let degree = self.degree.max(other.degree);
        let (mut parts, other) = (self.parts, other.parts);
        let offset = other.origin - parts.origin;
        let (len, more) = (parts.opacity.len(), other.opacity.len());
        for (axis, plane) in other.position.iter().enumerate() {
            let moved = plane.iter().map(|&value| (f64::from(value) + offset[axis]) as f32);
            parts.position[axis].extend(moved);
        }
        let pairs = parts
            .scale
            .iter_mut()
            .zip(&other.scale)
            .chain(parts.rotation.iter_mut().zip(&other.rotation));
        pairs.for_each(|(plane, more)| plane.extend_from_slice(more));
        parts.opacity.extend_from_slice(&other.opacity);
        let planes = 3 * coefficients(degree);
        parts.harmonics.resize(planes, vec![0.0; len]);
        for (k, plane) in parts.harmonics.iter_mut().enumerate() {
            match other.harmonics.get(k) {
                Some(more) => plane.extend_from_slice(more),
                None => plane.resize(len + more, 0.0),
            }
        }
        Self { parts, degree }
    }
}

/// The degree, where all planes have one length.
fn check_shape(parts: &SplatParts) -> Result<usize, SplatsError> {
    let SplatParts { origin: _, position, scale, rotation, opacity, harmonics, color_space: _ } =
        parts;
    let expected = position[0].len();
    if expected > SPLATS_MAX {
        return Err(SplatsError::TooMany { found: expected });
    }
    let named = [
        ("positions", &position[..]),
        ("scales", &scale[..]),
        ("rotations", &rotation[..]),
        ("opacities", std::slice::from_ref(opacity)),
        ("harmonics", &harmonics[..]),
    ];
    for (what, planes) in named {
        if let Some(plane) = planes.iter().find(|plane| plane.len() != expected) {
            return Err(SplatsError::Length { what, expected, found: plane.len() });
        }
    }
    let found = harmonics.len();
    COEFFICIENTS
        .iter()
        .position(|&count| 3 * count == found)
        .ok_or(SplatsError::Harmonics { found })
}

fn is_usable(parts: &SplatParts, i: usize) -> bool {
    let within = |value: f32| value.abs() <= REACH_MAX;
    let length_squared: f64 =
        parts.rotation.iter().map(|plane| f64::from(plane[i]) * f64::from(plane[i])).sum();
    parts.position.iter().all(|plane| within(plane[i]))
        && (parts.scale.iter()).all(|plane| (0.0..=REACH_MAX).contains(&plane[i]))
        && (1e-20..1e20).contains(&length_squared)
        && !parts.opacity[i].is_nan()
        && parts.harmonics.iter().all(|plane| within(plane[i]))
}

/// Number of quaternions that were clearly not of length 1.
fn normalize_rotations([w, x, y, z]: &mut [Vec<f32>; 4]) -> usize {
    let planes = w.par_iter_mut().zip(x).zip(y).zip(z);
    planes
        .map(|(((w, x), y), z)| {
            let all = [w, x, y, z];
            let square = |value: &&mut f32| f64::from(**value) * f64::from(**value);
            let length = all.iter().map(square).sum::<f64>().sqrt();
            for value in all {
                *value = (f64::from(*value) / length) as f32;
            }
            usize::from((length - 1.0).abs() > 0.01)
        })
        .sum()
}

/// A scene far from the file's zero would lose its digits wherever something is added to it; a
/// scene around the zero keeps its numbers.
fn move_origin_near(parts: &mut SplatParts) {
    let mut middle = DVec3::ZERO;
    let mut half = DVec3::ZERO;
    for (axis, plane) in parts.position.iter().enumerate() {
        let (low, high) = plane
            .iter()
            .fold((f32::MAX, f32::MIN), |(low, high), &value| (low.min(value), high.max(value)));
        middle[axis] = 0.5 * (f64::from(low) + f64::from(high));
        half[axis] = 0.5 * (f64::from(high) - f64::from(low));
    }
    if middle.length() <= 4.0 * half.length() {
        return;
    }
    parts.origin += middle;
    for (axis, plane) in parts.position.iter_mut().enumerate() {
        for value in plane {
            *value = (f64::from(*value) - middle[axis]) as f32;
        }
    }
}
