//! The line network: 21 rows of the readers' tables are summed at the spots, mixed with their neighbours, and read by the
//! heads.

use std::sync::Arc;

use gipf_env::geometry::{LINES, Line};

use crate::board::{LENGTHS, reader_of};
use crate::config::{LineConfig, NetConfig};
use crate::infer::lanes::Lane;
use crate::infer::layers::{Answers, LayersScratch, LineLayers, Passed};
use crate::infer::reader::{Memory, Reader};
use crate::infer::{CHUNK, EngineOptions};
use crate::weights::Weights;

/// A line network with packed weights and tables.
#[derive(Debug)]
pub struct LineEngine {
    /// Tells this engine from others in a scratch.
    identity: Arc<()>,
    readers: Vec<Reader>,
    /// The reader of each line.
    reader_of: Vec<usize>,
    layers: LineLayers,
}

/// Working memory.
#[derive(Debug, Default)]
pub struct LineScratch {
    /// The engine whose rows are remembered.
    owner: Option<Arc<()>>,
    memories: [Memory; LENGTHS.len()],
    patterns: Vec<[u32; LINES]>,
    layers: LayersScratch,
}

impl LineEngine {
    /// Packs the weights, which must be those of the network, and tabulates its readers.
    pub fn new(weights: &Weights, config: &NetConfig, sizes: &LineConfig, options: EngineOptions) -> Self {
        let reader = |index| Reader::new(weights, config, sizes, index, options.instructions).tabulated();
        Self {
            identity: Arc::default(),
            readers: (0..LENGTHS.len()).map(reader).collect(),
            reader_of: Line::all().map(reader_of).collect(),
            layers: LineLayers::new(weights, config, sizes, options),
        }
    }

    /// Evaluates observations; see [`super::Engine::forward`].
    pub fn forward(&self, scratch: &mut LineScratch, planes: &[f32], logits: &mut [f32], wdl: &mut [f32]) {
        self.take_over(scratch);
        let planes = planes.chunks(CHUNK * self.layers.trunk.observed.size());
        let logits = logits.chunks_mut(CHUNK * self.layers.logits_of_lines.len());
        for ((planes, logits), wdl) in planes.zip(logits).zip(wdl.chunks_mut(CHUNK * 3)) {
            self.read_lines(scratch, planes);
            let LineScratch { memories, patterns, layers, .. } = scratch;
            let rows = |position: usize| self.rows(memories, &patterns[position]);
            self.layers.forward((layers, Passed::Forgotten), planes, rows, Answers { logits, wdl });
        }
    }

    /// Forgets what another engine has left.
    fn take_over(&self, scratch: &mut LineScratch) {
        if !scratch.owner.as_ref().is_some_and(|owner| Arc::ptr_eq(owner, &self.identity)) {
            scratch.owner = Some(self.identity.clone());
            scratch.memories = <[Memory; LENGTHS.len()]>::default();
        }
    }

    /// Finds the pattern on each line of each position, and makes rows for those that have none.
    fn read_lines(&self, scratch: &mut LineScratch, planes: &[f32]) {
        let observed = &self.layers.trunk.observed;
        scratch.patterns.clear();
        for planes in planes.chunks_exact(observed.size()) {
            scratch.patterns.push(observed.patterns(planes));
        }
        for (index, reader) in self.readers.iter().enumerate().filter(|(_, reader)| reader.needs_memory()) {
            let lines = (0..LINES).filter(|&line| self.reader_of[line] == index);
            let patterns = lines.flat_map(|line| scratch.patterns.iter().map(move |patterns| patterns[line]));
            reader.remember(&mut scratch.memories[index], patterns);
        }
    }

    #[inline]
    fn rows<'a>(&'a self, memories: &'a [Memory; LENGTHS.len()], patterns: &[u32; LINES]) -> [&'a [Lane]; LINES] {
        std::array::from_fn(|line| {
            let reader = self.reader_of[line];
            self.readers[reader].row(&memories[reader], patterns[line])
        })
    }
}
