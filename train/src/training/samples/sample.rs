//! The samples of self-play: positions with the search's policy, its value, and how the game ended.

use gipf_env::{ActionIndex, Learnable, Outcome, Player, Position};
use gipf_models::Batch;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// One decision of a game that a program played against itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision<P> {
    /// The position in which it was taken, without its history.
    pub position: P,
    /// The action taken.
    pub action: ActionIndex,
    /// The search's probability for each legal action, ascending by index; sums to 1. For an agent without such a
    /// search it holds only the chosen action.
    pub policy: Vec<(ActionIndex, f32)>,
    /// The value of the position after the search, for the player to move, -1 to 1; none if unknown.
    pub root_value: Option<f32>,
    /// The network's own value of the position, for the player to move, -1 to 1; none if no network was asked.
    pub network_value: Option<f32>,
    /// The kind of search.
    pub effort: SearchKind,
    /// The surprise of the network by the search: the divergence of `policy` from the network's policy (nats); 0 if no
    /// network was asked.
    pub surprise: f32,
}

impl<P> Decision<P> {
    /// Returns the value of the position if a search chose the action: a position with only one legal action has the
    /// value of what follows.
    pub fn searched_value(&self) -> Option<f32> {
        self.root_value.filter(|_| self.effort != SearchKind::None)
    }
}

impl<P: Learnable> Decision<P> {
    /// Returns the decision for an action that was not searched.
    pub fn unsearched(position: &P, action: ActionIndex) -> Self {
        Self {
            position: position.without_history(),
            action,
            policy: Vec::new(),
            root_value: None,
            network_value: None,
            effort: SearchKind::None,
            surprise: 0.0,
        }
    }
}

/// The amount of search in a turn (playout-cap randomisation, KataGo, arXiv 1902.10565, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// A full search, or the free choice of an agent: its policy is a training target.
    Full,
    /// A cheap search, only to move the game on.
    Cheap,
    /// No search: an action drawn at random, or the only legal one.
    None,
}

impl SearchKind {
    /// All kinds, from the most search to the least.
    pub const ALL: [Self; 3] = [Self::Full, Self::Cheap, Self::None];

    /// Returns its name in datasets.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Cheap => "cheap",
            Self::None => "none",
        }
    }
}

/// A finished game of a program against itself.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame<P> {
    /// The number of the game in its run.
    pub id: u64,
    /// The position in which it began.
    pub start: P,
    /// All decisions in order, those without a search included.
    pub decisions: Vec<Decision<P>>,
    /// How it ended.
    pub outcome: Outcome,
}

/// One training sample. Values are for the player to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample<P> {
    /// The position, without its history.
    pub position: P,
    /// The policy target: probabilities of legal actions, ascending by index; sums to 1.
    pub policy: Vec<(ActionIndex, f32)>,
    /// The result of the game, +1, 0 or -1; none when a limit cut the game off, which decides nothing.
    pub result: Option<i8>,
    /// The search's value of the position; none if unknown.
    #[serde(with = "number_or_nan")]
    pub root_value: Option<f32>,
    /// The weight of the value target: the samples of one turn share a weight of 1, so that a turn of many captures
    /// does not count more than a plain one.
    pub value_weight: f32,
}

impl<P: Position> PlayedGame<P> {
    /// Iterates over the decisions that are learned.
    fn fully_searched(&self) -> impl Iterator<Item = &Decision<P>> {
        self.decisions.iter().filter(|decision| decision.effort == SearchKind::Full)
    }
}

/// How samples are made from games.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleConfig {
    /// The share of a sample's frequency that depends on how much the search surprised the network, 0 to 1.
    pub surprise: f64,
    /// How far the search's value of a sample looks ahead, 0 to 1 (`learning.value_lambda`).
    pub value_lambda: f32,
}

/// Returns the samples of a game: its fully searched decisions.
pub fn samples<P: Position>(game: &PlayedGame<P>, value_lambda: f32) -> Vec<Sample<P>> {
    let values = values_ahead(game, value_lambda);
    let searched = game.decisions.iter().zip(values).filter(|(decision, _)| decision.effort == SearchKind::Full);
    let sample = |(decision, root_value): (&Decision<P>, Option<f32>)| Sample {
        position: decision.position.clone(),
        policy: decision.policy.clone(),
        result: result_for(game.outcome, decision.position.to_move()),
        root_value,
        value_weight: 1.0,
    };
    let mut found: Vec<_> = searched.map(sample).collect();
    share_turns(&mut found);
    found
}

