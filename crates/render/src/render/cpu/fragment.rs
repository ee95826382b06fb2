//! Visible fragments → what each channel shows there: attributes interpolated, textures looked up,
//! light computed, eight at a time.

#![expect(
    clippy::needless_range_loop,
    reason = "lanes are counted: several arrays are indexed by one, and counted loops are what the compiler turns into vector instructions"
)]

use super::extra::{Extra, extra_of};
use super::gathered::{Barycentric, Context, Corners, Fragment, Gathered, Source, Wanted};
use super::layered::layer_inputs;
use super::look_up::{FoundTaps, Inputs, LookUps, first_taps, material_inputs, perturb};
use super::prepare::{BoundTexture, Pass, PreparedMesh};
use super::transform::{SUBPIXEL, UNREACHABLE};
use crate::render::environment;
use crate::render::lanes::{F8, LANES, V8, columns};
use crate::render::layers::{shade_layered, transmitted_layered};
use crate::render::samples::{SAMPLE_X, SAMPLE_Y, SAMPLES};
use crate::render::shade::{Surface, shade_lanes, shade_matte, tone_map, transmitted};
use crate::scene::{AlphaMode, Slot};
use glam::Vec3;

pub(super) struct Shaded {
    /// Linear; display-referred (tone-mapped) unless `is_blending` was asked for.
    pub color: V8,
    /// 1 for opaque and masked surfaces.
    pub alpha: F8,
    /// Share of the light behind that comes through the covered part (glass); the caller, which has
    /// the background, adds it to `color`.
    pub through: V8,
    /// 1 where the colour must not be tone-mapped.
    pub is_unlit: F8,
    /// World-space unit normals towards the camera where the surface is double-sided.
    pub normal: V8,
    pub matte: F8,
}

impl Shaded {
    /// Without colour.
    #[inline(always)]
    fn unlit(context: &Context<'_>, normal: V8) -> Self {
        Self {
            color: V8::ZERO,
            alpha: F8::ONE,
            through: V8::ZERO,
            is_unlit: F8::ZERO,
            normal,
            matte: if context.wanted.matte {
                shade_matte(normal, &context.studio)
            } else {
                F8::ZERO
            },
        }
    }
}

/// Centre of a coverage mask's samples, in pixels from the corner: shading never extrapolates.
static CENTROIDS: [[f32; 2]; 1 << SAMPLES] = centroids();

const fn centroids() -> [[f32; 2]; 1 << SAMPLES] {
    let mut table = [[0.5; 2]; 1 << SAMPLES];
    let mut mask = 1;
    while mask < 1 << SAMPLES {
        let (mut x, mut y, mut count, mut s) = (0, 0, 0, 0);
        while s < SAMPLES {
            if mask >> s & 1 == 1 {
                x += SAMPLE_X[s];
                y += SAMPLE_Y[s];
                count += SUBPIXEL;
            }
            s += 1;
        }
        table[mask] = [x as f32 / count as f32, y as f32 / count as f32];
        mask += 1;
    }
    table
}

/// Shades fragments in their order and hands each eight of them to `each`. `is_blending` leaves
/// colours in scene-referred light.
///
/// What eight fragments will read is asked for while those before them are shaded.
#[inline(always)]
pub(super) fn shade_all(
    context: &Context<'_>,
    fragments: &[Fragment],
    sources: &[Source],
    is_blending: bool,
    mut each: impl FnMut(&[Fragment], &Shaded),
) {
    // Two places alternate, so that started work is not moved.
    let mut begun = [Begun::EMPTY; 2];
    for start in (0..fragments.len() + LANES).step_by(LANES) {
        let parity = start / LANES % 2;
        if start < fragments.len() {
            let later = sources.get(start + VERTICES_AHEAD..).unwrap_or_default();
            let mut asked = None;
            for later in later.iter().take(LANES) {
                if asked != Some(later) {
                    later.prefetch_vertices(context);
                    asked = Some(later);
                }
            }
            let end = (start + LANES).min(fragments.len());
            let (batch, of) = (&fragments[start..end], &sources[start..end]);
            begin(context, batch, of, is_blending, &mut begun[parity]);
        }
        if start > 0 {
            let batch = &fragments[start - LANES..start.min(fragments.len())];
            let begun = &begun[1 - parity];
            each(batch, &finish(context, begun, is_blending));
        }
    }
}

