//! The vocabulary of measurements.

use serde::Serialize;

/// Everything that is known about an asset without looking at it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeshFacts {
    pub counts: Counts,
    /// Where and how large, in the file's units.
    pub extent: Extent,
    /// Every edge has exactly two faces that agree on the direction: the surface encloses a volume.
    pub is_watertight: bool,
    pub edges: EdgeFacts,
    pub holes: HoleFacts,
    pub parts: PartFacts,
    pub shape: ShapeFacts,
    #[serde(rename = "bends")] // the name in rows, from before this type was named for its angles
    pub dihedral: DihedralFacts,
    /// Roughness at the finest scale.
    pub noise: Noise,
    /// Colour carried by the surface.
    pub texture: TextureFacts,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Triangles with an area.
    pub triangles: usize,
    /// Vertices as loaded: one for each position, normal and texture coordinate that meet, in each
    /// mesh; of faces seen from each side, one for each.
    pub vertices: usize,
    pub welded_vertices: usize,
    pub meshes: usize,
    pub materials: usize,
    pub textures: usize,
    /// Triangles of the file without an area, which are left out.
    pub degenerate_triangles: usize,
    /// Triangles with the three positions of an earlier one, in any order.
    pub duplicate_triangles: usize,
}

/// Axis-aligned box in the file's units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Extent {
    /// In the file's units.
    pub min: [f32; 3],
    pub max: [f32; 3],
    /// Length of the box's diagonal: the unit of every relative length here.
    pub diagonal: f64,
}

/// Edges of triangles with three distinct positions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct EdgeFacts {
    pub total: usize,
    pub boundary: usize,
    /// With three faces or more.
    pub non_manifold: usize,
    /// With two faces that run the same way along it: one of them is turned inside out.
    pub inconsistent: usize,
}

/// An opening: boundary edges that hang together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hole {
    pub edges: usize,
    /// Length around it, relative to the diagonal.
    pub perimeter: f64,
    /// Area of a flat lid (the length of its vector area), relative to the surface.
    pub area_share: f64,
}

/// Openings. An open sheet has one around itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HoleFacts {
    pub count: usize,
    /// Length around all of them, relative to the diagonal.
    pub perimeter: f64,
    /// The same without meshes that alpha cuts out: a leaf on a card is open by intent.
    pub solid_perimeter: f64,
    /// Lids of all of them, relative to the surface; may exceed 1.
    pub area_share: f64,
    /// The longest, longest first, at most [`HoleFacts::LISTED_MAX`].
    pub largest: Vec<Hole>,
}

impl HoleFacts {
    /// More are counted but not listed.
    pub const LISTED_MAX: usize = 16;
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartFacts {
    /// Pieces connected by shared positions.
    pub components: usize,
    /// Area shares of the largest pieces, largest first, at most [`PartFacts::LISTED_MAX`].
    pub component_area_shares: Vec<f64>,
    /// Groups of pieces with a gap around them (about 3 % of the diagonal; pieces that touch or
    /// interpenetrate are one group).
    pub groups: usize,
    /// Groups too small to be an object: under [`PartFacts::FLOATER_SHARE`] of the surface.
    pub floaters: usize,
    /// Area of all floaters, relative to the surface.
    pub floater_area_share: f64,
    /// False if self-overlap forced a coarse search for gaps: more groups and floaters may exist.
    pub is_complete: bool,
}

impl PartFacts {
    /// More pieces are counted but not listed.
    pub const LISTED_MAX: usize = 16;
    /// A separate group under this share of the surface is a floater: a sphere a quarter as wide as
    /// its neighbour has 1/17 of the area.
    pub const FLOATER_SHARE: f64 = 0.06;
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShapeFacts {
    /// Area of all triangles, in the file's units squared.
    pub surface_area: f64,
    /// Enclosed volume in file units cubed; negative if inside out; `None` unless watertight.
    pub volume: Option<f64>,
    /// Smallest ÷ largest extent along the principal axes, 0 (a sheet) to 1.
    pub thickness: f64,
    /// Middle ÷ largest extent, 0 (a line) to 1.
    pub width: f64,
    /// Flat upward area close to the ground (within 6 % of the diagonal, at most 30 % of the
    /// height), relative to the footprint of the part above: about 1 or more is a ground slab.
    pub ground_slab: f64,
}

/// Dihedral angles of regular edges (two triangles): how sharply and which way the surface turns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DihedralFacts {
    /// Length times angle (radians) over all edges, signs ignored, relative to the diagonal.
    pub total: f64,
    /// Share of `total` that bends inwards.
    pub inward_share: f64,
    /// Share of `total` at edges of 3° to 60°: neither flat nor a corner.
    pub round_share: f64,
    /// Length of edges sharper than 45°, relative to the diagonal.
    pub crease_length: f64,
    /// Area share of triangles that face along an axis.
    pub on_axis_share: f64,
}

/// Roughness at triangle scale: how far a vertex's bend is from its neighbours' mean bend.
///
/// A sphere, a cylinder and a plane have 0; a wobble from vertex to vertex is seen whole. Only
/// where triangles are small.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Noise {
    /// Area share of triangles small enough to carry noise (edges under 4 % of the diagonal).
    pub fine_area_share: f64,
    /// Area-weighted mean over that part.
    pub mean_degrees: f64,
    /// Area-weighted median over that part: creases, which are rare, do not move it.
    pub median_degrees: f64,
    /// Mean bend at edges of that part, signs ignored; compare `mean_degrees` with it.
    pub bend_degrees: f64,
    /// Area share of triangles whose vertex normals point to the other side.
    pub opposed_normals_share: f64,
}

