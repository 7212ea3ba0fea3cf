//! The line network after its encoders, for evaluation and for learning alike.

use gipf_env::geometry::{LINES, SPOTS};

use crate::config::{LineConfig, NetConfig};
use crate::infer::EngineOptions;
use crate::infer::asked::Asked;
use crate::infer::heads::{Heads, HeadsScratch, terms};
use crate::infer::lanes::Lane;
use crate::infer::spots::{SpotLayer, SpotScratch, pack_all};
use crate::infer::trunk::{Trunk, TrunkScratch};
use crate::weights::Weights;

/// The packed layers, from the rows of lines to logits and value.
#[derive(Debug)]
pub struct LineLayers {
    pub trunk: Trunk,
    pub spots: Vec<Box<dyn SpotLayer>>,
    pub heads: Heads,
    /// For each policy logit: the line that is part of it, and the place in the lane of its outputs.
    pub logits_of_lines: Vec<Option<(usize, usize)>>,
}

/// Working memory: the intermediate results of a chunk of positions.
#[derive(Debug, Default)]
pub struct LayersScratch {
    trunk: TrunkScratch,
    /// The features at the end.
    pub features: Vec<Lane>,
    pub spots: Vec<SpotScratch>,
    pub heads: HeadsScratch,
}

/// Where answers about n positions are written.
#[derive(Debug)]
pub struct Answers<'a> {
    /// The policy logits, `[n, num_actions]`.
    pub logits: &'a mut [f32],
    /// Which of them are written.
    pub asked: Asked<'a>,
    /// The probabilities of win, draw and loss for the player to move, `[n, 3]`.
    pub wdl: &'a mut [f32],
}

/// What happens to the features that a layer of spots is about to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// They are not kept.
    Forgotten,
    /// They are kept in its scratch, to learn from.
    #[cfg(feature = "learn")]
    Kept,
}

impl LineLayers {
    /// Packs the weights.
    pub fn new(weights: &Weights, config: &NetConfig, sizes: &LineConfig, options: EngineOptions) -> Self {
        let set = options.instructions;
        Self {
            trunk: Trunk::new(weights, config, sizes.features, set),
            spots: pack_all(weights, sizes, options),
            heads: Heads::new(weights, config, sizes.features, sizes.value_hidden, set),
            logits_of_lines: terms(config).map(|terms| terms.line).collect(),
        }
    }

    /// Evaluates at most a chunk of positions, given the rows of the lines of each.
    pub fn forward<'a>(
        &self,
        scratch: &mut LayersScratch,
        passed: Passed,
        planes: &[f32],
        rows: impl Fn(usize) -> [&'a [Lane]; LINES],
        Answers { logits, asked, wdl }: Answers,
    ) {
        let (n, LayersScratch { trunk, features, spots, heads }) = (wdl.len() / 3, scratch);
        features.resize(n * SPOTS * self.trunk.width, Lane::ZERO);
        self.trunk.write((trunk, n), planes, rows, features);
        spots.resize_with(self.spots.len(), SpotScratch::default);
        for (layer, scratch) in self.spots.iter().zip(spots) {
            if passed != Passed::Forgotten {
                scratch.before.clone_from(features);
            }
            layer.pass(features, scratch, n);
        }
        // The value first: its few sums wait for one another, so the next step can begin meanwhile.
        self.heads.write_values(heads, features, planes, wdl);
        self.heads.write_logits((heads, asked), features, planes, logits);
        self.add_lines((trunk.lines(), asked), logits);
    }

    fn add_lines(&self, (lines, asked): (&[[Lane; LINES]], Asked), logits: &mut [f32]) {
        let positions = lines.iter().zip(logits.chunks_exact_mut(self.logits_of_lines.len()));
        for (position, (lines, logits)) in positions.enumerate() {
            asked.for_each(position, logits.len(), |action| {
                if let Some((line, output)) = self.logits_of_lines[action] {
                    logits[action] += lines[line].0[output];
                }
            });
        }
    }
}
