//! One game of the search against itself.

use gipf_env::{Learnable, Outcome, Position};
use gipf_play::players::{Agent, TurnLimits};
use gipf_play::search::{Budget, Evaluation, Search};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Assignment, Beginning, SelfPlayConfig, any_action, game_rng};
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

    /// Begins another game in the memory of this one, which has ended and was taken.
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
            self.record(action, Decision::unsearched(&self.position, self.position.action_index(action)));
        }
    }

    /// Plays until a leaf needs an evaluation, and returns it; none when the game has ended. Called again before
    /// [`apply`](Self::apply), it returns the same leaf.
    pub fn advance(&mut self, assignment: &Assignment<'_, P>, opponent: &mut Option<Box<dyn Agent<P>>>) -> Option<&P> {
        loop {
            if self.searching {
                if self.search.gather().is_some() {
                    return self.search.gather();
                }
                self.searching = false;
                self.play_result(assignment.config.random_share);
            }
            if self.position.outcome().is_some() {
                return None;
            }
            self.draw_effort(assignment.config);
            match opponent {
                Some(opponent) if self.is_turn_of_opponent() => self.play_choice(&mut **opponent),
                _ => self.start_search(assignment.config),
            }
        }
    }

    /// Returns whether the other side is to move, in a game in which the search plays only one side.
    fn is_turn_of_opponent(&self) -> bool {
        self.position.to_move().index() as u64 != self.id % 2
    }

    /// Takes the evaluation of the leaf.
    pub fn apply(&mut self, evaluation: &Evaluation) {
        self.search.apply(evaluation);
    }

    /// Draws at the beginning of a turn whether it gets a full search.
    fn draw_effort(&mut self, config: &SelfPlayConfig) {
        let turn = self.position.turn();
        if self.turn != Some(turn) {
            self.turn = Some(turn);
            let full = self.rng.random_bool(config.full_share);
            self.effort = if full { SearchKind::Full } else { SearchKind::Cheap };
        }
    }

    fn start_search(&mut self, config: &SelfPlayConfig) {
        let turn = self.position.turn();
        let full = self.effort == SearchKind::Full;
        let budget = Budget {
            simulations: if full { config.full_simulations } else { config.cheap_simulations },
            noise: full || turn < self.start.turn() + config.noisy_turns,
        };
        self.search.start(&self.position, budget, &mut self.rng);
        self.searching = true;
    }

    /// Plays what the opponent chooses. The network learns from it what to expect of the opponent.
    fn play_choice(&mut self, opponent: &mut dyn Agent<P>) {
        opponent.begin(&self.position, &[], self.rng.random());
        let choice = opponent.choose(&self.position, &TurnLimits::default()).expect("an agent that always can");
        let unsearched = Decision::unsearched(&self.position, self.position.action_index(choice.action));
        let is_forced = self.position.num_legal_actions() == 1;
        let effort = if is_forced { SearchKind::None } else { self.effort };
        self.record(choice.action, Decision { policy: vec![(unsearched.action, 1.0)], effort, ..unsearched });
    }

    /// Plays what the search chose, or in this share of decisions a random action.
    fn play_result(&mut self, random_share: f64) {
        let result = self.search.result();
        let action = self.random_action(random_share).unwrap_or(result.action);
        let forced = result.policy.len() == 1;
        let decision = Decision {
            policy: result.policy,
            root_value: Some(result.value),
            network_value: Some(result.network_value),
            effort: if forced { SearchKind::None } else { self.effort },
            surprise: result.surprise,
            ..Decision::unsearched(&self.position, self.position.action_index(action))
        };
        self.record(action, decision);
    }

    /// Returns a random action in this share of decisions. If the share is 0, no random number is drawn, so that
    /// games without it stay the same as before.
    fn random_action(&mut self, share: f64) -> Option<P::Action> {
        let drawn = share > 0.0 && self.rng.random_bool(share);
        drawn.then(|| any_action(&self.position, &mut self.rng))
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
