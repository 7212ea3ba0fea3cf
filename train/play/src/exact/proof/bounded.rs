//! Wins within a number of turns.

use gipf_env::{ActionIndex, Player, Position};

use super::meter::Meter;
use super::table::Table;
use super::{Game, attacker_key};

/// Bounds for a position: from it the attacker wins within `won` turns, and does not within `held`.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    won: u8,
    held: Option<u8>,
    /// The answer to the last question: the action that wins, or holds out.
    action: ActionIndex,
}

/// Nothing is known yet.
const NEVER: u8 = u8::MAX;

impl Default for Bounds {
    fn default() -> Self {
        Self { won: NEVER, held: None, action: ActionIndex(u16::MAX) }
    }
}

/// Asks whether a player can force a win within one turn, within two, and so on.
///
/// The turns left only decrease on the way from the root, so no answer depends on the actions before it.
pub(super) struct Bounded<'a, P> {
    game: &'a Game<P>,
    meter: &'a Meter<'a>,
    table: Table<Bounds>,
    attacker: Player,
    /// The number of the first turn that is not searched.
    horizon: usize,
    /// How often each action has answered a question, for the attacker and the defender.
    merits: [Vec<u32>; 2],
    /// The turns and the player asked about next.
    next: (usize, Player),
}

/// The most turns that are searched.
const FARTHEST: usize = 200;

impl<'a, P: Position> Bounded<'a, P> {
    pub fn new(game: &'a Game<P>, meter: &'a Meter<'a>, root: &P, bytes: usize) -> Self {
        let merits = [(); 2].map(|()| vec![0; root.num_actions()]);
        let next = (1, root.to_move());
        Self { game, meter, table: Table::new(bytes), attacker: Player::White, horizon: 0, merits, next }
    }

    pub fn bytes(&self) -> usize {
        self.table.most_bytes()
    }

    /// Visits this many more positions, deepening turn by turn; returns who wins, and in how many turns at the latest.
    pub fn deepen(&mut self, root: &P, nodes: u64) -> Option<(Player, usize)> {
        self.meter.grant(nodes);
        while self.next.0 <= FARTHEST {
            let (turns, player) = self.next;
            match self.ask(root, player, root.turn() + turns) {
                Some(true) => return Some((player, turns)),
                Some(false) if player == root.to_move() => self.next.1 = player.other(),
                Some(false) => self.next = (turns + 1, root.to_move()),
                None => return None,
            }
        }
        None
    }

    /// Returns whether a player can force a win before the turn of this number; none if the search must pause.
    fn ask(&mut self, position: &P, attacker: Player, horizon: usize) -> Option<bool> {
        (self.attacker, self.horizon) = (attacker, horizon);
        self.wins(position)
    }

    fn wins(&mut self, position: &P) -> Option<bool> {
        if let Some(outcome) = position.outcome() {
            return Some(outcome.winner == Some(self.attacker));
        }
        let left = self.horizon.saturating_sub(position.turn());
        if left == 0 || (self.game.fewest_turns)(position, self.attacker) > left {
            return Some(false);
        }
        let key = attacker_key(self.game, position, self.attacker);
        let known = self.table.get(key).unwrap_or_default();
        if usize::from(known.won) <= left {
            return Some(true);
        }
        if known.held.is_some_and(|held| usize::from(held) >= left) {
            return Some(false);
        }
        if self.meter.is_over() {
            return None;
        }
        self.look_into(position, key, known, left as u8)
    }

    fn look_into(&mut self, position: &P, key: u64, known: Bounds, left: u8) -> Option<bool> {
        let before = self.meter.nodes();
        self.meter.count();
        let attacks = position.to_move() == self.attacker;
        let mut answer = None;
        for action in self.ordered(position, known.action, attacks) {
            if self.wins(&self.after(position, action))? == attacks {
                answer = Some(action);
                break;
            }
        }
        let wins = answer.is_some() == attacks;
        if let Some(action) = answer {
            let merit = &mut self.merits[usize::from(attacks)][action.get()];
            *merit = merit.saturating_add(u32::from(left) * u32::from(left));
        }
        let action = answer.unwrap_or(known.action);
        let found =
            if wins { Bounds { won: left, action, ..known } } else { Bounds { held: Some(left), action, ..known } };
        self.table.put(key, found, self.meter.nodes() - before);
        Some(wins)
    }

    /// Returns the legal actions, first those that answered the question before or elsewhere.
    fn ordered(&self, position: &P, known: ActionIndex, attacks: bool) -> Vec<ActionIndex> {
        let merits = &self.merits[usize::from(attacks)];
        let merit = |index: &ActionIndex| if *index == known { u32::MAX } else { merits[index.get()] };
        let mut actions: Vec<_> = position.legal_actions().map(|action| position.action_index(action)).collect();
        actions.sort_by_key(|index| std::cmp::Reverse(merit(index)));
        actions
    }

    /// Returns the fastest win against the longest defence, from a position that is won in this many turns and not in
    /// fewer, as far as it can be found with `nodes` positions for each decision.
    pub fn line(&mut self, root: &P, winner: Player, turns: usize, nodes: u64) -> Vec<P::Action> {
        let (mut position, mut line, horizon) = (root.clone(), Vec::new(), root.turn() + turns);
        while position.outcome().is_none() {
            self.meter.grant(nodes);
            let attacks = position.to_move() == winner;
            // Every action of the loser loses in time, and one of them keeps the winner from being faster.
            let horizon = if attacks { horizon } else { horizon - 1 };
            let serves =
                |action: &ActionIndex| self.ask(&self.after(&position, *action), winner, horizon) == Some(attacks);
            let actions: Vec<_> = position.legal_actions().map(|action| position.action_index(action)).collect();
            let Some(index) = actions.into_iter().find(serves) else { break };
            let action = position.action_at(index).expect("the index is that of a legal action");
            position = self.after(&position, index);
            line.push(action);
        }
        line
    }

    /// The history is dropped, so that a position is not void when the search reaches it for the third time.
    fn after(&self, position: &P, action: ActionIndex) -> P {
        let mut next = (self.game.forget)(position);
        next.play_unchecked(position.action_at(action).expect("the index is that of a legal action"));
        next
    }
}
