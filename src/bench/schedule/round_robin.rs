//! A balanced plan up to a budget.

use super::ledger::Ledger;
use super::{Field, Pair};
use std::collections::BTreeSet;

/// Up to `budget` pairs, no pair twice. The first `methods − 1` link all methods that can be
/// linked; after that the two methods that met least come next, of these the two that were asked
/// least, then by seed. Every two methods meet equally often and every method is asked equally
/// often, to one unit at the end of each cycle, as far as their assets allow; prompts fill evenly.
pub fn round_robin(field: &Field, budget: usize, seed: u64) -> Vec<Pair> {
    let mut ledger = Ledger::new(field, &BTreeSet::new(), seed);
    let mut out = Vec::new();
    while out.len() < budget {
        let is_linking = ledger.open().any(|duel| ledger.links(duel));
        let key = |duel: &usize| {
            let two = ledger.duels[*duel];
            let (x, y) = (ledger.method_units[two.a], ledger.method_units[two.b]);
            (ledger.duel_units[*duel], x + y, x.max(y))
        };
        let next = ledger.open().filter(|duel| !is_linking || ledger.links(*duel)).min_by_key(key);
        let Some(duel) = next else { break };
        let Some(pair) = ledger.prompt(duel) else {
            break;
        };
        ledger.take(duel, pair.prompt);
        out.push(pair);
    }
    out
}
