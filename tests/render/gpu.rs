//! The graphics card against the reference: one scene, one rig, two renderers. Runs only where
//! `MESHJUDGE_GPU` names an adapter (`real`, or a part of its name such as `llvmpipe`); where it
//! does, an adapter that is missing fails the tests.
//!
//! `MESHJUDGE_MODELS` adds a folder of models; `MESHJUDGE_AGREEMENT` names a file for the figures
//! of every model and channel.

use crate::support::assets::{demo_scene, splat_sphere, splats_with_a_board};
use crate::support::scenes::{self, sphere, square};
use glam::{Vec2, Vec3, Vec4};
use meshjudge::unstable::load::{Choices, Options, Source, load, load_asset};
use meshjudge::unstable::render::{
    AdapterChoice, Background, Channel, Frame, Gpu, Image, Light, NormalSpace, PixelFormat,
    Renderer, Settings, draw,
};
use meshjudge::unstable::rig::{Rig, ring_views};
use meshjudge::unstable::scene::{
    AlphaMode, Asset, AssetRef, ColorSpace, Layers, Material, Mesh, Scene, Slot, Slots,
    SpecularGlossiness, Texture, TextureRef, Wrap,
};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Of the pixels that either of two pictures covers, at least `share` differ by at most
/// `difference` in each component, in units of its last place (of 255; of 65535 for depth).
#[derive(Debug, Clone, Copy)]
struct Bound {
    difference: u32,
    share: f64,
}

/// A real card: measured on an H100, where 2 of 30 million values were farther off
/// (docs/runs/fidelity/2026-11-26-h100.md).
const REAL: Bound = Bound { difference: 1, share: 0.9999 };

/// Splats on any card: where a splat's opacity is a bit's breadth from the cut, or the light from a
/// half, the renderers may differ.
const SPLATS: Bound = Bound { difference: 1, share: 0.999 };

/// A software card, by channel: Mesa's lavapipe, where no pixel of 35 models was farther off
/// (docs/runs/fidelity/2026-11-21-gpu-agreement.md).
const SOFTWARE: [(Channel, u32); 18] = [
    (Channel::Rgb, 1),
    (Channel::Normal, 0),
    (Channel::Matte, 0),
    (Channel::Depth, 0),
    (Channel::Mask, 1),
    (Channel::NdcDepth, 0),
    (Channel::BaseColor, 1),
    (Channel::MetallicRoughness, 1),
    (Channel::Emissive, 1),
    (Channel::Opacity, 1),
    (Channel::CameraNormal, 0),
    (Channel::ShadingNormal, 1),
    (Channel::CameraShadingNormal, 1),
    (Channel::Position, 1),
    (Channel::Z, 0),
    (Channel::ExpectedZ, 0),
    (Channel::Uv, 2),
    (Channel::Part, 0),
];

/// The warning that the user would see.
type Notices = Arc<Mutex<Vec<String>>>;

/// The declared card.
fn card() -> Option<(Gpu, Notices)> {
    card_within(u64::MAX)
}

/// The declared card with no larger buffers than this.
fn card_within(buffer_bytes_max: u64) -> Option<(Gpu, Notices)> {
    let Some(choice) = scenes::declared_adapter() else {
        eprintln!("left out: MESHJUDGE_GPU is not set");
        return None;
    };
    let notices = Notices::default();
    let told = Arc::clone(&notices);
    let notice = move |line: &str| told.lock().unwrap().push(line.to_owned());
    let gpu = Gpu::open_within(&choice, buffer_bytes_max, Box::new(notice))
        .unwrap_or_else(|e| panic!("MESHJUDGE_GPU: {e}"));
    Some((gpu, notices))
}

fn settings(size: u32, renderer: Renderer) -> Settings {
    Settings { renderer, ..scenes::settings(size, &SOFTWARE.map(|(channel, _)| channel)) }
}

/// How two sets of pictures of one channel differ.
#[derive(Debug, Clone, Copy, Default)]
struct Difference {
    /// Pixels that either covers.
    covered: u64,
    /// Of these, pixels that differ at all, and by more than the tolerance.
    any: u64,
    beyond: u64,
    largest: u32,
}

impl Difference {
    fn share_within(&self) -> f64 {
        1.0 - self.beyond as f64 / self.covered.max(1) as f64
    }

