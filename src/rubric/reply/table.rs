//! The words by which replies are read: endings, markers of reasoning, tokens of chat templates,
//! and how answers are announced.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

#[derive(Deserialize)]
pub(super) struct Table {
    pub endings: Endings,
    pub tags: Tags,
    pub pairs: BTreeMap<String, Vec<String>>,
    pub template: Template,
    pub announcements: Announcements,
}

/// How answers are announced and taken back; see the table.
#[derive(Deserialize)]
pub(in super::super) struct Announcements {
    pub answers: Vec<String>,
    pub around: Vec<String>,
    pub finals: Vec<String>,
    pub answers_glued: Vec<String>,
    pub around_glued: Vec<String>,
    pub finals_glued: Vec<String>,
    pub drafts: Vec<String>,
    pub drafts_glued: Vec<String>,
    pub examples: Vec<String>,
    pub others: Vec<String>,
    pub foreign: Vec<String>,
    pub choosing: Vec<String>,
    pub linking: Vec<String>,
    pub unjudged: Vec<String>,
    pub digit_names: Vec<String>,
    pub quantities: Vec<String>,
    pub doubts: Vec<String>,
    pub retractions: Vec<String>,
    pub mentions: Vec<String>,
    pub closings: Vec<String>,
    pub reasons: Vec<String>,
    pub subjects: Vec<String>,
    pub contrasts: Vec<String>,
    pub hedges: Vec<String>,
    pub conditions: Vec<String>,
    pub corrections: Vec<String>,
    pub replacements: Vec<String>,
    pub sides: [Vec<String>; 3],
    pub better: Vec<String>,
    pub adverbs: Vec<String>,
    pub blind: Vec<String>,
    pub without: Vec<String>,
    pub seeing: Vec<String>,
    pub articles: Vec<String>,
    pub pictures: Vec<String>,
    pub after_pictures: Vec<String>,
    pub refusals: Vec<String>,
    pub declines: Vec<String>,
    pub declined: Vec<String>,
    pub score_words: Vec<String>,
    pub score_hedges: Vec<String>,
    pub score_keys: [Vec<String>; 2],
    pub choice_keys: Vec<String>,
    pub rating_keys: Vec<String>,
    pub overall_keys: Vec<String>,
    pub overall_names: Vec<String>,
    pub score_verbs: Vec<String>,
    pub score_subjects: Vec<String>,
    pub numerals: [Vec<String>; 3],
    pub counts: Vec<String>,
    pub side_stems: [Vec<String>; 2],
    pub tallies: Vec<String>,
    pub wholes: Vec<String>,
    pub wins: Vec<String>,
    pub offers: Vec<String>,
    pub subject_keys: Vec<String>,
    pub note_keys: Vec<String>,
    pub grades: [Vec<String>; 3],
}

pub(in super::super) fn announcements() -> &'static Announcements {
    &TABLE.announcements
}

#[derive(Deserialize)]
pub(super) struct Endings {
    pub complete: Vec<String>,
    pub cut: Vec<String>,
    pub declined: Vec<String>,
    pub prefixes: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Tags {
    pub brackets: Vec<[String; 2]>,
    pub stems: Vec<String>,
    pub names: Vec<String>,
    pub answers: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Template {
    pub turn_ends: Vec<String>,
    pub turn_starts: Vec<String>,
    pub others: Vec<String>,
    pub roles: Vec<String>,
}

pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let table = toml::from_str(include_str!("../../../assets/replies.toml"));
    // As JSON's values, whose reader is a third of TOML's in the program.
    serde_json::from_value(table.expect("it is TOML")).expect("a test reads it")
});
