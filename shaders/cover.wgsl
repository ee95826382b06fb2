// Triangles → which samples they cover, and how deep there: the arithmetic of `cpu/raster.rs`, bit
// for bit.
//
// Coordinates are on the lattice of 1/256 pixel, within ±2²² of it. Where 32 bits do not suffice,
// numbers are split into limbs of 12 bits.

// Boxes of at most this many pixels are walked by one thread.
const SMALL_BOX: i32 = 256;
// Triangles up to this many pixels wide and high have 32-bit edge functions: (64 · 256)² · 2 < 2³¹.
const SMALL_PX: i32 = 64;

struct Primitive {
    corners: array<vec4<u32>, 3>,
    triangle: u32,
    mesh: u32,
    // False for a triangle that reaches behind the camera or far outside: its clipped parts replace
    // it.
    is_whole: bool,
}

fn primitive_of(job: u32, index: u32) -> Primitive {
    var out: Primitive;
    if index < drawing.num_triangles {
        let triangle = triangles[index];
        let first = jobs[job].first_vertex;
        out.corners[0] = screen[first + triangle.x];
        out.corners[1] = screen[first + triangle.y];
        out.corners[2] = screen[first + triangle.z];
        out.triangle = index;
        out.mesh = triangle.w;
        let nowhere = bitcast<u32>(UNREACHABLE);
        out.is_whole = out.corners[0].x != nowhere && out.corners[1].x != nowhere && out.corners[2].x != nowhere;
    } else {
        let first = jobs[job].first_clipped + (index - drawing.num_triangles) * 4u;
        out.corners[0] = screen[first];
        out.corners[1] = screen[first + 1u];
        out.corners[2] = screen[first + 2u];
        out.triangle = screen[first + 3u].x;
        out.mesh = triangles[out.triangle].w;
        out.is_whole = true;
    }
    return out;
}

// A triangle ready to be walked.
struct Setup {
    // Corners with positive area on the y-down screen.
    points: array<vec2<i32>, 3>,
    // Depth at `origin`, and its change per sub-pixel.
    origin: vec2<i32>,
    z: f32,
    dz: vec2<f32>,
    // First pixel, and one past the last.
    low: vec2<i32>,
    high: vec2<i32>,
    // False where it faces away, has no area or covers no sample of the job.
    is_visible: bool,
    // Whether 32-bit edge functions suffice.
    is_small: bool,
}

// a · b + c · d = x · 2²⁴ + y, with y in 0..2²⁴; for numbers below 2²³.
fn sum_of_products(a: i32, b: i32, c: i32, d: i32) -> vec2<i32> {
    let high = (a >> 12u) * (b >> 12u) + (c >> 12u) * (d >> 12u);
    let middle = (a >> 12u) * (b & 4095) + (a & 4095) * (b >> 12u) + (c >> 12u) * (d & 4095) + (c & 4095) * (d >> 12u);
    let low = (a & 4095) * (b & 4095) + (c & 4095) * (d & 4095);
    let carried = middle + (low >> 12u);
    return vec2<i32>(high + (carried >> 12u), ((carried & 4095) << 12u) | (low & 4095));
}

// x · 2²⁴ + y, not negative, to the nearest float; ties to even.
fn float_of(wide: vec2<i32>) -> f32 {
    if wide.x == 0 {
        return f32(wide.y);
    }
    let bits = 32u - countLeadingZeros(u32(wide.x));
    let kept = (u32(wide.x) << (24u - bits)) | (u32(wide.y) >> bits);
    let rest = u32(wide.y) & ((1u << bits) - 1u);
    let half = 1u << (bits - 1u);
    let rounds_up = rest > half || (rest == half && (kept & 1u) == 1u);
    return f32(kept + u32(rounds_up)) * f32(1u << bits);
}

// 1 / x to the nearest float, for x ≥ 1: GPUs divide a little off.
fn reciprocal(x: f32) -> f32 {
    let exponent = i32(bitcast<u32>(x) >> 23u) - 127;
    let mantissa = (bitcast<u32>(x) & 0x7fffffu) | 0x800000u;
    if mantissa == 0x800000u {
        return bitcast<f32>(u32(127 - exponent) << 23u);
    }
    // 2⁴⁷ ÷ mantissa is between 2²³ and 2²⁴. The remainder is small, so it is right modulo 2³²,
    // where 2⁴⁷ is 0.
    var quotient = u32(140737488355328.0 / f32(mantissa));
    var rest = bitcast<i32>(0u - quotient * mantissa);
    let step = i32(mantissa);
    for (var k = 0; k < 16 && rest < 0; k++) {
        quotient -= 1u;
        rest += step;
    }
    for (var k = 0; k < 16 && rest >= step; k++) {
        quotient += 1u;
        rest -= step;
    }
    if 2 * rest >= step {
        quotient += 1u;
    }
    return bitcast<f32>((u32(126 - exponent) << 23u) | (quotient & 0x7fffffu));
}

