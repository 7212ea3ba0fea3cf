//! Datasets as batches: each sample comes once, as it is in the games.

use std::fs;
use std::path::Path;

use gipf_env::{GipfPosition, Variant};
use gipf_models::Batch;
use gipf_play::Stop;
use gipf_train::dataset::{BatchPlan, DatasetError, OrderedWriter, SampleBatches, played_game};
use gipf_train::training::{batch_under, samples};

use crate::dataset::games::{create, random_games, read, write};

fn batches(folder: &Path, plan: BatchPlan) -> Vec<Batch> {
    SampleBatches::open(folder, plan, Stop::default()).unwrap().map(Result::unwrap).collect()
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Returns the rows of batches as bits, which can be sorted: observation, policy, value target and weight.
fn rows(batches: &[Batch]) -> Vec<Vec<u32>> {
    let of_batch = |batch: &Batch| {
        let (size, actions) = (batch.planes.len() / batch.size, batch.policy.len() / batch.size);
        let row = |row: usize| {
            let numbers = [
                &batch.planes[row * size..][..size],
                &batch.policy[row * actions..][..actions],
                &batch.wdl[row * 3..][..3],
                &batch.value_weight[row..=row],
            ];
            numbers.concat().into_iter().map(f32::to_bits).collect()
        };
        (0..batch.size).map(row).collect::<Vec<_>>()
    };
    batches.iter().flat_map(of_batch).collect()
}

#[test]
fn in_order_they_are_the_samples_of_the_games_in_all_rule_sets() {
    let folder = tempfile::tempdir().unwrap();
    for variant in Variant::ALL {
        let place = folder.path().join(variant.to_string());
        let files = write(&place, &random_games(variant, 12), 300);
        assert!(files.len() > 1, "several files");
        let games = read(&files).into_iter().map(|rows| played_game(&rows).unwrap());
        let expected: Vec<_> = games.flat_map(|game| samples(&game, 0.0)).collect();
        let all: Vec<_> = expected.iter().collect();
        let start = GipfPosition::start(variant);
        let whole = batch_under(&start, &all, 0.25, &vec![0; all.len()]);
        for window in [1, 100_000] {
            let plan = BatchPlan {
                batch: 50,
                shuffle: false,
                symmetries: false,
                value_mix: 0.25,
                window,
                ..BatchPlan::default()
            };
            let found = batches(&place, plan);
            assert!(found[..found.len() - 1].iter().all(|batch| batch.size == 50));
            assert!(rows(&found) == rows(std::slice::from_ref(&whole)), "{variant}");
        }
    }
}

#[test]
fn shuffled_each_comes_once_in_an_order_that_threads_do_not_change() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path().join("games").as_path(), &random_games(Variant::STANDARD, 40), 400);
    let place = folder.path().join("games");
    let plain = BatchPlan { shuffle: false, symmetries: false, ..BatchPlan::default() };
    let ordered = rows(&batches(&place, plain));
    for window in [1, 300, 100_000] {
        let shuffled = BatchPlan { shuffle: true, window, ..plain };
        let found = on_threads(1, || rows(&batches(&place, shuffled)));
        assert!(found == on_threads(3, || rows(&batches(&place, shuffled))));
        assert!(found != rows(&batches(&place, BatchPlan { seed: 1, ..shuffled })) && found != ordered);
        let sorted = |mut rows: Vec<Vec<u32>>| {
            rows.sort();
            rows
        };
        assert!(sorted(found) == sorted(ordered.clone()), "window {window}");
        // Also of parts that are shuffled by seeds of their own, and of parts of parts, as workers have them.
        for parts in [vec![(0, 3), (1, 3), (2, 3)], vec![(0, 2), (1, 4), (3, 4)]] {
            let seeded = (0..).zip(parts).map(|(seed, part)| BatchPlan { part, seed, ..shuffled });
            let found: Vec<_> = seeded.flat_map(|plan| batches(&place, plan)).collect();
            assert!(sorted(rows(&found)) == sorted(ordered.clone()));
        }
    }
}

#[test]
fn a_damaged_file_ends_them_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("games");
    let files = write(&place, &random_games(Variant::BASIC, 40), 300);
    let mut bytes = fs::read(files[1].path()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(files[1].path(), &bytes).unwrap();
    let mut found = SampleBatches::open(&place, BatchPlan::default(), Stop::default()).unwrap();
    assert!(matches!(found.find_map(Result::err), Some(DatasetError::Damaged(_))));
    assert!(found.next().is_none(), "nothing follows an error");
}

#[test]
fn games_may_end_in_any_order_and_stop_at_any() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    let games = random_games(Variant::STANDARD, 30);
    write(&whole, &games, 400);
    let mut left: Vec<_> = games.iter().collect();
    while !left.is_empty() {
        let mut writer = OrderedWriter::new(create(&out, Variant::STANDARD, 400).unwrap()).unwrap();
        assert_eq!(writer.games() as usize, games.len() - left.len());
        for _ in 0..left.len().min(7) {
            let game = left.remove(left.len() * 5 / 7);
            writer.add(game).unwrap();
        }
        let ended = |id: u64| id < writer.next() || writer.ahead().contains(&id);
        assert!(games.iter().all(|game| ended(game.id) != left.iter().any(|other| other.id == game.id)));
        assert_eq!(writer.missing(0..30).into_iter().flatten().count(), left.len());
        if left.is_empty() {
            writer.finish().unwrap();
        } else {
            writer.keep().unwrap();
        }
    }
    for name in ["games-00000.parquet", "games-00001.parquet", "_manifest.json", "_README.md"] {
        assert_eq!(fs::read(out.join(name)).unwrap(), fs::read(whole.join(name)).unwrap(), "{name}");
    }
}
