//! `[[features]]` and `[[scores]]` of `bench`, by the real program: an ONNX file, an embedding
//! server, resume, refusals.

use crate::support::assets::{Folder, png, preprocessing, repository, tetrahedron};
use crate::support::judge_server::Mocks;
use crate::support::program::{Run, Text as _, generator};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use wiremock::matchers::{method, path};
use wiremock::{Mock, Request, ResponseTemplate};

const PROMPTS: usize = 6;

/// Three generators, a photo and a reference for each prompt, and a network whose vector is the
/// mean colour.
fn workplace() -> Folder {
    let place = Folder::new();
    for p in 0..PROMPTS {
        for m in 0..3 {
            let height = 1.0 + m as f32 * 0.4 + p as f32 * 0.05;
            place.write(format!("out/m{m}/{p}.obj"), tetrahedron(height));
        }
        place.write(format!("refs/{p}.obj"), tetrahedron(1.0 + p as f32 * 0.05));
        let blue = [[10, 40 * p as u8, 200, 255]; 64 * 64];
        place.write(format!("photos/{p}.png"), png(64, 64, &blue));
    }
    for name in ["mean-color.onnx", "largest-group.onnx", "difference.onnx"] {
        place.copy(repository("tests/data").join(name), name);
    }
    place.write("config.json", preprocessing());
    place
}

fn bench(place: &Folder, entries: &str, run: &str) -> Run {
    let prompt =
        |p| format!("{{ id = \"{p}\", text = \"thing {p}\", image = \"photos/{p}.png\" }}, ");
    let prompts: String = (0..PROMPTS).map(prompt).collect();
    let generators =
        [0, 1, 2].map(|m| generator(&format!("m{m}"), &format!("out/m{m}/{{prompt_id}}.obj")));
    let file = format!(
        "name = \"test\"\nprompts = [{prompts}]\nrubrics = [\"pairwise\"]\n{}\n[pictures]\nsize_px = 32\nviews = 1\n{entries}",
        generators.concat()
    );
    place.write("bench.toml", file);
    place.run(&format!("bench bench.toml --run {run}"))
}

fn kept(place: &Folder, run: &str) -> Value {
    place.json(format!("{run}/metrics.json"))
}

/// The values of a metric that a run keeps for a generator.
fn values(kept: &Value, metric: &str, generator: &str) -> Vec<f64> {
    let rows = kept["rows"].as_array().unwrap().iter();
    let rows = rows.filter(|row| row["metric"] == metric && row["method"] == generator);
    rows.filter_map(|row| row["value"].as_str()?.parse().ok()).collect()
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
    let run = bench(&place, &format!("{NETWORK}{SCORES}"), "r");
    if !cfg!(feature = "onnx") {
        run.says("the cargo feature `onnx`");
        return;
    }
    run.ok().says("feature views: vectors of 3 numbers").shows([
        "views[fd] (lower is better)",
        "one number for each generator",
        "halves of the reference",
        "vectors of 3",
    ]);
    let page = place.read("r/report.html");
    page.must_have(["6 assets, 12 vectors of 3", "views[fd] by number of assets"]);
    let found = kept(&place, "r");
    let of = |metric: &str, generator: &str| values(&found, metric, generator);
    // The first generator's assets are the references; vectors of the same points are the same.
    assert_eq!(of("shape[mean]", "m0").len(), PROMPTS);
    assert!(of("shape[mean]", "m0").iter().all(|cosine| (cosine - 1.0).abs() < 1e-12));
    assert!(of("shape[mean]", "m2").iter().all(|cosine| *cosine < 0.9999));
    let (mean, max) = (of("color[mean]", "m1"), of("color[max]", "m1"));
    assert_eq!((mean.len(), max.len()), (PROMPTS, PROMPTS));
    assert!(mean.iter().zip(&max).all(|(mean, max)| mean <= max), "{mean:?} {max:?}");
    let distances = [0, 1, 2].map(|m| found["sets"][m]["value"].as_f64().unwrap());
    assert!(distances[0] < 1e-9 && distances.is_sorted_by(|a, b| a < b), "{distances:?}");

    // The paper says how each was made, and nothing about geometry.
    let paper = |name: &str| {
        place.ok(&format!("report r --out {name}"));
        place.read(name)
    };
    let (tex, bib) = (paper("paper.tex"), paper("paper.bib"));
    tex.must_have([
        "views{[}fd{]} is the Fr\\'echet distance~\\cite{heusel2017}",
        "color{[}max{]} is the largest cosine of a view",
        "in 16 groups of 8",
        "resized to 32 by 32 pixels (bicubic, as by pillow)",
    ]);
    assert!(!tex.contains("Surfaces are the triangles") && bib.contains("{heusel2017,"));

    // The mean colour, by hand: a vector of a photo of one colour is that colour, normalised.
    let rows = place.json("r/features/photo-0000.json");
    let at = rows["rows"].as_array().unwrap().iter().position(|row| row["prompt_id"] == "3");
    let npy = place.bytes("r/features/photo-0000.npy");
    let start = npy.len() - 12 * (rows["rows"].as_array().unwrap().len() - at.unwrap());
    let red = f32::from_le_bytes(npy[start..start + 4].try_into().unwrap());
    // Within the rounding of the cut-out's frame of white, which has the other share.
    let darkest = (10.0 / 255.0 - 0.5) / 0.25 - 1e-5;
    assert!((darkest..2.0).contains(&red), "{red}");

    // Nothing is computed again: not a file changes.
    let files = || {
        let modified = |path: &_| std::fs::metadata(path).unwrap().modified().unwrap();
        let mut files = place.files("r/features");
        files.sort();
        files.into_iter().map(|path| (modified(&path), path)).collect::<Vec<_>>()
    };
    let before = files();
    bench(&place, &format!("{NETWORK}{SCORES}"), "r").ok();
    assert_eq!((files(), kept(&place, "r")), (before, found));
}

