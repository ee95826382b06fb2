//! An asset's file on this machine's disk → an answer's body, read as fast as the reader takes it.

use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::fs::File;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Bytes that one answer holds in memory.
const CHUNK_BYTES: usize = 128 << 10;

/// A file without a name, which goes when nobody reads it any more.
#[derive(Debug)]
pub(in crate::unstable::report) struct Stored {
    pub file: File,
    pub bytes: u64,
    pub media_type: &'static str,
}

/// The rest of a file to send.
#[derive(Debug)]
pub(super) struct Sending {
    stored: Arc<Stored>,
    at: u64,
}

impl From<Arc<Stored>> for Sending {
    fn from(stored: Arc<Stored>) -> Self {
        Self { stored, at: 0 }
    }
}

impl Body for Sending {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let left = self.stored.bytes - self.at;
        if left == 0 {
            return Poll::Ready(None);
        }
        let mut chunk = vec![0; CHUNK_BYTES.min(usize::try_from(left).unwrap_or(CHUNK_BYTES))];
        // It was written a moment ago, so the system has it at hand.
        let read = match read_at(&self.stored.file, &mut chunk, self.at) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            read => read,
        };
        Poll::Ready(Some(read.map(|read| {
            chunk.truncate(read);
            self.at += read as u64;
            Frame::data(chunk.into())
        })))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.stored.bytes - self.at)
    }
}

/// Several readers share the file, so none moves its position.
fn read_at(file: &File, chunk: &mut [u8], at: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, chunk, at);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, chunk, at);
}
