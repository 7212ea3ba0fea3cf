//! Who plays on a ladder.

use std::collections::BTreeMap;

use gipf_env::Variant;
use gipf_models::is_special;
use rayon::prelude::*;

use super::member::{Member, check_name};
use super::results::{Anchor, Results};
use super::store::Store;
use crate::players::alpha_beta::Depth;
use crate::players::{AgentError, AgentSpec};
use crate::printable;

/// Who can play, and whose games are wanted.
#[derive(Default)]
pub struct Pool {
    /// All players available.
    pub members: Vec<Member>,
    /// The places among them of those whose games are wanted.
    pub movers: Vec<usize>,
    /// The place of the anchor among them.
    pub anchor: usize,
}

/// Why there is no pool.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// The anchor is not a player.
    #[error("anchor {0}: expected a player such as alpha-beta:1")]
    Anchor(Anchor),
    /// A player cannot be built, or would think without end.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// Its name cannot be stored.
    #[error("{0}")]
    Name(String),
}

/// The players that a user names, and the anchor. They are built before the store is opened, so that a player that
/// cannot be built leaves no file behind.
pub struct Invited {
    named: Vec<Member>,
    anchor: Member,
    added: Vec<Member>,
}

impl Invited {
    /// Builds the players named, those that are added, and the anchor.
    ///
    /// # Errors
    /// If one of them cannot be built, or does not play the rule set.
    pub fn new([named, added]: [&[AgentSpec]; 2], anchor: &Anchor, variant: Variant) -> Result<Self, PoolError> {
        let spec = anchor.player.parse().map_err(|_| PoolError::Anchor(anchor.clone()))?;
        let anchor = invited(&spec, variant)?;
        let all = |specs: &[AgentSpec]| specs.iter().map(|spec| invited(spec, variant)).collect::<Result<_, _>>();
        Ok(Self { named: all(named)?, anchor, added: all(added)? })
    }
}

impl Pool {
    /// Gathers the players named and the anchor. Without names these are all players of the store that can play here
    /// or, for a new store, random, greedy and alpha-beta at each depth. If players are added, only their games are
    /// wanted, unless the store is new. `tell` is called with a line about each player of the store that cannot play.
    ///
    /// # Errors
    /// If a player of a new store cannot be built.
    pub fn gather(invited: Invited, store: &Store, tell: &mut dyn FnMut(String)) -> Result<Self, PoolError> {
        let Invited { named, anchor, added } = invited;
        let mut pool = Self::default();
        if named.is_empty() && !store.series().is_empty() {
            pool.invite_known(store, tell);
        } else if named.is_empty() {
            pool.invite_usual(store.head().variant)?;
        }
        for member in named {
            pool.add(member);
        }
        pool.anchor = pool.add(anchor);
        let added: Vec<_> = added.into_iter().map(|member| pool.add(member)).collect();
        // A new file has no rated players to compare those that are added with.
        let all_move = added.is_empty() || store.series().is_empty();
        pool.movers = if all_move { (0..pool.members.len()).collect() } else { added };
        Ok(pool)
    }

    /// Adds the players of a new store.
    fn invite_usual(&mut self, variant: Variant) -> Result<(), PoolError> {
        let depths = Depth::all().map(AgentSpec::Depth);
        let mut usual = [AgentSpec::Random, AgentSpec::Greedy].into_iter().chain(depths);
        usual.try_for_each(|spec| Ok(_ = self.add(invited(&spec, variant)?)))
    }

    /// Adds a player unless it is there, and returns its place.
    fn add(&mut self, member: Member) -> usize {
        let known = self.members.iter().position(|known| known.id.fingerprint == member.id.fingerprint);
        known.unwrap_or_else(|| {
            self.members.push(member);
            self.members.len() - 1
        })
    }

    /// Adds the players of the store, if they can play here and are unchanged.
    fn invite_known(&mut self, store: &Store, tell: &mut dyn FnMut(String)) {
        let (results, variant) = (Results::of(store.series()), store.head().variant);
        let built = results.names().into_par_iter().map(|name| (name, known_member(name, variant).map(Some)));
        let (mut built, mut changed) = (built.collect::<BTreeMap<_, _>>(), Vec::new());
        for known in results.players() {
            let found = built.get_mut(known.name.as_str()).expect("each name was built");
            match found.as_mut().map(|own| own.take_if(|own| own.id.fingerprint == known.fingerprint)) {
                Ok(Some(member)) => _ = self.add(member),
                Ok(None) => changed.push(format!("{known} #{:06x}", known.fingerprint >> 40)),
                Err(error) => {
                    let why = printable(&error.to_string());
                    tell(format!("{known} cannot play here ({why}); its results stay"));
                }
            }
        }
        // Each new network that comes with the program adds half a dozen of them.
        match changed.as_slice() {
            [] => {}
            [one] => tell(format!("{one} plays otherwise than it did; its results stay")),
            [first, others @ ..] => tell(format!(
                "{first} and {} other players play otherwise than they did; their results stay",
                others.len()
            )),
        }
    }
}

/// Returns the number of the anchor among the players of a ladder that is only shown: the player that its text builds
/// here, or else the latest one of its name, in the usual spelling or as it was written.
pub fn anchor_number(anchor: &Anchor, results: &Results, variant: Variant) -> Option<usize> {
    let same = known_member(&anchor.player, variant).ok().and_then(|member| results.find(&member.id));
    let spec = || anchor.player.parse::<AgentSpec>().ok();
    let named = || results.latest(&spec()?.to_string());
    same.or_else(named).or_else(|| results.latest(&anchor.player))
}

/// Returns the player that a text of the user names.
fn invited(spec: &AgentSpec, variant: Variant) -> Result<Member, PoolError> {
    spec.check_end()?;
    let member = Member::new(spec, variant)?;
    check_name(&member.id.name).map_err(PoolError::Name)?;
    Ok(member)
}

/// Returns a player of a store. Its name may come from anybody, so no file is read that may never end.
fn known_member(name: &str, variant: Variant) -> Result<Member, AgentError> {
    let spec: AgentSpec = name.parse()?;
    spec.check_end()?;
    if let Some(path) = spec.path().filter(|path| is_special(path)) {
        return Err(AgentError::Special(path.to_owned()));
    }
    Member::new(&spec, variant)
}
