//! One decision of a game, as a row.

use gipf_env::geometry::{Line, Spot};
use gipf_env::{ActionIndex, GipfPosition, Outcome, Phase, Player, Position, Reason, Setup};

use super::DatasetError;
use crate::sample::{Decision, Effort, PlayedGame};

/// One decision of a game. The columns of the file have the names of these fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The number of the game in its dataset.
    pub game_id: u64,
    /// The number of the decision in the game, from 0.
    pub ply: u32,
    /// The number of the turn, from 0: the placements made before it.
    pub turn: u32,
    /// Position text of the start of the game.
    pub start: String,
    /// Position text of the pieces, reserves and rights at this decision.
    pub gpn: String,
    /// The part of the turn. In `Pre` and `Post` the position text alone does not restore the decision.
    pub phase: Phase,
    /// The piece that the player keeps or takes, if that is the question.
    pub question: Option<Spot>,
    /// The pieces of the row in hand still to be asked about, the one in question included.
    pub pending: Vec<Spot>,
    /// The lines handled in this removal phase, that of the row in hand included.
    pub handled: Vec<Line>,
    /// Placements made, jumps included.
    pub placements: u16,
    /// Placements at which the game would be cut off, if there is a limit.
    pub limit: Option<u16>,
    /// How often the position at the last start of phase push has occurred, 0 to 3.
    pub occurrences: u8,
    /// Basic pieces in White's reserve.
    pub reserve_white: u8,
    /// Basic pieces in Black's reserve.
    pub reserve_black: u8,
    /// The player who decides.
    pub to_move: Player,
    /// The legal actions, ascending.
    pub legal: Vec<ActionIndex>,
    /// The action taken.
    pub action: ActionIndex,
    /// How the decision was searched.
    pub effort: Effort,
    /// The search's probability for each action of `legal`, in its order, or 1 for the choice of an agent; none without
    /// either.
    pub policy: Option<Vec<f32>>,
    /// The search's value for the player to move, -1 to 1; none without a search, and of agents that have no opinion.
    pub root_value: Option<f32>,
    /// The network's value for the player to move, -1 to 1; none without a search, and of agents.
    pub network_value: Option<f32>,
    /// How the game ended for the player to move: 1 won, -1 lost, 0 otherwise.
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
        let mut position = game.start.clone();
        let mut rows = Vec::with_capacity(game.decisions.len());
        for (ply, decision) in game.decisions.iter().enumerate() {
            if position.without_history() != decision.position.without_history() {
                return Err(wrong(format!("the position of decision {ply} is not that of the game")));
            }
            rows.push(Self::of_decision(game, ply, &start).map_err(wrong)?);
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

    fn of_decision(game: &PlayedGame<GipfPosition>, ply: usize, start: &str) -> Result<Self, String> {
        let decision = &game.decisions[ply];
        let position = &decision.position;
        let searched = decision.effort != Effort::None;
        let legal: Vec<_> = position.action_set().indices().collect();
        Ok(Self {
            game_id: game.id,
            ply: ply as u32,
            turn: position.turn() as u32,
            start: start.to_owned(),
            gpn: position.to_gpn(),
            phase: position.phase(),
            question: position.question(),
            pending: position.pending().into_iter().collect(),
            handled: position.handled_lines().collect(),
            placements: position.placements(),
            limit: position.limit(),
            occurrences: position.occurrences(),
            reserve_white: position.reserve(Player::White),
            reserve_black: position.reserve(Player::Black),
            to_move: position.to_move(),
            action: decision.action,
            effort: decision.effort,
            policy: if searched { Some(policy_over(&legal, decision)?) } else { None },
            root_value: decision.root_value.filter(|_| searched),
            network_value: decision.network_value.filter(|_| searched),
            result: game.outcome.reward(position.to_move()) as i8,
            ending: game.outcome.reason,
            truncated: game.outcome.truncated(),
            legal,
        })
    }

    /// Returns a row to be filled in, column by column.
    pub(super) fn blank() -> Self {
        Self {
            game_id: 0,
            ply: 0,
            turn: 0,
            start: String::new(),
            gpn: String::new(),
            phase: Phase::Push,
            question: None,
            pending: Vec::new(),
            handled: Vec::new(),
            placements: 0,
            limit: None,
            occurrences: 0,
            reserve_white: 0,
            reserve_black: 0,
            to_move: Player::White,
            legal: Vec::new(),
            action: ActionIndex(0),
            effort: Effort::None,
            policy: None,
            root_value: None,
            network_value: None,
            result: 0,
            ending: Reason::Limit,
            truncated: false,
        }
    }
}

/// Returns whether a game whose last position has one outcome can have ended with another: it can be given up.
pub(super) fn can_end(found: Option<Outcome>, outcome: Outcome) -> bool {
    let given_up = outcome.reason == Reason::Resignation && outcome.winner.is_some();
    found.map_or(given_up, |found| found == outcome)
}

/// Returns the text of a position, if it restores all of it but the limit and the history.
fn restorable(start: &GipfPosition) -> Option<String> {
    let text = start.to_gpn();
    let setup: Setup = text.parse().ok()?;
    let restored = GipfPosition::from_setup(&setup.with_limit(start.limit())).ok()?;
    (restored.without_history() == start.without_history()).then_some(text)
}

fn illegal(index: ActionIndex) -> String {
    format!("action {index} does not exist")
}

/// Returns the search's probability for each legal action.
fn policy_over(legal: &[ActionIndex], decision: &Decision<GipfPosition>) -> Result<Vec<f32>, String> {
    let mut policy = vec![0.0; legal.len()];
    for &(index, probability) in &decision.policy {
        let place = legal.binary_search(&index).map_err(|_| format!("the policy names {index}, which is illegal"))?;
        policy[place] += probability;
    }
    Ok(policy)
}
