//! What `bench init` writes, and the JSON Schema that editors check it with.

/// A commented benchmark file.
pub const TEMPLATE: &str = include_str!("../../../assets/templates/bench.toml");

/// The name of the schema's file, in the same folder.
pub const SCHEMA_FILE: &str = "bench.schema.json";

/// JSON Schema (draft 2020-12) of a benchmark file, indented. A file, so that only the tests derive
/// it from the types.
pub const SCHEMA: &str = include_str!("../../../assets/templates/bench.schema.json");

/// Programs that ask services, each a file to copy and edit; all need [`SERVICE_HELPER`].
pub const SERVICES: [(&str, &str); 9] = [
    ("comfyui", include_str!("../../../assets/services/comfyui.py")),
    ("endpoint", include_str!("../../../assets/services/endpoint.py")),
    ("fal", include_str!("../../../assets/services/fal.py")),
    ("hunyuan3d", include_str!("../../../assets/services/hunyuan3d.py")),
    ("meshy", include_str!("../../../assets/services/meshy.py")),
    ("replicate", include_str!("../../../assets/services/replicate.py")),
    ("rodin", include_str!("../../../assets/services/rodin.py")),
    ("stability", include_str!("../../../assets/services/stability.py")),
    ("tripo", include_str!("../../../assets/services/tripo.py")),
];

/// What they share, as `service.py` next to them.
pub const SERVICE_HELPER: (&str, &str) =
    ("service", include_str!("../../../assets/services/service.py"));

#[cfg(test)]
mod tests {
    use super::SCHEMA;
    use crate::bench::BenchFile;

    /// `MESHJUDGE_GOLDENS=write` writes it anew, and the test fails once more.
    #[test]
    fn the_schema_is_that_of_the_types() {
        let schema = schemars::schema_for!(BenchFile);
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if text != SCHEMA && std::env::var("MESHJUDGE_GOLDENS").is_ok_and(|value| value == "write")
        {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/templates/bench.schema.json");
            std::fs::write(path, &text).unwrap();
        }
        assert!(text == SCHEMA, "bench.schema.json is old: run this with MESHJUDGE_GOLDENS=write");
    }
}
