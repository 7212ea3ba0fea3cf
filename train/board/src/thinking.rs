//! What a player thinks of a position.

use std::time::Duration;

use gipf_env::{Action, GipfPosition};
use gipf_play::players::{Choice, TurnLimits};
use gipf_play::search::{RootChild, SearchResult};
use gipf_play::{Instant, Stop};
use serde::Serialize;

use crate::line::told;
use crate::opponents::Mind;

/// What a player thinks of a position. Values are the expected result for White, from -1, a win for Black, to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Thoughts {
    /// The expected result for White, if the player has an opinion.
    pub value: Option<f32>,
    /// The result for White that is proven, 1, 0 or -1, if any is.
    pub proven: Option<i8>,
    /// Simulations, or positions visited.
    pub nodes: u64,
    /// The time taken (seconds).
    pub seconds: f64,
    /// The actions thought about, the best first.
    pub candidates: Vec<Candidate>,
    /// The actions that are expected, the best one first.
    pub line: Vec<u16>,
    /// The same in words.
    pub line_text: String,
}

/// What a player thinks of an action.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The number of the action.
    pub action: u16,
    /// The action in words.
    pub text: String,
    /// The share of the simulations that it got, 0 to 1.
    pub share: f32,
    /// The simulations that it got.
    pub visits: u32,
    /// The expected result for White after it; none if it was not tried.
    pub value: Option<f32>,
}

/// The simulations between two reports at first; later as many as fit into that time.
const FIRST: u64 = 64;
/// The time between two reports.
const PACE: Duration = Duration::from_millis(200);
/// The most simulations of a position: its tree must not fill the memory.
const MOST: u64 = 1 << 20;

/// Thinks about a position until it is stopped or the position is proven, and reports now and then what it has found.
/// With a number of `nodes` it visits that many at once. Returns the last report.
///
/// # Panics
/// If the game is over.
pub(crate) fn think(
    mind: &mut Mind,
    position: &GipfPosition,
    nodes: Option<u32>,
    stop: &Stop,
    tell: &mut dyn FnMut(&Thoughts),
) -> Thoughts {
    let (began, most) = (Instant::now(), nodes.map_or(MOST, u64::from).clamp(1, MOST));
    let limits = |nodes| TurnLimits { nodes: Some(nodes), lifted: true, stop: stop.clone(), ..TurnLimits::default() };
    match mind {
        Mind::Search(search) => {
            let (mut round, mut all) = (nodes.map_or(FIRST, |_| most), 0);
            loop {
                let round_began = Instant::now();
                let result = search.think_within(position, &limits(round), &mut |_| ());
                all += u64::from(result.simulations);
                let thoughts = of_search(position, &result, all, began.elapsed());
                tell(&thoughts);
                let settled = result.proven.is_some() || result.children.len() == 1;
                if settled || stop.requested() || all >= most {
                    return thoughts;
                }
                if round_began.elapsed() < PACE / 2 {
                    round *= 2;
                }
                round = round.min(most - all);
            }
        }
        Mind::Other(agent) => {
            let mut report = |choice: &Choice<Action>| tell(&of_choice(position, choice, began.elapsed()));
            let choice = agent.choose_and_tell(position, &limits(nodes.map_or(u64::MAX, |_| most)), &mut report);
            choice.map_or_else(|_| Thoughts::default(), |choice| of_choice(position, &choice, began.elapsed()))
        }
    }
}

fn of_search(position: &GipfPosition, result: &SearchResult<Action>, nodes: u64, time: Duration) -> Thoughts {
    let sign = position.to_move().sign();
    let all: u32 = result.children.iter().map(RootChild::all_visits).sum();
    let candidate = |child: &RootChild<Action>| Candidate {
        action: child.action.index().0,
        text: child.action.to_string(),
        share: if all == 0 { child.prior } else { child.all_visits() as f32 / all as f32 },
        visits: child.all_visits(),
        value: (child.all_visits() > 0 || child.proven.is_some()).then(|| child.expected() * sign),
    };
    Thoughts {
        value: Some(result.expected() * sign),
        proven: result.proven.map(|proven| (proven.value() * sign) as i8),
        nodes,
        seconds: time.as_secs_f64(),
        candidates: result.ranked().into_iter().map(candidate).collect(),
        line: numbers(&result.principal_variation),
        line_text: told(position, &result.principal_variation),
    }
}

fn of_choice(position: &GipfPosition, choice: &Choice<Action>, time: Duration) -> Thoughts {
    let value = choice.value.map(|value| value * position.to_move().sign());
    let (action, text) = (choice.action.index().0, choice.action.to_string());
    Thoughts {
        value,
        proven: None,
        nodes: choice.nodes,
        seconds: time.as_secs_f64(),
        candidates: vec![Candidate { action, text, share: 1.0, visits: 0, value }],
        line: vec![action],
        line_text: told(position, &[choice.action]),
    }
}

fn numbers(actions: &[Action]) -> Vec<u16> {
    actions.iter().map(|action| action.index().0).collect()
}
