//! `gipf completions`: scripts with which shells complete this program's commands and options.

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, Console, Exit};

/// Prints the completion script of a shell, for all commands and options.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const EXAMPLES: &str = "Examples:
  gipf completions bash > ~/.local/share/bash-completion/completions/gipf
  gipf completions zsh > ~/.zfunc/_gipf
  gipf completions fish > ~/.config/fish/completions/gipf.fish";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    // Into memory first: the generator panics if its output is closed.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gipf", &mut script);
    console.out.write_all(&script)?;
    Ok(Exit::Success)
}
