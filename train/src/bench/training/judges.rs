//! Players that never change, so that ratings of different years can be compared.
//!
//! Everything that makes them play as they do is kept here and nowhere else: the weights of alpha-beta's patterns,
//! networks, and the settings of both searches. Only the code of the searches is that of the program. So each judge has
//! a fingerprint, made from its choices in a few positions: if that is no longer the fingerprint of the judge that was
//! rated, [`Pool::changed`] says so, a test fails, and the judges have to be rated again, under a new name of the pool.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use gipf_env::{GipfPosition, Variant};
use gipf_models::{Checkpoint, CheckpointError, Engine, EngineOptions, Precision};
use gipf_play::arena::ladder::{Judge, JudgeKind, Member};
use gipf_play::players::alpha_beta::{
    AlphaBeta, Evaluation, Layout, Limits, Patterns, Selectivity, Settings, Weights, unpacked,
};
use gipf_play::players::{Build, Contender, Mcts, Thinking};
use gipf_play::search::{Method, Puct, SearchConfig};
use gipf_play::{NetEvaluator, Stop};
use serde::Deserialize;

/// The judges of a rule set.
pub struct Pool {
    /// The name, which changes with its players or their ratings.
    pub name: &'static str,
    /// The judges, grouped by kind, the weakest first.
    pub judges: Vec<Judge>,
    /// Their fingerprints when they were rated.
    rated: Vec<u64>,
}

/// The rating of a judge, as it is embedded.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rated {
    name: String,
    elo: f64,
    /// Half of the 95 % interval against the anchor of the ladder; for people to read.
    #[expect(dead_code, reason = "judges count as exact")]
    margin: f64,
    fingerprint: String,
}

const POOL: &str = "frozen-1";
const RATINGS: &str = include_str!("judges/ratings.json");
/// The weights for the standard game, from the second generation of games.
const PATTERNS: &[u8] = include_bytes!("judges/patterns.bin");

/// The evaluation by terms for the standard game, in November 2026.
const TERMS: Weights = Weights {
    material: 100,
    ring: [16, 16, 8, -5],
    gipfs: [0, 0, 25, 35, 35, 35, 35],
    twos: 7,
    threes: 16,
    reserve: [-652, -497, -172, -76, -46, -21, 8, 16, 17, 0],
    right: 0,
    tempo: -7,
};

/// The weakest alpha-beta: one turn deep, with the evaluation by terms.
const BY_TERMS: &str = "alpha-beta:1,eval=terms";

/// Alpha-beta by its depth, and the turns of captures searched beyond it.
const ALPHA_BETA: [(&str, u32, u32); 10] = [
    (BY_TERMS, 1, 0),
    ("alpha-beta:1", 1, 0),
    ("alpha-beta:1,captures=1", 1, 1),
    ("alpha-beta:2,captures=0", 2, 0),
    ("alpha-beta:2", 2, 2),
    ("alpha-beta:3", 3, 2),
    ("alpha-beta:4", 4, 2),
    ("alpha-beta:5", 5, 2),
    ("alpha-beta:6", 6, 2),
    ("alpha-beta:7", 7, 2),
];

/// Networks by name, content and simulations.
const NETWORKS: [(&str, &[u8], u32); 9] = [
    ("default-5", DEFAULT_5, 64),
    ("default-10", DEFAULT_10, 64),
    ("default-20", DEFAULT_20, 16),
    ("default-20", DEFAULT_20, 64),
    ("default-40", DEFAULT_40, 64),
    ("shipped", SHIPPED, 8),
    ("shipped", SHIPPED, 32),
    ("shipped", SHIPPED, 128),
    ("shipped", SHIPPED, 512),
];

/// Checkpoints of a default run with the seed 1000 after this many iterations, and the network that came with the
/// program, as of November 2026.
const DEFAULT_5: &[u8] = include_bytes!("judges/default-05.bin");
const DEFAULT_10: &[u8] = include_bytes!("judges/default-10.bin");
const DEFAULT_20: &[u8] = include_bytes!("judges/default-20.bin");
const DEFAULT_40: &[u8] = include_bytes!("judges/default-40.bin");
const SHIPPED: &[u8] = include_bytes!("judges/shipped.bin");

