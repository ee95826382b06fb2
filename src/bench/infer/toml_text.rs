//! The findings in a folder, as the text of a benchmark file.

use super::found::Inferred;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Quoted as TOML wants it, whatever it holds.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

pub(super) fn toml_text(found: &Inferred) -> String {
    let folder = &found.folder;
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.clone());
    let title = whole.file_name().map_or("benchmark".into(), |name| name.to_string_lossy());
    let mut text = format!(
        "#:schema ./bench.schema.json\n# Written by meshjudge from the names of files; edit it as you like.\n\nname = {}\n",
        quoted(&title)
    );
    text.push_str("\nprompts = [\n");
    for prompt in &found.prompts {
        let table = prompt.from_file.clone().unwrap_or_default();
        let path = |path: &PathBuf| quoted(&path.to_string_lossy());
        let has_images = table.image.is_some() || !table.images.is_empty();
        let (mut image, mut mask) = (table.image, table.mask);
        let (mut images, mut masks) = (table.images, table.masks);
        for (side, photo, its_mask) in &prompt.photos {
            if side.is_empty() && images.is_empty() {
                image = image.or(Some(photo.clone()));
                mask = mask.or(its_mask.clone());
            } else if !has_images {
                images.insert(side.clone(), photo.clone());
                masks.extend(its_mask.clone().map(|mask| (side.clone(), mask)));
            }
        }
        let sides = |paths: &BTreeMap<String, PathBuf>| {
            let fields = paths.iter().map(|(side, it)| format!("{} = {}", quoted(side), path(it)));
            let fields: Vec<String> = fields.collect();
            (!fields.is_empty()).then(|| format!("{{ {} }}", fields.join(", ")))
        };
        let fields = [
            ("id", Some(quoted(&prompt.id))),
            ("text", prompt.text().as_deref().map(quoted)),
            ("category", table.category.as_deref().map(quoted)),
            ("image", image.as_ref().map(path)),
            ("mask", mask.as_ref().map(path)),
            ("images", sides(&images)),
            ("masks", sides(&masks)),
        ];
        let given =
            fields.into_iter().filter_map(|(key, value)| Some(format!("{key} = {}", value?)));
        let fields: Vec<String> = given.collect();
        text.push_str(&format!("  {{ {} }},\n", fields.join(", ")));
    }
    text.push_str("]\n");
    if !found.seeds.is_empty() {
        let seeds: Vec<String> = found.seeds.iter().map(u32::to_string).collect();
        text.push_str(&format!("seeds = [{}]\n", seeds.join(", ")));
    }
    if found.prompts.iter().all(|prompt| !prompt.photos.is_empty()) {
        text.push_str("\n# Both objects of a pair are compared with the photo; match-image asks the criteria of 3DGen-Bench.\nrubrics = [\"pairwise-image\"]\n");
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
