//! Everything about one 3D asset: reads, writes, damages, measures and draws it. `meshjudge` is
//! built on this crate and re-exports it under its own name; use this crate directly for a renderer
//! without judges, store and server.
//!
//! Each module is one stage, and a stage imports only stages above it in this list.
//!
//! | module | takes → gives |
//! | --- | --- |
//! | [`scene`] | the vocabulary: [`Scene`](scene::Scene), [`Mesh`](scene::Mesh), [`Material`](scene::Material), [`Texture`](scene::Texture) |
//! | [`load`], [`save`] | bytes ↔ [`Scene`](scene::Scene) |
//! | [`objects`], [`damage`] | clean built-in objects; the same asset, worse in one known way |
//! | [`measure`] | a scene → facts: holes, pieces, noise, texel density |
//! | [`rig`], [`render`] | a scene and cameras → [`Frame`](render::Frame)s with any [`Channel`](render::Channel) |
//! | [`metrics`] | two surfaces, or two pictures → numbers with their definitions |
//! | [`check`] | an asset and a profile of limits → what it breaks, and where |
//! | [`sheet`] | frames, or a photo with its mask → the pictures that a rubric shows |

pub mod scene;

pub mod load;
pub mod save;

pub mod objects;

pub mod damage;
pub mod measure;

pub mod rig;

pub mod render;

pub mod metrics;

pub mod check;

pub mod sheet;
