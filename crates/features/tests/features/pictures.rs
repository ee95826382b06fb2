//! Pictures to a network's input, to the bit.

use meshjudge_features::{
    CLIP_DEVIATION, CLIP_MEAN, Crop, CropRounding, Filter, IMAGENET_DEVIATION, IMAGENET_MEAN,
    Planes, Preprocessing, Range, Resampler, Resize, Rgb8, resampled,
};
use serde_json::json;
use sha2::{Digest, Sha256};

/// By Pillow 13.0: width, height and filter for the 47 × 33 pixels of seed 9; first 16 SHA-256
/// digits of the planes as little-endian `f32`, resized as 8-bit RGB and as three `F` pictures.
const PILLOW: [(usize, usize, Filter, &str, &str); 20] = [
    (20, 30, Filter::Box, "e2ff738372cc7298", "c675324487cd45ac"),
    (20, 30, Filter::Bilinear, "af4ddf6620438acf", "874df06969431a9f"),
    (20, 30, Filter::Hamming, "bf29c883a9265797", "e55903fe36f8a5c5"),
    (20, 30, Filter::Bicubic, "c56ad13746317c7f", "a15a83cf32b63fcc"),
    (20, 30, Filter::Lanczos, "f52154b2b76b647f", "5a7e16dd1bcadaa2"),
    (80, 9, Filter::Box, "9c94ccc0ab14d061", "355e74b406dba112"),
    (80, 9, Filter::Bilinear, "7f95c4cb051ba523", "4bdc2670075c733a"),
    (80, 9, Filter::Hamming, "a4c264006c2de82a", "e20cae85844149d3"),
    (80, 9, Filter::Bicubic, "da06c16647899d69", "a58ebbd34b885898"),
    (80, 9, Filter::Lanczos, "37f98aef748150d6", "2191a8e64eff2cd8"),
    (47, 50, Filter::Box, "07caa8c0264ed804", "07caa8c0264ed804"),
    (47, 50, Filter::Bilinear, "bd1a309b59331a46", "aa1fba20074146f3"),
    (47, 50, Filter::Hamming, "488f40c1269ccee0", "185b0c0e5a1f8f88"),
    (47, 50, Filter::Bicubic, "24a37c52ca1ce59a", "f3656dd60af1293a"),
    (47, 50, Filter::Lanczos, "4c1217c365d56059", "fa272c6857a7994a"),
    (64, 64, Filter::Box, "2282f3f306dfaa25", "2282f3f306dfaa25"),
    (64, 64, Filter::Bilinear, "285e96c4dae6c18d", "b4218eabc43bab97"),
    (64, 64, Filter::Hamming, "2a9ef138b3d3f2b5", "02260108fa91dc0e"),
    (64, 64, Filter::Bicubic, "bbccfdab274e8db2", "64677b9eef43acec"),
    (64, 64, Filter::Lanczos, "63eb0176faddbb22", "c222b8df2bdf0c39"),
];

/// By torchvision 0.29, torch 2.15, transformers 5.24 and pytorch-fid 0.3: [`preprocessing`]'s
/// names, and the same of 64 × 48 pixels of seed 1.
const TORCH: [(&str, &str, &str); 6] = [
    (
        "clip224",
        "torchvision v2 resize(uint8 tensor, antialias=True): native 8-bit kernel",
        "408340bef2a4584a",
    ),
    ("clip224", "torchvision resize(float tensor, antialias=True), clamped", "6b5d6151be88e8d1"),
    ("clip224", "torchvision resize(uint8 tensor, antialias=True)", "445d4dd363b15d0b"),
    (
        "incep299-bilinear-noaa",
        "torch interpolate bilinear align_corners=False, 2x-1 (pytorch-fid)",
        "851d6f0840d8480a",
    ),
    (
        "incep299-tf1",
        "torch-fidelity interpolate_bilinear_2d_like_tensorflow1x on 0..255, (x-128)/128",
        "9322ab6267c8881e",
    ),
    (
        "dinov2-256-224",
        "transformers BitImageProcessorFast (transformers.models.bit.image_processing_bit)",
        "47d1a6a8f2cd57ca",
    ),
];

pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Output `at` of SplitMix64, from 0 to below 1.
pub(super) fn unit(seed: u64, at: u64) -> f64 {
    let x = seed.wrapping_add((at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A picture with smooth parts, noise and edges: (x (3 + c) + 2 y (5 − c) + ⌊x y / (7 + c)⌋) mod
/// 256, noise in a quarter of the 6 × 5 px tiles, and half the lower right quarter's contrast.
pub(super) fn pixels_of_recipe(width: usize, height: usize, seed: u64) -> Vec<u8> {
    let mut pixels = Vec::with_capacity(3 * width * height);
    for y in 0..height {
        for x in 0..width {
            for c in 0..3 {
                let mut value = (x * (3 + c) + y * (5 - c) * 2 + x * y / (7 + c)) % 256;
                if (x / 6 + y / 5) % 4 == 0 {
                    value = (256.0 * unit(seed, ((y * width + x) * 3 + c) as u64)) as usize;
                }
                if x > width / 2 && y > height / 2 {
                    value = 255 - value / 2;
                }
                pixels.push(value as u8);
            }
        }
    }
    pixels
}

/// The steps of a package, by the names that the shared vectors use.
pub(super) fn preprocessing(name: &str, by: &str) -> Preprocessing {
    let clip = |at_once| match at_once {
        true => Range::NormalizedAtOnce { mean: CLIP_MEAN, deviation: CLIP_DEVIATION },
        false => Range::Normalized { mean: CLIP_MEAN, deviation: CLIP_DEVIATION },
    };
    let imagenet = |at_once| match at_once {
        true => Range::NormalizedAtOnce { mean: IMAGENET_MEAN, deviation: IMAGENET_DEVIATION },
        false => Range::Normalized { mean: IMAGENET_MEAN, deviation: IMAGENET_DEVIATION },
    };
    let is_torch_processor = by.starts_with("transformers") && !by.contains("Pil ");
    let crop = |rounding| Some(Crop { size_px: 224, rounding });
    let steps = |resize, resampler, filter, crop, range| Preprocessing {
        resize: Some(resize),
        resampler,
        filter,
        crop,
        range,
    };
    let squashed = |edge| Resize::Exact(edge, edge);
    let bicubic = Filter::Bicubic;
    match name {
        "clip224" if by.starts_with("transformers") => {
            let resampler =
                if is_torch_processor { Resampler::TorchvisionU8 } else { Resampler::Pillow };
            steps(
                Resize::ShortEdge(224),
                resampler,
                bicubic,
                crop(CropRounding::Floor),
                clip(is_torch_processor),
            )
        }
        "clip224" => {
            let resampler = match by {
                _ if by.contains("PIL") => Resampler::Pillow,
                _ if by.contains("native 8-bit") => Resampler::TorchvisionU8,
                _ if by.contains("float tensor") => Resampler::Float,
                _ => Resampler::FloatRounded,
            };
            steps(
                Resize::ShortEdge(224),
                resampler,
                bicubic,
                crop(CropRounding::HalfEven),
                clip(false),
            )
        }
        "dinov2-256-224" => {
            let resampler =
                if is_torch_processor { Resampler::TorchvisionU8 } else { Resampler::Pillow };
            steps(
                Resize::ShortEdge(256),
                resampler,
                bicubic,
                crop(CropRounding::Floor),
                imagenet(is_torch_processor),
            )
        }
        "dinov2-squash224" => {
            steps(squashed(224), Resampler::Pillow, bicubic, None, imagenet(false))
        }
        "dinov2-squash224-clean" => {
            steps(squashed(224), Resampler::PillowFloat, bicubic, None, imagenet(false))
        }
        "incep299-bilinear-aa-u8" => {
            steps(squashed(299), Resampler::FloatRounded, Filter::Bilinear, None, Range::Unit)
        }
        "incep299-bilinear-aa-f32" => {
            steps(squashed(299), Resampler::Float, Filter::Bilinear, None, Range::Unit)
        }
        "incep299-bilinear-noaa" => {
            steps(squashed(299), Resampler::FloatPlain, Filter::Bilinear, None, Range::Symmetric)
        }
        "incep299-tf1" => {
            steps(squashed(299), Resampler::Tensorflow1, Filter::Bilinear, None, Range::Tensorflow)
        }
        "incep299-clean" => {
            steps(squashed(299), Resampler::PillowFloat, bicubic, None, Range::Tensorflow)
        }
        "cmmd336-noaa" => steps(squashed(336), Resampler::FloatPlain, bicubic, None, clip(false)),
        other => panic!("no steps are known for {other}"),
    }
}

fn digest(planes: &Planes) -> String {
    let bytes: Vec<u8> = planes.values.iter().flat_map(|value| value.to_le_bytes()).collect();
    sha256(&bytes)[..16].to_owned()
}

#[test]
fn every_filter_of_pillow_is_equal_to_the_bit() {
    let picture = Rgb8::new(47, 33, pixels_of_recipe(47, 33, 9)).unwrap();
    for (width, height, filter, whole, float) in PILLOW {
        for (resampler, wanted) in [(Resampler::Pillow, whole), (Resampler::PillowFloat, float)] {
            let found = resampled(&picture, [width, height], filter, resampler, 1.0).unwrap();
            let has_sine = matches!(filter, Filter::Hamming | Filter::Lanczos);
            let is_equal =
                digest(&found) == wanted || has_sine && resampler == Resampler::PillowFloat;
            assert!(is_equal, "{filter:?} {resampler:?} {width} × {height}");
        }
    }
}

#[test]
fn kernels_of_pytorch_are_equal_to_the_bit() {
    let picture = Rgb8::new(64, 48, pixels_of_recipe(64, 48, 1)).unwrap();
    for (name, by, wanted) in TORCH {
        let found = preprocessing(name, by).planes(&picture).unwrap();
        assert_eq!(digest(&found), wanted, "{name} {by}");
    }
}

/// A picture of one colour has no neighbours that differ: every kernel keeps it.
#[test]
fn one_colour_stays_itself() {
    let picture = Rgb8::new(9, 14, [200, 100, 50].repeat(9 * 14)).unwrap();
    for filter in [Filter::Bilinear, Filter::Bicubic] {
        for resampler in
            [Resampler::Pillow, Resampler::TorchvisionU8, Resampler::Float, Resampler::FloatPlain]
        {
            let found = resampled(&picture, [23, 5], filter, resampler, 1.0).unwrap();
            for (plane, wanted) in found.values.chunks_exact(23 * 5).zip([200.0_f32, 100.0, 50.0]) {
                assert!(plane.iter().all(|value| (value - wanted).abs() < 1e-3), "{resampler:?}");
            }
        }
    }
    assert!(resampled(&picture, [23, 5], Filter::Lanczos, Resampler::Float, 1.0).is_err());
    assert!(resampled(&picture, [0, 5], Filter::Box, Resampler::Pillow, 1.0).is_err());
    assert!(Rgb8::new(2, 2, vec![0; 11]).is_err() && Rgb8::new(0, 2, vec![]).is_err());
}

#[test]
fn a_description_of_hugging_face_is_followed_or_refused() {
    let mut config = json!({
        "crop_size": { "height": 224, "width": 224 }, "do_center_crop": true, "do_convert_rgb": true,
        "do_normalize": true, "do_rescale": true, "do_resize": true, "image_mean": [0.48145466, 0.4578275, 0.40821073],
        "image_processor_type": "CLIPImageProcessor", "image_std": [0.26862954, 0.26130258, 0.27577711],
        "resample": 3, "rescale_factor": 0.00392156862745098, "size": { "shortest_edge": 224 }
    });
    let read =
        |config: &serde_json::Value, resampler| Preprocessing::from_config(config, resampler);
    let found = read(&config, Resampler::Pillow).unwrap();
    assert_eq!(found, preprocessing("clip224", "transformers CLIPImageProcessorPil (x)"));
    let torch = read(&config, Resampler::TorchvisionU8).unwrap();
    assert_eq!(torch, preprocessing("clip224", "transformers CLIPImageProcessor (x)"));
    for (field, value) in [
        ("do_pad", json!(true)),
        ("size", json!({ "longest_edge": 224 })),
        ("crop_size", json!({ "height": 224, "width": 200 })),
        ("resample", json!(0)),
        ("rescale_factor", json!(1)),
        ("image_mean", json!([0.5])),
    ] {
        let mut changed = config.clone();
        changed[field] = value;
        let refused = read(&changed, Resampler::Pillow).unwrap_err().to_string();
        assert!(refused.contains(field) || refused.contains("1/255"), "{field}: {refused}");
    }
    config["size"] = json!({ "height": 300, "width": 200 });
    config["do_center_crop"] = json!(false);
    let squashed = read(&config, Resampler::Pillow).unwrap();
    assert_eq!((squashed.resize, squashed.crop), (Some(Resize::Exact(200, 300)), None));
    config["do_center_crop"] = json!(true);
    config["crop_rounding"] = json!("half_even");
    let crop = read(&config, Resampler::Pillow).unwrap().crop.unwrap();
    assert_eq!(crop.rounding, CropRounding::HalfEven);
    config["crop_rounding"] = json!("up");
    assert!(read(&config, Resampler::Pillow).unwrap_err().to_string().contains("open_clip"));
}

/// 298 × 224 loses 37 columns to either side; of an odd rest of 3 torchvision leaves 2,
/// transformers 1, on the left.
#[test]
fn crops_are_in_the_middle() {
    let picture = Rgb8::new(7, 4, (0..7 * 4).flat_map(|at| [at % 7, 0, 0]).collect()).unwrap();
    let steps = |rounding| Preprocessing {
        resize: None,
        resampler: Resampler::Pillow,
        filter: Filter::Bicubic,
        crop: Some(Crop { size_px: 4, rounding }),
        range: Range::Unit,
    };
    let first = |rounding| (steps(rounding).planes(&picture).unwrap().values[0] * 255.0).round();
    assert_eq!([CropRounding::Floor, CropRounding::HalfEven].map(first), [1.0, 2.0]);
    assert!(
        Preprocessing {
            crop: Some(Crop { size_px: 5, rounding: CropRounding::Floor }),
            ..steps(CropRounding::Floor)
        }
        .planes(&picture)
        .is_err()
    );
}
