//! The parts of a GIPF observation.

use gipf_env::geometry::{LINES, Line, SPOTS};

use crate::board::line_spots;
use crate::config::NetConfig;
use crate::infer::Instructions;
use crate::infer::kernel::nonzero;
use crate::infer::lanes::LANE;

/// The places of the parts of an observation.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    pieces: usize,
    marks: usize,
    area: usize,
    size: usize,
    cells: Vec<usize>,
    /// For each cell of each plane of pieces its three lines, and what a piece there adds to their patterns.
    places: Vec<[(u32, u32); 3]>,
}

/// How many cells are scanned at once: enough for the planes of pieces of every rule set.
const AT_ONCE: usize = 512;

impl Observed {
    /// Returns the layout of the observations of a valid network that uses the spots of the board.
    pub fn new(config: &NetConfig) -> Self {
        let layout = &config.layout;
        Self {
            pieces: layout.pieces,
            marks: layout.marks,
            area: layout.rows * layout.columns,
            size: layout.size(),
            cells: layout.cells.clone(),
            places: places(config),
        }
    }

    /// Returns the number of values of an observation.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the number of states of a spot: vacant, or a kind of piece.
    #[cfg(feature = "learn")]
    pub fn states(&self) -> usize {
        1 + self.pieces
    }

    /// Returns the number of values that a spot has apart from its piece.
    pub fn marks(&self) -> usize {
        self.marks
    }

    /// Returns the pattern on each line: the states of its spots as the digits of a number, the first spot's leading.
    /// The state of a vacant spot is 0, that of a piece is 1 plus the number of the plane that shows it.
    pub fn patterns(&self, set: Instructions, planes: &[f32]) -> [u32; LINES] {
        let mut patterns = [0; LINES];
        let pieces = planes[..self.pieces * self.area].chunks(AT_ONCE).zip(self.places.chunks(AT_ONCE));
        for (pieces, places) in pieces {
            let mut words = [0; AT_ONCE / LANE];
            nonzero(set, pieces, &mut words[..pieces.len().div_ceil(LANE)]);
            for (places, mut word) in places.chunks(LANE).zip(words) {
                // Only pieces are visited: they are fewer than the spots of the lines.
                while word != 0 {
                    for (line, digit) in places[word.trailing_zeros() as usize] {
                        patterns[line as usize] += digit;
                    }
                    word &= word - 1;
                }
            }
        }
        patterns
    }

    /// Returns the number of values that a spot has: one for each kind of piece, and the marks.
    pub fn values(&self) -> usize {
        self.pieces + self.marks
    }

    /// Returns a value of a spot, pieces first.
    pub fn value(&self, planes: &[f32], value: usize, spot: usize) -> f32 {
        planes[value * self.area + self.cells[spot]]
    }

    /// Returns the value of a mark at a spot.
    pub fn mark(&self, planes: &[f32], mark: usize, spot: usize) -> f32 {
        self.value(planes, self.pieces + mark, spot)
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

/// Returns the pattern as it is seen from the other end.
pub(crate) fn turned(pattern: u32, length: usize, states: usize) -> u32 {
    let states = states as u32;
    let step = |(turned, rest): (u32, u32), _| (turned * states + rest % states, rest / states);
    (0..length).fold((0, pattern), step).0
}

/// Returns for each cell of each plane of pieces its three lines, and what a piece there adds to their patterns; nothing for
/// cells beyond the board.
fn places(config: &NetConfig) -> Vec<[(u32, u32); 3]> {
    let (layout, states) = (&config.layout, 1 + config.layout.pieces as u32);
    let area = layout.rows * layout.columns;
    let mut places = vec![[(0, 0); 3]; layout.pieces * area];
    for (state, plane) in (1..).zip(places.chunks_exact_mut(area)) {
        for line in Line::all() {
            for (place, &spot) in line_spots(line).iter().rev().enumerate() {
                let digit = state * states.pow(place as u32);
                plane[layout.cells[spot]][line.direction().index()] = (line.index() as u32, digit);
            }
        }
    }
    places
}