/// The selectivity of the baseline AI in November 2026.
const SELECTIVITY: Selectivity = Selectivity {
    static_turns: 3,
    static_margin: 120,
    futile_turns: 2,
    futile_margin: 120,
    late: [12, 20, 30],
    reduced_from: 3,
    reduction: 30,
    reduction_divisor: 220,
    unknown_turns: 4,
    aspiration: 40,
};

/// The search of networks in play, in November 2026.
const SEARCH: SearchConfig = SearchConfig {
    method: Method::Puct(Puct {
        c_init: 1.1,
        c_base: 19652.0,
        fpu_reduction: 0.15,
        prior_temperature: 1.5,
        dirichlet_total: 10.0,
        dirichlet_share: 0.25,
        c_spread: 0.0,
        lcb: 0.0,
    }),
    solver: true,
};

impl Pool {
    /// Returns the judges of a rule set, if it has any: the standard game has.
    pub fn of(variant: Variant) -> Option<Self> {
        Self::until(variant, &Stop::default())
    }

    /// Returns whether a rule set has judges.
    pub fn is_of(variant: Variant) -> bool {
        variant == Variant::STANDARD
    }

    /// Returns the judges of a rule set, whose fingerprints take seconds to compute; none if a stop is requested meanwhile.
    pub(super) fn until(variant: Variant, stop: &Stop) -> Option<Self> {
        if !Self::is_of(variant) {
            return None;
        }
        let rated: Vec<Rated> = serde_json::from_str(RATINGS).expect("a test reads the ratings");
        let layout = Layout::of(variant);
        let weights = unpacked(PATTERNS, variant).expect("a test reads the weights");
        let patterns = Evaluation::Patterns(Arc::new(Patterns::new(&layout, &weights)));
        let alpha_beta = ALPHA_BETA.iter().map(|&(name, depth, captures)| {
            let limits = Limits { captures, ..Limits::depth(depth) };
            let evaluation = if name == BY_TERMS { Evaluation::Terms(Box::new(TERMS)) } else { patterns.clone() };
            (JudgeKind::AlphaBeta, name.to_owned(), alpha_beta(evaluation, limits), PATTERNS)
        });
        let networks = NETWORKS.iter().map(|&(name, bytes, simulations)| {
            let play = searching(bytes, simulations);
            (JudgeKind::Network, format!("{name}:sims={simulations}"), play, bytes)
        });
        let judges = alpha_beta.chain(networks).map(|(kind, name, build, bytes)| {
            let name = format!("{POOL}/{name}");
            let rated = rated.iter().find(|rated| rated.name == name);
            let (elo, print) = rated.map_or((f64::NAN, 0), |rated| (rated.elo, digits(&rated.fingerprint)));
            let member = || Member::of(Contender { name, build }, bytes, variant);
            (!stop.requested()).then(|| (Judge { member: member(), kind, elo }, print))
        });
        let (judges, rated) = judges.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some(Self { name: POOL, judges, rated })
    }

    /// Returns the judges that no longer play as they did when they were rated.
    pub fn changed(&self) -> impl Iterator<Item = &Judge> {
        let both = self.judges.iter().zip(&self.rated);
        both.filter(|(judge, rated)| judge.member.id.fingerprint != **rated).map(|(judge, _)| judge)
    }
}

fn digits(text: &str) -> u64 {
    u64::from_str_radix(text, 16).expect("a test reads the fingerprints")
}

fn alpha_beta(evaluation: Evaluation, limits: Limits) -> Build<GipfPosition> {
    let settings = Settings { selectivity: SELECTIVITY, ..Settings::from(limits) };
    let table_bits = 8 + 2 * limits.depth.min(6);
    Box::new(move || Box::new(AlphaBeta::with_evaluation(settings, evaluation.clone(), table_bits)))
}

fn searching(bytes: &[u8], simulations: u32) -> Build<GipfPosition> {
    let Checkpoint { weights, config, .. } = unpacked_network(bytes).expect("a test reads every network");
    let options = EngineOptions { precision: Precision::Int8, ..EngineOptions::default() };
    let engine = Arc::new(Engine::with_options(&weights, &config, options).expect("a test builds every engine"));
    Box::new(move || {
        Box::new(Mcts::new(SEARCH, NetEvaluator::new(Arc::clone(&engine)), Thinking::Simulations(simulations)))
    })
}

