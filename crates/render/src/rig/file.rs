//! A rig's TOML → [`Rig`], every number checked.

use super::conventions::Conventions;
use super::lens::{Lens, Projection};
use super::placement::Normalise;
use super::sampled::{AngleFrom, Sampled};
use super::view::{View, ring_views};
use super::{NormalAxes, Rig, SplatFilter};
use crate::save::file_name;
use crate::scene::one_of;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Why a rig cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// Neither a built-in name nor a file.
    #[error("unknown rig {name:?}, which is no .toml file either; {}", one_of(name, Rig::BUILTIN))]
    Unknown { name: String },
    #[error("cannot read the rig ({source}): {path:?}")]
    Read { source: std::io::Error, path: PathBuf },
    #[error("not a rig ({reason}); see docs/PROTOCOLS.md for an example: {origin:?}")]
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
    /// Views next to each other on a sheet; a square of them without it.
    columns: Option<u32>,
    /// Width and height of pictures that are not square.
    size_px: Option<[u32; 2]>,
    normalise: Option<Normalise>,
    splats: Option<SplatFilter>,
    camera: CameraFile,
    ring: Option<RingFile>,
    sampled: Option<Sampled>,
    #[serde(default)]
    view: Vec<View>,
    #[serde(default)]
    protocol: Conventions,
}

#[derive(Deserialize)]
#[serde(tag = "projection", rename_all = "lowercase", deny_unknown_fields)]
enum CameraFile {
    Perspective {
        fov_y_degrees: Option<f64>,
        distance: Option<f64>,
        fit: Option<f64>,
        /// Along x and y, in pixels of a picture of the rig's size.
        focal_px: Option<[f64; 2]>,
        /// From the upper left corner, in the same pixels.
        principal_px: Option<[f64; 2]>,
    },
    Orthographic {
        fit: Option<f64>,
        /// Height of the picture in the rig's units.
        height: Option<f64>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RingFile {
    views: usize,
    elevation_degrees: f64,
    #[serde(default)]
    both_ends: bool,
    /// The first view's angle.
    #[serde(default)]
    first_degrees: f64,
    #[serde(default)]
    angle_from: AngleFrom,
}

fn one() -> f64 {
    1.0
}

fn default_tile_px() -> u32 {
    512
}

macro_rules! texts {
    ($($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("../../assets/rigs/", $name, ".toml")))),+]
    };
}

/// The built-in rigs and their files: ours, then those of published protocols.
const TEXTS: [(&str, &str); 25] = texts![
    "ring",
    "four-view",
    "six",
    "gpteval3d",
    "404-gen",
    "404-gen-splats",
    "defectbench",
    "diffsplat",
    "era3d",
    "hunyuan3d-cond",
    "hunyuan3d-paint",
    "hunyuan3d-tex",
    "instantmesh",
    "lgm",
    "mate3d",
    "objaverse",
    "syncdreamer",
    "t3bench",
    "t3bench-captions",
    "trellis",
    "trellis-cond",
    "trellis-multiview",
    "trellis-snapshot",
    "wonder3d",
    "zero123",
];

impl Rig {
    /// Names of the built-in rigs: ours, then those of published protocols.
    pub const BUILTIN: [&'static str; TEXTS.len()] = {
        let mut names = [""; TEXTS.len()];
        let mut k = 0;
        while k < names.len() {
            names[k] = TEXTS[k].0;
            k += 1;
        }
        names
    };

    /// A built-in rig by its name.
    ///
    /// # Errors
    /// [`RigError::Unknown`].
    pub fn builtin(name: &str) -> Result<Self, RigError> {
        let is_it = |(known, _): &&(&str, &str)| *known == name;
        let (_, text) =
            TEXTS.iter().find(is_it).ok_or_else(|| RigError::Unknown { name: name.to_owned() })?;
        Self::parse(text, name)
    }

