//! The objects of the library as code: shapes and paint → GLB files with their table
//! (`crates/asset/assets/objects`), and from some of them the demo (`assets/demo`).
//!
//! `cargo run -p meshjudge-lab-objects` writes both folders, with `-- --check` it lists outdated
//! files. The program is built without this. The scenes are the same bit by bit on every machine. A
//! file counts as current when it loads to the scene that its model makes.

pub mod demo;
mod glb;
mod meshopt;
mod models;
mod picture;

use meshjudge_asset::objects::kit::{self, Surface};
use meshjudge_asset::objects::{Family, Split};
use meshjudge_asset::scene::Scene;
use rayon::prelude::*;
use serde::Serialize;

/// One object as code.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Model {
    /// Unique; lower case, words joined by `_`.
    pub name: &'static str,
    /// What a generator would have been asked for.
    pub prompt: &'static str,
    /// What kind of thing it is.
    pub family: Family,
    /// Which half it belongs to.
    pub split: Split,
    #[serde(skip)]
    surfaces: fn() -> Vec<Surface>,
}

impl Model {
    /// Models and paints the object; some milliseconds.
    pub fn surfaces(&self) -> Vec<Surface> {
        (self.surfaces)()
    }

    /// The same as a scene.
    pub fn scene(&self) -> Scene {
        kit::scene(&self.surfaces())
    }

    /// The same as a GLB file, as small as it gets; half a second.
    pub fn glb(&self) -> Vec<u8> {
        glb::write(&self.surfaces())
    }
}

/// All objects, family by family.
pub fn all() -> &'static [Model] {
    models::ALL
}

/// The object of this name.
pub fn named(name: &str) -> Option<&'static Model> {
    all().iter().find(|model| model.name == name)
}

/// Names under `crates/asset/assets/objects` and bytes: a GLB file for each object.
pub fn files() -> Vec<(String, Vec<u8>)> {
    all().par_iter().map(|model| (format!("{}.glb", model.name), model.glb())).collect()
}

/// The text of `crates/asset/assets/objects/objects.toml`.
pub fn table() -> String {
    #[derive(Serialize)]
    struct Table {
        provenance: &'static str,
        object: &'static [Model],
    }
    let table = Table {
        provenance: "Modelled and painted by the code in lab/objects for this project; licence as the project: MIT or Apache-2.0.",
        object: all(),
    };
    toml::to_string(&table).expect("names and texts are what TOML holds")
}

/// The first thing in which two scenes differ: numbers are compared bit by bit. `None` where they
/// are the same.
pub fn difference(a: &Scene, b: &Scene) -> Option<String> {
    let lengths = |s: &Scene| [s.meshes().len(), s.materials().len(), s.textures().len()];
    if lengths(a) != lengths(b) {
        return Some("the number of meshes, materials or textures".to_owned());
    }
    for (i, (a, b)) in a.meshes().iter().zip(b.meshes()).enumerate() {
        let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let positions = |m: &meshjudge_asset::scene::Mesh| {
            bits(&m.positions().iter().flat_map(|p| p.to_array()).collect::<Vec<_>>())
        };
        let normals = |m: &meshjudge_asset::scene::Mesh| {
            let numbers =
                m.normals().map(|n| n.iter().flat_map(|n| n.to_array()).collect::<Vec<_>>());
            numbers.map(|n| bits(&n))
        };
        let uvs = |m: &meshjudge_asset::scene::Mesh| {
            let sets = (0..m.uv_set_count()).filter_map(|set| m.uvs(set));
            sets.map(|uvs| bits(&uvs.iter().flat_map(|uv| uv.to_array()).collect::<Vec<_>>()))
                .collect::<Vec<_>>()
        };
        let others = |m: &meshjudge_asset::scene::Mesh| {
            (m.tangents().is_none(), m.colors().is_none(), m.material())
        };
        for (what, is_same) in [
            ("positions", positions(a) == positions(b)),
            ("triangles", a.triangles() == b.triangles()),
            ("normals", normals(a) == normals(b)),
            ("texture coordinates", uvs(a) == uvs(b)),
            (
                "tangents, colours or material",
                others(a) == others(b) && a.tangents().is_none() && a.colors().is_none(),
            ),
        ] {
            if !is_same {
                return Some(format!("{what} of mesh {i}"));
            }
        }
    }
    for (i, (a, b)) in a.materials().iter().zip(b.materials()).enumerate() {
        // Debug writes every field, and floats with as many digits as tell them apart.
        if format!("{a:?}") != format!("{b:?}") {
            return Some(format!("material {i}"));
        }
    }
    for (i, (a, b)) in a.textures().iter().zip(b.textures()).enumerate() {
        let about = |t: &meshjudge_asset::scene::Texture| {
            (t.name().to_owned(), t.width_px(), t.height_px(), t.color_space(), t.wrap())
        };
        if about(a) != about(b) || a.texels() != b.texels() {
            return Some(format!("texture {i}"));
        }
    }
    None
}
