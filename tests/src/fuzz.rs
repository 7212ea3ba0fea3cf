//! Readers of untrusted text meet texts that are nearly right: no panic, no hang, and what is accepted makes sense.
//!
//! Inputs are drawn from a corpus of good texts and changed: bytes replaced, cut out, doubled, pieces of other texts put
//! in. As many as `GIPF_FUZZ_INPUTS` says for each reader; `scripts/fuzz` runs many more than a test does.

use std::time::{Duration, Instant};

use gipf_env::{GipfPosition, Setup, Variant};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::random::crowded;

/// Inputs for each reader in a test run.
const INPUTS: u64 = 20_000;
/// Longer than any reader may take over one input, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(2);

fn inputs() -> u64 {
    std::env::var("GIPF_FUZZ_INPUTS").ok().map_or(INPUTS, |text| text.parse().expect("GIPF_FUZZ_INPUTS is a number"))
}

/// Hands inputs made from the corpus to a reader, which returns whether it accepted them, and says how many it did.
fn fuzz(name: &str, corpus: &[Vec<u8>], mut read: impl FnMut(&[u8]) -> bool) {
    let mut rng = ChaCha8Rng::seed_from_u64(name.bytes().map(u64::from).sum());
    let (mut accepted, mut slowest) = (0, Duration::ZERO);
    for _ in 0..inputs() {
        let input = mutated(corpus, &mut rng);
        let start = Instant::now();
        accepted += u64::from(read(&input));
        let took = start.elapsed();
        assert!(took < PATIENCE, "{name} took {took:?} over {:?}", String::from_utf8_lossy(&input));
        slowest = slowest.max(took);
    }
    println!("{name}: {} inputs, {accepted} accepted, slowest {slowest:?}", inputs());
    assert!(accepted > inputs() / 1000, "{name} accepts next to nothing, so the inputs are too wild to find faults");
}

/// Returns a text of the corpus with a few changes, now and then none.
fn mutated(corpus: &[Vec<u8>], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut text = corpus.choose(rng).expect("the corpus has texts").clone();
    for _ in 0..rng.random_range(0..4) {
        let place = rng.random_range(0..=text.len());
        let end = (place + rng.random_range(0..6)).min(text.len());
        match rng.random_range(0..6) {
            0 => drop(text.drain(place..end)),
            1 => drop(text.splice(place..end, [rng.random::<u8>()])),
            2 => drop(text.splice(place..place, *b"\xe2\x80\x93")),
            3 => {
                let piece = text[place..end].to_vec();
                text.splice(place..place, piece.repeat(rng.random_range(1..4)));
            }
            _ => {
                let other = corpus.choose(rng).expect("the corpus has texts");
                let from = rng.random_range(0..=other.len());
                let to = (from + rng.random_range(0..8)).min(other.len());
                text.splice(place..end, other[from..to].iter().copied());
            }
        }
    }
    text
}

fn as_text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

/// A message has one line and shows only a piece of what was read.
fn check_message(error: &dyn std::error::Error) {
    let message = error.to_string();
    assert!(!message.contains('\n') && message.chars().count() < 600, "{message}");
}

#[test]
fn position_texts() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let positions = Variant::ALL.into_iter().flat_map(|variant| (0..20).map(move |_| variant));
    let corpus: Vec<_> = positions.map(|variant| crowded(variant, &mut rng).to_gpn().into_bytes()).collect();
    fuzz("position texts", &corpus, |input| match as_text(input).parse::<Setup>() {
        Ok(setup) => {
            assert_eq!(setup.to_string().parse::<Setup>().as_ref(), Ok(&setup));
            assert_eq!(GipfPosition::from_setup(&setup).unwrap().validate(), Ok(()));
            true
        }
        Err(error) => {
            check_message(&error);
            false
        }
    });
}
