//! Visible fragments → what each channel shows there: attributes interpolated, textures looked up, light computed, eight at a time.

use super::layered::layer_inputs;
use super::prepare::{BoundTexture, PreparedMesh, VertexRecord, mesh_of};
use super::raster::{SAMPLE_X, SAMPLE_Y, SAMPLES};
use super::transform::{SUBPIXEL, ScreenVertex, UNREACHABLE, ViewTransform};
use crate::render::lanes::{B8, F8, LANES, V8, columns, prefetch};
use crate::render::layers::{shade_layered, transmitted_layered};
use crate::render::shade::{Studio, Surface, shade, shade_matte, tone_map, transmitted};
use crate::render::texture::Taps;
use crate::scene::AlphaMode;
use glam::{Vec2, Vec3};

/// A triangle's share of one pixel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragment {
    /// Column of the picture.
    pub x: i32,
    /// Row of the picture.
    pub y: i32,
    /// Which samples it has; at least one.
    pub covered: u8,
    /// Index in the shared list.
    pub triangle: u32,
}

/// What a drawing asks of each fragment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub rgb: bool,
    pub matte: bool,
    /// Base colour only, neither light nor tone map.
    pub is_unlit: bool,
}

/// What all fragments of a view share.
pub(super) struct Context<'a> {
    pub meshes: &'a [PreparedMesh<'a>],
    /// Transformed vertices of all meshes.
    pub vertices: &'a [ScreenVertex],
    /// The same vertices as shading sees them.
    pub records: &'a [VertexRecord],
    pub transform: &'a ViewTransform,
    pub studio: Studio,
    pub wanted: Wanted,
    /// Whether any material has layers.
    pub has_layers: bool,
}

/// Eight fragments, shaded.
pub(super) struct Shaded {
    /// Linear; display-referred (tone-mapped) unless `is_blending` was asked for.
    pub color: V8,
    /// 1 for opaque and masked surfaces.
    pub alpha: F8,
    /// Share of the light behind that comes through the covered part (glass); added to `color` by who knows what lies behind.
    pub through: V8,
    /// 1 where the colour must not be tone-mapped.
    pub is_unlit: F8,
    /// World-space unit normals towards the camera where the surface is double-sided.
    pub normal: V8,
    pub matte: F8,
}

/// Centre of the covered samples in pixels from the pixel's corner, by coverage mask: shading there never extrapolates.
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

/// Perspective-correct barycentric coordinates of eight points, and their changes per pixel step.
#[derive(Clone, Copy)]
pub(super) struct Barycentric {
    pub b: [F8; 3],
    dx: [F8; 3],
    dy: [F8; 3],
    is_front: B8,
}

/// Corners of eight triangles in homogeneous screen coordinates, taken relative to the point that is shaded:
/// `(x_i − px · w_i, y_i − py · w_i, w_i)`, which keeps tiny triangles precise (as Woop 2013 does for rays).
#[derive(Clone, Copy)]
struct Corners {
    x: [F8; 3],
    y: [F8; 3],
    w: [F8; 3],
}

impl Corners {
    #[inline(always)]
    fn barycentric(&self) -> Barycentric {
        let Self { x, y, w } = self;
        let edge = |j: usize, k: usize| x[j] * y[k] - x[k] * y[j];
        let edge_dx = |j: usize, k: usize| w[k] * y[j] - w[j] * y[k];
        let edge_dy = |j: usize, k: usize| x[k] * w[j] - x[j] * w[k];
        let e = [edge(1, 2), edge(2, 0), edge(0, 1)];
        let sum = e[0] + e[1] + e[2];
        let is_front = sum.less(F8::ZERO);
        let safe = sum
            .abs()
            .less(F8::splat(1e-30))
            .select(F8::splat(1e-30), sum);
        let inverse = F8::ONE / safe;
        let b = e.map(|e| e * inverse);
        let ex = [edge_dx(1, 2), edge_dx(2, 0), edge_dx(0, 1)];
        let ey = [edge_dy(1, 2), edge_dy(2, 0), edge_dy(0, 1)];
        let (sum_x, sum_y) = (ex[0] + ex[1] + ex[2], ey[0] + ey[1] + ey[2]);
        Barycentric {
            b,
            dx: std::array::from_fn(|i| (ex[i] - b[i] * sum_x) * inverse),
            dy: std::array::from_fn(|i| (ey[i] - b[i] * sum_y) * inverse),
            is_front,
        }
    }
}

