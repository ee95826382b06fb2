//! The output of a generator, limited to its beginning and its end.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{PipeWriter, Read, Write};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// The first 8 MiB of a program's output are kept.
const HEAD_BYTES_MAX: u64 = 8 << 20;

/// Size of the end that is kept from longer output: 1 MiB.
const TAIL_BYTES_MAX: usize = 1 << 20;

/// A background process may hold the pipe open after its program ends; it gets this long.
const PATIENCE: Duration = Duration::from_millis(200);

/// The log of one program.
#[derive(Debug)]
pub(super) struct Log {
    written: mpsc::Receiver<()>,
}

impl Log {
    /// A log, and the two ends that a program writes to.
    ///
    /// # Errors
    /// In words: the file or the pipe cannot be made.
    pub(super) fn create(path: &Path) -> Result<(Self, PipeWriter, PipeWriter), String> {
        Self::open(path).map_err(|e| format!("its log cannot be written ({e})"))
    }

    fn open(path: &Path) -> std::io::Result<(Self, PipeWriter, PipeWriter)> {
        let file = File::create(path)?;
        let (from, to) = std::io::pipe()?;
        let to_too = to.try_clone()?;
        let (ended, written) = mpsc::channel();
        std::thread::Builder::new().name("log of a generator".to_owned()).spawn(move || {
            // A disk that is full costs the log, not the asset.
            let _ = keep(from, file);
            let _ = ended.send(());
        })?;
        Ok((Self { written }, to, to_too))
    }

    /// Waits until everything is in the file, as far as the program has ended.
    pub(super) fn wait(&self) {
        let _ = self.written.recv_timeout(PATIENCE);
    }
}

/// Reads to the end, even if the file fails: a full or closed pipe would block or kill a program.
fn keep(mut from: impl Read, mut file: impl Write) -> std::io::Result<()> {
    let mut chunk = vec![0; 64 << 10];
    let mut head = 0;
    let mut tail = VecDeque::new();
    let mut dropped = 0_u64;
    let mut result = Ok(());
    loop {
        let read = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let room = usize::try_from(HEAD_BYTES_MAX - head).map_or(read, |room| room.min(read));
        let (first, rest) = chunk[..read].split_at(room);
        if result.is_ok() {
            result = file.write_all(first);
        }
        head += first.len() as u64;
        tail.extend(rest);
        let excess = tail.len().saturating_sub(TAIL_BYTES_MAX);
        tail.drain(..excess);
        dropped += excess as u64;
    }
    result?;
    if dropped > 0 {
        let kept = HEAD_BYTES_MAX >> 20;
        write!(
            file,
            "\n[meshjudge keeps the first {kept} MiB and the last MiB of a log; {dropped} bytes were removed here]\n"
        )?;
    }
    let (first, second) = tail.as_slices();
    file.write_all(first)?;
    file.write_all(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_keeps_its_beginning_and_its_end() {
        let flood = b"first".chain(std::io::repeat(b'.').take(100 << 20)).chain(&b"last"[..]);
        let mut kept = Vec::new();
        keep(flood, &mut kept).unwrap();
        assert!(kept.len() < 10 << 20, "{}", kept.len());
        assert!(kept.starts_with(b"first.") && kept.ends_with(b".last"));
        let words = String::from_utf8_lossy(&kept);
        let left_out = (100 << 20) + 9 - (8 << 20) - (1 << 20);
        assert!(words.contains(&format!("; {left_out} bytes were removed here]")));
        let mut kept = Vec::new();
        keep(&b"two words"[..], &mut kept).unwrap();
        assert_eq!(kept, b"two words");
    }
}
