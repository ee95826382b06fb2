//! From a picture to the array that a network takes, by a description that can be hashed.

use super::error::FeaturesError;
use super::resample::{Filter, Planes, Resampler, Rgb8, resampled};
use serde_json::{Map, Value};

/// Everything that decides the array. Its JSON is the definition of the preprocessing: two arrays
/// are comparable when it is equal.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Preprocessing {
    /// None keeps the size.
    pub resize: Option<Resize>,
    /// Whose arithmetic resizes.
    pub resampler: Resampler,
    /// How it weights neighbours.
    pub filter: Filter,
    /// The crop afterwards.
    pub crop: Option<Crop>,
    /// What becomes of 0 to 255.
    pub range: Range,
}

/// The size before the crop, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resize {
    /// The shorter edge has this length, the longer ⌊length · long / short⌋.
    ShortEdge(usize),
    /// Squashed to this width and height.
    Exact(usize, usize),
}

/// A square in the middle, of `size_px` pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Crop {
    /// Its edge.
    pub size_px: usize,
    /// Where it begins if the rest is odd.
    pub rounding: CropRounding,
}

/// Where a crop begins whose rest is odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CropRounding {
    /// ⌊rest / 2⌋: transformers.
    Floor,
    /// The even number nearest to rest / 2: torchvision, open_clip, OpenAI's CLIP.
    HalfEven,
}

/// What becomes of x from 0 to 255, in single precision.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Range {
    /// x / 255.
    Unit,
    /// (x / 255 − mean) / deviation: torchvision, and Pillow's processors of transformers.
    Normalized {
        /// Red, green, blue.
        mean: [f32; 3],
        /// Red, green, blue.
        deviation: [f32; 3],
    },
    /// (x − 255 mean) / (255 deviation), above ± 3·10⁻⁷: transformers' torchvision processors.
    NormalizedAtOnce {
        /// Red, green, blue.
        mean: [f32; 3],
        /// Red, green, blue.
        deviation: [f32; 3],
    },
    /// 2 (x / 255) − 1: pytorch-fid.
    Symmetric,
    /// (x − 128) / 128: torch-fidelity, clean-fid.
    Tensorflow,
}

/// Mean of OpenAI's CLIP.
pub const CLIP_MEAN: [f32; 3] = [0.481_454_66, 0.457_827_5, 0.408_210_73];
/// Deviation of OpenAI's CLIP.
pub const CLIP_DEVIATION: [f32; 3] = [0.268_629_54, 0.261_302_6, 0.275_777_1];
/// Mean of ImageNet, for DINOv2.
pub const IMAGENET_MEAN: [f32; 3] = [0.485, 0.456, 0.406];
/// Deviation of ImageNet.
pub const IMAGENET_DEVIATION: [f32; 3] = [0.229, 0.224, 0.225];

impl Preprocessing {
    /// The array of a picture, in the order channel, row, column.
    ///
    /// # Errors
    /// A filter that the library does not have; a crop larger than the picture.
    pub fn planes(&self, picture: &Rgb8) -> Result<Planes, FeaturesError> {
        let size = self.size_of(picture);
        // Float kernels see values from 0 to 1 where the result is from 0 to 1, except where the
        // packages divide afterwards.
        let is_unit_first = matches!(self.resampler, Resampler::Float | Resampler::FloatPlain);
        let divisor = if is_unit_first { 255.0 } else { 1.0 };
        let mut planes = resampled(picture, size, self.filter, self.resampler, divisor)?;
        let clipped = match self.resampler {
            Resampler::Float => Some(1.0),
            Resampler::FloatRounded | Resampler::PillowFloat => Some(255.0),
            _ => None,
        };
        if let Some(most) = clipped {
            planes.values.iter_mut().for_each(|value| *value = value.clamp(0.0, most));
        }
        if self.resampler == Resampler::FloatRounded {
            planes.values.iter_mut().for_each(|value| *value = value.round_ties_even());
        }
        if let Some(crop) = self.crop {
            planes = cropped(&planes, crop)?;
        }
        let num_pixels = planes.width * planes.height;
        for (channel, plane) in planes.values.chunks_exact_mut(num_pixels).enumerate() {
            plane.iter_mut().for_each(|x| *x = self.range.of(*x, divisor, channel));
        }
        Ok(planes)
    }

