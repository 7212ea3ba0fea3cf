//! Counting results: by game, and by pair of games with colours exchanged.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use gipf_env::Player;
use serde::{Deserialize, Serialize};

use super::game::{Ending, GameRecord};
use super::pairs::Pair;
use crate::players::Fault;

/// The numbers of pairs of games that gave the first agent 0, ½, 1, 1½ and 2 points.
///
/// The two games of a pair begin alike and so are alike; only pairs can be treated as independent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the mean score of a game, 0 to 1; ½ without games.
    pub fn score(&self) -> f64 {
        if self.pairs() == 0 {
            return 0.5;
        }
        self.terms().map(|(points, share)| points * share).sum()
    }

    /// Returns the variance of the score of these pairs, a number from 0 to 1.
    pub fn variance(&self) -> f64 {
        let mean = self.score();
        self.terms().map(|(points, share)| share * (points - mean).powi(2)).sum()
    }

    /// Returns the standard error of [`Self::score`], taking the pairs as a sample: one degree of freedom is lost to
    /// the mean. 0 for fewer than two pairs.
    pub fn standard_error(&self) -> f64 {
        (self.variance() / self.pairs().saturating_sub(1).max(1) as f64).sqrt()
    }

    /// Returns the results from the other agent's side.
    pub fn mirrored(mut self) -> Self {
        self.0.reverse();
        self
    }

    /// Returns the sum of these results and others.
    pub fn plus(self, other: Self) -> Self {
        Self(std::array::from_fn(|points| self.0[points] + other.0[points]))
    }

    /// Iterates over the scores of a pair, from 0 to 1, and the share of the pairs that had it.
    fn terms(&self) -> impl Iterator<Item = (f64, f64)> {
        let pairs = self.pairs().max(1) as f64;
        self.0.iter().enumerate().map(move |(index, &count)| (index as f64 / 4.0, count as f64 / pairs))
    }
}

/// The results of a match so far. Pairs of numbers are indexed by agent, A first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The games that A won.
    pub wins: u64,
    /// The games that nobody won.
    pub draws: u64,
    /// The games that A lost.
    pub losses: u64,
    /// The games that White won.
    pub white_wins: u64,
    /// The results of the pairs, for A.
    pub pentanomial: Pentanomial,
    /// The number of games that ended for each reason.
    pub endings: BTreeMap<&'static str, u64>,
    /// The games that each agent forfeited.
    pub forfeits: [Forfeits; 2],
    /// The number of games that each agent lost by a ruling: `time`, `penalty`.
    pub rulings: [BTreeMap<&'static str, u64>; 2],
    /// The void games that were replayed. Apart from that, only the agents' effort in them counts.
    pub void_games: u64,
    /// The number of turns of all games together.
    pub turns: u64,
    /// The turns of each agent.
    pub own_turns: [u64; 2],
    /// The positions that each agent visited.
    pub nodes: [u64; 2],
    /// The time that each agent took.
    pub time: [Duration; 2],
    fingerprints: HashSet<u64>,
}

/// The games that an agent has lost by its faults, and not on the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forfeits {
    /// Their number for each reason: `crash`, `illegal-move`, `silence`.
    pub counts: BTreeMap<String, u64>,
    /// The fault in the first of them.
    pub first: Option<String>,
}

impl Forfeits {
    fn add(&mut self, fault: &Fault) {
        *self.counts.entry(fault.word().to_owned()).or_default() += 1;
        self.first.get_or_insert_with(|| fault.to_string());
    }

    /// Adds those of games that were played later.
    pub fn extend(&mut self, later: Self) {
        for (reason, count) in later.counts {
            *self.counts.entry(reason).or_default() += count;
        }
        self.first = self.first.take().or(later.first);
    }
}

impl Tally {
    /// Returns the results of pairs.
    pub fn of(pairs: &[Pair]) -> Self {
        let mut tally = Self::default();
        for pair in pairs {
            tally.add_pair(&pair.games);
        }
        tally
    }

    /// Adds a pair of games from one opening; A begins as White in the first and as Black in the second,
    /// and has the other colour after every replay.
    pub fn add_pair(&mut self, games: &[GameRecord; 2]) {
        let points: usize = games.iter().zip(Player::BOTH).map(|(game, colour)| self.add_game(game, colour)).sum();
        self.pentanomial.0[points] += 1;
    }

    /// Returns the number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the number of different games, by opening and actions: equal games count once.
    pub fn distinct_games(&self) -> u64 {
        self.fingerprints.len() as u64
    }

    /// Returns the half points that A got.
    fn add_game(&mut self, game: &GameRecord, first_colour: Player) -> usize {
        let mut colour = first_colour;
        for void in &game.void {
            self.add_effort(void, colour);
            colour = colour.other();
        }
        self.void_games += game.void.len() as u64;
        self.add_effort(game, colour);
        let half_points = match game.ending.winner() {
            Some(winner) if winner == colour => 2,
            Some(_) => 0,
            None => 1,
        };
        *[&mut self.losses, &mut self.draws, &mut self.wins][half_points] += 1;
        self.white_wins += u64::from(game.ending.winner() == Some(Player::White));
        *self.endings.entry(game.ending.word()).or_default() += 1;
        match &game.ending {
            Ending::Forfeit { loser, fault } => {
                let agent = usize::from(*loser != colour);
                self.forfeits[agent].add(fault);
            }
            &Ending::Ruled { winner: Some(winner), cause } => {
                *self.rulings[usize::from(winner == colour)].entry(cause.word()).or_default() += 1;
            }
            _ => {}
        }
        self.turns += u64::from(game.turns);
        self.fingerprints.insert(game.fingerprint);
        half_points
    }

