//! Pictures against reference pictures: every expected value of `tests/data/metrics_vectors.json`.

use crate::vectors::{assert_near, vectors};
use meshjudge::unstable::metrics::{
    Ground, IDENTICAL, Picture, PictureMetric, PictureValue, compare_pictures,
};
use meshjudge::unstable::render::{Image, PixelFormat};
use serde_json::Value;

/// A channel of one of the described pictures.
fn channel(name: &str, x: usize, y: usize, c: usize) -> usize {
    let ramp = |x: usize| (3 * x + 2 * y + 10 * c).min(255);
    let texture = (37 * x + 91 * y + 53 * c + 5 * ((x * y) % 31)) % 256;
    let smooth = (4 * x + 3 * y + 20 * c) % 256;
    let clamped = |value: i64| value.clamp(0, 255) as usize;
    match name {
        "texture" => texture,
        "smooth" => smooth,
        "ramp" => ramp(x),
        "ramp+shift" => ramp(x + 1),
        "ramp+dark" => ramp(x) * 7 / 8,
        "texture+noise" => clamped(texture as i64 + ((x * x + 7 * y * y + 3 * c) % 41) as i64 - 20),
        "smooth+checks" => clamped(smooth as i64 + 16 * ((x / 4 + y / 4) % 2) as i64 - 8),
        other => panic!("{other}"),
    }
}

fn image(name: &str, width: usize, height: usize) -> Image {
    let mut pixels = Vec::new();
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        pixels.extend((0..3).map(|c| channel(name, x, y, c) as u8));
    }
    Image { width_px: width as u32, height_px: height as u32, format: PixelFormat::Rgb8, pixels }
}

fn mask(width: usize, height: usize, value: impl Fn(i64) -> u8) -> Image {
    let mut pixels = Vec::new();
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let off = |at: usize, size: usize| 2 * at as i64 + 1 - size as i64;
        let (dx, dy) = (off(x, width), off(y, height));
        pixels.push(value(dx * dx + dy * dy));
    }
    Image { width_px: width as u32, height_px: height as u32, format: PixelFormat::Grey8, pixels }
}

fn metric(name: &str) -> PictureMetric {
    name.parse().unwrap()
}

fn measure(a: &Picture, b: &Picture, name: &str, ground: Ground) -> PictureValue {
    let values = compare_pictures(a, b, &[metric(name)], ground).unwrap();
    values.into_iter().next().unwrap()
}

fn size(vector: &Value) -> [usize; 2] {
    ["width", "height"].map(|key| vector["input"][key].as_u64().unwrap() as usize)
}

#[test]
fn the_published_psnr_and_ssim_come_out() {
    let mut checked = 0;
    for vector in vectors("image") {
        let id = vector["id"].as_str().unwrap();
        if id.contains("masked") || id == "img-alpha" {
            continue;
        }
        let [width, height] = size(&vector);
        let [a, b] = ["A", "B"].map(|key| {
            let name = vector["input"][key].as_str().unwrap();
            Picture::of(&image(name, width, height), None).unwrap()
        });
        for (key, name) in [
            ("mse_unit", "mse"),
            ("psnr", "psnr"),
            ("ssim_wang_valid", "ssim"),
            ("ssim_skimage_default", "ssim_uniform7"),
            ("ssim_reflect_whole", "ssim_reflect"),
            ("ssim_zero_padded_whole", "ssim_zero"),
        ] {
            let expected = vector["expect"][key].as_f64().unwrap();
            let found = measure(&a, &b, name, Ground::White).value.unwrap();
            assert_near(found, expected, &format!("{id} {name}"));
            checked += 1;
        }
    }
    assert!(checked > 70, "{checked}");
}