/// As [`shade_all`], with the material values of the fragments in addition to their colours.
#[inline(always)]
pub(super) fn shade_all_with_extra(
    context: &Context<'_>,
    fragments: &[Fragment],
    sources: &[Source],
    is_blending: bool,
    mut each: impl FnMut(&[Fragment], &Shaded, &Extra),
) {
    // All that materials say is looked up, whatever the light makes of it.
    let lit =
        Context { wanted: Wanted { rgb: true, is_unlit: false, ..context.wanted }, ..*context };
    let mut begun = Begun::EMPTY;
    for (batch, of) in fragments.chunks(LANES).zip(sources.chunks(LANES)) {
        begin(&lit, batch, of, is_blending, &mut begun);
        let Begun { gathered, bary, .. } = &begun;
        let (normal, position) = surface_points(gathered, bary);
        let look_ups = LookUps::new(&lit, gathered, bary, begun.place());
        let inputs = material_inputs(&lit, gathered, look_ups);
        let bumpy = bumpy_normal(&lit, gathered, bary, &inputs, normal);
        let extra = extra_of(context, gathered, bary, &inputs, (normal, bumpy, position));
        let mut shaded = Shaded::unlit(context, normal);
        if context.wanted.rgb || is_blending {
            color_batch(
                context,
                gathered,
                bary,
                &inputs,
                (position, Some(bumpy)),
                is_blending,
                &mut shaded,
            );
        }
        each(batch, &shaded, &extra);
    }
}

/// How many fragments ahead vertices are asked for.
const VERTICES_AHEAD: usize = 4 * LANES;

/// Up to eight fragments of which everything is known that says where to look; lanes past their
/// number repeat the first.
struct Begun {
    gathered: Gathered,
    bary: Barycentric,
    /// Of the first texture, if there is any.
    place: FoundTaps,
    has_place: bool,
}

impl Begun {
    const EMPTY: Self = Self {
        gathered: Gathered::EMPTY,
        bary: Barycentric::EMPTY,
        place: FoundTaps::EMPTY,
        has_place: false,
    };

    #[inline(always)]
    fn place(&self) -> Option<&FoundTaps> {
        self.has_place.then_some(&self.place)
    }
}

#[inline(always)]
fn begin(
    context: &Context<'_>,
    fragments: &[Fragment],
    sources: &[Source],
    is_blending: bool,
    out: &mut Begun,
) {
    out.bary = gather_fragments(context, fragments, sources, &mut out.gathered);
    out.has_place = context.has_textures
        && (context.wanted.rgb || is_blending)
        && first_taps(context, &out.gathered, &out.bary, &mut out.place);
}

/// The shading inputs of up to eight fragments, and their places in their triangles.
#[inline(always)]
fn gather_fragments(
    context: &Context<'_>,
    fragments: &[Fragment],
    sources: &[Source],
    out: &mut Gathered,
) -> Barycentric {
    let mut bary = gather(context, fragments, sources, out).barycentric();
    let zoom = context.transform.zoom();
    if zoom != 1.0 {
        for k in 0..3 {
            bary.dx[k] = bary.dx[k] * F8::splat(zoom);
            bary.dy[k] = bary.dy[k] * F8::splat(zoom);
        }
    }
    bary
}

