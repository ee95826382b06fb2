//! Parts of an ONNX file found by their bytes, without reading its other protobuf messages.

/// The rest of the file after each place where it has those bytes.
pub(super) fn following<'a>(
    bytes: &'a [u8],
    found: &'static [u8],
) -> impl Iterator<Item = &'a [u8]> {
    (0..bytes.len()).filter_map(move |at| bytes[at..].strip_prefix(found))
}

/// The values of all `StringStringEntryProto` that begin with those bytes: the tag, length and text
/// of the key, then the tag of the value.
pub(super) fn values<'a>(bytes: &'a [u8], key: &'static [u8]) -> impl Iterator<Item = &'a str> {
    following(bytes, key).filter_map(text)
}

/// A length, seven bits per byte, the lowest first, and a text of it; four bytes are 256 MiB.
fn text(mut rest: &[u8]) -> Option<&str> {
    let mut length = 0;
    for shift in [0, 7, 14, 21] {
        let (byte, after) = rest.split_first()?;
        rest = after;
        length |= usize::from(byte & 127) << shift;
        if *byte < 128 {
            return std::str::from_utf8(rest.get(..length)?).ok();
        }
    }
    None
}
