//! `doctor`: what this build and machine can do.

use super::{Exit, Printer};
use crate::error::Error;
use crate::judge::{Catalogue, Route};
use crate::load::limits;
use crate::render::{AdapterFacts, adapters};
use serde_json::json;

pub(super) fn run(printer: &Printer) -> Result<Exit, Error> {
    let version = env!("CARGO_PKG_VERSION");
    let threads = rayon::current_num_threads();
    let instructions = instructions();
    let renderers: &[_] = if cfg!(feature = "gpu") { &["cpu", "gpu"] } else { &["cpu"] };
    let adapters = adapters();
    let mut text = format!(
        "meshjudge {version}\nrenderer   cpu, {threads} threads, {instructions}, needs no driver\n"
    );
    adapters.iter().for_each(|adapter| text += &adapter_line(adapter));
    text +=
        "formats    glb, gltf, obj (with mtl), ply, stl; splats: ply, splat, spz, sog, glb, gltf\n";
    text += "judge      probe: ready (measured on this machine, no network)\n";
    let mut keys = serde_json::Map::new();
    for route in [Route::Chat, Route::Anthropic, Route::Gemini] {
        // The values are never shown.
        let (name, variable) = (route.name(), route.key_variable());
        let is_set = std::env::var_os(variable).is_some_and(|value| !value.is_empty());
        let state = if is_set { "key found in" } else { "no key in" };
        text += &format!("judge      {name}: {state} {variable}; a local --base-url needs none\n");
        keys.insert(name.to_owned(), json!(is_set));
    }
    let dated = Catalogue::built_in().dated().to_owned();
    text += &format!("models     sizes and prices as of {dated}; --models FILE overrides them\n");
    let (mib, px) = (limits::FILE_BYTES_MAX >> 20, crate::rig::Rig::TILE_PX_MAX);
    text += &format!("limits     files up to {mib} MiB; pictures up to {px} px a side\n");
    let row = json!({
        "version": version,
        "renderers": renderers,
        "adapters": adapters,
        "threads": threads,
        "instructions": instructions,
        "keys_found": keys,
        "models_dated": dated,
        "file_bytes_max": limits::FILE_BYTES_MAX,
    });
    printer.show(text, [row]);
    Ok(Exit::Done)
}

fn adapter_line(adapter: &AdapterFacts) -> String {
    let AdapterFacts { name, backend, kind, driver, lacks, is_real } = adapter;
    let state = match (lacks, is_real) {
        (Some(lacks), _) => format!("cannot draw: {lacks}"),
        (None, true) => "draws with --renderer gpu".to_owned(),
        (None, false) => "draws only when named, as in --renderer gpu:NAME".to_owned(),
    };
    format!("adapter    {name} ({kind}, {backend}, {driver}): {state}\n")
}

fn instructions() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        return "AVX2";
    }
    "baseline instructions"
}
