//! What the readers know and do not draw: one list, from which warnings come, and a table of
//! `docs/SUPPORT.md`, which a test compares.
//!
//! A name that is neither read nor in the list causes a warning too, by its name: nothing that
//! another viewer may show is dropped in silence.

use super::files::shorten;
use super::warning::{Warning, Warnings};

/// Where a file can have something of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Extension,
    Attribute,
    Member,
    Statement,
    Key,
    Element,
    Property,
    StlWord,
    Splats,
}

impl Place {
    /// In front of a name.
    fn noun(self) -> &'static str {
        match self {
            Self::Extension => "glTF extension",
            Self::Attribute => "glTF attribute",
            Self::Member => "glTF member",
            Self::Statement => "OBJ statement",
            Self::Key => "MTL key",
            Self::Element => "PLY element",
            Self::Property => "PLY property",
            Self::StlWord => "STL word",
            Self::Splats => "splats' property",
        }
    }
}

use Place::{Attribute, Element, Extension, Key, Property, Splats, Statement, StlWord};

/// What changes no pixel in common viewers either.
const NOTHING: &str = "";

/// Place, names (`*` is any ending), and what the picture lacks.
const LIST: &[(Place, &[&str], &str)] = &[
    (Extension, &["KHR_lights_punctual", "EXT_lights_image_based", "EXT_lights_ies"], NOTHING),
    // A primitive's own material is the default variant.
    (Extension, &["KHR_materials_variants"], NOTHING),
    (Extension, &["KHR_animation_pointer", "KHR_xmp", "KHR_xmp_json_ld"], NOTHING),
    (Extension, &["KHR_audio_emitter", "KHR_interactivity", "KHR_physics_rigid_bodies"], NOTHING),
    (Extension, &["KHR_node_selectability", "KHR_node_hoverability"], NOTHING),
    (
        Extension,
        &["KHR_implicit_shapes", "MSFT_collision_primitives", "MSFT_rigid_bodies"],
        NOTHING,
    ),
    (Extension, &["OMI_collider", "OMI_physics_body", "OMI_physics_shape"], NOTHING),
    (Extension, &["EXT_mesh_features", "EXT_instance_features"], NOTHING),
    (Extension, &["EXT_structural_metadata", "EXT_mesh_manifold"], NOTHING),
    (Extension, &["GODOT_single_root", "AGI_articulations", "AGI_stk_metadata"], NOTHING),
    (Extension, &["FB_geometry_metadata"], NOTHING),
    (Extension, &["VRM", "VRMC_vrm", "VRMC_springBone", "VRMC_node_constraint"], NOTHING),
    // Moves all by one step.
    (Extension, &["CESIUM_RTC", "CESIUM_primitive_outline"], NOTHING),
    // In addition to the pictures that the specification requires.
    (Extension, &["MSFT_packing_*"], NOTHING),
    (Extension, &["KHR_materials_diffuse_transmission"], "light does not shine through"),
    (Extension, &["KHR_materials_dispersion"], "colours are not spread"),
    (
        Extension,
        &["KHR_materials_diffuse_roughness"],
        "rough surfaces are as dark at their rims as smooth ones",
    ),
    (Extension, &["KHR_materials_volume_scatter"], "light is not scattered inside"),
    (Extension, &["MOZ_lightmap"], "its baked light is left out"),
    (Extension, &["MSFT_lod"], "the first level of detail is shown"),
    (Extension, &["VRMC_materials_mtoon"], "cartoon shading is drawn as plain material"),
    (Extension, &["EXT_texture_avif"], "the fallback picture is used where there is one"),
    (Attribute, &["_*"], NOTHING),
    (Attribute, &["COLOR_*"], "only the first set of colours is"),
    (Attribute, &["JOINTS_*", "WEIGHTS_*"], "only the first sixteen joints of a vertex count"),
    (Statement, &["usemap", "maplib", "shadow_obj", "trace_obj", "lod", "mg", "bevel"], NOTHING),
    (
        Statement,
        &["surf", "curv", "curv2"],
        "free-form surfaces and curves are left out; convert them to polygons",
    ),
    (
        Statement,
        &[
            "vp", "cstype", "deg", "bmat", "step", "parm", "trim", "hole", "scrv", "sp", "end",
            "con", "ctech", "stech", "bzp", "bsp", "cdp", "cdc", "res", "c_interp", "d_interp",
            "call", "csh",
        ],
        NOTHING, // without `surf` and `curv` these are nothing
    ),
    (
        Key,
        &["Ka", "map_Ka", "Ni", "illum", "sharpness", "Tf", "map_aat", "Pcr", "map_Pcr", "anisor"],
        NOTHING,
    ),
    (Key, &["map_Ks", "map_Ns"], "highlights are as those of the plain material"),
    (Key, &["refl", "map_refl"], "surfaces reflect the studio"),
    (Key, &["disp", "decal"], "its picture is left out"),
    (Key, &["Pc", "map_Pc", "Ps", "map_Ps", "aniso"], "coat, sheen and grain are left out"),
    (Element, &["edge"], "edges are not drawn"),
    (Element, &["material", "camera", "obj_info", "multi_texture_*"], NOTHING),
    (
        Property,
        &["confidence", "quality", "intensity", "value", "radius", "flags", "scalar_*"],
        NOTHING,
    ),
    (Splats, &["nx", "ny", "nz"], NOTHING),
    (StlWord, &["attribute byte count"], "if it is a colour, it has no mark of a known program"),
    (Property, &["texnumber", "nx", "ny", "nz", "curvature", "label", "id", "*_index"], NOTHING),
];

/// What the picture lacks, if the list has the name.
fn known(place: Place, name: &str) -> Option<&'static str> {
    let is_it = |pattern: &&str| match pattern.split_once('*') {
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => *pattern == name,
    };
    let entry = LIST.iter().find(|(of, names, _)| *of == place && names.iter().any(&is_it));
    entry.map(|(_, _, effect)| *effect)
}

/// Whether a name is known, and drawn without.
pub(super) fn is_known(place: Place, name: &str) -> bool {
    known(place, name).is_some()
}

/// Warns of something that is not read, unless no viewer shows it.
pub(super) fn note(place: Place, name: &str, warnings: &mut Warnings) {
    let effect = known(place, name).unwrap_or("it is unknown here, and other viewers may show it");
    if effect != NOTHING {
        warnings.add(Warning::NotDrawn { what: place.noun(), name: shorten(name), effect });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_the_list() {
        let mut table = String::from("| ignored | what the picture lacks |\n| --- | --- |\n");
        for (place, names, effect) in LIST {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let effect = if effect.is_empty() { "nothing" } else { effect };
            table.push_str(&format!("| {} {} | {effect} |\n", place.noun(), names.join(", ")));
        }
        let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/SUPPORT.md");
        let document = std::fs::read_to_string(document).unwrap().replace('\r', "");
        assert!(document.contains(&table), "docs/SUPPORT.md should have this table:\n{table}");
    }
}
