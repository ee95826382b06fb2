// The visibility buffer and the lists of transparent fragments → words that the host unpacks into pictures.
//
// Plane 0 holds depth (low 16 bits) and coverage in 1/65532 (high 16 bits); then come colour, normal and clay, as far as they are wanted, one byte a component from the lowest;
// and where pictures may be refined, how deep what is opaque lies, the nearest of the four samples (low 16 bits) and the farthest: 65535 where one sees nothing.

// What one sample holds while transparent surfaces are laid over it. Colour is premultiplied and scene-referred.
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

@compute @workgroup_size(8, 8)
fn resolve(@builtin(global_invocation_id) id: vec3<u32>) {
    let job = id.z;
    if id.x >= drawing.width || id.y >= jobs[job].num_rows {
        return;
    }
    let place = jobs[job].first_pixel + id.y * drawing.width + id.x;
    let pixel = vec2<i32>(i32(id.x), i32(id.y + jobs[job].first_row));
    var ids: array<u32, 4>;
    var nearest = NOTHING;
    var farthest = 0u;
    for (var s = 0u; s < 4u; s++) {
        ids[s] = atomicLoad(&samples[place * 8u + 4u + s]);
        let depth = select(NOTHING, atomicLoad(&samples[place * 8u + s]), ids[s] != NOTHING);
        nearest = min(nearest, depth);
        farthest = max(farthest, depth);
    }
    let depths = depth_steps(nearest) | (depth_steps(farthest) << 16u);
    var head = NOTHING;
    if (drawing.wanted & HAS_BLEND) != 0u {
        head = atomicLoad(&heads[place]);
    }
    for (var node = head; node != NOTHING; node = nodes[node].next) {
        if (nodes[node].covered & IS_HALF_OPAQUE) != 0u {
            nearest = min(nearest, bitcast<u32>(nodes[node].depth));
        }
    }

    let is_blending = head != NOTHING;
    var sum: Sum;
    var layers: array<Layer, 4>;
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
        let shaded = shade_fragment(job, pixel, covered, triangle, is_blending);
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
    write(place, sum, nearest, depths);
}

// The fragment of a list that is laid over after `last`: the farthest of those that are not farther; at one depth the earlier triangle first.
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
    let turned = vec3<f32>(
        dot(jobs[job].normal_rows[0].xyz, normal),
        dot(jobs[job].normal_rows[1].xyz, normal),
        dot(jobs[job].normal_rows[2].xyz, normal),
    );
    return (turned + 1.0) * 0.5;
}

// Porter & Duff's over, with `below` below.
fn over(below: Layer, shaded: Shaded, normal: vec3<f32>) -> Layer {
    let alpha = shaded.alpha;
    let keep = 1.0 - alpha;
    let color = shaded.color + shaded.through * (below.color + drawing.behind.xyz * (1.0 - below.alpha));
    return Layer(
        below.color * keep + color * alpha,
        below.matte * keep + shaded.matte * alpha,
        below.normal * keep + normal * alpha,
        below.alpha * keep + alpha,
        below.unlit * keep + shaded.unlit * alpha,
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

fn write(place: u32, sum: Sum, nearest: u32, depths: u32) {
    var depth = 0u;
    if nearest != NOTHING {
        depth = 1u + u32(apart(apart(1.0 - bitcast<f32>(nearest)) * 65534.0) + 0.5);
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
    }
}
