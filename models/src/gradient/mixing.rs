//! The backward pass through a step that mixes each spot with its neighbours.

use gipf_env::geometry::{Direction, SPOTS, Spot};

use crate::board::{TAPS, taps};
use crate::gradient::dense::{Back, DenseGradient, terms_by_input};
use crate::gradient::spots::SpotBack;
use crate::infer::CHUNK;
use crate::infer::groups::{Groups, Outputs};
use crate::infer::kernel::{
    Finish, OffsetList, Packed, Pairs, RowTerms, add_outer, add_rows, add_scaled, pass_rectifier,
};
use crate::infer::lanes::{LANE, Lane};
use crate::infer::mixing::{Layers, Mixing};
use crate::infer::sparse::Terms;
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
    /// For each tap and spot of a full chunk of positions: the spot that sees it by this tap, counted from 1; 0 if none.
    readers: Vec<Vec<usize>>,
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
            readers: readers(),
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

    /// Adds what [`Self::learn_gather`] adds, bit for bit, for features that are mostly zero: only the others contribute.
    /// The gradients have a row of zeros before them, which stands for all outputs beyond the board.
    fn learn_gather_sparse(&self, before: &[Lane], zero_and_deltas: &[Lane], gradient: &mut DenseGradient) {
        let (set, lanes) = (self.spread.instructions, self.width.div_ceil(LANE));
        let of_input = terms_by_input(set, before, self.features);
        let mut terms = Terms::new();
        for (to, rows) in gradient.weight.chunks_exact_mut(self.features * lanes).zip(&self.readers) {
            for (of_input, to) in of_input.iter().zip(to.chunks_exact_mut(lanes)) {
                terms.clear();
                terms.extend(of_input.iter().map(|&(row, value)| (rows[row], value)));
                add_scaled(set, zero_and_deltas, &terms, to);
            }
        }
        add_rows(set, &zero_and_deltas[lanes..], &mut gradient.bias);
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
        let [inputs, between] = scratch.terms.each_ref().map(RowTerms::few);
        match between {
            Some(_) => gradient[1].learn_sparse(set, hidden, deltas),
            None => self.spread.learn(hidden, deltas, &mut gradient[1]),
        }
        let lanes = self.width.div_ceil(LANE);
        let mut zero_and_back = vec![Lane::ZERO; lanes + hidden.len()];
        let back = &mut zero_and_back[lanes..];
        self.spread.pass(deltas, back, Finish::Store);
        pass_rectifier(set, hidden, back);
        let mut terms = RowTerms::default();
        terms.fill(set, back, self.width);
        self.groups.product(set, &self.gather, (back, terms.few()), Outputs { lanes: deltas, finish: Finish::Add });
        match inputs {
            Some(_) => self.learn_gather_sparse(&scratch.before, &zero_and_back, &mut gradient[0]),
            None => self.learn_gather(&scratch.before, &zero_and_back[lanes..], &mut gradient[0]),
        }
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

fn readers() -> Vec<Vec<usize>> {
    let mut readers = vec![vec![0; CHUNK * SPOTS]; TAPS];
    for (position, spot) in (0..CHUNK).flat_map(|position| Spot::all().map(move |spot| (position, spot))) {
        for (readers, neighbour) in readers.iter_mut().zip(taps(spot)) {
            if let Some(neighbour) = neighbour {
                readers[position * SPOTS + neighbour] = 1 + position * SPOTS + spot.index();
            }
        }
    }
    readers
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::config::tests::small_configs;
    use crate::infer::kernel::Instructions;
    use crate::infer::spots::SpotLayer;
    use crate::infer::{EngineOptions, Precision};
    use crate::names::TensorName;
    use crate::testing::uneven_weights;
    use crate::{LineConfig, NetKind};

    /// Returns the outputs of a step of 64 features, what it passes back, and its gradients, and whether zeros were left
    /// out: of the features, three quarters are zero, and most hidden outputs are not positive.
    fn learned(set: Instructions) -> ([Vec<Lane>; 2], Vec<(String, Array)>, bool) {
        let mut config = small_configs().swap_remove(0);
        let NetKind::Line(sizes) = &config.net else { panic!("the first is a line network") };
        let sizes = LineConfig { features: 64, mixing: vec![64, 64], ..sizes.clone() };
        config.net = NetKind::Line(sizes.clone());
        let mut weights = uneven_weights(&config);
        let bias = weights.0.get_mut(&TensorName::Bias(LayerName::Gather(0)).to_string()).unwrap();
        bias.values.fill(-1.0);
        let options = EngineOptions { instructions: set, precision: Precision::F32 };
        let (mixing, n) = (Mixing::new(&weights, &sizes, 0, options), 3);
        let rng = &mut ChaCha8Rng::seed_from_u64(7);
        let mut numbers = |least: f32| -> Vec<Lane> {
            let mut number = || rng.random_range(least..1.0_f32);
            (0..n * SPOTS * 4).map(|_| Lane(std::array::from_fn(|_| number()))).collect()
        };
        let (mut features, mut deltas) = (numbers(-3.0), numbers(-1.0));
        pass_rectifier(set, &features.clone(), &mut features);
        let mut scratch = SpotScratch { before: features.clone(), ..SpotScratch::default() };
        mixing.pass(&mut features, &mut scratch, n);
        let back = MixingBack::of(&mixing);
        let mut gradient = back.no_gradient();
        back.learn(&scratch, &features, &mut deltas, &mut gradient);
        let left_out = scratch.terms.iter().all(|terms| terms.few().is_some());
        ([features, deltas], back.named(&gradient), left_out)
    }

    #[test]
    fn what_is_left_out_as_zero_changes_no_bit() {
        let (outputs, gradients, left_out) = learned(Instructions::Scalar);
        assert!(!left_out && gradients.iter().all(|(_, array)| array.values.iter().any(|&value| value != 0.0)));
        for set in Instructions::available() {
            let found = learned(set);
            assert_eq!(found.2, set == Instructions::Avx2, "{set:?}");
            assert!(found.0 == outputs && found.1 == gradients, "{set:?}");
        }
    }
}
