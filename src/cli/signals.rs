//! The signals of the system, handled in one place for all phases of all commands.
//!
//! The first signal sets the program's stop switch: sessions, measurements and servers end in
//! order. Whatever has not ended two seconds later is aborted, as by a second signal, unless a
//! [`Hold`] exists. Nothing is lost: a run's database, its journal and its files are complete
//! whenever a process ends.

use super::Exit;
use crate::ask::{Hold, StopSwitch};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// After the first signal the program has so long to end in order.
const PATIENCE: Duration = Duration::from_secs(2);

static SWITCH: OnceLock<StopSwitch> = OnceLock::new();

/// The exit code of the first signal; 0 before there was one.
static CODE: AtomicU8 = AtomicU8::new(0);

/// The program's stop switch, which the first signal sets. After the first call, signals no longer
/// end the process by themselves.
pub(super) fn switch() -> StopSwitch {
    (SWITCH.get_or_init(|| {
        let switch = StopSwitch::default();
        let pressed = switch.clone();
        // Without a thread, signals end the process as they always do.
        let _ =
            std::thread::Builder::new().name("signals".to_owned()).spawn(move || listen(&pressed));
        switch
    }))
    .clone()
}

/// The exit code of a program that a signal has ended.
pub(super) fn code() -> Option<u8> {
    Some(CODE.load(Ordering::SeqCst)).filter(|code| *code > 0)
}

fn listen(switch: &StopSwitch) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return };
    runtime.block_on(async {
        let (to, mut from) = mpsc::channel(2);
        forward(&to);
        let Some(first) = from.recv().await else {
            return;
        };
        CODE.store(first.code(), Ordering::SeqCst);
        switch.press();
        let code = tokio::select! {
            Some(second) = from.recv() => second.code(),
            () = patience() => first.code(),
        };
        let said =
            "error: interrupted before everything had ended; run the same command again to resume";
        let _ = writeln!(std::io::stderr(), "{said}");
        std::process::exit(code.into());
    });
}

/// Ends when the program has had the time to end in order.
async fn patience() {
    tokio::time::sleep(PATIENCE).await;
    if Hold::is_any() {
        let said = "waiting for the id of a job that a service was just sent, so that it is not paid for twice; press Ctrl-C again to end at once";
        let _ = writeln!(std::io::stderr(), "{said}");
    }
    while Hold::is_any() {
        tokio::time::sleep(PATIENCE).await;
    }
}

/// Handles each signal.
#[cfg(unix)]
fn forward(to: &mpsc::Sender<Exit>) {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [
        (SignalKind::interrupt(), Exit::Interrupted),
        (SignalKind::terminate(), Exit::Terminated),
        (SignalKind::hangup(), Exit::Terminated),
    ];
    let heard = if ignores_hang_up() { 2 } else { 3 };
    for (kind, exit) in kinds.into_iter().take(heard) {
        // A signal that cannot be handled ends the process by itself.
        let Ok(mut signals) = signal(kind) else {
            continue;
        };
        let to = to.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() && to.send(exit).await.is_ok() {}
        });
    }
}

#[cfg(not(unix))]
fn forward(to: &mpsc::Sender<Exit>) {
    let to = to.clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && to.send(Exit::Interrupted).await.is_ok() {}
    });
}

/// Whether SIGHUP was ignored from the start: according to the kernel, or elsewhere because nothing
/// is written to a terminal.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    use std::io::IsTerminal;
    let ignored = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    match ignored {
        Some(mask) => mask & 1 != 0,
        None => !std::io::stdout().is_terminal() && !std::io::stderr().is_terminal(),
    }
}