/// Where a fragment gets its vertices from. 16 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    mesh: u32,
    /// Indices among the mesh's own vertices.
    corners: [u32; 3],
}

impl Source {
    #[inline(always)]
    pub fn of(context: &Context<'_>, fragment: &Fragment) -> Self {
        let mesh = mesh_of(context.meshes, fragment.triangle);
        let prepared = &context.meshes[mesh];
        let triangle = (fragment.triangle - prepared.first_triangle) as usize;
        Self {
            mesh: mesh as u32,
            corners: prepared.mesh.triangles()[triangle],
        }
    }

    /// Asks for what [`Source::of`] will read.
    #[inline(always)]
    pub fn prefetch_triangle(context: &Context<'_>, fragment: &Fragment) {
        let prepared = &context.meshes[mesh_of(context.meshes, fragment.triangle)];
        let triangle = (fragment.triangle - prepared.first_triangle) as usize;
        prefetch(prepared.mesh.triangles(), triangle);
    }

    /// Asks for what [`shade_batch`] will read.
    #[inline(always)]
    pub fn prefetch_vertices(&self, context: &Context<'_>) {
        let prepared = &context.meshes[self.mesh()];
        for corner in self.corners() {
            prefetch(context.records, prepared.first_vertex + corner);
            prefetch(context.vertices, prepared.first_vertex + corner);
            if let Some(colors) = prepared.mesh.colors() {
                prefetch(colors, corner);
            }
        }
    }

    #[inline(always)]
    pub fn mesh(&self) -> usize {
        self.mesh as usize
    }

    #[inline(always)]
    pub fn corners(&self) -> [usize; 3] {
        let [a, b, c] = self.corners;
        [a as usize, b as usize, c as usize]
    }
}

/// Eight fragments, gathered.
#[derive(Clone, Copy)]
pub(super) struct Gathered {
    pub sources: [Source; LANES],
    corners: Corners,
    positions: [V8; 3],
    normals: [V8; 3],
    colors: Option<[(V8, F8); 3]>,
}

/// Shades up to eight fragments; lanes past their number repeat the first. `is_blending` leaves colours in scene-referred light.
#[inline(always)]
pub(super) fn shade_batch(
    context: &Context<'_>,
    fragments: &[Fragment],
    sources: &[Source],
    is_blending: bool,
) -> Shaded {
    let gathered = gather(context, fragments, sources);
    let bary = gathered.corners.barycentric();
    let [b0, b1, b2] = bary.b;
    let interpolate = |v: &[V8; 3]| v[0].scale(b0) + v[1].scale(b1) + v[2].scale(b2);

    let [p0, p1, p2] = gathered.positions;
    let face_normal = (p1 - p0).cross(p2 - p0);
    let smooth = interpolate(&gathered.normals);
    let is_smooth = F8::splat(1e-12).less(smooth.dot(smooth));
    let normal = V8::select(is_smooth, smooth, face_normal).normalized();
    let turned = V8::ZERO - normal;
    let normal = V8::select(bary.is_front, normal, turned);

    let matte = if context.wanted.matte {
        shade_matte(normal, &context.studio)
    } else {
        F8::ZERO
    };
    let mut shaded = Shaded {
        color: V8::ZERO,
        alpha: F8::ONE,
        through: V8::ZERO,
        is_unlit: F8::ZERO,
        normal,
        matte,
    };
    if context.wanted.rgb || is_blending {
        let position = interpolate(&gathered.positions);
        color_batch(
            context,
            &gathered,
            &bary,
            position,
            is_blending,
            &mut shaded,
        );
    }
    shaded
}

