//! What every view of a scene shares: texture pyramids, effective alpha modes, and where each
//! mesh's triangles and vertices start.

use crate::render::channel::Channel;
use crate::render::settings::{Light, Settings};
use crate::render::texture::{Cell, Members, Pack, Part, Pyramid, Taps};
use crate::scene::{
    AlphaMode, Layers, Material, Mesh, Scene, Slot, Texels, Texture, TextureRef, UvTransform,
};
use glam::{Vec2, Vec3};

/// How a mesh takes part in the passes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::render) enum Pass {
    /// Fills the visibility buffer.
    Opaque,
    /// Fills it where alpha reaches the cutoff. `by_share`: in the smaller levels of the texture,
    /// alpha is the share of the area that stays.
    Mask { cutoff: f32, by_share: bool },
    /// Collected and sorted per pixel.
    Blend,
}

/// A mesh with its place in the lists that all meshes share.
pub(in crate::render) struct PreparedMesh<'a> {
    pub mesh: &'a Mesh,
    pub material: &'a Material,
    pub pass: Pass,
    /// Index of its first triangle.
    pub first_triangle: u32,
    /// Index of its first vertex.
    pub first_vertex: usize,
    /// Textures that the mesh really has coordinates for, by [`Slot`]; those of layers are there.
    textures: [Option<BoundTexture<'a>>; Slot::FIRST_OF_LAYERS],
    /// Present for the few materials that have layers.
    pub layers: Option<Box<PreparedLayers<'a>>>,
}

/// What shading reads of each vertex, side by side, so it costs one cache line. 32 bytes.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct VertexRecord {
    /// Relative to the point the rig puts at the origin, as is the eye. Fourth number unused.
    pub position: [f32; 4],
    /// Zero where there is none. The fourth number is unused.
    pub normal: [f32; 4],
}

/// Records of all vertices of all meshes, in the order of [`PreparedMesh::first_vertex`]; `center`
/// is what the eye is relative to.
pub(super) fn build_records(scene: &Scene, center: Vec3) -> Vec<VertexRecord> {
    let mut records = Vec::with_capacity(scene.vertex_count());
    for mesh in scene.meshes() {
        let (positions, normals) = (mesh.positions(), mesh.normals());
        parallel::extend(&mut records, positions.len(), |i| VertexRecord {
            position: (positions[i] - center).extend(0.0).to_array(),
            normal: normals.map_or([0.0; 4], |normals| normals[i].extend(0.0).to_array()),
        });
    }
    records
}

/// A texture, its coordinates and how to look it up.
#[derive(Clone, Copy)]
pub(in crate::render) struct BoundTexture<'a> {
    /// Of a packed texture that of the base colour, whose levels have the same sizes.
    pub pyramid: &'a Pyramid<'a>,
    /// Where the texels are, unless in the pyramid.
    pub pack: Option<(&'a Pack<'a>, Part)>,
    pub uvs: &'a [Vec2],
    pub texture_ref: TextureRef,
    /// Whether the reference's transform changes coordinates.
    pub has_transform: bool,
    /// Equal among the textures of a mesh whose texels are found in the same places.
    pub taps_group: u8,
}

impl BoundTexture<'_> {
    /// What its directions follow.
    #[inline(always)]
    pub(crate) fn grid(&self) -> Grid<'_> {
        Grid { uvs: self.uvs, transform: self.has_transform.then_some(&self.texture_ref.transform) }
    }

    /// Whether a look-up of `other` gives the very same texel.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.texture_ref == other.texture_ref
    }

    /// Linear RGBA of one lane.
    #[inline(always)]
    pub(crate) fn fetch(&self, taps: &Taps, lane: usize) -> [f32; 4] {
        match self.pack {
            Some((pack, part)) => pack.fetch(taps, lane)[part as usize],
            None => self.pyramid.fetch(taps, lane),
        }
    }

    /// Asks for texels that will be looked up.
    #[inline(always)]
    pub(crate) fn prefetch(&self, cell: &Cell) {
        match self.pack {
            Some((pack, Part::BaseColor)) => pack.prefetch(cell),
            Some(_) => {}
            None => self.pyramid.prefetch(cell),
        }
    }
}

/// Texture coordinates whose growth gives a mesh its tangents, where the file gives none.
#[derive(Clone, Copy)]
pub(in crate::render) struct Grid<'a> {
    pub uvs: &'a [Vec2],
    pub transform: Option<&'a UvTransform>,
}

