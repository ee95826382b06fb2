//! A rig's TOML → [`Rig`], every number checked.

use super::camera::Projection;
use super::view::{View, ring_views};
use super::{NormalAxes, Rig};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Why a rig cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// Neither a built-in name nor a file.
    #[error("there is no rig named {name:?}; use one of {}, or a .toml file", Rig::BUILTIN.join(", "))]
    Unknown { name: String },
    #[error("cannot read the rig ({source}): {path:?}")]
    Read {
        source: std::io::Error,
        path: PathBuf,
    },
    #[error(
        "not a rig ({reason}); see crates/asset/assets/rigs/ring.toml for an example: {origin:?}"
    )]
    Parse {
        reason: String,
        /// File or built-in name.
        origin: String,
    },
    /// A number is out of its range.
    #[error("{field} is {found}, but must be {allowed}: {origin:?}")]
    Range {
        field: &'static str,
        found: f64,
        allowed: &'static str,
        /// File or built-in name.
        origin: String,
    },
    /// Views or distances given twice or not at all.
    #[error("specify {wanted}: {origin:?}")]
    Choice {
        wanted: &'static str,
        /// File or built-in name.
        origin: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RigFile {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default = "one")]
    object_radius: f64,
    #[serde(default)]
    normal_axes: NormalAxes,
    #[serde(default = "default_tile_px")]
    tile_px: u32,
    camera: CameraFile,
    ring: Option<RingFile>,
    #[serde(default)]
    view: Vec<View>,
}

