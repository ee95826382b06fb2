// A triangle's share of one pixel → what each channel shows there, as `cpu/fragment.rs`.

struct Shaded {
    // Linear; tone-mapped unless `is_blending` was asked for.
    color: vec3<f32>,
    // 1 for opaque and masked surfaces.
    alpha: f32,
    // Share of the light behind that comes through the covered part.
    through: vec3<f32>,
    // 1 where the colour must not be tone-mapped.
    unlit: f32,
    // World-space unit normal, towards the camera where the surface is double-sided.
    normal: vec3<f32>,
    matte: f32,
}

// Perspective-correct barycentric coordinates of a point, and their changes per pixel step.
struct Barycentric {
    b: vec3<f32>,
    dx: vec3<f32>,
    dy: vec3<f32>,
    is_front: bool,
}

// Corners are `(x − px · w, y − py · w, w)` in pixels, relative to the point (px, py).
fn barycentric(c: array<vec3<f32>, 3>) -> Barycentric {
    let x = vec3<f32>(c[0].x, c[1].x, c[2].x);
    let y = vec3<f32>(c[0].y, c[1].y, c[2].y);
    let w = vec3<f32>(c[0].z, c[1].z, c[2].z);
    let e = x.yzx * y.zxy - x.zxy * y.yzx;
    let sum = e.x + e.y + e.z;
    let inverse = 1.0 / select(sum, 1e-30, abs(sum) < 1e-30);
    let ex = w.zxy * y.yzx - w.yzx * y.zxy;
    let ey = x.zxy * w.yzx - x.yzx * w.zxy;
    var out: Barycentric;
    out.b = e * inverse;
    out.dx = (ex - out.b * (ex.x + ex.y + ex.z)) * inverse;
    out.dy = (ey - out.b * (ey.x + ey.y + ey.z)) * inverse;
    out.is_front = sum < 0.0;
    return out;
}

// The snapped position that decided coverage; the exact one for a vertex that has none.
fn relative_to_point(job: u32, vertex: u32, point: vec2<f32>) -> vec3<f32> {
    let at = screen[jobs[job].first_vertex + vertex];
    if bitcast<i32>(at.x) == UNREACHABLE {
        let p = position_of(vertex) - jobs[job].center.xyz;
        let x = dot(jobs[job].rows[0], vec4<f32>(p, 1.0));
        let y = dot(jobs[job].rows[1], vec4<f32>(p, 1.0));
        let w = dot(jobs[job].rows[3], vec4<f32>(p, 1.0));
        return vec3<f32>(x - point.x * w, y - point.y * w, w);
    }
    let w = bitcast<f32>(at.w);
    let offset = vec2<f32>(bitcast<vec2<i32>>(at.xy)) * (1.0 / 256.0) - point;
    return vec3<f32>(offset * w, w);
}

fn corners_at(job: u32, triangle: vec4<u32>, point: vec2<f32>) -> Barycentric {
    return barycentric(array<vec3<f32>, 3>(
        relative_to_point(job, triangle.x, point),
        relative_to_point(job, triangle.y, point),
        relative_to_point(job, triangle.z, point),
    ));
}

fn uv_of(binding: Binding, vertex: u32) -> vec2<f32> {
    let at = binding.first_uv + vertex * 2u;
    return vec2<f32>(floats[at], floats[at + 1u]);
}

fn turn(binding: Binding, d: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(dot(binding.linear.xy, d), dot(binding.linear.zw, d));
}

// The texels of a mesh's first textures, white where it has none; one after another in a loop,
// since the code of a look-up is long.
fn look_up_all(mesh: u32, count: u32, local: vec3<u32>, bary: Barycentric) -> array<vec4<f32>, FIRST_OF_LAYERS> {
    var texels: array<vec4<f32>, FIRST_OF_LAYERS>;
    for (var k = 0u; k < FIRST_OF_LAYERS; k++) {
        texels[k] = vec4<f32>(1.0);
    }
    for (var k = 0u; k < count; k++) {
        let binding = meshes[mesh].bindings[k];
        if binding.texture != NOTHING {
            texels[k] = look_up(binding, local, bary);
        }
    }
    return texels;
}

