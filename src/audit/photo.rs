//! A photo of a clean object, as a generator would have been given it: from a side, with a lens and
//! under a light that no view of a sheet has.

use crate::ask::Photo;
use crate::error::Error;
use crate::render::{Background, Channel, Environment, Settings, draw};
use crate::rig::{Projection, Rig, View};
use crate::scene::Asset;

const SIZE_PX: u32 = 512;

/// Columns of the panorama that lights it; it has half as many rows.
const PANORAMA_PX: usize = 64;

/// The object on a transparent ground; `name` and `seed` decide side, lens and light.
pub(super) fn photo(asset: &Asset, name: &str, seed: u64) -> Result<Photo, Error> {
    let failed =
        |reason: String| Error::audit(format!("no photo can be made of {name:?} ({reason})"));
    let hash = blake3::hash(format!("audit photo 1\n{seed}\n{name}").as_bytes());
    let [lens, azimuth, elevation, sun, ..] =
        hash.as_bytes().map(|byte| f64::from(byte) / f64::from(u8::MAX));
    let fov_y_degrees = 32.0 + 18.0 * lens;
    let projection = Projection::Perspective {
        fov_y_degrees,
        distance: 1.05 / libm::sin(fov_y_degrees.to_radians() / 2.0),
    };
    let views = vec![View::at(360.0 * azimuth, 5.0 + 20.0 * elevation)];
    let environment = Environment::decode(&panorama(sun)).map_err(failed)?;
    let settings = Settings {
        width_px: SIZE_PX,
        height_px: SIZE_PX,
        channels: vec![Channel::Rgb],
        background: Background::Transparent,
        environment: Some(environment),
        ..Settings::default()
    };
    let rig = Rig::new("photo", "", projection, SIZE_PX, views);
    let frames = draw(asset, &rig, &settings).map_err(|e| failed(e.to_string()))?;
    let picture = &frames[0].images[&Channel::Rgb];
    let bytes = picture.to_png().map_err(|e| failed(e.to_string()))?;
    Ok(Photo::new(bytes, None))
}

/// A blue sky, a warm sun `at` a share of the way around, and brown ground, as Radiance's RGBE.
fn panorama(at: f64) -> Vec<u8> {
    let (columns, rows) = (PANORAMA_PX, PANORAMA_PX / 2);
    let mut bytes =
        format!("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {rows} +X {columns}\n").into_bytes();
    let sun = ((columns as f64 * at) as usize, rows / 4);
    for i in 0..columns * rows {
        let (x, y) = (i % columns, i / columns);
        let aside = x.abs_diff(sun.0).min(columns - x.abs_diff(sun.0));
        let color = if aside.max(y.abs_diff(sun.1)) <= 2 {
            [60.0, 46.0, 30.0]
        } else if y < rows / 2 {
            [0.35, 0.5, 0.75]
        } else {
            [0.3, 0.22, 0.16]
        };
        bytes.extend(rgbe(color));
    }
    bytes
}

/// Ward 1991, "Real pixels": three mantissas and their exponent.
fn rgbe(color: [f64; 3]) -> [u8; 4] {
    let largest = color.into_iter().fold(0.0, f64::max);
    let (_, exponent) = libm::frexp(largest);
    let [r, g, b] = color.map(|value| (value * 256.0 / libm::exp2(f64::from(exponent))) as u8);
    [r, g, b, (exponent + 128) as u8]
}
