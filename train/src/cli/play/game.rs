//! A game in progress: its start and all actions, so that turns can be taken back and the game can be saved.

use gipf_env::notation::record::{Conclusion, Record};
use gipf_env::{Action, GipfPosition, IllegalAction, Phase, Player, Position, Setup};

use super::spelling::write;

/// How a game ended if its rules did not end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// This player has resigned.
    Resigned(Player),
    /// Someone has ruled so, or the players have agreed.
    Ruled(Conclusion),
}

/// A game in progress.
#[derive(Clone, Debug)]
pub(super) struct Game {
    setup: Setup,
    actions: Vec<Action>,
    /// The start, and the position after each action.
    positions: Vec<GipfPosition>,
    /// How the game ended, if not by its rules.
    ended: Option<Ended>,
}

impl Game {
    /// Begins a game from a setup that is a valid position of its rule set.
    pub fn new(setup: Setup) -> Self {
        let start = GipfPosition::from_setup(&setup).expect("the setup was checked when it was read");
        Self { setup, actions: Vec::new(), positions: vec![start], ended: None }
    }

    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Returns the position now.
    pub fn position(&self) -> &GipfPosition {
        self.positions.last().expect("there is always the start")
    }

    /// Returns whether the game is over.
    pub fn is_over(&self) -> bool {
        self.position().outcome().is_some() || self.ended.is_some()
    }

    /// Returns how the game ended, if not by its rules.
    pub const fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// Returns the finished turns, and how the game ended, if it has: void if nobody has won.
    pub fn record(&self) -> Record {
        let by_rules = self.position().outcome().map(|end| end.winner.map_or(Conclusion::Void, Conclusion::Won));
        let conclusion = by_rules.or_else(|| {
            Some(match self.ended? {
                Ended::Resigned(loser) => Conclusion::Won(loser.other()),
                Ended::Ruled(conclusion) => conclusion,
            })
        });
        Record::new(&self.setup, &self.actions, conclusion).expect("the game was played by the rules")
    }

    /// Returns the placement made last, to be marked on the board, and its text.
    pub fn last_placement(&self) -> Option<(Action, String)> {
        let place = self.actions.iter().rposition(|action| action.is_placement())?;
        let action = self.actions[place];
        Some((action, write(&self.positions[place], action)))
    }

    /// Plays an action.
    ///
    /// # Errors
    /// If it is not legal; nothing changes.
    pub fn play(&mut self, action: Action) -> Result<(), IllegalAction> {
        let mut next = self.position().clone();
        next.play(action)?;
        self.actions.push(action);
        self.positions.push(next);
        Ok(())
    }

    /// Ends the game, unless it is over by its rules.
    pub const fn end(&mut self, ended: Ended) {
        self.ended = Some(ended);
    }

    /// Goes back to the beginning of the last turn in which a player placed a piece; false if there is none.
    ///
    /// Everything after it is taken back as well, including the end of the game. A turn begins with the removals before its
    /// placement.
    pub fn undo_turn_of(&mut self, player: Player) -> bool {
        let own = |position: &GipfPosition| position.to_move() == player && position.outcome().is_none();
        let played = &self.positions[..self.actions.len()];
        let Some(placed) = played.iter().rposition(|position| own(position) && position.phase() == Phase::Push) else {
            return false;
        };
        let turn = played[placed].turn();
        let first = played.iter().position(|position| own(position) && position.turn() == turn).unwrap_or(placed);
        self.actions.truncate(first);
        self.positions.truncate(first + 1);
        self.ended = None;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gipf_env::Variant;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn a_turn_is_taken_back_with_everything_since() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for variant in Variant::ALL.repeat(4) {
            let mut game = Game::new(Setup::start(variant));
            let mut before_turns: Vec<(usize, Player, usize, GipfPosition)> = Vec::new();
            while game.position().outcome().is_none() {
                let (player, turn) = (game.position().to_move(), game.position().turn());
                if before_turns.last().is_none_or(|&(last, ..)| last != turn) {
                    before_turns.push((turn, player, game.actions().len(), game.position().clone()));
                }
                let legal: Vec<_> = game.position().legal_actions().collect();
                game.play(legal[rng.random_range(0..legal.len())]).unwrap();
            }
            // A turn in which the game ended before the placement does not count.
            let placed = usize::from(game.position().placements());
            for (_, player, actions, position) in before_turns.into_iter().take(placed).rev().step_by(2) {
                assert!(game.undo_turn_of(player));
                assert_eq!((game.actions().len(), game.position()), (actions, &position));
            }
        }
    }

    #[test]
    fn before_the_first_placement_there_is_nothing_to_take_back() {
        let mut game = Game::new(Setup::start(Variant::BASIC));
        assert!(!game.undo_turn_of(Player::White));
        game.play(game.position().action_set().nth(0).unwrap()).unwrap();
        assert!(!game.undo_turn_of(Player::Black));
        assert!(game.undo_turn_of(Player::White));
        assert_eq!(game.actions(), []);
    }
}
