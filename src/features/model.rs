//! A model with its input, opened and checked once: inputs → vectors.

use super::error::{bad_model, bad_network};
use super::input::{Grouping, Input, InputKind, png};
use super::onnx::{Network, has_bicubic, runtime};
use super::wire::{following, values};
use crate::error::Error;
use crate::judge::{EmbedInputs, EmbedSettings, Embedder, Failure, Secret};
use crate::rubric::Picture;
use futures_util::{StreamExt, stream};
use meshjudge_features::{Preprocessing, cosine};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The definition of another version gives other keys.
const VERSION: u32 = 1;
/// A model repeats itself if an input's two vectors differ by at most this share of their length.
const REPEATED: f64 = 1e-5;
/// Two unlike inputs whose vectors have a larger cosine are the same to the model.
const SAME: f64 = 1.0 - 1e-6;
/// A model whose vector of the first specimen is less like the stored one is another model; so is
/// one whose single number is, which differs more from call to call on a server.
const SAME_MODEL: [f64; 2] = [0.999, 0.9];
/// Width and height of the pictures by which a model is checked, where any will do.
const SPECIMEN_PX: [u32; 2] = [64; 2];
/// Inputs of one call of a caller's model.
const BATCH_MAX: usize = 16;
/// Requests in flight to a server.
const IN_FLIGHT: usize = 8;

/// A model that the caller brings.
pub trait CustomModel: std::fmt::Debug + Send + Sync {
    /// Whatever decides its vectors, in one line: part of their definition.
    fn settings(&self) -> String;

    /// A vector for each input; all are of one kind.
    ///
    /// # Errors
    /// Why there are none.
    fn vectors(&self, inputs: &[Input]) -> Result<Vec<Vec<f32>>, String>;
}

/// Where vectors come from.
#[derive(Debug, Clone)]
pub enum Source {
    Onnx {
        path: PathBuf,
        output: Option<String>,
    },
    Http {
        settings: EmbedSettings,
        key_variable: Option<String>,
    },
    /// None until the caller brings it.
    Custom(Option<Arc<dyn CustomModel>>),
}

/// A model, and what it is given.
#[derive(Debug, Clone)]
pub struct Feature {
    pub name: String,
    pub source: Source,
    pub kind: InputKind,
    /// Of pictures, for a network.
    pub preprocessing: Option<Preprocessing>,
    /// Width and height of its pictures: the network's if the preprocessing does not resize.
    pub picture_px: [u32; 2],
    /// Of points, for a network.
    pub grouping: Option<Grouping>,
    /// Everything else that decides the inputs, such as the protocol of the pictures or the
    /// sampling of the points.
    pub inputs: Value,
}

/// What was found out about a model.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Probe {
    pub dimension: usize,
    /// The length of the vector of the first specimen.
    pub norm: f64,
    /// The largest difference between two vectors of one input, as a share of their length.
    pub repeated_within: f64,
}

#[derive(Debug)]
enum Engine {
    Network(Network),
    Server(Box<Embedder>, tokio::runtime::Runtime),
    Custom(Arc<dyn CustomModel>),
}

/// A feature whose model is ready.
#[derive(Debug)]
pub struct Model {
    feature: Feature,
    engine: Engine,
    definition: Value,
    pub probe: Probe,
    /// The vector of the first specimen.
    pub specimen: Vec<f32>,
}

