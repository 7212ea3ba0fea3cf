//! One game of the search against itself.

use gipf_env::{Learnable, Outcome, Position};
use gipf_play::search::{Budget, Evaluation, Search};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Assignment, Beginning, SelfPlayConfig, game_rng};
use crate::training::{Decision, PlayedGame, SearchKind};

/// One game in progress.
#[derive(Clone, Debug)]
pub(super) struct Game<P: Position> {
    id: u64,
    rng: ChaCha8Rng,
    position: P,
    search: Search<P>,
    searching: bool,
    /// The turn for which `effort` was drawn.
    turn: Option<usize>,
    effort: SearchKind,
    /// Where the game began.
    start: P,
    decisions: Vec<Decision<P>>,
}

impl<P: Learnable> Game<P> {
    pub fn new(assignment: &Assignment<'_, P>, id: u64) -> Self {
        let mut game = Self {
            id,
            rng: game_rng(assignment.seed, id),
            position: assignment.start.clone(),
            search: Search::new(*assignment.search),
            searching: false,
            turn: None,
            effort: SearchKind::None,
            start: assignment.start.clone(),
            decisions: Vec::new(),
        };
        game.begin(assignment);
        game
    }

    /// Begins another game with the memory of this one, which has ended and been taken.
    pub fn restart(&mut self, assignment: &Assignment<'_, P>, id: u64) {
        self.id = id;
        self.rng = game_rng(assignment.seed, id);
        self.search.forget();
        self.turn = None;
        self.begin(assignment);
    }

    /// Begins at the start, or at a position of the archive, with a random opening.
    fn begin(&mut self, assignment: &Assignment<'_, P>) {
        let Beginning { start, opening } = Beginning::draw(assignment, &mut self.rng);
        self.position = start.clone();
        self.start = start;
        for action in opening {
            self.record(action, self.unsearched(action));
        }
    }

    /// Plays until a leaf needs an evaluation, and returns it; none when the game has ended. Called again before
    /// [`apply`](Self::apply), it returns the same leaf.
    pub fn advance(&mut self, assignment: &Assignment<'_, P>) -> Option<&P> {
        loop {
            if self.searching {
                if self.search.gather().is_some() {
                    return self.search.gather();
                }
                self.searching = false;
                self.play_result();
            }
            if self.position.outcome().is_some() {
                return None;
            }
            self.start_search(assignment.config);
        }
    }

    /// Takes the evaluation of the leaf.
    pub fn apply(&mut self, evaluation: &Evaluation) {
        self.search.apply(evaluation);
    }

    fn start_search(&mut self, config: &SelfPlayConfig) {
        let turn = self.position.turn();
        if self.turn != Some(turn) {
            self.turn = Some(turn);
            let full = self.rng.random_bool(config.full_share);
            self.effort = if full { SearchKind::Full } else { SearchKind::Cheap };
        }
        let full = self.effort == SearchKind::Full;
        let budget = Budget {
            simulations: if full { config.full_simulations } else { config.cheap_simulations },
            noise: full || turn < self.start.turn() + config.noisy_turns,
        };
        self.search.start(&self.position, budget, &mut self.rng);
        self.searching = true;
    }

    fn play_result(&mut self) {
        let result = self.search.result();
        let forced = result.policy.len() == 1;
        let decision = Decision {
            policy: result.policy,
            root_value: Some(result.value),
            network_value: Some(result.network_value),
            effort: if forced { SearchKind::None } else { self.effort },
            surprise: result.surprise,
            ..self.unsearched(result.action)
        };
        self.record(result.action, decision);
    }

    fn unsearched(&self, action: P::Action) -> Decision<P> {
        Decision {
            position: self.position.without_history(),
            action: self.position.action_index(action),
            policy: Vec::new(),
            root_value: None,
            network_value: None,
            effort: SearchKind::None,
            surprise: 0.0,
        }
    }

    fn record(&mut self, action: P::Action, decision: Decision<P>) {
        self.decisions.push(decision);
        self.position.play_unchecked(action);
    }

    /// Returns the game, which has ended.
    pub fn take_record(&mut self) -> PlayedGame<P> {
        PlayedGame {
            id: self.id,
            start: self.start.clone(),
            decisions: std::mem::take(&mut self.decisions),
            outcome: self.outcome(),
        }
    }

    fn outcome(&self) -> Outcome {
        self.position.outcome().expect("the game has ended")
    }
}
