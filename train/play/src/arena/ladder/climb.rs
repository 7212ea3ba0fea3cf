//! Playing the rounds that are due, one after the other, each kept before the next.

use gipf_env::GipfPosition;

use super::super::book::Book;
use super::super::game::{GameRecord, mix, play_opening};
use super::super::pairs::play_pair;
use super::super::tally::Tally;
use super::member::Member;
use super::results::{Anchor, Results};
use super::schedule::{Goal, Round, next_round};
use super::store::{Head, Series, Store, StoreError};
use crate::Stop;
use crate::in_order::in_order;
use crate::players::Agent;

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
    /// A round begins, whose players are numbers in the results; returns the callback for its pairs.
    fn begin(&mut self, round: &Round, results: &Results) -> Tick;

    /// The games of a round are in the store.
    fn kept(&mut self, series: &Series, results: &Results);
}

/// Plays until the distance of every mover to its neighbours is known well enough, they have had their games, or a stop
/// is requested; returns all results.
///
/// Equal stores and settings give equal games, unless a player has a time limit: the randomness in the games of a pair
/// depends on the ladder's seed, the players and the opening alone.
///
/// # Errors
/// If the store cannot be written; what was kept before stays.
pub fn climb(
    store: &mut Store,
    climb: &Climb<'_>,
    listener: &mut dyn Listener,
    stop: &Stop,
) -> Result<Results, StoreError> {
    let mut results = Results::of(store.series());
    let numbers: Vec<_> = climb.members.iter().map(|member| results.number_of(&member.id)).collect();
    let goal = Goal {
        movers: climb.movers.iter().map(|&place| numbers[place]).collect(),
        present: numbers.clone(),
        margin: climb.margin,
        games: climb.games,
        ..Goal::new(climb.anchor, numbers[climb.anchor_place], climb.book.len())
    };
    while let Some(round) = next_round(&goal, &results).filter(|_| !stop.requested()) {
        let tick = listener.begin(&round, &results);
        let member = |number: usize| {
            let place = numbers.iter().position(|&other| other == number);
            &climb.members[place.expect("only members play")]
        };
        let meeting = Meeting { head: store.head(), book: climb.book, program: climb.program, tick: &*tick, stop };
        let series = meeting.play(round.players.map(member), &results, round.pairs);
        let Some(series) = series else { break };
        results.add(&series);
        store.add(series)?;
        listener.kept(store.series().last().expect("a series was added"), &results);
    }
    Ok(results)
}

type Agents = [Box<dyn Agent<GipfPosition>>; 2];

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

impl Meeting<'_> {
    /// Plays pairs from openings that are new to the two players, by the results; returns nothing if there are none, or
    /// it is stopped before the first pair is over.
    ///
    /// # Panics
    /// If a player has no number in the results.
    pub fn play(&self, players: [&Member; 2], results: &Results, pairs: usize) -> Option<Series> {
        // Always in the same order, so that the games do not depend on which of them was the mover.
        let [a, b] = players;
        let players = if a.id.fingerprint < b.id.fingerprint { [a, b] } else { [b, a] };
        let numbers = players.map(|player| results.find(&player.id).expect("members have numbers"));
        let seed = players.iter().fold(self.head.seed, |seed, player| mix(seed, player.id.fingerprint));
        let order = self.book.order(seed).into_iter();
        let openings: Vec<_> = order.filter(|&opening| !results.has_opening(numbers, opening)).take(pairs).collect();
        let played = in_order(openings.len() as u64, |numbers| {
            let mut agents = players.map(|player| (player.contender.build)());
            let pairs = numbers.map(|number| {
                let opening = openings[number as usize];
                let games = self.pair(&mut agents, opening, mix(seed, opening as u64))?;
                (self.tick)();
                Some((number, (opening, games)))
            });
            pairs.take_while(Option::is_some).flatten().collect()
        });
        (!played.is_empty()).then(|| self.series(players, &played))
    }

    fn pair(&self, agents: &mut Agents, opening: usize, seed: u64) -> Option<[GameRecord; 2]> {
        let opening = self.book.opening(opening, self.head.placement_limit);
        play_pair(&opening, agents, mix(seed, 0), &|opening, agents, seeds| {
            play_opening(opening, agents, seeds, self.stop)
        })
    }

    fn series(&self, players: [&Member; 2], played: &[(usize, [GameRecord; 2])]) -> Series {
        let mut tally = Tally::default();
        for (_, games) in played {
            tally.add_pair(games);
        }
        Series {
            players: players.map(|player| player.id.clone()),
            openings: played.iter().map(|&(opening, _)| opening).collect(),
            pairs: tally.pentanomial,
            draws: tally.draws,
            white_wins: tally.white_wins,
            turns: tally.own_turns,
            nodes: tally.nodes,
            // To the microsecond: more digits mean nothing, and fill the file.
            seconds: tally.time.map(|time| (time.as_secs_f64() * 1e6).round() / 1e6),
            program: self.program.to_owned(),
        }
    }
}
