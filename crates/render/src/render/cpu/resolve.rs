//! The visibility buffer → pixels of every channel: fragments are shaded once per triangle and
//! pixel, then averaged over the samples.

use super::blend::BlendFragment;
use super::extra::Extra;
use super::extra_sums::{ExtraSums, Made, Place, write_made_rows, write_places};
use super::fragment::{Shaded, shade_all, shade_all_with_extra};
use super::gathered::{Context, Fragment, Source};
use super::raster::{NOTHING, PixelSamples};
use crate::render::channel::Channel;
use crate::render::image::{Image, PixelFormat};
use crate::render::lanes::{F8, V8, prefetch, rows};
use crate::render::refine::Needed;
use crate::render::samples::{OFF_CENTER, SAMPLES};
use crate::render::settings::{Background, NormalSpace};
use crate::render::shade::{BEHIND_GLASS, encoded_normals, tone_map};
use crate::render::shot::{DepthRange, Depths, Stats};
use crate::rig::{Camera, NormalAxes, Placement};
use crate::scene::color::{encode_index, srgb8_each, srgb8_table, unorm8, unorm8_each};
use glam::Vec3;
use std::ops::Range;
use wide::{f32x4, u32x4};

/// Some rows, and where what they show is written.
pub(super) struct RowsJob<'i> {
    pub rows: Range<i32>,
    pub images: Vec<(Channel, &'i mut [u8])>,
    /// Those of the picture's depths.
    pub depths: &'i mut [Depths],
}

/// How sums become bytes.
pub(in crate::render) struct Output {
    pub background: Background,
    /// Rows that turn a world normal into red, green, blue.
    pub normal_rows: [Vec3; 3],
    /// The same for the camera's right, up and back.
    pub view_rows: [Vec3; 3],
    pub depth_range: DepthRange,
    /// From the file's units to the rig's.
    pub scale: f32,
}

impl Output {
    pub(crate) fn new(
        background: Background,
        space: NormalSpace,
        axes: NormalAxes,
        camera: &Camera,
        placement: &Placement,
    ) -> Self {
        let view_rows = [camera.right, camera.up, camera.back].map(|axis| axis.as_vec3());
        let normal_rows = match space {
            NormalSpace::World => axes.rows(),
            NormalSpace::View => view_rows,
        };
        Self {
            background,
            normal_rows,
            view_rows,
            depth_range: DepthRange::new(camera, placement),
            scale: placement.scale as f32,
        }
    }

    /// The format of a channel's picture.
    pub(crate) fn format(&self, channel: Channel) -> PixelFormat {
        match channel {
            Channel::Rgb | Channel::BaseColor if self.background == Background::Transparent => {
                PixelFormat::Rgba8
            }
            channel => channel.format(),
        }
    }
}

/// Sums over the samples of one pixel, by rows of four.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    /// Red, green and blue, linear and display-referred, and coverage.
    color: f32x4,
    /// (n + 1) / 2, times coverage, and the grey of `matte`.
    normal: f32x4,
}

impl Sum {
    #[inline(always)]
    fn coverage(&self) -> f32 {
        self.color.as_array()[3]
    }
}

/// A sample while transparent surfaces are laid over it. Premultiplied, scene-referred colour.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct Layer {
    color: Vec3,
    normal: Vec3,
    matte: f32,
    alpha: f32,
    /// Share of the colour that must not be tone-mapped.
    unlit: f32,
}

impl Layer {
    fn bits(&self) -> [u32; 9] {
        let Self { color, normal, matte, alpha, unlit } = self;
        let all = [color.x, color.y, color.z, normal.x, normal.y, normal.z, *matte, *alpha, *unlit];
        all.map(f32::to_bits)
    }

