//! From the features of spots back to the rows of lines.

use gipf_env::geometry::{LINES, Line};

use crate::board::encoder_of;
use crate::infer::lanes::{Lane, add};
use crate::patterns::Patterns;

/// Where the rows of one encoder occur in a batch: for each pattern and each mirror image, the positions and lines.
#[derive(Debug)]
pub struct Occurrences<'a> {
    patterns: &'a Patterns,
    /// Where the occurrences of each row begin, and where the last ones end.
    starts: Vec<usize>,
    /// The occurrences of the first row, then of the second and so on, each in the order of positions.
    places: Vec<(usize, Line)>,
}

/// The gradients of the features and of the lines' outputs of some positions.
#[derive(Debug, Default)]
pub struct SpotDeltas {
    /// `[positions, spots, lanes]`.
    pub features: Vec<Lane>,
    /// One lane for each line of each position.
    pub lines: Vec<[Lane; LINES]>,
}

impl<'a> Occurrences<'a> {
    /// Collects the occurrences of the rows of an encoder.
    pub fn of(patterns: &'a Patterns, encoder: usize) -> Self {
        let lines: Vec<_> = Line::all().filter(|&line| encoder_of(line) == encoder).collect();
        let row = |line: Line, position: usize| patterns.on(line)[position].row();
        let positions = lines.first().map_or(0, |&line| patterns.on(line).len());
        let mut starts = vec![0; 2 * patterns.unique(encoder).len() + 1];
        for &line in &lines {
            patterns.on(line).iter().for_each(|place| starts[place.row() + 1] += 1);
        }
        for row in 1..starts.len() {
            starts[row] += starts[row - 1];
        }
        let mut next = starts.clone();
        let mut places = vec![(0, Line::from_index(0)); positions * lines.len()];
        for position in 0..positions {
            for &line in &lines {
                let next = &mut next[row(line, position)];
                places[*next] = (position, line);
                *next += 1;
            }
        }
        Self { patterns, starts, places }
    }

    /// Writes the gradients of rows from `first` on, given those of the positions in shards of `each`: the sums over
    /// each shard, added up in order. `[rows, row]`.
    pub fn gather(&self, shards: &[SpotDeltas], each: usize, first: usize, rows: &mut [Lane], row_lanes: usize) {
        let mut of_shard = vec![Lane::ZERO; row_lanes];
        for (number, row) in (first..).zip(rows.chunks_exact_mut(row_lanes)) {
            row.fill(Lane::ZERO);
            let places = &self.places[self.starts[number]..self.starts[number + 1]];
            for places in places.chunk_by(|one, other| one.0 / each == other.0 / each) {
                let shard = places[0].0 / each;
                of_shard.fill(Lane::ZERO);
                for &(position, line) in places {
                    shards[shard].add(position - shard * each, line, self.patterns.spots(line), &mut of_shard);
                }
                add(row, &of_shard);
            }
        }
    }
}

impl SpotDeltas {
    /// Adds the gradients of the spots of a line, and of the line itself.
    fn add(&self, position: usize, line: Line, spots: &[usize], row: &mut [Lane]) {
        let (on_line, features) = row.split_last_mut().expect("a row has a lane for its line");
        let width = features.len() / spots.len();
        let of_position = self.features.len() / self.lines.len();
        let deltas = &self.features[position * of_position..][..of_position];
        for (to, spot) in features.chunks_exact_mut(width).zip(spots) {
            add(to, &deltas[spot * width..][..width]);
        }
        on_line.add(&self.lines[position][line.index()]);
    }
}
