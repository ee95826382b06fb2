//! How the path of an asset may be read: as a pattern with places, a prompt and a seed.

use crate::bench::make::escaped;

/// One way to read a path below a generator's folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reading {
    /// Below the generator's folder, with `{prompt_id}` and `{seed}`; a `*` in its last part
    /// matches any characters.
    pub pattern: String,
    pub prompt: String,
    pub seed: Option<u32>,
}

/// All ways to read a path of one to three parts, most specific first; none if unknown.
pub(super) fn readings(parts: &[&str]) -> Vec<Reading> {
    let Some((file, folders)) = parts.split_last() else {
        return Vec::new();
    };
    let Some((stem, extension)) = file.rsplit_once('.') else {
        return Vec::new();
    };
    let (stem_pattern, extension) = (escaped(stem), escaped(extension));
    // In a folder with this pattern: this name, the only one of its format, the only file.
    let inside = |folder: &str| {
        [format!("{stem_pattern}.{extension}"), format!("*.{extension}"), "*".to_owned()]
            .map(|file| format!("{folder}/{file}"))
    };
    let mut found = Vec::new();
    let mut add = |pattern: String, prompt: &str, seed: Option<u32>| {
        found.push(Reading { pattern, prompt: prompt.to_owned(), seed });
    };
    match folders {
        [] => {
            if let Some((prompt, between, seed)) = seeded(stem)
                && !prompt.is_empty()
            {
                let start = format!("{{prompt_id}}{}{{seed}}", escaped(between));
                add(format!("{start}.{extension}"), prompt, Some(seed));
                add(format!("{start}.*"), prompt, Some(seed));
            }
            add(format!("{{prompt_id}}.{extension}"), stem, None);
            add("{prompt_id}.*".to_owned(), stem, None);
        }
        [folder] => {
            if let Some((prompt, between, seed)) = seeded(folder)
                && !prompt.is_empty()
            {
                let start = format!("{{prompt_id}}{}{{seed}}", escaped(between));
                inside(&start).into_iter().for_each(|pattern| add(pattern, prompt, Some(seed)));
            }
            if stem == *folder {
                add(format!("{{prompt_id}}/{{prompt_id}}.{extension}"), folder, None);
            }
            if let Some((before, seed)) = seed_of(stem) {
                let before = escaped(before);
                add(format!("{{prompt_id}}/{before}{{seed}}.{extension}"), folder, Some(seed));
            }
            inside("{prompt_id}").into_iter().for_each(|pattern| add(pattern, folder, None));
        }
        [prompt, folder] => {
            if let Some((before, seed)) = seed_of(folder) {
                let start = format!("{{prompt_id}}/{}{{seed}}", escaped(before));
                inside(&start).into_iter().for_each(|pattern| add(pattern, prompt, Some(seed)));
            }
        }
        _ => {}
    }
    found
}

/// `chair_seed1` is `chair`, `_seed`, 1. No leading zeros: `{seed}` never has them.
fn seeded(name: &str) -> Option<(&str, &str, u32)> {
    let (before, seed) = split_number(name)?;
    let word = before.trim_end_matches(['_', '-', '=']);
    let at = word.len().checked_sub("seed".len())?;
    let is_seed = word.get(at..)?.eq_ignore_ascii_case("seed");
    let prompt = word[..at].trim_end_matches(['_', '-', '.', ' ']);
    // `birdseed1` is a prompt.
    (is_seed && (prompt.len() < at || at == 0)).then(|| (prompt, &before[prompt.len()..], seed))
}

/// The seed of a name in a prompt's folder: `0`, `seed_0`, `mesh_seed0`; with the part before it.
fn seed_of(name: &str) -> Option<(&str, u32)> {
    let (before, seed) = split_number(name)?;
    (before.is_empty() || seeded(name).is_some()).then_some((before, seed))
}

fn split_number(name: &str) -> Option<(&str, u32)> {
    let before = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &name[before.len()..];
    let seed: u32 = number.parse().ok()?;
    (seed.to_string() == number).then_some((before, seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_prompts_and_seeds() {
        let first = |parts: &[&str]| {
            let reading = readings(parts).into_iter().next().unwrap();
            (reading.pattern, reading.prompt, reading.seed)
        };
        let is = |pattern: &str, prompt: &str, seed| (pattern.to_owned(), prompt.to_owned(), seed);
        assert_eq!(first(&["a.glb"]), is("{prompt_id}.glb", "a", None));
        assert_eq!(first(&["a-Seed_7.glb"]), is("{prompt_id}-Seed_{seed}.glb", "a", Some(7)));
        assert_eq!(first(&["birdseed7.glb"]), is("{prompt_id}.glb", "birdseed7", None));
        assert_eq!(first(&["a_seed007.glb"]), is("{prompt_id}.glb", "a_seed007", None));
        assert_eq!(first(&["a", "a.obj"]), is("{prompt_id}/{prompt_id}.obj", "a", None));
        assert_eq!(first(&["a", "3.glb"]), is("{prompt_id}/{seed}.glb", "a", Some(3)));
        assert_eq!(
            first(&["a", "3", "m{x}.glb"]),
            is("{prompt_id}/{seed}/m{{x}}.glb", "a", Some(3))
        );
        assert_eq!(first(&["a_seed3", "m.glb"]), is("{prompt_id}_seed{seed}/m.glb", "a", Some(3)));
        assert!(readings(&["a", "b", "c.glb"]).is_empty());
    }
}
