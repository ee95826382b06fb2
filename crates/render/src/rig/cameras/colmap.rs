//! COLMAP's `cameras.txt` and `images.txt`.

use super::convention::{CameraAxes, MatrixKind, NamedConvention, WorldAxes};
use super::found::{CameraFile, FoundCamera, Intrinsics};
use glam::DQuat;
use std::collections::HashMap;

pub(super) fn read(cameras: &str, images: &str) -> Result<CameraFile, String> {
    let mut lenses = HashMap::new();
    for line in lines(cameras).filter(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let id = words.next().unwrap_or_default().to_owned();
        let model = words.next().unwrap_or_default();
        let numbers: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
        lenses.insert(id, lens(model, &numbers)?);
    }
    let mut found = Vec::new();
    let mut lines = lines(images);
    while let Some(line) = lines.next() {
        if line.is_empty() {
            continue;
        }
        // The second line lists points, and may be empty.
        let _points = lines.next();
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |k: usize| words.get(k).and_then(|word| word.parse::<f64>().ok());
        let numbers: Option<Vec<f64>> = (1..8).map(number).collect();
        let (Some(numbers), Some(id)) = (numbers, words.get(8)) else {
            return Err(format!(
                "not IMAGE_ID, QW … QZ, TX … TZ, CAMERA_ID, NAME: {:?}",
                shown(line)
            ));
        };
        let intrinsics =
            *lenses.get(*id).ok_or_else(|| format!("camera {id:?} is not in cameras.txt"))?;
        let [w, x, y, z] = [0, 1, 2, 3].map(|k| numbers[k]);
        let turn = DQuat::from_xyzw(x, y, z, w);
        if !(turn.length() > 1e-9 && turn.is_finite()) {
            return Err(format!("no rotation: {:?}", shown(line)));
        }
        let turn = glam::DMat3::from_quat(turn.normalize());
        let name = name_of(line);
        found.push(FoundCamera {
            name: name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace(['/', '\\'], "_"),
            matrix: std::array::from_fn(|row| {
                let [a, b, c] = turn.row(row).to_array();
                [a, b, c, numbers[4 + row]]
            }),
            intrinsics,
        });
    }
    Ok(CameraFile {
        cameras: found,
        convention: NamedConvention {
            matrix: Some(MatrixKind::CameraFromWorld),
            axes: Some(CameraAxes::OpenCv),
            world: Some(WorldAxes::Asset),
        },
        asset: None,
        picture_px: None,
    })
}

/// Lines without comments; empty lines are kept, since they can be an image without points.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.starts_with('#'))
}

/// All behind the ninth word: names have spaces.
fn name_of(line: &str) -> &str {
    let mut rest = line;
    for _ in 0..9 {
        rest = rest.trim_start();
        rest = &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..];
    }
    rest.trim()
}

fn shown(line: &str) -> String {
    line.chars().take(80).collect()
}

/// `numbers`: width, height, then what the model has.
fn lens(model: &str, numbers: &[f64]) -> Result<Intrinsics, String> {
    let (focal, principal) = match (model, numbers) {
        ("SIMPLE_PINHOLE", &[_, _, f, x, y]) => ([f, f], [x, y]),
        ("PINHOLE", &[_, _, fx, fy, x, y]) => ([fx, fy], [x, y]),
        ("SIMPLE_PINHOLE" | "PINHOLE", _) => {
            return Err(format!("{model} with {} numbers", numbers.len()));
        }
        _ => {
            return Err(format!(
                "the camera model {model:?} bends straight lines; undistort first (colmap image_undistorter)"
            ));
        }
    };
    let size = [numbers[0], numbers[1]];
    if !size.iter().all(|edge| (1.0..1e6).contains(edge)) || !focal.iter().all(|&f| f > 0.0) {
        return Err(format!("{model} with a size or focal length that is not above 0"));
    }
    Ok(Intrinsics {
        focal_px: focal.map(Some),
        principal_px: Some(principal),
        size_px: Some(size.map(|edge| edge as u32)),
        ..Intrinsics::default()
    })
}