fn set_up(job: u32, primitive: Primitive) -> Setup {
    var out: Setup;
    let c = primitive.corners;
    let v0 = bitcast<vec2<i32>>(c[0].xy);
    let v1 = bitcast<vec2<i32>>(c[1].xy);
    let v2 = bitcast<vec2<i32>>(c[2].xy);
    let a = v1 - v0;
    let b = v2 - v0;
    var area = sum_of_products(a.x, b.y, -a.y, b.x);
    // Counter-clockwise to the eye is negative on a y-down screen.
    let is_front = area.x < 0;
    let is_double_sided = (meshes[primitive.mesh].flags & IS_DOUBLE_SIDED) != 0u;
    if (area.x == 0 && area.y == 0) || (!is_front && !is_double_sided) {
        return out;
    }
    // First and one past the last pixel that has a sample within the box: samples are 32 to 224
    // sub-pixels into a pixel.
    let lowest = min(v0, min(v1, v2));
    let highest = max(v0, max(v1, v2));
    let first_row = i32(jobs[job].first_row);
    let past_row = first_row + i32(jobs[job].num_rows);
    out.low = max((lowest + vec2<i32>(31)) >> vec2<u32>(8u), vec2<i32>(0, first_row));
    out.high = min(((highest - vec2<i32>(32)) >> vec2<u32>(8u)) + vec2<i32>(1), vec2<i32>(i32(drawing.width), past_row));
    if out.low.x >= out.high.x || out.low.y >= out.high.y {
        return out;
    }
    out.is_visible = true;
    let spread = highest - lowest;
    out.is_small = max(spread.x, spread.y) <= SMALL_PX * 256;
    if is_front {
        out.points = array<vec2<i32>, 3>(v0, v2, v1);
        area = select(vec2<i32>(-area.x - 1, 0x1000000 - area.y), vec2<i32>(-area.x, 0), area.y == 0);
    } else {
        out.points = array<vec2<i32>, 3>(v0, v1, v2);
    }
    var inverse_area = reciprocal(float_of(area));
    inverse_area = select(inverse_area, -inverse_area, is_front);
    out.origin = v0;
    out.z = bitcast<f32>(c[0].z);
    let dz1 = apart(bitcast<f32>(c[1].z) - out.z);
    let dz2 = apart(bitcast<f32>(c[2].z) - out.z);
    out.dz.x = apart(apart(apart(dz1 * f32(b.y)) - apart(dz2 * f32(a.y))) * inverse_area);
    out.dz.y = apart(apart(apart(dz2 * f32(a.x)) - apart(dz1 * f32(b.x))) * inverse_area);
    return out;
}

// Whether a point, in sub-pixels, is on the inner side of the edge between two corners. On the edge
// itself only if that is a top or a left one: positive area on a y-down screen is clockwise to the
// eye, so a top edge runs right and a left edge runs up.
fn is_inside(start: vec2<i32>, end: vec2<i32>, at: vec2<i32>, fits_32_bits: bool) -> bool {
    let a = start.y - end.y;
    let b = end.x - start.x;
    let d = at - start;
    let is_top_left = a > 0 || (a == 0 && b > 0);
    if fits_32_bits {
        let value = a * d.x + b * d.y;
        return value > 0 || (value == 0 && is_top_left);
    }
    let value = sum_of_products(a, d.x, b, d.y);
    return value.x > 0 || (value.x == 0 && (value.y > 0 || is_top_left));
}

// Whether no sample of the 8×8 pixels from `pixel` on can be inside: for one edge even the best
// corner is outside.
fn is_block_outside(setup: Setup, pixel: vec2<i32>) -> bool {
    let points = setup.points;
    let low = pixel * 256 + vec2<i32>(32);
    let high = low + vec2<i32>(7 * 256 + 192);
    return is_edge_beyond(points[1], points[2], low, high) || is_edge_beyond(points[2], points[0], low, high)
        || is_edge_beyond(points[0], points[1], low, high);
}

fn is_edge_beyond(start: vec2<i32>, end: vec2<i32>, low: vec2<i32>, high: vec2<i32>) -> bool {
    let best = vec2<i32>(select(low.x, high.x, start.y > end.y), select(low.y, high.y, end.x > start.x));
    return !is_inside(start, end, best, false);
}

fn sample_place(sample: u32) -> vec2<i32> {
    return vec2<i32>(i32((SAMPLES_X >> (sample * 8u)) & 255u), i32((SAMPLES_Y >> (sample * 8u)) & 255u));
}

fn depth_at(setup: Setup, pixel: vec2<i32>, sample: u32) -> f32 {
    let d = vec2<f32>(pixel * 256 - setup.origin);
    let base = apart(apart(setup.z + apart(setup.dz.x * d.x)) + apart(setup.dz.y * d.y));
    let place = vec2<f32>(sample_place(sample));
    return apart(apart(base + apart(place.x * setup.dz.x)) + apart(place.y * setup.dz.y));
}

// Bit s is set where sample s of the pixel is covered; its depth is in 0..1 and in `depth`.
struct Cover {
    mask: u32,
    depth: vec4<f32>,
}

fn cover_of(setup: Setup, pixel: vec2<i32>) -> Cover {
    var out: Cover;
    let points = setup.points;
    for (var s = 0u; s < 4u; s++) {
        let at = pixel * 256 + sample_place(s);
        if is_inside(points[1], points[2], at, setup.is_small) && is_inside(points[2], points[0], at, setup.is_small)
            && is_inside(points[0], points[1], at, setup.is_small) {
            let depth = depth_at(setup, pixel, s);
            if depth >= 0.0 && depth <= 1.0 {
                out.mask |= 1u << s;
                // −0 and 0 are one depth.
                out.depth[s] = select(depth, 0.0, depth == 0.0);
            }
        }
    }
    return out;
}
