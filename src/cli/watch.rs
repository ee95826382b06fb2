//! The progress and the warnings of a benchmark's work.

use super::Printer;
use super::asking::AskBar;
use crate::ask::Progress;
use crate::bench::Observer;
use crate::report::plural;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// More warnings about assets are counted, not printed.
const WARNINGS_SHOWN_MAX: usize = 20;

/// Shows progress and warnings.
pub(super) struct Watch {
    bar: AskBar,
    warned: AtomicUsize,
    /// Whether models or servers of scores failed.
    has_failed: AtomicBool,
}

impl Watch {
    /// Shown by the printer's bar.
    pub(super) fn new(printer: Printer) -> Self {
        let (warned, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { bar: AskBar::new(printer), warned, has_failed }
    }

    /// Whether models or servers of scores failed.
    pub(super) fn finish(self) -> bool {
        self.bar.finish();
        let warned = self.warned.into_inner();
        if warned > WARNINGS_SHOWN_MAX {
            let more = warned - WARNINGS_SHOWN_MAX;
            self.bar.printer().note(&format!(
                "{} about assets; `meshjudge inspect ASSET` prints the warnings of an asset",
                plural(more, "more warning")
            ));
        }
        self.has_failed.into_inner()
    }
}

impl Observer for Watch {
    fn progress(&self, progress: &Progress, made: usize, to_make: usize) {
        let assets = match to_make {
            0 => String::new(),
            _ => format!(", {made} of {to_make} assets made"),
        };
        self.bar.show(progress, &assets);
    }

    fn computed(&self, name: &str, done: usize, total: usize) {
        self.bar.printer().place(done, total, &format!("{name}: assets"));
    }

    fn warn(&self, warning: &str) {
        if self.warned.fetch_add(1, Ordering::Relaxed) < WARNINGS_SHOWN_MAX {
            self.bar.printer().warn(warning);
        }
    }

    fn fail(&self, failure: &str) {
        self.has_failed.store(true, Ordering::Relaxed);
        self.bar.printer().fail(failure);
    }

    fn note(&self, note: &str) {
        self.bar.printer().note(note);
    }
}
