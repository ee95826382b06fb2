//! Textures of eight fragments: coordinates interpolated, texels looked up, factors times texels,
//! bumps turned into the world.

#![expect(
    clippy::needless_range_loop,
    reason = "lanes are counted: several arrays are indexed by one, and counted loops are what the compiler turns into vector instructions"
)]

use super::gathered::{Barycentric, Context, Gathered};
use super::prepare::{BoundTexture, Grid, Pass, PreparedMesh};
use crate::render::lanes::{B8, F8, LANES, V8, columns};
use crate::render::texture::{Part, Place, Pyramid, Taps};
use crate::scene::Slot;
use glam::Vec3;

/// Looks textures up one after another. Most textures of a material are of one size and found by
/// the same coordinates, so the last place is kept.
pub(super) struct LookUps<'a, 'g> {
    context: &'a Context<'a>,
    gathered: &'g Gathered,
    bary: &'g Barycentric,
    /// The last place where the first one does not serve.
    last: Option<FoundTaps>,
    first: Option<&'g FoundTaps>,
}

/// The places of texels, and the group of textures in each lane.
#[derive(Clone, Copy)]
pub(super) struct FoundTaps {
    taps: Taps,
    groups: [u8; LANES],
}

impl FoundTaps {
    pub(super) const EMPTY: Self = Self { taps: Taps::EMPTY, groups: [NO_GROUP; LANES] };

    /// Whether they serve textures of these groups.
    fn serves(&self, groups: &[u8; LANES]) -> bool {
        let mut pairs = self.groups.iter().zip(groups);
        pairs.all(|(found, group)| *group == NO_GROUP || found == group)
    }
}

/// No texture in this lane.
const NO_GROUP: u8 = u8::MAX;

impl<'a, 'g> LookUps<'a, 'g> {
    #[inline(always)]
    pub(super) fn new(
        context: &'a Context<'a>,
        gathered: &'g Gathered,
        bary: &'g Barycentric,
        first: Option<&'g FoundTaps>,
    ) -> Self {
        Self { context, gathered, bary, last: None, first }
    }

    /// Linear RGBA; 1 in lanes whose mesh has no such texture. `None` where no lane has one.
    ///
    /// Never inlined: it is called in a dozen places, and inlined copies would not fit a
    /// processor's instruction cache.
    #[inline(never)]
    pub(super) fn texels(&mut self, slot: Slot) -> Option<[F8; 4]> {
        if self.gathered.is_one_mesh {
            self.context.meshes[self.gathered.sources[0].mesh()].texture(slot)?;
        }
        let bound = bind(self.context, self.gathered, |mesh| mesh.texture(slot));
        let (any, groups) = groups_of(&bound)?;
        let taps = match (&self.first, &mut self.last) {
            (Some(first), _) if first.serves(&groups) => &first.taps,
            (_, Some(last)) if last.serves(&groups) => &last.taps,
            (_, last) => {
                let last = last.get_or_insert(FoundTaps::EMPTY);
                last.groups = groups;
                taps_at(any, &bound, &corners(self.gathered), self.bary, &mut last.taps);
                &last.taps
            }
        };
        let mut rows = [[1.0; 4]; LANES];
        for (lane, row) in rows.iter_mut().enumerate() {
            if let Some(texture) = bound[lane] {
                *row = texture.fetch(taps, lane);
            }
        }
        Some(columns(rows))
    }
}

/// The texels of eight fragments, linear RGBA; 1 in lanes whose mesh has no such texture, `None`
/// where no lane has one.
struct Found {
    base_color: Option<[F8; 4]>,
    metallic_roughness: Option<[F8; 4]>,
    occlusion: Option<[F8; 4]>,
    emissive: Option<[F8; 4]>,
    transmission: Option<[F8; 4]>,
    normal: Option<[F8; 4]>,
}

