//! A [`Picture`] → PNG with a palette, as small as it gets.

use meshjudge::objects::kit::Picture;
use std::ops::Range;

/// The smallest of what the format's filters give, deflated at leisure.
pub(crate) fn smallest_png(picture: &Picture) -> Vec<u8> {
    use png::Filter::{Adaptive, Avg, NoFilter, Paeth, Sub, Up};
    [NoFilter, Sub, Up, Avg, Paeth, Adaptive]
        .into_iter()
        .map(|filter| deflated_anew(&png(picture, filter)))
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

/// The same picture with its one IDAT chunk compressed by Zopfli.
fn deflated_anew(png: &[u8]) -> Vec<u8> {
    let idat = chunk(png, b"IDAT");
    let data = idat.start + 8..idat.end - 4;
    let lines = miniz_oxide::inflate::decompress_to_vec_zlib(&png[data]).expect("zlib data");
    let mut body = b"IDAT".to_vec();
    zopfli::compress(
        zopfli::Options::default(),
        zopfli::Format::Zlib,
        &lines[..],
        &mut body,
    )
    .expect("memory takes every byte");
    let length = (body.len() - 4) as u32;
    let checksum = crc32fast::hash(&body);
    [
        &png[..idat.start],
        &length.to_be_bytes(),
        &body,
        &checksum.to_be_bytes(),
        &png[idat.end..],
    ]
    .concat()
}

/// Where the first chunk of a kind lies, its length and checksum included.
fn chunk(png: &[u8], kind: &[u8; 4]) -> Range<usize> {
    let mut start = 8;
    loop {
        let length: [u8; 4] = png[start..start + 4].try_into().expect("four bytes");
        let end = start + 12 + u32::from_be_bytes(length) as usize;
        if png[start + 4..start + 8] == *kind {
            return start..end;
        }
        start = end;
    }
}
