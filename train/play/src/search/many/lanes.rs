//! Walkers side by side: their leaves as the rows of one batch.

use gipf_env::Position;
use rayon::prelude::*;

use super::Leaves;
use super::answers::Answers;
use super::error::SearchesError;
use crate::search::evaluator::Evaluation;

/// The lanes that one thread takes at once: walking so few is faster than handing them to other threads.
const TAKEN: usize = 16;

/// Something that walks to leaves, and goes on when they are evaluated: a search, or a game made of searches.
pub trait Walker: Send {
    /// The positions.
    type Position: Position;

    /// Walks to the next leaf and returns it; none if nothing is to be evaluated. Called again before
    /// [`apply`](Self::apply), it returns the same leaf.
    fn walk(&mut self) -> Option<&Self::Position>;

    /// Takes the evaluation of the leaf.
    fn apply(&mut self, evaluation: &Evaluation);
}

/// A walker, and what belongs to its leaf.
#[derive(Clone, Debug)]
pub struct Lane<W> {
    /// The walker.
    pub walker: W,
    /// The legal actions of the leaf, ascending.
    legal: Vec<u16>,
    evaluation: Evaluation,
    /// The row in which the leaf waits for its evaluation.
    row: Option<usize>,
}

impl<W> Lane<W> {
    /// Returns the lane of a walker, which has no leaf yet.
    pub fn new(walker: W) -> Self {
        Self { walker, legal: Vec::new(), evaluation: Evaluation::default(), row: None }
    }

    /// Takes back the leaf that waits, if there is one: the walker will be asked for it again.
    pub fn take_back(&mut self) {
        self.row = None;
    }

    /// Returns whether a leaf waits.
    pub fn waits(&self) -> bool {
        self.row.is_some()
    }
}

impl<W: Walker> Lane<W> {
    /// Goes to the next leaf and writes it, if there is one; its row is set afterwards.
    fn write(&mut self, planes: &mut [f32], mask: &mut [bool]) {
        if self.row.is_some() {
            return;
        }
        let Some(leaf) = self.walker.walk() else { return };
        leaf.observe(planes);
        mask.fill(false);
        self.legal.clear();
        for action in leaf.legal_actions() {
            let action = leaf.action_index(action);
            mask[action.get()] = true;
            self.legal.push(action.0);
        }
        self.row = Some(0);
    }
}

/// Lets every walker whose leaf does not wait yet walk to its next one, on all threads of the current rayon pool, and
/// writes the leaf into the row of the lane's number. [`close_gaps`] follows when all lanes that should have a leaf
/// have one.
///
/// # Errors
/// If the arrays do not have a row of this size and this number of actions for each lane.
pub fn write_leaves<W: Walker>(
    lanes: &mut [Lane<W>],
    leaves: &mut Leaves<'_>,
    (size, actions): (usize, usize),
) -> Result<(), SearchesError> {
    leaves.check(lanes.len(), (size, actions))?;
    let write = |((lane, planes), mask): ((&mut Lane<W>, &mut [f32]), &mut [bool])| lane.write(planes, mask);
    if lanes.len() <= TAKEN {
        let rows = leaves.planes.chunks_exact_mut(size).zip(leaves.masks.chunks_exact_mut(actions));
        lanes.iter_mut().zip(rows).for_each(|(lane, (planes, mask))| write(((lane, planes), mask)));
    } else {
        let rows = leaves.planes.par_chunks_exact_mut(size);
        let lanes = lanes.par_iter_mut().with_min_len(TAKEN / 2).zip(rows);
        lanes.zip(leaves.masks.par_chunks_exact_mut(actions)).for_each(write);
    }
    Ok(())
}

/// Moves the last leaves into the rows of lanes that have none, so that all lie in the first rows; returns how many there
/// are.
pub fn close_gaps<W>(lanes: &mut [Lane<W>], leaves: &mut Leaves<'_>, (size, actions): (usize, usize)) -> usize {
    let count = lanes.iter().filter(|lane| lane.waits()).count();
    let gaps: Vec<_> = (0..count).filter(|&row| !lanes[row].waits()).collect();
    let mut gaps = gaps.into_iter();
    for (number, lane) in lanes.iter_mut().enumerate().filter(|(_, lane)| lane.waits()) {
        let row =
            if number < count { number } else { gaps.next().expect("as many leaves lie behind as there are gaps") };
        if row != number {
            leaves.planes.copy_within(number * size..(number + 1) * size, row * size);
            leaves.masks.copy_within(number * actions..(number + 1) * actions, row * actions);
        }
        lane.row = Some(row);
    }
    count
}

/// Lets the walkers take the evaluations of their leaves, of which this many wait, on all threads of the current rayon
/// pool.
///
/// # Errors
/// If there are more or fewer evaluations than leaves, or one is invalid: then none was taken, and the leaves still
/// wait.
pub fn apply_answers<W: Walker, T: Copy + Into<f32> + Sync>(
    lanes: &mut [Lane<W>],
    answers: Answers<'_, T>,
    (waiting, actions): (usize, usize),
) -> Result<(), SearchesError> {
    answers.check_size(waiting, actions)?;
    let read = |lane: &mut Lane<W>| {
        let row = lane.row?;
        answers.read(row, &lane.legal, &mut lane.evaluation).err()
    };
    let wrong = if lanes.len() <= TAKEN {
        lanes.iter_mut().find_map(read)
    } else {
        lanes.par_iter_mut().with_min_len(TAKEN / 2).find_map_first(read)
    };
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    on_all_threads(lanes, |lane| {
        if lane.row.take().is_some() {
            lane.walker.apply(&lane.evaluation);
        }
    });
    Ok(())
}

/// Does work in all lanes, on all threads of the current rayon pool.
pub fn on_all_threads<W: Send>(lanes: &mut [Lane<W>], work: impl Fn(&mut Lane<W>) + Sync + Send) {
    if lanes.len() <= TAKEN {
        lanes.iter_mut().for_each(work);
    } else {
        lanes.par_iter_mut().with_min_len(TAKEN / 2).for_each(work);
    }
}