#[test]
#[cfg(feature = "onnx")]
fn a_published_protocol_names_its_faults_and_has_boards_of_its_own() {
    let place = workplace();
    let preset = |text: &str| text.replace("points = 256", "preset = \"flashvdm\"");
    bench(&place, &preset(&format!("{NETWORK}{SCORES}")), "r")
        .ok()
        .says("neither centred nor scaled")
        .shows("shape[mean, flashvdm] (higher");
    place.ok("sample out/m0/0.obj --points 50 --no-color flashvdm --out points.npy");
    assert!(place.join("points.npy").exists());
}

#[test]
#[cfg(feature = "onnx")]
fn vectors_need_no_score_and_a_network_that_would_be_computed_wrongly_is_refused() {
    let place = workplace();
    let run = bench(&place, NETWORK, "r").ok();
    run.says(["feature views: 36 of 36 vectors", "feature photo: 6 of 6 vectors"]);
    assert!(place.join("r/features/shape-0000.npy").exists());

    let network = place.bytes("mean-color.onnx");
    let cubic = [&network[..], b"\x0a\x04mode\x22\x05cubic"].concat();
    place.write("cubic.onnx", cubic);
    let entry = NETWORK.replace("onnx:mean-color.onnx", "onnx:cubic.onnx");
    bench(&place, &entry, "other").refuses("bicubic interpolation");

    let elsewhere = [&network[..], b"\x0a\x08location\x12\x09/dev/zero"].concat();
    place.write("cubic.onnx", elsewhere);
    bench(&place, &entry, "third").says("outside its folder");
}

