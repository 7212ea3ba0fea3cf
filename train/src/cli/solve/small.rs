//! Small GIPF, solved from its start.

use std::time::Instant;

use anyhow::Result;
use gipf_env::toy::SmallGipf;
use gipf_play::exact::{Counts, Table, Value};
use serde::Serialize;

use crate::cli::{Console, Exit};

pub(super) fn run(pieces: u8, json: bool, console: &mut Console<'_>) -> Result<Exit> {
    let (start, began) = (SmallGipf::starting_with(pieces), Instant::now());
    let table = {
        let _watch = console.stop.watch();
        Table::solve(&start.clone().with_placement_limit(u16::MAX), SmallGipf::canonical_key, &console.stop)
    };
    let Some(table) = table else {
        console.note("interrupted: an unfinished table has no result");
        return Ok(Exit::Interrupted);
    };
    let value = table.value(&start).expect("the start can be reached");
    let (seconds, counts) = (began.elapsed().as_secs_f64(), table.counts());
    if json {
        console.tell_json(&Answer::of(pieces, value, seconds, counts))?;
    } else {
        write!(console.out, "{}", told(pieces, value, seconds, &counts))?;
    }
    Ok(Exit::Success)
}

/// What is printed with `--json`, under the same names as in the proof of a position.
#[derive(Serialize)]
struct Answer {
    pieces: u8,
    /// The value of the start, in which White is to move: white, black or draw.
    result: &'static str,
    /// The decisions to the end of a win; null for a draw.
    decisions: Option<u16>,
    positions: usize,
    /// Moves between positions.
    moves: usize,
    /// The numbers of positions that the player to move wins and loses, by the decisions until the end, from 0 on, and of
    /// those that nobody wins.
    wins: Vec<usize>,
    losses: Vec<usize>,
    draws: usize,
    seconds: f64,
    /// The peak memory in bytes, and the size of the table.
    memory: usize,
    table_memory: usize,
}

impl Answer {
    fn of(pieces: u8, start: Value, seconds: f64, counts: Counts) -> Self {
        let (result, decisions) = match start {
            Value::Win(decisions) => ("white", Some(decisions)),
            Value::Loss(decisions) => ("black", Some(decisions)),
            Value::Draw => ("draw", None),
        };
        let Counts { positions, edges: moves, wins, losses, draws, table_bytes, peak_bytes } = counts;
        let (memory, table_memory) = (peak_bytes, table_bytes);
        Self { pieces, result, decisions, positions, moves, wins, losses, draws, seconds, memory, table_memory }
    }
}

fn told(pieces: u8, start: Value, seconds: f64, counts: &Counts) -> String {
    let megabytes = |bytes: usize| bytes.div_ceil(1_000_000);
    let sum = |histogram: &[usize]| histogram.iter().sum::<usize>();
    let mut text = format!(
        "small GIPF with {pieces} pieces each: the start is a {start} for White\n\
         {} positions up to symmetry and colour, {} moves between them\n\
         the player to move wins {}, draws {}, loses {}\n\
         {seconds:.1} s, {} MB for the table, {} MB at most\n\n\
         decisions to the end{:>12}{:>12}\n",
        counts.positions,
        counts.edges,
        sum(&counts.wins),
        counts.draws,
        sum(&counts.losses),
        megabytes(counts.table_bytes),
        megabytes(counts.peak_bytes),
        "wins",
        "losses",
    );
    let distances = 1..counts.wins.len().max(counts.losses.len());
    text.extend(distances.map(|distance| histogram_line(counts, distance)));
    text
}

fn histogram_line(counts: &Counts, distance: usize) -> String {
    let [wins, losses] = [&counts.wins, &counts.losses].map(|list| list.get(distance).copied().unwrap_or(0));
    format!("{distance:>20}{wins:>12}{losses:>12}\n")
}
