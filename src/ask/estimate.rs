//! What asking will take, before it begins: questions, pictures, tokens, dollars, by judge.
//!
//! Expected figures assume four bytes of text a token, as in English, and [`OUTPUT_TOKENS`]
//! written. Maxima assume one byte a token and the longest reply that the limit allows, which is
//! what a budget reserves.

use super::drawing::Drawing;
use super::picture_limits::judges_by_limits;
use super::work::Work;
use crate::judge::{Judge, Part};
use crate::rubric::{Example, RESTATEMENT_TOKENS_MAX, Rubric};

/// Six paragraphs and the answer; a judge that reasons at length writes several times as much.
pub const OUTPUT_TOKENS: u64 = 1500;

/// What one judge will be asked, and at which cost.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Estimate {
    pub judge: String,
    /// Questions, over orders and samples.
    pub questions: u64,
    pub pictures: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Expected US dollars; none where the price is unknown.
    pub cost_usd: Option<f64>,
    /// US dollars at most, with one restatement of each reply and without retries.
    pub cost_usd_max: Option<f64>,
    /// Edge of the smallest view that it sees.
    pub view_px: Option<u32>,
    /// Whether it is asked in batches, at their price.
    pub in_batches: bool,
}

/// What a question holds, as far as it decides the cost.
#[derive(Debug, Clone, Copy)]
pub struct Weight<'a> {
    /// UTF-8 bytes of its text.
    pub text_bytes: u64,
    /// Width and height of each picture, in pixels.
    pub pictures: &'a [(u32, u32)],
    /// How many such questions are asked.
    pub times: u64,
    /// Edge of its smallest view, in pixels.
    pub view_px: Option<u32>,
    /// UTF-8 bytes of the request to restate its reply, at most.
    pub restatement_bytes: u64,
}

/// The estimates for questions that are ready to be asked, in the order of the judges.
pub fn estimates_of(work: &[Work], judges: &[Judge], samples: u32) -> Vec<Estimate> {
    let mut found = empty_estimates(judges);
    for work in work {
        let Work::Ask(unit) = work else { continue };
        for (place, judge) in judges.iter().enumerate() {
            if (unit.judges.as_ref()).is_some_and(|judges| !judges.contains(&place)) {
                continue;
            }
            for question in &unit.questions {
                let mut text_bytes = 0;
                let mut pictures = Vec::new();
                for part in &question.parts {
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
                    view_px: question.view_px.filter(|_| !judge.is_free()),
                    restatement_bytes: restatement_bytes(
                        &question.rubric,
                        question.category.as_deref(),
                    ),
                };
                add_estimate(&mut found[place], judge, &weight);
            }
        }
    }
    found
}

/// Questions of one rubric that are not made yet.
#[derive(Debug, Clone, Copy)]
pub struct Unmade<'a> {
    pub rubric: &'a Rubric,
    pub drawings: &'a [Option<Drawing>],
    pub category: Option<&'a str>,
    /// UTF-8 bytes of a prompt, on average.
    pub prompt_bytes: usize,
    pub examples: &'a [Example],
    /// See [`Planner::new`](super::Planner::new).
    pub fit_px: Option<u32>,
    /// Images of a prompt, and the edge of each when it is cut out.
    pub photos: (usize, u32),
}

/// Adds questions before anything is drawn; `times` says how many each judge gets.
pub fn add_unmade(
    found: &mut [Estimate],
    judges: &[Judge],
    unmade: &Unmade<'_>,
    times: impl Fn(usize) -> u64,
) {
    /// The text between the marks and around the pictures.
    const AROUND_BYTES: usize = 600;
    let Unmade { rubric, drawings, category, prompt_bytes, examples, fit_px, photos } = *unmade;
    let text = rubric.text(category).map_or(0, str::len);
    let answers: usize = examples.iter().map(|e| e.answer.len()).sum();
    for (limits, places) in judges_by_limits(judges, fit_px) {
        let mut pictures: Vec<(u32, u32)> =
            limits.sizes(rubric, drawings, photos).iter().map(|size| size.size_px).collect();
        let shown = examples.iter().flat_map(|e| &e.pictures);
        pictures.extend(shown.map(|picture| (picture.width_px, picture.height_px)));
        for place in places {
            let weight = Weight {
                text_bytes: (text + prompt_bytes + answers + AROUND_BYTES) as u64,
                pictures: &pictures,
                times: times(place),
                view_px: limits.view_px(rubric, drawings).filter(|_| !judges[place].is_free()),
                restatement_bytes: restatement_bytes(rubric, category),
            };
            add_estimate(&mut found[place], &judges[place], &weight);
        }
    }
}

/// An estimate for each judge to which questions are then added.
pub fn empty_estimates(judges: &[Judge]) -> Vec<Estimate> {
    let empty = |judge: &Judge| Estimate {
        judge: judge.name(),
        cost_usd: judge.is_priced().then_some(0.0),
        cost_usd_max: judge.is_priced().then_some(0.0),
        in_batches: judge.endpoint().is_some_and(|endpoint| endpoint.in_batches()),
        ..Estimate::default()
    };
    judges.iter().map(empty).collect()
}

fn restatement_bytes(rubric: &Rubric, category: Option<&str>) -> u64 {
    rubric.restatement_bytes_max(category) as u64
}

/// Adds questions of one weight, put to one judge.
pub fn add_estimate(estimate: &mut Estimate, judge: &Judge, weight: &Weight<'_>) {
    estimate.questions += weight.times;
    estimate.pictures += weight.times * weight.pictures.len() as u64;
    estimate.view_px = match (estimate.view_px, weight.view_px) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    let Some(endpoint) = judge.endpoint() else {
        return;
    };
    let tokens =
        |&(width_px, height_px): &(u32, u32)| endpoint.facts().picture.tokens(width_px, height_px);
    let pictures: u64 = weight.pictures.iter().map(tokens).sum();
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
        // The restatement of a reply goes out alone, at the full price.
        let restated = written_max.min(RESTATEMENT_TOKENS_MAX.into());
        let most = usd(weight.text_bytes + pictures, written_max)
            + usd(weight.restatement_bytes, restated) / endpoint.price_share();
        estimate.cost_usd = estimate.cost_usd.map(|sum| sum + about);
        estimate.cost_usd_max = estimate.cost_usd_max.map(|sum| sum + most);
    }
}
