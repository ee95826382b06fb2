//! Text in pictures: a detection network's map → boxes, a box → the picture of a line, a
//! recognition network's scores → characters. Steps and numbers are those of PP-OCR (Liao et al.
//! 2020, arXiv 1911.08947, for the boxes) as RapidOCR 1.4.4 sets them, so that both find the same
//! lines. Differs: a box that is not level is cut out with bilinear weights, not cubic ones.

use super::error::FeaturesError;
use super::preprocess::{Preprocessing, Range, Resize};
use super::resample::{Filter, Planes, Resampler, Rgb8};

/// A pixel with a larger share of text belongs to a line.
const INK: f32 = 0.3;
/// A box with a smaller mean share is none.
const BOX_SHARE: f64 = 0.5;
/// How far a box grows, by its area over its perimeter: the network marks the core of a line.
const GROWTH: f64 = 1.6;
/// Edges of a box that is too small, in pixels of the map, before and after it grows.
const EDGE_MIN: [f64; 2] = [3.0, 5.0];
/// Boxes of one picture.
const BOXES_MAX: usize = 1000;
/// Boxes whose tops differ by less are in one row.
const ROW_PX: f64 = 10.0;
/// A box at least so many times as high as wide has its text on its side.
const UPRIGHT: f64 = 1.5;
/// Shorter and longer edge for text detection; the network needs multiples of 32.
const DETECTED_PX: [f64; 2] = [736.0, 2000.0];
/// Height of a line of text, and its least and largest width.
const LINE_PX: [usize; 3] = [48, 320, 4096];

/// The corners of a line of text in pixels, clockwise from the top left.
pub type TextBox = [[f64; 2]; 4];

/// The picture as a network that detects text takes it: blue, green and red from −1 to 1.
///
/// # Errors
/// A picture so narrow that nothing is left of it.
pub fn detector_input(picture: &Rgb8) -> Result<Planes, FeaturesError> {
    let edges = [picture.width as f64, picture.height as f64];
    let [short, long] = [edges[0].min(edges[1]), edges[0].max(edges[1])];
    let scale = (DETECTED_PX[0] / short).max(1.0).min(DETECTED_PX[1] / long);
    let [width, height] =
        edges.map(|edge| ((edge * scale / 32.0).round_ties_even() * 32.0) as usize);
    planes(picture, [width, height])
}

/// The picture of a line as a network that recognises text takes it: 48 pixels high, with zeros to
/// its right if it is short.
///
/// # Errors
/// A picture with too many pixels.
pub fn recognizer_input(line: &Rgb8) -> Result<Planes, FeaturesError> {
    let [height, least, most] = LINE_PX;
    let ratio = line.width as f64 / line.height as f64;
    let width = ((height as f64 * ratio) as usize).clamp(least, most);
    let filled = ((height as f64 * ratio).ceil() as usize).min(width);
    let found = planes(line, [filled, height])?;
    let mut values = Vec::with_capacity(3 * height * width);
    for row in found.values.chunks_exact(filled) {
        values.extend_from_slice(row);
        values.resize(values.len() + width - filled, 0.0);
    }
    Ok(Planes { width, height, values })
}

fn planes(picture: &Rgb8, [width, height]: [usize; 2]) -> Result<Planes, FeaturesError> {
    let half = [0.5; 3];
    let steps = Preprocessing {
        resize: Some(Resize::Exact(width, height)),
        resampler: Resampler::FloatPlain,
        filter: Filter::Bilinear,
        crop: None,
        range: Range::Normalized { mean: half, deviation: half },
    };
    let mut planes = steps.planes(picture)?;
    let (red, others) = planes.values.split_at_mut(width * height);
    red.swap_with_slice(&mut others[width * height..]);
    Ok(planes)
}

/// Boxes around lines of text in a picture of that width and height, from the share of text in each
/// pixel of a map, in the order of reading.
///
/// # Errors
/// A map with another number of values.
pub fn text_boxes(
    map: &[f32],
    [columns, rows]: [usize; 2],
    picture_px: [usize; 2],
) -> Result<Vec<TextBox>, FeaturesError> {
    let (wanted, found) = (columns * rows, map.len());
    if wanted != found {
        return Err(FeaturesError::Length { what: "the map of text", wanted, found });
    }
    let mut boxes = Vec::new();
    for points in patches(map, columns).into_iter().take(BOXES_MAX) {
        let Some(mut rect) = Rect::around(points) else { continue };
        if rect.shorter_edge() < EDGE_MIN[0] || rect.mean(map, columns) < BOX_SHARE {
            continue;
        }
        let [a, b] = rect.half.map(|half| 2.0 * half);
        let growth = GROWTH * a * b / (2.0 * (a + b));
        rect.half = rect.half.map(|half| half + growth);
        if rect.shorter_edge() < EDGE_MIN[1] {
            continue;
        }
        let place = |value: f64, cells: usize, px: usize| {
            (value / cells as f64 * px as f64).round_ties_even().clamp(0.0, px as f64 - 1.0)
        };
        let corners = rect
            .corners()
            .map(|[x, y]| [place(x, columns, picture_px[0]), place(y, rows, picture_px[1])]);
        let corners = clockwise(corners);
        let edges = [distance(corners[0], corners[1]), distance(corners[0], corners[3])];
        if edges.iter().all(|edge| *edge >= EDGE_MIN[0] + 1.0) {
            boxes.push(corners);
        }
    }
    let key = |corners: &TextBox| [corners[0][1], corners[0][0]];
    boxes.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    for end in 1..boxes.len() {
        let mut at = end;
        let is_swapped =
            |a: &TextBox, b: &TextBox| (a[0][1] - b[0][1]).abs() < ROW_PX && b[0][0] < a[0][0];
        while at > 0 && is_swapped(&boxes[at - 1], &boxes[at]) {
            boxes.swap(at - 1, at);
            at -= 1;
        }
    }
    Ok(boxes)
}

