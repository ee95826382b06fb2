//! Reads a rubric: TOML and the text next to it → [`Rubric`], and replaces its text by a user's.
//!
//! The rubrics of `prompts/` are built in. The same code reads a user's file, so it can do as much.

use super::features::is_feature;
use super::keys::RESERVED_KEYS;
use super::kind::Declared;
use super::text::{Fill, fill};
use super::text_file::{read_text, toml_reason};
use super::{Content, Criterion, Kind, Options, PictureSpec, Rubric, Scale, Yes};
use crate::error::{self, Error};
use crate::scene::one_of;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Rubrics and questions are a few kilobytes; a larger file is something else.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Criteria of one answer line, or aspects of one object: more than this no judge answers well.
const CRITERIA_MAX: usize = 32;

const BUILT_IN: [(&str, &str, &str); 8] = [
    (
        "pairwise",
        include_str!("../../prompts/pairwise.toml"),
        include_str!("../../prompts/pairwise.md"),
    ),
    (
        "pairwise-image",
        include_str!("../../prompts/pairwise-image.toml"),
        include_str!("../../prompts/pairwise-image.md"),
    ),
    (
        "match-image",
        include_str!("../../prompts/match-image.toml"),
        include_str!("../../prompts/match-image.md"),
    ),
    (
        "reconstruction",
        include_str!("../../prompts/reconstruction.toml"),
        include_str!("../../prompts/reconstruction.md"),
    ),
    (
        "category",
        include_str!("../../prompts/category.toml"),
        include_str!("../../prompts/category.md"),
    ),
    (
        "defects",
        include_str!("../../prompts/defects.toml"),
        include_str!("../../prompts/defects.md"),
    ),
    (
        "features",
        include_str!("../../prompts/features.toml"),
        include_str!("../../prompts/features.md"),
    ),
    (
        "features-image",
        include_str!("../../prompts/features-image.toml"),
        include_str!("../../prompts/features.md"),
    ),
];

/// The TOML as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    kind: Kind,
    /// The text's file, next to the TOML.
    text: PathBuf,
    data: String,
    data_apart: Option<String>,
    data_strip: Option<String>,
    options: Option<Options>,
    scale: Option<Scale>,
    examples: Option<Examples>,
    pictures: Vec<PictureSpec>,
    #[serde(default)]
    criteria: Vec<Criterion>,
    #[serde(default)]
    categories: BTreeMap<String, Vec<Criterion>>,
    yes: Option<Yes>,
    features: Option<Features>,
}

/// How the features of a prompt are asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Features {
    least: u8,
    most: u8,
    text: String,
    data: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Examples {
    before: String,
}

impl Rubric {
    /// The built-in rubric of that name, or the one in that `.toml` file.
    ///
    /// # Errors
    /// [`Error`].
    pub fn open(name_or_path: &str) -> Result<Self, Error> {
        if let Some((name, toml, text)) = BUILT_IN.iter().find(|(name, ..)| *name == name_or_path) {
            let path = PathBuf::from(format!("prompts/{name}.toml"));
            return build(parse(toml, &path)?, text, &path);
        }
        let path = Path::new(name_or_path);
        if path.extension().is_none_or(|extension| extension != "toml") {
            let known = one_of(name_or_path, BUILT_IN.map(|(name, ..)| name));
            return Err(Error::rubric(format!(
                "there is no rubric named {name_or_path:?}, and it is no path of a .toml file; {known}"
            )));
        }
        let file = parse(&read("rubric", path)?, path)?;
        let text = read("rubric", &path.parent().unwrap_or(Path::new("")).join(&file.text))?;
        build(file, &text, path)
    }

    /// The same rubric with the user's text: plain, or for a category rubric a JSON map from
    /// category to text. The text is taken as is, without placeholders, minus a byte-order mark.
    ///
    /// # Errors
    /// [`Error`].
    pub fn with_question(mut self, path: &Path) -> Result<Self, Error> {
        let text = read("question", path)?;
        if text.trim().is_empty() {
            return Err(unusable("question", "it is empty", path));
        }
        self.texts = if self.has_categories() {
            serde_json::from_str(&text).map_err(|e| {
                let reason = format!("it must be a JSON map from category to text ({e})");
                unusable("question", reason, path)
            })?
        } else {
            BTreeMap::from([(String::new(), text)])
        };
        Ok(self.hashed())
    }

    pub(super) fn hashed(mut self) -> Self {
        let canonical = serde_json::to_vec(&self).expect("a rubric is plain data");
        self.hash = blake3::hash(&canonical).to_hex().to_string();
        self
    }
}

fn read(what: &'static str, path: &Path) -> Result<String, Error> {
    read_text(path, FILE_BYTES_MAX).map_err(|e| match e.kind() {
        ErrorKind::InvalidData => unusable(what, e, path),
        _ => unreadable(what, e, path),
    })
}

pub(super) fn unreadable(what: &str, reason: impl Display, path: &Path) -> Error {
    Error::cannot_read(error::Kind::Rubric, what, reason, path)
}

/// The file is read, and it does not hold what it should.
pub(super) fn unusable(what: &str, reason: impl Display, path: &Path) -> Error {
    Error::rubric(format!("the {what} cannot be used: {reason}")).at(path)
}

fn parse(toml: &str, path: &Path) -> Result<File, Error> {
    toml::from_str(toml).map_err(|e| unusable("rubric", toml_reason(&e).replace('\n', " "), path))
}

