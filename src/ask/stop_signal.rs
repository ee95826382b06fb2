//! A switch that stops what is under way, whoever presses it: a signal of the system, or a caller.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// How often [`StopSwitch::released`] looks.
const LOOK: Duration = Duration::from_millis(20);

/// Stops work from any thread: nothing new is asked, and replies in flight are awaited for [`AskSettings::grace`](super::AskSettings::grace);
/// pressed again, they are given up. Clones are the same switch.
#[derive(Debug, Clone, Default)]
pub struct StopSwitch {
    presses: Arc<watch::Sender<u32>>,
    /// Those that must not be cut off: they end by themselves soon after a press.
    holds: Arc<AtomicUsize>,
}

/// While it lives, replies in flight are awaited.
#[derive(Debug)]
pub(super) struct Hold(Arc<AtomicUsize>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
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

    /// Ends when no replies are awaited.
    pub async fn released(&self) {
        while self.holds.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(LOOK).await;
        }
    }

    pub(super) fn hold(&self) -> Hold {
        self.holds.fetch_add(1, Ordering::SeqCst);
        Hold(Arc::clone(&self.holds))
    }
}
