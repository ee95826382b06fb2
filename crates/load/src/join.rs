//! Corners of a file, each with its own attributes → vertices, one per combination at a place.

/// A vertex that was made.
pub(super) struct Made<K> {
    /// The vertex of the file where it is.
    pub place: u32,
    /// The corner's attributes, as far as they are its own.
    pub kind: K,
    /// The vertex made before it at that place.
    before: u32,
}

pub(super) struct Joined<K> {
    /// The latest vertex made at each place.
    latest: Vec<u32>,
    made: Vec<Made<K>>,
}

pub(super) const NONE: u32 = u32::MAX;
/// Vertices looked at before one more is made: a hostile fan of a million colours around one vertex
/// must not take a million steps for each.
const SEARCH_MAX: usize = 64;

impl<K: PartialEq> Joined<K> {
    pub(super) fn new(num_places: usize) -> Self {
        Self { latest: vec![NONE; num_places], made: Vec::new() }
    }

    /// The vertex of a corner.
    pub(super) fn vertex(&mut self, place: u32, kind: K) -> u32 {
        let latest = &mut self.latest[place as usize];
        let mut known = *latest;
        for _ in 0..SEARCH_MAX {
            match self.made.get(known as usize) {
                Some(vertex) if vertex.kind == kind => return known,
                Some(vertex) => known = vertex.before,
                None => break,
            }
        }
        let new = self.made.len() as u32;
        let before = std::mem::replace(latest, new);
        self.made.push(Made { place, kind, before });
        new
    }

    /// The vertices made since the last call, which begins anew.
    pub(super) fn take(&mut self) -> Vec<Made<K>> {
        for vertex in &self.made {
            self.latest[vertex.place as usize] = NONE;
        }
        std::mem::take(&mut self.made)
    }
}