    fn add(&mut self, channel: Channel, bound: Bound, one: &Frame, other: &Frame) {
        let (a, b) = (&one.images[&channel], &other.images[&channel]);
        assert_eq!((a.width_px, a.height_px, a.format), (b.width_px, b.height_px, b.format));
        for y in 0..a.height_px {
            for x in 0..a.width_px {
                let is_covered = |frame: &Frame| frame.images[&Channel::Mask].pixel(x, y) != [0];
                if !is_covered(one) && !is_covered(other) {
                    continue;
                }
                self.covered += 1;
                let found = pixel_difference(a, b, x, y);
                self.any += u64::from(found > 0);
                self.beyond += u64::from(found > bound.difference);
                self.largest = self.largest.max(found);
            }
        }
    }
}

fn pixel_difference(a: &Image, b: &Image, x: u32, y: u32) -> u32 {
    if a.format.is_float() {
        // In 65535ths, the steps of a 16-bit picture.
        let numbers = |image: &Image| {
            let (floats, _) = image.pixel(x, y).as_chunks::<4>();
            floats.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect::<Vec<_>>()
        };
        let pairs = numbers(a).into_iter().zip(numbers(b));
        return pairs.map(|(a, b)| ((a - b).abs() * 65_535.0) as u32).max().unwrap_or(0);
    }
    let (a, b) = (a.pixel(x, y), b.pixel(x, y));
    if let ([a0, a1], [b0, b1]) = (a, b) {
        let deep = |high: &u8, low: &u8| u32::from(u16::from_be_bytes([*high, *low]));
        return deep(a0, a1).abs_diff(deep(b0, b1));
    }
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(*b))).max().unwrap_or(0)
}

/// Draws with both renderers and compares channel by channel; names what is beyond the table.
fn compare<'a>(
    name: &str,
    scene: impl Into<AssetRef<'a>> + Copy,
    rig: &Rig,
    gpu: &Gpu,
    settings: &Settings,
    record: &mut String,
) -> Vec<String> {
    let on = |renderer| {
        let settings = Settings { renderer, ..settings.clone() };
        draw(scene, rig, &settings).unwrap()
    };
    let (reference, found) = (on(Renderer::Cpu), on(Renderer::Gpu(gpu.clone())));
    assert_eq!(reference.len(), found.len(), "{name}: views");
    let mut problems = Vec::new();
    for &channel in &settings.channels {
        let software = SOFTWARE.iter().find(|(own, _)| *own == channel).unwrap().1;
        let software = Bound { difference: software, share: 1.0 };
        let is_splats = matches!(scene.into(), AssetRef::Splats(_));
        let surfaces = if gpu.facts().is_real { REAL } else { software };
        let bound = if is_splats { SPLATS } else { surfaces };
        let mut difference = Difference::default();
        for (one, other) in reference.iter().zip(&found) {
            difference.add(channel, bound, one, other);
        }
        assert!(difference.covered > 0, "{name}: nothing was drawn, so nothing was compared");
        let Difference { covered, any, beyond, largest } = difference;
        let _ = writeln!(
            record,
            "| {name} | {channel:?} | {covered} | {any} | {beyond} | {largest} | {:.4} % |",
            difference.share_within() * 100.0
        );
        if difference.share_within() < bound.share {
            problems.push(format!("{name} {channel:?}: {difference:?}"));
        }
    }
    for (one, other) in reference.iter().zip(&found) {
        assert!((one.coverage - other.coverage).abs() < 1e-3, "{name}: coverage");
    }
    problems
}

/// Splats alone, and among surfaces.
#[test]
fn splats_are_the_same_on_the_card() {
    let Some((gpu, notices)) = card() else {
        return;
    };
    let channels = vec![
        Channel::Rgb,
        Channel::Normal,
        Channel::CameraNormal,
        Channel::Mask,
        Channel::Opacity,
        Channel::Depth,
        Channel::NdcDepth,
    ];
    for background in [Background::White, Background::Transparent] {
        let settings =
            Settings { channels: channels.clone(), background, ..settings(150, Renderer::Cpu) };
        for (name, text) in [("a.ply", splat_sphere(1.0)), ("b.gltf", splats_with_a_board())] {
            let (bytes, options) = (text.as_bytes(), Options::default());
            let asset =
                load_asset(Source::bytes(bytes, name), &options, Choices::default()).unwrap().scene;
            let Asset::Splats(splats) = asset else { panic!("splats") };
            let problems = compare(name, &*splats, &rig(3), &gpu, &settings, &mut String::new());
            assert!(problems.is_empty(), "{problems:?}");
        }
    }
    assert_eq!((gpu.num_stood_in(), notices.lock().unwrap().len()), (0, 0));
}

/// The ring with a view from a little above, and fewer of them.
fn rig(num_views: usize) -> Rig {
    Rig::builtin("ring").unwrap().replacing_views(ring_views(num_views, 15.0, false))
}