/// World-space unit normals towards the camera where the surface is double-sided, and positions.
#[inline(always)]
fn surface_points(gathered: &Gathered, bary: &Barycentric) -> (V8, V8) {
    let (mut normal, mut position) = (V8::ZERO, V8::ZERO);
    for lane in 0..LANES {
        let b = |k: usize| bary.b[k].lane(lane);
        let interpolate = |v: &[V8; 3]| {
            v[0].lane(lane).scale(b(0)) + v[1].lane(lane).scale(b(1)) + v[2].lane(lane).scale(b(2))
        };
        let [p0, p1, p2] = &gathered.positions;
        let (p0, p1, p2) = (p0.lane(lane), p1.lane(lane), p2.lane(lane));
        let face_normal = (p1 - p0).cross(p2 - p0);
        let smooth = interpolate(&gathered.normals);
        let is_smooth = F8::splat(1e-12).less(smooth.dot(smooth));
        let outward = V8::select(is_smooth, smooth, face_normal).normalized();
        normal.set_lane(lane, outward.scale(bary.facing.lane(lane)));
        position.set_lane(lane, interpolate(&gathered.positions));
    }
    (normal, position)
}

#[inline(always)]
fn finish(context: &Context<'_>, begun: &Begun, is_blending: bool) -> Shaded {
    let Begun { gathered, bary, .. } = begun;
    let (normal, position) = surface_points(gathered, bary);
    let mut shaded = Shaded::unlit(context, normal);
    if context.wanted.rgb || is_blending {
        let look_ups = LookUps::new(context, gathered, bary, begun.place());
        let inputs = material_inputs(context, gathered, look_ups);
        color_batch(context, gathered, bary, &inputs, (position, None), is_blending, &mut shaded);
    }
    shaded
}

#[inline(always)]
fn gather(
    context: &Context<'_>,
    fragments: &[Fragment],
    of: &[Source],
    out: &mut Gathered,
) -> Corners {
    // Most batches are, where triangles are large.
    let is_one = |fragment: &Fragment| fragment.triangle == fragments[0].triangle;
    let corners = if fragments.iter().all(is_one) {
        gather_one(context, fragments, of[0], out)
    } else {
        gather_each(context, fragments, of, out)
    };
    if out.has_colors {
        for k in 0..3 {
            let mut rows = [[1.0; 4]; LANES];
            for lane in 0..LANES {
                let source = &out.sources[lane];
                if let Some(colors) = context.meshes[source.mesh()].mesh.colors() {
                    rows[lane] = colors[source.corners[k] as usize].to_array();
                }
            }
            let [x, y, z, a] = columns(rows);
            out.colors[k] = (V8 { x, y, z }, a);
        }
    }
    corners
}

/// Their alpha also decides how much a surface covers, in every channel.
#[inline(always)]
fn needs_vertex_colors(context: &Context<'_>, prepared: &PreparedMesh<'_>) -> bool {
    let is_read = context.wanted.rgb || prepared.pass == Pass::Blend;
    is_read && prepared.mesh.colors().is_some()
}

/// Where a fragment is shaded, in pixels.
#[inline(always)]
fn shaded_point(fragment: &Fragment) -> [f32; 2] {
    let [cx, cy] = CENTROIDS[fragment.covered as usize];
    [fragment.x as f32 + cx, fragment.y as f32 + cy]
}

