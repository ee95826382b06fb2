//! Files of different axes beside each other: what is said, what turns them, and what that does to answers.

use super::sheet::write_wedge;
use crate::support::program::{meshjudge, rows_of};
use serde_json::Value;
use std::path::Path;

/// What is said where one of two files has another axis up.
const SAID: &str = "one lies on its side beside the other";

const Z_UP: [&str; 4] = ["--up-b", "+z", "--front-b", "-y"];

fn num_runs(place: &Path) -> usize {
    std::fs::read_dir(place.join("runs")).unwrap().count()
}

#[test]
fn one_of_two_that_lies_on_its_side_is_said_and_turned_only_on_request() {
    let place = tempfile::tempdir().unwrap();
    write_wedge(&place.path().join("a.obj"), false);
    write_wedge(&place.path().join("b.obj"), true);
    let sheet = [
        "sheet", "pair", "a.obj", "b.obj", "--out", "pair.png", "--size", "32",
    ];
    let compare = [
        "compare", "a.obj", "b.obj", "--prompt", "a wedge", "--size", "32", "--views", "1",
    ];
    for args in [&sheet[..], &compare] {
        let as_they_lie = meshjudge(place.path(), args).ok();
        assert_eq!(
            as_they_lie.stderr.matches(SAID).count(),
            1,
            "{}",
            as_they_lie.stderr
        );
        let turned = meshjudge(place.path(), &[args, &Z_UP].concat()).ok();
        assert!(!turned.stderr.contains(SAID), "{}", turned.stderr);
    }
    // Turned, it is another asset: a question of its own, which is recognised when it comes again.
    assert_eq!(num_runs(place.path()), 2);
    meshjudge(place.path(), &[&compare, &Z_UP[..]].concat()).ok();
    assert_eq!(num_runs(place.path()), 2);
}

#[test]
fn compare_and_score_read_files_with_the_axes_of_the_rig() {
    let place = tempfile::tempdir().unwrap();
    write_wedge(&place.path().join("a.obj"), true);
    write_wedge(&place.path().join("b.obj"), true);
    let same = ["--size", "32", "--views", "1", "--rig", "t3bench"];
    let compare = ["compare", "a.obj", "b.obj", "--prompt", "a wedge"];
    let score = [
        "score",
        "a.obj",
        "--rubric",
        "category",
        "--category",
        "single_object",
        "--prompt",
        "a wedge",
    ];
    for (count, args) in [(1, &compare[..]), (3, &score)] {
        for axes in [&[][..], &["--up", "+z", "--front", "-y"]] {
            meshjudge(place.path(), &[args, &same, axes].concat()).ok();
            assert_eq!(num_runs(place.path()), count, "the same question");
        }
        meshjudge(
            place.path(),
            &[args, &same, &["--up", "+y", "--front", "+z"]].concat(),
        )
        .ok();
        assert_eq!(num_runs(place.path()), count + 1);
    }
}

#[test]
fn a_generator_of_a_benchmark_has_its_axes() {
    let place = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        std::fs::create_dir(place.path().join(name)).unwrap();
        write_wedge(&place.path().join(name).join("0.obj"), name == "c");
    }
    // Another height, so that the other two are no equal files.
    let text = std::fs::read_to_string(place.path().join("b/0.obj")).unwrap();
    std::fs::write(
        place.path().join("b/0.obj"),
        text.replace("v 0 2 0", "v 0 2.1 0"),
    )
    .unwrap();
    let bench = |axes: &str, flags: &[&str]| {
        let generators: String = (["a", "b", "c"].iter())
            .map(|name| {
                let axes = if *name == "c" { axes } else { "" };
                format!("[[generators]]\nname = \"{name}\"\npath = \"{name}/{{prompt_id}}.obj\"\n{axes}\n")
            })
            .collect();
        let text = format!(
            "name = \"t\"\nprompts = [\"a wedge\"]\n{generators}[pictures]\nsize_px = 32\nviews = 1\n"
        );
        std::fs::write(place.path().join("bench.toml"), text).unwrap();
        meshjudge(
            place.path(),
            &[&["bench", "bench.toml", "--run", "r"], flags].concat(),
        )
    };
    let left = |axes: &str| -> [u64; 2] {
        let plan = bench(axes, &["--dry-run", "--json"]).ok();
        let plan: Value = rows_of(&plan.stdout, "plan").remove(0);
        ["answered", "questions"].map(|key| plan[key].as_u64().unwrap())
    };
    let first = bench("", &[]).ok();
    // Once for each two generators, and not for those that agree.
    assert_eq!(first.stderr.matches(SAID).count(), 2, "{}", first.stderr);
    assert_eq!(left(""), [6, 6]);
    let axes = "up = \"+z\"\nfront = \"-y\"";
    assert_eq!(left(axes), [2, 6], "what others answered stays");
    let turned = bench(axes, &[]).ok();
    assert!(!turned.stderr.contains(SAID), "{}", turned.stderr);
    assert_eq!(left(axes), [6, 6]);
    // Nothing of how it lay before is counted.
    let rated = meshjudge(place.path(), &["rate", "r", "--json", "--bootstraps", "50"]).ok();
    for criterion in rated.rows_of("criterion") {
        assert_eq!(criterion["games"], 3, "{criterion}");
    }

    for (axes, why) in [("up = \"+z\"", "same axis"), ("up = \"north\"", "+x")] {
        let refused = bench(axes, &[]);
        assert_ne!(refused.code, Some(0));
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
}
