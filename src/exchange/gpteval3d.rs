//! GPTEval3D's own files: `answered.json` (with prompts) and `comparisons.json` (without).
//!
//! Its position bias stays in: each of its questions was asked in one random order.

use super::answer::{ImportedAnswer, text_of, wrong};
use crate::error::Error;
use crate::rubric::{Criterion, Winner};
use crate::store::Rater;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

/// One answer of `comparisons.json`, under its criterion's number.
#[derive(Debug, Deserialize)]
struct Comparison {
    m1: String,
    m2: String,
    /// −1 the first is better, 1 the second, 0 neither.
    result: i64,
}

/// One question of `answered.json`.
#[derive(Debug, Deserialize)]
struct Answered {
    question: Question,
    /// One list a choice of the model, one number a criterion.
    answer: Vec<Vec<i64>>,
}

#[derive(Debug, Deserialize)]
struct Question {
    m1: String,
    m2: String,
    prompt: Option<String>,
    dimensions: Option<Vec<usize>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum File {
    Comparisons(BTreeMap<String, Vec<Comparison>>),
    Answered(BTreeMap<String, Answered>),
}

/// Reads either file; `criteria` are the rubric's, which GPTEval3D numbers from 0 in this order.
///
/// # Errors
/// An unreadable file, a result that is none of −1, 0, 1, a criterion that the rubric lacks.
pub fn read_gpteval3d(path: &Path, criteria: &[Criterion]) -> Result<Vec<ImportedAnswer>, Error> {
    let text = text_of(path)?;
    let wrong = |place: &dyn Display, reason: &dyn Display| wrong(place, reason, path);
    let file: File = serde_json::from_str(&text).map_err(|_| {
        let reason = "it is neither GPTEval3D's comparisons.json (criterion → list of m1, m2, result) nor its answered.json";
        wrong(&"the file", &reason)
    })?;
    let criterion = |number: usize, place: &str| {
        let found = criteria.get(number).map(|c| c.key.clone());
        found.ok_or_else(|| {
            let reason =
                format!("criterion {number} is not one of the rubric's {}", criteria.len());
            wrong(&place, &reason)
        })
    };
    let winner = |result: i64, place: &str| match result {
        -1 => Ok(Winner::A),
        1 => Ok(Winner::B),
        0 => Ok(Winner::Tie),
        other => Err(wrong(&place, &format!("the result {other} is not -1, 0 or 1"))),
    };
    let mut said = Vec::new();
    let mut say =
        |m1: &str, m2: &str, prompt: &Option<String>, criterion: String, winner: Winner| {
            said.push(ImportedAnswer {
                prompt: prompt.clone(),
                a: m1.to_owned(),
                b: m2.to_owned(),
                criterion,
                winner,
                is_both_bad: false,
                judge: Rater::imported("gpteval3d"),
            });
        };
    match file {
        File::Comparisons(lists) => {
            for (number, list) in lists {
                let place = format!("criterion {number:?}");
                let index = number.parse().map_err(|_| wrong(&place, &"it is not a number"))?;
                for one in list {
                    let on = criterion(index, &place)?;
                    say(&one.m1, &one.m2, &None, on, winner(one.result, &place)?);
                }
            }
        }
        File::Answered(questions) => {
            for (id, one) in questions {
                let place = format!("question {id:?}");
                for answer in one.answer {
                    for (i, result) in answer.into_iter().enumerate() {
                        let numbers = one.question.dimensions.as_ref();
                        let number = numbers.map_or(Some(i), |list| list.get(i).copied());
                        let on = criterion(number.unwrap_or(usize::MAX), &place)?;
                        let Question { m1, m2, prompt, .. } = &one.question;
                        say(m1, m2, prompt, on, winner(result, &place)?);
                    }
                }
            }
        }
    }
    Ok(said)
}
