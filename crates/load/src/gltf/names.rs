//! The names in a glTF JSON that a file can make up: extensions, attributes, and members that glTF
//! 2.0 does not have. `gltf-json` passes over them.

use super::super::ignored::Place;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

/// Members of all objects of glTF 2.0, but `extras` and what those here have within.
const MEMBERS: &str = " accessor accessors alphaCutoff alphaMode animations array asset \
    aspectRatio attributes baseColorFactor baseColorTexture buffer bufferView bufferViews buffers \
    byteLength byteOffset byteStride camera cameras channels children componentType copyright \
    count doubleSided emissiveFactor emissiveTexture extensions extensionsRequired \
    extensionsUsed generator image images index indices input interpolation \
    inverseBindMatrices joints magFilter material materials matrix max mesh meshes \
    metallicFactor metallicRoughnessTexture mimeType min minFilter minVersion mode name node \
    nodes normalTexture normalized occlusionTexture orthographic output path \
    pbrMetallicRoughness perspective primitives rotation roughnessFactor sampler samplers scale \
    scene scenes skeleton skin skins source sparse strength target targets texCoord texture \
    textures translation type uri values version weights wrapS wrapT xmag yfov ymag zfar znear ";

/// Those that are read; see [`super::primitive`] and [`super::instances`].
const ATTRIBUTES: &str = " POSITION NORMAL TANGENT COLOR_0 JOINTS_0 JOINTS_1 JOINTS_2 JOINTS_3 WEIGHTS_0 WEIGHTS_1 WEIGHTS_2 WEIGHTS_3 \
    TRANSLATION ROTATION SCALE _COLOR_0 ";

static KNOWN: LazyLock<[BTreeSet<&str>; 2]> =
    LazyLock::new(|| [MEMBERS, ATTRIBUTES].map(|list| list.split_whitespace().collect()));

/// Place and name, each once.
type Names = BTreeSet<(u8, String)>;

/// Collects the names of a JSON text; of one that is broken those before the error.
pub(super) fn collect(json: &[u8]) -> Vec<(Place, String)> {
    let mut names = Names::new();
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let walk = Walk { at: At::Core, names: &mut names };
    // An error is reported by the reader of values.
    let _ = walk.deserialize(&mut deserializer);
    let places = [Place::Extension, Place::Attribute, Place::Member];
    names.into_iter().map(|(place, name)| (places[usize::from(place)], name)).collect()
}

/// What the keys of an object are.
#[derive(Clone, Copy, PartialEq)]
enum At {
    Core,
    Extensions,
    /// Names are the extension's own.
    Extension,
    Attributes,
}

struct Walk<'n> {
    at: At,
    names: &'n mut Names,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let (unknown, inner) = match (self.at, key.as_str()) {
                (At::Extensions, _) => (Some(0), Some(At::Extension)),
                (At::Attributes, name) => {
                    // Of texture coordinates there is a warning with a count.
                    let is_read = name.starts_with("TEXCOORD_") || KNOWN[1].contains(name);
                    ((!is_read).then_some(1), None)
                }
                (_, "extras") => (None, None),
                (_, "extensions") => (None, Some(At::Extensions)),
                (_, "attributes") => (None, Some(At::Attributes)),
                (At::Core, "targets") => (None, Some(At::Attributes)),
                (At::Core, name) if !KNOWN[0].contains(name) => (Some(2), None),
                (at, _) => (None, Some(at)),
            };
            match inner {
                Some(at) => map.next_value_seed(Walk { at, names: self.names })?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
            if let Some(place) = unknown {
                self.names.insert((place, key));
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Walk { at: self.at, names: self.names })?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
