// Layers on metallic-roughness: the functions of `src/render/layers.rs` with the same names;
// sources and reasons are there.

struct SurfaceLayers {
    f0: vec3<f32>,
    f90: f32,
    is_specular_glossiness: bool,
    sheen_color: vec3<f32>,
    sheen_roughness: f32,
    coat: f32,
    coat_roughness: f32,
    coat_normal: vec3<f32>,
    halvings: vec3<f32>,
    film: f32,
    film_ior: f32,
    film_thickness_nm: f32,
}

fn shade_layered(surface: Surface, bare: SurfaceLayers, job: u32) -> vec3<f32> {
    let layers = filmed(surface, bare);
    let metal_f0 = filmed_f0(surface, bare, surface.base_color);
    let base = base_of(surface, layers, metal_f0, job);
    let below = base * sheen_passes(surface, layers) + sheen_light(surface, layers, job) + surface.emissive;
    if layers.coat <= 0.0 {
        return below;
    }
    var coat = surface;
    coat.normal = layers.coat_normal;
    coat.roughness = layers.coat_roughness;
    coat.anisotropy = 0.0;
    var reflected = vec3<f32>(0.0);
    if has_environment() {
        coat.base_color = vec3<f32>(0.0);
        coat.metallic = 0.0;
        reflected = reflect_and_scatter_environment(coat, vec3<f32>(DIELECTRIC_F0), vec3<f32>(0.0), 1.0);
    } else {
        reflected = reflect_and_scatter(coat, job, vec3<f32>(0.0), vec3<f32>(DIELECTRIC_F0), 1.0);
    }
    return below * coat_passes(surface, layers) + reflected * layers.coat;
}

// The layers with what a thin film makes of the reflectance.
fn filmed(surface: Surface, layers: SurfaceLayers) -> SurfaceLayers {
    var out = layers;
    out.f0 = filmed_f0(surface, layers, layers.f0);
    return out;
}

fn filmed_f0(surface: Surface, layers: SurfaceLayers, f0: vec3<f32>) -> vec3<f32> {
    if layers.film <= 0.0 {
        return f0;
    }
    let n_dot_v = clamp(dot(surface.normal, surface.to_eye), 1e-3, 1.0);
    let seen = film_f0(f0, layers.film_ior, layers.film_thickness_nm, n_dot_v);
    return f0 + (seen - f0) * layers.film;
}

fn base_of(surface: Surface, layers: SurfaceLayers, metal_f0: vec3<f32>, job: u32) -> vec3<f32> {
    if has_environment() {
        return reflect_and_scatter_environment(surface, layers.f0, metal_f0, layers.f90);
    }
    let f0 = layers.f0 + (metal_f0 - layers.f0) * surface.metallic;
    let f90 = layers.f90 + (1.0 - layers.f90) * surface.metallic;
    let diffuse_color = surface.base_color * ((1.0 - surface.metallic) * (1.0 - surface.transmission))
        * scattered_share(surface, layers);
    return reflect_and_scatter(surface, job, diffuse_color, f0, f90);
}

fn transmitted_layered(surface: Surface, bare: SurfaceLayers) -> vec3<f32> {
    let layers = filmed(surface, bare);
    let reflected = dielectric_albedo(surface, layers.f0, layers.f90);
    let share = surface.transmission * (1.0 - surface.metallic)
        * sheen_passes(surface, layers) * coat_passes(surface, layers);
    let passed = surface.base_color * (1.0 - reflected) * share;
    if all(layers.halvings == vec3<f32>(0.0)) {
        return passed;
    }
    let exponent = max(-layers.halvings, vec3<f32>(-126.0));
    return passed * vec3<f32>(power_of_two(exponent.x), power_of_two(exponent.y), power_of_two(exponent.z));
}

fn dielectric_albedo(surface: Surface, f0: vec3<f32>, f90: f32) -> vec3<f32> {
    let n_dot_v = max(dot(surface.normal, surface.to_eye), 1e-3);
    let scale_bias = environment_brdf(surface.roughness, n_dot_v);
    let compensation = energy_compensation(scale_bias.x + scale_bias.y, f0);
    return clamp((f0 * scale_bias.x + scale_bias.y * f90) * compensation, vec3<f32>(0.0), vec3<f32>(1.0));
}

fn largest(v: vec3<f32>) -> f32 {
    return max(max(v.x, v.y), v.z);
}

