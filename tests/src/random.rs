//! Random games and random positions.

use gipf_env::geometry::{Direction, LINES, Line, Spot};
use gipf_env::rules::{Board, Kind};
use gipf_env::{GipfPosition, Player, Position, Setup, Variant};
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Plays at random to the end, or for this many plies, and visits every position, including the first and the last.
pub fn playout<P: Position>(start: &P, seed: u64, plies: usize, mut visit: impl FnMut(&P)) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = start.clone();
    visit(&position);
    for _ in 0..plies {
        let Some(action) = position.legal_actions().choose(&mut rng) else { return };
        position.play(action).unwrap();
        visit(&position);
    }
}

/// Returns the start of a game with a placement limit.
pub fn limited(variant: Variant, limit: u16) -> GipfPosition {
    GipfPosition::from_setup(&Setup::start(variant).with_placement_limit(Some(limit))).unwrap()
}

/// Returns a position with a random board, from nearly empty to nearly full, often with rows.
pub fn crowded(variant: Variant, rng: &mut ChaCha8Rng) -> GipfPosition {
    loop {
        let setup = random_setup(variant, rng);
        if setup.validate().is_ok() {
            let position = GipfPosition::from_setup(&setup).unwrap();
            if position.outcome().is_none() {
                return position;
            }
        }
    }
}

fn random_setup(variant: Variant, rng: &mut ChaCha8Rng) -> Setup {
    let board = random_board(variant, rng);
    let reserves = Player::BOTH.map(|player| random_reserve(variant, &board, player, rng));
    let gipf_rights = [0; 2].map(|_| rng.random_bool(0.2));
    let potentials = [0; 2].map(|_| if variant.has_zertz() { rng.random_range(0..=2) } else { 0 });
    let to_move = *Player::BOTH.choose(rng).unwrap();
    // A player who may still bring in GIPF-pieces has an even reserve and all potentials.
    let reserves = Player::BOTH.map(|player| reserves[player.index()] & !u8::from(gipf_rights[player.index()]));
    let all = if variant.has_zertz() { 3 } else { 0 };
    let potentials =
        Player::BOTH.map(|player| potentials[player.index()] + all * u8::from(gipf_rights[player.index()]));
    Setup { board, to_move, reserves, gipf_rights, potentials, ..Setup::start(variant) }
}

/// Returns a random reserve. In push-off, where no basic piece is ever lost, it follows from the board.
fn random_reserve(variant: Variant, board: &Board, player: Player, rng: &mut ChaCha8Rng) -> u8 {
    if variant.is_push_off() {
        let singles = board.pieces_of(player) & board.of_kind(Kind::Single);
        return 18_u8.saturating_sub(singles.count() as u8);
    }
    rng.random_range(0..=18_u8.saturating_sub(board.material(player)))
}

/// On up to three lines most pieces have the same colour. The board is written as text, since boards are built from texts.
fn random_board(variant: Variant, rng: &mut ChaCha8Rng) -> Board {
    let filled = rng.random_range(0.1..0.5);
    let plain = rng.random_range(0.3..1.0);
    let lines: Vec<_> = (0..rng.random_range(0..=3)).map(|_| rng.random_range(0..LINES)).collect();
    let colour = rng.random_bool(0.5);
    let kinds = kinds(variant);
    let mut text = String::new();
    for spot in Spot::all() {
        if spot.index() > 0 && spot.neighbour(Direction::S).is_none() {
            text.push('/');
        }
        let in_row = lines.iter().any(|&line| Line::from_index(line).spots().contains(spot));
        let kind = if rng.random_bool(plain) { Kind::Single } else { *kinds.choose(rng).unwrap() };
        let white = if in_row { rng.random_bool(0.95) == colour } else { rng.random_bool(0.5) };
        let letter = if white { kind.letter() } else { kind.letter().to_ascii_lowercase() };
        text.push(if rng.random_bool(if in_row { 0.9 } else { filled }) { letter } else { '1' });
    }
    // A position text of push-off would need the right reserves.
    let rules = if variant.is_push_off() { Variant::STANDARD } else { variant };
    let text = format!("{rules} {text} w 0 0 - 0 0");
    text.parse::<Setup>().map_or_else(|_| random_board(variant, rng), |setup| setup.board)
}

fn kinds(variant: Variant) -> Vec<Kind> {
    let has = |kind: &Kind| match kind {
        Kind::Single => true,
        Kind::Gipf => variant.has_gipfs(),
        Kind::Loaded | Kind::Used => variant.has_zertz(),
    };
    Kind::ALL.into_iter().filter(has).collect()
}
