//! The cases: six for each kind of prompt.

use super::Arrangement::{self, Above, Beside, Row};
use super::Case;
use super::Form::{Ball, Cone, Cube, Cylinder, Ring};
use super::Hue::{Blue, Green, Grey, Orange, Purple, Red, Yellow};
use std::sync::LazyLock;

/// Name, prompt and things of six cases.
type Six = [(&'static str, &'static str, Arrangement); 6];

const SINGLE_OBJECT: Six = [
    ("cylinder", "a grey cylinder", Row(Cylinder, Grey, 1)),
    ("green-ring", "a green ring", Row(Ring, Green, 1)),
    ("purple-cube-alone", "a purple cube", Row(Cube, Purple, 1)),
    ("red-cone-alone", "a red cone", Row(Cone, Red, 1)),
    ("blue-ball-alone", "a blue ball", Row(Ball, Blue, 1)),
    ("yellow-ring-alone", "a yellow ring", Row(Ring, Yellow, 1)),
];

const TWO_OBJECT: Six = [
    ("ball-and-cube", "a ball and a cube of about the same size", Beside(Ball, Orange, Cube, Grey)),
    (
        "cone-and-cylinder",
        "a cone and a cylinder of about the same size",
        Beside(Cone, Purple, Cylinder, Yellow),
    ),
    ("ring-and-ball", "a ring and a ball of about the same size", Beside(Ring, Blue, Ball, Green)),
    ("cube-and-cone", "a cube and a cone of about the same size", Beside(Cube, Red, Cone, Grey)),
    (
        "cylinder-and-ring",
        "a cylinder and a ring of about the same size",
        Beside(Cylinder, Orange, Ring, Purple),
    ),
    (
        "ball-and-cylinder",
        "a ball and a cylinder of about the same size",
        Beside(Ball, Yellow, Cylinder, Blue),
    ),
];

const COUNTING: Six = [
    ("three-red-balls", "three red balls", Row(Ball, Red, 3)),
    ("five-blue-cubes", "five blue cubes", Row(Cube, Blue, 5)),
    ("two-orange-cones", "two orange cones", Row(Cone, Orange, 2)),
    ("four-purple-rings", "four purple rings", Row(Ring, Purple, 4)),
    ("three-yellow-cylinders", "three yellow cylinders", Row(Cylinder, Yellow, 3)),
    ("four-green-balls", "four green balls", Row(Ball, Green, 4)),
];

const COLORS: Six = [
    ("yellow-cone", "a yellow cone", Row(Cone, Yellow, 1)),
    ("two-green-balls", "two green balls", Row(Ball, Green, 2)),
    ("plain-blue-cube", "a blue cube", Row(Cube, Blue, 1)),
    ("two-red-rings", "two red rings", Row(Ring, Red, 2)),
    ("plain-orange-ball", "an orange ball", Row(Ball, Orange, 1)),
    ("two-purple-cylinders", "two purple cylinders", Row(Cylinder, Purple, 2)),
];

const POSITION: Six = [
    ("ball-left-of-cube", "a red ball to the left of a blue cube", Beside(Ball, Red, Cube, Blue)),
    ("cone-above-ring", "a green cone above an orange ring", Above(Cone, Green, Ring, Orange)),
    (
        "cube-left-of-cone",
        "a yellow cube to the left of a purple cone",
        Beside(Cube, Yellow, Cone, Purple),
    ),
    (
        "ring-left-of-cylinder",
        "a green ring to the left of a red cylinder",
        Beside(Ring, Green, Cylinder, Red),
    ),
    ("ball-above-cube", "a blue ball above a yellow cube", Above(Ball, Blue, Cube, Yellow)),
    ("cylinder-above-ball", "a red cylinder above a green ball", Above(Cylinder, Red, Ball, Green)),
];

const COLOR_ATTR: Six = [
    ("red-cube-blue-ball", "a red cube and a blue ball", Beside(Cube, Red, Ball, Blue)),
    (
        "green-cone-purple-cylinder",
        "a green cone and a purple cylinder",
        Beside(Cone, Green, Cylinder, Purple),
    ),
    ("blue-ring-yellow-cone", "a blue ring and a yellow cone", Beside(Ring, Blue, Cone, Yellow)),
    (
        "purple-ball-orange-cylinder",
        "a purple ball and an orange cylinder",
        Beside(Ball, Purple, Cylinder, Orange),
    ),
    ("red-cone-green-ring", "a red cone and a green ring", Beside(Cone, Red, Ring, Green)),
    (
        "yellow-cylinder-blue-cube",
        "a yellow cylinder and a blue cube",
        Beside(Cylinder, Yellow, Cube, Blue),
    ),
];

/// All cases, by kind of prompt in the rubric's order.
pub fn cases() -> &'static [Case] {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
        let kinds = [
            ("single_object", SINGLE_OBJECT),
            ("two_object", TWO_OBJECT),
            ("counting", COUNTING),
            ("colors", COLORS),
            ("position", POSITION),
            ("color_attr", COLOR_ATTR),
        ];
        let case =
            |category, (name, prompt, arrangement)| Case { name, category, prompt, arrangement };
        kinds.into_iter().flat_map(|(kind, six)| six.map(|row| case(kind, row))).collect()
    });
    &CASES
}

pub fn case(name: &str) -> Option<&'static Case> {
    cases().iter().find(|case| case.name == name)
}
