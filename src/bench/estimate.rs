//! What asking would take, before anything is asked: questions, pictures, tokens, dollars, for each judge.
//!
//! About: four bytes of text a token, as English has it, and [`OUTPUT_TOKENS`] written. At most: every byte a token, and as much written
//! as the limit allows; that is what a budget sets aside.

use super::ask::Unit;
use super::plan::Plan;
use super::sight::sights;
use crate::judge::{Judge, Part};
use crate::rubric::Kind;

/// Six paragraphs and the answer; a judge that reasons at length writes several times as much.
pub const OUTPUT_TOKENS: u64 = 1500;

/// Of one judge.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Estimate {
    /// Its spec.
    pub judge: String,
    /// Questions, over orders and samples.
    pub questions: u64,
    /// Pictures in them.
    pub pictures: u64,
    /// Tokens read, about.
    pub input_tokens: u64,
    /// Tokens written, about.
    pub output_tokens: u64,
    /// US dollars, about; none where the price is unknown.
    pub cost_usd: Option<f64>,
    /// US dollars at most, without retries.
    pub cost_usd_max: Option<f64>,
    /// Edge of the smallest view that it sees.
    pub view_px: Option<u32>,
    /// Whether it is asked in batches, at their price.
    pub in_batches: bool,
}

/// What one question holds.
struct Weight<'a> {
    text_bytes: u64,
    pictures: &'a [(u32, u32)],
    times: u64,
    view_px: Option<u32>,
}

/// Of questions that are ready to be asked.
pub fn estimates_of(units: &[Unit], judges: &[Judge], samples: u32) -> Vec<Estimate> {
    let mut found: Vec<Estimate> = judges.iter().map(named).collect();
    for unit in units {
        for (place, judge) in judges.iter().enumerate() {
            if (unit.judges.as_ref()).is_some_and(|judges| !judges.contains(&place)) {
                continue;
            }
            for subject in &unit.subjects {
                let mut text_bytes = 0;
                let mut pictures = Vec::new();
                for part in &subject.question.parts {
                    match part {
                        Part::Text(text) | Part::ExampleAnswer(text) => {
                            text_bytes += text.len() as u64;
                        }
                        Part::Picture(picture) => {
                            pictures.push((picture.width_px, picture.height_px));
                        }
                    }
                }
                let weight = Weight {
                    text_bytes,
                    pictures: &pictures,
                    times: u64::from(samples),
                    view_px: subject.view_px.filter(|_| !judge.is_free()),
                };
                add(&mut found[place], judge, &weight);
            }
        }
    }
    found
}

/// Of a whole benchmark, before anything is made or drawn. What earlier calls asked is not taken off.
pub fn estimates(plan: &Plan, judges: &[Judge], samples: u32) -> Vec<Estimate> {
    let mut found: Vec<Estimate> = judges.iter().map(named).collect();
    for planned in &plan.rubrics {
        let questions = match planned.rubric.kind() {
            Kind::Pairwise => 2 * super::run::num_pairs(plan),
            Kind::Reconstruction | Kind::Category => plan.num_slots(),
        } as u64;
        // The mean prompt stands for all.
        let prompts: usize = plan.prompts.iter().map(|prompt| prompt.text.len()).sum();
        let category =
            (planned.category.as_deref()).or_else(|| plan.prompts.first()?.category.as_deref());
        let text = planned.rubric.text(category).map_or(0, str::len);
        let examples: usize = planned.examples.iter().map(|e| e.answer.len()).sum();
        /// What stands between the marks and around the pictures.
        const AROUND_BYTES: usize = 600;
        let bytes = text + prompts / plan.prompts.len().max(1) + examples + AROUND_BYTES;
        for (sight, places) in sights(judges, plan.fit_px) {
            let mut pictures: Vec<(u32, u32)> = (sight.sizes(&planned.rubric, &planned.drawings))
                .iter()
                .map(|size| size.size_px)
                .collect();
            let shown = planned.examples.iter().flat_map(|e| &e.pictures);
            pictures.extend(shown.map(|picture| (picture.width_px, picture.height_px)));
            for place in places {
                let view_px = sight.view_px(&planned.rubric, &planned.drawings);
                let weight = Weight {
                    text_bytes: bytes as u64,
                    pictures: &pictures,
                    times: questions * u64::from(samples),
                    view_px: view_px.filter(|_| !judges[place].is_free()),
                };
                add(&mut found[place], &judges[place], &weight);
            }
        }
    }
    found
}

fn named(judge: &Judge) -> Estimate {
    let is_priced = judge.is_free()
        || judge
            .endpoint()
            .is_some_and(|endpoint| endpoint.facts().price.is_some());
    Estimate {
        judge: judge.name(),
        cost_usd: is_priced.then_some(0.0),
        cost_usd_max: is_priced.then_some(0.0),
        in_batches: (judge.endpoint()).is_some_and(|endpoint| endpoint.in_batches()),
        ..Estimate::default()
    }
}

fn add(estimate: &mut Estimate, judge: &Judge, weight: &Weight<'_>) {
    estimate.questions += weight.times;
    estimate.pictures += weight.times * weight.pictures.len() as u64;
    estimate.view_px = match (estimate.view_px, weight.view_px) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    let Some(endpoint) = judge.endpoint() else {
        return;
    };
    let seen =
        |&(width_px, height_px): &(u32, u32)| endpoint.facts().picture.tokens(width_px, height_px);
    let pictures: u64 = weight.pictures.iter().map(seen).sum();
    let written_max = u64::from(endpoint.output_tokens_max());
    let written = OUTPUT_TOKENS.min(written_max);
    let read = weight.text_bytes.div_ceil(4) + pictures;
    estimate.input_tokens += weight.times * read;
    estimate.output_tokens += weight.times * written;
    if let Some(price) = endpoint.facts().price {
        let usd = |input: u64, output: u64| {
            (input as f64 * price.input + output as f64 * price.output) / 1e6
                * weight.times as f64
                * endpoint.price_share()
        };
        let about = usd(read, written);
        let most = usd(weight.text_bytes + pictures, written_max);
        estimate.cost_usd = estimate.cost_usd.map(|sum| sum + about);
        estimate.cost_usd_max = estimate.cost_usd_max.map(|sum| sum + most);
    }
}
