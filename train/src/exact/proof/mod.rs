//! Proofs of single positions: who wins, whatever the other does.
//!
//! *Can White force a win? Can Black?* Each question is searched by depth-first proof numbers (df-pn; Nagai 2002): the
//! search goes where the fewest answers are missing. A yes to one settles the position, two noes make it a draw. The
//! questions are taken in turns, each time with twice the work.
//!
//! # Repetition
//! A position without a history is asked about. There a win never needs a position twice: whoever wins can also win by
//! ever shorter ways. So a position that comes up again on the way from the root counts as no win for the attacker. Such an
//! answer depends on the way there (the graph-history interaction): where all it needs lies below the position it stands
//! for good; otherwise it is remembered together with the way, and used on no other (after Kishimoto and Müller 2004).
//! That a player wins never depends on the way. Limits on the length of games are taken to be far.

mod line;
mod numbers;
mod search;
mod table;

use std::time::Duration;

use gipf_env::{GipfPosition, Player, Position};

pub use numbers::Numbers;
pub use search::Ended;
use search::Search;

use crate::Stop;

/// What the search must know of a game beside its rules.
#[derive(Clone, Copy, Debug)]
pub struct Game<P> {
    /// Returns a number for all that decides how play can go on, the past apart. It tells who is to move, or is from his
    /// view altogether.
    pub key: fn(&P) -> u64,
    /// Guesses how many answers are missing before it is known that the player wins, or that he does not; 1 and more.
    pub guess: fn(&P, Player) -> Numbers,
}

impl<P: Position> Game<P> {
    /// Returns a game of which nothing but the key is known.
    pub fn with_key(key: fn(&P) -> u64) -> Self {
        Self { key, guess: |_, _| Numbers { proof: 1, disproof: 1 } }
    }
}

impl Game<GipfPosition> {
    /// Returns GIPF, all rule sets: the more pieces the opponent has in reserve, the longer it takes to beat him.
    pub fn gipf() -> Self {
        let reserve = |position: &GipfPosition, player| u32::from(position.reserve(player));
        let guess = move |position: &GipfPosition, attacker: Player| Numbers {
            proof: 1 + reserve(position, attacker.other()),
            disproof: 1 + reserve(position, attacker),
        };
        Self { key: GipfPosition::key, guess }
    }
}

/// What a proof may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time, if limited.
    pub time: Option<Duration>,
    /// The number of positions looked into, if limited.
    pub nodes: Option<u64>,
    /// The memory of the table, in bytes. When it is full the search goes on, and forgets.
    pub memory: usize,
}

impl Default for Limits {
    /// A minute and a gigabyte.
    fn default() -> Self {
        Self { time: Some(Duration::from_secs(60)), nodes: None, memory: 1 << 30 }
    }
}

/// What is known of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof<A> {
    /// Whether White, and whether Black, can force a win; none where it is not known.
    pub wins: [Option<bool>; 2],
    /// Best play, as far as it is known: the winner's fastest known win against the longest known defence; of a draw, play
    /// to the first repetition.
    pub line: Vec<A>,
    /// Of a win: the most decisions it takes by the proof found; there may be faster ones.
    pub distance: Option<u16>,
    /// The number of positions looked into.
    pub nodes: u64,
    /// The memory that the table took at most, in bytes.
    pub bytes: usize,
    /// The time it took, in seconds.
    pub seconds: f64,
    /// Why the search came to its end.
    pub ended: Ended,
}

/// A proven end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// This player wins.
    Wins(Player),
    /// Neither can force a win.
    Draw,
}

impl<A> Proof<A> {
    /// Returns what is proven, if anything decides the game.
    pub fn decision(&self) -> Option<Decision> {
        match self.wins {
            [Some(true), _] => Some(Decision::Wins(Player::White)),
            [_, Some(true)] => Some(Decision::Wins(Player::Black)),
            [Some(false), Some(false)] => Some(Decision::Draw),
            _ => None,
        }
    }
}

/// The work spent on the first question before the other has its turn, in positions.
const FIRST_SHARE: u64 = 4096;

/// Finds out who wins from a position, within limits.
pub fn prove<P: Position>(game: &Game<P>, position: &P, limits: Limits, stop: &Stop) -> Proof<P::Action> {
    let mut search = Search::new(game, limits, stop);
    let root = position.without_history();
    let mut wins = [None; 2];
    let mut share = FIRST_SHARE;
    let ended = loop {
        for player in [root.to_move(), root.to_move().other()] {
            let answer = &mut wins[player.index()];
            *answer = answer.or_else(|| search.ask(&root, player, share));
            if *answer == Some(true) || search.ended != Ended::Decided {
                break;
            }
        }
        if wins.contains(&Some(true)) || wins == [Some(false); 2] {
            break Ended::Decided;
        }
        if search.ended != Ended::Decided {
            break search.ended;
        }
        share *= 2;
    };
    let (nodes, winner) = (search.nodes, Player::BOTH.into_iter().find(|player| wins[player.index()] == Some(true)));
    let distance = winner.and_then(|winner| search.proven_distance(&root, winner));
    let line = match winner {
        Some(winner) => line::of_win(&mut search, &root, winner),
        None if ended == Ended::Decided => line::of_draw(&mut search, &root),
        None => Vec::new(),
    };
    Proof { wins, line, distance, nodes, bytes: search.bytes(), seconds: search.seconds(), ended }
}
