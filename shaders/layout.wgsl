// What the host hands over: structures, buffers, and numbers that several files share.
// `src/render/gpu/layout.rs` holds the same structures; a test compares them. Constants in capitals
// that are not declared in any of these files are written by the host in front of them, from the
// CPU renderer's own.

const NOTHING: u32 = 0xffffffffu;
const UNREACHABLE: i32 = -2147483647 - 1;

// Which pass a mesh takes part in.
const PASS_OPAQUE: u32 = 0u;
const PASS_MASK: u32 = 1u;
const PASS_BLEND: u32 = 2u;

// Bits of `Mesh.flags`.
const HAS_NORMALS: u32 = 1u;
const HAS_TANGENTS: u32 = 2u;
const HAS_COLORS: u32 = 4u;
const IS_DOUBLE_SIDED: u32 = 8u;
const IS_UNLIT: u32 = 16u;
const IS_ALPHA_BLENDED: u32 = 32u;
const IS_HALF_OPAQUE: u32 = 64u;
const HAS_LAYERS: u32 = 128u;
const IS_SPECULAR_GLOSSINESS: u32 = 256u;

// Bits of `Drawing.wanted`.
const WANTS_RGB: u32 = 1u;
const WANTS_NORMAL: u32 = 2u;
const WANTS_MATTE: u32 = 4u;
const WANTS_UNLIT: u32 = 8u;
const HAS_BLEND: u32 = 16u;
const IS_TRANSPARENT: u32 = 32u;
const WANTS_DEPTHS: u32 = 64u;
const WANTS_MATERIAL: u32 = 128u;
const WANTS_Z: u32 = 256u;
const WANTS_PLACE: u32 = 512u;

// What all views share.
struct Drawing {
    // Linear; behind the object, and behind glass that has nothing behind it.
    background: vec4<f32>,
    behind: vec4<f32>,
    width: u32,
    height: u32,
    num_triangles: u32,
    // Of all jobs of this batch.
    num_pixels: u32,
    num_jobs: u32,
    // Most triangles and clipped parts that a job has.
    num_primitives: u32,
    wanted: u32,
    large_max: u32,
    nodes_max: u32,
    // Always 0, which the compiler does not know; see `apart`.
    zero: u32,
    // Into `floats`, or `NOTHING`.
    first_environment: u32,
    pad_1: u32,
}

// One view, or some rows of it.
struct Job {
    // Unit vectors; w is the light's strength.
    to_light: array<vec4<f32>, 3>,
    // Rows of screen-from-file.
    rows: array<vec4<f32>, 4>,
    // The eye relative to `center` and 1, or the direction towards the camera and 0.
    eye: vec4<f32>,
    center: vec4<f32>,
    normal_rows: array<vec4<f32>, 3>,
    // The camera's right, up and back.
    view_rows: array<vec4<f32>, 3>,
    // Into `screen`.
    first_vertex: u32,
    first_clipped: u32,
    num_clipped: u32,
    first_row: u32,
    num_rows: u32,
    // Into everything that is held per pixel.
    first_pixel: u32,
    // How many pixels along an edge become one of the picture.
    zoom: f32,
    pad: u32,
}

// A texture with the coordinates of a mesh.
struct Binding {
    texture: u32,
    // Of the mesh's first vertex, into `floats`.
    first_uv: u32,
    offset: vec2<f32>,
    // Row-major 2×2.
    linear: vec4<f32>,
}

