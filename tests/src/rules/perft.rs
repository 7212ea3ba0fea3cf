//! Counts of games to a depth, as section 10 of the rules gives them.

use gipf_env::bitboard::Bitboard;
use gipf_env::geometry::Line;
use gipf_env::{GipfPosition, Position, Setup, Variant, divide, perft, perft_distinct, quiet_successors};

/// Returns each rule set's name with the counts from its start to depth 1, 2, 3 and so on.
pub fn counts() -> Vec<(&'static str, Vec<u64>)> {
    let lines = include_str!("../../data/perft.txt").lines().filter(|line| !line.starts_with('#'));
    let counts = |line: &'static str| {
        let (name, numbers) = line.split_once(' ').unwrap();
        (name, numbers.split_whitespace().map(|number| number.parse().unwrap()).collect())
    };
    lines.map(counts).collect()
}

/// The number of leaves that can be counted in a second or two: with debug assertions each position is also validated.
const MOST_LEAVES: u64 = if cfg!(debug_assertions) { 10_000_000 } else { 1_000_000_000 };

const DISTINCT: [(&str, [u64; 4]); 3] = [
    ("basic", [24, 618, 15_828, 426_024]),
    ("standard", [30, 924, 28_380, 886_284]),
    ("tournament", [18, 348, 14_112, 604_464]),
];

fn start(variant: &str) -> GipfPosition {
    GipfPosition::start(variant.parse::<Variant>().unwrap())
}

#[test]
fn sequences_of_decisions_are_as_many_as_the_rules_say() {
    for (variant, counts) in counts() {
        for (depth, count) in (1..).zip(counts).filter(|(_, count)| *count < MOST_LEAVES) {
            assert_eq!(perft(&start(variant), depth), count, "{variant} to depth {depth}");
        }
    }
}

#[test]
fn distinct_settled_positions_are_as_many_as_the_rules_say() {
    for (variant, counts) in DISTINCT {
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft_distinct(&start(variant), depth), count, "{variant} to depth {depth}");
        }
    }
}

#[test]
fn divide_splits_perft_by_the_first_action() {
    for (variant, counts) in counts() {
        let start = start(variant);
        let divided = divide(&start, 3);
        assert!(divided.iter().map(|&(action, _)| action).eq(start.legal_actions()));
        assert_eq!(divided.iter().map(|(_, count)| count).sum::<u64>(), counts[2], "{variant}");
    }
}

#[test]
fn a_limit_ends_games_in_each_count_and_stays_with_the_successors() {
    for variant in Variant::ALL {
        let setup = Setup::start(variant).with_placement_limit(Some(2));
        let position = GipfPosition::from_setup(&setup).unwrap();
        let counts = [1, 2, 3].map(|depth| perft_distinct(&position, depth));
        assert!(counts[0] > 1 && counts[1] > counts[0] && counts[2] == 0, "{variant}: {counts:?}");
        for next in quiet_successors(&position) {
            assert_eq!((next.to_setup().placement_limit, next.placements()), (Some(2), 1), "{variant}");
        }
    }
}

#[test]
fn spots_and_lines_beyond_what_there_is_are_nothing() {
    let start = start("standard");
    for line in Line::all() {
        let middle = line.spots().into_iter().nth(line.len() / 2).unwrap();
        assert_eq!(start.capture_set(line).is_empty(), !start.board().occupied().contains(middle), "{line:?}");
    }
    assert_eq!(serde_json::from_str::<Bitboard>(&Bitboard::BOARD.bits().to_string()).unwrap(), Bitboard::BOARD);
    assert!(serde_json::from_str::<Bitboard>(&u64::MAX.to_string()).is_err());
}
