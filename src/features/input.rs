//! A picture, a text or points → what a network or a server takes.

use super::array::Array;
use super::error::bad_model;
use crate::error::Error;
use crate::metrics::PointCloud;
use crate::render::{Image, PixelFormat};
use crate::rubric::Picture;
use meshjudge_features::{Centers, Preprocessing, Rgb8, groups};

/// One input of a model.
#[derive(Debug, Clone)]
pub enum Input {
    Picture(Image),
    Text(String),
    Points(PointCloud),
    /// Two pictures that are compared.
    Pair([Image; 2]),
    /// A picture with a text.
    Both(String, Image),
}

/// The kind of a feature's inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    Picture,
    Text,
    /// So many.
    Points(usize),
    Pair,
    Both,
}

/// Groups of points, for a network that begins behind its grouping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Grouping {
    pub num_centers: usize,
    pub num_members: usize,
    /// Whether centres near the origin are left out, as pointnet2_ops' kernel does.
    pub skips_origin: bool,
}

impl Input {
    /// Two unlike inputs of a kind, by which a model is checked.
    pub(super) fn specimens(kind: InputKind, [width_px, height_px]: [u32; 2]) -> [Self; 2] {
        let picture = |color: &dyn Fn(u32, u32) -> [u8; 3]| {
            let place = |at: u32| color(at % width_px, at / width_px);
            let pixels = (0..width_px * height_px).flat_map(place).collect();
            let format = PixelFormat::Rgb8;
            Image { width_px, height_px, format, pixels }
        };
        let ramp = picture(&|x: u32, y: u32| [(4 * x) as u8, (4 * y) as u8, 128]);
        let board = picture(&|x: u32, y: u32| {
            if (x / 8 + y / 8).is_multiple_of(2) { [250, 220, 30] } else { [10, 30, 90] }
        });
        let texts = ["a red chair", "a blue whale"].map(str::to_owned);
        let points = |count: usize, radius: f64| {
            let turn = |k: usize| k as f64 * 2.4;
            let at = |k: usize| {
                let (height, angle) = (2.0 * k as f64 / count as f64 - 1.0, turn(k));
                let point =
                    glam::DVec3::new(radius * libm::cos(angle), height, radius * libm::sin(angle));
                let color = [(k % 256) as u8, 128, 64];
                crate::metrics::ColoredPoint { point, normal: point.normalize(), color }
            };
            let points = (0..count).map(at).collect();
            Self::Points(PointCloud { points, num_without_color: 0 })
        };
        match kind {
            InputKind::Picture => [Self::Picture(ramp), Self::Picture(board)],
            InputKind::Text => texts.map(Self::Text),
            InputKind::Pair => {
                [Self::Pair([ramp.clone(), board]), Self::Pair([ramp.clone(), ramp])]
            }
            InputKind::Both => {
                let [red, blue] = texts;
                [Self::Both(red, ramp), Self::Both(blue, board)]
            }
            InputKind::Points(count) => [points(count, 0.3), points(count, 0.9)],
        }
    }

    /// The arrays of a network: `pixel_values`; two pictures; `points` [1, N, 6], xyz and rgb from
    /// 0 to 1; or `groups` and `centers`.
    pub(super) fn arrays(
        &self,
        preprocessing: Option<&Preprocessing>,
        grouping: Option<Grouping>,
    ) -> Result<Vec<Array>, Error> {
        let array = |name: &'static str, image: &Image| {
            let steps =
                preprocessing.ok_or_else(|| bad_model("needs a preprocessing of its pictures"))?;
            let planes = steps.planes(&rgb(image)?)?;
            let shape = vec![1, 3, planes.height, planes.width];
            Ok::<_, Error>(Array { name, shape, values: planes.values })
        };
        match self {
            Self::Text(_) | Self::Both(..) => {
                Err(bad_model("takes no text, because a network's file has no tokenizer"))
            }
            Self::Picture(image) => Ok(vec![array("pixel_values", image)?]),
            Self::Pair([first, second]) => {
                Ok(vec![array("picture", first)?, array("other", second)?])
            }
            Self::Points(cloud) => point_arrays(cloud, grouping),
        }
    }
}

/// For a server: as PNG.
pub(super) fn png(image: &Image) -> Result<Picture, Error> {
    Picture::from_image(image).map_err(bad_model)
}

fn rgb(image: &Image) -> Result<Rgb8, meshjudge_features::FeaturesError> {
    let [width, height] = [image.width_px, image.height_px].map(|px| px as usize);
    Rgb8::new(width, height, image.pixels.clone())
}

fn point_arrays(cloud: &PointCloud, grouping: Option<Grouping>) -> Result<Vec<Array>, Error> {
    let places: Vec<[f64; 3]> = cloud.points.iter().map(|at| at.point.to_array()).collect();
    let colors: Vec<[f32; 3]> =
        cloud.points.iter().map(|at| at.color.map(|byte| f32::from(byte) / 255.0)).collect();
    let Some(Grouping { num_centers, num_members, skips_origin }) = grouping else {
        let row = |(place, color): (&[f64; 3], &[f32; 3])| {
            [place.map(|value| value as f32), *color].concat()
        };
        let values = places.iter().zip(&colors).flat_map(row).collect();
        return Ok(vec![Array { name: "points", shape: vec![1, places.len(), 6], values }]);
    };
    let centers = if skips_origin { Centers::SkipOrigin } else { Centers::All };
    let found = groups(&places, num_centers, num_members, centers)?;
    let (groups, centers) = found.arrays(&places, &colors);
    Ok(vec![
        Array { name: "groups", shape: vec![1, num_centers, num_members, 6], values: groups },
        Array { name: "centers", shape: vec![1, num_centers, 3], values: centers },
    ])
}
