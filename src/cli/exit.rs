//! How a command ends.

use crate::error::{Error, Kind};

/// How a command ended; the numbers are a contract with scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    Done = 0,
    /// Done, but some assets or questions failed; each was reported.
    SomeFailed = 1,
    /// Nothing was done: usage, configuration or input.
    Nothing = 2,
    /// Stopped by the budget.
    Budget = 3,
    /// Submitted in batches; the same command collects the answers.
    InBatches = 4,
    /// A fault of this program, which has the code of a panic.
    Bug = 101,
    /// Stopped by Ctrl-C.
    Interrupted = 130,
    /// Stopped by SIGTERM or SIGHUP.
    Terminated = 143,
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
        self as u8
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
