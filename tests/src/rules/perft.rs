//! Counts of games to a depth, as section 10 of the rules gives them.

use gipf_env::{GipfPosition, Position, Variant, divide, perft, perft_distinct};

/// Returns each rule set's name with the counts from its start to depth 1, 2, 3 and so on.
pub fn counts() -> Vec<(&'static str, Vec<u64>)> {
    let lines = include_str!("../../data/perft.txt").lines().filter(|line| !line.starts_with('#'));
    let counts = |line: &'static str| {
        let (name, numbers) = line.split_once(' ').unwrap();
        (name, numbers.split_whitespace().map(|number| number.parse().unwrap()).collect())
    };
    lines.map(counts).collect()
}

/// As many leaves as are counted in a second or two: with debug assertions each position is also validated.
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
