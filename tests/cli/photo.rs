//! The real program on photos: found, checked together, and shown first, the same in both orders.

use crate::support::assets::{png, tetrahedron};
use crate::support::judge_server::{Mocks, reply};
use crate::support::program::{Run, meshjudge};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Two generators of two prompts, with a photo and a mask of each. Both photos show a triangle,
/// as the objects do from some side: where no side fits, the probe draws three times as many.
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
            write(&format!("out/{generator}/{prompt}.obj"), tetrahedron(height).as_bytes());
        }
    }
    let triangle = |inside: [u8; 4], outside: [u8; 4]| {
        let texel = |k: u32| {
            let is_inside = k % 64 >= 12 && k % 64 < k / 64 && k / 64 < 52;
            if is_inside { inside } else { outside }
        };
        png(64, 64, &(0..64 * 64).map(texel).collect::<Vec<_>>())
    };
    let photo = triangle([180, 120, 60, 255], [240, 240, 240, 255]);
    let mask = triangle([255; 4], [0, 0, 0, 255]);
    for prompt in ["chair", "vase"] {
        write(&format!("photos/{prompt}.png"), &photo);
        write(&format!("photos/{prompt}_mask.png"), &mask);
    }
    place
}

fn bench_file(place: &Path) -> String {
    std::fs::read_to_string(place.join("bench.toml")).unwrap()
}

/// Writes the benchmark file of the folder, for small pictures; what was said.
fn init(place: &Path) -> String {
    let init = meshjudge(place, &["bench", "init", "out"]).ok();
    let small = bench_file(place) + "[pictures]\nsize_px = 64\n";
    std::fs::write(place.join("bench.toml"), small).unwrap();
    init.stdout
}

#[test]
fn a_folder_of_photos_and_results_is_a_board_without_any_text() {
    let place = workplace();
    let said = init(place.path());
    assert!(said.contains("2 photos and 2 masks from photos"), "{said}");
    let file = bench_file(place.path());
    assert!(!file.contains("text =") && file.contains("rubrics = [\"pairwise-image\"]"), "{file}");
    let args = ["bench", "--run", "r", "--no-canary"];
    let board = meshjudge(place.path(), &args).ok();
    assert!(board.stdout.contains("2 games on 2 prompts"), "{}", board.stdout);
    let page = std::fs::read_to_string(place.path().join("r/report.html")).unwrap();
    assert!(page.contains("Photo: chair") && page.contains("Photo: vase"));
    let rows = meshjudge(place.path(), &["export", "r", "--format", "jsonl"]).ok().rows();
    assert_eq!(rows.len(), 4);
    let photos: Vec<&str> = rows.iter().map(|row| row["pictures"][0].as_str().unwrap()).collect();
    assert!(photos.iter().all(|photo| *photo == photos[0]), "{photos:?}");
    assert_ne!(rows[0]["pictures"][1], rows[1]["pictures"][1]);
    // The same again asks nothing; another photo asks its prompt anew.
    let again = meshjudge(place.path(), &["bench", "--run", "r", "--dry-run"]).ok();
    assert!(again.stdout.contains("4 questions are answered"), "{}", again.stdout);
    std::fs::copy(
        place.path().join("photos/chair_mask.png"),
        place.path().join("photos/chair.png"),
    )
    .unwrap();
    // What was said of the photo before is kept, and neither answered nor rated.
    let replaced = meshjudge(place.path(), &["bench", "--run", "r", "--dry-run"]).ok();
    assert!(replaced.stdout.contains("2 questions are answered"), "{}", replaced.stdout);
    let board = meshjudge(place.path(), &args).ok();
    let said = board.stdout.clone() + &board.stderr;
    assert!(said.contains("2 games on 2 prompts"), "{said}");
    assert!(said.contains("2 about photos that were replaced"), "{said}");
    let rows = meshjudge(place.path(), &["export", "r", "--format", "jsonl"]).ok().rows();
    assert_eq!(rows.len(), 6);
    for row in &rows {
        assert_eq!(row["photos"][0], row["pictures"][0]);
        assert_eq!(row["photo_style"], "plain");
    }
    let file = blake3::hash(&std::fs::read(place.path().join("photos/chair.png")).unwrap());
    let of_new = rows.iter().filter(|row| row["images"][0] == file.to_hex().as_str());
    assert_eq!(of_new.count(), 2);
    let csv = meshjudge(place.path(), &["export", "r", "--format", "csv"]).ok();
    let head: Vec<&str> = csv.stdout.lines().next().unwrap().split(',').collect();
    let of_photos = ["images", "masks", "photo_sides", "photo_style", "photos"];
    assert!(head.windows(5).any(|names| names == of_photos), "{head:?}");
    // The file's name says the format, unless `--format` says another one.
    meshjudge(place.path(), &["export", "r", "--out", "rows.csv"]).ok();
    assert_eq!(std::fs::read_to_string(place.path().join("rows.csv")).unwrap(), csv.stdout);
    let other = meshjudge(place.path(), &["export", "r", "--format", "jsonl", "--out", "rows.csv"]);
    assert!(other.stderr.contains("--format is jsonl, but the name of the file ends in .csv"));
    // The photo comes back, and with it what was said of it.
    let vase = place.path().join("photos/vase.png");
    std::fs::copy(vase, place.path().join("photos/chair.png")).unwrap();
    let again = meshjudge(place.path(), &args).ok();
    let said = again.stdout.clone() + &again.stderr;
    assert!(said.contains("2 about photos that were replaced"), "{said}");
    let rows = meshjudge(place.path(), &["export", "r", "--format", "jsonl"]);
    assert_eq!(rows.ok().rows().len(), 6);
}

