//! The parts of a GIPF observation.

use gipf_env::geometry::{Line, SPOTS};

use crate::board::line_spots;
use crate::config::NetConfig;

/// Where the parts of an observation lie.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    pieces: usize,
    marks: usize,
    area: usize,
    size: usize,
    cells: Vec<usize>,
    lines: Vec<Vec<usize>>,
}

impl Observed {
    /// Returns the layout of a valid line network's observations.
    pub fn new(config: &NetConfig) -> Self {
        let layout = &config.layout;
        Self {
            pieces: layout.pieces,
            marks: layout.marks,
            area: layout.rows * layout.columns,
            size: layout.size(),
            cells: layout.cells.clone(),
            lines: Line::all().map(line_spots).collect(),
        }
    }

    /// Returns the number of values of an observation.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the number of states of a spot: vacant, or a kind of piece.
    pub fn states(&self) -> usize {
        1 + self.pieces
    }

    /// Returns the number of values that a spot has apart from its piece.
    pub fn marks(&self) -> usize {
        self.marks
    }

    /// Returns the pattern on each line: the states of its spots as the digits of a number, the first spot's leading.
    pub fn patterns<const LINES: usize>(&self, planes: &[f32]) -> [u32; LINES] {
        let states = self.spot_states(planes);
        std::array::from_fn(|line| {
            let spots = self.lines[line].iter();
            spots.fold(0, |pattern, &spot| pattern * self.states() as u32 + u32::from(states[spot]))
        })
    }

    /// Returns 0 for each vacant spot, or 1 and the number of the plane that shows its piece.
    fn spot_states(&self, planes: &[f32]) -> [u8; SPOTS] {
        let mut states = [0; SPOTS];
        for (number, plane) in (1..).zip(planes.chunks_exact(self.area).take(self.pieces)) {
            for (state, &cell) in states.iter_mut().zip(&self.cells) {
                *state = if plane[cell] == 0.0 { *state } else { number };
            }
        }
        states
    }

    /// Returns the value of a mark at a spot.
    pub fn mark(&self, planes: &[f32], mark: usize, spot: usize) -> f32 {
        planes[(self.pieces + mark) * self.area + self.cells[spot]]
    }

    /// Iterates over the scalars.
    pub fn scalars(&self, planes: &[f32]) -> impl Iterator<Item = f32> {
        planes.chunks_exact(self.area).skip(self.pieces + self.marks).map(|plane| plane[self.cells[0]])
    }

    /// Returns whether a mark is on any spot.
    pub fn is_marked(&self, planes: &[f32], mark: usize) -> bool {
        let plane = &planes[(self.pieces + mark) * self.area..][..self.area];
        // Without an early exit the loop runs in vector registers.
        plane.iter().fold(0, |bits, value| bits | value.to_bits()) != 0
    }

    /// Iterates over the spots whose piece is in question: the last mark is 1 there.
    pub fn in_question(&self, planes: &[f32]) -> impl Iterator<Item = usize> {
        let mark = self.marks.checked_sub(1).filter(|&mark| self.is_marked(planes, mark));
        let spots = mark.map_or(0..0, |_| 0..SPOTS);
        spots.filter(move |&spot| mark.is_some_and(|mark| self.mark(planes, mark, spot) == 1.0))
    }
}
