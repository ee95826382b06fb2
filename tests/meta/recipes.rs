//! Every file and every command of docs/RECIPES.md works on the demo assets, with substitutes for
//! models.

use super::readme::{copy_folder, words};
use crate::support::assets::{demo, repository};
use crate::support::judge_server::{Mocks, reply, schema_answer};
use crate::support::program::{Run, command};
use serde_json::{Value, json};
use wiremock::matchers::method;
use wiremock::{Mock, Request, ResponseTemplate};

const RECIPES: &str = include_str!("../../docs/RECIPES.md");

/// Blocks with the words of the line before them: what they are, and their text.
fn blocks() -> Vec<(&'static str, &'static str, &'static str)> {
    let parts: Vec<&str> = RECIPES.split("```").collect();
    let of = |pair: &[&'static str]| {
        let (kind, text) = pair[1].split_once('\n').unwrap();
        let before = pair[0].trim_end().lines().next_back().unwrap_or_default();
        (before, kind, text)
    };
    parts.chunks_exact(2).map(of).collect()
}

/// The last file that a line names.
fn named(line: &'static str) -> Option<&'static str> {
    let is_file = |word: &&str| word.contains('.') && !word.contains(' ');
    line.split('`').skip(1).step_by(2).filter(is_file).last()
}

/// A server that answers by the schema, and gives vectors and rewards by the content.
async fn models() -> Mocks {
    let server = Mocks::start().await;
    let respond = |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let path = request.url.path();
        if path.ends_with("/chat/completions") {
            let schema = &body["response_format"]["json_schema"]["schema"];
            return reply(&schema_answer(schema).to_string(), "stop");
        }
        let vector = |content: &Value| -> Vec<f64> {
            let hash = blake3::hash(content.to_string().as_bytes());
            hash.as_bytes()[..9].iter().map(|byte| f64::from(*byte) - 127.5).collect()
        };
        let found = match path {
            "/pooling" => json!([{ "index": 0, "data": [vector(&body)[0] / 100.0] }]),
            _ => {
                // Texts, or the messages with one picture.
                let inputs = body["input"].as_array().cloned().unwrap_or(vec![body.clone()]);
                let each = inputs.iter().enumerate();
                each.map(|(i, it)| json!({ "index": i, "embedding": vector(it) })).collect()
            }
        };
        ResponseTemplate::new(200).set_body_json(json!({ "data": found }))
    };
    Mock::given(method("POST")).respond_with(respond).mount(&server).await;
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn every_recipe_runs_as_written() {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&demo(""), folder.path());
    let data = |name: &str| std::fs::read(repository("tests/data").join(name)).unwrap();
    let config = json!({
        "do_resize": true, "size": { "height": 32, "width": 32 }, "resample": 3, "do_rescale": true,
        "do_normalize": true, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.25, 0.25, 0.25]
    });
    for (name, bytes) in [
        ("uni3d-g.onnx", data("largest-group.onnx")),
        ("dinov2.onnx", data("mean-color.onnx")),
        ("preprocessor_config.json", config.to_string().into_bytes()),
    ] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let server = models().await;
    let local = |text: &str| text.replace("http://127.0.0.1:8000", &server.uri());
    let (commands, files): (Vec<_>, Vec<_>) = blocks().into_iter().partition(|it| it.1 == "sh");
    for (before, kind, text) in &files {
        let name = named(before).unwrap_or_else(|| panic!("no name for {text}"));
        assert!(name.ends_with(&format!(".{kind}")), "{name} is {kind}");
        std::fs::write(folder.path().join(name), local(text)).unwrap();
    }
    let mut ran = 0;
    for line in commands.iter().flat_map(|(.., text)| text.lines()) {
        let words = words(line);
        assert_eq!(words[0], "meshjudge", "{line}");
        let needs_onnx = ["flashvdm", "trellis"].iter().any(|name| line.contains(name));
        if needs_onnx && !cfg!(feature = "onnx") {
            continue;
        }
        let run = Run::of(command(folder.path(), &words[1..]).env("OPENAI_API_KEY", "key"));
        assert_eq!(run.code, Some(0), "{line}\n{}{}", run.stdout, run.stderr);
        assert!(run.stdout.len() > 20, "{line} says nothing");
        ran += 1;
    }
    assert!(ran >= 11, "{ran}");
    let headings = RECIPES.lines().filter(|line| line.starts_with("## ")).count();
    for part in ["*Unknown:*", "*Different:*"] {
        assert_eq!(RECIPES.matches(part).count(), headings, "{part}");
    }
    // What the recipes are for is on their boards.
    let text = |args: &[&str]| Run::of(&mut command(folder.path(), args)).ok().stdout;
    assert!(text(&["rate", "defectbench"]).contains("mean of all items"));
    assert!(text(&["rate", "mate3d"]).contains("mean opinion scores"));
    assert!(text(&["rate", "t3bench"]).contains("quality"));
}
