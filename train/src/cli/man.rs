//! `gipf man`: the manual pages.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use gipf_models::create_folders;

use super::output::Force;
use super::{Cli, Console, Exit, VERSION};
use crate::output::check_outside_runs;

/// Writes the manual pages, one for the program and one for each command.
///
/// Nothing is written if one of the pages already exists with a different text, unless --force replaces them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The directory for the pages; created if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    force: Force,
}

const EXAMPLES: &str = "Example:
  gipf man --out ~/.local/share/man/man1";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let out = &args.out;
    check_outside_runs(out)?;
    create_folders(out).with_context(|| format!("cannot make {}", out.display()))?;
    let pages = pages()?;
    // An earlier call that was interrupted may have left some.
    let missing: Vec<_> = pages.iter().filter(|(name, page)| !is_there(&out.join(name), page)).collect();
    let outputs: Result<Vec<_>, _> =
        missing.iter().map(|(name, _)| args.force.open(&out.join(name), console)).collect();
    for (output, (_, page)) in outputs?.into_iter().zip(missing) {
        output.fill(page)?;
    }
    console.tell(format_args!("{} pages in {}", pages.len(), out.display()));
    Ok(Exit::Success)
}

fn is_there(path: &Path, page: &[u8]) -> bool {
    path.is_file() && fs::read(path).is_ok_and(|found| found == page)
}

/// Returns the names and contents of the files.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    // Pages of `help` would be empty.
    let mut program = Cli::command().disable_help_subcommand(true);
    // Gives each command its full name, with those of the commands above it, and the options that they share.
    program.build();
    let mut open = vec![program];
    let mut pages = Vec::new();
    while let Some(command) = open.pop() {
        open.extend(command.get_subcommands().filter(|command| !command.is_hide_set()).cloned());
        pages.push(page(command)?);
    }
    pages.sort();
    Ok(pages)
}

fn page(command: Command) -> io::Result<(String, Vec<u8>)> {
    // Only the program itself has a version that its page would find.
    let page = Man::new(command).source(format!("gipf {}", *VERSION));
    let mut text = Vec::new();
    page.render(&mut text)?;
    let text = String::from_utf8(text).map_err(io::Error::other)?;
    Ok((page.get_filename(), unfilled(&text).into_bytes()))
}

/// The line above the examples on a page.
const EXAMPLES_FOLLOW: &str = ".SH EXTRA\n";

/// Returns a page whose examples keep their lines, as they are to be typed: otherwise they are filled like a paragraph.
fn unfilled(page: &str) -> String {
    let Some((before, after)) = page.split_once(EXAMPLES_FOLLOW) else { return page.to_owned() };
    let end = after.find("\n.SH ").map_or(after.len(), |end| end + 1);
    let (examples, rest) = after.split_at(end);
    format!("{before}{EXAMPLES_FOLLOW}.nf\n{examples}.fi\n{rest}")
}
