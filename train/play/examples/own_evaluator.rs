//! A custom evaluator for the tree search: `cargo run --release -p gipf-play --example own_evaluator`, seconds.
//!
//! The search meets a network only through [`Evaluator`], so it can use anything that gives priors and a value.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use gipf_env::{Action, GipfPosition, Player, Position, Variant, math};
use gipf_play::Stop;
use gipf_play::arena::{MatchConfig, Monitor, play_match};
use gipf_play::players::{AgentSpec, Contender, Mcts, Thinking};
use gipf_play::search::{Evaluation, Evaluator, SearchConfig};

/// Counts pieces: the more of their own are left compared with the opponent's, the better for the player to move.
/// Removals are likelier than pushes.
struct Counter;

impl Evaluator<GipfPosition> for Counter {
    fn evaluate(&mut self, positions: &[GipfPosition], out: &mut [Evaluation]) {
        for (position, evaluation) in positions.iter().zip(out) {
            let logit = |action| if matches!(action, Action::Push(..)) { 0.0 } else { 1.0 };
            evaluation.logits.clear();
            evaluation.logits.extend(position.legal_actions().map(logit));
            let me = position.to_move();
            let ahead = left(position, me) - left(position, me.other());
            evaluation.value = math::tanh(ahead / 4.0);
        }
    }
}

/// Returns the basic pieces that a player has on the board and in reserve.
fn left(position: &GipfPosition, player: Player) -> f32 {
    f32::from(position.board().material(player) + position.reserve(player))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = || Mcts::new(SearchConfig::play(), Counter, Thinking::Simulations(200));
    let own = Contender { name: "counter".to_owned(), build: Box::new(move || Box::new(agent())) };
    let config = MatchConfig::new(Variant::STANDARD, 40);
    for name in ["random", "greedy"] {
        let other = name.parse::<AgentSpec>()?.contender(config.variant)?;
        let monitor = Monitor { progress: &|_| (), stop: &Stop::default(), keeper: None };
        println!("{}\n", play_match(&config, [&own, &other], monitor)?.report);
    }
    Ok(())
}

#[test]
fn it_runs() {
    main().expect("all names are known");
}