    /// Without a branch for each number.
    #[inline(always)]
    fn is_same(&self, other: &Self) -> bool {
        self.bits().iter().zip(other.bits()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
    }

    /// Porter & Duff's over, with `self` below. `behind` is the light where nothing is below glass.
    fn cover(&mut self, shaded: &Shaded, lane: usize, normal: Vec3, behind: Vec3) {
        let alpha = shaded.alpha.0[lane];
        let keep = 1.0 - alpha;
        let mut color = lane_of(&shaded.color, lane);
        let through = lane_of(&shaded.through, lane);
        let mut unlit = shaded.is_unlit.0[lane];
        if through != Vec3::ZERO {
            // The background is a colour to be shown, not light: a clear pane leaves it as it is.
            let [passed, shown] = [self.color, behind * (1.0 - self.alpha)].map(|c| through * c);
            color += passed + shown;
            let [passed, shown, all] = [passed, shown, color].map(|c| c.x + c.y + c.z);
            let below = self.unlit / self.alpha.max(1e-6);
            unlit = unlit.max((shown + passed * below) / all.max(1e-6));
        }
        self.color = self.color * keep + color * alpha;
        self.normal = self.normal * keep + normal * alpha;
        self.matte = self.matte * keep + shaded.matte.0[lane] * alpha;
        self.unlit = self.unlit * keep + unlit * alpha;
        self.alpha = self.alpha * keep + alpha;
    }
}

#[inline(always)]
fn lane_of(v: &V8, lane: usize) -> Vec3 {
    Vec3::new(v.x.0[lane], v.y.0[lane], v.z.0[lane])
}

/// Reused from strip to strip.
#[derive(Default)]
pub(super) struct Scratch {
    fragments: Vec<Fragment>,
    /// One per fragment, looked up before any is shaded, so that independent look-ups overlap.
    sources: Vec<Source>,
    sums: Vec<Sum>,
    layers: Vec<[Layer; SAMPLES]>,
    extra: ExtraSums,
    /// See [`find_centered`].
    centered: Vec<(f32, u32)>,
    /// [`empty_pixel`] of each picture.
    nothing: Vec<[u8; 16]>,
}

/// Rows and columns of the blocks in which fragments are shaded: neighbours on the screen are
/// neighbours in textures, so a block's texels stay in cache.
pub(super) const BLOCK_ROWS: i32 = 8;
pub(super) const BLOCK_COLUMNS: usize = 16;

/// Up to [`BLOCK_ROWS`] rows of the buffer with the transparent fragments that are over them,
/// farthest first within a pixel.
pub(super) struct Strip<'a> {
    pub y: i32,
    /// Outside them nothing is drawn, and `pixels` may contain anything.
    pub columns: Range<usize>,
    pub width: usize,
    /// Of the whole picture.
    pub height: i32,
    pub pixels: &'a [PixelSamples],
    /// All where this is `None`.
    pub needed: Option<Needed<'a>>,
    pub blended: &'a [BlendFragment],
}

impl<'a> Strip<'a> {
    /// Place of a fragment's pixel among those of all rows of `columns`, row by row.
    #[inline(always)]
    fn index(&self, fragment: &Fragment) -> usize {
        (fragment.y - self.y) as usize * self.columns.len() + fragment.x as usize
            - self.columns.start
    }

    fn num_rows(&self) -> usize {
        self.pixels.len() / self.width
    }

    fn rows(&self) -> impl Iterator<Item = &'a [PixelSamples]> + use<'a> {
        let columns = self.columns.clone();
        let rows = self.pixels.chunks_exact(self.width);
        rows.map(move |row| &row[columns.clone()])
    }
}

