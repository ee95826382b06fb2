//! Pictures of the mesh itself: lines over grey clay, which side faces the camera, which triangles
//! belong together. Always by the CPU: colours are those of a painted copy of the scene, lines are
//! laid over its clay.

use super::channel::{Channel, Topology};
use super::cpu::transform::{SUBPIXEL, ScreenVertex, UNREACHABLE, ViewTransform, transform};
use super::error::RenderError;
use super::frame::Frame;
use super::image::Image;
use super::settings::{Background, Light, Renderer, Settings};
use super::shot::{DepthRange, Shot};
use super::surfaces;
use super::timings::Timings;
use crate::measure::{NO_LABEL, labels};
use crate::rig::{Placement, Rig};
use crate::scene::{Material, Mesh, MeshParts, Scene};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Linear RGB of surfaces that face the camera, and of those that face away.
const FRONT: Vec3 = Vec3::new(0.06, 0.2, 0.75);
const BACK: Vec3 = Vec3::new(0.75, 0.06, 0.05);

/// Of what has no label.
const UNLABELLED: Vec3 = Vec3::splat(0.2);

/// Different colours; labels that are equal modulo this share one.
const COLORS: u32 = 96;

/// Width of lines in pixels, and their sRGB grey.
const LINE_PX: f32 = 1.0;
const LINE_GREY: f32 = 24.0;

/// A line is hidden where the surface is nearer by more than this share of the asset's radius.
const DEPTH_SLACK: f64 = 4e-3;

/// As [`surfaces::draw_each`], with those channels too.
pub(super) fn draw_each<T: Send>(
    scene: &Scene,
    placement: Placement,
    rig: &Rig,
    settings: &Settings,
    timings: &Timings,
    each: impl Fn(Frame) -> T + Sync,
) -> Result<Vec<T>, RenderError> {
    let channels: BTreeSet<Channel> = settings.channels.iter().copied().collect();
    let wanted = channels.iter().filter_map(|&c| Some((c, c.topology()?)));
    let wanted: Vec<(Channel, Topology)> = wanted.collect();
    if wanted.is_empty() {
        return surfaces::draw_each(scene, placement, rig, settings, timings, each);
    }
    if let Renderer::Gpu(card) = &settings.renderer {
        let names: Vec<&str> = wanted.iter().map(|(channel, _)| channel.name()).collect();
        card.stand_in(rig.views.len(), &format!("it does not draw {}", names.join(", ")));
    }
    let mut pictures: Vec<BTreeMap<Channel, Image>> = vec![BTreeMap::new(); rig.views.len()];
    for (channel, topology) in wanted {
        let (painted, drawn) = match topology {
            Topology::Lines => (None, vec![Channel::Matte, Channel::Z]),
            Topology::Sides => (Some(sides(scene)?), vec![Channel::Rgb]),
            Topology::Labels(by) => (Some(colored(scene, &labels(scene, by))?), vec![Channel::Rgb]),
        };
        let of_copy = Settings {
            channels: drawn,
            background: match settings.background {
                Background::Transparent => Background::White,
                background => background,
            },
            light: Light::Studio,
            environment: None,
            renderer: Renderer::Cpu,
            ..settings.clone()
        };
        let take = |mut frame: Frame| match topology {
            Topology::Lines => lines(scene, &placement, rig, frame),
            _ => frame.images.remove(&Channel::Rgb),
        };
        let shown = painted.as_ref().unwrap_or(scene);
        let images = surfaces::draw_each(shown, placement, rig, &of_copy, timings, take)?;
        for (pictures, image) in pictures.iter_mut().zip(images) {
            pictures.extend(image.map(|image| (channel, image)));
        }
    }
    // Something has to be drawn for coverage and problems.
    let mut others: Vec<Channel> =
        channels.into_iter().filter(|channel| channel.topology().is_none()).collect();
    let only_these = others.is_empty();
    if only_these {
        others.push(Channel::Mask);
    }
    let rest = Settings { channels: others, ..settings.clone() };
    surfaces::draw_each(scene, placement, rig, &rest, timings, |mut frame| {
        if only_these {
            frame.images.clear();
        }
        let own = pictures[frame.view_idx].iter();
        frame.images.extend(own.map(|(channel, image)| (*channel, image.clone())));
        each(frame)
    })
}

