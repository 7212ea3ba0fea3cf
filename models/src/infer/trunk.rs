//! From the rows of lines to the features of spots.

use gipf_env::geometry::{LINES, SPOTS};

use crate::board::lines_through;
use crate::config::NetConfig;
use crate::infer::kernel::{Instructions, SpotSums, Through, add_scaled, prefetch, sum_spots};
use crate::infer::lanes::{LANE, Lane, padded};
use crate::names::TensorName;
use crate::observed::Observed;
use crate::weights::Weights;

/// The terms of the features of a spot: its three lines, its place, marks and scalars.
#[derive(Debug)]
pub struct Trunk {
    pub instructions: Instructions,
    pub observed: Observed,
    /// The number of lanes of the features of a spot.
    pub width: usize,
    through: Through,
    pub spot_bias: Vec<Lane>,
    /// Lanes for each mark and scalar.
    pub conditions: Vec<Lane>,
}

/// Working memory.
#[derive(Debug, Default)]
pub struct TrunkScratch {
    /// The sums that spots begin with where there are marks.
    marked: Vec<Lane>,
    everywhere: Vec<Lane>,
    terms: Vec<(usize, f32)>,
    lines: Vec<[Lane; LINES]>,
}

impl TrunkScratch {
    /// Returns the outputs of the lines of each of the positions written last.
    pub fn lines(&self) -> &[[Lane; LINES]] {
        &self.lines
    }
}

impl Trunk {
    /// Packs the weights of a network with this many features per spot.
    pub fn new(weights: &Weights, config: &NetConfig, features: usize, instructions: Instructions) -> Self {
        let rows = |name| weights.values(name).chunks_exact(features).flat_map(padded).collect();
        let width = features.div_ceil(LANE);
        let through = lines_through().into_iter().map(|lines| lines.map(|(line, place)| (line, place * width)));
        Self {
            instructions,
            observed: Observed::new(config),
            width,
            through: Through::new(through.collect()),
            spot_bias: rows(TensorName::SpotBias),
            conditions: rows(TensorName::Conditions),
        }
    }

    /// Writes the features of each spot of n positions, rectified, given the rows of the lines of each.
    pub fn write<'a>(
        &self,
        (scratch, n): (&mut TrunkScratch, usize),
        planes: &[f32],
        rows: impl Fn(usize) -> [&'a [Lane]; LINES],
        features: &mut [Lane],
    ) {
        let TrunkScratch { marked, everywhere, terms, lines } = scratch;
        everywhere.resize(self.width, Lane::ZERO);
        lines.resize(n, [Lane::ZERO; LINES]);
        let fetched = |position: usize| {
            let rows = rows(position);
            for row in &rows {
                prefetch(row);
            }
            rows
        };
        // While one position is summed up, the rows of the next are on their way from memory.
        let mut now = fetched(0);
        let features = features.chunks_exact_mut(SPOTS * self.width).zip(planes.chunks_exact(self.observed.size()));
        for (position, (features, planes)) in features.enumerate() {
            let next = (position + 1 < n).then(|| fetched(position + 1));
            let spots = self.with_marks(planes, marked);
            terms.clear();
            terms.extend((self.observed.marks()..).zip(self.observed.scalars(planes)));
            everywhere.fill(Lane::ZERO);
            add_scaled(self.instructions, &self.conditions, terms, everywhere);
            sum_spots(self.instructions, SpotSums { spots, everywhere, rows: &now, through: &self.through }, features);
            for (line, row) in lines[position].iter_mut().zip(now) {
                *line = *row.last().expect("a row has a lane for its line");
            }
            let Some(next) = next else { break };
            now = next;
        }
    }

    /// Returns the sum of each spot's terms for its place and its marks.
    fn with_marks<'a>(&'a self, planes: &[f32], marked: &'a mut Vec<Lane>) -> &'a [Lane] {
        let marks = || (0..self.observed.marks()).filter(|&mark| self.observed.is_marked(planes, mark));
        if marks().next().is_none() {
            return &self.spot_bias;
        }
        marked.clone_from(&self.spot_bias);
        for mark in marks() {
            for (spot, lanes) in marked.chunks_exact_mut(self.width).enumerate() {
                let value = self.observed.mark(planes, mark, spot);
                if value != 0.0 {
                    add_scaled(self.instructions, &self.conditions, &[(mark, value)], lanes);
                }
            }
        }
        marked
    }
}
