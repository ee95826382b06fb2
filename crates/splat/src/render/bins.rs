//! Visible splats → their front-to-back order, and those that touch each tile, in that order.

use super::project::{Ellipse, Projected, TASK, TileBox, area};

/// Most pairs of tile and splat listed at once (64 MiB). Pictures with more take several rounds.
pub(super) const PAIRS_MAX: u64 = 1 << 24;

/// Bits of a key that one pass of the sort looks at.
const DIGIT_BITS: u32 = 11;

/// Splats of a list of its own, at least.
const LIST: usize = 1 << 12;

/// A splat among the tasks: its task above twelve bits, and its index in it.
pub(super) type Place = u32;

/// From front to back; equal depths keep the order of the file. A radix sort from the lowest digit.
pub(super) fn sorted(tasks: &[Projected]) -> Vec<Place> {
    let total = tasks.iter().map(|task| task.keys.len()).sum();
    let mut pairs: Vec<(u32, Place)> = Vec::with_capacity(total);
    for (t, task) in tasks.iter().enumerate() {
        pairs.extend(task.keys.iter().zip(0u32..).map(|(&key, k)| (key, (t * TASK) as u32 + k)));
    }
    let mut other = vec![(0, 0); total];
    for shift in [0, DIGIT_BITS, 2 * DIGIT_BITS] {
        let digit = |key: u32| (key >> shift) as usize & ((1 << DIGIT_BITS) - 1);
        let mut starts = [0usize; 1 << DIGIT_BITS];
        for &(key, _) in &pairs {
            starts[digit(key)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for &pair in &pairs {
            let start = &mut starts[digit(pair.0)];
            other[*start] = pair;
            *start += 1;
        }
        std::mem::swap(&mut pairs, &mut other);
    }
    pairs.into_iter().map(|(_, place)| place).collect()
}

fn split(place: Place) -> (usize, usize) {
    (place as usize / TASK, place as usize % TASK)
}

/// Some of the splats, nearest first, as lists of the tiles that they touch.
pub(super) struct Round<'a> {
    tasks: &'a [Projected],
    lists: Vec<List>,
}

/// For each tile, places of splats: `entries[starts[tile]..starts[tile + 1]]`.
struct List {
    starts: Vec<u32>,
    entries: Vec<Place>,
}

impl<'a> Round<'a> {
    /// Takes as many places from the front of `places` as one round may have.
    pub(super) fn take(
        tasks: &'a [Projected],
        places: &mut &[Place],
        [columns, rows]: [usize; 2],
        pairs_max: u64,
    ) -> Self {
        let box_of = |place: Place| {
            let (task, k) = split(place);
            tasks[task].boxes[k]
        };
        let mut len = places.len();
        if tasks.iter().map(|task| task.pairs).sum::<u64>() > pairs_max {
            let mut pairs = 0;
            let fits = |&&place: &&Place| {
                let before = pairs;
                pairs += area(box_of(place));
                before == 0 || pairs <= pairs_max
            };
            len = places.iter().take_while(fits).count();
        }
        let (taken, rest) = places.split_at(len);
        *places = rest;
        // A list's starts take no more than four bytes for each splat.
        let lists = parallel::map_chunks(taken, LIST.max(columns * rows), |_, places| {
            let boxes: Vec<TileBox> = places.iter().map(|&place| box_of(place)).collect();
            List::new(places, &boxes, columns, rows)
        });
        Self { tasks, lists }
    }

    /// The splats of a tile, nearest first.
    pub(super) fn of_tile(&self, tile: usize) -> impl Iterator<Item = &Ellipse> {
        self.places_of_tile(tile).map(|(task, k)| &self.tasks[task].ellipses[k])
    }

    /// The same as tasks and indices in them.
    pub(super) fn places_of_tile(&self, tile: usize) -> impl Iterator<Item = (usize, usize)> {
        let in_list =
            move |list: &'_ List| list.starts[tile] as usize..list.starts[tile + 1] as usize;
        let places = self.lists.iter().flat_map(move |list| &list.entries[in_list(list)]);
        places.map(|&place| split(place))
    }
}

impl List {
    fn new(places: &[Place], boxes: &[TileBox], columns: usize, rows: usize) -> Self {
        let tiles = |&[left, right, top, bottom]: &TileBox| {
            let in_row = move |row| {
                (left..right).map(move |column| usize::from(row) * columns + usize::from(column))
            };
            (top..bottom).flat_map(in_row)
        };
        let mut starts = vec![0; columns * rows + 2];
        for tile in boxes.iter().flat_map(tiles) {
            starts[tile + 2] += 1;
        }
        for tile in 1..starts.len() {
            starts[tile] += starts[tile - 1];
        }
        // `starts[tile + 1]` counts up to the end of the tile, which is the start of the next.
        let mut entries = vec![0; starts[starts.len() - 1] as usize];
        for (&place, tile_box) in places.iter().zip(boxes) {
            for tile in tiles(tile_box) {
                let next = &mut starts[tile + 1];
                entries[*next as usize] = place;
                *next += 1;
            }
        }
        Self { starts, entries }
    }
}
