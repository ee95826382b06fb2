//! Builds a question: text, worked examples, data and pictures, in the judge's reading order.

use super::features::{feature_key, features};
use super::file::{unreadable, unusable};
use super::limits::{EXAMPLES_MAX, PROMPT_CHARS_MAX};
use super::picture::Picture;
use super::text::quote;
use super::{Content, PictureSpec, Rubric};
use crate::error::Error;
use crate::scene::one_of;
use std::path::Path;

/// The file of a worked example that holds its answer.
const ANSWER_FILE: &str = "answer.txt";

/// A piece of the message, in the order the judge reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Text(String),
    Picture(Picture),
    /// A worked example's closing answer (sent as an assistant turn where the route has turns).
    ExampleAnswer(String),
}

/// A worked example: the pictures of a question and a model answer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// As many as the rubric shows, in its order.
    pub pictures: Vec<Picture>,
    /// What a good judge would write.
    pub answer: String,
}

impl Rubric {
    /// The message: text, worked examples, data, then the pictures, each after its label.
    ///
    /// `pictures` are as many as [`Rubric::pictures`] and in that order. Where `sides` names
    /// several, the photo is as many pictures, each with the name of the side that it shows.
    ///
    /// # Errors
    /// [`Error`].
    pub fn message(
        &self,
        category: Option<&str>,
        prompt: Option<&str>,
        examples: &[Example],
        pictures: &[Picture],
        sides: &[&str],
    ) -> Result<Vec<Part>, Error> {
        let text = self.text(category)?;
        let mut data = self.data_with(prompt)?;
        if self.lister.is_some() {
            let list =
                category.ok_or_else(|| Error::rubric(format!("the rubric {:?} checks the features of a prompt, which a benchmark lists; elsewhere, give them as the category, separated by semicolons", self.name)))?;
            let list = features(list).enumerate();
            let lines = list.map(|(i, it)| format!("{}: {}", feature_key(i + 1), quote(it)));
            data = data.replace("{features}", &lines.collect::<Vec<_>>().join("\n"));
        }
        if !examples.is_empty() && self.example_before.is_empty() {
            return Err(Error::rubric(format!(
                "the rubric {:?} takes no worked examples; leave them out",
                self.name
            )));
        }
        let mut parts = Vec::new();
        let mut words = text.to_owned();
        for (i, example) in examples.iter().enumerate() {
            let number = (i + 1).to_string();
            append(&mut words, &self.example_before.replace("{number}", &number));
            self.show(&example.pictures, &[], &mut words, &mut parts)?;
            parts.push(Part::ExampleAnswer(example.answer.clone()));
        }
        append(&mut words, &data);
        self.show(pictures, sides, &mut words, &mut parts)?;
        if !words.is_empty() {
            parts.push(Part::Text(words));
        }
        Ok(parts)
    }

    /// What the judge reads before any data.
    ///
    /// # Errors
    /// A rubric with categories that gets none or an unknown one.
    pub fn text(&self, category: Option<&str>) -> Result<&str, Error> {
        let name = category.filter(|_| self.has_categories()).unwrap_or("");
        let known = !self.has_categories() || self.categories.contains_key(name);
        self.texts.get(name).filter(|_| known).map(String::as_str).ok_or_else(|| {
            // With a user's map of texts, only what both it and the rubric know can be asked.
            let known: Vec<&str> = self
                .categories
                .keys()
                .filter(|name| self.texts.contains_key(*name))
                .map(String::as_str)
                .collect();
            Error::rubric(format!(
                "{name:?} is not a category of the rubric {:?}; {}",
                self.name,
                one_of(name, known)
            ))
        })
    }

    /// The worked examples in a folder: each sub-folder, sorted by name, holds one picture per
    /// picture of the rubric and `answer.txt`. A picture is found by the rubric's name for it
    /// (`highlighted.png`, also with a number ahead, `1_highlighted.png`, and as `.jpg` or
    /// `.webp`); where no name fits, the pictures are taken in the order of their names.
    ///
    /// # Errors
    /// [`Error`].
    pub fn examples(&self, folder: &Path) -> Result<Vec<Example>, Error> {
        let folders: Vec<_> = entries(folder)?.into_iter().filter(|path| path.is_dir()).collect();
        if folders.is_empty() {
            let reason = format!(
                "it has no sub-folders; each example is a folder with its pictures and {ANSWER_FILE}"
            );
            return Err(unusable("example", reason, folder));
        }
        if folders.len() > EXAMPLES_MAX {
            return Err(Error::rubric(format!(
                "{} worked examples were given; at most {} are shown",
                folders.len(),
                EXAMPLES_MAX
            ))
            .at(folder));
        }
        folders.iter().map(|path| self.example(path)).collect()
    }

