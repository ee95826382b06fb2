//! The cases: two for each kind of prompt.

use super::{Case, Form, Hue, Layout, Thing};
use glam::Vec3;

const CASES: [Case; 12] = [
    Case {
        name: "cylinder",
        category: "single_object",
        prompt: "a grey cylinder",
        layout: || row(Form::Cylinder, Hue::Grey, 1),
    },
    Case {
        name: "green-ring",
        category: "single_object",
        prompt: "a green ring",
        layout: || row(Form::Ring, Hue::Green, 1),
    },
    Case {
        name: "ball-and-cube",
        category: "two_object",
        prompt: "a ball and a cube of about the same size",
        layout: || beside(Form::Ball, Hue::Orange, Form::Cube, Hue::Grey),
    },
    Case {
        name: "cone-and-cylinder",
        category: "two_object",
        prompt: "a cone and a cylinder of about the same size",
        layout: || beside(Form::Cone, Hue::Purple, Form::Cylinder, Hue::Yellow),
    },
    Case {
        name: "three-red-balls",
        category: "counting",
        prompt: "three red balls",
        layout: || row(Form::Ball, Hue::Red, 3),
    },
    Case {
        name: "five-blue-cubes",
        category: "counting",
        prompt: "five blue cubes",
        layout: || row(Form::Cube, Hue::Blue, 5),
    },
    Case {
        name: "yellow-cone",
        category: "colors",
        prompt: "a yellow cone",
        layout: || row(Form::Cone, Hue::Yellow, 1),
    },
    Case {
        name: "two-green-balls",
        category: "colors",
        prompt: "two green balls",
        layout: || row(Form::Ball, Hue::Green, 2),
    },
    Case {
        name: "ball-left-of-cube",
        category: "position",
        prompt: "a red ball to the left of a blue cube",
        layout: || beside(Form::Ball, Hue::Red, Form::Cube, Hue::Blue),
    },
    Case {
        name: "cone-above-ring",
        category: "position",
        prompt: "a green cone above an orange ring",
        layout: || Layout {
            things: vec![
                thing(Form::Cone, Hue::Green, Vec3::Y),
                thing(Form::Ring, Hue::Orange, Vec3::NEG_Y),
            ],
        },
    },
    Case {
        name: "red-cube-blue-ball",
        category: "color_attr",
        prompt: "a red cube and a blue ball",
        layout: || beside(Form::Cube, Hue::Red, Form::Ball, Hue::Blue),
    },
    Case {
        name: "green-cone-purple-cylinder",
        category: "color_attr",
        prompt: "a green cone and a purple cylinder",
        layout: || beside(Form::Cone, Hue::Green, Form::Cylinder, Hue::Purple),
    },
];

/// All cases, by kind of prompt in the rubric's order.
pub fn cases() -> &'static [Case] {
    &CASES
}

/// The case of that name.
pub fn case(name: &str) -> Option<&'static Case> {
    CASES.iter().find(|case| case.name == name)
}

fn thing(form: Form, hue: Hue, at: Vec3) -> Thing {
    Thing {
        form,
        color: hue.color(),
        at,
        size: 0.8,
    }
}

/// Alike, side by side.
fn row(form: Form, hue: Hue, count: usize) -> Layout {
    let x = |i: usize| 2.0 * (i as f32 - 0.5 * (count - 1) as f32);
    Layout {
        things: (0..count)
            .map(|i| thing(form, hue, Vec3::X * x(i)))
            .collect(),
    }
}

fn beside(left: Form, left_hue: Hue, right: Form, right_hue: Hue) -> Layout {
    Layout {
        things: vec![
            thing(left, left_hue, Vec3::NEG_X),
            thing(right, right_hue, Vec3::X),
        ],
    }
}
