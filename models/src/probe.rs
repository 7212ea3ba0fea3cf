//! Checks that a network's outputs are finite before it plays.
//!
//! Weights can each be finite and still too large for the sums over them. Upper bounds on the outputs are no use: they
//! multiply from layer to layer, and for a sound, trained residual network of many blocks they overflow f32. So the
//! network is evaluated on test observations, by the same engine that plays.

use gipf_env::{GipfPosition, Position, Variant};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::config::NetConfig;

/// Observations drawn at random, which are more extreme than those of games.
const DRAWN: usize = 12;
/// Positions of a random game, if the network is for a rule set of GIPF.
const PLAYED: usize = 20;
/// Turns of that game between two such positions.
const APART: usize = 4;

/// Returns some observations of a network's game, always the same: of an empty board, of scalars at their limits, drawn
/// at random, and of a game.
pub fn probes(config: &NetConfig) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let (layout, mut planes) = (&config.layout, vec![0.0; config.layout.size()]);
    for end in [1.0, -1.0] {
        let start = planes.len();
        planes.resize(start + layout.size(), 0.0);
        planes[start + (layout.pieces + layout.marks) * layout.rows * layout.columns..].fill(end);
    }
    planes.extend(random_planes(config, DRAWN, &mut rng));
    if let Some(start) = Variant::ALL.into_iter().map(GipfPosition::start).find(|start| config.fits(start)) {
        planes.extend(played(start, &mut rng));
    }
    planes
}

/// Returns observations along a game of random decisions.
fn played(mut position: GipfPosition, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let size = position.observation_layout().size();
    let mut planes = Vec::with_capacity(PLAYED * size);
    for ply in 0.. {
        let legal: Vec<_> = position.legal_actions().collect();
        if legal.is_empty() || planes.len() == PLAYED * size {
            break;
        }
        if ply % APART == 0 {
            let start = planes.len();
            planes.resize(start + size, 0.0);
            position.observe(&mut planes[start..]);
        }
        position.play(legal[rng.random_range(0..legal.len())]).expect("the action is legal");
    }
    planes
}

/// Draws n observations: at most one piece on a cell, few marks, at most one question, any scalars.
pub fn random_planes(config: &NetConfig, n: usize, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let layout = &config.layout;
    let area = layout.rows * layout.columns;
    let mut all = vec![0.0; n * layout.size()];
    for planes in all.chunks_exact_mut(layout.size()) {
        let filled = rng.random::<f32>();
        for &cell in &layout.cells {
            if layout.pieces > 0 && rng.random::<f32>() < filled {
                planes[rng.random_range(0..layout.pieces) * area + cell] = 1.0;
            }
            for mark in layout.pieces..layout.pieces + layout.marks {
                planes[mark * area + cell] = if rng.random::<f32>() < 0.1 { 0.5 } else { 0.0 };
            }
        }
        if layout.marks > 0 && rng.random() {
            let cell = layout.cells[rng.random_range(0..layout.cells.len())];
            planes[(layout.pieces + layout.marks - 1) * area + cell] = 1.0;
        }
        for plane in planes.chunks_exact_mut(area).skip(layout.pieces + layout.marks) {
            plane.fill(rng.random::<f32>() - 0.5);
        }
    }
    all
}
