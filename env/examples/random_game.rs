//! A random game, turn by turn: `cargo run --release -p gipf-env --example random_game`.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use gipf_env::{GipfPosition, Position, Variant};
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut position = GipfPosition::start(Variant::STANDARD);
    println!("{}", position.drawing());
    while position.outcome().is_none() {
        let (player, turn) = (position.to_move(), position.turn());
        // A turn may be several decisions: rows and GIPF-pieces are asked about one by one.
        let mut decisions = Vec::new();
        while position.outcome().is_none() && position.turn() == turn {
            let action = position.legal_actions().choose(&mut rng).ok_or("the game is not over")?;
            decisions.push(action.to_string());
            position.play(action)?;
        }
        println!("{:3} {player}: {}", turn + 1, decisions.join(", "));
    }
    println!("{}\n{:?}", position.drawing(), position.outcome().ok_or("the game is over")?);
    Ok(())
}

#[test]
fn it_runs() {
    main().expect("the game comes to its end");
}
