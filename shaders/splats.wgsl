// The splats of each tile → its pixels, blended from front to back:
// crates/splat/src/render/tile.rs. One workgroup is a tile, one thread a pixel.

struct View {
    width: u32,
    height: u32,
    columns: u32, // tiles in a row
    // Floats of a pixel in `pixels`: 4, or 9 with depths and normal.
    stride: u32,
    has_surfaces: u32,
    pad_0: u32,
    pad_1: u32,
    pad_2: u32,
}

@group(0) @binding(0) var<uniform> view: View;
// Four for each splat: see Lists in crates/splat/src/render/lists.rs.
@group(0) @binding(1) var<storage, read> splats: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read> surfaces: array<f32>;
@group(0) @binding(5) var<storage, read_write> pixels: array<f32>;

// Splats that a tile loads together, a vector for each thread.
const BLOCK: u32 = 64u;

var<workgroup> block: array<vec4<f32>, 256>;
var<workgroup> num_live: atomic<u32>;
var<workgroup> goes_on: u32;

// 2^-e for e of 0 or more; the same polynomial as on the CPU.
fn exp2_of_minus(e: f32) -> f32 {
    let x = max(-e, -24.0);
    let whole = round(x);
    let f = x - whole;
    var series = (0.0013390863 * f + 0.009676032) * f + 0.05550357;
    series = ((series * f + 0.24022107) * f + 0.6931471805599453) * f + 1.0;
    return bitcast<f32>(bitcast<u32>(series) + (bitcast<u32>(i32(whole)) << 23u));
}

@compute @workgroup_size(16, 16)
fn blend(
    @builtin(workgroup_id) tile: vec3<u32>,
    @builtin(local_invocation_id) within: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let at = tile.xy * 16u + within.xy;
    let is_inside = at.x < view.width && at.y < view.height;
    let pixel = at.y * view.width + at.x;
    let center = vec2<f32>(at) + 0.5;
    var farthest = 3.4028234e38;
    if is_inside && view.has_surfaces != 0u {
        farthest = surfaces[pixel];
    }
    var light = 1.0;
    var is_live = is_inside;
    var rgb = vec3<f32>(0.0);
    var depth = 0.0;
    var median = 0.0;
    var normal = vec3<f32>(0.0);

    let number = tile.y * view.columns + tile.x;
    let end = starts[number + 1u];
    for (var first = starts[number]; first < end; first += BLOCK) {
        atomicStore(&num_live, 0u);
        workgroupBarrier();
        atomicAdd(&num_live, select(0u, 1u, is_live));
        let mine = first + thread / 4u;
        if mine < end {
            block[thread] = splats[places[mine] * 4u + thread % 4u];
        }
        workgroupBarrier();
        if thread == 0u {
            goes_on = atomicLoad(&num_live);
        }
        if workgroupUniformLoad(&goes_on) == 0u {
            break;
        }
        let count = min(BLOCK, end - first);
        for (var k = 0u; k < count && is_live; k++) {
            let shape = block[k * 4u];
            let rest = block[k * 4u + 1u];
            let away = center - shape.xy;
            let u = shape.z * away.x + shape.w * away.y;
            let alpha = min(rest.y * exp2_of_minus(u * u + rest.x * away.y * away.y), ALPHA_MAX);
            let color = block[k * 4u + 2u];
            if alpha < ALPHA_MIN || color.y >= farthest {
                continue;
            }
            let passed = light * (1.0 - alpha);
            if passed < LIGHT_MIN {
                is_live = false;
                continue;
            }
            let weight = alpha * light;
            rgb += weight * vec3<f32>(rest.zw, color.x);
            depth += weight * color.y;
            normal += weight * block[k * 4u + 3u].xyz;
            if light > 0.5 && passed <= 0.5 {
                median = color.y;
            }
            light = passed;
        }
        workgroupBarrier();
    }
    if !is_inside {
        return;
    }
    let out = pixel * view.stride;
    let alpha = 1.0 - light;
    pixels[out] = rgb.x;
    pixels[out + 1u] = rgb.y;
    pixels[out + 2u] = rgb.z;
    pixels[out + 3u] = alpha;
    if view.stride == 9u {
        let length_squared = dot(normal, normal);
        if length_squared > 0.0 {
            normal = normal / sqrt(length_squared);
        }
        pixels[out + 4u] = select(0.0, depth / alpha, alpha > 0.0);
        pixels[out + 5u] = median;
        pixels[out + 6u] = normal.x;
        pixels[out + 7u] = normal.y;
        pixels[out + 8u] = normal.z;
    }
}
