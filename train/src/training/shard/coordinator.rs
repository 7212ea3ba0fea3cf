//! Which shards of the iterations may be played, and what results have come in.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gipf_env::Learnable;
use gipf_models::Engine;

use super::{ShardError, ShardGames, ShardSpec, Terms};
use crate::training::PlayedGame;

/// How often a shard may fail: each time its player raised an error, died of it, or returned an impossible result.
const TRIES: u32 = 3;

/// The network of an iteration, as it plays here and as it is sent to others.
#[derive(Clone, Debug)]
pub struct ReleasedNetwork {
    /// The network as it plays here; none if only others can play, with an evaluator of their own.
    pub engine: Option<Arc<Engine>>,
    /// The bytes of its checkpoint; for an evaluator, its name.
    pub checkpoint: Arc<[u8]>,
    /// The blake3 of these bytes.
    pub hash: [u8; blake3::OUT_LEN],
}

/// Names a shard within its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardId {
    /// The iteration, from 1.
    pub iteration: u32,
    /// The number of its first game in the run.
    pub first: u64,
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ingested {
    /// It counts.
    Taken,
    /// It was there already, or its iteration is over; it does not count again.
    Repeated,
}

/// How many shards are in each state, and what happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Waiting to be handed out.
    pub waiting: u64,
    /// Handed out, and not back.
    pub out: u64,
    /// Played: their games are there.
    pub done: u64,
    /// Given up.
    pub quarantined: u64,
    /// How often a shard was handed out again, in total.
    pub reasked: u64,
    /// How many results were there already when they came, in total.
    pub repeated: u64,
}

/// All games of an iteration.
#[derive(Clone, Debug)]
pub struct Harvest<P> {
    /// In the order of their numbers.
    pub games: Vec<PlayedGame<P>>,
    /// Positions that searches asked about.
    pub asked: u64,
    /// How many of them were found in a cache.
    pub found: u64,
    /// Who played.
    pub player: ReleasedNetwork,
    /// The CPU seconds that others report.
    pub core_seconds: f64,
    /// Games that are missing because their shards were given up.
    pub missing: u64,
}

/// Hands out shards and takes in their games, in any order, from many threads.
///
/// Iterations are released one after the other, each with its network and its terms. Each result counts once, even if
/// its shard was handed out twice, or a result came late or was damaged.
#[derive(Debug)]
pub struct Coordinator<P> {
    state: Mutex<State<P>>,
}

#[derive(Debug)]
struct State<P> {
    shard_games: u64,
    iterations: BTreeMap<u32, Released<P>>,
    /// The last iteration that is over: its games were taken, or were asked for before this coordinator was made.
    over: u32,
    reasked: u64,
    repeated: u64,
}

#[derive(Debug)]
struct Released<P> {
    terms: Arc<Terms<P>>,
    player: ReleasedNetwork,
    shards: BTreeMap<u64, Shard<P>>,
    core_seconds: f64,
}

#[derive(Debug)]
struct Shard<P> {
    games: u64,
    failed: u32,
    state: ShardState<P>,
}

#[derive(Debug)]
enum ShardState<P> {
    Waiting,
    Out,
    Done(ShardGames<P>),
    Quarantined,
}

impl<P: Learnable> Coordinator<P> {
    /// Returns a coordinator that hands out at most this many games in one shard.
    pub fn new(shard_games: u64) -> Self {
        let (iterations, reasked, repeated) = (BTreeMap::new(), 0, 0);
        Self { state: Mutex::new(State { shard_games: shard_games.max(1), iterations, over: 0, reasked, repeated }) }
    }

    fn lock(&self) -> MutexGuard<'_, State<P>> {
        // A panic leaves the state whole: states change by single assignments.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the most games of a shard, for the iterations that are released from now on.
    pub fn set_shard_games(&self, games: u64) {
        self.lock().shard_games = games.max(1);
    }

