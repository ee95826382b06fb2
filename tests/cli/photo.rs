//! The real program on photos: found, checked together, and shown first, the same in both orders.

use crate::support::assets::{Folder, demo, png, tetrahedron};
use crate::support::judge_server::{Mocks, pictures_of, reply};
use crate::support::program::{Run, Text as _, generator};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const PAIR: &str = "out/alpha/chair.obj out/beta/chair.obj --size 64";
const PHOTO: &str = "--image photos/chair.png --mask photos/chair_mask.png";
/// A photo of each side; that of the back has no mask.
const TWO_SIDES: &str = "--image back=photos/vase.png --image front=photos/chair.png --mask front=photos/chair_mask.png";

/// Two generators of two prompts, with a photo and a mask of each. Both photos show a triangle,
/// as the objects do from some side: where no side fits, the probe draws three times as many.
fn workplace() -> Folder {
    let place = Folder::new();
    for (i, generator) in ["alpha", "beta"].iter().enumerate() {
        for (k, prompt) in ["chair", "vase"].iter().enumerate() {
            let height = 1.0 + 0.5 * i as f32 + 0.1 * k as f32;
            place.write(format!("out/{generator}/{prompt}.obj"), tetrahedron(height));
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
        place.write(format!("photos/{prompt}.png"), &photo);
        place.write(format!("photos/{prompt}_mask.png"), &mask);
    }
    place
}

/// Writes the benchmark file of the folder, for small pictures; what was said.
fn init(place: &Folder) -> String {
    let init = place.ok("bench init out");
    place.write("bench.toml", place.read("bench.toml") + "[pictures]\nsize_px = 64\n");
    init.stdout
}

/// All that a run printed.
fn said(run: Run) -> String {
    run.stdout + &run.stderr
}

/// Generators whose assets are ready.
fn generators(names: [&str; 2]) -> String {
    names.map(|name| generator(name, &format!("out/{name}/{{prompt_id}}.obj"))).concat()
}

/// Two photos of known sides, of which the first has a mask, and the sheet.
fn has_two_sides(row: &Value) {
    assert_eq!(row["photo_sides"], json!(["front", "back"]));
    assert_eq!(row["masks"][1], "-");
    assert_eq!(row["pictures"].as_array().unwrap().len(), 3);
}

#[test]
fn a_folder_of_photos_and_results_is_a_board_without_any_text() {
    let place = workplace();
    init(&place).must_have("2 photos and 2 masks from photos");
    let file = place.read("bench.toml");
    assert!(!file.contains("text =") && file.contains("rubrics = [\"pairwise-image\"]"), "{file}");
    let bench = || place.ok("bench --run r --no-canary");
    bench().shows("2 games on 2 prompts");
    place.read("r/report.html").must_have(["Photo: chair", "Photo: vase"]);
    let rows = place.answers("r");
    assert_eq!(rows.len(), 4);
    let photos: Vec<&str> = rows.iter().map(|row| row["pictures"][0].as_str().unwrap()).collect();
    assert!(photos.iter().all(|photo| *photo == photos[0]), "{photos:?}");
    assert_ne!(rows[0]["pictures"][1], rows[1]["pictures"][1]);
    // The same again asks nothing; another photo asks its prompt anew.
    place.ok("bench --run r --dry-run").shows("4 questions are answered");
    place.copy(place.join("photos/chair_mask.png"), "photos/chair.png");
    // What was said of the photo before is kept, and neither answered nor rated.
    place.ok("bench --run r --dry-run").shows("2 questions are answered");
    said(bench()).must_have(["2 games on 2 prompts", "2 about photos that were replaced"]);
    let rows = place.answers("r");
    assert_eq!(rows.len(), 6);
    for row in &rows {
        assert_eq!(row["photos"][0], row["pictures"][0]);
        assert_eq!(row["photo_style"], "plain");
    }
    let file = blake3::hash(&place.bytes("photos/chair.png"));
    let of_new = rows.iter().filter(|row| row["images"][0] == file.to_hex().as_str());
    assert_eq!(of_new.count(), 2);
    let csv = place.ok("export r --format csv");
    let head: Vec<&str> = csv.stdout.lines().next().unwrap().split(',').collect();
    let of_photos = ["images", "masks", "photo_sides", "photo_style", "photos"];
    assert!(head.windows(5).any(|names| names == of_photos), "{head:?}");
    // The file's name says the format, unless `--format` says another one.
    place.ok("export r --out rows.csv");
    assert_eq!(place.read("rows.csv"), csv.stdout);
    place
        .run("export r --format jsonl --out rows.csv")
        .says("--format is jsonl, but the name of the file ends in .csv");
    // The photo comes back, and with it what was said of it.
    place.copy(place.join("photos/vase.png"), "photos/chair.png");
    said(bench()).must_have("2 about photos that were replaced");
    assert_eq!(place.answers("r").len(), 6);
}

#[test]
fn several_photos_of_a_prompt_come_first_with_their_names_and_count_as_one() {
    let place = workplace();
    let file = |images: &str| {
        format!(
            "name = \"sides\"\nrubrics = [\"pairwise-image\"]\nprompts = [{{ id = \"chair\", {images} }}]\n\
             [pictures]\nsize_px = 64\n{}",
            generators(["alpha", "beta"])
        )
    };
    let images = "images = { back = \"photos/vase.png\", front = \"photos/chair.png\" }, masks = { front = \"photos/chair_mask.png\" }";
    place.write("sides.toml", file(images));
    place.ok("bench sides.toml --run r --no-canary");
    let rows = place.answers("r");
    assert_eq!(rows.len(), 2);
    rows.iter().for_each(has_two_sides);
    assert_eq!(rows[0]["photos"].as_array().unwrap().len(), 2);
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
        place.write("wrong.toml", file(images));
        place.run("bench wrong.toml --dry-run").refuses(words);
    }
}