#[test]
#[cfg(all(feature = "onnx", feature = "parquet"))]
fn stored_vectors_are_exported_with_what_they_belong_to() {
    use crate::support::program::json_rows;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{Field, RowAccessor};

    let place = workplace();
    bench(&place, NETWORK, "r").ok();
    let export = |args: &str| place.run(&format!("export r {args}"));
    export("--vectors views --out views.parquet").ok().shows("(36 vectors of 3 numbers)");
    let file = std::fs::File::open(place.join("views.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let pairs = reader.metadata().file_metadata().key_value_metadata().unwrap();
    let of = |key: &str| pairs.iter().find(|it| it.key == key).unwrap().value.clone().unwrap();
    let definition = place.read("r/features/views.json");
    assert_eq!(of("definition"), definition);
    assert_eq!(of("definition_hash"), blake3::hash(definition.as_bytes()).to_hex().as_str());
    assert_eq!(of("feature"), "views");
    let mut values = Vec::new();
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let path = format!("out/{}/{}.obj", row.get_string(0).unwrap(), row.get_string(1).unwrap());
        let inspected = place.ok(&format!("inspect {path} --json")).rows();
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
        let bytes = std::fs::read(place.join(name)).ok()?;
        Some(bytes[10 + usize::from(bytes[8])..].to_vec())
    };
    let stored: Vec<u8> = (0..).map_while(chunk).flatten().collect();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(values.len(), 36 * 3);
    assert_eq!(stored[12..], bytes);

    export("--vectors views --out views.jsonl").ok();
    let lines = json_rows(&place.read("views.jsonl"));
    let numbers = lines.iter().flat_map(|row| row["vector"].as_array().unwrap());
    let numbers: Vec<f32> = numbers.map(|number| number.as_f64().unwrap() as f32).collect();
    assert_eq!(numbers, values);
    assert!(lines.iter().all(|row| row["definition_hash"] == of("definition_hash").as_str()));
    assert_eq!(lines[0]["method"], "m0");

    for (args, said) in [
        ("--vectors other --out o.parquet", "no vectors of a feature \"other\""),
        ("--vectors views --out o.npz", "the extension .parquet or .jsonl"),
        ("--vectors views --out -", "give a file"),
        ("--vectors views", "--out"),
        ("--out o.txt", "add --format"),
    ] {
        export(args).refuses(said);
    }
}

#[test]
#[cfg(feature = "onnx")]
fn assets_are_measured_without_a_benchmark_by_the_same_models() {
    let place = workplace();
    let scores = SCORES.split("\n\n").take(3).collect::<Vec<_>>().join("\n\n");
    let entries = format!("{NETWORK}{scores}");
    bench(&place, &entries, "r").ok();
    place.write("models.toml", &entries);
    let args = "measure out/m1/2.obj out/m2/2.obj --features models.toml";
    let measure = |more: &str| place.run(&format!("{args} {more}"));
    let run = measure("--image photos/2.png").ok();
    run.shows(["views: 4 vectors of 3 numbers", "color[mean]  color[max]  shape[mean]"]);
    let run = measure("--image photos/2.png --json").ok();
    let vectors = run.rows_of("vector");
    assert_eq!(vectors.iter().filter(|row| row["feature"] == "true shape").count(), 1);
    assert_eq!(vectors[0]["vector"].as_array().map(Vec::len), Some(3));
    // The benchmark gave the same assets the same numbers, of the same definitions.
    let of_bench = kept(&place, "r")["rows"].as_array().unwrap().clone();
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

    measure("missing.obj --image photos/2.png").ends(1).says("missing.obj");
    let refused = |entries: &str, said: &str| {
        place.write("models.toml", entries);
        measure("").refuses(said);
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
    bench(&place, DIFFERENCE, "r").ok().shows("difference (lower is better)");
    let found = kept(&place, "r");
    let [same, near, far] = ["m0", "m1", "m2"].map(|it| values(&found, "difference", it));
    // The first generator's assets are the references.
    assert_eq!(same, [0.0; PROMPTS]);
    assert_eq!((near.len(), far.len()), (PROMPTS, PROMPTS));
    assert!(near.iter().zip(&far).all(|(a, b)| 0.0 < *a && a < b), "{near:?} {far:?}");
    let of_photo = values(&found, "from photo", "m0");
    assert!(of_photo.len() == PROMPTS && of_photo.iter().all(|it| *it > 0.1), "{of_photo:?}");

    let refused = |from: &str, to: &str, said: &str| {
        bench(&place, &DIFFERENCE.replacen(from, to, 1), "w").refuses(said);
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
        says(reply)
    };
    Mock::given(method("POST")).respond_with(respond).mount(&server).await;
    let props = says(json!({ "media_marker": "<__media_7__>" }));
    let get = Mock::given(method("GET")).and(path("/llamacpp/props"));
    get.respond_with(props).mount(&server).await;
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
    let place = workplace();
    let run = bench(&place, &entries, "r").ok();
    for shape in ["jina", "voyage", "infinity", "llamacpp"] {
        run.says(&format!("feature {shape}: {0} of {0} vectors", 9 * PROMPTS));
    }
    // The same pictures have the same vectors at each server, in whatever order they came.
    let file = |shape: &str| place.bytes(format!("r/features/{shape}-0000.npy"));
    for shape in ["voyage", "infinity", "llamacpp"] {
        assert_eq!(file(shape), file("jina"), "{shape}");
    }
    let rows = kept(&place, "r")["rows"].as_array().unwrap().clone();
    let values = |metric: &str| -> Vec<String> {
        let of_metric = rows.iter().filter(|row| row["metric"] == metric);
        of_metric.map(|row| row["value"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(values("score").len(), 3 * PROMPTS);
    assert_eq!([values("rerank"), values("pooling")], [values("score"), values("score")]);
}

/// A vector by the content: texts by their last character, pictures by their bytes.
fn embedding(content: &str) -> Value {
    let hash = blake3::hash(content.as_bytes());
    json!(hash.as_bytes()[..8].iter().map(|byte| f64::from(*byte) - 127.5).collect::<Vec<f64>>())
}

fn says(body: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

/// Gives vectors of pictures and texts. `picture` gets the number of a request for a picture, from
/// 0, and the picture's vector; an error is a status. A request is refused if `knows` is false for
/// one of its texts.
async fn embedder(
    picture: impl Fn(usize, Value) -> Result<Value, u16> + Send + Sync + 'static,
    knows: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> Mocks {
    let server = Mocks::start().await;
    let asked = AtomicUsize::new(0);
    let pictures = move |request: &Request| {
        let body: Value = request.body_json().unwrap();
        let url = body["messages"][0]["content"][0]["image_url"]["url"].as_str().unwrap();
        assert!(url.starts_with("data:image/png;base64,"));
        match picture(asked.fetch_add(1, Ordering::SeqCst), embedding(url)) {
            Ok(vector) => says(json!({ "data": [{ "index": 0, "embedding": vector }] })),
            Err(status) => ResponseTemplate::new(status),
        }
    };
    let texts = move |request: &Request| {
        let body: Value = request.body_json().unwrap();
        assert_eq!(body["input_type"], "search_query");
        let texts = body["texts"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
        match texts.clone().all(&knows) {
            true => {
                says(json!({ "embeddings": { "float": texts.map(embedding).collect::<Vec<_>>() } }))
            }
            false => ResponseTemplate::new(400),
        }
    };
    let post = |at: &str| Mock::given(method("POST")).and(path(at.to_owned()));
    post("/v1/embeddings").respond_with(pictures).mount(&server).await;
    post("/v2/embed").respond_with(texts).mount(&server).await;
    server
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
    // The first request meets a server that is starting.
    let answer = |n, vector| if n == 0 { Err(503) } else { Ok(vector) };
    let server = embedder(answer, |_| true).await;
    let entries = SERVER.replace("URL", &server.uri());
    let place = workplace();
    bench(&place, &entries, "r").ok();
    // How many pictures and texts.
    let asked = async || {
        let all = server.received_requests().await.unwrap();
        let (pictures, texts): (Vec<Request>, Vec<Request>) =
            all.into_iter().partition(|request| request.url.path() == "/v1/embeddings");
        let texts = texts.iter().map(|it| it.body_json::<Value>().unwrap()["texts"].clone());
        [pictures.len(), texts.map(|texts| texts.as_array().unwrap().len()).sum()]
    };
    // Three for the check of the model, and the one that failed.
    assert_eq!(asked().await, [3 * PROMPTS + 3 + 1, PROMPTS + 3]);
    let rows = kept(&place, "r")["rows"].as_array().unwrap().len();
    assert_eq!(rows, 3 * PROMPTS);

    // A new asset, of two generators: one picture more, and the check of each model.
    for path in ["out/m1/2.obj", "out/m2/2.obj"] {
        place.write(path, tetrahedron(3.0));
    }
    bench(&place, &entries, "r").ok();
    assert_eq!(asked().await, [3 * PROMPTS + 3 + 1 + 1 + 3, PROMPTS + 3 + 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_refuses_is_no_number_and_the_run_goes_on() {
    let is_broken = Arc::new(AtomicBool::new(true));
    let [of_pictures, of_texts] = [(); 2].map(|()| Arc::clone(&is_broken));
    // After the check of the model, the first asset.
    let answer = move |n, vector| match n {
        3 if of_pictures.load(Ordering::SeqCst) => Err(400),
        _ => Ok(vector),
    };
    let knows = move |text: &str| !of_texts.load(Ordering::SeqCst) || !text.contains("thing 5");
    let server = embedder(answer, knows).await;
    let entries = SERVER.replace("URL", &server.uri())
        + "\n[[scores]]\nname = \"found\"\nof = \"pictures\"\nto = \"texts\"\nformula = \"r_precision\"\n";
    let place = workplace();
    bench(&place, &entries, "r").ends(1);
    // Nobody gets the numbers of another.
    let kept = kept(&place, "r");
    let shown = place.ok("rate r").stdout;
    let board = &shown[shown.find("\nclip_t").unwrap()..];
    for method in ["m0", "m1", "m2"] {
        let own = values(&kept, kept["rows"][0]["metric"].as_str().unwrap(), method);
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        assert!((4..PROMPTS).contains(&own.len()), "{own:?}");
        let line = board.lines().find(|line| line.trim_start().starts_with(method)).unwrap();
        let said: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!((said - mean).abs() < 1e-3 * mean.abs() + 1e-6, "{mean}: {line}");
    }
    is_broken.store(false, Ordering::SeqCst);
    bench(&place, &entries, "r").ok();
    place.ok("rate r").shows("found");
}

/// Of three assets, one gets a vector with a value that is not finite, and one is refused.
#[tokio::test(flavor = "multi_thread")]
async fn measuring_without_all_vectors_fails_and_keeps_the_others() {
    // After the check of the model.
    let answer = |n, mut vector: Value| {
        if n == 3 {
            vector[5] = Value::Null;
        }
        if n == 4 { Err(400) } else { Ok(vector) }
    };
    let server = embedder(answer, |_| true).await;
    let entries = SERVER.replace("URL", &server.uri());
    let place = workplace();
    let feature = entries.split("\n\n").next().unwrap();
    place.write("models.toml", feature);
    let args = "measure out/m0/0.obj out/m1/0.obj out/m2/0.obj --json";
    let run = place.run(&format!("{args} --features models.toml")).ends(1);
    assert_eq!(run.rows_of("vector").len(), 1);
    run.says(["not finite", "was refused", "1 of 3 vectors"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_ignores_its_input_or_is_misdescribed_is_refused_before_anything_is_asked() {
    let server = Mocks::start().await;
    let same = json!({ "data": [{ "index": 0, "embedding": [1.0, 2.0] }] });
    Mock::given(method("POST")).respond_with(says(same)).mount(&server).await;
    let entries = SERVER.replace("URL", &server.uri());
    let place = workplace();
    bench(&place, &entries, "r").says("gives two unlike inputs the same vector");
    let refused = |entries: &str, said: &str| {
        bench(&place, entries, "w").refuses(said);
    };
    let network = |from: &str, to: &str| NETWORK.replacen(from, to, 1);
    refused(&network("preprocessing = \"config.json\"\n", ""), "needs `preprocessing`");
    refused(&network("views = 2", "points = 5"), "`points` does not belong");
    refused(&network("points = 256", "points = 256\npreset = \"flashvdm\""), "`preset` decides");
    refused(&network("points = 256", "preset = \"other\""), "is not a preset");
    refused(&network("onnx:mean-color.onnx", "onnx:no.onnx"), "does not exist");
    refused(&network("onnx:mean-color.onnx", "http:other"), "none of onnx:FILE");
    let function = network("onnx:mean-color.onnx\"", "python\"");
    let function = function.replacen("preprocessing = \"config.json\"\n", "", 1);
    refused(&function, "is a Python function");
    let score = |from: &str, to: &str| format!("{NETWORK}{}", SCORES.replacen(from, to, 1));
    refused(&score("photo", "shape"), "`to` one of prompts");
    refused(&score("\"color\"", "\"iou\""), "name of a metric");
    let config = json!({ "size": 32, "resample": 3, "do_pad": true }).to_string();
    place.write("config.json", config);
    refused(NETWORK, "do_pad");
}
