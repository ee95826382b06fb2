//! Damage of Gaussian splats: some added, stretched, blurred, recoloured, or taken away. Amounts of
//! splats are areas: opacity × the product of the two longest scales.

use super::error::DamageError;
use super::rng::CounterRng;
use crate::scene::SplatScene;
use glam::DVec3;
use meshjudge_splat::harmonics::C0;
use meshjudge_splat::read::Loaded;
use meshjudge_splat::splats::{SplatParts, Splats, SplatsError};

/// Places are drawn among splats that can be seen.
const SEEN_OPACITY: f32 = 0.3;

/// Splats as planes, with their place and size without floaters.
pub(super) struct Cloud {
    parts: SplatParts,
    /// Relative to the splats' origin.
    middle: DVec3,
    radius: f64,
}

impl Cloud {
    pub(super) fn of(scene: &SplatScene) -> Self {
        let (splats, extent) = (&scene.read().splats, scene.extent());
        let middle = extent.center - splats.origin();
        Self { parts: splats.planes().clone(), middle, radius: extent.radius }
    }

    /// With the claims of the file that it comes from.
    pub(super) fn into_scene(self, of: &SplatScene) -> Result<SplatScene, SplatsError> {
        let (splats, _) = Splats::new(self.parts)?;
        Ok(SplatScene::new(Loaded { splats, ignored: Vec::new(), ..*of.read() }))
    }

    fn len(&self) -> usize {
        self.parts.opacity.len()
    }

    fn at(&self, i: usize) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|k| self.parts.position[k][i].into()))
    }

    fn area(&self, i: usize) -> f64 {
        let mut scale = self.parts.scale.each_ref().map(|plane| f64::from(plane[i]));
        scale.sort_unstable_by(f64::total_cmp);
        f64::from(self.parts.opacity[i]) * scale[1] * scale[2]
    }

    fn areas(&self, range: std::ops::Range<usize>) -> f64 {
        range.map(|i| self.area(i)).sum()
    }

    /// Splats that can be seen, in an order drawn at random; all of them where there are none.
    fn drawn(&self, rng: CounterRng) -> Vec<usize> {
        let mut seen: Vec<usize> =
            (0..self.len()).filter(|&i| self.parts.opacity[i] >= SEEN_OPACITY).collect();
        if seen.is_empty() {
            seen = (0..self.len()).collect();
        }
        seen.sort_by(|&a, &b| rng.unit(a as u64).total_cmp(&rng.unit(b as u64)).then(a.cmp(&b)));
        seen
    }

    /// Keeps some splats, and returns the share of the area that is gone.
    fn retain(&mut self, keep: &[bool]) -> f64 {
        let before = self.areas(0..self.len());
        self.parts.retain(keep);
        1.0 - self.areas(0..self.len()) / before.max(f64::MIN_POSITIVE)
    }

    /// Adds a round copy of a splat elsewhere.
    fn add(&mut self, like: usize, at: DVec3, scale: f64, opacity: f32) {
        self.parts.planes_mut().into_iter().for_each(|plane| plane.push(plane[like]));
        let new = self.len() - 1;
        for (plane, value) in self.parts.position.iter_mut().zip(at.to_array()) {
            plane[new] = value as f32;
        }
        self.parts.scale.iter_mut().for_each(|plane| plane[new] = scale as f32);
        self.parts.opacity[new] = opacity;
    }

    /// The area of the splats from `first` on, as a share of that of all before.
    fn share_added(&self, first: usize) -> f64 {
        self.areas(first..self.len()) / self.areas(0..first).max(f64::MIN_POSITIVE)
    }
}

/// A point in the ball of radius 1, and three numbers further on in the stream the next one.
fn in_ball(rng: CounterRng, number: u64) -> DVec3 {
    let [x, y, r] = [0, 1, 2].map(|k| f64::from(rng.unit(3 * number + k)));
    let (height, turn) = (2.0 * x - 1.0, std::f64::consts::TAU * y);
    let ring = (1.0 - height * height).max(0.0).sqrt();
    DVec3::new(ring * libm::cos(turn), height, ring * libm::sin(turn)) * libm::cbrt(r)
}

/// Balls on the surface, each at a splat: one after another starts to grow, to about `radius`.
fn balls(cloud: &Cloud, level: f32, rng: CounterRng, radius: f64) -> Vec<(usize, f64)> {
    const MOST: usize = 9;
    let grown = |k: usize| f64::from(level) * 2.0 - k as f64 / MOST as f64;
    let size = |k: usize| {
        let own = 0.7 + 0.6 * f64::from(rng.stream(1).unit(k as u64));
        radius * own * cloud.radius * (0.4 + 0.6 * grown(k).min(1.0))
    };
    let places = cloud.drawn(rng).into_iter().take(MOST).enumerate();
    places.filter(|(k, _)| grown(*k) > 0.0).map(|(k, i)| (i, size(k))).collect()
}

/// Lumps of splats outside, in the colours of the place they hang before. Returns the area added.
pub(super) fn floaters(cloud: &mut Cloud, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    const SPLATS: u64 = 60;
    let first = cloud.len();
    for (like, size) in balls(cloud, level, rng, 0.085) {
        let way = (cloud.at(like) - cloud.middle).normalize_or(DVec3::Y);
        let center = cloud.at(like) + way * (0.16 * cloud.radius + size);
        let rng = rng.stream(2).stream(like as u64);
        for i in 0..SPLATS {
            cloud.add(like, center + in_ball(rng, i) * size, 0.3 * size, 0.9);
        }
    }
    Ok(cloud.share_added(first))
}

