//! A switch that stops work in progress: set by a signal of the system, or by a caller.

use std::sync::Arc;
use tokio::sync::watch;

/// Stops work from any thread: nothing new is asked, and replies in flight are awaited for [`AskSettings::grace`](super::AskSettings::grace);
/// pressed again, they are given up. Clones are the same switch.
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
