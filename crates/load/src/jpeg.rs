//! JPEG → RGBA as browsers show it: YCbCr, grey, RGB, and the inks of CMYK and YCCK; truncated or
//! damaged data as far as it decodes.

use super::jpeg_scan::{Scan, Watch};
use std::borrow::Cow;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

/// The problem of a picture that is shown nevertheless.
#[derive(Debug)]
pub(super) enum Flaw {
    /// It ends early or cannot be decoded from some place on, and why.
    Damaged(String),
    /// It has the colours of printing inks.
    Inks,
}

/// A JPEG, and what its headers say.
#[derive(Debug)]
pub(super) struct Jpeg<'a> {
    bytes: Cow<'a, [u8]>,
    pub width_px: u32,
    pub height_px: u32,
    is_inks: bool,
    /// In what form the decoder hands out its samples.
    out: ColorSpace,
}

impl<'a> Jpeg<'a> {
    /// Reads the headers.
    ///
    /// # Errors
    /// Their problem.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let mut bytes = Cow::Borrowed(bytes);
        let components = components(&bytes);
        let mut out = ColorSpace::RGBA;
        if let (Some(3), Some(place)) = (components, adobe_transform(&bytes))
            && bytes[place] == 0
        {
            // Adobe's marker: red, green and blue, unless JFIF's says YCbCr. The decoder knows them
            // by their names only, so they pass for YCbCr that nobody converts.
            bytes.to_mut()[place] = 1;
            if !is_jfif(&bytes) {
                out = ColorSpace::YCbCr;
            }
        }
        let watch = Watch::default();
        let mut decoder = decoder(Scan::plain(&bytes, &watch), out, false);
        decoder.decode_headers().map_err(|e| e.to_string())?;
        if let Some(ColorSpace::RGB | ColorSpace::CMYK | ColorSpace::YCCK) =
            decoder.input_colorspace()
        {
            out = ColorSpace::RGB;
        }
        let (width, height) = decoder.dimensions().ok_or("it has no size")?;
        drop(decoder);
        Ok(Self {
            bytes,
            width_px: u32::try_from(width).map_err(|e| e.to_string())?,
            height_px: u32::try_from(height).map_err(|e| e.to_string())?,
            is_inks: components == Some(4),
            out,
        })
    }

    /// All texels, and the picture's problem.
    ///
    /// # Errors
    /// When nothing of it can be decoded.
    pub(super) fn decode(&self) -> Result<(Vec<[u8; 4]>, Option<Flaw>), String> {
        let flaw = self.is_inks.then_some(Flaw::Inks);
        let (bytes, end) = (&self.bytes[..], end_of_image(&self.bytes));
        let watch = Watch::default();
        let ended = end.map(|end| self.samples(Scan::ended(&bytes[..end], &watch), true));
        let uneven = (!watch.is_even())
            .then(|| Flaw::Damaged("its data are too long or too short for its size".to_owned()));
        if let Some(Ok(texels)) = ended {
            return Ok((texels, flaw.or(uneven)));
        }
        let plain = |bytes: &[u8], is_strict| {
            let watch = Watch::default();
            self.samples(Scan::plain(bytes, &watch), is_strict)
        };
        match plain(bytes, true) {
            Ok(texels) => Ok((texels, flaw.or(uneven))),
            Err(reason) => {
                // End of image after the data, for pictures of several scans that lack it.
                let ended = [bytes, &[0xff, 0xd9]].concat();
                let rest = plain(bytes, false).or_else(|_| plain(&ended, false));
                let is_harmless = reason.contains("[strict-mode]");
                let damage = Flaw::Damaged(match end {
                    Some(_) => reason,
                    None => "it is cut off".to_owned(),
                });
                Ok((rest?, flaw.or((!is_harmless).then_some(damage))))
            }
        }
    }

    fn samples(&self, scan: Scan<'_, '_>, is_strict: bool) -> Result<Vec<[u8; 4]>, String> {
        let count = self.width_px as usize * self.height_px as usize;
        let mut decoder = decoder(scan, self.out, is_strict);
        decoder.decode_headers().map_err(|e| e.to_string())?;
        let samples = self.out.num_components();
        if decoder.output_buffer_size() != Some(count * samples) {
            return Err("its two headers differ".to_owned());
        }
        let mut texels = vec![[0; 4]; count];
        if samples == 4 {
            // Straight to RGBA: a second pass costs a tenth of the time.
            decoder.decode_into(texels.as_flattened_mut()).map_err(|e| e.to_string())?;
        } else {
            let mut rgb = vec![0; count * 3];
            decoder.decode_into(&mut rgb).map_err(|e| e.to_string())?;
            for (texel, &[r, g, b]) in texels.iter_mut().zip(rgb.as_chunks::<3>().0) {
                *texel = [r, g, b, 255];
            }
        }
        Ok(texels)
    }
}

