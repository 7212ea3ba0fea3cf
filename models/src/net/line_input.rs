//! Observations as the line network reads them.

use burn::tensor::{Device, Int, Tensor, TensorData};
use gipf_env::geometry::{Line, SPOTS};

use super::matrix;
use crate::board::{LENGTHS, encoder_of, lines_through};
use crate::config::NetConfig;
use crate::infer::Instructions;
use crate::observed::Observed;
use crate::patterns::{Patterns, Place};

/// A batch of B observations, split into the patterns on lines.
///
/// Many lines of a batch carry the same pattern. Each is read once; two lists of indices give the destinations of the
/// results.
#[derive(Clone, Debug)]
pub struct LineInput {
    /// The patterns of each length k, one-hot: `[U_k, k · states]`.
    pub patterns: Vec<Tensor<2>>,
    /// The spot of the pattern that each spot of a position has along an axis, `[3 · spots · B]`: an index into the
    /// spots of all patterns, shorter lines first.
    pub spots: Tensor<1, Int>,
    /// The pattern on each line of each position, `[lines · B]`: an index into all patterns, shorter ones first,
    /// followed by their mirror images.
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
        let on_lines: Vec<_> = batch.iter().map(|planes| observed.patterns(Instructions::detect(), planes)).collect();
        let patterns = Patterns::new(observed.states(), &on_lines);
        let one_hots = (0..LENGTHS.len()).map(|encoder| one_hot(&patterns, encoder, observed.states(), device));
        Self {
            patterns: one_hots.collect(),
            spots: indices(spot_rows(&patterns), device),
            lines: indices(line_rows(&patterns), device),
            conditions: conditions(&observed, &batch, device),
            scalars: scalars(&observed, &batch, device),
            question: question(&observed, &batch, device),
        }
    }
}

/// Returns the patterns of an encoder as rows of zeros and ones.
fn one_hot(patterns: &Patterns, encoder: usize, states: usize, device: &Device) -> Tensor<2> {
    let (unique, width) = (patterns.unique(encoder), LENGTHS[encoder] * states);
    let mut values = vec![0.0; unique.len() * width];
    for (row, &pattern) in values.chunks_exact_mut(width).zip(unique) {
        patterns.inputs(encoder, pattern).for_each(|input| row[input] = 1.0);
    }
    matrix(values, [unique.len(), width], device)
}

/// Returns the index of each spot, axis by axis, among the spots of all patterns.
fn spot_rows(patterns: &Patterns) -> Vec<i32> {
    let first = running_sums((0..LENGTHS.len()).map(|encoder| patterns.unique(encoder).len() * LENGTHS[encoder]));
    let through = lines_through();
    let mut rows = Vec::new();
    for axis in 0..3 {
        for lines in &through {
            let (line, spot) = lines[axis];
            let line = Line::from_index(line);
            let (encoder, last) = (encoder_of(line), line.len() - 1);
            let row = |place: &Place| {
                let spot = if place.mirrored { last - spot } else { spot };
                (first[encoder] + place.pattern * line.len() + spot) as i32
            };
            rows.extend(patterns.on(line).iter().map(row));
        }
    }
    rows
}

/// Returns the index of each line's pattern among all patterns, which are followed by their mirror images.
fn line_rows(patterns: &Patterns) -> Vec<i32> {
    let counts = (0..LENGTHS.len()).map(|encoder| patterns.unique(encoder).len());
    let (first, all) = (running_sums(counts.clone()), counts.sum::<usize>());
    let mut rows = Vec::new();
    for line in Line::all() {
        let row = |place: &Place| first[encoder_of(line)] + place.pattern + if place.mirrored { all } else { 0 };
        rows.extend(patterns.on(line).iter().map(|place| row(place) as i32));
    }
    rows
}

/// Returns for each count the sum of those before it.
fn running_sums(counts: impl Iterator<Item = usize>) -> Vec<usize> {
    counts.scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count))).collect()
}

/// Returns the scalars of a batch.
///
/// # Shapes
/// - output: `[B, scalars]`.
pub fn scalars(observed: &Observed, batch: &[&[f32]], device: &Device) -> Tensor<2> {
    let values: Vec<_> = batch.iter().flat_map(|planes| observed.scalars(planes)).collect();
    let columns = values.len() / batch.len();
    matrix(values, [batch.len(), columns], device)
}

/// Returns 1 where a piece is in question.
///
/// # Shapes
/// - output: `[spots, B, 1]`.
pub fn question(observed: &Observed, batch: &[&[f32]], device: &Device) -> Tensor<3> {
    let mut values = vec![0.0; SPOTS * batch.len()];
    for (position, planes) in batch.iter().enumerate() {
        observed.in_question(planes).for_each(|spot| values[spot * batch.len() + position] = 1.0);
    }
    matrix(values, [SPOTS, batch.len()], device).unsqueeze_dim(2)
}

/// Returns a list of places on a device.
pub fn indices(values: Vec<i32>, device: &Device) -> Tensor<1, Int> {
    let count = values.len();
    Tensor::from_data(TensorData::new(values, [count]), device)
}

/// Returns values for each spot of each position, spot by spot.
pub fn each_spot<I: IntoIterator<Item = f32>>(batch: &[&[f32]], values: impl Fn(&[f32], usize) -> I) -> Vec<f32> {
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
