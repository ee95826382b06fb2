//! The 32 objects of the library: the table `assets/objects/objects.toml` and the GLB files next to
//! it → [`LibraryObject`]s and their [`Scene`]s.
//!
//! Table and files are carried in the program and read by the same loader as any other asset.

use crate::load::{self, Options};
use crate::scene::Scene;
use flate2::read::GzDecoder;
use serde::Deserialize;
use std::io::Read as _;
use std::sync::OnceLock;

/// A clean object of ours; its GLB is in `assets/objects`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryObject {
    /// Unique; lower case, words joined by `_`. Its file is called so.
    pub name: String,
    /// What a generator would have been asked for.
    pub prompt: String,
    /// What kind of thing it is.
    pub family: Family,
    /// Which half it belongs to.
    pub split: Split,
}

impl LibraryObject {
    /// Its GLB file.
    ///
    /// # Panics
    /// When the table names an object that has no file, which the tests rule out.
    pub fn glb(&self) -> Vec<u8> {
        let file = FILES.iter().find(|(name, _)| *name == self.name);
        let mut bytes = Vec::new();
        let mut unpacked = GzDecoder::new(file.expect("every row of the table has a file").1);
        unpacked.read_to_end(&mut bytes).expect("the build script packed it");
        bytes
    }

    /// Loads the object; some milliseconds.
    ///
    /// # Panics
    /// When the file is no asset, which the tests rule out.
    pub fn make(&self) -> Scene {
        let path = format!("{}.glb", self.name);
        let loaded = load::load_asset(
            load::Source::bytes(&self.glb(), &path),
            &Options::default(),
            load::Choices::default(),
        )
        .and_then(load::Loaded::into_mesh);
        std::sync::Arc::unwrap_or_clone(loaded.expect("the library's files load").scene)
    }
}

/// What kind of thing an object is. Each family has members in both halves of the [`Split`].
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Vases, pots, mugs, bottles: hollow and round.
    Vessel,
    /// Thin legs, flat boards.
    Furniture,
    /// On wheels, on water, in the air.
    Vehicle,
    Plant,
    /// Animals, also as toys.
    Animal,
    /// Things to work with.
    Tool,
    /// Buildings and parts of them.
    Building,
    /// Things to make music with.
    Instrument,
}

impl Family {
    pub const ALL: [Self; 8] = [
        Self::Vessel,
        Self::Furniture,
        Self::Vehicle,
        Self::Plant,
        Self::Animal,
        Self::Tool,
        Self::Building,
        Self::Instrument,
    ];
}

/// Which half an object belongs to. Written next to each object in the table and never drawn, so
/// that it stays as it is when objects are added; every family has members in both halves.
///
/// Only [`Split::Fit`] may be used to choose a threshold, a prompt or a default; figures are
/// reported on [`Split::Held`] only. Looking at a held object to choose something spends it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// To choose thresholds and defaults by.
    Fit,
    /// To report figures on.
    Held,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "provenance")]
    _provenance: String,
    object: Vec<LibraryObject>,
}

/// All objects, family by family.
pub fn all() -> &'static [LibraryObject] {
    static OBJECTS: OnceLock<Vec<LibraryObject>> = OnceLock::new();
    OBJECTS.get_or_init(|| {
        let table = include_str!("../../assets/objects/objects.toml");
        let table: Table = toml::from_str(table).expect("the library's table can be read");
        table.object
    })
}

pub fn named(name: &str) -> Option<&'static LibraryObject> {
    all().iter().find(|object| object.name == name)
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".glb.gz")))),*]
    };
}

/// Name and GLB file of each, packed by `build.rs`.
#[rustfmt::skip]
const FILES: &[(&str, &[u8])] = files![
    "vase", "teapot", "mug", "bottle", "chair", "table", "bookshelf", "bed", "boat", "rocket", "car", "locomotive", "aeroplane", "lorry", "cactus",
    "toadstool", "apple_tree", "sunflower", "lighthouse", "cottage", "windmill", "castle_tower", "fish", "duck", "turtle", "cat", "hammer", "axe",
    "saw", "watering_can", "guitar", "drum",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_and_the_files_name_the_same_objects_in_one_order() {
        let rows = all().iter().map(|object| object.name.as_str());
        assert!(!FILES.is_empty() && rows.eq(FILES.iter().map(|(name, _)| *name)));
    }
}
