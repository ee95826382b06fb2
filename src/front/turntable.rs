//! The pictures of one channel of a folder, one after another, as an animation.

use super::PictureFormat;
use crate::ask::Drawing;
use crate::error::{Error, Kind};
use crate::render::{Background, Channel, Image, PixelFormat};
use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, Frame, RgbaImage};
use std::path::Path;
use std::time::Duration;

/// In an asset's folder.
pub(super) const TURNTABLE: &str = "turntable.gif";

/// Duration of one turn.
const SECONDS: f64 = 4.0;

/// How the encoder chooses the 256 colours of a picture: from 1 (best) to 30 (fastest).
const SPEED: i32 = 10;

/// What a turntable of these channels shows: colour, else the first with three bytes a pixel.
pub fn turntable_channel(channels: &[Channel]) -> Option<Channel> {
    let has_bytes = |channel: &&Channel| channel.format() == PixelFormat::Rgb8;
    let rgb = channels.iter().find(|channel| **channel == Channel::Rgb);
    rgb.or(channels.iter().find(has_bytes)).copied()
}

/// Writes `turntable.gif` from the folder's pictures of one channel, as in `rgb_0`, `rgb_1`, …
///
/// # Errors
/// A picture that cannot be read, a file that cannot be written.
pub fn write_turntable(
    folder: &Path,
    drawing: &Drawing,
    format: PictureFormat,
) -> Result<(), Error> {
    let path = folder.join(TURNTABLE);
    let channel = turntable_channel(&drawing.settings.channels).unwrap_or(Channel::Rgb);
    let has_alpha = drawing.settings.background == Background::Transparent;
    let extension = format.of(channel, has_alpha).extension();
    let made = animation(folder, channel, drawing.rig.views.len(), extension);
    let written = made
        .map_err(|e| e.to_string())
        .and_then(|bytes| crate::save::write_file(&path, &bytes).map_err(|e| e.to_string()));
    written.map_err(|reason| Error::cannot_write(Kind::Picture, reason, &path))
}

fn animation(
    folder: &Path,
    channel: Channel,
    num_views: usize,
    extension: &str,
) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut bytes = Vec::new();
    let mut encoder = GifEncoder::new_with_speed(&mut bytes, SPEED);
    encoder.set_repeat(Repeat::Infinite)?;
    let shown =
        Delay::from_saturating_duration(Duration::from_secs_f64(SECONDS / num_views as f64));
    for view in 0..num_views {
        let bytes = std::fs::read(folder.join(format!("{}_{view}.{extension}", channel.name())))?;
        encoder.encode_frame(Frame::from_parts(rgba(Image::decode(&bytes)?), 0, 0, shown))?;
    }
    drop(encoder);
    Ok(bytes)
}

fn rgba(image: Image) -> RgbaImage {
    let pixels = match image.format {
        PixelFormat::Rgba8 => image.pixels,
        _ => image.pixels.chunks_exact(3).flat_map(|c| [c[0], c[1], c[2], u8::MAX]).collect(),
    };
    RgbaImage::from_raw(image.width_px, image.height_px, pixels).expect("four bytes per pixel")
}
