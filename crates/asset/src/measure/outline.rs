//! Outlines of the objects in two masks, centred and scaled to one size, and their overlap.

/// Edge of the outlines that are compared, in pixels.
pub const OUTLINE_PX: usize = 64;

/// The share of the outline's square that is inside. A disc of this area has a diameter of half the square, which leaves room for objects
/// four times as long as wide.
const TARGET_AREA: f64 = 0.196;

/// What a mask shows: its pixels, their middle and how many they are.
#[derive(Debug, Clone, Copy)]
pub struct Silhouette<'a> {
    /// By row from the top; true where the object is.
    inside: &'a [bool],
    width_px: usize,
    /// In pixels, from the left upper corner.
    center: [f64; 2],
    /// Pixels of the mask for one of the outline.
    scale: f64,
}

/// An outline that is compared: centred on its middle, scaled so that it fills a fixed share of the square.
#[derive(Debug, Clone)]
pub struct Outline {
    inside: Vec<bool>,
    /// `inside` grown by a pixel.
    grown: Vec<bool>,
}

impl<'a> Silhouette<'a> {
    /// `None` where the mask is empty. Centre and scale come from the area, which turning does not change.
    pub fn new(inside: &'a [bool], width_px: usize) -> Option<Self> {
        let mut sums = [0.0_f64; 3];
        for at in (0..inside.len()).filter(|&at| inside[at]) {
            sums[0] += 1.0;
            sums[1] += (at % width_px) as f64 + 0.5;
            sums[2] += (at / width_px) as f64 + 0.5;
        }
        let [area, x, y] = sums;
        (area > 0.0).then(|| Self {
            inside,
            width_px,
            center: [x / area, y / area],
            scale: (area / TARGET_AREA).sqrt() / OUTLINE_PX as f64,
        })
    }

    /// Turned in the picture. The object keeps its proportions.
    pub fn outline(&self, roll_degrees: f64) -> Outline {
        let turn = roll_degrees.to_radians();
        let (sin, cos) = (libm::sin(turn) * self.scale, libm::cos(turn) * self.scale);
        let (half, height_px) = (OUTLINE_PX as f64 / 2.0, self.inside.len() / self.width_px);
        let [center_x, center_y] = self.center;
        let mut inside = Vec::with_capacity(OUTLINE_PX * OUTLINE_PX);
        for row in 0..OUTLINE_PX {
            let v = row as f64 + 0.5 - half;
            for column in 0..OUTLINE_PX {
                let u = column as f64 + 0.5 - half;
                let (x, y) = (center_x + cos * u - sin * v, center_y + sin * u + cos * v);
                let is_in =
                    x >= 0.0 && y >= 0.0 && x < self.width_px as f64 && y < height_px as f64;
                inside.push(is_in && self.inside[y as usize * self.width_px + x as usize]);
            }
        }
        let grown = grown(&inside);
        Outline { inside, grown }
    }
}

impl Outline {
    /// Intersection over union, 0 to 1, in which a pixel of one also meets the other's neighbour: thin legs and spokes that are one
    /// pixel of 64 off would count twice as wrong otherwise.
    ///
    /// With F = (|A ∩ B⁺| + |B ∩ A⁺|) / (|A| + |B|), where ⁺ grows by a pixel, it is F / (2 − F): without growing exactly
    /// |A ∩ B| / |A ∪ B|.
    pub fn overlap(&self, other: &Self) -> f64 {
        let (mut met, mut all) = (0_u32, 0_u32);
        for at in 0..self.inside.len() {
            met += u32::from(self.inside[at] & other.grown[at])
                + u32::from(other.inside[at] & self.grown[at]);
            all += u32::from(self.inside[at]) + u32::from(other.inside[at]);
        }
        if all == 0 {
            return 0.0;
        }
        let f = f64::from(met) / f64::from(all);
        f / (2.0 - f)
    }
}

/// Every pixel with its four neighbours.
fn grown(inside: &[bool]) -> Vec<bool> {
    let mut out = inside.to_vec();
    for at in (0..inside.len()).filter(|&at| inside[at]) {
        for next in [at.wrapping_sub(1), at + 1, at.wrapping_sub(OUTLINE_PX), at + OUTLINE_PX] {
            if let Some(pixel) = out.get_mut(next) {
                *pixel = true;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rectangle in a square of 100 pixels.
    fn bar(x: usize, y: usize, w: usize, h: usize) -> Vec<bool> {
        (0..10_000)
            .map(|i| (x..x + w).contains(&(i % 100)) && (y..y + h).contains(&(i / 100)))
            .collect()
    }

    #[test]
    fn place_size_and_turn_do_not_matter_but_proportions_do() {
        let target = bar(10, 20, 40, 16);
        let target = Silhouette::new(&target, 100).unwrap().outline(0.0);
        let same = |inside: &[bool], roll| {
            let outline = Silhouette::new(inside, 100).unwrap().outline(roll);
            outline.overlap(&target)
        };
        assert!(same(&bar(50, 70, 40, 16), 0.0) > 0.99);
        assert!(same(&bar(5, 5, 80, 32), 0.0) > 0.95);
        assert!(same(&bar(20, 20, 16, 40), 90.0) > 0.93);
        assert!(same(&bar(20, 20, 16, 40), 0.0) < 0.6);
        assert!(same(&bar(20, 20, 30, 30), 0.0) < 0.75);
        assert!(Silhouette::new(&[false; 100], 10).is_none());
    }
}
