//! An agent at work on the positions of a game.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gipf_env::notation::Ledger;
use gipf_env::notation::record::Record;
use gipf_env::{Action, GipfPosition};

use super::Analysis;
use super::look::{Known, Look, LookedAt, in_hundredths, in_thousandths};
use super::text::turn_texts;
use super::turns::{PlayedGame, Question};
use crate::players::{Agent, Candidate, Contender, Fault, TimeText, TurnLimits};
use crate::{Stop, in_order};

/// What an analysis may cost, and how much it reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The simulations, or the positions of alpha-beta, for a turn.
    pub nodes: Option<u64>,
    /// The time for a turn. With neither limit, those in the agent's name hold.
    pub time: Option<Duration>,
    /// The number of turns reported for a position, 1 or more. Alpha-beta searches each of them separately.
    pub candidates: usize,
    /// The seed of the agent in every position.
    pub seed: u64,
}

impl Default for Effort {
    /// Returns the limits of the agent's name, three candidates, and seed 0.
    fn default() -> Self {
        Self { nodes: None, time: None, candidates: 3, seed: 0 }
    }
}

impl Effort {
    /// Returns the limits of a turn in words, such as `1s a turn`; none if they are those of the agent's name.
    pub fn told(&self) -> Option<String> {
        let nodes = self.nodes.map(|nodes| format!("{nodes} nodes"));
        let time = self.time.map(|time| TimeText(time).to_string());
        let both: Vec<_> = [nodes, time].into_iter().flatten().collect();
        self.is_limited().then(|| format!("{} a turn", both.join(", ")))
    }

    /// Returns whether it sets limits, which replace those in the agent's name.
    pub(super) const fn is_limited(&self) -> bool {
        self.nodes.is_some() || self.time.is_some()
    }

    pub(super) fn limits(&self, stop: &Stop) -> TurnLimits {
        let Self { nodes, time, .. } = *self;
        TurnLimits { nodes, time, lifted: self.is_limited(), ..TurnLimits::until(stop) }
    }
}

/// How an analysis is done.
pub struct Work<'a> {
    /// What it may cost.
    pub effort: Effort,
    /// Called with the number of positions done, from any thread; there is at most one more of them than turns.
    pub progress: &'a (dyn Fn(usize) + Sync),
    /// Ends the work without a result.
    pub stop: &'a Stop,
}

/// Why a game was not analysed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnalysisError {
    /// The work was asked to stop.
    #[error("the analysis was stopped")]
    Stopped,
    /// The agent gives no values.
    #[error("{0} has no values: expected a network or alpha-beta as the analyst")]
    NoValues(String),
    /// The agent failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Analyses a game: the agent thinks about the start of every turn with a choice, and about the end of the game, on all
/// threads of the current rayon pool. With a node limit the result does not depend on the number of threads.
///
/// # Errors
/// If it is asked to stop, or the agent has no values.
pub fn analyse(record: &Record, analyst: &Contender<GipfPosition>, work: &Work<'_>) -> Result<Analysis, AnalysisError> {
    let game = PlayedGame::of(record);
    let looks = look_at_all(&game.questions(), analyst, work)?;
    let told = work.effort.told().map_or_else(String::new, |told| format!(", {told}"));
    Ok(Analysis::of(record, &looks, format!("{}{told}", analyst.name)))
}

fn look_at_all(
    questions: &[Question<'_>],
    analyst: &Contender<GipfPosition>,
    work: &Work<'_>,
) -> Result<Vec<Look>, AnalysisError> {
    let done = AtomicUsize::new(0);
    let looks = in_order(questions.len() as u64, |numbers| {
        let mut mind = Mind::of(analyst, work.effort, work.stop);
        let mut found = Vec::new();
        for number in numbers.take_while(|_| !work.stop.requested()) {
            found.push((number, mind.look(&questions[number as usize])));
            (work.progress)(1 + done.fetch_add(1, Ordering::Relaxed));
        }
        found
    });
    if work.stop.requested() {
        return Err(AnalysisError::Stopped);
    }
    looks.into_iter().collect()
}

/// The agent of one thread.
pub(super) struct Mind<'a> {
    agent: Box<dyn Agent<GipfPosition>>,
    name: &'a str,
    effort: Effort,
    stop: &'a Stop,
}

/// The nodes or the time of a turn, divided by this, are the limit for each of its later decisions.
const LATER: u32 = 8;

impl<'a> Mind<'a> {
    /// Builds the agent.
    pub fn of(analyst: &'a Contender<GipfPosition>, effort: Effort, stop: &'a Stop) -> Self {
        Self { agent: (analyst.build)(), name: &analyst.name, effort, stop }
    }

