//! `gipf board`: the board in the browser.

mod curves;
mod datasets;
mod shelf;

use std::collections::HashSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Error, Result};
use gipf_board::{Desk, Opponents, Server};
use gipf_play::players::AgentError;
use gipf_play::run::network_to_play;

pub(super) use self::curves::curves;
use self::shelf::{Folders, inside, is_within, lists, place_of, told};
use super::values::whole;
use super::{Console, Exit};

/// Plays and analyses games on a page in the browser, and shows runs, ladders and datasets.
///
/// Everything stays on this machine: the page is part of the program, and its address is a secret, new at each start.
/// Ctrl-C ends it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Networks to play against, and runs, ladders and datasets to look at: each by itself, or a directory of them [default:
    /// those of runs, ladder and datasets that exist]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The address to listen on. With any but the default, other machines can connect: anyone who knows the page's secret
    /// address can make this machine compute, and sees the runs, ladders and datasets listed. Nothing is encrypted
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// The port; 0 takes any free one
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u16>(..))]
    port: u16,
    /// Only print the page's address, and do not open it
    #[arg(long)]
    no_open: bool,
}

const EXAMPLES: &str = "Examples:
  gipf board
  gipf board runs/standard-quick best.safetensors
  gipf board runs datasets/quick ladder/standard.jsonl
  gipf board --no-open --port 4444";

/// Where runs, ladders and datasets lie by default.
const USUAL: [&str; 3] = ["runs", "ladder", "datasets"];

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Result<Exit> {
    let _watch = console.stop.watch();
    let mut opponents = Opponents::shipped();
    let is_told = !args.paths.is_empty();
    let named = if is_told { args.paths.clone() } else { USUAL.map(PathBuf::from).to_vec() };
    // The default folders need not exist yet.
    let there = named.iter().filter(|path| is_told || path.is_dir());
    for path in args.paths.iter().filter(|path| is_useless(path)) {
        console
            .warn(&format!("{}: expected a network, run, ladder or dataset, or a directory of them", path.display()));
    }
    let mut offered = HashSet::new();
    for path in there.flat_map(|path| networks(path)).filter(|path| offered.insert(place_of(path))) {
        if let Err(error) = offer(&mut opponents, &path) {
            console.warn(&format!("{}: not offered: {error}", path.display()));
        }
    }
    let server = Server::bind(
        SocketAddr::new(args.address, args.port),
        Desk::new(opponents).with_shelf(Arc::new(Folders::new(&named))),
    )?;
    let url = server.url();
    writeln!(console.out, "the board is at {url}")?;
    if args.address.is_unspecified() {
        let here = if args.address.is_ipv4() { "127.0.0.1" } else { "[::1]" };
        writeln!(console.out, "from another machine, put this one's name in the place of {here}")?;
    }
    writeln!(console.out, "Ctrl-C ends it")?;
    console.out.flush()?;
    if !args.no_open && open::that_detached(&url).is_err() {
        console.warn("no browser could be opened: open the address above in one");
    }
    server.run(&console.stop)?;
    Ok(Exit::Success)
}

/// Returns whether a path adds nothing to the page.
fn is_useless(path: &Path) -> bool {
    networks(path).is_empty() && !lists(path)
}

/// Returns the networks that a path names: the path itself, or the runs and files of networks in it; links that lead
/// elsewhere are skipped.
fn networks(path: &Path) -> Vec<PathBuf> {
    let is_run = |path: &Path| path.join("checkpoints").is_dir();
    if is_run(path) {
        return vec![path.to_owned()];
    }
    if !path.is_dir() {
        let is_ladder = path.extension().is_some_and(|extension| extension == "jsonl");
        return if is_ladder { Vec::new() } else { vec![path.to_owned()] };
    }
    let Ok(real) = fs::canonicalize(path) else { return Vec::new() };
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let is_file = |path: &Path| path.extension().is_some_and(|extension| extension == "safetensors");
    let is_ours = |entry: &PathBuf| (is_run(entry) || is_file(entry)) && is_within(entry, &real);
    let mut networks: Vec<_> = entries.map(|entry| entry.path()).filter(is_ours).collect();
    networks.sort();
    networks
}

/// Offers the network in a file, or the one that a run has whenever it is asked.
fn offer(opponents: &mut Opponents, path: &Path) -> Result<()> {
    let name = name(path);
    if !path.is_dir() {
        return Ok(opponents.add_checkpoint(&name, path)?);
    }
    let (run, known_as) = (path.to_owned(), name.clone());
    // The path of the run stays on this machine: the page knows the name.
    let shown = move |error: Error, run: &Path| {
        let error = told(error);
        error.strip_prefix(&*run.to_string_lossy()).map_or_else(|| error.clone(), |rest| format!("{known_as}{rest}"))
    };
    Ok(opponents.add_run(&name, move || network(&run).map_err(|error| shown(error, &run)))?)
}

/// Returns the file of the network that a run has now, in its directory.
fn network(run: &Path) -> Result<PathBuf> {
    let file = network_to_play(run)?.ok_or_else(|| AgentError::NoNetwork(run.to_owned()))?;
    inside(run, &file).map_err(Error::msg)
}

/// Returns the name by which the page knows a network.
fn name(path: &Path) -> String {
    // A dot in the name of a run does not begin a file extension.
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use gipf_play::arena::ladder::shipped;
    use gipf_play::run::{MANIFEST, Manifest, checkpoint_name};

    use super::*;

    /// Makes a run with one network, whose file does not hold a valid network.
    fn run(path: &Path) -> PathBuf {
        for folder in ["checkpoints", "state"] {
            fs::create_dir_all(path.join(folder)).unwrap();
        }
        fs::write(path.join(MANIFEST), Manifest { iterations: 1, ..Manifest::default() }.to_text()).unwrap();
        let file = path.join(checkpoint_name(1));
        fs::write(&file, "weights").unwrap();
        file
    }

    #[test]
    fn networks_lie_in_the_folders_that_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let runs = folder.path().join("runs");
        let (own, outside) = (run(&runs.join("a")), run(&folder.path().join("outside")));
        symlink(folder.path().join("outside"), runs.join("link")).unwrap();
        symlink("a", runs.join("same")).unwrap();
        for name in ["net.safetensors", "notes.txt"] {
            fs::write(runs.join(name), "weights").unwrap();
        }
        assert_eq!(networks(&runs), ["a", "net.safetensors", "same"].map(|name| runs.join(name)));
        assert_eq!(network(&runs.join("a")).unwrap(), fs::canonicalize(&own).unwrap());
        fs::remove_file(&own).unwrap();
        symlink(outside, &own).unwrap();
        assert!(network(&runs.join("a")).unwrap_err().to_string().contains("of its folder"));
        fs::remove_dir_all(runs.join("a")).unwrap();
        assert!(network(&runs.join("a")).unwrap_err().to_string().contains("no run here"));
    }

    #[test]
    fn a_path_with_nothing_to_show_is_told_from_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        run(&path("run"));
        fs::create_dir(path("empty")).unwrap();
        fs::write(path("letters.jsonl"), "{}\n").unwrap();
        fs::write(path("ladder.jsonl"), shipped(gipf_env::Variant::BASIC).unwrap()).unwrap();
        for (name, is_so) in
            [("run", false), ("ladder.jsonl", false), ("letters.jsonl", true), ("none.jsonl", true), ("empty", true)]
        {
            assert_eq!(is_useless(&path(name)), is_so, "{name}");
        }
    }
}
