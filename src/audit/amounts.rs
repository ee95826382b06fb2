//! The amount of damage to each object of an audit.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The amount of damage by method (kind and level) and object, in the unit that the kind names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Amounts(BTreeMap<String, BTreeMap<String, f64>>);

impl Amounts {
    pub fn set(&mut self, method: &str, object: &str, amount: f64) {
        let of_method = self.0.entry(method.to_owned()).or_default();
        of_method.insert(object.to_owned(), amount);
    }

    pub fn extend(&mut self, others: Self) {
        for (method, objects) in others.0 {
            self.0.entry(method).or_default().extend(objects);
        }
    }

    /// The mean over objects; none for a method that was not made.
    pub fn mean(&self, method: &str) -> Option<f64> {
        let objects = self.0.get(method).filter(|objects| !objects.is_empty())?;
        Some(objects.values().sum::<f64>() / objects.len() as f64)
    }
}
