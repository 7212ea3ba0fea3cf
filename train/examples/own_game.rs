//! A game of one's own, learned from scratch: `cargo run --release --example own_game`, less than a minute.
//!
//! Any type that implements [`Position`] can be searched and played, and with [`Learnable`] learned. This is Domineering
//! on 4 × 4 squares: White places dominoes upright, Black across, and a player who finds no room has lost.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::fmt;

use gipf_env::{ActionIndex, Learnable, ObservationLayout, Outcome, Player, Position, Reason};
use gipf_models::Engine;
use gipf_play::arena::play_game;
use gipf_play::players::{Mcts, Random, Thinking};
use gipf_play::search::SearchConfig;
use gipf_play::{NetEvaluator, Stop};
use gipf_train::training::metrics::IterationMetrics;
use gipf_train::training::trainer::{Advance, CheckpointEval, NamedStart, Occasion, Reporter, Stage, Trainer};
use gipf_train::training::{Config, NewRun};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const SIDE: u8 = 4;
/// The places of upright dominoes; there are as many places across.
const PLACES: u8 = SIDE * (SIDE - 1);

/// The squares that are covered, one bit each, row by row, and how many dominoes lie there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Domineering {
    covered: u16,
    dominoes: u8,
}

/// A domino: its number is that of the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Domino(u8);

impl Domino {
    /// Returns the two squares that it covers.
    fn squares(self) -> u16 {
        let place = self.0 % PLACES;
        if self.0 < PLACES {
            return 1 << place | 1 << (place + SIDE);
        }
        let (row, column) = (place / (SIDE - 1), place % (SIDE - 1));
        0b11 << (SIDE * row + column)
    }
}

impl fmt::Display for Domino {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.0 < PLACES { "upright" } else { "across" }, self.0 % PLACES)
    }
}

impl Position for Domineering {
    type Action = Domino;

    fn num_actions(&self) -> usize {
        2 * PLACES as usize
    }

    /// One plane of covered squares, and one that is 1 if the player to move places dominoes upright.
    fn observation_layout(&self) -> ObservationLayout {
        let side = SIDE as usize;
        ObservationLayout {
            pieces: 1,
            marks: 0,
            scalars: 1,
            rows: side,
            columns: side,
            cells: (0..side * side).collect(),
        }
    }

    fn to_move(&self) -> Player {
        Player::BOTH[self.turn() % 2]
    }

    fn turn(&self) -> usize {
        self.dominoes.into()
    }

    fn legal_actions(&self) -> impl Iterator<Item = Domino> {
        let first = PLACES * self.to_move().index() as u8;
        let covered = self.covered;
        (first..first + PLACES).map(Domino).filter(move |domino| domino.squares() & covered == 0)
    }

    fn outcome(&self) -> Option<Outcome> {
        let is_over = self.legal_actions().next().is_none();
        is_over.then(|| Outcome::win(self.to_move().other(), Reason::OwnRule))
    }

    fn play_unchecked(&mut self, action: Domino) {
        self.covered |= action.squares();
        self.dominoes += 1;
    }

    fn action_index(&self, action: Domino) -> ActionIndex {
        ActionIndex(action.0.into())
    }

    fn action_at(&self, index: ActionIndex) -> Option<Domino> {
        (index.get() < self.num_actions()).then_some(Domino(index.0 as u8))
    }

    fn observe(&self, planes: &mut [f32]) {
        let (squares, upright) = planes.split_at_mut(16);
        for (square, value) in squares.iter_mut().enumerate() {
            *value = f32::from(self.covered >> square & 1);
        }
        upright.fill(f32::from(self.to_move() == Player::White));
    }
}

/// The defaults are kept: no symmetries, and no cached evaluations.
impl Learnable for Domineering {}

/// Measures nothing, and reports each iteration.
struct Watcher;

impl CheckpointEval for Watcher {
    fn games(&self, _occasion: Occasion<'_>) -> u64 {
        0
    }

    fn rate(
        &self,
        _engine: &Arc<Engine>,
        _occasion: Occasion<'_>,
        _played: &(dyn Fn(u64) + Sync),
        stop: &Stop,
    ) -> Option<Vec<gipf_train::training::metrics::OpponentScore>> {
        (!stop.requested()).then(Vec::new)
    }
}

impl Reporter for Watcher {
    fn begin(&mut self, _iteration: u32, _stage: Stage, _units: u64) -> Advance {
        Box::new(|_| ())
    }

    fn complete(&mut self, metrics: &IterationMetrics) {
        println!("iteration {}", metrics.iteration);
    }
}

const SETTINGS: &str = r#"
    run = { iterations = 30, games = 500 }
    network = { kind = "mlp", hidden = [64, 64] }
    self_play = { full_simulations = 32, cheap_simulations = 8, random_plies = 2 }
    learning = { batch_size = 128 }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let (config, run) = (Config::parse(SETTINGS)?, folder.path().join("run"));
    let mut trainer =
        Trainer::create(&NewRun::new(&run, &config), NamedStart::new("domineering", Domineering::default()))?;
    println!("at first the network alone wins {:.0} % against random", 100.0 * score(&trainer)?);
    trainer.train(&Watcher, &mut Watcher, &Stop::default())?;
    println!("at last it wins {:.0} %", 100.0 * score(&trainer)?);
    Ok(())
}

/// Returns the share of games that the network wins without looking ahead, playing both colours equally often.
fn score(trainer: &Trainer<Domineering>) -> Result<f64, Box<dyn std::error::Error>> {
    const GAMES: u64 = 400;
    let checkpoint = trainer.checkpoint();
    let engine = Arc::new(Engine::new(&checkpoint.weights, &checkpoint.config)?);
    let mut own = Mcts::new(SearchConfig::play(), NetEvaluator::new(engine), Thinking::Simulations(0));
    let (mut random, mut won) = (Random::default(), 0);
    for seed in 0..GAMES {
        let me = Player::BOTH[seed as usize % 2];
        let start = Domineering::default();
        let game = match me {
            Player::White => play_game(&start, [&mut own, &mut random], [seed, seed], &Stop::default()),
            Player::Black => play_game(&start, [&mut random, &mut own], [seed, seed], &Stop::default()),
        };
        won += u32::from(game.expect("nobody stops it").ending.winner() == Some(me));
    }
    Ok(f64::from(won) / GAMES as f64)
}
