//! A request: one question to one judge, for the nth time. Its keys distinguish it from every
//! other, in this run and in later ones.

use crate::judge::{Asset, Judge, Part, PhotoKey, Question};
use crate::rubric::Order;
use serde_json::json;
use std::sync::Arc;

/// A question × a judge × a sample.
#[derive(Debug, Clone)]
pub struct Request {
    /// BLAKE3 over the content and the compared assets and photos; hexadecimal. The record's `id`.
    pub id: String,
    /// BLAKE3 over the content and the recipient: message, judge, address, settings, sample, order.
    /// Two requests with equal content have the same reply, whatever their assets are called.
    pub content_hash: String,
    pub question: Arc<Question>,
    /// Counts from 0.
    pub sample: u32,
    pub judge: String,
    /// The judge's server; none for a judge without one.
    pub base_url: Option<String>,
    /// See [`Judge::settings`].
    pub settings: String,
    /// See [`PlanKeys`].
    pub plan_key: Option<String>,
}

/// Makes the keys that requests have before their pictures are drawn, for one judge and sample: a
/// resumed run makes one for every question.
#[derive(Debug)]
pub struct PlanKeys {
    /// The end of the canonical text, which all share.
    end: String,
}

impl PlanKeys {
    /// Of the `sample`th request to `judge`.
    pub fn new(judge: &Judge, sample: u32) -> Self {
        let said = json!([judge.name(), judge.base_url(), judge.settings(), sample]).to_string();
        let end = said.replacen('[', ",", 1);
        Self { end }
    }

    /// Of a question with that [`Question::plan_key`].
    pub fn key(&self, question_key: &str, order: Order) -> String {
        let start = json!(["planned 1", question_key, order.as_str()]).to_string();
        let start = start.strip_suffix(']').unwrap_or(&start);
        let mut hasher = blake3::Hasher::new();
        hasher.update(start.as_bytes()).update(self.end.as_bytes());
        hasher.finalize().to_hex().to_string()
    }
}

impl Request {
    /// The content hash of the same message to the judge as it was with other settings.
    pub fn hash_with(&self, settings: &str) -> String {
        let asked = (&*self.judge, self.base_url.as_deref(), settings, self.sample);
        content_hash(&self.question, self.question.order, asked)
    }

    /// The content hash of the same message with a pair's generators listed the other way round.
    pub fn swapped_hash(&self) -> Option<String> {
        let question = self.question.b.is_some().then_some(&*self.question)?;
        let other = Order::BOTH.into_iter().find(|order| *order != question.order)?;
        let asked = (&*self.judge, self.base_url.as_deref(), &*self.settings, self.sample);
        Some(content_hash(question, other, asked))
    }

    /// Puts `question` to `judge` for the `sample`th time.
    pub fn new(question: &Arc<Question>, judge: &Judge, sample: u32) -> Self {
        let (name, settings) = (judge.name(), judge.settings());
        let asked = (name.as_str(), judge.base_url(), settings.as_str(), sample);
        let content_hash = content_hash(question, question.order, asked);
        // The compared methods are part of the identity, since two may have made equal files; the
        // paths of the files are not.
        let which = json!([
            "question 1",
            content_hash,
            side(&question.a),
            question.b.as_ref().map(side),
            question.protocol.as_ref().map(|protocol| &protocol.hash),
        ]);
        let id = with_photo(which, question.photo.as_ref());
        let key = question.plan_key.as_ref();
        Self {
            id,
            content_hash,
            question: Arc::clone(question),
            sample,
            judge: name,
            base_url: judge.base_url().map(str::to_owned),
            settings,
            plan_key: key.map(|key| PlanKeys::new(judge, sample).key(key, question.order)),
        }
    }
}

/// See [`Request::content_hash`]. `asked`: judge, address, settings and sample.
fn content_hash(
    question: &Question,
    order: Order,
    (judge, base_url, settings, sample): (&str, Option<&str>, &str, u32),
) -> String {
    let parts: Vec<_> = question.parts.iter().map(canonical).collect();
    hash(&json!([
        "request 1",
        parts,
        judge,
        base_url,
        settings,
        question.rubric.hash(),
        question.category,
        order.as_str(),
        sample,
    ]))
}

/// The id of a question or vote about these photos: two photos may look the same.
pub(super) fn with_photo(which: serde_json::Value, photo: Option<&PhotoKey>) -> String {
    match photo {
        None => hash(&which),
        Some(photo) => hash(&json!(["photo 1", which, photo.to_text()])),
    }
}

/// An asset as keys hold it.
pub(super) fn side(asset: &Asset) -> serde_json::Value {
    json!([asset.hash, asset.method])
}

fn canonical(part: &Part) -> serde_json::Value {
    match part {
        Part::Text(text) => json!(["text", text]),
        Part::Picture(picture) => json!(["picture", picture.media_type, picture.hash]),
        Part::ExampleAnswer(answer) => json!(["example answer", answer]),
    }
}

/// BLAKE3 of the canonical text. Only lists are hashed, so the order of map keys plays no part.
pub(super) fn hash(value: &serde_json::Value) -> String {
    blake3::hash(value.to_string().as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_key_is_the_hash_of_all_that_it_names() {
        let judge = Judge::Probe;
        let all =
            json!(["planned 1", "k\"1", "ba", judge.name(), judge.base_url(), judge.settings(), 3]);
        assert_eq!(PlanKeys::new(&judge, 3).key("k\"1", Order::Swapped), hash(&all));
    }
}