/// Writes the strip's rows of every picture; the strip starts at row `row_idx` of the job.
/// `HAS_EXTRA` is [`Context::wants_extra`].
#[inline(always)]
pub(super) fn resolve_strip<const HAS_EXTRA: bool>(
    context: &Context<'_>,
    output: &Output,
    strip: &Strip<'_>,
    row_idx: usize,
    scratch: &mut Scratch,
    (job, stats): (&mut RowsJob<'_>, &mut Stats),
) {
    let num_pixels = strip.num_rows() * strip.columns.len();
    scratch.sums.clear();
    scratch.sums.resize(num_pixels, Sum::default());
    list_fragments(strip, &mut scratch.fragments);
    if let Some(depths) = job.depths.get_mut(row_idx * strip.width..) {
        // Empty as they come; most are.
        for (row, out) in strip.rows().zip(depths.chunks_exact_mut(strip.width)) {
            for (samples, out) in row.iter().zip(&mut out[strip.columns.clone()]) {
                if samples.triangle != [NOTHING; SAMPLES] {
                    *out = Depths::of(&samples.depth);
                }
            }
        }
    }
    let is_blending = !strip.blended.is_empty();
    if is_blending {
        let over = strip.blended.iter().map(|blended| blended.fragment);
        scratch.fragments.extend(over);
        scratch.layers.clear();
        let nothing = [Layer::default(); SAMPLES];
        scratch.layers.resize(num_pixels, nothing);
    }
    list_sources(context, &scratch.fragments, &mut scratch.sources);
    if HAS_EXTRA || job.images.iter().any(|(channel, _)| channel.is_depth()) {
        find_centered(strip, &mut scratch.centered);
    }
    let (fragments, sources) = (&scratch.fragments, &scratch.sources);
    let (sums, layers) = (&mut scratch.sums, &mut scratch.layers);
    let behind = output.background.linear().map_or(BEHIND_GLASS, Vec3::from_array);
    let asks = |channel| job.images.iter().any(|(asked, _)| *asked == channel);
    let wants_normal = asks(Channel::Normal) || asks(Channel::Matte);
    let mut add = |batch: &[Fragment], shaded: &Shaded| {
        let V8 { x, y, z } = shaded.color;
        let colors = rows([x, y, z, F8::ONE]);
        for (fragment, color) in batch.iter().zip(colors) {
            let weight = f32x4::splat(fragment.weight());
            sums[strip.index(fragment)].color += color * weight;
        }
        if wants_normal {
            let V8 { x, y, z } = encoded_normals(&output.normal_rows, &shaded.normal);
            let normals = rows([x, y, z, shaded.matte]);
            for (fragment, normal) in batch.iter().zip(normals) {
                let weight = f32x4::splat(fragment.weight());
                sums[strip.index(fragment)].normal += normal * weight;
            }
        }
    };
    let mut lay = |batch: &[Fragment], shaded: &Shaded| {
        let normals = encoded_normals(&output.normal_rows, &shaded.normal);
        // Wholly transparent fragments change nothing: most of a leaf's picture.
        let seen = batch.iter().enumerate().filter(|(lane, _)| shaded.alpha.0[*lane] != 0.0);
        for (lane, fragment) in seen {
            let normal = lane_of(&normals, lane);
            let samples = &mut layers[strip.index(fragment)];
            // Most samples of a pixel hold the same as its first.
            let mut known: Option<(Layer, Layer)> = None;
            for (s, layer) in samples.iter_mut().enumerate() {
                if fragment.covered >> s & 1 == 0 {
                    continue;
                }
                match &known {
                    Some((below, covered)) if below.is_same(layer) => *layer = *covered,
                    _ => {
                        let below = *layer;
                        layer.cover(shaded, lane, normal, behind);
                        known = Some((below, *layer));
                    }
                }
            }
        }
    };
    let mut put = |batch: &[Fragment], shaded: &Shaded| {
        if is_blending {
            lay(batch, shaded);
        } else {
            add(batch, shaded);
        }
    };
    if HAS_EXTRA {
        let (extra_sums, centered) = (&mut scratch.extra, &scratch.centered);
        extra_sums.clear(num_pixels, is_blending);
        let axes = (&output.normal_rows, &output.view_rows);
        let each = |batch: &[Fragment], shaded: &Shaded, extra: &Extra| {
            put(batch, shaded);
            let made = Made::of(extra, axes);
            for (lane, fragment) in batch.iter().enumerate() {
                let at = strip.index(fragment);
                let is_centered = centered[at].1 == fragment.triangle;
                extra_sums.lay(at, fragment, (extra, lane), &made[lane], is_centered);
            }
        };
        shade_all_with_extra(context, fragments, sources, is_blending, each);
        extra_sums.end();
    } else {
        shade_all(context, fragments, sources, is_blending, put);
    }
    if is_blending {
        sum_layers(&scratch.layers, &mut scratch.sums);
    }
    count_coverage(strip, &scratch.sums, stats);
    let seen = Seen {
        sums: &scratch.sums,
        centered: &scratch.centered,
        made: if HAS_EXTRA { &scratch.extra.made } else { &[] },
        places: if HAS_EXTRA { &scratch.extra.places } else { &[] },
    };
    scratch.nothing.clear();
    let channels = job.images.iter().map(|(channel, _)| *channel);
    scratch.nothing.extend(channels.map(|channel| empty_pixel(channel, output)));
    // Row by row, so that what all channels read of a row stays in the cache.
    for row in 0..strip.num_rows() {
        let of_row = seen.row(row, strip.columns.len());
        for ((channel, bytes), nothing) in job.images.iter_mut().zip(&scratch.nothing) {
            let pixel_bytes = output.format(*channel).bytes();
            let start = (row_idx + row) * strip.width * pixel_bytes;
            let bytes = &mut bytes[start..start + strip.width * pixel_bytes];
            let (left, rest) = bytes.split_at_mut(strip.columns.start * pixel_bytes);
            let (middle, right) = rest.split_at_mut(strip.columns.len() * pixel_bytes);
            // Pictures are zeros before anything is written.
            if *nothing != [0; 16] {
                for side in [left, right] {
                    fill(side, &nothing[..pixel_bytes]);
                }
            }
            write_pixels(*channel, output, &of_row, middle);
            if *channel == Channel::Rgb {
                count_contrast(output, of_row.sums, middle, stats);
            }
        }
    }
}

/// What there is to show of some pixels; lists that a drawing does not need are empty.
struct Seen<'a> {
    sums: &'a [Sum],
    centered: &'a [(f32, u32)],
    made: &'a [Made],
    places: &'a [Place],
}

