//! Adaptive supersampling: where a picture shows only structures thinner than a pixel (wires, hair,
//! leaves), that part is drawn again twice as large, and again, and reduced. Four samples a pixel
//! become 16 and then 64, only there.
//!
//! A pixel is thin if some of its samples see a surface that others look past, into the void or at
//! something far behind it, and no pixel near it is full of that surface: the outline of a solid
//! has full pixels next to it, whatever is behind. Geometry wholly between samples is known by its
//! outlines, where no sample around them sees anything as near.

use super::channel::{Channel, Values};
use super::cpu::prepare::{Pass, PreparedMesh};
use super::cpu::transform::{SUBPIXEL, ScreenVertex, UNREACHABLE};
use super::image::{Image, PixelFormat};
use super::settings::Settings;
use super::shot::{Depths, GAP, Shot, Stats, Window};
use crate::scene::color::{LINEAR_FROM_SRGB8, encode_index, srgb8_table, unorm8};

const ZOOM_MAX: u32 = 4;

/// Larger pictures are not refined: what they show is large enough.
const REFINED_PIXELS_MAX: u64 = 1 << 21;

/// Edge of the blocks that are replaced, pixels.
const BLOCK: usize = 8;

/// A full pixel this near (along both axes) makes a pixel part of a solid's outline.
const REACH: usize = 2;

/// What a block counts for in which there is something that no sample sees.
const UNSEEN_PIXELS: u32 = BLOCK as u32;

/// A quarter of a picture with fewer thin pixels is left as it is: the tip of a cone has some.
const THIN_PIXELS_MIN: u32 = 16;

/// For meshes with more, only vertices are looked at: some are wherever there is anything.
const TRIANGLES_MAX: usize = 100_000;

pub(super) struct Picture {
    pub images: Vec<(Channel, Image)>,
    /// Of each of its parts.
    pub stats: Vec<Stats>,
    /// Of each pixel; empty where nothing is refined.
    pub depths: Vec<Depths>,
    /// Where opaque surfaces are, seen or not.
    pub occupied: Occupied,
    /// Outside of it all depths are [`Depths::EMPTY`].
    pub window: Window,
}

/// By block, row by row: the depth of the nearest outline of a triangle that is there,
/// [`Depths::NOTHING`] where none does. Empty where nothing is refined.
#[derive(Debug, Default)]
pub(super) struct Occupied(Vec<u16>);

/// Behind everything: of a mesh of which it is not known what faces away.
const SOMEWHERE: f32 = 1.0;