fn scattered_share(surface: Surface, layers: SurfaceLayers) -> f32 {
    if layers.is_specular_glossiness {
        return 1.0 - largest(layers.f0);
    }
    let left = 1.0 - largest(dielectric_albedo(surface, layers.f0, layers.f90));
    let left_by_default = 1.0 - largest(dielectric_albedo(surface, vec3<f32>(DIELECTRIC_F0), 1.0));
    return min(max(left, 1e-3) / max(left_by_default, 1e-3), 1.0);
}

fn coat_passes(surface: Surface, layers: SurfaceLayers) -> f32 {
    let away = 1.0 - clamp01(dot(layers.coat_normal, surface.to_eye));
    let squared = away * away;
    let fresnel = DIELECTRIC_F0 + (1.0 - DIELECTRIC_F0) * (squared * squared * away);
    return 1.0 - layers.coat * fresnel;
}

fn sheen_passes(surface: Surface, layers: SurfaceLayers) -> f32 {
    let n_dot_v = max(dot(surface.normal, surface.to_eye), 1e-3);
    let roughness = max(layers.sheen_roughness, SHEEN_ROUGHNESS_MIN);
    return 1.0 - largest(layers.sheen_color) * sheen_albedo(roughness, n_dot_v);
}

fn sheen_light(surface: Surface, layers: SurfaceLayers, job: u32) -> vec3<f32> {
    let normal = surface.normal;
    let to_eye = surface.to_eye;
    let roughness = max(layers.sheen_roughness, SHEEN_ROUGHNESS_MIN);
    let n_dot_v = max(dot(normal, to_eye), 1e-3);
    if has_environment() {
        let seen = seen_in_environment(normal * (2.0 * n_dot_v) - to_eye, roughness);
        let around = seen + (irradiance_of_environment(normal) - seen) * roughness;
        return layers.sheen_color * around * (sheen_albedo(roughness, n_dot_v) * surface.occlusion);
    }
    var direct = 0.0;
    for (var k = 0u; k < 3u; k++) {
        let to_light = jobs[job].to_light[k].xyz;
        let n_dot_l = clamp01(dot(normal, to_light));
        let half = normalized(to_eye + to_light);
        let n_dot_h = clamp01(dot(normal, half));
        direct += sheen_lobe(n_dot_h, n_dot_v, n_dot_l, roughness) * (n_dot_l * jobs[job].to_light[k].w);
    }
    let reflected = normal * (2.0 * n_dot_v) - to_eye;
    let seen = mirror_light(reflected.y);
    let around = seen + (ambient_light(normal.y) - seen) * roughness;
    return layers.sheen_color * (direct + sheen_albedo(roughness, n_dot_v) * around * surface.occlusion);
}

fn sheen_lobe(n_dot_h: f32, n_dot_v: f32, n_dot_l: f32, roughness: f32) -> f32 {
    let power = 1.0 / (roughness * roughness);
    let sine_squared = max(1.0 - n_dot_h * n_dot_h, 1e-7);
    let exponent = logarithm(sine_squared) * power * 0.5;
    let distribution_times_pi = (1.0 + 0.5 * power) * power_of_two(max(exponent, -126.0));
    let both = n_dot_l + n_dot_v - n_dot_l * n_dot_v;
    return distribution_times_pi * 0.25 / max(both, 1e-4);
}

// `F8::log2`.
fn logarithm(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    let exponent = bitcast<i32>(bits - 0x3f3504f3u) >> 23u;
    let mantissa = bitcast<f32>(bits - bitcast<u32>(exponent << 23u));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let t = s * s;
    let series = ((0.4121986 * t + 0.577078) * t + 0.9617967) * t + 2.8853901;
    return f32(exponent) + s * series;
}

// `F8::exp2`.
fn power_of_two(x: f32) -> f32 {
    let whole = i32(x - 0.5);
    let f = x - f32(whole);
    let high = ((0.0001540353 * f + 0.0013333558) * f + 0.009618129) * f;
    let series = ((high + 0.05550411) * f + 0.2402265) * f + 0.6931472;
    return (series * f + 1.0) * bitcast<f32>((whole + 127) << 23u);
}

fn sheen_albedo(roughness: f32, n_dot_v: f32) -> f32 {
    let r = roughness;
    let x = n_dot_v;
    let above = -3.2315 + (6.3616 - 51.917 * x) * x + (43.427 + 96.653 * x + 1.204 * r) * r;
    let below = 1.0 + (-47.96 + (235.45 + 285.81 * x) * x) * x + (-7.3568 + (351.38 - 352.63 * x) * x) * r
        + (114.78 + 104.76 * x - 43.205 * r) * (r * r);
    return clamp01(above / max(below, 0.1));
}
