//! The games of a shard as bytes, and what is checked before they count.
//!
//! ```text
//! gipfgame | version u32 | blake3 of the specification | positions asked about u64 | found in a cache u64
//! decision after decision, until the last game has ended | blake3 of all that
//! ```
//!
//! Numbers are little-endian; a decision is encoded by postcard. Positions are not sent: the reader replays the
//! games, from where the specification says that each begins. So nothing is accepted that the rules do not allow:
//! random openings must be those of the seed, actions must be legal, games end where the rules end them, policies
//! must be probabilities of all legal actions, and values must be values.

use gipf_env::{ActionIndex, Learnable};
use serde::{Deserialize, Serialize};

use super::spec::{sealed, unsealed};
use super::{ShardError, ShardSpec};
use crate::training::self_play::{Beginning, game_rng};
use crate::training::{Decision, PlayedGame, SearchKind};

const VERSION: u32 = 1;
const MAGIC: [u8; 8] = *b"gipfgame";
/// Before the games.
const HEAD: usize = MAGIC.len() + 4 + blake3::OUT_LEN + 16;
/// No game of a network has this many bytes: 10 000 decisions of 100 actions each have half of it.
const GAME_BYTES: u64 = 8 << 20;
/// The searches of no game ask about this many positions, and the sum over the games of a run fits in 64 bits.
const GAME_POSITIONS: u64 = 1 << 36;
/// How far rounding may move a sum of probabilities from one, or a value out of its range.
const ROUNDING: f32 = 1e-3;
/// The largest surprise, in nats, which no probability of 32 bits exceeds.
const MOST_SURPRISE: f32 = 1e4;

/// The games of a shard, in the order of their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardGames<P> {
    /// The games.
    pub games: Vec<PlayedGame<P>>,
    /// Positions that searches asked about.
    pub asked: u64,
    /// How many of them were found in a cache, which depends on who played which shard.
    pub found: u64,
}

#[derive(Serialize, Deserialize)]
struct Taken {
    action: ActionIndex,
    /// None for a decision of the random opening.
    search: Option<Searched>,
}

#[derive(Serialize, Deserialize)]
struct Searched {
    effort: SearchKind,
    /// Of all legal actions, ascending by index.
    policy: Vec<f32>,
    root_value: f32,
    network_value: f32,
    surprise: f32,
}

impl<P: Learnable> ShardGames<P> {
    /// Returns the games as bytes: equal games give equal bytes.
    pub fn to_bytes(&self, spec: &ShardSpec<P>) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(spec.hash());
        bytes.extend([self.asked, self.found].map(u64::to_le_bytes).as_flattened());
        for decision in self.games.iter().flat_map(|game| &game.decisions) {
            bytes = postcard::to_extend(&Taken::of(decision), bytes).expect("decisions are plain values");
        }
        sealed(bytes)
    }

    /// Reads the games of a shard, and checks everything that can be known about them.
    ///
    /// # Errors
    /// If the bytes are not games, were damaged, belong to another shard, or contain an impossible game.
    pub fn from_bytes(bytes: &[u8], spec: &ShardSpec<P>) -> Result<Self, ShardError> {
        let most = spec.games.saturating_mul(GAME_BYTES);
        if bytes.len() < HEAD || bytes.len() as u64 > most {
            return Err(ShardError::Length { found: bytes.len(), expected: format!("{HEAD} to {most}") });
        }
        let foreign = ShardError::Foreign { expected: "result of a shard" };
        let Some(rest) = unsealed(bytes)?.strip_prefix(&MAGIC) else { return Err(foreign) };
        let Some((version, rest)) = rest.split_first_chunk() else { return Err(foreign) };
        if u32::from_le_bytes(*version) != VERSION {
            return Err(foreign);
        }
        let Some((hash, rest)) = rest.split_first_chunk::<{ blake3::OUT_LEN }>() else { return Err(foreign) };
        if *hash != spec.hash() {
            return Err(ShardError::Other { iteration: spec.iteration, first: spec.first });
        }
        let Some((asked, rest)) = rest.split_first_chunk() else { return Err(foreign) };
        let Some((found, rest)) = rest.split_first_chunk() else { return Err(foreign) };
        let [asked, found] = [asked, found].map(|number| u64::from_le_bytes(*number));
        if found > asked || asked > spec.games.saturating_mul(GAME_POSITIONS) {
            return Err(foreign);
        }
        Ok(Self { games: replayed(rest, spec)?, asked, found })
    }
}

