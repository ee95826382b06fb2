//! How a command ends.

use crate::error::{Error, Kind};

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
    /// A fault of this program, which has the code of a panic.
    Bug,
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

    /// Of an error that ended a command.
    pub(super) fn of_error(error: &Error) -> Self {
        match error.kind() {
            Kind::Bug => Self::Bug,
            _ => Self::Nothing,
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
            Self::Bug => 101,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_fault_of_this_program_differs_from_a_wrong_input() {
        let code = |error: Error| Exit::of_error(&error).code();
        assert_eq!(code(Error::bug("x")), 101);
        for error in [Error::usage("x"), Error::locked("x"), Error::judge("x"), Error::bench("x")] {
            assert_eq!(code(error), 2);
        }
    }
}
