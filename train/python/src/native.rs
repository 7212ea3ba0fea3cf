//! Self-play without Python, with which the tests and `benchmarks/speed.py` compare self-play from Python.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use gipf_env::{GipfPosition, Position, Variant};
use gipf_play::search::{Answers, Evaluation, Evaluator, Leaves, SearchConfig, UniformEvaluator, Values};
use gipf_play::{GameConfig, NetEvaluator, Stop};
use gipf_train::training::{Assignment, ManyGames, PlayedGame as Played, SelfPlayConfig, play_games};
use pyo3::prelude::*;

use crate::argument::Text;
use crate::error::{GipfError, detached, guarded, variant};
use crate::network::Network;
use crate::played_game::PlayedGame;
use crate::workers::workers;

/// Returns the games that the trainer plays with a network.
#[pyfunction]
#[pyo3(name = "_native_games", signature = (network, games, full_simulations, cheap_simulations, seed))]
pub fn native_games(
    py: Python<'_>,
    network: PyRef<'_, Network>,
    games: u64,
    full_simulations: u32,
    cheap_simulations: u32,
    seed: u64,
) -> PyResult<Vec<PlayedGame>> {
    let (start, engine) = (start(network.loaded().rules()), Arc::clone(network.loaded().engine()));
    let config = SelfPlayConfig { full_simulations, cheap_simulations, ..SelfPlayConfig::default() };
    let played = detached(py, || {
        let search = SearchConfig::self_play();
        let all =
            Assignment { start: &start, archive: &[], first_id: 0, games, seed, config: &config, search: &search };
        let evaluator = || NetEvaluator::new(Arc::clone(&engine));
        Ok(workers()?.install(|| play_games(&all, evaluator, &|_: &Played<_>| {}, &Stop::default())))
    })?;
    Ok(played.into_iter().map(PlayedGame::of).collect())
}

/// Returns how many seconds self-play with a uniform evaluator takes to have this many leaves evaluated, written as
/// observations and masks: by the loop of `self_play` ("batches"), or by that of the trainer ("trainer").
#[pyfunction]
#[pyo3(name = "_native_seconds", signature = (driver, variant, parallel, simulations, leaves))]
pub fn native_seconds(
    py: Python<'_>,
    driver: Text,
    variant: Text,
    parallel: usize,
    simulations: u32,
    leaves: u64,
) -> PyResult<f64> {
    guarded(|| {
        let start = start(self::variant(&variant)?);
        let (full_simulations, cheap_simulations, search) = (simulations, simulations, SearchConfig::self_play());
        let config = SelfPlayConfig { full_simulations, cheap_simulations, ..SelfPlayConfig::default() };
        let all = Assignment {
            start: &start,
            archive: &[],
            first_id: 0,
            games: u64::MAX,
            seed: 0,
            config: &config,
            search: &search,
        };
        let work: fn(&Assignment<'_, GipfPosition>, usize, u64) = match &*driver {
            "batches" => play_batches,
            "trainer" => play_as_the_trainer,
            other => return Err(GipfError::new_err(format!("driver `{other}`: expected batches or trainer"))),
        };
        detached(py, || {
            let began = Instant::now();
            workers()?.install(|| work(&all, parallel, leaves));
            Ok(began.elapsed().as_secs_f64())
        })
    })
}

/// Returns the start of games by default.
fn start(variant: Variant) -> GipfPosition {
    GameConfig { variant, ..GameConfig::default() }.start()
}

fn play_batches(all: &Assignment<'_, GipfPosition>, parallel: usize, leaves: u64) {
    let fits = "the arrays have a row for each game";
    let (size, actions) = (all.start.observation_layout().size(), all.start.num_actions());
    let (mut planes, mut masks) = (vec![0.0; parallel * size], vec![false; parallel * actions]);
    let (logits, values) = (vec![0.0_f32; parallel * actions], vec![0.0; parallel]);
    let (mut many, mut done) = (ManyGames::new(all, parallel), 0);
    while done < leaves {
        let rows = many.gather(Leaves { planes: &mut planes, masks: &mut masks }).expect(fits);
        many.take_ended();
        let answers = Answers { logits: &logits[..rows * actions], values: Values::Expected(&values[..rows]) };
        many.apply(answers).expect(fits);
        done += rows as u64;
    }
}

fn play_as_the_trainer(all: &Assignment<'_, GipfPosition>, parallel: usize, leaves: u64) {
    let parallel_games = parallel.div_ceil(rayon::current_num_threads());
    let config = SelfPlayConfig { parallel_games, ..all.config.clone() };
    let (stop, left) = (Stop::default(), AtomicU64::new(leaves));
    let evaluator = || Writer { planes: Vec::new(), masks: Vec::new(), left: &left, stop: &stop };
    play_games(&Assignment { config: &config, ..*all }, evaluator, &|_: &Played<_>| {}, &stop);
}

/// A uniform evaluator that also writes the leaves that it is asked about, until it has been asked often enough.
struct Writer<'a> {
    planes: Vec<f32>,
    masks: Vec<bool>,
    left: &'a AtomicU64,
    stop: &'a Stop,
}

impl Evaluator<GipfPosition> for Writer<'_> {
    fn evaluate(&mut self, positions: &[GipfPosition], out: &mut [Evaluation]) {
        let Some(first) = positions.first() else { return };
        let (size, actions) = (first.observation_layout().size(), first.num_actions());
        self.planes.resize(positions.len() * size, 0.0);
        self.masks.resize(positions.len() * actions, false);
        let rows = self.planes.chunks_exact_mut(size).zip(self.masks.chunks_exact_mut(actions));
        for (position, (planes, mask)) in positions.iter().zip(rows) {
            position.observe(planes);
            position.action_mask(mask);
        }
        UniformEvaluator.evaluate(positions, out);
        let asked = positions.len() as u64;
        if self.left.fetch_sub(asked, Ordering::Relaxed) <= asked {
            self.stop.request();
        }
    }
}
