//! meshjudge for Python: the library's calls as functions and classes of `meshjudge._native`.
//!
//! Nothing is decided here. Arguments become the library's settings, the work runs without the
//! interpreter's lock on threads of this process ([`pool`]), results become arrays, tables and
//! pictures, errors typed exceptions ([`error`]).

// The types of the graphics library are nested deeply.
#![recursion_limit = "256"]

/// The docstring of a class, member or function in the stub.
macro_rules! doc {
    ($name:expr) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

mod asking;
mod asset;
mod audit;
mod bench;
mod check;
mod cluster;
mod damage;
mod drawing;
mod error;
mod feature;
mod html;
#[path = "../../src/huge_pages.rs"]
mod huge_pages;
mod json;
mod judge;
mod metrics;
mod options;
mod photo;
mod picture;
mod pool;
mod rate;
mod rows;
mod run;
mod sampling;
mod sheet;
mod source;
mod splats;
mod table;
mod verdicts;
mod watch;

use cluster::PythonCluster;
use meshjudge::unstable::bench::{Cluster, NodeSetup};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// The program's allocator; it serves only this module's Rust code.
#[global_allocator]
static MEMORY: huge_pages::HugePages = huge_pages::HugePages;

/// Runs the command line with these arguments, the program's name first, and returns its exit code.
#[pyfunction]
fn command_line(py: Python<'_>, args: Vec<OsString>) -> u8 {
    let open = |setup: &NodeSetup| {
        let opened = Python::attach(|py| PythonCluster::open_ray(py, setup, None));
        let opened = opened.map_err(|error| Python::attach(|py| error.value(py).to_string()))?;
        Ok(Box::new(opened) as Box<dyn Cluster>)
    };
    py.detach(|| meshjudge::command_line_with(args, Some(&open)))
}

/// Writes a file that is whole under its name or absent.
#[pyfunction]
fn write_file(path: PathBuf, data: &[u8]) -> std::io::Result<()> {
    meshjudge::unstable::save::write_file(&path, data)
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::asset::{Asset, object_glb, object_prompts, restore_asset};
    #[pymodule_export]
    use super::audit::{Audit, audit};
    #[pymodule_export]
    use super::damage::{damage, damage_kinds};
    #[pymodule_export]
    use super::rate::{control_effects, judge_worth, rate};
    #[pymodule_export]
    use super::sheet::{sheet_four_view, sheet_grid, sheet_pair, sheet_reference};
    #[pymodule_export]
    use super::source::{inspect, load};
    #[pymodule_export]
    use super::splats::Splats;
    #[pymodule_export]
    use super::table::{Table, restore_table};
    #[pymodule_export]
    use super::verdicts::{
        Comparison, Score, compare_many, restore_comparison, restore_score, score,
    };
    #[pymodule_export]
    use super::{
        bench::bench, check::check, cluster::BenchNode, command_line, drawing::Renderer,
        judge::AskedQuestion, metrics::measure,
    };
    #[pymodule_export]
    use super::{photo::Photo, picture::Picture, run::Run, sampling::sample_points, write_file};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        super::error::add(module)
    }
}