    fn example(&self, folder: &Path) -> Result<Example, Error> {
        let answer_path = folder.join(ANSWER_FILE);
        let answer = std::fs::read_to_string(&answer_path)
            .map_err(|e| unreadable("example", e, &answer_path))?;
        if answer.trim().is_empty() {
            return Err(unusable("example", "it is empty", &answer_path));
        }
        let is_picture = |path: &std::path::PathBuf| {
            let extension = path.extension().map(|e| e.to_ascii_lowercase());
            extension.is_some_and(|e| ["png", "jpg", "jpeg", "webp"].iter().any(|k| e == *k))
        };
        let files: Vec<_> = entries(folder)?.into_iter().filter(is_picture).collect();
        if files.len() != self.pictures.len() {
            let ids: Vec<&str> = self.pictures.iter().map(|p| p.id.as_str()).collect();
            return Err(unusable(
                "example",
                format!(
                    "it has {} pictures, but the rubric shows {}: {}",
                    files.len(),
                    ids.len(),
                    ids.join(", ")
                ),
                folder,
            ));
        }
        let by_name: Option<Vec<&std::path::PathBuf>> = self
            .pictures
            .iter()
            .map(|spec| {
                files.iter().find(|path| {
                    let stem = path.file_stem().map(|s| s.to_string_lossy().to_lowercase());
                    stem.is_some_and(|s| {
                        s.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_' || c == '-')
                            == spec.id
                    })
                })
            })
            .collect();
        let pictures = by_name
            .unwrap_or_else(|| files.iter().collect())
            .iter()
            .map(|path| Picture::open(path))
            .collect::<Result<_, _>>()?;
        Ok(Example { pictures, answer: answer.trim().to_owned() })
    }

    fn data_with(&self, prompt: Option<&str>) -> Result<String, Error> {
        if !self.quotes_prompt() {
            return Ok(self.data.clone());
        }
        let prompt = prompt.ok_or_else(|| {
            Error::rubric(format!("the rubric {:?} quotes the text prompt; give one", self.name))
                .option("prompt")
        })?;
        let chars = prompt.chars().count();
        if chars > PROMPT_CHARS_MAX {
            return Err(Error::rubric(format!(
                "the text prompt has {chars} characters; at most {} are allowed",
                PROMPT_CHARS_MAX
            )));
        }
        Ok(self.data.replace("{prompt}", &quote(prompt)))
    }

    /// Moves `words` and the labelled pictures to `parts`; `words` is empty afterwards.
    fn show(
        &self,
        pictures: &[Picture],
        sides: &[&str],
        words: &mut String,
        parts: &mut Vec<Part>,
    ) -> Result<(), Error> {
        let labels = |spec: &PictureSpec| match (spec.content, sides) {
            (Content::Photo, [_, _, ..]) => {
                let label = spec.label.trim_end_matches(':');
                let named = sides.iter().map(|side| format!("{label} ({side}):"));
                named.collect()
            }
            (Content::PairBelowPhoto, [_, _, ..]) => {
                let sides = sides.join(", ");
                vec![format!("Photos (from the left: {sides}), and below them both objects:")]
            }
            _ => vec![spec.label.clone()],
        };
        let labels: Vec<String> = self.pictures.iter().flat_map(labels).collect();
        if pictures.len() != labels.len() {
            return Err(Error::rubric(format!(
                "the rubric {:?} shows {} pictures, but {} were given",
                self.name,
                labels.len(),
                pictures.len()
            )));
        }
        for (label, picture) in labels.iter().zip(pictures) {
            append(words, label);
            if !words.is_empty() {
                parts.push(Part::Text(std::mem::take(words)));
            }
            parts.push(Part::Picture(picture.clone()));
        }
        Ok(())
    }
}

fn append(words: &mut String, paragraph: &str) {
    if !words.is_empty() && !paragraph.is_empty() {
        words.push_str("\n\n");
    }
    words.push_str(paragraph);
}

/// What a folder holds, sorted by name.
fn entries(folder: &Path) -> Result<Vec<std::path::PathBuf>, Error> {
    let unreadable = |e: std::io::Error| unreadable("example", e, folder);
    let mut paths = std::fs::read_dir(folder)
        .map_err(unreadable)?
        .map(|entry| entry.map(|e| e.path()).map_err(unreadable))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}
