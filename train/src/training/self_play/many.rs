//! Games of the search against itself whose leaves the caller evaluates.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use gipf_env::{Learnable, ObservationLayout, Position};
use gipf_play::search::{
    Answers, Evaluation, Lane, Leaves, SearchConfig, SearchesError, Walker, apply_answers, close_gaps, write_leaves,
};

use super::game::Game;
use super::{Assignment, SelfPlayConfig};
use crate::training::PlayedGame;

/// Games of the search against itself, many at once, whose leaves the caller evaluates in batches.
///
/// [`gather`](Self::gather) and [`apply`](Self::apply) take turns until `gather` returns 0. Whenever a game ends, the
/// next one takes its place; [`take_ended`](Self::take_ended) returns the games that have ended.
///
/// Games advance on all threads of the current rayon pool. A game depends on the seed, its number and the evaluator's
/// answers for its leaves: with the evaluations of a network it is the same game as that of
/// [`play_games`](super::play_games). The order of rows and of games that have ended does not depend on the number of
/// threads either.
///
/// ```
/// use gipf_env::{GipfPosition, Position, Variant};
/// use gipf_play::search::{Answers, Leaves, SearchConfig, Values};
/// use gipf_train::training::{Assignment, ManyGames, SelfPlayConfig};
///
/// let (start, search) = (GipfPosition::start(Variant::BASIC), SearchConfig::self_play());
/// let config = SelfPlayConfig { full_simulations: 4, cheap_simulations: 2, ..SelfPlayConfig::default() };
/// let assignment =
///     Assignment { start: &start, archive: &[], first_id: 0, games: 6, seed: 1, config: &config, search: &search };
/// let (size, actions) = (start.observation_layout().size(), start.num_actions());
/// let (mut planes, mut masks) = (vec![0.0; 4 * size], vec![false; 4 * actions]);
/// let (mut many, mut games) = (ManyGames::new(&assignment, 4), Vec::new());
/// loop {
///     let leaves = many.gather(Leaves { planes: &mut planes, masks: &mut masks })?;
///     games.extend(many.take_ended());
///     if leaves == 0 {
///         break;
///     }
///     // An evaluator that knows nothing.
///     let (logits, values) = (vec![0.0_f32; leaves * actions], vec![0.0; leaves]);
///     many.apply(Answers { logits: &logits, values: Values::Expected(&values) })?;
/// }
/// assert_eq!(games.len(), 6);
/// # Ok::<(), gipf_play::search::SearchesError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ManyGames<P: Position> {
    terms: Arc<Terms<P>>,
    /// The numbers of the games that have not begun.
    numbers: Range<u64>,
    /// The numbers among them that are not played.
    skipped: BTreeSet<u64>,
    /// The most games at once.
    parallel: usize,
    lanes: Vec<Lane<Place<P>>>,
    /// The leaves that wait for their evaluations.
    waiting: usize,
    ended: Vec<PlayedGame<P>>,
    layout: ObservationLayout,
    actions: usize,
}

/// An assignment that is owned by the games.
#[derive(Clone, Debug)]
struct Terms<P> {
    start: P,
    archive: Vec<P>,
    seed: u64,
    config: SelfPlayConfig,
    search: SearchConfig,
}

/// A game under way.
#[derive(Clone, Debug)]
struct Place<P: Position> {
    terms: Arc<Terms<P>>,
    game: Game<P>,
    /// Whether the game has ended and no other game takes its place.
    is_done: bool,
}

impl<P: Learnable> ManyGames<P> {
    /// Returns the games of an assignment, none of which has begun; at most `parallel` are played at once.
    ///
    /// # Panics
    /// If a setting of the search is out of range ([`SearchConfig::validate`] tells beforehand), or `parallel` is 0.
    pub fn new(assignment: &Assignment<'_, P>, parallel: usize) -> Self {
        assert!(parallel > 0, "no game at once");
        let &Assignment { start, archive, first_id, games, seed, config, search } = assignment;
        let terms =
            Terms { start: start.clone(), archive: archive.to_vec(), seed, config: config.clone(), search: *search };
        Self {
            layout: start.observation_layout(),
            actions: start.num_actions(),
            terms: Arc::new(terms),
            numbers: first_id..first_id + games,
            skipped: BTreeSet::new(),
            parallel,
            lanes: Vec::new(),
            waiting: 0,
            ended: Vec::new(),
        }
    }