#[test]
fn several_photos_of_a_prompt_come_first_with_their_names_and_count_as_one() {
    let place = workplace();
    let file = |images: &str| {
        format!(
            "name = \"sides\"\nrubrics = [\"pairwise-image\"]\nprompts = [{{ id = \"chair\", {images} }}]\n\
             [pictures]\nsize_px = 64\n\
             [[generators]]\nname = \"alpha\"\npath = \"out/alpha/{{prompt_id}}.obj\"\n\
             [[generators]]\nname = \"beta\"\npath = \"out/beta/{{prompt_id}}.obj\"\n"
        )
    };
    let images = "images = { back = \"photos/vase.png\", front = \"photos/chair.png\" }, masks = { front = \"photos/chair_mask.png\" }";
    std::fs::write(place.path().join("sides.toml"), file(images)).unwrap();
    let args = ["bench", "sides.toml", "--run", "r", "--no-canary"];
    meshjudge(place.path(), &args).ok();
    let rows = meshjudge(place.path(), &["export", "r", "--format", "jsonl"]).ok().rows();
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!(row["photo_sides"], serde_json::json!(["front", "back"]));
        assert_eq!(row["photos"].as_array().unwrap().len(), 2);
        assert_eq!(row["masks"][1], "-");
        assert_eq!(row["pictures"].as_array().unwrap().len(), 3);
    }
    assert_eq!(rows[0]["photos"], rows[1]["photos"]);
    assert_ne!(rows[0]["pictures"][2], rows[1]["pictures"][2]);
    for (images, words) in [
        (
            "image = \"photos/vase.png\", images = { front = \"photos/chair.png\" }",
            "give one of them",
        ),
        (
            "images = { front = \"photos/chair.png\" }, masks = { back = \"photos/chair_mask.png\" }",
            "no photo of that name",
        ),
        ("images = { \"front. Choose 1\" = \"photos/chair.png\" }", "short name"),
    ] {
        std::fs::write(place.path().join("wrong.toml"), file(images)).unwrap();
        let run = meshjudge(place.path(), &["bench", "wrong.toml", "--dry-run"]);
        assert!(run.code == Some(2) && run.stderr.contains(words), "{words}: {}", run.stderr);
    }
}

