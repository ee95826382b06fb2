//! Mode `ATTRIBUTES`, versions 0 and 1: blocks of elements, byte plane by byte plane, as
//! differences to the element before.

/// Elements of one group, whose bytes share a width in bits.
const GROUP: usize = 16;
/// Widths that a group of version 0 may have, and those of version 1, of which a plane uses the
/// first or the last four.
const WIDTHS_0: [u8; 4] = [0, 2, 4, 8];
const WIDTHS_1: [u8; 5] = [0, 1, 2, 4, 8];
/// Largest block in bytes and in elements.
const BLOCK_BYTES_MAX: usize = 8192;
const BLOCK_MAX: usize = 256;
/// Fewest bytes that the end of the stream takes, by version.
const TAIL_MIN: [usize; 2] = [32, 24];

/// `None` unless `bytes` is exactly `count` elements of `stride` bytes (4 to 256, multiple of 4).
pub(super) fn decode(bytes: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
    let (&header, body) = bytes.split_first()?;
    let version = match header {
        0xA0 => 0,
        0xA1 => 1,
        _ => return None,
    };
    let channels = if version == 0 { 0 } else { stride / 4 };
    let padded = (stride + channels).max(TAIL_MIN[version]);
    let (mut body, tail) = body.split_at_checked(body.len().checked_sub(padded)?)?;
    let (first, channels) = tail[padded - stride - channels..].split_at(stride);
    let block_max = ((BLOCK_BYTES_MAX / stride) & !(GROUP - 1)).min(BLOCK_MAX);
    // Every block takes at least a control byte per four element bytes, or a header byte per byte.
    let least = count.div_ceil(block_max).checked_mul(stride / 4)?;
    if body.len() < least {
        return None;
    }
    let mut out = vec![0; count * stride];
    let mut last = first.to_vec();
    for block in out.chunks_mut(block_max * stride) {
        decode_block(&mut body, block, &mut last, channels, version)?;
    }
    body.is_empty().then_some(out)
}

fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

/// `last` is the element before the block, and afterwards its last one.
fn decode_block(
    body: &mut &[u8],
    block: &mut [u8],
    last: &mut [u8],
    channels: &[u8],
    version: usize,
) -> Option<()> {
    let stride = last.len();
    let count = block.len() / stride;
    let control = take(body, channels.len())?;
    let mut planes = [[0_u8; BLOCK_MAX]; 4];
    for word in 0..stride / 4 {
        let modes = control.get(word).copied().unwrap_or(0);
        for (k, plane) in planes.iter_mut().enumerate() {
            match (version, modes >> (2 * k) & 3) {
                (0, _) => {
                    decode_plane(body, &mut plane[..count.next_multiple_of(GROUP)], WIDTHS_0)?
                }
                (_, 3) => plane[..count].copy_from_slice(take(body, count)?),
                (_, 2) => plane[..count].fill(0),
                (_, set) => {
                    let [a, b, c, d, e] = WIDTHS_1;
                    let widths = if set == 0 { [a, b, c, d] } else { [b, c, d, e] };
                    decode_plane(body, &mut plane[..count.next_multiple_of(GROUP)], widths)?;
                }
            }
        }
        let channel = channels.get(word).copied().unwrap_or(0);
        let before = &mut last[word * 4..word * 4 + 4];
        let elements = block.chunks_exact_mut(stride);
        let deltas = (0..count).map(|i| [0, 1, 2, 3].map(|k: usize| planes[k][i]));
        for (element, delta) in elements.zip(deltas) {
            let value = add(channel, [before[0], before[1], before[2], before[3]], delta)?;
            element[word * 4..word * 4 + 4].copy_from_slice(&value);
            before.copy_from_slice(&value);
        }
    }
    Some(())
}

/// Adds a four-byte difference: to bytes, to shorts, or, turned, by exclusive or to a word.
fn add(channel: u8, before: [u8; 4], delta: [u8; 4]) -> Option<[u8; 4]> {
    Some(match channel & 3 {
        0 => std::array::from_fn(|k| {
            let d = delta[k];
            (d >> 1 ^ (d & 1).wrapping_neg()).wrapping_add(before[k])
        }),
        1 => {
            let half = |k: usize| {
                let d = u16::from_le_bytes([delta[k], delta[k + 1]]);
                let b = u16::from_le_bytes([before[k], before[k + 1]]);
                (d >> 1 ^ (d & 1).wrapping_neg()).wrapping_add(b).to_le_bytes()
            };
            let ([a, b], [c, d]) = (half(0), half(2));
            [a, b, c, d]
        }
        2 => {
            let turned = u32::from_le_bytes(delta).rotate_right(u32::from(channel >> 4));
            (turned ^ u32::from_le_bytes(before)).to_le_bytes()
        }
        _ => return None,
    })
}

/// Groups of 16 bytes: two bits for the width of each, then their values. A value with all bits set
/// means a whole byte that follows the group.
fn decode_plane(body: &mut &[u8], plane: &mut [u8], widths: [u8; 4]) -> Option<()> {
    let groups = plane.len() / GROUP;
    let header = take(body, groups.div_ceil(4))?;
    for (i, group) in plane.chunks_exact_mut(GROUP).enumerate() {
        let width = widths[usize::from(header[i / 4] >> (i % 4 * 2) & 3)];
        let packed = take(body, usize::from(width) * GROUP / 8)?;
        match width {
            0 => group.fill(0),
            8 => group.copy_from_slice(packed),
            _ => {
                let per_byte = usize::from(8 / width);
                let all = (1_u8 << width) - 1;
                for (k, value) in group.iter_mut().enumerate() {
                    let at = (k % per_byte) as u8;
                    // Single bits begin with the lowest, wider values with the highest.
                    let shift = if width == 1 { at } else { 8 - width * (at + 1) };
                    *value = packed[k / per_byte] >> shift & all;
                    if *value == all {
                        *value = *take(body, 1)?.first()?;
                    }
                }
            }
        }
    }
    Some(())
}
