//! In place of the runtime where the program is built without it.

use super::array::Array;
use super::error::bad_network;
use crate::error::Error;
use std::path::Path;

pub(super) fn runtime() -> Result<String, Error> {
    Ok("none".to_owned())
}

/// The file is refused for another reason.
pub(super) fn has_bicubic() -> bool {
    true
}

#[derive(Debug)]
pub(super) struct Network;

impl Network {
    pub(super) fn open(path: &Path, _output: Option<&str>) -> Result<Self, Error> {
        let reason = "cannot be run by this build: build it with the cargo feature `onnx`, or use the Python package";
        Err(bad_network(path, reason))
    }

    pub(super) fn vector(&self, _arrays: Vec<Array>) -> Result<Vec<f32>, Error> {
        unreachable!("it cannot be opened")
    }

    pub(super) fn array(&self, _arrays: Vec<Array>) -> Result<(Vec<usize>, Vec<f32>), Error> {
        unreachable!("it cannot be opened")
    }
}
