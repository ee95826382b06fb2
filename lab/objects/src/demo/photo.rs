//! A picture of the demo chair in a room and its mask: what a user of the reconstruction rubric
//! hands in. Drawn by our own renderer.

use glam::DVec3;
use meshjudge_asset::objects::kit::{noise, wood_value};
use meshjudge_asset::render::{self, Background, Channel, Image, PixelFormat, Settings};
use meshjudge_asset::rig::{Camera, Projection, Rig, View};
use meshjudge_asset::scene::Scene;
use meshjudge_asset::sheet::{decode_srgb, encode_srgb};

const WIDTH_PX: u32 = 560;
const HEIGHT_PX: u32 = 480;
const LIGHT_HALF: f64 = 1.1;
const LIGHT_PX: u32 = 512;
const FOV_DEGREES: f64 = 34.0;

/// Photo (RGB8) and mask (Grey8).
pub fn photo(scene: &Scene) -> (Image, Image) {
    let camera_rig =
        rig(Projection::Perspective { fov_y_degrees: FOV_DEGREES, distance: 4.6 }, 37.0, 14.0);
    let light_rig = rig(Projection::Orthographic { half_height: LIGHT_HALF }, -48.0, 58.0);
    let settings = Settings {
        width_px: WIDTH_PX,
        height_px: HEIGHT_PX,
        channels: vec![Channel::Rgb, Channel::Mask],
        background: Background::Transparent,
        ..Settings::default()
    };
    let light_settings = Settings {
        width_px: LIGHT_PX,
        height_px: LIGHT_PX,
        channels: vec![Channel::Mask],
        ..Settings::default()
    };
    let object = render::draw(scene, &camera_rig, &settings).expect("sizes in range").remove(0);
    let shadow =
        render::draw(scene, &light_rig, &light_settings).expect("sizes in range").remove(0);
    let room = Room {
        floor: floor_height(scene),
        camera: camera_rig.camera(0),
        light: light_rig.camera(0),
        shadow: &shadow.images[&Channel::Mask],
    };
    let rgba = &object.images[&Channel::Rgb];
    let mut pixels = Vec::new();
    for y in 0..HEIGHT_PX {
        for x in 0..WIDTH_PX {
            let behind = room.pixel(x, y);
            let &[r, g, b, a] = rgba.pixel(x, y) else {
                unreachable!("transparent pictures are RGBA")
            };
            let alpha = f32::from(a) / 255.0;
            // The room is a little darker than the studio.
            let front = [r, g, b].map(|byte| decode_srgb(byte) * 0.82);
            pixels
                .extend((0..3).map(|c| encode_srgb(front[c] * alpha + behind[c] * (1.0 - alpha))));
        }
    }
    let photo =
        Image { width_px: WIDTH_PX, height_px: HEIGHT_PX, format: PixelFormat::Rgb8, pixels };
    (photo, object.images[&Channel::Mask].clone())
}

fn rig(projection: Projection, azimuth_degrees: f64, elevation_degrees: f64) -> Rig {
    let views = vec![View::at(azimuth_degrees, elevation_degrees)];
    Rig::new("photo", "", projection, WIDTH_PX, views)
}

/// The lowest point of the normalised scene.
fn floor_height(scene: &Scene) -> f64 {
    let bounds = scene.bounds();
    (f64::from(bounds.min.y) - bounds.center.y) / bounds.radius
}

struct Room<'a> {
    floor: f64,
    camera: Camera,
    light: Camera,
    shadow: &'a Image,
}

impl Room<'_> {
    const WALL_Z: f64 = -1.9;

    /// Mean of four points of a pixel.
    fn pixel(&self, x: u32, y: u32) -> [f32; 3] {
        let points = [(0.125, 0.375), (0.625, 0.125), (0.375, 0.875), (0.875, 0.625)];
        let colors = points.map(|(dx, dy)| self.color(f64::from(x) + dx, f64::from(y) + dy));
        std::array::from_fn(|c| colors.iter().fold(0.0, |sum, color| sum + 0.25 * color[c]))
    }

    /// Linear light of the room behind a point of the picture.
    fn color(&self, x: f64, y: f64) -> [f32; 3] {
        let tangent = libm::tan(FOV_DEGREES.to_radians() / 2.0);
        let aspect = f64::from(WIDTH_PX) / f64::from(HEIGHT_PX);
        let (u, v) = (2.0 * x / f64::from(WIDTH_PX) - 1.0, 1.0 - 2.0 * y / f64::from(HEIGHT_PX));
        let toward = self.camera.right * (u * tangent * aspect) + self.camera.up * (v * tangent)
            - self.camera.back;
        let origin = self.camera.back * self.camera.distance();
        let to_floor = (self.floor - origin.y) / toward.y;
        let floor = origin + toward * to_floor;
        if to_floor > 0.0 && floor.z > Self::WALL_Z {
            self.floor_color(floor)
        } else {
            self.wall_color(origin + toward * ((Self::WALL_Z - origin.z) / toward.z))
        }
    }

    /// Planks along x, with the chair's shadow.
    fn floor_color(&self, at: DVec3) -> [f32; 3] {
        let across = (at.z + 40.0) / 0.26;
        let plank = across.floor();
        let joint = (across - plank).min(1.0 - (across - plank));
        let along = at.x * 0.35 + plank * 0.37;
        let grain = wood_value((across * 0.31) as f32, along as f32);
        let edge = if joint < 0.02 { 0.55 } else { 1.0 };
        let tone = 0.75 + 0.25 * noise(plank as f32 * 0.137, 0.5, [16, 3], 21);
        let light = edge * tone * (1.0 - 0.55 * self.shade(at)) * fade(at);
        [0.20, 0.125, 0.075].map(|c: f32| c * light * (0.55 + 0.75 * grain))
    }

    /// A painted wall over a white skirting board.
    fn wall_color(&self, at: DVec3) -> [f32; 3] {
        let above = at.y - self.floor;
        let light = fade(at)
            * (0.92 + 0.05 * noise((at.x * 0.11) as f32, (at.y * 0.11) as f32, [64, 64], 31));
        if above < 0.14 {
            let line = if (0.008..=0.125).contains(&above) { 1.0 } else { 0.7 };
            return [0.62, 0.60, 0.56].map(|c: f32| c * light * line);
        }
        [0.235, 0.36, 0.35].map(|c: f32| c * light)
    }

    /// Share of the light that the chair takes, softer away from it.
    fn shade(&self, at: DVec3) -> f32 {
        let mut sum = 0.0;
        for (dx, dz) in (-3..=3).flat_map(|x| (-3..=3).map(move |z| (f64::from(x), f64::from(z)))) {
            let point = at + DVec3::new(dx, 0.0, dz) * 0.012;
            let to_px = |c: f64| (c / LIGHT_HALF * 0.5 + 0.5) * f64::from(LIGHT_PX);
            let (x, y) = (to_px(point.dot(self.light.right)), to_px(-point.dot(self.light.up)));
            let inside = 0.0..f64::from(LIGHT_PX);
            if inside.contains(&x) && inside.contains(&y) {
                sum += f32::from(self.shadow.pixel(x as u32, y as u32)[0]) / 255.0;
            }
        }
        sum / 49.0
    }
}

/// Light falls off from a window on the left.
fn fade(at: DVec3) -> f32 {
    let distance = (at - DVec3::new(-2.6, 1.6, 0.4)).length_squared();
    (1.25 / (0.55 + 0.09 * distance)) as f32
}
