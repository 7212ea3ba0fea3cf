//! The proof of one position.

use anyhow::{Context, Result};
use gipf_env::notation::official::Form;
use gipf_env::notation::record::{self, Conclusion, Notation, Record};
use gipf_env::{Action, GipfPosition, Player, Position, Setup};
use gipf_play::exact::proof::{Decision, Ended, Game, Proof, ProofLimits, prove};
use serde::Serialize;

use crate::cli::{Console, Exit};

pub(super) fn run(setup: &Setup, limits: ProofLimits, json: bool, console: &mut Console<'_>) -> Result<Exit> {
    let position = GipfPosition::from_setup(setup).context("GPN")?;
    let proof = {
        let _watch = console.stop.watch();
        prove(&Game::gipf(), &position, limits, &console.stop)
    };
    let line = Line::of(setup, &position, &proof.line)?;
    if json {
        let answer = Answer::of(setup, &proof, &line);
        console.tell_json(&answer)?;
    } else {
        console.tell(told(&proof, &line).trim_end());
    }
    Ok(match (proof.decision(), proof.ended) {
        (Some(_), _) => Exit::Success,
        (None, Ended::Stopped) => Exit::Interrupted,
        (None, _) => Exit::Failure,
    })
}

/// Best play as text, and how it ends.
struct Line {
    text: String,
    turns: usize,
    /// Whether it reaches the end of the game.
    complete: bool,
}

impl Line {
    fn of(setup: &Setup, start: &GipfPosition, actions: &[Action]) -> Result<Self> {
        let mut end = start.clone();
        for &action in actions {
            end.play(action)?;
        }
        let complete = end.outcome().is_some();
        if setup.variant.is_push_off() {
            let texts: Vec<_> = actions.iter().map(ToString::to_string).collect();
            return Ok(Self { text: texts.join(", "), turns: end.turn() - start.turn(), complete });
        }
        let record = Record::new(setup, actions, end.outcome().and_then(Conclusion::of))?;
        let text = record::write(&record, Notation::Text(Form::Complete))?;
        Ok(Self { text: text.trim_end().to_owned(), turns: record.turns().len(), complete })
    }
}

fn told(proof: &Proof<Action>, line: &Line) -> String {
    let cost = format!("{} positions, {:.1} s, {} MB", proof.nodes, proof.seconds, proof.bytes.div_ceil(1_000_000));
    let rest = if line.complete { "" } else { ", as far as known" };
    match proof.decision() {
        Some(Decision::Wins(winner)) => {
            let which = if proof.fastest.is_some() { "the fastest win" } else { "a win, perhaps not the fastest" };
            format!("{winner} wins: proven in {cost}\n{which}, {} turns{rest}:\n{}\n", line.turns, line.text)
        }
        Some(Decision::Draw) => {
            format!("draw: proven in {cost}\nthe line, {} turns to a repetition:\n{}\n", line.turns, line.text)
        }
        None => format!("not decided: {}; {}{cost}\n", why(proof.ended), excluded(proof)),
    }
}

const fn why(ended: Ended) -> &'static str {
    match ended {
        Ended::Decided => "no answer",
        Ended::Time => "the time is spent",
        Ended::Nodes => "the limit of positions is spent",
        Ended::Depth => "play goes on for too long",
        Ended::Stopped => "interrupted",
    }
}

/// Returns what is known if the position is undecided.
fn excluded(proof: &Proof<Action>) -> String {
    let cannot = |player: &Player| proof.wins[player.index()] == Some(false);
    let told = |player: Player| format!("{player} cannot force a win; ");
    Player::BOTH.into_iter().filter(cannot).map(told).collect()
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    position: String,
    /// white, black, draw or undecided.
    result: &'static str,
    /// Whether White and Black can force a win; null if it is not known.
    can_force_a_win: [Option<bool>; 2],
    line: &'a str,
    turns: usize,
    line_complete: bool,
    /// Whether no win is faster, and no defence longer.
    line_fastest: bool,
    actions: Vec<u16>,
    positions: u64,
    seconds: f64,
    memory: usize,
    ended: Ended,
}

impl<'a> Answer<'a> {
    fn of(setup: &Setup, proof: &Proof<Action>, line: &'a Line) -> Self {
        Self {
            position: setup.to_string(),
            result: match proof.decision() {
                Some(Decision::Wins(Player::White)) => "white",
                Some(Decision::Wins(Player::Black)) => "black",
                Some(Decision::Draw) => "draw",
                None => "undecided",
            },
            can_force_a_win: proof.wins,
            line: &line.text,
            turns: line.turns,
            line_complete: line.complete,
            line_fastest: proof.fastest.is_some(),
            actions: proof.line.iter().map(|action| action.index().0).collect(),
            positions: proof.nodes,
            seconds: proof.seconds,
            memory: proof.bytes,
            ended: proof.ended,
        }
    }
}
