//! What fuzzing found, once more: every file of `tests/corpus` is loaded as the fuzz target of its
//! folder loads it, within limits of memory and time.
//!
//! A program of its own: its allocator counts the memory of the whole process, so nothing else may
//! run next to it. How the files came about: `docs/runs/fuzz/2026-11-21.md`. New ones need no word
//! here.

#[path = "support/assets.rs"]
#[allow(dead_code, unreachable_pub, reason = "the tests of files use the rest")]
mod assets;
#[allow(unreachable_pub, reason = "the fuzz targets' own")]
#[path = "../fuzz/src/case.rs"]
mod case;

use assets::{crc32, repository};
use case::{Target, load_in};
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Most memory that one input may take at any moment, as in the fuzz runs.
const MEMORY_BYTES_MAX: usize = 1 << 30;

/// A guard against endless loops and no measurement: in the fuzz runs the limit is 5 s, on a
/// machine without other work.
const HANG: Duration = Duration::from_secs(120);

/// The system's allocator, and how much it has given out.
struct Meter {
    now: AtomicUsize,
    peak: AtomicUsize,
}

#[global_allocator]
static METER: Meter = Meter { now: AtomicUsize::new(0), peak: AtomicUsize::new(0) };

impl Meter {
    fn add(&self, bytes: usize) {
        let now = self.now.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(now, Ordering::Relaxed);
    }

    /// Most bytes that were given out during `work`, in addition to those from before.
    fn peak_of(&self, work: impl FnOnce()) -> usize {
        let before = self.now.load(Ordering::Relaxed);
        self.peak.store(before, Ordering::Relaxed);
        work();
        self.peak.load(Ordering::Relaxed).saturating_sub(before)
    }
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        self.now.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Loads one input on a thread of its own; what is wrong with it, if anything.
fn problem(target: Target, input: Vec<u8>) -> Option<String> {
    let (sender, receiver) = channel();
    let worker = std::thread::spawn(move || {
        let folder = tempfile::tempdir().unwrap();
        let mut said = None;
        let peak = METER.peak_of(|| {
            said = load_in(folder.path(), target, &input).err().map(|e| e.to_string());
        });
        sender.send((peak, said)).unwrap();
    });
    match receiver.recv_timeout(HANG) {
        Err(RecvTimeoutError::Timeout) => Some(format!("takes more than {HANG:?}")),
        Err(RecvTimeoutError::Disconnected) => {
            let panic = worker.join().unwrap_err();
            let said = panic.downcast_ref::<String>().cloned();
            let said = said.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            Some(format!("panics: {}", said.unwrap_or_default()))
        }
        Ok((peak, _)) if peak > MEMORY_BYTES_MAX => Some(format!("takes {} MiB", peak >> 20)),
        Ok((_, Some(said))) if said.trim().is_empty() => Some("has an empty error".to_owned()),
        Ok(_) => None,
    }
}

/// A PNG of one texel with a colour profile of 10 MB that unpacks to 1.5 GiB: one fixed block of
/// deflate (RFC 1951, section 3.2.6) that repeats a zero.
fn profile_bomb() -> Vec<u8> {
    const REPEATS: usize = (3 << 29) / 258;
    let mut bits = Vec::with_capacity(REPEATS * 13 + 64);
    let mut code = |value: u32, length: u32| {
        bits.extend((0..length).rev().map(|at| value >> at & 1 == 1));
    };
    code(0b1_10, 3); // the last block, fixed codes (lowest bit first)
    code(0b0011_0000, 8); // a zero
    for _ in 0..REPEATS {
        code(0b1100_0101, 8); // 258 more
        code(0, 5); // of the byte before
    }
    code(0, 7);
    let mut profile = b"p\0\0\x78\x01".to_vec();
    profile.extend(
        bits.chunks(8).map(|byte| {
            byte.iter().enumerate().fold(0, |sum, (at, &bit)| sum | u8::from(bit) << at)
        }),
    );
    let zeros = (REPEATS * 258 + 1) % 65521;
    profile.extend(((zeros as u32) << 16 | 1).to_be_bytes()); // Adler-32
    let mut out = case::PNG[..33].to_vec(); // up to the end of the header
    out.extend((profile.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend(b"iCCP");
    out.extend(profile);
    out.extend(crc32(&out[start..]).to_be_bytes());
    out.extend(&case::PNG[33..]);
    out
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

// One test for all, since the meter is one for the process.
#[test]
fn every_input_of_the_corpus_is_loaded_or_refused_within_the_limits() {
    let seen = METER.peak_of(|| drop(std::hint::black_box(vec![1_u8; 3 << 20])));
    assert!(seen >= 3 << 20, "the meter sees {seen} bytes of 3 MiB");
    let corpus = repository("tests/corpus");
    let mut problems = Vec::new();
    for target in Target::ALL {
        let files = files_of(&corpus.join(target.name()));
        assert!(files.len() >= 3, "{} has {}", target.name(), files.len());
        for file in files {
            let input = std::fs::read(&file).unwrap();
            assert!(input.len() <= 64 << 10, "{file:?} is too large to be kept");
            problems.extend(problem(target, input).map(|problem| format!("{file:?} {problem}")));
        }
    }
    // Too large for a file here.
    problems.extend(problem(Target::Picture, profile_bomb()).map(|p| format!("a profile {p}")));
    assert!(problems.is_empty(), "{problems:#?}");
}

/// Name and version of every package in a lock file.
fn locked(path: &Path) -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let lock: toml::Table = text.parse().unwrap();
    let mut out = BTreeMap::<String, Vec<String>>::new();
    for package in lock["package"].as_array().unwrap() {
        let get = |key: &str| package[key].as_str().unwrap().to_owned();
        out.entry(get("name")).or_default().push(get("version"));
    }
    out
}

#[test]
fn the_fuzz_targets_use_the_decoders_of_the_program() {
    let root = repository("");
    let (ours, theirs) = (locked(&root.join("Cargo.lock")), locked(&root.join("fuzz/Cargo.lock")));
    // What no loader needs.
    let own = ["arbitrary", "jobserver", "libfuzzer-sys", "meshjudge-fuzz"];
    assert!(theirs.contains_key("draco-core") && theirs.contains_key("image"));
    for (name, versions) in theirs.iter().filter(|(name, _)| !own.contains(&&***name)) {
        let known = ours.get(name);
        assert!(
            known.is_some_and(|known| versions.iter().all(|v| known.contains(v))),
            "{name} {versions:?} is fuzzed, and {known:?} is in the program: copy Cargo.lock to fuzz/Cargo.lock and let cargo trim it",
        );
    }
}