impl LookUps<'_, '_> {
    /// What a material's pack says, if all fragments are of one mesh with a pack. Inlined: a
    /// separate function passes its numbers through memory, which took an eighth of all shading.
    #[inline(always)]
    fn packed(&mut self) -> Option<Found> {
        let (gathered, first) = (self.gathered, self.first?);
        let mesh = &self.context.meshes[gathered.sources[0].mesh()];
        let (pack, _) = mesh.texture(Slot::BaseColor)?.pack?;
        if !gathered.is_one_mesh {
            return None;
        }
        let mut parts = [[[0.0; 4]; LANES]; 4];
        for lane in 0..LANES {
            let texels = pack.fetch(&first.taps, lane);
            for part in 0..4 {
                parts[part][lane] = texels[part];
            }
        }
        let [base_color, surface, normal, emissive] = parts.map(columns);
        Some(Found {
            base_color: Some(base_color),
            metallic_roughness: mesh.texture(Slot::MetallicRoughness).is_some().then_some(surface),
            occlusion: mesh.texture(Slot::Occlusion).is_some().then_some(surface),
            emissive: mesh.texture(Slot::Emissive).is_some().then_some(emissive),
            transmission: self.texels(Slot::Transmission),
            normal: mesh.texture(Slot::Normal).is_some().then_some(normal),
        })
    }

    #[inline(always)]
    fn one_by_one(&mut self) -> Found {
        let base_color = self.texels(Slot::BaseColor);
        if self.context.wanted.is_unlit {
            return Found {
                base_color,
                metallic_roughness: None,
                occlusion: None,
                emissive: None,
                transmission: None,
                normal: None,
            };
        }
        let surface = self.texels(Slot::MetallicRoughness);
        // Occlusion is usually the red channel of the metallic-roughness picture.
        let is_same = self.gathered.sources.iter().all(|source| {
            let mesh = &self.context.meshes[source.mesh()];
            match (mesh.texture(Slot::Occlusion), mesh.texture(Slot::MetallicRoughness)) {
                (Some(occlusion), Some(other)) => occlusion.is_same(other),
                _ => false,
            }
        });
        Found {
            base_color,
            metallic_roughness: surface,
            occlusion: if is_same { surface } else { self.texels(Slot::Occlusion) },
            emissive: self.texels(Slot::Emissive),
            transmission: self.texels(Slot::Transmission),
            normal: self.texels(Slot::Normal),
        }
    }
}

/// The places of the texels of each mesh's first texture; asks for those of all its textures there.
/// False if no mesh has one.
#[inline(never)]
pub(super) fn first_taps(
    context: &Context<'_>,
    gathered: &Gathered,
    bary: &Barycentric,
    out: &mut FoundTaps,
) -> bool {
    let bound = bind(context, gathered, |mesh| mesh.base_textures().next());
    let Some((any, groups)) = groups_of(&bound) else {
        return false;
    };
    let FoundTaps { taps, .. } = out;
    taps_at(any, &bound, &corners(gathered), bary, taps);
    if gathered.is_one_mesh {
        prefetch_one_mesh(&context.meshes[gathered.sources[0].mesh()], taps, groups[0]);
    } else {
        for (lane, cell) in taps.cells() {
            let source = &gathered.sources[lane];
            for texture in context.meshes[source.mesh()].base_textures() {
                if texture.taps_group == groups[lane] {
                    texture.prefetch(&cell);
                }
            }
        }
    }
    out.groups = groups;
    true
}

/// Asks for the texels of all textures of a mesh that are found in the places of a group.
#[inline(always)]
fn prefetch_one_mesh(mesh: &PreparedMesh<'_>, taps: &Taps, group: u8) {
    for texture in mesh.base_textures() {
        // Of a pack, one asks for all.
        let is_asked = matches!(texture.pack, Some((_, part)) if part != Part::BaseColor);
        if texture.taps_group == group && !is_asked {
            for (_, cell) in taps.cells() {
                texture.prefetch(&cell);
            }
        }
    }
}

#[inline(always)]
fn bind<'a>(
    context: &'a Context<'a>,
    gathered: &Gathered,
    texture: impl Fn(&'a PreparedMesh<'a>) -> Option<&'a BoundTexture<'a>>,
) -> [Option<&'a BoundTexture<'a>>; LANES] {
    let (meshes, sources) = (context.meshes, &gathered.sources);
    let mut bound = [texture(&meshes[sources[0].mesh()]); LANES];
    if !gathered.is_one_mesh {
        for lane in 1..LANES {
            bound[lane] = texture(&meshes[sources[lane].mesh()]);
        }
    }
    bound
}

