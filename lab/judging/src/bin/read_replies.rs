//! Reads replies whose verdict is known and counts the wrong and the lost ones.
//!
//!     cargo run -p meshjudge-lab-judging --bin read_replies -- replies.jsonl [--show]
//!
//! One JSON object a line: `rubric`, `category`, `text`, `reasoning`, `finish` (the server's word),
//! and `truth`: the digits, the score, the JSON object of a category answer, or null where no
//! verdict must be found.

use meshjudge::unstable::rubric::{Finish, Order, ReplyText, Rubric, Verdict};
use serde_json::{Map, Value, json};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("name a file of replies")?;
    let is_shown = args.next().is_some_and(|arg| arg == "--show");
    let (mut count, mut with_truth, mut wrong, mut lost) = (0, 0, 0, 0);
    for line in std::fs::read_to_string(path)?.lines() {
        let reply: Value = serde_json::from_str(line)?;
        let text = |key: &str| reply[key].as_str().unwrap_or_default();
        let finish = Finish::of(reply["finish"].as_str());
        let said = ReplyText {
            text: text("text"),
            reasoning: text("reasoning"),
            finish: &finish,
            undecided: &[],
        };
        let rubric = Rubric::open(text("rubric"))?;
        let outcome = rubric.read(&said, reply["category"].as_str(), Order::AsListed);
        let found = outcome.verdict().map_or(Value::Null, as_truth);
        let truth = with_floats(&reply["truth"]);
        count += 1;
        with_truth += usize::from(!truth.is_null());
        if found != truth {
            let fault = if found.is_null() { &mut lost } else { &mut wrong };
            *fault += 1;
            if is_shown {
                let reason = outcome.reason().unwrap_or_default();
                println!("{}: {truth} read as {found} {reason}", reply["why"]);
                println!("{}\n", said.text);
            }
        }
    }
    println!("{count} replies, {with_truth} with a verdict: {wrong} wrong, {lost} lost");
    Ok(())
}

fn as_truth(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Pairwise { choices, .. } => {
            let digit = |winner: &str| match winner {
                "a" => "1",
                "b" => "2",
                _ => "3",
            };
            let digits: Vec<&str> = choices.iter().map(|(_, it)| digit(it.as_str())).collect();
            json!(digits.join(" "))
        }
        Verdict::Reconstruction { score } => json!(score.map(|score| score.to_string())),
        Verdict::Category { aspects, overall, .. } => {
            let entries = aspects.iter().map(|(key, n)| (key.clone(), json!(n)));
            let all: Map<String, Value> = entries
                .chain([("overall_score".to_owned(), json!(overall.map(|o| o.stated)))])
                .collect();
            Value::Object(all)
        }
    }
}

/// The same with every number as a float, so that 8 equals 8.0.
fn with_floats(truth: &Value) -> Value {
    match truth {
        Value::Object(entries) => {
            let float = |(key, n): (&String, &Value)| (key.clone(), json!(n.as_f64()));
            Value::Object(entries.iter().map(float).collect())
        }
        other => other.clone(),
    }
}
