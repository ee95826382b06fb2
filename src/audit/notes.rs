//! Notes from making pairs: the amount of damage, and pairs that could not be made.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Mutex;

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

/// Filled in by the thread that makes pairs.
#[derive(Debug, Default)]
pub(super) struct Notes {
    amounts: Mutex<Amounts>,
    left_out: Mutex<Vec<String>>,
}

impl Notes {
    pub(super) fn amount(&self, method: &str, object: &str, amount: f64) {
        let mut amounts = self.amounts.lock().unwrap_or_else(|e| e.into_inner());
        amounts.set(method, object, amount);
    }

    pub(super) fn left_out(&self, what: String) {
        let mut list = self.left_out.lock().unwrap_or_else(|e| e.into_inner());
        list.push(what);
    }

    /// The amounts of damage, and the pairs that cannot be made, with the reason.
    pub(super) fn into_parts(self) -> (Amounts, Vec<String>) {
        let amounts = self.amounts.into_inner();
        let left_out = self.left_out.into_inner();
        (amounts.unwrap_or_else(|e| e.into_inner()), left_out.unwrap_or_else(|e| e.into_inner()))
    }
}
