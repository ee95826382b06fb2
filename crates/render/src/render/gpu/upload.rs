//! A scene → buffers for all views: triangles, attributes, materials, textures with levels.

use super::device::Inner;
use super::layout::{Binding, Level, Mesh, NOTHING, Texture, mesh_flag};
use crate::render::cpu::prepare::{Pass, PreparedMesh};
use crate::render::environment::Environment;
use crate::render::shade::DIELECTRIC_F0;
use crate::render::texture::Pyramid;
use crate::scene::{AlphaMode, Layers, Slot, Wrap};

/// Buffers that texels are spread over, each as large as the device allows.
const PAGES: usize = 4;

/// The buffers of one scene, in the order of their bindings from 2 to 11 without `screen`.
pub(super) struct Uploaded {
    pub meshes: wgpu::Buffer,
    pub triangles: wgpu::Buffer,
    pub floats: wgpu::Buffer,
    pub textures: wgpu::Buffer,
    pub levels: wgpu::Buffer,
    pub pages: [wgpu::Buffer; PAGES],
    pub num_triangles: u32,
    pub has_blend: bool,
    /// Into `floats`, or [`NOTHING`].
    pub first_environment: u32,
}

/// Why a scene stays with the CPU.
fn too_large(what: &str, bytes: u64, max: u64) -> String {
    format!("{what} take {} MiB, and its buffers hold {}", bytes >> 20, max >> 20)
}

