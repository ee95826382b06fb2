//! The fenced blocks of documents, used as a reader uses them: files are written and commands run,
//! with substitutes for models.

use crate::support::assets::{Folder, demo, files, preprocessing, repository};
use crate::support::judge_server::{Mocks, reply, schema_answer};
use crate::support::program::{Run, generator};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use wiremock::matchers::method;
use wiremock::{Mock, Request, ResponseTemplate};

/// The placeholder for a model's server.
const SERVER: &str = "http://127.0.0.1:8000";

/// A fenced block.
pub(super) struct Block<'t> {
    /// The file that the line before it names.
    pub file: Option<&'t str>,
    /// Of its text: `sh`, `toml`.
    pub kind: &'t str,
    /// Why it cannot run here, from the fence, which readers do not see.
    pub needs: &'t str,
    pub text: &'t str,
}

pub(super) fn blocks(document: &str) -> Vec<Block<'_>> {
    let parts: Vec<&str> = document.split("```").collect();
    assert!(parts.len() % 2 == 1, "a fence is open");
    let mut blocks = Vec::new();
    for pair in parts.chunks_exact(2) {
        let (fence, text) = pair[1].split_once('\n').unwrap();
        let (kind, needs) = fence.split_once(' ').unwrap_or((fence, ""));
        let before = pair[0].trim_end().lines().next_back().unwrap_or_default();
        blocks.push(Block { file: file(before, kind), kind, needs, text });
    }
    blocks
}

/// The last file of this kind in a line that introduces a block.
fn file<'t>(line: &'t str, kind: &str) -> Option<&'t str> {
    let named = line.split('`').skip(1).step_by(2);
    let ending = format!(".{kind}");
    named
        .filter(|word| line.ends_with(':') && word.ends_with(&ending) && !word.contains([' ', '/']))
        .last()
}

/// A folder in which the commands of documents run.
pub(super) struct Place {
    pub folder: Folder,
    server: Mocks,
    /// What commands would have written that this build cannot run.
    skipped: Vec<String>,
}

impl Place {
    /// With substitutes for the models that documents name.
    pub(super) async fn new() -> Self {
        let folder = Folder::new();
        folder.write("preprocessor_config.json", preprocessing());
        let ocr = "ocr/rapidocr_onnxruntime/models";
        for (name, network) in [
            ("uni3d-g.onnx", "largest-group.onnx"),
            ("dinov2.onnx", "mean-color.onnx"),
            ("clip-visual.onnx", "mean-color.onnx"),
            (&format!("{ocr}/det.onnx"), "dark-det.onnx"),
            (&format!("{ocr}/rec.onnx"), "answer-rec.onnx"),
        ] {
            folder.copy(repository("tests/data").join(network), name);
        }
        Self { folder, server: models().await, skipped: Vec::new() }
    }

    /// Writes the files of a document, and runs its commands; each with what it left.
    pub(super) fn follow(&mut self, document: &str) -> Vec<(String, Run)> {
        let (commands, others): (Vec<_>, Vec<_>) =
            blocks(document).into_iter().partition(|block| block.kind == "sh");
        for block in others {
            let Some(name) = block.file else { continue };
            self.folder.write(name, self.local(block.text));
        }
        let lines = commands.iter().filter(|block| block.needs.is_empty());
        let lines = lines.flat_map(|block| block.text.lines());
        lines.filter_map(|line| Some((line.to_owned(), self.run(line)?))).collect()
    }

    /// Copies the demo to a folder of that name.
    pub(super) fn copy_demo(&self, name: &str) {
        for file in files(&demo("")) {
            let place = Path::new(name).join(file.strip_prefix(demo("")).unwrap());
            self.folder.copy(&file, place);
        }
    }

    fn local(&self, text: &str) -> String {
        text.replace(SERVER, &self.server.uri())
    }

    fn run(&mut self, line: &str) -> Option<Run> {
        let line = line.split(" #").next().unwrap().trim_end();
        if line == "cargo test" {
            return None; // this very run
        }
        let line = self.local(&line.replacen("cargo run --release -- ", "meshjudge ", 1));
        let args = line.strip_prefix("meshjudge ").expect(&line);
        let words = shlex::split(args).expect(&line);
        if !cfg!(feature = "onnx") && self.needs_onnx(&words) {
            self.skipped.extend(words.into_iter().skip_while(|it| *it != "--run").nth(1));
            return None;
        }
        let mut command = self.folder.command(args);
        // As on the second of eight machines that Slurm started.
        command.env("OPENAI_API_KEY", "key");
        command.envs([("SLURM_ARRAY_TASK_ID", "1"), ("SLURM_ARRAY_TASK_MIN", "0")]);
        command.envs([("SLURM_ARRAY_TASK_MAX", "7"), ("SLURM_ARRAY_TASK_COUNT", "8")]);
        if words[0] == "serve" {
            return Some(first_line(command));
        }
        let run = Run::of(&mut command);
        assert_eq!(run.code, Some(0), "{line}\n{}{}", run.stdout, run.stderr);
        assert!(!run.stdout.is_empty(), "{line} says nothing");
        Some(run)
    }

    /// Whether a command runs networks, or reads what another one would have made with them.
    fn needs_onnx(&self, args: &[String]) -> bool {
        let names_one = |word: &String| {
            let text = std::fs::read_to_string(self.folder.join(word));
            word.ends_with(".toml") && text.is_ok_and(|text| text.contains("onnx:"))
        };
        let is_lost = |word: &String| self.skipped.contains(word);
        args.iter().any(|word| word == "--ocr" || names_one(word) || is_lost(word))
    }
}

