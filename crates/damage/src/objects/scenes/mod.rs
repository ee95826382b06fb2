//! A small grammar of scenes: things of one form and colour, each at a place → [`Scene`], and the
//! cases that prompts describe.
//!
//! Seen from the front (+z), x to the right, y up. The prompt of the `category` rubric is true of a
//! case as modelled here; `damage` makes it false. Things do not touch.

mod cases;

use super::kit::{Shape, Surface, ball, hoop, lathe, rounded_box, scene};
use crate::scene::Scene;
use glam::Vec3;

pub use cases::{case, cases};

/// What a thing looks like; each fits a ball of radius 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Ball,
    /// A cube, its edges a little round.
    Cube,
    /// A cone on its base.
    Cone,
    Cylinder,
    /// A ring that faces the front.
    Ring,
    /// A flat board that faces the front.
    Board,
}

/// A colour that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hue {
    Red,
    Orange,
    Yellow,
    Green,
    Blue,
    Purple,
    Grey,
}

impl Hue {
    /// Those that differ in hue.
    pub const NAMED: [Self; 6] =
        [Self::Red, Self::Orange, Self::Yellow, Self::Green, Self::Blue, Self::Purple];

    /// Linear RGB of its clearest shade.
    pub fn color(self) -> Vec3 {
        match self {
            Self::Red => Vec3::new(0.68, 0.01, 0.01),
            Self::Orange => Vec3::new(0.9, 0.25, 0.0),
            Self::Yellow => Vec3::new(0.9, 0.7, 0.0),
            Self::Green => Vec3::new(0.01, 0.32, 0.03),
            Self::Blue => Vec3::new(0.01, 0.05, 0.68),
            Self::Purple => Vec3::new(0.2, 0.01, 0.35),
            Self::Grey => Vec3::splat(0.2),
        }
    }
}

/// One thing of a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thing {
    /// What it looks like.
    pub form: Form,
    /// Linear RGB.
    pub color: Vec3,
    pub at: Vec3,
    /// Radius of the ball that it fits.
    pub size: f32,
}

/// All things of a scene, what the prompt names first first.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    pub things: Vec<Thing>,
}

/// A scene that a prompt describes.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Unique; lower case, words joined by `-`.
    pub name: &'static str,
    /// The kind of prompt, as the `category` rubric names it.
    pub category: &'static str,
    /// Its true prompt.
    pub prompt: &'static str,
    arrangement: Arrangement,
}

impl Case {
    /// As the prompt says.
    pub fn layout(&self) -> Layout {
        self.arrangement.layout()
    }
}

/// How the things of a case are placed.
#[derive(Debug, Clone, Copy)]
enum Arrangement {
    /// So many alike, side by side.
    Row(Form, Hue, usize),
    /// The first to the left of the second.
    Beside(Form, Hue, Form, Hue),
    /// The first above the second.
    Above(Form, Hue, Form, Hue),
}

impl Arrangement {
    fn layout(self) -> Layout {
        let thing = |form, hue: Hue, at| Thing { form, color: hue.color(), at, size: 0.8 };
        use Arrangement::{Above, Beside, Row};
        let things = match self {
            Row(form, hue, count) => {
                let x = |i: usize| 2.0 * (i as f32 - 0.5 * (count - 1) as f32);
                (0..count).map(|i| thing(form, hue, Vec3::X * x(i))).collect()
            }
            Beside(left, left_hue, right, right_hue) => {
                vec![thing(left, left_hue, Vec3::NEG_X), thing(right, right_hue, Vec3::X)]
            }
            Above(upper, upper_hue, lower, lower_hue) => {
                vec![thing(upper, upper_hue, Vec3::Y), thing(lower, lower_hue, Vec3::NEG_Y)]
            }
        };
        Layout { things }
    }
}

impl Layout {
    /// The things as a scene: one mesh and one plain material each.
    pub fn make(&self) -> Scene {
        let surfaces: Vec<Surface> = self
            .things
            .iter()
            .map(|thing| Surface {
                shape: thing.form.shape().moved(|p| thing.at + p * thing.size),
                material: "plain",
                color: thing.color.to_array(),
                metallic: 0.0,
                roughness: 0.6,
                texture: None,
            })
            .collect();
        scene(&surfaces)
    }
}

impl Form {
    fn shape(self) -> Shape {
        match self {
            Self::Ball => ball(Vec3::splat(0.8), 24, 48),
            Self::Cube => rounded_box(Vec3::splat(0.6), 0.06, [6, 6, 6], 1.0),
            Self::Cone => lathe(&[(0.75, -0.65), (0.02, 0.85)], 0.02, 0.2, 48),
            Self::Cylinder => lathe(&[(0.6, -0.75), (0.6, 0.75)], 0.03, 0.2, 48),
            Self::Ring => hoop(0.72, 0.26, 64, 24).tipped(0.25),
            Self::Board => rounded_box(Vec3::new(0.7, 0.7, 0.04), 0.01, [4, 4, 1], 1.0),
        }
    }
}
