//! The words by which replies are read: endings, markers of reasoning, tokens of chat templates,
//! and labels of answers.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

#[derive(Deserialize)]
pub(super) struct Table {
    pub endings: Endings,
    pub tags: Tags,
    pub pairs: BTreeMap<String, Vec<String>>,
    pub template: Template,
    pub labels: Labels,
}

/// The words that announce an answer before a colon.
pub(in super::super) fn labels() -> &'static Labels {
    &TABLE.labels
}

#[derive(Deserialize)]
pub(in super::super) struct Labels {
    pub answers: Vec<String>,
    pub others: Vec<String>,
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
