//! The parts of a GIPF observation.

use gipf_env::geometry::{LINES, Line, SPOTS};

use crate::board::line_spots;
use crate::config::NetConfig;

/// The places of the parts of an observation.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    pieces: usize,
    marks: usize,
    area: usize,
    size: usize,
    cells: Vec<usize>,
    /// For each cell of a plane its three lines, and the term that a piece there adds to their patterns, per state;
    /// empty for cells beyond the board.
    places: Vec<[(usize, u32); 3]>,
}

/// The number of bits for the cells of a plane.
const MOST_CELLS: usize = 64;

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
    /// The state of a vacant spot is 0, that of a piece 1 and the number of the plane that shows it.
    pub fn patterns(&self, planes: &[f32]) -> [u32; LINES] {
        let mut patterns = [0; LINES];
        for (state, plane) in (1..).zip(planes.chunks_exact(self.area).take(self.pieces)) {
            let mut pieces = bits(plane);
            // Pieces are fewer than spots on lines.
            while pieces != 0 {
                for (line, weight) in self.places[pieces.trailing_zeros() as usize] {
                    patterns[line] += state * weight;
                }
                pieces &= pieces - 1;
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

/// Returns which values of a plane are not 0.
fn bits(plane: &[f32]) -> u64 {
    let (eights, rest) = plane.as_chunks::<8>();
    let byte =
        |values: &[f32]| (0..).zip(values).fold(0, |bits, (place, value)| bits | u64::from(*value != 0.0) << place);
    let whole = (0..).zip(eights).fold(0, |bits, (place, eight)| bits | byte(eight) << (8 * place));
    whole | byte(rest).wrapping_shl(8 * eights.len() as u32)
}

fn places(config: &NetConfig) -> Vec<[(usize, u32); 3]> {
    let (layout, states) = (&config.layout, 1 + config.layout.pieces as u32);
    let area = layout.rows * layout.columns;
    assert!(area <= MOST_CELLS, "the planes are those of the GIPF board");
    let mut places = vec![[(0, 0); 3]; area];
    for line in Line::all() {
        let spots = line_spots(line);
        for (place, &spot) in spots.iter().rev().enumerate() {
            places[layout.cells[spot]][line.direction().index()] = (line.index(), states.pow(place as u32));
        }
    }
    places
}
