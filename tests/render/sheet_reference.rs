//! Highlight and zoom on photos whose every pixel is known.

use meshjudge::unstable::render::{Image, PixelFormat};
use meshjudge::unstable::sheet::{self, MaskBox, ReferenceStyle, SheetError};

const STYLE: fn() -> ReferenceStyle = ReferenceStyle::default;

/// A Grey8 mask with a filled rectangle, far corner excluded.
fn mask(width_px: u32, height_px: u32, x: std::ops::Range<u32>, y: std::ops::Range<u32>) -> Image {
    let mut mask = Image::filled(width_px, height_px, PixelFormat::Grey8, &[0]);
    for row in y {
        for column in x.clone() {
            mask.pixels[(row * width_px + column) as usize] = 255;
        }
    }
    mask
}

fn plain(width_px: u32, height_px: u32, color: [u8; 3]) -> Image {
    Image::filled(width_px, height_px, PixelFormat::Rgb8, &color)
}

/// WCAG 2.2 contrast ratio, 1 to 21.
fn contrast(a: &[u8], b: &[u8]) -> f64 {
    let luminance = |c: &[u8]| {
        let [r, g, b] = [c[0], c[1], c[2]].map(|byte| f64::from(sheet::decode_srgb(byte)));
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

#[test]
fn the_highlight_stands_out_on_every_colour() {
    let purple = STYLE().color;
    let steps = [0_u8, 32, 64, 96, 128, 160, 192, 224, 255];
    let mut colors = vec![purple, [128, 0, 128], [230, 200, 255], [75, 0, 130]];
    for r in steps {
        for g in steps {
            colors.extend(steps.map(|b| [r, g, b]));
        }
    }
    let mask = mask(100, 100, 40..60, 40..60);
    for color in colors {
        let out = sheet::highlight(&plain(100, 100, color), &mask, &STYLE());
        // The object ends at column 59; 2 px of outline and 1 px of hairline follow.
        let best = (60..64).map(|x| contrast(out.pixel(x, 50), &color)).fold(1.0, f64::max);
        // √(1.05 / (L_purple + 0.05)) ≈ 2.5 is the worst case of two colours against a third.
        assert!(best > 2.3, "{color:?}: contrast {best}");
        assert_eq!(out.pixel(10, 10), color, "the surroundings stay");
    }
}

#[test]
fn fill_outline_and_hairline_lie_where_they_should() {
    let photo = plain(400, 200, [100, 100, 100]);
    let out = sheet::highlight(&photo, &mask(400, 200, 150..250, 50..150), &STYLE());
    assert_eq!(out.pixel(200, 100), [124, 73, 156], "40 % purple over grey");
    assert_eq!(out.pixel(250, 100), [160, 32, 240], "outline beside the object");
    assert_eq!(out.pixel(251, 100), [160, 32, 240]);
    assert!(out.pixel(252, 100).iter().all(|&c| c > 175), "hairline");
    assert_eq!(out.pixel(254, 100), [100, 100, 100]);
    // The outline's width follows the picture: 5 px of 1000.
    let out =
        sheet::highlight(&plain(1000, 500, [9; 3]), &mask(1000, 500, 400..600, 200..300), &STYLE());
    assert!((600..605).all(|x| out.pixel(x, 250) == [160, 32, 240]));
    assert_ne!(out.pixel(605, 250), [160, 32, 240]);
}

#[test]
fn an_object_that_fills_the_photo_is_outlined_along_the_edge() {
    let out = sheet::highlight(&plain(80, 60, [200; 3]), &mask(80, 60, 0..80, 0..60), &STYLE());
    for (x, y) in [(0, 0), (79, 30), (40, 59), (1, 30)] {
        assert_eq!(out.pixel(x, y), [160, 32, 240]);
    }
    assert_eq!(out.pixel(40, 30), [184, 133, 216]);
}

#[test]
fn the_zoom_is_centred_then_shifted_then_shrunk() {
    let window = |b: (u32, u32, u32, u32), w, h| {
        let object = MaskBox { left: b.0, top: b.1, right: b.2, bottom: b.3 };
        let z = sheet::zoom_window(object, w, h, 0.15);
        (z.left, z.top, z.width_px, z.height_px)
    };
    // A box of 100 × 40 in the middle: 100 + 2 · 15 = 130, centred on (500, 400).
    assert_eq!(window((450, 380, 549, 419), 1000, 800), (435, 335, 130, 130));
    // In the corner: shifted, same size.
    assert_eq!(window((0, 0, 99, 39), 1000, 800), (0, 0, 130, 130));
    assert_eq!(window((900, 760, 999, 799), 1000, 800), (870, 670, 130, 130));
    // Wider than the photo is high: the whole object stays inside.
    assert_eq!(window((50, 20, 949, 79), 1000, 100), (0, 0, 1000, 100));
    // A speck keeps its surroundings.
    assert_eq!(window((500, 400, 500, 400), 1000, 800), (476, 376, 48, 48));
}

#[test]
fn the_pictures_have_the_stated_sizes() {
    let photo = plain(3000, 1000, [50, 90, 20]);
    let out = sheet::reference(&photo, &mask(3000, 1000, 700..800, 300..350), &STYLE()).unwrap();
    assert_eq!((out.highlighted.width_px, out.highlighted.height_px), (2048, 683));
    assert_eq!((out.zoom.width_px, out.zoom.height_px), (768, 768));
    assert_eq!((out.zoom_highlighted.width_px, out.zoom_highlighted.height_px), (768, 768));
    assert!(out.zoom.pixels.as_chunks::<3>().0.iter().all(|&p| p == [50, 90, 20]));
    assert_ne!(out.zoom, out.zoom_highlighted);
    // The zoom shows 130 px; the object of 100 × 50 px fills 100/130 of the width.
    let filled = |p: &[u8; 3]| p == &[94, 67, 108];
    let row = &out.zoom_highlighted.pixels[384 * 768 * 3..385 * 768 * 3];
    let count = row.as_chunks::<3>().0.iter().filter(|p| filled(p)).count();
    assert!(count.abs_diff(591) <= 2, "{count}");
}

#[test]
fn masks_come_in_grey_colour_and_alpha() {
    let grey = mask(20, 10, 5..9, 2..4);
    let expected = sheet::read_mask(&grey).unwrap();
    let convert = |format, pixel: fn(u8) -> Vec<u8>| Image {
        format,
        pixels: grey.pixels.iter().flat_map(|&v| pixel(v)).collect(),
        ..grey.clone()
    };
    let red = convert(PixelFormat::Rgb8, |v| vec![v, 0, 0]);
    let alpha = convert(PixelFormat::Rgba8, |v| vec![255, 255, 255, v]);
    let opaque = convert(PixelFormat::Rgba8, |v| vec![v, v, v, 255]);
    let deep = convert(PixelFormat::Grey16, |v| vec![v, 0]);
    for file in [red, alpha, opaque, deep] {
        assert_eq!(sheet::read_mask(&file).unwrap(), expected, "{:?}", file.format);
    }
    let found = sheet::mask_box(&expected).unwrap();
    assert_eq!(found, MaskBox { left: 5, top: 2, right: 8, bottom: 3 });
    assert_eq!((found.width_px(), found.height_px()), (4, 2));
}

#[test]
fn a_mask_that_cannot_be_used_is_named() {
    let photo = plain(20, 10, [0; 3]);
    assert!(matches!(
        sheet::reference(&photo, &mask(10, 20, 1..2, 1..2), &STYLE()),
        Err(SheetError::MaskSize { photo_width_px: 20, mask_width_px: 10, .. })
    ));
    let mut labels = mask(20, 10, 5..9, 2..4);
    labels.pixels.iter_mut().for_each(|v| *v = u8::from(*v > 0));
    let error = sheet::reference(&photo, &labels, &STYLE()).unwrap_err();
    assert_eq!(error, SheetError::EmptyMask { largest: 1 });
    assert!(error.to_string().contains("255"));
}

#[test]
fn a_single_pixel_and_a_tiny_photo_are_handled() {
    let out = sheet::reference(&plain(300, 200, [0; 3]), &mask(300, 200, 299..300, 0..1), &STYLE())
        .unwrap();
    assert_eq!((out.zoom.width_px, out.zoom.height_px), (768, 768));
    let out = sheet::reference(&plain(3, 2, [0; 3]), &mask(3, 2, 1..2, 0..1), &STYLE()).unwrap();
    assert_eq!((out.zoom.width_px, out.zoom.height_px), (768, 512));
}
