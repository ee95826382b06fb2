//! An ONNX file → vectors, on the CPU: by rten, or by the ONNX Runtime library that
//! `ORT_DYLIB_PATH` names.

use super::array::Array;
use super::error::bad_network;
use super::onnxruntime;
use crate::error::Error;
use rten::{Model, Value};
use rten_tensor::{AsView, Layout};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The runtime that is built in, in definitions: another one gives slightly different numbers.
const RTEN: &str = "rten 0.27";

/// A network that is ready to run.
pub(super) struct Network {
    runtime: Runtime,
    inputs: Vec<String>,
    /// Its place among the outputs.
    output: usize,
    path: PathBuf,
}

enum Runtime {
    Rten(Box<Model>),
    OnnxRuntime(Vec<Mutex<onnxruntime::Session>>),
}

/// The name of the runtime that will open networks, as in definitions.
///
/// # Errors
/// A library that cannot be loaded.
pub(super) fn runtime() -> Result<String, Error> {
    Ok(onnxruntime::version()?.map_or_else(|| RTEN.to_owned(), str::to_owned))
}

/// Whether the runtime computes a bicubic `Resize` as it is defined.
pub(super) fn has_bicubic() -> bool {
    onnxruntime::library().is_some()
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Network({:?})", self.path)
    }
}

impl Network {
    /// `output` names the output with the vector; a network with one output needs no name.
    pub(super) fn open(path: &Path, output: Option<&str>) -> Result<Self, Error> {
        let bad = |reason: String| bad_network(path, reason);
        let unopened = |reason: String| bad(format!("cannot be opened ({reason})"));
        let (runtime, inputs, outputs) = if onnxruntime::library().is_some() {
            let sessions = onnxruntime::open(path).map_err(unopened)?;
            let [inputs, outputs] = onnxruntime::names(&lock(&sessions[0]));
            (Runtime::OnnxRuntime(sessions), inputs, outputs)
        } else {
            let model = Model::load_file(path).map_err(|e| unopened(e.to_string()))?;
            let names = |ids: &[rten::NodeId]| -> Vec<String> {
                let name = |id| model.node_info(id).and_then(|it| it.name().map(str::to_owned));
                ids.iter().map(|id| name(*id).unwrap_or_default()).collect()
            };
            let [inputs, outputs] = [names(model.input_ids()), names(model.output_ids())];
            (Runtime::Rten(Box::new(model)), inputs, outputs)
        };
        let place = match output {
            None if outputs.len() == 1 => Some(0),
            None => None,
            Some(wanted) => outputs.iter().position(|name| name == wanted),
        };
        let output = place
            .ok_or_else(|| bad(format!("has the outputs {}: name one", outputs.join(", "))))?;
        Ok(Self { runtime, inputs, output, path: path.to_owned() })
    }

    pub(super) fn vector(&self, arrays: Vec<Array>) -> Result<Vec<f32>, Error> {
        let (shape, values) = self.array(arrays)?;
        // One vector: [1, d], with further dimensions of 1, as pooling leaves them.
        if shape.iter().filter(|size| **size > 1).count() > 1 {
            let reason = format!(
                "gives an array of shape {shape:?}, not one vector; export a pooled output, such as the class token"
            );
            return Err(bad_network(&self.path, reason));
        }
        Ok(values)
    }

    /// The shape and the values of the output. One array for each input: by name, or in the order
    /// of the file where the file has names of its own.
    pub(super) fn array(&self, mut arrays: Vec<Array>) -> Result<(Vec<usize>, Vec<f32>), Error> {
        let bad = |reason: String| bad_network(&self.path, reason);
        let given: Vec<&str> = arrays.iter().map(|array| array.name).collect();
        if self.inputs.len() != arrays.len() {
            let (needed, given) = (self.inputs.join(", "), given.join(", "));
            return Err(bad(format!("has the inputs {needed}; this feature gives it {given}")));
        }
        let place = |array: &Array| self.inputs.iter().position(|name| name == array.name);
        if given.iter().all(|name| self.inputs.iter().any(|input| input == name)) {
            arrays.sort_by_key(place);
        } else if given.contains(&"centers") {
            return Err(bad(format!(
                "has the inputs {}, not groups and centers",
                self.inputs.join(", ")
            )));
        }
        let found = match &self.runtime {
            Runtime::Rten(model) => run(model, arrays, self.output),
            Runtime::OnnxRuntime(sessions) => {
                let own = rayon::current_thread_index().unwrap_or(0) % sessions.len();
                onnxruntime::run(&mut lock(&sessions[own]), arrays, self.output)
            }
        };
        found.map_err(|reason| bad(format!("cannot be run ({reason})")))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The shape and the values of that output; a reason in words otherwise.
fn run(model: &Model, arrays: Vec<Array>, output: usize) -> Result<(Vec<usize>, Vec<f32>), String> {
    let mut inputs = Vec::new();
    for (id, Array { shape, values, .. }) in model.input_ids().iter().zip(arrays) {
        let value = Value::from_shape(&shape, values).map_err(|e| e.to_string())?;
        inputs.push((*id, value.into()));
    }
    let wanted = [model.output_ids()[output]];
    let mut outputs = model.run(inputs, &wanted, None).map_err(|e| e.to_string())?;
    let found = outputs.pop().and_then(Value::into_tensor::<f32>);
    let found = found.ok_or("its output has no 32-bit floats")?;
    Ok((found.shape().to_vec(), found.to_vec()))
}
