//! What JSON pointers lead to in a reply: states, and the asset.

use serde_json::{Map, Value};

/// Where an asset is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Place {
    Url(String),
    /// A `data:` URL or base64.
    Inline(String),
    /// Parts of an address.
    Object(Map<String, Value>),
}

/// All values of a pointer; `*` means every entry of a list or object.
pub(super) fn values_at<'a>(root: &'a Value, pointer: &str) -> Vec<&'a Value> {
    let mut found = vec![root];
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        found = found
            .into_iter()
            .flat_map(|value| -> Vec<&Value> {
                match value {
                    Value::Array(list) if part == "*" => list.iter().collect(),
                    Value::Object(map) if part == "*" => map.values().collect(),
                    Value::Array(list) => {
                        let index = name.parse::<usize>().ok();
                        index.and_then(|i| list.get(i)).into_iter().collect()
                    }
                    Value::Object(map) => map.get(&name).into_iter().collect(),
                    _ => Vec::new(),
                }
            })
            .collect();
    }
    found
}

/// The asset that the first of the pointers leads to; `wants_object` where its address is put
/// together from the fields of an object.
///
/// A text is the asset. In a list or object, the address must end in .glb, by itself or by the name
/// next to it; if none does, an address that is the only one.
pub(super) fn asset_in(reply: &Value, pointers: &[String], wants_object: bool) -> Option<Place> {
    pointers.iter().find_map(|pointer| {
        let found = values_at(reply, pointer);
        if let [Value::String(text)] = found.as_slice()
            && !wants_object
            && !text.is_empty()
        {
            return Some(if is_address(text) {
                Place::Url(text.clone())
            } else {
                Place::Inline(text.clone())
            });
        }
        let mut candidates = Vec::new();
        for value in found {
            collect(value, wants_object, &mut candidates);
        }
        let glb = candidates.iter().position(|(name, _)| is_glb(name));
        let only = (candidates.len() == 1).then_some(0);
        glb.or(only).map(|place| candidates.swap_remove(place).1)
    })
}

fn collect(value: &Value, wants_object: bool, found: &mut Vec<(String, Place)>) {
    match value {
        Value::String(text) if !wants_object && is_address(text) => {
            found.push((text.clone(), Place::Url(text.clone())));
        }
        Value::String(text) if !wants_object && text.starts_with("data:") => {
            found.push((String::new(), Place::Inline(text.clone())));
        }
        Value::Array(list) => {
            for item in list {
                collect(item, wants_object, found);
            }
        }
        Value::Object(map) => {
            let text = |key: &str| map.get(key).and_then(Value::as_str);
            let name = ["filename", "file_name", "name"].into_iter().find_map(text);
            match (name, text("url")) {
                (Some(name), _) if wants_object => {
                    found.push((name.to_owned(), Place::Object(map.clone())));
                }
                // Signed addresses need not end as the file does.
                (Some(name), Some(url)) if is_glb(name) && !wants_object => {
                    found.push((name.to_owned(), Place::Url(url.to_owned())));
                }
                _ => {
                    for item in map.values() {
                        collect(item, wants_object, found);
                    }
                }
            }
        }
        _ => {}
    }
}

fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

fn is_glb(name: &str) -> bool {
    let path = name.split(['?', '#']).next().unwrap_or("");
    path.to_ascii_lowercase().ends_with(".glb")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn stars_stand_for_every_entry_and_a_glb_is_preferred() {
        let reply = json!({
            "jobs": [{"status": "Done"}, {"status": "Waiting"}],
            "list": [{"name": "a.webp", "url": "https://s/1?k"}, {"name": "b.glb", "url": "https://s/2?k"}],
            "output": {"preview": "https://s/p.png", "mesh": {"url": "https://s/m.GLB?x=1"}},
            "3d": {"7": {"3d": [{"filename": "m.glb", "subfolder": "", "type": "output"}]}},
            "one": ["https://s/unnamed"], "inline": "Z2xURg==",
        });
        assert_eq!(values_at(&reply, "/jobs/*/status"), [&json!("Done"), &json!("Waiting")]);
        assert!(values_at(&reply, "/nothing/*").is_empty());
        let asset = |pointer: &str| asset_in(&reply, &[pointer.to_owned()], false);
        let url = |text: &str| Some(Place::Url(text.to_owned()));
        assert_eq!(asset("/list"), url("https://s/2?k"));
        assert_eq!(asset("/output"), url("https://s/m.GLB?x=1"));
        assert_eq!(asset("/one"), url("https://s/unnamed"));
        assert_eq!(asset("/inline"), Some(Place::Inline("Z2xURg==".to_owned())));
        assert_eq!(asset("/jobs"), None);
        let parts = asset_in(&reply, &["/no".to_owned(), "/3d".to_owned()], true);
        assert!(matches!(parts, Some(Place::Object(map)) if map["filename"] == "m.glb"));
    }
}
