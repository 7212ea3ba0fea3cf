//! One decision of a game, as a row.

use gipf_env::geometry::{Line, SPOTS, Spot};
use gipf_env::rules::ActionSet;
use gipf_env::{Action, ActionIndex, GipfPosition, Outcome, Phase, Player, Position, Reason, Setup};

use super::{DatasetError, board, rounding};
use crate::training::{Decision, PlayedGame, SearchKind};

/// One decision of a game. The columns of the file are named after these fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The number of the game in its dataset.
    pub game_id: u64,
    /// The number of the decision in the game, from 0.
    pub ply: u32,
    /// The number of decisions of the game after this one.
    pub plies_left: u32,
    /// The number of the turn, from 0: the placements made before it.
    pub turn: u32,
    /// The position text of the start of the game.
    pub start: String,
    /// The number of placements at which the game is cut off, if there is a limit.
    pub limit: Option<u16>,
    /// The pieces, a byte for each spot: 0 vacant; White's 1 single, 2 GIPF-piece, 3 loaded with a potential, 4 used
    /// potential; Black's 5 to 8.
    pub board: [u8; SPOTS],
    /// The part of the turn. In `Pre` and `Post`, the board, reserves and rights alone are not enough to restore the
    /// decision.
    pub phase: Phase,
    /// The piece that the player keeps or takes, if that is the question.
    pub question: Option<Spot>,
    /// The pieces of the current row that still have to be asked about, including the one in question.
    pub pending: Vec<Spot>,
    /// The lines handled in this removal phase, including that of the current row.
    pub handled: Vec<Line>,
    /// How often the position at the latest start of phase push has occurred, 0 to 3.
    pub occurrences: u8,
    /// Basic pieces in White's reserve.
    pub reserve_white: u8,
    /// Basic pieces in Black's reserve.
    pub reserve_black: u8,
    /// ZÈRTZ-potentials in White's hand.
    pub potentials_white: u8,
    /// ZÈRTZ-potentials in Black's hand.
    pub potentials_black: u8,
    /// Whether White may still bring in GIPF-pieces.
    pub gipf_right_white: bool,
    /// Whether Black may still bring in GIPF-pieces.
    pub gipf_right_black: bool,
    /// The player who decides.
    pub to_move: Player,
    /// The number of legal actions.
    pub legal_count: u16,
    /// The action taken.
    pub action: ActionIndex,
    /// How the decision was searched.
    pub effort: SearchKind,
    /// The actions to which the search gave a probability, ascending, or the choice of an agent; empty if there is neither.
    pub policy_actions: Vec<ActionIndex>,
    /// Their probabilities in units of 1/255, which sum to 255; those that round to 0 are left out.
    pub policy: Vec<u8>,
    /// The search's value for the player to move, -127 to 127; none without a search, and for agents that give no
    /// value.
    pub root_value: Option<i8>,
    /// The network's value for the player to move, -127 to 127; none without a search, and for agents.
    pub network_value: Option<i8>,
    /// How the game ended: 1 White won, -1 Black won, 0 neither.
    pub result: i8,
    /// Why the game ended.
    pub ending: Reason,
    /// Whether a limit cut the game off, so that `result` says nothing.
    pub truncated: bool,
}

impl Row {
    /// Returns the rows of a game.
    ///
    /// # Errors
    /// If a decision does not follow from those before it, or its policy names an illegal action.
    pub(super) fn of_game(game: &PlayedGame<GipfPosition>) -> Result<Vec<Self>, DatasetError> {
        let wrong = |what: String| DatasetError::Game { id: game.id, what };
        let start = restorable(&game.start).ok_or_else(|| wrong("it does not begin at the start of a turn".into()))?;
        let blank = Self { game_id: game.id, start, limit: game.start.placement_limit(), ..Self::blank() };
        let mut position = game.start.clone();
        let mut rows = Vec::with_capacity(game.decisions.len());
        for (ply, decision) in game.decisions.iter().enumerate() {
            if position.without_history() != decision.position.without_history() {
                return Err(wrong(format!("the position of decision {ply} is not that of the game")));
            }
            let mut row = blank.clone();
            row.place(ply, game.decisions.len(), game.outcome);
            row.show(&decision.position);
            row.decide(decision).map_err(wrong)?;
            rows.push(row);
            let action = position.action_at(decision.action);
            let played = action.map_or_else(
                || Err(illegal(decision.action)),
                |action| position.play(action).map_err(|error| error.to_string()),
            );
            played.map_err(|what| wrong(format!("decision {ply}: {what}")))?;
        }
        match position.outcome() {
            found if can_end(found, game.outcome) => Ok(rows),
            found => Err(wrong(format!("it ends with {found:?}: expected {}", game.outcome))),
        }
    }

    /// Sets the columns that follow from the place of a decision in a game of `plies` decisions, and from how the
    /// game ended.
    pub(super) fn place(&mut self, ply: usize, plies: usize, outcome: Outcome) {
        self.ply = ply as u32;
        self.plies_left = (plies - 1 - ply) as u32;
        self.result = outcome.reward(Player::White) as i8;
        self.ending = outcome.reason;
        self.truncated = outcome.truncated();
    }

