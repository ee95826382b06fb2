//! Changes that no picture shows: what a judge says of them it says of nothing.

use super::error::DamageError;
use super::refine::refine;
use super::rng::CounterRng;
use super::soup::Soup;

/// Triangles change places in their list, and with them the vertices.
pub(super) fn reordered(soup: &mut Soup, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    let (mut moved, mut total) = (0, 0);
    for (stream, part) in (0..).zip(&mut soup.parts) {
        let rng = rng.stream(stream);
        let count = part.triangles.len();
        // Shuffles the first `touched` (Fisher–Yates), each starting at its second corner.
        let touched = (level * count as f32) as usize;
        for i in (1..touched).rev() {
            let other = (rng.unit(i as u64) * (i + 1) as f32) as usize;
            part.triangles.swap(i, other.min(i));
        }
        for triangle in &mut part.triangles[..touched] {
            triangle.rotate_left(1);
        }
        (moved, total) = (moved + touched, total + count);
    }
    Ok(moved as f64 / total.max(1) as f64)
}

/// Long edges are halved: more triangles, the same surface.
pub(super) fn subdivided(soup: &mut Soup, level: f32, _: CounterRng) -> Result<f64, DamageError> {
    let before = soup.triangles().count();
    // At level 1 no edge is longer than a 64th of the diagonal.
    refine(soup, soup.diagonal() / (16.0 + 48.0 * level))?;
    Ok((soup.triangles().count() - before) as f64 / before.max(1) as f64)
}