/// Every triangle once from each side.
fn sides(scene: &Scene) -> Result<Scene, RenderError> {
    let meshes = scene.meshes().iter().flat_map(|mesh| {
        [false, true].map(|is_back| MeshParts {
            positions: mesh.positions().to_vec(),
            triangles: mesh
                .triangles()
                .iter()
                .map(|&[a, b, c]| if is_back { [a, c, b] } else { [a, b, c] })
                .collect(),
            material: usize::from(is_back),
            ..MeshParts::default()
        })
    });
    painted(meshes.collect(), vec![paint(FRONT, false), paint(BACK, false)])
}

/// A mesh for each colour of the labels, one for each triangle in the order of the scene.
fn colored(scene: &Scene, labels: &[u32]) -> Result<Scene, RenderError> {
    let mut by_color: BTreeMap<u32, MeshParts> = BTreeMap::new();
    let corners = scene
        .meshes()
        .iter()
        .flat_map(|mesh| mesh.triangles().iter().map(|t| t.map(|v| mesh.positions()[v as usize])));
    for (corners, &label) in corners.zip(labels) {
        let color = if label == NO_LABEL { COLORS } else { label % COLORS };
        let parts = by_color.entry(color).or_default();
        let first = parts.positions.len() as u32;
        parts.positions.extend(corners);
        parts.triangles.push([first, first + 1, first + 2]);
    }
    let materials: Vec<Material> = by_color.keys().map(|&color| paint(hue(color), true)).collect();
    let meshes = by_color.into_values().enumerate();
    painted(meshes.map(|(material, parts)| MeshParts { material, ..parts }).collect(), materials)
}

fn painted(meshes: Vec<MeshParts>, materials: Vec<Material>) -> Result<Scene, RenderError> {
    let meshes = meshes.into_iter().map(Mesh::new).collect::<Result<_, _>>();
    meshes
        .and_then(|meshes| Scene::new(meshes, materials, Vec::new()))
        .map_err(|e| RenderError::Painted { reason: e.to_string() })
}

fn paint(color: Vec3, double_sided: bool) -> Material {
    Material { base_color: color.extend(1.0), double_sided, ..Material::default() }
}

/// Neighbouring numbers differ most: hues by the golden ratio, and three brightnesses.
fn hue(color: u32) -> Vec3 {
    if color == COLORS {
        return UNLABELLED;
    }
    let hue = (color as f32 * 0.618_034).fract() * 6.0;
    let channel = |shift: f32| {
        let away = (hue + shift) % 6.0;
        (away.min(6.0 - away) - 1.0).clamp(0.0, 1.0)
    };
    let bright = [0.8, 0.35, 0.55][(color / 7 % 3) as usize];
    Vec3::new(channel(0.0), channel(2.0), channel(4.0)).lerp(Vec3::ONE, 0.08) * bright
}

