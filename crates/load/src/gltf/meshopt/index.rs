//! Modes `TRIANGLES` (recent edges, vertices) and `INDICES` (deltas to either of two before).

/// Indices as `u16` or `u32`.
pub(super) fn pack(indices: &[u32], stride: usize) -> Vec<u8> {
    let bytes = indices.iter().map(|index| index.to_le_bytes());
    if stride == 2 {
        bytes.flat_map(|[a, b, ..]| [a, b]).collect()
    } else {
        bytes.flatten().collect()
    }
}

/// Seven bits a byte, lowest first; at most five bytes.
fn varint(data: &mut &[u8]) -> Option<u32> {
    let mut value = 0_u32;
    for group in 0..5 {
        let (&byte, rest) = data.split_first()?;
        *data = rest;
        value |= u32::from(byte & 127) << (7 * group);
        if byte < 128 {
            break;
        }
    }
    Some(value)
}

/// Signed by its lowest bit.
fn unzigzag(value: u32) -> u32 {
    value >> 1 ^ (value & 1).wrapping_neg()
}

/// `None` when the bytes do not hold `count` indices exactly.
pub(super) fn sequence(bytes: &[u8], count: usize) -> Option<Vec<u32>> {
    const TAIL: usize = 4;
    let (header, body) = bytes.split_first()?;
    let (mut data, _) = body.split_at_checked(body.len().checked_sub(TAIL)?)?;
    if header & 0xF0 != 0xD0 || header & 15 > 1 || data.len() < count {
        return None;
    }
    let mut last = [0_u32; 2];
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        let value = varint(&mut data)?;
        let last = &mut last[(value & 1) as usize];
        *last = last.wrapping_add(unzigzag(value >> 1));
        out.push(*last);
    }
    data.is_empty().then_some(out)
}

/// What was seen lately: rings of 16.
struct Fifos {
    edges: [[u32; 2]; 16],
    next_edge: usize,
    vertices: [u32; 16],
    next_vertex: usize,
}

impl Fifos {
    /// The edge put in `back` + 1 edges ago.
    fn edge(&self, back: u8) -> [u32; 2] {
        self.edges[self.next_edge.wrapping_sub(1 + usize::from(back)) & 15]
    }

    /// The vertex put in `back` vertices ago.
    fn vertex(&self, back: u8) -> u32 {
        self.vertices[self.next_vertex.wrapping_sub(usize::from(back)) & 15]
    }

    fn put_edges<const N: usize>(&mut self, edges: [[u32; 2]; N]) {
        for edge in edges {
            self.edges[self.next_edge & 15] = edge;
            self.next_edge += 1;
        }
    }

    fn put_vertex(&mut self, vertex: u32) {
        self.vertices[self.next_vertex & 15] = vertex;
        self.next_vertex += 1;
    }
}

/// `None` when the bytes do not hold `count` indices (a multiple of 3) exactly.
pub(super) fn triangles(bytes: &[u8], count: usize) -> Option<Vec<u32>> {
    const TABLE: usize = 16;
    let (header, body) = bytes.split_first()?;
    let version = header & 15;
    if header & 0xF0 != 0xE0 || version > 1 {
        return None;
    }
    let (codes, rest) = body.split_at_checked(count / 3)?;
    let (mut data, table) = rest.split_at_checked(rest.len().checked_sub(TABLE)?)?;
    // From version 1 on, 13 and 14 mean one less and one more than the last free index.
    let recent_max = if version == 0 { 15 } else { 13 };
    let mut seen = Fifos {
        edges: [[u32::MAX; 2]; 16],
        next_edge: 0,
        vertices: [u32::MAX; 16],
        next_vertex: 0,
    };
    let mut next = 0_u32;
    let mut last = 0_u32;
    let mut out = Vec::with_capacity(count);
    let fresh = |next: &mut u32| {
        let index = *next;
        *next = next.wrapping_add(1);
        index
    };
    for &code in codes {
        let (high, low) = (code >> 4, code & 15);
        if high < 15 {
            let [a, b] = seen.edge(high);
            let c = if low < recent_max {
                if low == 0 {
                    let index = fresh(&mut next);
                    seen.put_vertex(index);
                    index
                } else {
                    seen.vertex(low + 1)
                }
            } else {
                last = match low {
                    13 => last.wrapping_sub(1),
                    14 if recent_max == 13 => last.wrapping_add(1),
                    _ => last.wrapping_add(unzigzag(varint(&mut data)?)),
                };
                seen.put_vertex(last);
                last
            };
            seen.put_edges([[c, b], [a, c]]);
            out.extend([a, b, c]);
            continue;
        }
        let [a, b, c];
        if low < 14 {
            let aux = table[usize::from(low)];
            a = fresh(&mut next);
            let (back_b, back_c) = (aux >> 4, aux & 15);
            b = if back_b == 0 { fresh(&mut next) } else { seen.vertex(back_b) };
            c = if back_c == 0 { fresh(&mut next) } else { seen.vertex(back_c) };
            seen.put_vertex(a);
            if back_b == 0 {
                seen.put_vertex(b);
            }
            if back_c == 0 {
                seen.put_vertex(c);
            }
        } else {
            let (&aux, rest) = data.split_first()?;
            data = rest;
            if aux == 0 {
                next = 0;
            }
            let backs = [if low == 14 { 0 } else { 15 }, aux >> 4, aux & 15];
            // Indices that the rings or the counter give come before those that are written out.
            let mut all = backs.map(|back| match back {
                0 => fresh(&mut next),
                15 => 0,
                _ => seen.vertex(back),
            });
            for (index, back) in all.iter_mut().zip(backs) {
                if back == 15 {
                    last = last.wrapping_add(unzigzag(varint(&mut data)?));
                    *index = last;
                }
            }
            [a, b, c] = all;
            seen.put_vertex(a);
            for (index, back) in all.into_iter().zip(backs).skip(1) {
                if back == 0 || back == 15 {
                    seen.put_vertex(index);
                }
            }
        }
        seen.put_edges([[b, a], [c, b], [a, c]]);
        out.extend([a, b, c]);
    }
    data.is_empty().then_some(out)
}
