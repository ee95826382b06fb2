//! What two versions show beyond their bends and colours: which of them faces out.

use super::differences::Both;
use super::overlay::{Overlay, Point, SAME};

/// Places where the sides face opposite ways that are looked at.
const OPPOSED: usize = 96;

/// How far in front of and behind a place its surroundings are felt, shares of the diagonal.
const REACHES: [f32; 3] = [0.05, 0.15, 0.4];

/// Of the first object, then of the second.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct More {
    /// Of the places where the sides face opposite ways: the share where a side faces the wider
    /// space, less the share where the other does.
    pub outward: Both,
    /// The same by the place's direction from the middle.
    pub centrifugal: Both,
}

impl More {
    pub(super) fn of(overlay: &Overlay) -> Self {
        let (outward, centrifugal) = facing(overlay);
        Self { outward, centrifugal }
    }
}

/// Whether a side faces out where the two disagree: a surface has more room in front than behind.
fn facing(overlay: &Overlay) -> (Both, Both) {
    let all: Vec<&Point> = overlay
        .points
        .iter()
        .flatten()
        .filter(|p| p.distance < SAME && p.at[0].normal.dot(p.at[1].normal) < -0.5)
        .collect();
    if all.is_empty() {
        return Default::default();
    }
    let body = overlay.sides[0].body;
    let middle = body.samples.iter().fold(glam::Vec3::ZERO, |sum, s| sum + s.point)
        / body.samples.len().max(1) as f32;
    let step = (all.len() / OPPOSED).max(1);
    let chosen: Vec<&Point> = all.into_iter().step_by(step).collect();
    let signs = parallel::map(&chosen, |p| {
        let hit = p.hits[0]?;
        let normal = p.at[0].normal;
        let mut room = 0.0;
        for share in REACHES {
            let reach = share * overlay.diagonal;
            let ahead = |sign: f32| {
                let from = hit.point + normal * (sign * reach);
                body.tree.closest(from, 1.01 * reach).map_or(reach, |h| h.distance) / reach
            };
            room += f64::from(ahead(1.0) - ahead(-1.0));
        }
        let sign = |v: f64, least: f64| {
            if v > least {
                1.0
            } else if v < -least {
                -1.0
            } else {
                0.0
            }
        };
        let away = f64::from((hit.point - middle).normalize_or_zero().dot(normal));
        Some([sign(room, 0.1), sign(away, 0.05)])
    });
    let signs: Vec<[f64; 2]> = signs.into_iter().flatten().collect();
    let mean = |k: usize| signs.iter().fold(0.0, |sum, s| sum + s[k]) / signs.len().max(1) as f64;
    let both = |k: usize| [mean(k), -mean(k)];
    (both(0), both(1))
}