impl Model {
    /// Opens the model and asks it for vectors of two specimens, the first of them twice.
    ///
    /// # Errors
    /// A file, server or key that cannot be used; a model that gives unlike inputs the same vector.
    pub fn open(feature: &Feature) -> Result<Self, Error> {
        let (engine, identity) = match &feature.source {
            Source::Onnx { path, output } => {
                let runtime = runtime()?;
                let hash = hash_of(path)?;
                let network = Network::open(path, output.as_deref())?;
                let identity = json!({ "onnx": hash, "output": output, "runtime": runtime });
                (Engine::Network(network), identity)
            }
            Source::Http { settings, key_variable } => {
                let key = key_variable.as_deref().map(Secret::from_env).transpose()?.flatten();
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                let runtime = runtime.map_err(|e| bad_model(format!("cannot be asked ({e})")))?;
                let EmbedSettings { shape, model, base_url, body } = settings;
                let identity =
                    json!({ "shape": shape, "url": base_url, "model": model, "body": body });
                (Engine::Server(Box::new(Embedder::new(settings.clone(), key)?), runtime), identity)
            }
            Source::Custom(Some(model)) => {
                (Engine::Custom(Arc::clone(model)), json!({ "python": model.settings() }))
            }
            Source::Custom(None) => {
                return Err(bad_model(
                    "is a Python function, which only meshjudge.bench(…, features={…}) can supply",
                ));
            }
        };
        let definition = json!({
            "feature": VERSION, "model": identity, "kind": feature.kind, "inputs": feature.inputs,
            "preprocessing": feature.preprocessing, "grouping": feature.grouping,
        });
        let probe = Probe { dimension: 0, norm: 0.0, repeated_within: 0.0 };
        let feature = feature.clone();
        let mut model = Self { feature, engine, definition, probe, specimen: Vec::new() };
        model.check()?;
        Ok(model)
    }

    fn check(&mut self) -> Result<(), Error> {
        let resizes = self.feature.preprocessing.as_ref().is_none_or(|it| it.resize.is_some());
        let size_px = if resizes { SPECIMEN_PX } else { self.feature.picture_px };
        let [first, second] = Input::specimens(self.feature.kind, size_px);
        let mut vectors = Vec::new();
        let mut keep = |vector: Result<_, _>| vector.map(|vector| vectors.push(vector));
        self.vectors(&[first.clone(), second], &mut keep)?;
        self.vectors(&[first], &mut keep)?;
        let [a, b, again] = <[Vec<f32>; 3]>::try_from(vectors)
            .map_err(|_| bad_model("gives a wrong number of vectors"))?;
        let [wide_a, wide_b, wide_again] = [&a, &b, &again].map(|vector| wide(vector));
        if likeness(&wide_a, &wide_b)? > SAME {
            return Err(bad_model("gives two unlike inputs the same vector"));
        }
        let length = |vector: &[f64]| vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        let apart: Vec<f64> = wide_a.iter().zip(&wide_again).map(|(x, y)| x - y).collect();
        let norm = length(&wide_a);
        let repeated_within = length(&apart) / norm.max(f64::MIN_POSITIVE);
        self.probe = Probe { dimension: a.len(), norm, repeated_within };
        self.specimen = a;
        Ok(())
    }

    /// Whether this is the vector that the model gave the first specimen before.
    pub fn is_of_specimen(&self, before: &[f32]) -> bool {
        let [before, now] = [before, &self.specimen].map(wide);
        let least = SAME_MODEL[usize::from(now.len() == 1)];
        likeness(&before, &now).is_ok_and(|likeness| likeness >= least)
    }

    /// Whether the same input gave the same vector.
    pub fn is_repeatable(&self) -> bool {
        self.probe.repeated_within <= REPEATED
    }

    /// Everything that decides a vector, except the input.
    pub fn definition(&self) -> &Value {
        &self.definition
    }

    pub fn feature(&self) -> &Feature {
        &self.feature
    }

    /// The key of an input's vector; `identity` names the input, such as the hash of an asset and
    /// the number of a view.
    pub fn key(&self, identity: &str) -> String {
        let text = format!("{}\n{identity}", self.definition);
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }

    /// Calls `each` with the vector of every input, or why it has none, in their order; those of a
    /// server or a caller's model as they come.
    ///
    /// # Errors
    /// A model that answers nothing, such as a server that cannot be reached or refuses the key;
    /// the first error of `each`.
    pub fn vectors(&self, inputs: &[Input], each: &mut EachVector<'_>) -> Result<(), Error> {
        let dimension = self.probe.dimension;
        let mut each = |vector: Result<Vec<f32>, Error>| {
            each(vector.and_then(|vector| checked(vector, dimension)))
        };
        match &self.engine {
            Engine::Network(network) => {
                let Feature { preprocessing, grouping, .. } = &self.feature;
                let vector = |input: &Input| {
                    network.vector(input.arrays(preprocessing.as_ref(), *grouping)?)
                };
                let found: Vec<_> = parallel::map(inputs, vector);
                found.into_iter().try_for_each(each)
            }
            Engine::Server(server, runtime) => runtime.block_on(asked(server, inputs, &mut each)),
            Engine::Custom(model) => inputs.chunks(BATCH_MAX).try_for_each(|some| {
                let vectors = model.vectors(some).map_err(bad_model)?;
                if vectors.len() != some.len() {
                    let (given, got) = (some.len(), vectors.len());
                    return Err(bad_model(format!("gives {got} vectors for {given} inputs")));
                }
                vectors.into_iter().map(Ok).try_for_each(&mut each)
            }),
        }
    }
}

/// What takes the vectors one by one.
pub(super) type EachVector<'a> = dyn FnMut(Result<Vec<f32>, Error>) -> Result<(), Error> + 'a;

