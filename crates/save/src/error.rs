//! Why a scene cannot be written.

/// Why a scene cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SaveError {
    /// The file's header counts bytes in 32 bits.
    #[error(
        "the asset needs {bytes} bytes as GLB, but the format is limited to 4 GiB; use fewer triangles or smaller textures"
    )]
    TooLarge {
        /// Size of the whole file.
        bytes: u64,
    },
    #[error("the asset could not be written ({reason}); check the space on the disk")]
    Write { reason: String },
    /// The PNG encoder failed, which only lack of memory explains.
    #[error("a texture could not be encoded ({reason})")]
    Texture { reason: String },
}
