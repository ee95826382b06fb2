//! Light from all around: what is white stays white, and mirrors see what is there. One body for
//! all: the CPU's, or the card's that `MESHJUDGE_GPU` declares.

use crate::support::scenes::{self, front_rig, hdr, scene, sphere};
use glam::{Vec3, Vec4};
use meshjudge::unstable::render::{Background, Channel, Environment, Image, Settings, draw};
use meshjudge::unstable::scene::{Layers, Material};

fn environment(radiance: impl Fn(usize, usize) -> Vec3) -> Environment {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("sky.hdr");
    std::fs::write(&path, hdr(64, radiance)).unwrap();
    Environment::open(&path).unwrap()
}

/// A sky of large patches of colour, with a lamp.
pub(super) fn patches() -> Environment {
    environment(|x, y| match (x / 16, y / 8) {
        (2, 1) => Vec3::new(30.0, 28.0, 20.0),
        (column, row) => {
            let [r, g, b] = [column % 2, row % 2, (column + row) % 3].map(|k| 0.2 + k as f32 * 0.6);
            Vec3::new(r, g, b)
        }
    })
}

fn drawn(material: Material, environment: Environment) -> Image {
    let mut ball = sphere(48, 96);
    let uvs = ball.positions.iter().map(|p| p.truncate());
    ball.uv_sets = vec![uvs.collect()];
    let (background, environment) = (Background::Black, Some(environment));
    let settings = Settings { background, environment, ..scenes::settings(64, &[Channel::Rgb]) };
    let frames = draw(&scene(ball, material), &front_rig(1.25), &settings);
    frames.unwrap()[0].images[&Channel::Rgb].clone()
}

#[test]
fn a_white_furnace_stays_white() {
    let furnace = environment(|_, _| Vec3::ONE);
    // Khronos PBR Neutral of 1.0 is 0.869; its sRGB byte.
    let white = 240;
    let film = Layers { iridescence: 1.0, ..Layers::default() };
    let grain = Layers { anisotropy: 0.8, ..Layers::default() };
    // What a film takes from metal is gone; what it takes from paint is scattered.
    let layers =
        [(None, vec![0.0, 0.5, 1.0]), (Some(grain), vec![0.0, 0.5, 1.0]), (Some(film), vec![0.0])];
    let each =
        layers.iter().flat_map(|(layers, metallic)| metallic.iter().map(move |m| (layers, *m)));
    for (layers, metallic) in each {
        for roughness in [0.0, 0.2, 0.5, 1.0] {
            let material = Material {
                layers: layers.clone().map(Box::new),
                base_color: Vec4::ONE,
                metallic,
                roughness,
                ..Material::default()
            };
            let picture = drawn(material, furnace.clone());
            let mut covered = 0;
            for y in 0..64_u32 {
                for x in 0..64_u32 {
                    // The outline is mixed with the background.
                    let (dx, dy) = (f64::from(x) - 31.5, f64::from(y) - 31.5);
                    if dx * dx + dy * dy < 24.0 * 24.0 {
                        covered += 1;
                        let pixel = picture.pixel(x, y);
                        let is_white = pixel.iter().all(|c| c.abs_diff(white) <= 1);
                        assert!(is_white, "{pixel:?} at {x}, {y}: {metallic} {roughness}");
                    }
                }
            }
            assert!(covered > 1000);
        }
    }
}

#[test]
fn a_mirror_shows_what_lies_where_it_looks() {
    // A quarter of the panorama around each side: its middle is +x, its right quarter +z, the
    // front; the upper third is above.
    let sides = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(1.0, 1.0, 0.0)];
    let sky = environment(|x, y| match (y < 8, (x + 8) / 16 % 4) {
        (true, _) => Vec3::ONE,
        (false, column) => sides[column],
    });
    let mirror =
        Material { base_color: Vec4::ONE, metallic: 1.0, roughness: 0.0, ..Material::default() };
    let picture = drawn(mirror, sky);
    // The sphere spans ±1 of ±1.25; a normal at 45° reflects the eye's axis to the side.
    let at = |x: f64, y: f64| {
        let pixel = |c: f64| (32.0 + c * 32.0 / 1.25) as u32;
        let color = picture.pixel(pixel(x), pixel(-y));
        [0, 1, 2].map(|k| color[k] > 128)
    };
    let aside = 0.5_f64.sqrt();
    assert_eq!(at(0.0, 0.0), [true, true, false], "the front, +z");
    assert_eq!(at(aside, 0.0), [false, false, true], "the right, +x");
    assert_eq!(at(-aside, 0.0), [true, false, false], "the left, −x");
    assert_eq!(at(0.0, aside), [true, true, true], "above");
}