impl Seen<'_> {
    fn row(&self, row: usize, width: usize) -> Self {
        fn of<T>(list: &[T], row: usize, width: usize) -> &[T] {
            list.get(row * width..(row + 1) * width).unwrap_or_default()
        }
        Self {
            sums: of(self.sums, row, width),
            centered: of(self.centered, row, width),
            made: of(self.made, row, width),
            places: of(self.places, row, width),
        }
    }
}

fn write_pixels(channel: Channel, output: &Output, seen: &Seen<'_>, bytes: &mut [u8]) {
    if channel.is_material() {
        write_made_rows(channel, output.background, seen.made, bytes);
    } else if channel.is_place() {
        write_places(channel, output.scale, seen.places, bytes);
    } else {
        write_channel(channel, output, seen.centered, seen.sums, bytes);
    }
}

/// The bytes of a pixel that shows nothing, then zeros.
fn empty_pixel(channel: Channel, output: &Output) -> [u8; 16] {
    let seen = Seen {
        sums: &[Sum::default()],
        centered: &[(f32::INFINITY, NOTHING)],
        made: &[Made::default()],
        places: &[Place::default()],
    };
    let mut pixel = [0; 16];
    let bytes = &mut pixel[..output.format(channel).bytes()];
    write_pixels(channel, output, &seen, bytes);
    pixel
}

/// Repeats a pixel.
fn fill(bytes: &mut [u8], pixel: &[u8]) {
    if pixel.iter().all(|byte| *byte == pixel[0]) {
        bytes.fill(pixel[0]);
        return;
    }
    for out in bytes.chunks_exact_mut(pixel.len()) {
        out.copy_from_slice(pixel);
    }
}

