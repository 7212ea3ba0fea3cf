//! What stands for all positions that look alike to a network: the canonical image, and the view key.

use gipf_env::symmetry::Symmetry;
use gipf_env::{GipfPosition, Position, Variant};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::drawn::drawn;
use crate::random::{crowded, limited, playout};

/// Returns decisions of random games, and some from crowded boards, where rows are removed.
pub fn decisions(variant: Variant) -> Vec<GipfPosition> {
    let mut positions = Vec::new();
    let mut keep = |position: &GipfPosition| {
        if position.outcome().is_none() {
            positions.push(position.clone());
        }
    };
    for seed in 0..4 {
        playout(&limited(variant, 90), seed, 200, &mut keep);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for seed in 0..60 {
        playout(&crowded(variant, &mut rng), seed, 3, &mut keep);
    }
    positions
}

pub fn observation(position: &GipfPosition) -> Vec<f32> {
    let mut planes = vec![0.0; position.observation_layout().size()];
    position.observe(&mut planes);
    planes
}

#[test]
fn all_images_have_the_same_canonical_one() {
    for variant in Variant::ALL {
        for position in decisions(variant) {
            let canonical = |position: &GipfPosition| position.canonical_symmetry().position(position);
            let key = canonical(&position).view_key();
            for symmetry in Symmetry::all() {
                let image = symmetry.position(&position);
                assert_eq!(canonical(&image).view_key(), key, "{position:?} {symmetry:?}");
                assert_eq!(observation(&canonical(&image)), observation(&canonical(&position)));
            }
        }
    }
}

#[test]
fn the_view_key_is_that_of_what_is_shown_whichever_colour_one_has() {
    for variant in Variant::ALL {
        let mut seen = std::collections::HashMap::new();
        for position in decisions(variant) {
            assert_eq!(position.with_players_exchanged().view_key(), position.view_key());
            let legal: Vec<_> = position.action_set().indices().collect();
            let shown = (observation(&position), legal);
            let before = seen.entry(position.view_key()).or_insert_with(|| shown.clone());
            assert_eq!(before, &shown, "{position:?}");
        }
        let distinct: std::collections::HashSet<_> =
            seen.values().map(|(planes, _)| planes.iter().map(|value| value.to_bits()).collect::<Vec<_>>()).collect();
        assert_eq!(distinct.len(), seen.len(), "what looks alike has one key");
    }
}

#[test]
fn keys_tell_apart_who_is_to_move() {
    let mut told_apart = 0;
    for variant in Variant::ALL {
        for position in decisions(variant) {
            let text = position.to_gpn();
            let mut words: Vec<_> = text.split(' ').collect();
            words[2] = if words[2] == "w" { "b" } else { "w" };
            if let (Ok(one), Ok(other)) = (GipfPosition::from_gpn(&text), GipfPosition::from_gpn(&words.join(" "))) {
                assert_ne!(one.key(), other.key(), "{text}");
                told_apart += 1;
            }
        }
    }
    assert!(told_apart > 1000, "{told_apart} positions are distinguished");
}

/// No two boards that differ in one piece have the same key.
#[test]
fn keys_tell_apart_every_piece() {
    let spots = [4, 5, 6, 7, 6, 5, 4]
        .into_iter()
        .enumerate()
        .flat_map(|(column, spots)| (0..spots).map(move |row| (column, row)));
    let with = |place: Option<((usize, usize), &str)>| {
        let mut columns = [4, 5, 6, 7, 6, 5, 4].map(|spots| vec!["·"; spots]);
        if let Some(((column, row), piece)) = place {
            columns[column][row] = piece;
        }
        let setup = drawn(&format!("basic w 5 5 - 0 0\n{}", columns.map(|column| column.concat()).join("\n")));
        GipfPosition::from_setup(&setup).unwrap().key()
    };
    let places: Vec<_> = spots.flat_map(|spot| ["S", "s"].map(|piece| Some((spot, piece)))).collect();
    let keys: std::collections::HashSet<_> = places.iter().copied().chain([None]).map(with).collect();
    assert_eq!(keys.len(), 2 * 37 + 1);
}
