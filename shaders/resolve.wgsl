// The visibility buffer and the lists of transparent fragments → words that the host unpacks into
// pictures.
//
// Plane 0 holds depth (low 16 bits) and coverage in 1/65532 (high 16 bits); then come colour,
// normal and clay, as far as they are wanted, one byte a component from the lowest; where pictures
// may be refined, the depth of opaque surfaces, nearest of the four samples (low 16 bits) and
// farthest: 65535 for nothing; and those of `write_extra`.

// What one sample holds while transparent surfaces are laid over it. Colour is premultiplied and
// scene-referred.
struct Layer {
    color: vec3<f32>,
    matte: f32,
    normal: vec3<f32>,
    alpha: f32,
    unlit: f32,
}

// Sums over the samples of a pixel; linear, display-referred.
struct Sum {
    color: vec3<f32>,
    matte: f32,
    // (n + 1) / 2, times coverage.
    normal: vec3<f32>,
    coverage: f32,
}

// Material and normals, times coverage; as `Made` of `cpu/extra_sums.rs`.
struct Made {
    base_color: vec3<f32>,
    alpha: f32,
    emissive: vec3<f32>,
    covered: f32,
    // Roughness and metallic.
    surface: vec2<f32>,
    // In the camera, shading normal in the world, shading normal in the camera.
    normals: array<vec3<f32>, 3>,
}

// The point shown nearest to the pixel's centre; `part` is 0 where nothing is.
struct Place {
    position: vec3<f32>,
    part: u32,
    uv: vec2<f32>,
}

fn made_of(job: u32, extra: Extra) -> Made {
    var out: Made;
    out.base_color = extra.base_color;
    out.alpha = 1.0;
    out.emissive = extra.emissive;
    out.covered = 1.0;
    out.surface = vec2<f32>(extra.roughness, extra.metallic);
    out.normals[0] = turned_normal(jobs[job].view_rows, extra.normal);
    out.normals[1] = turned_normal(jobs[job].normal_rows, extra.shading_normal);
    out.normals[2] = turned_normal(jobs[job].view_rows, extra.shading_normal);
    return out;
}

fn made_plus(made: Made, other: Made, weight: f32) -> Made {
    var out = made;
    out.base_color += other.base_color * weight;
    out.alpha += other.alpha * weight;
    out.emissive += other.emissive * weight;
    out.covered += other.covered * weight;
    out.surface += other.surface * weight;
    for (var k = 0u; k < 3u; k++) {
        out.normals[k] += other.normals[k] * weight;
    }
    return out;
}

// Porter & Duff's over.
fn made_over(below: Made, above: Made, alpha: f32) -> Made {
    var out: Made;
    out = made_plus(out, below, 1.0 - alpha);
    out = made_plus(out, above, alpha);
    out.covered = 1.0;
    return out;
}

