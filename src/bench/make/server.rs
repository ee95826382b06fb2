//! A generator that stays: one process on each card or worker, which loads its weights once, or
//! asks a service, and makes asset after asset.
//!
//! It gets orders as lines of JSON on its standard input and answers by lines on its standard
//! output; its standard error and the output of libraries among the answers go to its log.
//!
//! ```text
//! ← {"type": "ready", "protocol": 1}
//! → {"type": "make", "id": 7, "prompt_id": "chair", "prompt": "a wooden chair", "seed": 0, "out": "/…/asset.glb"}
//! ← {"type": "done", "id": 7}          or {"type": "failed", "id": 7, "reason": "out of memory", "retry": false}
//! ```
//!
//! A program that asks a service asks for permission before it submits a paid job, and reports the
//! job; the next order of the same asset has that job, also after a kill ([`PaidJob`]):
//!
//! ```text
//! ← {"type": "submit", "id": 7}
//! → {"type": "go", "id": 7, "key": "9f…"}      the cost is booked, and the key is on the disk
//! ← {"type": "job", "id": 7, "job": "t-1"}     or {"type": "unpaid", "id": 7}
//! ```
//!
//! The end of its input ends it. Unknown types and fields are ignored in both directions.

use super::command::{POLL, Program, absolute, end, images, tail, written};
use super::job::AssetSpec;
use super::log::Log;
use super::paid::{self, PaidJob};
use super::till::NotBooked;
use crate::ask::Hold;
use crate::judge::Limit;
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Its log, next to the assets; the name contains the card, or the worker's process number.
const LOG_PREFIX: &str = "server-";

/// Longer lines are cut off, which makes them no JSON.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// Lines that wait for reading; a program that writes more blocks.
const LINES_WAITING_MAX: usize = 64;

/// A generator is given up after this many failed starts in a row.
const STARTS_MAX: u32 = 3;

/// Between the end of its input and the request to end.
const GOODBYE: Duration = Duration::from_secs(2);

/// After Ctrl-C, wait so long for a submitted job's id: without it nobody knows what was paid.
const GRACE: Duration = Duration::from_secs(10);

/// A message of a server.
#[derive(Debug, Deserialize)]
struct Line {
    /// Of the order that it is about.
    id: Option<u64>,
    #[serde(flatten)]
    said: Said,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Said {
    Ready,
    Submit,
    Unpaid,
    Job {
        job: String,
    },
    Done,
    Failed {
        #[serde(default)]
        reason: String,
        #[serde(default)]
        retry: Retry,
    },
    #[serde(other)]
    Other,
}

/// What follows a failure.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Retry {
    /// Whether another try, with a new job, can succeed in this call.
    Now(bool),
    Other(Other),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Other {
    /// The next call gets the same job.
    Later,
    /// The content is refused; no call asks again.
    Never,
}

impl Default for Retry {
    fn default() -> Self {
        Self::Now(true)
    }
}

/// The server that a worker keeps running: one, since a card holds the weights of one.
#[derive(Debug, Default)]
pub(super) struct Kept {
    running: Option<Running>,
    /// By method: starts in a row that failed.
    failed_starts: HashMap<String, u32>,
    last_id: u64,
    /// Set by a server for which another try would fail as well.
    pub is_final: bool,
    /// Set if the budget prevented a job of a service.
    pub limit: Option<Limit>,
}

#[derive(Debug)]
struct Running {
    method: String,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    log: Log,
    log_path: PathBuf,
    /// Where lines go that are no answers; none once it has ended, so that the log ends too.
    words: Option<std::io::PipeWriter>,
    is_ended: bool,
}

impl Kept {
    /// Whose server is running.
    pub(super) fn method(&self) -> Option<&str> {
        self.running.as_ref().map(|running| running.method.as_str())
    }

