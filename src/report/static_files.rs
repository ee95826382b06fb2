//! Scripts and styles of ours, and the 3D viewer's, as a server or a static site hands them out.

use flate2::read::GzDecoder;
use std::io::Read as _;

const SCRIPT: &str = "text/javascript";

/// Name, media type and text of each file of ours.
const OURS: [(&str, &str, &str); 5] = [
    ("static/report3d.js", SCRIPT, include_str!("../../assets/report/report3d.js")),
    ("static/view3d.js", SCRIPT, include_str!("../../assets/report/view3d.js")),
    ("static/vote.js", SCRIPT, include_str!("../../assets/report/vote.js")),
    ("static/owner.js", SCRIPT, include_str!("../../assets/report/owner.js")),
    ("static/vote.css", "text/css", include_str!("../../assets/report/vote.css")),
];

macro_rules! viewer {
    ($($folder:literal $name:literal),* $(,)?) => {
        [$((concat!("viewer/", $folder, "/", $name), include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".gz")))),*]
    };
}

/// Name and text of each script of the viewer, packed by `build.rs`. Not a constant, of which each
/// unit of compilation would have a copy.
static VIEWER: [(&str, &[u8]); 6] = viewer![
    "build" "three.module.min.js",
    "build" "three.core.min.js",
    "loaders" "GLTFLoader.js",
    "controls" "OrbitControls.js",
    "utils" "BufferGeometryUtils.js",
    "splats" "spark.module.min.js",
];

/// Name, media type and text of every file that does not come from the run.
pub(super) fn static_files() -> impl Iterator<Item = (&'static str, &'static str, String)> {
    let ours = OURS.map(|(name, media_type, text)| (name, media_type, text.to_owned()));
    let viewer = VIEWER.iter().map(|(name, packed)| {
        let mut text = String::new();
        GzDecoder::new(*packed).read_to_string(&mut text).expect("the build script packed it");
        (*name, SCRIPT, text)
    });
    ours.into_iter().chain(viewer)
}
