//! `completions`: a shell → the script that completes our commands, flags and their values in it.

use super::{Exit, Printer};
use crate::error::Error;
use clap::{Args, Command};
use clap_complete::Shell;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge completions bash > ~/.local/share/bash-completion/completions/meshjudge
  meshjudge completions zsh > ~/.zfunc/_meshjudge            with `fpath+=~/.zfunc` before `compinit`
  meshjudge completions fish > ~/.config/fish/completions/meshjudge.fish")]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints the script for `program`.
pub(super) fn run(
    args: &CompletionsArgs,
    mut program: Command,
    printer: &Printer,
) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "meshjudge", &mut script);
    printer.data(String::from_utf8_lossy(&script).trim_end());
    Ok(Exit::Done)
}
