//! Another tool's camera file → a rig with its cameras: `transforms.json` (Blender, NeRF,
//! instant-ngp, nerfstudio, TRELLIS), COLMAP's text files and NumPy arrays of 3×4 or 4×4 matrices.
//!
//! Conventions differ in three ways, which the file does not state: whether a matrix leads from the
//! camera to the world or back, whether the camera looks along −z with y up (OpenGL, Blender) or
//! along +z with y down (OpenCV), and whether the world's z or y points up. Unnamed conventions are
//! detected: cameras look at the scene, and their pictures are upright.

mod colmap;
mod convention;
mod found;
mod json;
mod npy;

pub use convention::{Convention, ConventionError, NamedConvention};

use super::lens::{Lens, Projection};
use super::placement::Normalise;
use super::sampled::angles;
use super::view::View;
use super::{Rig, RigError};
use convention::{CameraAxes, MatrixKind, WorldAxes};
use found::{CameraFile, FoundCamera, Intrinsics};
use glam::{DMat3, DVec3};
use std::path::{Path, PathBuf};

/// Why a file of cameras cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CamerasError {
    #[error("cannot read the cameras ({source}): {path:?}")]
    Read { source: std::io::Error, path: PathBuf },
    #[error("these cameras cannot be used ({reason}): {path:?}")]
    Refused { reason: String, path: PathBuf },
    /// More than one convention explains the cameras.
    #[error(
        "the convention of these cameras cannot be detected, because {what}; give it, for example w2c,opencv,z-up: {path:?}"
    )]
    Ambiguous { what: &'static str, path: PathBuf },
    /// The rig that they make is refused.
    #[error(transparent)]
    Rig(#[from] RigError),
}

/// More bytes of one file are refused.
const BYTES_MAX: u64 = 256 << 20;

/// Edge of a picture of which nothing is known.
const DEFAULT_PX: u32 = 512;

impl Rig {
    /// A rig with a file's cameras, in order, and how its matrices were read. A `base` rig places
    /// the asset and lends its lens to cameras without one; without it the asset keeps its place.
    ///
    /// # Errors
    /// Any [`CamerasError`].
    pub fn from_cameras(
        path: &Path,
        named: NamedConvention,
        base: Option<&Self>,
    ) -> Result<(Self, Convention), CamerasError> {
        let refused = |reason: String| CamerasError::Refused { reason, path: path.to_owned() };
        let file = read(path)?;
        if !(1..=Self::VIEWS_MAX).contains(&file.cameras.len()) {
            return Err(refused(format!(
                "{} cameras, where 1 to {} are possible",
                file.cameras.len(),
                Self::VIEWS_MAX
            )));
        }
        let named = NamedConvention {
            matrix: named.matrix.or(file.convention.matrix),
            axes: named.axes.or(file.convention.axes),
            world: named.world.or(file.convention.world),
        };
        let convention = find(&file.cameras, named)
            .map_err(|what| CamerasError::Ambiguous { what, path: path.to_owned() })?;
        let sizes = file.cameras.iter().map(|camera| camera.intrinsics.size_px);
        let size_px = { sizes }.flatten().next().or(file.picture_px);
        if let (Some(size), Some(other)) = (
            size_px,
            file.cameras.iter().filter_map(|c| c.intrinsics.size_px).find(|&s| Some(s) != size_px),
        ) {
            return Err(refused(format!(
                "pictures of several sizes, {size:?} and {other:?}; use one file per size"
            )));
        }
        let [width, height] = size_px.unwrap_or_else(|| match base {
            Some(base) => [base.tile_px, base.height_px(base.tile_px)],
            None => [DEFAULT_PX; 2],
        });
        if !(1..=Self::TILE_PX_MAX).contains(&width) || !(1..=Self::TILE_PX_MAX).contains(&height) {
            return Err(refused(format!("pictures of {width}×{height} px")));
        }
        let mut views = Vec::with_capacity(file.cameras.len());
        for camera in &file.cameras {
            let pose = pose(&camera.matrix, convention).ok_or_else(|| {
                refused(format!(
                    "the matrix of {:?} is not a rotation with a position",
                    camera.name
                ))
            })?;
            let column = |c: usize| DVec3::new(pose[0][c], pose[1][c], pose[2][c]);
            let (eye, back) = (column(3), column(2));
            let lens = lens(&camera.intrinsics, [width, height], eye.dot(back), base);
            let (projection, lens) = lens.ok_or_else(|| {
                refused("no focal length or angle of view; name a rig that has the lens, such as zero123".into())
            })?;
            let (azimuth_degrees, elevation_degrees) = angles(eye.to_array());
            let view = View {
                name: camera.name.clone(),
                azimuth_degrees,
                elevation_degrees,
                roll_degrees: 0.0,
                projection: Some(projection),
                lens: (lens != Lens::CENTERED).then_some(lens),
                pose: Some(pose),
            };
            view.check().map_err(|wanted| refused(format!("{:?} needs {wanted}", camera.name)))?;
            views.push(view);
        }
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let projection = views[0].projection.expect("each view has been given one");
        let mut rig = Self::new(
            &stem.unwrap_or_default(),
            &format!("cameras of a file, read as {convention}"),
            projection,
            width,
            views,
        );
        rig.normalise = Some(Normalise::Matrix { scale: 1.0, offset: [0.0; 3] });
        if let Some(base) = base {
            rig.normalise = base.normalise;
            rig.object_radius = base.object_radius;
            rig.normal_axes = base.normal_axes;
            rig.conventions = base.conventions.clone();
        } else if file.asset.is_some() {
            rig.normalise = file.asset;
        }
        rig.aspect = (width != height).then_some([width, height]);
        rig.check_file_names()
            .map_err(|wanted| refused(format!("the cameras' names; the rig needs {wanted}")))?;
        Ok((rig, convention))
    }
}

fn read(path: &Path) -> Result<CameraFile, CamerasError> {
    let bytes = |path: &Path| -> Result<Vec<u8>, CamerasError> {
        let failed = |source| CamerasError::Read { source, path: path.to_owned() };
        if std::fs::metadata(path).map_err(failed)?.len() > BYTES_MAX {
            let reason = "more than 256 MiB".into();
            return Err(CamerasError::Refused { reason, path: path.to_owned() });
        }
        std::fs::read(path).map_err(failed)
    };
    let text =
        |path: &Path| Ok::<_, CamerasError>(String::from_utf8_lossy(&bytes(path)?).into_owned());
    let refused = |reason: String| CamerasError::Refused { reason, path: path.to_owned() };
    let of_colmap = |folder: &Path| {
        let [cameras, images] = ["cameras.txt", "images.txt"].map(|name| text(&folder.join(name)));
        colmap::read(&cameras?, &images?).map_err(refused)
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
    let name = name.unwrap_or_default();
    if path.is_dir() {
        if path.join("images.txt").is_file() {
            return of_colmap(path);
        }
        if path.join("transforms.json").is_file() {
            return read(&path.join("transforms.json"));
        }
        let mut files: Vec<PathBuf> = std::fs::read_dir(path)
            .map_err(|source| CamerasError::Read { source, path: path.to_owned() })?
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|e| e == "npy"))
            .collect();
        files.sort_unstable();
        let mut cameras = Vec::new();
        for file in &files {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            cameras.extend(npy::read(&bytes(file)?, &stem).map_err(refused)?);
        }
        if cameras.is_empty() {
            return Err(refused(
                "the folder has no transforms.json, images.txt or .npy files".into(),
            ));
        }
        return Ok(CameraFile::of_matrices(cameras));
    }
    if name == "images.txt" || name == "cameras.txt" {
        return of_colmap(folder);
    }
    if name.ends_with(".npy") {
        let cameras = npy::read(&bytes(path)?, "").map_err(refused)?;
        return Ok(CameraFile::of_matrices(cameras));
    }
    if name.ends_with(".json") {
        return json::read(&text(path)?, folder).map_err(refused);
    }
    if name.ends_with(".pkl") {
        return Err(refused("a pickle can run code; save its matrices as .npy".into()));
    }
    Err(refused("neither transforms.json nor COLMAP's images.txt nor .npy".into()))
}

