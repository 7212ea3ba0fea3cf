//! The players of a ladder, and how it identifies them.

use std::fmt;

use gipf_env::text::truncate_escaped;
use gipf_env::{GipfPosition, Position, Variant};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::super::book::Book;
use crate::checksum::number_of;
use crate::players::alpha_beta::{AlphaBetaSpec, Limits, Settings, weights_of};
use crate::players::{AgentError, AgentSpec, CheckpointSpec, Contender, Network, Thinking, TurnLimits};

/// A player as a store identifies it: two are the same if their fingerprints are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerId {
    /// Its name.
    #[serde(deserialize_with = "plain_name")]
    pub name: String,
    /// A number that identifies the behaviour: the settings, the bytes of the network, and the actions chosen in a few
    /// positions with little thought. A new evaluation or search makes a different player.
    #[serde(serialize_with = "as_digits", deserialize_with = "from_digits")]
    pub fingerprint: u64,
}

/// A player that can be built here.
pub struct Member {
    /// The identity in the store.
    pub id: PlayerId,
    /// Builds it.
    pub contender: Contender<GipfPosition>,
    /// What it was built from, if a text names it.
    pub spec: Option<AgentSpec>,
    /// Whether it has a time limit, so that its strength depends on the machine.
    pub is_timed: bool,
}

/// The positions in which a fingerprint is taken.
const PROBES: usize = 16;
/// The greatest depth to which a player thinks about each of them.
const PROBE_DEPTH: u32 = 3;
const PROBE_SIMULATIONS: u32 = 16;

impl Member {
    /// Returns the player that a text names, ready for games of a rule set. A run is resolved to the file of its
    /// network, since the run changes later.
    ///
    /// # Errors
    /// If it cannot be built, or does not play this rule set.
    pub fn new(spec: &AgentSpec, variant: Variant) -> Result<Self, AgentError> {
        let spec = spec.resolved()?;
        let file = spec.file(variant)?;
        Self::of_file(&spec, &file, variant)
    }

    /// Returns the player that a text names, as [`new`](Self::new) does, given the content of its file.
    ///
    /// # Errors
    /// If it cannot be built, or does not play this rule set.
    pub fn of_file(spec: &AgentSpec, file: &[u8], variant: Variant) -> Result<Self, AgentError> {
        let played = spec.behind(variant);
        let mut hasher = blake3::Hasher::new();
        match &*played {
            AgentSpec::Checkpoint(checkpoint) => {
                let settings = CheckpointSpec { network: Network::Pretrained, ..checkpoint.essential() };
                hasher.update(settings.to_string().as_bytes()).update(file);
            }
            AgentSpec::Depth(depth) => _ = hasher.update(depth.limits().to_string().as_bytes()),
            AgentSpec::AlphaBeta(spec) => {
                hasher.update(spec.settings.essential().to_string().as_bytes());
                let weights = spec.weights.as_deref().map(|path| weights_of(path, file, variant)).transpose()?;
                weights.iter().flatten().for_each(|weight| _ = hasher.update(&weight.to_le_bytes()));
            }
            other => _ = hasher.update(other.to_string().as_bytes()),
        }
        let fingerprint = fingerprint(hasher, &probed(&played).contender_of(file, variant)?, variant);
        let (id, contender) = (PlayerId { name: spec.to_string(), fingerprint }, spec.contender_of(file, variant)?);
        let is_timed = id.is_timed();
        Ok(Self { id, contender, spec: Some(spec.clone()), is_timed })
    }

    /// Returns a player that no text names. It is identified by the bytes that it is made of and by its choices in a
    /// few positions, about which it thinks as long as in games.
    pub fn of(contender: Contender<GipfPosition>, bytes: &[u8], variant: Variant) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(contender.name.as_bytes()).update(bytes);
        let fingerprint = fingerprint(hasher, &contender, variant);
        Self { id: PlayerId { name: contender.name.clone(), fingerprint }, contender, spec: None, is_timed: false }
    }

    /// Returns a player that is known by its name alone, since asking it for choices may fail: somebody else's program,
    /// or a function. In a store it could not be told from others of that name.
    pub fn named(contender: Contender<GipfPosition>, is_timed: bool) -> Self {
        let fingerprint = number_of(blake3::Hasher::new().update(contender.name.as_bytes()));
        Self { id: PlayerId { name: contender.name.clone(), fingerprint }, contender, spec: None, is_timed }
    }
}

impl PlayerId {
    /// Returns whether the player has a time limit, so that its strength depends on the machine.
    pub fn is_timed(&self) -> bool {
        has_setting(&self.name, "time=")
    }
}

/// Returns whether the name of a player has a setting that begins like this.
pub(super) fn has_setting(name: &str, beginning: &str) -> bool {
    name.split([':', ',']).any(|setting| setting.starts_with(beginning))
}

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Completes the fingerprint of a player with what it chooses.
fn fingerprint(mut hasher: blake3::Hasher, probed: &Contender<GipfPosition>, variant: Variant) -> u64 {
    for number in choices(probed, variant) {
        hasher.update(&number.to_le_bytes());
    }
    number_of(&hasher)
}

