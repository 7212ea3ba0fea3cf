//! What a strong player would do: the search of a network if there is one, otherwise the baseline AI.

use std::fmt::Write as _;

use gipf_env::{Action, GipfPosition, Variant};
use gipf_models::Pretrained;
use gipf_play::NetEvaluator;
use gipf_play::players::alpha_beta::{AlphaBeta, Depth};
use gipf_play::players::{Agent, AgentError, AgentSpec, CheckpointSpec, Mcts, Network, Thinking, TurnLimits};
use gipf_play::search::{Proven, RootChild, SearchResult};

use super::spelling::write;

/// Gives advice.
pub(super) enum Adviser {
    /// By the search that the opponent uses, with the visits and the value of each move.
    Search(Box<Mcts<GipfPosition, NetEvaluator<'static>>>),
    /// By the baseline AI.
    AlphaBeta(Box<AlphaBeta>),
}

/// The simulations for advice by the network that comes with the program: some ten milliseconds.
const SIMULATIONS: u32 = 2000;
/// The number of actions shown in a search's advice.
const SHOWN: usize = 5;
/// The number of decisions of the line shown in advice.
const LINE: usize = 4;

impl Adviser {
    /// Returns the adviser for a game against this opponent: the opponent's own search if it has a network, otherwise the
    /// network that comes with the program, or the baseline AI at a depth that answers within a second.
    ///
    /// # Errors
    /// If the opponent's network cannot be read.
    pub fn of(opponent: &AgentSpec, variant: Variant) -> Result<Self, AgentError> {
        let network = match opponent {
            AgentSpec::Checkpoint(own) => Some(CheckpointSpec { temperature: 0.0, ..own.clone() }),
            _ if Pretrained::of(&variant.to_string()).is_some() => {
                let thinking = Thinking::Simulations(SIMULATIONS);
                Some(CheckpointSpec { thinking, ..CheckpointSpec::new(Network::Pretrained) })
            }
            _ => None,
        };
        if let Some(network) = network {
            return Ok(Self::Search(Box::new(network.agent(network.load(variant)?))));
        }
        let depth = Depth::new(3).expect("there is a depth 3");
        Ok(Self::AlphaBeta(Box::new(AlphaBeta::new(depth.limits(), variant))))
    }

    /// Returns advice on a position in which the game is not over, in a few lines.
    pub fn advise(&mut self, position: &GipfPosition) -> String {
        match self {
            Self::Search(search) => search_advice(position, &search.think(position)),
            Self::AlphaBeta(agent) => alpha_beta_advice(position, agent),
        }
    }
}

fn search_advice(position: &GipfPosition, result: &SearchResult<Action>) -> String {
    let mut text = write(position, result.action);
    if result.is_forced() {
        return text + ", the only action";
    }
    write!(text, ", expected result {}", value(result.value)).expect(GROWS);
    if let Some(proven) = result.proven {
        write!(text, ", proven {}", proven_word(proven)).expect(GROWS);
    }
    for child in result.ranked().into_iter().filter(|child| child.all_visits() > 0).take(SHOWN) {
        write!(text, "\n  {}", child_line(position, child)).expect(GROWS);
    }
    write!(text, "\n  {}", line(position, &result.principal_variation)).expect(GROWS);
    text
}

fn child_line(position: &GipfPosition, child: &RootChild<Action>) -> String {
    let proven = child.proven.map_or(String::new(), |proven| format!(", proven {}", proven_word(proven)));
    let (RootChild { q, prior, .. }, visits) = (child, child.all_visits());
    let percent = 100.0 * prior;
    let text = write(position, child.action);
    format!("{text:<8} {visits:>4} visits, value {}, first guess {percent:.0} %{proven}", value(*q))
}

/// Returns the best move, its value, and the line that the agent expects after it.
fn alpha_beta_advice(position: &GipfPosition, agent: &mut AlphaBeta) -> String {
    let mut choose = |position: &GipfPosition| {
        agent.choose(position, &TurnLimits::default()).expect("agents of this program do not fail")
    };
    let choice = choose(position);
    let mut next = position.clone();
    let mut actions = Vec::new();
    while next.outcome().is_none() && actions.len() < LINE {
        let action = if actions.is_empty() { choice.action } else { choose(&next).action };
        next.play(action).expect("agents choose legal actions");
        actions.push(action);
    }
    let value = choice.value.map_or(String::new(), |found| format!(", expected result {}", value(found)));
    format!("{}{value}\n  {}", write(position, choice.action), line(position, &actions))
}

/// Returns the line that may follow, with its players.
fn line(position: &GipfPosition, actions: &[Action]) -> String {
    let mut next = position.clone();
    let mut moves = Vec::new();
    for &action in actions.iter().take(LINE) {
        moves.push(format!("{} {}", next.to_move(), write(&next, action)));
        next.play(action).expect("a line is of legal actions");
    }
    format!("the game may go on: {}", moves.join(", "))
}

const GROWS: &str = "strings can grow";

/// Writes a value for the player to move, from -1 (lost) to +1 (won).
fn value(value: f32) -> String {
    format!("{value:+.2}")
}

const fn proven_word(proven: Proven) -> &'static str {
    match proven {
        Proven::Win => "win",
        Proven::Draw => "draw",
        Proven::Loss => "loss",
    }
}
