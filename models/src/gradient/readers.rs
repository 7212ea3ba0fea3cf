//! The perceptron that reads the lines of one length, forward and back.

use rayon::prelude::*;

use crate::board::LENGTHS;
use crate::gradient::dense::{Dense, DenseGradient, plain};
use crate::infer::kernel::{Finish, Instructions, add_rows, pass_rectifier, rectify};
use crate::infer::lanes::{LANE, Lane, add, padded};
use crate::names::{LayerName, TensorName};
use crate::patterns::Patterns;
use crate::weights::{Array, Weights};

/// The longest line.
const MOST_LENGTH: usize = LENGTHS[LENGTHS.len() - 1];

/// The perceptron of one length, packed.
///
/// It reads every pattern from both ends. The reading from the last spot goes through the same weights, but the outputs of
/// its last layer are turned round, so that both readings add up.
#[derive(Debug)]
pub struct Reader {
    instructions: Instructions,
    index: usize,
    features: usize,
    /// The width of the hidden layers.
    width: usize,
    /// The kinds of pieces that can be pushed.
    kinds: usize,
    /// The first layer: a row of lanes for each input.
    input: Vec<Lane>,
    input_bias: Vec<Lane>,
    hidden: Dense,
    /// The last layer for the reading from the first spot, and from the last.
    outputs: [Dense; 2],
}

/// What became of U patterns on their way through a reader.
#[derive(Debug)]
pub struct Reading {
    /// The patterns in parts, which go their way side by side.
    parts: Vec<Part>,
    /// A row for each pattern and each mirror image, one after the other: the features of each spot, then a lane for the
    /// line. `[U, 2, row]`.
    pub rows: Vec<Lane>,
}

#[derive(Debug)]
struct Part {
    /// The inputs that each of its U patterns sets, from its first spot to its last: `[U, length]`.
    inputs: Vec<usize>,
    /// The outputs of the hidden layers, all readings from the first spots before all from the last: `[2 · U, hidden]`.
    first: Vec<Lane>,
    second: Vec<Lane>,
}

/// The gradients of the layers of a reader.
struct ReaderGradient {
    input: DenseGradient,
    hidden: DenseGradient,
    outputs: [DenseGradient; 2],
}

impl Reader {
    /// Packs reader number `index`, of lines of `LENGTHS[index]`.
    pub fn new(weights: &Weights, index: usize, features: usize, instructions: Instructions) -> Self {
        let [input, input_bias] = weights.layer(LayerName::ReaderInput(index));
        let [hidden, hidden_bias] = weights.layer(LayerName::ReaderHidden(index));
        let [spots, lines] =
            [LayerName::ReaderSpots(index), LayerName::ReaderLine(index)].map(|name| weights.layer(name));
        let (width, line_width) = (hidden_bias.len(), lines[1].len());
        let outputs = |end| {
            let [weight, bias] = [0, 1].map(|part: usize| {
                let spots = spots[part].chunks_exact(LENGTHS[index] * features);
                let mut rows = Vec::new();
                spots.zip(lines[part].chunks_exact(line_width)).for_each(|row| spread(row, end, features, &mut rows));
                rows
            });
            Dense::new(instructions, &weight, &bias)
        };
        Self {
            instructions,
            index,
            features,
            width,
            kinds: line_width - 1,
            input: input.chunks_exact(width).flat_map(padded).collect(),
            input_bias: padded(input_bias),
            hidden: Dense::new(instructions, hidden, hidden_bias),
            outputs: [outputs(End::First), outputs(End::Last)],
        }
    }

    /// Returns the number of lanes of a row.
    pub fn row_lanes(&self) -> usize {
        self.length() * self.feature_lanes() + 1
    }

    /// Reads patterns from both ends, so many parts of them side by side.
    pub fn read(&self, patterns: &Patterns, parts: usize) -> Reading {
        let unique = patterns.unique(self.index);
        let each = unique.len().div_ceil(parts).max(1);
        let mut rows = vec![Lane::ZERO; 2 * unique.len() * self.row_lanes()];
        let tasks = unique.par_chunks(each).zip(rows.par_chunks_mut(2 * each * self.row_lanes()));
        let parts = tasks.map(|(unique, rows)| {
            let inputs = unique.iter().flat_map(|&pattern| patterns.inputs(self.index, pattern)).collect();
            self.read_part(inputs, rows)
        });
        Reading { parts: parts.collect(), rows }
    }

    fn read_part(&self, inputs: Vec<usize>, to: &mut [Lane]) -> Part {
        let first = self.first_layer(&inputs);
        let mut second = vec![Lane::ZERO; first.len()];
        self.hidden.forward(&first, &mut second, Finish::Rectify);
        let mut rows = vec![Lane::ZERO; to.len() / 2];
        let (from_first, from_last) = second.split_at(second.len() / 2);
        self.outputs[0].forward(from_first, &mut rows, Finish::Store);
        self.outputs[1].forward(from_last, &mut rows, Finish::Add);
        self.write_with_images(&rows, to);
        Part { inputs, first, second }
    }

