//! The laws of what is sent to workers that play pairs of a ladder, and of what they send back.

use std::sync::LazyLock;

use gipf_env::{ActionIndex, GipfPosition, Position, Variant};
use gipf_play::Stop;
use gipf_play::arena::Book;
use gipf_play::arena::ladder::{DuePair, Envoys, Member, PairsSpec};

use super::accepted;

/// A pair of games from an opening of the book.
static SPEC: LazyLock<PairsSpec> = LazyLock::new(|| {
    let opening = Book::of(Variant::BASIC).opening(5, 400);
    PairsSpec { due: [DuePair { number: 5, opening, seed: 1 }].into() }
});

/// Adds what the sender of the bytes could add: the end of the line, and the checksum.
fn sealed(head: &[u8]) -> Vec<u8> {
    let mut bytes = [head, b"\n"].concat();
    let seal = blake3::hash(&bytes);
    bytes.extend(seal.as_bytes());
    bytes
}

/// Returns the line without its end and its checksum.
fn unsealed(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len() - blake3::OUT_LEN - 1]
}

/// Returns good inputs of [`pairs`]: pairs asked for, and the same pairs played.
///
/// # Panics
/// Never.
pub fn asked_and_played() -> [Vec<u8>; 2] {
    let member = |name: &str| Member::new(&name.parse().expect("it is a player"), Variant::BASIC).expect("it plays");
    let [random, greedy] = ["random", "greedy"].map(member);
    let packed = Envoys::pack([&random, &greedy], Variant::BASIC).expect("they play the same everywhere");
    let envoys = Envoys::unpack(&packed).expect("they were packed here");
    let played = envoys.play(&SPEC.to_bytes(), &Stop::default()).expect("nobody stops them");
    [SPEC.to_bytes(), played].map(|bytes| unsealed(&bytes).to_vec())
}

/// Requests for pairs: when written again, they read the same. Played pairs are refused if they answer another request;
/// if they answer the right one, they are games that end.
pub fn pairs(input: &[u8]) -> bool {
    let asked = accepted(PairsSpec::from_bytes(&sealed(input)));
    if let Some(spec) = &asked {
        let written = spec.to_bytes();
        assert_eq!(PairsSpec::from_bytes(&written).expect("what was written is read"), *spec);
    }
    let played = accepted(SPEC.played(&sealed(input)));
    for pair in played.iter().flatten() {
        assert_eq!(pair.number, SPEC.due[0].number);
        let start = &SPEC.due[0].opening.position;
        assert!(pair.games.iter().all(|game| ends(start.clone(), &game.actions)));
    }
    asked.is_some() || played.is_some()
}

/// Returns whether the actions are legal and lead to the end of a game.
fn ends(mut position: GipfPosition, actions: &[ActionIndex]) -> bool {
    let mut play = |&index: &ActionIndex| position.action_at(index).is_some_and(|action| position.play(action).is_ok());
    actions.iter().all(&mut play) && position.outcome().is_some()
}
