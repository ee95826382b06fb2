// Environment light: the functions of `src/render/environment/mod.rs` with the same names; sources
// and reasons are there.

fn has_environment() -> bool {
    return drawing.first_environment != NOTHING;
}

fn folded(direction: vec3<f32>) -> vec2<f32> {
    let sum = abs(direction.x) + abs(direction.y) + abs(direction.z);
    let p = direction / max(sum, 1e-20);
    if p.y >= 0.0 {
        return p.xz;
    }
    let toward = vec2<f32>(select(-1.0, 1.0, p.x >= 0.0), select(-1.0, 1.0, p.z >= 0.0));
    return (vec2<f32>(1.0) - abs(p.zx)) * toward;
}

fn environment_texel(first: u32, texel: u32) -> vec3<f32> {
    return floats3(drawing.first_environment + (first + texel) * 4u);
}

// `first` and `edge` in texels.
fn look_up_environment(first: u32, edge: u32, direction: vec3<f32>) -> vec3<f32> {
    let place = (folded(direction) * 0.5 + 0.5) * f32(edge) + 0.5;
    let at = clamp(place, vec2<f32>(0.0), vec2<f32>(f32(edge) + 0.999));
    let corner = min(vec2<u32>(at), vec2<u32>(edge));
    let share = at - vec2<f32>(corner);
    let padded = edge + 2u;
    let texel = corner.y * padded + corner.x;
    let a = environment_texel(first, texel);
    let b = environment_texel(first, texel + 1u);
    let c = environment_texel(first, texel + padded);
    let d = environment_texel(first, texel + padded + 1u);
    let upper = a + (b - a) * share.x;
    let lower = c + (d - c) * share.x;
    return upper + (lower - upper) * share.y;
}

fn seen_in_environment(direction: vec3<f32>, roughness: f32) -> vec3<f32> {
    var edges = ENVIRONMENT_EDGES;
    var firsts = ENVIRONMENT_FIRSTS;
    let level = clamp01(roughness) * f32(ENVIRONMENT_LEVELS - 1u);
    let below = min(u32(level), ENVIRONMENT_LEVELS - 2u);
    let a = look_up_environment(firsts[below], edges[below], direction);
    let b = look_up_environment(firsts[below + 1u], edges[below + 1u], direction);
    return a + (b - a) * (level - f32(below));
}

fn irradiance_of_environment(normal: vec3<f32>) -> vec3<f32> {
    return look_up_environment(ENVIRONMENT_DIFFUSE_FIRST, ENVIRONMENT_DIFFUSE_EDGE, normal);
}

fn reflect_and_scatter_environment(surface: Surface, f0: vec3<f32>, metal_f0: vec3<f32>, f90: f32) -> vec3<f32> {
    let color = surface.base_color;
    let n_dot_v = max(dot(surface.normal, surface.to_eye), 1e-3);
    let scale_bias = environment_brdf(surface.roughness, n_dot_v);
    let kept = scale_bias.x + scale_bias.y;
    let mirror = seen_in_environment(mirrored(surface), surface.roughness);
    let ambient = irradiance_of_environment(surface.normal);
    let paint_albedo = (f0 * scale_bias.x + scale_bias.y * f90) * energy_compensation(kept, f0);
    let paint = clamp(paint_albedo, vec3<f32>(0.0), vec3<f32>(1.0));
    let metal = (metal_f0 * scale_bias.x + scale_bias.y) * energy_compensation(kept, metal_f0);
    let scattered = (1.0 - surface.metallic) * (1.0 - surface.transmission);
    let diffuse = color * scattered * (1.0 - paint);
    return (diffuse * ambient + (paint + (metal - paint) * surface.metallic) * mirror) * surface.occlusion;
}
