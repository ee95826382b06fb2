//! Clean objects of our own: what controlled damage is done to. Name →
//! [`Scene`](crate::scene::Scene).
//!
//! [`all`] are the library: GLB files in `assets/objects`, carried in the program. [`assembled`]
//! puts as many more together by chance as a measurement needs, and [`scenes`] places simple things
//! as prompts describe them. Every object is closed and wound outwards (its parts may overlap),
//! textured, has 2,000 to 12,000 triangles, is in y up and faces +z unless its description says
//! otherwise. The same bytes on every machine: `libm` and plain
//! arithmetic. The vase and the rocket look the same from behind, and the toadstools nearly so:
//! what puts the front on the back cannot show on them. Damages nothing and writes nothing.

pub mod assembled;
#[doc(hidden)] // for a test that plants a fault
pub mod kit;
mod library;
pub mod scenes;

pub use library::{Family, LibraryObject, Split, all, named};
