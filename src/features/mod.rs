//! Pictures, points and texts → vectors of the user's model → asset scores and set distances.
//!
//! A [`Feature`] is a model with its kind of input. Its definition has everything that decides a
//! vector except the input itself, and the key of a vector is the hash of both, so that one key is
//! computed once: [`VectorStore`] keeps it in the run folder. [`score`](scores) and [`set_value`]
//! turn vectors into numbers. A [`TextReader`] reads text in pictures with two networks of the
//! user's. Knows no benchmark and no verdict.

mod array;
mod error;
mod input;
mod instruction;
mod model;
#[cfg_attr(not(feature = "onnx"), path = "onnx_absent.rs")]
mod onnx;
#[cfg(feature = "onnx")]
mod onnxruntime;
mod preprocessing;
mod score;
mod text_reader;
mod vector_store;
mod wire;

pub use input::{Grouping, Input, InputKind};
pub use model::{CustomModel, Feature, Model, Source};
pub use preprocessing::preprocessing;
pub use score::{Formula, ScoreSettings, SetValue, scores, set_value};
pub use text_reader::{PaintedLine, TextReader};
pub use vector_store::{StoredVectors, VectorRow, VectorStore, stored_vectors};
