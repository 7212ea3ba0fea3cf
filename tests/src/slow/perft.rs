//! Section 10: counts of games, found by playing them all.

use super::position::SlowPosition;

impl SlowPosition {
    /// Returns the number of sequences of `depth` decisions; a game that ends earlier adds none.
    pub fn perft(&self, depth: u32) -> u64 {
        let actions = self.legal_actions();
        if depth == 1 {
            return actions.len() as u64;
        }
        let after = |action| {
            let mut next = self.clone();
            next.play(action);
            next.perft(depth - 1)
        };
        actions.into_iter().map(after).sum()
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::perft::counts;
    use crate::slow::{RuleSet, Settings, SlowPosition};
    use crate::wishes;

    /// The depth is what takes a few seconds, unless `GIPF_SLOW_DEPTH` asks for more.
    #[test]
    fn sequences_of_decisions_are_as_many_as_the_rules_say() {
        let asked = wishes::number("GIPF_SLOW_DEPTH").unwrap_or(0);
        for (name, counts) in counts() {
            let start = SlowPosition::start(Settings::of(RuleSet::named(name).unwrap()));
            for (depth, count) in (1..).zip(counts).filter(|(depth, count)| *count < 100_000 || *depth <= asked) {
                assert_eq!(start.perft(depth), count, "{name} to depth {depth}");
            }
        }
    }
}
