//! One group of options over another: a flag over a file's key, a keyword over a flag.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What `later` sets, and where it sets nothing, what `earlier` does. Keys that only `later` has
/// are left out, unless `T` refuses them.
///
/// # Errors
/// A path that is not UTF-8, which no file can name.
pub fn or<T: Serialize + DeserializeOwned>(
    later: &impl Serialize,
    earlier: &T,
) -> Result<T, serde_json::Error> {
    let mut merged = given(earlier)?;
    merged.extend(given(later)?);
    serde_json::from_value(Value::Object(merged))
}

/// The keys that a group sets.
///
/// # Errors
/// As [`or`].
pub fn given(group: &impl Serialize) -> Result<Map<String, Value>, serde_json::Error> {
    let Value::Object(keys) = serde_json::to_value(group)? else {
        return Ok(Map::new());
    };
    Ok(keys.into_iter().filter(|(_, value)| !value.is_null()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Tuning;

    #[test]
    fn what_is_given_later_comes_first() {
        let later = Tuning { effort: Some("low".to_owned()), ..Tuning::default() };
        let (effort, stream) = (Some("high".to_owned()), Some(false));
        let earlier = Tuning { effort, stream, ..Tuning::default() };
        let both = or(&later, &earlier).unwrap();
        assert_eq!(both, Tuning { stream, ..later.clone() });
        assert_eq!(given(&both).unwrap().keys().collect::<Vec<_>>(), ["effort", "stream"]);
        assert_eq!(or(&Tuning::default(), &earlier).unwrap(), earlier);
    }
}
