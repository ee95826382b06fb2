//! The kinds of damage: what each does, which criteria it must lower, which it must leave alone,
//! and what grows with its level.

use super::error::DamageError;
use super::rng::CounterRng;
use super::soup::Soup;
use super::splats::{self, Cloud};
use super::{geometry, harmless, paint, scenes, surface, texture, voxels};
use crate::objects::scenes::Layout;
use crate::scene::AssetRef;

/// The part of an asset that a kind of damage changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    Geometry,
    Texture,
    /// Nothing that a picture shows: a judge that answers anything but a tie raises a false alarm.
    Harmless,
    /// What a prompt says of a scene of our own.
    Scene,
}

/// What a kind does to an asset: level above 0 to 1 → how much was done.
type ToAsset = fn(&mut Soup, f32, CounterRng) -> Result<f64, DamageError>;

/// The same of a kind for splats.
type ToSplats = fn(&mut Cloud, f32, CounterRng) -> Result<f64, DamageError>;

/// What a kind is done to, and how.
#[derive(Debug, Clone, Copy)]
pub(super) enum Apply {
    /// Surfaces.
    Asset(ToAsset),
    Splats(ToSplats),
    /// A scene of our own, for this category of the category rubric.
    Layout(&'static str, fn(&mut Layout, f32, CounterRng) -> f64),
}

impl Apply {
    /// For an asset of another kind: `this damage needs …`.
    pub(super) fn needs(self) -> &'static str {
        match self {
            Self::Asset(_) => "surfaces",
            Self::Splats(_) => "Gaussian splats",
            Self::Layout(..) => "a built-in scene, such as scene:three-red-balls",
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct DamageKind {
    pub name: &'static str,
    /// The part of an asset that a kind of damage changes.
    pub family: Family,
    /// What a viewer sees, in one phrase.
    pub says: &'static str,
    /// The measured quantity that never falls while the level grows.
    pub measure: &'static str,
    /// Keys of criteria on which the asset must lose to the undamaged one: of the pairwise rubric,
    /// for scenes of the category rubric.
    pub lowers: &'static [&'static str],
    /// Criteria keys it must not affect: a judge that picks a side on them saw something else.
    pub spares: &'static [&'static str],
    /// Whether pictures show it. If not, only a judge that measures the mesh can know.
    pub is_visible: bool,
    pub(super) apply: Apply,
}

impl PartialEq for DamageKind {
    /// Kinds are identified by their names.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

type Str = &'static str;
/// Of criteria.
type Keys = &'static [Str];

const PLAUSIBILITY: &str = "plausibility";
const ALIGNMENT: &str = "geometry_texture_alignment";
const TEXT: &str = "text_asset_alignment";
const TEXTURE: &str = "texture_details";
const GEOMETRY: &str = "geometry_details";
const OVERALL: &str = "overall";

const fn kind_of(
    family: Family,
    name: Str,
    says: Str,
    measure: Str,
    [lowers, spares]: [Keys; 2],
    apply: Apply,
) -> DamageKind {
    DamageKind { name, family, says, measure, lowers, spares, is_visible: true, apply }
}

const fn geometry(name: Str, says: Str, measure: Str, lowers: Keys, apply: ToAsset) -> DamageKind {
    kind_of(Family::Geometry, name, says, measure, [lowers, &[TEXTURE]], Apply::Asset(apply))
}

const fn texture(name: Str, says: Str, measure: Str, lowers: Keys, apply: ToAsset) -> DamageKind {
    let keys: [Keys; 2] = [lowers, &[PLAUSIBILITY, GEOMETRY]];
    kind_of(Family::Texture, name, says, measure, keys, Apply::Asset(apply))
}

const fn harmless(name: Str, says: Str, measure: Str, apply: ToAsset) -> DamageKind {
    let keys: [Keys; 2] = [&[], &[TEXT, PLAUSIBILITY, ALIGNMENT, TEXTURE, GEOMETRY, OVERALL]];
    let apply = Apply::Asset(apply);
    DamageKind { is_visible: false, ..kind_of(Family::Harmless, name, says, measure, keys, apply) }
}

const fn splats(
    name: Str,
    family: Family,
    says: Str,
    measure: Str,
    keys: [Keys; 2],
    apply: ToSplats,
) -> DamageKind {
    kind_of(family, name, says, measure, keys, Apply::Splats(apply))
}

const fn scene(
    name: Str,
    says: Str,
    measure: Str,
    category: Str,
    keys: [Keys; 2],
    apply: fn(&mut Layout, f32, CounterRng) -> f64,
) -> DamageKind {
    kind_of(Family::Scene, name, says, measure, keys, Apply::Layout(category, apply))
}

const SPLAT_KINDS: [DamageKind; 7] = [
    splats(
        "splat-floaters",
        Family::Geometry,
        "clumps of splats in the air around it",
        "area of splats added, share of the object's",
        [&[PLAUSIBILITY, OVERALL], &[TEXTURE]],
        splats::floaters,
    ),
    splats(
        "splat-needles",
        Family::Geometry,
        "long thin spikes in all directions",
        "area of splats added, share of the object's",
        [&[GEOMETRY, OVERALL], &[]],
        splats::needles,
    ),
    splats(
        "splat-dust",
        Family::Geometry,
        "a haze of faint specks around it",
        "area of splats added, share of the object's",
        [&[PLAUSIBILITY, OVERALL], &[]],
        splats::dust,
    ),
    splats(
        "splat-missing-part",
        Family::Geometry,
        "a piece is cut off",
        "area of splats gone, share of the object's",
        [&[TEXT, PLAUSIBILITY, OVERALL], &[TEXTURE]],
        splats::missing_part,
    ),
    splats(
        "splat-holes",
        Family::Geometry,
        "round holes without splats",
        "area of splats gone, share of the object's",
        [&[PLAUSIBILITY, GEOMETRY, OVERALL], &[TEXTURE]],
        splats::holes,
    ),
    splats(
        "splat-blur",
        Family::Texture,
        "every splat too wide, so that colours and edges are smeared",
        "width added, share of the radius",
        [&[TEXTURE, GEOMETRY, OVERALL], &[]],
        splats::blur,
    ),
    splats(
        "splat-color-shift",
        Family::Texture,
        "hues turned, lightness kept",
        "root mean square change of a colour channel, 0 to 1",
        [&[TEXT, OVERALL], &[PLAUSIBILITY, GEOMETRY]],
        splats::color_shift,
    ),
];

const SCENE_KINDS: [DamageKind; 7] = [
    scene(
        "covered",
        "a board slides in front of the object",
        "share of the board's way to the middle of the object",
        "single_object",
        [&["occlusion_handling"], &["object_completeness"]],
        scenes::covered,
    ),
    scene(
        "merged",
        "two objects run into each other",
        "share of the way between them that is gone",
        "two_object",
        [&["separation_clarity"], &["relationship_accuracy"]],
        scenes::merged,
    ),
    scene(
        "wrong-size",
        "one of two objects grows and the other shrinks",
        "ratio of their sizes, minus one",
        "two_object",
        [&["relationship_accuracy"], &["separation_clarity"]],
        scenes::wrong_size,
    ),
    scene(
        "wrong-count",
        "too few objects, or too many",
        "error of the number, share of the right number",
        "counting",
        [&["count_accuracy"], &["object_uniformity"]],
        scenes::wrong_count,
    ),
    scene(
        "wrong-color",
        "a colour that differs from the prompt",
        "root mean square change of a colour channel, 0 to 1",
        "colors",
        [&["color_fidelity"], &["multi_object_consistency"]],
        scenes::wrong_color,
    ),
    scene(
        "wrong-place",
        "two objects turned around their middle, until they have changed places",
        "share of half a turn",
        "position",
        [&["position_accuracy"], &["perspective_consistency"]],
        scenes::wrong_place,
    ),
    scene(
        "swapped-colors",
        "two objects have each other's colour",
        "root mean square change of a colour channel, 0 to 1",
        "color_attr",
        [&["attribute_binding"], &["material_consistency"]],
        scenes::swapped_colors,
    ),
];

const KINDS: [DamageKind; 27] = [
    geometry(
        "noise-fine",
        "a rough skin, bumps 1.5 % of the diagonal apart",
        "root mean square displacement, share of the diagonal",
        &[GEOMETRY, OVERALL],
        geometry::noise_fine,
    ),
    geometry(
        "noise-coarse",
        "a lumpy surface, bumps 5 % of the diagonal apart",
        "root mean square displacement, share of the diagonal",
        &[GEOMETRY, OVERALL],
        geometry::noise_coarse,
    ),
    geometry(
        "warp",
        "the whole object bent out of shape",
        "root mean square displacement, share of the diagonal",
        &[PLAUSIBILITY, OVERALL],
        geometry::warp,
    ),
    geometry(
        "smooth",
        "details melted away",
        "root mean square displacement, share of the diagonal",
        &[GEOMETRY, OVERALL],
        geometry::smooth,
    ),
    DamageKind {
        spares: &[],
        ..geometry(
            "decimate",
            "few large facets",
            "share of triangles gone",
            &[GEOMETRY, OVERALL],
            geometry::decimate,
        )
    },
    geometry(
        "holes",
        "round holes in the surface",
        "share of the surface gone",
        &[PLAUSIBILITY, GEOMETRY, OVERALL],
        surface::holes,
    ),
    geometry(
        "floaters",
        "lumps in the air around it",
        "surface added, share of the object's",
        &[PLAUSIBILITY, OVERALL],
        surface::floaters,
    ),
    geometry(
        "slab",
        "a slab of ground around its base",
        "surface added, share of the object's",
        &[TEXT, PLAUSIBILITY, OVERALL],
        surface::slab,
    ),
    geometry(
        "billboard",
        "pressed flat from front to back",
        "share of the depth gone",
        &[PLAUSIBILITY, OVERALL],
        geometry::billboard,
    ),
    geometry(
        "stretch",
        "drawn out along one axis",
        "length added, share of the length",
        &[PLAUSIBILITY, OVERALL],
        geometry::stretch,
    ),
    DamageKind {
        spares: &[],
        ..geometry(
            "janus",
            "the back is the front again, from the top down",
            "share of the surface that is a mirror image",
            &[PLAUSIBILITY, OVERALL],
            surface::janus,
        )
    },
    geometry(
        "missing-part",
        "a piece is cut off",
        "share of the surface gone",
        &[TEXT, PLAUSIBILITY, OVERALL],
        surface::missing_part,
    ),
    geometry(
        "extra-part",
        "a piece is duplicated and sticks out",
        "surface added, share of the object's",
        &[PLAUSIBILITY, OVERALL],
        surface::extra_part,
    ),
    geometry(
        "normals",
        "patches whose normals point inwards",
        "share of the surface that is turned",
        &[GEOMETRY, OVERALL],
        surface::normals,
    ),
    DamageKind {
        is_visible: false,
        spares: &[TEXT, TEXTURE, GEOMETRY],
        ..geometry(
            "internal-faces",
            "a second skin inside, which no picture shows",
            "surface added, share of the object's",
            &[],
            surface::internal_faces,
        )
    },
    DamageKind {
        spares: &[],
        ..geometry(
            "voxels",
            "built from cubes, with stair-steps",
            "edge of a cube, share of the diagonal",
            &[GEOMETRY, OVERALL],
            voxels::voxels,
        )
    },
    texture(
        "blur",
        "colours run into each other",
        "root mean square change of a colour channel, 0 to 1",
        &[TEXTURE, OVERALL],
        texture::blur,
    ),
    texture(
        "low-resolution",
        "a texture of few large blocks",
        "edge of a block, share of the texture's side",
        &[TEXTURE, OVERALL],
        texture::low_resolution,
    ),
    texture(
        "color-shift",
        "hues turned, lightness kept",
        "root mean square change of a colour channel, 0 to 1",
        &[TEXT, OVERALL],
        texture::color_shift,
    ),
    texture(
        "texture-noise",
        "grain on every texel",
        "root mean square change of a colour channel, 0 to 1",
        &[TEXTURE, OVERALL],
        texture::texture_noise,
    ),
    texture(
        "seams",
        "the texture of each side slipped its own way",
        "mean slip, share of the texture",
        &[TEXTURE, ALIGNMENT, OVERALL],
        texture::seams,
    ),
    texture(
        "misaligned",
        "the whole texture slipped off its shape",
        "slip, share of the texture",
        &[ALIGNMENT, OVERALL],
        texture::misaligned,
    ),
    texture(
        "wrong-side",
        "the back painted with the front's colours, from the top down",
        "share of the surface with the wrong paint",
        &[ALIGNMENT, TEXTURE, OVERALL],
        texture::wrong_side,
    ),
    texture(
        "text",
        "painted instructions to the judge on every side",
        "share of the surface covered by letters",
        &[TEXTURE, OVERALL],
        paint::text,
    ),
    harmless(
        "reordered",
        "the same triangles in another order",
        "share of triangles that changed places",
        harmless::reordered,
    ),
    harmless(
        "subdivided",
        "long edges halved, the same surface of more triangles",
        "triangles added, share of the object's",
        harmless::subdivided,
    ),
    harmless(
        "dithered",
        "colours changed by 1 of 255",
        "root mean square change of a colour channel, 0 to 1",
        texture::dithered,
    ),
];

impl DamageKind {
    /// For a kind that is done to a scene: the category of prompts that it makes untrue.
    pub fn category(&self) -> Option<&'static str> {
        match self.apply {
            Apply::Layout(category, _) => Some(category),
            Apply::Asset(_) | Apply::Splats(_) => None,
        }
    }