/// Twelve transparent squares, one behind the other: more fragments than there is room for before
/// any were counted.
fn stacked() -> Scene {
    let blend = Material {
        alpha_mode: AlphaMode::Blend,
        base_color: Vec4::new(0.9, 0.4, 0.1, 0.2),
        double_sided: true,
        ..Material::default()
    };
    let squares = (0..12).map(|k| square(1.0, k as f32 * 0.1 - 0.6, 0)).collect();
    scenes::scene_of(squares, vec![blend])
}

/// Nested glass, a cut-out and paint in one scene.
fn mixed() -> Scene {
    let blend = Material {
        alpha_mode: AlphaMode::Blend,
        base_color: Vec4::new(0.2, 0.5, 0.9, 0.4),
        double_sided: true,
        ..Material::default()
    };
    let glass = Material {
        transmission: 0.9,
        roughness: 0.1,
        base_color: Vec4::new(0.9, 0.6, 0.5, 1.0),
        ..Material::default()
    };
    let metal = Material { metallic: 1.0, roughness: 0.3, ..Material::default() };
    let mut small = scenes::moved(sphere(24, 48), |p| p * 0.6);
    small.material = 2;
    let mut shell = sphere(32, 64);
    shell.material = 1;
    scenes::scene_of(vec![square(1.2, 0.3, 0), shell, small], vec![blend, glass, metal])
}

/// Three spheres with every layer but film and grain and a texture in each of its places, one of
/// them glass; or five with film or grain.
fn layered(has_grain: bool) -> Scene {
    let ball = |material: usize| {
        let mut parts = sphere(24, 48);
        let uvs = parts.positions.iter().map(|p| 3.0 * Vec2::new(p.x, -p.y));
        parts.uv_sets = vec![uvs.collect()];
        parts.material = material;
        let place = Vec3::new((material % 3) as f32 - 1.0, (material / 3) as f32, 0.0);
        Mesh::new(scenes::moved(parts, |p| p * 0.5 + place)).unwrap()
    };
    let texture = |space| {
        let texels = vec![[250, 130, 200, 90], [140, 240, 230, 250], [90, 60, 255, 160], [255; 4]];
        Texture::new("t".into(), 2, 2, texels, space, [Wrap::Repeat; 2]).unwrap()
    };
    let at = |texture| Some(TextureRef::plain(texture));
    let layers = Layers {
        ior: 1.8,
        specular: 0.9,
        specular_color: Vec3::new(2.0, 1.0, 0.5),
        coat: 0.8,
        coat_roughness: 0.4,
        coat_normal_scale: 0.3,
        sheen_color: Vec3::new(0.2, 0.5, 0.8),
        sheen_roughness: 0.6,
        thickness: 0.5,
        attenuation_color: Vec3::new(0.5, 0.25, 1.0),
        attenuation_distance: 0.3,
        specular_glossiness: None,
        ..Layers::default()
    };
    let film = Layers {
        iridescence: 0.9,
        iridescence_ior: 1.4,
        iridescence_thickness_nm: [150.0, 700.0],
        ..Layers::default()
    };
    let brushed = Layers { anisotropy: 0.8, anisotropy_rotation_radians: 0.7, ..Layers::default() };
    let glossy = Layers {
        specular_glossiness: Some(SpecularGlossiness {
            specular: Vec3::new(0.9, 0.7, 0.3),
            glossiness: 0.8,
        }),
        ..Layers::default()
    };
    // Each layer that has a strength has its textures.
    let with = |layers: Layers, transmission| {
        let mut textures = Slots::default();
        let is_glossy = layers.specular_glossiness.is_some();
        let used: &[Slot] = match () {
            () if is_glossy => &[Slot::SpecularGlossiness],
            () if layers.iridescence > 0.0 => &[Slot::Iridescence, Slot::IridescenceThickness],
            () if layers.coat > 0.0 => &[
                Slot::Specular,
                Slot::SpecularColor,
                Slot::Coat,
                Slot::CoatRoughness,
                Slot::CoatNormal,
                Slot::SheenColor,
                Slot::SheenRoughness,
                Slot::Thickness,
            ],
            () => &[],
        };
        for &slot in used {
            textures[slot] = at(usize::from(slot.color_space() == ColorSpace::Linear));
        }
        Material {
            base_color: Vec4::new(0.6, 0.4, 0.3, 1.0),
            roughness: 0.5,
            transmission,
            textures,
            layers: Some(Box::new(layers)),
            ..Material::default()
        }
    };
    let metal = |layers| Material { metallic: 1.0, roughness: 0.3, ..with(layers, 0.0) };
    let mut brushed_by_texture = metal(brushed.clone());
    brushed_by_texture.textures[Slot::Anisotropy] = at(1);
    let materials = [
        with(layers.clone(), 0.0),
        with(glossy, 0.0),
        with(layers, 0.7),
        with(film.clone(), 0.0),
        with(film.clone(), 0.7),
        metal(film),
        metal(brushed),
        brushed_by_texture,
    ];
    let textures = vec![texture(ColorSpace::Srgb), texture(ColorSpace::Linear)];
    let materials = if has_grain { materials[3..].to_vec() } else { materials[..3].to_vec() };
    Scene::new((0..materials.len()).map(ball).collect(), materials, textures).unwrap()
}

