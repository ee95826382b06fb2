// Primitives → the visibility buffer, in two phases: the nearest depth of each sample, then the
// first triangle that has it. A third phase lists transparent fragments.
//
// Each thread takes one primitive; large ones are put on a list, and walked by whole workgroups in
// blocks of 8×8 pixels.

struct Phase {
    phase: u32,
    pad_0: u32,
    pad_1: u32,
    pad_2: u32,
}

const PHASE_DEPTH: u32 = 0u;
const PHASE_TRIANGLE: u32 = 1u;
const PHASE_BLEND: u32 = 2u;

@group(1) @binding(0) var<uniform> phase: Phase;

// Rows of blocks of one large triangle are shared by this many workgroups.
const STRIPS: u32 = 8u;

@compute @workgroup_size(64)
fn clear(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>) {
    let pixel = id.y * count.x * 64u + id.x;
    if pixel >= drawing.num_pixels {
        return;
    }
    for (var k = 0u; k < 8u; k++) {
        atomicStore(&samples[pixel * 8u + k], NOTHING);
    }
    if (drawing.wanted & HAS_BLEND) != 0u {
        atomicStore(&heads[pixel], NOTHING);
    }
}

@compute @workgroup_size(64)
fn raster(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>) {
    let index = id.y * count.x * 64u + id.x;
    let job = id.z;
    if index >= drawing.num_triangles + jobs[job].num_clipped {
        return;
    }
    let primitive = primitive_of(job, index);
    if !primitive.is_whole || !takes_part(primitive.mesh) {
        return;
    }
    let setup = set_up(job, primitive);
    if !setup.is_visible {
        return;
    }
    let size = setup.high - setup.low;
    if !setup.is_small || size.x * size.y > SMALL_BOX {
        let place = atomicAdd(&counters[COUNT_LARGE], 1u);
        if place < drawing.large_max {
            large[place] = vec2<u32>(job, index);
            return;
        }
        // The list is full: slowly, then.
    }
    for (var y = setup.low.y; y < setup.high.y; y++) {
        for (var x = setup.low.x; x < setup.high.x; x++) {
            draw_pixel(job, primitive, setup, vec2<i32>(x, y));
        }
    }
}

@compute @workgroup_size(8, 8)
fn raster_large(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) num_groups: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let num_items = min(atomicLoad(&counters[COUNT_LARGE]), drawing.large_max) * STRIPS;
    for (var item = group.x; item < num_items; item += num_groups.x) {
        let entry = large[item / STRIPS];
        let primitive = primitive_of(entry.x, entry.y);
        let setup = set_up(entry.x, primitive);
        let first = setup.low.y + i32(item % STRIPS) * 8;
        for (var top = first; top < setup.high.y; top += i32(STRIPS) * 8) {
            for (var left = setup.low.x; left < setup.high.x; left += 8) {
                let pixel = vec2<i32>(left, top) + vec2<i32>(local.xy);
                if !is_block_outside(setup, vec2<i32>(left, top)) && all(pixel < setup.high) {
                    draw_pixel(entry.x, primitive, setup, pixel);
                }
            }
        }
    }
}

fn takes_part(mesh: u32) -> bool {
    return (meshes[mesh].alpha_pass == PASS_BLEND) == (phase.phase == PHASE_BLEND);
}

fn draw_pixel(job: u32, primitive: Primitive, setup: Setup, pixel: vec2<i32>) {
    let cover = cover_of(setup, pixel);
    if cover.mask == 0u {
        return;
    }
    let row = u32(pixel.y) - jobs[job].first_row;
    let place = jobs[job].first_pixel + row * drawing.width + u32(pixel.x);
    if phase.phase == PHASE_BLEND {
        collect(primitive, cover, place);
        return;
    }
    for (var s = 0u; s < 4u; s++) {
        if ((cover.mask >> s) & 1u) == 0u {
            continue;
        }
        // Depths are not negative, so they are ordered as their bits are.
        let depth = bitcast<u32>(cover.depth[s]);
        let found = atomicLoad(&samples[place * 8u + s]);
        let is_needed = select(depth == found, depth < found, phase.phase == PHASE_DEPTH);
        if !is_needed || is_cut_out(job, primitive, pixel, s) {
            continue;
        }
        if phase.phase == PHASE_DEPTH {
            atomicMin(&samples[place * 8u + s], depth);
        } else {
            atomicMin(&samples[place * 8u + 4u + s], primitive.triangle);
        }
    }
}

// Alpha MASK, for each sample by itself, so that cut-out edges are as smooth as others.
fn is_cut_out(job: u32, primitive: Primitive, pixel: vec2<i32>, sample: u32) -> bool {
    if meshes[primitive.mesh].alpha_pass != PASS_MASK {
        return false;
    }
    let point = vec2<f32>(pixel) + vec2<f32>(sample_place(sample)) / 256.0;
    return is_below_cutoff(job, primitive.triangle, point, sample);
}

// Adds fragments in front of the opaque samples to the pixel's list.
fn collect(primitive: Primitive, cover: Cover, place: u32) {
    var kept = 0u;
    var sum = 0.0;
    for (var s = 0u; s < 4u; s++) {
        let behind = atomicLoad(&samples[place * 8u + s]);
        if ((cover.mask >> s) & 1u) == 1u && bitcast<u32>(cover.depth[s]) <= behind {
            kept |= 1u << s;
            sum += cover.depth[s];
        }
    }
    if kept == 0u {
        return;
    }
    let node = atomicAdd(&counters[COUNT_NODES], 1u);
    if node >= drawing.nodes_max {
        return;
    }
    let next = atomicExchange(&heads[place], node);
    let half_opaque = meshes[primitive.mesh].flags & IS_HALF_OPAQUE;
    nodes[node] = Node(next, primitive.triangle, kept | half_opaque, sum / f32(countOneBits(kept)));
}
