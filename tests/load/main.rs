//! Files to scenes and back, what is measured of a scene, and what is done to one: everything
//! before the first picture.

#[path = "../support/mod.rs"]
mod support;

/// Asserts that a file was read with these warnings and no other.
macro_rules! assert_warns {
    ($loaded:expr, $warnings:pat $(if $condition:expr)?) => {{
        let warnings = &$loaded.warnings[..];
        assert!(matches!(warnings, $warnings $(if $condition)?), "{warnings:?}");
    }};
}

mod compressed;
mod damage;
mod gltf;
mod hostile;
mod ignored;
mod instances;
mod measure;
mod metrics;
mod models;
mod obj;
mod objects;
mod odd_files;
mod picture_metrics;
mod ply_stl;
mod quality;
mod ready;
mod save;
mod valid_files;
mod vectors;
