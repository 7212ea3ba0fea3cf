//! The steps that mix each spot with its neighbours.

use gipf_env::geometry::{SPOTS, Spot};

use crate::board::{TAPS, taps};
use crate::infer::kernel::{Finish, Gather, Instructions, Offsets, Packed, Target, product};
use crate::infer::lanes::{LANE, Lane};
use crate::weights::Weights;

/// How many positions go through the layers together: their features stay in the second-level cache.
pub const CHUNK: usize = 16;

/// One step: a hidden layer over each spot and its neighbours, and a layer whose outputs are added to the spot.
#[derive(Debug)]
pub struct Mixing {
    gather: Packed,
    spread: Packed,
    groups: Vec<Group>,
}

/// Spots that have neighbours in the same directions; what lies beyond the board is left out of the products.
#[derive(Debug)]
struct Group {
    spots: usize,
    taps: Vec<usize>,
    /// The first lane of each spot's taps, for a full chunk of positions.
    sources: Vec<usize>,
    /// The first lane of each spot's outputs, likewise.
    targets: Vec<usize>,
}

impl Mixing {
    /// Packs one step of the network.
    pub fn new(weights: &Weights, features: usize, step: usize, width: usize) -> Self {
        let pack = |layer: &str, inputs| {
            let [weight, bias] = ["weight", "bias"].map(|part| weights.get(&format!("mixing.{step}.{layer}.{part}")));
            Packed::new(inputs, &weight.values, &bias.values)
        };
        let groups = groups(features.div_ceil(LANE), width.div_ceil(LANE));
        Self { gather: pack("gather", TAPS * features), spread: pack("spread", width), groups }
    }

    /// Mixes the features of n positions, at most a chunk.
    pub fn mix(&self, set: Instructions, features: &mut [Lane], hidden: &mut Vec<Lane>, n: usize) {
        hidden.resize(n * SPOTS * self.gather.lanes(), Lane::ZERO);
        for group in &self.groups {
            let rows = n * group.spots;
            let segment = self.gather.inputs() / TAPS;
            let offsets = Offsets::Listed(&group.sources[..rows * group.taps.len()]);
            let rows = Gather { source: features, segment, taps: &group.taps, offsets };
            let offsets = Offsets::Listed(&group.targets[..n * group.spots]);
            product(set, &self.gather, rows, &mut Target { lanes: hidden, offsets, finish: Finish::Rectify });
        }
        dense(set, &self.spread, hidden, features, Finish::Add);
    }
}

/// Multiplies rows that follow each other with a matrix.
pub fn dense(set: Instructions, layer: &Packed, from: &[Lane], to: &mut [Lane], finish: Finish) {
    let count = to.len() / layer.lanes();
    let every = |lanes| Offsets::Every { lanes, count };
    let offsets = every(layer.inputs().div_ceil(LANE));
    let rows = Gather { source: from, segment: layer.inputs(), taps: &[0], offsets };
    product(set, layer, rows, &mut Target { lanes: to, offsets: every(layer.lanes()), finish });
}

fn groups(feature_lanes: usize, hidden_lanes: usize) -> Vec<Group> {
    let mut kinds: Vec<_> = Spot::all().map(present).collect();
    kinds.sort();
    kinds.dedup();
    kinds.into_iter().map(|taps| group(taps, feature_lanes, hidden_lanes)).collect()
}

/// Returns the taps of a spot that lie on the board.
fn present(spot: Spot) -> Vec<usize> {
    (0..TAPS).filter(|&tap| taps(spot)[tap].is_some()).collect()
}

fn group(kind: Vec<usize>, feature_lanes: usize, hidden_lanes: usize) -> Group {
    let members: Vec<_> = Spot::all().filter(|&spot| present(spot) == kind).collect();
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    for position in 0..CHUNK {
        for &spot in &members {
            let neighbours = taps(spot).into_iter().flatten();
            sources.extend(neighbours.map(|spot| (position * SPOTS + spot) * feature_lanes));
            targets.push((position * SPOTS + spot.index()) * hidden_lanes);
        }
    }
    Group { spots: members.len(), taps: kind, sources, targets }
}
