//! Runs the real program: every test that does so does it here.

use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

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
