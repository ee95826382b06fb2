//! What a loader noticed and went on with. Counts are collapsed: one warning for a thousand faces.

use serde::Serialize;

/// A number with its noun and verb.
fn said(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn splats(dropped: u64, clamped: u64) -> String {
    let left_out = said(dropped, "splat has", "splats have");
    let left_out = format!(
        "{left_out} an undefined, infinite or far too large number, or a rotation of zero, and {} left out",
        if dropped == 1 { "is" } else { "are" }
    );
    let opacities =
        said(clamped, "opacity is clamped to 0 to 1", "opacities are clamped to 0 to 1");
    match (dropped, clamped) {
        (_, 0) => left_out,
        (0, _) => opacities,
        _ => format!("{left_out}; {opacities}"),
    }
}

/// `2 point primitives and 1 line primitive are`, without those that there are none of.
fn points_and_lines(points: u64, lines: u64) -> String {
    let both = [
        (points, ["point primitive", "point primitives"]),
        (lines, ["line primitive", "line primitives"]),
    ];
    let counted = both.into_iter().filter(|(count, _)| *count > 0);
    let counted: Vec<String> = counted.map(|(count, [one, many])| said(count, one, many)).collect();
    format!("{} {}", counted.join(" and "), if points + lines == 1 { "is" } else { "are" })
}

/// Asset data dropped, guessed or approximated; `Display` says what was seen and why it matters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    #[error(
        "{} not drawn, because points and lines have no surface; with points set to \"always\" they are drawn as dots and rods", points_and_lines(*.points, *.lines)
    )]
    NoSurface {
        /// Primitives (glTF) or elements (OBJ) of points.
        points: u64,
        /// Primitives (glTF) or elements (OBJ) of lines.
        lines: u64,
    },
    /// Points and lines that are drawn.
    #[error(
        "{drawn} of {points} points are drawn as dots, and {lines} lines as rods, {diameter} units thick, because they have no surface; measurements are of the dots and rods"
    )]
    Dots {
        points: u64,
        lines: u64,
        /// In the file's units.
        diameter: String,
        /// Evenly chosen of all.
        drawn: u64,
    },
    #[error(
        "{}: there may be holes", said(*.triangles, "triangle has a vertex that is not a finite number and is dropped", "triangles have a vertex that is not a finite number and are dropped")
    )]
    NotFinite { triangles: u64 },
    /// Normals, tangents, colours or coordinates that are no finite numbers.
    #[error("{} finite: defaults are used instead", said(*.count, &format!("of the {attribute} is not"), &format!("of the {attribute} are not")))]
    AttributeNotFinite {
        /// `normals`, `tangents`, `colours` or `texture coordinates`.
        attribute: &'static str,
        count: u64,
    },
    #[error("{}", said(*.faces, "triangle has no area (repeated or collinear corners) and is dropped", "triangles have no area (repeated or collinear corners) and are dropped"))]
    Degenerate { faces: u64 },
    /// A texture that could not be had. Its material goes on without it.
    #[error("texture {name:?} is ignored ({reason}): the surface shows its plain colour")]
    Texture {
        /// As the file names it.
        name: String,
        reason: String,
    },
    /// A texture that could not be had, in a file that has another for it.
    #[error("texture {name:?} cannot be read ({reason}): the file's fallback is shown")]
    FallbackTexture {
        /// As the file names it.
        name: String,
        reason: String,
    },
    /// A material's colour darkens its texture.
    #[error(
        "{} with a grey below white (first: {first:?}, Kd {kd}): the surface is darker than its texture; exporters such as trimesh write this by accident; loading with the tint ignored shows the texture itself", said(*.count, "material tints its texture", "materials tint their texture")
    )]
    Tint {
        count: u64,
        first: String,
        /// As the library says it.
        kd: String,
    },
    /// Texture coordinates or normals that the file does not have.
    #[error(
        "{} texture coordinate or normal that does not exist (first: line {line}): they are left out there", said(*.corners, "face corner names a", "face corners name a")
    )]
    Dangling {
        corners: u64,
        /// Counted from 1.
        line: usize,
    },
    /// A default scene that shows nothing.
    #[error("the default scene has no mesh: scene {index} is drawn instead")]
    OtherScene { index: usize },
    /// Materials that let everything through.
    #[error(
        "every material is fully transparent (its opacity is 0 or below its cutoff): the pictures are empty"
    )]
    Transparent,
    /// Vertex colours of 0 to 255, which the format takes for 0 to 1.
    #[error(
        "{} vertex colours far above 1: they are divided by {range}", said(*.count, "mesh has", "meshes have")
    )]
    ColorRange { count: u64, range: u32 },
    /// Vertex colours beyond 0 to 1.
    #[error("{}", said(*.count, "vertex colour is outside 0 to 1 and is clamped", "vertex colours are outside 0 to 1 and are clamped"))]
    ColorClamped { count: u64 },
    /// Vertex colours by a program that writes sRGB where the format says linear.
    #[error(
        "{}, which writes sRGB where glTF says linear: they are drawn as linear, paler than meant; with vertex colours set to \"srgb\" they are read as sRGB", said(*.count, "primitive has vertex colours by trimesh", "primitives have vertex colours by trimesh")
    )]
    SrgbColors { count: u64 },
    /// Skinned vertices that no joint moves.
    #[error("{}", said(*.count, "vertex of a skin has no weight: it stays where it is stored", "vertices of a skin have no weight: they stay where they are stored"))]
    NoSkinWeight { count: u64 },
    /// A picture that ends early or is damaged.
    #[error("texture {name:?} is damaged ({reason}): what cannot be decoded is filled in")]
    DamagedTexture {
        /// As the file names it.
        name: String,
        reason: String,
    },
    #[error(
        "texture {name:?} is a CMYK JPEG: its inks are shown as browsers do, without a colour profile; save it as RGB"
    )]
    Inks {
        /// As the file names it.
        name: String,
    },
    /// Pictures beyond the kept part in memory.
    #[error(
        "{} to {share} of the width and height (first: {first:?}, {width_px}×{height_px} px), because there are too many texels: pictures from very near show it", said(*.count, "texture is reduced", "textures are reduced")
    )]
    ReducedTextures {
        count: u64,
        /// `1/2` and so on, of the most reduced one.
        share: String,
        first: String,
        width_px: u32,
        height_px: u32,
    },
    /// Faces without a material in a file that has some.
    #[error(
        "no usemtl: {materials} materials of the library are not used, and faces without a material are drawn plain white"
    )]
    NoUsemtl { materials: usize },
    #[error("no usemtl: the only material of the library, {name:?}, is used for all faces")]
    OnlyMaterial { name: String },
    /// A surface that exists twice, once from each side.
    #[error(
        "{} a face of the opposite winding: each side shows the face turned towards it", said(*.count, "face coincides with", "faces coincide with")
    )]
    TwoSided { count: u64 },
    /// Normals against the winding in a format that does not define it.
    #[error(
        "the normals of {} with the winding: they are turned towards the viewer", said(*.count, "face disagree", "faces disagree")
    )]
    OpposedNormals { count: u64 },
    /// Something about the container that was repaired.
    #[error("{problem}: {taken}")]
    Container {
        problem: String,
        /// What was done.
        taken: &'static str,
    },
    /// A glTF file without nodes.
    #[error(
        "the file has meshes and no node that places them: each is drawn where its vertices are"
    )]
    NoNodes,
    /// A few vertices far from all others.
    #[error(
        "{share} of the triangles are within a {times}th of the asset's radius, so something far away shrinks the rest to a dot; delete it, or place the asset with a rig's `normalise`"
    )]
    FarFloater {
        /// As a percentage.
        share: String,
        times: u64,
    },
    /// A size that single precision cannot be drawn at.
    #[error(
        "the asset is {radius} units large, beyond what can be drawn in single precision: it is scaled by {factor}"
    )]
    Scaled { radius: String, factor: String },
    /// A path that leads outside; the file of that name in the asset's folder was used.
    #[error(
        "{uri:?} is not there or leads out of the asset's folder; {used:?} in that folder is used instead"
    )]
    Relocated {
        /// As the file names it.
        uri: String,
        /// The file that was used.
        used: String,
    },
    /// A material library that could not be had.
    #[error("material library {name:?} is ignored ({reason}): surfaces are drawn plain white")]
    MaterialLibrary {
        /// As the file names it.
        name: String,
        reason: String,
    },
    /// Faces that name a material that no library defines.
    #[error(
        "{} (first: {first:?}): surfaces are drawn plain white", said(*.count, "material is used but not defined", "materials are used but not defined")
    )]
    UndefinedMaterials { count: u64, first: String },
    /// Lines of a material library, or options, that were not understood.
    #[error("{} (first: {first:?})", said(*.count, "line is not understood and is skipped", "lines are not understood and are skipped"))]
    Lines { count: u64, first: String },
    #[error("{}: names may differ", said(*.count, "line is not UTF-8 and is read as Latin-1", "lines are not UTF-8 and are read as Latin-1"))]
    NotUtf8 { count: u64 },
    #[error("{} more than 4 texture coordinate sets; the others are ignored", said(*.count, "primitive has", "primitives have"))]
    UvSets { count: u64 },
    #[error(
        "{}: these textures are not drawn", said(*.count, "primitive lacks texture coordinates that the textures of its material need", "primitives lack texture coordinates that the textures of their materials need")
    )]
    UvMissing { count: u64 },
    /// An extension, a statement or the like that is not drawn; see `docs/SUPPORT.md`.
    #[error("{what} {name} is not drawn: {effect}")]
    NotDrawn {
        /// `glTF extension`, `OBJ statement` and so on.
        what: &'static str,
        name: String,
        /// What the picture lacks.
        effect: &'static str,
    },
    /// A value outside what the format allows.
    #[error("{}", said(*.count, "material value is outside its range and is clamped", "material values are outside their range and are clamped"))]
    Clamped { count: u64 },
    #[error("{} {feature}, which is not drawn", said(*.count, "material uses", "materials use"))]
    MaterialFeature { feature: &'static str, count: u64 },
    /// A valid matrix is affine, and alone.
    #[error("{}: its first three rows are read and nothing else", said(*.count, "node has a matrix that is not affine, or one next to a translation, rotation or scale", "nodes have a matrix that is not affine, or one next to a translation, rotation or scale"))]
    NodeMatrix { count: u64 },
    /// Polygons that no triangles cover once, and those with too many corners.
    #[error(
        "{} (or with over {max} concave corners in all): the surface may overlap itself or have gaps", said(*.count, "polygon crosses itself", "polygons cross themselves"), max = super::limits::EAR_STEPS_MAX.isqrt()
    )]
    UncutPolygons { count: u64 },
    #[error("harmonics of degree 4 are left out: highlights are softer than in the file")]
    HarmonicsOfDegreeFour,
    #[error("{}", splats(*.dropped as u64, *.clamped as u64))]
    Splats { dropped: usize, clamped: usize },
    #[error("{count} more warnings are not listed: at most {max} are", max = NAMED_MAX)]
    Unlisted { count: u64 },
}