@compute @workgroup_size(8, 8)
fn resolve(@builtin(global_invocation_id) id: vec3<u32>) {
    let job = id.z;
    if id.x >= drawing.width || id.y >= jobs[job].num_rows {
        return;
    }
    let at = jobs[job].first_pixel + id.y * drawing.width + id.x;
    let pixel = vec2<i32>(i32(id.x), i32(id.y + jobs[job].first_row));
    var ids: array<u32, 4>;
    var nearest = NOTHING;
    var farthest = 0u;
    // The surface shown at each sample, for the place of the pixel.
    var front: Front;
    front.triangle = vec4<u32>(NOTHING);
    for (var s = 0u; s < 4u; s++) {
        ids[s] = atomicLoad(&samples[at * 8u + 4u + s]);
        let depth = select(NOTHING, atomicLoad(&samples[at * 8u + s]), ids[s] != NOTHING);
        nearest = min(nearest, depth);
        farthest = max(farthest, depth);
        front.triangle[s] = ids[s];
        front.depth[s] = bitcast<f32>(depth);
    }
    let depths = depth_steps(nearest) | (depth_steps(farthest) << 16u);
    var head = NOTHING;
    if (drawing.wanted & HAS_BLEND) != 0u {
        head = atomicLoad(&heads[at]);
    }
    var above = vec4<u32>(NOTHING);
    for (var node = head; node != NOTHING; node = nodes[node].next) {
        for (var s = 0u; s < 4u; s++) {
            let shows = (nodes[node].covered & IS_HALF_OPAQUE) != 0u && ((nodes[node].covered >> s) & 1u) == 1u;
            if shows && (above[s] == NOTHING || lies_below(above[s], node)) {
                above[s] = node;
                front.triangle[s] = nodes[node].triangle;
                front.depth[s] = nodes[node].depth;
            }
        }
    }
    let centered = centered_of(front);

    let is_blending = head != NOTHING;
    var sum: Sum;
    var layers: array<Layer, 4>;
    var made: Made;
    var samples_made: array<Made, 4>;
    var place: Place;
    // Opaque samples that are done, then the transparent fragment that was laid over last.
    var seen = 0u;
    var last = NOTHING;
    loop {
        var covered = 0u;
        var triangle = NOTHING;
        for (var s = 0u; s < 4u; s++) {
            let is_open = ((seen >> s) & 1u) == 0u && ids[s] != NOTHING;
            if is_open && (triangle == NOTHING || triangle == ids[s]) {
                triangle = ids[s];
                covered |= 1u << s;
            }
        }
        seen |= covered;
        if covered == 0u {
            last = next_fragment(head, last);
            if last == NOTHING {
                break;
            }
            covered = nodes[last].covered & 15u;
            triangle = nodes[last].triangle;
        }
        let point = point_of(job, pixel, covered, triangle);
        let shaded = shade_fragment(job, point, is_blending);
        if (drawing.wanted & WANTS_MATERIAL) != 0u {
            let extra = extra_of(point);
            let one = made_of(job, extra);
            if is_blending {
                for (var s = 0u; s < 4u; s++) {
                    if ((covered >> s) & 1u) == 1u {
                        samples_made[s] = made_over(samples_made[s], one, extra.alpha);
                    }
                }
            } else {
                made = made_plus(made, one, f32(countOneBits(covered)) * 0.25);
            }
        }
        if triangle == centered.triangle {
            place.position = point.position;
            if (drawing.wanted & WANTS_PLACE) != 0u {
                place.uv = first_uv_of(point);
            }
            place.part = point.mesh + 1u;
        }
        let normal = encoded_normal(job, shaded.normal);
        if is_blending {
            for (var s = 0u; s < 4u; s++) {
                if ((covered >> s) & 1u) == 1u {
                    layers[s] = over(layers[s], shaded, normal);
                }
            }
        } else {
            let weight = f32(countOneBits(covered)) * 0.25;
            sum.color += shaded.color * weight;
            sum.normal += normal * weight;
            sum.matte += shaded.matte * weight;
            sum.coverage += weight;
        }
    }
    if is_blending {
        for (var s = 0u; s < 4u; s++) {
            add_layer(&sum, layers[s]);
        }
    }
    if is_blending {
        for (var s = 0u; s < 4u; s++) {
            made = made_plus(made, samples_made[s], 0.25);
        }
    }
    let next = write(at, sum, centered.depth, depths);
    write_extra(next, made, centered.depth, place);
}

// Triangle and depth at each sample.
struct Front {
    triangle: vec4<u32>,
    depth: vec4<f32>,
}

// A triangle, and the bits of its depth: `NOTHING` where nothing is.
struct Centered {
    triangle: u32,
    depth: u32,
}

// As `centered` of `cpu/resolve.rs`.
fn centered_of(front: Front) -> Centered {
    var best = Centered(NOTHING, NOTHING);
    var best_off = 0x7fffffff;
    var seen = 0u;
    for (var s = 0u; s < 4u; s++) {
        if front.triangle[s] == NOTHING || ((seen >> s) & 1u) == 1u {
            continue;
        }
        var covered = 0u;
        var sum = 0.0;
        var middle = vec2<i32>(0);
        for (var t = s; t < 4u; t++) {
            if front.triangle[t] == front.triangle[s] {
                covered |= 1u << t;
                sum += front.depth[t];
                middle += sample_place(t) - 128;
            }
        }
        seen |= covered;
        let count = countOneBits(covered);
        let twelfths = 12 / i32(count);
        let off = (middle.x * middle.x + middle.y * middle.y) * twelfths * twelfths;
        if off < best_off {
            best_off = off;
            let share = select(select(select(0.25, 1.0 / 3.0, count == 3u), 0.5, count == 2u), 1.0, count == 1u);
            best = Centered(front.triangle[s], bitcast<u32>(sum * share));
        }
    }
    return best;
}