#[test]
fn a_rubric_whose_pictures_cannot_be_made_is_refused_before_it_is_priced() {
    let place = workplace();
    place.write("mine.md", "Compare {criteria} and end with {count} digits: {options}");
    for (more, words) in [
        ("views = 6\nchannels = [\"rgb\"]\n", Some("number of columns")),
        ("views = 6\ncolumns = 4\nchannels = [\"rgb\"]\n", Some("do not fill rows of 4")),
        ("views = 4\n", Some("channel")),
        ("views = 6\ncolumns = 3\nchannels = [\"rgb\"]\n", None),
    ] {
        let rubric = format!(
            "name = \"mine\"\nkind = \"pairwise\"\ntext = \"mine.md\"\ndata = \"Compare.\"\n\
             [[criteria]]\nkey = \"overall\"\ntitle = \"Overall\"\ndescription = \"Which?\"\n\
             [[pictures]]\nid = \"sheet\"\ncontent = \"pair_sheet\"\n{more}"
        );
        place.write("mine.toml", rubric);
        let run =
            place.run(&format!("compare {PAIR} --rubric mine.toml --prompt 'a chair' --dry-run"));
        match words {
            Some(words) => _ = run.refuses(words),
            None => _ = run.ok(),
        }
    }
}

/// The parts of a request's message: texts, and pictures as they were sent.
fn message(request: &wiremock::Request) -> Vec<String> {
    let body: Value = request.body_json().unwrap();
    let parts = body["messages"][0]["content"].as_array().unwrap().iter();
    let part = |part: &Value| {
        part["text"].as_str().or(part["image_url"]["url"].as_str()).map(str::to_owned)
    };
    parts.map(|it| part(it).unwrap()).collect()
}

