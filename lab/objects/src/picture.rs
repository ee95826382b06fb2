//! A [`Picture`] → PNG with a palette.

use meshjudge_asset::objects::kit::Picture;
use zopfli::{Format, Options};

/// The smallest of what the format's filters give. Takes up to a second.
pub(crate) fn smallest_png(picture: &Picture) -> Vec<u8> {
    use png::Filter::{Adaptive, Avg, NoFilter, Paeth, Sub, Up};
    let smallest = [NoFilter, Sub, Up, Avg, Paeth, Adaptive]
        .into_iter()
        .map(|filter| png(picture, filter))
        .min_by_key(Vec::len)
        .expect("there are filters");
    packed(&smallest).unwrap_or(smallest)
}

/// The same picture, its rows compressed anew by a slower search. None where that gains nothing.
///
/// PNG (third edition), section 5.3: a chunk is a length, a name, data and a checksum of name and
/// data.
fn packed(png: &[u8]) -> Option<Vec<u8>> {
    let mut out = png.get(..8)?.to_vec();
    let (mut rest, mut stream) = (png.get(8..)?, Vec::new());
    while !rest.is_empty() {
        let length = u32::from_be_bytes(rest.get(..4)?.try_into().ok()?) as usize;
        let (chunk, after) = rest.split_at_checked(length + 12)?;
        match &chunk[4..8] {
            b"IDAT" => stream.extend_from_slice(&chunk[8..8 + length]),
            b"IEND" => {
                let rows = fdeflate::decompress_to_vec(&stream).ok()?;
                let mut data = b"IDAT".to_vec();
                zopfli::compress(Options::default(), Format::Zlib, &rows[..], &mut data).ok()?;
                out.extend((data.len() as u32 - 4).to_be_bytes());
                out.extend(&data);
                out.extend(crc32fast::hash(&data).to_be_bytes());
                out.extend(chunk);
            }
            _ => out.extend(chunk),
        }
        rest = after;
    }
    (out.len() < png.len()).then_some(out)
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
    let mut writer = encoder.write_header().expect("a header for a small picture");
    writer.write_image_data(&picture.indices).expect("indices for every pixel");
    writer.finish().expect("the end of a picture");
    bytes
}
