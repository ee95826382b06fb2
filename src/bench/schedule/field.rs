//! The possible questions: every two methods on every prompt.

/// Two methods on one prompt, asked in both orders: one unit. `a` < `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// Index of the prompt.
    pub prompt: usize,
    /// Index of the one method, the smaller.
    pub a: usize,
    /// Index of the other.
    pub b: usize,
}

/// Methods and prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    pub num_methods: usize,
    /// If prompts are tried several times, each try is a prompt here.
    pub num_prompts: usize,
    /// Tries of each prompt, one after the other; at least 1.
    pub num_seeds: usize,
}

impl Field {
    /// Whether it has both methods and the prompt.
    pub fn has(&self, pair: Pair) -> bool {
        pair.a < pair.b && pair.b < self.num_methods && pair.prompt < self.num_prompts
    }
}

/// Every pair, prompt by prompt: a renderer needs only one prompt's assets at a time.
pub fn all_pairs(field: &Field) -> Vec<Pair> {
    let of_prompt = |prompt| {
        let from = move |a| (a + 1..field.num_methods).map(move |b| Pair { prompt, a, b });
        (0..field.num_methods).flat_map(from)
    };
    (0..field.num_prompts).flat_map(of_prompt).collect()
}
