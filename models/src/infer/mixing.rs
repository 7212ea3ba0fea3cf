//! The steps that mix each spot with its neighbours.

use gipf_env::geometry::SPOTS;

use crate::board::TAPS;
use crate::config::LineConfig;
#[cfg(feature = "learn")]
use crate::gradient::{MixingBack, spots::SpotBack};
use crate::infer::groups::{Groups, Outputs};
use crate::infer::kernel::{
    Finish, Gather, Instructions, Offsets, Packed, PackedInt8, RowTerms, Target, product_of_few,
};
use crate::infer::lanes::{LANE, Lane};
use crate::infer::spots::{SpotLayer, SpotScratch};
use crate::infer::{EngineOptions, Precision};
use crate::names::LayerName;
use crate::weights::Weights;

/// One step: a hidden layer over each spot and its neighbours, and a layer whose outputs are added to the spot.
#[derive(Debug)]
pub struct Mixing {
    pub instructions: Instructions,
    #[cfg(feature = "learn")]
    pub step: usize,
    pub layers: Layers,
    /// What becomes of the sums: those before another step are rectified.
    pub finish: Finish,
    groups: Groups,
}

/// The layers from a spot and its neighbours to the hidden outputs, and from those back to the spot.
#[derive(Debug)]
pub enum Layers {
    F32 { gather: Packed, spread: Packed },
    Int8 { gather: PackedInt8, spread: PackedInt8 },
}

impl Mixing {
    /// Packs one step of the network.
    pub fn new(weights: &Weights, sizes: &LineConfig, step: usize, options: EngineOptions) -> Self {
        let (features, width) = (sizes.features, sizes.mixing[step]);
        let [[gather, gather_bias], [spread, spread_bias]] =
            [LayerName::Gather(step), LayerName::Spread(step)].map(|name| weights.layer(name));
        let layers = match options.precision {
            Precision::Int8 => Layers::Int8 {
                gather: PackedInt8::new(options.instructions, TAPS, features, gather, gather_bias),
                spread: PackedInt8::new(options.instructions, 1, width, spread, spread_bias),
            },
            Precision::F32 => Layers::F32 {
                gather: Packed::new(TAPS * features, gather, gather_bias),
                spread: Packed::new(width, spread, spread_bias),
            },
        };
        let groups = Groups::new(features.div_ceil(LANE), width.div_ceil(LANE));
        let finish = if step + 1 == sizes.mixing.len() { Finish::Add } else { Finish::AddRectified };
        Self {
            instructions: options.instructions,
            #[cfg(feature = "learn")]
            step,
            layers,
            finish,
            groups,
        }
    }
}

impl SpotLayer for Mixing {
    fn pass(&self, features: &mut [Lane], scratch: &mut SpotScratch, n: usize) {
        let (set, SpotScratch { hidden, terms: [inputs, between], quantised, .. }) = (self.instructions, scratch);
        match &self.layers {
            Layers::F32 { gather, spread } => {
                hidden.resize(n * SPOTS * gather.lanes(), Lane::ZERO);
                inputs.fill(set, features, gather.inputs() / TAPS);
                let to = Outputs { lanes: hidden, finish: Finish::Rectify };
                self.groups.product(set, gather, (features, inputs.few()), to);
                between.fill(set, hidden, spread.inputs());
                dense_of(set, spread, (hidden, between.few()), features, self.finish);
            }
            Layers::Int8 { gather, spread } => {
                quantised.fill(set, gather, features, n);
                hidden.resize(n * SPOTS * gather.lanes(), Lane::ZERO);
                let to = Outputs { lanes: hidden, finish: Finish::Rectify };
                self.groups.product_int8(set, gather, quantised, to);
                quantised.fill(set, spread, hidden, n);
                quantised.dense(set, spread, features, self.finish);
            }
        }
    }

    #[cfg(feature = "learn")]
    fn back(&self) -> Box<dyn SpotBack> {
        Box::new(MixingBack::of(self))
    }
}

/// Multiplies consecutive rows with a matrix.
pub fn dense(set: Instructions, layer: &Packed, from: &[Lane], to: &mut [Lane], finish: Finish) {
    dense_of(set, layer, (from, None), to, finish);
}

/// Multiplies consecutive rows with a matrix, given what is not zero of them if that is few.
fn dense_of(
    set: Instructions,
    layer: &Packed,
    (from, terms): (&[Lane], Option<&RowTerms>),
    to: &mut [Lane],
    finish: Finish,
) {
    let count = to.len() / layer.lanes();
    let every = |lanes| Offsets::Every { lanes, count };
    let offsets = every(layer.inputs().div_ceil(LANE));
    let rows = Gather { source: from, segment: layer.inputs(), taps: &[0], offsets };
    product_of_few(set, layer, (rows, terms), &mut Target { lanes: to, offsets: every(layer.lanes()), finish });
}