    /// A built-in rig by its name, or a user's TOML file by its path.
    ///
    /// # Errors
    /// Any [`RigError`].
    pub fn named_or_file(name_or_path: &str) -> Result<Self, RigError> {
        let path = Path::new(name_or_path);
        if path.extension().is_some_and(|e| e == "toml") {
            let text = std::fs::read_to_string(path)
                .map_err(|source| RigError::Read { source, path: path.to_owned() })?;
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
                Err(RigError::Range { field, found, allowed, origin: origin.to_owned() })
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
        let columns = file.columns.unwrap_or(1);
        check("columns", f64::from(columns), columns > 0, "above 0")?;
        let size_px = file.size_px.unwrap_or([file.tile_px; 2]);
        for edge in size_px {
            let is_good = (1..=Self::TILE_PX_MAX).contains(&edge);
            check("size_px", f64::from(edge), is_good, "1 to 8192")?;
        }
        if let Some(normalise) = file.normalise {
            let size = match normalise {
                Normalise::Cube { size }
                | Normalise::Diagonal { size }
                | Normalise::Sphere { size }
                | Normalise::MeanCoordinate { size }
                | Normalise::MeanDistance { size } => size,
                Normalise::Matrix { scale, offset } => {
                    for offset in offset {
                        check("normalise.offset", offset, true, "finite")?;
                    }
                    scale
                }
            };
            check("normalise.size", size, size > 1e-9 && size < 1e9, "1e-9 to 1e9")?;
        }
        let kernel = file.splats.and_then(|splats| splats.kernel).unwrap_or(0.0);
        check("splats.kernel", kernel.into(), (0.0..=100.0).contains(&kernel), "0 to 100")?;
        let choice = |wanted| RigError::Choice { wanted, origin: origin.to_owned() };
        let mut lens = None;
        let projection = match file.camera {
            CameraFile::Perspective { fov_y_degrees, distance, fit, focal_px, principal_px } => {
                let [width, height] = size_px.map(f64::from);
                let fov = match (fov_y_degrees, focal_px) {
                    (Some(fov), None) => fov,
                    (None, Some([x, y])) => {
                        check("focal_px", x, x > 0.0, "above 0")?;
                        check("focal_px", y, y > 0.0, "above 0")?;
                        2.0 * libm::atan(height / (2.0 * y)).to_degrees()
                    }
                    _ => return Err(choice("either fov_y_degrees or focal_px, not both")),
                };
                check("fov_y_degrees", fov, fov > 0.1 && fov < 175.0, "0.1 to 175")?;
                if focal_px.is_some() || principal_px.is_some() {
                    let [x, y] = principal_px.unwrap_or([width / 2.0, height / 2.0]);
                    check("principal_px", x, x.abs() < 1e6, "below 1e6")?;
                    check("principal_px", y, y.abs() < 1e6, "below 1e6")?;
                    lens = Some(Lens {
                        principal_point: [x / width, y / height],
                        focal_ratio: focal_px.map_or(1.0, |[x, y]| x / y),
                    });
                }
                let distance = match (distance, fit) {
                    (Some(distance), None) => distance,
                    (None, fit) => radius / libm::sin(fov.to_radians() / 2.0) * fit.unwrap_or(1.0),
                    (Some(_), Some(_)) => {
                        return Err(choice("either distance or fit, not both"));
                    }
                };
                check("distance", distance, distance > 0.0, "above 0")?;
                Projection::Perspective { fov_y_degrees: fov, distance }
            }
            CameraFile::Orthographic { fit, height } => {
                let half_height = match (fit, height) {
                    (fit, None) => radius * fit.unwrap_or(1.0),
                    (None, Some(height)) => height / 2.0,
                    _ => return Err(choice("either fit or height, not both")),
                };
                check("fit", half_height, half_height > 0.0, "above 0")?;
                Projection::Orthographic { half_height }
            }
        };
        let in_number = |count: usize| (1..=Self::VIEWS_MAX).contains(&count);
        let views = match (file.ring, file.sampled, file.view) {
            (Some(ring), None, views) if views.is_empty() => {
                check("ring.views", ring.views as f64, in_number(ring.views), "1 to 4096")?;
                let mut views = ring_views(ring.views, ring.elevation_degrees, ring.both_ends);
                for view in &mut views {
                    let angle = ring.first_degrees + view.azimuth_degrees;
                    view.azimuth_degrees = ring.angle_from.azimuth(angle);
                }
                views
            }
            (None, Some(sampled), views) if views.is_empty() => {
                let count = sampled.views.saturating_mul(sampled.each_fov_y_degrees.len().max(1));
                check("sampled.views", count as f64, in_number(count), "1 to 4096")?;
                let range = |range: &Option<[f64; 2]>| range.unwrap_or([1.0, 1.0]);
                for [low, high] in [range(&sampled.distance), range(&sampled.fov_y_degrees)] {
                    check(
                        "sampled range",
                        low,
                        low > 0.1 && low <= high,
                        "0.1 up to the higher end",
                    )?;
                    check("sampled range", high, high < 175.0, "below 175")?;
                }
                if sampled.fov_y_degrees.is_some() {
                    let touching = sampled.touching_radius;
                    check("sampled.touching_radius", touching, touching > 0.0, "above 0")?;
                }
                for &fov in &sampled.each_fov_y_degrees {
                    check("each_fov_y_degrees", fov, fov > 0.1 && fov < 175.0, "0.1 to 175")?;
                }
                sampled
                    .views(projection)
                    .ok_or_else(|| choice("12, 42, 162 or 642 views of an icosphere, and a perspective camera for several lenses"))?
            }
            (None, None, views) if in_number(views.len()) => views,
            _ => {
                return Err(choice("one of [ring], [sampled] and 1 to 4096 [[view]] entries"));
            }
        };
        for view in &views {
            let elevation = view.elevation_degrees;
            let in_range = (-90.0..=90.0).contains(&elevation);
            check("elevation_degrees", elevation, in_range, "−90 to 90")?;
            check("azimuth_degrees", view.azimuth_degrees, true, "finite")?;
            check("roll_degrees", view.roll_degrees, true, "finite")?;
            view.check().map_err(choice)?;
        }
        let rig = Self {
            name: file.name,
            description: file.description,
            object_radius: radius,
            projection,
            lens,
            normalise: file.normalise,
            splats: file.splats,
            normal_axes: file.normal_axes,
            tile_px: size_px[0],
            columns: file.columns,
            aspect: file.size_px,
            views,
            conventions: file.protocol,
        };
        rig.check_file_names().map_err(choice)?;
        rig.check_setups().map_err(choice)?;
        Ok(rig)
    }

    /// The requirement that the set-ups of its protocol violate.
    fn check_setups(&self) -> Result<(), &'static str> {
        let mut names = BTreeSet::new();
        for setup in &self.conventions.setups {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
            if setup.name.is_empty() || !setup.name.chars().all(is_plain) {
                return Err("names of set-ups of letters, digits, - and _");
            }
            if !names.insert(&setup.name) {
                return Err("names of set-ups that differ");
            }
            let is_view = |name: &String| self.views.iter().any(|view| view.name == *name);
            if !setup.views.iter().all(is_view) {
                return Err("views of a set-up by the names that the rig's [[view]] entries have");
            }
        }
        Ok(())
    }

