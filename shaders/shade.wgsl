// Shading of a surface: the functions of `src/render/shade.rs` with the same names; sources and
// reasons are there.

struct Surface {
    normal: vec3<f32>,
    to_eye: vec3<f32>,
    base_color: vec3<f32>,
    metallic: f32,
    roughness: f32,
    occlusion: f32,
    emissive: vec3<f32>,
    transmission: f32,
    // Along the geometry's surface; counts where `anisotropy` is above 0.
    grain: vec3<f32>,
    anisotropy: f32,
}

fn normalized(v: vec3<f32>) -> vec3<f32> {
    return v * (1.0 / max(sqrt(dot(v, v)), 1e-20));
}

fn clamp01(x: f32) -> f32 {
    return clamp(x, 0.0, 1.0);
}

fn shade(surface: Surface, job: u32) -> vec3<f32> {
    if has_environment() {
        return reflect_and_scatter_environment(surface, vec3<f32>(DIELECTRIC_F0), surface.base_color, 1.0) + surface.emissive;
    }
    let f0 = vec3<f32>(DIELECTRIC_F0) + (surface.base_color - DIELECTRIC_F0) * surface.metallic;
    let diffuse_color = surface.base_color * ((1.0 - surface.metallic) * (1.0 - surface.transmission));
    return reflect_and_scatter(surface, job, diffuse_color, f0, 1.0) + surface.emissive;
}

fn reflect_and_scatter(surface: Surface, job: u32, diffuse_color: vec3<f32>, f0: vec3<f32>, f90: f32) -> vec3<f32> {
    let normal = surface.normal;
    let to_eye = surface.to_eye;
    let n_dot_v = max(dot(normal, to_eye), 1e-3);
    let alpha = surface.roughness * surface.roughness;

    let scale_bias = environment_brdf(surface.roughness, n_dot_v);
    let compensation = energy_compensation(scale_bias.x + scale_bias.y, f0);
    let bias = scale_bias.y * f90;

    var direct = vec3<f32>(0.0);
    let light_alpha = max(alpha, LIGHT_ALPHA_MIN);
    for (var k = 0u; k < 3u; k++) {
        let to_light = jobs[job].to_light[k].xyz;
        let n_dot_l = clamp01(dot(normal, to_light));
        let half = normalized(to_eye + to_light);
        var strength = round_lobe(clamp01(dot(normal, half)), n_dot_v, n_dot_l, light_alpha);
        if surface.anisotropy > 0.0 {
            strength = grain_lobe(surface, to_light, half, n_dot_v, n_dot_l, light_alpha);
        }
        let specular = reflected_share(clamp01(dot(to_eye, half)), strength, f0, f90) * compensation;
        direct += (diffuse_color + specular) * (n_dot_l * jobs[job].to_light[k].w);
    }

    let ambient = ambient_light(normal.y);
    let seen = mirror_light(mirrored(surface).y);
    let mirror = seen + (ambient - seen) * surface.roughness;
    let environment = diffuse_color * ambient + (f0 * scale_bias.x + bias) * compensation * mirror;
    return direct + environment * surface.occlusion;
}

fn cutoff_at(cutoff: f32, lod: f32, sample: u32) -> f32 {
    let share = f32(2u * sample + 1u) * 0.125;
    return cutoff + (share - cutoff) * clamp01(lod);
}

fn transmitted(surface: Surface) -> vec3<f32> {
    let n_dot_v = max(dot(surface.normal, surface.to_eye), 1e-3);
    let scale_bias = environment_brdf(surface.roughness, n_dot_v);
    let passed = 1.0 - clamp01(DIELECTRIC_F0 * scale_bias.x + scale_bias.y);
    return surface.base_color * (surface.transmission * (1.0 - surface.metallic) * passed);
}

fn shade_matte(normal: vec3<f32>, job: u32) -> f32 {
    var light = ambient_light(normal.y);
    for (var k = 0u; k < 3u; k++) {
        light += clamp01(dot(normal, jobs[job].to_light[k].xyz)) * jobs[job].to_light[k].w;
    }
    return light * CLAY;
}

// `Grain::mirrored`; the plain direction without a grain.
fn mirrored(surface: Surface) -> vec3<f32> {
    let to_eye = surface.to_eye;
    if surface.anisotropy <= 0.0 {
        let n_dot_v = max(dot(surface.normal, to_eye), 1e-3);
        return surface.normal * (2.0 * n_dot_v) - to_eye;
    }
    let across = cross(surface.normal, surface.grain);
    let leaning = to_eye - across * dot(across, to_eye);
    let bend = 1.0 - surface.anisotropy * (1.0 - surface.roughness);
    let squared = bend * bend;
    let bent = normalized(leaning + (surface.normal - leaning) * (squared * squared));
    return bent * (2.0 * dot(bent, to_eye)) - to_eye;
}

