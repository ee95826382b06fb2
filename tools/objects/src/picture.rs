//! A [`Picture`] → PNG with a palette.

use meshjudge_asset::objects::kit::Picture;

/// The smallest of what the format's filters give.
pub(crate) fn smallest_png(picture: &Picture) -> Vec<u8> {
    use png::Filter::{Adaptive, Avg, NoFilter, Paeth, Sub, Up};
    [NoFilter, Sub, Up, Avg, Paeth, Adaptive]
        .into_iter()
        .map(|filter| png(picture, filter))
        .min_by_key(Vec::len)
        .expect("there are filters")
}

/// PNG bytes.
pub(crate) fn png(picture: &Picture, filter: png::Filter) -> Vec<u8> {
    let mut bytes = Vec::new();
    let side_px = picture.side_px as u32;
    let mut encoder = png::Encoder::new(&mut bytes, side_px, side_px);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(picture.palette.as_flattened().to_vec());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(filter);
    let mut writer = encoder
        .write_header()
        .expect("a header for a small picture");
    writer
        .write_image_data(&picture.indices)
        .expect("indices for every pixel");
    writer.finish().expect("the end of a picture");
    bytes
}