/// Replays all games of a shard.
fn replayed<P: Learnable>(bytes: &[u8], spec: &ShardSpec<P>) -> Result<Vec<PlayedGame<P>>, ShardError> {
    let mut replay = Replay { bytes, game: spec.first, decision: 0 };
    let mut games = Vec::new();
    for game in spec.first..spec.first + spec.games {
        replay.game = game;
        games.push(replay.game(spec)?);
    }
    if replay.bytes.is_empty() { Ok(games) } else { Err(replay.error("there is more behind the last game")) }
}

/// Reads decisions, and keeps count of them for errors.
struct Replay<'a> {
    bytes: &'a [u8],
    game: u64,
    decision: usize,
}

impl Replay<'_> {
    fn error(&self, reason: &'static str) -> ShardError {
        ShardError::Game { game: self.game, decision: self.decision, reason }
    }

    fn check(&self, is_sound: bool, reason: &'static str) -> Result<(), ShardError> {
        if is_sound { Ok(()) } else { Err(self.error(reason)) }
    }

    fn next(&mut self) -> Result<Taken, ShardError> {
        let (taken, rest) = postcard::take_from_bytes(self.bytes)
            .map_err(|_| self.error("expected a decision, since the game goes on"))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn game<P: Learnable>(&mut self, spec: &ShardSpec<P>) -> Result<PlayedGame<P>, ShardError> {
        let mut rng = game_rng(spec.terms.seed, self.game);
        let Beginning { start, opening } = Beginning::draw(&spec.assignment(), &mut rng);
        let (mut position, mut decisions) = (start.clone(), Vec::new());
        let outcome = loop {
            self.decision = decisions.len();
            if let Some(outcome) = position.outcome() {
                break outcome;
            }
            let taken = self.next()?;
            let Some(action) = position.action_at(taken.action).filter(|&action| position.is_legal(action)) else {
                return Err(self.error("its action is not legal"));
            };
            let drawn = opening.get(self.decision).map(|&drawn| position.action_index(drawn));
            self.check(drawn.is_none_or(|drawn| drawn == taken.action), "the opening is not that of the seed")?;
            self.check(drawn.is_some() == taken.search.is_none(), "all but the opening is searched")?;
            decisions.push(self.decision(&position, taken)?);
            position.play_unchecked(action);
        };
        Ok(PlayedGame { id: self.game, start, decisions, outcome })
    }

    fn decision<P: Learnable>(&self, position: &P, Taken { action, search }: Taken) -> Result<Decision<P>, ShardError> {
        let unsearched = Decision::unsearched(position, action);
        let Some(Searched { effort, policy, root_value, network_value, surprise }) = search else {
            return Ok(unsearched);
        };
        let legal = position.legal_actions().map(|action| position.action_index(action));
        let legal: Vec<_> = legal.collect();
        self.check(policy.len() == legal.len(), "its policy is not one of all legal actions")?;
        self.check((policy.len() == 1) == (effort == SearchKind::None), "a choice is searched, and nothing else is")?;
        self.check(policy.iter().all(|share| (0.0..=1.0 + ROUNDING).contains(share)), "a probability is none")?;
        self.check((policy.iter().sum::<f32>() - 1.0).abs() <= ROUNDING, "its probabilities do not sum to 1")?;
        let is_value = |value: f32| value.abs() <= 1.0 + ROUNDING;
        self.check(is_value(root_value) && is_value(network_value), "a value is out of range")?;
        self.check((0.0..=MOST_SURPRISE).contains(&surprise), "its surprise is out of range")?;
        // A value out of range by rounding would be refused when a run that keeps it is resumed.
        let [root_value, network_value] = [root_value, network_value].map(|value| Some(value.clamp(-1.0, 1.0)));
        let policy = legal.into_iter().zip(policy.into_iter().map(|share| share.min(1.0))).collect();
        Ok(Decision { policy, root_value, network_value, effort, surprise, ..unsearched })
    }
}

impl Taken {
    fn of<P>(decision: &Decision<P>) -> Self {
        let values = decision.root_value.zip(decision.network_value);
        let search = values.map(|(root_value, network_value)| Searched {
            effort: decision.effort,
            policy: decision.policy.iter().map(|&(_, share)| share).collect(),
            root_value,
            network_value,
            surprise: decision.surprise,
        });
        Self { action: decision.action, search }
    }
}
