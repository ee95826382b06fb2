//! What `bench --init` writes, and the JSON Schema that editors check it with.

use super::BenchFile;

/// A commented benchmark file.
pub const TEMPLATE: &str = include_str!("../../../assets/templates/bench.toml");

/// The name of the schema's file, in the same folder.
pub const SCHEMA_FILE: &str = "bench.schema.json";

/// JSON Schema (draft 2020-12) of a benchmark file, indented.
pub fn schema() -> String {
    let schema = schemars::schema_for!(BenchFile);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain JSON");
    text.push('\n');
    text
}
