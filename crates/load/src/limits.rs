//! All loader limits in one place. What exceeds them is refused by name before it takes memory.

/// Largest single file, in bytes: 2 GiB. A GLB cannot be larger than 4 GiB by its own header.
pub const FILE_BYTES_MAX: u64 = 1 << 31;

/// Largest sum of the main file and all files it names, in bytes: 4 GiB.
pub const ASSET_BYTES_MAX: u64 = 1 << 32;

/// Largest material library, in bytes. Real ones are a few kilobytes.
pub const MTL_BYTES_MAX: u64 = 64 << 20;

/// Most files that one asset may name.
pub const FILES_MAX: usize = 4096;

/// Most `{` in a glTF JSON. `{}` is two bytes of text and up to a kibibyte as a parsed material,
/// hence a limit of its own.
pub const JSON_OBJECTS_MAX: usize = 1 << 20;

/// Most list items and members (`,` and `[`) in a glTF JSON.
pub const JSON_ITEMS_MAX: usize = 1 << 23;

/// Deepest node hierarchy. Skeletons reach about a hundred.
pub const NODE_DEPTH_MAX: usize = 1024;

/// Most primitives drawn, every instance counted.
pub const PRIMITIVES_MAX: usize = 1 << 18;

/// Most triangles of all instances together (800 MB of indices).
pub const TRIANGLES_MAX: u64 = 1 << 26;

/// Most vertices of all instances together.
pub const VERTICES_MAX: u64 = 1 << 26;

/// Most elements of an accessor without data (zeros, any sparse ones): no file bytes limit it.
pub const ZERO_ACCESSOR_COUNT_MAX: u64 = 1 << 22;

/// Most joints of a skin.
pub const JOINTS_MAX: usize = 1 << 14;

/// Most morph targets of a primitive that have a weight other than 0.
pub const MORPH_TARGETS_MAX: usize = 512;

/// Most texels of a decoded picture: 16384 × 16384, a gibibyte as RGBA until it is halved.
pub const DECODED_TEXELS_MAX: u64 = 1 << 28;

/// Most texels decoded for each one kept. Pictures beyond it are left out, the last first.
pub const DECODED_PER_KEPT: u64 = 8;

/// Most texels of one texture that is kept: 16384 × 8192, half a gibibyte as RGBA.
pub const TEXTURE_TEXELS_MAX: u64 = 1 << 27;

/// Most texels along a side of a texture: the resolution of a look-up's coordinates.
pub const TEXTURE_SIDE_MAX: u32 = 1 << 22;

/// Most texels of all textures together: 1 GiB as RGBA.
pub const TEXTURES_TEXELS_MAX: u64 = 1 << 28;

/// Most corners of a polygon that certainly crosses itself: a star polygon of 16,000 corners takes
/// 6 s to be cut into triangles that are not right either.
pub const CROSSING_CORNERS_MAX: usize = 1024;

/// Largest sum of the squares of the corners of concave polygons in one asset, some ten seconds;
/// further ones are cut as fans. A million L-shaped polygons take 2^26, one of 92,000 corners all.
pub const EAR_STEPS_MAX: u64 = 1 << 33;

/// Most faces at one vertex for which creases are looked for, which takes time in the square of it.
/// A vertex with more (the tip of a fine cone) is smoothed over all of them.
pub const CREASE_VALENCE_MAX: usize = 256;

pub use meshjudge_splat::ply_header::{
    HEADER_BYTES_MAX as PLY_HEADER_BYTES_MAX, PROPERTIES_MAX as PLY_PROPERTIES_MAX,
};

/// Longest list of a PLY file: one triangle strip with all of the largest mesh.
pub const PLY_LIST_MAX: u64 = 1 << 26;

/// Most corners of a face of a PLY file.
pub const PLY_CORNERS_MAX: usize = 1 << 20;

/// Most bytes that compressed geometry of one asset (meshopt, Draco) may decode to: 1 GiB of each.
pub const DECODED_BYTES_MAX: u64 = 1 << 30;

/// Most bytes that a glTF asset's accessors and triangles may come to when read, every use counted:
/// 256 MiB, and a kibibyte for each four bytes of the asset. Instances, morph targets, sparse
/// accessors and compressed geometry let a kilobyte of text ask for gigabytes and minutes. 450
/// copies of a mesh of 10,000 vertices pass, and as many of any larger mesh. See [`expanded`].
pub const ACCESSOR_BYTES_BASE: u64 = 1 << 28;

/// Most texels of all textures together, in addition to [`TEXTURES_TEXELS_MAX`]: 64 Mi, and 256 for
/// each byte of the pictures. See [`expanded`].
pub const TEXTURES_TEXELS_BASE: u64 = 1 << 26;

/// What a byte of a file may expand to: bytes of accessors, or texels. Deflate reaches 258 texels
/// of RGBA (1032 bytes), and Draco 60 bytes on real meshes.
pub const EXPANSION_MAX: u64 = 256;

/// The limit for an asset of `file_bytes`: `base`, and [`EXPANSION_MAX`] for each byte.
pub fn expanded(base: u64, file_bytes: u64) -> u64 {
    base.saturating_add(file_bytes.saturating_mul(EXPANSION_MAX))
}

/// Most bytes that a PNG may need in addition to its texels: colour profiles, which are unpacked
/// and not used, texts, a row.
pub const PNG_SIDE_BYTES_MAX: u64 = 64 << 20;
