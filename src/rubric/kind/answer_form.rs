//! What a kind of rubric declares, and what the schemas and readers of kinds share.

use crate::rubric::keys::REASONING_KEY;
use crate::rubric::read::slots::Slots;
use crate::rubric::{Content, Criterion, Order, Rubric, Scale, Verdict};
use serde_json::{Map, Value, json};

/// What a kind says of its questions.
pub(crate) struct Declared {
    /// Its name in a rubric's file.
    pub name: &'static str,
    /// What its pictures can hold.
    pub contents: &'static [Content],
    /// The scale of a rubric that states none.
    pub scale: Scale,
    /// Whether it is about two objects, each of which is shown on both sides.
    pub is_of_pairs: bool,
    /// Whether its criteria depend on the category of a prompt.
    pub has_categories: bool,
    /// Whether an object cannot be judged without the photo that it was made from.
    pub needs_photo: bool,
}

/// How the answers of a kind look.
pub(crate) trait AnswerForm {
    fn declared(&self) -> &'static Declared;

    /// The criteria as a list for the judge.
    fn criteria_list(&self, criteria: &[Criterion]) -> String {
        let lines = criteria
            .iter()
            .enumerate()
            .map(|(i, c)| format!("{}. {}. {}", i + 1, c.title, c.description));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The keys that a judge can leave undecided.
    fn keys(&self, rubric: &Rubric, category: Option<&str>) -> Vec<String> {
        rubric.criteria(category).iter().map(|criterion| criterion.key.clone()).collect()
    }

    /// The JSON schema of an answer: an object that takes the place of the last line, or the one
    /// that the rubric's text asks for.
    fn schema(&self, rubric: &Rubric, category: Option<&str>) -> Value;

    /// The instruction to a judge with a schema, where the rubric's text asks for another form.
    fn schema_note(&self, _rubric: &Rubric) -> Option<String> {
        None
    }

    /// The choices of an answer, where a choice is a digit; empty where it is not.
    fn choices(&self, _rubric: &Rubric, _order: Order) -> Vec<Choice> {
        Vec::new()
    }

    /// The meaning of a decision's values, in one sentence.
    fn menu(&self, rubric: &Rubric) -> String;

    /// The decisions that an answer holds, in order; none where the judge can decide nothing.
    fn slots(&self, asked: &AskedAs<'_>) -> Slots;

    /// The verdict on a text whose answer is a list of texts, or why it holds none; none for kinds
    /// that are read by slots.
    fn listed(&self, _rubric: &Rubric, _text: &str) -> Option<Result<Verdict, &'static str>> {
        None
    }

    /// The verdict that the values of the slots are.
    fn verdict(&self, values: &[f64], asked: &AskedAs<'_>) -> Verdict;
}

/// The criteria as a list in which each has its key.
pub(super) fn keyed_list(criteria: &[Criterion]) -> String {
    let line = |c: &Criterion| format!("- {} (`{}`): {}", c.title, c.key, c.description);
    criteria.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The question that a text answers.
pub(crate) struct AskedAs<'a> {
    pub rubric: &'a Rubric,
    pub category: Option<&'a str>,
    pub order: Order,
    /// Keys that the judge says it has no means to answer.
    pub undecided: &'a [String],
}

impl AskedAs<'_> {
    /// The undecided keys that the rubric has, in its order.
    pub(super) fn undecided(&self) -> Vec<String> {
        let all = self.rubric.judged_keys(self.category).into_iter();
        all.filter(|key| self.undecided.contains(key)).collect()
    }
}

/// A choice that a judge makes with one digit.
pub(crate) struct Choice {
    /// Its name in a verdict.
    pub key: String,
    /// The keys that lead to it in an answer by schema.
    pub path: Vec<String>,
    /// Each digit, and its meaning in a verdict.
    pub options: Vec<(String, String)>,
}

/// The schema of an object with exactly these keys.
pub(crate) fn object<'a>(entries: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let properties: Map<String, Value> =
        entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let keys: Vec<&String> = properties.keys().collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": keys,
        "additionalProperties": false,
    })
}

/// The schema of a choice after its reasoning.
pub(super) fn reasoned(key: &str, choice: &Choice) -> Value {
    let marks: Vec<&String> = choice.options.iter().map(|(mark, _)| mark).collect();
    object([
        (REASONING_KEY, json!({"type": "string"})),
        (key, json!({"type": "string", "enum": marks})),
    ])
}
