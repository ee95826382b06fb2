//! Distances between colours as people see them, and the names of basic colours.

use crate::sheet::decode_srgb;

/// CIE 1976 L*a*b*, D65.
pub(super) type Lab = [f64; 3];

/// Basic colour terms (Berlin & Kay 1969) with an sRGB focal colour each; the values are CSS's where it has the name and it is focal.
pub(super) const NAMES: [(&str, [u8; 3]); 12] = [
    ("black", [0, 0, 0]),
    ("white", [255, 255, 255]),
    ("gray", [128, 128, 128]),
    ("red", [220, 20, 30]),
    ("orange", [255, 140, 0]),
    ("yellow", [255, 225, 0]),
    ("green", [20, 150, 50]),
    ("blue", [20, 60, 220]),
    ("purple", [128, 0, 160]),
    ("pink", [255, 150, 190]),
    ("brown", [120, 70, 30]),
    ("grey", [128, 128, 128]),
];

/// CIE 15:2004, from sRGB bytes.
pub(super) fn lab(rgb: [u8; 3]) -> Lab {
    let [r, g, b] = rgb.map(|byte| f64::from(decode_srgb(byte)));
    // IEC 61966-2-1 primaries, divided by the D65 white.
    let x = (0.412_456_4 * r + 0.357_576_1 * g + 0.180_437_5 * b) / 0.950_47;
    let y = 0.212_672_9 * r + 0.715_152_2 * g + 0.072_175_0 * b;
    let z = (0.019_333_9 * r + 0.119_192_0 * g + 0.950_304_1 * b) / 1.088_83;
    let f = |t: f64| {
        if t > 216.0 / 24_389.0 { libm::cbrt(t) } else { (24_389.0 / 27.0 * t + 16.0) / 116.0 }
    };
    [116.0 * f(y) - 16.0, 500.0 * (f(x) - f(y)), 200.0 * (f(y) - f(z))]
}

/// ΔE*ab: 2.3 is just noticeable (Mahy 1994), black to white is 100.
pub(super) fn difference(a: Lab, b: Lab) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b)).sqrt()
}

/// The basic colour nearest to this one; lightness counts half, because shading changes it.
pub(super) fn name_of(color: Lab) -> &'static str {
    let distance = |(_, focal): &(&str, [u8; 3])| {
        let focal = lab(*focal);
        difference([0.5 * color[0], color[1], color[2]], [0.5 * focal[0], focal[1], focal[2]])
    };
    NAMES.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).map_or("gray", |(name, _)| name)
}

/// The basic colours that a text names, in the order of [`NAMES`], grey spelled `gray`.
pub(super) fn named_in(text: &str) -> Vec<&'static str> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase).collect();
    let mut found: Vec<&str> = NAMES
        .iter()
        .filter(|(name, _)| words.iter().any(|word| word == name))
        .map(|(name, _)| if *name == "grey" { "gray" } else { name })
        .collect();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_black_and_red_have_their_published_lab_values() {
        let close =
            |rgb, expected: Lab| assert!(difference(lab(rgb), expected) < 0.05, "{:?}", lab(rgb));
        close([255; 3], [100.0, 0.0, 0.0]);
        close([0; 3], [0.0, 0.0, 0.0]);
        close([255, 0, 0], [53.24, 80.09, 67.20]);
    }

    #[test]
    fn shades_keep_their_names() {
        for (name, focal) in NAMES.iter().filter(|(name, _)| *name != "grey") {
            assert_eq!(name_of(lab(*focal)), *name);
        }
        assert_eq!(name_of(lab([150, 20, 25])), "red");
        assert_eq!(name_of(lab([60, 100, 230])), "blue");
        assert_eq!(named_in("A RED apple, on a light-blue plate; reddish"), ["red", "blue"]);
    }
}
