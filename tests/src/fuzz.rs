//! Readers of untrusted input get inputs that are nearly right: no panic, no hang, and every law holds.
//!
//! Good inputs are in `fuzz/corpus`, and inputs that have shown a fault in `fuzz/regressions`, by the name of the reader.
//! All are read as they are, and good ones with random changes: bytes replaced, removed or duplicated, pieces of other
//! inputs inserted. `GIPF_FUZZ_INPUTS` sets how many for each reader, `GIPF_FUZZ_SEED` which ones;
//! `scripts/campaign --full fuzz` tries many more than a test does.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use gipf_tests::readers::pairs::{asked_and_played, pairs};
use gipf_tests::readers::shards::{specification, specifications};
use gipf_tests::readers::{READERS, Reader};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::wishes;

/// The number of inputs for each reader in a test run.
const INPUTS: u64 = 3000;
/// More time than any reader may take for one input, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the inputs for a reader in a folder, in the order of their names.
fn inputs(folder: &str, reader: &Reader) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(folder).join(reader.name);
    let mut files: Vec<_> = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|file| fs::read(file).unwrap()).collect()
}

/// Checks the law of a reader on an input, and returns whether the input was accepted, and the time that this took.
fn timed(reader: &Reader, input: &[u8]) -> (bool, Duration) {
    let start = Instant::now();
    let accepted = (reader.law)(input);
    let took = start.elapsed();
    assert!(took < PATIENCE, "{} took {took:?} over {:?}", reader.name, String::from_utf8_lossy(input));
    (accepted, took)
}

#[test]
fn what_travels_for_a_ladder_is_read() {
    let good = asked_and_played();
    assert!(good.iter().all(|input| pairs(input)));
    if wishes::writes() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/pairs");
        fs::create_dir_all(&folder).unwrap();
        for (name, input) in ["asked", "played"].into_iter().zip(good) {
            fs::write(folder.join(name), input).unwrap();
        }
    }
}

#[test]
fn what_is_asked_of_a_worker_is_read() {
    let good = specification();
    assert!(specifications(&good));
    if wishes::writes() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/specifications");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("asked"), good).unwrap();
    }
}

/// The inputs in a folder that was moved or misspelt would silently no longer be tried.
#[test]
fn every_folder_of_inputs_is_that_of_a_reader() {
    for (folder, least) in [("regressions", 6), ("corpus", READERS.len())] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(folder);
        let names = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let names: Vec<_> = names.collect();
        assert!(names.len() >= least, "{folder}: {names:?}");
        for name in names {
            let known = READERS.iter().any(|reader| reader.name == name);
            assert!(known || cfg!(not(feature = "dataset")) && name == "datasets", "{folder}/{name} is of no reader");
        }
    }
}

#[test]
fn what_has_shown_a_fault_shows_none() {
    for reader in READERS {
        for input in inputs("regressions", reader) {
            timed(reader, &input);
        }
    }
}

#[test]
fn what_is_nearly_right_breaks_no_law() {
    let [count, seed] = [("GIPF_FUZZ_INPUTS", INPUTS), ("GIPF_FUZZ_SEED", 0)]
        .map(|(name, usual)| wishes::number(name).unwrap_or(usual));
    READERS.par_iter().for_each(|reader| {
        let corpus = inputs("corpus", reader);
        let accepted = corpus.iter().filter(|input| timed(reader, input).0).count();
        assert!(accepted > 0, "the corpus of {} has good inputs", reader.name);
        try_changes(reader, &corpus, count, seed);
    });
}

/// Gives inputs made from the corpus to a reader, and prints how many it accepted.
fn try_changes(reader: &Reader, corpus: &[Vec<u8>], count: u64, seed: u64) {
    let Reader { name, .. } = reader;
    let mut rng = ChaCha8Rng::seed_from_u64(name.bytes().map(u64::from).sum());
    rng.set_stream(seed);
    let (mut accepted, mut slowest) = (0, Duration::ZERO);
    for _ in 0..count {
        let good = corpus.choose(&mut rng).expect("the corpus has inputs");
        let (is_accepted, took) = timed(reader, &changed(good, corpus, &mut rng));
        accepted += u64::from(is_accepted);
        slowest = slowest.max(took);
    }
    println!("{name}: {count} inputs, {accepted} accepted, slowest {slowest:?}");
    assert!(accepted > count / 1000, "{name} accepts next to nothing, so the inputs are too wild to find faults");
}

/// Returns an input with a few changes, sometimes with none.
fn changed(good: &[u8], corpus: &[Vec<u8>], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut input = good.to_vec();
    for _ in 0..rng.random_range(0..4) {
        let place = rng.random_range(0..=input.len());
        let end = (place + rng.random_range(0..6)).min(input.len());
        match rng.random_range(0..6) {
            0 => drop(input.drain(place..end)),
            1 => drop(input.splice(place..end, [rng.random::<u8>()])),
            2 => drop(input.splice(place..place, *b"\xe2\x80\x93")),
            3 => {
                let piece = input[place..end].to_vec();
                input.splice(place..place, piece.repeat(rng.random_range(1..4)));
            }
            _ => {
                let other = corpus.choose(rng).expect("the corpus has inputs");
                let from = rng.random_range(0..=other.len());
                let to = (from + rng.random_range(0..8)).min(other.len());
                input.splice(place..end, other[from..to].iter().copied());
            }
        }
    }
    input
}