/// Hands a scene to the device, with texture coordinates of meshes without textures if places are
/// wanted. `Err` says why it does not fit.
pub(super) fn upload(
    gpu: &Inner,
    meshes: &[PreparedMesh<'_>],
    pyramids: &[Option<Pyramid<'_>>],
    wants_place: bool,
    environment: Option<&Environment>,
) -> Result<Uploaded, String> {
    let max = gpu.binding_bytes_max;
    let num_triangles: usize = meshes.iter().map(|m| m.mesh.triangles().len()).sum();
    let triangle_bytes = num_triangles as u64 * 16;
    if triangle_bytes > max {
        return Err(too_large("the triangles", triangle_bytes, max));
    }
    let mut floats = Floats::new(meshes);
    let entries: Vec<Mesh> =
        meshes.iter().map(|mesh| entry(mesh, pyramids, &mut floats, wants_place)).collect();
    let first_environment =
        environment.map_or(NOTHING, |light| floats.add(light.texels().iter().copied()));
    let float_bytes = floats.values.len() as u64 * 4;
    if float_bytes > max {
        return Err(too_large("the vertices", float_bytes, max));
    }
    let mut triangles: Vec<[u32; 4]> = Vec::with_capacity(num_triangles);
    for (idx, mesh) in meshes.iter().enumerate() {
        let first = mesh.first_vertex as u32;
        let with_mesh = |&[a, b, c]: &[u32; 3]| [a + first, b + first, c + first, idx as u32];
        triangles.extend(mesh.mesh.triangles().iter().map(with_mesh));
    }
    let paged = Paged::new(gpu, pyramids)?;
    Ok(Uploaded {
        meshes: gpu.storage_of(&entries),
        triangles: gpu.storage_of(&triangles),
        floats: gpu.storage_of(&floats.values),
        textures: gpu.storage_of(&paged.textures),
        levels: gpu.storage_of(&paged.levels),
        pages: paged.buffers,
        num_triangles: num_triangles as u32,
        has_blend: meshes.iter().any(|mesh| mesh.pass == Pass::Blend),
        first_environment,
    })
}

/// All attributes, positions first.
struct Floats {
    values: Vec<f32>,
}

impl Floats {
    fn new(meshes: &[PreparedMesh<'_>]) -> Self {
        let positions = meshes.iter().flat_map(|mesh| mesh.mesh.positions());
        Self { values: positions.flat_map(|p| p.to_array()).collect() }
    }

    /// Adds a list and says where it starts.
    fn add<const N: usize>(&mut self, list: impl Iterator<Item = [f32; N]>) -> u32 {
        let first = self.values.len() as u32;
        self.values.extend(list.flatten());
        first
    }
}

fn entry(
    prepared: &PreparedMesh<'_>,
    pyramids: &[Option<Pyramid<'_>>],
    floats: &mut Floats,
    wants_place: bool,
) -> Mesh {
    let PreparedMesh { mesh, material, pass, layers, .. } = prepared;
    let layers = layers.as_deref();
    let mut flags = 0;
    let mut set = |bit: u32, is_set: bool| flags |= if is_set { bit } else { 0 };
    set(mesh_flag::IS_DOUBLE_SIDED, material.double_sided);
    set(mesh_flag::IS_UNLIT, material.unlit);
    let is_alpha_blended = *pass == Pass::Blend && material.alpha_mode == AlphaMode::Blend;
    set(mesh_flag::IS_ALPHA_BLENDED, is_alpha_blended);
    let is_half_opaque = material.base_color.w >= 0.5 || material.alpha_mode == AlphaMode::Opaque;
    set(mesh_flag::IS_HALF_OPAQUE, is_half_opaque);
    set(mesh_flag::HAS_NORMALS, mesh.normals().is_some());
    let is_bumpy =
        [Slot::Normal, Slot::CoatNormal].iter().any(|slot| prepared.texture(*slot).is_some());
    let anisotropy = layers.map_or([0.0; 3], |l| l.anisotropy);
    let tangents = mesh.tangents().filter(|_| is_bumpy || anisotropy[0] > 0.0);
    set(mesh_flag::HAS_TANGENTS, tangents.is_some());
    set(mesh_flag::HAS_COLORS, mesh.colors().is_some());
    set(mesh_flag::HAS_LAYERS, layers.is_some());
    let glossy = layers.and_then(|l| l.layers.specular_glossiness.as_ref());
    set(mesh_flag::IS_SPECULAR_GLOSSINESS, glossy.is_some());
    let first_normal =
        mesh.normals().map_or(0, |list| floats.add(list.iter().map(|n| n.to_array())));
    let first_tangent = tangents.map_or(0, |list| floats.add(list.iter().map(|t| t.to_array())));
    let first_color = mesh.colors().map_or(0, |list| floats.add(list.iter().map(|c| c.to_array())));
    let mut uv_sets: Vec<(usize, u32)> = Vec::new();
    let mut bind = |slot: Slot| {
        let Some(bound) = prepared.texture(slot) else {
            return Binding::NONE;
        };
        let texture_ref = &bound.texture_ref;
        let known = uv_sets.iter().find(|(set, _)| *set == texture_ref.uv_set);
        let first_uv = known.map(|(_, first)| *first).unwrap_or_else(|| {
            let first = floats.add(bound.uvs.iter().map(|uv| uv.to_array()));
            uv_sets.push((texture_ref.uv_set, first));
            first
        });
        let [[a, b], [c, d]] = texture_ref.transform.linear;
        Binding {
            texture: pyramids[..texture_ref.texture].iter().flatten().count() as u32,
            first_uv,
            offset: texture_ref.transform.offset.to_array(),
            linear: [a, b, c, d],
        }
    };
    let mut bindings = Slot::ALL.map(&mut bind);
    // Without its own texture, grain follows the normal texture's coordinates, else the first.
    let grain = &mut bindings[Slot::Anisotropy as usize];
    let follows = anisotropy[0] > 0.0 && prepared.texture(Slot::Anisotropy).is_none();
    if follows {
        *grain = Binding { texture: NOTHING, ..bind(Slot::Normal) };
    }
    if let (true, Some(uvs)) = (follows && prepared.texture(Slot::Normal).is_none(), mesh.uvs(0)) {
        grain.first_uv = floats.add(uvs.iter().map(|uv| uv.to_array()));
        grain.linear = [1.0, 0.0, 0.0, 1.0];
    }
    let first_uv = mesh
        .uvs(0)
        .filter(|_| wants_place)
        .map_or(NOTHING, |uvs| floats.add(uvs.iter().map(|uv| uv.to_array())));
    let neutral = Layers::default();
    let said = layers.map_or(&neutral, |l| l.layers);
    Mesh {
        base_color: material.base_color.to_array(),
        emissive: material.emissive.to_array(),
        metallic: material.metallic,
        roughness: material.roughness,
        normal_scale: material.normal_scale,
        occlusion_strength: material.occlusion_strength,
        transmission: material.transmission,
        cutoff: match pass {
            Pass::Mask { cutoff, by_share: true } => *cutoff,
            Pass::Mask { cutoff, .. } => -cutoff, // the same at every level
            Pass::Opaque | Pass::Blend => 0.0,
        },
        alpha_pass: match pass {
            Pass::Opaque => 0,
            Pass::Mask { .. } => 1,
            Pass::Blend => 2,
        },
        flags,
        first_vertex: prepared.first_vertex as u32,
        first_normal,
        first_tangent,
        first_color,
        first_uv,
        layer_f0: layers.map_or([DIELECTRIC_F0; 3], |l| l.f0.to_array()),
        specular: said.specular,
        sheen_color: said.sheen_color.to_array(),
        sheen_roughness: said.sheen_roughness,
        coat: said.coat,
        coat_roughness: said.coat_roughness,
        coat_normal_scale: said.coat_normal_scale,
        glossiness: glossy.map_or(0.0, |glossy| glossy.glossiness),
        halvings: layers.map_or([0.0; 3], |l| l.halvings.to_array()),
        iridescence: said.iridescence,
        film: {
            let [least, most] = said.iridescence_thickness_nm;
            [said.iridescence_ior, least, most]
        },
        pad: 0.0,
        anisotropy: {
            let [strength, cosine, sine] = anisotropy;
            [strength, cosine, sine, 0.0]
        },
        bindings,
    }
}

/// Textures spread over pages. If they do not fit, the largest are reduced, with a notice.
struct Paged {
    textures: Vec<Texture>,
    levels: Vec<Level>,
    buffers: [wgpu::Buffer; PAGES],
}

/// Where a texture went: page, first texel, and how many of its largest levels were left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    page: usize,
    first: u64,
    skipped: usize,
}

impl Paged {
    fn new(gpu: &Inner, pyramids: &[Option<Pyramid<'_>>]) -> Result<Self, String> {
        let used: Vec<&Pyramid<'_>> = pyramids.iter().flatten().collect();
        let sizes: Vec<Vec<[u32; 2]>> = used.iter().map(|p| p.sizes().collect()).collect();
        // Indices into a page are 32 bits wide.
        let page_max = (gpu.binding_bytes_max / 4).min(u64::from(u32::MAX));
        let (edge_max, places, filled) = place(&sizes, page_max).ok_or_else(|| {
            format!("it has {} textures, and no room even for small ones", used.len())
        })?;
        if let Some(edge) = edge_max {
            gpu.say(&format!("textures are reduced to at most {edge} px a side to fit its memory; the CPU renderer draws them in full"));
        }
        let buffers = filled.map(|texels| gpu.storage(texels * 4, wgpu::BufferUsages::empty()));
        let (mut textures, mut levels) = (Vec::new(), Vec::new());
        for (pyramid, place) in used.iter().zip(&places) {
            let first_level = levels.len() as u32;
            let mut first = place.first;
            for ([width, height], texels) in pyramid.levels().skip(place.skipped) {
                gpu.queue.write_buffer(&buffers[place.page], first * 4, texels.as_flattened());
                levels.push(Level {
                    page: place.page as u32,
                    first: first as u32,
                    width: width as i32,
                    height: height as i32,
                });
                first += texels.len() as u64;
            }
            textures.push(Texture {
                first_level,
                num_levels: levels.len() as u32 - first_level,
                wrap: pyramid.wrap().map(|wrap| match wrap {
                    Wrap::Repeat => 0,
                    Wrap::MirroredRepeat => 1,
                    Wrap::ClampToEdge => 2,
                }),
                is_srgb: u32::from(pyramid.is_srgb()),
                is_nearest: u32::from(pyramid.is_nearest()),
                pad_1: 0,
                pad_2: 0,
            });
        }
        if textures.is_empty() {
            textures.push(Texture {
                first_level: NOTHING,
                num_levels: 0,
                wrap: [0; 2],
                is_srgb: 0,
                is_nearest: 0,
                pad_1: 0,
                pad_2: 0,
            });
            levels.push(Level { page: 0, first: 0, width: 0, height: 0 });
        }
        Ok(Self { textures, levels, buffers })
    }
}

/// The largest edge after reduction, if any; each texture's place; the texels of each page.
type Placed = (Option<u32>, Vec<Place>, [u64; PAGES]);

/// First fit, with the largest edge halved until all textures fit.
fn place(sizes: &[Vec<[u32; 2]>], page_max: u64) -> Option<Placed> {
    if let Some((places, filled)) = place_within(sizes, page_max, u32::MAX) {
        return Some((None, places, filled));
    }
    let largest = sizes.iter().flatten().flatten().copied().max()?;
    let mut edge_max = largest.next_power_of_two() / 2;
    while edge_max >= 1 {
        if let Some((places, filled)) = place_within(sizes, page_max, edge_max) {
            return Some((Some(edge_max), places, filled));
        }
        edge_max /= 2;
    }
    None
}

fn place_within(
    sizes: &[Vec<[u32; 2]>],
    page_max: u64,
    edge_max: u32,
) -> Option<(Vec<Place>, [u64; PAGES])> {
    let mut filled = [0_u64; PAGES];
    let mut places = Vec::with_capacity(sizes.len());
    for levels in sizes {
        let skipped = levels.iter().position(|size| size.iter().all(|&edge| edge <= edge_max))?;
        let texels: u64 = levels[skipped..].iter().map(|&[w, h]| u64::from(w) * u64::from(h)).sum();
        let page = filled.iter().position(|&held| held + texels <= page_max)?;
        places.push(Place { page, first: filled[page], skipped });
        filled[page] += texels;
    }
    Some((places, filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels of a square texture.
    fn square(edge: u32) -> Vec<[u32; 2]> {
        (0..=edge.ilog2()).map(|k| [edge >> k; 2]).collect()
    }

    #[test]
    fn textures_go_on_the_next_page_when_one_is_full() {
        let sizes = vec![square(64); 3];
        // 64² and its levels are 5461 texels; two do not fit one page.
        let (edge, places, filled) = place(&sizes, 8000).unwrap();
        assert_eq!(edge, None);
        assert_eq!(places.iter().map(|p| p.page).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(filled, [5461, 5461, 5461, 0]);
    }

    #[test]
    fn textures_that_do_not_fit_are_halved_and_small_ones_stay() {
        let mut sizes = vec![square(64); 5];
        sizes.push(square(32));
        let (edge, places, _) = place(&sizes, 6000).unwrap();
        assert_eq!(edge, Some(32));
        assert!(places[..5].iter().all(|p| p.skipped == 1));
        assert_eq!(places[5].skipped, 0);
        assert_eq!(place(&vec![square(1); 9], 2), None);
    }
}