// As `look_up_all`, the textures of a mesh's layers.
fn look_up_layers(mesh: u32, local: vec3<u32>, bary: Barycentric) -> array<vec4<f32>, NUM_OF_LAYERS> {
    var texels: array<vec4<f32>, NUM_OF_LAYERS>;
    for (var k = 0u; k < NUM_OF_LAYERS; k++) {
        texels[k] = vec4<f32>(1.0);
        let binding = meshes[mesh].bindings[FIRST_OF_LAYERS + k];
        if binding.texture != NOTHING {
            texels[k] = look_up(binding, local, bary);
        }
    }
    return texels;
}

// The texel of one of a mesh's textures; `local` are the triangle's vertices counted in the mesh.
fn look_up(binding: Binding, local: vec3<u32>, bary: Barycentric) -> vec4<f32> {
    let uvs = mat3x2<f32>(uv_of(binding, local.x), uv_of(binding, local.y), uv_of(binding, local.z));
    let uv = turn(binding, uvs * bary.b) + binding.offset;
    return sample_texture(binding.texture, uv, turn(binding, uvs * bary.dx), turn(binding, uvs * bary.dy));
}

fn color_of(mesh: u32, local: vec3<u32>, b: vec3<f32>) -> vec4<f32> {
    var sum = vec4<f32>(0.0);
    for (var k = 0u; k < 3u; k++) {
        let at = meshes[mesh].first_color + local[k] * 4u;
        sum += vec4<f32>(floats3(at), floats[at + 3u]) * b[k];
    }
    return sum;
}

// Whether a masked triangle is cut away at sample `sample`, which is at `point` of the picture.
fn is_below_cutoff(job: u32, triangle_idx: u32, point: vec2<f32>, sample: u32) -> bool {
    let triangle = triangles[triangle_idx];
    let mesh = triangle.w;
    let bary = corners_at(job, triangle, point);
    let local = triangle.xyz - meshes[mesh].first_vertex;
    var alpha = meshes[mesh].base_color.w;
    if (meshes[mesh].flags & HAS_COLORS) != 0u {
        alpha *= color_of(mesh, local, bary.b).w;
    }
    let binding = meshes[mesh].bindings[BASE_COLOR];
    var cutoff = meshes[mesh].cutoff;
    if binding.texture != NOTHING {
        alpha *= look_up(binding, local, bary).w;
        let uvs = mat3x2<f32>(uv_of(binding, local.x), uv_of(binding, local.y), uv_of(binding, local.z));
        let lod = lod_of(textures[binding.texture], turn(binding, uvs * bary.dx), turn(binding, uvs * bary.dy));
        let factor = meshes[mesh].base_color.w;
        if cutoff > 0.0 {
            cutoff = cutoff_at(cutoff / factor, lod, sample) * factor;
        }
    }
    return alpha < abs(cutoff);
}

// The centre of the covered samples: shading there never extrapolates.
fn centroid(covered: u32) -> vec2<f32> {
    var sum = vec2<i32>(0);
    for (var s = 0u; s < 4u; s++) {
        if ((covered >> s) & 1u) == 1u {
            sum += sample_place(s);
        }
    }
    return vec2<f32>(sum) / f32(countOneBits(covered) * 256u);
}

// Where a fragment is in its triangle, and what the geometry is there.
struct Point {
    bary: Barycentric,
    // The triangle's vertices counted in the mesh.
    local: vec3<u32>,
    mesh: u32,
    position: vec3<f32>,
    // Edges from the first corner.
    e1: vec3<f32>,
    e2: vec3<f32>,
    // World-space unit normal, towards the camera where the surface is double-sided.
    normal: vec3<f32>,
}