/// Wires of which four samples see next to nothing, by themselves or behind a pane.
fn thin(is_behind_glass: bool) -> Scene {
    let glass = Material {
        transmission: 0.8,
        base_color: Vec4::new(0.7, 0.9, 0.8, 1.0),
        ..Material::default()
    };
    let mut meshes = vec![scenes::wires(0.002, &[0.0, 13.0, 52.0, 90.0, 121.0], 0)];
    if is_behind_glass {
        meshes.push(square(0.4, 0.3, 1));
    }
    scenes::scene_of(meshes, vec![Material { double_sided: true, ..Material::default() }, glass])
}

#[test]
fn our_own_scenes_look_the_same() {
    let Some((gpu, notices)) = card() else { return };
    let mut problems = Vec::new();
    let mut record = String::new();
    let scenes = [
        ("chair_clean", demo_scene("chair_clean.glb")),
        ("chair_damaged", demo_scene("chair_damaged.glb")),
        ("vase_clean", demo_scene("vase_clean.glb")),
        ("mixed", mixed().into()),
        ("stacked", stacked().into()),
        ("layered", layered(false).into()),
        ("wires", thin(false).into()),
        ("wires behind glass", thin(true).into()),
        ("filmed and brushed", layered(true).into()),
    ];
    for (name, scene) in &scenes {
        let settings = settings(192, Renderer::Cpu);
        problems.extend(compare(name, scene, &rig(3), &gpu, &settings, &mut record));
    }
    let unlit = Settings {
        light: Light::Unlit,
        background: Background::Transparent,
        normal_space: NormalSpace::View,
        ..settings(96, Renderer::Cpu)
    };
    let six = Rig::builtin("six").unwrap();
    problems.extend(compare("mixed, unlit", &scenes[3].1, &six, &gpu, &unlit, &mut record));
    let lit_all_around = Settings {
        environment: Some(super::environment::patches()),
        ..settings(96, Renderer::Cpu)
    };
    for (name, idx) in [
        ("mixed, environment", 3),
        ("layered, environment", 5),
        ("filmed and brushed, environment", 8),
    ] {
        let found = compare(name, &scenes[idx].1, &six, &gpu, &lit_all_around, &mut record);
        problems.extend(found);
    }
    println!("{record}");
    assert!(problems.is_empty(), "{problems:#?}");
    assert_eq!(*notices.lock().unwrap(), Vec::<String>::new());
}

#[test]
fn a_picture_that_is_off_is_seen() {
    // The harness itself: one pixel in ten is three steps off.
    let frame = |off: u8| {
        let mut rgb = Image::filled(10, 10, PixelFormat::Rgb8, &[100; 3]);
        rgb.pixels.iter_mut().step_by(30).for_each(|byte| *byte += off);
        let mask = Image::filled(10, 10, PixelFormat::Grey8, &[255]);
        Frame {
            view_idx: 0,
            images: [(Channel::Rgb, rgb), (Channel::Mask, mask)].into(),
            coverage: 1.0,
            problems: vec![],
        }
    };
    let mut difference = Difference::default();
    difference.add(Channel::Rgb, REAL, &frame(0), &frame(3));
    let Difference { covered, any, beyond, largest } = difference;
    assert_eq!((covered, any, beyond, largest), (100, 10, 10, 3));
    assert!(difference.share_within() < REAL.share);
}

fn assert_same(reference: &[Frame], found: &[Frame]) {
    assert!(!reference.is_empty() && reference.len() == found.len());
    for (one, other) in reference.iter().zip(found) {
        assert!(one.images == other.images, "view {}", one.view_idx);
    }
}

/// Of one notice.
fn assert_told(notices: &Notices, part: &str) {
    let said = notices.lock().unwrap().clone();
    assert!(matches!(&said[..], [line] if line.contains(part)), "{said:?}");
}