/// Projection and lens of a camera that sees the origin at `depth`; `None` where neither the file
/// nor `base` knows its angle.
fn lens(
    intrinsics: &Intrinsics,
    size_px: [u32; 2],
    depth: f64,
    base: Option<&Rig>,
) -> Option<(Projection, Lens)> {
    let [width, height] = size_px.map(f64::from);
    let [x, y] = intrinsics.principal_px.unwrap_or([width / 2.0, height / 2.0]);
    let mut lens = Lens { principal_point: [x / width, y / height], focal_ratio: 1.0 };
    if let Some(span) = intrinsics.width {
        let half_height = span * height / width / 2.0;
        return Some((Projection::Orthographic { half_height }, lens));
    }
    let of_angle =
        |edge: f64, angle: Option<f64>| angle.map(|angle| edge / 2.0 / libm::tan(angle / 2.0));
    let focal_x = intrinsics.focal_px[0].or(of_angle(width, intrinsics.angle[0]));
    let focal_y = intrinsics.focal_px[1].or(of_angle(height, intrinsics.angle[1]));
    let fov_y_degrees = match (focal_x, focal_y, base) {
        (None, None, Some(base)) => match base.projection {
            Projection::Perspective { fov_y_degrees, .. } => fov_y_degrees,
            parallel @ Projection::Orthographic { .. } => return Some((parallel, lens)),
        },
        (None, None, None) => return None,
        (x, y, _) => {
            let focal_y = y.or(x)?;
            lens.focal_ratio = x.unwrap_or(focal_y) / focal_y;
            2.0 * libm::atan(height / (2.0 * focal_y)).to_degrees()
        }
    };
    // Only a description: the pose says where the camera is.
    let distance = depth.abs().max(1e-6);
    Some((Projection::Perspective { fov_y_degrees, distance }, lens))
}