fn count_coverage(strip: &Strip<'_>, sums: &[Sum], stats: &mut Stats) {
    let columns = &strip.columns;
    if columns.is_empty() {
        return;
    }
    for (y, row) in (strip.y..).zip(sums.chunks_exact(columns.len())) {
        // Several sums side by side: each addition to one would wait for the one before it.
        let (chunks, rest) = row.as_chunks::<8>();
        let mut covered = [0.0; 8];
        for chunk in chunks {
            for (covered, sum) in covered.iter_mut().zip(chunk) {
                *covered += f64::from(sum.coverage());
            }
        }
        let rest: f64 = rest.iter().map(|sum| f64::from(sum.coverage())).sum();
        stats.covered += covered.iter().sum::<f64>() + rest;
        let is_border_row = y == 0 || y == strip.height - 1;
        let is_border = |x: usize| is_border_row || x == 0 || x == strip.width - 1;
        let reaches_border = is_border(columns.start) || is_border(columns.end - 1);
        if reaches_border {
            let border = columns.clone().zip(row).filter(|(x, _)| is_border(*x));
            let count = border.filter(|(_, sum)| sum.coverage() > 0.0).count();
            stats.border_covered += count as u32;
        }
    }
}

/// Adds each at least half covered pixel's largest channel difference to the background.
fn count_contrast(output: &Output, sums: &[Sum], bytes: &[u8], stats: &mut Stats) {
    let Some(background) = output.background.linear() else {
        return;
    };
    let shown = background.map(|c| srgb8_table()[encode_index(c)]);
    let mut contrast = 0_u32;
    for (sum, pixel) in sums.iter().zip(bytes.as_chunks::<3>().0) {
        let is_solid = u32::from(sum.coverage() >= 0.5);
        let largest = (0..3).fold(0, |m, k| m.max(pixel[k].abs_diff(shown[k])));
        stats.solid += is_solid;
        contrast += u32::from(largest) * is_solid;
    }
    stats.contrast += f64::from(contrast);
}

/// One fragment per triangle and pixel, block by block, in the order of their first samples.
#[inline(always)]
fn list_fragments(strip: &Strip<'_>, fragments: &mut Vec<Fragment>) {
    fragments.clear();
    for left in strip.columns.clone().step_by(BLOCK_COLUMNS) {
        let columns = left..(left + BLOCK_COLUMNS).min(strip.columns.end);
        for (y, row) in (strip.y..).zip(strip.pixels.chunks_exact(strip.width)) {
            let (first, last) = (columns.start, columns.end - 1);
            if (strip.needed).is_some_and(|needed| !needed.is_any(first, last, y as usize)) {
                continue;
            }
            // The next block's samples, in lines of two pixels: no processor predicts this access.
            for pair in row[columns.end..].iter().take(BLOCK_COLUMNS).step_by(2) {
                prefetch(std::slice::from_ref(pair), 0);
            }
            for (x, samples) in columns.clone().zip(&row[columns.clone()]) {
                list_pixel(x as i32, y, samples, fragments);
            }
        }
    }
}

#[inline(always)]
fn list_sources(context: &Context<'_>, fragments: &[Fragment], sources: &mut Vec<Source>) {
    sources.clear();
    const AHEAD: usize = 64;
    let Some(&first) = fragments.first() else {
        return;
    };
    let mut last = (first.triangle, Source::of(context, &first));
    sources.extend(fragments.iter().enumerate().map(|(idx, fragment)| {
        if let Some([before, later]) = fragments.get(idx + AHEAD - 1..idx + AHEAD + 1)
            && before.triangle != later.triangle
        {
            Source::prefetch_triangle(context, later);
        }
        if last.0 != fragment.triangle {
            last = (fragment.triangle, Source::of(context, fragment));
        }
        last.1
    }));
}

