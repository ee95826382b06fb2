//! The signals of the system: the one place that listens, for all phases of all commands.
//!
//! The first signal presses the program's switch: sessions, measurements and servers end in order. What has not ended two seconds later, or two
//! seconds after replies in flight are no longer awaited, is cut off, as by a second signal. Nothing is lost then: a run's database, its journal
//! and its files are whole whenever a process ends.

use super::Exit;
use crate::ask::StopSwitch;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// For whatever ends in order.
const PATIENCE: Duration = Duration::from_secs(2);

static SWITCH: OnceLock<StopSwitch> = OnceLock::new();

/// The exit code of the first signal; 0 before there was one.
static CODE: AtomicU8 = AtomicU8::new(0);

/// The program's switch, which the first signal presses. From the first call on, signals end the process no longer by themselves.
pub(super) fn switch() -> StopSwitch {
    (SWITCH.get_or_init(|| {
        let switch = StopSwitch::default();
        let pressed = switch.clone();
        // Without a thread, signals end the process as they always do.
        let _ = std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || listen(&pressed));
        switch
    }))
    .clone()
}

/// The exit code of a program that a signal has ended.
pub(super) fn code() -> Option<u8> {
    Some(CODE.load(Ordering::SeqCst)).filter(|code| *code > 0)
}

fn listen(switch: &StopSwitch) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else { return };
    runtime.block_on(async {
        let (to, mut from) = mpsc::channel(2);
        forward(&to);
        let Some(first) = from.recv().await else {
            return;
        };
        CODE.store(first.code(), Ordering::SeqCst);
        switch.press();
        let in_order = async {
            switch.released().await;
            tokio::time::sleep(PATIENCE).await;
        };
        let code = tokio::select! {
            Some(second) = from.recv() => second.code(),
            () = in_order => first.code(),
        };
        std::process::exit(code.into());
    });
}

/// Hands on how each signal ends the program.
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
        // What cannot be heard ends the process by itself.
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

/// Whether the signal of a terminal that is gone was ignored from the start: by the kernel's word, and elsewhere because nothing is written to a
/// terminal.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    use std::io::IsTerminal;
    let ignored = std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let mask = status
                .lines()
                .find_map(|line| line.strip_prefix("SigIgn:"))?;
            u64::from_str_radix(mask.trim(), 16).ok()
        });
    match ignored {
        Some(mask) => mask & 1 != 0,
        None => !std::io::stdout().is_terminal() && !std::io::stderr().is_terminal(),
    }
}
