//! How a question ended: a verdict, or a named reason why there is none.
//!
//! A [`Verdict`] is already in the listed order, so that later stages do not need the left side.

use super::Winner;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What a judge found. Serialises as the `verdict` of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// A winner for each criterion, in the rubric's order.
    Pairwise {
        /// Criterion and winner. A criterion in `undecided` is a tie here.
        choices: Vec<(String, Winner)>,
        /// Criteria that the judge has no means to answer; they are no game.
        undecided: Vec<String>,
        /// Criteria where a person called both objects bad; ties in `choices`, counted as such.
        both_bad: Vec<String>,
    },
    Reconstruction {
        /// On the rubric's scale: 1 to 3; none where the judge has no means to score the object.
        score: Option<u8>,
    },
    /// A score for each aspect, or an answer to each item of a checklist.
    Category {
        /// Aspect and score, on the rubric's scale: 0 to 10; of a checklist 1 for yes, 0.5 for
        /// partly, 0 for no.
        aspects: BTreeMap<String, f64>,
        /// None where an aspect is undecided: the mean of some aspects is no score of all of them;
        /// and for a checklist of fixed items.
        overall: Option<Overall>,
        /// Aspects that the judge has no means to answer; they are absent from `aspects`.
        undecided: Vec<String>,
    },
}

/// The score of a picture over all aspects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overall {
    /// The judge's own, which need not follow from the aspects.
    pub stated: f64,
    /// The mean of the aspects.
    pub mean: f64,
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let undecided = match self {
            Self::Pairwise { choices, undecided, both_bad } => {
                for (key, winner) in choices {
                    map.serialize_entry(key, winner)?;
                }
                if !both_bad.is_empty() {
                    map.serialize_entry("both_bad", both_bad)?;
                }
                undecided.as_slice()
            }
            Self::Reconstruction { score } => {
                map.serialize_entry("score", score)?;
                self.undecided()
            }
            Self::Category { aspects, overall, undecided } => {
                let aspects: BTreeMap<&String, _> =
                    aspects.iter().map(|(key, n)| (key, number(*n))).collect();
                map.serialize_entry("aspects", &aspects)?;
                map.serialize_entry("overall", &overall.map(|o| number(o.stated)))?;
                map.serialize_entry("overall_recomputed", &overall.map(|o| number(o.mean)))?;
                undecided.as_slice()
            }
        };
        if !undecided.is_empty() {
            map.serialize_entry("undecided", undecided)?;
        }
        map.end()
    }
}

/// A whole number is written without its `.0`.
fn number(value: f64) -> serde_json::Value {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        serde_json::Value::from(value as i64)
    } else {
        serde_json::Value::from(value)
    }
}

impl Verdict {
    /// Who won a pairwise criterion. `None` if undecided or not asked, and for other verdicts.
    pub fn winner(&self, criterion: &str) -> Option<Winner> {
        match self {
            Self::Pairwise { choices, undecided, .. } => (choices.iter())
                .find(|(key, _)| key == criterion && !undecided.contains(key))
                .map(|(_, winner)| *winner),
            Self::Reconstruction { .. } | Self::Category { .. } => None,
        }
    }

    /// The name of a choice: the winner of a criterion, or the score. `None` where it is undecided,
    /// and for numbers of aspects.
    pub(super) fn choice(&self, key: &str) -> Option<String> {
        match self {
            Self::Reconstruction { score } => score.map(|score| score.to_string()),
            Self::Pairwise { .. } | Self::Category { .. } => {
                self.winner(key).map(|winner| winner.as_str().to_owned())
            }
        }
    }

    /// Criteria or aspects that the judge has no means to answer.
    pub fn undecided(&self) -> &[String] {
        match self {
            Self::Pairwise { undecided, .. } | Self::Category { undecided, .. } => undecided,
            Self::Reconstruction { score: None } => {
                static SCORE: LazyLock<[String; 1]> = LazyLock::new(|| ["score".to_owned()]);
                &*SCORE
            }
            Self::Reconstruction { score: Some(_) } => &[],
        }
    }
}