    /// Lets the games of an iteration be played: this many, from this number on.
    pub fn release(&self, iteration: u32, (first, games): (u64, u64), terms: Arc<Terms<P>>, player: ReleasedNetwork) {
        let mut state = self.lock();
        let size = state.shard_games;
        let waiting = |first: u64, games: u64| (first, Shard { games, failed: 0, state: ShardState::Waiting });
        let firsts = (0..games).step_by(usize::try_from(size).unwrap_or(usize::MAX));
        let shards = firsts.map(|done| waiting(first + done, size.min(games - done))).collect();
        if state.iterations.is_empty() {
            state.over = state.over.max(iteration.saturating_sub(1));
        }
        state.iterations.insert(iteration, Released { terms, player, shards, core_seconds: 0.0 });
    }

    /// Hands out at most `most` shards, those of the earliest iteration first.
    pub fn next_shards(&self, most: usize) -> Vec<ShardSpec<P>> {
        let mut state = self.lock();
        let mut specs = Vec::new();
        for (&iteration, released) in &mut state.iterations {
            let Released { terms, player, shards, .. } = released;
            let waiting = shards.iter_mut().filter(|(_, shard)| matches!(shard.state, ShardState::Waiting));
            for (&first, shard) in waiting.take(most - specs.len()) {
                shard.state = ShardState::Out;
                let (games, network, terms) = (shard.games, player.hash, Arc::clone(terms));
                specs.push(ShardSpec { iteration, first, games, network, terms });
            }
        }
        specs
    }

    /// Takes in the result of a shard, whoever made it. An impossible result is refused and counts as a failure: the
    /// shard waits to be handed out again.
    ///
    /// # Errors
    /// If the bytes are damaged, belong to another shard, or contain an impossible game; or if nobody asked for the shard.
    pub fn ingest(&self, id: ShardId, bytes: &[u8]) -> Result<Ingested, ShardError> {
        let Some((spec, is_done)) = self.spec(id)? else { return Ok(self.repeat()) };
        if is_done {
            return Ok(self.repeat());
        }
        // Checked without the lock, so that others can go on.
        match ShardGames::from_bytes(bytes, &spec) {
            Ok(games) => Ok(self.accept(id, games)),
            Err(error) => {
                self.fail(id);
                Err(error)
            }
        }
    }

    /// Takes in games that were played here.
    pub fn accept(&self, id: ShardId, games: ShardGames<P>) -> Ingested {
        let mut state = self.lock();
        let shard = state.shard(id).filter(|shard| !matches!(shard.state, ShardState::Done(_)));
        let Some(shard) = shard else {
            state.repeated += 1;
            return Ingested::Repeated;
        };
        shard.state = ShardState::Done(games);
        Ingested::Taken
    }

    /// Adds the CPU seconds that somebody else has spent on games of an iteration.
    pub fn add_core_seconds(&self, iteration: u32, seconds: f64) {
        if let Some(released) = self.lock().iterations.get_mut(&iteration) {
            released.core_seconds += seconds.clamp(0.0, 1e9);
        }
    }

    fn repeat(&self) -> Ingested {
        self.lock().repeated += 1;
        Ingested::Repeated
    }

    /// Returns the specification of a shard, and whether its games are there; none if its iteration is over.
    fn spec(&self, id: ShardId) -> Result<Option<(ShardSpec<P>, bool)>, ShardError> {
        let ShardId { iteration, first } = id;
        let state = self.lock();
        let Some(released) = state.iterations.get(&iteration) else {
            return if iteration <= state.over { Ok(None) } else { Err(ShardError::Unknown { iteration, first }) };
        };
        let shard = released.shards.get(&first).ok_or(ShardError::Unknown { iteration, first })?;
        let (games, network, terms) = (shard.games, released.player.hash, Arc::clone(&released.terms));
        let is_done = matches!(shard.state, ShardState::Done(_));
        Ok(Some((ShardSpec { iteration, first, games, network, terms }, is_done)))
    }

    /// Lets a shard be handed out again, since its player may be gone or slow. That is not a failure; a result that
    /// comes late still counts, if it is the first.
    pub fn reask(&self, id: ShardId) {
        let mut state = self.lock();
        if let Some(shard) = state.shard(id).filter(|shard| matches!(shard.state, ShardState::Out)) {
            shard.state = ShardState::Waiting;
            state.reasked += 1;
        }
    }