/// Starts a server, and stops it when it says its address.
fn first_line(mut command: std::process::Command) -> Run {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut stdout).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(stdout.contains("http"), "{stdout}");
    Run { code: None, stdout, stderr: String::new() }
}

/// A server that answers by the schema, and gives vectors and rewards by the content.
async fn models() -> Mocks {
    let server = Mocks::start().await;
    let respond = |request: &Request| {
        let body: Value = request.body_json().unwrap();
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

/// The README, then every guide by its name. RECIPES.md has a folder of its own.
fn documents() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(repository("docs")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}"));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.insert(0, "README.md".to_owned());
    let read = |name: String| (name.clone(), std::fs::read_to_string(repository(&name)).unwrap());
    names.into_iter().map(read).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_works_as_written() {
    let mut place = Place::new().await;
    place.copy_demo("assets/demo");
    let mut run = 0;
    for (name, text) in documents() {
        // The tests of the Python package run its own guide, whose commands follow Python.
        if ["docs/RECIPES.md", "docs/PYTHON.md"].contains(&name.as_str()) {
            continue;
        }
        let ran = place.follow(&text);
        if name == "README.md" {
            let shown = text.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
            ran[0].1.shows(shown);
        }
        run += ran.len();
    }
    assert!(run >= 45, "only {run} commands were found");
    for made in [
        "pictures/chair_clean/rgb_0.png",
        "pictures/chair_clean/frames.json",
        "pictures/pair.png",
        "pictures/reference/3_zoom.png",
        "runs/demo/report.html",
        "bench.toml",
        "demo.md",
        "demo.csv",
    ] {
        assert!(place.folder.join(made).is_file(), "{made}");
    }
    assert!(place.folder.names("runs").len() >= 4, "one run folder each");
}

/// So that no command is left out as a text, and what cannot run here says why.
#[test]
fn every_command_in_a_fence_is_marked_as_one() {
    let (mut found, mut left_out) = (0, 0);
    for (name, text) in documents() {
        for block in blocks(&text) {
            let mut lines = block.text.lines();
            let is_command = ["meshjudge ", "python ", "pip ", "cargo ", "curl "];
            let is_shell = lines.any(|line| is_command.iter().any(|it| line.starts_with(it)));
            assert!(!is_shell || block.kind == "sh", "{name}: {}", block.text);
            if block.kind == "sh" {
                let is_reason = block.needs.is_empty() || block.needs.starts_with("needs ");
                assert!(is_reason, "{name}: {}", block.needs);
                found += 1;
                left_out += usize::from(!block.needs.is_empty());
            }
        }
    }
    assert!(found >= 25 && left_out <= 6, "{found} {left_out}");
}

/// Commands inside sentences name flags that exist.
#[test]
fn every_flag_of_a_command_in_a_sentence_exists() {
    let place = Folder::new();
    let mut helps = std::collections::BTreeMap::new();
    let mut help = |command: &str| -> String {
        let known = helps.entry(command.to_owned());
        known.or_insert_with(|| place.ok(&format!("{command} --help")).stdout).clone()
    };
    let program = help("");
    let names: Vec<&str> = program
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_lowercase()))
        .collect();
    assert!(names.contains(&"bench") && names.contains(&"sample"), "{names:?}");
    let mut found = 0;
    for (name, text) in documents() {
        let prose: String = text.split("```").step_by(2).collect();
        for code in prose.split('`').skip(1).step_by(2) {
            let mut words = code.trim_start_matches("meshjudge ").split_whitespace().peekable();
            let Some(command) = words.next().filter(|word| names.contains(word)) else { continue };
            let flags: Vec<&str> = words.clone().filter(|word| word.starts_with("--")).collect();
            if flags.is_empty() {
                continue;
            }
            let below = words.peek().copied();
            let below = below.filter(|word| help(command).contains(&format!("\n  {word} ")));
            let help = help(&format!("{command} {}", below.unwrap_or_default()));
            for flag in flags {
                let is_flag = help.split([' ', ',', '\n']).any(|word| word == flag);
                assert!(is_flag, "{name}: `{code}`: {flag}");
                found += 1;
            }
        }
    }
    assert!(found >= 15, "{found}");
}

/// The entries of the guide to judges, all in one benchmark.
#[test]
fn every_judge_of_the_guide_is_understood() {
    let guide = std::fs::read_to_string(repository("docs/JUDGES.md")).unwrap();
    let entries = blocks(&guide).into_iter().map(|block| block.text);
    let entries: Vec<&str> = entries.filter(|text| text.starts_with("[[judges]]")).collect();
    assert!(entries.len() >= 12, "{entries:?}");
    let place = Folder::new();
    let generators = ["ours", "theirs"].map(|name| generator(name, "{prompt_id}.glb"));
    place.bench("\"a chair\"", &generators.concat(), &entries.concat());
    let mut dry_run = place.command("bench --dry-run");
    for key in ["DASHSCOPE_API_KEY", "ZAI_API_KEY", "MISTRAL_API_KEY"] {
        dry_run.env(key, "key");
    }
    let run = Run::of(&mut dry_run).ok();
    for entry in entries {
        let spec = entry.split('"').nth(1).unwrap();
        run.shows(&format!("  {spec}"));
    }
}