/// The messages of both orders of a pair with a photo, in the order of their arrival.
async fn exchange(place: &Folder, form: &str) -> [Vec<String>; 2] {
    let recorded: Arc<Mutex<Vec<Vec<String>>>> = Arc::default();
    let kept = Arc::clone(&recorded);
    let server = Mocks::chat(move |request: &wiremock::Request| {
        kept.lock().unwrap().push(message(request));
        reply("Both are fine.\n\n1 1 1 1 1 1 1", "stop")
    })
    .await;
    let judge = format!("{} --no-canary", server.flags());
    place.ok(&format!("compare {PAIR} {PHOTO} {judge} --pictures {form}"));
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
    let [first, second] = exchange(&place, "sheet").await;
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
    place.write("text.png", "no picture");
    for (given, said) in [
        ("--image text.png", "the photo \"text.png\": not a readable picture"),
        (
            "--image photos/chair.png --mask text.png",
            "its mask \"text.png\": not a readable picture",
        ),
        (
            "--image front=photos/chair.png --image back=text.png",
            "the back photo \"text.png\": not a readable picture",
        ),
        (
            "--image front=photos/chair.png --mask back=photos/chair_mask.png",
            "there is a mask \"back\" but no photo of that name",
        ),
    ] {
        place.run(&format!("compare {PAIR} --judge probe {given}")).refuses(said);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_picture_has_the_photo_in_a_row_that_is_the_same_in_both_orders() {
    let place = workplace();
    let orders = exchange(&place, "strip").await;
    let sheets = orders.each_ref().map(|message| {
        let [one] = pictures(message)[..] else { panic!("{message:?}") };
        let label = "The photo, and below it both objects:";
        assert!(message[one - 1].ends_with(label), "{}", message[one - 1]);
        message[one - 1].must_have("The row at the top shows the photo");
        let part = json!({"image_url": {"url": message[one]}});
        pictures_of(&json!({"messages": [{"content": [part]}]})).remove(0).to_rgb8()
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
    place.ok(&format!("sheet pair {PAIR} {PHOTO} --strip --views 4 --out sheet.png"));
    let drawn = image::open(place.join("sheet.png")).unwrap().to_rgb8();
    assert!(sheets.contains(&drawn));
}

#[test]
fn all_photos_that_cannot_be_used_are_named_before_anything_is_asked() {
    let place = workplace();
    place.ok("bench init out");
    place.write("photos/chair.png", b"\0\0\0\x1cftypheic\0\0\0\0mif1heic");
    place.write("photos/vase.png", b"no picture");
    place.run("bench --run r").refuses(["\"chair\"", "HEIC", "\"vase\""]);
    assert!(!place.join("r/run.sqlite").exists());
}

#[test]
fn a_prompt_has_a_text_or_an_image_and_its_rubric_fits_it() {
    let place = workplace();
    place.ok("bench init out");
    let file = place.read("bench.toml");
    let chair = ", image = \"photos/chair.png\", mask = \"photos/chair_mask.png\"";
    let vase = "image = \"photos/vase.png\", mask = \"photos/vase_mask.png\"";
    for (from, to, words) in [
        (chair, "", "neither a text nor an image"),
        ("pairwise-image", "pairwise", "pairwise-image"),
        (vase, "text = \"a vase\"", "\"vase\" has no `image`"),
    ] {
        place.write("wrong.toml", file.replace(from, to));
        place.run("bench wrong.toml --dry-run").refuses(words);
    }
}

#[test]
fn two_assets_are_compared_with_a_photo_alone() {
    let place = workplace();
    place.run(&format!("compare {PAIR}")).ends(2);
    let with_photo = format!("compare {PAIR} {PHOTO}");
    let rows = place.ok(&format!("{with_photo} --json")).rows();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["rubric"], "pairwise-image");
    assert_eq!(rows[0]["pictures"][0], rows[1]["pictures"][0]);
    place
        .run(&format!("{with_photo} --prompt 'a chair' --rubric pairwise"))
        .says("\"pairwise\" uses no photo; leave out --image");
}

#[test]
fn a_photo_next_to_an_asset_is_found_and_a_prompt_without_one_is_named() {
    let place = workplace();
    for asset in ["alpha/chair", "alpha/vase", "beta/chair", "beta/vase"] {
        place.rename(&format!("out/{asset}.obj"), &format!("out/{asset}/mesh.obj"));
    }
    place.rename("photos/chair.png", "out/beta/chair/input.png");
    std::fs::remove_dir_all(place.join("photos")).unwrap();
    place.ok("bench init out").says([
        "out/beta/chair/input.png is used as the photo of \"chair\"",
        "1 of 2 prompts have no photo in out: vase",
    ]);
    place
        .run("bench --dry-run")
        .refuses("prompt \"vase\" has no `image`, and prompt \"chair\" has no `text`");
}

#[test]
fn photos_of_several_sides_are_found_by_their_names_and_given_to_generators() {
    let place = workplace();
    // The back of the chair has a mask of its own; the vase has a folder.
    let demo_photo = place.join("photos/chair.png");
    place.copy(&demo_photo, "photos/chair-back.png");
    place.copy(&demo_photo, "photos/laptop.png");
    place.rename("photos/vase.png", "photos/vase/front.png");
    place.rename("photos/vase_mask.png", "photos/vase/front_mask.png");
    place.copy(&demo_photo, "photos/vase/vase_left.png");
    init(&place)
        .must_have("4 photos and 2 masks from photos; 2 prompts have photos of several sides");
    let chair = "images = { \"back\" = \"photos/chair-back.png\", \"front\" = \"photos/chair.png\" }, masks = { \"front\" = \"photos/chair_mask.png\" }";
    let vase = "images = { \"front\" = \"photos/vase/front.png\", \"left\" = \"photos/vase/vase_left.png\" }, masks = { \"front\" = \"photos/vase/front_mask.png\" }";
    place.read("bench.toml").must_have([chair, vase]);

    // A command gets the first one's path.
    let copy = "command = [\"sh\", \"-c\", \"cmp $1 $2 && cp $3 $4\", \"x\", \"{image}\", \"photos/vase/front.png\", \"out/beta/vase.obj\", \"{out}\"]\nextension = \"obj\"";
    place.edit("bench.toml", "path = \"out/beta/{prompt_id}.obj\"", copy);
    place.ok("bench --run r --no-canary").shows("2 games on 2 prompts");
}

#[test]
fn a_pair_and_a_score_take_several_photos() {
    let place = workplace();
    let pair = |flags: &str| place.run(&format!("compare {PAIR} --json --views 1 {flags}"));
    let rows = pair(TWO_SIDES).ok().rows();
    assert_eq!(rows.len(), 2);
    rows.iter().for_each(has_two_sides);
    let unnamed = pair("--image photos/vase.png --image photos/chair.png").ok().rows();
    assert_eq!(unnamed[0]["photo_sides"], json!(["view 1", "view 2"]));
    // One photo needs no name; a file that exists is a path.
    place.copy(place.join("photos/vase.png"), "a=b.png");
    assert!(pair("--image a=b.png").ok().rows()[0].get("photo_sides").is_none());
    for (flags, words) in [
        ("--image a=photos/vase.png --image a=photos/chair.png", "two files"),
        ("--image 'a?=photos/vase.png' --image b=photos/chair.png", "short name"),
        (
            "--image photos/vase.png --mask x=photos/chair_mask.png --mask y=z",
            "no photo of that name",
        ),
        ("--image a=photos/vase.png --image photos/chair.png --mask m.png", "SIDE=MASK"),
    ] {
        pair(flags).refuses(words);
    }
    let score = "score out/alpha/chair.obj --rubric reconstruction --size 64 --json";
    let rows = place.ok(&format!("{score} {TWO_SIDES}")).rows();
    let front = blake3::hash(&place.bytes("photos/chair.png"));
    assert_eq!(rows[0]["images"], json!([front.to_hex().as_str()]));
}

#[test]
fn a_photo_is_decoded_once_for_all_calls_of_a_run() {
    let place = workplace();
    init(&place);
    let bench = || {
        place.ok("bench --run r --no-canary");
        place.answers("r")
    };
    let first = bench();
    // The two photos are equal.
    let kept = place.files("r/photos");
    assert_eq!(kept.len(), 1, "{kept:?}");
    // Another rubric asks anew, with the same picture.
    place.edit("bench.toml", "[\"pairwise-image\"]", "[\"pairwise-image\", \"match-image\"]");
    let both = bench();
    assert_eq!(both.len(), 8);
    assert!(both.iter().all(|row| row["photos"] == first[0]["photos"]));
    // A file that was damaged is made again.
    let whole = std::fs::read(&kept[0]).unwrap();
    std::fs::write(&kept[0], &whole[..whole.len() - 9]).unwrap();
    bench();
    assert_eq!(std::fs::read(&kept[0]).unwrap(), whole);
}

#[test]
fn a_mask_of_the_background_is_doubted_by_every_command_that_takes_one() {
    let place = workplace();
    let mask = image::open(place.join("photos/chair_mask.png")).unwrap().into_luma8();
    let turned = image::GrayImage::from_fn(mask.width(), mask.height(), |x, y| {
        image::Luma([255 - mask.get_pixel(x, y)[0]])
    });
    turned.save(place.join("turned.png")).unwrap();
    for command in [format!("compare {PAIR}"), "score out/alpha/chair.obj --size 64".to_owned()] {
        let doubts = |mask: &str| {
            let run = place.ok(&format!("{command} --image photos/chair.png --mask {mask}"));
            run.stderr.contains("seems to mark the background")
        };
        assert!(doubts("turned.png") && !doubts("photos/chair_mask.png"), "{command}");
    }
}

/// No judge sees that text, and both orders are asked whichever generator comes first.
#[test]
fn neither_an_edited_text_nor_the_order_of_generators_asks_anew() {
    let place = workplace();
    let listed = ["alpha", "beta"];
    let boards = [("", listed), (", text = \"a seat\"", listed), ("", ["beta", "alpha"])];
    for (i, (text, names)) in boards.into_iter().enumerate() {
        let prompts = format!(
            "{{ id = \"chair\", image = \"photos/chair.png\"{text} }}, {{ id = \"vase\", image = \"photos/vase.png\" }}"
        );
        let rubrics = "rubrics = [\"pairwise-image\"]\n".to_owned();
        place.bench(&prompts, &(rubrics + &generators(names)), "");
        let said = said(place.ok("bench bench.toml --run r"));
        said.must_have("2 games on 2 prompts");
        assert!(!said.contains("kept and not rated"), "{i}: {said}");
        assert_eq!(said.contains("4 of 4 questions were answered before"), i > 0, "{i}: {said}");
    }
}

/// By `--init`, before each run, and from what the run keeps; right photos are not.
#[test]
fn photos_that_were_swapped_are_named_before_anything_is_asked() {
    let place = Folder::new();
    for name in ["boat", "rocket"] {
        for generator in ["atelier", "workshop"] {
            let asset = format!("{generator}/{name}.glb");
            place.copy(demo("bench").join(&asset), format!("out/{asset}"));
        }
        let drawn = format!("render out/atelier/{name}.glb --out drawn --channels rgb");
        place.ok(&format!("{drawn} --views 1 --size 128 --background transparent"));
        place.rename(&format!("drawn/{name}/rgb_0.png"), &format!("photos/{name}.png"));
    }
    let named = |args: &str| {
        let swapped = "\"boat\" those of \"rocket\", \"rocket\" those of \"boat\"";
        place.ok(args).stderr.contains(&format!("more than their own: {swapped}"))
    };
    let run = "bench --run r --no-canary";
    assert!(!named("bench --init out") && !named("bench --dry-run"));
    for (from, to) in [("boat", "other"), ("rocket", "boat"), ("other", "rocket")] {
        place.rename(&format!("photos/{from}.png"), &format!("photos/{to}.png"));
    }
    assert!(named("bench --init out --force") && named("bench --dry-run"));
    place.write("bench.toml", place.read("bench.toml") + "[pictures]\nsize_px = 64\n");
    assert!(named(run) && named(run));
    place.edit("r/photos/resembled.json", "rocket", "tree");
    assert!(!named(run), "the assets were drawn again");
}
