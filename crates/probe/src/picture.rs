//! A picture on a plain background → its objects. Reports other backgrounds, never guesses.

use super::color::{Lab, difference, lab};
use crate::render::Image;
use crate::sheet::{Transfer, fit};

/// Larger pictures are scaled down first: enough to count and to name colours.
const LONGEST_PX: u32 = 512;

/// Foreground from here on: four times just noticeable, above JPEG noise and a soft vignette.
const FOREGROUND: f64 = 10.0;

/// A background is plain if so much of the rim is within [`FOREGROUND`] of its own median.
const PLAIN_RIM_SHARE: f64 = 0.9;

/// Components under this share of the largest are specks.
const SPECK_SHARE: f64 = 0.05;

#[derive(Debug, Clone, PartialEq)]
pub struct Blob {
    /// Pixels at the working size.
    pub area: f64,
    pub mean: Lab,
    /// Left, top, right and bottom, in pixels.
    pub bounds: [f64; 4],
}

/// The objects in front of a plain background.
#[derive(Debug, Clone)]
pub struct Objects {
    /// Colour of the background.
    pub background: Lab,
    /// Every pixel of the objects.
    pub colors: Vec<Lab>,
    /// Where each is: pixels at the working size, x to the right and y down.
    pub places: Vec<[f64; 2]>,
    /// Connected objects, largest first, without specks.
    pub blobs: Vec<Blob>,
}

/// Finds the objects; `None` where the background is not plain or nothing is in front of it.
pub fn objects(picture: &Image) -> Option<Objects> {
    let longest = picture.width_px.max(picture.height_px).min(LONGEST_PX);
    let small = fit(&picture.to_rgb8(), longest, Transfer::Srgb).ok()?;
    let (width, height) = (small.width_px as usize, small.height_px as usize);
    let pixels: Vec<Lab> = small.pixels.as_chunks::<3>().0.iter().map(|&rgb| lab(rgb)).collect();
    let is_rim = |at: usize| {
        at.is_multiple_of(width)
            || at % width == width - 1
            || at < width
            || at >= width * (height - 1)
    };
    let rim: Vec<Lab> = (0..pixels.len()).filter(|&at| is_rim(at)).map(|at| pixels[at]).collect();
    let background = median(&rim);
    let plain = rim.iter().filter(|&&color| difference(color, background) < FOREGROUND).count();
    if (plain as f64) < PLAIN_RIM_SHARE * rim.len() as f64 {
        return None;
    }
    let is_front: Vec<bool> =
        pixels.iter().map(|&color| difference(color, background) >= FOREGROUND).collect();
    let mut blobs = blobs(&pixels, &is_front, width);
    let largest = blobs.first()?.area;
    blobs.retain(|blob| blob.area >= SPECK_SHARE * largest);
    let seen = (0..pixels.len()).filter(|&at| is_front[at]);
    let (colors, places) =
        seen.map(|at| (pixels[at], [(at % width) as f64, (at / width) as f64])).unzip();
    Some(Objects { background, colors, places, blobs })
}

/// Of each component by itself; of one colour at least.
pub(super) fn median(colors: &[Lab]) -> Lab {
    std::array::from_fn(|channel| {
        let mut values: Vec<f64> = colors.iter().map(|color| color[channel]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    })
}

/// Connected (8 neighbours) foreground, largest first.
fn blobs(pixels: &[Lab], is_front: &[bool], width: usize) -> Vec<Blob> {
    let height = pixels.len() / width;
    let mut is_seen = vec![false; pixels.len()];
    let mut found = Vec::new();
    for start in 0..pixels.len() {
        if is_seen[start] || !is_front[start] {
            continue;
        }
        is_seen[start] = true;
        let (mut open, mut area, mut sum) = (vec![start], 0.0, [0.0; 3]);
        let mut bounds = [f64::INFINITY, f64::INFINITY, 0.0, 0.0];
        while let Some(at) = open.pop() {
            area += 1.0;
            sum.iter_mut().zip(pixels[at]).for_each(|(sum, value)| *sum += value);
            let (x, y) = (at % width, at / width);
            let [left, top, right, bottom] = bounds;
            let place = [x as f64, y as f64];
            bounds =
                [left.min(place[0]), top.min(place[1]), right.max(place[0]), bottom.max(place[1])];
            for row in y.saturating_sub(1)..=(y + 1).min(height - 1) {
                for next in row * width + x.saturating_sub(1)..=row * width + (x + 1).min(width - 1)
                {
                    if is_front[next] && !is_seen[next] {
                        is_seen[next] = true;
                        open.push(next);
                    }
                }
            }
        }
        found.push(Blob { area, mean: sum.map(|sum| sum / area), bounds });
    }
    found.sort_by(|a, b| b.area.total_cmp(&a.area));
    found
}
