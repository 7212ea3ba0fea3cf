//! Observations as the line network reads them.

use burn::tensor::{Device, Int, Tensor, TensorData};
use gipf_env::geometry::{LINES, Line, SPOTS};

use super::matrix;
use crate::board::{LENGTHS, lines_through, reader_of};
use crate::config::NetConfig;
use crate::observed::Observed;

/// A batch of B observations, taken apart into the patterns on lines.
///
/// Many lines of a batch carry the same pattern. Each is read once; two lists of indices say where the results go.
#[derive(Clone, Debug)]
pub struct LineInput {
    /// The patterns of each length k, one-hot: `[U_k, k · states]`.
    pub patterns: Vec<Tensor<2>>,
    /// Which spot of which pattern makes up a spot of a position along an axis, `[3 · spots · B]`: an index into the
    /// spots of all patterns, shorter lines first.
    pub spots: Tensor<1, Int>,
    /// Which pattern lies on each line of each position, `[lines · B]`: an index into all patterns, shorter ones first.
    pub lines: Tensor<1, Int>,
    /// Marks at each spot, then scalars, `[spots · B, marks + scalars]`.
    pub conditions: Tensor<2>,
    /// `[B, scalars]`.
    pub scalars: Tensor<2>,
    /// 1 where a piece is in question, `[spots, B, 1]`.
    pub question: Tensor<3>,
}

impl LineInput {
    /// Prepares observations.
    ///
    /// # Shapes
    /// - planes: `[B, planes · rows · columns]`.
    pub fn new(config: &NetConfig, planes: &[f32], device: &Device) -> Self {
        let observed = Observed::new(config);
        let batch: Vec<_> = planes.chunks_exact(observed.size()).collect();
        let patterns = Patterns::new(&observed, &batch);
        let one_hots = (0..LENGTHS.len()).map(|reader| patterns.one_hot(reader, observed.states(), device));
        let scalars: Vec<_> = batch.iter().flat_map(|planes| observed.scalars(planes)).collect();
        let mut question = vec![0.0; SPOTS * batch.len()];
        for (position, planes) in batch.iter().enumerate() {
            observed.in_question(planes).for_each(|spot| question[spot * batch.len() + position] = 1.0);
        }
        Self {
            patterns: one_hots.collect(),
            spots: indices(patterns.spot_rows(), device),
            lines: indices(patterns.line_rows(), device),
            conditions: conditions(&observed, &batch, device),
            scalars: matrix(scalars, [batch.len(), config.layout.scalars], device),
            question: matrix(question, [SPOTS, batch.len()], device).unsqueeze_dim(2),
        }
    }
}

/// The patterns of a batch, each once.
struct Patterns {
    batch: usize,
    /// The distinct patterns of each reader's lines, in ascending order.
    unique: Vec<Vec<u32>>,
    /// For each line and position, the place of its pattern among those of its reader: `[lines][B]`.
    places: Vec<Vec<usize>>,
}

impl Patterns {
    fn new(observed: &Observed, batch: &[&[f32]]) -> Self {
        let all: Vec<[u32; LINES]> = batch.iter().map(|planes| observed.patterns(planes)).collect();
        let unique: Vec<_> = (0..LENGTHS.len()).map(|reader| unique(&all, reader)).collect();
        let place = |line: Line| {
            let unique = &unique[reader_of(line)];
            let place = |pattern: &u32| unique.binary_search(pattern).expect("the list holds all patterns");
            all.iter().map(|patterns| place(&patterns[line.index()])).collect()
        };
        Self { batch: batch.len(), places: Line::all().map(place).collect(), unique }
    }

    /// Returns the patterns of a reader as rows of zeros and ones.
    fn one_hot(&self, reader: usize, states: usize, device: &Device) -> Tensor<2> {
        let (unique, length) = (&self.unique[reader], LENGTHS[reader]);
        let mut values = vec![0.0; unique.len() * length * states];
        for (row, &pattern) in values.chunks_exact_mut(length * states).zip(unique) {
            let mut rest = pattern as usize;
            for place in (0..length).rev() {
                row[place * states + rest % states] = 1.0;
                rest /= states;
            }
        }
        matrix(values, [unique.len(), length * states], device)
    }

    /// Returns the index of each spot, axis by axis, among the spots of all patterns.
    fn spot_rows(&self) -> Vec<i32> {
        let first = running_sums(self.unique.iter().zip(LENGTHS).map(|(unique, length)| unique.len() * length));
        let through = lines_through();
        let mut rows = Vec::with_capacity(3 * SPOTS * self.batch);
        for axis in 0..3 {
            for lines in &through {
                let (line, spot) = lines[axis];
                let reader = reader_of(Line::from_index(line));
                let row = |place: &usize| (first[reader] + place * LENGTHS[reader] + spot) as i32;
                rows.extend(self.places[line].iter().map(row));
            }
        }
        rows
    }

    /// Returns the index of the pattern on each line among all patterns.
    fn line_rows(&self) -> Vec<i32> {
        let first = running_sums(self.unique.iter().map(Vec::len));
        let lines = Line::all().zip(&self.places);
        lines
            .flat_map(|(line, places)| {
                places.iter().map(|place| (first[reader_of(line)] + place) as i32).collect::<Vec<_>>()
            })
            .collect()
    }
}

fn unique(all: &[[u32; LINES]], reader: usize) -> Vec<u32> {
    let lines = Line::all().filter(|&line| reader_of(line) == reader);
    let patterns = lines.flat_map(|line| all.iter().map(move |patterns| patterns[line.index()]));
    let mut patterns: Vec<_> = patterns.collect();
    patterns.sort_unstable();
    patterns.dedup();
    patterns
}

/// Returns the sum of all counts before each.
fn running_sums(counts: impl Iterator<Item = usize>) -> Vec<usize> {
    counts.scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count))).collect()
}

fn indices(values: Vec<i32>, device: &Device) -> Tensor<1, Int> {
    let count = values.len();
    Tensor::from_data(TensorData::new(values, [count]), device)
}

/// Returns values for each spot of each position, spot by spot.
fn each_spot<I: IntoIterator<Item = f32>>(batch: &[&[f32]], values: impl Fn(&[f32], usize) -> I) -> Vec<f32> {
    let spots = (0..SPOTS).flat_map(|spot| batch.iter().map(move |planes| (planes, spot)));
    spots.flat_map(|(planes, spot)| values(planes, spot)).collect()
}

fn conditions(observed: &Observed, batch: &[&[f32]], device: &Device) -> Tensor<2> {
    let values = each_spot(batch, |planes, spot| {
        let marks = (0..observed.marks()).map(move |mark| observed.mark(planes, mark, spot));
        marks.chain(observed.scalars(planes)).collect::<Vec<_>>()
    });
    let rows = SPOTS * batch.len();
    let columns = values.len() / rows;
    matrix(values, [rows, columns], device)
}
