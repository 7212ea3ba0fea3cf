//! The eight strengths of the baseline AI.

use super::evaluation::EvaluationKind;
use super::limits::Limits;
use super::settings::Settings;
use crate::players::scale::scale;

scale! {
    /// A strength of the baseline AI, `baseline:N`: each visits 2.2 to 2.8 times as many positions in a turn as the
    /// one below, with the weights learned from games of the networks. It sees further where little is expected, so its strengths lie
    /// closer together, and closer to equal distances, than its depths do (`alpha-beta:N`).
    ///
    /// Score against the strength below, 200 paired games each from the book, with intervals of 4 to 6 either way
    /// (`scripts/play-levels baseline`):
    ///
    /// | over the one below, in % | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
    /// |---|--:|--:|--:|--:|--:|--:|--:|
    /// | basic | 81.5 | 88 | 87 | 83 | 84 | 86.5 | 82 |
    /// | standard | 73.5 | 85.5 | 90.5 | 87 | 86.5 | 85 | 79.5 |
    /// | tournament | 81 | 91 | 83 | 87.5 | 84.5 | 86 | 81.5 |
    /// | basic+zertz | 83 | 87 | 84.5 | 83 | 90 | 83.5 | 81 |
    /// | standard+zertz | 76.5 | 82.5 | 87 | 86.5 | 81 | 87 | 82 |
    /// | tournament+zertz | 80 | 84.5 | 87 | 85 | 84 | 82 | 83.5 |
    Strength, POSITIONS.len() as u8, "strength"
}

/// The positions that each strength visits in a turn.
const POSITIONS: [u64; 8] = [160, 400, 900, 2_100, 5_000, 13_000, 36_000, 100_000];

impl Strength {
    /// Returns how the baseline AI plays at this strength.
    pub fn settings(self) -> Settings {
        let nodes = Some(POSITIONS[usize::from(self.0) - 1]);
        Settings { evaluation: EvaluationKind::Distilled, ..Limits { nodes, ..Limits::NONE }.into() }
    }
}
