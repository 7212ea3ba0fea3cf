//! The conclusions about a whole game.

use gipf_env::notation::record::{Conclusion, Record};
use gipf_env::{Player, Variant};
use serde::{Deserialize, Serialize};

use super::left_book::{is_in_book, left_book};
use super::look::{Known, Look, LookedAt, in_thousandths};
use super::severity::{LEAD, Severity, accuracy};
use super::turns::{PlayedGame, PlayedTurn};

/// A game with the value of every turn. Values are for White, -1 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// Who analysed it, and for how long.
    pub analyst: String,
    /// The rule set.
    pub variant: Variant,
    /// The position text of the start.
    pub start: String,
    /// The winner according to the record, if there is one; players may also resign.
    pub winner: Option<Player>,
    /// All turns in order.
    pub turns: Vec<AnalysedTurn>,
    /// What was found about the position after the last turn.
    pub end: Look,
    /// The summaries of White and Black.
    pub players: [PlayerSummary; 2],
    /// The numbers of the turns that are mistakes of any size, the largest loss first.
    pub mistakes: Vec<usize>,
    /// The turns with which the lead changed hands, in order.
    pub turning_points: Vec<TurningPoint>,
    /// The first turn after which the position is not in the book of the rule set; none if the game never left it.
    pub left_book: Option<usize>,
}

/// A turn and its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalysedTurn {
    /// Its number, from 1.
    pub number: usize,
    /// Whose turn it was.
    pub player: Player,
    /// The position text of its start.
    pub position: String,
    /// The turn in official complete notation; see [`LookedAt::turn`].
    pub played: String,
    /// Its decisions by their numbers.
    pub actions: Vec<u16>,
    /// Whether the player had no choice in it.
    pub forced: bool,
    /// The value before it, if the best is played.
    pub value: f32,
    /// The value after it.
    pub after: f32,
    /// The drop of the player's expected result, 0 to 2, in thousandths.
    pub loss: f32,
    /// What kind of mistake that is, if it is one.
    pub severity: Option<Severity>,
    /// How well it was played, 0 to 100; none if there was no choice.
    pub accuracy: Option<f32>,
    /// The result before it, if it is certain.
    pub known: Option<Known>,
    /// The turns that the search thought of most, the best first; none if there was no choice.
    pub candidates: Vec<LookedAt>,
    /// The positions visited, or the simulations of a tree search.
    pub nodes: u64,
}

/// The summary of one player's turns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerSummary {
    /// The mean of [`accuracy`] over the turns with a choice; none without such turns.
    pub accuracy: Option<f32>,
    /// The number of turns with a choice.
    pub choices: usize,
    /// The mean loss of these turns, 0 to 2.
    pub mean_loss: Option<f32>,
    /// The number of inaccuracies.
    pub inaccuracies: usize,
    /// The number of mistakes that are not blunders.
    pub mistakes: usize,
    /// The number of blunders.
    pub blunders: usize,
}

/// A turn with which a player took the lead, by [`LEAD`] or more, who was not the last to hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurningPoint {
    /// The number of the turn, from 1.
    pub turn: usize,
    /// Who leads after it.
    pub leader: Player,
}

impl Analysis {
    /// Draws the conclusions from the looks at the start of each turn with a choice, in order, and at the end of the
    /// game.
    ///
    /// # Panics
    /// If there is not one look for each of them.
    pub fn of(record: &Record, looks: &[Look], analyst: String) -> Self {
        let game = PlayedGame::of(record);
        let (end, looks) = looks.split_last().expect("a game has an end that was looked at");
        let turns = analysed(&game.turns, looks, end);
        let mut mistakes: Vec<_> = turns.iter().filter(|turn| turn.severity.is_some()).collect();
        mistakes.sort_by(|a, b| b.loss.total_cmp(&a.loss));
        let winner = match record.conclusion() {
            Some(Conclusion::Won(winner)) => Some(winner),
            Some(Conclusion::Void) | None => None,
        };
        Self {
            analyst,
            variant: record.variant(),
            start: record.setup().to_string(),
            winner,
            mistakes: mistakes.iter().map(|turn| turn.number).collect(),
            players: Player::BOTH.map(|player| PlayerSummary::of(&turns, player)),
            turning_points: turning_points(&turns),
            left_book: left_book(record, game.end.position()),
            end: end.clone(),
            turns,
        }
    }

    /// Returns whether the game starts in the book of the rule set: if not, it cannot have left it.
    pub fn starts_in_book(&self) -> bool {
        self.start.parse().is_ok_and(|setup| is_in_book(&setup))
    }

    /// Returns the looks from which [`of`](Self::of) makes this analysis.
    pub fn looks(&self) -> Vec<Look> {
        let of_turn = |turn: &AnalysedTurn| {
            let AnalysedTurn { value, known, nodes, .. } = *turn;
            Look { value, known, candidates: turn.candidates.clone(), nodes }
        };
        let chosen = self.turns.iter().filter(|turn| !turn.forced);
        chosen.map(of_turn).chain([self.end.clone()]).collect()
    }

    /// Returns the turn of a number, from 1, if there is one.
    pub fn turn(&self, number: usize) -> Option<&AnalysedTurn> {
        self.turns.get(number.checked_sub(1)?)
    }
}