    /// Adds the agents' effort, A with this colour.
    fn add_effort(&mut self, game: &GameRecord, colour: Player) {
        for (agent, player) in [colour, colour.other()].into_iter().enumerate() {
            self.own_turns[agent] += u64::from(game.own_turns[player.index()]);
            // The numbers that a program or another machine reports are not checked.
            self.nodes[agent] = self.nodes[agent].saturating_add(game.nodes[player.index()]);
            self.time[agent] = self.time[agent].saturating_add(game.time[player.index()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Cause;
    use crate::players::Fault;
    use gipf_env::{Outcome, Reason};

    fn game(winner: Option<Player>, fingerprint: u64) -> GameRecord {
        GameRecord {
            ending: Ending::Played(Outcome { winner, reason: Reason::NoMove }),
            actions: Vec::new(),
            turns: 10,
            own_turns: [6, 4],
            nodes: [60, 4],
            time: [Duration::from_millis(6), Duration::from_millis(40)],
            fingerprint,
            void: Vec::new(),
        }
    }

    #[test]
    fn results_are_counted_for_agent_a_whatever_his_colour() {
        let mut tally = Tally::default();
        tally.add_pair(&[game(Some(Player::White), 1), game(Some(Player::White), 2)]);
        assert_eq!((tally.wins, tally.draws, tally.losses, tally.white_wins), (1, 0, 1, 2));
        tally.add_pair(&[game(Some(Player::White), 3), game(Some(Player::Black), 3)]);
        tally.add_pair(&[game(None, 4), game(Some(Player::White), 5)]);
        assert_eq!((tally.wins, tally.draws, tally.losses), (3, 1, 2));
        assert_eq!(tally.pentanomial, Pentanomial([0, 1, 1, 0, 1]));
        assert_eq!((tally.games(), tally.distinct_games(), tally.turns), (6, 5, 60));
        assert_eq!(tally.own_turns, [30, 30]);
        assert_eq!(tally.nodes, [3 * 64; 2]);
        assert_eq!(tally.endings["no-move"], 6);
    }

    #[test]
    fn the_largest_efforts_do_not_overflow() {
        let endless = || GameRecord { nodes: [u64::MAX; 2], time: [Duration::MAX; 2], ..game(None, 1) };
        let mut tally = Tally::default();
        tally.add_pair(&[endless(), endless()]);
        assert_eq!((tally.nodes, tally.time), ([u64::MAX; 2], [Duration::MAX; 2]));
    }

    #[test]
    fn forfeits_are_counted_for_the_agent_that_is_at_fault() {
        let forfeit = |loser, fault: Fault| GameRecord { ending: Ending::Forfeit { loser, fault }, ..game(None, 1) };
        let crash = |text: &str| Fault::Crash(text.to_owned());
        let mut tally = Tally::default();
        tally.add_pair(&[
            forfeit(Player::White, crash("one")),
            forfeit(Player::White, Fault::IllegalMove(String::new())),
        ]);
        tally.add_pair(&[forfeit(Player::White, crash("two")), game(None, 2)]);
        assert_eq!((tally.wins, tally.draws, tally.losses), (1, 1, 2));
        let [own, others] = tally.forfeits;
        let count = |counts: &[(&str, u64)]| counts.iter().map(|&(word, count)| (word.to_owned(), count)).collect();
        assert_eq!([&own.counts, &others.counts], [&count(&[("crash", 2)]), &count(&[("illegal-move", 1)])]);
        assert_eq!(own.first.as_deref(), Some("crash: one"));
        let mut all = others;
        all.extend(own);
        assert_eq!(all.counts, count(&[("crash", 2), ("illegal-move", 1)]));
        assert_eq!(all.first.as_deref(), Some("illegal move: "));
        assert_eq!((tally.endings["crash"], tally.endings["illegal-move"]), (2, 1));
    }

    #[test]
    fn replays_exchange_colours_and_losses_by_time_are_counted_for_who_lost() {
        let late = |winner| Ending::Ruled { winner: Some(winner), cause: Cause::Time };
        let void = |number| GameRecord { ending: Ending::Void, ..game(None, number) };
        let mut tally = Tally::default();
        tally.add_pair(&[
            GameRecord { ending: late(Player::White), void: vec![void(1)], ..game(None, 2) },
            GameRecord { ending: late(Player::White), void: vec![void(3), void(4)], ..game(None, 5) },
        ]);
        assert_eq!((tally.wins, tally.losses, tally.white_wins, tally.void_games), (0, 2, 2, 3));
        assert_eq!(tally.rulings, [BTreeMap::from([("time", 2)]), BTreeMap::new()]);
        assert_eq!((tally.games(), tally.turns, tally.endings["time"]), (2, 20, 2));
        // As White first: 6 and 4 turns; as Black first: 4, 6 and 4.
        assert_eq!(tally.own_turns, [6 + 4 + 4 + 6 + 4, 4 + 6 + 6 + 4 + 6]);
    }

    #[test]
    fn mean_and_variance_are_those_of_the_pairs() {
        let pairs = Pentanomial([1, 0, 2, 0, 1]);
        assert_eq!((pairs.pairs(), pairs.score(), pairs.variance()), (4, 0.5, 0.125));
        assert!((pairs.standard_error() - (0.125_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Pentanomial::default().score(), 0.5);
    }
}
