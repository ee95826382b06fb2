//! How a command ends.

/// How a command ended; the numbers are a contract with scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    /// Done, but some assets or questions failed; each was reported.
    SomeFailed,
    /// Nothing was done: usage, configuration or input.
    Nothing,
    /// Stopped by the budget.
    Budget,
    /// Submitted in batches; the same command collects the answers.
    InBatches,
    /// Stopped by Ctrl-C.
    Interrupted,
    /// Stopped by SIGTERM or SIGHUP.
    Terminated,
}

impl Exit {
    /// Of a command over several inputs.
    pub(super) fn of_inputs(failed: usize, total: usize) -> Self {
        match failed {
            0 => Self::Done,
            n if n == total => Self::Nothing,
            _ => Self::SomeFailed,
        }
    }

    /// The process's exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::SomeFailed => 1,
            Self::Nothing => 2,
            Self::Budget => 3,
            Self::InBatches => 4,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

/// An error before a command did anything. The message gives the error, reason and remedy.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