struct Mesh {
    base_color: vec4<f32>,
    emissive: vec3<f32>,
    metallic: f32,
    roughness: f32,
    normal_scale: f32,
    occlusion_strength: f32,
    transmission: f32,
    cutoff: f32,
    alpha_pass: u32,
    flags: u32,
    first_vertex: u32,
    // Into `floats`.
    first_normal: u32,
    first_tangent: u32,
    first_color: u32,
    // First texture coordinates, if places are wanted and there are any.
    first_uv: u32,
    // Reflectance of the non-metallic part at normal incidence, before textures and strength.
    layer_f0: vec3<f32>,
    specular: f32,
    sheen_color: vec3<f32>,
    sheen_roughness: f32,
    coat: f32,
    coat_roughness: f32,
    coat_normal_scale: f32,
    glossiness: f32,
    // How often light that passes through is halved, before textures.
    halvings: vec3<f32>,
    iridescence: f32,
    // Index of refraction, least and most thickness in nanometres.
    film: vec3<f32>,
    pad: f32,
    // Strength of the grain, cosine and sine of its rotation.
    anisotropy: vec4<f32>,
    // By slot: FIRST_OF_LAYERS of every material, then NUM_OF_LAYERS.
    bindings: array<Binding, NUM_SLOTS>,
}

struct Texture {
    first_level: u32,
    num_levels: u32,
    // u, then v: 0 repeats, 1 is mirrored, 2 is clamped.
    wrap: vec2<u32>,
    is_srgb: u32,
    is_nearest: u32,
    pad_1: u32,
    pad_2: u32,
}

struct Level {
    // Which of the texel buffers, and where in it.
    page: u32,
    first: u32,
    width: i32,
    height: i32,
}

// A transparent fragment in the list of its pixel.
struct Node {
    next: u32,
    triangle: u32,
    // Four bits of coverage, and `IS_HALF_OPAQUE`.
    covered: u32,
    depth: f32,
}

@group(0) @binding(0) var<uniform> drawing: Drawing;
@group(0) @binding(1) var<storage, read> jobs: array<Job>;
@group(0) @binding(2) var<storage, read> meshes: array<Mesh>;
// Three vertices and the mesh.
@group(0) @binding(3) var<storage, read> triangles: array<vec4<u32>>;
// Per job its vertices (x, y in sub-pixels, z, w), then its clipped parts: three vertices and the
// triangle each.
@group(0) @binding(4) var<storage, read> screen: array<vec4<u32>>;
// Positions of all vertices, then the other data of the meshes.
@group(0) @binding(5) var<storage, read> floats: array<f32>;
@group(0) @binding(6) var<storage, read> textures: array<Texture>;
@group(0) @binding(7) var<storage, read> levels: array<Level>;
@group(0) @binding(8) var<storage, read> page_0: array<u32>;
@group(0) @binding(9) var<storage, read> page_1: array<u32>;
@group(0) @binding(10) var<storage, read> page_2: array<u32>;
@group(0) @binding(11) var<storage, read> page_3: array<u32>;
// Linear light of each sRGB byte, then the sRGB byte of each step of linear light, four a word.
@group(0) @binding(12) var<storage, read> tables: array<u32>;
// Per pixel four depths, then four triangles.
@group(0) @binding(13) var<storage, read_write> samples: array<atomic<u32>>;
// Per pixel its first transparent fragment.
@group(0) @binding(14) var<storage, read_write> heads: array<atomic<u32>>;
@group(0) @binding(15) var<storage, read_write> nodes: array<Node>;
// Job and primitive.
@group(0) @binding(16) var<storage, read_write> large: array<vec2<u32>>;
// How many large primitives and how many nodes there are, or would be.
@group(0) @binding(17) var<storage, read_write> counters: array<atomic<u32>, 2>;
// One word a pixel and plane; see resolve.wgsl.
@group(0) @binding(18) var<storage, read_write> planes: array<u32>;

const COUNT_LARGE: u32 = 0u;
const COUNT_NODES: u32 = 1u;

// A product or sum that is rounded by itself. Compilers may fuse a product into the addition that
// follows, which rounds once instead of twice and so decides other depths than the CPU; they cannot
// look through an unknown zero.
fn apart(value: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(value) ^ drawing.zero);
}

fn floats3(at: u32) -> vec3<f32> {
    return vec3<f32>(floats[at], floats[at + 1u], floats[at + 2u]);
}

fn position_of(vertex: u32) -> vec3<f32> {
    return floats3(vertex * 3u);
}
