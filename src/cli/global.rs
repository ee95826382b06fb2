//! Flags that every command takes.

use super::{Failure, Printer};
use crate::load::{Axis, Loaded, NormalsPolicy, Options, load};
use crate::render::{AdapterChoice, Gpu, GpuError, Notice, Renderer};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Which renderer draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RendererChoice {
    /// A graphics card if there is one, else the CPU.
    Auto,
    /// The reference: no driver, the same bytes everywhere.
    Cpu,
    /// A graphics card.
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
                Err("give auto, cpu, gpu, or gpu:NAME with a part of an adapter's name".to_owned())
            }
        }
    }
}

/// How normals are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Normals {
    /// The file's; where it has none, flat in glTF, by smoothing group or with creases in OBJ
    #[default]
    File,
    /// Each face its own
    Flat,
    /// Smooth everywhere
    Smooth,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// Folder that keeps questions, replies and pictures [default: `runs/COMMAND-TIME`]
    #[arg(long, global = true, value_name = "DIR")]
    pub run: Option<PathBuf>,

    /// What draws: auto (a graphics card if there is one), cpu, gpu, or gpu:NAME for an adapter by a part of its name
    #[arg(long, global = true, value_name = "NAME", default_value = "auto")]
    pub renderer: RendererChoice,

    /// Rows as JSON on standard output, one object a line
    #[arg(long, global = true)]
    pub json: bool,

    /// Nothing but results and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,

    /// The files' axis that points up: +y, -y, +z, …
    #[arg(long, global = true, value_name = "AXIS", default_value = "+y", allow_hyphen_values = true, value_parser = axis)]
    pub up: Axis,

    /// The files' axis that the front faces
    #[arg(long, global = true, value_name = "AXIS", default_value = "+z", allow_hyphen_values = true, value_parser = axis)]
    pub front: Axis,

    /// Where normals come from
    #[arg(long, global = true, value_enum, default_value_t)]
    pub normals: Normals,
}

fn axis(text: &str) -> Result<Axis, String> {
    text.parse::<Axis>().map_err(|e| e.to_string())
}

impl Global {
    /// What the loaders are told.
    pub(crate) fn load_options(&self) -> Options {
        Options {
            normals: match self.normals {
                Normals::File => NormalsPolicy::File,
                Normals::Flat => NormalsPolicy::Flat,
                Normals::Smooth => NormalsPolicy::Smooth,
            },
            up: self.up,
            front: self.front,
        }
    }

    /// Loads an asset as the flags say.
    ///
    /// # Errors
    /// The loader's, which names file, reason and remedy.
    pub(crate) fn load(&self, path: &Path) -> Result<Loaded, Failure> {
        Ok(load(path, &self.load_options())?)
    }

    /// The renderer that the flag stands for. `auto` never fails: what keeps a card from drawing is said, and the CPU draws.
    ///
    /// # Errors
    /// For `gpu` and `gpu:NAME`, when it cannot draw.
    pub(crate) fn renderer(&self, printer: &Printer) -> Result<Renderer, Failure> {
        let notice = || -> Notice {
            let printer = printer.clone();
            Box::new(move |line| printer.warn(line))
        };
        match &self.renderer {
            RendererChoice::Cpu => Ok(Renderer::Cpu),
            RendererChoice::Gpu(choice) => match Gpu::open(choice, notice()) {
                Ok(gpu) => Ok(Renderer::Gpu(gpu)),
                Err(e) => Err(format!("{e}; leave --renderer out, or say --renderer cpu").into()),
            },
            RendererChoice::Auto => Ok(match Gpu::detect(notice()) {
                Ok(gpu) => Renderer::Gpu(gpu),
                Err(GpuError::NoCard { .. } | GpuError::NotBuilt) => Renderer::Cpu,
                Err(e) => {
                    printer.warn(&format!("{e}; the CPU draws"));
                    Renderer::Cpu
                }
            }),
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
