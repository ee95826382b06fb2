//! Why there is no vector.

use crate::error::Error;
use std::fmt::Display;
use std::path::Path;

pub(super) fn bad_file(path: &Path, reason: impl Display) -> Error {
    Error::run(format!("cannot use the file ({reason})")).at(path)
}

pub(super) fn bad_network(path: &Path, reason: impl Display) -> Error {
    Error::run(format!("the network {reason}")).at(path)
}

pub(super) fn bad_model(reason: impl Display) -> Error {
    Error::run(format!("the model {reason}"))
}