    /// Ends the server; the last words of its log, as the end of a sentence.
    fn stop(&mut self, spec: &AssetSpec<'_>) -> String {
        let running = self.running.take();
        running.map_or(String::new(), |running| running.stop(spec))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.finish();
        self.log.wait();
    }
}

impl Program {
    /// Has one asset made by the worker's server, which is started where it is not running and must
    /// be ready within `start_timeout`.
    ///
    /// # Errors
    /// The reason that the run stores: no start, a failure, a timeout, death, or no output.
    pub(super) fn order(
        &self,
        spec: &AssetSpec<'_>,
        start_timeout: Duration,
        kept: &mut Kept,
    ) -> Result<(), String> {
        let mut paid = PaidJob::open(spec).inspect_err(|_| kept.is_final = true)?;
        if let Some(reason) = &paid.refused {
            kept.is_final = true;
            return Err(refusal(reason, spec));
        }
        if kept.method() != Some(spec.method) {
            kept.stop(spec);
            self.start(spec, start_timeout, kept)?;
        }
        kept.last_id += 1;
        let id = kept.last_id;
        let out = spec.folder.join(format!("asset.{}", self.extension));
        let prompt = spec.prompt;
        let mut order = json!({
            "type": "make", "id": id, "prompt_id": prompt.id, "prompt": prompt.text, "seed": spec.seed, "method": spec.method,
            "out": absolute(&out),
        });
        for (name, value) in [("job", &paid.job), ("key", &paid.key)] {
            if let Some(value) = value {
                order[name] = value.as_str().into();
            }
        }
        for (key, path) in [("image", prompt.image()), ("mask", prompt.mask())] {
            if let Some(path) = path {
                order[key] = absolute(path).into();
            }
        }
        if prompt.images.len() > 1 {
            order["images"] = images(prompt).into();
        }
        let start = Instant::now();
        let answered = kept.running.as_mut().map_or_else(
            || Err(Unanswered::Ended("its process has ended".to_owned())),
            |running| running.ask(&order, id, self, spec, &mut paid),
        );
        let (why, retry) = match answered {
            Ok(Said::Failed { reason, retry }) => {
                let reason = if reason.is_empty() { "no reason given" } else { &reason };
                let reason = &self.scrub(reason);
                kept.is_final = retry != Retry::Now(true);
                if retry == Retry::Other(Other::Never) {
                    paid.refuse(spec, reason);
                    return Err(refusal(reason, spec));
                }
                (format!("the generator failed: {reason}"), retry)
            }
            Ok(_) => return written(&out, "the generator reported success"),
            Err(unanswered) => {
                // Nobody knows what state it is in; the next order gets a new one.
                let words = kept.stop(spec);
                let why = match unanswered {
                    Unanswered::NotBooked(not) => {
                        kept.is_final = true;
                        return Err(match not {
                            NotBooked::Limit(limit) => kept.limit.insert(limit).to_string(),
                            NotBooked::Unsafe(why) => why,
                        });
                    }
                    Unanswered::Ended(why) => why + &words,
                };
                kept.is_final = paid.is_open() && start.elapsed() >= self.timeout;
                (why, Retry::Other(Other::Later))
            }
        };
        if retry != Retry::Other(Other::Later) {
            paid::remove(spec.place);
        } else if paid.job.is_some() {
            return Err(why + "; the same command resumes its job");
        }
        Err(why)
    }

    fn start(
        &self,
        spec: &AssetSpec<'_>,
        timeout: Duration,
        kept: &mut Kept,
    ) -> Result<(), String> {
        let failed = kept.failed_starts.entry(spec.method.to_owned()).or_default();
        if *failed >= STARTS_MAX {
            kept.is_final = true;
            return Err(format!(
                "the generator failed to start {STARTS_MAX} times in a row and is not started again"
            ));
        }
        *failed += 1;
        let mut running = self.serve(spec)?;
        let late = format!("it was not ready within {} s", timeout.as_secs());
        match running.next(timeout, spec, &late, false) {
            Ok(Line { said: Said::Ready, .. }) => {
                kept.failed_starts.remove(spec.method);
                kept.running = Some(running);
                Ok(())
            }
            said => {
                let words = running.stop(spec);
                let why = match said {
                    Ok(Line { said: Said::Failed { reason, .. }, .. }) => reason,
                    Ok(_) => format!("it answered before it was ready{words}"),
                    Err(why) => why + &words,
                };
                Err(format!("the generator could not be started: {why}"))
            }
        }
    }

    fn serve(&self, spec: &AssetSpec<'_>) -> Result<Running, String> {
        // Next to the folders of this method's prompts: this one's is made/METHOD/PROMPT/SEED.
        let folder = spec.folder.ancestors().nth(2).unwrap_or(spec.folder);
        let worker = format!("{:?}", std::thread::current().id());
        let whose = spec.gpu.map_or(format!("worker{worker}"), |gpu| format!("gpu{gpu}"));
        let whose: String = whose.chars().filter(char::is_ascii_alphanumeric).collect();
        let log_path = folder.join(format!("{LOG_PREFIX}{whose}.log"));
        // A dead process's log is kept; the next process appends to it. At first, none exists.
        let _ = std::fs::rename(&log_path, log_path.with_extension("previous.log"));
        let (log, words, errors) = Log::create(&log_path)?;
        let streams = [Stdio::piped(), Stdio::piped(), errors.into()];
        let mut child = self.spawn(&self.words, streams, spec)?;
        let (to, lines) = sync_channel(LINES_WAITING_MAX);
        if let Some(output) = child.stdout.take() {
            std::thread::spawn(move || {
                let mut output = BufReader::new(output);
                loop {
                    let mut line = Vec::new();
                    match output.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line) {
                        Ok(0) | Err(_) => return,
                        Ok(_) => {}
                    }
                    if to.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                        return;
                    }
                }
            });
        }
        Ok(Running {
            method: spec.method.to_owned(),
            input: child.stdin.take(),
            child,
            lines,
            log,
            log_path,
            words: Some(words),
            is_ended: false,
        })
    }
}

impl Running {
    /// Ends it; the last words of its log, as the end of a sentence.
    fn stop(mut self, spec: &AssetSpec<'_>) -> String {
        self.finish();
        spec.guard.leave(self.child.id());
        self.log.wait();
        tail(&self.log_path)
    }