    /// The requirement that the names of its files would violate.
    pub(super) fn check_file_names(&self) -> Result<(), &'static str> {
        let mut names = BTreeSet::new();
        self.add_file_names(&mut names)?;
        for (_, rig) in self.setups() {
            rig.add_file_names(&mut names)?;
        }
        Ok(())
    }

    fn add_file_names(&self, names: &mut BTreeSet<String>) -> Result<(), &'static str> {
        for channel in self.conventions.files.keys() {
            for (idx, view) in self.views.iter().enumerate() {
                let name = self.conventions.file_name(channel, idx, &view.name);
                if name.split('/').any(|part| file_name(part) != part) {
                    return Err(
                        "names of files within the folder, without \"..\", \":\" and backslashes",
                    );
                }
                if !names.insert(name) {
                    return Err(
                        "names of files that differ from view to view, channel to channel and set-up to set-up, with {view} or {name} in them",
                    );
                }
            }
        }
        Ok(())
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
        assert_eq!(rig.projection, Projection::Perspective { fov_y_degrees: 70.0, distance: 1.5 });
    }

    #[test]
    fn a_misspelt_entry_is_refused() {
        let text =
            "name = 'x'\n[camera]\nprojection = 'orthographic'\n[ring]\nviews = 3\nelevation = 2.0";
        assert!(matches!(Rig::parse(text, "x.toml"), Err(RigError::Parse { .. })));
    }

    #[test]
    fn views_twice_or_out_of_range_are_refused() {
        let head = "name = 'x'\n[camera]\nprojection = 'orthographic'\n";
        let ring = "[ring]\nviews = 3\nelevation_degrees = 91.0\n";
        let view = "[[view]]\nazimuth_degrees = 0.0\nelevation_degrees = 0.0\n";
        assert!(matches!(
            Rig::parse(&format!("{head}{ring}"), "x"),
            Err(RigError::Range { field: "elevation_degrees", .. })
        ));
        assert!(matches!(
            Rig::parse(&format!("{head}{ring}{view}"), "x"),
            Err(RigError::Choice { .. })
        ));
        assert!(matches!(Rig::parse(head, "x"), Err(RigError::Choice { .. })));
    }
}
