//! Draws every view of a rig: [`Scene`](crate::scene::Scene) or splats + `Rig` → [`Frame`]s.
//!
//! The CPU renderer is the reference; a graphics card draws where one is asked for, and hands back
//! what it cannot do. Colours are linear inside and sRGB in pictures. Knows nothing of sheets.

mod card;
mod channel;
#[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "gpu/ reads more of it"))]
mod cpu;
mod environment;
mod error;
mod film;
mod frame;
#[cfg_attr(not(feature = "gpu"), path = "gpu_absent.rs")]
mod gpu;
mod image;
mod lanes;
mod layers;
mod protocol;
mod refine;
mod samples;
mod settings;
mod shade;
mod shot;
mod splats;
mod steps;
mod stop;
mod surfaces;
#[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "gpu/ reads more of it"))]
mod texture;
mod timings;
mod topology;
mod view_by_view;

pub use self::channel::Channel;
pub use self::environment::{Environment, EnvironmentError};
pub use self::error::RenderError;
pub use self::frame::{Frame, FrameProblem};
pub use self::gpu::{Gpu, adapters};
pub use self::image::{Image, ImageError, PhotoTurn, PixelFormat};
pub use card::{AdapterChoice, AdapterFacts, GpuError, Notice};
pub use protocol::{Protocol, ProtocolRecord};
pub use settings::{Background, BackgroundError, Light, NormalSpace, Renderer, Settings};
pub use steps::StepLimits;
pub use stop::{Stopped, Switch, stoppable};
pub use timings::Timings;

use crate::rig::Rig;
use crate::scene::AssetRef;

/// Draws every view of the rig; frames come in the order of the views.
///
/// # Errors
/// Any [`RenderError`]; nothing is drawn then.
pub fn draw<'a>(
    asset: impl Into<AssetRef<'a>>,
    rig: &Rig,
    settings: &Settings,
) -> Result<Vec<Frame>, RenderError> {
    draw_each(asset, rig, settings, &Timings::default(), |frame| frame)
}

/// As [`draw`], but hands each finished frame to `each` on the thread that drew it: encoding and
/// writing overlap with drawing, and memory stays flat. Results come in view order.
///
/// # Errors
/// Any [`RenderError`]; `each` is not called then.
pub fn draw_each<'a, T: Send>(
    asset: impl Into<AssetRef<'a>>,
    rig: &Rig,
    settings: &Settings,
    timings: &Timings,
    each: impl Fn(Frame) -> T + Sync,
) -> Result<Vec<T>, RenderError> {
    let (width_px, height_px) = (settings.width_px, settings.height_px);
    let allowed = 1..=Rig::TILE_PX_MAX;
    if !allowed.contains(&width_px) || !allowed.contains(&height_px) {
        return Err(RenderError::Size { width_px, height_px });
    }
    if settings.channels.is_empty() {
        return Err(RenderError::NoChannel);
    }
    match asset.into() {
        AssetRef::Mesh(scene) => {
            let placement = rig.placement(scene);
            topology::draw_each(scene, placement, rig, settings, timings, each)
        }
        AssetRef::Splats(splats) => splats::draw_each(splats, rig, settings, timings, each),
    }
}
