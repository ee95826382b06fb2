//! The cases: six for each kind of prompt.

use super::{Case, Form, Hue, Layout, Thing};
use glam::Vec3;

const CASES: [Case; 36] = [
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
        name: "purple-cube-alone",
        category: "single_object",
        prompt: "a purple cube",
        layout: || row(Form::Cube, Hue::Purple, 1),
    },
    Case {
        name: "red-cone-alone",
        category: "single_object",
        prompt: "a red cone",
        layout: || row(Form::Cone, Hue::Red, 1),
    },
    Case {
        name: "blue-ball-alone",
        category: "single_object",
        prompt: "a blue ball",
        layout: || row(Form::Ball, Hue::Blue, 1),
    },
    Case {
        name: "yellow-ring-alone",
        category: "single_object",
        prompt: "a yellow ring",
        layout: || row(Form::Ring, Hue::Yellow, 1),
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
        name: "ring-and-ball",
        category: "two_object",
        prompt: "a ring and a ball of about the same size",
        layout: || beside(Form::Ring, Hue::Blue, Form::Ball, Hue::Green),
    },
    Case {
        name: "cube-and-cone",
        category: "two_object",
        prompt: "a cube and a cone of about the same size",
        layout: || beside(Form::Cube, Hue::Red, Form::Cone, Hue::Grey),
    },
    Case {
        name: "cylinder-and-ring",
        category: "two_object",
        prompt: "a cylinder and a ring of about the same size",
        layout: || beside(Form::Cylinder, Hue::Orange, Form::Ring, Hue::Purple),
    },
    Case {
        name: "ball-and-cylinder",
        category: "two_object",
        prompt: "a ball and a cylinder of about the same size",
        layout: || beside(Form::Ball, Hue::Yellow, Form::Cylinder, Hue::Blue),
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
        name: "two-orange-cones",
        category: "counting",
        prompt: "two orange cones",
        layout: || row(Form::Cone, Hue::Orange, 2),
    },
    Case {
        name: "four-purple-rings",
        category: "counting",
        prompt: "four purple rings",
        layout: || row(Form::Ring, Hue::Purple, 4),
    },
    Case {
        name: "three-yellow-cylinders",
        category: "counting",
        prompt: "three yellow cylinders",
        layout: || row(Form::Cylinder, Hue::Yellow, 3),
    },
    Case {
        name: "four-green-balls",
        category: "counting",
        prompt: "four green balls",
        layout: || row(Form::Ball, Hue::Green, 4),
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
        name: "plain-blue-cube",
        category: "colors",
        prompt: "a blue cube",
        layout: || row(Form::Cube, Hue::Blue, 1),
    },
    Case {
        name: "two-red-rings",
        category: "colors",
        prompt: "two red rings",
        layout: || row(Form::Ring, Hue::Red, 2),
    },
    Case {
        name: "plain-orange-ball",
        category: "colors",
        prompt: "an orange ball",
        layout: || row(Form::Ball, Hue::Orange, 1),
    },
    Case {
        name: "two-purple-cylinders",
        category: "colors",
        prompt: "two purple cylinders",
        layout: || row(Form::Cylinder, Hue::Purple, 2),
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
        layout: || above(Form::Cone, Hue::Green, Form::Ring, Hue::Orange),
    },
    Case {
        name: "cube-left-of-cone",
        category: "position",
        prompt: "a yellow cube to the left of a purple cone",
        layout: || beside(Form::Cube, Hue::Yellow, Form::Cone, Hue::Purple),
    },
    Case {
        name: "ring-left-of-cylinder",
        category: "position",
        prompt: "a green ring to the left of a red cylinder",
        layout: || beside(Form::Ring, Hue::Green, Form::Cylinder, Hue::Red),
    },
    Case {
        name: "ball-above-cube",
        category: "position",
        prompt: "a blue ball above a yellow cube",
        layout: || above(Form::Ball, Hue::Blue, Form::Cube, Hue::Yellow),
    },
    Case {
        name: "cylinder-above-ball",
        category: "position",
        prompt: "a red cylinder above a green ball",
        layout: || above(Form::Cylinder, Hue::Red, Form::Ball, Hue::Green),
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
    Case {
        name: "blue-ring-yellow-cone",
        category: "color_attr",
        prompt: "a blue ring and a yellow cone",
        layout: || beside(Form::Ring, Hue::Blue, Form::Cone, Hue::Yellow),
    },
    Case {
        name: "purple-ball-orange-cylinder",
        category: "color_attr",
        prompt: "a purple ball and an orange cylinder",
        layout: || beside(Form::Ball, Hue::Purple, Form::Cylinder, Hue::Orange),
    },
    Case {
        name: "red-cone-green-ring",
        category: "color_attr",
        prompt: "a red cone and a green ring",
        layout: || beside(Form::Cone, Hue::Red, Form::Ring, Hue::Green),
    },
    Case {
        name: "yellow-cylinder-blue-cube",
        category: "color_attr",
        prompt: "a yellow cylinder and a blue cube",
        layout: || beside(Form::Cylinder, Hue::Yellow, Form::Cube, Hue::Blue),
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
    Thing { form, color: hue.color(), at, size: 0.8 }
}

/// Alike, side by side.
fn row(form: Form, hue: Hue, count: usize) -> Layout {
    let x = |i: usize| 2.0 * (i as f32 - 0.5 * (count - 1) as f32);
    Layout { things: (0..count).map(|i| thing(form, hue, Vec3::X * x(i))).collect() }
}

fn beside(left: Form, left_hue: Hue, right: Form, right_hue: Hue) -> Layout {
    Layout { things: vec![thing(left, left_hue, Vec3::NEG_X), thing(right, right_hue, Vec3::X)] }
}

fn above(upper: Form, upper_hue: Hue, lower: Form, lower_hue: Hue) -> Layout {
    Layout { things: vec![thing(upper, upper_hue, Vec3::Y), thing(lower, lower_hue, Vec3::NEG_Y)] }
}