    /// Sets the columns that follow from the position.
    pub(super) fn show(&mut self, position: &GipfPosition) {
        self.turn = position.turn() as u32;
        self.board = board::codes(position);
        self.phase = position.phase();
        self.question = position.question();
        self.pending = position.pending().into_iter().collect();
        self.handled = position.handled_lines().collect();
        self.occurrences = position.occurrences();
        [self.reserve_white, self.reserve_black] = Player::BOTH.map(|player| position.reserve(player));
        [self.potentials_white, self.potentials_black] = Player::BOTH.map(|player| position.potentials(player));
        [self.gipf_right_white, self.gipf_right_black] = Player::BOTH.map(|player| position.gipf_right(player));
        self.to_move = position.to_move();
        self.legal_count = position.action_set().len() as u16;
    }

    /// Sets the columns of the decision and its search.
    fn decide(&mut self, decision: &Decision<GipfPosition>) -> Result<(), String> {
        self.action = decision.action;
        self.effort = decision.effort;
        if decision.effort == SearchKind::None {
            return Ok(());
        }
        let policy = rounding::units(&decision.policy).ok_or("its policy does not sum to 1")?;
        (self.policy_actions, self.policy) = policy.into_iter().unzip();
        if let Some(what) = self.wrong_policy(&decision.position.action_set()) {
            return Err(format!("decision {}: {what} is not of the legal actions, ascending", self.ply));
        }
        self.root_value = decision.root_value.map(rounding::units_of_value);
        self.network_value = decision.network_value.map(rounding::units_of_value);
        Ok(())
    }

    /// Returns a column that contradicts the others of the decision, if there is one.
    pub(super) fn wrong_policy(&self, legal: &ActionSet) -> Option<&'static str> {
        let searched = self.effort != SearchKind::None;
        let whole = if searched { rounding::WHOLE } else { 0 };
        wrong_policy(&self.policy_actions, &self.policy, whole, legal).or_else(|| {
            let checks = [(self.root_value, "root_value"), (self.network_value, "network_value")];
            checks.into_iter().find(|(value, _)| !searched && value.is_some()).map(|(_, column)| column)
        })
    }

    /// Returns the policy as probabilities, which sum to 1; empty without a search.
    pub fn probabilities(&self) -> Vec<(ActionIndex, f32)> {
        probabilities(&self.policy_actions, &self.policy).collect()
    }

    /// Returns the search's value for the player to move, -1 to 1, if there is one.
    pub fn value(&self) -> Option<f32> {
        self.root_value.map(rounding::value)
    }

    /// Returns a row to be filled in, column by column.
    pub(super) fn blank() -> Self {
        Self {
            game_id: 0,
            ply: 0,
            plies_left: 0,
            turn: 0,
            start: String::new(),
            limit: None,
            board: [0; SPOTS],
            phase: Phase::Push,
            question: None,
            pending: Vec::new(),
            handled: Vec::new(),
            occurrences: 0,
            reserve_white: 0,
            reserve_black: 0,
            potentials_white: 0,
            potentials_black: 0,
            gipf_right_white: false,
            gipf_right_black: false,
            to_move: Player::White,
            legal_count: 0,
            action: ActionIndex(0),
            effort: SearchKind::None,
            policy_actions: Vec::new(),
            policy: Vec::new(),
            root_value: None,
            network_value: None,
            result: 0,
            ending: Reason::Limit,
            truncated: false,
        }
    }
}

/// Returns the column in which a policy is wrong, if one is: it must have units of legal actions, ascending, that sum
/// to `whole`.
pub(super) fn wrong_policy(
    actions: &[ActionIndex],
    units: &[u8],
    whole: u32,
    legal: &ActionSet,
) -> Option<&'static str> {
    let is_legal = |&index: &ActionIndex| Action::from_index(index).is_some_and(|action| legal.contains(action));
    let sum: u32 = units.iter().copied().map(u32::from).sum();
    if !(actions.is_sorted_by(|one, other| one < other) && actions.iter().all(is_legal)) {
        return Some("policy_actions");
    }
    let is_whole = units.len() == actions.len() && !units.contains(&0) && sum == whole;
    (!is_whole).then_some("policy")
}

/// Returns a policy as probabilities, which sum to 1.
pub(super) fn probabilities(actions: &[ActionIndex], units: &[u8]) -> impl Iterator<Item = (ActionIndex, f32)> {
    let sum: u32 = units.iter().copied().map(u32::from).sum();
    actions.iter().copied().zip(units.iter().map(move |&units| f32::from(units) / sum as f32))
}

/// Returns whether a game whose last position has one outcome can have ended with another: a player can resign.
pub(super) fn can_end(found: Option<Outcome>, outcome: Outcome) -> bool {
    let given_up = outcome.reason == Reason::Resignation && outcome.winner.is_some();
    found.map_or(given_up, |found| found == outcome)
}

/// Returns the text of a position, if it restores everything except the limit and the history.
fn restorable(start: &GipfPosition) -> Option<String> {
    let text = start.to_gpn();
    let setup: Setup = text.parse().ok()?;
    let restored = GipfPosition::from_setup(&setup.with_placement_limit(start.placement_limit())).ok()?;
    (restored.without_history() == start.without_history()).then_some(text)
}

fn illegal(index: ActionIndex) -> String {
    format!("action {index} does not exist")
}