    /// Returns the games without those of these numbers, which have been played before.
    pub fn without(self, skipped: BTreeSet<u64>) -> Self {
        Self { skipped, ..self }
    }

    /// Returns the most games at once: the rows that [`gather`](Self::gather) needs.
    pub const fn parallel(&self) -> usize {
        self.parallel
    }

    /// Plays every game to its next leaf, writes these leaves, and returns how many there are: 0 when all games have
    /// ended. Called again before [`apply`](Self::apply), it writes the same leaves.
    ///
    /// # Errors
    /// If the arrays do not have a row for each game played at once.
    pub fn gather(&mut self, mut leaves: Leaves<'_>) -> Result<usize, SearchesError> {
        let shape = (self.layout.size(), self.actions);
        leaves.check(self.parallel, shape)?;
        self.lanes.iter_mut().for_each(Lane::take_back);
        self.begin_games();
        loop {
            let rows = &mut leaves.first(self.lanes.len(), shape);
            write_leaves(&mut self.lanes, rows, shape)?;
            if !self.replace_ended() {
                break;
            }
        }
        self.waiting = close_gaps(&mut self.lanes, &mut leaves, shape);
        self.lanes.retain(Lane::waits);
        Ok(self.waiting)
    }

    /// Takes the evaluations of the leaves that the last [`gather`](Self::gather) has written, row by row.
    ///
    /// # Errors
    /// If no leaves wait, the evaluations are more or fewer than the leaves, or one is not an evaluation: then none
    /// is taken, and the leaves still wait.
    pub fn apply<T: Copy + Into<f32> + Sync>(&mut self, answers: Answers<'_, T>) -> Result<(), SearchesError> {
        if self.waiting == 0 {
            return Err(SearchesError::NothingWaits { slot: 0 });
        }
        apply_answers(&mut self.lanes, answers, (self.waiting, self.actions))?;
        self.waiting = 0;
        Ok(())
    }

    /// Returns the games that have ended since the last call, in the order in which they ended.
    pub fn take_ended(&mut self) -> Vec<PlayedGame<P>> {
        std::mem::take(&mut self.ended)
    }

    fn next_number(&mut self) -> Option<u64> {
        let skipped = &self.skipped;
        self.numbers.find(|number| !skipped.contains(number))
    }

    /// Begins games until as many are in progress as may be.
    fn begin_games(&mut self) {
        while self.lanes.len() < self.parallel
            && let Some(number) = self.next_number()
        {
            let game = Game::new(&self.terms.assignment(), number);
            self.lanes.push(Lane::new(Place { terms: Arc::clone(&self.terms), game, is_done: false }));
        }
    }

    /// Begins the next games in the places of those that have ended, and returns whether there are any.
    fn replace_ended(&mut self) -> bool {
        let mut replaced = false;
        for lane in 0..self.lanes.len() {
            if self.lanes[lane].waits() || self.lanes[lane].walker.is_done {
                continue;
            }
            let next = self.next_number();
            let place = &mut self.lanes[lane].walker;
            self.ended.push(place.game.take_record());
            match next {
                Some(number) => place.game.restart(&self.terms.assignment(), number),
                None => place.is_done = true,
            }
            replaced |= next.is_some();
        }
        replaced
    }
}

impl<P: Position> Terms<P> {
    fn assignment(&self) -> Assignment<'_, P> {
        let Self { start, archive, seed, config, search } = self;
        Assignment { start, archive, first_id: 0, games: 0, seed: *seed, config, search }
    }
}

impl<P: Learnable> Walker for Place<P> {
    type Position = P;

    fn walk(&mut self) -> Option<&P> {
        if self.is_done { None } else { self.game.advance(&self.terms.assignment(), &mut None) }
    }

    fn apply(&mut self, evaluation: &Evaluation) {
        self.game.apply(evaluation);
    }
}
