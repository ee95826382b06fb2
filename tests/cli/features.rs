//! `[[features]]` and `[[scores]]` of `bench`, by the real program: an ONNX file, an embedding
//! server, resume, refusals.

use crate::support::assets::{png, repository, tetrahedron};
use crate::support::judge_server::Mocks;
use crate::support::program::{Run, meshjudge};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use wiremock::matchers::{method, path};
use wiremock::{Mock, Request, ResponseTemplate};

const PROMPTS: usize = 6;

/// Three generators, a photo and a reference for each prompt, and a network whose vector is the
/// mean colour.
fn workplace() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let write = |name: String, bytes: &[u8]| {
        let path = place.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    for p in 0..PROMPTS {
        for m in 0..3 {
            let height = 1.0 + m as f32 * 0.4 + p as f32 * 0.05;
            write(format!("out/m{m}/{p}.obj"), tetrahedron(height).as_bytes());
        }
        write(format!("refs/{p}.obj"), tetrahedron(1.0 + p as f32 * 0.05).as_bytes());
        let blue = [[10, 40 * p as u8, 200, 255]; 64 * 64];
        write(format!("photos/{p}.png"), &png(64, 64, &blue));
    }
    for name in ["mean-color.onnx", "largest-group.onnx", "difference.onnx"] {
        write(name.to_owned(), &std::fs::read(repository("tests/data").join(name)).unwrap());
    }
    let config = json!({
        "do_resize": true, "size": { "height": 32, "width": 32 }, "resample": 3, "do_rescale": true,
        "do_normalize": true, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.25, 0.25, 0.25]
    });
    write("config.json".to_owned(), config.to_string().as_bytes());
    place
}

fn bench(place: &Path, entries: &str, run: &str) -> Run {
    let prompts: Vec<String> = (0..PROMPTS)
        .map(|p| format!("{{ id = \"{p}\", text = \"thing {p}\", image = \"photos/{p}.png\" }}"))
        .collect();
    let generators = (0..3).map(|m| {
        format!("[[generators]]\nname = \"m{m}\"\npath = \"out/m{m}/{{prompt_id}}.obj\"\n")
    });
    let file = format!(
        "name = \"test\"\nprompts = [{}]\nrubrics = [\"pairwise\"]\n{}\n[pictures]\nsize_px = 32\nviews = 1\n{entries}",
        prompts.join(", "),
        generators.collect::<String>()
    );
    std::fs::write(place.join("bench.toml"), file).unwrap();
    meshjudge(place, &["bench", "bench.toml", "--run", run])
}

