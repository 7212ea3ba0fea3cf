//! The strength that follows from a score: intervals, and the Elo scale.

use gipf_env::math::wide;

/// The quantile of the normal distribution that leaves 2.5 % on each side.
pub(super) const Z95: f64 = 1.959_963_985;

/// Returns the Wilson interval of 95 % for the chance of a point, given the score of `games` games (Wilson 1927).
///
/// A draw counts as half a point. Unlike the interval of the normal approximation it stays within 0 and 1 and is not
/// empty for a score of 100 %.
pub fn wilson_interval(score: f64, games: u64) -> [f64; 2] {
    if games == 0 {
        return [0.0, 1.0];
    }
    let n = games as f64;
    let z2 = Z95 * Z95;
    let centre = (score + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z95 / (1.0 + z2 / n) * (score * (1.0 - score) / n + z2 / (4.0 * n * n)).sqrt();
    // Rounding must not move the ends.
    let low = if score <= 0.0 { 0.0 } else { centre - half };
    let high = if score >= 1.0 { 1.0 } else { centre + half };
    [low, high]
}

/// Returns the Elo difference at which this score is expected; infinite for 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * wide::log10(score / (1.0 - score))
}

/// Returns the score expected at an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + wide::pow(10.0, -elo / 400.0))
}

/// Returns the chance that a standard normal number is at most x, to within 10⁻⁷ (Abramowitz and Stegun 26.2.17).
fn normal_cdf(x: f64) -> f64 {
    const B: [f64; 5] = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = B.iter().rev().fold(0.0, |sum, b| (sum + b) * t);
    let tail = wide::exp(-0.5 * x * x) / std::f64::consts::TAU.sqrt() * polynomial;
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// Returns Student's t that 2.5 % exceed, for at least one degree of freedom: to within 0.01, and never too small.
pub fn student(freedom: f64) -> f64 {
    const TABLE: [f64; 10] = [12.707, 4.303, 3.183, 2.777, 2.571, 2.447, 2.365, 2.307, 2.263, 2.229];
    let whole = freedom.max(1.0) as usize;
    TABLE.get(whole - 1).copied().unwrap_or(1.96 + 2.7 / whole as f64)
}

/// Returns the chance that a number with Student's distribution is at most t, for at least one degree of freedom: exactly
/// for up to ten whole ones, to within 0.001 for more (Abramowitz and Stegun 26.7.8).
pub fn student_cdf(t: f64, freedom: f64) -> f64 {
    if freedom <= 10.0 {
        return 0.5 + 0.5 * student_within(t, freedom.max(1.0) as u32);
    }
    normal_cdf(t * (1.0 - 0.25 / freedom) / (1.0 + t * t / (2.0 * freedom)).sqrt())
}

/// Returns the chance that a number with Student's distribution lies between -t and t, with the sign of t (Abramowitz and
/// Stegun 26.7.3 and 26.7.4, where t is √freedom times the tangent of an angle).
fn student_within(t: f64, freedom: u32) -> f64 {
    let n = f64::from(freedom);
    let (sine, cosine_squared) = (t / (n + t * t).sqrt(), n / (n + t * t));
    let is_even = freedom.is_multiple_of(2);
    let (mut term, mut sum) = (if is_even { 1.0 } else { cosine_squared.sqrt() }, 0.0);
    for number in 1..=freedom / 2 {
        sum += term;
        let factor = f64::from(2 * number - u32::from(is_even));
        term *= factor / (factor + 1.0) * cosine_squared;
    }
    if is_even { sine * sum } else { std::f64::consts::FRAC_2_PI * (wide::atan(t / n.sqrt()) + sine * sum) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_distribution_has_the_tabled_values() {
        for (freedom, t) in
            [(1.0, 12.7062), (4.0, 2.7764), (9.0, 2.2622), (19.0, 2.0930), (99.0, 1.9842), (999.0, 1.9623)]
        {
            assert!((0.0..0.01).contains(&(student(freedom) - t)), "{freedom}");
            close(student_cdf(t, freedom), 0.975, 0.001);
            close(student_cdf(-t, freedom), 0.025, 0.001);
        }
        for (freedom, t, expected) in [
            (1.0, 1.0, 0.75),
            (1.0, 6.313_752, 0.95),
            (2.0, 4.302_653, 0.975),
            (3.0, 3.182_446, 0.975),
            (4.0, 0.740_697, 0.75),
            (5.0, 2.570_582, 0.975),
            (9.0, 2.262_157, 0.975),
            (10.0, 2.228_139, 0.975),
        ] {
            close(student_cdf(t, freedom), expected, 1e-7);
            close(student_cdf(-t, freedom), 1.0 - expected, 1e-7);
            close(student_cdf(0.0, freedom), 0.5, 1e-12);
        }
        close(student_cdf(2.0, 10.0), student_cdf(2.0, 10.001), 0.001);
    }

    fn close(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() < within, "{found} instead of {expected}");
    }

    #[test]
    fn wilson_interval_has_the_published_values() {
        // 8 of 10: 0.4902 to 0.9433; 0 of 10: 0 to 0.2775 (Newcombe 1998, method 3: 81 of 263 is 0.2553 to 0.3662).
        let [low, high] = wilson_interval(0.8, 10);
        close(low, 0.4902, 1e-4);
        close(high, 0.9433, 1e-4);
        let [low, high] = wilson_interval(81.0 / 263.0, 263);
        close(low, 0.2553, 1e-4);
        close(high, 0.3662, 1e-4);
        let [low, high] = wilson_interval(0.0, 10);
        assert_eq!(low, 0.0);
        close(high, 0.2775, 1e-4);
        assert_eq!(wilson_interval(0.5, 0), [0.0, 1.0]);
    }

    #[test]
    fn elo_and_score_invert() {
        close(elo_of_score(0.75), 190.85, 0.01);
        close(elo_of_score(0.5), 0.0, 1e-12);
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
        for elo in [-300.0, -1.0, 0.0, 40.0, 700.0] {
            close(elo_of_score(score_of_elo(elo)), elo, 1e-8);
        }
    }

    #[test]
    fn normal_cdf_has_the_tabled_values() {
        for (x, expected) in
            [(0.0, 0.5), (1.0, 0.841_344_7), (-1.0, 0.158_655_3), (1.959_964, 0.975), (4.0, 0.999_968_3)]
        {
            close(normal_cdf(x), expected, 1e-7);
        }
    }
}
