//! Which asset of a plan is meant: a place is a prompt and a seed, a slot is a place and a method.

/// A prompt and a seed, counted prompt by prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceIdx(pub usize);

/// One asset: a place and a method. Slots of one place are adjacent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotIdx(pub usize);

impl SlotIdx {
    /// The place, and the method's index.
    pub fn parts(self, num_methods: usize) -> (PlaceIdx, usize) {
        (PlaceIdx(self.0 / num_methods), self.0 % num_methods)
    }
}