fn kept(place: &Path, run: &str) -> Value {
    let text = std::fs::read_to_string(place.join(run).join("metrics.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

const NETWORK: &str = "
[[features]]
name = \"views\"
source = \"onnx:mean-color.onnx\"
input = \"rgb\"
views = 2
size_px = 48
preprocessing = \"config.json\"

[[features]]
name = \"true views\"
source = \"onnx:mean-color.onnx\"
input = \"rgb\"
reference = \"refs/{prompt_id}.obj\"
views = 2
size_px = 48
preprocessing = \"config.json\"

[[features]]
name = \"photo\"
source = \"onnx:mean-color.onnx\"
input = \"photo\"
preprocessing = \"config.json\"

[[features]]
name = \"shape\"
source = \"onnx:largest-group.onnx\"
input = \"points\"
points = 256
groups = [16, 8]

[[features]]
name = \"true shape\"
source = \"onnx:largest-group.onnx\"
input = \"points\"
reference = \"refs/{prompt_id}.obj\"
points = 256
groups = [16, 8]
";

const SCORES: &str = "
[[scores]]
name = \"color\"
of = \"views\"
to = \"photo\"

[[scores]]
name = \"color\"
of = \"views\"
to = \"photo\"
formula = \"max\"

[[scores]]
name = \"shape\"
of = \"shape\"
to = \"true shape\"

[[scores]]
name = \"views\"
of = \"views\"
to = \"true views\"
formula = \"fd\"
replicates = 50
";

#[test]
fn a_network_scores_assets_and_sets() {
    let place = workplace();
    let run = bench(place.path(), &format!("{NETWORK}{SCORES}"), "r");
    if !cfg!(feature = "onnx") {
        assert!(run.stderr.contains("the cargo feature `onnx`"), "{}", run.stderr);
        return;
    }
    let run = run.ok();
    assert!(run.stderr.contains("feature views: vectors of 3 numbers"), "{}", run.stderr);
    assert!(run.stdout.contains("views[fd] (lower is better)"), "{}", run.stdout);
    let of_set = ["one number for each generator", "halves of the reference", "vectors of 3"];
    assert!(of_set.iter().all(|words| run.stdout.contains(words)), "{}", run.stdout);
    let page = std::fs::read_to_string(place.path().join("r/report.html")).unwrap();
    assert!(page.contains("6 assets, 12 vectors of 3"));
    assert!(page.contains("views[fd] by number of assets"));
    let found = kept(place.path(), "r");
    let value = |row: &Value| row["value"].as_str().map(|text| text.parse::<f64>().unwrap());
    let of = |metric: &str, generator: &str| -> Vec<f64> {
        let rows = found["rows"].as_array().unwrap().iter();
        let rows = rows.filter(|row| row["metric"] == metric && row["method"] == generator);
        rows.map(|row| value(row).unwrap()).collect()
    };
    // The first generator's assets are the references; vectors of the same points are the same.
    assert_eq!(of("shape[mean]", "m0").len(), PROMPTS);
    assert!(of("shape[mean]", "m0").iter().all(|cosine| (cosine - 1.0).abs() < 1e-12));
    assert!(of("shape[mean]", "m2").iter().all(|cosine| *cosine < 0.9999));
    let (mean, max) = (of("color[mean]", "m1"), of("color[max]", "m1"));
    assert!(mean.iter().zip(&max).all(|(mean, max)| mean <= max), "{mean:?} {max:?}");
    let distances: Vec<f64> = found["sets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["value"].as_f64().unwrap())
        .collect();
    assert!(
        distances[0] < 1e-9 && distances[0] < distances[1] && distances[1] < distances[2],
        "{distances:?}"
    );

    // The paper says how each was made, and nothing about geometry.
    let paper = |name: &str| {
        meshjudge(place.path(), &["report", "r", "--out", name]).ok();
        std::fs::read_to_string(place.path().join(name)).unwrap()
    };
    let (tex, bib) = (paper("paper.tex"), paper("paper.bib"));
    for said in [
        "views{[}fd{]} is the Fr\\'echet distance~\\cite{heusel2017}",
        "color{[}max{]} is the largest cosine of a view",
        "in 16 groups of 8",
        "resized to 32 by 32 pixels (bicubic, as by pillow)",
    ] {
        assert!(tex.contains(said), "{said}: {tex}");
    }
    assert!(!tex.contains("Surfaces are the triangles") && bib.contains("{heusel2017,"));

    // The mean colour, by hand: a vector of a photo of one colour is that colour, normalised.
    let rows = std::fs::read_to_string(place.path().join("r/features/photo-0000.json")).unwrap();
    let rows: Value = serde_json::from_str(&rows).unwrap();
    let at = rows["rows"].as_array().unwrap().iter().position(|row| row["prompt_id"] == "3");
    let npy = std::fs::read(place.path().join("r/features/photo-0000.npy")).unwrap();
    let start = npy.len() - 12 * (rows["rows"].as_array().unwrap().len() - at.unwrap());
    let red = f32::from_le_bytes(npy[start..start + 4].try_into().unwrap());
    // Within the rounding of the cut-out's frame of white, which has the other share.
    let darkest = (10.0 / 255.0 - 0.5) / 0.25 - 1e-5;
    assert!((darkest..2.0).contains(&red), "{red}");

    // Nothing is computed again: not a file changes.
    let files = || {
        let all = std::fs::read_dir(place.path().join("r/features")).unwrap();
        let mut all: Vec<_> = all.map(|it| it.unwrap()).collect();
        all.sort_by_key(std::fs::DirEntry::path);
        all.iter()
            .map(|it| (it.path(), it.metadata().unwrap().modified().unwrap()))
            .collect::<Vec<_>>()
    };
    let before = files();
    bench(place.path(), &format!("{NETWORK}{SCORES}"), "r").ok();
    assert_eq!((files(), kept(place.path(), "r")), (before, found));
}

#[test]
#[cfg(feature = "onnx")]
fn a_published_protocol_names_its_faults_and_has_boards_of_its_own() {
    let place = workplace();
    let preset = |text: &str| text.replace("points = 256", "preset = \"flashvdm\"");
    let run = bench(place.path(), &preset(&format!("{NETWORK}{SCORES}")), "r").ok();
    assert!(run.stderr.contains("neither centred nor scaled"), "{}", run.stderr);
    assert!(run.stdout.contains("shape[mean, flashvdm] (higher"), "{}", run.stdout);
    let made = place.path().join("points.npy");
    let out = made.to_str().unwrap();
    let sample =
        ["sample", "out/m0/0.obj", "--points", "50", "--no-color", "flashvdm", "--out", out];
    meshjudge(place.path(), &sample).ok();
    assert!(made.exists());
}

#[test]
#[cfg(feature = "onnx")]
fn vectors_need_no_score_and_a_network_that_would_be_computed_wrongly_is_refused() {
    let place = workplace();
    let run = bench(place.path(), NETWORK, "r").ok();
    assert!(run.stderr.contains("feature views: 36 of 36 vectors"), "{}", run.stderr);
    assert!(run.stderr.contains("feature photo: 6 of 6 vectors"), "{}", run.stderr);
    assert!(place.path().join("r/features/shape-0000.npy").exists());

    let network = std::fs::read(place.path().join("mean-color.onnx")).unwrap();
    let cubic = [&network[..], b"\x0a\x04mode\x22\x05cubic"].concat();
    std::fs::write(place.path().join("cubic.onnx"), cubic).unwrap();
    let entry = NETWORK.replace("onnx:mean-color.onnx", "onnx:cubic.onnx");
    let run = bench(place.path(), &entry, "other");
    assert!(run.stderr.contains("bicubic interpolation"), "{}", run.stderr);
    assert_eq!(run.code, Some(2));

    let elsewhere = [&network[..], b"\x0a\x08location\x12\x09/dev/zero"].concat();
    std::fs::write(place.path().join("cubic.onnx"), elsewhere).unwrap();
    let run = bench(place.path(), &entry, "third");
    assert!(run.stderr.contains("outside its folder"), "{}", run.stderr);
}

#[test]
#[cfg(all(feature = "onnx", feature = "parquet"))]
fn stored_vectors_are_exported_with_what_they_belong_to() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{Field, RowAccessor};

    let place = workplace();
    bench(place.path(), NETWORK, "r").ok();
    let export = |args: &[&str]| meshjudge(place.path(), &[&["export", "r"], args].concat());
    let run = export(&["--vectors", "views", "--out", "views.parquet"]).ok();
    assert!(run.stdout.contains("(36 vectors of 3 numbers)"), "{}", run.stdout);
    let file = std::fs::File::open(place.path().join("views.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let pairs = reader.metadata().file_metadata().key_value_metadata().unwrap();
    let of = |key: &str| pairs.iter().find(|it| it.key == key).unwrap().value.clone().unwrap();
    let definition = std::fs::read_to_string(place.path().join("r/features/views.json")).unwrap();
    assert_eq!(of("definition"), definition);
    assert_eq!(of("definition_hash"), blake3::hash(definition.as_bytes()).to_hex().as_str());
    assert_eq!(of("feature"), "views");
    let mut values = Vec::new();
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let path = format!("out/{}/{}.obj", row.get_string(0).unwrap(), row.get_string(1).unwrap());
        let inspected = meshjudge(place.path(), &["inspect", &path, "--json"]).ok().rows();
        assert_eq!(inspected[0]["hash"], row.get_string(4).unwrap().as_str());
        let vector = row.get_list(6).unwrap().elements();
        values.extend(vector.iter().map(|it| match it {
            Field::Float(value) => *value,
            other => panic!("{other}"),
        }));
    }
    // The chunks have the specimen by which the model was checked, then the same vectors.
    let chunk = |number: usize| {
        let name = format!("r/features/views-{number:04}.npy");
        let bytes = std::fs::read(place.path().join(name)).ok()?;
        Some(bytes[10 + usize::from(bytes[8])..].to_vec())
    };
    let stored: Vec<u8> = (0..).map_while(chunk).flatten().collect();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(values.len(), 36 * 3);
    assert_eq!(stored[12..], bytes);

    export(&["--vectors", "views", "--out", "views.jsonl"]).ok();
    let text = std::fs::read_to_string(place.path().join("views.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let numbers = lines.iter().flat_map(|row| row["vector"].as_array().unwrap());
    let numbers: Vec<f32> = numbers.map(|number| number.as_f64().unwrap() as f32).collect();
    assert_eq!(numbers, values);
    assert!(lines.iter().all(|row| row["definition_hash"] == of("definition_hash").as_str()));
    assert_eq!(lines[0]["method"], "m0");

    let refused = |args: &[&str], said: &str| {
        let run = export(args);
        assert_eq!(run.code, Some(2), "{said}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    };
    refused(&["--vectors", "other", "--out", "o.parquet"], "no vectors of a feature \"other\"");
    refused(&["--vectors", "views", "--out", "o.npz"], "the extension .parquet or .jsonl");
    refused(&["--vectors", "views", "--out", "-"], "give a file");
    refused(&["--vectors", "views"], "--out");
    refused(&["--out", "o.txt"], "add --format");
}

#[test]
#[cfg(feature = "onnx")]
fn assets_are_measured_without_a_benchmark_by_the_same_models() {
    let place = workplace();
    let scores = SCORES.split("\n\n").take(3).collect::<Vec<_>>().join("\n\n");
    let entries = format!("{NETWORK}{scores}");
    bench(place.path(), &entries, "r").ok();
    std::fs::write(place.path().join("models.toml"), &entries).unwrap();
    let args = ["measure", "out/m1/2.obj", "out/m2/2.obj", "--features", "models.toml"];
    let measure = |more: &[&str]| meshjudge(place.path(), &[&args[..], more].concat());
    let run = measure(&["--image", "photos/2.png"]).ok();
    assert!(run.stdout.contains("views: 4 vectors of 3 numbers"), "{}", run.stdout);
    assert!(run.stdout.contains("color[mean]  color[max]  shape[mean]"), "{}", run.stdout);
    let run = measure(&["--image", "photos/2.png", "--json"]).ok();
    let vectors = run.rows_of("vector");
    assert_eq!(vectors.iter().filter(|row| row["feature"] == "true shape").count(), 1);
    assert_eq!(vectors[0]["vector"].as_array().map(Vec::len), Some(3));
    // The benchmark gave the same assets the same numbers, of the same definitions.
    let of_bench = kept(place.path(), "r")["rows"].as_array().unwrap().clone();
    let found = run.rows_of("score");
    assert_eq!(found.len(), 6);
    for row in found {
        let path = row["path"].as_str().unwrap();
        let same = of_bench.iter().find(|it| {
            it["metric"] == row["score"]
                && it["prompt_id"] == "2"
                && path.contains(it["method"].as_str().unwrap())
        });
        let same = same.unwrap();
        assert_eq!(same["definition"], row["definition"]);
        let value: f64 = same["value"].as_str().unwrap().parse().unwrap();
        // The JSON reader may miss the last bit.
        assert!((value - row["value"].as_f64().unwrap()).abs() < 1e-15, "{row}");
    }

    let run = measure(&["missing.obj", "--image", "photos/2.png"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("missing.obj"), "{}", run.stderr);
    let refused = |entries: &str, said: &str| {
        std::fs::write(place.path().join("models.toml"), entries).unwrap();
        let run = measure(&[]);
        assert_eq!(run.code, Some(2), "{said}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    };
    refused(&entries, "hint: --image PHOTO");
    refused("", "has no [[features]]");
    refused("[[features]]\nname = 1", "invalid file of features");
    refused(&format!("{NETWORK}{SCORES}"), "views[fd] compares sets of assets");
    refused(&NETWORK.replace("mean-color", "no"), "does not exist");
}

#[cfg(feature = "onnx")]
const DIFFERENCE: &str = "
[[features]]
name = \"difference\"
source = \"onnx:difference.onnx\"
input = \"rgb\"
against = \"refs/{prompt_id}.obj\"
views = 2
size_px = 48
preprocessing = \"config.json\"

[[features]]
name = \"from photo\"
source = \"onnx:difference.onnx\"
input = \"rgb\"
against = \"photo\"
views = 2
size_px = 48
preprocessing = \"config.json\"

[[scores]]
name = \"difference\"
of = \"difference\"
formula = \"value\"
better = \"lower\"

[[scores]]
name = \"from photo\"
of = \"from photo\"
formula = \"value\"
better = \"lower\"
";

#[test]
#[cfg(feature = "onnx")]
fn a_network_compares_each_view_with_the_same_view_of_the_reference_and_with_the_photo() {
    let place = workplace();
    let run = bench(place.path(), DIFFERENCE, "r").ok();
    assert!(run.stdout.contains("difference (lower is better)"), "{}", run.stdout);
    let found = kept(place.path(), "r");
    let of = |metric: &str, generator: &str| -> Vec<f64> {
        let rows = found["rows"].as_array().unwrap().iter();
        let rows = rows.filter(|row| row["metric"] == metric && row["method"] == generator);
        rows.map(|row| row["value"].as_str().unwrap().parse().unwrap()).collect()
    };
    // The first generator's assets are the references.
    assert_eq!(of("difference", "m0"), [0.0; PROMPTS]);
    assert!(of("difference", "m1").iter().all(|value| *value > 0.0));
    let both = of("difference", "m1").into_iter().zip(of("difference", "m2"));
    assert!(
        both.clone().all(|(nearer, farther)| nearer < farther),
        "{:?}",
        both.collect::<Vec<_>>()
    );
    assert!(of("from photo", "m0").iter().all(|value| *value > 0.1));

    let refused = |from: &str, to: &str, said: &str| {
        let run = bench(place.path(), &DIFFERENCE.replacen(from, to, 1), "w");
        assert_eq!(run.code, Some(2), "{said}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    };
    refused("better = \"lower\"", "", "needs `better`");
    refused("formula = \"value\"\nbetter = \"lower\"", "", "needs `to`");
    refused("\"photo\"", "\"text\"", "no tokenizer");
    refused("\"rgb\"\nagainst", "\"photo\"\nagainst", "`against` does not belong");
    // A network of two pictures that is given one, and one of one that is given two.
    refused("against = \"refs/{prompt_id}.obj\"\n", "", "has the inputs a, b");
    refused("difference.onnx", "mean-color.onnx", "this feature gives it picture, other");
}

/// What each server answers, and the fields of its requests.
#[tokio::test(flavor = "multi_thread")]
async fn every_published_shape_of_embeddings_and_scores_is_spoken() {
    let server = Mocks::start().await;
    let uri = |body: &Value, pointer: &str| {
        let found = body.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        found.unwrap_or_else(|| panic!("no {pointer} in {body}"))
    };
    let list = |body: &Value, field: &str| body[field].as_array().map_or(0, Vec::len);
    let respond = move |request: &Request| {
        let body: Value = request.body_json().unwrap();
        let embeddings = |count: usize, pointer: &dyn Fn(usize) -> String| -> Vec<Value> {
            let each = |at: usize| json!({ "index": at, "embedding": embedding(&uri(&body, &pointer(at))) });
            // The order of a reply is the server's own.
            (0..count).rev().map(each).collect()
        };
        let number = |content: &str| f64::from(blake3::hash(content.as_bytes()).as_bytes()[0]);
        let reply = match request.url.path() {
            "/jina/embeddings" => {
                let count = list(&body, "input");
                json!({ "data": embeddings(count, &|at| format!("/input/{at}/image")) })
            }
            "/voyage/multimodalembeddings" => {
                let pointer = |at| format!("/inputs/{at}/content/0/image_base64");
                json!({ "data": embeddings(list(&body, "inputs"), &pointer) })
            }
            "/infinity/embeddings" => {
                assert_eq!(body["modality"], "image");
                json!({ "data": embeddings(list(&body, "input"), &|at| format!("/input/{at}")) })
            }
            "/llamacpp/embeddings" => {
                let contents = body["content"].as_array().unwrap();
                let vectors = contents.iter().enumerate().rev().map(|(at, one)| {
                    assert_eq!(one["prompt_string"], "<__media_7__>");
                    let picture = one["multimodal_data"][0].as_str().unwrap();
                    let vector = embedding(&format!("data:image/png;base64,{picture}"));
                    json!({ "index": at, "embedding": [vector] })
                });
                vectors.collect()
            }
            "/v1/score" => {
                assert!(uri(&body, "/queries/0").len() > 5);
                let picture = uri(&body, "/documents/content/0/image_url/url");
                json!({ "data": [{ "index": 0, "object": "score", "score": number(&picture) }] })
            }
            "/v1/rerank" => {
                let picture = uri(&body, "/documents/content/0/image_url/url");
                assert!(body["query"].is_string());
                json!({ "results": [{ "index": 0, "relevance_score": number(&picture) }] })
            }
            "/pooling" => {
                assert_eq!(body["task"], "classify");
                let content = "/messages/0/content";
                let picture = uri(&body, &format!("{content}/0/image_url/url"));
                assert!(body.pointer(&format!("{content}/1/text")).is_some());
                json!({ "data": [{ "index": 0, "data": [number(&picture)] }] })
            }
            other => panic!("{other}"),
        };
        ResponseTemplate::new(200).set_body_json(reply)
    };
    Mock::given(method("POST")).respond_with(respond).mount(&server).await;
    let props =
        ResponseTemplate::new(200).set_body_json(json!({ "media_marker": "<__media_7__>" }));
    Mock::given(method("GET"))
        .and(path("/llamacpp/props"))
        .respond_with(props)
        .mount(&server)
        .await;
    let url = server.uri();
    let vectors = ["jina", "voyage", "infinity", "llamacpp"].map(|shape| {
        format!(
            "[[features]]\nname = \"{shape}\"\nsource = \"http:{shape}\"\ninput = \"rgb\"\nviews = 3\nsize_px = 32\nmodel = \"m\"\nbase_url = \"{url}/{shape}\"\n"
        )
    });
    let numbers = [("score", "/v1"), ("rerank", "/v1"), ("pooling", "")].map(|(shape, path)| {
        format!(
            "[[features]]\nname = \"{shape}\"\nsource = \"http:{shape}\"\ninput = \"rgb\"\nagainst = \"text\"\ntemplate = \"is it {{prompt}}?\"\nviews = 1\nsize_px = 32\nmodel = \"m\"\nbase_url = \"{url}{path}\"\nbody = {{ task = \"classify\" }}\n[[scores]]\nname = \"{shape}\"\nof = \"{shape}\"\nformula = \"value\"\nbetter = \"higher\"\n"
        )
    });
    let entries = [vectors.concat(), numbers.concat()].concat();
    tokio::task::spawn_blocking(move || {
        let place = workplace();
        let run = bench(place.path(), &entries, "r").ok();
        for shape in ["jina", "voyage", "infinity", "llamacpp"] {
            let said = format!("feature {shape}: {0} of {0} vectors", 9 * PROMPTS);
            assert!(run.stderr.contains(&said), "{}", run.stderr);
        }
        // The same pictures have the same vectors at each server, in whatever order they came.
        let file = |shape: &str| {
            let bytes = std::fs::read(place.path().join(format!("r/features/{shape}-0000.npy")));
            bytes.unwrap()
        };
        for shape in ["voyage", "infinity", "llamacpp"] {
            assert_eq!(file(shape), file("jina"), "{shape}");
        }
        let rows = kept(place.path(), "r")["rows"].as_array().unwrap().clone();
        let values = |metric: &str| -> Vec<String> {
            let of_metric = rows.iter().filter(|row| row["metric"] == metric);
            of_metric.map(|row| row["value"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(values("score").len(), 3 * PROMPTS);
        assert_eq!([values("rerank"), values("pooling")], [values("score"), values("score")]);
    })
    .await
    .unwrap();
}

/// A vector by the content: texts by their last character, pictures by their bytes.
fn embedding(content: &str) -> Value {
    let hash = blake3::hash(content.as_bytes());
    json!(hash.as_bytes()[..8].iter().map(|byte| f64::from(*byte) - 127.5).collect::<Vec<f64>>())
}

const SERVER: &str = "
[[features]]
name = \"pictures\"
source = \"http:openai\"
input = \"rgb\"
views = 1
size_px = 32
model = \"m\"
base_url = \"URL/v1\"

[[features]]
name = \"texts\"
source = \"http:cohere\"
input = \"text\"
template = \"a photo of {prompt}\"
model = \"m\"
base_url = \"URL\"
body = { input_type = \"search_query\" }

[[scores]]
name = \"clip_t\"
of = \"pictures\"
to = \"texts\"
";

#[tokio::test(flavor = "multi_thread")]
async fn a_server_embeds_each_input_once_and_is_asked_again_after_failures() {
    let server = Mocks::start().await;
    let (pictures, texts) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&pictures);
    let respond = move |request: &Request| {
        // The first request meets a server that is starting.
        if count.fetch_add(1, Ordering::SeqCst) == 0 {
            return ResponseTemplate::new(503);
        }
        let body: Value = request.body_json().unwrap();
        let url = body["messages"][0]["content"][0]["image_url"]["url"].as_str().unwrap();
        assert!(url.starts_with("data:image/png;base64,"));
        let data = json!([{ "index": 0, "embedding": embedding(url) }]);
        ResponseTemplate::new(200).set_body_json(json!({ "data": data }))
    };
    Mock::given(method("POST"))
        .and(path("/v1/embeddings"))
        .respond_with(respond)
        .mount(&server)
        .await;
    let count = Arc::clone(&texts);
    let respond = move |request: &Request| {
        let body: Value = request.body_json().unwrap();
        assert_eq!(body["input_type"], "search_query");
        let all: Vec<Value> = body["texts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|text| embedding(text.as_str().unwrap()))
            .collect();
        count.fetch_add(all.len(), Ordering::SeqCst);
        ResponseTemplate::new(200).set_body_json(json!({ "embeddings": { "float": all } }))
    };
    Mock::given(method("POST")).and(path("/v2/embed")).respond_with(respond).mount(&server).await;
    let entries = SERVER.replace("URL", &server.uri());
    tokio::task::spawn_blocking(move || {
        let place = workplace();
        bench(place.path(), &entries, "r").ok();
        let asked = || [&pictures, &texts].map(|count| count.load(Ordering::SeqCst));
        // Three for the check of the model, and the one that failed.
        assert_eq!(asked(), [3 * PROMPTS + 3 + 1, PROMPTS + 3]);
        let rows = kept(place.path(), "r")["rows"].as_array().unwrap().len();
        assert_eq!(rows, 3 * PROMPTS);

        // A new asset, of two generators: one picture more, and the check of each model.
        for path in ["out/m1/2.obj", "out/m2/2.obj"] {
            std::fs::write(place.path().join(path), tetrahedron(3.0)).unwrap();
        }
        bench(place.path(), &entries, "r").ok();
        assert_eq!(asked(), [3 * PROMPTS + 3 + 1 + 1 + 3, PROMPTS + 3 + 3]);
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_refuses_is_no_number_and_the_run_goes_on() {
    let server = Mocks::start().await;
    let (is_broken, pictures) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicUsize::new(0)));
    let broken = Arc::clone(&is_broken);
    let picture = move |request: &Request| {
        let body: Value = request.body_json().unwrap();
        let url = body["messages"][0]["content"][0]["image_url"]["url"].as_str().unwrap();
        // After the check of the model, the first asset.
        if pictures.fetch_add(1, Ordering::SeqCst) == 3 && broken.load(Ordering::SeqCst) {
            return ResponseTemplate::new(400);
        }
        let data = json!([{ "index": 0, "embedding": embedding(url) }]);
        ResponseTemplate::new(200).set_body_json(json!({ "data": data }))
    };
    let broken = Arc::clone(&is_broken);
    let text = move |request: &Request| {
        let body: Value = request.body_json().unwrap();
        let texts = body["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
        if broken.load(Ordering::SeqCst) && texts.clone().any(|text| text.contains("thing 5")) {
            return ResponseTemplate::new(400);
        }
        let all: Vec<Value> = texts.map(embedding).collect();
        ResponseTemplate::new(200).set_body_json(json!({ "embeddings": { "float": all } }))
    };
    let post = |at: &str| Mock::given(method("POST")).and(path(at.to_owned()));
    post("/v1/embeddings").respond_with(picture).mount(&server).await;
    post("/v2/embed").respond_with(text).mount(&server).await;
    let entries = SERVER.replace("URL", &server.uri())
        + "\n[[scores]]\nname = \"found\"\nof = \"pictures\"\nto = \"texts\"\nformula = \"r_precision\"\n";
    tokio::task::spawn_blocking(move || {
        let place = workplace();
        let first = bench(place.path(), &entries, "r");
        assert_eq!(first.code, Some(1), "{}", first.stderr);
        // Nobody gets the numbers of another.
        let kept = kept(place.path(), "r");
        let values = kept["rows"].as_array().unwrap();
        let shown = meshjudge(place.path(), &["rate", "r"]).ok().stdout;
        let board = &shown[shown.find("\nclip_t").unwrap()..];
        for method in ["m0", "m1", "m2"] {
            let own = values.iter().filter(|row| row["method"] == method);
            let own = own.filter_map(|row| row["value"].as_str()?.parse::<f64>().ok());
            let own: Vec<f64> = own.collect();
            let mean = own.iter().sum::<f64>() / own.len() as f64;
            assert!((4..PROMPTS).contains(&own.len()), "{own:?}");
            let line = board.lines().find(|line| line.trim_start().starts_with(method)).unwrap();
            let said: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
            assert!((said - mean).abs() < 1e-3 * mean.abs() + 1e-6, "{mean}: {line}");
        }
        is_broken.store(false, Ordering::SeqCst);
        bench(place.path(), &entries, "r").ok();
        let shown = meshjudge(place.path(), &["rate", "r"]).ok().stdout;
        assert!(shown.contains("found"), "{shown}");
    })
    .await
    .unwrap();
}

/// Of three assets, one gets a vector with a value that is not finite, and one is refused.
#[tokio::test(flavor = "multi_thread")]
async fn measuring_without_all_vectors_fails_and_keeps_the_others() {
    let server = Mocks::start().await;
    let asked = AtomicUsize::new(0);
    let respond = move |request: &Request| {
        let body: Value = request.body_json().unwrap();
        let url = body["messages"][0]["content"][0]["image_url"]["url"].as_str().unwrap();
        // After the check of the model.
        let mut vector = embedding(url);
        match asked.fetch_add(1, Ordering::SeqCst) {
            3 => vector[5] = Value::Null,
            4 => return ResponseTemplate::new(400),
            _ => {}
        }
        let data = json!([{ "index": 0, "embedding": vector }]);
        ResponseTemplate::new(200).set_body_json(json!({ "data": data }))
    };
    let post = Mock::given(method("POST")).and(path("/v1/embeddings"));
    post.respond_with(respond).mount(&server).await;
    let entries = SERVER.replace("URL", &server.uri());
    tokio::task::spawn_blocking(move || {
        let place = workplace();
        let feature = entries.split("\n\n").next().unwrap();
        std::fs::write(place.path().join("models.toml"), feature).unwrap();
        let args = ["measure", "out/m0/0.obj", "out/m1/0.obj", "out/m2/0.obj", "--json"];
        let run = meshjudge(place.path(), &[&args[..], &["--features", "models.toml"]].concat());
        assert_eq!((run.code, run.rows_of("vector").len()), (Some(1), 1), "{}", run.stderr);
        for said in ["not finite", "was refused", "1 of 3 vectors"] {
            assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
        }
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_ignores_its_input_or_is_misdescribed_is_refused_before_anything_is_asked() {
    let server = Mocks::start().await;
    let same = json!({ "data": [{ "index": 0, "embedding": [1.0, 2.0] }] });
    let reply = ResponseTemplate::new(200).set_body_json(same);
    Mock::given(method("POST")).respond_with(reply).mount(&server).await;
    let entries = SERVER.replace("URL", &server.uri());
    tokio::task::spawn_blocking(move || {
        let place = workplace();
        let run = bench(place.path(), &entries, "r");
        assert!(run.stderr.contains("gives two unlike inputs the same vector"), "{}", run.stderr);
        let refused = |entries: &str, said: &str| {
            let run = bench(place.path(), entries, "w");
            assert_eq!(run.code, Some(2), "{said}: {}", run.stderr);
            assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
        };
        let network = |from: &str, to: &str| NETWORK.replacen(from, to, 1);
        refused(&network("preprocessing = \"config.json\"\n", ""), "needs `preprocessing`");
        refused(&network("views = 2", "points = 5"), "`points` does not belong");
        refused(
            &network("points = 256", "points = 256\npreset = \"flashvdm\""),
            "`preset` decides",
        );
        refused(&network("points = 256", "preset = \"other\""), "is not a preset");
        refused(&network("onnx:mean-color.onnx", "onnx:no.onnx"), "does not exist");
        refused(&network("onnx:mean-color.onnx", "http:other"), "none of onnx:FILE");
        let function = network("onnx:mean-color.onnx\"", "python\"").replacen(
            "preprocessing = \"config.json\"\n",
            "",
            1,
        );
        refused(&function, "is a Python function");
        refused(
            &format!("{NETWORK}{}", SCORES.replacen("photo", "shape", 1)),
            "`to` one of prompts",
        );
        refused(
            &format!("{NETWORK}{}", SCORES.replacen("\"color\"", "\"iou\"", 1)),
            "name of a metric",
        );
        let config = json!({ "size": 32, "resample": 3, "do_pad": true }).to_string();
        std::fs::write(place.path().join("config.json"), config).unwrap();
        refused(NETWORK, "do_pad");
    })
    .await
    .unwrap();
}
