//! Measures networks on positions of random games: evaluations per CPU-second of one thread, the CPU time to build an
//! engine, and training samples per CPU-second at batch 256.
//!
//! `RAYON_NUM_THREADS=1 cargo run --release -p gipf-models --example speed [FILTER]`

use gipf_env::{GipfPosition, Position, Variant};
use gipf_models::{Engine, LineConfig, MlpConfig, NetConfig, NetKind, Scratch, Weights};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The allocator of the program `gipf`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let line = |features| NetKind::Line(LineConfig { features, mixing: vec![features], ..LineConfig::default() });
    let nets = [("line 32", line(32)), ("line 16", line(16)), ("mlp 256", NetKind::Mlp(MlpConfig::default()))];
    for variant in [Variant::BASIC, Variant::STANDARD, Variant::TOURNAMENT] {
        let positions = random_positions(variant, 4096);
        for (name, net) in &nets {
            for (part, measure) in PARTS {
                let name = format!("{variant} {name} {part}");
                if name.contains(&filter) {
                    let config = NetConfig::of(net.clone(), &positions[0]).expect("the network fits the game");
                    let weights = Weights::initial(&config, 1);
                    println!("{name}: {}", measure(&config, &weights, &positions));
                }
            }
        }
    }
}

type Measure = fn(&NetConfig, &Weights, &[GipfPosition]) -> String;

const PARTS: &[(&str, Measure)] = &[
    ("building", building),
    ("evaluation", evaluation),
    #[cfg(feature = "learn")]
    ("learning", training::measure),
];

fn building(config: &NetConfig, weights: &Weights, _: &[GipfPosition]) -> String {
    let speed = per_cpu_second(|| {
        Engine::new(weights, config).expect("the weights are the network's");
        1
    });
    format!("{:.1} ms", 1e3 / speed)
}

fn evaluation(config: &NetConfig, weights: &Weights, positions: &[GipfPosition]) -> String {
    let engine = Engine::new(weights, config).expect("the weights are the network's");
    let size = config.layout.size();
    let mut planes = vec![0.0; positions.len() * size];
    for (position, planes) in positions.iter().zip(planes.chunks_exact_mut(size)) {
        position.observe(planes);
    }
    let speeds = [1, 8, 32].map(|batch| format!("{:.0}", evaluations_per_second(&engine, &planes, batch)));
    format!("{} positions/s at batch 1, 8, 32", speeds.join(", "))
}

fn evaluations_per_second(engine: &Engine, planes: &[f32], batch: usize) -> f64 {
    let mut scratch = Scratch::default();
    let actions = engine.config().num_actions;
    let (mut logits, mut wdl) = (vec![0.0; batch * actions], vec![0.0; batch * 3]);
    per_cpu_second(|| {
        for planes in planes.chunks_exact(batch * engine.config().layout.size()) {
            engine.forward(&mut scratch, planes, batch, &mut logits, &mut wdl);
        }
        planes.len() / engine.config().layout.size()
    })
}

#[cfg(feature = "learn")]
mod training {
    use burn::optim::{AdamWConfig, Optimizer};
    use gipf_models::net::{Net, Targets};
    use gipf_models::{Batch, DeviceKind, NetConfig, Weights};

    use super::{GipfPosition, Position, per_cpu_second};

    const BATCH: usize = 256;

    pub fn measure(config: &NetConfig, weights: &Weights, positions: &[GipfPosition]) -> String {
        let device = DeviceKind::Cpu.device().expect("the processor is always there").autodiff();
        let mut net = Net::new(config, weights, &device).expect("the weights are the network's");
        let (optimiser, mut memory) = (AdamWConfig::new().build(), None);
        let batches: Vec<_> =
            positions.as_chunks::<BATCH>().0.iter().map(|positions| batch(config, positions)).collect();
        let mut next = batches.iter().cycle();
        let speed = per_cpu_second(|| {
            let batch = next.next().expect("there are batches");
            let output = net.forward(&net.prepare(&batch.planes));
            let [policy, value] = Targets::new(batch, &device).losses(&output);
            let gradient = net.gradient_vector(&(policy + value).backward());
            let (vector, state) = optimiser.step(1e-3, net.to_vector(), gradient, memory.take());
            memory = state;
            net = net.clone().with_vector(&vector);
            BATCH
        });
        format!("{speed:.0} samples/s at batch {BATCH}")
    }

    fn batch(config: &NetConfig, positions: &[GipfPosition]) -> Batch {
        let (size, actions) = (positions.len(), config.num_actions);
        let mut batch = Batch {
            size,
            planes: vec![0.0; size * config.layout.size()],
            legal: vec![false; size * actions],
            policy_weight: vec![1.0; size],
            value_weight: vec![1.0; size],
            ..Batch::default()
        };
        let planes = batch.planes.chunks_exact_mut(config.layout.size());
        for ((position, planes), legal) in positions.iter().zip(planes).zip(batch.legal.chunks_exact_mut(actions)) {
            position.observe(planes);
            position.action_mask(legal);
            let count = legal.iter().filter(|&&legal| legal).count() as f32;
            batch.policy.extend(legal.iter().map(|&legal| if legal { 1.0 / count } else { 0.0 }));
            batch.wdl.extend([0.5, 0.2, 0.3]);
        }
        batch
    }
}

/// Repeats work for a second and returns how many units it does per CPU-second.
fn per_cpu_second(mut work: impl FnMut() -> usize) -> f64 {
    work();
    let (start, mut units) = (cpu_seconds(), 0);
    while cpu_seconds() - start < 1.0 {
        units += work();
    }
    units as f64 / (cpu_seconds() - start)
}

/// Returns the CPU time that this process has used, which other programs on the machine do not change.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("this example measures on Linux");
    let (_, fields) = stat.rsplit_once(") ").expect("the name of the program ends in a bracket");
    let ticks: u64 = fields.split(' ').skip(11).take(2).map(|field| field.parse::<u64>().expect("a number")).sum();
    ticks as f64 / 100.0
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