/// Fragments of one triangle: its corners are read once. A function of its own, so that others keep
/// their registers and their place in the cache.
#[inline(never)]
fn gather_one(
    context: &Context<'_>,
    fragments: &[Fragment],
    source: Source,
    out: &mut Gathered,
) -> Corners {
    let prepared = &context.meshes[source.mesh()];
    let mut points = [shaded_point(&fragments[0]); LANES];
    for (point, fragment) in points.iter_mut().zip(fragments) {
        *point = shaded_point(fragment);
    }
    let (px, py) = (F8(points.map(|[x, _]| x)), F8(points.map(|[_, y]| y)));
    out.sources = [source; LANES];
    out.is_one_mesh = true;
    out.has_colors = needs_vertex_colors(context, prepared);
    let mut corners = Corners::EMPTY;
    for k in 0..3 {
        let vertex = prepared.first_vertex + source.corners[k] as usize;
        let record = &context.records[vertex];
        let splat = |[x, y, z, _]: [f32; 4]| V8::splat(Vec3::new(x, y, z));
        out.positions[k] = splat(record.position);
        out.normals[k] = splat(record.normal);
        let [x, y, _, w] = bytemuck::cast::<_, [f32; 4]>(context.vertices[vertex]).map(F8::splat);
        corners.place(k, [x, y, w], [px, py]);
        if context.vertices[vertex].x == UNREACHABLE {
            place_unreachable(context, &out.sources, &points, x, k, &mut corners);
        }
    }
    corners
}

#[inline(always)]
fn gather_each(
    context: &Context<'_>,
    fragments: &[Fragment],
    of: &[Source],
    out: &mut Gathered,
) -> Corners {
    let mut corners = Corners::EMPTY;
    out.is_one_mesh = true;
    let mut points = [[0.0_f32; 2]; LANES];
    let mut first_vertex = [0_usize; LANES];
    let mut has_colors = false;
    for lane in 0..LANES {
        let k = if lane < of.len() { lane } else { 0 };
        points[lane] = shaded_point(&fragments[k]);
        out.sources[lane] = of[k];
        out.is_one_mesh &= of[k].mesh == of[0].mesh;
        let prepared = &context.meshes[of[k].mesh()];
        first_vertex[lane] = prepared.first_vertex;
        has_colors |= needs_vertex_colors(context, prepared);
    }
    out.has_colors = has_colors;
    let (mut px, mut py) = (F8::ZERO, F8::ZERO);
    for lane in 0..LANES {
        [px.0[lane], py.0[lane]] = points[lane];
    }
    for k in 0..3 {
        let mut positions = [[0.0; 4]; LANES];
        let mut normals = [[0.0; 4]; LANES];
        let mut screen = [[0.0; 4]; LANES];
        for lane in 0..LANES {
            let vertex = first_vertex[lane] + out.sources[lane].corners[k] as usize;
            let record = &context.records[vertex];
            positions[lane] = record.position;
            normals[lane] = record.normal;
            screen[lane] = bytemuck::cast(context.vertices[vertex]);
        }
        let [x, y, z, _] = columns(positions);
        out.positions[k] = V8 { x, y, z };
        let [x, y, z, _] = columns(normals);
        out.normals[k] = V8 { x, y, z };
        let [x, y, _, w] = columns(screen);
        corners.place(k, [x, y, w], [px, py]);
        if x.0.iter().any(|v| v.to_bits() as i32 == UNREACHABLE) {
            place_unreachable(context, &out.sources, &points, x, k, &mut corners);
        }
    }
    corners
}

/// The exact positions of corners `k` that have no snapped one. Rare.
#[cold]
fn place_unreachable(
    context: &Context<'_>,
    sources: &[Source; LANES],
    points: &[[f32; 2]; LANES],
    screen_x: F8,
    k: usize,
    corners: &mut Corners,
) {
    for (lane, source) in sources.iter().enumerate() {
        if screen_x.0[lane].to_bits() as i32 == UNREACHABLE {
            let position =
                context.meshes[source.mesh()].mesh.positions()[source.corners[k] as usize];
            let [x, y, w] = context.transform.exact_to_point(position, points[lane]);
            corners.x[k].0[lane] = x;
            corners.y[k].0[lane] = y;
            corners.w[k].0[lane] = w;
        }
    }
}

/// Normals turned by the normal map, where there is one.
#[inline(always)]
fn bumpy_normal(
    context: &Context<'_>,
    gathered: &Gathered,
    bary: &Barycentric,
    inputs: &Inputs,
    normal: V8,
) -> V8 {
    match &inputs.tangent_normal {
        Some(told) => perturb(context, gathered, bary, normal, told, |mesh| {
            mesh.texture(Slot::Normal).map(BoundTexture::grid)
        }),
        None => normal,
    }
}

