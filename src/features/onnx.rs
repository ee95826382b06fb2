//! An ONNX file → vectors, by rten on the CPU.

use super::error::FeatureError;
use rten::{Model, NodeId, Value};
use rten_tensor::{AsView, Layout};
use std::path::Path;

/// The runtime, in definitions: another one gives slightly different numbers.
pub(super) const RUNTIME: &str = "rten 0.27";

/// An input of a network, row-major.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Array {
    /// Counts where a network has several inputs.
    pub name: &'static str,
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// A network that is ready to run.
pub(super) struct Network {
    model: Model,
    output: NodeId,
    path: String,
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Network({:?})", self.path)
    }
}

impl Network {
    /// `output` names the output with the vector; a network with one output needs no name.
    pub(super) fn open(path: &Path, output: Option<&str>) -> Result<Self, FeatureError> {
        let path_text = path.display().to_string();
        let bad = |reason: String| FeatureError::Network { reason, path: path_text.clone() };
        let model = Model::load_file(path).map_err(|e| bad(format!("cannot be opened ({e})")))?;
        let names: Vec<(NodeId, String)> = model
            .output_ids()
            .iter()
            .map(|id| (*id, model.node_info(*id).and_then(|it| it.name().map(str::to_owned))))
            .map(|(id, name)| (id, name.unwrap_or_default()))
            .collect();
        let found = match output {
            None if names.len() == 1 => names.first(),
            None => None,
            Some(wanted) => names.iter().find(|(_, name)| name == wanted),
        };
        let listed = || names.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
        let output = match found {
            Some((id, _)) => *id,
            None => return Err(bad(format!("has the outputs {}: name one", listed()))),
        };
        Ok(Self { output, path: path_text.clone(), model })
    }

    pub(super) fn vector(&self, mut arrays: Vec<Array>) -> Result<Vec<f32>, FeatureError> {
        let bad = |reason: String| FeatureError::Network { reason, path: self.path.clone() };
        let ids = self.model.input_ids();
        let name =
            |id: &NodeId| self.model.node_info(*id).and_then(|info| info.name().map(str::to_owned));
        if ids.len() != arrays.len() {
            let needed: Vec<String> = ids.iter().filter_map(name).collect();
            let given: Vec<&str> = arrays.iter().map(|array| array.name).collect();
            let (needed, given) = (needed.join(", "), given.join(", "));
            return Err(bad(format!("has the inputs {needed}; this feature gives it {given}")));
        }
        let mut inputs = Vec::new();
        for id in ids {
            let named = arrays.iter().position(|array| name(id).is_some_and(|it| it == array.name));
            let at = match named {
                Some(at) => at,
                None if ids.len() == 1 => 0,
                None => return Err(bad(format!("has an input {:?}", name(id)))),
            };
            let Array { shape, values, .. } = arrays.swap_remove(at);
            let value = Value::from_shape(&shape, values).map_err(|e| bad(e.to_string()))?;
            inputs.push((*id, value.into()));
        }
        let run = self.model.run(inputs, &[self.output], None);
        let mut outputs = run.map_err(|e| bad(format!("cannot be run ({e})")))?;
        let output = outputs.pop().and_then(Value::into_tensor::<f32>);
        let output = output.ok_or_else(|| bad("gives no 32-bit floats".to_owned()))?;
        let shape = output.shape().to_vec();
        // One vector: [1, d], with further dimensions of 1, as pooling leaves them.
        if shape.iter().filter(|size| **size > 1).count() > 1 {
            return Err(bad(format!(
                "gives an array of shape {shape:?}, not one vector; export a pooled output, such as the class token"
            )));
        }
        Ok(output.to_vec())
    }
}