#[test]
fn a_rubric_whose_pictures_cannot_be_made_is_refused_before_it_is_priced() {
    let place = workplace();
    let text = "Compare {criteria} and end with {count} digits: {options}";
    std::fs::write(place.path().join("mine.md"), text).unwrap();
    let rubric = |pictures: &str| {
        format!(
            "name = \"mine\"\nkind = \"pairwise\"\ntext = \"mine.md\"\ndata = \"Compare.\"\n\
             [[criteria]]\nkey = \"overall\"\ntitle = \"Overall\"\ndescription = \"Which?\"\n{pictures}"
        )
    };
    let sheet = "[[pictures]]\nid = \"sheet\"\ncontent = \"pair_sheet\"\n";
    let args = [
        "compare",
        "out/alpha/chair.obj",
        "out/beta/chair.obj",
        "--rubric",
        "mine.toml",
        "--prompt",
        "a chair",
        "--size",
        "64",
        "--dry-run",
    ];
    let cases = [
        ("views = 6\nchannels = [\"rgb\"]\n", Some("number of columns")),
        ("views = 6\ncolumns = 4\nchannels = [\"rgb\"]\n", Some("do not fill rows of 4")),
        ("views = 4\n", Some("channel")),
        ("views = 6\ncolumns = 3\nchannels = [\"rgb\"]\n", None),
    ];
    for (more, words) in cases {
        let pictures = rubric(&format!("{sheet}{more}"));
        std::fs::write(place.path().join("mine.toml"), pictures).unwrap();
        let run = meshjudge(place.path(), &args);
        match words {
            Some(words) => assert!(
                run.code == Some(2) && run.stderr.contains(words),
                "{words}: {}",
                run.stderr
            ),
            None => assert_eq!(run.code, Some(0), "{}", run.stderr),
        }
    }
}

/// The parts of a request's message: texts, and pictures as they were sent.
fn message(request: &wiremock::Request) -> Vec<String> {
    let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
    let parts = body["messages"][0]["content"].as_array().unwrap();
    let part = |part: &serde_json::Value| {
        let text = part["text"].as_str();
        text.or(part["image_url"]["url"].as_str()).unwrap().to_owned()
    };
    parts.iter().map(part).collect()
}

/// The messages of both orders of a pair with a photo, in the order of their arrival.
async fn exchange(place: &Path, form: &str) -> [Vec<String>; 2] {
    let answer = "Both are fine.\n\n1 1 1 1 1 1 1";
    let recorded: Arc<Mutex<Vec<Vec<String>>>> = Arc::default();
    let kept = Arc::clone(&recorded);
    let server = Mocks::chat(move |request: &wiremock::Request| {
        kept.lock().unwrap().push(message(request));
        reply(answer, "stop")
    })
    .await;
    let address = format!("{}/v1", server.uri());
    let pair = ["compare", "out/alpha/chair.obj", "out/beta/chair.obj", "--size", "64"];
    let photo = ["--image", "photos/chair.png", "--mask", "photos/chair_mask.png"];
    let judge = ["--judge", "openai:judge", "--base-url", &address, "--no-canary"];
    meshjudge(place, &[&pair[..], &photo, &judge, &["--pictures", form]].concat()).ok();
    let orders = recorded.lock().unwrap().clone();
    orders.try_into().expect("two requests")
}

