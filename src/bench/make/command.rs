//! A generator that is a program: run without a shell, with a time limit, in a process group of its
//! own, its output in a log.

use super::glb::{Found, HEADER_BYTES, found};
use super::job::AssetSpec;
use super::log::Log;
use super::pattern::fill;
use super::secrets::{named_words, secrets_in};
use crate::bench::file::CommandLine;
use crate::bench::prompt::Prompt;
use crate::judge::{Route, is_secret_name};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Placeholders of a command.
const COMMAND_PLACES: [&str; 9] =
    ["prompt_id", "prompt", "seed", "method", "out", "image", "mask", "images", "gpu"];

/// The program's standard output and error.
const LOG_FILE: &str = "log.txt";

/// Between two checks whether a program has ended.
pub(super) const POLL: Duration = Duration::from_millis(20);

/// Between the request to end and the end by force.
const GRACE: Duration = Duration::from_secs(3);

/// Bytes at the end of a log that are read for the reason of a failure.
const LOG_TAIL_BYTES: u64 = 4096;

/// Lines at its end that are quoted.
const LOG_LINES_QUOTED: usize = 3;

/// A program and how it is run.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Program and arguments, places still open.
    pub words: Vec<String>,
    /// Folder it runs in.
    pub cwd: PathBuf,
    /// Added to the environment.
    pub env: BTreeMap<String, String>,
    /// Whether it needs a graphics card.
    pub needs_gpu: bool,
    /// Extension of its output.
    pub extension: String,
    /// For one asset.
    pub timeout: Duration,
    /// Tries after a failed one.
    pub retries: u32,
    /// Time limit until a program that keeps running is ready; none if it ends after one asset.
    pub start_timeout: Option<Duration>,
    /// US dollars for one asset of a service, where it is stated.
    pub cost_usd: Option<f64>,
    /// Processes at a time, for a program that only asks a service: its pace and its keys are this
    /// process's, and it needs no machine of a cluster.
    pub in_flight: Option<usize>,
}

impl Program {
    /// Runs it once.
    ///
    /// # Errors
    /// The reason that the run stores: no start, a failure, a timeout, or no output.
    pub fn run(&self, spec: &AssetSpec<'_>) -> Result<(), String> {
        let optional = |path: Option<&Path>| path.map_or(String::new(), absolute);
        let out = absolute(&spec.folder.join(format!("asset.{}", self.extension)));
        let (image, mask) = (optional(spec.prompt.image()), optional(spec.prompt.mask()));
        let images = serde_json::Value::Object(images(spec.prompt)).to_string();
        let seed = spec.seed.to_string();
        let prompt = spec.prompt;
        let values = [
            prompt.id.as_str(),
            &prompt.text,
            &seed,
            spec.method,
            &out,
            &image,
            &mask,
            &images,
            spec.gpu.unwrap_or(""),
        ];
        let values: Vec<_> = COMMAND_PLACES.into_iter().zip(values).collect();
        let words =
            self.words.iter().map(|word| fill(word, &values)).collect::<Result<Vec<_>, _>>()?;
        let log_path = spec.folder.join(LOG_FILE);
        let (log, output, errors) = Log::create(&log_path)?;
        let child = self.spawn(&words, [Stdio::null(), output.into(), errors.into()], spec)?;
        let group = child.id();
        let status = self.wait(child, spec);
        spec.guard.leave(group);
        log.wait();
        let status = status?;
        if !status.success() {
            return Err(format!("the command failed ({status}){}", tail(&log_path)));
        }
        written(Path::new(&out), "the command succeeded").map_err(|why| why + &tail(&log_path))
    }

