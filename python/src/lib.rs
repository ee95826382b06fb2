//! meshjudge for Python: the library's calls as functions and classes of `meshjudge._native`.
//!
//! Nothing is decided here. Arguments become the library's settings, the work runs without the interpreter's lock on threads of this
//! process ([`pool`]), results become arrays, tables and pictures, errors typed exceptions ([`error`]).

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
mod cluster;
mod damage;
mod drawing;
mod error;
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
mod table;
mod verdicts;

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
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::add(module)?;
    module.add_class::<asset::Asset>()?;
    module.add_class::<audit::Audit>()?;
    module.add_class::<cluster::BenchNode>()?;
    module.add_class::<judge::AskedQuestion>()?;
    module.add_class::<drawing::Renderer>()?;
    module.add_class::<photo::Photo>()?;
    module.add_class::<picture::Picture>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<verdicts::Comparison>()?;
    module.add_class::<verdicts::Score>()?;
    module.add_function(wrap_pyfunction!(asset::load, module)?)?;
    module.add_function(wrap_pyfunction!(asset::inspect, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::measure, module)?)?;
    module.add_function(wrap_pyfunction!(asset::object_glb, module)?)?;
    module.add_function(wrap_pyfunction!(asset::object_prompts, module)?)?;
    module.add_function(wrap_pyfunction!(audit::audit, module)?)?;
    module.add_function(wrap_pyfunction!(bench::bench, module)?)?;
    module.add_function(wrap_pyfunction!(damage::damage, module)?)?;
    module.add_function(wrap_pyfunction!(damage::damage_kinds, module)?)?;
    module.add_function(wrap_pyfunction!(rate::rate, module)?)?;
    module.add_function(wrap_pyfunction!(rate::judge_worth, module)?)?;
    module.add_function(wrap_pyfunction!(rate::control_effects, module)?)?;
    module.add_function(wrap_pyfunction!(verdicts::compare, module)?)?;
    module.add_function(wrap_pyfunction!(verdicts::score, module)?)?;
    module.add_function(wrap_pyfunction!(sheet::sheet_pair, module)?)?;
    module.add_function(wrap_pyfunction!(sheet::sheet_grid, module)?)?;
    module.add_function(wrap_pyfunction!(sheet::sheet_four_view, module)?)?;
    module.add_function(wrap_pyfunction!(sheet::sheet_reference, module)?)?;
    module.add_function(wrap_pyfunction!(command_line, module)?)?;
    module.add_function(wrap_pyfunction!(asset::restore_asset, module)?)?;
    module.add_function(wrap_pyfunction!(sampling::sample_points, module)?)?;
    module.add_function(wrap_pyfunction!(table::restore_table, module)?)?;
    module.add_function(wrap_pyfunction!(verdicts::restore_comparison, module)?)?;
    module.add_function(wrap_pyfunction!(verdicts::restore_score, module)?)?;
    module.add_function(wrap_pyfunction!(write_file, module)?)?;
    Ok(())
}
