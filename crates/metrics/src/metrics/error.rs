//! What keeps a metric from being computed.

/// Remedy in the message.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MetricError {
    #[error(
        "the {which} mesh has no triangle with an area, so nothing can be sampled on it; check the export"
    )]
    NoArea { which: &'static str },
    #[error("the {which} mesh has no position at vertex {vertex} (it has {count})")]
    VertexIndex { which: &'static str, vertex: u32, count: usize },
    #[error("the {which} mesh has a coordinate that is not finite or exceeds 1e15")]
    NotFinite { which: &'static str },
    #[error("unknown metric {name:?}; {known}")]
    Unknown { name: String, known: String },
    #[error("unknown figure {name:?} (without a reference); {known}")]
    UnknownQuality { name: String, known: String },
    #[error("{name:?} needs a threshold above 0, as in {name}@0.01")]
    Threshold { name: String },
    #[error("{what} must be from {min} to {max}, not {value}")]
    OutOfRange { what: &'static str, min: usize, max: usize, value: usize },
    #[error("the pictures differ in size: {a_px:?} and {b_px:?} px; compare pictures of one size")]
    PictureSize { a_px: [u32; 2], b_px: [u32; 2] },
    #[error("a picture of {size_px:?} px is smaller than the window of {window_px} px")]
    PictureTooSmall { size_px: [u32; 2], window_px: u32 },
    #[error(
        "a picture of format {format:?} has no white level, so its brightness is undefined; compare pictures of 8 or 16 bits"
    )]
    FloatPicture { format: crate::render::PixelFormat },
    #[error("the surfaces cannot be drawn ({reason})")]
    NotDrawn { reason: String },
    #[error("an earthmover's distance needs equal counts of points, not {a} and {b}")]
    Counts { a: usize, b: usize },
}
