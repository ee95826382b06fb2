//! One object and a checklist, each item answered yes, partly or no; and the features that a prompt
//! calls for, listed in one answer, which are the checklist of that prompt.

use super::answer_form::{AnswerForm, AskedAs, Declared, keyed_list, object};
use crate::rubric::features::{feature_key, features};
use crate::rubric::keys::{CHOICE_KEY, REASONING_KEY};
use crate::rubric::read::object::{Node, objects};
use crate::rubric::read::slots::{Allowed, Slots, WORDS};
use crate::rubric::verdict::Overall;
use crate::rubric::{Content, Criterion, Rubric, Scale, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) struct Checklist;

/// The list of a prompt's features.
pub(super) struct Features;

const DECLARED: Declared = Declared {
    name: "checklist",
    contents: &[Content::Picture, Content::Photo],
    scale: Scale { min: 0, max: 1 },
    is_of_pairs: false,
    has_categories: false,
    needs_photo: false,
};

const LISTED: Declared = Declared { name: "features", contents: &[Content::Photo], ..DECLARED };

/// Characters of a feature: a short sentence.
const FEATURE_CHARS_MAX: usize = 200;

impl AnswerForm for Checklist {
    fn declared(&self) -> &'static Declared {
        &DECLARED
    }

    fn criteria_list(&self, criteria: &[Criterion]) -> String {
        keyed_list(criteria)
    }

    fn keys(&self, rubric: &Rubric, category: Option<&str>) -> Vec<String> {
        match (rubric.lister(), category) {
            (None, _) => rubric.criteria.iter().map(|item| item.key.clone()).collect(),
            (Some(_), Some(list)) => (1..=features(list).count()).map(feature_key).collect(),
            (Some(lister), None) => Features.keys(lister, None),
        }
    }

    fn schema(&self, rubric: &Rubric, category: Option<&str>) -> Value {
        let item = object([
            (REASONING_KEY, json!({"type": "string"})),
            (CHOICE_KEY, json!({"type": "string", "enum": WORDS.map(|(word, _)| word)})),
        ]);
        let keys = self.keys(rubric, category);
        object(keys.iter().map(|key| (key.as_str(), item.clone())))
    }

    fn menu(&self, _rubric: &Rubric) -> String {
        "Each decision is yes, partly or no.".to_owned()
    }

    fn slots(&self, asked: &AskedAs<'_>) -> Slots {
        let mut keys = self.keys(asked.rubric, asked.category);
        keys.retain(|key| !asked.undecided.contains(key));
        Slots { keys, allowed: Allowed::Words, may_be_open: false }
    }

    fn verdict(&self, values: &[f64], asked: &AskedAs<'_>) -> Verdict {
        let keys = self.slots(asked).keys;
        let aspects: BTreeMap<String, f64> = keys.into_iter().zip(values.iter().copied()).collect();
        let undecided = asked.undecided();
        let mean = aspects.values().sum::<f64>() / aspects.len() as f64;
        // Items of one list are about different things; features are all about one prompt.
        let is_whole = asked.rubric.lister().is_some() && undecided.is_empty();
        let overall = is_whole.then_some(Overall { stated: mean, mean });
        Verdict::Category { aspects, overall, undecided }
    }
}

impl AnswerForm for Features {
    fn declared(&self) -> &'static Declared {
        &LISTED
    }

    fn keys(&self, rubric: &Rubric, _category: Option<&str>) -> Vec<String> {
        (1..=usize::from(rubric.scale.max)).map(feature_key).collect()
    }

    fn schema(&self, rubric: &Rubric, _category: Option<&str>) -> Value {
        let keys = self.keys(rubric, None);
        object(keys.iter().map(|key| (key.as_str(), json!({"type": ["string", "null"]}))))
    }

    fn menu(&self, rubric: &Rubric) -> String {
        let Scale { min, max } = rubric.scale;
        format!("There are {min} to {max} features.")
    }

    fn slots(&self, asked: &AskedAs<'_>) -> Slots {
        let keys = self.keys(asked.rubric, None);
        Slots { keys, allowed: Allowed::Words, may_be_open: false }
    }

    fn verdict(&self, _values: &[f64], asked: &AskedAs<'_>) -> Verdict {
        Verdict::Category { aspects: BTreeMap::new(), overall: None, undecided: asked.undecided() }
    }

    fn listed(&self, rubric: &Rubric, text: &str) -> Option<Result<Verdict, &'static str>> {
        Some(list(rubric, text))
    }
}

/// The features are the aspects of the verdict, each 1.
fn list(rubric: &Rubric, text: &str) -> Result<Verdict, &'static str> {
    let is_end = |rest: &str| rest.chars().all(|c| c.is_whitespace() || c == '`');
    let found = objects(text).pop().filter(|(place, _)| is_end(&text[place.end..]));
    let Some((_, Node::Object(members))) = found else {
        return Err("the reply does not end with the JSON object of features");
    };
    let keys = Features.keys(rubric, None);
    let mut aspects = BTreeMap::new();
    for (key, value) in &members {
        let text = match value {
            Node::Text(text) => {
                text.split([';', '\n']).map(str::trim).collect::<Vec<_>>().join(", ")
            }
            Node::Null => String::new(),
            _ => return Err("a feature is not a text"),
        };
        if !keys.contains(key) || text.chars().count() > FEATURE_CHARS_MAX {
            return Err("the object has other keys than were asked for, or a feature is too long");
        }
        aspects.extend((!text.is_empty()).then_some((text, 1.0)));
    }
    let Scale { min, max } = rubric.scale;
    if !(usize::from(min)..=usize::from(max)).contains(&aspects.len()) {
        return Err("the reply has fewer features than were asked for");
    }
    Ok(Verdict::Category { aspects, overall: None, undecided: Vec::new() })
}
