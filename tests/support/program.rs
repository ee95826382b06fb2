//! Runs the real program: every test that does so does it here.

use super::assets::Folder;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Variables of the user's shell that would change what the program does.
const VARIABLES: [&str; 12] = [
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
];

/// What a run of the program left.
#[derive(Debug)]
pub struct Run {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Runs the command to its end. A test on a runtime of its own may call this: the servers of
    /// the tests answer on other threads.
    pub fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// This run, which must have ended well.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        self
    }

    /// This run, which must have ended with this code.
    #[track_caller]
    pub fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        self
    }

    /// The standard error must have these parts.
    #[track_caller]
    pub fn says(&self, parts: impl Parts) -> &Self {
        self.stderr.must_have(parts);
        self
    }

    /// The standard output must have these parts.
    #[track_caller]
    pub fn shows(&self, parts: impl Parts) -> &Self {
        self.stdout.must_have(parts);
        self
    }

    /// This run must have failed, with these parts in the standard error.
    #[track_caller]
    pub fn fails(&self, parts: impl Parts) -> &Self {
        assert_ne!(self.code, Some(0), "{:?}: {}{}", parts.all(), self.stdout, self.stderr);
        self.says(parts)
    }

    /// This run must have ended with 2, the code of commands that are refused, and with these parts
    /// in the standard error.
    #[track_caller]
    pub fn refuses(&self, parts: impl Parts) -> &Self {
        assert_eq!(self.code, Some(2), "{:?}: {}{}", parts.all(), self.stdout, self.stderr);
        self.says(parts)
    }

    /// The rows that `--json` prints.
    pub fn rows(&self) -> Vec<Value> {
        json_rows(&self.stdout)
    }

    /// Those of one kind.
    pub fn rows_of(&self, kind: &str) -> Vec<Value> {
        rows_of(&self.stdout, kind)
    }
}

/// The program in a folder, reading nothing and without the keys, proxies, certificates and
/// settings of this machine; a test's own settings are `meshjudge/config.toml` in the folder. For
/// tests that set variables, kill it or read along.
pub fn command(folder: &Path, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshjudge"));
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MESHJUDGE_") {
            command.env_remove(name);
        }
    }
    command
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("XDG_CONFIG_HOME", std::path::absolute(folder).unwrap())
        .stdin(Stdio::null());
    command
}

/// The same command with these words before it, such as a shell that sets limits.
pub fn through(words: &[&str], command: &Command) -> Command {
    let mut outer = Command::new(words[0]);
    outer
        .args(&words[1..])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(command.get_current_dir().unwrap())
        .stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    outer
}

/// Runs of the program in the folder.
impl Folder {
    /// The program with these words. In a line, blanks separate words, except within quotes.
    pub fn command(&self, line: &str) -> Command {
        command(self, shlex::split(line).expect(line))
    }

    /// Runs the program to its end.
    pub fn run(&self, line: &str) -> Run {
        Run::of(&mut self.command(line))
    }

    /// Runs the program, which must end well.
    #[track_caller]
    pub fn ok(&self, line: &str) -> Run {
        self.run(line).ok()
    }

    /// Everything that was answered in a run.
    #[track_caller]
    pub fn answers(&self, run: &str) -> Vec<Value> {
        self.ok(&format!("export {run} --format jsonl")).rows()
    }

    /// The rows of one kind that `rate` prints about a run.
    #[track_caller]
    pub fn rated(&self, run: &str, kind: &str) -> Vec<Value> {
        self.ok(&format!("rate {run} --json")).rows_of(kind)
    }

    /// Writes a benchmark of small pictures. `generators` are entries of the file, `more` is its
    /// end.
    pub fn bench(&self, prompts: &str, generators: &str, more: &str) {
        let file = format!(
            "name = \"t\"\nprompts = [{prompts}]\n{generators}[pictures]\nsize_px = 32\nviews = 1\n{more}"
        );
        self.write("bench.toml", file);
    }

    /// Adds people's votes to a run. A line has prompt, a, b, criterion, vote and rater.
    #[track_caller]
    pub fn vote(&self, run: &str, lines: &str) -> Run {
        self.write("votes.csv", format!("prompt,a,b,criterion,vote,rater\n{lines}"));
        self.ok(&format!("import {run} --votes votes.csv"))
    }
}

/// A generator of a benchmark file, whose assets are ready at this path.
pub fn generator(name: &str, path: &str) -> String {
    format!("[[generators]]\nname = \"{name}\"\npath = \"{path}\"\n")
}

/// One part of a text, or several.
pub trait Parts {
    fn all(&self) -> Vec<&str>;
}

impl Parts for &str {
    fn all(&self) -> Vec<&str> {
        vec![self]
    }
}

impl Parts for &String {
    fn all(&self) -> Vec<&str> {
        vec![self]
    }
}

impl<const N: usize> Parts for [&str; N] {
    fn all(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Parts for &[&str] {
    fn all(&self) -> Vec<&str> {
        self.to_vec()
    }
}

/// A text that a test examines.
pub trait Text {
    /// Fails unless the text has each part.
    fn must_have(&self, parts: impl Parts);
}

impl Text for str {
    #[track_caller]
    fn must_have(&self, parts: impl Parts) {
        for part in parts.all() {
            assert!(self.contains(part), "no {part:?} in:\n{self}");
        }
    }
}

/// Runs the program to its end.
pub fn meshjudge(folder: &Path, args: &[&str]) -> Run {
    Run::of(&mut command(folder, args))
}

/// Runs the program, which must end well; what it printed.
#[track_caller]
pub fn ok(folder: &Path, args: &[&str]) -> String {
    meshjudge(folder, args).ok().stdout
}

/// Starts the program; nobody reads what it prints.
pub fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Kills the program as soon as `is_so`, unless it ends before.
pub async fn kill_when(mut child: Child, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() && child.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(600), "nothing happens");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// JSON, one value a line.
pub fn json_rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Those of one kind.
pub fn rows_of(text: &str, kind: &str) -> Vec<Value> {
    let mut rows = json_rows(text);
    rows.retain(|row| row["kind"] == kind);
    rows
}