/// Makes the samples of each turn, in the order of their game, share a weight of 1.
pub(crate) fn share_turns<P: Position>(samples: &mut [Sample<P>]) {
    for turn in samples.chunk_by_mut(|one, next| one.position.turn() == next.position.turn()) {
        let share = 1.0 / turn.len() as f32;
        for sample in turn {
            sample.value_weight = share;
        }
    }
}

/// Returns for each decision the value that the search gave to it and to what came after, for its player: (1 - λ)
/// times its own value plus λ times that of the next decision, and so on to the result of the game (TD(λ), Sutton,
/// "Learning to predict by the methods of temporal differences", 1988). None if there is no own value, or nothing was
/// chosen: the only legal action has the value of what follows.
fn values_ahead<P: Position>(game: &PlayedGame<P>, lambda: f32) -> Vec<Option<f32>> {
    let mut ahead = result_for(game.outcome, Player::White).map(f32::from);
    let mut values: Vec<_> = game
        .decisions
        .iter()
        .rev()
        .map(|decision| {
            let sign = if decision.position.to_move() == Player::White { 1.0 } else { -1.0 };
            let own = decision.searched_value()? * sign;
            // A game that was cut off has no value after its last decision.
            ahead = Some(ahead.map_or(own, |ahead| (1.0 - lambda) * own + lambda * ahead));
            ahead.map(|value| value * sign)
        })
        .collect();
    values.reverse();
    values
}

/// Returns the samples of games as often as they are to be used: once each on average, with the share `surprise` of
/// that in proportion to how much the search surprised the network (KataGo's policy surprise weighting). Another
/// player's choice says nothing about surprise, and is used once.
pub fn weighted_samples<P: Position>(
    games: &[PlayedGame<P>],
    SampleConfig { surprise, value_lambda }: SampleConfig,
    rng: &mut ChaCha8Rng,
) -> Vec<Sample<P>> {
    let all = games.iter().flat_map(|game| samples(game, value_lambda));
    if surprise == 0.0 {
        return all.collect();
    }
    let decisions = games.iter().flat_map(PlayedGame::fully_searched);
    let of_network = |decision: &Decision<P>| decision.network_value.map(|_| f64::from(decision.surprise));
    let surprises: Vec<Option<f64>> = decisions.map(of_network).collect();
    let (count, sum) = surprises.iter().flatten().fold((0_usize, 0.0), |(count, sum), found| (count + 1, sum + found));
    let mean = (sum / count.max(1) as f64).max(1e-9);
    let mut copies = |found: Option<f64>| {
        let frequency = found.map_or(1.0, |found| 1.0 - surprise + surprise * found / mean);
        frequency as usize + usize::from(rng.random_bool(frequency.fract()))
    };
    all.zip(surprises).flat_map(|(sample, found)| std::iter::repeat_n(sample, copies(found))).collect()
}

pub(crate) fn result_for(outcome: Outcome, player: Player) -> Option<i8> {
    (!outcome.truncated()).then(|| outcome.reward(player) as i8)
}

/// Returns whether a position, whoever wrote it, belongs to the game that begins with `start`, and is not its end.
pub(crate) fn can_be_played<P: Learnable>(position: &P, start: &P) -> bool {
    let board = |position: &P| (position.observation_layout(), position.num_actions());
    position.is_valid() && position.outcome().is_none() && board(position) == board(start)
}

impl<P: Position> Sample<P> {
    /// Returns whether it can be learned, whoever wrote it: its numbers are in their ranges, and its policy names
    /// actions of the game.
    pub fn is_sound(&self) -> bool {
        let within = |value: f32, least: f32| (least..=1.0).contains(&value);
        let names =
            |index: ActionIndex| index.get() < self.position.num_actions() && self.position.action_at(index).is_some();
        self.result.is_none_or(|result| (-1..=1).contains(&result))
            && self.root_value.is_none_or(|value| within(value, -1.0))
            && within(self.value_weight, 0.0)
            && self.policy.iter().all(|&(index, probability)| names(index) && within(probability, 0.0))
    }

