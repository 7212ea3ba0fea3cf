//! Counts of games to a depth, as section 10 of the rules gives them.

use gipf_env::{GipfPosition, Position, Variant, divide, perft, perft_distinct};

/// Rule sets, and the counts from their starts to depth 1, 2, 3 and 4.
pub const PERFT: [(&str, [u64; 4]); 7] = [
    ("basic", [30, 924, 29_016, 924_432]),
    ("standard", [30, 924, 29_016, 924_432]),
    ("tournament", [18, 348, 14_304, 620_352]),
    ("basic+zertz", [60, 3_696, 175_176, 8_426_424]),
    ("standard+zertz", [60, 3_696, 175_176, 8_426_424]),
    ("tournament+zertz", [18, 348, 21_456, 1_395_792]),
    ("push-off", [12, 180, 3_096, 58_560]),
];

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
    for (variant, counts) in PERFT {
        for (depth, count) in (1..).zip(counts) {
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
    for (variant, counts) in PERFT {
        let start = start(variant);
        let divided = divide(&start, 3);
        assert!(divided.iter().map(|&(action, _)| action).eq(start.legal_actions()));
        assert_eq!(divided.iter().map(|(_, count)| count).sum::<u64>(), counts[2], "{variant}");
    }
}