/// Connected pixels with text, each of them also one to the right and below, as places of the first
/// and last pixel in each of their rows.
fn patches(map: &[f32], columns: usize) -> Vec<Vec<[f64; 2]>> {
    let has_ink = |at: usize| map[at] > INK;
    let mut is_open: Vec<bool> = (0..map.len())
        .map(|at| {
            let left = !at.is_multiple_of(columns) && has_ink(at - 1);
            let above = at >= columns && has_ink(at - columns);
            let both = !at.is_multiple_of(columns) && at > columns && has_ink(at - columns - 1);
            has_ink(at) || left || above || both
        })
        .collect();
    let mut patches = Vec::new();
    for start in 0..map.len() {
        if !std::mem::take(&mut is_open[start]) {
            continue;
        }
        let (mut waiting, mut ends) = (vec![start], std::collections::BTreeMap::new());
        while let Some(at) = waiting.pop() {
            let (x, y) = (at % columns, at / columns);
            let (first, last) = ends.entry(y).or_insert((x, x));
            (*first, *last) = ((*first).min(x), (*last).max(x));
            for row in y.saturating_sub(1)..=(y + 1).min(map.len() / columns - 1) {
                for column in x.saturating_sub(1)..=(x + 1).min(columns - 1) {
                    let next = row * columns + column;
                    if std::mem::take(&mut is_open[next]) {
                        waiting.push(next);
                    }
                }
            }
        }
        let both = |(y, (first, last)): (usize, (usize, usize))| {
            [[first as f64, y as f64], [last as f64, y as f64]]
        };
        patches.push(ends.into_iter().flat_map(both).collect());
    }
    patches
}

/// A rectangle at any angle.
struct Rect {
    center: [f64; 2],
    /// The direction of its first edge.
    along: [f64; 2],
    half: [f64; 2],
}

impl Rect {
    /// The smallest around the points, one edge along a hull edge; none for points on a line.
    fn around(points: Vec<[f64; 2]>) -> Option<Self> {
        let hull = hull(points);
        let edges = (0..hull.len()).map(|k| (hull[k], hull[(k + 1) % hull.len()]));
        let rects = edges.filter_map(|(from, to)| {
            let length = distance(from, to);
            let along = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
            let range = |axis: [f64; 2]| {
                let places = hull.iter().map(|point| dot(*point, axis));
                places.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)))
            };
            let across = [-along[1], along[0]];
            let [u, v] = [range(along), range(across)];
            let (mid_u, mid_v) = ((u.0 + u.1) / 2.0, (v.0 + v.1) / 2.0);
            let center = [0, 1].map(|k| along[k] * mid_u + across[k] * mid_v);
            let half = [(u.1 - u.0) / 2.0, (v.1 - v.0) / 2.0];
            (half[0] * half[1] > 0.0).then_some(Self { center, along, half })
        });
        rects.min_by(|a, b| (a.half[0] * a.half[1]).total_cmp(&(b.half[0] * b.half[1])))
    }

    fn shorter_edge(&self) -> f64 {
        2.0 * self.half[0].min(self.half[1])
    }

    fn corners(&self) -> TextBox {
        let [ux, uy] = self.along;
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[a, b]| {
            let [a, b] = [a * self.half[0], b * self.half[1]];
            [self.center[0] + a * ux - b * uy, self.center[1] + a * uy + b * ux]
        })
    }

    /// The mean of the pixels whose middle is inside.
    fn mean(&self, map: &[f32], columns: usize) -> f64 {
        let corners = self.corners();
        let range = |k: usize, size: usize| {
            let places = corners.iter().map(|corner| corner[k]);
            let (low, high) = places.fold((f64::MAX, 0.0), |(a, b), at| (at.min(a), at.max(b)));
            low.max(0.0).floor() as usize..=(high.ceil() as usize).min(size - 1)
        };
        let (mut sum, mut count) = (0.0, 0.0);
        for y in range(1, map.len() / columns) {
            for x in range(0, columns) {
                let from = [x as f64 - self.center[0], y as f64 - self.center[1]];
                let place = [dot(from, self.along), dot(from, [-self.along[1], self.along[0]])];
                if place[0].abs() <= self.half[0] + 0.5 && place[1].abs() <= self.half[1] + 0.5 {
                    sum += f64::from(map[y * columns + x]);
                    count += 1.0;
                }
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }
}

/// The convex hull, by Andrew's monotone chain.
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..]
                && (b[0] - a[0]) * (point[1] - a[1]) <= (b[1] - a[1]) * (point[0] - a[0])
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let lower = chain(&mut points.iter().copied());
    [lower, chain(&mut points.iter().rev().copied())].concat()
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    let apart = [a[0] - b[0], a[1] - b[1]];
    dot(apart, apart).sqrt()
}

