//! Runs the loaders of the library on one input of a fuzz target.

pub mod case;

use case::{Target, load_in};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Before the first [`run`]: the loader's threads are this one, so that coverage is that of the
/// input at hand.
///
/// # Panics
/// When rayon was used before.
pub fn start() {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build_global()
        .expect("no pool is built before");
}

/// One execution of a target.
///
/// # Panics
/// When the loader does, or has an error without a word.
pub fn run(target: Target, input: &[u8]) {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let name = format!("meshjudge-fuzz-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
        folder
    });
    if let Err(error) = load_in(folder, target, input) {
        assert!(!error.to_string().is_empty(), "{error:?}");
    }
}