impl Occupied {
    /// `vertices` are those of all meshes in a shot.
    pub(super) fn new(
        shot: &Shot,
        settings: &Settings,
        meshes: &[PreparedMesh<'_>],
        vertices: &[ScreenVertex],
    ) -> Self {
        if shot.zoom == ZOOM_MAX || !is_refined(settings) {
            return Self::default();
        }
        let [width, height] = [settings.width_px, settings.height_px].map(|side| side as usize);
        let (columns, rows) = (width.div_ceil(BLOCK), height.div_ceil(BLOCK));
        // The last is for everything next to the picture.
        let mut blocks = vec![Depths::NOTHING; columns * rows + 1];
        const BLOCK_STEPS: i32 = BLOCK as i32 * SUBPIXEL;
        let place = |x: i32, y: i32, z: f32| {
            let (column, row) = (x.div_euclid(BLOCK_STEPS), y.div_euclid(BLOCK_STEPS));
            let is_inside =
                (0..columns as i32).contains(&column) && (0..rows as i32).contains(&row);
            let block =
                if is_inside { row as usize * columns + column as usize } else { columns * rows };
            (block, Depths::steps(z.clamp(0.0, 1.0)))
        };
        let mut mark = |(block, depth): (usize, u16)| {
            let nearest: &mut u16 = &mut blocks[block];
            *nearest = depth.min(*nearest);
        };
        // Of each vertex, whether an outline has it: most are corners of several triangles.
        let mut is_corner = Vec::new();
        for mesh in meshes.iter().filter(|mesh| mesh.pass == Pass::Opaque) {
            let vertices = &vertices[mesh.first_vertex..][..mesh.mesh.positions().len()];
            let triangles = mesh.mesh.triangles();
            if triangles.len() > TRIANGLES_MAX {
                vertices.iter().for_each(|vertex| mark(place(vertex.x, vertex.y, SOMEWHERE)));
                continue;
            }
            is_corner.clear();
            is_corner.resize(vertices.len(), false);
            for triangle in triangles {
                let corners = triangle.map(|corner| vertices[corner as usize]);
                if corners.iter().any(|corner| corner.x == UNREACHABLE) {
                    continue;
                }
                let (x, y) = (corners.map(|c| c.x), corners.map(|c| c.y));
                let across = |v: &[i32; 3], from: usize, to: usize| i64::from(v[to] - v[from]);
                let area =
                    across(&x, 0, 1) * across(&y, 0, 2) - across(&y, 0, 1) * across(&x, 0, 2);
                if area == 0 || (area > 0 && !mesh.material.double_sided) {
                    continue;
                }
                for corner in triangle {
                    is_corner[*corner as usize] = true;
                }
                let extent = |v: &[i32; 3]| v[0].max(v[1]).max(v[2]) - v[0].min(v[1]).min(v[2]);
                if extent(&x).max(extent(&y)) < BLOCK_STEPS / 2 {
                    continue;
                }
                for (from, to) in [(0, 1), (1, 2), (2, 0)] {
                    let (dx, dy) = (across(&x, from, to), across(&y, from, to));
                    // Between the corners, at every half block.
                    let steps = dx.abs().max(dy.abs()) / i64::from(BLOCK_STEPS / 2) + 1;
                    let z = [corners[from].z, corners[to].z];
                    // An edge that reaches far beyond the picture is looked at less closely.
                    let steps = steps.min(4 * (columns + rows) as i64);
                    for step in 1..steps {
                        let along = |at: i32, by: i64| (i64::from(at) + by * step / steps) as i32;
                        // Depth is linear on the screen.
                        let z = z[0] + (z[1] - z[0]) * (step as f32 / steps as f32);
                        mark(place(along(x[from], dx), along(y[from], dy), z));
                    }
                }
            }
            let corners = vertices.iter().zip(&is_corner).filter(|(_, is)| **is);
            corners.for_each(|(vertex, _)| mark(place(vertex.x, vertex.y, vertex.z)));
        }
        blocks.pop();
        Self(blocks)
    }
}

/// Whether pictures of these settings may be refined.
pub(super) fn is_refined(settings: &Settings) -> bool {
    let pixels = u64::from(settings.width_px) * u64::from(settings.height_px);
    let is_even = settings.width_px.is_multiple_of(2) && settings.height_px.is_multiple_of(2);
    is_even && pixels <= REFINED_PIXELS_MAX
}

impl Picture {
    pub(super) fn new(images: Vec<(Channel, Image)>, settings: &Settings) -> Self {
        let pixels = settings.width_px as usize * settings.height_px as usize;
        Self {
            images,
            stats: Vec::new(),
            depths: vec![Depths::EMPTY; if is_refined(settings) { pixels } else { 0 }],
            occupied: Occupied::default(),
            window: Window::whole(settings.width_px as usize, settings.height_px as usize),
        }
    }
}

/// What of a shot will be used: where the picture before it is thin.
#[derive(Clone, Copy)]
pub(super) struct Needed<'a> {
    thin: &'a Thin,
    /// Of the quarter that the shot shows, in pixels of the picture before it.
    left: usize,
    top: usize,
}

impl Needed<'_> {
    /// Whether row `y` has a pixel from column `left` to `right`, which are within 16 columns.
    #[inline]
    pub(super) fn is_any(&self, left: usize, right: usize, y: usize) -> bool {
        let row = (self.top + y / 2) / BLOCK * self.thin.columns;
        let block = |x: usize| self.thin.blocks[row + (self.left + x / 2) / BLOCK];
        block(left) || block(right)
    }
}

