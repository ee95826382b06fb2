//! Gaussian splats, without a graphics card: read from seven encodings, measured, and drawn with
//! the same bytes on every machine.
//!
//! 1. [`read`](mod@read): bytes → [`Splats`], with y up. The module lists formats and their axes.
//! 2. [`facts`](facts::facts): counts, extents without floaters, needles, dust, the file's claims.
//! 3. [`camera`] and [`render`](mod@render): a view → a [`render::Picture`] with colour, alpha,
//!    depths and normals.
//! 4. [`write`](mod@write): splats → a file of another encoding, and what it loses.
//!
//! ```
//! use glam::DVec3;
//! use meshjudge_splat::{camera::Camera, read, render};
//! use std::path::Path;
//!
//! let ply = "ply\nformat ascii 1.0\nelement vertex 1\n".to_owned()
//!     + &["x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"]
//!         .map(|name| format!("property float {name}\n")).concat()
//!     + "end_header\n0 0 0 1 0 0 5 -2 -2 -2 1 0 0 0\n";
//! let no_files = |name: &str| Err(read::ReadError::Missing { name: name.to_owned() });
//! let loaded = read::read(ply.as_bytes(), Path::new("one.ply"), read::Axes::Usual, &no_files)?;
//! let camera = Camera::square(64, DVec3::new(0.0, 0.0, 2.0), DVec3::ZERO, DVec3::Y, 0.7);
//! let picture = render::render(&loaded.splats, &camera, &render::Settings::default())?;
//! assert!(picture.rgba[32 * 64 + 32][3] > 0.98);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Does not: train, light or tone-map colours, know of meshes.

pub mod camera;
mod extent;
pub mod facts;
pub mod harmonics;
mod placement;
pub mod ply_header;
pub mod read;
pub mod render;
pub mod splats;
pub mod write;

pub use extent::Extent;
pub use splats::Splats;
