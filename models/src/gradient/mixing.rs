//! The backward pass through a step that mixes each spot with its neighbours.

use gipf_env::geometry::{Direction, SPOTS, Spot};

use crate::board::{TAPS, taps};
use crate::gradient::dense::{Back, DenseGradient};
use crate::gradient::spots::SpotBack;
use crate::infer::CHUNK;
use crate::infer::groups::{Groups, Outputs};
use crate::infer::kernel::{Finish, OffsetList, Packed, Pairs, add_outer, add_rows, pass_rectifier};
use crate::infer::lanes::{LANE, Lane};
use crate::infer::mixing::{Layers, Mixing};
use crate::infer::spots::SpotScratch;
use crate::names::LayerName;
use crate::weights::Array;

/// The transposed layers of the step.
#[derive(Debug)]
pub struct MixingBack {
    step: usize,
    finish: Finish,
    features: usize,
    width: usize,
    spread: Back,
    /// From the hidden outputs of a spot and its neighbours back to its features: a neighbour sees the spot in the opposite
    /// direction.
    gather: Packed,
    groups: Groups,
    /// For each tap, of all spots that have it: the first lane of the features there and of the spot's hidden outputs,
    /// for a full chunk of positions.
    pairs: Vec<[OffsetList; 2]>,
}

impl MixingBack {
    /// Transposes the layers of the step.
    ///
    /// # Panics
    /// If it is not in floats.
    pub fn of(mixing: &Mixing) -> Self {
        let Layers::F32 { gather, spread } = &mixing.layers else { panic!("networks learn in f32") };
        let (features, width) = (spread.outputs(), gather.outputs());
        let (feature_lanes, hidden_lanes) = (features.div_ceil(LANE), width.div_ceil(LANE));
        Self {
            step: mixing.step,
            finish: mixing.finish,
            features,
            width,
            spread: Back::of(spread, mixing.instructions),
            gather: turned_back(gather, features, width),
            groups: Groups::new(hidden_lanes, feature_lanes),
            pairs: pairs(feature_lanes, hidden_lanes),
        }
    }

    fn learn_gather(&self, before: &[Lane], deltas: &[Lane], gradient: &mut DenseGradient) {
        let lanes = self.width.div_ceil(LANE);
        let n = deltas.len() / (SPOTS * lanes);
        let taps = gradient.weight.chunks_exact_mut(self.features * lanes);
        for (to, [sources, targets]) in taps.zip(&self.pairs) {
            let pairs = Pairs {
                source: before,
                sources: sources.first(n),
                inputs: self.features,
                deltas,
                targets: targets.first(n),
                lanes,
            };
            add_outer(self.spread.instructions, pairs, to);
        }
        add_rows(self.spread.instructions, deltas, &mut gradient.bias);
    }
}

impl SpotBack for MixingBack {
    fn no_gradient(&self) -> Vec<DenseGradient> {
        vec![DenseGradient::zeros(TAPS * self.features, self.width.div_ceil(LANE)), self.spread.no_gradient()]
    }

    fn learn(&self, scratch: &SpotScratch, after: &[Lane], deltas: &mut [Lane], gradient: &mut [DenseGradient]) {
        let (set, hidden) = (self.spread.instructions, &scratch.hidden);
        if self.finish == Finish::AddRectified {
            pass_rectifier(set, after, deltas);
        }
        self.spread.learn(hidden, deltas, &mut gradient[1]);
        let mut back = vec![Lane::ZERO; hidden.len()];
        self.spread.pass(deltas, &mut back, Finish::Store);
        pass_rectifier(set, hidden, &mut back);
        self.learn_gather(&scratch.before, &back, &mut gradient[0]);
        self.groups.product(set, &self.gather, &back, Outputs { lanes: deltas, finish: Finish::Add });
    }

    fn named(&self, gradient: &[DenseGradient]) -> Vec<(String, Array)> {
        let gather = gradient[0].named(LayerName::Gather(self.step), self.width);
        gather.into_iter().chain(gradient[1].named(LayerName::Spread(self.step), self.features)).collect()
    }
}

/// Returns the matrix from the hidden outputs around a spot back to its features.
fn turned_back(gather: &Packed, features: usize, width: usize) -> Packed {
    let mut opposite = [0; TAPS];
    for direction in Direction::ALL {
        opposite[1 + direction.index()] = 1 + direction.opposite().index();
    }
    let row = |tap, output| (0..features).map(move |feature| gather.at(tap * features + feature, output));
    let values = opposite.into_iter().flat_map(|tap| (0..width).flat_map(move |output| row(tap, output)));
    Packed::new(TAPS * width, &values.collect::<Vec<_>>(), &vec![0.0; features])
}

fn pairs(feature_lanes: usize, hidden_lanes: usize) -> Vec<[OffsetList; 2]> {
    let mut pairs = vec![[Vec::new(), Vec::new()]; TAPS];
    for spot in Spot::all() {
        for ([sources, targets], neighbour) in pairs.iter_mut().zip(taps(spot)) {
            let Some(neighbour) = neighbour else { continue };
            sources.push((neighbour * feature_lanes) as u32);
            targets.push((spot.index() * hidden_lanes) as u32);
        }
    }
    let repeated = |places: &[u32], lanes: usize| OffsetList::repeated(places, SPOTS * lanes, CHUNK);
    let lists = pairs.iter().map(|[from, to]| [repeated(from, feature_lanes), repeated(to, hidden_lanes)]);
    lists.collect()
}
