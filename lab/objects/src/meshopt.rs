//! Bytes → a lossless stream of `KHR_meshopt_compression`, mode `ATTRIBUTES`, version 1:
//! differences to the element before, byte plane by byte plane.
//!
//! Appendix A of the extension describes the stream. Every coding that it offers is tried and the
//! smallest is kept: the objects are written once and read often. Writes no indices modes: those
//! may turn a triangle's corners, and ours must come back as they were.

/// Elements of one group, whose bytes share a width in bits.
const GROUP: usize = 16;
/// Largest block in bytes and in elements.
const BLOCK_BYTES_MAX: usize = 8192;
const BLOCK_MAX: usize = 256;
/// Fewest bytes that the end of the stream takes.
const TAIL_MIN: usize = 24;
/// The two sets of widths in bits that a plane's groups may have.
const WIDTHS: [[u8; 4]; 2] = [[0, 1, 2, 4], [1, 2, 4, 8]];
/// Ways to write a difference, as the stream numbers them: of bytes, of shorts, by exclusive or
/// with each rotation of a word.
const CHANNELS: [u8; 18] = {
    let mut channels = [0; 18];
    channels[1] = 1;
    let mut turn = 0;
    while turn < 16 {
        channels[2 + turn] = 2 | (turn as u8) << 4;
        turn += 1;
    }
    channels
};

/// A compressed buffer view.
#[derive(Debug)]
pub(crate) struct Stream {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Bytes of an element.
    pub stride: usize,
    /// Number of elements; the last is filled up with zeros.
    pub count: usize,
}

/// The smallest stream over elements of each of these numbers of bytes (multiples of 4, at most
/// 256).
pub(crate) fn encode(bytes: &[u8], strides: &[usize]) -> Stream {
    strides
        .iter()
        .map(|&stride| encode_stride(bytes, stride))
        .min_by_key(|stream| stream.bytes.len())
        .expect("a stride to choose")
}

fn encode_stride(bytes: &[u8], stride: usize) -> Stream {
    let count = bytes.len().div_ceil(stride);
    let mut padded = bytes.to_vec();
    padded.resize(count * stride, 0);
    let words = stride / 4;
    // For each word of an element: the way that makes all its blocks smallest, and the blocks.
    let coded: Vec<(u8, Vec<Coded>)> = (0..words)
        .map(|word| {
            let values: Vec<[u8; 4]> = padded
                .chunks_exact(stride)
                .map(|element| std::array::from_fn(|k| element[4 * word + k]))
                .collect();
            CHANNELS
                .into_iter()
                .map(|channel| (channel, code(&values, channel, block_elements(stride))))
                .min_by_key(|(_, blocks)| blocks.iter().map(|b| b.bytes.len()).sum::<usize>())
                .expect("there are ways to choose from")
        })
        .collect();
    let mut out = vec![0xA1];
    let blocks = coded.first().map_or(0, |(_, blocks)| blocks.len());
    for block in 0..blocks {
        out.extend(coded.iter().map(|(_, blocks)| blocks[block].control));
        for (_, blocks) in &coded {
            out.extend(&blocks[block].bytes);
        }
    }
    out.resize(out.len() + TAIL_MIN.saturating_sub(stride + words), 0);
    out.extend(padded.iter().take(stride));
    out.extend(coded.iter().map(|(channel, _)| channel));
    Stream { bytes: out, stride, count }
}

fn block_elements(stride: usize) -> usize {
    ((BLOCK_BYTES_MAX / stride) & !(GROUP - 1)).min(BLOCK_MAX)
}

/// One word of the elements of one block.
struct Coded {
    /// Two bits for each byte plane: a set of widths, all zeros (2), or bytes as they are (3).
    control: u8,
    bytes: Vec<u8>,
}

fn code(values: &[[u8; 4]], channel: u8, block: usize) -> Vec<Coded> {
    let mut last = values.first().copied().unwrap_or_default();
    let differences: Vec<[u8; 4]> = values
        .iter()
        .map(|&value| difference(channel, std::mem::replace(&mut last, value), value))
        .collect();
    let planes = |block: &[[u8; 4]]| {
        let mut out = Coded { control: 0, bytes: Vec::new() };
        for k in 0..4 {
            let plane: Vec<u8> = block.iter().map(|difference| difference[k]).collect();
            let (mode, bytes) = code_plane(plane);
            out.control |= mode << (2 * k);
            out.bytes.extend(bytes);
        }
        out
    };
    differences.chunks(block).map(planes).collect()
}

/// What the decoder adds to `before` to get `value`.
fn difference(channel: u8, before: [u8; 4], value: [u8; 4]) -> [u8; 4] {
    match channel & 3 {
        0 => std::array::from_fn(|k| {
            let d = value[k].wrapping_sub(before[k]) as i8;
            (d << 1 ^ d >> 7) as u8
        }),
        1 => {
            let half = |k: usize| {
                let word = |bytes: [u8; 4]| u16::from_le_bytes([bytes[k], bytes[k + 1]]);
                let d = word(value).wrapping_sub(word(before)) as i16;
                ((d << 1 ^ d >> 15) as u16).to_le_bytes()
            };
            let ([a, b], [c, d]) = (half(0), half(2));
            [a, b, c, d]
        }
        _ => {
            let changed = u32::from_le_bytes(value) ^ u32::from_le_bytes(before);
            changed.rotate_left(u32::from(channel >> 4)).to_le_bytes()
        }
    }
}

/// The smallest of the four modes of a plane.
fn code_plane(mut plane: Vec<u8>) -> (u8, Vec<u8>) {
    if plane.iter().all(|&byte| byte == 0) {
        return (2, Vec::new());
    }
    let whole = plane.clone();
    plane.resize(plane.len().next_multiple_of(GROUP), 0);
    let [small, large] = WIDTHS.map(|widths| code_groups(&plane, widths));
    [(0, small), (1, large), (3, whole)]
        .into_iter()
        .min_by_key(|(_, bytes)| bytes.len())
        .expect("there are three")
}

/// Two bits for the width of each group, then the groups.
fn code_groups(plane: &[u8], widths: [u8; 4]) -> Vec<u8> {
    let groups = plane.len() / GROUP;
    let mut header = vec![0_u8; groups.div_ceil(4)];
    let mut body = Vec::new();
    for (i, group) in plane.chunks_exact(GROUP).enumerate() {
        let (place, bytes) = widths
            .into_iter()
            .enumerate()
            .filter_map(|(place, width)| Some((place, code_group(group, width)?)))
            .min_by_key(|(_, bytes)| bytes.len())
            .expect("every set has a width that takes any byte");
        header[i / 4] |= (place as u8) << (i % 4 * 2);
        body.extend(bytes);
    }
    header.extend(body);
    header
}

/// `None` for a width of 0 where a byte is not. A value with all bits set means a whole byte that
/// follows the group.
fn code_group(group: &[u8], width: u8) -> Option<Vec<u8>> {
    match width {
        0 => group.iter().all(|&byte| byte == 0).then(Vec::new),
        8 => Some(group.to_vec()),
        _ => {
            let per_byte = usize::from(8 / width);
            let all = (1_u8 << width) - 1;
            let mut out = vec![0_u8; GROUP / per_byte];
            for (k, &byte) in group.iter().enumerate() {
                let at = (k % per_byte) as u8;
                // Single bits begin with the lowest, wider values with the highest.
                let shift = if width == 1 { at } else { 8 - width * (at + 1) };
                out[k / per_byte] |= byte.min(all) << shift;
            }
            out.extend(group.iter().filter(|&&byte| byte >= all));
            Some(out)
        }
    }
}
