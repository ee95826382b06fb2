// The colours of a thin film: the functions of `src/render/film.rs` with the same names; sources
// and reasons are there.

fn film_f0(base_f0: vec3<f32>, ior: f32, thickness_nm: f32, n_dot_v: f32) -> vec3<f32> {
    if thickness_nm <= 0.0 {
        return base_f0;
    }
    let reflected = film_reflectance(base_f0, ior, thickness_nm, n_dot_v);
    let grazing = clamp(fifth_power(1.0 - n_dot_v), 0.0, 0.9999);
    return clamp((reflected - grazing) / (1.0 - grazing), vec3<f32>(0.0), vec3<f32>(1.0));
}

fn film_reflectance(base_f0: vec3<f32>, said_ior: f32, thickness_nm: f32, n_dot_v: f32) -> vec3<f32> {
    let thickness = clamp(thickness_nm, 0.0, 1e5);
    let there = min(thickness / 0.03, 1.0);
    let ior = 1.0 + (said_ior - 1.0) * (there * there * (3.0 - 2.0 * there));
    let sine_squared = (1.0 - n_dot_v * n_dot_v) / (ior * ior);
    let cosine_squared = 1.0 - sine_squared;
    if cosine_squared < 0.0 {
        return vec3<f32>(1.0);
    }
    let cosine = sqrt(cosine_squared);
    let outer = film_schlick(f0_of(ior, 1.0), n_dot_v);
    let through = (1.0 - outer) * (1.0 - outer);
    var amplitude = vec3<f32>(0.0);
    var roots = vec3<f32>(0.0);
    var sum = vec3<f32>(0.0);
    // −1 where an odd number of half waves is lost in the first order; the second order loses whole
    // ones.
    var sign = vec3<f32>(-1.0);
    for (var k = 0u; k < 3u; k++) {
        let root = sqrt(clamp(base_f0[k], 0.0, 0.9999));
        let base_ior = (1.0 + root) / (1.0 - root);
        if base_ior < ior {
            sign[k] = 1.0;
        }
        let inner = film_schlick(f0_of(base_ior, ior), cosine);
        let both = clamp(outer * inner, 1e-5, 0.9999);
        roots[k] = sqrt(both);
        let series = through * inner / (1.0 - both);
        sum[k] = outer + series;
        amplitude[k] = series - (1.0 - outer);
    }
    let path_nm = 2.0 * ior * thickness * cosine;
    amplitude *= roots;
    sum += amplitude * (film_sensitivity(path_nm, sign) * 2.0);
    amplitude *= roots;
    sum += amplitude * (film_sensitivity(2.0 * path_nm, vec3<f32>(1.0)) * 2.0);
    return max(sum, vec3<f32>(0.0));
}

fn film_sensitivity(path_nm: f32, sign: vec3<f32>) -> vec3<f32> {
    let xyz = sign * vec3<f32>(
        film_peak(path_nm, 0.84659, 1.6810e-3, 2.464912e-7) + film_peak(path_nm, 0.1538683, 2.2399e-3, 2.5790507e-7),
        film_peak(path_nm, 1.0002219, 1.7953e-3, 5.299464e-7),
        film_peak(path_nm, 1.0011225, 2.2084e-3, 3.7659425e-7),
    );
    return vec3<f32>(
        3.2404542 * xyz.x - 1.5371385 * xyz.y - 0.4985314 * xyz.z,
        -0.969266 * xyz.x + 1.8760108 * xyz.y + 0.041556 * xyz.z,
        0.0556434 * xyz.x - 0.2040259 * xyz.y + 1.0572252 * xyz.z,
    );
}

fn film_peak(path_nm: f32, height: f32, waves: f32, width: f32) -> f32 {
    return height * cosine_of_turns(waves * path_nm) * power_of_two(max(-width * path_nm * path_nm, -126.0));
}

fn cosine_of_turns(t: f32) -> f32 {
    let part = t - floor(t + 0.5);
    let s = 0.25 - abs(part);
    let u = s * s;
    let series = ((42.058693 * u - 76.70586) * u + 81.60525) * u - 41.3417;
    return s * (series * u + 6.2831855);
}

fn f0_of(a: f32, b: f32) -> f32 {
    let root = (a - b) / (a + b);
    return root * root;
}

fn film_schlick(f0: f32, cosine: f32) -> f32 {
    return f0 + (1.0 - f0) * fifth_power(1.0 - cosine);
}

fn fifth_power(x: f32) -> f32 {
    return x * x * x * x * x;
}