    /// Returns the target for win, draw and loss, and its weight.
    ///
    /// `mix` is the share of the search's value against the game's result (Willemsen et al., "Value targets in
    /// off-policy AlphaZero", 2020). Without a result only that share remains; without a value of the search, the
    /// result alone is learned.
    pub fn value_target(&self, mix: f32) -> ([f32; 3], f32) {
        let mix = if self.root_value.is_some() { mix } else { 0.0 };
        let expected = self.root_value.unwrap_or(0.0);
        let from_search = [f32::midpoint(1.0, expected), 0.0, f32::midpoint(1.0, -expected)];
        let Some(result) = self.result else {
            return (from_search, mix * self.value_weight);
        };
        let mut target = from_search.map(|share| mix * share);
        target[(1 - result) as usize] += 1.0 - mix;
        (target, self.value_weight)
    }
}

/// Writes a number that may be missing in four bytes.
mod number_or_nan {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(
        clippy::ref_option,
        clippy::trivially_copy_pass_by_ref,
        reason = "serde hands over a reference to the field"
    )]
    pub fn serialize<S: Serializer>(number: &Option<f32>, serializer: S) -> Result<S::Ok, S::Error> {
        number.unwrap_or(f32::NAN).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f32>, D::Error> {
        let number = f32::deserialize(deserializer)?;
        Ok((!number.is_nan()).then_some(number))
    }
}

/// The fewest samples whose observations are worth a task of their own.
const SIDE_BY_SIDE: usize = 16;

/// Returns a batch of samples, each under a symmetry drawn at random.
///
/// # Panics
/// If there are no samples.
pub fn batch<P: Learnable>(samples: &[&Sample<P>], mix: f32, rng: &mut ChaCha8Rng) -> Batch {
    let symmetry = |sample: &&Sample<P>| rng.random_range(0..sample.position.symmetries());
    let symmetries: Vec<_> = samples.iter().map(symmetry).collect();
    let first = &samples.first().expect("a batch has samples").position;
    batch_under(first, samples, mix, &symmetries)
}

/// Returns a batch of samples, each under the symmetry of the same place in `symmetries`; `like` is any position of
/// their game.
///
/// # Panics
/// If there are not as many symmetries as samples, or the game does not have one of them.
pub fn batch_under<P: Learnable>(like: &P, samples: &[&Sample<P>], mix: f32, symmetries: &[usize]) -> Batch {
    assert_eq!(samples.len(), symmetries.len(), "each sample has its symmetry");
    let (planes, actions) = (like.observation_layout().size(), like.num_actions());
    let mut batch = Batch {
        size: samples.len(),
        planes: vec![0.0; samples.len() * planes],
        policy: vec![0.0; samples.len() * actions],
        legal: vec![false; samples.len() * actions],
        policy_weight: vec![1.0; samples.len()],
        wdl: Vec::with_capacity(3 * samples.len()),
        value_weight: Vec::with_capacity(samples.len()),
    };
    for sample in samples {
        let (target, weight) = sample.value_target(mix);
        batch.wdl.extend(target);
        batch.value_weight.push(weight);
    }
    let rows = batch.planes.par_chunks_mut(planes).zip(batch.policy.par_chunks_mut(actions));
    let rows = rows.zip(batch.legal.par_chunks_mut(actions)).with_min_len(SIDE_BY_SIDE);
    rows.zip(samples).zip(symmetries).for_each(|((((planes, policy), legal), sample), &symmetry)| {
        // Number 0 is the identity, which most callers that read in order ask for.
        if symmetry == 0 {
            sample.position.observe(planes);
            sample.position.action_mask(legal);
            sample.policy.iter().for_each(|&(index, probability)| policy[index.get()] += probability);
            return;
        }
        let image = sample.position.transformed(symmetry);
        image.observe(planes);
        image.action_mask(legal);
        for &(index, probability) in &sample.policy {
            policy[transformed_index(&sample.position, symmetry, index)] += probability;
        }
    });
    batch
}

fn transformed_index<P: Learnable>(position: &P, symmetry: usize, index: ActionIndex) -> usize {
    let action = position.action_at(index).expect("policies name actions of the game");
    position.action_index(position.transformed_action(symmetry, action)).get()
}

#[cfg(test)]
mod tests {
    use gipf_env::{GipfPosition, Variant};

    use super::*;

    #[test]
    fn positions_of_other_games_and_ends_of_games_are_not_played() {
        let start = GipfPosition::start(Variant::STANDARD);
        let mut position = start.clone();
        while position.outcome().is_none() {
            assert!(can_be_played(&position, &start) && can_be_played(&position.without_history(), &start));
            let first = position.legal_actions().next().expect("the game is not over");
            position.play(first).expect("it is legal");
        }
        assert!(!can_be_played(&position, &start));
        assert!(!can_be_played(&GipfPosition::start(Variant::TOURNAMENT), &start));
    }
}