#[inline(always)]
fn gather(context: &Context<'_>, fragments: &[Fragment], of: &[Source]) -> Gathered {
    let mut out = Gathered {
        sources: [of[0]; LANES],
        corners: Corners {
            x: [F8::ZERO; 3],
            y: [F8::ZERO; 3],
            w: [F8::ZERO; 3],
        },
        positions: [V8::ZERO; 3],
        normals: [V8::ZERO; 3],
        colors: None,
    };
    let mut points = [[0.0_f32; 2]; LANES];
    let mut first_vertex = [0_usize; LANES];
    let mut has_colors = false;
    for lane in 0..LANES {
        let k = if lane < of.len() { lane } else { 0 };
        let fragment = &fragments[k];
        let [cx, cy] = CENTROIDS[fragment.covered as usize];
        points[lane] = [fragment.x as f32 + cx, fragment.y as f32 + cy];
        out.sources[lane] = of[k];
        let prepared = &context.meshes[of[k].mesh()];
        first_vertex[lane] = prepared.first_vertex;
        has_colors |= prepared.mesh.colors().is_some();
    }
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
        // The snapped position, the same that decided coverage, so that a covered point lies inside its triangle.
        out.corners.x[k] = (pixels(x) - px) * w;
        out.corners.y[k] = (pixels(y) - py) * w;
        out.corners.w[k] = w;
        if x.0.iter().any(|v| v.to_bits() as i32 == UNREACHABLE) {
            place_unreachable(context, &out.sources, &points, x, k, &mut out.corners);
        }
    }
    if context.wanted.rgb && has_colors {
        let mut colors = [(V8::ZERO, F8::ZERO); 3];
        for k in 0..3 {
            let mut rows = [[1.0; 4]; LANES];
            for lane in 0..LANES {
                let source = &out.sources[lane];
                if let Some(colors) = context.meshes[source.mesh()].mesh.colors() {
                    rows[lane] = colors[source.corners[k] as usize].to_array();
                }
            }
            let [x, y, z, a] = columns(rows);
            colors[k] = (V8 { x, y, z }, a);
        }
        out.colors = Some(colors);
    }
    out
}

