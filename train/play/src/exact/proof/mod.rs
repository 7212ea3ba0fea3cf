//! Proofs of single positions: who wins, whatever the opponent does.
//!
//! Two searches take turns at a position, each time with twice the work:
//!
//! * *Can a player force a win within one turn, within two, within three …?* A search of all turns up to a horizon,
//!   with just two values: it finds the fastest win, and the quiet moves on the way to it.
//! * *Can White force a win at all? Can Black?* A depth-first search by proof numbers (df-pn; Nagai 2002), which goes
//!   where the fewest answers are missing. It alone can answer no: two noes make a draw.
//!
//! # Repetition
//! The question is about a position without a history. Then a win never needs to visit a position twice: a player who
//! wins can also win without the detour. So a position that recurs on the way from the root counts as no win for the
//! attacker. Such an answer depends on the path to the position (the graph-history interaction): if everything it needs
//! lies below the position, it is always valid; otherwise it is stored together with the path, and used on no other
//! (after Kishimoto and Müller 2004). That a player wins never depends on the path. Limits on the length of games are
//! assumed to be far away.

mod bounded;
mod line;
mod meter;
mod numbers;
mod search;
mod table;

use std::time::Duration;

use gipf_env::{GipfPosition, Phase, Player, Position};

use bounded::Bounded;
use meter::Meter;
use search::Search;

pub use meter::Ended;
pub use numbers::Numbers;

use crate::Stop;

/// What the search must know about a game besides its rules.
#[derive(Clone, Copy, Debug)]
pub struct Game<P> {
    /// Returns a number for all that decides how play can go on, except the past. It includes who is to move, or is
    /// from that player's view altogether.
    pub key: fn(&P) -> u64,
    /// Returns the position without the history of earlier ones.
    pub forget: fn(&P) -> P,
    /// Guesses how many answers are missing before it is known that the player wins, or does not; at least 1.
    pub guess: fn(&P, Player) -> Numbers,
    /// Returns a lower bound of the turns that the player needs to win, 0 where nothing better is known.
    pub fewest_turns: fn(&P, Player) -> usize,
}

impl<P: Position> Game<P> {
    /// Returns a game without history, given only its key.
    pub fn with_key(key: fn(&P) -> u64) -> Self {
        Self { key, forget: P::clone, guess: |_, _| Numbers { proof: 1, disproof: 1 }, fewest_turns: |_, _| 0 }
    }
}

impl Game<GipfPosition> {
    /// Returns GIPF, all rule sets: the more pieces the opponent has in reserve, the longer it takes to win.
    pub fn gipf() -> Self {
        Self {
            key: GipfPosition::key,
            forget: GipfPosition::without_history,
            guess: by_reserves,
            fewest_turns: until_spent,
        }
    }
}

/// A guess that proved good for endgames: every piece in reserve makes it four times as hard.
fn by_reserves(position: &GipfPosition, attacker: Player) -> Numbers {
    let [proof, disproof] = [attacker.other(), attacker].map(|player| 1 << (2 * position.reserve(player)).min(24));
    Numbers { proof, disproof }
}

/// A player brings in one piece a turn, or two as a GIPF-piece, until the reserve is empty. With potentials, a player
/// who finds a full board loses earlier.
fn until_spent(position: &GipfPosition, attacker: Player) -> usize {
    let (variant, defender) = (position.variant(), attacker.other());
    if variant.has_gipfs() || variant.has_zertz() || variant.is_push_off() || position.phase() != Phase::Push {
        return 0;
    }
    2 * usize::from(position.reserve(defender)) + usize::from(position.to_move() == attacker)
}

/// Returns the key of the question whether this player wins. The game's key includes who is to move, or is from that
/// player's view; either way the question is one of two.
fn attacker_key<P: Position>(game: &Game<P>, position: &P, attacker: Player) -> u64 {
    mixed((game.key)(position), u64::from(position.to_move() == attacker))
}

/// Mixes two words, so that every bit of both affects every bit of the result; never 0.
fn mixed(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    (product as u64 ^ (product >> 64) as u64).max(1)
}

/// The limits of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofLimits {
    /// The time, if limited.
    pub time: Option<Duration>,
    /// The number of positions visited, if limited.
    pub nodes: Option<u64>,
    /// The memory of the table, in bytes. When it is full, the search goes on and drops entries.
    pub memory: usize,
}