// The fragment of a list that is laid over after `last`: the farthest of those that are not
// farther; at one depth the earlier triangle first.
fn next_fragment(head: u32, last: u32) -> u32 {
    var best = NOTHING;
    for (var node = head; node != NOTHING; node = nodes[node].next) {
        if (last == NOTHING || lies_below(last, node)) && (best == NOTHING || lies_below(node, best)) {
            best = node;
        }
    }
    return best;
}

fn lies_below(a: u32, b: u32) -> bool {
    let x = nodes[a];
    let y = nodes[b];
    if x.depth != y.depth {
        return x.depth > y.depth;
    }
    if x.triangle != y.triangle {
        return x.triangle < y.triangle;
    }
    return a < b;
}

fn encoded_normal(job: u32, normal: vec3<f32>) -> vec3<f32> {
    return turned_normal(jobs[job].normal_rows, normal);
}

// A normal along three axes, as (n + 1) / 2.
fn turned_normal(rows: array<vec4<f32>, 3>, normal: vec3<f32>) -> vec3<f32> {
    let turned = vec3<f32>(dot(rows[0].xyz, normal), dot(rows[1].xyz, normal), dot(rows[2].xyz, normal));
    return (turned + 1.0) * 0.5;
}

// Porter & Duff's over, with `below` below.
fn over(below: Layer, shaded: Shaded, normal: vec3<f32>) -> Layer {
    let alpha = shaded.alpha;
    let keep = 1.0 - alpha;
    // The background is a colour to be shown, not light: a clear pane leaves it as it is.
    let passed = shaded.through * below.color;
    let shown = shaded.through * drawing.behind.xyz * (1.0 - below.alpha);
    let color = shaded.color + passed + shown;
    let one = vec3<f32>(1.0);
    let as_it_is = dot(shown, one) + dot(passed, one) * (below.unlit / max(below.alpha, 1e-6));
    let unlit = max(shaded.unlit, as_it_is / max(dot(color, one), 1e-6));
    return Layer(
        below.color * keep + color * alpha,
        below.matte * keep + shaded.matte * alpha,
        below.normal * keep + normal * alpha,
        below.alpha * keep + alpha,
        below.unlit * keep + unlit * alpha,
    );
}

// Tone-maps a sample's layers and adds its quarter.
fn add_layer(sum: ptr<function, Sum>, layer: Layer) {
    if layer.alpha <= 0.0 {
        return;
    }
    let straight = layer.color / layer.alpha;
    let mapped = tone_map(straight);
    let shown = mapped + (straight - mapped) * (layer.unlit / layer.alpha);
    (*sum).color += shown * (layer.alpha * 0.25);
    (*sum).normal += layer.normal * 0.25;
    (*sum).matte += layer.matte * 0.25;
    (*sum).coverage += layer.alpha * 0.25;
}

fn unorm8(value: f32) -> u32 {
    return u32(clamp(value * 255.0 + 0.5, 0.0, 255.0));
}

// The sRGB byte of linear light, by the CPU's table.
fn encoded(linear: f32) -> u32 {
    let step = u32(clamp01(linear) * f32(ENCODE_STEPS) + 0.5);
    return (tables[256u + step / 4u] >> ((step % 4u) * 8u)) & 255u;
}

fn encoded_rgb(linear: vec3<f32>) -> u32 {
    return encoded(linear.x) | (encoded(linear.y) << 8u) | (encoded(linear.z) << 16u);
}

