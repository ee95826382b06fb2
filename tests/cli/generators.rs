//! The real program: whatever generators start ends with it, and what they write is kept up to a
//! limit.

use crate::support::assets::{Folder, tetrahedra, tetrahedron};
use crate::support::program::{Text as _, generator, start, through};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A benchmark whose second generator runs this script; `$1` is where the asset belongs.
fn workplace(script: &str) -> Folder {
    place("\"a thing\"", script, "command = \"sh gen.sh {out}\"\n")
}

/// A benchmark with a ready generator and one that makes its assets; `more` are lines of that one.
fn place(prompts: &str, script: &str, more: &str) -> Folder {
    let place = tetrahedra(&[("ready.obj", 1.0), ("other.obj", 1.2)]);
    place.write("gen.sh", script);
    let ready = generator("ready", "ready.obj");
    let file = format!(
        "name = \"t\"\nprompts = [{prompts}]\n{ready}[[generators]]\nname = \"made\"\nextension = \"obj\"\n{more}\
        [pictures]\nsize_px = 32\nviews = 1\n"
    );
    place.write("bench.toml", file);
    place
}

#[test]
fn a_file_that_is_no_asset_is_made_again() {
    let page = "echo '<html>503 Service Unavailable</html>' > \"$1\"";
    let cut = "printf 'glTF\\002\\000\\000\\000\\377\\000\\000\\000' > \"$1\"";
    let nothing = ": > \"$1\"";
    for (first, why) in [
        (page, "a web page"),
        (cut, "its file ends after 12 of 255 bytes"),
        (nothing, "its file is empty"),
        ("mkdir \"$1\"", "made a folder"),
    ] {
        let second = "cp \"$OLDPWD/other.obj\" \"$1\" 2>/dev/null || cp other.obj \"$1\"";
        let place = workplace(&format!(
            "echo x >> tries\n[ -e tried ] && {{ {second}; exit; }}\n: > tried\n{first}\n"
        ));
        place.ok("bench bench.toml --run r");
        assert_eq!(lines(&place, "tries"), 2, "{why}");
        let place = workplace(&format!("{first}\n"));
        place.run("bench bench.toml --run r").says(why);
    }
}

