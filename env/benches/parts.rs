//! What each part of a decision costs: `cargo bench --manifest-path env/benches/Cargo.toml`. The whole is measured by
//! `gipf bench env`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gipf_env::{Action, GipfPosition, Position, Variant, symmetry::Symmetry};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Positions of random games, each with a legal action; a benchmark cycles through them.
struct Examples {
    examples: Vec<(GipfPosition, Action)>,
    next: usize,
}

impl Examples {
    fn new(variant: Variant) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut position = GipfPosition::start(variant);
        let mut examples = Vec::new();
        while examples.len() < 512 {
            let legal = position.action_set();
            let action = legal.nth(rng.random_range(0..legal.len())).expect("the game goes on");
            examples.push((position.clone(), action));
            position.play_unchecked(action);
            if position.outcome().is_some() {
                position = GipfPosition::start(variant);
            }
        }
        Self { examples, next: 0 }
    }

    fn next(&mut self) -> &(GipfPosition, Action) {
        self.next = (self.next + 1) % self.examples.len();
        black_box(&self.examples[self.next])
    }
}

fn parts(criterion: &mut Criterion) {
    for variant in [Variant::STANDARD, Variant::STANDARD.with_zertz()] {
        let mut examples = Examples::new(variant);
        let mut group = criterion.benchmark_group(variant.to_string());
        let mut part = |name: &str, work: &mut dyn FnMut(&(GipfPosition, Action))| {
            group.bench_function(name, |bencher| bencher.iter(|| work(examples.next())));
        };
        let (first, _) = Examples::new(variant).examples.swap_remove(0);
        let mut copy = first.clone();
        let mut planes = vec![0.0; first.observation_layout().size()];
        let mut mask = vec![false; first.num_actions()];

        part("nothing", &mut |_| ());
        part("copy", &mut |(position, _)| copy.clone_from(black_box(position)));
        part("copy and play", &mut |(position, action)| {
            copy.clone_from(position);
            copy.play_unchecked(*action);
            black_box(&copy);
        });
        part("legal actions as a set", &mut |(position, _)| _ = black_box(position.action_set()));
        part("whether an action is legal", &mut |(position, action)| _ = black_box(position.is_legal(*action)));
        part("action mask", &mut |(position, _)| position.action_mask(black_box(&mut mask)));
        part("planes", &mut |(position, _)| position.observe(black_box(&mut planes)));
        part("key", &mut |(position, _)| _ = black_box(position.key()));
        part("symmetry", &mut |(position, _)| _ = black_box(Symmetry::from_index(5).position(position)));
        part("position text", &mut |(position, _)| _ = black_box(position.to_gpn()));
        group.finish();
    }
}

criterion_group!(benches, parts);
criterion_main!(benches);