/// Colour carried by the surface.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextureFacts {
    /// Area share that has a base colour texture and coordinates for it.
    pub textured_area_share: f64,
    /// Texels along the diagonal if spread evenly over the textured area; 0 without texture.
    pub texels_per_diagonal: f64,
    /// Area share of textured triangles with a coordinate outside 0..1 (before wrapping).
    pub uv_outside_share: f64,
    /// Area share of textured triangles without extent in the texture: one smeared texel or line.
    pub uv_collapsed_share: f64,
    /// Some vertex colour is not white.
    pub has_vertex_colors: bool,
}

/// What takes longer to find out, and what the `probe` judge does not read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QualityFacts {
    pub manifold: ManifoldFacts,
    /// Triangles that pass through each other.
    pub crossings: CrossingFacts,
    pub triangles: TriangleFacts,
    /// `None` without texture coordinates.
    pub uv: Option<UvFacts>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ManifoldFacts {
    /// No edge has more than two faces.
    pub is_edge_manifold: bool,
    /// The faces at each vertex are one fan.
    pub is_vertex_manifold: bool,
    /// Vertices with more than one fan.
    pub split_vertices: usize,
    /// Vertices − edges + faces; 2 for each closed piece without a handle, 2 less for each handle.
    pub euler: i64,
}

/// What makes an asset hard to use or to print.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReadyFacts {
    /// Edges with two faces whose normals differ by 90° or more.
    pub hard_edges: usize,
    pub wall: WallFacts,
    pub shells: ShellFacts,
    pub overhang: OverhangFacts,
    /// `None` without texture coordinates.
    pub charts: Option<ChartFacts>,
    /// In the order of the scene's meshes.
    #[serde(skip)]
    pub meshes: Vec<MeshFaults>,
}

/// How much of each fault a mesh has.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeshFaults {
    pub boundary: usize,
    pub non_manifold: usize,
    pub inconsistent: usize,
    pub hard: usize,
    /// Areas in the file's units squared.
    pub thin: f64,
    pub hidden: f64,
    pub overhang: f64,
}

/// Distances from points of the surface straight inwards to where the solid ends. Solids that
/// overlap are one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WallFacts {
    /// Area share that has an end behind it; a sheet has none.
    pub backed_share: f64,
    /// 1 % quantile by area, in the file's units.
    pub thinnest: Option<f64>,
    pub median: Option<f64>,
    /// Area share with a wall under 1 % of the diagonal.
    pub thin_share: f64,
    /// The same under 0.5 %.
    pub very_thin_share: f64,
    /// False if so much is in one place that too many points were left out.
    pub is_complete: bool,
}

/// Surface from which none of 64 directions leads out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShellFacts {
    /// Area share.
    pub hidden_share: f64,
    /// Closed pieces that are hidden everywhere and face outwards: a second wall inside the first.
    pub inner_shells: usize,
    /// The same that face inwards: a hollow without a way out.
    pub cavities: usize,
    pub is_complete: bool,
}

/// With y up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OverhangFacts {
    /// Area share that faces down by more than 45° and is not on the bed.
    pub area_share: f64,
    /// Area on the bed ÷ the footprint of the box.
    pub bed_share: f64,
    /// Under overhangs down to the bed, in the file's units cubed.
    pub support_volume: f64,
}

/// Pieces of the texture's map that share a vertex.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChartFacts {
    pub count: usize,
    /// The least distance of two charts of one texture, in sides of the texture, at most 1/64; 0
    /// where they overlap.
    pub gap: f64,
    /// The same in texels of base colour textures, by their shorter side.
    pub gap_texels: Option<f64>,
}

/// Pairs of triangles without a common vertex that intersect in a segment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CrossingFacts {
    pub pairs: usize,
    /// In at least one pair.
    pub triangles: usize,
    /// Area of these, relative to the surface.
    pub area_share: f64,
    /// False if so many triangles are in one place that not all pairs were tested: there are more.
    pub is_complete: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TriangleFacts {
    /// 4 √3 area ÷ sum of squared lengths, 0 to 1 (equilateral).
    pub mean_ratio_median: f64,
    pub min_angle_degrees_median: f64,
    /// Share of triangles with an angle under [`TriangleFacts::NEEDLE_DEGREES`].
    pub needle_share: f64,
}

impl TriangleFacts {
    pub const NEEDLE_DEGREES: f64 = 1.0;
}

/// Quality of texture coordinates on the surface.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UvFacts {
    /// Area share of triangles with an extent in the texture.
    pub mapped_area_share: f64,
    /// L2 stretch (Sander et al. 2001) of coordinates scaled to the surface's area: 1 is none.
    pub stretch_l2: f64,
    /// Area-weighted mean of the larger over the smaller singular value: 1 keeps angles.
    pub anisotropy_mean: f64,
    /// Area share that is mirrored in the texture.
    pub flipped_area_share: f64,
    /// Share of the used texture that more than one triangle uses, in cells of 1/1024.
    pub overlap_share: f64,
    /// False if triangles take too many cells to count all: there may be more overlap.
    pub overlap_is_complete: bool,
    /// Area-weighted median of texels along a unit of the file; `None` without a texture.
    pub texels_per_unit: Option<f64>,
    /// 90 % quantile of that over the 10 % quantile: 1 is even.
    pub texel_spread: Option<f64>,
}