fn point_of(job: u32, pixel: vec2<i32>, covered: u32, triangle_idx: u32) -> Point {
    let triangle = triangles[triangle_idx];
    var out: Point;
    out.mesh = triangle.w;
    out.local = triangle.xyz - meshes[out.mesh].first_vertex;
    out.bary = corners_at(job, triangle, vec2<f32>(pixel) + centroid(covered));
    out.bary.dx *= jobs[job].zoom;
    out.bary.dy *= jobs[job].zoom;
    let center = jobs[job].center.xyz;
    let p0 = position_of(triangle.x) - center;
    let p1 = position_of(triangle.y) - center;
    let p2 = position_of(triangle.z) - center;
    out.position = p0 * out.bary.b.x + p1 * out.bary.b.y + p2 * out.bary.b.z;
    out.e1 = p1 - p0;
    out.e2 = p2 - p0;

    var normal = cross(out.e1, out.e2);
    if (meshes[out.mesh].flags & HAS_NORMALS) != 0u {
        let first = meshes[out.mesh].first_normal;
        let local = out.local;
        let b = out.bary.b;
        let smooth_normal = floats3(first + local.x * 3u) * b.x + floats3(first + local.y * 3u) * b.y
            + floats3(first + local.z * 3u) * b.z;
        if dot(smooth_normal, smooth_normal) > 1e-12 {
            normal = smooth_normal;
        }
    }
    normal = normalized(normal);
    out.normal = select(-normal, normal, out.bary.is_front);
    return out;
}

// What a fragment is made of, as `cpu/extra.rs`.
struct Extra {
    base_color: vec3<f32>,
    alpha: f32,
    emissive: vec3<f32>,
    roughness: f32,
    normal: vec3<f32>,
    metallic: f32,
    shading_normal: vec3<f32>,
}

fn extra_of(point: Point) -> Extra {
    let mesh = point.mesh;
    let flags = meshes[mesh].flags;
    let texels = look_up_all(mesh, FIRST_OF_LAYERS, point.local, point.bary);
    let surface = surface_of(mesh, texels);
    var out: Extra;
    let base = meshes[mesh].base_color;
    out.base_color = base.xyz * texels[BASE_COLOR].xyz;
    var alpha = base.w * texels[BASE_COLOR].w;
    if (flags & HAS_COLORS) != 0u {
        let color = color_of(mesh, point.local, point.bary.b);
        out.base_color *= color.xyz;
        alpha *= color.w;
    }
    out.alpha = select(1.0, clamp01(alpha), (flags & IS_ALPHA_BLENDED) != 0u);
    out.emissive = surface.emissive;
    out.roughness = surface.roughness;
    out.metallic = surface.metallic;
    if (flags & IS_SPECULAR_GLOSSINESS) != 0u {
        let texel = look_up_layers(mesh, point.local, point.bary)[SPECULAR_GLOSSINESS];
        out.roughness = clamp01(1.0 - meshes[mesh].glossiness * texel.w);
    }
    out.normal = point.normal;
    out.shading_normal = point.normal;
    if meshes[mesh].bindings[NORMAL].texture != NOTHING {
        let tangent_normal = tangent_normal_of(texels[NORMAL].xyz, meshes[mesh].normal_scale);
        out.shading_normal =
            perturb(mesh, NORMAL, tangent_normal, point.local, point.bary, point.normal, point.e1, point.e2);
    }
    return out;
}

fn first_uv_of(point: Point) -> vec2<f32> {
    let first = meshes[point.mesh].first_uv;
    if first == NOTHING {
        return vec2<f32>(0.0);
    }
    var uv = vec2<f32>(0.0);
    for (var k = 0u; k < 3u; k++) {
        let at = first + point.local[k] * 2u;
        uv += vec2<f32>(floats[at], floats[at + 1u]) * point.bary.b[k];
    }
    return uv;
}