/// The bits of a weight that are kept: its sign, its exponent, and seven of its 23 digits.
const KEPT: u32 = 0xffff_0000;
/// The bytes of a weight.
const BYTES: usize = size_of::<f32>();

/// Returns a network as a judge plays it, in little more than a third of its bytes: with weights of seven binary
/// digits, then the first bytes of all four-byte words, then the second ones and so on, compressed.
///
/// # Errors
/// If it cannot be written.
pub fn packed_network(checkpoint: &Checkpoint) -> Result<Vec<u8>, CheckpointError> {
    let mut rounded = checkpoint.clone();
    for value in rounded.weights.0.values_mut().flat_map(|array| &mut array.values) {
        *value = f32::from_bits((value.to_bits() + (!KEPT).div_ceil(2)) & KEPT);
    }
    let bytes = rounded.to_bytes(Path::new(POOL))?;
    let apart: Vec<u8> = (0..BYTES).flat_map(|place| bytes.iter().skip(place).step_by(BYTES)).copied().collect();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&apart).expect("memory can be written to");
    Ok(encoder.finish().expect("memory can be written to"))
}

/// Reads a network of the pool.
///
/// # Errors
/// If the bytes are not a network.
pub fn unpacked_network(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
    let mut apart = Vec::new();
    // Bytes that cannot be decompressed are rejected as a checkpoint.
    let _ = ZlibDecoder::new(bytes).read_to_end(&mut apart);
    let mut content = vec![0; apart.len()];
    let places = (0..BYTES).flat_map(|place| (place..apart.len()).step_by(BYTES));
    for (place, &byte) in places.zip(&apart) {
        content[place] = byte;
    }
    Checkpoint::from_bytes(Path::new(POOL), &content)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use gipf_models::Pretrained;

    use super::*;

    #[test]
    fn judges_are_rated_and_play_as_they_did_then() {
        let pool = Pool::of(Variant::STANDARD).unwrap();
        let of = |kind| pool.judges.iter().filter(move |judge| judge.kind == kind).collect::<Vec<_>>();
        for judge in &pool.judges {
            let id = &judge.member.id;
            println!("{{\"name\":\"{}\",\"fingerprint\":\"{:016x}\"}}", id.name, id.fingerprint);
        }
        assert!(pool.judges.iter().all(|judge| judge.elo.is_finite()));
        assert_eq!(pool.changed().map(|judge| judge.member.id.name.as_str()).collect::<Vec<_>>(), [""; 0]);
        for judges in JudgeKind::ALL.map(of) {
            let elo: Vec<_> = judges.iter().map(|judge| judge.elo).collect();
            assert!(elo.is_sorted() && elo[0] < 800.0 && *elo.last().unwrap() > 2400.0, "{elo:?}");
            assert!(elo.windows(2).all(|next| next[1] - next[0] < 550.0), "no gap is beyond reach: {elo:?}");
        }
        assert!(Pool::of(Variant::TOURNAMENT).is_none());
    }

    /// `GIPF_PACK=FOLDER` packs the networks in a folder, and writes beside each of them the network as it then
    /// plays, to be rated.
    #[test]
    fn networks_are_packed_into_a_third_of_their_bytes() {
        let of_the_program = Pretrained::of("standard").unwrap();
        let packed = packed_network(&of_the_program.checkpoint()).unwrap();
        assert!(packed.len() < 2 * of_the_program.file.bytes().len() / 5, "{} bytes", packed.len());
        let found = unpacked_network(&packed).unwrap();
        for (name, array) in &of_the_program.checkpoint().weights.0 {
            let pairs = array.values.iter().zip(&found.weights.0[name].values);
            assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() <= a.abs() / 256.0), "{name}");
        }
        assert!(unpacked_network(&packed[..packed.len() / 2]).is_err());

        let Ok(folder) = std::env::var("GIPF_PACK").map(PathBuf::from) else { return };
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let packed = packed_network(&Checkpoint::load(&path).unwrap()).unwrap();
            unpacked_network(&packed).unwrap().save(&path.with_extension("rounded.safetensors")).unwrap();
            fs::write(path.with_extension("bin"), packed).unwrap();
        }
    }
}