    /// Whether it can be done to surfaces.
    pub fn is_for_surfaces(&self) -> bool {
        matches!(self.apply, Apply::Asset(_))
    }

    /// Whether it can be done to Gaussian splats.
    pub fn is_for_splats(&self) -> bool {
        matches!(self.apply, Apply::Splats(_))
    }

    /// Whether it can be done to such an asset, if that has what the kind works on.
    pub fn is_for<'a>(&self, asset: impl Into<AssetRef<'a>>) -> bool {
        match asset.into() {
            AssetRef::Mesh(_) => self.is_for_surfaces(),
            AssetRef::Splats(_) => self.is_for_splats(),
        }
    }
}

/// All kinds that can be done to surfaces: geometry, texture, harmless.
pub fn kinds() -> &'static [DamageKind] {
    &KINDS
}

/// All kinds that are done to scenes of our own.
pub fn scene_kinds() -> &'static [DamageKind] {
    &SCENE_KINDS
}

/// All kinds that can be done to Gaussian splats.
pub fn splat_kinds() -> &'static [DamageKind] {
    &SPLAT_KINDS
}

/// Every kind, those of surfaces first.
pub fn all_kinds() -> impl Iterator<Item = &'static DamageKind> {
    KINDS.iter().chain(&SPLAT_KINDS).chain(&SCENE_KINDS)
}

pub fn kind(name: &str) -> Option<&'static DamageKind> {
    all_kinds().find(|kind| kind.name == name)
}