    /// Counts a failure of a shard, and lets it be handed out again; returns whether it is given up instead, after
    /// three failures.
    pub fn fail(&self, id: ShardId) -> bool {
        let mut state = self.lock();
        let open = |shard: &&mut Shard<P>| matches!(shard.state, ShardState::Out | ShardState::Waiting);
        let Some(shard) = state.shard(id).filter(open) else { return false };
        shard.failed += 1;
        let is_given_up = shard.failed >= TRIES;
        shard.state = if is_given_up { ShardState::Quarantined } else { ShardState::Waiting };
        state.reasked += u64::from(!is_given_up);
        is_given_up
    }

    /// Returns the specifications of the shards that were given up.
    pub fn quarantined(&self) -> Vec<ShardSpec<P>> {
        let state = self.lock();
        let shards = state.iterations.iter().flat_map(|(iteration, released)| {
            released.shards.iter().map(move |(first, shard)| (*iteration, *first, released, shard))
        });
        let given_up = shards.filter(|(.., shard)| matches!(shard.state, ShardState::Quarantined));
        given_up
            .map(|(iteration, first, released, shard)| ShardSpec {
                iteration,
                first,
                games: shard.games,
                network: released.player.hash,
                terms: Arc::clone(&released.terms),
            })
            .collect()
    }

    /// Returns the network that plays an iteration, if the iteration is released and not over.
    pub fn player(&self, iteration: u32) -> Option<ReleasedNetwork> {
        self.lock().iterations.get(&iteration).map(|released| released.player.clone())
    }

    /// Returns the specification of only the first game of an iteration, which a worker may play to show how it computes.
    pub fn probe(&self, iteration: u32) -> Option<ShardSpec<P>> {
        let state = self.lock();
        let released = state.iterations.get(&iteration)?;
        let (network, terms) = (released.player.hash, Arc::clone(&released.terms));
        released.shards.keys().next().map(|&first| ShardSpec { iteration, first, games: 1, network, terms })
    }

    /// Returns whether no shard of an iteration is waiting or handed out.
    pub fn is_complete(&self, iteration: u32) -> bool {
        self.are_all(iteration, |state| matches!(state, ShardState::Done(_) | ShardState::Quarantined))
    }

    /// Returns whether all games of an iteration are there.
    pub fn is_whole(&self, iteration: u32) -> bool {
        self.are_all(iteration, |state| matches!(state, ShardState::Done(_)))
    }

    fn are_all(&self, iteration: u32, are_so: impl Fn(&ShardState<P>) -> bool) -> bool {
        let state = self.lock();
        let released = state.iterations.get(&iteration);
        released.is_some_and(|released| released.shards.values().all(|shard| are_so(&shard.state)))
    }

    /// Takes the games of an iteration, which is then over; none while it is not complete.
    pub fn take(&self, iteration: u32) -> Option<Harvest<P>> {
        if !self.is_complete(iteration) {
            return None;
        }
        let mut state = self.lock();
        let Released { player, shards, core_seconds, .. } = state.iterations.remove(&iteration)?;
        state.over = state.over.max(iteration);
        drop(state);
        let mut harvest = Harvest { games: Vec::new(), asked: 0, found: 0, player, core_seconds, missing: 0 };
        for shard in shards.into_values() {
            if let ShardState::Done(ShardGames { games, asked, found }) = shard.state {
                harvest.games.extend(games);
                harvest.asked += asked;
                harvest.found += found;
            } else {
                harvest.missing += shard.games;
            }
        }
        Some(harvest)
    }

    /// Returns how many shards are in each state.
    pub fn counts(&self) -> Counts {
        let state = self.lock();
        let mut counts = Counts { reasked: state.reasked, repeated: state.repeated, ..Counts::default() };
        for shard in state.iterations.values().flat_map(|released| released.shards.values()) {
            match shard.state {
                ShardState::Waiting => counts.waiting += 1,
                ShardState::Out => counts.out += 1,
                ShardState::Done(_) => counts.done += 1,
                ShardState::Quarantined => counts.quarantined += 1,
            }
        }
        counts
    }
}

impl<P> State<P> {
    fn shard(&mut self, id: ShardId) -> Option<&mut Shard<P>> {
        self.iterations.get_mut(&id.iteration)?.shards.get_mut(&id.first)
    }
}

impl<P> ShardSpec<P> {
    /// Returns the name of the shard.
    pub const fn id(&self) -> ShardId {
        ShardId { iteration: self.iteration, first: self.first }
    }
}