    /// Thinks about a position.
    pub fn look(&mut self, question: &Question<'_>) -> Result<Look, AnalysisError> {
        let position = question.position();
        if let Some(outcome) = position.outcome() {
            return Ok(Look::at_end(outcome));
        }
        self.agent.begin(&position, &[], self.effort.seed);
        let limits = self.effort.limits(self.stop);
        let considered = self.agent.consider(&position, &limits, self.effort.candidates)?;
        let sign = position.to_move().sign();
        let value = |candidate: &Candidate<Action>| {
            let value = candidate.value.ok_or_else(|| AnalysisError::NoValues(self.name.to_owned()))?;
            Ok::<_, AnalysisError>(in_thousandths(sign * value.clamp(-1.0, 1.0)))
        };
        let values = considered.candidates.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        let value = *values.first().expect("an agent considers at least one action");
        let known = considered.proven.map(|proven| Known::of(proven, position.to_move()));
        let mut candidates = Vec::new();
        for (candidate, value) in considered.candidates.iter().zip(values) {
            let mut texts = self.finished(question, &candidate.line)?.into_iter();
            let Some(turn) = texts.next() else { continue };
            let share = candidate.share.map(in_hundredths);
            candidates.push(LookedAt { turn, value, share, line: texts.collect() });
        }
        Ok(Look { value, known, candidates, nodes: considered.choice.nodes })
    }

    /// Returns the turns of a line. If the line ends within the first turn, the agent finishes that turn.
    fn finished(&mut self, question: &Question<'_>, line: &[Action]) -> Result<Vec<String>, Fault> {
        let mut actions = [&question.forced[..], line].concat();
        let mut ledger = played(question.ledger, &actions);
        while ledger.finished().is_empty() && ledger.position().outcome().is_none() && !self.stop.requested() {
            let all = self.effort.limits(self.stop);
            let (nodes, time) =
                (all.nodes.map(|nodes| nodes.div_ceil(LATER.into())), all.time.map(|time| time / LATER));
            let choice = self.agent.choose(ledger.position(), &TurnLimits { nodes, time, ..all })?;
            ledger.play(choice.action).expect("agents choose legal actions");
            actions.push(choice.action);
        }
        Ok(turn_texts(question.ledger, &actions))
    }
}

/// Returns the game after these decisions, with the turns that they finished.
fn played(ledger: &Ledger, actions: &[Action]) -> Ledger {
    let mut ledger = ledger.clone();
    for &action in actions {
        ledger.play(action).expect("a line is of legal actions");
    }
    ledger
}

#[cfg(test)]
mod tests {
    use gipf_env::symmetry::Symmetry;
    use gipf_env::{Player, Position, Setup, Variant};

    use super::*;
    use crate::players::AgentSpec;

    fn contender(name: &str, variant: Variant) -> Contender<GipfPosition> {
        name.parse::<AgentSpec>().unwrap().contender(variant).unwrap()
    }

    fn analysed(record: &Record, name: &str, effort: Effort) -> Analysis {
        let work = Work { effort, progress: &|_| (), stop: &Stop::default() };
        analyse(record, &contender(name, record.variant()), &work).unwrap()
    }

    /// Plays a game of an agent against itself in which turn `plant` is the worst possible.
    fn with_blunder(variant: Variant, turns: usize, plant: usize) -> Record {
        let (setup, mut agent) = (Setup::start(variant), (contender("alpha-beta:3", variant).build)());
        let mut position = GipfPosition::from_setup(&setup).unwrap();
        agent.begin(&position, &[], 7);
        let mut actions = Vec::new();
        while position.turn() < turns && position.outcome().is_none() {
            let most = if position.turn() + 1 == plant { 100 } else { 1 };
            let found = agent.consider(&position, &TurnLimits::default(), most).unwrap();
            let action = found.candidates.last().unwrap().action;
            position.play(action).unwrap();
            actions.push(action);
        }
        Record::new(&setup, &actions, None).unwrap()
    }

    #[test]
    #[cfg_attr(debug_assertions, ignore = "plays and searches for long")]
    fn a_planted_blunder_is_the_largest_mistake() {
        for (variant, plant) in [(Variant::STANDARD, 14), (Variant::BASIC, 15), (Variant::TOURNAMENT, 16)] {
            let record = with_blunder(variant, 22, plant);
            let analysis = analysed(&record, "alpha-beta:4", Effort::default());
            let loss = |rank: usize| analysis.mistakes.get(rank).map_or(0.0, |&turn| analysis.turn(turn).unwrap().loss);
            assert_eq!(analysis.mistakes.first(), Some(&plant), "{variant}: {:?}", analysis.mistakes);
            assert!(loss(0) >= 0.3 && loss(0) >= 1.5 * loss(1), "{variant}: {} {}", loss(0), loss(1));
            let turn = analysis.turn(plant).unwrap();
            assert_eq!(turn.severity, Some(super::super::Severity::Blunder));
            assert!(turn.candidates[0].turn != turn.played, "something better is named");
            let player = turn.player.index();
            assert!(analysis.players[player].accuracy < analysis.players[1 - player].accuracy);
        }
    }

