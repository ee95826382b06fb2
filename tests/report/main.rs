//! What people see of a run: the report, the voting page, both in a browser, and tables for other
//! programs.

#[path = "../support/mod.rs"]
mod support;

mod axe;
mod browser;
mod driven;
mod page;
mod parquet;
mod pictures;
mod raters;
mod serve;
mod shared_links;