/// The edges that are not hidden, over the clay of a frame.
fn lines(scene: &Scene, placement: &Placement, rig: &Rig, mut frame: Frame) -> Option<Image> {
    let camera = rig.camera(frame.view_idx);
    let (mut clay, z) = (frame.images.remove(&Channel::Matte)?, frame.images.remove(&Channel::Z)?);
    let (width, height) = (clay.width_px as i32, clay.height_px as i32);
    let view = ViewTransform::new(
        &camera,
        &Shot::whole(frame.view_idx),
        placement,
        clay.width_px,
        clay.height_px,
    );
    let range = DepthRange::new(&camera, placement);
    let slack = DEPTH_SLACK * placement.radius;
    let depths: Vec<f32> =
        z.pixels.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    // The farthest surface at a pixel and next to it: a line on a steep surface is not behind it.
    let farthest = |x: i32, y: i32| {
        let near = |at: i32, end: i32| (at - 1).max(0)..=(at + 1).min(end - 1);
        near(y, height)
            .flat_map(|y| near(x, width).map(move |x| (y * width + x) as usize))
            .map(|at| depths[at])
            .fold(0.0, f32::max)
    };
    let mut ink = vec![0.0_f32; depths.len()];
    let mut screen: Vec<ScreenVertex> = Vec::new();
    for mesh in scene.meshes() {
        screen.resize(mesh.positions().len(), ScreenVertex { x: 0, y: 0, z: 0.0, w: 1.0 });
        transform(mesh.positions(), &view, &mut screen);
        let ends =
            |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]);
        let mut edges: Vec<[u32; 2]> = mesh.triangles().iter().flat_map(ends).collect();
        edges.sort_unstable();
        edges.dedup();
        for edge in edges {
            let [from, to] = edge.map(|vertex| screen[vertex as usize]);
            if from.x == UNREACHABLE || to.x == UNREACHABLE {
                continue;
            }
            draw_line([from, to], [width, height], |x, y, z, share| {
                let seen = farthest(x, y);
                let is_visible = seen == 0.0 || range.depth(z) <= f64::from(seen) + slack;
                let ink = &mut ink[(y * width + x) as usize];
                if is_visible && share > *ink {
                    *ink = share;
                }
            });
        }
    }
    for (pixel, ink) in clay.pixels.as_chunks_mut::<3>().0.iter_mut().zip(ink) {
        for byte in pixel {
            *byte = (f32::from(*byte) * (1.0 - ink) + LINE_GREY * ink + 0.5) as u8;
        }
    }
    Some(clay)
}

/// Visits the pixels that a line covers: depth in clip space there, and how much of the pixel.
fn draw_line(
    [from, to]: [ScreenVertex; 2],
    [width, height]: [i32; 2],
    mut visit: impl FnMut(i32, i32, f32, f32),
) {
    let at = |v: i32| v as f32 / SUBPIXEL as f32;
    let (a, b) = ([at(from.x), at(from.y)], [at(to.x), at(to.y)]);
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = (dx * dx + dy * dy).sqrt();
    // Along the longer axis, one column (or row) after the other.
    let major = usize::from(dy.abs() > dx.abs());
    let minor = 1 - major;
    let size = [width, height];
    let reach = 0.5 * LINE_PX + 0.5;
    let first = (a[major].min(b[major]) - reach).floor().max(0.0) as i32;
    let last = (a[major].max(b[major]) + reach).floor().min(size[major] as f32 - 1.0) as i32;
    // A slope of 1 makes the line √2 as wide along the shorter axis.
    let across = 1.5 * reach;
    for step in first..=last {
        let middle = step as f32 + 0.5;
        let run = b[major] - a[major];
        let along = if run == 0.0 { 0.0 } else { ((middle - a[major]) / run).clamp(0.0, 1.0) };
        let center = a[minor] + (b[minor] - a[minor]) * along;
        let low = (center - across).floor().max(0.0) as i32;
        let high = (center + across).floor().min(size[minor] as f32 - 1.0) as i32;
        for other in low..=high {
            let pixel = if major == 0 { [step, other] } else { [other, step] };
            let to_pixel = [pixel[0] as f32 + 0.5 - a[0], pixel[1] as f32 + 0.5 - a[1]];
            let dot = to_pixel[0] * dx + to_pixel[1] * dy;
            let t = if length > 0.0 { (dot / (length * length)).clamp(0.0, 1.0) } else { 0.0 };
            let off = [to_pixel[0] - dx * t, to_pixel[1] - dy * t];
            let share = reach - (off[0] * off[0] + off[1] * off[1]).sqrt();
            if share > 0.0 {
                visit(pixel[0], pixel[1], from.z + (to.z - from.z) * t, share.min(1.0));
            }
        }
    }
}
