//! The options of the engine.

use std::ops::RangeInclusive;

use gipf_env::{Setup, Variant};
use gipf_play::players::alpha_beta::{MAX_HASH, MAX_THREADS};
use gipf_play::players::{AgentError, AgentSpec};
use gipf_play::printable;
use gipf_play::ugi::{SHOWN, UgiGame, shortened};

/// The options and their values.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub agent: AgentSpec,
    pub variant: Variant,
    pub seed: u32,
    /// The placements at which a game is cut off; 0 for none.
    limit: u16,
    potentials: u8,
    /// The threads of a search; 0 for the number in the agent's name.
    threads: u32,
    /// The memory for what a search knows about positions, in megabytes; 0 for the amount in the agent's name. The tree of
    /// a network takes more beside it.
    hash: u32,
    /// The number of turns that a search reports.
    pub multi_pv: u32,
    /// Whether answers name the expected reply.
    pub ponder: bool,
}

/// An option cannot be set this way; nothing has changed.
#[derive(Debug, thiserror::Error)]
pub(super) enum OptionError {
    /// There is no such option.
    #[error(
        "no option `{0}`: expected Variant, Agent, Seed, PlacementLimit, Potentials, Threads, Hash, MultiPV or Ponder"
    )]
    Unknown(String),
    /// The value does not fit.
    #[error("{name} `{found}`: expected {expected}")]
    Value { name: &'static str, found: String, expected: String },
    /// There is no such agent.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

const LARGEST_SEED: u32 = i32::MAX as u32;
const MOST_LINES: u32 = 50;

impl Options {
    pub const fn new(agent: AgentSpec, variant: Variant, seed: u32) -> Self {
        Self { agent, variant, seed, limit: 0, potentials: 3, threads: 0, hash: 0, multi_pv: 1, ponder: false }
    }

    /// Returns the lines that introduce the options, with their current values as defaults.
    pub fn lines(&self) -> [String; 9] {
        let variants: Vec<_> = told_variants().map(|variant| format!("var {variant}")).collect();
        let Self { agent, variant, seed, limit, potentials, threads, hash, multi_pv, ponder } = self;
        [
            format!("option name Variant type combo default {variant} {}", variants.join(" ")),
            format!("option name Agent type string default {}", printable(&agent.to_string())),
            format!("option name Seed type spin default {seed} min 0 max {LARGEST_SEED}"),
            format!("option name PlacementLimit type spin default {limit} min 0 max {}", u16::MAX),
            format!("option name Potentials type spin default {potentials} min 3 max 6"),
            format!("option name Threads type spin default {threads} min 0 max {MAX_THREADS}"),
            format!("option name Hash type spin default {hash} min 0 max {MAX_HASH}"),
            format!("option name MultiPV type spin default {multi_pv} min 1 max {MOST_LINES}"),
            format!("option name Ponder type check default {ponder}"),
        ]
    }

    /// Returns who plays, with the threads and the memory that are set.
    pub fn player(&self) -> AgentSpec {
        let given = |number: u32| (number > 0).then_some(number as usize);
        self.agent.clone().with_resources(given(self.threads), given(self.hash))
    }

    /// Sets an option; upper and lower case in its name are the same.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        match name.to_ascii_lowercase().as_str() {
            "variant" => self.variant = variant(value)?,
            "agent" => self.agent = value.parse()?,
            "seed" => self.seed = number("Seed", value, 0..=LARGEST_SEED)?,
            // Version 0.1 called it PlyLimit.
            "placementlimit" | "plylimit" => self.limit = number("PlacementLimit", value, 0..=u16::MAX.into())? as u16,
            "threads" => self.threads = number("Threads", value, 0..=MAX_THREADS as u32)?,
            "hash" => self.hash = number("Hash", value, 0..=MAX_HASH as u32)?,
            "multipv" => self.multi_pv = number("MultiPV", value, 1..=MOST_LINES)?,
            "ponder" => self.ponder = truth("Ponder", value)?,
            "potentials" => self.potentials = number("Potentials", value, 3..=6)? as u8,
            _ => return Err(OptionError::Unknown(shortened(name, SHOWN))),
        }
        Ok(())
    }

    /// Returns the position of `startpos`.
    pub fn start(&self) -> Setup {
        let start = self.limited(Setup::start(self.variant));
        // Rule sets without potentials have none, for any value.
        start.clone().with_potentials(self.potentials).unwrap_or(start)
    }

    /// Returns a setup with the placement limit that is set.
    pub fn limited(&self, setup: Setup) -> Setup {
        setup.with_placement_limit((self.limit > 0).then_some(self.limit))
    }
}

fn told_variants() -> impl Iterator<Item = Variant> {
    Variant::ALL.into_iter().filter(|&variant| UgiGame::is_told(variant))
}

fn variant(value: &str) -> Result<Variant, OptionError> {
    let found = value.parse().ok().filter(|&variant| UgiGame::is_told(variant));
    found.ok_or_else(|| {
        let names: Vec<_> = told_variants().map(|variant| variant.to_string()).collect();
        let expected = format!("a rule set with a notation: {}", names.join(", "));
        OptionError::Value { name: "Variant", found: shortened(value, SHOWN), expected }
    })
}

fn truth(name: &'static str, value: &str) -> Result<bool, OptionError> {
    let expected = || "true or false".to_owned();
    let wrong = |_| OptionError::Value { name, found: shortened(value, SHOWN), expected: expected() };
    value.to_ascii_lowercase().parse().map_err(wrong)
}

fn number(name: &'static str, value: &str, range: RangeInclusive<u32>) -> Result<u32, OptionError> {
    let found = value.parse().ok().filter(|number| range.contains(number));
    let expected = || format!("a number from {} to {}", range.start(), range.end());
    found.ok_or_else(|| OptionError::Value { name, found: shortened(value, SHOWN), expected: expected() })
}
