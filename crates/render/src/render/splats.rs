//! Splats → frames: cameras of a rig as `meshjudge-splat` has them, and its pictures as channels.
//! Unlit, without tone mapping, blended as the file says.
//!
//! The file's surfaces are drawn as ever, splats over them; the channels are those of splats.
//!
//! Depths and positions are those of the splat at which half of the light is lost, and 0 where less
//! is lost: a mean of the front and the back of an object would name a place where nothing is.
//! Normals are means of the splats' shortest axes, which mean little where splats are round.

use super::channel::{Channel, OfSplats};
use super::error::RenderError;
use super::frame::Frame;
use super::image::{Image, PixelFormat};
use super::settings::{Background, NormalSpace, Renderer, Settings};
use super::shot::{DepthRange, Stats};
use super::stop::Switch;
use super::timings::Timings;
use super::view_by_view::view_by_view;
use super::{gpu, surfaces};
use crate::rig::{Camera, Placement, Projection, Rig};
use crate::scene::SplatScene;
use crate::scene::color::unorm8;
use glam::{DVec3, Vec3};
use meshjudge_splat::camera::{Camera as SplatCamera, Lens as SplatLens};
use meshjudge_splat::render::{
    Alpha, Geometry, Picture, Settings as SplatSettings, Under, render_among,
};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Splats nearer than this are not drawn: 3D Gaussian Splatting's own limit, in the rig's units.
const NEAR: f64 = 0.2;

/// Draws every view of the rig and hands each frame to `each` on the thread that drew it.
pub(super) fn draw_each<T: Send>(
    splats: &SplatScene,
    rig: &Rig,
    settings: &Settings,
    timings: &Timings,
    each: impl Fn(Frame) -> T + Sync,
) -> Result<Vec<T>, RenderError> {
    if let Some(channel) =
        settings.channels.iter().find(|&&channel| channel.of_splats() == OfSplats::Absent)
    {
        return Err(RenderError::NotOfSplats { channel: channel.name() });
    }
    let placement = rig.placement(splats);
    let switch = Switch::of_this_thread();
    let drawing =
        Drawing { splats, placement, rig, settings, timings, handed_back: Mutex::default() };
    let results = match splats.surfaces() {
        None => {
            let draw = |view_idx: usize| {
                switch.check();
                drawing.frame(view_idx, None).map(&each)
            };
            view_by_view(0..rig.views.len(), draw)
        }
        Some(scene) => {
            // Linear light inside as everywhere; splats are blended over finished colours.
            let mut seen = settings.clone();
            seen.channels = vec![Channel::Rgb, Channel::Z, Channel::CameraNormal];
            seen.background = Background::Transparent;
            let draw = |seen: Frame| drawing.frame(seen.view_idx, Some(&seen)).map(&each);
            surfaces::draw_each(scene, placement, rig, &seen, timings, draw)?
        }
    };
    drawing.report();
    results.into_iter().collect()
}

/// What the views share.
struct Drawing<'a> {
    splats: &'a SplatScene,
    placement: Placement,
    rig: &'a Rig,
    settings: &'a Settings,
    timings: &'a Timings,
    /// Views that the graphics card did not draw, and why not.
    handed_back: Mutex<Vec<String>>,
}

