//! Evaluations against each other, with the same search: distilled from networks, or fitted only to games of alpha-beta.

use gipf_env::Variant;
use gipf_play::arena::MatchConfig;

use crate::matches::arena::named;

/// Returns the score of one evaluation against another one, within these limits.
fn score(variant: Variant, limits: &str, evaluations: [&str; 2], games: usize) -> f64 {
    let [one, other] = evaluations.map(|name| format!("alpha-beta:{limits},eval={name}"));
    let report = named(&MatchConfig::new(variant, games / 2), &one, &other);
    println!("{variant}: {report}");
    report.score
}

#[test]
#[cfg_attr(debug_assertions, ignore = "hundreds of games")]
fn what_networks_know_is_worth_more_than_games_of_alpha_beta() {
    for (variant, least) in [(Variant::STANDARD, 0.58), (Variant::TOURNAMENT, 0.55)] {
        let found = score(variant, "nodes=2000", ["distilled", "patterns"], 120);
        assert!(found > least, "{variant}: {found}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "many games")]
fn patterns_and_potentials_beat_the_terms() {
    let sets = [(Variant::BASIC, 0.75), (Variant::STANDARD, 0.8), (Variant::TOURNAMENT, 0.75)];
    for (variant, least) in sets.map(|(variant, least)| (variant.with_zertz(), least)) {
        let found = score(variant, "depth=2", ["patterns", "terms"], 60);
        assert!(found > least, "{variant}: {found}");
    }
}
