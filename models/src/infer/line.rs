//! The line network: 21 rows of the encoders' tables are summed at the spots, mixed with their neighbours, and read by the
//! heads.

use std::sync::Arc;

use gipf_env::geometry::{LINES, Line};

use crate::board::{LENGTHS, encoder_of};
use crate::config::{LineConfig, NetConfig};
use crate::infer::lanes::Lane;
use crate::infer::layers::{Answers, LayersScratch, LineLayers, Passed};
use crate::infer::line_encoder::LineEncoder;
use crate::infer::line_memory::Memory;
use crate::infer::{CHUNK, EngineOptions};
use crate::weights::Weights;

/// A line network with packed weights and tables.
#[derive(Debug)]
pub struct LineEngine {
    /// Distinguishes this engine from others in a scratch.
    identity: Arc<()>,
    encoders: Vec<LineEncoder>,
    /// The encoder of each line.
    encoder_of: Vec<usize>,
    layers: LineLayers,
}

/// Working memory.
#[derive(Debug, Default)]
pub struct LineScratch {
    /// The engine whose rows are remembered.
    owner: Option<Arc<()>>,
    memories: [Memory; LENGTHS.len()],
    /// The number of the row of each line.
    numbers: Vec<[u32; LINES]>,
    layers: LayersScratch,
}

impl LineEngine {
    /// Packs the weights, which must be those of the network, and tabulates its encoders.
    pub fn new(weights: &Weights, config: &NetConfig, sizes: &LineConfig, options: EngineOptions) -> Self {
        let encoder = |index| LineEncoder::new(weights, config, sizes, index, options.instructions).tabulated();
        Self {
            identity: Arc::default(),
            encoders: (0..LENGTHS.len()).map(encoder).collect(),
            encoder_of: Line::all().map(encoder_of).collect(),
            layers: LineLayers::new(weights, config, sizes, options),
        }
    }

    /// Evaluates observations; see [`super::Engine::forward`].
    pub fn forward(&self, scratch: &mut LineScratch, planes: &[f32], Answers { logits, asked, wdl }: Answers) {
        self.take_over(scratch);
        let planes = planes.chunks(CHUNK * self.layers.trunk.observed.size());
        let logits = logits.chunks_mut(CHUNK * self.layers.logits_of_lines.len());
        let parts = planes.zip(logits).zip(wdl.chunks_mut(CHUNK * 3));
        for (first, ((planes, logits), wdl)) in (0..).step_by(CHUNK).zip(parts) {
            let asked = asked.part(first, wdl.len() / 3);
            self.read_lines(scratch, planes);
            let LineScratch { memories, numbers, layers, .. } = scratch;
            let rows = |position: usize| self.rows(memories, &numbers[position]);
            self.layers.forward(layers, Passed::Forgotten, planes, rows, Answers { logits, asked, wdl });
        }
    }

    /// Forgets what another engine has left in a scratch.
    fn take_over(&self, scratch: &mut LineScratch) {
        if !scratch.owner.as_ref().is_some_and(|owner| Arc::ptr_eq(owner, &self.identity)) {
            scratch.owner = Some(self.identity.clone());
            scratch.memories.iter_mut().for_each(Memory::clear);
        }
    }

    /// Finds the row of the pattern on each line of each position, and makes the rows that are missing.
    fn read_lines(&self, scratch: &mut LineScratch, planes: &[f32]) {
        let (observed, LineScratch { numbers, memories, .. }) = (&self.layers.trunk.observed, scratch);
        numbers.clear();
        for planes in planes.chunks_exact(observed.size()) {
            numbers.push(observed.patterns(self.layers.trunk.instructions, planes));
        }
        for (index, encoder) in self.encoders.iter().enumerate().filter(|(_, encoder)| encoder.needs_memory()) {
            let on_lines = |numbers| self.encoder_of.iter().zip(numbers).filter(|(of, _)| **of == index);
            let patterns = numbers.iter_mut().flat_map(|numbers: &mut [u32; LINES]| on_lines(numbers));
            memories[index].find_rows(encoder, patterns.map(|(_, pattern)| pattern));
        }
    }

    #[inline]
    fn rows<'a>(&'a self, memories: &'a [Memory; LENGTHS.len()], numbers: &[u32; LINES]) -> [&'a [Lane]; LINES] {
        std::array::from_fn(|line| {
            let encoder = self.encoder_of[line];
            self.encoders[encoder].row(&memories[encoder], numbers[line])
        })
    }
}
