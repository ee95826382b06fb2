//! Scenes to pictures, on the CPU or on the card that `MESHJUDGE_GPU` declares, and pictures to
//! sheets.

#[path = "../support/mod.rs"]
mod support;

mod cameras;
mod channels;
mod environment;
mod goldens;
mod gpu;
mod layers;
mod near;
mod rigs;
mod sheet_grid;
mod sheet_reference;
mod surfaces;
mod topology;
