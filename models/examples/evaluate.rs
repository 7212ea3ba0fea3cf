//! What the network that comes with the program says about a position:
//! `cargo run --release -p gipf-models --no-default-features --example evaluate`, optionally with a position text after
//! `--`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]
#![expect(clippy::disallowed_methods, reason = "an example is a program")]

use gipf_env::{Action, GipfPosition, Position, Variant};
use gipf_models::{Engine, Pretrained, Scratch};

/// How many actions are shown.
const SHOWN: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1) {
        Some(text) => show(&text.parse()?),
        None => show(&GipfPosition::start(Variant::STANDARD)),
    }
}

/// Prints a position and what its network says.
fn show(position: &GipfPosition) -> Result<(), Box<dyn std::error::Error>> {
    let network = Pretrained::of(&position.variant().to_string()).ok_or("no network comes with this rule set")?;
    let checkpoint = network.checkpoint();
    let engine = Engine::new(&checkpoint.weights, &checkpoint.config)?;

    let mut planes = vec![0.0; checkpoint.config.layout.size()];
    position.observe(&mut planes);
    let (mut logits, mut wdl) = (vec![0.0; position.num_actions()], vec![0.0; 3]);
    engine.forward(&mut Scratch::default(), &planes, 1, &mut logits, &mut wdl);

    println!("{}", position.drawing());
    println!("{}: win {:.3}, draw {:.3}, loss {:.3}", position.to_move(), wdl[0], wdl[1], wdl[2]);
    for (action, share) in policy(position, &logits).into_iter().take(SHOWN) {
        println!("{share:.3} {action}");
    }
    Ok(())
}

/// Returns the legal actions with their probabilities, the likeliest first: softmax over the logits of the legal ones.
fn policy(position: &GipfPosition, logits: &[f32]) -> Vec<(String, f32)> {
    let logit = |action| logits[position.action_index(action).get()];
    let most = position.legal_actions().map(logit).fold(f32::NEG_INFINITY, f32::max);
    let exp = |action: Action| (action.to_string(), (logit(action) - most).exp());
    let exps: Vec<_> = position.legal_actions().map(exp).collect();
    let sum: f32 = exps.iter().map(|(_, exp)| exp).sum();
    let mut shares: Vec<_> = exps.into_iter().map(|(action, exp)| (action, exp / sum)).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

#[test]
fn it_runs() {
    show(&GipfPosition::start(Variant::TOURNAMENT)).expect("a network comes with tournament");
}
