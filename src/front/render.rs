//! An asset → pictures of its views.

use crate::ask::Drawing;
use crate::error::Error;
use crate::options::ViewOptions;
use crate::render::{Channel, Frame, draw};
use crate::scene::AssetRef;

/// Draws surfaces or splats. Default: 12 views of the `ring` rig, on white, on the CPU.
///
/// A frame holds one picture per channel, row-major from the top left;
/// [`Image::pixels`](crate::render::Image::pixels) are its bytes.
///
/// # Errors
/// An unknown rig, an impossible number of views or size, no channel.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use meshjudge::{Channel, ViewOptions};
///
/// let chair = meshjudge::load("assets/demo/chair_clean.glb")?;
/// let options = ViewOptions { views: Some(4), tile_px: Some(128), ..ViewOptions::default() };
/// let frames = meshjudge::render(&chair.scene, &options, &[Channel::Rgb, Channel::Normal])?;
///
/// assert_eq!(frames.len(), 4);
/// let colour = &frames[0].images[&Channel::Rgb];
/// assert_eq!(colour.pixels.len(), 128 * 128 * 3);
/// let png: Vec<u8> = colour.to_png()?;
/// # assert!(png.starts_with(b"\x89PNG"));
/// # Ok(())
/// # }
/// ```
pub fn render<'a>(
    asset: impl Into<AssetRef<'a>>,
    options: &ViewOptions,
    channels: &[Channel],
) -> Result<Vec<Frame>, Error> {
    let drawing = Drawing::new(options, "ring", None, channels)?;
    Ok(draw(asset, &drawing.rig, &drawing.settings)?)
}
