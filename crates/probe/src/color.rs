//! Distances between colours as people see them, and the names of basic colours.

use crate::sheet::decode_srgb;

/// CIE 1976 L*a*b*, D65.
pub type Lab = [f64; 3];

/// Basic colour terms (Berlin & Kay 1969), and other spellings of them.
const NAMES: [(&str, &str); 13] = [
    ("black", "black"),
    ("white", "white"),
    ("gray", "gray"),
    ("red", "red"),
    ("orange", "orange"),
    ("yellow", "yellow"),
    ("green", "green"),
    ("blue", "blue"),
    ("purple", "purple"),
    ("violet", "purple"),
    ("pink", "pink"),
    ("brown", "brown"),
    ("grey", "gray"),
];

/// CIE 15:2004, from sRGB bytes.
pub fn lab(rgb: [u8; 3]) -> Lab {
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
pub fn difference(a: Lab, b: Lab) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b)).sqrt()
}

/// The basic colour term for a colour, by its hue, chroma and lightness in CIELAB: light red is
/// pink and dark orange is brown.
///
/// Our borders between focal colours of terms (Berlin & Kay 1969); tested by named_colors.txt.
pub fn name_of([lightness, a, b]: Lab) -> &'static str {
    let chroma = libm::hypot(a, b);
    let hue = libm::atan2(b, a).to_degrees().rem_euclid(360.0);
    let is_grey = chroma < (6.0 + 0.22 * lightness).min(13.0) || lightness > 92.0 && chroma < 14.0;
    if lightness < 4.0 || lightness < 12.0 && chroma < 20.0 || is_grey && lightness < 20.0 {
        return "black";
    }
    if is_grey {
        return if lightness > 87.0 { "white" } else { "gray" };
    }
    match hue {
        ..14.0 | 344.0.. if lightness > 52.0 => "pink",
        8.0..14.0 => "red",
        ..8.0 | 344.0.. => "purple",
        ..54.0 => warm(lightness, chroma, hue),
        ..83.0 if lightness > 84.0 && hue > 76.0 => "yellow",
        ..83.0 if lightness > 62.0 && (chroma > 46.0 || lightness > 84.0) => "orange",
        ..83.0 => "brown",
        ..110.0 if lightness > 70.0 || lightness > 62.0 && hue <= 100.0 && chroma > 60.0 => {
            "yellow"
        }
        ..100.0 => "brown",
        ..112.0 if lightness > 90.0 => "yellow",
        ..186.0 => "green",
        ..200.0 if lightness < 60.0 => "green",
        302.0..312.0 if chroma < 80.0 && (40.0..75.0).contains(&lightness) => "purple",
        ..312.0 => "blue",
        _ if hue < 332.0 || lightness <= 52.0 => "purple",
        _ => "pink",
    }
}

/// Between pink, red, orange and brown.
fn warm(lightness: f64, chroma: f64, hue: f64) -> &'static str {
    if lightness > 60.0 && hue < 42.0 && chroma < 70.0 {
        "pink"
    } else if lightness > 60.0 && hue >= 42.0 || lightness > 58.0 && hue >= 46.0 {
        "orange"
    } else if chroma < 48.0 && lightness < 52.0 && hue > 30.0 || hue >= 46.0 {
        "brown"
    } else {
        "red"
    }
}

/// The basic colours that a text names, each once.
pub fn named_in(text: &str) -> Vec<&'static str> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase).collect();
    let mut found: Vec<&str> = Vec::new();
    for (word, name) in NAMES {
        if words.iter().any(|w| w == word) && !found.contains(&name) {
            found.push(name);
        }
    }
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
    fn a_hundred_and_fifty_named_colours_have_a_common_name() {
        let table = include_str!("named_colors.txt");
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        let mut wrong = Vec::new();
        let mut count = 0;
        for row in rows {
            let [name, r, g, b, terms] = row.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{row}")
            };
            let found = name_of(lab([r, g, b].map(|byte| byte.parse().unwrap())));
            count += 1;
            if terms.split('/').all(|term| term != found) {
                wrong.push(format!("{name}: {found}"));
            }
        }
        assert_eq!(count, 150);
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn colours_of_a_text_are_whole_words() {
        assert_eq!(
            named_in("A RED apple, on a light-blue plate; reddish, and grey or gray"),
            ["gray", "red", "blue"]
        );
    }
}