impl Warning {
    /// Whether a person needs only one: each of a hundred missing textures is a warning.
    pub fn is_like(&self, other: &Self) -> bool {
        let says_an_effect = matches!(self, Self::NotDrawn { .. } | Self::MaterialFeature { .. });
        !says_an_effect && std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Numbers that add up over warnings of one kind, if these are about the same.
    fn counts(&mut self) -> (Vec<&mut u64>, &'static str) {
        match self {
            Self::NoSurface { points, lines } => (vec![points, lines], ""),
            Self::NotFinite { triangles: count }
            | Self::Tint { count, .. }
            | Self::Degenerate { faces: count }
            | Self::UvSets { count }
            | Self::UvMissing { count }
            | Self::NotUtf8 { count }
            | Self::SrgbColors { count }
            | Self::NoSkinWeight { count }
            | Self::ColorRange { count, .. }
            | Self::ColorClamped { count }
            | Self::Lines { count, .. }
            | Self::Clamped { count }
            | Self::NodeMatrix { count }
            | Self::UncutPolygons { count }
            | Self::UndefinedMaterials { count, .. } => (vec![count], ""),
            Self::AttributeNotFinite { attribute: about, count }
            | Self::MaterialFeature { feature: about, count } => (vec![count], about),
            _ => (Vec::new(), ""),
        }
    }
}

/// Collects warnings. Equal ones come once, and counted ones of a kind are added up.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    list: Vec<Warning>,
    /// Those beyond [`NAMED_MAX`].
    num_unlisted: u64,
}

