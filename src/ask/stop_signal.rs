//! A switch that stops work in progress: set by a signal of the system, or by a caller.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::watch;

/// Stops work from any thread: nothing new is asked, and replies in flight are awaited for
/// [`AskSettings::grace`](super::AskSettings::grace); pressed again, they are given up. Clones are
/// the same switch.
#[derive(Debug, Clone, Default)]
pub struct StopSwitch {
    presses: Arc<watch::Sender<u32>>,
}

impl StopSwitch {
    pub fn press(&self) {
        self.presses.send_modify(|presses| *presses += 1);
    }

    pub fn is_pressed(&self) -> bool {
        *self.presses.borrow() > 0
    }

    /// Ends when it was pressed so often.
    pub async fn pressed(&self, times: u32) {
        let mut presses = self.presses.subscribe();
        // It never fails: the switch, which is the sender, is borrowed.
        let _ = presses.wait_for(|presses| *presses >= times).await;
    }
}

static HOLDS: AtomicUsize = AtomicUsize::new(0);

/// While one exists, a signal does not abort the process, unless it comes a second time: a reply is
/// awaited without which something is paid again. It is held for seconds at most.
#[derive(Debug)]
pub(crate) struct Hold(());

impl Hold {
    pub(crate) fn new() -> Self {
        HOLDS.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    pub(crate) fn is_any() -> bool {
        HOLDS.load(Ordering::SeqCst) > 0
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        HOLDS.fetch_sub(1, Ordering::SeqCst);
    }
}
