//! The numbers of a PLY file, row by row, whatever their encoding.

use super::super::limits::PLY_LIST_MAX;
use super::super::numbers::number;
use meshjudge_splat::ply_header::{Element, Encoding, Scalar};

/// Unreadable data: its byte, and the error.
#[derive(Debug)]
pub(super) struct BodyProblem {
    pub at: usize,
    pub text: String,
    /// The file ends too early.
    pub is_cut_off: bool,
}

/// Where the values of a row go.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// For each property the slot of its value, or of its list.
    slots: Vec<Option<usize>>,
}

impl Plan {
    /// Scalars and lists are numbered apart, in the order of `scalars` and `lists`: columns of the
    /// element, where it has them.
    pub(super) fn new(
        element: &Element,
        scalars: &[Option<usize>],
        lists: &[Option<usize>],
    ) -> Self {
        let mut slots = vec![None; element.properties.len()];
        for (slot, column) in scalars.iter().enumerate().chain(lists.iter().enumerate()) {
            if let Some(place) = column.and_then(|column| slots.get_mut(column)) {
                *place = Some(slot);
            }
        }
        Self { slots }
    }
}

/// One row: the values that the plan asked for. Those that are not there keep what they were.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub values: Vec<f64>,
    pub lists: Vec<Vec<f64>>,
}

/// Reads numbers one after another.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    encoding: Encoding,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, encoding: Encoding) -> Self {
        Self { bytes, at, encoding }
    }

    fn left(&self) -> u64 {
        self.bytes.len().saturating_sub(self.at) as u64
    }

    fn problem(&self, text: impl Into<String>) -> BodyProblem {
        BodyProblem { at: self.at.min(self.bytes.len()), text: text.into(), is_cut_off: false }
    }

    fn cut_off(&self, text: impl Into<String>) -> BodyProblem {
        BodyProblem { is_cut_off: true, ..self.problem(text) }
    }

    /// Reads all rows of an element, after checking their number against the bytes left.
    pub(super) fn read(
        &mut self,
        element: &Element,
        plan: &Plan,
        row: &mut Row,
        mut take: impl FnMut(&Row) -> Result<(), String>,
    ) -> Result<(), BodyProblem> {
        let least = element.row_bytes_min(self.encoding);
        if least == 0 {
            return Ok(()); // no properties: nothing is written
        }
        // One byte more: the last number of a text needs nothing after it.
        if element.count > (self.left() + 1) / least {
            return Err(self.cut_off(format!(
                "the header announces {} rows of {:?}, but only {} bytes are left",
                element.count,
                super::super::files::shorten(&element.name),
                self.left()
            )));
        }
        for _ in 0..element.count {
            for (property, slot) in element.properties.iter().zip(&plan.slots) {
                match property.list_count {
                    None => {
                        let value = self.number(property.kind)?;
                        if let Some(slot) = *slot {
                            row.values[slot] = value;
                        }
                    }
                    Some(count_kind) => {
                        let list = slot.map(|slot| &mut row.lists[slot]);
                        self.list(count_kind, property.kind, list)?;
                    }
                }
            }
            take(row).map_err(|text| self.problem(text))?;
        }
        Ok(())
    }

    fn list(
        &mut self,
        count_kind: Scalar,
        kind: Scalar,
        list: Option<&mut Vec<f64>>,
    ) -> Result<(), BodyProblem> {
        let count = self.number(count_kind)?;
        let each = match self.encoding {
            Encoding::Ascii => 2,
            _ => kind.size() as u64,
        };
        let most = ((self.left() + 1) / each).min(PLY_LIST_MAX);
        if !(count >= 0.0 && count <= most as f64) {
            return Err(self.problem(format!(
                "a list has {count} entries, but only {} bytes are left and at most {PLY_LIST_MAX} entries are accepted",
                self.left()
            )));
        }
        match list {
            Some(list) => {
                list.clear();
                for _ in 0..count as u64 {
                    list.push(self.number(kind)?);
                }
            }
            None => {
                for _ in 0..count as u64 {
                    self.number(kind)?;
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn number(&mut self, kind: Scalar) -> Result<f64, BodyProblem> {
        match self.encoding {
            Encoding::Ascii => self.word(),
            Encoding::LittleEndian => self.binary(kind, false),
            Encoding::BigEndian => self.binary(kind, true),
        }
    }

    #[inline]
    fn binary(&mut self, kind: Scalar, is_big: bool) -> Result<f64, BodyProblem> {
        let size = kind.size();
        let Some(found) = self.bytes.get(self.at..self.at + size) else {
            return Err(self.cut_off("the file ends in the middle of its numbers"));
        };
        self.at += size;
        Ok(kind.number(found, is_big))
    }

    fn word(&mut self) -> Result<f64, BodyProblem> {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let skipped = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let word = &rest[skipped..];
        let length = word.iter().take_while(|b| !b.is_ascii_whitespace()).count();
        self.at += skipped;
        if length == 0 {
            return Err(self.cut_off("the file ends in the middle of its numbers"));
        }
        let word = String::from_utf8_lossy(&word[..length]);
        let number = number(&word).ok_or_else(|| {
            self.problem(format!("{:?} is no number", super::super::files::shorten(&word)))
        })?;
        self.at += length;
        Ok(number)
    }
}