/// Axes and position in the file's world, OpenGL axes; `None` where the matrix is no rotation (up
/// to one scale for all axes).
fn axes_and_eye(
    matrix: &[[f64; 4]; 3],
    kind: MatrixKind,
    axes: CameraAxes,
) -> Option<([DVec3; 3], DVec3)> {
    let column = |c: usize| DVec3::new(matrix[0][c], matrix[1][c], matrix[2][c]);
    let (turn, last) = (DMat3::from_cols(column(0), column(1), column(2)), column(3));
    let scale = libm::cbrt(turn.determinant());
    let is_turn = (turn * turn.transpose() - DMat3::from_diagonal(DVec3::splat(scale * scale)))
        .to_cols_array()
        .iter()
        .all(|off| off.abs() < 1e-3 * scale * scale);
    if !(scale > 1e-12 && is_turn && last.is_finite()) {
        return None;
    }
    let turn = turn * (1.0 / scale);
    let (turn, eye) = match kind {
        MatrixKind::WorldFromCamera => (turn, last),
        MatrixKind::CameraFromWorld => (turn.transpose(), -(turn.transpose() * last) / scale),
    };
    let sign = if axes == CameraAxes::OpenGl { 1.0 } else { -1.0 };
    // Files round: the axes are made exactly orthonormal.
    let back = (turn.z_axis * sign).normalize();
    let right = (turn.x_axis - back * turn.x_axis.dot(back)).normalize();
    Some(([right, back.cross(right), back], eye))
}

/// A matrix as [`View::pose`].
fn pose(matrix: &[[f64; 4]; 3], convention: Convention) -> Option<[[f64; 4]; 3]> {
    let (axes, eye) = axes_and_eye(matrix, convention.matrix, convention.axes)?;
    let ours = |v: DVec3| match convention.world {
        WorldAxes::Asset => v,
        WorldAxes::Blender => DVec3::new(v.x, v.z, -v.y),
    };
    let [right, up, back] = axes.map(ours);
    let eye = ours(eye);
    Some([
        [right.x, up.x, back.x, eye.x],
        [right.y, up.y, back.y, eye.y],
        [right.z, up.z, back.z, eye.z],
    ])
}

/// The unnamed conventions, from the directions of the cameras: they look at the middle of the
/// scene, assumed to be the origin, with the world's up axis up in the picture.
fn find(cameras: &[FoundCamera], named: NamedConvention) -> Result<Convention, &'static str> {
    let kinds = [MatrixKind::WorldFromCamera, MatrixKind::CameraFromWorld];
    let all_axes = [CameraAxes::OpenGl, CameraAxes::OpenCv];
    // How straight the cameras look at the origin, 1 at most.
    let mut tried = Vec::new();
    for kind in kinds.into_iter().filter(|kind| named.matrix.is_none_or(|it| it == *kind)) {
        for axes in all_axes.into_iter().filter(|axes| named.axes.is_none_or(|it| it == *axes)) {
            let found = cameras.iter().filter_map(|c| axes_and_eye(&c.matrix, kind, axes));
            let (mut straight, mut up, mut count) = (0.0, DVec3::ZERO, 0_u32);
            for ([_, upwards, back], eye) in found {
                straight += back.dot(eye.normalize_or_zero());
                up += upwards;
                count += 1;
            }
            let count = f64::from(count.max(1));
            tried.push((straight / count, kind, axes, up / count));
        }
    }
    tried.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (best, matrix, axes, up) = tried[0];
    if tried.len() > 1 && best - tried[1].0 < 0.2 {
        return Err("they do not look at the origin");
    }
    let world = match named.world {
        Some(world) => world,
        None if up.z > up.y.abs() + 0.05 => WorldAxes::Blender,
        None if up.y > up.z.abs() + 0.05 => WorldAxes::Asset,
        None => return Err("neither z nor y points up in their pictures"),
    };
    Ok(Convention { matrix, axes, world })
}
