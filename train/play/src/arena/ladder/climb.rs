//! Playing the rounds that are due, one after the other, each stored before the next.

use super::super::book::Book;
use super::meeting::Meeting;
use super::member::Member;
use super::results::{Anchor, Results};
use super::schedule::{Goal, Round, next_round};
use super::store::{Series, Store, StoreError};
use crate::Stop;

/// The work to be done on a ladder.
pub struct Climb<'a> {
    /// All players available; the anchor is one of them.
    pub members: &'a [Member],
    /// The places among them of the players whose games are to be played.
    pub movers: &'a [usize],
    /// The player whose rating is given.
    pub anchor: &'a Anchor,
    /// The place of the anchor among the members.
    pub anchor_place: usize,
    /// Half the width wanted for the interval of the distance between neighbours, in Elo.
    pub margin: f64,
    /// The most games between two players, those of the store included.
    pub games: u64,
    /// The openings.
    pub book: &'a Book,
    /// The version of the program, kept with the results.
    pub program: &'a str,
}

/// Called after each pair of games, from many threads.
pub type Tick = Box<dyn Fn() + Sync>;

/// Follows the growth of the ladder.
pub trait Listener {
    /// A round begins; its players are numbers in the results. Returns the callback for its pairs.
    fn begin(&mut self, round: &Round, results: &Results) -> Tick;

    /// The games of a round are in the store.
    fn kept(&mut self, series: &Series, results: &Results);
}

/// Plays until the distance of every mover to its neighbours is known well enough, they have played all games allowed,
/// or a stop is requested; returns all results.
///
/// Equal stores and settings give equal games, unless a player has a time limit or thinks on several threads: the randomness
/// in the games of a pair depends on the ladder's seed, the players and the opening alone.
///
/// # Errors
/// If the store cannot be written; results stored before that stay.
pub fn climb(
    store: &mut Store,
    climb: &Climb<'_>,
    listener: &mut dyn Listener,
    stop: &Stop,
) -> Result<Results, StoreError> {
    let mut progress = climb.begin(store);
    while let Some(round) = progress.next().filter(|_| !stop.requested()) {
        let tick = listener.begin(&round, &progress.results);
        let meeting = Meeting { head: store.head(), book: climb.book, program: climb.program, tick: &*tick, stop };
        let members = progress.places(&round).map(|place| &climb.members[place]);
        let Some((series, _)) = meeting.play(members, &progress.results, round.pairs) else { break };
        let series = progress.keep(series, store)?;
        listener.kept(series, &progress.results);
    }
    Ok(progress.results)
}

impl Climb<'_> {
    /// Begins to climb from what a store holds.
    pub fn begin(&self, store: &Store) -> ClimbProgress {
        let mut results = Results::of(store.series());
        let numbers: Vec<_> = self.members.iter().map(|member| results.number_of(&member.id)).collect();
        let goal = Goal {
            movers: self.movers.iter().map(|&place| numbers[place]).collect(),
            present: numbers.clone(),
            margin: self.margin,
            games: self.games,
            ..Goal::new(self.anchor, numbers[self.anchor_place], self.book.len())
        };
        let mut progress = ClimbProgress { results, numbers, goal, broken_off: None };
        progress.broken_off = store.series().last().and_then(|series| progress.rest_of(series));
        progress
    }
}

/// How far a climb has come: which round is due follows from the results alone, whoever plays it.
#[derive(Clone, Debug)]
pub struct ClimbProgress {
    /// All results.
    pub results: Results,
    /// The numbers of the members in them.
    numbers: Vec<usize>,
    goal: Goal,
    /// What is left of the latest round, if it was stopped.
    broken_off: Option<Round>,
}

impl ClimbProgress {
    /// Returns the round that is due; none if everything asked for is known.
    ///
    /// A round that was stopped is finished first: the rounds after it are then the same as without a stop.
    pub fn next(&self) -> Option<Round> {
        self.broken_off.or_else(|| next_round(&self.goal, &self.results))
    }

    /// Returns what is left of the round of a series, if its players are to play here.
    fn rest_of(&self, series: &Series) -> Option<Round> {
        let [a, b] = series.players.each_ref().map(|player| self.results.find(player));
        let players = [a?, b?];
        let pairs = series.left.min(self.goal.left(players, &self.results));
        let present = players.iter().all(|player| self.goal.present.contains(player));
        let moves = players.iter().any(|player| self.goal.movers.contains(player));
        (pairs > 0 && present && moves).then_some(Round { players, pairs })
    }

    /// Returns the places of the players of a round among the members.
    ///
    /// # Panics
    /// If they are not among them.
    pub fn places(&self, round: &Round) -> [usize; 2] {
        let place = |number| self.numbers.iter().position(|&other| other == number);
        round.players.map(|number| place(number).expect("only members play"))
    }

    /// Stores the games of a round, and returns them as they are in the store.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn keep<'a>(&mut self, series: Series, store: &'a mut Store) -> Result<&'a Series, StoreError> {
        store.add(series)?;
        let series = store.series().last().expect("a series was added");
        self.results.add(series);
        self.broken_off = self.rest_of(series);
        Ok(series)
    }
}