/// The layers of a material, with their textures bound to the coordinates of a mesh.
pub(in crate::render) struct PreparedLayers<'a> {
    pub layers: &'a Layers,
    /// Reflectance of the non-metallic part at normal incidence, linear RGB, before textures and
    /// strength; may exceed 1.
    pub f0: Vec3,
    /// How often light is halved on its way through, by colour, before textures; at least 0.
    pub halvings: Vec3,
    /// Strength of the grain and the cosine and sine of its rotation; the strength is 0 where a
    /// mesh has no directions.
    pub anisotropy: [f32; 3],
    /// By [`Slot`], from the first of layers on.
    textures: [Option<BoundTexture<'a>>; Slot::NUM_OF_LAYERS],
}

impl<'a> PreparedMesh<'a> {
    /// The texture of a slot, if the mesh has one there.
    #[inline(always)]
    pub(in crate::render) fn texture(&self, slot: Slot) -> Option<&BoundTexture<'a>> {
        let idx = slot as usize;
        match idx.checked_sub(Slot::FIRST_OF_LAYERS) {
            None => self.textures[idx].as_ref(),
            Some(idx) => self.layers.as_deref()?.textures[idx].as_ref(),
        }
    }

    /// Those that are no layers'.
    #[inline(always)]
    pub(in crate::render) fn base_textures(&self) -> impl Iterator<Item = &BoundTexture<'a>> {
        self.textures.iter().flatten()
    }

    /// What the grain of a brushed surface follows: its own texture's coordinates, else the normal
    /// texture's, else the first.
    pub(in crate::render) fn grain_grid(&'a self) -> Option<Grid<'a>> {
        let layers = self.layers.as_ref()?;
        if layers.anisotropy[0] == 0.0 {
            return None;
        }
        let uvs = self.mesh.uvs(0).unwrap_or_default();
        let first = Grid { uvs, transform: None };
        let bound = self.texture(Slot::Anisotropy).or(self.texture(Slot::Normal));
        Some(bound.map_or(first, BoundTexture::grid))
    }
}

impl<'a> PreparedLayers<'a> {
    fn new(
        mesh: &Mesh,
        layers: &'a Layers,
        bind: impl Fn(Slot) -> Option<BoundTexture<'a>>,
    ) -> Self {
        let glossy = layers.specular_glossiness.as_ref();
        let mut textures: [_; Slot::NUM_OF_LAYERS] =
            std::array::from_fn(|idx| bind(Slot::ALL[Slot::FIRST_OF_LAYERS + idx]));
        group_taps(&mut textures);
        let f0 = match glossy {
            Some(glossy) => glossy.specular,
            None => dielectric_f0(layers.ior) * layers.specular_color,
        };
        let (sine, cosine) = libm::sincosf(layers.anisotropy_rotation_radians);
        let has_directions = mesh.uvs(0).is_some() || mesh.tangents().is_some();
        let strength = if has_directions { layers.anisotropy } else { 0.0 };
        let anisotropy = [strength, cosine, sine];
        Self { layers, f0, halvings: halvings(layers), anisotropy, textures }
    }
}

/// Beer's law as `KHR_materials_volume` has it: `colour ^ (thickness / distance)`, as a power of ½.
fn halvings(layers: &Layers) -> Vec3 {
    let ways = (layers.thickness / layers.attenuation_distance).max(0.0);
    let of = |c: f32| (-libm::log2f(c.clamp(1e-6, 1.0)) * ways).min(120.0);
    let color = layers.attenuation_color;
    Vec3::new(of(color.x), of(color.y), of(color.z))
}

/// Reflectance at normal incidence by the index of refraction against air (`KHR_materials_ior`):
/// `((n − 1) / (n + 1))²`, 0.04 at 1.5, 1 at 0.
fn dielectric_f0(ior: f32) -> f32 {
    let ior = f64::from(ior);
    let root = (ior - 1.0) / (ior + 1.0);
    (root * root) as f32
}

/// Which textures a drawing needs; unneeded ones get no mip levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextureUse {
    /// Every texture of the materials.
    All,
    /// Only the base colour: unlit pictures, and alpha.
    BaseColor,
}