fn decoder<'a, 'w>(
    scan: Scan<'a, 'w>,
    out: ColorSpace,
    is_strict: bool,
) -> JpegDecoder<Scan<'a, 'w>> {
    let options = DecoderOptions::default()
        .set_strict_mode(is_strict)
        .set_max_width(usize::MAX) // checked before, against our own limits
        .set_max_height(usize::MAX)
        .jpeg_set_out_colorspace(out);
    JpegDecoder::new_with_options(scan, options)
}

/// Where the last end of image begins, among the last 64 KiB.
fn end_of_image(bytes: &[u8]) -> Option<usize> {
    let first = bytes.len().saturating_sub(1 << 16);
    let mut pairs = bytes[first..].windows(2);
    Some(first + pairs.rposition(|pair| pair == [0xff, 0xd9])?)
}

/// Time for decoding relative to other pictures: by encoded bytes, of which those of a progressive
/// JPEG took two and a half times as long as others.
pub(super) fn decoding_cost(bytes: &[u8]) -> usize {
    if is_progressive(bytes) { bytes.len() * 5 / 2 } else { bytes.len() }
}

/// Whether the first frame header is that of a progressive picture.
fn is_progressive(bytes: &[u8]) -> bool {
    segment(bytes, |marker| matches!(marker, 0xc0..=0xc2)).is_some_and(|at| bytes[at + 1] == 0xc2)
}

/// How many components there are: 4 are inks.
fn components(bytes: &[u8]) -> Option<u8> {
    let at = segment(bytes, |marker| matches!(marker, 0xc0..=0xc2))?;
    bytes.get(at + 9).copied()
}

/// Where Adobe's segment says how colours are stored (Technical Note 5116, section 18): 0 as is.
fn adobe_transform(bytes: &[u8]) -> Option<usize> {
    let at = segment(bytes, |marker| marker == 0xee)?;
    (bytes.get(at + 4..at + 9)? == b"Adobe" && bytes.len() > at + 15).then_some(at + 15)
}

/// Whether there is a JFIF segment, whose pictures are grey or YCbCr (ITU-T T.871).
fn is_jfif(bytes: &[u8]) -> bool {
    let at = segment(bytes, |marker| marker == 0xe0);
    at.and_then(|at| bytes.get(at + 4..at + 9)).is_some_and(|name| name == b"JFIF\0")
}

/// Where the first segment of a kind begins, before the pixels (ITU-T T.81, section B.1.1.4).
fn segment(bytes: &[u8], is_wanted: impl Fn(u8) -> bool) -> Option<usize> {
    bytes.strip_prefix(&[0xff, 0xd8])?;
    let mut at = 2;
    while let Some(&[0xff, marker, high, low]) = bytes.get(at..at + 4) {
        match marker {
            _ if is_wanted(marker) => return Some(at),
            0xda => return None,
            0xff => at += 1, // fill bytes
            _ => at += 2 + usize::from(u16::from_be_bytes([high, low])),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progressive_pictures_are_known_by_their_first_frame_header() {
        // Start, an application segment of four bytes, then a frame header.
        let jpeg = |marker| [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0xff, 0xc2, 0xff, marker, 0, 17, 8];
        assert!(is_progressive(&jpeg(0xc2)));
        assert!(!is_progressive(&jpeg(0xc0)));
        for end in 0..10 {
            assert!(!is_progressive(&jpeg(0xc2)[..end]));
        }
        assert!(!is_progressive(b"\x89PNG\r\n\x1a\n"));
        assert_eq!(decoding_cost(&jpeg(0xc2)), 32);
    }
}