#[inline(always)]
fn list_pixel(x: i32, y: i32, samples: &PixelSamples, fragments: &mut Vec<Fragment>) {
    let ids = u32x4::from(samples.triangle);
    let of = |triangle: u32| ids.simd_eq(u32x4::splat(triangle)).to_bitmask() as u8;
    let mut push = |covered: u8, triangle: u32| {
        fragments.push(Fragment { x, y, covered, triangle });
    };
    // Most pixels show nothing or one triangle.
    let first = samples.triangle[0];
    if of(first) == 0b1111 {
        if first != NOTHING {
            push(0b1111, first);
        }
        return;
    }
    let mut left = !of(NOTHING) & 0b1111;
    while left != 0 {
        let triangle = samples.triangle[left.trailing_zeros() as usize];
        let covered = of(triangle);
        push(covered, triangle);
        left &= !covered;
    }
}

/// Tone-maps each sample's layers and averages the four.
fn sum_layers(layers: &[[Layer; SAMPLES]], sums: &mut [Sum]) {
    for (samples, sum) in layers.iter().zip(sums) {
        if samples.iter().all(|layer| layer.alpha == 0.0) {
            continue;
        }
        let mut straight = V8::ZERO;
        for (s, layer) in samples.iter().enumerate() {
            if layer.alpha > 0.0 {
                straight.set(s, layer.color / layer.alpha);
            }
        }
        let mapped = tone_map(straight);
        let mut unlit = F8::ZERO;
        for (s, layer) in samples.iter().enumerate() {
            unlit.0[s] = if layer.alpha > 0.0 { layer.unlit / layer.alpha } else { 0.0 };
        }
        let shown = mapped.mix(straight, unlit);
        for (s, layer) in samples.iter().enumerate() {
            let share = 1.0 / SAMPLES as f32;
            let Vec3 { x, y, z } = lane_of(&shown, s);
            sum.color += f32x4::from([x, y, z, 1.0]) * f32x4::splat(layer.alpha * share);
            let Vec3 { x, y, z } = layer.normal;
            sum.normal += f32x4::from([x, y, z, layer.matte]) * f32x4::splat(share);
        }
    }
}

fn write_channel(
    channel: Channel,
    output: &Output,
    centered: &[(f32, u32)],
    sums: &[Sum],
    bytes: &mut [u8],
) {
    let table = srgb8_table();
    let encoded = |linear: f32x4| srgb8_each(table, linear);
    let behind = output.background.linear();
    let behind_four = |otherwise| {
        let [r, g, b] = behind.unwrap_or(otherwise);
        f32x4::from([r, g, b, 0.0])
    };
    match channel {
        Channel::Rgb if behind.is_some() => {
            let behind = behind_four([0.0; 3]);
            let [r, g, b, _] = encoded(behind);
            for (sum, pixel) in sums.iter().zip(bytes.as_chunks_mut::<3>().0) {
                if sum.coverage() == 0.0 {
                    *pixel = [r, g, b];
                    continue;
                }
                let rest = behind * f32x4::splat(1.0 - sum.coverage());
                let [r, g, b, _] = encoded(sum.color + rest);
                *pixel = [r, g, b];
            }
        }
        Channel::Rgb => {
            for (sum, pixel) in sums.iter().zip(bytes.as_chunks_mut::<4>().0) {
                let coverage = sum.coverage();
                if coverage > 0.0 {
                    let [r, g, b, _] = encoded(sum.color / f32x4::splat(coverage));
                    *pixel = [r, g, b, unorm8(coverage)];
                }
            }
        }
        Channel::Normal => {
            for (sum, pixel) in sums.iter().zip(bytes.as_chunks_mut::<3>().0) {
                let [r, g, b, _] = unorm8_each(sum.normal);
                *pixel = [r, g, b];
            }
        }
        Channel::Matte => {
            let behind = behind_four([1.0; 3]);
            for (sum, pixel) in sums.iter().zip(bytes.as_chunks_mut::<3>().0) {
                let [.., grey] = sum.normal.to_array();
                let rest = behind * f32x4::splat(1.0 - sum.coverage());
                let [r, g, b, _] = encoded(f32x4::splat(grey) + rest);
                *pixel = [r, g, b];
            }
        }
        Channel::Mask => {
            for (sum, byte) in sums.iter().zip(bytes) {
                *byte = unorm8(sum.coverage());
            }
        }
        Channel::NdcDepth => {
            write_depth(centered, bytes, |z| (1 + ((1.0 - z) * 65534.0 + 0.5) as u16).to_be_bytes())
        }
        Channel::Depth => {
            write_depth(centered, bytes, |z| output.depth_range.step(z).to_be_bytes())
        }
        Channel::Z | Channel::ExpectedZ => {
            write_depth(centered, bytes, |z| (output.depth_range.depth(z) as f32).to_le_bytes())
        }
        _ => debug_assert!(channel.is_material() || channel.is_place(), "written elsewhere"),
    }
}

