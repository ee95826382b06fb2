//! The settled pairs, in sentences.

use crate::rate::{FALSE_CLAIMS, Open, Settled};

/// More open pairs than this are counted, not named.
const NAMED_MAX: usize = 10;

/// The settled part of the order, its certainty, and the prompts that open pairs would need;
/// `not_drawn` prompts were asked before their order was drawn.
pub(super) fn settled_lines(
    settled: &Settled,
    criterion: &str,
    names: &[&str],
    num_prompts: usize,
    not_drawn: usize,
) -> Vec<String> {
    let n = names.len();
    let all = n * n.saturating_sub(1) / 2;
    let mut lines = vec![format!(
        "{} of {all} pairs are settled after {} of {num_prompts} prompts, on {criterion}; a false claim among them occurs in at most {:.0} % of runs",
        settled.num_settled(),
        settled.num_prompts(),
        100.0 * FALSE_CLAIMS
    )];
    if not_drawn > 0 {
        lines.push(format!(
            "{not_drawn} of the prompts were asked before an order of prompts was drawn: the board has them, but they support no claim; more prompts or a new run would"
        ));
    }
    let (some, seen) = (settled.num_incomplete(), settled.num_prompts());
    if some > 0 {
        lines.push(format!(
            "on {some} of these {seen} prompts an answer is missing, and it counts against every claim that it could refute; ask it again, or complete the assets"
        ));
    }
    let ranks = settled.ranks();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|i| ranks[*i]);
    let ranked = order.iter().map(|&i| match ranks[i] {
        (best, worst) if best == worst => format!("{} {best}", names[i]),
        (best, worst) => format!("{} {best}-{worst}", names[i]),
    });
    lines.push(format!("settled ranks: {}", ranked.collect::<Vec<_>>().join(", ")));
    let open = settled.open();
    for Open { duel, p, prompts_left } in open.iter().take(NAMED_MAX) {
        let takes = match prompts_left {
            Some(left) => {
                let prompts = if *left == 1 { "prompt" } else { "prompts" };
                format!("about {left} more {prompts} at this rate, or never if they are equal")
            }
            None => "no tendency yet; equal generators never settle".to_owned(),
        };
        // Rounded up, since a pair with 0.05 would be settled.
        let p = (100.0 * p).ceil() / 100.0;
        lines.push(format!("open: {} and {} (p = {p:.2}): {takes}", names[duel.a], names[duel.b]));
    }
    if open.len() > NAMED_MAX {
        lines.push(format!("open: {} more pairs", open.len() - NAMED_MAX));
    }
    lines
}
