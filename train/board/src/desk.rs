//! Answers what the page asks.

use std::fmt;

use gipf_env::notation::official::Form;
use gipf_env::notation::record::{self, Conclusion, Notation, Record, Source};
use gipf_env::{Action, GipfPosition, Player, Position, Variant};
use gipf_play::Stop;
use gipf_play::players::TurnLimits;

use crate::ask::{Answer, Ask, word};
use crate::error::BoardError;
use crate::game::GameText;
use crate::geometry::BoardLines;
use crate::opponents::{Mind, Opponents};
use crate::thinking::think;
use crate::view::View;

/// Answers what the page asks, for any number of pages at once.
pub struct Desk {
    opponents: Opponents,
}

impl Default for Desk {
    fn default() -> Self {
        Self::new(Opponents::shipped())
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("players", &self.opponents.iter().count()).finish()
    }
}

/// The most positions visited in a turn of a sweep.
const SWEEP: u64 = 100_000;

impl Desk {
    /// Returns a desk that offers these players.
    pub fn new(opponents: Opponents) -> Self {
        Self { opponents }
    }

    /// Answers, and tells what is known meanwhile. A stop ends what takes long as soon as there is an answer.
    ///
    /// # Errors
    /// If the question has no answer; nothing has changed.
    pub fn answer(&self, ask: &Ask, stop: &Stop, tell: &mut dyn FnMut(Answer)) -> Result<Answer, BoardError> {
        match ask {
            Ask::Hello {} => Ok(self.hello()),
            Ask::Look { game } => Ok(Answer::View(Box::new(View::of(game)?))),
            Ask::Move { game, player, seed } => self.play(game, player, u64::from(*seed), stop),
            Ask::Analyse { game, player } => {
                let mut mind = self.opponents.mind(player, game.setup()?.variant)?;
                let position = unfinished(game)?;
                let mut report = |thoughts: &_| tell(Answer::Thoughts(Clone::clone(thoughts)));
                Ok(Answer::Thoughts(think(&mut mind, &position, u64::MAX, stop, &mut report)))
            }
            Ask::Sweep { game, player, nodes } => {
                self.sweep(game, player, u64::from(*nodes).clamp(1, SWEEP), stop, tell)
            }
            Ask::Read { text } => read(text),
            Ask::Write { game, resigned } => write(game, *resigned),
        }
    }

    /// Returns whether a question takes so long that another one should end it.
    pub const fn takes_long(ask: &Ask) -> bool {
        matches!(ask, Ask::Move { .. } | Ask::Analyse { .. } | Ask::Sweep { .. })
    }

    fn hello(&self) -> Answer {
        Answer::Hello {
            board: BoardLines::new(),
            variants: Variant::ALL.iter().map(ToString::to_string).collect(),
            players: self.opponents.iter().cloned().collect(),
        }
    }

    /// Plays the turn that is due.
    fn play(&self, game: &GameText, player: &str, seed: u64, stop: &Stop) -> Result<Answer, BoardError> {
        let mut position = unfinished(game)?;
        let mut mind = self.opponents.mind(player, position.variant())?;
        let (mover, turn) = (position.to_move(), position.turn());
        let limits = TurnLimits::until(stop);
        let (mut actions, mut value) = (Vec::new(), None);
        let agent = mind.agent();
        agent.begin(&position, &[], seed);
        while position.outcome().is_none() && position.to_move() == mover && position.turn() == turn {
            let choice = agent.choose(&position, &limits).expect("agents of this program do not fail");
            value = choice.value.map(|value| value * mover.sign());
            actions.push(choice.action.index().0);
            position.play(choice.action).expect("agents choose legal actions");
            agent.observe(choice.action);
        }
        Ok(Answer::Move { actions, value })
    }

    /// Thinks about the start of each turn, and the position after the last one.
    fn sweep(
        &self,
        game: &GameText,
        player: &str,
        nodes: u64,
        stop: &Stop,
        tell: &mut dyn FnMut(Answer),
    ) -> Result<Answer, BoardError> {
        let positions = game.positions()?;
        let mut mind = self.opponents.mind(player, positions[0].variant())?;
        let begins = |place: &usize| {
            let turn = |position: &GipfPosition| (position.turn(), position.to_move());
            place.checked_sub(1).is_none_or(|before| turn(&positions[before]) != turn(&positions[*place]))
        };
        for actions in (0..positions.len()).filter(begins) {
            let position = &positions[actions];
            if stop.requested() || position.outcome().is_some() {
                break;
            }
            // What one position taught is of use in the next, but a sweep is to be the same whenever it begins.
            mind.agent().begin(position, &[], 0);
            let thoughts = think(&mut mind, position, nodes, stop, &mut |_| ());
            tell(Answer::Turn { actions, thoughts });
        }
        Ok(Answer::End {})
    }
}

impl Mind {
    fn agent(&mut self) -> &mut dyn gipf_play::players::Agent<GipfPosition> {
        match self {
            Self::Search(search) => &mut **search,
            Self::Other(agent) => &mut **agent,
        }
    }
}

fn unfinished(game: &GameText) -> Result<GipfPosition, BoardError> {
    let position = game.position()?;
    if position.outcome().is_some() { Err(BoardError::Over) } else { Ok(position) }
}

/// Reads a record, or a position text.
fn read(text: &str) -> Result<Answer, BoardError> {
    if let Ok(setup) = text.trim().parse() {
        let game = GameText::new(&setup, &[]);
        game.position()?;
        return Ok(Answer::Game { game, understood: format!("position, {}", setup.variant), conclusion: None });
    }
    let reading = record::read(text, &Source::default())?;
    let (setup, actions) = (reading.record.setup(), reading.record.actions());
    Ok(Answer::Game {
        game: GameText::new(setup, &actions),
        understood: reading.to_string(),
        conclusion: reading.record.conclusion().map(word),
    })
}

fn write(game: &GameText, resigned: Option<Player>) -> Result<Answer, BoardError> {
    let actions: Vec<Action> = game.actions()?;
    let conclusion = resigned.map(|player| Conclusion::Won(player.other()));
    let record = Record::new(&game.setup()?, &actions, conclusion)?;
    Ok(Answer::Record { text: record::write(&record, Notation::Text(Form::Complete))? })
}
