//! Clean objects of our own, made by code: what controlled damage is done to. Name → surfaces → [`Scene`].
//!
//! Every part is closed and wound outwards (parts may overlap), every object is textured, has 2,000 to 12,000 triangles,
//! stands in y up and faces +z unless its description says otherwise. The same bytes on every machine: `libm` and plain arithmetic.
//! The vase and the rocket look the same from behind, and the toadstools nearly so: what puts the front on the back cannot show on them.
//! Damages nothing and writes nothing.

pub mod assembled;
pub mod kit;
mod objects;
pub mod scenes;

use crate::scene::Scene;
use kit::Surface;

/// One clean object.
#[derive(Debug, Clone, Copy)]
pub struct Base {
    /// Unique; lower case, words joined by `_`.
    pub name: &'static str,
    /// What a generator would have been asked for.
    pub prompt: &'static str,
    /// What kind of thing it is.
    pub family: Family,
    /// Which half it belongs to.
    pub split: Split,
    surfaces: fn() -> Vec<Surface>,
}

impl Base {
    /// Models and paints the object; some milliseconds.
    pub fn surfaces(&self) -> Vec<Surface> {
        (self.surfaces)()
    }

    /// The same as a scene.
    pub fn make(&self) -> Scene {
        kit::scene(&self.surfaces())
    }
}

/// What kind of thing an object is. Each family has members in both halves of the [`Split`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Vases, pots, mugs, bottles: hollow and round.
    Vessel,
    /// Thin legs, flat boards.
    Furniture,
    /// On wheels, on water, in the air.
    Vehicle,
    /// Plants and mushrooms.
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
    /// All of them.
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

/// Which half of the objects one belongs to. It is written beside each object in the source and never drawn, so that it stays as it is
/// when objects are added; every family has members in both halves.
///
/// The rule: a threshold, a prompt or a default may be chosen by what is measured on [`Split::Fit`] only, and a figure is reported on
/// [`Split::Held`] only. Who looks at a held object to choose something has spent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Split {
    /// To choose thresholds and defaults by.
    Fit,
    /// To report figures on.
    Held,
}

/// All objects, family by family.
pub fn all() -> &'static [Base] {
    objects::ALL
}

/// The object of this name.
pub fn named(name: &str) -> Option<&'static Base> {
    all().iter().find(|base| base.name == name)
}
