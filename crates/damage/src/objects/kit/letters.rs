//! Capital letters of three by five cells, painted on things: text shows mirrored sides.

/// Five rows of three cells, the top row in the highest bits.
fn cells(letter: u8) -> u16 {
    match letter {
        b'A' => 0b010_101_111_101_101,
        b'B' => 0b110_101_110_101_110,
        b'C' => 0b011_100_100_100_011,
        b'D' => 0b110_101_101_101_110,
        b'E' => 0b111_100_110_100_111,
        b'F' => 0b111_100_110_100_100,
        b'G' => 0b011_100_101_101_011,
        b'H' => 0b101_101_111_101_101,
        b'I' => 0b111_010_010_010_111,
        b'J' => 0b001_001_001_101_010,
        b'K' => 0b101_101_110_101_101,
        b'L' => 0b100_100_100_100_111,
        b'M' => 0b101_111_111_101_101,
        b'N' => 0b111_101_101_101_101,
        b'O' => 0b111_101_101_101_111,
        b'P' => 0b110_101_110_100_100,
        b'R' => 0b110_101_110_101_101,
        b'S' => 0b011_100_010_001_110,
        b'T' => 0b111_010_010_010_010,
        b'U' => 0b101_101_101_101_111,
        b'V' => 0b101_101_101_101_010,
        b'W' => 0b101_101_111_111_101,
        b'Y' => 0b101_101_010_010_010,
        b'1' => 0b010_110_010_010_111,
        b'2' => 0b111_001_111_100_111,
        b'4' => 0b101_101_111_001_001,
        b'7' => 0b111_001_001_010_010,
        _ => 0,
    }
}

/// Whether (x, y) is on the ink of a line of text that fills 0 to 1 in both directions, y
/// downwards. Letters that are not known are left blank.
pub fn is_ink(text: &str, x: f32, y: f32) -> bool {
    if !(0.0..1.0).contains(&x) || !(0.0..1.0).contains(&y) {
        return false;
    }
    // Three cells a letter and one between two.
    let columns = (4 * text.len()).saturating_sub(1);
    let column = (x * columns as f32) as usize;
    let row = (y * 5.0) as usize;
    let letter = text.as_bytes().get(column / 4).copied().unwrap_or(b' ');
    column % 4 < 3 && cells(letter) >> (14 - 3 * row.min(4) - column % 4) & 1 == 1
}
