//! What a written file cannot keep, and why splats cannot be written.

/// Something of the splats that the file does not have. `Display` says what it means for pictures.
#[derive(Debug, Clone, PartialEq, serde::Serialize, thiserror::Error)]
#[serde(tag = "loss", rename_all = "snake_case")]
pub enum Loss {
    #[error(
        "{format} cannot say that splats were trained antialiased, so they are drawn with unreduced opacity and look thicker from afar"
    )]
    Antialiased { format: &'static str },
    #[error(
        "splats are ordered by {order} in {format}, so overlapping splats can look slightly different"
    )]
    Order { order: &'static str, format: &'static str },
    #[error("positions are rounded to {step:.1e} units, because the file's zero is far from them")]
    FarFromZero { step: f64 },
    #[error(
        "numbers are rounded: positions to {position_step:.1e} units, scales to steps of 6.4 %, rotations to 0.2 degrees, opacities, colours and harmonics to 8 bits"
    )]
    Rounded { position_step: f64 },
    #[error("{what} outside {range} are clipped ({count})")]
    Clipped { what: &'static str, count: usize, range: &'static str },
}

/// Why splats cannot have this encoding.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WriteError {
    #[error("these splats are blended in linear light, which {format} cannot say; write a .glb")]
    LinearLight { format: &'static str },
    #[error("SPZ has positions of less than 8388608 units, and one has {found:.1e}; write a .ply")]
    TooFar { found: f64 },
    #[error("the splats need {bytes} bytes, but a GLB is limited to 4 GiB; write a .spz")]
    TooLarge { bytes: usize },
    #[error("the splats cannot be compressed ({reason})")]
    Compression { reason: String },
}
