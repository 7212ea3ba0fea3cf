//! Parts of training that are wrong in one point.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use gipf_env::toy::ConnectFour;
use gipf_env::{GipfPosition, Player, Position, Variant};
use gipf_models::{Engine, MlpConfig, NetConfig, NetKind, parameters};
use gipf_play::NetEvaluator;
use gipf_play::search::{Evaluation, Evaluator};
use gipf_train::training::watch::{Fault, Finding, LearnerState};
use gipf_train::training::{Config, Learner, Sample};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::parts::{Parts, train};

/// Returns settings with which connect-four is learned in seconds.
pub fn connect_four() -> Config {
    let mut config = Config::preset("smoke").unwrap();
    config.network.0 = NetKind::Mlp(MlpConfig { hidden: vec![64, 64] });
    (config.run.iterations, config.run.games) = (40, 100);
    (config.self_play.full_share, config.learning.batch_size) = (1.0, 32);
    config
}

fn learn_connect_four(parts: &impl Parts<ConnectFour>, fault: Fault) -> Vec<Finding> {
    train(&ConnectFour::default(), &connect_four(), parts, fault)
}

/// An evaluator whose values are changed by a function.
struct Changed<F>(NetEvaluator<'static>, F);

impl<P: gipf_env::Learnable, F: Fn(&P, f32) -> f32> Evaluator<P> for Changed<F> {
    fn evaluate(&mut self, positions: &[P], out: &mut [Evaluation]) {
        self.0.evaluate(positions, out);
        for (position, evaluation) in positions.iter().zip(out) {
            evaluation.value = self.1(position, evaluation.value);
        }
    }
}

pub fn flipped(fault: Fault) -> Vec<Finding> {
    struct Flipped;
    impl Parts<ConnectFour> for Flipped {
        fn evaluator(&self, engine: &Arc<Engine>) -> Box<dyn Evaluator<ConnectFour>> {
            let flip =
                |position: &ConnectFour, value: f32| if position.to_move() == Player::Black { -value } else { value };
            Box::new(Changed(NetEvaluator::new(Arc::clone(engine)), flip))
        }
    }
    learn_connect_four(&Flipped, fault)
}

pub fn certain(fault: Fault) -> Vec<Finding> {
    struct Certain;
    impl Parts<ConnectFour> for Certain {
        fn evaluator(&self, engine: &Arc<Engine>) -> Box<dyn Evaluator<ConnectFour>> {
            let sure = |_: &ConnectFour, value: f32| 0.999 * value.signum();
            Box::new(Changed(NetEvaluator::new(Arc::clone(engine)), sure))
        }
    }
    learn_connect_four(&Certain, fault)
}

pub fn old_answers(fault: Fault) -> Vec<Finding> {
    /// Keeps answers for ever, including those of networks that have been replaced.
    #[derive(Clone, Default)]
    struct Old(Arc<Mutex<HashMap<GipfPosition, Evaluation>>>);
    struct Kept(NetEvaluator<'static>, Old);
    impl Evaluator<GipfPosition> for Kept {
        fn evaluate(&mut self, positions: &[GipfPosition], out: &mut [Evaluation]) {
            self.0.evaluate(positions, out);
            let mut kept = self.1.0.lock().unwrap();
            for (position, evaluation) in positions.iter().zip(out) {
                evaluation.clone_from(kept.entry(position.clone()).or_insert_with(|| evaluation.clone()));
            }
        }
    }
    impl Parts<GipfPosition> for Old {
        fn evaluator(&self, engine: &Arc<Engine>) -> Box<dyn Evaluator<GipfPosition>> {
            Box::new(Kept(NetEvaluator::new(Arc::clone(engine)), self.clone()))
        }
    }
    let config = Config { run: connect_four().run, ..Config::preset("smoke").unwrap() };
    train(&GipfPosition::start(Variant::STANDARD), &config, &Old::default(), fault)
}

pub fn shifted_targets(fault: Fault) -> Vec<Finding> {
    struct Shifted;
    impl Parts<ConnectFour> for Shifted {
        fn samples(&self, mut samples: Vec<Sample<ConnectFour>>, _: &mut ChaCha8Rng) -> Vec<Sample<ConnectFour>> {
            let mut targets: Vec<_> = samples.iter().map(|sample| sample.policy.clone()).collect();
            targets.rotate_left(1);
            samples.iter_mut().zip(targets).for_each(|(sample, target)| sample.policy = target);
            samples
        }
    }
    learn_connect_four(&Shifted, fault)
}

/// The targets are random among the legal actions, so that no law reveals the fault.
pub fn random_targets(fault: Fault) -> Vec<Finding> {
    struct Shuffled;
    impl Parts<ConnectFour> for Shuffled {
        fn samples(&self, mut samples: Vec<Sample<ConnectFour>>, rng: &mut ChaCha8Rng) -> Vec<Sample<ConnectFour>> {
            for policy in samples.iter_mut().map(|sample| &mut sample.policy) {
                for place in 1..policy.len() {
                    let other = rng.random_range(0..=place);
                    (policy[place].1, policy[other].1) = (policy[other].1, policy[place].1);
                }
            }
            samples
        }
    }
    learn_connect_four(&Shuffled, fault)
}

pub fn foreign_results(fault: Fault) -> Vec<Finding> {
    struct Foreign;
    impl Parts<ConnectFour> for Foreign {
        fn samples(&self, mut samples: Vec<Sample<ConnectFour>>, rng: &mut ChaCha8Rng) -> Vec<Sample<ConnectFour>> {
            for sample in &mut samples {
                sample.result = Some(rng.random_range(-1..=1));
            }
            samples
        }
    }
    // Enough games to tell a small correlation from none.
    let mut config = connect_four();
    config.run.games = 250;
    train(&ConnectFour::default(), &config, &Foreign, fault)
}

pub fn closed_window(fault: Fault) -> Vec<Finding> {
    struct Closed;
    impl Parts<ConnectFour> for Closed {
        fn kept(&self, iteration: u32, samples: Vec<Sample<ConnectFour>>) -> Vec<Sample<ConnectFour>> {
            if iteration <= 2 { samples } else { Vec::new() }
        }
    }
    learn_connect_four(&Closed, fault)
}

pub fn no_rate(fault: Fault) -> Vec<Finding> {
    struct NoRate;
    impl Parts<ConnectFour> for NoRate {
        fn rate(&self, _: f64) -> f64 {
            0.0
        }
    }
    learn_connect_four(&NoRate, fault)
}

pub fn stuck_schedule(fault: Fault) -> Vec<Finding> {
    struct Stuck;
    impl Parts<ConnectFour> for Stuck {
        fn steps(&self, _: u64) -> u64 {
            0
        }
    }
    learn_connect_four(&Stuck, fault)
}

pub fn still_layer(fault: Fault) -> Vec<Finding> {
    struct Still;
    impl Parts<ConnectFour> for Still {
        fn learned(&self, before: &LearnerState, learner: Learner, (net, config): (&NetConfig, &Config)) -> Learner {
            let (first, mut weights) = (parameters(net)[0].name.to_string(), learner.raw_weights());
            weights.0.insert(first.clone(), before.weights.0[&first].clone());
            Learner::with_weights(net, &config.learning.optimizer, &weights).unwrap()
        }
    }
    learn_connect_four(&Still, fault)
}