    fn wait(&self, mut child: Child, spec: &AssetSpec<'_>) -> Result<ExitStatus, String> {
        let start = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) => {}
                Err(e) => return Err(format!("cannot wait for the command ({e})")),
            }
            let reason = if spec.stop.load(Ordering::Relaxed) {
                "interrupted".to_owned()
            } else if start.elapsed() > self.timeout {
                format!("took longer than {} s", self.timeout.as_secs())
            } else {
                std::thread::sleep(POLL);
                continue;
            };
            end(&mut child);
            return Err(reason);
        }
    }

    /// A message without the secrets of the command, its entry and the environment.
    pub(super) fn scrub(&self, text: &str) -> String {
        let inherited: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| is_secret_name(name))
            .collect();
        let env = inherited.iter().map(|(name, value)| (name, value)).chain(&self.env);
        let env = env.map(|(name, value)| (name.as_str(), value.as_str()));
        let secrets = secrets_in(named_words(&self.words).into_iter().chain(env));
        secrets.iter().fold(text.to_owned(), |text, secret| secret.scrub(&text))
    }

    /// Starts its process: in a group of its own, marked, on its card; without the keys of judges,
    /// which are none of its business: a program that needs such a key gets it by name. `streams`
    /// are its input, output and errors.
    pub(super) fn spawn(
        &self,
        words: &[String],
        streams: [Stdio; 3],
        spec: &AssetSpec<'_>,
    ) -> Result<Child, String> {
        let mut command = std::process::Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&self.cwd);
        for route in Route::ALL {
            command.env_remove(route.key_variable());
        }
        command.envs(&self.env);
        if let Some(gpu) = spec.gpu {
            command.env("CUDA_VISIBLE_DEVICES", gpu);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        spec.guard.mark(&mut command);
        let [input, output, errors] = streams;
        command.stdin(input).stdout(output).stderr(errors);
        let child =
            command.spawn().map_err(|e| format!("{:?} cannot be started ({e})", words[0]))?;
        spec.guard.enter(child.id());
        Ok(child)
    }
}

/// The images of a prompt by the names of their sides, as an object of paths.
pub(super) fn images(prompt: &Prompt) -> serde_json::Map<String, serde_json::Value> {
    prompt.images.iter().map(|(side, image, _)| (side.clone(), absolute(image).into())).collect()
}

/// A generator may run in another folder, so all its paths are absolute.
pub(super) fn absolute(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.to_string_lossy().into_owned()
}

/// Whether the asset exists; `so` describes the generator's report.
pub(super) fn written(out: &Path, so: &str) -> Result<(), String> {
    match std::fs::metadata(out) {
        Ok(file) if file.is_dir() => Err(format!("{so}, but made a folder at {{out}}")),
        Ok(file) if file.len() > 0 => {
            begun(out, file.len()).map_err(|why| format!("{so}, but {why}"))
        }
        Ok(_) => Err(format!("{so}, but its file is empty")),
        Err(_) => Err(format!("{so}, but wrote no file; it must write {{out}}")),
    }
}

/// A file that no reader takes, by its first bytes: it is made again, a merely bad file is not.
fn begun(out: &Path, length: u64) -> Result<(), String> {
    let mut start = Vec::new();
    let file = File::open(out).map(|file| file.take(HEADER_BYTES as u64));
    file.and_then(|mut file| file.read_to_end(&mut start))
        .map_err(|e| format!("its file cannot be read ({e})"))?;
    match found(&start, length) {
        Found::CutOff(says) => Err(format!("its file ends after {length} of {says} bytes")),
        Found::Other if start.trim_ascii_start().starts_with(b"<") => {
            Err("its file is a web page or another XML document".to_owned())
        }
        Found::Glb | Found::Other => Ok(()),
    }
}

/// Asks the whole process group to end, then kills it.
pub(super) fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // Both fail only where the group is gone already.
            let _ = kill_process_group(group, Signal::TERM);
            let start = Instant::now();
            while start.elapsed() < GRACE && matches!(child.try_wait(), Ok(None)) {
                std::thread::sleep(POLL);
            }
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The last lines of the log, as the end of a sentence.
pub(super) fn tail(path: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(LOG_TAIL_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text
        .lines()
        .rev()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(LOG_LINES_QUOTED)
        .collect();
    if lines.is_empty() {
        return ", and wrote nothing to its log".to_owned();
    }
    let quoted: Vec<&str> = lines.into_iter().rev().collect();
    format!(": {}", quoted.join(" | "))
}

/// Program and arguments with placeholders. A program that keeps running has none: it gets orders.
pub(super) fn words(line: &CommandLine, is_told: bool) -> Result<Vec<String>, String> {
    let words = match line {
        CommandLine::Words(words) => words.clone(),
        CommandLine::Line(line) => {
            shlex::split(line).ok_or_else(|| format!("missing closing quote in {line:?}"))?
        }
    };
    if words.is_empty() {
        return Err("the command is empty".to_owned());
    }
    if is_told {
        return words.iter().map(|word| fill(word, &[])).collect();
    }
    let probe = COMMAND_PLACES.map(|name| (name, ""));
    for word in &words {
        fill(word, &probe)?;
    }
    Ok(words)
}
