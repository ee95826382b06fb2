//! Distances of sets, pictures to the bit, point clouds.

mod pictures;
mod points;
mod sets;
mod shared;
mod text;
