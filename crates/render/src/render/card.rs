//! Graphics cards without a driver: the user's choice, known facts, and why a card does not draw.
//!
//! Compiled into every build; `gpu/` opens the cards, and `gpu_absent.rs` is in its place where the
//! feature `gpu` is left out.

/// Which adapter is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdapterChoice {
    /// The best real card.
    Real,
    /// The first whose name contains this, whatever it is; upper and lower case are one.
    Named(String),
}

/// An adapter as a user should see it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AdapterFacts {
    /// As the driver says.
    pub name: String,
    /// Vulkan, Metal or DX12.
    pub backend: String,
    /// Discrete, integrated, virtual, software or other.
    pub kind: String,
    /// The driver's name and version.
    pub driver: String,
    /// Why it cannot draw, if so.
    pub lacks: Option<String>,
    /// Whether it is a card, not a program on the CPU.
    pub is_real: bool,
}

/// Called with messages for the user: reduced textures, and drawing by the CPU.
pub type Notice = Box<dyn Fn(&str) + Send + Sync>;

/// Why no card draws.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// The crate was built without its feature `gpu`.
    #[error("this build has no GPU renderer; build with the default features")]
    NotBuilt,
    /// None but software, or none at all.
    #[error("no graphics card can draw here ({found})")]
    NoCard {
        /// What there is instead.
        found: String,
    },
    /// The name fits none.
    #[error("no adapter's name contains {name:?} (found: {found})")]
    NotFound {
        /// What was asked for.
        name: String,
        found: String,
    },
    /// It is there, but not enough.
    #[error("{name} cannot draw ({lacks})")]
    Lacks { name: String, lacks: String },
    #[error("{name} failed ({reason})")]
    Failed {
        name: String,
        /// What the driver says.
        reason: String,
    },
}
