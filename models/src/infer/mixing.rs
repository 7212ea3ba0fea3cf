//! The steps that mix each spot with its neighbours.

use gipf_env::geometry::{SPOTS, Spot};

use crate::board::{TAPS, taps};
use crate::infer::kernel::{
    Finish, Gather, Instructions, Offsets, Packed, PackedBytes, Scaled, Target, product, product_of_bytes, to_bytes,
};
use crate::infer::lanes::{Bytes, LANE, Lane};
use crate::infer::{EngineOptions, Precision};
use crate::weights::Weights;

/// How many positions go through the layers together: their features stay in the second-level cache.
pub const CHUNK: usize = 16;

/// One step: a hidden layer over each spot and its neighbours, and a layer whose outputs are added to the spot.
#[derive(Debug)]
pub struct Mixing {
    instructions: Instructions,
    layers: Layers,
    groups: Vec<Group>,
}

/// The layers from a spot and its neighbours to the hidden outputs, and from those back to the spot.
#[derive(Debug)]
enum Layers {
    Floats { gather: Packed, spread: Packed },
    Bytes { gather: PackedBytes, spread: PackedBytes },
}

/// Working memory.
#[derive(Debug, Default)]
pub struct MixingScratch {
    hidden: Vec<Lane>,
    bytes: Vec<Bytes>,
    scales: Vec<f32>,
}

/// Spots that have neighbours in the same directions; what lies beyond the board is left out of the products.
#[derive(Debug)]
pub struct Group {
    spots: usize,
    /// The taps that all of them have.
    pub taps: Vec<usize>,
    /// The first lane of each spot's taps, for a full chunk of positions.
    sources: Vec<usize>,
    /// The first lane of each spot's outputs, likewise.
    targets: Vec<usize>,
}

impl Mixing {
    /// Packs one step of the network.
    pub fn new(weights: &Weights, features: usize, (step, width): (usize, usize), options: EngineOptions) -> Self {
        let values = |layer: &str| {
            ["weight", "bias"].map(|part| &weights.get(&format!("mixing.{step}.{layer}.{part}")).values[..])
        };
        let [[gather, gather_bias], [spread, spread_bias]] = ["gather", "spread"].map(values);
        // After a step features may be negative, which bytes are not.
        let layers = if options.precision == Precision::Bytes && step == 0 {
            Layers::Bytes {
                gather: PackedBytes::new(TAPS, features, gather, gather_bias),
                spread: PackedBytes::new(1, width, spread, spread_bias),
            }
        } else {
            Layers::Floats {
                gather: Packed::new(TAPS * features, gather, gather_bias),
                spread: Packed::new(width, spread, spread_bias),
            }
        };
        let groups = groups(features.div_ceil(LANE), width.div_ceil(LANE));
        Self { instructions: options.instructions, layers, groups }
    }

    /// Mixes the features of n positions, at most a chunk.
    pub fn mix(&self, features: &mut [Lane], scratch: &mut MixingScratch, n: usize) {
        match &self.layers {
            Layers::Floats { gather, spread } => self.mix_floats([gather, spread], features, scratch, n),
            Layers::Bytes { gather, spread } => self.mix_bytes([gather, spread], features, scratch, n),
        }
    }

    fn mix_floats(&self, [gather, spread]: [&Packed; 2], features: &mut [Lane], scratch: &mut MixingScratch, n: usize) {
        let hidden = &mut scratch.hidden;
        hidden.resize(n * SPOTS * gather.lanes(), Lane::ZERO);
        let segment = gather.inputs() / TAPS;
        for group in &self.groups {
            let rows = Gather { source: &*features, segment, taps: &group.taps, offsets: group.sources(n) };
            let mut target = Target { lanes: hidden, offsets: group.targets(n), finish: Finish::Rectify };
            product(self.instructions, gather, rows, &mut target);
        }
        dense(self.instructions, spread, hidden, features, Finish::Add);
    }

    fn mix_bytes(
        &self,
        [gather, spread]: [&PackedBytes; 2],
        features: &mut [Lane],
        scratch: &mut MixingScratch,
        n: usize,
    ) {
        let MixingScratch { hidden, bytes, scales } = scratch;
        self.quantise(features, (bytes, scales), n);
        hidden.resize(n * SPOTS * gather.lanes(), Lane::ZERO);
        for group in &self.groups {
            let rows =
                Gather { source: &bytes[..], segment: gather.inputs(), taps: &group.taps, offsets: group.sources(n) };
            let rows = Scaled { rows, scales, rows_each: group.spots };
            let mut target = Target { lanes: hidden, offsets: group.targets(n), finish: Finish::Rectify };
            product_of_bytes(self.instructions, gather, rows, &mut target);
        }
        self.quantise(hidden, (bytes, scales), n);
        let every = |lanes| Offsets::Every { lanes, count: n * SPOTS };
        let offsets = every(spread.inputs().div_ceil(LANE));
        let rows = Gather { source: &bytes[..], segment: spread.inputs(), taps: &[0], offsets };
        let rows = Scaled { rows, scales, rows_each: SPOTS };
        let mut target = Target { lanes: features, offsets: every(spread.lanes()), finish: Finish::Add };
        product_of_bytes(self.instructions, spread, rows, &mut target);
    }

    /// Turns the lanes of n positions into bytes, with a scale for each position.
    fn quantise(&self, lanes: &[Lane], (bytes, scales): (&mut Vec<Bytes>, &mut Vec<f32>), n: usize) {
        bytes.resize(lanes.len(), Bytes::ZERO);
        let each = lanes.len() / n;
        let positions = lanes.chunks_exact(each).zip(bytes.chunks_exact_mut(each));
        scales.clear();
        scales.extend(positions.map(|(lanes, bytes)| to_bytes(self.instructions, lanes, bytes)));
    }
}

impl Group {
    /// Returns the first lane of each tap of each spot of n positions.
    pub fn sources(&self, n: usize) -> Offsets<'_> {
        Offsets::Listed(&self.sources[..n * self.spots * self.taps.len()])
    }

    /// Returns the first lane of the outputs of each spot of n positions.
    pub fn targets(&self, n: usize) -> Offsets<'_> {
        Offsets::Listed(&self.targets[..n * self.spots])
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

/// Returns the spots by the directions in which they have neighbours, for rows of so many lanes in and out.
pub fn groups(feature_lanes: usize, hidden_lanes: usize) -> Vec<Group> {
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
