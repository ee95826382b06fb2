//! Microsoft's ONNX Runtime, loaded from the library that the user names: faster than the built-in
//! runtime for many networks, and with all operators. Its numbers are those of the Python package
//! with the same library.

use super::array::Array;
use super::error::bad_file;
use crate::error::Error;
use ort::environment::Environment;
pub(super) use ort::session::Session;
use ort::session::SessionInputValue;
use ort::value::Tensor;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// The variable that names the library, as other programs with this crate use it.
const VARIABLE: &str = "ORT_DYLIB_PATH";

/// There is one of each in a process.
static ENVIRONMENT: OnceLock<Result<Environment, String>> = OnceLock::new();

/// The library that is used instead of the built-in runtime.
pub(super) fn library() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The version of that library, as it describes itself; none without one.
///
/// # Errors
/// A library that cannot be loaded.
pub(super) fn version() -> Result<Option<&'static str>, Error> {
    let Some(path) = library() else { return Ok(None) };
    let loaded = environment(&path).map(|_| Some(ort::info()));
    loaded.map_err(|reason| {
        let reason = format!("{VARIABLE} does not name an ONNX Runtime library: {reason}");
        bad_file(&path, reason)
    })
}

fn environment(path: &Path) -> Result<&'static Environment, String> {
    let load = || {
        let builder = ort::init_from(path).map_err(|e| e.to_string())?;
        builder.with_name("meshjudge").build().map_err(|e| e.to_string())
    };
    ENVIRONMENT.get_or_init(load).as_ref().map_err(String::clone)
}

/// The network once for each thread, each on one thread, which is faster than one on all of them; a
/// large network once on all of them.
pub(super) fn open(path: &Path) -> Result<Vec<Mutex<Session>>, String> {
    /// Each copy has weights of its own.
    const COPIES_BYTES_MAX: u64 = 512 << 20;
    let library = library().ok_or_else(|| format!("{VARIABLE} is not set"))?;
    let environment = environment(&library)?;
    let threads = rayon::current_num_threads();
    let files = [path.to_owned(), path.with_added_extension("data")];
    let bytes: u64 = files.iter().filter_map(|file| file.metadata().ok()).map(|it| it.len()).sum();
    let copies = if bytes * threads as u64 <= COPIES_BYTES_MAX { threads } else { 1 };
    let open = || {
        let mut builder = Session::builder(environment)?.with_intra_threads(threads / copies)?;
        Ok(Mutex::new(builder.commit_from_file(path)?))
    };
    (0..copies).map(|_| open()).collect::<Result<_, ort::Error>>().map_err(|e| e.to_string())
}

/// Of inputs and outputs.
pub(super) fn names(session: &Session) -> [Vec<String>; 2] {
    [session.inputs(), session.outputs()]
        .map(|all| all.iter().map(|it| it.name().to_owned()).collect())
}

/// The shape and the values of that output, from arrays in the order of the inputs.
pub(super) fn run(
    session: &mut Session,
    arrays: Vec<Array>,
    output: usize,
) -> Result<(Vec<usize>, Vec<f32>), String> {
    let tensor = |Array { shape, values, .. }| {
        Tensor::from_array((shape, values)).map(SessionInputValue::from)
    };
    let inputs: Result<Vec<_>, _> = arrays.into_iter().map(tensor).collect();
    let inputs = inputs.map_err(|e| e.to_string())?;
    let outputs = session.run(inputs.as_slice()).map_err(|e| e.to_string())?;
    let (shape, values) = outputs[output].try_extract_tensor::<f32>().map_err(|e| e.to_string())?;
    let size = |size: &i64| usize::try_from(*size).unwrap_or(0);
    Ok((shape.iter().map(size).collect(), values.to_vec()))
}