#[test]
fn the_published_numbers_under_masks_come_out() {
    let mut checked = 0;
    for vector in vectors("image") {
        let id = vector["id"].as_str().unwrap();
        if !id.contains("masked") {
            continue;
        }
        let [width, height] = size(&vector);
        let [a, b] = [("ramp", 3), ("ramp+shift", 2)].map(|(name, k)| {
            let reach = (k * width as i64).pow(2);
            let mask = mask(width, height, |far| if 16 * far <= reach { 255 } else { 0 });
            Picture::of(&image(name, width, height), Some(&mask)).unwrap()
        });
        let grounds = [("white", Ground::White), ("black", Ground::Black), ("grey", Ground::Grey)];
        for (ground, of) in grounds {
            for (key, name) in [("psnr_whole", "psnr"), ("ssim_wang_valid", "ssim")] {
                let expected = vector["expect"][format!("{key}_{ground}")].as_f64().unwrap();
                let found = measure(&a, &b, name, of).value.unwrap();
                assert_near(found, expected, &format!("{id} {key} {ground}"));
                checked += 1;
            }
        }
        let white = |a: &Picture, b: &Picture, name: &str| {
            measure(a, b, name, Ground::White).value.unwrap()
        };
        let expected = |key: &str| vector["expect"][key].as_f64().unwrap();
        assert_near(white(&a, &b, "psnr_union"), expected("psnr_inside_union_white"), id);
        // The entry names its first picture's mask.
        assert_near(white(&b, &a, "psnr_inside"), expected("psnr_inside_mask_A_white"), id);
        let [both, either] = [0, 1].map(|k| vector["expect"]["mask_iou"][k].as_f64().unwrap());
        assert_near(white(&a, &b, "mask_iou"), both / either, id);
    }
    assert_eq!(checked, 18);
}

#[test]
fn alpha_is_laid_over_the_ground_in_encoded_space() {
    let vectors = vectors("image");
    let vector = vectors.iter().find(|v| v["id"] == "img-alpha").unwrap();
    let [width, height] = size(vector);
    let mask = mask(width, height, |far| (255 - far / 3).clamp(0, 255) as u8);
    let blended = Picture::of(&image("ramp", width, height), Some(&mask)).unwrap();
    let flat = |byte: u8| Image::filled(width as u32, height as u32, PixelFormat::Grey8, &[byte]);
    for (ground, key) in [
        (Ground::White, "mean_over_white"),
        (Ground::Black, "mean_over_black"),
        (Ground::Grey, "mean_over_grey"),
    ] {
        // mean (x − 0)² − mean (x − 1)² = 2 mean x − 1
        let [to_black, to_white] = [0, 255].map(|byte| {
            let other = Picture::of(&flat(byte), None).unwrap();
            measure(&blended, &other, "mse", ground).value.unwrap()
        });
        let mean = 0.5 * (to_black - to_white + 1.0);
        assert_near(mean, vector["expect"][key].as_f64().unwrap(), key);
    }
}

/// Computed with numpy from the definition.
#[test]
fn ms_ssim_has_the_values_of_its_definition() {
    for ([a, b], [width, height], expected) in [
        (["texture", "texture+noise"], [201, 180], 0.988_386_424_490_961_4),
        (["smooth", "smooth+checks"], [176, 177], 0.958_749_611_136_629_9),
    ] {
        let [a, b] = [a, b].map(|name| Picture::of(&image(name, width, height), None).unwrap());
        let found = measure(&a, &b, "ms_ssim", Ground::White).value.unwrap();
        assert!((found - expected).abs() < 1e-12, "{found}");
        assert_eq!(measure(&a, &a, "ms_ssim", Ground::White).value, Some(1.0));
    }
    let small = Picture::of(&image("ramp", 176, 175), None).unwrap();
    let found = measure(&small, &small, "ms_ssim", Ground::White);
    assert!(found.value.is_none() && found.why.unwrap().contains("176 px"));
}

#[test]
fn what_has_no_number_says_why() {
    let picture = |name: &str, width, height| Picture::of(&image(name, width, height), None);
    let (a, b) = (picture("ramp", 16, 16).unwrap(), picture("ramp", 16, 8).unwrap());
    let same = measure(&a, &a, "psnr", Ground::White);
    assert_eq!((same.value, same.why), (None, Some(IDENTICAL)));
    assert_eq!(measure(&a, &a, "ssim", Ground::White).value, Some(1.0));
    assert_eq!(measure(&a, &a, "mask_iou", Ground::White).why, Some("no masks"));
    let refused = |a: &Picture, b: &Picture, name: &str| {
        let error = compare_pictures(a, b, &[metric(name)], Ground::White).unwrap_err();
        error.to_string()
    };
    assert!(refused(&a, &b, "psnr").contains("differ in size"));
    assert!(refused(&b, &b, "ssim").contains("smaller than the window of 11 px"));
    assert!("lpips".parse::<PictureMetric>().is_err());
}