impl Drawing<'_> {
    /// One view, with the surfaces' pictures of it if there are any.
    fn frame(&self, view_idx: usize, surfaces: Option<&Frame>) -> Result<Frame, RenderError> {
        let Self { placement, rig, settings, .. } = *self;
        let view = View { camera: rig.camera(view_idx), placement, rig, settings };
        let start = Instant::now();
        let surfaces = surfaces.map(|frame| Surfaces::new(frame, &view));
        let depths = surfaces.as_ref().map_or(&[][..], |surfaces| &surfaces.depths);
        let mut picture = self.picture(&view, depths)?;
        if let Some(surfaces) = &surfaces {
            picture.put_under(|at| surfaces.at(at));
        }
        self.timings.rasterise.add(start.elapsed());
        let start = Instant::now();
        let frame = view.frame(view_idx, &picture);
        self.timings.shade.add(start.elapsed());
        Ok(frame)
    }

    fn picture(&self, view: &View<'_>, surfaces: &[f32]) -> Result<Picture, RenderError> {
        let (camera, settings) = (view.splat_camera(), view.settings(self.splats));
        let splats = &self.splats.read().splats;
        if let Renderer::Gpu(card) = &self.settings.renderer {
            match gpu::draw_splats(card, splats, &camera, &settings, surfaces)? {
                Ok(picture) => return Ok(picture),
                Err(reason) => lock(&self.handed_back).push(reason),
            }
        }
        Ok(render_among(splats, &camera, &settings, surfaces)?)
    }

    fn report(&self) {
        let handed_back = lock(&self.handed_back);
        if let (Renderer::Gpu(card), Some(reason)) = (&self.settings.renderer, handed_back.first())
        {
            card.stand_in(handed_back.len(), reason);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What surfaces show in a view. A splat is hidden where its centre is behind the nearest surface
/// of a pixel, if surfaces cover half of the pixel or more.
struct Surfaces<'a> {
    /// In the splats' units; infinite where no surface hides anything.
    depths: Vec<f32>,
    rgba: &'a [[u8; 4]],
    normals: &'a [[u8; 3]],
    axes: [Vec3; 3],
}

impl<'a> Surfaces<'a> {
    fn new(frame: &'a Frame, view: &View<'_>) -> Self {
        let pixels = |channel| &frame.images[&channel].pixels[..];
        let in_file = |z: f32| (f64::from(z) / view.placement.scale) as f32;
        let rgba: &[[u8; 4]] = pixels(Channel::Rgb).as_chunks().0;
        let hides = |z: f32, [.., alpha]: &[u8; 4]| z > 0.0 && *alpha > 127;
        let seen = frame.images[&Channel::Z].floats().zip(rgba);
        let depths = seen.map(|(z, rgba)| if hides(z, rgba) { in_file(z) } else { f32::INFINITY });
        let Camera { right, up, back, .. } = view.camera;
        Self {
            depths: depths.collect(),
            rgba,
            normals: pixels(Channel::CameraNormal).as_chunks().0,
            axes: [right, up, back].map(|axis| axis.as_vec3()),
        }
    }

    fn at(&self, pixel: usize) -> Option<Under> {
        let [red, green, blue, alpha] = self.rgba[pixel].map(|byte| f32::from(byte) / 255.0);
        if alpha == 0.0 {
            return None;
        }
        // Bytes are (n + 1) / 2 over black by coverage.
        let along = self.normals[pixel].map(|byte| f32::from(byte) / 255.0 / alpha * 2.0 - 1.0);
        let axes = self.axes.iter().zip(along);
        let normal = axes.map(|(axis, along)| *axis * along).sum::<Vec3>().normalize_or_zero();
        let depth = Some(self.depths[pixel]).filter(|depth| depth.is_finite()).unwrap_or(0.0);
        Some(Under { rgb: [red, green, blue], alpha, depth, normal: normal.to_array() })
    }
}

struct View<'a> {
    camera: Camera,
    placement: Placement,
    rig: &'a Rig,
    settings: &'a Settings,
}

