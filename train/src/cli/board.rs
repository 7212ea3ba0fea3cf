//! `gipf board`: the board in the browser.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::Result;
use gipf_board::{Desk, Opponents, Server};

use super::{Console, Exit};

/// Plays and analyses games on a page in the browser.
///
/// Everything stays on this machine: the page is part of the program, and the address it is found at is a secret of this
/// start. Ctrl-C ends it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Networks to play against: checkpoints, runs, or directories of runs [default: runs, if there is one]
    #[arg(value_name = "PATH")]
    networks: Vec<PathBuf>,
    /// The address to listen at. Whoever reaches another one than this machine's own can let it compute
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// The port; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Only tell where the page is, and do not open it
    #[arg(long)]
    no_open: bool,
}

const EXAMPLES: &str = "Examples:
  gipf board
  gipf board runs/standard-quick
  gipf board --no-open --port 4444";

/// Where runs lie if nobody says otherwise.
const RUNS: &str = "runs";

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let _watch = console.stop.watch();
    let mut opponents = Opponents::shipped();
    let named: Vec<_> = if args.networks.is_empty() { default() } else { args.networks.clone() };
    for path in named.iter().flat_map(|path| networks(path)) {
        let name = name(&path);
        if let Err(error) = opponents.add_checkpoint(&name, &path) {
            console.warn(&format!("{}: not offered: {error}", path.display()));
        }
    }
    let server = Server::bind(SocketAddr::new(args.address, args.port), Desk::new(opponents))?;
    let url = server.url();
    writeln!(console.out, "the board is at {url}\nCtrl-C ends it")?;
    console.out.flush()?;
    if !args.no_open && open::that_detached(&url).is_err() {
        console.warn("no browser could be opened: open the address above in one");
    }
    server.run(&console.stop)?;
    Ok(Exit::Success)
}

fn default() -> Vec<PathBuf> {
    Some(PathBuf::from(RUNS)).filter(|runs| runs.is_dir()).into_iter().collect()
}

/// Returns the networks that a path names: itself, or the runs in it.
fn networks(path: &Path) -> Vec<PathBuf> {
    let is_run = |path: &Path| path.join("checkpoints").is_dir();
    if !path.is_dir() || is_run(path) {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut runs: Vec<_> = entries.map(|entry| entry.path()).filter(|path| is_run(path)).collect();
    runs.sort();
    runs
}

/// Returns the name by which the page knows a network.
fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
