//! Positions and networks for measurements.

use gipf_env::{GipfPosition, Position, Variant};
use gipf_models::{HexConfig, LineConfig, MlpConfig, NetConfig, NetKind};
use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Returns positions of random games, the same ones each time.
pub fn random_positions(variant: Variant, count: usize) -> Vec<GipfPosition> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut position = GipfPosition::start(variant);
    let mut positions = Vec::with_capacity(count);
    while positions.len() < count {
        let legal = position.action_set();
        if legal.is_empty() {
            position = GipfPosition::start(variant);
            continue;
        }
        positions.push(position.clone());
        position.play_unchecked(legal.nth(rng.random_range(0..legal.len())).expect("the choice is one of the actions"));
    }
    positions
}

/// Returns the planes of positions, one observation after the other.
pub fn planes(positions: &[GipfPosition]) -> Vec<f32> {
    let size = positions.first().map_or(0, |position| position.observation_layout().size());
    let mut planes = vec![0.0; positions.len() * size];
    for (position, planes) in positions.iter().zip(planes.chunks_exact_mut(size)) {
        position.observe(planes);
    }
    planes
}

/// The networks that are measured, by name.
pub const NETWORKS: [&str; 5] = ["mlp", "line", "line-32", "hex-4x32", "hex-6x64"];

/// Returns a network of [`NETWORKS`] for a rule set.
pub fn network(name: &str, variant: Variant) -> Option<NetConfig> {
    let net = match name {
        "mlp" => NetKind::Mlp(MlpConfig::default()),
        "line" => NetKind::Line(LineConfig::default()),
        "line-32" => NetKind::Line(LineConfig {
            features: 32,
            hidden: 128,
            mixing: vec![32],
            value_hidden: 64,
            ..Default::default()
        }),
        "hex-4x32" => NetKind::Hex(HexConfig::default()),
        "hex-6x64" => NetKind::Hex(HexConfig { blocks: 6, channels: 64, ..HexConfig::default() }),
        _ => return None,
    };
    Some(NetConfig::of(net, &GipfPosition::start(variant)).expect("the networks are made for the game"))
}