fn texture_use(scene: &Scene, settings: &Settings) -> Option<TextureUse> {
    let wants_rgb = settings.channels.contains(&Channel::Rgb);
    let has_alpha =
        scene.materials().iter().any(|material| material.alpha_mode != AlphaMode::Opaque);
    let wants_all = settings.channels.iter().any(|c| c.is_material());
    if wants_all || (wants_rgb && settings.light == Light::Studio) {
        Some(TextureUse::All)
    } else if wants_rgb || has_alpha {
        Some(TextureUse::BaseColor)
    } else {
        None
    }
}

/// The textures of a scene as look-ups find them.
pub(in crate::render) struct PreparedTextures<'a> {
    /// By texture; `None` where not needed. Of packed textures only the base colour is here.
    pub pyramids: Vec<Option<Pyramid<'a>>>,
    packs: Vec<Pack<'a>>,
    pack_of: Vec<Option<usize>>,
}

/// Builds the mip levels that a drawing needs, each texture by itself.
pub(in crate::render) fn build_textures<'a>(
    scene: &'a Scene,
    settings: &Settings,
) -> PreparedTextures<'a> {
    let needed = needed_textures(scene, texture_use(scene, settings));
    let cutoffs = mask_cutoffs(scene);
    let textures = scene.textures();
    let pyramids = parallel::of(textures.len(), |idx| {
        needed[idx].then(|| Pyramid::new(&textures[idx], cutoffs[idx]))
    });
    PreparedTextures { pyramids, packs: Vec::new(), pack_of: vec![None; scene.materials().len()] }
}

/// As [`build_textures`], with those of a material packed where one look-up can find them.
pub(super) fn build_packed_textures<'a>(
    scene: &'a Scene,
    settings: &Settings,
) -> PreparedTextures<'a> {
    let texture_use = texture_use(scene, settings);
    if texture_use != Some(TextureUse::All) {
        return build_textures(scene, settings);
    }
    let (keys, pack_of) = choose_packs(scene);
    let mut needed = needed_textures(scene, texture_use);
    let mut shown_by_pack = vec![false; needed.len()];
    for key in &keys {
        for texture in key.iter() {
            needed[*texture] = false;
        }
        shown_by_pack[key.base_color] = true;
    }
    // Cutting out asks for the base colour alone.
    for material in scene.materials() {
        if let (AlphaMode::Mask { .. }, Some(base)) =
            (material.alpha_mode, material.base_color_texture())
        {
            needed[base.texture] = true;
        }
    }
    let cutoffs = mask_cutoffs(scene);
    let build_pack =
        |key: &Members<usize>| Pack::new(members(scene, *key), cutoffs[key.base_color]);
    let textures = scene.textures();
    let build_pyramid = |idx: usize| {
        let texture = &textures[idx];
        if needed[idx] {
            Some(Pyramid::new(texture, cutoffs[idx]))
        } else if shown_by_pack[idx] {
            Some(Pyramid::of_packed(texture))
        } else {
            None
        }
    };
    let (packs, pyramids) = rayon::join(
        || parallel::map(&keys, build_pack),
        || parallel::of(textures.len(), build_pyramid),
    );
    PreparedTextures { pyramids, packs, pack_of }
}

fn needed_textures(scene: &Scene, texture_use: Option<TextureUse>) -> Vec<bool> {
    let mut needed = vec![false; scene.textures().len()];
    for material in scene.materials() {
        match texture_use {
            None => {}
            Some(TextureUse::All) => {
                for texture_ref in material.texture_refs() {
                    needed[texture_ref.texture] = true;
                }
            }
            Some(TextureUse::BaseColor) => {
                if let Some(texture_ref) = material.base_color_texture() {
                    needed[texture_ref.texture] = true;
                }
            }
        }
    }
    needed
}

/// Where a pack has the texels of a slot.
fn part_of(slot: Slot) -> Option<Part> {
    match slot {
        Slot::BaseColor => Some(Part::BaseColor),
        Slot::MetallicRoughness | Slot::Occlusion => Some(Part::Surface),
        Slot::Normal => Some(Part::Normal),
        Slot::Emissive => Some(Part::Emissive),
        _ => None,
    }
}