fn build(file: File, text: &str, path: &Path) -> Result<Rubric, Error> {
    check(&file).map_err(|reason| unusable("rubric", reason, path))?;
    let options = file.options.unwrap_or(Options { left: 1, right: 2, tie: 3 });
    let filled = |template: &str, criteria: &[Criterion]| {
        let with = Fill { kind: file.kind, criteria, pictures: &file.pictures, options };
        fill(template.trim_end(), &with)
    };
    let other =
        |data: &Option<String>| data.as_ref().map(|data| filled(data.trim(), &file.criteria));
    let (data_apart, data_strip) = (other(&file.data_apart), other(&file.data_strip));
    let declared = file.kind.form().declared();
    let (texts, data) = if declared.has_categories {
        let categories = file.categories.iter();
        let texts = categories.map(|(name, aspects)| (name.clone(), filled(text, aspects)));
        (texts.collect(), file.data.trim().to_owned())
    } else {
        (
            BTreeMap::from([(String::new(), filled(text, &file.criteria))]),
            filled(file.data.trim(), &file.criteria),
        )
    };
    let scale = file.scale.unwrap_or(declared.scale);
    let lister = file.features.map(|features| {
        let is_photo = |spec: &&PictureSpec| spec.content == Content::Photo;
        let lister = Rubric {
            name: format!("{} (list)", file.name),
            kind: Kind::Features,
            pictures: file.pictures.iter().filter(is_photo).cloned().collect(),
            criteria: Vec::new(),
            categories: BTreeMap::new(),
            options,
            scale: Scale { min: features.least, max: features.most },
            yes: None,
            lister: None,
            data: features.data.trim().to_owned(),
            data_apart: None,
            data_strip: None,
            example_before: String::new(),
            texts: BTreeMap::from([(String::new(), features.text.trim().to_owned())]),
            hash: String::new(),
        };
        Box::new(lister.hashed())
    });
    Ok(Rubric {
        name: file.name,
        kind: file.kind,
        pictures: file.pictures,
        criteria: file.criteria,
        categories: file.categories,
        options,
        scale,
        yes: file.yes,
        lister,
        data,
        data_apart,
        data_strip,
        example_before: file.examples.map_or_else(String::new, |e| e.before),
        texts,
        hash: String::new(),
    }
    .hashed())
}

/// All that a rubric file may not say.
fn check(file: &File) -> Result<(), String> {
    if file.name.trim().is_empty() {
        return Err("`name` is empty".to_owned());
    }
    if file.pictures.is_empty() {
        return Err("it shows no picture; add a [[pictures]] table".to_owned());
    }
    let ids: BTreeSet<&str> = file.pictures.iter().map(|p| p.id.as_str()).collect();
    if ids.len() < file.pictures.len() {
        return Err("two pictures have the same `id`".to_owned());
    }
    let Declared { name, contents, has_categories, .. } = file.kind.form().declared();
    if let Some(picture) = file.pictures.iter().find(|it| !contents.contains(&it.content)) {
        let known = serde_json::to_string(contents).expect("names");
        return Err(format!(
            "the picture {:?} shows what a question of kind {name:?} does not have; `content` is one of {known}",
            picture.id
        ));
    }
    let (needed, other) = match has_categories {
        true => ("[[categories.NAME]]", "[[criteria]]"),
        false => ("[[criteria]]", "[[categories.NAME]]"),
    };
    let is_checklist = file.kind == Kind::Checklist;
    if !is_checklist && (file.yes.is_some() || file.features.is_some()) {
        return Err(format!("`yes` and [features] are for kind \"checklist\", not {name:?}"));
    }
    if let Some(Features { least, most, .. }) = &file.features {
        if !file.criteria.is_empty() {
            return Err("it has [features] and [[criteria]]; choose one of them".to_owned());
        }
        if *least == 0 || least > most || usize::from(*most) > CRITERIA_MAX {
            return Err(format!(
                "[features] asks for {least} to {most}; at least 1 and at most {CRITERIA_MAX} are allowed"
            ));
        }
        if !file.data.contains("{features}") {
            return Err(
                "`data` must contain {features}, where the list of a prompt goes".to_owned()
            );
        }
    } else if file.criteria.is_empty() != *has_categories
        || file.categories.is_empty() == *has_categories
    {
        return Err(format!("kind {name:?} needs {needed} and no {other}"));
    }
    check_criteria(&file.criteria)?;
    for aspects in file.categories.values() {
        check_criteria(aspects)?;
    }
    if let Some(Options { left, right, tie }) = file.options {
        let marks = BTreeSet::from([left, right, tie]);
        if marks.len() < 3 || marks.iter().any(|mark| *mark > 9) {
            return Err("`options` must be three different digits".to_owned());
        }
    }
    match file.scale {
        Some(Scale { min, max }) if min >= max => {
            Err(format!("`scale` runs from {min} to {max}; min must be smaller"))
        }
        _ => Ok(()),
    }
}

fn check_criteria(criteria: &[Criterion]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for Criterion { key, .. } in criteria {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if key.is_empty() || !key.chars().all(plain) {
            return Err(format!("the key {key:?} may contain only a to z, digits and _"));
        }
        if RESERVED_KEYS.contains(&key.as_str()) || is_feature(key) {
            return Err(format!("the key {key:?} is reserved; choose another"));
        }
        if !seen.insert(key) {
            return Err(format!("the key {key:?} occurs twice"));
        }
    }
    if criteria.len() > CRITERIA_MAX {
        return Err(format!("{} criteria; at most {CRITERIA_MAX} are allowed", criteria.len()));
    }
    Ok(())
}
