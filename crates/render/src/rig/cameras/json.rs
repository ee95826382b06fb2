//! `transforms.json` of NeRF, Blender, instant-ngp, nerfstudio and TRELLIS.

use super::convention::{CameraAxes, MatrixKind, NamedConvention, WorldAxes};
use super::found::{CameraFile, FoundCamera, Intrinsics};
use crate::rig::placement::Normalise;
use glam::{DMat3, DVec3};
use serde_json::Value;
use std::path::{Component, Path};

/// Lens distortion: such pictures bend straight lines, which no camera of ours does.
const DISTORTION: [&str; 6] = ["k1", "k2", "k3", "k4", "p1", "p2"];

pub(super) fn read(text: &str, folder: &Path) -> Result<CameraFile, String> {
    let file: Value = serde_json::from_str(text).map_err(|e| format!("not JSON: {e}"))?;
    let frames = file["frames"].as_array().ok_or("no list of frames")?;
    let undo = applied(&file)?;
    let mut cameras = Vec::with_capacity(frames.len());
    for (idx, frame) in frames.iter().enumerate() {
        let mut matrix = matrix(&frame["transform_matrix"]).ok_or_else(|| {
            format!("frame {idx} has no transform_matrix of 3 or 4 rows of 4 numbers")
        })?;
        if let Some((turn, moved, scale)) = undo {
            let column = |c: usize| DVec3::new(matrix[0][c], matrix[1][c], matrix[2][c]);
            let columns = [
                turn * column(0),
                turn * column(1),
                turn * column(2),
                turn * (column(3) / scale - moved),
            ];
            for (row, out) in matrix.iter_mut().enumerate() {
                *out = columns.map(|column| column[row]);
            }
        }
        let name = frame["file_path"].as_str().unwrap_or_default();
        cameras.push(FoundCamera {
            name: Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            matrix,
            intrinsics: intrinsics(&file, frame)?,
        });
    }
    let first = frames.first().and_then(|frame| frame["file_path"].as_str());
    Ok(CameraFile {
        cameras,
        convention: NamedConvention {
            matrix: Some(MatrixKind::WorldFromCamera),
            axes: Some(CameraAxes::OpenGl),
            // In the source's frame, in which the asset has the axes of its file; else in the usual
            // frame of these files.
            world: Some(if undo.is_some() { WorldAxes::Asset } else { WorldAxes::Blender }),
        },
        asset: asset(&file),
        picture_px: first.and_then(|name| picture_px(folder, name)),
    })
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let list = value.as_array()?;
    let mut out = [0.0; N];
    for (out, value) in out.iter_mut().zip(list) {
        *out = value.as_f64()?;
    }
    (list.len() == N).then_some(out)
}

fn matrix(value: &Value) -> Option<[[f64; 4]; 3]> {
    let rows = value.as_array()?;
    if !(3..=4).contains(&rows.len()) {
        return None;
    }
    Some([numbers(&rows[0])?, numbers(&rows[1])?, numbers(&rows[2])?])
}

/// What takes nerfstudio's world back to its source: the inverse turn, the move and the scale.
fn applied(file: &Value) -> Result<Option<(DMat3, DVec3, f64)>, String> {
    if file["applied_transform"].is_null() && file["applied_scale"].is_null() {
        return Ok(None);
    }
    let rows = if file["applied_transform"].is_null() {
        [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    } else {
        matrix(&file["applied_transform"]).ok_or("applied_transform is not 3 rows of 4 numbers")?
    };
    let column = |c: usize| DVec3::new(rows[0][c], rows[1][c], rows[2][c]);
    let turn = DMat3::from_cols(column(0), column(1), column(2));
    let scale = file["applied_scale"].as_f64().unwrap_or(1.0);
    let moves = turn.determinant().abs() > 1e-9 && scale.is_finite() && scale > 0.0;
    if !moves {
        return Err("applied_transform cannot be undone".into());
    }
    Ok(Some((turn.inverse(), column(3), scale)))
}

/// TRELLIS's `scale` and `offset` move the asset; instant-ngp's, which come without `aabb`, move
/// cameras inside that program only. Our own files say `asset`.
fn asset(file: &Value) -> Option<Normalise> {
    if let Some(scale) = file["asset"]["scale"].as_f64() {
        let offset = numbers(&file["asset"]["offset"])?;
        return Some(Normalise::Matrix { scale, offset });
    }
    let [x, y, z] = numbers(&file["offset"])?;
    file["aabb"].as_array()?;
    Some(Normalise::Matrix {
        scale: file["scale"].as_f64().filter(|&scale| scale > 0.0)?,
        offset: [x, z, -y],
    })
}

/// A frame's own numbers go before those of the file.
fn intrinsics(file: &Value, frame: &Value) -> Result<Intrinsics, String> {
    let number = |key: &str| frame[key].as_f64().or(file[key].as_f64());
    if DISTORTION.iter().any(|key| number(key).is_some_and(|k| k != 0.0)) {
        return Err(
            "its lens is distorted (k1 … p2); undistort the pictures and their cameras first"
                .into(),
        );
    }
    let pixels = |key: &str| number(key).filter(|&n| (1.0..1e6).contains(&n)).map(|n| n as u32);
    let is_parallel = number("proj_type") == Some(1.0);
    let width = number("ortho_scale").filter(|_| is_parallel);
    if is_parallel && width.is_none() {
        return Err("parallel rays (proj_type 1) without ortho_scale, the width of the picture; use the rig that made them, such as hunyuan3d-tex".into());
    }
    Ok(Intrinsics {
        focal_px: [number("fl_x"), number("fl_y")],
        angle: [number("camera_angle_x"), number("camera_angle_y")],
        principal_px: number("cx").zip(number("cy")).map(|(x, y)| [x, y]),
        size_px: pixels("w").zip(pixels("h")).map(|(w, h)| [w, h]),
        width,
    })
}

/// Size of the first picture, whose name may lack its suffix; only inside the folder.
fn picture_px(folder: &Path, name: &str) -> Option<[u32; 2]> {
    let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !Path::new(name).components().all(is_inside) {
        return None;
    }
    let names = ["", ".png", ".jpg", ".jpeg", ".webp"].map(|suffix| format!("{name}{suffix}"));
    let file = names.iter().map(|name| folder.join(name)).find(|path| path.is_file())?;
    let picture = image::ImageReader::open(file).ok()?.with_guessed_format().ok()?;
    picture.into_dimensions().ok().map(Into::into)
}