    /// The end of its input asks it to end.
    fn finish(&mut self) {
        if std::mem::replace(&mut self.is_ended, true) {
            return;
        }
        self.input = None;
        let start = Instant::now();
        while start.elapsed() < GOODBYE && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(POLL);
        }
        end(&mut self.child);
        self.words = None;
    }

    /// Gives an order and waits for its answer; meanwhile keeps its paid job.
    fn ask(
        &mut self,
        order: &serde_json::Value,
        id: u64,
        program: &Program,
        spec: &AssetSpec<'_>,
        paid: &mut PaidJob,
    ) -> Result<Said, Unanswered> {
        self.send(order)?;
        let start = Instant::now();
        let late = format!("it took longer than {} s", program.timeout.as_secs());
        loop {
            let left = program.timeout.saturating_sub(start.elapsed());
            let line = self.next(left, spec, &late, paid.key.is_some())?;
            if line.id != Some(id) {
                // The answer to an order that was given up.
                continue;
            }
            match line.said {
                Said::Submit if spec.stop.load(Ordering::Relaxed) => {
                    return Err("interrupted".to_owned().into());
                }
                Said::Submit => {
                    let key = paid.submit(spec, program.cost_usd).map_err(Unanswered::NotBooked)?;
                    self.send(&json!({"type": "go", "id": id, "key": key}))?;
                }
                Said::Unpaid => paid.unpaid(spec, program.cost_usd),
                Said::Job { job } => paid.accepted(spec, job)?,
                Said::Ready | Said::Other => {}
                said @ (Said::Done | Said::Failed { .. }) => return Ok(said),
            }
        }
    }

    fn send(&mut self, message: &serde_json::Value) -> Result<(), String> {
        let sent = match &mut self.input {
            Some(input) => writeln!(input, "{message}").and_then(|()| input.flush()),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        sent.map_err(|e| format!("its process accepts no more orders ({e})"))
    }

    /// The next known thing that it says; `late` is the reason when nothing comes in time. Where a
    /// job may have been submitted, an interruption waits for its id.
    fn next(
        &mut self,
        patience: Duration,
        spec: &AssetSpec<'_>,
        late: &str,
        is_submitting: bool,
    ) -> Result<Line, String> {
        let start = Instant::now();
        let mut held = None;
        loop {
            match self.lines.recv_timeout(POLL) {
                Ok(line) => match serde_json::from_str(&line) {
                    Ok(Line { said: Said::Other, .. }) => {}
                    Ok(line) => return Ok(line),
                    // A log that cannot be written costs the log, not the asset.
                    Err(_) => drop(self.words.as_mut().map(|log| log.write_all(line.as_bytes()))),
                },
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    // It may have closed its output and go on.
                    end(&mut self.child);
                    let ended = self.child.wait();
                    let ended = ended.map_or(String::new(), |status| format!(" ({status})"));
                    return Err(format!("its process ended{ended}"));
                }
            }
            if spec.stop.load(Ordering::Relaxed) {
                let (since, _) = held.get_or_insert_with(|| (Instant::now(), Hold::new()));
                if !is_submitting || since.elapsed() > GRACE {
                    return Err("interrupted".to_owned());
                }
            }
            if start.elapsed() > patience {
                return Err(late.to_owned());
            }
        }
    }
}

/// Why an order has no answer; its process is then ended.
enum Unanswered {
    /// It died, took too long, or is interrupted.
    Ended(String),
    NotBooked(NotBooked),
}

impl From<String> for Unanswered {
    fn from(why: String) -> Self {
        Self::Ended(why)
    }
}

fn refusal(reason: &str, spec: &AssetSpec<'_>) -> String {
    let path = paid::path(spec.place);
    format!("the service refused it: {reason} (remove this file to ask again: {path:?})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_servers_say_is_read_and_the_rest_is_ignored() {
        let line = |line: &str| serde_json::from_str::<Line>(line).map(|it| (it.id, it.said));
        assert!(matches!(line(r#"{"type":"ready","protocol":1}"#), Ok((None, Said::Ready))));
        let done = line(r#"{"type":"done","id":7,"seconds":3}"#);
        assert!(matches!(done, Ok((Some(7), Said::Done))));
        let retry = |more: &str| match line(&format!(r#"{{"type":"failed","id":7{more}}}"#)) {
            Ok((Some(7), Said::Failed { retry, .. })) => retry,
            other => panic!("{other:?}"),
        };
        assert_eq!(retry(r#","reason":"oom""#), Retry::Now(true));
        assert_eq!(retry(r#","retry":false"#), Retry::Now(false));
        assert_eq!(retry(r#","retry":"later""#), Retry::Other(Other::Later));
        assert_eq!(retry(r#","retry":"never""#), Retry::Other(Other::Never));
        assert!(matches!(line(r#"{"type":"log","text":"loading"}"#), Ok((None, Said::Other))));
        assert!(line("Loading checkpoint shards: 100%").is_err());
    }
}