fn shade_fragment(job: u32, point: Point, is_blending: bool) -> Shaded {
    let mesh = point.mesh;
    let flags = meshes[mesh].flags;
    let local = point.local;
    let bary = point.bary;
    let normal = point.normal;

    var out: Shaded;
    out.alpha = 1.0;
    out.normal = normal;
    if (drawing.wanted & WANTS_MATTE) != 0u {
        out.matte = shade_matte(normal, job);
    }
    if (drawing.wanted & WANTS_RGB) == 0u && !is_blending {
        return out;
    }

    let is_unlit = (drawing.wanted & WANTS_UNLIT) != 0u || (flags & IS_UNLIT) != 0u;
    let texels = look_up_all(mesh, select(FIRST_OF_LAYERS, 1u, is_unlit), local, bary);
    let base = meshes[mesh].base_color;
    var base_color = base.xyz * texels[BASE_COLOR].xyz;
    var alpha = base.w * texels[BASE_COLOR].w;
    if (flags & HAS_COLORS) != 0u {
        let color = color_of(mesh, local, bary.b);
        base_color *= color.xyz;
        alpha *= color.w;
    }
    if (flags & IS_ALPHA_BLENDED) != 0u {
        out.alpha = clamp01(alpha);
    }
    out.color = base_color;
    if is_unlit {
        out.unlit = 1.0;
        return out;
    }
    var surface = surface_of(mesh, texels);
    surface.base_color = base_color;
    surface.normal = normal;
    if meshes[mesh].bindings[NORMAL].texture != NOTHING {
        let tangent_normal = tangent_normal_of(texels[NORMAL].xyz, meshes[mesh].normal_scale);
        surface.normal = perturb(mesh, NORMAL, tangent_normal, local, bary, normal, point.e1, point.e2);
    }
    let eye = jobs[job].eye;
    surface.to_eye = eye.xyz;
    if eye.w != 0.0 {
        surface.to_eye = normalized(eye.xyz - point.position);
    }
    if (flags & HAS_LAYERS) != 0u {
        let layer_texels = look_up_layers(mesh, local, bary);
        var layers = layers_of(mesh, layer_texels);
        layers.coat_normal = normal;
        if layers.coat > 0.0 && meshes[mesh].bindings[FIRST_OF_LAYERS + COAT_NORMAL].texture != NOTHING {
            let tangent_normal = tangent_normal_of(layer_texels[COAT_NORMAL].xyz, meshes[mesh].coat_normal_scale);
            layers.coat_normal =
                perturb(mesh, FIRST_OF_LAYERS + COAT_NORMAL, tangent_normal, local, bary, normal, point.e1, point.e2);
        }
        if layers.is_specular_glossiness {
            surface.roughness = 1.0 - meshes[mesh].glossiness * layer_texels[SPECULAR_GLOSSINESS].w;
        }
        let anisotropy = meshes[mesh].anisotropy;
        if anisotropy.x > 0.0 {
            var along = vec2<f32>(1.0, 0.0);
            if meshes[mesh].bindings[FIRST_OF_LAYERS + ANISOTROPY].texture != NOTHING {
                along = layer_texels[ANISOTROPY].xy * 2.0 - 1.0;
            }
            let told = vec3<f32>(
                anisotropy.y * along.x - anisotropy.z * along.y,
                anisotropy.z * along.x + anisotropy.y * along.y,
                0.0,
            );
            let grain =
                perturb(mesh, FIRST_OF_LAYERS + ANISOTROPY, told, local, bary, normal, point.e1, point.e2);
            let level = grain - surface.normal * dot(surface.normal, grain);
            if dot(level, level) > 1e-6 {
                surface.grain = normalized(level);
                surface.anisotropy = anisotropy.x * layer_texels[ANISOTROPY].z;
            }
        }
        out.color = shade_layered(surface, layers, job);
        if is_blending && surface.transmission > 0.0 {
            out.through = transmitted_layered(surface, layers);
        }
    } else {
        out.color = shade(surface, job);
        if is_blending && surface.transmission > 0.0 {
            out.through = transmitted(surface);
        }
    }
    if !is_blending {
        out.color = tone_map(out.color);
    }
    return out;
}