/// Of the file and the files next to it with its weights, as PyTorch's exporter writes them.
fn hash_of(path: &Path) -> Result<String, Error> {
    let read = |path: &Path| {
        std::fs::read(path).map_err(|e| bad_network(path, format!("cannot be read ({e})")))
    };
    let graph = read(path)?;
    if !has_bicubic() && following(&graph, CUBIC_RESIZE).next().is_some() {
        return Err(bad_network(
            path,
            "resizes with bicubic interpolation, which this runtime replaces by bilinear; export it with position embeddings for the size of its input, as docs/FEATURES.md shows for DINOv2, or name an ONNX Runtime library by ORT_DYLIB_PATH",
        ));
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&graph);
    for name in weight_files(&graph) {
        if !Path::new(&name).components().all(|part| matches!(part, Component::Normal(_))) {
            let reason = format!("names a file of weights outside its folder: {name:?}");
            return Err(bad_network(path, reason));
        }
        hasher.update(&read(&path.with_file_name(name))?);
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// A wire `AttributeProto`: the name `mode`, then the text `cubic`. Only `Resize` has it.
const CUBIC_RESIZE: &[u8] = b"\x0a\x04mode\x22\x05cubic";

/// The names of the files that hold its weights, once each; file systems allow 255 bytes.
fn weight_files(graph: &[u8]) -> BTreeSet<String> {
    let names =
        values(graph, b"\x0a\x08location\x12").filter(|name| (1..384).contains(&name.len()));
    names.map(str::to_owned).collect()
}

fn wide(vector: &[f32]) -> Vec<f64> {
    vector.iter().map(|value| f64::from(*value)).collect()
}

/// The cosine; of two single numbers, 1 minus their difference as a share of the larger one.
fn likeness(a: &[f64], b: &[f64]) -> Result<f64, Error> {
    match (a, b) {
        ([a], [b]) => Ok(1.0 - (a - b).abs() / a.abs().max(b.abs()).max(f64::MIN_POSITIVE)),
        _ => Ok(cosine(a, b)?),
    }
}

/// `dimension` is 0 before it is known.
fn checked(vector: Vec<f32>, dimension: usize) -> Result<Vec<f32>, Error> {
    let reason = if vector.iter().any(|value| !value.is_finite()) {
        "has a value that is not finite".to_owned()
    } else if vector.len() > 1 && vector.iter().all(|value| *value == 0.0) {
        "is zero".to_owned()
    } else if dimension > 0 && vector.len() != dimension {
        format!("has {} values; the others have {dimension}", vector.len())
    } else {
        return Ok(vector);
    };
    Err(Error::run(format!("the vector of this input {reason}")))
}

/// In batches, some at a time. A failure of one input's content is that input's; a server that
/// fails for all ends it.
async fn asked(
    server: &Embedder,
    inputs: &[Input],
    each: &mut EachVector<'_>,
) -> Result<(), Error> {
    let (mut texts, mut pictures, mut both) = (Vec::new(), Vec::<Picture>::new(), Vec::new());
    for input in inputs {
        match input {
            Input::Text(text) => texts.push(text.clone()),
            Input::Picture(image) => pictures.push(png(image)?),
            Input::Both(text, image) => both.push((text.clone(), png(image)?)),
            Input::Points(_) | Input::Pair(_) => {
                return Err(bad_model("on a server takes no points and no pairs of pictures"));
            }
        }
    }
    // All inputs of a feature are of one kind.
    let size = server.batch_max(texts.is_empty());
    let mut batches: Vec<EmbedInputs<'_>> = texts.chunks(size).map(EmbedInputs::Texts).collect();
    batches.extend(pictures.chunks(size).map(EmbedInputs::Pictures));
    batches.extend(both.chunks(size).map(EmbedInputs::Both));
    let asked = batches.into_iter().map(|batch| batch_vectors(server, batch));
    let mut replies = std::pin::pin!(stream::iter(asked).buffered(IN_FLIGHT));
    while let Some(found) = replies.next().await {
        found?.into_iter().try_for_each(&mut *each)?;
    }
    Ok(())
}

/// If the server refuses a batch, one input may be the cause, and each is asked by itself.
async fn batch_vectors(
    server: &Embedder,
    batch: EmbedInputs<'_>,
) -> Result<Vec<Result<Vec<f32>, Error>>, Error> {
    let mut found = Vec::new();
    match server.vectors(batch).await {
        Ok(vectors) => return Ok(vectors.into_iter().map(Ok).collect()),
        Err(failure) if !is_of_input(&failure) => return Err(failure.into()),
        Err(failure) if batch.len() == 1 => return Ok(vec![refused(&failure)]),
        Err(_) => {}
    }
    for one in one_by_one(batch) {
        match server.vectors(one).await {
            Ok(vectors) => found.extend(vectors.into_iter().map(Ok)),
            Err(failure) if is_of_input(&failure) => found.push(refused(&failure)),
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok(found)
}

/// The inputs of a batch, each as a batch.
fn one_by_one(batch: EmbedInputs<'_>) -> Vec<EmbedInputs<'_>> {
    match batch {
        EmbedInputs::Texts(texts) => texts.chunks(1).map(EmbedInputs::Texts).collect(),
        EmbedInputs::Pictures(some) => some.chunks(1).map(EmbedInputs::Pictures).collect(),
        EmbedInputs::Both(both) => both.chunks(1).map(EmbedInputs::Both).collect(),
    }
}

fn refused(failure: &Failure) -> Result<Vec<f32>, Error> {
    Err(Error::run(format!("the vector of this input was refused: {failure}")))
}

/// Whether the server refuses what was sent, and not who sent it.
fn is_of_input(failure: &Failure) -> bool {
    matches!(failure.http_status(), Some(400 | 413 | 422))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_weights_are_found_in_a_graph() {
        let entry = |name: &str| {
            let length = match name.len() {
                short @ ..128 => vec![short as u8],
                long => vec![(long & 127) as u8 | 128, (long >> 7) as u8],
            };
            [b"\x0a\x08location\x12".as_slice(), &length, name.as_bytes(), b"\x2a\x0c"].concat()
        };
        let (short, long) = ("net.onnx.data", "w".repeat(200));
        let graph = [entry(short), entry(&long), entry(short), b"\x0a\x08location\x12\x7f".into()];
        assert_eq!(weight_files(&graph.concat()), [short.to_owned(), long].into());
        assert_eq!(weight_files(b"location"), BTreeSet::new());
    }
}
