//! The user's or the system's request to end the program, and the caller's to end a session.

use std::sync::Arc;
use tokio::sync::watch;

/// Stops a session from any thread, as Ctrl-C does: nothing new is asked, and replies in flight are awaited for
/// [`AskSettings::grace`](super::AskSettings::grace); pressed again, they are given up. Clones are the same switch.
#[derive(Debug, Clone, Default)]
pub struct StopSwitch(Arc<watch::Sender<u32>>);

impl StopSwitch {
    pub fn press(&self) {
        self.0.send_modify(|presses| *presses += 1);
    }

    pub(super) fn presses(&self) -> watch::Receiver<u32> {
        let mut presses = self.0.subscribe();
        presses.mark_changed();
        presses
    }
}

/// Waits for Ctrl-C, or for the signal that a system sends before it shuts down.
///
/// # Errors
/// The system does not let us listen to signals.
pub(super) async fn stop_signal() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            pressed = tokio::signal::ctrl_c() => pressed,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
