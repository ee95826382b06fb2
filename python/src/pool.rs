//! Work outside Python: on threads of this process, without the interpreter's lock, ended by
//! Ctrl-C.
//!
//! Rayon's threads do not survive a fork, and a child that waits for its parent's hangs. So each
//! process has a pool of its own, found by its id before any lock is taken; inherited threads are
//! forgotten, since dropping them would wait for threads that do not exist.

use crate::error::{ForkError, InternalError};
use meshjudge::unstable::ask::StopSwitch;
use meshjudge::unstable::render::{Stopped, stoppable};
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How soon Ctrl-C is heard.
const SIGNALS_EVERY: Duration = Duration::from_millis(50);

/// Threads for drawing and measuring.
pub(crate) struct Pool {
    /// 0 for one a processor core, or what RAYON_NUM_THREADS says.
    threads: usize,
    current: AtomicPtr<Owned>,
}

struct Owned {
    process: u32,
    pool: Arc<ThreadPool>,
}

/// The pool of everything that names no number of threads.
pub(crate) static SHARED: Pool = Pool::new(0);

impl Pool {
    pub(crate) const fn new(threads: usize) -> Self {
        Self { threads, current: AtomicPtr::new(std::ptr::null_mut()) }
    }

    fn of_this_process(&self) -> PyResult<Arc<ThreadPool>> {
        let process = std::process::id();
        loop {
            let found = self.current.load(Ordering::Acquire);
            // SAFETY: the published pointer is never freed while `self` lives.
            if let Some(owned) = unsafe { found.as_ref() }
                && owned.process == process
            {
                return Ok(Arc::clone(&owned.pool));
            }
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(self.threads)
                .thread_name(|number| format!("meshjudge-{number}"))
                .build()
                .map_err(|e| InternalError::new_err(format!("cannot start threads ({e})")))?;
            let made = Box::into_raw(Box::new(Owned { process, pool: Arc::new(pool) }));
            let is_mine = self
                .current
                .compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire)
                .is_ok();
            if !is_mine {
                // SAFETY: it was not published, so this is its only owner.
                drop(unsafe { Box::from_raw(made) });
            }
        }
    }

    /// Runs `work` on this pool and waits for it, with Ctrl-C enabled. A drawing in it then ends at
    /// its next rows.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> PyResult<T> {
        self.run_until(py, Arc::default(), work)
    }

    /// The same; the switch ends a drawing too.
    pub(crate) fn run_until<T: Send + 'static>(
        &self,
        py: Python<'_>,
        switch: Arc<AtomicBool>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> PyResult<T> {
        let (to, from) = sync_channel(1);
        // The caller's switch may end several drawings, Ctrl-C only this one.
        let inner = Arc::clone(&switch);
        self.of_this_process()?.spawn(move || {
            // Nobody may be waiting any more.
            let _ = to.send(caught(|| stoppable(inner, work)));
        });
        let press = || switch.store(true, Ordering::Relaxed);
        wait(py, from, &press, false)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let found = *self.current.get_mut();
        // SAFETY: nothing else can reach it any more.
        let is_ours = unsafe { found.as_ref() }.is_some_and(|o| o.process == std::process::id());
        if is_ours {
            // SAFETY: as above, and it was made by `Box::into_raw`.
            drop(unsafe { Box::from_raw(found) });
        }
    }
}

/// The first process that asked a judge, whose network threads and measuring threads are those of
/// the whole process.
static ASKING_PROCESS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Set by Ctrl-C, on a thread that asks judges.
    static INTERRUPTED: RefCell<Arc<AtomicBool>> = RefCell::default();
}

/// On a thread that asks judges, the switch that Ctrl-C sets: a drawing then ends at its next rows,
/// and with it the work.
pub(crate) fn interrupted() -> Arc<AtomicBool> {
    INTERRUPTED.with_borrow(Arc::clone)
}

/// Runs `work`, which asks judges, on a separate thread and waits for it. Ctrl-C sets `stop`;
/// answers are kept.
pub(crate) fn ask<T: Send + 'static>(
    py: Python<'_>,
    stop: &StopSwitch,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let process = std::process::id();
    let asked = ASKING_PROCESS.compare_exchange(0, process, Ordering::AcqRel, Ordering::Acquire);
    if asked.is_err_and(|before| before != process) {
        return Err(ForkError::new_err(
            "judges were asked before this process was forked, and their threads do not run here; start it with multiprocessing.get_context(\"spawn\"), or ask judges in one process only",
        ));
    }
    let (to, from) = sync_channel(1);
    let switch = Arc::<AtomicBool>::default();
    let inner = Arc::clone(&switch);
    std::thread::Builder::new().name("meshjudge-asking".to_owned()).spawn(move || {
        INTERRUPTED.set(inner);
        let _ = to.send(caught(work));
    })?;
    let press = || {
        stop.press();
        switch.store(true, Ordering::Relaxed);
    };
    wait(py, from, &press, true)
}

/// A panic's words instead of a panic, which Python would see as no `Exception`.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        if panic.is::<Stopped>() {
            return "the drawing was stopped".to_owned();
        }
        let words = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        words
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a panic without a message".to_owned())
    })
}

/// Asks interrupted work to end by `press`, and waits for the end if it `is_awaited`.
fn wait<T: Send>(
    py: Python<'_>,
    mut from: Receiver<Result<T, String>>,
    press: &dyn Fn(),
    is_awaited: bool,
) -> PyResult<T> {
    let mut interrupted: Option<PyErr> = None;
    loop {
        let received;
        (received, from) = py.detach(move || {
            let received = from.recv_timeout(SIGNALS_EVERY);
            (received, from)
        });
        match received {
            Ok(ended) => {
                if let Some(signal) = interrupted {
                    return Err(signal);
                }
                return ended.map_err(|words| {
                    InternalError::new_err(format!("meshjudge failed within ({words})"))
                });
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(signal) = py.check_signals() {
                    press();
                    if !is_awaited {
                        return Err(signal);
                    }
                    interrupted = Some(signal);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(InternalError::new_err("a thread of meshjudge ended early"));
            }
        }
    }
}
