//! Texts of positions in which rare rules come up soon: many rows, full lines, empty reserves, rows that may stay.

use gipf_env::{Setup, Variant};
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use crate::random::crowded;
use crate::slow::geometry::{lines, spots};

/// What stands on each spot: a letter of the position text, or '1'.
type Letters = Vec<char>;

/// Returns the text of a possible position of the rule set, which may be a finished one.
pub fn constructed(variant: Variant, rng: &mut ChaCha8Rng) -> String {
    loop {
        let text = match rng.random_range(0..3) {
            0 => crowded_text(variant, rng),
            1 => text_of(variant, &packed(variant, rng), rng),
            _ if variant.is_push_off() => text_of(variant, &spent(rng), rng),
            _ => text_of(variant, &standing(variant, rng), rng),
        };
        if text.parse::<Setup>().is_ok_and(|setup| setup.validate().is_ok()) {
            return text;
        }
    }
}

/// In a crowded position most rows of the side to move are gone, but not those of the other side, so sides may be swapped.
fn crowded_text(variant: Variant, rng: &mut ChaCha8Rng) -> String {
    let text = crowded(variant, rng).to_gpn();
    let mut fields: Vec<&str> = text.split(' ').collect();
    if rng.random() {
        fields[2] = if fields[2] == "w" { "b" } else { "w" };
    }
    fields.join(" ")
}

/// Returns a board with pieces of every kind all over it, at most a full one, often with most pieces of one colour.
fn packed(variant: Variant, rng: &mut ChaCha8Rng) -> Letters {
    let filled = rng.random_range(0.3..1.0);
    let plain = rng.random_range(0.4..1.0);
    let white = rng.random_range(0.1..0.9);
    let letters = spots().into_iter().map(|_| {
        let kind = if rng.random_bool(plain) { 'S' } else { *kinds(variant).choose(rng).unwrap() };
        if rng.random_bool(filled) { coloured(kind, rng.random_bool(white)) } else { '1' }
    });
    letters.collect()
}

/// Returns a nearly empty board with rows of pieces that may be spared, if the rule set has such pieces.
fn standing(variant: Variant, rng: &mut ChaCha8Rng) -> Letters {
    let spots = spots();
    let mut letters = vec!['1'; spots.len()];
    for white in [true, false] {
        for spot in lines().choose(rng).unwrap() {
            let place = spots.iter().position(|other| other == spot).unwrap();
            let kinds: Vec<_> = kinds(variant).into_iter().filter(|kind| *kind != 'J').collect();
            letters[place] = coloured(*kinds[1..].choose(rng).unwrap_or(&'S'), white);
        }
    }
    // There are some gaps, so that lines can be entered.
    letters.iter_mut().filter(|_| rng.random_bool(0.15)).for_each(|letter| *letter = '1');
    letters
}

/// Returns a board of push-off with all singles of one colour, whose player passes unless they get one back.
fn spent(rng: &mut ChaCha8Rng) -> Letters {
    let white = rng.random();
    let mut letters = vec!['1'; spots().len()];
    let singles = vec![coloured('S', white); 18];
    let others = [coloured('G', white), coloured('G', !white), coloured('S', !white), coloured('S', !white)];
    for (place, letter) in singles.into_iter().chain(others).enumerate() {
        letters[place] = letter;
    }
    letters.shuffle(rng);
    letters
}

/// Returns the letters of the kinds of pieces that the rule set has, singles first.
fn kinds(variant: Variant) -> Vec<char> {
    let name = variant.to_string();
    let gipfs = if name.starts_with("basic") { "" } else { "G" };
    let potentials = if name.ends_with("+zertz") { "ZJ" } else { "" };
    format!("S{gipfs}{potentials}").chars().collect()
}

fn coloured(letter: char, white: bool) -> char {
    if white { letter } else { letter.to_ascii_lowercase() }
}

/// Completes a board to a position text, which may break the rules.
fn text_of(variant: Variant, letters: &Letters, rng: &mut ChaCha8Rng) -> String {
    let side = if rng.random() { 'w' } else { 'b' };
    let [white, black] = [true, false].map(|white| reserve(variant, letters, white, rng));
    let name = variant.to_string();
    let rights = if name.starts_with("tournament") { *["-", "-", "G", "g", "Gg"].choose(rng).unwrap() } else { "-" };
    let potentials = if name.ends_with("+zertz") { [rng.random_range(0..=2), rng.random_range(0..=2)] } else { [0; 2] };
    // A player who may still bring in GIPF-pieces has all potentials.
    let all = |player: char| if name.ends_with("+zertz") && rights.contains(player) { 3 } else { 0 };
    let [white_potentials, black_potentials] = [potentials[0] + all('G'), potentials[1] + all('g')];
    let board = board_field(letters);
    format!("{name} {board} {side} {white} {black} {rights} {white_potentials} {black_potentials}")
}

fn board_field(letters: &Letters) -> String {
    let mut field = String::new();
    let mut column = 'b';
    for (spot, letter) in spots().into_iter().zip(letters) {
        if spot.column() != column {
            field.push('/');
            column = spot.column();
        }
        field.push(*letter);
    }
    field
}

/// Returns a reserve of at most what the board leaves of the material, often a small one; in push-off all of it.
fn reserve(variant: Variant, letters: &Letters, white: bool, rng: &mut ChaCha8Rng) -> u8 {
    let count = |kind| letters.iter().filter(|letter| **letter == coloured(kind, white)).count() as u8;
    if variant.is_push_off() {
        return 18_u8.saturating_sub(count('S'));
    }
    let left = 18_u8.saturating_sub(count('S') + count('Z') + 2 * count('G'));
    if rng.random() { rng.random_range(0..=left.min(3)) } else { rng.random_range(0..=left) }
}
