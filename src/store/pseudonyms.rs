//! People's names → numbers, for exports.

use super::rater::Rater;
use super::record::Record;
use crate::judge::Asset;
use std::collections::BTreeMap;

/// Numbers in place of people's names, in the order in which they come.
#[derive(Debug, Clone, Default)]
pub struct Pseudonyms {
    numbers: BTreeMap<String, usize>,
}

impl Pseudonyms {
    /// Writes `human:rater-1` for a person, and an id that no name was part of.
    pub fn hide(&mut self, record: &mut Record) {
        if !record.judge.is_person() {
            return;
        }
        let next = self.numbers.len() + 1;
        let name = record.judge.short_name().to_owned();
        let number = *self.numbers.entry(name).or_insert(next);
        record.judge = Rater::person(&format!("rater-{number}"));
        let side = |asset: &Asset| serde_json::json!([asset.hash, asset.method]);
        let about = serde_json::json!([
            "vote without a name 1",
            number,
            record.rubric_hash,
            record.prompt,
            side(&record.a),
            record.b.as_ref().map(side),
            record.order.as_str(),
            record.sample,
            record.asked_at,
        ]);
        record.id = blake3::hash(about.to_string().as_bytes()).to_hex().to_string();
    }
}
