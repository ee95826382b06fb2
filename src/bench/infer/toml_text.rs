//! What was found in a folder, as the text of a benchmark file.

use super::found::Inferred;
use std::path::Path;

/// Quoted as TOML wants it, whatever it holds.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

pub(super) fn toml_text(found: &Inferred) -> String {
    let folder = &found.folder;
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.clone());
    let title = whole
        .file_name()
        .map_or("benchmark".into(), |name| name.to_string_lossy());
    let mut text = format!(
        "#:schema ./bench.schema.json\n# Written by meshjudge from the names of files; edit it as you like.\n\nname = {}\n",
        quoted(&title)
    );
    text.push_str("\nprompts = [\n");
    for prompt in &found.prompts {
        let mut fields = vec![
            format!("id = {}", quoted(&prompt.id)),
            format!("text = {}", quoted(&prompt.text())),
        ];
        if let Some(table) = &prompt.from_file {
            let path = |path: &Path| quoted(&path.to_string_lossy());
            let more = [
                ("category", table.category.as_deref().map(quoted)),
                ("image", table.image.as_deref().map(path)),
                ("mask", table.mask.as_deref().map(path)),
            ];
            let given = more
                .into_iter()
                .filter_map(|(key, value)| Some((key, value?)));
            fields.extend(given.map(|(key, value)| format!("{key} = {value}")));
        }
        text.push_str(&format!("  {{ {} }},\n", fields.join(", ")));
    }
    text.push_str("]\n");
    if !found.seeds.is_empty() {
        let seeds: Vec<String> = found.seeds.iter().map(u32::to_string).collect();
        text.push_str(&format!("seeds = [{}]\n", seeds.join(", ")));
    }
    text.push_str(
        "\n# \"probe\" measures offline; for a model: \"openai:MODEL\", \"anthropic:MODEL\", \"gemini:MODEL\".\njudges = [\"probe\"]\n",
    );
    text.push_str(
        "# \"loss\": a generator whose asset is missing loses the pair. \"leave-out\": the pair is skipped.\nmissing_assets = \"loss\"\n",
    );
    for generator in &found.generators {
        text.push_str(&format!(
            "\n[[generators]]\nname = {}\npath = {}\n",
            quoted(&generator.name),
            quoted(&generator.path)
        ));
    }
    text
}
