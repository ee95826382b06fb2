//! The user's or the system's request to end the program.

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