#[derive(Deserialize)]
#[serde(tag = "projection", rename_all = "lowercase", deny_unknown_fields)]
enum CameraFile {
    Perspective {
        fov_y_degrees: f64,
        distance: Option<f64>,
        fit: Option<f64>,
    },
    Orthographic {
        #[serde(default = "one")]
        fit: f64,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RingFile {
    views: usize,
    elevation_degrees: f64,
    #[serde(default)]
    both_ends: bool,
}

fn one() -> f64 {
    1.0
}

fn default_tile_px() -> u32 {
    512
}

impl Rig {
    /// A built-in rig by its name.
    ///
    /// # Errors
    /// [`RigError::Unknown`].
    pub fn builtin(name: &str) -> Result<Self, RigError> {
        let text = match name {
            "gpteval3d" => include_str!("../../assets/rigs/gpteval3d.toml"),
            "ring" => include_str!("../../assets/rigs/ring.toml"),
            "four-view" => include_str!("../../assets/rigs/four-view.toml"),
            "six" => include_str!("../../assets/rigs/six.toml"),
            _ => {
                return Err(RigError::Unknown {
                    name: name.to_owned(),
                });
            }
        };
        Self::parse(text, name)
    }

    /// A built-in rig by its name, or a user's TOML file by its path.
    ///
    /// # Errors
    /// Any [`RigError`].
    pub fn named_or_file(name_or_path: &str) -> Result<Self, RigError> {
        let path = Path::new(name_or_path);
        if path.extension().is_some_and(|e| e == "toml") {
            let text = std::fs::read_to_string(path).map_err(|source| RigError::Read {
                source,
                path: path.to_owned(),
            })?;
            Self::parse(&text, name_or_path)
        } else {
            Self::builtin(name_or_path)
        }
    }

    /// Reads a rig from TOML; `origin` is named in errors.
    ///
    /// # Errors
    /// [`RigError::Parse`], [`RigError::Range`] or [`RigError::Choice`].
    pub fn parse(text: &str, origin: &str) -> Result<Self, RigError> {
        let file: RigFile = toml::from_str(text).map_err(|e| RigError::Parse {
            reason: e.message().to_owned(),
            origin: origin.to_owned(),
        })?;
        let check = |field, found: f64, is_good: bool, allowed| {
            if found.is_finite() && is_good {
                Ok(())
            } else {
                Err(RigError::Range {
                    field,
                    found,
                    allowed,
                    origin: origin.to_owned(),
                })
            }
        };
        let radius = file.object_radius;
        check("object_radius", radius, radius > 0.0, "above 0")?;
        check(
            "tile_px",
            f64::from(file.tile_px),
            (1..=Self::TILE_PX_MAX).contains(&file.tile_px),
            "1 to 8192",
        )?;
        let projection = match file.camera {
            CameraFile::Perspective {
                fov_y_degrees,
                distance,
                fit,
            } => {
                let fov = fov_y_degrees;
                check("fov_y_degrees", fov, fov > 0.1 && fov < 175.0, "0.1 to 175")?;
                let distance = match (distance, fit) {
                    (Some(distance), None) => distance,
                    (None, fit) => radius / libm::sin(fov.to_radians() / 2.0) * fit.unwrap_or(1.0),
                    (Some(_), Some(_)) => {
                        return Err(RigError::Choice {
                            wanted: "either distance or fit, not both",
                            origin: origin.to_owned(),
                        });
                    }
                };
                check("distance", distance, distance > 0.0, "above 0")?;
                Projection::Perspective {
                    fov_y_degrees,
                    distance,
                }
            }
            CameraFile::Orthographic { fit } => {
                check("fit", fit, fit > 0.0, "above 0")?;
                Projection::Orthographic {
                    half_height: radius * fit,
                }
            }
        };
        let views = match (file.ring, file.view) {
            (Some(ring), views) if views.is_empty() => {
                check(
                    "ring.views",
                    ring.views as f64,
                    (1..=Self::VIEWS_MAX).contains(&ring.views),
                    "1 to 4096",
                )?;
                ring_views(ring.views, ring.elevation_degrees, ring.both_ends)
            }
            (None, views) if !views.is_empty() && views.len() <= Self::VIEWS_MAX => views,
            _ => {
                return Err(RigError::Choice {
                    wanted: "either [ring] or 1 to 4096 [[view]] entries",
                    origin: origin.to_owned(),
                });
            }
        };
        for view in &views {
            let elevation = view.elevation_degrees;
            let in_range = (-90.0..=90.0).contains(&elevation);
            check("elevation_degrees", elevation, in_range, "−90 to 90")?;
            check("azimuth_degrees", view.azimuth_degrees, true, "finite")?;
            check("roll_degrees", view.roll_degrees, true, "finite")?;
        }
        Ok(Self {
            name: file.name,
            description: file.description,
            object_radius: radius,
            projection,
            normal_axes: file.normal_axes,
            tile_px: file.tile_px,
            views,
        })
    }

    /// Edge of the largest square picture drawn.
    pub const TILE_PX_MAX: u32 = 8192;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_rig_parses() {
        for name in Rig::BUILTIN {
            assert_eq!(Rig::builtin(name).unwrap().name, name);
        }
    }

    #[test]
    fn gpteval3d_has_120_views_whose_last_is_the_first() {
        let rig = Rig::builtin("gpteval3d").unwrap();
        assert_eq!(rig.views.len(), 120);
        assert!((rig.views[1].azimuth_degrees - 360.0 / 119.0).abs() < 1e-12);
        assert!((rig.views[119].azimuth_degrees - 360.0).abs() < 1e-12);
        assert_eq!(
            rig.projection,
            Projection::Perspective {
                fov_y_degrees: 70.0,
                distance: 1.5
            }
        );
    }

    #[test]
    fn a_misspelt_entry_is_refused() {
        let text =
            "name = 'x'\n[camera]\nprojection = 'orthographic'\n[ring]\nviews = 3\nelevation = 2.0";
        assert!(matches!(
            Rig::parse(text, "x.toml"),
            Err(RigError::Parse { .. })
        ));
    }

    #[test]
    fn views_twice_or_out_of_range_are_refused() {
        let head = "name = 'x'\n[camera]\nprojection = 'orthographic'\n";
        let ring = "[ring]\nviews = 3\nelevation_degrees = 91.0\n";
        let view = "[[view]]\nazimuth_degrees = 0.0\nelevation_degrees = 0.0\n";
        assert!(matches!(
            Rig::parse(&format!("{head}{ring}"), "x"),
            Err(RigError::Range {
                field: "elevation_degrees",
                ..
            })
        ));
        assert!(matches!(
            Rig::parse(&format!("{head}{ring}{view}"), "x"),
            Err(RigError::Choice { .. })
        ));
        assert!(matches!(
            Rig::parse(head, "x"),
            Err(RigError::Choice { .. })
        ));
    }
}
