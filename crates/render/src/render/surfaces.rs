//! A scene → frames, by the graphics card if asked for, and by the CPU for views it hands back.

use super::error::RenderError;
use super::frame::Frame;
use super::settings::{Renderer, Settings};
use super::timings::Timings;
use super::{cpu, gpu};
use crate::rig::{Placement, Rig};
use crate::scene::Scene;

/// Draws every view and hands each frame to `each`; results are in the order of the views.
pub(super) fn draw_each<T: Send>(
    scene: &Scene,
    placement: Placement,
    rig: &Rig,
    settings: &Settings,
    timings: &Timings,
    each: impl Fn(Frame) -> T + Sync,
) -> Result<Vec<T>, RenderError> {
    if scene.triangle_count() > cpu::TRIANGLES_MAX {
        return Err(RenderError::TooManyTriangles { found: scene.triangle_count() });
    }
    let mut results = Vec::new();
    if let Renderer::Gpu(card) = &settings.renderer {
        let drawn = gpu::draw_each(card, (scene, placement), rig, settings, timings, &each);
        if let Some(reason) = drawn.stopped {
            card.stand_in(rig.views.len() - drawn.results.len(), &reason);
        }
        results = drawn.results;
    }
    let rest = results.len()..rig.views.len();
    if rest.is_empty() {
        return Ok(results);
    }
    results.extend(cpu::draw_each((scene, placement), rig, rest, settings, timings, each));
    Ok(results)
}
