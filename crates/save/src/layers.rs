//! [`Layers`] and their textures → the extensions of a material's object, by the table of
//! [`EXTENSIONS`].

use crate::scene::extensions::{Content, EXTENSIONS, SPECULAR_GLOSSINESS};
use crate::scene::{Layers, Material, Slot, TextureRef};
use serde_json::{Map, Value, json};

/// Writes a texture under a key; `false` where there is none.
type Put<'a> = dyn FnMut(&mut Value, &str, &Option<TextureRef>) -> bool + 'a;

/// Adds the extensions that say something.
pub(super) fn put(from: &Material, put: &mut Put<'_>, extensions: &mut Map<String, Value>) {
    // Fields are found through `&mut`.
    let mut material = from.clone();
    let mut layers = from.layers.as_deref().cloned().unwrap_or_default();
    for extension in &EXTENSIONS {
        if (extension.is_absent)(&material, &layers) {
            continue;
        }
        let mut out = json!({});
        for member in extension.members {
            let key = member.key;
            match member.content {
                Content::Number(field, _) => {
                    let value = *field(&mut material, &mut layers);
                    if value.is_finite() {
                        out[key] = value.into();
                    }
                }
                Content::Color(field, _) => {
                    out[key] = json!(field(&mut material, &mut layers).to_array());
                }
                Content::Texture(slot, scale) => {
                    let is_put = put(&mut out, key, &from.textures[slot]);
                    if let (true, Some(field)) = (is_put, scale) {
                        out[key]["scale"] = (*field(&mut material, &mut layers)).into();
                    }
                }
            }
        }
        extensions.insert(extension.name.to_owned(), out);
    }
    if let Some(Layers { specular_glossiness: Some(glossy), .. }) = from.layers.as_deref() {
        let mut out = json!({
            "diffuseFactor": from.base_color.to_array(),
            "specularFactor": glossy.specular.to_array(),
            "glossinessFactor": glossy.glossiness,
        });
        put(&mut out, "diffuseTexture", &from.textures[Slot::BaseColor]);
        let texture = &from.textures[Slot::SpecularGlossiness];
        put(&mut out, "specularGlossinessTexture", texture);
        extensions.insert(SPECULAR_GLOSSINESS.to_owned(), out);
    }
}