/// Numbers of a material's textures, where all share coordinates and fit each other.
fn packable(scene: &Scene, material: &Material) -> Option<Members<usize>> {
    let base = material.base_color_texture()?;
    let others = [Slot::Occlusion, Slot::MetallicRoughness, Slot::Normal, Slot::Emissive]
        .map(|slot| material.textures[slot]);
    let is_beside =
        |other: &TextureRef| other.uv_set == base.uv_set && other.transform == base.transform;
    if !others.iter().flatten().all(is_beside) {
        return None;
    }
    let [occlusion, metallic_roughness, normal, emissive] =
        others.map(|other| other.map(|other| other.texture));
    let numbers =
        Members { base_color: base.texture, occlusion, metallic_roughness, normal, emissive };
    members(scene, numbers).fit().then_some(numbers)
}

fn members(scene: &Scene, numbers: Members<usize>) -> Members<&Texture> {
    numbers.map(|number, _| &scene.textures()[number])
}

/// Which textures to pack, and each material's pack. A texture that is used in two ways stays by
/// itself, so that nothing is held twice.
fn choose_packs(scene: &Scene) -> (Vec<Members<usize>>, Vec<Option<usize>>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Use {
        None,
        In(Members<usize>),
        Several,
    }
    let keys: Vec<Option<Members<usize>>> =
        scene.materials().iter().map(|material| packable(scene, material)).collect();
    let mut uses = vec![Use::None; scene.textures().len()];
    for (material, key) in scene.materials().iter().zip(&keys) {
        for texture_ref in material.texture_refs() {
            let here = match key {
                Some(key) if key.iter().any(|texture| *texture == texture_ref.texture) => {
                    Use::In(*key)
                }
                _ => Use::Several,
            };
            let known = &mut uses[texture_ref.texture];
            *known = if *known == Use::None || *known == here { here } else { Use::Several };
        }
    }
    let mut chosen: Vec<Members<usize>> = Vec::new();
    let pack_of = keys
        .into_iter()
        .map(|key| {
            let key = key?;
            if !key.iter().all(|texture| uses[*texture] == Use::In(key)) {
                return None;
            }
            let known = chosen.iter().position(|other| *other == key);
            Some(known.unwrap_or_else(|| {
                chosen.push(key);
                chosen.len() - 1
            }))
        })
        .collect();
    (chosen, pack_of)
}

/// For each texture the alpha of its texels from which they stay, where every material that has it
/// as its base colour says the same (the loader gives materials that differ textures of their own).
/// `None` also where alpha varies from vertex to vertex.
fn mask_cutoffs(scene: &Scene) -> Vec<Option<f32>> {
    let base_of = |material: &Material| Some(material.base_color_texture()?.texture);
    let mut cutoffs: Vec<Option<Option<f32>>> = vec![None; scene.textures().len()];
    for material in scene.materials() {
        if let Some(base) = base_of(material) {
            let cutoff = material.texel_cutoff();
            let known = cutoffs[base].get_or_insert(cutoff);
            *known = known.filter(|known| cutoff == Some(*known));
        }
    }
    for mesh in scene.meshes() {
        let base = base_of(&scene.materials()[mesh.material()]);
        if let Some(base) = base.filter(|base| cutoffs[*base].flatten().is_some())
            && lowest_vertex_alpha(mesh) < 1.0
        {
            cutoffs[base] = None;
        }
    }
    cutoffs.into_iter().map(Option::flatten).collect()
}

/// Lays out all meshes one after another. The caller ensures fewer than 2³² − 1 triangles.
pub(in crate::render) fn prepare_meshes<'a>(
    scene: &'a Scene,
    prepared: &'a PreparedTextures<'a>,
) -> Vec<PreparedMesh<'a>> {
    let has_alpha = textures_with_alpha(scene);
    let cutoffs = mask_cutoffs(scene);
    let mut first_triangle = 0_u32;
    let mut first_vertex = 0;
    scene
        .meshes()
        .iter()
        .map(|mesh| {
            let material = &scene.materials()[mesh.material()];
            let pack = prepared.pack_of[mesh.material()].map(|pack| &prepared.packs[pack]);
            let bind = |slot: Slot| {
                let texture_ref = material.textures[slot]?;
                let pack = pack.zip(part_of(slot));
                let sizes_of = match (pack, material.base_color_texture()) {
                    (Some(_), Some(base)) => base.texture,
                    _ => texture_ref.texture,
                };
                Some(BoundTexture {
                    pyramid: prepared.pyramids[sizes_of].as_ref()?,
                    pack,
                    uvs: mesh.uvs(texture_ref.uv_set)?,
                    texture_ref,
                    has_transform: texture_ref.transform != UvTransform::IDENTITY,
                    taps_group: 0,
                })
            };
            let mut textures: [_; Slot::FIRST_OF_LAYERS] =
                std::array::from_fn(|idx| bind(Slot::ALL[idx]));
            group_taps(&mut textures);
            let base_color = textures[Slot::BaseColor as usize].as_ref();
            let number = base_color.map(|bound| bound.texture_ref.texture);
            let layers = material.layers.as_deref();
            let prepared = PreparedMesh {
                mesh,
                material,
                pass: effective_pass(
                    mesh,
                    material,
                    number.is_some_and(|number| cutoffs[number].is_some()),
                    number.is_some_and(|number| has_alpha[number]),
                ),
                first_triangle,
                first_vertex,
                textures,
                layers: layers.map(|layers| Box::new(PreparedLayers::new(mesh, layers, bind))),
            };
            first_triangle += mesh.triangles().len() as u32;
            first_vertex += mesh.positions().len();
            prepared
        })
        .collect()
}

