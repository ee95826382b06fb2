//! Signed axes, and the rotation that turns a file's up and front to ours.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// A coordinate axis with its direction, written `+x` … `-z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Axis {
    #[serde(rename = "+x")]
    PosX,
    #[serde(rename = "-x")]
    NegX,
    #[serde(rename = "+y")]
    PosY,
    #[serde(rename = "-y")]
    NegY,
    #[serde(rename = "+z")]
    PosZ,
    #[serde(rename = "-z")]
    NegZ,
}

impl Axis {
    /// All six, each with how it is written.
    pub const ALL: [(Self, &str); 6] = [
        (Self::PosX, "+x"),
        (Self::NegX, "-x"),
        (Self::PosY, "+y"),
        (Self::NegY, "-y"),
        (Self::PosZ, "+z"),
        (Self::NegZ, "-z"),
    ];

    /// Whether the two are different axes, whichever way they point.
    pub fn is_across(self, other: Self) -> bool {
        self.direction().dot(other.direction()) == 0.0
    }

    fn direction(self) -> DVec3 {
        match self {
            Self::PosX => DVec3::X,
            Self::NegX => DVec3::NEG_X,
            Self::PosY => DVec3::Y,
            Self::NegY => DVec3::NEG_Y,
            Self::PosZ => DVec3::Z,
            Self::NegZ => DVec3::NEG_Z,
        }
    }
}

impl std::fmt::Display for Axis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (_, text) = Self::ALL[*self as usize];
        f.write_str(text)
    }
}

/// Not one of the six axes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an axis; write +x, -x, +y, -y, +z or -z")]
pub struct AxisError {
    pub text: String,
}

impl std::str::FromStr for Axis {
    type Err = AxisError;

    /// Reads `+y`, `y` or `Y`.
    fn from_str(text: &str) -> Result<Self, AxisError> {
        let lower = text.to_ascii_lowercase();
        Self::ALL
            .iter()
            .find(|(_, name)| *name == lower || name.strip_prefix('+') == Some(lower.as_str()))
            .map(|&(axis, _)| axis)
            .ok_or_else(|| AxisError { text: text.to_owned() })
    }
}

/// Turns `up` to +y and `front` to +z; exact, all entries are −1, 0 or 1. Then the azimuth
/// `yaw_degrees` becomes the front. `None` if both axes are on one line.
pub fn rotation(up: Axis, front: Axis, yaw_degrees: u16) -> Option<DMat3> {
    let (up_in_file, front_in_file) = (up.direction(), front.direction());
    let right_in_file = up_in_file.cross(front_in_file);
    if right_in_file == DVec3::ZERO {
        return None;
    }
    // Rows are our axes as seen in the file.
    let turn = DMat3::from_cols(right_in_file, up_in_file, front_in_file).transpose();
    let (sin, cos) = match yaw_degrees % 360 {
        0 => return Some(turn),
        90 => (1.0, 0.0),
        180 => (0.0, -1.0),
        270 => (-1.0, 0.0),
        other => libm::sincos(f64::from(other).to_radians()),
    };
    let back = DMat3::from_cols_array(&[cos, 0.0, sin, 0.0, 1.0, 0.0, -sin, 0.0, cos]);
    Some(back * turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_axes_gives_a_rotation_that_turns_them() {
        let mut rotations = 0;
        for (up, _) in Axis::ALL {
            for (front, _) in Axis::ALL {
                let Some(turn) = rotation(up, front, 0) else {
                    continue;
                };
                rotations += 1;
                assert_eq!(turn * up.direction(), DVec3::Y, "{up} {front}");
                assert_eq!(turn * front.direction(), DVec3::Z, "{up} {front}");
                assert_eq!(turn.determinant(), 1.0, "{up} {front}");
            }
        }
        assert_eq!(rotations, 24);
    }

    #[test]
    fn the_azimuth_of_the_yaw_becomes_the_front() {
        for degrees in [0, 10, 90, 135, 180, 270, 350] {
            let turn = rotation(Axis::PosY, Axis::PosZ, degrees).unwrap();
            let (sin, cos) = libm::sincos(f64::from(degrees).to_radians());
            // Azimuth grows from +z towards +x.
            assert!((turn * DVec3::new(sin, 0.0, cos)).distance(DVec3::Z) < 1e-15, "{degrees}");
            assert_eq!(turn * DVec3::Y, DVec3::Y);
        }
    }

    #[test]
    fn axes_are_read_and_written() {
        for (axis, text) in Axis::ALL {
            assert_eq!(axis.to_string(), text);
            assert_eq!(text.parse(), Ok(axis));
        }
        assert_eq!("Z".parse(), Ok(Axis::PosZ));
        assert!("w".parse::<Axis>().is_err());
    }
}