    /// Returns the gradients of the reader's weights, given those of the rows of a reading, by name.
    pub fn learn(&self, reading: &Reading, deltas: &[Lane]) -> Vec<(String, Array)> {
        let most = reading.parts.first().map_or(1, |part| part.inputs.len() / self.length());
        let deltas = deltas.par_chunks(2 * most * self.row_lanes());
        let parts = reading.parts.par_iter().zip(deltas).map(|(part, deltas)| self.learn_part(part, deltas));
        let mut parts: Vec<_> = parts.collect();
        let (sum, others) = parts.split_first_mut().expect("a batch has patterns of each length");
        for part in others {
            sum.add(part);
        }
        self.named(sum)
    }

    fn learn_part(&self, part: &Part, deltas: &[Lane]) -> ReaderGradient {
        let deltas = self.without_images(deltas);
        let half = part.second.len() / 2;
        let mut outputs = [0, 1].map(|end| self.outputs[end].no_gradient());
        let mut second = vec![Lane::ZERO; part.second.len()];
        let ends = self.outputs.iter().zip(&mut outputs);
        let halves = part.second.chunks_exact(half).zip(second.chunks_exact_mut(half));
        for ((layer, gradient), (outputs, back)) in ends.zip(halves) {
            layer.learn(outputs, &deltas, gradient);
            layer.backward(&deltas, back, Finish::Store);
        }
        pass_rectifier(self.instructions, &part.second, &mut second);
        let mut hidden = self.hidden.no_gradient();
        self.hidden.learn(&part.first, &second, &mut hidden);
        let mut first = vec![Lane::ZERO; part.first.len()];
        self.hidden.backward(&second, &mut first, Finish::Store);
        pass_rectifier(self.instructions, &part.first, &mut first);
        ReaderGradient { input: self.learn_inputs(&part.inputs, &first), hidden, outputs }
    }

    fn length(&self) -> usize {
        LENGTHS[self.index]
    }

    fn feature_lanes(&self) -> usize {
        self.features.div_ceil(LANE)
    }

    /// Tells of the inputs that each reading sets: the patterns from their first spots, then from their last.
    fn each_reading(&self, inputs: &[usize], mut reading: impl FnMut(usize, &[usize])) {
        let (states, last) = (self.input.len() / self.input_bias.len() / self.length(), self.length() - 1);
        let count = inputs.len() / self.length();
        for (number, inputs) in inputs.chunks_exact(self.length()).enumerate() {
            reading(number, inputs);
            let mut turned = [0; MOST_LENGTH];
            for (place, input) in inputs.iter().enumerate() {
                turned[last - place] = (last - place) * states + input % states;
            }
            reading(count + number, &turned[..inputs.len()]);
        }
    }

    fn first_layer(&self, inputs: &[usize]) -> Vec<Lane> {
        let width = self.input_bias.len();
        let mut outputs = vec![Lane::ZERO; 2 * inputs.len() / self.length() * width];
        self.each_reading(inputs, |number, inputs| {
            let to = &mut outputs[number * width..][..width];
            to.copy_from_slice(&self.input_bias);
            for input in inputs {
                add(to, &self.input[input * width..][..width]);
            }
        });
        rectify(self.instructions, &mut outputs);
        outputs
    }

    fn learn_inputs(&self, inputs: &[usize], deltas: &[Lane]) -> DenseGradient {
        let width = self.input_bias.len();
        let mut weight = vec![Lane::ZERO; self.input.len()];
        self.each_reading(inputs, |number, inputs| {
            for input in inputs {
                add(&mut weight[input * width..][..width], &deltas[number * width..][..width]);
            }
        });
        let mut bias = vec![Lane::ZERO; width];
        add_rows(self.instructions, deltas, &mut bias);
        DenseGradient { weight, bias }
    }

    /// Adds up what the rows of both readings hold for each output: those of the spots, and those of the line.
    fn gathered(&self, first: &[Lane], last: &[Lane]) -> (Vec<f32>, Vec<f32>) {
        let (width, line) = (self.feature_lanes(), self.row_lanes() - 1);
        let spots = first[..line].chunks_exact(width).zip(last[..line].rchunks_exact(width));
        let spots = spots.flat_map(|(first, last)| sum(&plain(first, self.features), &plain(last, self.features)));
        let outputs = |row: &[Lane], end: End| {
            let entries = end.entries(self.kinds);
            [&row[line].0[entries..entries + self.kinds], &row[line].0[2 * self.kinds..=2 * self.kinds]].concat()
        };
        (spots.collect(), sum(&outputs(first, End::First), &outputs(last, End::Last)))
    }

