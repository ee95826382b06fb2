//! The renderer for graphics cards: the CPU's visibility buffer, filled and shaded by compute shaders (`shaders/`).
//!
//! The CPU puts vertices on their lattice; coverage, depth and what lies in front are the same integers and the same roundings as in `cpu/`, so only
//! light and textures may differ, by the last bits of a float. What the card cannot do is handed back, and the CPU draws it.

mod adapter;
mod batch;
mod device;
mod layout;
mod pipelines;
mod unpack;
mod upload;

pub use adapter::{AdapterChoice, AdapterFacts, GpuError, adapters, may_have_card};
pub use device::{Gpu, Notice};

use super::cpu::prepare::{build_textures, prepare_meshes};
use super::cpu::resolve::new_images;
use super::cpu::{Stats, finish};
use super::{Channel, Frame, Image, Settings, Timings};
use crate::rig::Rig;
use crate::scene::Scene;
use batch::{Drawing, Part, Words, plan};
use rayon::prelude::*;
use std::time::Instant;

/// Frames that were drawn, of the rig's first views; fewer than it has views when the card had to stop.
pub(super) struct Drawn<T> {
    pub results: Vec<T>,
    /// Why it stopped.
    pub stopped: Option<String>,
}

/// Draws every view, and hands each frame to `each`; results are in the order of the views.
pub(super) fn draw_each<T: Send>(
    gpu: &Gpu,
    scene: &Scene,
    rig: &Rig,
    settings: &Settings,
    timings: &Timings,
    each: impl Fn(Frame) -> T + Sync,
) -> Drawn<T> {
    let mut results = Vec::new();
    let stopped = draw_into(gpu, scene, rig, settings, timings, &each, &mut results).err();
    Drawn { results, stopped }
}

fn draw_into<T: Send>(
    gpu: &Gpu,
    scene: &Scene,
    rig: &Rig,
    settings: &Settings,
    timings: &Timings,
    each: &(impl Fn(Frame) -> T + Sync),
    results: &mut Vec<T>,
) -> Result<(), String> {
    let gpu = gpu.inner();
    if let Some(reason) = gpu.trouble() {
        return Err(reason);
    }
    let start = Instant::now();
    let textures = build_textures(scene, settings);
    let meshes = prepare_meshes(scene, &textures);
    let uploaded = upload::upload(gpu, &meshes, &textures.pyramids)?;
    timings.prepare.add(start.elapsed());
    let drawing = Drawing {
        gpu,
        scene,
        meshes: &meshes,
        uploaded: &uploaded,
        rig,
        settings,
    };
    let (width, height) = (settings.width_px, settings.height_px);
    let batches = plan(
        0..rig.views.len(),
        width,
        height,
        scene.vertex_count(),
        gpu.binding_bytes_max,
    );
    let mut bands = Bands::default();
    for parts in batches {
        let words = drawing.draw(&parts, &timings.transform, &timings.gpu)?;
        if parts[0].rows.len() as u32 == height {
            let whole = |(idx, part): (usize, &Part)| {
                let mut images = new_images(
                    &settings.channels,
                    &drawing.output(part.view_idx),
                    width,
                    height,
                );
                let first_pixel = idx * width as usize * height as usize;
                let stats = unpack::unpack(
                    &words,
                    first_pixel,
                    settings,
                    part.rows.clone(),
                    &mut images,
                );
                each(finish(settings, part.view_idx, images, &[stats]))
            };
            results.par_extend(parts.par_iter().enumerate().map(whole));
        } else {
            results.extend(bands.add(&drawing, &parts, &words).map(each));
        }
    }
    Ok(())
}

/// Pictures of a view that is drawn band by band.
#[derive(Default)]
struct Bands {
    images: Vec<(Channel, Image)>,
    stats: Vec<Stats>,
}

impl Bands {
    /// Adds one batch's bands; the frames whose last rows came with it.
    fn add(
        &mut self,
        drawing: &Drawing<'_>,
        parts: &[Part],
        words: &Words,
    ) -> impl Iterator<Item = Frame> + use<> {
        let settings = drawing.settings;
        let mut frames = Vec::new();
        let mut first_pixel = 0;
        for part in parts {
            if part.rows.start == 0 {
                self.images = new_images(
                    &settings.channels,
                    &drawing.output(part.view_idx),
                    settings.width_px,
                    settings.height_px,
                );
                self.stats.clear();
            }
            self.stats.push(unpack::unpack(
                words,
                first_pixel,
                settings,
                part.rows.clone(),
                &mut self.images,
            ));
            first_pixel += part.rows.len() * settings.width_px as usize;
            if part.rows.end == settings.height_px {
                frames.push(finish(
                    settings,
                    part.view_idx,
                    std::mem::take(&mut self.images),
                    &self.stats,
                ));
            }
        }
        frames.into_iter()
    }
}
