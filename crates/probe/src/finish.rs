//! Materials beyond base colour: roughness, normal maps, light of their own, transparency.

use crate::scene::{AlphaMode, Material, Scene, Slot};
use std::collections::{BTreeMap, BTreeSet};

/// By property, what the used materials have; textures by their content.
pub(super) type Finish = BTreeMap<&'static str, BTreeSet<String>>;

/// `is_closed`: whether nobody sees the backs of faces.
pub(super) fn finish(scene: &Scene, is_closed: bool) -> Finish {
    let used: BTreeSet<usize> = scene.meshes().iter().map(|mesh| mesh.material()).collect();
    let mut hashes: BTreeMap<usize, String> = BTreeMap::new();
    let mut map = |material: &Material, slot: Slot| {
        let Some(of) = material.textures[slot] else {
            return String::new();
        };
        let hash = hashes.entry(of.texture).or_insert_with(|| {
            let texels = scene.textures()[of.texture].texels();
            blake3::hash(texels.as_flattened()).to_hex().to_string()
        });
        format!("{hash} {:?}", of.transform)
    };
    let mut found = Finish::new();
    let mut add = |property, value: String| {
        found.entry(property).or_default().insert(value);
    };
    for material in used.into_iter().map(|index| &scene.materials()[index]) {
        let Material { metallic, roughness, normal_scale, emissive, .. } = material;
        let rough = map(material, Slot::MetallicRoughness);
        add("roughness or metal", format!("{metallic} {roughness} {rough}"));
        let bumps = map(material, Slot::Normal);
        add("normal maps", format!("{normal_scale} {bumps}"));
        let shade = map(material, Slot::Occlusion);
        add("occlusion", format!("{} {shade}", material.occlusion_strength));
        let glow = map(material, Slot::Emissive);
        add("light of their own", format!("{emissive} {glow} {}", material.unlit));
        let pane = map(material, Slot::Transmission);
        let alpha = match material.alpha_mode {
            AlphaMode::Opaque => String::new(),
            mode => {
                format!("{mode:?} {} {}", material.base_color.w, map(material, Slot::BaseColor))
            }
        };
        add("transparency", format!("{} {pane} {alpha}", material.transmission));
        let layers = material.textures.of_layers();
        add("further layers", format!("{:?} {layers:?}", material.layers));
        add("visible backs", (material.double_sided || is_closed).to_string());
    }
    found
}

/// In words, for two that differ.
pub(super) fn finish_differs(a: &Finish, b: &Finish) -> String {
    let properties: Vec<&str> = a
        .iter()
        .filter(|(property, values)| b.get(*property) != Some(values))
        .map(|(property, _)| *property)
        .collect();
    format!(
        "Their base colours are equal, but their materials differ in {}, which was not compared.",
        properties.join(" and ")
    )
}
