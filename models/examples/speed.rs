//! Measures how many positions a second each network evaluates on one thread, and how long its engine takes to build.
//!
//! `cargo run --release -p gipf-models --example speed`

use std::time::{Duration, Instant};

use gipf_env::{GipfPosition, Position, Variant};
use gipf_models::{Engine, LineConfig, MlpConfig, NetConfig, NetKind, Scratch, Weights};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The allocator of the program `gipf`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let line = |features| NetKind::Line(LineConfig { features, mixing: vec![features], ..LineConfig::default() });
    let nets = [("line 32", line(32)), ("line 16", line(16)), ("mlp 256", NetKind::Mlp(MlpConfig::default()))];
    for variant in [Variant::BASIC, Variant::STANDARD, Variant::TOURNAMENT] {
        let positions = random_positions(variant, 4096);
        for (name, net) in &nets {
            measure(&format!("{variant} {name}"), &positions, net);
        }
    }
}

fn measure(name: &str, positions: &[GipfPosition], net: &NetKind) {
    let config = NetConfig::of(net.clone(), &positions[0]).expect("the network fits the game");
    let weights = Weights::initial(&config, 1);
    let start = Instant::now();
    let engine = Engine::new(&weights, &config).expect("the weights are the network's");
    let build = start.elapsed();
    let size = config.layout.size();
    let mut planes = vec![0.0; positions.len() * size];
    for (position, planes) in positions.iter().zip(planes.chunks_exact_mut(size)) {
        position.observe(planes);
    }
    let speeds = [1, 8, 32].map(|batch| format!("{:.0}", evaluations_per_second(&engine, &planes, batch)));
    println!("{name}: {} evaluations/s at batch 1, 8, 32; built in {build:.0?}", speeds.join(", "));
}

fn evaluations_per_second(engine: &Engine, planes: &[f32], batch: usize) -> f64 {
    let mut scratch = Scratch::default();
    let actions = engine.config().num_actions;
    let (mut logits, mut wdl) = (vec![0.0; batch * actions], vec![0.0; batch * 3]);
    let (start, mut count) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_millis(500) {
        for planes in planes.chunks_exact(batch * engine.config().layout.size()) {
            engine.forward(&mut scratch, planes, batch, &mut logits, &mut wdl);
            count += batch;
        }
    }
    f64::from(count as u32) / start.elapsed().as_secs_f64()
}

/// Returns the positions of random games.
fn random_positions(variant: Variant, count: usize) -> Vec<GipfPosition> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut positions = Vec::with_capacity(count);
    let mut position = GipfPosition::start(variant);
    while positions.len() < count {
        let actions: Vec<_> = position.legal_actions().collect();
        if actions.is_empty() {
            position = GipfPosition::start(variant);
            continue;
        }
        positions.push(position.clone());
        position.play_unchecked(actions[rng.random_range(0..actions.len())]);
    }
    positions
}
