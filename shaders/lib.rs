//! The renderer's WGSL as text. `crates/render/src/render/gpu` puts constants in front of it and
//! compiles it for a device.

/// The files in the order in which they are joined to one module: what a file uses is defined in it
/// or before it.
pub const FILES: [&str; 10] = [
    include_str!("layout.wgsl"),
    include_str!("cover.wgsl"),
    include_str!("raster.wgsl"),
    include_str!("texture.wgsl"),
    include_str!("environment.wgsl"),
    include_str!("shade.wgsl"),
    include_str!("film.wgsl"),
    include_str!("layers.wgsl"),
    include_str!("fragment.wgsl"),
    include_str!("resolve.wgsl"),
];

/// Gaussian splats, a module of its own.
pub const SPLATS: &str = include_str!("splats.wgsl");