    fn size_of(&self, picture: &Rgb8) -> [usize; 2] {
        let [width, height] = [picture.width, picture.height];
        match self.resize {
            None => [width, height],
            Some(Resize::Exact(width, height)) => [width, height],
            Some(Resize::ShortEdge(edge)) if width <= height => [edge, edge * height / width],
            Some(Resize::ShortEdge(edge)) => [edge * width / height, edge],
        }
    }

    /// Reads a `preprocessor_config.json` of Hugging Face. `resampler` chooses the processor:
    /// [`Resampler::Pillow`] is the `…Pil` class, [`Resampler::TorchvisionU8`] the default of
    /// transformers ≥ 5, whose name is the same as that of the Pillow class before; the others are
    /// those of evaluation packages.
    ///
    /// # Errors
    /// A field that is unknown, missing or of a value that is not supported.
    pub fn from_config(config: &Value, resampler: Resampler) -> Result<Self, FeaturesError> {
        Config::new(config)?.read(resampler)
    }
}

impl Range {
    /// `divided`: by what x has been divided already.
    fn of(self, x: f32, divided: f32, channel: usize) -> f32 {
        let unit = || x / (255.0 / divided);
        match self {
            Self::Unit => unit(),
            Self::Normalized { mean, deviation } => (unit() - mean[channel]) / deviation[channel],
            Self::NormalizedAtOnce { mean, deviation } => {
                (x * divided - mean[channel] * 255.0) / (deviation[channel] * 255.0)
            }
            Self::Symmetric => 2.0 * unit() - 1.0,
            Self::Tensorflow => (x * divided - 128.0) / 128.0,
        }
    }
}

fn cropped(planes: &Planes, crop: Crop) -> Result<Planes, FeaturesError> {
    let (size, [width, height]) = (crop.size_px, [planes.width, planes.height]);
    if size == 0 || size > width.min(height) {
        let reason = format!("a crop of {size} pixels does not fit into {width} × {height}");
        return Err(FeaturesError::Impossible(reason));
    }
    let [left, top] = [width, height].map(|edge| {
        let rest = edge - size;
        let is_up = crop.rounding == CropRounding::HalfEven && rest % 4 == 3;
        rest / 2 + usize::from(is_up)
    });
    let mut values = Vec::with_capacity(3 * size * size);
    for plane in planes.values.chunks_exact(width * height) {
        for row in plane.chunks_exact(width).skip(top).take(size) {
            values.extend(&row[left..left + size]);
        }
    }
    Ok(Planes { width: size, height: size, values })
}

/// Fields of a `preprocessor_config.json` that change nothing for a picture of three channels.
const WITHOUT_EFFECT: [&str; 8] = [
    "_valid_processor_keys",
    "data_format",
    "device",
    "do_convert_rgb",
    "feature_extractor_type",
    "image_processor_type",
    "input_data_format",
    "processor_class",
];
/// Fields that are read.
const READ: [&str; 11] = [
    "crop_rounding",
    "crop_size",
    "do_center_crop",
    "do_normalize",
    "do_rescale",
    "do_resize",
    "image_mean",
    "image_std",
    "resample",
    "rescale_factor",
    "size",
];

struct Config<'a>(&'a Map<String, Value>);

impl<'a> Config<'a> {
    fn new(config: &'a Value) -> Result<Self, FeaturesError> {
        let fields = config.as_object().ok_or_else(|| bad("it is not an object"))?;
        let is_known = |name: &str| READ.contains(&name) || WITHOUT_EFFECT.contains(&name);
        // A field without a value says nothing.
        let given = fields.iter().filter(|(_, value)| !value.is_null());
        match given.map(|(name, _)| name.as_str()).find(|name| !is_known(name)) {
            Some(name) => Err(bad(&format!("the field {name:?} is not supported"))),
            None => Ok(Self(fields)),
        }
    }

