//! The GIPF board as networks see it: the spots of a line, the neighbours of a spot, the outputs that make up a logit.

use gipf_env::geometry::{Direction, Line, SPOTS, Spot};
use gipf_env::{Action, ActionIndex, ActionSpace, Pushed};

/// The lengths of lines. Each has its own encoder.
pub(crate) const LENGTHS: [usize; 4] = [4, 5, 6, 7];
/// The number of taps of a layer that mixes neighbours: the spot itself and its six neighbours.
pub(crate) const TAPS: usize = 7;

/// Returns the spots of a line from its first dot.
pub(crate) fn line_spots(line: Line) -> Vec<usize> {
    line.first_entry().ray().map(Spot::index).collect()
}

/// Returns the number of the encoder of a line.
pub(crate) fn encoder_of(line: Line) -> usize {
    line.len() - LENGTHS[0]
}

/// Returns the spot of each tap around a spot: itself, then the neighbours by direction; `None` off the board.
pub(crate) fn taps(spot: Spot) -> [Option<usize>; TAPS] {
    let mut taps = [Some(spot.index()); TAPS];
    for direction in Direction::ALL {
        taps[1 + direction.index()] = spot.neighbour(direction).map(Spot::index);
    }
    taps
}

/// What makes up one policy logit: the sum of outputs at spots, of an output of a line where the network reads lines,
/// and of an output at each spot in question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Terms {
    /// Pairs of a spot and an output there.
    pub spots: Vec<(usize, usize)>,
    /// A line and an output of its two readings.
    pub line: Option<(usize, usize)>,
    /// An output at each spot whose piece is in question.
    pub question: Option<usize>,
}

/// How the outputs of the heads are numbered, for one action space.
///
/// At a spot: six directions for each kind of piece that can be pushed; one for rows; two for keep and take; six for
/// jumps; six directions in which a push passes, if the layout has them. For a line: each kind pushed at its first
/// entry, each kind at its last entry, and one for its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PolicyLayout {
    /// The actions of a rule set of GIPF.
    pub actions: ActionSpace,
    /// Whether the spots that a push passes contribute to its logit.
    pub push_paths: bool,
}

impl PolicyLayout {
    /// Returns the number of kinds of pieces that can be pushed.
    pub fn kinds(self) -> usize {
        self.actions.kinds()
    }

    /// Returns the number of outputs at a spot.
    pub fn spot_outputs(self) -> usize {
        self.passes() + if self.push_paths { 6 } else { 0 }
    }

    /// Returns the first output at a spot in question, and their number: keep and take, in push-off also leave and
    /// remove, or none.
    pub fn questions(self) -> (usize, usize) {
        (self.rows() + 1, self.actions.answers())
    }

    /// Returns the number of outputs of one reading of a line: each kind pushed at its first entry, and the row.
    pub fn reading_outputs(self) -> usize {
        self.kinds() + 1
    }

    /// Returns the number of outputs of a line, both readings together.
    #[cfg(any(test, feature = "burn"))]
    pub fn line_outputs(self) -> usize {
        2 * self.kinds() + 1
    }

    /// Returns what makes up the logit of an action.
    pub fn terms(self, action: usize) -> Terms {
        let action = Action::from_index(ActionIndex(action as u16)).expect("the action space is one of GIPF's");
        match action {
            _ if !self.actions.has(action) => Terms::default(),
            Action::Push(pushed, entry) => {
                let kind = kind_of(pushed);
                let line = entry.line();
                let side = usize::from(entry != line.first_entry());
                let direction = entry.direction().index();
                let first = (entry.first_spot().index(), 6 * kind + direction);
                let passed = entry.ray().filter(|_| self.push_paths);
                let passed = passed.map(|spot| (spot.index(), self.passes() + direction));
                Terms {
                    spots: std::iter::once(first).chain(passed).collect(),
                    line: Some((line.index(), side * self.kinds() + kind)),
                    question: None,
                }
            }
            Action::TakeRow(line) => Terms {
                spots: line.spots().into_iter().map(|spot| (spot.index(), self.rows())).collect(),
                line: Some((line.index(), 2 * self.kinds())),
                question: None,
            },
            Action::Keep => Terms { question: Some(self.questions().0), ..Terms::default() },
            Action::Take => Terms { question: Some(self.questions().0 + 1), ..Terms::default() },
            Action::Leave => Terms { question: Some(self.questions().0 + 2), ..Terms::default() },
            Action::Remove => Terms { question: Some(self.questions().0 + 3), ..Terms::default() },
            Action::Jump(spot, direction) => {
                Terms { spots: vec![(spot.index(), self.jumps() + direction.index())], ..Terms::default() }
            }
        }
    }

    fn rows(self) -> usize {
        6 * self.kinds()
    }

    fn jumps(self) -> usize {
        let (first, count) = self.questions();
        first + count
    }

    /// These outputs come last, so that a network without them can grow by them.
    fn passes(self) -> usize {
        self.jumps() + if self.actions.has_jumps() { 6 } else { 0 }
    }
}

fn kind_of(pushed: Pushed) -> usize {
    match pushed {
        Pushed::Single => 0,
        Pushed::Gipf => 1,
        Pushed::Loaded => 2,
    }
}

/// Returns, for each spot and each of the three axes, the line through it and the place of the spot on that line.
pub(crate) fn lines_through() -> Vec<[(usize, usize); 3]> {
    let mut through = vec![[(0, 0); 3]; SPOTS];
    for line in Line::all() {
        for (place, spot) in line_spots(line).into_iter().enumerate() {
            through[spot][line.direction().index()] = (line.index(), place);
        }
    }
    through
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_output_of_the_heads_is_part_of_some_logit() {
        for actions in ActionSpace::ALL {
            for push_paths in [false, true] {
                let layout = PolicyLayout { actions, push_paths };
                let mut spot_outputs = vec![false; layout.spot_outputs()];
                let mut line_outputs = vec![false; layout.line_outputs()];
                for action in 0..actions.size() {
                    let terms = layout.terms(action);
                    terms.spots.iter().for_each(|&(_, output)| spot_outputs[output] = true);
                    terms.question.into_iter().for_each(|output| spot_outputs[output] = true);
                    terms.line.into_iter().for_each(|(_, output)| line_outputs[output] = true);
                }
                assert!(spot_outputs.iter().chain(&line_outputs).all(|&used| used), "{layout:?}");
            }
        }
    }

    #[test]
    fn lines_pass_through_their_spots() {
        for (spot, axes) in lines_through().iter().enumerate() {
            for (axis, &(line, place)) in axes.iter().enumerate() {
                assert_eq!(line / 7, axis);
                assert_eq!(line_spots(Line::from_index(line))[place], spot);
            }
        }
        assert!(Line::all().all(|line| LENGTHS[encoder_of(line)] == line.len()));
    }
}