/// A haze of small faint splats around the object. Returns the area added.
pub(super) fn dust(cloud: &mut Cloud, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    const SPLATS: f32 = 6000.0;
    let (first, radius) = (cloud.len(), cloud.radius);
    let like = cloud.drawn(rng);
    for i in 0..(level * SPLATS).ceil() as u64 {
        // Denser near the object, without an edge.
        let reach = radius * f64::from(0.4 + 0.8 * rng.stream(4).unit(i));
        let at = cloud.middle + in_ball(rng.stream(1), i) * reach;
        let size = radius * (0.006 + 0.008 * f64::from(rng.stream(2).unit(i)));
        let opacity = 0.12 + 0.18 * rng.stream(3).unit(i);
        cloud.add(like[i as usize % like.len()], at, size, opacity);
    }
    Ok(cloud.share_added(first))
}

/// Splats that are long thin spikes in any direction. Returns the area added.
pub(super) fn needles(cloud: &mut Cloud, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    const MOST: f32 = 160.0;
    let before = cloud.areas(0..cloud.len());
    let chosen = cloud.drawn(rng);
    let count = (level * MOST.min(0.25 * chosen.len() as f32)).ceil() as usize;
    let mut grown = 0.0;
    for &i in &chosen[..count.min(chosen.len())] {
        let (rng, area) = (rng.stream(1).stream(i as u64), cloud.area(i));
        let thin = 0.006 * cloud.radius;
        let length = (0.08 + 0.1 * f64::from(rng.unit(0))) * cloud.radius;
        for (plane, value) in cloud.parts.scale.iter_mut().zip([thin, thin, length]) {
            plane[i] = value as f32;
        }
        for (k, plane) in cloud.parts.rotation.iter_mut().enumerate() {
            plane[i] = rng.signed(1 + k as u64) + 0.01;
        }
        cloud.parts.opacity[i] = cloud.parts.opacity[i].max(0.9);
        grown += (cloud.area(i) - area).max(0.0);
    }
    Ok(grown / before.max(f64::MIN_POSITIVE))
}

/// Cut off at a plane. Returns the share of the area that is gone.
pub(super) fn missing_part(
    cloud: &mut Cloud,
    level: f32,
    rng: CounterRng,
) -> Result<f64, DamageError> {
    const MOST: f64 = 0.4;
    let way = in_ball(rng, 0).normalize_or(DVec3::X);
    let mut along: Vec<(f64, usize)> =
        (0..cloud.len()).map(|i| (cloud.at(i).dot(way), i)).collect();
    along.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut left = MOST * f64::from(level) * cloud.areas(0..cloud.len());
    let mut keep = vec![true; cloud.len()];
    for &(_, i) in &along[..cloud.len() - 1] {
        left -= cloud.area(i);
        if left < 0.0 {
            break;
        }
        keep[i] = false;
    }
    Ok(cloud.retain(&keep))
}

/// Balls without splats, around places of the surface. Returns the share of the area that is gone.
pub(super) fn holes(cloud: &mut Cloud, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    let balls = balls(cloud, level, rng, 0.18);
    let is_inside = |i: usize| {
        balls.iter().any(|&(center, size)| cloud.at(i).distance(cloud.at(center)) < size)
    };
    let keep: Vec<bool> = (0..cloud.len()).map(|i| !is_inside(i)).collect();
    if !keep.contains(&true) {
        return Err(DamageError::Needs { needs: "splats in more than one place" });
    }
    Ok(cloud.retain(&keep))
}

/// Every splat as a filter in space widens it. Returns the filter's width as a share of the radius.
pub(super) fn blur(cloud: &mut Cloud, level: f32, _dice: CounterRng) -> Result<f64, DamageError> {
    const WIDEST: f64 = 0.06;
    let width = WIDEST * f64::from(level) * cloud.radius;
    for value in cloud.parts.scale.iter_mut().flatten() {
        *value = libm::hypot((*value).into(), width) as f32;
    }
    Ok(width / cloud.radius)
}

/// Hues turned around the grey axis, in which the mean of red, green and blue stays; harmonics turn
/// with them. Returns the root mean square change.
pub(super) fn color_shift(
    cloud: &mut Cloud,
    level: f32,
    rng: CounterRng,
) -> Result<f64, DamageError> {
    /// Colours that differ less from grey have no hue to turn.
    const CHANGE_MIN: f64 = 0.01;
    let sign = if rng.unit(0) < 0.5 { 1.0 } else { -1.0 };
    let angle = f64::from(level) * 0.8 * std::f64::consts::PI;
    let (sin, cos) = (sign * libm::sin(angle) / 3.0_f64.sqrt(), libm::cos(angle));
    let third = (1.0 - cos) / 3.0;
    let [own, next, last] = [cos + third, third - sin, third + sin].map(|value| value as f32);
    let (mut change, mut chroma) = (0.0, 0.0);
    for i in 0..cloud.len() {
        for (k, rgb) in cloud.parts.harmonics.chunks_mut(3).enumerate() {
            let [r, g, b] = [rgb[0][i], rgb[1][i], rgb[2][i]];
            let turned = [
                own * r + next * g + last * b,
                last * r + own * g + next * b,
                next * r + last * g + own * b,
            ];
            let mean = (r + g + b) / 3.0;
            for (plane, (to, from)) in rgb.iter_mut().zip(turned.into_iter().zip([r, g, b])) {
                plane[i] = to;
                if k == 0 {
                    let [changed, colored] = [to - from, from - mean].map(|v| f64::from(C0 * v));
                    change += changed * changed;
                    chroma += colored * colored;
                }
            }
        }
    }
    let num_channels = 3.0 * cloud.len() as f64;
    if (chroma / num_channels).sqrt() < CHANGE_MIN {
        return Err(DamageError::Needs { needs: "colours" });
    }
    Ok((change / num_channels).sqrt())
}
