//! The plan so far: counts of methods, pairs and prompts, pairs left, links between methods.

use super::{Field, Pair};
use crate::rate::{Duel, Random};
use std::collections::BTreeSet;

/// Counts of planned pairs.
pub(super) struct Ledger<'a> {
    field: &'a Field,
    /// Every two methods, in seeded order.
    pub duels: Vec<Duel>,
    /// By duel: prompts not asked yet.
    left: Vec<Vec<usize>>,
    /// By duel: units.
    pub duel_units: Vec<usize>,
    /// By method.
    pub method_units: Vec<usize>,
    /// By prompt.
    prompt_units: Vec<usize>,
    /// By prompt and method, `prompts × methods`.
    asset_units: Vec<usize>,
    /// By method: a method of the same group; itself for the group's first.
    group: Vec<usize>,
}

impl<'a> Ledger<'a> {
    /// Plans only the pairs in `taken`. `seed` breaks ties.
    pub(super) fn new(field: &'a Field, taken: &BTreeSet<Pair>, seed: u64) -> Self {
        let n = field.num_methods;
        let mut random = Random::new(seed, 0);
        let mut duels: Vec<Duel> =
            (0..n).flat_map(|a| (a + 1..n).map(move |b| Duel { a, b })).collect();
        random.shuffle(&mut duels);
        let shuffled = |_: &Duel| {
            let mut prompts: Vec<usize> = (0..field.num_prompts).collect();
            random.shuffle(&mut prompts);
            prompts
        };
        let left = duels.iter().map(shuffled).collect();
        let mut ledger = Self {
            field,
            left,
            duel_units: vec![0; duels.len()],
            duels,
            method_units: vec![0; n],
            prompt_units: vec![0; field.num_prompts],
            asset_units: vec![0; field.num_prompts * n],
            group: (0..n).collect(),
        };
        let mut at = vec![usize::MAX; n * n];
        for (i, duel) in ledger.duels.iter().enumerate() {
            at[duel.a * n + duel.b] = i;
        }
        for pair in taken.iter().filter(|pair| field.has(**pair)) {
            ledger.take(at[pair.a * n + pair.b], pair.prompt);
        }
        ledger
    }

    /// Indices of duels with a prompt left.
    pub(super) fn open(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.duels.len()).filter(|i| !self.left[*i].is_empty())
    }

    /// Whether the duel links two groups that no unit has linked yet.
    pub(super) fn links(&self, duel: usize) -> bool {
        let Duel { a, b } = self.duels[duel];
        self.first(a) != self.first(b)
    }

    /// The prompt on which to ask the duel: the one where these two assets were asked least, then
    /// the least asked prompt, then by seed. Answers about one asset are correlated, so a new
    /// prompt is more informative than a second look at an old one.
    pub(super) fn prompt(&self, duel: usize) -> Option<Pair> {
        let Duel { a, b } = self.duels[duel];
        let n = self.field.num_methods;
        let times = |prompt: usize| {
            let asked = self.asset_units[prompt * n + a] + self.asset_units[prompt * n + b];
            (asked, self.prompt_units[prompt])
        };
        let prompt = self.left[duel].iter().copied().min_by_key(|prompt| times(*prompt))?;
        Some(Pair { prompt, a, b })
    }

    /// Plans the duel on the prompt.
    pub(super) fn take(&mut self, duel: usize, prompt: usize) {
        let Duel { a, b } = self.duels[duel];
        let n = self.field.num_methods;
        self.left[duel].retain(|p| *p != prompt);
        self.duel_units[duel] += 1;
        self.prompt_units[prompt] += 1;
        for method in [a, b] {
            self.method_units[method] += 1;
            self.asset_units[prompt * n + method] += 1;
        }
        let (x, y) = (self.first(a), self.first(b));
        self.group[x.max(y)] = x.min(y);
    }

    fn first(&self, mut method: usize) -> usize {
        while self.group[method] != method {
            method = self.group[method];
        }
        method
    }
}
