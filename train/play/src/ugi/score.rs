//! Scores in UGI: in hundredths of a basic piece.

use gipf_env::math;

/// The score of a result that is certain.
pub const CERTAIN: i32 = 10_000;

/// The score at which a player expects a result of 0.76, as the baseline AI interprets its own score.
const SCALE: f32 = 240.0;
/// The score of a player who is almost certain to win.
const MOST: f32 = 2_400.0;

/// Returns the score of an expected result, -1 to 1: 240 · artanh, and ±10000 for a result that is certain.
pub fn score_of_value(value: f32) -> i32 {
    if value.abs() >= 1.0 {
        return if value > 0.0 { CERTAIN } else { -CERTAIN };
    }
    (SCALE * math::atanh(value)).clamp(-MOST, MOST).round() as i32
}

/// Returns the expected result, -1 to 1, that a score stands for.
pub fn value_of_score(score: i32) -> f32 {
    math::tanh(score as f32 / SCALE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_values_invert_and_the_ends_are_certain() {
        for score in [-700, -240, -1, 0, 5, 240, 500] {
            assert_eq!(score_of_value(value_of_score(score)), score);
        }
        assert_eq!([-1.0, 1.0, 1.5].map(score_of_value), [-CERTAIN, CERTAIN, CERTAIN]);
        assert!(score_of_value(0.999_999_9) < CERTAIN);
        assert!((value_of_score(240) - 0.76).abs() < 0.01);
    }
}