/// Colour and alpha of eight fragments. `bumpy` is [`bumpy_normal`] where it is known.
#[inline(always)]
fn color_batch(
    context: &Context<'_>,
    gathered: &Gathered,
    bary: &Barycentric,
    inputs: &Inputs,
    (position, bumpy): (V8, Option<V8>),
    is_blending: bool,
    shaded: &mut Shaded,
) {
    let (base_color, alpha) = gathered.with_vertex_colors(bary, inputs.base_color, inputs.alpha);
    let meshes = context.meshes;
    let is_blended = gathered.each_mesh(|mesh| {
        let is_blended = meshes[mesh].pass == Pass::Blend
            && meshes[mesh].material.alpha_mode == AlphaMode::Blend;
        f32::from(is_blended)
    });
    let is_blended = F8::splat(0.5).less(is_blended);
    shaded.alpha = is_blended.select(alpha.clamp01(), F8::ONE);
    shaded.is_unlit = if context.wanted.is_unlit {
        F8::ONE
    } else {
        gathered.each_mesh(|mesh| f32::from(meshes[mesh].material.unlit))
    };
    let is_lit = shaded.is_unlit.less(F8::splat(0.5));
    if context.wanted.is_unlit {
        shaded.color = base_color;
        return;
    }
    let to_eye = match context.transform.eye() {
        Some(eye) => (V8::splat(eye) - position).normalized(),
        None => V8::splat(context.transform.back()),
    };
    let surface = Surface {
        normal: bumpy
            .unwrap_or_else(|| bumpy_normal(context, gathered, bary, inputs, shaded.normal)),
        to_eye,
        base_color,
        metallic: inputs.metallic.clamp01(),
        roughness: inputs.roughness.clamp01(),
        occlusion: inputs.occlusion,
        emissive: inputs.emissive,
        transmission: inputs.transmission,
    };
    if context.has_layers && has_layers(context, gathered) {
        // Copies: what another function sees cannot stay in registers, here or on the plain path.
        let (gathered, bary) = (*gathered, *bary);
        let (lit, through) = layered(context, &gathered, &bary, surface, shaded.normal);
        if is_blending {
            shaded.through = V8::select(is_lit, through, V8::ZERO);
        }
        let lit = if is_blending { lit } else { tone_map(lit) };
        shaded.color = V8::select(is_lit, lit, base_color);
        return;
    }
    let lit = match context.environment {
        Some(light) => environment::shade_lanes(&surface, light, !is_blending),
        None => shade_lanes(&surface, &context.studio, !is_blending),
    };
    if is_blending && inputs.transmission.0.iter().any(|&t| t > 0.0) {
        shaded.through = V8::select(is_lit, transmitted(&surface), V8::ZERO);
    }
    shaded.color = V8::select(is_lit, lit, base_color);
}

#[inline(always)]
fn has_layers(context: &Context<'_>, gathered: &Gathered) -> bool {
    let mut sources = gathered.sources.iter();
    sources.any(|source| context.meshes[source.mesh()].layers.is_some())
}

/// Radiance and what comes through of eight fragments of which some have layers. A function of its
/// own, so that plain ones pay for one comparison only.
#[inline(never)]
fn layered(
    context: &Context<'_>,
    gathered: &Gathered,
    bary: &Barycentric,
    mut surface: Surface,
    shown_normal: V8,
) -> (V8, V8) {
    let layers = layer_inputs(context, gathered, bary, &mut surface.roughness, shown_normal);
    let lit = shade_layered(&surface, &layers, &context.studio, context.environment);
    let through = if surface.transmission.0.iter().any(|&t| t > 0.0) {
        transmitted_layered(&surface, &layers)
    } else {
        V8::ZERO
    };
    (lit, through)
}
