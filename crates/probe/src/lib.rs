//! What can be measured of a mesh: by itself, against another version of it, and against a photo.
//!
//! These are the measurements behind meshjudge's offline judge, which answers rubrics from them.
//! Nothing here knows a rubric, a question or a file. Everything is deterministic, and swapping two
//! assets mirrors the findings.
//!
//! [`observe`] measures one object. [`compare`] lays two over each other: of two versions of one
//! asset it finds what was done to which, as sentences with numbers, by a small model fitted on
//! real assets ([`weights_id`]); of two different assets it finds nothing. [`best_fit`] turns an
//! object until its outline fits the masked one of a photo. [`objects`] finds what a picture on a
//! plain background shows.

mod anew;
mod coat;
mod color;
mod copies;
mod differ;
mod differences;
mod evidence;
mod finish;
mod look;
mod model;
mod overlay;
mod paint;
mod percent;
mod photo_fit;
mod picture;
mod signs;
mod stairs;
mod texels;
mod versions;
mod words;

pub use self::coat::Coat;
pub use self::color::{Lab, difference, lab, name_of, named_in};
pub use self::look::{Observed, back_face_share, observe};
pub use self::model::{Fault, weights_id};
pub use self::percent::percent;
pub use self::photo_fit::{Fit, PhotoObject, azimuth_scores, best_fit, coarse_fits};
pub use self::picture::{Blob, Objects, objects};
pub use self::signs::{Measured, Sign};
pub use self::versions::{Seen, Versions, compare, measure};

// Every stage by its own name, `crate::render`, as in the other packages.
use meshjudge_measure as measure;
use meshjudge_render::{render, rig, sheet};
use meshjudge_scene as scene;