// Factors times textures, as `cpu/layered.rs`; the coat's normal is left to the caller.
fn layers_of(mesh: u32, texels: array<vec4<f32>, NUM_OF_LAYERS>) -> SurfaceLayers {
    var out: SurfaceLayers;
    out.is_specular_glossiness = (meshes[mesh].flags & IS_SPECULAR_GLOSSINESS) != 0u;
    if out.is_specular_glossiness {
        out.f0 = meshes[mesh].layer_f0 * texels[SPECULAR_GLOSSINESS].xyz;
        out.f90 = 1.0;
    } else {
        let strength = meshes[mesh].specular * texels[SPECULAR].w;
        out.f0 = min(meshes[mesh].layer_f0 * texels[SPECULAR_COLOR].xyz, vec3<f32>(1.0)) * strength;
        out.f90 = strength;
    }
    out.coat = meshes[mesh].coat * texels[COAT].x;
    out.coat_roughness = meshes[mesh].coat_roughness * texels[COAT_ROUGHNESS].y;
    out.sheen_color = meshes[mesh].sheen_color * texels[SHEEN_COLOR].xyz;
    out.sheen_roughness = meshes[mesh].sheen_roughness * texels[SHEEN_ROUGHNESS].w;
    out.halvings = meshes[mesh].halvings * texels[THICKNESS].y;
    let film = meshes[mesh].film;
    out.film = meshes[mesh].iridescence * texels[IRIDESCENCE].x;
    out.film_ior = film.x;
    out.film_thickness_nm = film.y + (film.z - film.y) * texels[IRIDESCENCE_THICKNESS].y;
    return out;
}

fn tangent_normal_of(texel: vec3<f32>, scale: f32) -> vec3<f32> {
    return (texel * 2.0 - 1.0) * vec3<f32>(scale, scale, 1.0);
}

// Material factors times textures; what depends on place and colour is left to the caller.
fn surface_of(mesh: u32, texels: array<vec4<f32>, FIRST_OF_LAYERS>) -> Surface {
    var out: Surface;
    out.metallic = clamp01(meshes[mesh].metallic * texels[METALLIC_ROUGHNESS].z);
    out.roughness = clamp01(meshes[mesh].roughness * texels[METALLIC_ROUGHNESS].y);
    out.occlusion = 1.0 + meshes[mesh].occlusion_strength * (texels[OCCLUSION].x - 1.0);
    out.emissive = meshes[mesh].emissive * texels[EMISSIVE].xyz;
    if meshes[mesh].alpha_pass == PASS_BLEND {
        out.transmission = meshes[mesh].transmission * texels[TRANSMISSION].x;
    }
    return out;
}

// Turns a normal texture's normal into the world; `slot` is its place among the bindings. `e1` and
// `e2` are the triangle's edges from its first corner.
fn perturb(
    mesh: u32,
    slot: u32,
    tangent_normal: vec3<f32>,
    local: vec3<u32>,
    bary: Barycentric,
    shown_normal: vec3<f32>,
    e1: vec3<f32>,
    e2: vec3<f32>,
) -> vec3<f32> {
    let binding = meshes[mesh].bindings[slot];
    var tangent = vec3<f32>(0.0);
    var down = vec3<f32>(0.0);
    var handedness = 0.0;
    if (meshes[mesh].flags & HAS_TANGENTS) != 0u {
        let first = meshes[mesh].first_tangent;
        tangent = floats3(first + local.x * 4u) * bary.b.x + floats3(first + local.y * 4u) * bary.b.y
            + floats3(first + local.z * 4u) * bary.b.z;
        handedness = select(1.0, -1.0, floats[first + local.x * 4u + 3u] < 0.0);
    } else {
        let uv0 = turn(binding, uv_of(binding, local.x)) + binding.offset;
        let d1 = turn(binding, uv_of(binding, local.y)) + binding.offset - uv0;
        let d2 = turn(binding, uv_of(binding, local.z)) + binding.offset - uv0;
        let sign = select(1.0, -1.0, d1.x * d2.y - d2.x * d1.y < 0.0);
        tangent = (e1 * d2.y - e2 * d1.y) * sign;
        down = (e2 * d1.x - e1 * d2.x) * sign;
    }
    // A back face shows its front's bumps as dents: the whole frame is that of the front, and what
    // comes out is turned.
    let turned_back = select(-1.0, 1.0, bary.is_front);
    let normal = shown_normal * turned_back;
    let straight = normalized(tangent - normal * dot(normal, tangent));
    let bitangent = cross(normal, straight);
    let against_v = select(1.0, -1.0, dot(bitangent, down) > 0.0);
    let sign = select(against_v, handedness, abs(handedness) > 0.5);
    let turned = straight * tangent_normal.x + bitangent * (tangent_normal.y * sign) + normal * tangent_normal.z;
    if dot(turned, turned) > 1e-8 {
        return normalized(turned) * turned_back;
    }
    return normalized(normal) * turned_back;
}
