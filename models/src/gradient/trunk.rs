//! From the rows of lines to the features of spots, forward and back.

use gipf_env::geometry::{LINES, Line, SPOTS};

use crate::board::{line_spots, lines_through, reader_of};
use crate::gradient::dense::plain;
use crate::gradient::readers::{Reader, Reading};
use crate::infer::kernel::{Instructions, SpotSums, add_rows, add_scaled, sum_spots};
use crate::infer::lanes::{LANE, Lane, add, padded};
use crate::names::TensorName;
use crate::observed::Observed;
use crate::patterns::Patterns;
use crate::weights::{Array, Weights};

/// What adds up to the features of a spot: its three lines, its place, marks and scalars.
#[derive(Debug)]
pub struct Trunk {
    instructions: Instructions,
    features: usize,
    spot_bias: Vec<Lane>,
    /// Lanes for each mark and scalar.
    conditions: Vec<Lane>,
    /// For each spot and axis: the line, and the first lane of the spot in its row.
    through: Vec<[(usize, usize); 3]>,
    /// The spots of each line.
    spots: Vec<Vec<usize>>,
}

/// Some positions of a batch as the trunk sees them.
#[derive(Debug)]
pub struct Positions<'a> {
    pub observed: &'a Observed,
    /// The observation of each.
    pub planes: Vec<&'a [f32]>,
    /// The patterns of the whole batch, and the number of the first of these positions in it.
    patterns: (&'a Patterns, usize),
    /// The scalars of each.
    pub scalars: Vec<Vec<f32>>,
}

impl<'a> Positions<'a> {
    /// Takes observations apart. The patterns are those of the whole batch, in which the first of them has this number.
    pub fn new(observed: &'a Observed, planes: &'a [f32], patterns: (&'a Patterns, usize)) -> Self {
        let planes: Vec<_> = planes.chunks_exact(observed.size()).collect();
        let scalars = planes.iter().map(|planes| observed.scalars(planes).collect()).collect();
        Self { observed, planes, patterns, scalars }
    }

    /// Iterates over the marks of a position and their values at each spot.
    fn marks(&self, position: usize) -> impl Iterator<Item = (usize, usize, f32)> {
        let planes = self.planes[position];
        let marks = (0..self.observed.marks()).filter(|&mark| self.observed.is_marked(planes, mark));
        let at_spots = move |mark| (0..SPOTS).map(move |spot| (mark, spot, self.observed.mark(planes, mark, spot)));
        marks.flat_map(at_spots).filter(|&(.., value)| value != 0.0)
    }

    /// Returns the range of lanes of what lies on a line in the rows of its reader.
    fn row(&self, readers: &[Reader], line: Line, position: usize) -> (usize, std::ops::Range<usize>) {
        let (patterns, first) = self.patterns;
        let (reader, place) = (reader_of(line), patterns.on(line)[first + position]);
        let lanes = readers[reader].row_lanes();
        let start = (2 * place.pattern + usize::from(place.mirrored)) * lanes;
        (reader, start..start + lanes)
    }

    /// Returns the row of each line of a position.
    pub fn rows<'b>(&self, readers: &[Reader], readings: &'b [Reading], position: usize) -> [&'b [Lane]; LINES] {
        std::array::from_fn(|line| {
            let (reader, range) = self.row(readers, Line::from_index(line), position);
            &readings[reader].rows[range]
        })
    }
}

impl Trunk {
    /// Packs the weights.
    pub fn new(weights: &Weights, features: usize, instructions: Instructions) -> Self {
        let rows = |name| weights.values(name).chunks_exact(features).flat_map(padded).collect();
        let width = features.div_ceil(LANE);
        let through = lines_through().into_iter().map(|lines| lines.map(|(line, place)| (line, place * width)));
        let (spot_bias, conditions) = (rows(TensorName::SpotBias), rows(TensorName::Conditions));
        Self {
            instructions,
            features,
            spot_bias,
            conditions,
            through: through.collect(),
            spots: Line::all().map(line_spots).collect(),
        }
    }

    /// Returns the features of all spots of all positions, rectified.
    pub fn features(&self, positions: &Positions, readers: &[Reader], readings: &[Reading]) -> Vec<Lane> {
        let width = self.width();
        let mut features = Vec::with_capacity(positions.planes.len() * SPOTS * width);
        for (position, scalars) in positions.scalars.iter().enumerate() {
            let start = features.len();
            features.extend_from_slice(&self.spot_bias);
            let to = &mut features[start..];
            for (mark, spot, value) in positions.marks(position) {
                add_scaled(self.instructions, &self.conditions, &[(mark, value)], &mut to[spot * width..][..width]);
            }
            let terms: Vec<_> = (positions.observed.marks()..).zip(scalars.iter().copied()).collect();
            let mut everywhere = vec![Lane::ZERO; width];
            add_scaled(self.instructions, &self.conditions, &terms, &mut everywhere);
            let rows = positions.rows(readers, readings, position);
            sum_spots(self.instructions, SpotSums { everywhere: &everywhere, rows: &rows, through: &self.through }, to);
        }
        features
    }

    /// Returns the gradients of the weights by name, given those of the features, which have passed the rectifier.
    pub fn learn(&self, positions: &Positions, deltas: &[Lane]) -> [(String, Array); 2] {
        let width = self.width();
        let mut bias = vec![Lane::ZERO; self.spot_bias.len()];
        add_rows(self.instructions, deltas, &mut bias);
        let mut conditions = vec![Lane::ZERO; self.conditions.len()];
        for (position, deltas) in deltas.chunks_exact(SPOTS * width).enumerate() {
            for (mark, spot, value) in positions.marks(position) {
                add_times(&mut conditions[mark * width..][..width], &deltas[spot * width..][..width], value);
            }
            let mut everywhere = vec![Lane::ZERO; width];
            add_rows(self.instructions, deltas, &mut everywhere);
            let scalars = positions.scalars[position].iter();
            for (to, &scalar) in conditions[positions.observed.marks() * width..].chunks_exact_mut(width).zip(scalars) {
                add_times(to, &everywhere, scalar);
            }
        }
        [(TensorName::SpotBias, bias), (TensorName::Conditions, conditions)].map(|(name, rows)| {
            let values = plain(&rows, self.features);
            (name.to_string(), Array { shape: vec![values.len() / self.features, self.features], values })
        })
    }

    /// Adds the gradients of features and of lines' outputs to those of the rows of the lines.
    pub fn pass(
        &self,
        (positions, readers): (&Positions, &[Reader]),
        deltas: &[Lane],
        lines: &[[Lane; LINES]],
        rows: &mut [Vec<Lane>],
    ) {
        let width = self.width();
        for (position, deltas) in deltas.chunks_exact(SPOTS * width).enumerate() {
            for line in Line::all() {
                let (reader, range) = positions.row(readers, line, position);
                let row = &mut rows[reader][range];
                for (to, spot) in row.chunks_exact_mut(width).zip(&self.spots[line.index()]) {
                    add(to, &deltas[spot * width..][..width]);
                }
                row.last_mut().expect("a row has a lane for its line").add(&lines[position][line.index()]);
            }
        }
    }

    fn width(&self) -> usize {
        self.features.div_ceil(LANE)
    }
}

fn add_times(to: &mut [Lane], row: &[Lane], factor: f32) {
    for (to, lane) in to.iter_mut().zip(row) {
        to.0.iter_mut().zip(lane.0).for_each(|(to, value)| *to += factor * value);
    }
}
