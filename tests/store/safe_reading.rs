//! Reading a run that cannot be written, that a disk has changed, or that somebody forged.

use crate::support::runs::{Plan, fill};
use meshjudge::unstable::rate::Random;
use meshjudge::unstable::store::Store;
use std::path::Path;

/// Everything that `rate`, `report` and `export` read, or why they refuse.
pub(crate) fn content(folder: &Path) -> Result<String, meshjudge::Error> {
    let store = Store::read(folder)?;
    let mut text = format!("{:?}\n{:?}\n", store.made()?, store.pairs()?);
    store.records(|record| {
        text.push_str(&format!("{record:?}\n"));
        Ok(())
    })?;
    Ok(text)
}

#[test]
fn a_flipped_bit_is_noticed_or_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &Plan::small());
    let path = folder.path().join("run.sqlite");
    let whole = std::fs::read(&path).unwrap();
    let before = content(folder.path()).unwrap();
    let flipped = tempfile::tempdir().unwrap();
    let mut random = Random::new(11, 0);
    let (mut noticed, mut harmless) = (0, 0);
    for _ in 0..400 {
        let mut bytes = whole.clone();
        let (byte, bit) = (random.below(bytes.len()), random.below(8));
        bytes[byte] ^= 1 << bit;
        std::fs::write(flipped.path().join("run.sqlite"), bytes).unwrap();
        match content(flipped.path()) {
            Err(_) => noticed += 1,
            Ok(found) if found == before => harmless += 1,
            Ok(_) => panic!("bit {bit} of byte {byte} changed what is read, and nobody noticed"),
        }
    }
    println!("{noticed} flips noticed, {harmless} changed nothing that is read");
    assert!(noticed > 100, "{noticed} of 400");
}

#[cfg(unix)]
#[test]
fn reading_needs_no_right_to_write() {
    use crate::support::program::{Run, command, through};
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("run 50%?#1");
    fill(&run, &Plan::small());
    let set =
        |path: &Path, mode| std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    set(place.path(), 0o755);
    for entry in std::fs::read_dir(&run).unwrap().flatten() {
        set(&entry.path(), if entry.path().is_dir() { 0o555 } else { 0o444 });
    }
    set(&run, 0o555);
    for args in [vec!["rate", "run 50%?#1"], vec!["export", "run 50%?#1", "--format", "csv"]] {
        let program = command(place.path(), &args);
        // The superuser may write anywhere, so there the program runs as nobody.
        let out = if rustix::process::getuid().is_root() {
            let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
            Run::of(&mut through(&nobody, &program))
        } else {
            Run::of(&mut command(place.path(), &args))
        };
        assert_eq!(out.code, Some(0), "{args:?}: {}", out.stderr);
        assert!(out.stdout.contains("alpha"), "{args:?}: {}", out.stdout);
    }
    set(&run, 0o755);
}

#[cfg(unix)]
#[test]
fn a_picture_that_is_a_link_or_another_picture_is_not_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("theirs");
    fill(&run, &Plan::small());
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "not for others").unwrap();
    let sheet = std::fs::read_dir(run.join("sheets")).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(&sheet).unwrap();
    std::os::unix::fs::symlink(&secret, &sheet).unwrap();
    let mut ours = Store::open(&folder.path().join("ours")).unwrap();
    let refused = ours.copy_from(&run, &[]).unwrap_err().to_string();
    assert!(refused.contains("a link"), "{refused}");
    std::fs::remove_file(&sheet).unwrap();
    std::fs::write(&sheet, "another").unwrap();
    let refused = ours.copy_from(&run, &[]).unwrap_err().to_string();
    assert!(refused.contains("changed since"), "{refused}");
}