#[test]
fn when_the_device_is_lost_the_cpu_takes_over_and_says_so() {
    let Some((gpu, notices)) = card() else { return };
    let scene = mixed();
    let on = |renderer| draw(&scene, &rig(3), &settings(64, renderer)).unwrap();
    on(Renderer::Gpu(gpu.clone()));
    assert_eq!(notices.lock().unwrap().len(), 0);
    gpu.lose();
    let (reference, found) = (on(Renderer::Cpu), on(Renderer::Gpu(gpu.clone())));
    assert_same(&reference, &found);
    assert_told(&notices, "the CPU draws instead");
}

#[test]
fn pictures_and_textures_beyond_a_buffer_are_cut_and_reduced() {
    // 128² samples take 512 KiB, so a view is drawn in bands; four buffers hold the texture at half
    // its size.
    const BYTES: u64 = 400 << 10;
    let Some((gpu, notices)) = card_within(BYTES) else {
        return;
    };
    let scene = demo_scene("vase_clean.glb");
    let texture = scene.textures().iter().map(Texture::width_px).max();
    assert_eq!(texture, Some(512), "a level of its own takes more than a buffer");
    let with =
        |channels: &[Channel], renderer| Settings { renderer, ..scenes::settings(128, channels) };
    // Without colour no texture is needed, so nothing is reduced, and bands leave no seam.
    let shape = [Channel::Normal, Channel::Depth, Channel::Mask];
    let on =
        |channels: &[Channel], renderer| draw(&scene, &rig(2), &with(channels, renderer)).unwrap();
    assert_same(&on(&shape, Renderer::Cpu), &on(&shape, Renderer::Gpu(gpu.clone())));
    assert_eq!(*notices.lock().unwrap(), Vec::<String>::new());
    let (reference, reduced) =
        (on(&[Channel::Rgb], Renderer::Cpu), on(&[Channel::Rgb], Renderer::Gpu(gpu)));
    assert_told(&notices, "textures are reduced to at most 256 px a side");
    let mean = |frames: &[Frame]| {
        let pixels = &frames[0].images[&Channel::Rgb].pixels;
        pixels.iter().map(|&v| f64::from(v)).sum::<f64>() / pixels.len() as f64
    };
    assert!((mean(&reference) - mean(&reduced)).abs() < 1.0, "a smaller texture, the same picture");
}

#[test]
fn a_scene_beyond_a_buffer_is_drawn_by_the_cpu_and_that_is_said() {
    let Some((gpu, notices)) = card_within(16 << 10) else {
        return;
    };
    let scene = demo_scene("chair_clean.glb");
    let on = |renderer| draw(&scene, &rig(2), &settings(64, renderer)).unwrap();
    assert_same(&on(Renderer::Cpu), &on(Renderer::Gpu(gpu)));
    assert_told(&notices, "the CPU draws instead");
}

#[test]
fn an_adapter_that_is_not_there_is_an_error_that_names_what_is() {
    let choice = AdapterChoice::Named("no such adapter".to_owned());
    let error = Gpu::open(&choice, Box::new(|_| ())).unwrap_err().to_string();
    assert!(error.contains("\"no such adapter\""), "{error}");
}

fn assets_of(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                pending.push(path);
            } else if ["glb", "gltf", "obj", "ply", "stl"].contains(&&*extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn real_models_look_the_same() {
    let Some(folder) = std::env::var_os("MESHJUDGE_MODELS").map(PathBuf::from) else {
        eprintln!("left out: MESHJUDGE_MODELS is not set");
        return;
    };
    let Some((gpu, notices)) = card() else { return };
    let assets = assets_of(&folder);
    assert!(!assets.is_empty(), "no model in {folder:?}");
    let mut problems = Vec::new();
    let mut record = String::from(
        "| model | channel | covered pixels | differ | beyond | largest | within |\n| --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for path in &assets {
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        let scene = load(path, &Options::default()).unwrap().scene;
        // A software card takes minutes for more.
        let size_px = if gpu.facts().is_real { 256 } else { 128 };
        let settings = settings(size_px, Renderer::Cpu);
        problems.extend(compare(&name, &scene, &rig(4), &gpu, &settings, &mut record));
    }
    match std::env::var_os("MESHJUDGE_AGREEMENT") {
        Some(path) => std::fs::write(path, &record).unwrap(),
        None => println!("{record}"),
    }
    assert!(problems.is_empty(), "{problems:#?}");
    assert_eq!(*notices.lock().unwrap(), Vec::<String>::new());
}