    fn read(&self, resampler: Resampler) -> Result<Preprocessing, FeaturesError> {
        let is_torchvision = resampler == Resampler::TorchvisionU8;
        let filter = match self.0.get("resample").and_then(Value::as_u64) {
            Some(1) => Filter::Lanczos,
            Some(2) => Filter::Bilinear,
            Some(3) => Filter::Bicubic,
            Some(4) => Filter::Box,
            Some(5) => Filter::Hamming,
            _ if !self.does("do_resize") => Filter::Bicubic,
            _ => return Err(bad("\"resample\" must be a number from 1 to 5")),
        };
        let resize = if self.does("do_resize") { Some(self.resize()?) } else { None };
        let crop = if self.does("do_center_crop") { Some(self.crop()?) } else { None };
        let factor = self.0.get("rescale_factor").map_or(Some(1.0 / 255.0), Value::as_f64);
        if !self.does("do_rescale") || !factor.is_some_and(|f| (f * 255.0 - 1.0).abs() < 1e-9) {
            return Err(bad("values must be rescaled by 1/255"));
        }
        let range = if self.does("do_normalize") {
            let [mean, deviation] = [self.triple("image_mean")?, self.triple("image_std")?];
            match is_torchvision {
                true => Range::NormalizedAtOnce { mean, deviation },
                false => Range::Normalized { mean, deviation },
            }
        } else {
            Range::Unit
        };
        Ok(Preprocessing { resize, resampler, filter, crop, range })
    }

    /// A step is made unless it is switched off. A crop is made only where its size is given.
    fn does(&self, name: &str) -> bool {
        let missing = name != "do_center_crop" || self.0.contains_key("crop_size");
        self.0.get(name).and_then(Value::as_bool).unwrap_or(missing)
    }

    fn resize(&self) -> Result<Resize, FeaturesError> {
        let size = self.0.get("size").ok_or_else(|| bad("\"size\" is missing"))?;
        let edge = |name: &str| size.get(name).and_then(Value::as_u64).map(|px| px as usize);
        let num_keys = size.as_object().map_or(0, Map::len);
        match (size.as_u64(), edge("shortest_edge"), edge("width"), edge("height")) {
            (Some(px), ..) => Ok(Resize::ShortEdge(px as usize)),
            (_, Some(px), None, None) if num_keys == 1 => Ok(Resize::ShortEdge(px)),
            (_, None, Some(width), Some(height)) if num_keys == 2 => {
                Ok(Resize::Exact(width, height))
            }
            _ => Err(bad(
                "\"size\" must be a number, {\"shortest_edge\"}, or {\"width\", \"height\"}",
            )),
        }
    }

    fn crop(&self) -> Result<Crop, FeaturesError> {
        let size = self.0.get("crop_size").unwrap_or(&Value::Null);
        let edge = |name: &str| size.get(name).and_then(Value::as_u64);
        let square = edge("width").filter(|width| Some(*width) == edge("height"));
        match size.as_u64().or(square) {
            Some(px) => Ok(Crop { size_px: px as usize, rounding: self.crop_rounding()? }),
            None => {
                Err(bad("\"crop_size\" must be a number, or an equal \"width\" and \"height\""))
            }
        }
    }

    /// Our own field, since other packages' crops differ from those of transformers.
    fn crop_rounding(&self) -> Result<CropRounding, FeaturesError> {
        match self.0.get("crop_rounding").map(Value::as_str) {
            None | Some(Some("floor")) => Ok(CropRounding::Floor),
            Some(Some("half_even")) => Ok(CropRounding::HalfEven),
            Some(_) => Err(bad(
                "\"crop_rounding\" must be \"floor\" (transformers) or \"half_even\" (torchvision, open_clip)",
            )),
        }
    }

    fn triple(&self, name: &str) -> Result<[f32; 3], FeaturesError> {
        let found = self.0.get(name).and_then(Value::as_array).filter(|list| list.len() == 3);
        let number = |k: usize| found.and_then(|list| list[k].as_f64());
        match [number(0), number(1), number(2)] {
            [Some(r), Some(g), Some(b)] => Ok([r as f32, g as f32, b as f32]),
            _ => Err(bad(&format!("{name:?} must be three numbers"))),
        }
    }
}

fn bad(reason: &str) -> FeaturesError {
    FeaturesError::Description(reason.to_owned())
}
