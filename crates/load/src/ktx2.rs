//! Basis Universal `.ktx2` (`KHR_texture_basisu`: ETC1S; UASTC plain or Zstandard) → RGBA.
//!
//! Reads and bounds the header before the `basisu` crate decodes the largest level. Only what the
//! extension allows: one flat picture. KTX File Format Specification 2.0, section 3.

use basisu::{DecodeFlags, SourceFormat, TargetFormat, Transcoder};

/// First bytes of every file.
const IDENTIFIER: [u8; 12] = *b"\xABKTX 20\xBB\r\n\x1A\n";

/// Header, and the index's first level after it: its place, its bytes, and its bytes when unpacked.
const LEVELS_AT: usize = 80;
const LEVEL_BYTES: usize = 24;

/// Offset and length of the key/value data.
const KEY_VALUE_DATA: std::ops::Range<usize> = 56..64;

/// A UASTC block: 4×4 texels.
const BLOCK_PX: u32 = 4;
const BLOCK_BYTES: u64 = 16;

/// `supercompressionScheme`.
const BASIS_LZ: u32 = 1;

/// What the header says of a picture that we read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub width_px: u32,
    pub height_px: u32,
}

/// By the first bytes.
pub(super) fn is_ktx2(bytes: &[u8]) -> bool {
    bytes.starts_with(&IDENTIFIER)
}

impl Header {
    /// Checks all that decides how much memory decoding takes.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let word = |at: usize| -> Result<u32, String> {
            let bytes = bytes.get(at..at + 4).and_then(|b| b.try_into().ok());
            bytes.map(u32::from_le_bytes).ok_or_else(|| "its header is cut off".to_owned())
        };
        let [format, _, width_px, height_px, depth, layers, faces, levels, scheme] =
            [12, 16, 20, 24, 28, 32, 36, 40, 44].map(word);
        let (width_px, height_px, levels, scheme) = (width_px?, height_px?, levels?, scheme?);
        if format? != 0 || scheme > 2 {
            return Err("it is a KTX2 picture that is not of Basis Universal".to_owned());
        }
        if width_px == 0
            || height_px == 0
            || depth? != 0
            || layers? > 1
            || faces? != 1
            || levels > 32
        {
            return Err("it is not one flat picture".to_owned());
        }
        let long =
            |at: usize| Ok::<_, String>(u64::from(word(at)?) | u64::from(word(at + 4)?) << 32);
        let is_there = |start: u64, length: u64| {
            let end = start.checked_add(length);
            end.is_some_and(|end| end <= bytes.len() as u64)
        };
        // The description, and what levels share: `basisu` 0.1.0 adds to their places unchecked.
        let description = is_there(word(48)?.into(), word(52)?.into());
        if !description || !is_there(long(64)?, long(72)?) {
            return Err("it is cut off".to_owned());
        }
        for level in 0..levels.max(1) {
            let at = LEVELS_AT + LEVEL_BYTES * level as usize;
            let (start, length, unpacked) = (long(at)?, long(at + 8)?, long(at + 16)?);
            if !is_there(start, length) {
                return Err("it is cut off".to_owned());
            }
            let blocks = |size_px: u32| u64::from((size_px >> level).max(1).div_ceil(BLOCK_PX));
            let expected = (blocks(width_px) * blocks(height_px)).saturating_mul(BLOCK_BYTES);
            if scheme != BASIS_LZ && unpacked != expected {
                return Err(format!(
                    "a level has {unpacked} bytes, and its size asks for {expected}"
                ));
            }
        }
        Ok(Self { width_px, height_px })
    }
}

/// The largest level, row-major from the top left. The caller has checked the size limits.
pub(super) fn decode(bytes: &[u8], header: &Header) -> Result<Vec<[u8; 4]>, String> {
    let failed = |e: basisu::Error| format!("KTX2: {e:?}");
    // Without key/value data, unused here: `basisu` 0.1.0 panics on a padded last entry.
    let mut bytes = bytes.to_vec();
    bytes.get_mut(KEY_VALUE_DATA).ok_or("its header is cut off")?.fill(0);
    let transcoder = Transcoder::new(&bytes).map_err(failed)?;
    if !matches!(transcoder.source_format(), SourceFormat::Etc1s | SourceFormat::UastcLdr) {
        return Err("it is neither ETC1S nor UASTC".to_owned());
    }
    if transcoder.base_dimensions() != (header.width_px, header.height_px) {
        return Err("its two headers differ".to_owned());
    }
    let raw = transcoder.transcode(0, TargetFormat::Rgba32, DecodeFlags::NONE).map_err(failed)?;
    let (texels, rest) = raw.as_chunks::<4>();
    let expected = u64::from(header.width_px) * u64::from(header.height_px);
    if !rest.is_empty() || texels.len() as u64 != expected {
        return Err("it decodes to another size".to_owned());
    }
    Ok(texels.to_vec())
}
