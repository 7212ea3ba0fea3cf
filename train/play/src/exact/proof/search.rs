//! Depth-first proof-number search.

use gipf_env::{ActionIndex, Player, Position};

use super::meter::{Ended, Meter};
use super::numbers::{Known, NOTHING, Numbers, combined, selected};
use super::table::Table;
use super::{Game, attacker_key, mixed};

/// The longest play that is followed, in decisions.
const DEEPEST: usize = 1000;
/// The search for the answer to one question: can this player, the attacker, force a win?
pub(super) struct Search<'a, P> {
    game: &'a Game<P>,
    meter: &'a Meter<'a>,
    table: Table<Known>,
    attacker: Player,
    /// The positions from the root to the current one, both included.
    path: Vec<Visit>,
    /// Whether any disproof in the table is tied to a path.
    tied: bool,
}

#[derive(Clone, Copy)]
struct Visit {
    key: u64,
    /// A number that stands for the path up to here.
    path_key: u64,
}

struct Successor {
    action: ActionIndex,
    key: u64,
    known: Known,
}

impl<'a, P: Position> Search<'a, P> {
    pub fn new(game: &'a Game<P>, meter: &'a Meter<'a>, bytes: usize) -> Self {
        let (table, attacker, path) = (Table::new(bytes), Player::White, Vec::new());
        Self { game, meter, table, attacker, path, tied: false }
    }

    /// Returns the most bytes that the search has taken for its table.
    pub fn bytes(&self) -> usize {
        self.table.most_bytes()
    }

    /// Visits this many more positions, and returns whether the attacker wins, if that is then known.
    pub fn ask(&mut self, position: &P, attacker: Player, nodes: u64) -> Option<bool> {
        self.attacker = attacker;
        if let Some(outcome) = position.outcome() {
            return Some(outcome.winner == Some(attacker));
        }
        let key = self.key(position);
        let known = self.table.get(key).filter(|known| known.numbers.is_solved());
        let found = known.unwrap_or_else(|| {
            self.meter.grant(nodes);
            self.path.clear();
            self.look_into(position, key, Numbers::UNBOUNDED)
        });
        found.numbers.is_solved().then_some(found.numbers.proof == 0)
    }

    /// Returns the most decisions in which the attacker wins after an action, if known.
    pub fn proven_distance(&self, next: &P, attacker: Player) -> Option<u16> {
        if let Some(outcome) = next.outcome() {
            return (outcome.winner == Some(attacker)).then_some(0);
        }
        let key = attacker_key(self.game, next, attacker);
        self.table.get(key).filter(|known| known.numbers.proof == 0).map(|known| known.distance)
    }

    /// Returns whether a position is one of these, whatever came before.
    pub fn is_among(&self, positions: &[P], position: &P) -> bool {
        let same = |other: &P| (self.game.key)(other) == (self.game.key)(position);
        position.outcome().is_none()
            && positions.iter().any(|other| other.to_move() == position.to_move() && same(other))
    }

    fn key(&self, position: &P) -> u64 {
        attacker_key(self.game, position, self.attacker)
    }

    /// Searches a position until it is answered, or its numbers reach a limit.
    fn look_into(&mut self, position: &P, key: u64, limit: Numbers) -> Known {
        let before = self.meter.nodes();
        self.meter.count();
        if self.path.len() >= DEEPEST {
            self.meter.end(Ended::Depth);
        }
        let path_key = mixed(self.path.last().map_or(0, |visit| visit.path_key), key);
        self.path.push(Visit { key, path_key });
        let attacker = position.to_move() == self.attacker;
        let mut successors = self.successors(position, attacker);
        let found = loop {
            let all = || successors.iter().map(|successor| &successor.known);
            let found = combined(attacker, all());
            if found.numbers.reach(limit) || self.meter.is_over() {
                break found;
            }
            let (place, limit) = selected(attacker, limit, all());
            let Successor { action, key, .. } = successors[place];
            let mut next = position.clone();
            play(&mut next, action);
            successors[place].known = self.look_into(&next, key, limit);
        };
        self.path.pop();
        self.keep(key, found, self.meter.nodes() - before)
    }

    /// Returns the distinct positions that the actions lead to, with what is known about each.
    fn successors(&mut self, position: &P, attacker: bool) -> Vec<Successor> {
        let mut successors = Vec::with_capacity(position.num_legal_actions());
        let mut next = position.clone();
        for action in position.legal_actions() {
            let index = position.action_index(action);
            next.clone_from(position);
            next.play_unchecked(action);
            let (key, known) = self.first_look(&next);
            successors.push(Successor { action: index, key, known });
            let serves = if attacker { known.numbers.proof } else { known.numbers.disproof };
            // A disproof that depends on the path is noted, but a better one may follow.
            if serves == 0 && known.depends == NOTHING {
                break;
            }
        }
        successors.sort_unstable_by_key(|successor| (successor.key, successor.action));
        // Finished games have no key.
        successors.dedup_by(|a, b| a.key == b.key && a.key != 0);
        successors
    }

    fn first_look(&self, next: &P) -> (u64, Known) {
        if let Some(outcome) = next.outcome() {
            let wins = outcome.winner == Some(self.attacker);
            return (0, if wins { Known::proven(0) } else { Known::disproven(NOTHING) });
        }
        let key = self.key(next);
        if let Some(place) = self.path.iter().position(|visit| visit.key == key) {
            return (key, Known::disproven(place as u16));
        }
        let here = self.table.get(key);
        let on_path = || self.table.get(self.tied_key(key)).filter(|_| self.tied);
        let known = match here {
            Some(known) if known.numbers.is_solved() => known,
            _ => on_path().or(here).unwrap_or_else(|| Known::open((self.game.guess)(next, self.attacker))),
        };
        (key, known)
    }

    /// The key of a successor of the current position, on this path only.
    fn tied_key(&self, key: u64) -> u64 {
        mixed(key, self.path.last().map_or(0, |visit| visit.path_key))
    }

    /// Stores a result in the table; called when the position has left the path.
    ///
    /// A disproof that uses the recurrence of this position or of one below it is valid anywhere. One that needs a
    /// position above holds on this path only.
    fn keep(&mut self, key: u64, found: Known, work: u64) -> Known {
        let own_place = self.path.len() as u16;
        if found.depends == NOTHING || found.depends >= own_place {
            let found = Known { depends: NOTHING, ..found };
            self.table.put(key, found, work);
            return found;
        }
        self.tied = true;
        let tied_key = self.tied_key(key);
        self.table.put(tied_key, found, work);
        found
    }
}

fn play<P: Position>(position: &mut P, action: ActionIndex) {
    let action = position.action_at(action).expect("a successor has the index of a legal action");
    position.play_unchecked(action);
}