/// Replaces thin parts of a picture by those from `draw`.
///
/// # Errors
/// Those of `draw`; the picture is then partly replaced.
pub(super) fn refine<E>(
    shot: Shot,
    picture: &mut Picture,
    settings: &Settings,
    draw: &impl Fn(Shot, Needed<'_>) -> Result<Picture, E>,
) -> Result<(), E> {
    if shot.zoom == ZOOM_MAX || picture.depths.is_empty() {
        return Ok(());
    }
    let [width, height] = [settings.width_px, settings.height_px].map(|side| side as usize);
    let Some(thin) =
        Thin::find(&picture.depths, &picture.occupied, &picture.window, [width, height])
    else {
        return Ok(());
    };
    for quarter in [[0, 0], [1, 0], [0, 1], [1, 1]] {
        if !thin.is_in(quarter) {
            continue;
        }
        let closer = shot.quarter(quarter);
        let [column, row] = quarter.map(|k| k as usize);
        let needed = Needed { thin: &thin, left: column * width / 2, top: row * height / 2 };
        let mut larger = draw(closer, needed)?;
        refine(closer, &mut larger, settings, draw)?;
        for ((channel, image), (_, larger)) in picture.images.iter_mut().zip(&larger.images) {
            replace(channel.values(), image, larger, quarter, &thin);
        }
    }
    Ok(())
}

/// Where a picture is thin.
struct Thin {
    /// By block, row by row: whether it or one next to it has a thin pixel.
    blocks: Vec<bool>,
    columns: usize,
    /// By quarter: upper left, upper right, lower left, lower right.
    quarters: [bool; 4],
}

impl Thin {
    /// `None` if nothing needs refinement.
    fn find(
        depths: &[Depths],
        occupied: &Occupied,
        window: &Window,
        [width, height]: [usize; 2],
    ) -> Option<Self> {
        let (columns, rows) = (width.div_ceil(BLOCK), height.div_ceil(BLOCK));
        let mut has_thin = vec![false; columns * rows];
        let mut nearest = vec![Depths::NOTHING; columns * rows];
        let mut count = [0; 4];
        let quarter_of =
            |x: usize, y: usize| usize::from(x >= width / 2) + 2 * usize::from(y >= height / 2);
        let first_chunk = window.columns.start / BLOCK;
        for y in window.rows.clone() {
            let row = &depths[y * width..][first_chunk * BLOCK..window.columns.end];
            let first_block = y / BLOCK * columns + first_chunk;
            for (chunk_idx, chunk) in row.chunks(BLOCK).enumerate() {
                let block = first_block + chunk_idx;
                let (low, is_broken) = match chunk.as_array::<BLOCK>() {
                    Some(chunk) => low_and_broken(chunk),
                    None => low_and_broken(chunk),
                };
                nearest[block] = nearest[block].min(low);
                // Most see nothing, or one surface.
                if !is_broken {
                    continue;
                }
                for (x, pixel) in ((first_chunk + chunk_idx) * BLOCK..).zip(chunk) {
                    if pixel.is_broken() && !is_beside_full(depths, width, height, x, y) {
                        has_thin[block] = true;
                        count[quarter_of(x, y)] += 1;
                    }
                }
            }
        }
        let near = |at: usize, end: usize| at.saturating_sub(1)..(at + 2).min(end);
        let around = |block: usize| {
            let (x, y) = (block % columns, block / columns);
            near(y, rows).flat_map(move |y| near(x, columns).map(move |x| y * columns + x))
        };
        for (block, &depth) in occupied.0.iter().enumerate() {
            if depth == Depths::NOTHING {
                continue;
            }
            let seen = around(block).fold(Depths::NOTHING, |low, k| low.min(nearest[k]));
            if seen == Depths::NOTHING || u32::from(depth) + GAP < u32::from(seen) {
                has_thin[block] = true;
                let (x, y) = (block % columns * BLOCK, block / columns * BLOCK);
                count[quarter_of(x, y)] += UNSEEN_PIXELS;
            }
        }
        let quarters = count.map(|count| count >= THIN_PIXELS_MIN);
        if quarters == [false; 4] {
            return None;
        }
        // Between the dashes that samples leave of a wire, some blocks may see nothing of it.
        let blocks = (0..columns * rows).map(|block| around(block).any(|k| has_thin[k])).collect();
        Some(Self { blocks, columns, quarters })
    }

    fn is_in(&self, [column, row]: [u32; 2]) -> bool {
        self.quarters[(column + 2 * row) as usize]
    }
}

/// The nearest of some depths, and whether any of the pixels is broken.
#[inline(always)]
fn low_and_broken(chunk: &[Depths]) -> (u16, bool) {
    chunk
        .iter()
        .fold((Depths::NOTHING, false), |(low, any), d| (low.min(d.nearest), any | d.is_broken()))
}

/// Whether a pixel near this one is full of the surface at its nearest sample, or of a nearer one.
fn is_beside_full(depths: &[Depths], width: usize, height: usize, x: usize, y: usize) -> bool {
    let near = |at: usize, end: usize| at.saturating_sub(REACH)..(at + REACH + 1).min(end);
    let deepest = u32::from(depths[y * width + x].nearest) + GAP;
    near(y, height).any(|y| {
        let row = &depths[y * width..][near(x, width)];
        row.iter().any(|pixel| pixel.is_full_within(deepest))
    })
}

/// Puts the thin blocks of a quarter in place, each pixel the mean of four.
fn replace(
    values: Values,
    image: &mut Image,
    larger: &Image,
    [column, row]: [u32; 2],
    thin: &Thin,
) {
    let (width, height) = (image.width_px as usize, image.height_px as usize);
    let bytes = image.format.bytes();
    let [left, top] = [column as usize * width / 2, row as usize * height / 2];
    for y in top..top + height / 2 {
        for x in left..left + width / 2 {
            if !thin.blocks[y / BLOCK * thin.columns + x / BLOCK] {
                continue;
            }
            let first = (2 * (y - top) * width + 2 * (x - left)) * bytes;
            let below = first + width * bytes;
            let pixel = |start: usize| &larger.pixels[start..][..bytes];
            let four = [first, first + bytes, below, below + bytes].map(pixel);
            let out = &mut image.pixels[(y * width + x) * bytes..][..bytes];
            reduce(values, image.format, four, out);
        }
    }
}

/// One pixel from four, over `out` as it was: the mean, colours in linear light; one place.
fn reduce(values: Values, format: PixelFormat, four: [&[u8]; 4], out: &mut [u8]) {
    let mean = |k: usize| {
        let sum: u16 = four.iter().map(|pixel| u16::from(pixel[k])).sum();
        ((sum + 2) / 4) as u8
    };
    let any = |pixel: &&[u8]| pixel.iter().any(|&byte| byte != 0);
    match (values, format) {
        (Values::Color, PixelFormat::Rgba8) => {
            let alpha: f32 = four.iter().map(|pixel| f32::from(pixel[3])).sum();
            for k in 0..3 {
                let weighted =
                    |pixel: &&[u8]| LINEAR_FROM_SRGB8[pixel[k] as usize] * f32::from(pixel[3]);
                let sum: f32 = four.iter().map(weighted).sum();
                out[k] = if alpha > 0.0 { encoded(sum / alpha) } else { 0 };
            }
            out[3] = unorm8(alpha * (0.25 / 255.0));
        }
        (Values::Color, _) => {
            for (k, out) in out.iter_mut().enumerate() {
                let sum: f32 = four.iter().map(|pixel| LINEAR_FROM_SRGB8[pixel[k] as usize]).sum();
                *out = encoded(sum * 0.25);
            }
        }
        (Values::Covered, _) => {
            // Of existing blocks.
            let count = four.iter().filter(|pixel| any(pixel)).count().max(1) as u32;
            for (k, out) in out.iter_mut().enumerate() {
                let sum: u32 = four.iter().map(|pixel| u32::from(pixel[k])).sum();
                *out = ((sum + count / 2) / count) as u8;
            }
        }
        (Values::Centered, _) => {
            // Places are never mixed, and the pixel's own is nearest to its centre.
            if !any(&&*out) {
                out.copy_from_slice(four.into_iter().find(any).unwrap_or(four[0]));
            }
        }
        (Values::Mean, _) => {
            for (k, out) in out.iter_mut().enumerate() {
                *out = mean(k);
            }
        }
    }
}

fn encoded(linear: f32) -> u8 {
    srgb8_table()[encode_index(linear)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::samples::SAMPLES;

    const FULL: u8 = SAMPLES as u8;

    /// A picture of 64×64 pixels; as many samples of each as `count` says see something at half the
    /// depth, the others `behind` it.
    fn seen(behind: f32, count: impl Fn(usize, usize) -> u8) -> Vec<Depths> {
        let pixel = |x: usize, y: usize| {
            let count = usize::from(count(x, y));
            Depths::of(&std::array::from_fn(|s| if s < count { 0.5 } else { behind }))
        };
        (0..64 * 64).map(|k| pixel(k % 64, k / 64)).collect()
    }

    fn find(depths: &[Depths], occupied: &Occupied) -> Option<Thin> {
        Thin::find(depths, occupied, &Window::whole(64, 64), [64, 64])
    }

    #[test]
    fn a_wire_is_thin_and_the_outline_of_a_solid_is_not() {
        let unknown = Occupied::default();
        for behind in [f32::INFINITY, 0.9, 0.54] {
            let wire = seen(behind, |x, y| u8::from(x == 40 && y % 2 == 0));
            let thin = find(&wire, &unknown).unwrap();
            assert_eq!(thin.quarters, [false, true, false, true]);
            let is_marked = |x: usize, y: usize| thin.blocks[y / BLOCK * thin.columns + x / BLOCK];
            assert!(is_marked(40, 0) && is_marked(32, 10) && is_marked(55, 63));
            assert!(!is_marked(31, 10) && !is_marked(56, 10));

            let solid = seen(behind, |x, _| [2, FULL][usize::from(x > 20)] * u8::from(x >= 20));
            assert!(find(&solid, &unknown).is_none());
            let tip = seen(behind, |x, y| u8::from(x == 5 && y < 10));
            assert!(find(&tip, &unknown).is_none(), "too few pixels");
        }
        // A solid that falls away from its outline: the pixels next to it are full a little deeper.
        let mut aslant = seen(f32::INFINITY, |x, _| u8::from(x == 20));
        for (k, pixel) in aslant.iter_mut().enumerate() {
            if k % 64 > 20 {
                *pixel = Depths::of(&[0.5 + 0.01 * (k % 64 - 20) as f32; SAMPLES]);
            }
        }
        assert!(find(&aslant, &unknown).is_none());
        let relief = seen(0.52, |x, y| u8::from(x == 40 && y % 2 == 0));
        assert!(find(&relief, &unknown).is_none());
        // Next to a solid far behind it, a wire before the void is as thin as elsewhere.
        let mut beside = seen(f32::INFINITY, |x, y| u8::from(x == 40 && y % 2 == 0));
        for (k, pixel) in beside.iter_mut().enumerate() {
            if k % 64 < 40 {
                *pixel = Depths::of(&[0.8; SAMPLES]);
            }
        }
        assert!(find(&beside, &unknown).is_some());
    }

    #[test]
    fn what_no_sample_sees_is_found_by_where_it_is_unless_it_is_beside_what_is_seen() {
        let mut blocks = vec![Depths::NOTHING; 64];
        for block in [1, 2, 63] {
            blocks[block] = Depths::steps(0.5);
        }
        for behind in [f32::INFINITY, 0.9] {
            let nothing = seen(behind, |_, _| 0);
            let thin = find(&nothing, &Occupied(blocks.clone())).unwrap();
            assert_eq!(thin.quarters, [true, false, false, false], "one block is too few");
            let beside =
                seen(behind, |x, y| FULL * u8::from((8..32).contains(&x) && (8..16).contains(&y)));
            assert!(find(&beside, &Occupied(blocks.clone())).is_none());
        }
        let hidden = seen(0.3, |_, _| 0);
        assert!(find(&hidden, &Occupied(blocks.clone())).is_none());
        let somewhere = blocks.iter().map(|&depth| depth.max(Depths::steps(SOMEWHERE)));
        let somewhere = Occupied(somewhere.collect());
        let before = seen(0.9, |_, _| 0);
        assert!(find(&before, &somewhere).is_none());
        let nothing = seen(f32::INFINITY, |_, _| 0);
        assert!(find(&nothing, &somewhere).is_some());
    }

    #[test]
    fn four_pixels_become_their_mean_in_linear_light() {
        let reduced = |channel: Channel, format: PixelFormat, four: [&[u8]; 4]| {
            let mut out = vec![0; format.bytes()];
            reduce(channel.values(), format, four, &mut out);
            out
        };
        let (black, white) = ([0, 0, 0], [255, 255, 255]);
        let half: [&[u8]; 4] = [&black, &white, &white, &black];
        assert_eq!(reduced(Channel::Rgb, PixelFormat::Rgb8, half), [188; 3]);
        assert_eq!(reduced(Channel::Normal, PixelFormat::Rgb8, half), [128; 3]);
        let (clear, red) = ([0, 0, 0, 0], [255, 0, 0, 255]);
        let quarter: [&[u8]; 4] = [&clear, &red, &clear, &clear];
        assert_eq!(reduced(Channel::Rgb, PixelFormat::Rgba8, quarter), [255, 0, 0, 64]);
        let depths: [&[u8]; 4] = [&[0, 0], &[1, 200], &[2, 3], &[0, 255]];
        assert_eq!(reduced(Channel::Depth, PixelFormat::Grey16, depths), [1, 200]);
        let mut own = [0, 7];
        reduce(Channel::Z.values(), PixelFormat::Grey16, depths, &mut own);
        assert_eq!(own, [0, 7], "the pixel's own");
    }

    #[test]
    fn a_quarter_of_a_quarter_lies_where_it_should() {
        let shot = Shot::whole(3).quarter([1, 0]).quarter([0, 1]);
        assert_eq!((shot.view_idx, shot.zoom, shot.at), (3, 4, [2, 1]));
    }
}
