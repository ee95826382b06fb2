//! Small scenes with known answers, for the tests.

use glam::{Vec2, Vec3, Vec4};
use meshjudge::unstable::render::{AdapterChoice, Channel, Gpu, Renderer, Settings};
use meshjudge::unstable::rig::Rig;
use meshjudge::unstable::scene::{Material, Mesh, MeshParts, Scene, Texture};
use std::sync::OnceLock;

/// The adapter that `MESHJUDGE_GPU` declares: `real`, or a part of a name.
pub fn declared_adapter() -> Option<AdapterChoice> {
    let name = std::env::var("MESHJUDGE_GPU").ok().filter(|n| !n.is_empty())?;
    Some(match name.as_str() {
        "real" => AdapterChoice::Real,
        _ => AdapterChoice::Named(name),
    })
}

/// What tests draw with: the declared card, else the reference. A card that is declared and missing
/// fails the test.
pub fn renderer() -> Renderer {
    static CARD: OnceLock<Renderer> = OnceLock::new();
    let open = || match declared_adapter() {
        Some(choice) => {
            let notice = |line: &str| panic!("the card did not draw: {line}");
            Renderer::Gpu(Gpu::open(&choice, Box::new(notice)).expect("MESHJUDGE_GPU"))
        }
        None => Renderer::Cpu,
    };
    CARD.get_or_init(open).clone()
}

/// Radiance's `.hdr` of a panorama, pixel by pixel from the upper left.
pub fn hdr(width: usize, radiance: impl Fn(usize, usize) -> Vec3) -> Vec<u8> {
    let height = width / 2;
    let mut out = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n".to_vec();
    out.extend(format!("-Y {height} +X {width}\n").bytes());
    for k in 0..width * height {
        let color = radiance(k % width, k / width);
        let exponent = libm::frexpf(color.max_element().max(1e-9)).1;
        let scaled = color * libm::ldexpf(256.0, -exponent);
        out.extend(scaled.to_array().map(|c| c.min(255.0) as u8));
        out.push((exponent + 128) as u8);
    }
    out
}

/// An orthographic rig that looks at the front; the picture spans ±`half_height`.
pub fn front_rig(fit: f64) -> Rig {
    let text = format!(
        "name = 'front'\n[camera]\nprojection = 'orthographic'\nfit = {fit}\n[[view]]\nazimuth_degrees = 0.0\nelevation_degrees = 0.0\n"
    );
    Rig::parse(&text, "front").unwrap()
}

/// A square of edge `2 · half` at height `z`, facing +z, with texture coordinates that run to the
/// right and down.
pub fn square(half: f32, z: f32, material: usize) -> MeshParts {
    MeshParts {
        positions: vec![
            Vec3::new(-half, -half, z),
            Vec3::new(half, -half, z),
            Vec3::new(half, half, z),
            Vec3::new(-half, half, z),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        uv_sets: vec![vec![
            Vec2::new(0.0, 1.0),
            Vec2::new(1.0, 1.0),
            Vec2::new(1.0, 0.0),
            Vec2::new(0.0, 0.0),
        ]],
        material,
        ..MeshParts::default()
    }
}

/// Straight wires through the middle, from edge to edge of the unit circle, at these angles above
/// the x axis.
pub fn wires(width: f32, degrees: &[f32], material: usize) -> MeshParts {
    let mut parts = MeshParts { material, ..MeshParts::default() };
    for &angle in degrees {
        let (sin, cos) = (libm::sinf(angle.to_radians()), libm::cosf(angle.to_radians()));
        let (along, across) = (Vec3::new(cos, sin, 0.0), Vec3::new(-sin, cos, 0.0) * (0.5 * width));
        let first = parts.positions.len() as u32;
        let corners = [-along - across, along - across, along + across, across - along];
        parts.positions.extend(corners);
        parts.triangles.push([first, first + 1, first + 2]);
        parts.triangles.push([first, first + 2, first + 3]);
    }
    parts
}

/// A unit sphere with smooth normals.
pub fn sphere(rings: u32, segments: u32) -> MeshParts {
    let mut parts = MeshParts::default();
    let mut normals = Vec::new();
    for ring in 0..=rings {
        let polar = std::f64::consts::PI * f64::from(ring) / f64::from(rings);
        for segment in 0..=segments {
            let around = 2.0 * std::f64::consts::PI * f64::from(segment) / f64::from(segments);
            let point = glam::DVec3::new(
                libm::sin(polar) * libm::sin(around),
                libm::cos(polar),
                libm::sin(polar) * libm::cos(around),
            );
            parts.positions.push(point.as_vec3());
            normals.push(point.as_vec3());
        }
    }
    let row = segments + 1;
    for ring in 0..rings {
        for segment in 0..segments {
            let a = ring * row + segment;
            parts.triangles.push([a, a + row, a + row + 1]);
            parts.triangles.push([a, a + row + 1, a + 1]);
        }
    }
    parts.normals = Some(normals);
    parts
}

/// One mesh with one material.
pub fn scene(parts: MeshParts, material: Material) -> Scene {
    scene_of(vec![parts], vec![material])
}

/// Several meshes.
pub fn scene_of(parts: Vec<MeshParts>, materials: Vec<Material>) -> Scene {
    let meshes = parts.into_iter().map(|p| Mesh::new(p).unwrap()).collect();
    Scene::new(meshes, materials, vec![]).unwrap()
}

/// A material of one colour, shown without light.
pub fn flat_color(color: [f32; 4]) -> Material {
    Material { base_color: Vec4::from_array(color), unlit: true, ..Material::default() }
}

/// The result of work in a pool of so many threads.
pub fn with_threads<T: Send>(count: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap().install(work)
}

/// Pictures of so many pixels in each direction, drawn by the declared [`renderer`].
pub fn settings(size_px: u32, channels: &[Channel]) -> Settings {
    Settings {
        width_px: size_px,
        height_px: size_px,
        channels: channels.to_vec(),
        renderer: renderer(),
        ..Settings::default()
    }
}

/// One mesh with one material and its textures.
pub fn textured(parts: MeshParts, material: Material, textures: Vec<Texture>) -> Scene {
    Scene::new(vec![Mesh::new(parts).unwrap()], vec![material], textures).unwrap()
}

/// Parts whose corners went elsewhere.
pub fn moved(mut parts: MeshParts, to: impl Fn(Vec3) -> Vec3) -> MeshParts {
    parts.positions.iter_mut().for_each(|p| *p = to(*p));
    parts
}

/// A rig of one camera (as TOML) with one view.
pub fn one_view(camera: &str, azimuth_degrees: f64, elevation_degrees: f64) -> Rig {
    let text = format!(
        "name = 'x'\n[camera]\n{camera}\n[[view]]\nazimuth_degrees = {azimuth_degrees:?}\nelevation_degrees = {elevation_degrees:?}\n"
    );
    Rig::parse(&text, "x").unwrap()
}
