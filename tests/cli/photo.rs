//! The real program on photos: found, checked together, and shown first, the same in both orders.

use crate::support::assets::{demo, tetrahedron};
use crate::support::program::{Run, meshjudge};
use std::path::Path;

/// Two generators of two prompts, with a photo and a mask of each.
fn workplace() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let write = |path: &str, bytes: &[u8]| {
        let path = place.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    for (i, generator) in ["alpha", "beta"].iter().enumerate() {
        for (k, prompt) in ["chair", "vase"].iter().enumerate() {
            let height = 1.0 + 0.5 * i as f32 + 0.1 * k as f32;
            write(
                &format!("out/{generator}/{prompt}.obj"),
                tetrahedron(height).as_bytes(),
            );
        }
    }
    let [photo, mask] = ["photo.png", "mask.png"].map(|name| std::fs::read(demo(name)).unwrap());
    for prompt in ["chair", "vase"] {
        write(&format!("photos/{prompt}.png"), &photo);
        write(&format!("photos/{prompt}_mask.png"), &mask);
    }
    place
}

fn bench_file(place: &Path) -> String {
    std::fs::read_to_string(place.join("bench.toml")).unwrap()
}

#[test]
fn a_folder_of_photos_and_results_is_a_board_without_any_text() {
    let place = workplace();
    let init = meshjudge(place.path(), &["bench", "--init", "out"]).ok();
    assert!(
        init.stdout.contains("2 photos and 2 masks from photos"),
        "{}",
        init.stdout
    );
    let file = bench_file(place.path());
    assert!(
        !file.contains("text =") && file.contains("rubrics = [\"pairwise-image\"]"),
        "{file}"
    );
    let args = ["bench", "--run", "r", "--no-canary"];
    let board = meshjudge(place.path(), &args).ok();
    assert!(
        board.stdout.contains("2 games on 2 prompts"),
        "{}",
        board.stdout
    );
    let rows = meshjudge(place.path(), &["export", "r", "--format", "jsonl"])
        .ok()
        .rows();
    assert_eq!(rows.len(), 4);
    let photos: Vec<&str> = rows
        .iter()
        .map(|row| row["pictures"][0].as_str().unwrap())
        .collect();
    assert!(photos.iter().all(|photo| *photo == photos[0]), "{photos:?}");
    assert_ne!(rows[0]["pictures"][1], rows[1]["pictures"][1]);
    // The same again asks nothing; another photo asks its prompt anew.
    let again = meshjudge(place.path(), &["bench", "--run", "r", "--dry-run"]).ok();
    assert!(
        again.stdout.contains("4 questions are answered"),
        "{}",
        again.stdout
    );
    std::fs::copy(
        place.path().join("photos/chair_mask.png"),
        place.path().join("photos/chair.png"),
    )
    .unwrap();
    meshjudge(place.path(), &args).ok();
    let rows = meshjudge(place.path(), &["export", "r", "--format", "jsonl"]);
    assert_eq!(rows.ok().rows().len(), 6);
}

#[test]
fn all_photos_that_cannot_be_used_are_named_before_anything_is_asked() {
    let place = workplace();
    meshjudge(place.path(), &["bench", "--init", "out"]).ok();
    std::fs::write(
        place.path().join("photos/chair.png"),
        b"\0\0\0\x1cftypheic\0\0\0\0mif1heic",
    )
    .unwrap();
    std::fs::write(place.path().join("photos/vase.png"), b"no picture").unwrap();
    let run = meshjudge(place.path(), &["bench", "--run", "r"]);
    let said = run.stderr;
    assert_eq!(run.code, Some(2), "{said}");
    assert!(
        said.contains("\"chair\"") && said.contains("HEIC") && said.contains("\"vase\""),
        "{said}"
    );
    assert!(!place.path().join("r/run.sqlite").exists());
}

#[test]
fn a_prompt_has_a_text_or_an_image_and_its_rubric_fits_it() {
    let place = workplace();
    meshjudge(place.path(), &["bench", "--init", "out"]).ok();
    let file = bench_file(place.path());
    let cases = [
        (
            file.replace(
                ", image = \"photos/chair.png\", mask = \"photos/chair_mask.png\"",
                "",
            ),
            "neither a text nor an image",
        ),
        (file.replace("pairwise-image", "pairwise"), "pairwise-image"),
        (
            file.replace(
                "image = \"photos/vase.png\", mask = \"photos/vase_mask.png\"",
                "text = \"a vase\"",
            ),
            "\"vase\" has no `image`",
        ),
    ];
    for (text, words) in cases {
        std::fs::write(place.path().join("wrong.toml"), text).unwrap();
        let run: Run = meshjudge(place.path(), &["bench", "wrong.toml", "--dry-run"]);
        assert!(
            run.code == Some(2) && run.stderr.contains(words),
            "{words}: {}",
            run.stderr
        );
    }
}

#[test]
fn two_assets_are_compared_with_a_photo_alone() {
    let place = workplace();
    let pair = ["compare", "out/alpha/chair.obj", "out/beta/chair.obj"];
    let without = meshjudge(place.path(), &pair);
    assert_eq!(without.code, Some(2), "{}", without.stderr);
    let photo = [
        &pair[..],
        &[
            "--image",
            "photos/chair.png",
            "--mask",
            "photos/chair_mask.png",
            "--json",
            "--size",
            "64",
        ],
    ]
    .concat();
    let rows: Vec<_> = meshjudge(place.path(), &photo).ok().rows();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["rubric"], "pairwise-image");
    assert_eq!(rows[0]["pictures"][0], rows[1]["pictures"][0]);
}