/// Of further warnings only their number is kept.
const NAMED_MAX: usize = 64;

impl Warnings {
    /// Adds `warning`, or adds its counts to one of the same kind.
    pub(super) fn add(&mut self, mut warning: Warning) {
        let kind = std::mem::discriminant(&warning);
        for known in self.list.iter_mut().filter(|known| std::mem::discriminant(*known) == kind) {
            let is_same = *known == warning;
            let ((totals, of), (counts, about)) = (known.counts(), warning.counts());
            if totals.is_empty() && is_same {
                return;
            }
            if !totals.is_empty() && of == about {
                totals.into_iter().zip(counts).for_each(|(total, count)| *total += *count);
                return;
            }
        }
        if self.list.len() < NAMED_MAX {
            self.list.push(warning);
        } else {
            self.num_unlisted += 1;
        }
    }

    /// Adds a counted warning when there is something to count.
    pub(super) fn count(&mut self, count: u64, warning: impl FnOnce(u64) -> Warning) {
        if count > 0 {
            self.add(warning(count));
        }
    }

    /// Triangles and faces that were dropped so far.
    pub(super) fn dropped(&self) -> u64 {
        self.list
            .iter()
            .map(|warning| match warning {
                Warning::NotFinite { triangles } => *triangles,
                Warning::Degenerate { faces } => *faces,
                _ => 0,
            })
            .sum()
    }

    /// Faces without area that were dropped so far.
    pub(super) fn degenerate(&self) -> u64 {
        let faces = |warning: &Warning| match warning {
            Warning::Degenerate { faces } => *faces,
            _ => 0,
        };
        self.list.iter().map(faces).sum()
    }

    /// In the order seen.
    pub(super) fn into_vec(self) -> Vec<Warning> {
        let count = self.num_unlisted;
        let unlisted = (count > 0).then_some(Warning::Unlisted { count });
        self.list.into_iter().chain(unlisted).collect()
    }
}
