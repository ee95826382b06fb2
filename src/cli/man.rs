//! `man`: the manual, one page for the program and each command, from the texts of `--help`.

use super::{Exit, Printer};
use crate::error::Error;
use crate::save::NewFolder;
use clap::{Args, Command};
use clap_mangen::Man;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge man | man -l -                          read the page of the program
  meshjudge man --out ~/.local/share/man/man1       then `man meshjudge-bench` shows a command's page")]
pub(super) struct ManArgs {
    /// Write every page to this folder [default: only the program's, to standard output]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Writes the pages of `program`.
pub(super) fn run(args: &ManArgs, program: Command, printer: &Printer) -> Result<Exit, Error> {
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        let written = Man::new(program.disable_help_subcommand(true)).render(&mut page);
        written.map_err(Error::bug)?;
        printer.data(String::from_utf8_lossy(&page).trim_end());
        return Ok(Exit::Done);
    };
    let failed = |e: std::io::Error| {
        Error::usage(format!("cannot write the pages ({e}); give another --out")).at(folder)
    };
    let pages = NewFolder::create(folder).map_err(failed)?;
    clap_mangen::generate_to(program, pages.path()).map_err(failed)?;
    pages.merge(&[], "meshjudge.1").map_err(failed)?;
    printer.show(format!("wrote   {}", folder.display()), []);
    Ok(Exit::Done)
}