/// Where the pictures are among the parts of a message.
fn pictures(message: &[String]) -> Vec<usize> {
    (0..message.len()).filter(|&i| message[i].starts_with("data:image/")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_two_orders_of_a_recorded_exchange_differ_only_in_the_sheet() {
    let place = workplace();
    let [first, second] = exchange(place.path(), "sheet").await;
    let pictures = pictures(&first);
    let [photo, sheet] = pictures.as_slice() else { panic!("{} pictures", pictures.len()) };
    assert!(first[photo - 1].ends_with("The photo:"), "{}", first[photo - 1]);
    let differ: Vec<usize> = (0..first.len()).filter(|&i| first[i] != second[i]).collect();
    assert_eq!((first.len(), differ.as_slice()), (second.len(), &[*sheet][..]));
}

/// A photo that cannot be used is named, with its side if there are several; a mask belongs to a
/// photo that is given.
#[test]
fn the_photo_or_mask_that_cannot_be_used_is_named() {
    let place = workplace();
    std::fs::write(place.path().join("text.png"), "no picture").unwrap();
    let photo = "photos/chair.png";
    for (given, said) in [
        (&["--image", "text.png"][..], "the photo \"text.png\": not a readable picture"),
        (
            &["--image", photo, "--mask", "text.png"],
            "its mask \"text.png\": not a readable picture",
        ),
        (
            &["--image", &format!("front={photo}"), "--image", "back=text.png"],
            "the back photo \"text.png\": not a readable picture",
        ),
        (
            &["--image", &format!("front={photo}"), "--mask", "back=photos/chair_mask.png"],
            "there is a mask \"back\" but no photo of that name",
        ),
    ] {
        let pair = ["compare", "out/alpha/chair.obj", "out/beta/chair.obj", "--judge", "probe"];
        let run = meshjudge(place.path(), &[&pair[..], given].concat());
        assert_eq!(run.code, Some(2), "{given:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{given:?}: {}", run.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_picture_has_the_photo_in_a_row_that_is_the_same_in_both_orders() {
    let place = workplace();
    let orders = exchange(place.path(), "strip").await;
    let sheets = orders.each_ref().map(|message| {
        let [one] = pictures(message)[..] else { panic!("{message:?}") };
        let label = "The photo, and below it both objects:";
        assert!(message[one - 1].ends_with(label), "{}", message[one - 1]);
        assert!(message[one - 1].contains("The row at the top shows the photo"));
        let (_, base64) = message[one].split_once(',').unwrap();
        image::load_from_memory(&BASE64.decode(base64).unwrap()).unwrap().to_rgb8()
    });
    // Four views in a square, colour and normals, left and right; and a row of one view.
    let [first, second] = &sheets;
    assert_eq!(first.dimensions(), (4 * 64, 5 * 64));
    let rows = |from: u32, to: u32| {
        let row = |image: &image::RgbImage| {
            image::imageops::crop_imm(image, 0, from, 4 * 64, to - from).to_image()
        };
        (row(first), row(second))
    };
    let (above, other) = rows(0, 64);
    assert!(above == other && above.pixels().any(|it| it.0 != [255; 3]));
    let (below, other) = rows(64, 5 * 64);
    assert!(below != other);
    let sheet = ["sheet", "pair", "out/alpha/chair.obj", "out/beta/chair.obj", "--size", "64"];
    let photo = ["--image", "photos/chair.png", "--mask", "photos/chair_mask.png"];
    let out = ["--strip", "--views", "4", "--out", "sheet.png"];
    meshjudge(place.path(), &[&sheet[..], &photo, &out].concat()).ok();
    let drawn = image::open(place.path().join("sheet.png")).unwrap().to_rgb8();
    assert!(sheets.contains(&drawn));
}

#[test]
fn all_photos_that_cannot_be_used_are_named_before_anything_is_asked() {
    let place = workplace();
    meshjudge(place.path(), &["bench", "init", "out"]).ok();
    std::fs::write(place.path().join("photos/chair.png"), b"\0\0\0\x1cftypheic\0\0\0\0mif1heic")
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
    meshjudge(place.path(), &["bench", "init", "out"]).ok();
    let file = bench_file(place.path());
    let cases = [
        (
            file.replace(", image = \"photos/chair.png\", mask = \"photos/chair_mask.png\"", ""),
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
        assert!(run.code == Some(2) && run.stderr.contains(words), "{words}: {}", run.stderr);
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
    let left_out = [&photo[..], &["--prompt", "a chair", "--rubric", "pairwise"]].concat();
    let refused = meshjudge(place.path(), &left_out);
    assert!(refused.stderr.contains("\"pairwise\" uses no photo; leave out --image"));
}

#[test]
fn a_photo_next_to_an_asset_is_found_and_a_prompt_without_one_is_named() {
    let place = workplace();
    let out = place.path().join("out");
    for generator in ["alpha", "beta"] {
        for prompt in ["chair", "vase"] {
            let folder = out.join(generator).join(prompt);
            std::fs::create_dir(&folder).unwrap();
            std::fs::rename(folder.with_extension("obj"), folder.join("mesh.obj")).unwrap();
        }
    }
    let photos = place.path().join("photos");
    std::fs::rename(photos.join("chair.png"), out.join("beta/chair/input.png")).unwrap();
    std::fs::remove_dir_all(photos).unwrap();
    let said = meshjudge(place.path(), &["bench", "init", "out"]).ok().stderr;
    assert!(said.contains("out/beta/chair/input.png is used as the photo of \"chair\""), "{said}");
    assert!(said.contains("1 of 2 prompts have no photo in out: vase"), "{said}");
    let run = meshjudge(place.path(), &["bench", "--dry-run"]);
    let words = "prompt \"vase\" has no `image`, and prompt \"chair\" has no `text`";
    assert!(run.code == Some(2) && run.stderr.contains(words), "{}", run.stderr);
}

#[test]
fn photos_of_several_sides_are_found_by_their_names_and_given_to_generators() {
    let place = workplace();
    let rename = |from: &str, to: &str| {
        let to = place.path().join("photos").join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::rename(place.path().join("photos").join(from), to).unwrap();
    };
    // The back of the chair has a mask of its own; the vase has a folder.
    let demo_photo = place.path().join("photos/chair.png");
    std::fs::copy(&demo_photo, place.path().join("photos/chair-back.png")).unwrap();
    std::fs::copy(&demo_photo, place.path().join("photos/laptop.png")).unwrap();
    rename("vase.png", "vase/front.png");
    rename("vase_mask.png", "vase/front_mask.png");
    std::fs::copy(&demo_photo, place.path().join("photos/vase/vase_left.png")).unwrap();
    let said = init(place.path());
    let found = "4 photos and 2 masks from photos; 2 prompts have photos of several sides";
    assert!(said.contains(found), "{said}");
    let file = bench_file(place.path());
    let chair = "images = { \"back\" = \"photos/chair-back.png\", \"front\" = \"photos/chair.png\" }, masks = { \"front\" = \"photos/chair_mask.png\" }";
    assert!(file.contains(chair), "{file}");
    let vase = "images = { \"front\" = \"photos/vase/front.png\", \"left\" = \"photos/vase/vase_left.png\" }, masks = { \"front\" = \"photos/vase/front_mask.png\" }";
    assert!(file.contains(vase), "{file}");

    // A command gets the first one's path.
    let copy = "command = [\"sh\", \"-c\", \"cmp $1 $2 && cp $3 $4\", \"x\", \"{image}\", \"photos/vase/front.png\", \"out/beta/vase.obj\", \"{out}\"]\nextension = \"obj\"";
    let file = file.replace("path = \"out/beta/{prompt_id}.obj\"", copy);
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    let board = meshjudge(place.path(), &["bench", "--run", "r", "--no-canary"]).ok();
    assert!(board.stdout.contains("2 games on 2 prompts"), "{}{}", board.stdout, board.stderr);
}

#[test]
fn a_pair_and_a_score_take_several_photos() {
    let place = workplace();
    let [a, b] = ["out/alpha/chair.obj", "out/beta/chair.obj"];
    let pair = |flags: &[&str]| {
        let args = ["compare", a, b, "--json", "--size", "64", "--views", "1"];
        meshjudge(place.path(), &[&args[..], flags].concat())
    };
    let rows = pair(&[
        "--image",
        "back=photos/vase.png",
        "--image",
        "front=photos/chair.png",
        "--mask",
        "front=photos/chair_mask.png",
    ]);
    let rows = rows.ok().rows();
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!(row["photo_sides"], serde_json::json!(["front", "back"]));
        assert_eq!(row["masks"][1], "-");
        assert_eq!(row["pictures"].as_array().unwrap().len(), 3);
    }
    let unnamed = pair(&["--image", "photos/vase.png", "--image", "photos/chair.png"]).ok().rows();
    assert_eq!(unnamed[0]["photo_sides"], serde_json::json!(["view 1", "view 2"]));
    // One photo needs no name; a file that exists is a path.
    std::fs::copy(place.path().join("photos/vase.png"), place.path().join("a=b.png")).unwrap();
    assert!(pair(&["--image", "a=b.png"]).ok().rows()[0].get("photo_sides").is_none());
    for (flags, words) in [
        (&["--image", "a=photos/vase.png", "--image", "a=photos/chair.png"][..], "two files"),
        (&["--image", "a?=photos/vase.png", "--image", "b=photos/chair.png"], "short name"),
        (
            &["--image", "photos/vase.png", "--mask", "x=photos/chair_mask.png", "--mask", "y=z"],
            "no photo of that name",
        ),
        (
            &["--image", "a=photos/vase.png", "--image", "photos/chair.png", "--mask", "m.png"],
            "SIDE=MASK",
        ),
    ] {
        let run = pair(flags);
        assert!(run.code == Some(2) && run.stderr.contains(words), "{words}: {}", run.stderr);
    }
    let scored = ["score", a, "--rubric", "reconstruction", "--size", "64", "--json"];
    let photos = [
        "--image",
        "back=photos/vase.png",
        "--image",
        "front=photos/chair.png",
        "--mask",
        "front=photos/chair_mask.png",
    ];
    let rows = meshjudge(place.path(), &[&scored[..], &photos].concat()).ok().rows();
    let front = blake3::hash(&std::fs::read(place.path().join("photos/chair.png")).unwrap());
    assert_eq!(rows[0]["images"], serde_json::json!([front.to_hex().as_str()]));
}

#[test]
fn a_photo_is_decoded_once_for_all_calls_of_a_run() {
    let place = workplace();
    init(place.path());
    let args = ["bench", "--run", "r", "--no-canary"];
    meshjudge(place.path(), &args).ok();
    let kept = || -> Vec<std::path::PathBuf> {
        let files = std::fs::read_dir(place.path().join("r/photos")).unwrap();
        files.map(|file| file.unwrap().path()).collect()
    };
    // The two photos are equal.
    assert_eq!(kept().len(), 1);
    let rows = || meshjudge(place.path(), &["export", "r", "--format", "jsonl"]).ok().rows();
    let first = rows();
    // Another rubric asks anew, with the same picture.
    let file = bench_file(place.path());
    let more = file.replace("[\"pairwise-image\"]", "[\"pairwise-image\", \"match-image\"]");
    std::fs::write(place.path().join("bench.toml"), more).unwrap();
    meshjudge(place.path(), &args).ok();
    let both = rows();
    assert_eq!(both.len(), 8);
    assert!(both.iter().all(|row| row["photos"] == first[0]["photos"]));
    // A file that was damaged is made again.
    let path = &kept()[0];
    let whole = std::fs::read(path).unwrap();
    std::fs::write(path, &whole[..whole.len() - 9]).unwrap();
    meshjudge(place.path(), &args).ok();
    assert_eq!(std::fs::read(path).unwrap(), whole);
}

#[test]
fn a_mask_of_the_background_is_doubted_by_every_command_that_takes_one() {
    let place = workplace();
    let mask = image::open(place.path().join("photos/chair_mask.png")).unwrap().into_luma8();
    let turned = image::GrayImage::from_fn(mask.width(), mask.height(), |x, y| {
        image::Luma([255 - mask.get_pixel(x, y)[0]])
    });
    turned.save(place.path().join("turned.png")).unwrap();
    let photo = ["--size", "64", "--image", "photos/chair.png", "--mask"];
    let assets = ["out/alpha/chair.obj", "out/beta/chair.obj"];
    let commands = [vec!["compare", assets[0], assets[1]], vec!["score", assets[0]]];
    for command in commands {
        let doubts = |mask| {
            let run = meshjudge(place.path(), &[&command[..], &photo, &[mask]].concat()).ok();
            run.stderr.contains("seems to mark the background")
        };
        assert!(doubts("turned.png") && !doubts("photos/chair_mask.png"), "{command:?}");
    }
}

/// No judge sees that text, and both orders are asked whichever generator comes first.
#[test]
fn neither_an_edited_text_nor_the_order_of_generators_asks_anew() {
    let place = workplace();
    let listed = ["alpha", "beta"];
    let boards = [("", listed), (", text = \"a seat\"", listed), ("", ["beta", "alpha"])];
    for (i, (text, names)) in boards.into_iter().enumerate() {
        let generators = names.map(|it| {
            format!("[[generators]]\nname = \"{it}\"\npath = \"out/{it}/{{prompt_id}}.obj\"\n")
        });
        let file = format!(
            "name = \"t\"\nprompts = [{{ id = \"chair\", image = \"photos/chair.png\"{text} }}, {{ id = \"vase\", image = \"photos/vase.png\" }}]\n\
            rubrics = [\"pairwise-image\"]\n{}[pictures]\nsize_px = 64\nviews = 1\n",
            generators.concat()
        );
        std::fs::write(place.path().join("bench.toml"), file).unwrap();
        let board = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]).ok();
        let said = board.stdout + &board.stderr;
        assert!(said.contains("2 games on 2 prompts"), "{i}: {said}");
        assert!(!said.contains("kept and not rated"), "{i}: {said}");
        assert_eq!(said.contains("4 of 4 questions were answered before"), i > 0, "{i}: {said}");
    }
}

/// By `--init`, before each run, and from what the run keeps; right photos are not.
#[test]
fn photos_that_were_swapped_are_named_before_anything_is_asked() {
    let place = tempfile::tempdir().unwrap();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo");
    let photo = |name: &str| place.path().join(format!("photos/{name}.png"));
    std::fs::create_dir_all(place.path().join("photos")).unwrap();
    for name in ["boat", "rocket"] {
        for generator in ["atelier", "workshop"] {
            let folder = place.path().join("out").join(generator);
            std::fs::create_dir_all(&folder).unwrap();
            let file = format!("{name}.glb");
            std::fs::copy(demo.join("bench").join(generator).join(&file), folder.join(file))
                .unwrap();
        }
        let asset = format!("out/atelier/{name}.glb");
        let look = ["--views", "1", "--size", "128", "--background", "transparent"];
        let drawn = ["render", &asset, "--out", name, "--channels", "rgb"];
        meshjudge(place.path(), &[&drawn[..], &look].concat()).ok();
        std::fs::copy(place.path().join(name).join(name).join("rgb_0.png"), photo(name)).unwrap();
    }
    let named = |args: &[&str]| {
        let said = meshjudge(place.path(), args).ok().stderr;
        said.contains(
            "more than their own: \"boat\" those of \"rocket\", \"rocket\" those of \"boat\"",
        )
    };
    let run = ["bench", "--run", "r", "--no-canary"];
    assert!(!named(&["bench", "--init", "out"]) && !named(&["bench", "--dry-run"]));
    std::fs::rename(photo("boat"), photo("other")).unwrap();
    std::fs::rename(photo("rocket"), photo("boat")).unwrap();
    std::fs::rename(photo("other"), photo("rocket")).unwrap();
    assert!(named(&["bench", "--init", "out", "--force"]) && named(&["bench", "--dry-run"]));
    let small = bench_file(place.path()) + "[pictures]\nsize_px = 64\n";
    std::fs::write(place.path().join("bench.toml"), small).unwrap();
    assert!(named(&run) && named(&run));
    let kept = std::fs::read_to_string(place.path().join("r/photos/resembled.json")).unwrap();
    std::fs::write(place.path().join("r/photos/resembled.json"), kept.replace("rocket", "tree"))
        .unwrap();
    assert!(!named(&run), "the assets were drawn again");
}
