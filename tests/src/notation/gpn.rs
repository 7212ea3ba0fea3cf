//! Position texts: what is written can be read back, and no text at all makes the reader panic.

use gipf_env::{Action, GipfPosition, Phase, Player, Position, Pushed, Setup, Variant};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::random::{limited, playout};

/// Characters that mean something in a position text, and some that could confuse a reader.
const LETTERS: [char; 28] = [
    'S', 'G', 'Z', 'J', 's', 'g', 'z', 'j', '/', ' ', '0', '1', '2', '3', '4', '7', '8', '9', '-', 'w', 'b', '+', 'é',
    '∞', '\n', '\0', '\u{301}', '𝔾',
];

/// Returns every position of some random games of at most 200 placements.
fn random_positions(variant: Variant, games: u64) -> Vec<GipfPosition> {
    let mut positions = Vec::new();
    for seed in 0..games {
        playout(&limited(variant, 200), seed, 5000, |position| positions.push(position.clone()));
    }
    positions
}

#[test]
fn a_text_that_was_written_is_read_back() {
    for variant in Variant::ALL {
        let (mut setups, mut positions) = (0, 0);
        for position in random_positions(variant, 40) {
            let setup = Setup { placement_limit: None, ..position.to_setup() };
            // In the middle of a removal a text may describe a position that no turn begins with.
            if position.outcome().is_some() || position.phase() != Phase::Push && setup.validate().is_err() {
                continue;
            }
            let text = position.to_gpn();
            assert_eq!(text.parse().as_ref(), Ok(&setup), "{text}");
            setups += 1;
            if position.phase() == Phase::Push && position.rows_of(position.to_move()).next().is_none() {
                let read = GipfPosition::from_gpn(&text).unwrap();
                assert_eq!((read.key(), read.action_set()), (position.key(), position.action_set()), "{text}");
                assert_eq!(read.to_gpn(), text);
                positions += 1;
            }
        }
        assert!(setups >= positions && positions > 1000, "{variant}: {setups}, {positions}");
    }
}

/// Plays a game in which the players keep bringing in GIPF-pieces, complete rows where they can, and mostly take.
/// Returns its positions at the placements.
fn opening(start: &Setup, rng: &mut ChaCha8Rng) -> Vec<GipfPosition> {
    let mut position = GipfPosition::from_setup(start).unwrap();
    let mut positions = Vec::new();
    while position.outcome().is_none() && position.placements() < 60 {
        if position.phase() == Phase::Push {
            positions.push(position.clone());
        }
        let liking = |action: &Action| match action {
            Action::Push(Pushed::Gipf, entry) if position.completes_row(*entry) => 3.0,
            Action::Push(Pushed::Gipf, _) => 2.0,
            Action::Take => 0.5,
            _ => 0.0,
        };
        let rated = position.legal_actions().map(|action| (liking(&action) + rng.random_range(0.0..1.0), action));
        let (_, action) = rated.max_by(|(one, _), (other, _)| f64::total_cmp(one, other)).unwrap();
        position.play(action).unwrap();
    }
    positions
}

/// Captures in an opening of GIPF-pieces lead to reserves that no other position has.
#[test]
fn no_position_that_play_reaches_is_refused() {
    let starts = [3, 6].map(|potentials| Setup::start(Variant::TOURNAMENT.with_zertz()).with_potentials(potentials));
    let starts = starts.map(Result::unwrap).into_iter().chain([Setup::start(Variant::TOURNAMENT)]);
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for start in starts {
        let mut captures = 0;
        for position in (0..300).flat_map(|_| opening(&start, &mut rng)) {
            let setup = position.to_setup();
            assert_eq!(setup.to_string().parse(), Ok(setup.clone()), "{setup}");
            let keeps_right = |player: Player| position.gipf_right(player) && position.reserve(player) < 18;
            let has_lost = |player: Player| position.board().material(player) + position.reserve(player) < 18;
            captures += u32::from(Player::BOTH.into_iter().any(|player| keeps_right(player) && has_lost(player)));
        }
        assert!(captures > 100, "{start}: {captures} positions after captures");
    }
}

#[test]
fn a_damaged_text_is_refused_or_describes_a_valid_position() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let texts: Vec<_> =
        Variant::ALL.into_iter().flat_map(|variant| random_positions(variant, 2)).map(|p| p.to_gpn()).collect();
    let (mut read, mut refused) = (0, 0);
    for _ in 0..60_000 {
        let text = damaged(texts.choose(&mut rng).unwrap(), &mut rng);
        match text.parse::<Setup>() {
            Ok(setup) => {
                assert_eq!(setup.to_string().parse(), Ok(setup.clone()), "{text}");
                assert_eq!(GipfPosition::from_setup(&setup).unwrap().validate(), Ok(()), "{text}");
                read += 1;
            }
            Err(error) => {
                assert!((1..=text.chars().count() + 1).contains(&error.column), "{text}: {error}");
                assert!(!error.to_string().contains('\n'), "{text}: {error}");
                refused += 1;
            }
        }
    }
    assert!(read > 1000 && refused > 20_000, "{read} read, {refused} refused");
}

/// Returns the text after one to four random changes: a changed character or byte, a cut, a duplicated part, a swap.
fn damaged(text: &str, rng: &mut ChaCha8Rng) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..rng.random_range(1..=3) {
        let at = rng.random_range(0..=characters.len());
        let letter = *LETTERS.choose(rng).unwrap();
        match rng.random_range(0..7) {
            0 => characters.insert(at, letter),
            1 if at < characters.len() => characters[at] = letter,
            2 if at < characters.len() => drop(characters.remove(at)),
            3 => characters.truncate(at),
            4 => characters.extend_from_within(at..),
            5 if at > 0 && at < characters.len() => characters.swap(at - 1, at),
            _ => return with_a_byte_changed(characters.into_iter().collect(), rng),
        }
    }
    characters.into_iter().collect()
}

fn with_a_byte_changed(text: String, rng: &mut ChaCha8Rng) -> String {
    let mut bytes = text.into_bytes();
    if !bytes.is_empty() {
        let at = rng.random_range(0..bytes.len());
        bytes[at] ^= 1 << rng.random_range(0..8);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