/// Clip space's z and triangle of what each pixel shows nearest to its centre, opaque or at least
/// half covered by a transparent surface; infinite where nothing is. See [`centered`].
fn find_centered(strip: &Strip<'_>, found: &mut Vec<(f32, u32)>) {
    found.clear();
    let pixels = strip.rows().flatten();
    found.extend(pixels.map(|samples| centered(&samples.depth, &samples.triangle)));
    let place = |blended: &BlendFragment| strip.index(&blended.fragment);
    for of_pixel in strip.blended.chunk_by(|a, b| place(a) == place(b)) {
        let Fragment { x, y, .. } = of_pixel[0].fragment;
        let samples = &strip.pixels[(y - strip.y) as usize * strip.width + x as usize];
        let (mut depth, mut triangle) = (samples.depth, samples.triangle);
        // Farthest first, and all in front of the opaque samples.
        for blended in of_pixel.iter().filter(|blended| blended.is_half_opaque) {
            for s in (0..SAMPLES).filter(|s| blended.fragment.covered >> s & 1 == 1) {
                (depth[s], triangle[s]) = (blended.depth, blended.fragment.triangle);
            }
        }
        found[place(&of_pixel[0])] = centered(&depth, &triangle);
    }
}

/// Of the triangles that a pixel's samples see, the one whose samples' middle is nearest to the
/// pixel's centre (of equals, that of the earlier sample), and its z there: the mean of its
/// samples'. The nearest of the samples would be biased towards the camera.
fn centered(depth: &[f32; SAMPLES], triangle: &[u32; SAMPLES]) -> (f32, u32) {
    let mut best = (f32::INFINITY, NOTHING);
    let mut best_off = i32::MAX;
    let mut seen = 0;
    for s in 0..SAMPLES {
        if triangle[s] == NOTHING || seen >> s & 1 == 1 {
            continue;
        }
        let (mut covered, mut sum) = (0_usize, 0.0);
        for t in (s..SAMPLES).filter(|&t| triangle[t] == triangle[s]) {
            covered |= 1 << t;
            sum += depth[t];
        }
        seen |= covered;
        if OFF_CENTER[covered] < best_off {
            best_off = OFF_CENTER[covered];
            let count = covered.count_ones() as usize;
            best = (sum * [1.0, 0.5, 1.0 / 3.0, 0.25][count - 1], triangle[s]);
        }
    }
    best
}

/// Writes `encode` of the depths; zeros where nothing is.
fn write_depth<const N: usize>(
    centered: &[(f32, u32)],
    bytes: &mut [u8],
    encode: impl Fn(f32) -> [u8; N],
) {
    for (&(z, _), bytes) in centered.iter().zip(bytes.as_chunks_mut::<N>().0) {
        *bytes = if z.is_finite() { encode(z) } else { [0; N] };
    }
}

/// Empty pictures for the channels asked for.
pub(in crate::render) fn new_images(
    channels: &[Channel],
    output: &Output,
    width_px: u32,
    height_px: u32,
) -> Vec<(Channel, Image)> {
    let empty = |&channel: &Channel| {
        let image = Image::empty(width_px, height_px, output.format(channel));
        (channel, image)
    };
    channels.iter().map(empty).collect()
}