/// Works backwards, since a turn without a choice has the value of what follows it.
fn analysed(turns: &[PlayedTurn], looks: &[Look], end: &Look) -> Vec<AnalysedTurn> {
    let chosen = turns.iter().filter(|turn| turn.first_choice.is_some()).count();
    assert_eq!(chosen, looks.len(), "each turn with a choice was looked at");
    let (mut looks, mut next) = (looks.iter().rev(), (end.value, end.known));
    let mut analysed: Vec<_> = (1..)
        .zip(turns)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .map(|(number, turn)| {
            let look = turn.first_choice.and_then(|_| looks.next());
            let analysed = AnalysedTurn::of(number, turn, look, next);
            next = (analysed.value, analysed.known);
            analysed
        })
        .collect();
    analysed.reverse();
    analysed
}

impl AnalysedTurn {
    fn of(number: usize, turn: &PlayedTurn, look: Option<&Look>, (after, known_after): (f32, Option<Known>)) -> Self {
        let (value, known) = look.map_or((after, known_after), |look| (look.value, look.known));
        let drop = in_thousandths(turn.player.sign() * (value - after)).max(0.0);
        let is_best = look.is_none_or(|look| look.candidates.first().is_some_and(|best| turn.is(&best.turn)));
        let loss = if is_best { 0.0 } else { drop };
        Self {
            number,
            player: turn.player,
            position: turn.start.clone(),
            played: turn.text.clone(),
            actions: turn.actions.iter().map(|action| action.index().0).collect(),
            forced: look.is_none(),
            value,
            after,
            loss,
            severity: Severity::of(loss),
            accuracy: look.map(|_| accuracy(loss)),
            known,
            candidates: look.map_or_else(Vec::new, |look| look.candidates.clone()),
            nodes: look.map_or(0, |look| look.nodes),
        }
    }
}

impl PlayedTurn {
    /// Returns whether a text is this turn, or a turn that leads to the same position.
    fn is(&self, text: &str) -> bool {
        let mut ledger = self.ledger.clone();
        text == self.text
            || super::text::play_text(&mut ledger, text).is_ok() && ledger.position().key() == self.end.key()
    }
}

impl PlayerSummary {
    fn of(turns: &[AnalysedTurn], player: Player) -> Self {
        let own: Vec<_> = turns.iter().filter(|turn| turn.player == player && !turn.forced).collect();
        let mean = |value: fn(&AnalysedTurn) -> f32| {
            let sum: f64 = own.iter().map(|turn| f64::from(value(turn))).sum();
            (!own.is_empty()).then(|| (sum / own.len() as f64) as f32)
        };
        let count = |severity| own.iter().filter(|turn| turn.severity == Some(severity)).count();
        Self {
            accuracy: mean(|turn| turn.accuracy.unwrap_or(100.0)),
            choices: own.len(),
            mean_loss: mean(|turn| turn.loss),
            inaccuracies: count(Severity::Inaccuracy),
            mistakes: count(Severity::Mistake),
            blunders: count(Severity::Blunder),
        }
    }
}

fn turning_points(turns: &[AnalysedTurn]) -> Vec<TurningPoint> {
    let mut leader = turns.first().and_then(|turn| leader_at(turn.value));
    let mut points = Vec::new();
    for turn in turns {
        let now = leader_at(turn.after);
        if now.is_some() && now != leader {
            leader = now;
            points.extend(now.map(|leader| TurningPoint { turn: turn.number, leader }));
        }
    }
    points
}

fn leader_at(value: f32) -> Option<Player> {
    match value {
        value if value >= LEAD => Some(Player::White),
        value if value <= -LEAD => Some(Player::Black),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::comments::tests::any_analyses;
    use super::*;

    #[test]
    fn losses_mistakes_and_sums_follow_from_the_values() {
        let (mut forced, mut best, mut wrong) = (0, 0, 0);
        for (record, analysis) in any_analyses(60) {
            assert_eq!(analysis.turns.len(), record.turns().len());
            for (number, turn) in analysis.turns.iter().enumerate() {
                let next = analysis.turns.get(number + 1).map_or(analysis.end.value, |next| next.value);
                assert_eq!((turn.after, turn.severity), (next, Severity::of(turn.loss)));
                let drop = turn.player.sign() * (turn.value - turn.after);
                let is_best = turn.candidates.first().is_some_and(|best| best.turn == turn.played);
                match turn {
                    AnalysedTurn { forced: true, .. } => {
                        assert!(turn.value == next && turn.loss == 0.0 && turn.accuracy.is_none());
                        forced += 1;
                    }
                    _ if is_best => {
                        assert_eq!((turn.loss, turn.accuracy), (0.0, Some(100.0)));
                        best += 1;
                    }
                    _ => assert!(turn.loss == 0.0 || (turn.loss - drop).abs() < 1e-3),
                }
                wrong += usize::from(turn.severity.is_some());
            }
            let losses: Vec<_> = analysis.mistakes.iter().map(|&turn| analysis.turn(turn).unwrap().loss).collect();
            assert!(losses.is_sorted_by(|a, b| a >= b) && losses.last().is_none_or(|&loss| loss >= 0.1));
            for (player, summary) in Player::BOTH.into_iter().zip(&analysis.players) {
                let own = analysis.turns.iter().filter(|turn| turn.player == player);
                let sum = summary.inaccuracies + summary.mistakes + summary.blunders;
                assert_eq!(sum, own.filter(|turn| turn.severity.is_some()).count());
                assert!(summary.accuracy.is_none_or(|accuracy| (0.0..=100.0).contains(&accuracy)));
            }
            assert!(analysis.turning_points.windows(2).all(|pair| pair[0].leader != pair[1].leader));
            let text = serde_json::to_string(&analysis).unwrap();
            assert_eq!(serde_json::from_str::<Analysis>(&text).unwrap(), analysis, "it survives JSON");
        }
        assert!(forced >= 2 && best > 20 && wrong > 500, "{forced} {best} {wrong}");
    }
}
