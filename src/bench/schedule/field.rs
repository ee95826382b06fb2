//! The possible questions: prompts, and the methods that have an asset for each.

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

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// An index beyond the methods.
    #[error("prompt {prompt} lists method {method}, but there are only {num_methods} methods")]
    UnknownMethod {
        /// Index of the prompt.
        prompt: usize,
        method: usize,
        num_methods: usize,
    },
}

/// Which methods have an asset for which prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    num_methods: usize,
    available: Vec<Vec<usize>>,
    /// For each prompt, one after the other.
    num_seeds: usize,
}

impl Field {
    /// `available[prompt]` lists methods in any order; a method listed twice counts once.
    ///
    /// # Errors
    /// An index that is not below `num_methods`.
    pub fn new(num_methods: usize, mut available: Vec<Vec<usize>>) -> Result<Self, ScheduleError> {
        for (prompt, methods) in available.iter_mut().enumerate() {
            methods.sort_unstable();
            methods.dedup();
            if let Some(&method) = methods.last().filter(|m| **m >= num_methods) {
                return Err(ScheduleError::UnknownMethod { prompt, method, num_methods });
            }
        }
        Ok(Self { num_methods, available, num_seeds: 1 })
    }

    /// The same if each prompt was tried several times: a prompt here is then one of its tries.
    #[must_use]
    pub fn with_seeds(self, num_seeds: usize) -> Self {
        Self { num_seeds: num_seeds.max(1), ..self }
    }

    /// Tries of each prompt.
    pub fn num_seeds(&self) -> usize {
        self.num_seeds
    }

    /// Methods, with or without assets.
    pub fn num_methods(&self) -> usize {
        self.num_methods
    }

    /// Prompts, with or without assets.
    pub fn num_prompts(&self) -> usize {
        self.available.len()
    }

    /// Methods with an asset for the prompt, rising.
    pub fn available(&self, prompt: usize) -> &[usize] {
        &self.available[prompt]
    }

    /// Whether both methods have an asset for the prompt.
    pub fn has(&self, pair: Pair) -> bool {
        let has = |method| self.available[pair.prompt].binary_search(&method).is_ok();
        pair.a < pair.b && pair.prompt < self.num_prompts() && has(pair.a) && has(pair.b)
    }
}

/// Every pair of every prompt, prompt by prompt: a renderer needs only one prompt's assets at a time.
pub fn all_pairs(field: &Field) -> Vec<Pair> {
    let mut out = Vec::new();
    for (prompt, methods) in field.available.iter().enumerate() {
        for (i, &b) in methods.iter().enumerate() {
            out.extend(methods[..i].iter().map(|&a| Pair { prompt, a, b }));
        }
    }
    out.sort_unstable();
    out
}
