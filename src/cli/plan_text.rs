//! The estimated size and cost of a run, printed before the first question.

use super::Printer;
use super::words::row_of;
use crate::ask::{Estimate, OUTPUT_TOKENS, VIEW_PX_LOW};
use crate::report::{grouped, plural};

/// One line per judge, and the assumptions of the figures.
pub(super) fn print_plan(estimates: &[Estimate], printer: &Printer) {
    for estimate in estimates {
        let tokens = if estimate.input_tokens == 0 {
            "no tokens".to_owned()
        } else {
            format!(
                "about {} input and {} output tokens",
                grouped(estimate.input_tokens),
                grouped(estimate.output_tokens)
            )
        };
        let cost = match (estimate.cost_usd, estimate.cost_usd_max) {
            (Some(0.0), _) => "free".to_owned(),
            (Some(about), Some(most)) => {
                format!("about {}, at most {}", usd(about), usd(rounded_up(most)))
            }
            _ => "price unknown (add it with --models)".to_owned(),
        };
        let view = match estimate.view_px {
            Some(px) if px < VIEW_PX_LOW => format!(", views of {px} px (small)"),
            Some(px) => format!(", views of {px} px"),
            None => String::new(),
        };
        let batches = if estimate.in_batches { " in batches" } else { "" };
        let questions = plural(estimate.questions as usize, "question");
        let pictures = plural(estimate.pictures as usize, "picture");
        let judge = &estimate.judge;
        let text = format!("  {judge}: {questions}{batches}, {pictures}{view}, {tokens}, {cost}");
        printer.show(text, [row_of("estimate", estimate)]);
    }
    if estimates.iter().any(|estimate| estimate.input_tokens > 0) {
        let text = format!(
            "  \"about\" assumes {} output tokens a question, \"at most\" the model's limit and a restatement in text; retries come on top",
            grouped(OUTPUT_TOKENS)
        );
        printer.show(text, []);
    }
}

/// To whole cents, or to hundredths of a cent: `--max-cost` with the printed amount covers it.
fn rounded_up(usd: f64) -> f64 {
    let parts = if usd >= 0.1 { 100.0 } else { 10_000.0 };
    (usd * parts - 1e-6).ceil() / parts
}

/// Dollars, with four decimals where two would show too little.
pub(super) fn usd(amount: f64) -> String {
    if amount == 0.0 || amount >= 0.1 { format!("${amount:.2}") } else { format!("${amount:.4}") }
}
