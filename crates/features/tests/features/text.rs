//! Lines of text in pictures: boxes, cut-outs, decoding.

use meshjudge_features::{
    Rgb8, decoded, detector_input, recognizer_input, text_boxes, text_line, upside_down,
};

/// A map with 1 in the pixels whose middle is inside.
fn map(columns: usize, rows: usize, is_inside: impl Fn(f64, f64) -> bool) -> Vec<f32> {
    let place = |at: usize| ((at % columns) as f64, (at / columns) as f64);
    let value = |at| f32::from(u8::from(is_inside(place(at).0, place(at).1)));
    (0..columns * rows).map(value).collect()
}

#[test]
fn a_line_grows_by_its_area_over_its_perimeter_and_is_scaled_to_the_picture() {
    // 61 × 11 pixels become 62 × 12: edges of 61 and 11 between the outermost middles.
    let bar = |x: f64, y: f64| (20.0..=80.0).contains(&x) && (30.0..=40.0).contains(&y);
    let found = text_boxes(&map(128, 64, bar), [128, 64], [256, 64]).unwrap();
    let growth = 1.6 * 61.0 * 11.0 / (2.0 * 72.0);
    let [left, right] = [20.0 - growth, 81.0 + growth].map(|x| f64::round(2.0 * x));
    let [top, bottom] = [30.0 - growth, 41.0 + growth].map(f64::round);
    assert_eq!(found, [[[left, top], [right, top], [right, bottom], [left, bottom]]]);
}

#[test]
fn a_tilted_line_has_a_tilted_box() {
    let (dx, dy) = (0.8, 0.6);
    let tilted = |x: f64, y: f64| {
        let [u, v] = [(x - 100.0) * dx + (y - 100.0) * dy, (y - 100.0) * dx - (x - 100.0) * dy];
        u.abs() <= 60.0 && v.abs() <= 8.0
    };
    let found = text_boxes(&map(200, 200, tilted), [200, 200], [200, 200]).unwrap();
    assert_eq!(found.len(), 1);
    let [a, b, _, d] = found[0];
    let slope = (b[1] - a[1]) / (b[0] - a[0]);
    assert!((slope - dy / dx).abs() < 0.03, "{found:?}");
    // Up to four pixels more: a line has the pixels right of and below it; corners are rounded.
    let grown = 2.0 * 1.6 * 120.0 * 16.0 / (2.0 * 136.0);
    let square = |value: f64| value * value;
    let length = |p: [f64; 2], q: [f64; 2]| (square(p[0] - q[0]) + square(p[1] - q[1])).sqrt();
    assert!((length(a, b) - 120.0 - grown).abs() < 4.0, "{found:?}");
    assert!((length(a, d) - 16.0 - grown).abs() < 4.0, "{found:?}");
}

#[test]
fn boxes_come_in_the_order_of_reading_and_dots_and_weak_patches_are_none() {
    let bars = [[70.0, 20.0], [10.0, 24.0], [10.0, 60.0]];
    let is_bar = |x: f64, y: f64| {
        let is_in =
            |[left, top]: &[f64; 2]| x >= *left && x < left + 40.0 && y >= *top && y < top + 9.0;
        bars.iter().any(is_in) || (x == 120.0 && y == 90.0)
    };
    let mut values = map(128, 100, is_bar);
    values.iter_mut().skip(128 * 80).take(128 * 6).for_each(|value| *value = value.max(0.4));
    let found = text_boxes(&values, [128, 100], [128, 100]).unwrap();
    let order: Vec<[bool; 2]> = found.iter().map(|b| [b[0][0] < 50.0, b[0][1] < 40.0]).collect();
    assert_eq!(order, [[true, true], [false, true], [true, false]]);
    assert!(text_boxes(&values, [128, 99], [128, 100]).is_err());
    assert!(text_boxes(&[], [0, 0], [128, 100]).unwrap().is_empty());
}

#[test]
fn a_line_on_its_side_is_turned_and_a_level_one_is_cut_out_unchanged() {
    let pixels: Vec<u8> =
        (0..60 * 40).flat_map(|at| [(at % 60) as u8, (at / 60) as u8, 7]).collect();
    let picture = Rgb8::new(60, 40, pixels).unwrap();
    let level =
        text_line(&picture, &[[10.0, 5.0], [50.0, 5.0], [50.0, 15.0], [10.0, 15.0]]).unwrap();
    assert_eq!([level.width, level.height], [40, 10]);
    assert_eq!(level.pixels[..3], [10, 5, 7]);
    assert_eq!(level.pixels[3 * 399..], [49, 14, 7]);
    assert_eq!(upside_down(&level).pixels[..3], [49, 14, 7]);
    let tall =
        text_line(&picture, &[[10.0, 5.0], [20.0, 5.0], [20.0, 35.0], [10.0, 35.0]]).unwrap();
    assert_eq!([tall.width, tall.height], [30, 10]);
    // Its right edge is on top.
    assert_eq!(tall.pixels[..3], [19, 5, 7]);
    assert!(text_line(&picture, &[[3.0, 3.0]; 4]).is_err());
}

#[test]
fn inputs_are_blue_first_and_short_lines_end_in_zeros() {
    let red = Rgb8::new(20, 10, [255, 0, 0].repeat(200)).unwrap();
    let line = recognizer_input(&red).unwrap();
    assert_eq!([line.width, line.height], [320, 48]);
    let plane = 320 * 48;
    assert_eq!([0, plane, 2 * plane].map(|at| line.values[at]), [-1.0, -1.0, 1.0]);
    assert_eq!([95, 96].map(|at| line.values[2 * plane + at]), [1.0, 0.0]);
    let whole = detector_input(&Rgb8::new(512, 512, vec![0; 3 << 18]).unwrap()).unwrap();
    assert_eq!([whole.width, whole.height], [736, 736]);
    let large = detector_input(&Rgb8::new(4000, 1000, vec![0; 12_000_000]).unwrap()).unwrap();
    assert_eq!([large.width, large.height], [1984, 512]);
}

#[test]
fn repeated_classes_are_one_character_unless_a_blank_is_between_them() {
    let characters = ["a", "b"].map(str::to_owned);
    let read = |classes: &[usize]| {
        let place = |class: &usize| (0..4).map(|k| if k == *class { 0.7 } else { 0.1 }).collect();
        let places: Vec<Vec<f32>> = classes.iter().map(place).collect();
        decoded(&places.concat(), 4, &characters).unwrap()
    };
    let (text, confidence) = read(&[0, 1, 1, 2, 0, 2, 3, 1]);
    assert_eq!(text, "abb a");
    assert!((confidence - 0.7).abs() < 1e-6);
    assert_eq!(read(&[0, 0]), (String::new(), 0.0));
    assert!(decoded(&[0.2; 5], 5, &characters).is_err());
    assert!(decoded(&[9.0, 0.0, 0.0, 0.0], 4, &characters).is_err());
    assert!(decoded(&[f32::NAN; 4], 4, &characters).is_err());
}
