//! Any text → a name that one file or folder can have on every system. The only way from a name of
//! somebody else's to a path of ours.

use std::collections::BTreeMap;

/// Longest name in bytes. File systems take 255, some encrypted ones 143; part files add to it.
pub const NAME_BYTES_MAX: usize = 120;

/// Hexadecimal digits of the text's hash in a name that had to be changed.
const HASH_DIGITS: usize = 8;

/// Whether no name may have this character on some system.
pub fn is_forbidden(c: char) -> bool {
    c.is_control() || "/\\:*?\"<>|".contains(c)
}

/// A text that can name a file is its own name. Any other becomes one with a hash of the text at
/// its end, so that two texts never share a name: `..` is `__-` and eight digits.
pub fn file_name(text: &str) -> String {
    let mut name: String = text.chars().map(|c| if is_forbidden(c) { '_' } else { c }).collect();
    // A hidden file, this folder, the one above; and ends that Windows drops.
    if name.starts_with('.') {
        name.replace_range(..1, "_");
    }
    if name.ends_with(['.', ' ']) {
        name.pop();
        name.push('_');
    }
    if is_device(&name) {
        name.insert(0, '_');
    }
    if name == text && !text.is_empty() && text.len() <= NAME_BYTES_MAX {
        return name;
    }
    with_hash(name, text)
}

fn with_hash(mut name: String, text: &str) -> String {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    name.truncate(name.floor_char_boundary(NAME_BYTES_MAX - HASH_DIGITS - 1));
    format!("{name}-{}", &hash[..HASH_DIGITS])
}

/// One name for each of many different texts, whatever their order: its own, ending in a hash of
/// the text where the file system could take it for another's, as they differ only in capitals.
pub fn distinct_names(texts: &[&str]) -> Vec<String> {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    let names: Vec<String> = texts.iter().map(|text| file_name(text)).collect();
    for name in &names {
        *uses.entry(name.to_lowercase()).or_default() += 1;
    }
    names
        .into_iter()
        .zip(texts)
        .map(|(name, text)| match uses[&name.to_lowercase()] {
            1 => name,
            _ => with_hash(name, text),
        })
        .collect()
}

/// One name for each text, different from all others even where the file system takes capitals for
/// small letters: `-2`, `-3` … is added to one that comes again.
pub fn file_names<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let one = |text: &'a str| {
        let stem = file_name(text);
        let mut name = stem.clone();
        while taken.contains_key(&name.to_lowercase()) {
            let last = taken.entry(stem.to_lowercase()).or_insert(1);
            *last += 1;
            name = format!("{stem}-{last}");
        }
        taken.insert(name.to_lowercase(), 1);
        name
    };
    texts.into_iter().map(one).collect()
}

/// Whether Windows takes it for a device, whatever its extension.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let stem = stem.to_ascii_uppercase();
    let port = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem.as_str())
        || port.is_some_and(|n| n.chars().count() == 1 && n.contains(|c: char| c.is_numeric()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::{Component, Path};

    #[test]
    fn hostile_names_name_one_file_in_their_folder_and_never_the_same() {
        let long = "ä".repeat(400);
        let hostile = [
            "",
            ".",
            "..",
            "...",
            "/",
            "\\",
            "a/b",
            "a\\b",
            "a:b",
            "a_b",
            "/etc/passwd",
            "../../x",
            "..\\x",
            "C:",
            "a\0b",
            "a\nb",
            "CON",
            "con.txt",
            "NUL",
            "com1",
            "COM¹",
            "LPT9.glb",
            "a.",
            "a ",
            "a. .",
            ".hidden",
            "-",
            "~",
            &long,
            &long[..300],
            "é",
            "e\u{301}",
            " ",
            "\u{202e}x",
        ];
        let mut seen = BTreeSet::new();
        for text in hostile {
            let name = file_name(text);
            let parts: Vec<_> = Path::new(&name).components().collect();
            assert!(
                matches!(&*parts, [Component::Normal(part)] if *part == name.as_str()),
                "{text:?}: {name:?}"
            );
            assert!(
                name.len() <= NAME_BYTES_MAX && !name.contains(is_forbidden),
                "{text:?}: {name:?}"
            );
            assert!(
                !name.starts_with('.') && !name.ends_with(['.', ' ']) && !is_device(&name),
                "{text:?}: {name:?}"
            );
            assert!(seen.insert(name.clone()), "{text:?}: {name:?} is another's too");
            assert_eq!(file_name(&name), name, "a name that was made is left as it is");
        }
        for good in ["chair", "Chair 2", "a_DSLR_photo.final", "椅子", "console", "com10", "$x"] {
            assert_eq!(file_name(good), good);
        }
    }

    #[test]
    fn names_that_come_again_get_numbers_and_never_collide() {
        let names = file_names(["chair", "chair", "chair-2", "Chair", "..", ".."]);
        let dots = file_name("..");
        let expected = ["chair", "chair-2", "chair-2-2", "Chair-3"].map(str::to_owned);
        assert_eq!(names[..4], expected);
        assert_eq!(names[4..], [dots.clone(), dots + "-2"]);
    }

    #[test]
    fn texts_that_differ_only_in_capitals_have_names_that_do_not() {
        let texts = ["Chair", "chair", "table", "ÄRA", "ära", "a/b"];
        let names = distinct_names(&texts);
        let folded: BTreeSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!(folded.len(), texts.len(), "{names:?}");
        assert_eq!([&names[2], &names[5]], ["table", &file_name("a/b")]);
        let reversed: Vec<&str> = texts.into_iter().rev().collect();
        let other: BTreeSet<String> = distinct_names(&reversed).into_iter().collect();
        assert_eq!(other, names.into_iter().collect(), "the order changes nothing");
    }
}