// 0 nearest to 65534 farthest, 65535 for nothing, as `Depths` of `refine.rs`.
fn depth_steps(depth: u32) -> u32 {
    if depth == NOTHING {
        return 65535u;
    }
    return u32(apart(bitcast<f32>(depth) * 65534.0) + 0.5);
}

// Writes the planes that light decides and says where the next one starts. `z` is that of
// `Centered`.
fn write(place: u32, sum: Sum, z: u32, depths: u32) -> u32 {
    var depth = 0u;
    if z != NOTHING {
        depth = 1u + u32(apart(apart(1.0 - bitcast<f32>(z)) * 65534.0) + 0.5);
    }
    var coverage = min(u32(sum.coverage * 65532.0 + 0.5), 65532u);
    if sum.coverage > 0.0 {
        coverage = max(coverage, 1u);
    }
    planes[place] = depth | (coverage << 16u);
    var at = place + drawing.num_pixels;
    let rest = 1.0 - sum.coverage;
    if (drawing.wanted & WANTS_RGB) != 0u {
        var color = 0u;
        if (drawing.wanted & IS_TRANSPARENT) == 0u {
            color = encoded_rgb(select(sum.color + drawing.background.xyz * rest, drawing.background.xyz, sum.coverage == 0.0));
        } else if sum.coverage > 0.0 {
            color = encoded_rgb(sum.color / sum.coverage) | (unorm8(sum.coverage) << 24u);
        }
        planes[at] = color;
        at += drawing.num_pixels;
    }
    if (drawing.wanted & WANTS_NORMAL) != 0u {
        planes[at] = unorm8(sum.normal.x) | (unorm8(sum.normal.y) << 8u) | (unorm8(sum.normal.z) << 16u);
        at += drawing.num_pixels;
    }
    if (drawing.wanted & WANTS_MATTE) != 0u {
        planes[at] = encoded_rgb(vec3<f32>(sum.matte) + drawing.background.xyz * rest);
        at += drawing.num_pixels;
    }
    if (drawing.wanted & WANTS_DEPTHS) != 0u {
        planes[at] = depths;
        at += drawing.num_pixels;
    }
    return at;
}

fn encoded_bytes(linear: vec3<f32>) -> u32 {
    return unorm8(linear.x) | (unorm8(linear.y) << 8u) | (unorm8(linear.z) << 16u);
}

// Six planes of the material, one of the depth, six of the place, as far as they are wanted.
fn write_extra(first: u32, made: Made, z: u32, place: Place) {
    var at = first;
    if (drawing.wanted & WANTS_MATERIAL) != 0u {
        var base = 0u;
        if (drawing.wanted & IS_TRANSPARENT) == 0u {
            base = encoded_rgb(made.base_color + drawing.background.xyz * (1.0 - made.alpha));
        } else if made.alpha > 0.0 {
            base = encoded_rgb(made.base_color / made.alpha) | (unorm8(made.alpha) << 24u);
        }
        planes[at] = base;
        var surface = vec3<f32>(0.0);
        if made.alpha > 0.0 {
            surface = vec3<f32>(made.surface / made.alpha, 0.0);
        }
        if made.covered > 0.0 {
            surface.z = made.alpha / made.covered;
        }
        planes[at + drawing.num_pixels] = encoded_bytes(surface);
        planes[at + 2u * drawing.num_pixels] = encoded_rgb(made.emissive);
        for (var k = 0u; k < 3u; k++) {
            planes[at + (3u + k) * drawing.num_pixels] = encoded_bytes(made.normals[k]);
        }
        at += 6u * drawing.num_pixels;
    }
    if (drawing.wanted & WANTS_Z) != 0u {
        planes[at] = z;
        at += drawing.num_pixels;
    }
    if (drawing.wanted & WANTS_PLACE) != 0u {
        for (var k = 0u; k < 3u; k++) {
            planes[at + k * drawing.num_pixels] = bitcast<u32>(place.position[k]);
        }
        planes[at + 3u * drawing.num_pixels] = bitcast<u32>(place.uv.x);
        planes[at + 4u * drawing.num_pixels] = bitcast<u32>(place.uv.y);
        planes[at + 5u * drawing.num_pixels] = place.part;
    }
}
