//! The games of a round, between two players.

use gipf_env::GipfPosition;

use super::super::book::Book;
use super::super::game::{GameRecord, mix, play_opening};
use super::super::openings::Opening;
use super::super::pairs::{Pair, play_pair};
use super::super::tally::{Forfeits, Tally};
use super::member::Member;
use super::results::Results;
use super::store::{Head, Series};
use crate::Stop;
use crate::in_order::in_order;
use crate::players::{Agent, Contender};

/// Games of a ladder between two of its players.
pub struct Meeting<'a> {
    /// The common settings of all games.
    pub head: &'a Head,
    /// The openings.
    pub book: &'a Book,
    /// The version of the program, kept with the results.
    pub program: &'a str,
    /// Called after each pair, from many threads.
    pub tick: &'a (dyn Fn() + Sync),
    /// Ends the games; pairs played by then count.
    pub stop: &'a Stop,
}

/// A pair of games that is to be played: all that it depends on, besides the players.
#[derive(Clone, Debug, PartialEq)]
pub struct DuePair {
    /// The number of the opening in the book.
    pub number: usize,
    /// The opening.
    pub opening: Opening<GipfPosition>,
    /// The seed of all randomness in the two games.
    pub seed: u64,
}

impl Meeting<'_> {
    /// Plays pairs from openings that are new to the two players according to the results. Returns the series and what
    /// each of the two forfeited, in the order of the series; nothing if there are no such openings, or a stop comes
    /// before the first pair is over.
    ///
    /// # Panics
    /// If a player has no number in the results.
    pub fn play(&self, players: [&Member; 2], results: &Results, pairs: usize) -> Option<(Series, [Forfeits; 2])> {
        let players = ordered(players);
        let due = self.due(players, results, pairs);
        let played = play_pairs(&due, players.map(|player| &player.contender), self.tick, self.stop);
        let left = due.len() - played.len();
        let tally = Tally::of(&played);
        let series = self.line(players, &played, &tally)?;
        Some((Series { left, ..series }, tally.forfeits))
    }

    /// Returns the pairs that two players, in their [order](ordered), are to play.
    ///
    /// # Panics
    /// If a player has no number in the results.
    pub fn due(&self, players: [&Member; 2], results: &Results, pairs: usize) -> Vec<DuePair> {
        let numbers = players.map(|player| results.find(&player.id).expect("members have numbers"));
        let seed = players.iter().fold(self.head.seed, |seed, player| mix(seed, player.id.fingerprint));
        let order = self.book.order(seed).into_iter();
        let openings = order.filter(|&opening| !results.has_opening(numbers, opening)).take(pairs);
        let due = openings.map(|number| DuePair {
            number,
            opening: self.book.opening(number, self.head.placement_limit),
            seed: mix(mix(seed, number as u64), 0),
        });
        due.collect()
    }

    /// Returns the pairs that two players, in their order, have played as a line of a store; nothing if there are none.
    pub fn series(&self, players: [&Member; 2], played: &[Pair]) -> Option<Series> {
        self.line(players, played, &Tally::of(played))
    }

    fn line(&self, players: [&Member; 2], played: &[Pair], tally: &Tally) -> Option<Series> {
        (!played.is_empty()).then(|| Series {
            players: players.map(|player| player.id.clone()),
            openings: played.iter().map(|pair| pair.number).collect(),
            pairs: tally.pentanomial,
            draws: tally.draws,
            white_wins: tally.white_wins,
            turns: tally.own_turns,
            // A file with more than the maximum could not be read again, and these numbers are the players' own.
            nodes: tally.nodes.map(|nodes| nodes.min(Series::MOST)),
            // To the microsecond: more digits mean nothing, and fill the file.
            seconds: tally.time.map(|time| ((time.as_secs_f64() * 1e6).round() / 1e6).min(Series::MOST_SECONDS)),
            program: self.program.to_owned(),
            left: 0,
        })
    }
}

/// Returns two players always in the same order, so that their games do not depend on which of them was the mover.
pub fn ordered([a, b]: [&Member; 2]) -> [&Member; 2] {
    if a.id.fingerprint < b.id.fingerprint { [a, b] } else { [b, a] }
}

/// Plays pairs on all threads of the current rayon pool, and returns those that were played before a stop, in their order.
/// `tick` is called after each, from many threads.
pub fn play_pairs(
    due: &[DuePair],
    players: [&Contender<GipfPosition>; 2],
    tick: &(dyn Fn() + Sync),
    stop: &Stop,
) -> Vec<Pair> {
    in_order(due.len() as u64, |numbers| {
        let mut agents = players.map(|player| (player.build)());
        let pairs = numbers.map(|number| {
            let due = &due[number as usize];
            let games = games(due, &mut agents, stop)?;
            tick();
            Some((number, Pair { number: due.number, games }))
        });
        pairs.take_while(Option::is_some).flatten().collect()
    })
}

fn games(due: &DuePair, agents: &mut [Box<dyn Agent<GipfPosition>>; 2], stop: &Stop) -> Option<[GameRecord; 2]> {
    play_pair(&due.opening, agents, due.seed, &|opening, agents, seeds| play_opening(opening, agents, seeds, stop))
}
