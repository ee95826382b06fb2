//! The names that a type reads itself from: an enum's choices, a struct's keys.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

type Names = &'static [&'static str];

/// The choices of an enum or the keys of a struct, as its `Deserialize` lists them, with aliases;
/// none for other types.
pub fn names<T: DeserializeOwned>() -> Names {
    let mut names: Names = &[];
    // An asker has no value to give, so this is always an error.
    let _ = T::deserialize(Asker(&mut names));
    names
}

/// A flag's value: one of the choices of an enum.
pub fn choice<T>() -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names::<T>())
        .try_map(|name| serde_json::from_value::<T>(serde_json::Value::String(name)))
}

struct Asker<'a>(&'a mut Names);

impl<'de> Deserializer<'de> for Asker<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: Names,
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: Names,
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = variants;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::VertexColors;
    use crate::options::ViewOptions;

    #[test]
    fn a_type_says_its_names() {
        assert_eq!(names::<VertexColors>(), ["linear", "srgb"]);
        assert!(names::<ViewOptions>().starts_with(&["rig", "cameras"]));
        assert!(names::<ViewOptions>().contains(&"size"), "an alias is a name");
        assert!(names::<u32>().is_empty());
    }
}