impl<'de> Deserialize<'de> for Verdict {
    /// Reads what [`Serialize`] wrote, and nothing else.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Verdict;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a verdict")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Verdict, M::Error> {
                let (mut score, mut aspects, mut undecided) = (None, None, Vec::new());
                let (mut choices, mut numbers) = (Vec::new(), [None; 2]);
                let mut both_bad = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "undecided" => undecided = map.next_value()?,
                        "both_bad" => both_bad = map.next_value()?,
                        "score" => score = Some(map.next_value()?),
                        "aspects" => aspects = Some(map.next_value()?),
                        // Also a criterion of pairs.
                        _ => match (map.next_value()?, key.as_str()) {
                            (Value::Winner(winner), _) => choices.push((key, winner)),
                            (Value::Number(number), "overall") => numbers[0] = number,
                            (Value::Number(number), "overall_recomputed") => numbers[1] = number,
                            (Value::Number(_), _) => {
                                return Err(M::Error::custom(format!("{key} has no winner")));
                            }
                        },
                    }
                }
                let [stated, mean] = numbers;
                let overall = stated.zip(mean).map(|(stated, mean)| Overall { stated, mean });
                match (score, aspects, numbers) {
                    (Some(score), ..) => Ok(Verdict::Reconstruction { score }),
                    (None, Some(aspects), _) if overall.is_some() || numbers == [None; 2] => {
                        Ok(Verdict::Category { aspects, overall, undecided })
                    }
                    (None, None, [None, None]) if !choices.is_empty() => {
                        Ok(Verdict::Pairwise { choices, undecided, both_bad })
                    }
                    _ => Err(M::Error::custom("neither scores nor winners")),
                }
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// The value under a key that is not reserved.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a winner (a, b, tie) or a number")]
enum Value {
    Winner(Winner),
    Number(Option<f64>),
}

const SPENT_ON_REASONING: &str = "all tokens were spent on reasoning before an answer began; raise max_output_tokens, or lower the effort";

/// An attempt's end. Only [`Outcome::Verdict`] is an answer; the rest is counted and re-asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The judge answered from the menu.
    Verdict(Verdict),
    /// The judge, or a filter before it, declined.
    Refusal,
    /// The token limit cut the reply.
    Truncated {
        /// What the limit was spent on.
        reason: String,
    },
    /// A reply without an answer at the place of the answer.
    Invalid {
        /// The error.
        reason: String,
    },
    /// No reply at all.
    ProviderError { reason: String },
    /// Not asked, because the budget was spent.
    BudgetStopped { reason: String },
    /// Not asked: one of the two assets is missing. Only in exported rows; no question is stored.
    Forfeit { reason: String },
}

impl Serialize for Outcome {
    /// As the three fields of a record: `outcome`, `reason`, `verdict`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("outcome", self.name())?;
        map.serialize_entry("reason", &self.reason())?;
        map.serialize_entry("verdict", &self.verdict())?;
        map.end()
    }
}

impl Outcome {
    /// The inverse of [`Outcome::name`], [`Outcome::reason`] and [`Outcome::verdict`]; none for a
    /// name that this version does not know.
    pub fn from_parts(
        name: &str,
        reason: Option<String>,
        verdict: Option<Verdict>,
    ) -> Option<Self> {
        let reason = reason.unwrap_or_default();
        Some(match name {
            "verdict" => Self::Verdict(verdict?),
            "refusal" => Self::Refusal,
            "truncated" => Self::Truncated { reason },
            "invalid" => Self::Invalid { reason },
            "provider_error" => Self::ProviderError { reason },
            "budget_stopped" => Self::BudgetStopped { reason },
            _ => return None,
        })
    }

    /// A reply that the token limit cut, before an answer began where only reasoning was written.
    pub(super) fn truncated(is_only_reasoning: bool) -> Self {
        let reason = if is_only_reasoning {
            SPENT_ON_REASONING
        } else {
            "the reply was cut off by its token limit, or because the connection broke"
        };
        Self::Truncated { reason: reason.to_owned() }
    }

    /// Whether reasoning used all of the judge's tokens: the same request would end the same way.
    pub fn is_spent_on_reasoning(&self) -> bool {
        matches!(self, Self::Truncated { reason } if reason == SPENT_ON_REASONING)
    }

    /// The `outcome` of a record.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Verdict(_) => "verdict",
            Self::Refusal => "refusal",
            Self::Truncated { .. } => "truncated",
            Self::Invalid { .. } => "invalid",
            Self::ProviderError { .. } => "provider_error",
            Self::BudgetStopped { .. } => "budget_stopped",
            Self::Forfeit { .. } => "forfeit",
        }
    }

    /// Why there is no verdict, in words; `None` for a verdict.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Verdict(_) => None,
            Self::Refusal => Some("the judge declined to answer"),
            Self::Truncated { reason }
            | Self::Invalid { reason }
            | Self::ProviderError { reason }
            | Self::BudgetStopped { reason }
            | Self::Forfeit { reason } => Some(reason),
        }
    }

    /// The verdict, if there is one.
    pub fn verdict(&self) -> Option<&Verdict> {
        match self {
            Self::Verdict(verdict) => Some(verdict),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_that_is_no_verdict_is_refused() {
        for no_verdict in [
            "{}",
            "null",
            r#"{"overall":1}"#,
            r#"{"overall":"c"}"#,
            r#"{"undecided":["overall"]}"#,
            r#"{"aspects":{"a":1},"overall":1}"#,
            r#"{"overall":"a","plausibility":2}"#,
            r#"{"score":300}"#,
        ] {
            assert!(serde_json::from_str::<Verdict>(no_verdict).is_err(), "{no_verdict}");
        }
    }
}