/// Of the two leftmost corners and of the two others, the upper one is a top corner.
fn clockwise(mut corners: TextBox) -> TextBox {
    corners.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let [a, b, c, d] = corners;
    let (top_left, bottom_left) = if b[1] < a[1] { (b, a) } else { (a, b) };
    let (top_right, bottom_right) = if d[1] < c[1] { (d, c) } else { (c, d) };
    [top_left, top_right, bottom_right, bottom_left]
}

/// The picture of a line of text, whose letters are upright or upside down.
///
/// # Errors
/// A box without an area.
pub fn text_line(picture: &Rgb8, corners: &TextBox) -> Result<Rgb8, FeaturesError> {
    let [a, b, c, d] = *corners;
    let width = distance(a, b).max(distance(d, c)) as usize;
    let height = distance(a, d).max(distance(b, c)) as usize;
    let is_on_its_side = height as f64 >= UPRIGHT * width as f64;
    let [columns, rows] = if is_on_its_side { [height, width] } else { [width, height] };
    let mut pixels = Vec::with_capacity(3 * columns * rows);
    for row in 0..rows {
        for column in 0..columns {
            // A quarter turn counter-clockwise puts the right edge on top.
            let [x, y] = if is_on_its_side { [width - 1 - row, column] } else { [column, row] };
            let [u, v] = [x as f64 / width as f64, y as f64 / height as f64];
            let place = [0, 1].map(|k| {
                (a[k] * (1.0 - u) + b[k] * u) * (1.0 - v) + (d[k] * (1.0 - u) + c[k] * u) * v
            });
            pixels.extend(sampled(picture, place));
        }
    }
    Rgb8::new(columns, rows, pixels)
}

/// The colour at a place between pixels.
fn sampled(picture: &Rgb8, place: [f64; 2]) -> [u8; 3] {
    let axis = |at: f64, size: usize| {
        let at = at.clamp(0.0, size as f64 - 1.0);
        (at as usize, (at as usize + 1).min(size - 1), at.fract())
    };
    let (left, right, u) = axis(place[0], picture.width);
    let (top, bottom, v) = axis(place[1], picture.height);
    [0, 1, 2].map(|channel| {
        let value =
            |x: usize, y: usize| f64::from(picture.pixels[3 * (y * picture.width + x) + channel]);
        let upper = value(left, top) * (1.0 - u) + value(right, top) * u;
        let lower = value(left, bottom) * (1.0 - u) + value(right, bottom) * u;
        (upper * (1.0 - v) + lower * v).round() as u8
    })
}

/// The picture turned by half a turn.
pub fn upside_down(picture: &Rgb8) -> Rgb8 {
    let pixels = picture.pixels.rchunks_exact(3).flatten().copied().collect();
    Rgb8 { pixels, ..*picture }
}

/// The text and its confidence, the mean of its characters' probabilities, from the probabilities
/// of a network with connectionist temporal classification: for each place in the line one of no
/// character, of each of `characters`, and of a space.
///
/// # Errors
/// Another number of probabilities than of characters; values that are none.
pub fn decoded(
    probabilities: &[f32],
    num_classes: usize,
    characters: &[String],
) -> Result<(String, f64), FeaturesError> {
    let wanted = characters.len() + 2;
    if num_classes != wanted {
        let what = "the probabilities of a character";
        return Err(FeaturesError::Length { what, wanted, found: num_classes });
    }
    let (mut text, mut before) = (String::new(), 0);
    let (mut sum, mut count) = (0.0, 0.0);
    for place in probabilities.chunks_exact(num_classes) {
        let mut best = 0;
        for (class, value) in place.iter().enumerate() {
            if !(-0.001..=1.001).contains(value) {
                let reason = "the network for lines of text gives values that are no probabilities; export it with its softmax";
                return Err(FeaturesError::Impossible(reason.to_owned()));
            }
            if *value > place[best] {
                best = class;
            }
        }
        if best != 0 && best != before {
            text.push_str(characters.get(best - 1).map_or(" ", String::as_str));
            sum += f64::from(place[best]);
            count += 1.0;
        }
        before = best;
    }
    Ok((text, if count > 0.0 { sum / count } else { 0.0 }))
}