// `Grain::lobe`.
fn grain_lobe(surface: Surface, to_light: vec3<f32>, half: vec3<f32>, n_dot_v: f32, n_dot_l: f32, a: f32) -> f32 {
    let across = cross(surface.normal, surface.grain);
    let long = a + (1.0 - a) * (surface.anisotropy * surface.anisotropy);
    let both = long * a;
    let f = vec3<f32>(a * dot(surface.grain, half), long * dot(across, half), both * clamp01(dot(surface.normal, half)));
    let w = both / max(dot(f, f), 1e-12);
    let eye = vec3<f32>(long * dot(surface.grain, surface.to_eye), a * dot(across, surface.to_eye), n_dot_v);
    let light = vec3<f32>(long * dot(surface.grain, to_light), a * dot(across, to_light), n_dot_l);
    let masked = n_dot_l * sqrt(dot(eye, eye)) + n_dot_v * sqrt(dot(light, light));
    return both * w * w * (0.5 / max(masked, 1e-5));
}

fn round_lobe(n_dot_h: f32, n_dot_v: f32, n_dot_l: f32, alpha: f32) -> f32 {
    let alpha_squared = alpha * alpha;
    let d = n_dot_h * n_dot_h * (alpha_squared - 1.0) + 1.0;
    let distribution_times_pi = alpha_squared / max(d * d, 1e-12);
    let both = 2.0 * n_dot_l * n_dot_v;
    let sum = n_dot_l + n_dot_v;
    let visibility = 0.5 / max(both + (sum - both) * alpha, 1e-5);
    return distribution_times_pi * visibility;
}

fn reflected_share(v_dot_h: f32, strength: f32, f0: vec3<f32>, f90: f32) -> vec3<f32> {
    let away = 1.0 - v_dot_h;
    let away_squared = away * away;
    let fresnel = away_squared * away_squared * away;
    return (f0 + (f90 - f0) * fresnel) * strength;
}

fn ambient_light(normal_y: f32) -> f32 {
    let up = normal_y * 0.5 + 0.5;
    return FLOOR + (SKY - FLOOR) * up;
}

fn mirror_light(height: f32) -> f32 {
    let above = smooth_step(clamp01(height * 1.6));
    let below = smooth_step(clamp01(-height * 2.5));
    let upper = MIRROR_WALL + (MIRROR_CEILING - MIRROR_WALL) * above;
    return upper + (MIRROR_FLOOR - upper) * below;
}

fn smooth_step(t: f32) -> f32 {
    return t * t * (3.0 - 2.0 * t);
}

// Scale and bias of f0.
fn environment_brdf(roughness: f32, n_dot_v: f32) -> vec2<f32> {
    let r = vec4<f32>(
        1.0 - roughness,
        roughness * -0.0275 + 0.0425,
        roughness * -0.572 + 1.04,
        roughness * 0.022 - 0.04,
    );
    let x = clamp01(n_dot_v);
    let base = (0.275 * x - 0.799) * x + 1.0;
    let squared = base * base;
    let fourth = squared * squared;
    let grazing = fourth * fourth;
    let a004 = min(r.x * r.x, grazing) * r.x + r.y;
    return max(vec2<f32>(-1.04 * a004 + r.z, 1.04 * a004 + r.w), vec2<f32>(0.0));
}

fn energy_compensation(kept: f32, f0: vec3<f32>) -> vec3<f32> {
    let lost = 1.0 / max(kept, 0.1) - 1.0;
    return 1.0 + f0 * lost;
}

fn tone_map(color: vec3<f32>) -> vec3<f32> {
    let start_compression = 0.8 - 0.04;
    let desaturation = 0.15;
    let lowest = min(min(color.x, color.y), color.z);
    let offset = select(0.04, lowest - 6.25 * lowest * lowest, lowest < 0.08);
    let shifted = color - offset;
    let peak = max(max(shifted.x, shifted.y), shifted.z);
    if peak < start_compression {
        return shifted;
    }
    let d = 1.0 - start_compression;
    let new_peak = 1.0 - d * d / max(peak + d - start_compression, 1e-3);
    let scaled = shifted * (new_peak / max(peak, 1e-6));
    let keep = 1.0 / (desaturation * (peak - new_peak) + 1.0);
    return vec3<f32>(new_peak) + (scaled - new_peak) * keep;
}
