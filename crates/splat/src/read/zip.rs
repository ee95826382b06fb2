//! A ZIP archive → one of its files by name: stored or deflated, not encrypted, not split, below 4
//! GiB (PKWARE APPNOTE 6.3).

use super::ReadError;
use super::bytes::{slice, u16_at, u32_at, unpack};
use flate2::read::DeflateDecoder;

const NAME: &str = "SOG bundle";

/// Most files that an archive may list; a bundle has at most nine.
const ENTRIES_MAX: usize = 256;

/// Bytes that a file may unpack to for each byte of the archive, which is what deflate can reach.
const EXPANSION_MAX: u64 = 1032;

/// The end record is before a comment of at most 64 KiB.
const END: usize = 22;

pub(super) fn file(bytes: &[u8], name: &str) -> Result<Option<Vec<u8>>, ReadError> {
    let broken = |reason: &str| ReadError::malformed(NAME, reason);
    let from = bytes.len().saturating_sub(END + 0xffff);
    let end = bytes[from..]
        .windows(4)
        .rposition(|window| window == b"PK\x05\x06")
        .map(|at| &bytes[from + at..])
        .filter(|end| end.len() >= END)
        .ok_or_else(|| broken("its list of files is missing; copy or export it again"))?;
    let (entries, mut at) = (usize::from(u16_at(end, 10)), u64::from(u32_at(end, 16)));
    if entries > ENTRIES_MAX {
        return Err(broken("it lists too many files"));
    }
    for _ in 0..entries {
        let entry = slice(bytes, NAME, "an entry's fields", at, 46)?;
        let (method, packed, plain) = (u16_at(entry, 10), u32_at(entry, 20), u32_at(entry, 24));
        let [name_len, extra, comment] = [28, 30, 32].map(|k| u64::from(u16_at(entry, k)));
        let found = slice(bytes, NAME, "an entry's letters", at + 46, name_len)?;
        if found == name.as_bytes() {
            let local = u64::from(u32_at(entry, 42));
            let header = slice(bytes, NAME, "a file's fields", local, 30)?;
            let start = local + 30 + u64::from(u16_at(header, 26)) + u64::from(u16_at(header, 28));
            let data = slice(bytes, NAME, "a file's bytes", start, packed.into())?;
            if u64::from(plain) > u64::from(packed).saturating_mul(EXPANSION_MAX) + 64 {
                return Err(broken("a file claims to unpack to more than is possible"));
            }
            return match method {
                0 => Ok(Some(data.to_vec())),
                8 => unpack(DeflateDecoder::new(data), NAME, "a file's bytes", plain as usize, 0)
                    .map(Some),
                _ => Err(broken("a file is packed by a method other than deflate")),
            };
        }
        at += 46 + name_len + extra + comment;
    }
    Ok(None)
}
