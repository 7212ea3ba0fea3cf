//! The opponent in games that a run learns from, if its own network does not play both sides.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gipf_env::GipfPosition;
use gipf_play::players::{AgentError, AgentSpec, Build};

use crate::training::settings::{Config, ConfigFault};

/// The name in the settings for no opponent: the search plays both sides.
pub const ITSELF: &str = "itself";

/// The opponents that the settings of a run name ([`SelfPlayConfig::opponent`](super::SelfPlayConfig::opponent)).
#[derive(Clone)]
pub struct Opponents<P>(BTreeMap<String, Opponent<P>>);

#[derive(Clone)]
struct Opponent<P> {
    build: Arc<Build<P>>,
    /// The checksum of the file that it was built from, if it has one that may change.
    file: Option<String>,
}

impl<P> Opponents<P> {
    /// Returns how to build an opponent, if it is one of these.
    pub fn get(&self, name: &str) -> Option<Arc<Build<P>>> {
        self.0.get(name).map(|opponent| Arc::clone(&opponent.build))
    }

    /// Returns the checksums of the files that opponents were built from, by the names of these opponents.
    pub fn files(&self) -> BTreeMap<String, String> {
        let files = self.0.iter().filter_map(|(name, opponent)| Some((name.clone(), opponent.file.clone()?)));
        files.collect()
    }

    /// Returns whether the search always plays itself.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<P> Default for Opponents<P> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<P> FromIterator<(String, Build<P>)> for Opponents<P> {
    fn from_iter<I: IntoIterator<Item = (String, Build<P>)>>(named: I) -> Self {
        let opponent = |build| Opponent { build: Arc::new(build), file: None };
        Self(named.into_iter().map(|(name, build)| (name, opponent(build))).collect())
    }
}

impl Opponents<GipfPosition> {
    /// Returns the opponents that the settings name, in all phases.
    ///
    /// # Errors
    /// If one is unknown, does not play the rule set, would think without end, or may play differently each time, so that no
    /// run could be repeated: because it goes by a clock or by the timing of threads, or is the best network of a run, which
    /// may go on.
    pub fn of(config: &Config) -> Result<Self, ConfigFault> {
        let later = config.stages().into_iter().map(|(_, then)| then.self_play.opponent);
        // Each once, however many phases name it: building one reads its network.
        let mut names: BTreeSet<_> = std::iter::once(config.self_play.opponent.clone()).chain(later).collect();
        names.remove(ITSELF);
        let fault = ConfigFault::SelfPlayOpponent;
        let unfit = |error: AgentError| fault(error.to_string());
        let named = |name: String| {
            let spec: AgentSpec = name.parse().map_err(|error| fault(format!("{error}, or {ITSELF}")))?;
            spec.check_end().map_err(unfit)?;
            if spec.is_timed() {
                return Err(fault(format!("{name} goes by the clock: expected a limit that can be repeated")));
            }
            if spec.threads() > 1 {
                return Err(fault(format!("{name} goes by the timing of its threads: expected one of them")));
            }
            let resolved = spec.resolved().map_err(unfit)?;
            if resolved != spec {
                return Err(fault(format!(
                    "{name} is a run, whose network may change: expected a file, such as {resolved}"
                )));
            }
            let variant = config.game.variant;
            let content = spec.file(variant).map_err(unfit)?;
            let contender = spec.contender_of(&content, variant).map_err(unfit)?;
            let file = spec.path().map(|_| blake3::hash(&content).to_string());
            Ok((name, Opponent { build: Arc::new(contender.build), file }))
        };
        names.into_iter().map(named).collect::<Result<_, _>>().map(Self)
    }
}
