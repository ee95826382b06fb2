//! Assets whose files have axes of their own, as those of one generator among several: how they are read, and what they are known by.

use super::{Axis, LoadError, Loaded, Options, load, load_for};
use crate::scene::ViewScale;
use std::path::Path;

/// Up and front of a file.
pub type Turn = [Axis; 2];

/// One file that is read in two ways is two assets: answers about one are none about the other.
fn hash_of_turned(file_hash: &str, [up, front]: Turn) -> String {
    let text = format!("turned 1\n{file_hash}\n{up}\n{front}");
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn with_turn(options: &Options, [up, front]: Turn) -> Options {
    Options {
        up,
        front,
        ..*options
    }
}

/// As [`load_for`]; with a `turn` the file is read with its axes, and the asset's hash is one of file and turn.
///
/// # Errors
/// As [`load`].
pub fn load_turned(
    path: &Path,
    options: &Options,
    turn: Option<Turn>,
    view_scale: Option<&ViewScale>,
) -> Result<Loaded, LoadError> {
    let Some(turn) = turn else {
        return load_for(path, options, view_scale);
    };
    let mut loaded = load_for(path, &with_turn(options, turn), view_scale)?;
    loaded.hash = hash_of_turned(&loaded.hash, turn);
    Ok(loaded)
}

/// Reads the asset that is known by `hash` as it was read then, whichever way that turned it. Where the file is another one by now, the
/// hash of what comes back is another.
///
/// # Errors
/// As [`load`].
pub fn load_known(path: &Path, options: &Options, hash: &str) -> Result<Loaded, LoadError> {
    let loaded = load(path, options)?;
    if loaded.hash == hash {
        return Ok(loaded);
    }
    let axes = Axis::ALL.map(|(axis, _)| axis);
    let mut turns = axes
        .iter()
        .flat_map(|&up| axes.map(|front| [up, front]).into_iter());
    match turns.find(|&turn| hash_of_turned(&loaded.hash, turn) == hash) {
        Some(turn) => load_turned(path, options, Some(turn), None),
        None => Ok(loaded),
    }
}
