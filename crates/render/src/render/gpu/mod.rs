//! The renderer for graphics cards: the CPU's visibility buffer, filled and shaded by compute
//! shaders (`shaders/`).
//!
//! The CPU puts vertices on their lattice; coverage, depth and visibility are the same integers and
//! the same roundings as in `cpu/`, so only light and textures may differ, by the last bits of a
//! float. Gaussian splats are projected and put in order by the CPU too. What the card cannot do is
//! handed back, and the CPU draws it.

mod adapter;
mod batch;
mod device;
mod draw;
mod layout;
mod pipelines;
mod splats;
mod unpack;
mod upload;

pub use adapter::adapters;
pub use device::Gpu;
pub(super) use draw::draw_each;
pub(super) use splats::draw_splats;