/// Processes with this word among their arguments.
fn processes(word: &str) -> usize {
    let is_one = |entry: &std::fs::DirEntry| {
        let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let mut arguments = arguments.split(|byte| *byte == 0);
        arguments.any(|argument| argument == word.as_bytes())
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter(is_one).count()
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

/// A program that stays: says that it is ready, then does for each order what `script` says with
/// `$id`, `$name` and `$out`.
fn server_place(script: &str, more: &str) -> Folder {
    let program = format!(
        r#"echo x >> starts; echo 'a banner of some library'; echo '{{"type":"ready","protocol":1}}'
while read -r line; do
  field() {{ printf '%s' "$line" | sed "s/.*\"$1\":\"\{{0,1\}}\([^\",}}]*\).*/\1/"; }}
  id=$(field id); name=$(field prompt_id); out=$(field out)
  made() {{ echo '{{"type":"done","id":'$id'}}'; }}
{script}
done
echo bye >> ends
"#
    );
    let serve = format!("serve = \"sh gen.sh\"\n{more}");
    place("\"one\", \"two\", \"three\"", &program, &serve)
}

fn lines(place: &Folder, name: &str) -> usize {
    let text = std::fs::read_to_string(place.join(name)).unwrap_or_default();
    text.lines().count()
}

fn num_made(place: &Folder) -> usize {
    let made = place.files("r/made/made");
    made.iter().filter(|path| path.ends_with("0/asset.obj")).count()
}

#[cfg(unix)]
#[test]
fn a_generator_that_stays_is_started_once_and_told_to_end() {
    let place = server_place("cp other.obj \"$out\"; made", "");
    place.ok("bench bench.toml --run r");
    assert_eq!((num_made(&place), lines(&place, "starts"), lines(&place, "ends")), (3, 1, 1));
    // What was made is made from the same.
    place.ok("bench bench.toml --run r");
    assert_eq!(lines(&place, "starts"), 1);
}

#[cfg(unix)]
#[test]
fn a_generator_that_crashes_is_started_again_and_no_other_asset_is_lost() {
    let script = "if [ $id = 2 ] && [ ! -e crashed ]; then touch crashed; echo 'CUDA error' >&2; exit 7; fi\ncp other.obj \"$out\"; made";
    let place = server_place(script, "");
    place.ok("bench bench.toml --run r");
    assert_eq!((num_made(&place), lines(&place, "starts")), (3, 2));
    // Without a second try it is the outcome of that asset.
    let place = server_place(script, "retries = 0\n");
    place.run("bench bench.toml --run r").ends(1).says(["exit status: 7", "CUDA error"]);
    assert_eq!((num_made(&place), lines(&place, "starts")), (2, 2));
}

#[cfg(unix)]
#[test]
fn a_generator_that_refuses_hangs_or_never_starts_is_an_outcome() {
    let refuses =
        "echo '{\"type\":\"failed\",\"id\":'$id',\"reason\":\"moderated\",\"retry\":false}'";
    let place = server_place(refuses, "retries = 5\n");
    place.run("bench bench.toml --run r").says("the generator failed: moderated");
    assert_eq!((num_made(&place), lines(&place, "starts")), (0, 1));

    let hangs = "if [ $id = 1 ]; then sleep 600; fi\ncp other.obj \"$out\"; made";
    let place = server_place(hangs, "timeout_secs = 1\nretries = 0\n");
    place.run("bench bench.toml --run r").says("longer than 1 s");
    assert_eq!((num_made(&place), lines(&place, "starts")), (2, 2));

    let place = server_place("", "retries = 0\n");
    place.write("gen.sh", "echo x >> starts; echo 'no module named torch' >&2; exit 1");
    place.run("bench bench.toml --run r").says("no module named torch");
    assert_eq!(lines(&place, "starts"), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_that_a_generator_started_survives_any_signal() {
    for (number, signal) in ["HUP", "QUIT", "TERM", "KILL"].into_iter().enumerate() {
        let nap = nap(number as u32);
        // In the foreground, in the background, and in a session of its own.
        let script = format!("sleep {nap} &\nsetsid sleep {nap} &\nsleep {nap}\n");
        let place = workplace(&script);
        let bench = place.command("bench bench.toml --run r");
        // Tests that run in the background can ignore signals.
        let mut child = start(&mut through(&["env", "--default-signal"], &bench));
        wait_for("three start", || processes(&nap) == 3);
        let id = child.id().to_string();
        let sent = std::process::Command::new("kill").args([&format!("-{signal}"), &id]).status();
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
    let run = place.ok("bench bench.toml --run r");
    assert_eq!(processes(&nap), 0, "{}", run.stderr);
    assert!(place.join("r/made/made/0/0/asset.obj").is_file());
}

#[cfg(unix)]
#[test]
fn a_flood_of_words_does_not_fill_the_disk() {
    let script = "echo first\nhead -c 100000000 /dev/zero | tr '\\0' '.'\necho\necho last\ncp other.obj \"$1\"\n";
    let place = workplace(script);
    place.ok("bench bench.toml --run r");
    let log = place.bytes("r/made/made/0/0/log.txt");
    assert!(log.len() < 10 << 20, "{} bytes", log.len());
    assert!(log.starts_with(b"first\n") && log.ends_with(b"\nlast\n"));
}

#[cfg(unix)]
#[test]
fn a_changed_prompt_makes_the_asset_again_and_the_old_verdicts_are_set_aside() {
    let place = workplace("echo x >> calls.txt\ncp other.obj \"$1\"\n");
    let bench = || place.ok("bench bench.toml --run r");
    bench();
    bench();
    assert_eq!(lines(&place, "calls.txt"), 1, "nothing is made twice");
    place.edit("bench.toml", "a thing", "a wholly different thing");
    bench().says("made again");
    assert_eq!(lines(&place, "calls.txt"), 2);
    let rated = place.ok("rate r");
    (rated.stdout + &rated.stderr).must_have(
        "2 verdicts are kept and not rated: 2 about prompts that were changed or removed",
    );
}

#[test]
fn a_file_of_the_same_size_and_date_is_another_asset() {
    let place = workplace("cp other.obj \"$1\"\n");
    let ready = place.join("ready.obj");
    let bench = || place.ok("bench bench.toml --run r");
    bench();
    let date = std::fs::metadata(&ready).unwrap().modified().unwrap();
    let size = std::fs::metadata(&ready).unwrap().len();
    std::fs::write(&ready, tetrahedron(2.0)).unwrap();
    let file = std::fs::File::options().write(true).open(&ready).unwrap();
    file.set_modified(date).unwrap();
    assert_eq!(std::fs::metadata(&ready).unwrap().len(), size, "a fair test");
    bench();
    let rows = place.answers("r");
    let ready = rows.iter().map(|row| &row["a"]).filter(|asset| asset["method"] == "ready");
    let hashes: BTreeSet<String> = ready.map(|asset| asset["hash"].to_string()).collect();
    assert_eq!(hashes.len(), 2, "asked about both files: {hashes:?}");
}

#[test]
fn equal_assets_of_several_seeds_are_asked_once_and_count_for_each() {
    let place = workplace("cp other.obj \"$1\"\n");
    let games = |run: &str| {
        place.ok(&format!("bench bench.toml --run {run}"));
        let boards = place.ok(&format!("rate {run} --json")).rows_of("rating");
        (place.answers(run).len(), boards[0]["games"].as_u64().unwrap())
    };
    let (rows, once) = games("one");
    place.edit("bench.toml", "name = \"t\"\n", "name = \"t\"\nseeds = [0, 1, 2]\n");
    assert_eq!(games("three"), (rows, 3 * once));
}