impl View<'_> {
    /// In the file's units and place, so that splats need no copy.
    fn splat_camera(&self) -> SplatCamera {
        let (width, height) =
            (f64::from(self.settings.width_px), f64::from(self.settings.height_px));
        let [x, y] = self.camera.lens.principal_point;
        let (lens, focal) = match self.camera.projection {
            Projection::Perspective { fov_y_degrees, .. } => {
                (SplatLens::Perspective, 0.5 * height / libm::tan(0.5 * fov_y_degrees.to_radians()))
            }
            Projection::Orthographic { half_height } => {
                (SplatLens::Orthographic, 0.5 * height / half_height * self.placement.scale)
            }
        };
        // Poses from files are orthonormal to 1e-3 only.
        let forward = (-self.camera.back).normalize();
        let right = (self.camera.right - forward * forward.dot(self.camera.right)).normalize();
        SplatCamera {
            width_px: self.settings.width_px,
            height_px: self.settings.height_px,
            eye: self.placement.center + self.camera.position() / self.placement.scale,
            axes: [right, forward.cross(right), forward],
            lens,
            focal_px: [focal * self.camera.lens.focal_ratio, focal],
            center_px: [x * width, y * height],
        }
    }

    fn settings(&self, splats: &SplatScene) -> SplatSettings {
        let near = match self.camera.projection {
            Projection::Perspective { .. } => NEAR,
            Projection::Orthographic { .. } => {
                NEAR.min(self.camera.near_and_far(self.placement.radius).0)
            }
        };
        let usual = SplatSettings::default();
        let filter = self.rig.splats;
        let claimed = splats.read().antialiased == Some(true);
        SplatSettings {
            low_pass_px2: filter.and_then(|f| f.kernel).unwrap_or(usual.low_pass_px2),
            compensated: filter.and_then(|f| f.antialiased).unwrap_or(claimed),
            order: splats.read().order,
            near: (near / self.placement.scale) as f32,
            geometry: self
                .settings
                .channels
                .iter()
                .any(|channel| channel.of_splats() == OfSplats::Geometry),
            ..usual
        }
    }

    fn frame(&self, view_idx: usize, picture: &Picture) -> Frame {
        let images = self.settings.channels.iter().map(|&channel| {
            let (format, pixels) = self.channel(channel, picture);
            let (width_px, height_px) = (picture.width_px, picture.height_px);
            (channel, Image { width_px, height_px, format, pixels })
        });
        let images: Vec<(Channel, Image)> = images.collect();
        let rgb = images.iter().find(|(channel, _)| *channel == Channel::Rgb);
        let stats = stats(picture, self.settings.background, rgb.map(|(_, image)| image));
        Frame::of(self.settings, view_idx, images, &[stats])
    }

    fn channel(&self, channel: Channel, picture: &Picture) -> (PixelFormat, Vec<u8>) {
        let range = DepthRange::new(&self.camera, &self.placement);
        let is_expected = channel == Channel::ExpectedZ;
        let depths = || {
            let depth =
                |it: &Geometry| if is_expected { it.depth_expected } else { it.depth_median };
            picture.geometry.iter().map(move |it| f64::from(depth(it)) * self.placement.scale)
        };
        match channel {
            Channel::Rgb => match self.settings.background.srgb() {
                Some(behind) => {
                    let pixels = picture.over(behind.map(|byte| f32::from(byte) / 255.0));
                    let rgb = pixels.into_iter().flat_map(|[r, g, b, _]| [r, g, b]);
                    (PixelFormat::Rgb8, rgb.collect())
                }
                None => (PixelFormat::Rgba8, picture.rgba8(Alpha::Straight).into_flattened()),
            },
            Channel::Mask | Channel::Opacity => {
                (PixelFormat::Grey8, picture.rgba.iter().map(|pixel| unorm8(pixel[3])).collect())
            }
            Channel::Normal if self.settings.normal_space == NormalSpace::World => {
                (PixelFormat::Rgb8, normals(picture, self.rig.normal_axes.rows()))
            }
            Channel::Normal | Channel::CameraNormal => {
                let Camera { right, up, back, .. } = self.camera;
                (PixelFormat::Rgb8, normals(picture, [right, up, back].map(|v| v.as_vec3())))
            }
            Channel::Position => (PixelFormat::Rgba32F, self.positions(picture)),
            Channel::Z | Channel::ExpectedZ => {
                (PixelFormat::Grey32F, encoded(depths(), |depth, _| (depth as f32).to_le_bytes()))
            }
            Channel::NdcDepth => {
                let step = |depth, _| range.ndc_step_of(depth).to_be_bytes();
                (PixelFormat::Grey16, encoded(depths(), step))
            }
            _ => {
                let step = |depth, _| range.step_of(depth).to_be_bytes();
                (PixelFormat::Grey16, encoded(depths(), step))
            }
        }
    }

    /// Points in the rig's world, and 1.
    fn positions(&self, picture: &Picture) -> Vec<u8> {
        let SplatCamera { eye, axes: [right, down, forward], lens, focal_px, center_px, .. } =
            self.splat_camera();
        let depths = picture.geometry.iter().map(|geometry| f64::from(geometry.depth_median));
        encoded(depths, |depth, at| {
            let width = picture.width_px as usize;
            let at = [at % width, at / width].map(|pixel| pixel as f64 + 0.5);
            let reach = if lens == SplatLens::Perspective { depth } else { 1.0 };
            let [x, y] = [0, 1].map(|k| (at[k] - center_px[k]) / focal_px[k] * reach);
            let point = eye + right * x + down * y + forward * depth;
            let DVec3 { x, y, z } = (point - self.placement.center) * self.placement.scale;
            let numbers = [x as f32, y as f32, z as f32, 1.0];
            bytemuck::cast::<_, [u8; 16]>(numbers.map(f32::to_le_bytes))
        })
    }
}

/// Bytes of the pixels that have a depth, by depth and index; zeros for the others.
fn encoded<const N: usize>(
    depths: impl Iterator<Item = f64>,
    bytes: impl Fn(f64, usize) -> [u8; N],
) -> Vec<u8> {
    let pixels = depths.enumerate();
    let pixels = pixels.map(|(at, depth)| if depth > 0.0 { bytes(depth, at) } else { [0; N] });
    pixels.collect::<Vec<_>>().into_flattened()
}

/// Components along these axes as `(n + 1) / 2`, over black by alpha.
fn normals(picture: &Picture, axes: [Vec3; 3]) -> Vec<u8> {
    let pixels = picture.rgba.iter().zip(&picture.geometry);
    let encoded = pixels.map(|(&[.., alpha], geometry)| {
        let normal = Vec3::from_array(geometry.normal);
        if normal == Vec3::ZERO {
            return [0; 3];
        }
        axes.map(|axis| unorm8(0.5 * (axis.dot(normal) + 1.0) * alpha))
    });
    encoded.collect::<Vec<_>>().into_flattened()
}

/// As for surfaces, except that the edge of a picture is touched where half a pixel is covered:
/// splats have no exact end.
fn stats(picture: &Picture, background: Background, rgb: Option<&Image>) -> Stats {
    let (width, height) = (picture.width_px as usize, picture.height_px as usize);
    let shown = rgb.zip(background.srgb());
    let mut stats =
        Stats { covered: picture.coverage() * (width * height) as f64, ..Stats::default() };
    for at in picture.mask().iter().enumerate().filter(|(_, covered)| **covered).map(|(at, _)| at) {
        let (x, y) = (at % width, at / width);
        stats.solid += 1;
        stats.border_covered += u32::from(x == 0 || y == 0 || x + 1 == width || y + 1 == height);
        if let Some((image, behind)) = shown {
            let pixel = &image.pixels[3 * at..][..3];
            let largest = pixel.iter().zip(behind).map(|(a, b)| a.abs_diff(b)).max();
            stats.contrast += f64::from(largest.unwrap_or(0));
        }
    }
    stats
}