/// Sub-pixels, as the bits of whole numbers, to pixels.
#[inline(always)]
fn pixels(bits: F8) -> F8 {
    let mut out = F8::ZERO;
    for lane in 0..LANES {
        out.0[lane] = (bits.0[lane].to_bits() as i32) as f32 * (1.0 / SUBPIXEL as f32);
    }
    out
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

/// Colour and alpha of eight fragments.
#[inline(always)]
fn color_batch(
    context: &Context<'_>,
    gathered: &Gathered,
    bary: &Barycentric,
    position: V8,
    is_blending: bool,
    shaded: &mut Shaded,
) {
    let inputs = material_inputs(context, gathered, bary);
    let mut base_color = inputs.base_color;
    let mut alpha = inputs.alpha;
    if let Some(colors) = &gathered.colors {
        let [b0, b1, b2] = bary.b;
        let rgb = colors[0].0.scale(b0) + colors[1].0.scale(b1) + colors[2].0.scale(b2);
        base_color = base_color.times(rgb);
        alpha = alpha * (colors[0].1 * b0 + colors[1].1 * b1 + colors[2].1 * b2);
    }
    shaded.alpha = alpha.clamp01();
    for lane in 0..LANES {
        let prepared = &context.meshes[gathered.sources[lane].mesh()];
        let is_blended = prepared.pass == super::prepare::Pass::Blend
            && prepared.material.alpha_mode == AlphaMode::Blend;
        if !is_blended {
            shaded.alpha.0[lane] = 1.0;
        }
        if context.wanted.is_unlit || prepared.material.unlit {
            shaded.is_unlit.0[lane] = 1.0;
        }
    }
    let is_lit = shaded.is_unlit.less(F8::splat(0.5));
    if context.wanted.is_unlit {
        shaded.color = base_color;
        return;
    }
    let to_eye = match context.transform.eye() {
        Some(eye) => (V8::splat(eye) - position).normalized(),
        None => V8::splat(context.transform.back()),
    };
    let normal = match &inputs.tangent_normal {
        Some(tangent_normal) => {
            let frame = shaded.normal;
            perturb(context, gathered, bary, frame, tangent_normal, |mesh| {
                mesh.textures.normal
            })
        }
        None => shaded.normal,
    };
    let surface = Surface {
        normal,
        to_eye,
        base_color,
        metallic: inputs.metallic.clamp01(),
        roughness: inputs.roughness.clamp01(),
        occlusion: inputs.occlusion,
        emissive: inputs.emissive,
        transmission: inputs.transmission,
    };
    if context.has_layers && has_layers(context, gathered) {
        // Copies: what another function may look at cannot stay in registers, here or on the plain way.
        let (gathered, bary) = (*gathered, *bary);
        let (lit, through) = layered(context, &gathered, &bary, surface, shaded.normal);
        if is_blending {
            shaded.through = V8::select(is_lit, through, V8::ZERO);
        }
        let lit = if is_blending { lit } else { tone_map(lit) };
        shaded.color = V8::select(is_lit, lit, base_color);
        return;
    }
    let lit = shade(&surface, &context.studio);
    if is_blending && inputs.transmission.0.iter().any(|&t| t > 0.0) {
        shaded.through = V8::select(is_lit, transmitted(&surface), V8::ZERO);
    }
    let lit = if is_blending { lit } else { tone_map(lit) };
    shaded.color = V8::select(is_lit, lit, base_color);
}

#[inline(always)]
fn has_layers(context: &Context<'_>, gathered: &Gathered) -> bool {
    let mut sources = gathered.sources.iter();
    sources.any(|source| context.meshes[source.mesh()].layers.is_some())
}

/// Radiance and what comes through of eight fragments of which some have layers. A function of its own, so that plain ones pay for one comparison only.
#[inline(never)]
fn layered(
    context: &Context<'_>,
    gathered: &Gathered,
    bary: &Barycentric,
    mut surface: Surface,
    shown_normal: V8,
) -> (V8, V8) {
    let layers = layer_inputs(
        context,
        gathered,
        bary,
        &mut surface.roughness,
        shown_normal,
    );
    let lit = shade_layered(&surface, &layers, &context.studio);
    let through = if surface.transmission.0.iter().any(|&t| t > 0.0) {
        transmitted_layered(&surface, &layers)
    } else {
        V8::ZERO
    };
    (lit, through)
}

/// Material factors times textures.
struct Inputs {
    base_color: V8,
    alpha: F8,
    metallic: F8,
    roughness: F8,
    occlusion: F8,
    emissive: V8,
    transmission: F8,
    /// Present when any lane has a normal texture; (0, 0, 1) in lanes without.
    tangent_normal: Option<V8>,
}

#[inline(always)]
fn material_inputs(context: &Context<'_>, gathered: &Gathered, bary: &Barycentric) -> Inputs {
    let mut out = Inputs {
        base_color: V8::ZERO,
        alpha: F8::ONE,
        metallic: F8::ZERO,
        roughness: F8::ZERO,
        occlusion: F8::ONE,
        emissive: V8::ZERO,
        transmission: F8::ZERO,
        tangent_normal: None,
    };
    for (lane, source) in gathered.sources.iter().enumerate() {
        let prepared = &context.meshes[source.mesh()];
        let material = prepared.material;
        out.base_color.set(lane, material.base_color.truncate());
        out.alpha.0[lane] = material.base_color.w;
        out.metallic.0[lane] = material.metallic;
        out.roughness.0[lane] = material.roughness;
        out.emissive.set(lane, material.emissive);
        if prepared.pass == super::prepare::Pass::Blend {
            out.transmission.0[lane] = material.transmission;
        }
        if !prepared.textures.is_empty() {
            let point = LanePoint::new(bary, lane, source);
            look_up(prepared, &point, lane, context.wanted.is_unlit, &mut out);
        }
    }
    out
}

/// The barycentric coordinates of one lane, for the scalar texture look-ups.
pub(super) struct LanePoint {
    b: [f32; 3],
    dx: [f32; 3],
    dy: [f32; 3],
    corners: [usize; 3],
}

impl LanePoint {
    #[inline(always)]
    pub fn new(bary: &Barycentric, lane: usize, source: &Source) -> Self {
        Self {
            b: bary.b.map(|v| v.0[lane]),
            dx: bary.dx.map(|v| v.0[lane]),
            dy: bary.dy.map(|v| v.0[lane]),
            corners: source.corners(),
        }
    }

    /// The texel of one texture, and where it was found: the next texture is mostly addressed the same way.
    #[inline(always)]
    pub fn sample(&self, bound: &BoundTexture<'_>, last: &mut Option<(u8, Taps)>) -> [f32; 4] {
        let taps = match last {
            Some((group, taps)) if *group == bound.taps_group => *taps,
            _ => taps_at(bound, self.corners, &self.b, &self.dx, &self.dy),
        };
        *last = Some((bound.taps_group, taps));
        bound.pyramid.fetch(&taps)
    }
}

/// Looks a texture up at barycentric coordinates `b` that change by `dx`, `dy` per pixel: the texel, and the level of detail there.
#[inline(always)]
pub(super) fn sample(
    bound: &BoundTexture<'_>,
    corners: [usize; 3],
    b: &[f32; 3],
    dx: &[f32; 3],
    dy: &[f32; 3],
) -> ([f32; 4], f32) {
    let (uv, duv_dx, duv_dy) = place(bound, corners, b, dx, dy);
    let texel = bound.pyramid.fetch(&bound.pyramid.taps(uv, duv_dx, duv_dy));
    (texel, bound.pyramid.lod(duv_dx, duv_dy))
}

#[inline(always)]
fn taps_at(
    bound: &BoundTexture<'_>,
    corners: [usize; 3],
    b: &[f32; 3],
    dx: &[f32; 3],
    dy: &[f32; 3],
) -> Taps {
    let (uv, duv_dx, duv_dy) = place(bound, corners, b, dx, dy);
    bound.pyramid.taps(uv, duv_dx, duv_dy)
}

/// Texture coordinates, and their changes per pixel step right and down.
#[inline(always)]
fn place(
    bound: &BoundTexture<'_>,
    corners: [usize; 3],
    b: &[f32; 3],
    dx: &[f32; 3],
    dy: &[f32; 3],
) -> ([f32; 2], [f32; 2], [f32; 2]) {
    let uvs = corners.map(|vertex| bound.uvs[vertex]);
    let weighted = |w: &[f32; 3]| uvs[0] * w[0] + uvs[1] * w[1] + uvs[2] * w[2];
    let transform = &bound.texture_ref.transform;
    let turn = |d: Vec2| {
        [
            transform.linear[0][0] * d.x + transform.linear[0][1] * d.y,
            transform.linear[1][0] * d.x + transform.linear[1][1] * d.y,
        ]
    };
    let uv = transform.apply(weighted(b)).to_array();
    (uv, turn(weighted(dx)), turn(weighted(dy)))
}

#[inline(always)]
fn look_up(
    prepared: &PreparedMesh<'_>,
    point: &LanePoint,
    lane: usize,
    is_unlit: bool,
    out: &mut Inputs,
) {
    let textures = &prepared.textures;
    let material = prepared.material;
    let mut last = None;
    if let Some(bound) = &textures.base_color {
        let texel = point.sample(bound, &mut last);
        out.base_color.x.0[lane] *= texel[0];
        out.base_color.y.0[lane] *= texel[1];
        out.base_color.z.0[lane] *= texel[2];
        out.alpha.0[lane] *= texel[3];
    }
    if is_unlit || material.unlit {
        return;
    }
    let mut packed = None;
    if let Some(bound) = &textures.metallic_roughness {
        let texel = point.sample(bound, &mut last);
        out.roughness.0[lane] *= texel[1];
        out.metallic.0[lane] *= texel[2];
        packed = Some((bound, texel));
    }
    if let Some(bound) = &textures.occlusion {
        // Occlusion is usually the red channel of the metallic-roughness picture.
        let red = match packed {
            Some((other, texel)) if other.is_same(bound) => texel[0],
            _ => point.sample(bound, &mut last)[0],
        };
        out.occlusion.0[lane] = 1.0 + material.occlusion_strength * (red - 1.0);
    }
    if let Some(bound) = &textures.emissive {
        let texel = point.sample(bound, &mut last);
        out.emissive.x.0[lane] *= texel[0];
        out.emissive.y.0[lane] *= texel[1];
        out.emissive.z.0[lane] *= texel[2];
    }
    if let Some(bound) = &textures.transmission {
        out.transmission.0[lane] *= point.sample(bound, &mut last)[0];
    }
    if let Some(bound) = &textures.normal {
        let texel = point.sample(bound, &mut last);
        out.tangent_normal
            .get_or_insert(V8::splat(Vec3::Z))
            .set(lane, tangent_normal(texel, material.normal_scale));
    }
}

/// What a normal texture's texel says.
#[inline(always)]
pub(super) fn tangent_normal(texel: [f32; 4], scale: f32) -> Vec3 {
    Vec3::new(
        (texel[0] * 2.0 - 1.0) * scale,
        (texel[1] * 2.0 - 1.0) * scale,
        texel[2] * 2.0 - 1.0,
    )
}

/// Turns tangent-space normals into the world. Tangents are the file's, else the direction in which u grows over the triangle,
/// made perpendicular to the normal; the bitangent points against growing v (glTF 2.0, section 3.9.3), also where the texture is mirrored.
/// `texture` is the normal texture of a mesh.
#[inline(always)]
pub(super) fn perturb<'a>(
    context: &Context<'a>,
    gathered: &Gathered,
    bary: &Barycentric,
    normal: V8,
    tangent_normal: &V8,
    texture: impl Fn(&PreparedMesh<'a>) -> Option<BoundTexture<'a>>,
) -> V8 {
    let mut tangent = V8::ZERO;
    let mut down = V8::ZERO;
    let mut handedness = F8::ZERO;
    for (lane, source) in gathered.sources.iter().enumerate() {
        let prepared = &context.meshes[source.mesh()];
        let Some(bound) = texture(prepared) else {
            continue;
        };
        if let Some(tangents) = prepared.mesh.tangents() {
            let b = bary.b.map(|v| v.0[lane]);
            let t = source.corners().map(|v| tangents[v]);
            let sum = t[0] * b[0] + t[1] * b[1] + t[2] * b[2];
            tangent.set(lane, sum.truncate());
            handedness.0[lane] = if t[0].w < 0.0 { -1.0 } else { 1.0 };
            continue;
        }
        let [uv0, uv1, uv2] = source
            .corners()
            .map(|v| bound.texture_ref.transform.apply(bound.uvs[v]));
        let (d1, d2) = (uv1 - uv0, uv2 - uv0);
        let corner = |k: usize| {
            let p = &gathered.positions[k];
            Vec3::new(p.x.0[lane], p.y.0[lane], p.z.0[lane])
        };
        let (e1, e2) = (corner(1) - corner(0), corner(2) - corner(0));
        // The determinant's size cancels when normalised; its sign does not.
        let sign = if d1.x * d2.y - d2.x * d1.y < 0.0 {
            -1.0
        } else {
            1.0
        };
        tangent.set(lane, (e1 * d2.y - e2 * d1.y) * sign);
        down.set(lane, (e2 * d1.x - e1 * d2.x) * sign);
    }
    // A back face shows its front's bumps as dents: the whole frame is that of the front, and what comes out is turned.
    let turned_back = bary.is_front.select(F8::ONE, -F8::ONE);
    let normal = normal.scale(turned_back);
    let straight = (tangent - normal.scale(normal.dot(tangent))).normalized();
    let bitangent = normal.cross(straight);
    let against_v = F8::ZERO.less(bitangent.dot(down)).select(-F8::ONE, F8::ONE);
    let sign = F8::splat(0.5)
        .less(handedness.abs())
        .select(handedness, against_v);
    let turned = straight.scale(tangent_normal.x)
        + bitangent.scale(tangent_normal.y * sign)
        + normal.scale(tangent_normal.z);
    let length_squared = turned.dot(turned);
    V8::select(F8::splat(1e-8).less(length_squared), turned, normal)
        .normalized()
        .scale(turned_back)
}
