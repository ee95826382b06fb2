//! What draws: the CPU or a graphics card.

use crate::render::{AdapterChoice, Gpu, GpuError, Notice, Renderer};
use std::str::FromStr;

/// The CPU or a graphics card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RendererChoice {
    Auto,
    Cpu,
    Gpu(AdapterChoice),
}

impl FromStr for RendererChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match (text, text.strip_prefix("gpu:")) {
            ("auto", _) => Ok(Self::Auto),
            ("cpu", _) => Ok(Self::Cpu),
            ("gpu", _) => Ok(Self::Gpu(AdapterChoice::Real)),
            (_, Some(name)) if !name.is_empty() => {
                Ok(Self::Gpu(AdapterChoice::Named(name.to_owned())))
            }
            _ => {
                Err("give cpu, auto, gpu, or gpu:NAME with a part of an adapter's name".to_owned())
            }
        }
    }
}

impl RendererChoice {
    /// The renderer. `auto` never fails: if a card cannot draw, `notice` gets the reason and the
    /// CPU draws.
    ///
    /// # Errors
    /// For `gpu` and `gpu:NAME`, when it cannot draw.
    pub fn open(&self, notice: impl Fn() -> Notice) -> Result<Renderer, GpuError> {
        match self {
            Self::Cpu => Ok(Renderer::Cpu),
            Self::Gpu(choice) => Gpu::open(choice, notice()).map(Renderer::Gpu),
            Self::Auto => match Gpu::detect(notice()) {
                Ok(gpu) => Ok(Renderer::Gpu(gpu)),
                Err(GpuError::NoCard { .. } | GpuError::NotBuilt) => Ok(Renderer::Cpu),
                Err(e) => {
                    notice()(&format!("{e}; the CPU draws"));
                    Ok(Renderer::Cpu)
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renderers_are_read_by_name() {
        let named = |name: &str| RendererChoice::Gpu(AdapterChoice::Named(name.to_owned()));
        assert_eq!("auto".parse(), Ok(RendererChoice::Auto));
        assert_eq!("cpu".parse(), Ok(RendererChoice::Cpu));
        assert_eq!("gpu".parse(), Ok(RendererChoice::Gpu(AdapterChoice::Real)));
        assert_eq!("gpu:llvmpipe".parse(), Ok(named("llvmpipe")));
        for text in ["", "gpu:", "cuda"] {
            assert!(text.parse::<RendererChoice>().is_err(), "{text}");
        }
    }
}