    #[test]
    #[cfg_attr(debug_assertions, ignore = "plays and searches for long")]
    fn the_same_game_with_the_colours_exchanged_has_the_opposite_values() {
        let record = with_blunder(Variant::STANDARD, 20, 12);
        let start = GipfPosition::from_setup(record.setup()).unwrap().with_players_exchanged();
        let exchanged = Record::new(&start.to_setup(), &record.actions(), None).unwrap();
        for name in ["alpha-beta:3", "pretrained:sims=100"] {
            let [one, other] = [&record, &exchanged].map(|record| analysed(record, name, Effort::default()));
            assert_eq!((other.turns[0].player, &other.mistakes), (Player::Black, &one.mistakes), "{name}");
            for (a, b) in one.turns.iter().zip(&other.turns) {
                assert_eq!((a.value, a.loss, &a.played), (0.0 - b.value, b.loss, &b.played), "{name}, {}", a.number);
            }
        }
    }

    #[test]
    #[cfg_attr(debug_assertions, ignore = "plays and searches for long")]
    fn the_mirrored_game_has_the_same_values() {
        let record = with_blunder(Variant::BASIC, 16, 10);
        let plain = analysed(&record, "alpha-beta:1", Effort::default());
        for symmetry in Symmetry::all().filter(|symmetry| !symmetry.exchanges_colours()) {
            let mut position = GipfPosition::from_setup(record.setup()).unwrap();
            let mut actions = Vec::new();
            let setup = symmetry.position(&position).to_setup();
            for action in record.actions() {
                actions.push(symmetry.action(&position, action));
                position.play(action).unwrap();
            }
            let image = analysed(&Record::new(&setup, &actions, None).unwrap(), "alpha-beta:1", Effort::default());
            let values = |analysis: &Analysis| analysis.turns.iter().map(|turn| turn.value).collect::<Vec<_>>();
            assert_eq!((values(&image), &image.mistakes), (values(&plain), &plain.mistakes), "{symmetry:?}");
        }
    }

    #[test]
    #[cfg_attr(debug_assertions, ignore = "plays and searches for long")]
    fn what_is_certain_has_the_value_of_a_win() {
        let (setup, mut agent) = (Setup::start(Variant::BASIC), (contender("alpha-beta:2", Variant::BASIC).build)());
        let mut position = GipfPosition::from_setup(&setup).unwrap();
        let mut actions = Vec::new();
        while position.outcome().is_none() {
            // Black plays the first legal action.
            let first = position.legal_actions().next().unwrap();
            let best = agent.choose(&position, &TurnLimits::default()).unwrap().action;
            let action = if position.to_move() == Player::White { best } else { first };
            position.play(action).unwrap();
            actions.push(action);
        }
        assert_eq!(position.outcome().unwrap().winner, Some(Player::White));
        let record = Record::new(&setup, &actions, None).unwrap();
        for (name, nodes, least) in [("pretrained", Some(400), 1), ("alpha-beta:5", None, 2)] {
            let analysis = analysed(&record, name, Effort { nodes, ..Effort::default() });
            assert_eq!((analysis.end.known, analysis.end.value), (Some(Known::White), 1.0));
            assert!(analysis.end.candidates.is_empty() && analysis.winner == Some(Player::White));
            let certain: Vec<_> = analysis.turns.iter().filter(|turn| turn.known == Some(Known::White)).collect();
            let last = certain.last().expect("the last turn at least is proven");
            assert!(certain.iter().all(|turn| turn.value == 1.0) && last.number + 1 >= analysis.turns.len());
            assert!(certain.len() >= least, "{name}: {}", certain.len());
        }
    }

    #[test]
    fn analyses_do_not_depend_on_the_number_of_threads() {
        let record = with_blunder(Variant::STANDARD, 12, 20);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let effort = Effort { nodes: Some(60), ..Effort::default() };
                (analysed(&record, "pretrained", effort), analysed(&record, "alpha-beta:8", effort))
            })
        };
        let one = on(1);
        assert_eq!(one, on(3));
        assert_eq!(one.0.analyst, "pretrained:sims=64, 60 nodes a turn");
        assert!(one.0.turns.iter().all(|turn| turn.nodes == 60 && turn.candidates[0].share.is_some()));
    }

    #[test]
    fn agents_without_values_and_wishes_to_stop_are_errors() {
        let record = Record::new(&Setup::start(Variant::STANDARD), &[], None).unwrap();
        let result = |name: &str, stop: &Stop| {
            let work = Work { effort: Effort::default(), progress: &|_| (), stop };
            analyse(&record, &contender(name, Variant::STANDARD), &work).map(|_| ())
        };
        assert_eq!(result("greedy", &Stop::default()), Err(AnalysisError::NoValues("greedy".to_owned())));
        let stop = Stop::default();
        stop.request();
        assert_eq!(result("alpha-beta:1", &stop), Err(AnalysisError::Stopped));
        assert_eq!(result("alpha-beta:1", &Stop::default()), Ok(()), "a game without a turn has an end to look at");
    }
}
