// Texture look-ups as `texture.rs` makes them: our own levels, wrap modes and weights, so that no
// sampler's precision shows.

// Linear RGBA; the derivatives are those of `uv` per pixel step right and down.
fn sample_texture(texture: u32, uv: vec2<f32>, duv_dx: vec2<f32>, duv_dy: vec2<f32>) -> vec4<f32> {
    let t = textures[texture];
    let lod = lod_of(t, duv_dx, duv_dy);
    let last = t.num_levels - 1u;
    let at = vec2<f32>(reduce(uv.x, t.wrap.x), reduce(uv.y, t.wrap.y));
    if !(lod > 0.0) && t.is_nearest != 0u {
        // The middle of the texel, which has all of the share there.
        let size = vec2<f32>(f32(levels[t.first_level].width), f32(levels[t.first_level].height));
        return sample_level(t, 0u, (min(floor(at * size), size - 1.0) + 0.5) / size);
    }
    if !(lod > 0.0) {
        return sample_level(t, 0u, at);
    }
    if lod >= f32(last) {
        return sample_level(t, last, at);
    }
    let level = u32(lod);
    let fraction = lod - f32(level);
    let near = sample_level(t, level, at);
    if fraction == 0.0 {
        return near;
    }
    let far = sample_level(t, level + 1u, at);
    return near + (far - near) * fraction;
}

// Texels per pixel along the longer edge of a pixel's footprint, as log2.
fn lod_of(t: Texture, duv_dx: vec2<f32>, duv_dy: vec2<f32>) -> f32 {
    let size = vec2<f32>(f32(levels[t.first_level].width), f32(levels[t.first_level].height));
    let along_x = duv_dx * size;
    let along_y = duv_dy * size;
    return 0.5 * log2_of(max(dot(along_x, along_x), dot(along_y, along_y)));
}

fn sample_level(t: Texture, idx: u32, at: vec2<f32>) -> vec4<f32> {
    let level = levels[t.first_level + idx];
    let size = vec2<i32>(level.width, level.height);
    let position = at * vec2<f32>(size) - 0.5;
    // From −0.5 on, so truncating one above and taking one off rounds down.
    let low = vec2<i32>(position + 1.0) - 1;
    let high = low + 1;
    let last = size - 1;
    // Past an edge: the opposite texel where the picture repeats, else the edge's own.
    let repeats = t.wrap == vec2<u32>(0u);
    let first = select(low, select(vec2<i32>(0), last, repeats), low < vec2<i32>(0));
    let second = select(high, select(last, vec2<i32>(0), repeats), high > last);
    let share = position - vec2<f32>(low);
    let is_srgb = t.is_srgb != 0u;
    let upper = mix_texels(level, first.x, second.x, first.y, share.x, is_srgb);
    let lower = mix_texels(level, first.x, second.x, second.y, share.x, is_srgb);
    return upper + (lower - upper) * share.y;
}

fn mix_texels(level: Level, left: i32, right: i32, y: i32, share: f32, is_srgb: bool) -> vec4<f32> {
    let row = level.first + u32(y * level.width);
    let a = decode(texel(level.page, row + u32(left)), is_srgb);
    let b = decode(texel(level.page, row + u32(right)), is_srgb);
    return a + (b - a) * share;
}

fn texel(page: u32, at: u32) -> u32 {
    switch page {
        case 0u: {
            return page_0[at];
        }
        case 1u: {
            return page_1[at];
        }
        case 2u: {
            return page_2[at];
        }
        default: {
            return page_3[at];
        }
    }
}

fn decode(texel: u32, is_srgb: bool) -> vec4<f32> {
    let bytes = vec4<u32>(texel, texel >> 8u, texel >> 16u, texel >> 24u) & vec4<u32>(255u);
    let shares = vec4<f32>(bytes) * (1.0 / 255.0);
    if !is_srgb {
        return shares;
    }
    return vec4<f32>(
        bitcast<f32>(tables[bytes.x]),
        bitcast<f32>(tables[bytes.y]),
        bitcast<f32>(tables[bytes.z]),
        shares.w,
    );
}

// A coordinate brought into 0..1 before it is scaled.
fn reduce(coordinate: f32, wrap: u32) -> f32 {
    switch wrap {
        case 0u: {
            return coordinate - floor(coordinate);
        }
        case 1u: {
            let period = coordinate * 0.5;
            let t = (period - floor(period)) * 2.0;
            return select(t, 2.0 - t, t > 1.0);
        }
        default: {
            return clamp(coordinate, 0.0, 1.0);
        }
    }
}

// Base-2 logarithm by exponent and a quadratic in the mantissa, as `texture.rs` has it.
fn log2_of(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    let exponent = f32(i32(bits >> 23u) - 127);
    let mantissa = bitcast<f32>((bits & 0x007fffffu) | 0x3f800000u);
    return exponent + (-1.0 / 3.0 * mantissa + 2.0) * mantissa - 5.0 / 3.0;
}