impl Default for ProofLimits {
    /// Returns a minute and a gigabyte.
    fn default() -> Self {
        Self { time: Some(Duration::from_mins(1)), nodes: None, memory: 1_000_000_000 }
    }
}

/// The result of a proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof<A> {
    /// Whether White, and whether Black, can force a win; none where it is not known.
    pub wins: [Option<bool>; 2],
    /// Best play, as far as it is known: a win against a defence that lasts long; for a draw, play to the first
    /// repetition.
    pub line: Vec<A>,
    /// For a win that is known to be the fastest: the turns it takes against the longest defence.
    pub fastest: Option<usize>,
    /// The number of positions visited.
    pub nodes: u64,
    /// The most memory that the table took, in bytes.
    pub bytes: usize,
    /// The time it took, in seconds.
    pub seconds: f64,
    /// Why the search ended.
    pub ended: Ended,
}

/// A proven result of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// This player wins.
    Wins(Player),
    /// Neither can force a win.
    Draw,
}

impl<A> Proof<A> {
    /// Returns what is proven, if the game is decided.
    pub fn decision(&self) -> Option<Decision> {
        match self.wins {
            [Some(true), _] => Some(Decision::Wins(Player::White)),
            [_, Some(true)] => Some(Decision::Wins(Player::Black)),
            [Some(false), Some(false)] => Some(Decision::Draw),
            _ => None,
        }
    }
}

/// The work spent on the first part before switching to the next, in positions.
const FIRST_SHARE: u64 = 4096;
/// The work spent on one decision of the line, where the tables have lost it.
const REMINDER: u64 = 1 << 18;

/// Determines who wins from a position, within limits.
pub fn prove<P: Position>(game: &Game<P>, position: &P, limits: ProofLimits, stop: &Stop) -> Proof<P::Action> {
    let meter = Meter::new(limits, stop);
    let root = (game.forget)(position);
    let mut parts = Parts {
        bounded: Bounded::new(game, &meter, &root, limits.memory / 2),
        search: Search::new(game, &meter, limits.memory / 2),
        fastest: None,
        wins: [None; 2],
    };
    let mut share = FIRST_SHARE;
    while !parts.is_decided() && meter.ended().is_none() {
        parts.work(&root, share);
        share = share.saturating_mul(2);
    }
    let (nodes, seconds) = (meter.nodes(), meter.seconds());
    let ended = if parts.is_decided() { Ended::Decided } else { meter.ended().unwrap_or(Ended::Decided) };
    let line = parts.line(&root);
    // Where one can force a win, the other cannot.
    let wins = match parts.wins {
        [Some(true), _] => [Some(true), Some(false)],
        [_, Some(true)] => [Some(false), Some(true)],
        open => open,
    };
    let fastest = parts.fastest.map(|(_, turns)| turns);
    Proof { wins, line, fastest, nodes, bytes: parts.bounded.bytes() + parts.search.bytes(), seconds, ended }
}

/// The two searches and what they have found.
struct Parts<'a, P> {
    bounded: Bounded<'a, P>,
    search: Search<'a, P>,
    fastest: Option<(Player, usize)>,
    wins: [Option<bool>; 2],
}

impl<P: Position> Parts<'_, P> {
    fn is_decided(&self) -> bool {
        self.wins.contains(&Some(true)) || self.wins == [Some(false); 2]
    }

    fn work(&mut self, root: &P, share: u64) {
        self.fastest = self.bounded.deepen(root, share);
        if let Some((winner, _)) = self.fastest {
            self.wins[winner.index()] = Some(true);
            return;
        }
        for player in [root.to_move(), root.to_move().other()] {
            let answer = &mut self.wins[player.index()];
            *answer = answer.or_else(|| self.search.ask(root, player, share / 2));
            if *answer == Some(true) {
                return;
            }
        }
    }

    fn line(&mut self, root: &P) -> Vec<P::Action> {
        let winner = Player::BOTH.into_iter().find(|player| self.wins[player.index()] == Some(true));
        match (self.fastest, winner) {
            (Some((winner, turns)), _) => self.bounded.line(root, winner, turns, REMINDER),
            (None, Some(winner)) => line::of_win(&mut self.search, root, winner),
            (None, None) if self.is_decided() => line::of_draw(&mut self.search, root),
            (None, None) => Vec::new(),
        }
    }
}
