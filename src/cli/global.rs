//! Flags that every command takes.

use super::Failure;
use crate::load::{Axis, Loaded, NormalsPolicy, Options, load};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Which renderer draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Renderer {
    /// The best one that this machine has
    #[default]
    Auto,
    /// The reference: no driver, the same bytes everywhere
    Cpu,
    /// A graphics card
    Gpu,
}

/// How normals are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Normals {
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
pub struct Global {
    /// Folder that keeps questions, replies and pictures [default: `runs/COMMAND-TIME`]
    #[arg(long, global = true, value_name = "DIR")]
    pub run: Option<PathBuf>,

    /// Which renderer draws
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        hide_possible_values = true
    )]
    pub renderer: Renderer,

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
    pub fn load_options(&self) -> Options {
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
    pub fn load(&self, path: &Path) -> Result<Loaded, Failure> {
        Ok(load(path, &self.load_options())?)
    }

    /// Refuses a renderer that this build lacks.
    ///
    /// # Errors
    /// For `--renderer gpu`.
    pub fn check_renderer(&self) -> Result<(), Failure> {
        match self.renderer {
            Renderer::Auto | Renderer::Cpu => Ok(()),
            Renderer::Gpu => Err(
                "this build has no GPU renderer; leave --renderer out, or say --renderer cpu"
                    .into(),
            ),
        }
    }
}