/// One of the textures, and the group of each; `None` where there is no texture.
#[inline(always)]
fn groups_of<'a>(
    bound: &[Option<&'a BoundTexture<'a>>; LANES],
) -> Option<(&'a Pyramid<'a>, [u8; LANES])> {
    let mut any = None;
    let mut groups = [NO_GROUP; LANES];
    for lane in 0..LANES {
        if let Some(texture) = bound[lane] {
            groups[lane] = texture.taps_group;
            any = Some(texture.pyramid);
        }
    }
    Some((any?, groups))
}

#[inline(always)]
fn corners(gathered: &Gathered) -> [[usize; 3]; LANES] {
    let mut corners = [[0; 3]; LANES];
    for lane in 0..LANES {
        corners[lane] = gathered.sources[lane].corners();
    }
    corners
}

/// [`taps_any`] with the widest instruction set that this processor has.
fn taps_at(
    any: &Pyramid<'_>,
    bound: &[Option<&BoundTexture<'_>>; LANES],
    corners: &[[usize; 3]; LANES],
    bary: &Barycentric,
    out: &mut Taps,
) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, checked on the line above.
        return unsafe { taps_avx2(any, bound, corners, bary, out) };
    }
    taps_any(any, bound, corners, bary, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn taps_avx2(
    any: &Pyramid<'_>,
    bound: &[Option<&BoundTexture<'_>>; LANES],
    corners: &[[usize; 3]; LANES],
    bary: &Barycentric,
    out: &mut Taps,
) {
    taps_any(any, bound, corners, bary, out);
}

/// The places of the texels of eight points. Lanes without a texture take `any`, for nothing.
#[inline(always)]
pub(super) fn taps_any(
    any: &Pyramid<'_>,
    bound: &[Option<&BoundTexture<'_>>; LANES],
    corners: &[[usize; 3]; LANES],
    bary: &Barycentric,
    out: &mut Taps,
) {
    let mut pyramids = [any; LANES];
    let mut first = [[0.0; 4]; LANES];
    let mut third = [[0.0; 4]; LANES];
    let mut is_turned = false;
    for lane in 0..LANES {
        if let Some(texture) = bound[lane] {
            pyramids[lane] = texture.pyramid;
            let [a, b, c] = corners[lane];
            let (a, b, c) = (texture.uvs[a], texture.uvs[b], texture.uvs[c]);
            first[lane] = [a.x, a.y, b.x, b.y];
            third[lane] = [c.x, c.y, 0.0, 0.0];
            is_turned |= texture.has_transform;
        }
    }
    let [u0, v0, u1, v1] = columns(first);
    let [u2, v2, ..] = columns(third);
    let (u, v) = ([u0, u1, u2], [v0, v1, v2]);
    let mut place = Place {
        uv: [weighted(&u, &bary.b), weighted(&v, &bary.b)],
        dx: [weighted(&u, &bary.dx), weighted(&v, &bary.dx)],
        dy: [weighted(&u, &bary.dy), weighted(&v, &bary.dy)],
    };
    if is_turned {
        turn(bound, &mut place);
    }
    out.find(&pyramids, &place);
}

#[inline(always)]
fn weighted(values: &[F8; 3], weights: &[F8; 3]) -> F8 {
    values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2]
}

/// Applies each lane's transform of coordinates (`KHR_texture_transform`). Rare.
#[inline(never)]
fn turn(bound: &[Option<&BoundTexture<'_>>; LANES], place: &mut Place) {
    for (lane, texture) in bound.iter().enumerate() {
        let Some(texture) = texture else { continue };
        let transform = &texture.texture_ref.transform;
        let of = |v: &[F8; 2]| glam::Vec2::new(v[0].0[lane], v[1].0[lane]);
        let linear = |d: glam::Vec2| {
            let row = |k: usize| transform.linear[k][0] * d.x + transform.linear[k][1] * d.y;
            [row(0), row(1)]
        };
        let uv = transform.apply(of(&place.uv)).to_array();
        let (dx, dy) = (linear(of(&place.dx)), linear(of(&place.dy)));
        for axis in 0..2 {
            place.uv[axis].0[lane] = uv[axis];
            place.dx[axis].0[lane] = dx[axis];
            place.dy[axis].0[lane] = dy[axis];
        }
    }
}

/// Material factors times textures.
pub(super) struct Inputs {
    pub base_color: V8,
    pub alpha: F8,
    pub metallic: F8,
    pub roughness: F8,
    pub occlusion: F8,
    pub emissive: V8,
    pub transmission: F8,
    /// Present when any lane has a normal texture; (0, 0, 1) in lanes without.
    pub tangent_normal: Option<V8>,
}

#[inline(always)]
pub(super) fn material_inputs(
    context: &Context<'_>,
    gathered: &Gathered,
    mut look_ups: LookUps<'_, '_>,
) -> Inputs {
    let meshes = context.meshes;
    let mut out = Inputs {
        base_color: gathered.each_mesh_vector(|mesh| meshes[mesh].material.base_color.truncate()),
        alpha: gathered.each_mesh(|mesh| meshes[mesh].material.base_color.w),
        metallic: gathered.each_mesh(|mesh| meshes[mesh].material.metallic),
        roughness: gathered.each_mesh(|mesh| meshes[mesh].material.roughness),
        occlusion: F8::ONE,
        emissive: gathered.each_mesh_vector(|mesh| meshes[mesh].material.emissive),
        transmission: gathered.each_mesh(|mesh| match meshes[mesh].pass {
            Pass::Blend => meshes[mesh].material.transmission,
            _ => 0.0,
        }),
        tangent_normal: None,
    };
    if !context.has_textures {
        return out;
    }
    let found = match look_ups.packed() {
        Some(found) => found,
        None => look_ups.one_by_one(),
    };
    if let Some([r, g, b, a]) = found.base_color {
        out.base_color = out.base_color.times(V8 { x: r, y: g, z: b });
        out.alpha = out.alpha * a;
    }
    if let Some([_, roughness, metallic, _]) = found.metallic_roughness {
        out.roughness = out.roughness * roughness;
        out.metallic = out.metallic * metallic;
    }
    if let Some([red, ..]) = found.occlusion {
        let strength = gathered.each_mesh(|mesh| match meshes[mesh].texture(Slot::Occlusion) {
            Some(_) => meshes[mesh].material.occlusion_strength,
            None => 0.0,
        });
        out.occlusion = F8::ONE + strength * (red - F8::ONE);
    }
    if let Some([r, g, b, _]) = found.emissive {
        out.emissive = out.emissive.times(V8 { x: r, y: g, z: b });
    }
    if let Some([red, ..]) = found.transmission {
        out.transmission = out.transmission * red;
    }
    if let Some(texel) = found.normal {
        let scale = gathered.each_mesh(|mesh| meshes[mesh].material.normal_scale);
        let has =
            gathered.each_mesh(|mesh| f32::from(meshes[mesh].texture(Slot::Normal).is_some()));
        let is_bumpy = F8::splat(0.5).less(has);
        out.tangent_normal = Some(tangent_normal(texel, scale, is_bumpy));
    }
    out
}

/// What a normal texture's texels say; straight up in lanes that are not bumpy.
#[inline(always)]
pub(super) fn tangent_normal([r, g, b, _]: [F8; 4], scale: F8, is_bumpy: B8) -> V8 {
    let signed = |c: F8| c * F8::splat(2.0) - F8::ONE;
    let told = V8 { x: signed(r) * scale, y: signed(g) * scale, z: signed(b) };
    V8::select(is_bumpy, told, V8::splat(Vec3::Z))
}

/// Turns tangent-space normals into the world. Tangents are the file's, else the direction in which
/// u grows over the triangle, made perpendicular to the normal; the bitangent points against
/// growing v (glTF 2.0, section 3.9.3), also where the texture is mirrored. `grid` is that of the
/// texture which a mesh takes the directions from.
#[inline(always)]
pub(super) fn perturb<'a>(
    context: &Context<'a>,
    gathered: &Gathered,
    bary: &Barycentric,
    normal: V8,
    tangent_normal: &V8,
    grid: impl Fn(&'a PreparedMesh<'a>) -> Option<Grid<'a>>,
) -> V8 {
    let mut first = [[0.0; 4]; LANES];
    let mut third = [[0.0; 4]; LANES];
    let mut given = [[[0.0; 4]; LANES]; 3];
    let mut any_given = false;
    for (lane, source) in gathered.sources.iter().enumerate() {
        let prepared = &context.meshes[source.mesh()];
        let Some(grid) = grid(prepared) else {
            continue;
        };
        let corners = source.corners();
        if let Some(tangents) = prepared.mesh.tangents() {
            for k in 0..3 {
                given[k][lane] = tangents[corners[k]].to_array();
            }
            third[lane][2] = 1.0;
            any_given = true;
            continue;
        }
        let uv = |k: usize| {
            let uv = grid.uvs[corners[k]];
            grid.transform.map_or(uv, |transform| transform.apply(uv))
        };
        let (a, b, c) = (uv(0), uv(1), uv(2));
        first[lane] = [a.x, a.y, b.x, b.y];
        third[lane] = [c.x, c.y, 0.0, 0.0];
    }
    let [u0, v0, u1, v1] = columns(first);
    let [u2, v2, is_given, _] = columns(third);
    let mut sum = V8::ZERO;
    let mut side = F8::ZERO;
    if any_given {
        for k in 0..3 {
            let [x, y, z, w] = columns(given[k]);
            sum = sum + V8 { x, y, z }.scale(bary.b[k]);
            if k == 0 {
                side = w;
            }
        }
    }
    let mut out = V8::ZERO;
    for lane in 0..LANES {
        // One by one: rustc leaves `map` on the array as a call, and the loop then has no vectors.
        let (u0, v0) = (u0.lane(lane), v0.lane(lane));
        let (u1, v1) = (u1.lane(lane), v1.lane(lane));
        let (u2, v2) = (u2.lane(lane), v2.lane(lane));
        let (du1, dv1, du2, dv2) = (u1 - u0, v1 - v0, u2 - u0, v2 - v0);
        let [p0, p1, p2] = &gathered.positions;
        let (p0, p1, p2) = (p0.lane(lane), p1.lane(lane), p2.lane(lane));
        let (e1, e2) = (p1 - p0, p2 - p0);
        // The determinant's size cancels when normalised; its sign does not.
        let is_mirrored = (du1 * dv2 - du2 * dv1).less(F8::ZERO);
        let sign = is_mirrored.select(-F8::ONE, F8::ONE);
        let grown = (e1.scale(dv2) - e2.scale(dv1)).scale(sign);
        let down = (e2.scale(du1) - e1.scale(du2)).scale(sign);
        let is_given = F8::splat(0.5).less(is_given.lane(lane));
        let tangent = V8::select(is_given, sum.lane(lane), grown);
        // A back face shows its front's bumps as dents: the whole frame is that of the front, and
        // what comes out is turned.
        let facing = bary.facing.lane(lane);
        let normal = normal.lane(lane).scale(facing);
        let straight = (tangent - normal.scale(normal.dot(tangent))).normalized();
        let bitangent = normal.cross(straight);
        let against_v = F8::ZERO.less(bitangent.dot(down)).select(-F8::ONE, F8::ONE);
        let handedness = side.lane(lane).less(F8::ZERO).select(-F8::ONE, F8::ONE);
        let sign = is_given.select(handedness, against_v);
        let told = tangent_normal.lane(lane);
        let turned = straight.scale(told.x) + bitangent.scale(told.y * sign) + normal.scale(told.z);
        let is_long = F8::splat(1e-8).less(turned.dot(turned));
        let bumpy = V8::select(is_long, turned, normal).normalized().scale(facing);
        out.set_lane(lane, bumpy);
    }
    out
}