/// By texture: whether it is the base colour of a surface that is not simply opaque, and has texels
/// whose alpha is below 255.
fn textures_with_alpha(scene: &Scene) -> Vec<bool> {
    let mut is_asked = vec![false; scene.textures().len()];
    for material in scene.materials() {
        if let (true, Some(base)) =
            (material.alpha_mode != AlphaMode::Opaque, material.base_color_texture())
        {
            is_asked[base.texture] = true;
        }
    }
    let is_seen_through =
        |texels: &[[u8; 4]]| texels.iter().fold(255, |lowest, texel| lowest & texel[3]) != 255;
    let has_alpha = |texture: &Texture| match texture.held() {
        Texels::Whole(texels) => {
            parallel::map_chunks(texels, 1 << 16, |_, texels| is_seen_through(texels))
                .contains(&true)
        }
        Texels::Reduced(_) => false,
    };
    is_asked
        .into_iter()
        .zip(scene.textures())
        .map(|(is_asked, texture)| is_asked && has_alpha(texture))
        .collect()
}

/// Numbers the groups of textures that share their taps.
fn group_taps(all: &mut [Option<BoundTexture<'_>>]) {
    let mut seen: Vec<BoundTexture<'_>> = Vec::new();
    for bound in all.iter_mut().flatten() {
        let other = seen.iter().find(|other| {
            other.texture_ref.uv_set == bound.texture_ref.uv_set
                && other.texture_ref.transform == bound.texture_ref.transform
                && other.pyramid.shares_taps(bound.pyramid)
        });
        bound.taps_group = other.map_or(seen.len() as u8, |other| other.taps_group);
        seen.push(*bound);
    }
}

/// Many exporters write MASK or BLEND for surfaces without a transparent texel; those are drawn as
/// opaque ones, which gives the same picture.
fn effective_pass(
    mesh: &Mesh,
    material: &Material,
    by_share: bool,
    has_texture_alpha: bool,
) -> Pass {
    let uniform_alpha = material.base_color.w * lowest_vertex_alpha(mesh);
    match material.alpha_mode {
        // The background of glass must be known when the glass is shaded.
        AlphaMode::Opaque if material.transmission > 0.0 => Pass::Blend,
        AlphaMode::Blend if material.transmission > 0.0 => Pass::Blend,
        AlphaMode::Opaque => Pass::Opaque,
        AlphaMode::Mask { cutoff } if !has_texture_alpha && uniform_alpha >= cutoff => Pass::Opaque,
        AlphaMode::Mask { cutoff } => Pass::Mask { cutoff, by_share },
        AlphaMode::Blend if !has_texture_alpha && uniform_alpha >= 1.0 => Pass::Opaque,
        AlphaMode::Blend => Pass::Blend,
    }
}

fn lowest_vertex_alpha(mesh: &Mesh) -> f32 {
    let colors = mesh.colors().into_iter().flatten();
    colors.fold(1.0_f32, |low, color| low.min(color.w))
}

/// The mesh that holds triangle `triangle`, found from its place in the shared list.
#[inline]
pub(in crate::render) fn mesh_of(meshes: &[PreparedMesh<'_>], triangle: u32) -> usize {
    if meshes.len() == 1 {
        return 0;
    }
    meshes.partition_point(|mesh| mesh.first_triangle <= triangle) - 1
}