    /// Writes behind each pattern's row that of its mirror image.
    fn write_with_images(&self, rows: &[Lane], both: &mut [Lane]) {
        let pairs = both.chunks_exact_mut(2 * self.row_lanes());
        for (row, pair) in rows.chunks_exact(self.row_lanes()).zip(pairs) {
            let (same, image) = pair.split_at_mut(row.len());
            same.copy_from_slice(row);
            self.add_image(row, image);
        }
    }

    /// Adds the gradients of each mirror image's row to those of the pattern's own.
    fn without_images(&self, both: &[Lane]) -> Vec<Lane> {
        let lanes = self.row_lanes();
        let mut rows = vec![Lane::ZERO; both.len() / 2];
        for (row, pair) in rows.chunks_exact_mut(lanes).zip(both.chunks_exact(2 * lanes)) {
            row.copy_from_slice(&pair[..lanes]);
            self.add_image(&pair[lanes..], row);
        }
        rows
    }

    /// Adds the row of the mirror image: spots from the other end, the entries of the two ends exchanged.
    fn add_image(&self, row: &[Lane], to: &mut [Lane]) {
        let (width, line) = (self.feature_lanes(), row.len() - 1);
        let spots = row[..line].rchunks_exact(width);
        to[..line].chunks_exact_mut(width).zip(spots).for_each(|(to, spot)| add(to, spot));
        let mut exchanged = row[line];
        for kind in 0..self.kinds {
            exchanged.0.swap(kind, self.kinds + kind);
        }
        to[line].add(&exchanged);
    }

    /// Returns the gradients of all layers by name.
    fn named(&self, gradient: &ReaderGradient) -> Vec<(String, Array)> {
        let ReaderGradient { input, hidden, outputs } = gradient;
        let mut named = Vec::from(input.named(LayerName::ReaderInput(self.index), self.width));
        named.extend(hidden.named(LayerName::ReaderHidden(self.index), self.width));
        let part = |row: fn(&DenseGradient) -> &[Lane]| {
            let lanes = self.row_lanes();
            let [first, last] = [0, 1].map(|end| row(&outputs[end]).chunks_exact(lanes));
            let rows = first.zip(last).map(|(first, last)| self.gathered(first, last));
            let (spots, line): (Vec<_>, Vec<_>) = rows.unzip();
            [spots.concat(), line.concat()]
        };
        let [[spots, line], [spots_bias, line_bias]] = [part(|outputs| &outputs.weight), part(|outputs| &outputs.bias)];
        let widths = [self.length() * self.features, self.kinds + 1];
        for (layer, (weight, bias), outputs) in [
            (LayerName::ReaderSpots(self.index), (spots, spots_bias), widths[0]),
            (LayerName::ReaderLine(self.index), (line, line_bias), widths[1]),
        ] {
            let shape = vec![weight.len() / outputs, outputs];
            named.push((TensorName::Weight(layer).to_string(), Array { shape, values: weight }));
            named.push((TensorName::Bias(layer).to_string(), Array { shape: vec![outputs], values: bias }));
        }
        named
    }
}

impl ReaderGradient {
    /// Adds another gradient.
    fn add(&mut self, other: &Self) {
        self.input.add(&other.input);
        self.hidden.add(&other.hidden);
        self.outputs.iter_mut().zip(&other.outputs).for_each(|(sum, outputs)| sum.add(outputs));
    }
}

/// Appends the outputs of one reading as they lie in a row: each spot's features begin a new lane.
fn spread((spots, line): (&[f32], &[f32]), end: End, features: usize, to: &mut Vec<f32>) {
    let width = features.next_multiple_of(LANE);
    let (start, kinds) = (to.len(), line.len() - 1);
    to.resize(start + spots.len() / features * width + LANE, 0.0);
    let (to_spots, to_line) = to[start..].split_at_mut(spots.len() / features * width);
    let spots = spots.chunks_exact(features);
    let copy = |(to, spot): (&mut [f32], &[f32])| to[..features].copy_from_slice(spot);
    match end {
        End::First => to_spots.chunks_exact_mut(width).zip(spots).for_each(copy),
        End::Last => to_spots.rchunks_exact_mut(width).zip(spots).for_each(copy),
    }
    to_line[end.entries(kinds)..][..kinds].copy_from_slice(&line[..kinds]);
    to_line[2 * kinds] = line[kinds];
}

fn sum(one: &[f32], other: &[f32]) -> Vec<f32> {
    one.iter().zip(other).map(|(one, other)| one + other).collect()
}

/// The end that a line is read from.
#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

impl End {
    /// Returns where the outputs for pushes at this end begin in a line's lane.
    fn entries(self, kinds: usize) -> usize {
        match self {
            Self::First => 0,
            Self::Last => kinds,
        }
    }
}
