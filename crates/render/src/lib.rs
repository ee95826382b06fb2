//! Scenes and cameras → pictures. A renderer without judges, store and server, and without readers
//! of files: `meshjudge-load` makes the scenes.
//!
//! | module | takes → gives |
//! | --- | --- |
//! | [`rig`] | TOML, or a file of cameras → cameras around a normalised scene |
//! | [`render`] | a scene and cameras → [`Frame`](render::Frame)s with any [`Channel`](render::Channel) |
//! | [`sheet`] | frames, or a photo with its mask → the pictures that a rubric shows |

pub mod render;
pub mod rig;
pub mod sheet;

use meshjudge_measure as measure;
use meshjudge_save as save;
use meshjudge_scene as scene;
