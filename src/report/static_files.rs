//! Scripts and styles of ours, and the 3D viewer's, as a server or a static site hands them out.

/// Name, media type and text of every file that does not come from the run. Not a constant, which
/// each unit of compilation would have a copy of: 1.4 MB.
pub(super) static STATIC_FILES: [(&str, &str, &str); 11] = [
    ("static/report3d.js", "text/javascript", include_str!("../../assets/report/report3d.js")),
    ("static/view3d.js", "text/javascript", include_str!("../../assets/report/view3d.js")),
    ("static/vote.js", "text/javascript", include_str!("../../assets/report/vote.js")),
    ("static/owner.js", "text/javascript", include_str!("../../assets/report/owner.js")),
    ("static/vote.css", "text/css", include_str!("../../assets/report/vote.css")),
    (
        "viewer/build/three.module.min.js",
        "text/javascript",
        include_str!("../../assets/viewer/three.module.min.js"),
    ),
    (
        "viewer/build/three.core.min.js",
        "text/javascript",
        include_str!("../../assets/viewer/three.core.min.js"),
    ),
    (
        "viewer/loaders/GLTFLoader.js",
        "text/javascript",
        include_str!("../../assets/viewer/GLTFLoader.js"),
    ),
    (
        "viewer/controls/OrbitControls.js",
        "text/javascript",
        include_str!("../../assets/viewer/OrbitControls.js"),
    ),
    (
        "viewer/utils/BufferGeometryUtils.js",
        "text/javascript",
        include_str!("../../assets/viewer/BufferGeometryUtils.js"),
    ),
    (
        "viewer/splats/spark.module.min.js",
        "text/javascript",
        include_str!("../../assets/viewer/spark.module.min.js"),
    ),
];
