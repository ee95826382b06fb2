//! Damage that moves the surface: noise, over-smoothing, decimation, flattening, stretching.

use super::error::DamageError;
use super::refine::refine;
use super::rng::CounterRng;
use super::soup::Soup;
use super::weld::Weld;
use glam::Vec3;
use std::collections::HashMap;

/// Noise whose bumps are `wavelength` apart, up to `height` at level 1; both as shares of the
/// diagonal. Returns the root mean square displacement.
fn rough(
    soup: &mut Soup,
    level: f32,
    rng: CounterRng,
    wavelength: f32,
    height: f32,
) -> Result<f64, DamageError> {
    let diagonal = soup.diagonal();
    refine(soup, (wavelength * 0.5).max(0.01) * diagonal)?;
    let weld = Weld::of(soup);
    let scale = 1.0 / (wavelength * diagonal);
    let places: Vec<Vec3> = weld
        .positions
        .iter()
        .zip(&weld.normals)
        .map(|(p, n)| *p + *n * (level * height * diagonal * rng.noise(*p * scale)))
        .collect();
    Ok(weld.move_to(soup, &places) / f64::from(diagonal))
}

pub(super) fn noise_fine(soup: &mut Soup, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    rough(soup, level, rng, 0.015, 0.012)
}

pub(super) fn noise_coarse(
    soup: &mut Soup,
    level: f32,
    rng: CounterRng,
) -> Result<f64, DamageError> {
    rough(soup, level, rng, 0.05, 0.03)
}

/// Bends the whole object: each axis has its own noise, whatever the surface's direction.
pub(super) fn warp(soup: &mut Soup, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    let diagonal = soup.diagonal();
    refine(soup, 0.04 * diagonal)?;
    let weld = Weld::of(soup);
    let scale = 1.0 / (0.25 * diagonal);
    let places: Vec<Vec3> = weld
        .positions
        .iter()
        .map(|p| {
            let way = [0, 1, 2].map(|axis| rng.stream(axis).noise(*p * scale));
            *p + Vec3::from_array(way) * (0.13 * level * diagonal)
        })
        .collect();
    Ok(weld.move_to(soup, &places) / f64::from(diagonal))
}

/// Laplacian smoothing (uniform weights, half the way to the neighbours' mean a round), until
/// details and then thin parts melt away.
pub(super) fn smooth(soup: &mut Soup, level: f32, _dice: CounterRng) -> Result<f64, DamageError> {
    const ROUNDS: f32 = 60.0;
    let diagonal = soup.diagonal();
    refine(soup, 0.02 * diagonal)?;
    let weld = Weld::of(soup);
    let neighbours = weld.neighbours();
    let mut places = weld.positions.clone();
    let rounds = ROUNDS * level * level;
    let whole = rounds as usize;
    for round in 0..=whole {
        // A part of the last round, so that the level has no steps.
        let share = if round < whole { 0.5 } else { 0.5 * (rounds - whole as f32) };
        let mean = |v: usize| {
            let around = &neighbours[v];
            let sum: Vec3 = around.iter().map(|&n| places[n as usize]).sum();
            sum / around.len().max(1) as f32
        };
        places =
            (0..places.len())
                .map(|v| {
                    if neighbours[v].is_empty() {
                        places[v]
                    } else {
                        places[v].lerp(mean(v), share)
                    }
                })
                .collect();
    }
    Ok(weld.move_to(soup, &places) / f64::from(diagonal))
}

/// Vertices of one cell of a grid become one (Rossignac & Borrel 1993), at their mean; triangles
/// that collapse are dropped.
pub(super) fn decimate(soup: &mut Soup, level: f32, _dice: CounterRng) -> Result<f64, DamageError> {
    let diagonal = soup.diagonal();
    let cell = (0.008 + 0.062 * level) * diagonal;
    let (min, _) = soup.bounds();
    let weld = Weld::of(soup);
    let key = |p: Vec3| ((p - min) / cell).to_array().map(|c| c.floor() as i32);
    let mut cells: HashMap<[i32; 3], (Vec3, f32)> = HashMap::new();
    for p in &weld.positions {
        let (sum, count) = cells.entry(key(*p)).or_insert((Vec3::ZERO, 0.0));
        *sum += *p - min;
        *count += 1.0;
    }
    let places: Vec<Vec3> = weld
        .positions
        .iter()
        .map(|p| {
            let (sum, count) = cells[&key(*p)];
            min + sum / count
        })
        .collect();
    let before = soup.triangles().count();
    weld.move_to(soup, &places);
    for part in &mut soup.parts {
        part.triangles.retain(|t| {
            let [a, b, c] = t.map(|corner| corner.position);
            a != b && b != c && c != a
        });
    }
    Ok(1.0 - soup.triangles().count() as f64 / before as f64)
}

/// Moves every vertex by a function of its place; returns nothing, the caller knows the amount.
fn mapped(soup: &mut Soup, to: impl Fn(Vec3) -> Vec3) {
    let weld = Weld::of(soup);
    let places: Vec<Vec3> = weld.positions.iter().map(|p| to(*p)).collect();
    weld.move_to(soup, &places);
}

/// Pressed flat from front to back, like a picture on a card. Returns the lost share of the depth.
pub(super) fn billboard(
    soup: &mut Soup,
    level: f32,
    _dice: CounterRng,
) -> Result<f64, DamageError> {
    let (min, max) = soup.bounds();
    let middle = 0.5 * (min.z + max.z);
    let left = 1.0 - 0.97 * level;
    mapped(soup, |p| Vec3::new(p.x, p.y, middle + (p.z - middle) * left));
    let (now_min, now_max) = soup.bounds();
    Ok(1.0 - f64::from((now_max.z - now_min.z) / (max.z - min.z).max(f32::MIN_POSITIVE)))
}

/// Drawn out along one axis. Returns how many times as long, less one.
pub(super) fn stretch(soup: &mut Soup, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    let (min, max) = soup.bounds();
    let axis = if rng.unit(0) < 0.5 { 0 } else { 1 };
    mapped(soup, |mut p| {
        p[axis] = min[axis] + (p[axis] - min[axis]) * (1.0 + 1.4 * level);
        p
    });
    let (now_min, now_max) = soup.bounds();
    let long = f64::from(max[axis] - min[axis]);
    Ok(f64::from(now_max[axis] - now_min[axis]) / long.max(f64::MIN_POSITIVE) - 1.0)
}
