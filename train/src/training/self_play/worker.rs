//! The games of one thread, whose leaves its evaluator answers in one batch.

use gipf_env::{Learnable, Position};
use gipf_play::Numbers;
use gipf_play::players::Agent;
use gipf_play::search::{Evaluation, Evaluator};

use super::Assignment;
use super::game::Game;
use crate::training::PlayedGame;

/// The games of one thread, all waiting for the same batch.
pub(super) struct Worker<'a, P: Position, E> {
    assignment: &'a Assignment<'a, P>,
    numbers: Numbers<'a>,
    evaluator: E,
    /// The opponent, if the search does not play both sides.
    opponent: Option<Box<dyn Agent<P>>>,
    games: Vec<Game<P>>,
    /// The games that have ended, to be drained.
    pub ended: Vec<PlayedGame<P>>,
    leaves: Vec<P>,
    evaluations: Vec<Evaluation>,
}

impl<'a, P: Learnable, E: Evaluator<P>> Worker<'a, P, E> {
    pub fn new(
        assignment: &'a Assignment<'a, P>,
        numbers: Numbers<'a>,
        evaluator: E,
        opponent: Option<Box<dyn Agent<P>>>,
    ) -> Self {
        let mut worker = Self {
            assignment,
            numbers,
            evaluator,
            opponent,
            games: Vec::new(),
            ended: Vec::new(),
            leaves: Vec::new(),
            evaluations: Vec::new(),
        };
        // If there are few games, each thread gets its share of them.
        let part = assignment.games.div_ceil(rayon::current_num_threads() as u64) as usize;
        while worker.games.len() < assignment.config.parallel_games.min(part)
            && let Some(id) = worker.next_id()
        {
            worker.games.push(Game::new(assignment, id));
        }
        worker
    }

    fn next_id(&mut self) -> Option<u64> {
        self.numbers.next().map(|number| self.assignment.first_id + number)
    }

    /// Moves every game on to its next leaf and evaluates the leaves; false when no games are left.
    pub fn step(&mut self) -> bool {
        self.leaves.clear();
        let mut game = 0;
        while game < self.games.len() {
            if let Some(leaf) = self.games[game].advance(self.assignment, &mut self.opponent) {
                self.leaves.push(leaf.clone());
                game += 1;
            } else {
                self.replace(game);
            }
        }
        self.evaluations.resize_with(self.leaves.len(), Evaluation::default);
        self.evaluator.evaluate(&self.leaves, &mut self.evaluations);
        for (game, evaluation) in self.games.iter_mut().zip(&self.evaluations) {
            game.apply(evaluation);
        }
        !self.games.is_empty() || !self.ended.is_empty()
    }

    /// Puts the next game in the place of one that has ended, or closes the gap.
    fn replace(&mut self, game: usize) {
        let next = self.next_id();
        let place = &mut self.games[game];
        self.ended.push(place.take_record());
        match next {
            Some(id) => place.restart(self.assignment, id),
            None => drop(self.games.swap_remove(game)),
        }
    }
}
