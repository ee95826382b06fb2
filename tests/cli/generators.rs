//! The real program: whatever generators start ends with it, and what they write is kept up to a limit.

use crate::support::assets::tetrahedron;
use crate::support::program::{command, meshjudge, start};
use std::path::Path;
use std::time::{Duration, Instant};

/// A benchmark whose second generator runs this script; `$1` is where the asset belongs.
fn workplace(script: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("ready.obj"), tetrahedron(1.0)).unwrap();
    std::fs::write(place.path().join("other.obj"), tetrahedron(1.2)).unwrap();
    std::fs::write(place.path().join("gen.sh"), script).unwrap();
    let file = "name = \"t\"\nprompts = [\"a thing\"]\n[[generators]]\nname = \"ready\"\npath = \"ready.obj\"\n\
        [[generators]]\nname = \"made\"\ncommand = \"sh gen.sh {out}\"\nextension = \"obj\"\n\
        [pictures]\nsize_px = 32\nviews = 1\n";
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    place
}

/// Processes with this word among their arguments.
fn processes(word: &str) -> usize {
    let is_one = |entry: &std::fs::DirEntry| {
        let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let mut arguments = arguments.split(|byte| *byte == 0);
        arguments.any(|argument| argument == word.as_bytes())
    };
    (std::fs::read_dir("/proc").unwrap().flatten())
        .filter(is_one)
        .count()
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A time to sleep that no other process of this machine has: what is looked for in `/proc`.
fn nap(number: u32) -> String {
    format!("9{number}.{}", std::process::id())
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_that_a_generator_started_survives_any_signal() {
    for (number, signal) in ["HUP", "QUIT", "TERM", "KILL"].into_iter().enumerate() {
        let nap = nap(number as u32);
        // In the foreground, in the background, and in a session of its own.
        let script = format!("sleep {nap} &\nsetsid sleep {nap} &\nsleep {nap}\n");
        let place = workplace(&script);
        let mut child = start(&mut command(
            place.path(),
            &["bench", "bench.toml", "--run", "r"],
        ));
        wait_for("three start", || processes(&nap) == 3);
        let id = child.id().to_string();
        let sent = std::process::Command::new("kill")
            .args([&format!("-{signal}"), &id])
            .status();
        assert!(sent.unwrap().success());
        child.wait().unwrap();
        wait_for(&format!("all end after {signal}"), || processes(&nap) == 0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_generator_left_in_the_background_ends_with_the_run() {
    let nap = nap(10);
    let script = format!("setsid sleep {nap} &\nsleep {nap} &\ncp other.obj \"$1\"\n");
    let place = workplace(&script);
    let run = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]).ok();
    assert_eq!(processes(&nap), 0, "{}", run.stderr);
    assert!(made(place.path(), "asset.obj").is_file());
}

#[cfg(unix)]
#[test]
fn a_flood_of_words_does_not_fill_the_disk() {
    let script = "echo first\nhead -c 100000000 /dev/zero | tr '\\0' '.'\necho\necho last\ncp other.obj \"$1\"\n";
    let place = workplace(script);
    meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]).ok();
    let log = std::fs::read(made(place.path(), "log.txt")).unwrap();
    assert!(log.len() < 10 << 20, "{} bytes", log.len());
    assert!(log.starts_with(b"first\n") && log.ends_with(b"\nlast\n"));
}

fn made(place: &Path, file: &str) -> std::path::PathBuf {
    place.join("r/made/made/0/0").join(file)
}