/// Returns the player limited to little thinking, the same on every machine.
fn probed(spec: &AgentSpec) -> AgentSpec {
    let brief = |limits: Limits| Limits { depth: limits.depth.min(PROBE_DEPTH), nodes: None, time: None, ..limits };
    match spec {
        AgentSpec::AlphaBeta(spec) => {
            let settings = Settings { limits: brief(spec.settings.limits), threads: 1, hash: None, ..spec.settings };
            AgentSpec::AlphaBeta(AlphaBetaSpec { settings, ..spec.clone() })
        }
        AgentSpec::Depth(depth) => AgentSpec::AlphaBeta(brief(depth.limits()).into()),
        AgentSpec::Checkpoint(checkpoint) => {
            let simulations = checkpoint.thinking.simulations().unwrap_or(PROBE_SIMULATIONS).min(PROBE_SIMULATIONS);
            let thinking = Thinking::Simulations(simulations);
            // Its choices do not depend on a cache, which may be large.
            AgentSpec::Checkpoint(CheckpointSpec { thinking, threads: 1, cache: None, ..checkpoint.clone() })
        }
        other => other.clone(),
    }
}

/// Returns the actions that a player chooses in the first positions of the program's own book.
fn choices(contender: &Contender<GipfPosition>, variant: Variant) -> Vec<u16> {
    let (book, mut agent) = (Book::of(variant), (contender.build)());
    let positions = (0..PROBES.min(book.len())).map(|number| book.opening(number, 400).position);
    let choices = positions.map(|position| {
        agent.begin(&position, &[], 1);
        let choice = agent.choose(&position, &TurnLimits::default()).expect("agents of this program do not fail");
        position.action_index(choice.action).0
    });
    choices.collect()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn as_digits<S: Serializer>(fingerprint: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{fingerprint:016x}"))
}

fn from_digits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    let plain = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = if plain { u64::from_str_radix(&text, 16).ok() } else { None };
    number.ok_or_else(|| {
        D::Error::custom(format!("fingerprint `{}`: expected 16 hexadecimal digits", truncate_escaped(&text, 40)))
    })
}

fn plain_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    check_name(&text).map_err(D::Error::custom)?;
    Ok(text)
}

/// Returns what is wrong with the name of a player: names are kept and printed, so they must not control a terminal.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    if !name.is_empty() && name.chars().count() <= 500 && !name.chars().any(char::is_control) {
        return Ok(());
    }
    Err(format!("name `{}`: expected 1 to 500 printable characters", truncate_escaped(name, 40)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(name: &str, variant: Variant) -> u64 {
        Member::new(&name.parse().unwrap(), variant).unwrap().id.fingerprint
    }

    #[test]
    fn players_are_known_by_what_they_do() {
        let names = ["random", "greedy", "alpha-beta:1", "alpha-beta:2", "alpha-beta:3", "alpha-beta:time=50ms"];
        for variant in Variant::OFFICIAL {
            let mut prints: Vec<_> = names.map(|name| fingerprint(name, variant)).to_vec();
            assert_eq!(prints, names.map(|name| fingerprint(name, variant)), "the same every time");
            prints.sort_unstable();
            prints.dedup();
            assert_eq!(prints.len(), names.len());
        }
        assert_eq!(fingerprint("alpha-beta:4", Variant::BASIC), fingerprint("alpha-beta:depth=4", Variant::BASIC));
    }

    /// A file of a ladder may name a player with more memory than the machine has.
    #[test]
    fn a_player_is_probed_without_the_memory_that_it_asks_for() {
        for name in ["pretrained:sims=2,cache=65536,threads=4", "alpha-beta:2,hash=65536"] {
            let told = probed(&name.parse().unwrap()).to_string();
            assert!(!["cache", "hash", "threads"].iter().any(|setting| told.contains(setting)), "{told}");
        }
    }

    #[test]
    fn settings_that_change_nothing_in_play_make_no_other_player() {
        let are_one = |names: [&str; 2]| {
            let [one, other] = names.map(|name| fingerprint(name, Variant::BASIC));
            one == other
        };
        for twins in [
            ["pretrained:sims=2", "pretrained:sims=2,cache=4"],
            ["pretrained:sims=2", "pretrained:sims=2,precision=int8"],
            ["pretrained:time=5ms", "pretrained:time=5ms,cache=8"],
            ["alpha-beta:4", "alpha-beta:4,hash=1"],
            ["alpha-beta:4,hash=2", "alpha-beta:4,hash=3"],
        ] {
            assert!(are_one(twins), "{twins:?}");
        }
        for others in [
            ["pretrained:sims=2", "pretrained:sims=2,precision=f32"],
            ["pretrained:time=5ms", "pretrained:time=5ms,cache=0"],
            ["alpha-beta:4", "alpha-beta:4,hash=2"],
        ] {
            assert!(!are_one(others), "{others:?}");
        }
    }

    #[test]
    fn players_that_think_for_a_time_say_so() {
        let timed = |name: &str| PlayerId { name: name.to_owned(), fingerprint: 0 }.is_timed();
        assert!(timed("alpha-beta:time=50ms") && timed("mcts:a.safetensors,time=1s,cache=8"));
        assert!(!timed("alpha-beta:4") && !timed("mcts:time/sometime=3.safetensors,sims=4"));
    }
}
