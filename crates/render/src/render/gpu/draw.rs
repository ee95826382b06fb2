//! A scene and a rig → frames, drawn by the card shot by shot until it has to stop.

use super::batch::{Drawing, Part, Words, plan};
use super::device::Gpu;
use super::layout::wanted;
use super::unpack::unpack;
use super::upload::upload;
use crate::render::cpu::prepare::{build_textures, prepare_meshes};
use crate::render::cpu::resolve::new_images;
use crate::render::frame::Frame;
use crate::render::refine::{Needed, Occupied, Picture, refine};
use crate::render::settings::Settings;
use crate::render::shot::Shot;
use crate::render::timings::Timings;
use crate::rig::{Placement, Rig};
use crate::scene::Scene;
use rayon::prelude::*;
use std::time::Instant;

/// Frames drawn, of the rig's first views; fewer than it has when the card had to stop.
pub(in crate::render) struct Drawn<T> {
    pub results: Vec<T>,
    pub stopped: Option<String>,
}

/// Draws every view, and hands each frame to `each`; results are in the order of the views.
pub(in crate::render) fn draw_each<T: Send>(
    gpu: &Gpu,
    (scene, placement): (&Scene, Placement),
    rig: &Rig,
    settings: &Settings,
    timings: &Timings,
    each: impl Fn(Frame) -> T + Sync,
) -> Drawn<T> {
    let mut results = Vec::new();
    let stopped =
        draw_into(gpu, (scene, placement), rig, settings, timings, &each, &mut results).err();
    Drawn { results, stopped }
}

fn draw_into<T: Send>(
    gpu: &Gpu,
    (scene, placement): (&Scene, Placement),
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
    let wants_place = settings.channels.iter().any(|channel| channel.is_place());
    let uploaded = {
        let environment = settings.environment.as_ref();
        upload(gpu, &meshes, &textures.pyramids, wants_place, environment)?
    };
    timings.prepare.add(start.elapsed());
    let drawing =
        Drawing { gpu, scene, placement, meshes: &meshes, uploaded: &uploaded, rig, settings };
    let plan_of = |shots: &mut dyn Iterator<Item = Shot>| {
        let (width, height) = (settings.width_px, settings.height_px);
        let num_vertices = scene.vertex_count();
        let plane_bytes = 4 * wanted::num_planes(drawing.wanted()) as u64;
        plan(shots, width, height, num_vertices, plane_bytes, gpu.binding_bytes_max)
    };
    let pictures_of = || Pictures { drawing: &drawing, begun: None };
    // A card shades all of a shot: it is used to work on everything at once.
    let draw_one = |shot: Shot, _: Needed<'_>| {
        let mut pictures = pictures_of();
        let mut drawn = Vec::new();
        for parts in plan_of(&mut std::iter::once(shot)) {
            let mut words = drawing.draw(&parts, &timings.transform, &timings.gpu)?;
            drawn.extend(pictures.unpack(&parts, &mut words));
        }
        drawn.pop().map(|(_, picture)| picture).ok_or_else(|| "a shot has no rows".to_owned())
    };
    let mut pictures = pictures_of();
    for parts in plan_of(&mut (0..rig.views.len()).map(Shot::whole)) {
        let mut words = drawing.draw(&parts, &timings.transform, &timings.gpu)?;
        let mut drawn = pictures.unpack(&parts, &mut words);
        for (shot, picture) in &mut drawn {
            refine(*shot, picture, settings, &draw_one)?;
        }
        let hand_over = |(shot, picture): (Shot, Picture)| {
            each(Frame::of(settings, shot.view_idx, picture.images, &picture.stats))
        };
        results.par_extend(drawn.into_par_iter().map(hand_over));
    }
    Ok(())
}

/// Assembles pictures from the words that the card returns.
struct Pictures<'a> {
    drawing: &'a Drawing<'a>,
    /// A shot in bands, of which rows are missing.
    begun: Option<Picture>,
}

impl Pictures<'_> {
    /// The pictures whose last rows came with a batch. A batch has whole pictures only, or bands of
    /// one or more, in their order.
    fn unpack(&mut self, parts: &[Part], words: &mut Words) -> Vec<(Shot, Picture)> {
        let settings = self.drawing.settings;
        let occupied = std::mem::take(&mut words.occupied);
        let words = &*words;
        let pixels_of = |part: &Part| part.rows.len() * settings.width_px as usize;
        let put = |part: &Part, first_pixel: usize, picture: &mut Picture| {
            let output = self.drawing.output(part.shot.view_idx);
            unpack(words, first_pixel, settings, &output, part.rows.clone(), picture);
        };
        let is_whole = |part: &Part| part.rows.len() as u32 == settings.height_px;
        if parts.iter().all(is_whole) {
            let whole = |(idx, (part, occupied)): (usize, (&Part, Occupied))| {
                let mut picture = self.blank(part.shot);
                put(part, idx * pixels_of(part), &mut picture);
                picture.occupied = occupied;
                (part.shot, picture)
            };
            let parts = parts.par_iter().zip(occupied).enumerate();
            return parts.map(whole).collect();
        }
        let (mut drawn, mut first_pixel) = (Vec::new(), 0);
        for (part, occupied) in parts.iter().zip(occupied) {
            let begun = self.begun.take();
            let mut picture = begun.unwrap_or_else(|| self.blank(part.shot));
            put(part, first_pixel, &mut picture);
            first_pixel += pixels_of(part);
            if part.rows.end == settings.height_px {
                picture.occupied = occupied;
                drawn.push((part.shot, picture));
            } else {
                self.begun = Some(picture);
            }
        }
        drawn
    }

    fn blank(&self, shot: Shot) -> Picture {
        let settings = self.drawing.settings;
        let output = self.drawing.output(shot.view_idx);
        let (width, height) = (settings.width_px, settings.height_px);
        let images = new_images(&settings.channels, &output, width, height);
        Picture::new(images, settings)
    }
}
