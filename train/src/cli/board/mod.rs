//! `gipf board`: the board in the browser.

mod curves;
mod datasets;
mod shelf;

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use gipf_board::{Desk, Opponents, Server};

pub(super) use self::curves::curves;
use self::shelf::Folders;
use super::{Console, Exit};

/// Plays and analyses games on a page in the browser, and shows runs, ladders and datasets.
///
/// Everything stays on this machine: the page is part of the program, and the address it is found at is a secret of this
/// start. Ctrl-C ends it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Networks to play against, and runs, ladders and datasets to look at: each, or a directory of them [default: runs,
    /// ladder and datasets, as far as they are there]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The address to listen at. By any but the default other machines can connect: whoever knows the page's secret
    /// address can let this one compute, and sees the runs, ladders and datasets listed. Nothing is encrypted
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
  gipf board runs/standard-quick best.safetensors
  gipf board runs datasets/quick ladder/standard.jsonl
  gipf board --no-open --port 4444";

/// Where runs, ladders and datasets lie if nobody says otherwise.
const USUAL: [&str; 3] = ["runs", "ladder", "datasets"];

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let _watch = console.stop.watch();
    let mut opponents = Opponents::shipped();
    let named: Vec<_> = if args.paths.is_empty() { default() } else { args.paths.clone() };
    for path in named.iter().flat_map(|path| networks(path)) {
        let name = name(&path);
        if let Err(error) = opponents.add_checkpoint(&name, &path) {
            console.warn(&format!("{}: not offered: {error}", path.display()));
        }
    }
    let server = Server::bind(
        SocketAddr::new(args.address, args.port),
        Desk::new(opponents).with_shelf(Arc::new(Folders::new(&named))),
    )?;
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
    USUAL.map(PathBuf::from).into_iter().filter(|path| path.is_dir()).collect()
}

/// Returns the networks that a path names: itself, or the runs in it.
fn networks(path: &Path) -> Vec<PathBuf> {
    let is_run = |path: &Path| path.join("checkpoints").is_dir();
    if is_run(path) {
        return vec![path.to_owned()];
    }
    if !path.is_dir() {
        let is_ladder = path.extension().is_some_and(|extension| extension == "jsonl");
        return if is_ladder { Vec::new() } else { vec![path.to_owned()] };
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut runs: Vec<_> = entries.map(|entry| entry.path()).filter(|path| is_run(path)).collect();
    runs.sort();
    runs
}

/// Returns the name by which the page knows a network.
fn name(path: &Path) -> String {
    // A point in the name of a run ends nothing.
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    name.unwrap_or_default().to_string_lossy().into_owned()
}
