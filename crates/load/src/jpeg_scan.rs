//! Watches the bytes that a JPEG decoder reads: whether the coded pixels have the right length.
//!
//! Most damaged bytes are valid codes, of more or fewer pixels than before. So the decoder comes to
//! its last pixel too early, and skips the rest before the next marker, or too late. To see the
//! latter, zeros follow the data, which a whole picture leaves alone.

use std::cell::Cell;
use zune_core::bytestream::{ZByteIoError, ZByteReaderTrait, ZSeekFrom};

/// Zeros after the data, before an end of image.
const TAIL: usize = 64;

/// The decoder reads ahead by as many bytes, at most.
const AHEAD: usize = 12;

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The last bytes were read for pixels.
    in_scan: Cell<bool>,
    after_ff: Cell<bool>,
    /// Bytes other than zero that were skipped since.
    skipped: Cell<usize>,
    has_skipped: Cell<bool>,
    has_overrun: Cell<bool>,
}

impl Watch {
    /// There was as much data as there are pixels.
    pub(super) fn is_even(&self) -> bool {
        !self.has_skipped.get() && !self.has_overrun.get()
    }
}

/// A reader over bytes in memory.
pub(super) struct Scan<'a, 'w> {
    bytes: &'a [u8],
    position: usize,
    /// Bytes after the last.
    tail: usize,
    watch: &'w Watch,
}

impl<'a, 'w> Scan<'a, 'w> {
    /// All bytes as they are.
    pub(super) fn plain(bytes: &'a [u8], watch: &'w Watch) -> Self {
        Self { bytes, position: 0, tail: 0, watch }
    }

    /// Bytes that lack their end of image, zeros, and an end of image.
    pub(super) fn ended(bytes: &'a [u8], watch: &'w Watch) -> Self {
        Self { tail: TAIL + 2, ..Self::plain(bytes, watch) }
    }

    fn len(&self) -> usize {
        self.bytes.len() + self.tail
    }

    fn at(&self, position: usize) -> Option<u8> {
        match position.checked_sub(self.bytes.len()) {
            None => Some(self.bytes[position]),
            Some(after) if after >= self.tail => None,
            Some(TAIL) => Some(0xff),
            Some(after) => Some(if after > TAIL { 0xd9 } else { 0 }),
        }
    }

    fn read_for_pixels(&self) {
        self.watch.in_scan.set(true);
        self.watch.after_ff.set(false);
        self.watch.skipped.set(0);
        if self.position > self.bytes.len() + AHEAD {
            self.watch.has_overrun.set(true);
        }
    }

    /// A byte on the way to the next marker.
    fn skip(&self, byte: u8) {
        let watch = self.watch;
        match (watch.after_ff.get(), byte) {
            (_, 0xff) => watch.after_ff.set(true),
            (true, 1..) => {
                if watch.skipped.get() > 0 {
                    watch.has_skipped.set(true);
                }
                watch.in_scan.set(false);
            }
            (_, byte) => {
                let is_odd = watch.after_ff.replace(false) || byte != 0;
                watch.skipped.update(|count| count + usize::from(is_odd));
            }
        }
    }
}

impl ZByteReaderTrait for Scan<'_, '_> {
    #[inline(always)]
    fn read_byte_no_error(&mut self) -> u8 {
        let byte = self.at(self.position).unwrap_or(0);
        self.position += 1;
        self.read_for_pixels();
        byte
    }

    /// The decoder reads four bytes at once for pixels, and one on the way to a marker.
    #[inline(always)]
    fn read_exact_bytes(&mut self, buf: &mut [u8]) -> Result<(), ZByteIoError> {
        self.peek_exact_bytes(buf)?;
        self.position += buf.len();
        match buf.len() {
            4 => self.read_for_pixels(),
            1 if self.watch.in_scan.get() => self.skip(buf[0]),
            1 => {}
            _ => self.watch.in_scan.set(false),
        }
        Ok(())
    }

    fn read_bytes(&mut self, buf: &mut [u8]) -> Result<usize, ZByteIoError> {
        let count = self.peek_bytes(buf)?;
        self.position += count;
        Ok(count)
    }

    fn peek_bytes(&mut self, buf: &mut [u8]) -> Result<usize, ZByteIoError> {
        let count = buf.len().min(self.len().saturating_sub(self.position));
        self.peek_exact_bytes(&mut buf[..count])?;
        Ok(count)
    }

    #[inline(always)]
    fn peek_exact_bytes(&mut self, buf: &mut [u8]) -> Result<(), ZByteIoError> {
        let end = self.position.saturating_add(buf.len());
        if let Some(bytes) = self.bytes.get(self.position..end) {
            buf.copy_from_slice(bytes);
            return Ok(());
        }
        for (k, byte) in buf.iter_mut().enumerate() {
            let there = self.at(self.position.saturating_add(k));
            *byte = there.ok_or(ZByteIoError::Generic("it is cut off"))?;
        }
        Ok(())
    }

    fn z_seek(&mut self, from: ZSeekFrom) -> Result<u64, ZByteIoError> {
        let to = match from {
            ZSeekFrom::Start(to) => i64::try_from(to).ok(),
            ZSeekFrom::End(by) => (self.len() as i64).checked_add(by),
            ZSeekFrom::Current(by) => (self.position as i64).checked_add(by),
        };
        let to = to.and_then(|to| usize::try_from(to).ok());
        self.position = to.ok_or(ZByteIoError::SeekError("before the begin"))?;
        self.z_position()
    }

    #[inline(always)]
    fn is_eof(&mut self) -> Result<bool, ZByteIoError> {
        Ok(self.position >= self.len())
    }

    fn z_position(&mut self) -> Result<u64, ZByteIoError> {
        Ok(self.position as u64)
    }

    fn read_remaining(&mut self, sink: &mut Vec<u8>) -> Result<usize, ZByteIoError> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        sink.extend_from_slice(rest);
        self.position += rest.len();
        Ok(rest.len())
    }
}
